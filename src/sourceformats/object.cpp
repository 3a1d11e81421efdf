// A mesh file (STL, OBJ, PLY, COLLADA, MSH) as a robot of one body.
//
// Of these formats only COLLADA says its unit and its upward axis, which its reader applies. The others are taken to be
// in metres with z upwards, as URDF and MJCF take them. Programs for mechanical design write millimetres, so a part of
// more than a building's size gets a finding.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "mechane/geometry/hull.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/repair.h"
#include "mechane/geometry/triangulation.h"
#include "mechane/geometry/weld.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/source.h"

namespace mechane::sourceformats {
namespace {

/// No part of a robot is longer [m].
constexpr double kLongest = 30;
/// UsdPhysics' own density of what says none [kg/m^3].
constexpr double kDensity = 1000;

double extent_of(const MeshAsset& mesh)
{
    Vec3d low = mesh.points.front(), high = low;
    for (const Vec3d& p : mesh.points) low = min(low, p), high = max(high, p);
    return length(high - low);
}

/// Of water's density: that of the solid, or of its convex hull where the mesh is open.
std::optional<Inertial> mass_of(const MeshAsset& mesh, LossReport& losses)
{
    geometry::MeshRepair unused;  // seams and triangles that run the wrong way; the writer turns the mesh itself
    const auto           triangles = geometry::triangulate({mesh.points, mesh.counts, mesh.corners, {}, false}).mesh;
    const auto           solid     = geometry::repaired(triangles, {.fill_holes = false}, unused);
    const bool           closed    = geometry::encloses_volume(solid);
    const auto           of        = closed ? Result<geometry::Mesh>(solid) : geometry::build_hull(solid.points, {});
    if (!of) return std::nullopt;
    const auto made = geometry::mesh_mass(*of, {1, 1, 1}, kDensity);
    if (!(made.mass > 0) || !is_inertia(made.inertia)) return std::nullopt;
    losses.add({"object-mass", Severity::info, LossAction::converted, "inertia", site_of(mesh.place),
                fmt::format("mesh '{}'", mesh.name), "no mass", fmt::format("{:.6g} kg", made.mass),
                fmt::format("the {} at {} kg/m^3", closed ? "solid" : "convex hull of an open mesh", kDensity)});
    return Inertial{made.mass, made.com, made.inertia, true, mesh.place};
}

}  // namespace

Result<void> read_object(const std::string& file, const std::string& suffix, Source& source)
{
    namespace fs     = std::filesystem;
    RobotTree&  tree = source.tree;
    const Place place{std::make_shared<const std::string>(file), 0};
    tree.format = suffix.substr(1);
    std::ranges::transform(tree.format, tree.format.begin(), [](unsigned char c) { return std::toupper(c); });
    tree.place     = place;
    const int mesh = source.mesh(fs::path(file).filename().string(), folder_of(file), place);
    if (mesh < 0) {
        const Diagnostic why = *(source.found.end() - 1);
        return make_diagnostic(kReadFailed, {.layer = file}, why.message);
    }
    MeshAsset& asset = tree.meshes[static_cast<std::size_t>(mesh)];
    for (Vec3d& p : asset.points) p = source.options.mesh_unit * p;
    if (const double extent = extent_of(asset); extent > kLongest)
        source.error(kMeshUnit, place, fmt::format("the mesh is {:.4g} m long", extent));
    const std::string name = asset.name;
    tree.name              = name;
    Link link;
    link.name     = name;
    link.place    = place;
    link.inertial = mass_of(asset, source.losses);
    tree.links.push_back(std::move(link));
    Shape shape;
    shape.name     = name;
    shape.link     = 0;
    shape.kind     = Shape::Kind::mesh;
    shape.mesh     = mesh;
    shape.collider = true;
    shape.place    = place;
    tree.shapes.push_back(std::move(shape));
    if (source.options.base == Base::fixed) {
        Joint joint;
        joint.name  = name + "_anchor";
        joint.child = 0;
        joint.place = place;
        tree.joints.push_back(std::move(joint));
    }
    return {};
}

}  // namespace mechane::sourceformats
