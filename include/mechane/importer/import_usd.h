#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/core/result.h"
#include "mechane/importer/animation.h"
#include "mechane/importer/ledger.h"
#include "mechane/importer/options.h"
#include "mechane/importer/texture.h"
#include "mechane/model/builder.h"
#include "mechane/model/collapse.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// One PhysicsScene as it was imported. A stage with several populated scenes becomes one world for each.
/// `Model::gravity` and the step of a run come from here.
struct ImportedScene {
    std::string  path;  ///< empty for the scene that stands in when the stage has none
    std::int32_t world = model::kGlobalWorld;
    Vec3d        gravity;                      ///< [m/s^2]
    double       physics_dt          = 0.001;  ///< [s]
    bool         physics_dt_authored = false;  ///< a positive finite rate is
    Site         physics_dt_site;              ///< of the attribute that says so
    /// What a vendor's attribute asks for. No solver here reads it.
    std::optional<std::int64_t> max_solver_iterations;
};

/// What `ImportResult::filter_reasons` says of pairs that a joint filters; the joint itself is in the model.
inline constexpr std::string_view kFilteredByJoint = "a joint names both and has physics:collisionEnabled = false";

/// A NewtonActuator prim. Gains in SI, per radian on hinges.
struct ImportedActuator {
    std::string  path;
    std::int32_t joint = -1, dof = -1, coord = -1;          ///< indices of the builder after the import
    std::string  control;                                   ///< "pd" or "pid"
    double       kp = 0, kd = 0, ki = 0;                    ///< [N/m], [N s/m], [N/(m s)], or per radian
    double       const_effort = 0, max_effort = kInfinity;  ///< added to the effort, and its bound [N] or [N m]
    double       integral_max = kInfinity;                  ///< bound of the error summed over time [m s] or [rad s]
    int          delay_steps  = 0;
    bool         is_drive     = false;  ///< it became the joint's drive; otherwise it is recorded only
};

/// An array of a simulation geometry's elements, as it was read [m] or [kg].
struct ElementValues {
    std::vector<double> values;          ///< [m], masses [kg]
    std::string         element_type;    ///< "constant", "face", "tetrahedron", "curve", "segment", "point"
    bool                direct = false;  ///< without a type: masses of points, as they are
};

/// A deformable of the stage and what it became. Indices of the builder after the import; ranges are half-open.
struct ImportedDeformable {
    /// Curves become cables, surfaces cloth, tetrahedra volumes.
    enum class Kind : std::uint8_t { cable, cloth, volume };
    std::string               path;
    Kind                      kind = Kind::cloth;
    model::SoftObject::Range  particle{}, tri{}, edge{}, tet{};  ///< of cloths and volumes
    std::vector<std::int32_t> bodies, joints;  ///< of cables: by segment, and the rod joints between them
    /// Of cables: the body of each authored segment, -1 where it was left out, and its length at rest [m].
    std::vector<std::int32_t>                  segment_body;
    std::vector<double>                        segment_length;    ///< [m]
    std::vector<int>                           vertex_counts;     ///< of cables: points of each curve
    std::map<std::string, double, std::less<>> material;          ///< what its material says and can be used
    double                                     density = 0;       ///< [kg/m^3]
    std::string                                rest_bend_angles;  ///< of cloths: "flat" or "restShape"
    bool                                       closed = false;    ///< of cables
    std::string                                graph;  ///< of cables that are welded to others: the first of them
    std::optional<ElementValues>               thicknesses, masses;
    usd::Matrix4d placed;  ///< the prim's points in the builder's world (row vectors), as imported
};

/// A PhysicsAttachment prim and what it became.
/// Between particles and a body, or between two cables; everything else says why it has no effect.
struct ImportedAttachment {
    std::string               path, source0, source1, type0, type1;
    std::vector<int>          indices0, indices1;
    std::vector<Vec3d>        coords0, coords1;  ///< by type: points [m], or barycentric coordinates [-]
    bool                      enabled   = true;
    double                    stiffness = kInfinity, damping = 0;  ///< [N/m], [N s/m]
    std::vector<std::int32_t> joints, attachments;                 ///< of the builder after the import
    bool                      welded = false;                      ///< it joins two cables to one graph
    std::string               unsupported;                         ///< why it has no effect; empty when it has
};

