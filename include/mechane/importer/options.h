#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/math/pose.h"
#include "mechane/model/builder.h"
#include "mechane/physics/options.h"
#include "mechane/resolve/resolver.h"

namespace mechane::importer {

/// Whose rules decide where products differ. `newton_1_8` keeps stage units and reproduces that importer, refusals
/// included.
enum class Compat { mechane, newton_1_8 };

/// How questions are answered on which products differ.
inline const physics::Conventions& conventions_of(Compat compat)
{ return compat == Compat::newton_1_8 ? physics::kNewton18 : physics::kMechane; }

/// `si`: everything is converted once, here. `stage`: numbers as authored, gravity in stage units.
enum class Units { si, stage };

/// What a stage means that authors no metersPerUnit: metres, or OpenUSD's 0.01.
enum class UnauthoredUnits { one, usd };

/// Order of an articulation's joints: depth first, breadth first, or as they stand on the stage.
enum class JointOrdering { dfs, bfs, none };

/// What a PhysicsCollisionGroup does. `schema`: its table filters pairs. `newton_ids`: its number is also the shape's
/// collision group, so that colliders of different groups never meet.
enum class UsdGroupMode { schema, newton_ids };

/// What the authored velocity of a kinematic body means that no animation moves. `rest`: nothing, the body is where its
/// transform says. `follow`: it moves with that velocity until somebody writes another.
enum class KinematicVelocity { rest, follow };

/// What the items of a PointInstancer are: bodies, colliders and shapes like those of any prim, or nothing.
enum class PointInstancers { expand, ignore };

/// Everything `import_usd` can be told. Defaults are Newton's; a plain `mechane sim FILE` differs in
/// `schema_resolvers`, which is "auto" there.
struct ImportOptions {
    Compat          compat           = Compat::mechane;
    Units           units            = Units::si;  ///< `newton_1_8` behaves as `stage`
    UnauthoredUnits unauthored_units = UnauthoredUnits::one;

    std::optional<Posed> xform{};      ///< placed in front of everything imported [m]
    bool override_root_xform = false;  ///< `xform` replaces the pose of articulation roots instead of preceding it
    /// Base joint of roots: FREE, or FIXED; unset: FREE to the world, FIXED to `parent_body`.
    std::optional<bool> floating{};
    /// Any joint as base; parent, child and frames are the importer's.
    std::optional<model::BuilderJoint> base_joint{};
    /// Attach the imported roots to this body of the latest articulation.
    std::int32_t parent_body = model::kWorldBody;

