#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "mechane/files/scratch_folder.h"

namespace mechane::cli {
namespace {

std::atomic<int>  g_listeners{0};
std::atomic<bool> g_asked{false};
std::atomic<int>  g_late{0};

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
    files::remove_temporaries();
    die_of(signal);
}

}  // namespace

void leave_nothing_behind()
{
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags   = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before{};  // the parent process may have set the signal to be ignored
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signal, &action, nullptr);
    }
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
