#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/math/pose.h"
#include "mechane/model/builder.h"
#include "mechane/resolve/resolver.h"

namespace mechane::importer {

/// Whose rules decide where products differ. `newton_1_8` keeps stage units and reproduces that importer, refusals
/// included.
enum class Compat { mechane, newton_1_8 };

/// `si`: everything is converted once, here. `stage`: numbers as authored, gravity in stage units.
enum class Units { si, stage };

/// What a stage means that authors no metersPerUnit: metres, or OpenUSD's 0.01.
enum class UnauthoredUnits { one, usd };

enum class JointOrdering { dfs, bfs, none };

/// What a PhysicsCollisionGroup does. `schema`: its table filters pairs. `newton_ids`: its number is also the shape's
/// collision group, so that colliders of different groups never meet.
enum class UsdGroupMode { schema, newton_ids };

/// What the authored velocity of a kinematic body means that no animation moves. `rest`: nothing, the body is where its
/// transform says. `follow`: it moves with that velocity until somebody writes another.
enum class KinematicVelocity { rest, follow };

/// Everything `import_usd` can be told. Defaults are those of a plain `mechane sim FILE`.
struct ImportOptions {
    Compat          compat           = Compat::mechane;
    Units           units            = Units::si;  ///< `newton_1_8` behaves as `stage`
    UnauthoredUnits unauthored_units = UnauthoredUnits::one;

    std::optional<Posed> xform;        ///< placed in front of everything imported [m]
    bool override_root_xform = false;  ///< `xform` replaces the pose of articulation roots instead of preceding it
    std::optional<bool>
        floating;  ///< base joint of roots: FREE, or FIXED; unset: FREE to the world, FIXED to `parent_body`
    std::optional<model::BuilderJoint> base_joint;  ///< any joint as base; parent, child and frames are the importer's
    std::int32_t                       parent_body =
        model::kWorldBody;  ///< attach the imported roots to this body of the latest articulation

    bool only_load_enabled_rigid_bodies = false;
    bool only_load_enabled_joints       = true;
    /// Joints without an authored articulation root stay outside of any tree: every body is free, and the joints are
    /// constraints between them.
    bool                     keep_orphan_joints        = false;
    double                   joint_drive_gains_scaling = 1.0;
    std::vector<std::string> ignore_paths;  ///< regular expressions, matched at the start of prim paths
    bool                     enable_self_collisions = true;  ///< of articulations that author nothing about it
    bool        apply_up_axis_from_stage = false;  ///< the builder takes the stage's up axis; nothing is rotated
    std::string root_path                = "/";    ///< only this subtree
    /// Which physics scenes become simulations: "all", a world for each that is populated, or the path of one.
    std::string scene                = "all";
    bool        parse_mujoco_options = true;  ///< false: settings of MuJoCo on the scene keep their defaults
    /// Declares MuJoCo's custom attributes (mujoco_attributes.h) when the resolver "mjc" is listed. Without it they
    /// must have been declared on the builder.
    bool                     register_mujoco                  = true;
    JointOrdering            joint_ordering                   = JointOrdering::dfs;
    bool                     bodies_follow_joint_ordering     = true;
    UsdGroupMode             usd_group_mode                   = UsdGroupMode::schema;
    bool                     skip_mesh_approximation          = false;
    bool                     load_sites                       = true;
    bool                     load_visual_shapes               = true;
    bool                     load_static_visual_shapes        = true;
    bool                     hide_collision_shapes            = false;
    bool                     force_show_colliders             = false;
    bool                     convert_mjc_equality_constraints = true;  ///< MuJoCo's connect and weld become loop joints
    bool                     per_face_materials               = false;  ///< a shape for each subset with a material
    int                      mesh_maxhullvert                 = 64;
    std::vector<std::string> schema_resolvers{"newton"};  ///< by priority; empty: no vendor attribute is read
    std::vector<resolve::Resolver> own_resolvers;         ///< tables of the caller that `schema_resolvers` may name
    bool                           force_position_velocity_actuation = false;
    bool lenient_names      = false;  ///< misspelled names of documents are read as meant ("RevoluteJoint", "gravity")
    bool move_scaled_tensor = false;  ///< inertia scaled from the shapes is moved to the body's centre of mass
    /// Rules of older importers, each by its name in `legacy_rules()`.
    std::vector<std::string> legacy;
    bool ledger                = false;  ///< keep account of every authored physics property (ImportResult::ledger)
    bool animation             = true;   ///< a simulation follows animated targets and kinematic bodies
    std::optional<KinematicVelocity> kinematic_velocity;  ///< unset: `rest`, and `follow` under `newton_1_8`
    bool legacy_margin_gap     = false;  ///< mjc:margin becomes margin minus gap also under `newton_1_8`
    bool collapse_fixed_joints = false;  ///< merge bodies that fixed joints hold together
    std::vector<std::string> joints_to_keep;         ///< fixed joints that are not collapsed, by prim path
    bool                     allow_missing = false;  ///< import although references or payloads were not found
};

/// Names that `ImportOptions::legacy` may hold (seed-gaps GAP-009):
/// - "mjc-solref-limits": joint mjc:solref (t, d) gives limit stiffness 1/t^2 and damping 2 d/t
/// - "physx-contact-offset-margin": physxCollision:contactOffset alone is the margin
/// - "mass-pair-rule": authored mass and diagonal inertia count only together
/// - "hull-vertex-limit-name": newton:hullVertexLimit is read as newton:maxHullVertices
std::span<const std::string_view> legacy_rules();

/// Sets one option from text, as `--option K=V` gives it: names as above, values as JSON or plain text
/// ("schema_resolvers=newton,physx", "floating=true", "compat=newton-1.8", "xform=[0,0,1,0,0,0,1]").
/// @error E_ARG_OPTION for an unknown name or a value of another type; E_ARG_JOINT_ORDERING
Result<void> set_option(ImportOptions& options, std::string_view key, std::string_view value);

}  // namespace mechane::importer
