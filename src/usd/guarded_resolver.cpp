// The process's primary resolver: OpenUSD's default one, with a look at the bytes of every layer before a parser gets
// them. Whatever arc leads to a file - root, sublayer, reference, payload, package - its bytes come through _OpenAsset.
#include <fcntl.h>
#include <pxr/ar/asset.h>
#include <pxr/ar/defaultResolver.h>
#include <pxr/ar/defaultResolverContext.h>
#include <pxr/ar/defineResolver.h>
#include <pxr/ar/inMemoryAsset.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mechane/files/inputs.h"
#include "mechane/files/trace.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/untrusted.h"
#include "usd/guards.h"
#include "usd/progress.h"

namespace {

using namespace mechane;

std::mutex        g_guard_mutex;
usd::Limits       g_guard_limits;
std::string       g_stage;
usd::FirstReader  g_first_reader;
std::atomic<bool> g_guarding = false;
/// Verdicts by file, size and time of change: a layer is opened more than once (sniffed, then read), and by many
/// stages.
struct FileState {
    std::string path;
    long long   size, changed_s, changed_ns;
    auto        operator<=>(const FileState&) const = default;
};
std::set<FileState>               g_good;
std::map<std::string, Diagnostic> g_refused;    ///< since the last take(), by file
usd::ExpressionVariables          g_variables;  ///< of all layers that were let through

/// ReadInstead's file and text.
struct Instead {
    std::string                  file;
    std::shared_ptr<std::string> text;
};
thread_local Instead t_instead;

bool is_layer(const std::string& path)
{
    const std::size_t dot = path.rfind('.');
    return dot != std::string::npos && (path.compare(dot, std::string::npos, ".usd") == 0 ||
                                        (path.size() == dot + 5 && path.compare(dot, 4, ".usd") == 0));
}

/// What a first reader died of, if these bytes are such that there is one to be asked.
/// What the checks do not cover is read in another process first, which may die of it.
std::optional<Diagnostic> read_first(const std::string& layer, std::string_view bytes)
{
    usd::FirstReader reader;
    std::string      stage;
    {
        const std::lock_guard lock(g_guard_mutex);
        reader = g_first_reader;
        stage  = g_stage.empty() ? layer : g_stage;
    }
    const std::string part = reader ? usd::unchecked_part(bytes) : std::string();
    auto              died = part.empty() ? std::nullopt : reader(stage);
    if (died) died->site.layer = layer, died->message = part + ": " + died->message;
    return died;
}

/// True when the library may read the file. A folder, pipe or device that calls itself a layer is refused unread.
bool admit(const std::string& path, const pxr::ArAsset* asset, const FileState& state)
{
    usd::Limits limits;
    {
        const std::lock_guard lock(g_guard_mutex);
        if (g_good.contains(state)) return true;
        if (g_refused.contains(path)) return false;
        limits = g_guard_limits;
    }
    std::optional<Diagnostic> wrong  = usd::memory_limit_reached(path);
    const auto                buffer = wrong ? nullptr : asset->GetBuffer();
    if (wrong)
        ;  // the file may be good; there is no room for it
    else if (!buffer)
        wrong = asset->GetSize() == 0 ? make_diagnostic(usd::kOpenFailed, {.layer = path}, "the file is empty")
                                      : make_diagnostic(usd::kOpenFailed, {.layer = path}, "the file cannot be read");
    else
        wrong = usd::guard_layer({buffer.get(), asset->GetSize()}, path, limits, &g_variables);
    if (!wrong) wrong = read_first(path, {buffer.get(), asset->GetSize()});
    const std::lock_guard lock(g_guard_mutex);
    // Outside of a scope nobody asks for refusals, so none are kept.
    if (wrong && g_guarding) g_refused.emplace(path, *wrong);
    if (!wrong) {
        g_good.insert(state);
        usd::let_through(asset->GetSize());
    }
    return !wrong;
}

/// An open file of the system.
struct Descriptor {
    explicit Descriptor(int file) : at(file) {}
    ~Descriptor()
    {
        if (at >= 0) close(at);
    }
    Descriptor(const Descriptor&)            = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int at;
};

bool read_all(int file, char* bytes, std::size_t size)
{
    for (std::size_t done = 0; done < size;) {
        const ssize_t some = read(file, bytes + done, size - done);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) return false;
        done += static_cast<std::size_t>(some);
    }
    return true;
}

}  // namespace

using namespace pxr;  // the registration macro below needs OpenUSD's names

