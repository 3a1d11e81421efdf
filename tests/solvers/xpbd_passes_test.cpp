// The passes of xpbd one by one: with one or a few of them each order and each bound leaves its own closed form.

#include <cmath>
#include <string>

#include "hand_contacts.h"
#include "parity_world.h"

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kH = 0.01;  // [s]

/// A unit ball of 2 kg in the plane by `deep` without gravity: free, or held where it is by a fixed joint.
model::ModelBuilder ball_in_plane(double deep, bool held, double restitution = 0)
{
    model::ModelBuilder b = ground(0, restitution);
    b.gravity             = {};
    const Posed at{{0, 0, 1 - deep}, {}};
    const auto  I    = Mat33d::diagonal({0.8, 0.8, 0.8});
    const auto  ball = held ? b.add_link(at, "ball", 2, {}, I) : b.add_body(at, "ball", 2, {}, I);
    if (held) b.add_articulation({b.add_joint_fixed(model::kWorldBody, ball, at, {}, "nail")}, "stand");
    model::ShapeConfig weightless = b.default_shape;
    weightless.density            = 0;
    b.add_shape_sphere(ball, {}, 1, weightless);
    return b;
}

/// A box of 3 kg whose centre of mass is `deep` below the level and `sideways` beyond the wall. Contacts act at the
/// centre of mass, so that nothing turns. Shape 1 rubs and shape 2 does not.
struct Slider {
    Parity       w;
    HandContacts touching;

    Slider(const std::string& solver, double deep, double sideways, double mu) : w(box(mu), solver)
    {
        touching.add(0, 2, {0, 0, deep}, {}, {0, 0, 1}, 0, 0, -deep, 0);
        touching.add(1, 3, {sideways, 0, 0}, {}, {1, 0, 0}, 0, 0, -sideways, 0);
    }
    static model::ModelBuilder box(double mu)
    {
        model::ModelBuilder b;
        b.gravity                 = {};
        model::ShapeConfig rough  = b.default_shape;
        rough.mu                  = mu;
        rough.density             = 0;
        model::ShapeConfig smooth = rough;
        smooth.mu                 = 0;
        b.add_shape_box(model::kWorldBody, {{0, 0, -9}, {}}, {1, 1, 1}, rough);
        b.add_shape_box(model::kWorldBody, {{-9, 0, 0}, {}}, {1, 1, 1}, smooth);
        const auto body = b.add_body({}, "box", 3, {}, Mat33d::diagonal({1, 2, 3}));
        b.add_shape_box(body, {}, {1, 1, 1}, rough);
        b.add_shape_box(body, {}, {1, 1, 1}, smooth);
        return b;
    }
    void step() { w.report = w.solver->step(w.state, w.state, w.control, &touching.contacts, kH); }
};

}  // namespace

TEST_CASE("joints come after contacts in a pass of xpbd: what they hold does not give way (DYN-051)")
{
    const double deep = 0.01, relaxed = 0.8;
    // A free ball is pushed out by the relaxation; the one that is nailed down is pushed and then taken back. Trees are
    // solved exactly, Newton's joints take back 0.7 of what they find.
    const std::pair<std::string, double> solvers[] = {{"xpbd:iterations=1", 1.0},
                                                      {"xpbd:iterations=1,accumulate=0", 0.7}};
    for (const auto& [solver, back] : solvers)
        for (const bool held : {false, true}) {
            CAPTURE(solver);
            CAPTURE(held);
            Parity       w(ball_in_plane(deep, held), solver);
            HandContacts touching;  // the pipeline finds none between what stands
            touching.add(0, 1, {}, {}, {0, 0, 1}, 0, 1, -deep, 0);
            w.report            = w.solver->step(w.state, w.state, w.control, &touching.contacts, kH);
            const double pushed = relaxed * deep;
            CHECK(w.position(0).z == close_to(1 - deep + (held ? (1 - back) * pushed : pushed), 1e-6));
        }
}

TEST_CASE("particles come before contacts of bodies in a pass of xpbd (DYN-051)")
{
    // The ball touches the plane and is not in it. A particle of 1 kg pushes it in by its share of nine tenths of their
    // overlap; the contact with the plane then takes back eight tenths of that. Had it come first there were nothing
    // to take back.
    const double        deep = 0.02;
    model::ModelBuilder b    = ball_in_plane(0, false);
    b.add_particle({0, 0, 2.1 - deep}, {}, 1, 0.1);
    Parity w(b, "xpbd:iterations=1");
    w.model.soft_contact.mu = 0;
    w.step(kH);
    const double all = 0.9 * deep, body = all * (1.0 / 2) / (1.0 / 2 + 1.0);
    CHECK(w.position(0).z == close_to(1 - 0.2 * body, 1e-6));
    CHECK(static_cast<double>(w.state.particle_q[0].z) == close_to(2.1 - deep + (all - body), 1e-6));
}

