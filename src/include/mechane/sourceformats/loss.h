#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/diagnostic.h"

/// What a conversion did with what the source says.
namespace mechane::sourceformats {

enum class LossAction { kept, converted, approximated, merged, renamed, dropped };
std::string_view to_string(LossAction action) noexcept;

/// One value of the source that is not simply the same in the result.
struct Loss {
    std::string code;  ///< short, stable: "unread-element", "frame-shift"
    Severity    severity = Severity::info;
    LossAction  action   = LossAction::dropped;
    std::string
         category;     ///< kinematics, inertia, collision, contact, actuation, visual, material, light, ros, metadata
    Site site;         ///< file and line of the source, prim and property of the result where there is one
    std::string what;  ///< "robot/joint 'elbow'/safety_controller"
    std::string source_value, target_value;
    std::string reason;
    bool        motion = false;  ///< the robot moves in another way; whoever opens the source is told
};

struct LossReport {
    std::string                        source, target, target_version;
    std::map<std::string, std::string> names;  ///< source name -> name in the result, where they differ
    std::vector<Loss>                  entries;
    std::size_t                        kept = 0;  ///< values that are the same in the result

    void                      add(Loss loss) { entries.push_back(std::move(loss)); }
    [[nodiscard]] std::size_t count(LossAction action) const;
    [[nodiscard]] std::size_t count(Severity severity) const;
    /// The worst severity, info where nothing was lost.
    [[nodiscard]] bool at_least(Severity severity) const;
};

/// Codes of entries that stand for a fault of the source, which a finding tells as well: "source-mesh-missing".
inline constexpr std::string_view kFaultPrefix = "source-";
inline bool                       is_fault(const Loss& loss) { return loss.code.starts_with(kFaultPrefix); }

/// `mechane.loss/1`: docs/convert.md. Entries lie in the order of the source's lines.
std::string to_json(const LossReport& report);
std::string to_text(const LossReport& report, std::size_t most = 40);

}  // namespace mechane::sourceformats
