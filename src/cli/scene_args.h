#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "mechane/run/publish.h"

namespace mechane::cli {

/// The options that define the scene: the stage, and changes between import and simulation.
struct SceneArgs {
    std::string              file;
    std::vector<std::string> ground;  ///< empty: no ground; one empty text: default height
    bool                     ground_wanted = false;
    bool                     floating      = false;
    bool                     no_animation  = false;
    std::string              hold;
    int                      worlds = 1;
    std::vector<std::string> enable, disable;  ///< publishers and controllers, NAME@SECONDS
};

/// Adds them to a verb.
void add_scene_args(CLI::App& verb, SceneArgs& args);

/// The scene options that they and the global options define. Corrects "--ground FILE", where the flag took the file.
/// @return nothing if one of them is invalid, with a message printed
std::optional<run::SceneOptions> scene_options(SceneArgs& args, const Context& context);

/// The switches that `enable` and `disable` define.
/// @return nothing if one of them is invalid, with a message printed
std::optional<std::vector<run::Switch>> switches(const SceneArgs& args, const Io& io);

/// Both as a text that a recording can carry, with the file's absolute path; and back.
std::string to_text(const SceneArgs& args, const GlobalOptions& global);
/// @return false when the text is not such a text
bool from_text(const std::string& text, SceneArgs& args, GlobalOptions& global);

}  // namespace mechane::cli
