// `mechane reduce`: the smallest stage (or text of a robot) that still shows a fault.
// Inputs: a file and a command that ends with status 0 while the fault shows.

#include "mechane/reduction/reduce.h"
#include "mechane/files/codes.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"
#include "mechane/reduction/reduce_text.h"
#include "mechane/usd/file_names.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/counted.h"
#include "cli/interrupt.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/reduce.h"
#include "cli/seconds.h"

extern char** environ;

/// mechane reduce: the smallest stage that still shows a fault.
/// The search is in reduction/; here are the command of the user, its time limit, and the writing of the result.
/// The command runs in a shell in a process group of its own with all streams closed to /dev/null.
namespace mechane::cli {
namespace {

namespace fs = std::filesystem;

// 60 s for a run of the command is more than most commands need; what takes longer counts as without the fault.
struct ReduceArgs {
    std::string file, command, output;
    std::size_t runs       = 2000;
    int         jobs       = 0;
    double      timeout    = 60;
    bool        keep_names = false;
};

bool is_stage_file(const std::string& file) { return file == "-" || usd::is_layer_name(file); }

/// Robots that are written as XML, which stay what they are when the result has their suffix.
bool is_text_file(const std::string& file)
{ return files::has_suffix(file, {".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".world"}); }
bool is_result(const std::string& file) { return is_stage_file(file) || is_text_file(file); }

// In the shell's single quotes only a single quote needs care.
std::string quoted(const std::string& text)
{
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// {} may stand several times; without it the file is the last argument.
std::string with_file(const std::string& command, const std::string& file)
{
    std::string out;
    bool        named = false;
    for (std::size_t at = 0; at < command.size();) {
        if (command.compare(at, 2, "{}") == 0)
            out += quoted(file), at += 2, named = true;
        else
            out += command[at++];
    }
    return named ? out : out + " " + quoted(file);
}

/// Whether runs of the command at the same time could meet: it writes to a place of its own.
/// Only a guess by the text of the command. A wrong "yes" costs time; --jobs overrides it.
bool writes(const std::string& command)
{
    for (const char* sign :
         {" -o", " --output", " --out", ">", "tee ", " --layer", " --in-place", " --report", " cp ", " mv "}) {
        for (std::size_t at = command.find(sign); at != std::string::npos; at = command.find(sign, at + 1)) {
            if (*sign != '>') return true;
            std::string rest = command.substr(at + 1);
            rest.erase(0, rest.find_first_not_of(">& "));
            if (!rest.starts_with("/dev/null") && !rest.starts_with('1') && !rest.starts_with('2')) return true;
        }
    }
    return false;
}

/// Runs the command by the shell, in a group of its own, so that a time limit reaches all that it started.
/// @return its exit status; -1: it could not be started, was ended by a signal, or took too long
int run_command(const std::string& command, double timeout)
{
    std::string                sh = "/bin/sh", c = "-c", text = command;
    char*                      argv[] = {sh.data(), c.data(), text.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY,
                                         0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    // The group's number is that of the child.
    pid_t     child  = 0;
    const int failed = posix_spawn(&child, sh.c_str(), &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return -1;
    const auto begin  = std::chrono::steady_clock::now();
    auto       pause  = std::chrono::milliseconds(1);
    int        status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
        // What hangs must not hang the search.
        if (waited.count() > timeout || Interruptible::asked()) {
            // The negative number names the group: children of the shell end too.
            kill(-child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        std::this_thread::sleep_for(pause);
        // Short commands are waited for in milliseconds, long ones without load on a processor.
        pause = std::min(2 * pause, std::chrono::milliseconds(20));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::uintmax_t bytes_of(const std::string& file)
{
    std::error_code failed;
    const auto      size = fs::file_size(file, failed);
    return failed ? 0 : size;
}

// Powers of ten, as in ls --si.
std::string size_text(std::uintmax_t bytes)
{
    return bytes < 1000      ? fmt::format("{} B", bytes)
           : bytes < 1000000 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3)
                             : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

/// Writes the layers: the entry where the user said, further ones beside it.
int write_layers(const reduction::Reduced& reduced, const ReduceArgs& args, const Io& io)
{
    if (args.output.empty() || args.output == "-") {
        for (const reduction::ReducedLayer& one : reduced.layers) {
            if (reduced.layers.size() > 1) io.say(fmt::format("{}:\n", one.name));
            // The text alone goes to the output; names go to stderr.
            io.data(one.layer.to_text());
        }
        return kExitClean;
    }
    const fs::path folder = fs::path(args.output).parent_path();
    // The other layers get names that nobody typed. What an earlier result names is a part of it.
    // It is read past the watch on inputs: it is to be replaced.
    std::ifstream     in(args.output, std::ios::binary);
    const std::string earlier{std::istreambuf_iterator<char>(in), {}};
    for (std::size_t l = 1; l < reduced.layers.size(); ++l) {
        const std::string& name = reduced.layers[l].name;
        std::error_code    failed;
        if (!fs::exists(folder / name, failed) || earlier.find(name) != std::string::npos) continue;
        return io.fail(make_diagnostic(files::kFolder, {.layer = (folder / name).string()},
                                       fmt::format("the result has a layer '{}', and such a file is there already",
                                                   (folder / name).string())));
    }
    // The entry is written last, when all that it names is there.
    for (std::size_t l = reduced.layers.size(); l-- > 0;) {
        const std::string to = l == 0 ? args.output : (folder / reduced.layers[l].name).string();
        if (auto saved = reduced.layers[l].layer.save(to); !saved) return io.fail(saved.error());
    }
    return kExitClean;
}

/// Names that stand in the result: those that the fault needs, and those of which nothing is known.
void tell_names(const std::vector<std::string>& needed, const std::vector<std::string>& untried, const Io& io)
{
    if (!needed.empty()) io.say(fmt::format("names that the fault needs: {}\n", fmt::join(needed, ", ")));
    if (!untried.empty()) io.say(fmt::format("names that were not tried, and stay: {}\n", fmt::join(untried, ", ")));
}

/// The smallest text of a robot of another format.
/// Elements are dropped as long as the fault shows, by the text and not by the model.
int reduce_as_text(const ReduceArgs& args, const reduction::ReduceOptions& options,
                   std::chrono::steady_clock::time_point start, Context& context)
{
    Io&  io   = context.io;
    auto done = reduction::reduce_text(args.file, options);
    io.end_progress();
    if (!done) return Interruptible::asked() ? kExitInterrupted : io.fail(done.error());
    if (auto refused = refuse_read_outputs(context); !refused) return io.fail(refused.error());
    if (auto written = files::replace(args.output, done->text); !written) return io.fail(written.error());
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    if (context.global.json)
        io.out(nlohmann::ordered_json{{"schema", "mechane.reduce/1"},
                                      {"source", args.file},
                                      {"output", args.output},
                                      {"files", {args.output}},
                                      {"elements", {done->elements_before, done->elements}},
                                      {"bytes", {bytes_of(args.file), done->text.size()}},
                                      {"runs", done->runs},
                                      {"interrupted", done->interrupted},
                                      {"exhausted", done->exhausted},
                                      {"kept_names", done->kept_names},
                                      {"untried_names", done->untried_names}}
                   .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
               "\n");
    io.say(fmt::format("{} {}, {} -> {} {}, {} ({}, {:.0f} s)\n", args.file, size_text(bytes_of(args.file)),
                       counted(done->elements_before, "element"), args.output, size_text(done->text.size()),
                       counted(done->elements, "element"),
                       done->runs == 1 ? std::string("1 try") : fmt::format("{} tries", done->runs), wall.count()));
    tell_names(done->kept_names, done->untried_names, io);
    if (done->exhausted) io.say(fmt::format("ended after {} tries (--runs); it may become smaller\n", done->runs));
    if (done->interrupted) io.say("interrupted; this is the smallest text so far\n");
    return done->interrupted ? kExitInterrupted : kExitClean;
}

int run_reduce(const ReduceArgs& args, Context& context)
{
    Io&        io    = context.io;
    const auto scene = scene_options(context);
    if (!scene) return kExitUsage;
    isolate_named({args.file}, context);
    const Interruptible      interruptible;
    const auto               start = std::chrono::steady_clock::now();
    reduction::ReduceOptions options;
    options.open      = scene->open;
    options.runs      = args.runs;
    options.anonymise = !args.keep_names;
    // At most eight at a time: a run may itself use several threads.
    options.jobs = args.jobs > 0          ? args.jobs
                   : writes(args.command) ? 1
                                          : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
    // Copies have absolute names, as the command may change its folder.
    options.shows = [&](const std::string& file, int) {
        return run_command(with_file(args.command, fs::absolute(file).string()), args.timeout) == 0;
    };
    options.stop     = [] { return Interruptible::asked(); };
    options.progress = [&](std::size_t runs, std::size_t) {
        io.progress("reduce", static_cast<std::int64_t>(runs), static_cast<std::int64_t>(args.runs));
    };
    if (is_text_file(args.output)) {
        // A robot's text cannot become another format on the way.
        if (files::suffix_of(args.file) != files::suffix_of(args.output))
            return io.say_error(fmt::format("'{}' stays what it is: name the result *{}, or *.usda\n", args.file,
                                            fs::path(args.file).extension().string())),
                   kExitUsage;
        return reduce_as_text(args, options, start, context);
    }
    const std::string stem =
        args.output.empty() || args.output == "-" ? "reduced" : fs::path(args.output).stem().string();
    auto done = reduction::reduce(args.file, stem, options);
    io.end_progress();
    if (!done) {
        if (Interruptible::asked()) return kExitInterrupted;
        return io.fail(done.error());
    }
    if (auto refused = refuse_read_outputs(context); !refused) return io.fail(refused.error());
    if (const int written = write_layers(*done, args, io); written != kExitClean) return written;
    std::uintmax_t after = 0;
    for (const reduction::ReducedLayer& one : done->layers) after += one.layer.to_text().size();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    if (context.global.json && !args.output.empty() && args.output != "-") {
        nlohmann::ordered_json out{{"schema", "mechane.reduce/1"},
                                   {"source", args.file},
                                   {"output", args.output},
                                   {"files", nlohmann::ordered_json::array()},
                                   {"prims", {done->prims_before, done->prims}},
                                   {"specs", {done->specs_before, done->specs}},
                                   {"bytes", {bytes_of(args.file), after}},
                                   {"runs", done->runs},
                                   {"flattened", done->flattened},
                                   {"interrupted", done->interrupted},
                                   {"exhausted", done->exhausted},
                                   {"kept_names", done->kept_names},
                                   {"untried_names", done->untried_names}};
        for (std::size_t l = 0; l < done->layers.size(); ++l)
            out["files"].push_back(l == 0 ? args.output
                                          : (fs::path(args.output).parent_path() / done->layers[l].name).string());
        io.out(out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    }
    io.say(fmt::format("{} {}, {} -> {} {}, {} ({}, {:.0f} s)\n", args.file, size_text(bytes_of(args.file)),
                       counted(done->prims_before, "prim"), args.output.empty() ? "reduced" : args.output,
                       size_text(after), counted(done->prims, "prim"),
                       done->runs == 1 ? std::string("1 try") : fmt::format("{} tries", done->runs), wall.count()));
    tell_names(done->kept_names, done->untried_names, io);
    if (done->exhausted) io.say(fmt::format("ended after {} tries (--runs); it may become smaller\n", done->runs));
    if (done->interrupted) {
        io.say("interrupted; this is the smallest stage so far\n");
        return kExitInterrupted;
    }
    return kExitClean;
}

}  // namespace

void add_reduce(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ReduceArgs>();
    CLI::App* verb = app.add_subcommand("reduce", "Find the smallest anonymous stage that still shows a fault");
    verb->footer(
        "Examples:\n  mechane reduce crash.usda --while 'mechane sim {} ; test $? -eq 70' -o repro.usda\n  mechane "
        "reduce robot.usda --while \"mechane check {} | grep -q REP-1.3-mass\" -o repro.usda\n"
        "The file and all that it refers to are only read: the command gets copies.");
    verb->add_option("file", args->file, "Stage, or a robot of another format")->required();
    verb->add_option("--while", args->command,
                     "Shell command that ends with status 0 if the fault shows; {} is the stage")
        ->required();
    is_output_file(verb->add_option("-o,--output", args->output,
                                    "The result: .usda .usdc .usd, or of the file's own suffix for a robot of XML; "
                                    "text on standard output by default"),
                   is_result, ".usda .usdc .usd .urdf .xacro .xml .mjcf .sdf .world");
    verb->add_option("--runs", args->runs, "Maximum number of runs of the command")
        ->check(CLI::Range(std::size_t{1}, std::size_t{10000000}))
        ->capture_default_str();
    verb->add_option("--jobs", args->jobs,
                     "Number of parallel runs; 0: one if the command writes somewhere, else one per processor")
        ->check(CLI::Range(0, 256))
        ->capture_default_str();
    verb->add_option("--timeout", args->timeout, "Seconds after which a run counts as without the fault")
        ->transform(in_seconds)
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    auto* keep = verb->add_flag("--keep-names", args->keep_names, "Keep names and texts");
    verb->add_flag_function(
            "--anonymise", [](std::int64_t) {}, "Replace names by hashes and remove texts (default)")
        ->excludes(keep);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_reduce(*args, context); });
}

}  // namespace mechane::cli
