#include "mechane/usd/collection.h"

#include "support/allocations.h"
#include "usd/stages.h"

using namespace mechane;
using test::texts;
using test::usda_stage;
using usd::Path;
using Paths = std::vector<std::string>;

namespace {

/// The stage of usd-stage section 15 with collections x, y and z on /c.
std::shared_ptr<const usd::Stage> with_collections(const std::string& properties)
{
    return usda_stage(R"(
def "W"
{
    def "A"
    {
        def "B" (
            kind = "component"
        )
        {
            double x = 1
            def "D"
            {
            }
        }
    }
    def Xform "A2"
    {
    }
}
def "c" (
    prepend apiSchemas = ["CollectionAPI:x", "CollectionAPI:y", "CollectionAPI:z"]
)
{
)" + properties + "\n}\n");
}

usd::CollectionQuery query(const std::shared_ptr<const usd::Stage>& stage, Diagnostics* found = nullptr)
{ return usd::collection(stage->prim_at(Path("/c")), "x", found); }

Paths members(const std::string& properties) { return texts(query(with_collections(properties)).included_paths()); }

std::string expression(const char* text)
{ return std::string("uniform pathExpression collection:x:membershipExpression = \"") + text + "\"\n"; }

}  // namespace

// All expected members are usd-core 26.11's for the same text.

TEST_CASE("every row of the table of collections has its members (STG-102)")
{
    const struct {
        const char* properties;
        Paths       members;
    } table[] = {
        {"rel collection:x:includes = </W/A>", {"/W/A", "/W/A/B", "/W/A/B/D"}},
        {"rel collection:x:includes = </W/A>\nuniform token collection:x:expansionRule = \"explicitOnly\"", {"/W/A"}},
        {"bool collection:x:includeRoot = 1\nrel collection:x:excludes = [</W/A>, </c>]", {"/W", "/W/A2"}},
        {"rel collection:x:includes = </W/A>\nrel collection:x:excludes = </W/A/B>", {"/W/A"}},
        {"rel collection:x:includes = [</W/A>, </W/A/B/D>]\nrel collection:x:excludes = </W/A/B>",
         {"/W/A", "/W/A/B/D"}},
        {"uniform token collection:x:expansionRule = \"explicitOnly\"\nrel collection:x:includes = [</W/A>, "
         "</W/A/B>]\nrel collection:x:excludes = </W/A/B>",
         {"/W/A"}},
        {"rel collection:x:includes = </W/A/B.x>", {"/W/A/B.x"}},
        {"rel collection:y:includes = </W/A>\nrel collection:x:includes = </c.collection:y>\nrel "
         "collection:x:excludes = </W/A/B/D>",
         {"/W/A", "/W/A/B"}},
        {"uniform pathExpression collection:x:membershipExpression = \"//B//\"", {"/W/A/B", "/W/A/B/D"}},
    };
    for (const auto& row : table) {
        CAPTURE(row.properties);
        CHECK(members(row.properties) == row.members);
    }
}

TEST_CASE("targets count in their order: a later collection replaces what an earlier target said")
{
    const std::string y = "rel collection:y:includes = </W/A>\nrel collection:y:excludes = </W/A/B>\n";
    CHECK(members(y + "rel collection:x:includes = [</W/A/B>, </c.collection:y>]") == Paths{"/W/A"});
    CHECK(members(y + "rel collection:x:includes = [</c.collection:y>, </W/A/B>]") ==
          Paths{"/W/A", "/W/A/B", "/W/A/B/D"});
}

TEST_CASE("an entry that does not expand to a path leaves the answer to those above it")
{
    const auto stage = with_collections(
        "rel collection:y:includes = </W/A>\nuniform token collection:y:expansionRule = \"expandPrimsAndProperties\"\n"
        "rel collection:z:includes = </W/A/B>\nuniform token collection:z:expansionRule = \"explicitOnly\"\n"
        "rel collection:x:includes = [</c.collection:y>, </c.collection:z>]");
    CHECK(query(stage).contains(Path("/W/A/B.x")));
    CHECK(query(stage).contains(Path("/W/A/B/D")));
}

TEST_CASE("excluding a collection takes its members away")
{
    CHECK(members("rel collection:y:includes = </W/A/B>\nrel collection:x:includes = </W/A>\n"
                  "rel collection:x:excludes = </c.collection:y>") == Paths{"/W/A"});
}

