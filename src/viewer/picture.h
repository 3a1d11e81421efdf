#pragma once
#include "camera.h"
#include "mechane/simulation/recording.h"
#include "mechane/tasks/parallel.h"
#include "mechane/viewer/render.h"
#include "mechane/viewer/scene.h"

namespace mechane::viewer {

/// One moment through one camera.
struct Shot {
    Camera camera;
    Focus  focus;            ///< where light and grid are centred
    double force_scale = 0;  ///< [m/N]
};

Image draw(const Scene& scene, const record::Frame& frame, const Shot& shot, const RenderOptions& options,
           const tasks::Pool& pool);

}  // namespace mechane::viewer
