// Rules of REP-0158 1.3 about bodies: mass, density, inertia, anchors, kinematic flags, and bodies that are only
// frames.
// A body gets its mass by its own value, by its colliders, or by a density and a volume; the rule asks for any of them,
// as the mass computation of UsdPhysics would find it.

#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "conformance/by_name.h"
#include "conformance/dummy_frames.h"
#include "conformance/family.h"
#include "conformance/finite.h"
#include "conformance/transform_ops.h"
#include "mechane/core/letters.h"

/// REP-0158 1.3, bodies: mass, inertia and what is a body at all.
namespace mechane::conformance {
namespace {

constexpr Rule kPositive{
    .id      = "REP-1.3-l",
    .slug    = "mass-positive",
    .summary = "The authored mass of a dynamic body is positive.",
    .why =
        "Zero means \"compute it\" in UsdPhysics: a body that was meant to weigh nothing weighs what its shapes weigh, "
        "or 1 kg.",
    .fix  = "None: the author must choose the mass.",
    .bad  = "<<placed a PhysicsRigidBodyAPI PhysicsMassAPI>>\n    float physics:mass = 0\n}\n",
    .good = "<<body a>>",
};
constexpr Rule kDefined{
    .id      = "REP-1.3-m",
    .slug    = "mass-defined",
    .summary = "A dynamic body has a mass: its own, its colliders' or by density.",
    .why     = "Otherwise each reader assumes a density of its own.",
    .fix     = "On demand: computed from the colliders at 1000 kg/m^3.",
    .bad     = "<<placed a PhysicsRigidBodyAPI>>\n}\n",
    .good    = "<<body a>>",
};
constexpr Rule kAnchor{
    .id      = "REP-1.3-o",
    .slug    = "anchor",
    .summary = "A fixed base is a joint to the world, not a kinematic or weightless link.",
    .why =
        "A kinematic base is not part of the articulation, and a target that is no body is the world only for some "
        "readers.",
    .fix     = "The target goes, a reversed anchor is turned round, a kinematic base is held by a fixed joint.",
    .fixable = true,
    .bad     = R"(
<<link a>>
    bool physics:kinematicEnabled = true
}

<<body b>>

<<root j a b>>
)",
    .good    = R"(
<<body a>>

<<anchor a>>
)",
};
constexpr Rule kKinematicFlag{
    .id      = "REP-1.3-p",
    .slug    = "kinematic-flag",
    .summary = "A body that is animated is kinematic.",
    .why     = "A dynamic body with time samples is moved by two masters.",
    .fix     = "The flag is written where no dynamic joint holds the body.",
    .fixable = true,
    .bad     = R"(
<<link a>>
    double3 xformOp:translate.timeSamples = {
        0: (0, 0, 0),
        1: (1, 0, 0),
    }
}
)",
    .good    = R"(
<<link a>>
    bool physics:kinematicEnabled = true
    double3 xformOp:translate.timeSamples = {
        0: (0, 0, 0),
        1: (1, 0, 0),
    }
}
)",
};
constexpr Rule kFrameBody{
    .id      = "REP-1.3-q",
    .slug    = "dummy-frame-body",
    .keyword = Keyword::must_not,
    .summary = "A coordinate frame is no rigid body.",
    .why     = "A frame without geometry or mass gets a default mass and swings on its joint.",
    .fix =
        "The rigid body goes and the fixed joint to it is deactivated, where the frame lies below the link that "
        "it follows. Within a RosContextAPI the frame gets RosFrameAPI.",
    .fixable = true,
    .bad     = "<<placed camera PhysicsRigidBodyAPI RosFrameAPI>>\n}\n",
    .good    = R"(
def Xform "camera" (
    prepend apiSchemas = ["RosFrameAPI"]
)
{
}
)",
};
constexpr Rule kInertia{
    .id      = "REP-1.3-r",
    .slug    = "inertia-form",
    .summary = "An authored inertia is positive, satisfies the triangle inequality and comes with its axes.",
    .why     = "No body has such an inertia; solvers lose energy or blow up.",
    .fix     = "Only the quaternion is normalised.",
    .bad     = R"(
<<link a>>
    float3 physics:diagonalInertia = (0.1, 0.1, 0.5)
    quatf physics:principalAxes = (1, 0, 0, 0)
}
)",
    .good    = R"(
