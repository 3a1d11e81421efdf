#include <array>
#include <cmath>
#include <functional>

#include "../src/solvers/soft/laws.h"
#include "mechane/math/random.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::solvers;

namespace {

Vec3d drawn(Random& r, double size) { return {r.uniform(-size, size), r.uniform(-size, size), r.uniform(-size, size)}; }

/// Forces of an element against central differences of its energy, and what they add up to.
template <std::size_t n, class Energy, class Force>
void check_gradient(const std::array<Vec3d, n>& x, const Energy& energy, const Force& force)
{
    const double h = 1e-5;
    Vec3d        sum, moment;
    double       largest = 0;
    for (std::size_t c = 0; c < n; ++c) {
        const Vec3d f = force(c);
        largest       = std::max(largest, length(f));
        sum += f;
        moment += cross(x[c], f);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            auto up = x, down = x;
            up[c][axis] += h;
            down[c][axis] -= h;
            const double slope = (energy(up) - energy(down)) / (2 * h);
            // Central differences: h^2 times the third derivative, and rounding of the energy over h.
            CHECK(f[axis] == doctest::Approx(-slope).epsilon(1e-4).scale(std::max(1.0, std::abs(energy(x)))));
        }
    }
    CHECK(length(sum) < 1e-9 * std::max(1.0, largest));
    CHECK(length(moment) < 1e-8 * std::max(1.0, largest));
}

}  // namespace

TEST_CASE("forces of springs, triangles, tetrahedra and bending edges are the gradients of their energies")
{
    test::for_seeds(50, [](Random& r) {
        const std::array<Vec3d, 4> rest{Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0.2, 1, 0}, Vec3d{0.1, 0.3, 1}};
        std::array<Vec3d, 4>       x = rest;
        for (Vec3d& p : x) p += drawn(r, 0.25);
        const soft::SpringLaw    spring{.rest = 0.9, .ke = 70, .kd = 0};
        const soft::SpringPoints two{x[0], x[1]};
        check_gradient(
            two, [&](const auto& p) { return soft::spring_energy(spring, p); },
            [&](std::size_t c) { return soft::spring_block(spring, c, two, two, 100).force; });

        const soft::TriangleLaw triangle{
            .pose = {1, -0.2, 0, 1}, .area = 0.5, .mu = 40, .lambda = 90, .kd = 0, .activation = 0.1};
        const soft::TrianglePoints three{x[0], x[1], x[2]};
        check_gradient(
            three, [&](const auto& p) { return soft::triangle_energy(triangle, p); },
            [&](std::size_t c) { return soft::triangle_block(triangle, c, three, three, 100).force; });

        const soft::TetLaw tet{
            .pose   = inverse(Mat33d::from_columns(rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0])),
            .mu     = 30,
            .lambda = 60};
        check_gradient(
            x, [&](const auto& p) { return soft::tet_energy(tet, p); },
            [&](std::size_t c) { return soft::tet_block(tet, c, x, x, 100).force; });

        const std::array<Vec3d, 4> flaps{Vec3d{-0.8, 0.4, 0} + drawn(r, 0.2), Vec3d{0.9, 0.5, 0} + drawn(r, 0.2),
                                         Vec3d{0, 0, 0} + drawn(r, 0.1), Vec3d{0, 1, 0} + drawn(r, 0.1)};
        const soft::BendingLaw     bend{.rest_angle = 0.3, .rest_length = 1.1, .ke = 5};
        check_gradient(
            flaps, [&](const auto& p) { return soft::bending_energy(bend, p); },
            [&](std::size_t c) { return soft::bending_block(bend, c, flaps, flaps, 100).force; });
    });
}

TEST_CASE("a raised corner has the rest angle of SOFT-009, and flat ones none")
{
    // The unit square of two triangles whose fourth corner is 0.5 higher: the angle is atan(-0.5 sqrt 2).
    double angle = 0;
    REQUIRE(soft::bending_angle({Vec3d{0, 0, 0}, Vec3d{1, 1, 0.5}, Vec3d{1, 0, 0}, Vec3d{0, 1, 0}}, angle, nullptr));
    CHECK(angle == doctest::Approx(-std::atan(0.5 * std::sqrt(2.0))).epsilon(1e-9));
    REQUIRE(soft::bending_angle({Vec3d{0, 0, 0}, Vec3d{1, 1, 0}, Vec3d{1, 0, 0}, Vec3d{0, 1, 0}}, angle, nullptr));
    CHECK(angle == 0);
    CHECK_FALSE(soft::bending_angle({Vec3d{0, 0, 0}, Vec3d{0, 0, 0}, Vec3d{0, 0, 0}, Vec3d{0, 1, 0}}, angle, nullptr));
}

TEST_CASE("damping does not brake rotations of what keeps its shape (SOFT-058)")
{
    const double a    = 0.3;
    const auto   turn = [&](const Vec3d& p) {
        return Vec3d{std::cos(a) * p.x - std::sin(a) * p.y, std::sin(a) * p.x + std::cos(a) * p.y, p.z};
    };
    const soft::TrianglePoints before{Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0, 1, 0}};
    const soft::TrianglePoints after{turn(before[0]), turn(before[1]), turn(before[2])};
    const soft::TriangleLaw    law{.pose = {1, 0, 0, 1}, .area = 0.5, .mu = 1, .lambda = 1, .kd = 100, .activation = 0};
    for (std::size_t c = 0; c < 3; ++c) CHECK(length(soft::triangle_block(law, c, after, before, 600).force) < 1e-10);
}
