#pragma once
#include <filesystem>
#include <utility>

namespace mechane::files {

/// A file or folder that goes with this object unless it is kept, and also when a signal ends the process.
class Temporary {
  public:
    explicit Temporary(std::filesystem::path path);
    ~Temporary();
    Temporary(Temporary&& other) noexcept : path_(std::move(other.path_)), slot_(std::exchange(other.slot_, -1))
    { other.path_.clear(); }
    Temporary& operator=(Temporary&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// It has another name now, or belongs to somebody else.
    void keep();

  private:
    std::filesystem::path path_;
    int                   slot_;
};

/// True for what lies in a ScratchFolder of this process.
bool is_scratch(const std::filesystem::path& path);

/// While one of these lives, is_committing() holds.
class Committing {
  public:
    Committing();
    ~Committing();
    Committing(const Committing&)            = delete;
    Committing& operator=(const Committing&) = delete;
};

}  // namespace mechane::files
