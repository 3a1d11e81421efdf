// Meshes that stand for shapes which a format lacks (cones, capsules, ellipsoids), and triangles of a mesh asset.
// All are in the frame of the shape with its axis along z, in metres, wound outwards.

#include "exporter/forms.h"

#include <array>
#include <cmath>
#include <numbers>

#include "mechane/geometry/triangulation.h"

namespace mechane::exporter {
namespace {

// The mesh lies within 0.5 % of the radius: 1 - cos(pi / 32).
constexpr int kSides = 32;

/// A solid of revolution: rings of (radius, z) from the bottom up; a radius of zero is a point.
geometry::Mesh turned(const std::vector<Vec2d>& profile, const Vec3d& stretch)
{
    geometry::Mesh            out;
    std::vector<std::int32_t> first;
    const auto                is_point = [&](std::size_t r) { return profile[r].x <= 0; };
    for (std::size_t r = 0; r < profile.size(); ++r) {
        first.push_back(static_cast<std::int32_t>(out.points.size()));
        for (int s = 0; s < (is_point(r) ? 1 : kSides); ++s) {
            const double a = 2 * std::numbers::pi * s / kSides;
            out.points.push_back(
                scale(Vec3d{profile[r].x * std::cos(a), profile[r].x * std::sin(a), profile[r].y}, stretch));
        }
    }
    const auto add = [&](std::int32_t a, std::int32_t b, std::int32_t c) { out.triangles.push_back({a, b, c}); };
    for (std::size_t r = 0; r + 1 < profile.size(); ++r)
        // Quads between rings are cut along one diagonal; at a point a triangle is left.
        for (std::int32_t s = 0; s < kSides; ++s) {
            const std::int32_t t = (s + 1) % kSides, low = first[r], high = first[r + 1];
            if (is_point(r) && is_point(r + 1)) continue;
            if (is_point(r))
                add(low, high + t, high + s);
            else if (is_point(r + 1))
                add(low + s, low + t, high);
            else
                add(low + s, low + t, high + t), add(low + s, high + t, high + s);
        }
    return out;
}

}  // namespace

geometry::Mesh cone_form(double radius, double half_height)
{ return turned({{0, -half_height}, {radius, -half_height}, {0, half_height}}, {1, 1, 1}); }

geometry::Mesh capsule_form(double radius, double half_height)
{
    std::vector<Vec2d> profile;
    for (int i = 0; i <= 8; ++i) {
        const double a = std::numbers::pi / 2 * (i / 8.0 - 1);
        // Eight rings a quarter turn have the angle of the 32 sides. The pole is an exact point.
        profile.push_back({i == 0 ? 0 : radius * std::cos(a), -half_height + radius * std::sin(a)});
    }
    for (int i = 0; i <= 8; ++i) {
        const double a = std::numbers::pi / 2 * (i / 8.0);
        profile.push_back({i == 8 ? 0 : radius * std::cos(a), half_height + radius * std::sin(a)});
    }
    return turned(profile, {1, 1, 1});
}

geometry::Mesh ellipsoid_form(const Vec3d& semi_axes)
{
    std::vector<Vec2d> profile;
    for (int i = 0; i <= 16; ++i) {
        const double a = std::numbers::pi * (i / 16.0 - 0.5);
        profile.push_back({i == 0 || i == 16 ? 0 : std::cos(a), std::sin(a)});
    }
    return turned(profile, semi_axes);
}

int add_form(sourceformats::RobotTree& tree, const geometry::Mesh& mesh, const std::string& name)
{
    sourceformats::MeshAsset out;
    out.name = out.address = name;
    out.points             = mesh.points;
    for (const auto& t : mesh.triangles) {
        out.counts.push_back(3);
        out.corners.insert(out.corners.end(), t.begin(), t.end());
    }
    // Compared with all meshes before: forms are few.
    // Equal meshes are one asset, whatever they are called.
    for (std::size_t m = 0; m < tree.meshes.size(); ++m)
        if (tree.meshes[m].points == out.points && tree.meshes[m].corners == out.corners) return static_cast<int>(m);
    tree.meshes.push_back(std::move(out));
    return static_cast<int>(tree.meshes.size()) - 1;
}

geometry::Mesh triangles_of(const sourceformats::MeshAsset& mesh, const Vec3d& by)
{
    geometry::Mesh out = geometry::triangulate({mesh.points, mesh.counts, mesh.corners, {}}).mesh;
    for (Vec3d& p : out.points) p = scale(p, by);
    if (by.x * by.y * by.z < 0)
        // A mirror turns the triangles inside out.
        for (auto& t : out.triangles) std::swap(t[1], t[2]);
    return out;
}

}  // namespace mechane::exporter
