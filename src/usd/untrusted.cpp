// Reading a file that nobody vouches for, in a process of its own: limits of that process, a sign of progress for the
// watcher, and a reading of everything.

#include "mechane/files/limit.h"
#include "mechane/usd/untrusted.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "mechane/usd/dump.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"
#include "usd/progress.h"

namespace mechane::usd {
namespace {

std::mutex                 g_mutex;
ProcessLimits              g_limits;
std::atomic<std::uint64_t> g_steps = 0, g_bytes = 0;

void read_stage(const std::string& source, const OpenOptions& options)
{
    const auto stage = Stage::open(source, options);
    if (!stage) return;
    // Every value is asked for once: a damaged file may crash the library in any of them, and here it harms this
    // process only.
    (void)dump_stage(**stage);
    for (const Prim& prim : (*stage)->traverse({.all = true})) {
        (void)prim.metadata("kind");
        for (const Token& name : prim.authored_property_names()) {
            const Attribute attribute = prim.attribute(name);
            for (const double time : attribute.time_samples()) (void)attribute.value(time);
            (void)attribute.connections();
            (void)prim.relationship(name).targets();
        }
    }
}

}  // namespace

void set_process_limits(const ProcessLimits& limits)
{
    const std::lock_guard lock(g_mutex);
    g_limits = limits;
    files::set_read_limit(limits.memory);
}

ProcessLimits process_limits()
{
    const std::lock_guard lock(g_mutex);
    return g_limits;
}

std::uint64_t memory_in_use()
{
    char      text[128];
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0) return 0;
    text[size] = '\0';
    char* end  = nullptr;
    (void)std::strtoull(text, &end, 10);  // all of the address space; what is resident follows
    return std::strtoull(end, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void          reading_went_on() { g_steps.fetch_add(1, std::memory_order_relaxed); }
std::uint64_t reading_progress() { return g_steps.load(std::memory_order_relaxed); }
void          let_through(std::uint64_t bytes)
{
    g_bytes.fetch_add(bytes, std::memory_order_relaxed);
    reading_went_on();
}
std::uint64_t bytes_let_through() { return g_bytes.load(std::memory_order_relaxed); }

void read_everything(const std::string& source, const OpenOptions& options)
{
    read_stage(source, options);
    if (const auto layer = Layer::open(source, options.limits)) (void)layer->to_text();
}

}  // namespace mechane::usd
