#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "reference.h"

/// The segment or the area over which two shapes touch, found without the code: as the overlap of what each of the two
/// has farthest along the normal.
namespace mechane::test {

struct Flat {
    double x = 0, y = 0;
};
inline double cross(const Flat& o, const Flat& a, const Flat& b)
{ return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); }

/// Corners of the convex outline to the left; a point or the two ends of a segment where it has no area.
inline std::vector<Flat> outline(std::vector<Flat> p, double eps)
{
    std::sort(p.begin(), p.end(), [](const Flat& a, const Flat& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    std::vector<Flat> out;
    for (int pass = 0; pass < 2; ++pass) {
        const std::size_t from = out.size();
        for (const Flat& q : p) {
            while (out.size() >= from + 2) {
                const Flat&  a   = out[out.size() - 2];
                const double len = std::hypot(q.x - a.x, q.y - a.y);
                if (cross(a, out.back(), q) > eps * len) break;
                out.pop_back();
            }
            if (out.empty() || std::hypot(q.x - out.back().x, q.y - out.back().y) > eps) out.push_back(q);
        }
        if (out.size() > 1) out.pop_back();
        std::reverse(p.begin(), p.end());
    }
    return out;
}
inline double area(const std::vector<Flat>& p)
{
    double twice = 0;
    for (std::size_t i = 0; i < p.size(); ++i) twice += cross({}, p[i], p[(i + 1) % p.size()]);
    return 0.5 * twice;
}
inline double longest(const std::vector<Flat>& p)
{
    double most = 0;
    for (const Flat& a : p)
        for (const Flat& b : p) most = std::max(most, std::hypot(a.x - b.x, a.y - b.y));
    return most;
}

/// Points of the shape's surface within `eps` of the farthest along n, enough of them to span all such.
inline std::vector<Vec3d> farthest_points(const Shape& s, const Vec3d& n, double eps)
{
    std::vector<Vec3d> all;
    const Vec3d        d = transpose_times(s.R, n);
    const auto         rim = [&](double z) {
        for (int i = 0; i < 96; ++i) {
            const double t = 2 * kPi * i / 96;
            all.push_back({s.size.x * std::cos(t), s.size.x * std::sin(t), z});
        }
        const double l = std::hypot(d.x, d.y);
        if (l > 0) all.push_back({s.size.x * d.x / l, s.size.x * d.y / l, z});
    };
    switch (s.kind) {
        case ShapeKind::sphere:
            all.push_back(s.size.x * d);
            break;
        case ShapeKind::capsule:
            for (const double z : {-s.size.y, s.size.y}) all.push_back(Vec3d{0, 0, z} + s.size.x * d);
            break;
        case ShapeKind::ellipsoid: {
            const Vec3d m = scale(s.size, d);
            all.push_back(length(m) > 0 ? scale(s.size, m) / length(m) : Vec3d{});
            break;
        }
        case ShapeKind::cylinder:
            rim(-s.size.y), rim(s.size.y);
            break;
        case ShapeKind::cone:
            rim(-s.size.y), all.push_back({0, 0, s.size.y});
            break;
        case ShapeKind::box:
            for (int i = 0; i < 8; ++i)
                all.push_back(scale(s.size, Vec3d{i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0}));
            break;
        case ShapeKind::hull:
            all = s.hull->vertices;
            break;
        case ShapeKind::plane:
        case ShapeKind::rectangle:
        case ShapeKind::mesh:
        case ShapeKind::triangle:
            break;
    }
    double most = -kInfinity;
    for (const Vec3d& p : all) most = std::max(most, dot(p, d));
    std::vector<Vec3d> out;
    for (const Vec3d& p : all)
        if (dot(p, d) >= most - eps) out.push_back(s.p + s.R * p);
    return out;
}

struct Across {
    Vec3d              u, v, origin;
    [[nodiscard]] Flat operator()(const Vec3d& p) const { return {dot(u, p - origin), dot(v, p - origin)}; }
};

/// What of a polygon, segment or point lies inside of a polygon.
inline std::vector<Flat> clipped(std::vector<Flat> p, const std::vector<Flat>& by, double eps)
{
    for (std::size_t k = 0; k < by.size() && !p.empty(); ++k) {
        const Flat &      a = by[k], &b = by[(k + 1) % by.size()];
        const double      len = std::hypot(b.x - a.x, b.y - a.y);
        const auto        h   = [&](const Flat& q) { return cross(a, b, q) / len + eps; };
        std::vector<Flat> out;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Flat & q = p[i], &r = p[(i + 1) % p.size()];
            const double x = h(q), y = h(r);
            if (x >= 0) out.push_back(q);
            if ((x >= 0) == (y >= 0) || p.size() == 1) continue;
            out.push_back({q.x + x / (x - y) * (r.x - q.x), q.y + x / (x - y) * (r.y - q.y)});
        }
        p = std::move(out);
    }
    return p;
}

/// The overlap of two segments on one line, of a segment and a polygon, or of two polygons.
inline std::vector<Flat> overlap(const std::vector<Flat>& a, const std::vector<Flat>& b, double eps)
{
    if (a.size() >= 3) return clipped(b, a, eps);
    if (b.size() >= 3) return clipped(a, b, eps);
    if (a.size() < 2 || b.size() < 2) return a.size() < 2 ? a : b;
    const double len = std::hypot(a[1].x - a[0].x, a[1].y - a[0].y);
    if (std::abs(cross(a[0], a[1], b[0])) > eps * len || std::abs(cross(a[0], a[1], b[1])) > eps * len) return {a[0]};
    const auto along = [&](const Flat& p) {
        return ((p.x - a[0].x) * (a[1].x - a[0].x) + (p.y - a[0].y) * (a[1].y - a[0].y)) / len;
    };
    const double from = std::max(0.0, std::min(along(b[0]), along(b[1]))),
                 to   = std::min(len, std::max(along(b[0]), along(b[1])));
    const auto at     = [&](double t) {
        return Flat{a[0].x + t / len * (a[1].x - a[0].x), a[0].y + t / len * (a[1].y - a[0].y)};
    };
    return {at(from), at(std::max(from, to))};
}

/// What two convex shapes have in common where they touch with the normal n.
struct Shared {
    enum class Form { point, segment, area };
    Form              form = Form::point;
    std::vector<Flat> outline;
    double            extent = 0;  ///< the longest way across it [m]
};

/// Nothing where it is not clear: nearly aligned features are one thing or another.
/// @param size  of the larger shape [m]
inline std::optional<Shared> shared_patch(const Shape& a, const Shape& b, const Vec3d& n, const Across& across,
                                          double size)
{
    const auto patch = [&](double eps) {
        std::vector<Flat> of[2];
        for (int k = 0; k < 2; ++k) {
            std::vector<Flat> p;
            for (const Vec3d& x : farthest_points(k == 0 ? a : b, k == 0 ? n : -n, eps)) p.push_back(across(x));
            of[k] = outline(std::move(p), eps);
        }
        return outline(overlap(of[0], of[1], 1e-9 * size), 1e-9 * size);
    };
    const std::vector<Flat> small = patch(1e-9 * size), large = patch(3e-5 * size);
    const double            extent = longest(small);
    if (small.empty() || std::abs(extent - longest(large)) > 1e-3 * size ||
        std::abs(area(small) - area(large)) > 1e-3 * size * size)
        return std::nullopt;
    const double width = extent > 0 ? area(small) / extent : 0;
    if (extent < 1e-3 * size) return Shared{Shared::Form::point, small, extent};
    if (width < 1e-9 * size) return Shared{Shared::Form::segment, small, extent};
    if (width > 1e-3 * size) return Shared{Shared::Form::area, small, extent};
    return std::nullopt;
}

/// Whether the contacts at the deepest level hold it: of a segment its two ends and nothing between, of an area enough
/// points to span it.
inline bool holds(const Manifold& m, const ContactPoint& deepest, const Shared& patch, const Across& across, double size,
                  std::vector<Flat>& at)
{
    at.clear();
    for (int k = 0; k < m.count; ++k) {
        const ContactPoint& p = m.points[static_cast<std::size_t>(k)];
        if (p.distance <= deepest.distance + 3e-5 * size && dot(p.normal, deepest.normal) > 1 - 1e-9)
            at.push_back(across(p.p0));
    }
    switch (patch.form) {
        case Shared::Form::point:
            return true;
        case Shared::Form::segment:
            return at.size() == 2 && longest(at) >= 0.99 * patch.extent;
        case Shared::Form::area:
            // Five points hold 0.63 of a disc, and a disc is clipped as a polygon of twelve corners.
            return at.size() >= 3 && area(outline(at, 1e-9 * size)) >= 0.55 * area(patch.outline);
    }
    return false;
}

}  // namespace mechane::test
