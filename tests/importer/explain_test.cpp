#include <fmt/format.h>

#include <algorithm>

#include "import_support.h"
#include "mechane/importer/explain.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;

namespace {

/// A stage, imported with a ledger and finalized, ready for questions.
struct Asked {
    Imported      imported;
    ImportOptions options;
    model::Model  model;

    Asked(const std::string& usda, std::vector<std::string> resolvers)
    {
        options.ledger           = true;
        options.schema_resolvers = std::move(resolvers);
        imported                 = import_text(usda, options);
        REQUIRE(imported.result);
        auto made = imported.builder.finalize({}, imported.found);
        REQUIRE(made);
        model = *std::move(made);
    }
    [[nodiscard]] ExplainInput input() const { return {*imported.stage, options, *imported.result, model}; }
    [[nodiscard]] Explanation  one(std::string_view path) const
    {
        auto answer = explain(input(), path);
        REQUIRE(answer);
        REQUIRE(answer->size() == 1);
        return answer->front();
    }
};

const std::string kArm = R"(
def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
def PhysicsRevoluteJoint "shoulder_joint"
{
    rel physics:body0 = </base>
    rel physics:body1 = </arm>
    float physics:lowerLimit = -90
    float newton:armature = 0.01
    float physxJoint:armature = 0.02
    double mjc:armature = 0.03
}
)";

}  // namespace

TEST_CASE("every joint can be explained, whichever of its axes are limited or driven")
{
    // To find out what decided, the stage is imported by each answer to each question of compatibility.
    for (const char* type : {"PhysicsJoint", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint",
                             "PhysicsFixedJoint", "PhysicsDistanceJoint"})
        for (const char* api : {"PhysicsLimitAPI:transX", "PhysicsLimitAPI:rotZ", "PhysicsLimitAPI:distance",
                                "PhysicsDriveAPI:rotY", "PhysicsDriveAPI:angular", "PhysicsDriveAPI:transZ"})
            for (const char* side : {"body0", "body1"}) {
                CAPTURE(std::string(type));
                CAPTURE(std::string(api));
                const Asked asked(stage_text(kArm + fmt::format("def {} \"j\" (prepend apiSchemas = [\"{}\"])\n{{\n    "
                                                                "rel physics:{} = </arm>\n}}\n",
                                                                type, api, side)),
                                  {"newton"});
                if (asked.imported.result->path_joint_map.contains("/j")) CHECK(explain(asked.input(), "/j"));
                CHECK(explain(asked.input(), "/shoulder_joint"));
            }
}

TEST_CASE("explain names the winner, the losers and their order for the armature that three vendors author (SMP-02)")
{
    struct Row {
        std::vector<std::string> resolvers;
        const char *             winner, *value;
    };
    const Row table[] = {{{"newton", "physx", "mjc"}, "newton:armature", "0.01"},
                         {{"physx", "newton", "mjc"}, "physxJoint:armature", "0.02"},
                         {{"mjc", "newton", "physx"}, "mjc:armature", "0.03"}};
    for (const Row& row : table) {
        CAPTURE(row.winner);
        const Asked       asked(stage_text(kArm), row.resolvers);
        const Explanation x = asked.one("/shoulder_joint.armature");
        REQUIRE(x.won.size() == 1);
        CHECK(x.won.front().property == row.winner);
        CHECK(x.won.front().rank == 1);
        CHECK(std::stod(x.value) == mechane::test::close_to(std::stod(row.value), 1e-7));  // authored as float
        CHECK(x.unit == "kg m^2");
        CHECK(x.source == "authored");
        REQUIRE(x.lost.size() == 2);
        for (const Candidate& c : x.lost) CHECK(c.verdict == Verdict::overridden);
    }
}

TEST_CASE("a resolver that is not listed lost for that reason")
{
    const Asked       asked(stage_text(kArm), {"newton"});
    const Explanation x = asked.one("/shoulder_joint.joint_armature");  // by the name of the array
    REQUIRE(x.lost.size() == 2);
    CHECK(x.lost.front().rank == 0);
    CHECK(x.lost.front().note.find("not listed") != std::string::npos);
}

TEST_CASE("explain says how a value was converted, and which default stands in where nothing is authored")
{
    const Asked       asked(stage_text(kArm), {"newton"});
    const Explanation lower = asked.one("/shoulder_joint.limit_lower");
    CHECK(lower.won.front().note.find("degrees to radians") != std::string::npos);
    CHECK(lower.unit == "rad");
    const Explanation upper = asked.one("/shoulder_joint.limit_upper");
    CHECK(upper.value == "unlimited");
    CHECK(upper.source == "fallback of the schema");
    CHECK(upper.absent == std::vector<std::string>{"physics:upperLimit"});
    const Explanation ke = asked.one("/shoulder_joint.limit_stiffness");
    CHECK(ke.value == "10000");
    CHECK(ke.source == "default of the importer");
    CHECK(std::find(ke.absent.begin(), ke.absent.end(), "newton:limitStiffness") != ke.absent.end());
    // Asked by a property, every number that it could have a say in answers.
    CHECK(asked.one("/shoulder_joint.physics:upperLimit").field == "limit_upper");
    CHECK(asked.one("/arm/c.mu").source.find("no physics material is bound") != std::string::npos);
}

