// The mass that stands behind a point of a body which joints hold, for contacts and attachments of particles.

#include "solvers/vbd/held_masses.h"

#include <utility>

namespace mechane::solvers::vbd {

namespace {
constexpr int kLanes = 4;  ///< of respond_articulated; three directions and one unused
}

void HeldMasses::read(const model::Model& model, std::vector<std::uint8_t> enabled)
{
    model_   = &model;
    enabled_ = std::move(enabled);
    forest_  = dynamics::build_forest(model, enabled_);
    motion_.resize(forest_, model.body_count());
    bodies_.resize(forest_);
    prepared_.assign(forest_.trees.size(), 0);
    diagonal_.assign(static_cast<std::size_t>(forest_.dof_count), 0);
}

void HeldMasses::begin(const model::Model& model, const model::State& state, double dt)
{
    model_ = &model;
    state_ = &state;
    dt_    = dt;
    prepared_.assign(forest_.trees.size(), 0);
}

bool HeldMasses::is_held(std::int32_t body) const
{
    const std::int32_t l = body < 0 ? -1 : forest_.body_link[static_cast<std::size_t>(body)];
    return l >= 0 && !forest_.trees[static_cast<std::size_t>(forest_.links[static_cast<std::size_t>(l)].tree)].single;
}

bool HeldMasses::is_welded(std::int32_t body) const
{
    const std::int32_t l = forest_.body_link[static_cast<std::size_t>(body)];
    return l < 0 || last_dof(l) < 0;
}

std::int32_t HeldMasses::last_dof(std::int32_t l) const
{
    for (std::int32_t at = l; at >= 0; at = forest_.links[static_cast<std::size_t>(at)].parent)
        if (const dynamics::Link& link = forest_.links[static_cast<std::size_t>(at)]; link.dofs > 0)
            return link.dof + link.dofs - 1;
    return -1;
}

void HeldMasses::prepare(const dynamics::Tree& tree)
{
    const model::Model& m = *model_;
    for (const std::int32_t body : forest_.prescribed) {
        const auto b        = static_cast<std::size_t>(body);
        motion_.base_X[b]   = static_cast<Posed>(state_->body_q[b]);
        motion_.base_X[b].q = normalized(motion_.base_X[b].q);
        motion_.base_com[b] = motion_.base_X[b] * static_cast<Vec3d>(m.body_com[b]);
    }
    dynamics::load(m, forest_, tree, state_->joint_q, state_->joint_qd, state_->body_q, state_->body_qd, {}, motion_);
    dynamics::forward_kinematics(forest_, tree, motion_);
    dynamics::turn_inertias(forest_, tree, motion_);
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) {
        const std::int32_t of = forest_.model_dof[static_cast<std::size_t>(k)];
        if (of < 0) continue;
        // An implicit step of ke, kd, stiffness and damping adds h d + h^2 k to the mass.
        const auto   d       = static_cast<std::size_t>(of);
        const double damping = static_cast<double>(m.joint_target_kd[d]) + static_cast<double>(m.joint_damping[d]);
        const double spring  = static_cast<double>(m.joint_target_ke[d]) + static_cast<double>(m.joint_stiffness[d]);
        diagonal_[static_cast<std::size_t>(k)] =
            static_cast<double>(m.joint_armature[d]) + dt_ * damping + dt_ * dt_ * spring;
    }
    dynamics::factor_articulated(forest_, tree, diagonal_, motion_, bodies_);
}

Mat33d HeldMasses::response(std::int32_t body, const Vec3d& p_W)
{
    const auto            l    = static_cast<std::size_t>(forest_.body_link[static_cast<std::size_t>(body)]);
    const auto            t    = static_cast<std::size_t>(forest_.links[l].tree);
    const dynamics::Tree& tree = forest_.trees[t];
    Mat33d                out{};
    const std::int32_t    last = last_dof(static_cast<std::int32_t>(l));
    if (last < 0) return out;
    if (prepared_[t] == 0) prepare(tree), prepared_[t] = 1;
    x_.assign(static_cast<std::size_t>(tree.dof_count()) * kLanes, 0);
    const Vec3d arm = p_W - motion_.reference[t];
    for (std::int32_t k = last; k >= 0; k = forest_.dof_parent[static_cast<std::size_t>(k)]) {
        const Spatiald& column = motion_.column[static_cast<std::size_t>(k)];
        const Vec3d     v      = column.linear + cross(column.angular, arm);
        double* const   row    = x_.data() + static_cast<std::ptrdiff_t>(k - tree.dof_begin) * kLanes;
        row[0] = v.x, row[1] = v.y, row[2] = v.z;
    }
    rows_ = x_;
    dynamics::respond_articulated(forest_, tree, motion_, bodies_, x_.data(), kLanes);
    for (std::int32_t k = last; k >= 0; k = forest_.dof_parent[static_cast<std::size_t>(k)]) {
        const auto at = static_cast<std::size_t>(k - tree.dof_begin) * kLanes;
        out += Mat33d::outer({rows_[at], rows_[at + 1], rows_[at + 2]}, {x_[at], x_[at + 1], x_[at + 2]});
    }
    return out;
}

}  // namespace mechane::solvers::vbd
