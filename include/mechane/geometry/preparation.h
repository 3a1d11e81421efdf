#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "mechane/geometry/decomposition.h"
#include "mechane/geometry/sdf.h"
#include "mechane/geometry/simplification.h"

namespace mechane::geometry {

/// What a mesh is made into for collision.
enum class Preparation : std::uint8_t { decomposition, hull, box, simplification };

struct PreparationOptions {
    Preparation           method = Preparation::decomposition;
    HullOptions           hull{};
    DecompositionOptions  decomposition{};
    SimplificationOptions simplification{};
    /// After it no further cut is begun [s]; unset: none. What was cut short is not put into the cache.
    std::optional<double> time_limit{};
};

/// Keeps bytes by key. May be used by many threads.
class BlobCache {
  public:
    BlobCache()                                                           = default;
    BlobCache(const BlobCache&)                                           = delete;
    BlobCache& operator=(const BlobCache&)                                = delete;
    virtual ~BlobCache()                                                  = default;
    virtual std::optional<std::vector<std::byte>> load(std::uint64_t key) = 0;
    /// Failing to store is no error: the next one builds again.
    virtual void store(std::uint64_t key, std::span<const std::byte> bytes) = 0;
};

/// One file for each key in a folder, named after it. A file appears whole or not at all (written aside, then renamed),
/// and carries a checksum, so any number of processes may share the folder and a damaged file counts as none.
class DiskCache final : public BlobCache {
  public:
    explicit DiskCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::optional<std::vector<std::byte>> load(std::uint64_t key) override;
    void                                  store(std::uint64_t key, std::span<const std::byte> bytes) override;
    [[nodiscard]] std::filesystem::path   file_of(std::uint64_t key) const;

  private:
    std::filesystem::path folder_;
};

struct PreparedMesh {
    std::vector<Mesh> parts;                                ///< one, but for a decomposition
    Preparation       method = Preparation::decomposition;  ///< that succeeded
    bool              cached = false, cut_short = false;
};

/// Prepares a mesh. A method that cannot deal with the mesh hands over to the next simpler one, decomposition to hull
/// to box, with a GEOMETRY_FALLBACK each.
/// @param cache  may be null
/// @error GEOMETRY_FIT_EMPTY  no points, or not finite: nothing fits
Result<PreparedMesh> prepare_mesh(const Mesh& mesh, const PreparationOptions& options, BlobCache* cache,
                                  Diagnostics& found);

/// build_sdf through a cache.
Result<Sdf> cached_sdf(const Mesh& mesh, const SdfOptions& options, BlobCache* cache,
                       const tasks::Pool* pool = nullptr);

}  // namespace mechane::geometry
