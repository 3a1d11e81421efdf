// The limits of what reading may take, kept by the program itself: OpenUSD's parsers and composition ask nobody while
// they work, so a thread beside them does.
#include "cli/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <thread>

#include "mechane/core/nearest.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/untrusted.h"

namespace mechane::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool>   g_loading{true}, g_strict{false};
std::atomic<double> g_seconds{0};  ///< of the option; 0: by the size of the files

/// Where the file that is being read began: what was read before it gives it nothing and costs it nothing.
std::atomic<double>        g_spent_before{0};  ///< processor time [s]
std::atomic<std::uint64_t> g_bytes_before{0}, g_memory_before{0};

/// "500", "64K", "8GiB".
std::optional<std::uint64_t> number_of(std::string_view text)
{
    double number            = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (failed != std::errc() || !(number > 0)) return std::nullopt;
    if (unit.ends_with("iB")) unit.remove_suffix(2);
    constexpr std::string_view kUnits = "KMGT";
    if (unit.size() > 1 || (unit.size() == 1 && kUnits.find(unit[0]) == std::string_view::npos)) return std::nullopt;
    if (unit.size() == 1) number *= std::pow(1024.0, static_cast<double>(kUnits.find(unit[0]) + 1));
    return number < 9e18 ? std::optional(static_cast<std::uint64_t>(number)) : std::nullopt;
}

/// Processor time of this process [s].
double processor_time()
{
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// A good file takes about 0.1 s for each MiB of text.
double allowance()
{
    constexpr double kLeast = 5, kPerMiB = 1;
    if (const double given = g_seconds; given > 0) return given;
    return kLeast + kPerMiB * static_cast<double>(usd::bytes_let_through() - g_bytes_before) / (1 << 20);
}

/// What whoever reads files may take for each, and ends without a word beyond.
void look_strictly()
{
    constexpr double kMemory = std::uint64_t{1} << 30, kMemoryPerByte = 64;
    for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const double bytes = static_cast<double>(usd::bytes_let_through() - g_bytes_before);
        if (processor_time() - g_spent_before > allowance()) _exit(kEndedByTime);
        const double most = std::min(kMemory + kMemoryPerByte * bytes + static_cast<double>(g_memory_before.load()),
                                     static_cast<double>(usd::process_limits().memory));
        if (static_cast<double>(usd::memory_in_use()) > most) _exit(kEndedByMemory);
    }
}

/// @param of_child  the status by which a child that reads for its parent says the same
[[noreturn]] void end(const Io& io, const std::string& what, const char* option, int of_child)
{
    if (g_strict) _exit(of_child);
    io.report(make_diagnostic(usd::kLimit, {}, what,
                              fmt::format("If the files are trusted, --stage-limit {}=... allows more.", option)));
    std::fflush(stderr);
    _exit(kExitInput);
}

/// Progress is counted by the reading itself. Only processor time without progress counts, so a slow disk or a stopped
/// process ends nothing.
void look(const Io& io)
{
    double            spent    = processor_time();
    Clock::time_point since    = Clock::now();
    std::uint64_t     progress = usd::reading_progress();
    bool              reading  = false;
    for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
        const auto most = usd::process_limits().memory;
        if (g_loading && most != 0 && usd::memory_in_use() > most)
            end(io, fmt::format("reading needs more than {} MiB of memory", most >> 20), "memory", kEndedByMemory);
        const bool now = usd::is_reading();
        if (!now || !reading || progress != usd::reading_progress()) {
            reading  = now;
            progress = usd::reading_progress();
            spent    = processor_time();
            since    = Clock::now();
            continue;
        }
        const double                        seconds = allowance();
        const std::chrono::duration<double> waited  = Clock::now() - since;
        if (processor_time() - spent > seconds && waited.count() > seconds)
            end(io, fmt::format("reading made no progress in {:.0f} s of processor time", seconds), "time",
                kEndedByTime);
    }
}

}  // namespace

bool set_limits(const GlobalOptions& global, const Io& io, usd::Limits& limits)
{
    usd::ProcessLimits process;
    std::uint64_t      prims = limits.max_prims, depth = limits.max_depth, layer = limits.max_layer_bytes,
                       sublayers = limits.max_sublayers, nesting = limits.max_nesting, sites = limits.max_graph_nodes,
                       time = 0;
    const std::map<std::string, std::uint64_t*> known{{"prims", &prims},
                                                      {"depth", &depth},
                                                      {"layer", &layer},
                                                      {"sublayers", &sublayers},
                                                      {"nesting", &nesting},
                                                      {"sites", &sites},
                                                      {"memory", &process.memory},
                                                      {"unpacked", &process.unpacked},
                                                      {"expressions", &process.expressions},
                                                      {"time", &time}};
    for (const std::string& text : global.stage_limits) {
        const std::size_t equals = text.find('=');
        const std::string name   = text.substr(0, equals);
        const auto        at     = known.find(name);
        if (at == known.end()) {
            std::vector<std::string> names;
            for (const auto& [each, value] : known) names.push_back(each);
            const std::vector<std::string> near = nearest(name, names);
            io.say_error(fmt::format("--stage-limit: there is no limit '{}'; {} {}\n", name,
                                     near.empty() ? "there are" : "did you mean",
                                     fmt::join(near.empty() ? names : near, ", ")));
            return false;
        }
        const auto value = number_of(equals == std::string::npos ? std::string() : text.substr(equals + 1));
        if (!value) {
            io.say_error(
                fmt::format("--stage-limit '{}' is not of the form NAME=NUMBER, where K, M, G and T mean KiB to "
                            "TiB\n",
                            text));
            return false;
        }
        *at->second = *value;
    }
    const auto most = [](std::uint64_t value) {
        return static_cast<std::size_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::size_t>::max()));
    };
    limits    = {.max_prims       = most(prims),
                 .max_depth       = most(depth),
                 .max_layer_bytes = most(layer),
                 .max_sublayers   = most(sublayers),
                 .max_nesting     = most(nesting),
                 .max_graph_nodes = most(sites)};
    g_seconds = static_cast<double>(time);
    usd::set_process_limits(process);
    return true;
}

void watch_reading(const Io& io)
{
    static std::atomic_flag begun = ATOMIC_FLAG_INIT;
    // One watching thread for the process; it ends with it.
    if (begun.test_and_set()) return;
    std::thread(look, io).detach();
}

void watch_strictly()
{
    g_strict = true;
    std::thread(look_strictly).detach();
}

void next_file()
{
    g_spent_before  = processor_time();
    g_bytes_before  = usd::bytes_let_through();
    g_memory_before = usd::memory_in_use();
}

void loading_ended() { g_loading = false; }

}  // namespace mechane::cli
