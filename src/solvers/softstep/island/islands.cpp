// Islands: groups of trees that touch, the unit of parallel work, and the substep of one island. An island runs all
// substeps by itself and writes nothing outside itself, so threads do not change a bit.
// Order within an island: general rows, rows of dofs, contacts, each in its own order; directions of sweeps alternate.
// docs/softstep_method.md, "A step", lists the phases.

#include <algorithm>
#include <utility>

#include "mechane/core/disjoint_sets.h"
#include "solvers/softstep/contact/articulated_contacts.h"
#include "solvers/softstep/contact/body_contacts.h"
#include "solvers/softstep/contact/contact_batch.h"
#include "solvers/softstep/contact/four_rows.h"
#include "solvers/softstep/island/islands.h"
#include "solvers/softstep/mechanism/loops.h"
#include "solvers/softstep/mechanism/predict.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/mechanism/rows.h"
#include "solvers/softstep/parameters.h"
#include "solvers/softstep/state/divergence.h"
#include "solvers/softstep/state/publish.h"
#include "solvers/softstep/state/reactions.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

namespace {

void join(std::vector<std::int32_t>& parent, const std::array<std::int32_t, 2>& group)
{
    if (group[0] >= 0 && group[1] >= 0) join_roots(parent, group[0], group[1]);
}

/// Sweeps until nothing changes, if that is soon; `once(backwards)` returns the largest change of a rate.
template <class Once>
bool sweep_until_still(Island& island, int substep, Once&& once)
{
    // The first threshold is small, so that what rests hardly creeps. From kSweeps on a larger one ends the sweeps, and
    // only an impact goes on.
    for (int i = 0; i < kImpactSweeps; ++i) {
        ++island.sweeps;
        const double change = once(is_backwards(substep, i));
        if (change < kSweepChange || (i + 1 >= kSweeps && change < kImpactChange)) return true;
    }
    return false;
}

/// Twice the kinetic energy of an island of free bodies [J]: their velocities are whitened.
double motion_of(const System& system, const Island& island)
{
    double sum = 0;
    for (std::int32_t i = island.group_begin; i < island.group_end; ++i) {
        const Group& g = system.groups[system.island_groups[i]];
        for (std::int32_t k = 0; k < 2 * kLanes; ++k) sum += system.u[g.u_begin + k] * system.u[g.u_begin + k];
    }
    return sum;
}

}  // namespace

void build_islands(System& system)
{
    const auto groups = static_cast<std::int32_t>(system.groups.size());
    auto&      parent = system.set_parent;
    parent.resize(system.groups.size());
    // What touches in batches is joined already, set by set.
    for (std::int32_t g = 0; g < groups; ++g)
        if (system.batch_count == 0 || system.group_batch[g] < 0) parent[g] = g;
    // Union-find; the smallest group is the root and gives the island its place.
    for (const ContactRow& row : system.contacts) join(parent, row.at.group);
    for (const GeneralRow& row : system.general) join(parent, row.at.group);

    // Islands are numbered by their smallest group; their parts keep their order.
    system.island_of_group.assign(system.groups.size(), -1);
    system.islands.clear();
    for (std::int32_t g = 0; g < groups; ++g) {
        const std::int32_t root = find_root(parent, g);
        if (root == g) {
            system.island_of_group[g] = static_cast<std::int32_t>(system.islands.size());
            system.islands.emplace_back();
        } else {
            system.island_of_group[g] = system.island_of_group[root];
        }
        ++system.islands[system.island_of_group[g]].group_end;
    }
    const auto island_of = [&](const Segments& at) {
        return system.island_of_group[at.group[0] >= 0 ? at.group[0] : at.group[1]];
    };
    for (const ContactRow& row : system.contacts) ++system.islands[island_of(row.at)].contact_end;
    for (const GeneralRow& row : system.general) ++system.islands[island_of(row.at)].general_end;
    // Counts become ranges by a prefix sum; filling keeps the order of rows.
    Island before;
    for (Island& island : system.islands) {
        const Island count = island;
        island.group_begin = island.group_end = before.group_end;
        island.contact_begin = island.contact_end = before.contact_end;
        island.general_begin = island.general_end = before.general_end;
        before.group_end += count.group_end;
        before.contact_end += count.contact_end;
        before.general_end += count.general_end;
    }
    system.island_groups.resize(system.groups.size());
    system.order.resize(system.contacts.size());
    system.active.resize(system.contacts.size());
    system.island_general.resize(system.general.size());
    for (std::int32_t g = 0; g < groups; ++g)
        system.island_groups[system.islands[system.island_of_group[g]].group_end++] = g;
    for (std::int32_t g = 0; system.batch_count > 0 && g < groups; ++g)
        system.islands[system.island_of_group[g]].batch = system.group_batch[g];
    for (ContactRow& row : system.contacts) system.order[system.islands[island_of(row.at)].contact_end++] = &row;
    for (std::size_t i = 0; i < system.general.size(); ++i)
        system.island_general[system.islands[island_of(system.general[i].at)].general_end++] =
            static_cast<std::int32_t>(i);
}

