#pragma once
#include "device/kernels/shapes.h"

/// Boxes with capsules and with each other, as collision/narrow/capsule_box.cpp and box_box.cpp.
namespace mechane::device {

template <class T>
struct CapsuleOnBox {
    const PlacedShape<T>& box;
    Vec3T<T>              c, u;
    T                     half, r, reach;
    ManifoldOf<T>&        out;

    MCH_INLINE Vec3T<T> at(T t) const { return c + t * u; }
    MCH_INLINE void     emit(const Vec3T<T>& q, const Vec3T<T>& n, T distance, std::uint64_t feature) const
    {
        if (distance > reach) return;
        const Vec3T<T> p1 = box.p + box.R * q, normal = -(box.R * n);
        out.add({p1 - distance * normal, p1, normal, distance, feature});
    }
};

template <class T>
MCH_INLINE Vec3T<T> off_box(const Vec3T<T>& x, const Vec3T<T>& h)
{ return x - max(-h, min(h, x)); }

template <class T>
MCH_CALLED T nearest_place(const CapsuleOnBox<T>& p)
{
    const Vec3T<T>& h     = p.box.size;
    const auto      slope = [&](T t) { return dot(p.u, off_box(p.at(t), h)); };
    T               from = -p.half, to = p.half;
    if (slope(from) >= 0) return from;
    if (slope(to) <= 0) return to;
    T t = between(-dot(p.c, p.u), from, to);
    for (int i = 0; i < 32; ++i) {
        const Vec3T<T> e = off_box(p.at(t), h);
        const T        g = dot(p.u, e);
        if (g == 0) break;
        (g > 0 ? to : from) = t;
        const Vec3T<T> along{e.x != 0 ? p.u.x : 0, e.y != 0 ? p.u.y : 0, e.z != 0 ? p.u.z : 0};
        const T        next = t - g / dot(along, along);
        if (next == t) break;
        t = next > from && next < to ? next : T(0.5) * (from + to);
    }
    return t;
}

template <class T>
MCH_CALLED void over_face(const CapsuleOnBox<T>& p, std::size_t k, T side)
{
    const Vec3T<T>& h    = p.box.size;
    T               from = -p.half, to = p.half;
    for (std::size_t i = 0; i < 3; ++i) {
        if (i == k || p.u[i] == 0) continue;
        const T a = (-h[i] - p.c[i]) / p.u[i], b = (h[i] - p.c[i]) / p.u[i];
        from = most(from, least(a, b)), to = least(to, most(a, b));
    }
    if (from > to) from = to = between(T(0.5) * (from + to), -p.half, p.half);
    Vec3T<T> n;
    n[k]                     = side;
    const std::uint64_t name = 1 + 4 * k + (side > 0 ? 2u : 0u);
    for (int end = 0; end < 2; ++end) {
        const T  t        = end == 0 ? from : to;
        Vec3T<T> q        = p.at(t);
        const T  distance = side * q[k] - h[k] - p.r;
        q[k]              = side * h[k];
        p.emit(q, n, distance, t == from ? name : name + 1);
        if (to - from <= T(1e-3) * p.half) break;
    }
}

template <class T>
MCH_CALLED void beside_edge(const CapsuleOnBox<T>& p, std::size_t k, Vec3T<T> corner, const Vec3T<T>& n, T t)
{
    const T             h = p.box.size[k];
    const std::uint64_t name =
        16 + 16 * k + (corner.x > 0 ? 2u : 0u) + (corner.y > 0 ? 4u : 0u) + (corner.z > 0 ? 8u : 0u);
    const T z = p.at(t)[k], sine = std::sqrt(most(T(0), 1 - p.u[k] * p.u[k]));
    if (sine < T(0.01) && size_of(dot(n, p.u)) < T(5e-3)) {
        const T a = p.at(-p.half)[k], b = p.at(p.half)[k];
        const T from = most(-h, least(a, b)), to = least(h, most(a, b));
        if (to - from > T(1e-3) * least(h, p.half)) {
            for (int end = 0; end < 2; ++end) {
                const T place    = end == 0 ? from : to;
                corner[k]        = place;
                const Vec3T<T> q = p.at((place - p.c[k]) / p.u[k]);
                p.emit(corner, n, dot(n, q - corner) - p.r, end == 0 ? name : name + 1);
            }
            return;
        }
    }
    corner[k] = between(z, -h, h);
    p.emit(corner, n, dot(n, p.at(t) - corner) - p.r, name);
}

/// The core runs through the box.
template <class T>
MCH_CALLED void leave_box(const CapsuleOnBox<T>& p)
{
    const Vec3T<T>& h             = p.box.size;
    const T         bias          = T(1e-6) * (norm(h) + p.half);
    T               least_overlap = T(-1e30);
    std::size_t     axis          = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const T s = size_of(p.c[i]) - p.half * size_of(p.u[i]) - h[i];
        if (s > least_overlap + bias) least_overlap = s, axis = i;
    }
    bool     edge = false;
    Vec3T<T> across;
    for (std::size_t i = 0; i < 3 && p.half > 0; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        const T           sine = std::sqrt(p.u[j] * p.u[j] + p.u[k] * p.u[k]);
        if (sine < T(1e-4)) continue;
        Vec3T<T> n;
        n[j] = -p.u[k] / sine, n[k] = p.u[j] / sine;
        const T x = dot(n, p.c), s = size_of(x) - h[j] * size_of(n[j]) - h[k] * size_of(n[k]);
        if (s > least_overlap + (edge ? T(0) : bias)) {
            least_overlap = s, axis = i, edge = true;
            across = x < 0 ? -n : n;
        }
    }
    if (!edge) return over_face(p, axis, p.c[axis] < 0 ? T(-1) : T(1));
    const Vec3T<T>    corner{across.x < 0 ? -h.x : h.x, across.y < 0 ? -h.y : h.y, across.z < 0 ? -h.z : h.z};
    const std::size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
    const T           t =
        between(((corner[j] - p.c[j]) * p.u[j] + (corner[k] - p.c[k]) * p.u[k]) / (p.u[j] * p.u[j] + p.u[k] * p.u[k]),
                -p.half, p.half);
    beside_edge(p, axis, corner, across, t);
}

