// Cylinder_1 and Capsule_1 with two radii, as colliders and as what is seen: one form for both.
#include "tapered.h"

#include <cmath>

#include "shape_frames.h"

namespace mechane::importer {

std::vector<Vec3d> tapered_points(bool capsule, double bottom, double top, double half_height, physics::Axis axis)
{
    std::vector<Vec3d> points;
    constexpr int      kAround = 24;
    const Quatd        turn    = onto_axis(axis);
    for (const double end : {-1.0, 1.0}) {
        const double radius = end < 0 ? bottom : top;
        for (int ring = 0; ring < (capsule ? 5 : 1); ++ring) {
            // Half a ball in rings at each end.
            const double lift = capsule ? ring * kPi / 8 : 0;
            for (int i = 0; i < kAround; ++i) {
                const double a = 2 * kPi * i / kAround;
                points.push_back(
                    rotate(turn, Vec3d{radius * std::cos(lift) * std::cos(a), radius * std::cos(lift) * std::sin(a),
                                       end * (half_height + radius * std::sin(lift))}));
            }
        }
    }
    return points;
}

}  // namespace mechane::importer
