// Boxes of geometry from its authored sizes, in the world or in its own frame [stage units].
// Points come first, then the sizes of the primitive, then the extent: extents are authored and may be wrong, which is
// one of the things that are checked. Called by rules about placement and by pictures.

#include "bounds.h"

#include <algorithm>
#include <vector>

#include "mechane/physics/solid_size.h"

namespace mechane::conformance {
namespace {

/// Points whose box is that of the Gprim, in its own frame.
std::vector<Vec3d> own_points(const usd::Prim& gprim)
{
    if (auto points = gprim.attribute("points").get<std::vector<Vec3d>>(); points && !points->empty()) return *points;
    auto box = physics::own_bounds(gprim);
    if (!box) {
        const auto extent = gprim.attribute("extent").get<std::vector<Vec3d>>();
        if (!extent || extent->size() != 2) return {};
        box = {(*extent)[0], (*extent)[1]};
    }
    const auto& [low, high] = *box;
    std::vector<Vec3d> corners;
    for (int i = 0; i < 8; ++i)
        corners.push_back(
            {(i & 1) != 0 ? high.x : low.x, (i & 2) != 0 ? high.y : low.y, (i & 4) != 0 ? high.z : low.z});
    return corners;
}

void join(geometry::Aabbd& box, const geometry::Aabbd& other)
{
    box.lower = min(box.lower, other.lower);
    box.upper = max(box.upper, other.upper);
}

}  // namespace

geometry::Aabbd bounds_at(const usd::Matrix4d& to_world, const usd::Prim& gprim)
{
    geometry::Aabbd box;
    for (const Vec3d& p : own_points(gprim)) {
        const Vec3d at = usd::transform_point(to_world, p);
        join(box, {at, at});
    }
    return box;
}

geometry::Aabbd world_bounds(const usd::Stage& stage, const usd::Prim& gprim)
{ return bounds_at(stage.world_matrix(gprim), gprim); }

geometry::Aabbd drawn_bounds(const Facts& facts, std::int32_t from, std::int32_t end, bool guides)
{
    geometry::Aabbd box;
    for (std::int32_t i = from; i < end; ++i) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        if (!prim.is(kGprim) || !facts.stage.visible(prim.prim)) continue;
        if (const std::string purpose = facts.stage.purpose(prim.prim).text();
            purpose == "default" || purpose == "render" || (guides && purpose == "guide"))
            join(box, world_bounds(facts.stage, prim.prim));
    }
    return box;
}

}  // namespace mechane::conformance
