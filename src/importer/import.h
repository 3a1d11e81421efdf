#pragma once
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "articulation_plan.h"
#include "color.h"
#include "deformable/deformables.h"
#include "mechane/importer/codes.h"
#include "mechane/importer/import_usd.h"
#include "mechane/physics/parse.h"
#include "mechane/resolve/mass_rules.h"
#include "mechane/resolve/resolvers.h"
#include "mesh.h"
#include "texture_look.h"

namespace mechane::importer {

/// What a mesh collider collides as, in its shape frame without the mesh scale.
struct CollisionPart {
    model::GeoType                        type = model::GeoType::mesh;
    std::shared_ptr<const geometry::Mesh> source;  ///< mesh, convex mesh
    Posed                                 X_SP;    ///< the part in the shape frame [authored unit times mesh scale]
    Vec3d                                 scale{1, 1, 1};
};

/// One running import: what every pass reads and the maps that they fill. Passes are free functions over this record,
/// in the order of `import_usd`. Entities are named by their index in the physics model (`physics::Index`) or in the
/// builder
/// (`std::int32_t`); `*_of` arrays translate the first into the second, -1 for "not imported".
struct Import {
    Import(const usd::Stage& from, const ImportOptions& how, const physics::Conventions& rules,
           model::ModelBuilder& into, Diagnostics& out)
        : stage(from), options(how), builder(into), found(out), conventions(rules), meshes(conventions.meshes_fanned)
    {
    }

    const usd::Stage&           stage;
    const ImportOptions&        options;
    model::ModelBuilder&        builder;
    Diagnostics&                found;
    const physics::Conventions& conventions;  ///< how questions are answered on which products differ
    ImportResult                result;
    physics::PhysicsModel       physics;
    resolve::ResolverList       resolvers;
    /// By axis, "transX" to "rotZ": the resolvers where some joint says values of one axis. Empty where none does.
    std::map<std::string, resolve::ResolverList, std::less<>> axis_resolvers;
    resolve::Owners                                           owners;   ///< remembered by `collect`
    resolve::Context                                          context;  ///< units and rules of every lookup
    resolve::MassTable                                        masses;
    MeshReader                                                meshes;
    std::vector<std::regex>                                   ignore;
    std::unique_ptr<physics::ReadLog> log;          ///< what was read of the stage; null unless a ledger is asked for
    usd::Prim                         scene;        ///< the first scene, invalid when the stage has none
    Quatd                             up_rotation;  ///< stage up onto builder up
    Posed                             X_WS;         ///< stage frame (after units) in the builder's world
    double                            gains_scaling = 1;

