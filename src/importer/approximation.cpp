// Mesh colliders by physics:approximation: hulls, parts, boxes, spheres, simplified meshes, in the collider's frame and
// stage units. Results are cached on disk by content and shared among colliders of one mesh.
// Order of findings and shapes does not depend on threads: each job has its own findings, appended in traversal order.
// With newton-1.8 its own constructions are followed.

#include "approximation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mechane/geometry/decomposition.h"
#include "mechane/geometry/fit.h"
#include "mechane/geometry/hull.h"
#include "mechane/geometry/kept.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/simplification.h"
#include "mechane/resolve/shape_values.h"
#include "mechane/tasks/parallel.h"

namespace mechane::importer {
namespace {

/// An authored point of a mesh in the shape frame: scaled, or sheared.
Vec3d in_shape_frame(const physics::Collider& collider, const Vec3d& p)
{ return collider.sheared_points ? *collider.sheared_points * p : scale(p, collider.mesh_scale); }

/// Points of a mesh multiplied by the collider's scale, or put through its shear; only those that faces use.
std::vector<Vec3d> scaled_points(const physics::Collider& collider, const geometry::Mesh& mesh)
{
    std::vector<bool> used(mesh.points.size(), false);
    for (const auto& triangle : mesh.triangles)
        // Points without faces are no part of the surface.
        for (const std::int32_t v : triangle) used[static_cast<std::size_t>(v)] = true;
    std::vector<Vec3d> points;
    for (std::size_t v = 0; v < used.size(); ++v)
        if (used[v]) points.push_back(in_shape_frame(collider, mesh.points[v]));
    return points;
}

/// How far the points lie outside of a convex surface that is wound outwards.
double outside_of(const geometry::Mesh& hull, const std::vector<Vec3d>& points)
{
    double most = 0;
    for (const auto& t : hull.triangles) {
        const Vec3d& a = hull.points[static_cast<std::size_t>(t[0])];
        const Vec3d  n =
            cross(hull.points[static_cast<std::size_t>(t[1])] - a, hull.points[static_cast<std::size_t>(t[2])] - a);
        // Degenerate triangles have no direction.
        const double size = length(n);
        if (!(size > 0)) continue;
        for (const Vec3d& p : points) most = std::max(most, dot(n, p - a) / size);
    }
    return most;
}

std::optional<CollisionPart> hull_part(const Import& run, const physics::Collider& collider,
                                       const std::vector<Vec3d>& points, Diagnostics& found)
{
    // A surface that moves by less than this share of the hull's extent is as good as the whole hull.
    constexpr double kNoticed = 0.005;
    // A solid has at least four corners.
    const int        budget   = std::max(run.hull_vertices(collider.prim), 4);
    auto             hull     = geometry::kept_hull(points, {.max_vertices = budget});
    if (!hull) return std::nullopt;
    // Only where corners were given up on.
    if (!run.conventions.hulls_cut_silently && std::ssize(hull->points) >= budget && std::ssize(points) > budget) {
        const geometry::Aabbd box    = geometry::bounds(*hull);
        const double          lost   = outside_of(*hull, points);
        const double          extent = length(box.upper - box.lower);
        if (lost > kNoticed * extent)
            found.add(codes::kHullCut, collider.prim.attribute("physics:approximation").site(),
                      fmt::format("the hull of {} is cut to {} corners: points of the mesh lie up to {:.1f} % of its "
                                  "extent outside",
                                  collider.path.text(), budget, 100 * lost / extent));
    }
    return CollisionPart{
        model::GeoType::convex_mesh, std::make_shared<const geometry::Mesh>(std::move(*hull)), {}, {1, 1, 1}};
}

/// One hull for all colliders of one mesh that differ in a positive scale only; Newton scales hulls by any.
bool shares_hull(const Import& run, const physics::Collider& collider)
{
    return !collider.sheared_points &&
           (run.conventions.hulls_scaled ||
            std::min({collider.mesh_scale.x, collider.mesh_scale.y, collider.mesh_scale.z}) > 0);
}

/// The vertices that Newton has of a mesh, scaled. Flat shading gives each corner of a triangle its own.
std::vector<Vec3d> newton_vertices(const physics::Collider& collider, const geometry::Mesh& mesh)
{
    const auto         has    = [&](const char* name) { return collider.prim.attribute(name).authored(); };
    const auto         scheme = collider.prim.attribute("subdivisionScheme").get_or<std::string>("catmullClark");
    // Normals decide in Newton's loader whether vertices are shared.
    const bool         flat = !has("normals") && !has("primvars:normals") && (scheme == "none" || scheme == "bilinear");
    std::vector<Vec3d> out;
    if (flat)
        for (const auto& triangle : mesh.triangles)
            for (const std::int32_t v : triangle)
                out.push_back(in_shape_frame(collider, mesh.points[static_cast<std::size_t>(v)]));
    else
        for (const Vec3d& p : mesh.points) out.push_back(in_shape_frame(collider, p));
    return out;
}

/// Newton's ball: about the mean of the vertices.
std::optional<CollisionPart> newton_sphere(const std::vector<Vec3d>& vertices)
{
    if (vertices.empty()) return std::nullopt;
    Vec3d sum;
    for (const Vec3d& p : vertices) sum += p;
    const Vec3d centre = sum / static_cast<double>(vertices.size());
    double      radius = 0;
    for (const Vec3d& p : vertices) radius = std::max(radius, length(p - centre));
    return CollisionPart{model::GeoType::sphere, nullptr, {centre, {}}, {radius, 0, 0}};
}

/// Newton's box: of the frames that are turned in whole degrees about an axis before the hull's principal axes, the one
/// with the least volume, the first of equal ones.
std::optional<CollisionPart> newton_box(const std::vector<Vec3d>& vertices)
{
    constexpr int    kSteps = 360;
    constexpr double kEqual = 1 - 1e-6;  // what single precision leaves of volumes that are the same
    const auto       hull   = geometry::kept_hull(vertices, {.max_vertices = 100'000});
    if (!hull) return std::nullopt;
    const geometry::MassProperties solid = geometry::mesh_mass(*hull, {1, 1, 1}, 1);
    if (!(solid.mass > 0)) return std::nullopt;
    const geometry::PrincipalAxes axes = geometry::principal_axes(solid.inertia);
    const Mat33d                  R    = to_matrix(axes.rotation);
    std::array<std::size_t, 3>    order{0, 1, 2};
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return axes.values[a] < axes.values[b]; });
    const auto  column = [&](std::size_t i) { return Vec3d{R(0, i), R(1, i), R(2, i)}; };
    // A right-handed frame, whatever sign eigenvectors have.
    const Vec3d v0 = column(order[0]), v1 = column(order[1]), v2 = cross(v0, v1);
    const Quatd base = conjugate(from_matrix(Mat33d::from_columns(v0, v1, v2)));  // into the principal frame
    std::optional<CollisionPart> best;
    double                       least = kInfinity;
    for (int step = 0; step < kSteps; ++step)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double half = kPi * step / kSteps;
            Quatd        turn{0, 0, 0, std::cos(half)};
            (axis == 0 ? turn.x : axis == 1 ? turn.y : turn.z) = std::sin(half);
            const Mat33d Q                                     = to_matrix(base * turn);
            Vec3d        low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
            for (const Vec3d& p : hull->points) {
                const Vec3d q = Q * (p - solid.com);
                low           = min(low, q);
                high          = max(high, q);
            }
            const Vec3d  extent = 0.5 * (high - low);
            const double volume = extent.x * extent.y * extent.z;
            if (!(volume < kEqual * least)) continue;
            least = volume;
            best  = CollisionPart{model::GeoType::box,
                                  nullptr,
                                  {solid.com + transpose(Q) * (0.5 * (low + high)), conjugate(base * turn)},
                                  extent};
        }
    return best;
}

/// Hulls that together cover the mesh; empty when no part of it has one.
std::vector<CollisionPart> hull_parts(const Import& run, const physics::Collider& collider, const geometry::Mesh& mesh)
{
    // Newton takes the authored mesh apart and scales the pieces.
    const bool     as_authored = run.conventions.hulls_scaled && shares_hull(run, collider);
    // Scaled first: convexity measures are lengths.
    geometry::Mesh scaled      = mesh;
    for (Vec3d& p : scaled.points)
        if (!as_authored) p = in_shape_frame(collider, p);
    geometry::DecompositionOptions options;
    options.hull.max_vertices = std::max(run.hull_vertices(collider.prim), 4);
    if (collider.prim.has_api("PhysxConvexDecompositionCollisionAPI"))
        options.max_hulls = std::max(
            1, static_cast<int>(
                   run.resolvers.get(collider.prim, resolve::Key::shape_convex_decomposition_max_hulls, run.context)
                       .number_or(options.max_hulls)));
    auto                       hulls = geometry::kept_decomposition(scaled, options);
    std::vector<CollisionPart> parts;
    if (hulls)
        for (geometry::Mesh& hull : *hulls)
            parts.push_back({model::GeoType::convex_mesh,
                             std::make_shared<const geometry::Mesh>(std::move(hull)),
                             {},
                             as_authored ? collider.mesh_scale : Vec3d{1, 1, 1}});
    return parts;
}

std::optional<CollisionPart> box_part(const std::vector<Vec3d>& points)
{
    const auto box = geometry::bounding_box(points);
    if (!box) return std::nullopt;
    return CollisionPart{model::GeoType::box, nullptr, box->pose, box->half_extents};
}

std::optional<CollisionPart> sphere_part(const std::vector<Vec3d>& points)
{
    const auto sphere = geometry::bounding_sphere(points);
    if (!sphere) return std::nullopt;
    return CollisionPart{model::GeoType::sphere, nullptr, {sphere->centre, {}}, {sphere->radius, 0, 0}};
}

CollisionPart whole_mesh(const physics::Collider& collider, const MeshData& data)
{
    if (!collider.sheared_points) return {model::GeoType::mesh, data.mesh, {}, collider.mesh_scale};
    auto baked = std::make_shared<geometry::Mesh>(*data.mesh);
    for (Vec3d& p : baked->points) p = in_shape_frame(collider, p);
    return {model::GeoType::mesh, std::move(baked), {}, {1, 1, 1}};
}

/// The hull of the authored points.
std::optional<CollisionPart> unscaled_hull(const Import& run, const physics::Collider& collider, const MeshData& data,
                                           Diagnostics& found)
{
    physics::Collider unscaled = collider;
    unscaled.mesh_scale        = {1, 1, 1};
    return hull_part(run, unscaled, scaled_points(unscaled, *data.mesh), found);
}

std::vector<CollisionPart> compute_parts(const Import& run, const physics::Collider& collider, const MeshData& data,
                                         physics::Approximation method, Diagnostics& found)
{
    const auto fallback = [&](const char* wanted, const char* taken) {
        found.add(codes::kApproxFallback, collider.prim.attribute("physics:approximation").site(),
                  fmt::format("{} of {} is replaced by {}", wanted, collider.path.text(), taken));
    };
    const std::vector<Vec3d> points =
        method == physics::Approximation::none ? std::vector<Vec3d>{} : scaled_points(collider, *data.mesh);
    switch (method) {
        case physics::Approximation::none:
            return {whole_mesh(collider, data)};
        case physics::Approximation::mesh_simplification: {
            CollisionPart whole = whole_mesh(collider, data);
            if (run.conventions.simplified_mesh_is_whole)
                fallback("meshSimplification", "the mesh itself");
            else
                whole.source = std::make_shared<const geometry::Mesh>(geometry::kept_simplification(*whole.source));
            return {std::move(whole)};
        }
        // A method that finds nothing falls through to the fallback below.
        case physics::Approximation::bounding_sphere:
            if (auto part = run.conventions.bounds_by_vertices ? newton_sphere(newton_vertices(collider, *data.mesh))
                                                               : sphere_part(points))
                return {std::move(*part)};
            break;
        case physics::Approximation::bounding_cube:
            if (run.conventions.bounds_by_vertices)
                if (auto part = newton_box(newton_vertices(collider, *data.mesh))) return {std::move(*part)};
            if (auto part = box_part(points)) return {std::move(*part)};
            break;
        case physics::Approximation::convex_decomposition:
            if (auto parts = hull_parts(run, collider, *data.mesh); !parts.empty()) return parts;
            fallback("convexDecomposition", "one convex hull");
            [[fallthrough]];
        case physics::Approximation::convex_hull:
            // The hull of scaled points is the scaled hull: one for all instances.
            if (shares_hull(run, collider))
                if (auto part = unscaled_hull(run, collider, data, found)) {
                    part->scale = collider.mesh_scale;
                    return {std::move(*part)};
                }
            if (auto part = hull_part(run, collider, points, found)) return {std::move(*part)};
            if (auto part = box_part(points)) {
                fallback("the convex hull", "a bounding box");
                return {std::move(*part)};
            }
            break;
    }
    fallback("the approximation", "the mesh itself");
    return {whole_mesh(collider, data)};
}

}  // namespace

