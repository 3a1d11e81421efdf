#pragma once
#include <cmath>
#include <cstdint>

#include "mechane/collision/shape.h"

/// Support points in the frame of a shape: what GJK and the expanding polytope ask most.
namespace mechane::collision {

inline constexpr std::size_t kFewVectors = 8,   ///< up to so many vectors fill whole lanes
    kLaneBlock                           = 16;  ///< more of them fill blocks of so many

/// Hulls of which planes are asked before any iteration (by_planes.h).
inline constexpr std::size_t kSmallHullPoints = 8, kSmallHullFaces = 12;

/// The vector farthest along d, the first among equals; -1 where there is none.
std::int32_t farthest_of_many(const LaneVectors& vectors, const Vec3d& d);

/// The same; of a few they are found here, for which a call would take longer than the looking.
[[gnu::always_inline]] inline std::int32_t farthest(const LaneVectors& vectors, const Vec3d& d)
{
    const std::size_t n = vectors.x.size();
    if (n == 0 || n > kFewVectors) return farthest_of_many(vectors, d);
    const double *x = vectors.x.data(), *y = vectors.y.data(), *z = vectors.z.data();
    const auto    along  = [&](std::size_t i)
                               __attribute__((always_inline)) { return x[i] * d.x + y[i] * d.y + z[i] * d.z; };
    const auto    search = [&](std::size_t first, double& best) __attribute__((always_inline)) {
        std::size_t at = first;
        best           = along(first);
        for (std::size_t i = first + 1; i < first + 4; ++i) {
            const double here = along(i);
            at                = here > best ? i : at;
            best              = here > best ? here : best;
        }
        return static_cast<std::int32_t>(at);
    };
    double             best = 0, other = 0;
    const std::int32_t at = search(0, best);
    if (n <= 4) return at;
    const std::int32_t other_at = search(4, other);
    return other > best ? other_at : at;
}

inline double sign_of(double x) { return x < 0 ? -1.0 : 1.0; }

/// The sign of a component, where rounding noise must not choose another corner than the exact zero would.
inline double steady_sign(double x, double largest) { return x >= -1e-10 * largest ? 1.0 : -1.0; }

inline Vec3d farthest_on_circle(const Vec3d& d, double radius)
{
    const double n = std::sqrt(d.x * d.x + d.y * d.y), k = radius / n;
    return n > 1e-150 ? Vec3d{k * d.x, k * d.y, 0} : Vec3d{radius, 0, 0};
}

/// Where the farthest corner of a hull is looked for: in a function of its own, or on the spot, which is faster for few
/// corners but too much code for large functions.
enum class Corners { called, on_the_spot };

/// The point of the core farthest along d, both in the frame of the shape (of a triangle: of the pair).
template <Corners kCorners = Corners::called>
[[gnu::always_inline]] inline Vec3d core_support(const Shape& shape, const Vec3d& d)
{
    const Vec3d& s = shape.size;
    switch (shape.kind) {
        case ShapeKind::plane:
        case ShapeKind::sphere:
        case ShapeKind::mesh:
            return {};
        case ShapeKind::capsule:
            return {0, 0, sign_of(d.z) * s.y};
        case ShapeKind::rectangle: {
            const double m = max_component(abs(d));
            return {steady_sign(d.x, m) * s.x, steady_sign(d.y, m) * s.y, 0};
        }
        case ShapeKind::ellipsoid: {
            const Vec3d  e = scale(s, d);
            const double n = length(e);
            return n > 1e-150 ? (1 / n) * scale(s, e) : Vec3d{s.x, 0, 0};
        }
        case ShapeKind::cylinder: {
            Vec3d r = farthest_on_circle(d, s.x);
            r.z     = d.z == 0 ? 0 : sign_of(d.z) * s.y;
            return r;
        }
        case ShapeKind::box: {
            const double m = max_component(abs(d));
            return {steady_sign(d.x, m) * s.x, steady_sign(d.y, m) * s.y, steady_sign(d.z, m) * s.z};
        }
        case ShapeKind::cone: {
            const double lateral = std::sqrt(d.x * d.x + d.y * d.y);
            if (2 * s.y * d.z >= s.x * lateral) return {0, 0, s.y};
            Vec3d r = farthest_on_circle(d, s.x);
            r.z     = -s.y;
            return r;
        }
        case ShapeKind::hull: {
            const LaneVectors& corners = shape.hull->vertex_lanes;
            const std::int32_t i =
                kCorners == Corners::on_the_spot ? farthest(corners, d) : farthest_of_many(corners, d);
            return i >= 0 ? shape.hull->vertices[static_cast<std::size_t>(i)] : Vec3d{};
        }
        case ShapeKind::triangle: {
            const auto&  c = shape.corners;
            const double x = dot(c[0], d), y = dot(c[1], d), z = dot(c[2], d);
            const Vec3d& top = x >= y && x >= z ? c[0] : y >= z ? c[1] : c[2];
            return dot(shape.extrusion, d) > 0 ? top + shape.extrusion : top;
        }
    }
    return {};
}

}  // namespace mechane::collision
