// Islands that are solved directly: all rows of a small island at once, by a Newton method on active sets (open, at a
// bound, sticking, slipping). docs/softstep_method.md, "Islands solved directly", says which islands, and how rigid.
//
//     open, or a sticking disk     A l = target, with A_ii := A_ii + gamma + kRegularisation A_ii
//     at a bound                   l = low or high
//     a slipping disk              |l_t| = mu l_n, against the rate (turning friction: its own coefficient)
//
// l       impulses, the unknowns; l_n, l_t  normal and tangential impulse of a contact
// A       J M^-1 J^T, the response of all rows to each other
// target  rate that a row asks for, less the one that it has; gamma  softness of a row with a stiffness of its own
//
// If the sets do not settle within kDirectPivots rounds, or the matrix is singular, the caller falls back to sweeps.

#include <algorithm>
#include <cmath>

#include "solvers/softstep/contact/direct_solve.h"
#include "solvers/softstep/mechanism/row_law.h"
#include "solvers/softstep/parameters.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

namespace {

/// Compliance of every row relative to its response, so that four points of a face share their load. With 1e-9 what a
/// float rounds off of their distances would decide which of them bears it; a thousand kilograms on one kilogram sink
/// by 1e-7 m.
constexpr double kRegularisation = 1e-6;
constexpr double kSettled        = 1e-6;   ///< what a row may miss its condition by [m/s, rad/s]
constexpr double kSettledWay     = 1e-3;   ///< and a slipping contact its direction [rad]
constexpr double kUnmoved        = 1e-12;  ///< response of a row that nothing can move [1/kg]
constexpr int    kFreeBlocks     = 2;      ///< of a free body
/// Contacts that an island may have, most of which make no row.
constexpr std::int32_t kMostContacts = 4 * kDirectIslandRows;

using State = BlockRow::State;

void add_to(std::vector<double>& to, const BlockRow::Part& part, double a)
{
    for (std::int32_t k = 0; k < part.count; ++k)
        lanes(to.data() + part.blocks[k] + part.shift) += a * lanes(part.values + k * part.stride);
}

double product(const BlockRow::Part& part, const std::vector<double>& with, std::int32_t shift)
{
    Lanes out{};
    for (std::int32_t k = 0; k < part.count; ++k)
        out += lanes(part.values + k * part.stride) * lanes(with.data() + part.blocks[k] + shift);
    return sum(out);
}

/// Lists the rows of an island with what they ask for.
class Gather {
  public:
    /// @param rigidity  of contacts, if there are few rows
    Gather(System& system, Island& island, Block& block, double h, bool relax, double rigidity)
        : system_(system), island_(island), block_(block), h_(h), relax_(relax), rigidity_(rigidity)
    {
    }

    /// Returns false if there are too many.
    bool run()
    {
        block_.rows.clear();
        block_.disks.clear();
        block_.free_rows.clear();
        block_.free_blocks.clear();
        std::int32_t units = island_.active_end - island_.contact_begin;
        for (std::int32_t i = island_.general_begin; i < island_.general_end; ++i)
            units += system_.general[system_.island_general[i]].law.active ? 1 : 0;
        for (std::int32_t i = island_.group_begin; i < island_.group_end; ++i) {
            const Group& g = system_.groups[system_.island_groups[i]];
            units += g.active_dof_end - g.dof_begin;
        }
        if (units > kDirectIslandRows) return false;
        // More rows make contacts softer: the transition to sweeps is continuous.
        const double room = static_cast<double>(kDirectIslandRows - units) / (kDirectIslandRows - kRigidIslandRows);
        if (system_.rigid == RigidIslands::automatic) rigidity_ *= std::clamp(room, 0.0, 1.0);
        soft_ = stiffened(softness(kContactHertzTimesStep / h_, kContactDampingRatio, h_), rigidity_, h_);
        for (std::int32_t i = island_.general_begin; i < island_.general_end; ++i)
            general(system_.general[system_.island_general[i]]);
        for (std::int32_t i = island_.group_begin; i < island_.group_end; ++i)
            dofs(system_.groups[system_.island_groups[i]]);
        for (std::int32_t i = island_.contact_begin; i < island_.active_end; ++i) contact(i);
        return true;
    }

