// Rules of REP-0158 3.6 about lights: UsdLux types, lights with an area, and surfaces that glow in place of lights.
// Areas are compared in square metres, so they are taken in the world and with the stage's unit.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "conformance/bounds.h"
#include "conformance/family.h"
#include "mechane/geometry/triangulation.h"
#include "mechane/usd/shading.h"

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

// Stages for the rule's own tests: a part that glows, and the same with a light beside it.
#define MECHANE_GLOW(name, size)                                                                              \
    "def Material \"glow\"\n{\n    token outputs:surface.connect = </robot/glow/s.outputs:surface>\n    def " \
    "Shader \"s\"\n    {\n        uniform token info:id = \"UsdPreviewSurface\"\n        color3f "            \
    "inputs:emissiveColor = (1, 1, 1)\n        token outputs:surface\n    }\n}\ndef Xform \"part\"\n{\n    "  \
    "def Cube \"" name                                                                                        \
    "\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n        rel "                 \
    "material:binding = </robot/glow>\n        double size = " size "\n    }\n"
#define MECHANE_LAMP "    def SphereLight \"light\"\n    {\n    }\n"

constexpr Rule kEmission{
    .id       = "REP-3.6-c",
    .slug     = "emissive-illumination",
    .keyword  = Keyword::must_not,
    .severity = Severity::warning,
    .summary  = "Large glowing surfaces do not stand in for lights.",
    .why      = "Real-time renderers draw them bright and light nothing with them.",
    .fix      = "None: the light has to be placed.",
    .bad      = MECHANE_GLOW("wall", "1") "}\n",
    .good     = MECHANE_GLOW("wall", "1") MECHANE_LAMP "}\n",
};
constexpr Rule kPaired{
    .id       = "REP-3.6-d",
    .slug     = "paired-light",
    .severity = Severity::info,
    .summary  = "What glows and is called a lamp has a light beside it.",
    .why      = "A lamp that lights nothing surprises whoever drives at night.",
    .fix      = "None: the light has to be placed.",
    .bad      = MECHANE_GLOW("headlight", "0.1") "}\n",
    .good     = MECHANE_GLOW("headlight", "0.1") MECHANE_LAMP "}\n",
};

#undef MECHANE_LAMP
#undef MECHANE_GLOW

/// What the surface of a material gives off: the largest component; 1 for a texture; 0 for nothing.
double emission_of(const usd::Prim& material)
{
    const usd::Prim surface = material ? usd::surface_shader(material) : usd::Prim();
    // A material without a surface shader of UsdPreviewSurface gives off nothing that can be known here.
    if (!surface) return 0;
    const usd::Attribute colour = surface.attribute("inputs:emissiveColor");
    if (!colour) return 0;
    // What a texture gives off is in the picture; it counts as full.
    if (!colour.connections().empty() && usd::shading_source(colour).computed) return 1;
    const Vec3d c = colour.get<Vec3d>().value_or(Vec3d{});
    return std::max({c.x, c.y, c.z, 0.0});
}

/// Surface of a mesh, or of the box about another Gprim, in the world [m^2].
double area_of(const Facts& facts, const usd::Prim& gprim)
{
    const auto points  = gprim.attribute("points").get<std::vector<Vec3d>>();
    const auto counts  = gprim.attribute("faceVertexCounts").get<std::vector<int>>();
    const auto corners = gprim.attribute("faceVertexIndices").get<std::vector<int>>();
    if (points && counts && corners) {
        std::vector<Vec3d> placed;
        const auto         to_world = facts.stage.world_matrix(gprim);
        // Triangles in the world, since scales make areas.
        for (const Vec3d& p : *points) placed.push_back(usd::transform_point(to_world, p));
        const geometry::Mesh mesh = geometry::triangulate({placed, *counts, *corners, {}, false}).mesh;
        double               sum  = 0;
        for (const auto& t : mesh.triangles) {
            const Vec3d& o = mesh.points[static_cast<std::size_t>(t[0])];
            sum += length(cross(mesh.points[static_cast<std::size_t>(t[1])] - o,
                                mesh.points[static_cast<std::size_t>(t[2])] - o)) /
                   2;
        }
        return sum;
    }
    // Of a form without points the box tells enough for a limit of one square metre.
    const geometry::Aabbd box = world_bounds(facts.stage, gprim);
    if (is_empty(box)) return 0;
    const Vec3d s = box.upper - box.lower;
    return 2 * (s.x * s.y + s.y * s.z + s.z * s.x);
}

