// JointSpace: mass matrix, inverse and forward dynamics, wrenches, accelerations, centroidal momentum and Jacobians of
// one tree at a time, over articulated.cpp and forward_dynamics.cpp.
// Vectors are in the order of the tree's dofs; free roots have rates in world axes. Units are SI.

#include "mechane/dynamics/mass_matrix.h"

#include <algorithm>

#include "mechane/core/failure.h"
#include "mechane/model/belongs.h"

namespace mechane::dynamics {

JointSpace::JointSpace(const model::Model& model)
    : model_(&model), forest_(build_forest(model)), paths_(list_paths(forest_, true)), rows_(paths_.size())
{
    motion_.resize(forest_, model.body_count());
    bodies_.resize(forest_);
    armature_.assign(static_cast<std::size_t>(forest_.dof_count), 0);
    for (std::size_t k = 0; k < armature_.size(); ++k)
        if (forest_.model_dof[k] >= 0) armature_[k] = static_cast<double>(model.joint_armature[forest_.model_dof[k]]);
}

const Tree& JointSpace::tree_of(std::int32_t tree) const
{
    MCH_REQUIRE(tree >= 0 && static_cast<std::size_t>(tree) < forest_.trees.size(), "JointSpace", "tree",
                "the index of a tree of the forest");
    return forest_.trees[static_cast<std::size_t>(tree)];
}

const Tree& JointSpace::tree_of(std::int32_t t, std::span<const double> vector, const char* name) const
{
    const Tree& tree = tree_of(t);
    MCH_REQUIRE(vector.size() == static_cast<std::size_t>(tree.dof_count()), "JointSpace", name,
                "an entry for each dof of the tree");
    return tree;
}

void JointSpace::require_wrenches(std::span<const Spatiald> wrench) const
{
    MCH_REQUIRE(wrench.empty() || wrench.size() == forest_.links.size(), "JointSpace", "wrench",
                "none, or an entry for each link of the forest");
}

void JointSpace::set_state(const model::State& state)
{
    MCH_REQUIRE(model::fits(*model_, state), "JointSpace::set_state", "state", "a state of the model");
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
    for (const Tree& tree : forest_.trees) {
        forward_kinematics(forest_, tree, motion_);
        turn_inertias(forest_, tree, motion_);
    }
}

void JointSpace::find_rows(const Tree& tree, bool armature)
{
    dynamics::mass_matrix(forest_, tree, paths_, motion_, rows_);
    for (std::int32_t k = tree.dof_begin; armature && k < tree.dof_end; ++k) rows_[paths_.diagonal(k)] += armature_[k];
}

std::vector<double> JointSpace::mass_matrix(std::int32_t t, bool armature)
{
    const Tree&         tree = tree_of(t);
    const auto          n    = static_cast<std::size_t>(tree.dof_count());
    std::vector<double> m(n * n);
    // Only entries on the way to the root are computed; the rest of the dense matrix stays zero.
    find_rows(tree, armature);
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) {
        const auto path = paths_.of(k);
        for (const std::int32_t i : path) {
            const auto row   = static_cast<std::size_t>(k - tree.dof_begin),
                       col   = static_cast<std::size_t>(i - tree.dof_begin);
            m[row * n + col] = m[col * n + row] = rows_[paths_.row(k) + static_cast<std::size_t>(paths_.place[i])];
        }
    }
    return m;
}

std::vector<double> JointSpace::inverse_dynamics(std::int32_t t, std::span<const double> qdd)
{
    const Tree&         tree = qdd.empty() ? tree_of(t) : tree_of(t, qdd, "qdd");
    std::vector<double> tau(static_cast<std::size_t>(tree.dof_count()));
    dynamics::inverse_dynamics(forest_, tree, static_cast<Vec3d>(model_->gravity_of(tree.world)), {},
                               qdd.empty() ? nullptr : qdd.data(), motion_, tau);
    if (!qdd.empty())
        for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += armature_[tree.dof_begin + k] * qdd[k];
    return tau;
}

/// Inverse dynamics at rest; the rates are put back afterwards.
std::vector<double> JointSpace::gravity_force(std::int32_t t)
{
    const Tree&               tree = tree_of(t);
    const std::vector<double> v(motion_.v.begin() + tree.dof_begin, motion_.v.begin() + tree.dof_end);
    std::fill(motion_.v.begin() + tree.dof_begin, motion_.v.begin() + tree.dof_end, 0.0);
    update_velocities(forest_, tree, motion_);
    std::vector<double> tau = inverse_dynamics(t, {});
    std::copy(v.begin(), v.end(), motion_.v.begin() + tree.dof_begin);
    update_velocities(forest_, tree, motion_);
    return tau;
}

/// The same without gravity and acceleration.
std::vector<double> JointSpace::coriolis_force(std::int32_t t)
{
    std::vector<double> tau(static_cast<std::size_t>(tree_of(t).dof_count()));
    dynamics::inverse_dynamics(forest_, forest_.trees[t], {}, {}, nullptr, motion_, tau);
    return tau;
}

