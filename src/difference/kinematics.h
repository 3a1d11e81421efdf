#pragma once
#include <vector>

#include "difference/values.h"
#include "mechane/math/random.h"
#include "mechane/sourceformats/robot_tree.h"

namespace mechane::difference {

namespace sf = sourceformats;

/// Positions of one joint: a number an axis [m or rad], or the turn of a ball.
struct JointState {
    std::vector<double> q;
    Quatd               turn{};
};
using RobotState = std::vector<JointState>;  ///< by joint of a tree

/// Which joint holds each link, and where links are at a state.
class Kinematics {
  public:
    explicit Kinematics(const sf::RobotTree& tree);

    const sf::RobotTree& tree;
    std::vector<int>     above;  ///< by link: the joint that holds it, or -1
    std::vector<int>     root;   ///< by link: the link at the root of its tree; -1: it hangs on the world
    std::vector<int>     group;  ///< by link: the first link of those that are fixed to each other

    [[nodiscard]] RobotState         zero() const;
    [[nodiscard]] std::vector<Posed> poses(const RobotState& state) const;  ///< by link, in the robot's frame
    /// Followers where their law has them.
    void follow(RobotState& state) const;
    /// The pose of the child's side of a joint, seen from the parent's.
    [[nodiscard]] Posed motion(std::size_t joint, const JointState& state) const;

  private:
    std::vector<int> order_;  ///< tree joints, parents first
};

/// An axis that its limits hold still.
inline bool is_locked(const sf::Dof& d) { return d.lower >= d.upper; }

}  // namespace mechane::difference
