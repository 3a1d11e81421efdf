// The table of import options: name, type, values, meaning, and how JSON is read into ImportOptions and back. Help,
// completion and bindings are made of it; a new option is a row here.

#include "option_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace mechane::importer {
namespace {

using Json = nlohmann::json;

template <bool ImportOptions::* Field>
OptionRow flag(std::string_view name, std::string_view meaning)
{
    return {{name, "flag", {}, {}, meaning, {"true", "false"}},
            [](ImportOptions& o, const Json& v) { return v.is_boolean() && (o.*Field = v.get<bool>(), true); },
            [](const ImportOptions& o) -> Json { return o.*Field; }};
}

template <std::string ImportOptions::* Field>
OptionRow text(std::string_view name, std::string_view meaning, std::vector<std::string> values = {})
{
    return {{name, "text", {}, {}, meaning, std::move(values)},
            [](ImportOptions& o, const Json& v) {
                return v.is_string() && !v.get_ref<const std::string&>().empty() &&
                       (o.*Field = v.get<std::string>(), true);
            },
            [](const ImportOptions& o) -> Json { return o.*Field; }};
}

/// A list of texts, or one text with commas.
/// A faulty list changes nothing.
bool read_list(const Json& value, std::vector<std::string>& out)
{
    std::vector<std::string> read;
    if (value.is_array()) {
        for (const Json& item : value) {
            if (!item.is_string()) return false;
            read.push_back(item.get<std::string>());
        }
    } else if (value.is_string()) {
        const std::string all = value.get<std::string>();
        for (std::size_t from = 0; from < all.size();) {
            const std::size_t to = std::min(all.find(',', from), all.size());
            if (to > from) read.push_back(all.substr(from, to - from));
            from = to + 1;
        }
    } else {
        return false;
    }
    out = std::move(read);
    return true;
}

template <std::vector<std::string> ImportOptions::* Field>
OptionRow list(std::string_view name, std::string_view meaning, std::vector<std::string> values = {})
{
    return {{name, "list", {}, {}, meaning, std::move(values)},
            [](ImportOptions& o, const Json& v) { return read_list(v, o.*Field); },
            [](const ImportOptions& o) -> Json { return o.*Field; }};
}

/// Names of the values of an enumeration; of several names for one value the first is written.
template <class T>
struct Names;

template <class T>
struct Name {
    const char* text;
    T           value;
};

template <>
struct Names<Compat> {
    static constexpr Name<Compat> all[] = {
        {"mechane", Compat::mechane}, {"newton-1.8", Compat::newton_1_8}, {"none", Compat::mechane}};
};
template <>
struct Names<Units> {
    static constexpr Name<Units> all[] = {{"si", Units::si}, {"stage", Units::stage}};
};
template <>
struct Names<UnauthoredUnits> {
    static constexpr Name<UnauthoredUnits> all[] = {{"one", UnauthoredUnits::one}, {"usd", UnauthoredUnits::usd}};
};
template <>
struct Names<JointOrdering> {
    static constexpr Name<JointOrdering> all[] = {
        {"dfs", JointOrdering::dfs}, {"bfs", JointOrdering::bfs}, {"none", JointOrdering::none}};
};
template <>
struct Names<UsdGroupMode> {
    static constexpr Name<UsdGroupMode> all[] = {{"schema", UsdGroupMode::schema},
                                                 {"newton_ids", UsdGroupMode::newton_ids}};
};
template <>
struct Names<physics::NestedBodies> {
    static constexpr Name<physics::NestedBodies> all[] = {{"independent", physics::NestedBodies::independent},
                                                          {"schema", physics::NestedBodies::schema},
                                                          {"error", physics::NestedBodies::error}};
};
template <>
struct Names<physics::ResetStack> {
    static constexpr Name<physics::ResetStack> all[] = {{"body", physics::ResetStack::body},
                                                        {"static", physics::ResetStack::static_part}};
};

template <>
struct Names<PointInstancers> {
    static constexpr Name<PointInstancers> all[] = {{"expand", PointInstancers::expand},
                                                    {"ignore", PointInstancers::ignore}};
};

template <class T, T ImportOptions::* Field>
OptionRow choice(std::string_view name, std::string_view meaning)
{
    std::vector<std::string> values;
    for (const auto& one : Names<T>::all) values.emplace_back(one.text);
    return {{name, "choice", {}, {}, meaning, std::move(values)},
            [](ImportOptions& o, const Json& v) {
                // null is Python's None.
                const std::string given = v.is_string() ? v.get<std::string>() : v.is_null() ? "none" : "";
                for (const auto& one : Names<T>::all)
                    if (given == one.text) return o.*Field = one.value, true;
                return false;
            },
            [](const ImportOptions& o) -> Json {
                for (const auto& one : Names<T>::all)
                    if (o.*Field == one.value) return one.text;
                return nullptr;
            }};
}

template <int ImportOptions::* Field, int Least, int Most>
OptionRow integer(std::string_view name, std::string_view meaning)
{
    return {{name, "integer", {}, {}, meaning, {}},
            [](ImportOptions& o, const Json& v) {
                if (!v.is_number_integer()) return false;
                const auto n = v.get<std::int64_t>();
                return n >= Least && n <= Most && (o.*Field = static_cast<int>(n), true);
            },
            [](const ImportOptions& o) -> Json { return o.*Field; }};
}

template <double ImportOptions::* Field>
OptionRow number(std::string_view name, std::string_view unit, std::string_view meaning)
{
    return {{name, "number", {}, unit, meaning, {}},
            [](ImportOptions& o, const Json& v) {
                return v.is_number() && std::isfinite(v.get<double>()) && (o.*Field = v.get<double>(), true);
            },
            [](const ImportOptions& o) -> Json { return o.*Field; }};
}

bool set_xform(ImportOptions& options, const Json& value)
{
    if (value.is_null()) return options.xform.reset(), true;
    std::array<double, 7> x{};
    if (!value.is_array() || value.size() != x.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!value[i].is_number()) return false;
        x[i] = value[i].get<double>();
        if (!std::isfinite(x[i])) return false;
    }
    // A zero quaternion is no rotation.
    const Quatd q{x[3], x[4], x[5], x[6]};
    if (x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6] < 1e-12) return false;
    options.xform = Posed{{x[0], x[1], x[2]}, normalized(q)};
    return true;
}

