#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_codes.h"
#include "mechane/core/diagnostic.h"

namespace mechane::cli {

enum class When { automatic, always, never };

/// Output of a command: data to stdout, messages to stderr. Colour and progress appear on terminals only, unless asked
/// for.
class Io {
  public:
    bool quiet         = false;
    int  verbose       = 0;
    When color         = When::automatic;
    When show_progress = When::automatic;
    /// What was asked about is no OpenUSD, so that hints must not speak of its attributes.
    bool foreign = false;
    /// A hint as the verb that runs may print it (cli/hints.h); unset: as it is.
    std::function<std::string(std::string_view hint)> fit_hint{};

    /// Text, to stdout; also JSON. Control characters are escaped (mechane/core/visible.h).
    void out(std::string_view text) const;
    /// Text that is escaped already, with control sequences that a terminal or a build server shall obey.
    void lines(std::string_view text) const;
    /// Data that another program reads byte by byte, to stdout. On a terminal it is text.
    void data(std::string_view bytes) const;
    /// Notes that data went to stdout by another way.
    static void note_data();
    /// True when data went to stdout. May be asked in a signal handler.
    static bool has_spoken();
    /// A message, to stderr; nothing with --quiet. Escaped as all text is.
    void say(std::string_view text) const;
    /// An error of the command line or of what it names: "error: " and the text, to stderr; also with --quiet.
    void say_error(std::string_view text) const;
    /// Diagnostics to stderr, formatted as a compiler's. Infos appear with -v only; --quiet prints only errors.
    void report(const Diagnostics& found) const;
    void report(const Diagnostic& diagnostic) const;
    /// Reports the error and gives the exit status that belongs to it.
    [[nodiscard]] ExitCode fail(const Diagnostic& error) const;
    /// The errors so far, as one JSON object: `mechane.error/1`.
    [[nodiscard]] std::string errors_json(int exit) const;
    /// Whether text on this file descriptor may have colours: as asked for, else on terminals that support them.
    [[nodiscard]] bool colored(int descriptor) const;

    /// Text in a colour of the terminal (ANSI code such as "1;31") if stderr wants colour.
    [[nodiscard]] std::string paint(std::string_view text, std::string_view ansi) const;
    /// One line that is rewritten in place, on a terminal and after half a second only.
    void progress(std::string_view label, std::int64_t done, std::int64_t total);
    void end_progress();

  private:
    [[nodiscard]] std::string hint_of(const Diagnostic& d) const;
    void                      remember(const Diagnostic& error) const;

    std::chrono::steady_clock::time_point started_   = std::chrono::steady_clock::now(), drawn_{};
    bool                                  line_open_ = false;
    mutable std::vector<Diagnostic>       errors_;  ///< errors reported so far
};

}  // namespace mechane::cli
