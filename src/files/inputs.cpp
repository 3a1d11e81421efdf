// What a run has read, so that it never writes over its own inputs.
// Every reader notes its file. A writer asks whether its target is one of them, under any name: real places are
// compared as well as devices and inodes, since hard links have several places.
// Files that a noted file refers to (layers, textures) are inputs as well, although nobody may have read them yet; they
// are found by a function that a higher room sets, because this room knows no formats.
// Invariant: with no ReadWatch alive nothing is noted, and asking is free.
// Called by replace(), publish_folder() and all readers.

#include "mechane/files/inputs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "files/temporaries.h"
#include "files/traced_reads.h"
#include "mechane/files/codes.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"
#include "mechane/files/within.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

using Identity = std::pair<dev_t, ino_t>;

/// What lies there now; nothing for what is not a regular file.
std::optional<Identity> identity_of(const std::string& file)
{
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return Identity{status.st_dev, status.st_ino};
}

struct Reads {
    std::mutex                      mutex;
    int                             watches = 0;
    std::set<std::string>           seen;   ///< as they were named; the common case ends here
    std::map<std::string, Identity> files;  ///< by their real place
    std::set<Identity>              identities;
    std::deque<std::string>         unfollowed;  ///< whose dependencies are not among them yet
    std::deque<std::string>         known;       ///< whose dependencies are among them but for rare ones
    DependencyFinder                finder;

    static Reads& of_process()
    {
        static Reads reads;
        return reads;
    }

    void add(const std::string& file) { add(file, unfollowed); }
    void add_known(const std::string& file) { add(file, known); }
    void add(const std::string& file, std::deque<std::string>& later)
    {
        const auto identity = identity_of(file);
        if (!identity || is_scratch(file)) return;
        std::string place = real_place(file);
        identities.insert(*identity);
        if (files.insert_or_assign(place, *identity).second) later.push_back(std::move(place));
    }

    [[nodiscard]] bool holds(const std::string& place) const
    {
        if (files.contains(place)) return true;
        const auto identity = identity_of(place);
        return identity && identities.contains(*identity);
    }

    void follow_known_too()
    {
        unfollowed.insert(unfollowed.end(), std::make_move_iterator(known.begin()),
                          std::make_move_iterator(known.end()));
        known.clear();
    }

    /// Brings in what the files depend on, until `enough`.
    // Breadth first and only as far as the answer needs: most questions end before any file is opened.
    template <class Enough>
    void follow(std::unique_lock<std::mutex>& lock, Enough&& enough)
    {
        while (!unfollowed.empty() && finder && !enough()) {
            const std::string file = std::move(unfollowed.front());
            unfollowed.pop_front();
            const DependencyFinder ask = finder;
            lock.unlock();  // it reads files, which are noted
            const std::vector<std::string> depends = ask(file);
            lock.lock();
            for (const std::string& one : depends) add(one);
        }
    }
};

/// Relaxed reads suffice: a watch begins before the threads that read, and the mutex orders the rest.
std::atomic<bool> g_watched{false};

/// Names of what commands tell, which no asset uses as a texture or a layer. A report that is written again and again
/// beside thousands of assets must not open all of them each time.
bool is_report_name(const std::string& file)
{ return has_suffix(file, {".json", ".ndjson", ".sarif", ".txt", ".html", ".xml", ".md", ".csv"}); }

}  // namespace

ReadWatch::ReadWatch()
{
    Reads&                 reads = Reads::of_process();
    const std::scoped_lock lock(reads.mutex);
    ++reads.watches;
    g_watched = true;
}

ReadWatch::~ReadWatch()
{
    Reads&                 reads = Reads::of_process();
    const std::scoped_lock lock(reads.mutex);
    if (--reads.watches > 0) return;
    g_watched = false;
    reads.seen.clear();
    reads.files.clear();
    reads.identities.clear();
    reads.unfollowed.clear();
    reads.known.clear();
}

std::vector<std::string> remembered_reads()
{
    Reads&                   reads = Reads::of_process();
    const std::scoped_lock   lock(reads.mutex);
    std::vector<std::string> out;
    for (const auto& [place, identity] : reads.files) out.push_back(place);
    return out;
}

void note_read(const std::string& file)
{
    note_traced_read(file);
    if (!g_watched.load(std::memory_order_relaxed)) return;
    Reads&                 reads = Reads::of_process();
    const std::scoped_lock lock(reads.mutex);
    if (reads.seen.insert(file).second) reads.add(file);
}

void note_known_reads(std::span<const std::string> files)
{
    if (!g_watched.load(std::memory_order_relaxed)) return;
    Reads&                 reads = Reads::of_process();
    const std::scoped_lock lock(reads.mutex);
    for (const std::string& file : files)
        if (reads.seen.insert(file).second) reads.add_known(file);
}

void set_dependency_finder(DependencyFinder finder)
{
    Reads&                 reads = Reads::of_process();
    const std::scoped_lock lock(reads.mutex);
    reads.finder = std::move(finder);
}

bool is_input(const std::string& file)
{
    if (!g_watched.load(std::memory_order_relaxed) || is_scratch(file)) return false;
    const std::string place =
        real_place(file);  // where a writer would write, also by way of folders that are not there
    if (!identity_of(place)) return false;
    Reads&           reads = Reads::of_process();
    std::unique_lock lock(reads.mutex);
    const auto       held = [&] { return reads.holds(place); };
    reads.follow(lock, held);
    if (held() || is_report_name(place)) return held();
    reads.follow_known_too();
    reads.follow(lock, held);
    return held();
}

std::string input_below(const std::string& folder)
{
    std::error_code failed;
    const fs::path  place = real_place(folder);
    if (!fs::exists(place, failed)) return {};  // nothing lies in it, so nothing need be followed
    Reads& reads = Reads::of_process();
    {
        std::unique_lock lock(reads.mutex);
        reads.follow_known_too();
        reads.follow(lock, [] { return false; });
        for (const auto& [file, identity] : reads.files)
            if (is_within(file, place)) return file;
    }
    // Other names of the same files: hard links.
    for (auto at = fs::recursive_directory_iterator(place, fs::directory_options::skip_permission_denied, failed);
         !failed && at != fs::recursive_directory_iterator(); at.increment(failed))
        if (is_input(at->path().string())) return at->path().string();
    return {};
}

Result<void> refuse_input(const std::string& file)
{
    if (!is_input(file)) return {};
    return make_diagnostic(kInput, {.layer = file}, fmt::format("'{}' is read by this run", file));
}

Result<void> refuse_input(const std::string& file, std::span<const std::string> inputs)
{
    const ReadWatch watch;
    for (const std::string& input : inputs) note_read(input);
    return refuse_input(file);
}

}  // namespace mechane::files
