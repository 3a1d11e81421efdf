// Records what a computation depends on: contents of files, what stands at a place, answers to questions.
// A Trace collects while a TraceScope is alive, for this thread and, if asked, for threads without a trace of their
// own.
// finish() turns it into dependencies with checksums, and still_hold() asks later whether all are as they were.
// The difficulty is time: a stamp (inode, size, times) is only proof if the file cannot change without changing it, and
// file systems keep times coarsely. A stamp younger than two seconds is "unsettled": then the content is read again.
// Invariant: when in doubt a trace is spoiled and the result is not kept. A kept result is never wrong, only missing.
// Called by KeptResults, copied() and the readers.

#include "mechane/files/trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <unordered_map>

#include "files/traced_reads.h"
#include "mechane/files/read.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1'000'000'000;
/// File systems keep times no finer than this [ns]; a file that changes twice within it may keep its stamp.
constexpr std::int64_t kTick = 2 * kSecond;

std::int64_t now()
{
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * kSecond + time.tv_nsec;
}

/// Files that were changed later than this may have been read by the process with other bytes than they have now.
/// Initialized before main, and so before anything is read.
const std::int64_t g_started = now();

std::int64_t latest(const Stamp& stamp) { return std::max(stamp.modified, stamp.changed); }

struct Look {
    Kind  kind = Kind::nothing;
    Stamp stamp{};
};

Look look_at(const std::string& place)
{
    struct stat status{};
    if (::stat(place.c_str(), &status) != 0)
        // Other errors, such as a folder that may not be searched, are no proof that nothing is there.
        return {errno == ENOENT || errno == ENOTDIR ? Kind::nothing : Kind::other, {}};
    if (S_ISDIR(status.st_mode)) return {Kind::folder, {}};
    if (!S_ISREG(status.st_mode)) return {Kind::other, {}};
    return {Kind::file,
            {.device   = status.st_dev,
             .inode    = status.st_ino,
             .size     = static_cast<std::uint64_t>(status.st_size),
             .modified = status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec,
             .changed  = status.st_ctim.tv_sec * kSecond + status.st_ctim.tv_nsec}};
}

/// Digests that this process made, so that what many assets share is read once.
class Digests {
  public:
    static Digests& of_process()
    {
        static Digests all;
        return all;
    }

    /// @return nothing when the file cannot be read, or changes while it is
    std::optional<std::string> of(const std::string& file, const Stamp& stamp)
    {
        {
            const std::scoped_lock lock(mutex_);
            if (const auto known = known_.find(file); known != known_.end() && known->second.stamp == stamp)
                return known->second.digest;
        }
        auto digest = sha256_of(file);
        if (!digest || look_at(file).stamp != stamp) return std::nullopt;
        // Two changes within one tick of the file system look like one: such a digest is not remembered.
        if (latest(stamp) + kTick > now()) return *std::move(digest);
        const std::scoped_lock lock(mutex_);
        if (known_.size() >= kMost) known_.clear();
        known_[file] = {stamp, *digest};
        return *std::move(digest);
    }

  private:
    struct Known {
        Stamp       stamp;
        std::string digest;
    };
    static constexpr std::size_t           kMost = 100'000;
    std::mutex                             mutex_;
    std::unordered_map<std::string, Known> known_;
};

/// Files that changed after the process began, as they were each time somebody read them. A layer may stay open for
/// many assets, so its bytes may be older than the file.
class RecentReads {
  public:
    static RecentReads& of_process()
    {
        static RecentReads all;
        return all;
    }

    void note(const std::string& file, const std::string& digest)
    {
        const std::scoped_lock lock(mutex_);
        if (digests_.size() >= kMost) full_ = true;
        if (full_) return;
        const auto [at, fresh] = digests_.try_emplace(file, digest);
        // Two readers saw different contents: no digest of this file is trusted in this process again.
        if (!fresh && at->second != digest) at->second.clear();  // for good
    }
    /// Whether everybody who read the file read this.
    [[nodiscard]] bool agree(const std::string& file, const std::string& digest)
    {
        const std::scoped_lock lock(mutex_);
        const auto             at = digests_.find(file);
        return at != digests_.end() && at->second == digest;
    }

  private:
    static constexpr std::size_t                 kMost = 1'000'000;
    std::mutex                                   mutex_;
    std::unordered_map<std::string, std::string> digests_;
    bool                                         full_ = false;
};

std::string absolute(const std::string& file)
{
    if (file.starts_with('/')) return file;
    std::error_code failed;
    return fs::absolute(file, failed).string();
}

thread_local Trace* t_trace = nullptr;
std::atomic<Trace*> g_others{nullptr};
std::atomic<int>    g_traces{0};
std::mutex          g_answerer_mutex;
Answerer            g_answerer;

std::string answer_to(const std::string& question)
{
    Answerer answerer;
    {
        const std::scoped_lock lock(g_answerer_mutex);
        answerer = g_answerer;
    }
    return answerer ? answerer(question) : std::string();
}

}  // namespace

