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

/// A capsule of two radii. They are those of the rims of its cone; the spheres at the ends go on from it smoothly, so
/// that they are larger than the rims and not centred there.
Bounds tapered_capsule(const usd::Prim& prim)
{
    const double top = number(prim, "radiusTop", 0.5), bottom = number(prim, "radiusBottom", 0.5);
    const double height = number(prim, "height", 1);
    const double slope = height > 0 ? (bottom - top) / height : 0, wider = std::hypot(1, slope);
    const double radius = wider * std::max(top, bottom);
    const Vec3d  half   = around_axis(prim, radius, 0);
    const Vec3d  along  = around_axis(prim, 0, 1);
    return {(-0.5 * height - bottom * (slope + wider)) * along - half,
            (0.5 * height - top * (slope - wider)) * along + half};
}

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
    if (prim.is_a("Cylinder_1"))
        return symmetric(around_axis(prim, std::max(number(prim, "radiusTop", 1), number(prim, "radiusBottom", 1)),
                                     0.5 * number(prim, "height", 2)));
    if (prim.is_a("Capsule_1")) return tapered_capsule(prim);
    if (prim.is_a("Plane")) {
        // Width and length are along the two axes that are not its own: x and y, x and z, z and y.
        const double      width = 0.5 * number(prim, "width", 2), length = 0.5 * number(prim, "length", 2);
        const std::string axis = prim.attribute("axis").get_or<std::string>("Z");
        return symmetric(axis == "X"   ? Vec3d{0, length, width}
                         : axis == "Y" ? Vec3d{width, 0, length}
                                       : Vec3d{width, length, 0});
    }
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
