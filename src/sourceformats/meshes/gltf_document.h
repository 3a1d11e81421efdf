#pragma once
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sourceformats/meshes/gltf_compression.h"
#include "sourceformats/meshes/mesh_file.h"

/// The JSON and the buffers of a glTF or GLB file. No number of a file is trusted.
namespace mechane::sourceformats {

class GltfDocument {
  public:
    using Json = nlohmann::json;

    /// @return a message when the file is none
    std::string open(std::string_view bytes, const Beside& beside);

    [[nodiscard]] const Json& json() const { return json_; }
    /// An entry of a list of the document; null when there is none.
    [[nodiscard]] const Json* entry(const char* list, double index) const;
    [[nodiscard]] std::size_t count(const char* list) const;
    /// The numbers of an accessor, `width` a row; nothing when it is not sound.
    std::optional<std::vector<double>> accessor(double index, std::size_t width);
    /// The numbers of an attribute ("POSITION") of a primitive, be it compressed or not; nothing when it has none, or
    /// none that is sound.
    std::optional<std::vector<double>> attribute(const Json& primitive, const char* name, std::size_t width);
    /// The vertices that the corners of a primitive name, in the order of its mode; nothing when they are not sound.
    std::optional<std::vector<double>> corners(const Json& primitive, std::size_t vertices);
    /// Why the last of these is not there, where its compression is the reason.
    [[nodiscard]] const std::string& why_not() const { return why_not_; }
    /// The bytes of a part of a buffer; nothing when it lies outside.
    std::optional<std::string_view> view(double index);
    /// Whether the file says that it cannot be read without an extension.
    [[nodiscard]] bool requires_extension(std::string_view name) const;

  private:
    Json                                        json_;
    std::string                                 chunk_;
    Beside                                      beside_;
    std::vector<std::pair<double, std::string>> buffers_;
    std::map<double, std::string>               plain_;  ///< views that were compressed
    std::map<double, DracoMesh>                 draco_;  ///< meshes by their views
    std::string                                 why_not_;

    const std::string* buffer(double index);
    /// The plain bytes of a view with EXT_meshopt_compression; null for other views, and with `why_not_` for bad ones.
    const std::string* unpacked_view(double index);
    /// The mesh of a primitive with KHR_draco_mesh_compression; null for others, and with `why_not_` for bad ones.
    const DracoMesh* draco(const Json& primitive);
};

double      gltf_number(const nlohmann::json& of, const char* key, double otherwise);
std::string gltf_text(const nlohmann::json& of, const char* key);
/// What an object has under a key; null where it has none, or is no object.
const nlohmann::json& gltf_child(const nlohmann::json& of, const char* key);
/// An index of the file; -1 where there is none.
int                 gltf_index(const nlohmann::json& of, const char* key);
std::vector<double> gltf_numbers(const nlohmann::json& of, const char* key);
std::string         decoded_base64(std::string_view text);

}  // namespace mechane::sourceformats
