// Rules of REP-0158 1.1 about scale: only leaf geometry is scaled, never bodies, joints or what is above them.
// A scale of two negative factors is half a turn, and a single one a mirror, which another rule tells.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "conformance/family.h"
#include "conformance/transform_ops.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 1.1: only leaf geometry is scaled.
namespace mechane::conformance {
namespace {

constexpr Rule kBodyScale{
    .id      = "REP-1.1-j",
    .slug    = "kinematic-scale",
    .summary = "A body has no scale.",
    .why = "Scale on a body reaches its joints, its mass and everything below it, and readers disagree about which.",
    .fix = "The scale goes to the leaf geometry and to the positions below the body.",
    .fixable = true,
    .bad     = R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    float3 xformOp:scale = (2, 2, 2)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
}
)",
    .good    = "<<body a>>",
};
constexpr Rule kInnerScale{
    .id      = "REP-1.1-k",
    .slug    = "scale-not-on-leaf",
    .summary = "Only leaf geometry is scaled.",
    .why     = "Scale above bodies changes distances between joints; above geometry it hides the true size.",
    .fix     = "The scale goes to the leaf geometry and to the positions below.",
    .fixable = true,
    .bad     = R"(
def Xform "group"
{
    float3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:scale"]

    <<body a>>
}
)",
    .good    = R"(
def Xform "group"
{
    <<body a>>
}
)",
};
/// Authored as float: a millionth is rounding.
constexpr double kTolerance = 1e-6;

/// The root of a reference or payload that brings nothing but geometry: who uses a part may scale it there.
bool is_scaled_part(const Facts& facts, const PrimFacts& prim)
{
    static const usd::Token kReferences("references"), kPayload("payload");
    const auto              places = usd::arc_places(prim.prim);
    const bool              brings = std::ranges::any_of(places, [&](const usd::ArcPlace& place) {
        const AssetLayer* layer = facts.layer(place.layer);
        return layer != nullptr && (!layer->layer.layer->field(place.path, kReferences).empty() ||
                                    !layer->layer.layer->field(place.path, kPayload).empty());
    });
    if (!brings) return false;
    constexpr std::uint32_t kMore = kBody | kJoint | kRos | kCollider;
    for (std::int32_t i = facts.index_of(prim); i < prim.end; ++i)
        if (facts.prims[static_cast<std::size_t>(i)].is(kMore)) return false;
    return true;
}

void check_scale(const Facts& facts, const PrimFacts& prim, Sink& sink)
{
    const std::optional<Vec3d> scale = scale_of(prim.prim, stack_of(prim.prim), prim.is(kBody));
    if (!scale) return;
    const auto say = [&](const Rule& rule, std::string message, Severity severity) {
        sink.report(rule, {.site     = site_of(prim.prim, "xformOpOrder"),
                           .message  = std::move(message),
                           .observed = number(scale->x) + ", " + number(scale->y) + ", " + number(scale->z),
                           .expected = "1, 1, 1",
                           .hint     = "scale the points or sizes of the geometry below instead",
                           .severity = severity});
    };
    if (prim.is(kBody)) return say(kBodyScale, "the body is scaled", Severity::error);
    if (prim.is(kGprim)) return;
    if (prim.above_body)
        say(kInnerScale, "a prim above rigid bodies is scaled", Severity::error);
    else if (prim.above_gprim && !is_scaled_part(facts, prim))
        say(kInnerScale, "a prim above geometry is scaled", Severity::warning);
}

/// Joints have no transform of their own, so that a scale there is read by nobody, or by each in its own way.
void check_joint_scale(const PrimFacts& joint, Sink& sink)
{
    sink.applies(kBodyScale);
    for (const usd::Token& name : joint.properties) {
        if (!name.text().starts_with("xformOp:scale")) continue;
        for (const Vec3d& s : values_of<Vec3d>(joint.prim.attribute(name)))
            if (std::abs(s.x - 1) > kTolerance || std::abs(s.y - 1) > kTolerance || std::abs(s.z - 1) > kTolerance)
                return sink.report(kBodyScale, {.site     = site_of(joint.prim, name.text().c_str()),
                                                .message  = "the joint is scaled",
                                                .observed = number(s.x) + ", " + number(s.y) + ", " + number(s.z),
                                                .expected = "1, 1, 1",
                                                .hint     = "remove it; joints are placed by physics:localPos0 and 1",
                                                .variant  = "joint"});
    }
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (prim.is(kJoint)) check_joint_scale(prim, sink);
        if (!prim.is(kXformable)) continue;
        if (prim.is(kBody)) sink.applies(kBodyScale);
        sink.applies(kInnerScale);
        check_scale(facts, prim, sink);
    }
}

constexpr std::array<const Rule*, 2> kRules{&kBodyScale, &kInnerScale};

}  // namespace

constexpr Family kScaleRules{kRules, check};

}  // namespace mechane::conformance