<<link a>>
    float3 physics:diagonalInertia = (0.1, 0.1, 0.15)
    quatf physics:principalAxes = (1, 0, 0, 0)
}
)",
};
constexpr Rule kCustomInertia{
    .id      = "REP-1.3-s",
    .slug    = "inertia-custom",
    .keyword = Keyword::must_not,
    .summary = "The inertia is in diagonalInertia and principalAxes, nowhere else.",
    .why     = "A second inertia under another name is read by one engine, and the two drift apart.",
    .fix     = "Equal: the custom one is dropped. Alone: it is taken apart into the pair. Different: reported.",
    .fixable = true,
    .bad     = "<<link a>>\n    custom double[] my:inertia = [1, 1, 1, 0, 0, 0]\n}\n",
    .good    = "<<body a>>",
};

Found at(const usd::Prim& prim, const char* property, std::string message, std::string observed, std::string expected,
         std::string hint)
{
    return {.site     = property == nullptr ? prim.site() : site_of(prim, property),
            .message  = std::move(message),
            .observed = std::move(observed),
            .expected = std::move(expected),
            .hint     = std::move(hint)};
}

/// Any way in which a body or one of its colliders gets a mass.
enum class MassSource { own, colliders, density, none };

MassSource mass_source(const Facts& facts, const physics::Body& body)
{
    // An authored mass goes before everything, as in UsdPhysics.
    if (body.mass.has_mass()) return MassSource::own;
    // A density gives a mass to what has a volume.
    bool all = !body.colliders.empty(), some_density = body.mass.has_density() && !body.colliders.empty();
    for (const physics::Index c : body.colliders) {
        const physics::Collider& collider = facts.physics.colliders[static_cast<std::size_t>(c)];
        all &= collider.mass.has_mass();
        some_density |= collider.mass.has_density();
        if (collider.own_material >= 0)
            // The density of a material counts for the colliders that are bound to it.
            some_density |= facts.physics.materials[static_cast<std::size_t>(collider.own_material)].density > 0;
    }
    // The masses of colliders make up the body's only if each of them has one.
    if (all) return MassSource::colliders;
    return some_density ? MassSource::density : MassSource::none;
}

/// A body of a frame: REP-1.3-q says it all, so that the rules of mass are silent about it.
bool check_frame(const Facts& facts, const physics::Body& body, Sink& sink)
{
    const PrimFacts* prim = facts.find(body.path);
    if (prim != nullptr && prim->is(kFrame)) sink.applies(kFrameBody);
    const std::optional<Severity> severity = dummy_frame(facts, body);
    // The Severity says how sure the judgement is; nothing means that the body is one.
    if (!severity) return false;
    const bool        world = body.path.name().text() == "world";
    const std::string hint =
        world ? "remove it, and leave physics:body0 of its joint without a target: that is the world"
              : std::string("remove PhysicsRigidBodyAPI") + (prim->is(kFrame) ? "" : " and apply RosFrameAPI");
    Found found    = at(body.prim, nullptr, world ? "the world is a rigid body" : "a coordinate frame is a rigid body",
                        "RigidBodyAPI without geometry or mass", "no rigid body", hint);
    found.severity = severity;
    sink.report(kFrameBody, std::move(found));
    return true;
}

const usd::Token kMassName("physics:mass"), kDensityName("physics:density"), kDiagonalName("physics:diagonalInertia"),
    kAxesName("physics:principalAxes"), kCentreName("physics:centerOfMass");

/// The authored number, and of a sampled one the smallest: a mass has to be positive at all times. What is no number
/// counts as the smallest.
std::optional<double> least(const usd::Attribute& attribute)
{
    auto out = attribute.authored_as<double>();
    for (const double time : attribute.time_samples())
        if (const auto value = attribute.get<double>(usd::TimeCode(time)); value && !(out && *out <= *value))
            out = value;
    return out;
}

