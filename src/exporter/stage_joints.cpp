// Joints of a stage for robot formats: frames, limits, drives and the coordinates in which the stage stands.
// Results are in SI and radians; what the formats cannot say is told as lost.
// In: physics::Joint in stage units (lengths in metersPerUnit, angles in degrees). Out: metres, radians, N, N m;
// frames X_PJ in the parent link and X_CJ in the child link, axes in the joint's frame.
// Hints (sf::hints, customData) are what a conversion from URDF, MJCF or SDFormat left in the stage because OpenUSD
// has no word for it. They are used only where the stage still agrees with them, so that an edit of the stage wins.
// Called by StageReader::read; arrange() sorts and turns the joints afterwards.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "exporter/stage_reader.h"
#include "mechane/geometry/mass.h"
#include "mechane/physics/anchor_gap.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/sourceformats/hints.h"
#include "physics/beside_trees.h"

namespace mechane::exporter {
namespace {

namespace hints = sourceformats::hints;
using physics::JointKind;

std::string name_of(const usd::Prim& prim)
{
    const auto named = prim.attribute("ros:joint:name").authored_as<std::string>();
    return named && !named->empty() ? *named : prim.name().text();
}

Vec3d axis_of(physics::Dof dof)
{
    const int first = static_cast<int>(physics::is_rotation(dof) ? physics::Dof::rot_x : physics::Dof::trans_x);
    return axis_vector<double>(static_cast<int>(dof) - first);
}

/// A name of kDofs that stands for an axis that OpenUSD's joint does not have.
constexpr std::string_view kLeftOut = "out:";

/// Numbers of a list as text: "[1, -inf, 2]".
std::vector<double> numbers_in(const std::string& text)
{
    std::vector<double> out;
    for (const char* at = text.c_str(); *at != 0;) {
        char*        end = nullptr;
        const double v   = std::strtod(at, &end);
        if (end == at)
            ++at;
        else
            out.push_back(v), at = end;
    }
    return out;
}

/// What a conversion from MJCF left of a joint of several axes (`hints::kDofs`, `kPassive`, `kExtras`): names, order
/// and directions of its axes, exact values of each, and axes that OpenUSD's joint has no place for.
class SourceAxes {
  public:
    SourceAxes(const usd::Prim& prim, sf::Joint& joint) : prim_(prim), joint_(joint) {}

    /// Nothing where the joint no longer has the axes that the source had.
    void apply()
    {
        names_   = hints::read<std::vector<std::string>>(prim_, hints::kDofs).value_or(std::vector<std::string>());
        passive_ = hints::read<std::vector<double>>(prim_, hints::kPassive).value_or(std::vector<double>());
        const auto is_out = [](const std::string& name) { return name.starts_with(kLeftOut); };
        if (names_.size() != joint_.dofs.size() + static_cast<std::size_t>(std::ranges::count_if(names_, is_out)) ||
            names_.empty())
            return;
        if (passive_.size() != 3 * names_.size()) passive_.clear();
        by_axis_ = std::ranges::any_of(prim_.authored_property_names(), [](const usd::Token& name) {
            return !resolve::shared_attribute(name.text()).empty();
        });
        for (std::size_t n = 0; n < names_.size(); ++n)
            if (is_out(names_[n]))
                left_out(n);
            else if (!place(n))
                return;
        joint_.dofs     = std::move(sorted_);
        joint_.left_out = std::move(left_out_);
        if (const auto all = hints::read<std::vector<std::string>>(prim_, hints::kExtras)) extras(*all);
    }

  private:
    const usd::Prim&                             prim_;
    sf::Joint&                                   joint_;
    std::vector<std::string>                     names_;
    std::vector<double>                          passive_;  ///< three for each name, or none
    bool                                         by_axis_ = false;
    std::vector<sf::Dof>                         sorted_;
    std::vector<std::vector<sf::Extra>>          said_;  ///< of each of these: what the stage says of it
    std::vector<std::pair<std::size_t, sf::Dof>> left_out_;
    std::vector<std::pair<bool, std::size_t>>    whereabouts_;  ///< of each name: in which of the two lists

