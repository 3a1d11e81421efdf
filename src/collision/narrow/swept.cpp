#include "swept.h"

#include <algorithm>
#include <cmath>

#include "mechane/collision/gjk.h"
#include "mechane/geometry/closest.h"
#include "scratch.h"

namespace mechane::collision {

namespace {

constexpr double kNever = kInfinity;

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

/// The second shape in flight, in the frame of the first.
class Course {
  public:
    Course(const Flight& a, const Flight& b, double dt)
        : a_(a), b_(b), rests_(a.motion->v == Vec3d{} && a.motion->w == Vec3d{}), X_WA_(a.motion->X_WB * a.X_BS)
    {
        const BodyMotion &ma = *a.motion, &mb = *b.motion;
        const double      arm = length(centre(*b.shape) - mb.com) + bounding_radius(*b.shape) - b.shape->core_radius();
        const double      wa = length(ma.w), wb = length(mb.w), v = length(mb.v - ma.v);
        // As in any turning frame: of its own turning, of Coriolis, and of the frame's.
        bend_  = wb * wb * arm + 2 * wa * (v + wb * arm) + wa * wa * (length(mb.com - ma.com) + v * dt + arm);
        speed_ = v + wb * arm + a.spin;
    }
    [[nodiscard]] Shape at(double t) const
    {
        const Posed X_WA = rests_ ? X_WA_ : flown(*a_.motion, t) * a_.X_BS;
        const Posed X_AB = inverse(X_WA) * (flown(*b_.motion, t) * b_.X_BS);
        Shape       s    = *b_.shape;
        s.p              = X_AB.p;
        s.R              = to_matrix(X_AB.q);
        return s;
    }
    /// Neither of these is exceeded by any point of the core.
    [[nodiscard]] double bend() const { return bend_; }    ///< acceleration [m/s^2]
    [[nodiscard]] double speed() const { return speed_; }  ///< against points of the first shape [m/s]

  private:
    const Flight &a_, &b_;
    bool          rests_;
    Posed         X_WA_;
    double        bend_, speed_;
};

/// Before this no point of a shape crosses a plane of which it is s0 off at `from` and s1 at `to` [m], when none
/// accelerates more than `bend`: less a parabola the distance from a plane is concave for each point, and so for the
/// lowest.
double earliest(double from, double to, double s0, double s1, double bend)
{
    if (!(s0 > 0)) return from;
    const double span = to - from, b = 0.5 * bend * span * span, slope = s1 - s0 - b;
    const double square_of = slope * slope - 4 * b * s0;
    if (s1 > 0 && (!(square_of >= 0) || slope >= 0 || -slope >= 2 * b)) return kNever;
    return from + std::min(1.0, 2 * s0 / (std::sqrt(std::max(0.0, square_of)) - slope)) * span;
}

/// A plane that separates the cores of a shape (in its own frame) and of another by `distance` [m].
struct Apart {
    double distance = 0;
    Vec3d  normal{1, 0, 0};
};

Apart apart(const Shape& a, const Shape& b, double limit)
{
    if (a.kind == ShapeKind::plane) return {support(b, {0, 0, -1}).z, {0, 0, 1}};
    if (a.kind == ShapeKind::triangle && b.kind == ShapeKind::sphere) {
        const Vec3d  way = b.p - geometry::closest_on_triangle(b.p, a.corners[0], a.corners[1], a.corners[2]).point;
        const double d   = length(way);
        return d > 0 ? Apart{d, way / d} : Apart{};
    }
    const CoreDistance core = core_distance_apart(a, b, limit);
    return {core.distance, core.normal};
}

/// A moment and where the second shape is then.
struct Moment {
    double t = 0;
    Shape  b;
};

/// The first time from `from` on and before `until` at which a convex shape (in its own frame) is about `near` off the
/// one in flight, or kNever. After each look a plane separates the two until the time that `earliest` tells.
/// @param apart_by  distance of the cores at which the margins are `near` apart [m]
double meet(const Shape& a, const Course& course, double from, const Moment& until, double apart_by, double near)
{
    constexpr int kLooks = 64, kHalvings = 6;
    for (int look = 0; look < kLooks; ++look) {
        const double left = apart_by + course.speed() * (until.t - from);
        const Apart  here = apart(a, course.at(from), left);
        const double s0   = here.distance - apart_by;
        if (s0 <= 0.5 * near) return from;
        const auto off = [&](const Shape& b) { return separation(a, b, here.normal) - apart_by; };
        double     to = until.t, s1 = off(until.b);
        for (int half = 0;; ++half) {
            const double t = earliest(from, to, s0, s1, course.bend());
            if (t == kNever && to == until.t) return kNever;
            if (t == kNever || t - from > 0.25 * (to - from) || half == kHalvings) {
                from = std::min(t, to);
                break;
            }
            // The bend decides, and over a shorter time less so.
            to = from + 0.5 * (to - from);
            s1 = off(course.at(to));
        }
        if (from >= until.t) return kNever;
    }
    return from;  // grazing: as good as touching
}

/// Of two convex shapes. The plane across their way where their middles are nearest rules out most pairs.
double meet_convex(const Shape& a, const Course& course, double dt, double margin, double near)
{
    const Moment first{0, course.at(0)}, last{dt, course.at(dt)};
    const double apart_by = a.core_radius() + first.b.core_radius() + margin + near;
    double       from     = 0;
    if (a.kind != ShapeKind::plane) {
        const Vec3d  p = centre(first.b) - centre(a), way = centre(last.b) - centre(first.b);
        const double way2 = length_squared(way), x = way2 > 0 ? std::clamp(-dot(p, way) / way2, 0.0, 1.0) : 0;
        const Vec3d  n = normalized(p + x * way, Vec3d{1, 0, 0});
        from =
            earliest(0, dt, separation(a, first.b, n) - apart_by, separation(a, last.b, n) - apart_by, course.bend());
    }
    return from < dt ? meet(a, course, from, last, apart_by, near) : kNever;
}

/// Of a surface of triangles: the first of them to be met, from its front, counts.
class SurfaceSweep {
  public:
    SurfaceSweep(const MeshShape& mesh, const Course& course, double dt, double margin, double near)
        : mesh_(mesh), course_(course), near_(near), first_{0, course.at(0)}, until_{dt, course.at(dt)}
    {
        apart_by_      = first_.b.core_radius() + margin + near;
        bulge_         = 0.125 * course.bend() * dt * dt;
        triangle_.kind = ShapeKind::triangle;
    }
    double run()
    {
        const geometry::Aabbd from = bounds(first_.b), to = bounds(until_.b);
        const double          grow = apart_by_ - first_.b.core_radius() + bulge_;
        const Vec3d           r{grow, grow, grow};
        mesh_.bvh.for_each_overlap({min(from.lower, to.lower) - r, max(from.upper, to.upper) + r},
                                   [&](std::int32_t index) { offer(index); });
        follow();
        return when_;
    }

