#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "mechane/core/result.h"

namespace mechane::files {

/// Bytes that can be made again, by key, in a folder that any number of threads and processes share. An entry appears
/// whole or not at all (written aside, then renamed) and carries a checksum over its key, so one that is damaged, cut
/// short or misnamed counts as none. Failing to store is no error: the next one makes it again. Who may write in the
/// folder decides what is found there, so it should belong to the user.
class CacheFolder {
  public:
    /// @param most_bytes  what the entries may take together; beyond it those go that were not used for longest
    /// @param suffix      of the files, ".verdict": a folder may hold entries of several kinds
    CacheFolder(std::filesystem::path folder, std::string suffix, std::uint64_t most_bytes);
    CacheFolder(CacheFolder&& other) noexcept;
    CacheFolder& operator=(CacheFolder&&)      = delete;
    CacheFolder(const CacheFolder&)            = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;

    /// @param key  at least four characters of [0-9a-f]
    /// The bytes that were stored under the key, or nothing.
    std::optional<std::string> load(const std::string& key);
    void                       store(const std::string& key, std::string_view bytes);
    /// Where the entry is, or would be.
    [[nodiscard]] std::filesystem::path        file_of(const std::string& key) const;
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

    /// What the entries with this suffix take, in room on the disk [bytes].
    struct Usage {
        std::size_t   entries = 0;
        std::uint64_t bytes   = 0;
    };
    [[nodiscard]] Usage usage() const;
    /// Removes every entry, and what killed writers left; nothing else.
    /// @return what went
    /// @error FILES_WRITE_FAILED
    Result<Usage> clear();
    /// Removes what was not used for longest until the rest takes at most `bytes`.
    void trim(std::uint64_t bytes);

  private:
    std::filesystem::path      folder_;
    std::string                suffix_;
    std::uint64_t              most_bytes_;
    std::atomic<std::uint64_t> stored_{0};  ///< since the folder was last looked through
    std::atomic<bool>          looked_{false};
};

/// Where a program keeps such things when nobody says where: MECHANE_CACHE, else "mechane" in XDG_CACHE_HOME or in
/// ~/.cache. Empty when there is no such place, or MECHANE_CACHE is "off".
std::string default_cache_folder();

}  // namespace mechane::files