// A kinematic body is moved and not pushed: its mass is told as a note, and a missing one not at all.
void check_mass(const Facts& facts, const physics::Body& body, Sink& sink)
{
    sink.applies(kPositive);
    const auto authored = least(body.prim.attribute(kMassName));
    if (authored && (!(*authored > 0) || std::isinf(*authored))) {
        Found found =
            at(body.prim, "physics:mass",
               "the mass is " + number(*authored) + (body.kinematic ? "" : "; a dynamic body needs a positive mass"),
               number(*authored), "> 0, finite",
               "write the mass of the part; remove PhysicsRigidBodyAPI from static props");
        if (body.kinematic) found.severity = Severity::info;
        sink.report(kPositive, std::move(found));
        return;
    }
    if (body.kinematic) return;
    sink.applies(kDefined);
    switch (mass_source(facts, body)) {
        case MassSource::own:
        case MassSource::colliders:
            return;
        // A mass by density is there, but each reader computes the volume of a mesh in its own way.
        case MassSource::density: {
            Found found    = at(body.prim, nullptr, "the mass follows from a density only", "implicit", "physics:mass",
                                "write physics:mass so that every reader agrees");
            found.variant  = "implicit";
            found.severity = Severity::warning;
            return sink.report(kDefined, std::move(found));
        }
        case MassSource::none:
            return sink.report(kDefined,
                               at(body.prim, nullptr, "nothing defines the mass of the body", "no mass, no density",
                                  "physics:mass", "apply PhysicsMassAPI and write physics:mass"));
    }
}

void check_densities(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kBody | kCollider)) continue;
        // Zero is the schema's fallback and means that no density is authored.
        if (const auto density = least(prim.prim.attribute(kDensityName));
            density && (!(*density >= 0) || std::isinf(*density)))
            sink.report(kPositive,
                        at(prim.prim, "physics:density",
                           *density < 0 ? "the density is negative" : "the density is " + number(*density),
                           number(*density), ">= 0, finite", "write the density of the material, or 0 for unset"));
        // Minus infinity in each component is the schema's way of saying that the centre is computed.
        const usd::Attribute centre = prim.prim.attribute(kCentreName);
        const auto           com    = centre.authored_as<Vec3d>();
        constexpr double     kUnset = -std::numeric_limits<double>::infinity();
        if (com && *com != Vec3d{kUnset, kUnset, kUnset})
            if (const auto observed = not_finite(centre)) {
                Found found   = at(prim.prim, "physics:centerOfMass", "the centre of mass is no point", *observed,
                                   "finite", "write it, or remove it to have it computed");
                found.variant = "centre";
                sink.report(kPositive, std::move(found));
            }
        // Bodies were looked at by check_mass.
        if (prim.is(kBody)) continue;
        // Only a warning: UsdPhysics takes a mass of zero as "not authored" here.
        if (const auto mass = least(prim.prim.attribute(kMassName)); mass && (!(*mass > 0) || std::isinf(*mass))) {
            Found found = at(prim.prim, "physics:mass", "the mass of the collider is " + number(*mass), number(*mass),
                             "> 0", "remove it, or write the mass of this part");
            found.severity = Severity::warning;
            sink.report(kPositive, std::move(found));
        }
    }
}

// Principal moments I1 <= I2 <= I3 of a real body satisfy I3 <= I1 + I2, since I1 + I2 - I3 is twice the integral of
// a square over its mass.
void check_inertia(const usd::Prim& prim, Sink& sink)
{
    const auto diagonal = prim.attribute(kDiagonalName).authored_as<Vec3d>();
    const auto axes     = prim.attribute(kAxesName).authored_as<Quatd>();
    if (!diagonal && !axes) return;
    sink.applies(kInertia);
    const auto say = [&](const char* property, const char* variant, std::string message, std::string observed,
                         std::string expected, Severity severity = Severity::error) {
        Found found    = at(prim, property, std::move(message), std::move(observed), std::move(expected),
                            "write the principal moments and axes of the part, or remove both to have them computed");
        found.variant  = variant;
        found.severity = severity;
        sink.report(kInertia, std::move(found));
    };
    if (diagonal) {
        const Vec3d&      d    = *diagonal;
        const std::string text = number(d.x) + ", " + number(d.y) + ", " + number(d.z);
        const double      tall = std::max({d.x, d.y, d.z}), rest = d.x + d.y + d.z - tall;
        if (std::isinf(d.x) || std::isinf(d.y) || std::isinf(d.z))
            say("physics:diagonalInertia", "not-finite", "a principal moment is infinite", text, "finite");
        else if (d.x == 0 && d.y == 0 && d.z == 0)
            say("physics:diagonalInertia", "zero", "the inertia is zero, which means that it is computed", text,
                "principal moments", Severity::warning);
        else if (!(d.x > 0 && d.y > 0 && d.z > 0))
            say("physics:diagonalInertia", "not-positive", "a principal moment is not positive", text, "> 0");
        else if (tall > rest * (1 + 1e-3))
            say("physics:diagonalInertia", "triangle", "one principal moment is larger than the sum of the others",
                text, "each at most the sum of the other two");
    }
    if (const auto observed = not_finite(prim.attribute(kAxesName))) {
        say("physics:principalAxes", "not-finite", "the principal axes are no rotation", *observed, "finite");
    } else if (axes) {
        const double norm = std::sqrt(axes->x * axes->x + axes->y * axes->y + axes->z * axes->z + axes->w * axes->w);
        // Within 1e-4 it is rounding of single precision. A quaternion of zeros is the fallback and told below.
        if (norm != 0 && std::abs(norm - 1) > 1e-4)
            say("physics:principalAxes", "non-unit-quaternion", "the principal axes are no unit quaternion",
                number(norm), "length 1");
        else if (norm == 0 && diagonal && (diagonal->x != 0 || diagonal->y != 0 || diagonal->z != 0))
            say("physics:principalAxes", "zero-axes", "the principal axes are zero, which is read as no rotation", "0",
                "a unit quaternion", Severity::info);
    }
    // The pair belongs together: moments without axes hold in the frame of the body, and axes without moments turn
    // nothing.
    if (diagonal.has_value() != axes.has_value())
        say(diagonal ? "physics:diagonalInertia" : "physics:principalAxes", "half",
            diagonal ? "the inertia has no principal axes" : "principal axes without an inertia", "one of the pair",
            "both", Severity::warning);
}

