// What softstep remembers between steps: as bytes for checkpoints, and as TurnMemory for blocks of worlds that take
// turns in one solver. The layout of the bytes is the order of the visit functions; kVersion changes with it.


#include <algorithm>
#include <bit>

#include "mechane/core/bytes.h"
#include "solvers/softstep/mechanism/groups.h"
#include "solvers/softstep/state/memory.h"
#include "solvers/softstep/state/sleep.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

namespace {

/// Raised whenever what follows changes.
constexpr std::uint32_t kVersion = 2;

template <class Bytes, class Contact>
void visit_contact(Bytes&& bytes, Contact& c)
{
    bytes(c.shape0);
    bytes(c.shape1);
    bytes(c.feature);
    bytes(c.normal);
    bytes(c.friction);
    bytes(c.drift);
    bytes(c.torque);
    bytes(c.force);
    bytes(c.force_rest);
    bytes(c.friction_rest);
    bytes(c.drift_rest);
    bytes(c.torque_rest);
}

template <class Bytes, class S>
void visit_rows(Bytes&& bytes, S& system)
{
    for (auto& law : system.laws) bytes(law.saturated);
    for (auto& rows : system.dof_rows) {
        bytes(rows.lower.lambda);
        bytes(rows.upper.lambda);
        bytes(rows.friction.lambda);
    }
    for (auto& row : system.general) bytes(row.law.lambda);
    bytes(system.sleep.still);
    bytes(system.sleep.asleep);
    bytes(system.sleep.commands);
    bytes(system.sleep.wrench);
    bytes(system.sleep.gravity);
}

/// Whether arrays that were read are as long as what reads them expects, and what chooses is one of the choices.
/// Bytes may come from a file: sizes and choices are checked before anything is taken over.
bool is_sound(const System& system)
{
    const Sleep& sleep = system.sleep;
    const auto   fits  = [](const auto& array, std::size_t size) { return array.empty() || array.size() == size; };
    return sleep.still.size() == system.groups.size() && sleep.asleep.size() == system.groups.size() &&
           fits(sleep.commands, kCommands * static_cast<std::size_t>(system.forest.dof_count)) &&
           fits(sleep.wrench, system.forest.links.size()) && fits(sleep.gravity, system.model->gravity.size()) &&
           std::all_of(system.laws.begin(), system.laws.end(),
                       [](const DofLaw& law) { return law.saturated >= -1 && law.saturated <= 1; });
}

}  // namespace

std::vector<std::byte> save_memory(const System& system)
{
    ByteWriter out;
    out.put(kVersion);
    out.put(system.broken);
    out.put(system.enabled);
    out.put(static_cast<std::uint64_t>(system.laws.size()));
    out.put(static_cast<std::uint64_t>(system.general.size()));
    out.put(static_cast<std::uint64_t>(system.groups.size()));
    out.put(static_cast<std::uint64_t>(system.memory.size()));
    for (const ContactMemory& c : system.memory) visit_contact([&](const auto& value) { out.put(value); }, c);
    visit_rows([&](const auto& value) { out.put(value); }, system);
    return out.bytes();
}

bool restore_memory(std::span<const std::byte> bytes, System& system)
{
    ByteReader                in(bytes);
    std::vector<std::uint8_t> broken, enabled;
    if (in.take<std::uint32_t>() != kVersion) return false;
    in.get(broken);
    in.get(enabled);
    if (broken.size() != system.model->joint_count() || enabled.size() != broken.size()) return false;
    System next;
    next.sleep.enabled = system.sleep.enabled;
    next.broken        = broken;
    build_system(*system.model, next);
    reset_sleep(next, {});
    const auto laws = in.take<std::uint64_t>(), general = in.take<std::uint64_t>(), groups = in.take<std::uint64_t>(),
               contacts = in.take<std::uint64_t>();
    if (next.enabled != enabled || laws != next.laws.size() || general != next.general.size() ||
        groups != next.groups.size() || contacts > bytes.size())
        return false;
    next.memory.resize(static_cast<std::size_t>(contacts));
    const auto shapes = static_cast<std::int32_t>(system.model->shape_count());
    for (ContactMemory& c : next.memory) {
        visit_contact([&](auto& value) { in.get(value); }, c);
        if (c.shape0 < 0 || c.shape1 < 0 || c.shape0 >= shapes || c.shape1 >= shapes) return false;
    }
    visit_rows([&](auto& value) { in.get(value); }, next);
    if (!in.done() || !is_sound(next)) return false;
    system = std::move(next);
    return true;
}

