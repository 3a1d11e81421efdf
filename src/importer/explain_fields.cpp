// The table of fields that `explain` knows: for each the array of the model, its dimension, the keys of resolvers and
// the properties of schemas that may decide it.
// A new array of the model that comes from stages gets a row here.

#include "explain_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mechane::importer {
namespace {

using model::Model;
using physics::Dimension;
using resolve::Key;

/// The shortest text that reads back as the same number.
std::string text(Real x) { return fmt::format("{}", x); }
std::string text(const Vec3& v) { return fmt::format("({}, {}, {})", text(v.x), text(v.y), text(v.z)); }
std::string text(const Pose& X)
{ return fmt::format("{} ({}, {}, {}, {})", text(X.p), text(X.q.x), text(X.q.y), text(X.q.z), text(X.q.w)); }
std::string flag(bool on) { return on ? "true" : "false"; }
std::string combine_name(std::int32_t rule)
{
    constexpr const char* kNames[] = {"average", "min", "max", "multiply", "geometric mean"};
    return rule >= 0 && rule < 5 ? kNames[rule] : "the solver's";
}
std::string label_of(const Model& m, std::int32_t body)
{ return body < 0 ? "the world" : "<" + m.body_label[static_cast<std::size_t>(body)] + ">"; }
/// A large number that stands for none.
std::string limit(Real x)
{
    const double v = static_cast<double>(x);
    return v >= model::kMaxValue ? "unlimited" : v <= -model::kMaxValue ? "unlimited" : text(x);
}

template <auto Array>
std::string at(const Model& m, std::size_t i, std::size_t)
{ return text((m.*Array)[i]); }
template <auto Array>
std::string at_dof(const Model& m, std::size_t, std::size_t d)
{ return text((m.*Array)[d]); }
template <auto Array>
std::string limit_at(const Model& m, std::size_t, std::size_t d)
{ return limit((m.*Array)[d]); }

/// Of a joint whose coordinates are those of its axes.
template <auto Array>
std::string at_coordinate(const Model& m, std::size_t j, std::size_t d)
{
    const std::int32_t coords = m.joint_q_start[j + 1] - m.joint_q_start[j];
    const std::int32_t dofs   = m.joint_qd_start[j + 1] - m.joint_qd_start[j];
    if (coords != dofs) return "a quaternion";
    // Scalar coordinates: place of the dof within the joint.
    return text((m.*Array)[static_cast<std::size_t>(m.joint_q_start[j] - m.joint_qd_start[j]) + d]);
}

/// A field of one kind of entity that measures one thing.
FieldRow plain(EntityKind kind, std::string_view field, std::string_view array, Dimension unit, std::vector<Key> keys,
               std::vector<std::string_view>                                      properties,
               std::function<std::string(const Model&, std::size_t, std::size_t)> value)
{
    return {.kind       = kind,
            .field      = field,
            .array      = array,
            .linear     = unit,
            .angular    = unit,
            .keys       = std::move(keys),
            .properties = std::move(properties),
            .value      = std::move(value)};
}

/// Where entities are and how they look.
void add_look_and_place(std::vector<FieldRow>& rows)
{
    using enum Dimension;
    using K = EntityKind;
    rows.push_back(plain(K::body, "pose", "body_q", length, {}, {}, at<&Model::body_q>));
    rows.push_back(plain(K::body, "world", "body_world", none, {}, {"physics:simulationOwner"},
                         [](const Model& m, std::size_t i, std::size_t) { return std::to_string(m.body_world[i]); }));
    rows.push_back(
        plain(K::shape, "color", "shape_color", none, {}, {"primvars:displayColor"}, at<&Model::shape_color>));
    rows.push_back(
        plain(K::shape, "opacity", "shape_opacity", none, {}, {"primvars:displayOpacity"}, at<&Model::shape_opacity>));
    rows.push_back(plain(K::shape, "visible", "shape_flags", none, {}, {"visibility", "purpose"},
                         [](const Model& m, std::size_t i, std::size_t) {
                             return flag((m.shape_flags[i] & model::shape_flag::visible) != 0);
                         }));
    rows.push_back(plain(K::shape, "scale", "shape_scale", length, {}, {"radius", "height", "size", "width", "length"},
                         at<&Model::shape_scale>));
    rows.push_back(plain(K::shape, "pose", "shape_transform", length, {}, {}, at<&Model::shape_transform>));
    rows.push_back(plain(K::shape, "body", "shape_body", none, {}, {},
                         [](const Model& m, std::size_t i, std::size_t) { return label_of(m, m.shape_body[i]); }));
    rows.push_back(plain(K::shape, "world", "shape_world", none, {Key::shape_world}, {"physics:simulationOwner"},
                         [](const Model& m, std::size_t i, std::size_t) { return std::to_string(m.shape_world[i]); }));
}

std::string shown(const std::optional<int>& x) { return x ? std::to_string(*x) : "none"; }
std::string shown(const std::optional<double>& x) { return x ? fmt::format("{}", *x) : "none"; }
std::string shown(double x) { return fmt::format("{}", x); }

/// A setting of a shape's distance field; that of a shape without one is the default.
template <auto Setting>
std::string of_field(const Model& m, std::size_t i, std::size_t)
{
    const model::SdfConfig config = m.shape_sdf_config[i].value_or(model::SdfConfig{});
    return shown(config.*Setting);
}

void add_distance_field(std::vector<FieldRow>& rows)
{
    using enum Dimension;
    using K              = EntityKind;
    using C              = model::SdfConfig;
    const char* const in = "shape_sdf_config";
    rows.push_back(plain(K::shape, "sdf_max_resolution", in, none, {Key::shape_sdf_max_resolution}, {},
                         of_field<&C::sdf_max_resolution>));
    rows.push_back(plain(K::shape, "sdf_target_voxel_size", in, length, {Key::shape_sdf_target_voxel_size}, {},
                         of_field<&C::sdf_target_voxel_size>));
    rows.push_back(plain(K::shape, "sdf_narrow_band_inner", in, length, {Key::shape_sdf_narrow_band_inner}, {},
                         of_field<&C::sdf_narrow_band_inner>));
    rows.push_back(plain(K::shape, "sdf_narrow_band_outer", in, length, {Key::shape_sdf_narrow_band_outer}, {},
                         of_field<&C::sdf_narrow_band_outer>));
    rows.push_back(plain(K::shape, "sdf_padding", in, length, {Key::shape_sdf_padding}, {}, of_field<&C::sdf_padding>));
    rows.push_back(plain(K::shape, "sdf_texture_format", in, none, {Key::shape_sdf_texture_format}, {},
                         [](const Model& m, std::size_t i, std::size_t) -> std::string {
                             const C config = m.shape_sdf_config[i].value_or(C{});
                             return config.sdf_texture_format == model::SdfFormat::uint8    ? "uint8"
                                    : config.sdf_texture_format == model::SdfFormat::uint16 ? "uint16"
                                                                                            : "float32";
                         }));
}

const ImportedScene* scene_at(const ImportResult& imported, const std::string& path)
{
    const auto there = std::find_if(imported.scenes.begin(), imported.scenes.end(),
                                    [&](const ImportedScene& s) { return s.path == path; });
    return there == imported.scenes.end() ? nullptr : &*there;
}

/// What the model has no array of its own for.
void add_scene_and_articulation(std::vector<FieldRow>& rows)
{
    const auto add = [&](EntityKind kind, std::string_view field, std::string_view unit, std::vector<Key> keys,
                         std::vector<std::string_view> properties, auto value) {
        FieldRow row  = plain(kind, field, "", Dimension::none, std::move(keys), std::move(properties), {});
        row.of_import = value;
        row.unit      = unit;
        rows.push_back(std::move(row));
    };
    add(EntityKind::scene, "gravity", "m/s^2", {Key::scene_gravity_enabled},
        {"physics:gravityDirection", "physics:gravityMagnitude"}, [](const ImportResult& r, const std::string& path) {
            const Vec3d g = scene_at(r, path)->gravity;
            return fmt::format("({}, {}, {})", g.x, g.y, g.z);
        });
    add(EntityKind::scene, "physics_dt", "s", {Key::scene_time_steps_per_second}, {},
        [](const ImportResult& r, const std::string& path) { return shown(scene_at(r, path)->physics_dt); });
    add(EntityKind::scene, "max_solver_iterations", "", {Key::scene_max_solver_iterations}, {},
        [](const ImportResult& r, const std::string& path) {
            const auto n = scene_at(r, path)->max_solver_iterations;
            return n ? std::to_string(*n) : std::string("none");
        });
    add(EntityKind::scene, "world", "", {}, {},
        [](const ImportResult& r, const std::string& path) { return std::to_string(scene_at(r, path)->world); });
    add(EntityKind::articulation, "self_collision_enabled", "", {Key::articulation_self_collision_enabled}, {},
        [](const ImportResult& r, const std::string& path) { return flag(r.path_self_collision.at(path)); });
}

void add_body(std::vector<FieldRow>& rows)
{
    using enum Dimension;
    using K        = EntityKind;
    const auto add = [&](FieldRow row) { rows.push_back(std::move(row)); };
    add({.kind       = K::body,
         .field      = "mass",
         .array      = "body_mass",
         .linear     = mass,
         .angular    = mass,
         .keys       = {},
         .properties = {"physics:mass", "physics:density"},
         .below      = true,
         .value      = at<&Model::body_mass>});
    add({.kind       = K::body,
         .field      = "com",
         .array      = "body_com",
         .linear     = length,
         .angular    = length,
         .keys       = {},
         .properties = {"physics:centerOfMass"},
         .below      = true,
         .value      = at<&Model::body_com>});
    add({.kind       = K::body,
         .field      = "inertia",
         .array      = "body_inertia",
         .linear     = inertia,
         .angular    = inertia,
         .keys       = {},
         .properties = {"newton:inertia", "physics:diagonalInertia", "physics:principalAxes", "physics:mass",
                        "physics:density"},
         .below      = true,
         .value      = [](const Model& m, std::size_t i, std::size_t) {
             const Mat33& t = m.body_inertia[i];
             return fmt::format("[{}, {}, {}]", text(t.r0), text(t.r1), text(t.r2));
         }});
    add({.kind       = K::body,
         .field      = "velocity",
         .array      = "body_qd",
         .linear     = length,
         .angular    = length,
         .keys       = {},
         .properties = {"physics:velocity"},
         .value      = [](const Model& m, std::size_t i, std::size_t) { return text(m.body_qd[i].linear); }});
    add({.kind       = K::body,
         .field      = "angular_velocity",
         .array      = "body_qd",
         .linear     = angle,
         .angular    = angle,
         .keys       = {},
         .properties = {"physics:angularVelocity"},
         .value      = [](const Model& m, std::size_t i, std::size_t) { return text(m.body_qd[i].angular); }});
    add({.kind       = K::body,
         .field      = "kinematic",
         .array      = "body_flags",
         .linear     = none,
         .angular    = none,
         .keys       = {},
         .properties = {"physics:kinematicEnabled", "physics:rigidBodyEnabled"},
         .value      = [](const Model& m, std::size_t i, std::size_t) {
             return flag(m.body_flags[i] == model::body_flag::kinematic);
         }});
    add({.kind       = K::body,
         .field      = "starts_asleep",
         .array      = "body_starts_asleep",
         .linear     = none,
         .angular    = none,
         .keys       = {},
         .properties = {"physics:startsAsleep"},
         .value      = [](const Model& m, std::size_t i, std::size_t) { return flag(m.body_starts_asleep[i] != 0); }});
}

void add_joint(std::vector<FieldRow>& rows)
{
    using enum Dimension;
    using K        = EntityKind;
    const auto add = [&](FieldRow row) { rows.push_back(std::move(row)); };
    add({.kind       = K::joint,
         .field      = "type",
         .array      = "joint_type",
         .linear     = none,
         .angular    = none,
         .keys       = {},
         .properties = {},
         .value      = [](const Model& m, std::size_t i, std::size_t) {
             return std::string(model::to_string(m.joint_type[i]));
         }});
    add({.kind       = K::joint,
         .field      = "parent",
         .array      = "joint_parent",
         .linear     = none,
         .angular    = none,
         .keys       = {},
         .properties = {"physics:body0"},
         .value      = [](const Model& m, std::size_t i, std::size_t) { return label_of(m, m.joint_parent[i]); }});
    add({.kind       = K::joint,
         .field      = "child",
         .array      = "joint_child",
         .linear     = none,
         .angular    = none,
         .keys       = {},
         .properties = {"physics:body1"},
         .value      = [](const Model& m, std::size_t i, std::size_t) { return label_of(m, m.joint_child[i]); }});
    add({.kind       = K::joint,
         .field      = "parent_xform",
         .array      = "joint_X_p",
         .linear     = length,
         .angular    = length,
         .keys       = {},
         .properties = {"physics:localPos0", "physics:localRot0"},
         .value      = [](const Model& m, std::size_t i, std::size_t) { return text(m.joint_X_p[i].p); }});
    add({.kind       = K::joint,
         .field      = "child_xform",
         .array      = "joint_X_c",
         .linear     = length,
         .angular    = length,
         .keys       = {},
         .properties = {"physics:localPos1", "physics:localRot1"},
         .value      = [](const Model& m, std::size_t i, std::size_t) { return text(m.joint_X_c[i].p); }});
    add({.kind       = K::joint,
         .field      = "enabled",
         .array      = "joint_enabled",
         .linear     = none,
         .angular    = none,
         .keys       = {},
         .properties = {"physics:jointEnabled"},
         .value      = [](const Model& m, std::size_t i, std::size_t) { return flag(m.joint_enabled[i] != 0); }});
    add({.kind       = K::joint,
         .field      = "articulation",
         .array      = "joint_articulation",
         .linear     = none,
         .angular    = none,
         .keys       = {},
         .properties = {"physics:excludeFromArticulation"},
         .value      = [](const Model& m, std::size_t i, std::size_t) {
             const std::int32_t a = m.joint_articulation[i];
             return a < 0 ? std::string("none") : "<" + m.articulation_label[static_cast<std::size_t>(a)] + ">";
         }});
    add({.kind       = K::joint,
         .field      = "break_force",
         .array      = "joint_break_force",
         .linear     = force,
         .angular    = force,
         .keys       = {},
         .properties = {"physics:breakForce"},
         .value      = at<&Model::joint_break_force>});
    add({.kind       = K::joint,
         .field      = "break_torque",
         .array      = "joint_break_torque",
         .linear     = torque,
         .angular    = torque,
         .keys       = {},
         .properties = {"physics:breakTorque"},
         .value      = at<&Model::joint_break_torque>});
    add({.kind       = K::joint,
         .field      = "cone_limit",
         .array      = "joint_cone_limit",
         .linear     = angle,
         .angular    = angle,
         .keys       = {},
         .properties = {"physics:coneAngle0Limit", "physics:coneAngle1Limit"},
         .value      = [](const Model& m, std::size_t i, std::size_t) {
             return fmt::format("({}, {})", text(m.joint_cone_limit[i][0]), text(m.joint_cone_limit[i][1]));
         }});
    add({.kind       = K::joint,
         .field      = "mimic",
         .array      = "joint_mimic_coeffs",
         .linear     = none,
         .angular    = none,
         .keys       = {},
         .properties = {"ext_physics:mimic:joint", "ext_physics:mimic:offset", "ext_physics:mimic:multiplier",
                        "ext_physics:mimic:enabled", "newton:mimicJoint", "newton:mimicCoef0", "newton:mimicCoef1",
                        "newton:mimicEnabled", "mimic:joint", "mimic:offset", "mimic:multiplier"},
         .value      = [](const Model& m, std::size_t i, std::size_t) {
             const std::int32_t leader = m.joint_mimic_joint[i];
             if (leader < 0) return std::string("none");
             return fmt::format("{} + {} q of <{}>", text(m.joint_mimic_coeffs[i][0]), text(m.joint_mimic_coeffs[i][1]),
                                m.joint_label[static_cast<std::size_t>(leader)]);
         }});
}

void add_degree_of_freedom(std::vector<FieldRow>& rows)
{
    using enum Dimension;
    using K        = EntityKind;
    const auto add = [&](FieldRow row) { rows.push_back(std::move(row)); };
    const auto dof = [&](std::string_view field, std::string_view array, Dimension linear, Dimension angular,
                         std::vector<Key> keys, std::vector<std::string_view> properties, auto value) {
        add({.kind       = K::dof,
             .field      = field,
             .array      = array,
             .linear     = linear,
             .angular    = angular,
             .keys       = std::move(keys),
             .properties = std::move(properties),
             .value      = value});
    };
    add({.kind       = K::dof,
         .field      = "axis",
         .array      = "joint_axis",
         .linear     = none,
         .angular    = none,
         .keys       = {},
         .properties = {"physics:axis"},
         .value      = at_dof<&Model::joint_axis>});
    dof("limit_lower", "joint_limit_lower", length, angle, {},
        {"physics:lowerLimit", "limit:{}:physics:low", "physics:minDistance"}, limit_at<&Model::joint_limit_lower>);
    dof("limit_upper", "joint_limit_upper", length, angle, {},
        {"physics:upperLimit", "limit:{}:physics:high", "physics:maxDistance"}, limit_at<&Model::joint_limit_upper>);
    dof("limit_stiffness", "joint_limit_ke", linear_stiffness, angular_stiffness,
        {Key::joint_limit_ke, Key::joint_limit_linear_ke, Key::joint_limit_angular_ke, Key::joint_limit_trans_x_ke,
         Key::joint_limit_trans_y_ke, Key::joint_limit_trans_z_ke, Key::joint_limit_rot_x_ke, Key::joint_limit_rot_y_ke,
         Key::joint_limit_rot_z_ke},
        {}, at_dof<&Model::joint_limit_ke>);
    dof("limit_damping", "joint_limit_kd", linear_damping, angular_damping,
        {Key::joint_limit_kd, Key::joint_limit_linear_kd, Key::joint_limit_angular_kd, Key::joint_limit_trans_x_kd,
         Key::joint_limit_trans_y_kd, Key::joint_limit_trans_z_kd, Key::joint_limit_rot_x_kd, Key::joint_limit_rot_y_kd,
         Key::joint_limit_rot_z_kd},
        {}, at_dof<&Model::joint_limit_kd>);
    dof("drive_stiffness", "joint_target_ke", linear_stiffness, angular_stiffness, {},
        {"drive:{drive}:physics:stiffness", "drive:{drive}:physics:type"}, at_dof<&Model::joint_target_ke>);
    dof("drive_damping", "joint_target_kd", linear_damping, angular_damping, {},
        {"drive:{drive}:physics:damping", "drive:{drive}:physics:type"}, at_dof<&Model::joint_target_kd>);
    dof("target_qd", "joint_target_qd", length, angle, {}, {"drive:{drive}:physics:targetVelocity"},
        at_dof<&Model::joint_target_qd>);
    add({.kind       = K::dof,
         .field      = "target_q",
         .array      = "joint_target_q",
         .linear     = length,
         .angular    = angle,
         .keys       = {},
         .properties = {"drive:{drive}:physics:targetPosition"},
         .value      = at_coordinate<&Model::joint_target_q>});
    dof("effort_limit", "joint_effort_limit", force, torque, {Key::joint_effort_limit},
        {"drive:{drive}:physics:maxForce"}, at_dof<&Model::joint_effort_limit>);
    dof("velocity_limit", "joint_velocity_limit", length, angle, {Key::joint_velocity_limit}, {},
        at_dof<&Model::joint_velocity_limit>);
    dof("armature", "joint_armature", mass, inertia, {Key::joint_armature}, {}, at_dof<&Model::joint_armature>);
    dof("friction", "joint_friction", force, torque, {Key::joint_friction}, {}, at_dof<&Model::joint_friction>);
    dof("damping", "joint_damping", linear_damping, angular_damping, {Key::joint_damping, Key::joint_damping_per_rad},
        {}, at_dof<&Model::joint_damping>);
    dof("stiffness", "joint_stiffness", linear_stiffness, angular_stiffness, {Key::joint_stiffness}, {},
        at_dof<&Model::joint_stiffness>);
    add({.kind       = K::dof,
         .field      = "rest_q",
         .array      = "joint_rest_q",
         .linear     = length,
         .angular    = angle,
         .keys       = {Key::joint_springref, Key::joint_ref},
         .properties = {},
         .value      = at_coordinate<&Model::joint_rest_q>});
    add({.kind       = K::dof,
         .field      = "q",
         .array      = "joint_q",
         .linear     = length,
         .angular    = angle,
         .keys       = {Key::joint_linear_position, Key::joint_angular_position, Key::joint_rot_x_position,
                        Key::joint_rot_y_position, Key::joint_rot_z_position},
         .properties = {},
         .value      = at_coordinate<&Model::joint_q>});
    dof("qd", "joint_qd", length, angle,
        {Key::joint_linear_velocity, Key::joint_angular_velocity, Key::joint_rot_x_velocity, Key::joint_rot_y_velocity,
         Key::joint_rot_z_velocity},
        {}, at_dof<&Model::joint_qd>);
}

void add_shape(std::vector<FieldRow>& rows)
{
    using enum Dimension;
    using K          = EntityKind;
    const auto add   = [&](FieldRow row) { rows.push_back(std::move(row)); };
    const auto shape = [&](std::string_view field, std::string_view array, Dimension unit, std::vector<Key> keys,
                           std::vector<std::string_view> properties, bool on_material, auto value) {
        add({.kind        = K::shape,
             .field       = field,
             .array       = array,
             .linear      = unit,
             .angular     = unit,
             .keys        = std::move(keys),
             .properties  = std::move(properties),
             .on_material = on_material,
             .value       = value});
    };
    shape("margin", "shape_margin", length, {Key::shape_margin}, {}, false, at<&Model::shape_margin>);
    shape("gap", "shape_gap", length, {Key::shape_gap}, {}, false, at<&Model::shape_gap>);
    shape("ke", "shape_material_ke", linear_stiffness, {Key::shape_ke, Key::material_ke}, {}, true,
          at<&Model::shape_material_ke>);
    shape("kd", "shape_material_kd", linear_damping, {Key::shape_kd, Key::material_kd}, {}, true,
          at<&Model::shape_material_kd>);
    shape("kf", "shape_material_kf", linear_damping, {Key::shape_kf, Key::material_kf}, {}, true,
          at<&Model::shape_material_kf>);
    shape("ka", "shape_material_ka", length, {Key::shape_ka, Key::material_ka}, {}, true,
          at<&Model::shape_material_ka>);
    shape("mu", "shape_material_mu", none, {}, {"physics:dynamicFriction"}, true, at<&Model::shape_material_mu>);
    shape("mu_static", "shape_material_mu_static", none, {}, {"physics:staticFriction"}, true,
          at<&Model::shape_material_mu_static>);
    shape("restitution", "shape_material_restitution", none, {}, {"physics:restitution"}, true,
          at<&Model::shape_material_restitution>);
    shape("mu_torsional", "shape_material_mu_torsional", length, {Key::material_mu_torsional}, {}, true,
          at<&Model::shape_material_mu_torsional>);
    shape("mu_rolling", "shape_material_mu_rolling", length, {Key::material_mu_rolling}, {}, true,
          at<&Model::shape_material_mu_rolling>);
    shape("friction_combine", "shape_friction_combine", none, {Key::material_friction_combine}, {}, true,
          [](const Model& m, std::size_t i, std::size_t) { return combine_name(m.shape_friction_combine[i]); });
    shape("restitution_combine", "shape_restitution_combine", none, {Key::material_restitution_combine}, {}, true,
          [](const Model& m, std::size_t i, std::size_t) { return combine_name(m.shape_restitution_combine[i]); });
    shape("kh", "shape_material_kh", volume_stiffness, {Key::shape_kh}, {}, false, at<&Model::shape_material_kh>);
    shape("collision_group", "shape_collision_group", none, {Key::shape_collision_group}, {}, false,
          [](const Model& m, std::size_t i, std::size_t) { return std::to_string(m.shape_collision_group[i]); });
    shape("type", "shape_type", none, {Key::shape_max_hull_vertices}, {"physics:approximation"}, false,
          [](const Model& m, std::size_t i, std::size_t) { return std::string(model::to_string(m.shape_type[i])); });
    shape("collides", "shape_flags", none, {}, {"physics:collisionEnabled"}, false,
          [](const Model& m, std::size_t i, std::size_t) {
              return flag((m.shape_flags[i] & model::shape_flag::collide_shapes) != 0);
          });
    shape("hydroelastic", "shape_flags", none, {Key::shape_hydroelastic_enabled}, {}, false,
          [](const Model& m, std::size_t i, std::size_t) {
              return flag((m.shape_flags[i] & model::shape_flag::hydroelastic) != 0);
          });
    shape("is_solid", "shape_is_solid", none, {Key::shape_mass_model, Key::shape_shell_thickness}, {}, false,
          [](const Model& m, std::size_t i, std::size_t) { return flag(m.shape_is_solid[i] != 0); });
}

std::vector<FieldRow> make_fields()
{
    std::vector<FieldRow> rows;
    add_body(rows);
    add_joint(rows);
    add_degree_of_freedom(rows);
    add_shape(rows);
    add_look_and_place(rows);
    add_distance_field(rows);
    add_scene_and_articulation(rows);
    return rows;
}

}  // namespace

const std::vector<FieldRow>& explain_fields()
{
    static const std::vector<FieldRow> rows = make_fields();
    return rows;
}

}  // namespace mechane::importer
