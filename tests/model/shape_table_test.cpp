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

TEST_CASE("the collision radius about the middle of the bounds holds the shape, and the bounds hold it too (COL-018)")
{
    // Surface points by type, from two numbers of [0, 1) and a direction.
    struct Row {
        ShapeGeometry shape;
        Vec3d (*surface)(double u, double v, const Vec3d& d);
    };
    const Row table[] = {
        {{GeoType::sphere, {0.7, 0, 0}}, [](double, double, const Vec3d& d) { return 0.7 * d; }},
        {{GeoType::ellipsoid, {1, 2, 0.5}}, [](double, double, const Vec3d& d) { return scale(Vec3d{1, 2, 0.5}, d); }},
        {{GeoType::box, {1, 2, 0.5}},
         [](double, double, const Vec3d& d) { return scale(Vec3d{1, 2, 0.5}, d / max_component(abs(d))); }},
        {{GeoType::capsule, {0.4, 0.6, 0}},
         [](double u, double, const Vec3d& d) { return 0.4 * d + Vec3d{0, 0, 1.2 * u - 0.6}; }},
        {{GeoType::cylinder, {0.4, 0.6, 0}},
         [](double u, double v, const Vec3d&) {
             return Vec3d{0.4 * std::cos(2 * kPi * v), 0.4 * std::sin(2 * kPi * v), 1.2 * u - 0.6};
         }},
        // The arc of radius 5 about (1 + 4 - 5, z): its bulge at height z is sqrt(25 - z^2) - 4.
        {{GeoType::cylinder, {1, 3, 5}},
         [](double u, double v, const Vec3d&) {
             const double z = 6 * u - 3, r = 1 + std::sqrt(25 - z * z) - 4;
             return Vec3d{r * std::cos(2 * kPi * v), r * std::sin(2 * kPi * v), z};
         }},
        {{GeoType::cone, {0.5, 1, 0}},
         [](double u, double v, const Vec3d&) {
             return Vec3d{0.5 * (1 - u) * std::cos(2 * kPi * v), 0.5 * (1 - u) * std::sin(2 * kPi * v), 2 * u - 1};
         }},
        {{GeoType::mesh, {-2, 1, 1}, &kWedge},
         [](double u, double v, const Vec3d&) { return Vec3d{-2 * u, 2 * (1 - u) * v, 3 * (1 - u) * (1 - v)}; }},
    };
    for (const Row& row : table) {
        CAPTURE(to_string(row.shape.type));
        const auto   box    = local_bounds(row.shape);
        const Vec3d  middle = 0.5 * (box.lower + box.upper);
        const double radius = collision_radius(row.shape);
        Random       r(11);
        for (int i = 0; i < 1000; ++i) {
            const Vec3d p = row.surface(r.uniform(), r.uniform(), r.direction());
            CHECK(length(p - middle) <= radius * (1 + 1e-12));
            for (std::size_t k = 0; k < 3; ++k) CHECK((p[k] >= box.lower[k] - 1e-12 && p[k] <= box.upper[k] + 1e-12));
        }
    }
}
