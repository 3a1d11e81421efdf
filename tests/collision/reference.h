#pragma once
#include <algorithm>
#include <cstdlib>

#include "shapes.h"

/// References that share nothing with the code: support values and membership in closed form, and searches over
/// directions. A separating direction bounds a distance from below, two points of the shapes bound it from above; where
/// the two bounds meet the distance is proven.
namespace mechane::test {

inline constexpr ShapeKind kConvex[] = {ShapeKind::sphere,   ShapeKind::capsule, ShapeKind::ellipsoid,
                                        ShapeKind::cylinder, ShapeKind::box,     ShapeKind::cone,
                                        ShapeKind::hull};

inline std::string kind_name(ShapeKind kind)
{
    switch (kind) {
        case ShapeKind::plane:
            return "plane";
        case ShapeKind::rectangle:
            return "rectangle";
        case ShapeKind::sphere:
            return "sphere";
        case ShapeKind::capsule:
            return "capsule";
        case ShapeKind::ellipsoid:
            return "ellipsoid";
        case ShapeKind::cylinder:
            return "cylinder";
        case ShapeKind::box:
            return "box";
        case ShapeKind::mesh:
            return "mesh";
        case ShapeKind::cone:
            return "cone";
        case ShapeKind::hull:
            return "hull";
        case ShapeKind::triangle:
            return "triangle";
    }
    return "unknown";
}

/// @param fast   where assertions are on
/// @param share  of the full number where one pose costs as much as `share` others
inline int poses(int fast, int share)
{
#ifdef MECHANE_ASSERTS
    const bool full = false;
#else
    const bool full = true;
#endif
    const char* text = std::getenv("MECHANE_TEST_POSES");
    if (!text && !full) return fast;
    return std::max(1, (text ? std::atoi(text) : 100'000) / share);
}

template <class Visit>
void for_pairs(Visit&& visit)
{
    for (std::size_t i = 0; i < std::size(kConvex); ++i)
        for (std::size_t k = i; k < std::size(kConvex); ++k) visit(kConvex[i], kConvex[k]);
}

/// Largest extent along a unit direction of the shape's frame, measured from its origin [m].
inline double extent_along(const Shape& s, const Vec3d& u)
{
    const double lateral = std::hypot(u.x, u.y);
    switch (s.kind) {
        case ShapeKind::sphere:
            return s.size.x;
        case ShapeKind::capsule:
            return s.size.x + s.size.y * std::abs(u.z);
        case ShapeKind::ellipsoid:
            return length(scale(s.size, u));
        case ShapeKind::cylinder:
            return s.size.x * lateral + s.size.y * std::abs(u.z);
        case ShapeKind::box:
            return dot(s.size, abs(u));
        case ShapeKind::cone:
            return std::max(s.size.y * u.z, s.size.x * lateral - s.size.y * u.z);
        case ShapeKind::hull: {
            double most = -kInfinity;
            for (const Vec3d& v : s.hull->vertices) most = std::max(most, dot(v, u));
            return most;
        }
        case ShapeKind::plane:
        case ShapeKind::rectangle:
        case ShapeKind::mesh:
        case ShapeKind::triangle:
            break;
    }
    return 0;
}
/// Room between the shapes along the unit direction n from a to b [m]: never more than their signed distance.
inline double room(const Shape& a, const Shape& b, const Vec3d& n)
{ return dot(n, b.p - a.p) - extent_along(a, transpose_times(a.R, n)) - extent_along(b, -transpose_times(b.R, n)); }
/// How far a point lies outside of the solid, at most [m]; negative inside.
inline double outside(const Shape& s, const Vec3d& p_W)
{
    const Vec3d  p       = transpose_times(s.R, p_W - s.p);
    const double lateral = std::hypot(p.x, p.y), r = s.size.x, h = s.size.y;
    switch (s.kind) {
        case ShapeKind::sphere:
            return length(p) - r;
        case ShapeKind::capsule:
            return length(Vec3d{p.x, p.y, p.z - std::clamp(p.z, -h, h)}) - r;
        case ShapeKind::ellipsoid:  // the shell scaled by k holds the surface point at a distance below (k - 1) |p|
            return (length(Vec3d{p.x / s.size.x, p.y / s.size.y, p.z / s.size.z}) - 1) * length(p);
        case ShapeKind::cylinder:
            return std::max(lateral - r, std::abs(p.z) - h);
        case ShapeKind::box:
            return max_component(abs(p) - s.size);
        case ShapeKind::cone:  // below the lateral surface, above the base
            return std::max((2 * h * lateral + r * p.z - r * h) / std::hypot(2 * h, r), -h - p.z);
        case ShapeKind::hull: {
            double most = -kInfinity;
            for (std::size_t f = 0; f < s.hull->face_normals.size(); ++f) {
                const auto v = s.hull->face_vertices[static_cast<std::size_t>(s.hull->face_start[f])];
                most = std::max(most, dot(s.hull->face_normals[f], p - s.hull->vertices[static_cast<std::size_t>(v)]));
            }
            return most;
        }
        case ShapeKind::plane:
        case ShapeKind::rectangle:
        case ShapeKind::mesh:
        case ShapeKind::triangle:
            break;
    }
    return 0;
}
/// The most room over all directions, by a coarse net and a narrowing search about its best few. The search may fall
/// short on a ridge; `thorough` takes 20 times as long and does not.
inline double most_room(const Shape& a, const Shape& b, bool thorough = false)
{
    struct Start {
        double room;
        Vec3d  n;
    };
    std::array<Start, 3> best;
    best.fill({-kInfinity, {}});
    const int net = thorough ? 1000 : 250;
    for (int i = 0; i < net; ++i) {  // a spiral of nearly equal spacing
        const double z = 1 - (2 * i + 1.0) / net, lateral = std::sqrt(1 - z * z), t = 2.399963229728653 * i;
        const Vec3d  n{lateral * std::cos(t), lateral * std::sin(t), z};
        const double x = room(a, b, n);
        if (x <= best.back().room) continue;
        best.back() = {x, n};
        std::sort(best.begin(), best.end(), [](const Start& x_, const Start& y) { return x_.room > y.room; });
    }
    Random r(1);
    double most = -kInfinity;
    for (Start& s : best) {
        const double least = thorough ? 1e-8 : 1e-5, shrink = thorough ? 0.8 : 0.6;
        for (double width = 0.1; width > least; width *= shrink)  // the error is of second order in the width
            for (int i = 0; i < (thorough ? 20 : 6); ++i) {
                const Vec3d  n = normalized(s.n + width * r.direction(), s.n);
                const double x = room(a, b, n);
                if (x > s.room) s = {x, n};
            }
        most = std::max(most, s.room);
    }
    return most;
}
/// The most room over every axis that can separate two polyhedra: face normals and products of edges.
inline double most_room_of_axes(const Shape& a, const Shape& b)
{
    const auto axes = [](const Shape& s) {
        std::pair<std::vector<Vec3d>, std::vector<Vec3d>> out;  // normals, edges
        if (s.kind == ShapeKind::box) {
            for (std::size_t i = 0; i < 3; ++i) out.first.push_back(s.R.column(i)), out.second.push_back(s.R.column(i));
            return out;
        }
        const collision::HullShape& h = *s.hull;
        for (const Vec3d& n : h.face_normals) out.first.push_back(s.R * n);
        for (std::size_t v = 0; v < h.vertices.size(); ++v)
            for (auto i = static_cast<std::size_t>(h.neighbour_start[v]);
                 i < static_cast<std::size_t>(h.neighbour_start[v + 1]); ++i)
                if (const auto w = static_cast<std::size_t>(h.neighbours[i]); w > v)
                    out.second.push_back(s.R * (h.vertices[w] - h.vertices[v]));
        return out;
    };
    const auto [na, ea] = axes(a);
    const auto [nb, eb] = axes(b);
    double     most     = -kInfinity;
    const auto offer    = [&](const Vec3d& n) {
        const double l = length(n);
        if (l > 1e-9) most = std::max({most, room(a, b, n / l), room(a, b, -n / l)});
    };
    for (const Vec3d& n : na) offer(n);
    for (const Vec3d& n : nb) offer(n);
    for (const Vec3d& x : ea)
        for (const Vec3d& y : eb) offer(cross(x, y));
    return most;
}

inline const ContactPoint& deepest_point(const Manifold& m)
{
    return *std::min_element(m.points.begin(), m.points.begin() + m.count,
                             [](const ContactPoint& x, const ContactPoint& y) { return x.distance < y.distance; });
}
inline bool is_polyhedron(const Shape& s) { return s.kind == ShapeKind::box || s.kind == ShapeKind::hull; }

}  // namespace mechane::test
