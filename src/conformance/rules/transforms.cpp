// Rules of REP-0158 1.1 about transform stacks: translate, orient and scale with their types; no matrices, no Euler
// angles, no mirrors.
// The rules about one prim share one reading of its stack, at the default time and at samples.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "conformance/family.h"
#include "conformance/transform_ops.h"
#include "mechane/math/quat.h"
#include "mechane/usd/start_value.h"

/// REP-0158 1.1: how prims are placed.
namespace mechane::conformance {
namespace {

constexpr Rule kChirality{
    .id      = "REP-1.1-f",
    .slug    = "chirality",
    .summary = "Bodies, colliders and cameras are not mirrored.",
    .why     = "A mirrored frame is left-handed: joints turn the other way and rotations cannot be expressed.",
    .fix =
        "Geometry takes the mirror of its own scale into its points or sizes. None for bodies and what stands below a "
        "mirror.",
    .bad  = R"(
def Camera "eye"
{
    float3 xformOp:scale = (-1, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:scale"]
}
)",
    .good = R"(
def Camera "eye"
{
}
)",
};
constexpr Rule kStack{
    .id      = "REP-1.1-g",
    .slug    = "kinematic-stack",
    .summary = "A body is placed by exactly [\"xformOp:translate\", \"xformOp:orient\"].",
    .why     = "Simulators write poses back into these two operations; any other stack cannot take them.",
    .fix     = "The local matrix is rewritten as translate and orient at every sample.",
    .fixable = true,
    .bad     = R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:orient", "xformOp:translate"]
}
)",
    .good    = "<<body a>>",
};
constexpr Rule kMatrix{
    .id      = "REP-1.1-h",
    .slug    = "matrix-op",
    .keyword = Keyword::must_not,
    .summary = "No prim is placed by a matrix operation.",
    .why     = "A matrix hides scale, shear and mirroring, and cannot be interpolated.",
    .fix     = "The matrix is taken apart into translate, orient and, on leaves, scale; shear is reported.",
    .fixable = true,
    .bad     = R"(
def Xform "frame"
{
    matrix4d xformOp:transform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 1, 1))
    uniform token[] xformOpOrder = ["xformOp:transform"]
}
)",
    .good    = R"(
def Xform "frame"
{
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)",
};
constexpr Rule kEuler{
    .id      = "REP-1.1-i",
    .slug    = "euler-op",
    .summary = "Rotations are quaternions, not Euler angles.",
    .why     = "Euler angles have orders and singularities; what simulators write is a quaternion.",
    .fix     = "The angles become one xformOp:orient.",
    .fixable = true,
    .bad     = R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    float3 xformOp:rotateXYZ = (0, 0, 90)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
}
)",
    .good    = R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    quatf xformOp:orient = (0.70710677, 0, 0, 0.70710677)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)",
};
constexpr double kUnitTolerance = 1e-4;  // | |q| - 1 |
using Op                        = TransformOp;
using Stack                     = TransformStack;

bool has_kind(const Stack& stack, auto&& wanted)
{
    return std::any_of(stack.ops.begin(), stack.ops.end(), [&](const Op& op) { return wanted(op.kind); });
}

bool is_euler(const std::string& kind) { return kind.starts_with("rotate"); }

/// Everything about one prim's stack that more than one rule needs.
struct Placement {
    const Facts&     facts;
    const PrimFacts& prim;
    Stack            stack;

    [[nodiscard]] Site        site() const { return site_of(prim.prim, "xformOpOrder"); }
    [[nodiscard]] std::string order() const
    {
        std::string text = "[";
        for (const Op& op : stack.ops) text += (text.size() > 1 ? ", " : "") + op.text;
        return text + "]";
    }
};

bool check_forbidden_ops(const Placement& at, Sink& sink)
{
    bool found = false;
    if (has_kind(at.stack, [](const std::string& kind) { return kind == "transform"; })) {
        sink.report(kMatrix, {.site     = at.site(),
                              .message  = "the prim is placed by a matrix",
                              .observed = at.order(),
                              .expected = "translate, orient",
                              .hint     = "write the matrix as xformOp:translate and xformOp:orient"});
        found = true;
    }
    if (has_kind(at.stack, is_euler)) {
        const bool strict = at.prim.is(kBody) || at.prim.above_body;
        sink.report(kEuler, {.site     = at.site(),
                             .message  = "the prim is rotated by Euler angles",
                             .observed = at.order(),
                             .expected = "translate, orient",
                             .hint     = "write the rotation as one quatf xformOp:orient",
                             .severity = strict ? Severity::error : Severity::warning});
        found = true;
    }
    return found;
}

void check_body_op(const Placement& at, const Op& op, Sink& sink)
{
    const usd::Attribute attribute = at.prim.prim.attribute(op.attribute());
    const auto say = [&](const char* variant, std::string message, std::string observed, std::string expected) {
        sink.report(kStack, {.site     = site_of(at.prim.prim, op.attribute().c_str()),
                             .message  = std::move(message),
                             .observed = std::move(observed),
                             .expected = std::move(expected),
                             .hint     = "give the body one double3 translate and one unit quatf orient",
                             .variant  = variant});
    };
    if (attribute.authored_value(usd::start_of(attribute)).empty())
        return say("op-not-authored", op.attribute() + " is listed in xformOpOrder but has no value", "no value",
                   "a value");
    const std::string named = attribute.type_name(), type = named.empty() ? "of no type" : named;
    if (op.kind == "translate" && type != "double3" && type != "float3")
        return say("wrong-type", op.attribute() + " is " + type, type, "double3");
    if (op.kind != "orient") return;
    if (type != "quatf" && type != "quatd" && type != "quath")
        return say("wrong-type", op.attribute() + " is " + type, type, "quatf");
    for (const Quatd& q : values_of<Quatd>(attribute))
        if (const double norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
            !(std::abs(norm - 1) <= kUnitTolerance))
            return say("non-unit-quaternion", op.attribute() + " is not a unit quaternion", number(norm), "length 1");
}

