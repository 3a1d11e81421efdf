// Approximate convex decomposition in the manner of Mamou and Ghorbel (2009), by cuts: the part with the deepest hollow
// is cut by a plane, until every hollow is below what is allowed or there are enough parts.
// Concavity is measured from the surface outwards to the hull [m]. Parts are hulls in the mesh's frame; `max_hulls` is
// kept by merging the smallest parts.
// No step is random and none looks at a clock, except the caller's `stop`.

#include "mechane/geometry/decomposition.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "mechane/geometry/codes.h"
#include "mechane/geometry/components.h"
#include "mechane/geometry/fit.h"
#include "mechane/geometry/mass.h"
#include "mesh_cut.h"
#include "thinning.h"

namespace mechane::geometry {

namespace {

constexpr int    kEvenCuts   = 7;     // planes per axis beside those through the deepest hollow
constexpr double kImbalance  = 0.05;  // price of the difference of the two volumes, relative to their sum
constexpr int    kNeighbours = 8;     // candidates for merging

// Each split tries some thirty cuts, and each cut takes two hulls: larger surfaces are thinned first.
constexpr std::size_t kManyTriangles = 6000;
constexpr int         kThinCells     = 48;

// Merging compares every part with every other, so gravel is first swept together by the cells of a lattice.
constexpr std::size_t kManyComponents = 512;
constexpr int         kSweepCells     = 8;

/// A piece of the surface with the hull of its points.
struct Part {
    Mesh                        surface, hull;
    double                      volume    = 0;  // of the hull
    double                      concavity = 0;  // deepest hollow [m]
    std::array<std::int32_t, 3> deepest{};      // the triangle at its bottom
    bool                        finished = false;
};

std::optional<Mesh> full_hull(const Mesh& surface)
{
    auto hull = build_hull(surface.points, {.max_vertices = std::numeric_limits<int>::max()});
    if (!hull) return std::nullopt;
    return std::move(*hull);
}

struct Plane {
    Vec3d  normal;
    double offset;
};

std::vector<Plane> planes_of(const Mesh& hull)
{
    std::vector<Plane> planes;
    for (const auto& t : hull.triangles) {
        const Vec3d &a = hull.points[static_cast<std::size_t>(t[0])], &b = hull.points[static_cast<std::size_t>(t[1])],
                    &c = hull.points[static_cast<std::size_t>(t[2])];
        const Vec3d n  = normalized(cross(b - a, c - a));
        if (!(n == Vec3d{})) planes.push_back({n, dot(n, a)});
    }
    return planes;
}

/// Way from a point inside, along a direction, to the outside.
double exit_distance(const std::vector<Plane>& planes, const Vec3d& p, const Vec3d& direction)
{
    double nearest = kInfinity;
    for (const Plane& plane : planes) {
        const double approach = dot(plane.normal, direction);
        if (approach <= 1e-9) continue;
        nearest = std::min(nearest, std::max(0.0, plane.offset - dot(plane.normal, p)) / approach);
    }
    return nearest == kInfinity ? 0 : nearest;
}

/// `outward` is -1 for a component that is wound inwards.
void measure(Part& part, double outward)
{
    const std::vector<Plane> planes = planes_of(part.hull);
    part.volume                     = mesh_mass(part.hull, {1, 1, 1}, 1).mass;
    for (const auto& t : part.surface.triangles) {
        const Vec3d &a = part.surface.points[static_cast<std::size_t>(t[0])],
                    &b = part.surface.points[static_cast<std::size_t>(t[1])],
                    &c = part.surface.points[static_cast<std::size_t>(t[2])];
        const Vec3d n  = outward * normalized(cross(b - a, c - a));
        if (n == Vec3d{}) continue;
        const double depth = exit_distance(planes, (a + b + c) / 3.0, n);
        if (depth > part.concavity) {
            part.concavity = depth;
            part.deepest   = t;
        }
    }
}

std::optional<Part> make_part(Mesh surface, double outward)
{
    auto hull = full_hull(surface);
    if (!hull) return std::nullopt;
    Part part;
    part.surface = std::move(surface);
    part.hull    = std::move(*hull);
    measure(part, outward);
    return part;
}

/// Offsets along an axis where a cut may help: evenly spread, and at the corners of the triangle at the bottom of the
/// deepest hollow.
std::vector<double> offsets(const Part& part, const Vec3d& axis)
{
    double low = kInfinity, high = -kInfinity;
    for (const Vec3d& p : part.hull.points) {
        low  = std::min(low, dot(axis, p));
        high = std::max(high, dot(axis, p));
    }
    std::vector<double> result;
    for (const std::int32_t i : part.deepest)
        result.push_back(dot(axis, part.surface.points[static_cast<std::size_t>(i)]));
    for (int i = 1; i <= kEvenCuts; ++i) result.push_back(low + (high - low) * i / (kEvenCuts + 1));
    const double rim = 1e-3 * (high - low);  // slivers help nobody
    std::erase_if(result, [&](double x) { return x < low + rim || x > high - rim; });
    return result;
}

/// The two parts of the cut that leaves the least volume. It need not save any: the first cut of a ring saves nothing,
/// the second does. Hence also the price of imbalance, without which a cut at the rim would win such ties.
std::optional<std::pair<Part, Part>> split(const Part& part, double outward)
{
    const auto box = bounding_box(part.hull.points);
    if (!box) return std::nullopt;
    double                               best = kInfinity;
    std::optional<std::pair<Mesh, Mesh>> best_sides;
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3d normal = rotate(box->pose.q, axis_vector<double>(axis));
        for (const double offset : offsets(part, normal)) {
            auto sides = cut(part.surface, normal, offset);
            if (sides.first.triangles.empty() || sides.second.triangles.empty()) continue;
            const auto below = full_hull(sides.first), above = full_hull(sides.second);
            if (!below || !above) continue;
            const double u = mesh_mass(*below, {1, 1, 1}, 1).mass, v = mesh_mass(*above, {1, 1, 1}, 1).mass;
            const double price = u + v + kImbalance * std::abs(u - v);
            // A relative margin of 1e-9: of equal cuts the first stays.
            if (price < best * (1 - 1e-9)) {
                best       = price;
                best_sides = std::move(sides);
            }
        }
    }
    if (!best_sides) return std::nullopt;
    auto below = make_part(std::move(best_sides->first), outward),
         above = make_part(std::move(best_sides->second), outward);
    if (!below || !above) return std::nullopt;
    return std::pair{std::move(*below), std::move(*above)};
}

double volume_of_part(const Mesh& mesh)
{
    double six = 0;
    for (const auto& t : mesh.triangles) {
        const Vec3d& o = mesh.points[0];
        six += dot(
            mesh.points[static_cast<std::size_t>(t[0])] - o,
            cross(mesh.points[static_cast<std::size_t>(t[1])] - o, mesh.points[static_cast<std::size_t>(t[2])] - o));
    }
    return six / 6;
}

double extent(const Mesh& mesh)
{
    const Aabbd box = bounds(mesh);
    return max_component(box.upper - box.lower);
}

/// Joins the smallest part to that neighbour with which it adds the least volume.
/// Only the eight nearest parts are tried: a hull with a far one encloses what lies between.
void merge_smallest(std::vector<Part>& parts)
{
    const auto smallest = static_cast<std::size_t>(std::ranges::min_element(parts, {}, &Part::volume) - parts.begin());
    Part       lost     = std::move(parts[smallest]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(smallest));
    const auto centre = [](const Part& p) {
        const Aabbd box = bounds(p.hull);
        return 0.5 * (box.lower + box.upper);
    };
    std::vector<std::pair<double, std::size_t>> near;
    for (std::size_t i = 0; i < parts.size(); ++i) near.emplace_back(length(centre(parts[i]) - centre(lost)), i);
    std::ranges::sort(near);
    near.resize(std::min<std::size_t>(near.size(), kNeighbours));

    double              best_added = kInfinity;
    std::size_t         partner    = near.front().second;
    std::optional<Mesh> best;
    for (const auto& [distance, i] : near) {
        Mesh both = parts[i].hull;
        both.points.insert(both.points.end(), lost.hull.points.begin(), lost.hull.points.end());
        auto hull = full_hull(both);
        if (!hull) continue;
        const double added = mesh_mass(*hull, {1, 1, 1}, 1).mass - parts[i].volume;
        if (added < best_added) {
            best_added = added;
            partner    = i;
            best       = std::move(hull);
        }
    }
    if (!best) return;
    parts[partner].hull   = std::move(*best);
    parts[partner].volume = mesh_mass(parts[partner].hull, {1, 1, 1}, 1).mass;
}

/// Components whose middles lie in the same cell become one.
std::vector<Mesh> swept_together(const std::vector<Mesh>& components, const Aabbd& box)
{
    const Vec3d size = max(box.upper - box.lower, Vec3d{1e-300, 1e-300, 1e-300});
    const auto  cell = [&](const Mesh& m) {
        const Aabbd own = bounds(m);
        std::size_t key = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const double x = (0.5 * (own.lower[k] + own.upper[k]) - box.lower[k]) / size[k];
            key = key * kSweepCells + static_cast<std::size_t>(std::clamp(x * kSweepCells, 0.0, kSweepCells - 1.0));
        }
        return key;
    };
    std::vector<Mesh> cells(static_cast<std::size_t>(kSweepCells * kSweepCells * kSweepCells));
    for (const Mesh& m : components) {
        Mesh&      into  = cells[cell(m)];
        const auto first = static_cast<std::int32_t>(into.points.size());
        into.points.insert(into.points.end(), m.points.begin(), m.points.end());
        for (const auto& t : m.triangles) into.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    std::erase_if(cells, [](const Mesh& m) { return m.triangles.empty(); });
    return cells;
}

}  // namespace

