// Recursions over one tree of bodies and the sparse factorisation of its mass matrix (Featherstone 2008, chapters 3, 5
// and 6).
// Notation: spatial vectors are (linear, angular), in world axes, about the reference point O of the tree. `column` is
// the motion subspace S of a dof, M the mass matrix, qdd the accelerations, tau the generalised forces.
// The recursions themselves are templates of recursions.h; OneTree gives them the numbers of one tree, four_trees.cpp
// those of four in lanes. Both run the same operations in the same order, so the bits agree.
// All numbers are double; nothing here allocates.

#include "mechane/dynamics/articulated.h"

#include <algorithm>
#include <cmath>

#include "mechane/math/simd.h"
#include "recursions.h"

namespace mechane::dynamics {

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

/// One tree, whose numbers lie in Motion.
struct OneTree {
    using Number = double;

    const Forest&             forest;
    const Tree&               tree;
    Motion&                   motion;
    std::span<const Spatiald> wrench;
    const double*             qdd = nullptr;  ///< of the tree's dofs
    std::span<double>         tau;            ///< of the tree's dofs

    [[nodiscard]] double                    coordinate(std::int32_t c) const { return motion.q[c]; }
    [[nodiscard]] double                    rate(std::int32_t k) const { return motion.v[k]; }
    [[nodiscard]] std::pair<double, double> half_turn(const Link& link, int k) const
    { return {std::sin(motion.q[link.coord + k] / 2), std::cos(motion.q[link.coord + k] / 2)}; }
    [[nodiscard]] double acceleration_of_dof(std::int32_t k) const { return qdd[k - tree.dof_begin]; }

    [[nodiscard]] Posed root_anchor(const Link& link) const
    { return link.base >= 0 ? motion.base_X[link.base] * link.X_PJ : link.X_PJ; }
    [[nodiscard]] Spatiald base_velocity(const Link& link) const
    {
        if (link.base < 0) return {};
        return at_reference(motion.base_twist[link.base], motion.base_com[link.base], reference());
    }
    // A prescribed base moves on uniformly: only the centripetal term of its velocity about O remains.
    [[nodiscard]] Vec3d base_acceleration(const Link& link) const
    {
        if (link.base < 0) return {};
        return cross(motion.base_twist[link.base].linear, motion.base_twist[link.base].angular);
    }
    void take_wrench(std::int32_t l, Spatiald& f) const
    {
        if (!wrench.empty()) f -= wrench[static_cast<std::size_t>(l)];
    }

    [[nodiscard]] Vec3d& reference() const
    { return motion.reference[static_cast<std::size_t>(&tree - forest.trees.data())]; }
    [[nodiscard]] Posed&     pose(std::int32_t l) const { return motion.X_WB[l]; }
    [[nodiscard]] Mat33d&    turn(std::int32_t l) const { return motion.R_WB[l]; }
    [[nodiscard]] Vec3d&     com(std::int32_t l) const { return motion.com_W[l]; }
    [[nodiscard]] Mat33d&    inertia(std::int32_t l) const { return motion.I_W[l]; }
    [[nodiscard]] Spatiald&  twist(std::int32_t l) const { return motion.twist[l]; }
    [[nodiscard]] Spatiald&  velocity(std::int32_t l) const { return motion.link_velocity[l]; }
    [[nodiscard]] Spatiald&  acceleration(std::int32_t l) const { return motion.link_acceleration[l]; }
    [[nodiscard]] Spatiald&  force(std::int32_t l) const { return motion.link_force[l]; }
    [[nodiscard]] Composite& composite(std::int32_t l) const { return motion.composite[l]; }
    [[nodiscard]] Spatiald&  column(std::int32_t k) const { return motion.column[k]; }
    [[nodiscard]] Spatiald&  momentum(std::int32_t k) const { return motion.momentum[k]; }
    [[nodiscard]] double&    load(std::int32_t k) const { return tau[static_cast<std::size_t>(k - tree.dof_begin)]; }
};

}  // namespace

[[gnu::flatten]] MCH_CLONES_AVX2 void forward_kinematics(const Forest& forest, const Tree& tree, Motion& motion)
{
    const OneTree one{forest, tree, motion, {}, nullptr, {}};
    place_links(forest, tree, one);
}

/// Velocities alone, for callers that change rates and not coordinates.
[[gnu::flatten]] MCH_CLONES_AVX2 void update_velocities(const Forest& forest, const Tree& tree, Motion& motion)
{
    const OneTree one{forest, tree, motion, {}, nullptr, {}};
    find_velocities(forest, tree, one);
}

[[gnu::flatten]] MCH_CLONES_AVX2 void turn_inertias(const Forest& forest, const Tree& tree, Motion& motion)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l)
        motion.I_W[l] = turned(forest.links[l].inertia, motion.R_WB[l]);
}

