// `mechane render`: a picture or film of a stage, at its start or after some seconds.
// The camera is named or given in metres of the world.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/looks.h"
#include "cli/movie.h"
#include "cli/output_options.h"
#include "cli/seconds.h"
#include "cli/watch.h"
#include "mechane/files/suffix.h"
#include "mechane/simulation/simulate.h"
#include "mechane/viewer/render.h"

namespace mechane::cli {
namespace {

struct RenderArgs {
    std::string              file, output, camera = "three-quarter", size = "1280x720";
    std::vector<std::string> overlays;
    double                   at     = 0;
    double                   fov    = 36;
    bool                     ground = false;
};

/// "three-quarter", "front", "side", "top", or "x,y,z" / "x,y,z,tx,ty,tz".
/// A camera of six numbers looks from the first three at the last three; with three it looks at the scene.
bool read_camera(const std::string& text, viewer::RenderOptions& out)
{
    const std::pair<const char*, viewer::NamedView> names[] = {{"three-quarter", viewer::NamedView::three_quarter},
                                                               {"front", viewer::NamedView::front},
                                                               {"side", viewer::NamedView::side},
                                                               {"top", viewer::NamedView::top}};
    for (const auto& [name, view] : names)
        if (text == name) {
            out.view = view;
            return true;
        }
    double v[6];
    // The %c finds what stands behind the last number.
    char      rest = 0;
    const int count =
        std::sscanf(text.c_str(), "%lf,%lf,%lf,%lf,%lf,%lf%c", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &rest);
    if (count != 3 && count != 6) return false;
    if (!std::all_of(v, v + count, [](double x) { return std::isfinite(x); })) return false;
    out.eye = Vec3d{v[0], v[1], v[2]};
    if (count == 6) out.target = Vec3d{v[3], v[4], v[5]};
    return true;
}

bool is_picture(const std::string& file)
{
    return file == "-" || files::has_suffix(file, {".png", ".apng"}) || is_movie(file) ||
           file.find('%') != std::string::npos;
}

int run_render(const RenderArgs& args, Context& context)
{
    Io&                   io = context.io;
    viewer::RenderOptions picture{.fov = args.fov, .threads = context.global.threads};
    char                  rest = 0;
    if (std::sscanf(args.size.c_str(), "%dx%d%c", &picture.width, &picture.height, &rest) != 2) {
        io.say_error(fmt::format("--size '{}' is not of the form WIDTHxHEIGHT\n", args.size));
        return kExitUsage;
    }
    if (!read_camera(args.camera, picture)) {
        io.say_error(fmt::format(
            "--camera '{}' is not three-quarter, front, side, top, or finite numbers x,y,z[,tx,ty,tz]\n", args.camera));
        return kExitUsage;
    }
    for (const std::string& overlay : args.overlays) {
        picture.colliders = picture.colliders || overlay == "colliders";
        picture.contacts  = picture.contacts || overlay == "contacts";
    }
    // These outputs hold all frames of the run, a picture the last one.
    const bool animated = files::has_suffix(args.output, {".apng"}) || is_movie(args.output) ||
                          args.output.find('%') != std::string::npos;
    auto       options  = scene_options(context);
    if (!options) return kExitUsage;
    options->ground = args.ground;
    Diagnostics found;
    const auto  scene = run::load_scene(args.file, *options, found);
    io.report(found);
    if (!scene) return io.fail(scene.error());
    loading_ended();

    // Step and followers are those of `mechane sim`, so that a picture shows what sim computes.
    run::SimulateOptions run;
    run.threads = context.global.threads;
    run::set_step(run, run::step_size(*scene));
    // Rounded up, but not by the rounding error of the division.
    run.frames = static_cast<std::int64_t>(std::ceil(args.at / run.dt - 1e-9));
    run.follow = run::follower(*scene);
    Diagnostics running;
    auto        result = run::simulate(scene->model, run, running);
    io.report(running);
    if (!result) return io.fail(result.error());
    const record::Recording& recording = result->recording;
    found.append(report_looks(scene->model, io));
    const auto start = std::chrono::steady_clock::now();
    const auto done =
        is_movie(args.output) ? write_movie(scene->model, recording, {.render = picture}, args.output, io)
        : animated ? viewer::write_animation(scene->model, recording, {.render = picture}, args.output)
                   : viewer::render_png(scene->model, recording, recording.frames.size() - 1, picture, args.output);
    if (!done) return io.fail(done.error());
    const double ms = 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    io.say(fmt::format("{}  {}x{} at {:.3g} s, {:.0f} ms\n", args.output, picture.width, picture.height,
                       recording.frames.back().t, ms));
    if (context.global.json)
        io.out(nlohmann::json{{"schema", "mechane.render/1"},
                              {"file", args.output},
                              {"width", picture.width},
                              {"height", picture.height},
                              {"t", recording.frames.back().t}}
                   .dump(1) +
               "\n");
    return exit_after(found, context);
}

}  // namespace

void add_render(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<RenderArgs>();
    CLI::App* verb = app.add_subcommand("render", "Draw a picture or an animation without a display");
    verb->add_option("file", args->file, "Stage")->required();
    is_output_file(
        verb->add_option("-o,--output", args->output,
                         "Output file: x.png, x.apng, x.gif, x.mp4, frames/%04d.png, or - for a PNG on standard output")
            ->required(),
        is_picture, ".png .apng .gif .mp4, or a numbered name such as frames/%04d.png");
    verb->add_option("--at", args->at, "Simulate this many seconds first [s]")
        ->transform(in_seconds)
        ->check(CLI::NonNegativeNumber);
    verb->add_option("--camera", args->camera, "three-quarter, front, side, top, or x,y,z[,tx,ty,tz] in metres")
        ->capture_default_str();
    verb->add_option("--fov", args->fov, "Vertical field of view [degrees]")
        ->check(CLI::Range(1.0, 150.0))
        ->capture_default_str();
    verb->add_option("--size", args->size, "Size of the picture in pixels: WIDTHxHEIGHT")->capture_default_str();
    verb->add_option("--overlay", args->overlays, "colliders, contacts")
        ->delimiter(',')
        ->check(CLI::IsMember({"colliders", "contacts"}));
    verb->add_flag("--ground", args->ground, "Add a static plane just below the lowest collider");
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_render(*args, context); });
}

}  // namespace mechane::cli
