// Bounds, volume and area of shapes, and which shapes of two robots are the same.
// Shapes have no reliable names: formats drop them, number them or split a mesh by its materials. They are paired by
// what they occupy.
// Inputs: shapes and the pose of their link seen from the tree's root. Outputs: an Extent for each (box along the axes
// of that frame [m], volume [m^3], area [m^2]) and pairs by least cost.
// Boxes are exact, not those of the corners of a turned box: else equal solids of different frames would differ.
// Called by Comparer::shapes.

#include "difference/shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <tuple>

#include "mechane/geometry/hull.h"
#include "mechane/geometry/mass.h"

namespace mechane::difference {
namespace {

constexpr double kPi_ = std::numbers::pi;

void box_of(Extent& out, const Posed& X, const Vec3d& half)
{
    // The reach of a box along axis i is sum_j |R_ij| h_j.
    const Mat33d R = to_matrix(X.q);
    Vec3d        h;
    for (std::size_t i = 0; i < 3; ++i)
        h[i] = std::abs(R.row(i).x) * half.x + std::abs(R.row(i).y) * half.y + std::abs(R.row(i).z) * half.z;
    out.lower = X.p - h, out.upper = X.p + h;
}

/// A solid of revolution about z: a disk of a radius swept over the half height, with or without caps.
void round_of(Extent& out, const Posed& X, double radius, double half, bool caps)
{
    const Vec3d z = rotate(X.q, Vec3d{0, 0, 1});
    Vec3d       h;
    for (std::size_t i = 0; i < 3; ++i)
        // A disk with the normal z reaches r sqrt(1 - z_i^2) along axis i; a ball at the end reaches r.
        h[i] = std::abs(z[i]) * half + radius * (caps ? 1 : std::sqrt(std::max(0.0, 1 - z[i] * z[i])));
    out.lower = X.p - h, out.upper = X.p + h;
}

void ellipsoid_of(Extent& out, const Posed& X, const Vec3d& semi)
{
    const Mat33d R = to_matrix(X.q);
    Vec3d        h;
    for (std::size_t i = 0; i < 3; ++i)
        // The support function of an ellipsoid: the length of the i-th row of R diag(semi).
        h[i] = std::sqrt(std::pow(R.row(i).x * semi.x, 2) + std::pow(R.row(i).y * semi.y, 2) +
                         std::pow(R.row(i).z * semi.z, 2));
    out.lower = X.p - h, out.upper = X.p + h;
}

void mesh_of(Extent& out, const sf::RobotTree& tree, const sf::Shape& shape, const Posed& X, bool collider,
             const std::vector<int>* faces)
{
    if (shape.mesh < 0) return void(out.good = false);
    const sf::MeshAsset& mesh = tree.meshes[at(shape.mesh)];
    std::vector<Vec3d>   points;
    for (const Vec3d& p : mesh.points)
        points.push_back({p.x * shape.scale.x, p.y * shape.scale.y, p.z * shape.scale.z});
    std::vector<bool> used(points.size(), false), counts(mesh.counts.size(), faces == nullptr);
    if (faces != nullptr)
        for (const int f : *faces)
            if (f >= 0 && at(f) < counts.size()) counts[at(f)] = true;
    for (std::size_t f = 0, corner = 0; f < mesh.counts.size(); corner += at(std::max(mesh.counts[f], 0)), ++f)
        for (std::size_t c = corner;
             counts[f] && c < std::min(corner + at(std::max(mesh.counts[f], 0)), mesh.corners.size()); ++c)
            if (mesh.corners[c] >= 0 && at(mesh.corners[c]) < used.size()) used[at(mesh.corners[c])] = true;
    constexpr double kInf = std::numeric_limits<double>::infinity();
    out.lower = {kInf, kInf, kInf}, out.upper = {-kInf, -kInf, -kInf};
    const auto take = [&](const Vec3d& p) {
        const Vec3d q = X * p;
        out.lower = min(out.lower, q), out.upper = max(out.upper, q);
    };
    // Only these approximations let the mesh itself collide. All others, also a decomposition, are compared by the one
    // hull about them, which does not depend on the program that cut it.
    const bool as_hull = collider && shape.approximation != "none" && shape.approximation != "meshSimplification" &&
                         shape.approximation != "sdf";
    if (as_hull) {
        if (const auto hull = geometry::build_hull(points)) {
            for (const Vec3d& p : hull->points) take(p);
            out.volume = geometry::mesh_mass(*hull, {1, 1, 1}, 1).mass;
            out.hull   = true;
            return;
        }
    }
    std::size_t begin = 0;
    for (std::size_t p = 0; p < points.size(); ++p)
        // Points that no face uses take no room: files keep all points of a mesh when they split its faces.
        if (used[p]) take(points[p]);
    double volume = 0;
    for (std::size_t f = 0; f < mesh.counts.size(); ++f) {
        const int n = mesh.counts[f];
        if (n < 0 || begin + at(n) > mesh.corners.size()) break;
        if (!counts[f]) {
            begin += at(n);
            continue;
        }
        Vec3d face;  // twice the area, by the corners about the first one
        for (std::size_t k = 1; k + 1 < at(n); ++k) {
            const auto corner = [&](std::size_t i) {
                return points[std::min(at(mesh.corners[begin + i]), points.size() - 1)];
            };
            const Vec3d p = corner(0), c = cross(corner(k) - p, corner(k + 1) - p);
            face = face + c;
            // The signed volume of the tetrahedron to the origin; over a closed surface the sum is the volume, wherever
            // the origin is. Polygons are fans about their first corner.
            volume += dot(p, c) / 6;
        }
        out.area += 0.5 * length(face);
        begin += at(n);
    }
    out.volume = collider ? std::abs(volume) : 0;
    out.good   = out.lower.x <= out.upper.x;
}

}  // namespace

/// Faces without a material are a part of their own, so that the parts add up to the mesh.
std::vector<std::vector<int>> parts_of(const sf::MeshAsset& mesh)
{
    std::vector<std::vector<int>> out;
    std::vector<bool>             taken(mesh.counts.size(), false);
    for (const sf::MeshSubset& subset : mesh.subsets) {
        out.push_back(subset.faces);
        for (const int f : subset.faces)
            if (f >= 0 && at(f) < taken.size()) taken[at(f)] = true;
    }
    std::vector<int> rest;
    for (std::size_t f = 0; f < taken.size(); ++f)
        if (!taken[f]) rest.push_back(static_cast<int>(f));
    if (!rest.empty()) out.push_back(std::move(rest));
    return out;
}

Extent extent_of(const sf::RobotTree& tree, const sf::Shape& shape, const Posed& X_RL, bool collider,
                 const std::vector<int>* faces)
{
    Extent       out;
    const Posed  X = X_RL * shape.X_LS;
    const Vec3d& s = shape.size;
    switch (shape.kind) {
        case sf::Shape::Kind::box:
            box_of(out, X, s);
            out.volume = 8 * s.x * s.y * s.z;
            out.area   = 8 * (s.x * s.y + s.y * s.z + s.z * s.x);
            break;
        case sf::Shape::Kind::sphere:
            out.lower = X.p - s.x * Vec3d{1, 1, 1}, out.upper = X.p + s.x * Vec3d{1, 1, 1};
            out.volume = 4.0 / 3 * kPi_ * s.x * s.x * s.x;
            out.area   = 4 * kPi_ * s.x * s.x;
            break;
        case sf::Shape::Kind::cylinder:
            round_of(out, X, s.x, s.y, false);
            out.volume = 2 * kPi_ * s.x * s.x * s.y;
            out.area   = 2 * kPi_ * s.x * (s.x + 2 * s.y);
            break;
        case sf::Shape::Kind::capsule:
            round_of(out, X, s.x, s.y, true);
            out.volume = kPi_ * s.x * s.x * (2 * s.y + 4.0 / 3 * s.x);
            out.area   = 4 * kPi_ * s.x * (s.x + s.y);
            break;
        case sf::Shape::Kind::ellipsoid: {
            ellipsoid_of(out, X, s);
            out.volume     = 4.0 / 3 * kPi_ * s.x * s.y * s.z;
            const double p = 1.6075;  // Thomsen's formula, within 1.1 %
            out.area = 4 * kPi_ *
                       std::pow((std::pow(s.x * s.y, p) + std::pow(s.y * s.z, p) + std::pow(s.z * s.x, p)) / 3, 1 / p);
            break;
        }
        case sf::Shape::Kind::plane: {
            if (collider) {
                out.endless = true;
                out.normal  = rotate(X.q, Vec3d{0, 0, 1});
                // The foot of the perpendicular from the root: it says how high the plane lies and does not depend on
                // where on the plane its frame is.
                out.lower = out.upper = dot(X.p, out.normal) * out.normal;
                break;
            }
            // One without end is as large as it is drawn.
            const double x = s.x > 0 ? s.x : sf::kEndlessPlane / 2, y = s.y > 0 ? s.y : sf::kEndlessPlane / 2;
            box_of(out, X, {x, y, 0});
            out.area = 4 * x * y;
            break;
        }
        case sf::Shape::Kind::mesh:
            mesh_of(out, tree, shape, X, collider, faces);
            break;
    }
    if (!collider) out.volume = 0;
    out.good = out.good && is_finite(out.lower) && is_finite(out.upper);
    return out;
}

ShapePairs pair_shapes(const Matching& match, const Extents& a, const Extents& b)
{
    ShapePairs out;
    // Rigid groups, named by links of B, so that it does not matter which of several fixed links holds a shape.
    const auto group_a = [&](const sf::Shape& s) {
        if (s.link < 0) return -1;
        const int other = match.link[at(s.link)];
        if (other >= 0) return match.b.group[at(other)];
        const int first = match.a.group[at(s.link)];
        for (std::size_t l = 0; l < match.link.size(); ++l)
            if (match.a.group[l] == first && match.link[l] >= 0) return match.b.group[at(match.link[l])];
        // A link that has no partner, nor has any link fixed to it: its shapes can match nothing.
        return -2;
    };
    // What nothing moves is the world's, whoever holds it.
    const auto still_b = [&](int group) {
        if (group < 0) return group;
        const int held = match.b.above[at(group)];
        return match.b.root[at(group)] == -1 && held >= 0 && match.b.tree.joints[at(held)].parent < 0 &&
                       match.b.tree.joints[at(held)].kind == sf::Joint::Kind::fixed
                   ? -1
                   : group;
    };
    // Ordered by key, and parts by index: the outcome does not depend on addresses or hashes.
    std::map<int, std::pair<std::vector<Part>, std::vector<Part>>> groups;
    for (const auto& [s, e] : a) groups[still_b(group_a(match.a.tree.shapes[s.shape]))].first.push_back(s);
    for (const auto& [s, e] : b) {
        const int link = match.b.tree.shapes[s.shape].link;
        groups[still_b(link < 0 ? -1 : match.b.group[at(link)])].second.push_back(s);
    }
    std::map<Part, Part> done;
    std::set<Part>       taken;
    for (const auto& [group, lists] : groups) {
        struct Pair {
            double cost;
            bool   other_name;
            Part   x, y;
        };
        std::vector<Pair> pairs;
        if (lists.first.size() * lists.second.size() >
            4'000'000) {  // a world of thousands: in the order of both files
            for (std::size_t i = 0; i < std::min(lists.first.size(), lists.second.size()); ++i)
                pairs.push_back({0, false, lists.first[i], lists.second[i]});
        } else {
            for (const Part x : lists.first)
                for (const Part y : lists.second) {
                    const Extent &e = a.at(x), &f = b.at(y);
                    // Cost: how far the boxes are apart in units of their size, plus a tenth of the relative difference
                    // of volume or area.
                    // A different name costs 2, so that names decide among alike shapes but never against a clear
                    // match.
                    const double  size = std::max({length(e.upper - e.lower), length(f.upper - f.lower), 1e-9});
                    const double  off  = (length(e.lower - f.lower) + length(e.upper - f.upper)) / size;
                    const double  vol  = std::max(std::abs(e.volume - f.volume) / std::max({e.volume, f.volume, 1e-30}),
                                                  std::abs(e.area - f.area) / std::max({e.area, f.area, 1e-30}));
                    const bool    name = match.a.tree.shapes[x.shape].name != match.b.tree.shapes[y.shape].name;
                    const double  cost = off + (std::isfinite(vol) ? 0.1 * vol : 0);
                    // Differences of rounding count as none. Then the name and the order decide, and equal shapes at
                    // one place pair up in the order of the files.
                    pairs.push_back({cost < 1e-3 ? 0 : cost + (name ? 2 : 0), name, x, y});
                }
        }
        // Greedy by rising cost. It is no optimal assignment, but a pair that is clearly the same is never given up for
        // others.
        std::sort(pairs.begin(), pairs.end(), [](const Pair& p, const Pair& q) {
            return std::tie(p.cost, p.other_name, p.x, p.y) < std::tie(q.cost, q.other_name, q.x, q.y);
        });
        for (const Pair& p : pairs) {
            if (done.contains(p.x) || taken.contains(p.y)) continue;
            if (p.other_name && p.cost > 3) continue;  // farther apart than they are large
            done[p.x] = p.y;
            taken.insert(p.y);
        }
    }
    for (const auto& [s, e] : a)
        if (const auto other = done.find(s); other != done.end())
            out.same.emplace_back(s, other->second);
        else
            out.only_a.push_back(s);
    for (const auto& [s, e] : b)
        if (!taken.contains(s)) out.only_b.push_back(s);
    return out;
}

}  // namespace mechane::difference
