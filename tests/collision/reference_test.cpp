#include <algorithm>
#include <cstdlib>

#include "mechane/geometry/hull.h"
#include "shapes.h"

/// Contacts against references that share nothing with the code: support values and membership in closed form. A
/// separating direction bounds the distance from below, two points of the shapes bound it from above; where the two
/// bounds meet the distance is proven. A depth is compared with all separating axes (polyhedra) or with a search over
/// directions. An optimised build tries 100,000 poses of each pair, one with assertions as many as it can in seconds;
/// MECHANE_TEST_POSES overrules both.
using namespace mechane;
using namespace mechane::test;

namespace {

/// @param fast   where assertions are on
/// @param share  of the full number where one pose costs as much as `share` others
int poses(int fast, int share)
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

constexpr ShapeKind kConvex[] = {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::ellipsoid, ShapeKind::cylinder,
                                 ShapeKind::box,    ShapeKind::cone,    ShapeKind::hull};

/// Ten vertices at most; the same on every machine.
const geometry::Mesh& stone_mesh()
{
    static const geometry::Mesh mesh = [] {
        Random             r(11);
        std::vector<Vec3d> points;
        for (int i = 0; i < 10; ++i) points.push_back(scale(Vec3d{0.5, 0.4, 0.3}, r.direction()));
        auto made = geometry::build_hull(points);
        REQUIRE(made.has_value());
        return *std::move(made);
    }();
    return mesh;
}
const collision::HullShape& stone()
{
    static const collision::HullShape hull = collision::make_hull_shape(stone_mesh(), {1, 1, 1});
    return hull;
}

/// Largest extent along a unit direction of the shape's frame, measured from its origin [m].
double extent_along(const Shape& s, const Vec3d& u)
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
double room(const Shape& a, const Shape& b, const Vec3d& n)
{ return dot(n, b.p - a.p) - extent_along(a, transpose_times(a.R, n)) - extent_along(b, -transpose_times(b.R, n)); }
/// How far a point lies outside of the solid, at most [m]; negative inside.
double outside(const Shape& s, const Vec3d& p_W)
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
double most_room(const Shape& a, const Shape& b, bool thorough = false)
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
double most_room_of_axes(const Shape& a, const Shape& b)
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

Shape random_shape(Random& r, ShapeKind kind, double spread)
{
    Shape s = shape(kind, {r.uniform(0.1, 0.6), r.uniform(0.1, 0.6), r.uniform(0.1, 0.6)}, r.vec(spread), r.rotation());
    if (kind == ShapeKind::hull) s.hull = &stone();
    return s;
}
const ContactPoint& deepest_point(const Manifold& m)
{
    return *std::min_element(m.points.begin(), m.points.begin() + m.count,
                             [](const ContactPoint& x, const ContactPoint& y) { return x.distance < y.distance; });
}
bool is_polyhedron(const Shape& s) { return s.kind == ShapeKind::box || s.kind == ShapeKind::hull; }
bool is_round(const Shape& s)
{ return s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule || s.kind == ShapeKind::ellipsoid; }

/// Pairs of the primitive routines.
bool has_closed_form(ShapeKind a, ShapeKind b)
{
    if (a == ShapeKind::sphere)
        return b == ShapeKind::sphere || b == ShapeKind::capsule || b == ShapeKind::cylinder || b == ShapeKind::box;
    return a == ShapeKind::capsule && (b == ShapeKind::capsule || b == ShapeKind::box);
}

template <class Visit>
void for_pairs(Visit&& visit)
{
    for (std::size_t i = 0; i < std::size(kConvex); ++i)
        for (std::size_t k = i; k < std::size(kConvex); ++k) visit(kConvex[i], kConvex[k]);
}

}  // namespace

