#include "mechane/geometry/mass.h"

#include <algorithm>

#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::close_to;
using mechane::test::distance;
using mechane::test::for_seeds;

namespace {

double difference(const Mat33d& a, const Mat33d& b)
{
    const Mat33d d = a - b;
    return std::max({max_component(abs(d.r0)), max_component(abs(d.r1)), max_component(abs(d.r2))});
}

Mesh cube(const Vec3d& lower, const Vec3d& upper)
{
    Mesh m;
    for (int i = 0; i < 8; ++i)
        m.points.push_back({i & 1 ? upper.x : lower.x, i & 2 ? upper.y : lower.y, i & 4 ? upper.z : lower.z});
    m.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return m;
}

}  // namespace

TEST_CASE("solids of revolution, boxes and ellipsoids have the measured mass properties (IMP-192 to IMP-195)")
{
    struct Row {
        std::string    name;
        MassProperties body;
        double         mass;
        Vec3d          com, diagonal;
    };
    const Row table[] = {
        {"M1 cube", box_mass({0.5, 0.5, 0.5}, 1000), 1000, {}, {166.66667, 166.66667, 166.66667}},
        {"M29 sphere", sphere_mass(0.5, 1000), 523.5988, {}, {52.35988, 52.35988, 52.35988}},
        {"M30 capsule, axis z", capsule_mass(0.25, 0.5, 1000), 261.7994, {}, {43.56505, 43.56505, 7.772168}},
        {"M31 cylinder, axis z", cylinder_mass(0.5, 1, 1000), 1570.796, {}, {621.7735, 621.7735, 196.3495}},
        {"M32 cone", cone_mass(0.5, 1, 1000), 523.5988, {0, 0, -0.5}, {98.17477, 98.17477, 39.26991}},
        {"W31 capsule", capsule_mass(0.5, 0.5, 1000), 1308.997, {}, {395.9716, 395.9716, 150.5346}},
        {"W32 cone", cone_mass(1, 1, 1000), 2094.395, {0, 0, -0.5}, {628.3185, 628.3185, 628.3185}},
        {"W5 box of 12 kg", box_mass({0.5, 1, 1.5}, 2), 12, {}, {13, 10, 5}},
        {"ball as ellipsoid", ellipsoid_mass({0.5, 0.5, 0.5}, 1000), 523.5988, {}, {52.35988, 52.35988, 52.35988}},
    };
    for (const Row& row : table) {
        CAPTURE(row.name);
        CHECK(row.body.mass == close_to(row.mass, 1e-6));  // printed with seven digits
        CHECK(distance(row.body.com, row.com) < 1e-12);
        CHECK(row.body.inertia.r0.x == close_to(row.diagonal.x, 1e-6));
        CHECK(row.body.inertia.r1.y == close_to(row.diagonal.y, 1e-6));
        CHECK(row.body.inertia.r2.z == close_to(row.diagonal.z, 1e-6));
    }
}

TEST_CASE("closed forms agree with sums over random points of the solid")
{
    struct Row {
        std::string    name;
        MassProperties body;
        Vec3d          half;
        bool (*inside)(const Vec3d&);
    };
    const Row table[] = {
        {"capsule",
         capsule_mass(0.4, 0.6, 1),
         {0.4, 0.4, 1.0},
         [](const Vec3d& p) {
             const Vec3d r{p.x, p.y, p.z - std::clamp(p.z, -0.6, 0.6)};
             return length(r) < 0.4;
         }},
        {"cylinder",
         cylinder_mass(0.4, 0.6, 1),
         {0.4, 0.4, 0.6},
         [](const Vec3d& p) { return p.x * p.x + p.y * p.y < 0.16; }},
        {"cone",
         cone_mass(0.8, 0.5, 1),
         {0.8, 0.8, 0.5},
         [](const Vec3d& p) { return std::hypot(p.x, p.y) < 0.8 * (0.5 - p.z); }},
        {"ellipsoid",
         ellipsoid_mass({0.3, 0.6, 0.9}, 1),
         {0.3, 0.6, 0.9},
         [](const Vec3d& p) { return square(p.x / 0.3) + square(p.y / 0.6) + square(p.z / 0.9) < 1; }},
    };
    constexpr int kSamples = 400'000;
    for (const Row& row : table) {
        CAPTURE(row.name);
        Random       random(7);
        const double cell = 8 * row.half.x * row.half.y * row.half.z / kSamples;
        double       mass = 0;
        Vec3d        first;
        Mat33d       second{};
        for (int i = 0; i < kSamples; ++i) {
            const Vec3d p = scale(row.half, random.vec(1));
            if (!row.inside(p)) continue;
            mass += cell;
            first += cell * p;
            second += cell * Mat33d::outer(p, p);
        }
        const Vec3d  com     = first / mass;
        const Mat33d central = second - mass * Mat33d::outer(com, com);
        const Mat33d inertia = trace(central) * Mat33d::identity() - central;
        // The relative standard deviation is below 1/sqrt(kSamples/4) = 0.3 %; four of them.
        CHECK(mass == close_to(row.body.mass, 0.012 * row.body.mass));
        CHECK(distance(com, row.body.com) < 0.012);
        CHECK(difference(inertia, row.body.inertia) < 0.012 * trace(row.body.inertia));
    }
}

