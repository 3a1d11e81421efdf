#include "mechane/record/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "mechane/record/codes.h"

namespace mechane::record {
namespace {

namespace fs = std::filesystem;

Diagnostic failure(const std::string& file, int reason)
{
    return make_diagnostic(kWriteFailed, {.layer = file},
                           fmt::format("cannot write '{}': {}", file, std::strerror(reason)));
}

/// Everything, or the errno that stopped it.
int write_all(int descriptor, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t n = ::write(descriptor, content.data(), content.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        content.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

Result<void> write_directly(const std::string& file, std::string_view content)
{
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return failure(file, errno);
    const int reason = write_all(descriptor, content);
    ::close(descriptor);
    if (reason != 0) return failure(file, reason);
    return {};
}

}  // namespace

Result<void> write_file(const std::string& file, std::string_view content)
{
    if (file == "-") {
        if (const int reason = write_all(STDOUT_FILENO, content)) return failure("standard output", reason);
        return {};
    }
    std::error_code ignored;
    const auto      status = fs::status(file, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        if (fs::is_directory(status)) return failure(file, EISDIR);
        return write_directly(file, content);
    }
    const fs::path    target     = fs::is_symlink(file, ignored) ? fs::weakly_canonical(file, ignored) : fs::path(file);
    const std::string temporary  = fmt::format("{}.{}.part", target.string(), ::getpid());
    const int         descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return failure(file, errno);
    int reason = write_all(descriptor, content);
    if (::close(descriptor) != 0 && reason == 0) reason = errno;
    if (reason == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) reason = errno;
    if (reason == 0) return {};
    ::unlink(temporary.c_str());
    return failure(file, reason);
}

Result<void> write_file(const std::string& file, std::span<const std::byte> content)
{ return write_file(file, std::string_view(reinterpret_cast<const char*>(content.data()), content.size())); }

}  // namespace mechane::record
