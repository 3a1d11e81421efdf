// Builds the System from a model: groups, bilateral rows, blocks, storage; and reads what drives, limits and springs
// say into DofLaw. Called when a solver is made and when the structure changes; afterwards steps allocate nothing.

#include <atomic>
#include <cmath>
#include <cstring>

#include "mechane/model/builder.h"
#include "mechane/model/limit_gains.h"
#include "mechane/model/types.h"
#include "mechane/tasks/parallel.h"
#include "solvers/softstep/mechanism/groups.h"
#include "solvers/softstep/mechanism/loops.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/mechanism/rows.h"
#include "solvers/softstep/state/sleep.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

namespace {

/// Number of bilateral rows of a loop joint: 6 minus its dofs.
std::int32_t bilateral_rows(const model::Model& model, std::int32_t joint)
{
    const dynamics::JointAxes axes = dynamics::joint_axes(model, joint);
    return axes.free_like() ? 0 : 6 - axes.dofs();
}

/// Finite, or 0 and counted.
double finite(Real value)
{
    const auto x = static_cast<double>(value);
    return std::isfinite(x) ? x : 0;
}

double not_negative(Real value) { return std::max(0.0, static_cast<double>(value)); }

/// C of I^-1 = C C^T, lower triangular, and its inverse; false where the inertia has no inverse.
/// Cholesky of the inverse inertia.
bool invert_root(const Mat33d& inertia, Mat33d& root, Mat33d& inverse_root)
{
    const Mat33d I   = inverse(inertia);
    const double c00 = std::sqrt(I(0, 0)), c10 = I(1, 0) / c00, c20 = I(2, 0) / c00;
    const double c11 = std::sqrt(I(1, 1) - c10 * c10), c21 = (I(2, 1) - c20 * c10) / c11;
    const double c22 = std::sqrt(I(2, 2) - c20 * c20 - c21 * c21);
    root             = {{c00, 0, 0}, {c10, c11, 0}, {c20, c21, c22}};
    inverse_root     = inverse(root);
    return is_finite(root) && is_finite(inverse_root) && c00 > 0 && c11 > 0 && c22 > 0;
}

/// Which groups are whitened, where their velocities lie, and the blocks on the way to the root of their dofs.
void list_blocks(System& system)
{
    const Forest& f = system.forest;
    system.inertia_root.assign(f.trees.size(), {});
    system.inverse_inertia_root.assign(f.trees.size(), {});
    system.spin_root.assign(f.trees.size(), {});
    system.inverse_root_mass.assign(f.trees.size(), 0);
    std::int32_t u = 0;
    for (Group& group : system.groups) {
        const Tree& tree = f.trees[group.tree_begin];
        // One tree without loops and not deep; of free bodies only those with mass and a regular inertia.
        group.whitened   = group.row_count == 0 && group.tree_end - group.tree_begin == 1 && !tree.deep;
        if (group.whitened && tree.single) {
            const Link& link = f.links[tree.link_begin];
            group.whitened   = link.mass > 0 && invert_root(link.inertia, system.inertia_root[group.tree_begin],
                                                            system.inverse_inertia_root[group.tree_begin]);
            if (group.whitened) system.inverse_root_mass[group.tree_begin] = 1 / std::sqrt(link.mass);
        }
        group.u_begin = u;
        u += group.block_count() * kLanes;
    }
    system.u.assign(static_cast<std::size_t>(u), 0);
    system.previous_u.assign(static_cast<std::size_t>(u), 0);
    system.inverse_roots.assign(static_cast<std::size_t>(u), 0);
    system.all_blocks.resize(static_cast<std::size_t>(u / kLanes));
    for (std::size_t i = 0; i < system.all_blocks.size(); ++i)
        system.all_blocks[i] = static_cast<std::int32_t>(i) * kLanes;
    system.path_blocks.clear();
    system.path_block_begin.assign(1, 0);
    // Blocks on the way to the root, in the numbering of u.
    for (std::int32_t k = 0; k < f.dof_count; ++k) {
        const Group& group = system.group_of_dof(k);
        if (group.whitened)
            for (const std::int32_t i : system.paths.of(k)) {
                const std::int32_t block = group.u_begin + (i - group.dof_begin) / kLanes * kLanes;
                if (static_cast<std::int32_t>(system.path_blocks.size()) == system.path_block_begin.back() ||
                    system.path_blocks.back() != block)
                    system.path_blocks.push_back(block);
            }
        system.path_block_begin.push_back(static_cast<std::int32_t>(system.path_blocks.size()));
    }
    std::size_t rows = 0;
    system.link_rows_at.assign(f.links.size(), 0);
    for (std::size_t l = 0; l < f.links.size(); ++l) {
        const Link& link       = f.links[l];
        system.link_rows_at[l] = rows;
        if (link.dofs == 0 || f.trees[link.tree].single) continue;
        const std::int32_t last = link.dof + link.dofs - 1;
        rows +=
            6 * kLanes * static_cast<std::size_t>(system.path_block_begin[last + 1] - system.path_block_begin[last]);
    }
    system.link_rows.assign(rows, 0);
    system.locked.assign(f.trees.size(), 0);
}

}  // namespace

