// Materials of contact: the table of coefficients with units, and how those of two shapes are combined. `mechane schema
// materials`, `explain` and the solvers read these tables.
//
//     average (a + b) / 2      minimum, maximum      multiply a b      geometric mean sqrt(a b)          combine
//
// Which rule holds: the stronger of those that the two materials name, in PhysX's order average, minimum, multiply,
// maximum; else that of the solver (`rule_of_pair`, `friction_rule_of`).

#include "mechane/solvers/materials.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/model/builder.h"
#include "mechane/solvers/parameters.h"

namespace mechane::solvers {

std::span<const MaterialCoefficient> material_coefficients()
{
    static const model::ShapeConfig  plain;
    static const MaterialCoefficient rows[] = {
        {"ke", "N/m", plain.ke, "shape_material_ke", "contact.stiffness", "contact stiffness"},
        {"kd", "N s/m", plain.kd, "shape_material_kd", "contact.stiffness", "contact damping"},
        {"kf", "N s/m", plain.kf, "shape_material_kf", "contact.friction_gain", "friction gain"},
        {"ka", "m", plain.ka, "shape_material_ka", "contact.adhesion", "distance up to which surfaces stick"},
        {"mu", "1", plain.mu, "shape_material_mu", "contact.friction", "sliding friction"},
        {"restitution", "1", plain.restitution, "shape_material_restitution", "contact.restitution",
         "speed after an impact over speed before"},
        {"mu_torsional", "m", plain.mu_torsional, "shape_material_mu_torsional", "contact.turning_friction",
         "resistance to spinning on the spot"},
        {"mu_rolling", "m", plain.mu_rolling, "shape_material_mu_rolling", "contact.turning_friction",
         "resistance to rolling"},
        {"kh", "N/m^3", plain.kh, "shape_material_kh", "contact.hydroelastic", "pressure over depth"}};
    return rows;
}

double combine(MaterialCombine rule, double a, double b)
{
    switch (rule) {
        case MaterialCombine::average:
            return 0.5 * (a + b);
        case MaterialCombine::minimum:
            return std::min(a, b);
        case MaterialCombine::maximum:
            return std::max(a, b);
        case MaterialCombine::multiply:
            return a * b;
        case MaterialCombine::geometric_mean:
            return std::sqrt(a * b);
    }
    return 0.5 * (a + b);
}

/// If both shapes name a rule, the stronger one holds, in the order of PhysX's combine modes: average, minimum,
/// multiply, maximum. The geometric mean is placed behind average; an unknown number has no say.
MaterialCombine rule_of_pair(MaterialCombine otherwise, std::int32_t a, std::int32_t b)
{
    const auto strength = [](std::int32_t rule) {
        switch (static_cast<MaterialCombine>(rule)) {
            case MaterialCombine::average:
                return 1;
            case MaterialCombine::geometric_mean:
                return 2;
            case MaterialCombine::minimum:
                return 3;
            case MaterialCombine::multiply:
                return 4;
            case MaterialCombine::maximum:
                return 5;
        }
        return 0;
    };
    if (strength(a) == 0 && strength(b) == 0) return otherwise;
    return static_cast<MaterialCombine>(strength(a) >= strength(b) ? a : b);
}

/// The rule that a solver has if no material names one; docs/solvers.md lists it.
std::optional<MaterialCombine> friction_rule_of(std::string_view solver)
{
    static constexpr std::pair<std::string_view, MaterialCombine> kRules[] = {
        {"softstep", MaterialCombine::average},      {"xpbd", MaterialCombine::average},
        {"semi-implicit", MaterialCombine::average}, {"featherstone", MaterialCombine::average},
        {"vbd", MaterialCombine::geometric_mean},    {"mujoco", MaterialCombine::maximum}};
    for (const auto& [name, rule] : kRules)
        if (name == canonical_name(solver)) return rule;
    return std::nullopt;
}

const SupportRow* support_of(std::string_view solver, const MaterialCoefficient& coefficient)
{
    const auto rows = support_of(solver);
    const auto row  = std::find_if(rows.begin(), rows.end(),
                                   [&](const SupportRow& r) { return r.feature->id == coefficient.feature; });
    return row == rows.end() ? nullptr : &*row;
}

}  // namespace mechane::solvers
