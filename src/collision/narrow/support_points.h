#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "mechane/math/lane_by_lane.h"
#include "mechane/math/vec.h"

namespace mechane::collision {

/// Those of many points that hold two bodies apart, by their places in the list.
struct SupportPoints {
    static constexpr std::size_t       kMost = 5;
    std::array<std::size_t, kMost>     index{};
    std::size_t                        count = 0;
};

namespace detail {

constexpr double kFlat  = 1e-3;  ///< faces that meet at less carry as one [rad]: what it costs to lie farther out
constexpr double kSoon  = 0.01;  ///< what lies on either side of an edge carries both where it is down as soon [rad]
constexpr double kLevel = 2e-6;  ///< depths that differ by less of the diameter are equal
constexpr double kLies  = 0.02;  ///< a patch whose farthest point is higher, of the diameter, is about to tilt
constexpr double kTie   = 3e-3;  ///< a score must be larger by so much of it to win against a point named before

/// A point from which one was chosen, in axes across the normal: along the edge chosen first, and to its left.
struct Corner {
    double x = 0, y = 0, height = 0;
};

/// The heights over an edge and one point beside it.
struct Facet {
    double along = 0, across = 0;  ///< slopes
    [[nodiscard]] MCH_HD double above(const Corner& p, double lowest) const
    { return p.height - lowest - along * p.x - across * p.y; }
};

/// Of points of one slope the farthest is wanted; how far one lies out counts for less as it lies above that slope.
MCH_HD inline double worth(double out, double above) { return out - std::max(0.0, above) / kFlat; }

/// The best of the points seen so far; of equal ones the first.
struct Best {
    double      score = 0;
    std::size_t index = 0;
    Corner      corner;
    bool        any = false;

