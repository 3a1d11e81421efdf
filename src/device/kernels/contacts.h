#pragma once
#include "device/kernels/boxes.h"
#include "solvers/softstep/contact/contact_memory.h"

/// Contacts of a world at the start of a step, in the order of the pairs and of the names of their points: what
/// collision::CollisionPipeline finds of shapes of these kinds, but for what is followed along a fast flight.
namespace mechane::device {

/// Where a shape is, and what turning alone gives to some point of its core [m/s].
template <class T>
MCH_INLINE T* shape_pose(const World<T>& w, int s)
{ return w.ws + w.b.at.shape_pose + 8 * s; }

template <class Team, class T>
MCH_INLINE void place_shapes(const Team& team, const World<T>& w)
{
    for (int s = team.lane(); s < w.b.at.shapes; s += Team::kSize) {
        const int      l = w.b.shapes[s].link;
        const T* const n = w.shape(s);
        PoseT<T>       X = get_pose(n + shape_number::p);
        T              spin{};
        if (l >= 0) {
            X                       = get_pose(w.pose(l)) * X;
            const SpatialT<T> twist = get6(w.twist(l));
            const Vec3T<T>    arm   = X * get3(n + shape_number::middle) - get3(w.com(l));
            const T           core = n[shape_number::core], half = n[shape_number::size + 1];
            if (core > 0 && half > 0) {  // a capsule
                const Vec3T<T> way = half * rotate(X.q, Vec3T<T>{0, 0, 1});
                spin               = std::sqrt(most(length_squared(cross(twist.angular, arm + way)),
                                                    length_squared(cross(twist.angular, arm - way))));
            } else if (core > 0) {
                spin = norm(cross(twist.angular, arm));
            } else {
                spin = norm(twist.angular) * (norm(arm) + n[shape_number::reach]);
            }
        }
        put_pose(shape_pose(w, s), X);
        shape_pose(w, s)[7] = spin;
    }
    team.sync();
}

template <class T>
MCH_INLINE SpatialT<T> twist_of(const World<T>& w, int link)
{ return link >= 0 ? get6(w.twist(link)) : SpatialT<T>{}; }
template <class T>
MCH_INLINE Vec3T<T> velocity_at(const World<T>& w, int link, const Vec3T<T>& p)
{
    if (link < 0) return {};
    const SpatialT<T> v = get6(w.twist(link));
    return v.linear + cross(v.angular, p - get3(w.com(link)));
}

/// How far contacts of a pair are looked for.
template <class T>
struct Search {
    T margin, gap, reach;
};
template <class T>
MCH_INLINE Search<T> search_for(const World<T>& w, const PairPlan& pair)
{
    const T *a = w.shape(pair.shape0), *b = w.shape(pair.shape1);
    const T  way =
        (norm(twist_of(w, w.b.shapes[pair.shape1].link).linear - twist_of(w, w.b.shapes[pair.shape0].link).linear) +
         shape_pose(w, pair.shape0)[7] + shape_pose(w, pair.shape1)[7]) *
        T(w.b.dt);
    const T margin = a[shape_number::margin] + b[shape_number::margin],
            gap    = a[shape_number::gap] + b[shape_number::gap];
    return {margin, gap, margin + most(gap, least(way, T(w.b.speculative)))};
}

MCH_INLINE bool plane_is_first(PairKind kind) { return kind <= PairKind::plane_vertices; }

/// Whether the balls about the shapes, or a ball and a plane, are within reach.
template <class T>
MCH_INLINE bool may_touch(const World<T>& w, const PairPlan& pair)
{
    const Search<T> search = search_for(w, pair);
    const bool      first = plane_is_first(pair.kind), second = pair.kind == PairKind::vertices_plane;
    const PoseT<T>  A = get_pose(shape_pose(w, pair.shape0)), B = get_pose(shape_pose(w, pair.shape1));
    const Vec3T<T>  a  = A * get3(w.shape(pair.shape0) + shape_number::middle),
                    b  = B * get3(w.shape(pair.shape1) + shape_number::middle);
    const T         ra = w.shape(pair.shape0)[shape_number::reach], rb = w.shape(pair.shape1)[shape_number::reach];
    const Vec3T<T>  z{0, 0, 1};
    if (first) return dot(rotate(A.q, z), b - A.p) - rb <= search.reach;
    if (second) return dot(rotate(B.q, z), a - B.p) - ra <= search.reach;
    const T within = ra + rb + search.reach;
    return length_squared(b - a) <= within * within;
}

template <class T>
MCH_INLINE void collide(const World<T>& w, const PairPlan& pair, T reach, Vec3T<T>& origin, ManifoldOf<T>& out)
{
    const T *const na = w.shape(pair.shape0), *const nb = w.shape(pair.shape1);
    const PoseT<T> A = get_pose(shape_pose(w, pair.shape0)), B = get_pose(shape_pose(w, pair.shape1));
    PlacedShape<T> a{A.p, to_matrix(A.q), get3(na + shape_number::size)},
        b{B.p, to_matrix(B.q), get3(nb + shape_number::size)};
    origin = plane_is_first(pair.kind) ? b.p : a.p;
    a.p -= origin, b.p -= origin;
    const auto vertex = [&](int shape, const PlacedShape<T>& s) {
        return [&, first = w.b.vertices + 3 * static_cast<std::size_t>(w.b.shapes[shape].vertex_begin)](int i) {
            return s.p + s.R * scale(s.size, get3(first + 3 * i));
        };
    };
    const auto number = [](int i) { return static_cast<std::uint64_t>(i); };
    const auto count  = [&](int shape) { return w.b.shapes[shape].vertex_end - w.b.shapes[shape].vertex_begin; };
    switch (pair.kind) {
        case PairKind::plane_sphere: {
            const Vec3T<T> n = a.R.column(2);
            const T        d = dot(n, b.p - a.p) - b.size.x;
            if (d > reach) return;
            const Vec3T<T> p1 = b.p - b.size.x * n;
            return out.add({p1 - d * n, p1, n, d, 0});
        }
        case PairKind::plane_capsule:
            return collide_plane_capsule(a, b, reach, out);
        case PairKind::plane_box:
            return carry_on_plane(
                a, 8, reach, 4,
                [&](int i) {
                    return b.p + b.R * Vec3T<T>{(i & 1) != 0 ? -b.size.x : b.size.x,
                                                (i & 2) != 0 ? -b.size.y : b.size.y,
                                                (i & 4) != 0 ? -b.size.z : b.size.z};
                },
                number, true, out);
        case PairKind::plane_cylinder:
            return collide_plane_cylinder(a, b, reach, out);
        case PairKind::plane_vertices:
            return carry_on_plane(a, count(pair.shape1), reach, 5, vertex(pair.shape1, b), number, true, out);
        case PairKind::vertices_plane:
            return carry_on_plane(b, count(pair.shape0), reach, 5, vertex(pair.shape0, a), number, false, out);
        case PairKind::sphere_sphere:
            return emit_round(a.p, b.p, a.size.x, b.size.x, {1, 0, 0}, reach, 0, out);
        case PairKind::sphere_capsule: {
            const Vec3T<T> axis = b.R.column(2);
            const T        z    = between(dot(axis, a.p - b.p), -b.size.y, b.size.y);
            return emit_round(a.p, b.p + z * axis, a.size.x, b.size.x, b.R.column(0), reach, 0, out);
        }
        case PairKind::sphere_cylinder:
            return collide_sphere_cylinder(a, b, reach, out);
        case PairKind::sphere_box:
            return collide_sphere_box(a, b, reach, out);
        case PairKind::capsule_capsule:
            return collide_capsule_capsule(a, b, reach, out);
        case PairKind::capsule_box:
            return collide_capsule_box(a, b, reach, out);
        case PairKind::box_box:
            return collide_box_box(a, b, reach, out);
    }
}

/// Contacts of a pair that count, in the order of their names; distances less margins.
template <class T>
MCH_CALLED void admitted(World<T> w, const PairPlan& pair, Vec3T<T>& origin, ManifoldOf<T>& points)
{
    const Search<T> search = search_for(w, pair);
    ManifoldOf<T>   all;
    collide(w, pair, search.reach, origin, all);
    const int a = w.b.shapes[pair.shape0].link, b = w.b.shapes[pair.shape1].link;
    for (int i = 0; i < all.count; ++i) {
        ContactPointOf<T> p = all.points[i];
        p.distance -= search.margin;
        const T size2 = length_squared(p.normal);
        if (!finite(p.distance + dot(p.p0, p.p0)) || !(size_of(size2 - 1) < T(1e-3))) continue;
        if (p.distance > search.gap) {
            const Vec3T<T> middle  = origin + T(0.5) * (p.p0 + p.p1);
            const T        closing = -dot(velocity_at(w, b, middle) - velocity_at(w, a, middle), p.normal);
            if (!(p.distance <= least(closing * T(w.b.dt), T(w.b.speculative)))) continue;
        }
        int at = points.count++;
        for (; at > 0 && points.points[at - 1].feature > p.feature; --at) points.points[at] = points.points[at - 1];
        points.points[at] = p;
    }
}

/// @return how many contacts there are; more than there is room for are counted, and left out
template <class Team, class T>
MCH_INLINE int find_contacts(const Team& team, const World<T>& w)
{
    const Batch<T>& b = w.b;
    place_shapes(team, w);
    std::int16_t* const near       = w.mine(b.near_pairs, b.at.pairs);
    int                 candidates = 0;
    for (int first = 0; first < b.at.pairs; first += Team::kSize) {
        const int p     = first + team.lane();
        const int takes = p < b.at.pairs && may_touch(w, b.pairs[p]) ? 1 : 0;
        int       total = 0;
        const int at    = candidates + team.before(takes, total);
        if (takes != 0) near[at] = static_cast<std::int16_t>(p);
        candidates += total;
    }
    team.sync();
    int found = 0;
    for (int first = 0; first < candidates; first += Team::kSize) {
        const int     i = first + team.lane();
        ManifoldOf<T> points;
        Vec3T<T>      origin;
        int           p = 0;
        if (i < candidates) {
            p = near[i];
            admitted(w, b.pairs[p], origin, points);
        }
        int       total = 0;
        const int at    = found + team.before(points.count, total);
        found += total;
        if (points.count == 0) continue;
        const PairPlan& pair = b.pairs[p];
        const T *const na = w.shape(pair.shape0), *const nb = w.shape(pair.shape1);
        const int la = b.shapes[pair.shape0].link, lb = b.shapes[pair.shape1].link;
        const T   touching = least(na[shape_number::touching], nb[shape_number::touching]);
        int       touch    = 0;
        for (int k = 0; k < points.count; ++k) touch += points.points[k].distance <= touching ? 1 : 0;
        for (int k = 0; k < points.count && at + k < b.at.contacts; ++k) {
            const ContactPointOf<T>& c   = points.points[k];
            FoundContact<T>&         out = b.found[w.slot(at + k)];
            const Vec3T<T>           on0 = origin + c.p0 - na[shape_number::core] * c.normal,
                                     on1 = origin + c.p1 + nb[shape_number::core] * c.normal;
            out.pair                     = p;
            out.turns    = points.count <= 2 || ((touch == 1 || touch == 2) && c.distance <= touching) ? 1 : 0;
            out.feature  = c.feature;
            out.distance = c.distance;
            put3(out.normal, c.normal);
            put3(out.start[0], on0), put3(out.start[1], on1);
            put3(out.point[0], la >= 0 ? inverse_times(get_pose(w.pose(la)), on0) : on0);
            put3(out.point[1], lb >= 0 ? inverse_times(get_pose(w.pose(lb)), on1) : on1);
            out.margin[0] = na[shape_number::core] + na[shape_number::margin];
            out.margin[1] = nb[shape_number::core] + nb[shape_number::margin];
            put3(out.force, Vec3T<T>{});
        }
    }
    team.sync();
    return found;
}

}  // namespace mechane::device
