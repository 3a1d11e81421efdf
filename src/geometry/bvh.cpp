#include "mechane/geometry/bvh.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace mechane::geometry {

namespace {
constexpr std::size_t kLeafItems = 4;

Vec3d centre(const Aabbd& box) { return 0.5 * (box.lower + box.upper); }
}  // namespace

Bvh::Bvh(std::span<const Aabbd> boxes)
{
    if (boxes.empty()) return;
    items_.resize(boxes.size());
    std::iota(items_.begin(), items_.end(), 0);
    std::vector<Branch> branches;
    branches.reserve(2 * boxes.size());
    branches.push_back({.begin = 0, .end = boxes.size()});
    split(branches, 0, boxes);
    nodes_.reserve(boxes.size());
    nodes_.emplace_back();
    add_node(branches, 0, 0);
    quads_.reserve(boxes.size() / 2 + 1);
    add_quad(branches, 0);
    quads_.shrink_to_fit();
}

void Bvh::split(std::vector<Branch>& branches, std::size_t at, std::span<const Aabbd> boxes)
{
    const std::size_t begin = branches[at].begin, end = branches[at].end;
    Aabbd             box, centres;
    for (std::size_t i = begin; i < end; ++i) {
        const Aabbd& b = boxes[static_cast<std::size_t>(items_[i])];
        box            = {min(box.lower, b.lower), max(box.upper, b.upper)};
        centres        = {min(centres.lower, centre(b)), max(centres.upper, centre(b))};
    }
    branches[at].box = box;
    if (end - begin == 1) return;
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
    const std::size_t left = branches.size();
    branches[at].left      = left;
    branches.push_back({.begin = begin, .end = middle});
    branches.push_back({.begin = middle, .end = end});
    split(branches, left, boxes);
    split(branches, left + 1, boxes);
}

void Bvh::add_node(const std::vector<Branch>& branches, std::size_t branch, std::size_t node)
{
    const Branch&     b    = branches[branch];
    const std::size_t size = b.end - b.begin;
    nodes_[node].box       = b.box;
    if (size <= kLeafItems) {
        nodes_[node].first = static_cast<std::int32_t>(b.begin);
        nodes_[node].count = static_cast<std::int32_t>(size);
        return;
    }
    const std::size_t left = nodes_.size();
    nodes_.emplace_back();
    nodes_.emplace_back();
    nodes_[node].first = static_cast<std::int32_t>(left);
    add_node(branches, b.left, left);
    add_node(branches, b.left + 1, left + 1);
}

std::int32_t Bvh::add_quad(const std::vector<Branch>& branches, std::size_t branch)
{
    std::array<const Branch*, 4> four{};
    std::size_t                  count = 0;
    const auto                   size  = [](const Branch& b) { return b.end - b.begin; };
    const auto                   add   = [&](const Branch& b) {
        if (size(b) == 1) {
            four[count++] = &b;
            return;
        }
        four[count++] = &branches[b.left];
        four[count++] = &branches[b.left + 1];
    };
    if (size(branches[branch]) == 1) {
        add(branches[branch]);
    } else {
        add(branches[branches[branch].left]);
        add(branches[branches[branch].left + 1]);
    }
    const std::size_t at       = quads_.size();
    Quad&             q        = quads_.emplace_back();
    constexpr float   kNothing = std::numeric_limits<float>::quiet_NaN();  // overlaps no box, not even one without end
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < 4; ++i) {
            q.lower[k][i] = i < count ? single_below(four[i]->box.lower[k]) : kNothing;
            q.upper[k][i] = i < count ? -single_below(-four[i]->box.upper[k]) : kNothing;
        }
    for (std::size_t i = 0; i < count; ++i) {
        const auto child    = size(*four[i]) == 1
                                  ? ~items_[four[i]->begin]
                                  : add_quad(branches, static_cast<std::size_t>(four[i] - branches.data()));
        quads_[at].child[i] = child;
    }
    return static_cast<std::int32_t>(at);
}

}  // namespace mechane::geometry
