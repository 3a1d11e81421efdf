#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/model/model.h"
#include "mechane/simulation/recording.h"
#include "mechane/run/scene.h"

namespace mechane::run {

enum class Verdict { ok, failed, not_applicable };
std::string_view to_string(Verdict verdict);  ///< "ok", "FAIL", "none"

/// What is asked of a robot that is simulated, one row for each question.
struct BehaviourRule {
    std::string_view id;        ///< "BEH-drop"
    std::string_view name;      ///< "drop"
    std::string_view question;  ///< one sentence
    std::string_view why;       ///< what goes wrong otherwise
    std::string_view how;       ///< the run, and from where on it counts as failed
};
std::span<const BehaviourRule> behaviour_rules();

/// What one run showed.
struct Behaviour {
    const BehaviourRule* rule    = nullptr;
    Verdict              verdict = Verdict::not_applicable;
    std::string          message;    ///< "settles in 0.61 s, rests 0.0 mm deep"
    std::string          path;       ///< joint or body that shows it most; empty for none
    model::Model         model;      ///< of the run, to draw it
    record::Recording    recording;  ///< whose last frame shows it; without frames where nothing was run
};

/// Simulates a stage in five ways with `softstep` and judges what it does: dropped on a ground, held by its own
/// drives, swinging free against its limits, followers of mimics on that way, overlaps of the start pose.
/// @param options  how the stage is opened and imported; ground, base and gains are set by the runs
/// @error those of load_scene and simulate
Result<std::vector<Behaviour>> check_behaviour(const std::string& file, const SceneOptions& options, int threads,
                                               Diagnostics& found);

}  // namespace mechane::run
