#pragma once
#include <optional>
#include <vector>

#include "mechane/sourceformats/loss.h"
#include "mechane/sourceformats/robot_tree.h"

namespace mechane::sourceformats {

/// Which links are bodies, and where the others are fixed. A link without mass that a fixed joint holds is a frame of
/// the body that holds it; one that moves takes the mass of what is fixed to it.
struct Bodies {
    std::vector<bool>  is_body;       ///< by link
    std::vector<int>   home;          ///< by link: the body that it is or is fixed to; -1: the world
    std::vector<Posed> X_HL;          ///< by link, in its home's frame (of the world: in the robot's frame)
    std::vector<int>   parent;        ///< by link that is no body: the link whose prim holds its prim; -1: the robot's
    std::vector<bool>  joint_merged;  ///< by joint: it only fixes a frame, or holds what is part of the world
    std::vector<std::optional<Inertial>> inertial;      ///< by link, with what was merged into it
    std::vector<bool>                    merged;        ///< by link: another body has its mass
    std::vector<int>                     joint_parent;  ///< by joint: body, or -1
    std::vector<Posed>                   X_PJ;          ///< by joint: its frame in that body
};

/// Gives every link that moves and has no mass this one [kg].
void give_masses(RobotTree& tree, double mass, LossReport& losses);

/// A root that is moved from outside and carries other links becomes a base that is fixed to the world, which is how
/// OpenUSD's robots stand (REP-1.3-o).
void hold_kinematic_roots(RobotTree& tree, LossReport& losses);

/// @param losses  gets what was merged, and "missing-mass" for links that move and have none
Bodies find_bodies(const RobotTree& tree, LossReport& losses);

/// The principal axes nearest to the link's own: moments and the rotation to them, w >= 0.
struct Principal {
    Vec3d moments;
    Quatd rotation;
};
Principal principal(const Mat33d& inertia);

}  // namespace mechane::sourceformats
