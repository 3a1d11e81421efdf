// Rules of REP-0158 1.3 and 1.4 about words of one simulator in what all read: schemas with a neutral counterpart, and
// custom properties without a prefix.

#include <algorithm>
#include <array>

#include "conformance/by_name.h"
#include "conformance/family.h"
#include "conformance/vendors.h"

/// REP-0158 1.3 and 1.4: words of one simulator in what every simulator reads.
namespace mechane::conformance {
namespace {

// clang-format off
#define MECHANE_FOLLOWER(apis, lines)                                                                             \
    "<<body a>>\n<<body b>>\n<<body c>>\n"                                                                        \
    "def PhysicsRevoluteJoint \"lead\" (\n    prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]\n)\n{\n"      \
    "    uniform token physics:axis = \"X\"\n    rel physics:body0 = </robot/a>\n    rel physics:body1 = </robot/b>\n" \
    "    float physics:lowerLimit = -90\n    float physics:upperLimit = 90\n}\n"                                  \
    "def PhysicsRevoluteJoint \"follow\" (\n    prepend apiSchemas = [" apis "]\n)\n{\n"                          \
    "    uniform token physics:axis = \"X\"\n    rel physics:body0 = </robot/b>\n    rel physics:body1 = </robot/c>\n" \
    "    float physics:lowerLimit = -90\n    float physics:upperLimit = 90\n" lines "}\n"
// clang-format on

constexpr Rule kExtended{
    .id      = "REP-1.3-t",
    .slug    = "extended-physics",
    .summary = "What ext_physics has a word for is not said in a vendor's.",
    .why     = "Only the vendor's own simulator follows a mimic that is written in its words.",
    .fix     = "Mimics are translated; what has no exact translation is reported.",
    .fixable = true,
    .bad     = MECHANE_FOLLOWER("\"NewtonMimicAPI\"",
                                "    rel newton:mimicJoint = </robot/lead>\n    float newton:mimicCoef1 = 2\n"),
    .good    = MECHANE_FOLLOWER("\"ExtendedPhysicsMimicAPI\"",
                                "    rel ext_physics:mimic:joint = </robot/lead>\n    float "
                                "ext_physics:mimic:multiplier = 2\n"),
};
constexpr Rule kPrefix{
    .id      = "REP-1.4-b",
    .slug    = "vendor-prefix",
    .summary = "Custom properties of physics prims carry the prefix of who understands them.",
    .why     = "A name without prefix, or under physics:, means something else to the next simulator.",
    .fix     = "None: the author must decide whose word it is.",
    .bad     = R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    custom float physics:stiction = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)",
    .good    = R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    custom float mujoco:stiction = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)",
};

void check_counterparts(const PrimFacts& prim, ByName<std::string_view>& counterpart, Sink& sink)
{
    const auto say = [&](std::string_view name, std::string_view neutral) {
        sink.report(kExtended, {.site     = prim.prim.site(),
                                .message  = std::string(name) + " has a neutral word",
                                .observed = std::string(name),
                                .expected = std::string(neutral),
                                .hint = "write " + std::string(neutral) + " instead, or move it to the vendor's layer",
                                .variant = std::string(name)});
    };
    bool said = false;
    for (const usd::Token& api : prim.apis)
        if (const std::string_view neutral = counterpart(api); !neutral.empty()) say(api.text(), neutral), said = true;
    const usd::Token type = prim.prim.type_name();
    if (const std::string_view neutral = counterpart(type); !neutral.empty()) say(type.text(), neutral), said = true;
    if (said || !prim.is(kJoint)) return;
    for (const usd::Token& name : prim.properties)
        if (const std::string_view neutral = counterpart(name); !neutral.empty()) return say(name.text(), neutral);
}

void check_prefixes(const PrimFacts& prim, Sink& sink)
{
    if (!prim.is(kKinematic | kCollider | kScene)) return;
    sink.applies(kPrefix);
    for (const usd::Token& name : prim.properties) {
        const usd::Attribute attribute = prim.prim.attribute(name);
        if (!attribute || !attribute.custom()) continue;
        const std::string& text  = name.text();
        const bool         plain = text.find(':') == std::string::npos;
        if (!plain && !text.starts_with("physics:")) continue;
        sink.report(kPrefix, {.site     = attribute.site(),
                              .message  = plain ? "the custom property " + text + " has no prefix"
                                                : text + " is no property of UsdPhysics",
                              .observed = text,
                              .expected = "<vendor>:" + text.substr(plain ? 0 : 8),
                              .hint     = "write it under the prefix of who reads it"});
    }
}

void check(const Facts& facts, Sink& sink)
{
    ByName<std::string_view> counterpart(neutral_counterpart);
    for (const PrimFacts& prim : facts.prims) {
        if (prim.is(kKinematic)) sink.applies(kExtended);
        check_counterparts(prim, counterpart, sink);
        check_prefixes(prim, sink);
    }
}

constexpr std::array<const Rule*, 2> kRules{&kExtended, &kPrefix};

}  // namespace

constexpr Family kVendorSchemaRules{kRules, check};

}  // namespace mechane::conformance
