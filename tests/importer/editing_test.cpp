// Physics is added to a stage and taken away without touching values.
#include "import_support.h"
#include "mechane/importer/dump.h"
#include "mechane/usd/layer.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;

TEST_CASE(
    "a body without its API is static and keeps its values in the layer; with the API again it is the same model "
    "(GAP-061)")
{
    const std::string text  = with_line_ends(R"(#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" {}
def Cube "box" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) {
    vector3f physics:velocity = (1, 2, 3)
    double3 xformOp:translate = (0, 0, 5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)");
    const auto        model = [](const usd::Layer& layer) {
        const Imported in = import_text(layer.to_text());
        REQUIRE(in.result);
        Diagnostics found;
        auto        finalized = in.builder.finalize({}, found);
        REQUIRE(finalized);
        return *std::move(finalized);
    };
    auto layer = usd::Layer::from_text(text);
    REQUIRE(layer);
    const model::Model before = model(*layer);
    REQUIRE(before.body_count() == 1);
    CHECK(before.body_qd[0].linear == Vec3{1, 2, 3});

    const usd::Path box("/box"), velocity("/box.physics:velocity");
    REQUIRE(layer->remove_api(box, usd::Token("PhysicsRigidBodyAPI")));
    CHECK(layer->value(velocity).get<Vec3d>() == Vec3d{1, 2, 3});
    const model::Model fixed = model(*layer);
    CHECK(fixed.body_count() == 0);
    REQUIRE(fixed.shape_count() == 1);
    CHECK(fixed.shape_body[0] == -1);
    CHECK(fixed.shape_transform[0].p == Vec3{0, 0, 5});

    REQUIRE(layer->apply_api(box, usd::Token("PhysicsRigidBodyAPI")));
    const model::Model after = model(*layer);
    CHECK(after.body_label == before.body_label);
    CHECK(after.body_q[0] == before.body_q[0]);
    CHECK(after.body_qd[0] == before.body_qd[0]);
    CHECK(after.body_mass == before.body_mass);
    CHECK(after.body_inertia[0] == before.body_inertia[0]);
    CHECK(after.joint_type == before.joint_type);
    CHECK(after.shape_body == before.shape_body);
    CHECK(after.shape_transform[0] == before.shape_transform[0]);
    CHECK(after.shape_flags == before.shape_flags);
}
