// Replaces a folder of results as one: either all of its files are new or all are old.
// Inputs: a folder that was made under another name on the same file system, and where it is to stand. The old folder
// must be empty or the unchanged result of an earlier run, which its report proves by checksums: nothing of a user's is
// ever removed.
// The two folders change places by one system call (renameat2 with RENAME_EXCHANGE). Where the file system cannot, two
// renames do it, and restore_exchanged() mends what a crash between the two leaves. Where the folder itself must stay
// (a mount point, the working folder), its files are replaced by a Transaction.
// Called by `mechane fix` and others that write folders.

#include "mechane/files/folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "files/folder_exchange.h"
#include "files/journal.h"
#include "files/place.h"
#include "files/system.h"
#include "files/temporaries.h"
#include "mechane/files/codes.h"
#include "mechane/files/inputs.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/transaction.h"
#include "mechane/files/within.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

Diagnostic refused(const std::string& folder, const std::string& why)
{ return make_diagnostic(kFolder, {.layer = folder}, fmt::format("'{}' {}", folder, why)); }

Diagnostic folder_failure(const fs::path& file, int reason)
{
    return make_diagnostic(kWriteFailed, {.layer = file.string()},
                           fmt::format("cannot write '{}': {}", file.string(), std::strerror(reason)));
}

/// The name that the old folder has between two renames.
fs::path aside(const fs::path& place) { return place.parent_path() / ("." + place.filename().string() + ".mechane-old"); }

/// What a run of this program leaves when it is killed: nobody's.
bool is_left_over(const fs::path& path)
{
    const std::string name = path.filename().string();
    return name.starts_with(".mechane-") && name.ends_with(".part");
}

/// Names of all regular files, sorted, without what a killed run left.
Result<std::vector<std::string>> names_in(const std::string& folder)
{
    std::vector<std::string> names;
    std::error_code          failed;
    for (auto at = fs::recursive_directory_iterator(folder, failed);
         !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
        const std::string name = at->path().lexically_relative(folder).string();
        const auto        kind = at->symlink_status(failed).type();
        if (kind == fs::file_type::regular && is_left_over(at->path())) continue;
        if (kind == fs::file_type::regular)
            names.push_back(name);
        else if (kind != fs::file_type::directory)
            // Links, pipes and empty folders are refused: a result of this program holds none, so somebody else put
            // them there.
            return refused(folder, fmt::format("holds '{}', which is not a regular file", name));
        else if (fs::is_empty(at->path(), failed))
            return refused(folder, fmt::format("holds '{}', an empty folder", name));
    }
    if (failed) return refused(folder, fmt::format("cannot be looked at: {}", failed.message()));
    std::sort(names.begin(), names.end());
    return names;
}

/// Neither its own folder nor one above it can be given away by this process, and a mount point by nobody.
/// A mount point is seen by the change of device. The working folder of this process would be left behind under its new
/// name.
bool stays_in_place(const fs::path& place)
{
    struct stat     here{}, above{};
    std::error_code failed;
    if (::stat(place.c_str(), &here) != 0 || ::stat(place.parent_path().c_str(), &above) != 0) return false;
    if (here.st_dev != above.st_dev || place == place.parent_path()) return true;
    return is_within(fs::current_path(failed), place);
}

/// Every file and folder stands on the disk.
int sync_tree(const fs::path& folder)
{
    std::error_code failed;
    for (auto at = fs::recursive_directory_iterator(folder, failed);
         !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
        const auto kind  = at->symlink_status(failed).type();
        const int  wrong = kind == fs::file_type::regular     ? system::sync_file(at->path())
                           : kind == fs::file_type::directory ? system::sync_folder(at->path())
                                                              : 0;
        if (wrong != 0) return wrong;
    }
    return failed ? failed.value() : system::sync_folder(folder);
}

/// Removes folders that hold nothing any more.
void remove_empty(const fs::path& folder)
{
    std::error_code       failed;
    std::vector<fs::path> folders;
    for (auto at = fs::recursive_directory_iterator(folder, failed);
         !failed && at != fs::recursive_directory_iterator(); at.increment(failed))
        if (at->symlink_status(failed).type() == fs::file_type::directory) folders.push_back(at->path());
    // In reverse: inner folders come after outer ones in the list and must go first.
    for (auto one = folders.rbegin(); one != folders.rend(); ++one)
        if (fs::is_empty(*one, failed)) (void)system::remove_folder(*one);
}

/// The files of the folder are replaced as one, and the folder stays what it is.
Result<void> fill(const fs::path& made, const fs::path& place)
{
    const auto fresh = names_in(made.string()), old = names_in(place.string());
    if (!fresh) return fresh.error();
    if (!old) return old.error();
    Diagnostics found;
    auto        all = Transaction::begin(place.string(), found);
    if (!all) return all.error();
    for (const std::string& name : *fresh) all->replace(name, (made / name).string());
    for (const std::string& name : *old)
        if (!std::binary_search(fresh->begin(), fresh->end(), name)) all->remove(name);
    if (auto done = all->commit(); !done) return done;
    remove_empty(place);
    return {};
}

