#include <algorithm>
#include <optional>

#include "shapes.h"

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kP = 2e-6, kF = 1e-5, kS = 2e-5;                    ///< tolerance classes of the distance
constexpr double kNormalP = 1e-5, kNormalF = 1e-4, kNormalS = 2e-3;  ///< and of the normal [rad]

struct Row {
    const char*          id;
    Shape                a, b;
    int                  least, most;  ///< number of contacts
    double               distance;     ///< of the deepest point, from the closed form
    std::optional<Vec3d> normal;       ///< none: any direction is right
    double               tolerance = kP, angle = kNormalP;
    std::vector<Vec3d>   points1 = {};  ///< surface points that shape 1 must have, in any order
};

void check(const Row& row)
{
    CAPTURE(row.id);
    const Manifold m = contacts(row.a, row.b);
    CHECK(m.count >= row.least);
    CHECK(m.count <= row.most);
    if (m.count == 0 || row.most == 0) return;
    CHECK(deepest(m) == close_to(row.distance, row.tolerance));
    for (int i = 0; i < m.count; ++i) {
        const ContactPoint& p = m.points[static_cast<std::size_t>(i)];
        CHECK(length(p.normal) == close_to(1, 1e-9));
        CHECK(distance(p.p1 - p.p0, p.distance * p.normal) < 1e-9);  // (COL-020)
        if (row.normal) CHECK(length(cross(p.normal, normalized(*row.normal))) < row.angle);
        if (row.normal) CHECK(dot(p.normal, *row.normal) > 0);
    }
    for (const Vec3d& want : row.points1) {
        CAPTURE(want.x);
        CAPTURE(want.y);
        CAPTURE(want.z);
        double nearest = kInfinity;
        for (int i = 0; i < m.count; ++i)
            nearest = std::min(nearest, distance(m.points[static_cast<std::size_t>(i)].p1, want));
        CHECK(nearest < 1e-4);
    }
}

Shape sphere(double r, Vec3d p = {}) { return shape(ShapeKind::sphere, {r, 0, 0}, p); }
Shape capsule(double r, double h, Vec3d p = {}, Quatd q = {}) { return shape(ShapeKind::capsule, {r, h, 0}, p, q); }
Shape cylinder(double r, double h, Vec3d p = {}, Quatd q = {}) { return shape(ShapeKind::cylinder, {r, h, 0}, p, q); }
Shape cone(double r, double h, Vec3d p = {}, Quatd q = {}) { return shape(ShapeKind::cone, {r, h, 0}, p, q); }
Shape box(Vec3d h, Vec3d p = {}, Quatd q = {}) { return shape(ShapeKind::box, h, p, q); }
Shape cube(double h, Vec3d p = {}, Quatd q = {}) { return box({h, h, h}, p, q); }
Shape ellipsoid(Vec3d s, Vec3d p = {}, Quatd q = {}) { return shape(ShapeKind::ellipsoid, s, p, q); }
Shape plane(Quatd q = {}) { return shape(ShapeKind::plane, {}, {}, q); }
Shape rectangle(double x, double y) { return shape(ShapeKind::rectangle, {0.5 * x, 0.5 * y, 0}); }
const Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

}  // namespace

// Distances follow from the geometry in the row; the table is that of the specification, section 9 (COL-078).

TEST_CASE("spheres touch along the line of centres (COL-078 A)")
{
    const Row rows[] = {
        {"A01", sphere(1), sphere(0.5, {1.55, 0, 0}), 1, 1, 0.05, kX},
        {"A02", sphere(1), sphere(0.5, {0, 1.4, 0}), 1, 1, -0.1, kY},
        {"A03", sphere(1), sphere(0.5), 1, 1, -1.5, kX},
        {"A04", sphere(1), sphere(0.5, {1.71, 0, 0}), 0, 0, 0, {}},
        {"A05", sphere(1), sphere(0.5, {1.69, 0, 0}), 1, 1, 0.19, kX},
        {"A07", sphere(1), sphere(1, {1, 1, 1}), 1, 1, std::sqrt(3.0) - 2, Vec3d{1, 1, 1}},
    };
    for (const Row& r : rows) check(r);
}

