// The start of OpenUSD in this process: its messages are collected, its plug-ins found, and what would go wrong later
// is told now.
// One operation at a time owns the messages; what the library says outside of one is dropped.

#include "usd/runtime.h"

#include <fmt/format.h>
#include <link.h>
#include <pxr/arch/env.h>
#include <pxr/plug/plugin.h>
#include <pxr/plug/registry.h>
#include <pxr/sdf/schema.h>
#include <pxr/tf/diagnosticMgr.h>
#include <pxr/tf/error.h>
#include <pxr/tf/status.h>
#include <pxr/tf/type.h>
#include <pxr/tf/warning.h>

#include <map>
#include <optional>

#include "mechane/files/inputs.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/schemas.h"
#include "usd/dependencies.h"

namespace mechane::usd {
namespace {

using namespace pxr;

std::mutex                   g_operation;  ///< one opening at a time owns the messages
std::mutex                   g_messages;
std::vector<LibraryMessage>* g_sink = nullptr;

void deliver(Severity severity, const std::string& text)
{
    // Our plug-in for other programs, seen by this one, which resolves package:// itself.
    if (text.find("MechanePackageUriResolver registered") != std::string::npos) return;
    const std::lock_guard lock(g_messages);
    if (g_sink != nullptr) g_sink->push_back({severity, text});
}

/// Lives as long as the process: OpenUSD may speak at any time, and never to the user.
class Collector : public TfDiagnosticMgr::Delegate {
  public:
    void IssueError(const TfError& error) override { deliver(Severity::error, error.GetCommentary()); }
    void IssueWarning(const TfWarning& warning) override { deliver(Severity::warning, warning.GetCommentary()); }
    void IssueStatus(const TfStatus&) override {}
    void IssueFatalError(const TfCallContext&, const std::string& message) override
    { deliver(Severity::error, message); }
};

/// Base names of OpenUSD libraries that are mapped twice (from different files).
std::string find_two_copies()
{
    std::map<std::string, std::string> seen;
    struct Search {
        std::map<std::string, std::string>& seen;
        std::string                         found;
    } search{seen, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto&             s     = *static_cast<Search*>(data);
            const std::string path  = info->dlpi_name == nullptr ? "" : info->dlpi_name;
            const std::size_t slash = path.rfind('/');
            const std::string base  = slash == std::string::npos ? path : path.substr(slash + 1);
            if (!base.starts_with("libPxr")) return 0;
            // Two copies keep two registries, and types of one are unknown to the other.
            const auto [it, fresh] = s.seen.emplace(base, path);
            if (!fresh && it->second != path) s.found = fmt::format("{} and {}", it->second, path);
            return 0;
        },
        &search);
    return search.found;
}

/// Without our resolvers nothing looks at a file before OpenUSD's readers do, and packages are not found.
std::string find_missing_resolvers()
{
    const PlugPluginPtr plugin = PlugRegistry::GetInstance().GetPluginWithName("mechane");
    if (!plugin) return "its plug-ins do not name ours";
    for (const char* const type : {"MechaneResolver", "MechanePackageResolver"})
        if (!plugin->DeclaresType(TfType::FindByName(type)))
            return fmt::format("{} does not name {}", plugin->GetResourcePath(), type);
    return {};
}

std::vector<LibraryMessage>& startup()
{
    static std::vector<LibraryMessage> messages;
    return messages;
}

std::optional<Diagnostic> prepare()
{
    ArchSetEnv("TF_ENV_SETTING_ALERTS_ENABLED", "0", true);  // no banner on stderr about settings
    ArchSetEnv("USDC_USE_PREAD", "1", false);                // damaged crates become errors instead of bus errors
    static Collector collector;
    TfDiagnosticMgr::GetInstance().AddDelegate(&collector);
    TfDiagnosticMgr::GetInstance().SetQuiet(true);
    {  // OpenUSD reads its plug-in files and declares its fields on first use: now, so that no stage hears of it
        const std::lock_guard lock(g_messages);
        g_sink = &startup();
    }
    files::set_dependency_finder(files_named_by);
    PlugRegistry::GetInstance();
    SdfSchema::GetInstance();
    {
        const std::lock_guard lock(g_messages);
        g_sink = nullptr;
    }
    if (const std::string copies = find_two_copies(); !copies.empty()) return make_diagnostic(kTwoCopies, {}, copies);
    if (const std::string why = find_missing_resolvers(); !why.empty()) return make_diagnostic(kOtherRelease, {}, why);
    return std::nullopt;
}

}  // namespace

const Diagnostic* prepare_runtime()
{
    static const std::optional<Diagnostic> wrong = prepare();
    return wrong ? &*wrong : nullptr;
}

const std::vector<std::string>& startup_complaints()
{
    static const std::vector<std::string> texts = [] {
        prepare_runtime();
        std::vector<std::string> out;
        for (const LibraryMessage& message : startup()) out.push_back(message.text);
        return out;
    }();
    return texts;
}

MessageScope::MessageScope() : exclusive_(g_operation)
{
    prepare_runtime();
    const std::lock_guard lock(g_messages);
    g_sink = new std::vector<LibraryMessage>;
}

MessageScope::~MessageScope()
{
    const std::lock_guard lock(g_messages);
    delete g_sink;
    g_sink = nullptr;
}

std::vector<LibraryMessage> MessageScope::take()
{
    const std::lock_guard lock(g_messages);
    return std::exchange(*g_sink, {});
}

}  // namespace mechane::usd
