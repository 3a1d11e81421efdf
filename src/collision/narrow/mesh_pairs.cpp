// Mesh against a convex shape, another mesh, and the depth of overlaps with surfaces. Results are in the frame of the
// arguments [m], the normal leads from the mesh (shape 0) to the partner.
// Triangles are one-sided: only those whose front faces the partner's centre make contacts (sheet.cpp has the law of
// one triangle). `Overlap` and `SurfaceOverlap` then limit depths to the shortest way that frees the partner of all
// triangles, since the sum of one-sided triangles knows no volume.
// Triangles are visited in the order of the bounding volume tree, which depends on the mesh only. Names of contacts
// contain the triangle, so that rows are sorted and matched whatever the order.

#include <algorithm>
#include <bit>
#include <cmath>

#include "feature_codes.h"
#include "mechane/geometry/closest.h"
#include "mechane/math/simd.h"
#include "pairs.h"
#include "sheet.h"

namespace mechane::collision {

namespace {

/// The best of many points: for every group of similar normals, the deepest group first, those that carry, until the
/// manifold is full.
void emit_by_normal(Candidates& candidates, Manifold& out)
{
    for_normals(candidates.all(), [&](std::span<ContactPoint> group) {
        for (const ContactPoint& p : group.first(reduce(group))) out.add(p);
        return out.count < Manifold::kCapacity;
    });
}

/// The angle that a triangle takes up about the point with these weights [rad]: all round, half, or that of a corner.
/// Normals weighted with it tell inside from outside also at edges and corners (Baerentzen, Aanaes 2005).
/// The number of positive weights says what the point is on: 3 the face, 2 an edge, 1 a corner.
double angle_at(const Vec3d& weights, const Vec3d& x, const Vec3d& y, const Vec3d& z)
{
    const int inner = (weights.x > 0 ? 1 : 0) + (weights.y > 0 ? 1 : 0) + (weights.z > 0 ? 1 : 0);
    if (inner > 1) return inner == 3 ? 2 * kPi : kPi;
    const Vec3d &p = weights.x > 0   ? x
                     : weights.y > 0 ? y
                                     : z,
                &q = weights.x > 0   ? y
                     : weights.y > 0 ? z
                                     : x,
                &r = weights.x > 0   ? z
                     : weights.y > 0 ? x
                                     : y;
    return std::atan2(length(cross(q - p, r - p)), dot(q - p, r - p));
}

/// A closed mesh whose inside holds the centre of the partner: out through the nearest face (within reason). Both in
/// the frame of the mesh.
/// Only for closed meshes, and only where no triangle in front of the partner made a contact: the partner is inside
/// altogether.
void recover(const MeshShape& m, const Shape& convex, double radius, double reach, Candidates& out)
{
    const Vec3d  c_local = centre(convex);
    const double depth   = 0.5 * radius + 0.1;  // beyond that, which way is out is anybody's guess
    double       bound = depth * depth, certainty = 0;
    std::int32_t nearest = -1;
    Vec3d        at, outward;
    m.bvh.for_each_near(c_local, bound, [&](std::int32_t index) {
        const auto   t = static_cast<std::size_t>(index);
        const auto&  v = m.triangles[t];
        const Vec3d &x = m.points[static_cast<std::size_t>(v[0])], &y = m.points[static_cast<std::size_t>(v[1])],
                    &z = m.points[static_cast<std::size_t>(v[2])];
        const auto   q = geometry::closest_on_triangle(c_local, x, y, z);
        const double d = length_squared(q.point - c_local);
        // At an edge or a corner several faces share the nearest point: the one seen most squarely is the way out.
        // Ties of distance are relative (1e-12 of its square): points of a shared edge differ by rounding.
        const double square = std::abs(dot(m.normals[t], c_local - q.point));
        const bool   tie    = nearest >= 0 && length_squared(q.point - at) <= 1e-12 * bound;
        const Vec3d  part   = angle_at(q.weights, x, y, z) * m.normals[t];
        outward             = tie ? outward + part : d < bound ? part : outward;
        if ((d < bound && !tie) ||
            (tie && (square > certainty * (1 + 1e-9) || (square >= certainty * (1 - 1e-9) && index < nearest)))) {
            bound     = std::min(bound, d);
            certainty = square;
            nearest   = index;
            at        = q.point;
        }
        return bound * (1 + 1e-9);
    });
    if (nearest < 0 || dot(outward, c_local - at) >= 0) return;  // outside after all
    const Vec3d  n  = m.normals[static_cast<std::size_t>(nearest)];
    const Vec3d  p1 = support(convex, -n) - convex.core_radius() * n;
    const double d  = dot(n, p1 - at);
    if (d <= reach)
        out.add({p1 - d * n, p1, n, d, feature_name(Found::out_of_a_mesh) | triangle_name(nearest)}, 0);
}

/// From a triangle that a convex shape pierces over the surface to the one that has its deepest point below it, which
/// is written to `deepest`. -1 where the surface ends or bends by more than 20 degrees on the way: beyond that the
/// point need not be in its matter.
/// A walk from face to neighbour over the edge beyond which the deepest point lies farthest. 64 steps, and a step back
/// to a triangle remembered at a power of two is a cycle (Brent 1980).
std::int32_t over_deepest(const MeshShape& m, std::int32_t from, const Shape& convex, const Vec3d& c, Vec3d& deepest)
{
    constexpr int    kSteps = 64;
    constexpr double kBend  = 20 * kPi / 180;
    std::int32_t     at = from, before = from;
    for (int step = 0; step < kSteps; ++step) {
        if (std::has_single_bit(static_cast<unsigned>(step))) before = at;
        const auto   t = static_cast<std::size_t>(at);
        const Vec3d& n = m.normals[t];
        const auto   p = [&](std::size_t i) { return m.points[static_cast<std::size_t>(m.triangles[t][i % 3])]; };
        if (dot(n, c - p(0)) <= 0) return -1;
        deepest            = support(convex, -n) - convex.core_radius() * n;
        double      beyond = 0;
        std::size_t edge   = 3;
        for (std::size_t e = 0; e < 3; ++e) {
            const Vec3d outward = cross(p(e + 1) - p(e), n);
            double      x       = dot(outward, deepest - p(e));
            if (!(x > 0)) continue;
            x /= length(outward);
            if (x > beyond) beyond = x, edge = e;
        }
        if (edge == 3) return at;
        at = m.neighbours[t][edge];
        if (at < 0 || at == before || std::abs(m.fold[t][edge]) > kBend) return -1;  // a valley leads to and fro
    }
    return -1;
}

/// The triangles that reach into a convex shape, and the shortest way found that frees it of all of them: along a
/// face's normal or that of a contact. A contact deeper than that is of a face which is passed on the way out sideways,
/// as the side of a cube is by what lies on its top.
class Overlap {
  public:
    Overlap(const MeshShape& mesh, const Shape& convex) : mesh_(mesh), convex_(convex) {}

