// ModelBuilder: whole cloths and soft bodies from meshes and grids, after Newton's add_cloth_mesh, add_cloth_grid,
// add_soft_mesh, add_soft_grid. Positions [m], densities [kg/m^2] for cloth and [kg/m^3] for volumes.
// Order of particles, elements and edges is Newton's, so that indices of its programs hold.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "mechane/core/failure.h"
#include "mechane/model/builder.h"

/// Verbs for whole cloths and soft bodies.
namespace mechane::model {

namespace {

std::int32_t count_of(std::size_t size) { return static_cast<std::int32_t>(size); }

/// The particles of a mesh, without mass. Returns the index of the first.
std::int32_t add_vertices(ModelBuilder& b, const Posed& X_WC, const Vec3d& velocity, std::span<const Vec3d> vertices,
                          double radius)
{
    std::vector<BuilderParticle> added;
    added.reserve(vertices.size());
    for (const Vec3d& v : vertices) added.push_back({.q = X_WC * v, .qd = velocity, .radius = radius});
    return b.add_particles(added);
}

/// Edges of the triangles from `first` on, and their bending.
void add_edges_of(ModelBuilder& b, std::size_t first, const BendingMaterial& material)
{
    const std::vector<std::array<std::int32_t, 3>> added(b.tri_indices.begin() + static_cast<std::ptrdiff_t>(first),
                                                         b.tri_indices.end());
    for (const auto& row : edges_of(added)) b.add_edge(row[0], row[1], row[2], row[3], material);
}

double add_painted(ModelBuilder& b, const std::array<std::int32_t, 3>& t, const TriangleMaterial& material,
                   const Vec3d& color, double opacity)
{
    const double area = b.add_triangle(t[0], t[1], t[2], material);
    if (area > 0) {
        b.tri_elements.back().color   = color;
        b.tri_elements.back().opacity = opacity;
    }
    return area;
}

std::array<std::int32_t, 3> moved(std::array<std::int32_t, 3> t, std::int32_t by)
{ return {t[0] + by, t[1] + by, t[2] + by}; }

/// Along each edge, from its ends to the corners opposite of it, and between those: each pair once.
void add_cloth_springs(ModelBuilder& b, std::size_t first_edge, double ke, double kd)
{
    // Springs of a cloth: structural along edges, shear and bending across them.
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::size_t e = first_edge; e < b.edge_indices.size(); ++e) {
        const auto& [i, j, k, l] = b.edge_indices[e];
        const auto join          = [&](std::int32_t x, std::int32_t y) {
            if (x >= 0 && y >= 0) pairs.insert({std::min(x, y), std::max(x, y)});
        };
        join(k, l), join(i, k), join(i, l), join(j, k), join(j, l), join(i, j);
    }
    for (const auto& [x, y] : pairs) b.add_spring(x, y, ke, kd);
}

bool in_range(std::span<const std::int32_t> corners, std::size_t count)
{
    return std::ranges::all_of(corners, [&](std::int32_t p) { return p >= 0 && static_cast<std::size_t>(p) < count; });
}

}  // namespace

std::vector<double> ModelBuilder::add_cloth_mesh(const Posed& X_WC, const Vec3d& velocity,
                                                 std::span<const Vec3d>                       vertices,
                                                 std::span<const std::array<std::int32_t, 3>> triangles, double density,
                                                 const ClothOptions& options)
{
    for (const auto& t : triangles)
        MCH_REQUIRE(in_range(t, vertices.size()), "ModelBuilder::add_cloth_mesh", "triangles", "indices of vertices");
    const std::size_t  tri0 = tri_indices.size(), edge0 = edge_indices.size();
    const std::int32_t first =
        add_vertices(*this, X_WC, velocity, vertices, options.particle_radius.value_or(default_particle_radius));
    std::vector<double> areas;
    for (const auto& t : triangles) {
        const auto corners = moved(t, first);
        areas.push_back(add_painted(*this, corners, options.tri, options.color, options.opacity));
        // A third of each triangle's mass to each corner (lumped).
        for (const std::int32_t p : corners) particles[static_cast<std::size_t>(p)].mass += density * areas.back() / 3;
    }
    add_edges_of(*this, tri0, options.edge);
    if (options.add_springs) add_cloth_springs(*this, edge0, options.spring_ke, options.spring_kd);
    surfaces.push_back({.label    = options.label.empty() ? fmt::format("surface_{}", surfaces.size()) : options.label,
                        .world    = current_world_,
                        .particle = {first, count_of(particles.size())},
                        .tri      = {count_of(tri0), count_of(tri_indices.size())},
                        .edge     = {count_of(edge0), count_of(edge_indices.size())}});
    return areas;
}

