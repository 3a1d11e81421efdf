// The least signed distance of an edge or triangle of particles from a shape, for contacts of cloth and soft bodies
// with shapes. Points in the world [m], weights are barycentric.
// The distance to a convex shape is a convex function, whose subgradient is the outward normal: each look cuts off the
// half where it rises (a cutting plane method, Kelley 1960). Hollow shapes are searched part by part with Lipschitz
// bounds: the distance changes by no more than the way.

#include "least_distance.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "../narrow/scratch.h"
#include "mechane/geometry/closest.h"

namespace mechane::collision {

/// A height field is a surface with matter below it: a point under it, within the depth of the matter, is inside.
std::optional<NearestPoint> signed_nearest(const Shape& shape, const Vec3d& p, double reach)
{
    const bool field = shape.kind == ShapeKind::mesh && shape.mesh->floor > 0;
    auto       near  = nearest_point(shape, p, field ? std::max(reach, shape.mesh->floor) : reach);
    if (!near || !field) return near;
    const Vec3d local = transpose_times(shape.R, p - shape.p), at = transpose_times(shape.R, near->point - shape.p);
    const auto& box = shape.mesh->bvh.bounds();
    const bool  over =
        local.x >= box.lower.x && local.x <= box.upper.x && local.y >= box.lower.y && local.y <= box.upper.y;
    const bool inside = over && local.z < at.z && near->distance <= shape.mesh->floor;
    if (inside) near->distance = -near->distance, near->normal = -near->normal;
    return near->distance <= reach ? near : std::nullopt;
}

namespace {

constexpr double kPlace = 1e-7;  ///< how well a place is known, of the size of the edge or triangle

/// The signed distance of a shape where it is looked at, and the least that was seen.
class Field {
  public:
    Field(const Shape& shape, double reach) : shape_(shape), reach_(reach) {}

    /// False where no distance can be had, as of a body that is not finite.
    bool look(const Vec3d& p, const Vec3d& weights, NearestPoint& out)
    {
        const auto near = signed_nearest(shape_, p, kInfinity);
        if (!near || !std::isfinite(near->distance) || !is_finite(near->normal)) return false;
        out = *near;
        if (out.distance < best_.near.distance) best_ = {out, weights};
        return true;
    }
    /// The least that was seen, or what would have to be undercut.
    /// Nothing above this value needs a further look.
    [[nodiscard]] double known() const { return std::min(best_.near.distance, reach_); }
    void                 offer(const LeastDistance& other, double margin)
    {
        if (other.near.distance <= best_.near.distance + margin) best_ = other;
    }
    [[nodiscard]] std::optional<LeastDistance> best() const
    { return best_.near.distance < reach_ ? std::optional(best_) : std::nullopt; }

  private:
    const Shape&  shape_;
    double        reach_;
    LeastDistance best_{{kInfinity, {}, {}}, {}};
};

/// Corners of the part of an edge or triangle that is searched, with their weights in the whole.
struct Corner {
    Vec3d p, weights;
};
Corner between(const Corner& x, const Corner& y, double t)
{ return {x.p + t * (y.p - x.p), (1 - t) * x.weights + t * y.weights}; }

void search_segment(Field& field, Corner low, Corner high)
{
    const Vec3d  along = high.p - low.p;
    NearestPoint at_low, at_high;
    if (!field.look(low.p, low.weights, at_low) || !field.look(high.p, high.weights, at_high)) return;
    const double slope_low = dot(at_low.normal, along), slope_high = dot(at_high.normal, along);
    if (slope_low >= 0 || slope_high <= 0) return;  // the least is at an end
    double l = 0, h = 1, fl = at_low.distance, fh = at_high.distance, sl = slope_low, sh = slope_high;
    for (int i = 0; i < 60 && h - l > kPlace; ++i) {
        // The two slopes meet here, and nothing between lies below.
        // Two tangents of a convex function bound it from below; where they meet is the lowest possible value.
        const double meet  = std::clamp((fh - fl + sl * l - sh * h) / (sl - sh), l, h);
        const double floor = fl + sl * (meet - l);
        if (floor >= field.known()) return;
        // Every second step bisects, so that the bracket shrinks whatever the slopes.
        const double t = i % 2 ? 0.5 * (l + h) : std::clamp(meet, l + 1e-3 * (h - l), h - 1e-3 * (h - l));
        const Corner x = between(low, high, t);
        NearestPoint at;
        if (!field.look(x.p, x.weights, at)) return;
        const double slope = dot(at.normal, along);
        if (slope == 0) return;
        if (slope < 0)
            l = t, fl = at.distance, sl = slope;
        else
            h = t, fh = at.distance, sh = slope;
    }
}

/// What is left of a triangle in its own coordinates: x along the first side, y along the second.
class Rest {
  public:
    struct Place {
        double x, y;
    };
    static constexpr int kCuts = 100;

