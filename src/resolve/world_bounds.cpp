// Bounds of a prim and of all below it in the world, in the stage's unit, as OpenUSD's bounding box of purpose
// `default`.
// They are those of the turned boxes of each shape and so may be larger than the shapes themselves.

#include "world_bounds.h"

#include <algorithm>

#include "mechane/physics/solid_size.h"

namespace mechane::resolve {

std::optional<Bounds> world_bounds(const usd::Stage& stage, const usd::Prim& prim)
{
    std::optional<Bounds> out;
    for (const usd::Prim& below : prim.subtree()) {
        const auto own = physics::own_bounds(below);
        if (!own || stage.purpose(below).text() != "default") continue;
        const usd::Matrix4d world = stage.world_matrix(below);
        // A box in a turned frame is not a box along the axes: all eight corners count.
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3d p = usd::transform_point(
                world, {(corner & 1) != 0 ? (*own)[1].x : (*own)[0].x, (corner & 2) != 0 ? (*own)[1].y : (*own)[0].y,
                        (corner & 4) != 0 ? (*own)[1].z : (*own)[0].z});
            if (!out) out = Bounds{p, p};
            for (std::size_t i = 0; i < 3; ++i) {
                out->lower[i] = std::min(out->lower[i], p[i]);
                out->upper[i] = std::max(out->upper[i], p[i]);
            }
        }
    }
    return out;
}

}  // namespace mechane::resolve
