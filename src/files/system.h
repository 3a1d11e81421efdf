#pragma once
#include <filesystem>
#include <string>
#include <string_view>

/// Every operation of this room that changes the file system, each 0 or the errno that stopped it. A test can end the
/// process, or have the disk run full, at any one of them: MECHANE_TEST_WRITES=kill:N or full:N names the N-th.
namespace mechane::files::system {

namespace fs = std::filesystem;

/// Tells that an operation which is not one of those below is about to be done.
int step();

int write_all(int descriptor, std::string_view content);
int sync(int descriptor);
/// What has been renamed in a folder stands on the disk.
int sync_folder(const fs::path& folder);
int sync_file(const fs::path& file);
int rename(const fs::path& from, const fs::path& to);
/// Fails with EEXIST where `to` is.
int rename_new(const fs::path& from, const fs::path& to);
/// Both keep what they are and swap their names. EINVAL or ENOSYS where the file system cannot.
int exchange(const fs::path& a, const fs::path& b);
int unlink(const fs::path& file);
int make_folder(const fs::path& folder, unsigned mode = 0777);
int remove_folder(const fs::path& folder);  ///< an empty one
/// A folder with all that is in it; links are removed, not followed.
int remove_tree(const fs::path& folder);

/// Opens a new file in `folder` under a random name; `name` is told. -1 with errno where that fails.
int open_new(const fs::path& folder, unsigned mode, fs::path& name);
/// Opens a file without a name, which goes with its descriptor. -1 with errno where that fails.
int open_nameless(const fs::path& folder);
/// Letters that nobody can foresee.
std::string random_letters();

}  // namespace mechane::files::system
