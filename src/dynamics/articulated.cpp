#include "mechane/dynamics/articulated.h"

#include <algorithm>
#include <cmath>

#include "mechane/math/lanes.h"

namespace mechane::dynamics {

namespace {

/// Velocity of the reference point O and angular velocity, from those of the centre of mass.
Spatiald at_reference(const Spatiald& twist, const Vec3d& from, const Vec3d& reference)
{ return shift_twist(twist, reference - from); }

/// Spatial cross product of motion vectors about one fixed point: d/dt of a column that a frame with velocity v
/// carries.
Spatiald cross_motion(const Spatiald& v, const Spatiald& s)
{ return {cross(v.angular, s.linear) + cross(v.linear, s.angular), cross(v.angular, s.angular)}; }

Spatiald times(const Composite& c, const Spatiald& s)
{ return {c.m * s.linear + cross(s.angular, c.h), cross(c.h, s.linear) + c.I * s.angular}; }

}  // namespace

void Motion::resize(const Forest& forest, std::size_t bodies)
{
    const std::size_t links = forest.links.size(), dofs = static_cast<std::size_t>(forest.dof_count);
    q.assign(static_cast<std::size_t>(forest.coord_count), 0);
    v.assign(dofs, 0);
    X_WB.assign(links, {});
    R_WB.assign(links, Mat33d::identity());
    com_W.assign(links, {});
    I_W.assign(links, {});
    twist.assign(links, {});
    column.assign(dofs, {});
    link_velocity.assign(links, {});
    link_force.assign(links, {});
    link_acceleration.assign(links, {});
    composite.assign(links, {});
    momentum.assign(dofs, {});
    columns.assign(static_cast<std::size_t>(forest.block_count) * 6 * kLanes, 0);
    reference.assign(forest.trees.size(), {});
    base_X.assign(bodies, {});
    base_twist.assign(bodies, {});
    base_com.assign(bodies, {});
}

namespace {

/// The unit quaternion nearest to one that is nearly of unit length.
Quatd unit(const Quatd& q)
{
    const double n = std::sqrt(dot(q, q));
    if (!(n > 0) || !std::isfinite(n)) return {};
    const double scale = 1 / n;
    return {scale * q.x, scale * q.y, scale * q.z, scale * q.w};
}

void place_free(const Link& link, Motion& motion, std::size_t l)
{
    const double* q = motion.q.data() + link.coord;
    Posed&        X = motion.X_WB[l];
    X               = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
    motion.R_WB[l]  = to_matrix(X.q);
    motion.com_W[l] = X.p + motion.R_WB[l] * link.com;
    for (int k = 0; k < 3; ++k) {
        const Vec3d e                   = axis_vector<double>(k);
        motion.column[link.dof + k]     = {e, {}};
        motion.column[link.dof + 3 + k] = {{}, e};
    }
}

/// Places a link on the anchor in its parent; returns the child's anchor, which angular columns pivot about.
Vec3d place_on_joint(const Link& link, const Posed& X_WJ, Motion& motion, std::size_t l)
{
    const double* q      = motion.q.data() + link.coord;
    Spatiald*     column = motion.column.data() + link.dof;
    Vec3d         p      = X_WJ.p;
    Quatd         turn   = X_WJ.q;  // as the axes so far have carried it
    if (link.axes.type == model::JointType::ball) {
        for (std::size_t k = 0; k < 3; ++k) column[k] = {{}, rotate(X_WJ.q, link.axes.axis[k])};
        turn = turn * unit(Quatd{q[0], q[1], q[2], q[3]});
    } else {
        for (std::size_t k = 0; k < static_cast<std::size_t>(link.dofs); ++k) {
            const Vec3d a = rotate(turn, link.axes.axis[k]);
            if (k < static_cast<std::size_t>(link.axes.linear)) {
                column[k] = {a, {}};
                p += q[k] * a;
            } else {
                column[k] = {{}, a};
                turn      = turn * from_axis_angle(link.axes.axis[k], q[k]);
            }
        }
    }
    Posed& X        = motion.X_WB[l];
    X.q             = unit(turn * conjugate(link.X_CJ.q));
    motion.R_WB[l]  = to_matrix(X.q);
    X.p             = p - motion.R_WB[l] * link.X_CJ.p;
    motion.com_W[l] = X.p + motion.R_WB[l] * link.com;
    return p;
}

}  // namespace

void forward_kinematics(const Forest& forest, const Tree& tree, Motion& motion)
{
    Vec3d& reference = motion.reference[static_cast<std::size_t>(&tree - forest.trees.data())];
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        const auto  at   = static_cast<std::size_t>(l);
        Vec3d       pivot;
        if (link.free) {
            place_free(link, motion, at);
            pivot = motion.com_W[at];
        } else if (link.parent >= 0) {
            pivot = place_on_joint(link, motion.X_WB[link.parent] * link.X_PJ, motion, at);
        } else {
            pivot = place_on_joint(link, link.base >= 0 ? motion.base_X[link.base] * link.X_PJ : link.X_PJ, motion, at);
        }
        if (l == tree.link_begin) reference = motion.com_W[at];
        const Vec3d r = reference - pivot;
        for (std::int32_t k = link.dof + (link.free ? 3 : link.axes.linear); k < link.dof + link.dofs; ++k)
            motion.column[k].linear = cross(motion.column[k].angular, r);
    }
    update_velocities(forest, tree, motion);
}

