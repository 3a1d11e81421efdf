#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "asset_layers.h"
#include "mechane/physics/parse.h"
#include "mechane/ros/type_table.h"
#include "mechane/tasks/parallel.h"
#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// What a prim is, as far as rules ask.
enum Trait : std::uint32_t {
    kGprim            = 1u << 0,
    kMesh             = 1u << 1,
    kXformable        = 1u << 2,
    kJoint            = 1u << 3,
    kCamera           = 1u << 4,
    kLight            = 1u << 5,
    kMaterial         = 1u << 6,
    kShader           = 1u << 7,
    kScope            = 1u << 8,
    kPointInstancer   = 1u << 9,
    kSubset           = 1u << 10,
    kXform            = 1u << 11,
    kBody             = 1u << 12,  ///< an enabled rigid body
    kCollider         = 1u << 13,  ///< an enabled collider, or one of the Gprims that PhysicsCollisionAPI above stands for
    kArticulationRoot = 1u << 14,
    kContext          = 1u << 15,
    kTopic            = 1u << 16,
    kService          = 1u << 17,
    kAction           = 1u << 18,
    kFrame            = 1u << 19,
    kScene            = 1u << 20,  ///< a PhysicsScene
    kCollisionGroup   = 1u << 21,
    kInterface        = kTopic | kService | kAction,
    kRos              = kContext | kInterface | kFrame,
    kKinematic        = kBody | kJoint,
};

struct PrimFacts {
    usd::Prim               prim;
    std::uint32_t           traits      = 0;
    std::int32_t            parent      = -1;     ///< index of the parent among the facts, -1 at the top
    std::int32_t            end         = 0;      ///< one past the last prim below
    bool                    above_body  = false;  ///< some body lies strictly below
    bool                    above_gprim = false;  ///< some Gprim lies strictly below
    std::vector<usd::Token> properties;           ///< authored ones, in dictionary order
    std::vector<usd::Token> apis;                 ///< as authored, also unknown ones

    [[nodiscard]] bool is(std::uint32_t any) const { return (traits & any) != 0; }
    [[nodiscard]] bool authors(const usd::Token& property) const
    { return std::find(properties.begin(), properties.end(), property) != properties.end(); }
};

/// Bodies that tree joints connect; the world is not one of them.
struct KinematicTree {
    std::vector<physics::Index> bodies;        ///< ascending
    std::vector<physics::Index> joints;        ///< between two of the bodies, ascending
    std::vector<physics::Index> world_joints;  ///< between one of them and the world
    std::vector<std::int32_t>   roots;         ///< facts of the prims with an articulation root that belong to it
};

/// Everything that rules ask of one stage, read in one traversal of the active, defined, loaded, concrete prims.
struct Facts {
    const usd::Stage&          stage;
    Diagnostics                physics_found;
    physics::PhysicsModel      physics;
    std::vector<PrimFacts>     prims;  ///< depth-first
    std::vector<KinematicTree> trees;  ///< of two bodies or more, and of single bodies that a joint ties to the world
    std::int32_t               root = -1;  ///< the default prim among the facts

    ros::TypeTable types;

    /// @param pool        null: one thread
    /// @param interfaces  folders of ROS packages besides the known ones
    explicit Facts(const usd::Stage& stage, const tasks::Pool* pool = nullptr,
                   const std::vector<std::string>& interfaces = {});

    [[nodiscard]] std::int32_t     index_of(const usd::Prim& prim) const;  ///< -1 when it was not visited
    [[nodiscard]] const PrimFacts* find(const usd::Path& path) const;
    /// True when the body or joint is a tree joint: enabled, in the articulation, between different bodies or the
    /// world.
    [[nodiscard]] bool is_tree_joint(const physics::Joint& joint) const;
    /// The prim's place among the facts.
    [[nodiscard]] std::int32_t index_of(const PrimFacts& prim) const
    { return static_cast<std::int32_t>(&prim - prims.data()); }
    /// The nearest prim at or above with one of these traits, or null.
    [[nodiscard]] const PrimFacts* nearest(std::int32_t from, std::uint32_t traits) const;
    /// Some tree joint connects two bodies.
    [[nodiscard]] bool articulated() const;
    [[nodiscard]] bool has(std::uint32_t traits) const;
    /// Every layer of the stage, the entry first.
    [[nodiscard]] const std::vector<AssetLayer>& layers() const { return layers_; }
    /// The layer of that name (`AssetLayer::layer.name`), or null.
    [[nodiscard]] const AssetLayer* layer(const std::string& name) const;

  private:
    std::vector<std::int32_t> by_index_;  ///< from a prim's position on the stage
    std::uint32_t             all_ = 0;

    std::vector<AssetLayer> layers_;

    void read_prims(const tasks::Pool* pool);
    void read_group_colliders();
    void read_trees();
};

}  // namespace mechane::conformance
