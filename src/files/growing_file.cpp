// A file that grows while a run lasts, such as a log of events or a recording.
// A new file stands under its own name from the start, so that others can watch it grow. Over an existing file, the
// new content is written beside it and takes its name at the end: a run that fails leaves the old one.
// Invariants: one run at a time writes a target (by a lock); errors are kept and told by finish(), so that a full disk
// does not stop the simulation; an unfinished new file is removed.
// Called by RecordingWriter and by `mechane check` for its output.

#include "mechane/files/growing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "files/lock.h"
#include "files/place.h"
#include "files/system.h"
#include "files/temporaries.h"
#include "mechane/files/codes.h"
#include "mechane/files/replace.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

Diagnostic growth_failure(const std::string& file, int reason)
{
    return make_diagnostic(kWriteFailed, {.layer = file},
                           fmt::format("cannot write '{}': {}", file, std::strerror(reason)));
}

}  // namespace

struct GrowingFile::Impl {
    std::string              file;
    fs::path                 target;
    Lock                     lock;  ///< of the target
    std::optional<Temporary> temporary;  ///< where the target exists
    bool                     is_new = false, finished = false;
    int                      descriptor  = -1, failed = 0;
    std::string              waiting;

    ~Impl()
    {
        if (descriptor >= 0) ::close(descriptor);
        if (is_new && !finished) ::unlink(target.c_str());
    }

    void flush()
    {
        if (failed == 0) failed = system::write_all(descriptor, waiting);
        waiting.clear();
    }
};

GrowingFile::GrowingFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrowingFile::GrowingFile(GrowingFile&&) noexcept            = default;
GrowingFile& GrowingFile::operator=(GrowingFile&&) noexcept = default;
GrowingFile::~GrowingFile()                                 = default;

Result<GrowingFile> GrowingFile::create(const std::string& file)
{
    if (auto possible = try_target(file); !possible) return possible.error();
    auto impl    = std::make_unique<Impl>();
    impl->file   = file;
    impl->target = real_place(file);
    struct stat there{};
    const bool  exists = ::stat(impl->target.c_str(), &there) == 0;
    if (exists && !S_ISREG(there.st_mode)) {  // a pipe or a device
        impl->descriptor = ::open(impl->target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (impl->descriptor < 0) return growth_failure(file, errno);
        return GrowingFile(std::move(impl));
    }
    if (!exists) {
        if (const int failed = system::step()) return growth_failure(file, failed);
        impl->descriptor =
            // O_EXCL and O_NOFOLLOW: a link that somebody plants between the look and the opening is not followed.
            ::open(impl->target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (impl->descriptor < 0 && errno != EEXIST) return growth_failure(file, errno);
        impl->is_new = impl->descriptor >= 0;
    }
    // Other failures of the lock than a busy one are passed over: file systems without locks still get their file.
    if (impl->lock.take(impl->target) == EWOULDBLOCK) {
        impl->is_new = false;  // somebody was quicker, and has it now
        return make_diagnostic(kBusy, {.layer = file}, fmt::format("another run is recording to '{}'", file));
    }
    if (impl->descriptor < 0) {
        fs::path name;
        impl->descriptor = system::open_new(impl->target.parent_path(), 0600, name);
        if (impl->descriptor < 0) return growth_failure(file, errno);
        impl->temporary.emplace(name);
    }
    return GrowingFile(std::move(impl));
}

void GrowingFile::append(std::span<const std::byte> bytes)
{
    // 64 KiB: a line of a log is small, and a system call for each would cost more than the step it tells of.
    constexpr std::size_t kMuch = std::size_t{1} << 16;
    impl_->waiting.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (impl_->waiting.size() > kMuch) impl_->flush();
}

void GrowingFile::flush() { impl_->flush(); }

Result<void> GrowingFile::finish()
{
    Impl& all = *impl_;
    all.flush();
    if (all.failed == 0 && all.temporary) all.failed = take_looks(all.descriptor, all.target);
    if (all.failed == 0) all.failed = system::sync(all.descriptor);
    if (::close(std::exchange(all.descriptor, -1)) != 0 && all.failed == 0) all.failed = errno;
    if (all.failed == 0 && all.temporary) all.failed = system::rename(all.temporary->path(), all.target);
    if (all.failed != 0) return growth_failure(all.file, all.failed);
    if (all.temporary) all.temporary->keep();
    all.finished = true;
    all.lock     = Lock();  // another run may have the name now
    (void)system::sync_folder(all.target.parent_path());
    return {};
}

}  // namespace mechane::files
