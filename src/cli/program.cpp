// The program: verbs, parsing, hints for mistakes, exit status.
// Order matters: standard streams are opened first, signals and last words next, so that everything after has them.
// Run as `rep_sanitizer`, the name that REP-0158 gives such a program, it is `mechane fix`.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/convert.h"
#include "cli/diff.h"
#include "cli/finish.h"
#include "cli/hints.h"
#include "cli/interrupt.h"
#include "cli/last_words.h"
#include "cli/program.h"
#include "cli/reduce.h"
#include "cli/usage.h"
#include "mechane/conversion/folder_entry.h"
#include "mechane/core/nearest.h"
#include "mechane/files/inputs.h"
#include "mechane/sourceformats/convert.h"

namespace mechane::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  mechane demo                              drop a robot; the results are in out/\n"
    "  mechane info robot.usda                   what is in this file\n"
    "  mechane sim robot.usda --ground -o a.html simulate it, watch it in a browser\n"
    "  mechane render robot.usda -o a.png        a picture, no display needed\n"
    "Exit status: 0 done, 1 something to look at, 2 usage, 3 input, 4 diverged, 5 output, 6 not in this build, 70 bug, "
    "130 interrupted.";

constexpr const char* kFiveThings =
    "Mechane opens robots in OpenUSD, checks them, and simulates them. Five things to try:\n"
    "  mechane demo                                 drop a robot; the results are in out/\n"
    "  mechane view robot.usda --ground             simulate it live in a browser: play, drag, inspect\n"
    "  mechane info robot.usda                      what is in this file\n"
    "  mechane check robot.usda                     what is wrong with it; `mechane fix` repairs\n"
    "  mechane sim robot.usda --ground -o run.html  simulate it, watch it in a browser\n"
    "No robot yet? `mechane init` writes one. `mechane --help` lists the verbs.\n";

/// What other programs call a verb or an option, and what it is called here.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"validate", "check"},
    {"lint", "check"},
    {"verify", "check"},
    {"repair", "fix"},
    {"simulate", "sim"},
    {"run", "sim"},
    {"step", "sim"},
    {"play", "view"},
    {"show", "view"},
    {"viewer", "view"},
    {"open", "view"},
    {"tree", "info"},
    {"cat", "dump"},
    {"print", "dump"},
    {"compare", "diff"},
    {"export", "convert"},
    {"import", "convert"},
    {"flatten", "convert"},
    {"screenshot", "render"},
    {"picture", "render"},
    {"draw", "render"},
    {"--steps", "--frames"},
    {"--num-steps", "--frames"},
    {"--nsteps", "--frames"},
    {"--time", "--duration"},
    {"--seconds", "--duration"},
    {"--t-end", "--duration"},
    {"--timestep", "--dt"},
    {"--time-step", "--dt"},
    {"--envs", "--worlds"},
    {"--num-envs", "--worlds"},
    {"--num-worlds", "--worlds"},
    {"--out", "--output"},
    {"--outfile", "--output"},
    {"--nthread", "--threads"},
    {"--jobs", "--threads"},
};

/// Names of verbs and options near to the unknown one; those of other programs first.
std::vector<std::string> meant(const std::string& word, const std::vector<std::string>& known)
{
    for (const auto& [theirs, ours] : kOtherNames)
        if (word == theirs && std::ranges::find(known, ours) != known.end()) return {std::string(ours)};
    // The dashes that all options begin with say nothing.
    std::vector<std::string> bare;
    for (const std::string& name : known)
        bare.push_back(name.substr(std::min(name.find_first_not_of('-'), name.size())));
    const std::string        dashes = word.starts_with('-') ? "--" : "";
    std::vector<std::string> out;
    for (const std::string& name : nearest(word.substr(std::min(word.find_first_not_of('-'), word.size())), bare))
        out.push_back(dashes + name);
    return out;
}

