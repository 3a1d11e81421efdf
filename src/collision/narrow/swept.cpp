#include "swept.h"

#include <algorithm>
#include <cmath>

#include "mechane/collision/gjk.h"
#include "mechane/geometry/closest.h"
#include "pairs.h"
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

/// A shape in flight, relative to a point of the world.
class Flying {
  public:
    Flying(const Flight& side, const Vec3d& origin)
        : shape_(*side.shape), com_(side.motion->com - origin), v_(side.motion->v), w_(side.motion->w)
    {
        shape_.p -= origin;
        arm_    = shape_.p - com_;
        radius_ = length(centre(shape_) - com_) + bounding_radius(shape_) - shape_.core_radius();
    }
    [[nodiscard]] Shape at(double t) const
    {
        Shape s = shape_;
        if (t == 0) return s;
        if (w_ == Vec3d{}) {
            s.p += t * v_;
            return s;
        }
        const Mat33d turn = to_matrix(from_rotation_vector(t * w_));
        s.p               = com_ + t * v_ + turn * arm_;
        s.R               = turn * shape_.R;
        return s;
    }
    [[nodiscard]] const Vec3d& com() const { return com_; }
    [[nodiscard]] const Vec3d& v() const { return v_; }
    [[nodiscard]] double       radius() const { return radius_; }  ///< of the core about the centre of mass [m]
    [[nodiscard]] double       turning() const { return length(w_); }
    [[nodiscard]] bool         rests() const { return v_ == Vec3d{} && w_ == Vec3d{}; }

  private:
    Shape  shape_;
    Vec3d  com_, v_, w_, arm_;
    double radius_;
};

/// Two convex shapes in the world.
class FreeCourse {
  public:
    FreeCourse(const Flying& a, const Flying& b) : a_(a), b_(b)
    {
        const double turn_a = a.turning() * a.radius(), turn_b = b.turning() * b.radius();
        bend  = a.turning() * turn_a + b.turning() * turn_b;
        speed = length(b.v() - a.v()) + turn_a + turn_b;
    }
    [[nodiscard]] Shape first(double t) const { return a_.at(t); }
    [[nodiscard]] Shape second(double t) const { return b_.at(t); }

    /// Neither of these is exceeded by a point of one core, seen from the other.
    double bend;   ///< acceleration [m/s^2]
    double speed;  ///< [m/s]

  private:
    const Flying &a_, &b_;
};

/// The second shape in the frame of the first, which may have any extent.
class RelativeCourse {
  public:
    RelativeCourse(const Flying& a, const Flying& b, double dt) : a_(a), b_(b), rests_(a.rests()), start_(a.at(0))
    {
        const double wa = a.turning(), wb = b.turning(), r = b.radius(), v = length(b.v() - a.v());
        const double away = length(b.com() - a.com()) + v * dt + r;
        // Of its own turning, of Coriolis, and of the frame's turning.
        bend  = wb * wb * r + 2 * wa * (v + wb * r) + wa * wa * away;
        speed = v + wb * r + wa * away;
    }
    [[nodiscard]] Shape second(double t) const
    {
        Shape s = b_.at(t);
        rests_ ? seen_from(start_, s) : seen_from(a_.at(t), s);
        return s;
    }
    double bend, speed;

  private:
    static void seen_from(const Shape& frame, Shape& s)
    {
        s.p = transpose_times(frame.R, s.p - frame.p);
        s.R = transpose(frame.R) * s.R;
    }
    const Flying &a_, &b_;
    bool          rests_;
    Shape         start_;
};

/// The same with a part of the first shape.
struct PartCourse {
    [[nodiscard]] const Shape& first(double) const { return part; }
    [[nodiscard]] Shape        second(double t) const { return whole.second(t); }