void build_system(const model::Model& model, System& system)
{
    system.model   = &model;
    system.enabled = model.joint_enabled;
    // Joints that broke are out of the forest.
    for (std::size_t j = 0; j < system.broken.size(); ++j)
        if (system.broken[j]) system.enabled[j] = 0;
    system.broken.resize(model.joint_count(), 0);
    system.forest      = dynamics::build_forest(model, system.enabled);
    const Forest& f    = system.forest;
    const auto    dofs = static_cast<std::size_t>(f.dof_count);
    system.motion.resize(f, model.body_count());
    system.laws.assign(dofs, {});
    system.law_sources.known = false;
    system.paths             = dynamics::list_paths(f, false);
    system.mass.assign(system.paths.size(), 0);
    system.factored.assign(system.paths.size(), 0);
    system.dof_rates.assign(system.paths.size(), 0);
    system.inverse_pivots.assign(dofs, 0);
    system.diagonal.assign(dofs, 0);
    system.articulated.resize(f);
    system.tau.assign(dofs, 0);
    system.row_scratch.assign(8 * dofs, 0);
    system.link_rows_made.assign(f.links.size(), 0);
    system.link_frame.assign(f.links.size(), nullptr);
    system.scratch.assign(dofs, 0);
    system.inverse_inertia_W.assign(f.trees.size(), {});
    system.inverse_inertia.assign(f.trees.size(), {});
    for (std::size_t t = 0; t < f.trees.size(); ++t)
        if (f.trees[t].single) system.inverse_inertia[t] = inverse(f.links[f.trees[t].link_begin].inertia);
    system.wrench.assign(f.links.size(), {});
    system.held_twist.assign(f.links.size(), {});
    system.held_velocity.assign(f.links.size(), {});
    system.dof_rows.assign(dofs, {});
    system.active_dofs.assign(dofs, 0);
    const bool targets = !f.loops.empty() || !f.distances.empty();
    system.loop_target.assign(targets ? model.joint_coord_count() : 0, 0);
    system.loop_target_rate.assign(targets ? model.joint_dof_count() : 0, 0);
    system.next_q.assign(model.joint_coord_count(), 0);
    system.next_qd.assign(model.joint_dof_count(), 0);
    system.placed.assign(system.forest.trees.size(), 0);
    system.near_q.assign(model.joint_coord_count(), 0);
    system.base_start.assign(model.body_count(), {});
    system.base_rate.assign(model.body_count(), {});
    system.base_commanded.assign(model.body_count(), 0);
    system.carried = std::any_of(f.trees.begin(), f.trees.end(),
                                 [&](const Tree& tree) { return f.links[tree.link_begin].base >= 0; });
    system.memory.clear();
    system.general.clear();

    system.groups.assign(static_cast<std::size_t>(f.group_count), {});
    system.islands.reserve(system.groups.size());
    system.work.reserve(system.groups.size());
    system.waiting.assign(f.trees.size(), {});
    system.kinds.clear();
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(f.trees.size()); ++t)
        if (f.trees[t].kind == t) system.kinds.push_back(t);
    for (std::size_t t = 0; t < f.trees.size(); ++t) {
        const Tree& tree  = f.trees[t];
        Group&      group = system.groups[tree.group];
        if (group.tree_end == 0) {
            group.tree_begin = static_cast<std::int32_t>(t);
            group.dof_begin  = tree.dof_begin;
        }
        group.tree_end = static_cast<std::int32_t>(t) + 1;
        group.dof_end  = tree.dof_end;
    }
    system.body_group.assign(model.body_count(), -1);
    for (const Link& link : f.links) {
        system.body_group[link.body] = f.trees[link.tree].group;
        system.groups[f.trees[link.tree].group].mass += link.mass;
    }

    // Bilateral rows, group by group, in joint order.
    system.group_loops.clear();
    system.group_mimics.clear();
    system.loop_rows.clear();
    std::size_t jacobian = 0, delassus = 0;
    for (std::int32_t g = 0; g < f.group_count; ++g) {
        Group& group      = system.groups[g];
        group.loop_begin  = static_cast<std::int32_t>(system.group_loops.size());
        group.mimic_begin = static_cast<std::int32_t>(system.group_mimics.size());
        group.row_begin   = static_cast<std::int32_t>(system.loop_rows.size());
        group.jacobian    = jacobian;
        group.delassus    = delassus;
        const auto add    = [&](std::int32_t joint, std::int32_t rows) {
            for (std::int32_t r = 0; r < rows; ++r) system.loop_rows.push_back({.joint = joint});
            group.row_count += rows;
        };
        // A loop joint belongs to the group of its child, or of its parent if the child is prescribed.
        for (const std::int32_t j : f.loops) {
            const std::int32_t p = model.joint_parent[j], c = model.joint_child[j];
            const std::int32_t owner =
                c >= 0 && system.body_group[c] >= 0 ? system.body_group[c] : system.body_group[p];
            if (owner != g) continue;
            system.group_loops.push_back(j);
            add(j, bilateral_rows(model, j));
        }
        for (const std::int32_t j : f.mimics) {
            if (system.body_group[model.joint_child[j]] != g) continue;
            system.group_mimics.push_back(j);
            const Link& follower = f.links[f.joint_link[j]];
            const Link& leader   = f.links[f.joint_link[model.joint_mimic_joint[j]]];
            add(j, follower.axes.type == model::JointType::ball ? 0 : std::min(follower.dofs, leader.dofs));
        }
        group.loop_end  = static_cast<std::int32_t>(system.group_loops.size());
        group.mimic_end = static_cast<std::int32_t>(system.group_mimics.size());
        jacobian += static_cast<std::size_t>(group.row_count) * static_cast<std::size_t>(group.dof_count());
        delassus += static_cast<std::size_t>(group.row_count) * static_cast<std::size_t>(group.row_count);
    }
    system.loop_J.assign(jacobian, 0);
    system.loop_Y.assign(jacobian, 0);
    system.loop_A.assign(delassus, 0);
    system.loop_x.assign(4 * system.loop_rows.size(), 0);

    list_blocks(system);
    system.body_places.assign(model.body_count(), {});
    for (std::size_t l = 0; l < f.links.size(); ++l) {
        const Tree&  tree                   = f.trees[f.links[l].tree];
        const Group& group                  = system.groups[tree.group];
        const auto   link                   = static_cast<std::int32_t>(l);
        system.body_places[f.links[l].body] = {
            .link   = link,
            .group  = tree.group,
            .blocks = static_cast<std::int32_t>(most_blocks(system, tree.group, link, -1)),
            .free   = tree.single && group.whitened,
            .framed = group.whitened && !tree.single,
            .loops  = group.row_count > 0};
    }

    // Responses to impulses on scalar dofs, for limits, dry friction and velocity limits.
    std::size_t columns = 0;
    for (std::int32_t k = 0; k < f.dof_count; ++k) {
        if (f.model_dof[k] < 0) continue;
        DofRows&     rows  = system.dof_rows[k];
        const Group& group = system.group_of_dof(k);
        if (group.whitened) {
            rows.blocks = system.path_blocks.data() + system.path_block_begin[k];
            rows.count  = system.path_block_begin[k + 1] - system.path_block_begin[k];
            rows.Y      = system.dof_rates.data() + system.paths.row(k);
        } else {
            rows.blocks = system.all_blocks.data() + group.u_begin / kLanes;
            rows.count  = group.block_count();
            columns += static_cast<std::size_t>(rows.count * kLanes);
        }
    }
    system.dof_columns.assign(columns, 0);
    columns = 0;
    for (std::int32_t k = 0; k < f.dof_count; ++k) {
        if (f.model_dof[k] < 0 || system.group_of_dof(k).whitened) continue;
        system.dof_rows[k].Y = system.dof_columns.data() + columns;
        columns += static_cast<std::size_t>(system.dof_rows[k].count * kLanes);
    }
    list_general_rows(system);
}

