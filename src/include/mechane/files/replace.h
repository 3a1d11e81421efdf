#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "mechane/core/result.h"

/// Writing whole files. A reader sees the old content or the new one, never a part, whenever this process ends or the
/// machine does: the content goes into a new file of a random name beside the target, reaches the disk, and then takes
/// the target's name, permissions and owner. A symbolic link stays, and what it points at is replaced.
namespace mechane::files {

struct Replacing {
    bool may_be_input = false;  ///< also a file that this run reads
    bool make_folders = false;  ///< the folders above the target, where they do not exist
    bool durable      = true;   ///< it has reached the disk when this returns; not needed of what can be made again
};

/// Writes a file. "-" is standard output; what is not a regular file (/dev/null, a pipe) is written directly.
/// @error FILES_WRITE_FAILED, FILES_INPUT
Result<void> replace(const std::string& file, std::string_view content, const Replacing& how = {});

/// The same for content that somebody else writes: `write` gets the name of a file in a new folder beside the target,
/// with the target's own name, and says whether it wrote it.
Result<void> replace_with(const std::string& file, const std::function<bool(const std::string& temporary)>& write,
                          const Replacing& how = {});

/// Whether a file could be written there now: its folder exists and is writable, it is no folder itself, not
/// write-protected, and not read by this run. Nothing is written.
/// @error FILES_WRITE_FAILED, FILES_INPUT
Result<void> try_target(const std::string& file, const Replacing& how = {});

/// The place that a path leads to: symbolic links followed to their end, also where nothing is there yet.
std::string real_place(const std::string& file);

}  // namespace mechane::files
