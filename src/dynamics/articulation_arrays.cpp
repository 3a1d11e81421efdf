// Jacobians and mass matrices of articulations as Newton lays them out: arrays [articulation, rows, columns] filled up
// with zeros, six rows a joint in the order of joints.
// Rows are velocity of the child's centre of mass [m/s] and angular velocity [rad/s] in world axes, per unit of the
// model's joint_qd, with bodies where the state's body_q has them.

#include "mechane/dynamics/articulation_arrays.h"

#include <fmt/format.h>

#include "mechane/dynamics/codes.h"
#include "mechane/dynamics/forest.h"
#include "mechane/dynamics/joint_motion.h"
#include "mechane/model/belongs.h"

namespace mechane::dynamics {

namespace {

Posed pose_of(const model::State& state, std::int32_t body)
{
    if (body < 0) return {};
    Posed X = static_cast<Posed>(state.body_q[static_cast<std::size_t>(body)]);
    X.q     = normalized(X.q);
    return X;
}

Vec3d centre_of(const model::Model& model, const model::State& state, std::int32_t body)
{ return pose_of(state, body) * static_cast<Vec3d>(model.body_com[static_cast<std::size_t>(body)]); }

/// How the dofs of one joint move what hangs on it, world axes: directions, linear before angular, and the point that
/// the angular ones turn about. Bodies stand where `body_q` has them. Only the axes of a joint of several dofs, each
/// of which is carried by those before it, need its coordinates.
struct WorldAxes {
    JointAxes            axes;
    std::array<Vec3d, 6> direction;
    Vec3d                pivot;

    WorldAxes(const model::Model& model, const model::State& state, std::int32_t joint) : axes(joint_axes(model, joint))
    {
        const auto            j      = static_cast<std::size_t>(joint);
        Posed                 anchor = pose_of(state, model.joint_parent[j]) * static_cast<Posed>(model.joint_X_p[j]);
        std::array<double, 7> q{};
        for (std::size_t k = 0; k < static_cast<std::size_t>(axes.coords); ++k)
            q[k] = static_cast<double>(state.joint_q[static_cast<std::size_t>(model.joint_q_start[j]) + k]);
        const JointMotion motion = joint_motion(axes, q);
        for (std::size_t k = 0; k < direction.size(); ++k) direction[k] = rotate(anchor.q, motion.column[k]);
        // A joint of three linear and three angular rates turns its child about the child's centre of mass.
        pivot = axes.free_like()                      ? centre_of(model, state, model.joint_child[j])
                : axes.type == model::JointType::ball ? anchor.p
                                                      : anchor * motion.X_PC.p;
    }

