#pragma once
#include "device/kernels/tree.h"
#include "solvers/softstep/parameters.h"

/// The velocities after a substep without rows, as in softstep/mechanism/predict.cpp.
namespace mechane::device {

namespace law = solvers::softstep;

template <class T>
MCH_INLINE bool has_flag(const World<T>& w, int k, DofFlag flag)
{ return (static_cast<int>(w.dof(k)[dof_number::flags]) & flag) != 0; }

template <class T>
MCH_INLINE T target_rate(const World<T>& w, int k)
{
    if (w.dof(k)[dof_number::rated] == 0) return 0;
    const T rate = w.mine(w.b.target_qd, w.b.at.joint_dofs)[w.b.dofs[k].qd];
    return finite(rate) ? rate : T(0);
}
template <class T>
MCH_INLINE T force_of(const World<T>& w, int k)
{
    const T f = w.mine(w.b.joint_f, w.b.at.joint_dofs)[w.b.dofs[k].qd];
    return finite(f) ? f : T(0);
}

/// Position errors of drives and springs.
template <class Team, class T>
MCH_INLINE void read_errors(const Team& team, const World<T>& w)
{
    const float* const target = w.mine(w.b.target_q, w.b.at.joint_coords);
    const int          n      = w.b.at.dofs;
    MCH_ROLLED
    for (int k = team.lane(); k < n; k += Team::kSize) {
        const DofPlan&  dof  = w.b.dofs[k];
        const LinkPlan& link = w.b.links[dof.link];
        T&              e    = w.error()[k];
        T&              r    = w.error()[n + k];
        e = r = 0;
        if (link.kind == LinkKind::free) continue;
        const T* const number = w.dof(k);
        if (link.kind == LinkKind::axes) {
            const T goal = target[dof.target_q];
            e            = (w.gains()[k] > 0 && finite(goal) ? goal : T(0)) - w.q()[dof.coord];
            r            = number[dof_number::rest] - w.q()[dof.coord];
            continue;
        }
        if (w.gains()[k] == 0 && number[dof_number::stiffness] == 0) continue;
        const T* const     q = w.q() + link.coord;
        const QuatT<T>     now{q[0], q[1], q[2], q[3]};
        const float* const g        = target + link.q;
        const T* const     f        = w.dof(link.dof);
        const auto         error_to = [&](const QuatT<T>& goal) {
            const T size = dot(goal, goal);
            return finite(size) ? turn_of(unit(unit(goal) * conjugate(now))) : Vec3T<T>{};
        };
        e = error_to({T(g[0]), T(g[1]), T(g[2]), T(g[3])})[static_cast<std::size_t>(dof.axis)];
        r = error_to({f[dof_number::rest], f[dof_number::rest_y], f[dof_number::rest_z],
                      f[dof_number::rest_w]})[static_cast<std::size_t>(dof.axis)];
    }
    team.sync();
}

/// Gains of drives in this step: those of acceleration drives are scaled by the inertia that their dof feels with all
/// others free.
template <class Team, class T>
MCH_INLINE void set_gains(const Team& team, const World<T>& w)
{
    const int n = w.b.at.dofs;
    MCH_ROLLED
    for (int k = team.lane(); k < n; k += Team::kSize) {
        w.gains()[k]     = w.dof(k)[dof_number::ke];
        w.gains()[n + k] = w.dof(k)[dof_number::kd];
    }
    team.sync();
}
/// Whether some dof has such a drive.
template <class Team, class T>
MCH_INLINE bool has_acceleration_drives(const Team& team, const World<T>& w)
{
    bool any = false;
    MCH_ROLLED
    for (int k = team.lane(); k < w.b.at.dofs; k += Team::kSize) any = any || has_flag(w, k, kAcceleration);
    return team.any(any);
}
/// After `factor` with armature alone.
template <class Team, class T>
MCH_INLINE void scale_acceleration_drives(const Team& team, const World<T>& w)
{
    const int n = w.b.at.dofs;
    MCH_ROLLED
    for (int k = team.lane(); k < n; k += Team::kSize) {
        if (!has_flag(w, k, kAcceleration)) continue;
        T inverse{};
        MCH_ROLLED
        for (int d = 0; d <= w.b.dofs[k].depth; ++d) inverse += w.white(k)[d] * w.white(k)[d];
        const T inertia = inverse > 0 ? 1 / inverse : T(0);
        w.gains()[k] *= inertia;
        w.gains()[n + k] *= inertia;
    }
    team.sync();
}

template <class T>
MCH_INLINE Vec3T<T> gyrate(const T* inertia, const Vec3T<T>& rate, T h)
{
    const Mat33T<T> I      = symmetric(inertia);
    const Vec3T<T>  L      = I * rate;
    const T         before = norm(L);
    if (!(before > 0)) return rate;
    Vec3T<T> next;
    if (norm(rate) * h > T(0.25)) {
        const Mat33T<T> J = I + h * (Mat33T<T>::skew(rate) * I - Mat33T<T>::skew(L));
        next              = rate - solve3(J, h * cross(rate, L));
    } else {
        const Vec3T<T> middle = rate + (T(0.5) * h) * solve3(I, cross(L, rate));
        next                  = rate + h * solve3(I, cross(I * middle, middle));
    }
    const T after = norm(I * next);
    return after > 0 ? (before / after) * next : rate;
}

/// A free body by itself.
template <class T>
MCH_INLINE void predict_single(const World<T>& w, int l, T h)
{
    const LinkPlan&   link = w.b.links[l];
    const T* const    n    = w.link(l);
    T* const          v    = w.v() + link.dof;
    const Mat33T<T>   R    = get_turn(w.turn(l));
    const SpatialT<T> f    = wrench_of(w, l);
    const T           m    = n[link_number::mass];
    const Vec3T<T>    a    = m > 0 ? w.gravity() + (1 / m) * f.linear : Vec3T<T>{};
    const Vec3T<T>    body = gyrate(n + link_number::inertia, transpose_times(R, get3(v + 3)), h);
    const Vec3T<T>    push = solve3(symmetric(n + link_number::inertia), transpose_times(R, f.angular));
    put3(v, get3(v) + h * a);
    put3(v + 3, R * (body + h * push));
}

/// Gains and armature on the diagonal, and the impulses of forces, drives and springs (World::x).
template <class Team, class T>
MCH_INLINE void set_loads(const Team& team, const World<T>& w, T h)
{
    const int n = w.b.at.dofs;
    MCH_ROLLED
    for (int k = team.lane(); k < n; k += Team::kSize) {
        const T* const number = w.dof(k);
        if (w.b.dofs[k].qd < 0) {
            w.diagonal()[k] = 0;
            w.x()[k]        = -h * w.tau()[k];
            continue;
        }
        const T v = w.v()[k], ke = w.gains()[k], kd = w.gains()[n + k], saturated = w.memory(k)[dof_memory::saturated];
        T       stiffness = number[dof_number::stiffness], damping = number[dof_number::damping];
        T       force = force_of(w, k) - w.tau()[k] + stiffness * (w.error()[n + k] - h * v) - damping * v;
        if (saturated == 0) {
            stiffness += ke, damping += kd;
            force += ke * (w.error()[k] - h * v) + kd * (target_rate(w, k) - v);
        } else {
            force += saturated * number[dof_number::effort];
        }
        w.diagonal()[k] = number[dof_number::armature] + h * damping + h * h * stiffness;
        w.x()[k]        = h * force;
    }
    team.sync();
}

/// After the velocity changes `dv`: which drives would exceed their effort limit. Returns whether they are others.
template <class Team, class T>
MCH_INLINE bool saturate(const Team& team, const World<T>& w, const T* dv, T h, bool last)
{
    const int n       = w.b.at.dofs;
    bool      changed = false;
    MCH_ROLLED
    for (int k = team.lane(); k < n; k += Team::kSize) {
        const T ke = w.gains()[k], kd = w.gains()[n + k];
        if (w.b.dofs[k].qd < 0 || (ke == 0 && kd == 0)) continue;
        const T effort = w.dof(k)[dof_number::effort], after = w.v()[k] + dv[k];
        const T drive = ke * (w.error()[k] - h * after) + kd * (target_rate(w, k) - after), slack = T(1 + 1e-6);
        const T now = drive > effort * slack ? T(1) : drive < -effort * slack ? T(-1) : T(0);
        changed     = changed || now != w.memory(k)[dof_memory::saturated];
        if (!last) w.memory(k)[dof_memory::saturated] = now;
    }
    const bool any = team.any(changed);
    team.sync();
    return any;
}

/// From the kinematics of the beginning of the substep to World::v without rows, and to the factors that rows use.
template <class Team, class T>
MCH_INLINE void predict(const Team& team, const World<T>& w, T h, bool first)
{
    const Batch<T>& b  = w.b;
    const int       n  = b.at.dofs;
    T* const        dv = w.x() + n;
    find_mass(team, w);
    find_bias(team, w, w.v(), w.ws + b.at.velocity, w.ws + b.at.twist);
    // One place calls `factor`: a device has little room for code. The round before the first is for acceleration
    // drives.
    MCH_ROLLED
    for (int round = first && has_acceleration_drives(team, w) ? -1 : 0; round < law::kMaxDriveRounds; ++round) {
        if (round >= 0) {
            if (round == 0) read_errors(team, w);
            set_loads(team, w, h);
        }
        factor(team, w, round < 0);
        if (round < 0) {
            scale_acceleration_drives(team, w);
            continue;
        }
        respond(team, w, w.x(), w.u(), dv);
        if (!saturate(team, w, dv, h, round + 1 == law::kMaxDriveRounds)) break;
    }
    bool spins = false;
    MCH_ROLLED
    for (int l = team.lane(); l < b.at.links; l += Team::kSize)
        spins = spins || (b.links[l].single == 0 && norm(get3(w.twist(l) + 3)) * h > T(law::kSpin));
    if (team.any(spins)) {
        // Velocity forces of the middle of the substep. Composites are not needed any more and give room.
        T *const middle = w.x(), *const velocity = w.ws + b.at.composite, *const twist = w.ws + b.at.velocity;
        T* const tau = w.diagonal();
        MCH_ROLLED
        for (int k = team.lane(); k < n; k += Team::kSize) middle[k] = w.v()[k] + T(0.5) * dv[k], tau[k] = w.tau()[k];
        team.sync();
        each_level(team, w, false, [&](int l) { find_velocity(w, l, middle, velocity, twist); });
        find_bias(team, w, middle, velocity, twist);
        MCH_ROLLED
        for (int k = team.lane(); k < n; k += Team::kSize) {
            // Each tree decides for itself.
            const int root = b.links[b.dofs[k].link].root;
            middle[k]      = 0;
            bool turns     = false;
            MCH_ROLLED
            for (int l = root; l < b.at.links && b.links[l].root == root; ++l)
                turns = turns || norm(get3(w.twist(l) + 3)) * h > T(law::kSpin);
            if (turns) middle[k] = h * (tau[k] - w.tau()[k]);
        }
        team.sync();
        respond(team, w, middle, w.u(), w.tau());
        MCH_ROLLED
        for (int k = team.lane(); k < n; k += Team::kSize) dv[k] += w.tau()[k];
        team.sync();
    }
    MCH_ROLLED
    for (int k = team.lane(); k < n; k += Team::kSize)
        if (b.links[b.dofs[k].link].single == 0) w.v()[k] += dv[k];
    MCH_ROLLED
    for (int l = team.lane(); l < b.at.links; l += Team::kSize)
        if (b.links[l].single != 0) predict_single(w, l, h);
    team.sync();
    whiten(team, w, w.v(), w.u());
}

}  // namespace mechane::device