    const Shape&          part;
    const RelativeCourse& whole;
    double                bend = whole.bend, speed = whole.speed;
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

/// A plane that separates two cores by `distance` [m], or one by more than `limit`.
struct Apart {
    double distance = 0;
    Vec3d  normal;
};

/// @param guess  a normal that may be near
Apart apart(const Shape& a, const Shape& b, double limit, const Vec3d& guess)
{
    if (a.kind == ShapeKind::plane) {
        const Vec3d n = a.R.column(2);
        return {dot(n, support(b, -n) - a.p), n};
    }
    if (a.kind == ShapeKind::triangle && b.kind == ShapeKind::sphere) {
        const Vec3d  way = b.p - geometry::closest_on_triangle(b.p, a.corners[0], a.corners[1], a.corners[2]).point;
        const double d   = length(way);
        return d > 0 ? Apart{d, way / d} : Apart{};
    }
    const CoreDistance core = core_distance_apart(a, b, limit, -guess);
    return {core.distance, core.normal};
}

/// A moment and where the second shape is then.
struct Moment {
    double t = 0;
    Shape  b;
};

/// The first time from `from` on and before `until` at which two convex shapes in flight are about `near` apart, or
/// kNever. After each look a plane separates the two until the time that `earliest` tells.
/// @param apart_by  distance of the cores at which the margins are `near` apart [m]
/// @param guess     of the normal at first
template <class Course>
double meet(const Course& course, double from, const Moment& until, double apart_by, double near, Vec3d guess)
{
    constexpr int kLooks = 64, kHalvings = 6;
    for (int look = 0; look < kLooks; ++look) {
        const double left = apart_by + course.speed * (until.t - from);
        const Apart  here = apart(course.first(from), course.second(from), left, guess);
        const double s0   = here.distance - apart_by;
        if (s0 <= 0.5 * near) return from;
        guess          = here.normal;
        const auto off = [&](double t, const Shape& b) { return separation(course.first(t), b, guess) - apart_by; };
        double     to = until.t, s1 = off(to, until.b);
        for (int half = 0;; ++half) {
            const double t = earliest(from, to, s0, s1, course.bend);
            if (t == kNever && to == until.t) return kNever;
            if (t == kNever || t - from > 0.25 * (to - from) || half == kHalvings) {
                from = std::min(t, to);
                break;
            }
            // The bend decides, and over a shorter time less so.
            to = from + 0.5 * (to - from);
            s1 = off(to, course.second(to));
        }
        if (from >= until.t) return kNever;
    }
    return from;  // grazing: as good as touching
}

/// Of two convex shapes. The plane across their way where their middles are nearest rules out most pairs.
double meet_convex(const FreeCourse& course, double dt, double margin, double near)
{
    const Shape  a0 = course.first(0), a1 = course.first(dt), b0 = course.second(0);
    const Moment last{dt, course.second(dt)};
    const double apart_by = a0.core_radius() + b0.core_radius() + margin + near;
    const Vec3d  p = centre(b0) - centre(a0), way = centre(last.b) - centre(a1) - p;
    const double way2 = length_squared(way), x = way2 > 0 ? std::clamp(-dot(p, way) / way2, 0.0, 1.0) : 0;
    const Vec3d  n = normalized(p + x * way, Vec3d{1, 0, 0});
    const double from =
        earliest(0, dt, separation(a0, b0, n) - apart_by, separation(a1, last.b, n) - apart_by, course.bend);
    return from < dt ? meet(course, from, last, apart_by, near, n) : kNever;
}

/// Of a surface of triangles: the first of them to be met, from its front, counts.
class SurfaceSweep {
  public:
    SurfaceSweep(const MeshShape& mesh, const RelativeCourse& course, double dt, double margin, double near)
        : mesh_(mesh), course_(course), near_(near), first_(course.second(0)), until_{dt, course.second(dt)}
    {
        apart_by_      = first_.core_radius() + margin + near;
        bulge_         = 0.125 * course.bend * dt * dt;
        triangle_.kind = ShapeKind::triangle;
    }
    double run()
    {
        const geometry::Aabbd from = bounds(first_), to = bounds(until_.b);
        const double          grow = apart_by_ - first_.core_radius() + bulge_;
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
        if (!(mesh_.floor > 0) && std::max(dot(n, centre(first_) - c), dot(n, centre(until_.b) - c)) + bulge_ < 0)
            return;
        const auto   off  = [&](const Shape& b) { return dot(n, support(b, -n) - c) - apart_by_; };
        const double from = earliest(0, until_.t, off(first_), off(until_.b), course_.bend);
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
            const double touch =
                meet(PartCourse{triangle_, course_}, c.from, until_, apart_by_, near_, mesh_.normals[t]);
            if (touch == kNever) continue;
            Shape b = course_.second(touch);
            if (!(mesh_.floor > 0) && dot(mesh_.normals[t], centre(b) - triangle_.corners[0]) < 0) continue;
            when_  = touch;
            until_ = {touch, b};
        }
        count_ = 0;
    }

    const MeshShape&          mesh_;
    const RelativeCourse&     course_;
    double                    near_, apart_by_, bulge_, when_ = kNever;
    Shape                     first_;  ///< the second shape at the start
    Moment                    until_;  ///< and when nothing else is looked for
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
    Shape  solid;
    Flight first = a;
    if (a.shape->kind == ShapeKind::mesh && a.shape->mesh->hull) {
        solid       = as_hull(*a.shape);
        first.shape = &solid;
    }
    const Vec3d  origin = a.shape->kind == ShapeKind::plane ? b.shape->p : a.shape->p;
    const Flying fa(first, origin), fb(b, origin);
    if (first.shape->kind == ShapeKind::mesh) {
        const RelativeCourse course(fa, fb, dt);
        out.time = SurfaceSweep(*a.shape->mesh, course, dt, margin, near).run();
    } else if (first.shape->kind == ShapeKind::plane) {
        const RelativeCourse course(fa, fb, dt);
        Shape                plane = *a.shape;
        plane.p                    = {};
        plane.R                    = Mat33d::identity();
        const double apart_by      = b.shape->core_radius() + margin + near;
        out.time = meet(PartCourse{plane, course}, 0, {dt, course.second(dt)}, apart_by, near, {0, 0, 1});
    } else {
        out.time = meet_convex(FreeCourse(fa, fb), dt, margin, near);
    }
    if (out.time == kNever) return false;
    if (out.time == 0) return true;
    const double left = (dt - out.time) * (length(b.motion->v - a.motion->v) + a.spin + b.spin);
    return look(out.time, margin + 1.5 * near + left);
}

}  // namespace mechane::collision
