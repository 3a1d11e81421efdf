// Rules of REP-0158 1.3 about joints: what they connect, frames, limits, and numbers that can be used.
// Limits of revolute joints are degrees in UsdPhysics; limits that look like radians are told.

#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/family.h"
#include "conformance/finite.h"
#include "conformance/first_value.h"
#include "conformance/radians.h"
#include "conformance/variant_specs.h"

/// REP-0158 1.3, joints: what they connect and how far they move.
namespace mechane::conformance {
namespace {

constexpr Rule kRelations{
    .id      = "REP-1.3-b",
    .slug    = "joint-relations",
    .summary = "A joint connects two different existing bodies, or one body and the world.",
    .why     = "A joint to nothing is dropped or ties the body to the world, depending on the reader.",
    .fix     = "None, except that quaternions of its frames are normalised.",
    .bad     = R"(
<<body a>>

<<joint j a nope>>
)",
    .good    = R"(
<<body a>>

def PhysicsFixedJoint "j"
{
    rel physics:body1 = </robot/a>
}
)",
};
constexpr Rule kNested{
    .id       = "REP-1.3-c",
    .slug     = "nested-body",
    .keyword  = Keyword::should_not,
    .severity = Severity::info,
    .summary  = "A body below another body resets its transform stack.",
    .why      = "Readers of older UsdPhysics text drop nested bodies; current ones read each as a body.",
    .fix      = "None: nesting is allowed.",
    .bad      = R"(
<<link a>>

    <<body b>>
}
)",
    .good     = R"(
<<body a>>
<<body b>>
)",
};
constexpr Rule kLimits{
    .id      = "REP-1.3-d",
    .slug    = "joint-limits",
    .summary = "Revolute and prismatic joints author both limits.",
    .why     = "Controllers and planners need the range; one limit alone is read as an omission.",
    .fix = "A revolute joint without any becomes explicitly continuous (-inf, inf). One missing limit is not guessed.",
    .fixable = true,
    .bad     = R"(
<<body a>>
<<body b>>

def PhysicsPrismaticJoint "j" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
}
)",
    .good    = R"(
<<body a>>
<<body b>>

def PhysicsPrismaticJoint "j" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    float physics:lowerLimit = 0
    float physics:upperLimit = 1
}
)",
};
constexpr Rule kLimitSanity{
    .id       = "REP-1.3-e",
    .slug     = "limit-sanity",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Limits and drives are numbers; limits are in order, in degrees and of a plausible size.",
    .why =
        "lower > upper means locked in UsdPhysics, which is rarely meant; radians in a field of degrees stop a joint "
        "almost at once.",
    .fix  = "None: the author must decide what was meant.",
    .bad  = R"(
<<body a>>

def PhysicsRevoluteJoint "j"
{
    rel physics:body1 = </robot/a>
    float physics:lowerLimit = 10
    float physics:upperLimit = -10
}
)",
    .good = R"(
<<body a>>

def PhysicsRevoluteJoint "j"
{
    rel physics:body1 = </robot/a>
    float physics:lowerLimit = -10
    float physics:upperLimit = 10
}
)",
};

/// A relationship without a target means the world (UsdPhysicsJoint); one that names what is not there is a mistake.
void check_side(const Facts& facts, const usd::Relationship& rel, const std::vector<usd::Path>& targets,
                const char* name, Sink& sink)
{
    const auto say = [&](const char* variant, std::string message, std::string observed, std::string hint,
                         Severity severity = Severity::error) {
        Site site     = rel.site();
        site.property = name;
        sink.report(kRelations, {.site     = site,
                                 .message  = std::move(message),
                                 .observed = std::move(observed),
                                 .expected = "one existing body, or no target for the world",
                                 .hint     = std::move(hint),
                                 .variant  = variant,
                                 .severity = severity});
    };
    if (targets.size() > 1)
        return say("many", std::string(name) + " has " + std::to_string(targets.size()) + " targets", targets[1].text(),
                   "keep one target");
    if (targets.empty()) return;
    const usd::Prim target = facts.stage.prim_at(targets.front());
    if (!target)
        return say("missing", std::string(name) + " names a prim that does not exist", targets.front().text(),
                   "name an existing link, or remove the target for the world");
    if (!target.active())
        return say("inactive", std::string(name) + " names an inactive prim", targets.front().text(),
                   "name an active link, or deactivate the joint too");
}

