// Reads a file in a child process first. A damaged file can crash OpenUSD's parsers on threads that no handler of ours
// recovers; the child may die instead. The child's result is discarded: if it survives, the file is opened again here.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "cli/command.h"
#include "cli/isolate.h"
#include "cli/last_words.h"
#include "cli/second_reading.h"
#include "cli/watch.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/untrusted.h"

extern char** environ;

namespace mechane::cli {
namespace {

/// Upper bounds for a reader, whatever it reads. The smaller bounds that follow from its files it applies itself
/// (watch.h).
constexpr double        kMostSeconds = 600;  ///< processor time [s]
constexpr std::uint64_t kMostBytes   = std::uint64_t{64} << 30;
constexpr double        kMostWaiting = 12;  ///< wall time for each second of it, if the reader waits for something

const char* const kVerb = "try-read";

bool is_stage(const std::string& file)
{
    std::error_code failed;
    return usd::is_stage_name(file) && std::filesystem::is_regular_file(file, failed);
}

/// Resident memory of a process [bytes], 0 if it has ended. Address space is no measure: every thread reserves more
/// than a small file needs.
std::uint64_t memory_of(pid_t process)
{
    std::ifstream stream(fmt::format("/proc/{}/statm", process));
    std::uint64_t all = 0, resident = 0;
    stream >> all >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Processor time that a process has used [s], 0 if it has ended.
double seconds_of(pid_t process)
{
    clockid_t clock{};
    timespec  used{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

std::vector<std::string> child_arguments(std::span<const std::string> files, const GlobalOptions& g,
                                         const Launch& launch)
{
    std::vector<std::string> out{launch.program};
    out.insert(out.end(), launch.before.begin(), launch.before.end());
    out.insert(out.end(), {kVerb, "--isolate=never", fmt::format("--threads={}", g.threads)});
    for (const std::string& variant : g.variants) out.push_back("--variant=" + variant);
    for (const std::string& package : g.packages) out.push_back("--package=" + package);
    for (const std::string& folder : g.search_paths) out.push_back("--search-path=" + folder);
    for (const std::string& path : g.schema_paths) out.push_back("--schema-path=" + path);
    for (const std::string& limit : g.stage_limits) out.push_back("--stage-limit=" + limit);
    if (g.unloaded) out.emplace_back("--unloaded");
    out.emplace_back("--");
    out.insert(out.end(), files.begin(), files.end());
    return out;
}

/// Runs this program with these arguments and without output.
/// @return the cause of its death; nothing if it ended normally or could not be started
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
    const auto  begin  = std::chrono::steady_clock::now();
    auto        pause  = std::chrono::milliseconds(1);
    int         status = 0;
    std::string stopped;
    while (waitpid(child, &status, WNOHANG) == 0) {
        const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
        if (seconds_of(child) > kMostSeconds || waited.count() > kMostWaiting * kMostSeconds)
            stopped = fmt::format("reading timed out after {:.0f} s", kMostSeconds);
        else if (memory_of(child) > kMostBytes)
            stopped = fmt::format("reading it took more than {} MiB of memory", kMostBytes >> 20);
        if (!stopped.empty()) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return stopped;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::milliseconds(20));
    }
    if (WIFSIGNALED(status)) return fmt::format("the reader ended with: {}", strsignal(WTERMSIG(status)));
    switch (WIFEXITED(status) ? WEXITSTATUS(status) : 0) {
        case kExitBug:
            return "the reader ended with an exception";
        case kEndedByTime:
            return "reading it took more processor time than its size allows";
        case kEndedByMemory:
            return "reading it took more memory than its size allows";
        default:
            return {};
    }
}

/// Reads each file by one child only, however often it is asked for.
/// Many threads may ask for one file; the first asks the child and the others wait for the answer.
class FirstReads {
  public:
    static FirstReads& of_process()
    {
        static FirstReads all;
        return all;
    }

    std::optional<Diagnostic> read(const std::string& file, const GlobalOptions& g, const Launch& launch)
    {
        Read* mine = nullptr;
        {
            const std::scoped_lock lock(mutex_);
            mine = &reads_[file];
        }
        std::call_once(mine->once, [&] { mine->cause = run_child(child_arguments({&file, 1}, g, launch)); });
        if (mine->cause.empty()) return std::nullopt;
        return make_diagnostic(usd::kReaderDied, {.layer = file}, mine->cause);
    }

    // One child for many small files. If it dies, nobody knows of which file, and each is read alone later.
    void read_together(std::span<const std::string> files, const GlobalOptions& g, const Launch& launch)
    {
        if (!run_child(child_arguments(files, g, launch)).empty()) return;
        const std::scoped_lock lock(mutex_);
        for (const std::string& file : files) std::call_once(reads_[file].once, [] {});
    }

    void forget()
    {
        const std::scoped_lock lock(mutex_);
        reads_.clear();
    }

  private:
    struct Read {
        std::once_flag once;
        std::string    cause;
    };
    std::mutex                  mutex_;
    std::map<std::string, Read> reads_;
};

}  // namespace

std::optional<Diagnostic> try_in_child(const std::string& file, const Context& context)
{
    if (context.global.isolate == "never" || !is_stage(file)) return std::nullopt;
    return FirstReads::of_process().read(file, context.global, context.launch);
}

void try_together(std::span<const std::string> files, const Context& context)
{
    std::vector<std::string> stages;
    if (context.global.isolate != "never")
        for (const std::string& file : files)
            if (is_stage(file)) stages.push_back(file);
    if (!stages.empty()) FirstReads::of_process().read_together(stages, context.global, context.launch);
}

void forget_reads() { FirstReads::of_process().forget(); }

void isolate_named(const std::vector<std::string>& files, const Context& context)
{
    usd::set_first_reader({});
    const bool automatic = context.global.isolate == "auto", anew = automatic && started_anew();
    if (automatic && !anew) start_anew_when_reading_ends_it(context.launch.argv);
    if (automatic)
        usd::set_first_reader([g = context.global, launch = context.launch](const std::string& file) {
            return FirstReads::of_process().read(file, g, launch);
        });
    if (context.global.isolate != "always" && !anew) return;
    for (const std::string& file : files)
        if (const auto died = try_in_child(file, context)) {
            context.io.report(*died);
            throw CLI::RuntimeError(kExitInput);
        }
}

void add_try_read(CLI::App& app, Context& context)
{
    const auto files = std::make_shared<std::vector<std::string>>();
    CLI::App*  verb  = app.add_subcommand(kVerb, "Read everything in files and say nothing")->group("");
    verb->add_option("files", *files, "Stages")->required();
    add_global_options(*verb, context);
    verb->callback([files, &context] {
        // A crash is expected here and is no news.
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        say_no_last_words();
        watch_strictly();
        const auto options = scene_options(context);
        if (options)
            for (const std::string& file : *files) {
                next_file();
                usd::read_everything(file, options->open);
            }
        context.exit = options ? kExitClean : kExitUsage;
    });
}

}  // namespace mechane::cli
