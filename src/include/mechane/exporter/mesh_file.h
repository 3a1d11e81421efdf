#pragma once
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/geometry/mesh.h"

/// Meshes as files of their own: Wavefront OBJ, STL, PLY, OpenUSD.
namespace mechane::exporter {

struct NamedMesh {
    std::string    name;              ///< of the object or prim; made unique
    geometry::Mesh mesh;              ///< [m]
    bool           collider = false;  ///< OpenUSD: a convex collider that is not drawn by default
};

/// By suffix: .obj, .stl, .ply, .usda, .usdc, .usd.
bool is_mesh_file(const std::string& file);

/// Writes meshes in metres. OBJ and OpenUSD keep each under its name; STL and PLY hold one surface of all triangles.
/// Coordinates are single precision. OpenUSD: one Xform, the default prim, with a Mesh each.
/// @param up_axis  'Y' or 'Z', which only OpenUSD says
/// @error FILES_WRITE_FAILED, FILES_INPUT
Result<void> write_mesh_file(const std::vector<NamedMesh>& meshes, const std::string& file, char up_axis);

}  // namespace mechane::exporter
