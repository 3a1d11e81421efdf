#pragma once
/// Everything that needs no USD: models, simulations, dynamics, queries, recordings, solvers of one's own. Link
/// mechane::simulation. docs/cpp.md shows programs.
#if __cplusplus < 202002L
#error "mechane needs C++20: -std=c++20, or newer"
#endif
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mechane/builder.h"
#include "mechane/contacts.h"
#include "mechane/dynamics.h"
#include "mechane/math.h"
#include "mechane/model.h"
#include "mechane/queries.h"
#include "mechane/recording.h"
#include "mechane/result.h"
#include "mechane/solver.h"
#include "mechane/state.h"

namespace mechane {

/// What holds for the life of a simulation. Everything that may change while it runs is `edit`, or the commands.
struct SimulationOptions {
    /// One step finds contacts once and solves `substeps` times. More substeps make stacks and fast mechanisms stiffer
    /// at less cost than a smaller `dt`; a smaller `dt` also finds contacts more often.
    /// Of a step [s], positive and finite; unset: what the stage authors, or 1/60.
    std::optional<double> dt{};
    /// The solver's steps within a step. The time of one is dt / substeps; drives, limits and contacts are solved in
    /// each.
    int substeps = 8;  ///< 1..64
    /// `solver_names` lists them; parameters stand behind a colon, "softstep:NAME=VALUE,...", as `mechane doctor
    /// --solvers` lists them.
    std::string solver = "softstep";  ///< or a registered one
    /// 0..4096.
    int threads = 0;  ///< including the caller's; 0: all cores. Nothing depends on it
    /// They cost next to nothing until something touches them. Off by default, since a robot that is controlled never
    /// rests.
    bool sleeping = false;  ///< islands that have come to rest are left out
    /// Where it is stepped: empty or "cpu"; "cuda", "cuda:N" a GPU; "host" the GPU's kernels on the CPU. A device takes
    /// worlds that are alike and steps them by softstep in single precision; docs/device.md says what it honours.
    std::string device{};
};

/// What of a run is kept. Hashes of all steps are, so that `replay` compares every one.
struct RecordOptions {
    /// At least 1; counted from the step at which the recording begins. A frame holds all poses, velocities and
    /// contacts.
    std::int64_t every = 1;  ///< keep the frame of every k-th step; every step has its hash
    /// For a program that builds its model, so that a report of the recording can name it.
    std::string source{};  ///< what the recording says that was simulated; empty: the file that was loaded
};

/// A model in motion. Owns its state, commands, contacts, solver and threads; shares the model.
///
/// Equal models, options, commands and writes give equal states, to the last bit, for any number of threads, and the
/// same as `run::simulate` and `mechane sim`. One thread at a time may use a simulation; several simulations may run at
/// the same time, each on a thread of its own, with one model.
/// What it holds is reached by references that stay valid while it lives and is not assigned to: `state`, `control`,
/// `notes`. `contacts`, `touching` and `queries` hold until the next step, edit or reset.
class Simulation {
  public:
    /// A model that cannot be stepped, or an option out of its range, is told the failure handler; `make` returns it.
    /// Starts at the model's initial state, with bodies moved onto their joints and the contacts of the start found.
    explicit Simulation(std::shared_ptr<const Model> model, const SimulationOptions& options = {});
    /// @error SIM_OPTION, SOLVER_UNKNOWN, SOLVER_PARAMETER, SOLVER_UNAVAILABLE, SOLVER_MODEL, API_ARGUMENT without a
    /// model; DEV_NAME, DEV_UNAVAILABLE,
    /// DEV_KERNELS, DEV_DRIVER, DEV_MEMORY, DEV_NOT_SUPPORTED, DEV_NOT_ALIKE for a device
    /// For models that are not known to be good. `notes` has what was found beside the success.
    [[nodiscard]] static Result<Simulation> make(std::shared_ptr<const Model> model,
                                                 const SimulationOptions&     options = {});
    /// Ends the threads. A recording that was not finished leaves no file.
    ~Simulation();
    /// What was moved away may be assigned to or destroyed; anything else is a mistake that the failure handler is
    /// told. References into the simulation stay valid where it is now.
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;

    // -- stepping
    /// @error RUN_DIVERGED  the state is as it was before; SOLVER_STATE  a solver of one's own left arrays of other
    /// sizes; API_ARGUMENT  a command is not finite or beyond 1e18, arrays were resized, or a controller calls it;
    /// API_FOREIGN  the state or the commands were replaced by those of another model. Worlds that diverged while
    /// others went on are in the report.
    /// Advances by `dt`: the animation, the controller, contacts, the solver, the hash. Allocates nothing once buffers
    /// have grown to their size, unless it records.
    [[nodiscard]] Result<StepReport> step();
    /// As many steps as it takes. @error SIM_OPTION  seconds are negative or not finite; those of step
    /// Whole steps, to the nearest number: 0.1 s at 1/60 s are six. Ends at the first step that fails.
    [[nodiscard]] Result<void> run_for(double seconds);
    /// Called before each step, after the animation of the stage: what it writes to the commands is the last word. It
    /// is called once a step, so a force that it writes is held over the step: a damping `kd` computed here is stable
    /// up to about kd dt < 2 I. Gains of drives (`ModelEdit::set_gains`) have no such bound. A controller may read
    /// everything of its simulation; what steps, resets, edits or records it, and `on_step` itself, is a mistake there.
    /// What it throws leaves `step`, which then has not happened. It may write to the state, which counts from this
    /// step on. A simulation that its own controller assigns to, or ends, first ends the step.
    using Controller = std::function<void(const State& state, Control& control)>;
    /// One at a time; an empty function takes it away. What it refers to has to live as long as it is set.
    void on_step(Controller controller);

