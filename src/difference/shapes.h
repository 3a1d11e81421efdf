#pragma once
#include <compare>
#include <map>
#include <utility>
#include <vector>

#include "difference/matching.h"

namespace mechane::difference {

/// What a shape takes up, seen from the root of its tree with all joints at zero.
struct Extent {
    Vec3d  lower, upper;     ///< [m]; of an infinite plane a point
    double volume  = 0;      ///< [m^3], of colliders; 0 where it has none
    double area    = 0;      ///< [m^2], of visual shapes
    bool   hull    = false;  ///< the volume is that of a hull with few corners
    bool   good    = true;
    bool   endless = false;  ///< a plane that collides has no end, however large it is drawn
    Vec3d  normal;           ///< of such a plane; `lower` and `upper` are its point next to the root
};
/// @param faces  of the mesh that count; null: all
Extent extent_of(const sf::RobotTree& tree, const sf::Shape& shape, const Posed& X_RL, bool collider,
                 const std::vector<int>* faces = nullptr);
/// Faces of a mesh by material, and at the end those without one.
std::vector<std::vector<int>> parts_of(const sf::MeshAsset& mesh);

/// A shape, or one part of a shape that is taken apart.
struct Part {
    std::size_t shape = 0, part = 0;
    auto        operator<=>(const Part&) const = default;
};
using Extents = std::map<Part, Extent>;

/// Shapes of both robots that are the same, and those that only one has.
struct ShapePairs {
    std::vector<std::pair<Part, Part>> same;
    std::vector<Part>                  only_a, only_b;
};
/// @param a, b  extents of those shapes that are of the wanted kind
ShapePairs pair_shapes(const Matching& match, const Extents& a, const Extents& b);

}  // namespace mechane::difference
