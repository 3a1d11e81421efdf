// Reactions: the wrench that each joint transmits over the step, for Observables and for joints that break. Forces [N]
// and torques [N m] in world axes, about the child's centre of mass.
//
// A joint of a tree has no row and so no impulse. Its wrench is what the change of momentum leaves for it (Newton and
// Euler), from the leaves inwards:
//
//     inbound[l] = (m (a - g), (L - L_start) / dt) - load[l] + sum of inbound[c] over the children c, moved to l
//
// inbound[l]  wrench that link l gets by its joint, about its centre of mass
// load[l]     mean wrench of contacts, loops and the user on it
// m, a, g     mass, mean acceleration of the centre of mass over the step, gravity
// L, L_start  spin of the link at the end and at the start of the step
// h, dt       substep and step [s]

#include <algorithm>
#include <cmath>

#include "solvers/softstep/mechanism/loops.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/state/reactions.h"

namespace mechane::solvers::softstep {

namespace {

void add_load(System& system, std::int32_t link, const Vec3d& point, const Vec3d& force, const Vec3d& torque)
{
    if (link < 0) return;
    // About the centre of mass of the link.
    system.load[link] += Spatiald{force, torque + cross(point - system.motion.com_W[link], force)};
}

/// x += J^T lambda over one group with loops.
void add_generalized(const System& system, const Segments& at, std::int32_t g, const double* lambda, int rows,
                     double* x)
{
    for (int s = 0; s < 2; ++s) {
        if (at.group[s] != g) continue;
        for (int k = 0; k < system.groups[g].dof_count(); ++k)
            for (int r = 0; r < rows; ++r) x[k] += at.J[s][(k / kLanes * rows + r) * kLanes + k % kLanes] * lambda[r];
    }
}

/// Takes the direction `u` out of `v`.
Vec3d without(const Vec3d& v, const Vec3d& u)
{
    const double uu = dot(u, u);
    return uu > 0 ? v - (dot(u, v) / uu) * u : v;
}

Vec3d spin_momentum(const System& system, std::int32_t l)
{
    const Mat33d& R = system.motion.R_WB[l];
    return R * (system.forest.links[l].inertia * transpose_times(R, system.motion.twist[l].angular));
}

}  // namespace

// The state before the step is kept, and sums of impulses begin at zero.
void begin_reactions(System& system)
{
    system.start_twist = system.motion.twist;
    system.start_com   = system.motion.com_W;
    system.start_spin.resize(system.forest.links.size());
    for (std::size_t l = 0; l < system.start_spin.size(); ++l)
        system.start_spin[l] = spin_momentum(system, static_cast<std::int32_t>(l));
    for (LoopRow& row : system.loop_rows) row.impulse = 0;
    for (GeneralRow& row : system.general) row.impulse_sum = 0;
}

/// Impulses of rows over a closed group also load the loops: J^T lambda of all rows, seen by the loop rows.
void sum_loop_impulses(System& system, const Island& island)
{
    for (std::int32_t i = island.group_begin; i < island.group_end; ++i) {
        const std::int32_t g     = system.island_groups[i];
        const Group&       group = system.groups[g];
        if (group.row_count == 0) continue;
        double* x = system.scratch.data() + group.dof_begin;
        std::fill_n(x, group.dof_count(), 0.0);
        for (std::int32_t k = group.dof_begin; k < group.dof_end; ++k) {
            const DofRows& r = system.dof_rows[k];
            if (!r.active) continue;
            x[k - group.dof_begin] += (r.lower.active ? r.lower.lambda : 0) - (r.upper.active ? r.upper.lambda : 0) +
                                      (r.friction.active ? r.friction.lambda : 0) +
                                      (r.velocity.active ? r.velocity_sign * r.velocity.lambda : 0);
        }
        for (std::int32_t c = island.contact_begin; c < island.contact_end; ++c) {
            const ContactRow& row = *system.order[c];
            if (!row.active) continue;
            add_generalized(system, row.at, g, row.lambda.data(), 3, x);
            if (row.spins()) add_generalized(system, row.spin_at, g, row.spin.lambda.data(), 3, x);
        }
        for (std::int32_t r = island.general_begin; r < island.general_end; ++r) {
            const GeneralRow& row = system.general[system.island_general[r]];
            if (row.law.active) add_generalized(system, row.at, g, &row.law.lambda, 1, x);
        }
        respond_open(system, group, x);
        add_loop_impulses(system, group, x);
    }
}

void find_reactions(System& system, double h, double dt)
{
    const Forest&       f = system.forest;
    const model::Model& m = *system.model;
    system.load.assign(f.links.size(), {});
    system.inbound.resize(f.links.size());
    system.loop_reaction.assign(m.joint_count(), {});
    for (const ContactRow& row : system.contacts) {
        const double scale = 1 / dt;
        const Vec3d  force =
            scale * (row.impulse_sum[0] * row.n + row.impulse_sum[1] * row.t1 + row.impulse_sum[2] * row.t2);
        // Turning friction is taken from the last substep.
        const Vec3d torque =
            (1 / h) * (row.spin.lambda[0] * row.n + row.spin.lambda[1] * row.t1 + row.spin.lambda[2] * row.t2);
        for (std::size_t s = 0; s < 2; ++s) {
            const double sign = s == 0 ? -1 : 1;
            const Vec3d  p    = place_core(system, row, s) - sign * row.margin[s] * row.n;
            add_load(system, row.link[s], p, sign * force, sign * torque);
        }
    }
    for (std::size_t p = 0; p < system.batch_count; ++p) add_batch_loads(system, system.batches[p], h, dt);
    for (const GeneralRow& row : system.general) {
        const double scale = row.impulse_sum / dt;
        if (scale == 0) continue;
        for (const GeneralRow::Push& push : row.push)
            add_load(system, push.link, push.point, scale * push.force, scale * push.torque);
        system.loop_reaction[row.joint] += scale * Spatiald{row.push[0].force, row.push[0].torque};
    }
    for (const LoopRow& row : system.loop_rows) {
        if (row.joint < 0 || m.joint_mimic_joint[row.joint] >= 0 || row.impulse == 0) continue;
        const Vec3d    u = (row.impulse / dt) * row.axis;
        const Spatiald w = row.angular ? Spatiald{{}, u} : Spatiald{u, {}};
        const auto at    = (body_pose(system, m.joint_child[row.joint]) * static_cast<Posed>(m.joint_X_c[row.joint])).p;
        system.loop_reaction[row.joint] += w;
        const std::int32_t c = m.joint_child[row.joint], p = m.joint_parent[row.joint];
        if (c >= 0) add_load(system, f.body_link[c], at, w.linear, w.angular);
        if (p >= 0) add_load(system, f.body_link[p], at, -w.linear, -w.angular);
    }
    for (std::size_t l = 0; l < f.links.size(); ++l) system.load[l] += system.wrench[l];
    // Newton and Euler with the change of momentum over the step; levers are those of its middle.
    const auto middle = [&](std::int32_t l) { return 0.5 * (system.start_com[l] + system.motion.com_W[l]); };
    for (const Tree& tree : f.trees) {
        const Vec3d gravity = static_cast<Vec3d>(m.gravity_of(tree.world));
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
            const Link& link = f.links[l];
            // Mean acceleration over the step.
            const Vec3d a = (1 / dt) * (system.motion.twist[l].linear - system.start_twist[l].linear);
            system.inbound[l] =
                Spatiald{link.mass * (a - gravity), (1 / dt) * (spin_momentum(system, l) - system.start_spin[l])} -
                system.load[l];
        }
        for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
            const std::int32_t p = f.links[l].parent;
            // From the leaves inwards: a joint carries all that hangs on its link.
            if (p >= 0) system.inbound[p] += shift_wrench(system.inbound[l], middle(p) - middle(l));
            if (f.links[l].free) system.inbound[l] = {};
        }
    }
}

