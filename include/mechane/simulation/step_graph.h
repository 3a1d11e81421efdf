#pragma once
#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "mechane/collision/pipeline.h"
#include "mechane/model/state.h"
#include "mechane/solvers/solver.h"

namespace mechane::run {

/// A fixed sequence of collide and step calls, taken down once and then launched as often as wanted. On a CPU it is a
/// list of calls; what it promises is what a recording for a device must: no allocation, no look at results in between,
/// no buffer that changes its size. Everything that it names must live as long.
class StepGraph {
  public:
    /// What was taken down of a call; pointers, so that everything has to stay where it is.
    struct Collide {
        collision::CollisionPipeline* pipeline;
        const model::State*           state;
        double                        dt;  ///< [s]
        model::Contacts*              contacts;
    };
    struct Step {
        solvers::Solver*      solver;
        const model::State*   in;
        model::State*         out;
        const model::Control* control;
        model::Contacts*      contacts;  ///< may be null
        double                dt;        ///< [s]
    };
    /// Takes down calls; their arguments are those of the calls themselves.
    class Recorder {
      public:
        /// As `CollisionPipeline::collide` without a cache, and `Solver::step`; both refer to what they are given.
        void collide(collision::CollisionPipeline& pipeline, const model::State& state, double dt,
                     model::Contacts& contacts)
        { graph_->calls_.emplace_back(Collide{&pipeline, &state, dt, &contacts}); }
        void step(solvers::Solver& solver, const model::State& in, model::State& out, const model::Control& control,
                  model::Contacts* contacts, double dt)
        { graph_->calls_.emplace_back(Step{&solver, &in, &out, &control, contacts, dt}); }

      private:
        friend class StepGraph;
        explicit Recorder(StepGraph& graph) : graph_(&graph) {}
        StepGraph* graph_;
    };

    /// @param model  that pipelines and solvers belong to
    /// @param body   tells the recorder the calls; runs once, and nothing is computed
    /// @error RUN_GRAPH  a pipeline whose buffer would grow, or a state of another model
    static Result<StepGraph> record(const model::Model& model, const std::function<void(Recorder&)>& body);

    /// Makes the calls, in their order.
    /// @error RUN_GRAPH  the model is not what it was when the calls were taken down; nothing was computed
    /// As often as wanted; costs the calls themselves and a hash of the model.
    /// A step that diverges, or is refused, is the last one: the calls behind it are left out. Look at `report`.
    Result<void> launch();
    /// Of the last step that was made.
    [[nodiscard]] const solvers::StepReport& report() const { return report_; }

  private:
    const model::Model*                      model_ = nullptr;
    std::uint64_t                            hash_  = 0;  ///< of the model
    std::vector<std::variant<Collide, Step>> calls_;
    solvers::StepReport                      report_;
};

}  // namespace mechane::run
