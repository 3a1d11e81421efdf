#pragma once
#include <cstdio>

#include "mechane/solvers/mujoco.h"
#include "solvers/parity_world.h"

namespace mechane::test {

/// Whether MuJoCo's library is here. Where it is not, the tests that ask are counted and said at the end.
inline bool has_mujoco()
{
    struct Skipped {
        int count = 0;
        ~Skipped()
        {
            if (count > 0) std::printf("skipped: no mujoco (%d tests)\n", count);
        }
    };
    static Skipped    skipped;
    static const bool here = solvers::mujoco_library().problem.empty();
    if (!here) ++skipped.count;
    return here;
}

/// A model under MuJoCo, with what can be looked into.
struct Mujoco {
    model::Model                     model;
    model::State                     state;
    model::Control                   control;
    Diagnostics                      notices;
    std::unique_ptr<solvers::Solver> solver;
    solvers::MujocoSolver*           inside = nullptr;
    solvers::StepReport              report;

    explicit Mujoco(const model::ModelBuilder& b, std::string_view choice = "mujoco", const tasks::Pool* pool = nullptr,
                    solvers::MujocoTables tables = {})
        : model(finalized(b)), state(model::make_state(model)), control(model::make_control(model))
    {
        dynamics::project_to_joints(model, state);
        auto made = solvers::make_mujoco(choice, model, {.substeps = 1, .pool = pool}, std::move(tables), notices);
        REQUIRE_MESSAGE(made.has_value(), (made.has_value() ? "" : to_text(made.error())));
        solver = std::move(*made);
        inside = dynamic_cast<solvers::MujocoSolver*>(solver.get());
        REQUIRE(inside != nullptr);
    }
    Mujoco(const Mujoco&) = delete;

    void step(double dt)
    {
        report = solver->step(state, state, control, nullptr, dt);
        REQUIRE_MESSAGE(!report.diverged, report.culprit);
    }
    void run(double seconds, double dt)
    {
        const int steps = static_cast<int>(std::round(seconds / dt));
        for (int i = 0; i < steps; ++i) step(dt);
    }
    std::vector<double> field(std::string_view name, std::size_t world = 0) const
    {
        for (const solvers::MujocoField& f : inside->fields(world))
            if (f.name == name) return f.numbers;
        FAIL("no field " << std::string(name));
        return {};
    }
    double q(std::size_t i) const { return static_cast<double>(state.joint_q[i]); }
    double qd(std::size_t i) const { return static_cast<double>(state.joint_qd[i]); }
    Vec3d  position(std::size_t body) const { return static_cast<Vec3d>(state.body_q[body].p); }
    Vec3d  velocity(std::size_t body) const { return static_cast<Vec3d>(state.body_qd[body].linear); }
    Vec3d  spin(std::size_t body) const { return static_cast<Vec3d>(state.body_qd[body].angular); }
};

}  // namespace mechane::test

#define NEEDS_MUJOCO \
    if (!mechane::test::has_mujoco()) return
