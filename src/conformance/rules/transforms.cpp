#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "conformance/family.h"
#include "mechane/math/quat.h"

/// REP-0158 1.1, second half: how prims are placed.
namespace mechane::conformance {
namespace {

constexpr Rule kChirality{
    .id      = "REP-1.1-f",
    .slug    = "chirality",
    .summary = "Bodies, colliders and cameras are not mirrored.",
    .why     = "A mirrored frame is left-handed: joints turn the other way and rotations cannot be expressed.",
    .fix     = "None for bodies: mirror the points of the mesh and its winding instead of the frame.",
    .bad     = R"(
def Camera "eye"
{
    float3 xformOp:scale = (-1, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:scale"]
}
)",
    .good    = R"(
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
constexpr Rule kRootRotation{
    .id      = "REP-1.1-l",
    .slug    = "root-rotation",
    .keyword = Keyword::must_not,
    .summary = "The default prim is not rotated.",
    .why     = "A rotation on the root mends a wrong up axis in one scene and spoils the pose in every other.",
    .fix     = "The rotation goes into the children.",
    .fixable = true,
    .bad     = R"(<<layer>>
def Xform "robot" (
    <<identity>>
)
{
    quatf xformOp:orient = (0.70710677, -0.70710677, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:orient"]
}
)",
    .good    = R"(<<layer>>
def Xform "robot" (
    <<identity>>
)
{
    quatf xformOp:orient = (1, 0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:orient"]
}
)",
};

constexpr double kUnitTolerance  = 1e-4;  // | |q| - 1 |
constexpr double kScaleTolerance = 1e-6;
constexpr double kTurnTolerance  = 1e-4;  // rad

/// One entry of xformOpOrder, taken apart.
struct Op {
    std::string text;    ///< as authored
    std::string kind;    ///< "translate", "rotateXYZ", ...
    std::string suffix;  ///< after a further colon
    bool        inverse = false;

    [[nodiscard]] std::string attribute() const { return "xformOp:" + kind + (suffix.empty() ? "" : ":" + suffix); }
};

struct Stack {
    std::vector<Op> ops;
    bool            resets   = false;
    bool            authored = false;
};

Stack stack_of(const usd::Prim& prim)
{
    static const usd::Token kOrder("xformOpOrder");
    Stack                   stack;
    const auto              order = prim.attribute(kOrder).authored_as<std::vector<usd::Token>>();
    stack.authored                = order.has_value();
    if (!order) return stack;
    for (const usd::Token& token : *order) {
        std::string_view text = token.text();
        if (text == "!resetXformStack!") {
            stack.resets = true;
            stack.ops.clear();
            continue;
        }
        Op op{.text = std::string(text)};
        if (text.starts_with("!invert!")) {
            op.inverse = true;
            text.remove_prefix(8);
        }
        if (text.starts_with("xformOp:")) text.remove_prefix(8);
        const std::size_t colon = text.find(':');
        op.kind                 = text.substr(0, colon);
        if (colon != std::string_view::npos) op.suffix = text.substr(colon + 1);
        stack.ops.push_back(std::move(op));
    }
    return stack;
}

Vec3d row_lengths(const usd::Matrix4d& m)
{
    const auto row = [&](int r) { return std::sqrt(m(r, 0) * m(r, 0) + m(r, 1) * m(r, 1) + m(r, 2) * m(r, 2)); };
    return {row(0), row(1), row(2)};
}

bool is_unit(const Vec3d& scale)
{
    return std::abs(scale.x - 1) <= kScaleTolerance && std::abs(scale.y - 1) <= kScaleTolerance &&
           std::abs(scale.z - 1) <= kScaleTolerance;
}

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
    Vec3d            scale{1, 1, 1};  ///< lengths of the rows of the local matrix

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
    const usd::Value value = attribute.authored_value(
        attribute.varying() ? usd::TimeCode(attribute.time_samples().front()) : usd::TimeCode());
    if (value.empty())
        return say("op-not-authored", op.attribute() + " is listed in xformOpOrder but has no value", "no value",
                   "a value");
    const std::string type = attribute.type_name();
    if (op.kind == "translate" && type != "double3" && type != "float3")
        return say("wrong-type", op.attribute() + " is " + type, type, "double3");
    if (op.kind != "orient") return;
    if (type != "quatf" && type != "quatd" && type != "quath")
        return say("wrong-type", op.attribute() + " is " + type, type, "quatf");
    if (const auto q = value.get<Quatd>();
        q && std::abs(std::sqrt(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w) - 1) > kUnitTolerance)
        say("non-unit-quaternion", op.attribute() + " is not a unit quaternion",
            number(std::sqrt(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w)), "length 1");
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
    if (scaled)
        say("identity-scale", "the body's placement lists an identity scale, which is tolerated", Severity::info);
    for (const Op& op : at.stack.ops) check_body_op(at, op, sink);
}

bool check_scale(const Placement& at, Sink& sink)
{
    if (is_unit(at.scale)) return false;
    const std::string observed = number(at.scale.x) + ", " + number(at.scale.y) + ", " + number(at.scale.z);
    const auto        say      = [&](const Rule& rule, std::string message, Severity severity) {
        sink.report(rule, {.site     = at.site(),
                           .message  = std::move(message),
                           .observed = observed,
                           .expected = "1, 1, 1",
                           .hint     = "scale the points or sizes of the geometry below instead",
                           .severity = severity});
    };
    if (at.prim.is(kBody)) {
        say(kBodyScale, "the body is scaled", Severity::error);
        return true;
    }
    if (at.prim.is(kGprim)) return false;
    if (at.prim.above_body)
        say(kInnerScale, "a prim above rigid bodies is scaled", Severity::error);
    else if (at.prim.above_gprim)
        say(kInnerScale, "a prim above geometry is scaled", Severity::warning);
    return false;
}

void check_chirality(const Placement& at, Sink& sink)
{
    if (!at.prim.is(kBody | kCollider | kCamera)) return;
    sink.applies(kChirality);
    if (!(usd::determinant3(at.facts.stage.world_matrix(at.prim.prim)) < 0)) return;
    // One mirror is said once, at the uppermost prim that shows it.
    if (const PrimFacts* above = at.facts.nearest(at.prim.parent, kBody | kCollider | kCamera);
        above != nullptr && usd::determinant3(at.facts.stage.world_matrix(above->prim)) < 0)
        return;
    sink.report(kChirality, {.site     = at.site(),
                             .message  = "the prim is mirrored",
                             .observed = "determinant < 0",
                             .expected = "determinant > 0",
                             .hint     = "mirror the points and the winding of the mesh instead of its frame"});
}

void check_root(const Facts& facts, Sink& sink)
{
    if (facts.root < 0) return;
    const PrimFacts& root = facts.prims[static_cast<std::size_t>(facts.root)];
    if (!root.is(kXformable)) return;
    sink.applies(kRootRotation);
    const usd::Decomposition local = usd::decompose(facts.stage.local_matrix(root.prim));
    const double             half  = std::min(1.0, std::abs(local.rotation.w));
    if (local.singular || 2 * std::acos(half) <= kTurnTolerance) return;
    sink.report(kRootRotation,
                {.site     = site_of(root.prim, "xformOpOrder"),
                 .message  = "the default prim is rotated by " +
                             number(std::round(2 * std::acos(half) * 180 / kPi * 1000) / 1000) + " degrees",
                 .expected = "no rotation",
                 .hint     = "rotate the children instead, and set upAxis if that was the reason"});
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kXformable)) continue;
        Placement at{facts, prim, stack_of(prim.prim)};
        if (prim.is(kBody)) {
            sink.applies(kStack);
            sink.applies(kBodyScale);
        }
        sink.applies(kMatrix);
        sink.applies(kEuler);
        sink.applies(kInnerScale);
        check_chirality(at, sink);
        if (at.stack.ops.empty() && !prim.is(kBody)) continue;
        at.scale             = row_lengths(facts.stage.local_matrix(prim.prim));
        const bool forbidden = check_forbidden_ops(at, sink);
        const bool scaled    = check_scale(at, sink);
        if (prim.is(kBody) && !forbidden && !scaled) check_body_stack(at, sink);
    }
    check_root(facts, sink);
}

constexpr std::array<const Rule*, 7> kRules{&kChirality, &kStack,      &kMatrix,      &kEuler,
                                            &kBodyScale, &kInnerScale, &kRootRotation};

}  // namespace

constexpr Family kTransformRules{kRules, check};

}  // namespace mechane::conformance
