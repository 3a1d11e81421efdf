#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechane/geometry/mesh.h"

namespace mechane::model {

/// Eight-bit RGBA for display (sRGB curve), rows from the top.
struct Pixels {
    int                       width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
};

/// A picture that is read when somebody draws it: a simulation that nobody looks at costs no decoding.
class Picture {
  public:
    using Reader = std::function<std::optional<Pixels>()>;
    /// @param file  what messages call it
    Picture(std::string file, Reader reader) : file_(std::move(file)), reader_(std::move(reader)) {}
    Picture(const Picture&)            = delete;
    Picture& operator=(const Picture&) = delete;

    [[nodiscard]] const std::string& file() const { return file_; }
    /// Read at the first call, by one thread; null when it cannot be read.
    [[nodiscard]] const Pixels* pixels() const;

  private:
    std::string                   file_;
    Reader                        reader_;
    mutable std::once_flag        once_;
    mutable std::optional<Pixels> pixels_;
};

/// What a picture shows beyond its edges; `black` is black there.
enum class Wrap { black, clamp, repeat, mirror };

/// How a mesh is painted, beyond the colour of its shape.
struct Paint {
    std::shared_ptr<const Picture>    picture;  ///< its colours are multiplied with the shape's; null: none
    Wrap                              wrap_s = Wrap::repeat, wrap_t = Wrap::repeat;
    std::vector<std::array<Vec2f, 3>> uvs;  ///< of each triangle's corners; (0, 0) is the picture's lower left corner
    std::string                       material;  ///< path of the prim; for messages
    std::vector<std::string>          undrawn;   ///< what of the material nobody draws: "normal maps", ...
};

using MeshPointer = std::shared_ptr<const geometry::Mesh>;

/// The same mesh, at the same address, with a paint that goes where this pointer goes: into builders, models, worlds.
/// What makes another mesh of it, as approximations do, makes one without paint.
MeshPointer painted(const MeshPointer& mesh, std::shared_ptr<const Paint> paint);
/// The paint that a pointer brings; null when it has none.
const Paint* paint_of(const MeshPointer& mesh);

}  // namespace mechane::model
