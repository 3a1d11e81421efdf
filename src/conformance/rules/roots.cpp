// The rule of REP-0158 1.1 about the root: it is not rotated, and neither is a single Xform below it in its place.

#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/family.h"
#include "conformance/root_content.h"
#include "conformance/transform_ops.h"

/// REP-0158 1.1: the root of an asset is not rotated.
namespace mechane::conformance {
namespace {

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

constexpr double kTurnTolerance = 1e-4;  // rad

/// The angle of a rotation in degrees, to three decimals.
std::string degrees(double angle) { return number(std::round(angle * 180 / kPi * 1000) / 1000); }

double angle_of(const Quatd& q) { return 2 * std::acos(std::min(1.0, std::abs(q.w))); }

/// A prim between the default prim and everything in it that turns all of it by a quarter or half turn: what a rotation
/// of the root would do, one level down. The pose of a body is a state and no shim.
void check_shim(const Facts& facts, Sink& sink)
{
    const PrimFacts* only = only_content(facts, facts.prims[static_cast<std::size_t>(facts.root)]);
    if (only == nullptr) return;
    const PrimFacts&         shim  = *only;
    const usd::Decomposition local = usd::decompose(facts.stage.local_matrix(shim.prim));
    const double             angle = angle_of(local.rotation);
    const Vec3d              axis{local.rotation.x, local.rotation.y, local.rotation.z};
    const double             most = std::max({std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)});
    const bool about_one_axis     = std::abs(length(axis) - most) <= kTurnTolerance;
    // Quarter and half turns about an axis are changes of axes; any other angle is a pose that somebody wants.
    const bool square = std::abs(angle - kPi / 2) <= kTurnTolerance || std::abs(angle - kPi) <= kTurnTolerance;
    if (local.singular || !square || !about_one_axis) return;
    sink.report(kRootRotation, {.site     = site_of(shim.prim, "xformOpOrder"),
                                .message  = "the only child of the default prim turns the whole asset by " +
                                            degrees(angle) + " degrees",
                                .observed = degrees(angle) + " degrees",
                                .expected = "no rotation",
                                .hint     = "rotate what is below it instead, and set upAxis if that was the reason",
                                .variant  = "rotation-shim",
                                .severity = Severity::warning});
}

void check_root(const Facts& facts, Sink& sink)
{
    if (facts.root < 0) return;
    const PrimFacts& root = facts.prims[static_cast<std::size_t>(facts.root)];
    sink.applies(kRootRotation);
    double turn = 0;
    if (root.is(kXformable))
        for (const usd::Matrix4d& matrix : local_matrices(root.prim, stack_of(root.prim)))
            if (const usd::Decomposition local = usd::decompose(matrix); !local.singular)
                turn = std::max(turn, angle_of(local.rotation));
    if (turn <= kTurnTolerance) return check_shim(facts, sink);
    sink.report(kRootRotation,
                {.site     = site_of(root.prim, "xformOpOrder"),
                 .message  = "the default prim is rotated by " + degrees(turn) + " degrees",
                 .expected = "no rotation",
                 .hint     = "rotate the children instead, and set upAxis if that was the reason"});
}

constexpr std::array<const Rule*, 1> kRules{&kRootRotation};

}  // namespace

constexpr Family kRootRules{kRules, check_root};

}  // namespace mechane::conformance
