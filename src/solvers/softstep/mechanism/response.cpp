// Whitened coordinates and rows over them: u = sqrt(D) L v with M = L^T D L. A row J becomes Z = D^(-1/2) L^(-T) J^T;
// its rate is Z . u and an impulse l adds l Z.
// Groups with loops and deep trees keep plain coordinates; their responses come from factors or recursions. Arrays hold
// blocks of four dofs on the way to the root only (dynamics/paths.h).

#include <algorithm>
#include <cmath>
#include <span>

#include "solvers/softstep/contact/contact_rows.h"
#include "solvers/softstep/contact/rolling.h"
#include "solvers/softstep/mechanism/loops.h"
#include "solvers/softstep/mechanism/response.h"

namespace mechane::solvers::softstep {

namespace {

/// M^-1 x of each tree of a group, for one or four interleaved columns.
template <int lanes, int stride>
void respond_lanes(Mechanism& system, const Group& group, double* y)
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
        dynamics::solve_factored<lanes, stride>(tree, system.paths, system.factored, system.inverse_pivots, x);
    }
}

/// Y := M^-1 J^T of a closed group that is not whitened, in place, for `lanes` columns interleaved.
void respond(Mechanism& system, const Group& group, double* y, int lanes)
{
    if (lanes == 1)
        respond_lanes<1, 1>(system, group, y);
    else
        respond_lanes<4, 4>(system, group, y);
    if (group.row_count > 0) constrain(system, group, y, lanes);
}

/// Rows of dynamics::Paths as the loops over lanes see them.
struct DofTable {
    const std::int32_t *block_begin, *blocks, *place;
    const std::uint8_t* on_path;

    explicit DofTable(const dynamics::Paths& paths)
        : block_begin(paths.block_begin.data()),
          blocks(paths.blocks.data()),
          place(paths.place.data()),
          on_path(paths.on_path.data())
    {
    }
    [[gnu::always_inline]] std::ptrdiff_t of(std::int32_t dof) const
    { return static_cast<std::ptrdiff_t>(kLanes) * block_begin[dof]; }
};

/// x := sqrt(1/D) L^-T e_k for each dof k of a tree, in the layout of the rows: what is left of a dof after those above
/// it, whose own have been made before. `roots`: whole blocks of the tree.
/// From the root on: row k is its own unit less L(k, i) times the rows of the dofs i above.
MCH_CLONES_AVX2 void whiten_dofs(const DofTable& rows, std::int32_t dof_begin, std::int32_t dof_end,
                                 const double* factored, const double* roots, double* x)
{
    for (std::int32_t k = dof_begin; k < dof_end; ++k) {
        const std::int32_t* blocks = rows.blocks + rows.block_begin[k];
        const std::int32_t  count  = rows.block_begin[k + 1] - rows.block_begin[k];
        const double*       L      = factored + rows.of(k);
        double*             to     = x + rows.of(k);
        const unsigned      own    = 1u << rows.place[k] % kLanes;
        for (std::int32_t b = 0; b < count; ++b) lanes(to + kLanes * b) = Lanes{};
        for (std::int32_t b = 0; b < count; ++b) {
            const unsigned     above = rows.on_path[rows.block_begin[k] + b] & ~(b + 1 == count ? own : 0u);
            const std::int32_t first = dof_begin + blocks[b];
            const double*      a     = L + kLanes * b;
            if (above == 15) {
                const double *x0 = x + rows.of(first), *x1 = x + rows.of(first + 1), *x2 = x + rows.of(first + 2),
                             *x3 = x + rows.of(first + 3);
                for (std::int32_t c = 0; c < kLanes * (b + 1); c += kLanes)
                    lanes(to + c) -=
                        (a[0] * lanes(x0 + c) + a[1] * lanes(x1 + c)) + (a[2] * lanes(x2 + c) + a[3] * lanes(x3 + c));
                continue;
            }
            for (int i = 0; i < kLanes; ++i) {
                if (!(above >> i & 1u)) continue;
                const double* from = x + rows.of(first + i);
                for (std::int32_t c = 0; c < kLanes * (b + 1); c += kLanes) lanes(to + c) -= a[i] * lanes(from + c);
            }
        }
        Lanes one = lanes(roots + blocks[count - 1]);
        one       = keep_lanes(one, own);
        lanes(to + kLanes * (count - 1)) += one;
    }
}

