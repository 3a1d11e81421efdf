// Sweep and prune over boxes in the world [m], with pairs kept between calls (BroadPhaseSAP).
// Method: boxes are sorted by their lower bound along the axis of greatest variance (Baraff 1992; Cohen et al. 1995,
// I-COLLIDE). A box is compared with those after it until one begins beyond its end. The second axis cuts a large world
// into strips, which are the tasks of the threads.
// Coherence: the sweep runs on enlarged boxes, and its pairs are tested exactly at each call until too many boxes have
// left their enlarged ones. Enlarged boxes only choose what is tested, so the answer is that of a fresh sweep.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "../radix_sort.h"
#include "mechane/collision/broad_phase.h"
#include "mechane/geometry/bvh.h"
#include "mechane/math/simd.h"
#include "mechane/tasks/parallel.h"

namespace mechane::collision {

namespace {

constexpr std::size_t kBlock = 4 * static_cast<std::size_t>(kLanes);
constexpr std::size_t kRows = 128, kWorldTasks = 64, kManyWorlds = 8, kFew = 256;
constexpr std::size_t kBoxesInStrip = 64, kMostStrips = 64;  ///< a strip is worth its while with so many
/// So many shapes that have left their larger boxes are tested against all; with more the pairs are swept anew.
constexpr std::size_t kMostMovers = 32;
/// Pairs that did not last for so many calls are not worth keeping.
constexpr int kLeastAge = 4;
/// By how much of its extent a box is made larger, and by how many calls' motion, up to how much of its extent.
/// Larger boxes last longer and make more pairs to test; in piles an eighth costs least in all.
constexpr double      kFat = 0.12, kCallsAhead = 8, kMostAhead = 0.5;
constexpr std::size_t kNearPairs = 512, kBoxesAtOnce = 256;  ///< of one task
constexpr double      kBoxWidths = 4;                        ///< least width of a strip, in those of a box

/// Never falls where x grows.
/// The bits of a float as an integer of the same order: the sign bit is flipped for positive numbers, all bits for
/// negative ones. Adding zero turns -0 into +0, so that equal numbers have one rank. Rounding double to float is
/// monotonic, and entries of one rank are sorted exactly afterwards.
std::uint64_t rank(double x)
{
    constexpr double kMost = std::numeric_limits<float>::max();
    const auto       bits  = std::bit_cast<std::uint32_t>(static_cast<float>(std::clamp(x, -kMost, kMost)) + 0.0f);
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

}  // namespace

/// A box of the sweep against those after it.
struct SweepRow {
    double upper, low1, high1, low2, high2;
};

/// Whether entry k, which does not begin before the row, meets it.
static bool meets(const SweepColumns& c, const SweepRow& row, std::size_t k)
{
    return c.lower[k] <= row.upper && c.low1[k] <= row.high1 && c.high1[k] >= row.low1 && c.low2[k] <= row.high2 &&
           c.high2[k] >= row.low2;
}

/// The first block from entry k on, in steps of kBlock, in which some entry meets the row; n or more when there is
/// none.
MCH_CLONES_AVX2 std::size_t next_block(const SweepColumns& c, const SweepRow& row, std::size_t k, std::size_t n)
{
    const Lanes upper{row.upper, row.upper, row.upper, row.upper}, low1{row.low1, row.low1, row.low1, row.low1},
        high1{row.high1, row.high1, row.high1, row.high1}, low2{row.low2, row.low2, row.low2, row.low2},
        high2{row.high2, row.high2, row.high2, row.high2};
    const double *x = c.lower.data(), *a1 = c.low1.data(), *b1 = c.high1.data(), *a2 = c.low2.data(),
                 *b2 = c.high2.data();
    // Entries are sorted by their lower bound: if the first of a block begins beyond the row, so do all that follow.
    for (; k < n; k += kBlock) {
        if (!(x[k] <= row.upper)) return n;
        LaneMask any{};
        for (std::size_t i = k; i < k + kBlock; i += static_cast<std::size_t>(kLanes))
            any |= (lanes(x + i) <= upper) & (lanes(a1 + i) <= high1) & (lanes(b1 + i) >= low1) &
                   (lanes(a2 + i) <= high2) & (lanes(b2 + i) >= low2);
        if ((any[0] | any[1] | any[2] | any[3]) != 0) return k;
    }
    return n;
}

std::size_t BroadPhaseSAP::Cut::strip_of(double x) const
{
    const double at = (x - from) * per_length;
    if (!(at > 0)) return 0;
    return at < static_cast<double>(strips) ? static_cast<std::size_t>(at) : strips - 1;
}

std::array<std::span<const std::int32_t>, 2> BroadPhaseSAP::shapes_of(std::size_t list) const
{
    if (list == worlds_.size()) return {global_, std::span<const std::int32_t>()};
    return {worlds_[list], global_};
}

/// Spread is n times the variance of twice the centre; a factor common to all axes does not matter. `whole` keeps the
/// world in one piece, for tasks that take whole worlds.
BroadPhaseSAP::Cut BroadPhaseSAP::cut(std::size_t list, Boxes boxes, bool whole) const
{
    // Twice the centre; the axis along which the centres of this world spread most separates best.
    Vec3d  sum, squares, width;
    Vec3d  least{kInfinity, kInfinity, kInfinity}, most = -least;
    double n = 0;
    for (const auto own = shapes_of(list)[0]; const std::int32_t s : own) {
        const geometry::Aabbd& box = boxes[static_cast<std::size_t>(s)];
        if (!in_order(box)) continue;
        const Vec3d c = box.lower + box.upper;
        sum += c, squares += scale(c, c), width += box.upper - box.lower;
        least = min(least, box.lower), most = max(most, box.lower);
        n += 1;
    }
    Cut out;
    if (n == 0) return out;
    // Along the axis on which boxes are spread most the fewest overlap. The second such axis cuts a world into strips,
    // which threads sweep one by one.
    const Vec3d spread  = squares - (1 / n) * scale(sum, sum);
    out.axis            = spread.x >= spread.y ? (spread.x >= spread.z ? 0 : 2) : (spread.y >= spread.z ? 1 : 2);
    const std::size_t a = (out.axis + 1) % 3, b = (out.axis + 2) % 3;
    out.axis1           = spread[a] >= spread[b] ? a : b;
    out.strips          = 1;
    const double extent = most[out.axis1] - least[out.axis1], strip = kBoxWidths * width[out.axis1] / n;
    if (whole || !(extent > strip) || !std::isfinite(extent)) return out;
    // No more strips than carry kBoxesInStrip boxes each, and none narrower than a few boxes: a box that lies in many
    // strips is sorted and tested in each.
    const double strips = std::min({extent / strip, n / static_cast<double>(kBoxesInStrip), double{kMostStrips}});
    if (strips < 2) return out;
    out.strips     = static_cast<std::size_t>(strips);
    out.from       = least[out.axis1];
    out.per_length = static_cast<double>(out.strips) / extent;
    return out;
}

void BroadPhaseSAP::sort_boxes(const Cut& cut, Boxes boxes, Sweep& sweep)
{
    std::vector<Entry>& entries = sweep.entries;
    const auto          before  = [](const Entry& a, const Entry& b) {
        return a.lower != b.lower ? a.lower < b.lower : a.shape < b.shape;
    };
    if (entries.size() <= kFew) {
        std::sort(entries.begin(), entries.end(), before);
    } else {
        // The radix sort orders by rank only. Runs of one rank are put in exact order, by lower bound and then by
        // shape, so that the result does not depend on how they came in.
        radix_sort(entries, sweep.sorted, [](const Entry& e) { return rank(e.lower); });
        for (auto from = entries.begin(); from != entries.end();) {
            const auto to =
                std::find_if(from, entries.end(), [&](const Entry& e) { return rank(e.lower) != rank(from->lower); });
            std::sort(from, to, before);
            from = to;
        }
    }
    const std::size_t n = entries.size(), axis1 = cut.axis1, axis2 = 3 - cut.axis - cut.axis1;
    SweepColumns&     columns = sweep.columns;
    for (auto* column : {&columns.lower, &columns.low1, &columns.high1, &columns.low2, &columns.high2})
        column->assign(n + kBlock, kInfinity);  // beyond the end nothing meets anything: it starts at infinity
    for (std::size_t i = 0; i < n; ++i) {
        const geometry::Aabbd& box = boxes[static_cast<std::size_t>(entries[i].shape)];
        columns.lower[i]           = entries[i].lower;
        columns.low1[i] = box.lower[axis1], columns.high1[i] = box.upper[axis1];
        columns.low2[i] = box.lower[axis2], columns.high2[i] = box.upper[axis2];
    }
}

/// Rows [begin, end) of a sorted sweep against all entries after them. Lanes find blocks with a candidate, scalars name
/// it.
void BroadPhaseSAP::meet(const Cut& cut, std::size_t strip, const Sweep& sweep, std::size_t list, std::size_t begin,
                         std::size_t end, Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) const
{
    const std::vector<Entry>& entries = sweep.entries;
    const SweepColumns&       columns = sweep.columns;
    const std::size_t         n       = entries.size();
    for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t a    = entries[i].shape;
        const bool         mine = filters_[static_cast<std::size_t>(a)].mobile;
        const SweepRow     row{boxes[static_cast<std::size_t>(a)].upper[cut.axis], columns.low1[i], columns.high1[i],
                               columns.low2[i], columns.high2[i]};
        for (std::size_t block = next_block(columns, row, i + 1, n); block < n;
             block             = next_block(columns, row, block + kBlock, n)) {
            for (std::size_t k = block; k < std::min(block + kBlock, n); ++k) {
                if (!meets(columns, row, k)) continue;
                const std::int32_t b = entries[k].shape;
                if (!mine && !filters_[static_cast<std::size_t>(b)].mobile) continue;
                // Boxes lie in every strip that they reach. The pair belongs to the one in which the overlap of the
                // two begins, so that it is found once.
                if (cut.strips > 1 && cut.strip_of(std::max(row.low1, columns.low1[k])) != strip) continue;
                if (!allowed(a, b)) continue;
                // Two shapes of no world meet in their own sweep, not once per world.
                if (list < worlds_.size() && list_of(a) == worlds_.size() && list_of(b) == worlds_.size()) continue;
                out.emplace_back(std::min(a, b), std::max(a, b));
                if (out.size() > limit) return;
            }
        }
    }
}

void BroadPhaseSAP::sweep_all(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit)
{
    const auto each_shape = [&](std::size_t list, const auto& take) {
        for (const auto& shapes : shapes_of(list))
            for (const std::int32_t s : shapes)
                if (const geometry::Aabbd& box = boxes[static_cast<std::size_t>(s)]; in_order(box)) take(s, box);
    };
    const std::size_t lists = worlds_.size() + 1;
    // Many worlds are many small sweeps: a task takes whole ones. Of a few large worlds the strips are the tasks.
    if (lists > kManyWorlds) {
        const std::size_t grain = tasks::chunk_count(lists, kWorldTasks);
        sweeps_.resize(std::max(sweeps_.size(), tasks::chunk_count(lists, grain)));
        const auto find = [&](std::size_t begin, std::size_t end, std::size_t part, std::vector<ShapePair>& found) {
            Sweep& sweep = sweeps_[part];
            for (std::size_t list = begin; list < end && found.size() <= limit; ++list) {
                const Cut uncut = cut(list, boxes, true);
                sweep.entries.clear();
                if (uncut.strips == 0) continue;
                each_shape(list, [&](std::int32_t s, const geometry::Aabbd& box) {
                    sweep.entries.push_back({box.lower[uncut.axis], s});
                });
                sort_boxes(uncut, boxes, sweep);
                meet(uncut, 0, sweep, list, 0, sweep.entries.size(), boxes, found, limit);
            }
        };
        return in_parts(lists, grain, out, limit, std::cref(find));
    }
    for (std::size_t list = 0; list < lists && out.size() <= limit; ++list) {
        const Cut strips = cut(list, boxes, false);
        if (strips.strips == 0) continue;
        sweeps_.resize(std::max(sweeps_.size(), strips.strips));
        for (std::size_t k = 0; k < strips.strips; ++k) sweeps_[k].entries.clear();
        // A strip needs no second look at its neighbours: entries are copied to every strip they reach.
        each_shape(list, [&](std::int32_t s, const geometry::Aabbd& box) {
            const std::size_t first = strips.strip_of(box.lower[strips.axis1]),
                              last  = strips.strip_of(box.upper[strips.axis1]);
            for (std::size_t k = first; k <= last; ++k) sweeps_[k].entries.push_back({box.lower[strips.axis], s});
        });
        if (strips.strips == 1) {
            sort_boxes(strips, boxes, sweeps_.front());
            const auto find = [&](std::size_t begin, std::size_t end, std::size_t, std::vector<ShapePair>& found) {
                meet(strips, 0, sweeps_.front(), list, begin, end, boxes, found, limit);
            };
            in_parts(sweeps_.front().entries.size(), kRows, out, limit, std::cref(find));
            continue;
        }
        const auto find = [&](std::size_t begin, std::size_t end, std::size_t, std::vector<ShapePair>& found) {
            for (std::size_t k = begin; k < end && found.size() <= limit; ++k) {
                sort_boxes(strips, boxes, sweeps_[k]);
                meet(strips, k, sweeps_[k], list, 0, sweeps_[k].entries.size(), boxes, found, limit);
            }
        };
        in_parts(strips.strips, 1, out, limit, std::cref(find));
    }
}

/// @return false when there are too many of them, or no larger boxes
/// Whose box is no longer inside its enlarged one. The order in which threads find them is lost by sorting.
bool BroadPhaseSAP::find_movers(Boxes boxes)
{
    movers_.clear();
    if (fat_.size() != boxes.size()) return false;
    std::array<std::int32_t, kMostMovers> found;
    std::atomic<std::size_t>              count = 0;
    tasks::for_chunks(pool(), boxes.size(), kBoxesAtOnce, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
            if (!in_order(boxes[i]) || contains(fat_[i], boxes[i]) || !filters_[i].active || filters_[i].plane)
                continue;
            // Past the limit nothing is written, and the caller sweeps anew whoever came first.
            const std::size_t at = count++;
            if (at >= kMostMovers) return;
            found[at] = static_cast<std::int32_t>(i);
        }
    });
    if (count > kMostMovers) return false;
    movers_.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count.load()));
    std::sort(movers_.begin(), movers_.end());
    return true;
}