// The first mistake of a side hides those that follow from it.
void check_relations(const Facts& facts, const physics::Joint& joint, Sink& sink)
{
    sink.applies(kRelations);
    // A link that another variant has is REP-1.2.4-c's.
    // Tokens are made once; there may be thousands of joints.
    static const std::array<usd::Token, 2> kBodies{usd::Token("physics:body0"), usd::Token("physics:body1")},
        kRotations{usd::Token("physics:localRot0"), usd::Token("physics:localRot1")};
    const std::array<usd::Relationship, 2>      sides{joint.prim.relationship(kBodies[0]),
                                                      joint.prim.relationship(kBodies[1])};
    const std::array<std::vector<usd::Path>, 2> targets{sides[0].forwarded(), sides[1].forwarded()};
    for (const std::vector<usd::Path>& side : targets)
        for (const usd::Path& target : side)
            if (in_other_variant(facts, target)) return;
    const std::size_t before = sink.found().size();
    for (std::size_t i = 0; i < 2; ++i) check_side(facts, sides[i], targets[i], kBodies[i].text().c_str(), sink);
    // A joint whose sides are wrong already is not told again for what follows from it.
    if (sink.found().size() != before) return;
    const auto say = [&](const char* variant, std::string message) {
        sink.report(kRelations, {.site     = joint.prim.site(),
                                 .message  = std::move(message),
                                 .expected = "two different bodies, or one body and the world",
                                 .hint     = "name a rigid body on each side, or none on one side for the world",
                                 .variant  = variant});
    };
    if (joint.body0 < 0 && joint.body1 < 0)
        say("world", "no side of the joint is a rigid body");
    else if (joint.body0 == joint.body1)
        say("self", "both sides of the joint are the same body");
    // A frame with an infinity puts the child nowhere.
    for (const char* name : {"physics:localPos0", "physics:localPos1", "physics:localRot0", "physics:localRot1"})
        if (const auto observed = not_finite(joint.prim.attribute(name)))
            sink.report(kRelations, {.site     = site_of(joint.prim, name),
                                     .message  = std::string(name) + " is not finite",
                                     .observed = *observed,
                                     .expected = "finite",
                                     .hint     = "write where the joint is in its body",
                                     .variant  = "not-finite"});
    for (const usd::Token& name : kRotations) {
        const auto q = joint.prim.attribute(name).authored_as<Quatd>();
        if (!q) continue;
        const double norm = std::sqrt(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w);
        // Single precision of a normalised quaternion is far within this.
        if (std::abs(norm - 1) > 1e-4)
            sink.report(kRelations, {.site     = site_of(joint.prim, name.text().c_str()),
                                     .message  = name.text() + " is not a unit quaternion",
                                     .observed = "length " + number(norm),
                                     .expected = "length 1",
                                     .hint     = "normalise it",
                                     .variant  = "non-unit-quaternion"});
    }
}

// The authored limits; nothing where one is not authored.
struct Range {
    std::optional<double> lower, upper;
};

Range range_of(const usd::Prim& joint)
{
    static const usd::Token kLower("physics:lowerLimit"), kUpper("physics:upperLimit");
    const auto              limit = [&](const usd::Token& name) -> std::optional<double> {
        const usd::Attribute attribute = joint.attribute(name);
        // A fallback limit (infinite) is no statement of the author: the rule asks for what is authored.
        if (!attribute.authored()) return std::nullopt;
        return first_value<double>(attribute);
    };
    return {limit(kLower), limit(kUpper)};
}

void check_limits(const physics::Joint& joint, const Range& range, Sink& sink)
{
    sink.applies(kLimits);
    const bool revolute = joint.kind == physics::JointKind::revolute;
    // No limit at all may be meant for a wheel, but not for a slide.
    if (!range.lower && !range.upper)
        sink.report(kLimits, {.site     = joint.prim.site(),
                              .message  = revolute ? "the revolute joint has no limits: continuous, or an omission?"
                                                   : "the prismatic joint has no limits",
                              .observed = "neither limit",
                              .expected = "physics:lowerLimit and physics:upperLimit",
                              .hint     = revolute ? "write -inf and inf if it turns freely" : "write both limits",
                              .variant  = "none",
                              .severity = revolute ? Severity::warning : Severity::error});
    else if (!range.lower || !range.upper)
        sink.report(kLimits,
                    {.site     = joint.prim.site(),
                     .message  = std::string("the joint has no ") + (range.lower ? "upper" : "lower") + " limit",
                     .observed = "one limit",
                     .expected = "physics:lowerLimit and physics:upperLimit",
                     .hint     = "write the other one too; inf or -inf for none",
                     .variant  = "one"});
}

