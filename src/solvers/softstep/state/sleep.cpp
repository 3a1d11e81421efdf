// Sleep: groups at rest are left out until something differs. Counters are times at rest [s], compared with kSleepTime;
// speeds with kSleepLinear [m/s] and kSleepAngular [rad/s].

#include <algorithm>
#include <cmath>

#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/parameters.h"
#include "solvers/softstep/state/sleep.h"

// A group sleeps with its island. While it does, nothing of it is computed: poses keep their bits and velocities are
// zero. What wakes it: a command, load, gravity, pose or velocity that differs from what it fell asleep with, something
// awake or prescribed and moving that comes near, or the loss of a contact that it rested on.

namespace mechane::solvers::softstep {

namespace {

void read_commands(const System& system, std::int32_t dof, double* out)
{
    const DofLaw& law = system.laws[dof];
    out[0]            = law.force;
    out[1]            = law.target;
    out[2]            = law.target_rate;
    out[3]            = law.ke + law.stiffness;
    out[4]            = law.kd;
    out[5]            = law.lower;
    out[6]            = law.upper;
}

}  // namespace

bool carries_motion(const System& system, std::int32_t body)
{
    if (body < 0 || system.forest.body_link[body] >= 0) return false;
    const Spatiald& t = system.motion.base_twist[body];
    return length(t.linear) > 0 || length(t.angular) > 0;
}

double wake_reach(const System& system, const std::array<std::int32_t, 2>& body, const std::array<Vec3d, 2>& p_W,
                  double dt)
{
    Vec3d relative;
    for (std::size_t s = 0; s < 2; ++s) {
        const double       sign = s == 0 ? -1 : 1;
        const std::int32_t link = body[s] >= 0 ? system.forest.body_link[body[s]] : -1;
        if (link < 0) {
            relative += sign * prescribed_velocity(system, body[s], p_W[s]);
        } else if (!asleep(system, link)) {
            const Spatiald& t = system.motion.twist[link];
            relative += sign * (t.linear + cross(t.angular, p_W[s] - system.motion.com_W[link]));
        }
    }
    // Twice the approach and a free fall of 10 m/s^2 over the step.
    return kWakeReach + 2 * dt * length(relative) + 10 * dt * dt;
}

bool asleep(const System& system, std::int32_t link)
{ return system.sleep.enabled && system.sleep.asleep[system.forest.trees[system.forest.links[link].tree].group] != 0; }

void wake_group(System& system, std::int32_t group)
{
    if (group < 0 || !system.sleep.enabled) return;
    system.sleep.asleep[group] = 0;
    system.sleep.still[group]  = 0;
}

void reset_sleep(System& system, const std::vector<std::uint8_t>& bodies_asleep)
{ reset_sleep(system.sleep, system, bodies_asleep); }

void reset_sleep(Sleep& sleep, const System& system, const std::vector<std::uint8_t>& bodies_asleep)
{
    sleep.still.assign(system.groups.size(), 0);
    sleep.asleep.assign(system.groups.size(), 0);
    sleep.actuated.assign(system.groups.size(), 0);
    sleep.disturbed.assign(system.groups.size(), 0);
    sleep.commands.clear();
    sleep.wrench.clear();
    sleep.gravity.clear();
    if (!sleep.enabled) return;
    for (std::size_t b = 0; b < bodies_asleep.size(); ++b)
        if (bodies_asleep[b] && system.body_group[b] >= 0) sleep.asleep[system.body_group[b]] = 1;
}

/// After a rebuild a group sleeps only if all of its links did, in unchanged joints.
void carry_sleep(const System& old, System& now)
{
    if (!now.sleep.enabled) return;
    std::fill(now.sleep.asleep.begin(), now.sleep.asleep.end(), std::uint8_t{1});
    std::fill(now.sleep.still.begin(), now.sleep.still.end(), kSleepTime);
    const bool known = !old.sleep.commands.empty();
    if (known) now.sleep.commands.assign(static_cast<std::size_t>(kCommands * now.forest.dof_count), 0);
    now.sleep.gravity = old.sleep.gravity;
    now.sleep.wrench.assign(old.sleep.wrench.empty() ? 0 : now.forest.links.size(), {});
    for (std::size_t l = 0; l < now.forest.links.size(); ++l) {
        const Link&        link  = now.forest.links[l];
        const std::int32_t group = now.body_group[link.body], from = old.forest.body_link[link.body];
        const Link*        before = from >= 0 ? &old.forest.links[from] : nullptr;
        if (!before || before->joint != link.joint || before->dofs != link.dofs) {
            now.sleep.asleep[group] = 0;
            now.sleep.still[group]  = 0;
            continue;
        }
        const std::int32_t old_group = old.body_group[link.body];
        now.sleep.asleep[group]      = now.sleep.asleep[group] && old.sleep.asleep[old_group] ? 1 : 0;
        now.sleep.still[group]       = std::min(now.sleep.still[group], old.sleep.still[old_group]);
        if (!now.sleep.wrench.empty()) now.sleep.wrench[l] = old.sleep.wrench[from];
        if (known)
            std::copy_n(old.sleep.commands.begin() + kCommands * before->dof, kCommands * link.dofs,
                        now.sleep.commands.begin() + kCommands * link.dof);
    }
}

/// Compared are the values that a sleeping group would react to; the first step only remembers them.
void wake_changed(System& system)
{
    Sleep& sleep = system.sleep;
    if (!sleep.enabled) return;
    const Forest& f     = system.forest;
    const bool    known = !sleep.commands.empty() || f.dof_count == 0;
    if (!known) sleep.commands.assign(static_cast<std::size_t>(kCommands * f.dof_count), 0);
    std::fill(sleep.actuated.begin(), sleep.actuated.end(), std::uint8_t{0});
    for (std::int32_t k = 0; k < f.dof_count; ++k) {
        double now[kCommands];
        read_commands(system, k, now);
        double*            before = sleep.commands.data() + kCommands * k;
        const std::int32_t g      = f.trees[f.links[f.dof_link[k]].tree].group;
        if (known && !std::equal(now, now + kCommands, before)) wake_group(system, g);
        std::copy(now, now + kCommands, before);
        if (system.laws[k].ke > 0 || system.laws[k].kd > 0) sleep.actuated[g] = 1;
    }
    const bool loads_known = sleep.wrench.size() == system.wrench.size();
    if (loads_known)
        for (std::size_t l = 0; l < system.wrench.size(); ++l)
            if (!(sleep.wrench[l] == system.wrench[l])) wake_group(system, f.trees[f.links[l].tree].group);
    sleep.wrench = system.wrench;

    const auto& gravity       = system.model->gravity;
    const bool  gravity_known = sleep.gravity.size() == gravity.size();
    if (!gravity_known) sleep.gravity.assign(gravity.size(), {});
    bool changed = false;
    for (std::size_t w = 0; w < gravity.size(); ++w) {
        const Vec3d now  = static_cast<Vec3d>(gravity[w]);
        changed          = changed || (gravity_known && !(sleep.gravity[w] == now));
        sleep.gravity[w] = now;
    }
    if (changed)
        for (std::size_t g = 0; g < system.groups.size(); ++g) wake_group(system, static_cast<std::int32_t>(g));
}

/// Contacts of sleepers that are not near make no island with what is awake.
void drop_far_contacts(System& system, double dt)
{
    Sleep& sleep = system.sleep;
    if (!sleep.enabled) return;
    std::fill(sleep.disturbed.begin(), sleep.disturbed.end(), std::uint8_t{0});
    const auto sleeping = [&](std::int32_t link) { return link >= 0 && asleep(system, link); };
    const auto kept     = std::remove_if(system.contacts.begin(), system.contacts.end(), [&](const ContactRow& row) {
        const bool near = row.start_distance < wake_reach(system, row.body, row.start_W, dt);
        for (std::size_t s = 0; s < 2; ++s)
            if (near && row.link[s] >= 0 && (row.on_belt() || carries_motion(system, row.body[1 - s]))) {
                wake_group(system, system.body_group[row.body[s]]);
                sleep.disturbed[system.body_group[row.body[s]]] = 1;
            }
        return !near && (sleeping(row.link[0]) || sleeping(row.link[1]));
    });
    system.contacts     = {system.contacts.begin(), kept};
}

void disturb_carried(System& system, const std::vector<std::uint8_t>& moved)
{
    Sleep& sleep = system.sleep;
    if (!sleep.enabled) return;
    const auto moves   = [&](std::int32_t b) { return b >= 0 && (moved[b] != 0 || carries_motion(system, b)); };
    const auto disturb = [&](std::int32_t group) {
        if (group < 0) return;
        wake_group(system, group);
        sleep.disturbed[group] = 1;
    };
    for (const Tree& tree : system.forest.trees)
        if (moves(system.forest.links[tree.link_begin].base)) disturb(tree.group);
    for (const auto* joints : {&system.forest.loops, &system.forest.distances})
        for (const std::int32_t j : *joints) {
            const std::int32_t p = system.model->joint_parent[j], c = system.model->joint_child[j];
            if (moves(p) && c >= 0) disturb(system.body_group[c]);
            if (moves(c) && p >= 0) disturb(system.body_group[p]);
        }
}

/// An island sleeps or wakes as a whole.
void spread_wakefulness(System& system)
{
    for (Island& island : system.islands) {
        island.asleep = system.sleep.enabled;
        for (std::int32_t i = island.group_begin; i < island.group_end; ++i)
            island.asleep = island.asleep && system.sleep.asleep[system.island_groups[i]] != 0;
        if (!system.sleep.enabled) continue;
        for (std::int32_t i = island.group_begin; i < island.group_end; ++i)
            if (!island.asleep && system.sleep.asleep[system.island_groups[i]])
                wake_group(system, system.island_groups[i]);
    }
}

void fall_asleep(System& system, double dt)
{
    Sleep& sleep = system.sleep;
    if (!sleep.enabled) return;
    const Forest& f = system.forest;
    for (const Island& island : system.islands) {
        if (island.asleep) continue;
        bool ready = true;
        for (std::int32_t i = island.group_begin; i < island.group_end; ++i) {
            const std::int32_t g     = system.island_groups[i];
            const Group&       group = system.groups[g];
            // A driven group never sleeps: its drive may move it at any time.
            bool               slow  = !sleep.actuated[g] && !sleep.disturbed[g];
            for (std::int32_t t = group.tree_begin; slow && t < group.tree_end; ++t)
                for (std::int32_t l = f.trees[t].link_begin; slow && l < f.trees[t].link_end; ++l)
                    slow = length(system.motion.twist[l].linear) < kSleepLinear &&
                           length(system.motion.twist[l].angular) < kSleepAngular;
            sleep.still[g] = slow ? sleep.still[g] + dt : 0;
            // The margin allows for the rounding of a sum of steps.
            ready          = ready && sleep.still[g] >= kSleepTime * (1 - 1e-9);
        }
        if (!ready) continue;
        for (std::int32_t i = island.group_begin; i < island.group_end; ++i) {
            const std::int32_t g     = system.island_groups[i];
            const Group&       group = system.groups[g];
            sleep.asleep[g]          = 1;
            std::fill(system.motion.v.begin() + group.dof_begin, system.motion.v.begin() + group.dof_end, 0.0);
            for (std::int32_t t = group.tree_begin; t < group.tree_end; ++t) {
                system.placed[t] = 0;  // its published rates are not those that it came to rest with
                for (std::int32_t l = f.trees[t].link_begin; l < f.trees[t].link_end; ++l) system.motion.twist[l] = {};
            }
        }
    }
}

}  // namespace mechane::solvers::softstep