    Rest()
    {
        for (const Place p : {Place{0, 0}, Place{1, 0}, Place{0, 1}}) places_[count_++] = p;
    }
    [[nodiscard]] std::span<const Place> places() const { return {places_.data(), count_}; }
    /// Keeps where gx (x - at.x) + gy (y - at.y) <= 0.
    void cut(const Place& at, double gx, double gy)
    {
        // Clipping of a convex polygon by a half plane.
        const auto  height = [&](const Place& p) { return gx * (p.x - at.x) + gy * (p.y - at.y); };
        std::size_t kept   = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            const Place &p = places_[i], &q = places_[i + 1 < count_ ? i + 1 : 0];
            const double hp = height(p), hq = height(q);
            if (hp <= 0) next_[kept++] = p;
            if ((hp < 0 && hq > 0) || (hp > 0 && hq < 0)) {
                const double t = hp / (hp - hq);
                next_[kept++]  = {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
            }
        }
        std::copy_n(next_.data(), kept, places_.data());
        count_ = kept;
    }
    [[nodiscard]] Place centroid() const
    {
        double area = 0, x = 0, y = 0;
        for (std::size_t i = 1; i + 1 < count_; ++i) {
            const Place &p = places_[0], &q = places_[i], &r = places_[i + 1];
            const double a = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
            area += a, x += a * (p.x + q.x + r.x) / 3, y += a * (p.y + q.y + r.y) / 3;
        }
        if (area > 1e-300) return {x / area, y / area};
        double sx = 0, sy = 0;  // a line or a point is left
        for (const Place& p : places()) sx += p.x, sy += p.y;
        return {sx / static_cast<double>(count_), sy / static_cast<double>(count_)};
    }

  private:
    static constexpr std::size_t kMost = 3 + kCuts;  // a cut adds one corner at most

