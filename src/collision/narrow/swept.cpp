#include "swept.h"

#include <algorithm>

namespace mechane::collision {

namespace {

/// The body after `t` of flight.
Posed flown(const BodyMotion& m, double t)
{
    const Quatd turn = from_rotation_vector(t * m.w);
    return {m.com + t * m.v + rotate(turn, m.X_WB.p - m.com), normalized(turn * m.X_WB.q)};
}

Shape placed(const Flight& side, const Posed& X_WB, const Vec3d& origin)
{
    Shape       s    = *side.shape;
    const Posed X_WS = X_WB * side.X_BS;
    s.p              = X_WS.p - origin;
    s.R              = to_matrix(X_WS.q);
    return s;
}

}  // namespace

bool find_touch(const Flight& a, const Flight& b, double dt, double margin, double near, Touch& out)
{
    constexpr int kLooks   = 64;
    const Vec3d   relative = b.motion->v - a.motion->v;
    const double  spins    = a.spin + b.spin;
    double        t        = 0;
    for (int look = 0; look < kLooks; ++look) {
        out.time  = t;
        out.X_WB0 = flown(*a.motion, t);
        out.X_WB1 = flown(*b.motion, t);
        // Relative to the first shape, as everywhere; a plane has no place of its own.
        out.origin         = a.shape->kind == ShapeKind::plane ? (out.X_WB1 * b.X_BS).p : (out.X_WB0 * a.X_BS).p;
        const double left  = (dt - t) * (length(relative) + spins);
        out.manifold.count = 0;
        collide(placed(a, out.X_WB0, out.origin), placed(b, out.X_WB1, out.origin), margin + near + left, out.manifold);
        if (out.manifold.count == 0) return false;
        const auto          points = std::span(out.manifold.points).first(static_cast<std::size_t>(out.manifold.count));
        const ContactPoint& nearest = *std::min_element(
            points.begin(), points.end(), [](const auto& x, const auto& y) { return x.distance < y.distance; });
        const double distance = nearest.distance - margin;
        if (!(distance > 1.5 * near)) return true;
        const double closing = spins - dot(relative, nearest.normal);
        if (!(closing > 0)) return false;  // the plane between the two stays between them
        t += (distance - near) / closing;
        if (t > dt) return false;
    }
    return true;  // grazing: what was found last is as good as touching
}

}  // namespace mechane::collision
