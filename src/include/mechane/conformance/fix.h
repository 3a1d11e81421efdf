#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/conformance/check.h"
#include "mechane/usd/layer.h"

namespace mechane::conformance {

/// Where the phases of a repair stand in their fixed order: transforms come before units so that scaling only meets
/// translate, orient and scale; vendors before the layer split so that splitting sees neutral layers.
enum class Phase {
    schemas    = 1,  ///< P1: names of vendors that have a neutral word
    transforms = 2,  ///< P2: operations, scales, mesh orientation
    units      = 3,  ///< P3: units, axis, time, rotation of the root
    variants   = 4,  ///< P4: selections, limits
    metadata   = 5,  ///< P5: metadata and small edits of schemas
    paths      = 6,  ///< P6: asset paths
    vendors    = 7,  ///< P7: vendor names into layers of their own
    layers     = 8   ///< P8: layer split, encoding, instancing flags
};

struct FixOptions {
    usd::OpenOptions         open{};
    std::string              profile = "distributed";  ///< of the check that finds what is to be repaired
    std::vector<std::string> select{}, ignore{};       ///< rules whose repairs run; empty `select`: all
    std::vector<int>         phases{};                 ///< empty: all; 2 is P2
    bool unsafe = false;  ///< also repairs that choose a value for the author or change what is simulated
    std::optional<double> assume_meters{};   ///< what an unauthored metersPerUnit means
    std::optional<char>   assume_up_axis{};  ///< 'Y' or 'Z': what an unauthored upAxis means
    /// Of assetInfo; where these are empty, "urn:mechane:<default prim>" and "0.1.0" are written and reported.
    std::string identifier{}, version{};
    bool        localize = true;  ///< copy relative files from outside the asset's folder into ./deps
    /// The result goes to another place: it takes in every file that it needs, also where the repair that does so was
    /// left out. False where it replaces the asset.
    bool stands_alone = true;
    bool each_variant = false;  ///< also what is found with each other variant selected
    bool new_files    = true;   ///< repairs may make, rename and remove files of the asset
    bool divide       = false;  ///< an asset of one layer becomes layers by what they say, as `phases` with P8 does
    /// Name of a layer ("fixes.usda") that gets every edit as an opinion over the asset; the asset's layers stay as
    /// they are. Repairs that need more than opinions are left out. Empty: layers are edited.
    std::string overlay{};
    /// For results that replace the asset's own files: layers that other assets around it use too stay as they are
    /// where the repair would change those assets.
    bool spare_others = false;
    /// What two files simulate otherwise, in words, or nothing. Other assets are compared with it; without it only by
    /// where things are.
    std::function<std::string(const std::string& before, const std::string& after)> differs{};
};

/// One change of one field.
struct FixEdit {
    const Rule* rule  = nullptr;
    Phase       phase = Phase::schemas;
    std::string layer{};  ///< relative to the asset's folder
    std::string path{};   ///< of the spec
    std::string field{};
    std::string before{}, after{};  ///< as usda would write them; empty for nothing
};

/// What could not be repaired, and why.
struct Unrepaired {
    const Rule* rule = nullptr;
    std::string prim, property;
    std::string reason;  ///< stable word: "shear", "no-units", "unsafe", "mirrored-body", "external-layer", ...
    std::string message;
    bool        remark   = false;            ///< the finding was repaired; the author should know this of it
    Severity    severity = Severity::error;  ///< of the finding
    std::string layer    = {};               ///< of the finding, relative to the asset's folder
};

/// A file of the repaired asset.
struct FixedFile {
    std::string name;               ///< relative to the asset's folder
    std::string source;             ///< of the original; empty for a new file
    bool        changed   = false;  ///< differs from the original, or is new
    bool        rewritten = false;  ///< text that was written anew as a whole: its comments and layout are gone
    bool        comments_lost = false;  ///< fewer comments than the original: they stood at what was moved or taken out
};

struct FixResult {
    std::string             folder;  ///< that holds the repaired asset
    std::string             entry;   ///< its entry layer, relative to `folder`
    std::vector<FixEdit>    edits;
    std::vector<Unrepaired> left;  ///< by rule and prim: every finding of `after`, and remarks
    std::vector<FixedFile>  files;
    std::vector<FixedFile>  removed;  ///< files of the original whose content went to others
    Report                  after;    ///< of the repaired asset
    Diagnostics             found;    ///< FIX_OTHERS
};

/// Repairs a copy of an asset. Sources are only read. The copy lies below `work_folder`, which exists and is empty; of
/// the asset's folder exactly the files that it needs are copied, unedited ones byte by byte.
///
/// Every finding of the check is offered to the repair of its rule, phase by phase, until a pass changes nothing. After
/// each pass world placements of geometry, bodies and joint frames are compared with those before (1e-5 relative): a
/// repair that would move something is taken back and reported ("would-move").
/// @error STAGE_OPEN_FAILED, CHECK_OPTION, FIX_WORK_FOLDER, FIX_PACKAGE, FIX_OUTSIDE
Result<FixResult> fix(const std::string& asset, const std::string& work_folder, const FixOptions& options);

/// A copy of an asset whose entry layer was edited by the caller; the rest of it is as it was, and text keeps what the
/// edit does not touch. With `overlay` the edit goes to a layer of that name over the asset.
/// @param stands_alone  see FixOptions
/// @error STAGE_OPEN_FAILED, FIX_WORK_FOLDER, FIX_PACKAGE, FIX_OUTSIDE, and what `edit` fails with
Result<FixResult> edit_entry(const std::string& asset, const std::string& work_folder, const std::string& overlay,
                             bool stands_alone, const std::function<Result<void>(usd::Layer& entry)>& edit);

/// `fix-report.json`, `mechane.fix/1`.
std::string to_json(const FixResult& result);

}  // namespace mechane::conformance
