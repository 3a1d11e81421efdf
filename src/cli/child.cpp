// Child processes with three pipes, for programs that this one works with (ffmpeg, Python) and for reading files apart.
// Output is kept up to 64 KiB a stream and the rest is read and dropped, so a child that talks much is not blocked.
// Invariants: no descriptor leaks into other children (O_CLOEXEC); a child that is not waited for is killed and reaped.

#include "cli/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

extern char** environ;

namespace mechane::cli {
namespace {

constexpr std::size_t kMostKept = 64 << 10;  ///< of each stream [bytes]

void close_once(int& descriptor)
{
    if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

/// Takes what is there; closes the stream at its end.
void take(int& descriptor, std::string& kept)
{
    std::array<char, 4096> bytes{};
    const ssize_t          n = read(descriptor, bytes.data(), bytes.size());
    if (n > 0)
        kept.append(bytes.data(), std::min(static_cast<std::size_t>(n), kMostKept - std::min(kMostKept, kept.size())));
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        close_once(descriptor);
}

}  // namespace

std::optional<std::string> on_path(const std::string& name)
{
    if (name.find('/') != std::string::npos)
        return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
    const char* path = std::getenv("PATH");
    for (std::string_view rest = path != nullptr ? path : ""; !rest.empty();) {
        const std::size_t end  = rest.find(':');
        const std::string file = (std::filesystem::path(rest.substr(0, end)) / name).string();
        if (access(file.c_str(), X_OK) == 0) return file;
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return std::nullopt;
}

std::optional<std::string> python_program()
{
    const char* own = std::getenv("MECHANE_PYTHON");
    if (own != nullptr && *own != '\0') return on_path(own);
    return on_path("python3");
}

std::optional<Child> Child::start(std::vector<std::string> arguments)
{
    int in[2], out[2], err[2];
    if (pipe2(in, O_CLOEXEC) != 0) return std::nullopt;
    if (pipe2(out, O_CLOEXEC) != 0) return close(in[0]), close(in[1]), std::nullopt;
    if (pipe2(err, O_CLOEXEC) != 0) return close(in[0]), close(in[1]), close(out[0]), close(out[1]), std::nullopt;
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_adddup2(&streams, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&streams, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&streams, err[1], STDERR_FILENO);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    // SIGPIPE is ignored here; a child expects it as it is by default.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t      process = 0;
    const bool started = posix_spawn(&process, words.front(), &streams, &attributes, words.data(), environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&streams);
    close(in[0]), close(out[1]), close(err[1]);
    Child child;
    // From here on the descriptors are the child's, whose destructor closes them also when the start failed.
    child.in_ = in[1], child.from_out_ = out[0], child.from_err_ = err[0];
    if (!started) return std::nullopt;
    // Writing must not block: the child may be waiting for this process to read what it says.
    fcntl(child.in_, F_SETFL, O_NONBLOCK);
    child.process_ = process;
    return child;
}

Child::Child(Child&& other) noexcept
    : process_(std::exchange(other.process_, 0)),
      in_(std::exchange(other.in_, -1)),
      from_out_(std::exchange(other.from_out_, -1)),
      from_err_(std::exchange(other.from_err_, -1)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_))
{
}

Child::~Child()
{
    close_once(in_), close_once(from_out_), close_once(from_err_);
    if (process_ > 0) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
}

void Child::listen(int milliseconds)
{
    pollfd streams[] = {{from_out_, POLLIN, 0}, {from_err_, POLLIN, 0}, {in_, POLLOUT, 0}};
    if (poll(streams, 3, milliseconds) <= 0) return;
    if ((streams[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) take(from_out_, out_);
    if ((streams[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) take(from_err_, err_);
}

bool Child::write(std::span<const unsigned char> bytes)
{
    while (!bytes.empty() && in_ >= 0) {
        const ssize_t n = ::write(in_, bytes.data(), bytes.size());
        if (n > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        else if (errno == EAGAIN)
            listen(100);  // what it says must not stop it from taking more
        else if (errno != EINTR)
            return false;
    }
    return bytes.empty();
}

std::string Child::heard()
{
    pollfd streams[] = {{from_out_, POLLIN, 0}, {from_err_, POLLIN, 0}};
    while (poll(streams, 2, 0) > 0 && (from_out_ >= 0 || from_err_ >= 0) && out_.size() < kMostKept) {
        if (streams[0].revents != 0) take(from_out_, out_);
        if (streams[1].revents != 0) take(from_err_, err_);
        streams[0].fd = from_out_, streams[1].fd = from_err_;
    }
    return std::exchange(out_, {});
}

std::optional<int> Child::wait(std::chrono::milliseconds longest)
{
    close_once(in_);
    // The end of its input tells the child to finish.
    const auto end     = std::chrono::steady_clock::now() + longest;
    bool       in_time = true;
    while ((from_out_ >= 0 || from_err_ >= 0) && in_time) {
        listen(50);
        in_time = std::chrono::steady_clock::now() < end;
    }
    if (!in_time) kill(process_, SIGKILL);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {}
    process_ = 0;
    return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

}  // namespace mechane::cli
