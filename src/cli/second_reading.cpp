// A file that passes all checks may still crash OpenUSD's composition, and with it this process. The process then
// replaces itself by execve, which a signal handler may call, and lets a child process read the file first.
#include "cli/second_reading.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/io.h"
#include "cli/last_words.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/usd/untrusted.h"

extern char** environ;

namespace mechane::cli {
namespace {

constexpr const char* kVariable = "MECHANE_STARTED_ANEW";

char**             g_argv = nullptr;
std::vector<char*> g_environment;

void start_anew()
{
    files::remove_temporaries();
    // Once something was printed, starting over would print it twice.
    if (usd::is_reading() && !Io::has_spoken()) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);  // the signal is blocked here, and would be in the new program
        execve("/proc/self/exe", g_argv, g_environment.data());
    }
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
    before_last_words(start_anew);
}

}  // namespace mechane::cli