TEST_CASE("explain names the rule and the colliders that gave a body its mass")
{
    const Asked       asked(stage_text(R"(
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) { float physics:mass = 3 }
})"),
                            {"newton"});
    const Explanation mass = asked.one("/b.mass");
    REQUIRE(mass.won.size() == 1);
    CHECK(mass.won.front().prim == "/b/c");
    CHECK(mass.value == "3");
    CHECK(asked.one("/b.inertia").source == "rule of the mass ladder: computed");
}

TEST_CASE("the gains of an acceleration drive are explained in units without mass")
{
    const auto unit = [](const std::string& type, const std::string& field) {
        const Asked asked(stage_text(R"(
def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
def PhysicsRevoluteJoint "elbow" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
{
    rel physics:body1 = </arm>
    float drive:angular:physics:stiffness = 10
    uniform token drive:angular:physics:type = ")" +
                                     type + "\"\n}\n"),
                          {"newton"});
        return asked.one("/elbow." + field).unit;
    };
    CHECK(unit("force", "drive_stiffness") == "N m/rad");
    CHECK(unit("force", "drive_damping") == "N m s/rad");
    CHECK(unit("acceleration", "drive_stiffness") == "1/s^2");
    CHECK(unit("acceleration", "drive_damping") == "1/s");
}

TEST_CASE("gains of an acceleration drive are explained with the factor that degrees ask for (GAP-091)")
{
    const Asked asked(stage_text(R"(
def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
def PhysicsRevoluteJoint "elbow" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
{
    rel physics:body1 = </arm>
    float drive:angular:physics:stiffness = 10
    float drive:angular:physics:damping = 2
    uniform token drive:angular:physics:type = "acceleration"
}
)"),
                      {"newton"});
    const auto  stiffness = asked.one("/elbow.drive_stiffness"), damping = asked.one("/elbow.drive_damping");
    CHECK(std::stod(stiffness.value) == mechane::test::close_to(10 * 180 / kPi, 1e-3));
    CHECK(std::stod(damping.value) == mechane::test::close_to(2 * 180 / kPi, 1e-3));
    REQUIRE_FALSE(stiffness.won.empty());
    CHECK(stiffness.won.front().verdict == Verdict::converted);
    CHECK(stiffness.won.front().note == "times 57.2957795: per degree to per radian");
}

TEST_CASE("pairs that no force moves do not collide, and are explained so (COL pairs of kinematic and static bodies)")
{
    const Asked asked(stage_text(R"(
def Cube "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:kinematicEnabled = true }
def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:kinematicEnabled = true }
def Cube "floor" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
def Cube "wall" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
def Cube "free" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { }
)"),
                      {"newton"});
    const auto  collide = [&](const char* x, const char* y) {
        const auto pairs = explain_pair(asked.input(), x, y);
        REQUIRE(pairs);
        REQUIRE(pairs->size() == 1);
        return pairs->front().collide;
    };
    for (const auto& [x, y] : {std::pair("/a", "/b"), {"/a", "/floor"}, {"/wall", "/b"}, {"/floor", "/wall"}}) {
        CAPTURE(x);
        CAPTURE(y);
        CHECK_FALSE(collide(x, y));
    }
    for (const char* other : {"/a", "/b", "/floor", "/wall"}) CHECK(collide("/free", other));
}

TEST_CASE("explaining a prim covers every field of what it became; unknown paths and fields are named with near ones")
{
    const Asked asked(stage_text(kArm), {"newton"});
    const auto  all = explain(asked.input(), "/shoulder_joint");
    REQUIRE(all);
    for (const char* field :
         {"parent", "axis", "limit_lower", "drive_stiffness", "effort_limit", "armature", "q", "break_force"}) {
        CAPTURE(field);
        CHECK(std::any_of(all->begin(), all->end(), [&](const Explanation& x) { return x.field == field; }));
    }
    const auto field = explain(asked.input(), "/arm.mas");
    REQUIRE_FALSE(field);
    CHECK(field.error().id == "EXPLAIN_UNKNOWN");
    CHECK(field.error().hint.find("mass") != std::string::npos);
    const auto path = explain(asked.input(), "/robot/shoulder_joint");
    REQUIRE_FALSE(path);
    CHECK(path.error().hint.find("/shoulder_joint") != std::string::npos);
}

