// The dynamics of four trees that are alike (Tree::kind), one in each lane of a SIMD register. See articulated.cpp for
// the mathematics.
// Every operation is that of one tree, on each lane, in the same order. So a robot has the same bits alone and among
// its copies; a test compares them.
// Storage is on the stack of the caller, sized for the largest tree that `fits` accepts.

#include "mechane/dynamics/four_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechane/math/four.h"
#include "recursions.h"

namespace mechane {

/// Found by the recursions through their arguments.
[[gnu::always_inline]] inline QuatT<Four> unit(const QuatT<Four>& q)
{
    const Four     n     = root(dot(q, q));
    // As normalized() of one quaternion: what has no finite length becomes the identity.
    const LaneMask sound = (n.v > 0) & (n.v < std::numeric_limits<double>::infinity());
    const Four     scale = Four(1).v / n.v;
    const auto keep = [&](const Four& x, double otherwise)
                          __attribute__((always_inline)) { return Four(sound ? (scale * x).v : Four(otherwise).v); };
    return {keep(q.x, 0), keep(q.y, 0), keep(q.z, 0), keep(q.w, 1)};
}

}  // namespace mechane

namespace mechane::dynamics {

namespace {

/// Places of the item that is `index` among those of the first tree.
/// Trees that are alike differ only by where their links and dofs begin.
template <class T>
[[gnu::always_inline]] inline Places<T> places(T* first, std::int32_t index, const std::array<std::int32_t, 4>& behind)
{ return {first + index + behind[0], first + index + behind[1], first + index + behind[2], first + index + behind[3]}; }

/// Room for numbers that are written before they are read.
struct Room {
    std::byte* next;

    template <class T>
    T* take(std::int32_t count)
    {
        T* const out = reinterpret_cast<T*>(next);
        next += static_cast<std::ptrdiff_t>(sizeof(T)) * count;
        return out;
    }
};

std::array<std::int32_t, 4> behind_first(const FourTrees& trees, const auto& of)
{ return {0, of(trees[1]) - of(trees[0]), of(trees[2]) - of(trees[0]), of(trees[3]) - of(trees[0])}; }

std::array<std::int32_t, 4> links_behind(const Forest& f, const FourTrees& trees)
{
    return behind_first(trees, [&](std::int32_t t) { return f.trees[t].link_begin; });
}
std::array<std::int32_t, 4> dofs_behind(const Forest& f, const FourTrees& trees)
{
    return behind_first(trees, [&](std::int32_t t) { return f.trees[t].dof_begin; });
}

}  // namespace

namespace {

/// What kinematics makes, in lanes; links and dofs in the numbering of the first tree.
struct FourPlaced {
    using Number = Four;

    const Motion&               motion;
    std::int32_t                first_link, first_dof;
    std::array<std::int32_t, 4> link_behind, dof_behind, coord_behind;
    Vec3T<Four>*                reference_;
    PoseT<Four>*                pose_;
    Mat33T<Four>*               turn_;
    Vec3T<Four>*                com_;
    SpatialT<Four>*             twist_;
    SpatialT<Four>*             velocity_;
    SpatialT<Four>*             column_;
    const double*               half_turns;  ///< per dof: sines of the four trees, cosines

