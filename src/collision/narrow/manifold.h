#pragma once
#include <span>

#include "mechane/collision/gjk.h"
#include "mechane/collision/narrow.h"
#include "scratch.h"

namespace mechane::collision {

/// A growing set of candidate points, deduplicated; far larger than any manifold.
struct Candidates {
    static constexpr std::size_t     kCapacity = 160;
    Scratch<ContactPoint, kCapacity> points;
    std::size_t                      count = 0;
    std::uint64_t                    face  = 0;  ///< name of the triangle in hand, at bit 44 of the features

    /// Points nearer than `merge` [m] with nearly the same normal become one, the deeper.
    void                    add(ContactPoint point, double merge);
    std::span<ContactPoint> all() { return {points.data(), count}; }
};

/// Moves the most useful of the points, five at most, to the front and returns how many those are: the deepest, the
/// farthest from it, then those that add most to the area they span; the fifth only if that is more than a tenth.
/// Points much higher than the deepest yield to lower ones.
std::size_t reduce(std::span<ContactPoint> points);

/// Contacts of two cores once the distance is known: the supporting faces are clipped against each other, parallel
/// edges give the ends of their overlap, everything else the one closest pair. Core radii are added back. Points beyond
/// `reach` are dropped.
/// @param only_clipped  no closest pair if clipping leaves nothing: the neighbour of a triangle then has the contact.
/// The normal is then that of the first shape's face
/// @param merge  distance at which two points are one [m]
void convex_candidates(const Shape& a, const Shape& b, const CoreDistance& core, double reach, bool only_clipped,
                       double merge, Candidates& out);

/// Appends the best of the candidates (at most five).
void emit_reduced(Candidates& candidates, Manifold& out);

/// A point from its middle, normal and distance.
inline ContactPoint contact_at(const Vec3d& middle, const Vec3d& normal, double distance, std::uint64_t feature)
{ return {middle - (0.5 * distance) * normal, middle + (0.5 * distance) * normal, normal, distance, feature}; }

/// Replaces the normal by a face normal of either shape when that separates as well: removes the noise of iterations.
void polish(const Shape& a, const Shape& b, CoreDistance& core);

}  // namespace mechane::collision