TEST_CASE("a pair that does not collide gets every reason: joint, group, filtered pair, one body, disabled")
{
    const Asked asked(stage_text(kArm + R"(
def Cube "off" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:collisionEnabled = false }
def Cube "alone" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsFilteredPairsAPI"]) { rel physics:filteredPairs = </base> }
def Xform "two" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
    def Cube "a" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
    def Cube "b" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
}
def PhysicsCollisionGroup "left" (prepend apiSchemas = ["CollectionAPI:colliders"])
{
    prepend rel collection:colliders:includes = </two/a>
    rel physics:filteredGroups = </right>
}
def PhysicsCollisionGroup "right" (prepend apiSchemas = ["CollectionAPI:colliders"])
{
    prepend rel collection:colliders:includes = </alone>
})"),
                      {"newton"});
    struct Row {
        const char *a, *b, *reason;
    };
    const Row table[] = {
        {"/base", "/arm", "joined by </shoulder_joint>"},
        {"/two/a", "/two/b", "both belong to the body </two>"},
        {"/off", "/base", "</off> does not collide"},
        {"/alone", "/base", "physics:filteredPairs"},
        {"/two/a", "/alone", "</left>"},
        {"/two/b", "/alone", ""},
    };
    for (const Row& row : table) {
        CAPTURE(row.a);
        CAPTURE(row.b);
        const auto pairs = explain_pair(asked.input(), row.a, row.b);
        REQUIRE(pairs);
        REQUIRE(pairs->size() == 1);
        const PairExplanation& pair = pairs->front();
        CHECK(pair.collide == (*row.reason == 0));
        if (*row.reason == 0) continue;
        REQUIRE(pair.reasons.size() == 1);
        CHECK(pair.reasons.front().find(row.reason) != std::string::npos);
    }
    const auto groups = explain_pair(asked.input(), "/two/a", "/alone");
    CHECK(groups->front().remarks.size() == 2);
    CHECK_FALSE(explain_pair(asked.input(), "/nowhere", "/base"));
}

TEST_CASE("colliders that take part in nothing, by their switch or by group 0, are explained alike (GAP-037)")
{
    const Asked asked(stage_text(R"(
def Cube "base" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
def Cube "off" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:collisionEnabled = false }
def Cube "zero" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { custom int newton:collision_group = 0 }
)"),
                      {"newton"});
    for (const char* path : {"/off", "/zero"}) {
        CAPTURE(path);
        const auto pairs = explain_pair(asked.input(), path, "/base");
        REQUIRE(pairs);
        REQUIRE(pairs->size() == 1);
        CHECK_FALSE(pairs->front().collide);
        CHECK_FALSE(pairs->front().reasons.empty());
    }
}

TEST_CASE("a density that stands above the body is named as what decides (GAP-098)")
{
    const Asked       asked(stage_text(R"(
def Xform "W" (prepend apiSchemas = ["PhysicsMassAPI"]) {
    float physics:density = 200
    def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { double size = 1 }
    def Cube "own" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]) { float physics:mass = 3 }
}
)"),
                            {"newton"});
    const Explanation x = asked.one("/W/b.mass");
    REQUIRE(x.won.size() == 1);
    CHECK(x.won.front().prim == "/W");
    CHECK(x.won.front().property == "physics:density");
    CHECK(x.value == "200");
}

TEST_CASE("a value that came out of a convention names it, and what it would be otherwise")
{
    const Asked arm(stage_text(R"(
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
def PhysicsRevoluteJoint "hinge"
{
    rel physics:body1 = </a>
    float physics:lowerLimit = 30
    float physics:upperLimit = -30
}
)"),
                    {"newton"});
    const auto  decided = [&](std::string_view path) {
        auto answer = explain(arm.input(), path);
        REQUIRE(answer);
        find_decisions(arm.input(), path, *answer);
        return *std::move(answer);
    };
    // A lower limit above the upper one locks the axis: the joint becomes a fixed one.
    const auto type = decided("/hinge.type");
    REQUIRE(type.size() == 1);
    CHECK(type[0].value == "FIXED");
    REQUIRE(type[0].decisions.size() == 1);
    CHECK(type[0].decisions[0].convention == "locked_axes_kept");
    CHECK(type[0].decisions[0].answer == "the axis is locked");
    CHECK(type[0].decisions[0].otherwise == "kept");
    CHECK(type[0].decisions[0].instead == "REVOLUTE");
    // Nobody reads the mass otherwise.
    for (const Explanation& x : decided("/a.mass")) CHECK(x.decisions.empty());
}