TEST_CASE("a root included explicitly only is nothing; an empty query contains nothing")
{
    CHECK(members("bool collection:x:includeRoot = 1\nuniform token collection:x:expansionRule = \"explicitOnly\"")
              .empty());
    CHECK_FALSE(usd::CollectionQuery().contains(Path("/W")));
    CHECK(usd::CollectionQuery().empty());
    CHECK(usd::collection({}, "x").included_paths().empty());
}

TEST_CASE("collections that include each other are finite and named (STG-103)")
{
    const auto stage = with_collections(
        "rel collection:y:includes = [</W/A/B>, </c.collection:x>]\nrel collection:x:includes = [</W/A2>, "
        "</c.collection:y>]");
    Diagnostics found;
    CHECK(texts(query(stage, &found).included_paths()) == Paths{"/W/A/B", "/W/A/B/D", "/W/A2"});
    REQUIRE(found.count("COLLECTION_CYCLE") == 1);
    CHECK(found.items()[0].message.find("/c.collection:x") != std::string::npos);

    Diagnostics of_expressions;
    const auto  expressions = with_collections(
        expression("%/c:y") + "uniform pathExpression collection:y:membershipExpression = \"%/c:x //D\"");
    CHECK(texts(query(expressions, &of_expressions).included_paths()) == Paths{"/W/A/B/D"});
    CHECK(of_expressions.count("COLLECTION_CYCLE") == 1);
}

TEST_CASE("expandPrimsAndProperties lists authored and built-in properties (STG-104)")
{
    CHECK(members("uniform token collection:x:expansionRule = \"expandPrimsAndProperties\"\nrel collection:x:includes "
                  "= </W/A/B>") == Paths{"/W/A/B", "/W/A/B.x", "/W/A/B/D"});
    const auto built_in = members(
        "uniform token collection:x:expansionRule = \"expandPrimsAndProperties\"\nrel collection:x:includes = "
        "</W/A2>");
    REQUIRE(built_in.size() == 5);  // an Xform: proxyPrim, purpose, visibility, xformOpOrder
    CHECK(built_in[0] == "/W/A2");
    CHECK(built_in[4] == "/W/A2.xformOpOrder");
}

TEST_CASE("mode automatic takes the expression only when the relationships say nothing (STG-105)")
{
    const std::string e    = expression("//B//");
    const Paths       of_e = {"/W/A/B", "/W/A/B/D"}, of_rel = {"/W/A2"};
    const std::string rel = "rel collection:x:includes = </W/A2>\n";
    const struct {
        std::string properties;
        Paths       members;
    } table[] = {
        {e, of_e},
        {e + rel, of_rel},
        {e + "rel collection:x:includes = []\n", of_e},
        {e + "bool collection:x:includeRoot = 0\n", of_e},
        {e + "rel collection:x:excludes = </W/A/B>\n", {}},
        {e + rel + "uniform token collection:x:mode = \"expression\"\n", of_e},
        {e + "uniform token collection:x:mode = \"relationship\"\n", {}},
        {rel + "uniform token collection:x:mode = \"expression\"\n", {}},
    };
    for (const auto& row : table) {
        CAPTURE(row.properties);
        CHECK(members(row.properties) == row.members);
    }
    CHECK(query(with_collections(e)).uses_expression());
    CHECK_FALSE(query(with_collections(e + rel)).uses_expression());
}

