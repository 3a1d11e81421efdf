// Films by the program ffmpeg, which takes raw pictures through a pipe.
// The result is made under a temporary name and replaces the file at the end. Bit-exact flags and one thread make equal
// pictures give equal bytes with one version of ffmpeg.
// Called by write_output and `mechane render`.

#include "cli/movie.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "cli/child.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"
#include "mechane/viewer/codes.h"

namespace mechane::cli {
namespace {

/// ffmpeg's words for raw pictures in, and one movie out.
std::vector<std::string> words(const std::string& program, const viewer::AnimationOptions& options,
                               const std::string& out)
{
    const auto&              picture = options.render;
    std::vector<std::string> all{program,     "-hide_banner",
                                 "-loglevel", "error",
                                 "-nostdin",  "-y",
                                 "-f",        "rawvideo",
                                 "-pix_fmt",  "rgb24",
                                 "-s",        fmt::format("{}x{}", picture.width, picture.height),
                                 "-r",        fmt::format("{}", options.frames_per_second),
                                 "-i",        "-"};
    if (files::has_suffix(out, {".gif"}))  // one palette for the whole movie
        all.insert(all.end(),
                   {"-filter_complex",
                    "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"});
    else  // what browsers and office programs play; both sides must be even
        all.insert(all.end(), {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart", "-vf",
                               "pad=ceil(iw/2)*2:ceil(ih/2)*2"});
    // Equal pictures give equal bytes.
    all.insert(all.end(),
               {"-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-threads", "1", out});
    return all;
}

std::string last_line(const std::string& text)
{
    const std::size_t end = text.find_last_not_of('\n');
    if (end == std::string::npos) return "it said nothing";
    const std::size_t begin = text.find_last_of('\n', end);
    return text.substr(begin + 1, end - begin);
}

}  // namespace

bool is_movie(const std::string& file) { return files::has_suffix(file, {".gif", ".mp4"}); }

Result<void> movies_possible(const std::string& file)
{
    if (!is_movie(file) || on_path("ffmpeg")) return {};
    return make_diagnostic(viewer::kMovieProgram, {.layer = file}, "no program ffmpeg is on the path");
}

Result<void> write_movie(const model::Model& model, const record::Recording& recording,
                         const viewer::AnimationOptions& options, const std::string& file, Io& io)
{
    Result<void> done = movies_possible(file);
    if (!done) return done;
    const auto program = on_path("ffmpeg");
    const auto write   = [&](const std::string& temporary) {
        auto child = Child::start(words(*program, options, temporary));
        if (!child) {
            done = make_diagnostic(viewer::kMovieProgram, {.layer = file}, *program + " cannot be started");
            return false;
        }
        bool takes = true;
        done       = viewer::draw_animation(
            model, recording, options, [&](const viewer::Image& image, std::size_t i, std::size_t count) {
                takes = takes && child->write(image.pixels);
                io.progress("drawing", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(count));
                return Result<void>();
            });
        io.end_progress();
        const auto status = child->wait(std::chrono::minutes(10));
        if (done && (!takes || status != 0))
            done = make_diagnostic(viewer::kMovieProgram, {.layer = file},
                                   fmt::format("{} failed: {}", *program, last_line(child->errors())));
        return done.has_value();
    };
    auto replaced = files::replace_with(file, write);
    return done ? replaced : done;
}

}  // namespace mechane::cli
