#include <algorithm>

#include "mechane/collision/broad_phase.h"
#include "mechane/math/lanes.h"

namespace mechane::collision {

namespace {

constexpr std::size_t kBlock = 4 * static_cast<std::size_t>(kLanes);

/// So many shapes that have left their larger boxes are tested against all; with more the pairs are swept anew.
constexpr std::size_t kMostMovers = 32;
/// Pairs that did not last for so many calls are not worth keeping.
constexpr int kLeastAge = 4;
/// By how much of its extent a box is made larger.
constexpr double kFat = 0.05;

bool contains(const geometry::Aabbd& outer, const geometry::Aabbd& inner)
{
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
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

void BroadPhaseSAP::sweep(std::span<const std::int32_t> own, std::span<const std::int32_t> shared, Boxes boxes,
                          std::vector<ShapePair>& out, std::size_t limit)
{
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
    entries_.clear();
    for (const auto& list : {own, shared})
        for (const std::int32_t s : list) {
            const geometry::Aabbd& box = boxes[static_cast<std::size_t>(s)];
            if (in_order(box)) entries_.push_back({box.lower[axis], s});
        }
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return a.lower != b.lower ? a.lower < b.lower : a.shape < b.shape;
    });
    const std::size_t n_entries = entries_.size(), axis1 = (axis + 1) % 3, axis2 = (axis + 2) % 3;
    for (auto* column : {&columns_.lower, &columns_.low1, &columns_.high1, &columns_.low2, &columns_.high2})
        column->assign(n_entries + kBlock, kInfinity);  // beyond the end nothing meets anything: it starts at infinity
    for (std::size_t i = 0; i < n_entries; ++i) {
        const geometry::Aabbd& box = boxes[static_cast<std::size_t>(entries_[i].shape)];
        columns_.lower[i]          = entries_[i].lower;
        columns_.low1[i] = box.lower[axis1], columns_.high1[i] = box.upper[axis1];
        columns_.low2[i] = box.lower[axis2], columns_.high2[i] = box.upper[axis2];
    }
    for (std::size_t i = 0; i < n_entries; ++i) {
        const std::int32_t     a    = entries_[i].shape;
        const geometry::Aabbd& box  = boxes[static_cast<std::size_t>(a)];
        const bool             mine = filters_[static_cast<std::size_t>(a)].mobile;
        const SweepRow row{box.upper[axis], box.lower[axis1], box.upper[axis1], box.lower[axis2], box.upper[axis2]};
        for (std::size_t block = next_block(columns_, row, i + 1, n_entries); block < n_entries;
             block             = next_block(columns_, row, block + kBlock, n_entries)) {
            for (std::size_t k = block; k < std::min(block + kBlock, n_entries); ++k) {
                if (!meets(columns_, row, k)) continue;
                const std::int32_t b = entries_[k].shape;
                if (!mine && !filters_[static_cast<std::size_t>(b)].mobile) continue;
                if (!allowed(a, b)) continue;
                // Two shapes of no world meet in their own sweep, not once per world.
                if (!shared.empty() && filters_[static_cast<std::size_t>(a)].world < 0 &&
                    filters_[static_cast<std::size_t>(b)].world < 0)
                    continue;
                out.emplace_back(std::min(a, b), std::max(a, b));
                if (out.size() > limit) return;
            }
        }
    }
}

void BroadPhaseSAP::sweep_all(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit)
{
    for (const auto& world : worlds_) sweep(world, global_, boxes, out, limit);
    if (out.size() <= limit) sweep(global_, {}, boxes, out, limit);
}

/// @return false when there are too many of them, or no larger boxes
bool BroadPhaseSAP::find_movers(Boxes boxes)
{
    movers_.clear();
    if (fat_.size() != boxes.size()) return false;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!in_order(boxes[i]) || contains(fat_[i], boxes[i]) || !filters_[i].active || filters_[i].plane) continue;
        if (movers_.size() == kMostMovers) return false;
        movers_.push_back(static_cast<std::int32_t>(i));
    }
    return true;
}

void BroadPhaseSAP::fatten(Boxes boxes)
{
    fat_.assign(boxes.begin(), boxes.end());
    for (geometry::Aabbd& box : fat_) {
        if (!in_order(box)) continue;
        const double r = kFat * max_component(box.upper - box.lower);
        box.lower -= Vec3d{r, r, r};
        box.upper += Vec3d{r, r, r};
    }
}

void BroadPhaseSAP::test_near(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) const
{
    const auto box   = [&](std::int32_t s) -> const geometry::Aabbd& { return boxes[static_cast<std::size_t>(s)]; };
    const auto moved = [&](std::int32_t s) { return std::binary_search(movers_.begin(), movers_.end(), s); };
    for (const ShapePair& p : near_) {
        if (!geometry::overlaps(box(p.first), box(p.second))) continue;
        if (!movers_.empty() && (moved(p.first) || moved(p.second))) continue;
        out.push_back(p);
        if (out.size() > limit) return;
    }
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
            std::sort(near_.begin(), near_.end());
            listed_ = near_.size() <= limit;
            age_    = 0;
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
