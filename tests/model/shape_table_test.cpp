#include "mechane/model/shape_table.h"

#include "support/support.h"

using namespace mechane;
using namespace mechane::model;
using mechane::test::close_to;
using mechane::test::distance;

namespace {

const geometry::Mesh kWedge{.points    = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}},
                            .triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

}  // namespace

TEST_CASE("bounds and radii by type (COL 1.4)")
{
    struct Row {
        ShapeGeometry shape;
        Vec3d         lower, upper;
        double        radius;
    };
    const Row table[] = {
        {{GeoType::sphere, {0.5, 0, 0}}, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 0.5},
        {{GeoType::capsule, {0.4, 0.5, 0}}, {-0.4, -0.4, -0.9}, {0.4, 0.4, 0.9}, 0.9},
        {{GeoType::cylinder, {0.2, 1.65, 0}}, {-0.2, -0.2, -1.65}, {0.2, 0.2, 1.65}, 1.85},
        {{GeoType::cone, {0.5, 1, 0}}, {-0.5, -0.5, -1}, {0.5, 0.5, 1}, 1.5},
        {{GeoType::ellipsoid, {1, 2, 3}}, {-1, -2, -3}, {1, 2, 3}, 3},
        {{GeoType::box, {1, 0.05, 0.05}}, {-1, -0.05, -0.05}, {1, 0.05, 0.05}, 1.0024968},
        {{GeoType::plane, {0, 0, 0}}, {-1, -1, -1}, {1, 1, 1}, 1e6},
        {{GeoType::plane, {6, 8, 0}}, {-3, -4, 0}, {3, 4, 0}, 5},
        {{GeoType::mesh, {1, 1, 1}, &kWedge}, {0, 0, 0}, {1, 2, 3}, 0.5 * std::sqrt(14.0)},
        {{GeoType::mesh, {-1, -2, -3}, &kWedge}, {-1, -4, -9}, {0, 0, 0}, 4.9497475},  // sorted after mirroring
        // A barrel of radius 5 over half height 3 bulges by 5 - sqrt(25 - 9) = 1.
        {{GeoType::cylinder, {1, 3, 5}}, {-2, -2, -3}, {2, 2, 3}, 5},
    };
    for (const Row& row : table) {
        CAPTURE(to_string(row.shape.type));
        CAPTURE(row.radius);
        const auto box = local_bounds(row.shape);
        CHECK(distance(box.lower, row.lower) < 1e-12);
        CHECK(distance(box.upper, row.upper) < 1e-12);
        CHECK(collision_radius(row.shape) == close_to(row.radius, 1e-7));
        CHECK(is_usable(row.shape));
    }
}

TEST_CASE("signs are absorbed where a shape is symmetric, kept where they mirror (import-usd.md 9.2)")
{
    for (const GeoType type :
         {GeoType::sphere, GeoType::box, GeoType::capsule, GeoType::cylinder, GeoType::ellipsoid, GeoType::plane})
        CHECK(absorb_signs(type, {-1, 2, -3}) == Vec3d{1, 2, 3});
    CHECK(absorb_signs(GeoType::mesh, {-1, 2, -3}) == Vec3d{-1, 2, -3});
    CHECK(absorb_signs(GeoType::cone, {-1, -2, 0}) == Vec3d{1, -2, 0});
}

TEST_CASE("planes have no mass on any body, and a mirrored mesh has that of the mesh (IMP-198)")
{
    CHECK(solid_mass({GeoType::plane, {6, 8, 0}}, 1000).mass == 0);
    CHECK(solid_mass({GeoType::mesh, {1, 1, 1}, &kWedge}, 1000).mass == close_to(1000, 1e-12));  // 1 * 2 * 3 / 6
    CHECK(solid_mass({GeoType::mesh, {-1, 1, 1}, &kWedge}, 1000).mass == close_to(1000, 1e-12));
    CHECK(solid_mass({GeoType::mesh, {1, 1, 1}, nullptr}, 1000).mass == 0);
}

TEST_CASE("shells shrink each type as import-usd.md 5.7 says, and a wall as thick as the shape is none (IMP-203)")
{
    struct Row {
        std::string   what;
        ShapeGeometry shape;
        double        inner_volume;
    };
    const Row table[] = {
        {"sphere", {GeoType::sphere, {0.5, 0, 0}}, 4.0 / 3 * kPi * 0.064},
        {"box", {GeoType::box, {0.5, 0.5, 0.5}}, 0.512},
        {"capsule keeps its half height", {GeoType::capsule, {0.5, 1, 0}}, 4.0 / 3 * kPi * 0.064 + kPi * 0.16 * 2},
        {"cylinder", {GeoType::cylinder, {0.5, 1, 0}}, kPi * 0.16 * 1.8},
        {"cone", {GeoType::cone, {0.5, 1, 0}}, kPi * 0.16 * 1.8 / 3},
        {"ellipsoid", {GeoType::ellipsoid, {0.5, 0.6, 0.7}}, 4.0 / 3 * kPi * 0.4 * 0.5 * 0.6},
    };
    for (const Row& row : table) {
        CAPTURE(row.what);
        const auto shell = shell_mass(row.shape, 0.1, 1000);
        REQUIRE(shell.has_value());
        CHECK(shell->mass == close_to(solid_mass(row.shape, 1000).mass - 1000 * row.inner_volume, 1e-9));
        CHECK_FALSE(shell_mass(row.shape, 0.5, 1000).has_value());
        CHECK_FALSE(shell_mass(row.shape, -0.1, 1000).has_value());
        CHECK(shell_mass(row.shape, 0, 1000)->mass == 0);
    }
    CHECK(shell_mass({GeoType::plane, {0, 0, 0}}, 0.1, 1000)->mass == 0);
}
