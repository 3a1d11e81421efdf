// Values of joints that need more than one key: stiffness and damping of limits, friction that opposes motion, springs
// and initial coordinates.
// Results are in the units of the model (SI, radians). A value that loses to another is noted as overridden.
// The importer calls it for each axis of each joint.

#include "mechane/resolve/joint_values.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mechane::resolve {

namespace {

constexpr std::string_view kAxisWords[] = {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"};

/// Keys of which each axis of a joint may have its own value. Limits have keys of their own.
constexpr Key kAxisKeys[] = {Key::joint_armature,  Key::joint_damping,   Key::joint_damping_per_rad,
                             Key::joint_friction,  Key::joint_stiffness, Key::joint_velocity_limit,
                             Key::joint_springref, Key::joint_ref,       Key::joint_effort_limit};

// Stiffness of a limit that is authored as infinitely hard [N/m, N m/deg], in whatever units the stage is.
constexpr double kHardLimit = 1e8;

struct DofKeys {
    std::string_view   name;
    Key                ke, kd;
    std::optional<Key> position, velocity;
};
constexpr DofKeys kDofKeys[] = {
    {"linear", Key::joint_limit_linear_ke, Key::joint_limit_linear_kd, Key::joint_linear_position,
     Key::joint_linear_velocity},
    {"angular", Key::joint_limit_angular_ke, Key::joint_limit_angular_kd, Key::joint_angular_position,
     Key::joint_angular_velocity},
    {"transX", Key::joint_limit_trans_x_ke, Key::joint_limit_trans_x_kd, {}, {}},
    {"transY", Key::joint_limit_trans_y_ke, Key::joint_limit_trans_y_kd, {}, {}},
    {"transZ", Key::joint_limit_trans_z_ke, Key::joint_limit_trans_z_kd, {}, {}},
    {"rotX", Key::joint_limit_rot_x_ke, Key::joint_limit_rot_x_kd, Key::joint_rot_x_position,
     Key::joint_rot_x_velocity},
    {"rotY", Key::joint_limit_rot_y_ke, Key::joint_limit_rot_y_kd, Key::joint_rot_y_position,
     Key::joint_rot_y_velocity},
    {"rotZ", Key::joint_limit_rot_z_ke, Key::joint_limit_rot_z_kd, Key::joint_rot_z_position,
     Key::joint_rot_z_velocity},
};

const DofKeys* keys_of(std::string_view dof_name)
{
    for (const DofKeys& keys : kDofKeys)
        if (keys.name == dof_name) return &keys;
    return nullptr;
}

std::optional<double> initial(const ResolverList& resolvers, const usd::Prim& joint, const std::optional<Key>& key,
                              const Context& context, Diagnostics& found)
{
    if (!key) return std::nullopt;
    const Resolved answer = resolvers.get(joint, *key, context, {}, &found);
    const auto     value  = answer.number();
    // Only what is authored: a fallback of zero must not replace the coordinates of the authored poses.
    return answer.authored() && value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

std::string axis_attribute(std::string_view attribute, std::string_view axis)
{
    const std::size_t after = attribute.find(':') + 1;
    return std::string(attribute.substr(0, after)).append(axis).append(":").append(attribute.substr(after));
}

std::string shared_attribute(std::string_view attribute)
{
    if (!attribute.starts_with("newton:") && !attribute.starts_with("mjc:")) return {};
    const std::size_t first = attribute.find(':') + 1, second = attribute.find(':', first);
    if (second == std::string_view::npos) return {};
    const std::string_view axis = attribute.substr(first, second - first);
    if (std::find(std::begin(kAxisWords), std::end(kAxisWords), axis) == std::end(kAxisWords)) return {};
    return std::string(attribute.substr(0, first)).append(attribute.substr(second + 1));
}

ResolverList for_axis(const ResolverList& resolvers, std::string_view axis,
                      const std::unordered_set<usd::Token>& authored)
{
    std::vector<Resolver> out;
    for (const Resolver& resolver : resolvers.resolvers()) {
        Resolver one = resolver;
        one.rows.clear();
        for (const Row& row : resolver.rows) {
            const bool own = (resolver.name == "newton" || resolver.name == "mjc") &&
                             std::find(std::begin(kAxisKeys), std::end(kAxisKeys), row.key) != std::end(kAxisKeys);
            if (!own) continue;
            Row of_axis = row;
            for (std::string& name : of_axis.attributes) name = axis_attribute(name, axis);
            one.rows.push_back(std::move(of_axis));
        }
        one.rows.insert(one.rows.end(), resolver.rows.begin(), resolver.rows.end());
        out.push_back(std::move(one));
    }
    ResolverList list(std::move(out));
    list.rest_unauthored(authored);
    return list;
}

LimitGains limit_gains(const ResolverList& resolvers, const usd::Prim& joint, std::string_view dof_name,
                       const Context& context, double default_ke, double default_kd, Diagnostics& found)
{
    LimitGains     gains{.ke = default_ke, .kd = default_kd, .ke_source = {}, .kd_source = {}};
    const DofKeys* keys = keys_of(dof_name);

    // The joint's own key says it for all axes, and goes before the keys of single axes.
    gains.ke_source = resolvers.get(joint, Key::joint_limit_ke, context, {}, &found);
    if (gains.ke_source.authored()) {
        // -inf asks for the importer's default, also where another resolver has a value.
        const double ke = gains.ke_source.number_or(-kInfinity);
        if (std::isfinite(ke)) gains.ke = ke;
        if (keys) resolvers.note_lost(joint, keys->ke, context, gains.ke_source.attribute);
        if (ke == -kInfinity && context.log != nullptr)
            context.log->correct(joint, gains.ke_source.attribute, physics::Use::used,
                                 "-inf: the importer's default limit stiffness");
        if (ke == kInfinity) {
            gains.hard = true;
            gains.ke   = kHardLimit * factor(Unit::stiffness_deg, {}, context.motion);
        }
    } else if (keys) {
        gains.ke_source = resolvers.get(joint, keys->ke, context, default_ke, &found);
        if (const double ke = gains.ke_source.number_or(default_ke); std::isfinite(ke)) gains.ke = ke;
    }

    gains.kd_source = resolvers.get(joint, Key::joint_limit_kd, context, {}, &found);
    if (gains.kd_source.authored()) {
        const double kd = gains.kd_source.number_or(-kInfinity);
        if (keys) resolvers.note_lost(joint, keys->kd, context, gains.kd_source.attribute);
        if (std::isfinite(kd)) gains.kd = kd;
        // Nothing oscillates in a limit that does not yield, and an infinite damping is no number that a solver can
        // use.
        if (kd == kInfinity) gains.kd = 0;
    } else if (keys) {
        gains.kd_source = resolvers.get(joint, keys->kd, context, default_kd, &found);
        if (const double kd = gains.kd_source.number_or(default_kd); std::isfinite(kd)) gains.kd = kd;
    }
    const auto chosen = [](const Resolved& source) {
        return source.authored() && source.number_or(-kInfinity) > -kInfinity;
    };
    // A damping alone makes no spring: PhysX's articulations stop hard whatever physxLimit:...:damping says.
    gains.authored = chosen(gains.ke_source);
    if (gains.hard) {
        gains.kd = 0;
        for (const Key key : {Key::joint_limit_kd, keys ? keys->kd : Key::joint_limit_kd})
            resolvers.note_lost(joint, key, context, gains.ke_source.attribute + " = inf", true);
    }
    return gains;
}

Resolved joint_damping(const ResolverList& resolvers, const usd::Prim& joint, const Context& context,
                       std::optional<double> importer_default, Diagnostics& found)
{
    // One resolver after the other, because two keys (per degree and per radian) say one thing: the order of resolvers
    // must count over that of keys.
    for (const Resolver& resolver : resolvers.resolvers()) {
        const ResolverList one({resolver});
        for (const Key key : {Key::joint_damping, Key::joint_damping_per_rad}) {
            Resolved answer = one.get(joint, key, context, {}, &found);
            if (!answer.authored() || !std::isfinite(answer.number_or(kInfinity))) continue;
            for (const Key other : {Key::joint_damping, Key::joint_damping_per_rad})
                resolvers.note_lost(joint, other, context, answer.attribute);
            return answer;
        }
    }
    Resolved answer;
    if (importer_default) {
        answer.value = *importer_default;
        answer.layer = Layer::importer;
    }
    return answer;
}

Spring joint_spring(const ResolverList& resolvers, const usd::Prim& joint, const usd::Prim& scene,
                    const Context& context)
{
    Spring     spring;
    const auto authored = [&](Key key) {
        const Resolved answer = resolvers.get(joint, key, context);
        const auto     value  = answer.number();
        if (answer.authored() && key == Key::joint_springref)
            spring.of_axis = !shared_attribute(answer.attribute).empty();
        return answer.authored() && value && std::isfinite(*value) ? value : std::nullopt;
    };
    // MuJoCo's attributes of angles are in the unit that its compiler options on the scene name, degrees without one.
    double unit = context.scale.factor(physics::Dimension::length);
    if (context.motion == Motion::angular) {
        static const usd::Token kAngleUnit("mjc:compiler:angle");
        const auto authored_unit = scene ? scene.attribute(kAngleUnit).authored_as<std::string>() : std::nullopt;
        if (authored_unit && context.log != nullptr)
            context.log->note(scene, kAngleUnit, physics::Use::used, "unit of mjc:springref and mjc:ref");
        const std::string angle = authored_unit.value_or("degree");
        unit                    = angle == "degree" ? kDegrees : 1;
    }
    spring.stiffness     = authored(Key::joint_stiffness);
    const auto springref = authored(Key::joint_springref), ref = authored(Key::joint_ref);
    spring.ref = ref.value_or(0) * unit;
    // Coordinates of the model are zero in the authored pose, which MuJoCo calls `ref`.
    if (springref || ref) spring.rest_q = (springref.value_or(0) - ref.value_or(0)) * unit;
    return spring;
}

std::optional<double> initial_position(const ResolverList& resolvers, const usd::Prim& joint, std::string_view dof_name,
                                       const Context& context, Diagnostics& found)
{
    const DofKeys* keys = keys_of(dof_name);
    return keys ? initial(resolvers, joint, keys->position, context, found) : std::nullopt;
}

std::optional<double> initial_velocity(const ResolverList& resolvers, const usd::Prim& joint, std::string_view dof_name,
                                       const Context& context, Diagnostics& found)
{
    const DofKeys* keys = keys_of(dof_name);
    return keys ? initial(resolvers, joint, keys->velocity, context, found) : std::nullopt;
}

}  // namespace mechane::resolve
