// Draws one frame of a recording as a picture. Checks the request (size, frame) for all commands that draw. Called by
// `mechane render`, the bindings and animation.cpp.

#include "mechane/viewer/render.h"

#include <fmt/format.h>

#include "mechane/simulation/atomic_file.h"
#include "mechane/viewer/codes.h"
#include "overlay.h"
#include "picture.h"
#include "png.h"
#include "request.h"

namespace mechane::viewer {

std::optional<Diagnostic> check_request(const record::Recording& recording, std::size_t frame,
                                        const RenderOptions& options, const std::string& file)
{
    if (options.width < 1 || options.height < 1 || options.width > 16384 || options.height > 16384)
        return make_diagnostic(kPictureSize, {.layer = file},
                               fmt::format("a picture of {} x {} pixels", options.width, options.height));
    if (frame >= recording.frames.size())
        return make_diagnostic(kFrameMissing, {.layer = file},
                               fmt::format("frame {} of {}", frame, recording.frames.size()));
    return {};
}

Image render(const model::Model& model, const record::Recording& recording, std::size_t frame,
             const RenderOptions& options)
{
    if (const auto wrong = check_request(recording, frame, options, {})) fail(*wrong);
    const Scene       scene  = build_scene(model);
    const auto&       moment = recording.frames[frame];
    const auto        points = focus_points(scene, moment);
    const Focus       focus  = focus_of(points);
    const tasks::Pool pool(options.threads);
    return draw(scene, moment,
                {make_camera(options, scene.up_axis, points), focus,
                 options.contacts ? force_scale(recording, focus.radius) : 0},
                options, pool);
}

Result<void> render_png(const model::Model& model, const record::Recording& recording, std::size_t frame,
                        const RenderOptions& options, const std::string& file)
{
    if (auto wrong = check_request(recording, frame, options, file)) return std::move(*wrong);
    return record::write_file(file, encode_png(render(model, recording, frame, options)));
}

}  // namespace mechane::viewer
