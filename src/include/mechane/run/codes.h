#pragma once
#include "mechane/core/diagnostic.h"
#include "mechane/simulation/codes.h"

namespace mechane::run {

inline constexpr Code kNothingMoves{"RUN_NOTHING_MOVES", Severity::warning, "The model has no body that can move.",
                                    "Apply PhysicsRigidBodyAPI to the prims that should move."};
inline constexpr Code kNoColliders{
    "RUN_NO_COLLIDERS", Severity::warning, "The model has bodies but no collider.",
    "Apply PhysicsCollisionAPI to the geometry below the bodies, or bodies will fall through everything."};
inline constexpr Code kValuesIgnored{
    "RUN_VALUES_IGNORED", Severity::warning, "Authored physics values have no effect, and --strict was given.",
    "`mechane info --ledger --only ignored` lists them with the reasons; correct or remove them."};
inline constexpr Code kGroundKept{"RUN_GROUND_KEPT", Severity::info,
                                  "The stage has an infinite plane of its own; no ground was added.",
                                  "Give a height, as in --ground 0, to add one anyway."};
inline constexpr Code kControllerRefused{
    "RUN_CONTROLLER_REFUSED", Severity::error,
    "A controller was not switched on: another one that is on commands the same joint or body.",
    "Switch the other one off before or at the same time, as in --disable OTHER@1 --enable THIS@1."};
inline constexpr Code kControllerConflict{
    "RUN_CONTROLLER_CONFLICT", Severity::warning,
    "Two controllers that start enabled command the same joint or body; only the first one of the stage is on.",
    "Write control:starts_enabled = false on one of them."};
inline constexpr Code kControllerIdle{"RUN_CONTROLLER_IDLE", Severity::warning,
                                      "A controller does not move a joint that it names.",
                                      "Correct what the message names; commands go through the drives of joints."};
inline constexpr Code kControllerNoRuntime{
    "RUN_CONTROLLER_NO_RUNTIME", Severity::info, "A controller that is on has a schema that Mechane does not run.",
    "Nothing to do; 'mechane ros interfaces --controllers' says which schemas run."};
inline constexpr Code kScene{
    "RUN_SCENE", Severity::error, "The name of a built-in scene is unknown.",
    "Use pyramid, convex-vs-mesh, ragdoll-pile, humanoid, ant, chain or spheres, as in ant:16."};

inline constexpr Code kChannelSilent{"RUN_CHANNEL_SILENT", Severity::warning,
                                     "Channels of an .mcap file have no message.",
                                     "Nothing to do if a sensor or a renderer would make them; else author a "
                                     "publish_rate, or --enable the publisher."};

}  // namespace mechane::run
