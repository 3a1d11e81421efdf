#pragma once
#include "collision/narrow/feature_codes.h"
#include "collision/narrow/support_points.h"
#include "device/kernels/world.h"

/// Contacts of two shapes, in the frame of the caller: the closed forms of collision/narrow with the same names of
/// points, in either precision.
namespace mechane::device {

template <class T>
struct PlacedShape {
    Vec3T<T>  p;
    Mat33T<T> R;
    Vec3T<T>  size;
};
template <class T>
struct ContactPointOf {
    Vec3T<T>      p0, p1, normal;
    T             distance;
    std::uint64_t feature;
};
/// The points of one pair.
template <class T>
struct ManifoldOf {
    static constexpr int kCapacity = 6;
    ContactPointOf<T>    points[kCapacity];
    int                  count = 0;
    MCH_INLINE void      add(const ContactPointOf<T>& p)
    {
        if (count < kCapacity) points[count++] = p;
    }
};
template <class T>
inline constexpr T kTiny = sizeof(T) == 8 ? T(1e-12) : T(1e-6);

/// Points of a partner above a plane, of which at most `limit` carry. `place(i)`: in the frame of the pair; `name(i)`.
template <class T, class Place, class Name>
MCH_CALLED void carry_on_plane(const PlacedShape<T>& plane, int count, T reach, std::size_t limit, const Place& place,
                               const Name& name, bool plane_first, ManifoldOf<T>& out)
{
    const Vec3T<T> n      = plane.R.column(2);
    const auto     height = [&](int i) { return dot(n, place(i) - plane.p); };
    const auto     emit   = [&](int i) {
        const Vec3T<T> p = place(i);
        const T        d = height(i);
        if (plane_first)
            out.add({p - d * n, p, n, d, name(i)});
        else
            out.add({p, p - d * n, -n, d, name(i)});
    };
    int within = 0;
    for (int i = 0; i < count; ++i) within += height(i) <= reach ? 1 : 0;
    if (within == 0) return;
    if (within < static_cast<int>(collision::SupportPoints::kMost)) {
        for (int i = 0; i < count; ++i)
            if (height(i) <= reach) emit(i);
        return;
    }
    const auto each = [&](auto&& see) {
        for (int i = 0; i < count; ++i)
            if (const T h = height(i); h <= reach)
                see(static_cast<std::size_t>(i), static_cast<Vec3d>(place(i)), static_cast<double>(h));
    };
    const collision::SupportPoints chosen = collision::choose_support(each, static_cast<Vec3d>(n), limit);
    for (std::size_t k = 0; k < chosen.count; ++k) emit(static_cast<int>(chosen.index[k]));
}

template <class T>
MCH_CALLED void collide_plane_capsule(const PlacedShape<T>& plane, const PlacedShape<T>& capsule, T reach,
                                      ManifoldOf<T>& out)
{
    const Vec3T<T> n = plane.R.column(2), half = capsule.size.y * capsule.R.column(2);
    for (int end = 0; end < 2; ++end) {
        if (end == 1 && !(capsule.size.y > 0)) break;
        const Vec3T<T> c = end == 0 ? capsule.p + half : capsule.p - half;
        const T        d = dot(n, c - plane.p) - capsule.size.x;
        if (d > reach) continue;
        const Vec3T<T> p1 = c - capsule.size.x * n;
        out.add({p1 - d * n, p1, n, d, static_cast<std::uint64_t>(end)});
    }
}

/// Of each cap the points that can touch: four fixed in the body while it stands, and the deepest.
template <class T>
MCH_CALLED void collide_plane_cylinder(const PlacedShape<T>& plane, const PlacedShape<T>& s, T reach,
                                       ManifoldOf<T>& out)
{
    const Vec3T<T>      axis = s.R.column(2), n = plane.R.column(2);
    const bool          down = dot(axis, n) > 0;
    const T             end = down ? -s.size.y : s.size.y, merge = T(0.01) * s.size.x;
    const std::uint64_t base = down ? 0 : 8;
    Vec3T<T>            p[6];
    std::uint64_t       feature[6];
    int                 count = 0;
    const auto          offer = [&](const Vec3T<T>& at, std::uint64_t name) {
        const T d = dot(n, at - plane.p);
        if (d > reach) return;
        for (int i = 0; i < count; ++i) {  // points nearer than `merge` become one, the deeper
            if (length_squared(p[i] - at) > merge * merge) continue;
            if (d < dot(n, p[i] - plane.p)) p[i] = at, feature[i] = name;
            return;
        }
        p[count] = at, feature[count++] = name;
    };
    const Vec3T<T> c = s.p + end * axis, x = s.size.x * s.R.column(0), y = s.size.x * s.R.column(1);
    const Vec3T<T> u    = dot(n, axis) * axis - n;  // downwards across the axis
    const T        tilt = norm(u);
    if (tilt > T(1e-4)) offer(c + (s.size.x / tilt) * u, base + 4);
    if (!(tilt > T(0.5))) {
        const Vec3T<T> arms[4] = {x, y, -x, -y};
        for (int i = 0; i < 4; ++i)
            if (tilt <= T(0.1) || dot(arms[i], u) <= T(0.5) * s.size.x * tilt)
                offer(c + arms[i], base + static_cast<std::uint64_t>(i));
    }
    if (tilt > T(1e-4)) offer(s.p - end * axis + (s.size.x / tilt) * u, down ? 12 : 4);
    carry_on_plane(plane, count, reach, 4, [&](int i) { return p[i]; }, [&](int i) { return feature[i]; }, true, out);
}

/// One contact between core points.
template <class T>
MCH_INLINE void emit_round(const Vec3T<T>& on_a, const Vec3T<T>& on_b, T radius_a, T radius_b,
                           const Vec3T<T>& otherwise, T reach, std::uint64_t feature, ManifoldOf<T>& out)
{
    const Vec3T<T> d        = on_b - on_a;
    const T        n        = norm(d);
    const T        distance = n - radius_a - radius_b;
    if (distance > reach) return;
    const Vec3T<T> normal = n > kTiny<T> * (radius_a + radius_b) && n > 0 ? (1 / n) * d : otherwise;
    const Vec3T<T> p0     = on_a + radius_a * normal;
    out.add({p0, p0 + distance * normal, normal, distance, feature});
}

template <class T>
MCH_CALLED void collide_sphere_cylinder(const PlacedShape<T>& sphere, const PlacedShape<T>& cylinder, T reach,
                                        ManifoldOf<T>& out)
{
    const T        r = cylinder.size.x, h = cylinder.size.y;
    const Vec3T<T> c       = transpose_times(cylinder.R, sphere.p - cylinder.p);
    const T        lateral = std::sqrt(c.x * c.x + c.y * c.y);
    const Vec3T<T> u =
        lateral > kTiny<T> * r && lateral > 0 ? Vec3T<T>{c.x / lateral, c.y / lateral, 0} : Vec3T<T>{-1, 0, 0};
    if (lateral <= r && size_of(c.z) <= h) {
        const bool     side     = r - lateral <= h - size_of(c.z);
        const Vec3T<T> out_n    = side ? u : Vec3T<T>{0, 0, c.z < 0 ? T(-1) : T(1)};
        const T        depth    = side ? r - lateral : h - size_of(c.z);
        const T        distance = -depth - sphere.size.x;
        if (distance > reach) return;
        const Vec3T<T> surface = cylinder.p + cylinder.R * (c + depth * out_n), n = -(cylinder.R * out_n);
        out.add({surface - distance * n, surface, n, distance, side ? std::uint64_t{1} : std::uint64_t{2}});
        return;
    }
    const T        radius = least(lateral, r);
    const Vec3T<T> nearest{radius * u.x, radius * u.y, between(c.z, -h, h)};
    emit_round(sphere.p, cylinder.p + cylinder.R * nearest, sphere.size.x, T(0), -(cylinder.R * u), reach, 0, out);
}

template <class T>
MCH_CALLED void collide_sphere_box(const PlacedShape<T>& sphere, const PlacedShape<T>& box, T reach, ManifoldOf<T>& out)
{
    const Vec3T<T>& h       = box.size;
    const Vec3T<T>  c       = transpose_times(box.R, sphere.p - box.p);
    const Vec3T<T>  nearest = max(-h, min(h, c));
    const T         tiny    = kTiny<T> * (sphere.size.x + max_component(h));
    if (length_squared(nearest - c) > tiny * tiny)
        return emit_round(sphere.p, box.p + box.R * nearest, sphere.size.x, T(0), {1, 0, 0}, reach, 0, out);
    std::size_t axis = 0;
    T           side = -1, depth = T(1e30);
    for (std::size_t i = 0; i < 3; ++i)
        for (int k = 0; k < 2; ++k) {
            const T s = k == 0 ? T(-1) : T(1);
            if (h[i] - s * c[i] < depth) depth = h[i] - s * c[i], axis = i, side = s;
        }
    const T distance = -depth - sphere.size.x;
    if (distance > reach) return;
    Vec3T<T> on_face       = c;
    on_face[axis]          = side * h[axis];
    const Vec3T<T> surface = box.p + box.R * on_face, n = -side * box.R.column(axis);
    out.add(
        {surface - distance * n, surface, n, distance, static_cast<std::uint64_t>(1 + 2 * axis + (side > 0 ? 1 : 0))});
}

template <class T>
MCH_CALLED void collide_capsule_capsule(const PlacedShape<T>& a, const PlacedShape<T>& b, T reach, ManifoldOf<T>& out)
{
    const Vec3T<T> u = a.R.column(2), v = b.R.column(2), r = a.p - b.p, x = cross(u, v);
    const T        sine2 = length_squared(x), cosine = dot(u, v), ru = dot(r, u), rv = dot(r, v);
    const auto     on   = [](T z, T half) { return least(most(z, -half), half); };
    const T        free = sine2 > (sizeof(T) == 8 ? T(1e-14) : T(1e-11)) ? (cosine * rv - ru) / sine2 : -ru;
    const T        t = on(cosine * on(free, a.size.y) + rv, b.size.y), s = on(cosine * t - ru, a.size.y);
    const Vec3T<T> on_a = a.p + s * u, on_b = b.p + t * v, gap = on_b - on_a;
    const T        d = norm(gap), radii = a.size.x + b.size.x;
    if (d - radii > reach) return;
    Vec3T<T> n = d > kTiny<T> * radii && d > 0 ? (1 / d) * gap
                 : sine2 > T(1e-11)            ? (1 / std::sqrt(sine2)) * x
                                               : a.R.column(0);
    if (d < T(1e-4) * radii && size_of(s) < a.size.y && size_of(t) < b.size.y && sine2 > T(1e-8))
        n = ((dot(gap, x) < 0 ? T(-1) : T(1)) / std::sqrt(sine2)) * x;
    if (sine2 < T(0.02 * 0.02) && size_of(dot(n, u)) < T(0.02) && a.size.y > 0 && b.size.y > 0) {
        const T p = -ru - b.size.y * cosine, q = -ru + b.size.y * cosine;
        const T from = most(-a.size.y, least(p, q)), to = least(a.size.y, most(p, q));
        if (to - from > T(1e-3) * least(a.size.y, b.size.y)) {
            T nearest = T(1e30);
            for (int k = 0; k < 2; ++k) {
                const T        z     = k == 0 ? from : to;
                const Vec3T<T> end_a = a.p + z * u;
                const T        along =
                    size_of(z) < a.size.y ? (z == p ? -b.size.y : b.size.y) : on(dot(v, end_a - b.p), b.size.y);
                const Vec3T<T> end_b = b.p + along * v;
                nearest              = least(nearest, norm(end_b - end_a));
                emit_round(end_a, end_b, a.size.x, b.size.x, n, reach, k == 0 ? 1 : 2, out);
            }
            if (!(d < nearest - (sizeof(T) == 8 ? T(1e-9) : T(1e-5)) * radii)) return;
        }
    }
    const Vec3T<T> p0 = on_a + a.size.x * n;
    out.add({p0, p0 + (d - radii) * n, n, d - radii, 0});
}

}  // namespace mechane::device
