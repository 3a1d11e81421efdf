// Signed distance to a mesh (MeshDistance), for distance fields and queries. Points in the mesh's frame [m].
// The sign is by parity of crossings where the mesh is watertight, by generalised winding numbers (Jacobson et al.
// 2013) for soups, and by angle-weighted normals (Baerentzen, Aanaes 2005) for sheets.

#include "mechane/geometry/mesh_distance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "mechane/geometry/closest.h"
#include "mechane/geometry/weld.h"

namespace mechane::geometry {

namespace {

/// Along no axis, no diagonal and no plane that a drawn part is likely to have; the components are not rational.
constexpr Vec3d kRay{0.5366563145999495, 0.3141592653589793, 0.7831521430873712};

Aabbd box_of(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return {min(a, min(b, c)), max(a, max(b, c))}; }

/// Corner angle at a [rad].
double angle(const Vec3d& a, const Vec3d& b, const Vec3d& c)
{ return std::atan2(length(cross(b - a, c - a)), dot(b - a, c - a)); }

/// More than half of its area looks the same way: the mesh encloses nothing.
/// Of a closed surface the area vectors cancel.
bool is_sheet(const Mesh& mesh)
{
    Vec3d  sum;
    double area = 0;
    for (const auto& t : mesh.triangles) {
        const Vec3d n =
            cross(mesh.points[static_cast<std::size_t>(t[1])] - mesh.points[static_cast<std::size_t>(t[0])],
                  mesh.points[static_cast<std::size_t>(t[2])] - mesh.points[static_cast<std::size_t>(t[0])]);
        sum += n;
        area += length(n);
    }
    return length(sum) > 0.5 * area;
}

double winding_volume(const Mesh& mesh)
{
    double      volume = 0;
    const Vec3d o      = mesh.points.empty() ? Vec3d{} : mesh.points.front();
    for (const auto& t : mesh.triangles)
        volume += dot(mesh.points[static_cast<std::size_t>(t[0])] - o,
                      cross(mesh.points[static_cast<std::size_t>(t[1])] - o,
                            mesh.points[static_cast<std::size_t>(t[2])] - o)) /
                  6;
    return volume;
}

}  // namespace

MeshDistance::MeshDistance(const Mesh& mesh, SignMethod method) : mesh_(welded(mesh, 0)), method_(method)
{
    const auto corner = [&](std::size_t t, std::size_t i) -> const Vec3d& {
        return mesh_.points[static_cast<std::size_t>(mesh_.triangles[t][i % 3])];
    };
    std::vector<Aabbd> boxes;
    point_normals_.resize(mesh_.points.size());
    std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::int32_t, int>> edges;  // entry, uses
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
        boxes.push_back(box_of(corner(t, 0), corner(t, 1), corner(t, 2)));
        const Vec3d n = normalized(cross(corner(t, 1) - corner(t, 0), corner(t, 2) - corner(t, 0)));
        face_normals_.push_back(n);
        edge_of_.emplace_back();
        for (std::size_t i = 0; i < 3; ++i) {
            const std::int32_t a = mesh_.triangles[t][i], b = mesh_.triangles[t][(i + 1) % 3];
            // A corner's normal is weighted by angles, an edge's is the sum of its two faces.
            point_normals_[static_cast<std::size_t>(a)] += angle(corner(t, i), corner(t, i + 1), corner(t, i + 2)) * n;
            const auto [entry, is_new] =
                edges.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<std::int32_t>(edge_normals_.size()), 0);
            if (is_new) edge_normals_.emplace_back();
            ++entry->second.second;
            edge_of_[t][i] = entry->second.first;
            edge_normals_[static_cast<std::size_t>(entry->second.first)] += n;
        }
    }
    bvh_        = Bvh(boxes);
    watertight_ = !mesh_.triangles.empty();
    for (const auto& [ends, entry] : edges) watertight_ = watertight_ && entry.second == 2;
    inverted_ = watertight_ && winding_volume(mesh_) < 0;
    if (method_ == SignMethod::automatic)
        method_ = watertight_ ? SignMethod::parity : is_sheet(mesh_) ? SignMethod::normal : SignMethod::winding;
    if (method_ == SignMethod::winding) winding_ = WindingTree(mesh_);
}