/// Rates of a tree's dofs from its whitened velocities.
MCH_CLONES_AVX2 void read_rates(const DofTable& rows, std::int32_t dof_begin, std::int32_t count, const double* x,
                                const double* u, double* v)
{
    const auto multiply = [&](std::int32_t k, Lanes& four) __attribute__((always_inline)) {
        four = Lanes{};
        for (std::int32_t b = rows.block_begin[dof_begin + k]; b < rows.block_begin[dof_begin + k + 1]; ++b)
            four += lanes(x + static_cast<std::ptrdiff_t>(kLanes) * b) * lanes(u + rows.blocks[b]);
    };
    Lanes        a, b;
    std::int32_t k = 0;
    for (; k + 2 <= count; k += 2) {
        multiply(k, a);
        multiply(k + 1, b);
        sum_two(a, b, v[k], v[k + 1]);
    }
    if (k == count) return;
    multiply(k, a);
    v[k] = sum(a);
}

/// Six rows of a link from those of the link before it on the path and its own dofs. `columns`, `x`: of its first dof.
/// The velocity of a link is that of the link before plus S_k v_k for its dofs.
MCH_CLONES_AVX2 void extend_six(const double* before, std::int32_t before_count, const DofTable& rows, std::int32_t dof,
                                std::int32_t dofs, const Spatiald* columns, const double* x, double* to)
{
    const std::int32_t count = rows.block_begin[dof + dofs] - rows.block_begin[dof + dofs - 1];
    if (dofs == 1) {  // most links
        const Spatiald& s = columns[dof];
        x += rows.of(dof);
        for (std::int32_t b = 0; b < count; ++b, to += 6 * kLanes, before += 6 * kLanes, x += kLanes) {
            const Lanes own = lanes(x);
            const bool  old = b < before_count;
            const auto  add = [&](int c, double along) MCH_INLINE_LAMBDA {
                lanes(to + c * kLanes) = (old ? Lanes(lanes(before + c * kLanes)) : Lanes{}) + along * own;
            };
            add(0, s.linear.x), add(1, s.linear.y), add(2, s.linear.z);
            add(3, s.angular.x), add(4, s.angular.y), add(5, s.angular.z);
        }
        return;
    }
    for (std::int32_t b = 0; b < count; ++b, to += 6 * kLanes) {
        Lanes six[6] = {};
        if (b < before_count)
            for (int c = 0; c < 6; ++c) six[c] = lanes(before + 6 * kLanes * b + c * kLanes);
        for (std::int32_t k = 0; k < dofs; ++k) {
            if (b >= rows.block_begin[dof + k + 1] - rows.block_begin[dof + k]) continue;
            const Lanes     own = lanes(x + rows.of(dof + k) + kLanes * b);
            const Spatiald& s   = columns[dof + k];
            six[0] += s.linear.x * own;
            six[1] += s.linear.y * own;
            six[2] += s.linear.z * own;
            six[3] += s.angular.x * own;
            six[4] += s.angular.y * own;
            six[5] += s.angular.z * own;
        }
        for (int c = 0; c < 6; ++c) lanes(to + c * kLanes) = six[c];
    }
}

MCH_CLONES_AVX2 double square(const double* x, std::int32_t blocks)
{
    Lanes w{};
    for (std::int32_t b = 0; b < blocks; ++b) w += lanes(x + kLanes * b) * lanes(x + kLanes * b);
    return sum(w);
}