    std::set<usd::Path> servos;  ///< MjcActuator prims whose law is in the drive of their joint
    /// Axes of joint prims that were merged: (angular, position among the joint's axes of that kind).
    std::map<physics::Index, std::pair<bool, std::size_t>> merged_axis;
    /// Of joints with several axes: their names in the order of the model's.
    std::map<physics::Index, std::vector<std::string>> axis_names;
    std::vector<std::int32_t>                          body_of, joint_of, shape_of;
    std::vector<Posed>                                 X_WB;  ///< pose of each physics body in the builder's world
    std::set<physics::Index>                           ignored_bodies;
    std::set<usd::Path> deformable;   ///< prims that belong to deformable bodies: neither colliders nor visuals
    std::set<usd::Path> unsupported;  ///< of them those that no pass reads
    DeformablePrims     deformables;
    std::set<usd::Path> deformable_materials;  ///< what imported deformables are made of
    std::set<usd::Path> deformables_seen;      ///< simulation geometries that have had their turn, imported or not
    std::map<std::string, std::int32_t>                 cable_root_joints;    ///< by attachment
    std::set<std::string>                               welding_attachments;  ///< that joined cables to one graph
    std::set<std::int32_t>                              bodies_with_visuals;
    std::map<physics::Index, std::vector<std::int32_t>> further_shapes;  ///< of colliders that became several shapes
    std::map<physics::Index, std::int32_t>              twin_shapes;     ///< of colliders that are drawn as authored
    std::vector<std::pair<physics::Index, model::BuilderShape>>
        further_parts;  ///< pieces of decomposed meshes that wait for their turn
    std::map<physics::Index, std::vector<CollisionPart>> collision_parts;  ///< of mesh colliders, by collider
    std::vector<physics::Index> approximated;  ///< colliders whose mesh something else stands in for
    std::vector<physics::Index> twins;         ///< those of them whose authored mesh is drawn beside them
    /// By shape: a surface that samples move, and the prim that says how.
    struct Surface {
        usd::Prim    prim;
        SurfaceFrame frame;
    };
    std::map<std::int32_t, Surface> surfaces;
    /// Pairs of shapes that only a joint keeps apart which an animation switches.
    std::map<physics::Index, std::vector<std::pair<std::int32_t, std::int32_t>>> filters_of_joint;
    JointPlan                                                                    plan;
    std::size_t first_joint = 0, first_articulation = 0;  ///< of this import
    /// Pictures by shader and input.
    std::map<std::pair<std::uint32_t, std::string>, std::shared_ptr<const TextureLook>> textures;
    std::map<const TextureLook*, std::shared_ptr<const Texture>> plain_textures;  ///< the same for the result
    /// What shapes look like beyond a colour (paint.h).
    struct PaintNotes {
        std::map<std::uint32_t, std::vector<std::string>>                 undrawn;  ///< by material: parts of it
        std::multimap<std::uint64_t, std::shared_ptr<const model::Paint>> known;    ///< by content
        std::map<physics::Index, std::shared_ptr<const model::Paint>>     of_twin;  ///< by collider
        std::size_t unplaced = 0;  ///< shapes that are no mesh, under a material with a picture
        std::string first_unplaced, unplaced_file;
    } paint;
    std::map<std::int32_t, bool> self_collision;                    ///< by articulation
    std::int32_t                 world = model::kGlobalWorld;       ///< of everything that is added now
    physics::Index               scope = physics::kNone;            ///< only what this scene owns; kNone: everything
    std::vector<std::int32_t>    world_of_body, world_of_collider;  ///< as newton:world says; empty: nothing is said
    std::optional<Diagnostic>    fatal;

    /// Kinematic bodies without animation stay where they are, whatever velocity they author.
    [[nodiscard]] bool kinematic_rests() const
    {
        return options.kinematic_velocity.value_or(conventions.kinematic_velocity_followed
                                                       ? KinematicVelocity::follow
                                                       : KinematicVelocity::rest) == KinematicVelocity::rest;
    }
    /// The resolvers for an axis of a joint with several.
    [[nodiscard]] const resolve::ResolverList& resolvers_of(std::string_view axis) const
    {
        const auto own = axis_resolvers.find(axis);
        return own == axis_resolvers.end() ? resolvers : own->second;
    }
    [[nodiscard]] double length() const { return context.scale.meters_per_unit; }
    [[nodiscard]] double si(double value, physics::Dimension dimension) const
    { return context.scale.to_si(value, dimension); }
    /// A pose in stage units as one in the builder's units, still in the stage's frame.
    [[nodiscard]] Posed scaled(const Posed& pose) const { return {length() * pose.p, pose.q}; }
    /// The same in the builder's world.
    [[nodiscard]] Posed placed(const Posed& pose) const { return X_WS * scaled(pose); }
    [[nodiscard]] bool  imports(physics::Index body) const;  ///< the body becomes one of the builder's
    /// Whether the scene and the world that are imported now own it.
    [[nodiscard]] bool in_turn(physics::Index owner, const std::vector<std::int32_t>& worlds, std::size_t i) const
    { return (scope == physics::kNone || owner == scope) && (worlds.empty() || worlds[i] == world); }
    [[nodiscard]] bool ignored(const std::string& path) const;
    [[nodiscard]] bool ignored(const usd::Path& path) const { return ignore.empty() ? false : ignored(path.text()); }
    /// What override_root_xform puts between the builder's world and an articulation: its root moved to the origin.
    /// Else nothing.
    [[nodiscard]] Posed root_offset(const usd::Prim& articulation) const;
    [[nodiscard]] Posed root_offset(physics::Index body) const;  ///< that of its articulation
    /// A fault of one entity: refuses the import under the strict rules, else is reported and the entity left out.
    void refuse(const Code& code, const Site& site, std::string message);