  private:
    [[nodiscard]] std::int32_t shift(std::int32_t group) const
    { return system_.groups[group].in_block - system_.groups[group].u_begin; }

    BlockRow& add(const std::array<BlockRow::Part, 2>& J, const std::array<BlockRow::Part, 2>& Y, double base,
                  double* lambda)
    {
        BlockRow& row = block_.rows.emplace_back();
        row.J         = J;
        row.Y         = Y;
        for (const auto& parts : {J, Y})
            for (const BlockRow::Part& part : parts)
                for (std::int32_t k = 0; k < part.count; ++k) {
                    const auto block = static_cast<unsigned>((part.blocks[k] + part.shift) / kLanes);
                    // A bit for each block modulo 64: rows without a common bit have no common body.
                    row.reach |= std::uint64_t{1} << block % 64u;
                }
        row.lambda = lambda;
        row.rate   = base;
        for (const BlockRow::Part& part : J) row.rate += product(part, system_.u, 0);
        return row;
    }
    /// Row `d` of `rows` rows of a segment.
    [[nodiscard]] std::array<BlockRow::Part, 2> parts(const Segments& at, const std::array<double*, 2>& values, int d,
                                                      int rows) const
    {
        std::array<BlockRow::Part, 2> out;
        for (std::size_t s = 0; s < 2; ++s)
            if (at.group[s] >= 0)
                out[s] = {values[s] + d * kLanes, at.blocks[s], at.count[s], rows * kLanes, shift(at.group[s])};
        return out;
    }
    /// The softness and bounds of a scalar row; `row` pushes along `sign`.
    void law(BlockRow& row, RowLaw& from, double w, double sign)
    {
        row.sign = sign;
        row.rate *= sign;
        row.low  = from.low;
        row.high = from.high;
        if (from.compliant) {
            row.bias  = from.bias;
            row.gamma = from.gamma;
            // In relaxation sweeps compliant rows stay soft, stops ask for what their gap still needs.
        } else if (relax_) {
            row.bias = from.relax_bias;
        } else {
            row.bias  = from.bias;
            row.gamma = w * from.impulse_scale / from.mass_scale;
        }
        row.shut = relax_ && from.lambda == 0 && from.relax_bias > 0;  // a stop not reached in this substep
    }

    void general(GeneralRow& from)
    {
        if (!from.law.active) return;
        law(add(parts(from.at, from.at.J, 0, 1), parts(from.at, from.at.Y, 0, 1), from.target, &from.law.lambda),
            from.law, from.w, 1);
    }

    void dofs(const Group& group)
    {
        // The Jacobian of a dof in plain coordinates is a unit vector; a window into this array has its one at any of
        // four places.
        static constexpr double kUnit[2 * kLanes - 1] = {0, 0, 0, 1};
        const auto              g                     = static_cast<std::int32_t>(&group - system_.groups.data());
        for (std::int32_t i = group.dof_begin; i < group.active_dof_end; ++i) {
            const std::int32_t                  k    = system_.active_dofs[i];
            DofRows&                            rows = system_.dof_rows[k];
            const std::array<BlockRow::Part, 2> Y{BlockRow::Part{rows.Y, rows.blocks, rows.count, kLanes, shift(g)},
                                                  BlockRow::Part{}};
            std::array<BlockRow::Part, 2>       J = Y;
            if (!group.whitened) {
                const std::int32_t local = k - group.dof_begin;
                J[0] = {kUnit + (kLanes - 1 - local % kLanes),
                        system_.all_blocks.data() + (group.u_begin + local) / kLanes, 1, kLanes, shift(g)};
            }
            const auto one = [&](RowLaw& from, double sign) {
                if (from.active) law(add(J, Y, 0, &from.lambda), from, rows.w, sign);
            };
            one(rows.friction, 1);
            one(rows.velocity, rows.velocity_sign);
            one(rows.lower, 1);
            one(rows.upper, -1);
        }
    }