void check_sanity(const physics::Joint& joint, const Range& range, Sink& sink)
{
    if (!range.lower || !range.upper) return;
    sink.applies(kLimitSanity);
    const auto say = [&](const char* variant, std::string message, std::string hint) {
        sink.report(kLimitSanity, {.site     = site_of(joint.prim, "physics:lowerLimit"),
                                   .message  = std::move(message),
                                   .observed = number(*range.lower) + " to " + number(*range.upper),
                                   .hint     = std::move(hint),
                                   .variant  = variant});
    };
    const bool prismatic = joint.kind == physics::JointKind::prismatic;
    if (std::isnan(*range.lower) || std::isnan(*range.upper))
        say("nan", "a limit is not a number", "write a number, inf or -inf");
    else if (*range.lower > *range.upper)
        say("inverted", "the lower limit is above the upper one, which locks the joint",
            "swap them, or use a fixed joint");
    else if (prismatic && std::isinf(*range.lower) && std::isinf(*range.upper))
        say("unbounded", "the prismatic joint has no end", "write the length of its rail");
    // Two full turns: cables and gears have that much, and a larger number is rather a stand-in for "free".
    else if (!prismatic && std::isfinite(*range.lower) && std::isfinite(*range.upper) &&
             *range.upper - *range.lower > 720)
        say("span", "the joint turns more than two full turns", "write -inf and inf if it turns freely");
}

/// The numbers of drives, of the limits of single axes, and of breaking.
/// These are attributes of applied schemas with an instance name, so they are found by prefix.
void check_numbers(const PrimFacts& facts, Sink& sink)
{
    for (const usd::Token& name : facts.properties) {
        const std::string&     text  = name.text();
        const std::string_view last  = std::string_view(text).substr(text.rfind(':') + 1);
        const bool             drive = text.starts_with("drive:"), limit = text.starts_with("limit:");
        const bool             gain = drive && (last == "stiffness" || last == "damping");
        // For these an infinity has a meaning (no bound); a gain that is infinite has none.
        const bool open = limit || last == "maxForce" || text == "physics:breakForce" ||
                          text == "physics:breakTorque" || text == "physics:coneAngle0Limit" ||
                          text == "physics:coneAngle1Limit" || text == "physics:minDistance" ||
                          text == "physics:maxDistance";
        if (!drive && !open) continue;
        sink.applies(kLimitSanity);
        const usd::Attribute attribute = facts.prim.attribute(name);
        const auto           observed  = open ? not_a_number(attribute) : not_finite(attribute);
        const auto           value     = attribute.authored_as<double>();
        if (observed)
            sink.report(kLimitSanity,
                        {.site     = site_of(facts.prim, text.c_str()),
                         .message  = text + " is " + *observed,
                         .observed = *observed,
                         .expected = open ? "a number, or an infinity for none" : "a finite number",
                         .hint = gain ? "write a gain; a joint that shall not move is a fixed one" : "write a number",
                         .variant  = text,
                         .severity = Severity::error});
        else if (value && *value < 0 && (gain || (drive && last == "maxForce")))
            sink.report(kLimitSanity, {.site     = site_of(facts.prim, text.c_str()),
                                       .message  = text + " is negative",
                                       .observed = number(*value),
                                       .expected = ">= 0",
                                       .hint     = "write 0 or more",
                                       .variant  = text});
    }
}

/// Limits that are rather radians: each by itself, or all of three and more.
void check_radians(const Facts& facts, Sink& sink)
{
    std::vector<std::pair<const physics::Joint*, Range>> limited;
    for (const physics::Joint& joint : facts.physics.joints) {
        if (joint.kind != physics::JointKind::revolute) continue;
        const Range range = range_of(joint.prim);
        if (!range.lower || !range.upper || !std::isfinite(*range.lower) || !std::isfinite(*range.upper)) continue;
        // Limits of zero say nothing about their unit.
        if (*range.lower != 0 || *range.upper != 0) limited.emplace_back(&joint, range);
    }
    const auto say = [&](const physics::Joint& joint, const Range& range, std::string message) {
        sink.report(kLimitSanity, {.site     = site_of(joint.prim, "physics:lowerLimit"),
                                   .message  = std::move(message),
                                   .observed = number(*range.lower) + " to " + number(*range.upper),
                                   .expected = "degrees",
                                   .hint     = "multiply by 180/pi if radians were meant",
                                   .variant  = "radians"});
    };
    // Small limits prove nothing (knobs may turn 5 degrees, as many as there are); three joints and more that all stay
    // within 2 pi do if a limit among them is one that nobody writes in degrees, be it cut to 1.57.
    constexpr double kPrinted = 1e-3;
    // 2 pi is the largest range that a joint in radians usually has.
    const auto within = [](const auto& one) {
        return std::max(std::abs(*one.second.lower), std::abs(*one.second.upper)) <= 2 * kPi;
    };
    const auto round = [](double limit) { return limit != 0 && is_round_in_radians(limit, kPrinted); };
    const bool all   = limited.size() >= 3 && std::ranges::all_of(limited, within) &&
                       std::ranges::any_of(limited, [&](const auto& one) {
                         return round(*one.second.lower) || round(*one.second.upper);
                       });
    if (all)
        // One report for the whole robot, at its first joint.
        return say(*limited.front().first, limited.front().second,
                   "the limits of all " + std::to_string(limited.size()) +
                       " revolute joints look like radians; USD uses degrees");
    for (const auto& [joint, range] : limited)
        if (is_round_in_radians(*range.lower) && is_round_in_radians(*range.upper))
            say(*joint, range, "the limits look like radians; USD uses degrees");
}