    [[nodiscard]] std::optional<double> passive(std::size_t n, std::size_t i) const
    { return passive_[3 * n + i] != 0 ? std::optional(passive_[3 * n + i]) : std::nullopt; }

    void left_out(std::size_t n)
    {
        sf::Dof one;
        one.name  = names_[n].substr(kLeftOut.size());
        one.place = one.limit_place = joint_.place;
        if (!passive_.empty()) one.damping = passive(n, 0), one.armature = passive(n, 1), one.friction = passive(n, 2);
        whereabouts_.emplace_back(true, left_out_.size());
        left_out_.emplace_back(n, std::move(one));
    }

    /// Each hint is "[-]axis:name": the name that the source gave the axis, and whether it ran the other way.
    bool place(std::size_t n)
    {
        std::string text  = names_[n];
        const bool  flips = text.starts_with("-");
        if (flips) text.erase(0, 1);
        const std::size_t colon = text.find(':');
        const auto dof = std::ranges::find(joint_.dofs, joint_.name + "_" + text.substr(0, colon), &sf::Dof::name);
        if (colon == std::string::npos || dof == joint_.dofs.end()) return false;
        whereabouts_.emplace_back(false, sorted_.size());
        sorted_.push_back(*dof);
        sf::Dof& one = sorted_.back();
        one.name     = text.substr(colon + 1);
        said_.push_back(std::move(one.extras));
        one.extras.clear();  // the hint has them all
        rests(one, n);       // the schemas have one value for all axes
        if (!flips) return true;
        // Turning an axis round changes the sign of position, limits (which change places) and targets; gains stay.
        one.axis = -one.axis;
        std::swap(one.lower, one.upper);
        one.lower = -one.lower, one.upper = -one.upper;
        if (one.drive) one.drive->target = -one.drive->target, one.drive->target_velocity = -one.drive->target_velocity;
        for (sf::Extra& extra : said_.back()) flip(extra);
        return true;
    }

    static void flip(sf::Extra& extra)
    {
        const bool range = extra.name.starts_with("mjc:actuatorfrcrange:");
        if (range) extra.name = extra.name.ends_with(":min") ? "mjc:actuatorfrcrange:max" : "mjc:actuatorfrcrange:min";
        if ((range || extra.name == "mjc:springref") && extra.text != "0")
            extra.text = extra.text.starts_with("-") ? extra.text.substr(1) : "-" + extra.text;
    }

    /// Where the stage says values of this axis alone they count: an edit is no rounding.
    void rests(sf::Dof& one, std::size_t n) const
    {
        if (passive_.empty()) return;
        const auto agrees = [&](const std::optional<double>& said, std::size_t i) {
            const double source = passive_[3 * n + i];
            return std::abs(said.value_or(0) - source) <= 1e-6 * std::abs(source);
        };
        if (by_axis_ && !(agrees(one.damping, 0) && agrees(one.armature, 1) && agrees(one.friction, 2))) return;
        one.damping = passive(n, 0), one.armature = passive(n, 1), one.friction = passive(n, 2);
    }

    /// Entries are "axis|name|type|text"; a malformed one, of an edited file, is passed over.
    void extras(const std::vector<std::string>& entries)
    {
        // Those of one axis stand for all there.
        std::erase_if(joint_.extras, [](const sf::Extra& e) { return e.name.starts_with("mjc:"); });
        for (const std::string& text : entries) {
            std::size_t              begin = 0;
            std::vector<std::string> parts;
            for (int i = 0; i < 3; ++i) {
                const std::size_t end = text.find('|', begin);
                if (end == std::string::npos) break;
                parts.push_back(text.substr(begin, end - begin));
                begin = end + 1;
            }
            if (parts.size() == 3 && !parts[0].empty() && parts[0].size() <= 3 &&
                parts[0].find_first_not_of("0123456789") == std::string::npos)
                extra(static_cast<std::size_t>(std::stoul(parts[0])), parts[1], parts[2], text.substr(begin));
        }
        for (std::size_t d = 0; d < joint_.dofs.size(); ++d)
            for (sf::Extra& said : said_[d]) edited(joint_.dofs[d], std::move(said));
    }

