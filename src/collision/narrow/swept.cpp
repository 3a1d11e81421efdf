#include "swept.h"

#include <algorithm>
#include <cmath>

#include "mechane/collision/gjk.h"

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

/// A convex shape, or a triangle, on its way.
class Flying {
  public:
    /// @param R_PW, origin  turn into the axes of the pair, and the place of its frame in the world
    Flying(const Flight& side, const Mat33d& R_PW, const Vec3d& origin)
        : v(R_PW * side.motion->v),
          w(R_PW * side.motion->w),
          com0_(R_PW * (side.motion->com - origin)),
          spin_(side.spin),
          speed_(length(w)),
          still_(side.motion->v == Vec3d{} && side.motion->w == Vec3d{}),
          turns_(side.spin > 0 && speed_ > 0)
    { com_ = com0_; }
    /// Where it is at the start.
    void set(const Shape& start)
    {
        shape = start;
        p0_   = start.p;
        R0_   = start.R;
        if (start.kind == ShapeKind::triangle) corners0_ = start.corners;
    }
    void move_to(double t)
    {
        if (still_) return;
        com_            = com0_ + t * v;
        const Mat33d D  = turns_ ? rotation(t * w, t * speed_) : Mat33d::identity();
        const auto   at = [&](const Vec3d& p) { return turns_ ? com_ + D * (p - com0_) : p + t * v; };
        if (shape.kind == ShapeKind::triangle) {
            for (std::size_t i = 0; i < 3; ++i) shape.corners[i] = at(corners0_[i]);
            return;
        }
        shape.p = at(p0_);
        if (turns_) shape.R = D * R0_;
    }
    /// How fast some point of the core may move along the unit direction n within the next `left` seconds because the
    /// body turns. What a point does now changes by no more than |w| times its speed a second.
    [[nodiscard]] double turning(const Vec3d& n, double left) const
    {
        if (!turns_) return 0;
        const Vec3d lever = cross(n, w);  // n (w x r) = r (n x w)
        return std::min(spin_, dot(lever, support(shape, lever) - com_) + left * speed_ * spin_);
    }

    Shape shape;
    Vec3d v, w;

  private:
    /// By the vector `r` of length `angle` (Rodrigues).
    static Mat33d rotation(const Vec3d& r, double angle)
    {
        const double s = angle > 0 ? std::sin(angle) / angle : 1, h = angle > 0 ? std::sin(0.5 * angle) / angle : 0.5,
                     c = 2 * h * h, d = std::cos(angle);
        return {{d + c * r.x * r.x, c * r.x * r.y - s * r.z, c * r.x * r.z + s * r.y},
                {c * r.x * r.y + s * r.z, d + c * r.y * r.y, c * r.y * r.z - s * r.x},
                {c * r.x * r.z - s * r.y, c * r.y * r.z + s * r.x, d + c * r.z * r.z}};
    }

    Vec3d                com0_, com_, p0_;
    Mat33d               R0_;
    std::array<Vec3d, 3> corners0_;
    double               spin_, speed_;
    bool                 still_, turns_;
};

/// Two shapes in flight.
class Pair {
  public:
    Pair(const Flight& a, const Flight& b, double dt, double margin, double near)
        : a_(a), b_(b), dt_(dt), margin_(margin), near_(near), speed_(length(b.motion->v - a.motion->v))
    {
    }

    /// @param apart  as Touch
    [[nodiscard]] double first_touch(Vec3d& apart) const
    {
        const ShapeKind kind = a_.shape->kind;
        const bool      mesh = kind == ShapeKind::mesh;
        if (mesh && !a_.shape->mesh->hull && !(a_.shape->mesh->floor > 0)) return touch_mesh();
        return mesh || kind == ShapeKind::plane || kind == ShapeKind::rectangle ? touch_any() : touch_convex(apart);
    }
    /// Contacts at time t.
    void look(double t, Touch& out) const
    {
        out.time  = t;
        out.X_WB0 = flown(*a_.motion, t);
        out.X_WB1 = flown(*b_.motion, t);
        // Relative to the first shape, as everywhere; a plane has no place of its own.
        out.origin         = a_.shape->kind == ShapeKind::plane ? (out.X_WB1 * b_.X_BS).p : (out.X_WB0 * a_.X_BS).p;
        out.manifold.count = 0;
        collide(placed(a_, out.X_WB0, out.origin), placed(b_, out.X_WB1, out.origin), reach(t), out.manifold);
    }

  private:
    /// How far apart the two may be at time t and still meet.
    [[nodiscard]] double reach(double t) const { return margin_ + near_ + (dt_ - t) * (speed_ + a_.spin + b_.spin); }

    /// How fast the separation along n may shrink within the next `left` seconds.
    [[nodiscard]] static double closing(const Flying& a, const Flying& b, const Vec3d& n, double left)
    { return a.turning(n, left) + b.turning(-n, left) - dot(b.v - a.v, n); }