Json get_xform(const ImportOptions& options)
{
    if (!options.xform) return nullptr;
    const Posed& x = *options.xform;
    return {x.p.x, x.p.y, x.p.z, x.q.x, x.q.y, x.q.z, x.q.w};
}

bool set_floating(ImportOptions& options, const Json& value)
{
    if (!value.is_boolean() && !value.is_null()) return false;
    options.floating = value.is_null() ? std::nullopt : std::optional(value.get<bool>());
    return true;
}

bool set_kinematic_velocity(ImportOptions& options, const Json& value)
{
    if (value.is_null() || value == "none") return options.kinematic_velocity.reset(), true;
    if (value != "rest" && value != "follow") return false;
    options.kinematic_velocity = value == "rest" ? KinematicVelocity::rest : KinematicVelocity::follow;
    return true;
}

Json get_kinematic_velocity(const ImportOptions& options)
{
    if (!options.kinematic_velocity) return nullptr;
    return *options.kinematic_velocity == KinematicVelocity::rest ? "rest" : "follow";
}

bool set_friction(ImportOptions& options, const Json& value)
{
    if (value.is_null()) return options.default_friction.reset(), true;
    if (!value.is_number() || !(value.get<double>() >= 0) || !std::isfinite(value.get<double>())) return false;
    options.default_friction = value.get<double>();
    return true;
}

bool set_legacy(ImportOptions& options, const Json& value)
{
    std::vector<std::string> read;
    if (!read_list(value, read)) return false;
    for (const std::string& name : read)
        if (std::find(legacy_rules().begin(), legacy_rules().end(), name) == legacy_rules().end()) return false;
    options.legacy = std::move(read);
    return true;
}

/// A name of Newton's for what is not chosen here.
OptionRow without_effect(std::string_view name, std::string_view meaning)
{
    return {{name, "flag", {}, {}, meaning, {"true", "false"}},
            [](ImportOptions&, const Json& v) { return v.is_boolean(); },
            [](const ImportOptions&) -> Json { return false; }};
}

