#include "mechane/collision/gjk.h"

#include <algorithm>

#include "epa.h"
#include "mechane/geometry/closest.h"

namespace mechane::collision {

namespace {

/// The simplex in a - b with the weights of its point closest to the origin.
struct Simplex {
    std::array<MinkowskiPoint, 4> points;
    std::array<double, 4>         weights{};
    int                           count = 0;

    void drop_unused()
    {
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            const auto k = static_cast<std::size_t>(i);
            if (!(weights[k] > 0)) continue;
            points[static_cast<std::size_t>(kept)]  = points[k];
            weights[static_cast<std::size_t>(kept)] = weights[k];
            ++kept;
        }
        count = kept;
    }
};

/// Closest point of the triangle (i, j, k) of the simplex; writes the weights when it beats `least`.
void offer_triangle(const Simplex& s, std::size_t i, std::size_t j, std::size_t k, double& least, Vec3d& v,
                    std::array<double, 4>& weights)
{
    const auto   c = geometry::closest_on_triangle({}, s.points[i].w, s.points[j].w, s.points[k].w);
    const double d = length_squared(c.point);
    if (!(d < least)) return;
    least      = d;
    v          = c.point;
    weights    = {};
    weights[i] = c.weights.x, weights[j] = c.weights.y, weights[k] = c.weights.z;
}

/// Point of the simplex closest to the origin; drops the points it does not need. True when the origin is inside a
/// tetrahedron.
bool reduce(Simplex& s, Vec3d& v)
{
    if (s.count == 1) {
        s.weights[0] = 1;
        v            = s.points[0].w;
        return false;
    }
    if (s.count == 2) {
        const double t = geometry::closest_on_segment({}, s.points[0].w, s.points[1].w);
        s.weights[0] = 1 - t, s.weights[1] = t;
        v = s.points[0].w + t * (s.points[1].w - s.points[0].w);
        s.drop_unused();
        return false;
    }
    double                least = kInfinity;
    std::array<double, 4> weights{};
    if (s.count == 3) {
        offer_triangle(s, 0, 1, 2, least, v, weights);
    } else {
        static constexpr std::size_t kFaces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
        const double                 volume =
            dot(s.points[1].w - s.points[0].w, cross(s.points[2].w - s.points[0].w, s.points[3].w - s.points[0].w));
        double extent = 0;
        for (const auto& p : s.points) extent = std::max(extent, length_squared(p.w - s.points[0].w));
        const bool flat   = std::abs(volume) <= 1e-14 * extent * std::sqrt(extent);
        bool       inside = !flat;
        for (const auto& f : kFaces) {
            const Vec3d  n    = cross(s.points[f[1]].w - s.points[f[0]].w, s.points[f[2]].w - s.points[f[0]].w);
            const double mine = dot(n, s.points[f[0]].w), other = dot(n, s.points[f[3]].w - s.points[f[0]].w);
            if (!flat && -mine * other > 0) continue;  // the origin lies on the inner side of this face
            inside = false;
            offer_triangle(s, f[0], f[1], f[2], least, v, weights);
        }
        if (inside) return true;
    }
    s.weights = weights;
    s.drop_unused();
    return false;
}

}  // namespace

CoreDistance core_distance(const Shape& a, const Shape& b, double give_up)
{
    constexpr int    kIterations = 96;
    constexpr double kRelative   = 1e-11;  // of |v|^2: the distance is good to 5e-12, a smooth normal to about 3e-6 rad
    Vec3d            v           = centre(a) - centre(b);
    if (!(length_squared(v) > 0)) v = {1, 0, 0};
    Simplex simplex;
    double  extent = 0, least = kInfinity;
    // Thin simplices give the distance well and its direction badly, so the direction that separated most is kept
    // apart.
    double best = -kInfinity;
    Vec3d  normal{1, 0, 0};
    for (int i = 0; i < kIterations; ++i) {
        const MinkowskiPoint w  = minkowski_support(a, b, -v);
        const double         vv = length_squared(v), vw = dot(v, w.w);
        extent = std::max(extent, length_squared(w.w));
        if (simplex.count > 0) {
            const double separated = vw / std::sqrt(vv);
            if (separated > best) {
                best   = separated;
                normal = -v / std::sqrt(vv);
            }
            if (separated > give_up) return {separated, normal, w.a, w.b};
            bool known = vv - vw <= kRelative * vv;
            for (int k = 0; k < simplex.count; ++k)
                known = known || simplex.points[static_cast<std::size_t>(k)].w == w.w;
            if (known) break;
        }
        simplex.points[static_cast<std::size_t>(simplex.count++)] = w;
        const Simplex before                                      = simplex;
        const Vec3d   v_before                                    = v;
        if (reduce(simplex, v)) return penetration(a, b);
        const double now = length_squared(v);
        if (now <= 1e-22 * extent) return penetration(a, b);
        if (!(now < least)) {  // rounding has the last word: keep the better point
            if (i > 0) {
                simplex = before;
                --simplex.count;
                v = v_before;
                reduce(simplex, v);
            }
            break;
        }
        least = now;
    }
    const double d = length(v);
    if (!(d > 0)) return penetration(a, b);
    if (!(best > 0)) return penetration(a, b);
    CoreDistance result{.distance = d, .normal = normal};
    for (int k = 0; k < simplex.count; ++k) {
        const auto i = static_cast<std::size_t>(k);
        result.on_a += simplex.weights[i] * simplex.points[i].a;
        result.on_b += simplex.weights[i] * simplex.points[i].b;
    }
    return result;
}

}  // namespace mechane::collision