    void extra(std::size_t axis, const std::string& name, const std::string& type, const std::string& text)
    {
        if (axis >= whereabouts_.size()) return;
        const auto [out, at] = whereabouts_[axis];
        sf::Dof& dof         = out ? joint_.left_out[at].second : joint_.dofs[at];
        if (name != hints::kRange) {
            dof.extras.push_back({sf::Extra::Layer::mujoco, name, type, text, {}, dof.place});
        } else if (const auto range = numbers_in(text); out && range.size() == 3) {
            dof.angular = range[0] != 0;
            dof.lower = range[1], dof.upper = range[2];
        }
    }

    /// An attribute of one axis that says another value than the hint has been edited since. Where the hint has none
    /// the conversion has written the default, for the sake of the other axes.
    static void edited(sf::Dof& dof, sf::Extra said)
    {
        const auto kept = std::ranges::find(dof.extras, said.name, &sf::Extra::name);
        const auto unsaid =
            std::ranges::find_if(hints::kAxisDefaults, [&](const auto& row) { return row.first == said.name; });
        if (kept != dof.extras.end()) {
            if (!is_near(kept->text, said.text)) *kept = std::move(said);
        } else if (unsaid != std::end(hints::kAxisDefaults) && !is_near(unsaid->second, said.text)) {
            dof.extras.push_back(std::move(said));
        }
    }