    /// Rows of a contact of free bodies, widened.
    [[nodiscard]] std::array<BlockRow::Part, 2> widen(const ContactRow& row, const FreeContact& c, std::size_t d)
    {
        std::array<BlockRow::Part, 2> out;
        for (std::size_t s = 0; s < 2; ++s) {
            if (c.u[s] < 0) continue;
            const std::size_t at = block_.free_rows.size(), b = block_.free_blocks.size();
            for (int k = 0; k < kLanes; ++k)
                block_.free_rows.push_back(static_cast<double>(c.root[s]) * static_cast<double>(c.linear[d][k]));
            for (int k = 0; k < kLanes; ++k) block_.free_rows.push_back(static_cast<double>(c.angular[s][d][k]));
            for (int k = 0; k < kFreeBlocks; ++k) block_.free_blocks.push_back(c.u[s] + k * kLanes);
            // As build_free chooses its seats.
            const std::size_t side = row.link[0] >= 0 ? s : 1 - s;
            out[s]                 = {block_.free_rows.data() + at, block_.free_blocks.data() + b, kFreeBlocks, kLanes,
                                      shift(system_.body_group[row.body[side]])};
        }
        return out;
    }

    void contact(std::int32_t i)
    {
        ContactRow&        row      = *system_.active[i].row;
        FreeContact* const free     = system_.active[i].free;
        double* const      lambda   = free ? free->lambda.data() : row.lambda.data();
        const double       distance = free ? static_cast<double>(free->distance) : row.distance;
        const auto         normal   = static_cast<std::int32_t>(block_.rows.size());
        for (std::size_t d = 0; d < (row.mu > 0 ? 3u : 1u); ++d) {
            const auto J   = free ? widen(row, *free, d) : parts(row.at, row.at.J, static_cast<int>(d), 3);
            const auto Y   = free ? J : parts(row.at, row.at.Y, static_cast<int>(d), 3);
            BlockRow&  one = add(J, Y, free ? static_cast<double>(free->base[d]) : row.base[d], lambda + d);
            if (d > 0) {
                one.disk = true;
                continue;
            }
            one.high = kUnbounded;
            if (row.stiffness > 0) {
                one.bias  = row.normal.bias;
                one.gamma = row.normal.leak / row.normal.mass;
            } else if (distance > 0) {
                one.bias = distance / h_;
            } else if (!relax_) {
                // The row of sweeps, whose law is r + bias + K a3 / (a2 a3) lambda = 0.
                one.bias  = std::max(soft_.bias_rate * distance, -row.push);
                one.gamma = row.K[0] * soft_.impulse_scale / soft_.mass_scale;
            }
            // What this substep did not reach is the next one's business.
            one.shut = relax_ && lambda[0] == 0 && distance > 0;
        }
        if (row.mu > 0)
            block_.disks.push_back({.first = normal + 1, .rows = 2, .normal = normal, .share = row.mu, .contact = i});
        if (!row.spins()) return;
        const auto spin = static_cast<std::int32_t>(block_.rows.size());
        for (std::size_t d = 0; d < 3; ++d) {
            const int k = static_cast<int>(d);
            add(parts(row.spin_at, row.spin_at.J, k, 3), parts(row.spin_at, row.spin_at.Y, k, 3), row.spin.base[d],
                &row.spin.lambda[d])
                .disk = true;
        }
        block_.disks.push_back({.first = spin, .rows = 1, .normal = normal, .share = row.spin.torsional});
        block_.disks.push_back({.first = spin + 1, .rows = 2, .normal = normal, .share = row.spin.rolling});
    }

