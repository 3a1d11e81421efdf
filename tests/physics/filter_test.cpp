#include "mechane/physics/filter.h"

#include "stages.h"

namespace mechane::physics {
using test::Parsed;

TEST_CASE("what two groups filter, each listing the other or itself, inverted or not (COL-044, COL-045, COL-046)")
{
    // The rows of the table of spec "collision", 2.6: lists of A and B, who is inverted; whether A-B, A-A, B-B meet.
    const struct {
        const char* list_a;
        bool        inverted_a;
        const char* list_b;
        bool        inverted_b;
        bool        ab, aa, bb;
    } table[] = {
        {"", false, "", false, true, true, true},          {"</B>", false, "", false, false, true, true},
        {"", false, "</A>", false, false, true, true},     {"</A>", false, "", false, true, false, true},
        {"", true, "", false, false, false, true},         {"</B>", true, "", false, true, false, true},
        {"</A>, </B>", true, "", false, true, true, true}, {"</B>", true, "</A>", false, false, false, true},
        {"</B>", true, "", true, false, false, false},     {"</A>", true, "</B>", true, false, true, true},
    };
    const auto group = [](const std::string& name, const std::string& list, bool inverted) {
        return "def PhysicsCollisionGroup \"" + name + "\" { rel physics:filteredGroups = [" + list +
               "]  bool physics:invertFilteredGroups = " + (inverted ? "true" : "false") + " }\n";
    };
    for (const auto& row : table) {
        CAPTURE(row.list_a);
        CAPTURE(row.list_b);
        CAPTURE(row.inverted_a);
        const Parsed p(group("A", row.list_a, row.inverted_a) + group("B", row.list_b, row.inverted_b));
        const auto   meet = [&](std::size_t i, std::size_t j) {
            return p.model.group_table.meets(static_cast<std::size_t>(p.model.groups[i].table_index),
                                             static_cast<std::size_t>(p.model.groups[j].table_index));
        };
        CHECK(meet(0, 1) == row.ab);
        CHECK(meet(1, 0) == row.ab);
        CHECK(meet(0, 0) == row.aa);
        CHECK(meet(1, 1) == row.bb);
    }
}

TEST_CASE("a collider of no group meets those of every group, inverted ones too (COL-048)")
{
    const Parsed     p(R"(
def PhysicsCollisionGroup "G" { bool physics:invertFilteredGroups = true  rel collection:colliders:includes = </In> }
def Cube "In" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
def Cube "Too" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
)");
    const PairFilter filter(p.model);
    CHECK(filter.verdict(0, 1) == PairVerdict::collide);
}

TEST_CASE("tables of collision groups (PHY-011, PHY-084, PHY-085, PHY-086, COL-046, COL-047, COL-054)")
{
    struct {
        const char*              what;
        const char*              groups;
        std::vector<std::string> rows;  ///< over groups A, B, ...; 1 for pairs that meet
    } table[] = {
        {"no filters", R"(def PhysicsCollisionGroup "A" {} def PhysicsCollisionGroup "B" {})", {"11", "11"}},
        {"A filters B",
         R"(def PhysicsCollisionGroup "A" { rel physics:filteredGroups = </B> }
def PhysicsCollisionGroup "B" {}
def PhysicsCollisionGroup "C" {})",
         {"101", "011", "111"}},
        {"A filters A",
         R"(def PhysicsCollisionGroup "A" { rel physics:filteredGroups = </A> }
def PhysicsCollisionGroup "B" {})",
         {"01", "11"}},
        {"A inverted [B]",
         R"(def PhysicsCollisionGroup "A" { rel physics:filteredGroups = </B>  bool physics:invertFilteredGroups = true }
def PhysicsCollisionGroup "B" {}
def PhysicsCollisionGroup "C" {})",
         {"010", "111", "011"}},
        {"A inverted []",
         R"(def PhysicsCollisionGroup "A" { bool physics:invertFilteredGroups = true }
def PhysicsCollisionGroup "B" {}
def PhysicsCollisionGroup "C" {})",
         {"000", "011", "011"}},
        {"A inverted [A]",
         R"(def PhysicsCollisionGroup "A" { rel physics:filteredGroups = </A>  bool physics:invertFilteredGroups = true }
def PhysicsCollisionGroup "B" {})",
         {"10", "01"}},
        {"A, C merged; A filters B",
         R"(def PhysicsCollisionGroup "A" { rel physics:filteredGroups = </B>  string physics:mergeGroup = "m" }
def PhysicsCollisionGroup "B" {}
def PhysicsCollisionGroup "C" { string physics:mergeGroup = "m" })",
         {"101", "010", "101"}},
        {"A, C merged and inverted, A [B], C [D]",
         R"(def PhysicsCollisionGroup "A" { rel physics:filteredGroups = </B>  bool physics:invertFilteredGroups = true  string physics:mergeGroup = "m" }
def PhysicsCollisionGroup "B" {}
def PhysicsCollisionGroup "C" { rel physics:filteredGroups = </D>  bool physics:invertFilteredGroups = true  string physics:mergeGroup = "m" }
def PhysicsCollisionGroup "D" {})",
         {"0000", "0101", "0000", "0101"}},
        // The reference answers B-C = 0 although C shares A's row; see usd-physics 8.1, note.
        {"A inverted [B] merged with C, which filters D",
         R"(def PhysicsCollisionGroup "A" { rel physics:filteredGroups = </B>  bool physics:invertFilteredGroups = true  string physics:mergeGroup = "m" }
def PhysicsCollisionGroup "B" {}
def PhysicsCollisionGroup "C" { rel physics:filteredGroups = </D>  string physics:mergeGroup = "m" }
def PhysicsCollisionGroup "D" {})",
         {"0100", "1111", "0100", "0101"}},
        {"B inverted [A]; A filters C",
         R"(def PhysicsCollisionGroup "A" { rel physics:filteredGroups = </C> }
def PhysicsCollisionGroup "B" { rel physics:filteredGroups = </A>  bool physics:invertFilteredGroups = true }
def PhysicsCollisionGroup "C" {})",
         {"110", "100", "001"}},
        {"an empty name merges nothing",
         R"(def PhysicsCollisionGroup "A" { rel physics:filteredGroups = </B>  string physics:mergeGroup = "" }
def PhysicsCollisionGroup "B" { string physics:mergeGroup = "" })",
         {"10", "01"}},
        {"a target that is no group disables nothing",
         R"(def PhysicsCollisionGroup "A" {}
def PhysicsCollisionGroup "B" { rel physics:filteredGroups = </Nowhere> })",
         {"11", "11"}},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const Parsed p(row.groups);
        const auto&  groups = p.model.groups;
        REQUIRE(groups.size() == row.rows.size());
        for (std::size_t i = 0; i < groups.size(); ++i) {
            std::string line;
            for (std::size_t j = 0; j < groups.size(); ++j)
                line += p.model.group_table.meets(static_cast<std::size_t>(groups[i].table_index),
                                                  static_cast<std::size_t>(groups[j].table_index))
                            ? '1'
                            : '0';
            CHECK(line == row.rows[i]);
        }
    }
    CHECK(Parsed(R"(def PhysicsCollisionGroup "B" { rel physics:filteredGroups = </Nowhere> })")
              .found.count("PHY_GROUP_TARGET_INVALID") == 1);
}

