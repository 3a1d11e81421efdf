#include <sstream>

#include "stages.h"

namespace mechane::physics {
using test::Parsed;

namespace {

// Bodies b0.. below /R and joints "parent child" or "- child" for the world; `x` excludes, `d` disables, after the
// pair.
std::string robot(int bodies, const std::vector<std::string>& joints, const std::string& api_on = "/R")
{
    std::string text = "def Xform \"R\"" +
                       std::string(api_on == "/R" ? " (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"])" : "") +
                       " {\n";
    for (int i = 0; i < bodies; ++i) {
        const std::string name = "b" + std::to_string(i);
        text += "def Xform \"" + name + "\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"" +
                (api_on == "/R/" + name ? ", \"PhysicsArticulationRootAPI\"" : "") + "]) {}\n";
    }
    for (std::size_t i = 0; i < joints.size(); ++i) {
        std::istringstream words(joints[i]);
        std::string        parent, child, flags;
        words >> parent >> child >> flags;
        const std::string name = "j" + std::to_string(i);
        text += "def PhysicsRevoluteJoint \"" + name + "\"" +
                (api_on == "/R/" + name ? " (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"])" : "") + " {\n";
        if (parent != "-") text += "rel physics:body0 = </R/b" + parent + ">\n";
        text += "rel physics:body1 = </R/b" + child + ">\n";
        if (flags.find('x') != std::string::npos) text += "uniform bool physics:excludeFromArticulation = true\n";
        if (flags.find('d') != std::string::npos) text += "bool physics:jointEnabled = false\n";
        text += "}\n";
    }
    return text + "}\n";
}

std::vector<std::string> texts(const std::vector<usd::Path>& paths)
{
    std::vector<std::string> out;
    for (const usd::Path& path : paths) out.push_back(path.text());
    return out;
}
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the root of a tree: world joint, top body, or the centre of the graph (PHY-109..113, PHY-115, PHY-117)")
{
    struct {
        const char*              what;
        int                      bodies;
        std::vector<std::string> joints;
        Texts                    roots;
    } table[] = {
        {"fixed-base chain", 3, {"- 0", "0 1", "1 2"}, {"/R/j0"}},
        {"floating chain of five", 5, {"0 1", "1 2", "2 3", "3 4"}, {"/R/b2"}},
        {"floating chain of four", 4, {"0 1", "1 2", "2 3"}, {"/R/b1"}},
        {"star", 5, {"3 0", "3 1", "3 2", "3 4"}, {"/R/b3"}},
        {"ring of four", 4, {"0 1", "1 2", "2 3", "3 0"}, {"/R/b0"}},
        {"two world joints: the one of the link with more neighbours",
         4,
         {"- 0", "- 2", "0 1", "1 2", "2 3"},
         {"/R/j1"}},
        {"two components", 4, {"- 0", "0 1", "2 3"}, {"/R/j0", "/R/b2"}},
        {"a disabled joint splits", 4, {"- 0", "0 1", "1 2 d", "2 3"}, {"/R/j0", "/R/b2"}},
        {"an excluded joint is not crossed", 4, {"- 0", "0 1", "1 2 x", "2 3"}, {"/R/j0", "/R/b2"}},
        {"a lone body", 1, {}, {"/R/b0"}},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const Parsed p(robot(row.bodies, row.joints));
        CHECK(p.articulation("/R").valid);
        CHECK(texts(p.articulation("/R").roots) == row.roots);
        CHECK(p.articulation("/R").links.size() == static_cast<std::size_t>(row.bodies));
    }
}

TEST_CASE(
    "the API on a body roots there, on a world joint it fixes the base, on an inner joint or a dead body it is invalid "
    "(PHY-111)")
{
    const std::vector<std::string> chain{"- 0", "0 1", "1 2"};
    CHECK(texts(Parsed(robot(3, chain, "/R/b1")).articulation("/R/b1").roots) == Texts{"/R/b1"});
    CHECK(texts(Parsed(robot(3, chain, "/R/j0")).articulation("/R/j0").roots) == Texts{"/R/j0"});
    const Parsed inner(robot(3, chain, "/R/j1"));
    CHECK_FALSE(inner.articulation("/R/j1").valid);
    CHECK(inner.found.count("PHY_ARTIC_NO_ROOT") == 1);
    const Parsed dead(
        R"(def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI"]) { bool physics:rigidBodyEnabled = false })");
    CHECK_FALSE(dead.articulation("/B").valid);
}