Result<std::vector<Mesh>> decompose(const Mesh& mesh, const DecompositionOptions& options)
{
    // The mesh may come from a file.
    if (!has_valid_indices(mesh) || !is_finite(mesh))
        return make_diagnostic(kHullDegenerate, {}, "a point is missing or not finite");
    struct Component {
        double outward, allowed;
    };
    std::vector<Part>      parts;
    std::vector<Component> component_of;
    std::vector<Mesh>      components = connected_components(mesh);
    if (components.size() > kManyComponents) components = swept_together(components, bounds(mesh));
    for (Mesh& component : components) {
        const Component info{volume_of_part(component) < 0 ? -1.0 : 1.0, options.concavity * extent(component)};
        if (component.triangles.size() > kManyTriangles) component = thinned(component, kThinCells);
        if (auto part = make_part(std::move(component), info.outward)) {
            parts.push_back(std::move(*part));
            component_of.push_back(info);
        }
    }
    if (parts.empty()) return make_diagnostic(kHullDegenerate, {}, "the mesh has no part with a convex hull");

    const auto limit = static_cast<std::size_t>(std::max(options.max_hulls, 1));
    while (parts.size() < limit && !(options.stop && options.stop())) {
        // The part whose hollow exceeds what its component allows the most.
        std::size_t worst = parts.size();
        double      most  = 1;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            // Relative to the component's own size, so that small parts of a robot are as faithful as large ones.
            const double excess = component_of[i].allowed > 0 ? parts[i].concavity / component_of[i].allowed : 0;
            if (!parts[i].finished && excess > most) {
                most  = excess;
                worst = i;
            }
        }
        if (worst == parts.size()) break;
        auto halves = split(parts[worst], component_of[worst].outward);
        if (!halves) {
            parts[worst].finished = true;
            continue;
        }
        const auto next = static_cast<std::ptrdiff_t>(worst) + 1;
        parts[worst]    = std::move(halves->first);
        parts.insert(parts.begin() + next, std::move(halves->second));
        component_of.insert(component_of.begin() + next, component_of[worst]);
    }
    while (parts.size() > limit) merge_smallest(parts);

    std::vector<Mesh> hulls;
    for (const Part& part : parts)
        if (auto hull = build_hull(part.hull.points, options.hull)) hulls.push_back(std::move(*hull));
    if (hulls.empty()) return make_diagnostic(kHullDegenerate, {}, "no part of the mesh has a convex hull");
    return hulls;
}

}  // namespace mechane::geometry
