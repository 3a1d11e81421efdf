// Bounds of a prim and of all below it in the world, in the stage's unit, as OpenUSD's bounding box of purpose
// `default`.
// They are those of the turned boxes of each shape and so may be larger than the shapes themselves.

#include "world_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mechane::resolve {
namespace {

double number(const usd::Prim& prim, const char* name, double otherwise)
{
    const double value = prim.attribute(name).get_or<double>(otherwise);
    return std::isfinite(value) ? std::abs(value) : 0;
}

/// Half extents of something with a radius around an axis.
Vec3d around_axis(const usd::Prim& prim, double radius, double half_height)
{
    const std::string axis = prim.attribute("axis").get_or<std::string>("Z");
    if (axis == "X") return {half_height, radius, radius};
    if (axis == "Y") return {radius, half_height, radius};
    return {radius, radius, half_height};
}

std::optional<Bounds> symmetric(const Vec3d& half) { return Bounds{-half, half}; }

/// Of a prim's own geometry, in its frame.
std::optional<Bounds> own_bounds(const usd::Prim& prim)
{
    const double radius = number(prim, "radius", prim.is_a("Capsule") ? 0.5 : 1);
    if (prim.is_a("Cube")) {
        const double half = 0.5 * number(prim, "size", 2);
        return symmetric({half, half, half});
    }
    if (prim.is_a("Sphere")) return symmetric({radius, radius, radius});
    if (prim.is_a("Capsule")) return symmetric(around_axis(prim, radius, 0.5 * number(prim, "height", 1) + radius));
    if (prim.is_a("Cylinder") || prim.is_a("Cone"))
        return symmetric(around_axis(prim, radius, 0.5 * number(prim, "height", 2)));
    if (!prim.is_a("PointBased")) return std::nullopt;
    const auto points = prim.attribute("points").get<std::vector<Vec3d>>();
    if (!points) return std::nullopt;
    std::optional<Bounds> out;
    for (const Vec3d& p : *points) {
        if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) continue;
        if (!out) out = Bounds{p, p};
        for (std::size_t i = 0; i < 3; ++i) {
            out->lower[i] = std::min(out->lower[i], p[i]);
            out->upper[i] = std::max(out->upper[i], p[i]);
        }
    }
    return out;
}

}  // namespace

std::optional<Bounds> world_bounds(const usd::Stage& stage, const usd::Prim& prim)
{
    std::optional<Bounds> out;
    for (const usd::Prim& below : prim.subtree()) {
        const auto own = own_bounds(below);
        if (!own || stage.purpose(below).text() != "default") continue;
        const usd::Matrix4d world = stage.world_matrix(below);
        // A box in a turned frame is not a box along the axes: all eight corners count.
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3d p = usd::transform_point(world, {(corner & 1) != 0 ? own->upper.x : own->lower.x,
                                                         (corner & 2) != 0 ? own->upper.y : own->lower.y,
                                                         (corner & 4) != 0 ? own->upper.z : own->lower.z});
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