MeshDistance::Nearest MeshDistance::nearest(const Vec3d& p, std::int32_t hint) const
{
    Nearest    best;
    double     bound = kInfinity;
    const auto look  = [&](std::int32_t t) {
        const auto&           v = mesh_.triangles[static_cast<std::size_t>(t)];
        const PointOnTriangle q = closest_on_triangle(p, mesh_.points[static_cast<std::size_t>(v[0])],
                                                      mesh_.points[static_cast<std::size_t>(v[1])],
                                                      mesh_.points[static_cast<std::size_t>(v[2])]);
        const double          d = length_squared(q.point - p);
        if (d < bound || (d == bound && (best.triangle < 0 || t < best.triangle))) {  // ties by index: no hint matters
            bound = d;
            best  = {0, q.point, q.weights, t};
        }
        return bound;
    };
    if (hint >= 0 && hint < std::ssize(mesh_.triangles)) look(hint);
    bvh_.for_each_near(p, bound, look);
    best.distance = std::sqrt(bound);
    return best;
}

bool MeshDistance::inside(const Vec3d& p, const Nearest& nearest) const
{
    switch (method_) {
        case SignMethod::parity:
            return crossed_oddly(p);
        case SignMethod::winding:
            return std::abs(winding_.at(p)) > 0.5;
        case SignMethod::automatic:
        case SignMethod::normal:
            break;
    }
    if (nearest.triangle < 0) return false;
    const auto t = static_cast<std::size_t>(nearest.triangle);
    Vec3d      n = face_normals_[t];
    // A weight of exactly zero: the nearest point lies on the opposite edge; two of them: on a corner.
    int         zeros = 0;
    std::size_t zero = 0, full = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        if (nearest.weights[i] == 0)
            ++zeros, zero = i;
        else
            full = i;
    }
    if (zeros == 1) n = edge_normals_[static_cast<std::size_t>(edge_of_[t][(zero + 1) % 3])];
    if (zeros == 2) n = point_normals_[static_cast<std::size_t>(mesh_.triangles[t][full])];
    return (dot(n, p - nearest.point) < 0) != inverted_;
}

bool MeshDistance::crossed_oddly(const Vec3d& p) const
{
    // Edge functions in the plane across the ray (Woop, Benthin, Wald 2013). The function of an edge is exactly the
    // negative of its twin's, so a ray goes through exactly one of the two triangles beside it, and none is lost.
    bool       odd  = false;
    const auto flat = [&](std::int32_t i) {
        const Vec3d d = mesh_.points[static_cast<std::size_t>(i)] - p;
        return Vec3d{d.x - kRay.x / kRay.z * d.z, d.y - kRay.y / kRay.z * d.z, d.z};
    };
    const auto side     = [](const Vec3d& a, const Vec3d& b) { return a.x * b.y - a.y * b.x; };
    // An edge function of zero means a ray through the edge: its direction decides, and the twin decides the opposite.
    const auto positive = [](double x, std::int32_t from, std::int32_t to) { return x != 0 ? x > 0 : from < to; };
    bvh_.for_each_along(p, kRay, kInfinity, [&](std::int32_t t) {
        const auto&  v = mesh_.triangles[static_cast<std::size_t>(t)];
        const Vec3d  a = flat(v[0]), b = flat(v[1]), c = flat(v[2]);
        const double u = side(b, c), s = side(c, a), w = side(a, b);
        const bool   pu = positive(u, v[1], v[2]), ps = positive(s, v[2], v[0]), pw = positive(w, v[0], v[1]);
        if (pu == ps && ps == pw) {
            const double sum = u + s + w;
            // The signed depth of the hit in front of the point.
            if (sum != 0 && (u * a.z + s * b.z + w * c.z) / sum > 0) odd = !odd;
        }
        return kInfinity;
    });
    return odd;
}

double MeshDistance::signed_distance(const Vec3d& p) const
{
    const Nearest n = nearest(p);
    return inside(p, n) ? -n.distance : n.distance;
}

}  // namespace mechane::geometry
