#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/scene_args.h"
#include "mechane/viewer/live_session.h"

namespace mechane::cli {

/// How a live simulation speaks ROS.
struct LiveRosArgs {
    bool                     on = false, dds = false, alone = false;  ///< alone: runs although nobody is connected
    int                      port = 9090;                             ///< of the WebSocket; 0: a free one
    std::vector<std::string> origins;                                 ///< of pages elsewhere that may connect
    std::vector<std::string> interfaces;  ///< folders of ROS packages with further message types
};

struct ViewArgs {
    SceneArgs                  scene;
    viewer::LiveSessionOptions live;
    LiveRosArgs                ros;
    std::optional<double>      dt;
    std::string                control;
    int                        port       = 0;
    bool                       no_browser = false, no_check = false;
};

/// `mechane view`, and `mechane ros bridge`, which runs although nobody looks on.
/// @return the exit status
int run_view(ViewArgs& args, Context& context);

}  // namespace mechane::cli