std::vector<OptionRow> make_rows()
{
    using O = ImportOptions;
    std::vector<OptionRow> rows{
        flag<&O::allow_missing>("allow_missing",
                                "import although references, payloads or layers were not found; what is there is used"),
        flag<&O::animation>("animation",
                            "a simulation follows what the stage animates; false: everything is held at "
                            "its first value"),
        flag<&O::apply_up_axis_from_stage>("apply_up_axis_from_stage",
                                           "the model takes the stage's up axis; false: the stage is turned to the "
                                           "model's, z"),
        flag<&O::bodies_follow_joint_ordering>("bodies_follow_joint_ordering",
                                               "bodies of an articulation are numbered in the order of its joints"),
        flag<&O::collapse_fixed_joints>("collapse_fixed_joints", "bodies that fixed joints hold together become one"),
        choice<Compat, &O::compat>("compat",
                                   "whose rules decide where products differ; newton-1.8 keeps stage units "
                                   "and refuses what that importer refuses"),
        flag<&O::convert_mjc_equality_constraints>("convert_mjc_equality_constraints",
                                                   "MuJoCo's connect and weld constraints become loop joints"),
        {{"default_friction",
          "number",
          {},
          {},
          "friction of colliders without a physics material; none: that of the builder, 1",
          {}},
         set_friction,
         [](const O& o) -> Json { return o.default_friction ? Json(*o.default_friction) : Json(); }},
        flag<&O::enable_self_collisions>("enable_self_collisions",
                                         "bodies of an articulation that authors nothing about it collide with each "
                                         "other"),
        flag<&O::exact_shapes>("exact_shapes",
                               "a sphere with unequal scale is an ellipsoid, any other round shape its convex hull; "
                               "false: each keeps its kind and takes the larger radius"),
        {{"floating",
          "flag",
          {},
          {},
          "base joint of roots: true FREE, false FIXED; none: as authored, else FREE",
          {"true", "false", "none"}},
         set_floating,
         [](const O& o) -> Json { return o.floating ? Json(*o.floating) : Json(); }},
        flag<&O::force_position_velocity_actuation>("force_position_velocity_actuation",
                                                    "drives control position and velocity, whatever their gains are"),
        flag<&O::force_show_colliders>("force_show_colliders", "colliders are drawn, also those that are not visible"),
        flag<&O::hide_collision_shapes>("hide_collision_shapes",
                                        "colliders of bodies with visual shapes are not drawn"),
        list<&O::ignore_paths>("ignore_paths",
                               "regular expressions, matched at the start of prim paths, of what is "
                               "left out"),
        number<&O::joint_drive_gains_scaling>("joint_drive_gains_scaling", "", "factor on gains of drives"),
        choice<JointOrdering, &O::joint_ordering>("joint_ordering",
                                                  "order of an articulation's joints: depth first, breadth first, or "
                                                  "as they stand on the stage"),
        list<&O::joints_to_keep>("joints_to_keep", "fixed joints that collapse_fixed_joints leaves, by prim path"),
        flag<&O::keep_orphan_joints>("keep_orphan_joints",
                                     "joints without an authored articulation root are constraints between free "
                                     "bodies; false: they form trees"),
        {{"kinematic_velocity",
          "choice",
          {},
          {},
          "a kinematic body with a velocity and without animation: rests, or moves with it; none: rest, and follow "
          "under compat=newton-1.8",
          {"rest", "follow", "none"}},
         set_kinematic_velocity,
         get_kinematic_velocity},
        list<&O::known_attributes>("known_attributes",
                                   "attributes outside every schema that somebody else reads: they are not reported as "
                                   "unknown"),
        flag<&O::ledger>("ledger", "account for every authored physics property"),
        {{"legacy", "list", {}, {}, "rules of older importers, by name", {}},
         set_legacy,
         [](const O& o) -> Json { return o.legacy; }},
        flag<&O::legacy_margin_gap>("legacy_margin_gap",
                                    "mjc:margin becomes margin minus gap also under compat=newton-1.8"),
        flag<&O::lenient_names>("lenient_names",
                                "names that documents misspell are read as meant: RevoluteJoint, "
                                "DistancePhysicsJoint, gravity, velocity"),
        flag<&O::load_sites>("load_sites", "sites become shapes without collision"),
        flag<&O::load_static_visual_shapes>("load_static_visual_shapes",
                                            "geometry that belongs to no body and does not collide is drawn"),
        flag<&O::load_visual_shapes>("load_visual_shapes", "geometry of bodies that does not collide is drawn"),
        integer<&O::mesh_maxhullvert, 4, 100000>("mesh_maxhullvert", "most vertices of a convex hull"),
        flag<&O::move_scaled_tensor>("move_scaled_tensor",
                                     "an inertia scaled from the shapes is moved to the body's centre of mass"),
        choice<physics::NestedBodies, &O::nested_bodies>(
            "nested_bodies",
            "a rigid body below another one: a body of its own, part of the one above unless its transform stack is "
            "reset (the text of the schema), or an error"),
        flag<&O::only_load_enabled_joints>("only_load_enabled_joints", "joints that are off are left out"),
        flag<&O::only_load_enabled_rigid_bodies>("only_load_enabled_rigid_bodies",
                                                 "bodies that are off are left out; "
                                                 "false: they are static"),
        flag<&O::override_root_xform>("override_root_xform",
                                      "xform replaces the pose of articulation roots instead of preceding it"),
        {{"parent_body",
          "integer",
          {},
          {},
          "index of the body of the latest articulation to which imported roots are attached; -1: the world",
          {}},
         [](O& o, const Json& v) {
             if (!v.is_number_integer()) return false;
             const auto n = v.get<std::int64_t>();
             return n >= -1 && n <= std::numeric_limits<std::int32_t>::max() &&
                    (o.parent_body = static_cast<std::int32_t>(n), true);
         },
         [](const O& o) -> Json { return o.parent_body; }},
        flag<&O::parse_mujoco_options>("parse_mujoco_options",
                                       "MuJoCo's settings of the scene are read; false: they keep their defaults"),
        flag<&O::per_face_materials>("per_face_materials",
                                     "a collider mesh becomes a shape for each subset of faces "
                                     "with a physics material of its own"),
        choice<PointInstancers, &O::point_instancers>("point_instancers",
                                                      "items of point instancers: bodies, colliders and shapes of "
                                                      "their own, or left out; compat=newton-1.8 leaves "
                                                      "them out"),
        flag<&O::register_mujoco>("register_mujoco",
                                  "declare MuJoCo's custom attributes where the resolver mjc is used"),
        choice<physics::ResetStack, &O::reset_stack>(
            "reset_stack", "a collider below a body that resets its transform stack: part of the body, or static"),
        without_effect("return_deformable_results",
                       "a name of Newton's, without effect: what deformables became is always in the result"),
        text<&O::root_path>("root_path", "only this subtree is imported"),
        text<&O::scene>("scene",
                        "which physics scenes become simulations: all, a world for each that owns something, "
                        "or the path of one"),
        list<&O::schema_resolvers>("schema_resolvers",
                                   "whose attributes are read, by priority; auto: newton, then physx and mjc where the "
                                   "stage uses them; also files of tables (.toml, .json)",
                                   {"auto", "newton", "physx", "mjc"}),
        flag<&O::skip_mesh_approximation>("skip_mesh_approximation", "collider meshes collide as they are"),
        choice<UnauthoredUnits, &O::unauthored_units>("unauthored_units",
                                                      "what a stage without metersPerUnit means: metres, or OpenUSD's "
                                                      "0.01 m"),
        choice<Units, &O::units>("units", "si: metres, kilograms, radians; stage: the file's lengths and masses"),
        choice<UsdGroupMode, &O::usd_group_mode>(
            "usd_group_mode",
            "collision groups filter pairs by their table, or their numbers also keep colliders of different groups "
            "apart"),
        without_effect("verbose", "a name of Newton's, without effect: findings are always returned"),
        {{"xform", "pose", {}, "m", "pose in front of everything imported: [x, y, z, qx, qy, qz, qw]", {}},
         set_xform,
         get_xform},
    };
    for (OptionRow& row : rows) {
        if (row.info.name == "legacy") row.info.values.assign(legacy_rules().begin(), legacy_rules().end());
        row.info.initial = option_text(ImportOptions{}, row);
    }
    std::sort(rows.begin(), rows.end(),
              [](const OptionRow& a, const OptionRow& b) { return a.info.name < b.info.name; });
    return rows;
}

}  // namespace

std::string option_text(const ImportOptions& options, const OptionRow& row)
{
    const Json value = row.get(options);
    if (value.is_null()) return "none";
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array() || row.info.type != "list") return value.dump();
    // Commas between entries where none holds one, else JSON.
    std::string joined;
    for (const Json& item : value) {
        const auto& entry = item.get_ref<const std::string&>();
        if (entry.find(',') != std::string::npos) return value.dump();
        joined += (joined.empty() ? "" : ",") + entry;
    }
    return joined.empty() ? "[]" : joined;
}

std::span<const OptionRow> option_rows()
{
    static const std::vector<OptionRow> rows = make_rows();
    return rows;
}

}  // namespace mechane::importer
