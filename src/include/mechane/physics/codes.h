#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::physics {

inline constexpr Code kValueNan{"PHY_VALUE_NAN", Severity::warning, "A physics value is not a number.",
                                "Author a finite value; it is treated as not authored."};
inline constexpr Code kValueType{"PHY_VALUE_TYPE", Severity::warning,
                                 "A physics value has a type that its attribute cannot take.",
                                 "Author it with the type of the schema; it is treated as not authored."};
inline constexpr Code kValueToken{"PHY_VALUE_TOKEN", Severity::warning,
                                  "A physics attribute has a word that its schema does not allow.",
                                  "Use one of the words in the message; it is treated as not authored."};
inline constexpr Code kRotationZero{"PHY_ROTATION_ZERO", Severity::warning,
                                    "The rotation of a joint's frame is a quaternion of length 0.",
                                    "Author a unit quaternion, (1, 0, 0, 0) for none; it is treated as not authored."};
inline constexpr Code kSampledOnly{"PHY_SAMPLED_ONLY", Severity::info, "A value is animated and has no default.",
                                   "Author a default; the value at the start of the stage is used."};
inline constexpr Code kApiMisplaced{"PHY_API_MISPLACED", Severity::warning,
                                    "A physics API is applied to a kind of prim that it says nothing about.",
                                    "Move it to a prim of the kind that the message names."};
inline constexpr Code kNameSuspect{"PHY_NAME_SUSPECT", Severity::warning,
                                   "A name looks like a UsdPhysics name but is none, so it has no effect.",
                                   "Use the name in the message."};
inline constexpr Code kRootMissing{"PHY_ROOT_MISSING", Severity::warning,
                                   "A root path to read does not exist on the stage.", "Name an existing prim."};
inline constexpr Code kInstancer{"PHY_INSTANCER", Severity::info,
                                 "Physics below a point instancer is not read as it stands.",
                                 "Use instanceable references for bodies that are simulated."};
inline constexpr Code kGravityNegative{
    "PHY_GRAVITY_NEGATIVE", Severity::warning, "The gravity magnitude is negative.",
    "Author -inf for the earth's gravity or a magnitude of zero or more; the earth's is used."};
inline constexpr Code kGravityInvalid{"PHY_GRAVITY_INVALID", Severity::error, "The gravity of a scene is not a number.",
                                      "Author a finite direction and magnitude; the earth's gravity is used."};
inline constexpr Code kSceneMissing{"PHY_SCENE_MISSING", Severity::info, "The stage has no PhysicsScene.",
                                    "Define one; the earth's gravity along minus the up axis is assumed."};
inline constexpr Code kOwnerInvalid{"PHY_OWNER_INVALID", Severity::warning,
                                    "A simulation owner is missing or is no PhysicsScene.",
                                    "Point physics:simulationOwner at a PhysicsScene; the first scene is used."};
inline constexpr Code kOwnerMultiple{"PHY_OWNER_MULTIPLE", Severity::warning,
                                     "An object names several simulation owners.",
                                     "Name one; the first valid one is used."};
inline constexpr Code kBodyNested{"PHY_BODY_NESTED", Severity::warning,
                                  "A rigid body lies below another one without resetting its transform stack.",
                                  "Begin its xformOpOrder with !resetXformStack!, move it out, or set --option "
                                  "nested_bodies=schema for the schema's reading."};
inline constexpr Code kColliderReset{"PHY_COLLIDER_RESET", Severity::warning,
                                     "A collider below a body resets its transform stack and stays part of the body.",
                                     "Move it out, or set --option reset_stack=static to make it part of the world."};
inline constexpr Code kBodyNotXformable{"PHY_BODY_NOT_XFORMABLE", Severity::error,
                                        "A rigid body API is applied to a prim that has no transform.",
                                        "Apply it to an Xform or a shape; the body is left out."};
inline constexpr Code kBodyShear{"PHY_BODY_SHEAR", Severity::error, "The world transform of a rigid body has shear.",
                                 "Remove rotations below non-uniform scales; the factored scale is used."};
inline constexpr Code kBodyMirrored{"PHY_BODY_MIRRORED", Severity::warning,
                                    "The world transform of a rigid body mirrors.",
                                    "Remove the negative scale; the mirror image of its shapes is simulated."};
inline constexpr Code kBodySingular{"PHY_BODY_SINGULAR", Severity::error,
                                    "The world transform of a rigid body is singular or not finite.",
                                    "Author a finite transform without zero scales; the body is left out."};
