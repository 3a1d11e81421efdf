#include "mechane/dynamics/mass_matrix.h"

#include <algorithm>

namespace mechane::dynamics {

JointSpace::JointSpace(const model::Model& model) : model_(&model), forest_(build_forest(model))
{
    motion_.resize(forest_, model.body_count());
    armature_.assign(static_cast<std::size_t>(forest_.dof_count), 0);
    for (std::size_t k = 0; k < armature_.size(); ++k)
        if (forest_.model_dof[k] >= 0) armature_[k] = static_cast<double>(model.joint_armature[forest_.model_dof[k]]);
}

void JointSpace::set_state(const model::State& state)
{
    for (const std::int32_t b : forest_.prescribed) {
        motion_.base_X[b]     = static_cast<Posed>(state.body_q[b]);
        motion_.base_X[b].q   = normalized(motion_.base_X[b].q);
        motion_.base_twist[b] = static_cast<Spatiald>(state.body_qd[b]);
        motion_.base_com[b]   = motion_.base_X[b] * static_cast<Vec3d>(model_->body_com[b]);
    }
    for (const Tree& tree : forest_.trees)
        load(*model_, forest_, tree, state.joint_q, state.joint_qd, state.body_q, state.body_qd, {}, motion_);
    update();
}

void JointSpace::update()
{
    for (const Tree& tree : forest_.trees) forward_kinematics(forest_, tree, motion_);
}

std::vector<double> JointSpace::mass_matrix(std::int32_t t, bool armature)
{
    const Tree&         tree = forest_.trees[t];
    const auto          n    = static_cast<std::size_t>(tree.dof_count());
    std::vector<double> m(n * n);
    dynamics::mass_matrix(forest_, tree, motion_, m);
    for (std::size_t i = 0; i < n; ++i) {
        if (armature) m[i * n + i] += armature_[tree.dof_begin + i];
        for (std::size_t k = 0; k < i; ++k) m[k * n + i] = m[i * n + k];
    }
    return m;
}

std::vector<double> JointSpace::inverse_dynamics(std::int32_t t, std::span<const double> qdd)
{
    const Tree&         tree = forest_.trees[t];
    std::vector<double> tau(static_cast<std::size_t>(tree.dof_count()));
    dynamics::inverse_dynamics(forest_, tree, static_cast<Vec3d>(model_->gravity_of(tree.world)), {},
                               qdd.empty() ? nullptr : qdd.data(), motion_, tau);
    if (!qdd.empty())
        for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += armature_[tree.dof_begin + k] * qdd[k];
    return tau;
}

std::vector<double> JointSpace::gravity_force(std::int32_t t)
{
    const Tree&               tree = forest_.trees[t];
    const std::vector<double> v(motion_.v.begin() + tree.dof_begin, motion_.v.begin() + tree.dof_end);
    std::fill(motion_.v.begin() + tree.dof_begin, motion_.v.begin() + tree.dof_end, 0.0);
    forward_kinematics(forest_, tree, motion_);
    std::vector<double> tau = inverse_dynamics(t, {});
    std::copy(v.begin(), v.end(), motion_.v.begin() + tree.dof_begin);
    forward_kinematics(forest_, tree, motion_);
    return tau;
}

std::vector<double> JointSpace::coriolis_force(std::int32_t t)
{
    std::vector<double> tau(static_cast<std::size_t>(forest_.trees[t].dof_count()));
    dynamics::inverse_dynamics(forest_, forest_.trees[t], {}, {}, nullptr, motion_, tau);
    return tau;
}

std::vector<double> JointSpace::forward_dynamics(std::int32_t t, std::span<const double> tau)
{
    const Tree&         tree = forest_.trees[t];
    std::vector<double> m    = mass_matrix(t);
    std::vector<double> pivots(static_cast<std::size_t>(tree.dof_count()));
    factor(forest_, tree, m, pivots);
    std::vector<double> qdd = inverse_dynamics(t, {});
    for (std::size_t k = 0; k < qdd.size(); ++k) qdd[k] = tau[k] - qdd[k];
    solve_factored<1>(forest_, tree, m, pivots, qdd.data());
    return qdd;
}

std::vector<double> JointSpace::jacobian(std::int32_t link) const
{
    const Tree&         tree = forest_.trees[forest_.links[link].tree];
    const auto          n    = static_cast<std::size_t>(tree.dof_count());
    std::vector<double> J(6 * n, 0.0);
    visit_point_columns(forest_, motion_, link, motion_.com_W[link],
                        [&](std::int32_t dof, const Vec3d& v, const Vec3d& w) {
                            const auto k = static_cast<std::size_t>(dof - tree.dof_begin);
                            for (std::size_t i = 0; i < 3; ++i) {
                                J[i * n + k]       = v[i];
                                J[(3 + i) * n + k] = w[i];
                            }
                        });
    return J;
}

}  // namespace mechane::dynamics
