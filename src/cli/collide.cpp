// `mechane collide`: the contacts of a stage in its authored pose or after some steps, or of single pairs of shapes.
// Inputs: a stage or a file of cases. Outputs: contacts with points and normals in the world [m], and the hit of a ray.
// It runs the same pipeline as the simulation, so it shows what a solver would get.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/collide_cases.h"
#include "cli/command.h"
#include "cli/contact_rows.h"
#include "cli/counted.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/scene_args.h"
#include "cli/watch.h"
#include "mechane/collision/pipeline.h"
#include "mechane/collision/scene_queries.h"
#include "mechane/core/nearest.h"
#include "mechane/files/read.h"
#include "mechane/simulation/simulate.h"
#include "mechane/tasks/parallel.h"

namespace mechane::cli {
namespace {

using Json = nlohmann::json;

struct CollideArgs {
    SceneArgs                scene;
    std::string              cases, output, algorithm = "auto", broad_phase = "auto";
    std::vector<std::string> pair;
    std::vector<double>      ray;
    std::int64_t             at = 0;
};

Json list(const Vec3d& v) { return {v.x, v.y, v.z}; }

int run_cases(const CollideArgs& args, Context& context)
{
    const auto text = files::read_given(args.cases);
    if (!text) return context.io.fail(text.error());
    const auto answer = collide_cases(*text, args.cases, args.algorithm);
    if (!answer) {
        context.io.report(answer.error());
        return kExitInput;
    }
    return write_text(args.output, *answer, context.io);
}

/// The ray's first hit, or null.
Json ray_of(const run::Scene& scene, const model::State& state, const std::vector<double>& ray)
{
    // Queries have a structure of their own, so a ray does not change the contacts.
    collision::SceneQueries queries(scene.model);
    queries.update(state);
    const auto hit = queries.cast_ray({ray[0], ray[1], ray[2]}, {ray[3], ray[4], ray[5]});
    if (hit.shape < 0) return nullptr;
    return {{"shape", scene.model.shape_label[static_cast<std::size_t>(hit.shape)]},
            {"distance", hit.distance},
            {"normal", list(hit.normal)}};
}

/// The state after some steps of `mechane sim` with its defaults; nothing if that fails, with a message printed.
std::optional<model::State> state_at(const run::Scene& scene, std::int64_t frame, const Context& context)
{
    model::State state = model::make_state(scene.model);
    if (frame == 0) return state;
    run::SimulateOptions options;
    options.frames = frame;
    // Only the last frame is needed.
    options.every   = frame;
    options.threads = context.global.threads;
    options.follow  = run::follower(scene);
    run::set_step(options, run::step_size(scene));
    Diagnostics found;
    const auto  result = run::simulate(scene.model, options, found);
    context.io.report(found);
    if (!result) {
        context.io.report(result.error());
        return std::nullopt;
    }
    const record::Frame& last = result->recording.frames.back();
    // Everything of a frame that places shapes and particles.
    state.body_q      = last.body_q;
    state.body_qd     = last.body_qd;
    state.joint_q     = last.joint_q;
    state.joint_qd    = last.joint_qd;
    state.particle_q  = last.particle_q;
    state.particle_qd = last.particle_qd;
    return state;
}

/// Whether --pair and --ray name what there is; a message is printed otherwise.
bool are_good(const CollideArgs& args, const std::vector<std::string>& labels, const Context& context)
{
    for (const std::string& name : args.pair)
        if (std::find(labels.begin(), labels.end(), name) == labels.end()) {
            const std::string near = did_you_mean(name, labels);
            context.io.say_error(fmt::format("--pair: there is no shape '{}'\n{}", name,
                                             near.empty() ? "" : fmt::format("  {}\n", near)));
            return false;
        }
    if (!args.ray.empty() && args.ray[3] == 0 && args.ray[4] == 0 && args.ray[5] == 0) {
        context.io.say_error("--ray: the direction 0 0 0 points nowhere\n");
        return false;
    }
    return true;
}

int run_stage(CollideArgs& args, Context& context)
{
    const auto options = scene_options(args.scene, context);
    if (!options) return kExitUsage;
    Diagnostics found;
    const auto  scene = run::load_scene(args.scene.file, *options, found);
    context.io.report(found);
    if (!scene) return context.io.fail(scene.error());
    loading_ended();
    const auto mode = collision::broad_phase_mode(args.broad_phase);
    if (!mode) {
        context.io.report(mode.error());
        return kExitUsage;
    }
    // Before the steps of --at, which may take long.
    if (!are_good(args, scene->model.shape_label, context)) return kExitUsage;
    // The pool speeds up; the contacts do not depend on the number of threads.
    const tasks::Pool          pool(context.global.threads);
    collision::PipelineOptions choice{.pool = &pool, .broad_phase = *mode};
    // Newton 1.8 adds the stiffness of two pressure fields in series.
    if (importer::conventions_of(options->import.compat).pressure_in_series)
        choice.hydroelastic.pair_stiffness = collision::PairStiffness::series;
    collision::CollisionPipeline pipeline(scene->model, choice);
    context.io.report(pipeline.diagnostics());
    auto       contacts = pipeline.make_contacts();
    const auto at       = state_at(*scene, args.at, context);
    if (!at) return kExitInput;
    const model::State& state  = *at;
    const auto          status = pipeline.collide(state, 0, contacts);
    Diagnostics         overflow;
    collision::report_overflow(status, overflow);
    context.io.report(overflow);

    const auto& labels = scene->model.shape_label;
    // The two shapes may be named in either order.
    const auto wanted = [&](const ContactRow& row) {
        const std::string &a = labels[static_cast<std::size_t>(row.shape0)],
                          &b = labels[static_cast<std::size_t>(row.shape1)];
        return args.pair.empty() || (a == args.pair[0] && b == args.pair[1]) ||
               (a == args.pair[1] && b == args.pair[0]);
    };
    Json        rows = Json::array();
    std::string lines;
    for (const ContactRow& row : contact_rows(scene->model, state, contacts)) {
        if (!wanted(row)) continue;
        const std::string &a = labels[static_cast<std::size_t>(row.shape0)],
                          &b = labels[static_cast<std::size_t>(row.shape1)];
        Json json            = to_json(row);
        json["shape_a"]      = a;
        json["shape_b"]      = b;
        rows.push_back(std::move(json));
        // Contacts use the distance of the surfaces minus the margins of both.
        lines += fmt::format("{:+.6f} m  {}  {}  normal ({:.4f}, {:.4f}, {:.4f}){}\n", row.distance - row.margin, a, b,
                             row.normal.x, row.normal.y, row.normal.z,
                             row.margin != 0 ? fmt::format("  surfaces {:+.6f} m", row.distance) : std::string());
    }
    // Candidate pairs are those that the broad phase let through.
    Json out{{"schema", "mechane.contacts/1"},
             {"file", args.scene.file},
             {"candidate_pairs", status.candidate_pairs},
             {"sdf_built", pipeline.sdf_count()},
             {"contacts", std::move(rows)}};
    if (!args.ray.empty()) {
        out["ray"] = ray_of(*scene, state, args.ray);
        lines += out["ray"].is_null() ? "ray        nothing\n"
                                      : fmt::format("ray        {} at {:.6f}\n", out["ray"]["shape"].get<std::string>(),
                                                    out["ray"]["distance"].get<double>());
    }
    const auto count = out["contacts"].size();
    lines += fmt::format("{} contacts of {} candidate pairs\n", count, status.candidate_pairs);
    if (pipeline.sdf_count() > 0) lines += fmt::format("{} built\n", counted(pipeline.sdf_count(), "distance field"));
    const ExitCode written = write_text(args.output, context.global.json ? out.dump(1) + "\n" : lines, context.io);
    return written == kExitClean ? exit_after(found, context) : written;
}

}  // namespace

void add_collide(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<CollideArgs>();
    CLI::App* verb = app.add_subcommand(
        "collide", "Compute the contacts of a stage in its authored pose, or of single pairs of shapes");
    auto* cases = verb->add_option("--cases", args->cases, "File with pairs of shapes (schema mechane.cases/1)");
    verb->add_option("file", args->scene.file, "Stage")->excludes(cases);
    verb->add_option("--algorithm", args->algorithm,
                     "Algorithm: auto chooses by the kinds of shapes; with --cases also mpr (portal refinement) and "
                     "gjk (closest points), for convex shapes")
        ->check(CLI::IsMember({"auto", "mpr", "gjk"}));
    verb->add_option("--at", args->at, "Simulate this many steps first")->check(CLI::Range(0, 1000000000));
    verb->add_option("--broad-phase", args->broad_phase, "Broad phase: auto, explicit, nxn, sap or tree");
    verb->add_option("--pair", args->pair, "Only the contacts of these two shapes, by path")->expected(2);
    verb->add_option("--ray", args->ray, "Find the first hit of a ray: origin and direction, six numbers")->expected(6);
    is_output_file(verb->add_option("-o,--output", args->output, "Output file, .gz compresses; stdout by default"));
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] {
        if (args->cases.empty() && args->scene.file.empty()) {
            context.io.say_error("give a stage, or pairs with --cases\n");
            context.exit = kExitUsage;
            return;
        }
        if (args->cases.empty() && args->algorithm != "auto") {
            context.io.say_error("--algorithm needs --cases; for a stage the kinds of shapes decide\n");
            context.exit = kExitUsage;
            return;
        }
        context.exit = args->cases.empty() ? run_stage(*args, context) : run_cases(*args, context);
    });
}

}  // namespace mechane::cli
