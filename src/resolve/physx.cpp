// The table of PhysX's attributes, for joints, shapes, materials, bodies and scenes.
// Fallbacks are those of its schema; where that says -inf, PhysX chooses by itself, and the row leaves the choice to
// the importer.

#include <algorithm>

#include "converters.h"
#include "mechane/resolve/resolvers.h"
#include "rows.h"

namespace mechane::resolve {

namespace {

// The limit of the decomposition counts where the mesh asks for one and the API is applied.
std::optional<Value> hull_vertices(const Inputs& in)
{
    static const usd::Token kApproximation("physics:approximation"), kApi("PhysxConvexDecompositionCollisionAPI");
    const auto              applied = in.prim.authored_apis();
    const bool              decomposes =
        in.prim.attribute(kApproximation).authored_as<std::string>().value_or("") == "convexDecomposition" &&
        std::find(applied.begin(), applied.end(), kApi) != applied.end();
    const auto value = convert::number(in, decomposes ? 1 : 0);
    return value ? std::optional<Value>(*value) : std::nullopt;
}

// contactOffset is measured from the shape, a gap from the margin; -inf means "engine default", hence unset.
std::optional<Value> offset_difference(const Inputs& in)
{
    const auto contact = convert::number(in, 0), rest = convert::number(in, 1);
    if (!contact || !rest || !(*contact > -kInfinity) || !(*rest > -kInfinity)) return std::nullopt;
    return *contact - *rest;
}

}  // namespace

Resolver SchemaResolverPhysx(const Rules& rules)
{
    Resolver r{
        .name       = "physx",
        .namespaces = {"physxScene", "physxRigidBody", "physxCollision", "physxConvexHullCollision",
                       "physxConvexDecompositionCollision", "physxTriangleMeshCollision",
                       "physxTriangleMeshSimplificationCollision", "physxSDFMeshCollision", "physxMaterial",
                       "physxJoint", "physxLimit", "physxArticulation", "state", "drive", "omniphysics",
                       "physxDeformableBody"},
        .rows       = {
            row(Key::scene_max_solver_iterations, "physxScene:maxVelocityIterationCount", Unit::si, 255.0),
            row(Key::scene_time_steps_per_second, "physxScene:timeStepsPerSecond", Unit::si, 60.0),
            row(Key::scene_gravity_enabled, "physxRigidBody:disableGravity", Unit::si, false, convert::negated),

            row(Key::joint_armature, "physxJoint:armature", Unit::mass_or_inertia, 0.0, convert::same,
                "no bundled schema has it; a joint without one has no rotor"),
            row(Key::joint_velocity_limit, "physxJoint:maxJointVelocity", Unit::position_deg),

            {.key        = Key::shape_max_hull_vertices,
             .attributes = {"physxConvexHullCollision:hullVertexLimit",
                            "physxConvexDecompositionCollision:hullVertexLimit"},
             .unit       = Unit::si,
             .convert    = hull_vertices,
             .fallback   = 64.0},
            row(Key::shape_convex_decomposition_max_hulls, "physxConvexDecompositionCollision:maxConvexHulls", Unit::si,
                32.0),
            row(Key::shape_margin, "physxCollision:restOffset", Unit::length, 0.0, convert::unless_minus_infinity,
                "-inf there lets the engine choose; here the surface lies where it is authored"),
            {.key        = Key::shape_gap,
             .attributes = {"physxCollision:contactOffset", "physxCollision:restOffset"},
             .unit       = Unit::length,
             .convert    = offset_difference},

            row(Key::body_linear_damping, "physxRigidBody:linearDamping", Unit::si, 0.0),
            row(Key::body_angular_damping, "physxRigidBody:angularDamping", Unit::si, 0.05),
            row(Key::material_ke, "physxMaterial:compliantContactStiffness", Unit::contact_stiffness),
            row(Key::material_kd, "physxMaterial:compliantContactDamping", Unit::contact_damping),
            row(Key::material_friction_combine, "physxMaterial:frictionCombineMode", Unit::si, std::string("average")),
            row(Key::material_restitution_combine, "physxMaterial:restitutionCombineMode", Unit::si,
                std::string("average")),
            row(Key::articulation_self_collision_enabled, "physxArticulation:enabledSelfCollisions", Unit::si, true,
                convert::as_flag),
        }};
    struct PerDof {
        std::string_view name;
        Key              ke, kd;
    };
    constexpr PerDof kLimits[] = {
        {"linear", Key::joint_limit_linear_ke, Key::joint_limit_linear_kd},
        {"angular", Key::joint_limit_angular_ke, Key::joint_limit_angular_kd},
        {"transX", Key::joint_limit_trans_x_ke, Key::joint_limit_trans_x_kd},
        {"transY", Key::joint_limit_trans_y_ke, Key::joint_limit_trans_y_kd},
        {"transZ", Key::joint_limit_trans_z_ke, Key::joint_limit_trans_z_kd},
        {"rotX", Key::joint_limit_rot_x_ke, Key::joint_limit_rot_x_kd},
        {"rotY", Key::joint_limit_rot_y_ke, Key::joint_limit_rot_y_kd},
        {"rotZ", Key::joint_limit_rot_z_ke, Key::joint_limit_rot_z_kd},
    };
    for (const PerDof& dof : kLimits) {
        r.rows.push_back(row(dof.ke, "physxLimit:" + std::string(dof.name) + ":stiffness", Unit::stiffness_deg, 0.0));
        r.rows.push_back(row(dof.kd, "physxLimit:" + std::string(dof.name) + ":damping", Unit::damping_deg, 0.0));
    }
    struct State {
        std::string_view name;
        Key              position, velocity;
    };
    constexpr State kStates[] = {
        {"linear", Key::joint_linear_position, Key::joint_linear_velocity},
        {"angular", Key::joint_angular_position, Key::joint_angular_velocity},
        {"rotX", Key::joint_rot_x_position, Key::joint_rot_x_velocity},
        {"rotY", Key::joint_rot_y_position, Key::joint_rot_y_velocity},
        {"rotZ", Key::joint_rot_z_position, Key::joint_rot_z_velocity},
    };
    for (const State& dof : kStates) {
        r.rows.push_back(
            row(dof.position, "state:" + std::string(dof.name) + ":physics:position", Unit::position_deg, 0.0));
        r.rows.push_back(
            row(dof.velocity, "state:" + std::string(dof.name) + ":physics:velocity", Unit::position_deg, 0.0));
    }
    if (rules.physx_contact_offset_margin)
        r.rows.push_back(
            row(Key::shape_margin, "physxCollision:contactOffset", Unit::length, {}, convert::unless_minus_infinity));
    return r;
}

}  // namespace mechane::resolve
