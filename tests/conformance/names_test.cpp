// The same faults under other names and kinds.
#include "conformance/checking.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

std::size_t in_robot(const std::string& fragment, std::string_view id, std::string_view variant = {})
{ return count(checked(fixture_stage(fragment)), id, variant); }

}  // namespace

TEST_CASE("a set that is named like collision_fidelity is told whatever it holds, once (REP-1.3.1-c)")
{
    const auto set = [](const std::string& name) {
        return "<<link a>>\ndef Scope \"collision\" (\n    prepend variantSets = \"" + name +
               "\"\n    variants = {\n        string " + name + " = \"baseline\"\n    }\n)\n{\n    variantSet \"" +
               name +
               "\" = {\n        \"baseline\" {\n            <<collider box rubber>>\n        }\n        \"detailed\" "
               "{\n        }\n  "
               "  }\n}\n}\n";
    };
    CHECK(in_robot(set("collisionFidelity"), "REP-1.3.1-c", "name") == 1);
    CHECK(in_robot(set("Collision_Fidelity"), "REP-1.3.1-c") == 1);
    CHECK(in_robot(set("collision_fidelity"), "REP-1.3.1-c") == 0);
    CHECK(in_robot(set("fidelity"), "REP-1.3.1-c") == 0);
}

TEST_CASE("an assembly without components is one itself (REP-1.2.2-a)")
{
    const auto with = [](const std::string& kind, const std::string& inside) {
        return count(
            checked(layer("def Xform \"robot\" ( assetInfo = { string identifier = \"u\"\n string version = \"1\" }\n "
                          "kind = \"" +
                          kind + "\" ) {\n" + inside + "}\n")),
            "REP-1.2.2-a");
    };
    const std::string part = "def Xform \"p\" (kind = \"component\") {}\n";
    CHECK(with("assembly", "") == 1);
    CHECK(with("group", "def Xform \"p\" (kind = \"subcomponent\") {}\n") == 1);
    CHECK(with("assembly", part) == 0);
    CHECK(with("assembly", "def Xform \"g\" (kind = \"group\") { " + part + " }\n") == 0);
    CHECK(with("component", "") == 0);
}
