#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "mechane/solvers/solver.h"
#include "mechane/solvers/support.h"

namespace mechane::solvers {

/// A number of a contact material, and where it is found.
struct MaterialCoefficient {
    std::string_view field;        ///< of model::ShapeConfig: "mu"
    std::string_view unit;         ///< "1" where it has none
    double           initial = 0;  ///< what a ShapeConfig has unless it is told
    std::string_view array;        ///< of model::Model: "shape_material_mu"
    std::string_view feature;      ///< id of the row in the support matrix that says what a solver does with it
    std::string_view meaning;      ///< for people
};

/// All of them, in the order of ShapeConfig.
std::span<const MaterialCoefficient> material_coefficients();

/// The coefficient of a pair.
double combine(MaterialCombine rule, double a, double b);
/// The rule of a pair, of those that its shapes name (kNoCombine: none): the one that comes later in average, geometric
/// mean, minimum, multiply, maximum, as in PhysX; `otherwise` where neither names one.
MaterialCombine rule_of_pair(MaterialCombine otherwise, std::int32_t a, std::int32_t b);

/// The rule by which Newton 1.8's solver of that name mixes friction ("xpbd", "semi_implicit", "featherstone", "vbd",
/// "mujoco"), or one of this build does; for models that were tuned with it.
std::optional<MaterialCombine> friction_rule_of(std::string_view solver);

/// What a solver does with a coefficient; null for a name that is not a solver's.
const SupportRow* support_of(std::string_view solver, const MaterialCoefficient& coefficient);

}  // namespace mechane::solvers