    static bool is_near(const std::string& one, const std::string& two)
    {
        const auto x = numbers_in(one), y = numbers_in(two);
        if (x.empty() && y.empty()) return one == two;
        return std::ranges::equal(x, y, [](double u, double v) { return std::abs(u - v) <= 1e-6 * std::abs(u); });
    }
};

}  // namespace

void StageReader::read_joints()
{
    // Names of joints are unique in all three formats.
    std::set<std::string> taken;
    for (const sf::Joint& j : tree.joints) taken.insert(j.name);
    std::map<std::string, int> by_name;
    for (std::size_t l = 0; l < tree.links.size(); ++l) by_name.emplace(tree.links[l].name, static_cast<int>(l));
    std::vector<usd::Path> first_of(tree.joints.size());  // frames have made joints already, of no prim
    for (const physics::Joint& from : model.joints) {
        if (!from.valid || !from.enabled) {
            if (from.valid)
                lose("disabled-joint", Severity::warning, sf::LossAction::dropped, "kinematics", from.prim.site(),
                     fmt::format("joint '{}'", from.path.text()), "physics:jointEnabled = 0", {}, "it holds nothing");
            continue;
        }
        if (physics::couples_joints(from)) {
            lose("coupling", Severity::error, sf::LossAction::dropped, "kinematics", from.prim.site(),
                 fmt::format("{} '{}'", from.prim.type_name().text(), from.path.text()), {}, {},
                 "the joints that it couples move independently, here as in a simulation; say it by a mimic joint");
            continue;
        }
        sf::Joint to;
        to.name = name_of(from.prim);
        for (int i = 1; !taken.insert(to.name).second; ++i) to.name = fmt::format("{}_{}", name_of(from.prim), i);
        to.place        = place(from.prim.site());
        to.loop         = from.excluded;
        to.collide      = from.collision_enabled;
        const auto link = [&](physics::Index body) { return body == physics::kNone ? -1 : link_of_body[at(body)]; };
        to.parent = link(from.body0), to.child = link(from.body1);
        // Two bodies that are one link, or both the world: nothing moves between them.
        if (to.parent == to.child) continue;
        to.X_PJ = to.parent >= 0 ? in_body(from.frame0) : in_world(from.X_WF0);
        to.X_CJ = to.child >= 0 ? in_body(from.frame1) : in_world(from.X_WF1);
        world_side(from, to);
        vendor_values(from.prim, to.extras);
        joint_values(from, to);
        // Turning the joint round inverts its transform: with q unchanged the axes change their sign, and the order of
        // several axes is reversed ((AB)^-1 = B^-1 A^-1).
        const bool turned = to.child < 0;
        if (turned) {  // the world is never a child
            std::swap(to.parent, to.child);
            std::swap(to.X_PJ, to.X_CJ);
            for (sf::Dof& dof : to.dofs) dof.axis = -dof.axis;
            std::reverse(to.dofs.begin(), to.dofs.end());
        }
        // The link without mass that it hung on in the source.
        if (const auto hung = hints::read<std::string>(from.prim, hints::kParent))
            if (const auto l = by_name.find(*hung); l != by_name.end() && l->second != to.child) {
                // The joint's place in the world stays; only the link that it is told in changes.
                const Posed X_W = to.parent >= 0 ? tree.links[at(to.parent)].X_WL : Posed{};
                to.X_PJ         = inverse(tree.links[at(l->second)].X_WL) * X_W * to.X_PJ;
                to.parent       = l->second;
            }
        if (std::isfinite(from.break_force) || std::isfinite(from.break_torque))
            lose("break-force", Severity::warning, sf::LossAction::dropped, "kinematics", from.prim.site(),
                 fmt::format("joint '{}'", to.name), fmt::format("{} {}", from.break_force, from.break_torque), {},
                 "no format knows joints that break");
        if (joined(from, to, turned, first_of)) continue;
        joints[from.path] = static_cast<int>(tree.joints.size());
        first_of.push_back(from.path);
        tree.joints.push_back(std::move(to));
    }
}

/// Several hinges and slides between two bodies are one joint of as many axes, as simulations have it (import 3.8): a
/// body has one joint to its parent, and a second one would hold it like a loop.
/// @param turned    the ends were exchanged, so that the axes come in the opposite order
/// @param first_of  by joint of the tree: the prim that it was made of, or empty
/// @return whether `axis` is in another joint of the tree now
bool StageReader::joined(const physics::Joint& from, sf::Joint& axis, bool turned, std::vector<usd::Path>& first_of)
{
    using Kind           = sf::Joint::Kind;
    const auto is_simple = [](const sf::Joint& j) { return j.kind == Kind::revolute || j.kind == Kind::prismatic; };
    if (!is_simple(axis) || axis.loop || physics::is_equality(from)) return false;
    const auto into = std::ranges::find_if(tree.joints, [&](const sf::Joint& j) {
        const usd::Path& prim = first_of[static_cast<std::size_t>(&j - tree.joints.data())];
        return !prim.empty() && j.parent == axis.parent && j.child == axis.child && !j.loop &&
               (is_simple(j) || axes.contains(prim));
    });
    if (into == tree.joints.end()) return false;
    sf::Joint&       joint = *into;
    const usd::Path& first = first_of[static_cast<std::size_t>(into - tree.joints.begin())];
    if (const double apart = std::max(length(axis.X_PJ.p - joint.X_PJ.p), length(axis.X_CJ.p - joint.X_CJ.p));
        apart > 1e-6)
        lose("joint-anchor", Severity::warning, sf::LossAction::approximated, "kinematics", from.prim.site(),
             fmt::format("joint '{}'", axis.name),
             fmt::format("an anchor {:.3g} m from that of '{}'", apart, joint.name), "the anchor of that joint",
             "joints between the same two bodies are one joint, as in a simulation");
    sf::Dof dof = std::move(axis.dofs.front());
    dof.axis    = rotate(conjugate(joint.X_PJ.q) * axis.X_PJ.q, dof.axis);
    if (is_simple(joint)) axes[first] = joint.dofs.front().name;
    axes[from.path]   = dof.name;
    joints[from.path] = static_cast<int>(into - tree.joints.begin());
    joint.kind        = Kind::generic;
    joint.collide     = joint.collide && axis.collide;
    joint.dofs.insert(turned ? joint.dofs.begin() : joint.dofs.end(), std::move(dof));
    // Slides come before turns in a joint of several axes.
    std::ranges::stable_partition(joint.dofs, [](const sf::Dof& d) { return !d.angular; });
    return true;
}

/// Where an anchor of the world is no frame of a prim and the authored poses contradict it, the body stays where it is
/// and the anchor lies at its side, as simulations have it (docs/importer.md).
void StageReader::world_side(const physics::Joint& from, sf::Joint& to)
{
    if ((to.parent < 0) == (to.child < 0)) return;
    // An equality of MuJoCo pulls the body to where it is held.
    if (physics::is_equality(from)) return;
    const bool  first  = to.parent < 0;
    const Posed X_own  = first ? from.X_WF0 : from.X_WF1;
    const Posed X_body = first ? from.X_WF1 : from.X_WF0;
    if (!(first ? from.frame_body0 : from.frame_body1).empty()) return;
    if (!physics::anchor_gap(from, inverse(X_own) * X_body).is_contradiction(unit)) return;
    (first ? to.X_PJ : to.X_CJ) = in_world(X_body);
    lose("inconsistent-pose", Severity::warning, sf::LossAction::converted, "kinematics", from.prim.site(),
         fmt::format("joint '{}'", to.name), "a frame in the world that the pose of its body contradicts",
         "the pose of the body", "the body stays where it is authored, as in a simulation");
}

void StageReader::joint_values(const physics::Joint& from, sf::Joint& to)
{
    switch (from.kind) {
        case JointKind::fixed:
            to.kind = sf::Joint::Kind::fixed;
            return;
        case JointKind::revolute:
        case JointKind::prismatic:
            return single_axis(from, to);
        case JointKind::spherical: {
            to.kind = sf::Joint::Kind::ball;
            sf::Dof dof;
            dof.name  = to.name;
            dof.axis  = unit_vector(from.axis);
            dof.place = dof.limit_place = to.place;
            passive(from.prim, dof, {});
            told(from.prim, dof);
            if (from.cone_enabled) {
                const double a = from.cone_angle0, b = from.cone_angle1;
                dof.upper = std::max(a, b) * kRadians;
                if (a != b)
                    // The larger angle: a cone that is too wide loses less than a motion that is cut off.
                    lose("cone", Severity::warning, sf::LossAction::approximated, "kinematics", from.prim.site(),
                         fmt::format("joint '{}'", to.name), fmt::format("{} {} degrees", a, b),
                         fmt::format("{} degrees", std::max(a, b)), "one angle for both axes");
            }
            to.dofs.push_back(std::move(dof));
            return;
        }
        case JointKind::distance:
            to.kind  = sf::Joint::Kind::distance;
            to.reach = from.max_enabled ? unit * from.limit.upper : kInfinity;
            // A distance is no tree joint in any format.
            to.loop = true;
            if (from.min_enabled)
                lose("min-distance", Severity::warning, sf::LossAction::dropped, "kinematics", from.prim.site(),
                     fmt::format("joint '{}'", to.name), fmt::format("{} m", unit * from.limit.lower), {},
                     "only the largest distance is told");
            return;
        case JointKind::d6:
        case JointKind::custom:
            return generic_axes(from, to);
    }
}

void StageReader::passive(const usd::Prim& prim, sf::Dof& dof, std::string_view axis)
{
    resolve::Context c = context;
    c.motion           = dof.angular ? resolve::Motion::angular : resolve::Motion::linear;
    // Zero is the default of all of these, so that an authored zero says nothing.
    const auto put = [&](std::optional<double>& to, const resolve::Resolved& value) {
        if (value.authored() && value.number() && std::isfinite(*value.number()) && *value.number() != 0)
            to = *value.number();
    };
    const auto names = prim.authored_property_names();
    const bool own   = !axis.empty() && std::any_of(names.begin(), names.end(), [](const usd::Token& name) {
        return !resolve::shared_attribute(name.text()).empty();
    });
    const resolve::ResolverList of_axis =
        own ? resolve::for_axis(resolvers, axis, {names.begin(), names.end()}) : resolve::ResolverList();
    const resolve::ResolverList& list = own ? of_axis : resolvers;
    put(dof.armature, list.get(prim, resolve::Key::joint_armature, c));
    put(dof.friction, list.get(prim, resolve::Key::joint_friction, c));
    put(dof.velocity_limit, list.get(prim, resolve::Key::joint_velocity_limit, c));
    put(dof.damping, resolve::joint_damping(list, prim, c, {}, found));
    if (axis.empty() || (!std::isfinite(dof.lower) && !std::isfinite(dof.upper))) return;
    Diagnostics quiet;  // a simulation says what is wrong with a limit's gains
    const auto  gains = resolve::limit_gains(list, prim, axis, c, 0, 0, quiet);
    if (gains.authored) dof.limit_stiffness = gains.ke;
    if (gains.kd_source.authored() && gains.kd_source.number_or(-kInfinity) > -kInfinity) dof.limit_damping = gains.kd;
}

/// What the conversion of another format has left of the same values, where no vendor's attribute says one.
void StageReader::told(const usd::Prim& prim, sf::Dof& dof)
{
    const auto values = hints::read<std::vector<double>>(prim, hints::kPassive);
    const bool said   = dof.damping || dof.armature || dof.friction || dof.velocity_limit;
    // A limit of zero stands in no vendor's attribute.
    if (values && values->size() == 4 && (*values)[3] == 0 && !dof.velocity_limit) dof.velocity_limit = 0;
    if (!values || values->size() != 4) return;
    // An attribute has single precision, and the source had more digits.
    const auto exact = [&](std::optional<double>& told, double source) {
        if (told && std::abs(*told - source) <= 1e-6 * std::abs(source)) told = source;
    };
    exact(dof.damping, (*values)[0]), exact(dof.armature, (*values)[1]), exact(dof.friction, (*values)[2]);
    exact(dof.velocity_limit, (*values)[3]);
    if (said) return;
    const auto value = [&](std::size_t i) { return (*values)[i] != 0 ? std::optional((*values)[i]) : std::nullopt; };
    dof.damping = value(0), dof.armature = value(1), dof.friction = value(2);
    if ((*values)[3] >= 0) dof.velocity_limit = (*values)[3];
}

void StageReader::drive(const physics::Drive& from, const physics::Joint& joint, sf::Dof& dof)
{
    if (!from.enabled) return;
    // Angles of UsdPhysics are degrees, their rates degrees per second. Torques have mass length^2, forces mass length;
    // the second stays.
    const double turn = dof.angular ? kRadians : unit;  // of a position
    // Factors to SI: force and torque of the stage's units.
    const double force = dof.angular ? kilograms * unit * unit : kilograms * unit;
    sf::Drive    out;
    out.place = place(joint.prim.site());
    for (const char* name : {"maxForce", "damping", "stiffness"})
        if (const usd::Attribute value =
                joint.prim.attribute(fmt::format("drive:{}:physics:{}", dof.angular ? "angular" : "linear", name));
            value.authored())
            out.place = place(value.site());
    out.target          = from.target_position * turn;
    out.target_velocity = from.target_velocity * turn;
    out.max_force       = from.max_force * force;
    // Gains of accelerations are per position too; the mass is multiplied later.
    // force / turn: stiffness is per degree or per stage length in the file and per radian or metre here. Gains of
    // acceleration drives have no mass yet; for lengths the unit cancels.
    const double gain = from.acceleration ? (dof.angular ? 1 / kRadians : 1) : force / turn;
    out.stiffness     = from.stiffness * gain;
    out.damping       = from.damping * gain;
    out.acceleration  = from.acceleration;
    dof.drive         = out;
}

void StageReader::single_axis(const physics::Joint& from, sf::Joint& to)
{
    sf::Dof dof;
    dof.angular = from.kind == JointKind::revolute;
    to.kind     = dof.angular ? sf::Joint::Kind::revolute : sf::Joint::Kind::prismatic;
    dof.name    = to.name;
    dof.axis    = unit_vector(from.axis);
    dof.place = dof.limit_place = to.place;
    for (const char* name : {"physics:upperLimit", "physics:lowerLimit"})
        if (const usd::Attribute limit = from.prim.attribute(name); limit.authored())
            dof.limit_place = place(limit.site());
    const double turn = dof.angular ? kRadians : unit;
    if (from.limit.has_lower()) dof.lower = from.limit.lower * turn;
    if (from.limit.has_upper()) dof.upper = from.limit.upper * turn;
    passive(from.prim, dof, dof.angular ? "angular" : "linear");
    told(from.prim, dof);
    drive(from.drive, from, dof);
    std::swap(dof.extras, to.extras);
    to.dofs.push_back(std::move(dof));
}

void StageReader::generic_axes(const physics::Joint& from, sf::Joint& to)
{
    to.kind = sf::Joint::Kind::generic;
    for (int d = static_cast<int>(physics::Dof::trans_x); d <= static_cast<int>(physics::Dof::rot_z); ++d) {
        const auto kind = static_cast<physics::Dof>(d);
        sf::Dof    dof;
        dof.angular = physics::is_rotation(kind);
        dof.axis    = axis_of(kind);
        dof.name    = fmt::format("{}_{}", to.name, to_string(kind));
        dof.place = dof.limit_place = to.place;
        const double turn           = dof.angular ? kRadians : unit;
        bool         locked         = false;
        // The parser has decided which dofs a limit locks; a dof that no limit names is free, hence a joint without
        // limits has six.
        for (const physics::Limit& l : from.limits)
            if (l.dof == kind) {
                locked = l.locked;
                if (l.has_lower()) dof.lower = l.lower * turn;
                if (l.has_upper()) dof.upper = l.upper * turn;
            }
        if (locked) continue;
        passive(from.prim, dof, to_string(kind));
        for (const physics::Drive& one : from.drives)
            if (one.dof == kind) drive(one, from, dof);
        to.dofs.push_back(std::move(dof));
    }
    if (to.dofs.empty()) to.kind = sf::Joint::Kind::fixed;
    // What MuJoCo's attributes say of one axis.
    std::vector<sf::Extra> shared;
    for (sf::Extra& extra : to.extras) {
        const std::string name = resolve::shared_attribute(extra.name);
        if (name.empty()) {
            shared.push_back(std::move(extra));
            continue;
        }
        for (sf::Dof& dof : to.dofs)
            if (extra.name == resolve::axis_attribute(name, dof.name.substr(to.name.size() + 1))) {
                extra.name = name;
                dof.extras.push_back(std::move(extra));
                break;
            }
    }
    to.extras = std::move(shared);
    SourceAxes(from.prim, to).apply();
}

/// Where the bodies stand at another angle than the zero of their joint (export 3.1).
void StageReader::initial_positions()
{
    for (sf::Joint& joint : tree.joints) {
        if (joint.child < 0) continue;
        const Posed X_WP = joint.parent >= 0 ? tree.links[at(joint.parent)].X_WL : Posed{};
        const Posed X_J  = inverse(X_WP * joint.X_PJ) * tree.links[at(joint.child)].X_WL * joint.X_CJ;
        Posed       rest = X_J;
        if (joint.dofs.size() == 1 && joint.kind != sf::Joint::Kind::ball) {
            const sf::Dof& dof = joint.dofs[0];
            // The angle about the axis, from the quaternion's part along it; it is right for rotations about this axis
            // alone, and the rest is checked below.
            // Angle of the twist about the axis: with quaternion (v, w) it is 2 atan2(v . a, w), which drops what turns
            // about other axes. remainder brings it into (-pi, pi], since q and -q are one rotation.
            double q = dof.angular ? 2 * std::atan2(dot(X_J.q.xyz(), dof.axis), X_J.q.w) : dot(X_J.p, dof.axis);
            if (dof.angular) q = std::remainder(q, 2 * std::numbers::pi);
            // Rounding of the authored transforms, not a position.
            if (std::abs(q) < 1e-6) q = 0;
            joint.initial = q;
            // What the joint's motion cannot explain: bodies that do not stand where their joint frames say.
            rest = inverse(dof.angular ? Posed{{}, from_axis_angle(dof.axis, q)} : Posed{q * dof.axis, {}}) * X_J;
        } else if (joint.kind != sf::Joint::Kind::fixed) {
            continue;  // several axes, or a ball: the writers tell what they cannot say
        }
        if (joint.loop) continue;  // which the motion of the tree closes
        // 2 |v| is the angle of a small rotation.
        const double off = std::max(length(rest.p), 2 * length(rest.q.xyz()));
        if (off > 1e-4)
            lose("inconsistent-pose", Severity::warning, sf::LossAction::converted, "kinematics", site_of(joint.place),
                 fmt::format("joint '{}'", joint.name),
                 fmt::format("bodies {:.3g} m or rad from the joint's frames", off), "the pose of the frames",
                 "the zero pose comes from the joint frames");
    }
}

/// What limits with gains of their own stop; gains of accelerations times the inertia that the joint moves in the zero
/// pose, all joints beyond it stiff (export 3.4).
void StageReader::accelerations()
{
    for (sf::Joint& joint : tree.joints)
        for (sf::Dof& dof : joint.dofs) {
            const bool per_mass = dof.drive && dof.drive->acceleration;
            if ((!per_mass && !dof.limit_stiffness) || joint.loop) continue;
            const auto  sum  = carried_by(joint);
            const Posed X_WJ = tree.links[at(joint.child)].X_WL * joint.X_CJ;
            const Vec3d axis = rotate(X_WJ.q, dof.axis);
            // Effective inertia about the axis: a . I a + m |a x (c - p)|^2 (parallel axis theorem), or the mass for a
            // sliding axis.
            const double mass =
                dof.angular ? dot(axis, sum.inertia * axis) + sum.mass * length_squared(cross(axis, sum.com - X_WJ.p))
                            : sum.mass;
            if (dof.limit_stiffness) dof.limit_inertia = mass;
            if (!per_mass) continue;
            dof.drive->stiffness *= mass;
            dof.drive->damping *= mass;
            dof.drive->acceleration = false;
            lose("acceleration-drive", Severity::warning, sf::LossAction::approximated, "actuation",
                 site_of(joint.place), fmt::format("joint '{}'", dof.name), "a drive of accelerations",
                 fmt::format("times {}", mass), "gains are multiplied by the inertia of the zero pose");
        }
}

geometry::MassProperties StageReader::carried_by(const sf::Joint& joint) const
{
    std::vector<bool> carried(tree.links.size(), false);
    carried[at(joint.child)] = true;
    for (const sf::Joint& other : tree.joints)  // parents first
        if (!other.loop && other.parent >= 0 && carried[at(other.parent)]) carried[at(other.child)] = true;
    geometry::MassProperties sum;
    bool                     any = false;
    for (std::size_t l = 0; l < tree.links.size(); ++l) {
        if (!carried[l] || !tree.links[l].inertial) continue;
        const sf::Inertial& in   = *tree.links[l].inertial;
        const auto          part = geometry::transformed({in.mass, in.com, in.inertia}, tree.links[l].X_WL);
        sum                      = any ? geometry::combined(sum, part) : part;
        any                      = true;
    }
    return sum;
}

}  // namespace mechane::exporter
