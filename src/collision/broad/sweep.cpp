#include <algorithm>

#include "mechane/collision/broad_phase.h"

namespace mechane::collision {

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
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const std::int32_t     a    = entries_[i].shape;
        const geometry::Aabbd& box  = boxes[static_cast<std::size_t>(a)];
        const bool             mine = filters_[static_cast<std::size_t>(a)].mobile;
        for (std::size_t k = i + 1; k < entries_.size() && entries_[k].lower <= box.upper[axis]; ++k) {
            const std::int32_t b = entries_[k].shape;
            if (!mine && !filters_[static_cast<std::size_t>(b)].mobile) continue;
            if (!geometry::overlaps(box, boxes[static_cast<std::size_t>(b)]) || !allowed(a, b)) continue;
            // Two shapes of no world meet in their own sweep, not once per world.
            if (!shared.empty() && filters_[static_cast<std::size_t>(a)].world < 0 &&
                filters_[static_cast<std::size_t>(b)].world < 0)
                continue;
            out.emplace_back(std::min(a, b), std::max(a, b));
            if (out.size() > limit) return;
        }
    }
}

void BroadPhaseSAP::find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit)
{
    for (const auto& world : worlds_) sweep(world, global_, boxes, out, limit);
    if (out.size() <= limit) sweep(global_, {}, boxes, out, limit);
}

}  // namespace mechane::collision
