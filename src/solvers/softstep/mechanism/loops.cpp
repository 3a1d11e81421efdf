// Loops of a group: bilateral rows of joints that close loops and of mimic relations, eliminated instead of iterated.
// Velocities are projected onto them, positions are pulled together, and every response is that of the closed
// mechanism.
// Rows are at the child's anchor, in axes of the parent's anchor; errors in m and rad.
//
//     A  = S J M^-1 J^T S + 1e-6 E                                 build_loops: Cholesky, in double
//     v := v - M^-1 J^T S A^-1 S (J v - target)                    project_velocity
//     q := q - M^-1 J^T S A^-1 S clamp(error, -+ kPushVelocity h)  close_loops
//     x := x - M^-1 J^T S A^-1 S J x                               constrain: every response x of the group
//
// J       rows of locked directions (6 less the dofs of a joint) and of mimic relations
// M       mass matrix of the open trees; E  identity
// S       scales, diagonal: unit response, but weak where hardly any dof moves a row
// target  minus the rate that prescribed bodies give the row; error  by how much the row is open; h  substep [s]
//
// Closed loops in joint coordinates: Featherstone 2008, chapter 8. docs/softstep_method.md, "Loops", explains S and the
// 1e-6.

#include <algorithm>
#include <cmath>

#include "solvers/softstep/mechanism/loops.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/parameters.h"

namespace mechane::solvers::softstep {

namespace {

/// Regularisation of the scaled system of loop rows, dimensionless. Redundant rows (a planar mechanism closed in space
/// has three) make it singular; authored frames that disagree by 1e-7 then move the mechanism by at most 1e-7 / (2
/// sqrt(1e-6)).
constexpr double kLoopRegularisation = 1e-6;

/// Up to two unit vectors that complete the given orthonormal directions; returns how many.
int complement(const Vec3d* given, int count, std::array<Vec3d, 3>& out)
{
    switch (count) {
        case 0:
            out = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
            return 3;
        case 1:
            out[0] = any_perpendicular(given[0]);
            out[1] = cross(given[0], out[0]);
            return 2;
        case 2:
            out[0] = normalized(cross(given[0], given[1]), Vec3d{0, 0, 1});
            return 1;
        default:
            return 0;
    }
}

/// Writes the rows of one loop joint, beginning at `row`.
struct RowWriter {
    Mechanism&   system;
    const Group& group;
    std::int32_t joint, parent, child;
    Vec3d        at;    ///< child anchor, world
    Quatd        q_WJ;  ///< parent anchor axes
    std::int32_t row;