bool is_lamp(std::string name)
{
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return name.find("headlight") != std::string::npos || name.find("lamp") != std::string::npos ||
           name.find("flood") != std::string::npos;
}

void check_emission(const Facts& facts, Sink& sink)
{
    // A status lamp has square centimetres, a glowing ceiling square metres.
    constexpr double            kLarge = 1;  // [m^2]
    std::map<usd::Path, double> strength;    // by material
    double                      area  = 0;
    const PrimFacts*            first = nullptr;
    for (const PrimFacts& prim : facts.prims) {
        // By material, computed once: large scenes bind few materials to many shapes.
        if (!prim.is(kGprim)) continue;
        const usd::Prim material = facts.stage.bound_material(prim.prim, "");
        if (!material) continue;
        const auto [known, fresh] = strength.try_emplace(material.path(), 0);
        if (fresh) known->second = emission_of(material);
        if (known->second <= 0) continue;
        sink.applies(kEmission);
        if (fresh && known->second > 1)
            sink.report(kEmission, {.site     = material.site(),
                                    .message  = "the emissive colour of the material is above 1",
                                    .observed = number(known->second),
                                    .expected = "at most 1",
                                    .hint     = "keep the glow below 1 and put a light there",
                                    .variant  = "intensity",
                                    .severity = Severity::info});
        area += area_of(facts, prim.prim);
        if (first == nullptr) first = &prim;
        if (!is_lamp(prim.prim.name().text()) || prim.parent < 0) continue;
        sink.applies(kPaired);
        // Beside means below the same parent, in any depth.
        const PrimFacts& part  = facts.prims[static_cast<std::size_t>(prim.parent)];
        bool             light = false;
        for (std::int32_t i = prim.parent; i < part.end; ++i)
            light |= facts.prims[static_cast<std::size_t>(i)].is(kLight);
        if (!light)
            sink.report(kPaired, {.site     = prim.prim.site(),
                                  .message  = "the lamp glows and lights nothing",
                                  .observed = "no light below " + part.prim.path().text(),
                                  .expected = "a UsdLux light",
                                  .hint     = "put a SphereLight beside it"});
    }
    // A scene with any light of its own is lit by somebody.
    if (area > kLarge && !facts.has(kLight))
        sink.report(kEmission, {.site     = first->prim.site(),
                                .message  = "surfaces glow and there is no light",
                                .observed = number(std::round(area * 100) / 100) + " m2",
                                .expected = "at most 1 m2, or a UsdLux light",
                                .hint     = "light the scene by UsdLux lights"});
}

void check(const Facts& facts, Sink& sink)
{
    check_emission(facts, sink);
    static const usd::Token            kMeshLight("MeshLightAPI"), kVolumeLight("VolumeLightAPI");
    static const std::set<std::string> kAreas{"RectLight", "DiskLight", "CylinderLight", "PortalLight",
                                              "GeometryLight"};
    for (const PrimFacts& prim : facts.prims) {
        const std::string type = prim.prim.type_name().text();
        if (type.empty()) continue;
        // A type that ends in "Light" and is none of UsdLux: vendors name theirs so.
        if (type.ends_with("Light") && !prim.is(kLight)) {
            sink.report(kUsdLux, {.site     = prim.prim.site(),
                                  .message  = type + " is no light of UsdLux",
                                  .observed = type,
                                  .expected = "SphereLight, DistantLight or DomeLight",
                                  .hint     = "use a UsdLux light"});
            continue;
        }
        const bool mesh_light = prim.prim.has_api(kMeshLight) || prim.prim.has_api(kVolumeLight);
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

constexpr std::array<const Rule*, 4> kRules{&kUsdLux, &kArea, &kEmission, &kPaired};

}  // namespace

constexpr Family kLightRules{kRules, check};

}  // namespace mechane::conformance
