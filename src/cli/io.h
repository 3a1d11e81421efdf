#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_codes.h"
#include "mechane/core/diagnostic.h"

namespace mechane::cli {

enum class When { automatic, always, never };

/// Where a command speaks: data to stdout, talk to stderr. Colour and progress appear on terminals only unless asked
/// for.
class Io {
  public:
    bool quiet         = false;
    int  verbose       = 0;
    When color         = When::automatic;
    When show_progress = When::automatic;

    /// Text, to stdout; also JSON. What a terminal would obey is shown instead (mechane/core/visible.h).
    void out(std::string_view text) const;
    /// Text that is visible already, with what a terminal or a build server is meant to obey.
    void lines(std::string_view text) const;
    /// Data that another program reads byte by byte, to stdout. On a terminal it is text.
    void data(std::string_view bytes) const;
    /// Says that data went to stdout by another way.
    static void note_data();
    /// True when data went to stdout. May be asked in a signal handler.
    static bool has_spoken();
    /// Talk, to stderr; nothing when quiet. As all text it is made visible.
    void say(std::string_view text) const;
    /// What is wrong with the command line or with what it names: "error: " and the text, to stderr; also when quiet.
    void say_error(std::string_view text) const;
    /// Diagnostics to stderr in the look of a compiler. Infos appear with -v only; --quiet leaves errors.
    void report(const Diagnostics& found) const;
    void report(const Diagnostic& diagnostic) const;
    /// Reports the error and gives the exit status that belongs to it.
    [[nodiscard]] ExitCode fail(const Diagnostic& error) const;
    /// The errors so far, as one JSON object: `mechane.error/1`.
    [[nodiscard]] std::string errors_json(int exit) const;
    /// Whether text on this file descriptor may have colours: as asked for, else on terminals that know them.
    [[nodiscard]] bool colored(int descriptor) const;

    /// Text in a colour of the terminal (ANSI code such as "1;31") if stderr wants colour.
    [[nodiscard]] std::string paint(std::string_view text, std::string_view ansi) const;
    /// One line that is rewritten in place, on a terminal and after half a second only.
    void progress(std::string_view label, std::int64_t done, std::int64_t total);
    void end_progress();

  private:
    void remember(const Diagnostic& error) const;

    std::chrono::steady_clock::time_point started_   = std::chrono::steady_clock::now(), drawn_{};
    bool                                  line_open_ = false;
    mutable std::vector<Diagnostic>       errors_;  ///< that were said
};

}  // namespace mechane::cli
