// Finite rectangles: against convex shapes and against meshes. The rectangle is z = 0 of its frame with half extents
// size.x, size.y; the normal z is its front. Points are in the frame of the arguments [m].
// docs/collision_method.md, "Finite planes", derives why the distance is continuous over the rim.

#include <algorithm>
#include <cmath>

#include "feature_codes.h"
#include "manifold.h"
#include "pairs.h"

/// A one-sided rectangle. What it is to a body depends on where the middle of the body is, along the normal: of one in
/// front it is a sheet without thickness, with its face and with its rim, which is round in all directions. Of one that
/// has sunk it is a slab under the rectangle that is three times as thick as the middle is deep: the way out is never
/// down through it, and the distance stays continuous, over the rim as well. What has sunk too far is left alone.
namespace mechane::collision {

namespace {

/// What the rectangle is to a body whose middle is `middle` [m] above it.
Shape backed(const Shape& rectangle, double middle)
{
    if (middle >= 0) return rectangle;
    Shape slab  = rectangle;
    slab.kind   = ShapeKind::box;
    // Half the thickness: the slab is three times as thick as the middle is deep.
    slab.size.z = -1.5 * middle;
    slab.p -= slab.size.z * rectangle.R.column(2);
    return slab;
}

/// Takes a face of the rectangle for the normal where that separates as well: up, which is right where up and down tie,
/// or over one of the sides. Where the middle is all but on the rectangle the iterations have a solid without thickness.
void prefer_faces(const Shape& backing, const Shape& convex, double slack, CoreDistance& core)
{
    double     least = core.distance - slack;
    const auto offer = [&](const Vec3d& n) {
        const Vec3d  lowest = support(convex, -n);
        const double s      = dot(n, lowest - support(backing, n));
        if (!(s > least)) return;
        // Those of another direction need not lie over each other: the features say where (`convex_candidates`).
        if (dot(n, core.normal) < 1 - 1e-6) core.on_a = support(backing, n), core.on_b = lowest;
        core.normal = n, core.distance = s;
        least = std::max(least, s + slack);
    };
    // Up first: it wins ties.
    for (const std::size_t axis : {2, 0, 1}) {
        offer(backing.R.column(axis));
        if (axis != 2) offer(-backing.R.column(axis));
    }
}

}  // namespace

void collide_rectangle_convex(const Shape& rectangle, const Shape& convex, double reach, Manifold& out)
{
    const Vec3d  normal = rectangle.R.column(2);
    const double radius = convex.core_radius(), limit = reach + radius, size = bounding_radius(convex);
    // COL-088: what is deeper than its own radius, and deeper than a quarter of the shorter side, is let go.
    const double below = std::max(size, 0.5 * std::min(rectangle.size.x, rectangle.size.y));
    if (dot(normal, centre(convex) - rectangle.p) < -below) return;
    const double low = dot(normal, support(convex, -normal) - rectangle.p);
    if (low > limit) return;
    // The middle is halfway between the lowest and the highest point along the normal; the radius counts on both sides
    // and cancels.
    const Shape  backing = backed(rectangle, 0.5 * (low + dot(normal, support(convex, normal) - rectangle.p)));
    CoreDistance core    = core_distance(backing, convex, limit);
    if (core.distance > limit) return;
    const double slack = 1e-9 * size;
    if (core.distance > slack)
        polish(backing, convex, core);
    else
        prefer_faces(backing, convex, slack, core);
    Candidates candidates;
    convex_candidates(backing, convex, core, reach, false, 1e-4 * size, candidates);
    emit_reduced(candidates, out);
}

namespace {

/// The part of a polygon where one coordinate is at most `most`, times `sign`.
/// A step of Sutherland and Hodgman (1974) against one side. A triangle cut by four sides has seven corners at most.
struct Outline {
    std::array<Vec3d, 8>         points;
    std::array<std::uint32_t, 8> names{};
    std::size_t                  count = 0;