inline constexpr Code kShapeUnknownType{
    "PHY_SHAPE_UNKNOWN_TYPE", Severity::warning, "A collider is applied to a prim that is not a supported shape.",
    "Apply it to a Gprim: Mesh, Cube, Sphere, Capsule, Cylinder, Cone, Plane or Points."};
inline constexpr Code kShapeNonuniform{"PHY_SHAPE_NONUNIFORM", Severity::warning,
                                       "A round shape is scaled unevenly across its radius.",
                                       "Scale it evenly; the largest scale is used."};
inline constexpr Code kShapeShear{"PHY_SHAPE_SHEAR", Severity::warning, "The world transform of a collider has shear.",
                                  "Remove rotations below non-uniform scales."};
inline constexpr Code kShapeDegenerate{"PHY_SHAPE_DEGENERATE", Severity::error,
                                       "The size of a collider is zero or not finite.",
                                       "Author a positive size; the collider is left out."};
inline constexpr Code kShapeNegative{"PHY_SHAPE_NEGATIVE", Severity::info, "A size of a collider is negative.",
                                     "Author its absolute value, which is used."};
inline constexpr Code kShapePoints{"PHY_SHAPE_POINTS", Severity::error,
                                   "A Points collider has not one width for each point.",
                                   "Author as many widths as points; the collider is left out."};
inline constexpr Code kMeshEmpty{"PHY_MESH_EMPTY", Severity::error, "A mesh collider has no points or no faces.",
                                 "Author points, faceVertexCounts and faceVertexIndices; the collider is left out."};
inline constexpr Code kApproxUnknown{
    "PHY_APPROX_UNKNOWN", Severity::warning, "The approximation of a mesh collider is not a known token.",
    "Use none, convexHull, convexDecomposition, boundingSphere, boundingCube or meshSimplification; none is used."};
inline constexpr Code kPlaneDynamic{"PHY_PLANE_DYNAMIC", Severity::warning,
                                    "An infinite plane belongs to a rigid body.",
                                    "Make it static; it gives the body no mass."};
inline constexpr Code kBindingApiMissing{
    "BINDING_API_MISSING", Severity::info,
    "A collider gets its material from a binding although it does not apply MaterialBindingAPI.",
    "Apply MaterialBindingAPI to it: OpenUSD's parser does not find the material otherwise."};
inline constexpr Code kMaterialRange{
    "PHY_MATERIAL_RANGE", Severity::warning, "A value of a physics material is out of its range.",
    "Friction and density are at least 0, restitution lies in 0..1; the nearest value is used."};
inline constexpr Code kMassIgnored{"PHY_MASS_IGNORED", Severity::warning,
                                   "A mass or density on a prim that is neither body nor collider is ignored.",
                                   "Move it to the body or to the collider."};
inline constexpr Code kMassDefaulted{"PHY_MASS_DEFAULTED", Severity::warning,
                                     "A body has neither mass nor a collider that could give it one.",
                                     "Author physics:mass; one unit of mass is used."};
inline constexpr Code kMassInfoInvalid{"PHY_MASS_INFO_INVALID", Severity::warning,
                                       "The volume of a collider is not known, so it adds no mass.",
                                       "Author the mass of the body or of the collider."};
inline constexpr Code kMassZeroVolume{"PHY_MASS_ZERO_VOLUME", Severity::warning,
                                      "A mass is spread over colliders of no volume.",
                                      "Author the inertia; a point mass or a small sphere is used."};
inline constexpr Code kInertiaApprox{"PHY_INERTIA_APPROX", Severity::warning,
                                     "A body has a mass and nothing to derive its inertia from.",
                                     "Author physics:diagonalInertia; a sphere of 0.1 m is used."};
inline constexpr Code kAxesWithoutInertia{"PHY_AXES_WITHOUT_INERTIA", Severity::warning,
                                          "Principal axes are authored without a diagonal inertia.",
                                          "Author both; the automatic diagonal is used with the authored axes."};
inline constexpr Code kGroupTargetInvalid{
    "PHY_GROUP_TARGET_INVALID", Severity::warning, "A collision group filters a target that is not a collision group.",
    "Point physics:filteredGroups at PhysicsCollisionGroup prims; the target is skipped."};
inline constexpr Code kGroupIncludeMissing{"PHY_GROUP_INCLUDE_MISSING", Severity::warning,
                                           "A collision group includes a prim that does not exist.",
                                           "Point collection:colliders:includes at colliders or prims above them."};
