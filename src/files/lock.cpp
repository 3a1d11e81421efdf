#include "files/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace mechane::files {

Lock::~Lock()
{
    if (descriptor_ >= 0) ::close(descriptor_);
}

int Lock::take(const std::filesystem::path& what)
{
    Lock fresh;
    fresh.descriptor_ = ::open(what.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fresh.descriptor_ < 0) return errno;
    if (::flock(fresh.descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return EWOULDBLOCK;
    *this = std::move(fresh);
    return 0;
}

int Lock::take_within(const std::filesystem::path& what, double seconds)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
        const int failed = take(what);
        if (failed != EWOULDBLOCK || std::chrono::steady_clock::now() > end) return failed;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

}  // namespace mechane::files