TEST_CASE(
    "the distance of convex pairs apart lies between a separating direction and two points of the shapes (COL-019, "
    "COL-020, COL-092)")
{
    constexpr double kReach = 0.3;
    const int        count  = poses(300, 1);
    for_pairs([&](ShapeKind first, ShapeKind second) {
        int    apart = 0, worst_pose = -1, missed = 0, spurious = 0;
        double worst_low = 0, worst_high = 0;
        for (int i = 0; i < count; ++i) {
            Random         r(static_cast<std::uint64_t>(i) + 1);
            const Shape    a = random_shape(r, first, 0.6), b = random_shape(r, second, 0.6);
            const Manifold m = contacts(a, b, kReach);
            if (m.count == 0) {  // then some direction has more room than the reach: a proof that nothing was missed
                const double bound = kReach - 1e-5;
                if (i < std::max(300, count / 20) && most_room(a, b) < bound && most_room(a, b, true) < bound) ++missed;
                continue;
            }
            const ContactPoint& p = deepest_point(m);
            if (p.distance > kReach + 1e-9) ++spurious;
            if (p.distance <= 0) continue;
            ++apart;
            const double low = std::abs(room(a, b, p.normal) - p.distance);
            const double high =
                std::max({outside(a, p.p0), outside(b, p.p1), std::abs(length(p.p1 - p.p0) - p.distance)});
            if (std::max(low, high) > std::max(worst_low, worst_high)) worst_pose = i;
            worst_low = std::max(worst_low, low), worst_high = std::max(worst_high, high);
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(worst_pose);
        const bool closed = has_closed_form(first, second);
        CHECK(missed == 0);
        CHECK(spurious == 0);
        CHECK(apart > count / 50);
        // Where the pair has a closed form, class P; an angle of 1e-5 rad costs 5e-11 of room. Elsewhere class F, which
        // is half of S.
        CHECK(worst_low < (closed ? 1e-10 : 1e-5));
        CHECK(worst_high < (closed ? 2e-6 : 1e-4));  // how far the witness points stand off their surfaces
    });
}

TEST_CASE("the depth of two polyhedra is the least over all their separating axes (COL-090)")
{
    const int count = poses(400, 1);
    for (const auto& [first, second] :
         {std::pair{ShapeKind::box, ShapeKind::box}, std::pair{ShapeKind::box, ShapeKind::hull},
          std::pair{ShapeKind::hull, ShapeKind::hull}}) {
        double worst = 0, worst_normal = 0;
        int    at = -1, deep = 0;
        for (int i = 0; i < count; ++i) {
            Random         r(static_cast<std::uint64_t>(i) + 1);
            const Shape    a = random_shape(r, first, 0.25), b = random_shape(r, second, 0.25);
            const Manifold m = contacts(a, b, 0);
            if (m.count == 0) continue;
            const ContactPoint& p = deepest_point(m);
            if (p.distance > -1e-6) continue;
            ++deep;
            const double error = std::abs(p.distance - most_room_of_axes(a, b));
            if (error > worst) at = i;
            worst        = std::max(worst, error);
            worst_normal = std::max(worst_normal, std::abs(room(a, b, p.normal) - p.distance));
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(at);
        CHECK(deep > count / 4);
        CHECK(worst < 1e-5);
        CHECK(worst_normal < 1e-5);
    }
}

TEST_CASE("the depth of convex pairs with a curved side is within a thousandth of what a search finds (COL-091)")
{
    const int count = poses(20, 10);
    for_pairs([&](ShapeKind first, ShapeKind second) {
        double worst = 0;
        int    at = -1, deep = 0;
        for (int i = 0; i < count; ++i) {
            Random      r(static_cast<std::uint64_t>(i) + 1);
            const Shape a = random_shape(r, first, 0.25), b = random_shape(r, second, 0.25);
            if (is_polyhedron(a) && is_polyhedron(b)) continue;
            const Manifold m = contacts(a, b, 0);
            if (m.count == 0) continue;
            const ContactPoint& p = deepest_point(m);
            if (p.distance > -1e-3) continue;
            ++deep;
            // A search can only fall short of the most room, so a depth above its bound is wrong and one below is not.
            const double excess = std::max(most_room(a, b) - p.distance, std::abs(room(a, b, p.normal) - p.distance)) /
                                  std::abs(p.distance);
            if (excess > worst) at = i;
            worst = std::max(worst, excess);
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(at);
        CAPTURE(deep);
        CHECK(worst < 1e-3);
    });
}

TEST_CASE("the points of overlapping cores lie in both of them, as far apart as the depth (COL-092)")
{
    // Also where the nearest face of the difference is made of several triangles, and on creases of round sides.
    const int count = poses(300, 10);
    for_pairs([&](ShapeKind first, ShapeKind second) {
        double apart = 0, off = 0;
        int    at = -1;
        for (int i = 0; i < count; ++i) {
            Random      r(static_cast<std::uint64_t>(i) + 1);
            const Shape a = random_shape(r, first, 0.25);
            Shape       b = random_shape(r, second, 0.25);
            if (i % 8 == 0) b.R = a.R;  // parallel edges and faces share many points
            const auto d = collision::core_distance(a, b);
            if (d.distance > -1e-6) continue;
            const double gap = distance(d.on_b - d.on_a, d.distance * d.normal);
            if (gap > apart) at = i;
            apart = std::max(apart, gap);
            off   = std::max({off, outside(a, d.on_a), outside(b, d.on_b)});
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(at);
        // Beside a hull a round side is met step by step: its points are of class S.
        const bool stepwise = second == ShapeKind::hull && !is_polyhedron(shape(first, {}));
        CHECK(apart < (stepwise ? 1e-3 : 1e-6));
        CHECK(off < (stepwise ? 1e-3 : 1e-6));
    });
}

TEST_CASE("a plane meets every convex shape at its lowest point, above and below (COL-019, COL-020)")
{
    const int count = poses(300, 1);
    for (const ShapeKind kind : kConvex) {
        double worst = 0;
        int    wrong = 0;
        for (int i = 0; i < count; ++i) {
            Random       r(static_cast<std::uint64_t>(i) + 1);
            const Shape  plane         = shape(ShapeKind::plane, {}, r.vec(0.5), r.rotation());
            const Shape  s             = random_shape(r, kind, 0.5);
            const Vec3d  n             = plane.R.column(2);
            const double true_distance = dot(n, s.p - plane.p) - extent_along(s, -transpose_times(s.R, n));
            const auto   m             = contacts(plane, s, 0.1);
            if ((m.count > 0) != (true_distance <= 0.1) && std::abs(true_distance - 0.1) > 1e-9) ++wrong;
            if (m.count == 0) continue;
            worst = std::max({worst, std::abs(deepest(m) - true_distance), outside(s, deepest_point(m).p1)});
        }
        CAPTURE(static_cast<int>(kind));
        CHECK(wrong == 0);
        CHECK(worst < 2e-6);
    }
}

TEST_CASE("sizes from a thousandth to a thousand times change distances and points alike (COL-081)")
{
    const int count = poses(40, 100);
    for_pairs([&](ShapeKind first, ShapeKind second) {
        double worst = 0;
        int    at    = -1;
        for (int i = 0; i < count; ++i) {
            Random         r(static_cast<std::uint64_t>(i) + 1);
            const Shape    a = random_shape(r, first, 0.4), b = random_shape(r, second, 0.4);
            const double   k      = std::pow(10.0, r.uniform(-3, 3));
            const Manifold m      = contacts(a, b, 0.1);
            const auto     scaled = [&](Shape s) {
                s.p *= k, s.size *= k;
                return s;
            };
            Shape                      sa = scaled(a), sb = scaled(b);
            const collision::HullShape big = collision::make_hull_shape(stone_mesh(), {k, k, k});
            if (sa.hull) sa.hull = &big;
            if (sb.hull) sb.hull = &big;
            const Manifold other = contacts(sa, sb, 0.1 * k);
            if ((m.count == 0) != (other.count == 0)) {
                worst = 1, at = i;
                continue;
            }
            if (m.count == 0) continue;
            const double error = std::abs(deepest(other) / k - deepest(m));
            if (error > worst) at = i;
            worst = std::max(worst, error);
            if (is_round(a) && is_round(b) && m.count == 1 && deepest(m) > -0.05)
                worst = std::max(worst, 0.01 * distance((1 / k) * other.points[0].p1, m.points[0].p1));
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(at);
        CHECK(worst < 1e-5);
    });
}
