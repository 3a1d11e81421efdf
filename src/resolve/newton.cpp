// The table of Newton's own attributes. A fallback of -inf means "unset": the importer's default counts then.
// Rows that say `replaced_by` are spellings of earlier revisions; they follow the row of the current one, which goes
// first.

#include "converters.h"
#include "mechane/resolve/resolvers.h"
#include "rows.h"

namespace mechane::resolve {

namespace {

Row older(Key key, std::string attribute, Unit unit, std::string replaced_by)
{
    return {.key         = key,
            .attributes  = {std::move(attribute)},
            .unit        = unit,
            .convert     = convert::same,
            .replaced_by = std::move(replaced_by)};
}
Row nonschema(Key key, std::string attribute, Unit unit)
{
    return {.key        = key,
            .attributes = {std::move(attribute)},
            .unit       = unit,
            .convert    = convert::same,
            .fallback   = 0.0,
            .nonschema  = true};
}
Row flag(Key key, std::string attribute, std::optional<Value> fallback = {})
{
    return {.key        = key,
            .attributes = {std::move(attribute)},
            .unit       = Unit::si,
            .convert    = convert::as_flag,
            .fallback   = std::move(fallback)};
}

}  // namespace

Resolver SchemaResolverNewton(const Rules& rules)
{
    const double inf = kInfinity;
    Resolver     r{
        .name       = "newton",
        .namespaces = {},
        .rows       = {
            // key                          attribute                             unit                   schema fallback
            row(Key::scene_max_solver_iterations, "newton:maxSolverIterations", Unit::si, -1.0),
            row(Key::scene_time_steps_per_second, "newton:timeStepsPerSecond", Unit::si, 1000.0),
            flag(Key::scene_gravity_enabled, "newton:gravityEnabled", true),

            row(Key::joint_armature, "newton:armature", Unit::mass_or_inertia, 0.0),
            row(Key::joint_damping, "newton:damping", Unit::damping_deg),
            row(Key::joint_friction, "newton:friction", Unit::force_or_torque, 0.0),
            row(Key::joint_velocity_limit, "newton:velocityLimit", Unit::position_deg, inf),
            row(Key::joint_limit_ke, "newton:limitStiffness", Unit::stiffness_deg),
            row(Key::joint_limit_kd, "newton:limitDamping", Unit::damping_deg),

            row(Key::shape_max_hull_vertices, "newton:maxHullVertices", Unit::si, -1.0),
            row(Key::shape_margin, "newton:contactMargin", Unit::length, 0.0),
            older(Key::shape_margin, "newton:margin", Unit::length, "newton:contactMargin"),
            row(Key::shape_gap, "newton:contactGap", Unit::length, -inf),
            older(Key::shape_ke, "newton:contact_ke", Unit::contact_stiffness,
                  "newton:contactStiffness on the material"),
            older(Key::shape_kd, "newton:contact_kd", Unit::contact_damping, "newton:contactDamping on the material"),
            older(Key::shape_kf, "newton:contact_kf", Unit::contact_damping,
                  "newton:contactFrictionGain on the material"),
            older(Key::shape_ka, "newton:contact_ka", Unit::length, "newton:contactAdhesion on the material"),
            row(Key::shape_collision_group, "newton:collision_group", Unit::si),
            row(Key::shape_world, "newton:world", Unit::si),
            row(Key::shape_sdf_max_resolution, "newton:sdfMaxResolution", Unit::si, -inf),
            row(Key::shape_sdf_target_voxel_size, "newton:sdfTargetVoxelSize", Unit::length, -inf),
            row(Key::shape_sdf_narrow_band_inner, "newton:sdfNarrowBandInner", Unit::length, -inf),
            row(Key::shape_sdf_narrow_band_outer, "newton:sdfNarrowBandOuter", Unit::length, -inf),
            row(Key::shape_sdf_texture_format, "newton:sdfTextureFormat", Unit::si),
            row(Key::shape_sdf_padding, "newton:sdfPadding", Unit::length, -inf),
            flag(Key::shape_hydroelastic_enabled, "newton:hydroelasticEnabled"),
            row(Key::shape_kh, "newton:hydroelasticStiffness", Unit::volume_stiffness, -inf),
            row(Key::shape_mass_model, "newton:massModel", Unit::si, std::string("solid")),
            row(Key::shape_shell_thickness, "newton:shellThickness", Unit::length, -inf),

            flag(Key::articulation_self_collision_enabled, "newton:selfCollisionEnabled", true),

            row(Key::material_mu_torsional, "newton:torsionalFriction", Unit::length, 0.005),
            row(Key::material_mu_rolling, "newton:rollingFriction", Unit::length, 0.0001),
            row(Key::material_ke, "newton:contactStiffness", Unit::contact_stiffness),
            row(Key::material_kd, "newton:contactDamping", Unit::contact_damping),
            row(Key::material_kf, "newton:contactFrictionGain", Unit::contact_damping),
            row(Key::material_ka, "newton:contactAdhesion", Unit::length),
        }};

    struct PerDof {
        std::string_view name;
        Key              ke, kd, position, velocity;
    };
    constexpr PerDof kPerDof[] = {
        {"linear", Key::joint_limit_linear_ke, Key::joint_limit_linear_kd, Key::joint_linear_position,
         Key::joint_linear_velocity},
        {"angular", Key::joint_limit_angular_ke, Key::joint_limit_angular_kd, Key::joint_angular_position,
         Key::joint_angular_velocity},
        {"rotX", Key::joint_limit_rot_x_ke, Key::joint_limit_rot_x_kd, Key::joint_rot_x_position,
         Key::joint_rot_x_velocity},
        {"rotY", Key::joint_limit_rot_y_ke, Key::joint_limit_rot_y_kd, Key::joint_rot_y_position,
         Key::joint_rot_y_velocity},
        {"rotZ", Key::joint_limit_rot_z_ke, Key::joint_limit_rot_z_kd, Key::joint_rot_z_position,
         Key::joint_rot_z_velocity},
    };
    // Per-axis spellings of an older revision; the schema has one stiffness for all axes of a joint.
    for (const PerDof& dof : kPerDof) {
        const std::string prefix = "newton:" + std::string(dof.name) + ":";
        r.rows.push_back(older(dof.ke, prefix + "limitStiffness", Unit::stiffness_deg, "newton:limitStiffness"));
        r.rows.push_back(older(dof.kd, prefix + "limitDamping", Unit::damping_deg, "newton:limitDamping"));
        r.rows.push_back(nonschema(dof.position, prefix + "position", Unit::position_deg));
        r.rows.push_back(nonschema(dof.velocity, prefix + "velocity", Unit::position_deg));
    }
    if (rules.hull_vertex_limit_name)
        r.rows.push_back(
            older(Key::shape_max_hull_vertices, "newton:hullVertexLimit", Unit::si, "newton:maxHullVertices"));
    return r;
}

}  // namespace mechane::resolve