TurnMemory new_memory(const System& system, const std::vector<std::uint8_t>& asleep)
{
    TurnMemory        out;
    const std::size_t dofs = system.laws.size(), links = system.forest.links.size();
    out.pushed.reserve(dofs);
    out.general.assign(system.general.size(), 0);
    out.sleep.enabled = system.sleep.enabled;
    reset_sleep(out.sleep, system, asleep);
    out.placed.assign(system.forest.trees.size(), 0);
    out.q.assign(system.motion.q.size(), 0);
    out.v.assign(dofs, 0);
    out.X_WB.assign(links, {});
    out.R_WB.assign(links, {});
    out.com_W.assign(links, {});
    out.reference.assign(system.forest.trees.size(), {});
    for (auto* twists : {&out.twist, &out.link_velocity}) twists->assign(links, {});
    out.column.assign(dofs, {});
    return out;
}

namespace {

void put(System& system, const PushedDof& pushed)
{
    DofRows& rows                     = system.dof_rows[pushed.dof];
    system.laws[pushed.dof].saturated = pushed.saturated;
    rows.lower.lambda                 = pushed.lambda[0];
    rows.upper.lambda                 = pushed.lambda[1];
    rows.friction.lambda              = pushed.lambda[2];
    rows.velocity.lambda              = pushed.lambda[3];
}

}  // namespace

void exchange_memory(System& system, TurnMemory& memory, Exchange& by)
{
    // Arrays change places, which costs nothing; only dofs that push are copied.
    dynamics::Motion& motion = system.motion;
    system.memory.swap(memory.contacts);
    std::swap(system.sleep, memory.sleep);
    system.placed.swap(memory.placed);
    motion.q.swap(memory.q);
    motion.v.swap(memory.v);
    motion.X_WB.swap(memory.X_WB);
    motion.R_WB.swap(memory.R_WB);
    motion.com_W.swap(memory.com_W);
    motion.reference.swap(memory.reference);
    motion.twist.swap(memory.twist);
    motion.column.swap(memory.column);
    motion.link_velocity.swap(memory.link_velocity);
    by.room.clear();
    by.room.reserve(system.laws.size());
    for (std::size_t k = 0; !by.nothing_pushed && k < system.laws.size(); ++k) {
        int&                saturated = system.laws[k].saturated;
        DofRows&            rows      = system.dof_rows[k];
        const auto          bits      = [](double x) { return std::bit_cast<std::uint64_t>(x); };
        // The bits of all impulses at once: most dofs have none.
        const std::uint64_t any       = bits(rows.lower.lambda) | bits(rows.upper.lambda) | bits(rows.friction.lambda) |
                                        bits(rows.velocity.lambda) | static_cast<std::uint64_t>(saturated);
        if (any == 0) continue;
        by.room.push_back({static_cast<std::int32_t>(k),
                           saturated,
                           {rows.lower.lambda, rows.upper.lambda, rows.friction.lambda, rows.velocity.lambda}});
        put(system, {.dof = static_cast<std::int32_t>(k)});
    }
    for (const PushedDof& pushed : memory.pushed) put(system, pushed);
    by.nothing_pushed = memory.pushed.empty();
    memory.pushed.swap(by.room);
    for (std::size_t k = 0; k < system.general.size(); ++k) std::swap(system.general[k].law.lambda, memory.general[k]);
}

}  // namespace mechane::solvers::softstep