    [[nodiscard]] std::int32_t body_index(physics::Index body) const
    { return body == physics::kNone ? -1 : body_of[static_cast<std::size_t>(body)]; }
    [[nodiscard]] const physics::Body& body(physics::Index i) const
    { return physics.bodies[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const physics::Joint& joint(physics::Index i) const
    { return physics.joints[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const physics::Collider& collider(physics::Index i) const
    { return physics.colliders[static_cast<std::size_t>(i)]; }
    [[nodiscard]] int hull_vertices(const usd::Prim& prim) const;  ///< vertex budget of a convex hull
    /// Says that a pass has taken an authored property, and for what. Costs a comparison when no ledger is asked for.
    void took(const usd::Prim& prim, std::string_view property, physics::Use use = physics::Use::read,
              std::string note = {}) const
    {
        if (log != nullptr) log->note(prim, property, use, std::move(note));
    }
    /// The picture of a look, described once for each shader; null when it has none.
    std::shared_ptr<const TextureLook> texture_of(const Appearance& look);
    /// Notes the picture of a shape that a texture colours.
    void note_texture(const std::string& label, const Appearance& look);
    /// Notes the picture of a shape that is seen and has no texture coordinates.
    void note_unplaced(const std::string& label, const Appearance& look);
    /// Vendor attributes into the result, once per prim; an empty entry for a resolver that finds none, if asked for.
    void collect(const usd::Prim& prim, bool even_none = true);
};

/// Physics, resolvers and units: what the passes for shapes and masses need.
Result<void> begin_import(Import& run);

// -- passes, by file
Result<void> check_arguments(const ImportOptions& options, const model::ModelBuilder& builder);
void         read_units(Import& run);
Result<void> choose_scene(Import& run);               ///< the one that the options name, if they name one
void         read_scenes(Import& run);                ///< gravity, up axis, step rate
void         declare_custom_attributes(Import& run);  ///< of the first scene; before anything is read
void         add_newton_actuators(Import& run);
void         number_actuators(Import& run);    ///< their dofs and coordinates, once joints have their final indices
bool         merges_fixed_joints(const Import& run);
void         collapse(Import& run);            ///< fixed joints, when the options or the scene ask for it
void         read_custom_values(Import& run);  ///< of every declared attribute, once all entities are there

/// A body with its visuals and sites; its index in the builder.
std::int32_t add_body(Import& run, physics::Index body);
void         add_articulations(Import& run);  ///< those that a prim authors
void         add_remaining_bodies(Import& run);
void         add_orphan_joints(Import& run);  ///< trees and loops that no prim groups
void         add_base_joints(Import& run);    ///< for bodies that no joint holds
void         add_excluded_joints(Import& run);
void         add_equalities(Import& run);  ///< MuJoCo's connect and weld as loop joints
void         add_visuals_of_body(Import& run, physics::Index body, std::int32_t index);
void         add_static_visuals(Import& run);
/// Shapes of a collider, more than one where it was decomposed.
std::vector<std::int32_t> shapes_of_collider(const Import& run, physics::Index collider);
/// The bound material that counts: that of the first face subset that binds one, else the collider's own.
const physics::Material* material_of(const Import& run, const physics::Collider& collider);
/// Visible, and of a purpose that viewports draw.
bool is_drawn(const Import& run, const usd::Prim& prim);
void add_colliders(Import& run);
/// Belts: surfaces of colliders that move while their bodies need not.
void add_surface_velocities(Import& run);
void add_filters(Import& run);
void add_mimics(Import& run);
void add_actuators(Import& run);   ///< MuJoCo's servos as targets of their joints
void find_animation(Import& run);  ///< what a simulation follows of what the stage animates
/// Whether samples move the prim: its own transform or that of a prim above it and below `stop`.
bool moves(const usd::Prim& prim, const usd::Prim& stop = {});
/// Unit-density solid of the pieces that a mesh collider collides as, in its shape frame; nothing where the mass rules
/// know better. From many threads at once.
std::optional<geometry::MassProperties> mesh_solid(const Import& run, const physics::Collider& collider);
void settle_initial_state(Import& run);  ///< poses and velocities of bodies and joints made to agree
void finish_result(Import& run);

/// `import_usd` by other conventions than those that `ImportOptions::compat` stands for.
Result<ImportResult> import_by(const usd::Stage& stage, const ImportOptions& options,
                               const physics::Conventions& conventions, model::ModelBuilder& builder,
                               Diagnostics& found);

}  // namespace mechane::importer
