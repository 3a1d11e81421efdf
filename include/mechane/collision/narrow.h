#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "mechane/collision/shape.h"

namespace mechane::collision {

/// One point of contact between raw surfaces, margins not considered.
struct ContactPoint {
    Vec3d         p0, p1;        ///< [m], on the surface of shape 0 and shape 1; p1 - p0 = distance * normal
    Vec3d         normal;        ///< unit, from shape 0 to shape 1, dimensionless
    double        distance = 0;  ///< [m], negative in penetration
    std::uint64_t feature  = 0;  ///< names the pair of features; equal from step to step while they stay the same
};

/// The points of one pair, already reduced to those that matter.
/// Lies on the stack of whoever collides, and allocates nothing.
struct Manifold {
    static constexpr int kCapacity = 16;
    // Not cleared when it comes into being: that would cost more than many a pair.
    union {
        std::array<ContactPoint, kCapacity> points;  ///< the first `count` of them hold something
    };
    int count = 0;

    Manifold() {}  // NOLINT(modernize-use-equals-default): leaves the points as they are
    /// What finds no room is dropped.
    void add(const ContactPoint& point)
    {
        if (count < kCapacity) points[static_cast<std::size_t>(count++)] = point;
    }
};

/// Contacts of two shapes in one common frame, all with distance <= reach [m]. Exactly one table of functions by kinds
/// decides the method; see docs/collision_method.md. Kinds in the other order than the table's are met the other way
/// round, and the contacts turned back; a triangle, or a hull or mesh without its data, is a mistake that the failure
/// handler is told.
/// Pure: no memory between calls, safe from many threads. Pairs of a pipeline go through the same functions.
void collide(const Shape& a, const Shape& b, double reach, Manifold& out);

/// How contacts of two kinds of whole shapes are found, in a word of the table; empty for kinds that never meet. The
/// order of the two does not matter.
std::string_view route_of(ShapeKind a, ShapeKind b);

/// True when `a` is to be shape 0 of the pair: meshes first, then by kind; equal kinds keep the caller's order.
inline bool in_table_order(ShapeKind a, ShapeKind b)
{ return a == ShapeKind::mesh || (b != ShapeKind::mesh && a <= b); }

}  // namespace mechane::collision
