// What is temporary in this process, in a table that a signal handler can walk: fixed places, atomics, system calls.
#include "files/temporaries.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "files/system.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/files/within.h"

namespace mechane::files {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSlots = 64, kLongest = 4096;

enum SlotState : int { free_slot, filling, filled };
struct Slot {
    std::atomic<int>           state{free_slot};
    std::array<char, kLongest> path{};
};
std::array<Slot, kSlots> g_slots;
std::atomic<int>         g_committing{0};

std::mutex            g_scratch_mutex;
std::vector<fs::path> g_scratch;  ///< folders, canonical

/// @return -1 when the table is full or the path too long: a signal then leaves it where it is
int take_slot(const fs::path& path)
{
    std::error_code   failed;
    const std::string text = fs::absolute(path, failed).string();
    if (failed || text.size() >= kLongest) return -1;
    for (std::size_t i = 0; i < kSlots; ++i) {
        int expected = free_slot;
        if (!g_slots[i].state.compare_exchange_strong(expected, filling)) continue;
        std::memcpy(g_slots[i].path.data(), text.c_str(), text.size() + 1);
        g_slots[i].state = filled;
        return static_cast<int>(i);
    }
    return -1;
}

void leave_slot(int slot)
{
    if (slot >= 0) g_slots[static_cast<std::size_t>(slot)].state = free_slot;
}

/// What getdents64 puts into its buffer.
struct DirectoryEntry {
    std::uint64_t inode;
    std::int64_t  next;
    std::uint16_t size;
    unsigned char type;
    char          name[1];  // NOLINT(modernize-avoid-c-arrays): as the kernel lays it out
};

// NOLINTNEXTLINE(misc-no-recursion): as deep as folders nest, at most kDeepest
void remove_at(int folder, const char* name, int depth) noexcept
{
    constexpr int kDeepest = 20, kRounds = 8;
    if (unlinkat(folder, name, 0) == 0 || depth == kDeepest) return;
    const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return;
    // Other threads may still be writing here.
    for (int round = 0; round < kRounds && unlinkat(folder, name, AT_REMOVEDIR) != 0; ++round) {
        alignas(DirectoryEntry) std::array<char, 1024> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
        lseek(inner, 0, SEEK_SET);
        for (long bytes = 0; (bytes = syscall(SYS_getdents64, inner, buffer.data(), buffer.size())) > 0;)
            for (long at = 0; at < bytes;) {
                const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer.data() + at);
                if (std::strcmp(entry->name, ".") != 0 && std::strcmp(entry->name, "..") != 0)
                    remove_at(inner, entry->name, depth + 1);
                at += entry->size;
            }
    }
    close(inner);
}

}  // namespace

Temporary::Temporary(fs::path path) : path_(std::move(path)), slot_(take_slot(path_)) {}

Temporary::~Temporary()
{
    if (!path_.empty()) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    leave_slot(slot_);
}

void Temporary::keep()
{
    path_.clear();
    leave_slot(std::exchange(slot_, -1));
}

bool is_scratch(const fs::path& path)
{
    const std::scoped_lock lock(g_scratch_mutex);
    if (g_scratch.empty()) return false;
    std::error_code failed;
    const fs::path  place = fs::weakly_canonical(path, failed);
    return std::any_of(g_scratch.begin(), g_scratch.end(),
                       [&](const fs::path& folder) { return is_within(place, folder); });
}

Committing::Committing() { ++g_committing; }
Committing::~Committing() { --g_committing; }
bool is_committing() noexcept { return g_committing > 0; }

void remove_temporaries() noexcept
{
    for (Slot& slot : g_slots)
        if (slot.state == filled) remove_at(AT_FDCWD, slot.path.data(), 0);
}

fs::path nearest_folder(const std::string& result)
{
    std::error_code failed;
    fs::path        folder = fs::path(real_place(result)).parent_path();
    while (!fs::is_directory(folder, failed) && folder != folder.parent_path()) folder = folder.parent_path();
    return folder;
}

ScratchFolder::ScratchFolder(const fs::path& beside)
{
    std::error_code failed;
    const fs::path  folder = fs::canonical(beside.empty() ? "." : beside, failed);
    if (failed) return;
    for (int tries = 0; tries < 100 && path_.empty(); ++tries) {
        const fs::path name = folder / (".mechane-" + system::random_letters());
        slot_               = take_slot(name);  // first: a signal may come as soon as the folder is there
        const int made      = system::make_folder(name, 0700);
        if (made == 0) path_ = name;
        if (made != 0) leave_slot(std::exchange(slot_, -1));
        if (made != 0 && made != EEXIST) return;
    }
    if (path_.empty()) return;
    const std::scoped_lock lock(g_scratch_mutex);
    g_scratch.push_back(path_);
}

ScratchFolder ScratchFolder::temporary(const fs::path& otherwise)
{
    std::error_code failed;
    const fs::path  usual = fs::temp_directory_path(failed);
    return ScratchFolder(failed || ::access(usual.c_str(), W_OK | X_OK) != 0 ? otherwise : usual);
}

ScratchFolder::~ScratchFolder()
{
    if (path_.empty()) return;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    leave_slot(slot_);
    const std::scoped_lock lock(g_scratch_mutex);
    std::erase(g_scratch, path_);
}

}  // namespace mechane::files
