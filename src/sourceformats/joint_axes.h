#pragma once
#include <string>
#include <vector>

#include "mechane/sourceformats/robot_tree.h"

namespace mechane::sourceformats {

/// A joint's degrees of freedom on the axes that USD has.
struct PlacedDof {
    std::size_t dof   = 0;      ///< of the joint
    int         axis  = 0;      ///< 0, 1, 2: x, y, z of the turned frame
    bool        flips = false;  ///< it runs against that axis: limits and targets change their sign
};
struct JointAxes {
    Quatd                  turn;  ///< from the joint's frame to the one that USD gets
    std::vector<PlacedDof> placed;
    std::vector<std::size_t> left_out;   ///< dofs that no axis is left for
    double                 error = 0;    ///< [rad] by which axes had to be turned
};

/// One axis: the token x with the shortest rotation to it; an axis of the frame keeps its own token, turned by half a
/// turn where it is negative. Several: a frame whose axes they are, rotations in their order about x, y, z.
JointAxes place_axes(const Joint& joint);

}  // namespace mechane::sourceformats
