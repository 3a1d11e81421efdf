// What the checks of a file's bytes do not foresee may still end OpenUSD's composition, and with it this process. It
// then becomes a fresh one by execve, which a signal handler may call, and has another process read the file first.
#include "cli/second_reading.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/io.h"
#include "mechane/usd/untrusted.h"

extern char** environ;

namespace mechane::cli {
namespace {

constexpr const char* kVariable = "MECHANE_STARTED_ANEW";

char**             g_argv = nullptr;
std::vector<char*> g_environment;

extern "C" void start_anew(int)
{
    if (usd::is_reading() && !Io::has_spoken()) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);  // the signal is blocked here, and would be in the new program
        execve("/proc/self/exe", g_argv, g_environment.data());
    }
    // The handler is gone (SA_RESETHAND): what led here happens again, and ends the process.
}

}  // namespace

bool started_anew() { return std::getenv(kVariable) != nullptr; }

void start_anew_when_reading_ends_it(char** argv)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    argv = nullptr;
#endif
    if (argv == nullptr || g_argv != nullptr) return;
    g_argv                  = argv;
    static std::string mark = std::string(kVariable) + "=1";
    for (char** variable = environ; *variable != nullptr; ++variable) g_environment.push_back(*variable);
    g_environment.insert(g_environment.end(), {mark.data(), nullptr});
    // This thread may have run out of stack.
    constexpr std::size_t           kStack = 64 << 10;
    static std::array<char, kStack> stack;
    const stack_t                   own{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = kStack};
    sigaltstack(&own, nullptr);
    struct sigaction action{};
    action.sa_handler = start_anew;
    action.sa_flags   = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

}  // namespace mechane::cli
