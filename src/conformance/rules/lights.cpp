#include <array>
#include <set>

#include "conformance/family.h"

/// REP-0158 3.6: lights.
namespace mechane::conformance {
namespace {

constexpr Rule kUsdLux{
    .id      = "REP-3.6-a",
    .slug    = "usdlux-only",
    .summary = "Lights are those of UsdLux.",
    .why     = "Nobody else sees a vendor's light.",
    .fix     = "None: the light has to be chosen again.",
    .bad     = R"(
def IsaacLight "lamp"
{
}
)",
    .good    = R"(
def SphereLight "lamp"
{
}
)",
};
constexpr Rule kArea{
    .id       = "REP-3.6-b",
    .slug     = "area-lights",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Lights are points, distant or domes, not areas.",
    .why      = "Most export targets have no area lights and drop them.",
    .fix      = "None: the light has to be chosen again.",
    .bad      = R"(
def RectLight "panel"
{
}
)",
    .good     = R"(
def SphereLight "lamp"
{
}
)",
};

void check(const Facts& facts, Sink& sink)
{
    static const std::set<std::string> kAreas{"RectLight", "DiskLight", "CylinderLight", "PortalLight",
                                              "GeometryLight"};
    for (const PrimFacts& prim : facts.prims) {
        const std::string type = prim.prim.type_name().text();
        if (type.empty()) continue;
        if (type.ends_with("Light") && !prim.is(kLight)) {
            sink.report(kUsdLux, {.site     = prim.prim.site(),
                                  .message  = type + " is no light of UsdLux",
                                  .observed = type,
                                  .expected = "SphereLight, DistantLight or DomeLight",
                                  .hint     = "use a UsdLux light"});
            continue;
        }
        const bool mesh_light = prim.prim.has_api("MeshLightAPI") || prim.prim.has_api("VolumeLightAPI");
        if (!prim.is(kLight) && !mesh_light) continue;
        sink.applies(kUsdLux);
        sink.applies(kArea);
        if (kAreas.count(type) != 0 || mesh_light)
            sink.report(kArea, {.site     = prim.prim.site(),
                                .message  = (mesh_light ? "geometry that emits light" : type) + " is an area light",
                                .observed = type,
                                .expected = "SphereLight, DistantLight or DomeLight",
                                .hint     = "use a SphereLight of that size"});
    }
}

constexpr std::array<const Rule*, 2> kRules{&kUsdLux, &kArea};

}  // namespace

constexpr Family kLightRules{kRules, check};

}  // namespace mechane::conformance
