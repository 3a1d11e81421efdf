// `mechane convert --verify`: reads the result back and compares it with the original, as difference/ does.
// Inputs: the original's tree and stage, the written file, the loss report. Output: differences, of which those that
// the report announces are marked as expected, and a rollout.
// Only shapes are compared for glTF, which has no bodies.
// Called by convert.cpp.

#include "mechane/conversion/verify.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "mechane/difference/animations.h"
#include "mechane/difference/scenes.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/files/suffix.h"
#include "mechane/importer/collision_solids.h"

namespace mechane::conversion {
namespace {

namespace fs = std::filesystem;

bool is_model(const std::string& file) { return files::has_suffix(file, {".glb", ".gltf"}); }

/// Errors of the result, apart by whether the source has as many of the kind. Names and places of the two differ, so
/// that single errors cannot be paired.
void split(const Diagnostics& of_source, const Diagnostics& of_result, Verified& out)
{
    for (const Diagnostic& one : of_result) {
        if (one.severity != Severity::error) continue;
        (of_result.count(one.id) > of_source.count(one.id) ? out.faults : out.shared).add(one);
    }
}

std::string line(const char* word, const Diagnostic& one, const char* why)
{
    const std::string where = one.site.layer.empty() ? std::string()
                              : one.site.line > 0    ? fmt::format(" ({}:{})", one.site.layer, one.site.line)
                                                     : fmt::format(" ({})", one.site.layer);
    return fmt::format("{:<12} {}: {}{}\n             {}\n", word, one.id, one.message, where, why);
}

}  // namespace

Result<Verified> verify_conversion(const Original& from, const std::string& file,
                                   const sourceformats::LossReport& losses, const sourceformats::ReadOptions& read,
                                   const run::SceneOptions& scene, int threads, const Diagnostics& known,
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
    Verified    out{difference::compare(from.tree, robot->tree, how), {}, {}, {}};
    Diagnostics of_source = known, of_result = robot->found;
    if (is_model(file) || !from.stage) return split(of_source, of_result, out), out;
    const auto a = difference::scene_of(from.stage, scene, of_source);
    if (!a) return a.error();
    run::SceneOptions plain = scene;
    plain.open.packages     = again.packages;
    const auto b = result ? difference::scene_of(result, plain, of_result) : run::load_scene(file, plain, of_result);
    if (!b) return b.error();
    split(of_source, of_result, out);
    difference::compare_scenes(out.comparison, *a, *b, how);
    difference::compare_animations(out.comparison, *a, *b, how);
    if (from.tree.links.empty()) return out;
    difference::RolloutOptions motion;
    motion.losses  = &losses;
    motion.threads = threads;
    Diagnostics quiet;
    auto        rollout = difference::compare_rollouts(*a, *b, motion, quiet);
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

bool holds(const Verified& verified)
{
    return verified.faults.empty() &&
           difference::as_announced(verified.comparison, verified.rollout ? &*verified.rollout : nullptr);
}

std::string to_json(const Verified& verified, const std::string& input, const std::string& output)
{
    auto document = nlohmann::ordered_json::parse(
        difference::to_json({input, output}, verified.comparison, verified.rollout ? &*verified.rollout : nullptr,
                            "mechane.verify/1"),
        nullptr, false);
    auto errors = nlohmann::ordered_json::array();
    for (const auto& [found, both] : {std::pair(&verified.faults, false), std::pair(&verified.shared, true)})
        for (const Diagnostic& one : *found) {
            nlohmann::ordered_json site = nlohmann::ordered_json::object();
            if (!one.site.layer.empty()) site["file"] = one.site.layer;
            if (one.site.line > 0) site["line"] = one.site.line;
            if (!one.site.prim.empty()) site["prim"] = one.site.prim;
            if (!one.site.property.empty()) site["property"] = one.site.property;
            errors.push_back({{"id", one.id}, {"message", one.message}, {"site", site}, {"source_too", both}});
        }
    document["errors"] = std::move(errors);
    if (!verified.faults.empty()) document["equal"] = document["as_announced"] = false;
    return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string to_text(const Verified& verified, std::size_t most)
{
    std::string out;
    for (const Diagnostic& one : verified.faults)
        out += line("error", one, "the result has it, and the source has not");
    for (const Diagnostic& one : verified.shared)
        out += line("not compared", one, "of the source and of the result: no simulation has what it is about");
    return out + difference::to_text(verified.comparison, verified.rollout ? &*verified.rollout : nullptr, most);
}

}  // namespace mechane::conversion
