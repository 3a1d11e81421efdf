// The broad phase: which pairs of shapes may touch, by their axis-aligned boxes in the world [m].
// Input: one box per shape (already grown by margin, gap and motion), planes raised by the same amount, filters per
// shape.
// Output: pairs (lower index, higher index), sorted by both, each once.
// Invariant: the output depends on the boxes only, never on the number of threads or on earlier calls. Where a limit
// cuts the list short, the search is repeated on one thread, so that the same pairs are left.
// This file holds the base class and the modes without a spatial structure (all pairs, a fixed list); sweep.cpp and
// tree.cpp hold the others. CollisionPipeline (pipeline.cpp) is the caller.

#include "mechane/collision/broad_phase.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "../radix_sort.h"
#include "mechane/collision/codes.h"
#include "mechane/math/four.h"
#include "mechane/tasks/parallel.h"

namespace mechane::collision {

namespace {

/// Whether some point of a box lies below a plane, of one and of four.
/// Centre and half extent form: the lowest point of a box along n is at n . c - |n| . half (Ericson 2005, 5.2.3). The
/// same template serves one box and four, so that both round alike.
template <class N>
MCH_INLINE auto reaches_below(const Vec3T<N>& n, const Vec3T<N>& origin, const Vec3T<N>& lower, const Vec3T<N>& upper)
{
    const Vec3T<N> c = N(0.5) * (lower + upper), half = N(0.5) * (upper - lower);
    const Vec3T<N> steep{magnitude(n.x), magnitude(n.y), magnitude(n.z)};
    const N        above = dot(n, c - origin) - dot(steep, half);
    return simd::both(simd::either(above < N(0), above == N(0)),
                      simd::either(lower.x < upper.x, lower.x == upper.x));  // a box that is out of order is no box
}

/// Bits of those of four boxes that reach below a plane, the lowest for the first.
[[gnu::flatten]] MCH_CLONES_AVX2 unsigned four_below(const RaisedPlane& plane, const Places<const geometry::Aabbd>& box)
{
    struct {
        Vec3T<Four> lower, upper;
    } b;
    gather(box, b);
    const LaneMask below =
        reaches_below(static_cast<Vec3T<Four>>(plane.n), static_cast<Vec3T<Four>>(plane.origin), b.lower, b.upper);
    unsigned bits = 0;
    for (int k = 0; k < kLanes; ++k) bits |= below[k] != 0 ? 1u << k : 0u;
    return bits;
}

/// Sizes of tasks. They are constants, because a chunk that followed the number of threads would change the order of
/// pairs.
constexpr std::size_t kPlaneBoxes = 1024, kAllPairsRows = 64, kListedPairs = 2048, kListedRuns = 128,
                      kColumnBoxes = 2048, kPlanes = 16;  ///< of one task

/// The list of pairs that filters let through, tested four at a time: those of one shape with up to four that follow
/// each other.
class BroadPhaseFours final : public BroadPhase {
  public:
    BroadPhaseFours(std::vector<ShapeFilter> filters, std::vector<ShapePair> excluded)
        : BroadPhase(std::move(filters), std::move(excluded))
    {
        const BroadPhaseExplicit known(filters_, excluded_);
        for (const ShapePair& pair : known.list()) {
            // A run is one shape with its partners, grouped into windows of four shapes that follow each other in
            // memory. A window is one load per component, and the mask says which of the four are in the list.
            const bool same = !runs_.empty() && runs_.back().one == pair.first;
            if (!same) runs_.push_back({pair.first, fours_.size(), fours_.size()});
            if (!same || pair.second - fours_.back().first >= kLanes) {
                fours_.push_back(Partners{LaneMask{}, pair.second});
                ++runs_.back().end;
            }
            fours_.back().wanted[pair.second - fours_.back().first] = -1;
        }
        // The last window may begin at the last shape: the columns are longer by one window, filled with zeros that the
        // masks hide.
        const std::size_t room = filters_.size() + kLanes;
        for (auto* column : {&low_x_, &low_y_, &low_z_, &high_x_, &high_y_, &high_z_}) column->assign(room, 0);
        met_.resize(runs_.size());
    }