    [[gnu::always_inline]] Four coordinate(std::int32_t c) const
    { return pick(places(motion.q.data(), c, coord_behind), 0); }
    [[gnu::always_inline]] Four rate(std::int32_t k) const { return pick(places(motion.v.data(), k, dof_behind), 0); }
    [[gnu::always_inline]] std::pair<Four, Four> half_turn(const Link& link, int k) const
    {
        const double* at = half_turns + 8 * (link.dof + k - first_dof);
        return {lanes(at), lanes(at + kLanes)};
    }
    [[gnu::always_inline]] PoseT<Four> root_anchor(const Link& link) const
    {
        const Link* const first = &link;
        PoseT<Four>       X;
        gather(Places<const Posed>{&first->X_PJ, &(first + link_behind[1])->X_PJ, &(first + link_behind[2])->X_PJ,
                                   &(first + link_behind[3])->X_PJ},
               X);
        return X;
    }
    [[gnu::always_inline]] SpatialT<Four>  base_velocity(const Link&) const { return {}; }
    [[gnu::always_inline]] Vec3T<Four>&    reference() const { return *reference_; }
    [[gnu::always_inline]] PoseT<Four>&    pose(std::int32_t l) const { return pose_[l - first_link]; }
    [[gnu::always_inline]] Mat33T<Four>&   turn(std::int32_t l) const { return turn_[l - first_link]; }
    [[gnu::always_inline]] Vec3T<Four>&    com(std::int32_t l) const { return com_[l - first_link]; }
    [[gnu::always_inline]] SpatialT<Four>& twist(std::int32_t l) const { return twist_[l - first_link]; }
    [[gnu::always_inline]] SpatialT<Four>& velocity(std::int32_t l) const { return velocity_[l - first_link]; }
    [[gnu::always_inline]] SpatialT<Four>& column(std::int32_t k) const { return column_[k - first_dof]; }
};

[[gnu::flatten]] MCH_CLONES_AVX2 void place_four(const Forest& forest, const Tree& tree, const FourPlaced& s,
                                                 Motion& motion, const FourTrees& trees)
{
    place_links(forest, tree, s);
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        scatter(s.pose(l), places(motion.X_WB.data(), l, s.link_behind));
        scatter(s.turn(l), places(motion.R_WB.data(), l, s.link_behind));
        scatter(s.com(l), places(motion.com_W.data(), l, s.link_behind));
        scatter(s.twist(l), places(motion.twist.data(), l, s.link_behind));
        scatter(s.velocity(l), places(motion.link_velocity.data(), l, s.link_behind));
    }
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
        scatter(s.column(k), places(motion.column.data(), k, s.dof_behind));
    scatter(s.reference(), places(motion.reference.data(), 0, trees));
}

}  // namespace

void forward_kinematics(const Forest& forest, const FourTrees& trees, Motion& motion)
{
    const Tree&            tree       = forest.trees[trees[0]];
    const std::int32_t     links      = tree.link_end - tree.link_begin;
    constexpr std::int32_t kMostLinks = FourDynamics::kMostLinks, kMostDofs = FourDynamics::kMostDofs;
    alignas(32) std::byte  storage[32 * (31 * kMostLinks + 8 * kMostDofs + 3)];
    Room                   room{storage};
    double* const          half_turns = room.take<double>(8 * tree.dof_count());
    const FourPlaced       s{.motion       = motion,
                             .first_link   = tree.link_begin,
                             .first_dof    = tree.dof_begin,
                             .link_behind  = links_behind(forest, trees),
                             .dof_behind   = dofs_behind(forest, trees),
                             .coord_behind = behind_first(
                                 trees, [&](std::int32_t t) { return forest.links[forest.trees[t].link_begin].coord; }),
                             .reference_ = room.take<Vec3T<Four>>(1),
                             .pose_      = room.take<PoseT<Four>>(links),
                             .turn_      = room.take<Mat33T<Four>>(links),
                             .com_       = room.take<Vec3T<Four>>(links),
                             .twist_     = room.take<SpatialT<Four>>(links),
                             .velocity_  = room.take<SpatialT<Four>>(links),
                             .column_    = room.take<SpatialT<Four>>(tree.dof_count()),
                             .half_turns = half_turns};
    // Sines and cosines are computed one by one: a vectorised version would have other bits.
    for (std::size_t t = 0; t < 4; ++t)
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
            const Link& link = forest.links[l];
            if (link.free || link.axes.type == model::JointType::ball) continue;
            for (int k = link.axes.linear; k < link.dofs; ++k) {
                const double  half = motion.q[link.coord + s.coord_behind[t] + k] / 2;
                double* const to   = half_turns + 8 * (link.dof + k - tree.dof_begin) + t;
                to[0]              = std::sin(half);
                to[kLanes]         = std::cos(half);
            }
        }
    place_four(forest, tree, s, motion, trees);
}