void update_velocities(const Forest& forest, const Tree& tree, Motion& motion)
{
    const Vec3d O = motion.reference[static_cast<std::size_t>(&tree - forest.trees.data())];
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link&   link = forest.links[l];
        const double* rate = motion.v.data() + link.dof;
        if (link.free) {
            motion.twist[l]         = {{rate[0], rate[1], rate[2]}, {rate[3], rate[4], rate[5]}};
            motion.link_velocity[l] = at_reference(motion.twist[l], motion.com_W[l], O);
            continue;
        }
        Spatiald v;
        if (link.parent >= 0)
            v = motion.link_velocity[link.parent];
        else if (link.base >= 0)
            v = at_reference(motion.base_twist[link.base], motion.base_com[link.base], O);
        for (int k = 0; k < link.dofs; ++k) v += rate[k] * motion.column[link.dof + k];
        motion.link_velocity[l] = v;
        motion.twist[l]         = shift_twist(v, motion.com_W[l] - O);
    }
}

void turn_inertias(const Forest& forest, const Tree& tree, Motion& motion)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Mat33d& R  = motion.R_WB[l];
        const Mat33d  A  = R * forest.links[l].inertia;
        const double  xy = dot(A.r0, R.r1), xz = dot(A.r0, R.r2), yz = dot(A.r1, R.r2);
        motion.I_W[l] = {{dot(A.r0, R.r0), xy, xz}, {xy, dot(A.r1, R.r1), yz}, {xz, yz, dot(A.r2, R.r2)}};
    }
}

void inverse_dynamics(const Forest& forest, const Tree& tree, const Vec3d& gravity, std::span<const Spatiald> wrench,
                      const double* qdd, Motion& motion, std::span<double> tau)
{
    const std::size_t t = static_cast<std::size_t>(&tree - forest.trees.data());
    const Vec3d       O = motion.reference[t];
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        Spatiald    a;  // spatial acceleration about O, gravity taken out
        Spatiald    v;  // velocity of the frame that carries the next axis
        if (link.free) {
            // v_O = v_com - w x (com - O) with O fixed: holding (v_com, w) needs this apparent acceleration.
            const Spatiald& twist = motion.twist[l];
            a.linear              = cross(twist.linear, twist.angular);
            if (qdd)
                for (int k = 0; k < link.dofs; ++k)
                    a += qdd[link.dof - tree.dof_begin + k] * motion.column[link.dof + k];
        } else {
            if (link.parent >= 0) {
                a = motion.link_acceleration[link.parent];
                v = motion.link_velocity[link.parent];
            } else if (link.base >= 0) {
                // The base keeps its velocity: d/dt of v_O for a fixed point O of space.
                const Spatiald& twist = motion.base_twist[link.base];
                v                     = at_reference(twist, motion.base_com[link.base], O);
                a.linear              = cross(twist.linear, twist.angular);
            }
            const bool chain = link.axes.type != model::JointType::ball;  // a ball's axes are all carried by the parent
            for (int k = 0; k < link.dofs; ++k) {
                const Spatiald& s    = motion.column[link.dof + k];
                const double    rate = motion.v[link.dof + k];
                a += rate * cross_motion(v, s);
                if (chain) v += rate * s;
                if (qdd) a += qdd[link.dof - tree.dof_begin + k] * s;
            }
        }
        motion.link_acceleration[l] = a;
        const Vec3d&  w             = motion.twist[l].angular;
        const Vec3d   r             = motion.com_W[l] - O;
        const Vec3d   a_com         = a.linear + cross(a.angular, r) + cross(w, motion.twist[l].linear) - gravity;
        const Mat33d& I             = motion.I_W[l];
        Spatiald      f             = {link.mass * a_com, I * a.angular + cross(w, I * w)};
        if (!wrench.empty()) f -= wrench[static_cast<std::size_t>(l)];
        motion.link_force[l] = shift_wrench(f, -r);
    }
    for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
        const Link& link = forest.links[l];
        for (int k = 0; k < link.dofs; ++k)
            tau[static_cast<std::size_t>(link.dof - tree.dof_begin + k)] =
                dot(motion.column[link.dof + k], motion.link_force[l]);
        if (link.parent >= 0) motion.link_force[link.parent] += motion.link_force[l];
    }
}