  private:
    /// Four shapes from `first` on, and which of them are in the list.
    struct Partners {
        LaneMask     wanted;
        std::int32_t first;
    };
    /// What one shape is tested with, in `fours_`.
    struct Run {
        std::int32_t one;
        std::size_t  begin, end;
    };

    void find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) override
    {
        tasks::for_chunks(pool(), filters_.size(), kColumnBoxes, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i) {
                low_x_[i] = boxes[i].lower.x, low_y_[i] = boxes[i].lower.y, low_z_[i] = boxes[i].lower.z;
                high_x_[i] = boxes[i].upper.x, high_y_[i] = boxes[i].upper.y, high_z_[i] = boxes[i].upper.z;
            }
        });
        const auto find = [&](std::size_t begin, std::size_t end, std::size_t, std::vector<ShapePair>& found) {
            test(begin, end);
            for (std::size_t i = begin; i < end && found.size() <= limit; ++i)
                if (met_[i]) add(runs_[i], boxes, found, limit);
        };
        // Two passes: one bit per run by lanes, without a branch, then the exact pairs of the few runs that met
        // something.
        in_parts(runs_.size(), kListedRuns, out, limit, std::cref(find));
    }

    /// Whether the box of each one meets some of those around the ones it is listed with: mostly not.
    MCH_CLONES_AVX2 void test(std::size_t begin, std::size_t end)
    {
        const double *const lx = low_x_.data(), *const ly = low_y_.data(), *const lz = low_z_.data(),
                            *const hx = high_x_.data(), *const hy = high_y_.data(), *const hz = high_z_.data();
        const Partners* const fours = fours_.data();
        for (std::size_t i = begin; i < end; ++i) {
            const Run   run = runs_[i];
            const Lanes zero{}, low_x = zero + lx[run.one], low_y = zero + ly[run.one], low_z = zero + lz[run.one],
                                high_x = zero + hx[run.one], high_y = zero + hy[run.one], high_z = zero + hz[run.one];
            LaneMask    any{};
            for (std::size_t k = run.begin; k < run.end; ++k) {
                const std::int32_t s = fours[k].first;
                any |= fours[k].wanted & (lanes(lx + s) <= high_x) & (lanes(hx + s) >= low_x) &
                       (lanes(ly + s) <= high_y) & (lanes(hy + s) >= low_y) & (lanes(lz + s) <= high_z) &
                       (lanes(hz + s) >= low_z);
            }
            met_[i] = ((any[0] | any[1]) | (any[2] | any[3])) != 0 ? 1 : 0;
        }
    }

    void add(const Run& run, Boxes boxes, std::vector<ShapePair>& found, std::size_t limit) const
    {
        const geometry::Aabbd& box = boxes[static_cast<std::size_t>(run.one)];
        if (!in_order(box)) return;
        for (std::size_t k = run.begin; k < run.end; ++k) {
            const Partners& four = fours_[k];
            for (int i = 0; i < kLanes && found.size() <= limit; ++i)
                if (four.wanted[i] != 0 && geometry::overlaps(box, boxes[static_cast<std::size_t>(four.first + i)]))
                    found.emplace_back(run.one, four.first + i);
        }
    }

    std::vector<Partners>     fours_;
    std::vector<Run>          runs_;
    std::vector<double>       low_x_, low_y_, low_z_, high_x_, high_y_, high_z_;  ///< the boxes, by component
    std::vector<std::uint8_t> met_;                                               ///< of each run
};

}  // namespace

