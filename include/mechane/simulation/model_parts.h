#pragma once
#include <memory>

#include "mechane/model/model.h"
#include "mechane/simulation/engine.h"

namespace mechane::simulation {

/// What a `mechane::Model` is made of.
struct ModelParts {
    model::Model                arrays;
    Follow                      animation{};    ///< what the stage animates; empty when it animates nothing
    double                      dt = 1.0 / 60;  ///< of a step, as the stage authors it [s]
    std::shared_ptr<const void> keeps{};        ///< what `animation` reads
};

}  // namespace mechane::simulation
