// Replaces several files of a folder as one.
// Sequence: lock the folder; finish what an earlier run left; on commit write the journal ("begun"), copy all new
// contents beside their targets and flush them, write the journal again ("committed"), then exchange each pair of names
// and remove the old contents and the journal.
// The second journal is the point of decision: before it a crash leaves the old files, after it the next run (or
// reader)
// finishes. Nothing that can fail for want of room comes after it.
// Invariants: files that others changed meanwhile are not overwritten (FILES_CHANGED); a failure takes back what was
// exchanged.
// Called by publish_folder(), the fixes and everything that changes an asset of several files in place.

#include "mechane/files/transaction.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <tuple>

#include "files/folder_exchange.h"
#include "files/journal.h"
#include "files/lock.h"
#include "files/place.h"
#include "files/system.h"
#include "files/temporaries.h"
#include "mechane/files/codes.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

using Time = std::pair<time_t, long>;

Diagnostic failure(const fs::path& file, int reason)
{
    return make_diagnostic(kWriteFailed, {.layer = file.string()},
                           fmt::format("cannot write '{}': {}", file.string(), std::strerror(reason)));
}

/// What time the file system has, which may be another machine's. Finds out, too, whether the folder can be written.
/// Times of the file system are compared with each other and never with this machine's clock, which may differ from
/// that of a file server.
Result<Time> time_in(const fs::path& folder)
{
    fs::path  name;
    const int descriptor = system::open_new(folder, 0600, name);
    if (descriptor < 0) return failure(folder, errno);
    const Temporary temporary(name);
    struct stat     status{};
    ::fstat(descriptor, &status);
    ::close(descriptor);
    return Time{status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
}

/// @error FILES_NOT_RECOVERED
Result<void> bring_to_end(const fs::path& folder, Diagnostics& found)
{
    const auto left = Journal::read(folder);
    if (!left) return left.error();
    if (!*left) return {};
    if (auto finished = (*left)->finish(folder); !finished) return finished;
    found.add(kRecovered, {.layer = folder.string()},
              (*left)->committed ? "its files are the new ones" : "its files are the old ones");
    return {};
}

Diagnostic busy(const fs::path& folder)
{ return make_diagnostic(kBusy, {.layer = folder.string()}, "another run is replacing files of this folder"); }

}  // namespace

struct Transaction::Impl {
    struct Wanted {
        std::string name, content;  ///< empty content: it goes
    };

    fs::path            folder;
    Lock                lock;
    Time                begun;
    std::vector<Wanted> wanted;
    Journal             journal;

    /// What lies there was changed after this began.
    [[nodiscard]] bool is_changed(const fs::path& target) const
    {
        struct stat status{};
        // The time of change of the inode: unlike the time of modification, no program can set it back.
        return ::stat(target.c_str(), &status) == 0 && Time{status.st_ctim.tv_sec, status.st_ctim.tv_nsec} > begun;
    }

    void plan()
    {
        std::set<std::string> made;
        for (const Wanted& one : wanted) {
            journal.entries.push_back({.name      = one.name,
                                       .temporary = ".mechane-" + system::random_letters() + ".part",
                                       .removes   = one.content.empty()});
            fs::path        above;
            std::error_code failed;
            for (const fs::path& part : fs::path(one.name).parent_path())
                // From the outside in, each folder once.
                if (above /= part; !fs::exists(folder / above, failed) && made.insert(above.string()).second)
                    journal.folders.push_back(above.string());
        }
    }