/// A locked dof (no mass, inverse root 0) keeps its velocity as it is, and rows do not touch it.
double root_of(double inverse_root) { return inverse_root > 0 ? 1 / inverse_root : 1; }

/// Of a single body the linear part fills one block and the angular another, whose last numbers are zero.
/// Free body: sqrt(m) v and C^-1 R^T w, in two blocks.
void whiten(Mechanism& system, const Tree& tree, const double* v, double* u)
{
    if (tree.single) {
        const std::int32_t t    = static_cast<std::int32_t>(&tree - system.forest.trees.data());
        const double       root = std::sqrt(system.forest.links[tree.link_begin].mass);
        const Vec3d        w    = system.inverse_inertia_root[t] *
                                  transpose_times(system.motion.R_WB[tree.link_begin], Vec3d{v[3], v[4], v[5]});
        for (int k = 0; k < 3; ++k) u[k] = root * v[k];
        u[kLanes]     = w.x;
        u[kLanes + 1] = w.y;
        u[kLanes + 2] = w.z;
        return;
    }
    double* whole = system.row_scratch.data() + 8 * static_cast<std::ptrdiff_t>(tree.dof_begin);
    std::copy_n(v, tree.dof_count(), whole);
    std::fill_n(whole + tree.dof_count(), kLanes * tree.block_count() - tree.dof_count(), 0.0);
    dynamics::multiply_unit(tree, system.paths, system.factored, whole, u);
    const double* roots = system.inverse_roots.data() + system.groups[tree.group].u_begin;
    for (std::int32_t k = 0; k < tree.dof_count(); ++k) u[k] *= root_of(roots[k]);
}

/// And back.
void unwhiten(Mechanism& system, const Tree& tree, const double* u, double* v)
{
    if (tree.single) {
        const std::int32_t t    = static_cast<std::int32_t>(&tree - system.forest.trees.data());
        const double       root = 1 / std::sqrt(system.forest.links[tree.link_begin].mass);
        const Vec3d        w    = system.motion.R_WB[tree.link_begin] *
                                  (system.inertia_root[t] * Vec3d{u[kLanes], u[kLanes + 1], u[kLanes + 2]});
        for (int k = 0; k < 3; ++k) v[k] = root * u[k];
        v[3] = w.x;
        v[4] = w.y;
        v[5] = w.z;
        return;
    }
    const std::size_t t = static_cast<std::size_t>(&tree - system.forest.trees.data());
    // With locked dofs the rows are incomplete: L is solved instead.
    if (!system.locked[t])
        return read_rates(DofTable(system.paths), tree.dof_begin, tree.dof_count(), system.dof_rates.data(), u, v);
    double*       whole = system.row_scratch.data() + 8 * static_cast<std::ptrdiff_t>(tree.dof_begin);
    const double* roots = system.inverse_roots.data() + system.groups[tree.group].u_begin;
    for (std::int32_t k = 0; k < kLanes * tree.block_count(); ++k) whole[k] = roots[k] > 0 ? u[k] * roots[k] : u[k];
    dynamics::solve_unit(tree, system.paths, system.factored, whole);
    std::copy_n(whole, tree.dof_count(), v);
}

std::int32_t last_dof(const Mechanism& system, std::int32_t link)
{
    while (link >= 0 && system.forest.links[link].dofs == 0) link = system.forest.links[link].parent;
    return link < 0 ? -1 : system.forest.links[link].dof + system.forest.links[link].dofs - 1;
}

/// The blocks of the dofs from the root to a dof.
std::span<const std::int32_t> blocks_of(const Mechanism& system, std::int32_t dof)
{
    if (dof < 0) return {};
    return std::span(system.path_blocks)
        .subspan(static_cast<std::size_t>(system.path_block_begin[dof]),
                 static_cast<std::size_t>(system.path_block_begin[dof + 1] - system.path_block_begin[dof]));
}