    void add(std::int32_t triangle)
    {
        if (count_ < kMost) triangles_[count_] = triangle;
        ++count_;
    }
    [[nodiscard]] bool any() const { return count_ > 0; }
    /// The faces seen from behind as well: they are no way in, but may be the shortest way out.
    /// A back face may be the nearest exit, for instance of a thin plate through which a body has been pushed.
    void add_backs(const geometry::Aabbd& box)
    {
        const Vec3d c = centre(convex_);
        Shape       triangle;
        triangle.kind = ShapeKind::triangle;
        mesh_.bvh.for_each_overlap(box, [&](std::int32_t index) {
            const auto t = static_cast<std::size_t>(index);
            for (std::size_t i = 0; i < 3; ++i)
                triangle.corners[i] = mesh_.points[static_cast<std::size_t>(mesh_.triangles[t][i])];
            if (count_ <= kMost && dot(mesh_.normals[t], c - triangle.corners[0]) < 0 &&
                core_distance_apart(triangle, convex_, convex_.core_radius()).distance <= convex_.core_radius())
                add(index);
        });
    }

    /// Drops what is deeper than the shortest way; where that leaves nothing as deep, the way itself is a contact.
    void limit(Candidates& found, double slack)
    {
        if (count_ == 0 || count_ > kMost) return;
        const auto flat = [&](const ContactPoint& p) { return dot(p.normal, found.points[0].normal) > 1 - 1e-6; };
        // On an open, flat sheet there is no other way out than through its face.
        if (!mesh_.closed && std::ranges::all_of(found.all(), flat)) return;
        double deepest = 0;
        for (const ContactPoint& p : found.all()) deepest = std::min(deepest, p.distance);
        least_ = -deepest - slack;  // what is longer changes nothing
        for (std::size_t i = 0; i < count_; ++i) offer(mesh_.normals[static_cast<std::size_t>(triangles_[i])]);
        for (const ContactPoint& p : found.all())
            if (p.distance < 0) offer(p.normal);
        // Of an open surface the partner's faces say nothing: moving along them may lead behind the surface.
        if (mesh_.closed) offer_faces_of_partner();
        if (way_ == Vec3d{} || !is_free(slack)) return;
        const auto too_deep = [&](const ContactPoint& p) { return p.distance < -least_ - slack; };
        const auto kept     = std::ranges::remove_if(found.all(), too_deep).begin();
        found.count         = static_cast<std::size_t>(kept - found.all().begin());
        deepest             = 0;
        for (const ContactPoint& p : found.all()) deepest = std::min(deepest, p.distance);
        if (deepest <= -least_ + slack) return;
        const Vec3d p1 = support(convex_, -way_) - convex_.core_radius() * way_;
        found.face     = 0;
        found.add({p1 + least_ * way_, p1, way_, -least_, feature_name(Found::way_out)}, slack);
    }