void ModelBuilder::add_cloth_grid(const Posed& X_WC, const Vec3d& velocity, int dim_x, int dim_y, double cell_x,
                                  double cell_y, double mass, bool reverse_winding, const FixedSides& fixed,
                                  const ClothOptions& options)
{
    MCH_REQUIRE(dim_x >= 0 && dim_y >= 0, "ModelBuilder::add_cloth_grid", "dim_x, dim_y", "numbers of cells");
    std::vector<Vec3d>                       vertices;
    std::vector<std::array<std::int32_t, 3>> triangles;
    const auto at = [&](int x, int y) { return static_cast<std::int32_t>(y * (dim_x + 1) + x); };
    for (int y = 0; y <= dim_y; ++y)
        for (int x = 0; x <= dim_x; ++x) {
            vertices.push_back({x * cell_x, y * cell_y, 0});
            if (x == 0 || y == 0) continue;
            const std::int32_t v0 = at(x - 1, y - 1), v1 = at(x, y - 1), v2 = at(x, y), v3 = at(x - 1, y);
            if (reverse_winding) {
                // The diagonal of a cell depends on the winding, as in Newton.
                triangles.push_back({v0, v1, v2});
                triangles.push_back({v0, v2, v3});
            } else {
                triangles.push_back({v0, v1, v3});
                triangles.push_back({v1, v2, v3});
            }
        }
    std::size_t p = particles.size();
    add_cloth_mesh(X_WC, velocity, vertices, triangles, 0, options);
    for (int y = 0; y <= dim_y; ++y)
        for (int x = 0; x <= dim_x; ++x, ++p) {
            const bool held    = (x == 0 && fixed.left) || (x == dim_x && fixed.right) || (y == 0 && fixed.bottom) ||
                                 (y == dim_y && fixed.top);
            // Held particles have no mass and take no part.
            particles[p].mass  = held ? 0 : mass;
            particles[p].flags = held ? 0 : particle_flag::active;
        }
}

std::vector<double> ModelBuilder::add_soft_mesh(const Posed& X_WC, const Vec3d& velocity,
                                                std::span<const Vec3d>                       vertices,
                                                std::span<const std::array<std::int32_t, 4>> added,
                                                std::span<const TetMaterial>                 materials,
                                                std::span<const std::array<std::int32_t, 3>> surface,
                                                const SoftOptions&                           options)
{
    for (const auto& t : added)
        MCH_REQUIRE(in_range(t, vertices.size()), "ModelBuilder::add_soft_mesh", "tets", "indices of vertices");
    for (const auto& t : surface)
        MCH_REQUIRE(in_range(t, vertices.size()), "ModelBuilder::add_soft_mesh", "surface", "indices of vertices");
    MCH_REQUIRE(materials.empty() || materials.size() == added.size(), "ModelBuilder::add_soft_mesh", "materials",
                "none, or one for each tetrahedron");
    const std::size_t  tri0 = tri_indices.size(), tet0 = tets.size();
    const std::int32_t first =
        add_vertices(*this, X_WC, velocity, vertices, options.particle_radius.value_or(default_particle_radius));
    std::vector<double> volumes_of;
    for (std::size_t t = 0; t < added.size(); ++t) {
        const auto& c = added[t];
        volumes_of.push_back(add_tetrahedron(c[0] + first, c[1] + first, c[2] + first, c[3] + first,
                                             materials.empty() ? options.tet : materials[t]));
        if (volumes_of.back() <= 0) continue;
        for (const std::int32_t p : c)
            // A quarter of each tetrahedron's mass to each corner.
            particles[static_cast<std::size_t>(p + first)].mass += options.density * volumes_of.back() / 4;
    }
    // Without a given surface it is the faces that one tetrahedron has.
    const auto skin = surface.empty() ? surface_of(added) : std::vector(surface.begin(), surface.end());
    for (const auto& t : skin) add_painted(*this, moved(t, first), options.tri, options.color, options.opacity);
    if (options.add_surface_mesh_edges) add_edges_of(*this, tri0, options.edge);
    volumes.push_back({.label    = options.label.empty() ? fmt::format("volume_{}", volumes.size()) : options.label,
                       .world    = current_world_,
                       .particle = {first, count_of(particles.size())},
                       .tet      = {count_of(tet0), count_of(tets.size())}});
    return volumes_of;
}

