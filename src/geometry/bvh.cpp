#include "mechane/geometry/bvh.h"

#include <algorithm>

namespace mechane::geometry {

namespace {
constexpr std::size_t kLeafItems = 4;

Vec3d centre(const Aabbd& box) { return 0.5 * (box.lower + box.upper); }
}  // namespace

Bvh::Bvh(std::span<const Aabbd> boxes)
{
    if (boxes.empty()) return;
    items_.resize(boxes.size());
    for (std::size_t i = 0; i < items_.size(); ++i) items_[i] = static_cast<std::int32_t>(i);
    nodes_.reserve(boxes.size());
    nodes_.emplace_back();
    build(0, 0, boxes.size(), boxes);
}

void Bvh::build(std::size_t node, std::size_t begin, std::size_t end, std::span<const Aabbd> boxes)
{
    Aabbd box, centres;
    for (std::size_t i = begin; i < end; ++i) {
        const Aabbd& b = boxes[static_cast<std::size_t>(items_[i])];
        box            = {min(box.lower, b.lower), max(box.upper, b.upper)};
        centres        = {min(centres.lower, centre(b)), max(centres.upper, centre(b))};
    }
    nodes_[node].box = box;
    if (end - begin <= kLeafItems) {
        nodes_[node].first = static_cast<std::int32_t>(begin);
        nodes_[node].count = static_cast<std::int32_t>(end - begin);
        return;
    }
    const Vec3d       extent = centres.upper - centres.lower;
    const std::size_t axis   = extent.x >= extent.y ? (extent.x >= extent.z ? 0 : 2) : (extent.y >= extent.z ? 1 : 2);
    const std::size_t middle = begin + (end - begin) / 2;
    std::nth_element(items_.begin() + static_cast<std::ptrdiff_t>(begin),
                     items_.begin() + static_cast<std::ptrdiff_t>(middle),
                     items_.begin() + static_cast<std::ptrdiff_t>(end), [&](std::int32_t a, std::int32_t b) {
                         const double ca = centre(boxes[static_cast<std::size_t>(a)])[axis],
                                      cb = centre(boxes[static_cast<std::size_t>(b)])[axis];
                         return ca != cb ? ca < cb : a < b;
                     });
    const std::size_t left = nodes_.size();
    nodes_.emplace_back();
    nodes_.emplace_back();
    nodes_[node].first = static_cast<std::int32_t>(left);
    build(left, begin, middle, boxes);
    build(left + 1, middle, end, boxes);
}

}  // namespace mechane::geometry
