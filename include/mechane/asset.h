#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mechane/result.h"

namespace mechane {

/// How a stage is composed; nothing here changes what its files say.
struct AssetOptions {
    /// A set that the stage does not have is STAGE_VARIANT_UNKNOWN.
    std::vector<std::pair<std::string, std::string>> variants{};      ///< "/Prim{set}" or "set", and the variant
    std::map<std::string, std::string>               packages{};      ///< package://NAME/... -> folder
    std::vector<std::string>                         search_paths{};  ///< for layers
    int                                              threads = 0;     ///< 0: all cores
};

/// Which rules judge an asset: those of a profile, or those that are named. `mechane check --list-rules` lists the
/// rules.
struct CheckSettings {
    /// One of these; another name is CHECK_OPTION.
    std::string profile = "distributed";  ///< distributed, core, export, source, scene, ros-only, tidy
    /// Ids, slugs or sections of rules; empty `select`: the profile's.
    std::vector<std::string> select{}, ignore{};
    int                      threads = 0;  ///< 0: all cores; the findings are the same
};

/// One violation of one rule at one place.
/// Two checks of one asset give the same findings in the same order, for any number of threads.
struct Finding {
    /// The id is stable; `mechane explain REP-1.3-l` has the rule, its reason and its source.
    std::string rule{};  ///< "REP-1.3-l"
    Severity    severity = Severity::error;
    /// For people; the texts may become better at any time.
    std::string message{}, hint{};
    /// Layer and line where the strongest opinion is a text; the prim and the property of the composed stage.
    Site site{};
    /// Whether `fix` knows a repair. It may refuse to make it here: what stays is in `FixReport::left` with a reason.
    bool fixable = false;
    /// For lists of findings that are accepted: compare it instead of the text.
    std::string fingerprint{};  ///< the same from run to run; independent of lines and wording
};
/// As `mechane check` prints it.
/// Without a line break at the end; the hint stands in a second line.
std::string to_text(const Finding& finding);
/// How many of them are this severe, or more: `count(findings, Severity::error)`, which a gate asks for.
[[nodiscard]] std::size_t count(const std::vector<Finding>& findings, Severity at_least);

/// Which repairs are made. `profile`, `select` and `ignore` are those of CheckSettings.
struct FixSettings {
    std::string              profile = "distributed";
    std::vector<std::string> select{}, ignore{};
    bool                     unsafe = false;  ///< also repairs that choose a value for the author
};

/// What a repair did.
struct [[nodiscard]] FixReport {
    std::string              folder{};  ///< where the repaired asset lies
    std::string              entry{};   ///< the path of its entry layer, the folder's name included
    std::vector<std::string> files{};   ///< that were written
    /// Changes that were made, of all rules together.
    int                  edits = 0;
    std::vector<Finding> left{};  ///< what could not be repaired, of any severity: notes are among them
    /// DIFFERENCE_REPAIR among them; findings that were not repaired are in `left`.
    Diagnostics notes{};
};

/// An asset that is looked at: opened, checked, repaired elsewhere. Never changes its own files. Its const functions
/// may be called from many threads.
/// Opening reads and composes the stage and keeps it; `check` and `fix` work with what was read, so that what changes
/// on the disk meanwhile does not count for `check`. An asset holds OpenUSD's layers in memory: let go of it before the
/// program ends, or end with `end_process`.
class Asset {
  public:
    /// @error STAGE_OPEN_FAILED, STAGE_FORMAT_UNKNOWN, STAGE_LIMIT, STAGE_VARIANT_UNKNOWN, ASSET_PACKAGE_UNKNOWN;
    /// API_ARGUMENT  threads are not in 0..4096
    /// A missing reference or payload does not prevent it; it is in `notes`, and among the findings of `check`.
    /// @param file  of OpenUSD: .usda, .usdc, .usd or .usdz, as a path or a URI
    [[nodiscard]] static Result<Asset> open(const std::string& file, const AssetOptions& options = {});
    /// Lets go of the stage; findings and reports stay valid.
    ~Asset();
    /// What was moved away may be assigned to or destroyed; anything else is a mistake that the failure handler is
    /// told.
    Asset(Asset&&) noexcept;
    Asset& operator=(Asset&&) noexcept;

    /// As it was given to `open`.
    [[nodiscard]] const std::string& file() const;
    /// What composing it showed.
    [[nodiscard]] const Diagnostics& notes() const;
    /// By the rules of REP-0158; worst first. Notes, which ask for nothing, are in the list too.
    /// @error CHECK_OPTION  a profile or a rule that there is none of; MECH-001  a rule failed, which is a fault of
    /// ours; API_ARGUMENT  threads are not in 0..4096
    [[nodiscard]] Result<std::vector<Finding>> check(const CheckSettings& settings = {}) const;
    /// Repairs a copy, which becomes the folder: a new or empty one, or an earlier result that nobody changed.
    /// @error CHECK_OPTION, API_ARGUMENT without a folder's name, FILES_FOLDER, FILES_INPUT, FILES_WRITE_FAILED,
    /// FIX_WORK_FOLDER, FIX_PACKAGE
    /// Files that need no repair are copied, so that the folder is whole. It appears in one step or not at all. `notes`
    /// of the report says what is simulated otherwise from then on (DIFFERENCE_REPAIR); with `unsafe`, whose repairs
    /// choose values, that is not looked at.
    [[nodiscard]] Result<FixReport> fix(const std::string& folder, const FixSettings& settings = {}) const;

  private:
    struct Impl;
    [[nodiscard]] const Impl& own(const char* function) const;
    explicit Asset(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane
