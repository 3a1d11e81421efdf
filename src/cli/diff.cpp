// `mechane diff`: what differs between two assets or recordings, by meaning and not by text.

#include "cli/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/scene_args.h"
#include "cli/seconds.h"
#include "mechane/conversion/folder_entry.h"
#include "mechane/difference/animations.h"
#include "mechane/difference/codes.h"
#include "mechane/difference/looks.h"
#include "mechane/difference/report.h"
#include "mechane/difference/scenes.h"
#include "mechane/exporter/codes.h"
#include "mechane/files/suffix.h"
#include "mechane/importer/codes.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/usd/codes.h"
#include "mechane/viewer/html.h"

/// mechane diff: two assets or two recordings, compared by what they mean.
/// Inputs: two assets of any formats or two recordings. Outputs: a report as text, JSON or a page with both models.
/// Robots are compared by difference/compare, models of the simulation by difference/scenes, motions by
/// difference/rollout.
/// Exit status 0: equal, 1: different.
namespace mechane::cli {
namespace {

namespace fs = std::filesystem;
namespace sf = sourceformats;

struct DiffArgs {
    std::string              a, b, output, solver = "softstep";
    std::vector<std::string> only;
    std::string              rollout;
    bool                     rolls = false, solver_given = false;
    double                   scale  = 1;
    int                      states = 100;
    std::uint64_t            seed   = 1;
};

// The names by which write_text knows what to write.
bool is_report(const std::string& file) { return files::has_suffix(file, {".html", ".json", ".txt"}); }

/// "2s", "500ms" or "2".
/// At most an hour, so that a typing error does not simulate for a day.
std::optional<double> seconds(std::string_view given)
{
    const std::string text  = in_seconds(std::string(given));
    double            value = 0;
    const auto        done  = std::from_chars(text.data(), text.data() + text.size(), value);
    if (done.ec != std::errc{} || done.ptr != text.data() + text.size() || !(value > 0) || value > 3600)
        return std::nullopt;
    return value;
}

/// Both sides, drawn beside each other; empty where that cannot be.
/// Drawn by the viewer, in one scene.
std::string page_of(const run::Scene& a, const record::Recording& run_a, const run::Scene& b,
                    const record::Recording& run_b, const std::string& title)
{
    const auto both = difference::side_by_side(a, run_a, b, run_b);
    if (!both) return {};
    return viewer::to_html(both->model, both->recording, {.title = title, .contacts = false, .nonce = {}, .live = {}});
}

/// Prints or writes what was found.
int tell(const DiffArgs& args, const difference::Comparison& comparison, const difference::Rollout* rollout,
         const std::string& drawn, Context& context)
{
    const difference::Named names{args.a, args.b};
    const std::string       json = difference::to_json(names, comparison, rollout);
    // Forty lines on a terminal, all of them with -v and in files.
    const std::string text = difference::to_text(comparison, rollout, context.io.verbose > 0 ? SIZE_MAX : 40);
    if (!args.output.empty()) {
        const std::string content =
            files::has_suffix(args.output, {".html"})   ? difference::to_html(names, comparison, rollout, drawn)
            : files::has_suffix(args.output, {".json"}) ? json
                                                        : difference::to_text(comparison, rollout, SIZE_MAX);
        if (const ExitCode done = write_text(args.output, content, context.io); done != kExitClean) return done;
    }
    context.io.out(context.global.json ? json : text);
    return difference::is_equal(comparison, rollout) ? kExitClean : kExitFindings;
}

/// The motion of a recording, with the names of its scene where that can still be opened.
difference::Motion motion_of(const record::RecordingFile& file, std::optional<run::Scene>& scene,
                             const Context& context)
{
    SceneArgs   named;
    Context     own = context;
    Diagnostics quiet;
    // The header names the scene with its options, as replay needs them. A file that changed its number of bodies
    // since is not taken.
    if (from_text(file.header.scene, named, own.global)) {
        if (const auto options = scene_options(named, own)) {
            auto opened = run::load_scene(named.file, *options, quiet);
            if (opened && !file.recording.frames.empty() &&
                opened->model.body_label.size() == file.recording.frames.front().body_q.size()) {
                scene.emplace(*std::move(opened));
                return difference::motion_of(*scene, file.recording);
            }
        }
    }
    return difference::motion_of(file.recording);
}

/// A value of the header of both.
/// A difference of a header has no tolerance.
void header(difference::Comparison& out, const char* field, const std::string& x, const std::string& y,
            const DiffArgs& args)
{
    out.count(difference::Quantity::property);
    if (x != y)
        out.add({difference::Quantity::property,
                 "recording",
                 field,
                 difference::Side{x, {.layer = args.a}},
                 difference::Side{y, {.layer = args.b}},
                 0,
                 0,
                 {},
                 {}});
}

int diff_recordings(const DiffArgs& args, Context& context)
{
    const auto a = record::read_recording(args.a), b = record::read_recording(args.b);
    if (!a) return context.io.fail(a.error());
    if (!b) return context.io.fail(b.error());
    // A damaged recording is compared as far as it can be read.
    for (const auto* one : {&*a, &*b})
        if (one->damage) context.io.report(*one->damage);
    difference::Comparison comparison;
    header(comparison, "solver", a->header.solver, b->header.solver, args);
    header(comparison, "step", fmt::format("{:.9g} s", a->header.dt), fmt::format("{:.9g} s", b->header.dt), args);
    header(comparison, "substeps", fmt::format("{}", a->header.substeps), fmt::format("{}", b->header.substeps), args);
    header(comparison, "steps", fmt::format("{}", a->recording.steps), fmt::format("{}", b->recording.steps), args);
    std::optional<run::Scene>  scene_a, scene_b;
    auto                       x = motion_of(*a, scene_a, context), y = motion_of(*b, scene_b, context);
    difference::RolloutOptions how;
    how.scale           = args.scale;
    const auto  rollout = difference::compare_motions(std::move(x), std::move(y), nullptr, how);
    std::string drawn;
    if (files::has_suffix(args.output, {".html"}) && scene_a && scene_b)
        drawn = page_of(*scene_a, a->recording, *scene_b, b->recording, args.a + " | " + args.b);
    return tell(args, comparison, &rollout, drawn, context);
}

/// A robot, or an empty one for a file that has none: shapes and the rest are then all there is.
Result<difference::Robot> side(const std::string& file, const run::SceneOptions& scene)
{
    sf::ReadOptions read;
    read.packages     = scene.open.packages;
    read.search_paths = scene.open.search_paths;
    return difference::open_robot(file, read, scene.open);
}

int diff_assets(const DiffArgs& args, const difference::CompareOptions& options, Context& context)
{
    const auto scene = scene_options(context);
    if (!scene) return kExitUsage;
    isolate_named({args.a, args.b}, context);
    if (!context.global.variants.empty()) {
        // A selection that one of the two knows is a difference; one that neither knows is a wrong command line.
        const auto unknown = [&](const std::string& file) -> std::optional<Diagnostic> {
            Diagnostics quiet;
            const auto  loaded = run::load_scene(file, *scene, quiet);
            return !loaded && loaded.error().id == usd::kVariantUnknown.id ? std::optional(loaded.error())
                                                                           : std::nullopt;
        };
        if (const auto told = unknown(args.a); told && unknown(args.b)) return context.io.fail(*told);
    }
    // Both are read before either is judged, so that findings of both are told.
    auto a = side(args.a, *scene), b = side(args.b, *scene);
    for (const auto* one : {&a, &b}) {
        if (*one) {
            context.io.report((*one)->found);
        } else if ((*one).error().id == exporter::kEmpty.id) {
            // What could not be composed is why there is nothing.
            if (const auto stage = usd::Stage::open(one == &a ? args.a : args.b, scene->open))
                context.io.report((*stage)->diagnostics());
            return context.io.fail(make_diagnostic(difference::kNothing, (*one).error().site, (*one).error().message));
        } else {
            return context.io.fail((*one).error());
        }
    }
    auto comparison = difference::compare(a->tree, b->tree, options);
    difference::compare_unread(comparison, *a, *b, options);
    const bool                         page = files::has_suffix(args.output, {".html"});
    std::optional<difference::Rollout> rollout;
    std::string                        drawn;
    // Without --only everything is compared.
    const bool looks = options.only.empty() || std::find(options.only.begin(), options.only.end(),
                                                         difference::Quantity::looks) != options.only.end();
    // These quantities are known to the simulation's model only, so both have to be loaded.
    const bool states = options.only.empty() || std::any_of(options.only.begin(), options.only.end(), [](auto q) {
                            return q == difference::Quantity::state || q == difference::Quantity::pair ||
                                   q == difference::Quantity::soft || q == difference::Quantity::limit ||
                                   q == difference::Quantity::contact || q == difference::Quantity::passive ||
                                   q == difference::Quantity::scene;
                        });
    if (looks) {
        const auto seen_a = usd::Stage::open(args.a, scene->open), seen_b = usd::Stage::open(args.b, scene->open);
        if (seen_a && seen_b)
            difference::compare_looks(comparison, **seen_a, **seen_b, options);
        else
            context.io.say(fmt::format("looks        not compared: {}\n", (seen_a ? seen_b : seen_a).error().message));
    }
    if (args.rolls || page || states) {
        Diagnostics quiet;
        const auto  run_a = run::load_scene(args.a, *scene, quiet), run_b = run::load_scene(args.b, *scene, quiet);
        // A rollout that was asked for has to run; a comparison of states may be left out with a note.
        if (args.rolls && !run_a) return context.io.fail(run_a.error());
        if (args.rolls && !run_b) return context.io.fail(run_b.error());
        if (run_a && run_b) {
            difference::compare_scenes(comparison, *run_a, *run_b, options);
            // Animations are compared with the scenes, since both come from the same loading.
            difference::compare_animations(comparison, *run_a, *run_b, options);
        } else  // a file that no simulation can open is compared by what it says
            context.io.say(fmt::format("state        not compared: {}\n",
                                       (run_a ? run_b : run_a).error().id == importer::codes::kStageComposition.id
                                           ? "parts of a stage are missing"
                                           : (run_a ? run_b : run_a).error().message));
        if (args.rolls) {
            difference::RolloutOptions how;
            how.solver   = args.solver;
            how.threads  = context.global.threads;
            how.scale    = args.scale;
            how.duration = *seconds(args.rollout.empty() ? "2" : args.rollout);
            auto done    = difference::compare_rollouts(*run_a, *run_b, how, quiet);
            if (!done) return context.io.fail(done.error());
            rollout = *std::move(done);
        }
        if (page && run_a && run_b)
            drawn = page_of(*run_a, rollout ? rollout->a.recording : record::Recording{}, *run_b,
                            rollout ? rollout->b.recording : record::Recording{}, args.a + " | " + args.b);
    }
    Diagnostics found = a->found;
    found.append(b->found);
    const int told = tell(args, comparison, rollout ? &*rollout : nullptr, drawn, context);
    return told != kExitClean ? told : exit_after(found, context);
}

int run_diff(DiffArgs& args, Context& context)
{
    // CLI11 takes the word behind --rollout for its value, though it may be the first file.
    if (args.b.empty() && !args.rollout.empty() && !seconds(args.rollout)) {  // "--rollout A B" took the first file
        args.b = std::exchange(args.a, args.rollout);
        args.rollout.clear();
    }
    if (args.solver_given && !args.rolls) return context.io.say_error("--solver needs --rollout\n"), kExitUsage;
    if (args.a.empty() || args.b.empty()) return context.io.say_error("give two files\n"), kExitUsage;
    for (std::string* side : {&args.a, &args.b}) {
        std::error_code failed;
        if (!fs::is_directory(*side, failed)) continue;
        const auto entry = conversion::folder_entry(*side);
        if (!entry)
            return context.io.say_error(fmt::format("'{}' is a folder with no asset of its name, and not one asset "
                                                    "alone\n  name the file that is meant\n",
                                                    *side)),
                   kExitUsage;
        *side = *entry;
    }
    difference::CompareOptions options;
    // States for the kinematics are drawn with a seed, so that two runs draw the same.
    options.scale = args.scale, options.states = args.states, options.seed = args.seed;
    for (const std::string& word : args.only) {
        // Words for several quantities at once.
        static const std::pair<const char*, std::vector<difference::Quantity>> kPlurals[] = {
            {"masses",
             {difference::Quantity::mass, difference::Quantity::center_of_mass, difference::Quantity::inertia}},
            {"joints",
             {difference::Quantity::joint, difference::Quantity::limit, difference::Quantity::gain,
              difference::Quantity::passive, difference::Quantity::mimic, difference::Quantity::loop}},
            {"shapes", {difference::Quantity::collider, difference::Quantity::visual, difference::Quantity::contact}},
        };
        bool known = false;
        for (const auto& [name, list] : kPlurals)
            if (word == name) options.only.insert(options.only.end(), list.begin(), list.end()), known = true;
        if (const auto one = difference::quantity_of(word); one && !known) options.only.push_back(*one), known = true;
        if (known) continue;
        context.io.say_error(
            fmt::format("--only {}: there is no such quantity\n  masses joints shapes mass center_of_mass inertia "
                        "frame joint limit gain passive mimic loop collider contact visual looks scene state pair "
                        "soft kinematics\n",
                        word));
        return kExitUsage;
    }
    if (args.rolls && !args.rollout.empty() && !seconds(args.rollout))
        return context.io.say_error(fmt::format("--rollout '{}' is not a time in seconds up to 3600\n", args.rollout)),
               kExitUsage;
    const bool recording_a = is_recording(args.a), recording_b = is_recording(args.b);
    if (recording_a && recording_b) return diff_recordings(args, context);
    // A recording has no masses and limits, an asset no motion: there is nothing to compare.
    if (recording_a != recording_b) {
        context.io.report(make_diagnostic(difference::kUnlike, {.layer = recording_a ? args.a : args.b},
                                          fmt::format("'{}' is a recording, '{}' is none",
                                                      recording_a ? args.a : args.b, recording_a ? args.b : args.a)));
        return kExitUsage;
    }
    return diff_assets(args, options, context);
}

}  // namespace

void add_diff(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<DiffArgs>();
    CLI::App* verb = app.add_subcommand("diff", "Compare two assets or recordings of any formats by what they mean");
    verb->footer(
        "Examples:\n  mechane diff old.usda new.usda\n  mechane diff robot.urdf robot/robot.usda --rollout\n  mechane "
        "diff a.xml b.xml --rollout=5s -o diff.html\n  mechane diff before.mrec after.mrec\n"
        "Exit status: 0 equal, 1 different.");
    verb->add_option("first", args->a, "Asset (OpenUSD, URDF, xacro, MJCF, SDFormat, glTF) or recording (.mrec)");
    verb->add_option("second", args->b, "Asset or recording to compare with");
    verb->add_option_function<std::vector<std::string>>(
            "--rollout,--behaviour",
            [args](const std::vector<std::string>& values) {
                args->rolls = true;
                if (!values.empty()) args->rollout = values.front();
            },
            "Simulate both, 2 s or as long as given (--rollout=5s), and name the first joint to diverge and when")
        ->expected(0, 1)
        ->allow_extra_args(false)
        ->trigger_on_parse();
    verb->add_option("--solver", args->solver, "Solver for --rollout")->capture_default_str();
    verb->add_option("--only", args->only,
                     "Compare only these: masses, joints, shapes, or a quantity such as looks; separated by commas")
        ->delimiter(',');
    verb->add_option("--tolerance", args->scale, "Factor for all tolerances")
        ->check(CLI::Range(0.0, 1e12))
        ->capture_default_str();
    verb->add_option("--states", args->states, "Number of random states for the kinematics")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    verb->add_option("--seed", args->seed, "Seed of the random states")->capture_default_str();
    is_output_file(verb->add_option("-o,--output", args->output,
                                    "A page with both models (.html), or the report as .json or .txt"),
                   is_report, ".html .json .txt");
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, verb, &context] {
        args->solver_given = verb->count("--solver") > 0;
        context.exit       = run_diff(*args, context);
    });
}

}  // namespace mechane::cli