    // -- what is
    /// As it was edited: `edit` makes it another object, at once that of `state` and `control` too. What was made of
    /// the one before (`Dynamics`, `Queries`) is of the model before, and refuses them.
    [[nodiscard]] const std::shared_ptr<const Model>& model() const;
    /// Coordinates and bodies agree, also after `edit_state`.
    /// After `edit_state` the first look costs a pass over the joints.
    [[nodiscard]] const State& state() const;
    /// The number of steps times `dt`, so that no rounding adds up. `reset` leaves it.
    [[nodiscard]] double time() const;  ///< [s]
    /// As it was given, or what the stage authors; it never changes.
    [[nodiscard]] double dt() const;  ///< [s]
    /// Since the start; resets do not count back.
    [[nodiscard]] std::int64_t steps() const;
    /// Equal hashes stand for equal states in all steps so far.
    [[nodiscard]] std::uint64_t hash() const;  ///< chained over the states of all steps
    /// Short for `state().pose(body)` and `state().position(body)`; kWorld is at the identity.
    [[nodiscard]] Placement pose(BodyId body) const;
    [[nodiscard]] Vec3      position(BodyId body) const;
    [[nodiscard]] Worlds    worlds() const;    ///< none for a model without worlds, where everything is shared
    [[nodiscard]] Contacts  contacts() const;  ///< of the last step, near ones included
    /// Forces are of the last step, points and distances of the poses as they are now. Before the first step none
    /// carries one.
    [[nodiscard]] Contacts touching() const;  ///< those that carry a force
    /// Up to date with the state. Valid until the next step or edit.
    /// Costs one pass over the shapes where the state has changed since the last call, and nothing else.
    [[nodiscard]] const Queries& queries();
    /// What was found when the simulation was made and while it ran.
    /// RUN_OVERLAP_KEPT, RUN_PROJECTED, RUN_START_LIMIT, RUN_WORLD_DIVERGED, and what a solver cannot honour of the
    /// model.
    [[nodiscard]] const Diagnostics& notes() const;

    // -- what a program writes
    /// The commands from the next step on. A number among them that is not finite, or beyond 1e18, is API_ARGUMENT of
    /// `step`.
    [[nodiscard]] Control& control();
    /// The state, to be written to between steps; counts from the next step on. A `State` of this simulation that was
    /// kept, also from before an `edit`, may be assigned to it; the time goes on.
    /// Coordinates and poses are brought together at the next step or look, so that setters may come in any order. A
    /// velocity that a joint does not allow is left out. What a solver remembers of contacts stays: after a jump call
    /// `reset` for the world, or bear one step of old guesses.
    [[nodiscard]] State& edit_state();
    /// Short for `edit_state().set_pose(body, pose)`.
    void set_pose(BodyId body, const Placement& pose) { edit_state().set_pose(body, pose); }
    /// All worlds, or one of them, at the start of the model: what a program wrote to the state before the first step
    /// is not part of it. The time, the commands and the other worlds stay. kShared is all of a model without worlds.
    /// What the solver remembers is forgotten with it. With the same commands the run from here on has the states of a
    /// new one.
    void reset();
    /// The same for one world: its bodies, joints and particles; RUN_WORLD_DIVERGED may be told of it again.
    void reset(WorldId world);
    /// Changes the model of this simulation alone. Not while recording. What steps, resets, edits or records it is a
    /// mistake within `change`. @error SIM_RECORDING; API_ARGUMENT  arrays of the model were resized, which is
    /// undone; those of make
    /// What was edited stays: `reset` goes back to the start of the model as it is now.
    Result<void> edit(const std::function<void(ModelEdit&)>& change);

    // -- recordings
    /// Records every step from now on, into a file that `replay` verifies. Of a model that `load` made without tables
    /// of one's own, `mechane replay` also verifies it, and makes pages, pictures and tables of it.
    /// @error SIM_RECORDING  it records already, or the model was edited; SIM_OPTION  `every` is not positive;
    /// API_ARGUMENT, API_FOREIGN  as of `step`; RECORD_WRITE_FAILED; FILES_BUSY; FILES_INPUT
    /// the file is one that the model was loaded from, or that those depend on
    /// Writes aside while it runs; `finish_recording` puts the file in its place.
    [[nodiscard]] Result<void> record(const std::string& file, const RecordOptions& options = {});
    /// Publishes the file. A simulation that ends without it leaves none.
    /// @error SIM_RECORDING  nothing is recorded; RECORD_WRITE_FAILED
    /// The frame of the last step is added where `every` left it out.
    [[nodiscard]] Result<void> finish_recording();

  private:
    struct Impl;
    struct Private {};
    Simulation(Private, std::unique_ptr<Impl> impl);
    /// What a call works on; a simulation that was moved away has nothing.
    [[nodiscard]] Impl& own(const char* function) const;
    /// The same, for what a controller may not do.
    [[nodiscard]] Impl& outside(const char* function) const;

    std::shared_ptr<Impl> impl_;  ///< shared with a step that is running
};

}  // namespace mechane