TEST_CASE(
    "merged groups list each other; members are found through the collection; one pair of groups that does not meet is "
    "enough (PHY-087, PHY-088, COL-049)")
{
    const Parsed p(R"(
def PhysicsCollisionGroup "A" { string physics:mergeGroup = "m"  rel collection:colliders:includes = </X> }
def PhysicsCollisionGroup "B" { string physics:mergeGroup = "m" }
def PhysicsCollisionGroup "C" { rel physics:filteredGroups = </A>  rel collection:colliders:includes = [</X/One>, </Y>] }
def Xform "X" { def Cube "One" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {} }
def Cube "Y" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
)");
    CHECK(p.model.groups[0].merged.size() == 2);
    CHECK(p.model.groups[1].merged.front().text() == "/A");
    CHECK(p.collider("/X/One").groups == std::vector<Index>{0, 2});
    const PairFilter filter(p.model);
    CHECK(filter.groups_filter(p.model.collider_at(usd::Path("/X/One")), p.model.collider_at(usd::Path("/Y"))));
}

TEST_CASE("what decides about a pair, in this order (PHY-089, PHY-090, PHY-091, PHY-092, COL-050, COL-052, COL-054)")
{
    const Parsed p(R"(
def PhysicsScene "S1" {}
def PhysicsScene "S2" {}
def PhysicsCollisionGroup "G" { rel physics:filteredGroups = </G>  rel collection:colliders:includes = [</A>, </B>, </E>] }
def Xform "A" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsFilteredPairsAPI"]) {
    rel physics:filteredPairs = [</B>, </Nowhere>]
    def Cube "c1" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
    def Cube "c2" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
}
def Cube "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
def Cube "C" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
def Cube "E" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
def Cube "Off" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:collisionEnabled = false }
def Cube "Other" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { rel physics:simulationOwner = </S2> }
def Cube "Moved" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:kinematicEnabled = true }
def Cube "Ground" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
def PhysicsFixedJoint "J" { rel physics:body0 = </A>  rel physics:body1 = </C> }
def PhysicsFixedJoint "ToGround" { rel physics:body0 = </Ground>  rel physics:body1 = </C> }
def PhysicsFixedJoint "Touching" { rel physics:body0 = </B>  rel physics:body1 = </C>  bool physics:collisionEnabled = true }
def PhysicsFixedJoint "Idle" { rel physics:body0 = </C>  rel physics:body1 = </E>  bool physics:jointEnabled = false }
def PhysicsFixedJoint "World" { rel physics:body1 = </B> }
)");
    struct {
        const char *a, *b;
        PairVerdict verdict;
    } table[] = {
        {"/A/c1", "/A/c2", PairVerdict::same_body},
        {"/Moved", "/Ground", PairVerdict::both_fixed},
        {"/Off", "/B", PairVerdict::disabled},
        {"/Other", "/B", PairVerdict::other_scene},
        {"/A/c1", "/B", PairVerdict::filtered_pair},  // beats the group
        {"/A/c2", "/C", PairVerdict::joint},
        {"/Ground", "/C", PairVerdict::joint},  // a static side counts when both ends are authored
        {"/A/c1", "/E", PairVerdict::group},
        {"/B", "/E", PairVerdict::group},
        {"/B", "/C", PairVerdict::collide},       // the joint keeps their contact
        {"/C", "/E", PairVerdict::collide},       // a disabled joint filters nothing
        {"/B", "/Ground", PairVerdict::collide},  // one end is not authored
        {"/Moved", "/B", PairVerdict::collide},
    };
    const PairFilter filter(p.model);
    for (const auto& row : table) {
        CAPTURE(row.a);
        CAPTURE(row.b);
        const Index a = p.model.collider_at(usd::Path(row.a)), b = p.model.collider_at(usd::Path(row.b));
        CHECK(to_string(filter.verdict(a, b)) == to_string(row.verdict));
        CHECK(filter.verdict(a, b) == filter.verdict(b, a));
    }
    CHECK(p.found.count("PHY_PAIR_TARGET_INVALID") == 1);
}

TEST_CASE("a filtered pair on an articulation root covers all its links (PHY-090, COL-050)")
{
    const Parsed p(R"(
def Xform "R" (prepend apiSchemas = ["PhysicsArticulationRootAPI", "PhysicsFilteredPairsAPI"]) {
    rel physics:filteredPairs = </Ball>
    def Cube "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
    def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
    def PhysicsFixedJoint "j" { rel physics:body0 = </R/a>  rel physics:body1 = </R/b> }
}
def Sphere "Ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {}
)");
    CHECK(PairFilter(p.model).filtered_pairs().size() == 2);
}

}  // namespace mechane::physics
