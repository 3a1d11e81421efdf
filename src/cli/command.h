#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.h"
#include "cli/program.h"
#include "mechane/run/scene.h"

namespace mechane::cli {

/// Options that every verb understands.
struct GlobalOptions {
    bool                     json         = false;
    bool                     reproducible = false;  ///< sorted keys, nothing that differs between runs
    int                      threads      = 0;
    std::vector<std::string> variants;   ///< "set=name" or "/Prim{set=name}"
    std::vector<std::string> resolvers;  ///< priority order; empty: automatic
    std::vector<std::string> options;    ///< "name=value" of the import
    std::vector<std::string> packages;   ///< "name=folder"
    std::vector<std::string> search_paths;
    std::vector<std::string> schema_paths;  ///< plugInfo.json files, or the folders of such
    bool                     unloaded = false;
    bool                     strict   = false;
    bool                     timings  = false;
    std::vector<std::string> stage_limits;      ///< "name=number"
    std::string              isolate = "auto";  ///< whether another process reads a file first: auto, always, never
    std::string              compat;            ///< "" or "newton-1.8"
    std::string              unauthored_units;  ///< "one" or "usd"
    std::string              units;             ///< "si" or "stage"
};

/// Input of a command: its output streams and the global options. It stores its exit status here.
struct Context {
    Io            io;
    GlobalOptions global;
    Launch        launch;
    int           exit = kExitClean;

    std::vector<std::string> outputs;  ///< output files of the verb; none of them may be an input
};

/// Adds the global options to a verb.
void add_global_options(CLI::App& verb, Context& context);
/// Adds --option to a verb that imports.
void add_import_options(CLI::App& verb, Context& context);
/// Reads a file in a child process, once a run, unless --isolate is never.
/// @return STAGE_READER_DIED if the child did not survive the file
std::optional<Diagnostic> try_in_child(const std::string& file, const Context& context);
/// Applies --isolate to the files that a verb names. With "always" each file is read by a child process now, and a
/// child that dies ends the run. With "auto" a child reads the stage as soon as a layer is met that cannot be checked.
void isolate_named(const std::vector<std::string>& files, const Context& context);

/// Options for opening and importing a stage that follow from the global options. Registers the user's schemas, and
/// reports their faults.
/// @return nothing if one of them is invalid, with a message printed
std::optional<run::SceneOptions> scene_options(const Context& context);

/// Opens a stage and reports the findings of composition. Unknown selections of --variant are errors.
Result<std::shared_ptr<const usd::Stage>> open_stage(const std::string& file, const usd::OpenOptions& options,
                                                     const Context& context);

/// The exit status of a verb after its work: composition errors count as input errors; other errors, and warnings under
/// --strict, as findings.
ExitCode exit_after(const Diagnostics& found, const Context& context);

/// The paths of prims that an option names.
/// @return nothing, with a message printed, when one is not the path of a prim
std::optional<std::vector<usd::Path>> prim_paths(const std::vector<std::string>& texts, const char* option,
                                                 const Io& io);

/// Why a word names no folder that can be searched; empty if it does. A check of options.
std::string missing_folder(const std::string& folder);
/// Whether the stage has these prims, with a message printed when it lacks one.
bool are_prims(const std::string& file, const std::vector<usd::Path>& paths, const char* option, usd::OpenOptions open,
               const Context& context);

/// Checks the selections of --variant for a verb that takes several files: a warning for each file that lacks one, an
/// error if all do.
/// @return false if none has it
bool report_lacking(const std::vector<Diagnostic>& lacking, std::size_t files, const Context& context);
/// The same for files that are not otherwise opened as stages.
bool are_selected(const std::vector<std::string>& files, const usd::OpenOptions& open, const Context& context);

// One function a command, each in the file of its name: declares the verb and its options, and what runs when it is
// chosen.
void add_bench(CLI::App& app, Context& context);
void add_cat(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_collide(CLI::App& app, Context& context);
void add_completions(CLI::App& app, Context& context);
void add_demo(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_dump(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_fix(CLI::App& app, Context& context);
void add_info(CLI::App& app, Context& context);
void add_init(CLI::App& app, Context& context);
void add_man(CLI::App& app, Context& context);
void add_mesh(CLI::App& app, Context& context);
void add_render(CLI::App& app, Context& context);
void add_replay(CLI::App& app, Context& context);
void add_ros(CLI::App& app, Context& context);
void add_schema(CLI::App& app, Context& context);
void add_sim(CLI::App& app, Context& context);
void add_tree(CLI::App& app, Context& context);
void add_try_read(CLI::App& app, Context& context);
void add_version(CLI::App& app, Context& context);
void add_view(CLI::App& app, Context& context);

}  // namespace mechane::cli