    /// Twist at the point `p` per unit rate of dof k.
    [[nodiscard]] Spatiald at(std::int32_t k, const Vec3d& p) const
    {
        const Vec3d& e = direction[static_cast<std::size_t>(k)];
        return k < axes.linear ? Spatiald{e, {}} : Spatiald{cross(e, p - pivot), e};
    }
};

}  // namespace

Result<ArticulationArray> eval_jacobian(const model::Model& model, const model::State& state,
                                        std::span<const std::uint8_t> mask)
{
    if (!model::fits(model, state))
        return make_diagnostic(kSize, {.property = "state"}, "the state's arrays do not have the sizes of the model");
    const std::size_t count = model.articulation_count();
    if (!mask.empty() && mask.size() != count)
        return make_diagnostic(kSelection, {},
                               fmt::format("the mask has {} flags, the model {} articulations", mask.size(), count));
    ArticulationArray out;
    out.rows    = 6 * static_cast<std::size_t>(model.max_joints_per_articulation);
    out.columns = static_cast<std::size_t>(model.max_dofs_per_articulation);
    out.values.assign(count * out.rows * out.columns, 0);
    const Forest f = build_forest(model);
    for (std::size_t a = 0; a < count; ++a) {
        if (!mask.empty() && !mask[a]) continue;
        const std::int32_t     begin = model.articulation_start[a], end = model.articulation_end[a];
        const std::int32_t     dof0 = model.joint_qd_start[static_cast<std::size_t>(begin)];
        std::vector<WorldAxes> joints;
        joints.reserve(static_cast<std::size_t>(end - begin));
        for (std::int32_t j = begin; j < end; ++j) joints.emplace_back(model, state, j);
        for (std::int32_t j = begin; j < end; ++j) {
            const std::int32_t l = f.joint_link[static_cast<std::size_t>(j)];
            if (l < 0) continue;
            const Vec3d p = centre_of(model, state, model.joint_child[static_cast<std::size_t>(j)]);
            double* block = out.values.data() + (a * out.rows + 6 * static_cast<std::size_t>(j - begin)) * out.columns;
            // Only dofs between the link and the root of its articulation move it.
            for (std::int32_t at = l; at >= 0; at = f.links[static_cast<std::size_t>(at)].parent) {
                const Link& link = f.links[static_cast<std::size_t>(at)];
                if (link.joint < begin || link.joint >= end) continue;
                const WorldAxes& moved = joints[static_cast<std::size_t>(link.joint - begin)];
                for (std::int32_t k = 0; k < link.dofs; ++k) {
                    const Spatiald s = moved.at(k, p);
                    const auto     column =
                        static_cast<std::size_t>(model.joint_qd_start[static_cast<std::size_t>(link.joint)] + k - dof0);
                    for (std::size_t i = 0; i < 3; ++i) {
                        block[i * out.columns + column]       = s.linear[i];
                        block[(3 + i) * out.columns + column] = s.angular[i];
                    }
                }
            }
        }
    }
    return out;
}

/// M = sum over bodies of J^T diag(m, I) J plus the armature: the definition, and independent of the recursions that
/// JointSpace uses.
Result<ArticulationArray> eval_mass_matrix(const model::Model& model, const model::State& state,
                                           std::span<const std::uint8_t> mask)
{
    auto jacobians = eval_jacobian(model, state, mask);
    if (!jacobians) return jacobians.error();
    const ArticulationArray& J = *jacobians;
    ArticulationArray        out;
    out.rows = out.columns = J.columns;
    out.values.assign(model.articulation_count() * out.rows * out.columns, 0);
    for (std::size_t a = 0; a < model.articulation_count(); ++a) {
        if (!mask.empty() && !mask[a]) continue;
        const std::int32_t begin = model.articulation_start[a], end = model.articulation_end[a];
        double*            M = out.values.data() + a * out.rows * out.columns;
        for (std::int32_t j = begin; j < end; ++j) {
            const auto   body = static_cast<std::size_t>(model.joint_child[static_cast<std::size_t>(j)]);
            const Quatd  q    = static_cast<Posed>(state.body_q[body]).q;
            const Mat33d R    = to_matrix(normalized(q));
            const Mat33d I    = R * static_cast<Mat33d>(model.body_inertia[body]) * transpose(R);
            const double m    = static_cast<double>(model.body_mass[body]);
            const auto   row  = 6 * static_cast<std::size_t>(j - begin);
            const auto   v    = [&](std::size_t k) {
                return Vec3d{J.at(a, row, k), J.at(a, row + 1, k), J.at(a, row + 2, k)};
            };
            const auto w = [&](std::size_t k) {
                return Vec3d{J.at(a, row + 3, k), J.at(a, row + 4, k), J.at(a, row + 5, k)};
            };
            for (std::size_t k = 0; k < out.columns; ++k) {
                const Vec3d p = m * v(k), L = I * w(k);
                for (std::size_t i = 0; i < out.columns; ++i) M[i * out.columns + k] += dot(v(i), p) + dot(w(i), L);
            }
        }
        const auto dof0 = static_cast<std::size_t>(model.joint_qd_start[static_cast<std::size_t>(begin)]);
        const auto dofs = static_cast<std::size_t>(model.joint_qd_start[static_cast<std::size_t>(end)]) - dof0;
        for (std::size_t k = 0; k < dofs; ++k)
            M[k * out.columns + k] += static_cast<double>(model.joint_armature[dof0 + k]);
    }
    return out;
}

}  // namespace mechane::dynamics
