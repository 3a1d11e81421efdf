// Convex hulls by Qhull (Barber, Dobkin, Huhdanpaa 1996), made canonical: equal sets of points give equal bytes,
// whatever their order. Points in any frame [m].
// Points are scaled into a unit cube, since Qhull's tolerances are absolute. Flat input is extruded on request. A
// budget of vertices keeps those that stick out farthest.
// Errors are GEOMETRY ids of geometry/codes.h; the hint names what is flat.

#include "mechane/geometry/hull.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "mechane/geometry/codes.h"
#include "mechane/geometry/mass.h"
#include "qhull.h"

namespace mechane::geometry {

namespace {

using Triangles = std::vector<std::array<std::int32_t, 3>>;

constexpr double kExtrusion = 1e-4;  // thickness given to flat inputs, relative to their extent

auto coordinates(const Vec3d& p) { return std::tie(p.x, p.y, p.z); }

/// Ascending by (x, y, z), without duplicates. Zero has one sign, or equal points would differ in their bytes.
std::vector<Vec3d> sorted_distinct(std::span<const Vec3d> points)
{
    std::vector<Vec3d> sorted;
    sorted.reserve(points.size());
    for (const Vec3d& p : points) sorted.push_back({p.x + 0.0, p.y + 0.0, p.z + 0.0});
    std::ranges::sort(sorted, [](const Vec3d& a, const Vec3d& b) { return coordinates(a) < coordinates(b); });
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    return sorted;
}

/// Principal directions of a cloud with its extents along them.
struct Spread {
    std::array<Vec3d, 3>  axes;
    std::array<double, 3> extents{};
};

Spread spread_of(std::span<const Vec3d> points)
{
    Vec3d mean;
    for (const Vec3d& p : points) mean += p / static_cast<double>(points.size());
    Mat33d covariance{};
    for (const Vec3d& p : points) covariance += Mat33d::outer(p - mean, p - mean);
    const Mat33d r = to_matrix(principal_axes(covariance).rotation);
    Spread       s;
    for (std::size_t i = 0; i < 3; ++i) {
        s.axes[i]  = r.column(i);
        double low = kInfinity, high = -kInfinity;
        for (const Vec3d& p : points) {
            low  = std::min(low, dot(s.axes[i], p));
            high = std::max(high, dot(s.axes[i], p));
        }
        s.extents[i] = high - low;
    }
    return s;
}

/// Moves each point both ways along every direction in which the cloud has no thickness.
/// Two flat directions make a stick, three a cube.
std::vector<Vec3d> extruded(std::vector<Vec3d> points, const Spread& spread, double flat, double half_thickness)
{
    for (std::size_t i = 0; i < 3; ++i) {
        if (spread.extents[i] > flat) continue;
        std::vector<Vec3d> both;
        both.reserve(2 * points.size());
        for (const Vec3d& p : points)
            for (const double side : {-half_thickness, half_thickness}) both.push_back(p + side * spread.axes[i]);
        points = std::move(both);
    }
    return sorted_distinct(points);
}

/// Hull triangles of points scaled into a cube of about unit size; retried with joggled input where merging fails.
std::optional<Triangles> unit_hull(std::span<const Vec3d> unit, double tolerance)
{
    // Merged facets may leave a surface that is not closed; moved points ("QJ") always give simplices.
    for (const bool joggle : {false, true}) {
        auto triangles = qhull_triangles(unit, tolerance, joggle);
        if (!triangles) continue;
        if (is_closed(Mesh{.points = {}, .triangles = *triangles})) return triangles;
    }
    return std::nullopt;
}

std::vector<std::int32_t> vertices_of(const Triangles& triangles)
{
    std::vector<std::int32_t> used;
    for (const auto& t : triangles) used.insert(used.end(), t.begin(), t.end());
    std::ranges::sort(used);
    used.erase(std::ranges::unique(used).begin(), used.end());
    return used;
}

/// Four hull vertices that span a large volume: the ends of the longest axis, the point farthest from their line, then
/// from the plane.
std::vector<std::int32_t> first_simplex(std::span<const Vec3d> p, const std::vector<std::int32_t>& candidates,
                                        const Vec3d& long_axis)
{
    const auto farthest = [&](auto distance) {
        return *std::ranges::max_element(candidates, {},
                                         [&](std::int32_t i) { return distance(p[static_cast<std::size_t>(i)]); });
    };
    const auto  at = [&](std::int32_t i) { return p[static_cast<std::size_t>(i)]; };
    const auto  a  = farthest([&](const Vec3d& x) { return dot(x, long_axis); }),
                b  = farthest([&](const Vec3d& x) { return -dot(x, long_axis); });
    const auto  c  = farthest([&](const Vec3d& x) { return length(cross(x - at(a), at(b) - at(a))); });
    const Vec3d n  = cross(at(b) - at(a), at(c) - at(a));
    const auto  d  = farthest([&](const Vec3d& x) { return std::abs(dot(x - at(a), n)); });
    return {a, b, c, d};
}

/// The best `budget` of the hull's vertices: grows a simplex by the vertices that stick out farthest, a quarter more in
/// each round.
std::optional<Triangles> within_budget(std::span<const Vec3d> unit, const std::vector<std::int32_t>& candidates,
                                       const Vec3d& long_axis, std::size_t budget, double tolerance)
{
    std::vector<std::int32_t> chosen = first_simplex(unit, candidates, long_axis);
    for (;;) {
        std::ranges::sort(chosen);
        std::vector<Vec3d> subset;
        for (const std::int32_t i : chosen) subset.push_back(unit[static_cast<std::size_t>(i)]);
        auto triangles = unit_hull(subset, tolerance);
        if (!triangles) return std::nullopt;

        struct Candidate {
            double       distance;
            std::int32_t vertex;
        };
        std::vector<Candidate> outside;
        for (const auto& t : *triangles) {
            const Vec3d &a = subset[static_cast<std::size_t>(t[0])], &b = subset[static_cast<std::size_t>(t[1])],
                        &c = subset[static_cast<std::size_t>(t[2])];
            const Vec3d n  = normalized(cross(b - a, c - a));
            Candidate   best{tolerance, -1};
            for (const std::int32_t i : candidates) {
                const double d = dot(n, unit[static_cast<std::size_t>(i)] - a);
                if (d > best.distance) best = {d, i};
            }
            if (best.vertex >= 0) outside.push_back(best);
        }
        // Farthest first, then by vertex: a total order.
        std::ranges::sort(outside, [](const Candidate& x, const Candidate& y) {
            return std::tie(y.distance, x.vertex) < std::tie(x.distance, y.vertex);
        });
        // A quarter more in each round: fewer hulls than by single points, and better ones than by all at once.
        const std::size_t room  = std::min(budget - chosen.size(), chosen.size() / 4 + 1);
        std::size_t       added = 0;
        for (const Candidate& candidate : outside) {
            if (added == room) break;
            if (std::ranges::find(chosen, candidate.vertex) != chosen.end()) continue;
            chosen.push_back(candidate.vertex);
            ++added;
        }
        if (added > 0) continue;
        for (auto& t : *triangles)
            for (std::int32_t& i : t) i = chosen[static_cast<std::size_t>(i)];
        return triangles;
    }
}

/// Used points in ascending order; triangles with their lowest index first, in ascending order.
Mesh canonical(std::span<const Vec3d> points, const Triangles& triangles)
{
    Mesh                            mesh{.points = {}, .triangles = triangles, .is_convex = true};
    const std::vector<std::int32_t> used = vertices_of(triangles);
    for (const std::int32_t i : used) mesh.points.push_back(points[static_cast<std::size_t>(i)]);
    for (auto& t : mesh.triangles) {
        for (std::int32_t& i : t) i = static_cast<std::int32_t>(std::ranges::lower_bound(used, i) - used.begin());
        std::ranges::rotate(t, std::ranges::min_element(t));
    }
    std::ranges::sort(mesh.triangles);
    return mesh;
}

Diagnostic degenerate(std::string message) { return make_diagnostic(kHullDegenerate, {}, std::move(message)); }

}  // namespace

Result<Mesh> build_hull(std::span<const Vec3d> points, const HullOptions& options)
{
    for (const Vec3d& p : points)
        if (!is_finite(p)) return degenerate("a point is not finite");
    std::vector<Vec3d> sorted = sorted_distinct(points);
    Aabbd              box;
    for (const Vec3d& p : sorted) {
        box.lower = min(box.lower, p);
        box.upper = max(box.upper, p);
    }
    const double extent = sorted.empty() ? 0 : max_component(box.upper - box.lower);
    if (!(extent > std::numeric_limits<double>::min()) || !std::isfinite(extent))
        return degenerate(fmt::format("{} distinct points span no volume", sorted.size()));

    const Vec3d centre = box.lower + 0.5 * (box.upper - box.lower);
    const auto  scaled = [&](const std::vector<Vec3d>& from) {
        std::vector<Vec3d> unit;
        unit.reserve(from.size());
        for (const Vec3d& p : from) unit.push_back((p - centre) / extent);
        return unit;
    };
    std::vector<Vec3d> unit   = scaled(sorted);
    // Relative to the unit cube.
    const double       flat   = std::max(options.merge_tolerance, 1e-12);
    Spread             spread = spread_of(unit);
    if (std::ranges::min(spread.extents) <= flat) {
        if (!options.extrude_flat)
            return degenerate(fmt::format("{} distinct points lie in a plane or on a line", sorted.size()));
        unit = extruded(std::move(unit), spread, flat, 0.5 * kExtrusion);
        sorted.clear();
        for (const Vec3d& p : unit) sorted.push_back(centre + extent * p);
        spread = spread_of(unit);
    }

    // A tolerance above a fraction of the thinnest direction would flatten the hull itself.
    const double tolerance = std::min(options.merge_tolerance, 1e-2 * std::ranges::min(spread.extents));
    auto         triangles = unit_hull(unit, tolerance);
    const auto   budget    = static_cast<std::size_t>(std::max(options.max_vertices, 4));
    if (triangles) {
        const std::vector<std::int32_t> vertices = vertices_of(*triangles);
        const auto                      longest =
            static_cast<std::size_t>(std::ranges::max_element(spread.extents) - spread.extents.begin());
        if (vertices.size() > budget)
            triangles = within_budget(unit, vertices, spread.axes[longest], budget, tolerance);
    }
    if (!triangles) return degenerate(fmt::format("no hull of {} points was found", sorted.size()));
    return canonical(sorted, *triangles);
}

}  // namespace mechane::geometry