TEST_CASE("everything meets a plane at its lowest points (COL-078 B)")
{
    const double s30 = 0.5, c30 = std::sqrt(0.75);
    const Row    rows[] = {
        {"B01", plane(), sphere(0.5, {0.3, 0.2, 0.45}), 1, 1, -0.05, kZ},
        {"B02", plane(), sphere(0.5, {0, 0, -2}), 1, 1, -2.5, kZ},
        {"B03", plane(turn('x', 30)), sphere(0.5, {0, 0, 0.5}), 1, 1, 0.5 * c30 - 0.5, Vec3d{0, -s30, c30}},
        {"B04",
         plane(),
         box({0.5, 0.4, 0.3}, {0, 0, 0.29}),
         4,
         4,
         -0.01,
         kZ,
         kP,
         kNormalP,
         {{0.5, 0.4, -0.01}, {-0.5, 0.4, -0.01}, {-0.5, -0.4, -0.01}, {0.5, -0.4, -0.01}}},
        {"B05",
         plane(),
         cube(0.5, {0, 0, 0.7}, turn('y', 45)),
         2,
         2,
         0.7 - std::sqrt(0.5),
         kZ,
         kP,
         kNormalP,
         {{0, 0.5, 0.7 - std::sqrt(0.5)}, {0, -0.5, 0.7 - std::sqrt(0.5)}}},
        {"B06", plane(), cube(0.5, {0, 0, 0.65}), 4, 4, 0.15, kZ},
        {"B07",
         plane(),
         capsule(0.25, 0.5, {0, 0, 0.24}, turn('y', 90)),
         2,
         2,
         -0.01,
         kZ,
         kP,
         kNormalP,
         {{0.5, 0, -0.01}, {-0.5, 0, -0.01}}},
        {"B08", plane(), capsule(0.25, 0.5, {0, 0, 0.74}), 1, 1, -0.01, kZ},
        {"B09", plane(), cylinder(0.5, 0.3, {0, 0, 0.29}), 3, 4, -0.01, kZ},
        {"B10",
         plane(),
         cylinder(0.5, 0.3, {0, 0, 0.49}, turn('y', 90)),
         2,
         2,
         -0.01,
         kZ,
         kP,
         kNormalP,
         {{0.3, 0, -0.01}, {-0.3, 0, -0.01}}},
        // lowest rim point: 0.68 - 0.5 cos 30 - 0.5 sin 30, at x = 0.5 (cos 30 - sin 30)
        {"B11",
         plane(),
         cylinder(0.5, 0.5, {0, 0, 0.68}, turn('y', 30)),
         1,
         1,
         0.68 - 0.5 * c30 - 0.5 * s30,
         kZ,
         kP,
         kNormalP,
         {{0.5 * (c30 - s30), 0, 0.68 - 0.5 * c30 - 0.5 * s30}}},
        {"B12", plane(), ellipsoid({0.5, 0.4, 0.3}, {0, 0, 0.28}), 1, 1, -0.02, kZ},
        {"B13", plane(), ellipsoid({0.5, 0.5, 0.2}, {0, 0, 0.4}, turn('y', 45)), 1, 1, 0.4 - std::sqrt(0.145), kZ},
        {"B14", plane(), cone(0.5, 0.5, {0, 0, 0.49}), 3, 4, -0.01, kZ},
        {"B15", plane(), cone(0.5, 0.5, {0, 0, 0.49}, turn('x', 180)), 1, 1, -0.01, kZ},
        {"B16", rectangle(2, 2), sphere(0.5, {0, 0, 0.45}), 1, 1, -0.05, kZ},
        {"B17", rectangle(2, 2), sphere(0.5, {3, 0, 0.45}), 0, 0, 0, {}},
        {"B18", rectangle(2, 2), sphere(0.5, {1.3, 0, 0.45}), 1, 1, std::hypot(0.3, 0.45) - 0.5, Vec3d{0.3, 0, 0.45}},
        {"B19",
         rectangle(2, 2),
         cube(0.5, {1.2, 0, 0.49}),
         4,
         4,
         -0.01,
         kZ,
         kF,
         kNormalF,
         {{0.7, 0.5, -0.01}, {0.7, -0.5, -0.01}, {1, 0.5, -0.01}, {1, -0.5, -0.01}}},
        {"B20", rectangle(4, 4), cube(0.5, {0, 0, 0.49}), 4, 4, -0.01, kZ, kF, kNormalF},
        {"G02", plane(), hull_shape(cube_hull(), {0, 0, 0.49}), 4, 4, -0.01, kZ, kF, kNormalF},
        {"G05", mesh_shape(cube_surface(), {0, 0, 0.49}), plane(), 4, 4, -0.01, -kZ, kS, 1e-3},
    };
    for (const Row& r : rows) check(r);
}

