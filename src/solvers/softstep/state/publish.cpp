#include <algorithm>

#include "mechane/dynamics/kinematics.h"
#include "solvers/softstep/state/publish.h"

// A step ends by placing what moves, and the next one would place it again from the published coordinates, which are
// the same but for what Real rounds off. So trees are rounded first: what the step places at its end is what the
// published state says, to the last bit, and the next step starts from it as long as nobody writes to the state.

namespace mechane::solvers::softstep {

bool is_pose(const Mechanism& system, const Tree& tree)
{
    const Link& root = system.forest.links[tree.link_begin];
    return tree.single && root.X_PJ == Posed{} && root.X_CJ == Posed{} && !root.from_body && root.base < 0 &&
           system.groups[tree.group].row_count == 0;
}

namespace {

/// Of single bodies those whose coordinates are their pose; what hangs on a prescribed body also depends on that.
bool is_published_place(const Mechanism& system, const Tree& tree)
{
    const Link& root = system.forest.links[tree.link_begin];
    return (!tree.single || is_pose(system, tree)) && !root.from_body && root.base < 0 &&
           system.groups[tree.group].row_count == 0;
}

/// The coordinates and rates of a tree, as they will be published.
void round_published(Mechanism& system, const Tree& tree)
{
    const model::Model& m    = *system.model;
    const bool          pose = is_pose(system, tree);
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link&        link = system.forest.links[l];
        const double *     q = system.motion.q.data() + link.coord, *v = system.motion.v.data() + link.dof;
        const std::int32_t coord = m.joint_q_start[link.joint], dof = m.joint_qd_start[link.joint];
        if (link.free && !pose) {
            const dynamics::BodyMotion body{{{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}},
                                            {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}};
            dynamics::joint_state(m, link.joint, {}, body, system.next_q, system.next_qd);
            continue;
        }
        for (std::int32_t k = 0; k < link.coords; ++k) system.next_q[coord + k] = static_cast<Real>(q[k]);
        for (std::int32_t k = 0; k < link.dofs; ++k) system.next_qd[dof + k] = static_cast<Real>(v[k]);
    }
    dynamics::load(m, system.forest, tree, system.next_q, system.next_qd, {}, {}, {}, system.motion);
}

}  // namespace

bool place_published(Mechanism& system, const Tree& tree)
{
    if (!is_published_place(system, tree)) return false;
    round_published(system, tree);
    dynamics::forward_kinematics(system.forest, tree, system.motion);
    return true;
}

bool place_published(Mechanism& system, const dynamics::FourTrees& trees)
{
    const auto& all = system.forest.trees;
    if (!std::all_of(trees.begin(), trees.end(), [&](std::int32_t t) { return is_published_place(system, all[t]); }))
        return false;
    for (const std::int32_t t : trees) round_published(system, all[t]);
    dynamics::forward_kinematics(system.forest, trees, system.motion);
    return true;
}

}  // namespace mechane::solvers::softstep
