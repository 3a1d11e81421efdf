#include "system.h"

namespace mechane::solvers::softstep {

namespace {

template <int lanes, int stride>
void respond_lanes(System& system, const Group& group, double* y)
{
    const Forest& f = system.forest;
    for (std::int32_t t = group.tree_begin; t < group.tree_end; ++t) {
        const Tree& tree = f.trees[t];
        double*     x    = y + static_cast<std::ptrdiff_t>(tree.dof_begin - group.dof_begin) * stride;
        if (tree.single) {
            const double inverse_mass = f.links[tree.link_begin].mass > 0 ? 1 / f.links[tree.link_begin].mass : 0;
            for (int k = 0; k < 3 * stride; ++k) x[k] *= inverse_mass;
            for (int l = 0; l < lanes; ++l) {
                const Vec3d a =
                    system.inverse_inertia_W[t] * Vec3d{x[3 * stride + l], x[4 * stride + l], x[5 * stride + l]};
                x[3 * stride + l] = a.x;
                x[4 * stride + l] = a.y;
                x[5 * stride + l] = a.z;
            }
            continue;
        }
        if (tree.deep) {
            dynamics::respond_articulated(f, tree, system.motion, system.articulated, x, stride);
            continue;
        }
        const auto n = static_cast<std::size_t>(tree.dof_count());
        dynamics::solve_factored<lanes, stride>(
            f, tree, std::span<const double>(system.factored).subspan(static_cast<std::size_t>(tree.matrix), n * n),
            std::span<const double>(system.inverse_pivots).subspan(static_cast<std::size_t>(tree.dof_begin), n), x);
    }
}

}  // namespace

void respond_open(System& system, const Group& group, double* y) { respond_lanes<1, 1>(system, group, y); }

void respond(System& system, const Group& group, double* y, int lanes)
{
    if (lanes == 1)
        respond_lanes<1, 1>(system, group, y);
    else
        respond_lanes<4, 4>(system, group, y);
    if (group.row_count > 0) constrain(system, group, y, lanes);
}

void add_point_jacobian(const System& system, const Group& group, std::int32_t link, const Vec3d& p_W,
                        const std::array<Vec3d, 3>& directions, double sign, double* J)
{
    dynamics::visit_point_columns(system.forest, system.motion, link, p_W,
                                  [&](std::int32_t dof, const Vec3d& v, const Vec3d&) {
                                      double* at = J + static_cast<std::ptrdiff_t>(dof - group.dof_begin) * 4;
                                      at[0] += sign * dot(directions[0], v);
                                      at[1] += sign * dot(directions[1], v);
                                      at[2] += sign * dot(directions[2], v);
                                  });
}

void add_turn_jacobian(const System& system, const Group& group, std::int32_t link,
                       const std::array<Vec3d, 3>& directions, double sign, double* J)
{
    dynamics::visit_point_columns(system.forest, system.motion, link, {},
                                  [&](std::int32_t dof, const Vec3d&, const Vec3d& w) {
                                      double* at = J + static_cast<std::ptrdiff_t>(dof - group.dof_begin) * 4;
                                      for (std::size_t d = 0; d < 3; ++d) at[d] += sign * dot(directions[d], w);
                                  });
}

void add_row_jacobian(const System& system, const Group& group, std::int32_t link, const Vec3d& p_W,
                      const Vec3d& direction, const Vec3d& turn, double sign, double* J)
{
    dynamics::visit_point_columns(system.forest, system.motion, link, p_W,
                                  [&](std::int32_t dof, const Vec3d& v, const Vec3d& w) {
                                      J[dof - group.dof_begin] += sign * (dot(direction, v) + dot(turn, w));
                                  });
}

Vec3d prescribed_velocity(const System& system, std::int32_t body, const Vec3d& p_W)
{
    if (body < 0) return {};
    const Spatiald& twist = system.motion.base_twist[body];
    return twist.linear + cross(twist.angular, p_W - system.motion.base_com[body]);
}

Posed body_pose(const System& system, std::int32_t body)
{
    if (body < 0) return {};
    const std::int32_t link = system.forest.body_link[body];
    return link >= 0 ? system.motion.X_WB[link] : system.motion.base_X[body];
}

}  // namespace mechane::solvers::softstep