/// For file systems that cannot exchange.
int rename_twice(const fs::path& made, const fs::path& place)
{
    // The order of the two renames leaves a moment at which the place is empty. The name of the old folder is derived
    // from the place, so that the next run finds it.
    const fs::path old = aside(place);
    if (const int failed = system::rename_new(place, old)) return failed;
    if (const int failed = system::rename_new(made, place)) return system::rename(old, place), failed;
    return system::remove_tree(old);
}

}  // namespace

void restore_exchanged(const std::string& path)
{
    std::error_code failed;
    for (fs::path place = real_place(path); place != place.parent_path(); place = place.parent_path())
        if (!fs::exists(place, failed) && fs::is_directory(aside(place), failed))
            (void)system::rename_new(aside(place), place);
}

Result<Listing> list_folder(const std::string& folder)
{
    const auto names = names_in(folder);
    if (!names) return names.error();
    Listing out;
    for (const std::string& name : *names) {
        auto sum = sha256_of((fs::path(folder) / name).string());
        if (!sum) return sum.error();
        out.emplace(name, *std::move(sum));
    }
    return out;
}

Result<void> try_folder(const std::string& folder, const std::string& report,
                        Result<Listing> (*earlier)(const std::string& report))
{
    restore_exchanged(folder);
    const fs::path  place = real_place(folder);
    std::error_code failed;
    if (!fs::exists(place, failed)) {
        fs::path above = place.parent_path();
        while (!fs::exists(above, failed) && above != above.parent_path()) above = above.parent_path();
        if (!fs::is_directory(above, failed)) return folder_failure(above, ENOTDIR);
        return ::access(above.c_str(), W_OK | X_OK) == 0 ? Result<void>() : Result<void>(folder_failure(above, errno));
    }
    if (!fs::is_directory(place, failed)) return refused(folder, "is a file");
    const fs::path written = stays_in_place(place) ? place : place.parent_path();
    if (::access(written.c_str(), W_OK | X_OK) != 0) return folder_failure(written, errno);
    if (fs::is_empty(place, failed)) return {};
    if (const std::string input = input_below(place.string()); !input.empty())
        return make_diagnostic(kInput, {.layer = folder}, fmt::format("'{}' holds '{}', which this run reads", folder, input));
    // A transaction that was killed is brought to its end first, since the report can only match whole contents.
    if (inode_of(place / Journal::kName) != 0) {  // a run that filled it was ended
        Diagnostics found;
        if (auto ended = Transaction::begin(place.string(), found); !ended) return ended.error();
    }
    auto names = names_in(place.string());
    if (!names) return names.error();
    if (std::erase(*names, report) == 0) return refused(folder, "is not empty, and no earlier result of this command");
    const auto known = earlier((place / report).string());
    if (!known) return known.error();
    for (const std::string& name : *names)
        if (!known->contains(name)) return refused(folder, fmt::format("holds '{}', which its report does not list", name));
    for (const auto& [name, sum] : *known) {
        if (!std::binary_search(names->begin(), names->end(), name))
            return refused(folder, fmt::format("lacks '{}', which its report lists", name));
        const auto now = sha256_of((place / name).string());
        if (!now) return now.error();
        if (*now != sum) return refused(folder, fmt::format("holds '{}', which was changed after it was written", name));
    }
    return {};
}

Result<void> publish_folder(const std::string& made, const std::string& folder)
{
    const fs::path  place = real_place(folder);
    std::error_code failed;
    if (const std::string input = input_below(place.string()); !input.empty())
        return make_diagnostic(kInput, {.layer = folder}, fmt::format("'{}' holds '{}', which this run reads", folder, input));
    fs::create_directories(place.parent_path(), failed);
    // The new files must be on the disk before the name is: a crash could otherwise show a folder of empty files.
    if (const int wrong = sync_tree(made)) return folder_failure(place, wrong);
    int done = 0;
    if (!fs::exists(place, failed)) {
        done = system::rename_new(made, place);
    } else {
        if (stays_in_place(place)) return fill(made, place);
        done = take_looks(fs::path(made), place);
        if (done == 0) done = system::exchange(made, place);
        // EINVAL and ENOSYS: a file system or kernel without exchange. EBUSY and EXDEV: a mount point, seen too late.
        if (done == EINVAL || done == ENOSYS) done = rename_twice(made, place);
        if (done == EBUSY || done == EXDEV) return fill(made, place);
    }
    if (done != 0) return folder_failure(place, done);
    (void)system::sync_folder(place.parent_path());
    return {};
}

}  // namespace mechane::files
