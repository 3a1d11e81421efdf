// The table of MuJoCo's attributes: `mjc:` on scenes, joints, shapes, materials and actuators, with the fallbacks of
// its schema.
// MuJoCo works in SI and radians, but a stage has lengths in its own unit: `Unit` says which of the numbers are scaled.

#include <algorithm>
#include <cmath>

#include "converters.h"
#include "mechane/resolve/resolvers.h"
#include "rows.h"

namespace mechane::resolve {

namespace {

// Steps in a second, whole or not: a step of 0.016 s is 62.5 of them.
std::optional<Value> steps_per_second(const Inputs& in)
{
    const auto step = convert::number(in, 0);
    if (!step || !(*step > 0) || !std::isfinite(*step)) return std::nullopt;
    // Newton rounds a step that divides no second down to a whole number of steps: the rule of what a scene says to
    // solvers.
    return in.context.rules.conventions.iterations_honoured ? std::trunc(1 / *step) : 1 / *step;
}

// Limited when it says so, or by "auto" when the range is one; a missing side counts as 0.
std::optional<Value> largest_effort(const Inputs& in)
{
    const double low = convert::number(in, 0).value_or(0), high = convert::number(in, 1).value_or(0);
    std::string  limited = "auto";
    if (in.authored[2])
        if (const auto* text = std::get_if<std::string>(&*in.authored[2])) limited = *text;
    if (!in.authored[0] && !in.authored[1]) return std::nullopt;
    if (limited != "true" && !(limited == "auto" && low < high)) return std::nullopt;
    return std::max(std::abs(low), std::abs(high));
}

// MuJoCo's margin reaches to where contacts begin; ours offsets the surface and the gap reaches on from there.
std::optional<Value> margin(const Inputs& in)
{
    const auto value = convert::number(in, 0);
    if (!value) return std::nullopt;
    if (in.context.rules.conventions.margin_as_authored && !in.context.rules.legacy_margin_gap) return *value;
    return *value - convert::number(in, 1).value_or(0);
}

/// `solref` says either a time constant and a damping ratio, or stiffness and damping as negative numbers;
/// `convert::solref` knows both.
std::optional<Value> solref_stiffness(const Inputs& in)
{
    const auto s = convert::solref(in);
    return s ? std::optional<Value>(s->stiffness) : std::nullopt;
}
std::optional<Value> solref_damping(const Inputs& in)
{
    const auto s = convert::solref(in);
    return s ? std::optional<Value>(s->damping) : std::nullopt;
}

// The rules of an older document: 1/t^2 and 2 d/t.
std::optional<Value> older_solref(const Inputs& in, bool damping)
{
    if (!in.authored.front()) return std::nullopt;
    const auto* list = std::get_if<std::vector<double>>(&*in.authored.front());
    if (!list || list->size() < 2 || !((*list)[0] > 0) || !((*list)[1] > 0)) return std::nullopt;
    const double t = (*list)[0], d = (*list)[1];
    return damping ? 2 * d / t : 1 / (t * t);
}

std::optional<Value> shell_or_solid(const Inputs& in)
{
    const auto shell = convert::number(in, 0);
    return shell ? std::optional<Value>(std::string(*shell != 0 ? "shell" : "solid")) : std::nullopt;
}

/// MuJoCo's parameter lists have a fixed length and one default in front.
std::vector<double> padded(double first, std::size_t size)
{
    std::vector<double> list(size, 0.0);
    list.front() = first;
    return list;
}

}  // namespace

Resolver SchemaResolverMjc(const Rules& rules)
{
    Resolver r{.name       = "mjc",
               .namespaces = {},
               .rows       = {
                   row(Key::scene_max_solver_iterations, "mjc:option:iterations", Unit::si, 100.0),
                   row(Key::scene_time_steps_per_second, "mjc:option:timestep", Unit::si, 0.002, steps_per_second),
                   row(Key::scene_gravity_enabled, "mjc:flag:gravity", Unit::si, true, convert::as_flag),

                   row(Key::joint_armature, "mjc:armature", Unit::mass_or_inertia, 0.0),
                   row(Key::joint_damping_per_rad, "mjc:damping", Unit::damping_rad),
                   row(Key::joint_stiffness, "mjc:stiffness", Unit::stiffness_rad),
                   row(Key::joint_springref, "mjc:springref", Unit::si),
                   row(Key::joint_ref, "mjc:ref", Unit::si),
                   row(Key::joint_friction, "mjc:frictionloss", Unit::force_or_torque, 0.0),
                   {.key        = Key::joint_effort_limit,
                    .attributes = {"mjc:actuatorfrcrange:min", "mjc:actuatorfrcrange:max", "mjc:actuatorfrclimited"},
                    .unit       = Unit::force_or_torque,
                    .convert    = largest_effort},

                   row(Key::shape_max_hull_vertices, "mjc:maxhullvert", Unit::si, -1.0),
                   {.key        = Key::shape_margin,
                    .attributes = {"mjc:margin", "mjc:gap"},
                    .unit       = Unit::length,
                    .convert    = margin,
                    .fallback   = 0.0},
                   row(Key::shape_gap, "mjc:gap", Unit::length, 0.0),
                   row(Key::shape_mass_model, "mjc:shellinertia", Unit::si, false, shell_or_solid),
                   row(Key::shape_ke, "mjc:solref", Unit::si, {}, solref_stiffness),
                   row(Key::shape_kd, "mjc:solref", Unit::si, {}, solref_damping),

                   // Older names of newton:torsionalFriction and newton:rollingFriction, which are distances.
                   row(Key::material_mu_torsional, "mjc:torsionalfriction", Unit::length, 0.005),
                   row(Key::material_mu_rolling, "mjc:rollingfriction", Unit::length, 0.0001),
                   row(Key::material_priority, "mjc:priority", Unit::si, 0.0),
                   row(Key::material_weight, "mjc:solmix", Unit::si, 1.0),
                   {.key         = Key::material_ke,
                    .attributes  = {"mjc:solref"},
                    .unit        = Unit::si,
                    .convert     = solref_stiffness,
                    .replaced_by = "mjc:solref on the collider"},
                   {.key         = Key::material_kd,
                    .attributes  = {"mjc:solref"},
                    .unit        = Unit::si,
                    .convert     = solref_damping,
                    .replaced_by = "mjc:solref on the collider"},

                   row(Key::actuator_ctrl_low, "mjc:ctrlRange:min", Unit::si, 0.0),
                   row(Key::actuator_ctrl_high, "mjc:ctrlRange:max", Unit::si, 0.0),
                   row(Key::actuator_force_low, "mjc:forceRange:min", Unit::si, 0.0),
                   row(Key::actuator_force_high, "mjc:forceRange:max", Unit::si, 0.0),
                   row(Key::actuator_act_low, "mjc:actRange:min", Unit::si, 0.0),
                   row(Key::actuator_act_high, "mjc:actRange:max", Unit::si, 0.0),
                   row(Key::actuator_length_low, "mjc:lengthRange:min", Unit::si, 0.0),
                   row(Key::actuator_length_high, "mjc:lengthRange:max", Unit::si, 0.0),
                   row(Key::actuator_gain_prm, "mjc:gainPrm", Unit::si, padded(1, 10)),
                   row(Key::actuator_bias_prm, "mjc:biasPrm", Unit::si, padded(0, 10)),
                   row(Key::actuator_dyn_prm, "mjc:dynPrm", Unit::si, padded(1, 10)),
                   row(Key::actuator_gain_type, "mjc:gainType", Unit::si, std::string("fixed")),
                   row(Key::actuator_bias_type, "mjc:biasType", Unit::si, std::string("none")),
                   row(Key::actuator_dyn_type, "mjc:dynType", Unit::si, std::string("none")),
                   row(Key::actuator_gear, "mjc:gear", Unit::si, padded(1, 6)),
               }};
    if (rules.mjc_solref_limits) {
        r.rows.push_back(row(Key::joint_limit_ke, "mjc:solref", Unit::si, {},
                             [](const Inputs& in) { return older_solref(in, false); }));
        r.rows.push_back(row(Key::joint_limit_kd, "mjc:solref", Unit::si, {},
                             [](const Inputs& in) { return older_solref(in, true); }));
    }
    return r;
}

}  // namespace mechane::resolve
