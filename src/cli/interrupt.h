#pragma once

/// What SIGINT, SIGTERM and SIGHUP do to a run.
namespace mechane::cli {

/// From now on they end the process as usual, but remove temporary files first. While a set of files is being renamed
/// they wait until that is done. A full disk or a file size limit is a write error and not a signal.
void leave_nothing_behind();

/// Ends the process by the signal that arrived while files were being renamed, if there was one.
void die_of_late_signal();

/// While one of these lives, the first SIGINT or SIGTERM only asks to come to an end; a second one ends the process.
class Interruptible {
  public:
    Interruptible();
    ~Interruptible();
    Interruptible(const Interruptible&)            = delete;
    Interruptible& operator=(const Interruptible&) = delete;

    [[nodiscard]] static bool asked();
};

}  // namespace mechane::cli