    Scratch<Place, kMost + 1> places_, next_;
    std::size_t               count_ = 0;
};

void search_triangle(Field& field, const std::array<Corner, 3>& corners)
{
    const Vec3d side_x = corners[1].p - corners[0].p, side_y = corners[2].p - corners[0].p;
    const auto  at = [&](const Rest::Place& p) {
        const double rest = 1 - p.x - p.y;
        return Corner{rest * corners[0].p + p.x * corners[1].p + p.y * corners[2].p,
                      rest * corners[0].weights + p.x * corners[1].weights + p.y * corners[2].weights};
    };
    Rest       rest;
    const auto look = [&](const Rest::Place& place, bool exact, std::size_t corner) {
        const Corner x = exact ? corners[corner] : at(place);
        NearestPoint near;
        if (!field.look(x.p, x.weights, near)) return false;
        const double gx = dot(near.normal, side_x), gy = dot(near.normal, side_y);
        double       drop = 0, width = 0;  // most that the slope can gain within what is left
        for (const Rest::Place& p : rest.places()) {
            drop  = std::min(drop, gx * (p.x - place.x) + gy * (p.y - place.y));
            width = std::max({width, std::abs(p.x - place.x), std::abs(p.y - place.y)});
        }
        // The tangent plane bounds the function over what is left.
        if (near.distance + drop >= field.known() || width <= kPlace) return false;
        rest.cut(place, gx, gy);
        return !rest.places().empty();
    };
    const Rest::Place ends[] = {{0, 0}, {1, 0}, {0, 1}};
    for (std::size_t i = 0; i < 3; ++i)
        if (!look(ends[i], true, i)) return;
    for (int i = 3; i < Rest::kCuts; ++i)
        if (!look(rest.centroid(), false, 0)) return;
}

/// Where an inner place came out next to a side, the side has it: its third corner has no part.
void settle_on_sides(Field& field, const Shape& shape, const std::array<Corner, 3>& corners, double size)
{
    const auto found = field.best();
    if (!found) return;
    for (std::size_t i = 0; i < 3; ++i) {
        if (found->weights[i] == 0 || found->weights[i] > 1e-5) continue;
        Field side(shape, kInfinity);
        search_segment(side, corners[(i + 1) % 3], corners[(i + 2) % 3]);
        if (const auto on_side = side.best()) field.offer(*on_side, 1e-9 * size);
    }
}

bool is_hollow(const Shape& s) { return s.kind == ShapeKind::mesh && !(s.mesh->convex && s.mesh->closed); }

/// The corner of a mesh's triangle in the world.
std::array<Vec3d, 3> corners_of(const Shape& s, std::int32_t triangle)
{
    std::array<Vec3d, 3> out;
    const auto&          v = s.mesh->triangles[static_cast<std::size_t>(triangle)];
    for (std::size_t i = 0; i < 3; ++i) out[i] = s.p + s.R * s.mesh->points[static_cast<std::size_t>(v[i])];
    return out;
}

/// Visits the triangles of a mesh near the corners.
template <class Visit>
void for_near(const Shape& s, std::span<const Corner> corners, double reach, Visit&& visit)
{
    geometry::Aabbd box;
    for (const Corner& c : corners) {
        const Vec3d p = transpose_times(s.R, c.p - s.p);
        box.lower     = min(box.lower, p - Vec3d{reach, reach, reach});
        box.upper     = max(box.upper, p + Vec3d{reach, reach, reach});
    }
    s.mesh->bvh.for_each_overlap(box, visit);
}

}  // namespace

std::optional<LeastDistance> least_on_segment(const Shape& shape, const Vec3d& a, const Vec3d& b, double reach)
{
    const Corner ends[] = {{a, {1, 0, 0}}, {b, {0, 1, 0}}};
    Field        field(shape, reach);
    if (shape.kind == ShapeKind::sphere) {
        const double t = geometry::closest_on_segment(shape.p, a, b);
        NearestPoint near;
        field.look(a + t * (b - a), {1 - t, t, 0}, near);
        return field.best();
    }
    if (!is_hollow(shape)) {
        search_segment(field, ends[0], ends[1]);
        return field.best();
    }
    NearestPoint near;
    for (const Corner& end : ends)
        if (!field.look(end.p, end.weights, near)) return std::nullopt;
    double least = kInfinity, at = 0;
    for_near(shape, ends, std::max(0.0, reach), [&](std::int32_t triangle) {
        const auto   c    = corners_of(shape, triangle);
        const auto   pair = geometry::closest_on_segment_triangle(a, b, c[0], c[1], c[2]);
        const double d    = length(pair.on_triangle - pair.on_segment);
        if (d < least) least = d, at = geometry::closest_on_segment(pair.on_segment, a, b);
    });
    // Outside of the mesh the nearest pair of the surfaces is exact; inside it says nothing, and the parts are
    // searched.
    if (least < kInfinity) {
        const Corner x = between(ends[0], ends[1], at);
        if (field.look(x.p, x.weights, near) && least > 0 && near.distance > 0) return field.best();
    }
    constexpr int kParts = 16;
    const double  half   = 0.5 * length(b - a) / kParts;
    for (int i = 0; i < kParts; ++i) {
        const Corner low  = i == 0 ? ends[0] : between(ends[0], ends[1], static_cast<double>(i) / kParts),
                     high = i + 1 == kParts ? ends[1] : between(ends[0], ends[1], static_cast<double>(i + 1) / kParts),
                     mid  = between(low, high, 0.5);
        if (!field.look(mid.p, mid.weights, near) || near.distance - half >= field.known()) continue;
        search_segment(field, low, mid), search_segment(field, mid, high);
    }
    return field.best();
}

std::optional<LeastDistance> least_on_triangle(const Shape& shape, const Vec3d& a, const Vec3d& b, const Vec3d& c,
                                               double reach)
{
    const std::array<Corner, 3> corners{{{a, {1, 0, 0}}, {b, {0, 1, 0}}, {c, {0, 0, 1}}}};
    const Vec3d                 middle = (1.0 / 3) * (a + b + c);
    const double                size   = std::max({length(a - middle), length(b - middle), length(c - middle)});
    Field                       field(shape, reach);
    NearestPoint                near;
    if (shape.kind == ShapeKind::sphere) {
        const auto q = geometry::closest_on_triangle(shape.p, a, b, c);
        field.look(q.point, q.weights, near);
        return field.best();
    }
    // No distance changes by more than the way.
    if (!field.look(middle, {1.0 / 3, 1.0 / 3, 1.0 / 3}, near) || near.distance - size >= reach) return std::nullopt;
    if (!is_hollow(shape)) {
        search_triangle(field, corners);
        settle_on_sides(field, shape, corners, size);
        return field.best();
    }
    for (const Corner& corner : corners)
        if (!field.look(corner.p, corner.weights, near)) return std::nullopt;
    double least = kInfinity;
    Vec3d  at;
    for_near(shape, corners, std::max(0.0, reach), [&](std::int32_t triangle) {
        const auto t     = corners_of(shape, triangle);
        const auto offer = [&](const Vec3d& on_mesh, const Vec3d& on_soft) {
            const double d = length(on_mesh - on_soft);
            if (d < least) least = d, at = on_soft;
        };
        for (std::size_t i = 0; i < 3; ++i) {
            const auto mine =
                geometry::closest_on_segment_triangle(corners[i].p, corners[(i + 1) % 3].p, t[0], t[1], t[2]);
            offer(mine.on_triangle, mine.on_segment);
            const auto theirs = geometry::closest_on_segment_triangle(t[i], t[(i + 1) % 3], a, b, c);
            offer(theirs.on_segment, theirs.on_triangle);
        }
    });
    if (least < kInfinity) {
        const auto x = geometry::closest_on_triangle(at, a, b, c);
        if (field.look(x.point, x.weights, near) && least > 0 && near.distance > 0) return field.best();
    }
    // Sixteen alike: four rows, each with its upright triangles and those upside down between them.
    constexpr int kRows = 4;
    const auto    place = [&](int i, int k) {
        const double x = static_cast<double>(i) / kRows, y = static_cast<double>(k) / kRows;
        return Corner{a + x * (b - a) + y * (c - a), {static_cast<double>(kRows - i - k) / kRows, x, y}};
    };
    const auto part = [&](const Corner& x, const Corner& y, const Corner& z) {
        const Corner mid{(1.0 / 3) * (x.p + y.p + z.p), (1.0 / 3) * (x.weights + y.weights + z.weights)};
        if (!field.look(mid.p, mid.weights, near) || near.distance - size / kRows >= field.known()) return;
        search_triangle(field, {x, y, z});
    };
    for (int i = 0; i < kRows; ++i)
        for (int k = 0; i + k < kRows; ++k) {
            part(place(i, k), place(i + 1, k), place(i, k + 1));
            if (i + k + 1 < kRows) part(place(i + 1, k), place(i + 1, k + 1), place(i, k + 1));
        }
    return field.best();
}

}  // namespace mechane::collision
