#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mechane/core/result.h"

namespace mechane::files {

/// What a transaction is about to do with the files of a folder, as it stands on the disk beside them.
struct Journal {
    struct Entry {
        std::string name;       ///< of the target, relative to the folder
        std::string temporary;  ///< name beside what the target really is, where the new content waits
        ino_t       inode   = 0;  ///< of the new content; of the old one where the target goes
        bool        removes = false;
    };

    bool                     committed = false;  ///< everything waits: from here on it is done, before it is undone
    std::vector<std::string> folders;            ///< that did not exist, outer ones first
    std::vector<Entry>       entries;

    static constexpr const char* kName = ".mechane-journal";

    /// Replaces the folder's journal.
    /// @return 0, or errno
    [[nodiscard]] int write(const std::filesystem::path& folder) const;
    /// Nothing where there is none.
    /// @error FILES_NOT_RECOVERED  it says what no run of ours writes
    static Result<std::optional<Journal>> read(const std::filesystem::path& folder);

    /// Does the rest of what was committed, or takes back what was not, and removes the journal.
    /// @error FILES_NOT_RECOVERED
    Result<void> finish(const std::filesystem::path& folder) const;
    /// Removes what waits, the folders that were made for it, and the journal.
    void discard(const std::filesystem::path& folder) const;
};

/// The place of a target, and of what waits for it.
struct Places {
    std::filesystem::path target, temporary;
};
Places places_of(const std::filesystem::path& folder, const Journal::Entry& entry);

/// Inode of what lies there, 0 where nothing does.
ino_t inode_of(const std::filesystem::path& path);

}  // namespace mechane::files