TEST_CASE(
    "a sphere meets the closest point of its partner, or leaves by the shortest way (COL-078 C, COL-087, COL-158 I04, "
    "I06)")
{
    const double s2     = std::sqrt(0.18);  // (1.3 - 1) along x and y
    const Row    rows[] = {
        {"C01", sphere(0.5, {0, 0, 1.45}), cube(1), 1, 1, -0.05, -kZ, kP, kNormalP, {{0, 0, 1}}},
        {"C02", sphere(0.5, {1.3, 1.3, 0}), cube(1), 1, 1, s2 - 0.5, Vec3d{-1, -1, 0}, kP, kNormalP, {{1, 1, 0}}},
        {"C03", sphere(0.5, {1.25, 1.25, 1.25}), cube(1), 1, 1, 0.25 * std::sqrt(3.0) - 0.5, Vec3d{-1, -1, -1}},
        {"C04", sphere(0.2, {0.7, 0, 0}), cube(1), 1, 1, -0.5, -kX, kP, kNormalP, {{1, 0, 0}}},
        {"C05", sphere(0.2), box({1, 1.5, 2}), 1, 1, -1.2, kX, kP, kNormalP, {{-1, 0, 0}}},
        {"C06", sphere(0.5, {0.7, 0, 0}), capsule(0.25, 0.5), 1, 1, -0.05, -kX},
        {"C07", sphere(0.5, {0, 0, 1.2}), capsule(0.25, 0.5), 1, 1, -0.05, -kZ},
        {"C08", sphere(0.5, {0, 0, 0.1}), capsule(0.25, 0.5), 1, 1, -0.75, {}},
        {"C09", sphere(0.25, {0.7, 0, 0}), cylinder(0.5, 0.5), 1, 1, -0.05, -kX},
        {"C10", sphere(0.25, {0.1, 0, 0.7}), cylinder(0.5, 0.5), 1, 1, -0.05, -kZ},
        {"C11", sphere(0.25, {0.65, 0, 0.65}), cylinder(0.5, 0.5), 1, 1, std::sqrt(0.045) - 0.25, Vec3d{-1, 0, -1}},
        {"C12", sphere(0.25), cylinder(0.5, 0.5), 1, 1, -0.75, kX},
        {"C13", sphere(0.25, {0, 0, 0.5}), ellipsoid({0.5, 0.4, 0.3}), 1, 1, -0.05, -kZ, kS, kNormalS},
        {"C14", sphere(0.25, {0, 0, 0.7}), cone(0.5, 0.5), 1, 1, -0.05, -kZ, kF, kNormalF},
        {"C15", sphere(0.25, {0, 0, -0.7}), cone(0.5, 0.5), 1, 1, -0.05, kZ, kF, kNormalF},
        // the generator through (0.5, -0.5) and (0, 0.5): distance of (0.6, 0) is (2 * 0.6 - 0.5) / sqrt 5
        {"C16", sphere(0.25, {0.6, 0, 0}), cone(0.5, 0.5), 1, 1, 0.7 / std::sqrt(5.0) - 0.25, Vec3d{-2, 0, -1}, kS,
         kNormalS},
        {"C17", sphere(0.25, {0, 0.2, 0}), cylinder(0.5, 0.5), 1, 1, -0.55, -kY},
        {"G03", sphere(0.5, {0, 0, 0.95}), hull_shape(cube_hull()), 1, 1, -0.05, -kZ, kF, kNormalF},
        {"I04", sphere(0, {0.95, 0, 0}), sphere(0.5, {0.5, 0, 0}), 1, 1, -0.05, -kX},
        {"I06", sphere(0.25, {0, 0, 0.2}), box({1, 1, 1e-4}), 1, 1, 0.2 - 0.25 - 1e-4, -kZ},
    };
    for (const Row& r : rows) check(r);
}