Result<BroadPhaseMode> broad_phase_mode(std::string_view name)
{
    static constexpr std::pair<std::string_view, BroadPhaseMode> kNames[] = {
        {"auto", BroadPhaseMode::automatic},
        {"nxn", BroadPhaseMode::all_pairs},
        {"sap", BroadPhaseMode::sweep},
        {"explicit", BroadPhaseMode::explicit_pairs},
        {"tree", BroadPhaseMode::tree}};
    for (const auto& [known, mode] : kNames)
        if (known == name) return mode;
    return make_diagnostic(kBroadPhaseUnknown, {}, "there is no broad phase \"" + std::string(name) + "\"");
}

BroadPhase::BroadPhase(std::vector<ShapeFilter> filters, std::vector<ShapePair> excluded)
    : filters_(std::move(filters)), excluded_(std::move(excluded))
{
    // Excluded pairs are sorted by first shape, and `excluded_from_` is the index of each shape's rows: a look-up is a
    // binary search among a few.
    for (ShapePair& p : excluded_)
        if (p.first > p.second) std::swap(p.first, p.second);
    std::sort(excluded_.begin(), excluded_.end());
    excluded_.erase(std::unique(excluded_.begin(), excluded_.end()), excluded_.end());
    excluded_from_.resize(filters_.size() + 1);
    for (std::size_t i = 0; i <= filters_.size(); ++i)
        excluded_from_[i] =
            std::lower_bound(excluded_.begin(), excluded_.end(), ShapePair{static_cast<std::int32_t>(i), 0}) -
            excluded_.begin();
    // World numbers need not be dense: they are taken in order.
    std::vector<std::int32_t> numbers;
    for (const ShapeFilter& f : filters_)
        if (f.world >= 0) numbers.push_back(f.world);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    worlds_.resize(numbers.size());
    for (std::size_t i = 0; i < filters_.size(); ++i) {
        ShapeFilter& f     = filters_[i];
        const auto   shape = static_cast<std::int32_t>(i);
        if (f.world >= 0)
            f.world =
                static_cast<std::int32_t>(std::lower_bound(numbers.begin(), numbers.end(), f.world) - numbers.begin());
        if (!f.active) continue;
        if (f.plane)
            planes_.push_back(shape);
        else if (f.world < 0)
            global_.push_back(shape);
        else
            worlds_[static_cast<std::size_t>(f.world)].push_back(shape);
    }
    // `solid_` lists all shapes that are not planes, world after world and those of no world last. List w of world w is
    // [solid_from_[w], solid_from_[w + 1]).
    for (const auto& world : worlds_) {
        solid_from_.push_back(solid_.size());
        solid_.insert(solid_.end(), world.begin(), world.end());
    }
    solid_from_.push_back(solid_.size());
    solid_.insert(solid_.end(), global_.begin(), global_.end());
    solid_from_.push_back(solid_.size());
}

/// Filters of model::ModelBuilder in one place: at least one shape moves, not the same body, worlds and groups that
/// collide, and the pair is not excluded. It is asked after the boxes, which are cheaper to refuse.
bool BroadPhase::allowed(std::int32_t i, std::int32_t k) const
{
    const ShapeFilter &a = filters_[static_cast<std::size_t>(i)], &b = filters_[static_cast<std::size_t>(k)];
    if (!(a.mobile || b.mobile) || a.body == b.body) return false;
    if (!worlds_collide(a.world, b.world) || !groups_collide(a.group, b.group)) return false;
    const auto [first, second] = std::minmax(i, k);
    const auto of_first        = [&](std::int32_t s) {
        return excluded_.begin() + excluded_from_[static_cast<std::size_t>(s)];
    };
    return !std::binary_search(of_first(first), of_first(first + 1), ShapePair{first, second});
}