/// Where dof `local` of a group has its number in a row: rows lie one after the other in each block.
std::ptrdiff_t entry(std::int32_t local, int rows)
{ return static_cast<std::ptrdiff_t>(local / kLanes) * kLanes * rows + local % kLanes; }

/// Whitened rows of the six components of a link's velocity at the reference point of its tree.
/// Made when a contact asks for them, once a substep.
const double* link_rows(Mechanism& system, std::int32_t link)
{
    const auto& links = system.forest.links;
    while (link >= 0 && links[link].dofs == 0) link = links[link].parent;
    if (link < 0) return system.link_rows.data();
    double* rows = system.link_rows.data() + system.link_rows_at[link];
    if (system.link_rows_made[link]) return rows;
    std::int32_t parent = links[link].parent;
    while (parent >= 0 && links[parent].dofs == 0) parent = links[parent].parent;
    const double* before = rows;  // where nothing is before it, none of it is read
    std::int32_t  count  = 0;
    if (parent >= 0) {
        const std::int32_t last = links[parent].dof + links[parent].dofs;
        before                  = system.link_rows_made[parent] ? system.link_rows.data() + system.link_rows_at[parent]
                                                                : link_rows(system, parent);
        count                   = system.path_block_begin[last] - system.path_block_begin[last - 1];
    }
    system.link_rows_made[link] = 1;
    extend_six(before, count, DofTable(system.paths), links[link].dof, links[link].dofs, system.motion.column.data(),
               system.dof_rates.data(), rows);
    return rows;
}

/// J += wrench . W, over the blocks of a link, which are some of those of the segment.
template <int rows>
[[gnu::always_inline]] inline void add_products(const double* W, const std::int32_t* link_blocks,
                                                std::int32_t link_count, const std::int32_t* blocks,
                                                const double (*wrench)[6], double*           J)
{
    for (std::int32_t i = 0; i < link_count; ++i, ++blocks, J += rows * kLanes, W += 6 * kLanes) {
        for (; *blocks != link_blocks[i]; ++blocks) J += rows * kLanes;
        for (int r = 0; r < rows; ++r) {
            Lanes sum = wrench[r][0] * lanes(W);
            for (int c = 1; c < 6; ++c) sum += wrench[r][c] * lanes(W + c * kLanes);
            lanes(J + r * kLanes) += sum;
        }
    }
}

MCH_CLONES_AVX2 void add_three(const double* W, const std::int32_t* link_blocks, std::int32_t link_count,
                               const std::int32_t* blocks, const double (*wrench)[6], double* J)
{ add_products<3>(W, link_blocks, link_count, blocks, wrench, J); }

/// Blocks of three rows from blocks of six: `d`, three directions, of the angular velocity, then of the velocity.
MCH_CLONES_AVX2 void turn_six(const double* W, std::int32_t count, const double (*d)[3], double* turning,
                              double* linear)
{
    for (std::int32_t i = 0; i < count; ++i, W += 6 * kLanes)
        for (int r = 0; r < 3; ++r, turning += kLanes, linear += kLanes) {
            lanes(linear) = (d[r][0] * lanes(W) + d[r][1] * lanes(W + kLanes)) + d[r][2] * lanes(W + 2 * kLanes);
            lanes(turning) =
                (d[r][0] * lanes(W + 3 * kLanes) + d[r][1] * lanes(W + 4 * kLanes)) + d[r][2] * lanes(W + 5 * kLanes);
        }
}

