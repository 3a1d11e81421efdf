#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/exporter/export.h"

/// A glTF 2.0 document that is being written: its lists, its buffer, its pictures.
namespace mechane::exporter::gltf {

using Json = nlohmann::ordered_json;

/// How numbers lie in the buffer, by glTF's codes.
enum class Component : int { u8 = 5121, u16 = 5123, u32 = 5125, f32 = 5126 };
/// What a part of the buffer is for.
enum class Target : int { none = 0, vertices = 34962, corners = 34963 };

class Document {
  public:
    /// Appends to a list ("nodes", "meshes") and gives the place there.
    int add(const std::string& list, Json entry);
    /// The same, unless an equal entry is there.
    int   add_once(const std::string& list, const Json& entry);
    Json& at(const std::string& list, int index) { return lists_[list][static_cast<std::size_t>(index)]; }
    [[nodiscard]] std::size_t count(const std::string& list) const;

    void drop_last(const std::string& list) { lists_[list].erase(lists_[list].size() - 1); }

    /// Numbers of the buffer. Equal ones are written once.
    /// @param type    "SCALAR", "VEC3", "MAT4"
    /// @param bounds  least and most of each component are said
    int numbers(std::span<const float> values, const char* type, Target target, bool bounds);
    int whole(std::span<const std::uint32_t> values, const char* type, Component component, Target target);

    /// A picture, as bytes of a PNG or JPEG file. Equal ones are written once.
    int picture(const std::string& bytes, const std::string& name);

    void use(const std::string& extension, bool required = false);
    /// Of the document itself: KHR_lights_punctual's lights.
    Json& extension(const std::string& name) { return extensions_[name]; }

    /// The files of the result: one .glb, or a .gltf with a .bin and pictures beside it.
    /// @error EXPORT_TOO_LARGE
    Result<std::vector<OutputFile>> finish(const std::string& file, const std::string& folder, Json asset, Json scene);

  private:
    struct Picture {
        std::string bytes, name;
    };
    std::map<std::string, Json>                                           lists_;
    std::map<std::string, Json>                                           extensions_;
    std::set<std::string>                                                 used_, required_;
    std::string                                                           bin_;
    std::vector<Picture>                                                  pictures_;
    std::unordered_map<std::string, std::unordered_map<std::string, int>> once_;
    std::unordered_map<std::uint64_t, std::vector<std::pair<int, std::string>>>
        accessors_;  ///< hash -> accessor, what it is of

    int accessor(std::string_view bytes, std::size_t count, const char* type, Component component, Target target,
                 Json bounds);
    std::string_view bytes_of(int view) const;
};

/// Components of a row.
std::size_t width_of(std::string_view type);

}  // namespace mechane::exporter::gltf
