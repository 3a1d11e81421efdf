// Gravity, and the poses of links at states that are drawn by chance.

#include "difference/comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "difference/values.h"

namespace mechane::difference {

void Comparer::scene()
{
    const auto  place = [](const sf::RobotTree& t) { return t.scene ? t.scene->place : t.place; };
    const Vec3d x = sf::gravity_of(a_.tree), y = sf::gravity_of(b_.tree);
    out_.count(Quantity::scene);
    // The standard's default magnitude is 9.81; MuJoCo's too.
    if (const double off = length(x - y), may = allowed(Quantity::scene, length(x)); !(off <= may))
        differ(Quantity::scene, "scene", "gravity", Side{text(x, "m/s^2"), site_of(place(a_.tree))},
               Side{text(y, "m/s^2"), site_of(place(b_.tree))}, off, may, {},
               match_.announced(Quantity::scene, "gravity", {"gravity", "scene"}));
}

void Comparer::draw(Random& random, RobotState& x, RobotState& y) const
{
    for (std::size_t j = 0; j < a_.tree.joints.size(); ++j) {
        const sf::Joint& one = a_.tree.joints[j];
        if (one.loop) continue;
        if (one.kind == sf::Joint::Kind::ball) {
            const Quatd turn = normalized(random.rotation());
            const int   k    = match_.joint[j];
            if (k < 0 || b_.tree.joints[at(k)].kind != sf::Joint::Kind::ball) continue;
            // The same turn in the axes of the other joint's frame, which need not be those of this one.
            const sf::Joint& two  = b_.tree.joints[at(k)];
            const auto [R_a, R_b] = bases(at(one.child), pose_a_, pose_b_);
            const Quatd from      = (inverse(R_a) * pose_a_[at(one.child)] * one.X_CJ).q,
                        to        = (inverse(R_b) * pose_b_[at(two.child)] * two.X_CJ).q;
            const Quatd same      = match_.same_sense(j) ? turn : conjugate(turn);
            x[j].turn             = turn;
            // A ball's coordinate is a rotation in the axes of its joint frame. Conjugation by the rotation between
            // the two frames gives the same physical turn; a joint that runs the other way has the inverse one.
            y[at(k)].turn = normalized(conjugate(to) * from * same * conjugate(from) * to);
            continue;
        }
        for (std::size_t d = 0; d < one.dofs.size(); ++d) {
            const sf::Dof& dof = one.dofs[d];
            const double   far = dof.angular ? std::numbers::pi : 1;
            double low = std::isfinite(dof.lower) ? dof.lower : -far, high = std::isfinite(dof.upper) ? dof.upper : far;
            if (low > high) low = high = 0;
            if (high - low > 20) low = std::max(low, -10.0), high = std::min(high, 10.0);
            const double value = random.uniform(low, high);
            const DofRef ref   = match_.dof[j][d];
            if (!ref || is_locked(dof) || is_locked(b_.tree.joints[at(ref.joint)].dofs[at(ref.dof)])) continue;
            x[j].q[d] = value, y[at(ref.joint)].q[at(ref.dof)] = value;
        }
    }
    a_.follow(x), b_.follow(y);
}

// The frames at zero are compared above. Here random states show what zero hides: axes of a chain in another order,
// a follower with another law, a joint about a point that happened not to matter.
void Comparer::kinematics()
{
    if (!wanted(Quantity::kinematics)) return;
    Random            random(options_.seed);
    const double      may = allowed(Quantity::kinematics, size_);
    std::vector<bool> told(a_.tree.links.size(), false);
    // What is apart at zero already has been told; here is told what moves otherwise.
    std::vector<Posed> shift(a_.tree.links.size());
    for (std::size_t l = 0; l < shift.size(); ++l)
        if (const int other = match_.link[l]; other >= 0) {
            const auto [R_a, R_b] = bases(l, pose_a_, pose_b_);
            // The constant pose between the two frames of one link, taken at the zero state. With it a robot that
            // differs only in its link frames passes, and a difference is told once and not in each state.
            shift[l] = inverse(inverse(R_b) * pose_b_[at(other)]) * (inverse(R_a) * pose_a_[l]);
        }
    // What holds a link is looked at before the link.
    std::vector<std::size_t> order;
    for (std::size_t l = 0; l < a_.tree.links.size(); ++l)
        if (a_.above[l] < 0) order.push_back(l);
    for (const sf::Joint& j : a_.tree.joints)
        if (!j.loop && j.child >= 0) order.push_back(at(j.child));
    for (int n = 0; n < options_.states; ++n) {
        RobotState x = a_.zero(), y = b_.zero();
        draw(random, x, y);
        const auto at_a = a_.poses(x), at_b = b_.poses(y);
        for (const std::size_t l : order) {
            // A wrong link moves everything that hangs on it, by links that only this robot has, too. Only the first
            // one of a branch is told.
            const int joint = a_.above[l], holder = joint >= 0 ? a_.tree.joints[at(joint)].parent : -1;
            told[l]         = told[l] || (holder >= 0 && told[at(holder)]);
            const int other = match_.link[l];
            if (other < 0) continue;
            out_.count(Quantity::kinematics);
            if (told[l]) continue;
            const auto [R_a, R_b] = bases(l, at_a, at_b);
            const Posed P = inverse(R_a) * at_a[l], Q = inverse(R_b) * at_b[at(other)] * shift[l];
            if (length(P.p - Q.p) <= may && angle_of(conjugate(P.q) * Q.q) <= may) continue;
            told[l]         = true;
            const int  held = a_.above[l];
            const Item item{fmt::format("link '{}'", a_.tree.links[l].name),
                            {a_.tree.links[l].name, held >= 0 ? a_.tree.joints[at(held)].name : std::string()}};
            Item       all = item;
            if (held >= 0)
                for (const sf::Dof& d : a_.tree.joints[at(held)].dofs) all.names.push_back(d.name);
            if (all.names[1].empty()) all.names.erase(all.names.begin() + 1);
            pose(Quantity::kinematics, all, P, Q, held >= 0 ? a_.tree.joints[at(held)].place : a_.tree.links[l].place,
                 b_.above[at(other)] >= 0 ? b_.tree.joints[at(b_.above[at(other)])].place
                                          : b_.tree.links[at(other)].place,
                 may, fmt::format(", state {} of {}", n + 1, options_.states));
        }
    }
}

}  // namespace mechane::difference