// The load of a joint is about its anchor and leaves out what acts along its free directions.
JointLoad joint_load(const System& system, std::int32_t joint, double h)
{
    const Forest&      f = system.forest;
    const std::int32_t l = f.joint_link[joint];
    if (l < 0 || f.links[l].free) {
        const Spatiald& w = system.loop_reaction[joint];
        return {length(w.linear), length(w.angular)};
    }
    const Link& link   = f.links[l];
    const Vec3d anchor = system.motion.X_WB[l] * link.X_CJ.p;
    Spatiald    w      = shift_wrench(system.inbound[l], anchor - system.motion.com_W[l]);
    // Along free directions acts the drive, which is no reaction; what a limit holds there is one.
    std::array<Vec3d, 3> angular{};
    std::size_t          count = 0;
    Spatiald             limit;
    for (std::int32_t k = link.dof; k < link.dof + link.dofs; ++k) {
        const DofRows& rows = system.dof_rows[k];
        const double   held =
            rows.active
                ? ((rows.lower.active ? rows.lower.lambda : 0) - (rows.upper.active ? rows.upper.lambda : 0)) / h
                : 0;
        if (k - link.dof < link.axes.linear) {
            const Vec3d a = system.motion.column[k].linear;
            w.linear      = without(w.linear, a);
            limit.linear += held * a;
        } else {
            Vec3d a = system.motion.column[k].angular;
            limit.angular += held * a;
            // Gram-Schmidt: axes of a chain are not orthogonal.
            for (std::size_t i = 0; i < count; ++i) a = without(a, angular[i]);
            angular[count++] = a;
            w.angular        = without(w.angular, a);
        }
    }
    w += limit;
    return {length(w.linear), length(w.angular)};
}

}  // namespace mechane::solvers::softstep
