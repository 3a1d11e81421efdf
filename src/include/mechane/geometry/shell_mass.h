#pragma once
#include "mechane/geometry/mass.h"

namespace mechane::geometry {

/// A wall of this thickness [m] inside the surface of a mesh. The inner surface of a closed mesh has the same
/// triangles; each vertex moves to the point that lies, in the least-squares sense, on all its faces' planes shifted
/// inwards, so that the walls of a box keep their thickness at the edges. Where that surface turns inside out, and for
/// open meshes, each triangle gives an inward prism of its own instead; overlaps at edges then count twice (an error of
/// first order in thickness over size).
///
/// @param mesh     points that coincide must be one point for the mesh to count as closed; either winding
/// @param density  [kg/m^3]
MassProperties inward_shell_mass(const Mesh& mesh, double thickness, double density);

}  // namespace mechane::geometry
