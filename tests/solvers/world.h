#pragma once
#include <fmt/format.h>

#include <memory>

#include "mechane/collision/pipeline.h"
#include "mechane/dynamics/energy.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "mechane/solvers/solver.h"
#include "mechane/tasks/parallel.h"
#include "support/support.h"

namespace mechane::test {

inline model::JointDofConfig dof(const Vec3d& axis)
{
    model::JointDofConfig d;
    d.axis = axis;
    return d;
}

inline model::Model finalized(const model::ModelBuilder& b)
{
    Diagnostics out;
    auto        m = b.finalize({}, out);
    REQUIRE_MESSAGE(m.has_value(), (m.has_value() ? "" : to_text(m.error())));
    return std::move(*m);
}

/// A model with its solver and state. Contacts come from a callback, so that a test needs no collision pipeline.
struct World {
    model::Model                     model;
    model::State                     state;
    model::Control                   control;
    Diagnostics                      notices;
    std::unique_ptr<solvers::Solver> solver;
    solvers::StepReport              report;

    explicit World(const model::ModelBuilder& b, int substeps = 8, const tasks::Pool* pool = nullptr)
        : model(finalized(b)), state(model::make_state(model)), control(model::make_control(model))
    {
        dynamics::project_to_joints(model, state);
        auto made = solvers::make_solver("softstep", model, {.substeps = substeps, .pool = pool}, notices);
        REQUIRE(made);
        solver = std::move(*made);
    }
    World(const World&) = delete;

    void step(double dt, model::Contacts* contacts = nullptr)
    { report = solver->step(state, state, control, contacts, dt); }
    void run(double seconds, double dt)
    {
        const int steps = static_cast<int>(std::round(seconds / dt));
        for (int i = 0; i < steps; ++i) {
            step(dt);
            REQUIRE(!report.diverged);
        }
    }
    double q(std::size_t i) const { return static_cast<double>(state.joint_q[i]); }
    double qd(std::size_t i) const { return static_cast<double>(state.joint_qd[i]); }
    Vec3d  position(std::size_t body) const { return static_cast<Vec3d>(state.body_q[body].p); }
    Vec3d  velocity(std::size_t body) const { return static_cast<Vec3d>(state.body_qd[body].linear); }
    Vec3d  spin(std::size_t body) const { return static_cast<Vec3d>(state.body_qd[body].angular); }
};

/// A hinge of unit inertia about z without gravity: the one-dof stage of the drive rows.
inline model::ModelBuilder unit_hinge(const model::JointDofConfig& d)
{
    model::ModelBuilder b;
    b.gravity       = {};
    const auto body = b.add_link({}, "link", 1, {}, Mat33d::identity());
    b.add_articulation({b.add_joint_revolute(-1, body, {}, {}, d, "hinge")}, "stage");
    return b;
}

}  // namespace mechane::test
