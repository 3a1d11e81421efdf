#include <algorithm>
#include <bit>
#include <limits>

#include "../radix_sort.h"
#include "mechane/collision/broad_phase.h"
#include "mechane/math/lanes.h"
#include "mechane/tasks/parallel.h"

namespace mechane::collision {

namespace {

constexpr std::size_t kBlock = 4 * static_cast<std::size_t>(kLanes);
constexpr std::size_t kRows = 128, kWorldTasks = 64, kManyWorlds = 8, kFew = 256;

/// Never falls where x grows.
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
MCH_WIDE std::size_t next_block(const SweepColumns& c, const SweepRow& row, std::size_t k, std::size_t n)
{
    const Lanes upper{row.upper, row.upper, row.upper, row.upper}, low1{row.low1, row.low1, row.low1, row.low1},
        high1{row.high1, row.high1, row.high1, row.high1}, low2{row.low2, row.low2, row.low2, row.low2},
        high2{row.high2, row.high2, row.high2, row.high2};
    const double *x = c.lower.data(), *a1 = c.low1.data(), *b1 = c.high1.data(), *a2 = c.low2.data(),
                 *b2 = c.high2.data();
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

void BroadPhaseSAP::sort(std::size_t list, Boxes boxes, Sweep& sweep) const
{
    const bool                          none = list == worlds_.size();
    const std::span<const std::int32_t> own = none ? global_ : worlds_[list], shared = none ? own.first(0) : global_;
    sweep.entries.clear();
    // Twice the centre; the axis along which the centres of this world spread most separates best.
    Vec3d  sum, squares;
    double n = 0;
    for (const std::int32_t s : own) {
        const geometry::Aabbd& box = boxes[static_cast<std::size_t>(s)];
        if (!in_order(box)) continue;
        const Vec3d c = box.lower + box.upper;
        sum += c, squares += scale(c, c);
        n += 1;
    }
    if (n == 0) return;
    const Vec3d       spread = squares - (1 / n) * scale(sum, sum);
    const std::size_t axis   = spread.x >= spread.y ? (spread.x >= spread.z ? 0 : 2) : (spread.y >= spread.z ? 1 : 2);
    sweep.axis               = axis;
    for (const auto& shapes : {own, shared})
        for (const std::int32_t s : shapes) {
            const geometry::Aabbd& box = boxes[static_cast<std::size_t>(s)];
            if (in_order(box)) sweep.entries.push_back({box.lower[axis], s});
        }
    const auto before = [](const Entry& a, const Entry& b) {
        return a.lower != b.lower ? a.lower < b.lower : a.shape < b.shape;
    };
    std::vector<Entry>& entries = sweep.entries;
    if (entries.size() <= kFew) {
        std::sort(entries.begin(), entries.end(), before);
    } else {
        radix_sort(entries, sweep.sorted, [](const Entry& e) { return rank(e.lower); });
        for (auto from = entries.begin(); from != entries.end();) {
            const auto to =
                std::find_if(from, entries.end(), [&](const Entry& e) { return rank(e.lower) != rank(from->lower); });
            std::sort(from, to, before);
            from = to;
        }
    }
    const std::size_t n_entries = entries.size(), axis1 = (axis + 1) % 3, axis2 = (axis + 2) % 3;
    SweepColumns&     columns = sweep.columns;
    for (auto* column : {&columns.lower, &columns.low1, &columns.high1, &columns.low2, &columns.high2})
        column->assign(n_entries + kBlock, kInfinity);  // beyond the end nothing meets anything: it starts at infinity
    for (std::size_t i = 0; i < n_entries; ++i) {
        const geometry::Aabbd& box = boxes[static_cast<std::size_t>(entries[i].shape)];
        columns.lower[i]           = entries[i].lower;
        columns.low1[i] = box.lower[axis1], columns.high1[i] = box.upper[axis1];
        columns.low2[i] = box.lower[axis2], columns.high2[i] = box.upper[axis2];
    }
}

void BroadPhaseSAP::meet(const Sweep& sweep, std::size_t list, std::size_t begin, std::size_t end, Boxes boxes,
                         std::vector<ShapePair>& out, std::size_t limit) const
{
    const std::vector<Entry>& entries = sweep.entries;
    const SweepColumns&       columns = sweep.columns;
    const std::size_t         n       = entries.size();
    for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t a    = entries[i].shape;
        const bool         mine = filters_[static_cast<std::size_t>(a)].mobile;
        const SweepRow     row{boxes[static_cast<std::size_t>(a)].upper[sweep.axis], columns.low1[i], columns.high1[i],
                               columns.low2[i], columns.high2[i]};
        for (std::size_t block = next_block(columns, row, i + 1, n); block < n;
             block             = next_block(columns, row, block + kBlock, n)) {
            for (std::size_t k = block; k < std::min(block + kBlock, n); ++k) {
                if (!meets(columns, row, k)) continue;
                const std::int32_t b = entries[k].shape;
                if (!mine && !filters_[static_cast<std::size_t>(b)].mobile) continue;
                if (!allowed(a, b)) continue;
                // Two shapes of no world meet in their own sweep, not once per world.
                if (list < worlds_.size() && list_of(a) == worlds_.size() && list_of(b) == worlds_.size()) continue;
                out.emplace_back(std::min(a, b), std::max(a, b));
                if (out.size() > limit) return;
            }
        }
    }
}

void BroadPhaseSAP::find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit)
{
    const std::size_t lists = worlds_.size() + 1;
    if (lists > kManyWorlds) {
        const std::size_t grain = tasks::chunk_count(lists, kWorldTasks);
        sweeps_.resize(tasks::chunk_count(lists, grain));
        const auto find = [&](std::size_t begin, std::size_t end, std::size_t part, std::vector<ShapePair>& found) {
            for (std::size_t list = begin; list < end && found.size() <= limit; ++list) {
                sort(list, boxes, sweeps_[part]);
                meet(sweeps_[part], list, 0, sweeps_[part].entries.size(), boxes, found, limit);
            }
        };
        return in_parts(lists, grain, out, limit, std::cref(find));
    }
    sweeps_.resize(1);
    for (std::size_t list = 0; list < lists && out.size() <= limit; ++list) {
        sort(list, boxes, sweeps_.front());
        const auto find = [&](std::size_t begin, std::size_t end, std::size_t, std::vector<ShapePair>& found) {
            meet(sweeps_.front(), list, begin, end, boxes, found, limit);
        };
        in_parts(sweeps_.front().entries.size(), kRows, out, limit, std::cref(find));
    }
}

}  // namespace mechane::collision