template <int rows>
void add(Mechanism& system, Segments& at, std::int32_t l, const Vec3d& p_W, const Vec3d* force, const Vec3d* torque)
{
    const std::int32_t t     = system.forest.links[l].tree;
    const Tree&        tree  = system.forest.trees[t];
    const Group&       group = system.groups[tree.group];
    const std::size_t  seat  = at.group[0] == tree.group ? 0 : 1;
    double*            J     = at.J[seat];
    const Vec3d        r     = p_W - system.motion.reference[t];
    if (!group.whitened) {
        dynamics::visit_point_columns(system.forest, system.motion, l, p_W,
                                      [&](std::int32_t dof, const Vec3d& v, const Vec3d& w) {
                                          double* to = J + entry(dof - group.dof_begin, rows);
                                          for (int i = 0; i < rows; ++i)
                                              to[i * kLanes] += dot(force[i], v) + dot(torque[i], w);
                                      });
        return;
    }
    // Force and torque about the centre of mass, through the two roots.
    if (tree.single) {
        const double  root = 1 / std::sqrt(system.forest.links[l].mass);
        const Mat33d& R    = system.motion.R_WB[l];
        for (int i = 0; i < rows; ++i, J += kLanes) {
            const Vec3d turn =
                transpose_times(system.inertia_root[t], transpose_times(R, torque[i] + cross(r, force[i])));
            lanes(J) += Lanes{root * force[i].x, root * force[i].y, root * force[i].z, 0};
            lanes(J + rows * kLanes) += Lanes{turn.x, turn.y, turn.z, 0};
        }
        return;
    }
    double wrench[rows][6];
    for (int i = 0; i < rows; ++i) {
        const Vec3d turn = torque[i] + cross(r, force[i]);
        wrench[i][0]     = force[i].x;
        wrench[i][1]     = force[i].y;
        wrench[i][2]     = force[i].z;
        wrench[i][3]     = turn.x;
        wrench[i][4]     = turn.y;
        wrench[i][5]     = turn.z;
    }
    const auto    blocks = blocks_of(system, last_dof(system, l));
    const double* W      = link_rows(system, l);
    const auto    count  = static_cast<std::int32_t>(blocks.size());
    if constexpr (rows == 3)
        add_three(W, blocks.data(), count, at.blocks[seat], wrench, J);
    else
        add_products<rows>(W, blocks.data(), count, at.blocks[seat], wrench, J);
}

}  // namespace

/// Whether a dof has zero inertia, and no row of contacts made yet in this substep.
static void start_rows(Mechanism& system, const Tree& tree)
{
    const std::int32_t  t     = static_cast<std::int32_t>(&tree - system.forest.trees.data());
    const double* const roots = system.inverse_roots.data() + system.groups[tree.group].u_begin;
    const double* const end   = roots + tree.dof_count();
    system.locked[t]          = !tree.single && std::find(roots, end, 0.0) != end;
    std::fill(system.link_rows_made.begin() + tree.link_begin, system.link_rows_made.begin() + tree.link_end,
              std::uint8_t{0});
    std::fill(system.link_frame.begin() + tree.link_begin, system.link_frame.begin() + tree.link_end, nullptr);
}

void put_rows(Mechanism& system, dynamics::FourDynamics& four, const dynamics::FourTrees& trees)
{
    std::array<double*, 4> roots{}, u{};
    for (std::size_t i = 0; i < 4; ++i) {
        const Group& group = system.groups[system.forest.trees[trees[i]].group];
        roots[i]           = system.inverse_roots.data() + group.u_begin;
        u[i]               = system.u.data() + group.u_begin;
    }
    four.put_factors(system.factored, system.inverse_pivots);
    four.put_rows(system.dof_rates, roots, u);
    for (const std::int32_t t : trees) start_rows(system, system.forest.trees[t]);
}

