#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "mechane/collision/narrow.h"
#include "unseen.h"

/// Where two shapes touch in a segment or over an area, their contacts span it. The patch is found without the code: as
/// the overlap of what each of the two has farthest along the normal.
using namespace mechane;
using namespace mechane::test;

namespace {

struct Flat {
    double x = 0, y = 0;
};
double cross(const Flat& o, const Flat& a, const Flat& b)
{ return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); }

/// Corners of the convex outline to the left; a point or the two ends of a segment where it has no area.
std::vector<Flat> outline(std::vector<Flat> p, double eps)
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
double area(const std::vector<Flat>& p)
{
    double twice = 0;
    for (std::size_t i = 0; i < p.size(); ++i) twice += cross({}, p[i], p[(i + 1) % p.size()]);
    return 0.5 * twice;
}
double longest(const std::vector<Flat>& p)
{
    double most = 0;
    for (const Flat& a : p)
        for (const Flat& b : p) most = std::max(most, std::hypot(a.x - b.x, a.y - b.y));
    return most;
}

/// Points of the shape's surface within `eps` of the farthest along n, enough of them to span all such.
std::vector<Vec3d> farthest_points(const Shape& s, const Vec3d& n, double eps)
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

std::string fmt_kinds(ShapeKind a, ShapeKind b)
{
    const auto name = [](ShapeKind k) -> std::string {
        switch (k) {
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
            case ShapeKind::cone:
                return "cone";
            case ShapeKind::hull:
                return "hull";
            case ShapeKind::plane:
            case ShapeKind::rectangle:
            case ShapeKind::mesh:
            case ShapeKind::triangle:
                break;
        }
        return "other";
    };
    return name(a) + " " + name(b);
}

/// What of a polygon, segment or point lies inside of a polygon.
std::vector<Flat> clipped(std::vector<Flat> p, const std::vector<Flat>& by, double eps)
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
std::vector<Flat> overlap(const std::vector<Flat>& a, const std::vector<Flat>& b, double eps)
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

}  // namespace

TEST_CASE(
    "where two shapes touch along a segment their contacts are its two ends, where over an area they span it, and no "
    "third point stands on a segment (COL-095, COL-096)")
{
    const int                  count = poses(20, 400);
    std::map<std::string, int> bad, seen;
    std::string                told;
    for_pairs([&](ShapeKind first, ShapeKind second) {
        for (int i = 0; i < count; ++i) {
            Random r(static_cast<std::uint64_t>(i) * 7919 + static_cast<std::uint64_t>(first) * 131 +
                     static_cast<std::uint64_t>(second));
            Encounter e;
            unseen_encounter(r, first, second, e);
            if (length(e.a.p) > 100 * e.size) continue;  // far off, rounding tells what is flat
            const Manifold m = contacts(e.a, e.b, e.reach);
            if (m.count == 0) continue;
            const ContactPoint& deepest = deepest_point(m);
            const Vec3d         n = deepest.normal, u = normalized(any_perpendicular(n));
            const Across        across{u, mechane::cross(n, u), deepest.p0};
            const double        fine = 1e-9 * e.size, coarse = 3e-5 * e.size;
            // Nearly aligned features are one thing or another: only what is clear is judged.
            const auto patch = [&](double eps) {
                std::vector<Flat> of[2];
                for (int k = 0; k < 2; ++k) {
                    std::vector<Flat> p;
                    for (const Vec3d& x : farthest_points(k == 0 ? e.a : e.b, k == 0 ? n : -n, eps)) p.push_back(across(x));
                    of[k] = outline(std::move(p), eps);
                }
                return outline(overlap(of[0], of[1], 1e-9 * e.size), 1e-9 * e.size);
            };
            const std::vector<Flat> small = patch(fine), large = patch(coarse);
            const double extent = longest(small);
            if (small.empty() || std::abs(extent - longest(large)) > 1e-3 * e.size ||
                std::abs(area(small) - area(large)) > 1e-3 * e.size * e.size)
                continue;
            std::vector<Flat> at;
            for (int k = 0; k < m.count; ++k) {
                const ContactPoint& p = m.points[static_cast<std::size_t>(k)];
                if (p.distance <= deepest.distance + coarse && dot(p.normal, n) > 1 - 1e-9) at.push_back(across(p.p0));
            }
            const double width = extent > 0 ? area(small) / extent : 0;
            const char*  what  = extent < 1e-3 * e.size ? "point" : width < 1e-9 * e.size ? "segment"
                                 : width > 1e-3 * e.size                                  ? "area"
                                                                                          : nullptr;
            if (!what) continue;
            const std::string name = fmt_kinds(first, second) + " " + what;
            ++seen[what];
            bool fine_ = true;
            if (std::string(what) == "segment") fine_ = at.size() == 2 && longest(at) >= 0.99 * extent;
            if (std::string(what) == "area") fine_ = at.size() >= 3 && area(outline(at, 1e-9 * e.size)) >= 0.55 * area(small);
            if (fine_) continue;
            ++bad[name];
            told += fmt::format("{} pose {}: {} contacts of {} at depth {:.3g} span {:.3g} of {:.3g}\n", name, i, at.size(),
                                m.count, deepest.distance / e.size, longest(at) / e.size, extent / e.size);
        }
    });
    int total = 0, judged = 0;
    for (const auto& [name, n] : bad) total += n;
    for (const auto& [what, n] : seen) judged += n;
    CAPTURE(judged);
    if (count >= 200) CHECK(seen["segment"] > count / 20);
    if (count >= 200) CHECK(seen["area"] > count / 20);
    // Known misses, 6 of 2,630: the end of a capsule's axis or of a cone's edge on the very border of a face, where one
    // contact stands for the segment or the two ends are cut short. One in four hundred at most.
    CAPTURE(told);
    CHECK(total * 400 <= judged);
}
