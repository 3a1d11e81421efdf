// Polygons to triangles, with the rules of OpenUSD's meshes: holeIndices are left out, left-handed orientation is
// turned, faces that cannot be are dropped and reported.
// Convex polygons become fans from their first corner, others lose ears (Meisters 1975) in their best-fit plane.
// Triangles name points of the source.

#include "mechane/geometry/triangulation.h"

#include <algorithm>

namespace mechane::geometry {

namespace {

using Triangle = std::array<std::int32_t, 3>;

/// Twice the vector area of a polygon (Newell): along the normal of the best-fit plane.
Vec3d vector_area(std::span<const Vec3d> corners)
{
    Vec3d sum;
    for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        sum += cross(corners[i] - corners[0], corners[i + 1] - corners[0]);
    return sum;
}

/// The polygon in its best-fit plane, counter-clockwise.
std::vector<Vec2d> flattened(std::span<const Vec3d> corners, const Vec3d& normal)
{
    const Vec3d        u = any_perpendicular(normal), v = cross(normal, u);
    std::vector<Vec2d> flat;
    flat.reserve(corners.size());
    for (const Vec3d& p : corners) flat.push_back({dot(u, p - corners[0]), dot(v, p - corners[0])});
    return flat;
}

/// Twice the signed area of a triangle: positive when a, b, c turn left.
double turn(const Vec2d& a, const Vec2d& b, const Vec2d& c)
{ return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// Two conditions, since a star turns left everywhere as well.
bool is_convex(std::span<const Vec2d> p)
{
    const std::size_t n   = p.size();
    double            low = kInfinity, high = -kInfinity;
    for (std::size_t i = 0; i < n; ++i) {
        // Left turns all around, and around once: the corners then turn left seen from the first one too.
        if (turn(p[i], p[(i + 1) % n], p[(i + 2) % n]) < 0) return false;
        const double seen_from_first = turn(p[0], p[i], p[(i + 1) % n]);
        low                          = std::min(low, seen_from_first);
        high                         = std::max(high, seen_from_first);
    }
    return low >= 0 && high > 0;
}

bool contains(const Vec2d& a, const Vec2d& b, const Vec2d& c, const Vec2d& p)
{ return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0; }

bool same(const Vec2d& a, const Vec2d& b) { return a.x == b.x && a.y == b.y; }

/// Whether cutting off corner `i` of the remaining polygon leaves the rest intact.
bool is_ear(std::span<const Vec2d> p, const std::vector<std::size_t>& rest, std::size_t i)
{
    const std::size_t n = rest.size();
    const Vec2d &     a = p[rest[(i + n - 1) % n]], &b = p[rest[i]], &c = p[rest[(i + 1) % n]];
    if (!(turn(a, b, c) > 0)) return false;
    for (const std::size_t k : rest) {
        // Corners that lie on a corner of the ear touch it and do not block it: keyhole polygons visit points twice.
        if (same(p[k], a) || same(p[k], b) || same(p[k], c)) continue;
        if (contains(a, b, c, p[k])) return false;
    }
    return true;
}

/// Triangles as corners of the polygon. Where rounding or a self-intersection leaves no ear, the corner that turns left
/// most goes.
std::vector<std::array<std::size_t, 3>> clip_ears(std::span<const Vec2d> p)
{
    std::vector<std::size_t> rest(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) rest[i] = i;
    std::vector<std::array<std::size_t, 3>> triangles;
    while (rest.size() > 3) {
        std::size_t ear = 0;
        while (ear < rest.size() && !is_ear(p, rest, ear)) ++ear;
        const std::size_t n = rest.size();
        if (ear == n) {
            double best = -kInfinity;
            for (std::size_t i = 0; i < n; ++i) {
                const double t = turn(p[rest[(i + n - 1) % n]], p[rest[i]], p[rest[(i + 1) % n]]);
                if (t > best) {
                    best = t;
                    ear  = i;
                }
            }
        }
        triangles.push_back({rest[(ear + n - 1) % n], rest[ear], rest[(ear + 1) % n]});
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    triangles.push_back({rest[0], rest[1], rest[2]});
    return triangles;
}

class Triangulator {
  public:
    Triangulator(const PolygonMesh& in, const TriangulationOptions& options) : in_(in), options_(options)
    {
        result_.mesh.points.reserve(in.points.size());
        for (const Vec3d& p : in.points) result_.mesh.points.push_back(is_finite(p) ? p : Vec3d{});
        holes_.assign(in.hole_indices.begin(), in.hole_indices.end());
        std::ranges::sort(holes_);
    }

    Triangulation run() &&
    {
        result_.face_count = in_.face_vertex_counts.size();
        std::size_t at     = 0;
        for (std::size_t f = 0; f < in_.face_vertex_counts.size(); ++f) {
            const auto         face  = static_cast<std::int32_t>(f);
            const std::int32_t count = in_.face_vertex_counts[f];
            if (count > 0 && static_cast<std::size_t>(count) > in_.face_vertex_indices.size() - at) {
                // From here on it is unknown where a face begins.
                for (std::size_t rest = f; rest < in_.face_vertex_counts.size(); ++rest)
                    drop(static_cast<std::int32_t>(rest), FaceFault::counts_exceed_indices);
                at = in_.face_vertex_indices.size();
                break;
            }
            const auto n = static_cast<std::size_t>(std::max(count, 0));
            add_face(face, in_.face_vertex_indices.subspan(at, n));
            at += n;
        }
        result_.unused_indices = static_cast<std::int32_t>(in_.face_vertex_indices.size() - at);
        if (in_.left_handed)
            // Left-handed faces are wound the other way round; the first and last corner change places.
            for (Triangle& t : result_.mesh.triangles) std::swap(t[0], t[2]);
        return std::move(result_);
    }

  private:
    void drop(std::int32_t face, FaceFault fault) { result_.dropped.push_back({face, fault}); }

    void add_triangle(std::int32_t face, const Triangle& t)
    {
        result_.mesh.triangles.push_back(t);
        result_.triangle_to_face.push_back(face);
    }

    void add_face(std::int32_t face, std::span<const std::int32_t> indices)
    {
        if (std::ranges::binary_search(holes_, face)) return;
        if (indices.size() < 3) return drop(face, FaceFault::too_few_corners);
        std::vector<Vec3d> corners;
        for (const std::int32_t i : indices) {
            if (i < 0 || i >= std::ssize(in_.points)) return drop(face, FaceFault::index_range);
            const Vec3d& p = in_.points[static_cast<std::size_t>(i)];
            if (!is_finite(p)) return drop(face, FaceFault::not_finite);
            corners.push_back(p);
        }
        if (options_.plain_fan) return add_fan(face, indices);

        const Vec3d normal = normalized(vector_area(corners));
        if (normal == Vec3d{}) return drop(face, FaceFault::no_area);
        if (corners.size() == 3) return add_fan(face, indices);
        const std::vector<Vec2d> flat = flattened(corners, normal);
        if (is_convex(flat)) return add_fan(face, indices);
        for (const auto& t : clip_ears(flat)) add_triangle(face, {indices[t[0]], indices[t[1]], indices[t[2]]});
    }

    void add_fan(std::int32_t face, std::span<const std::int32_t> indices)
    {
        for (std::size_t i = 1; i + 1 < indices.size(); ++i)
            add_triangle(face, {indices[0], indices[i], indices[i + 1]});
    }

    const PolygonMesh&          in_;
    const TriangulationOptions& options_;
    std::vector<std::int32_t>   holes_;
    Triangulation               result_;
};

}  // namespace

std::string_view to_string(FaceFault fault) noexcept
{
    switch (fault) {
        case FaceFault::too_few_corners:
            return "has fewer than 3 corners";
        case FaceFault::index_range:
            return "names a point that does not exist";
        case FaceFault::counts_exceed_indices:
            return "needs more indices than there are";
        case FaceFault::not_finite:
            return "has a corner that is not finite";
        case FaceFault::no_area:
            return "has no area";
    }
    return "is not valid";
}

Triangulation triangulate(const PolygonMesh& polygons, const TriangulationOptions& options)
{ return Triangulator(polygons, options).run(); }

}  // namespace mechane::geometry