template <class T>
MCH_CALLED void collide_capsule_box(const PlacedShape<T>& capsule, const PlacedShape<T>& box, T reach,
                                    ManifoldOf<T>& out)
{
    const CapsuleOnBox<T> p{box,
                            transpose_times(box.R, capsule.p - box.p),
                            transpose_times(box.R, capsule.R.column(2)),
                            capsule.size.y,
                            capsule.size.x,
                            reach,
                            out};
    const Vec3T<T>&       h = box.size;
    const T               t = nearest_place(p);
    const Vec3T<T>        x = p.at(t);
    Vec3T<T>              e = off_box(x, h);
    const T               d = norm(e);
    if (d - p.r > reach) return;
    if (!(d > kTiny<T> * (norm(h) + p.half))) return leave_box(p);
    const T slack = T(1e-6) * d + (sizeof(T) == 8 ? T(1e-15) : T(1e-7)) * (norm(h) + p.half + norm(p.c));
    for (std::size_t i = 0; i < 3; ++i)
        if (size_of(e[i]) <= slack) e[i] = 0;
    const int tilted = (e.x != 0 ? 1 : 0) + (e.y != 0 ? 1 : 0) + (e.z != 0 ? 1 : 0);
    if (tilted == 1) {
        const std::size_t k = e.x != 0 ? 0 : e.y != 0 ? 1 : 2;
        return over_face(p, k, e[k] < 0 ? T(-1) : T(1));
    }
    const Vec3T<T> corner = x - e, n = (1 / d) * e;
    if (tilted == 2) return beside_edge(p, e.x == 0 ? 0 : e.y == 0 ? 1 : 2, corner, n, t);
    p.emit(corner, n, d - p.r, 80 + (e.x > 0 ? 1u : 0u) + (e.y > 0 ? 2u : 0u) + (e.z > 0 ? 4u : 0u));
}

// -- two boxes

/// Nearest points of two segments (Ericson 2005, section 5.1.9).
template <class T>
MCH_CALLED T nearest_on_segments(const Vec3T<T>& p, const Vec3T<T>& d, const Vec3T<T>& q, const Vec3T<T>& e,
                                 Vec3T<T>& on_p, Vec3T<T>& on_q)
{
    const Vec3T<T> r = p - q;
    const T a = dot(d, d), c = dot(d, r), f = dot(e, r), g = dot(e, e), b = dot(d, e), determinant = a * g - b * b;
    T       s = determinant > kTiny<T> * a * g ? between((b * f - c * g) / determinant, T(0), T(1)) : T(0.5);
    T       t = g > 0 ? between((b * s + f) / g, T(0), T(1)) : T(0);
    s         = a > 0 ? between((b * t - c) / a, T(0), T(1)) : T(0);
    t         = g > 0 ? between((b * s + f) / g, T(0), T(1)) : T(0);
    on_p      = p + s * d;
    on_q      = q + t * e;
    return norm(on_q - on_p);
}

/// The edge of a box along `axis` with the signs of its other two places.
template <class T>
MCH_INLINE void edge_of(const PlacedShape<T>& box, std::size_t axis, T su, T sv, Vec3T<T>& from, Vec3T<T>& along)
{
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    along = (2 * box.size[axis]) * box.R.column(axis);
    from  = box.p + (su * box.size[u]) * box.R.column(u) + (sv * box.size[v]) * box.R.column(v) - T(0.5) * along;
}
template <class T>
MCH_INLINE void supporting_edge(const PlacedShape<T>& box, std::size_t axis, const Vec3T<T>& n, Vec3T<T>& from,
                                Vec3T<T>& along)
{
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    edge_of(box, axis, dot(n, box.R.column(u)) < 0 ? T(-1) : T(1), dot(n, box.R.column(v)) < 0 ? T(-1) : T(1), from,
            along);
}