namespace {

/// Paths of one tree for the loops over lanes.
struct Rows {
    const std::int32_t *block_begin, *blocks, *place;
    const std::uint8_t* on_path;

    explicit Rows(const Paths& paths)
        : block_begin(paths.block_begin.data()),
          blocks(paths.blocks.data()),
          place(paths.place.data()),
          on_path(paths.on_path.data())
    {
    }
    [[gnu::always_inline]] std::ptrdiff_t row(std::int32_t dof) const
    { return static_cast<std::ptrdiff_t>(kLanes) * block_begin[dof]; }
    [[gnu::always_inline]] std::int32_t count(std::int32_t dof) const
    { return block_begin[dof + 1] - block_begin[dof]; }
};

/// Rows of the mass matrix from the columns of a tree and the momentum of what moves with each dof.
MCH_WIDE void fill_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t dof_end, const double* columns,
                        const Spatiald* momentum, double* matrix)
{
    for (std::int32_t k = dof_begin; k < dof_end; ++k) {
        const Spatiald& p = momentum[k];
        for (std::int32_t b = rows.block_begin[k]; b < rows.block_begin[k + 1]; ++b) {
            const double* at = columns + 6 * rows.blocks[b];
            const Lanes   linear =
                (p.linear.x * lanes(at) + p.linear.y * lanes(at + kLanes)) + p.linear.z * lanes(at + 2 * kLanes);
            const Lanes angular = (p.angular.x * lanes(at + 3 * kLanes) + p.angular.y * lanes(at + 4 * kLanes)) +
                                  p.angular.z * lanes(at + 5 * kLanes);
            Lanes       row     = linear + angular;
            keep_lanes(row, rows.on_path[b]);
            lanes(matrix + kLanes * b) = row;
        }
    }
}

}  // namespace

void mass_matrix(const Forest& forest, const Tree& tree, const Paths& paths, Motion& motion, std::span<double> matrix)
{
    const std::size_t t       = static_cast<std::size_t>(&tree - forest.trees.data());
    double* const     columns = motion.columns.data() + static_cast<std::ptrdiff_t>(tree.block_begin) * 6 * kLanes;
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        const Vec3d r    = motion.com_W[l] - motion.reference[t];
        Composite&  c    = motion.composite[l];
        c.m              = link.mass;
        c.h              = link.mass * r;
        c.I              = motion.I_W[l] +
                           link.mass * (Mat33d::diagonal(Vec3d{dot(r, r), dot(r, r), dot(r, r)}) - Mat33d::outer(r, r));
        for (std::int32_t k = link.dof; k < link.dof + link.dofs && !tree.single; ++k) {
            const std::int32_t local = k - tree.dof_begin;
            double*            to    = columns + 6 * (local / kLanes * kLanes) + local % kLanes;
            const Spatiald&    s     = motion.column[k];
            to[0]                    = s.linear.x;
            to[kLanes]               = s.linear.y;
            to[2 * kLanes]           = s.linear.z;
            to[3 * kLanes]           = s.angular.x;
            to[4 * kLanes]           = s.angular.y;
            to[5 * kLanes]           = s.angular.z;
        }
    }
    for (std::int32_t l = tree.link_end - 1; l >= tree.link_begin; --l) {
        const Link&      link = forest.links[l];
        const Composite& c    = motion.composite[l];
        if (link.parent >= 0) {
            Composite& p = motion.composite[link.parent];
            p.m += c.m;
            p.h += c.h;
            p.I += c.I;
        }
        for (std::int32_t k = link.dof; k < link.dof + link.dofs; ++k) motion.momentum[k] = times(c, motion.column[k]);
    }
    if (tree.single) {  // has no columns side by side
        for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) {
            std::fill_n(matrix.data() + paths.row(k), paths.row(k + 1) - paths.row(k), 0.0);
            for (const std::int32_t i : paths.of(k))
                matrix[paths.row(k) + static_cast<std::size_t>(paths.place[i])] =
                    dot(motion.column[i], motion.momentum[k]);
        }
        return;
    }
    fill_rows(Rows(paths), tree.dof_begin, tree.dof_end, columns, motion.momentum.data(), matrix.data());
}

