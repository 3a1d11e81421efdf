// A recorded sequence of collide and step calls that can be launched again (Newton's graph capture on a CPU). What
// could change between launches is refused when it is recorded: growing buffers, other models.

#include "mechane/simulation/step_graph.h"

#include "mechane/simulation/checkpoint.h"
#include "mechane/simulation/codes.h"

namespace mechane::run {
namespace {

Result<void> refused(const char* why) { return make_diagnostic(kGraph, {}, why); }

bool fits(const model::State& state, const model::Model& model)
{ return state.body_q.size() == model.body_count() && state.joint_q.size() == model.joint_coord_count(); }

}  // namespace

Result<StepGraph> StepGraph::record(const model::Model& model, const std::function<void(Recorder&)>& body)
{
    StepGraph graph;
    graph.model_ = &model;
    graph.hash_  = record::model_hash(model);
    Recorder recorder(graph);
    body(recorder);
    for (const auto& call : graph.calls_) {
        if (const auto* collide = std::get_if<Collide>(&call)) {
            if (collide->pipeline->overflow_policy() == collision::OverflowPolicy::grow)
                return refused("a pipeline may grow its buffer: give it a rigid_contact_max, or another policy")
                    .error();
            if (!fits(*collide->state, model)) return refused("a state belongs to another model").error();
        } else if (const auto& step = std::get<Step>(call); !fits(*step.in, model) || !fits(*step.out, model)) {
            return refused("a state belongs to another model").error();
        }
    }
    return graph;
}

Result<void> StepGraph::launch()
{
    // A launch checks the model as a whole: pointers in the calls are of its arrays.
    if (record::model_hash(*model_) != hash_)
        return refused("the model was changed since the calls were recorded: record them again");
    for (const auto& call : calls_) {
        if (const auto* collide = std::get_if<Collide>(&call)) {
            collide->pipeline->collide(*collide->state, collide->dt, *collide->contacts);
        } else {
            const auto& step = std::get<Step>(call);
            report_          = step.solver->step(*step.in, *step.out, *step.control, step.contacts, step.dt);
            // The calls behind it would go on from the state before the step, and their report would hide this one.
            if (report_.diverged) break;
        }
    }
    return {};
}

}  // namespace mechane::run
