#pragma once
#include <cstdint>

#include "mechane/collision/shape.h"
#include "scratch.h"

namespace mechane::collision {

inline constexpr int kDiscCorners =
    12;  ///< a round rim is clipped as a regular polygon of as many corners, fixed in the body
inline constexpr int kFeatureLimit = 64;

/// The vertex (1 point), edge (2) or face (3 and more, counter-clockwise about its normal) of a core that lies farthest
/// in some direction.
struct Feature {
    Scratch<Vec3d, kFeatureLimit>         points;
    Scratch<std::uint16_t, kFeatureLimit> ids;  ///< names within the shape
    int                                   count = 0;
    Vec3d                                 normal;  ///< of a face

    void add(const Vec3d& p, int id)
    {
        if (count >= kFeatureLimit) return;
        points[static_cast<std::size_t>(count)] = p;
        ids[static_cast<std::size_t>(count++)]  = static_cast<std::uint16_t>(id);
    }
    [[nodiscard]] bool is_face() const { return count >= 3; }
    [[nodiscard]] bool is_edge() const { return count == 2; }
};

/// How far from the exact direction a face or an edge may be and still count. `exact` finds the feature that carries
/// the normal; `wide` the one that is clipped against the partner's face, so that a slightly tilted box keeps all four
/// corners.
enum class Alignment { exact, wide };

Feature supporting_feature(const Shape& shape, const Vec3d& direction, Alignment alignment);

/// The normal of the face or the perpendicular of the axis that lies nearest to `direction` and within about one degree
/// of it; `direction` itself if there is none. Iterative distances are polished with it.
Vec3d natural_normal(const Shape& shape, const Vec3d& direction);

}  // namespace mechane::collision
