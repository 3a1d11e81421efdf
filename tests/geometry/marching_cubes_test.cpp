#include "mechane/geometry/marching_cubes.h"

#include "mechane/geometry/mass.h"
#include "mechane/geometry/weld.h"
#include "meshes.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::geometry;

TEST_CASE("every cell's triangles separate its negative corners from the others")
{
    for (int negative = 0; negative < 256; ++negative) {
        CAPTURE(negative);
        const CellTriangles& cell = cell_triangles(static_cast<std::uint8_t>(negative));
        CHECK(cell.count <= CellTriangles::kMost);
        CHECK((cell.count == 0) == (negative == 0 || negative == 255));
        // Exactly the edges between corners of different sides are used, and each by a loop.
        for (std::size_t e = 0; e < 12; ++e) {
            const bool crossed = ((negative >> kCellEdges[e][0]) & 1) != ((negative >> kCellEdges[e][1]) & 1);
            bool       used    = false;
            for (std::int8_t t = 0; t < cell.count; ++t)
                for (const std::int8_t k : cell.edges[static_cast<std::size_t>(t)])
                    used = used || k == static_cast<std::int8_t>(e);
            CHECK(used == crossed);
        }
    }
    // One negative corner at the origin: the triangle faces away from it.
    const auto& t  = cell_triangles(1).edges[0];
    const auto  at = [](std::int8_t e) {
        const auto [a, b] = kCellEdges[static_cast<std::size_t>(e)];
        return 0.5 * Vec3d{static_cast<double>((a & 1) + (b & 1)), static_cast<double>((a >> 1 & 1) + (b >> 1 & 1)),
                           static_cast<double>((a >> 2) + (b >> 2))};
    };
    CHECK(dot(cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0])), Vec3d{1, 1, 1}) > 0);
}

TEST_CASE("the surface of a field is closed, whatever the field")
{
    // A sum of waves crosses cells in all the ambiguous ways.
    for_seeds(3, [](Random& r) {
        const Vec3d a = r.vec(9), b = r.vec(9), c = r.vec(9);
        SdfOptions  o;
        o.max_resolution = 32, o.padding = 0, o.band_inner = -10, o.band_outer = 10, o.storage = SdfStorage::float32;
        const auto sdf = build_sdf(
            {{-1, -1, -1}, {1, 1, 1}}, 24,
            [&](const Vec3d& p) {
                const double waves = std::sin(4 * dot(a, p)) + std::cos(3 * dot(b, p)) + std::sin(4 * dot(c, p));
                return std::max(0.3 * waves, max_component(abs(p)) - 0.9);  // closed off before the box ends
            },
            o);
        REQUIRE(sdf.has_value());
        const Mesh mesh = extract_isomesh(*sdf);
        REQUIRE(mesh.triangles.size() > 1000);
        const MeshFaults faults = find_faults(mesh);
        CHECK(faults.boundary_edges == 0);
        CHECK(faults.winding_edges == 0);
    });
}

TEST_CASE("the level surfaces of a ball's field have the volumes of balls")
{
    SdfOptions o;
    o.max_resolution = 64, o.storage = SdfStorage::float32;
    const auto sdf =
        build_sdf({{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}, kPi, [](const Vec3d& p) { return length(p) - 0.5; }, o);
    REQUIRE(sdf.has_value());
    for (const double offset : {-0.03, 0.0, 0.04}) {
        const Mesh   mesh   = compute_offset_mesh(*sdf, offset);
        const double volume = mesh_mass(mesh, {1, 1, 1}, 1).mass, radius = 0.5 + offset;
        // Chords of length h lie h^2 / (8 r) inside: relative 3 h^2 / (8 r^2) of the volume, below 0.1 % here.
        CHECK(volume == close_to(4 * kPi / 3 * radius * radius * radius, 1e-3));
        CHECK(is_closed(mesh));
    }
}
