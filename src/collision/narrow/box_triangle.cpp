// Distance and depth of a triangle and a box for contacts of meshes; the result is in the frame in which both shapes
// are given.
// Apart: separating axis test over the triangle's normal, the box's faces and the nine edge pairs (Akenine-Moeller
// 2001). It is exact only if witness points as far apart are found, which `touches` checks.
// Overlapping: the triangle is a prism that extends below its face, so the way out never leads through its back
// (`push_out`).

#include "box_triangle.h"

#include <algorithm>
#include <cmath>

#include "mechane/geometry/closest.h"
#include "mechane/math/simd.h"

namespace mechane::collision {

namespace {

/// Below a sine of 1e-7 the cross product of the edges is rounding noise, and a face axis says the same.
constexpr double kParallel = 1e-14;  ///< square of the sine below which two edges have no common perpendicular

Vec3d unit(std::size_t k, double s)
{
    Vec3d e;
    e[k] = s;
    return e;
}

/// Everything in the frame of the box.
class TriangleOnBox {
  public:
    TriangleOnBox(const Shape& triangle, const Vec3d& normal, const Shape& box)
        : h_(box.size), n_(transpose_times(box.R, normal))
    {
        for (std::size_t i = 0; i < 3; ++i) q_[i] = transpose_times(box.R, triangle.corners[i] - box.p);
        for (std::size_t i = 0; i < 3; ++i) edge_[i] = q_[(i + 1) % 3] - q_[i];
    }

    /// The axis along which the two are farthest apart. False as soon as it is beyond `limit`.
    /// Faces first: most triangles are refused by them. Axes of edge pairs are compared by squares, and only the best
    /// is normalised.
    bool separate(double limit)
    {
        const double height = dot(n_, q_[0]), r = dot(abs(n_), h_);
        offer(-height - r, n_, kNormal);
        offer(height - r, -n_, kNormal);
        for (std::size_t k = 0; k < 3; ++k) {
            offer(std::min({q_[0][k], q_[1][k], q_[2][k]}) - h_[k], unit(k, -1), kFace);
            offer(-h_[k] - std::max({q_[0][k], q_[1][k], q_[2][k]}), unit(k, 1), kFace);
        }
        if (apart > limit) return false;
        for (std::size_t e = 0; e < 3; ++e)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t u = (k + 1) % 3, v = (k + 2) % 3;
                // e_k x edge has no component k: two numbers are enough.
                const double      x = -edge_[e][v], y = edge_[e][u], square_of = x * x + y * y;  // e_k x edge
                if (!(square_of > kParallel * length_squared(edge_[e]))) continue;
                const auto   along = [&](const Vec3d& p) { return x * p[u] + y * p[v]; };
                // The edge's two ends project to one value, so the triangle's interval is that of one end and of the
                // corner opposite.
                const double a = along(q_[e]), b = along(q_[(e + 2) % 3]);
                const double room = std::abs(x) * h_[u] + std::abs(y) * h_[v];
                const double low = std::min(a, b) - room, high = -room - std::max(a, b), most = std::max(low, high);
                // Only what is better is divided.
                if (most <= 0 ? apart > 0 || most * most > apart * apart * square_of
                              : apart > 0 && most * most <= apart * apart * square_of)
                    continue;
                const double scale = 1 / std::sqrt(square_of), s = low > high ? -scale : scale;
                Vec3d        way;
                way[u] = s * x, way[v] = s * y;
                offer(most * scale, way, kCrossing + 3 * e + k);
            }
        return !(apart > limit);
    }
    /// Whether points are known that are as far apart as the axis says: then it is the distance.
    bool touches(Vec3d& on_triangle, Vec3d& on_box) const
    {
        if (feature_ >= kCrossing) {
            // The axis was named with its pair of edges: their nearest points are the only candidates.
            const std::size_t e = (feature_ - kCrossing) / 3, k = (feature_ - kCrossing) % 3;
            Vec3d             middle;
            for (std::size_t i = 0; i < 3; ++i) middle[i] = axis[i] < 0 ? h_[i] : -h_[i];
            middle[k]        = 0;
            const Vec3d half = unit(k, h_[k]);
            const auto  near = geometry::closest_on_segments(q_[e], q_[(e + 1) % 3], middle - half, middle + half);
            on_triangle = near.a, on_box = near.b;
        } else if (feature_ == kFace) {
            std::size_t at = 0;
            for (std::size_t i = 1; i < 3; ++i)
                if (dot(axis, q_[i]) > dot(axis, q_[at])) at = i;
            on_triangle = q_[at];
            on_box      = max(-h_, min(h_, on_triangle));
        } else {
            return false;  // the foot of the lowest corner is not in the triangle, or this would not have been asked
        }
        // The squared distance of the witnesses may exceed the square of the axis' distance by rounding only.
        return length_squared(on_box - on_triangle) <= apart * apart * (1 + 2e-11);
    }

