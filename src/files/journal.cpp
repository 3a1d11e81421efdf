// The journal of a transaction: what is needed to finish or undo it after a crash.
// A text file in the folder it speaks of, written under another name and renamed, so that it is whole or absent:
// heading, state ("begun" or "committed"), folders that were made, and for each file its name, the name of the
// temporary and the inode of the new content.
// "begun": the old files stand, and temporaries are removed. "committed": all new contents are on the disk, and every
// target gets its own. Inodes tell which of two names holds the new content after an exchange, however far it got.
// Invariant: finish() may itself be interrupted and run again.
// Called by Transaction and recover().

#include "files/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "files/system.h"
#include "files/temporaries.h"
#include "mechane/files/codes.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/uri.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPart    = ".mechane-journal.part";
constexpr const char* kHeading = "mechane-journal 1";

/// Names may hold any byte but zero; a line holds none that separates.
std::string encoded(const std::string& text)
{
    std::string out;
    for (const char c : text)
        if (static_cast<unsigned char>(c) <= ' ' || c == '%' || static_cast<unsigned char>(c) == 0x7f)
            out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
    return out;
}

/// A journal may have come with somebody else's asset: it names nothing outside of its folder.
/// Without this check an unpacked archive could make the next run rename or remove files anywhere.
bool is_own_name(const std::string& name)
{
    const fs::path path = name;
    return !name.empty() && path.is_relative() && path.has_filename() &&
           std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".." || part == "."; });
}
bool is_temporary_name(const std::string& name)
{ return name.starts_with(".mechane-") && name.ends_with(".part") && name.find('/') == std::string::npos; }

Diagnostic stuck(const fs::path& folder, const std::string& why)
{ return make_diagnostic(kNotRecovered, {.layer = (folder / Journal::kName).string()}, why); }

/// Whether the new content of an entry is where it can be found.
bool is_there(const fs::path& folder, const Journal::Entry& entry)
{
    const Places at = places_of(folder, entry);
    return entry.removes || inode_of(at.target) == entry.inode || inode_of(at.temporary) == entry.inode;
}

/// Each step asks what is already done. After an exchange the temporary holds the old content, and only that is left to
/// remove.
int finish_one(const fs::path& folder, const Journal::Entry& entry)
{
    const Places at = places_of(folder, entry);
    if (entry.removes) {
        if (inode_of(at.target) == entry.inode)
            if (const int failed = system::unlink(at.target)) return failed;
    } else if (inode_of(at.target) != entry.inode) {
        return system::rename(at.temporary, at.target);
    }
    return inode_of(at.temporary) == 0 ? 0 : system::unlink(at.temporary);
}

}  // namespace

/// 0 says that nothing is there; no file has this number.
ino_t inode_of(const fs::path& path)
{
    struct stat status{};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

Places places_of(const fs::path& folder, const Journal::Entry& entry)
{
    const fs::path target = real_place((folder / entry.name).string());
    return {target, target.parent_path() / entry.temporary};
}

int Journal::write(const fs::path& folder) const
{
    std::string text = fmt::format("{}\n{}\n", kHeading, committed ? "committed" : "begun");
    for (const std::string& name : folders) text += fmt::format("folder {}\n", encoded(name));
    for (const Entry& entry : entries)
        text += fmt::format("{} {} {} {}\n", entry.removes ? "remove" : "replace", encoded(entry.name),
                            encoded(entry.temporary), static_cast<unsigned long long>(entry.inode));
    const fs::path part = folder / kPart;
    if (const int failed = system::step()) return failed;
    ::unlink(part.c_str());  // of a run that was ended while it wrote this; nobody else is here
    const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (descriptor < 0) return errno;
    Temporary temporary(part);
    int       failed = system::write_all(descriptor, text);
    if (failed == 0) failed = system::sync(descriptor);
    if (::close(descriptor) != 0 && failed == 0) failed = errno;
    if (failed == 0) failed = system::rename(part, folder / kName);
    if (failed != 0) return failed;
    temporary.keep();
    // A rename is only durable when the folder that holds the name is.
    return system::sync_folder(folder);
}

Result<std::optional<Journal>> Journal::read(const fs::path& folder)
{
    if (inode_of(folder / kName) == 0) return std::optional<Journal>();
    constexpr std::size_t kMost = std::size_t{64} << 20;
    const auto            text  = files::read_own((folder / kName).string(), kMost);
    if (!text) return stuck(folder, text.error().message);
    std::istringstream lines(*text);
    std::string        heading, state, word;
    std::getline(lines, heading);
    std::getline(lines, state);
    if (heading != kHeading || (state != "begun" && state != "committed"))
        return stuck(folder, "it is not a journal of this program");
    Journal out;
    out.committed = state == "committed";
    while (lines >> word) {
        std::string name, temporary;
        if (word == "folder" && lines >> name && is_own_name(path_of_uri(name))) {
            out.folders.push_back(path_of_uri(name));
            continue;
        }
        unsigned long long inode = 0;
        const bool         known = word == "replace" || word == "remove";
        if (!known || !(lines >> name >> temporary >> inode) || !is_own_name(path_of_uri(name)) ||
            !is_temporary_name(path_of_uri(temporary)))
            return stuck(folder, "it names what no run of this program writes");
        out.entries.push_back({path_of_uri(name), path_of_uri(temporary), static_cast<ino_t>(inode), word == "remove"});
    }
    return std::optional(std::move(out));
}

Result<void> Journal::finish(const fs::path& folder) const
{
    if (!committed) return discard(folder), Result<void>();
    // The files may have been copied elsewhere with their journal: then nothing says which content is the new one.
    for (const Entry& entry : entries)
        if (!is_there(folder, entry))
            return stuck(folder, fmt::format("the new content of '{}' is not where the journal says", entry.name));
    const Committing scope;
    for (const Entry& entry : entries)
        if (const int failed = finish_one(folder, entry))
            return stuck(folder, fmt::format("{}: {}", entry.name, std::strerror(failed)));
    if (const int failed = system::unlink(folder / kName)) return stuck(folder, std::strerror(failed));
    (void)system::sync_folder(folder);
    return {};
}

void Journal::discard(const fs::path& folder) const
{
    for (const Entry& entry : entries)
        if (const fs::path temporary = places_of(folder, entry).temporary; inode_of(temporary) != 0)
            (void)system::unlink(temporary);
    // Folders were made from the outside in. One that somebody has put a file into stays, since rmdir refuses it.
    for (auto name = folders.rbegin(); name != folders.rend(); ++name) (void)system::remove_folder(folder / *name);
    (void)system::unlink(folder / kName);
    (void)system::sync_folder(folder);
}

}  // namespace mechane::files
