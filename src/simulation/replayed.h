#pragma once
#include <cstddef>
#include <span>

#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/simulation/recording.h"

namespace mechane::simulation {

class Engine;

/// Gives what a program wrote between the steps of a recording once more.
class Replayed {
  public:
    explicit Replayed(std::span<const record::StepInput> inputs) : inputs_(inputs) {}

    /// Before a step: inputs of this step, and the commands and wrenches that hold since. The model is the one that the
    /// recording is of; inputs that do not fit it are left out, so that the hash will differ.
    void apply(Engine& engine, const model::Model& model, model::State& state, model::Control& control);

  private:
    std::span<const record::StepInput> inputs_;
    std::size_t                        next_    = 0;
    const model::Control*              control_ = nullptr;
    const std::vector<Spatial>*        wrench_  = nullptr;
};

}  // namespace mechane::simulation
