#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/math/vec.h"
#include "mechane/model/model.h"
#include "mechane/simulation/recording.h"

namespace mechane::viewer {

/// From where a picture is taken when no eye is given; the world's axes, the distance fits what moves into the frame.
enum class NamedView { three_quarter, front, side, top };

/// Pictures are drawn by the processor: no display and no driver is needed.
struct RenderOptions {
    int                  width = 1280, height = 720;  ///< [px], 1..16384
    NamedView            view = NamedView::three_quarter;
    std::optional<Vec3d> eye{}, target{};  ///< world [m]; what is missing follows from `view` and from what moves
    double               fov = 36;         ///< vertical, [degrees], brought into 1..150
    bool colliders           = false;  ///< overlay: what collides, as veils and lines, bodies green, static shapes blue
    bool contacts            = false;  ///< overlay: points orange, normals blue, forces red
    int  threads             = 0;      ///< 0: all cores; the picture is the same for any number
};

/// 8-bit sRGB, rows from the top, three bytes a pixel.
/// What `render` draws, before it becomes a file.
struct Image {
    int                       width = 0, height = 0;
    std::vector<std::uint8_t> pixels;
};

/// Draws one frame, which the recording has to have, in a size of the range above; anything else is a mistake of the
/// caller, told to `fail` as RENDER_FRAME_MISSING or RENDER_SIZE. Ask `render_png` where that is not known.
/// Perspective, one sun with a soft shadow, four samples a pixel. Bodies whose pose is not finite are
/// left out.
Image render(const model::Model& model, const record::Recording& recording, std::size_t frame,
             const RenderOptions& options = {});

/// Draws one frame into a PNG file; "-" is standard output.
/// @error RENDER_FRAME_MISSING, RENDER_SIZE, RECORD_WRITE_FAILED
Result<void> render_png(const model::Model& model, const record::Recording& recording, std::size_t frame,
                        const RenderOptions& options, const std::string& file);

struct AnimationOptions {
    /// Half the edge of single pictures, since an animation has many.
    RenderOptions render{.width = 640, .height = 360};
    double        frames_per_second = 30;  ///< [1/s], of the animation; frames of the recording are chosen by time
    double        speed             = 1;   ///< recorded seconds per second
};

/// Draws the pictures of an animation one after the other and hands each to `take`, with its number and how many there
/// will be. The camera stands still where it sees the whole motion, or follows what travels far. Ends with the first
/// error of `take`.
/// @error RENDER_FRAME_MISSING, RENDER_SIZE
Result<void> draw_animation(
    const model::Model& model, const record::Recording& recording, const AnimationOptions& options,
    const std::function<Result<void>(const Image& image, std::size_t index, std::size_t count)>& take);

/// One animated PNG that repeats for ever, or numbered pictures when the name holds a printf number
/// ("frames/%04d.png").
/// @error RENDER_FRAME_MISSING, RENDER_SIZE, RENDER_NAME, RECORD_WRITE_FAILED
Result<void> write_animation(const model::Model& model, const record::Recording& recording,
                             const AnimationOptions& options, const std::string& file);

}  // namespace mechane::viewer
