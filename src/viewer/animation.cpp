// Draws a recording as a film: numbered pictures, an animated PNG, or each picture to a callback.
// Inputs: model, frames, pictures per second, speed. Times are seconds of the simulation; a picture shows the frame
// that is nearest to its time, so no state is interpolated.
// Invariant: the same inputs give the same bytes with any number of threads.
// Called by `mechane render` and `mechane sim`.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "mechane/files/suffix.h"
#include "mechane/simulation/atomic_file.h"
#include "mechane/viewer/codes.h"
#include "overlay.h"
#include "picture.h"
#include "png.h"
#include "request.h"

namespace mechane::viewer {
namespace {

/// A name with one printf number, "%d" or "%04d", taken apart.
struct NumberedName {
    std::string before, after;
    int         digits = 0;

    [[nodiscard]] std::string at(std::size_t i) const { return fmt::format("{}{:0{}}{}", before, i, digits, after); }
};

std::optional<NumberedName> numbered(const std::string& file)
{
    const std::size_t percent = file.find('%');
    if (percent == std::string::npos) return {};
    std::size_t at = percent + 1;
    if (at < file.size() && file[at] == '0') ++at;
    int digits = 0;
    if (at < file.size() && file[at] >= '1' && file[at] <= '9') digits = file[at++] - '0';
    if (at >= file.size() || file[at] != 'd' || file.find('%', at) != std::string::npos) return {};
    return NumberedName{file.substr(0, percent), file.substr(at + 1), digits};
}

/// The frames that are shown: for each picture of the animation the recording's nearest in time.
std::vector<std::size_t> chosen_frames(const record::Recording& recording, double step)
{
    const auto&              frames = recording.frames;
    std::vector<std::size_t> out;
    const double             begin = frames.front().t, end = frames.back().t;
    // The last picture is not lost to rounding of the division. The number is bounded at 100000.
    const auto  count = static_cast<std::size_t>(std::clamp(std::floor((end - begin) / step + 1e-6), 0.0, 1e5)) + 1;
    std::size_t at    = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double t = begin + static_cast<double>(i) * step;
        // Of two frames that are equally near the later one is shown.
        while (at + 1 < frames.size() && std::abs(frames[at + 1].t - t) <= std::abs(frames[at].t - t)) ++at;
        out.push_back(at);
    }
    return out;
}

/// Where the camera is at each picture: one place for all when what moves stays about as large there, else it follows.
class CameraWork {
  public:
    CameraWork(const Scene& scene, const record::Recording& recording, const std::vector<std::size_t>& chosen,
               const RenderOptions& options)
        : scene_(scene)
    {
        const auto         first = focus_points(scene, recording.frames[chosen.front()]);
        std::vector<Vec3d> all;
        for (std::size_t i = 0; i < 12; ++i) {
            // Twelve moments spread over the run stand for all of it.
            const auto some = focus_points(scene, recording.frames[chosen[i * (chosen.size() - 1) / 11]]);
            all.insert(all.end(), some.begin(), some.end());
        }
        start_           = focus_of(first);
        const auto whole = focus_of(all);
        // A run that needs a third more room than its start would look small from one place; then the camera goes
        // along, with the distance of the start.
        follows_ = whole.radius > 1.35 * start_.radius && !options.eye && !options.target;
        focus_   = follows_ ? start_ : whole;
        camera_  = make_camera(options, scene.up_axis, follows_ ? first : all);
    }

    [[nodiscard]] Shot at(const record::Frame& frame, double scale) const
    {
        Shot out{camera_, focus_, scale};
        if (!follows_) return out;
        const Vec3d moved = focus_of(focus_points(scene_, frame)).centre - start_.centre;
        if (!is_finite(moved)) return out;
        out.camera.eye += moved;
        out.focus.centre += moved;
        return out;
    }
    [[nodiscard]] double radius() const { return start_.radius; }

  private:
    const Scene& scene_;
    Focus        start_, focus_;
    Camera       camera_;
    bool         follows_ = false;
};

}  // namespace

Result<void> draw_animation(const model::Model& model, const record::Recording& recording,
                            const AnimationOptions&                                                    options,
                            const std::function<Result<void>(const Image&, std::size_t, std::size_t)>& take)
{
    if (auto wrong = check_request(recording, 0, options.render, {})) return std::move(*wrong);
    const double fps =
        std::isfinite(options.frames_per_second) && options.frames_per_second > 0 ? options.frames_per_second : 30;
    const double speed = std::isfinite(options.speed) && options.speed > 0 ? options.speed : 1;

    const Scene       scene  = build_scene(model);
    const auto        chosen = chosen_frames(recording, speed / fps);
    const CameraWork  cameras(scene, recording, chosen, options.render);
    const double      scale = options.render.contacts ? force_scale(recording, cameras.radius()) : 0;
    const tasks::Pool pool(options.render.threads);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const record::Frame& frame = recording.frames[chosen[i]];
        if (auto done = take(draw(scene, frame, cameras.at(frame, scale), options.render, pool), i, chosen.size());
            !done)
            return done;
    }
    return {};
}

Result<void> write_animation(const model::Model& model, const record::Recording& recording,
                             const AnimationOptions& options, const std::string& file)
{
    if (auto wrong = check_request(recording, 0, options.render, file)) return std::move(*wrong);
    const auto name = numbered(file);
    if (!files::has_suffix(file, {".png", ".apng"}) || (!name && file.find('%') != std::string::npos))
        return make_diagnostic(kAnimationName, {.layer = file}, fmt::format("'{}' does not name an animation", file));
    const double fps =
        std::isfinite(options.frames_per_second) && options.frames_per_second > 0 ? options.frames_per_second : 30;
    if (name) {
        std::error_code ignored;  // a folder that cannot be made shows when the first picture is written
        if (const auto folder = std::filesystem::path(file).parent_path(); !folder.empty())
            std::filesystem::create_directories(folder, ignored);
    }
    std::optional<AnimatedPng> animation;
    const auto                 take = [&](const Image& image, std::size_t i, std::size_t count) -> Result<void> {
        if (name) return record::write_file(name->at(i), encode_png(image));
        if (!animation)
            animation.emplace(options.render.width, options.render.height, static_cast<std::uint32_t>(count), fps);
        animation->add(image);
        return {};
    };
    if (auto done = draw_animation(model, recording, options, take); !done || name) return done;
    return record::write_file(file, std::move(*animation).finish());
}

}  // namespace mechane::viewer
