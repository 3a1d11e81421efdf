// A folder of results that may be lost at any time: the cache.
// Layout: <folder>/<2 hex digits>/<rest of the key><suffix>; each file is a header (magic, size, checksum) and the
// bytes.
// Several processes share the folder without locks: a file is written under another name and renamed, so a reader sees
// all of it or none.
// Invariants: whatever a file holds, load() returns what was stored under that key or nothing; failures of writing are
// silent, since a cache that cannot be written only costs time.
// Called by KeptResults and by the caches of hulls and meshes.

#include "mechane/files/cache_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <vector>

#include "files/lock.h"
#include "files/system.h"
#include "files/temporaries.h"
#include "mechane/core/hash.h"
#include "mechane/files/codes.h"
#include "mechane/files/read.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "MCHCACH1";
/// Known to programs that copy folders: "do not keep this" (bford.info/cachedir).
constexpr std::string_view kTagName = "CACHEDIR.TAG";
constexpr std::string_view kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n# Made by mechane; it can be removed.\n";
constexpr std::time_t kUsedLately = 3600;  ///< an entry's time of use is kept no finer [s]
constexpr std::time_t kAbandoned  = 3600;  ///< a file that somebody writes and that is older was left [s]

struct Header {
    char          magic[8];
    std::uint64_t size, checksum;
};

/// The key is part of the sum, so a file that was copied to another name is refused.
std::uint64_t checksum_of(const std::string& key, std::string_view bytes) { return hash_text(bytes, hash_text(key)); }

struct Entry {
    fs::path      file;
    std::uint64_t size = 0;
    std::time_t   used = 0;
};

bool is_bucket(const std::string& name)
{ return name.size() == 2 && name.find_first_not_of("0123456789abcdef") == std::string::npos; }

/// Calls `use` with each entry, and `left` with each file that a writer seems to have left.
template <class Use, class Left>
void for_each_entry(const fs::path& folder, const std::string& suffix, Use&& use, Left&& left)
{
    std::error_code failed;
    for (fs::directory_iterator bucket(folder, fs::directory_options::skip_permission_denied, failed), end;
         !failed && bucket != end; bucket.increment(failed)) {
        if (!is_bucket(bucket->path().filename().string())) continue;
        std::error_code inner;
        for (fs::directory_iterator at(bucket->path(), fs::directory_options::skip_permission_denied, inner);
             !inner && at != end; at.increment(inner)) {
            const std::string name = at->path().filename().string();
            struct stat       status{};
            // lstat: links are not followed, so that clearing the cache removes nothing outside of it.
            if (::lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
            // Blocks, and not the length: what counts is the room on the disk, in units of 512 bytes.
            const Entry entry{at->path(), static_cast<std::uint64_t>(status.st_blocks) * 512, status.st_mtime};
            if (name.ends_with(suffix))
                use(entry);
            else if (name.starts_with(".mechane-") && name.ends_with(".part"))
                left(entry);
        }
    }
}

}  // namespace

CacheFolder::CacheFolder(fs::path folder, std::string suffix, std::uint64_t most_bytes)
    : folder_(std::move(folder)), suffix_(std::move(suffix)), most_bytes_(most_bytes)
{
}

CacheFolder::CacheFolder(CacheFolder&& other) noexcept
    : folder_(std::move(other.folder_)),
      suffix_(std::move(other.suffix_)),
      most_bytes_(other.most_bytes_),
      stored_(other.stored_.load()),
      looked_(other.looked_.load())
{
}

fs::path CacheFolder::file_of(const std::string& key) const
{ return folder_ / key.substr(0, 2) / (key.substr(2) + suffix_); }

std::optional<std::string> CacheFolder::load(const std::string& key)
{
    const fs::path file  = file_of(key);
    const auto     whole = read_own(file.string(), std::numeric_limits<std::size_t>::max());
    Header         header{};
    if (!whole || whole->size() < sizeof(header)) return std::nullopt;
    std::memcpy(&header, whole->data(), sizeof(header));
    const std::string_view bytes = std::string_view(*whole).substr(sizeof(header));
    if (std::string_view(header.magic, sizeof(header.magic)) != kMagic || header.size != bytes.size() ||
        header.checksum != checksum_of(key, bytes))
        return std::nullopt;
    struct stat status{};
    // The time of change serves as the time of last use. It is moved at most once an hour: reading an entry should not
    // cost a write each time.
    if (::stat(file.c_str(), &status) == 0 && status.st_mtime + kUsedLately < std::time(nullptr))
        (void)::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);  // another's file: then it looks unused
    return std::string(bytes);
}

