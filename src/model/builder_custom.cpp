// frequency   what an attribute has one value for: body, joint, dof, world, the whole model, ...
// row         an entry of MuJoCo's own tables (RowKind), of which the builder has no list
// references  a value that is an index of another kind, and moves when builders are appended
// Custom attributes of a builder: declarations, counts by frequency, merging when builders are appended, and arrays of
// the model. Names and rules are Newton's.
// Values are sparse (by index); the model's arrays are filled with the default elsewhere.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "finalize.h"
#include "mechane/model/builder.h"
#include "mechane/model/codes.h"
#include "mechane/model/custom_rows.h"
#include "mechane/model/joint_table.h"

namespace mechane::model {

namespace {

/// Names of the objects' own arrays, which attributes without a namespace must not take.
bool is_reserved(const CustomAttribute& a)
{
    if (!a.space.empty()) return false;
    const auto among = [&](auto... names) { return ((a.name == names) || ...); };
    switch (a.assignment) {
        case CustomAssignment::model:
            return a.name.starts_with("attachment_particle_body_") ||
                   among("body_q", "body_qd", "body_com", "body_inertia", "body_inv_inertia", "body_mass",
                         "body_inv_mass", "body_flags", "body_label", "body_scene", "body_world", "body_starts_asleep",
                         "body_shapes", "joint_type", "joint_parent", "joint_child", "joint_ancestor", "joint_X_p",
                         "joint_X_c", "joint_enabled", "joint_exclude_from_articulation", "joint_dof_dim",
                         "joint_articulation", "joint_mimic_joint", "joint_mimic_coeffs", "joint_label", "joint_world",
                         "joint_q_start", "joint_qd_start", "joint_q", "joint_qd", "joint_target_q", "joint_target_qd",
                         "joint_rest_q", "joint_f", "joint_act", "joint_axis", "joint_armature", "joint_friction",
                         "joint_damping", "joint_stiffness", "joint_target_ke", "joint_target_kd", "joint_target_mode",
                         "joint_limit_lower", "joint_limit_upper", "joint_limit_ke", "joint_limit_kd",
                         "joint_limit_authored", "joint_effort_limit", "joint_velocity_limit", "joint_drive_type",
                         "joint_break_force", "joint_break_torque", "joint_cone_limit") ||
                   among("shape_type", "shape_body", "shape_transform", "shape_scale", "shape_flags", "shape_source",
                         "shape_is_solid", "shape_sdf_config", "shape_margin", "shape_gap", "shape_material_ke",
                         "shape_material_kd", "shape_material_kf", "shape_material_ka", "shape_material_mu",
                         "shape_material_mu_static", "shape_material_restitution", "shape_material_mu_torsional",
                         "shape_material_mu_rolling", "shape_material_kh", "shape_friction_combine",
                         "shape_restitution_combine", "shape_surface_velocity", "shape_collision_group",
                         "shape_collision_radius", "shape_collision_aabb_lower", "shape_collision_aabb_upper",
                         "shape_color", "shape_opacity", "shape_label", "shape_world", "shape_collision_filter_pairs",
                         "articulation_start", "articulation_end", "articulation_label", "articulation_world",
                         "gravity", "up_axis", "world_count", "static_shapes") ||
                   among("particle_q", "particle_qd", "particle_mass", "particle_inv_mass", "particle_radius",
                         "particle_flags", "particle_world", "tri_indices", "edge_indices", "tri_poses", "tri_areas",
                         "tri_materials", "tri_activations", "tri_color", "tri_opacity", "edge_rest_angle",
                         "edge_rest_length", "edge_bending_properties", "spring_indices", "spring_rest_length",
                         "spring_stiffness", "spring_damping", "spring_control", "tet_indices", "tet_poses",
                         "tet_materials", "tet_activations", "particle_colors", "particle_color_groups");
        case CustomAssignment::state:
            return among("body_q", "body_qd", "body_f", "joint_q", "joint_qd", "time", "particle_q", "particle_qd",
                         "particle_f");
        case CustomAssignment::control:
            return among("joint_target_q", "joint_target_qd", "joint_f", "joint_act", "tri_activations",
                         "tet_activations", "body_target_q");
        case CustomAssignment::contact:
            return a.name.starts_with("rigid_contact_") || a.name.starts_with("soft_contact_") ||
                   a.name == "contact_generation";
    }
    return false;
}

/// How many rows of a kind there are: as many as any attribute of it has values for.
/// Rows of MuJoCo's own tables have no list in the builder: their number is that of their values.
std::size_t row_count(const std::vector<CustomAttribute>& attributes, RowKind kind)
{
    std::size_t n = 0;
    for (const CustomAttribute& a : attributes)
        if (is_rows(a.frequency) && row_kind(a.frequency) == kind && !a.values.empty())
            n = std::max(n, static_cast<std::size_t>(a.values.rbegin()->first / row_columns(a.frequency)) + 1);
    return n;
}

std::int32_t shifted(std::int32_t index, std::size_t offset)
{ return index < 0 ? index : index + static_cast<std::int32_t>(offset); }

}  // namespace

std::size_t ModelBuilder::custom_count(CustomFrequency frequency) const
{
    const auto over_joints = [&](const auto& size_of) {
        std::size_t sum = 0;
        for (const BuilderJoint& joint : joints) sum += static_cast<std::size_t>(size_of(joint));
        return sum;
    };
    const auto dofs = [](const BuilderJoint& j) {
        const auto& info = joint_type_info(j.type);
        return info.dofs >= 0 ? info.dofs : static_cast<std::int32_t>(j.linear_axes.size() + j.angular_axes.size());
    };
    // A row of several columns has as many values.
    if (is_rows(frequency)) {
        const RowKind kind = row_kind(frequency);
        return static_cast<std::size_t>(row_columns(frequency)) * (kind == RowKind::shape ? shapes.size()
                                                                   : kind == RowKind::joint_dof
                                                                       ? custom_count(CustomFrequency::joint_dof)
                                                                       : row_count(custom_attributes, kind));
    }
    switch (frequency) {
        case CustomFrequency::once:
            return 1;
        case CustomFrequency::world:
            return std::max<std::size_t>(world_gravity.size(), 1);
        case CustomFrequency::body:
            return bodies.size();
        case CustomFrequency::shape:
            return shapes.size();
        case CustomFrequency::joint:
            return joints.size();
        case CustomFrequency::joint_dof:
            return over_joints(dofs);
        case CustomFrequency::joint_coord:
            return over_joints([&](const BuilderJoint& j) {
                const auto& info = joint_type_info(j.type);
                return info.coords >= 0 ? info.coords : dofs(j);
            });
        // Newton counts six constraints less the dofs.
        case CustomFrequency::joint_constraint:
            return over_joints([&](const BuilderJoint& j) { return 6 - dofs(j); });
        case CustomFrequency::constraint_mimic:
            return static_cast<std::size_t>(
                std::count_if(joints.begin(), joints.end(), [](const BuilderJoint& j) { return j.mimic_joint >= 0; }));
        case CustomFrequency::articulation:
            return articulations.size();
        case CustomFrequency::particle:
            return particles.size();
        case CustomFrequency::edge:
            return edge_indices.size();
        case CustomFrequency::triangle:
            return tri_indices.size();
        case CustomFrequency::tetrahedron:
            return tets.size();
        case CustomFrequency::spring:
            return springs.size();
        // Contacts are counted while simulating.
        case CustomFrequency::contact:
            return 0;
    }
    return 0;
}

CustomAttribute* ModelBuilder::custom_attribute(std::string_view key)
{
    for (CustomAttribute& attribute : custom_attributes)
        if (attribute.key() == key) return &attribute;
    return nullptr;
}

Result<void> ModelBuilder::add_custom_attribute(CustomAttribute attribute)
{
    const Site site{.layer = {}, .prim = {}, .property = attribute.key()};
    // A colon separates namespace and name in keys.
    if (attribute.name.empty() || attribute.name.find(':') != std::string::npos)
        return make_diagnostic(kCustomReserved, site, fmt::format("'{}' is not a name", attribute.name));
    if (attribute.frequency == CustomFrequency::contact && attribute.assignment != CustomAssignment::contact)
        return make_diagnostic(kCustomContact, site,
                               fmt::format("'{}' has a value for each contact but belongs to the {}", attribute.key(),
                                           to_string(attribute.assignment)));
    if (is_reserved(attribute))
        return make_diagnostic(
            kCustomReserved, site,
            fmt::format("'{}' is an array of the {} itself", attribute.name, to_string(attribute.assignment)));
    // Normalized once here; a zero quaternion becomes the identity.
    if (attribute.type == CustomType::quat) {
        auto&        v = attribute.otherwise;
        const double n = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
        if (n > 0)
            for (double& x : v) x /= n;
        else
            v = {0, 0, 0, 1};
    }
    // The same declaration may come from several importers.
    if (const CustomAttribute* there = custom_attribute(attribute.key())) {
        if (there->same_kind(attribute)) return {};  // the first default stays
        return make_diagnostic(
            kCustomConflict, site,
            fmt::format("'{}' is declared as {} {} of the {} and as {} {} of the {}", attribute.key(),
                        to_string(there->frequency), to_string(there->type), to_string(there->assignment),
                        to_string(attribute.frequency), to_string(attribute.type), to_string(attribute.assignment)));
    }
    custom_attributes.push_back(std::move(attribute));
    return {};
}

Result<void> ModelBuilder::merge_custom(const ModelBuilder& source, const CustomOffsets& offsets, std::int32_t world)
{
    // Offsets are counted before anything is added.
    std::array<std::size_t, 8> rows{};
    for (std::size_t k = 0; k < 6; ++k) rows[k] = row_count(custom_attributes, static_cast<RowKind>(k));
    rows[static_cast<std::size_t>(RowKind::shape)]     = offsets[static_cast<std::size_t>(CustomFrequency::shape)];
    rows[static_cast<std::size_t>(RowKind::joint_dof)] = offsets[static_cast<std::size_t>(CustomFrequency::joint_dof)];
    const auto offset                                  = [&](CustomFrequency f) {
        return is_rows(f) ? rows[static_cast<std::size_t>(row_kind(f))] * static_cast<std::size_t>(row_columns(f))
                          : offsets.at(static_cast<std::size_t>(f));
    };
    for (const CustomAttribute& from : source.custom_attributes) {
        CustomAttribute declared = from;
        declared.values.clear();
        // Declared here as well, so that values have a place.
        if (auto ok = add_custom_attribute(std::move(declared)); !ok) return ok;
        CustomAttribute& to = *custom_attribute(from.key());
        for (auto [index, value] : from.values) {
            // Values that are indices move with what they name.
            if (from.references && from.type == CustomType::int32)
                value[0] = *from.references == CustomFrequency::world
                               ? world
                               : shifted(static_cast<std::int32_t>(value[0]), offset(*from.references));
            const bool of_world = from.frequency == CustomFrequency::world;
            // A value of a world belongs to the world that is open now.
            const auto target = of_world ? world : shifted(index, offset(from.frequency));
            if (from.frequency == CustomFrequency::once)
                // A value of the whole model stays that of the first builder.
                to.values.try_emplace(0, value);
            else
                to.values[target] = value;
        }
    }
    return {};
}

CustomOffsets ModelBuilder::custom_offsets() const
{
    CustomOffsets offsets{};
    for (std::size_t f = 0; f < offsets.size(); ++f) offsets[f] = custom_count(static_cast<CustomFrequency>(f));
    return offsets;
}

void fill_custom(const ModelBuilder& builder, Model& model)
{
    for (const CustomAttribute& attribute : builder.custom_attributes) {
        const CustomArray declared{attribute.key(),      attribute.type,      attribute.frequency,
                                   attribute.assignment, attribute.otherwise, {}};
        CustomArray       array = declared.filled(
            attribute.assignment == CustomAssignment::contact ? 0 : builder.custom_count(attribute.frequency));
        for (const auto& [index, value] : attribute.values)
            // Negative indices name nothing.
            if (index >= 0) array.set(static_cast<std::size_t>(index), value);
        model.custom_arrays.arrays.push_back(std::move(array));
    }
    // By key: the order of declarations reaches no file or hash.
    std::sort(model.custom_arrays.arrays.begin(), model.custom_arrays.arrays.end(),
              [](const CustomArray& a, const CustomArray& b) { return a.key < b.key; });
    // Empty copies tell types and defaults of all attributes.
    std::vector<CustomArray> declared;
    for (const CustomArray& array : model.custom_arrays.arrays) declared.push_back(array.filled(0));
    model.custom_arrays.declared = std::make_shared<const std::vector<CustomArray>>(std::move(declared));
}

}  // namespace mechane::model