/// What dynamics needs, in lanes; links and dofs in the numbering of the first tree.
struct FourMoving {
    using Number = Four;

    const Forest&               forest;
    const Tree&                 tree;
    std::array<std::int32_t, 4> link_behind, dof_behind;
    std::span<const Spatiald>   wrench;
    Vec3T<Four>*                reference_;
    Vec3T<Four>*                com_;
    Mat33T<Four>*               inertia_;
    SpatialT<Four>*             twist_;
    SpatialT<Four>*             velocity_;
    SpatialT<Four>*             acceleration_;
    SpatialT<Four>*             force_;
    CompositeT<Four>*           composite_;
    SpatialT<Four>*             column_;
    SpatialT<Four>*             momentum_;
    Four*                       load_;
    Four*                       rate_;
    // Of the mass matrix, in the layout of dynamics::Paths.
    const std::int32_t *block_begin, *blocks, *place;
    const std::uint8_t* on_path;
    Four*               inverse_pivots;
    Four*               x;
    Four *              roots, *u;  ///< whole blocks
    Four*               factors;
    Four*               white;

    explicit FourMoving(FourDynamics& d, std::span<const Spatiald> w = {})
        : forest(d.forest_),
          tree(d.forest_.trees[d.trees_[0]]),
          link_behind(d.link_),
          dof_behind(d.dof_),
          wrench(w),
          block_begin(d.paths_.block_begin.data() + tree.dof_begin),
          blocks(d.paths_.blocks.data()),
          place(d.paths_.place.data() + tree.dof_begin),
          on_path(d.paths_.on_path.data())
    {
        const std::int32_t links = tree.link_end - tree.link_begin, dofs = tree.dof_count();
        Room               room{d.storage_};
        reference_     = room.take<Vec3T<Four>>(1);
        com_           = room.take<Vec3T<Four>>(links);
        inertia_       = room.take<Mat33T<Four>>(links);
        twist_         = room.take<SpatialT<Four>>(links);
        velocity_      = room.take<SpatialT<Four>>(links);
        acceleration_  = room.take<SpatialT<Four>>(links);
        force_         = room.take<SpatialT<Four>>(links);
        composite_     = room.take<CompositeT<Four>>(links);
        column_        = room.take<SpatialT<Four>>(dofs);
        momentum_      = room.take<SpatialT<Four>>(dofs);
        load_          = room.take<Four>(dofs);
        rate_          = room.take<Four>(kLanes * tree.block_count());
        inverse_pivots = room.take<Four>(dofs);
        x              = room.take<Four>(dofs);
        roots          = room.take<Four>(kLanes * tree.block_count());
        u              = room.take<Four>(kLanes * tree.block_count());
        factors        = room.take<Four>(d.numbers_);
        white          = room.take<Four>(d.numbers_);
    }

    [[gnu::always_inline]] Four           rate(std::int32_t k) const { return rate_[k - tree.dof_begin]; }
    [[gnu::always_inline]] Four           acceleration_of_dof(std::int32_t) const { return 0; }
    [[gnu::always_inline]] SpatialT<Four> base_velocity(const Link&) const { return {}; }
    [[gnu::always_inline]] Vec3T<Four>    base_acceleration(const Link&) const { return {}; }
    [[gnu::always_inline]] void           take_wrench(std::int32_t l, SpatialT<Four>& f) const
    {
        if (wrench.empty()) return;
        SpatialT<Four> w;
        gather(places(wrench.data(), l, link_behind), w);
        f -= w;
    }
    [[gnu::always_inline]] Vec3T<Four>&    reference() const { return *reference_; }
    [[gnu::always_inline]] Vec3T<Four>&    com(std::int32_t l) const { return com_[l - tree.link_begin]; }
    [[gnu::always_inline]] Mat33T<Four>&   inertia(std::int32_t l) const { return inertia_[l - tree.link_begin]; }
    [[gnu::always_inline]] SpatialT<Four>& twist(std::int32_t l) const { return twist_[l - tree.link_begin]; }
    [[gnu::always_inline]] SpatialT<Four>& velocity(std::int32_t l) const { return velocity_[l - tree.link_begin]; }
    [[gnu::always_inline]] SpatialT<Four>& acceleration(std::int32_t l) const
    { return acceleration_[l - tree.link_begin]; }
    [[gnu::always_inline]] SpatialT<Four>&   force(std::int32_t l) const { return force_[l - tree.link_begin]; }
    [[gnu::always_inline]] CompositeT<Four>& composite(std::int32_t l) const { return composite_[l - tree.link_begin]; }
    [[gnu::always_inline]] SpatialT<Four>&   column(std::int32_t k) const { return column_[k - tree.dof_begin]; }
    [[gnu::always_inline]] SpatialT<Four>&   momentum(std::int32_t k) const { return momentum_[k - tree.dof_begin]; }
    [[gnu::always_inline]] Four&             load(std::int32_t k) const { return load_[k - tree.dof_begin]; }
};

