#pragma once
#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// Whichever of the two is reached first ends it, so fewer triangles may come out than either asks for.
struct SimplificationOptions {
    /// Brought into 0..1.
    double ratio = 0.25;  ///< wanted triangles, relative to those of the input; dimensionless, above 0
    /// Distance that the surface may move, relative to the extent of the mesh; stops earlier if need be.
    double max_error = 0.02;
};

/// A mesh of fewer triangles by collapsing edges in order of their quadric error (Garland and Heckbert 1997), with
/// planes across open borders so that these keep their place. A collapse that would turn a triangle over, or join what
/// was apart (the link condition of Dey et al. 1999), is left out, so a closed surface stays closed. Deterministic.
/// Points that coincide are joined first.
Mesh simplified(const Mesh& mesh, const SimplificationOptions& options = {});

}  // namespace mechane::geometry
