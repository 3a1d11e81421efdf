#include "mechane/usd/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mechane/files/inputs.h"
#include "mechane/usd/codes.h"

namespace mechane::usd {
namespace {

class File {
  public:
    explicit File(const std::string& file)
        : at_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))  // a pipe would wait for a writer
    {
    }
    ~File()
    {
        if (at_ >= 0) close(at_);
    }
    File(const File&)            = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] int at() const { return at_; }

  private:
    int at_;
};

Diagnostic refused(const std::string& file, std::string why)
{ return make_diagnostic(kInputFile, {.layer = file}, std::move(why)); }

/// Reads until `size` bytes are there, or no more come.
bool read_some(int file, std::string& out, std::size_t size)
{
    out.resize(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t some = read(file, out.data() + done, size - done);
        if (some < 0 && errno == EINTR) continue;
        if (some < 0) return false;
        if (some == 0) break;
        done += static_cast<std::size_t>(some);
    }
    out.resize(done);
    return true;
}

Result<std::string> read_bytes(const std::string& name, std::uint64_t at_most, bool head)
{
    files::note_read(name);
    const File file(name);
    if (file.at() < 0) return refused(name, fmt::format("the file cannot be opened: {}", std::strerror(errno)));
    struct stat status{};
    if (fstat(file.at(), &status) != 0 || !S_ISREG(status.st_mode))
        return refused(name, S_ISDIR(status.st_mode) ? "the file is a folder" : "the file is a pipe or a device");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (!head && size > at_most)
        return refused(name, fmt::format("the file has {} bytes, more than the {} that are read", size, at_most));
    std::string out;
    if (!read_some(file.at(), out, static_cast<std::size_t>(std::min(size, at_most))))
        return refused(name, fmt::format("the file cannot be read: {}", std::strerror(errno)));
    return out;
}

}  // namespace

Result<std::string> read_input(const std::string& file, std::uint64_t at_most)
{ return read_bytes(file, at_most, false); }

Result<std::string> read_head(const std::string& file, std::uint64_t count) { return read_bytes(file, count, true); }

}  // namespace mechane::usd