namespace {

/// The tree of an island that may be worked on beside others: it is alone, and Tree::kind says which others. Else -1.
std::int32_t lone_tree(const System& system, const Island& island)
{
    if (island.group_end - island.group_begin != 1 || island.batch >= 0 || island.block >= 0) return -1;
    const Group& group = system.groups[system.island_groups[island.group_begin]];
    const Tree&  tree  = system.forest.trees[group.tree_begin];
    return group.whitened && dynamics::FourDynamics::fits(tree, system.paths) ? group.tree_begin : -1;
}

}  // namespace

/// Islands that are one tree each and alike go four at a time through the dynamics (dynamics/four_trees.cpp).
void list_work(System& system)
{
    system.work.clear();
    std::int32_t batches = 0;  // batches are numbered by their first groups, as islands are
    for (std::size_t i = 0; i < system.islands.size(); ++i) {
        const Island& island = system.islands[i];
        const auto    number = static_cast<std::int32_t>(i);
        if (!island.runs() || (island.batch >= 0 && island.batch < batches)) continue;
        if (island.batch >= 0) batches = island.batch + 1;
        const std::int32_t tree = lone_tree(system, island);
        if (tree < 0) {
            system.work.push_back({.island = {number}, .count = 1});
            continue;
        }
        Work&      four = system.waiting[system.forest.trees[tree].kind];
        const auto at   = static_cast<std::size_t>(four.count++);
        four.island[at] = number;
        four.trees[at]  = tree;
        if (four.count == 4) system.work.push_back(std::exchange(four, {}));
    }
    for (const std::int32_t kind : system.kinds)
        for (Work& few = system.waiting[kind]; few.count > 0; --few.count)
            system.work.push_back({.island = {few.island[static_cast<std::size_t>(few.count - 1)]}, .count = 1});
}

