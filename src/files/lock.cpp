// Locks between processes, by flock on a file or folder.
// The kernel releases such a lock when the process ends, so a crash leaves none. The file itself is not changed.
// take() does not wait; EWOULDBLOCK says that somebody else holds the lock.
// Called by CacheFolder, GrowingFile, Transaction and recover().

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
    // Other errors count as success: some network file systems have no locks, and there a rename still is atomic.
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
