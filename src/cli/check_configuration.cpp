// What the verdict of a file depends on besides files: the key of the cache of verdicts.
// Input: options, rules, build, environment, working folder. Output: a hash, or nothing where the schemas in use have
// no identity; then nothing is cached.
// A value that is missing here would give a stale verdict, so rather too much is listed than too little: variables by
// the beginnings of their names, the build by its identity.
// Called by cache_of.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>
#include <string_view>

#include "cli/check_judge.h"
#include "mechane/conformance/report_bytes.h"
#include "mechane/core/build_identity.h"
#include "mechane/core/sha256.h"
#include "mechane/usd/schemas.h"

extern char** environ;

namespace mechane::cli {
namespace {

/// Changes whenever what a verdict consists of is written otherwise.
constexpr std::string_view kFormat = "verdict 2";

/// Begins of the names of variables that the libraries below read.
constexpr std::string_view kRead[] = {"AMENT_", "AR_",  "COLCON_", "GF_", "MECHANE_", "PCP_",
                                      "PXR_",   "ROS_", "SDF_",    "TF_", "USD",      "VT_"};

}  // namespace

std::string check_configuration(const CheckArgs& args, const conformance::CheckOptions& options, const Context& context)
{
    std::string out(kFormat);
    const auto  add  = [&](std::string_view name, const auto& value) { out += fmt::format("{}={}\n", name, value); };
    const auto  list = [&](std::string_view name, const std::vector<std::string>& values) {
        for (const std::string& value : values) add(name, value);
    };
    add("version", MECHANE_VERSION);
    add("build", build_identity());
    add("rules", conformance::catalogue_digest());
    std::error_code unknown;
    add("folder", std::filesystem::current_path(unknown).string());
    add("profile", options.profile);
    list("select", options.select);
    list("ignore", options.ignore);
    for (const auto& [rule, severity] : options.severities) add(rule, to_string(severity));
    list("interfaces", options.interface_folders);
    add("manual", options.manual);
    add("payloads", options.strict_payloads);
    list("baseline", options.baseline);
    add("variants", args.all_variants && args.variants == "default" ? "each" : args.variants);
    add("states", args.max_states);
    const GlobalOptions& g = context.global;
    list("variant", g.variants);
    list("resolver", g.resolvers);
    list("option", g.options);
    list("package", g.packages);
    list("search", g.search_paths);
    list("schema", g.schema_paths);
    list("limit", g.stage_limits);
    add("unloaded", g.unloaded);
    add("compat", g.compat);
    add("unauthored", g.unauthored_units);
    add("units", g.units);
    std::vector<std::string> variables;
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string_view text = *one;
        if (text.starts_with("MECHANE_CACHE=")) continue;  // where, not what
        if (std::any_of(std::begin(kRead), std::end(kRead),
                        [&](std::string_view begin) { return text.starts_with(begin); }))
            variables.emplace_back(text);
    }
    std::sort(variables.begin(), variables.end());
    list("environment", variables);
    const std::string schemas = usd::schema_identity();
    if (schemas.empty()) return {};
    add("schemas", schemas);
    return sha256_hex(std::as_bytes(std::span(out.data(), out.size())));
}

}  // namespace mechane::cli