physics::Approximation approximation_of(const Import& run, const physics::Collider& collider)
{
    // A collider that is switched off collides with nothing; a distance field wants the mesh.
    if (!collider.enabled || run.options.skip_mesh_approximation || collider.prim.has_api("NewtonSDFCollisionAPI"))
        return physics::Approximation::none;
    return collider.approximation;
}

const std::vector<CollisionPart>& approximate(Import& run, const physics::Collider& collider, const MeshData& data)
{
    const auto index = static_cast<physics::Index>(&collider - run.physics.colliders.data());
    if (const auto known = run.collision_parts.find(index); known != run.collision_parts.end()) return known->second;
    return run.collision_parts[index] = compute_parts(run, collider, data, approximation_of(run, collider), run.found);
}

void prepare_approximations(Import& run)
{
    std::vector<physics::Index> meshes;
    std::vector<usd::Prim>      prims;
    for (std::size_t i = 0; i < run.physics.colliders.size(); ++i) {
        const physics::Collider& c = run.physics.colliders[i];
        if (c.kind != physics::ShapeKind::mesh || !c.valid || run.ignored(c.path) || run.deformable.count(c.path) != 0)
            continue;
        meshes.push_back(static_cast<physics::Index>(i));
        prims.push_back(c.prim);
    }
    if (meshes.empty()) return;
    const tasks::Pool pool(run.options.threads);
    run.meshes.read_all(prims, pool, run.found);

    // One job for each collider, and one for all that share a hull; the first in traversal order does it.
    struct Job {
        physics::Index              collider;
        const MeshData*             data;
        std::vector<physics::Index> others;  ///< that take the hull over, each with its scale
        std::vector<CollisionPart>  parts;
        Diagnostics                 found;
    };
    std::vector<Job>                                             jobs;
    std::map<std::pair<const geometry::Mesh*, int>, std::size_t> hulls;  // order of no consequence
    for (const physics::Index i : meshes) {
        const physics::Collider& c    = run.collider(i);
        const MeshData*          data = run.meshes.read(c.prim, run.found);
        if (data == nullptr) continue;
        if (approximation_of(run, c) == physics::Approximation::convex_hull && shares_hull(run, c)) {
            const auto [place, fresh] = hulls.try_emplace({data->mesh.get(), run.hull_vertices(c.prim)}, jobs.size());
            if (!fresh) {
                jobs[place->second].others.push_back(i);
                continue;
            }
        }
        jobs.push_back({i, data, {}, {}, {}});
    }
    pool.for_each(jobs.size(), 1, [&](std::size_t n) {
        Job&                     job = jobs[n];
        const physics::Collider& c   = run.collider(job.collider);
        job.parts                    = compute_parts(run, c, *job.data, approximation_of(run, c), job.found);
    });
    for (Job& job : jobs) {
        run.found.append(job.found);
        for (const physics::Index other : job.others) {
            // A flat mesh has no hull; then every collider goes through the fallbacks itself.
            if (job.parts.front().type != model::GeoType::convex_mesh) continue;
            run.collision_parts[other]               = job.parts;
            run.collision_parts[other].front().scale = run.collider(other).mesh_scale;
        }
        run.collision_parts[job.collider] = std::move(job.parts);
    }
}

int Import::hull_vertices(const usd::Prim& prim) const
{
    Diagnostics unused;
    const int   n = resolve::max_hull_vertices(resolvers, prim, context, options.mesh_maxhullvert, unused);
    // -1 means "no cap" in Newton's schema; a cap is needed all the same, and no contact algorithm profits beyond this.
    constexpr int kNoCap = 255;
    return n < 0 ? kNoCap : n;
}

}  // namespace mechane::importer