void BroadPhase::in_parts(std::size_t count, std::size_t grain, std::vector<ShapePair>& out, std::size_t limit,
                          const Find& find)
{
    const std::size_t parts = tasks::chunk_count(count, grain), before = out.size();
    if (!pool_ || pool_->threads() == 1 || parts <= 1) return find(0, count, 0, out);
    if (found_.size() < parts) found_.resize(parts);
    // The counter only decides when to stop early; which pairs were found up to then depends on the threads, and is
    // thrown away below.
    std::atomic<std::size_t> total{before};
    const auto               work = [&](std::size_t begin, std::size_t end, std::size_t part) {
        // Lists lie side by side in `found_`: while they grow no two threads may write to one cache line.
        std::vector<ShapePair> own = std::move(found_[part]);
        own.clear();
        if (total <= limit) find(begin, end, part, own);
        total += own.size();
        found_[part] = std::move(own);
    };
    pool_->for_chunks(count, grain, std::cref(work));
    if (total > limit) return find(0, count, 0, out);  // so that the same pairs stay for any number of threads
    for (std::size_t part = 0; part < parts; ++part) out.insert(out.end(), found_[part].begin(), found_[part].end());
}

void BroadPhase::find_planes(Boxes boxes, std::span<const RaisedPlane> planes, std::vector<ShapePair>& out,
                             std::size_t limit)
{
    /// Entries [begin, end) of `solid_` against one plane.
    const auto below = [&](std::int32_t p, std::size_t begin, std::size_t end, std::vector<ShapePair>& found) {
        const RaisedPlane& plane  = planes[static_cast<std::size_t>(p)];
        const auto         box_of = [&](std::size_t i) { return &boxes[static_cast<std::size_t>(solid_[i])]; };
        const auto         meet   = [&](std::int32_t s) {
            if (allowed(p, s)) found.emplace_back(std::min(p, s), std::max(p, s));
        };
        std::size_t i = begin;
        for (; i + 4 <= end && found.size() <= limit; i += 4) {
            const unsigned bits = four_below(plane, {box_of(i), box_of(i + 1), box_of(i + 2), box_of(i + 3)});
            for (std::size_t k = 0; bits != 0 && k < 4 && found.size() <= limit; ++k)
                if (bits >> k & 1u) meet(solid_[i + k]);
        }
        for (; i < end && found.size() <= limit; ++i)
            if (reaches_below(plane.n, plane.origin, box_of(i)->lower, box_of(i)->upper)) meet(solid_[i]);
    };
    const std::size_t none = worlds_.size();
    // What a plane may meet: shapes of its world and those of none; one of no world meets all.
    // World w and the shared list are two ranges of `solid_`. For a plane of no world the first range is everything and
    // the second is empty.
    const auto lists_of = [&](std::int32_t p) {
        const std::size_t list = list_of(p), from = list == none ? 0 : list, others = list == none ? none + 1 : none;
        return std::array{std::pair{solid_from_[from], solid_from_[list + 1]},
                          std::pair{solid_from_[others], solid_from_[none + 1]}};
    };
    // Many planes are shared out by planes, few planes over many shapes by shapes.
    if (planes_.size() > kPlanes) {
        const auto find = [&](std::size_t begin, std::size_t end, std::size_t, std::vector<ShapePair>& found) {
            for (std::size_t i = begin; i < end; ++i)
                for (const auto& [first, last] : lists_of(planes_[i])) below(planes_[i], first, last, found);
        };
        return in_parts(planes_.size(), kPlanes, out, limit, std::cref(find));
    }
    for (const std::int32_t p : planes_)
        for (const auto& [from, to] : lists_of(p)) {
            const std::size_t first = from;
            const auto find = [&](std::size_t begin, std::size_t end, std::size_t, std::vector<ShapePair>& found) {
                below(p, first + begin, first + end, found);
            };
            in_parts(to - from, kPlaneBoxes, out, limit, std::cref(find));
        }
}

