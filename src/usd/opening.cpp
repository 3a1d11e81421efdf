// What goes wrong before a stage exists: files that are missing, of another kind or refused, each with its own words.

#include "usd/opening.h"

#include <fmt/format.h>
#include <pxr/ar/packageUtils.h>
#include <unistd.h>

#include <filesystem>

#include "mechane/usd/codes.h"
#include "mechane/usd/file_names.h"
#include "usd/parser_message.h"

namespace mechane::usd {

using namespace pxr;
namespace fs = std::filesystem;

Diagnostic explain_failure(MessageScope& messages, GuardScope& guard, const std::string& source,
                           const std::string& file)
{
    // A guard that refused the bytes knows the reason better than the parser that then found nothing.
    for (Diagnostic finding : guard.take()) {
        if (finding.site.layer == file) finding.site.layer = source;
        return finding;
    }
    for (const LibraryMessage& message : messages.take())
        if (message.severity == Severity::error) return from_parser_message(kOpenFailed, source, message.text);
    return make_diagnostic(kOpenFailed, {.layer = source},
                           is_package_name(file) ? "the package is damaged" : "the file is not USD");
}

Result<std::string> find_file(const std::string& source)
{
    const bool  packaged = ArIsPackageRelativePath(source);
    std::string outer    = packaged ? ArSplitPackageRelativePathOuter(source).first : source;
    // Addresses are for the resolver of the asset; only files can be looked at here.
    if (outer.find("://") != std::string::npos) return source;
    std::error_code failed;
    const fs::path  path = fs::absolute(outer, failed).lexically_normal();
    const auto      kind = failed ? fs::file_type::not_found : fs::status(path, failed).type();
    if (kind == fs::file_type::not_found || kind == fs::file_type::none)
        return make_diagnostic(kOpenFailed, {.layer = source}, "the file does not exist", "Check the path.");
    if (kind == fs::file_type::directory)
        return make_diagnostic(kOpenFailed, {.layer = source}, "this is a folder",
                               "Name a .usda, .usdc, .usd or .usdz file in it.");
    if (!is_stage_name(path))
        return make_diagnostic(kFormatUnknown, {.layer = source},
                               fmt::format("the suffix '{}' is not USD's", path.extension().string()));
    if (kind != fs::file_type::regular)
        return make_diagnostic(kOpenFailed, {.layer = source}, "this is a pipe or a device",
                               "Name a .usda, .usdc, .usd or .usdz file.");
    if (access(path.c_str(), R_OK) != 0)
        return make_diagnostic(kOpenFailed, {.layer = source}, "the file cannot be read", "Check its permissions.");
    return packaged ? ArJoinPackageRelativePath(path.string(), ArSplitPackageRelativePathOuter(source).second)
                    : path.string();
}

}  // namespace mechane::usd