void check_body_stack(const Placement& at, Sink& sink)
{
    const auto say = [&](const char* variant, std::string message, Severity severity = Severity::error) {
        sink.report(kStack, {.site     = at.site(),
                             .message  = std::move(message),
                             .observed = at.order(),
                             .expected = "[xformOp:translate, xformOp:orient]",
                             .hint     = "write the pose as xformOp:translate and xformOp:orient, in this order",
                             .variant  = variant,
                             .severity = severity});
    };
    std::set<std::string> seen;
    for (const Op& op : at.stack.ops) {
        if (op.inverse || !op.suffix.empty()) return say("suffix", "the body's placement uses " + op.text);
        if (!seen.insert(op.kind).second) return say("duplicate", op.text + " is listed twice");
    }
    const bool translate = seen.count("translate") != 0, orient = seen.count("orient") != 0;
    if (!translate && !orient) return say("missing-op", "the body has neither translate nor orient", Severity::warning);
    if (!translate || !orient)
        return say("missing-op", std::string("the body has no ") + (translate ? "orient" : "translate"));
    const bool scaled = seen.count("scale") != 0;
    if (at.stack.ops.size() != (scaled ? 3u : 2u) || at.stack.ops[0].kind != "translate" ||
        at.stack.ops[1].kind != "orient")
        return say("order", "the body's operations are in another order");
    if (scaled && !is_mirrored(at.prim.prim, at.stack))
        say("identity-scale", "the body's placement lists an identity scale, which is tolerated", Severity::info);
    for (const Op& op : at.stack.ops) check_body_op(at, op, sink);
}

/// A frame below a camera: what it says about pictures is wrong when it is mirrored.
bool is_optical(const Facts& facts, const PrimFacts& prim)
{ return prim.is(kFrame) && facts.nearest(prim.parent, kCamera) != nullptr; }

/// The operation that mirrors a prim, "xformOp:scale"; empty when what stands above it does.
std::string mirroring_op(const usd::Prim& prim, const Stack& stack)
{
    for (const Op& op : stack.ops) {
        const usd::Attribute attribute = prim.attribute(op.attribute());
        if (op.kind == "scale")
            for (const Vec3d& s : values_of<Vec3d>(attribute))
                if (s.x * s.y * s.z < 0) return op.attribute();
        if (op.kind == "transform")
            for (const usd::Matrix4d& m : values_of<usd::Matrix4d>(attribute))
                if (usd::determinant3(m) < 0) return op.attribute();
    }
    return {};
}

void check_chirality(const Placement& at, Sink& sink)
{
    const usd::Prim& prim = at.prim.prim;
    if (!at.prim.is(kBody | kCollider | kCamera) && !is_optical(at.facts, at.prim)) return;
    sink.applies(kChirality);
    // A mirror below a mirror is right-handed again in the world, and no less a mirror for the body itself.
    const bool by_itself = is_mirrored(prim, at.stack);
    bool       in_world  = usd::determinant3(at.facts.stage.world_matrix(prim)) < 0;
    for (const Op& op : at.stack.ops) {  // animated, it may be so from the first sample on
        if (in_world || !by_itself) break;
        const auto times = prim.attribute(op.attribute()).time_samples();
        in_world         = !times.empty() && usd::determinant3(at.facts.stage.world_matrix(prim, times.front())) < 0;
    }
    if (!in_world && !(by_itself && at.prim.is(kBody))) return;
    // One mirror is said once, at the uppermost prim that shows it.
    if (const PrimFacts* above = at.facts.nearest(at.prim.parent, kBody | kCollider | kCamera);
        !by_itself && above != nullptr && usd::determinant3(at.facts.stage.world_matrix(above->prim)) < 0)
        return;
    const std::string op = mirroring_op(prim, at.stack);
    sink.report(kChirality, {.site     = at.site(),
                             .message  = op.empty() ? "the prim is mirrored by what stands above it"
                                                    : "the prim is mirrored by " + op,
                             .observed = "determinant < 0",
                             .expected = "determinant > 0",
                             .hint     = "mirror the points and the winding of the mesh instead of its frame"});
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kXformable)) continue;
        const Placement at{facts, prim, stack_of(prim.prim)};
        if (prim.is(kBody)) sink.applies(kStack);
        sink.applies(kMatrix);
        sink.applies(kEuler);
        check_chirality(at, sink);
        const bool forbidden = check_forbidden_ops(at, sink);
        // A scaled body is REP-1.1-j's.
        if (prim.is(kBody) && !forbidden && !scale_of(prim.prim, at.stack, true)) check_body_stack(at, sink);
    }
}

constexpr std::array<const Rule*, 4> kRules{&kChirality, &kStack, &kMatrix, &kEuler};

}  // namespace

constexpr Family kTransformRules{kRules, check};

}  // namespace mechane::conformance
