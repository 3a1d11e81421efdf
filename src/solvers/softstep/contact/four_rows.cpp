// Rows of four trees that are alike, one tree in each lane: dofs, contacts, their sweeps.
// The laws are those of contact_law.h and row_law.h. Which operations come in which order is that of
// articulated_contacts.cpp, dof_rows.cpp and response.cpp, so that a tree has the same bits alone.
// There four dofs of a tree lie in a register and their products are summed as (0 + 1) + (2 + 3); here these are four
// registers. Where a row has no number there is a zero here, which changes nothing: sums begin with zero.

#include "solvers/softstep/contact/four_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "mechane/math/four.h"
#include "solvers/softstep/contact/articulated_contacts.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/mechanism/rows.h"
#include "solvers/softstep/parameters.h"

namespace mechane::solvers::softstep {

namespace {

constexpr int kSix = 6, kThree = 3;  ///< rows of a link, of a point: numbers of each dof

// What a point takes over of a row as it lies there.
constexpr int kLoaded = 10;
static_assert(offsetof(ContactRow, base) == 3 * sizeof(double) && offsetof(ContactRow, distance) == 6 * sizeof(double) &&
              offsetof(ContactRow, mu) == 7 * sizeof(double) && offsetof(ContactRow, drift) == 8 * sizeof(double));
static_assert(offsetof(FourPoint, base) == 3 * sizeof(Lanes) && offsetof(FourPoint, distance) == 6 * sizeof(Lanes) &&
              offsetof(FourPoint, mu) == 7 * sizeof(Lanes) && offsetof(FourPoint, drift) == 8 * sizeof(Lanes));
static_assert(offsetof(ContactRow, t1) == offsetof(ContactRow, n) + sizeof(Vec3d) &&
              offsetof(ContactRow, t2) == offsetof(ContactRow, n) + 2 * sizeof(Vec3d));

MCH_INLINE Lanes sum_of(const Lanes (&x)[kLanes]) { return (x[0] + x[1]) + (x[2] + x[3]); }

MCH_INLINE LaneMask mask_of(unsigned trees)
{
    constexpr LaneMask kBits = {1, 2, 4, 8};
    return ((LaneMask{} + static_cast<std::int64_t>(trees)) & kBits) != 0;
}

/// Products of a dof's row with velocities.
MCH_INLINE Lanes product(const Lanes* row, const std::int32_t* blocks, std::int32_t count, const Lanes* u)
{
    Lanes sums[kLanes] = {};
    for (std::int32_t b = 0; b < count; ++b)
        for (int i = 0; i < kLanes; ++i) sums[i] += row[kLanes * b + i] * u[blocks[b] + i];
    return sum_of(sums);
}

MCH_INLINE Along<Lanes> rates(const FourPoint& point, const Lanes* u)
{
    Lanes        n[kLanes] = {}, t1[kLanes] = {}, t2[kLanes] = {};
    const Lanes* J = point.J;
    for (std::int32_t b = 0; b < point.count; ++b)
        for (int i = 0; i < kLanes; ++i, J += kThree) {
            const Lanes v = u[point.blocks[b] + i];
            n[i] += J[0] * v;
            t1[i] += J[1] * v;
            t2[i] += J[2] * v;
        }
    return {point.base[0] + sum_of(n), point.base[1] + sum_of(t1), point.base[2] + sum_of(t2)};
}

MCH_INLINE Lanes normal_rate(const FourPoint& point, const Lanes* u)
{
    Lanes        n[kLanes] = {};
    const Lanes* J         = point.J;
    for (std::int32_t b = 0; b < point.count; ++b)
        for (int i = 0; i < kLanes; ++i, J += kThree) n[i] += J[0] * u[point.blocks[b] + i];
    return point.base[0] + sum_of(n);
}

MCH_INLINE void apply(const FourPoint& point, const Along<Lanes>& impulse, Lanes* u)
{
    const Lanes* J = point.J;
    for (std::int32_t b = 0; b < point.count; ++b)
        for (int i = 0; i < kLanes; ++i, J += kThree)
            u[point.blocks[b] + i] += impulse[0] * J[0] + impulse[1] * J[1] + impulse[2] * J[2];
}

/// As extend_six of response.cpp. `dofs`: those of the link itself.
struct OwnDof {
    const Lanes *row, *column;
    std::int32_t count;
};
[[gnu::flatten]] MCH_CLONES_AVX2 void extend_six(const Lanes* before, std::int32_t before_count, const OwnDof* dofs,
                                                 std::int32_t dof_count, const std::uint8_t* on_path, std::int32_t count,
                                                 Lanes* to)
{
    for (std::int32_t b = 0; b < count; ++b)
        for (int i = 0; i < kLanes; ++i, to += kSix) {
            Lanes six[kSix] = {};
            if (on_path[b] >> i & 1u) {
                if (b < before_count)
                    for (int c = 0; c < kSix; ++c) six[c] = before[kSix * (kLanes * b + i) + c];
                for (std::int32_t k = 0; k < dof_count; ++k) {
                    if (b >= dofs[k].count) continue;
                    const Lanes own = dofs[k].row[kLanes * b + i];
                    for (int c = 0; c < kSix; ++c) six[c] += dofs[k].column[c] * own;
                }
            }
            for (int c = 0; c < kSix; ++c) to[c] = six[c];
        }
}

/// Where contacts act on their links. A contact of one link with what no impulse moves has its link in seat 0, one of
/// two links those of shape 0 and 1.
struct alignas(sizeof(Lanes)) Arm {
    Vec3T<Four> d[3];        ///< n, t1, t2
    Lanes       sign;        ///< of the link in seat 0; the other has the positive one
    Vec3T<Four> r[2];        ///< surface points from the reference point of the tree
    LaneMask    one;         ///< lanes with contacts of one link
    bool        some_two = false;
};

/// The way that a link goes along n, t1, t2, as build_framed asks for it.
struct Ways {
    Along<Lanes> d[3];
    Lanes        arm[3];
};
MCH_INLINE Ways ways_of(const Arm& arm)
{
    Ways out;
    for (int i = 0; i < 3; ++i) {
        out.arm[i] = dot(arm.r[0], arm.d[i]).v;
        out.d[i]   = {arm.sign * arm.d[i].x.v, arm.sign * arm.d[i].y.v, arm.sign * arm.d[i].z.v};
    }
    return out;
}

/// The velocity of a point along n, t1, t2 from six rows of its link: as turn_six and move_six.
MCH_INLINE void move(const Ways& at, const Lanes* W, Lanes* out)
{
    Lanes v[3], w[3];
    for (int r = 0; r < 3; ++r) {
        v[r] = (at.d[r][0] * W[0] + at.d[r][1] * W[1]) + at.d[r][2] * W[2];
        w[r] = (at.d[r][0] * W[3] + at.d[r][1] * W[4]) + at.d[r][2] * W[5];
    }
    out[0] = v[0] + (at.arm[2] * w[1] - at.arm[1] * w[2]);
    out[1] = v[1] + (at.arm[0] * w[2] - at.arm[2] * w[0]);
    out[2] = v[2] + (at.arm[1] * w[0] - at.arm[0] * w[1]);
}

/// Force and torque about the reference point of three rows.
struct Wrench {
    Lanes of[3][kSix];
};
MCH_INLINE Wrench wrench_of(const Arm& arm, std::size_t seat, const Lanes& sign)
{
    Wrench out;
    for (int i = 0; i < 3; ++i) {
        const Vec3T<Four> force = Four(sign) * arm.d[i], turn = Vec3T<Four>{} + cross(arm.r[seat], force);
        const Vec3T<Four>* const both[2] = {&force, &turn};
        for (int c = 0; c < kSix; ++c) out.of[i][c] = (&both[c / 3]->x)[c % 3].v;
    }
    return out;
}
/// As add_products.
MCH_INLINE Lanes product_of(const Lanes (&wrench)[kSix], const Lanes* W)
{
    Lanes sum = wrench[0] * W[0];
    for (int c = 1; c < kSix; ++c) sum += wrench[c] * W[c];
    return sum;
}

/// Rows of a point and their responses to each other, as build_framed and build_linear. `six`: of each block the rows of
/// the links in both seats.
[[gnu::flatten]] MCH_CLONES_AVX2 void build_rows(FourPoint& point, const Arm& arm, const Lanes* const* six,
                                                 const Lanes* const* six1)
{
    const Ways   ways = ways_of(arm);
    Wrench       wrench0, wrench1;
    if (arm.some_two) {
        wrench0 = wrench_of(arm, 0, Lanes{} - 1);
        wrench1 = wrench_of(arm, 1, Lanes{} + 1);
    }
    Lanes part[kLanes][6];
    for (int i = 0; i < kLanes; ++i) {
        Lanes nn{}, n1{}, n2{}, k11{}, k12{}, k22{};
        for (std::int32_t b = 0; b < point.count; ++b) {
            const Lanes* const W = six[b] + kSix * i;
            Lanes* const       J = point.J + kThree * (kLanes * b + i);
            move(ways, W, J);
            if (arm.some_two) {
                const Lanes* const W1 = six1[b] + kSix * i;
                for (int r = 0; r < kThree; ++r) {
                    Lanes sum{};
                    sum += product_of(wrench0.of[r], W);
                    sum += product_of(wrench1.of[r], W1);
                    J[r] = simd::select(arm.one, J[r], sum);
                }
            }
            const Lanes n = J[0], t1 = J[1], t2 = J[2];
            nn += n * n;
            n1 += n * t1;
            n2 += n * t2;
            k11 += t1 * t1;
            k12 += t1 * t2;
            k22 += t2 * t2;
        }
        const Lanes all[6] = {nn, n1, n2, k11, k12, k22};
        for (int c = 0; c < 6; ++c) part[i][c] = all[c];
    }
    for (std::size_t c = 0; c < 6; ++c) point.K[c] = (part[0][c] + part[1][c]) + (part[2][c] + part[3][c]);
}

/// As turning_response.
[[gnu::flatten]] MCH_CLONES_AVX2 void respond_to_turning(std::int32_t count, const Arm& arm, const Lanes* const* six,
                                                         const Lanes* const* six1, double* out)
{
    const Ways ways              = ways_of(arm);
    Lanes      squares[kLanes]   = {};
    Lanes      of_two[3][kLanes] = {};
    for (std::int32_t b = 0; b < count; ++b)
        for (int i = 0; i < kLanes; ++i) {
            const Lanes *const W = six[b] + kSix * i, *const W1 = arm.some_two ? six1[b] + kSix * i : nullptr;
            for (int r = 0; r < 3; ++r) {
                const auto& d = ways.d[r];
                const Lanes w = (d[0] * W[3] + d[1] * W[4]) + d[2] * W[5];
                squares[i] += w * w;
                if (!arm.some_two) continue;
                const auto&  n       = arm.d[r];
                const Lanes  axis[3] = {n.x.v, n.y.v, n.z.v};
                Wrench       wrench0{}, wrench1{};
                for (int c = 0; c < 3; ++c) {
                    wrench0.of[r][3 + c] = -axis[c];
                    wrench1.of[r][3 + c] = axis[c];
                }
                Lanes sum{};
                sum += product_of(wrench0.of[r], W);
                sum += product_of(wrench1.of[r], W1);
                of_two[r][i] += sum * sum;
            }
        }
    const Lanes two = sum_of(of_two[0]) + sum_of(of_two[1]) + sum_of(of_two[2]);
    lanes(out)      = simd::select(arm.one, sum_of(squares), two);
}

/// The numbers of each lane's row, and of its arm.
struct PointInput {
    std::array<const double*, 4>                loaded, directions, reference;
    std::array<std::array<const double*, 4>, 2> p;
    double                                      sign[4];
};
[[gnu::flatten]] MCH_CLONES_AVX2 void load_point(const PointInput& in, FourPoint& point, Arm& arm)
{
    gather_numbers<kLoaded>(in.loaded, &point.lambda[0]);
    gather_numbers<9>(in.directions, &arm.d[0].x.v);
    Vec3T<Four> p, reference;
    gather_numbers<3>(in.reference, &reference.x.v);
    for (std::size_t s = 0; s < (arm.some_two ? 2U : 1U); ++s) {
        gather_numbers<3>(in.p[s], &p.x.v);
        arm.r[s] = p - reference;
    }
    arm.sign = lanes(in.sign);
}

/// What the law needs of a point; `mass`: of the links that it pushes.
[[gnu::flatten]] MCH_CLONES_AVX2 void set_law(FourPoint& point, const double* mass, const Softness& soft, double h)
{
    const auto&  K     = point.K;
    point.push         = push_speed(K[0], Lanes(lanes(mass)));
    // As build_contact: a body that can move along one tangent only has a singular block.
    const Lanes  ridge = 1e-9 * (K[3] + K[5]) + 1e-14;
    const auto   block = invert_tangents(Lanes(K[3] + ridge), K[4], Lanes(K[5] + ridge), Lanes{});
    point.inverse      = {block.inverse[0], block.inverse[1], block.inverse[2]};
    point.slip_step    = block.step;
    point.normal       = stiff_normal(point.distance, Lanes(1 / K[0]), point.push, soft, 1 / h, false);
}

[[gnu::flatten]] MCH_CLONES_AVX2 void warm_start_points(FourPoint* points, std::int32_t count, Lanes* u)
{
    for (FourPoint* p = points; p != points + count; ++p) {
        hold_friction<Lanes>(*p);
        const LaneMask pushes = p->active & (p->lambda[0] != 0);
        if (!simd::any(pushes)) continue;
        Along<Lanes> impulse;
        for (std::size_t k = 0; k < 3; ++k) impulse[k] = simd::select(pushes, p->lambda[k], Lanes{});
        apply(*p, impulse, u);
    }
}

/// As solve_contact.
MCH_INLINE void solve(FourPoint& point, LaneMask live, double anchor, bool relax, Lanes* u, Lanes& change)
{
    const LaneMask now = point.active & live;
    if (!simd::any(now)) return;
    const LaneMask touched = now & ~is_untouched(point);
    if (!simd::any(touched)) {
        const LaneMask open = relax ? now & ~(point.distance > 0) : now;
        if (!simd::any(open)) return;
        if (!simd::any(open & ~(normal_rate(point, u) + point.normal.bias >= 0))) return;
    }
    const simd::Packs<Lanes, 3> lambda = point.lambda;
    const simd::Packs<Lanes, 2> drift  = point.drift;
    Along<Lanes>                d      = solve_point(point, point.normal, rates(point, u), anchor, relax);
    for (std::size_t k = 0; k < 3; ++k) {
        point.lambda[k] = simd::select(now, point.lambda[k], lambda[k]);
        d[k]            = simd::select(now, d[k], Lanes{});
    }
    for (std::size_t k = 0; k < 2; ++k) point.drift[k] = simd::select(now, point.drift[k], drift[k]);
    const LaneMask changed = (d[0] != 0) | (d[1] != 0) | (d[2] != 0);
    if (!simd::any(changed)) return;
    apply(point, d, u);
    for (std::size_t k = 0; k < 3; ++k) {
        const Lanes by = simd::abs(d[k]) * simd::select(now, point.K[k == 0 ? 0 : k == 1 ? 3 : 5], Lanes{});
        change         = simd::select(change < by, by, change);
    }
}

[[gnu::flatten]] MCH_CLONES_AVX2 void sweep_points(FourPoint* points, std::int32_t count, bool backwards, unsigned live,
                                                   double anchor, bool relax, Lanes* u, double* change)
{
    const LaneMask who  = mask_of(live);
    Lanes          most = lanes(change);
    if (backwards)
        for (std::int32_t i = count; i-- > 0;) solve(points[i], who, anchor, relax, u, most);
    else
        for (std::int32_t i = 0; i < count; ++i) solve(points[i], who, anchor, relax, u, most);
    lanes(change) = most;
}

[[gnu::flatten]] MCH_CLONES_AVX2 void advance_points(FourPoint* points, std::int32_t count, double h, const Lanes* u)
{
    for (FourPoint* p = points; p != points + count; ++p) {
        advance_point(*p, rates(*p, u), h);
        p->normal = stiff_normal(p->distance, Lanes(1 / p->K[0]), p->push, {}, 1 / h, true);
    }
}

[[gnu::flatten]] MCH_CLONES_AVX2 void rate_of(const FourDof& dof, const Lanes* u, double* out)
{ lanes(out) = product(dof.row, dof.blocks, dof.count, u); }

[[gnu::flatten]] MCH_CLONES_AVX2 void square_of(const FourDof& dof, double* out)
{
    Lanes sums[kLanes] = {};
    for (std::int32_t b = 0; b < dof.count; ++b)
        for (int i = 0; i < kLanes; ++i) sums[i] += dof.row[kLanes * b + i] * dof.row[kLanes * b + i];
    lanes(out) = sum_of(sums);
}

[[gnu::flatten]] MCH_CLONES_AVX2 void apply(const FourDof& dof, const double* impulse, Lanes* u)
{
    const Lanes l = lanes(impulse);
    for (std::int32_t b = 0; b < dof.count; ++b)
        for (int i = 0; i < kLanes; ++i) u[dof.blocks[b] + i] += l * dof.row[kLanes * b + i];
}

/// Rows of all dofs with velocities.
[[gnu::flatten]] MCH_CLONES_AVX2 void read_rates(const Lanes* rows, const std::int32_t* block_begin,
                                                 const std::int32_t* blocks, std::int32_t dofs, const Lanes* u,
                                                 const Places<double>& v)
{
    std::int32_t k = 0;
    const auto   rate = [&](std::int32_t dof) MCH_INLINE_LAMBDA {
        const std::int32_t first = block_begin[dof], count = block_begin[dof + 1] - first;
        return product(rows + kLanes * (first - block_begin[0]), blocks + first, count, u);
    };
    for (; k + kLanes <= dofs; k += kLanes) {
        simd::Packs<Lanes, 4> r{{rate(k), rate(k + 1), rate(k + 2), rate(k + 3)}};
        simd::transpose(r);
        for (std::size_t t = 0; t < 4; ++t) lanes(v[t] + k) = r[t];
    }
    for (; k < dofs; ++k) {
        const Lanes r = rate(k);
        for (std::size_t t = 0; t < 4; ++t) v[t][k] = r[static_cast<int>(t)];
    }
}

/// Whether a contact is one of those that lie in lanes: it only slides.
bool is_plain(const ContactRow& row)
{
    const bool two = row.link[0] >= 0 && row.link[1] >= 0;
    return !row.free && (row.frame || two) && !row.spins() && row.stiffness == 0 && !(row.restitution > 0);
}

/// The link itself, or the one before it that has dofs.
std::int32_t with_dofs(const Forest& f, std::int32_t link)
{
    while (link >= 0 && f.links[link].dofs == 0) link = f.links[link].parent;
    return link;
}

}  // namespace

bool FourRows::fits(const System& system, const Work& work, dynamics::FourDynamics& four)
{
    if (system.carried || system.wants_reactions || four.locked()) return false;
    const Forest& f = system.forest;
    const Tree&   tree = f.trees[work.trees[0]];
    std::int32_t  most = 0;
    for (const std::int32_t i : work.island) {
        const Island& island = system.islands[i];
        if (island.block >= 0 || island.general_begin != island.general_end) return false;
        for (std::int32_t c = island.contact_begin; c < island.contact_end; ++c) {
            const ContactRow& row = *system.order[c];
            if (!is_plain(row)) return false;
            for (const std::int32_t link : row.link)
                if (link >= 0 && with_dofs(f, link) < 0) return false;
        }
        most = std::max(most, island.contact_end - island.contact_begin);
    }
    // Rows of the points, with those of links where they differ; and those of all links.
    const std::int32_t row = kLanes * tree.block_count();
    return most <= kMostPoints && row * ((kThree + 2 * kSix) * most + kSix * (tree.link_end - tree.link_begin)) <= kRoom;
}

FourRows::FourRows(System& system, const Work& work, dynamics::FourDynamics& four, double h, bool first)
    : system_(system),
      work_(work),
      four_(four),
      tree_(system.forest.trees[work.trees[0]]),
      h_(h),
      soft_(softness(kContactHertzTimesStep / h, kContactDampingRatio, h)),
      rows_(four.rows()),
      u_(&rows_.velocities->v),
      next_(reinterpret_cast<Lanes*>(room_))
{
    for (std::int32_t l = 0; l < tree_.link_end - tree_.link_begin; ++l) links_[static_cast<std::size_t>(l)].at = nullptr;
    build_dofs();
    build_points(first);
}

/// Not made one by one: each is written before it is read.
static FourPoint* points_of(std::byte* storage) { return reinterpret_cast<FourPoint*>(storage); }

void FourRows::build_dofs()
{
    const dynamics::Paths& paths = system_.paths;
    for (const std::int32_t t : work_.trees) {
        Group& group         = system_.groups[system_.forest.trees[t].group];
        group.active_dof_end = group.dof_begin;
    }
    for (std::int32_t k = 0; k < tree_.dof_count(); ++k) {
        unsigned trees = 0;
        for (std::size_t t = 0; t < 4; ++t)
            if (make_dof_laws(system_, system_.forest.trees[work_.trees[t]].dof_begin + k, h_)) trees |= 1u << t;
        if (trees == 0) continue;
        const std::int32_t dof   = tree_.dof_begin + k;
        FourDof&           rows  = dofs_[static_cast<std::size_t>(dof_count_)];
        rows                     = {.dof    = k,
                                    .trees  = 0,
                                    .row    = row(dof),
                                    .blocks = paths.blocks.data() + paths.block_begin[dof],
                                    .count  = paths.block_begin[dof + 1] - paths.block_begin[dof]};
        alignas(sizeof(Lanes)) double w[kLanes];
        square_of(rows, w);
        for (std::size_t t = 0; t < 4; ++t) {
            if (!(trees >> t & 1u)) continue;
            const Tree& tree = system_.forest.trees[work_.trees[t]];
            if (keep_dof_rows(system_, system_.groups[tree.group], tree.dof_begin + k, w[t])) rows.trees |= 1u << t;
        }
        if (rows.trees != 0) ++dof_count_;
    }
}

const FourRows::LinkRows& FourRows::link_rows(std::int32_t link)
{
    const Forest&          f     = system_.forest;
    const dynamics::Paths& paths = system_.paths;
    LinkRows&              out   = links_[static_cast<std::size_t>(link - tree_.link_begin)];
    if (out.at) return out;
    const Link&        own   = f.links[link];
    const std::int32_t last  = own.dof + own.dofs - 1, first = paths.block_begin[last];
    out.blocks  = paths.blocks.data() + first;
    out.on_path = paths.on_path.data() + first;
    out.count   = paths.block_begin[last + 1] - first;
    // Links between that nobody has asked for are passed over: their dofs are added in the same order. The root's rows
    // are the beginning of those of all others.
    std::array<OwnDof, kMostDofs> dofs;
    std::int32_t                  next  = kMostDofs;
    std::int32_t                  above = link;
    do {
        const Link& passed = f.links[above];
        for (std::int32_t k = passed.dofs; k-- > 0;)
            dofs[static_cast<std::size_t>(--next)] = {
                row(passed.dof + k), &rows_.columns[kSix * (passed.dof + k - tree_.dof_begin)].v,
                paths.block_begin[passed.dof + k + 1] - paths.block_begin[passed.dof + k]};
        above = with_dofs(f, passed.parent);
    } while (above >= 0 && f.links[above].parent >= 0 && !links_[static_cast<std::size_t>(above - tree_.link_begin)].at);
    const Lanes* before       = nullptr;
    std::int32_t before_count = 0;
    if (above >= 0) {
        const LinkRows& rows = link_rows(above);
        before = rows.at, before_count = rows.count;
    }
    Lanes* const six = take(kSix * kLanes * out.count);
    extend_six(before, before_count, dofs.data() + next, kMostDofs - next, out.on_path, out.count, six);
    out.at = six;
    out.place.fill(-1);
    for (std::int32_t b = 0; b < out.count; ++b)
        out.place[static_cast<std::size_t>(out.blocks[b] / kLanes)] = static_cast<std::int8_t>(b);
    return out;
}

void FourRows::build_points(bool first)
{
    std::array<std::int32_t, 4> next{}, end{};
    for (std::size_t t = 0; t < 4; ++t) {
        next[t] = system_.islands[work_.island[t]].contact_begin;
        end[t]  = system_.islands[work_.island[t]].contact_end;
    }
    for (;;) {
        FourPoint& point = points_of(points_)[point_count_];
        Found      found;
        point.row = {};
        bool any  = false;
        for (std::size_t t = 0; t < 4; ++t)
            while (next[t] < end[t] && !point.row[t]) {
                ContactRow&          row = *system_.order[next[t]++];
                std::array<Vec3d, 2> core, surface;
                if (!place_contact(system_, row, h_, first, core, surface)) continue;
                point.row[t] = &row;
                double mass  = 1e300;
                for (std::size_t s = 0; s < 2; ++s) {
                    found.p[s][t] = surface[s];
                    if (row.link[s] >= 0) mass = std::min(mass, system_.forest.links[row.link[s]].mass);
                }
                found.mass[t] = mass;
                any           = true;
            }
        if (!any) return;
        build_point(point, found);
        ++point_count_;
    }
}

/// Of each block of a point the six rows of the links in a seat (-1: none), in the numbering of the first tree.
void FourRows::place_rows(FourPoint& point, const std::array<std::array<std::int32_t, 4>, 2>& link, std::size_t seat,
                          const Lanes** six)
{
    static const std::array<Lanes, kSix * kLanes> kNone{};
    const auto&                                   of   = link[seat];
    const bool                                    same = of[0] == of[1] && of[0] == of[2] && of[0] == of[3];
    for (std::int32_t b = 0; b < point.count; ++b) {
        const auto block = static_cast<std::size_t>(point.blocks[static_cast<std::size_t>(b)] / kLanes);
        const auto rows  = [&](std::int32_t l) -> const Lanes* {
            if (l < 0) return kNone.data();
            const LinkRows& own = link_rows(l);
            return own.place[block] < 0 ? kNone.data() : own.at + kSix * kLanes * own.place[block];
        };
        if (same) {
            six[b] = rows(of[0]);
            continue;
        }
        Lanes* const to = take(kSix * kLanes);
        for (int t = 0; t < 4; ++t) {
            const Lanes* const from = rows(of[static_cast<std::size_t>(t)]);
            for (int i = 0; i < kSix * kLanes; ++i)
                reinterpret_cast<double*>(to + i)[t] = reinterpret_cast<const double*>(from + i)[t];
        }
        six[b] = to;
    }
}

void FourRows::build_point(FourPoint& point, const Found& found)
{
    const Forest& f    = system_.forest;
    std::size_t   some = 0;
    while (!point.row[some]) ++some;
    PointInput                                 in;
    std::array<std::array<std::int32_t, 4>, 2> link{};
    Arm                                        arm;
    unsigned                                   there = 0, two = 0;
    for (std::size_t t = 0; t < 4; ++t) {
        // A lane without a contact has rows of zeros: nothing of another tree, which may be about to diverge.
        const std::size_t from = point.row[t] ? t : some;
        const ContactRow& row  = *point.row[from];
        const auto        moving = [&](std::size_t s) {
            return row.link[s] < 0
                              ? -1
                              : with_dofs(f, row.link[s]) - f.trees[work_.trees[from]].link_begin + tree_.link_begin;
        };
        const std::size_t s = row.link[0] >= 0 ? 0 : 1;
        link[0][t]          = moving(s);
        link[1][t]          = row.frame ? -1 : moving(1);
        in.sign[t]          = s == 0 ? -1 : 1;
        if (!row.frame) two |= 1u << t;
        static constexpr std::array<double, kLoaded> kNothing{};
        in.loaded[t] = in.directions[t] = in.p[0][t] = in.p[1][t] = in.reference[t] = kNothing.data();
        if (!point.row[t]) continue;
        in.loaded[t]     = row.lambda.data();
        in.directions[t] = &row.n.x;
        in.p[0][t]       = &found.p[s][t].x;
        in.p[1][t]       = &found.p[1][t].x;
        in.reference[t]  = &system_.motion.reference[work_.trees[t]].x;
        there |= 1u << t;
    }
    arm.some_two = two != 0;
    arm.one      = ~mask_of(two);
    load_point(in, point, arm);
    // Blocks of all links, ascending.
    std::uint32_t blocks = 0;
    for (const auto& seat : link)
        for (std::size_t t = 0; t < 4; ++t)
            if (seat[t] >= 0 && (t == 0 || seat[t] != seat[t - 1])) {
                const LinkRows& rows = link_rows(seat[t]);
                for (std::int32_t b = 0; b < rows.count; ++b) blocks |= 1u << rows.blocks[b] / kLanes;
            }
    point.count = 0;
    for (std::int32_t b = 0; blocks >> b != 0; ++b)
        if (blocks >> b & 1u) point.blocks[static_cast<std::size_t>(point.count++)] = kLanes * b;
    std::array<const Lanes*, kMostBlocks> six{}, six1{};
    place_rows(point, link, 0, six.data());
    if (arm.some_two) place_rows(point, link, 1, six1.data());
    point.J = take(kThree * kLanes * point.count);
    build_rows(point, arm, six.data(), six1.data());
    alignas(sizeof(Lanes)) double K[kLanes], turning[kLanes] = {}, mu[kLanes];
    lanes(K)       = point.K[0];
    lanes(mu)      = point.mu;
    bool turned    = false;
    for (std::size_t t = 0; t < 4; ++t) {
        if (!(there >> t & 1u)) continue;
        ContactRow&                row = *point.row[t];
        const std::array<Vec3d, 2> surface{found.p[0][t], found.p[1][t]};
        // Nothing that could move can be pushed.
        bool pushed = K[t] > 1e-12;
        if (pushed && is_response_small(K[t], found.mass[t])) {
            if (!std::exchange(turned, true)) respond_to_turning(point.count, arm, six.data(), six1.data(), turning);
            pushed = !lacks_lever(system_, row, surface, K[t], turning[t]);
        }
        if (!pushed) {
            leave_out(row);
            there &= ~(1u << t);
            continue;
        }
        if (row.mu < 0) {
            choose_friction(system_, row, surface);
            mu[t] = row.mu;
        }
    }
    point.mu     = lanes(mu);
    point.active = mask_of(there);
    set_law(point, found.mass.data(), soft_, h_);
    for (std::size_t k = 0; k < 3; ++k) point.lambda[k] = simd::select(point.active, point.lambda[k], Lanes{});
    for (std::size_t t = 0; t < 4; ++t)
        if (!(there >> t & 1u)) point.row[t] = nullptr;
}

void FourRows::warm_start()
{
    for (std::int32_t i = 0; i < dof_count_; ++i) {
        const FourDof& rows = dofs_[static_cast<std::size_t>(i)];
        alignas(sizeof(Lanes)) double impulse[kLanes] = {};
        for (std::size_t t = 0; t < 4; ++t)
            if (rows.trees >> t & 1u)
                impulse[t] = start_dof_rows(system_.dof_rows[system_.forest.trees[work_.trees[t]].dof_begin + rows.dof]);
        if (impulse[0] != 0 || impulse[1] != 0 || impulse[2] != 0 || impulse[3] != 0) apply(rows, impulse, u_);
    }
    warm_start_points(points_of(points_), point_count_, u_);
}

std::array<double, 4> FourRows::sweep(bool backwards, double anchor, bool relax, unsigned live)
{
    alignas(sizeof(Lanes)) std::array<double, 4> change{};
    for (std::int32_t i = 0; i < dof_count_; ++i) {
        const FourDof& rows = dofs_[static_cast<std::size_t>(i)];
        if ((rows.trees & live) == 0) continue;
        // Friction, velocity limit, lower and upper limit, each of all trees before the next.
        alignas(sizeof(Lanes)) double rate[kLanes], impulse[4][kLanes] = {};
        bool                          pushes[4] = {};
        rate_of(rows, u_, rate);
        for (std::size_t t = 0; t < 4; ++t) {
            if (!(rows.trees & live & 1u << t)) continue;
            solve_dof_laws(system_.dof_rows[system_.forest.trees[work_.trees[t]].dof_begin + rows.dof], rate[t], relax,
                           change[t], [&](int which, double by) __attribute__((always_inline)) {
                               impulse[which][t] = by;
                               pushes[which]     = true;
                           });
        }
        for (std::size_t kind = 0; kind < 4; ++kind)
            if (pushes[kind]) apply(rows, impulse[kind], u_);
    }
    sweep_points(points_of(points_), point_count_, backwards, live, anchor, relax, u_, change.data());
    return change;
}

void FourRows::end()
{
    const dynamics::Paths& paths = system_.paths;
    Places<double>         v{};
    for (std::size_t t = 0; t < 4; ++t) v[t] = system_.motion.v.data() + system_.forest.trees[work_.trees[t]].dof_begin;
    read_rates(&rows_.rows->v, paths.block_begin.data() + tree_.dof_begin, paths.blocks.data(),
               tree_.dof_count(), u_, v);
}

void FourRows::reload(std::size_t tree)
{
    put_rows(system_, four_, work_.trees);
    const Group& group = system_.groups[system_.forest.trees[work_.trees[tree]].group];
    begin_rows(system_, group, false);
    for (std::int32_t k = 0; k < tree_.dof_count(); ++k)
        u_[k][static_cast<int>(tree)] = system_.u[group.u_begin + k];
}

void FourRows::advance() { advance_points(points_of(points_), point_count_, h_, u_); }

void FourRows::store()
{
    for (std::int32_t i = 0; i < point_count_; ++i) {
        const FourPoint& point = points_of(points_)[i];
        for (std::size_t t = 0; t < 4; ++t) {
            if (!point.row[t]) continue;
            ContactRow& row  = *point.row[t];
            const auto  own  = static_cast<int>(t);
            for (std::size_t k = 0; k < 3; ++k) {
                row.lambda[k] = point.lambda[k][own];
                row.impulse_sum[k] += row.lambda[k];
            }
            for (std::size_t k = 0; k < 2; ++k) row.drift[k] = point.drift[k][own];
            row.distance = point.distance[own];
        }
    }
}

}  // namespace mechane::solvers::softstep
