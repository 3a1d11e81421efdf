// Reading a file in a process of its own first. OpenUSD's parsers can be ended by a damaged file, on threads that no
// handler of ours recovers; a child may die instead. What it finds is thrown away: if it lives, the file is opened
// anew.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/command.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/untrusted.h"

extern char** environ;

namespace mechane::cli {
namespace {

constexpr int     kSeconds    = 60;           ///< of wall time
constexpr rlim_t  kBytes      = 16ull << 30;  ///< of address space
const char* const kVerb       = "try-read";
const char* const kSuffixes[] = {".usd", ".usda", ".usdc", ".usdz"};

bool is_stage(const std::string& file)
{
    const std::string suffix = std::filesystem::path(file).extension().string();
    std::error_code   failed;
    for (const char* known : kSuffixes)
        if (suffix == known) return std::filesystem::is_regular_file(file, failed);
    return false;
}

std::vector<std::string> child_arguments(const std::string& file, const GlobalOptions& g, const Launch& launch)
{
    std::vector<std::string> out{launch.program};
    out.insert(out.end(), launch.before.begin(), launch.before.end());
    out.insert(out.end(), {kVerb, "--isolate=never", fmt::format("--threads={}", g.threads)});
    for (const std::string& variant : g.variants) out.push_back("--variant=" + variant);
    for (const std::string& package : g.packages) out.push_back("--package=" + package);
    for (const std::string& folder : g.search_paths) out.push_back("--search-path=" + folder);
    for (const std::string& path : g.schema_paths) out.push_back("--schema-path=" + path);
    if (g.unloaded) out.emplace_back("--unloaded");
    out.emplace_back("--");
    out.push_back(file);
    return out;
}

/// Runs this program with these arguments and without a voice.
/// @return what it died of; nothing when it ended by itself, or could not be started
std::string run_child(std::vector<std::string> arguments)
{
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY,
                                         0);
    pid_t     child  = 0;
    const int failed = posix_spawn(&child, arguments.front().c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return {};
    const auto end    = std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
    auto       pause  = std::chrono::milliseconds(1);
    int        status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return fmt::format("after {} s it was still being read", kSeconds);
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::milliseconds(20));
    }
    if (WIFSIGNALED(status)) return fmt::format("reading it ended with: {}", strsignal(WTERMSIG(status)));
    return WIFEXITED(status) && WEXITSTATUS(status) == kExitBug ? "reading it ended with an exception" : "";
}

}  // namespace

std::optional<Diagnostic> try_in_child(const std::string& file, bool untrusted, const Context& context)
{
    const GlobalOptions& g = context.global;
    if (g.isolate == "never" || !is_stage(file)) return std::nullopt;
    if (g.isolate == "auto" && !untrusted && usd::unchecked_part(file).empty()) return std::nullopt;
    const std::string cause = run_child(child_arguments(file, g, context.launch));
    if (cause.empty()) return std::nullopt;
    return make_diagnostic(usd::kReaderDied, {.layer = file}, cause);
}

void add_try_read(CLI::App& app, Context& context)
{
    const auto file = std::make_shared<std::string>();
    CLI::App*  verb = app.add_subcommand(kVerb, "Read everything in a file and say nothing")->group("");
    verb->add_option("file", *file, "Stage")->required();
    add_global_options(*verb, context);
    verb->callback([file, &context] {
        const rlimit no_core{0, 0}, memory{kBytes, kBytes};
        setrlimit(RLIMIT_CORE, &no_core);
        setrlimit(RLIMIT_AS, &memory);
        const auto options = scene_options(context);
        if (options) usd::read_everything(*file, options->open);
        context.exit = options ? kExitClean : kExitUsage;
    });
}

}  // namespace mechane::cli
