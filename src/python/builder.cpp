// Python's `Builder`: verbs that add bodies, joints, shapes and particles to a model::ModelBuilder one at a time.
// The facade (python/mechane/model/builder.py) calls them with arguments that it has checked and named as Newton
// names them; this file turns Python objects into the builder's structs. Only what could make C++ read out of bounds
// is checked again here: indices of bodies, numbers of axes.
// Units are SI. Poses are seven numbers x y z qx qy qz qw, rotations have the scalar last.
// Settings come as objects with attributes (ShapeConfig, JointDofConfig), never as keyword arguments: a setting that is
// added to the facade's class and forgotten here fails nothing, so both lists must be edited together.

#include "mechane/model/builder.h"
#include "mechane/model/custom_rows.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "mechane/model/collapse.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/model.h"
#include "python/arrays.h"
#include "python/enums.h"
#include "python/errors.h"
#include "python/joint_config.h"
#include "python/module.h"
#include "python/values.h"

namespace mechane::python {

namespace {

using model::BuilderJoint;
using model::BuilderShape;
using model::JointDofConfig;
using model::ModelBuilder;
using model::ShapeConfig;

template <class T>
void take(nb::handle config, const char* name, T& value)
{ from_python(config.attr(name), value); }

constexpr std::array<const char*, 3> kSdfFormats{"uint8", "uint16", "float32"};

/// How the field of distances of a shape is to be built, of the same object.
model::SdfConfig sdf_config(nb::handle from)
{
    model::SdfConfig c;
    take(from, "force_sdf", c.force_sdf);
    c.sdf_max_resolution    = nb::cast<std::optional<int>>(from.attr("sdf_max_resolution"));
    c.sdf_target_voxel_size = nb::cast<std::optional<double>>(from.attr("sdf_target_voxel_size"));
    c.sdf_padding           = nb::cast<std::optional<double>>(from.attr("sdf_padding"));
    std::tie(c.sdf_narrow_band_inner, c.sdf_narrow_band_outer) =
        nb::cast<std::pair<double, double>>(from.attr("sdf_narrow_band_range"));
    const auto format = nb::cast<std::string>(from.attr("sdf_texture_format"));
    const auto known  = std::ranges::find(kSdfFormats, format);
    if (known == kSdfFormats.end()) throw nb::value_error("sdf_texture_format: expected uint8, uint16 or float32");
    c.sdf_texture_format = static_cast<model::SdfFormat>(known - kSdfFormats.begin());
    return c;
}

/// Under the same names.
nb::dict settings_of(const model::SdfConfig& c)
{
    nb::dict out;
    out["force_sdf"]             = c.force_sdf;
    out["sdf_max_resolution"]    = nb::cast(c.sdf_max_resolution);
    out["sdf_target_voxel_size"] = nb::cast(c.sdf_target_voxel_size);
    out["sdf_padding"]           = nb::cast(c.sdf_padding);
    out["sdf_narrow_band_range"] = nb::make_tuple(c.sdf_narrow_band_inner, c.sdf_narrow_band_outer);
    out["sdf_texture_format"]    = kSdfFormats[static_cast<std::size_t>(c.sdf_texture_format)];
    return out;
}

/// From an object with the fields of `mechane.ModelBuilder.ShapeConfig`.
ShapeConfig shape_config(nb::handle from)
{
    // Every attribute must be there: `take` raises AttributeError for a missing one, which finds a facade that is older
    // than the compiled part.
    ShapeConfig c;
    take(from, "density", c.density);
    take(from, "ke", c.ke);
    take(from, "kd", c.kd);
    take(from, "kf", c.kf);
    take(from, "ka", c.ka);
    take(from, "kh", c.kh);
    take(from, "mu", c.mu);
    take(from, "mu_static", c.mu_static);
    take(from, "restitution", c.restitution);
    take(from, "mu_torsional", c.mu_torsional);
    take(from, "mu_rolling", c.mu_rolling);
    take(from, "margin", c.margin);
    take(from, "gap", c.gap);
    take(from, "is_solid", c.is_solid);
    take(from, "shell_thickness", c.shell_thickness);
    take(from, "surface_velocity", c.surface_velocity);
    take(from, "surface_in_world", c.surface_in_world);
    take(from, "collision_group", c.collision_group);
    take(from, "collision_filter_parent", c.collision_filter_parent);
    take(from, "has_shape_collision", c.has_shape_collision);
    take(from, "has_particle_collision", c.has_particle_collision);
    take(from, "is_visible", c.is_visible);
    take(from, "is_site", c.is_site);
    take(from, "is_hydroelastic", c.is_hydroelastic);
    // A config that equals the defaults is no wish for a field: the optional stays empty, as for a shape that never
    // named one.
    if (const model::SdfConfig sdf = sdf_config(from); !(sdf == model::SdfConfig{})) c.sdf = sdf;
    return c;
}

/// From an object with the fields of `mechane.ModelBuilder.JointDofConfig`.
JointDofConfig dof_config(nb::handle from)
{
    JointDofConfig c;
    take(from, "axis", c.axis);
    take(from, "limit_lower", c.limit_lower);
    take(from, "limit_upper", c.limit_upper);
    take(from, "limit_ke", c.limit_ke);
    take(from, "limit_kd", c.limit_kd);
    if (nb::hasattr(from, "limit_authored")) take(from, "limit_authored", c.limit_authored);
    take(from, "target_q", c.target_q);
    take(from, "target_qd", c.target_qd);
    take(from, "target_ke", c.target_ke);
    take(from, "target_kd", c.target_kd);
    take(from, "damping", c.damping);
    take(from, "stiffness", c.stiffness);
    take(from, "rest_q", c.rest_q);
    take(from, "armature", c.armature);
    take(from, "friction", c.friction);
    take(from, "effort_limit", c.effort_limit);
    take(from, "velocity_limit", c.velocity_limit);
    // None means that the mode follows from the gains, as model::target_mode derives it.
    if (const nb::object mode = from.attr("actuator_mode"); !mode.is_none())
        c.actuator_mode = enum_from<model::TargetMode>(mode);
    return c;
}

/// Negative indices of Python (from the end) are not meant here: -1 is the world.
std::int32_t checked(const char* argument, std::int32_t index, std::size_t count, std::int32_t lowest)
{
    if (index >= lowest && index < static_cast<std::int32_t>(count)) return index;
    throw nb::index_error(
        (std::string(argument) + " " + std::to_string(index) + " is out of range: there are " + std::to_string(count))
            .c_str());
}

std::int32_t add_joint(ModelBuilder& b, std::int32_t type, std::int32_t parent, std::int32_t child,
                       const Numbers7& parent_xform, const Numbers7& child_xform, nb::handle linear_axes,
                       nb::handle angular_axes, std::string label, bool collision_filter_parent, bool enabled)
{
    BuilderJoint joint            = joint_of(type, linear_axes, angular_axes);
    joint.label                   = std::move(label);
    joint.parent                  = checked("parent", parent, b.bodies.size(), -1);
    joint.child                   = checked("child", child, b.bodies.size(), -1);
    joint.parent_xform            = pose(parent_xform);
    joint.child_xform             = pose(child_xform);
    joint.collision_filter_parent = collision_filter_parent;
    joint.enabled                 = enabled;
    return b.add_joint(std::move(joint));
}

std::int32_t add_shape(ModelBuilder& b, std::int32_t body, std::int32_t type, const Numbers7& xform,
                       const Numbers3& scale, nb::handle config, std::shared_ptr<geometry::Mesh> source,
                       std::optional<Numbers3> color, double opacity, std::string label)
{
    BuilderShape shape;
    shape.label   = std::move(label);
    shape.type    = enum_from<model::GeoType>(type);
    shape.body    = checked("body", body, b.bodies.size(), -1);
    shape.xform   = pose(xform);
    shape.scale   = vec3(scale);
    shape.source  = std::move(source);
    shape.config  = shape_config(config);
    shape.opacity = opacity;
    if (color) shape.color = vec3(*color);
    return b.add_shape(std::move(shape));
}

/// @param q, qd  positions and velocities [n, 3]; mass, radius and flags have n entries
std::int32_t add_particles(ModelBuilder& b, const DoublesIn& q, const DoublesIn& qd, const DoublesIn& mass,
                           const DoublesIn& radius, const IntsIn& flags)
{
    // The facade has made all arrays of n rows; their sizes are not looked at again.
    const std::size_t                   n = mass.size();
    std::vector<model::BuilderParticle> added(n);
    const auto                          row = [](const double* v) { return Vec3d{v[0], v[1], v[2]}; };
    for (std::size_t i = 0; i < n; ++i)
        added[i] = {.q      = row(q.data() + 3 * i),
                    .qd     = row(qd.data() + 3 * i),
                    .mass   = mass.data()[i],
                    .radius = radius.data()[i],
                    .flags  = flags.data()[i]};
    return b.add_particles(added);
}

/// @param rules  of inertias, by their names in model::InertiaRules
// A rule that the facade does not name raises KeyError.
model::FinalizeOptions finalize_options(bool allow_orphans, const nb::dict& rules)
{
    model::FinalizeOptions out;
    out.allow_orphan_joints = allow_orphans;
    model::InertiaRules& r  = out.inertia;
    const auto           of = [&](const char* name) { return rules[name]; };
    r.balance               = nb::cast<bool>(of("balance"));
    r.bound_mass            = nb::cast<std::optional<double>>(of("bound_mass"));
    r.bound_inertia         = nb::cast<std::optional<double>>(of("bound_inertia"));
    r.relative_tolerance    = nb::cast<double>(of("relative_tolerance"));
    r.absolute_tolerance    = nb::cast<double>(of("absolute_tolerance"));
    r.correction            = nb::cast<double>(of("correction"));
    r.one_by_one            = nb::cast<bool>(of("one_by_one"));
    return out;
}

// By old index: of a merged body the one that it became part of (-1: the world), of a joint -1 where it is gone.
nb::dict collapse(ModelBuilder& b, const std::vector<std::string>& keep)
{
    Diagnostics                 found;
    const model::CollapseResult done = model::collapse_fixed_joints(b, {.joints = keep, .bodies = {}}, found);
    nb::dict                    out;
    out["body_remap"]  = nb::cast(done.body_remap);
    out["joint_remap"] = nb::cast(done.joint_remap);
    nb::dict parents, poses;
    for (const auto& [body, parent] : done.body_merged_parent) parents[nb::int_(body)] = nb::int_(parent);
    for (const auto& [body, X] : done.body_merged_transform) poses[nb::int_(body)] = to_python(X);
    out["body_merged_parent"]    = parents;
    out["body_merged_transform"] = poses;
    out["diagnostics"]           = to_python(found);
    return out;
}

/// What stages declared, handed over to the facade, which keeps all attributes itself.
/// @param keep_rows  rows of MuJoCo's stay, because the facade has declared none of its own
nb::list take_custom(ModelBuilder& b, bool keep_rows)
{
    nb::list out;
    // Values are moved out of the builder: one place keeps them, so that a program that changes an attribute in Python
    // does not meet a second copy at finalize.
    for (const model::CustomAttribute& a : b.custom_attributes) {
        if (model::is_rows(a.frequency)) continue;
        const auto number = [&](const model::CustomValue& v) {
            nb::list   parts;
            const auto n = static_cast<std::size_t>(model::component_count(a.type));
            for (std::size_t i = 0; i < n; ++i) parts.append(nb::float_(v[i]));
            return n == 1 ? nb::object(nb::float_(v[0])) : nb::object(nb::tuple(parts));
        };
        nb::dict values;
        for (const auto& [index, v] : a.values) values[nb::int_(index)] = number(v);
        nb::dict row;
        row["name"]       = a.name;
        row["namespace"]  = a.space;
        row["type"]       = std::string(to_string(a.type));
        row["frequency"]  = std::string(to_string(a.frequency));
        row["assignment"] = std::string(to_string(a.assignment));
        row["default"]    = number(a.otherwise);
        row["values"]     = values;
        out.append(row);
    }
    std::erase_if(b.custom_attributes,
                  [&](const model::CustomAttribute& a) { return !keep_rows || !model::is_rows(a.frequency); });
    return out;
}

}  // namespace

std::vector<JointDofConfig> dof_configs(nb::handle list)
{
    std::vector<JointDofConfig> out;
    for (const nb::handle item : list) out.push_back(dof_config(item));
    return out;
}

BuilderJoint joint_of(std::int32_t type, nb::handle linear_axes, nb::handle angular_axes)
{
    BuilderJoint joint;
    joint.type                       = enum_from<model::JointType>(type);
    joint.linear_axes                = dof_configs(linear_axes);
    joint.angular_axes               = dof_configs(angular_axes);
    const model::JointTypeInfo& info = model::joint_type_info(joint.type);
    // Types with dofs = -1 (D6) take up to three axes of each kind; the others have the numbers of joint_type_info.
    const auto most = [&](std::int32_t of) { return static_cast<std::size_t>(info.dofs >= 0 ? of : 3); };
    if (joint.linear_axes.size() > most(info.linear_axes) || joint.angular_axes.size() > most(info.angular_axes))
        throw nb::value_error("linear_axes, angular_axes: more axes than a joint of this type has");
    return joint;
}

void bind_builder(nb::module_& m)
{
    nb::class_<ModelBuilder>(m, "Builder")
        .def(nb::init<>())
        .def("copy", [](const ModelBuilder& b) { return ModelBuilder(b); })
        .def("assign", [](ModelBuilder& b, const ModelBuilder& other) { b = other; })
        .def_rw("up_axis", &ModelBuilder::up_axis)
        .def_rw("rigid_gap", &ModelBuilder::rigid_gap)
        .def_prop_rw(
            "gravity", [](const ModelBuilder& b) { return to_python(b.gravity); },
            [](ModelBuilder& b, const Numbers3& g) { b.gravity = vec3(g); })
        .def_prop_ro("world_gravity",
                     [](const ModelBuilder& b) {
                         nb::list out;
                         for (const Vec3d& g : b.world_gravity) out.append(to_python(g));
                         return out;
                     })
        .def("set_world_gravity",
             [](ModelBuilder& b, std::int32_t world, const Numbers3& g) {
                 b.world_gravity[static_cast<std::size_t>(checked("world", world, b.world_gravity.size(), 0))] =
                     vec3(g);
             })
        .def("add_link",
             [](ModelBuilder& b, const Numbers7& q, std::string label, double mass, const Numbers3& com,
                const Numbers9& inertia, bool lock_inertia, bool is_kinematic) {
                 const std::int32_t  body  = b.add_link(pose(q), std::move(label), mass, vec3(com), mat33(inertia));
                 model::BuilderBody& entry = b.bodies.back();
                 entry.lock_inertia        = lock_inertia;
                 // Flags are either kinematic or dynamic, not both.
                 if (is_kinematic) entry.flags = model::body_flag::kinematic;
                 return body;
             })
        .def("add_joint", &add_joint, nb::arg("type"), nb::arg("parent"), nb::arg("child"), nb::arg("parent_xform"),
             nb::arg("child_xform"), nb::arg("linear_axes"), nb::arg("angular_axes"), nb::arg("label"),
             nb::arg("collision_filter_parent"), nb::arg("enabled"))
        .def("joint_dim",
             [](const ModelBuilder& b, std::int32_t joint) {
                 const BuilderJoint& j =
                     b.joints[static_cast<std::size_t>(checked("joint", joint, b.joints.size(), 0))];
                 return nb::make_tuple(j.linear_axes.size(), j.angular_axes.size());
             })
        .def("add_articulation",
             [](ModelBuilder& b, std::vector<std::int32_t> joints, std::string label) {
                 for (const std::int32_t j : joints) checked("joints", j, b.joints.size(), 0);
                 return b.add_articulation(std::move(joints), std::move(label));
             })
        // The joint belongs to the tree from both sides: its own entry and the tree's list.
        .def("extend_articulation",
             [](ModelBuilder& b, std::int32_t articulation, const std::vector<std::int32_t>& joints) {
                 auto& tree = b.articulations[static_cast<std::size_t>(
                     checked("articulation", articulation, b.articulations.size(), 0))];
                 for (const std::int32_t j : joints) {
                     b.joints[static_cast<std::size_t>(checked("joints", j, b.joints.size(), 0))].articulation =
                         articulation;
                     tree.joints.push_back(j);
                 }
             })
        .def("set_joint_mimic",
             [](ModelBuilder& b, std::int32_t joint, std::int32_t leader, double c0, double c1) {
                 BuilderJoint& j = b.joints[static_cast<std::size_t>(checked("joint", joint, b.joints.size(), 0))];
                 j.mimic_joint   = checked("reference_joint", leader, b.joints.size(), -1);
                 j.mimic_coeffs  = {c0, c1};
             })
        .def("add_shape", &add_shape, nb::arg("body"), nb::arg("type"), nb::arg("xform"), nb::arg("scale"),
             nb::arg("config"), nb::arg("source").none(), nb::arg("color").none(), nb::arg("opacity"), nb::arg("label"))
        .def("add_particles", &add_particles, nb::arg("q"), nb::arg("qd"), nb::arg("mass"), nb::arg("radius"),
             nb::arg("flags"))
        .def("shape_source",
             [](ModelBuilder& b, std::int32_t shape) {
                 return std::const_pointer_cast<geometry::Mesh>(
                     b.shapes[static_cast<std::size_t>(checked("shape", shape, b.shapes.size(), 0))].source);
             })
        .def(
            "set_shape_source",
            [](ModelBuilder& b, std::int32_t shape, std::shared_ptr<geometry::Mesh> mesh) {
                b.shapes[static_cast<std::size_t>(checked("shape", shape, b.shapes.size(), 0))].source =
                    std::move(mesh);
            },
            nb::arg("shape"), nb::arg("mesh").none())
        // The shapes of the world have no body that lists them, so they are looked for.
        .def("body_shapes",
             [](const ModelBuilder& b, std::int32_t body) {
                 if (body >= 0)
                     return b.bodies[static_cast<std::size_t>(checked("body", body, b.bodies.size(), 0))].shapes;
                 std::vector<std::int32_t> fixed;
                 for (std::size_t i = 0; i < b.shapes.size(); ++i)
                     if (b.shapes[i].body == model::kWorldBody) fixed.push_back(static_cast<std::int32_t>(i));
                 return fixed;
             })
        .def("articulation_joints",
             [](const ModelBuilder& b, std::int32_t tree) {
                 return b
                     .articulations[static_cast<std::size_t>(checked("articulation", tree, b.articulations.size(), 0))]
                     .joints;
             })
        .def("sdf_config",
             [](const ModelBuilder& b, std::size_t shape) {
                 return settings_of(b.shapes.at(shape).config.sdf.value_or(model::SdfConfig{}));
             })
        .def("copy_sdf_config", [](ModelBuilder& b, std::size_t from,
                                   std::size_t to) { b.shapes.at(to).config.sdf = b.shapes.at(from).config.sdf; })
        .def("set_defaults",
             [](ModelBuilder& b, nb::handle shape, nb::handle dof) {
                 b.default_shape = shape_config(shape);
                 b.default_dof   = dof_config(dof);
             })
        .def("take_custom", &take_custom)
        .def("add_filter_pair", [](ModelBuilder& b, std::int32_t shape_a,
                                   std::int32_t shape_b) { b.add_shape_collision_filter_pair(shape_a, shape_b); })
        .def_prop_rw(
            "filter_pairs", [](const ModelBuilder& b) { return b.shape_collision_filter_pairs; },
            [](ModelBuilder& b, std::vector<std::pair<std::int32_t, std::int32_t>> pairs) {
                b.shape_collision_filter_pairs = std::move(pairs);
            })
        .def(
            "begin_world",
            [](ModelBuilder& b, std::optional<Numbers3> gravity) {
                return gravity ? b.begin_world(vec3(*gravity)) : b.begin_world();
            },
            nb::arg("gravity").none())
        .def("end_world", &ModelBuilder::end_world)
        .def_prop_ro("current_world", &ModelBuilder::current_world)
        .def(
            "add_builder",
            [](ModelBuilder& b, const ModelBuilder& source, std::optional<Numbers7> xform, const std::string& prefix) {
                unwrap(b.add_builder(
                    source, {.xform = xform ? std::optional(pose(*xform)) : std::nullopt, .label_prefix = prefix}));
            },
            nb::arg("source"), nb::arg("xform").none(), nb::arg("prefix"))
        .def("replicate",
             [](ModelBuilder& b, const ModelBuilder& source, int count) { unwrap(b.replicate(source, count)); })
        .def("collapse_fixed_joints", &collapse)
        .def(
            "finalize",
            [](const ModelBuilder& b, bool allow_orphans, const nb::dict& inertia_rules) {
                const model::FinalizeOptions  options = finalize_options(allow_orphans, inertia_rules);
                Diagnostics                   found;
                std::shared_ptr<model::Model> built;
                {
                    const nb::gil_scoped_release released;
                    // Long work on C++ data alone: other threads of Python may run meanwhile.
                    built = std::make_shared<model::Model>(unwrap(b.finalize(options, found)));
                }
                return std::pair(built, to_python(found));
            },
            nb::arg("allow_orphans"), nb::arg("inertia_rules"));
}

}  // namespace mechane::python
