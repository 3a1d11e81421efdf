// `package://` addresses, resolved for OpenUSD: given folders first, then the environment of ROS.
// Answers are told to a trace, so that a cache knows when an environment that changes makes a stage stale.

#include "usd/package_resolver.h"

#include <pxr/ar/defineResolver.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "mechane/files/trace.h"
#include "mechane/usd/packages.h"
#include "usd/package_resolver_base.h"

namespace {
std::mutex                         g_packages_mutex;
std::map<std::string, std::string> g_packages;
std::map<std::string, std::string> g_found;  ///< in the environment, by package and environment; empty: not there

using mechane::package_paths::kScheme;

/// The folder of a package, or empty.
std::string looked_up(const std::string& name)
{
    if (!mechane::package_paths::is_name(name)) return {};
    const std::lock_guard lock(g_packages_mutex);
    if (const auto given = g_packages.find(name); given != g_packages.end()) return given->second;
    std::string key = name;
    for (const char* variable : {"AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH"})
        if (const char* text = std::getenv(variable))
            key.append(1, '\n').append(text);  // NOLINT(concurrency-mt-unsafe)
    const auto [at, fresh] = g_found.try_emplace(std::move(key));
    if (fresh) at->second = mechane::package_paths::find_in_environment(name);
    return at->second;
}

constexpr std::string_view kQuestion = "package ";

std::string folder_of(const std::string& name)
{
    std::string folder = looked_up(name);
    mechane::files::note_answer(std::string(kQuestion) + name, folder);
    return folder;
}
}  // namespace

using namespace pxr;  // the registration macro below needs OpenUSD's names

/// Resolves package:// addresses to files. Registered through the plug-in file beside OpenUSD's own
/// (mechane/resources/plugInfo.json).
class MechanePackageResolver final : public mechane::package_paths::PackageResolverBase {
  protected:
    [[nodiscard]] std::string find(const std::string& address) const override
    { return mechane::package_paths::file_of(address, folder_of); }
    [[nodiscard]] bool may_read(const std::string& file) const override
    {
        if (mechane::files::probe(file) != mechane::files::Kind::file) return false;
        if (mechane::files::Trace* const trace = mechane::files::current_trace())
            trace->read(file);  // also where the layer is open already
        return true;
    }
};

AR_DEFINE_RESOLVER(MechanePackageResolver, ArResolver);

namespace mechane::usd {

void answer_for_packages(const std::map<std::string, std::string>& packages)
{
    set_packages(packages);
    files::set_answerer([](const std::string& question) {
        return question.starts_with(kQuestion) ? looked_up(question.substr(kQuestion.size())) : std::string();
    });
}

void set_packages(const std::map<std::string, std::string>& packages)
{
    const std::lock_guard lock(g_packages_mutex);
    for (const auto& [name, folder] : packages) g_packages[name] = folder;
}

std::string package_folder(const std::string& name, const std::map<std::string, std::string>& given)
{
    const auto found = given.find(name);
    return found != given.end() ? found->second : folder_of(name);
}

std::string unknown_package(const std::string& address)
{
    if (!address.starts_with(kScheme)) return {};
    const std::string package = address.substr(kScheme.size(), address.find('/', kScheme.size()) - kScheme.size());
    return folder_of(package).empty() ? package : std::string();
}

}  // namespace mechane::usd
