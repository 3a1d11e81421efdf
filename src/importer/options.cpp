#include "mechane/importer/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "mechane/importer/codes.h"

namespace mechane::importer {
namespace {

using Json = nlohmann::json;
/// Reads one option from its value; false when the value is of another type.
using Setter = bool (*)(ImportOptions&, const Json&);

template <bool ImportOptions::* Field>
bool set_flag(ImportOptions& options, const Json& value)
{
    if (!value.is_boolean()) return false;
    options.*Field = value.get<bool>();
    return true;
}

/// A list of texts, or one text with commas.
bool read_list(const Json& value, std::vector<std::string>& out)
{
    if (value.is_array()) {
        out.clear();
        for (const Json& item : value) {
            if (!item.is_string()) return false;
            out.push_back(item.get<std::string>());
        }
        return true;
    }
    if (!value.is_string()) return false;
    out.clear();
    const std::string text = value.get<std::string>();
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        if (to > from) out.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return true;
}

bool set_xform(ImportOptions& options, const Json& value)
{
    if (value.is_null()) {
        options.xform.reset();
        return true;
    }
    std::array<double, 7> x{};
    if (!value.is_array() || value.size() != x.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!value[i].is_number()) return false;
        x[i] = value[i].get<double>();
    }
    options.xform = Posed{{x[0], x[1], x[2]}, normalized(Quatd{x[3], x[4], x[5], x[6]})};
    return true;
}

template <class T>
bool choose(const Json& value, std::initializer_list<std::pair<const char*, T>> names, T& out)
{
    const std::string text = value.is_string() ? value.get<std::string>() : value.is_null() ? "none" : "";
    for (const auto& [name, meaning] : names)
        if (text == name) {
            out = meaning;
            return true;
        }
    return false;
}

bool set_floating(ImportOptions& options, const Json& value)
{
    if (!value.is_boolean() && !value.is_null()) return false;
    options.floating = value.is_null() ? std::nullopt : std::optional(value.get<bool>());
    return true;
}

bool set_kinematic_velocity(ImportOptions& options, const Json& value)
{
    KinematicVelocity chosen{};
    if (!choose<KinematicVelocity>(value, {{"rest", KinematicVelocity::rest}, {"follow", KinematicVelocity::follow}},
                                   chosen))
        return false;
    options.kinematic_velocity = chosen;
    return true;
}

constexpr std::pair<std::string_view, Setter> kSetters[] = {
    {"compat",
     [](ImportOptions& o, const Json& v) {
         return choose<Compat>(
             v, {{"none", Compat::mechane}, {"mechane", Compat::mechane}, {"newton-1.8", Compat::newton_1_8}},
             o.compat);
     }},
    {"units", [](ImportOptions& o,
                 const Json&    v) { return choose<Units>(v, {{"si", Units::si}, {"stage", Units::stage}}, o.units); }},
    {"unauthored_units",
     [](ImportOptions& o, const Json& v) {
         return choose<UnauthoredUnits>(v, {{"one", UnauthoredUnits::one}, {"usd", UnauthoredUnits::usd}},
                                        o.unauthored_units);
     }},
    {"xform", set_xform},
    {"override_root_xform", set_flag<&ImportOptions::override_root_xform>},
    {"floating", set_floating},
    {"parent_body",
     [](ImportOptions& o, const Json& v) {
         return v.is_number_integer() && (o.parent_body = v.get<std::int32_t>(), true);
     }},
    {"only_load_enabled_rigid_bodies", set_flag<&ImportOptions::only_load_enabled_rigid_bodies>},
    {"keep_orphan_joints", set_flag<&ImportOptions::keep_orphan_joints>},
    {"only_load_enabled_joints", set_flag<&ImportOptions::only_load_enabled_joints>},
    {"joint_drive_gains_scaling",
     [](ImportOptions& o, const Json& v) {
         return v.is_number() && (o.joint_drive_gains_scaling = v.get<double>(), true);
     }},
    {"ignore_paths", [](ImportOptions& o, const Json& v) { return read_list(v, o.ignore_paths); }},
    {"enable_self_collisions", set_flag<&ImportOptions::enable_self_collisions>},
    {"apply_up_axis_from_stage", set_flag<&ImportOptions::apply_up_axis_from_stage>},
    {"root_path",
     [](ImportOptions& o, const Json& v) { return v.is_string() && (o.root_path = v.get<std::string>(), true); }},
    {"scene", [](ImportOptions& o, const Json& v) { return v.is_string() && (o.scene = v.get<std::string>(), true); }},
    {"joint_ordering",
     [](ImportOptions& o, const Json& v) {
         return choose<JointOrdering>(
             v, {{"dfs", JointOrdering::dfs}, {"bfs", JointOrdering::bfs}, {"none", JointOrdering::none}},
             o.joint_ordering);
     }},
    {"usd_group_mode",
     [](ImportOptions& o, const Json& v) {
         return choose<UsdGroupMode>(v, {{"schema", UsdGroupMode::schema}, {"newton_ids", UsdGroupMode::newton_ids}},
                                     o.usd_group_mode);
     }},
    {"bodies_follow_joint_ordering", set_flag<&ImportOptions::bodies_follow_joint_ordering>},
    {"per_face_materials", set_flag<&ImportOptions::per_face_materials>},
    {"skip_mesh_approximation", set_flag<&ImportOptions::skip_mesh_approximation>},
    {"load_sites", set_flag<&ImportOptions::load_sites>},
    {"load_visual_shapes", set_flag<&ImportOptions::load_visual_shapes>},
    {"load_static_visual_shapes", set_flag<&ImportOptions::load_static_visual_shapes>},
    {"hide_collision_shapes", set_flag<&ImportOptions::hide_collision_shapes>},
    {"force_show_colliders", set_flag<&ImportOptions::force_show_colliders>},
    {"convert_mjc_equality_constraints", set_flag<&ImportOptions::convert_mjc_equality_constraints>},
    {"mesh_maxhullvert",
     [](ImportOptions& o, const Json& v) {
         return v.is_number_integer() && (o.mesh_maxhullvert = v.get<int>(), true);
     }},
    {"schema_resolvers", [](ImportOptions& o, const Json& v) { return read_list(v, o.schema_resolvers); }},
    {"force_position_velocity_actuation", set_flag<&ImportOptions::force_position_velocity_actuation>},
    {"lenient_names", set_flag<&ImportOptions::lenient_names>},
    {"move_scaled_tensor", set_flag<&ImportOptions::move_scaled_tensor>},
    {"legacy",
     [](ImportOptions& o, const Json& v) {
         const auto known = [](const std::string& name) {
             return std::find(legacy_rules().begin(), legacy_rules().end(), name) != legacy_rules().end();
         };
         return read_list(v, o.legacy) && std::all_of(o.legacy.begin(), o.legacy.end(), known);
     }},
    {"legacy_margin_gap", set_flag<&ImportOptions::legacy_margin_gap>},
    {"register_mujoco", set_flag<&ImportOptions::register_mujoco>},
    // Newton's names for what has no effect here: no deformables, no log of its own.
    {"return_deformable_results", [](ImportOptions&, const Json& v) { return v.is_boolean(); }},
    {"parse_mujoco_options", set_flag<&ImportOptions::parse_mujoco_options>},
    {"verbose", [](ImportOptions&, const Json& v) { return v.is_boolean(); }},
    {"collapse_fixed_joints", set_flag<&ImportOptions::collapse_fixed_joints>},
    {"joints_to_keep", [](ImportOptions& o, const Json& v) { return read_list(v, o.joints_to_keep); }},
    {"kinematic_velocity", set_kinematic_velocity},
    {"animation", set_flag<&ImportOptions::animation>},
    {"ledger", set_flag<&ImportOptions::ledger>},
    {"allow_missing", set_flag<&ImportOptions::allow_missing>},
};

}  // namespace

std::span<const std::string_view> legacy_rules()
{
    static constexpr std::string_view kNames[] = {"mjc-solref-limits", "physx-contact-offset-margin", "mass-pair-rule",
                                                  "hull-vertex-limit-name"};
    return kNames;
}

Result<void> set_option(ImportOptions& options, std::string_view key, std::string_view text)
{
    // Python's spellings are accepted, since the same options are written in Python.
    Json value = text == "True"    ? Json(true)
                 : text == "False" ? Json(false)
                 : text == "None"  ? Json(nullptr)
                                   : Json::parse(text, nullptr, false);
    if (value.is_discarded()) value = std::string(text);
    for (const auto& [name, set] : kSetters) {
        if (name != key) continue;
        if (set(options, value)) return {};
        const Code& code = key == "joint_ordering" ? codes::kArgJointOrdering : codes::kArgOption;
        return make_diagnostic(code, {}, fmt::format("{} cannot be '{}'", key, text));
    }
    return make_diagnostic(codes::kArgOption, {}, fmt::format("there is no import option '{}'", key));
}

}  // namespace mechane::importer