  private:
    void offer_faces_of_partner()
    {
        if (convex_.kind == ShapeKind::box)
            for (std::size_t i = 0; i < 3; ++i) offer(convex_.R.column(i)), offer(-convex_.R.column(i));
        if (convex_.kind == ShapeKind::cylinder) offer(convex_.R.column(2)), offer(-convex_.R.column(2));
        if (convex_.kind == ShapeKind::cone) offer(convex_.R.column(2));
        if (convex_.kind == ShapeKind::hull)
            for (const Vec3d& n : convex_.hull->face_normals) offer(-(convex_.R * n));
    }
    void offer(const Vec3d& n)
    {
        // Not a unit vector, or the direction that was just looked at.
        if (dot(n, n) < 0.5 || dot(n, last_) > 1 - 1e-12) return;
        last_              = n;
        const double from  = dot(n, support(convex_, -n)) - convex_.core_radius();
        double       depth = 0;
        // The depth along n is that of the lowest point of the partner below the highest corner of the triangles. The
        // loop ends when it exceeds the best.
        for (std::size_t i = 0; i < count_ && depth < least_; ++i)
            for (const std::int32_t v : mesh_.triangles[static_cast<std::size_t>(triangles_[i])])
                depth = std::max(depth, dot(n, mesh_.points[static_cast<std::size_t>(v)]) - from);
        if (depth < least_) least_ = depth, way_ = n;
    }
    /// Whether the way leads out of the whole surface, and not into a neighbour of those triangles.
    /// The candidate way is tried: the moved shape may touch no triangle of the mesh.
    [[nodiscard]] bool is_free(double slack) const
    {
        Shape moved = convex_;
        moved.p += (least_ + slack) * way_;
        Shape triangle;
        triangle.kind = ShapeKind::triangle;
        bool free     = true;
        mesh_.bvh.for_each_overlap(bounds(moved), [&](std::int32_t index) {
            const auto t = static_cast<std::size_t>(index);
            if (!free) return;
            for (std::size_t i = 0; i < 3; ++i)
                triangle.corners[i] = mesh_.points[static_cast<std::size_t>(mesh_.triangles[t][i])];
            const double radius = moved.core_radius();
            free = core_distance_apart(triangle, moved, radius).distance > radius - (radius > 0 ? slack : 0);
        });
        return free;
    }

    static constexpr std::size_t kMost = 128;  ///< of more the shortest way is not looked for