TEST_CASE("capsules rest on two points where they lie along something (COL-078 D, COL-086)")
{
    const Row rows[] = {
        {"D01", capsule(0.25, 0.5), capsule(0.25, 0.5, {0.45, 0, 0}, turn('x', 90)), 1, 1, -0.05, kX},
        {"D02",
         capsule(0.25, 0.5),
         capsule(0.25, 0.5, {0.48, 0, 0}),
         2,
         2,
         -0.02,
         kX,
         kP,
         kNormalP,
         {{0.23, 0, 0.5}, {0.23, 0, -0.5}}},
        {"D03", capsule(0.25, 0.5), capsule(0.25, 0.5, {0, 0, 1.45}), 1, 1, -0.05, kZ},
        {"D04", capsule(0.25, 0.5), capsule(0.25, 0.5, {}, turn('x', 90)), 1, 1, -0.5, {}},
        {"D05",
         capsule(0.25, 0.5),
         capsule(0.25, 0.5, {0.48, 0, 0.6}),
         2,
         2,
         -0.02,
         kX,
         kP,
         kNormalP,
         {{0.23, 0, 0.1}, {0.23, 0, 0.5}}},
        {"D06",
         capsule(0.25, 0.5, {0, 0, 1.24}, turn('y', 90)),
         cube(1),
         2,
         2,
         -0.01,
         -kZ,
         kF,
         kNormalF,
         {{0.5, 0, 1}, {-0.5, 0, 1}}},
        {"D07", capsule(0.25, 0.5, {0, 0, 1.74}), cube(1), 1, 1, -0.01, -kZ, kF, kNormalF},
        {"D08",
         capsule(0.25, 0.5, {1.15, 0, 1.15}, turn('x', 90)),
         cube(1),
         2,
         2,
         std::sqrt(0.045) - 0.25,
         Vec3d{-1, 0, -1},
         kF,
         kNormalF,
         {{1, 0.5, 1}, {1, -0.5, 1}}},
        {"D09",
         capsule(0.25, 0.5, {0.74, 0, 0}),
         cylinder(0.5, 0.5),
         2,
         2,
         -0.01,
         -kX,
         kF,
         kNormalF,
         {{0.5, 0, 0.5}, {0.5, 0, -0.5}}},
        {"D10", capsule(0.25, 0.5, {0.74, 0, 0}), ellipsoid({0.5, 0.4, 0.3}), 1, 1, -0.01, -kX, kS, kNormalS},
        {"D11",
         capsule(0.25, 0.5, {0, 0, -0.74}, turn('y', 90)),
         cone(0.5, 0.5),
         2,
         2,
         -0.01,
         kZ,
         kF,
         kNormalF,
         {{0.5, 0, -0.5}, {-0.5, 0, -0.5}}},
    };
    for (const Row& r : rows) check(r);
}