    System&  system_;
    Island&  island_;
    Block&   block_;
    double   h_;
    bool     relax_;
    double   rigidity_ = 0;
    Softness soft_;
};

MCH_CLONES_AVX2 double dot(const double* a, const double* b, std::size_t count)
{
    Lanes       four{};
    std::size_t k = 0;
    for (; k + kLanes <= count; k += kLanes) four += lanes(a + k) * lanes(b + k);
    double out = sum(four);
    for (; k < count; ++k) out += a[k] * b[k];
    return out;
}

/// A column of A from its diagonal on: what the unit impulse of row k, in `column`, does to the rows after it.
MCH_CLONES_AVX2 void fill_column(const BlockRow* rows, std::size_t k, std::size_t n, const double* column, double* A)
{
    for (std::size_t i = k; i < n; ++i) {
        double a = 0;
        // Most rows have no body in common.
        for (std::size_t s = 0; s < 2 && (rows[i].reach & rows[k].reach) != 0; ++s) {
            const BlockRow::Part& part = rows[i].J[s];
            Lanes                 out{};
            for (std::int32_t b = 0; b < part.count; ++b)
                out += lanes(part.values + b * part.stride) * lanes(column + part.blocks[b] + part.shift);
            a += sum(out);
        }
        // A is symmetric: a column and its mirror at once.
        A[i * n + k] = A[k * n + i] = rows[i].sign * a;
    }
}

/// Response of all rows to each other.
void build_matrix(const System& system, const Island& island, Block& block)
{
    const std::size_t n     = block.rows.size();
    std::size_t       width = 0;
    for (std::int32_t i = island.group_begin; i < island.group_end; ++i)
        width += static_cast<std::size_t>(kLanes * system.groups[system.island_groups[i]].block_count());
    block.A.resize(n * n);
    block.column.resize(width);
    for (std::size_t k = 0; k < n; ++k) {
        std::fill(block.column.begin(), block.column.end(), 0.0);
        for (const BlockRow::Part& part : block.rows[k].Y) add_to(block.column, part, block.rows[k].sign);
        fill_column(block.rows.data(), k, n, block.column.data(), block.A.data());
    }
}

/// a -= f b.
MCH_CLONES_AVX2 void subtract(double* a, double f, const double* b, std::size_t count)
{
    std::size_t k = 0;
    for (; k + kLanes <= count; k += kLanes) lanes(a + k) -= f * lanes(b + k);
    for (; k < count; ++k) a[k] -= f * b[k];
}

/// Gauss elimination with partial pivoting of a square matrix and one right side; false if it is singular.
/// The matrix is not symmetric where disks slip, hence pivoting instead of Cholesky.
bool eliminate(std::vector<double>& matrix, std::vector<double>& x)
{
    const std::size_t n = x.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(matrix[i * n + k]) > std::abs(matrix[pivot * n + k])) pivot = i;
        const double p = matrix[pivot * n + k];
        if (!(std::abs(p) > 1e-300)) return false;
        if (pivot != k) {
            std::swap_ranges(matrix.begin() + static_cast<std::ptrdiff_t>(k * n + k),
                             matrix.begin() + static_cast<std::ptrdiff_t>(k * n + n),
                             matrix.begin() + static_cast<std::ptrdiff_t>(pivot * n + k));
            std::swap(x[k], x[pivot]);
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            if (matrix[i * n + k] == 0) continue;
            const double f = matrix[i * n + k] / p;
            subtract(matrix.data() + i * n + k + 1, f, matrix.data() + k * n + k + 1, n - k - 1);
            x[i] -= f * x[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t i = k + 1; i < n; ++i) x[k] -= matrix[k * n + i] * x[i];
        x[k] /= matrix[k * n + k];
    }
    return true;
}

/// Makes a unit vector of `way`, where it is longer than `bound`.
bool point(BlockDisk& disk, double bound)
{
    const double size = std::sqrt(disk.way[0] * disk.way[0] + disk.way[1] * disk.way[1]);
    if (size <= bound) return false;
    for (double& w : disk.way) w /= size;
    return true;
}

