// Which differences a loss report announces, by the code of its entry.
// A conversion writes a report of what it kept, approximated or dropped; each entry carries a code such as "mimic" or
// "locked-joint". The comparison of the result with the original then finds differences. One that an entry explains is
// told as expected, and only the others make two robots different.
// Input: an entry, a quantity and a field of it. Output: whether the entry covers them.
// The table errs towards silence: a code without a line announces nothing, so that a new loss shows up as a difference
// in the tests of round trips before anyone can overlook it.
// Called by Matching (robots) and SceneComparer (models).

#include "difference/announcements.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <vector>

namespace mechane::difference {
namespace {

namespace sf = sourceformats;

/// One quantity, and of it the fields that are listed, separated by '|'; empty: all of them.
struct Value {
    Quantity         quantity;
    std::string_view fields{};
};
using Values = std::vector<Value>;

/// Compares whole words between the bars, so that "target" is not found within "target speed".
bool lists(std::string_view fields, std::string_view wanted)
{
    if (fields.empty()) return true;
    for (std::size_t begin = 0; begin <= fields.size();) {
        const std::size_t end = std::min(fields.find('|', begin), fields.size());
        if (fields.substr(begin, end - begin) == wanted) return true;
        begin = end + 1;
    }
    return false;
}

/// By code. What no entry stands for announces nothing, so that a new code needs its line here.
const std::map<std::string_view, Values>& table()
{
    using Q = Quantity;
    static const Values masses{{Q::mass}, {Q::center_of_mass}, {Q::inertia}};
    // Links that become one, or stand for the world: masses go with them, and so do the link and its joint.
    static const Values merged{{Q::mass},    {Q::center_of_mass},
                               {Q::inertia}, {Q::frame, "link|position|rotation"},
                               {Q::joint},   {Q::state, "kinematic|asleep"},
                               {Q::pair},    {Q::kinematics}};
    // A joint that becomes other joints.
    static const Values structure{{Q::joint},
                                  {Q::limit},
                                  {Q::gain},
                                  {Q::passive},
                                  {Q::mimic},
                                  {Q::loop},
                                  {Q::pair},
                                  {Q::kinematics},
                                  {Q::state, "initial speed|initial position"},
                                  {Q::frame, "link|position|rotation"}};
    // A joint whose axis looks another way.
    static const Values axis{
        {Q::joint, "axis"}, {Q::limit, "lower limit|upper limit"},       {Q::gain, "target|target speed"}, {Q::mimic},
        {Q::kinematics},    {Q::state, "initial speed|initial position"}};
    static const Values limits{{Q::limit, "lower limit|upper limit|second upper limit"}, {Q::kinematics}};
    static const Values follows{{Q::mimic}, {Q::kinematics}};
    static const Values gains{{Q::gain, "stiffness|drive damping|target|target speed"}};
    static const Values drive{{Q::gain}};
    static const Values form{{Q::collider}, {Q::visual}, {Q::pair}};
    static const Values seen{{Q::visual}};
    static const Values names{{Q::frame, "link|site|camera"}, {Q::joint, "joint"}, {Q::mimic, "leader"}};
    static const std::map<std::string_view, Values> out{
        {"computed-inertia", masses},
        {"repaired-inertia", masses},
        {"told-inertia", {{Q::inertia}}},
        {"default-inertial", masses},
        {"default-mass", masses},
        {"frame-mass", merged},
        {"inertia-widened", {{Q::inertia}}},
        {"mass-from-shapes", masses},
        {"massless-root", merged},
        {"merged-frame", merged},
        {"merged-mass", merged},
        {"missing-mass", masses},
        {"static-body", merged},
        {"zero-inertial", merged},
        {"kinematic-base", merged},
        {"world-link", merged},
        {"world-name", names},
        {"name", names},
        // links and joints
        {"floating-joint", {{Q::joint}, {Q::frame}}},
        {"frame-shift", {{Q::frame, "position|rotation"}}},
        {"inconsistent-pose",
         {{Q::frame, "position|rotation"}, {Q::joint, "pivot|axis"}, {Q::kinematics}, {Q::state, "initial position"}}},
        {"root-pose", {{Q::frame, "position|rotation"}}},
        {"start-pose", {{Q::frame, "position|rotation"}, {Q::state, "initial position"}}},
        {"zero-position",
         {{Q::center_of_mass},
          {Q::inertia},
          {Q::frame, "position|rotation"},
          {Q::joint, "axis|pivot"},
          {Q::limit, "lower limit|upper limit"},
          {Q::mimic, "offset"},
          {Q::kinematics},
          {Q::collider, "bounds"},
          {Q::visual, "bounds"},
          {Q::state, "initial position"}}},
        {"several-trees", {{Q::frame, "link|position|rotation"}, {Q::joint, "joint"}}},
        {"locked-joint", structure},
        {"axes-not-orthogonal", structure},
        {"axis-left-out", structure},
        {"ball-joint", structure},
        {"disabled-joint", structure},
        {"gearbox", structure},
        {"joint-order", structure},
        {"joint-pivots", structure},
        {"joint-reference", structure},
        {"joints-merged", structure},
        {"screw", structure},
        {"several-axes", structure},
        {"static-joint", structure},
        {"loop-joint", {{Q::loop}, {Q::pair}}},
        {"min-distance", {{Q::limit, "least distance"}}},
        {"axis-direction", axis},
        {"planar",
         {{Q::joint, "axis"},
          {Q::limit, "lower limit|upper limit"},
          {Q::gain, "target|target speed"},
          {Q::kinematics},
          {Q::state, "initial speed|initial position"}}},
        {"turned", axis},
        {"cone", limits},
        {"continuous-limits", limits},
        {"one-sided-limit", limits},
        {"ball-range", limits},
        {"limit-default", {{Q::limit, "speed limit"}, {Q::gain, "largest force"}}},
        {"velocity-limit", {{Q::limit, "speed limit"}}},
        {"limit-stiffness", {{Q::limit, "limit stiffness|limit damping"}}},
        {"break-force", {{Q::limit, "break force|break torque"}}},
        {"mimic", follows},
        {"joint-equality", follows},
        {"inactive-equality", follows},
        {"polynomial-equality", follows},
        // passive values and drives
        {"armature", {{Q::passive, "armature"}}},
        {"ball-damping", {{Q::passive, "damping"}}},
        {"ball-friction", {{Q::passive, "friction"}}},
        {"shared-values", {{Q::passive}, {Q::limit, "speed limit"}}},
        {"free-joint-values", {{Q::passive}}},
        {"spring", {{Q::passive, "damping|spring stiffness"}, {Q::gain, "stiffness|drive damping|target"}}},
        {"springdamper", {{Q::passive, "damping|spring stiffness"}, {Q::gain, "stiffness|drive damping|target"}}},
        {"drive", gains},
        {"drive-effort", {{Q::gain, "largest force"}}},
        {"drive-target", {{Q::gain, "target|target speed"}}},
        {"acceleration-drive", {{Q::gain, "stiffness|drive damping|target|target speed"}}},
        {"actuator", drive},
        {"actuator-target", drive},
        {"dampratio", {{Q::gain, "drive damping"}}},
        {"drives-merged", drive},
        // what is animated
        {"animation",
         {
             {Q::state,
              "animated position|animated orientation|animated target|animated target speed|animated mass|animated "
              "lower "
              "limit|animated upper limit|animated stiffness|animated drive damping|animated largest force"},
         }},
        {"gravity-animation", {{Q::scene, "animated gravity"}}},
        // how bodies start
        {"velocity", {{Q::state, "initial velocity|initial angular velocity"}}},
        {"joint-velocity", {{Q::state, "initial speed"}}},
        {"kinematic",
         {{Q::state, "kinematic|initial velocity|initial angular velocity"}, {Q::mass}, {Q::joint, "base"}}},
        {"asleep", {{Q::state, "asleep"}}},
        // shapes
        {"concave", form},
        {"convex-hull", form},
        {"decomposition", form},
        {"geom-type", form},
        {"height-field", form},
        {"mesh-faces", form},
        {"mesh-winding", form},
        {"plane", form},
        {"shape", form},
        {"shape-kind", form},
        {"small-mesh", form},
        {"submesh", form},
        {"two-radii", form},
        {"uneven-scale", seen},
        {"world-shapes", {{Q::collider}, {Q::visual}, {Q::pair}}},
        {"sensing-collider", {{Q::collider}, {Q::pair}}},
        {"default-contact", {{Q::contact}}},
        {"bounce-threshold", {{Q::contact, "restitution"}}},
        {"friction", {{Q::contact, "friction|static friction"}}},
        {"restitution", {{Q::contact, "restitution"}}},
        {"torsional-friction", {{Q::contact, "torsional friction"}}},
        {"rolling-friction", {{Q::contact, "rolling friction"}}},
        {"combine-rule", {{Q::contact, "friction of two materials|restitution of two materials"}}},
        {"surface-velocity", {{Q::contact, "surface velocity|surface angular velocity"}}},
        {"contact-margin", {{Q::contact, "margin"}}},
        {"contact-gap", {{Q::contact, "gap"}}},
        {"contact-stiffness", {{Q::contact, "stiffness|damping|friction gain|adhesion"}}},
        // Values that are compared nowhere: those that a simulation here feels are marked with `motion`.
        {"vendor-value", {}},
        {"vendor-default", {}},
        {"body-damping", {}},
        {"hydroelastic", {{Q::contact, "hydroelastic|hydroelastic stiffness"}}},
        {"static-friction", {{Q::contact, "static friction"}}},
        {"two-frictions", {{Q::contact, "friction|static friction"}}},
        // what may touch
        {"filtered-pair", {{Q::pair}}},
        {"collision-groups", {{Q::pair}}},
        {"collision-pair", {{Q::pair}}},
        {"self-collision", {{Q::pair}}},
        // frames and the rest
        {"site", {{Q::frame, "site"}}},
        {"connect-sites", {{Q::frame, "site"}}},
        {"sensor", {{Q::frame, "site"}}},
        {"camera", {{Q::frame, "camera"}}},
        {"soft", {{Q::soft}, {Q::collider}, {Q::visual}, {Q::pair}}},
        {"gravity", {{Q::scene, "gravity"}}},
        {"no-word", {{Q::frame, "site|camera"}, {Q::pair}}},
    };
    return out;
}

}  // namespace

/// An entry that says "kept" promises that nothing changed, and excuses nothing. One of severity error is believed all
/// the same: what failed to be written differs whatever became of it.
bool announces(const sf::Loss& loss, Quantity quantity, std::string_view field)
{
    if (loss.action == sf::LossAction::kept && loss.severity != Severity::error) return false;
    const auto known = table().find(loss.code);
    return known != table().end() && std::any_of(known->second.begin(), known->second.end(), [&](const Value& v) {
               return v.quantity == quantity && lists(v.fields, field);
           });
}

/// Used to explain a rollout that diverges: one entry of which the values are compared may be the cause, and so may
/// one of which no value is compared. The categories that only a viewer sees are not a cause.
bool changes_motion(const sf::Loss& loss)
{
    // The robot was read without what is at fault, so both sides lack it.
    if (sf::is_fault(loss)) return false;
    if (loss.motion || loss.code == "root-pose" || loss.code == "missing-mass") return true;
    if (loss.action != sf::LossAction::approximated && loss.action != sf::LossAction::dropped) return false;
    for (const std::string_view category : {"visual", "material", "light", "ros", "metadata"})
        if (loss.category == category) return false;
    const auto known = table().find(loss.code);
    // What is not compared value by value (a tendon, an actuator of a body) moves the robot all the same.
    return known == table().end() || std::any_of(known->second.begin(), known->second.end(), [](const Value& v) {
               return v.quantity != Quantity::visual && v.quantity != Quantity::frame;
           });
}

std::string announced_by_name(const sf::LossReport* losses, Quantity quantity, std::string_view field,
                              const std::vector<std::string>& names)
{
    if (losses == nullptr) return {};
    for (const sf::Loss& loss : losses->entries) {
        if (!announces(loss, quantity, field)) continue;
        const bool all   = loss.what.find('\'') == std::string::npos && !loss.what.starts_with('/');
        const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return loss.what.find("'" + name + "'") != std::string::npos || loss.what.ends_with("/" + name) ||
                   loss.site.prim.ends_with("/" + name);
        });
        if (all || named) return fmt::format("{} {}: {}", loss.code, sf::to_string(loss.action), loss.reason);
    }
    return {};
}

}  // namespace mechane::difference
