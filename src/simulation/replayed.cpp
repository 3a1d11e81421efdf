// Inputs of a recording that is computed once more: before each step, what the program wrote then (resets, states,
// commands, wrenches). Called between follow and find_contacts, where the program's own calls were.
// Inputs come from a file: what does not fit the model is passed by, and the comparison of hashes then fails.

#include "simulation/replayed.h"

#include "mechane/model/belongs.h"
#include "mechane/model/custom_copy.h"
#include "mechane/simulation/engine.h"

namespace mechane::simulation {

void Replayed::apply(Engine& engine, const model::Model& model, model::State& state, model::Control& control)
{
    const std::int64_t done = engine.step_count();
    for (; next_ < inputs_.size() && inputs_[next_].step <= done; ++next_) {
        const record::StepInput& input = inputs_[next_];
        // Inputs before the step of a checkpoint have been taken in already.
        if (input.step < done) continue;
        if (input.reset.size() == static_cast<std::size_t>(model.world_count) + 1) {
            // The entry behind the worlds stands for all of them.
            if (input.reset.back() != 0)
                engine.forget();
            else
                engine.forget_worlds(std::span(input.reset).first(input.reset.size() - 1));
        }
        if (input.state && model::fits(model, *input.state)) {
            // Time belongs to the engine.
            const double time          = state.time;
            auto         custom_arrays = std::move(state.custom_arrays);
            state                      = *input.state;
            state.time                 = time;
            state.custom_arrays        = std::move(custom_arrays);
            model::take_values(state.custom_arrays, input.state->custom_arrays);
            if (state.body_f.empty()) state.body_f.resize(model.body_count());
            if (state.particle_f.empty()) state.particle_f.resize(model.particle_count());
        }
        if (input.control && model::fits(model, *input.control)) control_ = &*input.control;
        if (input.wrench && input.wrench->size() == model.body_count()) wrench_ = &*input.wrench;
    }
    // Commands and wrenches stay until others come.
    if (control_ != nullptr) {
        auto custom_arrays    = std::move(control.custom_arrays);
        control               = *control_;
        control.custom_arrays = std::move(custom_arrays);
        model::take_values(control.custom_arrays, control_->custom_arrays);
    }
    if (wrench_ != nullptr) state.body_f = *wrench_;
}

}  // namespace mechane::simulation
