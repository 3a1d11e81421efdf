// Jacobians and mass matrices of articulations as Newton lays them out: arrays [articulation, rows, columns] filled up
// with zeros, six rows a joint in the order of joints.
// Rows are velocity of the child's centre of mass [m/s] and angular velocity [rad/s] in world axes, per unit of the
// model's joint_qd.

#include "mechane/dynamics/articulation_arrays.h"

#include <fmt/format.h>

#include "mechane/dynamics/codes.h"
#include "mechane/dynamics/mass_matrix.h"
#include "mechane/model/belongs.h"

namespace mechane::dynamics {

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
    JointSpace space(model);
    space.set_state(state);
    const Forest& f = space.forest();
    for (std::size_t a = 0; a < count; ++a) {
        if (!mask.empty() && !mask[a]) continue;
        const std::int32_t begin = model.articulation_start[a], end = model.articulation_end[a];
        const std::int32_t dof0 = model.joint_qd_start[static_cast<std::size_t>(begin)];
        for (std::int32_t j = begin; j < end; ++j) {
            const std::int32_t l = f.joint_link[static_cast<std::size_t>(j)];
            if (l < 0) continue;
            double* block = out.values.data() + (a * out.rows + 6 * static_cast<std::size_t>(j - begin)) * out.columns;
            // Only dofs between the link and the root of its articulation move it.
            for (std::int32_t at = l; at >= 0; at = f.links[static_cast<std::size_t>(at)].parent) {
                const Link& link = f.links[static_cast<std::size_t>(at)];
                if (link.joint < begin || link.joint >= end) continue;
                const auto         joint = static_cast<std::size_t>(link.joint);
                const std::int32_t above = model.joint_parent[joint];
                const Quatd        X_p   = static_cast<Quatd>(model.joint_X_p[joint].q);
                const Quatd        anchor =
                    above < 0 ? X_p : static_cast<Quatd>(state.body_q[static_cast<std::size_t>(above)].q) * X_p;
                const Vec3d r = space.motion().com_W[static_cast<std::size_t>(l)] -
                                space.motion().com_W[static_cast<std::size_t>(at)];
                for (std::int32_t k = 0; k < link.dofs; ++k) {
                    Spatiald s;
                    if (link.free) {  // rates of a free joint are along the axes of its parent anchor
                        const Vec3d e = rotate(anchor, axis_vector<double>(k % 3));
                        s             = k < 3 ? Spatiald{e, {}} : Spatiald{cross(e, r), e};
                    } else {
                        const Spatiald& c = space.motion().column[static_cast<std::size_t>(link.dof + k)];
                        // Columns are about the tree's reference point; the Jacobian wants the centre of mass.
                        s = shift_twist(c, space.motion().com_W[static_cast<std::size_t>(l)] -
                                               space.motion().reference[static_cast<std::size_t>(link.tree)]);
                    }
                    const auto column =
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
