// Cylinder_1 and Capsule_1 with two radii, as colliders and as what is seen: one form for both.
#include "tapered.h"

#include <cmath>

#include "mechane/physics/solid_size.h"
#include "shape_frames.h"

namespace mechane::importer {

std::vector<Vec3d> tapered_points(bool capsule, double bottom, double top, double half_height, physics::Axis axis)
{
    std::vector<Vec3d> points;
    constexpr int      kAround = 24;
    const Quatd        turn    = onto_axis(axis);
    constexpr int      kRings  = 4;
    for (const double end : {-1.0, 1.0}) {
        const double own = end < 0 ? bottom : top, other = end < 0 ? top : bottom;
        const auto   ring = [&](double radius, double height) {
            for (int i = 0; i < kAround; ++i) {
                const double a = 2 * kPi * i / kAround;
                points.push_back(rotate(turn, Vec3d{radius * std::cos(a), radius * std::sin(a), end * height}));
            }
        };
        ring(own, half_height);
        if (!capsule) continue;
        // Rings of the ball at this end, from the rim to its pole. One lies on the equator where the rim lies beyond
        // it, so that the hull is as wide as the ball.
        const physics::CapsuleCap cap = physics::capsule_cap(own, other, half_height);
        const double              rim = std::asin(cap.rise);
        if (rim < 0) ring(cap.radius, cap.centre);
        for (int r = 1; r <= kRings; ++r) {
            const double latitude = rim + (kPi / 2 - rim) * r / kRings;
            ring(cap.radius * std::cos(latitude), cap.centre + cap.radius * std::sin(latitude));
        }
    }
    return points;
}

}  // namespace mechane::importer
