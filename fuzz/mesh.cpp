#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mechane/collision/narrow.h"
#include "mechane/geometry/hull.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/simplification.h"

/// Meshes of any numbers and any indices that are within range: their masses, hulls, what is left of them when simplified,
/// and their contacts with a box.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace mechane;
    if (size < 1 + 3 * sizeof(float)) return 0;
    const std::size_t most = std::min<std::size_t>(200, (size - 1) / (3 * sizeof(float)));
    const std::size_t n    = 1 + data[0] % most;
    geometry::Mesh    mesh;
    for (std::size_t i = 0; i < n; ++i) {
        float p[3];
        std::memcpy(p, data + 1 + i * sizeof p, sizeof p);
        mesh.points.push_back({p[0], p[1], p[2]});
        // What reads meshes refuses these.
        if (!is_finite(mesh.points.back())) mesh.points.back() = {};
    }
    for (std::size_t at = 1 + n * 3 * sizeof(float); at + 3 <= size && mesh.triangles.size() < 500; at += 3)
        mesh.triangles.push_back({static_cast<std::int32_t>(data[at] % n), static_cast<std::int32_t>(data[at + 1] % n),
                                  static_cast<std::int32_t>(data[at + 2] % n)});
    (void)geometry::mesh_mass(mesh, {1, 1, 1}, 1);
    (void)geometry::build_hull(mesh.points);
    (void)geometry::simplified(mesh);
    collision::Shape box, whole;
    box.kind = collision::ShapeKind::box, box.size = {1, 1, 1};
    const auto shape = collision::make_mesh_shape(mesh, {1, 1, 1}, false);
    whole.kind = collision::ShapeKind::mesh, whole.mesh = &shape;
    collision::Manifold found;
    collision::collide(whole, box, 0.1, found);
    return 0;
}
