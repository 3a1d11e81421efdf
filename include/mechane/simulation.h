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

struct SimulationOptions {
    std::optional<double> dt{};                   ///< of a step [s]; unset: what the stage authors, or 1/60
    int                   substeps = 8;           ///< 1..64
    std::string           solver   = "softstep";  ///< or a registered one
    int                   threads  = 0;           ///< including the caller's; 0: all cores. Nothing depends on it
    bool                  sleeping = false;       ///< islands that have come to rest are left out
    /// Where it is stepped: empty or "cpu"; "cuda", "cuda:N" a GPU; "host" the GPU's kernels on the CPU. A device takes
    /// worlds that are alike and steps them by softstep in single precision; docs/device.md says what it honours.
    std::string device{};
};

struct RecordOptions {
    std::int64_t every = 1;  ///< keep the frame of every k-th step; every step has its hash
    std::string  source{};   ///< what the recording says that was simulated; empty: the file that was loaded
};

/// A model in motion. Owns its state, commands, contacts, solver and threads; shares the model.
///
/// Equal models, options, commands and writes give equal states, to the last bit, for any number of threads, and the
/// same as `run::simulate` and `mechane sim`. One thread at a time may use a simulation; several simulations may run at
/// the same time, each on a thread of its own, with one model.
class Simulation {
  public:
    /// A model that cannot be stepped, or an option out of its range, is told the failure handler; `make` returns it.
    explicit Simulation(std::shared_ptr<const Model> model, const SimulationOptions& options = {});
    /// @error SIM_OPTION, SOLVER_UNKNOWN, SOLVER_MODEL, API_ARGUMENT without a model; DEV_NAME, DEV_UNAVAILABLE,
    /// DEV_KERNELS, DEV_DRIVER, DEV_MEMORY, DEV_NOT_SUPPORTED, DEV_NOT_ALIKE for a device
    [[nodiscard]] static Result<Simulation> make(std::shared_ptr<const Model> model,
                                                 const SimulationOptions&     options = {});
    ~Simulation();
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;

    // -- stepping
    /// @error RUN_DIVERGED  the state is as it was before; SOLVER_STATE  a solver of one's own left arrays of other
    /// sizes; API_ARGUMENT  a command is not finite or beyond 1e18, arrays were resized, or a controller calls it;
    /// API_FOREIGN  the state or the commands were replaced by those of another model. Worlds that diverged while
    /// others went on are in the report.
    [[nodiscard]] Result<StepReport> step();
    /// As many steps as it takes. @error SIM_OPTION  seconds are negative or not finite; those of step
    [[nodiscard]] Result<void> run_for(double seconds);
    /// Called before each step, after the animation of the stage: what it writes to the commands is the last word. It
    /// is called once a step, so a force that it writes is held over the step: a damping `kd` computed here is stable
    /// up to about kd dt < 2 I. Gains of drives (`ModelEdit::set_gains`) have no such bound. A controller may read
    /// everything of its simulation; what steps, resets, edits or records it, and `on_step` itself, is a mistake there.
    /// What it throws leaves `step`, which then has not happened. It may write to the state, which counts from this
    /// step on. A simulation that its own controller assigns to, or ends, first ends the step.
    using Controller = std::function<void(const State& state, Control& control)>;
    void on_step(Controller controller);

    // -- what is
    /// As it was edited: `edit` makes it another object, at once that of `state` and `control` too. What was made of
    /// the one before (`Dynamics`, `Queries`) is of the model before, and refuses them.
    [[nodiscard]] const std::shared_ptr<const Model>& model() const;
    /// Coordinates and bodies agree, also after `edit_state`.
    [[nodiscard]] const State&  state() const;
    [[nodiscard]] double        time() const;  ///< [s]
    [[nodiscard]] double        dt() const;    ///< [s]
    [[nodiscard]] std::int64_t  steps() const;
    [[nodiscard]] std::uint64_t hash() const;  ///< chained over the states of all steps
    [[nodiscard]] Placement     pose(BodyId body) const;
    [[nodiscard]] Vec3          position(BodyId body) const;
    [[nodiscard]] Worlds        worlds() const;    ///< none for a model without worlds, where everything is shared
    [[nodiscard]] Contacts      contacts() const;  ///< of the last step, near ones included
    [[nodiscard]] Contacts      touching() const;  ///< those that carry a force
    /// Up to date with the state. Valid until the next step or edit.
    [[nodiscard]] const Queries& queries();
    /// What was found when the simulation was made and while it ran.
    [[nodiscard]] const Diagnostics& notes() const;

    // -- what a program writes
    /// The commands from the next step on. A number among them that is not finite, or beyond 1e18, is API_ARGUMENT of
    /// `step`.
    [[nodiscard]] Control& control();
    /// The state, to be written to between steps; counts from the next step on. A `State` of this simulation that was
    /// kept, also from before an `edit`, may be assigned to it.
    [[nodiscard]] State& edit_state();
    void                 set_pose(BodyId body, const Placement& pose) { edit_state().set_pose(body, pose); }
    /// All worlds, or one of them, at the start of the model: what a program wrote to the state before the first step
    /// is not part of it. The time, the commands and the other worlds stay. kShared is all of a model without worlds.
    void reset();
    void reset(WorldId world);
    /// Changes the model of this simulation alone. Not while recording. What steps, resets, edits or records it is a
    /// mistake within `change`. @error SIM_RECORDING; API_ARGUMENT  arrays of the model were resized, which is
    /// undone; those of make
    Result<void> edit(const std::function<void(ModelEdit&)>& change);

    // -- recordings
    /// Records every step from now on, into a file that `replay` verifies. Of a model that `load` made without tables
    /// of one's own, `mechane replay` also verifies it, and makes pages, pictures and tables of it.
    /// @error SIM_RECORDING  it records already, or the model was edited; RECORD_WRITE_FAILED; FILES_BUSY; FILES_INPUT
    /// the file is one that the model was loaded from, or that those depend on
    [[nodiscard]] Result<void> record(const std::string& file, const RecordOptions& options = {});
    /// Publishes the file. A simulation that ends without it leaves none.
    /// @error SIM_RECORDING  nothing is recorded; RECORD_WRITE_FAILED
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