/// The sets that one projected step from the warm start, all rows at once, would lead to.
void start_sets(Block& block)
{
    const std::size_t n         = block.rows.size();
    const auto        response  = [&](std::size_t i) { return block.A[i * n + i]; };
    const auto        projected = [&](std::size_t i) {
        const BlockRow& row = block.rows[i];
        return block.lambda[i] - (row.rate + row.bias + row.gamma * block.lambda[i]) / (response(i) + row.gamma);
    };
    for (std::size_t i = 0; i < n; ++i) {
        BlockRow& row = block.rows[i];
        if (row.disk) continue;
        const double l = row.shut || !(response(i) > kUnmoved) ? row.low : projected(i);
        row.state      = l <= row.low ? State::low : l >= row.high ? State::high : State::open;
    }
    // The step of a slipping disk is one over the largest eigenvalue of its 2x2 response.
    for (BlockDisk& disk : block.disks) {
        const auto at      = static_cast<std::size_t>(disk.first);
        double     largest = response(at);
        if (disk.rows > 1) {
            const double a = response(at), c = response(at + 1), b = block.A[at * n + at + 1];
            largest = 0.5 * (a + c) + std::sqrt(0.25 * (a - c) * (a - c) + b * b);
        }
        disk.step = largest > kUnmoved ? 1 / largest : 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(disk.rows); ++k)
            disk.way[k] = block.lambda[at + k] - disk.step * block.rows[at + k].rate;
        const double bound = disk.share * std::max(0.0, projected(static_cast<std::size_t>(disk.normal)));
        disk.slips         = point(disk, bound);
    }
}

/// Solves for the open rows, the others being at their bounds; false if that cannot be.
/// Slipping impulses follow their normal impulse along `way` and are folded into its column.
bool solve_open(Block& block)
{
    const std::size_t n = block.rows.size();
    // A disk whose normal row is not open has no impulse; one that slips follows the normal impulse.
    block.open.clear();
    block.held.clear();
    for (std::size_t i = 0; i < n; ++i) {
        BlockRow& row = block.rows[i];
        if (row.disk) continue;
        block.lambda[i] = row.state == State::low ? row.low : row.high;
        if (row.state == State::open)
            block.open.push_back(static_cast<std::int32_t>(i));
        else if (block.lambda[i] != 0)
            block.held.push_back(static_cast<std::int32_t>(i));
    }
    for (const BlockDisk& disk : block.disks) {
        const bool open = block.rows[disk.normal].state == State::open;
        for (std::int32_t k = disk.first; k < disk.first + disk.rows; ++k) {
            if (open && !disk.slips && block.A[static_cast<std::size_t>(k) * (n + 1)] > 0)
                block.open.push_back(k);
            else
                block.lambda[k] = 0;
        }
    }
    std::sort(block.open.begin(), block.open.end());
    const std::size_t m = block.open.size();
    block.matrix.resize(m * m);
    block.x.resize(m);
    for (std::size_t r = 0; r < m; ++r) {
        const auto    i = static_cast<std::size_t>(block.open[r]);
        const double* A = block.A.data() + i * n;
        double        x = block.target[i];
        for (const std::int32_t k : block.held) x -= A[k] * block.lambda[k];
        block.x[r] = x;
        for (std::size_t c = 0; c < m; ++c) block.matrix[r * m + c] = A[block.open[c]];
        block.matrix[r * m + r] += block.rows[i].gamma;
    }
    for (const BlockDisk& disk : block.disks) {
        if (!disk.slips || block.rows[disk.normal].state != State::open) continue;
        const auto c = static_cast<std::size_t>(std::lower_bound(block.open.begin(), block.open.end(), disk.normal) -
                                                block.open.begin());
        for (std::size_t r = 0; r < m; ++r)
            for (std::int32_t k = 0; k < disk.rows; ++k)
                block.matrix[r * m + c] +=
                    disk.share * disk.way[static_cast<std::size_t>(k)] *
                    block.A[static_cast<std::size_t>(block.open[r]) * n + static_cast<std::size_t>(disk.first + k)];
    }
    if (!eliminate(block.matrix, block.x)) return false;
    for (std::size_t r = 0; r < m; ++r) {
        if (!(std::abs(block.x[r]) < kUnbounded)) return false;
        block.lambda[block.open[r]] = block.x[r];
    }
    for (const BlockDisk& disk : block.disks) {
        if (!disk.slips || block.rows[disk.normal].state != State::open) continue;
        for (std::int32_t k = 0; k < disk.rows; ++k)
            block.lambda[disk.first + k] =
                disk.share * disk.way[static_cast<std::size_t>(k)] * block.lambda[disk.normal];
    }
    for (std::size_t i = 0; i < n; ++i)
        block.response[i] = dot(block.A.data() + i * n, block.lambda.data(), n) - block.target[i];
    return true;
}

