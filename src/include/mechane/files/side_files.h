#pragma once
#include <string>
#include <vector>

#include "mechane/core/result.h"

/// Results of one file that need others beside it: meshes, pictures.
namespace mechane::files {

/// What stands beside a result.
struct SideFile {
    std::string name;  ///< from the result's folder: "arm_meshes/link.obj"
    std::string content;
};

/// Whether a folder of side files belongs to other results alone, so that `result` (a file name) had better have its
/// own.
bool is_of_others(const std::string& folder, const std::string& result);

/// The files that `replace_with_sides` writes: the result, what stands beside it, and the lists of their folders.
std::vector<std::string> names_with_sides(const std::string& file, const std::vector<std::string>& sides);

/// Writes a result with what it needs beside it, all or nothing. A folder of side files holds `mechane.sums`, which
/// lists what each result left there, in the form of sha256sum. A side file replaces only what an earlier result of the
/// same name left and nobody changed since, or the same bytes; what that result no longer needs goes. A side file
/// without a folder belongs to the result of the same folder, and is replaced with it.
/// @return names of the files, the result first
/// @error FILES_FOLDER  something else lies where a side file is to go, or another result needs it as it is
/// @error FILES_WRITE_FAILED, FILES_INPUT, FILES_BUSY, FILES_CHANGED
Result<std::vector<std::string>> replace_with_sides(const std::string& file, const std::string& content,
                                                    const std::vector<SideFile>& sides);

}  // namespace mechane::files
