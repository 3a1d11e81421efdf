// Takes a transform into the form of geometry: points, normals, sizes and extents are rewritten.
// Input: a Gprim and the linear part of a matrix that its ancestors or its own scale must lose. Output: edits, or the
// reason why its form cannot take it: a sphere has one radius, a cylinder one axis.
// Points go by the matrix, normals by its inverse transpose; a mirror also turns the order of corners around.
// Invariant: what is drawn and what collides stays where it was.
// Called by Placement.

#include "conformance/fixes/baking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "mechane/physics/deformable_units.h"

namespace mechane::conformance {
namespace {

using usd::make_value;

/// A map that only exchanges, mirrors and stretches the axes.
struct AxisMap {
    std::array<std::size_t, 3> to{};  ///< axis that each axis becomes
    std::array<double, 3>      by{};  ///< its stretch, negative for a mirror
    [[nodiscard]] double       stretch(std::size_t axis) const { return std::abs(by[axis]); }
};

/// Only a matrix with one entry in each row and column keeps boxes boxes; entries below 1e-6 are rounding of floats.
std::optional<AxisMap> axis_map(const usd::Matrix4d& linear)
{
    double size = 0;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) size = std::max(size, std::abs(linear(r, c)));
    AxisMap map;
    for (int r = 0; r < 3; ++r) {
        int found = 0;
        for (int c = 0; c < 3; ++c) {
            if (std::abs(linear(r, c)) <= 1e-6 * size) continue;  // authored as float
            ++found;
            map.to[static_cast<std::size_t>(r)] = static_cast<std::size_t>(c);
            map.by[static_cast<std::size_t>(r)] = linear(r, c);
        }
        if (found != 1) return std::nullopt;
    }
    return map;
}

bool same(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

bool is_any(const usd::Prim& prim, std::initializer_list<const char*> types)
{
    return std::any_of(types.begin(), types.end(),
                       [&](const char* type) { return prim.type_name() == usd::Token(type); });
}

std::size_t axis_of(const usd::Prim& gprim)
{
    const std::string axis = gprim.attribute("axis").get<std::string>().value_or("Z");
    return axis == "X" ? 0 : axis == "Y" ? 1 : 2;
}

bool has_widths(const usd::Prim& gprim)
{ return gprim.attribute("widths").authored() || gprim.attribute("primvars:widths").authored(); }

/// Writes every authored value of an attribute anew, at the default time and at its samples.
template <class T>
void map_values(Repair& repair, const usd::Prim& prim, const usd::Token& name, const std::function<T(T)>& map)
{
    const usd::Attribute attribute = prim.attribute(name);
    if (!attribute || !attribute.authored()) return;
    const EditPlace   at   = repair.own_place(prim, name);
    const std::string type = attribute.type_name();
    // The samples first: where the value lies in a weaker layer, a default would hide them.
    for (const double time : attribute.time_samples())
        if (auto value = attribute.authored_as<T>(usd::TimeCode(time)))
            repair.set_sample(at, name, type, time, make_value(type, map(std::move(*value))));
    if (auto value = attribute.authored_as<T>()) repair.set(at, name, type, make_value(type, map(std::move(*value))));
}

usd::Matrix4d transposed(const usd::Matrix4d& m)
{
    usd::Matrix4d t;
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) t(r, c) = m(c, r);
    return t;
}

using Vectors = std::vector<Vec3d>;

void bake_points(Repair& repair, const usd::Prim& gprim, const usd::Matrix4d& linear)
{
    const auto vectors = [&](Vectors all) {
        for (Vec3d& v : all) v = usd::transform_vector(linear, v);
        return all;
    };
    for (const char* name : {"points", "velocities", "accelerations", "tangents"})
        map_values<Vectors>(repair, gprim, name, vectors);
    for (const std::string_view space : physics::kDeformableNamespaces)
        map_values<Vectors>(repair, gprim, (std::string(space) + "restShapePoints").c_str(), vectors);
    // n' = (M^-1)^T n keeps normals perpendicular to the surface.
    const usd::Matrix4d against = transposed(usd::inverse(linear).value_or(usd::Matrix4d{}));
    for (const char* name : {"normals", "primvars:normals"})
        map_values<Vectors>(repair, gprim, name, [&](Vectors all) {
            for (Vec3d& n : all) {
                const Vec3d  mapped = usd::transform_vector(against, n);
                const double size   = length(mapped);
                if (size > 0) n = mapped * (length(n) / size);
            }
            return all;
        });
    const double uniform = length(usd::transform_vector(linear, {1, 0, 0}));
    for (const char* name : {"widths", "primvars:widths"})
        map_values<std::vector<double>>(repair, gprim, name, [&](std::vector<double> all) {
            for (double& width : all) width *= uniform;
            return all;
        });
    if (usd::determinant3(linear) < 0 && gprim.is_a("Mesh")) {
        const bool left = gprim.attribute("orientation").get<std::string>().value_or("rightHanded") == "leftHanded";
        repair.set(repair.own_place(gprim, "orientation"), "orientation", "token",
                   make_value("token", usd::Token(left ? "rightHanded" : "leftHanded")), true);
    }
}

/// The box about a mapped box.
Vectors mapped_extent(const Vectors& extent, const usd::Matrix4d& linear)
{
    if (extent.size() != 2) return extent;
    Vec3d low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3d p = usd::transform_vector(
            linear, {extent[corner & 1].x, extent[(corner >> 1) & 1].y, extent[(corner >> 2) & 1].z});
        for (std::size_t i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
    }
    return {low, high};
}

/// Sizes that are authored, and those that a schema falls back to.
void stretch(Repair& repair, const usd::Prim& gprim, const char* name, double by)
{
    if (by == 1) return;
    const usd::Attribute attribute = gprim.attribute(name);
    if (!attribute) return;
    if (attribute.authored()) return map_values<double>(repair, gprim, name, [&](double size) { return size * by; });
    repair.set(repair.own_place(gprim, name), name, attribute.type_name(),
               make_value(attribute.type_name(), attribute.get<double>().value_or(0) * by));
}

}  // namespace

