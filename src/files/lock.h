#pragma once
#include <filesystem>
#include <utility>

namespace mechane::files {

/// Holds a folder, or a file, for this process among those that ask the same.
class Lock {
  public:
    Lock() = default;
    ~Lock();
    Lock(Lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Lock& operator=(Lock&& other) noexcept
    {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

    /// @return 0, EWOULDBLOCK when somebody else holds it, or why it cannot be opened. Where the file system knows no
    /// locks, everybody gets one.
    int take(const std::filesystem::path& what);
    /// The same, waiting for the other one.
    int take_within(const std::filesystem::path& what, double seconds);

  private:
    int descriptor_ = -1;
};

}  // namespace mechane::files