/// Boxes apart over no face: the nearest pair of edges.
template <class T>
MCH_CALLED void nearest_edges(const PlacedShape<T>& a, const PlacedShape<T>& b, T reach, ManifoldOf<T>& out)
{
    T             nearest = T(1e30);
    Vec3T<T>      pa, pb;
    std::uint64_t name = 0;
    for (int i = 0; i < 12; ++i) {
        Vec3T<T> p, d;
        edge_of(a, static_cast<std::size_t>(i / 4), (i & 1) != 0 ? T(1) : T(-1), (i & 2) != 0 ? T(1) : T(-1), p, d);
        for (int k = 0; k < 12; ++k) {
            Vec3T<T> q, e, on_p, on_q;
            edge_of(b, static_cast<std::size_t>(k / 4), (k & 1) != 0 ? T(1) : T(-1), (k & 2) != 0 ? T(1) : T(-1), q, e);
            const T distance = nearest_on_segments(p, d, q, e, on_p, on_q);
            if (!(distance < nearest)) continue;
            nearest = distance, pa = on_p, pb = on_q;
            name = collision::feature_name(
                collision::Found::nearest_pair,
                collision::pair_name(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)));
        }
    }
    if (nearest > reach || !(nearest > 0)) return;
    out.add({pa, pb, (1 / nearest) * (pb - pa), nearest, name});
}

template <class T>
struct BoxFace {
    std::size_t axis, u, v;
    T           side, slope;
};
template <class T>
MCH_INLINE BoxFace<T> face_towards(const PlacedShape<T>& box, const Vec3T<T>& n)
{
    const Vec3T<T> d = transpose_times(box.R, n), m = abs(d);
    BoxFace<T>     f;
    f.axis  = m.x >= m.y ? (m.x >= m.z ? 0 : 2) : (m.y >= m.z ? 1 : 2);
    f.u     = (f.axis + 1) % 3;
    f.v     = (f.axis + 2) % 3;
    f.side  = d[f.axis] < 0 ? T(-1) : T(1);
    f.slope = m[f.axis];
    return f;
}

/// The incident face of `o` clipped against the reference face of `r`; points that carry. Returns the least distance.
template <class T>
MCH_CALLED T clip_boxes(const PlacedShape<T>& a, const PlacedShape<T>& b, bool of_a, const Vec3T<T>& n, T reach,
                        ManifoldOf<T>& out)
{
    struct Corner {
        T             x, y, z;
        std::uint32_t id, edge;
    };
    const PlacedShape<T>&r = of_a ? a : b, &o = of_a ? b : a;
    const BoxFace<T>     f = face_towards(r, of_a ? n : -n), g = face_towards(o, of_a ? -n : n);
    const Vec3T<T>       wn = f.side * r.R.column(f.axis), u = r.R.column(f.u), v = f.side * r.R.column(f.v);
    const T              hu = r.size[f.u], hv = r.size[f.v];
    const Vec3T<T>       centre = r.p + r.size[f.axis] * wn;
    const Vec3T<T>       gu = o.size[g.u] * o.R.column(g.u), gv = o.size[g.v] * o.R.column(g.v),
                         middle = o.p + (g.side * o.size[g.axis]) * o.R.column(g.axis) - centre;
    Corner               poly[12], next[12];
    int                  count = 0;
    for (int k = 0; k < 4; ++k) {
        const T       x = k == 0 || k == 3 ? T(1) : T(-1), y = k < 2 ? T(1) : T(-1);
        const auto    p = middle + x * gu + y * gv;
        std::uint32_t id =
            (x < 0 ? 1U << g.u : 0U) | (g.side * y < 0 ? 1U << g.v : 0U) | (g.side < 0 ? 1U << g.axis : 0U);
        poly[count++] = {dot(u, p), dot(v, p), dot(wn, p), id, id};
    }
    const T    slack = T(2e-9) * std::sqrt(hu * hu + hv * hv);
    const auto cut   = [&](std::uint32_t side, T sx, T sy, T bound) {
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            const Corner &p = poly[i], &q = poly[i + 1 < count ? i + 1 : 0];
            const T       h = sx * p.x + sy * p.y - bound - slack, k = sx * q.x + sy * q.y - bound - slack;
            if (h <= 0 && kept < 12) next[kept++] = p;
            if ((h <= 0) == (k <= 0) || kept >= 12) continue;
            const T s    = h / (h - k);
            next[kept++] = {p.x + s * (q.x - p.x), p.y + s * (q.y - p.y), p.z + s * (q.z - p.z),
                            collision::cut_name(side, p.edge), h <= 0 ? collision::side_name(side) : p.edge};
        }
        count = kept;
        for (int i = 0; i < count; ++i) poly[i] = next[i];
    };
    cut(0, 0, 1, hv), cut(1, -1, 0, hu), cut(2, 0, -1, hv), cut(3, 1, 0, hu);
    T least_distance = T(1e30);
    // In the order of their names: of points as good the same are chosen from step to step.
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (poly[i].z > reach) continue;
        least_distance = least(least_distance, poly[i].z);
        int at         = kept++;
        for (; at > 0 && next[at - 1].id > poly[i].id; --at) next[at] = next[at - 1];
        next[at] = poly[i];
    }
    const auto how  = of_a ? collision::Found::on_first_face : collision::Found::on_second_face;
    const auto emit = [&](int i) {
        const T        d = next[i].z;
        const Vec3T<T> p = centre + next[i].x * u + next[i].y * v + d * wn, on_b = of_a ? p : p + d * n;
        out.add({on_b - d * n, on_b, n, d, collision::feature_name(how, next[i].id)});
    };
    if (kept < static_cast<int>(collision::SupportPoints::kMost)) {
        for (int i = 0; i < kept; ++i) emit(i);
        return least_distance;
    }
    const auto each = [&](auto&& see) {
        for (int i = 0; i < kept; ++i)
            see(static_cast<std::size_t>(i),
                static_cast<Vec3d>(centre + next[i].x * u + next[i].y * v + (of_a ? T(0) : next[i].z) * wn),
                static_cast<double>(next[i].z));
    };
    const collision::SupportPoints chosen = collision::choose_support(each, static_cast<Vec3d>(n));
    for (std::size_t k = 0; k < chosen.count; ++k) emit(static_cast<int>(chosen.index[k]));
    return least_distance;
}

