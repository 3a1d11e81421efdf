#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mechane/geometry/mesh.h"
#include "mechane/sourceformats/robot_tree.h"

/// Mesh files as bytes.
namespace mechane::exporter {

/// Binary STL. Coordinates are single precision, as the format has it.
std::string stl_text(const geometry::Mesh& mesh);

/// Wavefront OBJ with texture coordinates and normals; `faces` empty: all. With `library` set, faces get the materials of
/// the mesh's subsets from that file, and the others `otherwise`.
std::string obj_text(const sourceformats::MeshAsset& mesh, const Vec3d& scale, const std::vector<int>& faces, const std::string& library,
                     const std::vector<std::string>& material_names, const std::string& otherwise);

/// The materials of an OBJ file. `textures`: the name of each material's picture, empty for none.
std::string mtl_text(const std::vector<sourceformats::Material>& materials, const std::vector<std::string>& names, const std::vector<std::string>& textures);

}  // namespace mechane::exporter