    void add(const Vec3d& direction_J, bool angular, double error)
    {
        const auto  n   = static_cast<std::size_t>(group.dof_count());
        double*     J   = system.loop_J.data() + group.jacobian + static_cast<std::size_t>(row - group.row_begin) * n;
        const Vec3d u   = rotate(q_WJ, direction_J);
        const Vec3d lin = angular ? Vec3d{} : u, ang = angular ? u : Vec3d{};
        std::fill_n(J, n, 0.0);
        double prescribed = 0;
        for (const auto& [body, sign] : {std::pair{child, 1.0}, std::pair{parent, -1.0}}) {
            const std::int32_t link = body >= 0 ? system.forest.body_link[body] : -1;
            const double       s    = sign;
            // Columns of all dofs above the body, at the anchor.
            if (link >= 0)
                dynamics::visit_point_columns(system.forest, system.motion, link, at,
                                              [&](std::int32_t dof, const Vec3d& v, const Vec3d& w) {
                                                  J[dof - group.dof_begin] += s * (dot(lin, v) + dot(ang, w));
                                              });
            prescribed +=
                s * (dot(lin, prescribed_velocity(system, body, at)) + dot(ang, prescribed_spin(system, body)));
        }
        LoopRow& out = system.loop_rows[row++];
        out.angular  = angular;
        out.error    = error;
        // What prescribed bodies move is on the other side of the equation.
        out.target = -prescribed;
        out.axis   = u;
    }
};

void write_joint(Mechanism& system, const Group& group, std::int32_t j, std::int32_t& row)
{
    const model::Model&       m    = *system.model;
    const dynamics::JointAxes axes = dynamics::joint_axes(m, j);
    const Posed               X_WJ = body_pose(system, m.joint_parent[j]) * static_cast<Posed>(m.joint_X_p[j]);
    const Posed               X_WA = body_pose(system, m.joint_child[j]) * static_cast<Posed>(m.joint_X_c[j]);
    const Posed               X_JA = {inverse_times(X_WJ, X_WA.p), normalized(conjugate(X_WJ.q) * X_WA.q)};
    RowWriter                 out{system, group, j, m.joint_parent[j], m.joint_child[j], X_WA.p, X_WJ.q, row};
    std::array<Vec3d, 3>      locked;
    const int                 linear = complement(axes.axis.data(), axes.linear, locked);
    for (int k = 0; k < linear; ++k) out.add(locked[k], false, dot(locked[k], X_JA.p));
    if (axes.type != model::JointType::ball && axes.angular < 3) {
        const Vec3d* a = axes.axis.data() + axes.linear;
        if (axes.angular == 0) {
            const Vec3d turn = to_rotation_vector(X_JA.q);
            for (std::size_t k = 0; k < 3; ++k) out.add(axis_vector<double>(static_cast<int>(k)), true, turn[k]);
        } else if (axes.angular == 1) {
            // For small errors the cross product is the rotation vector across the axis.
            const Vec3d off = cross(a[0], rotate(X_JA.q, a[0]));
            complement(a, 1, locked);
            for (std::size_t k = 0; k < 2; ++k) out.add(locked[k], true, dot(locked[k], off));
        } else {
            // A universal joint keeps its first axis (in the parent) perpendicular to its second (in the child).
            const Vec3d carried = rotate(X_JA.q, a[1]);
            out.add(normalized(cross(carried, a[0]), Vec3d{0, 0, 1}), true, dot(a[0], carried));
        }
    }
    row = out.row;
}

void write_mimic(Mechanism& system, const Group& group, std::int32_t j, std::int32_t& row)
{
    const model::Model& m        = *system.model;
    const Link&         follower = system.forest.links[system.forest.joint_link[j]];
    const Link&         leader   = system.forest.links[system.forest.joint_link[m.joint_mimic_joint[j]]];
    if (follower.axes.type == model::JointType::ball) return;
    const auto   n  = static_cast<std::size_t>(group.dof_count());
    const double c0 = static_cast<double>(m.joint_mimic_coeffs[j][0]),
                 c1 = static_cast<double>(m.joint_mimic_coeffs[j][1]);
    for (std::int32_t k = 0; k < std::min(follower.dofs, leader.dofs); ++k) {
        double* J = system.loop_J.data() + group.jacobian + static_cast<std::size_t>(row - group.row_begin) * n;
        std::fill_n(J, n, 0.0);
        J[follower.dof + k - group.dof_begin] = 1;
        J[leader.dof + k - group.dof_begin] -= c1;
        LoopRow& out = system.loop_rows[row++];
        out.angular  = k >= follower.axes.linear;
        out.error    = system.motion.q[follower.coord + k] - c0 - c1 * system.motion.q[leader.coord + k];
        out.target   = 0;
    }
}

/// x := (S A S + eps)^-1 x for the factored matrix of a group.
/// Forward and back substitution with the Cholesky factor.
void solve_delassus(const Mechanism& system, const Group& group, double* x)
{
    const auto    m = static_cast<std::size_t>(group.row_count);
    const double* L = system.loop_A.data() + group.delassus;
    for (std::size_t i = 0; i < m; ++i) {
        double sum = x[i];
        for (std::size_t k = 0; k < i; ++k) sum -= L[i * m + k] * x[k];
        x[i] = sum / L[i * m + i];
    }
    for (std::size_t i = m; i-- > 0;) {
        double sum = x[i];
        for (std::size_t k = i + 1; k < m; ++k) sum -= L[k * m + i] * x[k];
        x[i] = sum / L[i * m + i];
    }
}

}  // namespace

void build_loops(Mechanism& system, const Group& group)
{
    std::int32_t row = group.row_begin;
    for (std::int32_t i = group.loop_begin; i < group.loop_end; ++i)
        write_joint(system, group, system.group_loops[i], row);
    for (std::int32_t i = group.mimic_begin; i < group.mimic_end; ++i)
        write_mimic(system, group, system.group_mimics[i], row);
    MCH_ASSERT(row == group.row_begin + group.row_count);

    const auto n = static_cast<std::size_t>(group.dof_count()), m = static_cast<std::size_t>(group.row_count);
    double*    J = system.loop_J.data() + group.jacobian;
    double*    Y = system.loop_Y.data() + group.jacobian;
    double*    A = system.loop_A.data() + group.delassus;
    std::copy_n(J, m * n, Y);
    // M^-1 J^T of the open trees.
    for (std::size_t i = 0; i < m; ++i) respond_open(system, group, Y + i * n);

    // Rows are scaled to a unit diagonal by their inverse mass, except that a row which hardly any dof can move (|J|^2
    // far below that of its kind) keeps its weakness: an error of authored frames there must not be paid for with large
    // motion.
    std::array<double, 2> strongest{};
    const auto            strength = [&](std::size_t i) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += J[i * n + k] * J[i * n + k];
        return sum;
    };
    for (std::size_t i = 0; i < m; ++i) {
        double& best = strongest[system.loop_rows[static_cast<std::size_t>(group.row_begin) + i].angular ? 1 : 0];
        best         = std::max(best, strength(i));
    }
    for (std::size_t i = 0; i < m; ++i) {
        LoopRow& r    = system.loop_rows[static_cast<std::size_t>(group.row_begin) + i];
        double   diag = 0;
        for (std::size_t k = 0; k < n; ++k) diag += J[i * n + k] * Y[i * n + k];
        const double s = strength(i), top = strongest[r.angular ? 1 : 0];
        r.scale = diag > 0 && s > 1e-20 ? std::sqrt(s / (top * diag)) : 0;
    }
    for (std::size_t i = 0; i < m; ++i) {
        const double si = system.loop_rows[static_cast<std::size_t>(group.row_begin) + i].scale;
        for (std::size_t k = 0; k <= i; ++k) {
            double sum = 0;
            for (std::size_t d = 0; d < n; ++d) sum += J[i * n + d] * Y[k * n + d];
            A[i * m + k] = sum * si * system.loop_rows[static_cast<std::size_t>(group.row_begin) + k].scale;
        }
        A[i * m + i] += kLoopRegularisation;
    }
    // Cholesky; the regularisation keeps every pivot positive.
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t k = 0; k <= i; ++k) {
            double sum = A[i * m + k];
            for (std::size_t l = 0; l < k; ++l) sum -= A[i * m + l] * A[k * m + l];
            A[i * m + k] = i == k ? std::sqrt(std::max(sum, 0.1 * kLoopRegularisation)) : sum / A[k * m + k];
        }
    }
}