void begin_rows(Mechanism& system, const Group& group, bool both)
{
    const double* v = system.motion.v.data() + group.dof_begin;
    double*       u = system.u.data() + group.u_begin;
    if (!group.whitened) {
        std::copy_n(v, group.dof_count(), u);
        return;
    }
    const Tree& tree = system.forest.trees[group.tree_begin];
    if (both && !tree.single) {
        double* const roots = system.inverse_roots.data() + group.u_begin;
        for (std::int32_t k = 0; k < tree.dof_count(); ++k)
            roots[k] = std::sqrt(system.inverse_pivots[tree.dof_begin + k]);
        whiten_dofs(DofTable(system.paths), tree.dof_begin, tree.dof_end, system.factored.data(), roots,
                    system.dof_rates.data());
    }
    if (both && tree.single)
        system.spin_root[group.tree_begin] =
            system.motion.R_WB[tree.link_begin] * system.inertia_root[group.tree_begin];
    whiten(system, tree, v, u);
    if (!both) return;
    start_rows(system, tree);
    if (!tree.single) return;  // contacts of a tree ask its links
    double* previous = system.previous_u.data() + group.u_begin;
    std::copy_n(previous, group.dof_count(), system.scratch.data() + group.dof_begin);
    whiten(system, tree, system.scratch.data() + group.dof_begin, previous);
}

void end_rows(Mechanism& system, const Group& group)
{
    double*       v = system.motion.v.data() + group.dof_begin;
    const double* u = system.u.data() + group.u_begin;
    if (group.whitened)
        unwhiten(system, system.forest.trees[group.tree_begin], u, v);
    else
        std::copy_n(u, group.dof_count(), v);
}

std::size_t most_blocks(const Mechanism& system, std::int32_t group, std::int32_t link0, std::int32_t link1)
{
    if (group < 0) return 0;
    if (!system.groups[group].whitened) return static_cast<std::size_t>(system.groups[group].block_count());
    return blocks_of(system, last_dof(system, link0)).size() + blocks_of(system, last_dof(system, link1)).size();
}

std::int32_t* place_blocks(const Mechanism& system, std::int32_t group, std::int32_t link0, std::int32_t link1,
                           std::int32_t* storage, const std::int32_t*& blocks, std::int32_t& count)
{
    blocks = nullptr;
    count  = 0;
    if (group < 0) return storage;
    const Group& g = system.groups[group];
    if (!g.whitened) {
        blocks = system.all_blocks.data() + g.u_begin / kLanes;
        count  = g.block_count();
        return storage;
    }
    const auto a = blocks_of(system, last_dof(system, link0)), b = blocks_of(system, last_dof(system, link1));
    if (a.empty() || b.empty()) {
        blocks = a.empty() ? b.data() : a.data();
        count  = static_cast<std::int32_t>(a.size() + b.size());
        return storage;
    }
    // A row between two links of one tree has the blocks of both ways, each once.
    std::int32_t* const end = std::set_union(a.begin(), a.end(), b.begin(), b.end(), storage);
    blocks                  = storage;
    count                   = static_cast<std::int32_t>(end - storage);
    return end;
}

void frame_rows(Mechanism& system, std::int32_t link, const std::array<Vec3d, 3>& directions, double* rows)
{
    const auto count = static_cast<std::int32_t>(blocks_of(system, last_dof(system, link)).size());
    double     d[3][3];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) d[r][c] = directions[r][c];
    turn_six(link_rows(system, link), count, d, rows, rows + static_cast<std::ptrdiff_t>(count) * 3 * kLanes);
}

void open_segment(const Segments& at, int seat, int rows)
{ std::fill_n(at.J[seat], static_cast<std::ptrdiff_t>(at.count[seat]) * rows * kLanes, 0.0); }

void add_rows(Mechanism& system, Segments& at, std::int32_t link, const Vec3d& p_W, const std::array<Vec3d, 3>& force,
              const std::array<Vec3d, 3>& torque)
{ add<3>(system, at, link, p_W, force.data(), torque.data()); }

void add_row(Mechanism& system, Segments& at, std::int32_t link, const Vec3d& p_W, const Vec3d& force,
             const Vec3d& torque)
{ add<1>(system, at, link, p_W, &force, &torque); }