std::string fault_of_baking(const usd::Prim& gprim, const usd::Matrix4d& linear)
{
    if (gprim.is_a("PointBased")) {
        const auto   map     = axis_map(linear);
        const double stretch = length(usd::transform_vector(linear, {1, 0, 0}));
        const bool   uniform = same(stretch, length(usd::transform_vector(linear, {0, 1, 0}))) &&
                               same(stretch, length(usd::transform_vector(linear, {0, 0, 1})));
        if (has_widths(gprim) && !(uniform && map)) return "its widths have no direction to be stretched in";
        return {};
    }
    const auto map = axis_map(linear);
    if (!map) return "its form cannot be turned or sheared";
    const bool uniform = same(map->stretch(0), map->stretch(1)) && same(map->stretch(0), map->stretch(2));
    if (is_any(gprim, {"Cube", "Sphere"})) return uniform ? "" : "its one size cannot be another in each direction";
    const std::size_t axis = axis_of(gprim), one = (axis + 1) % 3, two = (axis + 2) % 3;
    if (is_any(gprim, {"Cylinder", "Capsule"}))
        return uniform || (is_any(gprim, {"Cylinder"}) && same(map->stretch(one), map->stretch(two)))
                   ? ""
                   : "its radius cannot be another in each direction";
    if (is_any(gprim, {"Cone", "Plane", "Capsule_1", "Cylinder_1"})) {
        if (map->by[axis] < 0) return "its two ends differ";
        const bool round = is_any(gprim, {"Cone", "Cylinder_1"}) && same(map->stretch(one), map->stretch(two));
        const bool still = map->to[axis] == axis;
        return (uniform || round) && (still || !is_any(gprim, {"Plane"})) ? "" : "its form cannot be stretched so";
    }
    return "its form is not known";
}

void bake(Repair& repair, const usd::Prim& gprim, const usd::Matrix4d& linear)
{
    const auto grow = [&](const Vectors& extent) { return mapped_extent(extent, linear); };
    if (gprim.is_a("PointBased")) {
        bake_points(repair, gprim, linear);
        return map_values<Vectors>(repair, gprim, "extent", grow);
    }
    const auto map = axis_map(linear);
    if (!map) return;
    map_values<Vectors>(repair, gprim, "extent", grow);
    const std::size_t axis   = axis_of(gprim);
    const double      across = map->stretch((axis + 1) % 3);
    for (const char* name : {"size", "radius", "radiusTop", "radiusBottom", "width", "length"})
        stretch(repair, gprim, name, across);
    stretch(repair, gprim, "height", map->stretch(axis));
    if (gprim.attribute("axis") && map->to[axis] != axis)
        repair.set(repair.own_place(gprim, "axis"), "axis", "token",
                   make_value("token", usd::Token(std::array{"X", "Y", "Z"}[map->to[axis]])), true);
}

}  // namespace mechane::conformance