/// x := x - M^-1 J^T S A^-1 S J x: the part of a response that the loops forbid is taken out.
void constrain(Mechanism& system, const Group& group, double* x, int lanes)
{
    const auto    n = static_cast<std::size_t>(group.dof_count()), m = static_cast<std::size_t>(group.row_count);
    const auto    stride = static_cast<std::size_t>(lanes);
    const double* J      = system.loop_J.data() + group.jacobian;
    const double* Y      = system.loop_Y.data() + group.jacobian;
    double*       z      = system.loop_x.data() + 4 * group.row_begin;
    for (std::size_t lane = 0; lane < (lanes == 1 ? 1u : 3u); ++lane) {
        for (std::size_t i = 0; i < m; ++i) {
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += J[i * n + k] * x[k * stride + lane];
            z[i] = sum * system.loop_rows[static_cast<std::size_t>(group.row_begin) + i].scale;
        }
        solve_delassus(system, group, z);
        for (std::size_t i = 0; i < m; ++i) {
            const double l = z[i] * system.loop_rows[static_cast<std::size_t>(group.row_begin) + i].scale;
            if (l == 0) continue;
            for (std::size_t k = 0; k < n; ++k) x[k * stride + lane] -= l * Y[i * n + k];
        }
    }
}

void project_velocity(Mechanism& system, const Group& group)
{
    const auto    n = static_cast<std::size_t>(group.dof_count()), m = static_cast<std::size_t>(group.row_count);
    const double* J = system.loop_J.data() + group.jacobian;
    const double* Y = system.loop_Y.data() + group.jacobian;
    double*       z = system.loop_x.data() + 4 * group.row_begin;
    double*       v = system.motion.v.data() + group.dof_begin;
    for (std::size_t i = 0; i < m; ++i) {
        const LoopRow& r   = system.loop_rows[static_cast<std::size_t>(group.row_begin) + i];
        double         sum = -r.target;
        for (std::size_t k = 0; k < n; ++k) sum += J[i * n + k] * v[k];
        z[i] = sum * r.scale;
    }
    solve_delassus(system, group, z);
    // The impulse of a row is summed for the joint's reaction.
    for (std::size_t i = 0; i < m; ++i) {
        LoopRow&     r = system.loop_rows[static_cast<std::size_t>(group.row_begin) + i];
        const double l = z[i] * r.scale;
        r.impulse -= l;
        for (std::size_t k = 0; k < n; ++k) v[k] -= l * Y[i * n + k];
    }
}