TEST_CASE("membership expressions match patterns, predicates and other collections")
{
    const Paths all = {"/W", "/W/A", "/W/A/B", "/W/A/B/D", "/W/A2", "/c"};
    const struct {
        const char* text;
        Paths       members;
    } table[] = {
        {"//B// //A2", {"/W/A/B", "/W/A/B/D", "/W/A2"}},
        {"//A*", {"/W/A", "/W/A2"}},
        {"/W/*", {"/W/A", "/W/A2"}},
        {"~//A2", {"/W", "/W/A", "/W/A/B", "/W/A/B/D", "/c"}},
        {"//", all},
        {"//*", all},
        {"/W/A// - //D", {"/W/A", "/W/A/B"}},
        {"B//", {}},  // relative to /c
        {"/W//{kind:component}", {"/W/A/B"}},
        {"/W//{kind:model}", {"/W/A/B"}},
        {"/W//{kind(model, strict=true)}", {}},
        {"/W//{isa:Imageable}", {"/W/A2"}},
        {"/W//{isa(Imageable, strict=true)}", {}},
        {"/c{hasAPI:CollectionAPI}", {"/c"}},
        {"/c{hasAPI(CollectionAPI, instanceName=z)}", {"/c"}},
        {"/c{hasAPI(CollectionAPI, instanceName=q)}", {}},
        {"/W/A//{abstract:false}", {"/W/A", "/W/A/B", "/W/A/B/D"}},
        {"/W//{defined active specifier:def}", {"/W", "/W/A", "/W/A/B", "/W/A/B/D", "/W/A2"}},
        {"/W//{specifier:class}", {}},
        {"//{not isa:Typed and group:false and model:false}", {"/W", "/W/A", "/W/A/B", "/W/A/B/D", "/c"}},
    };
    for (const auto& row : table) {
        CAPTURE(row.text);
        const auto  stage = with_collections(expression(row.text));
        Diagnostics found;
        CHECK(texts(query(stage, &found).included_paths()) == row.members);
        CHECK(found.empty());
    }
    CHECK(members(expression("%/c:y - //D") + "uniform pathExpression collection:y:membershipExpression = \"//B//\"") ==
          Paths{"/W/A/B"});
    CHECK(query(with_collections(expression("//B//"))).contains(Path("/W/A/B.x")));
}

TEST_CASE("an expression selects prims by the variant they stand at")
{
    const auto stage = usda_stage(R"(
def "m" (
    variants = {
        string size = "big"
    }
    prepend variantSets = "size"
)
{
    variantSet "size" = {
        "big" {
        }
        "small" {
        }
    }
}
def "c" (
    prepend apiSchemas = ["CollectionAPI:x", "CollectionAPI:y"]
)
{
    uniform pathExpression collection:x:membershipExpression = "//{variant(size=big)}"
    uniform pathExpression collection:y:membershipExpression = "//{variant(size=small)}"
}
)");
    CHECK(texts(stage->collection_members(stage->prim_at(Path("/c")), "x")) == Paths{"/m"});
    CHECK(stage->collection_members(stage->prim_at(Path("/c")), "y").empty());
}

TEST_CASE("what an expression cannot say is reported and matches nothing")
{
    for (const char* text : {"//{nosuch:1}", "%/c:y", "%/nowhere:z", "//{kind}"}) {
        CAPTURE(text);
        const auto  stage = with_collections(expression(text) + "rel collection:y:includes = </W/A>");
        Diagnostics found;
        CHECK(query(stage, &found).included_paths().empty());
        CHECK(found.count("COLLECTION_EXPRESSION_ERROR") == 1);
    }
}

TEST_CASE("a relative expression in a referenced prim is about that prim where it is brought in")
{
    const auto stage = usda_stage(R"(
class "asset" (
    prepend apiSchemas = ["CollectionAPI:x"]
)
{
    uniform pathExpression collection:x:membershipExpression = "wheel*"
    def "wheel1"
    {
    }
    def "body"
    {
    }
}
def "car" (
    references = </asset>
)
{
}
)");
    CHECK(texts(stage->collection_members(stage->prim_at(Path("/car")), "x")) == Paths{"/car/wheel1"});
}

TEST_CASE("contains() does not walk the stage: a question allocates as often on 40 000 prims as on 100 (STG-106)")
{
    const auto allocations_on = [](int prims) {
        std::string text = "def \"W\"\n{\n";
        for (int i = 0; i < prims; ++i) text += "def \"p" + std::to_string(i) + "\"\n{\n}\n";
        text +=
            "}\ndef \"c\" (\n    prepend apiSchemas = [\"CollectionAPI:x\"]\n)\n{\n    rel collection:x:includes = "
            "</W>\n    rel collection:x:excludes = </W/p0>\n}\n";
        const auto stage = usda_stage(text);
        const auto q     = usd::collection(stage->prim_at(Path("/c")), "x");
        const Path in("/W/p1"), out("/W/p0");
        CHECK(q.contains(in));  // whatever is made once
        CHECK_FALSE(q.contains(out));
        const std::size_t before = test::allocations();
        int               count  = 0;
        for (int i = 0; i < 1000; ++i) count += q.contains(in) + q.contains(out);
        CHECK(count == 1000);
        return test::allocations() - before;
    };
    // A walk makes a list of what it has passed, or a prim for each.
    CHECK(allocations_on(40000) == allocations_on(100));
}
