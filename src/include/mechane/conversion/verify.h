#pragma once
#include <memory>
#include <optional>
#include <string>

#include "mechane/core/diagnostic.h"
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
    Diagnostics faults;  ///< errors of the result that the source has not: the result does not say what it should
    Diagnostics shared;  ///< errors of both: what they leave out is in no simulation, and so not compared by one
};

/// Reads a result back and compares it with what it was made of (`convert --verify`).
/// @param file    the result: a layer, the entry of a folder, or a robot of another format
/// @param losses  of the conversion
/// @param threads of the simulations
/// @param known   what reading the source has found
/// @param result  the result as a stage, where the file alone does not say all of it; null: the file
/// @error those of difference::open_robot and compare_rollouts
Result<Verified> verify_conversion(const Original& from, const std::string& file,
                                   const sourceformats::LossReport& losses, const sourceformats::ReadOptions& read,
                                   const run::SceneOptions& scene, int threads, const Diagnostics& known = {},
                                   const std::shared_ptr<const usd::Stage>& result = nullptr);

/// Whether the result is the same robot as far as the loss report does not say otherwise, and can be read.
bool holds(const Verified& verified);
/// `mechane.verify/1` (docs/schemas/verify.schema.json).
std::string to_json(const Verified& verified, const std::string& input, const std::string& output);
/// For a terminal.
/// @param most  differences that are told in full
std::string to_text(const Verified& verified, std::size_t most);

}  // namespace mechane::conversion
