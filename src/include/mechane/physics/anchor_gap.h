#pragma once
#include "mechane/math/pose.h"
#include "mechane/physics/physics_model.h"

namespace mechane::physics {

/// How far two anchor frames violate what a joint holds fixed: length [unit of the poses] and angle [rad].
struct AnchorGap {
    double length = 0, angle = 0;

    /// The authored poses contradict the anchors, and more than by rounding: a millimetre or half a degree.
    /// @param metres  length of one unit of the poses [m]
    [[nodiscard]] bool is_contradiction(double metres = 1) const;
};

/// @param X_PC  the child's anchor frame in the parent's, both as the authored poses of the bodies place them
AnchorGap anchor_gap(const Joint& joint, const Posed& X_PC);

}  // namespace mechane::physics