/// Registered through the plug-in file beside OpenUSD's own (mechane/resources/plugInfo.json); being the only primary
/// resolver there besides the default one, it is the one that OpenUSD takes.
class MechaneResolver final : public ArDefaultResolver {
  protected:
    /// As the default resolver; a trace (files/trace.h) hears of every place that it looks at: a file that appears at
    /// an earlier one is another asset.
    ArResolvedPath _Resolve(const std::string& path) const override
    {
        const ArResolvedPath found = ArDefaultResolver::_Resolve(path);
        files::Trace* const  trace = files::current_trace();
        if (trace == nullptr || path.empty()) return found;
        for (const std::string& place : places_of(path))
            if (files::probe(place) != files::Kind::nothing) break;
        // A layer may be open already, for another stage; then nobody opens the file.
        if (!found.empty() && is_layer(found.GetPathString())) trace->read(found.GetPathString());
        return found;
    }

    std::shared_ptr<ArAsset> _OpenAsset(const ArResolvedPath& path) const override
    {
        const std::string& file = path.GetPathString();
        files::note_read(file);
        if (!is_layer(file)) return ArDefaultResolver::_OpenAsset(path);
        if (t_instead.text && t_instead.file == file)
            return ArInMemoryAsset::FromBuffer(std::shared_ptr<const char>(t_instead.text, t_instead.text->data()),
                                               t_instead.text->size());
        struct stat      status{};
        const Descriptor opened(
            open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe would wait for a writer
        if (opened.at < 0 || fstat(opened.at, &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
        // A crate is read value by value, each with a call into the kernel, and mapping a small file costs more than
        // reading it. From memory both are cheap, and nobody can change the file behind the check. Large ones stay on
        // disk: most of them may never be looked at.
        constexpr std::size_t    kInMemory = std::size_t{64} << 20;
        std::shared_ptr<ArAsset> asset;
        if (const auto size = static_cast<std::size_t>(status.st_size); size != 0 && size <= kInMemory) {
            const std::shared_ptr<char> bytes(new char[size], std::default_delete<char[]>());
            if (!read_all(opened.at, bytes.get(), size)) return nullptr;
            asset = ArInMemoryAsset::FromBuffer(bytes, size);
        } else {
            asset = ArDefaultResolver::_OpenAsset(path);
        }
        if (!asset) return nullptr;
        // The state of the file that was opened, not of its path: the two may differ by now.
        if (!admit(file, asset.get(), {file, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec}))
            return nullptr;
        return asset;
    }

  private:
    /// Where the default resolver looks for a path, in its order.
    [[nodiscard]] std::vector<std::string> places_of(const std::string& path) const
    {
        if (path.front() == '/') return {path};
        std::error_code          failed;
        const auto               below = [&](const std::string& folder) { return folder + "/" + path; };
        std::vector<std::string> places{below(std::filesystem::current_path(failed).string())};
        if (path.starts_with("./") || path.starts_with("../")) return places;
        if (const auto* context = _GetCurrentContextObject<ArDefaultResolverContext>())
            for (const std::string& folder : context->GetSearchPath()) places.push_back(below(folder));
        const char* const list = std::getenv("PXR_AR_DEFAULT_SEARCH_PATH");  // NOLINT(concurrency-mt-unsafe)
        std::string_view  left = list == nullptr ? "" : list;
        while (!left.empty()) {
            const std::size_t end = std::min(left.find(':'), left.size());
            if (end != 0) places.push_back(below(std::filesystem::absolute(left.substr(0, end), failed).string()));
            left.remove_prefix(std::min(left.size(), end + 1));
        }
        return places;
    }
};

AR_DEFINE_RESOLVER(MechaneResolver, ArDefaultResolver);

namespace mechane::usd {

void set_first_reader(FirstReader reader)
{
    const std::lock_guard lock(g_guard_mutex);
    g_first_reader = std::move(reader);
}

bool is_reading() { return g_guarding.load(std::memory_order_relaxed); }

GuardScope::GuardScope(const Limits& limits, std::string stage) : trace_(files::current_trace(), true)
{
    const std::lock_guard lock(g_guard_mutex);
    g_guard_limits = limits;
    g_stage        = std::move(stage);
    g_guarding     = true;
    g_refused.clear();
    g_good.clear();  // another stage may have wider limits
    g_variables.clear();
}

GuardScope::~GuardScope()
{
    const std::lock_guard lock(g_guard_mutex);
    g_guarding = false;
    g_refused.clear();
}

ReadInstead::ReadInstead(const std::string& file, std::string text)
{ t_instead = {file, std::make_shared<std::string>(std::move(text))}; }
ReadInstead::~ReadInstead() { t_instead = {}; }

Diagnostics GuardScope::take()
{
    const std::lock_guard lock(g_guard_mutex);
    Diagnostics           out;
    for (auto& [file, finding] : std::exchange(g_refused, {})) out.add(finding);
    return out;
}

}  // namespace mechane::usd