    /// Bodies that are off (physics:rigidBodyEnabled): true leaves them out, false makes them static.
    bool only_load_enabled_rigid_bodies = false;
    /// Joints that are off (physics:jointEnabled): true leaves them out, false keeps them, ready to be switched on.
    bool only_load_enabled_joints = true;
    /// Joints without an authored articulation root stay outside of any tree: every body is free, and the joints are
    /// constraints between them.
    bool   keep_orphan_joints        = false;
    double joint_drive_gains_scaling = 1.0;  ///< factor of the stiffness and damping of drives, dimensionless
    /// Attributes that the caller reads itself: they are not reported as unknown.
    std::vector<std::string> known_attributes{};
    std::vector<std::string> ignore_paths{};  ///< regular expressions, matched at the start of prim paths
    bool                     enable_self_collisions = true;  ///< of articulations that author nothing about it
    bool        apply_up_axis_from_stage = false;  ///< the builder takes the stage's up axis; nothing is rotated
    std::string root_path                = "/";    ///< only this subtree
    /// Which physics scenes become simulations: "all", a world for each that is populated, or the path of one.
    std::string scene                = "all";
    bool        parse_mujoco_options = true;  ///< false: settings of MuJoCo on the scene keep their defaults
    /// Declares MuJoCo's custom attributes (mujoco_attributes.h) when the resolver "mjc" is listed. Without it they
    /// must have been declared on the builder.
    bool register_mujoco = true;
    /// How joints and, with `bodies_follow_joint_ordering`, bodies of an articulation are numbered.
    JointOrdering joint_ordering               = JointOrdering::dfs;
    bool          bodies_follow_joint_ordering = true;
    /// How collision groups and approximations are taken: `skip_mesh_approximation` has meshes collide as they are.
    UsdGroupMode usd_group_mode          = UsdGroupMode::schema;
    bool         skip_mesh_approximation = false;
    /// What is loaded beside what collides: sites as shapes without collision, geometry of bodies that is only seen,
    /// and geometry of no body. `hide_collision_shapes` draws no colliders of bodies that have such geometry;
    /// `force_show_colliders` draws them all.
    bool                  load_sites                       = true;
    bool                  load_visual_shapes               = true;
    bool                  load_static_visual_shapes        = true;
    bool                  hide_collision_shapes            = false;
    bool                  force_show_colliders             = false;
    bool                  convert_mjc_equality_constraints = true;   ///< MuJoCo's connect and weld become loop joints
    bool                  per_face_materials               = false;  ///< a shape for each subset with a material
    physics::NestedBodies nested_bodies                    = physics::NestedBodies::independent;
    physics::ResetStack   reset_stack                      = physics::ResetStack::body;
    PointInstancers       point_instancers                 = PointInstancers::expand;  ///< `newton_1_8` ignores them
    bool                  exact_shapes                     = false;  ///< round shapes with unequal scale keep it
    std::optional<double> default_friction{};  ///< of colliders without a material; unset: the builder's, 1
    /// Most vertices of a hull that stands for a mesh, unless a prim says otherwise.
    int mesh_maxhullvert = 64;
    /// By priority; empty: no vendor attribute is read. "auto" stands for newton, then physx and mjc where the stage
    /// applies one of their schemas or authors one of their attributes (`resolve::resolvers_of`).
    std::vector<std::string>       schema_resolvers{"newton"};
    std::vector<resolve::Resolver> own_resolvers{};  ///< tables of the caller that `schema_resolvers` may name
    /// Drives follow position and velocity, whatever their gains are.
    bool force_position_velocity_actuation = false;
    bool lenient_names      = false;  ///< misspelled names of documents are read as meant ("RevoluteJoint", "gravity")
    bool move_scaled_tensor = false;  ///< inertia scaled from the shapes is moved to the body's centre of mass
    /// Rules of older importers, each by its name in `legacy_rules()`.
    std::vector<std::string> legacy{};
    bool ledger    = false;  ///< keep account of every authored physics property (ImportResult::ledger)
    bool animation = true;   ///< a simulation follows animated targets and kinematic bodies
    std::optional<KinematicVelocity> kinematic_velocity{};  ///< unset: `rest`, and `follow` under `newton_1_8`
    bool legacy_margin_gap     = false;              ///< mjc:margin becomes margin minus gap also under `newton_1_8`
    bool collapse_fixed_joints = false;              ///< merge bodies that fixed joints hold together
    std::vector<std::string> joints_to_keep{};       ///< fixed joints that are not collapsed, by prim path
    bool                     allow_missing = false;  ///< import although references or payloads were not found
    int                      threads       = 0;      ///< to import with; 0: all cores. The model does not depend on it
};

/// One option as it is written in text: `--option name=value`, `add_usd(name=value)`.
/// One row of docs/importer.md.
struct OptionInfo {
    std::string_view         name;
    std::string_view         type;     ///< flag, number, integer, text, choice, list or pose
    std::string              initial;  ///< the default, as it can be written
    std::string_view         unit;     ///< empty for what has none
    std::string_view         meaning;
    std::vector<std::string> values;  ///< of a choice or list: what may be given; empty: anything of the type
};
/// Every option that text can set, in dictionary order. `mechane schema options`, the parser and docs/importer.md are
/// made of it.
/// By the same names `LoadOptions::options` sets them.
std::span<const OptionInfo> import_options();

/// Names that `ImportOptions::legacy` may hold:
/// - "mjc-solref-limits": joint mjc:solref (t, d) gives limit stiffness 1/t^2 and damping 2 d/t
/// - "physx-contact-offset-margin": physxCollision:contactOffset alone is the margin
/// - "mass-pair-rule": authored mass and diagonal inertia count only together
/// - "hull-vertex-limit-name": newton:hullVertexLimit is read as newton:maxHullVertices
std::span<const std::string_view> legacy_rules();

/// Sets one option from text, as `--option K=V` gives it: names as above, values as JSON or plain text
/// ("schema_resolvers=newton,physx", "floating=true", "compat=newton-1.8", "xform=[0,0,1,0,0,0,1]").
/// @error IMPORT_ARG_OPTION for an unknown name or a value of another type, with the nearest names;
/// IMPORT_ARG_JOINT_ORDERING
Result<void> set_option(ImportOptions& options, std::string_view key, std::string_view value);
/// The value that an option has, as text that `set_option` reads; empty for an unknown name.
/// So that a report can say how an import was made.
std::string option_text(const ImportOptions& options, std::string_view key);

}  // namespace mechane::importer