void BroadPhaseSAP::fatten(Boxes boxes)
{
    // The motion since the last fattening, per call, is extrapolated: `ahead` is calls ahead over calls that have
    // passed.
    const bool   known = made_.size() == boxes.size() && age_ > 0;
    const double ahead = kCallsAhead / std::max(1, age_);
    made_.resize(boxes.size());
    fat_.resize(boxes.size());
    tasks::for_chunks(pool(), boxes.size(), kBoxesAtOnce, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
            geometry::Aabbd& fat = fat_[i] = boxes[i];
            if (in_order(boxes[i])) {
                const double extent = max_component(boxes[i].upper - boxes[i].lower), r = kFat * extent;
                fat.lower -= Vec3d{r, r, r};
                fat.upper += Vec3d{r, r, r};
                if (known && in_order(made_[i])) {
                    // Whoever keeps moving as since the last time stays within.
                    const Vec3d most = kMostAhead * Vec3d{extent, extent, extent};
                    const Vec3d down = ahead * (boxes[i].lower - made_[i].lower),
                                up   = ahead * (boxes[i].upper - made_[i].upper);
                    if (is_finite(down) && is_finite(up)) {
                        fat.lower += max(-most, min(down, Vec3d{}));
                        fat.upper += min(most, max(up, Vec3d{}));
                    }
                }
            }
            made_[i] = boxes[i];
        }
    });
    age_ = 0;
}