/// Moves disks to the sets that the solution asks for; returns whether any moved.
bool move_disks(Block& block)
{
    bool moved = false;
    for (BlockDisk& disk : block.disks) {
        const auto at = static_cast<std::size_t>(disk.first), rows = static_cast<std::size_t>(disk.rows);
        if (block.rows[disk.normal].state != State::open) continue;
        const double                bound = disk.share * std::max(0.0, block.lambda[disk.normal]);
        const std::array<double, 2> way   = disk.way;
        if (!disk.slips) {
            for (std::size_t k = 0; k < rows; ++k) disk.way[k] = block.lambda[at + k];
            disk.slips = point(disk, bound + kSettled * disk.step);
            moved      = moved || disk.slips;
            continue;
        }
        double along = 0;
        for (std::size_t k = 0; k < rows; ++k) {
            // The rate along the direction of friction: positive would be friction that drives.
            along += way[k] * block.response[at + k];
            disk.way[k] = block.lambda[at + k] - disk.step * block.response[at + k];
        }
        // Friction that would drive what it should slow lets it stick.
        disk.slips        = along <= kSettled && point(disk, 0);
        const double turn = std::abs(disk.way[0] - way[0]) + std::abs(disk.way[1] - way[1]);
        moved             = moved || !disk.slips || (turn > kSettledWay && disk.step * bound > 0);
    }
    return moved;
}

/// The same for rows, of which disks follow.
bool move_rows(Block& block)
{
    const std::size_t n     = block.rows.size();
    bool              moved = false;
    for (std::size_t i = 0; i < n; ++i) {
        BlockRow&    row      = block.rows[i];
        const double response = block.A[i * n + i];
        if (row.disk || row.shut || !(response > kUnmoved)) continue;
        const State before = row.state;
        if (before == State::open) {
            const double slack = kSettled / response;
            if (block.lambda[i] < row.low - slack)
                row.state = State::low;
            else if (block.lambda[i] > row.high + slack)
                row.state = State::high;
        } else if (row.low < row.high) {
            // A row at its bound stays there while it would be pushed further out.
            const double residual = block.response[i] + row.gamma * block.lambda[i];
            if (before == State::low ? residual < -kSettled : residual > kSettled) row.state = State::open;
        }
        moved = moved || row.state != before;
    }
    for (BlockDisk& disk : block.disks)
        if (block.rows[disk.normal].state != State::open) disk.slips = false;
    return moved;
}

}  // namespace