/// What an import did: maps from prim paths to indices in the builder, units, scenes, vendor attributes.
/// Paths are sorted. Indices are those after the import.
/// A value that depends on neither the stage nor the builder afterwards, but for `stage` and `animation`.
struct ImportResult {
    double fps = 24, duration = 0;          ///< frames per second of the stage; how long it is [s]
    char   up_axis     = 'Y';               ///< of the stage
    double linear_unit = 1, mass_unit = 1;  ///< of the stage [m], [kg], as authored, 1 when not
    double unit_in_metres  = 1;             ///< what a length unit of the stage was taken as [m], also where it is kept
    double meters_per_unit = 1;  ///< [m]; what a length of the stage was multiplied by; 1 where stage units are kept
    Posed  X_WS;                 ///< the stage's frame in the builder's world, lengths multiplied
    /// By the path of the prim that says so. Prims that were left out are missing.
    std::map<std::string, std::int32_t> path_body_map, path_joint_map, path_shape_map;
    std::map<std::string, std::int32_t> path_joint_axis;  ///< of prims that share a joint: which axis each became
    std::map<std::string, std::int32_t> path_original_body_map;  ///< before fixed joints were collapsed
    std::map<std::string, Vec3d>        path_shape_scale;        ///< world scale of the prim
    /// Pictures of meshes that a texture colours; one for each shader.
    std::map<std::string, std::shared_ptr<const Texture>> path_shape_texture;
    /// Groups numbered from 1 in traversal order; merged ones share.
    std::map<std::string, std::int32_t> path_collision_group_map;
    /// By shape index, up to the last shape in a group: number of its first; 0: none.
    std::vector<std::int32_t>         shape_usd_collision_group;
    std::vector<std::string>          resolvers;         ///< whose attributes were read, by priority, "auto" replaced
    std::map<std::string, usd::Value> scene_attributes;  ///< of the first scene, fallbacks included
    std::optional<std::string>        physics_scene_path;
    std::optional<double>             physics_dt;  ///< [s]; of the first scene
    std::optional<std::int64_t>       max_solver_iterations;
    std::size_t                       material_count = 0;  ///< physics materials that are read
    std::vector<ImportedScene>        scenes;
    /// Vendor attributes by resolver, prim and attribute name.
    std::map<std::string, std::map<std::string, std::map<std::string, usd::Value>>> schema_attrs;
    std::int32_t                                                                    actuator_count = 0;
    /// Bodies merged away: pose in the survivor, or the world.
    std::map<std::string, Posed>         path_body_relative_transform;
    std::optional<model::CollapseResult> collapse_results;  ///< when fixed joints were collapsed
    std::vector<ImportedActuator>        actuators;
    /// Why pairs of shapes do not collide, by shape indices, smaller first; only with a ledger.
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::string>> filter_reasons;
    std::map<std::string, std::vector<std::string>> path_shape_groups;  ///< collision groups of colliders, by path
    AnimationTracks animation;  ///< what a simulation follows; empty without ImportOptions::animation
    /// The stage with prims for the items of its instancers, which the paths and the animation belong to; null where it
    /// has no such items. The stage that was imported otherwise.
    std::shared_ptr<const usd::Stage> stage;
    std::vector<LedgerEntry>          ledger;  ///< by prim in traversal order and property; empty unless asked for
    std::map<std::string, bool>       path_self_collision;  ///< of articulations that a prim authors
    std::vector<ImportedDeformable>   deformables;  ///< cables, cloths, volumes, each kind in the order of the stage
    std::vector<ImportedAttachment>   attachments;  ///< in the order of the stage
    std::map<std::string, std::string_view> mass_rules;  ///< which rule gave each body its inertia, by prim path
};

/// Adds a composed stage to a builder: scenes, bodies, joints, colliders, visual shapes, filters, mass properties.
///
/// By default everything arrives in SI and radians, and a fault of the asset costs the one entity it concerns: it is
/// reported in `found` and left out. With `Compat::newton_1_8` numbers stay in stage units and faults are refused as
/// that importer does.
///
/// @return the maps; the builder is unchanged when this fails
/// @error  IMPORT_ARG_*, IMPORT_STAGE_COMPOSITION, IMPORT_ROOT_PATH, IMPORT_SCENE_PATH, RESOLVER_UNKNOWN, STAGE_LIMIT
/// of the items of instancers; IMPORT_SCENE_WORLD  a stage of several simulations, and a world of the builder is open;
/// IMPORT_MJC_NOT_REGISTERED, MODEL_CUSTOM_CONFLICT  of MuJoCo's attributes; under `newton_1_8` also IMPORT_ART_*,
/// IMPORT_JOINT_*, IMPORT_MERGE_TYPE, IMPORT_MESH_DATA, IMPORT_BODY_KINEMATIC_CHILD
Result<ImportResult> import_usd(const usd::Stage& stage, const ImportOptions& options, model::ModelBuilder& builder,
                                Diagnostics& found);

}  // namespace mechane::importer
