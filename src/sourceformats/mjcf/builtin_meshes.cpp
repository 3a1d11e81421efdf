// Meshes that MuJoCo makes of a word and a few numbers: points of unit size, which the scale of the mesh stretches.
#include "sourceformats/mjcf/builtin_meshes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "sourceformats/mjcf/settings.h"

namespace mechane::sourceformats {
namespace {

constexpr double kHalfTurn = std::numbers::pi;
/// Rows and columns beyond which a mesh would fill the memory; MuJoCo has no limit.
constexpr double kFinest = 1000;

using Numbers = const std::vector<double>&;

/// Cosine and sine with their sizes raised to a power, which squares a circle off (power below 1) or pinches it.
double squared_cos(double angle, double power)
{ return std::copysign(std::pow(std::abs(std::cos(angle)), power), std::cos(angle)); }
double squared_sin(double angle, double power)
{ return std::copysign(std::pow(std::abs(std::sin(angle)), power), std::sin(angle)); }

/// Two triangles for a quadrangle a b c d, cut from b to d.
void quadrangle(BuiltinMesh& mesh, int a, int b, int c, int d)
{
    mesh.triangles.push_back({a, b, d});
    mesh.triangles.push_back({b, c, d});
}

// An icosahedron is the hull of the corners of three golden rectangles. Each triangle is cut into four, and the new
// corners go out to the sphere.
BuiltinMesh sphere(Numbers p)
{
    const double golden = std::numbers::phi;
    BuiltinMesh  mesh;
    for (const double one : {-1.0, 1.0})
        for (const double other : {-golden, golden})
            for (const Vec3d& v : {Vec3d{one, other, 0}, Vec3d{0, one, other}, Vec3d{other, 0, one}})
                mesh.points.push_back(normalized(v));
    const auto hull = mjcf_hull(mesh.points);
    if (!hull) return {};
    mesh.points = hull->points;
    for (const auto& t : hull->triangles) mesh.triangles.push_back({t[0], t[1], t[2]});
    for (int turn = 0; turn < static_cast<int>(p[0]); ++turn) {
        std::map<std::pair<int, int>, int> between;
        const auto                         middle = [&](int a, int b) {
            const auto [at, fresh] = between.try_emplace(std::minmax(a, b), static_cast<int>(mesh.points.size()));
            if (fresh)
                mesh.points.push_back(
                    normalized(mesh.points[static_cast<std::size_t>(a)] + mesh.points[static_cast<std::size_t>(b)]));
            return at->second;
        };
        std::vector<std::array<int, 3>> finer;
        for (const auto& [a, b, c] : mesh.triangles) {
            const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
        }
        mesh.triangles = std::move(finer);
    }
    return mesh;
}

// Half of an octahedron whose four sides are cut into triangles and go out to the sphere, closed by a fan below.
BuiltinMesh hemisphere(Numbers p)
{
    const int                    rows  = static_cast<int>(p[0]) + 1;
    constexpr std::array<int, 5> kEast = {1, 0, -1, 0, 1};
    BuiltinMesh                  mesh;
    mesh.points.push_back({0, 0, 1});
    // Ring k has k steps on each of its four sides and begins behind 1 + 4 (1 + ... + k-1) points.
    const auto first = [](int k) { return 1 + 2 * k * (k - 1); };
    const auto point = [&](int k, int side, int i) { return k == 0 ? 0 : first(k) + (side * k + i) % (4 * k); };
    for (int k = 1; k <= rows; ++k)
        for (std::size_t side = 0; side < 4; ++side)
            for (int i = 0; i < k; ++i) {
                const std::size_t next = side + 1, turned = (side + 3) % 4;
                mesh.points.push_back(
                    normalized(Vec3d{1.0 * (k - i) * kEast[side] + 1.0 * i * kEast[next],
                                     1.0 * (k - i) * kEast[turned] + 1.0 * i * kEast[side], 1.0 * (rows - k)}));
            }
    for (int k = 0; k < rows; ++k)
        for (int side = 0; side < 4; ++side)
            for (int i = 0; i <= k; ++i) {
                mesh.triangles.push_back({point(k, side, i), point(k + 1, side, i), point(k + 1, side, i + 1)});
                if (i < k)
                    mesh.triangles.push_back({point(k, side, i), point(k + 1, side, i + 1), point(k, side, i + 1)});
            }
    const int middle = static_cast<int>(mesh.points.size());
    mesh.points.push_back({0, 0, 0});
    for (int i = 0; i < 4 * rows; ++i) mesh.triangles.push_back({point(rows, 0, i), middle, point(rows, 0, i + 1)});
    return mesh;
}

BuiltinMesh cone(Numbers p)
{
    BuiltinMesh mesh;
    const auto  ring = [&](double radius, double z) {
        for (int i = 0; i < static_cast<int>(p[0]); ++i) {
            const double angle = 2 * kHalfTurn * i / std::floor(p[0]);
            mesh.points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
        }
    };
    ring(1, -1);
    if (p[1] > 0)
        ring(p[1], 1);
    else
        mesh.points.push_back({0, 0, 1});
    return mesh;
}

BuiltinMesh supersphere(Numbers p)
{
    const int    n    = static_cast<int>(p[0]);
    const double east = p[1], north = p[2];
    BuiltinMesh  mesh;
    mesh.points.push_back({0, 0, -1});
    for (int row = 1; row < n; ++row)
        for (int i = 0; i < n; ++i) {
            const double up = kHalfTurn * (static_cast<double>(row) / n - 0.5), around = kHalfTurn * (2.0 * i / n - 1);
            const double wide = squared_cos(up, north);
            mesh.points.push_back(
                {wide * squared_cos(around, east), wide * squared_sin(around, east), squared_sin(up, north)});
        }
    const int top = static_cast<int>(mesh.points.size());
    mesh.points.push_back({0, 0, 1});
    const auto point = [n](int row, int i) { return 1 + (row - 1) * n + i % n; };
    for (int i = 0; i < n; ++i) {
        mesh.triangles.push_back({0, point(1, i + 1), point(1, i)});
        mesh.triangles.push_back({point(n - 1, i), point(n - 1, i + 1), top});
    }
    for (int row = 1; row + 1 < n; ++row)
        for (int i = 0; i < n; ++i)
            quadrangle(mesh, point(row, i), point(row, i + 1), point(row + 1, i + 1), point(row + 1, i));
    return mesh;
}

BuiltinMesh supertorus(Numbers p)
{
    const int    n      = static_cast<int>(p[0]);
    const double radius = p[1], minor = p[2], major = p[3];
    BuiltinMesh  mesh;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const double u = 2 * kHalfTurn * i / n, v = 2 * kHalfTurn * j / n,
                         wide = 1 + radius * squared_cos(v, minor);
            mesh.points.push_back(
                {wide * squared_cos(u, major), wide * squared_sin(u, major), radius * squared_sin(v, minor)});
        }
    const auto point = [n](int i, int j) { return (i % n) * n + j % n; };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            quadrangle(mesh, point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1));
    return mesh;
}