TEST_CASE("the centre of a tree is found however many links it has")
{
    // The middle of a chain of 5001 links, b2500, is 2500 joints away from both ends; every other one is farther.
    std::vector<std::string> joints;
    for (int i = 0; i + 1 < 5001; ++i) joints.push_back(std::to_string(i) + " " + std::to_string(i + 1));
    const Parsed p(robot(5001, joints));
    CHECK(texts(p.articulation("/R").roots) == Texts{"/R/b2500"});
}

TEST_CASE("bodies below one body hang on it (PHY-114)")
{
    const Parsed p(R"(
def Xform "R" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    def Xform "top" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
            def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
        }
        def PhysicsFixedJoint "j0" { rel physics:body0 = </R/top>  rel physics:body1 = </R/top/a> }
        def PhysicsFixedJoint "j1" { rel physics:body0 = </R/top/a>  rel physics:body1 = </R/top/a/b> }
    }
}
)");
    CHECK(texts(p.articulation("/R").roots) == Texts{"/R/top"});
}

TEST_CASE(
    "a loop is cut at the joint that closes it in breadth-first order, excluded joints never join the tree (PHY-115, "
    "PHY-116)")
{
    // b0 - b1 - b2 - b3 - b0 from the world at b0: breadth-first takes j1 (0 1), j4 (3 0), j2 (1 2); j3 (2 3) closes.
    const Parsed p(robot(4, {"- 0", "0 1", "1 2", "2 3", "3 0"}));
    const Tree&  tree = p.articulation("/R").trees.at(0);
    const auto   name = [&](Index j) { return p.model.joints[static_cast<std::size_t>(j)].path.text(); };
    REQUIRE(tree.joints.size() == 3);
    CHECK(name(tree.joints[0]) == "/R/j1");
    CHECK(name(tree.joints[1]) == "/R/j4");
    CHECK(name(tree.joints[2]) == "/R/j2");
    REQUIRE(tree.closures.size() == 1);
    CHECK(name(tree.closures[0]) == "/R/j3");
    CHECK(name(tree.root_joint) == "/R/j0");
    CHECK(p.found.count("PHY_ARTIC_LOOP") == 1);

    const Parsed excluded(robot(4, {"- 0", "0 1", "1 2", "2 3", "3 0 x"}));
    CHECK(excluded.found.count("PHY_ARTIC_LOOP") == 0);
    CHECK(excluded.articulation("/R").trees.at(0).closures.size() == 1);
    CHECK(excluded.articulation("/R").joints.size() == 5);
}

TEST_CASE("the reference's list of bodies has an empty path for the world, and nothing for a lone body (PHY-118)")
{
    CHECK(texts(Parsed(robot(2, {"- 0", "0 1"})).articulation("/R").reference_bodies) == Texts{"", "/R/b0", "/R/b1"});
    CHECK(Parsed(robot(1, {})).articulation("/R").reference_bodies.empty());
}

TEST_CASE("a root below a root of the same tree is left out, and every body knows its articulation")
{
    const Parsed p(robot(3, {"0 1", "1 2"}) + "");
    for (const Body& body : p.model.bodies) CHECK(body.articulation == 0);
    const Parsed nested(R"(
def Xform "R" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI"]) {}
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
    def PhysicsFixedJoint "j" { rel physics:body0 = </R/a>  rel physics:body1 = </R/b> }
}
)");
    CHECK(nested.articulation("/R").valid);
    CHECK_FALSE(nested.articulation("/R/a").valid);
    CHECK(nested.found.count("PHY_ARTIC_NESTED") == 1);
}

}  // namespace mechane::physics
