#include "mechane/physics/anchor_gap.h"

#include "support/support.h"

using namespace mechane;
using namespace mechane::physics;
using mechane::test::close_to;

namespace {

Joint generic(std::initializer_list<Dof> locked)
{
    Joint joint;
    joint.kind = JointKind::d6;
    for (const Dof dof : locked) {
        Limit limit;
        limit.dof    = dof;
        limit.locked = true;
        joint.limits.push_back(limit);
    }
    return joint;
}

Quatd turned(int axis, double angle) { return from_axis_angle(axis_vector<double>(axis), angle); }

}  // namespace

TEST_CASE("turns about two free axes, one after the other, do not contradict the lock of the third")
{
    // The rotation vector of Rx(0.5) Ry(0.3) has a part along z of 0.075, which is no gap.
    const Joint joint = generic({Dof::trans_x, Dof::trans_y, Dof::trans_z, Dof::rot_z});
    CHECK(anchor_gap(joint, {{}, turned(0, 0.5) * turned(1, 0.3)}).angle == close_to(0, 1e-12));
    CHECK_FALSE(anchor_gap(joint, {{}, turned(0, -2) * turned(1, 1.2)}).is_contradiction());
    CHECK(anchor_gap(joint, {{}, turned(2, 0.1)}).angle == close_to(0.1, 1e-12));
    CHECK(anchor_gap(joint, {{}, turned(2, 0.1)}).is_contradiction());
}

TEST_CASE("what a generic joint locks is a gap, and what it leaves free is none")
{
    CHECK(anchor_gap(generic({Dof::rot_x, Dof::rot_z}), {{}, turned(1, 2)}).angle == close_to(0, 1e-7));
    CHECK(anchor_gap(generic({Dof::rot_x, Dof::rot_z}), {{}, turned(0, 0.2)}).angle == close_to(0.2, 1e-7));
    CHECK(anchor_gap(generic({}), {{1, 2, 3}, turned(0, 2)}).angle == 0);
    CHECK(anchor_gap(generic({Dof::rot_x, Dof::rot_y, Dof::rot_z}), {{}, turned(1, 0.4)}).angle ==
          close_to(0.4, 1e-12));
    CHECK(anchor_gap(generic({Dof::trans_y}), {{1, -0.002, 3}, {}}).length == close_to(0.002, 1e-15));
    CHECK(AnchorGap{0.05, 0}.is_contradiction(0.01) == false);  // half a millimetre, in centimetres
    CHECK(AnchorGap{0.2, 0}.is_contradiction(0.01));
}
