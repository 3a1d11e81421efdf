// Texts that are put aside until they are printed: in memory first, then in a file without a name.
// Checks of many assets print in the order of their arguments while they finish in any order. A result waits here, and
// memory stays bounded.
// Invariants: place and size are all that is needed to get a text back; the file is gone when the process ends, even by
// a signal, since it never has a name.
// Called by the commands that work on many files at once.

#include "mechane/files/overflow.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "files/system.h"
#include "mechane/files/codes.h"

namespace mechane::files {

namespace fs = std::filesystem;

Overflow::~Overflow()
{
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<Overflow::Place> Overflow::put(std::string_view text)
{
    const std::scoped_lock lock(mutex_);
    if (held_.size() + text.size() <= memory_) {
        const Place place{held_.size(), text.size(), false};
        held_.append(text);
        return place;
    }
    std::error_code unknown;
    const fs::path  folder = fs::temp_directory_path(unknown);
    const auto      failed = [&](int why) {
        return make_diagnostic(
            kWriteFailed, {.layer = folder.string()},
            fmt::format("results cannot be put aside in '{}': {}", folder.string(), std::strerror(why)));
    };
    if (descriptor_ < 0) {
        descriptor_ = system::open_nameless(folder);
        if (descriptor_ < 0) return failed(errno);
    }
    if (::lseek(descriptor_, static_cast<off_t>(end_), SEEK_SET) < 0) return failed(errno);
    if (const int why = system::write_all(descriptor_, text)) return failed(why);
    const Place place{end_, text.size(), true};
    end_ += text.size();
    return place;
}

Result<std::string> Overflow::get(const Place& place)
{
    const std::scoped_lock lock(mutex_);
    if (!place.out) return held_.substr(place.at, place.size);
    std::string text(place.size, '\0');
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n =
            // pread needs no position, so it does not disturb the writer's.
            ::pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(place.at + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return make_diagnostic(
                kReadFailed, {},
                fmt::format("what was put aside cannot be read: {}", n < 0 ? std::strerror(errno) : "it is not there"));
        done += static_cast<std::size_t>(n);
    }
    return text;
}

}  // namespace mechane::files