namespace {

constexpr std::size_t kNumbersCompared = 4096;  ///< by one thread at least

/// Keeps a copy of `now`; returns whether it differs, bit by bit, from the one that was kept.
/// Bit by bit: laws are read anew only if some source changed, which is rare beside the number of steps.
template <class T>
bool keep_copy(const std::vector<T>& now, std::vector<T>& kept)
{
    if (now.size() == kept.size() && (now.empty() || std::memcmp(now.data(), kept.data(), now.size() * sizeof(T)) == 0))
        return false;
    kept = now;
    return true;
}

bool sources_changed(Mechanism& system, const std::vector<Real>& target_q, const std::vector<Real>& target_qd,
                     const std::vector<Real>& force)
{
    const model::Model& m       = *system.model;
    LawSources&         sources = system.law_sources;
    const std::array    numbers{&target_q,
                                &target_qd,
                                &force,
                                &m.joint_armature,
                                &m.joint_friction,
                                &m.joint_damping,
                                &m.joint_stiffness,
                                &m.joint_effort_limit,
                                &m.joint_velocity_limit,
                                &m.joint_target_ke,
                                &m.joint_target_kd,
                                &m.joint_rest_q,
                                &m.joint_limit_lower,
                                &m.joint_limit_upper,
                                &m.joint_limit_ke,
                                &m.joint_limit_kd};
    std::atomic<bool>   changed = !sources.known;
    const std::size_t   size    = std::max<std::size_t>(1, m.joint_dof_count());
    tasks::for_chunks(system.pool, numbers.size(), std::max<std::size_t>(1, kNumbersCompared / size),
                      [&](std::size_t begin, std::size_t end, std::size_t) {
                          for (std::size_t i = begin; i < end; ++i)
                              if (keep_copy(*numbers[i], sources.numbers[i])) changed = true;
                      });
    if (keep_copy(m.joint_target_mode, sources.modes)) changed = true;
    if (keep_copy(m.joint_drive_type, sources.types)) changed = true;
    if (keep_copy(m.joint_limit_authored, sources.chosen)) changed = true;
    sources.known = true;
    return changed;
}

}  // namespace

