#pragma once
#include <cstdint>

#include "mechane/geometry/mesh.h"
#include "mechane/geometry/weld.h"

namespace mechane::geometry {

/// Which way the triangles of a mesh face.
enum class Orientation : std::uint8_t {
    outward,  ///< closed, positive volume
    inward,   ///< closed, negative volume
    mixed,    ///< neighbours that run the same way along an edge
    open      ///< consistent, but not closed
};

/// What a mesh is worth as a collider.
struct MeshReport {
    std::size_t points = 0, triangles = 0, components = 0;
    MeshFaults  faults;  ///< after points at the same place were joined
    /// Pairs of triangles without a common corner of which one is pierced by an edge of the other; counting stops at
    /// 1000.
    std::size_t        self_intersections = 0;
    double             area = 0, volume = 0;  ///< [m^2], signed [m^3]
    Orientation        orientation = Orientation::open;
    [[nodiscard]] bool watertight() const { return triangles > 0 && faults.watertight(); }
};
/// @param mesh  with valid indices and finite points
MeshReport inspect_mesh(const Mesh& mesh);

}  // namespace mechane::geometry
