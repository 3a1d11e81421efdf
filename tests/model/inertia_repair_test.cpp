#include <algorithm>
#include <cmath>

#include "mechane/core/diagnostic.h"
#include "mechane/geometry/mass.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::model;
using mechane::test::close_to;
using mechane::test::for_seeds;

namespace {

struct Outcome {
    Model       model;
    Diagnostics out;
};

/// A hinged body, so that only its mass properties are remarkable.
Outcome finalized(double mass, const Mat33d& inertia, const FinalizeOptions& options = {}, const Vec3d& com = {})
{
    ModelBuilder b;
    const auto   body = b.add_link({}, "link", mass, com, inertia);
    b.add_joint_revolute(kWorldBody, body, {}, {}, {});
    Outcome o;
    auto    m = b.finalize(options, o.out);
    REQUIRE(m.has_value());
    o.model = std::move(*m);
    CHECK((b.bodies[0].inertia == inertia || !is_finite(inertia)));  // the builder keeps what was authored
    return o;
}

const double kNan = std::nan("");

}  // namespace

TEST_CASE("inertias are corrected as Newton does (IMP-205, import-usd.md 5.8)")
{
    struct Row {
        Vec3d diagonal, expected;
        bool  warns;
    };
    const Row table[] = {
        {{1, 1, 3}, {2.000001, 2.000001, 4.000001}, true},
        {{1, 1, 1e-9}, {1.000002, 1.000002, 2.0e-6}, true},
        {{1, 2, 3}, {1, 2, 3}, false},
        {{2, 2, 4}, {2, 2, 4}, false},                   // a thin disc is at the limit of the triangle inequality
        {{-1, 1, 1}, {2e-6, 2.000002, 2.000002}, true},  // threshold 1e-6 of the largest moment, 1e-6 more
    };
    for (const Row& row : table) {
        CAPTURE(row.diagonal.x);
        CAPTURE(row.diagonal.z);
        const Outcome o = finalized(1, Mat33d::diagonal(row.diagonal));
        CHECK(o.model.body_inertia[0].r0.x == close_to(row.expected.x, 1e-7));  // one float
        CHECK(o.model.body_inertia[0].r1.y == close_to(row.expected.y, 1e-7));
        CHECK(o.model.body_inertia[0].r2.z == close_to(row.expected.z, 1e-7));
        CHECK(o.out.count("MODEL_INERTIA_FIXED") == (row.warns ? 1 : 0));
        CHECK(o.out.size() == o.out.count("MODEL_INERTIA_FIXED"));
    }
}

TEST_CASE("the triangle inequality is left alone where balancing is off")
{
    const Outcome o = finalized(1, Mat33d::diagonal({1, 1, 3}), {.inertia = {.balance = false}});
    CHECK(o.model.body_inertia[0].r2.z == 3);
    CHECK(o.out.empty());
}

TEST_CASE("bounds raise light bodies")
{
    const Outcome o =
        finalized(0.001, Mat33d::diagonal({1e-5, 1e-5, 1e-5}), {.inertia = {.bound_mass = 0.1, .bound_inertia = 1e-3}});
    CHECK(o.model.body_mass[0] == close_to(0.1, 1e-8));
    CHECK(o.model.body_inertia[0].r0.x == close_to(1e-3, 1e-9));
    CHECK(o.out.count("MODEL_INERTIA_FIXED") == 1);
    CHECK(finalized(0, {}, {.inertia = {.bound_mass = 0.1}}).model.body_mass[0] == 0);  // no mass is meant
}

TEST_CASE("the floor of the moments and the step beyond it are the caller's (IMP-205)")
{
    // The floor is 1e-3 of the largest moment, without a step: 1e-3 is added to all.
    const Outcome floor =
        finalized(1, Mat33d::diagonal({0, 1, 1}), {.inertia = {.relative_tolerance = 1e-3, .correction = 0}});
    CHECK(floor.model.body_inertia[0].r0.x == close_to(1e-3, 1e-9));
    CHECK(floor.model.body_inertia[0].r1.y == close_to(1.001, 1e-6));
    // 10 - 0.2 are missing to the triangle inequality, 0.25 is the step.
    const Outcome step = finalized(1, Mat33d::diagonal({0.1, 0.1, 10}), {.inertia = {.correction = 0.25}});
    CHECK(step.model.body_inertia[0].r0.x == close_to(10.15, 1e-5));
    CHECK(step.model.body_inertia[0].r2.z == close_to(20.05, 1e-5));
    // Light bodies keep what they have where the floor lies below it.
    const Outcome light =
        finalized(1e-6, Mat33d::diagonal({1e-13, 1e-13, 1e-13}), {.inertia = {.absolute_tolerance = 1e-20}});
    CHECK(light.out.empty());
    CHECK(light.model.body_inertia[0].r0.x == close_to(1e-13, 1e-20));
}

TEST_CASE("a tensor that rounding to the model's numbers would make indefinite again is lifted once more")
{
    // One moment is -0.1 about a slanted axis. Without a step, lifting it to zero in double leaves 1e-8 of either sign
    // in float.
    const Vec3d   a    = normalized(Vec3d{2, 5, 5});
    const Outcome o    = finalized(1, Mat33d::identity() - 1.1 * Mat33d::outer(a, a),
                                   {.inertia = {.relative_tolerance = 0, .correction = 0}});
    const Vec3d   left = geometry::principal_axes(static_cast<Mat33d>(o.model.body_inertia[0])).values;
    CHECK(std::min({left.x, left.y, left.z}) > 0);
}

