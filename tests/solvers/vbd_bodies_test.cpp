// Bodies under vbd: what joints and attachments do to them, and from where they start.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "parity_world.h"

using namespace mechane;
using namespace mechane::test;

namespace {

/// A particle of mass m [kg] that hangs at a fixed hook by an attachment of stiffness k [N/m].
model::ModelBuilder hanging_particle(double m, double k, double damping)
{
    model::ModelBuilder b;
    const auto          hook = b.add_link({{0, 0, 1}, {}}, "hook", 1, {}, Mat33d::identity());
    b.add_articulation({b.add_joint_fixed(model::kWorldBody, hook, {{0, 0, 1}, {}}, {})});
    b.add_particle({0.1, 0, 1}, {}, m, 0.0);
    b.add_attachment_particle_body(
        {.body = hook, .particle = 0, .body_point = {0.1, 0, 0}, .stiffness = k, .damping = damping});
    return b;
}

model::Model bent_hinge(double authored, double angle)
{
    model::ModelBuilder   b;
    model::JointDofConfig d = dof({0, 0, 1});
    d.initial_q             = angle;
    const auto door = b.add_link({{}, from_rotation_vector(Vec3d{0, 0, authored})}, "door", 1, {}, Mat33d::identity());
    b.add_articulation({b.add_joint_revolute(model::kWorldBody, door, {}, {}, d, "hinge")}, "frame");
    return finalized(b);
}

}  // namespace

TEST_CASE("bodies that a joint ties never wait for each other under vbd: one pass is as good as many (DYN-064)")
{
    // Five links of 0.5 m, the last a hundred times as heavy. A joint whose bodies moved in turns would gape.
    for (const int passes : {1, 20}) {
        CAPTURE(passes);
        model::ModelBuilder       b;
        std::vector<std::int32_t> joints;
        for (int i = 0; i < 5; ++i) {
            const auto link = b.add_link({{0, 0, -0.5 * i}, {}}, "", i == 4 ? 100 : 1, {0, 0, -0.25},
                                         Mat33d::diagonal({0.02, 0.02, 0.02}));
            joints.push_back(b.add_joint_revolute(i == 0 ? model::kWorldBody : link - 1, link,
                                                  {{0, 0, i == 0 ? 0 : -0.5}, {}}, {}, dof({0, 1, 0})));
        }
        b.add_articulation(joints, "chain");
        Parity w(b, "vbd:iterations=" + std::to_string(passes));
        w.state.joint_q[0] = static_cast<Real>(0.3);
        dynamics::project_to_joints(w.model, w.state);
        w.run(1, 1.0 / 240, false);
        CHECK(length(w.velocity(4)) > 0.1);  // it swings
        CHECK(dynamics::project_to_joints(w.model, w.state).linear < 1e-6);
    }
}

TEST_CASE("an attachment that is at rest bears K C, whatever masses, steps and passes are (DYN-065)")
{
    // The metric of a row is the inertia m / h^2 behind it. It changes by 4e4 here; the sag m g / K does not.
    for (const std::string solver : {"vbd:iterations=5", "vbd:iterations=40", "xpbd:iterations=300"})
        for (const double m : {0.01, 1.0})
            for (const double h : {1.0 / 120, 1.0 / 1200})
                for (const double k : {500 * m, 2e4 * m, std::numeric_limits<double>::infinity()}) {
                    CAPTURE(solver);
                    CAPTURE(m);
                    CAPTURE(h);
                    CAPTURE(k);
                    const bool   gives = std::isfinite(k);
                    const double sag   = gives ? 9.81 * m / k : 0;
                    Parity       w(hanging_particle(m, k, gives ? 2 * std::sqrt(k * m) : 0), solver);
                    w.run(2, h, false);
                    CHECK(1 - static_cast<double>(w.state.particle_q[0].z) ==
                          close_to(sag, gives ? 1e-6 + 1e-3 * sag : 1e-5));
                }
}

TEST_CASE("a limit that is pushed bears K C under vbd, whatever the substep is (DYN-065, T-61)")
{
    for (const int substeps : {1, 8, 32})
        for (const double k : {1e3, 2e4, 1e5}) {
            CAPTURE(substeps);
            CAPTURE(k);
            model::ModelBuilder   b;
            model::JointDofConfig d = dof({0, 0, 1});
            d.limit_lower = 0, d.limit_upper = 1, d.limit_ke = k, d.limit_kd = 2 * std::sqrt(k);
            const auto sled = b.add_link({}, "sled", 1, {}, Mat33d::identity());
            b.add_articulation({b.add_joint_prismatic(model::kWorldBody, sled, {}, {}, d, "rail")}, "stand");
            Parity w(b, "vbd", nullptr, substeps);
            w.run(3, 1.0 / 120, false);
            CHECK(-w.q(0) == close_to(9.81 / k, 1e-6 + 1e-3 * 9.81 / k));
        }
}

TEST_CASE("vbd tells, as it is made, where body_q and joint_q of the model disagree (DYN-066)")
{
    const auto told = [](const model::Model& m, bool strict = false) {
        Diagnostics out;
        auto        made = solvers::make_solver("vbd", m, {.strict = strict}, out);
        if (!made) return to_text(made.error());
        std::string text;
        for (const Diagnostic& d : out) text += to_text(d);
        return text;
    };
    CHECK(told(bent_hinge(0.25, 0.25)).empty());
    CHECK(told(bent_hinge(0.25, 0.25), true).empty());
    CHECK(told(bent_hinge(0, 0.004)).empty());  // a quarter of a degree, as frames of joints may be apart
    const std::string text = told(bent_hinge(0, 0.25));
    CHECK(text.find("SOLVER_APPROXIMATES") != std::string::npos);
    CHECK(text.find("door") != std::string::npos);
    CHECK(text.find("14.3 deg") != std::string::npos);
    CHECK(told(bent_hinge(0, 0.25), true).find("SOLVER_MODEL") != std::string::npos);
}
