#include "mechane/resolve/port_sdf.h"

#include <fmt/format.h>

#include "support/support.h"

namespace mechane::resolve {
using test::close_to;

namespace {

/// A unit cube with PhysX's schema and these lines, below an Xform with these.
std::string cube(const std::string& lines, const std::string& above = {}, const std::string& more = {})
{
    return fmt::format(
        "#usda 1.0\n(\n    metersPerUnit = 1\n)\ndef Xform \"top\"\n{{\n{}\n    def Mesh \"c\" (\n        prepend "
        "apiSchemas = [\"PhysicsCollisionAPI\", \"PhysxSDFMeshCollisionAPI\"]\n    )\n    {{\n        point3f[] points "
        "= "
        "[(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)]\n{}\n{}\n    }}\n}}\n",
        above, lines, more);
}

/// What the port wrote, as the composed stage has it.
struct Ported {
    std::shared_ptr<const usd::Stage> stage;
    std::size_t                       count = 0;
    Diagnostics                       found;
    std::string                       text;

    [[nodiscard]] usd::Prim             prim() const { return stage->prim_at(usd::Path("/top/c")); }
    [[nodiscard]] std::optional<double> number(const char* name) const
    { return prim().attribute(name).authored_as<double>(); }
    [[nodiscard]] std::optional<std::string> token(const char* name) const
    { return prim().attribute(name).authored_as<std::string>(); }
};

Ported port(const std::string& usda, PortOptions::Defaults defaults = PortOptions::Defaults::newton,
            bool remove = false)
{
    Ported out;
    auto   stage = usd::Stage::open_text(usda);
    REQUIRE(stage);
    auto layer = usd::Layer::from_text(usda);
    REQUIRE(layer);
    const auto count =
        port_physx_sdf_to_newton(**stage, *layer, {.defaults = defaults, .remove_source = remove}, out.found);
    REQUIRE(count);
    out.count  = *count;
    out.text   = layer->to_text();
    auto after = usd::Stage::open_text(out.text);
    REQUIRE(after);
    out.stage = *std::move(after);
    return out;
}

constexpr const char* kAll =
    "        float physxCollision:restOffset = 0.002\n        float physxCollision:contactOffset = 0.005\n        "
    "uniform int physxSDFMeshCollision:sdfResolution = 128\n        uniform float "
    "physxSDFMeshCollision:sdfNarrowBandThickness = 0.01\n        uniform float physxSDFMeshCollision:sdfMargin = "
    "0.02\n "
    "       uniform token physxSDFMeshCollision:sdfBitsPerSubgridPixel = \"BitsPerPixel8\"";

}  // namespace

TEST_CASE("PhysX's words become Newton's; fractions become lengths by the diagonal of the bounds (IMP-162, SMP-08)")
{
    const Ported p = port(cube(kAll));
    CHECK(p.count == 1);
    CHECK(p.found.empty());
    // The diagonal of a unit cube is sqrt(3) = 1.7320508; all attributes are floats.
    CHECK(*p.number("newton:contactMargin") == close_to(0.002, 1e-7));
    CHECK(*p.number("newton:contactGap") == close_to(0.003, 1e-7));
    CHECK(*p.number("newton:sdfMaxResolution") == 128);
    CHECK(*p.number("newton:sdfNarrowBandInner") == close_to(-0.01732051, 1e-7));
    CHECK(*p.number("newton:sdfNarrowBandOuter") == close_to(0.01732051, 1e-7));
    CHECK(*p.number("newton:sdfPadding") == close_to(0.03464102, 1e-7));
    CHECK(*p.token("newton:sdfTextureFormat") == "uint8");
    CHECK(p.prim().has_api("NewtonSDFCollisionAPI"));
    // PhysX's own stay, and a second pass changes nothing.
    CHECK(*p.number("physxSDFMeshCollision:sdfMargin") == close_to(0.02, 1e-7));
    const Ported again = port(p.text);
    CHECK(again.count == 1);
    CHECK(again.text == p.text);

    // Below a scale of (2, 3, 1) the diagonal is sqrt(14).
    const Ported scaled = port(cube("        uniform float physxSDFMeshCollision:sdfMargin = 0.01",
                                    "    float3 xformOp:scale = (2, 3, 1)\n    uniform token[] xformOpOrder = "
                                    "[\"xformOp:scale\"]"));
    CHECK(*scaled.number("newton:sdfPadding") == close_to(0.03741657, 1e-7));

    // With PhysX's fallbacks everything but the offsets is filled in: 256, 0.01, 0.01, 16 bits.
    const Ported filled = port(cube(""), PortOptions::Defaults::physx);
    CHECK(*filled.number("newton:sdfMaxResolution") == 256);
    CHECK(*filled.number("newton:sdfNarrowBandOuter") == close_to(0.01732051, 1e-7));
    CHECK(*filled.number("newton:sdfPadding") == close_to(0.01732051, 1e-7));
    CHECK(*filled.token("newton:sdfTextureFormat") == "uint16");
    CHECK_FALSE(filled.number("newton:contactMargin"));
    CHECK_FALSE(filled.number("newton:contactGap"));
}

TEST_CASE("what PhysX leaves unauthored stays unauthored, but the schema is applied (IMP-163)")
{
    const Ported p = port(cube(""));
    CHECK(p.count == 1);
    CHECK(p.prim().has_api("NewtonSDFCollisionAPI"));
    for (const usd::Token& name : p.prim().authored_property_names()) CHECK_FALSE(name.text().starts_with("newton:"));
}

TEST_CASE("engine defaults, odd resolutions and colliders without a size are handled and said (GAP-044)")
{
    const Ported engine =
        port(cube("        float physxCollision:restOffset = -inf\n        float physxCollision:contactOffset = 0.02"));
    CHECK_FALSE(engine.number("newton:contactMargin"));
    CHECK_FALSE(engine.number("newton:contactGap"));
    const Ported odd = port(cube("        uniform int physxSDFMeshCollision:sdfResolution = 100"));
    CHECK(*odd.number("newton:sdfMaxResolution") == 100);
    CHECK(odd.found.count("RESOLVE_SDF_RES8") == 1);
    const Ported guide = port(cube("        uniform float physxSDFMeshCollision:sdfMargin = 0.01", "",
                                   "        uniform token purpose = \"guide\""));
    CHECK_FALSE(guide.number("newton:sdfPadding"));
    CHECK(guide.found.count("RESOLVE_PORT_NO_BOUND") == 1);
}

TEST_CASE(
    "a collider inside an instance is named and not edited; the prototype is, where it stands on the stage (GAP-044)")
{
    const std::string usda =
        "#usda 1.0\n(\n    metersPerUnit = 1\n)\ndef Xform \"model\"\n{\n    def Cube \"c\" (\n        prepend "
        "apiSchemas = "
        "[\"PhysicsCollisionAPI\", \"PhysxSDFMeshCollisionAPI\"]\n    )\n    {\n        uniform int "
        "physxSDFMeshCollision:sdfResolution = 128\n    }\n}\ndef Xform \"copy\" (\n    instanceable = true\n    "
        "references = </model>\n)\n{\n}\n";
    const auto stage = usd::Stage::open_text(usda);
    REQUIRE(stage);
    auto layer = usd::Layer::from_text(usda);
    REQUIRE(layer);
    Diagnostics found;
    const auto  count = port_physx_sdf_to_newton(**stage, *layer, {}, found);
    REQUIRE(count);
    CHECK(*count == 1);
    REQUIRE(found.count("RESOLVE_PORT_INSTANCE") == 1);
    CHECK(found.find("RESOLVE_PORT_INSTANCE")->message.find("/copy/c") != std::string::npos);
    CHECK(layer->kind(usd::Path("/copy/c")) == usd::SpecKind::none);
    // The instance takes over what the prototype got.
    const auto after = usd::Stage::open_text(layer->to_text());
    REQUIRE(after);
    for (const char* path : {"/model/c", "/copy/c"})
        CHECK((*after)->prim_at(usd::Path(path)).attribute("newton:sdfMaxResolution").authored_as<double>() == 128);
}

TEST_CASE("the source can be removed once it is ported")
{
    const Ported p = port(cube(kAll), PortOptions::Defaults::newton, true);
    CHECK(*p.number("newton:sdfMaxResolution") == 128);
    CHECK_FALSE(p.prim().has_api("PhysxSDFMeshCollisionAPI"));
    for (const usd::Token& name : p.prim().authored_property_names()) CHECK_FALSE(name.text().starts_with("physx"));
}

TEST_CASE("only what was written elsewhere is removed; what stays is named")
{
    const auto left = [](const Ported& p) {
        std::size_t n = 0;
        for (const Diagnostic& d : p.found) n += d.id == "RESOLVE_PORT_LEFT";
        return n;
    };
    // A collider of guide purpose has no bounds of the default one: fractions cannot become lengths.
    const Ported guide =
        port(cube("        uniform token purpose = \"guide\"\n        float physxSDFMeshCollision:sdfMargin = 0.02\n        float "
                  "physxSDFMeshCollision:sdfNarrowBandThickness = 0.03\n        uint "
                  "physxSDFMeshCollision:sdfSubgridResolution = 6\n        float physxCollision:contactOffset = 0.005"),
             PortOptions::Defaults::newton, true);
    for (const char* name : {"physxSDFMeshCollision:sdfMargin", "physxSDFMeshCollision:sdfNarrowBandThickness",
                             "physxSDFMeshCollision:sdfSubgridResolution", "physxCollision:contactOffset"})
        CHECK_MESSAGE(guide.number(name), name);
    CHECK(left(guide) == 4);
    CHECK(guide.text.find("\"PhysxSDFMeshCollisionAPI\"") != std::string::npos);
    // Minus infinity leaves the offset to the engine: there is no margin to count a gap from.
    const Ported engine = port(cube("        float physxCollision:restOffset = -inf\n        float "
                                    "physxCollision:contactOffset = 0.02"),
                               PortOptions::Defaults::newton, true);
    CHECK(engine.number("physxCollision:contactOffset"));
    CHECK(engine.number("physxCollision:restOffset"));
    CHECK(left(engine) == 2);
    const Ported whole = port(cube(kAll), PortOptions::Defaults::newton, true);
    CHECK(left(whole) == 0);
    CHECK(whole.text.find("physx") == std::string::npos);
}

}  // namespace mechane::resolve
