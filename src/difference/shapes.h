#pragma once
#include <map>
#include <vector>

#include "difference/matching.h"

namespace mechane::difference {

/// What a shape takes up, seen from the root of its tree with all joints at zero.
struct Extent {
    Vec3d  lower, upper;    ///< [m]; of an infinite plane a point
    double volume = 0;      ///< [m^3], of colliders; 0 where it has none
    double area   = 0;      ///< [m^2], of visual shapes
    bool   hull   = false;  ///< the volume is that of a hull with few corners
    bool   good   = true;
};
Extent extent_of(const sf::RobotTree& tree, const sf::Shape& shape, const Posed& X_RL, bool collider);

/// Shapes of both robots that are the same, and those that only one has.
struct ShapePairs {
    std::vector<std::pair<std::size_t, std::size_t>> same;
    std::vector<std::size_t>                         only_a, only_b;
};
/// @param a, b  extents of those shapes that are of the wanted kind, by index of the shape
ShapePairs pair_shapes(const Matching& match, const std::map<std::size_t, Extent>& a,
                       const std::map<std::size_t, Extent>& b);

}  // namespace mechane::difference
