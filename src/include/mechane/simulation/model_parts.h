#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mechane/model/model.h"
#include "mechane/simulation/engine.h"

namespace mechane::simulation {

/// What a `mechane::Model` is made of.
struct ModelParts {
    model::Model                arrays;
    Follow                      animation{};    ///< what the stage animates; empty when it animates nothing
    double                      dt = 1.0 / 60;  ///< of a step, as the stage authors it [s]
    std::shared_ptr<const void> keeps{};        ///< what `animation` reads
    std::string                 source{};       ///< the file that it was made of; empty for none
    std::string                 scene{};        ///< RecordingHeader::scene of its recordings
    std::vector<std::string>    inputs{};       ///< files that no result of it may replace
    /// Shared by a model and those that edits of a simulation make of it, whose arrays have the same sizes.
    std::shared_ptr<const int> family = std::make_shared<const int>(0);
};

}  // namespace mechane::simulation
