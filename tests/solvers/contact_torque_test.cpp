#include <cmath>
#include <string>
#include <string_view>

#include "mechane/solvers/contact_wrench.h"
#include "world.h"

/// Friction against spinning and rolling is a couple: it belongs to the wrench of a contact.
using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 240, kRadius = 0.2, kTorsional = 0.02, kRolling = 0.01;

struct Case {
    const char* solver;
    int         balls;  ///< many of them are solved side by side
    bool        tree;   ///< each ball is the second link of a tree
};

model::ModelBuilder balls_on_ground(const Case& c)
{
    model::ModelBuilder b;
    b.default_shape.mu_torsional = kTorsional;
    b.default_shape.mu_rolling   = kRolling;
    b.add_ground_plane();
    for (int i = 0; i < c.balls; ++i) {
        const Posed at{{0.0, 2.0 * i, kRadius}, {}};
        if (c.tree) {
            // A carriage without contacts carries the ball on three hinges of a ball joint.
            const auto carriage = b.add_link(at, "carriage", 1, {}, Mat33d::identity());
            const auto ball     = b.add_link(at, "ball");
            b.add_shape_sphere(ball, {}, kRadius, b.default_shape);
            b.add_articulation({b.add_joint_free(carriage), b.add_joint_ball(carriage, ball, {}, {})}, "robot");
        } else {
            b.add_shape_sphere(b.add_body(at, "ball"), {}, kRadius, b.default_shape);
        }
    }
    return b;
}

}  // namespace

TEST_CASE("the wrench of a contact is all that changes the spin of a ball that spins and rolls on the ground (COL-153)")
{
    for (const Case& c :
         {Case{"softstep", 1, false}, Case{"softstep", 64, false}, Case{"softstep", 1, true}, Case{"xpbd", 1, false}}) {
        CAPTURE(std::string(c.solver));
        CAPTURE(c.balls);
        CAPTURE(c.tree);
        World       w(balls_on_ground(c));
        Diagnostics out;
        auto        solver = solvers::make_solver(c.solver, w.model, {.substeps = 8}, out);
        REQUIRE(solver.has_value());
        w.solver = std::move(*solver);
        collision::CollisionPipeline pipeline(w.model);
        model::Contacts              contacts = pipeline.make_contacts();
        for (std::size_t d = 0; d < w.state.joint_qd.size(); d += c.tree ? 9 : 6) {
            // It rolls along x and spins; a ball joint's rates come behind those of the carriage.
            Real* const turning = &w.state.joint_qd[d + (c.tree ? 6 : 3)];
            w.state.joint_qd[d] = 1;
            turning[1]          = Real(1 / kRadius);
            turning[2]          = 5;
        }
        dynamics::project_to_joints(w.model, w.state);
        const std::size_t ball   = c.tree ? 1 : 0;
        const double      moment = static_cast<double>(w.model.body_inertia[ball](0, 0));
        double            turned = 0;
        for (int i = 0; i < 60; ++i) {
            pipeline.collide(w.state, kDt, contacts);
            const model::State found  = w.state;  // where the points of the contacts are on both surfaces
            const Vec3d        before = w.spin(ball);
            w.step(kDt, &contacts);
            std::vector<Spatial> on0(static_cast<std::size_t>(contacts.rigid_contact_count)), on1(on0.size());
            solvers::contact_wrenches(w.model, found, contacts, on0, on1);
            Vec3d torque;
            for (std::size_t k = 0; k < on0.size(); ++k) {
                if (w.model.shape_body[contacts.rigid_contact_shape0[k]] == static_cast<std::int32_t>(ball))
                    torque += static_cast<Vec3d>(on0[k].angular);
                if (w.model.shape_body[contacts.rigid_contact_shape1[k]] == static_cast<std::int32_t>(ball))
                    torque += static_cast<Vec3d>(on1[k].angular);
                // What acts reacts, also about the normal.
                CHECK(length(static_cast<Vec3d>(contacts.rigid_contact_torque[k])) > 0);
            }
            // A ball's moments of inertia are equal, so that nothing gyrates.
            const Vec3d  change = moment * (w.spin(ball) - before);
            const double bound  = kTorsional * static_cast<double>(w.model.body_mass[ball]) * 9.81;
            // xpbd places the points anew within the step.
            const double share = std::string_view(c.solver) == "xpbd" ? 2e-2 : 1e-3;
            CHECK(distance(change, kDt * torque) < share * kDt * bound);
            turned += std::abs(change.z);
        }
        CHECK(turned > 0.5 * moment);
    }
}

TEST_CASE("a limit whose gains somebody chose is a spring of them, also where they are the defaults")
{
    for (const bool chosen : {false, true}) {
        CAPTURE(chosen);
        auto d           = dof({0, 0, 1});
        d.limit_upper    = 0;
        d.limit_authored = chosen;
        World w(unit_hinge(d));
        w.control.joint_f.assign(1, 100);
        w.run(5, 1.0 / 240);
        // It rests where ke q is the torque: 100 N m / 1e4 N m/rad. Unchosen the solver's own limit is a thousandth of
        // it.
        if (chosen)
            CHECK(w.q(0) == close_to(0.01, 2e-4));
        else
            CHECK(std::abs(w.q(0)) < 1e-3);
    }
}