    /// The first time up to `end` at which the two touch, by conservative advancement.
    /// @param n  a direction from a to b that may tell them apart; in the end the last one that did
    [[nodiscard]] double touch(Flying& a, Flying& b, double end, Vec3d& n) const
    {
        constexpr int kLooks = 64, kSlides = 8;
        const double  radius  = a.shape.core_radius() + b.shape.core_radius();
        double        t       = 0;
        const auto    advance = [&](double distance) {
            const double speed = closing(a, b, n, end - t);
            // Else the plane between the two stays between them.
            const double next = speed > 0 ? t + (distance - near_) / speed : kNever;
            if (next > end) return false;
            t = next;
            a.move_to(t);
            b.move_to(t);
            return true;
        };
        a.move_to(0);
        b.move_to(0);
        for (int look = 0; look < kLooks; ++look) {
            // As long as the last direction tells them apart it takes no iteration.
            for (int i = 0; i < kSlides; ++i) {
                const double distance = separation(a.shape, b.shape, n) - radius - margin_;
                if (!(distance > 1.5 * near_)) break;
                if (!advance(distance)) return kNever;
            }
            const CoreDistance d        = core_distance_apart(a.shape, b.shape, reach(t) + radius, -n);
            const double       distance = d.distance - radius - margin_;
            if (!(distance > 1.5 * near_)) return t;
            n = d.normal;
            if (!advance(distance)) return kNever;
        }
        return t;  // grazing: what was found last is as good as touching
    }

    /// Of any two shapes, by their contacts.
    [[nodiscard]] double touch_any() const
    {
        constexpr int kLooks = 64;
        Touch         found;
        double        t = 0;
        for (int i = 0; i < kLooks; ++i) {
            look(t, found);
            if (found.manifold.count == 0) return kNever;
            const auto points = std::span(found.manifold.points).first(static_cast<std::size_t>(found.manifold.count));
            const ContactPoint& nearest = *std::min_element(
                points.begin(), points.end(), [](const auto& x, const auto& y) { return x.distance < y.distance; });
            const double distance = nearest.distance - margin_;
            if (!(distance > 1.5 * near_)) return t;
            const double speed = a_.spin + b_.spin - dot(b_.motion->v - a_.motion->v, nearest.normal);
            if (!(speed > 0)) return kNever;
            t += (distance - near_) / speed;
            if (t > dt_) return kNever;
        }
        return t;
    }

    /// Of two convex ones.
    [[nodiscard]] double touch_convex(Vec3d& apart) const
    {
        const Vec3d origin = a_.shape->p, c0 = centre(*a_.shape), c1 = centre(*b_.shape);
        const auto  turn = [](const BodyMotion& m, const Vec3d& c) { return length(cross(m.w, c - m.com)); };
        // Balls about the two that pass each other.
        const double balls = margin_ + near_ + bounding_radius(*a_.shape) + bounding_radius(*b_.shape) +
                             dt_ * (turn(*a_.motion, c0) + turn(*b_.motion, c1));
        const Vec3d  way = dt_ * (b_.motion->v - a_.motion->v), between = c1 - c0;
        const double ww      = dot(way, way);
        const Vec3d  nearest = between + (ww > 0 ? std::clamp(-dot(between, way) / ww, 0.0, 1.0) : 0.0) * way;
        const double passing = length(nearest);
        apart                = passing > 0 ? (1 / passing) * nearest : Vec3d{1, 0, 0};
        if (passing > balls) return kNever;
        const auto start = [&](const Flight& side, Flying& out) {
            Shape shape = *side.shape;
            shape.p -= origin;
            out.set(shape);
        };
        Flying a(a_, Mat33d::identity(), origin), b(b_, Mat33d::identity(), origin);
        start(a_, a);
        start(b_, b);
        return touch(a, b, dt_, apart);
    }

    /// Of a hollow mesh and a convex shape: the first of its triangles, seen from in front.
    [[nodiscard]] double touch_mesh() const
    {
        const MeshShape& m = *a_.shape->mesh;
        if (m.bvh.empty()) return kNever;
        // In the frame that the mesh has now.
        const Mat33d R = transpose(a_.shape->R);
        Flying       a(a_, R, a_.shape->p), b(b_, R, a_.shape->p);
        Shape        start = *b_.shape, triangle;
        start.p            = R * (start.p - a_.shape->p);
        start.R            = R * start.R;
        b.set(start);
        triangle.kind           = ShapeKind::triangle;
        const Vec3d           c = centre(start), way = dt_ * (b.v - a.v);
        const double          grow = margin_ + near_ + dt_ * (a_.spin + b_.spin);
        const geometry::Aabbd here = bounds(start);
        geometry::Aabbd       box  = here;
        box.lower += min(way, Vec3d{}) - Vec3d{grow, grow, grow};
        box.upper += max(way, Vec3d{}) + Vec3d{grow, grow, grow};
        double first = kNever, end = dt_;
        m.bvh.for_each_overlap(box, [&](std::int32_t index) {
            if (first == 0) return;
            const auto t = static_cast<std::size_t>(index);
            Vec3d      n = m.normals[t];
            for (std::size_t i = 0; i < 3; ++i)
                triangle.corners[i] = m.points[static_cast<std::size_t>(m.triangles[t][i])];
            if (dot(n, c - triangle.corners[0]) < 0) return;  // from behind
            a.set(triangle);
            const double touched = touch(a, b, end, n);
            if (touched < first) first = end = touched;
        });
        // What is deep inside of a solid sees all of its faces from behind.
        if (first == kNever && m.closed && geometry::overlaps(here, m.bvh.bounds())) return 0;
        return first;
    }

    const Flight &a_, &b_;
    double        dt_, margin_, near_, speed_;
};

}  // namespace

bool find_touch(const Flight& a, const Flight& b, double dt, double margin, double near, Touch& out)
{
    const Pair   pair(a, b, dt, margin, near);
    const double t = pair.first_touch(out.apart);
    if (t == kNever) return false;
    out.time = t;
    if (t == 0) return true;
    pair.look(t, out);
    return out.manifold.count > 0;
}

}  // namespace mechane::collision