    /// Puts the new contents beside their targets.
    Result<void> stage()
    {
        for (const std::string& name : journal.folders)
            if (const int failed = system::make_folder(folder / name)) return failure(folder / name, failed);
        std::set<fs::path> folders;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            Journal::Entry& entry = journal.entries[i];
            const Places    at    = places_of(folder, entry);
            folders.insert(at.target.parent_path());
            if (entry.removes) {
                entry.inode = inode_of(at.target);
                continue;
            }
            std::error_code unknown;
            if (::access(at.target.c_str(), W_OK) != 0 && errno != ENOENT) return failure(at.target, errno);
            if (fs::is_directory(at.target, unknown)) return failure(at.target, EISDIR);
            if (auto copied = copy(wanted[i].content, at.temporary.string()); !copied) return copied;
            int failed = take_looks(at.temporary, at.target);
            if (failed == 0) failed = system::sync_file(at.temporary);
            if (failed != 0) return failure(at.target, failed);
            // Written into the second journal, for a later run to find the content by.
            entry.inode = inode_of(at.temporary);
        }
        for (const fs::path& one : folders)
            if (const int failed = system::sync_folder(one)) return failure(one, failed);
        return {};
    }

    /// How a target got its new content, and so how it gets its old one back.
    enum class Done { exchanged, new_name, removed, replaced };

    static std::pair<int, Done> give_name(const Places& at, const Journal::Entry& entry)
    {
        // A removal is a rename to the temporary name, so that it can be taken back.
        if (entry.removes) return {system::rename(at.target, at.temporary), Done::removed};
        if (inode_of(at.target) == 0) return {system::rename_new(at.temporary, at.target), Done::new_name};
        const int failed = system::exchange(at.temporary, at.target);
        if (failed != EINVAL && failed != ENOSYS) return {failed, Done::exchanged};
        return {system::rename(at.temporary, at.target), Done::replaced};
    }

    /// @return false when the old content is nowhere any more
    static bool take_back(const Places& at, Done done)
    {
        switch (done) {
            case Done::exchanged:
                return system::exchange(at.temporary, at.target) == 0;
            case Done::new_name:
                return system::rename(at.target, at.temporary) == 0;
            case Done::removed:
                return system::rename_new(at.temporary, at.target) == 0;
            case Done::replaced:
                break;
        }
        return false;
    }

    /// The targets get their new contents, or all keep the old ones.
    Result<void> swap_all()
    {
        std::vector<Done> done;
        for (const Journal::Entry& entry : journal.entries) {
            const Places at            = places_of(folder, entry);
            const auto [failed, as_it] = give_name(at, entry);
            if (failed == 0) {
                done.push_back(as_it);
                continue;
            }
            bool whole = true;
            while (!done.empty()) {
                whole = take_back(places_of(folder, journal.entries[done.size() - 1]), done.back()) && whole;
                done.pop_back();
            }
            if (whole) journal.discard(folder);  // else the journal stays, and the next run does the rest
            return failure(at.target, failed);
        }
        return {};
    }
};

Transaction::Transaction(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Transaction::Transaction(Transaction&&) noexcept            = default;
Transaction& Transaction::operator=(Transaction&&) noexcept = default;
Transaction::~Transaction()                                 = default;

Result<Transaction> Transaction::begin(const std::string& folder, Diagnostics& found)
{
    auto impl    = std::make_unique<Impl>();
    impl->folder = real_place(folder);
    if (const int failed = impl->lock.take(impl->folder))
        return failed == EWOULDBLOCK ? busy(folder) : failure(folder, failed);
    if (auto ended = bring_to_end(impl->folder, found); !ended) return ended.error();
    const auto now = time_in(impl->folder);
    if (!now) return now.error();
    impl->begun = *now;
    return Transaction(std::move(impl));
}

void Transaction::replace(const std::string& name, const std::string& content)
{ impl_->wanted.push_back({fs::path(name).lexically_normal().string(), content}); }

void Transaction::remove(const std::string& name)
{ impl_->wanted.push_back({fs::path(name).lexically_normal().string(), {}}); }

Result<void> Transaction::commit()
{
    Impl& all = *impl_;
    if (all.wanted.empty()) return {};
    for (const Impl::Wanted& one : all.wanted)
        if (const fs::path target = real_place((all.folder / one.name).string()); all.is_changed(target))
            return make_diagnostic(kChanged, {.layer = target.string()}, "it was changed while this run computed");
    all.plan();
    const Committing scope;  // a signal waits: what follows takes no longer than writing the files does
    Result<void>     staged;
    if (const int failed = all.journal.write(all.folder)) staged = failure(all.folder, failed);
    if (staged) staged = all.stage();
    if (staged) {
        all.journal.committed = true;
        if (const int failed = all.journal.write(all.folder)) staged = failure(all.folder, failed);
    }
    if (!staged) return all.journal.discard(all.folder), staged;
    if (auto swapped = all.swap_all(); !swapped) return swapped;
    // The old contents wait under the names that the new ones had.
    for (const Journal::Entry& entry : all.journal.entries)
        (void)system::sync_folder(places_of(all.folder, entry).target.parent_path());
    bool tidy = true;
    for (const Journal::Entry& entry : all.journal.entries)
        if (const fs::path old = places_of(all.folder, entry).temporary; inode_of(old) != 0)
            tidy = system::unlink(old) == 0 && tidy;
    if (tidy) (void)system::unlink(all.folder / Journal::kName);  // else the next run tidies up
    (void)system::sync_folder(all.folder);
    return {};
}

Result<void> recover(const std::string& file, Diagnostics& found)
{
    // A reader waits for a writer that is just ending; ten seconds are more than any commit takes.
    constexpr double kPatience = 10;  // [s]
    std::error_code  failed;
    restore_exchanged(file);
    // Every folder above may hold the journal: a transaction names files in folders below its own.
    for (fs::path folder = fs::path(real_place(file)).parent_path();; folder = folder.parent_path()) {
        if (inode_of(folder / Journal::kName) != 0) {
            Lock lock;
            if (lock.take_within(folder, kPatience) == EWOULDBLOCK) return busy(folder);
            if (auto ended = bring_to_end(folder, found); !ended) return ended;
        }
        if (folder == folder.parent_path()) return {};
    }
}

}  // namespace mechane::files
