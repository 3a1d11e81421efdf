#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "mechane/files/replace.h"
#include "mechane/files/roots.h"
#include "mechane/record/write.h"
#include "mechane/run/publish.h"
#include "mechane/simulation/recording.h"

namespace mechane::cli {

/// True when the extension of `file` is one that `write_output` knows. "/dev/null", and "-" and "-.json" (JSON to
/// stdout) are.
bool is_known_output(const std::string& file);
/// True for a recording that can be verified (.mrec); it is written during the run and not by `write_output`.
bool is_recording(const std::string& file);
/// ".json .usda ..." for messages.
std::string known_outputs();
/// Further input for a recording of messages (.mcap).
struct Publishing {
    std::vector<run::Switch>         switches;
    std::vector<std::string>         interfaces;  ///< folders of ROS packages
    std::vector<record::SensorTrack> sensors;     ///< further columns of tables, further members of JSON
};
/// The transform from the stage to the model's world, with the units of the options.
/// " (</scene.newton:timeStepsPerSecond> robot.usda:12)" of a step that the stage authors, else nothing.
std::string from_stage(const std::string& dt_source);

run::StageInWorld stage_in_world(const run::Scene& scene);
/// Lights and cameras of the stage for a page (HtmlOptions::looks).
std::string looks_of(const run::Scene& scene);
/// Writes a recording in the format of the file's extension.
Result<void> write_output(const std::string& file, const run::Scene& scene, const record::Recording& recording,
                          Context& context, const Publishing& publishing = {});

/// Writes a document to a file, compressed if its name ends in .gz, or to stdout when `file` is empty or "-".
/// @return the exit status; failures have been printed
ExitCode write_text(const std::string& file, std::string_view text, const Io& io, const files::Replacing& how = {});

/// Whether a file is one of those that a run made or is about to make, under any name.
bool is_one_of(const std::string& file, const std::vector<std::string>& results);

/// The words of --outside.
std::map<std::string, files::Outside> outside_words();
}  // namespace mechane::cli