/// Separating axes: six faces, nine pairs of edges.
template <class T>
MCH_CALLED void collide_box_box(const PlacedShape<T>& a, const PlacedShape<T>& b, T reach, ManifoldOf<T>& out)
{
    const Vec3T<T> t  = b.p - a.p;
    const Vec3T<T>&ha = a.size, &hb = b.size;
    const T        size = T(0.5) * (norm(ha) + norm(hb)), bias = (sizeof(T) == 8 ? T(1e-6) : T(1e-5)) * size;
    T              face = T(-1e30), edge = T(-1e30);
    Vec3T<T>       face_n{1, 0, 0}, edge_n{1, 0, 0};
    bool           of_a   = true;
    std::size_t    edge_i = 0, edge_k = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        const bool           own = i < 3;
        const PlacedShape<T>&one = own ? a : b, &other = own ? b : a;
        const std::size_t    k = own ? i : i - 3;
        const Vec3T<T>       n = one.R.column(k);
        const T x = dot(n, t), s = size_of(x) - one.size[k] - dot(abs(transpose_times(other.R, n)), other.size);
        if (s > reach) return;
        if (s > face + bias) face = s, face_n = x < 0 ? -n : n, of_a = own;
    }
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3T<T> c    = cross(a.R.column(i), b.R.column(k));
            const T        sine = norm(c);
            if (sine < T(1e-4)) continue;
            const Vec3T<T> n = (1 / sine) * c;
            const T x        = dot(n, t),
                    s = size_of(x) - dot(abs(transpose_times(a.R, n)), ha) - dot(abs(transpose_times(b.R, n)), hb);
            if (s > reach) return;
            if (s > most(edge, face + bias)) edge = s, edge_n = x < 0 ? -n : n, edge_i = i, edge_k = k;
        }
    if (edge > face + bias) {
        if (edge > 0) return nearest_edges(a, b, reach, out);
        Vec3T<T> p, d, q, e, on_a, on_b;
        supporting_edge(a, edge_i, edge_n, p, d);
        supporting_edge(b, edge_k, -edge_n, q, e);
        nearest_on_segments(p, d, q, e, on_a, on_b);
        const Vec3T<T> middle = T(0.5) * (on_a + on_b);
        out.add({middle - (T(0.5) * edge) * edge_n, middle + (T(0.5) * edge) * edge_n, edge_n, edge,
                 collision::feature_name(collision::Found::nearest_pair, collision::pair_name(edge_i, 64 + edge_k))});
        return;
    }
    const int before  = out.count;
    const T   nearest = clip_boxes(a, b, of_a, face_n, reach, out);
    if (nearest > face + (sizeof(T) == 8 ? T(1e-9) : T(1e-5)) * size && face > 0) {
        out.count = before;
        nearest_edges(a, b, reach, out);
    }
}

}  // namespace mechane::device
