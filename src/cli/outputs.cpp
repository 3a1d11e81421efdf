// Writes results by the extension of the output: recordings, tables, layers, pages, pictures, films, bags.
// Inputs: a scene, a recording, a file name. Recordings of every step (.mrec) are written while the run goes on and are
// only recognised here.
// Invariant: equal content gives equal bytes, also compressed.
// Called by sim, demo, replay.

#include "cli/outputs.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/looks.h"
#include "cli/movie.h"
#include "cli/rrd.h"
#include "mechane/core/letters.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"
#include "mechane/record/codes.h"
#include "mechane/record/write.h"
#include "mechane/simulation/atomic_file.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/foreign.h"
#include "mechane/viewer/authored_looks.h"
#include "mechane/viewer/codes.h"
#include "mechane/viewer/html.h"
#include "mechane/viewer/render.h"
#include "mechane/viewer/scene.h"

namespace mechane::cli {
namespace {

constexpr std::string_view                 kRecording = ".mrec";
constexpr std::array<std::string_view, 14> kExtensions{".json", ".json.gz", ".csv", ".usda",   ".usdc",
                                                       ".usd",  ".html",    ".png", ".apng",   ".gif",
                                                       ".mp4",  ".mcap",    ".rrd", kRecording};

/// gzip with a zero time stamp, so that equal content gives equal bytes.
std::optional<std::string> compressed(std::string_view text)
{
    z_stream stream{};
    // 16 on top of the window bits asks zlib for the format of gzip, whose header then has no time.
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return std::nullopt;
    std::string out(deflateBound(&stream, text.size()) + 32, '\0');
    stream.next_in   = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in  = static_cast<uInt>(text.size());
    stream.next_out  = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int done   = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return done == Z_STREAM_END ? std::optional(std::move(out)) : std::nullopt;
}

Result<void> write_file(const std::string& file, std::string_view text, const files::Replacing& how)
{
    if (file == "-") Io::note_data();
    if (!files::has_suffix(file, {".gz"})) return files::replace(file, text, how);
    const auto packed = compressed(text);
    if (!packed) return make_diagnostic(record::kWriteFailed, {.layer = file}, "the text could not be compressed");
    return files::replace(file, *packed, how);
}

Result<void> write_json(const std::string& file, const std::string& text, const Io& io)
{
    if (file == "-.json" || file == "-") return io.out(text), Result<void>();
    return write_file(file, text, {});
}

record::UsdOptions usd_options(const run::Scene& scene)
{
    const run::StageInWorld world = stage_in_world(scene);
    record::UsdOptions      options;
    options.up_axis         = scene.stage->metadata().up_axis;
    options.stage           = scene.stage.get();
    options.meters_per_unit = world.meters_per_unit;
    options.X_WS            = world.X_WS;
    for (const importer::ImportedDeformable& d : scene.imported.deformables)
        options.points.push_back({.path           = d.path,
                                  .placed         = d.placed,
                                  .particle       = d.particle,
                                  .vertex_counts  = d.vertex_counts,
                                  .segment_body   = d.segment_body,
                                  .segment_length = d.segment_length,
                                  .closed         = d.closed});
    return options;
}

}  // namespace

std::string from_stage(const std::string& dt_source)
{ return dt_source.starts_with('<') ? fmt::format(" ({})", dt_source) : std::string(); }

run::StageInWorld stage_in_world(const run::Scene& scene)
{
    run::StageInWorld world;
    world.meters_per_unit = scene.imported.meters_per_unit;
    world.X_WS            = scene.imported.X_WS;
    return world;
}

std::string looks_of(const run::Scene& scene)
{
    const run::StageInWorld world = stage_in_world(scene);
    return viewer::to_json(viewer::authored_looks(*scene.stage, scene.model, world.X_WS, world.meters_per_unit));
}

bool is_known_output(const std::string& file)
{
    return file == "/dev/null" || file == "-" ||
           std::any_of(kExtensions.begin(), kExtensions.end(),
                       [&](std::string_view extension) { return lower_case(file).ends_with(extension); });
}

bool is_recording(const std::string& file) { return lower_case(file).ends_with(kRecording); }

std::string known_outputs() { return fmt::format("{}", fmt::join(kExtensions, " ")); }

Diagnostics report_looks(const model::Model& model, const Io& io)
{
    static const model::Model* said = nullptr;  // a run may draw one model into several files
    Diagnostics                found;
    viewer::report_looks(model, found);
    if (std::exchange(said, &model) != &model) io.report(found);
    return found;
}

Result<void> write_output(const std::string& file, const run::Scene& scene, const record::Recording& recording,
                          Context& context, const Publishing& publishing)
{
    if (file == "/dev/null") return {};
    const std::string& source = scene.stage->source();
    if (usd::is_layer_name(file) && usd::is_foreign(source))
        return make_diagnostic(record::kWriteFailed, {.layer = file},
                               fmt::format("time samples lie over a layer of USD, and {} is none", source),
                               fmt::format("Make one first: mechane convert {} -o robot/", source));
    const record::WriteOptions options{
        .json = {.reproducible = context.global.reproducible, .contact_points = false, .sensors = publishing.sensors},
        .usd  = usd_options(scene)};
    if (file == "-.csv")
        return context.io.out(record::to_csv(scene.model, recording, publishing.sensors)), Result<void>();
    if (lower_case(file).ends_with(".json") || lower_case(file).ends_with(".json.gz") || file == "-")
        return write_json(file, record::to_json(scene.model, recording, options.json), context.io);
    if (files::has_suffix(file, {".html", ".png", ".apng"}) || is_movie(file)) {
        const Diagnostics looks = report_looks(scene.model, context.io);
        const Diagnostic* large = looks.find(viewer::kTextureSmaller.id);
        if (large != nullptr && files::has_suffix(file, {".html"}))
            context.io.say(fmt::format("textures  reduced to at most {} px along an edge on the page: {}\n",
                                       viewer::kPagePictureEdge, large->message));
    }
    if (files::has_suffix(file, {".html"}))
        return viewer::write_html(scene.model, recording, file, {.looks = looks_of(scene)});
    const viewer::RenderOptions picture{.threads = context.global.threads};
    // A number in a name counts pictures; the other formats are one file each, whatever its name.
    if (files::has_suffix(file, {".apng"}) || is_movie(file) ||
        (files::has_suffix(file, {".png"}) && file.find('%') != std::string::npos)) {
        viewer::AnimationOptions animation;
        animation.render.threads = context.global.threads;
        if (is_movie(file)) return write_movie(scene.model, recording, animation, file, context.io);
        return viewer::write_animation(scene.model, recording, animation, file);
    }
    if (files::has_suffix(file, {".png"}))
        return viewer::render_png(scene.model, recording, recording.frames.size() - 1, picture, file);
    if (is_rrd(file)) return write_rrd(scene.model, recording, file);
    Diagnostics found;
    const auto  done = files::has_suffix(file, {".mcap"})
                           ? run::write_mcap(scene, recording, {options.usd.X_WS, options.usd.meters_per_unit},
                                             publishing.switches, ros::TypeTable(publishing.interfaces), file, found)
                           : record::write(scene.model, recording, file, options, found);
    context.io.report(found);
    return done;
}

ExitCode write_text(const std::string& file, std::string_view text, const Io& io, const files::Replacing& how)
{
    if (file.empty() || file == "-") return io.out(text), kExitClean;
    if (const auto done = write_file(file, text, how); !done) return io.fail(done.error());
    return kExitClean;
}

bool is_one_of(const std::string& file, const std::vector<std::string>& results)
{
    return std::any_of(results.begin(), results.end(), [place = files::real_place(file)](const std::string& result) {
        return files::real_place(result) == place;
    });
}

std::map<std::string, files::Outside> outside_words()
{ return {{"warn", files::Outside::warn}, {"refuse", files::Outside::refuse}, {"allow", files::Outside::allow}}; }

}  // namespace mechane::cli
