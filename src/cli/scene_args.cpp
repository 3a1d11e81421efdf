// Options that describe the scene of a run, and their text in recordings.
// to_text and from_text are inverse: a recording is replayed with the same scene and options. Output options and
// threads are left out, because the result does not depend on them.
// Called by sim, view, bench, collide and replay.

#include "cli/scene_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "mechane/resolve/resolvers.h"

namespace mechane::cli {

// The options on which the result of a run depends; output options and the number of threads are left out.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GlobalOptions, variants, resolvers, options, packages, search_paths,
                                                schema_paths, unloaded, compat, unauthored_units, units)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SceneArgs, file, ground, ground_wanted, floating, no_animation, hold,
                                                worlds, enable, disable)

namespace {

constexpr int kMostWorlds = 1 << 20;

std::optional<double> parse_double(const std::string& text)
{
    try {
        std::size_t  used  = 0;
        const double value = std::stod(text, &used);
        if (used == text.size()) return value;
    } catch (const std::exception&) {
    }
    return std::nullopt;
}

/// "KE,KD" or "KE".
std::optional<run::Hold> parse_hold(const std::string& text)
{
    const std::size_t comma = text.find(',');
    const auto        ke    = parse_double(text.substr(0, comma));
    const auto        kd    = comma == std::string::npos ? std::optional(0.0) : parse_double(text.substr(comma + 1));
    if (!ke || !kd) return std::nullopt;
    return run::Hold{*ke, *kd};
}

}  // namespace

void add_scene_args(CLI::App& verb, SceneArgs& args)
{
    verb.add_option("file", args.file, "Stage to simulate (usda, usdc, usd, usdz)");
    verb.add_option("--worlds,--world-count", args.worlds, "Simulate N copies of the scene, each in its own world")
        ->check(CLI::Range(1, kMostWorlds))
        ->capture_default_str();
    verb.add_option_function<std::vector<std::string>>(
            "--ground",
            [&args](const std::vector<std::string>& values) {
                args.ground_wanted = true;
                args.ground        = values;
            },
            "Add a static plane at height Z [m], by default just below the lowest collider")
        ->expected(0, 1)
        ->allow_extra_args(false)
        ->trigger_on_parse();
    verb.add_flag("--floating", args.floating, "Free a robot that is fixed to the world");
    verb.add_flag("--no-animation", args.no_animation, "Hold animated values at their first value");
    verb.add_option(
        "--hold", args.hold,
        "KE,KD: drive every joint to its start pose with this stiffness and damping [SI]; KE alone: without "
        "damping");
}

std::optional<run::SceneOptions> scene_options(SceneArgs& args, const Context& context)
{
    const Io& io      = context.io;
    auto      options = scene_options(context);
    if (!options) return std::nullopt;
    // "--ground robot.usda": the file was taken for the height, and is given back.
    if (args.file.empty() && !args.ground.empty() && !parse_double(args.ground.front())) {
        args.file = args.ground.front();
        args.ground.clear();
    }
    if (args.file.empty()) {
        io.say_error("no stage given\n");
        return std::nullopt;
    }
    options->ground = args.ground_wanted;
    if (!args.ground.empty() && !args.ground.front().empty()) {
        options->ground_height = parse_double(args.ground.front());
        if (!options->ground_height) {
            io.say_error(fmt::format(
                "--ground '{}' is not a height in metres\n  write the file before --ground, or --ground=Z\n",
                args.ground.front()));
            return std::nullopt;
        }
    }
    if (!args.hold.empty()) {
        options->hold = parse_hold(args.hold);
        if (!options->hold) {
            io.say_error(fmt::format("--hold '{}' is not of the form KE,KD\n", args.hold));
            return std::nullopt;
        }
    }
    if (args.floating) options->import.floating = true;
    if (args.no_animation) options->import.animation = false;
    options->worlds = args.worlds;
    return options;
}

std::optional<std::vector<run::Switch>> switches(const SceneArgs& args, const Io& io)
{
    std::vector<run::Switch> all;
    for (const auto* names : {&args.enable, &args.disable})
        for (const std::string& name : *names) {
            auto one = run::parse_switch(name, names == &args.enable);
            if (!one) {
                io.say_error(fmt::format("{}\n", one.error().message));
                return std::nullopt;
            }
            all.push_back(*std::move(one));
        }
    return all;
}

std::string to_text(const SceneArgs& args, const GlobalOptions& global)
{
    SceneArgs       named = args;
    std::error_code none;
    if (const auto absolute = std::filesystem::absolute(args.file, none); !none) named.file = absolute.string();
    GlobalOptions said = global;
    for (std::string& path : said.schema_paths)
        if (const auto absolute = std::filesystem::absolute(path, none); !none) path = absolute.string();
    if (said.resolvers.empty() && said.compat != "newton-1.8") said.resolvers = {std::string(resolve::kAutomatic)};
    return nlohmann::json{{"scene", named}, {"options", said}}.dump(-1, ' ', false,
                                                                    nlohmann::json::error_handler_t::replace);
}

bool from_text(const std::string& text, SceneArgs& args, GlobalOptions& global)
{
    const auto document = nlohmann::json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("scene") || !document.contains("options")) return false;
    try {
        args = document.at("scene").get<SceneArgs>();
        if (args.worlds < 1 || args.worlds > kMostWorlds) return false;
        const auto given = document.at("options").get<GlobalOptions>();
        global.variants  = given.variants;
        // Recordings older than the default "auto" have no entry; only newton's attributes were read then.
        global.resolvers = given.resolvers.empty() ? std::vector<std::string>{"newton"} : given.resolvers;
        // Options given now override those of the recording.
        global.options.insert(global.options.begin(), given.options.begin(), given.options.end());
        global.packages     = given.packages;
        global.search_paths = given.search_paths;
        for (const std::string& path : given.schema_paths)
            if (std::find(global.schema_paths.begin(), global.schema_paths.end(), path) == global.schema_paths.end())
                global.schema_paths.push_back(path);
        global.unloaded         = given.unloaded;
        global.compat           = given.compat;
        global.unauthored_units = given.unauthored_units;
        global.units            = given.units;
    } catch (const nlohmann::json::exception&) {
        return false;
    }
    return true;
}

}  // namespace mechane::cli