/// Recursive Newton-Euler (Featherstone 2008, 5.3). Without qdd the result is the bias: gravity, Coriolis and
/// centrifugal forces, less the given wrenches.
[[gnu::flatten]] MCH_CLONES_AVX2 void inverse_dynamics(const Forest& forest, const Tree& tree, const Vec3d& gravity,
                                                       std::span<const Spatiald> wrench, const double* qdd,
                                                       Motion& motion, std::span<double> tau)
{
    const OneTree one{forest, tree, motion, wrench, qdd, tau};
    find_forces(forest, tree, gravity, qdd != nullptr, one);
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
/// Composite rigid bodies (Featherstone 2008, 6.2): M(k, i) = S_i . (I_k S_k) for the dofs i on the way from k to the
/// root; all other entries are zero and not stored.
MCH_CLONES_AVX2 void fill_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t dof_end, const double* columns,
                               const Spatiald* momentum, double* matrix)
{
    for (std::int32_t k = dof_begin; k < dof_end; ++k) {
        const Spatiald& p = momentum[k];
        for (std::int32_t b = rows.block_begin[k]; b < rows.block_begin[k + 1]; ++b) {
            const double* at = columns + 6 * rows.blocks[b];
            const Lanes   linear =
                (p.linear.x * lanes(at) + p.linear.y * lanes(at + kLanes)) + p.linear.z * lanes(at + 2 * kLanes);
            const Lanes angular        = (p.angular.x * lanes(at + 3 * kLanes) + p.angular.y * lanes(at + 4 * kLanes)) +
                                         p.angular.z * lanes(at + 5 * kLanes);
            Lanes       row            = linear + angular;
            row                        = keep_lanes(row, rows.on_path[b]);
            lanes(matrix + kLanes * b) = row;
        }
    }
}

}  // namespace

[[gnu::flatten]] MCH_CLONES_AVX2 void mass_matrix(const Forest& forest, const Tree& tree, const Paths& paths,
                                                  Motion& motion, std::span<double> matrix)
{
    const OneTree one{forest, tree, motion, {}, nullptr, {}};
    find_momenta(forest, tree, one);
    if (tree.single) {  // has no columns side by side
        for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) {
            std::fill_n(matrix.data() + paths.row(k), paths.row(k + 1) - paths.row(k), 0.0);
            for (const std::int32_t i : paths.of(k))
                matrix[paths.row(k) + static_cast<std::size_t>(paths.place[i])] =
                    dot(motion.column[i], motion.momentum[k]);
        }
        return;
    }
    double* const columns = motion.columns.data() + static_cast<std::ptrdiff_t>(tree.block_begin) * 6 * kLanes;
    for (std::int32_t k = 0; k < tree.dof_count(); ++k) {
        // The columns of four dofs lie side by side, so that one product gives four entries of a row.
        double*         to = columns + 6 * (k / kLanes * kLanes) + k % kLanes;
        const Spatiald& s  = motion.column[tree.dof_begin + k];
        to[0]              = s.linear.x;
        to[kLanes]         = s.linear.y;
        to[2 * kLanes]     = s.linear.z;
        to[3 * kLanes]     = s.angular.x;
        to[4 * kLanes]     = s.angular.y;
        to[5 * kLanes]     = s.angular.z;
    }
    fill_rows(Rows(paths), tree.dof_begin, tree.dof_end, columns, motion.momentum.data(), matrix.data());
}

void rigid_momentum(const Forest& forest, const Tree& tree, const Spatiald& v, Motion& motion, std::span<double> p)
{
    const OneTree one{forest, tree, motion, {}, nullptr, {}};
    find_momenta(forest, tree, one);
    // The inertia of what a dof moves is symmetric: column . (I v) = (I column) . v.
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
        p[static_cast<std::size_t>(k - tree.dof_begin)] = dot(motion.momentum[k], v);
}

namespace {

/// The dofs of a tree from the last to the first. Behind the diagonal of a row stand numbers of the upper triangle
/// until its turn comes, which nothing reads.
/// M = L^T D L with a unit lower L (Featherstone 2008, 8.3): no entry is filled in that the tree does not have already.
/// Row k is used up before the rows above it, hence from the last dof to the first.
MCH_CLONES_AVX2 int factor_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t dof_end, double* matrix,
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
            // The dofs of block b that lie above k; in the last block without k itself.
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
        // The row becomes a row of L: divided by its pivot, the diagonal itself left out.
        for (std::int32_t b = 0; b < count; ++b) lanes(row + kLanes * b) *= inverse;
        lanes(row + kLanes * (count - 1)) = keep_lanes(lanes(row + kLanes * (count - 1)), others);
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
/// Blocks before are products of lanes; within the block the triangle is solved by scalars.
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

/// M x = b in three steps: L^T, then D, then L. The dofs of the last, partial block come first.
MCH_CLONES_AVX2 void solve_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t count, const double* factored,
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

MCH_CLONES_AVX2 void solve_lower_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t count,
                                      const double* factored, double* x)
{ solve_lower(rows, dof_begin, count, factored, x); }

/// y = L v with the unit diagonal.
MCH_CLONES_AVX2 void multiply_rows(const Rows& rows, std::int32_t dof_begin, std::int32_t count, const double* factored,
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

[[gnu::flatten]] MCH_CLONES_AVX2 void integrate(const Forest& forest, const Tree& tree, std::span<const double> v,
                                                double h, Motion& motion)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link&   link = forest.links[l];
        double*       q    = motion.q.data() + link.coord;
        const double* rate = v.data() + link.dof;
        if (link.free) {
            const Quatd old = {q[3], q[4], q[5], q[6]};
            // The exponential map of h w, in world axes, from the left: exact for constant angular velocity.
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

[[gnu::flatten]] MCH_CLONES_AVX2 void load(const model::Model& model, const Forest& forest, const Tree& tree,
                                           std::span<const Real> joint_q, std::span<const Real> joint_qd,
                                           std::span<const Pose> body_q, std::span<const Spatial> body_qd,
                                           // Coordinates of the forest from those of the model. A root link carries its
                                           // pose and its twist in the world; `body_wins` says that the body's own
                                           // state is newer than the joint's.
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
            // Pose from the joint's coordinates: parent anchor, joint, inverse of the child's anchor.
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