TEST_CASE("rows of particles are one Jacobi pass under Newton's rows: what each finds at its start is summed (DYN-051)")
{
    // A particle is in the plane by `deep`, and a spring that is as good as rigid wants it up by half of that. One
    // after the other would end at 0.5 (spring last) or at 0.5 + 0.9 * 0.5 (contact last).
    const double        deep = 0.02;
    model::ModelBuilder b    = ground(0);
    b.gravity                = {};
    b.add_particle({0, 0, 1}, {}, 0, 0.0);
    b.add_particle({0, 0, 0.1 - 0.5 * deep}, {}, 1, 0.1);
    b.add_spring(0, 1, 1e12, 0);
    Parity w(b, "xpbd:iterations=1,soft_laws=0");
    w.model.soft_contact.mu = 0;
    w.state.particle_q[1].z = static_cast<Real>(0.1 - deep);
    w.step(kH);
    CHECK(static_cast<double>(w.state.particle_q[1].z) == close_to(0.1 - deep + (0.5 + 0.9) * deep, 1e-6));
}

TEST_CASE("xpbd predicts first and bounces last: places are those of the passes, speeds those of the impact (DYN-051)")
{
    const double deep = 0.01, speed = 1, e = 0.5, predicted = 1 - deep - speed * kH;
    for (const std::string solver : {"xpbd:iterations=1", "xpbd:iterations=1,enable_restitution=1"}) {
        CAPTURE(solver);
        Parity w(ball_in_plane(deep, false, e), solver);
        w.state.body_qd[0].linear.z = w.state.joint_qd[2] = static_cast<Real>(-speed);
        w.step(kH);
        const double out = 0.8 * (1 - predicted);
        CHECK(w.position(0).z == close_to(predicted + out, 1e-6));
        // Without restitution the speed is what the pass made of it.
        CHECK(w.velocity(0).z ==
              close_to(solver.ends_with("=1,enable_restitution=1") ? e * speed : out / kH - speed, 1e-4));
    }
}

TEST_CASE("what contacts give a body is divided by how many of them push, not by how many there are (DYN-052)")
{
    // The corners of a cube of m = 6 kg and side 2: I = m s^2 / 6 = 4, (r x n)^2 = 2, so w = 1/m + 2/4 = 2/3, and each
    // contact alone lifts the cube by 0.8 d (1/m) / w = 0.2 d. Turns cancel out.
    const double deep = 0.01;
    for (const std::string momentum : {"0", "1"})
        for (const bool divided : {true, false})
            for (const int idle : {0, 3}) {
                CAPTURE(momentum);
                CAPTURE(divided);
                CAPTURE(idle);
                model::ModelBuilder b;
                b.gravity          = {};
                b.default_shape.mu = 0;
                b.add_ground_plane();
                add_box(b, {{0, 0, 1 - deep}, {}}, {1, 1, 1}, 6);
                Parity       w(b, "xpbd:iterations=1,rigid_contact_con_weighting=" + std::to_string(divided ? 1 : 0) +
                                      ",keep_momentum=" + momentum);
                HandContacts touching;
                for (const double x : {-1.0, 1.0})
                    for (const double y : {-1.0, 1.0})
                        touching.add(0, 1, {x, y, 0}, {x, y, -1}, {0, 0, 1}, 0, 0, -deep, 0);
                for (int k = 0; k < idle; ++k)
                    touching.add(0, 1, {0.1 * k, 0, -2 * deep}, {0.1 * k, 0, -1}, {0, 0, 1}, 0, 0, deep, 0);
                w.report = w.solver->step(w.state, w.state, w.control, &touching.contacts, kH);
                CHECK(w.position(0).z == close_to(1 - deep + (divided ? 0.2 : 4 * 0.2) * deep, 1e-6));
                CHECK(length(w.spin(0)) < 1e-5);
                // The force is that of the passes, shared as the correction was.
                double force = 0;
                for (std::int32_t k = 0; k < touching.contacts.rigid_contact_count; ++k)
                    force += static_cast<double>(touching.contacts.rigid_contact_force[static_cast<std::size_t>(k)].z);
                CHECK(std::abs(force) == close_to(6 * (divided ? 0.2 : 0.8) * deep / (kH * kH), 1e-3));
            }
}

TEST_CASE("friction of a pass is bounded by what that pass pushes, not by what all have pushed (DYN-053)")
{
    // Each pass leaves a fifth of what it finds. The level pushes 0.8 d 0.2^(k-1) in pass k. In the first nothing has
    // slid yet; in all others friction is at its bound and takes the box f_k = mu 0.8 d 0.2^(k-1) back into the wall,
    // which rubs not: g_k = 0.2 g_(k-1) + f_k is what is left of the overlap b with the wall, so that after n passes
    // g_n = 0.2^n b + (n - 1) mu 0.8 d 0.2^(n-1). A bound by the sum of all passes would take back mu 0.96 d in the
    // second one, six times as much.
    const double d = 1e-3, b = 1e-2, mu = 0.5;
    for (int n = 1; n <= 4; ++n) {
        CAPTURE(n);
        Slider at("xpbd:rigid_contact_con_weighting=0,iterations=" + std::to_string(n), d, b, mu);
        at.step();
        const double left = std::pow(0.2, n);
        CHECK(at.w.position(0).z == close_to(d * (1 - left), 1e-7));
        CHECK(at.w.position(0).x == close_to(b - left * b - (n - 1) * mu * 0.8 * d * left / 0.2, 1e-7));
        CHECK(at.w.position(0).y == close_to(0, 1e-9));
    }
}
