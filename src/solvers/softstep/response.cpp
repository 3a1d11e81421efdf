#include <algorithm>
#include <cmath>
#include <span>

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

/// Y := M^-1 J^T of a closed group that is not whitened, in place, for `lanes` columns interleaved.
void respond(System& system, const Group& group, double* y, int lanes)
{
    if (lanes == 1)
        respond_lanes<1, 1>(system, group, y);
    else
        respond_lanes<4, 4>(system, group, y);
    if (group.row_count > 0) constrain(system, group, y, lanes);
}

/// x := sqrt(1/D) L^-T x over some dofs of a tree, with every dof all those above it.
template <int lanes>
void whiten_row(const System& system, const Tree& tree, const std::int32_t* dofs, std::int32_t count, double* x)
{
    const std::int32_t n = tree.dof_count();
    for (std::int32_t i = count - 1; i >= 0; --i) {
        const double* row =
            system.factored.data() + tree.matrix + static_cast<std::ptrdiff_t>(dofs[i] - tree.dof_begin) * n;
        double* at = x + static_cast<std::ptrdiff_t>(i) * lanes;
        // Between dofs of different branches L has zeros.
        for (std::int32_t k = 0; k < i; ++k) {
            const double factor = row[dofs[k] - tree.dof_begin];
            double*      above  = x + static_cast<std::ptrdiff_t>(k) * lanes;
            for (int l = 0; l < lanes; ++l) above[l] -= factor * at[l];
        }
        for (int l = 0; l < lanes; ++l) at[l] *= system.inverse_roots[dofs[i]];
    }
}

/// A locked dof (no mass, inverse root 0) keeps its velocity as it is, and rows do not touch it.
double root(double inverse_root) { return inverse_root > 0 ? 1 / inverse_root : 1; }

void whiten(const System& system, const Tree& tree, const double* v, double* u)
{
    const std::int32_t n = tree.dof_count();
    for (std::int32_t k = 0; k < n; ++k) {
        const double* row = system.factored.data() + tree.matrix + static_cast<std::ptrdiff_t>(k) * n;
        double        sum = v[k];
        for (std::int32_t g = system.forest.dof_parent[tree.dof_begin + k]; g >= 0; g = system.forest.dof_parent[g])
            sum += row[g - tree.dof_begin] * v[g - tree.dof_begin];
        u[k] = sum * root(system.inverse_roots[tree.dof_begin + k]);
    }
}

std::int32_t last_dof(const System& system, std::int32_t link)
{
    while (link >= 0 && system.forest.links[link].dofs == 0) link = system.forest.links[link].parent;
    return link < 0 ? -1 : system.forest.links[link].dof + system.forest.links[link].dofs - 1;
}

/// Dofs from the root to a link.
std::span<const std::int32_t> path_of(const System& system, std::int32_t link)
{
    const std::int32_t k = last_dof(system, link);
    if (k < 0) return {};
    return std::span(system.paths)
        .subspan(static_cast<std::size_t>(system.path_begin[k]),
                 static_cast<std::size_t>(system.path_begin[k + 1] - system.path_begin[k]));
}

}  // namespace

void begin_rows(System& system, const Group& group, bool both)
{
    const Motion& motion = system.motion;
    if (!group.whitened) {
        std::copy(motion.v.begin() + group.dof_begin, motion.v.begin() + group.dof_end,
                  system.u.begin() + group.dof_begin);
        return;
    }
    const Tree& tree = system.forest.trees[group.tree_begin];
    for (std::int32_t k = tree.dof_begin; both && k < tree.dof_end; ++k)
        system.inverse_roots[k] = std::sqrt(system.inverse_pivots[k]);
    whiten(system, tree, motion.v.data() + tree.dof_begin, system.u.data() + tree.dof_begin);
    if (!both) return;
    double* previous = system.previous_u.data() + tree.dof_begin;
    std::copy_n(previous, tree.dof_count(), system.scratch.data() + tree.dof_begin);
    whiten(system, tree, system.scratch.data() + tree.dof_begin, previous);
}

void end_rows(System& system, const Group& group)
{
    double* v = system.motion.v.data();
    if (!group.whitened) {
        std::copy(system.u.begin() + group.dof_begin, system.u.begin() + group.dof_end, v + group.dof_begin);
        return;
    }
    const Tree&        tree = system.forest.trees[group.tree_begin];
    const std::int32_t n    = tree.dof_count();
    for (std::int32_t k = 0; k < n; ++k) {
        const double* row = system.factored.data() + tree.matrix + static_cast<std::ptrdiff_t>(k) * n;
        double        sum = system.u[tree.dof_begin + k] / root(system.inverse_roots[tree.dof_begin + k]);
        for (std::int32_t g = system.forest.dof_parent[tree.dof_begin + k]; g >= 0; g = system.forest.dof_parent[g])
            sum -= row[g - tree.dof_begin] * v[g];
        v[tree.dof_begin + k] = sum;
    }
}

