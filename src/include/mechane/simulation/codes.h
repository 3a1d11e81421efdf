#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of the simulation: of a program that asks it, of recordings, of runs.
namespace mechane::simulation {

inline constexpr Code kLabel{"SIM_LABEL", Severity::error,
                             "A model has no body, joint or shape of this label, or several of them.",
                             "Use a label that the model has; name the world where several have it."};
inline constexpr Code kDof{"SIM_DOF", Severity::error,
                           "A joint does not have the degree of freedom that was asked for.",
                           "Name one of the joint's axes, counted from 0."};
inline constexpr Code kOption{"SIM_OPTION", Severity::error,
                              "A simulation was asked for with an option out of its range.",
                              "Correct the option that the message names."};
inline constexpr Code kBuild{"SIM_BUILD", Severity::error, "A model cannot be built from what the builder was given.",
                             "Correct the call that the site names."};
inline constexpr Code kDynamics{"SIM_DYNAMICS", Severity::error,
                                "The dynamics of a body or world cannot be told in the dofs of the model.",
                                "See docs/cpp.md: bodies need a joint for their dofs to have a number."};
inline constexpr Code kRecordingState{"SIM_RECORDING", Severity::error,
                                      "A recording was begun, ended or continued at a moment when it cannot be.",
                                      "Begin with record(), end with finish_recording(), and edit the model outside."};
inline constexpr Code kDistance{"SIM_DISTANCE", Severity::error, "Two shapes have no distance.",
                                "Ask for shapes that collide, one of them with a bounded surface."};

}  // namespace mechane::simulation

/// Recordings and checkpoints. Sites name the file; those of bodies the prim.
namespace mechane::record {

inline constexpr Code kWriteFailed{"RECORD_WRITE_FAILED", Severity::error, "A file could not be written.",
                                   "Check that the folder exists, is writable and has space left."};
inline constexpr Code kCheckpoint{
    "RECORD_CHECKPOINT", Severity::error, "A checkpoint cannot be continued from.",
    "Use a file that a checkpoint was written to, with the same stage, options and build."};
inline constexpr Code kRecordingFile{"RECORD_FILE", Severity::error, "A recording cannot be read.",
                                     "Use a .mrec file of this version of mechane and of a build with the same Real."};
inline constexpr Code kCutOff{"RECORD_CUT_OFF", Severity::warning, "A recording ends early.",
                              "The run was stopped, or the file was cut; what is there is used."};
inline constexpr Code kDamaged{"RECORD_DAMAGED", Severity::error, "A part of a recording is damaged.",
                               "What comes before it is used; record the run again to have all of it."};
inline constexpr Code kOtherModel{"RECORD_OTHER_MODEL", Severity::error, "A recording is of another model.",
                                  "Use the stage and the options that were recorded."};
inline constexpr Code kInconsistent{"RECORD_INCONSISTENT", Severity::error,
                                    "A recording has values that its model cannot have.",
                                    "Somebody changed the file; record the run again."};

}  // namespace mechane::record

/// Runs: steps one after the other.
namespace mechane::run {

inline constexpr Code kArgument{
    "RUN_ARGUMENT", Severity::error, "An option of the run has an invalid value.",
    "Correct the option that the message names; 'mechane sim --help' has ranges and units."};
inline constexpr Code kProjected{
    "RUN_PROJECTED", Severity::warning,
    "Authored poses or velocities of bodies do not satisfy the joints of their tree and were changed.",
    "Align localPos0/localRot0 and localPos1/localRot1 with the body poses, as "
    "'mechane fix --realign-joints' does; author velocities that the joints allow."};
inline constexpr Code kStartLimit{
    "RUN_START_LIMIT", Severity::warning,
    "Joints start outside of their limits, which push them back from the first step on.",
    "Author state:...:physics:position within the limits, or poses of the bodies that the limits allow."};
inline constexpr Code kParticleOverlap{
    "RUN_PARTICLE_OVERLAP", Severity::warning,
    "Particles of something soft start inside a shape; contacts push them out, which may throw what is light.",
    "Particles touch at their radius: move the soft body away by it, or make the radius smaller."};
inline constexpr Code kOverlapKept{
    "RUN_OVERLAP_KEPT", Severity::info,
    "Parts of one mechanism overlap in the start pose; that overlap counts as touching.",
    "Nothing to do; filter the pair with physics:filteredPairs if it should not collide at all."};
inline constexpr Code kDiverged{"RUN_DIVERGED", Severity::error,
                                "The simulation diverged; the last good state is the end of the recording.",
                                "Use a smaller step or more substeps, or soften the joint that is named."};
inline constexpr Code kWorldDiverged{"RUN_WORLD_DIVERGED", Severity::error,
                                     "One world diverged and keeps its last state; the others continue.",
                                     "Use a smaller step or more substeps, or soften the joint that is named."};
inline constexpr Code kJointBroke{"RUN_JOINT_BROKE", Severity::info,
                                  "A joint carried more than its break force or torque and broke.",
                                  "Raise physics:breakForce or physics:breakTorque if it should hold."};
inline constexpr Code kTargetRange{
    "RUN_TARGET_RANGE", Severity::warning,
    "A commanded position, or a start, lies beyond the limits of its joint; it is used as given.",
    "Write a unit: 30deg, 0.5rad, 5mm; a plain number is in radians or metres."};
inline constexpr Code kTargetIdle{"RUN_TARGET_IDLE", Severity::warning,
                                  "A commanded target moves nothing: its joint has no drive that follows it.",
                                  "Give the joint a drive with a gain for it, or command a force: JOINT.f."};
inline constexpr Code kSetUnknown{"RUN_SET_UNKNOWN", Severity::error,
                                  "A setting names a joint, body or field that the model does not have.",
                                  "Use PATH.field=value with field target_q, target_qd, f, q or qd."};
inline constexpr Code kSetVelocity{
    "RUN_SET_VELOCITY", Severity::warning,
    "A setting gives a body a velocity that its joint does not allow; the part that it allows is kept.",
    "Set the rate of the joint, JOINT.qd, or a velocity along which the joint moves."};
inline constexpr Code kControlFile{
    "RUN_CONTROL_FILE", Severity::error, "A control file cannot be read.",
    "The first row names the columns: t, then PATH.field; the others hold numbers in SI units."};
inline constexpr Code kControlLate{"RUN_CONTROL_LATE", Severity::warning,
                                   "Rows of a control file are later than the end of the run; they have no effect.",
                                   "Run longer, or leave the rows out."};
inline constexpr Code kVelocityClamped{
    "RUN_VELOCITY_CLAMPED", Severity::warning, "Bodies exceeded the speed limit of the solver and were slowed down.",
    "Look for stiff drives, deep initial overlaps, or a time step that is too large."};
inline constexpr Code kContactOverflow{"RUN_CONTACT_OVERFLOW", Severity::warning,
                                       "A step had more contacts than the buffer holds; the deepest were kept.",
                                       "The buffer grows for the next step; report it if it repeats."};
inline constexpr Code kGraph{"RUN_GRAPH", Severity::error, "A sequence of steps cannot be recorded or launched.",
                             "Correct what the message names, and record again."};

}  // namespace mechane::run
