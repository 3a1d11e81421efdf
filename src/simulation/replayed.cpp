#include "simulation/replayed.h"

#include "mechane/model/belongs.h"
#include "mechane/simulation/engine.h"

namespace mechane::simulation {

void Replayed::apply(Engine& engine, const model::Model& model, model::State& state, model::Control& control)
{
    const std::int64_t done = engine.step_count();
    for (; next_ < inputs_.size() && inputs_[next_].step <= done; ++next_) {
        const record::StepInput& input = inputs_[next_];
        if (input.step < done) continue;
        if (input.reset.size() == static_cast<std::size_t>(model.world_count) + 1) {
            if (input.reset.back() != 0)
                engine.forget();
            else
                engine.forget_worlds(std::span(input.reset).first(input.reset.size() - 1));
        }
        if (input.state && model::fits(model, *input.state)) {
            const double time          = state.time;
            auto         custom_arrays = std::move(state.custom_arrays);
            state                      = *input.state;
            state.time                 = time;
            state.custom_arrays        = std::move(custom_arrays);
            if (state.body_f.empty()) state.body_f.resize(model.body_count());
            if (state.particle_f.empty()) state.particle_f.resize(model.particle_count());
        }
        if (input.control && model::fits(model, *input.control)) control_ = &*input.control;
        if (input.wrench && input.wrench->size() == model.body_count()) wrench_ = &*input.wrench;
    }
    if (control_ != nullptr) {
        auto custom_arrays    = std::move(control.custom_arrays);
        control               = *control_;
        control.custom_arrays = std::move(custom_arrays);
    }
    if (wrench_ != nullptr) state.body_f = *wrench_;
}

}  // namespace mechane::simulation
