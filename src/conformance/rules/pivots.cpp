// The rule of REP-0158 1.1 about where an asset stands: origin on the ground, below its middle. Robots are excepted:
// their bases follow REP 105.

#include <array>
#include <cmath>

#include "conformance/bounds.h"
#include "conformance/family.h"

/// REP-0158 1.1: where an asset stands about its own origin.
namespace mechane::conformance {
namespace {

constexpr Rule kGround{
    .id       = "REP-1.1-m",
    .slug     = "ground-pivot",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "A prop stands on its origin: its lowest point at z = 0, its middle above it.",
    .why      = "Whoever places it on a floor has to measure it first.",
    .fix      = "None: moving the content moves it in every scene that has the asset already.",
    .bad      = R"(<<layer>>

def Xform "robot" (
    <<identity>>
)
{
    def Cube "crate"
    {
        double size = 1
    }
}
)",
    .good     = R"(<<layer>>

def Xform "robot" (
    <<identity>>
)
{
    def Cube "crate"
    {
        double size = 1
        double3 xformOp:translate = (0, 0, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
)",
};

void check(const Facts& facts, Sink& sink)
{
    if (facts.root < 0 || facts.has(kContext) || facts.articulated()) return;
    const PrimFacts& root = facts.prims[static_cast<std::size_t>(facts.root)];
    if (root.prim.metadata("kind").get<std::string>().value_or("") != "component") return;
    if (root.prim.metadata("assetInfo:ros:mounting").get<std::string>().value_or("ground") != "ground") return;
    geometry::Aabbd box = drawn_bounds(facts, facts.root, root.end);
    const bool      guides = is_empty(box);
    if (guides) box = drawn_bounds(facts, facts.root, root.end, true);
    if (is_empty(box)) return;
    sink.applies(kGround);
    const Vec3d origin = usd::transform_point(facts.stage.world_matrix(root.prim), {});
    // Colliders may reach beyond what is seen: of them alone only an origin outside of all is told.
    if (guides && box.lower.x <= origin.x && origin.x <= box.upper.x && box.lower.y <= origin.y && origin.y <= box.upper.y &&
        box.lower.z <= origin.z && origin.z <= box.upper.z)
        return;
    const Vec3d  middle    = (box.lower + box.upper) * 0.5 - origin;
    const double low       = box.lower.z - origin.z;
    // A thousandth of the size: placing things by hand is not more exact.
    const double tolerance = std::max(1e-3, 1e-3 * length(box.upper - box.lower));
    if (std::abs(low) <= tolerance && std::abs(middle.x) <= tolerance && std::abs(middle.y) <= tolerance) return;
    const auto rounded = [](double v) { return number(std::round(v * 1000) / 1000 + 0.0); };
    sink.report(kGround, {.site     = root.prim.site(),
                          .message  = "the asset does not stand on its origin",
                          .observed = "lowest point at z = " + rounded(low) + ", middle at " + rounded(middle.x) +
                                      ", " + rounded(middle.y),
                          .expected = "lowest point at z = 0, middle at 0, 0",
                          .hint     = "move the children, or say where it is mounted: `dictionary ros = { string "
                                      "mounting = \"wall\" }` in assetInfo"});
}

constexpr std::array<const Rule*, 1> kRules{&kGround};

}  // namespace

constexpr Family kPivotRules{kRules, check};

}  // namespace mechane::conformance
