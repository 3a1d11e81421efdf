// The direction of joints (export 3.3): breadth first from what is anchored, else from the articulation's root, else
// from a link that no joint names as its child. A joint that is met from its far side is turned. With F0 M(q) F1^-1 the
// pose of the child, the inverse is F1 M(q)^-1 F0^-1, and M(q)^-1 about an axis is M(q) about its negative: frames
// change places, axes change sign, limits and targets stay.
#include <algorithm>
#include <deque>

#include "exporter/stage_reader.h"

namespace mechane::exporter {
namespace {

void turn(sf::Joint& joint)
{
    std::swap(joint.parent, joint.child);
    std::swap(joint.X_PJ, joint.X_CJ);
    for (sf::Dof& dof : joint.dofs) dof.axis = -dof.axis;
    // M(q)^-1 of several axes is their inverses in the reverse order.
    std::reverse(joint.dofs.begin(), joint.dofs.end());
}

/// The order of walks decides what is a root: the world first, then frames of the world, then roots that articulations
/// name, then links that nothing holds, and at last whatever is left.
class Arranger {
  public:
    Arranger(sf::RobotTree& tree, const std::vector<bool>& preferred) : tree_(tree), preferred_(preferred)
    {
        incident_.resize(tree.links.size() + 1);
        for (std::size_t j = 0; j < tree.joints.size(); ++j) {
            if (tree.joints[j].loop) continue;
            incident_[node(tree.joints[j].parent)].push_back(j);
            incident_[node(tree.joints[j].child)].push_back(j);
        }
        visited_.assign(tree.links.size() + 1, false);
        done_.assign(tree.joints.size(), false);
    }

    void run()
    {
        walk(-1);
        // What hangs on a frame of the world is anchored, whichever body the articulation calls its root.
        for (std::size_t l = 0; l < tree_.links.size(); ++l)
            if (!visited_[l] && tree_.links[l].frame && !is_child(l) && !incident_[node(static_cast<int>(l))].empty())
                walk(static_cast<int>(l));
        for (const bool wanted : {true, false})
            for (std::size_t l = 0; l < tree_.links.size(); ++l)
                if (!visited_[l] && wanted == preferred_[l] && (wanted || !is_child(l))) walk(static_cast<int>(l));
        for (std::size_t l = 0; l < tree_.links.size(); ++l)
            if (!visited_[l]) walk(static_cast<int>(l));
        for (std::size_t j = 0; j < tree_.joints.size(); ++j)
            if (!done_[j]) order_.push_back(j);  // loops
        std::vector<int>       now(tree_.joints.size(), -1);
        std::vector<sf::Joint> sorted;
        for (const std::size_t j : order_) {
            now[j] = static_cast<int>(sorted.size());
            sorted.push_back(std::move(tree_.joints[j]));
        }
        tree_.joints = std::move(sorted);
        for (sf::Joint& j : tree_.joints)
            if (j.mimic) j.mimic->joint = now[at(j.mimic->joint)];
        moved = std::move(now);
    }
    std::vector<int> moved;

  private:
    sf::RobotTree&                        tree_;
    const std::vector<bool>&              preferred_;
    std::vector<std::vector<std::size_t>> incident_;
    std::vector<bool>                     visited_, done_;
    std::vector<std::size_t>              order_;

    [[nodiscard]] std::size_t node(int link) const { return link < 0 ? tree_.links.size() : at(link); }
    [[nodiscard]] bool        is_child(std::size_t l) const
    {
        return std::any_of(incident_[l].begin(), incident_[l].end(),
                           [&](std::size_t j) { return tree_.joints[j].child == static_cast<int>(l); });
    }

    void walk(int from)
    {
        std::deque<int> queue{from};
        visited_[node(from)] = true;
        // Breadth first, so that a circle opens far from its root.
        while (!queue.empty()) {
            const int here = queue.front();
            queue.pop_front();
            for (const std::size_t j : incident_[node(here)]) {
                sf::Joint& joint = tree_.joints[j];
                if (done_[j] || joint.loop) continue;
                const int other = joint.parent == here ? joint.child : joint.parent;
                // Both ends are reached already: the joint closes a circle, and tree formats cannot hold it.
                if (visited_[node(other)]) {
                    joint.loop = true;
                    continue;
                }
                if (joint.parent != here) turn(joint);
                visited_[node(other)] = true;
                done_[j]              = true;
                order_.push_back(j);
                queue.push_back(other);
            }
        }
    }
};

}  // namespace

void arrange(sf::RobotTree& tree, const std::vector<bool>& preferred)
{
    Arranger arranger(tree, preferred);
    arranger.run();
    const auto moved = [&](sf::Ref& ref) {
        if (ref.kind == sf::Ref::Kind::joint && ref.index >= 0) ref.index = arranger.moved[at(ref.index)];
    };
    for (sf::VendorPrim& p : tree.prims)
        for (sf::Relation& r : p.relations)
            for (sf::Ref& ref : r.targets) moved(ref);
}

}  // namespace mechane::exporter
