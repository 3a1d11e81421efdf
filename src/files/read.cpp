// Reads files: whole, in part or in pieces, with a limit.
// Only regular files are read. A named pipe in the place of a texture would block the run for ever, which is why files
// are opened without blocking and looked at first; a file that a user names on the command line may be a pipe.
// Every reading of an input is noted (inputs.cpp, trace.cpp); files of this program are not.
// Called by all readers of formats.

#include "mechane/files/read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "files/system.h"
#include "mechane/core/sha256.h"
#include "mechane/files/codes.h"
#include "mechane/files/inputs.h"

namespace mechane::files {
namespace {

/// A regular file that is open for reading.
class Source {
  public:
    enum class Kind { input, own, maybe_pipe };

    explicit Source(const std::string& file, Kind kind = Kind::input)
        // O_NOCTTY: opening a terminal by accident must not make it this process's own.
        : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (kind == Kind::maybe_pipe ? 0 : O_NONBLOCK)))
    {
        struct stat status{};
        if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
            wrong = std::strerror(errno);
        else if (!S_ISREG(status.st_mode) && !(kind == Kind::maybe_pipe && S_ISFIFO(status.st_mode)))
            wrong = S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a regular file";
        size = static_cast<std::size_t>(status.st_size);
        if (wrong.empty() && kind != Kind::own) note_read(file);
    }
    ~Source()
    {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Source(const Source&)            = delete;
    Source& operator=(const Source&) = delete;

    /// Bytes that were read; 0 at the end, and where it failed, which `wrong` tells.
    std::size_t some(char* to, std::size_t most)
    {
        for (;;) {
            const ssize_t n = ::read(descriptor_, to, most);
            if (n >= 0) return static_cast<std::size_t>(n);
            if (errno == EINTR) continue;
            wrong = std::strerror(errno);
            return 0;
        }
    }

    std::string wrong;
    std::size_t size = 0;

  private:
    int descriptor_;
};

constexpr std::size_t kPiece = std::size_t{1} << 20;

Diagnostic read_failure(const std::string& file, const std::string& why)
{ return make_diagnostic(kReadFailed, {.layer = file}, fmt::format("the file cannot be read: {}", why)); }

Diagnostic too_large(const std::string& file, std::size_t most)
{
    return make_diagnostic(kReadFailed, {.layer = file},
                           fmt::format("the file has more than the {} bytes that are read", most));
}

/// Hands every piece to `take`, which returns what is wrong with it.
template <class Take>
Result<void> read_pieces(const std::string& file, Source::Kind kind, Take&& take)
{
    Source source(file, kind);
    if (!source.wrong.empty()) return read_failure(file, source.wrong);
    std::vector<char> buffer(std::clamp<std::size_t>(source.size, 1, kPiece));
    while (const std::size_t n = source.some(buffer.data(), buffer.size()))
        if (auto taken = take(std::string_view(buffer.data(), n)); !taken) return taken;
    if (!source.wrong.empty()) return read_failure(file, source.wrong);
    return {};
}

Result<std::string> read_all(Source& source, const std::string& file, std::size_t most)
{
    if (!source.wrong.empty()) return read_failure(file, source.wrong);
    std::string text;
    // The size is a hint: files of /proc have none, and a file may grow.
    for (std::size_t room = std::min(most, std::max<std::size_t>(source.size, 4096)); text.size() < most;) {
        const std::size_t before = text.size();
        text.resize(std::min(most, before + std::min(room, kPiece)));
        const std::size_t n = source.some(text.data() + before, text.size() - before);
        text.resize(before + n);
        if (n == 0) break;
    }
    if (!source.wrong.empty()) return read_failure(file, source.wrong);
    return text;
}

Result<std::string> read_at_most(Source& source, const std::string& file, std::size_t most)
{
    if (source.wrong.empty() && source.size > most) return too_large(file, most);
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    // One byte more than the limit tells a file that is too large from one that just fits.
    auto                  text = read_all(source, file, most == kAll ? kAll : most + 1);
    if (text && text->size() > most) return too_large(file, most);  // it grew, or has no size
    return text;
}

}  // namespace

Result<std::string> read(const std::string& file, std::size_t most)
{
    Source source(file);
    return read_at_most(source, file, most);
}

Result<std::string> read_own(const std::string& file, std::size_t most)
{
    Source source(file, Source::Kind::own);
    return read_at_most(source, file, most);
}

Result<std::string> read_head(const std::string& file, std::size_t count)
{
    Source source(file);
    return read_all(source, file, count);
}

Result<std::string> read_given(const std::string& file)
{
    const bool stream = file == "/dev/stdin" || file.starts_with("/dev/fd/") || file.starts_with("/proc/self/fd/");
    Source     source(file, stream ? Source::Kind::maybe_pipe : Source::Kind::input);
    return read_all(source, file, std::numeric_limits<std::size_t>::max());
}

Result<void> copy(const std::string& from, const std::string& to)
{
    if (const int failed = system::step())
        return make_diagnostic(kWriteFailed, {.layer = to}, std::strerror(failed));
    // Never over an existing file: copies go to names that were just made.
    const int descriptor = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0) return make_diagnostic(kWriteFailed, {.layer = to}, std::strerror(errno));
    auto done = read_pieces(from, Source::Kind::input, [&](std::string_view piece) -> Result<void> {
        if (const int failed = system::write_all(descriptor, piece))
            return make_diagnostic(kWriteFailed, {.layer = to}, std::strerror(failed));
        return {};
    });
    if (::close(descriptor) != 0 && done) done = make_diagnostic(kWriteFailed, {.layer = to}, std::strerror(errno));
    if (!done) ::unlink(to.c_str());
    return done;
}

Result<std::string> sha256_of(const std::string& file)
{
    Sha256     sum;
    const auto done = read_pieces(file, Source::Kind::own, [&](std::string_view piece) -> Result<void> {
        sum.update(piece);
        return {};
    });
    if (!done) return done.error();
    return sum.finish();
}

}  // namespace mechane::files