TEST_CASE("faults of one body are told together, or one by one")
{
    const Mat33d  flat = Mat33d::diagonal({0.001, 0.001, 1});  // no body has it: 0.001 + 0.001 < 1
    InertiaRules  rules{.bound_mass = 0.1, .bound_inertia = 0.01};
    const Outcome together = finalized(0.05, flat, {.inertia = rules});
    REQUIRE(together.out.size() == 1);
    CHECK(together.out.begin()->message.find("Mass 0.05 is below bound 0.1, inertia is below the bound, ") == 0);
    rules.one_by_one = true;
    CHECK(finalized(0.05, flat, {.inertia = rules}).out.size() == 3);  // the mass, the bound, the triangle
}

TEST_CASE("moments that are only small are not called indefinite")
{
    const auto said = [](double moment) {
        return finalized(1e-9, Mat33d::diagonal({moment, moment, moment})).out.begin()->message;
    };
    CHECK(said(1e-11).find("the smallest principal moment 1e-11 is below 1e-10") == 0);
    CHECK(said(-1e-11).find("inertia is not positive definite") == 0);
}

TEST_CASE("masses and tensors that mean nothing become zero, and zero has no inverse (DYN-142, DYN 10.2)")
{
    struct Row {
        std::string what;
        double      mass;
        Mat33d      inertia;
        Vec3d       com;
    };
    const Row table[] = {
        {"nan mass", kNan, Mat33d::identity(), {}},          {"infinite mass", kInfinity, Mat33d::identity(), {}},
        {"negative mass", -3, Mat33d::identity(), {}},       {"nan tensor", 1, Mat33d::diagonal({1, kNan, 1}), {}},
        {"nan centre", 1, Mat33d::identity(), {0, kNan, 0}}, {"inertia without mass", 0, Mat33d::identity(), {}}};
    for (const Row& row : table) {
        CAPTURE(row.what);
        const Outcome o = finalized(row.mass, row.inertia, {}, row.com);
        CHECK(o.model.body_mass[0] == 0);
        CHECK(o.model.body_inv_mass[0] == 0);
        CHECK(o.model.body_inertia[0] == Mat33{});
        CHECK(o.model.body_inv_inertia[0] == Mat33{});
        CHECK(is_finite(o.model.body_com[0]));
        REQUIRE(o.out.find("MODEL_INERTIA_FIXED") != nullptr);
        CHECK(o.out.find("MODEL_INERTIA_FIXED")->site.prim == "link");
    }
}

TEST_CASE("a mass without inertia turns like a ball of 1000 kg/m3 (DYN 10.2)")
{
    const Outcome o = finalized(5, {});
    // r = cbrt(3 * 5 / (4 pi 1000)) = 0.106078 m; 0.4 * 5 * r^2 = 0.0225052
    CHECK(o.model.body_inertia[0].r0.x == close_to(0.0225052, 1e-6));
    CHECK(o.out.count("MODEL_INERTIA_FIXED") == 1);
}

TEST_CASE("an asymmetric tensor becomes its symmetric part")
{
    Mat33d i  = Mat33d::diagonal({2, 3, 4});
    i.r0.y    = 0.2;
    Outcome o = finalized(1, i);
    CHECK(o.model.body_inertia[0].r0.y == close_to(0.1, 1e-7));
    CHECK(o.model.body_inertia[0].r1.x == close_to(0.1, 1e-7));
    CHECK(o.out.count("MODEL_INERTIA_FIXED") == 1);
}

TEST_CASE("inverses belong to what they invert (IMP-233), whatever the tensor was")
{
    for_seeds(300, [](Random& r) {
        Mat33d       i = r.below(2) == 0 ? Mat33d{r.vec(1), r.vec(1), r.vec(1)} : Mat33d{};
        const Mat33d R = to_matrix(r.rotation());
        i += R *
             Mat33d::diagonal(
                 {std::pow(10, r.uniform(-12, 2)), std::pow(10, r.uniform(-12, 2)), std::pow(10, r.uniform(-12, 2))}) *
             transpose(R);
        const double  mass = std::pow(10, r.uniform(-4, 4));
        const Outcome o    = finalized(mass, i);
        CHECK(o.model.body_mass[0] * o.model.body_inv_mass[0] == close_to(1, 1e-6));
        const Mat33d a = static_cast<Mat33d>(o.model.body_inertia[0]),
                     b = static_cast<Mat33d>(o.model.body_inv_inertia[0]);
        CHECK(is_finite(a));
        CHECK(is_finite(b));
        // Rounded to Real, a tensor of condition c is inverted to c times the rounding.
        const double largest = std::max({a.r0.x, a.r1.y, a.r2.z}), inverse_largest = std::max({b.r0.x, b.r1.y, b.r2.z});
        const Mat33d e     = a * b - Mat33d::identity();
        const double error = std::max({max_component(abs(e.r0)), max_component(abs(e.r1)), max_component(abs(e.r2))});
        CHECK(error < 1e-6 * largest * inverse_largest);
        CHECK(a.r0.x + a.r1.y > a.r2.z * (1 - 1e-6));
    });
}