namespace {

/// The dofs of a tree from the last to the first. Behind the diagonal of a row stand numbers of the upper triangle
/// until its turn comes, which nothing reads.
MCH_WIDE int factor_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t dof_end, double* matrix,
                         double* inverse_pivots)
{
    int locked = 0;
    for (std::int32_t k = dof_begin; k < dof_end; ++k)
        inverse_pivots[k] = matrix[kLanes * rows.block_begin[k] + rows.place[k]];
    for (std::int32_t k = dof_end; k-- > dof_begin;) {
        double*      row      = matrix + static_cast<std::ptrdiff_t>(kLanes) * rows.block_begin[k];
        const double original = inverse_pivots[k], pivot = row[rows.place[k]];
        // Cancellation down to rounding means that the motion carries no mass of its own.
        const bool regular = pivot > 1e-11 * original && pivot > 1e-30;
        locked += regular ? 0 : 1;
        const double inverse       = regular ? 1 / pivot : 0;
        inverse_pivots[k]          = inverse;
        const std::int32_t  count  = rows.count(k);
        const std::int32_t* blocks = rows.blocks + rows.block_begin[k];
        const std::uint8_t* paths  = rows.on_path + rows.block_begin[k];
        const unsigned      others = paths[count - 1] & ~(1u << rows.place[k] % kLanes);
        for (std::int32_t b = 0; b < count; ++b) {
            const unsigned     above = b + 1 == count ? others : paths[b];
            const std::int32_t first = dof_begin + blocks[b];
            if (above == 15) {
                const Lanes a   = inverse * lanes(row + kLanes * b);
                double *    to0 = matrix + rows.row(first), *to1 = matrix + rows.row(first + 1),
                       *to2 = matrix + rows.row(first + 2), *to3 = matrix + rows.row(first + 3);
                for (std::int32_t c = 0; c < kLanes * (b + 1); c += kLanes) {
                    const Lanes from = lanes(row + c);
                    lanes(to0 + c) -= a[0] * from;
                    lanes(to1 + c) -= a[1] * from;
                    lanes(to2 + c) -= a[2] * from;
                    lanes(to3 + c) -= a[3] * from;
                }
                continue;
            }
            for (int i = 0; i < kLanes; ++i) {
                if (!(above >> i & 1u)) continue;
                const double a  = row[kLanes * b + i] * inverse;
                double*      to = matrix + rows.row(first + i);
                for (std::int32_t c = 0; c < kLanes * (b + 1); c += kLanes) lanes(to + c) -= a * lanes(row + c);
            }
        }
        for (std::int32_t b = 0; b < count; ++b) lanes(row + kLanes * b) *= inverse;
        keep_lanes(lanes(row + kLanes * (count - 1)), others);
    }
    return locked;
}

/// x := L^-T x in the block of `m` dofs from `first` on, and what it takes from the blocks before.
template <int m>
[[gnu::always_inline]] inline void solve_block_transposed(const Rows& rows, std::int32_t first, const double* factored,
                                                          double* x, double* xb)
{
    double        y[m];
    const double* row[m];
    for (int i = 0; i < m; ++i) {
        y[i]   = xb[i];
        row[i] = factored + static_cast<std::ptrdiff_t>(kLanes) * rows.block_begin[first + i];
    }
    for (int i = m - 1; i >= 0; --i) {
        const double* own = row[i] + kLanes * (rows.count(first + i) - 1);
        for (int k = 0; k < i; ++k) y[k] -= own[k] * y[i];
    }
    for (int i = 0; i < m; ++i) {
        xb[i] = y[i];
        if (y[i] == 0) continue;  // only the dofs above a load have one
        const std::int32_t* blocks = rows.blocks + rows.block_begin[first + i];
        const std::int32_t  before = rows.count(first + i) - 1;
        for (std::int32_t b = 0; b < before; ++b) lanes(x + blocks[b]) -= y[i] * lanes(row[i] + kLanes * b);
    }
}

