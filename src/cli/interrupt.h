#pragma once

/// What SIGINT, SIGTERM and SIGHUP do to a run.
namespace mechane::cli {

/// From now on they end the process as they would, but nothing temporary stays behind; while files get their names one
/// after the other, they wait for that to end. A full disk or a limit of file size is an error of writing, no signal.
void leave_nothing_behind();

/// Ends the process by the signal that came while files got their names, if one did.
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
