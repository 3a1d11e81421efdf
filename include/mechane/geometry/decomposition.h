#pragma once
#include <functional>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/geometry/hull.h"

namespace mechane::geometry {

/// The two bounds end it, whichever comes first. A lower concavity gives more hulls and follows hollows more closely.
struct DecompositionOptions {
    double concavity = 0.05;  ///< deepest hollow that may stay, relative to the extent of its component, dimensionless
    int    max_hulls = 32;    ///< upper bound on hulls, at least 1; components beyond it, and beyond 512, are merged
    HullOptions           hull{};  ///< of each part
    std::function<bool()> stop{};  ///< asked before each cut; true: the parts so far are the answer
};

/// Convex hulls that together cover a mesh closely: one per connected component, which is cut further by planes while a
/// hollow deeper than the threshold remains. A hollow's depth is the way from the surface, along its outward normal,
/// out of the hull (as in Mamou and Ghorbel 2009); of a set of planes along the part's box that cut is made which
/// leaves the least volume of hulls (as in Wei et al. 2022, without their tree search). Components of many triangles
/// are thinned to a lattice of 48 cells first. Deterministic; independent of the order of points, not of that of
/// triangles.
///
/// @param mesh  open meshes are cut as if their triangles bounded something
/// @error GEOMETRY_HULL_DEGENERATE  no triangles, points missing or not finite, or no part has a hull
Result<std::vector<Mesh>> decompose(const Mesh& mesh, const DecompositionOptions& options = {});

}  // namespace mechane::geometry
