#pragma once
#include <array>
#include <functional>
#include <optional>

#include "mechane/usd/stage.h"

namespace mechane::physics {

/// Sizes of a Gprim that its schema describes by numbers, in its own frame [stage unit]. Absolute values count,
/// and what is not a number counts as not authored.
struct SolidSize {
    enum class Kind { cube, sphere, capsule, cylinder, cone, plane };
    Kind   kind      = Kind::cube;
    bool   two_radii = false;                ///< Capsule_1 and Cylinder_1
    int    axis      = 2;                    ///< of what is round, and the normal of a plane: 0 x, 1 y, 2 z
    double half_edge = 0;                    ///< of a cube
    double bottom = 0, top = 0;              ///< radii at both ends of the axis; that of a cone's tip is 0
    double half_height = 0;                  ///< without the caps of a capsule
    double half_width = 0, half_length = 0;  ///< of a plane
};

/// How an attribute is read: its number, or the given one where it has none.
using NumberReader = std::function<double(const usd::Attribute&, double)>;

/// The one reader of these sizes: at the start (usd/start_value.h) unless another is given, with the schema's
/// fallbacks. Nothing for a prim that is no such Gprim.
std::optional<SolidSize> solid_size(const usd::Prim& prim, const NumberReader& number = {});

/// The cap of a capsule: part of a ball that goes on from the capsule's side without an edge, as the schema says.
struct CapsuleCap {
    double centre = 0;  ///< of the ball, along the axis from the middle towards this end [as given]
    double radius = 0;  ///< of the ball; that of the rim, or more where the other end has another radius [as given]
    double rise   = 0;  ///< sine of the latitude of the rim on the ball, seen from its centre towards this end
};
/// @param own, other   radii of the rims at this end and at the other one
/// @param half_height  half the distance of the rims
CapsuleCap capsule_cap(double own, double other, double half_height);

/// Opposite corners of a box [stage unit].
using OwnBounds = std::array<Vec3d, 2>;
/// Bounds of a prim's own geometry in its frame, from sizes or finite points, as OpenUSD computes the extent. Nothing
/// for what has none.
std::optional<OwnBounds> own_bounds(const usd::Prim& prim);

}  // namespace mechane::physics
