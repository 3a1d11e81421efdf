#include "epa.h"

#include <algorithm>

#include "mechane/geometry/closest.h"
#include "scratch.h"

namespace mechane::collision {

namespace {

constexpr std::size_t kMaxVertices = 160, kMaxFaces = 320, kMaxHorizon = 160;

/// A convex polytope inside a - b that grows towards the boundary point nearest to the origin. The origin may start
/// outside of it: faces then have negative offsets and are expanded first.
class Polytope {
  public:
    struct Face {
        std::array<std::int32_t, 3> v;
        Vec3d                       normal;
        double offset;  ///< of the plane from the origin; infinite for a sliver, which is never chosen
        bool   alive;
    };

    void add_face(std::int32_t i, std::int32_t j, std::int32_t k)
    {
        if (face_count >= kMaxFaces) return;
        const Vec3d& p = point(i).w;
        const Vec3d  e = point(j).w - p, f = point(k).w - p;
        const Vec3d  c      = cross(e, f);
        const double n      = length(c);
        const bool   thin   = !(n > 1e-14 * std::max(length_squared(e), length_squared(f)));
        const Vec3d  u      = thin ? Vec3d{} : c / n;
        faces[face_count++] = {{i, j, k}, u, thin ? kInfinity : dot(u, p), true};
    }
    const MinkowskiPoint& point(std::int32_t i) const { return vertices[static_cast<std::size_t>(i)]; }

    /// The living face nearest to the origin, the first one among equals.
    const Face* nearest() const
    {
        const Face* best = nullptr;
        for (std::size_t i = 0; i < face_count; ++i)
            if (faces[i].alive && faces[i].offset < kInfinity && (!best || faces[i].offset < best->offset))
                best = &faces[i];
        return best;
    }

    /// Takes the new vertex into the hull: faces that see it go, the edges of the hole are joined to it. False when
    /// full.
    bool grow(const MinkowskiPoint& w, double tolerance)
    {
        if (vertex_count >= kMaxVertices) return false;
        std::array<std::array<std::int32_t, 2>, kMaxHorizon> horizon;
        std::size_t                                          edges   = 0;
        std::size_t                                          removed = 0;
        for (std::size_t i = 0; i < face_count; ++i) {
            Face& f = faces[i];
            if (!f.alive || f.offset == kInfinity || !(dot(f.normal, w.w) - f.offset > tolerance)) continue;
            f.alive = false;
            ++removed;
            for (std::size_t e = 0; e < 3; ++e) {
                const std::int32_t from = f.v[e], to = f.v[(e + 1) % 3];
                const auto twin = std::find_if(horizon.begin(), horizon.begin() + static_cast<std::ptrdiff_t>(edges),
                                               [&](const auto& h) { return h[0] == to && h[1] == from; });
                if (twin != horizon.begin() + static_cast<std::ptrdiff_t>(edges)) {
                    *twin = horizon[--edges];
                } else if (edges < kMaxHorizon) {
                    horizon[edges++] = {from, to};
                } else {
                    return false;
                }
            }
        }
        if (removed == 0 || edges < 3) return false;
        std::size_t alive = 0;  // close the gaps, so that the face table never fills with dead entries
        for (std::size_t i = 0; i < face_count; ++i)
            if (faces[i].alive) faces[alive++] = faces[i];
        face_count = alive;
        if (face_count + edges > kMaxFaces) return false;
        vertices[vertex_count]   = w;
        const std::int32_t index = static_cast<std::int32_t>(vertex_count++);
        for (std::size_t e = 0; e < edges; ++e) add_face(horizon[e][0], horizon[e][1], index);
        return true;
    }

    Scratch<MinkowskiPoint, kMaxVertices> vertices;
    Scratch<Face, kMaxFaces>              faces;
    std::size_t                           vertex_count = 0, face_count = 0;
};

/// Keeps the direction of largest separation met so far. For overlapping cores every separation is <= 0 and the largest
/// is the signed distance; whatever was met is a proof that this translation suffices.
struct Certificate {
    const Shape&   a;
    const Shape&   b;
    double         separation = -kInfinity;
    Vec3d          normal{1, 0, 0};
    MinkowskiPoint at;