bool BroadPhase::find_pairs(Boxes boxes, std::span<const RaisedPlane> planes, std::vector<ShapePair>& out,
                            std::size_t limit, const tasks::Pool* pool)
{
    pool_ = pool;
    out.clear();
    find_boxes(boxes, out, limit);
    const std::size_t of_boxes = out.size();
    if (out.size() <= limit) find_planes(boxes, planes, out, limit);
    sorted_.reserve(out.capacity());
    // Mostly both halves are sorted already, and one merge is cheaper than a sort.
    const auto middle = out.begin() + static_cast<std::ptrdiff_t>(of_boxes);
    if (of_boxes < out.size() && std::is_sorted(out.begin(), middle) &&
        std::is_sorted(middle, out.end())) {  // a list and one plane
        sorted_.resize(out.size());
        const std::span<const ShapePair> all = out;
        merge_sorted(pool_, all.first(of_boxes), all.subspan(of_boxes), std::span(sorted_));
        std::copy(sorted_.begin(), sorted_.end(), out.begin());
    } else {
        sort(out);
    }
    pool_ = nullptr;
    if (out.size() <= limit) return true;
    out.resize(limit);
    return false;
}

void BroadPhase::sort(std::vector<ShapePair>& pairs)
{
    constexpr std::size_t kFew = 512;
    // Both numbers at once: they are not negative.
    // The key of the radix sort is (first, second) as one number of 64 bits, so its order is that of the pairs.
    const auto name = [](const ShapePair& p) {
        return (static_cast<std::uint64_t>(p.first) << 32) | static_cast<std::uint32_t>(p.second);
    };
    if (pairs.size() > kFew) return radix_sort(pairs, sorted_, name);
    std::sort(pairs.begin(), pairs.end(), [&](const ShapePair& a, const ShapePair& b) { return name(a) < name(b); });
}

/// The face of Newton's BroadPhase classes: boxes and gaps apart, pairs into a caller's array, the return value is the
/// number found even where it exceeds the array.
std::size_t BroadPhase::launch(Boxes boxes, std::span<const double> gap, std::span<const RaisedPlane> planes,
                               std::span<ShapePair> out)
{
    if (!gap.empty()) {
        grown_.assign(boxes.begin(), boxes.end());
        for (std::size_t i = 0; i < std::min(grown_.size(), gap.size()); ++i) {
            grown_[i].lower -= Vec3d{gap[i], gap[i], gap[i]};
            grown_[i].upper += Vec3d{gap[i], gap[i], gap[i]};
        }
        boxes = grown_;
    }
    find_pairs(boxes, planes, pairs_);
    std::copy_n(pairs_.begin(), std::min(pairs_.size(), out.size()), out.begin());
    return pairs_.size();
}

void BroadPhaseAllPairs::find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit)
{
    // Each pair is met once: shapes after i in its own list, and for shapes of a world all shared ones as well.
    const auto find = [&](std::size_t begin, std::size_t end, std::size_t, std::vector<ShapePair>& found) {
        for (std::size_t i = begin; i < end && found.size() <= limit; ++i) {
            const std::int32_t     a    = solid_[i];
            const geometry::Aabbd& box  = boxes[static_cast<std::size_t>(a)];
            const std::size_t      list = list_of(a);
            if (!in_order(box)) continue;
            const auto test = [&](std::int32_t b) {
                if (geometry::overlaps(box, boxes[static_cast<std::size_t>(b)]) && allowed(a, b))
                    found.emplace_back(std::min(a, b), std::max(a, b));
            };
            for (std::size_t k = i + 1; k < solid_from_[list + 1] && found.size() <= limit; ++k) test(solid_[k]);
            if (list == worlds_.size()) continue;
            for (const std::int32_t b : global_) test(b);
        }
    };
    in_parts(solid_.size(), kAllPairsRows, out, limit, std::cref(find));
}

BroadPhaseExplicit::BroadPhaseExplicit(std::vector<ShapeFilter> filters, std::vector<ShapePair> excluded)
    : BroadPhase(std::move(filters), std::move(excluded))
{
    const auto offer = [&](std::int32_t i, std::int32_t k) {
        if (allowed(i, k)) list_.emplace_back(std::min(i, k), std::max(i, k));
    };
    const auto all_of = [&](const std::vector<std::int32_t>& own, const std::vector<std::int32_t>* shared) {
        for (std::size_t i = 0; i < own.size(); ++i) {
            for (std::size_t k = i + 1; k < own.size(); ++k) offer(own[i], own[k]);
            if (shared)
                for (const std::int32_t s : *shared) offer(own[i], s);
        }
    };
    for (const auto& world : worlds_) all_of(world, &global_);
    all_of(global_, nullptr);
    std::sort(list_.begin(), list_.end());
}

