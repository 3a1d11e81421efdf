#pragma once
#include <algorithm>
#include <span>

#include "mechane/collision/gjk.h"
#include "mechane/collision/narrow.h"
#include "scratch.h"

namespace mechane::collision {

/// A growing set of candidate points, deduplicated; far larger than any manifold. Where it is full it is thinned.
struct Candidates {
    static constexpr std::size_t     kCapacity = 160;
    Scratch<ContactPoint, kCapacity> points;
    std::size_t                      count = 0;
    std::uint64_t                    face  = 0;  ///< the part of their names that says which triangle is in hand

    /// Points nearer than `merge` [m] with nearly the same normal become one, the deeper.
    void                    add(ContactPoint point, double merge);
    /// Leaves of each group of similar normals the points that carry.
    void                    thin();
    std::span<ContactPoint> all() { return {points.data(), count}; }
};

/// Moves the points that carry, four or five at most, to the front and returns how many those are (`choose_support`).
std::size_t reduce(std::span<ContactPoint> points, std::size_t most = 5);

/// Calls visit(group) for groups of points with similar normals, that of the deepest point first, as long as it returns
/// true. Points change their places.
template <class Visit>
void for_normals(std::span<ContactPoint> points, Visit&& visit)
{
    const auto deeper = [](const ContactPoint& x, const ContactPoint& y) {
        return x.distance != y.distance ? x.distance < y.distance : x.feature < y.feature;
    };
    while (!points.empty()) {
        const Vec3d n = std::min_element(points.begin(), points.end(), deeper)->normal;
        const auto  middle = std::partition(points.begin(), points.end(),
                                           [&](const ContactPoint& p) { return dot(p.normal, n) > 0.98; });
        const auto  size = static_cast<std::size_t>(middle - points.begin());
        if (!visit(points.first(size))) return;
        points = points.subspan(size);
    }
}

/// Contacts of two cores once the distance is known: the supporting faces are clipped against each other, parallel
/// edges give the ends of their overlap, everything else the one closest pair. Core radii are added back. Points beyond
/// `reach` are dropped.
/// @param only_clipped  no closest pair if clipping leaves nothing: the neighbour of a triangle then has the contact.
/// The normal is then that of the first shape's face
/// @param merge  distance at which two points are one [m]
void convex_candidates(const Shape& a, const Shape& b, const CoreDistance& core, double reach, bool only_clipped,
                       double merge, Candidates& out);

/// Appends the best of the candidates (at most four or five).
void emit_reduced(Candidates& candidates, Manifold& out, std::size_t most = 5);

/// A point from its middle, normal and distance.
inline ContactPoint contact_at(const Vec3d& middle, const Vec3d& normal, double distance, std::uint64_t feature)
{ return {middle - (0.5 * distance) * normal, middle + (0.5 * distance) * normal, normal, distance, feature}; }

/// Replaces the normal by a face normal of either shape when that separates as well: removes the noise of iterations.
void polish(const Shape& a, const Shape& b, CoreDistance& core);

}  // namespace mechane::collision
