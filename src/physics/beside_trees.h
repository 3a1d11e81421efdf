#pragma once
#include "mechane/physics/physics_model.h"

/// Joints that are never part of a tree of bodies, by what a vendor's schema says of them. The importer and the
/// exporters ask the same questions, so that both build the same trees.
namespace mechane::physics {

/// An equality of MuJoCo, which looks like a joint: a constraint beside the tree.
inline bool is_equality(const Joint& joint)
{ return joint.prim.has_api("MjcEqualityConnectAPI") || joint.prim.has_api("MjcEqualityWeldAPI"); }

/// A gear, or a rack with its pinion, of PhysX: it couples the coordinates of two other joints and holds no frame. Read
/// as a joint of UsdPhysics it would leave all axes free, and could take the place of a real joint in the tree.
inline bool couples_joints(const Joint& joint)
{
    const usd::Token type = joint.prim.type_name();
    return type.text() == "PhysxPhysicsGearJoint" || type.text() == "PhysxPhysicsRackAndPinionJoint";
}

}  // namespace mechane::physics
