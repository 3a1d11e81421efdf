// `mechane convert --verify`: reads the result back and compares it with the original, as difference/ does.
// Inputs: the original's tree and stage, the written file, the loss report. Output: differences, of which those that
// the report announces are marked as expected, and a rollout.
// Only shapes are compared for glTF, which has no bodies.
// Called by convert.cpp.

#include "mechane/conversion/verify.h"

#include <fmt/format.h>

#include "mechane/difference/animations.h"
#include "mechane/difference/scenes.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/files/suffix.h"
#include "mechane/importer/collision_solids.h"

namespace mechane::conversion {
namespace {

namespace fs = std::filesystem;

bool is_model(const std::string& file) { return files::has_suffix(file, {".glb", ".gltf"}); }

}  // namespace

Result<Verified> verify_conversion(const Original& from, const std::string& file,
                                   const sourceformats::LossReport& losses, const sourceformats::ReadOptions& read,
                                   const run::SceneOptions& scene, int threads,
                                   const std::shared_ptr<const usd::Stage>& result)
{
    sourceformats::let_stages_open_robots();  // the simulation opens the result as a stage, whatever it is
    sourceformats::ReadOptions again = read;  // of the result, which no option changes any more
    again.xacro_arguments.clear();
    again.base = sourceformats::Base::automatic;
    again.default_mass.reset();
    again.visuals_collide = false;
    again.name.clear();
    const auto opened = [&]() -> Result<difference::Robot> {
        if (!result) return difference::open_robot(file, again, scene.open);
        Diagnostics weighed;
        auto        made = exporter::robot_of_stage(*result, importer::collision_solids(result, weighed));
        if (!made) return made.error();
        made->found.append(weighed);
        return difference::Robot{file, std::move(made->tree), std::move(made->found)};
    };
    const auto robot = opened();
    if (!robot) return robot.error();
    difference::CompareOptions how;
    how.losses = &losses;
    if (is_model(file)) how.only = {difference::Quantity::visual};
    Verified out{difference::compare(from.tree, robot->tree, how), {}};
    if (is_model(file) || !from.stage) return out;
    Diagnostics quiet;
    const auto  a = difference::scene_of(from.stage, scene, quiet);
    if (!a) return a.error();
    run::SceneOptions plain = scene;
    plain.open.packages     = again.packages;
    const auto b            = result ? difference::scene_of(result, plain, quiet) : run::load_scene(file, plain, quiet);
    if (!b) return b.error();
    difference::compare_scenes(out.comparison, *a, *b, how);
    difference::compare_animations(out.comparison, *a, *b, how);
    if (from.tree.links.empty()) return out;
    difference::RolloutOptions motion;
    motion.losses  = &losses;
    motion.threads = threads;
    auto rollout   = difference::compare_rollouts(*a, *b, motion, quiet);
    if (!rollout) {
        difference::Rollout none;
        none.refused = rollout.error().message;
        out.rollout  = std::move(none);
        return out;
    }
    if (rollout->first || rollout->diverged_a != rollout->diverged_b)
        rollout->expected = difference::motion_losses(losses);
    out.rollout = *std::move(rollout);
    return out;
}

}  // namespace mechane::conversion
