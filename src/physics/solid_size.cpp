// Sizes of cubes, spheres, capsules, cylinders, cones and planes, and the bounds of what has sizes or points.
// Everyone who wants a size of a Gprim asks here: fallbacks, axes and the two radii of newer schemas are told once.
// Physics reads through its own log (physics/shapes.cpp), with the same meaning.

#include "mechane/physics/solid_size.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/usd/start_value.h"

namespace mechane::physics {
namespace {

using Kind = SolidSize::Kind;

struct Row {
    const char* type;
    Kind        kind;
    bool        two_radii;
    double      radius, height;  ///< the schema's fallbacks
};
// Capsule_1 is no kind of Capsule.
constexpr Row kRows[] = {{"Cube", Kind::cube, false, 0, 0},         {"Sphere", Kind::sphere, false, 1, 0},
                         {"Capsule", Kind::capsule, false, 0.5, 1}, {"Capsule_1", Kind::capsule, true, 0.5, 1},
                         {"Cylinder", Kind::cylinder, false, 1, 2}, {"Cylinder_1", Kind::cylinder, true, 1, 2},
                         {"Cone", Kind::cone, false, 1, 2},         {"Plane", Kind::plane, false, 0, 0}};

const Row* row_of(const usd::Prim& prim)
{
    const std::string type = prim.type_name().text();
    for (const Row& row : kRows)
        if (type == row.type) return &row;
    if (!prim.is_a("Gprim")) return nullptr;
    for (const Row& row : kRows)  // schemas of others that derive from these
        if (prim.is_a(row.type)) return &row;
    return nullptr;
}

/// Half extents of something round about an axis.
Vec3d around(int axis, double across, double along)
{
    Vec3d half{across, across, across};
    half[static_cast<std::size_t>(axis)] = along;
    return half;
}

std::optional<OwnBounds> bounds_of(const SolidSize& size)
{
    const auto symmetric = [](const Vec3d& half) { return OwnBounds{-half, half}; };
    switch (size.kind) {
        case Kind::cube:
            return symmetric({size.half_edge, size.half_edge, size.half_edge});
        case Kind::sphere:
            return symmetric({size.bottom, size.bottom, size.bottom});
        case Kind::cylinder:
        case Kind::cone:
            return symmetric(around(size.axis, std::max(size.bottom, size.top), size.half_height));
        case Kind::capsule: {
            const CapsuleCap low  = capsule_cap(size.bottom, size.top, size.half_height),
                             high = capsule_cap(size.top, size.bottom, size.half_height);
            const double     wide = std::max(low.radius, high.radius);
            return OwnBounds{-around(size.axis, wide, low.centre + low.radius),
                             around(size.axis, wide, high.centre + high.radius)};
        }
        case Kind::plane: {
            // Width and length are along the two axes that are not its own: x and y, x and z, z and y.
            const double w = size.half_width, l = size.half_length;
            return symmetric(size.axis == 0 ? Vec3d{0, l, w} : size.axis == 1 ? Vec3d{w, 0, l} : Vec3d{w, l, 0});
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<SolidSize> solid_size(const usd::Prim& prim, const NumberReader& number)
{
    const Row* row = row_of(prim);
    if (row == nullptr) return std::nullopt;
    const auto read = [&](const char* name, double otherwise) {
        const usd::Attribute attribute = prim.attribute(name);
        const double value = number ? number(attribute, otherwise) : usd::start_or<double>(attribute, otherwise);
        return std::isnan(value) ? otherwise : std::abs(value);
    };
    SolidSize out;
    out.kind = row->kind, out.two_radii = row->two_radii;
    if (row->kind == Kind::cube) {
        out.half_edge = 0.5 * read("size", 2);
        return out;
    }
    if (row->kind != Kind::sphere) {
        const std::string axis = prim.attribute("axis").get_or<std::string>("Z");
        out.axis               = axis == "X" ? 0 : axis == "Y" ? 1 : 2;
    }
    if (row->kind == Kind::plane) {
        out.half_width = 0.5 * read("width", 2), out.half_length = 0.5 * read("length", 2);
        return out;
    }
    out.bottom = read(row->two_radii ? "radiusBottom" : "radius", row->radius);
    out.top    = row->kind == Kind::cone ? 0 : row->two_radii ? read("radiusTop", row->radius) : out.bottom;
    if (row->kind != Kind::sphere) out.half_height = 0.5 * read("height", row->height);
    return out;
}

CapsuleCap capsule_cap(double own, double other, double half_height)
{
    // The side climbs by `slope` from this rim to the other; the ball that touches it at the rim has its centre where
    // the normal there meets the axis.
    const double slope = half_height > 0 ? (other - own) / (2 * half_height) : 0, wider = std::hypot(1, slope);
    return {half_height - own * slope, own * wider, slope / wider};
}

std::optional<OwnBounds> own_bounds(const usd::Prim& prim)
{
    const auto finite = [](const usd::Attribute& attribute, double otherwise) {
        const double value = usd::start_or<double>(attribute, otherwise);
        return std::isfinite(value) ? value : 0;
    };
    if (const auto size = solid_size(prim, finite)) return bounds_of(*size);
    if (!prim.is_a("PointBased")) return std::nullopt;
    const auto points = usd::start_as<std::vector<Vec3d>>(prim.attribute("points"));
    if (!points) return std::nullopt;
    std::optional<OwnBounds> out;
    for (const Vec3d& p : *points) {
        if (!is_finite(p)) continue;
        if (!out) out = OwnBounds{p, p};
        (*out)[0] = min((*out)[0], p), (*out)[1] = max((*out)[1], p);
    }
    return out;
}

}  // namespace mechane::physics