void close_segment(Mechanism& system, Segments& at, int seat, int rows)
{
    const Group& group = system.groups[at.group[seat]];
    if (group.whitened) {
        at.Y[seat] = at.J[seat];
        return;
    }
    const int columns = rows == 1 ? 1 : 4;
    double*   x       = system.row_scratch.data() + 8 * static_cast<std::ptrdiff_t>(group.dof_begin);
    std::fill_n(at.Y[seat], static_cast<std::ptrdiff_t>(at.count[seat]) * rows * kLanes, 0.0);
    // Rows become columns, for the response of all dofs.
    for (std::int32_t k = 0; k < group.dof_count(); ++k)
        for (int c = 0; c < columns; ++c) x[k * columns + c] = c < rows ? at.J[seat][entry(k, rows) + c * kLanes] : 0;
    respond(system, group, x, columns);
    for (std::int32_t k = 0; k < group.dof_count(); ++k)
        for (int r = 0; r < rows; ++r) at.Y[seat][entry(k, rows) + r * kLanes] = x[k * columns + r];
}

double respond_dof(Mechanism& system, const Group& group, std::int32_t dof, DofRows& rows)
{
    if (group.whitened) return square(rows.Y, rows.count);
    double* x = system.row_scratch.data() + 8 * static_cast<std::ptrdiff_t>(group.dof_begin);
    std::fill_n(rows.Y, static_cast<std::ptrdiff_t>(rows.count) * kLanes, 0.0);
    std::fill_n(x, group.dof_count(), 0.0);
    x[dof - group.dof_begin] = 1;
    respond(system, group, x, 1);
    std::copy_n(x, group.dof_count(), rows.Y);
    return x[dof - group.dof_begin];
}

void respond_open(Mechanism& system, const Group& group, double* y) { respond_lanes<1, 1>(system, group, y); }

namespace {

/// The prescribed body that a body is, or that its tree hangs on; -1 for the world.
/// Rates of a tree are relative to its base: the base's motion is added to every row.
std::int32_t carrier(const Mechanism& system, std::int32_t body)
{
    const std::int32_t link = body >= 0 ? system.forest.body_link[body] : -1;
    if (link < 0) return body;
    return system.forest.links[system.forest.trees[system.forest.links[link].tree].link_begin].base;
}

}  // namespace

Vec3d prescribed_velocity(const Mechanism& system, std::int32_t body, const Vec3d& p_W)
{
    const std::int32_t base = carrier(system, body);
    if (base < 0) return {};
    const Spatiald& twist = system.motion.base_twist[base];
    return twist.linear + cross(twist.angular, p_W - system.motion.base_com[base]);
}

Vec3d prescribed_spin(const Mechanism& system, std::int32_t body)
{
    const std::int32_t base = carrier(system, body);
    return base < 0 ? Vec3d{} : system.motion.base_twist[base].angular;
}

Vec3d place(const Mechanism& system, std::int32_t body, std::int32_t link, const Vec3d& p_B)
{
    if (body < 0) return p_B;
    return link >= 0 ? system.motion.X_WB[link].p + system.motion.R_WB[link] * p_B : body_pose(system, body) * p_B;
}

Vec3d place_core(const Mechanism& system, const ContactRow& row, std::size_t side)
{
    Vec3d p_B = row.point_B[side];
    if (row.roller[side] >= 0) {
        const Quatd q   = body_pose(system, row.body[side]).q;
        const Vec3d d_B = rotate(conjugate(q), row.toward[side]);
        p_B             = surface_at(*system.model, row.roller[side], p_B).farthest(d_B);
    }
    return place(system, row.body[side], row.link[side], p_B);
}

Posed body_pose(const Mechanism& system, std::int32_t body)
{
    if (body < 0) return {};
    const std::int32_t link = system.forest.body_link[body];
    return link >= 0 ? system.motion.X_WB[link] : system.motion.base_X[body];
}

}  // namespace mechane::solvers::softstep