std::size_t most_dofs(const System& system, std::int32_t group, std::int32_t link0, std::int32_t link1)
{
    if (group < 0) return 0;
    if (!system.groups[group].whitened) return static_cast<std::size_t>(system.groups[group].dof_count());
    return path_of(system, link0).size() + path_of(system, link1).size();
}

std::int32_t* place_dofs(const System& system, std::int32_t group, std::int32_t link0, std::int32_t link1,
                         std::int32_t* storage, const std::int32_t*& dofs, std::int32_t& count)
{
    dofs  = nullptr;
    count = 0;
    if (group < 0) return storage;
    const Group& g = system.groups[group];
    if (!g.whitened) {
        dofs  = system.all_dofs.data() + g.dof_begin;
        count = g.dof_count();
        return storage;
    }
    const auto a = path_of(system, link0), b = path_of(system, link1);
    if (a.empty() || b.empty()) {
        dofs  = a.empty() ? b.data() : a.data();
        count = static_cast<std::int32_t>(a.size() + b.size());
        return storage;
    }
    std::int32_t* const end = std::set_union(a.begin(), a.end(), b.begin(), b.end(), storage);
    dofs                    = storage;
    count                   = static_cast<std::int32_t>(end - storage);
    return end;
}

void open_segment(System& system, Segments& at, int seat, int stride)
{
    std::fill_n(at.J[seat], static_cast<std::ptrdiff_t>(at.count[seat]) * stride, 0.0);
    for (std::int32_t k = 0; k < at.count[seat]; ++k) system.position[at.dofs[seat][k]] = k;
}

void close_segment(System& system, Segments& at, int seat, int lanes)
{
    const Group& group = system.groups[at.group[seat]];
    if (group.whitened) {
        const Tree& tree = system.forest.trees[group.tree_begin];
        if (lanes == 1)
            whiten_row<1>(system, tree, at.dofs[seat], at.count[seat], at.J[seat]);
        else
            whiten_row<4>(system, tree, at.dofs[seat], at.count[seat], at.J[seat]);
        at.Y[seat] = at.J[seat];
        return;
    }
    std::copy_n(at.J[seat], static_cast<std::ptrdiff_t>(at.count[seat]) * lanes, at.Y[seat]);
    respond(system, group, at.Y[seat], lanes);
}

double respond_dof(System& system, const Group& group, std::int32_t dof, DofRows& rows)
{
    std::fill_n(rows.Y, rows.count, 0.0);
    if (!group.whitened) {
        double& own = rows.Y[dof - group.dof_begin];
        own         = 1;
        respond(system, group, rows.Y, 1);
        return own;
    }
    rows.Y[rows.count - 1] = 1;  // the path ends with the dof
    whiten_row<1>(system, system.forest.trees[group.tree_begin], rows.dofs, rows.count, rows.Y);
    double w = 0;
    for (std::int32_t k = 0; k < rows.count; ++k) w += rows.Y[k] * rows.Y[k];
    return w;
}

void respond_open(System& system, const Group& group, double* y) { respond_lanes<1, 1>(system, group, y); }

void add_point_jacobian(const System& system, std::int32_t link, const Vec3d& p_W,
                        const std::array<Vec3d, 3>& directions, double sign, double* J)
{
    dynamics::visit_point_columns(system.forest, system.motion, link, p_W,
                                  [&](std::int32_t dof, const Vec3d& v, const Vec3d&) {
                                      double* at = J + static_cast<std::ptrdiff_t>(system.position[dof]) * 4;
                                      at[0] += sign * dot(directions[0], v);
                                      at[1] += sign * dot(directions[1], v);
                                      at[2] += sign * dot(directions[2], v);
                                  });
}

void add_turn_jacobian(const System& system, std::int32_t link, const std::array<Vec3d, 3>& directions, double sign,
                       double* J)
{
    dynamics::visit_point_columns(system.forest, system.motion, link, {},
                                  [&](std::int32_t dof, const Vec3d&, const Vec3d& w) {
                                      double* at = J + static_cast<std::ptrdiff_t>(system.position[dof]) * 4;
                                      for (std::size_t d = 0; d < 3; ++d) at[d] += sign * dot(directions[d], w);
                                  });
}

void add_row_jacobian(const System& system, std::int32_t link, const Vec3d& p_W, const Vec3d& direction,
                      const Vec3d& turn, double sign, double* J)
{
    dynamics::visit_point_columns(system.forest, system.motion, link, p_W,
                                  [&](std::int32_t dof, const Vec3d& v, const Vec3d& w) {
                                      J[system.position[dof]] += sign * (dot(direction, v) + dot(turn, w));
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