    void cut(std::size_t axis, double sign, double most, std::uint32_t side)
    {
        const Outline all = *this;
        count             = 0;
        for (std::size_t i = 0; i < all.count; ++i) {
            const std::size_t k = i + 1 < all.count ? i + 1 : 0;
            const Vec3d &     p = all.points[i], &q = all.points[k];
            const double      h = sign * p[axis] - most, g = sign * q[axis] - most;
            if (h <= 0) points[count] = p, names[count++] = all.names[i];
            if ((h <= 0) == (g <= 0)) continue;
            points[count] = p + (h / (h - g)) * (q - p), names[count++] = cut_name(side, all.names[i] + 1);
        }
    }
};

}  // namespace

/// What of the mesh's faces lies over the rectangle rests on it: vertices, where sides cross its rim, and its corners
/// under a face. Where nothing does, the nearest pair beside the rim.
void collide_mesh_rectangle(const Shape& mesh, const Shape& rectangle, double reach, Manifold& out)
{
    const auto add_turned = [&](const ContactPoint& p) { out.add({p.p1, p.p0, -p.normal, p.distance, p.feature}); };
    if (mesh.mesh->hull) {
        Manifold found;
        collide_rectangle_convex(rectangle, as_hull(mesh), reach, found);
        for (int i = 0; i < found.count; ++i) add_turned(found.points[static_cast<std::size_t>(i)]);
        return;
    }
    const MeshShape& m = *mesh.mesh;
    if (m.bvh.empty()) return;
    const double     deep = bounding_radius(mesh);
    // All in the frame of the rectangle.
    const Mat33d R = transpose(rectangle.R) * mesh.R;
    const Vec3d  p = transpose_times(rectangle.R, mesh.p - rectangle.p);
    Shape        flat = rectangle, triangle;
    flat.p = {}, flat.R = Mat33d::identity();
    triangle.kind = ShapeKind::triangle;
    Shape in_mesh = rectangle;
    in_mesh.p = transpose_times(mesh.R, rectangle.p - mesh.p), in_mesh.R = transpose(R);
    geometry::Aabbd box = bounds(in_mesh);
    // A mesh may have sunk by its own radius and is still lifted: the search box reaches below.
    const Vec3d     r{reach, reach, reach}, sunk = -deep * in_mesh.R.column(2);
    box.lower = min(box.lower, box.lower + sunk) - r, box.upper = max(box.upper, box.upper + sunk) + r;
    Candidates   candidates;
    ContactPoint beside{.distance = kInfinity};
    m.bvh.for_each_overlap(box, [&](std::int32_t index) {
        const auto t = static_cast<std::size_t>(index);
        if (m.closed && dot(R * m.normals[t], Vec3d{0, 0, 1}) > 1e-3) return;  // faces away
        Outline outline;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto v        = static_cast<std::size_t>(m.triangles[t][i]);
            triangle.corners[i] = p + R * m.points[v];
            outline.points[i]   = triangle.corners[i];
            outline.names[i]    = static_cast<std::uint32_t>(i);
        }
        outline.count = 3;
        for (std::uint32_t side = 0; side < 4; ++side)
            // Sides 0 to 3 are +x, -x, +y, -y.
            outline.cut(side / 2, side % 2 ? -1 : 1, rectangle.size[side / 2], side);
        for (std::size_t i = 0; i < outline.count; ++i) {
            const Vec3d& q = outline.points[i];
            if (q.z > reach || q.z < -deep) continue;
            const std::uint32_t name = outline.names[i];
            const std::uint64_t feature =
                name < 3 ? static_cast<std::uint64_t>(m.triangles[t][name])
                         : feature_name(Found::on_second_face, name) | triangle_name(index);
            // Height above the plane is the distance; the other point is its foot.
            candidates.add({q, {q.x, q.y, 0}, {0, 0, -1}, q.z, feature}, 1e-9 * deep);
        }
        // Beside the rim counts only where nothing lies over the rectangle.
        if (candidates.count > 0) return;
        const CoreDistance core = core_distance_apart(flat, triangle, std::min(reach, beside.distance));
        if (core.distance > 0 && core.distance <= std::min(reach, beside.distance) && core.normal.z > 1e-9)
            beside = {core.on_b, core.on_a, -core.normal, core.distance,
                      feature_name(Found::off_a_face) | triangle_name(index)};
    });
    if (candidates.count == 0 && beside.distance <= reach) candidates.add(beside, 0);
    Manifold found;
    emit_reduced(candidates, found);
    for (int i = 0; i < found.count; ++i) {
        const ContactPoint& c = found.points[static_cast<std::size_t>(i)];
        out.add({rectangle.p + rectangle.R * c.p0, rectangle.p + rectangle.R * c.p1, rectangle.R * c.normal, c.distance,
                 c.feature});
    }
}

}  // namespace mechane::collision
