// Continuous collision detection: the first moment within the step at which two shapes are about `near` apart, by
// conservative advancement (Mirtich 1996) with planes.
//
//     s(x) >= s0 + x (s1 - s0) - B x (1 - x),       B = (w_a^2 r_a + w_b^2 r_b) T^2 / 2
//
// s       distance along the normal of a plane between the two; s0 now, s1 at the end of the step
// x, T    share of the time left; that time [s]
// w, r    turning rate of a convex shape [rad/s], radius about its centre of mass [m]
//
// If the bound stays positive the pair does not touch; else its root is the time of the next query.
// docs/collision_method.md, "Continuous collision detection", derives it.
// Motion over the step is uniform: constant linear and angular velocity about the centre of mass. Times are seconds
// from the start of the step, lengths metres.
// Only what may cross more than the speculative distance comes here; the caller is CollisionPipeline::sweep_pair.

#include "swept.h"

#include <algorithm>
#include <cmath>

#include "mechane/collision/gjk.h"
#include "mechane/geometry/closest.h"
#include "mechane/math/simd.h"
#include "pairs.h"
#include "scratch.h"
#include "separate.h"

namespace mechane::collision {

namespace {

constexpr double kNoHit = kInfinity;

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
        // Of the core: a ball that rolls reaches no farther than one that slides.
        radius_ = length(centre(shape_) - com_) + bounding_radius(shape_) - shape_.core_radius();
    }
    [[nodiscard]] Shape at(double t) const
    {
        Shape s = shape_;
        if (t == 0) return s;
        if (w_ == Vec3d{} || (s.kind == ShapeKind::sphere && arm_ == Vec3d{})) {
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
        // A point at distance `away` feels the centripetal acceleration wa^2 away of the turning frame, and the
        // Coriolis term.
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
/// s(x) >= s0 + x (s1 - s0) - b x (1 - x), x in [0, 1], b = bend T^2 / 2. The first root of the right-hand side, in the
/// form 2 s0 / (sqrt(..) - slope) that does not cancel.
double earliest(double from, double to, double s0, double s1, double bend)
{
    if (!(s0 > 0)) return from;
    const double span = to - from, b = 0.5 * bend * span * span, slope = s1 - s0 - b;
    const double square_of = slope * slope - 4 * b * s0;
    // The parabola stays positive within the span.
    if (s1 > 0 && (!(square_of >= 0) || slope >= 0 || -slope >= 2 * b)) return kNoHit;
    return from + std::min(1.0, 2 * s0 / (std::sqrt(std::max(0.0, square_of)) - slope)) * span;
}

/// As `plane_between`.
Separation apart(const Shape& a, const Shape& b, double limit, double beyond, double near, const Vec3d& guess)
{
    if (a.kind == ShapeKind::plane) {
        const Vec3d n = a.R.column(2);
        return {dot(n, support(b, -n) - a.p), n};
    }
    if (a.kind == ShapeKind::triangle && b.kind == ShapeKind::sphere) {
        const Vec3d  way = b.p - geometry::closest_on_triangle(b.p, a.corners[0], a.corners[1], a.corners[2]).point;
        const double d   = length(way);
        return d > 0 ? Separation{d, way / d} : Separation{};
    }
    return plane_between(a, b, limit, beyond, near, guess);
}

/// A moment and where the two shapes are then.
struct Moment {
    double t = 0;
    Shape  a, b;
};

/// The first time from `now` on and before `until` at which two convex shapes in flight are about `near` apart, or
/// kNoHit. After each look a plane separates the two until the time that `earliest` tells.
/// @param apart_by  distance of the cores at which the margins are `near` apart [m]
/// @param normal    of the plane looked at first, and in the end of the last one
template <class Course>
double meet(const Course& course, Moment now, const Moment& until, double apart_by, double near, Vec3d& normal)
{
    constexpr int kLooks = 64, kHalvings = 6;
    const auto    at   = [&](double t) { return Moment{t, course.first(t), course.second(t)}; };
    const auto    off  = [&](const Moment& m) { return separation(m.a, m.b, normal) - apart_by; };
    // The first plane is a guess of the caller: mostly it answers without a query.
    double        next = earliest(now.t, until.t, off(now), off(until), course.bend);
    for (int look = 0; look < kLooks && next < until.t; ++look) {
        if (next > now.t) now = at(next);
        const double     reach = apart_by + course.speed * (until.t - now.t);
        const Separation here  = apart(now.a, now.b, reach, apart_by, 0.5 * near, normal);
        const double     s0    = here.distance - apart_by;
        // Half of `near`: the tolerance of the time of touch.
        if (s0 <= 0.5 * near) return now.t;
        normal    = here.normal;
        double to = until.t, s1 = off(until);
        for (int half = 0;; ++half) {
            next = earliest(now.t, to, s0, s1, course.bend);
            // With s1 taken at a nearer time the parabola is flatter. Halving the span goes on until the next time is a
            // good part of it, or the bend no longer matters.
            if (next == kNoHit && to < until.t) next = to;
            if (next == kNoHit || next - now.t > 0.25 * (to - now.t) || half == kHalvings) break;
            // What the bend may take by then counts for less over a shorter time.
            if (0.5 * course.bend * (next - now.t) * (to - next) < 0.25 * s0) break;
            to = now.t + 0.5 * (to - now.t);
            s1 = off(at(to));
        }
    }
    return next < until.t ? next : kNoHit;  // grazing: as good as touching
}

/// Of two convex shapes.
/// @param normal  as Touch::apart
double meet_convex(const FreeCourse& course, double dt, double margin, double near, Vec3d& normal)
{
    const Moment first{0, course.first(0), course.second(0)}, last{dt, course.first(dt), course.second(dt)};
    // The plane across their way where their middles are nearest rules out most pairs.
    const Vec3d  p = centre(first.b) - centre(first.a), way = centre(last.b) - centre(last.a) - p;
    const double way2 = length_squared(way), x = way2 > 0 ? std::clamp(-dot(p, way) / way2, 0.0, 1.0) : 0;
    normal = normalized(p + x * way, Vec3d{1, 0, 0});
    return meet(course, first, last, first.a.core_radius() + first.b.core_radius() + margin + near, near, normal);
}

/// Of a surface of triangles: the first of them to be met, from its front, counts.
class SurfaceSweep {
  public:
    SurfaceSweep(const MeshShape& mesh, const RelativeCourse& course, double dt, double margin, double near)
        : mesh_(mesh),
          course_(course),
          near_(near),
          dt_(dt),
          first_(course.second(0)),
          until_{dt, {}, course.second(dt)},
          middle_(centre(first_)),
          last_middle_(centre(until_.b))
    {
        apart_by_      = first_.core_radius() + margin + near;
        // The largest difference between a path with that acceleration and its chord: b T^2 / 8.
        bulge_         = 0.125 * course.bend * dt * dt;
        radius_        = bounding_radius(first_) - first_.core_radius();
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
        const double high0 = dot(n, middle_ - c), high1 = dot(n, last_middle_ - c);
        if (!(mesh_.floor > 0) && std::max(high0, high1) + bulge_ < 0) return;
        if (std::min(high0, high1) - bulge_ > radius_ + apart_by_) return;  // the ball about it stays above
        const auto   off  = [&](const Shape& b) { return dot(n, support(b, -n) - c) - apart_by_; };
        const double from = earliest(0, until_.t, off(first_), off(until_.b), course_.bend);
        if (!(from < std::min(when_, until_.t))) return;
        if (count_ == kMost) follow();
        candidates_[count_++] = {from, index};
    }
    void follow()
    {
        const std::span<Candidate> all(candidates_.data(), count_);
        // By time and then by index: the first triangle met does not depend on the order of the tree.
        std::sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) {
            return x.from != y.from ? x.from < y.from : x.triangle < y.triangle;
        });
        for (const Candidate& c : all) {
            if (!(c.from < until_.t)) break;
            const auto t = static_cast<std::size_t>(c.triangle);
            for (std::size_t i = 0; i < 3; ++i)
                triangle_.corners[i] = mesh_.points[static_cast<std::size_t>(mesh_.triangles[t][i])];
            const auto& corner = triangle_.corners;
            const Vec3d middle = middle_ + (c.from / dt_) * (last_middle_ - middle_);
            const Vec3d near   = geometry::closest_on_triangle(middle, corner[0], corner[1], corner[2]).point;
            Vec3d       across = normalized(middle - near, mesh_.normals[t]);
            until_.a           = triangle_;
            const Moment start{c.from, triangle_, c.from > 0 ? course_.second(c.from) : first_};
            const double touch = meet(PartCourse{triangle_, course_}, start, until_, apart_by_, near_, across);
            if (touch == kNoHit) continue;
            const Shape b = course_.second(touch);
            if (!(mesh_.floor > 0) && dot(mesh_.normals[t], centre(b) - triangle_.corners[0]) < 0) continue;
            when_  = touch;
            until_ = {touch, triangle_, b};
        }
        count_ = 0;
    }

    const MeshShape&          mesh_;
    const RelativeCourse&     course_;
    double                    near_, dt_, apart_by_, bulge_, radius_, when_ = kNoHit;
    Shape                     first_;   ///< the second shape at the start
    Moment                    until_;   ///< and when nothing else is looked for
    Vec3d                     middle_;  ///< of the second shape at the start, and at the end of the step
    Vec3d                     last_middle_;
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

MCH_CLONES_AVX2 bool find_touch(const Flight& a, const Flight& b, double dt, double margin, double near, Touch& out)
{
    const auto look = [&](double t, double reach) {
        // Points are found at the moment of touch; the caller expresses them in the frames of the bodies then.
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
        Vec3d        up{0, 0, 1};
        const double apart_by = b.shape->core_radius() + margin + near;
        out.time = meet(PartCourse{plane, course}, {0, plane, course.second(0)}, {dt, plane, course.second(dt)},
                        apart_by, near, up);
    } else {
        out.time = meet_convex(FreeCourse(fa, fb), dt, margin, near, out.apart);
    }
    if (out.time == kNoHit) return false;
    if (out.time == 0) return true;
    // What may close after the touch counts as reach, so that the manifold has all points that will carry.
    const double left = (dt - out.time) * (length(b.motion->v - a.motion->v) + a.spin + b.spin);
    return look(out.time, margin + 1.5 * near + left);
}

}  // namespace mechane::collision