inline constexpr Code kPairTargetInvalid{"PHY_PAIR_TARGET_INVALID", Severity::warning,
                                         "A filtered pair names a prim that is not a body, collider or articulation.",
                                         "Point physics:filteredPairs at one; the pair is skipped."};
inline constexpr Code kJointTargetMissing{
    "PHY_JOINT_TARGET_MISSING", Severity::error, "A joint names a prim that does not exist.",
    "Point the relationship at a prim of the stage, or leave it empty for the world; the joint is left out."};
inline constexpr Code kJointNoBody{"PHY_JOINT_NO_BODY", Severity::error, "No side of a joint is an enabled rigid body.",
                                   "Point physics:body0 or physics:body1 at one; the joint is left out."};
inline constexpr Code kJointSelf{"PHY_JOINT_SELF", Severity::error, "Both sides of a joint are the same rigid body.",
                                 "Point the sides at two bodies; the joint is left out."};
inline constexpr Code kJointMultiTarget{"PHY_JOINT_MULTI_TARGET", Severity::warning,
                                        "A side of a joint names several prims.", "Name one; the first is used."};
inline constexpr Code kRealignRefused{"PHY_REALIGN_REFUSED", Severity::warning,
                                      "The frames of a joint were not realigned.",
                                      "Repair the joint first, or edit the prototype that its instance comes from."};
inline constexpr Code kJointFrameGap{"PHY_JOINT_FRAME_GAP", Severity::info,
                                     "The two frames of a joint do not meet in the initial pose.",
                                     "Align localPos and localRot of both sides, as fix --realign-joints does; else a "
                                     "simulation moves the bodies first."};
inline constexpr Code kAxisUnknown{"PHY_AXIS_UNKNOWN", Severity::warning, "An axis is not X, Y or Z.",
                                   "Use one of them; the schema's fallback is used."};
inline constexpr Code kDofUnknown{"PHY_DOF_UNKNOWN", Severity::warning,
                                  "A limit or drive names a degree of freedom that its joint does not know.",
                                  "Use transX, transY, transZ, rotX, rotY, rotZ or distance."};
inline constexpr Code kLimitIgnored{"PHY_LIMIT_IGNORED", Severity::warning,
                                    "A limit API on this kind of joint has no effect.",
                                    "Use the joint's own limit attributes, or a PhysicsJoint."};
inline constexpr Code kDriveIgnored{"PHY_DRIVE_IGNORED", Severity::warning,
                                    "A drive on this kind of joint has no effect.",
                                    "Use `angular` on revolute, `linear` on prismatic joints, or a PhysicsJoint."};
inline constexpr Code kDriveMaxForce{"PHY_DRIVE_MAXFORCE", Severity::warning,
                                     "The largest force of a drive is negative.",
                                     "Author a positive value; its absolute value is used."};
inline constexpr Code kDriveNegative{"PHY_DRIVE_NEGATIVE", Severity::warning,
                                     "The stiffness or damping of a drive is negative.",
                                     "Author zero or more; zero is used."};
inline constexpr Code kLimitInverted{"PHY_JOINT_LIMIT_INVERTED", Severity::warning,
                                     "The lower limit of a revolute or prismatic joint lies above the upper one.",
                                     "Swap them; the degree of freedom is locked.", "W_JOINT_LIMIT_INVERTED"};
inline constexpr Code kBreakNonpositive{"PHY_BREAK_NONPOSITIVE", Severity::warning,
                                        "The break force or torque of a joint is not positive.",
                                        "Author inf for a joint that never breaks."};
inline constexpr Code kArticKinematicRoot{"PHY_ARTIC_KINEMATIC_ROOT", Severity::warning,
                                          "The root body of an articulation is kinematic.",
                                          "Fix the root with a joint to the world instead."};
inline constexpr Code kArticLoop{
    "PHY_ARTIC_LOOP", Severity::info, "Joints of an articulation close a loop.",
    "Exclude the closing joint from the articulation; the last one in breadth-first order is simulated as a closure."};
inline constexpr Code kArticNested{"PHY_ARTIC_NESTED", Severity::warning,
                                   "An articulation root lies below another one.",
                                   "Keep one root for each tree; a root within the same tree is ignored."};
inline constexpr Code kArticNoRoot{"PHY_ARTIC_NO_ROOT", Severity::error,
                                   "An articulation root has no body to start from.",
                                   "Apply it above the bodies, to the root body, or to the joint to the world."};

}  // namespace mechane::physics