TEST_CASE("boxes and hulls share faces, edges and corners (COL-078 E, G, I, COL-158 I01, I02, I03, I05)")
{
    const double r2 = std::sqrt(0.5), corner = std::sqrt(0.75);
    const Quatd  on_corner = rotation_between(normalized(Vec3d{1, 1, 1}), -kZ);
    const Row    rows[]    = {
        {"E01",
         cube(1),
         cube(0.5, {0.8, 0, 1.49}),
         4,
         4,
         -0.01,
         kZ,
         kF,
         kNormalF,
         {{0.3, 0.5, 0.99}, {0.3, -0.5, 0.99}, {1, 0.5, 0.99}, {1, -0.5, 0.99}}},
        {"E02",
         cube(1),
         cube(0.5, {0, 0, 1.49}, turn('z', 45)),
         4,
         4,
         -0.01,
         kZ,
         kF,
         kNormalF,
         {{r2, 0, 0.99}, {-r2, 0, 0.99}, {0, r2, 0.99}, {0, -r2, 0.99}}},
        {"E03",
         cube(1),
         cube(0.5, {0, 0, 1.7}, turn('y', 45)),
         2,
         2,
         0.7 - r2,
         kZ,
         kF,
         kNormalF,
         {{0, 0.5, 1.7 - r2}, {0, -0.5, 1.7 - r2}}},
        {"E04", cube(0.5, {}, turn('y', 45)), cube(0.5, {0, 0, 1.4}, turn('x', 45)), 1, 1, 1.4 - 2 * r2, kZ, kF,
         kNormalF},
        {"E05", cube(1), cube(0.5, {0, 0, 1.85}, on_corner), 1, 1, 0.85 - corner, kZ, kF, kNormalF},
        {"E06", cube(0.5), cube(0.5, {0, 0, 1.15}), 4, 4, 0.15, kZ, kF, kNormalF},
        {"E07", cube(0.5), cube(0.5, {0, 0, 1.25}), 0, 0, 0, {}},
        {"E08", cube(0.5), cube(0.5), 4, 4, -1, {}, kF},
        {"E09", cube(0.5), cube(0.5, {0, 0, 1}), 4, 4, 0, kZ, kP, kNormalF},
        {"E11", cube(0.5), cube(0.5, {1.05, 1.05, 1.05}), 1, 1, 0.05 * std::sqrt(3.0), Vec3d{1, 1, 1}, kF, kNormalF},
        // lower edge of a box turned by t: 1.499 - 1 - 0.5 (cos t + sin t)
        {"E12", cube(1), cube(0.5, {0, 0, 1.499}, turn('x', 1)), 4, 5,
         0.499 - 0.5 * (std::cos(kDegrees) + std::sin(kDegrees)), kZ, kF, kNormalF},
        {"E13", cube(1), cube(0.5, {0, 0, 1.51}, turn('x', 3)), 4, 5,
         0.51 - 0.5 * (std::cos(3 * kDegrees) + std::sin(3 * kDegrees)), kZ, kF, kNormalF},
        {"G01",
         hull_shape(cube_hull()),
         hull_shape(cube_hull(), {0, 0, 0.99}),
         4,
         4,
         -0.01,
         kZ,
         kF,
         kNormalF,
         {{0.5, 0.5, 0.49}, {-0.5, 0.5, 0.49}, {0.5, -0.5, 0.49}, {-0.5, -0.5, 0.49}}},
        {"G04", cube(1), hull_shape(cube_hull(), {0, 0, 1.49}), 4, 4, -0.01, kZ, kF, kNormalF},
        {"I01", cube(1e-3), cube(1e-3, {0, 0, 1.9e-3}), 4, 4, -1e-4, kZ, 1e-7, kNormalF},
        {"I02", box({1000, 1000, 1}), cube(0.01, {500.5, 300.25, 1.009}), 4, 4, -1e-3, kZ, 1e-4, kNormalF},
        {"I03", cube(0.5, {1e5, 0, 0}), cube(0.5, {1e5 + 0.9375, 0, 0}), 4, 4, -0.0625, kX, kF, kNormalF},
        {"I05", cube(0, {0, 0, 0.52}), cube(0.5), 1, 4, 0.02, -kZ, kF, kNormalF},
    };
    for (const Row& r : rows) check(r);
}