    const MeshShape&             mesh_;
    const Shape&                 convex_;
    Scratch<std::int32_t, kMost> triangles_;
    std::size_t                  count_ = 0;
    double                       least_ = kInfinity;
    Vec3d                        way_, last_;
};

/// Outside of a surface nothing is nearer than the nearest point: where its triangle does not own it, slivers are too
/// thin for their angles to say who does.
void complete(const LastResort& rest, double reach, double tolerance, Candidates& found)
{
    if (rest.shallowest.distance > -kInfinity || !(rest.nearest.distance <= reach)) return;
    for (const ContactPoint& p : found.all())
        if (p.distance <= rest.nearest.distance + tolerance) return;
    found.add(rest.nearest, 0);
}

}  // namespace

Shape as_hull(const Shape& mesh)
{
    Shape solid = mesh;
    solid.kind  = ShapeKind::hull;
    solid.hull  = mesh.mesh->hull.get();
    solid.mesh  = nullptr;
    return solid;
}

void collide_mesh_convex(const Shape& mesh, const Shape& convex, double reach, Manifold& out)
{ collide_mesh_convex(mesh, convex, reach, NearMesh{}, out); }

MCH_CLONES_AVX2 void collide_mesh_convex(const Shape& mesh, const Shape& convex, double reach, const NearMesh& near,
                                  Manifold& out)
{
    const MeshShape& m = *mesh.mesh;
    if (m.bvh.empty()) return;
    if (m.hull) return collide_convex(as_hull(mesh), convex, reach, out);
    // The partner's box in the mesh's frame.
    // All in the frame of the mesh: only one shape is turned, not all triangles.
    Shape local = convex;
    local.p     = transpose_times(mesh.R, convex.p - mesh.p);
    local.R     = transpose(mesh.R) * convex.R;
    const Vec3d     r{reach, reach, reach};
    geometry::Aabbd box = bounds(local);
    box.lower -= r, box.upper += r;
    // Below a height field there is solid matter of this depth; a body in it is looked for from above.
    box.upper.z += m.floor;
    if (!geometry::overlaps(box, m.bvh.bounds())) return;
    // The list of triangles of the last call, if it still covers the box.
    if (!m.closed && near.triangles && near.triangles->is_empty(m, box)) return;
    const Vec3d  c      = centre(local);
    const double radius = bounding_radius(convex), small = std::min(radius, bounding_radius(mesh)), merge = 1e-3 * small;
    Candidates   candidates, assumed;
    LastResort   rest;
    Overlap      overlap(m, local);
    Shape        triangle;
    triangle.kind   = ShapeKind::triangle;
    const auto look = [&](std::int32_t index) __attribute__((always_inline)) {
        const auto   t = static_cast<std::size_t>(index);
        const Vec3d& n = m.normals[t];
        for (std::size_t i = 0; i < 3; ++i) triangle.corners[i] = m.points[static_cast<std::size_t>(m.triangles[t][i])];
        const double high = dot(n, c - triangle.corners[0]);
        if (high > radius + reach || (!(m.floor > 0) && high < 0)) return;  // above it, or behind: one-sided
        if (!overlaps(triangle.corners, box)) return;
        const Surroundings around = surroundings(m, t);
        candidates.face = assumed.face = triangle_name(index);
        rest.overlapping               = false;
        const bool pierced = collide_face(triangle, n, around, local, reach, merge, candidates, assumed, rest);
        if (rest.overlapping) overlap.add(index);
        if (!pierced) return;
        Vec3d              p1;
        const std::int32_t below = over_deepest(m, index, local, c, p1);
        if (below < 0) return;
        const auto   k    = static_cast<std::size_t>(below);
        const double deep = dot(m.normals[k], p1 - m.points[static_cast<std::size_t>(m.triangles[k][0])]);
        assumed.face      = triangle_name(below);
        if (deep < 0)
            assumed.add({p1 - deep * m.normals[k], p1, m.normals[k], deep, feature_name(Found::over_a_triangle)}, merge);
    };
    // From the kept list or the tree, each triangle once.
    near.visit(m, box, look);
    candidates.face = 0;
    settle(candidates, assumed, merge);
    const ContactPoint* last = candidates.count == 0 ? rest.point() : nullptr;
    if (last && last->distance <= reach) candidates.add(*last, 0);
    complete(rest, reach, 1e-5 * small, candidates);
    if (candidates.count == 0 && m.closed) recover(m, local, radius, reach, candidates);
    if (m.closed && (overlap.any() || (candidates.count > 0 && candidates.points[0].distance < 0)))
        overlap.add_backs(box);
    if (!(m.floor > 0)) overlap.limit(candidates, 1e-5 * small);
    Manifold found;
    emit_by_normal(candidates, found);
    for (int i = 0; i < found.count; ++i) {
        const ContactPoint& p = found.points[static_cast<std::size_t>(i)];
        out.add({mesh.p + mesh.R * p.p0, mesh.p + mesh.R * p.p1, mesh.R * p.normal, p.distance, p.feature});
    }
}

namespace {

/// A triangle of `mesh` as a convex shape in the frame of `to`.
Shape triangle_of(const Shape& mesh, const Shape& to, std::size_t t)
{
    Shape s;
    s.kind = ShapeKind::triangle;
    for (std::size_t i = 0; i < 3; ++i)
        s.corners[i] = transpose_times(
            to.R, mesh.p + mesh.R * mesh.mesh->points[static_cast<std::size_t>(mesh.mesh->triangles[t][i])] - to.p);
    return s;
}

/// Adds the points that belong to the other triangle as well: its matter must lie behind them, and the normal within
/// its own bend.
void keep_shared(const Candidates& found, const Shape& other, const Vec3d& n_other, const Surroundings& around,
                 double merge, Candidates& out)
{
    for (std::size_t i = 0; i < found.count; ++i) {
        const ContactPoint& p = found.points[i];
        if (dot(p.normal, n_other) < -1e-3 && owns(other, n_other, around, -p.normal)) out.add(p, merge);
    }
}

/// The pairs of triangles of two closed meshes that reach into each other, and the shortest way of the second mesh found
/// that frees it of all of them: as `Overlap` for a convex shape.
class SurfaceOverlap {
  public:
    // Frames: pairs and ways are in the frame of the first mesh; a way moves the second one.
    SurfaceOverlap(const Shape& a, const Shape& b) : a_(a), b_(b) {}

