// System calls that write, each of them one step that a test can make fail.
// MECHANE_TEST_WRITES=full:N makes the N-th step fail with a full disk; kill:N kills the process there. Tests run a
// command with every N and look at what is left: this is how "old or new, never half" is proved.
// Functions return 0 or errno. Interrupted calls are repeated.
// Called by this room only.

#include "files/system.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1 << 1)
#endif

namespace mechane::files::system {
namespace {

/// What MECHANE_TEST_WRITES asks for.
struct Fault {
    long at   = 0;  ///< which operation; 0: none
    bool kill = false;

    static const Fault& asked()
    {
        static const Fault fault = [] {
            Fault       out;
            const char* text = std::getenv("MECHANE_TEST_WRITES");
            if (text == nullptr) return out;
            out.kill = std::strncmp(text, "kill:", 5) == 0;
            if (out.kill || std::strncmp(text, "full:", 5) == 0) out.at = std::atol(text + 5);
            return out;
        }();
        return fault;
    }
};

std::atomic<long> g_steps{0};

/// By number, because older C libraries have no function for it.
int renameat2(const fs::path& from, const fs::path& to, unsigned flags)
{ return ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0 ? 0 : errno; }

template <class Operation>
int stepped(Operation&& operation)
{
    if (const int failed = step()) return failed;
    return operation() == 0 ? 0 : errno;
}

int open_and_sync(const fs::path& path, int flags)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
    if (descriptor < 0) return errno;
    const int failed = sync(descriptor);
    ::close(descriptor);
    return failed;
}

}  // namespace

int step()
{
    const Fault& fault = Fault::asked();
    // Only one step fails, as on a disk that has room again; a killed process takes no further one.
    if (fault.at == 0 || ++g_steps < fault.at) return 0;
    if (!fault.kill) return g_steps == fault.at ? ENOSPC : 0;
    ::kill(::getpid(), SIGKILL);
    return EIO;
}

int write_all(int descriptor, std::string_view content)
{
    // In pieces of 1 MiB, so that large files have several steps to fail at.
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    while (!content.empty()) {
        if (const int failed = step()) return failed;
        const ssize_t n = ::write(descriptor, content.data(), std::min(kPiece, content.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        content.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

int sync(int descriptor)
{
    if (const int failed = step()) return failed;
    while (::fsync(descriptor) != 0) {
        // EINVAL, EROFS, ENOTSUP: pipes and file systems that keep nothing.
        if (errno == EINVAL || errno == EROFS || errno == ENOTSUP) return 0;  // nothing there that could be lost
        if (errno != EINTR) return errno;
    }
    return 0;
}

int sync_folder(const fs::path& folder) { return open_and_sync(folder.empty() ? "." : folder, O_DIRECTORY); }
int sync_file(const fs::path& file) { return open_and_sync(file, O_NOFOLLOW); }

int rename(const fs::path& from, const fs::path& to)
{
    return stepped([&] { return ::rename(from.c_str(), to.c_str()); });
}

/// RENAME_NOREPLACE never overwrites. The fallback has a gap between look and rename; it serves file systems without
/// the flag.
int rename_new(const fs::path& from, const fs::path& to)
{
    if (const int failed = step()) return failed;
    const int done = renameat2(from, to, RENAME_NOREPLACE);
    if (done != EINVAL && done != ENOSYS) return done;
    struct stat there{};
    if (::lstat(to.c_str(), &there) == 0) return EEXIST;
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int exchange(const fs::path& a, const fs::path& b)
{
    if (const int failed = step()) return failed;
    return renameat2(a, b, RENAME_EXCHANGE);
}

int unlink(const fs::path& file)
{
    return stepped([&] { return ::unlink(file.c_str()); });
}
int make_folder(const fs::path& folder, unsigned mode)
{
    return stepped([&] { return ::mkdir(folder.c_str(), mode); });
}
int remove_folder(const fs::path& folder)
{
    return stepped([&] { return ::rmdir(folder.c_str()); });
}
int remove_tree(const fs::path& folder)
{
    if (const int failed = step()) return failed;
    std::error_code failed;
    fs::remove_all(folder, failed);
    return failed.value();
}

/// 60 bits: names of two processes do not meet, and nobody can guess one and put a link there.
std::string random_letters()
{
    constexpr std::string_view    kLetters = "abcdefghijklmnopqrstuvwxyz012345";
    std::array<unsigned char, 12> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        const int random = ::open("/dev/urandom", O_RDONLY | O_CLOEXEC);
        if (random < 0 || ::read(random, bytes.data(), bytes.size()) < 0) bytes.fill(0);
        if (random >= 0) ::close(random);
    }
    std::string out;
    for (const unsigned char byte : bytes) out += kLetters[byte % kLetters.size()];
    return out;
}

int open_new(const fs::path& folder, unsigned mode, fs::path& name)
{
    if (const int failed = step()) return errno = failed, -1;
    for (int tries = 0; tries < 100; ++tries) {
        name                 = folder / (".mechane-" + random_letters() + ".part");
        const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

int open_nameless(const fs::path& folder)
{
    if (const int failed = step()) return errno = failed, -1;
    // A file that never has a name. File systems without it get a name that is removed at once.
    const int nameless = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (nameless >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return nameless;
    const fs::path name       = folder / (".mechane-" + random_letters() + ".part");
    const int      descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor >= 0) ::unlink(name.c_str());
    return descriptor;
}

}  // namespace mechane::files::system
