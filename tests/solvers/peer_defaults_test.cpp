// Defaults of the solvers that stand for Newton's: the gains that hold joints together, and how spins fade.

#include <algorithm>
#include <cmath>
#include <string>

#include "mechane/solvers/parameters.h"
#include "parity_world.h"

using namespace mechane;
using namespace mechane::test;

namespace {

double default_of(std::string_view solver, std::string_view parameter)
{
    for (const solvers::Parameter& row : solvers::parameters_of(solver))
        if (row.name == parameter) return row.value;
    return 0;
}

}  // namespace

TEST_CASE("what a joint locks is held by 1e4 and 1e2, about axes by a hundredth of the damping (DYN-060)")
{
    // One step h from a state where the joint gapes: m dv = -h (ke x + kd v), I dw = -h (ke angle + kd / 100 w). The
    // joint is at the centre of mass, so that the two do not mix.
    constexpr double h = 1e-4, m = 2, I = 0.5, gap = 0.003, v = 0.2, angle = 0.01, w0 = 0.3;
    const Vec3d      axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    struct Case {
        std::string settings;
        double      ke, kd;
    };
    const Case cases[] = {{"", 1e4, 1e2},
                          {",joint_attach_ke=10000,joint_attach_kd=100", 1e4, 1e2},
                          {",joint_attach_ke=500", 500, 1e2},
                          {",joint_attach_kd=7", 1e4, 7}};
    for (const Case& one : cases)
        for (const Vec3d& axis : axes) {
            CAPTURE(one.settings);
            model::ModelBuilder b;
            b.gravity       = {};
            const auto body = b.add_link({}, "block", m, {}, Mat33d::diagonal({I, I, I}));
            b.add_articulation({b.add_joint_fixed(model::kWorldBody, body, {}, {}, "nail")}, "stand");
            Parity w(b, "semi-implicit:angular_damping=0" + one.settings);
            w.state.body_q[0].p        = static_cast<Vec3>(gap * axis);
            w.state.body_q[0].q        = static_cast<Quat>(from_rotation_vector(angle * axis));
            w.state.body_qd[0].linear  = static_cast<Vec3>(v * axis);
            w.state.body_qd[0].angular = static_cast<Vec3>(w0 * axis);
            w.step(h, false);
            CHECK(dot(w.velocity(0), axis) == close_to(v - h / m * (one.ke * gap + one.kd * v), 1e-5));
            // The angle of a joint that locks is taken by the quaternion, which is the angle to its third power.
            CHECK(dot(w.spin(0), axis) == close_to(w0 - h / I * (one.ke * angle + 0.01 * one.kd * w0), 1e-5));
        }
    CHECK(default_of("semi-implicit", "joint_attach_ke") == 1e4);
    CHECK(default_of("semi-implicit", "joint_attach_kd") == 1e2);
}

TEST_CASE("a spin fades by 0.05 1/s under semi-implicit, where it is documented, and under no other solver (DYN-063)")
{
    constexpr double h     = 1e-3;
    constexpr int    steps = 2000;
    CHECK(default_of("semi-implicit", "angular_damping") == 0.05);
    for (const char* name : {"softstep", "xpbd", "featherstone", "vbd"})
        CHECK(default_of(name, "angular_damping") == 0);
    for (const std::string name : {"softstep", "xpbd", "semi-implicit", "featherstone", "vbd"})
        for (const bool hinged : {false, true}) {
            CAPTURE(name);
            CAPTURE(hinged);
            model::ModelBuilder b;
            b.gravity       = {};
            const auto I    = Mat33d::diagonal({0.4, 0.4, 0.4});
            const auto body = hinged ? b.add_link({}, "top", 1, {}, I) : b.add_body({}, "top", 1, {}, I);
            if (hinged) b.add_articulation({b.add_joint_revolute(model::kWorldBody, body, {}, {}, dof({0, 0, 1}))});
            Parity w(b, name);
            w.state.body_qd[0].angular.z     = 3;
            w.state.joint_qd[hinged ? 0 : 5] = 3;
            w.run(h * steps, h);
            const double fades = default_of(name, "angular_damping");
            CHECK(w.spin(0).z == close_to(3 * std::pow(1 - fades * h, steps), 2e-4));
        }
}
