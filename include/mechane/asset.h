#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mechane/result.h"

namespace mechane {

struct AssetOptions {
    std::vector<std::pair<std::string, std::string>> variants{};      ///< "/Prim{set}" or "set", and the variant
    std::map<std::string, std::string>               packages{};      ///< package://NAME/... -> folder
    std::vector<std::string>                         search_paths{};  ///< for layers
    int                                              threads = 0;     ///< 0: all cores
};

struct CheckSettings {
    std::string profile = "distributed";  ///< distributed, core, export, source, scene, ros-only, tidy
    /// Ids, slugs or sections of rules; empty `select`: the profile's.
    std::vector<std::string> select{}, ignore{};
    int                      threads = 0;  ///< 0: all cores; the findings are the same
};

/// One violation of one rule at one place.
struct Finding {
    std::string rule{};  ///< "REP-1.3-l"
    Severity    severity = Severity::error;
    std::string message{}, hint{};
    Site        site{};
    bool        fixable = false;
    std::string fingerprint{};  ///< the same from run to run; independent of lines and wording
};
/// As `mechane check` prints it.
std::string to_text(const Finding& finding);
/// How many of them are this severe, or more: `count(findings, Severity::error)`, which a gate asks for.
[[nodiscard]] std::size_t count(const std::vector<Finding>& findings, Severity at_least);

struct FixSettings {
    std::string              profile = "distributed";
    std::vector<std::string> select{}, ignore{};
    bool                     unsafe = false;  ///< also repairs that choose a value for the author
};

/// What a repair did.
struct FixReport {
    std::string              folder{};  ///< where the repaired asset lies
    std::string              entry{};   ///< the path of its entry layer, the folder's name included
    std::vector<std::string> files{};   ///< that were written
    int                      edits = 0;
    std::vector<Finding>     left{};  ///< what could not be repaired, of any severity: notes are among them
    Diagnostics              notes{};
};

/// An asset that is looked at: opened, checked, repaired elsewhere. Never changes its own files. Its const functions
/// may be called from many threads.
class Asset {
  public:
    /// @error STAGE_OPEN_FAILED, STAGE_VARIANT_UNKNOWN, API_ARGUMENT for threads out of range
    [[nodiscard]] static Result<Asset> open(const std::string& file, const AssetOptions& options = {});
    ~Asset();
    Asset(Asset&&) noexcept;
    Asset& operator=(Asset&&) noexcept;

    [[nodiscard]] const std::string& file() const;
    /// What composing it showed.
    [[nodiscard]] const Diagnostics& notes() const;
    /// By the rules of REP-0158; worst first. Notes, which ask for nothing, are in the list too.
    /// @error CHECK_OPTION, MECH-001, API_ARGUMENT for threads out of range
    [[nodiscard]] Result<std::vector<Finding>> check(const CheckSettings& settings = {}) const;
    /// Repairs a copy, which becomes the folder: a new or empty one, or an earlier result that nobody changed.
    /// @error CHECK_OPTION, API_ARGUMENT without a folder's name, FILES_FOLDER, FILES_INPUT, FILES_WRITE_FAILED,
    /// FIX_WORK_FOLDER, FIX_PACKAGE
    [[nodiscard]] Result<FixReport> fix(const std::string& folder, const FixSettings& settings = {}) const;

  private:
    struct Impl;
    [[nodiscard]] const Impl& own(const char* function) const;
    explicit Asset(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane
