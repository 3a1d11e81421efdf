// Which pairs of shapes do not meet, and why.
#include <algorithm>

#include "import_support.h"
#include "mechane/importer/explain.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;

TEST_CASE(
    "the filter pairs of a model hold one of each kind, and each says why it is there (GAP-036, COL-040, COL-050, "
    "COL-051)")
{
    // A robot of two bodies that does not collide with itself: /r/a with two colliders, a hinge, /r/b, and /r/c on a
    // further hinge; loose boxes: one that the layer filters against /r/b, one whose collider is off, one of the
    // user's.
    const std::string stage = R"(#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "r" ( prepend apiSchemas = ["PhysicsArticulationRootAPI", "NewtonArticulationRootAPI"] )
{
    bool newton:selfCollisionEnabled = 0
    def Xform "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {
        def Cube "one" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {}
        def Cube "two" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {}
    }
    def Cube "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) {}
    def Cube "c" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) {}
    def PhysicsRevoluteJoint "ab" {
        rel physics:body0 = </r/a>
        rel physics:body1 = </r/b>
    }
    def PhysicsRevoluteJoint "bc" {
        rel physics:body0 = </r/b>
        rel physics:body1 = </r/c>
    }
}
def Cube "named" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsFilteredPairsAPI"] ) {
    rel physics:filteredPairs = </r/b>
}
def Cube "off" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) { bool physics:collisionEnabled = 0 }
def Cube "user" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) {}
)";
    ImportOptions     options;
    options.ledger = true;
    Imported in    = import_text(stage, options);
    REQUIRE(in.result);
    const auto at = [&](const char* path) { return static_cast<std::int32_t>(in.shape(path)); };
    in.builder.add_shape_collision_filter_pair(at("/user"), at("/named"));
    Diagnostics found;
    const auto  model = in.builder.finalize({}, found);
    REQUIRE(model);
    const ExplainInput input{*in.stage, options, *in.result, *model};
    const auto         reason = [&](const char* a, const char* b) { return filter_reason(input, at(a), at(b)); };
    using Reasons             = std::vector<std::string>;
    const std::string self    = "their articulation does not collide with itself";

    CHECK(reason("/r/a/one", "/r/a/two") == Reasons{"both belong to the body </r/a>"});
    CHECK(reason("/r/a/one", "/r/b") == Reasons{"joined by </r/ab>, whose physics:collisionEnabled is false", self});
    CHECK(reason("/r/a/two", "/r/c") == Reasons{self});
    CHECK(reason("/named", "/r/b") == Reasons{"physics:filteredPairs names them"});
    CHECK(reason("/r/b", "/named") == Reasons{"physics:filteredPairs names them"});  // one direction is enough
    CHECK(reason("/user", "/named") == Reasons{"the pair is filtered"});
    CHECK(reason("/user", "/r/b").empty());

    // Same body, two joints with the two colliders of /r/a, the rest of the robot, one named, one of the user's.
    std::vector<std::pair<std::int32_t, std::int32_t>> expected{
        std::minmax(at("/r/a/one"), at("/r/a/two")), std::minmax(at("/r/a/one"), at("/r/b")),
        std::minmax(at("/r/a/two"), at("/r/b")),     std::minmax(at("/r/b"), at("/r/c")),
        std::minmax(at("/r/a/one"), at("/r/c")),     std::minmax(at("/r/a/two"), at("/r/c")),
        std::minmax(at("/named"), at("/r/b")),       std::minmax(at("/named"), at("/user"))};
    std::sort(expected.begin(), expected.end());
    CHECK(model->shape_collision_filter_pairs == expected);

    CHECK(filters_of(*model, at("/off")).all);
    CHECK(filters_of(*model, at("/off")).others.empty());
    const ShapeFilters named = filters_of(*model, at("/named"));
    CHECK_FALSE(named.all);
    std::vector<std::int32_t> others{at("/r/b"), at("/user")};
    std::sort(others.begin(), others.end());
    CHECK(named.others == others);
}
