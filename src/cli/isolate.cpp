// Reading a file in a process of its own first. OpenUSD's parsers can be ended by a damaged file, on threads that no
// handler of ours recovers; a child may die instead. What it finds is thrown away: if it lives, the file is opened
// anew.
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
#include <set>
#include <thread>

#include "cli/command.h"
#include "cli/isolate.h"
#include "cli/second_reading.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/untrusted.h"

extern char** environ;

namespace mechane::cli {
namespace {

/// What a reader may take. A good stage takes about 0.1 s and 20 MiB for each MiB of text; the rest is for slow
/// machines.
struct Allowance {
    double        seconds;  ///< of processor time: how busy the machine is must not decide what a file is
    std::uint64_t bytes;    ///< of memory in use
};
constexpr Allowance kLeast{5, 1ull << 30}, kPerMiB{1, 64ull << 20}, kMost{120, 16ull << 30};
constexpr double    kMostWaiting = 12;  ///< wall time for each second of it, of one that waits for something

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

/// The least for a small file; more for the bytes of the file and of the stages beside and below it, which it may be
/// made of, up to a bound that no file can move.
Allowance allowance(const std::string& file)
{
    namespace fs                 = std::filesystem;
    constexpr int   kMostEntries = 4096;
    std::error_code failed;
    const fs::path  folder = fs::absolute(file, failed).parent_path();
    std::uint64_t   bytes  = 0;
    int             left   = kMostEntries;
    for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, failed);
         !failed && at != fs::recursive_directory_iterator() && left-- > 0; at.increment(failed)) {
        std::error_code unknown;
        const auto      size = is_stage(at->path().string()) ? at->file_size(unknown) : 0;
        if (!unknown) bytes += size;
    }
    const double mib    = static_cast<double>(bytes) / (1 << 20);
    const double memory = static_cast<double>(kLeast.bytes) + mib * static_cast<double>(kPerMiB.bytes);
    return {std::min(kLeast.seconds + mib * kPerMiB.seconds, kMost.seconds),
            static_cast<std::uint64_t>(std::min(memory, static_cast<double>(kMost.bytes)))};
}

/// Memory that a process has in use [bytes], 0 when it is gone. Address space would not do: every thread reserves more
/// than a small file takes.
std::uint64_t memory_of(pid_t process)
{
    std::ifstream stream(fmt::format("/proc/{}/statm", process));
    std::uint64_t all = 0, resident = 0;
    stream >> all >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Processor time that a process has used [s], 0 when it is gone.
double seconds_of(pid_t process)
{
    clockid_t clock{};
    timespec  used{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// For files that one process reads, one after the other.
Allowance allowance(std::span<const std::string> files)
{
    Allowance             all{0, 0};
    std::set<std::string> folders;  // each with the files in it
    std::error_code       failed;
    for (const std::string& file : files) {
        if (!folders.insert(std::filesystem::absolute(file, failed).parent_path().string()).second) continue;
        const Allowance one = allowance(file);
        all.seconds += one.seconds;
        all.bytes = std::max(all.bytes, one.bytes);
    }
    return all;
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
    if (g.unloaded) out.emplace_back("--unloaded");
    out.emplace_back("--");
    out.insert(out.end(), files.begin(), files.end());
    return out;
}

/// Runs this program with these arguments and without a voice.
/// @return what it died of; nothing when it ended by itself, or could not be started
std::string run_child(std::vector<std::string> arguments, const Allowance& allowed)
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
        if (seconds_of(child) > allowed.seconds || waited.count() > kMostWaiting * allowed.seconds)
            stopped = fmt::format("after {:.0f} s it was still being read", allowed.seconds);
        else if (memory_of(child) > allowed.bytes)
            stopped = fmt::format("reading it took more than {} MiB of memory", allowed.bytes >> 20);
        if (!stopped.empty()) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return stopped;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::milliseconds(20));
    }
    if (WIFSIGNALED(status)) return fmt::format("reading it ended with: {}", strsignal(WTERMSIG(status)));
    return WIFEXITED(status) && WEXITSTATUS(status) == kExitBug ? "reading it ended with an exception" : "";
}

/// Each file is read by one child, whoever asks and how often.
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
        std::call_once(mine->once,
                       [&] { mine->cause = run_child(child_arguments({&file, 1}, g, launch), allowance(file)); });
        if (mine->cause.empty()) return std::nullopt;
        return make_diagnostic(usd::kReaderDied, {.layer = file}, mine->cause);
    }

    void read_together(std::span<const std::string> files, const GlobalOptions& g, const Launch& launch)
    {
        if (!run_child(child_arguments(files, g, launch), allowance(files)).empty()) return;
        const std::scoped_lock lock(mutex_);
        for (const std::string& file : files) std::call_once(reads_[file].once, [] {});
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
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        const auto options = scene_options(context);
        if (options)
            for (const std::string& file : *files) usd::read_everything(file, options->open);
        context.exit = options ? kExitClean : kExitUsage;
    });
}

}  // namespace mechane::cli
