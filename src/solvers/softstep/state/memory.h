#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "system.h"

namespace mechane::solvers::softstep {

/// Everything of a System that one step hands on to the next: warm starting, saturated drives, sleep, broken joints.
std::vector<std::byte> save_memory(const System& system);
/// Reads it into a system of the same model, rebuilding its trees where joints are broken.
/// @return false, with the system as it was, when the bytes are of another model or damaged
bool restore_memory(std::span<const std::byte> bytes, System& system);

/// The same where several states are stepped in turn: what lies in arrays changes places with those of the System, and
/// the motion that goes with the published state lies there too, so that it is not computed again. Of Systems whose
/// trees hang on nothing prescribed and do not break.
struct TurnMemory {
    std::vector<ContactMemory> contacts;
    std::vector<std::int8_t>   saturated;  ///< per dof
    std::vector<double>        lambdas;    ///< four of each dof, one of each general row
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
void       exchange_memory(System& system, TurnMemory& memory);

}  // namespace mechane::solvers::softstep
