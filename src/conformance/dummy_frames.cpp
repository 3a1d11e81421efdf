// Bodies that are only coordinate frames: no geometry, little or no mass, held by a fixed joint, or named like a frame.
// Formats such as URDF need a link for every frame; REP-0158 wants a plain prim with RosFrameAPI.
// Output: how sure it is (error or warning), or nothing. Called by the rule and the repair REP-1.3-q.

#include "conformance/dummy_frames.h"

#include <algorithm>

namespace mechane::conformance {
namespace {

bool has_geometry(const Facts& facts, const physics::Body& body)
{
    const PrimFacts* prim = facts.find(body.path);
    return prim == nullptr || prim->is(kGprim | kCollider) || prim->above_gprim || !body.colliders.empty();
}

bool is_held(const Facts& facts, const physics::Body& body)
{
    const physics::Index here = facts.physics.body_at(body.path);
    return std::any_of(facts.physics.joints.begin(), facts.physics.joints.end(), [&](const physics::Joint& joint) {
        return joint.enabled && joint.kind == physics::JointKind::fixed && (joint.body0 == here || joint.body1 == here);
    });
}

/// No mass of its own, or one that a converter wrote because a link needs some.
bool is_light(const physics::Body& body)
{
    // Converters write a gram for links that need some mass. The factor allows for single precision.
    constexpr double kToken = 1e-3 * (1 + 1e-6);  // [kg], as a float may be
    const auto       mass   = body.prim.attribute("physics:mass").authored_as<double>();
    return !body.prim.has_api("PhysicsMassAPI") || (mass && *mass >= 0 && *mass <= kToken);
}

bool is_named_so(std::string_view name)
{ return name.ends_with("_frame") || name.ends_with("_optical") || name.ends_with("_footprint"); }

}  // namespace

std::optional<Severity> dummy_frame(const Facts& facts, const physics::Body& body)
{
    const PrimFacts* prim = facts.find(body.path);
    if (prim == nullptr || has_geometry(facts, body)) return std::nullopt;
    const bool says_so = prim->is(kFrame), named = is_named_so(body.path.name().text());
    if (is_light(body) && is_held(facts, body)) return says_so || named ? Severity::error : Severity::warning;
    if (body.mass.has_mass()) return std::nullopt;
    if (says_so) return Severity::error;
    return named ? std::optional(Severity::warning) : std::nullopt;
}

}  // namespace mechane::conformance
