#pragma once
#include <memory>
#include <optional>
#include <string>

#include "mechane/core/result.h"
#include "mechane/difference/report.h"
#include "mechane/run/scene.h"
#include "mechane/sourceformats/convert.h"

namespace mechane::conversion {

/// What a conversion began with.
struct Original {
    std::string                       name;
    sourceformats::RobotTree          tree;
    std::shared_ptr<const usd::Stage> stage;  ///< null: no rollout
};
struct Verified {
    difference::Comparison             comparison;
    std::optional<difference::Rollout> rollout;
};

/// Reads a result back and compares it with what it was made of (`convert --verify`).
/// @param file    the result: a layer, the entry of a folder, or a robot of another format
/// @param losses  of the conversion
/// @param threads of the simulations
/// @param result  the result as a stage, where the file alone does not say all of it; null: the file
/// @error those of difference::open_robot and compare_rollouts
Result<Verified> verify_conversion(const Original& from, const std::string& file,
                                   const sourceformats::LossReport& losses, const sourceformats::ReadOptions& read,
                                   const run::SceneOptions& scene, int threads,
                                   const std::shared_ptr<const usd::Stage>& result = nullptr);

}  // namespace mechane::conversion
