#pragma once
#include <cstddef>
#include <vector>

#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

struct RepairOptions {
    /// Points nearer than this become one [m]; 0: 1e-7 of the mesh's extent, the rounding of single precision.
    double join       = 0;
    bool   fill_holes = true;  ///< false: rims stay open
};

/// A rim of the mesh: edges of one triangle each that run in a ring.
struct Hole {
    std::size_t edges  = 0;
    double      length = 0;      ///< of the rim [m]
    bool        filled = false;  ///< false: the part is flat, its rim is no ring, or a filling would meet other edges
};

/// What `repaired` did to a mesh.
struct MeshRepair {
    std::size_t       joined_points = 0;  ///< points that were one with another
    std::size_t       dropped       = 0;  ///< triangles that had no area, or stood there twice
    std::size_t       turned        = 0;  ///< triangles whose corners run the other way now
    std::vector<Hole> holes;              ///< that the mesh had, in the order of their first edge

    /// True where the mesh was sound and came back as it was.
    [[nodiscard]] bool nothing() const { return joined_points + dropped + turned + holes.size() == 0; }
};

/// The mesh as a surface that bounds a solid, as far as that is possible without inventing a shape:
/// - points at one place are joined;
/// - triangles without a corner, without area or that repeat another go; where one lies on the edge of a neighbour, the
///   neighbour is divided at its corner, so that no gap opens;
/// - neighbours run alike, the lesser number of a part follows the larger; closed parts face outwards, but for parts
///   within others that faced inwards: those are hollows;
/// - each hole gets the triangulation of least area of its rim (Barequet and Sharir 1995; ear clipping above 200
///   edges). A flat part stays open: filled, it would be a sheet with two sides.
/// Points keep their order and places. Edges of more than two triangles stay; `inspect_mesh` counts them.
///
/// @param mesh  with valid indices and finite points
/// @param done  gets what was done
Mesh repaired(const Mesh& mesh, const RepairOptions& options, MeshRepair& done);

}  // namespace mechane::geometry
