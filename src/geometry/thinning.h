#pragma once
#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// The mesh with one point per cell of a cubic lattice of `cells` along the longest side of its bounds: the point of
/// the cell that is farthest from the middle of the bounds, so that hulls lose little. Triangles within one cell are
/// gone (vertex clustering, Rossignac and Borrel 1993).
Mesh thinned(const Mesh& mesh, int cells);

}  // namespace mechane::geometry
