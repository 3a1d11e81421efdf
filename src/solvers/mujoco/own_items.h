#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/mujoco/attributes.h"
#include "solvers/mujoco/convert.h"

// What a model has in MuJoCo's own terms, as attributes of the namespace "mujoco": options, and rows of equalities,
// tendons, actuators and contact pairs.

namespace mechane::solvers::mujoco {

/// Options: what was chosen, else what the model says, else MuJoCo's default (the integrator is implicitfast).
EngineOptions engine_options(const Attributes& attributes, const ConvertOptions& options, std::int32_t world);

/// What rows refer to, and where they go.
struct OwnItems {
    const model::Model&                      model;
    const Attributes&                        attributes;
    const std::function<bool(std::int32_t)>& in_part;   ///< whether a row of that world belongs to the part
    const std::vector<std::int32_t>&         item_of;   ///< [body_count]: bodies of the description
    const std::vector<std::int32_t>&         joint_of;  ///< [joint_dof_count]: joints of the description
    const std::vector<std::int32_t>&         site_of;   ///< [shape_count]
    Part&                                    part;
    Shortfalls&                              shortfalls;
};
/// Rows that name nothing of the part are left out, and said.
void add_own_items(const OwnItems& own);

}  // namespace mechane::solvers::mujoco