std::vector<double> JointSpace::forward_dynamics(std::int32_t t, std::span<const double> tau)
{
    const Tree&         tree = tree_of(t, tau, "tau");
    std::vector<double> pivots(static_cast<std::size_t>(forest_.dof_count));
    find_rows(tree, true);
    factor(tree, paths_, rows_, pivots);
    std::vector<double> qdd = inverse_dynamics(t, {});
    for (std::size_t k = 0; k < qdd.size(); ++k) qdd[k] = tau[k] - qdd[k];
    // The solver of rows reads whole blocks of four.
    qdd.resize(static_cast<std::size_t>(kLanes * tree.block_count()));
    solve_factored(tree, paths_, rows_, pivots, qdd.data());
    qdd.resize(static_cast<std::size_t>(tree.dof_count()));
    return qdd;
}

std::vector<double> JointSpace::articulated_dynamics(std::int32_t t, std::span<const double> tau,
                                                     std::span<const Spatiald> wrench)
{
    const Tree&         tree = tree_of(t, tau, "tau");
    require_wrenches(wrench);
    std::vector<double> qdd(static_cast<std::size_t>(tree.dof_count()));
    articulated_body_algorithm(forest_, tree, static_cast<Vec3d>(model_->gravity_of(tree.world)), wrench, tau,
                               armature_, motion_, bodies_, qdd);
    return qdd;
}

/// What each joint transmits to its link: the forces of the second pass of Newton-Euler, moved to the link's centre of
/// mass.
std::vector<Spatiald> JointSpace::joint_wrenches(std::int32_t t, std::span<const double> qdd,
                                                 std::span<const Spatiald> wrench)
{
    const Tree&         tree = qdd.empty() ? tree_of(t) : tree_of(t, qdd, "qdd");
    require_wrenches(wrench);
    std::vector<double> tau(static_cast<std::size_t>(tree.dof_count()));
    dynamics::inverse_dynamics(forest_, tree, static_cast<Vec3d>(model_->gravity_of(tree.world)), wrench,
                               qdd.empty() ? nullptr : qdd.data(), motion_, tau);
    std::vector<Spatiald> out;
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l)
        out.push_back(shift_wrench(motion_.link_force[l], motion_.com_W[l] - motion_.reference[t]));
    return out;
}

/// Spatial accelerations differ from those of the centre of mass by w x v (Featherstone 2008, 2.10).
std::vector<Spatiald> JointSpace::accelerations(std::int32_t t, std::span<const double> qdd)
{
    const Tree&         tree = qdd.empty() ? tree_of(t) : tree_of(t, qdd, "qdd");
    std::vector<double> tau(static_cast<std::size_t>(tree.dof_count()));
    dynamics::inverse_dynamics(forest_, tree, {}, {}, qdd.empty() ? nullptr : qdd.data(), motion_, tau);
    std::vector<Spatiald> out;
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Spatiald& a = motion_.link_acceleration[l];
        const Vec3d     r = motion_.com_W[l] - motion_.reference[t];
        out.push_back(
            {a.linear + cross(a.angular, r) + cross(motion_.twist[l].angular, motion_.twist[l].linear), a.angular});
    }
    return out;
}

Centroidal JointSpace::centroidal(std::int32_t t)
{
    const Tree& tree = tree_of(t);
    const auto  n    = static_cast<std::size_t>(tree.dof_count());
    Centroidal  c;
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const double m = forest_.links[l].mass;
        c.mass += m;
        c.com += m * motion_.com_W[l];
    }
    if (c.mass > 0) c.com = c.com / c.mass;
    // After the mass matrix each link holds the composite inertia of all that hangs on it, about the reference point.
    find_rows(tree, false);
    c.matrix.assign(6 * n, 0);
    for (std::size_t k = 0; k < n; ++k) {
        const Composite& all = motion_.composite[forest_.dof_link[tree.dof_begin + static_cast<std::int32_t>(k)]];
        const Spatiald&  s   = motion_.column[tree.dof_begin + static_cast<std::int32_t>(k)];
        // Momentum of the composite body per unit rate, moved to the centre of mass: a column of the centroidal
        // momentum matrix (Orin, Goswami 2008).
        const Spatiald   h   = shift_wrench(
            Spatiald{all.m * s.linear + cross(s.angular, all.h), cross(all.h, s.linear) + all.I * s.angular},
            c.com - motion_.reference[t]);
        const double v = motion_.v[tree.dof_begin + static_cast<std::int32_t>(k)];
        c.linear += v * h.linear;
        c.angular += v * h.angular;
        for (std::size_t i = 0; i < 3; ++i) {
            c.matrix[i * n + k]       = h.linear[i];
            c.matrix[(3 + i) * n + k] = h.angular[i];
        }
    }
    if (c.mass > 0) c.com_velocity = c.linear / c.mass;
    return c;
}

namespace {

void require_link(const Forest& forest, std::int32_t link)
{
    MCH_REQUIRE(link >= 0 && static_cast<std::size_t>(link) < forest.links.size(), "JointSpace::jacobian", "link",
                "the index of a link of the forest");
}

}  // namespace

std::vector<double> JointSpace::jacobian(std::int32_t link) const
{
    require_link(forest_, link);
    return jacobian(link, forest_.links[link].com);
}

std::vector<double> JointSpace::jacobian(std::int32_t link, const Vec3d& p_B) const
{
    require_link(forest_, link);
    const Tree&         tree = forest_.trees[forest_.links[link].tree];
    const auto          n    = static_cast<std::size_t>(tree.dof_count());
    std::vector<double> J(6 * n, 0.0);
    visit_point_columns(forest_, motion_, link, motion_.X_WB[link] * p_B,
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
