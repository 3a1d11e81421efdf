#pragma once
#include <functional>

#include "mechane/physics/physics_model.h"
#include "mechane/physics/read_log.h"
#include "mechane/resolve/mass_rules.h"

namespace mechane::resolve {

/// How the ladder came to its answer for one body.
struct MassDecision {
    bool tensor_authored = false;  ///< newton:inertia is valid and used
    bool computed        = false;  ///< the mass computer, or what stands in for it, was asked
    bool pair_rule_drops = false;  ///< the pair rule left the body's values out
};

/// Writes what became of every authored mass property of the body, of its colliders and of the prims between them.
void note_mass_verdicts(const physics::PhysicsModel& model, const physics::Body& body, const MassDecision& decision,
                        physics::ReadLog& log);

/// Says that what is authored of static colliders, and of materials that only they are bound to, gives no mass.
void note_weightless_verdicts(const physics::PhysicsModel& model, physics::ReadLog& log);

/// Mass properties of a body of a model that differs from the imported one in one authored value.
using Weigh = std::function<BodyMassProperties(const physics::PhysicsModel& changed, physics::Index body)>;
/// Last: what was said of authored mass properties is put right by trial. A value that changes nothing is not used.
void note_mass_truth(const physics::PhysicsModel& model, const Weigh& weigh, physics::ReadLog& log);

}  // namespace mechane::resolve