namespace {

/// `prepared`: prepare_four is done.
void run_island(System& system, Island& island, double h, int substep, bool prepared, IslandReport& report)
{
    if (island.batch >= 0) return run_batch_substep(system, island, h, substep, report);
    const Softness soft   = softness(kContactHertzTimesStep / h, kContactDampingRatio, h);
    const auto     groups = [&](auto&& visit) {
        for (std::int32_t i = island.group_begin; i < island.group_end; ++i)
            visit(system.groups[system.island_groups[i]]);
    };
    const auto general = [&](auto&& visit) {
        for (std::int32_t i = island.general_begin; i < island.general_end; ++i)
            visit(system.general[system.island_general[i]]);
    };
    const auto contacts = [&](bool reverse, auto&& visit) {
        if (reverse)
            for (std::int32_t i = island.active_end; i-- > island.contact_begin;) visit(system.active[i]);
        else
            for (std::int32_t i = island.contact_begin; i < island.active_end; ++i) visit(system.active[i]);
    };
    const auto solve = [&](bool relax) {
        const double anchor = relax ? 0 : kAnchorRate / h;
        if (island.block >= 0) {
            if (solve_block(system, island, h, relax)) {
                ++report.block_solves;
                return true;
            }
            ++report.block_fallbacks;
        }
        return sweep_until_still(island, substep, [&](bool backwards) {
            double change = 0;
            // Loops and drives first, contacts last: what contacts ask for is met best at the end of a sweep.
            general([&](GeneralRow& r) { change = std::max(change, solve_general(system, r, relax)); });
            groups([&](const Group& g) { change = std::max(change, solve_dof_rows(system, g, relax)); });
            contacts(backwards, [&](const ActiveContact& c) {
                if (!c.free) {
                    change = std::max(change, solve_contact(system, *c.row, anchor, relax));
                    return;
                }
                if (c.spins && c.free->lambda[0] != 0)
                    change = std::max(change, solve_spin(system, *c.row, c.free->lambda[0]));
                change = std::max(change, solve_free(system, *c.free, soft, anchor, 1 / h, relax));
            });
            return change;
        });
    };
    groups([&](const Group& g) {
        if (prepared) return;
        prepare_group(system, g, h, substep == 0);
        begin_rows(system, g, true);
    });
    groups([&](Group& g) { build_dof_rows(system, g, h); });
    general([&](GeneralRow& r) { build_general_row(system, r, h); });
    island.active_end = island.contact_begin;
    for (std::int32_t i = island.contact_begin; i < island.contact_end; ++i) {
        ContactRow&  row  = *system.order[i];
        FreeContact* free = row.free ? &system.free_contacts[island.active_end] : nullptr;
        build_contact(system, row, free, soft, h, substep == 0);
        if (row.active) system.active[island.active_end++] = {&row, free, row.spins()};
    }

    // Contacts only push apart and hold back: what free bodies have more than without them is left of pushing out.
    const bool   free   = island.contact_begin < island.active_end && island.general_begin == island.general_end &&
                          std::all_of(
                              system.active.begin() + island.contact_begin, system.active.begin() + island.active_end,
                              [](const auto& c) { return c.free; });
    const double motion = free ? motion_of(system, island) : 0;
    groups([&](const Group& g) { warm_start_dof_rows(system, g); });
    general([&](GeneralRow& r) { warm_start_general(system, r); });
    contacts(false, [&](const ActiveContact& c) {
        if (!c.free) return warm_start_contact(system, *c.row);
        warm_start_free(system, *c.free);
        if (c.spins) warm_start_spin(system, *c.row, c.free->lambda[0]);
    });
    solve(false);

    groups([&](const Group& g) {
        end_rows(system, g);
        // The cap changes v, so the coordinates of rows are made anew.
        if (clamp_velocity(system, g)) {
            ++report.clamped;
            begin_rows(system, g, false);
        }
        for (std::int32_t t = g.tree_begin; t < g.tree_end; ++t)
            dynamics::integrate(system.forest, system.forest.trees[t], system.motion.v, h, system.motion);
        advance_dof_rows(system, g, h);
    });
    general([&](GeneralRow& r) { advance_general(system, r, h); });
    bool bounces = false;
    contacts(false, [&](const ActiveContact& c) {
        if (c.free)
            advance_free(system, *c.free, h);
        else
            advance_contact(system, *c.row, h);
        bounces = bounces || c.row->bounce > 0;
    });
    bool still = solve(true);
    // Extra relaxations while the island has more motion than without contacts (docs/softstep_method.md, "Energy").
    for (int i = 0; !still && free && i < kExtraRelaxations && motion_of(system, island) > motion; ++i)
        still = solve(true);
    if (bounces)
        for (int i = 0; i < kRestitutionSweeps; ++i)
            contacts((i & 1) != 0, [&](const ActiveContact& c) {
                if (c.free)
                    bounce_free(system, *c.free, c.row->bounce);
                else
                    bounce_contact(system, *c.row);
            });
    groups([&](const Group& g) { end_rows(system, g); });
    contacts(false, [&](const ActiveContact& c) {
        if (c.free) store_free(*c.free, *c.row);
        for (std::size_t k = 0; k < 3; ++k) c.row->impulse_sum[k] += c.row->lambda[k];
        for (std::size_t k = 0; c.spins && k < 3; ++k) c.row->spin.impulse_sum[k] += c.row->spin.lambda[k];
    });
    if (!system.wants_reactions) return;
    general([&](GeneralRow& r) { r.impulse_sum += r.law.active ? r.law.lambda : 0; });
    sum_loop_impulses(system, island);
}

/// `placed`: place_published is done.
void finish_island(System& system, const Island& island, double h, bool placed, IslandReport& report)
{
    if (island.batch >= 0) return finish_batch(system, system.batches[island.batch], report);
    report.sound = true;
    for (std::int32_t i = island.group_begin; i < island.group_end; ++i) {
        const Group& g = system.groups[system.island_groups[i]];
        for (std::int32_t t = g.tree_begin; t < g.tree_end; ++t) {
            const Tree& tree = system.forest.trees[t];
            if (placed || place_published(system, tree))
                system.placed[t] = 1;
            else
                dynamics::forward_kinematics(system.forest, tree, system.motion);
        }
        // At the end of a step loops are closed to rounding, and velocities are made to fit.
        if (g.row_count > 0) {
            // Newton's method: each pass squares what is left of what the last substep opened.
            for (int pass = 0; pass < kClosingPasses; ++pass) {
                build_loops(system, g);
                close_loops(system, g, h);
            }
            build_loops(system, g);
            project_velocity(system, g);
            for (std::int32_t t = g.tree_begin; t < g.tree_end; ++t)
                dynamics::forward_kinematics(system.forest, system.forest.trees[t], system.motion);
            loop_errors(system, g, report.loop_error_linear, report.loop_error_angular);
            report.loop_rows += g.row_count;
        }
        for (std::int32_t t = g.tree_begin; t < g.tree_end; ++t)
            report.sound = report.sound && in_bounds(system, system.forest.trees[t]);
        for (std::int32_t k = g.dof_begin; k < g.active_dof_end; ++k) {
            const DofRows& rows = system.dof_rows[system.active_dofs[k]];
            report.limit_rows += (rows.lower.active && rows.lower.lambda > 0 ? 1 : 0) +
                                 (rows.upper.active && rows.upper.lambda > 0 ? 1 : 0);
        }
    }
    for (std::int32_t i = island.contact_begin; i < island.contact_end; ++i)
        report.contact_rows += system.order[i]->active ? 1 : 0;
}

}  // namespace