    /// Whether it is the best now.
    MCH_HD bool see(double s, std::size_t i, const Corner& p)
    {
        if (any && !(s > score + kTie * std::abs(score))) return false;
        score = s, index = i, corner = p, any = true;
        return true;
    }
};

}  // namespace detail

/// Chooses the points that carry, five at most, out of any number. Bodies that are let go come to lie on a facet of the
/// lower hull of all points: the deepest point first, then an edge about which the next points on either side are those
/// that a turn brings down soonest, of equally soon ones the farthest. So a point that hovers never stands for one that
/// touches, and what the bodies would tilt on to is held before they get there. What is left adds to the area of those
/// facets.
/// @param most  4 or 5
/// @param each  each(visit) calls visit(i, place [m], height [m]) for every point, always in the same order
/// @param n     unit, the direction in which heights are counted
template <class Each>
MCH_HD SupportPoints choose_support(const Each& each, const Vec3d& n, std::size_t most = SupportPoints::kMost)
{
    using namespace detail;
    SupportPoints out;
    std::size_t   deepest = 0;
    double        lowest  = kInfinity;
    Vec3d         origin;
    each([&](std::size_t i, const Vec3d& p, double h) {
        if (out.count < most) out.index[out.count] = i;
        ++out.count;
        if (h < lowest) lowest = h, deepest = i, origin = p;
    });
    if (out.count < SupportPoints::kMost) return out;  // at most four

    const auto across2 = [&](const Vec3d& d) {
        const double along = dot(n, d);
        return dot(d, d) - along * along;
    };
    double diameter2 = 0;
    each([&](std::size_t, const Vec3d& p, double) { diameter2 = std::max(diameter2, across2(p - origin)); });
    out.count = 1;
    if (!(diameter2 > 0)) return out.index[0] = deepest, out;
    const double diameter = std::sqrt(diameter2), least = 1e-6 * diameter;

    // Of points at rest rounding says which is deepest. Of those that are level it is one at a corner, always the same.
    const double level = lowest + kLevel * diameter;
    bool         known = false;
    Vec3d        some;
    Best         corner;
    each([&](std::size_t i, const Vec3d& p, double h) {
        if (h > level) return;
        if (!known) known = true, some = p;
        if (corner.see(across2(p - some), i, {0, 0, h})) origin = p;
    });
    out.index[0] = corner.index;
    lowest       = corner.corner.height;

    // The edge: no point lies lower as seen from the deepest one.
    double slope2 = kInfinity;
    each([&](std::size_t, const Vec3d& p, double h) {
        const double r2 = across2(p - origin), up = std::max(0.0, h - lowest);
        if (r2 > least * least && up * up < slope2 * r2) slope2 = up * up / r2;
    });
    const double slope = std::sqrt(slope2);
    Best         far;
    Vec3d        edge;
    each([&](std::size_t i, const Vec3d& p, double h) {
        const double r2 = across2(p - origin);
        if (!(r2 > least * least)) return;
        const double r = std::sqrt(r2);
        if (far.see(worth(r, h - lowest - slope * r), i, {0, 0, h})) edge = p - origin;
    });
    out.index[out.count++] = far.index;
    const double length_   = std::sqrt(across2(edge));
    const Vec3d  u = (1 / length_) * (edge - dot(n, edge) * n), v = cross(n, u);
    const double along     = (far.corner.height - lowest) / length_;
    const auto   corner_of = [&](const Vec3d& p, double h) { return Corner{dot(u, p - origin), dot(v, p - origin), h}; };

    // On each side of it the point that a turn about the edge brings down first.
    std::array<double, 2> turn{kInfinity, kInfinity};
    const auto            lift = [&](const Corner& c) { return std::max(0.0, c.height - lowest - along * c.x); };
    each([&](std::size_t, const Vec3d& p, double h) {
        const Corner      c    = corner_of(p, h);
        const double      off  = std::abs(c.y);
        const std::size_t side = c.y > 0 ? 0 : 1;
        if (off > least && lift(c) < turn[side] * off) turn[side] = lift(c) / off;
    });
    std::array<Best, 2> beside;
    each([&](std::size_t i, const Vec3d& p, double h) {
        const Corner      c    = corner_of(p, h);
        const double      off  = std::abs(c.y);
        const std::size_t side = c.y > 0 ? 0 : 1;
        if (off > least) beside[side].see(worth(off, lift(c) - turn[side] * off), i, c);
    });

    // The polygon of those chosen, to the left about the normal, each edge with the facet that it bounds.
    struct Side {
        Corner from;
        Facet  facet;
    };
    std::array<Side, SupportPoints::kMost> polygon;
    std::size_t                            corners = 0;
    std::array<Facet, 2>                   facets;
    double                                 area = 0;  // twice it
    for (std::size_t s = 0; s < 2; ++s) beside[s].any = beside[s].any && turn[s] <= turn[1 - s] + kSoon;
    for (std::size_t s = 0; s < 2; ++s) {
        if (!beside[s].any) continue;
        out.index[out.count++] = beside[s].index;
        const Corner& c        = beside[s].corner;
        facets[s]              = {along, (c.height - lowest - along * c.x) / c.y};
        area += length_ * std::abs(c.y);
    }
    if (!beside[0].any && !beside[1].any) return out;
    const Corner first{0, 0, lowest}, second{length_, 0, far.corner.height};
    const std::size_t only = beside[0].any ? 0 : 1;
    polygon[corners++]     = {first, facets[beside[1].any ? 1 : only]};
    if (beside[1].any) polygon[corners++] = {beside[1].corner, facets[1]};
    polygon[corners++] = {second, facets[only]};
    if (beside[0].any) polygon[corners++] = {beside[0].corner, facets[0]};

    // More of the same facets: what adds most to their area. The fifth only of what lies flat, and if it adds more than
    // a tenth; the fourth may also be what a turn about a side brings down first.
    while (corners < most) {
        Best        flat, next;
        std::size_t at = 0, at_next = 0;
        each([&](std::size_t i, const Vec3d& p, double h) {
            const Corner c = corner_of(p, h);
            if (corners > 3 && h - lowest > kLies * diameter) return;
            for (std::size_t k = 0; k < corners; ++k) {
                const Corner &a = polygon[k].from, &b = polygon[k + 1 < corners ? k + 1 : 0].from;
                const double  ex = b.x - a.x, ey = b.y - a.y, size = std::sqrt(ex * ex + ey * ey);
                const double  beyond = ey * (c.x - a.x) - ex * (c.y - a.y);  // twice the area added
                if (!(beyond > least * size)) continue;
                const double up       = std::max(0.0, polygon[k].facet.above(c, lowest)),
                             added    = worth(beyond, up * size);
                const bool   on_facet = added > 0;
                if ((on_facet ? flat : next).see(on_facet ? added : -up * size / beyond, i, c))
                    (on_facet ? at : at_next) = k;
            }
        });
        const bool  adds = flat.any && flat.score > (corners == 3 ? 0 : 0.1 * area);
        const Best& best = adds ? flat : next;
        if (!best.any || (!adds && corners > 3)) break;
        if (!adds) at = at_next;
        area += adds ? best.score : 0;
        out.index[out.count++] = best.index;
        std::copy_backward(polygon.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                           polygon.begin() + static_cast<std::ptrdiff_t>(corners),
                           polygon.begin() + static_cast<std::ptrdiff_t>(corners) + 1);
        polygon[at + 1] = {best.corner, polygon[at].facet};
        ++corners;
    }
    return out;
}

}  // namespace mechane::collision
