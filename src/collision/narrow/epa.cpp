// Penetration depth of convex cores by the expanding polytope (van den Bergen 2001), after GJK has found an overlap.
// Everything is in the frame of the first shape: the polytope lies inside the Minkowski difference a - b and grows
// towards its boundary. The nearest point of the boundary gives depth and normal.
// Polytopes are met exactly, round surfaces to 1e-7 of the depth. Near a round surface, local_depth.cpp solves for the
// minimum instead of adding faces one by one. Called from gjk.cpp only.

#include "epa.h"

#include <algorithm>

#include "feature.h"
#include "local_depth.h"
#include "mechane/geometry/closest.h"
#include "mechane/math/simd.h"
#include "polytope.h"

namespace mechane::collision {

namespace {

/// Keeps the direction of largest separation met so far. For overlapping cores every separation is <= 0 and the largest
/// is the signed distance; whatever was met is a proof that this translation suffices.
struct Certificate {
    double         separation = -kInfinity;
    Vec3d          normal{1, 0, 0};
    MinkowskiPoint at{};

    void offer(const Vec3d& n, const MinkowskiPoint& w)
    {
        // The plane through w across n separates the difference from the origin by -n . w: moving b by that much along
        // n frees it.
        const double s = -dot(n, w.w);
        if (s > separation) {
            separation = s;
            normal     = n;
            at         = w;
        }
    }
    void offer(const Difference& difference, const Vec3d& n)
    {
        offer(n, difference(n));
        offer(-n, difference(-n));
    }
};

/// The points of a and b that belong to the point m of the triangle (i, j, k) of a - b, given by its weights.
CoreDistance result_of(double distance, const Vec3d& n, const Vec3d& m, const MinkowskiPoint& i,
                       const MinkowskiPoint& j, const MinkowskiPoint& k)
{
    const Vec3d b = m.x * i.b + m.y * j.b + m.z * k.b;
    return {.distance = distance, .normal = n, .on_a = m.x * i.w + m.y * j.w + m.z * k.w + b, .on_b = b};
}

CoreDistance result_of(const LocalDepth& solved)
{
    return {
        .distance = -solved.depth, .normal = solved.n, .on_a = solved.b + solved.depth * solved.n, .on_b = solved.b};
}

/// Whether four points span a volume that rounding leaves in peace.
[[gnu::always_inline]] inline bool is_thick(std::span<const MinkowskiPoint> p)
{
    if (p.size() != 4) return false;
    const Vec3d  e = p[1].w - p[0].w, f = p[2].w - p[0].w, g = p[3].w - p[0].w;
    const double side = std::max({length_squared(e), length_squared(f), length_squared(g)});
    // The volume of a tetrahedron beside the cube of its side; 1e-9 leaves six digits for the normals of its faces.
    return std::abs(dot(e, cross(f, g))) > 1e-9 * side * std::sqrt(side);
}

/// Of a flat difference: a and b meet where the simplex comes nearest to the origin.
CoreDistance result_of(const Certificate& best, std::span<const MinkowskiPoint> simplex)
{
    CoreDistance      result{.distance = best.separation, .normal = best.normal};
    const std::size_t n     = simplex.size();
    double            least = kInfinity;
    // A full simplex of four has four triangles, each without one vertex; a smaller one is a triangle with repeated
    // vertices.
    for (std::size_t lacking = 0; lacking < (n == 4 ? n : 1); ++lacking) {
        const auto at = [&](std::size_t i) { return simplex[std::min(i < lacking ? i : i + (n == 4), n - 1)]; };
        const MinkowskiPoint i = at(0), j = at(1), k = at(2);
        const auto           nearest = geometry::nearest_to_origin(i.w, j.w, k.w);
        if (!(length_squared(nearest.point) < least)) continue;
        least  = length_squared(nearest.point);
        result = result_of(best.separation, best.normal, nearest.weights, i, j, k);
    }
    return result;
}

/// A tetrahedron of far-apart support points. False when a - b is flat; the flat direction has then been offered.
bool span_volume(const Difference& difference, Polytope& poly, Certificate& best)
{
    static const Vec3d kDirections[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},    {0, -1, 0},  {0, 0, 1},
                                        {0, 0, -1}, {1, 1, 1},  {-1, -1, -1}, {1, -1, -1}, {-1, 1, 1}};
    std::array<MinkowskiPoint, std::size(kDirections)> p;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3d n = normalized(kDirections[i]);
        p[i]          = difference(n);
        best.offer(n, p[i]);
    }
    // The first among equals to 1e-12: the same tetrahedron is chosen on every platform.
    const auto farthest = [&](auto&& measure) {
        std::size_t at = 0;
        for (std::size_t i = 1; i < p.size(); ++i)
            if (measure(p[i].w) > measure(p[at].w) * (1 + 1e-12)) at = i;
        return p[at];
    };
    const MinkowskiPoint p0     = p[0];
    const MinkowskiPoint p1     = farthest([&](const Vec3d& w) { return length_squared(w - p0.w); });
    const Vec3d          u      = p1.w - p0.w;
    const double         extent = length(u);
    if (!(extent > 0)) return false;  // two points
    const MinkowskiPoint p2 = farthest([&](const Vec3d& w) { return length_squared(cross(w - p0.w, u)); });
    const Vec3d          c  = cross(u, p2.w - p0.w);
    if (!(length(c) > 1e-13 * extent * extent)) {  // a line
        const Vec3d n = any_perpendicular(normalized(u));
        best.offer(difference, n);
        best.offer(difference, cross(normalized(u), n));
        return false;
    }
    const Vec3d          n  = normalized(c);
    const MinkowskiPoint up = difference(n), down = difference(-n);
    best.offer(n, up);
    best.offer(-n, down);
    const double rise = dot(n, up.w - p0.w), fall = dot(n, p0.w - down.w);
    if (!(std::max(rise, fall) > 1e-13 * extent)) return false;  // a flat figure: n has been offered
    return poly.start(p0, p1, p2, rise >= fall ? up : down);
}

}  // namespace