    void add(std::int32_t first, std::size_t second)
    {
        if (count_ < kMost) pairs_[count_] = {static_cast<std::size_t>(first), second};
        ++count_;
    }

    /// Drops what is deeper than the way; where that leaves nothing as deep, the way itself is a contact.
    void limit(Candidates& found, double slack)
    {
        if (count_ == 0 || count_ > kMost) return;
        double deepest = 0;
        for (const ContactPoint& p : found.all()) deepest = std::min(deepest, p.distance);
        least_ = -deepest - slack;  // what is longer changes nothing
        if (!(least_ > 0)) return;
        for (const ContactPoint& p : found.all())
            if (p.distance < 0) offer(p.normal);
        for (std::size_t i = 0; i < count_; ++i) {
            offer(a_.mesh->normals[pairs_[i].first]);
            offer(-transpose_times(a_.R, b_.R * b_.mesh->normals[pairs_[i].second]));
        }
        if (way_ == Vec3d{} || !is_free(slack)) return;
        const auto too_deep = [&](const ContactPoint& p) { return p.distance < -least_ - slack; };
        const auto kept     = std::ranges::remove_if(found.all(), too_deep).begin();
        found.count         = static_cast<std::size_t>(kept - found.all().begin());
        deepest             = 0;
        for (const ContactPoint& p : found.all()) deepest = std::min(deepest, p.distance);
        if (deepest <= -least_ + slack) return;
        found.face = 0;
        found.add({at_, at_ - least_ * way_, way_, -least_, feature_name(Found::way_out)}, slack);
    }

  private:
    [[nodiscard]] Shape first(std::size_t t) const
    {
        Shape s;
        s.kind = ShapeKind::triangle;
        for (std::size_t i = 0; i < 3; ++i)
            s.corners[i] = a_.mesh->points[static_cast<std::size_t>(a_.mesh->triangles[t][i])];
        return s;
    }
    void offer(const Vec3d& n)
    {
        if (dot(n, n) < 0.5 || dot(n, last_) > 1 - 1e-12) return;
        last_        = n;
        double depth = 0;
        Vec3d  at;
        for (std::size_t i = 0; i < count_ && depth < least_; ++i) {
            const Vec3d  high = support(first(pairs_[i].first), n), low = support(triangle_of(b_, a_, pairs_[i].second), -n);
            const double d    = dot(n, high - low);
            if (d > depth) depth = d, at = high;
        }
        if (depth > 0 && depth < least_) least_ = depth, way_ = n, at_ = at;
    }
    /// Whether the way leads out of the whole surface, and not into other triangles.
    [[nodiscard]] bool is_free(double slack) const
    {
        // Brute force over the triangles of the second mesh with the tree of the first: it is asked once per pair of
        // meshes that overlap.
        const Vec3d by   = (least_ + slack) * way_;
        bool        free = true;
        for (std::size_t k = 0; k < b_.mesh->triangles.size() && free; ++k) {
            Shape moved = triangle_of(b_, a_, k);
            for (Vec3d& c : moved.corners) c += by;
            const geometry::Aabbd box = bounds(moved);
            if (!geometry::overlaps(box, a_.mesh->bvh.bounds())) continue;
            a_.mesh->bvh.for_each_overlap(box, [&](std::int32_t index) {
                free = free && core_distance_apart(first(static_cast<std::size_t>(index)), moved).distance > 0;
            });
        }
        return free;
    }

    static constexpr std::size_t kMost = 128;  ///< of more the shortest way is not looked for