void BroadPhaseSAP::test_near(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit)
{
    // Pairs of the list without those of movers, then all partners of each mover by brute force. Two parts that do not
    // overlap, and the caller sorts them.
    const auto box   = [&](std::int32_t s) -> const geometry::Aabbd& { return boxes[static_cast<std::size_t>(s)]; };
    const auto moved = [&](std::int32_t s) { return std::binary_search(movers_.begin(), movers_.end(), s); };
    const auto find  = [&](std::size_t begin, std::size_t end, std::size_t, std::vector<ShapePair>& found) {
        for (std::size_t i = begin; i < end && found.size() <= limit; ++i) {
            const ShapePair& p = near_[i];
            if (!geometry::overlaps(box(p.first), box(p.second))) continue;
            if (movers_.empty() || !(moved(p.first) || moved(p.second))) found.push_back(p);
        }
    };
    in_parts(near_.size(), kNearPairs, out, limit, std::cref(find));
    for (const std::int32_t m : movers_)
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const auto s = static_cast<std::int32_t>(i);
            if (!geometry::overlaps(boxes[i], box(m)) || !filters_[i].active || filters_[i].plane) continue;
            if ((s < m && moved(s)) || !allowed(m, s)) continue;  // of two that moved the first has found the pair
            out.emplace_back(std::min(m, s), std::max(m, s));
            if (out.size() > limit) return;
        }
}

void BroadPhaseSAP::find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit)
{
    // Pairs are kept if few boxes have moved out, or if the last list lasted long enough to pay for making it.
    // Otherwise everything moves fast, and a plain sweep of the exact boxes is cheaper.
    const bool calm = find_movers(boxes);
    ++age_;
    if (!(calm && listed_)) {
        const bool lasted = listed_ && age_ >= kLeastAge;
        fatten(boxes);
        movers_.clear();
        listed_ = calm || lasted;
        if (listed_) {
            near_.clear();
            sweep_all(fat_, near_, limit);
            sort(near_);
            listed_ = near_.size() <= limit;
        }
    }
    if (listed_) {
        test_near(boxes, out, limit);
        if (out.size() <= limit) return;
        out.clear();  // which ones are left out must not depend on the calls before
    }
    sweep_all(boxes, out, limit);
}

}  // namespace mechane::collision
