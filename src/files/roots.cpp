// Which folders an asset may read from.
// Input: the folders and what to do about others (allow, warn, refuse). Paths are compared part by part at their real
// places, so that "/a/bc" is not within "/a/b" and no link leads out.
// Called where references of a stage or a source file are resolved.

#include "mechane/files/roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mechane/files/codes.h"
#include "mechane/files/replace.h"
#include "mechane/files/within.h"

namespace mechane::files {

bool Roots::contain(const std::string& file) const
{
    const std::filesystem::path place = real_place(file);
    return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
        return is_within(place, real_place(folder));
    });
}

Result<void> Roots::admit(const std::string& file, Diagnostics& found) const
{
    if (outside == Outside::allow || contain(file)) return {};
    Diagnostic one = make_diagnostic(kOutside, {.layer = file}, fmt::format("'{}' lies outside the asset's folder", file));
    if (outside == Outside::refuse) {
        one.severity = Severity::error;
        return one;
    }
    found.add(std::move(one));
    return {};
}

}  // namespace mechane::files