    const Shape &a_, &b_;
    std::array<std::pair<std::size_t, std::size_t>, kMost> pairs_{};
    std::size_t count_ = 0;
    double      least_ = kInfinity;
    Vec3d       way_, last_, at_;
};

/// Triangle against triangle, each facing the other: a face, edge or corner touches another only if some pair of their
/// faces does.
void collide_surfaces(const Shape& a, const Shape& b, double reach, Manifold& out)
{
    const MeshShape &ma = *a.mesh, &mb = *b.mesh;
    Candidates       all, assumed_all;
    LastResort       rest;
    SurfaceOverlap   overlap(a, b);
    const bool       closed = ma.closed && mb.closed;
    const Vec3d      r{reach, reach, reach};
    for (std::size_t k = 0; k < mb.triangles.size(); ++k) {
        const Shape     tb  = triangle_of(b, a, k);
        geometry::Aabbd box = bounds(tb);
        box.lower -= r, box.upper += r;
        box.upper.z += ma.floor;
        if (!geometry::overlaps(box, ma.bvh.bounds())) continue;
        const Vec3d        nb       = transpose_times(a.R, b.R * mb.normals[k]);
        const Surroundings around_b = surroundings(mb, k);
        const double       merge    = 1e-3 * bounding_radius(tb);
        ma.bvh.for_each_overlap(box, [&](std::int32_t index) {
            const auto   t  = static_cast<std::size_t>(index);
            const Vec3d& na = ma.normals[t];
            // Two faces that do not face each other cannot touch first; -1e-3 leaves out those at right angles to
            // rounding.
            if (dot(na, nb) > -1e-3) return;
            Shape ta;
            ta.kind = ShapeKind::triangle;
            for (std::size_t i = 0; i < 3; ++i) ta.corners[i] = ma.points[static_cast<std::size_t>(ma.triangles[t][i])];
            // The other triangle lies behind this one altogether.
            if (dot(nb, support(ta, -nb) - tb.corners[0]) > reach) return;
            Candidates own, assumed;
            own.face = assumed.face = triangles_name(index, k, mb.triangles.size());
            rest.overlapping        = false;
            collide_face(ta, na, surroundings(ma, t), tb, reach, merge, own, assumed, rest);
            if (closed && rest.overlapping) overlap.add(index, k);
            keep_shared(own, tb, nb, around_b, merge, all);
            keep_shared(assumed, tb, nb, around_b, merge, assumed_all);
        });
    }
    settle(all, assumed_all, 1e-3 * bounding_radius(b));
    overlap.limit(all, 1e-5 * std::min(bounding_radius(a), bounding_radius(b)));
    Manifold found;
    emit_by_normal(all, found);
    for (int i = 0; i < found.count; ++i) {
        const ContactPoint& p = found.points[static_cast<std::size_t>(i)];
        out.add({a.p + a.R * p.p0, a.p + a.R * p.p1, a.R * p.normal, p.distance, p.feature});
    }
}

}  // namespace

/// A convex one is its hull against the triangles of the other; of two that are hollow somewhere the smaller one brings
/// its triangles. A height field is always the surface.
/// Ranks: a height field stays a surface, a convex mesh is best as the solid. Of equals the smaller has fewer triangles
/// near the contact.
bool second_is_surface(const Shape& a, const Shape& b)
{
    const auto solid_rank = [](const Shape& s) { return s.mesh->floor > 0 ? 0 : s.mesh->hull ? 2 : 1; };
    const int  ra = solid_rank(a), rb = solid_rank(b);
    return ra != rb ? ra > rb : bounding_radius(a) < bounding_radius(b);
}

void collide_mesh_mesh(const Shape& a, const Shape& b, double reach, Manifold& out)
{
    if (a.mesh->bvh.empty() || b.mesh->bvh.empty()) return;
    const bool   first_is_solid = second_is_surface(a, b);
    const Shape &surface = first_is_solid ? b : a, &other = first_is_solid ? a : b;
    Manifold     found;
    if (other.mesh->hull) {
        collide_mesh_convex(surface, as_hull(other), reach, found);
    } else {
        collide_surfaces(surface, other, reach, found);
    }
    for (int i = 0; i < found.count; ++i) {
        ContactPoint p = found.points[static_cast<std::size_t>(i)];
        if (first_is_solid) p = {p.p1, p.p0, -p.normal, p.distance, p.feature};
        out.add(p);
    }
}

}  // namespace mechane::collision
