// What the user reads of a file that is not usda: a sentence, the place and what stands there.
#include <string>

#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;

TEST_CASE("a file that does not parse is explained in a sentence, with the place, and without names of the grammar")
{
    struct {
        const char *body, *says;
        int         line;
    } const table[] = {
        {"def Xform \"W\"\n{\n    int a = \n}\n", "expected a property, a prim or '}'; found 'int a = '", 4},
        {"def Xform \"W\" { double size = 1 }\n", "a statement ends with its line or with ';', and 'double size = 1 }' goes on", 2},
        {"def Xform \"W\" (\n    kind \"component\"\n)\n{\n}\n", "expected '='; found ' \"component\"'", 3},
        {"def Xform \"W\"\n{\n    double3 p = (1 2, 3)\n}\n", "expected a comma or ')' in a tuple; found '2, 3)'", 4},
        {"def Xform \"W\"\n{\n    int[] p = [1 2]\n}\n", "expected a comma or ']' in a list; found '2]'", 4},
        {"def Xform \"W\"\n{\n    string s = \"open\n}\n", "the string has no closing quote", 4},
        {"Xform \"W\"\n{\n}\n", "expected def, over or class at the start of a prim, or the end of the file", 2},
        {"def Xform \"W\"\n{\n    rel r = </W\n}\n", "the path that begins with '<' has no '>'", 4},
    };
    for (const auto& row : table) {
        CAPTURE(row.body);
        const test::TemporaryFolder folder;
        const auto stage = usd::Stage::open(folder.write("bad.usda", std::string("#usda 1.0\n") + row.body));
        REQUIRE_FALSE(stage);
        CAPTURE(stage.error().message);
        CHECK(stage.error().message.find(row.says) != std::string::npos);
        CHECK(stage.error().message.find("pxr") == std::string::npos);
        CHECK(stage.error().site.line == row.line);
    }
}