void ModelBuilder::add_soft_grid(const Posed& X_WC, const Vec3d& velocity, const std::array<int, 3>& dim,
                                 const Vec3d& cell, const FixedSides& fixed, const SoftOptions& options)
{
    MCH_REQUIRE(dim[0] >= 0 && dim[1] >= 0 && dim[2] >= 0, "ModelBuilder::add_soft_grid", "dim", "numbers of cells");
    std::vector<Vec3d>                       vertices;
    std::vector<std::array<std::int32_t, 4>> blocks;
    const auto                               at = [&](int x, int y, int z) {
        return static_cast<std::int32_t>(((dim[1] + 1) * z + y) * (dim[0] + 1) + x);
    };
    for (int z = 0; z <= dim[2]; ++z)
        for (int y = 0; y <= dim[1]; ++y)
            for (int x = 0; x <= dim[0]; ++x) vertices.push_back({x * cell.x, y * cell.y, z * cell.z});
    for (int z = 0; z < dim[2]; ++z)
        for (int y = 0; y < dim[1]; ++y)
            for (int x = 0; x < dim[0]; ++x) {
                const std::int32_t v0 = at(x, y, z), v1 = at(x + 1, y, z), v2 = at(x + 1, y, z + 1),
                                   v3 = at(x, y, z + 1), v4 = at(x, y + 1, z), v5 = at(x + 1, y + 1, z),
                                   v6 = at(x + 1, y + 1, z + 1), v7 = at(x, y + 1, z + 1);
                // Neighbouring cells are mirror images, so that the diagonals of their faces agree.
                // Five tetrahedra a cell: four corners and one in the middle.
                if (((x ^ y ^ z) & 1) != 0)
                    blocks.insert(
                        blocks.end(),
                        {{v0, v1, v4, v3}, {v2, v3, v6, v1}, {v5, v4, v1, v6}, {v7, v6, v3, v4}, {v4, v1, v6, v3}});
                else
                    blocks.insert(
                        blocks.end(),
                        {{v1, v2, v5, v0}, {v3, v0, v7, v2}, {v4, v7, v0, v5}, {v6, v5, v2, v7}, {v5, v2, v7, v0}});
            }
    std::size_t p = particles.size();
    add_soft_mesh(X_WC, velocity, vertices, blocks, {}, {}, options);
    for (int z = 0; z <= dim[2]; ++z)
        for (int y = 0; y <= dim[1]; ++y)
            for (int x = 0; x <= dim[0]; ++x, ++p) {
                // Newton gives every particle the mass of a cell, which is too much at the border; the default lumps.
                if (options.newton_masses) particles[p].mass = cell.x * cell.y * cell.z * options.density;
                if ((x == 0 && fixed.left) || (x == dim[0] && fixed.right) || (y == 0 && fixed.bottom) ||
                    (y == dim[1] && fixed.top))
                    particles[p].mass = 0;
            }
}

}  // namespace mechane::model
