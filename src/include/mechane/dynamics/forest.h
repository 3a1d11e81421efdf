#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/dynamics/joint_motion.h"
#include "mechane/math/spatial.h"
#include "mechane/model/model.h"

namespace mechane::dynamics {

/// A body that moves, with the joint that holds it.
struct Link {
    std::int32_t body   = -1;
    std::int32_t joint  = -1;  ///< inbound joint of the model; -1 for an implicit free root
    std::int32_t parent = -1;  ///< link of this forest, -1 at a root
    std::int32_t base   = -1;  ///< at a root: the prescribed (kinematic) body it hangs on, -1 for the world
    std::int32_t tree   = -1;
    std::int32_t dof = 0, dofs = 0;      ///< range in the forest's velocity v
    std::int32_t coord = 0, coords = 0;  ///< range in the forest's configuration q
    bool         free = false;           ///< six dofs: velocity of the centre of mass and angular velocity, world axes
    /// A free link without a joint, or whose joint is relative to another body: its own pose says where it is.
    bool      from_body = false;
    JointAxes axes;
    Posed     X_PJ, X_CJ;  ///< joint anchors in the parent (or world) and in this body
    Vec3d     com;         ///< body frame [m]
    double    mass = 0;    ///< [kg]
    Mat33d    inertia{};   ///< about the centre of mass, body axes [kg m^2]
};

/// Links [link_begin, link_end), parents first; dofs [dof_begin, dof_end).
struct Tree {
    std::int32_t link_begin = 0, link_end = 0;
    std::int32_t dof_begin = 0, dof_end = 0;
    std::int32_t world  = model::kGlobalWorld;
    std::int32_t group  = 0;      ///< trees that loops or mimic relations tie together share a group and are neighbours
    bool         single = false;  ///< one free body: its mass matrix is block diagonal
    bool         deep   = false;  ///< so many dofs above each other that recursions over links beat the mass matrix
    std::int32_t block_begin = 0;  ///< blocks of four dofs of the trees before it that are not single
    /// The first tree with the same links, joints and masses, to the last bit, at other places: copies of a robot. -1:
    /// single, deep, or hanging on a prescribed body.
    std::int32_t               kind = -1;
    [[nodiscard]] std::int32_t dof_count() const { return dof_end - dof_begin; }
    [[nodiscard]] std::int32_t block_count() const { return (dof_count() + 3) / 4; }
};

/// Every body that moves is a link of exactly one tree. Trees are built from the enabled joints: those of articulations
/// first, then the others, in joint order. A joint that would close a loop, is excluded from its articulation, has the
/// world as child, or drives a kinematic body goes to `loops`. FREE-like joints never couple, so their child starts a
/// tree of its own.
struct Forest {
    std::vector<Link>         links;
    std::vector<Tree>         trees;
    std::vector<std::int32_t> body_link;   ///< [body_count]; -1: prescribed
    std::vector<std::int32_t> joint_link;  ///< [joint_count]; -1: not the inbound joint of a link
    std::vector<std::int32_t> prescribed;  ///< kinematic bodies, and massless ones that nothing holds
    std::vector<std::int32_t> loops;       ///< enabled joints that constrain, but are in no tree
    std::vector<std::int32_t> distances;   ///< enabled DISTANCE joints
    std::vector<std::int32_t>
        dof_parent;  ///< [dof_count]: previous dof on the way to the root, forest numbering, -1 at the first
    std::vector<std::int32_t> dof_link;  ///< [dof_count]
    std::vector<std::int32_t>
        model_dof;  ///< [dof_count]: dof of the model, -1 for free links (other velocity convention)
    std::vector<std::int32_t> model_coord;  ///< [dof_count]: coordinate of scalar dofs, -1 for free and ball
    std::vector<std::int32_t> mimics;       ///< enabled joints of links that follow another link's joint
    std::int32_t              dof_count = 0, coord_count = 0, group_count = 0;
    std::int32_t              block_count = 0;  ///< of all trees that are not single
};

Forest build_forest(const model::Model& model);
/// The same with other joints enabled than the model says [joint_count].
Forest build_forest(const model::Model& model, std::span<const std::uint8_t> enabled);

}  // namespace mechane::dynamics
