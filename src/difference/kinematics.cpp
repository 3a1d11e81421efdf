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
        if (joint.loop || joint.child < 0 || above[at(joint.child)] >= 0) continue;
        above[at(joint.child)] = static_cast<int>(j);
        below[joint.parent < 0 ? tree.links.size() : at(joint.parent)].push_back(static_cast<int>(j));
    }
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
        Posed            X     = X_WP * joint.X_PJ * motion(at(j), state[at(j)]) * inverse(joint.X_CJ);
        X.q                    = normalized(X.q);
        out[at(joint.child)]   = X;
    }
    return out;
}

void Kinematics::follow(RobotState& state) const
{
    for (std::size_t round = 0; round < 8; ++round)  // followers of followers
        for (std::size_t j = 0; j < tree.joints.size(); ++j) {
            const auto& mimic = tree.joints[j].mimic;
            if (!mimic || mimic->joint < 0 || state[j].q.empty() || state[at(mimic->joint)].q.empty()) continue;
            state[j].q[0] = mimic->multiplier * state[at(mimic->joint)].q[0] + mimic->offset;
        }
}

}  // namespace mechane::difference