namespace {

/// The rest of run_island of four islands whose rows lie in lanes.
void run_rows_of_four(System& system, const Work& work, dynamics::FourDynamics& four, double h, int substep,
                      std::span<IslandReport> reports)
{
    FourRows   rows(system, work, four, h, substep == 0);
    const auto sweep_until_still = [&](bool relax) {
        const double anchor = relax ? 0 : kAnchorRate / h;
        unsigned     live   = 15;
        for (int i = 0; i < kImpactSweeps && live != 0; ++i) {
            const auto change = rows.sweep(is_backwards(substep, i), anchor, relax, live);
            for (std::size_t t = 0; t < 4; ++t) {
                if (!(live >> t & 1u)) continue;
                ++system.islands[work.island[t]].sweeps;
                if (change[t] < kSweepChange || (i + 1 >= kSweeps && change[t] < kImpactChange)) live &= ~(1u << t);
            }
        }
    };
    rows.warm_start();
    sweep_until_still(false);
    rows.end();
    for (std::size_t t = 0; t < 4; ++t) {
        const Tree&  tree  = system.forest.trees[work.trees[t]];
        const Group& group = system.groups[tree.group];
        if (clamp_velocity(system, group)) {
            ++reports[static_cast<std::size_t>(work.island[t])].clamped;
            rows.reload(t);
        }
        dynamics::integrate(system.forest, tree, system.motion.v, h, system.motion);
        advance_dof_rows(system, group, h);
    }
    rows.advance();
    sweep_until_still(true);
    rows.end();
    rows.store();
}

/// run_island of four islands of one tree each that are alike; false where their trees have to go one by one.
bool run_four(System& system, const Work& work, double h, int substep, std::span<IslandReport> reports)
{
    const Forest& f = system.forest;
    if (std::any_of(work.trees.begin(), work.trees.end(),
                    [&](std::int32_t t) { return has_acceleration_drives(system, f.trees[t]); }))
        return false;
    if (substep > 0) dynamics::forward_kinematics(f, work.trees, system.motion);
    dynamics::FourDynamics four(f, system.paths, work.trees, system.motion);
    prepare_four(system, work.trees, h, four);
    if (FourRows::fits(system, work, four)) {
        run_rows_of_four(system, work, four, h, substep, reports);
        return true;
    }
    put_rows(system, four, work.trees);
    for (const std::int32_t island : work.island)
        run_island(system, system.islands[island], h, substep, true, reports[static_cast<std::size_t>(island)]);
    return true;
}

}  // namespace

void run_substep(System& system, const Work& work, double h, int substep, std::span<IslandReport> reports)
{
    if (work.count == 4 && run_four(system, work, h, substep, reports)) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(work.count); ++i) {
        const auto island = static_cast<std::size_t>(work.island[i]);
        run_island(system, system.islands[island], h, substep, false, reports[island]);
    }
}

void finish(System& system, const Work& work, double h, std::span<IslandReport> reports)
{
    const bool placed = work.count == 4 && place_published(system, work.trees);
    for (std::size_t i = 0; i < static_cast<std::size_t>(work.count); ++i) {
        const auto island = static_cast<std::size_t>(work.island[i]);
        finish_island(system, system.islands[island], h, placed, reports[island]);
    }
}

}  // namespace mechane::solvers::softstep
