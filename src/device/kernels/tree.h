#pragma once
#include "device/kernels/world.h"

/// Trees of a world: places, velocity forces, mass matrix and its factors. The recursions are those of
/// dynamics/recursions.h, with the links of one level side by side; rows of matrices have the entries of a dof's way to
/// the root only.
namespace mechane::device {

template <class T>
MCH_INLINE Vec3T<T> reference(const World<T>& w, int l)
{ return get3(w.com(w.b.links[l].root)); }

/// Calls visit(link) for the links of each level, the roots' first, or last.
template <class Team, class T, class Visit>
MCH_INLINE void each_level(const Team& team, const World<T>& w, bool upwards, const Visit& visit)
{
    const Batch<T>& b = w.b;
    MCH_ROLLED
    for (int i = 0; i < b.at.levels; ++i) {
        const int level = upwards ? b.at.levels - 1 - i : i;
        MCH_ROLLED
        for (int k = b.level_begin[level] + team.lane(); k < b.level_begin[level + 1]; k += Team::kSize)
            visit(static_cast<int>(b.level_links[k]));
        team.sync();
    }
}

template <class T>
MCH_INLINE Vec3T<T> place_on_joint(const World<T>& w, const LinkPlan& link, const PoseT<T>& X_WJ, int l)
{
    const T*       n    = w.link(l);
    const T*       q    = w.q() + link.coord;
    Vec3T<T>       p    = X_WJ.p;
    QuatT<T>       turn = X_WJ.q;
    const PoseT<T> X_CJ = get_pose(n + link_number::X_CJ);
    if (link.kind == LinkKind::ball) {
        MCH_ROLLED
        for (int k = 0; k < link.dofs; ++k)
            put6(w.column(link.dof + k), SpatialT<T>{{}, rotate(X_WJ.q, get3(n + link_number::axis + 3 * k))});
        turn = turn * unit(QuatT<T>{q[0], q[1], q[2], q[3]});
    } else {
        MCH_ROLLED
        for (int k = 0; k < link.dofs; ++k) {
            const Vec3T<T> axis = get3(n + link_number::axis + 3 * k), a = rotate(turn, axis);
            if (k < link.linear) {
                put6(w.column(link.dof + k), SpatialT<T>{a, {}});
                p += q[k] * a;
            } else {
                const T half = T(0.5) * q[k], sine = std::sin(half), cosine = std::cos(half);
                put6(w.column(link.dof + k), SpatialT<T>{{}, a});
                turn = turn * QuatT<T>{sine * axis.x, sine * axis.y, sine * axis.z, cosine};
            }
        }
    }
    PoseT<T> X;
    X.q               = unit(turn * conjugate(X_CJ.q));
    const Mat33T<T> R = to_matrix(X.q);
    X.p               = p - R * X_CJ.p;
    put_pose(w.pose(l), X);
    return p;
}

/// Velocity of a link about its tree's reference point, and of its centre of mass.
template <class T>
MCH_INLINE void find_velocity(const World<T>& w, int l, const T* rates, T* velocity, T* twist)
{
    const LinkPlan& link = w.b.links[l];
    const Vec3T<T>  O = reference(w, l), com = get3(w.com(l));
    if (link.kind == LinkKind::free) {
        const SpatialT<T> own = get6(rates + link.dof);
        put6(twist + 6 * l, own);
        put6(velocity + 6 * l, shift_twist(own, O - com));
        return;
    }
    SpatialT<T> v{};
    if (link.parent >= 0) v = get6(velocity + 6 * link.parent);
    MCH_ROLLED
    for (int k = link.dof; k < link.dof + link.dofs; ++k) v += rates[k] * get6(w.column(k));
    put6(velocity + 6 * l, v);
    put6(twist + 6 * l, shift_twist(v, com - O));
}

/// Poses, columns, velocities and turned inertias of all links.
template <class Team, class T>
MCH_INLINE void place_links(const Team& team, const World<T>& w)
{
    each_level(team, w, false, [&](int l) {
        const LinkPlan& link = w.b.links[l];
        const T*        n    = w.link(l);
        Vec3T<T>        pivot;
        if (link.kind == LinkKind::free) {
            put_pose(w.pose(l), get_pose(w.q() + link.coord));
            for (int k = 0; k < 3; ++k) {
                put6(w.column(link.dof + k), SpatialT<T>{axis_vector<T>(k), {}});
                put6(w.column(link.dof + 3 + k), SpatialT<T>{{}, axis_vector<T>(k)});
            }
        } else {
            const PoseT<T> X_PJ = get_pose(n + link_number::X_PJ);
            pivot = place_on_joint(w, link, link.parent >= 0 ? get_pose(w.pose(link.parent)) * X_PJ : X_PJ, l);
        }
        const PoseT<T>  X   = get_pose(w.pose(l));
        const Mat33T<T> R   = to_matrix(X.q);
        const Vec3T<T>  com = X.p + R * get3(n + link_number::com);
        put3(w.turn(l), R.r0), put3(w.turn(l) + 3, R.r1), put3(w.turn(l) + 6, R.r2);
        put3(w.com(l), com);
        if (link.kind == LinkKind::free) pivot = com;
        const Vec3T<T> r = reference(w, l) - pivot;
        for (int k = link.dof + (link.kind == LinkKind::free ? 3 : link.linear); k < link.dof + link.dofs; ++k)
            put3(w.column(k), cross(get3(w.column(k) + 3), r));
        find_velocity(w, l, w.v(), w.ws + w.b.at.velocity, w.ws + w.b.at.twist);
        const Mat33T<T> A = R * symmetric(n + link_number::inertia);
        T* const        I = w.inertia(l);
        I[0] = dot(A.r0, R.r0), I[1] = dot(A.r0, R.r1), I[2] = dot(A.r0, R.r2);
        I[3] = dot(A.r1, R.r1), I[4] = dot(A.r1, R.r2), I[5] = dot(A.r2, R.r2);
    });
}

/// External wrench about the centre of mass.
template <class T>
MCH_INLINE SpatialT<T> wrench_of(const World<T>& w, int l)
{
    const LinkPlan& link = w.b.links[l];
    SpatialT<T>     f{};
    const auto      add = [&](const float* at) {
        SpatialT<T> x{{T(at[0]), T(at[1]), T(at[2])}, {T(at[3]), T(at[4]), T(at[5])}};
        if (finite(x.linear.x + x.linear.y + x.linear.z + x.angular.x + x.angular.y + x.angular.z)) f += x;
    };
    add(w.mine(w.b.body_f, 6 * w.b.at.bodies) + 6 * link.body);
    if (link.kind == LinkKind::free) add(w.mine(w.b.joint_f, w.b.at.joint_dofs) + link.qd);
    return f;
}

template <class T>
MCH_INLINE SpatialT<T> cross_motion(const SpatialT<T>& v, const SpatialT<T>& s)
{ return {cross(v.angular, s.linear) + cross(v.linear, s.angular), cross(v.angular, s.angular)}; }

/// Forces on the dofs that hold the present motion (World::tau), at the rates `rates` and the velocities that belong to
/// them.
template <class Team, class T>
MCH_INLINE void find_bias(const Team& team, const World<T>& w, const T* rates, const T* velocity, const T* twist)
{
    const Vec3T<T> gravity = w.gravity();
    each_level(team, w, false, [&](int l) {
        const LinkPlan&   link = w.b.links[l];
        const SpatialT<T> own  = get6(twist + 6 * l);
        SpatialT<T>       a{}, v{};
        if (link.kind == LinkKind::free) {
            a.linear = cross(own.linear, own.angular);
        } else {
            if (link.parent >= 0) a = get6(w.accel(link.parent)), v = get6(velocity + 6 * link.parent);
            MCH_ROLLED
            for (int k = link.dof; k < link.dof + link.dofs; ++k) {
                const SpatialT<T> column = get6(w.column(k));
                a += rates[k] * cross_motion(v, column);
                if (link.kind != LinkKind::ball) v += rates[k] * column;
            }
        }
        put6(w.accel(l), a);
        const Vec3T<T> r = get3(w.com(l)) - reference(w, l), &rate = own.angular;
        const Vec3T<T> a_com = a.linear + cross(a.angular, r) + cross(rate, own.linear) - gravity;
        SpatialT<T>    f{w.link(l)[link_number::mass] * a_com,
                         symmetric_times(w.inertia(l), a.angular) + cross(rate, symmetric_times(w.inertia(l), rate))};
        f -= wrench_of(w, l);
        put6(w.force(l), shift_wrench(f, -r));
    });
    each_level(team, w, true, [&](int l) {
        SpatialT<T>     f    = get6(w.force(l));
        const LinkPlan& link = w.b.links[l];
        MCH_ROLLED
        for (int c = link.child_begin; c < link.child_end; ++c) f += get6(w.force(w.b.children[c]));
        put6(w.force(l), f);
    });
    MCH_ROLLED
    for (int k = team.lane(); k < w.b.at.dofs; k += Team::kSize)
        w.tau()[k] = dot(get6(w.column(k)), get6(w.force(w.b.dofs[k].link)));
    team.sync();
}

template <class Team, class T>
MCH_INLINE void find_mass(const Team& team, const World<T>& w)
{
    each_level(team, w, true, [&](int l) {
        const LinkPlan& link = w.b.links[l];
        const T         m    = w.link(l)[link_number::mass];
        const Vec3T<T>  r    = get3(w.com(l)) - reference(w, l);
        const T         rr = dot(r, r), *I = w.inertia(l);
        T               c[10] = {m,
                                 m * r.x,
                                 m * r.y,
                                 m * r.z,
                                 I[0] + m * (rr - r.x * r.x),
                                 I[1] - m * r.x * r.y,
                                 I[2] - m * r.x * r.z,
                                 I[3] + m * (rr - r.y * r.y),
                                 I[4] - m * r.y * r.z,
                                 I[5] + m * (rr - r.z * r.z)};
        MCH_ROLLED
        for (int k = link.child_begin; k < link.child_end; ++k) {
            const T* child = w.composite(w.b.children[k]);
            for (int i = 0; i < 10; ++i) c[i] += child[i];
        }
        for (int i = 0; i < 10; ++i) w.composite(l)[i] = c[i];
        MCH_ROLLED
        for (int k = link.dof; k < link.dof + link.dofs; ++k) {
            const SpatialT<T> s = get6(w.column(k));
            const Vec3T<T>    h{c[1], c[2], c[3]};
            put6(w.momentum(k), SpatialT<T>{c[0] * s.linear + cross(s.angular, h),
                                            cross(h, s.linear) + symmetric_times(c + 4, s.angular)});
        }
    });
    T* const mass = w.ws + w.b.at.mass;
    MCH_ROLLED
    for (int e = team.lane(); e < w.b.at.entries; e += Team::kSize)
        mass[e] = dot(get6(w.column(w.b.paths[e])), get6(w.momentum(w.b.entry_dof[e])));
    team.sync();
}

/// M + diagonal = L^T D L, then the rows of the dofs' rates in whitened coordinates, D^(-1/2) L^(-T) (World::white),
/// and the roots of the inverse pivots. A dof that has zero inertia gets the root 0.
template <class Team, class T>
MCH_INLINE void factor(const Team& team, const World<T>& w, bool armature_alone = false)
{
    const Batch<T>& b    = w.b;
    const T* const  mass = w.ws + b.at.mass;
    MCH_ROLLED
    for (int e = team.lane(); e < b.at.entries; e += Team::kSize) {
        const int k = b.entry_dof[e];
        w.ws[b.at.factor + e] =
            mass[e] + (b.paths[e] == k ? (armature_alone ? w.dof(k)[dof_number::armature] : w.diagonal()[k]) : T(0));
    }
    team.sync();
    MCH_ROLLED
    for (int k = b.at.dofs - 1; k >= 0; --k) {
        const DofPlan&            dof   = b.dofs[k];
        T* const                  row   = w.factor(k);
        const std::int16_t* const path  = w.path(k);
        const T                   pivot = row[dof.depth], least_pivot = T(1e-12) * mass[dof.row + dof.depth];
        const T                   inverse = pivot > least_pivot && pivot > 0 ? 1 / pivot : T(0);
        const int                 n = dof.depth, pairs = n * (n + 1) / 2;
        MCH_ROLLED
        for (int p = team.lane(); p < pairs; p += Team::kSize) {
            // p counts the entries of a triangle row by row.
            int i = static_cast<int>((std::sqrt(8.0f * static_cast<float>(p) + 1.0f) - 1.0f) * 0.5f);
            if (i * (i + 1) / 2 > p) --i;
            if ((i + 1) * (i + 2) / 2 <= p) ++i;
            const int j = p - i * (i + 1) / 2;
            w.factor(path[i])[j] -= inverse * row[i] * row[j];
        }
        team.sync();
        MCH_ROLLED
        for (int i = team.lane(); i < n; i += Team::kSize) row[i] *= inverse;
        if (team.lane() == 0) w.roots()[k] = std::sqrt(inverse);
        team.sync();
    }
    // Columns do not depend on each other: each lane makes those of its own dofs.
    MCH_ROLLED
    for (int j = team.lane(); j < b.at.dofs; j += Team::kSize) {
        const int d = b.dofs[j].depth;
        MCH_ROLLED
        for (int k = j; k < b.dofs[j].end; ++k) {
            const std::int16_t* const path = w.path(k);
            const T* const            L    = w.factor(k);
            T                         x    = k == j ? w.roots()[j] : T(0);
            MCH_ROLLED
            for (int i = d; i < b.dofs[k].depth; ++i) x -= L[i] * w.white(path[i])[d];
            w.white(k)[d] = x;
        }
    }
    team.sync();
}

/// u := D^(-1/2) L^(-T) f, or rates of the dofs from u by the rows of `white`.
template <class Team, class T>
MCH_INLINE void gather_up(const Team& team, const World<T>& w, const T* f, T* u)
{
    MCH_ROLLED
    for (int j = team.lane(); j < w.b.at.dofs; j += Team::kSize) {
        const int d = w.b.dofs[j].depth;
        T         s{};
        MCH_ROLLED
        for (int k = j; k < w.b.dofs[j].end; ++k) s += w.white(k)[d] * f[k];
        u[j] = s;
    }
    team.sync();
}
template <class Team, class T>
MCH_INLINE void read_rates(const Team& team, const World<T>& w, const T* u, T* v)
{
    MCH_ROLLED
    for (int k = team.lane(); k < w.b.at.dofs; k += Team::kSize) {
        const std::int16_t* const path = w.path(k);
        T                         s{};
        MCH_ROLLED
        for (int d = 0; d <= w.b.dofs[k].depth; ++d) s += w.white(k)[d] * u[path[d]];
        v[k] = w.roots()[k] > 0 ? s : u[k];  // what has zero inertia keeps its rate
    }
    team.sync();
}
/// v := M^-1 f. `u` is room.
template <class Team, class T>
MCH_INLINE void respond(const Team& team, const World<T>& w, const T* f, T* u, T* v)
{
    gather_up(team, w, f, u);
    read_rates(team, w, u, v);
}
/// Velocities into whitened coordinates: u = sqrt(D) L v.
template <class Team, class T>
MCH_INLINE void whiten(const Team& team, const World<T>& w, const T* v, T* u)
{
    MCH_ROLLED
    for (int k = team.lane(); k < w.b.at.dofs; k += Team::kSize) {
        const std::int16_t* const path = w.path(k);
        T                         s    = v[k];
        MCH_ROLLED
        for (int d = 0; d < w.b.dofs[k].depth; ++d) s += w.factor(k)[d] * v[path[d]];
        u[k] = w.roots()[k] > 0 ? s / w.roots()[k] : s;
    }
    team.sync();
}

}  // namespace mechane::device
