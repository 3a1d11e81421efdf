#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::run {

inline constexpr Code kArgument{"RUN_ARGUMENT", Severity::error,
                                "A run was asked for with a value that makes no sense.",
                                "See 'mechane sim --help' for ranges and units."};
inline constexpr Code kNothingMoves{"RUN_NOTHING_MOVES", Severity::warning, "The model has no body that can move.",
                                    "Apply PhysicsRigidBodyAPI to the prims that should move."};
inline constexpr Code kNoColliders{
    "RUN_NO_COLLIDERS", Severity::warning, "The model has bodies but no collider.",
    "Apply PhysicsCollisionAPI to the geometry below the bodies, or bodies will fall through everything."};
inline constexpr Code kGroundKept{"RUN_GROUND_KEPT", Severity::info,
                                  "The stage has an infinite plane of its own, so none was added.",
                                  "Name a height, as in --ground 0, to add one all the same."};
inline constexpr Code kProjected{
    "RUN_PROJECTED", Severity::warning,
    "Authored poses or velocities of bodies do not satisfy the joints of their tree and were changed.",
    "Align localPos0/localRot0 and localPos1/localRot1 with the body poses, as fix "
    "--realign-joints does; author velocities that the joints allow."};
inline constexpr Code kOverlapKept{
    "RUN_OVERLAP_KEPT", Severity::info,
    "Parts of one mechanism overlap in the start pose; that overlap counts as touching.",
    "Nothing to do; filter the pair with physics:filteredPairs if it should not collide at all."};
inline constexpr Code kDiverged{"RUN_DIVERGED", Severity::error,
                                "The simulation diverged; the last good state is the end of the recording.",
                                "Use a smaller --dt or more --substeps, or soften the joint that is named."};
inline constexpr Code kWorldDiverged{"RUN_WORLD_DIVERGED", Severity::error,
                                     "One world diverged and stays as it was; the others go on.",
                                     "Use a smaller --dt or more --substeps, or soften the joint that is named."};
inline constexpr Code kJointBroke{"RUN_JOINT_BROKE", Severity::info,
                                  "A joint carried more than its break force or torque and broke.",
                                  "Raise physics:breakForce or physics:breakTorque if it should hold."};
inline constexpr Code kTargetRange{"RUN_TARGET_RANGE", Severity::warning,
                                   "A commanded position lies beyond the limits of its joint; it is taken as given.",
                                   "Write a unit: 30deg, 0.5rad, 5mm; a plain number is in radians or metres."};
inline constexpr Code kSetUnknown{"RUN_SET_UNKNOWN", Severity::error,
                                  "A setting names a joint, body or field that the model does not have.",
                                  "Use PATH.field=value with field target_q, target_qd, f, q or qd."};
inline constexpr Code kControlFile{
    "RUN_CONTROL_FILE", Severity::error, "A control file cannot be read.",
    "The first row names the columns: t, then PATH.field; the others hold numbers in SI units."};
inline constexpr Code kControllerRefused{
    "RUN_CONTROLLER_REFUSED", Severity::error,
    "A controller was not switched on: another one that is on commands the same joint or body.",
    "Switch the other one off before or at the same time, as in --disable OTHER@1 --enable THIS@1."};
inline constexpr Code kControllerConflict{
    "RUN_CONTROLLER_CONFLICT", Severity::warning,
    "Two controllers that start enabled command the same joint or body; the first of the stage is on.",
    "Write control:starts_enabled = false on one of them."};
inline constexpr Code kControllerIdle{"RUN_CONTROLLER_IDLE", Severity::warning,
                                      "A controller does not move a joint that it names.",
                                      "Correct what the message names; commands go through the drives of joints."};
inline constexpr Code kControllerNoRuntime{
    "RUN_CONTROLLER_NO_RUNTIME", Severity::info, "A controller that is on has a schema that Mechane does not run.",
    "Nothing to do; 'mechane ros interfaces --controllers' says which schemas run."};
inline constexpr Code kScene{
    "RUN_SCENE", Severity::error, "There is no such built-in scene.",
    "Use pyramid, convex-vs-mesh, ragdoll-pile, humanoid, ant, chain or spheres, as in ant:16."};
inline constexpr Code kVelocityClamped{
    "RUN_VELOCITY_CLAMPED", Severity::warning, "Bodies exceeded the speed limit of the solver and were slowed down.",
    "Look for stiff drives, deep initial overlaps, or a time step that is too large."};
inline constexpr Code kContactOverflow{"RUN_CONTACT_OVERFLOW", Severity::warning,
                                       "There were more contacts than room for them in a step; the deepest were kept.",
                                       "The next step makes room; report it if it repeats."};
inline constexpr Code kGraph{"RUN_GRAPH", Severity::error, "A sequence of steps cannot be recorded or launched.",
                             "Correct what the message names, and record again."};

inline constexpr Code kChannelSilent{"RUN_CHANNEL_SILENT", Severity::warning,
                                     "Channels of a file of messages have no message.",
                                     "Nothing to do where a sensor or a renderer would make them; else author a "
                                     "publish_rate, or --enable the publisher."};

}  // namespace mechane::run