MCH_CLONES_AVX2 CoreDistance penetration(const Difference& difference, std::span<const MinkowskiPoint> start)
{
    Polytope    poly;
    Certificate best;
    const bool  spanned = is_thick(start) && poly.start(start[0], start[1], start[2], start[3]);
    if (!spanned && !span_volume(difference, poly, best)) return result_of(best, start);
    double extent = 0;
    for (int i = 1; i < 4; ++i) extent = std::max(extent, length(poly.vertex(i).w - poly.vertex(0).w));
    // A polytope is met exactly. Round sides are met to 1e-7 of the depth (an angle of about 5e-4 rad), but seldom step
    // by step: once a face lies close under the surface, the least depth near it is solved for.
    // The polytope's coordinates have an error of some 1e-16 of its extent; 1e-10 is well above it and below any depth
    // that matters.
    const double tolerance = 1e-10 * extent, share = difference.curved ? 1e-7 : 0;
    const bool   solvable = difference.curved && has_known_creases(difference.a) && has_known_creases(difference.b);
    double       close    = solvable ? 3e-2 : 0;
    const auto   meeting  = [&](double distance, const Vec3d& n, const Polytope::Face& f, const Vec3d& foot) {
        const MinkowskiPoint &i = poly.vertex(f.v[0]), &j = poly.vertex(f.v[1]), &k = poly.vertex(f.v[2]);
        return result_of(distance, n, geometry::closest_on_triangle(foot, i.w, j.w, k.w).weights, i, j, k);
    };
    LocalDepth solved{.depth = kInfinity};
    int        last = 0;
    for (int face = poly.nearest(); face >= 0; face = poly.nearest()) {
        MinkowskiPoint* const w = poly.room();
        if (!w) break;
        last                        = face;
        const Polytope::Face& f     = poly.face(face);
        const double          scale = 1 / std::sqrt(f.size), offset = scale * f.height;
        // No face is nearer than the minimum that was solved for: it is the global one.
        if (offset >= (1 - share) * solved.depth) return result_of(solved);
        *w                  = difference(f.across);
        const double out_at = scale * dot(f.across, w->w);
        const Vec3d  n      = scale * f.across;
        best.offer(n, *w);
        const double gap = out_at - offset;
        // The support plane in the direction of the face is hardly beyond the face: this is the boundary.
        if (gap <= std::max(tolerance, -share * best.separation)) {
            // Where the plane of the face comes nearest to the origin, the corners of the triangle there say which
            // points of a and b meet.
            const Vec3d           foot = offset * n;
            const Polytope::Face& g =
                poly.face(poly.face_about(face, foot, std::max(1e-8 * extent, 2 * share * out_at)));
            return meeting(-out_at, n, g, foot);
        }
        // The face lies close below the surface; the local search is only trusted if it starts near its minimum.
        if (gap < close * out_at) {
            LocalDepth here;
            if (local_depth(difference, n, here) && here.depth <= out_at) {
                if (here.depth < solved.depth) solved = here;
                poly.pass_over(face);
                continue;
            }
            // Nothing near is proven to be a minimum: the next try waits for a face far closer under the surface.
            close *= 0.05;
        }
        // The vertex was not new to rounding, or the horizon was not one loop.
        if (!poly.grow(face, 1e-13 * extent)) break;
    }
    // Rounding or the room has ended it. Of a thin tip the faces lie far below the surface: it is looked for all the
    // same, and where it is as round as can be, any direction round it is as good.
    for (int face = last, tries = 0; solvable && face >= 0 && tries < 8; face = poly.nearest(), ++tries) {
        const Polytope::Face& f = poly.face(face);
        poly.pass_over(face);
        if (!(f.size > 0)) continue;
        const Vec3d n = (1 / std::sqrt(f.size)) * f.across, n_pair = difference.direction_in_pair(n);
        LocalDepth  here;
        if (local_depth(difference, n, here) && here.depth < solved.depth) solved = here;
        for (const Vec3d& natural : {natural_normal(difference.a, n_pair), -natural_normal(difference.b, -n_pair)}) {
            const Vec3d m = transpose_times(difference.a.R, natural);
            best.offer(m, difference(m));
        }
    }
    if (solved.depth <= -best.separation) return result_of(solved);
    // The direction that separates most, and the points of its support or of the face that was
    // nearest, whichever lie more nearly over each other.
    const CoreDistance of_face = meeting(best.separation, best.normal, poly.face(last), -best.separation * best.normal);
    const CoreDistance alone{
        .distance = best.separation, .normal = best.normal, .on_a = best.at.a(), .on_b = best.at.b};
    const auto aside = [](const CoreDistance& r) { return length_squared(r.on_b - r.on_a - r.distance * r.normal); };
    return aside(alone) < aside(of_face) ? alone : of_face;
}

}  // namespace mechane::collision