/// Joints whose range is given in other words, or not at all.
/// What is told here is a note: such joints may well be free.
void check_other_limits(const physics::Joint& joint, Sink& sink)
{
    const auto authored = [&](const std::string& name) { return joint.prim.attribute(usd::Token(name)).authored(); };
    const auto say      = [&](const char* variant, std::string message, std::string expected, std::string hint) {
        sink.report(kLimits, {.site     = joint.prim.site(),
                              .message  = std::move(message),
                              .observed = "no limit",
                              .expected = std::move(expected),
                              .hint     = std::move(hint),
                              .variant  = variant,
                              .severity = Severity::info});
    };
    switch (joint.kind) {
        case physics::JointKind::spherical:
            sink.applies(kLimits);
            if (!authored("physics:coneAngle0Limit") && !authored("physics:coneAngle1Limit"))
                say("cone", "the spherical joint has no cone", "physics:coneAngle0Limit and physics:coneAngle1Limit",
                    "write both angles, or -1 if it turns freely");
            return;
        case physics::JointKind::distance:
            sink.applies(kLimits);
            if (!authored("physics:minDistance") && !authored("physics:maxDistance"))
                say("distance", "the distance joint has no distance", "physics:minDistance or physics:maxDistance",
                    "write one of them, or remove the joint");
            return;
        case physics::JointKind::d6: {
            sink.applies(kLimits);
            std::string free;
            // PhysicsLimitAPI is applied once for each axis; an axis without it is free.
            for (const char* axis : {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"})
                if (!joint.prim.has_api(usd::Token(std::string("PhysicsLimitAPI:") + axis)))
                    free += (free.empty() ? "" : ", ") + std::string(axis);
            if (!free.empty())
                say("axes", "nothing limits " + free + " of the joint", "PhysicsLimitAPI for each axis",
                    "apply PhysicsLimitAPI:<axis>, with low above high where the axis is locked");
            return;
        }
        case physics::JointKind::fixed:
        case physics::JointKind::revolute:
        case physics::JointKind::prismatic:
        // A custom joint has limits in words of its own.
        case physics::JointKind::custom:
            return;
    }
}

void check(const Facts& facts, Sink& sink)
{
    for (const physics::Joint& joint : facts.physics.joints) {
        check_relations(facts, joint, sink);
        if (const PrimFacts* prim = facts.find(joint.prim.path())) check_numbers(*prim, sink);
        check_other_limits(joint, sink);
        if (joint.kind != physics::JointKind::revolute && joint.kind != physics::JointKind::prismatic) continue;
        const Range range = range_of(joint.prim);
        check_limits(joint, range, sink);
        check_sanity(joint, range, sink);
    }
    check_radians(facts, sink);
    for (const physics::Body& body : facts.physics.bodies) {
        if (!body.enabled) continue;
        sink.applies(kNested);
        // Without the reset, older readers move the body with its parent.
        if (body.parent_body >= 0 && !facts.stage.resets_transform(body.prim))
            sink.report(kNested,
                        {.site     = body.prim.site(),
                         .message  = "the body lies below another body",
                         .observed = facts.physics.bodies[static_cast<std::size_t>(body.parent_body)].path.text(),
                         .hint     = "begin its xformOpOrder with !resetXformStack! if older readers matter"});
    }
}

constexpr std::array<const Rule*, 4> kRules{&kRelations, &kNested, &kLimits, &kLimitSanity};

}  // namespace

constexpr Family kJointRules{kRules, check};

}  // namespace mechane::conformance