/// x := L^-1 x in the same block, where the blocks before are done.
template <int m>
[[gnu::always_inline]] inline void solve_one_block(const Rows& rows, std::int32_t first, const double* factored,
                                                   const double* x, double* xb)
{
    double y[kLanes] = {};
    for (int i = 0; i < kLanes; ++i) y[i] = xb[i];
    for (int i = 0; i < m; ++i) {
        const double*       row    = factored + static_cast<std::ptrdiff_t>(kLanes) * rows.block_begin[first + i];
        const std::int32_t* blocks = rows.blocks + rows.block_begin[first + i];
        const std::int32_t  before = rows.count(first + i) - 1;
        Lanes               four{};
        for (std::int32_t b = 0; b < before; ++b, row += kLanes) four += lanes(row) * lanes(x + blocks[b]);
        y[i] -= sum(four);
        for (int k = 0; k < i; ++k) y[i] -= row[k] * y[k];
    }
    lanes(xb) = Lanes{y[0], y[1], y[2], y[3]};  // as a whole: what is written one by one is slow to read as lanes
}

[[gnu::always_inline]] inline void solve_lower(const Rows& rows, std::int32_t dof_begin, std::int32_t count,
                                               const double* factored, double* x)
{
    std::int32_t i = 0;
    for (; i + kLanes <= count; i += kLanes) solve_one_block<kLanes>(rows, dof_begin + i, factored, x, x + i);
    switch (count - i) {
        case 1:
            return solve_one_block<1>(rows, dof_begin + i, factored, x, x + i);
        case 2:
            return solve_one_block<2>(rows, dof_begin + i, factored, x, x + i);
        case 3:
            return solve_one_block<3>(rows, dof_begin + i, factored, x, x + i);
        default:
            return;
    }
}

MCH_WIDE void solve_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t count, const double* factored,
                         const double* inverse_pivots, double* x)
{
    std::int32_t i = count / kLanes * kLanes;
    switch (count - i) {
        case 1:
            solve_block_transposed<1>(rows, dof_begin + i, factored, x, x + i);
            break;
        case 2:
            solve_block_transposed<2>(rows, dof_begin + i, factored, x, x + i);
            break;
        case 3:
            solve_block_transposed<3>(rows, dof_begin + i, factored, x, x + i);
            break;
        default:
            break;
    }
    for (; i > 0; i -= kLanes)
        solve_block_transposed<kLanes>(rows, dof_begin + i - kLanes, factored, x, x + i - kLanes);
    for (std::int32_t k = 0; k < count; ++k) x[k] *= inverse_pivots[k];
    solve_lower(rows, dof_begin, count, factored, x);
}

MCH_WIDE void solve_lower_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t count, const double* factored,
                               double* x)
{ solve_lower(rows, dof_begin, count, factored, x); }

MCH_WIDE void multiply_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t count, const double* factored,
                            const double* v, double* y)
{
    for (std::int32_t k = 0; k < count; ++k) {
        Lanes four{};
        for (std::int32_t b = rows.block_begin[dof_begin + k]; b < rows.block_begin[dof_begin + k + 1]; ++b)
            four += lanes(factored + static_cast<std::ptrdiff_t>(kLanes) * b) * lanes(v + rows.blocks[b]);
        y[k] = v[k] + sum(four);
    }
}

}  // namespace

int factor(const Tree& tree, const Paths& paths, std::span<double> matrix, std::span<double> inverse_pivots)
{ return factor_rows(Rows(paths), tree.dof_begin, tree.dof_end, matrix.data(), inverse_pivots.data()); }

void solve_factored(const Tree& tree, const Paths& paths, std::span<const double> factored,
                    std::span<const double> inverse_pivots, double* x)
{
    solve_rows(Rows(paths), tree.dof_begin, tree.dof_count(), factored.data(), inverse_pivots.data() + tree.dof_begin,
               x);
}

void multiply_unit(const Tree& tree, const Paths& paths, std::span<const double> factored, const double* v, double* y)
{ multiply_rows(Rows(paths), tree.dof_begin, tree.dof_count(), factored.data(), v, y); }

