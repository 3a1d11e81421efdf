// Reads TOML with a limit of size and depth, and makes diagnostics with line and column. The parser recurses, so the
// depth is looked at before. Called by check_config.cpp and others.

#include "cli/toml.h"

#include "mechane/conformance/codes.h"
#include "mechane/resolve/toml_depth.h"
#include "mechane/files/read.h"

namespace mechane::cli {

Diagnostic toml_mistake(const std::string& file, const toml::source_region& place, std::string message,
                        std::string hint)
{
    return make_diagnostic(conformance::codes::kConfig,
                           {.layer  = file,
                            .line   = static_cast<int>(place.begin.line),
                            .column = static_cast<int>(place.begin.column)},
                           std::move(message), std::move(hint));
}

Result<toml::table> read_toml(const std::string& file)
{
    constexpr std::uint64_t kMost = 1 << 20;
    const auto              text  = files::read(file, kMost);
    if (!text) return make_diagnostic(conformance::codes::kConfig, {.layer = file}, text.error().message);
    if (const int line = resolve::too_deep_in_toml(*text); line > 0)
        return make_diagnostic(conformance::codes::kConfig, {.layer = file, .line = line}, "keys nest too deeply");
    toml::parse_result parsed = toml::parse(*text, file);
    if (!parsed) return toml_mistake(file, parsed.error().source(), std::string(parsed.error().description()));
    return std::move(parsed).table();
}

}  // namespace mechane::cli