void CacheFolder::store(const std::string& key, std::string_view bytes)
{
    const fs::path  file = file_of(key), bucket = file.parent_path();
    std::error_code failed;
    if (bytes.size() > most_bytes_) return;
    if (!fs::is_directory(bucket, failed)) {
        fs::create_directories(bucket, failed);
        if (failed) return;
        const fs::path tag = folder_ / kTagName;
        if (!fs::exists(tag, failed)) {
            fs::path  name;
            const int descriptor = system::open_new(folder_, 0666, name);
            if (descriptor < 0) return;
            Temporary  temporary(name);
            const bool written = system::write_all(descriptor, kTag) == 0;
            if (::close(descriptor) == 0 && written && system::rename(name, tag) == 0) temporary.keep();
        }
    }
    fs::path  name;
    const int descriptor = system::open_new(bucket, 0666, name);
    if (descriptor < 0) return;
    Temporary temporary(name);
    Header    header{{}, bytes.size(), checksum_of(key, bytes)};
    std::memcpy(header.magic, kMagic.data(), sizeof(header.magic));
    std::string whole(reinterpret_cast<const char*>(&header), sizeof(header));
    whole.append(bytes);
    int wrong = system::write_all(descriptor, whole);
    if (::close(descriptor) != 0 && wrong == 0) wrong = errno;
    if (wrong == 0) wrong = system::rename(name, file);
    if (wrong != 0) return;
    temporary.keep();
    // The folder is looked through at the first entry of a process and after every eighth of what it may hold.
    stored_ += whole.size();
    if (!looked_.exchange(true) || stored_ > most_bytes_ / 8) {
        stored_ = 0;
        trim(most_bytes_);
    }
}

CacheFolder::Usage CacheFolder::usage() const
{
    Usage out;
    for_each_entry(
        folder_, suffix_, [&](const Entry& entry) { ++out.entries, out.bytes += entry.size; }, [](const Entry&) {});
    return out;
}

Result<CacheFolder::Usage> CacheFolder::clear()
{
    Usage out;
    int   wrong = 0;
    for_each_entry(
        folder_, suffix_,
        [&](const Entry& entry) {
            const int failed = system::unlink(entry.file);
            if (failed != 0 && failed != ENOENT)
                wrong = failed;
            else
                ++out.entries, out.bytes += entry.size;
        },
        [](const Entry& left) { (void)system::unlink(left.file); });
    if (wrong != 0) return make_diagnostic(kWriteFailed, {.layer = folder_.string()}, std::strerror(wrong));
    return out;
}

void CacheFolder::trim(std::uint64_t bytes)
{
    Lock lock;  // one process at a time; the others leave it to that one
    if (lock.take(folder_) != 0) return;
    std::vector<Entry> entries;
    std::uint64_t      all = 0;
    const std::time_t  now = std::time(nullptr);
    for_each_entry(
        folder_, suffix_, [&](const Entry& entry) { entries.push_back(entry), all += entry.size; },
        [&](const Entry& left) {
            if (left.used + kAbandoned < now) (void)system::unlink(left.file);
        });
    if (all <= bytes) return;
    std::sort(entries.begin(), entries.end(),
              // Least recently used first; the name decides among equal times, so that two processes choose alike.
              [](const Entry& a, const Entry& b) { return a.used != b.used ? a.used < b.used : a.file < b.file; });
    // A fifth below the limit, otherwise the next entry would start the search again.
    const std::uint64_t enough = bytes - bytes / 5;  // room for a while
    for (const Entry& entry : entries) {
        if (all <= enough) break;
        if (system::unlink(entry.file) == 0) all -= entry.size;
    }
}

std::string default_cache_folder()
{
    // NOLINTBEGIN(concurrency-mt-unsafe): nobody sets them meanwhile
    if (const char* own = std::getenv("MECHANE_CACHE"); own != nullptr && *own != '\0')
        return std::string_view(own) == "off" ? std::string() : std::string(own);
    // The XDG base directory specification says that relative paths are to be ignored.
    if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/')
        return (fs::path(xdg) / "mechane").string();
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return (fs::path(home) / ".cache" / "mechane").string();
    // NOLINTEND(concurrency-mt-unsafe)
    return {};
}

}  // namespace mechane::files
