#include "cli/io.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace mechane::cli {
namespace {

std::atomic<bool> g_spoke = false;

constexpr auto kProgressDelay = std::chrono::milliseconds(500);  // a quick command shows none
constexpr auto kProgressPause = std::chrono::milliseconds(100);

bool wants_color(When when)
{
    if (when != When::automatic) return when == When::always;
    if (const char* force = std::getenv("CLICOLOR_FORCE");
        force != nullptr && *force != '\0' && std::string_view(force) != "0")
        return true;
    if (const char* no = std::getenv("NO_COLOR"); no != nullptr && *no != '\0') return false;
    return isatty(STDERR_FILENO) != 0;
}

std::string_view severity_color(Severity severity)
{
    switch (severity) {
        case Severity::info:
            return "1;34";
        case Severity::warning:
            return "1;33";
        case Severity::error:
            return "1;31";
    }
    return "0";
}

}  // namespace

bool Io::colored() const { return wants_color(color); }

void Io::out(std::string_view text) const
{
    g_spoke.store(true, std::memory_order_relaxed);
    std::fwrite(text.data(), 1, text.size(), stdout);
}

bool Io::has_spoken() { return g_spoke.load(std::memory_order_relaxed); }

void Io::say(std::string_view text) const
{
    if (!quiet) std::fwrite(text.data(), 1, text.size(), stderr);
}

void Io::say_error(std::string_view text) const
{
    const std::string line = fmt::format("error: {}", text);
    std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string Io::paint(std::string_view text, std::string_view ansi) const
{ return colored() ? fmt::format("\033[{}m{}\033[0m", ansi, text) : std::string(text); }

void Io::report(const Diagnostic& d) const
{
    if (d.severity == Severity::info && verbose == 0) return;
    if (quiet && d.severity != Severity::error) return;
    std::string text = fmt::format(
        "{}: {}", paint(fmt::format("{}[{}]", to_string(d.severity), d.id), severity_color(d.severity)), d.message);
    if (d.count > 1) text += fmt::format(" ({} times)", d.count);
    text += '\n';
    std::string place = d.site.layer;
    if (!place.empty() && d.site.line > 0) place += fmt::format(":{}", d.site.line);
    if (!place.empty() && d.site.line > 0 && d.site.column > 0) place += fmt::format(":{}", d.site.column);
    if (!d.site.prim.empty() || !d.site.property.empty())
        place += fmt::format("{}{}{}{}", place.empty() ? "" : "   ", d.site.prim, d.site.property.empty() ? "" : ".",
                             d.site.property);
    if (!place.empty()) text += fmt::format("  {} {}\n", paint("-->", "1;34"), place);
    if (!d.hint.empty()) text += fmt::format("   {} help: {}\n", paint("=", "1;34"), d.hint);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void Io::report(const Diagnostics& found) const
{
    // A robot of a hundred links repeats the same remark a hundred times; a few show what is meant.
    constexpr int              kShown = 3;
    std::map<std::string, int> seen;
    for (const Diagnostic& diagnostic : found) {
        const bool fold = verbose == 0 && diagnostic.severity != Severity::error;
        if (!fold || ++seen[diagnostic.id] <= kShown) report(diagnostic);
    }
    if (quiet || verbose > 0) return;
    std::map<std::string, Severity> severity;
    for (const Diagnostic& diagnostic : found) severity.emplace(diagnostic.id, diagnostic.severity);
    for (const auto& [id, count] : seen)
        if (count > kShown && severity[id] != Severity::info)
            say(fmt::format("{} more {}[{}]; -v shows them\n", count - kShown, to_string(severity[id]), id));
}

ExitCode Io::fail(const Diagnostic& error) const
{
    // What is missing has been told, with its place; what is left to say is how to go on.
    if (error.id == "E_STAGE_COMPOSITION")
        say("  nothing was computed; --option allow_missing=true goes on without what is missing\n");
    else
        report(error);
    if (error.id == "STAGE_WRITE_FAILED" || error.id == "RECORD_WRITE_FAILED") return kExitOutput;
    if (error.id == "SOLVER_UNKNOWN" || error.id == "RESOLVER_UNKNOWN" || error.id == "E_ROOT_PATH" ||
        error.id == "E_SCENE_PATH" || error.id == "STAGE_VARIANT_UNKNOWN" || error.id.starts_with("E_ARG_") || error.id == "RUN_ARGUMENT" ||
        error.id.starts_with("RUN_SET_") || error.id.starts_with("RUN_CONTROL_") || error.id.starts_with("RENDER_"))
        return kExitUsage;
    if (error.id == "SOLVER_MODEL") return kExitUnsupported;
    return kExitInput;
}

void Io::progress(std::string_view label, std::int64_t done, std::int64_t total)
{
    if (quiet || show_progress == When::never || (show_progress == When::automatic && isatty(STDERR_FILENO) == 0))
        return;
    const auto now = std::chrono::steady_clock::now();
    if (now - started_ < kProgressDelay || now - drawn_ < kProgressPause) return;
    drawn_             = now;
    line_open_         = true;
    const int   filled = total > 0 ? static_cast<int>(24 * done / total) : 0;
    std::string bar;
    for (int i = 0; i < 24; ++i) bar += i < filled ? "━" : "─";
    fmt::print(stderr, "\r{} {} {}/{}\033[K", label, bar, done, total);
    std::fflush(stderr);
}

void Io::end_progress()
{
    if (line_open_) std::fputs("\r\033[K", stderr);
    line_open_ = false;
}

}  // namespace mechane::cli
