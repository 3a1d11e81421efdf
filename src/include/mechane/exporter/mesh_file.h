#pragma once
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/geometry/mesh.h"
#include "mechane/usd/stage.h"

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

/// A mesh that takes the place of a prim's own.
struct PlacedMesh {
    usd::Prim      prim;          ///< of type Mesh
    geometry::Mesh mesh;          ///< in the prim's frame and units
    bool           hull = false;  ///< convex: a collider is said to be its hull
};

/// Writes a layer over the stage whose opinions put meshes in the place of those of prims. What belongs to the old
/// points and faces (normals, texture coordinates, creases, subsets of faces) is blocked there; values for a whole mesh
/// stay.
/// @param blocked  gets the paths of what is blocked
/// @error FILES_WRITE_FAILED, FILES_INPUT, STAGE_OPEN_FAILED
Result<void> write_mesh_layer(const std::vector<PlacedMesh>& meshes, const usd::Stage& stage, const std::string& file,
                              std::vector<std::string>& blocked);

}  // namespace mechane::exporter
