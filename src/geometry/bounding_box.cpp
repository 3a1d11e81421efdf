// A small oriented box around points: axes from a face and an edge of the convex hull (O'Rourke 1985 shows that the
// smallest box has two such sides; here one face and one edge, which is near it). Points in any frame [m]; the pose is
// of the box in that frame.
// Of equal boxes the one with the smallest rotation is taken, so that an axis-aligned part gets an axis-aligned box.

#include <algorithm>

#include "mechane/geometry/codes.h"
#include "mechane/geometry/fit.h"
#include "mechane/geometry/hull.h"

namespace mechane::geometry {

namespace {

constexpr double kThickness = 1e-4;  // of flat inputs, relative to their extent

struct Extents {
    Vec3d lower{kInfinity, kInfinity, kInfinity}, upper{-kInfinity, -kInfinity, -kInfinity};

    [[nodiscard]] Vec3d size() const { return upper - lower; }
};

/// Along the columns of a rotation.
Extents extents_of(std::span<const Vec3d> points, const Mat33d& axes)
{
    Extents e;
    for (const Vec3d& p : points) {
        const Vec3d local = transpose_times(axes, p);
        e.lower           = min(e.lower, local);
        e.upper           = max(e.upper, local);
    }
    return e;
}

double volume(const Vec3d& size) { return size.x * size.y * size.z; }

/// The same box with its axes renamed and turned so that the rotation is as small as it can be.
/// 24 rotations give the same box: three axes in six orders with signs, of which half are mirrors. The trace is 1 + 2
/// cos(angle).
Mat33d nearest_to_identity(const Mat33d& axes)
{
    constexpr std::array<std::array<std::size_t, 3>, 6> kOrders = {
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
    Mat33d best = axes;
    for (std::size_t o = 0; o < kOrders.size(); ++o)
        for (unsigned signs = 0; signs < 8; ++signs) {
            const auto column = [&](std::size_t i) {
                return ((signs >> i) & 1u ? -1.0 : 1.0) * axes.column(kOrders[o][i]);
            };
            const Mat33d other = Mat33d::from_columns(column(0), column(1), column(2));
            if (determinant(other) > 0 && trace(other) > trace(best) + 1e-12) best = other;
        }
    return best;
}

/// Rotations with one side flush with a face of the hull and a second with one of its edges.
Mat33d smallest_axes(const Mesh& hull)
{
    Mat33d     best        = Mat33d::identity();
    double     best_volume = volume(extents_of(hull.points, best).size());
    const auto point       = [&](std::int32_t i) { return hull.points[static_cast<std::size_t>(i)]; };
    for (const auto& t : hull.triangles) {
        const Vec3d normal = normalized(cross(point(t[1]) - point(t[0]), point(t[2]) - point(t[0])));
        if (normal == Vec3d{}) continue;
        for (const auto& s : hull.triangles)
            for (std::size_t i = 0; i < 3; ++i) {
                // Each edge once.
                if (s[i] > s[(i + 1) % 3]) continue;  // the neighbour has this edge the other way round
                const Vec3d edge  = point(s[(i + 1) % 3]) - point(s[i]);
                const Vec3d along = edge - dot(edge, normal) * normal;
                // An edge across the face has no direction in it.
                if (!(length_squared(along) > 1e-6 * length_squared(edge))) continue;
                const Vec3d  u    = normalized(along);
                const Mat33d axes = Mat33d::from_columns(u, cross(normal, u), normal);
                const double v    = volume(extents_of(hull.points, axes).size());
                // Only clearly smaller boxes count: among equal ones the first stays, and the axis-aligned one is the
                // first of all.
                if (v < best_volume * (1 - 1e-9)) {
                    best_volume = v;
                    best        = axes;
                }
            }
    }
    return best;
}

}  // namespace

Result<OrientedBox> bounding_box(std::span<const Vec3d> points)
{
    for (const Vec3d& p : points)
        if (!is_finite(p)) return make_diagnostic(kFitEmpty, {}, "a point is not finite");
    if (points.empty()) return make_diagnostic(kFitEmpty, {}, "there are no points");

    Mat33d axes = Mat33d::identity();
    // The hull of a budget chooses the directions; the extents below are those of all points.
    if (const auto hull = build_hull(points, {.max_vertices = 48})) axes = nearest_to_identity(smallest_axes(*hull));
    const Quatd   q      = from_matrix(axes);
    // The extents are measured along the rounded quaternion, so that the box that is returned holds all points.
    const Extents e      = extents_of(points, to_matrix(q));
    const Vec3d   size   = e.size();
    const double  least  = kThickness * max_component(size);
    const Vec3d   centre = 0.5 * (e.lower + e.upper);
    return OrientedBox{{rotate(q, centre), q}, 0.5 * max(size, Vec3d{least, least, least})};
}

}  // namespace mechane::geometry
