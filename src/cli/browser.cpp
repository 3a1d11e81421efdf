// Opens an address in the user's browser without a shell and without waiting for it.
// BROWSER wins, then what the desktop offers; without a display nothing is started. The child's streams go to
// /dev/null, so that it cannot write into this program's output.
// Called by `mechane view` and --open.

#include "cli/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "cli/child.h"

extern char** environ;

namespace mechane::cli {
namespace {

bool start(const char* program, const std::string& url)
{
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string name = program, address = url;
    char*       words[] = {name.data(), address.data(), nullptr};
    pid_t       child   = 0;
    const bool  started = posix_spawnp(&child, program, &quiet, nullptr, words, environ) == 0;
    posix_spawn_file_actions_destroy(&quiet);
    // A thread takes the exit status: otherwise the child would stay as a zombie.
    if (started) std::thread([child] { waitpid(child, nullptr, 0); }).detach();
    return started;
}

}  // namespace

bool open_in_browser(const std::string& url)
{
    const char* own = std::getenv("BROWSER");
    if (own != nullptr && *own != '\0' && on_path(own)) return start(own, url);
    const bool display = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
    if (!display) return false;
    for (const char* program : {"xdg-open", "sensible-browser"})
        if (on_path(program)) return start(program, url);
    return false;
}

}  // namespace mechane::cli
