// Which losses of a first half of a conversion the second half has taken back.
// Source and result are compared without shapes, and each entry that may be undone stays only where a difference needs
// it. Entries of values that are not compared (names, joints of one body, free joints) are looked up by themselves.

#include "mechane/difference/restored.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/difference/compare.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::difference {
namespace {

namespace sf = sourceformats;

/// By code: losses of which OpenUSD's customData keeps what they are about.
constexpr std::string_view kUndone[] = {"axis-direction", "axis-left-out", "floating-joint", "shared-values",
                                        "static-body"};
/// By code: masses that another link of the same piece has taken over.
constexpr std::string_view kMasses[] = {"frame-mass", "merged-mass"};
/// By code: losses of joints of several axes, of which a hint beside each axis keeps what MJCF says.
constexpr std::string_view kPlaces[] = {"axes-not-orthogonal", "joint-order", "joint-pivots", "joint-reference"};

/// By code: values of MuJoCo's layer of which each writer says what becomes of them.
constexpr std::string_view kToldByWriters[] = {"equality", "flag",   "fluid",  "gravcomp", "gravity",
                                               "grid",     "sensor", "spring", "tendon"};

/// By code: entries of a whole element, of which each value is counted for itself.
constexpr std::string_view kElements[] = {
    "axes-not-orthogonal", "axis-left-out",  "equality",    "floating-joint", "frame-mass",
    "inactive-equality",   "joint-equality", "joint-order", "joint-pivots",   "joint-reference",
    "joints-merged",       "merged-frame",   "merged-mass", "sensor",         "tendon"};

template <std::size_t N>
bool is_listed(const std::string_view (&codes)[N], std::string_view code)
{ return std::find(std::begin(codes), std::end(codes), code) != std::end(codes); }

/// Names of the robot, its links and joints; of axes too where wanted.
std::set<std::string> names_in(const sf::RobotTree& tree, bool axes)
{
    std::set<std::string> out{tree.name};
    for (const sf::Link& l : tree.links) out.insert(l.name);
    for (const sf::Joint& j : tree.joints) {
        out.insert(j.name);
        if (axes)
            for (const sf::Dof& d : j.dofs) out.insert(d.name);
    }
    return out;
}

std::string text_of(const std::vector<sf::Extra>& extras, std::string_view name)
{
    for (const sf::Extra& e : extras)
        if (e.name == name) return e.text;
    return {};
}

/// What resists the free joint of a link, as its source has it; empty: nothing.
std::string resists(const sf::RobotTree& tree, std::string_view link)
{
    for (const sf::Link& l : tree.links)
        if (l.name == link) return text_of(l.extras, sf::hints::kPassive);
    return {};
}

/// The joint of this name, or with an axis of it.
const sf::Joint* joint_with(const sf::RobotTree& tree, std::string_view name)
{
    for (const sf::Joint& j : tree.joints)
        if (j.name == name ||
            std::any_of(j.dofs.begin(), j.dofs.end(), [&](const sf::Dof& d) { return d.name == name; }))
            return &j;
    return nullptr;
}

/// Whether both robots say the same of where the source has the axes of a joint, and in which order. What is named is
/// one axis, or the joint: then all that the result has.
bool axes_told(const sf::RobotTree& from, const sf::RobotTree& to, std::string_view name)
{
    const sf::Joint *one = joint_with(from, name), *two = joint_with(to, name);
    // The joint may be called otherwise, and its axes are not.
    if (two == nullptr && one != nullptr && !one->dofs.empty()) two = joint_with(to, one->dofs.front().name);
    if (one == nullptr || two == nullptr || two->dofs.empty()) return false;
    auto x = one->dofs.begin();
    for (const sf::Dof& y : two->dofs) {
        x = std::find_if(x, one->dofs.end(), [&](const sf::Dof& d) { return d.name == y.name; });
        if (x == one->dofs.end()) return false;
        const std::string place = text_of(x->extras, sf::hints::kPlace);
        if ((one->name == name || y.name == name) && (place.empty() || place != text_of(y.extras, sf::hints::kPlace)))
            return false;
    }
    return true;
}

/// The mass that the source says of a link; 0: none [kg].
double own_mass(const sf::RobotTree& tree, std::string_view link)
{
    for (const sf::Link& l : tree.links)
        if (l.name == link) return l.inertial && !l.weightless ? l.inertial->mass : l.unused ? l.unused->mass : 0;
    return 0;
}

bool has_joint(const sf::RobotTree& tree, std::string_view name)
{
    return std::any_of(tree.joints.begin(), tree.joints.end(), [&](const sf::Joint& j) { return j.name == name; });
}

/// The last name in quotes: "joint 'root' of body 'torso'".
std::string last_quoted(const std::string& what)
{
    const std::size_t end   = what.rfind('\''),
                      begin = end == std::string::npos || end == 0 ? end : what.rfind('\'', end - 1);
    return begin == end || begin == std::string::npos ? std::string() : what.substr(begin + 1, end - begin - 1);
}

/// Whether a body of the result still says that this joint left it free.
bool floats_by(const sf::RobotTree& tree, const std::string& joint)
{
    return std::any_of(tree.links.begin(), tree.links.end(), [&](const sf::Link& l) {
        return text_of(l.extras, sf::hints::kFloating).find(joint) != std::string::npos;
    });
}

/// Whether the result has an axis, and its joint is that of the source with all its axes.
bool is_axis_of_source(const sf::RobotTree& tree, const std::string& axis)
{
    const sf::Joint* joint = joint_with(tree, axis);
    return joint != nullptr && joint->as_in_source;
}

/// Joints of one body that were merged into one, all of which are axes of one joint again.
bool is_parted(const sf::Loss& loss, const std::set<std::string>& names)
{
    constexpr std::string_view kBefore = "joints ";
    if (!loss.what.starts_with(kBefore)) return false;
    for (std::size_t begin = kBefore.size(); begin < loss.what.size();) {
        const std::size_t end = std::min(loss.what.find(", ", begin), loss.what.size());
        if (!names.contains(loss.what.substr(begin, end - begin))) return false;
        begin = end + 2;
    }
    return true;
}

bool stands_in_layer(const sf::Loss& loss)
{
    return loss.action == sf::LossAction::converted &&
           (loss.code == "sensor" || loss.code == "equality" || loss.code == "joint-equality" ||
            loss.code == "inactive-equality" || loss.code == "grid" || loss.target_value.starts_with("Mjc") ||
            loss.target_value.starts_with("mjc:"));
}

}  // namespace

