// Joint frames are brought together again after bodies were moved.
#include "mechane/physics/realign.h"

#include "mechane/physics/codes.h"
#include "mechane/physics/parse.h"
#include "stages.h"

using namespace mechane;
using namespace mechane::physics;

namespace {

/// An arm on a post. Both are turned and scaled, and the arm's frame is on a prim below it.
std::string arm_at(double height)
{
    return R"(#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "post" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {
    float3 xformOp:scale = (2, 3, 4)
    double xformOp:rotateZ = 30
    uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:scale"]
}
def Xform "arm" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {
    double3 xformOp:translate = (0, 0, )" +
           std::to_string(1 + height) + R"()
    float3 xformOp:scale = (0.5, 0.5, 0.5)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    def Xform "hook" {
        double3 xformOp:translate = (0, 0, -1)
        double xformOp:rotateZ = 30
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ"]
    }
}
def PhysicsFixedJoint "weld" {
    rel physics:body0 = </post>
    rel physics:body1 = </arm/hook>
    point3f physics:localPos0 = (0, 0, 0.25)
    point3f physics:localPos1 = (0, 0, 1)
}
)";
}

struct Read {
    std::shared_ptr<const usd::Stage> stage;
    PhysicsModel                      model;
    Diagnostics                       found;
};
Read parsed(const std::string& text)
{
    auto stage = usd::Stage::open_text(text);
    REQUIRE(stage);
    Read out;
    out.stage = *std::move(stage);
    out.model = parse(*out.stage, {}, out.found);
    return out;
}

}  // namespace

TEST_CASE("a joint whose body was moved by a metre is realigned, and its bodies stay where they are (GAP-062, DYN-124)")
{
    CHECK(parsed(arm_at(0)).found.count(kJointFrameGap.id) == 0);
    for (const int keep : {0, 1}) {
        CAPTURE(keep);
        const std::string text   = arm_at(1);
        const Read        before = parsed(text);
        CHECK(before.found.count(kJointFrameGap.id) == 1);

        auto layer = usd::Layer::from_text(text);
        REQUIRE(layer);
        Diagnostics found;
        const auto  written = realign_joint_frames(before.model, 0, *layer, keep, found);
        REQUIRE(written);
        CHECK(*written);
        const Read after = parsed(layer->to_text());
        CHECK(after.found.count(kJointFrameGap.id) == 0);
        const Joint& was = before.model.joints[0];
        const Joint& is  = after.model.joints[0];
        // Authored in single precision.
        CHECK(mechane::test::distance(is.X_WF0.p, is.X_WF1.p) < 1e-6);
        CHECK(length(to_rotation_vector(conjugate(is.X_WF0.q) * is.X_WF1.q)) < 1e-6);
        CHECK(mechane::test::distance((keep == 0 ? is.X_WF0 : is.X_WF1).p, (keep == 0 ? was.X_WF0 : was.X_WF1).p) == 0);
        for (std::size_t b = 0; b < 2; ++b) CHECK(after.model.bodies[b].X_WB == before.model.bodies[b].X_WB);

        const std::string once  = layer->to_text();
        const auto        again = realign_joint_frames(after.model, 0, *layer, keep, found);
        REQUIRE(again);
        CHECK_FALSE(*again);
        CHECK(layer->to_text() == once);
        CHECK(found.empty());
    }
}

TEST_CASE("all gaps of a stage are closed at once; a joint without one is left alone (GAP-062)")
{
    auto layer = usd::Layer::from_text(arm_at(1));
    REQUIRE(layer);
    Diagnostics found;
    const auto  count = realign_gaps(*parsed(arm_at(1)).stage, *layer, found);
    REQUIRE(count);
    CHECK(*count == 1);
    const auto none = realign_gaps(*parsed(layer->to_text()).stage, *layer, found);
    REQUIRE(none);
    CHECK(*none == 0);
}
