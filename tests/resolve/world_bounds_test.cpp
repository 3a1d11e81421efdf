#include "resolve/world_bounds.h"

#include "support/support.h"

namespace mechane::resolve {
using test::distance;

TEST_CASE("bounds of shapes are those of OpenUSD, with two radii and of planes too")
{
    // Lower and upper corner by UsdGeom.BBoxCache of OpenUSD 26.11.
    const struct {
        const char* usda;
        Vec3d       lower, upper;
    } table[] = {
        {"Capsule_1 \"s\" { uniform token axis = \"X\" double height = 2 double radiusTop = 0.3 double radiusBottom = "
         "0.7 }",
         {-1.8538627624511719, -0.7138627171516418, -0.7138627171516418},
         {1.245941162109375, 0.7138627171516418, 0.7138627171516418}},
        {"Capsule_1 \"s\" { uniform token axis = \"Z\" double height = 2 double radiusTop = 0.3 double radiusBottom = "
         "0.7 }",
         {-0.7138627171516418, -0.7138627171516418, -1.8538627624511719},
         {0.7138627171516418, 0.7138627171516418, 1.245941162109375}},
        {"Cylinder_1 \"s\" { uniform token axis = \"Y\" double height = 2 double radiusTop = 0.3 double radiusBottom = "
         "0.7 }",
         {-0.7, -1, -0.7},
         {0.7, 1, 0.7}},
        {"Plane \"s\" { uniform token axis = \"X\" double width = 2 double length = 6 }", {0, -3, -1}, {0, 3, 1}},
        {"Plane \"s\" { uniform token axis = \"Y\" double width = 2 double length = 6 }", {-1, 0, -3}, {1, 0, 3}},
        {"Plane \"s\" { uniform token axis = \"Z\" double width = 2 double length = 6 }", {-1, -3, 0}, {1, 3, 0}}};
    for (const auto& row : table) {
        CAPTURE(row.usda);
        std::string text = "#usda 1.0\ndef " + std::string(row.usda) + "\n";
        // One statement a line.
        for (const char* word : {" double ", " uniform ", " }"})
            for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
                text[at] = '\n';
        const auto stage = usd::Stage::open_text(text);
        REQUIRE(stage);
        const auto found = world_bounds(**stage, (*stage)->prim_at(usd::Path("/s")));
        REQUIRE(found);
        CHECK(distance(found->lower, row.lower) < 1e-6);
        CHECK(distance(found->upper, row.upper) < 1e-6);
    }
}

}  // namespace mechane::resolve