std::size_t correct_restored(sf::LossReport& losses, const sf::RobotTree& from, const sf::RobotTree& to,
                             exporter::Format format)
{
    const bool        mjcf = format == exporter::Format::mjcf;
    std::vector<bool> needed(losses.entries.size(), true);
    if (std::any_of(losses.entries.begin(), losses.entries.end(),
                    [](const sf::Loss& loss) { return is_listed(kUndone, loss.code); })) {
        CompareOptions options;
        options.losses = &losses;
        options.needed = &needed;
        options.only   = {Quantity::mass,  Quantity::center_of_mass, Quantity::inertia,   Quantity::frame,
                          Quantity::joint, Quantity::limit,          Quantity::gain,      Quantity::passive,
                          Quantity::mimic, Quantity::loop,           Quantity::kinematics};
        std::fill(needed.begin(), needed.end(), false);
        compare(from, to, options);
    }
    const std::set<std::string> names = names_in(to, false), axes = names_in(to, true);
    std::size_t                 n = 0, values = 0;
    std::vector<sf::Loss>       kept;
    for (sf::Loss& loss : losses.entries) {
        const bool is_needed = needed[n++];
        bool       gone      = is_listed(kUndone, loss.code) && !is_needed;
        if (loss.code == "name" && loss.action == sf::LossAction::renamed && names.contains(loss.source_value)) {
            gone = true;
            losses.names.erase(loss.source_value);
        }
        if (loss.code == "joints-merged") gone = mjcf && is_parted(loss, axes);  // others have one name for all axes
        const std::string name = last_quoted(loss.what);
        if (loss.code == "axis-left-out") gone = mjcf && is_axis_of_source(to, name);
        // A link without mass and shapes stays where it is, whether a joint left it free or not.
        if (loss.code == "floating-joint") gone = gone && floats_by(to, name);
        if (is_listed(kMasses, loss.code)) {
            const double one = own_mass(from, name), two = own_mass(to, name);
            gone = one > 0 && std::abs(one - two) <= 1e-5 * one;
        }
        if (loss.code == "merged-frame")  // which is one in SDFormat, too
            gone = format != exporter::Format::sdformat && has_joint(to, name);
        if (loss.code == "kinematic-base")
            gone = format != exporter::Format::urdf &&
                   std::ranges::any_of(to.links, [&](const sf::Link& l) { return l.kinematic && l.name == name; });
        if (is_listed(kPlaces, loss.code)) gone = mjcf && axes_told(from, to, name);
        if (loss.code == "free-joint-values")
            gone = mjcf && !resists(from, name).empty() && resists(from, name) == resists(to, name);
        if (mjcf && (stands_in_layer(loss) || loss.code == "dampratio")) gone = true;
        if (stands_in_layer(loss) && is_listed(kToldByWriters, loss.code)) gone = true;
        if (!gone && stands_in_layer(loss)) {
            loss.action = sf::LossAction::dropped;
            loss.target_value.clear();
            loss.reason = "only MJCF and MuJoCo's layer of OpenUSD can express it";
        }
        values += gone && !is_listed(kElements, loss.code) ? 1 : 0;
        if (!gone) kept.push_back(std::move(loss));
    }
    losses.entries = std::move(kept);
    return values;
}

}  // namespace mechane::difference
