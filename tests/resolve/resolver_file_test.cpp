#include <doctest/doctest.h>

#include "mechane/resolve/resolvers.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::resolve;
using mechane::test::close_to;

namespace {

Result<ResolverList> listed(const std::string& text, const std::vector<std::string>& others = {},
                            const char* name = "acme.json")
{
    const mechane::test::TemporaryFolder folder;
    std::vector<std::string>             names{folder.write(name, text)};
    names.insert(names.end(), others.begin(), others.end());
    return resolvers_named(names);
}

}  // namespace

TEST_CASE("a table in a file takes part in the order of resolvers like the ones that ship (GAP-013)")
{
    const auto list = listed(R"({"name": "acme", "namespaces": ["acmeJoint"], "rows": [
        {"key": "joint_armature", "attributes": ["acmeJoint:rotorInertia"], "unit": "mass_or_inertia"},
        {"key": "joint_limit_ke", "attributes": ["acmeJoint:stop"], "unit": "stiffness_deg", "convert": "unless_minus_infinity"},
        {"key": "shape_gap", "attributes": ["acme:outer", "acme:inner"], "unit": "length", "convert": "difference"},
        {"key": "scene_gravity_enabled", "attributes": ["acme:weightless"], "convert": "not", "fallback": false}]})",
                             {"newton"});
    REQUIRE(list);
    auto stage = usd::Stage::open_text(R"(#usda 1.0
def Xform "p"
{
    float acmeJoint:rotorInertia = 0.5
    float newton:armature = 0.25
    float acmeJoint:stop = 2
    float acme:outer = 0.5
    float acme:inner = 0.25
    bool acme:weightless = true
}
)");
    REQUIRE(stage);
    const usd::Prim prim = (*stage)->prim_at(usd::Path("/p"));
    Context         context;
    context.motion          = Motion::angular;
    const Resolved armature = list->get(prim, Key::joint_armature, context);
    CHECK(*armature.number() == 0.5);
    CHECK(armature.resolver == "acme");
    // Per degree: times 180 / pi.
    CHECK(*list->get(prim, Key::joint_limit_ke, context).number() == close_to(2 * 180 / 3.14159265358979324, 1e-9));
    CHECK(*list->get(prim, Key::shape_gap, context).number() == 0.25);
    CHECK(*list->get(prim, Key::scene_gravity_enabled, context).flag() == false);
    CHECK(list->collect(prim).front().count("acmeJoint:rotorInertia") == 1);
}

TEST_CASE("a faulty table is refused with what is wrong in it")
{
    struct Row {
        const char *json, *message;
    };
    const Row table[] = {
        {"[", "not a JSON object"},
        {R"({"rows": []})", "no name"},
        {R"({"name": "a"})", "rows is not a list"},
        {R"({"name": "a", "rows": [{"key": "joint_armor", "attributes": ["x"]}]})", "no key 'joint_armor'"},
        {R"({"name": "a", "rows": [{"key": "joint_armature", "attributes": []}]})", "attributes"},
        {R"({"name": "a", "rows": [{"key": "joint_armature", "attributes": ["x"], "unit": "inch"}]})",
         "no unit 'inch'"},
        {R"({"name": "a", "rows": [{"key": "joint_armature", "attributes": ["x"], "convert": "twice"}]})",
         "no conversion 'twice'"},
        {R"({"name": "a", "rows": [{"key": "joint_armature", "attributes": ["x"], "fallbak": 1}]})",
         "no entry 'fallbak'"},
    };
    for (const Row& row : table) {
        CAPTURE(row.json);
        const auto list = listed(row.json);
        REQUIRE_FALSE(list);
        CHECK(list.error().id == "RESOLVER_TABLE");
        CHECK(list.error().message.find(row.message) != std::string::npos);
    }
    CHECK(resolvers_named(std::vector<std::string>{"/nowhere/acme.json"}).error().id == "RESOLVER_TABLE");
    CHECK(resolvers_named(std::vector<std::string>{"acme"}).error().id == "RESOLVER_UNKNOWN");
}

TEST_CASE("a table may be written in TOML, which then says what JSON says (GAP-013)")
{
    const auto toml = listed(R"(# motors of our own
name = "acme"
namespaces = ["acmeJoint"]

[[rows]]
key = "joint_armature"
attributes = ["acmeJoint:rotorInertia"]
unit = "mass_or_inertia"

[[rows]]
key = "shape_gap"
attributes = ["acme:outer", "acme:inner"]
unit = "length"
convert = "difference"

[[rows]]
key = "joint_velocity_limit"
attributes = ["acmeJoint:fastest"]
fallback = inf
)",
                             {"newton"}, "acme.toml");
    REQUIRE(toml);
    auto stage = usd::Stage::open_text(R"(#usda 1.0
def Xform "p"
{
    float acmeJoint:rotorInertia = 0.5
    float newton:armature = 0.25
    float acme:outer = 0.5
    float acme:inner = 0.25
}
)");
    REQUIRE(stage);
    const usd::Prim prim     = (*stage)->prim_at(usd::Path("/p"));
    const Resolved  armature = toml->get(prim, Key::joint_armature, {});
    CHECK(*armature.number() == 0.5);
    CHECK(armature.resolver == "acme");
    CHECK(*toml->get(prim, Key::shape_gap, {}).number() == 0.25);
    CHECK(*toml->get(prim, Key::joint_velocity_limit, {}).number() == kInfinity);
}

TEST_CASE("a faulty TOML table is refused with the place of the mistake")
{
    struct Row {
        const char *toml, *message;
        int         line;  // 0: the mistake is in the content, which has no line
    };
    const Row table[] = {
        {"name = \"a\"\nrows = [\n", "not valid TOML", 2},
        {"name = \"a\"\nname = \"b\"\n", "not valid TOML", 2},
        {"name = 1\nrows = []\n", "no name", 0},
        {"name = \"a\"\n[[rows]]\nkey = \"joint_armor\"\nattributes = [\"x\"]\n", "no key 'joint_armor'", 0},
        {"name = \"a\"\n[[rows]]\nkey = \"joint_armature\"\nattributes = [\"x\"]\nfallback = 1979-05-27\n",
         "fallback is not a value", 0},
    };
    for (const Row& row : table) {
        CAPTURE(row.toml);
        const auto list = listed(row.toml, {}, "acme.toml");
        REQUIRE_FALSE(list);
        CHECK(list.error().id == "RESOLVER_TABLE");
        CHECK(list.error().message.find(row.message) != std::string::npos);
        if (row.line != 0) CHECK(list.error().site.line >= row.line);
    }
    // Deep nesting is a mistake like another, not the end of the stack.
    CHECK_FALSE(listed("name = " + std::string(100000, '['), {}, "acme.toml"));
}
