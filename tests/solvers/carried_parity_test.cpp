#include "parity_world.h"

// Kinematic bodies and frames under the solvers beside softstep: what a carrier's acceleration does to what hangs on it
// (GAP-095), and that an axis of a body is not one of the world.

using namespace mechane;
using namespace mechane::test;

namespace {

/// A carrier with a bob on a slider along x, without gravity or friction.
model::ModelBuilder bob_on_carrier()
{
    model::ModelBuilder b;
    b.gravity                                         = {};
    const auto carrier                                = b.add_link({}, "carrier", 1, {}, Mat33d::identity());
    b.bodies[static_cast<std::size_t>(carrier)].flags = model::body_flag::kinematic;
    const auto bob                                    = b.add_link({}, "bob", 1, {}, Mat33d::identity());
    b.add_articulation({b.add_joint_prismatic(carrier, bob, {}, {}, dof({1, 0, 0}), "rail")}, "carried");
    return b;
}

}  // namespace

TEST_CASE(
    "a bob that slides freely on a carrier stays where it is when the carrier starts, and when it stops (GAP-095)")
{
    for (const char* name : kParity)
        for (const int substeps : {1, 8}) {
            CAPTURE(std::string(name));
            CAPTURE(substeps);
            Parity p(bob_on_carrier(), name, nullptr, substeps);
            p.control.body_target_q.assign(2, Pose{{Real(kInfinity), 0, 0}, {}});
            for (int step = 1; step <= 400; ++step) {
                // A tenth of a second at 1 m/s; then it stands.
                p.control.body_target_q[0].p.x = static_cast<Real>(std::min(step * 1e-3, 0.1));
                p.step(1e-3, false);
            }
            CHECK(p.position(0).x == close_to(0.1, 1e-6));
            CHECK(length(p.velocity(0)) < 1e-6);
            CHECK(std::abs(p.position(1).x) < 2e-3);
            CHECK(std::abs(p.velocity(1).x) < 1e-2);
            CHECK(p.q(0) == close_to(-0.1, 2e-3));
        }
}

TEST_CASE("a body that cannot turn about an axis of its own turns about that axis of the world (xpbd)")
{
    // It stands turned by a quarter about z: what is locked is its own y, which points along -x of the world. The hinge
    // turns about y of the world.
    const Quatd         quarter = from_axis_angle(Vec3d{0, 0, 1}, kPi / 2);
    model::ModelBuilder b;
    b.gravity       = {};
    const auto disk = b.add_link({{}, quarter}, "disk", 1, {}, Mat33d::identity());
    b.add_articulation({b.add_joint_revolute(-1, disk, {}, {{}, conjugate(quarter)}, dof({0, 1, 0}), "hinge")},
                       "stage");
    Parity p(b, "xpbd");
    p.model.body_inv_inertia[0].r1 = {};
    p.solver->notify(~0u);
    p.state.body_qd[0].angular = {0, 1, 0};
    p.run(0.5, 1e-3, false);
    CHECK(p.spin(0).y == close_to(1, 1e-4));
    CHECK(p.q(0) == close_to(0.5, 1e-3));
}