  private:
    struct Candidate {
        double       from;
        std::int32_t triangle;
    };
    static constexpr std::size_t kMost = 64;  ///< looked at in order of time; more of them in groups

    void offer(std::int32_t index)
    {
        const auto   t = static_cast<std::size_t>(index);
        const Vec3d &n = mesh_.normals[t], &c = mesh_.points[static_cast<std::size_t>(mesh_.triangles[t][0])];
        if (!(mesh_.floor > 0) && std::max(dot(n, centre(first_.b) - c), dot(n, centre(until_.b) - c)) + bulge_ < 0)
            return;
        const auto   off  = [&](const Shape& b) { return dot(n, support(b, -n) - c) - apart_by_; };
        const double from = earliest(0, until_.t, off(first_.b), off(until_.b), course_.bend());
        if (!(from < std::min(when_, until_.t))) return;
        if (count_ == kMost) follow();
        candidates_[count_++] = {from, index};
    }
    void follow()
    {
        const std::span<Candidate> all(candidates_.data(), count_);
        std::sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) {
            return x.from != y.from ? x.from < y.from : x.triangle < y.triangle;
        });
        for (const Candidate& c : all) {
            if (!(c.from < until_.t)) break;
            const auto t = static_cast<std::size_t>(c.triangle);
            for (std::size_t i = 0; i < 3; ++i)
                triangle_.corners[i] = mesh_.points[static_cast<std::size_t>(mesh_.triangles[t][i])];
            const double touch = meet(triangle_, course_, c.from, until_, apart_by_, near_);
            if (touch == kNever) continue;
            Shape b = course_.at(touch);
            if (!(mesh_.floor > 0) && dot(mesh_.normals[t], centre(b) - triangle_.corners[0]) < 0) continue;
            when_  = touch;
            until_ = {touch, b};
        }
        count_ = 0;
    }

    const MeshShape&          mesh_;
    const Course&             course_;
    double                    near_, apart_by_, bulge_, when_ = kNever;
    Moment                    first_, until_;
    Shape                     triangle_;
    Scratch<Candidate, kMost> candidates_;
    std::size_t               count_ = 0;
};

/// Whether a shape may have sunk into the other where no distance tells: behind a face seen from one side only.
bool may_hide(const Shape& s)
{
    if (s.kind == ShapeKind::mesh) return !s.mesh->hull && (s.mesh->closed || s.mesh->floor > 0);
    return s.kind == ShapeKind::rectangle;
}

}  // namespace

bool find_touch(const Flight& a, const Flight& b, double dt, double margin, double near, Touch& out)
{
    const auto look = [&](double t, double reach) {
        out.X_WB0 = flown(*a.motion, t);
        out.X_WB1 = flown(*b.motion, t);
        // Relative to the first shape, as everywhere; a plane has no place of its own.
        out.origin         = a.shape->kind == ShapeKind::plane ? (out.X_WB1 * b.X_BS).p : (out.X_WB0 * a.X_BS).p;
        out.manifold.count = 0;
        collide(placed(a, out.X_WB0, out.origin), placed(b, out.X_WB1, out.origin), reach, out.manifold);
        return out.manifold.count > 0;
    };
    out.time = 0;
    if (a.shape->kind == ShapeKind::mesh && a.shape->mesh->bvh.empty()) return false;
    if (may_hide(*a.shape) && look(0, margin + 1.5 * near)) return true;
    const Course course(a, b, dt);
    if (a.shape->kind == ShapeKind::mesh && !a.shape->mesh->hull) {
        out.time = SurfaceSweep(*a.shape->mesh, course, dt, margin, near).run();
    } else {
        Shape solid = *a.shape;
        solid.p     = {};
        solid.R     = Mat33d::identity();
        if (solid.kind == ShapeKind::mesh) solid.kind = ShapeKind::hull, solid.hull = solid.mesh->hull.get();
        out.time = meet_convex(solid, course, dt, margin, near);
    }
    if (out.time == kNever) return false;
    if (out.time == 0) return true;
    const double left = (dt - out.time) * (length(b.motion->v - a.motion->v) + a.spin + b.spin);
    return look(out.time, margin + 1.5 * near + left);
}

}  // namespace mechane::collision
