#pragma once
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mechane/physics/filter.h"
#include "mechane/physics/options.h"
#include "mechane/physics/types.h"
#include "mechane/physics/units.h"

namespace mechane::physics {

/// What a prim takes over from those above it, in one bit each.
enum class Inherited : std::uint8_t { visibility = 1, purpose = 2, display_primvars = 4 };

/// Everything UsdPhysics says on a stage, in stage units and degrees as authored. Bodies, scenes, groups, materials and
/// colliders are in traversal order; joints are in traversal order, `kind` says which.
struct PhysicsModel {
    std::vector<Scene>        scenes;  ///< at least one: a default scene stands in when the stage has none
    std::vector<Group>        groups;
    std::vector<Material>     materials;
    std::vector<Collider>     colliders;
    std::vector<Body>         bodies;
    std::vector<Joint>        joints;
    std::vector<Articulation> articulations;
    std::vector<XformMass>    xform_masses;
    GroupTable                group_table;  ///< over Group::table_index

    /// Authored pairs (path, target) of physics:filteredPairs whose both ends exist, in traversal order.
    std::vector<std::pair<usd::Path, usd::Path>> filtered_pairs;

    UnitScale    units;  ///< as OpenUSD reads the stage: metersPerUnit 0.01 when it is not authored
    ParseOptions options;

    /// Whether the prim or one above it authors something that is inherited downwards. True also when the parse has not
    /// seen the prim: only a "no" spares a look at all prims above.
    [[nodiscard]] bool may_inherit(const usd::Prim& prim, Inherited what) const;

    [[nodiscard]] Index body_at(const usd::Path& path) const;
    [[nodiscard]] Index collider_at(const usd::Path& path) const;
    [[nodiscard]] Index joint_at(const usd::Path& path) const;
    [[nodiscard]] Index material_at(const usd::Path& path) const;
    [[nodiscard]] Index articulation_at(const usd::Path& path) const;
    [[nodiscard]] Index group_at(const usd::Path& path) const;

    /// Indices of the colliders by kind (sphere, cube, capsule, ...), traversal order inside a kind: the order in which
    /// OpenUSD's parser reports them and importers create them.
    [[nodiscard]] std::vector<Index> colliders_by_kind() const;
    /// Same for joints: fixed, revolute, prismatic, spherical, distance, D6, custom.
    [[nodiscard]] std::vector<Index> joints_by_kind() const;

    struct Lookup {
        std::unordered_map<usd::Path, Index> bodies, colliders, joints, materials, articulations, groups;
    } lookup;  ///< filled by `parse`; never iterated
    /// Names of all properties that any prim of the stage authors; what is not among them need not be looked for.
    std::unordered_set<usd::Token> authored_names;
    std::vector<std::uint8_t>      inherited;  ///< bits of Inherited by Prim::index, for `may_inherit`
};

}  // namespace mechane::physics
