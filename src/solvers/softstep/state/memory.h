#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "system.h"

namespace mechane::solvers::softstep {

/// Everything of a System that one step hands on to the next: warm starting, saturated drives, sleep, broken joints.
std::vector<std::byte> save_memory(const System& system);
/// Reads it into a system of the same model, rebuilding its trees where joints are broken.
/// @return false, with the system as it was, when the bytes are of another model or damaged
bool restore_memory(std::span<const std::byte> bytes, System& system);

/// What a dof hands on: most have nothing, and are not listed.
struct PushedDof {
    std::int32_t          dof       = 0;
    int                   saturated = 0;
    std::array<double, 4> lambda{};  ///< lower, upper, friction, velocity
};
/// The same where several states are stepped in turn: what lies in arrays changes places with those of the System, and
/// the motion that goes with the published state lies there too, so that it is not computed again. Of Systems whose
/// trees hang on nothing prescribed and do not break.
struct TurnMemory {
    std::vector<ContactMemory> contacts;
    std::vector<PushedDof>     pushed;
    std::vector<double>        general;  ///< of each general row
    Sleep                      sleep;
    std::vector<std::uint8_t>  placed;
    std::vector<double>        q, v;
    std::vector<Posed>         X_WB;
    std::vector<Mat33d>        R_WB;
    std::vector<Vec3d>         com_W, reference;
    std::vector<Spatiald>      twist, column, link_velocity;
};
/// As of a System that has not stepped. `asleep`: per body, who starts so.
TurnMemory new_memory(const System& system, const std::vector<std::uint8_t>& asleep);
/// What the owner of a System keeps for exchanges: scratch, and whether no dof of the System pushes, which a step ends.
struct Exchange {
    std::vector<PushedDof> room;
    bool                   nothing_pushed = false;
};
void exchange_memory(System& system, TurnMemory& memory, Exchange& by);

}  // namespace mechane::solvers::softstep