void add_loop_impulses(Mechanism& system, const Group& group, const double* x)
{
    const auto    n = static_cast<std::size_t>(group.dof_count()), m = static_cast<std::size_t>(group.row_count);
    const double* J = system.loop_J.data() + group.jacobian;
    double*       z = system.loop_x.data() + 4 * group.row_begin;
    for (std::size_t i = 0; i < m; ++i) {
        z[i] = 0;
        for (std::size_t k = 0; k < n; ++k) z[i] += J[i * n + k] * x[k];
        z[i] *= system.loop_rows[static_cast<std::size_t>(group.row_begin) + i].scale;
    }
    solve_delassus(system, group, z);
    for (std::size_t i = 0; i < m; ++i) {
        LoopRow& r = system.loop_rows[static_cast<std::size_t>(group.row_begin) + i];
        r.impulse -= z[i] * r.scale;
    }
}

double close_loops(Mechanism& system, const Group& group, double h)
{
    const auto     n = static_cast<std::size_t>(group.dof_count()), m = static_cast<std::size_t>(group.row_count);
    const double*  Y       = system.loop_Y.data() + group.jacobian;
    double*        z       = system.loop_x.data() + 4 * group.row_begin;
    double         largest = 0;
    const LoopRow* rows    = system.loop_rows.data() + group.row_begin;
    for (std::size_t i = 0, end = 0; i < m;) {
        double sum = 0;
        for (end = i; end < m && rows[end].joint == rows[i].joint && rows[end].angular == rows[i].angular; ++end) {
            largest = std::max(largest, std::abs(rows[end].error));
            sum += rows[end].error * rows[end].error;
        }
        // A mechanism that starts open is pulled together at the push velocity, not in one blow. The errors of one
        // joint shrink alike: the pull is along the gap, whatever the axes of the joint's frame.
        const double part = sum > 0 ? std::min(1.0, kPushVelocity * h / std::sqrt(sum)) : 1;
        for (; i < end; ++i) z[i] = part * rows[i].error * rows[i].scale;
    }
    if (!(largest > 1e-13)) return largest;
    solve_delassus(system, group, z);
    double* x = system.scratch.data() + group.dof_begin;
    std::fill_n(x, n, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
        const double l = z[i] * system.loop_rows[static_cast<std::size_t>(group.row_begin) + i].scale;
        for (std::size_t k = 0; k < n; ++k) x[k] -= l * Y[i * n + k];
    }
    // A position correction is a motion of one unit of time with the velocities x.
    for (std::int32_t t = group.tree_begin; t < group.tree_end; ++t) {
        dynamics::integrate(system.forest, system.forest.trees[t], system.scratch, 1, system.motion);
        dynamics::forward_kinematics(system.forest, system.forest.trees[t], system.motion);
    }
    return largest;
}

void loop_errors(const Mechanism& system, const Group& group, double& linear, double& angular)
{
    double       lin = 0, ang = 0;
    std::int32_t joint = -1;
    const auto   flush = [&] {
        linear  = std::max(linear, std::sqrt(lin));
        angular = std::max(angular, std::sqrt(ang));
        lin = ang = 0;
    };
    // Errors of one joint are added as vectors.
    for (std::int32_t r = group.row_begin; r < group.row_begin + group.row_count; ++r) {
        const LoopRow& row = system.loop_rows[r];
        if (row.joint != joint) flush();
        joint = row.joint;
        (row.angular ? ang : lin) += row.error * row.error;
    }
    flush();
}

}  // namespace mechane::solvers::softstep
