#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::record {

/// One contact as it is drawn: effective surface point and force on shape 1.
struct ContactSample {
    Vec3 point;     ///< world, midway between the two surfaces [m]
    Vec3 normal;    ///< unit, world, from shape 0 to shape 1; dimensionless
    Vec3 force;     ///< on shape 1 [N]
    Real distance;  ///< [m]
    /// Indices in the model.
    std::int32_t shape0, shape1;
};

/// The state at one external step.
/// Positions and velocities of everything, without what a solver remembers: a frame is drawn, not gone on from.
struct Frame {
    double t = 0;  ///< [s]
    /// Layouts are those of the model: one entry for each of its bodies, coordinates or dofs.
    std::vector<Pose>    body_q;
    std::vector<Spatial> body_qd;
    std::vector<Real>    joint_q, joint_qd;  ///< [m] or [rad] or quaternions [-]; [m/s] or [rad/s]
    /// Rows that carry no force are among them.
    std::vector<ContactSample> contacts;
    double                     kinetic = 0, potential = 0;  ///< [J]
    std::vector<Vec3>          particle_q, particle_qd;     ///< [m], [m/s]; empty without particles
};

/// A joint that broke at the end of a step.
struct BreakEvent {
    double t = 0;  ///< [s]
    /// Index in the model.
    std::int32_t joint;
    double       force, torque;  ///< what it carried over the step [N], about the child's anchor [N m]
};

/// What a program wrote between two steps of a run, beyond what the model and the animation say.
struct StepInput {
    /// The first step of a run is 1, so that 0 is what was written before it.
    std::int64_t step = 0;  ///< after so many steps, before the next
    /// Unset: as the step before left it. Only what differs is written down.
    std::optional<model::State>         state{};    ///< the whole state, where it was written to
    std::optional<model::Control>       control{};  ///< the commands from here on
    std::optional<std::vector<Spatial>> wrench{};   ///< external wrenches of the bodies from here on [N, N m]
    std::vector<std::uint8_t> reset{};  ///< worlds that the solver forgot [world_count + 1], last: everything; or empty
};

/// Sums over the whole run, for the report of `mechane sim`.
/// Numbers about the run, for people; nothing of it goes into the hash.
struct RunReport {
    std::string dt_source;  ///< where the step comes from: an attribute and its place, "given", "default"
    /// Most rows of one step, near ones included.
    std::int32_t contacts_max  = 0;
    double       contacts_mean = 0;  ///< number of contacts, mean over the steps
    /// Depths are positive; 0: nothing overlapped.
    double deepest_penetration = 0;               ///< over the run [m]
    double final_penetration   = 0;               ///< into static shapes at the last frame [m]
    double start_overlap = 0, final_overlap = 0;  ///< between shapes of bodies at the first and the last frame [m]
    double joint_error_linear = 0, joint_error_angular = 0;  ///< worst loop error [m], [rad]
    std::int32_t clamped_velocities = 0;
    std::int64_t rows = 0, sweeps = 0;  ///< constraint rows of all steps, and passes over the rows of an island
    std::int64_t block_solves = 0, block_fallbacks = 0;  ///< direct solves of small islands, and those given up
    std::int64_t sweeps_most = 0;                        ///< passes of the step that had most
    std::vector<BreakEvent> broken;                      ///< in order of time
    /// By "collide", "solve" and "record"; contacts that MuJoCo finds by itself count as solving.
    std::map<std::string, double> wall_s;  ///< wall time per phase [s]
};

/// A trajectory with what is needed to draw it. Frame 0 is the initial state.
/// In memory. As a file: `mechane sim -o run.mrec`, which holds every step's hash as well.
struct Recording {
    std::string source;  ///< file that was simulated, as the user named it
    /// Name with its parameters.
    std::string  solver;
    double       dt    = 0;  ///< external step [s]
    std::int64_t steps = 0;
    /// Ascending in time; the last state of the run is always among them.
    std::vector<Frame> frames;
    std::uint64_t      hash = 0;  ///< chained over the states of all steps
    RunReport          report;
};

/// Chains the next state into a hash: bytes of body_q, body_qd, joint_q, joint_qd, and of particle_q and particle_qd
/// where there are particles.
/// Chains start with 0. Rows of contacts, energies and custom attributes are not in it.
std::uint64_t chain_hash(std::uint64_t hash, const model::State& state);

}  // namespace mechane::record
