#pragma once
#include <filesystem>

namespace mechane::usd {

/// A new folder with a name of its own that goes away, with what it holds, when its owner does.
class ScratchFolder {
  public:
    /// @param beside  the folder to make it in
    explicit ScratchFolder(const std::filesystem::path& beside);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&)            = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    /// Empty if it could not be made.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace mechane::usd
