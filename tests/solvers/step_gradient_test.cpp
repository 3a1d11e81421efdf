#include "mechane/solvers/step_gradient.h"
#include "mechane/solvers/mujoco.h"

#include "hand_contacts.h"

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 60;

Result<solvers::StepGradient> gradient_of(const model::ModelBuilder& b, const model::State& state,
                                          const model::Control& control, std::string_view solver, int substeps,
                                          Diagnostics& found)
{
    return solvers::step_gradient(b, state, control, {.solver = solver, .step = {.substeps = substeps}, .dt = kDt},
                                  found);
}

}  // namespace

TEST_CASE("the gradient of a step is that of the closed form, for every solver (DYN-137, T-110)")
{
    // Tolerances: a float's rounding over twice the change is 1e-4; the statement asks for a hundredth.
    for (const std::string_view solver : solvers::solver_names()) {
        CAPTURE(solver);
        if (solver == "mujoco" && !solvers::mujoco_library().problem.empty()) {
            MESSAGE("skipped: no mujoco");
            continue;
        }
        Diagnostics found;
        SUBCASE("a drive, T-50: implicit Euler, or explicit")
        {
            if (solver == "xpbd") continue;  // its two passes are on the way to the implicit step
            const bool implicit = solver == "softstep" || solver == "vbd";  // whose bodies are softstep's
            // Explicit: v' = v + h (k (q* - q) - c v + f), q' = q + h v'. Implicit: v' = (v + h (k (q* - q) + f)) / D,
            // D = 1 + h c + h^2 k; q' = q + h v'.
            model::JointDofConfig d = dof({0, 0, 1});
            d.target_ke             = 100;
            d.target_kd             = 4;
            d.target_q              = 1;
            const auto         b    = unit_hinge(d);
            const model::Model m    = finalized(b);
            const auto gradient     = gradient_of(b, model::make_state(m), model::make_control(m), solver, 1, found);
            REQUIRE(gradient);
            // MuJoCo's implicitfast: damping is implicit, stiffness explicit.
            const bool   damped = solver == "mujoco";
            const double h      = kDt,
                         D      = implicit ? 1 + h * 4 + h * h * 100
                                  : damped ? 1 + h * 4
                                           : 1,
                         keep   = implicit || damped ? 1 : 1 - h * 4;
            CHECK(gradient->dx(0, 0) == close_to(1 - h * h * 100 / D, 1e-3));
            CHECK(gradient->dx(0, 1) == close_to(h * keep / D, 1e-3));
            CHECK(gradient->dx(1, 0) == close_to(-h * 100 / D, 1e-2));
            // Semi-implicit Euler with its angular damping of 0.05 1/s besides.
            CHECK(gradient->dx(1, 1) == close_to(keep / D, 1e-3 + 0.05 * h));
            CHECK(gradient->du(0, 0) == close_to(h * h / D, 1e-4));
            CHECK(gradient->du(1, 0) == close_to(h / D, 1e-3));
        }
        SUBCASE("a body that flies, T-02: what it has it keeps")
        {
            model::ModelBuilder b;
            add_box(b, {{0, 0, 2}, {}}, {0.1, 0.1, 0.1}, 2);
            const model::Model m     = finalized(b);
            model::State       state = model::make_state(m);
            state.joint_qd[0]        = 3;
            state.joint_qd[2]        = 4;
            const auto gradient      = gradient_of(b, state, model::make_control(m), solver, 8, found);
            REQUIRE(gradient);
            // Of the force: a step is eight of h, position gains h^2 (1 + ... + 8) = dt (dt + h) / 2 of it over the
            // mass.
            const double per_force = 0.5 * kDt * (kDt + kDt / 8) / 2;
            for (std::size_t i = 0; i < 6; ++i)
                for (std::size_t k = 0; k < 6; ++k) {
                    CAPTURE(i);
                    CAPTURE(k);
                    CHECK(gradient->dx(i, k) == close_to(i == k ? 1 : 0, 2e-3));
                    CHECK(gradient->dx(i, 6 + k) == close_to(i == k ? kDt : 0, 2e-3));
                    CHECK(gradient->dx(6 + i, 6 + k) == close_to(i == k ? 1 : 0, 2e-3));
                    if (i < 3 && k < 3) CHECK(gradient->du(i, k) == close_to(i == k ? per_force : 0, 2e-4));
                }
        }
        SUBCASE("a box that slides, T-25: friction takes the same whatever the speed")
        {
            if (solver != "softstep") continue;  // where surfaces only touch, springs do not push yet
            auto b = ground(0.5);
            add_box(b, {{0, 0, 0.1}, {}}, {0.2, 0.2, 0.1}, 5);
            const model::Model m     = finalized(b);
            model::State       state = model::make_state(m);
            state.joint_qd[0]        = 5;
            const auto gradient      = gradient_of(b, state, model::make_control(m), solver, 8, found);
            REQUIRE(gradient);
            CHECK(gradient->dx(6, 6) == close_to(1, 0.01));
            CHECK(gradient->dx(0, 6) == close_to(kDt, 0.01 * kDt));
            // Across, friction turns with the velocity: of mu g dt = 0.0818 m/s the share v_y / v_x.
            CHECK(gradient->dx(7, 7) == close_to(1 - 0.5 * 9.81 * kDt / 5, 0.01));
        }
    }
}

TEST_CASE("a gradient says what does not fit, and a scene that cannot move has none")
{
    Diagnostics         found;
    model::ModelBuilder b    = unit_hinge(dof({0, 0, 1}));
    const auto          none = solvers::step_gradient(b, {}, {}, {}, found);
    REQUIRE(!none);
    CHECK(none.error().id == "SOLVER_STATE");
    const model::Model m = finalized(b);
    const auto unknown   = gradient_of(b, model::make_state(m), model::make_control(m), "no such solver", 8, found);
    REQUIRE(!unknown);
    CHECK(unknown.error().id == "SOLVER_UNKNOWN");

    model::ModelBuilder floor;
    floor.add_ground_plane();
    const model::Model still = finalized(floor);
    const auto empty = solvers::step_gradient(floor, model::make_state(still), model::make_control(still), {}, found);
    REQUIRE(empty);
    CHECK(empty->A.empty());
}