void choose_blocks(System& system)
{
    std::size_t count = 0;
    for (Island& island : system.islands) {
        island.block                = -1;
        const std::int32_t contacts = island.contact_end - island.contact_begin;
        if (!island.runs() || island.batch >= 0 || contacts == 0 || contacts > kMostContacts) continue;
        double       lightest = 1e300, heaviest = 0;
        bool         loops = false;
        std::int32_t at    = 0;
        for (std::int32_t i = island.group_begin; i < island.group_end; ++i) {
            const Group& g = system.groups[system.island_groups[i]];
            lightest       = std::min(lightest, g.mass);
            heaviest       = std::max(heaviest, g.mass);
            loops          = loops || g.loop_end > g.loop_begin;
        }
        // Trees are exact inside, so it is the masses of whole trees that count.
        const bool always = system.rigid == RigidIslands::always;
        if (!(heaviest > kDirectMassRatio * lightest) && !loops && !always) continue;
        // A little more mass, or one contact more, changes the contacts a little.
        constexpr double kSpan = kRigidMassRatio / kDirectMassRatio;
        island.rigidity =
            loops || always || !(lightest > 0)
                ? 1
                : std::clamp(std::log(heaviest / (kDirectMassRatio * lightest)) / std::log(kSpan), 0.0, 1.0);
        if (system.rigid == RigidIslands::never) island.rigidity = 0;
        for (std::int32_t i = island.group_begin; i < island.group_end; ++i) {
            Group& g   = system.groups[system.island_groups[i]];
            g.in_block = at;
            at += kLanes * g.block_count();
        }
        if (system.blocks.size() == count) {
            Block& block = system.blocks.emplace_back();
            // Widened rows are read where they lie, so they must not move: three of one or two bodies a contact.
            block.free_rows.reserve(static_cast<std::size_t>(kDirectIslandRows) * 3 * 2 * kFreeBlocks * kLanes);
            block.free_blocks.reserve(static_cast<std::size_t>(kDirectIslandRows) * 3 * 2 * kFreeBlocks);
        }
        island.block = static_cast<std::int32_t>(count++);
    }
}

namespace {

/// The impulses of the rows that `gathered` lists, into the rows; false, with nothing changed, where they are not
/// found.
bool solve_gathered(System& system, Island& island, Block& block, bool relax)
{
    const std::size_t n = block.rows.size();
    if (n == 0) return true;
    // The relax solve mostly has the same rows.
    const auto same = [](const BlockRow& row, const double* lambda) { return row.lambda == lambda; };
    // The matrix of the bias solve serves again if the rows are the same.
    if (!relax || !std::equal(block.rows.begin(), block.rows.end(), block.made_of.begin(), block.made_of.end(), same)) {
        build_matrix(system, island, block);
        block.made_of.clear();
        for (const BlockRow& row : block.rows) block.made_of.push_back(row.lambda);
    }
    block.lambda.resize(n);
    block.target.resize(n);
    block.response.resize(n);
    for (std::size_t i = 0; i < n; ++i) block.lambda[i] = *block.rows[i].lambda;
    for (std::size_t i = 0; i < n; ++i)
        block.target[i] =
            dot(block.A.data() + i * n, block.lambda.data(), n) - (block.rows[i].rate + block.rows[i].bias);
    for (std::size_t i = 0; i < n; ++i) block.rows[i].gamma += kRegularisation * block.A[i * n + i];
    start_sets(block);
    bool settled = false;
    for (int pivot = 0; pivot < kDirectPivots && !settled; ++pivot) {
        if (!solve_open(block)) return false;
        settled = !(move_disks(block) || move_rows(block));
    }
    if (!settled) return false;
    for (std::size_t i = 0; i < n; ++i) {
        const BlockRow& row = block.rows[i];
        if (!row.disk) block.lambda[i] = std::clamp(block.lambda[i], row.low, row.high);
        const double impulse = row.sign * (block.lambda[i] - *row.lambda);
        *row.lambda          = block.lambda[i];
        if (impulse == 0) continue;
        for (BlockRow::Part part : row.Y) {
            part.shift = 0;
            add_to(system.u, part, impulse);
        }
    }
    for (const BlockDisk& disk : block.disks) {
        if (!disk.slips || disk.contact < 0) continue;
        // Nothing to come back to.
        const ActiveContact& contact = system.active[disk.contact];
        // A slipping contact has no place to come back to.
        contact.row->drift = {};
        if (contact.free) contact.free->drift = {};
    }
    return true;
}

}  // namespace

bool solve_block(System& system, Island& island, double h, bool relax)
{
    Block& block = system.blocks[island.block];
    for (double rigidity = island.rigidity;; rigidity = 0) {
        if (!Gather(system, island, block, h, relax, rigidity).run()) return false;
        if (solve_gathered(system, island, block, relax)) return true;
        // Soft rows share a load that rigid ones leave open, as of a heavy body that lands on an edge.
        if (relax || rigidity == 0) return false;
    }
}

}  // namespace mechane::solvers::softstep