void solve_unit(const Tree& tree, const Paths& paths, std::span<const double> factored, double* x)
{ solve_lower_rows(Rows(paths), tree.dof_begin, tree.dof_count(), factored.data(), x); }

void integrate(const Forest& forest, const Tree& tree, std::span<const double> v, double h, Motion& motion)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link&   link = forest.links[l];
        double*       q    = motion.q.data() + link.coord;
        const double* rate = v.data() + link.dof;
        if (link.free) {
            const Quatd old = {q[3], q[4], q[5], q[6]};
            const Quatd now = normalized(from_rotation_vector(h * Vec3d{rate[3], rate[4], rate[5]}) * old);
            // The centre of mass moves in a straight line; the frame's origin follows it.
            const Vec3d p = Vec3d{q[0], q[1], q[2]} + h * Vec3d{rate[0], rate[1], rate[2]} +
                            (rotate(old, link.com) - rotate(now, link.com));
            q[0]          = p.x;
            q[1]          = p.y;
            q[2]          = p.z;
            q[3]          = now.x;
            q[4]          = now.y;
            q[5]          = now.z;
            q[6]          = now.w;
        } else if (link.axes.type == model::JointType::ball) {
            const Quatd now =
                normalized(from_rotation_vector(h * Vec3d{rate[0], rate[1], rate[2]}) * Quatd{q[0], q[1], q[2], q[3]});
            q[0] = now.x;
            q[1] = now.y;
            q[2] = now.z;
            q[3] = now.w;
        } else {
            for (int k = 0; k < link.dofs; ++k) q[k] += h * rate[k];
        }
    }
}

void load(const model::Model& model, const Forest& forest, const Tree& tree, std::span<const Real> joint_q,
          std::span<const Real> joint_qd, std::span<const Pose> body_q, std::span<const Spatial> body_qd,
          std::span<const std::uint8_t> body_wins, Motion& motion)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = forest.links[l];
        double*     q    = motion.q.data() + link.coord;
        double*     v    = motion.v.data() + link.dof;
        const auto  body = static_cast<std::size_t>(link.body);
        const auto  j    = static_cast<std::size_t>(link.joint);
        if (!link.free) {
            const Real* from = joint_q.data() + model.joint_q_start[j];
            for (int k = 0; k < link.coords; ++k) q[k] = static_cast<double>(from[k]);
            if (link.axes.type == model::JointType::ball) {
                const Quatd unit = normalized(Quatd{q[0], q[1], q[2], q[3]});
                q[0]             = unit.x;
                q[1]             = unit.y;
                q[2]             = unit.z;
                q[3]             = unit.w;
            }
            for (int k = 0; k < link.dofs; ++k)
                v[k] = static_cast<double>(joint_qd[static_cast<std::size_t>(model.joint_qd_start[j] + k)]);
            continue;
        }
        Posed    X;
        Spatiald twist;
        if (link.from_body || (!body_wins.empty() && body_wins[body])) {
            X     = static_cast<Posed>(body_q[body]);
            twist = static_cast<Spatiald>(body_qd[body]);
        } else {
            const JointMotion jm = [&] {
                std::array<double, 7> coords{};
                for (std::size_t k = 0; k < 7; ++k)
                    coords[k] = static_cast<double>(joint_q[static_cast<std::size_t>(model.joint_q_start[j]) + k]);
                return joint_motion(link.axes, coords);
            }();
            const Real* rate = joint_qd.data() + model.joint_qd_start[j];
            X                = link.X_PJ * jm.X_PC * inverse(link.X_CJ);
            twist            = {rotate(link.X_PJ.q, Vec3d{static_cast<double>(rate[0]), static_cast<double>(rate[1]),
                                                          static_cast<double>(rate[2])}),
                                rotate(link.X_PJ.q, Vec3d{static_cast<double>(rate[3]), static_cast<double>(rate[4]),
                                                          static_cast<double>(rate[5])})};
        }
        X.q  = normalized(X.q);
        q[0] = X.p.x;
        q[1] = X.p.y;
        q[2] = X.p.z;
        q[3] = X.q.x;
        q[4] = X.q.y;
        q[5] = X.q.z;
        q[6] = X.q.w;
        v[0] = twist.linear.x;
        v[1] = twist.linear.y;
        v[2] = twist.linear.z;
        v[3] = twist.angular.x;
        v[4] = twist.angular.y;
        v[5] = twist.angular.z;
    }
}

}  // namespace mechane::dynamics