// Points in the middle of the cells of a grid of two angles, seen from the centre along -z with y up; towards the
// middle of the view the cells are finer by the share `gamma`.
BuiltinMesh wedge(Numbers p)
{
    const auto edge = [&](int i, double cells, double view) {
        const double even = 2 * i / std::floor(cells) - 1;
        return (p[4] * std::pow(even, 5) + (1 - p[4]) * even) * view * kHalfTurn / 180;
    };
    BuiltinMesh mesh;
    for (int i = 0; i < static_cast<int>(p[0]); ++i)
        for (int j = 0; j < static_cast<int>(p[1]); ++j) {
            const double aside = 0.5 * (edge(i, p[0], p[2]) + edge(i + 1, p[0], p[2]));
            const double up    = 0.5 * (edge(j, p[1], p[3]) + edge(j + 1, p[1], p[3]));
            mesh.points.push_back({std::cos(up) * std::sin(aside), std::sin(up), -std::cos(up) * std::cos(aside)});
        }
    return mesh;
}

// The middles of the cells of a grid over the square between -1 and 1, at z = -1.
BuiltinMesh plate(Numbers p)
{
    const int   columns = static_cast<int>(p[0]), rows = static_cast<int>(p[1]);
    BuiltinMesh mesh;
    mesh.shell = true;
    for (int i = 0; i < columns; ++i)
        for (int j = 0; j < rows; ++j)
            mesh.points.push_back({(2.0 * i + 1) / columns - 1, (2.0 * j + 1) / rows - 1, -1});
    for (int i = 0; i + 1 < columns; ++i)
        for (int j = 0; j + 1 < rows; ++j) {
            const int a = i * rows + j;
            quadrangle(mesh, a, a + rows, a + rows + 1, a + 1);
        }
    return mesh;
}

struct Range {
    const char* name;
    double      least, most;
    bool        above = false;  ///< must be larger than `least`
};

struct Kind {
    BuiltinMesh (*make)(Numbers);
    std::vector<Range> ranges;  ///< of each parameter
};

const std::map<std::string, Kind>& kinds()
{
    static constexpr double                  kAny = 1e6;
    static const std::map<std::string, Kind> out{
        {"sphere", {sphere, {{"subdivision", 0, 4}}}},
        {"hemisphere", {hemisphere, {{"resolution", 0, 10}}}},
        {"cone", {cone, {{"nvert", 3, kFinest}, {"radius", 0, kAny}}}},
        {"supersphere", {supersphere, {{"resolution", 3, kFinest}, {"e", 0, kAny}, {"n", 0, kAny}}}},
        {"supertorus",
         {supertorus,
          {{"resolution", 3, kFinest}, {"radius", 0, 1, true}, {"s", 0, kAny, true}, {"t", 0, kAny, true}}}},
        {"wedge",
         {wedge,
          {{"res_phi", 1, kFinest},
           {"res_theta", 1, kFinest},
           {"fov_phi", 0, 180, true},
           {"fov_theta", 0, 90, true},
           {"gamma", 0, 1}}}},
        {"plate", {plate, {{"res_x", 1, kFinest}, {"res_y", 1, kFinest}}}},
    };
    return out;
}

}  // namespace

BuiltinMesh builtin_mesh(const std::string& kind, const std::vector<double>& params)
{
    const auto  found = kinds().find(kind);
    BuiltinMesh none;
    if (found == kinds().end()) {
        none.fault = "MuJoCo 3.17 makes no such mesh; it makes";
        for (const auto& [name, k] : kinds()) none.fault += " " + name;
        return none;
    }
    const std::vector<Range>& ranges = found->second.ranges;
    if (params.size() != ranges.size()) {
        none.fault = fmt::format("{} needs {} numbers in params and has {}", kind, ranges.size(), params.size());
        return none;
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const Range& r = ranges[i];
        // What is not a number is in no range.
        if (!(params[i] >= r.least && params[i] <= r.most) || (r.above && params[i] == r.least)) {
            none.fault = fmt::format("{} is {} and must be {} {} and at most {}", r.name, params[i],
                                     r.above ? "above" : "at least", r.least, r.most);
            return none;
        }
    }
    return found->second.make(params);
}

}  // namespace mechane::sourceformats
