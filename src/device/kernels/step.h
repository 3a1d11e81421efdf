#pragma once
#include "device/kernels/rows.h"

/// A whole step of one world.
namespace mechane::device {

/// Bits of Array::faults, as mechane/device/device_batch.h has them.
inline constexpr std::int32_t kFaultDiverged = 1, kFaultContactsFull = 2, kFaultVelocityBound = 4;

/// Coordinates and rates from the state. Returns whether all are finite.
template <class Team, class T>
MCH_INLINE bool load_state(const Team& team, const World<T>& w)
{
    const Batch<T>&    b     = w.b;
    const float* const q     = w.mine(b.joint_q, b.at.joint_coords);
    const float* const qd    = w.mine(b.joint_qd, b.at.joint_dofs);
    bool               sound = true;
    MCH_ROLLED
    for (int l = team.lane(); l < b.at.links; l += Team::kSize) {
        const LinkPlan& link = b.links[l];
        T* const        to   = w.q() + link.coord;
        T* const        v    = w.v() + link.dof;
        MCH_ROLLED
        for (int k = 0; k < link.coords; ++k) to[k] = q[link.q + k], sound = sound && size_of(to[k]) < T(1e12);
        MCH_ROLLED
        for (int k = 0; k < link.dofs; ++k)
            v[k] = qd[link.qd + k], sound = sound && size_of(v[k]) < T(law::kDivergedVelocity);
        if (link.kind == LinkKind::ball) {
            const QuatT<T> turn = unit(QuatT<T>{to[0], to[1], to[2], to[3]});
            to[0] = turn.x, to[1] = turn.y, to[2] = turn.z, to[3] = turn.w;
        } else if (link.kind == LinkKind::free) {
            const PoseT<T> X_PJ = get_pose(w.link(l) + link_number::X_PJ),
                           X_CJ = get_pose(w.link(l) + link_number::X_CJ);
            PoseT<T>       X{get3(to), unit(QuatT<T>{to[3], to[4], to[5], to[6]})};
            X   = X_PJ * X * inverse(X_CJ);
            X.q = unit(X.q);
            put_pose(to, X);
            put3(v, rotate(X_PJ.q, get3(v)));
            put3(v + 3, rotate(X_PJ.q, get3(v + 3)));
        }
    }
    sound = !team.any(!sound);
    team.sync();
    return sound;
}

/// Moves coordinates on by h at the rates v.
template <class Team, class T>
MCH_INLINE void integrate(const Team& team, const World<T>& w, T h)
{
    MCH_ROLLED
    for (int l = team.lane(); l < w.b.at.links; l += Team::kSize) {
        const LinkPlan& link = w.b.links[l];
        T* const        q    = w.q() + link.coord;
        const T* const  v    = w.v() + link.dof;
        if (link.kind == LinkKind::free) {
            const QuatT<T> old{q[3], q[4], q[5], q[6]}, now = unit(turn_by(h * get3(v + 3)) * old);
            const Vec3T<T> com = get3(w.link(l) + link_number::com);
            put_pose(q, PoseT<T>{get3(q) + h * get3(v) + (rotate(old, com) - rotate(now, com)), now});
        } else if (link.kind == LinkKind::ball) {
            const QuatT<T> now = unit(turn_by(h * get3(v)) * QuatT<T>{q[0], q[1], q[2], q[3]});
            q[0] = now.x, q[1] = now.y, q[2] = now.z, q[3] = now.w;
        } else {
            MCH_ROLLED
            for (int k = 0; k < link.dofs; ++k) q[k] += h * v[k];
        }
    }
    team.sync();
}

/// Slows trees that are too fast, each as a whole. Returns whether one was.
template <class Team, class T>
MCH_INLINE bool clamp_velocities(const Team& team, const World<T>& w)
{
    bool clamped = false;
    MCH_ROLLED
    for (int t = team.lane(); t < w.b.at.trees; t += Team::kSize) {
        const TreePlan tree    = w.b.trees[t];
        T              largest = 0;
        MCH_ROLLED
        for (int l = tree.link_begin; l < tree.link_end; ++l) {
            const LinkPlan& link = w.b.links[l];
            const T* const  v    = w.v() + link.dof;
            if (link.kind == LinkKind::free)
                largest = most(largest, most(norm(get3(v)), norm(get3(v + 3))));
            else
                MCH_ROLLED
            for (int k = 0; k < link.dofs; ++k) largest = most(largest, size_of(v[k]));
        }
        if (!(largest > T(law::kMaxVelocity)) || !(largest < T(law::kDivergedVelocity))) continue;
        clamped = true;
        MCH_ROLLED
        for (int k = tree.dof_begin; k < tree.dof_end; ++k) w.v()[k] *= T(law::kMaxVelocity) / largest;
    }
    const bool any = team.any(clamped);
    team.sync();
    return any;
}

inline constexpr int kBothKinds = 2;  ///< of sweeps: with bias, and relaxations

/// What a step makes of its beginning: contacts, and what it remembers. Returns how many contacts were found.
template <class Team, class T>
MCH_INLINE int begin_step(const Team& team, const World<T>& w, double h)
{
    const Batch<T>& b     = w.b;
    const int       found = find_contacts(team, w);
    load_contacts(team, w, found < b.at.contacts ? found : b.at.contacts, h);
    MCH_ROLLED
    for (int k = team.lane(); k < b.at.dofs; k += Team::kSize) {
        DofRow<T> rows{};
        rows.lower.lambda = w.memory(k)[dof_memory::lower];
        rows.upper.lambda = w.memory(k)[dof_memory::upper];
        rows.friction     = w.memory(k)[dof_memory::friction];
        dof_rows(w)[k]    = rows;
    }
    set_gains(team, w);
    return found;
}

/// A substep from the kinematics of its beginning on.
/// @param contacts  how many the step found
template <class Team, class T>
MCH_INLINE void substep(const Team& team, const World<T>& w, int contacts, int number, double h, std::int32_t& faults)
{
    const law::Softness soft = law::softness(law::kContactHertzTimesStep / h, law::kContactDampingRatio, h);
    predict(team, w, T(h), number == 0);
    const int dofs = build_dof_rows(team, w, h);
    int       next = 0;
    MCH_ROLLED
    for (int i = 0; i < contacts; ++i) build_contact(team, w, i, soft, h, number == 0, next);
    warm_start_dofs(team, w, dofs);
    MCH_ROLLED
    for (int i = 0; i < contacts; ++i)
        if (law_of(w, i).row >= 0) warm_start_contact(team, w, i);
    bool bounces = false;
    MCH_ROLLED
    for (int relax = 0; relax < kBothKinds; ++relax) {
        solve(team, w, dofs, contacts, number, h, relax != 0);
        if (relax != 0) break;
        read_rates(team, w, w.u(), w.v());
        if (clamp_velocities(team, w)) {
            faults |= kFaultVelocityBound;
            whiten(team, w, w.v(), w.u());
        }
        integrate(team, w, T(h));
        advance_dofs(team, w, dofs, h);
        MCH_ROLLED
        for (int i = 0; i < contacts; ++i) bounces = advance_contact(team, w, i, h) || bounces;
    }
    if (bounces) MCH_ROLLED
    for (int i = 0; i < law::kRestitutionSweeps; ++i)
        for (int k = 0; k < contacts; ++k) bounce_contact(team, w, (i & 1) != 0 ? contacts - 1 - k : k);
    read_rates(team, w, w.u(), w.v());
    MCH_ROLLED
    for (int i = team.lane(); i < contacts; i += Team::kSize)
        for (int k = 0; k < 3; ++k) law_of(w, i).impulse_sum[k] += law_of(w, i).lambda[k];
    team.sync();
}

/// The state that the step ends with, rounded as it is published; the next step starts from nothing else.
template <class Team, class T>
MCH_INLINE bool publish(const Team& team, const World<T>& w)
{
    const Batch<T>& b     = w.b;
    bool            sound = true;
    MCH_ROLLED
    for (int l = team.lane(); l < b.at.links; l += Team::kSize) {
        const LinkPlan& link = b.links[l];
        const T* const  q    = w.q() + link.coord;
        const T* const  v    = w.v() + link.dof;
        MCH_ROLLED
        for (int k = 0; k < link.coords; ++k) sound = sound && size_of(q[k]) < T(1e12);
        MCH_ROLLED
        for (int k = 0; k < link.dofs; ++k) sound = sound && size_of(v[k]) < T(law::kDivergedVelocity);
    }
    sound = !team.any(!sound);
    team.sync();
    if (!sound) return false;
    float *const joint_q = w.mine(b.joint_q, b.at.joint_coords), *const joint_qd = w.mine(b.joint_qd, b.at.joint_dofs);
    MCH_ROLLED
    for (int l = team.lane(); l < b.at.links; l += Team::kSize) {
        const LinkPlan& link = b.links[l];
        T*              q    = w.q() + link.coord;
        T*              v    = w.v() + link.dof;
        T               own[7], rate[6];
        if (link.kind == LinkKind::free) {
            const PoseT<T> X_PJ = get_pose(w.link(l) + link_number::X_PJ),
                           X_CJ = get_pose(w.link(l) + link_number::X_CJ);
            PoseT<T>       X    = inverse(X_PJ) * get_pose(q) * X_CJ;
            X.q                 = unit(X.q);
            put_pose(own, X);
            put3(rate, rotate_inverse(X_PJ.q, get3(v)));
            put3(rate + 3, rotate_inverse(X_PJ.q, get3(v + 3)));
            q = own, v = rate;
        }
        MCH_ROLLED
        for (int k = 0; k < link.coords; ++k) joint_q[link.q + k] = static_cast<float>(q[k]);
        MCH_ROLLED
        for (int k = 0; k < link.dofs; ++k) joint_qd[link.qd + k] = static_cast<float>(v[k]);
    }
    team.sync();
    return true;
}

template <class Team, class T>
MCH_INLINE void publish_bodies(const Team& team, const World<T>& w)
{
    const Batch<T>& b = w.b;
    float *const body = w.mine(b.body_q, 7 * b.at.bodies), *const twist = w.mine(b.body_qd, 6 * b.at.bodies);
    MCH_ROLLED
    for (int l = team.lane(); l < b.at.links; l += Team::kSize) {
        float *const X = body + 7 * b.links[l].body, *const v = twist + 6 * b.links[l].body;
        for (int k = 0; k < 7; ++k) X[k] = static_cast<float>(w.pose(l)[k]);
        for (int k = 0; k < 6; ++k) v[k] = static_cast<float>(w.twist(l)[k]);
    }
    team.sync();
}

/// What the next step remembers of the contacts that push, and the mean forces of all.
template <class Team, class T>
MCH_INLINE void store_contacts(const Team& team, const World<T>& w, int contacts, double h)
{
    const Batch<T>& b     = w.b;
    int             count = 0;
    MCH_ROLLED
    for (int first = 0; first < contacts; first += Team::kSize) {
        const int  i     = first + team.lane();
        const bool keeps = i < contacts && law_of(w, i).lambda[0] > 0;
        int        total = 0;
        const int  at    = count + team.before(keeps ? 1 : 0, total);
        count += total;
        if (i >= contacts) continue;
        FoundContact<T>&    found = b.found[w.slot(i)];
        const ContactLaw<T> c     = law_of(w, i);
        const auto          frame = law::frame_along<T>({found.normal[0], found.normal[1], found.normal[2]});
        const T             rate  = T(1 / (h * b.substeps));
        for (std::size_t k = 0; k < 3; ++k)
            found.force[k] = rate * (c.impulse_sum[0] * frame.n[k] + c.impulse_sum[1] * frame.t1[k] +
                                     c.impulse_sum[2] * frame.t2[k]);
        if (!keeps) continue;
        ContactMemory<T>& m    = b.memory[w.slot(at)];
        const auto        left = law::remember<T>(c, c.spins != 0 ? &c.spin : nullptr, frame, h);
        m.pair                 = found.pair;
        m.feature              = found.feature;
        m.force                = left.force;
        for (std::size_t k = 0; k < 3; ++k) {
            m.normal[k]   = frame.n[k];
            m.friction[k] = left.friction[k], m.drift[k] = left.drift[k], m.torque[k] = left.torque[k];
        }
    }
    team.sync();
    if (team.lane() == 0) b.memory_count[w.w] = count;
}

template <class Team, class T>
MCH_INLINE void forget(const Team& team, const World<T>& w)
{
    MCH_ROLLED
    for (int i = team.lane(); i < dof_memory::count * w.b.at.dofs; i += Team::kSize) w.memory(0)[i] = 0;
    if (team.lane() == 0) w.b.memory_count[w.w] = 0;
}

template <class Team, class T>
MCH_INLINE void step_world(const Team& team, const World<T>& w)
{
    const Batch<T>& b        = w.b;
    const double    h        = b.dt / b.substeps;
    std::int32_t    faults   = 0;
    int             found    = 0;
    int             contacts = 0;
    bool            sound    = true;
    // The pass after the last substep ends the step. Each phase is called from one place: a device has little room for
    // code.
    MCH_ROLLED
    for (int k = 0; k <= b.substeps; ++k) {
        const bool last = k == b.substeps;
        if (last) sound = publish(team, w);
        if (sound && (k == 0 || last)) sound = load_state(team, w);
        if (!sound) break;
        place_links(team, w);
        if (last) break;
        if (k == 0) {
            found    = begin_step(team, w, h);
            contacts = found < b.at.contacts ? found : b.at.contacts;
            if (found > contacts) faults |= kFaultContactsFull;
        }
        substep(team, w, contacts, k, h, faults);
    }
    if (sound) {
        publish_bodies(team, w);
        store_contacts(team, w, contacts, h);
        MCH_ROLLED
        for (int k = team.lane(); k < b.at.dofs; k += Team::kSize) {
            w.memory(k)[dof_memory::lower]    = dof_rows(w)[k].lower.lambda;
            w.memory(k)[dof_memory::upper]    = dof_rows(w)[k].upper.lambda;
            w.memory(k)[dof_memory::friction] = dof_rows(w)[k].friction;
        }
    }
    if (!sound) {
        faults |= kFaultDiverged;
        forget(team, w);
    }
    if (team.lane() == 0) {
        b.contact_count[w.w] = sound ? contacts : 0;
        b.faults[w.w] |= faults;
    }
    team.sync();
}

/// Poses and velocities of bodies from coordinates and rates, in the way that `mode` says (PlaceMode); a reset puts
/// those of the start first.
template <class Team, class T>
MCH_INLINE void place_world(const Team& team, const World<T>& w, int mode)
{
    const Batch<T>& b = w.b;
    if (mode == kReset) {
        const int nq = b.at.joint_coords, nv = b.at.joint_dofs;
        MCH_ROLLED
        for (int i = team.lane(); i < nq; i += Team::kSize) w.mine(b.joint_q, nq)[i] = w.mine(b.start_q, nq)[i];
        MCH_ROLLED
        for (int i = team.lane(); i < nv; i += Team::kSize) w.mine(b.joint_qd, nv)[i] = w.mine(b.start_qd, nv)[i];
        if (team.lane() == 0) b.faults[w.w] = b.contact_count[w.w] = 0;
        team.sync();
    }
    if (load_state(team, w)) {
        place_links(team, w);
        publish_bodies(team, w);
    }
    if (mode != kPlace) forget(team, w);
    team.sync();
}

}  // namespace mechane::device