namespace {

[[gnu::always_inline]] inline void gather_rates(const FourMoving& s, const double* v)
{
    for (std::int32_t k = s.tree.dof_begin; k < s.tree.dof_end; ++k)
        s.rate_[k - s.tree.dof_begin] = pick(places(v, k, s.dof_behind), 0);
    // Padding up to whole blocks is zero, so that products over blocks may run through it.
    for (std::int32_t k = s.tree.dof_count(); k < kLanes * s.tree.block_count(); ++k) s.rate_[k] = Four(0);
}

[[gnu::flatten]] MCH_CLONES_AVX2 void take_four(const FourMoving& s, const Motion& motion, const FourTrees& trees)
{
    gather(places(motion.reference.data(), 0, trees), s.reference());
    for (std::int32_t l = s.tree.link_begin; l < s.tree.link_end; ++l) {
        gather(places(motion.com_W.data(), l, s.link_behind), s.com(l));
        gather(places(motion.twist.data(), l, s.link_behind), s.twist(l));
        gather(places(motion.link_velocity.data(), l, s.link_behind), s.velocity(l));
        Mat33T<Four> R;
        gather(places(motion.R_WB.data(), l, s.link_behind), R);
        s.inertia(l) = turned(static_cast<Mat33T<Four>>(s.forest.links[l].inertia), R);
    }
    for (std::int32_t k = s.tree.dof_begin; k < s.tree.dof_end; ++k)
        gather(places(motion.column.data(), k, s.dof_behind), s.column(k));
    gather_rates(s, motion.v.data());
}

[[gnu::flatten]] MCH_CLONES_AVX2 void find_four_forces(const FourMoving& s, const std::array<Vec3d, 4>& gravity,
                                                       double* tau)
{
    Vec3T<Four> g;
    gather(Places<const Vec3d>{&gravity[0], &gravity[1], &gravity[2], &gravity[3]}, g);
    find_forces(s.forest, s.tree, g, false, s);
    for (std::int32_t k = s.tree.dof_begin; k < s.tree.dof_end; ++k) scatter(s.load(k), places(tau, k, s.dof_behind));
}

[[gnu::flatten]] MCH_CLONES_AVX2 void find_four_momenta(const FourMoving& s) { find_momenta(s.forest, s.tree, s); }

[[gnu::flatten]] MCH_CLONES_AVX2 void find_four_velocities(const FourMoving& s, const double* v)
{
    gather_rates(s, v);
    find_velocities(s.forest, s.tree, s);
}

// What follows does for four trees what the loops over rows do for one (articulated.cpp, response.cpp of softstep): the
// same operations on each number in the same order. There four dofs of a tree are worked on at once, whose sums are
// (0 + 1) + (2 + 3); here they are as many numbers.

/// A row of the layout, by the tree's own numbering of dofs.
struct Row {
    std::int32_t first, count;  ///< blocks
    Four*        at;
};
[[gnu::always_inline]] inline Row row_of(const FourMoving& s, Four* matrix, std::int32_t k)
{
    const std::int32_t first = s.block_begin[k];
    return {first, s.block_begin[k + 1] - first, matrix + kLanes * (first - s.block_begin[0])};
}

/// to -= a from, of whole blocks.
[[gnu::always_inline]] inline void subtract(Four* to, const Four& a, const Four* from, std::int32_t count)
{
    const Lanes factor = a.v;
    for (std::int32_t c = 0; c < count; c += kLanes)
        for (int i = 0; i < kLanes; ++i) to[c + i].v -= factor * from[c + i].v;
}

/// Of a row the dofs in its block b that lie above its own.
[[gnu::always_inline]] inline unsigned above(const FourMoving& s, const Row& row, std::int32_t k, std::int32_t b)
{
    const unsigned all = s.on_path[row.first + b];
    return b + 1 == row.count ? all & ~(1u << k % kLanes) : all;
}

[[gnu::flatten]] MCH_CLONES_AVX2 void factor_four(const FourMoving& s, const double* diagonal)
{
    const std::int32_t dofs = s.tree.dof_count();
    for (std::int32_t k = 0; k < dofs; ++k) {
        const Row             row = row_of(s, s.factors, k);
        const SpatialT<Four>& p   = s.momentum_[k];
        for (std::int32_t b = 0; b < row.count; ++b)
            for (int i = 0; i < kLanes; ++i)
                row.at[kLanes * b + i] =
                    s.on_path[row.first + b] >> i & 1u ? dot(p, s.column_[s.blocks[row.first + b] + i]) : Four(0);
        Four& own = row.at[s.place[k]];
        own += pick(places(diagonal, s.tree.dof_begin + k, s.dof_behind), 0);
        s.inverse_pivots[k] = own;
    }
    for (std::int32_t k = dofs; k-- > 0;) {
        const Row row = row_of(s, s.factors, k);
        // Cancellation down to rounding means that the motion carries no mass of its own.
        const Four     pivot   = row.at[s.place[k]];
        // The same thresholds as factor_rows.
        const LaneMask regular = (pivot.v > (Four(1e-11) * s.inverse_pivots[k]).v) & (pivot.v > Four(1e-30).v);
        const Four     inverse = Lanes(regular ? Four(1).v / pivot.v : Four(0).v);
        s.inverse_pivots[k]    = inverse;
        for (std::int32_t b = 0; b < row.count; ++b) {
            const unsigned     mask = above(s, row, k, b);
            const std::int32_t dof = s.blocks[row.first + b], end = kLanes * (b + 1);
            const Four* const  own = row.at + kLanes * b;
            if (mask == 15) {
                const Lanes a[4] = {(own[0] * inverse).v, (own[1] * inverse).v, (own[2] * inverse).v,
                                    (own[3] * inverse).v};
                Four *const to0 = row_of(s, s.factors, dof).at, *const to1 = row_of(s, s.factors, dof + 1).at,
                            *const to2 = row_of(s, s.factors, dof + 2).at,
                            *const to3 = row_of(s, s.factors, dof + 3).at;
                for (std::int32_t c = 0; c < end; ++c) {
                    const Lanes from = row.at[c].v;
                    to0[c].v -= a[0] * from;
                    to1[c].v -= a[1] * from;
                    to2[c].v -= a[2] * from;
                    to3[c].v -= a[3] * from;
                }
                continue;
            }
            for (int i = 0; i < kLanes; ++i)
                if (mask >> i & 1u) subtract(row_of(s, s.factors, dof + i).at, own[i] * inverse, row.at, end);
        }
        for (std::int32_t c = 0; c < s.place[k]; ++c) row.at[c] *= inverse;
        // Behind the diagonal stand numbers of the upper triangle.
        for (std::int32_t c = s.place[k]; c < kLanes * row.count; ++c) row.at[c] = Four(0);
    }
}

/// Sum of the products of a row's first blocks with those of `x`.
[[gnu::always_inline]] inline Four product(const FourMoving& s, const Row& row, const Four* x, std::int32_t count)
{
    // Sums in the order of a lane register, as `sum` of one tree adds its four lanes.
    Lanes sums[kLanes] = {};
    for (std::int32_t b = 0; b < count; ++b) {
        const Four *const a = row.at + kLanes * b, *const with = x + s.blocks[row.first + b];
        for (int i = 0; i < kLanes; ++i) sums[i] += a[i].v * with[i].v;
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

[[gnu::flatten]] MCH_CLONES_AVX2 void respond_four(const FourMoving& s, const std::array<double*, 4>& out)
{
    const std::int32_t dofs = s.tree.dof_count();
    Four* const        x    = s.x;
    for (std::int32_t k = 0; k < dofs; ++k) x[k] = Lanes{out[0][k], out[1][k], out[2][k], out[3][k]};
    for (std::int32_t first = (dofs - 1) / kLanes * kLanes; first >= 0; first -= kLanes) {
        const std::int32_t last = std::min(first + kLanes, dofs);
        for (std::int32_t k = last; k-- > first;) {
            const Row         row = row_of(s, s.factors, k);
            const Four* const own = row.at + kLanes * (row.count - 1);
            for (std::int32_t i = 0; i < k - first; ++i) x[first + i] -= own[i] * x[k];
        }
        for (std::int32_t k = first; k < last; ++k) {
            const Row row = row_of(s, s.factors, k);
            for (std::int32_t b = 0; b + 1 < row.count; ++b)
                subtract(x + s.blocks[row.first + b], x[k], row.at + kLanes * b, kLanes);
        }
    }
    for (std::int32_t k = 0; k < dofs; ++k) x[k] *= s.inverse_pivots[k];
    for (std::int32_t k = 0; k < dofs; ++k) {
        const Row          row   = row_of(s, s.factors, k);
        const std::int32_t first = k / kLanes * kLanes;
        const Four* const  own   = row.at + kLanes * (row.count - 1);
        Four               xk    = x[k] - product(s, row, x, row.count - 1);
        for (std::int32_t i = 0; i < k - first; ++i) xk -= own[i] * x[first + i];
        x[k] = xk;
    }
    for (std::int32_t k = 0; k < dofs; ++k)
        for (std::size_t t = 0; t < 4; ++t) out[t][k] = x[k].v[static_cast<int>(t)];
}

/// Numbers that lie side by side for each tree, to where those of each tree lie.
[[gnu::always_inline]] inline void put_apart(const Four* from, std::int32_t count, const Places<double>& to)
{
    std::int32_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        simd::Packs<Lanes, 4> r{{from[i].v, from[i + 1].v, from[i + 2].v, from[i + 3].v}};
        simd::transpose(r);
        for (std::size_t t = 0; t < 4; ++t) lanes(to[t] + i) = r[t];
    }
    for (; i < count; ++i)
        for (std::size_t t = 0; t < 4; ++t) to[t][i] = from[i].v[static_cast<int>(t)];
}

[[gnu::flatten]] MCH_CLONES_AVX2 void put_four(const Four* from, std::int32_t count, const Places<double>& to)
{ put_apart(from, count, to); }

/// Rows of D^(-1/2) L^(-T) and whitened rates u = sqrt(D) L v (docs/softstep_method.md). `root` is D^(-1/2); a locked
/// dof has zero, and its rate is kept as it is.
[[gnu::flatten]] MCH_CLONES_AVX2 void whiten_four(const FourMoving& s, const double* v)
{
    const std::int32_t dofs = s.tree.dof_count();
    gather_rates(s, v);
    for (std::int32_t k = 0; k < dofs; ++k) {
        const Row   row  = row_of(s, s.factors, k);
        Four* const to   = row_of(s, s.white, k).at;
        const Four  root = mechane::root(s.inverse_pivots[k]);
        for (std::int32_t c = 0; c < kLanes * row.count; ++c) to[c] = Four(0);
        for (std::int32_t b = 0; b < row.count; ++b) {
            const unsigned     mask = above(s, row, k, b);
            const std::int32_t dof = s.blocks[row.first + b], end = kLanes * (b + 1);
            const Four* const  a = row.at + kLanes * b;
            if (mask == 15) {
                const Four *x0 = row_of(s, s.white, dof).at, *x1 = row_of(s, s.white, dof + 1).at,
                           *x2 = row_of(s, s.white, dof + 2).at, *x3 = row_of(s, s.white, dof + 3).at;
                for (std::int32_t c = 0; c < end; ++c)
                    to[c] -= (a[0] * x0[c] + a[1] * x1[c]) + (a[2] * x2[c] + a[3] * x3[c]);
                continue;
            }
            for (int i = 0; i < kLanes; ++i)
                if (mask >> i & 1u) subtract(to, a[i], row_of(s, s.white, dof + i).at, end);
        }
        to[s.place[k]] += root;
        const Four     y      = s.rate_[k] + product(s, row, s.rate_, row.count);
        const LaneMask moving = root.v > 0;
        const Four     scale  = Lanes(moving ? Four(1).v / root.v : Four(1).v);
        s.roots[k]           = root;
        s.u[k]               = y * scale;
    }
    for (std::int32_t k = dofs; k < kLanes * s.tree.block_count(); ++k) s.roots[k] = s.u[k] = Four(0);
}

}  // namespace

bool FourDynamics::fits(const Tree& tree, const Paths& paths)
{
    return tree.kind >= 0 && tree.link_end - tree.link_begin <= kMostLinks && tree.dof_count() <= kMostDofs &&
           paths.row(tree.dof_end) - paths.row(tree.dof_begin) <= kMostNumbers;
}

FourDynamics::FourDynamics(const Forest& forest, const Paths& paths, const FourTrees& trees, const Motion& motion)
    : forest_(forest),
      paths_(paths),
      trees_(trees),
      link_(links_behind(forest, trees)),
      dof_(dofs_behind(forest, trees)),
      numbers_(kLanes * (paths.block_begin[forest.trees[trees[0]].dof_end] -
                         paths.block_begin[forest.trees[trees[0]].dof_begin]))
{ take_four(FourMoving(*this), motion, trees); }

void FourDynamics::inverse_dynamics(const std::array<Vec3d, 4>& gravity, std::span<const Spatiald> wrench,
                                    std::span<double> tau)
{ find_four_forces(FourMoving(*this, wrench), gravity, tau.data()); }

void FourDynamics::set_velocities(std::span<const double> v) { find_four_velocities(FourMoving(*this), v.data()); }

void FourDynamics::factor(std::span<const double> diagonal)
{
    const FourMoving s(*this);
    find_four_momenta(s);
    factor_four(s, diagonal.data());
}

void FourDynamics::respond(const std::array<double*, 4>& x) { respond_four(FourMoving(*this), x); }

std::array<double*, 4> FourDynamics::rows_in(std::span<double> matrix) const
{
    std::array<double*, 4> out{};
    for (std::size_t t = 0; t < 4; ++t) out[t] = matrix.data() + paths_.row(forest_.trees[trees_[t]].dof_begin);
    return out;
}

void FourDynamics::put_factors(std::span<double> factored, std::span<double> inverse_pivots)
{
    const FourMoving s(*this);
    put_four(s.factors, numbers_, rows_in(factored));
    put_four(s.inverse_pivots, s.tree.dof_count(), places(inverse_pivots.data(), s.tree.dof_begin, dof_));
}

void FourDynamics::whiten(std::span<const double> v) { whiten_four(FourMoving(*this), v.data()); }

void FourDynamics::put_rows(std::span<double> rows, const std::array<double*, 4>& roots,
                            const std::array<double*, 4>& u)
{
    const FourMoving s(*this);
    put_four(s.white, numbers_, rows_in(rows));
    put_four(s.roots, s.tree.dof_count(), roots);
    put_four(s.u, s.tree.dof_count(), u);
}

bool FourDynamics::locked()
{
    const FourMoving s(*this);
    LaneMask         none = Lanes{} < 0;
    for (std::int32_t k = 0; k < s.tree.dof_count(); ++k) none = none | (s.roots[k].v == 0);
    return simd::any(none);
}

FourDynamics::Rows FourDynamics::rows()
{
    const FourMoving s(*this);
    return {s.white, &s.column_->linear.x, s.u};
}

}  // namespace mechane::dynamics
