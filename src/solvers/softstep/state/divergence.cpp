// Divergence: which worlds have left all bounds, whom to blame, and what such worlds forget. Bounds: finite poses and
// twists, coordinates below 1e12, rates below kDivergedVelocity. The state of such a world is left as it was, and
// nothing of it reaches the others.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "solvers/softstep/state/divergence.h"
#include "mechane/tasks/parallel.h"
#include "solvers/softstep/parameters.h"
#include "solvers/softstep/state/sleep.h"

namespace mechane::solvers::softstep {

namespace {

/// Whether all numbers are smaller than `bound` in size, and none is NaN.
MCH_CLONES_AVX2 bool all_below(const double* x, std::size_t count, double bound)
{
    constexpr LaneMask kSign = LaneMask{} + std::numeric_limits<std::int64_t>::min();
    LaneMask           below = ~LaneMask{};
    std::size_t        i     = 0;
    // Comparing absolute values with the bound is false for not-a-number: one test finds both.
    for (; i + kLanes <= count; i += kLanes) below &= (Lanes)((LaneMask)lanes(x + i) & ~kSign) < bound;
    bool all = (below[0] & below[1] & below[2] & below[3]) != 0;
    for (; i < count; ++i) all = all & (std::abs(x[i]) < bound);
    return all;
}

constexpr double kFinite = std::numeric_limits<double>::infinity();
static_assert(sizeof(Posed) == 7 * sizeof(double) && sizeof(Spatiald) == 6 * sizeof(double));

bool none_out_of_bounds(const System& s)
{
    const std::size_t links = s.forest.links.size();
    std::atomic<bool> none  = true;
    tasks::for_chunks(s.pool, links, 2 * kLinksAtOnce, [&](std::size_t begin, std::size_t end, std::size_t) {
        // Coordinates in the same shares as links.
        const auto share = [&](const std::vector<double>& x, double bound) {
            const std::size_t first = x.size() * begin / links;
            return all_below(x.data() + first, x.size() * end / links - first, bound);
        };
        const std::size_t count = end - begin;
        if (!all_below(reinterpret_cast<const double*>(s.motion.X_WB.data() + begin), 7 * count, kFinite) ||
            !all_below(reinterpret_cast<const double*>(s.motion.twist.data() + begin), 6 * count, kFinite) ||
            !share(s.motion.q, 1e12) || !share(s.motion.v, kDivergedVelocity))
            none = false;
    });
    return none;
}

bool out_of_bounds(const System& s, std::int32_t l)
{
    const Link& link  = s.forest.links[l];
    const auto  below = [](const double* x, std::int32_t count, double bound) {
        bool all = true;  // no branches: hardly any body ever is
        for (std::int32_t k = 0; k < count; ++k) all = all & (std::abs(x[k]) < bound);
        return all;
    };
    const auto pose  = std::bit_cast<std::array<double, 7>>(s.motion.X_WB[l]);
    const auto twist = std::bit_cast<std::array<double, 6>>(s.motion.twist[l]);
    return !below(pose.data(), 7, kFinite) || !below(twist.data(), 6, kFinite) ||
           !below(s.motion.q.data() + link.coord, link.coords, 1e12) ||
           !below(s.motion.v.data() + link.dof, link.dofs, kDivergedVelocity);
}

Culprit culprit_of(const System& s, std::int32_t l, int substeps, const char* when)
{
    const model::Model& model = *s.model;
    const Forest&       f     = s.forest;
    const Link&         link  = f.links[l];
    Culprit             out{link.body, link.joint,
                            fmt::format("body '{}' is not finite or too fast {}", model.body_label[link.body], when)};
    // The stiffest drive or limit per inertia on the way to the root is the likeliest cause.
    double       worst = 0;
    std::int32_t dof   = -1;
    for (std::int32_t a = l; a >= 0; a = f.links[a].parent)
        for (std::int32_t k = f.links[a].dof; k < f.links[a].dof + f.links[a].dofs; ++k) {
            if (f.model_dof[k] < 0) continue;
            const DofLaw& law   = s.laws[k];
            const double  load  = law.ke + law.stiffness + law.kd + law.damping + std::abs(law.force);
            const double  score = load / std::max(f.links[a].mass + law.armature, 1e-12);
            if (score > worst) {
                worst = score;
                dof   = k;
            }
        }
    if (dof < 0) {
        out.text += fmt::format("; mass {:g} kg", link.mass);
        return out;
    }
    out.joint            = f.links[f.dof_link[dof]].joint;
    const DofLaw& law    = s.laws[dof];
    const Link&   holder = f.links[f.dof_link[dof]];
    const double  inertia =
        law.armature + (dof - holder.dof < holder.axes.linear ? holder.mass : trace(holder.inertia) / 3);
    out.text += fmt::format("; joint '{}' has drive ke {:g}, kd {:g}, limit ke {:g}, force {:g} on inertia {:g}",
                            model.joint_label[out.joint], law.ke, law.kd, law.limit_ke, law.force, inertia);
    const double ke = std::max(law.ke + law.stiffness, law.limit_ke);
    if (ke > 0 && inertia > 0)
        // Half of the period over 2 pi of the stiffest spring: an estimate, for the message.
        out.text += fmt::format("; try dt below {:.3g} s", 0.5 * std::sqrt(inertia / ke) * substeps);
    return out;
}

}  // namespace

bool in_bounds(const System& s, const Tree& tree)
{
    const auto  links = static_cast<std::size_t>(tree.link_end - tree.link_begin);
    const Link &first = s.forest.links[tree.link_begin], &last = s.forest.links[tree.link_end - 1];
    return all_below(reinterpret_cast<const double*>(s.motion.X_WB.data() + tree.link_begin), 7 * links, kFinite) &&
           all_below(reinterpret_cast<const double*>(s.motion.twist.data() + tree.link_begin), 6 * links, kFinite) &&
           all_below(s.motion.q.data() + first.coord, static_cast<std::size_t>(last.coord + last.coords - first.coord),
                     1e12) &&
           all_below(s.motion.v.data() + tree.dof_begin, static_cast<std::size_t>(tree.dof_count()), kDivergedVelocity);
}

void find_divergence(System& system, int substeps, bool after, bool known_sound, Culprit& first)
{
    if (known_sound || none_out_of_bounds(system)) return;
    const char* const when = after ? "after the step" : "at the start of the step";
    for (std::int32_t l = 0; l < static_cast<std::int32_t>(system.forest.links.size()); ++l) {
        // What the last step placed was looked at when it ended.
        if ((!after && system.placed[system.forest.links[l].tree]) || !out_of_bounds(system, l)) continue;
        system.faulty[static_cast<std::size_t>(system.model->body_world[system.forest.links[l].body] + 1)] = 1;
        if (first.text.empty()) first = culprit_of(system, l, substeps, when);
    }
}

bool all_faulty(const System& system)
{
    if (system.faulty.front()) return true;  // what is global touches every world
    if (std::find(system.faulty.begin(), system.faulty.end(), 1) == system.faulty.end()) return false;
    return std::all_of(system.forest.links.begin(), system.forest.links.end(),
                       [&](const Link& link) { return faulty(system, system.model->body_world[link.body]); });
}

void forget_worlds(System& system, const std::vector<std::uint8_t>& chosen)
{
    const auto is_chosen = [&](std::int32_t world) { return chosen[static_cast<std::size_t>(world + 1)] != 0; };
    std::erase_if(system.memory, [&](const ContactMemory& c) {
        return is_chosen(system.model->shape_world[c.shape0]) || is_chosen(system.model->shape_world[c.shape1]);
    });
    for (std::size_t k = 0; k < system.laws.size(); ++k) {
        if (!is_chosen(system.forest.trees[system.forest.links[system.forest.dof_link[k]].tree].world)) continue;
        system.laws[k].saturated = 0;
        DofRows& rows            = system.dof_rows[k];
        rows.lower.lambda = rows.upper.lambda = rows.friction.lambda = rows.velocity.lambda = 0;
    }
    for (GeneralRow& row : system.general)
        if (is_chosen(system.model->joint_world[row.joint])) row.law.lambda = 0;
    for (std::size_t g = 0; g < system.groups.size(); ++g)
        if (is_chosen(system.forest.trees[system.groups[g].tree_begin].world))
            wake_group(system, static_cast<std::int32_t>(g));
}

/// After a rebuild: impulses and saturation by the model's own numbering, which stays.
void carry_over(const System& old, System& now)
{
    now.memory = old.memory;  // keyed by shapes, which stay
    std::vector<std::int32_t> place(now.model->joint_dof_count(), -1);
    for (std::size_t k = 0; k < old.laws.size(); ++k)
        if (old.forest.model_dof[k] >= 0) place[old.forest.model_dof[k]] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < now.laws.size(); ++k) {
        const std::int32_t from = now.forest.model_dof[k] >= 0 ? place[now.forest.model_dof[k]] : -1;
        if (from < 0) continue;
        now.laws[k].saturated           = old.laws[from].saturated;
        now.dof_rows[k].lower.lambda    = old.dof_rows[from].lower.lambda;
        now.dof_rows[k].upper.lambda    = old.dof_rows[from].upper.lambda;
        now.dof_rows[k].friction.lambda = old.dof_rows[from].friction.lambda;
    }
    // Both lists have the same order; rows are missing from either.
    std::size_t at = 0;
    for (GeneralRow& row : now.general)
        for (std::size_t i = at; i < old.general.size(); ++i) {
            const GeneralRow& from = old.general[i];
            if (from.kind != row.kind || from.joint != row.joint || from.axis != row.axis) continue;
            row.law.lambda = from.law.lambda;
            at             = i + 1;
            break;
        }
    carry_sleep(old, now);
}

}  // namespace mechane::solvers::softstep
