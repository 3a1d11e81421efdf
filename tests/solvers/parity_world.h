#pragma once
#include "world.h"

namespace mechane::test {

/// A model under a solver by name, with the collision pipeline in the loop.
struct Parity {
    model::Model                     model;
    model::State                     state;
    model::Control                   control;
    Diagnostics                      notices;
    collision::CollisionPipeline     pipeline;
    model::Contacts                  contacts;
    std::unique_ptr<solvers::Solver> solver;
    solvers::StepReport              report;

    Parity(const model::ModelBuilder& b, std::string_view name, const tasks::Pool* pool = nullptr, int substeps = 1)
        : model(finalized(b)),
          state(model::make_state(model)),
          control(model::make_control(model)),
          pipeline(model, {}),
          contacts(pipeline.make_contacts())
    {
        dynamics::project_to_joints(model, state);
        auto made = solvers::make_solver(name, model, {.substeps = substeps, .pool = pool}, notices);
        REQUIRE_MESSAGE(made.has_value(), (made.has_value() ? "" : to_text(made.error())));
        solver = std::move(*made);
    }
    Parity(const Parity&) = delete;

    void step(double dt, bool touch = true)
    {
        if (touch) pipeline.collide(state, dt, contacts);
        report = solver->step(state, state, control, touch ? &contacts : nullptr, dt);
        REQUIRE_FALSE(report.diverged);
    }
    void run(double seconds, double dt, bool touch = true)
    {
        const int steps = static_cast<int>(std::round(seconds / dt));
        for (int i = 0; i < steps; ++i) step(dt, touch);
    }
    double q(std::size_t i) const { return static_cast<double>(state.joint_q[i]); }
    double qd(std::size_t i) const { return static_cast<double>(state.joint_qd[i]); }
    Vec3d  position(std::size_t body) const { return static_cast<Vec3d>(state.body_q[body].p); }
    Vec3d  velocity(std::size_t body) const { return static_cast<Vec3d>(state.body_qd[body].linear); }
    Vec3d  spin(std::size_t body) const { return static_cast<Vec3d>(state.body_qd[body].angular); }
};

inline constexpr const char* kParity[] = {"semi-implicit", "featherstone", "xpbd"};

/// A body of mass m [kg] on a hinge about y at the origin, its centre of mass `arm` [m] below; inertia about the centre
/// of mass `I` [kg m^2] about y.
inline model::ModelBuilder pendulum(double arm, double I, double angle, model::JointDofConfig d = dof({0, 1, 0}))
{
    model::ModelBuilder b;
    d.initial_q    = angle;
    const auto bob = b.add_link({}, "bob", 1, {0, 0, -arm}, Mat33d::diagonal({I, I, I}));
    b.add_articulation({b.add_joint_revolute(-1, bob, {}, {}, d, "hinge")}, "pendulum");
    return b;
}

}  // namespace mechane::test
