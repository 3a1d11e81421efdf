// What happens on SIGINT, SIGTERM and SIGHUP: temporaries are removed, commits are finished, other threads are held.
// The first signal only asks a run to end where one listens (Interruptible); a second one ends the process.
// While a transaction gives files their names, a signal waits until that is done.
// A handler may call few functions (signal-safety(7)): no memory, no locks, no streams. So threads are listed by
// system calls, and temporaries are kept in a fixed table.
// Called by run_program.

#include "cli/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mechane/files/scratch_folder.h"

namespace mechane::cli {
namespace {

std::atomic<int>  g_listeners{0};
std::atomic<bool> g_asked{false};
std::atomic<int>  g_late{0};

// -- other threads wait while the process removes what it wrote: one of them might write it again

std::atomic<int> g_held{0};

extern "C" void hold(int /*signal*/)
{
    ++g_held;
    for (;;) pause();
}

/// A real-time signal that nothing else here uses.
int holding_signal() { return SIGRTMAX - 3; }

/// What getdents64 puts in front of each name.
struct EntryHead {
    std::uint64_t inode;
    std::int64_t  next;
    std::uint16_t size;
    std::uint8_t  type;
};

/// Id of a thread from its name under /proc/self/task; 0 for "." and "..".
pid_t thread_of(const char* name)
{
    pid_t id = 0;
    for (; *name >= '0' && *name <= '9'; ++name) id = 10 * id + (*name - '0');
    return *name == '\0' ? id : 0;
}

/// Holds all threads but this one. Uses only calls that a signal handler may make. A thread that blocks the signal, or
/// is inside of a call that nothing interrupts, is waited for 0.2 s at most.
void hold_other_threads()
{
    const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    const auto              own   = static_cast<pid_t>(syscall(SYS_gettid));
    int                     asked = 0;
    alignas(EntryHead) char buffer[2048];  // NOLINT(modernize-avoid-c-arrays): as the kernel fills it
    for (long bytes = 0; (bytes = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < bytes;) {
            const auto* entry = reinterpret_cast<const EntryHead*>(buffer + at);
            // The name follows the type without padding.
            const pid_t id = thread_of(buffer + at + offsetof(EntryHead, type) + 1);
            if (id != 0 && id != own && syscall(SYS_tgkill, getpid(), id, holding_signal()) == 0) ++asked;
            at += entry->size;
        }
    close(folder);
    constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 1'000'000};
    for (int waited = 0; waited < 200 && g_held < asked; ++waited) nanosleep(&kMoment, nullptr);
}

/// The signal's own default action ends the process, so that the parent sees the cause and a shell stops its loop.
void die_of(int signal)
{
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    kill(getpid(), signal);
}

extern "C" void on_signal(int signal)
{
    if (signal != SIGHUP && g_listeners > 0 && !g_asked.exchange(true)) return;
    if (files::is_committing()) {
        g_late = signal;
        return;
    }
    static std::atomic_flag ending = ATOMIC_FLAG_INIT;
    if (ending.test_and_set()) hold(signal);  // another thread ends the process
    hold_other_threads();
    // A thread that was held while files got their names: the journal needs them, the next run ends its work.
    if (!files::is_committing()) files::remove_temporaries();
    die_of(signal);
}

}  // namespace

void leave_nothing_behind()
{
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags   = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&action.sa_mask, signal);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before{};  // the parent process may have set the signal to be ignored
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signal, &action, nullptr);
    }
    struct sigaction holding{};
    holding.sa_handler = hold;
    sigaction(holding_signal(), &holding, nullptr);
    // A file over the limit of its size then fails with EFBIG like any write, instead of ending the process.
    ::signal(SIGXFSZ, SIG_IGN);
}

void die_of_late_signal()
{
    if (const int signal = g_late) die_of(signal);
}

Interruptible::Interruptible() { ++g_listeners; }
Interruptible::~Interruptible() { --g_listeners; }
bool Interruptible::asked() { return g_asked; }

}  // namespace mechane::cli