TEST_CASE("cylinders, cones and ellipsoids meet convex partners (COL-078 F)")
{
    const Vec3d e{0.5, 0.4, 0.3};
    const Row   rows[] = {
        {"F01", cylinder(0.5, 0.5), cylinder(0.5, 0.5, {0, 0, 0.99}), 4, 5, -0.01, kZ, kF, kNormalF},
        {"F02",
         cylinder(0.5, 0.5),
         cylinder(0.5, 0.5, {0.99, 0, 0}),
         2,
         2,
         -0.01,
         kX,
         kF,
         kNormalF,
         {{0.49, 0, 0.5}, {0.49, 0, -0.5}}},
        {"F03", cylinder(0.5, 0.5, {0, 0, 1.49}), cube(1), 4, 5, -0.01, -kZ, kF, kNormalF},
        {"F04",
         cylinder(0.5, 0.5, {0, 0, 1.49}, turn('y', 90)),
         cube(1),
         2,
         2,
         -0.01,
         -kZ,
         kF,
         kNormalF,
         {{0.5, 0, 1}, {-0.5, 0, 1}}},
        {"F05", cube(1), cone(0.5, 0.5, {0, 0, 1.49}), 3, 5, -0.01, kZ, kF, kNormalF},
        // Apex on apex, 0.01 deep: sliding off along the generators' normal (2, 1)/sqrt 5 is shorter than lifting.
        {"F06",
         cone(0.5, 0.5),
         cone(0.5, 0.5, {0, 0, 0.99}, turn('x', 180)),
         1,
         2,
         -0.01 / std::sqrt(5.0),
         {},
         kF,
         kNormalF},
        {"F07", ellipsoid(e), ellipsoid(e, {0.99, 0, 0}), 1, 1, -0.01, kX, kS, kNormalS},
        {"F08", ellipsoid(e, {0, 0, 1.29}), cube(1), 1, 1, -0.01, -kZ, kS, kNormalS},
        {"F09", ellipsoid(e, {0, 0, 0.79}), cylinder(0.5, 0.5), 1, 1, -0.01, -kZ, kS, kNormalS},
        {"F10", cylinder(0.25, 0.5), cylinder(0.25, 0.5, {0.49, 0, 0}, turn('x', 90)), 1, 1, -0.01, kX, kS, kNormalS},
    };
    for (const Row& r : rows) check(r);
}

TEST_CASE("a closed mesh behaves as the solid it bounds (COL-078 G, COL-101, COL-102)")
{
    const Shape cube_m = mesh_shape(cube_surface());
    const Row   rows[] = {
        {"G06", cube_m, sphere(0.5, {0.1, 0.2, 0.95}), 1, 1, -0.05, kZ, kS, 1e-3},
        {"G07", cube_m, sphere(0.1, {0.1, 0.2, 0.45}), 1, 1, -0.15, kZ, kS, 1e-3},
        {"G08",
         cube_m,
         cube(0.2, {0.1, 0.2, 0.69}),
         4,
         6,
         -0.01,
         kZ,
         kS,
         1e-3,
         {{-0.1, 0, 0.49}, {0.3, 0, 0.49}, {-0.1, 0.4, 0.49}, {0.3, 0.4, 0.49}}},
        {"G09",
         cube_m,
         capsule(0.1, 0.2, {0.1, 0.15, 0.59}, turn('y', 90)),
         2,
         4,
         -0.01,
         kZ,
         kS,
         1e-3,
         {{-0.1, 0.15, 0.49}, {0.3, 0.15, 0.49}}},
        {"G10",
         cube_m,
         mesh_shape(cube_surface(), {0, 0, 0.99}),
         4,
         8,
         -0.01,
         kZ,
         kS,
         1e-3,
         {{0.5, 0.5, 0.49}, {-0.5, 0.5, 0.49}, {0.5, -0.5, 0.49}, {-0.5, -0.5, 0.49}}},
        {"G11", cube_m, mesh_shape(cube_surface(), {0.1, 0.05, 1.1}), 4, 8, 0.1, kZ, kS, 1e-3},
    };
    for (const Row& r : rows) check(r);
}
