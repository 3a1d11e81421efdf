#include "mechane/files/roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mechane/files/codes.h"
#include "mechane/files/replace.h"

namespace mechane::files {

bool Roots::contain(const std::string& file) const
{
    const std::filesystem::path place = real_place(file);
    return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
        const std::filesystem::path root = real_place(folder);
        const auto [end, rest]           = std::mismatch(root.begin(), root.end(), place.begin(), place.end());
        return end == root.end();
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
