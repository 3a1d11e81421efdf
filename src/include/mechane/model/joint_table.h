#pragma once
#include <cstdint>

#include "mechane/model/types.h"

namespace mechane::model {

/// What a joint type brings by itself; a D6 has as many coordinates as axes.
struct JointTypeInfo {
    std::int32_t coords;        ///< entries of joint_q, -1: one per axis
    std::int32_t dofs;          ///< entries of joint_qd, -1: one per axis
    std::int32_t linear_axes;   ///< linear entries among the dofs, -1: as given
    std::int32_t angular_axes;  ///< angular entries among the dofs, -1: as given
    bool         quaternion;    ///< coordinates end with an xyzw quaternion
    bool         free_like;  ///< FREE, DISTANCE, ROD: position and quaternion, velocity of the child's centre of mass
};

/// The row of this type: one visible table, so that a new type is added in one place.
const JointTypeInfo& joint_type_info(JointType type);

}  // namespace mechane::model