/// What the name of a property has to do with an inertia.
/// Names of other formats: URDF and MJCF write the six entries one by one, some exporters the whole matrix.
struct InertiaName {
    bool entry = false;  ///< of the matrix, by itself: "ixx"
    bool whole = false;
};
InertiaName inertia_name(std::string_view text)
{
    if (text == kDiagonalName.text()) return {};
    const std::string lower = lower_case(text);
    const std::string last  = lower.substr(lower.rfind(':') + 1);
    InertiaName       name{.whole = lower.find("inertia") != std::string::npos};
    for (const char* entry : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) name.entry |= last == entry;
    return name;
}

void check_custom_inertia(const Facts& facts, Sink& sink)
{
    // Judged once for each name, since thousands of prims share a few names.
    ByName<InertiaName> meaning(inertia_name);
    for (const PrimFacts& prim : facts.prims) {
        int scalars = 0;
        for (const usd::Token& name : prim.properties) {
            const std::string& text = name.text();
            const InertiaName& says = meaning(name);
            scalars += says.entry;
            if (!says.whole) continue;
            const usd::Value  value = prim.prim.attribute(name).authored_value();
            const std::string type  = value.type_name();
            const auto        list  = value.get<std::vector<double>>();
            // Six numbers are a symmetric matrix, nine a full one. Other types (flags, texts) only mention inertia.
            if (!(list && (list->size() == 6 || list->size() == 9)) && !type.starts_with("matrix3")) continue;
            sink.report(kCustomInertia,
                        at(prim.prim, text.c_str(), "an inertia is authored as " + text, type,
                           "physics:diagonalInertia and physics:principalAxes", "write the pair and remove this one"));
        }
        if (scalars == 6)
            sink.report(kCustomInertia,
                        at(prim.prim, nullptr, "an inertia is authored as six scalars", "ixx, ixy, ...",
                           "physics:diagonalInertia and physics:principalAxes", "write the pair and remove these"));
        if (prim.is(kBody)) sink.applies(kCustomInertia);
    }
}

