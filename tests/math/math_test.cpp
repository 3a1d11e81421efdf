#include "mechane/math/spatial.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::angle_between;
using mechane::test::close_to;
using mechane::test::distance;
using mechane::test::for_seeds;

TEST_CASE("a quaternion rotates as its matrix, and the matrix gives it back")
{
    for_seeds(200, [](Random& r) {
        const Quatd q = r.rotation();
        const Vec3d v = r.vec(10);
        CHECK(distance(rotate(q, v), to_matrix(q) * v) < 1e-13 * 20);
        CHECK(angle_between(from_matrix(to_matrix(q)), q) < 1e-7);  // acos-free, yet w near 1 costs half the digits
        CHECK(determinant(to_matrix(q)) == close_to(1, 1e-14));
    });
}

TEST_CASE("a quarter turn about z takes x to y (DYN 1.2)")
{
    const Quatd q = from_axis_angle(Vec3d{0, 0, 1}, kPi / 2);
    CHECK(distance(rotate(q, Vec3d{1, 0, 0}), Vec3d{0, 1, 0}) < 1e-15);
    CHECK(q.z == close_to(std::sqrt(0.5), 1e-15));
}

TEST_CASE("exponential and logarithm of rotations are inverse up to a half turn")
{
    for_seeds(200, [](Random& r) {
        const Vec3d v = r.uniform(0, 3.14) * r.direction();
        CHECK(distance(to_rotation_vector(from_rotation_vector(v)), v) < 1e-12);
    });
    CHECK(distance(to_rotation_vector(from_rotation_vector(Vec3d{1e-9, 0, 0})), Vec3d{1e-9, 0, 0}) < 1e-20);
}

TEST_CASE("the rotation between two directions takes one to the other, opposite ones included")
{
    for_seeds(200, [](Random& r) {
        const Vec3d a = r.direction(), b = r.direction();
        CHECK(distance(rotate(rotation_between(a, b), a), b) < 1e-12);
        CHECK(distance(rotate(rotation_between(a, -a), a), -a) < 1e-12);
        CHECK(dot(any_perpendicular(a), a) == close_to(0, 1e-15));
    });
}

TEST_CASE("poses compose and invert")
{
    for_seeds(100, [](Random& r) {
        const Posed X_AB{r.vec(3), r.rotation()}, X_BC{r.vec(3), r.rotation()};
        const Vec3d p = r.vec(3);
        CHECK(distance((X_AB * X_BC) * p, X_AB * (X_BC * p)) < 1e-13);
        CHECK(distance(inverse(X_AB) * (X_AB * p), p) < 1e-13);
        CHECK(distance(inverse_times(X_AB, p), inverse(X_AB) * p) < 1e-13);
    });
}

TEST_CASE("a force at a point has no moment about it, and the moment r x f about the origin (DYN 1.3.2)")
{
    const Vec3d    p{1, 2, 3}, f{4, -5, 6};
    const Spatiald at_p{f, {}};
    CHECK(distance(shift_wrench(at_p, -p).angular, cross(p, f)) < 1e-14);
    const Spatiald twist{{1, 0, 0}, {0, 0, 2}};
    CHECK(dot(shift_twist(twist, p), shift_wrench(at_p, p - p)) == close_to(dot(shift_twist(twist, p), at_p), 1e-14));
}

TEST_CASE("the inverse of a matrix times the matrix is the identity; a singular one gives zero")
{
    const Mat33d m{{2, 1, 0}, {0, 3, 1}, {1, 0, 1}};
    const Mat33d e = inverse(m) * m;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) CHECK(e(i, j) == close_to(i == j ? 1 : 0, 1e-14));
    CHECK(inverse(Mat33d{}) == Mat33d{});
}