TEST_CASE("a mesh of a box has the mass of the box, mirrored, inverted or far away")
{
    for_seeds(50, [](Random& r) {
        const Vec3d    half{r.uniform(0.1, 2), r.uniform(0.1, 2), r.uniform(0.1, 2)}, at = r.vec(100);
        MassProperties expected = box_mass(half, 500);
        expected.com            = at;
        const Mesh mesh         = cube(at - half, at + half);
        Mesh       inverted     = mesh;
        for (auto& t : inverted.triangles) std::swap(t[0], t[1]);
        CHECK(is_closed(mesh));
        CHECK(is_closed(inverted));
        for (const Mesh& m : {mesh, inverted}) {
            const MassProperties got = mesh_mass(m, {1, 1, 1}, 500);
            CHECK(got.mass == close_to(expected.mass, 1e-10));
            CHECK(distance(got.com, at) < 1e-10);
            CHECK(difference(got.inertia, expected.inertia) < 1e-8 * trace(expected.inertia));
        }
        const MassProperties mirrored = mesh_mass(mesh, {-1, 2, 1}, 500);
        CHECK(mirrored.mass == close_to(2 * expected.mass, 1e-10));
        CHECK(distance(mirrored.com, scale(Vec3d{-1, 2, 1}, at)) < 1e-9);
        CHECK(difference(mirrored.inertia, box_mass(scale(Vec3d{1, 2, 1}, half), 500).inertia) <
              1e-8 * trace(mirrored.inertia));
    });
}

TEST_CASE("a tetrahedron has the measured mass properties (W34)")
{
    const Mesh           tetrahedron{.points    = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                     .triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
    const MassProperties m = mesh_mass(tetrahedron, {1, 1, 1}, 1000);
    CHECK(m.mass == close_to(1000.0 / 6, 1e-12));
    CHECK(distance(m.com, Vec3d{0.25, 0.25, 0.25}) < 1e-14);
    const PrincipalAxes p   = principal_axes(m.inertia);
    double              low = 1e9, high = 0;
    for (const double v : {p.values.x, p.values.y, p.values.z}) {
        low  = std::min(low, v);
        high = std::max(high, v);
    }
    CHECK(low == close_to(10.41667, 1e-3));
    CHECK(high == close_to(16.66667, 1e-3));
    CHECK(p.values.x + p.values.y + p.values.z == close_to(trace(m.inertia), 1e-12));
}

TEST_CASE("the shell of a mesh is a wall on both sides of its triangles (M34)")
{
    const MassProperties m = mesh_shell_mass(cube({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}), {1, 1, 1}, 0.02, 1000);
    CHECK(m.mass == close_to(240, 1e-12));  // 6 walls of 0.04 m
    // Two walls of 40 kg turn in their plane, 40/12 (1 + 1), four across, 40/12 (1 + 0.04^2) + 40/4.
    CHECK(m.inertia.r0.x == close_to(2 * 40.0 / 6 + 4 * (40.0 / 12 * 1.0016 + 10), 1e-12));
    CHECK(m.inertia.r0.x == close_to(66.68804, 1e-6));
}

TEST_CASE("combining parts equals integrating the whole, in any frame")
{
    for_seeds(50, [](Random& r) {
        const Vec3d          half{r.uniform(0.2, 1), r.uniform(0.2, 1), r.uniform(0.2, 1)};
        const Posed          X{r.vec(2), r.rotation()};
        const Vec3d          quarter{half.x / 2, half.y, half.z};
        const MassProperties piece = box_mass(quarter, 300);
        const MassProperties left  = transformed(piece, X * Posed{{-quarter.x, 0, 0}, {}});
        const MassProperties right = transformed(piece, X * Posed{{quarter.x, 0, 0}, {}});
        const MassProperties whole = transformed(box_mass(half, 300), X), sum = combined(left, right);
        CHECK(sum.mass == close_to(whole.mass, 1e-12));
        CHECK(distance(sum.com, whole.com) < 1e-12);
        CHECK(difference(sum.inertia, whole.inertia) < 1e-11 * trace(whole.inertia));
        const MassProperties rest = hollow(whole, left);
        CHECK(distance(rest.com, right.com) < 1e-12);
        CHECK(difference(rest.inertia, right.inertia) < 1e-11 * trace(whole.inertia));
    });
}

TEST_CASE("principal axes give the matrix back, and their rotation is proper")
{
    for_seeds(200, [](Random& r) {
        const Mat33d R = to_matrix(r.rotation());
        const Mat33d m = R * Mat33d::diagonal({r.uniform(0.1, 5), r.uniform(0.1, 5), r.uniform(0.1, 5)}) * transpose(R);
        const PrincipalAxes p = principal_axes(m);
        const Mat33d        Q = to_matrix(p.rotation);
        CHECK(difference(Q * Mat33d::diagonal(p.values) * transpose(Q), m) < 1e-12 * 10);
        CHECK(determinant(Q) == close_to(1, 1e-12));
    });
    const PrincipalAxes diagonal = principal_axes(Mat33d::diagonal({3, 1, 2}));
    CHECK(diagonal.values == Vec3d{3, 1, 2});
    CHECK(diagonal.rotation == Quatd{});
}

TEST_CASE("no mass of nothing")
{
    CHECK(mesh_mass({}, {1, 1, 1}, 1000).mass == 0);
    CHECK(sphere_mass(1, 0).mass == 0);
    CHECK_FALSE(is_closed({}));
    CHECK(combined({}, {}).com == Vec3d{});
}