BroadPhaseExplicit::BroadPhaseExplicit(std::size_t shape_count, std::vector<ShapePair> pairs)
    : BroadPhase(std::vector<ShapeFilter>(shape_count), {}), list_(std::move(pairs))
{
    const auto count = static_cast<std::int32_t>(shape_count);
    for (ShapePair& p : list_)
        if (p.first > p.second) std::swap(p.first, p.second);
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    std::erase_if(list_, [&](const ShapePair& p) { return p.first < 0 || p.second >= count || p.first == p.second; });
}

void BroadPhaseExplicit::find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit)
{
    const auto find = [&](std::size_t begin, std::size_t end, std::size_t, std::vector<ShapePair>& found) {
        for (std::size_t p = begin; p < end && found.size() <= limit; ++p) {
            const auto i = static_cast<std::size_t>(list_[p].first), k = static_cast<std::size_t>(list_[p].second);
            if (in_order(boxes[i]) && geometry::overlaps(boxes[i], boxes[k])) found.push_back(list_[p]);
        }
    };
    in_parts(list_.size(), kListedPairs, out, limit, std::cref(find));
}

BroadPhaseMode broad_phase_for(std::span<const ShapeFilter> filters)
{
    // A pair of the list costs a few nanoseconds a call, a shape of a sweep a hundred: up to this many pairs a shape
    // the list is faster, and the copies of a robot in many worlds have no more.
    constexpr double          kPairsPerShape = 32;
    std::size_t               active = 0, mobile = 0;
    std::vector<std::int32_t> worlds;  // of each shape; their numbers need not be dense
    for (const ShapeFilter& f : filters) {
        if (!f.active || f.plane) continue;
        ++active;
        mobile += f.mobile ? 1u : 0u;
        worlds.push_back(std::max(f.world, -1));
    }
    // The number of pairs that pass the worlds alone, n (n / 2 + shared) for each world: the other filters are not
    // looked at, so it is an upper bound.
    std::sort(worlds.begin(), worlds.end());
    const auto first_own = std::upper_bound(worlds.begin(), worlds.end(), -1);
    const auto shared    = static_cast<double>(first_own - worlds.begin());
    double     pairs     = 0.5 * shared * shared;
    for (auto from = first_own; from != worlds.end();) {
        const auto to = std::upper_bound(from, worlds.end(), *from);
        const auto n  = static_cast<double>(to - from);
        pairs += n * (0.5 * n + shared);
        from = to;
    }
    if (pairs <= kPairsPerShape * static_cast<double>(active)) return BroadPhaseMode::explicit_pairs;
    // A tree pays where most shapes stand still: only what moves asks.
    return active > 2000 && 2 * mobile <= active ? BroadPhaseMode::tree : BroadPhaseMode::sweep;
}

std::unique_ptr<BroadPhase> make_broad_phase(BroadPhaseMode mode, std::vector<ShapeFilter> filters,
                                             std::vector<ShapePair> excluded)
{
    if (mode == BroadPhaseMode::automatic) mode = broad_phase_for(filters);
    switch (mode) {
        case BroadPhaseMode::all_pairs:
            return std::make_unique<BroadPhaseAllPairs>(std::move(filters), std::move(excluded));
        case BroadPhaseMode::explicit_pairs:
            return std::make_unique<BroadPhaseFours>(std::move(filters), std::move(excluded));
        case BroadPhaseMode::tree:
            return std::make_unique<BroadPhaseTree>(std::move(filters), std::move(excluded));
        case BroadPhaseMode::automatic:
        case BroadPhaseMode::sweep:
            break;
    }
    return std::make_unique<BroadPhaseSAP>(std::move(filters), std::move(excluded));
}

}  // namespace mechane::collision
