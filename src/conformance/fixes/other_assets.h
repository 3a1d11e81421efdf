#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/fixes/workspace.h"
#include "mechane/core/diagnostic.h"

namespace mechane::conformance {

/// Layers around an asset that are no part of it and use files of it: another asset beside it, a scene that places it.
class OtherAssets {
  public:
    OtherAssets() = default;
    /// Looks below the folder of the asset, in the folder above and in the folders beside; not above the root of a
    /// repository. Hidden folders are left out. The nearest files come first, up to a limit; where it is reached, or a
    /// layer that may use files of the asset cannot be read, `found` gets FIX_OTHERS.
    /// @param open  where packages and search paths lie
    OtherAssets(const Workspace& work, const usd::OpenOptions& open, Diagnostics& found);

    [[nodiscard]] bool empty() const { return users_.empty(); }
    /// The layers that use files of the asset, directly or through others, sorted.
    [[nodiscard]] const std::set<std::filesystem::path>& users() const { return users_; }
    /// One of the layers that use a file of the asset, itself or by what it uses; empty for a file of the asset alone.
    /// @param original  of the asset, not of the working copy
    [[nodiscard]] std::string user_of(const std::filesystem::path& original) const;

  private:
    std::set<std::filesystem::path>                        users_;
    std::map<std::filesystem::path, std::filesystem::path> used_;  ///< file of the asset -> a layer that uses it
};

/// What another asset shows otherwise when the changed files of a working copy take the place of their originals.
/// @param scratch  a folder for the copy of that asset; it is made, and removed again
/// @param differs  says what two assets simulate otherwise; may be empty
/// @return in words; empty when it shows the same, or cannot be opened as it is
std::string changes_for(const std::filesystem::path& user, const FixResult& repaired, const std::string& asset,
                        const std::filesystem::path& scratch, const FixOptions& options);

}  // namespace mechane::conformance
