#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::tasks {
class Pool;
}

namespace mechane::solvers {

/// A joint that carried more than it can bear in the step that is reported.
/// `ModelBuilder` sets what a joint bears in `BuilderJoint::break_force`, a stage in physics:breakForce.
struct BrokenJoint {
    /// Index in the model.
    std::int32_t joint = -1;
    /// Compared with what the joint bears by their magnitudes.
    double force = 0, torque = 0;  ///< mean over the step [N], about the child's anchor [N m]
};

/// What a caller may ask a solver to fill in at every step; world axes, means over the step.
/// The caller owns this object and keeps it until `observe(nullptr)`; the solver resizes its arrays.
struct Observables {
    std::vector<Spatial>      body_qdd;       ///< acceleration of the centre of mass, gravity included; angular [SI]
    std::vector<Spatial>      body_parent_f;  ///< wrench that the inbound joint transmits, about the centre of mass
    std::vector<Real>         joint_drive_f;  ///< [N] or [N m], of each drive at the end of the step, dof layout
    std::vector<std::uint8_t> body_awake;     ///< whether the body was computed
};

/// What of a model was written to since the last step. One bit may stand for a part of what another stands for, so
/// they are tested together; what a solver reads at every step (gains, limits, armature, forces, gravity, contact
/// materials, `joint_enabled`) needs no notice.
namespace change {
inline constexpr std::uint32_t joint_properties = 1, joint_dof_properties = 2, body_properties = 4,
                               body_inertial_properties = 8, shape_properties = 16, model_properties = 32,
                               constraint_properties = 64, tendon_properties = 128, actuator_properties = 256,
                               joint_dof_force_properties = 512, joint_dof_inertial_properties = 1024,
                               joint_reference_pose_properties = 2048, shape_type_and_source = 4096, all = 8191;
}

/// What a step has to say besides the new state. The step itself stays defined whatever happens.
/// Counts are of this step alone. Solvers that have no such thing leave a count at 0.
struct StepReport {
    /// A state or a result was not finite or beyond all bounds, and no world could go on: `out` is the state before the
    /// step.
    bool diverged = false;
    /// Worlds that are as they were before the step for that reason, while the others went on; ascending.
    std::vector<std::int32_t> diverged_worlds;
    std::int32_t              culprit_body  = -1;  ///< body that diverged first
    std::int32_t              culprit_joint = -1;  ///< joint whose drive, limit or inertia explains it, -1 if unknown
    std::string               culprit;             ///< the same in words: stiffness, inertia, dt bound
    /// Set where the caller made a mistake, and nothing was stepped: arrays of wrong sizes, a step that is no positive
    /// time, contacts that the solver cannot read. `diverged` is set as well, and `out` is the state before the step.
    std::optional<Diagnostic> refused;
    std::int32_t              clamped_velocities = 0;  ///< bodies above max_velocity
    /// What the solver had to do: rows of contacts, of limits and of joints that close loops.
    std::int32_t contact_rows = 0, limit_rows = 0, loop_rows = 0;
    std::int64_t sweeps = 0;  ///< passes over the rows of an island, of all islands and substeps
    /// Direct solves of small islands, two a substep, and those that were left to sweeps.
    std::int32_t block_solves = 0, block_fallbacks = 0;
    /// Bodies whose island was left out in this step.
    std::int32_t             sleeping_bodies = 0;
    std::vector<BrokenJoint> broken;  ///< joints that broke at the end of this step; they stay broken until reset
    double                   deepest_penetration = 0;  ///< of active contacts at the end of the step [m], positive
    double                   joint_error_linear  = 0;  ///< largest anchor gap of loop joints [m]
    double                   joint_error_angular = 0;  ///< [rad]
};

/// What one step hands on to the next besides the state, of one of several states that a solver steps in turn.
/// For many rollouts of one model by one solver: each has a state and a memory.
class SolverMemory {
  public:
    SolverMemory()                               = default;
    virtual ~SolverMemory()                      = default;
    SolverMemory(const SolverMemory&)            = delete;
    SolverMemory& operator=(const SolverMemory&) = delete;
};

/// One interface for every way of stepping. A solver belongs to one model and may keep caches (warm starting).
///
/// The contract of a solver, for those who write one (`register_solver`):
///  - `in` may be `out`. A solver that writes to other arrays resizes those of `out` to the sizes of `in`.
///  - It fills body_q, body_qd, joint_q and joint_qd of `out`, of all joints, so that bodies and coordinates agree; it
///    leaves body_f, particle_f and custom attributes as `in` has them.
///  - It sets `time` of `out` to that of `in` plus `dt`. `Simulation` and `run::simulate` put the number of steps times
///    `dt` in its place, so that no rounding adds up.
///  - Rows of `contacts` up to rigid_contact_count are candidates: rows whose distance is positive (margins subtracted)
///    do not touch yet. A solver gives them force where they would meet within the step, and 0 otherwise; it fills
///    rigid_contact_force and rigid_contact_torque of every row.
///  - `control` may have empty arrays, which stand for what the model stores.
///  - Equal arguments after an equal history give equal bytes, for any number of threads.
///  - A mistake of the caller is `StepReport::refused`, numbers that grow beyond bounds are `diverged`.
/// One thread at a time may call a solver; inside it may use `SolverOptions::pool`.
class Solver {
  public:
    virtual ~Solver() = default;
    /// Advances `in` by `dt` [s] into `out` (may be the same object). `contacts` are those of `in`; null means none.
    /// Fills `contacts->rigid_contact_force` and `rigid_contact_torque`. A step of 0 s changes nothing.
    /// @error SOLVER_STATE, SOLVER_CONTACTS  in `StepReport::refused`: arrays of other sizes, a time that is none, rows
    /// that the solver cannot read
    [[nodiscard]] virtual StepReport step(const model::State& in, model::State& out, const model::Control& control,
                                          model::Contacts* contacts, double dt) = 0;
    /// Whether the solver finds contacts by itself: `step` takes none then (null).
    [[nodiscard]] virtual bool finds_contacts() const { return false; }
    /// Of such a solver: the contacts of the last step with their forces, as many as `out` has room for. Points are
    /// where the bodies of `state`, the end of that step, take them.
    virtual void found_contacts(const model::State& /*state*/, model::Contacts& /*out*/) const {}
    /// Forgets caches, as after a teleport, and mends broken joints.
    virtual void reset() = 0;
    /// The same for the worlds whose entry is not zero [world_count]; the others go on with the same bits.
    virtual void reset_worlds(std::span<const std::uint8_t> selected) = 0;
    /// To be called after arrays of the model were written to; `changes` are bits of `change`.
    virtual void notify(std::uint32_t changes) = 0;
    /// As `make_solver` knows it.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Everything that one step hands on to the next besides the state, version tagged. A solver of the same model and
    /// options that is given it with the same state continues with the same bits.
    [[nodiscard]] virtual std::vector<std::byte> save() const { return {}; }
    /// @return false, with nothing changed, when the bytes are of another model, another version, or damaged
    [[nodiscard]] virtual bool restore(std::span<const std::byte> bytes) { return bytes.empty(); }
    /// A memory as after `reset`, so that the solver can step another state of its model in turn: `exchange` puts it in
    /// the place of what the solver remembers, and that into it. A state has the bits that it has with a solver of its
    /// own. Null: the solver, or this model, keeps more than that.
    [[nodiscard]] virtual std::unique_ptr<SolverMemory> make_memory() { return nullptr; }
    /// @param memory  of this solver, or of one of an equal model and equal options
    virtual void exchange(SolverMemory& /*memory*/) {}
    /// Fills `observables` at every step from now on; null stops it. Costs an inverse dynamics a step.
    virtual void observe(Observables* /*observables*/) {}
    /// Whether the body's island is computed; a solver without sleeping keeps all awake.
    [[nodiscard]] virtual bool is_awake(std::int32_t /*body*/) const { return true; }
    /// Wakes the body and, in the next step, all that touches it.
    virtual void wake(std::int32_t /*body*/) {}
};

/// How the coefficients of friction and restitution of two materials become those of a contact.
using model::MaterialCombine;

struct SolverOptions {
    /// How many steps of the solver make one step of the caller; contacts are found once for all of them.
    int substeps = 8;  ///< 1..64
    /// The caller's, and outlives the solver. The states do not depend on it.
    const tasks::Pool* pool = nullptr;  ///< null: one thread
    /// For a check before a long run; the face leaves it off, so that a model with one such feature still runs.
    bool            strict   = false;  ///< what the solver cannot honour of a model is an error
    bool            sleeping = false;  ///< islands that have come to rest are left out until something wakes them
    MaterialCombine combine  = MaterialCombine::average;  ///< as UsdPhysics has it; of shapes that name no rule
};

/// Makes a solver of the caller's own. The model outlives what it makes.
using SolverFactory = std::function<Result<std::unique_ptr<Solver>>(const model::Model&  model,
                                                                    const SolverOptions& options, Diagnostics& out)>;
/// Has `make_solver` know a solver of the caller's own, for the rest of the process. May be called from any thread.
/// @error SOLVER_NAME  the name is empty, has a colon or is taken, or the factory is empty
Result<void> register_solver(std::string name, SolverFactory factory);

/// Names of solvers, the default first, registered ones last. The span stays valid, and as it is, when others are
/// registered.
std::span<const std::string_view> solver_names();
/// @param name  "softstep", or with parameters "softstep:NAME=VALUE,..."
/// @param out   gets what the solver leaves out or approximates
/// @error SOLVER_UNKNOWN  with the known names in the hint; SOLVER_PARAMETER  of what stands behind the colon;
/// SOLVER_UNAVAILABLE  it needs a library that is not here; SOLVER_MODEL  the model has something this solver cannot
/// step
/// The model is referred to and outlives the solver: a temporary one is refused by the compiler.
Result<std::unique_ptr<Solver>> make_solver(std::string_view name, const model::Model& model,
                                            const SolverOptions& options, Diagnostics& out);
Result<std::unique_ptr<Solver>> make_solver(std::string_view name, const model::Model&& model,
                                            const SolverOptions& options, Diagnostics& out) = delete;

}  // namespace mechane::solvers