// Anchors are the joints between a tree and the world.
void check_anchors(const Facts& facts, Sink& sink)
{
    for (const KinematicTree& tree : facts.trees) {
        for (const physics::Index j : tree.world_joints) {
            const physics::Joint& joint = facts.physics.joints[static_cast<std::size_t>(j)];
            sink.applies(kAnchor);
            // A target that does not exist is REP-1.3-b's.
            const usd::Path& other = joint.body1 < 0 ? joint.rel1 : joint.rel0;
            if (!other.empty() && facts.find(other) == nullptr) continue;
            if (joint.body1 < 0)
                sink.report(kAnchor, {.site     = joint.prim.site(),
                                      .message  = "the anchor has the world as body1",
                                      .observed = "body1 is the world",
                                      .expected = "body0 empty, body1 the base",
                                      .hint     = "swap the two sides and their local frames",
                                      .variant  = "reversed",
                                      .severity = Severity::warning});
            else if (!joint.rel0.empty())
                sink.report(kAnchor, {.site     = site_of(joint.prim, "physics:body0"),
                                      .message  = "the anchor names a prim that is no body",
                                      .observed = joint.rel0.text(),
                                      .expected = "no target",
                                      .hint     = "remove the target of physics:body0",
                                      .variant  = "target",
                                      .severity = Severity::warning});
        }
        if (tree.joints.empty()) continue;
        // A link that is body1 of no joint is the base of its tree.
        std::set<physics::Index> children;
        for (const physics::Index j : tree.joints)
            children.insert(facts.physics.joints[static_cast<std::size_t>(j)].body1);
        for (const physics::Index b : tree.bodies) {
            const physics::Body& body = facts.physics.bodies[static_cast<std::size_t>(b)];
            const bool           base = children.count(b) == 0;
            const auto           mass = body.prim.attribute(kMassName).authored_as<double>();
            // A link without mass that nothing anchors would fall or fly off.
            if (base && !body.kinematic && mass && *mass == 0 && tree.world_joints.empty())
                sink.report(kAnchor,
                            {.site     = site_of(body.prim, "physics:mass"),
                             .message  = "the base link has no mass to hold the robot",
                             .observed = "mass 0",
                             .expected = "a fixed joint to the world",
                             .hint     = "write the mass of the link, and add a PhysicsFixedJoint with only body1 set",
                             .variant  = "massless"});
            if (base && body.kinematic) {
                sink.report(kAnchor,
                            {.site     = body.prim.site(),
                             .message  = "the base link is kinematic to hold the robot",
                             .observed = "kinematicEnabled",
                             .expected = "a fixed joint to the world",
                             .hint     = "add a PhysicsFixedJoint with only body1 set, and remove kinematicEnabled",
                             .variant  = "kinematic"});
            }
        }
    }
}

/// For each prim the sampled operation that moves it, its own or of one above it below the default prim.
/// An ancestor that is animated carries all below it, unless they reset their transforms.
std::vector<std::string> moving_ops(const Facts& facts)
{
    std::vector<std::string> ops(facts.prims.size());
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        // The default prim may be animated: it places the robot as a whole.
        if (static_cast<std::int32_t>(i) == facts.root || (!prim.is(kBody) && !prim.above_body)) continue;
        const TransformStack stack = stack_of(prim.prim);
        if (prim.parent >= 0 && !stack.resets) ops[i] = ops[static_cast<std::size_t>(prim.parent)];
        if (const std::string own = moving_op(prim.prim, stack); !own.empty())
            ops[i] = prim.prim.path().property(usd::Token(own)).text();
    }
    return ops;
}

void check_animated(const Facts& facts, Sink& sink)
{
    std::vector<std::string> ops;
    for (const physics::Body& body : facts.physics.bodies) {
        if (!body.enabled) continue;
        sink.applies(kKinematicFlag);
        const std::int32_t here = facts.index_of(body.prim);
        if (body.kinematic || here < 0 || here == facts.root) continue;
        // Made when the first dynamic body is met, since it reads the stack of every prim.
        if (ops.empty()) ops = moving_ops(facts);
        const std::string& op = ops[static_cast<std::size_t>(here)];
        if (op.empty()) continue;
        sink.report(kKinematicFlag, at(body.prim, nullptr, "the body is animated (" + op + ") but not kinematic",
                                       "time samples", "physics:kinematicEnabled = true",
                                       "write `bool physics:kinematicEnabled = true`, or remove the time samples"));
    }
}

void check(const Facts& facts, Sink& sink)
{
    for (const physics::Body& body : facts.physics.bodies) {
        if (!body.enabled) continue;
        if (!check_frame(facts, body, sink)) check_mass(facts, body, sink);
        check_inertia(body.prim, sink);
    }
    for (const PrimFacts& prim : facts.prims)
        if (prim.is(kCollider) && !prim.is(kBody)) check_inertia(prim.prim, sink);
    check_animated(facts, sink);
    check_densities(facts, sink);
    check_custom_inertia(facts, sink);
    check_anchors(facts, sink);
}

constexpr std::array<const Rule*, 7> kRules{&kPositive,  &kDefined, &kAnchor,       &kKinematicFlag,
                                            &kFrameBody, &kInertia, &kCustomInertia};

}  // namespace

constexpr Family kMassRules{kRules, check};

}  // namespace mechane::conformance