    void offer(const Vec3d& n, const MinkowskiPoint& w)
    {
        const double s = -dot(n, w.w);
        if (s > separation) {
            separation = s;
            normal     = n;
            at         = w;
        }
    }
    void offer(const Vec3d& n)
    {
        offer(n, minkowski_support(a, b, n));
        offer(-n, minkowski_support(a, b, -n));
    }
};

CoreDistance result_of(const Certificate& best)
{ return {.distance = best.separation, .normal = best.normal, .on_a = best.at.a, .on_b = best.at.b}; }

/// A tetrahedron of far-apart support points. False when a - b is flat; the flat direction has then been offered.
bool start(Polytope& poly, Certificate& best, double& extent)
{
    static const Vec3d kDirections[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},    {0, -1, 0},  {0, 0, 1},
                                        {0, 0, -1}, {1, 1, 1},  {-1, -1, -1}, {1, -1, -1}, {-1, 1, 1}};
    std::array<MinkowskiPoint, std::size(kDirections)> p;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3d n = normalized(kDirections[i]);
        p[i]          = minkowski_support(best.a, best.b, n);
        best.offer(n, p[i]);
    }
    const auto farthest = [&](auto&& measure) {
        std::size_t at = 0;
        for (std::size_t i = 1; i < p.size(); ++i)
            if (measure(p[i].w) > measure(p[at].w) * (1 + 1e-12)) at = i;
        return p[at];
    };
    const MinkowskiPoint p0 = p[0];
    const MinkowskiPoint p1 = farthest([&](const Vec3d& w) { return length_squared(w - p0.w); });
    const Vec3d          u  = p1.w - p0.w;
    extent                  = length(u);
    if (!(extent > 0)) return false;  // two points
    const MinkowskiPoint p2 = farthest([&](const Vec3d& w) { return length_squared(cross(w - p0.w, u)); });
    const Vec3d          c  = cross(u, p2.w - p0.w);
    if (!(length(c) > 1e-13 * extent * extent)) {  // a line
        const Vec3d n = any_perpendicular(normalized(u));
        best.offer(n);
        best.offer(cross(normalized(u), n));
        return false;
    }
    const Vec3d    n  = normalized(c);
    MinkowskiPoint up = minkowski_support(best.a, best.b, n), down = minkowski_support(best.a, best.b, -n);
    best.offer(n, up);
    best.offer(-n, down);
    const double rise = dot(n, up.w - p0.w), fall = dot(n, p0.w - down.w);
    if (!(std::max(rise, fall) > 1e-13 * extent)) return false;  // a flat figure: n has been offered
    const bool above = rise >= fall;
    poly.vertices[0] = p0, poly.vertices[1] = above ? p1 : p2, poly.vertices[2] = above ? p2 : p1,
    poly.vertices[3]  = above ? up : down;
    poly.vertex_count = 4;
    poly.add_face(0, 2, 1);  // faces away from the fourth point
    poly.add_face(0, 1, 3);
    poly.add_face(1, 2, 3);
    poly.add_face(2, 0, 3);
    return true;
}

}  // namespace

CoreDistance penetration(const Shape& a, const Shape& b)
{
    Polytope    poly;
    Certificate best{a, b};
    double      extent = 0;
    if (!start(poly, best, extent)) return result_of(best);
    const double          tolerance = 1e-10 * extent;
    const Polytope::Face* face      = poly.nearest();
    while (face) {
        const MinkowskiPoint w = minkowski_support(a, b, face->normal);
        best.offer(face->normal, w);
        if (dot(face->normal, w.w) - face->offset <= tolerance) break;
        if (!poly.grow(w, 1e-13 * extent)) break;
        face = poly.nearest();
    }
    if (!face || face->offset == kInfinity) return result_of(best);
    // Where the plane of the last face comes nearest to the origin, its corners say which points of a and b meet.
    const MinkowskiPoint &i = poly.point(face->v[0]), &j = poly.point(face->v[1]), &k = poly.point(face->v[2]);
    const Vec3d           m = geometry::closest_on_triangle(face->offset * face->normal, i.w, j.w, k.w).weights;
    CoreDistance          r = result_of(best);
    r.on_a                  = m.x * i.a + m.y * j.a + m.z * k.a;
    r.on_b                  = m.x * i.b + m.y * j.b + m.z * k.b;
    return r;
}

}  // namespace mechane::collision
