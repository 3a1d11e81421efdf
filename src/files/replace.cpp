// Replaces a file as one: readers see the old content or the new one, never a part.
// The content is written to a temporary file in the same folder, flushed to the disk, given the owner and mode of the
// old file, and renamed over it. Links are followed, so the link stays and its target changes. Streams, pipes and
// devices are written directly: they have no content that could be kept.
// Invariants: a failure leaves the old file and no temporary; a file that the run has read is refused unless asked for.
// Called by everything that writes a result.

#include "mechane/files/replace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "files/place.h"
#include "files/system.h"
#include "files/temporaries.h"
#include "mechane/files/codes.h"
#include "mechane/files/inputs.h"
#include "mechane/files/scratch_folder.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

Diagnostic failure(const std::string& file, const std::string& why)
{ return make_diagnostic(kWriteFailed, {.layer = file}, fmt::format("cannot write '{}': {}", file, why)); }

Diagnostic failure(const std::string& file, int reason) { return failure(file, std::strerror(reason)); }

/// Number of an open stream that a path names: /dev/stdout, /dev/fd/3.
std::optional<int> open_stream(const std::string& file)
{
    if (file == "/dev/stdout") return STDOUT_FILENO;
    if (file == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"})
        if (file.starts_with(prefix) && file.size() > prefix.size() &&
            file.find_first_not_of("0123456789", prefix.size()) == std::string::npos)
            return std::atoi(file.c_str() + prefix.size());
    return std::nullopt;
}

Result<void> write_to(int descriptor, const std::string& name, std::string_view content)
{
    if (descriptor == STDOUT_FILENO) std::fflush(stdout);  // what was said before comes before
    if (const int failed = system::write_all(descriptor, content)) return failure(name, failed);
    return {};
}

Result<void> write_directly(const std::string& file, std::string_view content)
{
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return failure(file, errno);
    auto written = write_to(descriptor, file, content);
    if (::close(descriptor) != 0 && written) return failure(file, errno);
    return written;
}

bool is_special(const std::string& file)
{
    struct stat status{};
    return ::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

Result<fs::path> admitted(const std::string& file, const Replacing& how)
{
    const fs::path  target = real_place(file);
    std::error_code failed;
    if (fs::is_directory(target, failed)) return failure(file, "it is a folder");
    const fs::path folder = target.parent_path();
    if (how.make_folders && !fs::exists(folder, failed)) fs::create_directories(folder, failed);
    if (!fs::is_directory(folder, failed)) return failure(file, "the folder does not exist");
    // The rename needs the folder and not the file to be writable. A protected file is refused all the same, since
    // whoever protected it meant that.
    if (::access(folder.c_str(), W_OK | X_OK) != 0) return failure(file, "the folder cannot be written");
    if (::access(target.c_str(), W_OK) != 0 && errno != ENOENT)
        return failure(file,
                       errno == ENAMETOOLONG ? "the name is too long for the disk" : "the file is write-protected");
    if (!how.may_be_input)
        if (auto refused = refuse_input(file); !refused) return refused.error();
    return target;
}

}  // namespace

std::string real_place(const std::string& file)
{
    // 40, as the kernel follows. The last part is resolved by hand because its target need not exist yet.
    constexpr int   kMostLinks = 40;
    std::error_code failed;
    fs::path        at = fs::absolute(file, failed);
    for (int links = 0; links < kMostLinks && fs::is_symlink(at, failed); ++links) {
        const fs::path to = fs::read_symlink(at, failed);
        if (failed) break;
        at = to.is_absolute() ? to : at.parent_path() / to;
    }
    fs::path place = fs::weakly_canonical(at, failed);
    if (failed) place = at.lexically_normal();
    return (place.has_filename() ? place : place.parent_path()).string();
}

int take_looks(int descriptor, const fs::path& of)
{
    struct stat before{};
    if (::stat(of.c_str(), &before) != 0) return errno == ENOENT ? 0 : errno;
    if (const int failed = system::step()) return failed;
    // Only root may give a file away; another's group may be taken by its members.
    if (::fchown(descriptor, before.st_uid, before.st_gid) != 0 &&
        ::fchown(descriptor, static_cast<uid_t>(-1), before.st_gid) != 0)
        errno = 0;
    // After fchown, which clears the bits of set-user-id.
    return ::fchmod(descriptor, before.st_mode & 07777) == 0 ? 0 : errno;
}

int take_looks(const fs::path& file, const fs::path& of)
{
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int failed = take_looks(descriptor, of);
    ::close(descriptor);
    return failed;
}

Result<void> try_target(const std::string& file, const Replacing& how)
{
    if (file == "-" || open_stream(file)) return {};
    if (is_special(file))
        return ::access(file.c_str(), W_OK) == 0 ? Result<void>() : Result<void>(failure(file, errno));
    fs::path        folder = fs::path(real_place(file)).parent_path();
    std::error_code failed;
    if (how.make_folders && !fs::exists(folder, failed)) {
        while (!folder.empty() && !fs::exists(folder, failed) && folder != folder.parent_path())
            folder = folder.parent_path();
        if (!fs::is_directory(folder, failed)) return failure(file, "the folder cannot be made");
        if (::access(folder.c_str(), W_OK | X_OK) != 0) return failure(file, "the folder cannot be written");
        return {};
    }
    Replacing only_look    = how;
    only_look.make_folders = false;
    if (auto there = admitted(file, only_look); !there) return there.error();
    return {};
}

Result<void> replace(const std::string& file, std::string_view content, const Replacing& how)
{
    if (file == "-") return write_to(STDOUT_FILENO, "standard output", content);
    if (const auto stream = open_stream(file)) return write_to(*stream, file, content);
    if (is_special(file)) return write_directly(file, content);
    const auto target = admitted(file, how);
    if (!target) return target.error();
    // What will be removed anyway need not survive a crash.
    const bool  durable = how.durable && !is_scratch(*target);
    fs::path    name;
    struct stat before{};
    const bool  exists = ::stat(target->c_str(), &before) == 0;
    // Private until it has the mode of the old file: its content may not be for everybody.
    const int descriptor = system::open_new(target->parent_path(), exists ? 0600 : 0666, name);
    if (descriptor < 0) return failure(file, errno);
    Temporary temporary(name);
    int       failed = system::write_all(descriptor, content);
    if (failed == 0) failed = take_looks(descriptor, *target);
    if (failed == 0 && durable) failed = system::sync(descriptor);
    if (::close(descriptor) != 0 && failed == 0) failed = errno;
    if (failed == 0) failed = system::rename(name, *target);
    if (failed != 0) return failure(file, failed);
    temporary.keep();
    if (durable) (void)system::sync_folder(target->parent_path());  // it is there; a crash may still show the old one
    return {};
}

Result<void> replace_with(const std::string& file, const std::function<bool(const std::string& temporary)>& write,
                          const Replacing& how)
{
    if (is_special(file) || open_stream(file)) return failure(file, "it is not a regular file");
    const auto target = admitted(file, how);
    if (!target) return target.error();
    const bool durable = how.durable && !is_scratch(*target);
    // The writer gets a folder of its own with the final name in it. Some writers choose their format by the name or
    // leave files beside it.
    const ScratchFolder folder(target->parent_path());
    if (folder.path().empty()) return failure(file, "the folder cannot be written");
    const fs::path made   = folder.path() / target->filename();
    int            failed = system::step();
    if (failed == 0 && !write(made.string())) return failure(file, "its content could not be written");
    if (failed == 0) failed = take_looks(made, *target);
    if (failed == 0 && durable) failed = system::sync_file(made);
    if (failed == 0) failed = system::rename(made, *target);
    if (failed != 0) return failure(file, failed);
    if (durable) (void)system::sync_folder(target->parent_path());
    return {};
}

}  // namespace mechane::files