void read_laws(const model::Control& control, Mechanism& system)
{
    const model::Model& m = *system.model;
    const Forest&       f = system.forest;
    // A control of another model counts as none: the model's own commands apply.
    const auto& target_q =
        control.joint_target_q.size() == m.joint_target_q.size() ? control.joint_target_q : m.joint_target_q;
    const auto& target_qd =
        control.joint_target_qd.size() == m.joint_target_qd.size() ? control.joint_target_qd : m.joint_target_qd;
    const auto& force = control.joint_f.size() == m.joint_f.size() ? control.joint_f : m.joint_f;
    if (!sources_changed(system, target_q, target_qd, force)) return;
    for (std::size_t i = 0; i < system.loop_target.size(); ++i) system.loop_target[i] = finite(target_q[i]);
    for (std::size_t i = 0; i < system.loop_target_rate.size(); ++i) system.loop_target_rate[i] = finite(target_qd[i]);
    for (std::size_t k = 0; k < system.laws.size(); ++k) {
        const std::int32_t d = f.model_dof[k];
        if (d < 0) continue;
        DofLaw& law        = system.laws[k];
        law.armature       = not_negative(m.joint_armature[d]);
        law.friction       = not_negative(m.joint_friction[d]);
        law.damping        = not_negative(m.joint_damping[d]);
        law.stiffness      = not_negative(m.joint_stiffness[d]);
        law.effort_limit   = not_negative(m.joint_effort_limit[d]);
        law.velocity_limit = not_negative(m.joint_velocity_limit[d]);
        law.force          = finite(force[d]);
        law.ke = law.kd = law.target_rate = 0;
        // Newton's target modes; effort has no gains.
        const double ke = not_negative(m.joint_target_ke[d]), kd = not_negative(m.joint_target_kd[d]);
        switch (m.joint_target_mode[d]) {
            case model::TargetMode::position:
                law.ke = ke;
                law.kd = kd;
                break;
            case model::TargetMode::velocity:
                law.kd          = kd;
                law.target_rate = finite(target_qd[d]);
                break;
            case model::TargetMode::position_velocity:
                law.ke          = ke;
                law.kd          = kd;
                law.target_rate = finite(target_qd[d]);
                break;
            case model::TargetMode::none:
            case model::TargetMode::effort:
                break;
        }
        law.acceleration = m.joint_drive_type[d] == model::DriveType::acceleration && (law.ke > 0 || law.kd > 0);
        // Its gains are scaled in the step and read anew in the next.
        if (law.acceleration) system.law_sources.known = false;
        if (law.ke == 0 && law.kd == 0) law.saturated = 0;
        const std::int32_t coord = f.model_coord[k];
        if (coord < 0) continue;  // a ball's targets are quaternions, read when its error is
        law.target    = law.ke > 0 ? finite(target_q[coord]) : 0;
        law.rest      = static_cast<double>(m.joint_rest_q[coord]);
        law.lower     = static_cast<double>(m.joint_limit_lower[d]);
        law.upper     = static_cast<double>(m.joint_limit_upper[d]);
        law.has_lower = law.lower > -model::kMaxValue;
        law.has_upper = law.upper < model::kMaxValue;
        if (law.has_lower && law.has_upper && law.lower > law.upper)
            law.lower = law.upper = 0.5 * (law.lower + law.upper);  // locked
        // docs/softstep_method.md, "Which limits are stops".
        law.limit_ke = not_negative(m.joint_limit_ke[d]);
        law.limit_kd = not_negative(m.joint_limit_kd[d]);
        // A damping alone makes no spring.
        law.stiff_limit = law.limit_ke == 0 || model::limit_stiffness_is_unchosen(m, d) || law.lower == law.upper;
    }
}

}  // namespace mechane::solvers::softstep