    /// The least way out of the prism.
    void push_out(double deep)
    {
        deep_ = deep;
        // First guess: straight up through the face. Every other way must be clearly shorter to replace it.
        least = dot(n_, q_[0]) + dot(abs(n_), h_);
        axis  = n_;
        for (std::size_t k = 0; k < 3; ++k) {
            way_out(std::max({q_[0][k], q_[1][k], q_[2][k]}) + h_[k], n_[k], unit(k, 1));
            way_out(h_[k] - std::min({q_[0][k], q_[1][k], q_[2][k]}), -n_[k], unit(k, -1));
        }
        for (std::size_t e = 0; e < 3; ++e) {
            const Vec3d  outward = cross(edge_[e], n_);
            const double scale   = 1 / length(outward);
            if (!std::isfinite(scale)) continue;
            way_out(scale * (dot(outward, q_[e]) + dot(abs(outward), h_)), 0, scale * outward);
        }
        // The prism has the edges of the triangle and its own direction n: crossings of all of them with the box's
        // edges.
        for (std::size_t k = 0; k < 3; ++k) {
            for (const Vec3d& e : edge_) crossing(k, e);
            crossing(k, n_);
        }
    }
    [[nodiscard]] Vec3d corner_along(const Vec3d& d) const
    {
        const double x = dot(q_[0], d), y = dot(q_[1], d), z = dot(q_[2], d);
        return x >= y && x >= z ? q_[0] : y >= z ? q_[1] : q_[2];
    }
    [[nodiscard]] Vec3d box_along(const Vec3d& d) const
    { return {d.x < 0 ? -h_.x : h_.x, d.y < 0 ? -h_.y : h_.y, d.z < 0 ? -h_.z : h_.z}; }

    double apart = -kInfinity;  ///< along `axis`; negative: how far they overlap there
    double least = kInfinity;   ///< way out along `axis`
    Vec3d  axis;                ///< from the triangle to the box, unit

  private:
    static constexpr std::size_t kNormal = 0, kFace = 1, kCrossing = 2;

    void offer(double distance, const Vec3d& n, std::size_t feature)
    {
        if (distance > apart) apart = distance, axis = n, feature_ = feature;
    }
    /// @param rise  cosine between the way and the normal: where negative it leads through the bottom of the prism
    void way_out(double depth, double rise, const Vec3d& n)
    {
        // A way that leads down must also pass the depth of the prism, in proportion to how much it leads down.
        depth += deep_ * std::max(0.0, -rise);
        // A relative margin, so that of equal ways the first is kept whatever the rounding.
        if (depth < least * (1 - 1e-12)) least = depth, axis = n;
    }
    void crossing(std::size_t k, const Vec3d& edge)
    {
        const std::size_t u = (k + 1) % 3, v = (k + 2) % 3;
        const double      x = -edge[v], y = edge[u], square_of = x * x + y * y;
        if (!(square_of > kParallel * length_squared(edge))) return;
        const double scale = 1 / std::sqrt(square_of), room = std::abs(x) * h_[u] + std::abs(y) * h_[v];
        const auto   along = [&](const Vec3d& p) { return x * p[u] + y * p[v]; };
        const double a = along(q_[0]), b = along(q_[1]), c = along(q_[2]), rise = scale * along(n_);
        Vec3d        way;
        way[u] = scale * x, way[v] = scale * y;
        way_out(scale * (std::max({a, b, c}) + room), rise, way);
        way_out(scale * (room - std::min({a, b, c})), -rise, -way);
    }

    Vec3d                h_, n_;
    std::array<Vec3d, 3> q_, edge_;
    std::size_t          feature_ = kNormal;
    double               deep_    = 0;
};

}  // namespace

MCH_CLONES_AVX2 CoreDistance triangle_box_distance(const Shape& triangle, const Vec3d& normal, const Shape& box, double limit,
                                            double deep)
{
    TriangleOnBox         pair(triangle, normal, box);
    const bool   near = pair.separate(limit);
    CoreDistance out{.distance = pair.apart, .normal = box.R * pair.axis, .on_a = {}, .on_b = {}};
    if (!near) return out;
    Vec3d on_triangle, on_box;
    if (!(pair.apart > 0 && pair.touches(on_triangle, on_box))) {
        // The axis still serves GJK as its first direction, which usually saves most iterations.
        if (pair.apart > 0) {  // corner against corner or edge: no axis is exact, but it is a good start
            const CoreDistance core = core_distance_apart(triangle, box, limit, -out.normal);
            if (core.distance > 0) return core;
        }
        pair.push_out(deep);
        out.distance = -pair.least;
        out.normal   = box.R * pair.axis;
        on_triangle  = pair.corner_along(pair.axis);
        on_box       = pair.box_along(-pair.axis);
    }
    out.on_a = box.p + box.R * on_triangle;
    out.on_b = box.p + box.R * on_box;
    return out;
}

}  // namespace mechane::collision
