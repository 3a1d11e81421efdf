#pragma once
#include <filesystem>
#include <string>

namespace mechane::files {

/// The folder in which a result is made before it is renamed: the one above it, or what exists of that. A rename within
/// one file system replaces at once; between two of them it would copy.
std::filesystem::path nearest_folder(const std::string& result);

/// A new, empty folder with a random name that nobody else may enter. It goes, with all that is in it, when this does.
/// What is read in it is no input of the run.
class ScratchFolder {
  public:
    /// Beside the results, so that they can be renamed; `path()` is empty when that cannot be.
    explicit ScratchFolder(const std::filesystem::path& beside);
    /// In the folder for temporary files, or where there is none that can be used, in `otherwise`.
    static ScratchFolder temporary(const std::filesystem::path& otherwise);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&)            = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
    int                   slot_ = -1;
};

/// Removes every temporary file and folder of this process. May be called in a signal handler that then ends it.
void remove_temporaries() noexcept;

/// True while files get their names one after the other: a signal handler lets that come to its end first.
bool is_committing() noexcept;

}  // namespace mechane::files
