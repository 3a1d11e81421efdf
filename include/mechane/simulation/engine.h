#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mechane/collision/pipeline.h"
#include "mechane/collision/rest_overlaps.h"
#include "mechane/core/result.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/model/changes.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/simulation/checkpoint.h"
#include "mechane/solvers/solver.h"
#include "mechane/tasks/parallel.h"

namespace mechane::simulation {

class WorldBlocks;

/// Sets what an animation commands for a step from `begin` to `end` [s], in the controls and in a copy of the model;
/// says what it changed of that.
using Follow = std::function<model::ModelChanges(double begin, double end, const model::State& state,
                                                 model::Model& model, model::Control& control)>;

/// Of the loop; `Simulation` and `run::simulate` fill it from theirs.
struct EngineOptions {
    std::string solver     = "softstep";  ///< or, on a device, "softstep@cuda:0" (device::SolverPlace)
    double      dt         = 1.0 / 60;    ///< [s], positive
    int         substeps   = 8;           ///< 1..64
    int         threads    = 0;           ///< 0: all cores; the states do not depend on it
    bool        sleeping   = false;       ///< islands that have come to rest are left out
    bool        keep_pairs = true;        ///< pairs at rest keep their contacts
    bool        sweep_fast = true;        ///< fast bodies are followed along their way
    Follow      follow{};                 ///< called before each step; may be empty
};

/// The one loop of this library: follow the animation, find contacts, solve, chain the hash. `Simulation` and
/// `run::simulate` both run it, so equal models, options and commands give equal bytes.
///
/// It owns threads, contacts and solver; the model, the state and the controls are the caller's and outlive it. What
/// the caller writes to them between two steps counts.
class Engine {
  public:
    /// @error RUN_ARGUMENT  an option is out of range, or the state is none of the model; those of make_solver
    /// Then `project` or `resume`, and `begin`, before the first step.
    static Result<std::unique_ptr<Engine>> make(const model::Model& model, model::State& state, model::Control& control,
                                                EngineOptions options, Diagnostics& found);
    ~Engine();
    Engine(const Engine&)            = delete;
    Engine& operator=(const Engine&) = delete;

    // -- before the first step: project or resume, then begin
    /// Moves bodies onto their joints. @param found  gets RUN_PROJECTED
    dynamics::Projection project(Diagnostics& found);
    /// What `project` would report, before settings change the start; nothing moves.
    void check_start(Diagnostics& found) const;
    /// Takes over what a checkpoint holds, and hands the solver what it remembers.
    /// @error RECORD_CHECKPOINT  of another model, solver or step
    Result<void> resume(const record::Checkpoint& from);
    /// Finds the contacts of the start, and what overlaps there. @param found  gets RUN_OVERLAP_KEPT
    void begin(Diagnostics& found);

    // -- a step
    void follow();         ///< the animation has its say
    void find_contacts();  ///< where the state is now, unless the solver finds them itself
    /// Solves, and chains the hash; where that diverged the state is as it was and the step does not count.
    /// @error SOLVER_STATE, SOLVER_CONTACTS  in `StepReport::refused`
    solvers::StepReport advance();
    /// All three. @error those of `advance`
    solvers::StepReport step();

    // -- between steps
    /// Contacts of the state as it is, for looking at; the next step finds its own.
    /// After a program wrote to the state, before it asks for contacts.
    void look();
    /// Has the solver, and what is kept of contacts, forget the worlds whose entry is not zero [world_count]: after
    /// their state was written to.
    void forget_worlds(std::span<const std::uint8_t> selected);
    void forget();  ///< everything
    /// Contacts of the state as it is, as at the start of a run.
    [[nodiscard]] model::Contacts contacts_now();
    /// Changes the model that is stepped, which becomes a copy of the engine's own, and tells those who hold on to
    /// parts of it.
    /// @error those of make_solver
    Result<void> edit(const std::function<model::ModelChanges(model::Model&)>& change);
    /// Everything that the next step depends on but the model; `resume` of an engine of an equal model takes it.
    [[nodiscard]] record::Checkpoint checkpoint() const;

    [[nodiscard]] const model::Model& model() const { return *model_; }  ///< that is stepped
    /// Of the last step or `look`, with the forces of that step. The next one writes into the same rows.
    [[nodiscard]] const model::Contacts& contacts() const;
    /// How many rows those have, which costs less to ask for.
    [[nodiscard]] std::int32_t contact_count() const;
    /// With parameters and device, as it was asked for.
    [[nodiscard]] const std::string& solver_name() const { return options_.solver; }
    /// How much of the time of the last `advance` went to contacts, where `find_contacts` left them to it: many small
    /// worlds go through both together.
    [[nodiscard]] double contact_share() const;
    /// Wakes the body and, in the next step, all that touches it.
    void wake(std::int32_t body);
    /// The engine's threads, which its caller may use between steps.
    [[nodiscard]] const tasks::Pool&   pool() const { return pool_; }
    [[nodiscard]] const EngineOptions& options() const { return options_; }
    [[nodiscard]] std::int64_t         step_count() const { return first_ + done_; }  ///< since the first start
    [[nodiscard]] std::int64_t         steps_done() const { return done_; }           ///< of this engine
    [[nodiscard]] std::uint64_t        hash() const { return hash_; }  ///< chained over the states of all steps
    [[nodiscard]] std::int64_t         overflows() const { return overflows_; }  ///< steps with too many contacts

  private:
    Engine(const model::Model& model, model::State& state, model::Control& control, EngineOptions options);
    Result<void> make_solver(Diagnostics& found);  ///< @error those of solvers::make_solver
    void         make_pipeline();
    Result<void> prepare(Diagnostics& found);  ///< @error RUN_ARGUMENT, and those of make_solver
    /// Hands the solver what it remembered; refused, everything is as it was.
    /// @error RECORD_CHECKPOINT, those of make_solver
    Result<void>        remember(const record::Checkpoint& from);
    void                notify(const model::ModelChanges& changes);
    Result<void>        make_own();                               ///< @error those of make_solver
    solvers::StepReport checked_step(model::Contacts* contacts);  ///< @error those of `advance`

    const model::Model*           original_;
    std::unique_ptr<model::Model> own_;  ///< a copy, where something changes it
    const model::Model*           model_;
    EngineOptions                 options_;
    tasks::Pool                   pool_;
    model::State&                 state_;
    model::Control&               control_;
    model::Contacts               contacts_;

    std::unique_ptr<WorldBlocks>                  blocks_;  ///< in place of the next three, for many small worlds
    std::unique_ptr<collision::CollisionPipeline> pipeline_;
    collision::PairCache                          cache_;
    std::unique_ptr<solvers::Solver>              solver_;
    bool                                          own_solver_ = false;  ///< of the program, by register_solver
    bool                                          on_device_  = false;  ///< which keeps what the solver remembers
    std::unique_ptr<collision::RestOverlaps>      rest_;
    std::int64_t                                  first_ = 0, done_ = 0, overflows_ = 0;
    std::uint64_t                                 hash_ = 0;
};

}  // namespace mechane::simulation