void Trace::read(const std::string& file)
{
    const std::string      place = absolute(file);
    const std::scoped_lock lock(mutex_);
    // Having read a file says more than having looked for it, and replaces that.
    seen_[place].what = Dependency::What::content;
}

void Trace::probed(const std::string& place, Kind kind)
{
    const std::scoped_lock lock(mutex_);
    const auto [at, fresh] = seen_.try_emplace(absolute(place), Answered{Dependency::What::kind, kind, {}});
    // The place changed while the computation ran: its result may be of neither state.
    if (!fresh && at->second.what == Dependency::What::kind && at->second.kind != kind) spoiled_ = true;
    if (!fresh && at->second.what == Dependency::What::content && kind != Kind::file) spoiled_ = true;
}

void Trace::asked(const std::string& question, const std::string& answer)
{
    const std::scoped_lock lock(mutex_);
    const auto [at, fresh] = seen_.try_emplace(question, Answered{Dependency::What::answer, Kind::nothing, answer});
    if (!fresh && at->second.answer != answer) spoiled_ = true;
}

void Trace::spoil()
{
    const std::scoped_lock lock(mutex_);
    spoiled_ = true;
}

std::optional<std::vector<Dependency>> Trace::finish()
{
    const std::scoped_lock  lock(mutex_);
    std::vector<Dependency> out;
    if (spoiled_) return std::nullopt;
    for (const auto& [name, seen] : seen_) {
        Dependency one{.what = seen.what, .name = name, .digest = seen.answer, .kind = seen.kind};
        if (seen.what != Dependency::What::answer) {
            const Look look = look_at(name);
            if (seen.what == Dependency::What::kind && look.kind != seen.kind) return std::nullopt;
            if (seen.what == Dependency::What::content && look.kind != Kind::file) {
                // What no file is was opened in vain.
                one.what = Dependency::What::kind;
                one.kind = look.kind;
            } else if (seen.what == Dependency::What::content) {
                auto digest = Digests::of_process().of(name, look.stamp);
                if (!digest) return std::nullopt;
                // A file that changed after the start may have been read in an older state by an object that is still
                // open.
                if (latest(look.stamp) + kTick > g_started && !RecentReads::of_process().agree(name, *digest))
                    return std::nullopt;
                one.kind    = Kind::file;
                one.digest  = *std::move(digest);
                one.stamp   = look.stamp;
                one.settled = latest(look.stamp) + kTick < now();
            }
        }
        out.push_back(std::move(one));
    }
    return out;
}

/// Scopes nest: the one before is put back.
TraceScope::TraceScope(Trace* trace, bool others) : before_(t_trace), others_(others)
{
    ++g_traces;
    t_trace = trace;
    if (others_) others_before_ = g_others.exchange(trace);
}

TraceScope::~TraceScope()
{
    if (others_) g_others = others_before_;
    t_trace = before_;
    --g_traces;
}

Trace* current_trace()
{
    // The common case: nobody traces, at the cost of one load.
    if (g_traces.load(std::memory_order_relaxed) == 0) return nullptr;
    return t_trace != nullptr ? t_trace : g_others.load();
}

void note_traced_read(const std::string& file)
{
    Trace* const trace = current_trace();
    if (trace == nullptr) return;
    trace->read(file);
    const std::string place = absolute(file);
    const Look        look  = look_at(place);
    if (look.kind != Kind::file || latest(look.stamp) + kTick <= g_started) return;
    const auto digest = sha256_of(place);
    RecentReads::of_process().note(place, digest ? *digest : std::string());
}

Kind probe(const std::string& place)
{
    const Kind kind = look_at(place).kind;
    if (Trace* const trace = current_trace()) trace->probed(place, kind);
    return kind;
}

void note_answer(const std::string& question, const std::string& answer)
{
    if (Trace* const trace = current_trace()) trace->asked(question, answer);
}

void set_answerer(Answerer answerer)
{
    const std::scoped_lock lock(g_answerer_mutex);
    g_answerer = std::move(answerer);
}

bool still_hold(std::span<Dependency> dependencies, bool reread, bool& refreshed)
{
    refreshed = false;
    for (Dependency& one : dependencies) {
        if (one.what == Dependency::What::answer) {
            if (answer_to(one.name) != one.digest) return false;
            continue;
        }
        const Look look = look_at(one.name);
        if (look.kind != one.kind) return false;
        if (one.what == Dependency::What::kind) continue;
        // The fast way: the stamp is the same and was old enough to be trusted. Nothing is read.
        if (!reread && one.settled && look.stamp == one.stamp) continue;
        if (look.stamp.size != one.stamp.size) return false;
        const auto digest = Digests::of_process().of(one.name, look.stamp);
        if (!digest || *digest != one.digest) return false;
        const bool settled = latest(look.stamp) + kTick < now();
        refreshed |= settled && !(one.settled && look.stamp == one.stamp);
        one.stamp   = look.stamp;
        one.settled = settled;
    }
    return true;
}

}  // namespace mechane::files
