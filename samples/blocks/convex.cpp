// Any two convex shapes: the distance of their cores by GJK, the least way out by the expanding polytope where they
// overlap, and a stable set of contacts.
//
//     sample_blocks_convex
#include <cmath>
#include <numbers>

#include "mechane/collision/gjk.h"
#include "mechane/collision/narrow.h"
#include "mechane/geometry/hull.h"
#include "sample.h"

using namespace mechane;
using collision::Shape;
using collision::ShapeKind;

namespace {

/// A regular octahedron with corners 1 m from its middle.
collision::HullShape octahedron()
{
    const Vec3d corners[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    return collision::make_hull_shape(sample::get(geometry::build_hull(corners)), {1, 1, 1});
}

}  // namespace

int main()
{
    const collision::HullShape hull = octahedron();
    const Shape                a{.kind = ShapeKind::hull, .hull = &hull};
    Shape                      b{.kind = ShapeKind::cone, .size = {0.5, 0.5, 0}};
    sample::Claims             claims;

    b.p                 = {0, 0, 2};  // its base is half a metre above the upper corner
    const auto apart    = collision::core_distance(a, b);
    b.p                 = {0, 0, 1.4};  // its base is 10 cm below the corner
    const auto overlap  = collision::core_distance(a, b);
    std::printf("apart   %.6f m along (%.3f, %.3f, %.3f)\n", apart.distance, apart.normal.x, apart.normal.y,
                apart.normal.z);
    std::printf("overlap %.6f m along (%.3f, %.3f, %.3f)\n", overlap.distance, overlap.normal.x, overlap.normal.y,
                overlap.normal.z);
    claims.that(std::abs(apart.distance - 0.5) < 1e-6, "apart by half a metre");
    claims.that(std::abs(overlap.distance + 0.1) < 1e-6, "10 cm deep");
    Shape moved = b;
    moved.p -= overlap.distance * overlap.normal;
    claims.that(std::abs(collision::core_distance(a, moved).distance) < 1e-6, "moving by the depth just separates them");

    // Face on face: the manifold holds the corners of what both faces share.
    const double        third = 1 / std::numbers::sqrt3;
    const Shape         c{.kind = ShapeKind::hull, .p = 2 * third * Vec3d{third, third, third}, .hull = &hull};
    collision::Manifold manifold;
    collision::collide(a, c, 0.01, manifold);
    std::printf("face on face: %d contacts\n", manifold.count);
    claims.that(manifold.count >= 3, "two faces touch in three points or more");
    for (int i = 0; i < manifold.count; ++i) {
        const auto& point = manifold.points[static_cast<std::size_t>(i)];
        claims.that(std::abs(point.distance) < 1e-6 && dot(point.normal, Vec3d{third, third, third}) > 1 - 1e-6,
                    "they touch along the normal of the faces");
    }
    return claims.exit_code();
}
