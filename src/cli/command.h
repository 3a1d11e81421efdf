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
    std::vector<std::string> stage_limits;          ///< "name=number"
    std::string              isolate  = "auto";  ///< whether another process reads a file first: auto, always, never
    std::string              compat;             ///< "" or "newton-1.8"
    std::string              unauthored_units;   ///< "one" or "usd"
    std::string              units;              ///< "si" or "stage"
};

/// What a command gets: how to speak, and the global options; it leaves its exit status here.
struct Context {
    Io            io;
    GlobalOptions global;
    Launch        launch;
    int           exit = kExitClean;

    std::vector<std::string> outputs;  ///< files that the verb writes, none of which may turn out to be read
};

/// Adds the global options to a verb.
void add_global_options(CLI::App& verb, Context& context);
/// Adds --option to a verb that imports.
void add_import_options(CLI::App& verb, Context& context);
/// Reads a file in a process of its own, once a run, unless --isolate never forbids it.
/// @return STAGE_READER_DIED when that process did not survive the file
std::optional<Diagnostic> try_in_child(const std::string& file, const Context& context);
/// Does with the files that a verb names what --isolate asks for: always, each is read by a process of its own now, and
/// one that dies ends the run; auto, such a process reads the stage as soon as a layer of it is met that the checks
/// cannot look into.
void isolate_named(const std::vector<std::string>& files, const Context& context);

/// Options of opening and importing a stage that the global options ask for. Registers the user's schemas, and reports
/// what is wrong with them.
/// @return nothing, with a message printed, when one of them cannot be understood
std::optional<run::SceneOptions> scene_options(const Context& context);

/// Opens a stage and reports what its composition found. Selections of --variant that it does not know are errors.
Result<std::shared_ptr<const usd::Stage>> open_stage(const std::string& file, const usd::OpenOptions& options,
                                                     const Context& context);

/// The exit status of a verb that has done its work: what could not be composed counts as input, other errors, and
/// warnings under --strict, as findings.
ExitCode exit_after(const Diagnostics& found, const Context& context);

/// The paths of prims that an option names.
/// @return nothing, with a message printed, when one is not the path of a prim
std::optional<std::vector<usd::Path>> prim_paths(const std::vector<std::string>& texts, const char* option,
                                                 const Io& io);

/// Whether the stage has these prims, with a message printed when it lacks one.
bool are_prims(const std::string& file, const std::vector<usd::Path>& paths, const char* option, usd::OpenOptions open,
               const Context& context);

/// Judges the selections of --variant for a verb that takes several files: a warning for each file that lacks one, an
/// error when all do.
/// @return false when none has it
bool report_lacking(const std::vector<Diagnostic>& lacking, std::size_t files, const Context& context);
/// The same for files that are not otherwise opened as stages.
bool are_selected(const std::vector<std::string>& files, const usd::OpenOptions& open, const Context& context);

// One function a command, each in the file of its name: declares the verb and its options, and what runs when it is
// chosen.
void add_bench(CLI::App& app, Context& context);
void add_cat(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_collide(CLI::App& app, Context& context);
void add_demo(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_dump(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_fix(CLI::App& app, Context& context);
void add_info(CLI::App& app, Context& context);
void add_mesh(CLI::App& app, Context& context);
void add_render(CLI::App& app, Context& context);
void add_replay(CLI::App& app, Context& context);
void add_ros(CLI::App& app, Context& context);
void add_schema(CLI::App& app, Context& context);
void add_sim(CLI::App& app, Context& context);
void add_tree(CLI::App& app, Context& context);
void add_try_read(CLI::App& app, Context& context);
void add_version(CLI::App& app, Context& context);

}  // namespace mechane::cli
