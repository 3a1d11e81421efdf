// Kinematics of a robot tree by itself, without a model of the simulation.
// The comparison must place links of any format, also of robots that the importer would refuse. So it has its own
// forward kinematics, over joints as the source formats describe them: a joint of several axes applies them in their
// order, and its frames X_PJ (joint in the parent) and X_CJ (joint in the child) place it.
// State: positions in metres and radians by axis, a unit quaternion for a ball. Output: poses of links in the robot's
// frame X_WL. Joints that close loops take no part; they only constrain.
// Called by Comparer, Matching and in_axes_of.

#include "difference/kinematics.h"

#include <algorithm>
#include <cmath>

namespace mechane::difference {

Kinematics::Kinematics(const sf::RobotTree& of)
    : tree(of), above(of.links.size(), -1), root(of.links.size(), -1), group(of.links.size())
{
    std::vector<std::vector<int>> below(tree.links.size() + 1);
    for (std::size_t j = 0; j < tree.joints.size(); ++j) {
        const sf::Joint& joint = tree.joints[j];
        // The first joint that holds a link is the one of the tree. Another one that claims the same link is passed
        // over here.
        if (joint.loop || joint.child < 0 || above[at(joint.child)] >= 0) continue;
        above[at(joint.child)] = static_cast<int>(j);
        below[joint.parent < 0 ? tree.links.size() : at(joint.parent)].push_back(static_cast<int>(j));
    }
    // Depth first, with an explicit stack, from the world and then from each link that nothing holds. order_ thus has
    // parents before children, which is all that poses() needs.
    const auto walk = [&](int link, int base) {
        std::vector<int> todo{link};
        while (!todo.empty()) {
            const int here = todo.back();
            todo.pop_back();
            if (here >= 0) root[at(here)] = base;
            const auto& list = below[here < 0 ? tree.links.size() : at(here)];
            for (const int j : list) order_.push_back(j);
            for (std::size_t i = list.size(); i-- > 0;) todo.push_back(tree.joints[at(list[i])].child);
        }
    };
    walk(-1, -1);
    for (std::size_t l = 0; l < tree.links.size(); ++l)
        if (above[l] < 0) walk(static_cast<int>(l), static_cast<int>(l));
    for (std::size_t l = 0; l < tree.links.size(); ++l) group[l] = static_cast<int>(l);
    // Parents come first, so the group of a parent is final when its child takes it. The group has the index of its
    // link nearest to the root.
    for (const int j : order_) {
        const sf::Joint& joint = tree.joints[at(j)];
        const bool       still =
            joint.kind == sf::Joint::Kind::fixed ||
            (joint.kind != sf::Joint::Kind::ball && std::all_of(joint.dofs.begin(), joint.dofs.end(), is_locked));
        if (still && joint.parent >= 0) group[at(joint.child)] = group[at(joint.parent)];
    }
}

RobotState Kinematics::zero() const
{
    RobotState out(tree.joints.size());
    for (std::size_t j = 0; j < out.size(); ++j) {
        out[j].q.assign(tree.joints[j].dofs.size(), 0.0);
        for (std::size_t d = 0; d < out[j].q.size(); ++d)
            // An axis that is held at a value other than zero has that value: it never leaves it, and zero is no state
            // of it.
            if (const sf::Dof& dof = tree.joints[j].dofs[d]; dof.lower == dof.upper && std::isfinite(dof.lower))
                out[j].q[d] = dof.lower;
    }
    return out;
}

Posed Kinematics::motion(std::size_t joint, const JointState& state) const
{
    const sf::Joint& j = tree.joints[joint];
    if (j.kind == sf::Joint::Kind::ball) return {{}, state.turn};
    Posed M;
    for (std::size_t d = 0; d < j.dofs.size() && d < state.q.size(); ++d) {
        const sf::Dof& dof = j.dofs[d];
        M = M * (dof.angular ? Posed{{}, from_axis_angle(dof.axis, state.q[d])} : Posed{state.q[d] * dof.axis, {}});
    }
    return M;
}

std::vector<Posed> Kinematics::poses(const RobotState& state) const
{
    std::vector<Posed> out(tree.links.size());
    for (std::size_t l = 0; l < out.size(); ++l)
        if (above[l] < 0) out[l] = tree.links[l].X_WL;
    for (const int j : order_) {
        const sf::Joint& joint = tree.joints[at(j)];
        const Posed      X_WP  = joint.parent >= 0 ? out[at(joint.parent)] : Posed{};
        // X_WC = X_WP X_PJ M(q) X_CJ^-1. The joint's frame is the same one on both sides when M is the identity.
        Posed            X     = X_WP * joint.X_PJ * motion(at(j), state[at(j)]) * inverse(joint.X_CJ);
        X.q                    = normalized(X.q);
        out[at(joint.child)]   = X;
    }
    return out;
}

void Kinematics::follow(RobotState& state) const
{
    // Followers are evaluated in the order of joints, so a chain of n followers against that order needs n rounds.
    // Eight cover what robots have, and they end on a cycle of followers too.
    for (std::size_t round = 0; round < 8; ++round)  // followers of followers
        for (std::size_t j = 0; j < tree.joints.size(); ++j) {
            const auto& mimic = tree.joints[j].mimic;
            if (!mimic || mimic->joint < 0 || state[j].q.empty() || state[at(mimic->joint)].q.empty()) continue;
            state[j].q[0] = mimic->multiplier * state[at(mimic->joint)].q[0] + mimic->offset;
        }
}

}  // namespace mechane::difference
