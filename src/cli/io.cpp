// Standard output and error: data, messages, progress, colours, and the exit status that errors give.
// Data go to standard output and nothing else does. Texts from files are made visible first (control characters are
// escaped), since a name in an asset could otherwise command the terminal.
// Invariants: a failed write to standard output changes the exit status; a reader that closes a pipe (head) ends the
// process by SIGPIPE as usual, after temporaries were removed; with --json there is one object even for errors.
// Called by all commands.

#include "cli/io.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "cli/finish.h"
#include "cli/foreign_hints.h"
#include "mechane/core/failure.h"
#include "mechane/core/visible.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/solvers/codes.h"
#include "mechane/usd/foreign.h"

namespace mechane::cli {
namespace {

std::atomic<bool> g_spoke  = false;
std::atomic<int>  g_broken = 0;  ///< errno of the first write to stdout that failed
std::atomic<int>  g_worst  = kExitClean;

/// The exit status of a run that met an error and continued.
ExitCode exit_of(const Diagnostic& error)
{ return error.id.starts_with("STAGE_") || error.id.starts_with("COMP_") ? kExitInput : kExitFindings; }

/// Whether the reader of a pipe at stdout has closed it.
bool reader_has_gone()
{
    pollfd stream{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    return poll(&stream, 1, 0) == 1 && (stream.revents & POLLERR) != 0;
}

void note_broken(int reason)
{
    int none = 0;
    g_broken.compare_exchange_strong(none, reason != 0 ? reason : EIO);
}

constexpr auto kProgressDelay = std::chrono::milliseconds(500);  // a quick command shows none
constexpr auto kProgressPause = std::chrono::milliseconds(100);

std::string_view environment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

/// Whether this is a terminal that obeys control sequences.
bool is_able_terminal(int descriptor) { return isatty(descriptor) != 0 && environment("TERM") != "dumb"; }

std::mutex g_remembering;  // guards Io::errors_: several threads may print

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

void write(std::FILE* stream, std::string_view text)
{
    if (stream != stdout) {
        std::fwrite(text.data(), 1, text.size(), stream);
        return;
    }
    g_spoke.store(true, std::memory_order_relaxed);
    if (g_broken != 0) return;
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_broken(errno);
}

}  // namespace

/// NO_COLOR and CLICOLOR_FORCE are conventions of many programs; options win over both.
bool Io::colored(int descriptor) const
{
    if (color != When::automatic) return color == When::always;
    const std::string_view force = environment("CLICOLOR_FORCE");
    if (!force.empty() && force != "0") return true;
    return environment("NO_COLOR").empty() && is_able_terminal(descriptor);
}

std::string Io::hint_of(const Diagnostic& d) const
{
    const bool        other = d.site.layer.empty() ? foreign : usd::is_foreign(d.site.layer);
    const std::string hint  = other ? foreign_hint(d) : d.hint;
    return fit_hint ? fit_hint(hint) : hint;
}

void Io::note_data() { g_spoke.store(true, std::memory_order_relaxed); }

void Io::remember(const Diagnostic& error) const
{
    const std::scoped_lock lock(g_remembering);
    errors_.push_back(error);
}

std::string Io::errors_json(int exit) const
{
    nlohmann::json errors = nlohmann::json::array();
    for (const Diagnostic& e : errors_) {
        errors.push_back({{"id", e.id},
                          {"severity", to_string(e.severity)},
                          {"message", e.message},
                          {"layer", e.site.layer},
                          {"line", e.site.line},
                          {"column", e.site.column},
                          {"prim", e.site.prim},
                          {"property", e.site.property},
                          {"hint", hint_of(e)}});
        if (!e.alias.empty()) errors.back()["alias"] = e.alias;
    }
    return nlohmann::json{{"schema", "mechane.error/1"}, {"exit", exit}, {"errors", errors}}.dump(
               1, ' ', false, nlohmann::json::error_handler_t::replace) +
           "\n";
}

void Io::out(std::string_view text) const { write(stdout, visible(text)); }

void Io::lines(std::string_view text) const { write(stdout, text); }

void Io::data(std::string_view bytes) const
{
    if (isatty(STDOUT_FILENO) != 0) return out(bytes);
    write(stdout, bytes);
}

int finish(const Io& io, int exit)
{
    errno = 0;
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) note_broken(errno);
    if (g_broken == EPIPE) {
        files::remove_temporaries();
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    if (g_broken != 0) {
        io.say_error(fmt::format("standard output cannot be written: {}\n", std::strerror(g_broken)));
        if (exit == kExitClean || exit == kExitFindings) return kExitOutput;
    }
    return exit == kExitClean ? int{g_worst} : exit;
}

bool Io::has_spoken() { return g_spoke.load(std::memory_order_relaxed); }

void Io::say(std::string_view text) const
{
    if (!quiet) write(stderr, visible(text));
}

void Io::say_error(std::string_view text) const
{
    const std::string_view first = text.substr(0, text.find('\n'));
    remember({.id = "USAGE", .severity = Severity::error, .message = std::string(first), .site = {}, .hint = {}});
    write(stderr, fmt::format("error: {}", visible(text)));
}

std::string Io::paint(std::string_view text, std::string_view ansi) const
{ return colored(STDERR_FILENO) ? fmt::format("\033[{}m{}\033[0m", ansi, text) : std::string(text); }

void Io::report(const Diagnostic& d) const
{
    if (d.severity == Severity::error) {
        g_worst = std::max<int>(g_worst, exit_of(d));
        remember(d);
    }
    // What a solver approximates changes the motion: it is no fault, but nobody should have to ask for it.
    if (d.severity == Severity::info && verbose == 0 && d.id != solvers::kSolverApproximates.id) return;
    if (quiet && d.severity != Severity::error) return;
    std::string text =
        fmt::format("{}: {}", paint(fmt::format("{}[{}]", to_string(d.severity), d.id), severity_color(d.severity)),
                    visible(d.message));
    if (d.count > 1) text += fmt::format(" ({} times)", d.count);
    text += '\n';
    std::string place = d.site.layer;
    if (!place.empty() && d.site.line > 0) place += fmt::format(":{}", d.site.line);
    if (!place.empty() && d.site.line > 0 && d.site.column > 0) place += fmt::format(":{}", d.site.column);
    if (!d.site.prim.empty() || !d.site.property.empty())
        place += fmt::format("{}{}{}{}", place.empty() ? "" : "   ", d.site.prim, d.site.property.empty() ? "" : ".",
                             d.site.property);
    if (!place.empty()) text += fmt::format("  {} {}\n", paint("-->", "1;34"), visible(place));
    if (const std::string hint = hint_of(d); !hint.empty())
        text += fmt::format("   {} help: {}\n", paint("=", "1;34"), visible(hint));
    write(stderr, text);
}

void Io::report(const Diagnostics& found) const
{
    // A robot of a hundred links repeats the same message a hundred times; a few of them are enough.
    constexpr int              kShown = 3;
    std::map<std::string, int> seen;
    for (const Diagnostic& diagnostic : found) {
        if (verbose > 0 || ++seen[diagnostic.id] <= kShown)
            report(diagnostic);
        else if (diagnostic.severity == Severity::error)
            remember(diagnostic);
    }
    if (verbose > 0) return;
    std::map<std::string, Severity> severity;
    for (const Diagnostic& diagnostic : found) severity.emplace(diagnostic.id, diagnostic.severity);
    for (const auto& [id, count] : seen)
        if (count > kShown && (severity[id] == Severity::error || (severity[id] == Severity::warning && !quiet)))
            fmt::print(stderr, "{} more {}[{}]; -v shows them\n", count - kShown, to_string(severity[id]), id);
}

/// The exit status is that of the library (core/failure.h).
ExitCode Io::fail(const Diagnostic& error) const
{
    const auto code = static_cast<ExitCode>(exit_code_of(error));
    if (code == kExitOutput && error.site.layer == "standard output" && reader_has_gone())
        return note_broken(EPIPE), kExitOutput;
    // The missing parts have been reported with their place; this says how to continue.
    if (error.id == "IMPORT_STAGE_COMPOSITION")
        say("  nothing was computed; --option allow_missing=true continues without the missing parts\n");
    else
        report(error);
    return code;
}

void Io::progress(std::string_view label, std::int64_t done, std::int64_t total)
{
    if (quiet || show_progress == When::never || (show_progress == When::automatic && !is_able_terminal(STDERR_FILENO)))
        return;
    const auto now = std::chrono::steady_clock::now();
    if (now - started_ < kProgressDelay || now - drawn_ < kProgressPause) return;
    drawn_             = now;
    line_open_         = true;
    const int   filled = total > 0 ? static_cast<int>(24 * done / total) : 0;
    std::string bar;
    for (int i = 0; i < 24; ++i) bar += i < filled ? "━" : "─";
    fmt::print(stderr, "\r{} {} {}/{}\033[K", visible(label), bar, done, total);
    std::fflush(stderr);
}

void Io::end_progress()
{
    if (line_open_) std::fputs("\r\033[K", stderr);
    line_open_ = false;
}

}  // namespace mechane::cli
