// What a model of MJCF has and a robot of OpenUSD cannot hold: each is a loss of its own, with what it changes.
#include <fmt/format.h>

#include <map>

#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {
namespace {

// `motion` marks what changes how the robot moves: it is told on the terminal, not only in the report.
struct LeftOut {
    const char* code;
    Severity    severity;
    const char* category;
    bool        motion;
    const char* reason;
};

/// By element; those within it go with it.
const std::map<std::string_view, LeftOut>& table()
{
    static constexpr const char* kMade =
        "MuJoCo makes bodies, joints and shapes of it when it compiles, and none of them is read; mj_saveLastXML "
        "writes "
        "the model with them, which can be converted";
    static constexpr const char* kSoft =
        "soft bodies of MuJoCo are not read; a mesh with the deformable schemas of OpenUSD says the same";
    static const std::map<std::string_view, LeftOut> out{
        {"composite", {"composite", Severity::error, "kinematics", true, kMade}},
        {"flexcomp", {"flex", Severity::error, "kinematics", true, kSoft}},
        {"flex", {"flex", Severity::error, "kinematics", true, kSoft}},
        {"skin",
         {"skin", Severity::warning, "visual", false,
          "a skin over bodies is not read; the shapes of the bodies are what is seen"}},
        {"plugin",
         {"plugin", Severity::warning, "actuation", true,
          "what a plug-in computes is known to MuJoCo's process alone"}},
        {"pair",
         {"contact-pair", Severity::warning, "contact", true,
          "OpenUSD cannot express values of one pair of shapes; those of the shapes count, and so do their classes"}},
        {"visual", {"viewer-settings", Severity::info, "visual", false, "it is how MuJoCo's own viewer draws"}},
        {"statistic", {"viewer-settings", Severity::info, "visual", false, "it is how MuJoCo's own viewer draws"}},
        {"size", {"memory", Severity::info, "metadata", false, "it is how much memory MuJoCo takes"}},
        {"custom",
         {"custom-data", Severity::warning, "metadata", false, "what it means is known to its program alone"}},
    };
    return out;
}

}  // namespace

// After everything has been read, what no reader used is told by kind. Elements within it are not told again.
void MjcfReader::leave_out(const XmlElement& e, const std::string& above)
{
    const std::string* named = e.peek("name");
    const std::string  name  = named != nullptr ? *named : std::string();
    const std::string  here  = above + (above.empty() ? "" : "/") + e.name + (name.empty() ? "" : " '" + name + "'");
    // Sensors and equalities that were read are used; what is left of them is of a kind that USD cannot hold.
    if (above == "mujoco/sensor" || above == "mujoco/equality") {
        if (e.used || (above == "mujoco/equality" && !e.name.starts_with("flex") && e.name != "tendon")) return;
        const bool sensor = above == "mujoco/sensor";
        s_.losses.add({sensor ? "sensor" : "equality",
                       sensor ? Severity::warning : Severity::error,
                       LossAction::dropped,
                       sensor ? "ros" : "kinematics",
                       site_of(e.place),
                       fmt::format("{} '{}'", sensor ? "sensor" : "equality", name),
                       e.name,
                       {},
                       sensor ? "USD cannot express what a sensor measures; a simulation gives it as an observation"
                              : "no joint of OpenUSD holds it",
                       !sensor});
        return e.use_all();
    }
    if (const auto row = table().find(e.name); row != table().end() && !e.used) {
        const LeftOut& r = row->second;
        s_.losses.add(
            {r.code, r.severity, LossAction::dropped, r.category, site_of(e.place), here, {}, {}, r.reason, r.motion});
        return e.use_all();
    }
    if (above == "mujoco" && (e.name == "sensor" || e.name == "deformable" || e.name == "extension")) e.used = true;
    if (e.name == "default") return;  // classes are told where somebody has them
    for (const XmlElement& c : e.children) leave_out(c, here);
}

}  // namespace mechane::sourceformats
