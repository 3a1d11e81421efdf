// Loads a model for the C++ interface: file, options, notes.
// Inputs: a file in any format that opens as a stage, and options in the units of the interface (SI). Output: a shared,
// immutable Model, with the step size that the file asks for and the animation of its kinematic bodies.
// Called by mechane::load.

#include "mechane/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "face/program_words.h"
#include "mechane/importer/options.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/codes.h"
#include "mechane/simulation/model_parts.h"
#include "mechane/usd/codes.h"

namespace mechane {

namespace {

/// As many as the command line makes.
constexpr int kMostWorlds = 1 << 20;

/// Programs load stages; the command line also opens what it can convert.
constexpr const char* kConvertHint = " `mechane convert FILE -o FILE.usda` makes a stage of URDF, MJCF and SDFormat.";

Result<void> check(const LoadOptions& options)
{
    const auto bad = [](std::string message) {
        return Result<void>(make_diagnostic(simulation::kOption, {}, std::move(message)));
    };
    if (options.threads < 0 || options.threads > 4096)
        return bad(fmt::format("threads: {} is not in 0 (all cores) to 4096", options.threads));
    if (options.worlds < 1 || options.worlds > kMostWorlds)
        return bad(fmt::format("worlds: {} is not in 1 to {}", options.worlds, kMostWorlds));
    if (options.ground_height && !std::isfinite(*options.ground_height))
        return bad(fmt::format("ground_height: {} is not a finite number of metres", *options.ground_height));
    const auto gain = [](double x) { return x >= 0 && std::isfinite(x); };
    if (options.hold && !(gain(options.hold->stiffness) && gain(options.hold->damping)))
        return bad(fmt::format("hold: {}, {} are no finite gains that are not negative", options.hold->stiffness,
                               options.hold->damping));
    return {};
}

/// How the scene was opened and changed, in the words of the command line (src/cli/scene_args.cpp reads them): so that
/// `mechane replay` makes the same model of a recording. Empty where it has no words for it.
std::string recipe(const std::string& file, const LoadOptions& o)
{
    if (!o.tables.empty() || o.allow_missing || (o.floating && !*o.floating)) return {};
    nlohmann::json  scene, options;
    std::error_code none;
    const auto      place  = std::filesystem::absolute(file, none);
    scene["file"]          = none ? file : place.string();
    scene["ground_wanted"] = o.ground || o.ground_height.has_value();
    scene["ground"]        = nlohmann::json::array();
    if (o.ground_height) scene["ground"].push_back(fmt::format("{}", *o.ground_height));
    scene["hold"]     = o.hold ? fmt::format("{},{}", o.hold->stiffness, o.hold->damping) : std::string();
    scene["floating"] = o.floating.value_or(false);
    scene["worlds"]   = o.worlds;
    const auto joined = [](const std::string& key, const std::string& value) { return key + '=' + value; };
    for (const char* list : {"variants", "options", "packages"}) options[list] = nlohmann::json::array();
    for (const auto& [set, variant] : o.variants)
        options["variants"].push_back(set.starts_with('/') && set.ends_with('}')
                                          ? set.substr(0, set.size() - 1) + '=' + variant + '}'
                                          : joined(set, variant));
    for (const auto& [name, value] : o.options) options["options"].push_back(joined(name, value));
    for (const auto& [name, folder] : o.packages) options["packages"].push_back(joined(name, folder));
    options["resolvers"]    = o.resolvers;
    options["search_paths"] = o.search_paths;
    return nlohmann::json{{"scene", scene}, {"options", options}}.dump(-1, ' ', false,
                                                                       nlohmann::json::error_handler_t::replace);
}

/// What a result of the model must not replace, by places that stay where they are when the program changes folders.
std::vector<std::string> inputs_of(const std::string& file, std::vector<std::string> layers)
{
    layers.insert(layers.begin(), file);
    for (std::string& layer : layers) {
        std::error_code none;
        if (auto place = std::filesystem::absolute(layer, none); !none) layer = place.string();
    }
    return layers;
}

}  // namespace

Result<std::shared_ptr<const Model>> load(const std::string& file, const LoadOptions& options, Diagnostics& notes)
{
    if (auto good = check(options); !good) return good.error();
    run::SceneOptions how;
    for (const auto& [name, value] : options.options)
        if (auto set = importer::set_option(how.import, name, value); !set) return face::in_program_words(set.error());
    how.open.variant_selections = options.variants;
    how.open.packages           = options.packages;
    how.open.search_paths       = options.search_paths;
    how.open.threads            = options.threads;
    how.import.schema_resolvers = options.resolvers;
    how.import.own_resolvers    = options.tables;
    // A table that is given and not named comes before the others.
    auto& names = how.import.schema_resolvers;
    // In reverse, so that several tables keep their order at the front.
    for (auto table = options.tables.rbegin(); table != options.tables.rend(); ++table)
        if (std::find(names.begin(), names.end(), table->name) == names.end()) names.insert(names.begin(), table->name);
    how.import.floating      = options.floating;
    how.import.allow_missing = options.allow_missing;
    how.import.threads       = options.threads;
    how.ground               = options.ground;
    how.ground_height        = options.ground_height;
    how.worlds               = options.worlds;
    if (options.ground_height) how.ground = true;
    if (options.hold) how.hold = run::Hold{options.hold->stiffness, options.hold->damping};

    Diagnostics found;
    auto        scene = run::load_scene(file, how, found);
    notes.append(face::in_program_words(found));
    if (!scene) {
        Diagnostic error = face::in_program_words(scene.error());
        if (error.id == usd::kFormatUnknown.id) error.hint += kConvertHint;
        return error;
    }
    simulation::ModelParts parts;
    auto                   layers = scene->stage->used_layers();
    parts.dt                      = run::step_size(*scene).dt;
    parts.animation               = run::follower(*scene);
    // The animation reads the stage while it plays; what else the scene holds is not needed any more.
    if (parts.animation) parts.keeps = scene->stage;
    parts.arrays = std::move(scene->model);
    parts.source = file;
    parts.scene  = recipe(file, options);
    parts.inputs = inputs_of(file, std::move(layers));
    return Model::make(std::move(parts));
}

Result<std::shared_ptr<const Model>> load(const std::string& file, const LoadOptions& options)
{
    Diagnostics notes;
    return load(file, options, notes);
}

}  // namespace mechane
