// Joints, their axes, limits, drives and passive forces; mimics; joints that close loops.

#include "difference/comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "difference/values.h"

namespace mechane::difference {
namespace {

std::string_view to_string(sf::Joint::Kind kind)
{
    constexpr std::string_view words[] = {"fixed", "revolute", "prismatic", "ball", "generic", "distance"};
    return words[static_cast<std::size_t>(kind)];
}

/// What an axis of a joint is, beside the other axes of the same joint.
std::string axis_word(const sf::Joint& joint, const sf::Dof& dof)
{
    if (joint.kind == sf::Joint::Kind::ball) return "ball";
    return dof.angular ? "revolute" : "prismatic";
}

// The names under which a loss report may speak of this axis: the axis, its joint and the link that the joint
// carries.
Comparer::Item item_of(const sf::Joint& j, const sf::Dof& d, const sf::RobotTree& tree)
{
    Comparer::Item out{fmt::format("joint '{}'", d.name.empty() ? j.name : d.name), {d.name, j.name}};
    if (j.child >= 0) out.names.push_back(tree.links[at(j.child)].name);
    return out;
}

}  // namespace

/// A tree stands free or hangs on the world: said once for each pair of trees, whatever joints lie between.
void Comparer::stands()
{
    // A root that weighs nothing, with all that is fixed to it, is no body: it stands still in every simulation.
    const auto weighs = [](const Kinematics& of, int root) {
        for (std::size_t l = 0; l < of.tree.links.size(); ++l)
            if (of.group[l] == of.group[at(root)] && inertial_of(of.tree.links[l])) return true;
        return false;
    };
    const auto held = [&](const Kinematics& of, std::size_t link) {
        const int root = of.root[link];
        // What a source says of an impossible inertia is unused too, on a link that has its mass.
        const auto part_of_world = [](const sf::Link& l) { return l.unused && !l.inertial; };
        return root < 0 || part_of_world(of.tree.links[at(root)]) || is_world(of.tree.links[at(root)]) ||
               !weighs(of, root);
    };
    std::set<std::pair<int, int>> told;
    for (std::size_t l = 0; l < a_.tree.links.size(); ++l) {
        const int other = match_.link[l];
        // What others move is told as that (Quantity::state).
        if (other < 0 || a_.tree.links[l].kinematic || b_.tree.links[at(other)].kinematic) continue;
        if (!told.insert({a_.root[l], b_.root[at(other)]}).second) continue;
        out_.count(Quantity::joint);
        const bool x = held(a_, l), y = held(b_, at(other));
        if (x == y) continue;
        const sf::Link &one = a_.tree.links[l], &two = b_.tree.links[at(other)];
        const auto      word = [](bool holds) { return std::string(holds ? "held by the world" : "free"); };
        // A report may speak of this link or of anything that holds it.
        std::vector<std::string> names{one.name};
        for (int j = a_.above[l]; j >= 0;) {
            const sf::Joint& joint = a_.tree.joints[at(j)];
            names.push_back(joint.name);
            for (const sf::Dof& d : joint.dofs) names.push_back(d.name);
            if (joint.parent < 0) break;
            names.push_back(a_.tree.links[at(joint.parent)].name);
            j = a_.above[at(joint.parent)];
        }
        differ(Quantity::joint, fmt::format("link '{}'", one.name), "base", Side{word(x), site_of(one.place)},
               Side{word(y), site_of(two.place)}, 0, 0, {}, match_.announced(Quantity::joint, "base", names));
    }
}

void Comparer::joints()
{
    stands();
    for (std::size_t j = 0; j < a_.tree.joints.size(); ++j) {
        const sf::Joint& one = a_.tree.joints[j];
        if (one.loop) continue;
        for (std::size_t d = 0; d < one.dofs.size(); ++d) {
            const sf::Dof& x    = one.dofs[d];
            const Item     item = item_of(one, x, a_.tree);
            const DofRef   ref  = match_.dof[j][d];
            const bool     ball = one.kind == sf::Joint::Kind::ball;
            // An axis that its limits lock moves nothing. Formats drop it or write a fixed joint, and both are
            // right.
            if (!ref) {
                if (ball || !is_locked(x))
                    only(Quantity::joint, item, "joint", true, axis_word(one, x), x.place,
                         match_.announced(Quantity::joint, "joint", item.names));
                continue;
            }
            const sf::Joint& two = b_.tree.joints[at(ref.joint)];
            const sf::Dof&   y   = two.dofs[at(ref.dof)];
            axis(item, one, two, x, y, j);
            // Of several axes one may be left, which then goes by its own name and not by that of the joint.
            if (one.dofs.size() == 1 && two.dofs.size() == 1 && x.name != two.name && y.name != one.name)
                renamed(Quantity::joint, item, "joint", one.name, two.name, one.place, two.place);
            if ((ball != (two.kind == sf::Joint::Kind::ball))) continue;
            if (!ball)  // a ball has a cone: one angle
                number(Quantity::limit, item, "lower limit", x.lower, y.lower, x.angular ? "rad" : "m", x.limit_place,
                       y.limit_place);
            number(Quantity::limit, item, "upper limit", x.upper, y.upper, x.angular ? "rad" : "m", x.limit_place,
                   y.limit_place);
            if (!ball && is_locked(x) && is_locked(y)) continue;  // nothing moves it, whatever drives or brakes it
            // No limit is an unbounded one, so that a missing value and an infinite one compare as equal.
            constexpr double kNone = std::numeric_limits<double>::infinity();
            number(Quantity::limit, item, "speed limit", x.velocity_limit.value_or(kNone),
                   y.velocity_limit.value_or(kNone), x.angular ? "rad/s" : "m/s", x.limit_place, y.limit_place);
            drives(item, x, y);
            number(Quantity::passive, item, "damping", x.damping.value_or(0), y.damping.value_or(0),
                   x.angular ? "N m s/rad" : "N s/m", x.place, y.place);
            number(Quantity::passive, item, "friction", x.friction.value_or(0), y.friction.value_or(0),
                   x.angular ? "N m" : "N", x.place, y.place);
            number(Quantity::passive, item, "armature", x.armature.value_or(0), y.armature.value_or(0),
                   x.angular ? "kg m^2" : "kg", x.place, y.place);
        }
        mimic(j);
    }
    for (std::size_t j = 0; j < b_.tree.joints.size(); ++j)
        for (std::size_t d = 0; d < b_.tree.joints[j].dofs.size() && !b_.tree.joints[j].loop; ++d) {
            const sf::Joint& one = b_.tree.joints[j];
            const sf::Dof&   y   = one.dofs[d];
            if (match_.dof_back[j][d] || (is_locked(y) && one.kind != sf::Joint::Kind::ball)) continue;
            const Item  item = item_of(one, y, b_.tree);
            std::string why  = match_.announced(Quantity::joint, "joint", item.names);
            for (const sf::Joint& from : a_.tree.joints)  // one of several that a joint became
                if (why.empty() && one.name.starts_with(from.name + "_"))
                    why = match_.announced(Quantity::joint, "joint", {from.name});
            only(Quantity::joint, item, "joint", false, axis_word(one, y), y.place, why);
        }
}

void Comparer::axis(const Item& item, const sf::Joint& one, const sf::Joint& two, const sf::Dof& x, const sf::Dof& y,
                    std::size_t j)
{
    out_.count(Quantity::joint);
    const auto why    = [&](const char* field) { return match_.announced(Quantity::joint, field, item.names); };
    const bool ball_a = one.kind == sf::Joint::Kind::ball, ball_b = two.kind == sf::Joint::Kind::ball;
    if (ball_a != ball_b || x.angular != y.angular) {
        differ(Quantity::joint, item.text, "kind", Side{std::string(to_string(one.kind)), site_of(x.place)},
               Side{std::string(to_string(two.kind)), site_of(y.place)}, 0, 0, {}, why("kind"));
        return;
    }
    if (one.child < 0 || two.child < 0) return;
    const auto [R_a, R_b] = bases(at(one.child), pose_a_, pose_b_);
    const Posed  X        = inverse(R_a) * pose_a_[at(one.child)] * one.X_CJ,
                 Y        = inverse(R_b) * pose_b_[at(two.child)] * two.X_CJ;
    const double may      = allowed(Quantity::joint, size_);
    if (!ball_a) {
        // Where the partner runs from child to parent, the same turn has the opposite sign, and so has its axis.
        const Vec3d u = rotate(X.q, x.axis), v = rotate(Y.q, y.axis) * (match_.same_sense(j) ? 1.0 : -1.0);
        // The length of the cross product is the sine of the angle between unit vectors. It is zero for opposite
        // directions too, which is why 2, more than any sine, is added to those.
        if (const double off = length(cross(u, v)) + (dot(u, v) < 0 ? 2 : 0); !(off <= may))
            return differ(Quantity::joint, item.text, "axis", Side{text(u, ""), site_of(x.place)},
                          Side{text(v, ""), site_of(y.place)}, off, may,
                          dot(u, v) < -0.999999 ? "the direction is the other one" : "seen from the root", why("axis"));
        if (!x.angular) return;
        // A hinge may have its origin anywhere along its axis. u x (X - Y) is the distance of the two parallel
        // lines, which does not depend on that choice.
        const Vec3d off = cross(u, X.p - Y.p);
        if (!(length(off) <= may))
            differ(Quantity::joint, item.text, "pivot", Side{text(X.p, "m"), site_of(x.place)},
                   Side{text(Y.p, "m"), site_of(y.place)}, length(off), may, "distance of the axes", why("pivot"));
    } else if (const double off = length(X.p - Y.p); !(off <= may)) {
        differ(Quantity::joint, item.text, "pivot", Side{text(X.p, "m"), site_of(x.place)},
               Side{text(Y.p, "m"), site_of(y.place)}, off, may, {}, why("pivot"));
    }
}

void Comparer::drives(const Item& item, const sf::Dof& x, const sf::Dof& y)
{
    if (!x.drive && !y.drive) return;
    const auto able = [](const std::optional<sf::Drive>& d) {  // one that can exert no force is none
        return d && d->max_force != 0 ? *d : sf::Drive{};
    };
    const sf::Drive  p = able(x.drive), q = able(y.drive);
    const sf::Place &at_a = x.drive ? x.drive->place : x.place, &at_b = y.drive ? y.drive->place : y.place;
    const bool       turns = x.angular;
    number(Quantity::gain, item, "stiffness", p.stiffness, q.stiffness, turns ? "N m/rad" : "N/m", at_a, at_b);
    number(Quantity::gain, item, "drive damping", p.damping, q.damping, turns ? "N m s/rad" : "N s/m", at_a, at_b);
    number(Quantity::gain, item, "largest force", p.max_force, q.max_force, turns ? "N m" : "N", at_a, at_b);
    // A target acts through its gain only: without stiffness the target position has no effect, and without damping
    // the target speed has none.
    if (p.stiffness != 0 || q.stiffness != 0)
        number(Quantity::gain, item, "target", p.target, q.target, turns ? "rad" : "m", at_a, at_b,
               allowed(Quantity::limit, p.target));
    if (p.damping != 0 || q.damping != 0)
        number(Quantity::gain, item, "target speed", p.target_velocity, q.target_velocity, turns ? "rad/s" : "m/s",
               at_a, at_b, allowed(Quantity::limit, p.target_velocity));
}

void Comparer::mimic(std::size_t j)
{
    const sf::Joint& one = a_.tree.joints[j];
    if (one.dofs.empty()) return;
    const DofRef ref = match_.dof[j][0];
    if (!ref) return;
    const sf::Joint& two  = b_.tree.joints[at(ref.joint)];
    const Item       item = item_of(one, one.dofs[0], a_.tree);
    if (!one.mimic && !two.mimic) return;
    if (!one.mimic || !two.mimic)
        return only(Quantity::mimic, item, "mimic", one.mimic.has_value(), "follows",
                    one.mimic ? one.mimic->place : two.mimic->place,
                    match_.announced(Quantity::mimic, "mimic", item.names));
    const int leader = one.mimic->joint >= 0 ? match_.joint[at(one.mimic->joint)] : -1;
    out_.count(Quantity::mimic);
    // Links of A are indexed by A and those of B by B, so the leader is translated by the matching first.
    if (leader != two.mimic->joint)
        differ(
            Quantity::mimic, item.text, "leader",
            Side{one.mimic->joint >= 0 ? a_.tree.joints[at(one.mimic->joint)].name : "none", site_of(one.mimic->place)},
            Side{two.mimic->joint >= 0 ? b_.tree.joints[at(two.mimic->joint)].name : "none", site_of(two.mimic->place)},
            0, 0, {}, match_.announced(Quantity::mimic, "leader", item.names));
    number(Quantity::mimic, item, "multiplier", one.mimic->multiplier, two.mimic->multiplier, "", one.mimic->place,
           two.mimic->place);
    number(Quantity::mimic, item, "offset", one.mimic->offset, two.mimic->offset, one.dofs[0].angular ? "rad" : "m",
           one.mimic->place, two.mimic->place);
}

namespace {

/// Another ball of the same two links that closes a loop too; -1 where there is none.
int second_ball(const sf::RobotTree& tree, std::size_t joint)
{
    const sf::Joint& one = tree.joints[joint];
    for (std::size_t k = 0; k < tree.joints.size(); ++k) {
        const sf::Joint& two = tree.joints[k];
        if (k != joint && two.loop && two.kind == sf::Joint::Kind::ball &&
            ((two.parent == one.parent && two.child == one.child) ||
             (two.parent == one.child && two.child == one.parent)))
            return static_cast<int>(k);
    }
    return -1;
}

/// Where a joint that closes a loop holds its bodies: of its two sides the one on a link.
Posed held_at(const sf::Joint& joint, const std::vector<Posed>& poses)
{ return joint.child >= 0 ? poses[at(joint.child)] * joint.X_CJ : poses[at(joint.parent)] * joint.X_PJ; }

}  // namespace

/// Two points that hold the same two links leave them one axis: the line through both. MJCF has no other word for a
/// hinge that closes a loop.
std::optional<std::size_t> Comparer::hinge_by_points(std::size_t hinge, bool hinge_in_a, std::size_t ball) const
{
    const sf::RobotTree& of_points = hinge_in_a ? b_.tree : a_.tree;
    const sf::Joint &    one = (hinge_in_a ? a_.tree : b_.tree).joints[hinge], &first = of_points.joints[ball];
    const int            other = second_ball(of_points, ball);
    if (one.kind != sf::Joint::Kind::revolute || one.dofs.size() != 1 || first.kind != sf::Joint::Kind::ball ||
        other < 0)
        return std::nullopt;
    const int link = hinge_in_a ? one.child : match_.link_back[at(one.child)];
    if (link < 0) return std::nullopt;
    const auto [R_a, R_b] = bases(at(link), pose_a_, pose_b_);
    const Posed  R_hinge = inverse(hinge_in_a ? R_a : R_b), R_points = inverse(hinge_in_a ? R_b : R_a);
    const auto&  poses = hinge_in_a ? pose_b_ : pose_a_;
    const Posed  X     = R_hinge * held_at(one, hinge_in_a ? pose_a_ : pose_b_);
    const Vec3d  axis = rotate(X.q, one.dofs[0].axis), p = (R_points * held_at(first, poses)).p,
                 q     = (R_points * held_at(of_points.joints[at(other)], poses)).p;
    const double apart = length(q - p), may = allowed(Quantity::joint, std::max(length(X.p), length(p)));
    // The nearer the points, the less they say of the direction.
    const bool along = apart > 0 && length(cross(axis, q - p)) <= 1e-4 * options_.scale * apart + may;
    if (!along || !(length(cross(axis, p - X.p)) <= may)) return std::nullopt;
    return at(other);
}

void Comparer::loops()
{
    // The second of two points that stand for a hinge goes with the first.
    std::set<std::size_t> done_a, done_b;
    const auto            is_hinge = [&](std::size_t j, std::size_t k) {
        if (const auto more = hinge_by_points(j, true, k)) return done_b.insert(*more), true;
        if (const auto more = hinge_by_points(k, false, j)) return done_a.insert(*more), true;
        return false;
    };
    std::set<std::size_t> alike;
    for (std::size_t j = 0; j < a_.tree.joints.size(); ++j)
        if (const int k = match_.joint[j]; a_.tree.joints[j].loop && k >= 0 && b_.tree.joints[at(k)].loop &&
                                           a_.tree.joints[j].kind != b_.tree.joints[at(k)].kind && is_hinge(j, at(k)))
            alike.insert(j);
    for (std::size_t j = 0; j < a_.tree.joints.size(); ++j) {
        const sf::Joint& one = a_.tree.joints[j];
        if (!one.loop || done_a.count(j) != 0) continue;
        const Item item{fmt::format("loop joint '{}'", one.name), {one.name}};
        const int  other = match_.joint[j];
        if (other < 0 || !b_.tree.joints[at(other)].loop) {
            only(Quantity::loop, item, "loop", true, std::string(to_string(one.kind)), one.place,
                 match_.announced(Quantity::loop, "loop", item.names));
            continue;
        }
        out_.count(Quantity::loop);
        if (const sf::Joint& two = b_.tree.joints[at(other)]; two.kind != one.kind && alike.count(j) == 0)
            differ(Quantity::loop, item.text, "kind", Side{std::string(to_string(one.kind)), site_of(one.place)},
                   Side{std::string(to_string(two.kind)), site_of(two.place)}, 0, 0, {},
                   match_.announced(Quantity::loop, "kind", item.names));
    }
    for (std::size_t j = 0; j < b_.tree.joints.size(); ++j) {
        const sf::Joint& two = b_.tree.joints[j];
        if (!two.loop || done_b.count(j) != 0 ||
            (match_.joint_back[j] >= 0 && a_.tree.joints[at(match_.joint_back[j])].loop))
            continue;
        std::string why = match_.announced(Quantity::loop, "loop", {two.name});
        // A loop that is closed by several parts carries the name of the joint it was made of as a prefix.
        for (const sf::Joint& from : a_.tree.joints)
            if (why.empty() && from.loop && two.name.starts_with(from.name))
                why = match_.announced(Quantity::loop, "loop", {from.name});
        only(Quantity::loop, {fmt::format("loop joint '{}'", two.name), {}}, "loop", false,
             std::string(to_string(two.kind)), two.place, why);
    }
}

}  // namespace mechane::difference
