#include "mechane/usd/units.h"

#include <cmath>

#include "usd/stages.h"

using namespace mechane;
using test::usda_stage;
using usd::Path;

TEST_CASE("two units are the same within 1e-5, and nothing equals a unit that is not positive (GAP-003, PHY-008)")
{
    CHECK(usd::mass_units_are(14.5939, 14.59395));  // the slug
    CHECK_FALSE(usd::mass_units_are(14.5939, 14.60));
    CHECK_FALSE(usd::mass_units_are(0, 0));
    CHECK_FALSE(usd::mass_units_are(-1, -1));
    CHECK_FALSE(usd::mass_units_are(1, std::nan("")));
    CHECK(usd::length_units_are(0.0254, 0.02540001));
    CHECK_FALSE(usd::length_units_are(0.0254, 0.03));
}

TEST_CASE("units that are set come back through usda and usdc; bad ones are refused (GAP-003)")
{
    const test::TemporaryFolder folder;
    for (const char* name : {"a.usda", "a.usdc"}) {
        CAPTURE(name);
        usd::LayerWriter layer;
        REQUIRE(usd::set_kilograms_per_unit(layer, 14.5939));
        REQUIRE(usd::set_meters_per_unit(layer, 0.3048));
        for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
            const auto refused = usd::set_kilograms_per_unit(layer, bad);
            REQUIRE_FALSE(refused);
            CHECK(refused.error().id == "META_UNIT_INVALID");
            CHECK_FALSE(usd::set_meters_per_unit(layer, bad));
        }
        const std::string file = (folder.path() / name).string();
        REQUIRE(layer.save(file));
        const auto stage = usd::Stage::open(file);
        REQUIRE(stage);
        CHECK(usd::kilograms_per_unit(**stage) == 14.5939);
        CHECK(usd::has_authored_kilograms_per_unit(**stage));
        CHECK(usd::meters_per_unit(**stage) == 0.3048);
        CHECK(usd::has_authored_meters_per_unit(**stage));
    }
    const auto plain = usda_stage("");
    CHECK(usd::kilograms_per_unit(*plain) == 1);
    CHECK_FALSE(usd::has_authored_kilograms_per_unit(*plain));
    CHECK_FALSE(usd::has_authored_meters_per_unit(*plain));
}

TEST_CASE("other units across a reference are warned about, lengths unless the prim scales them (STG-123, GAP-004)")
{
    const test::TemporaryFolder folder;
    folder.write("cm.usda",
                 "#usda 1.0\n(\n    defaultPrim = \"a\"\n    metersPerUnit = 0.01\n)\ndef Xform \"a\"\n{\n}\n");
    folder.write("g.usda",
                 "#usda 1.0\n(\n    defaultPrim = \"a\"\n    kilogramsPerUnit = 0.001\n)\ndef Xform \"a\"\n{\n}\n");
    folder.write("m.usda", "#usda 1.0\n(\n    defaultPrim = \"a\"\n    metersPerUnit = 1\n)\ndef Xform \"a\"\n{\n}\n");
    folder.write("silent.usda", "#usda 1.0\n(\n    defaultPrim = \"a\"\n)\ndef Xform \"a\"\n{\n}\n");
    const auto scaled = [](const char* by) {
        return std::string("float3 xformOp:scale = ") + by + "\nuniform token[] xformOpOrder = [\"xformOp:scale\"]";
    };
    const struct {
        const char* arc;
        std::string properties;
        std::size_t found;
    } table[] = {
        {"references = @./m.usda@", "", 0},
        {"references = @./silent.usda@", "", 0},
        {"references = @./cm.usda@", "", 1},
        {"payload = @./cm.usda@", "", 1},
        {"references = @./cm.usda@", scaled("(0.01, 0.01, 0.01)"), 0},
        {"references = @./cm.usda@", scaled("(0.01, 0.01, 0.02)"), 1},
        {"references = @./cm.usda@", scaled("(100, 100, 100)"), 1},
        {"references = @./g.usda@", "", 1},
        {"references = @./g.usda@", scaled("(0.001, 0.001, 0.001)"), 1},  // no transform corrects a mass
    };
    for (const auto& row : table) {
        CAPTURE(row.arc);
        CAPTURE(row.properties);
        const std::string file = folder.write(
            "root.usda", std::string("#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n)\ndef "
                                     "Xform \"r\" (\n    ") +
                             row.arc + "\n)\n{\n" + row.properties + "\n}\n");
        // every file its own name: layers stay cached as long as a stage holds them
        const auto stage = usd::Stage::open(file);
        REQUIRE(stage);
        CHECK((*stage)->diagnostics().count("UNITS_REFERENCE_MISMATCH") == row.found);
    }
    const auto stage = usd::Stage::open(
        folder.write("factor.usda",
                     "#usda 1.0\n(\n    kilogramsPerUnit = 1\n)\ndef \"r\" (\n    references = @./g.usda@\n)\n{\n}\n"));
    REQUIRE(stage);
    const auto* finding = (*stage)->diagnostics().find("UNITS_REFERENCE_MISMATCH");
    REQUIRE(finding != nullptr);
    CHECK(finding->site.prim == "/r");
    CHECK(finding->message.find("a factor of 0.001") != std::string::npos);
}