/// Suggests verbs and options that may be meant by the unknown one.
void suggest(const CLI::App& app, const std::string& word, const Io& io)
{
    const CLI::App&          verb = verb_of(app);
    std::vector<std::string> known;
    if (&verb == &app) {
        for (const CLI::App* sub : app.get_subcommands({}))
            if (!sub->get_group().empty()) known.push_back(sub->get_name());
    } else if (word.starts_with('-')) {
        for (const CLI::Option* option : verb.get_options())
            for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    const auto near = meant(word.substr(0, word.find('=')), known);
    if (!near.empty()) io.say(fmt::format("  did you mean {}?\n", fmt::join(near, ", ")));
    io.say(&verb == &app ? "  'mechane --help' lists the verbs.\n"
                         : fmt::format("  'mechane {} --help' lists its options.\n", verb.get_name()));
}

/// With --json there is an object even if there are only errors.
int finished(int exit, bool json, const Io& io)
{
    if (json && exit > kExitFindings && !Io::has_spoken()) io.out(io.errors_json(exit));
    return exit;
}

/// Whether an invalid command line asks for JSON.
bool asks_for_json(int argc, char** argv)
{
    return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

/// An option that may repeat takes one value each time: what follows is the next argument, not one more value.
void take_one_value_each_time(CLI::App& app)
{
    for (CLI::App* verb : app.get_subcommands(nullptr))
        for (CLI::Option* option : verb->get_options())
            if (!option->get_positional() && option->get_items_expected_max() > 1) {
                option->allow_extra_args(false);
                // The help would show "...", as if more could follow.
                if (option->get_expected_max() == CLI::detail::expected_max_vector_size)
                    option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
            }
}

/// A folder that a verb gets as its asset stands for the entry in it. Verbs that say more of folders (check, diff,
/// convert) look at them by themselves.
void let_folders_stand(CLI::App& app)
{
    const auto entry = [](const std::string& word) {
        std::error_code failed;
        return std::filesystem::is_directory(word, failed) ? conversion::folder_entry(word).value_or(word) : word;
    };
    for (CLI::App* verb : app.get_subcommands(nullptr)) {
        let_folders_stand(*verb);
        for (const char* asset : {"file", "asset", "what"})
            if (CLI::Option* option = verb->get_option_no_throw(asset); option != nullptr && option->get_positional())
                option->transform(entry, "", "folder");
    }
}

struct Verb {
    std::string_view name;
    void (*add)(CLI::App&, Context&);
    bool alone = true;  ///< it needs no other verb
};
constexpr Verb kVerbs[] = {{"bench", add_bench},
                           {"cat", add_cat},
                           {"check", add_check},
                           {"collide", add_collide},
                           {"completions", add_completions, false},
                           {"convert", add_convert},
                           {"demo", add_demo},
                           {"diff", add_diff},
                           {"doctor", add_doctor},
                           {"dump", add_dump},
                           {"explain", add_explain},
                           {"fix", add_fix},
                           {"help", add_help, false},
                           {"info", add_info},
                           {"init", add_init},
                           {"man", add_man, false},
                           {"mesh", add_mesh},
                           {"reduce", add_reduce},
                           {"render", add_render},
                           {"replay", add_replay},
                           {"ros", add_ros},
                           {"schema", add_schema},
                           {"sim", add_sim},
                           {"tree", add_tree},
                           {"try-read", add_try_read},
                           {"version", add_version},
                           {"view", add_view}};

/// The verb that the first word names, or all of them: the options of all verbs take longer than a small stage.
void add_verbs(CLI::App& app, Context& context, std::string_view first)
{
    const bool alone = std::ranges::any_of(kVerbs, [&](const Verb& v) { return v.name == first && v.alone; });
    for (const Verb& verb : kVerbs)
        if (!alone || verb.name == first) verb.add(app, context);
}

/// All verbs, for whoever asks what others can do.
const CLI::App& every_verb()
{
    struct All {
        All() { add_verbs(app, context, {}); }
        Context  context;
        CLI::App app;
    };
    static const All all;
    return all.app;
}

/// The hints of a run are those that its verb can follow.
void fit_hints(CLI::App& app, Io& io)
{
    const auto verb_named = [](std::string_view name) -> const CLI::App* {
        for (const CLI::App* verb : every_verb().get_subcommands(nullptr))
            if (verb->get_name() == name) return verb;
        return nullptr;
    };
    const KnownOptions known{.is_verb =
                                 [](std::string_view word) {
                                     return std::ranges::any_of(kVerbs, [&](const Verb& v) { return v.name == word; });
                                 },
                             .has_option =
                                 [verb_named](std::string_view name, std::string_view option) {
                                     const CLI::App*   verb = verb_named(name);
                                     const std::string text(option);
                                     if (verb == nullptr || verb->get_option_no_throw(text) != nullptr) return true;
                                     // "ros tf" and its like have options of their own.
                                     return std::ranges::any_of(verb->get_subcommands({}),
                                                                [&text](const CLI::App* part) {
                                                                    return part->get_option_no_throw(text) != nullptr;
                                                                });
                                 }};
    for (CLI::App* verb : app.get_subcommands(nullptr))
        verb->preparse_callback([&io, verb, known](std::size_t) {
            io.fit_hint = [verb, known](std::string_view hint) { return hint_for(hint, verb->get_name(), known); };
        });
}

/// Reopens closed standard streams: otherwise the next opened file would get their number, and our messages.
void keep_standard_streams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)  // opened so that using it fails, as before
            (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int parse_and_run(Context& context, int argc, char** argv, const Launch& launch)
{
    context.launch = launch;
    CLI::App app("Mechane opens robots in OpenUSD, checks them, and simulates them.", "mechane");
    app.footer(kFooter);
    app.require_subcommand(0, 1);
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.set_version_flag("--version", std::string("mechane ") + MECHANE_VERSION);
    add_verbs(app, context, argc > 1 ? argv[1] : std::string_view());
    take_one_value_each_time(app);
    refuse_not_finite(app);
    fit_hints(app, context.io);
    let_folders_stand(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wanted) {  // --help, --version
        return app.exit(wanted);
    } catch (const CLI::RuntimeError& refused) {  // printed already
        return finished(refused.get_exit_code(), asks_for_json(argc, argv), context.io);
    } catch (const CLI::ParseError& error) {
        context.io.say_error(usage_error(app, error) + "\n");
        suggest(app, unexpected_word(app), context.io);
        return finished(kExitUsage, asks_for_json(argc, argv), context.io);
    }
    if (app.get_subcommands().empty()) {
        context.io.say(kFiveThings);
        return kExitUsage;
    }
    return finished(context.exit, context.global.json, context.io);
}

int run(int argc, char** argv, const Launch& launch)
{
    const files::ReadWatch reads;  // protects the inputs of this run from being overwritten
    Context                context;
    const int              exit = finish(context.io, parse_and_run(context, argc, argv, launch));
    die_of_late_signal();
    return exit;
}

}  // namespace

Launch this_executable()
{
    std::error_code             failed;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
    std::filesystem::path       samples;
    for (const char* place :
         {"samples", "../share/mechane/samples", "../samples"}) {  // of a build, installed, of a wheel
        samples = (program.parent_path() / place).lexically_normal();
        if (std::filesystem::exists(samples, failed)) break;
    }
    return {program.string(), {}, samples.string()};
}

int run_program(int argc, char** argv, const Launch& launch)
{
    keep_standard_streams();
    sourceformats::let_stages_open_robots();
    std::signal(SIGPIPE, SIG_IGN);
    leave_nothing_behind();
    // REP-0158 speaks of a sanitizer: under that name the program is `mechane fix`.
    std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : std::string(), verb = "fix";
    std::vector<char*> words(argv, argv + argc);
    if (name == "rep_sanitizer") words.insert(words.begin() + 1, verb.data());
    speak_last_words(argc, argv);
    try {
        return run(static_cast<int>(words.size()), words.data(), launch);
    } catch (const std::bad_alloc&) {
        end_with_last_words("out of memory");
    } catch (const std::exception& error) {
        std::fprintf(stderr,
                     "mechane: internal error: %s\n  This is a bug in Mechane. Please report it with the command line "
                     "and, if you can, the file.\n",
                     error.what());
        return kExitBug;
    }
}

}  // namespace mechane::cli
