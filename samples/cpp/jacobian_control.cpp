// A robot arm whose hand follows a point: task-space control with the Jacobian, the forces that hold the arm, and
// inverse kinematics for the check. Shows Dynamics beside Simulation::on_step.
#include <mechane/simulation.h>

#include <cmath>
#include <cstdio>

using namespace mechane;

int main()
{
    ModelBuilder builder;
    const BodyId upper = builder.add_link({.position = {0.25, 0, 1}, .label = "upper"});
    const BodyId lower = builder.add_link({.position = {0.75, 0, 1}, .label = "lower"});
    for (const BodyId link : {upper, lower})
        builder.add_capsule(link, {.radius      = 0.04,
                                   .half_height = 0.2,
                                   .rotation    = {0, std::sqrt(0.5), 0, std::sqrt(0.5)},
                                   .surface     = {.collides = false}});
    const JointId shoulder = builder.add_revolute(kWorld, upper,
                                                  {.parent_anchor = {0, 0, 1},
                                                   .child_anchor  = {-0.25, 0, 0},
                                                   .axis          = {0, 1, 0},
                                                   .label         = "shoulder",
                                                   .position      = 0.3});
    const JointId elbow    = builder.add_revolute(
        upper, lower,
        {.parent_anchor = {0.25, 0, 0}, .child_anchor = {-0.25, 0, 0}, .axis = {0, 1, 0}, .label = "elbow", .position = 0.8});
    const JointId arm[] = {shoulder, elbow};
    builder.add_robot(arm, "arm");
    const auto model = builder.finalize().expect();

    Simulation  sim(model, {.dt = 1e-3});
    Dynamics    dynamics(model);
    const Vec3d tip{0.25, 0, 0}, wanted{0.6, 0, 0.8};
    const auto  dofs = model->dofs();
    sim.on_step([&](const State& state, Control& control) {
        dynamics.at(state);
        const auto  hold = dynamics.inverse_dynamics().expect();  // against gravity and what moves
        double      force[2]{hold[0], hold[1]};
        const auto  J = dynamics.jacobian(lower, tip).expect();
        const Vec3d at = static_cast<Vec3d>(state.pose(lower) * static_cast<Vec3>(tip));
        Vec3d       v;
        for (std::size_t k = 0; k < dofs.size(); ++k)
            for (std::size_t i = 0; i < 3; ++i) v[i] += J(i, k) * static_cast<double>(state.velocity(dofs[k]));
        const Vec3d f = 60.0 * (wanted - at) - 12.0 * v;
        for (std::size_t k = 0; k < dofs.size(); ++k) {
            for (std::size_t i = 0; i < 3; ++i) force[k] += J(i, k) * f[i];
            control.force(dofs[k]) = static_cast<Real>(force[k]);
        }
    });
    sim.run_for(3).expect();

    const Vec3d at      = static_cast<Vec3d>(sim.pose(lower) * static_cast<Vec3>(tip));
    const Goal  goals[] = {{.body = lower, .point = tip, .position = wanted}};
    const auto  found   = dynamics.inverse_kinematics(sim.state(), goals).expect();
    std::printf("the hand is %.1f mm from where it should be\n", 1e3 * length(at - wanted));
    std::printf("inverse kinematics comes within %.3f mm\n", 1e3 * found.position_error);
    return length(at - wanted) < 2e-3 && found.solved ? 0 : 1;
}
