// Builds the bounding volume tree of a mesh or scene: binary nodes for queries one by one, and nodes of four branches
// in single precision for lanes. Boxes of items in any one frame [m].
// The tree depends on the boxes alone. Queries visit in an order that is not promised; callers break ties by index.

#include "mechane/geometry/bvh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mechane::geometry {

namespace {
constexpr std::size_t kLeafItems = 4;
constexpr std::size_t kBins      = 16;
constexpr int         kSteep     = 40;  ///< below this depth halves: with at most 31 levels more the stack is enough

Vec3d centre(const Aabbd& box) { return 0.5 * (box.lower + box.upper); }

/// Half the surface: what the chance of a box to be met goes with.
double half_surface(const Aabbd& box)
{
    const Vec3d d = box.upper - box.lower;
    return d.x * d.y + d.y * d.z + d.z * d.x;
}
Aabbd joined(const Aabbd& a, const Aabbd& b) { return {min(a.lower, b.lower), max(a.upper, b.upper)}; }

/// Where a bin along one axis ends: items whose centre lies in a lower one go left.
struct Cut {
    std::size_t axis = 0, bin = 0;  ///< bin 0: none was found
};

/// Equal bins along each axis between the outermost centres; fewer for few items, whose sweep would cost most.
struct Bins {
    Vec3d       lower, scale;  ///< of an axis without extent: 0
    std::size_t count;

    Bins(const Aabbd& centres, std::size_t items)
        : lower(centres.lower), count(std::min<std::size_t>(kBins, std::max<std::size_t>(4, items / 2)))
    {
        for (std::size_t k = 0; k < 3; ++k) {
            const double s = static_cast<double>(count) / (centres.upper[k] - centres.lower[k]);
            scale[k]       = std::isfinite(s) && s > 0 ? s : 0;
        }
    }
    [[nodiscard]] std::size_t of(double centre, std::size_t axis) const
    {
        const double x = (centre - lower[axis]) * scale[axis];
        // What is not a number falls into bin 0.
        return x >= static_cast<double>(count) ? count - 1 : x > 0 ? static_cast<std::size_t>(x) : 0;
    }
};

/// The cut with the least sum of surface times items (surface area heuristic; Wald 2007, by bins).
Cut cheapest_cut(const Bins& bins, std::span<const std::int32_t> items, std::span<const Aabbd> boxes)
{
    Cut    best;
    double least = kInfinity;
    struct Bin {
        Aabbd       box;
        std::size_t count = 0;
    };
    std::array<std::array<Bin, kBins>, 3> all;
    for (const std::int32_t i : items) {
        const Aabbd& b = boxes[static_cast<std::size_t>(i)];
        const Vec3d  c = centre(b);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Bin& bin = all[axis][bins.of(c[axis], axis)];
            bin.box  = joined(bin.box, b);
            ++bin.count;
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::array<double, kBins> right;  // of the bins from here on
        Bin                       sum;
        const auto                add = [&](const Bin& bin) {
            sum.box = joined(sum.box, bin.box);
            sum.count += bin.count;
            return sum.count > 0 ? half_surface(sum.box) * static_cast<double>(sum.count) : kInfinity;
        };
        // Sweep from the right first, then from the left: the cost of each cut in two passes.
        for (std::size_t k = bins.count; k-- > 1;) right[k] = add(all[axis][k]);
        sum = {};
        for (std::size_t k = 1; k < bins.count; ++k)
            if (const double cost = add(all[axis][k - 1]) + right[k]; cost < least) least = cost, best = {axis, k};
    }
    return best;
}
}  // namespace

Bvh::Bvh(std::span<const Aabbd> boxes)
{
    if (boxes.empty()) return;
    items_.resize(boxes.size());
    std::iota(items_.begin(), items_.end(), 0);
    std::vector<Branch> branches;
    branches.reserve(2 * boxes.size());
    branches.push_back({.begin = 0, .end = boxes.size()});
    split(branches, 0, boxes, 0);
    nodes_.reserve(boxes.size());
    nodes_.emplace_back();
    add_node(branches, 0, 0);
    quads_.reserve(boxes.size() / 2 + 1);
    add_quad(branches, 0);
    quads_.shrink_to_fit();
}

void Bvh::split(std::vector<Branch>& branches, std::size_t at, std::span<const Aabbd> boxes, int depth)
{
    const std::size_t begin = branches[at].begin, end = branches[at].end;
    Aabbd             box, centres;
    for (std::size_t i = begin; i < end; ++i) {
        const Aabbd& b = boxes[static_cast<std::size_t>(items_[i])];
        box            = joined(box, b);
        centres        = {min(centres.lower, centre(b)), max(centres.upper, centre(b))};
    }
    branches[at].box = box;
    if (end - begin == 1) return;
    const auto  items  = std::span(items_).subspan(begin, end - begin);
    std::size_t middle = items.size() / 2;
    const Bins  bins(centres, items.size());
    // Halving by count bounds the depth where the heuristic finds no cut or cuts off slivers.
    const bool  halves = items.size() <= kLeafItems || depth >= kSteep || !(half_surface(box) > 0);
    const Cut   cut    = halves ? Cut{} : cheapest_cut(bins, items, boxes);
    if (cut.bin > 0) {
        const auto is_left = [&](std::int32_t i) {
            return bins.of(centre(boxes[static_cast<std::size_t>(i)])[cut.axis], cut.axis) < cut.bin;
        };
        // std::partition may reorder items of one side; boxes and answers do not depend on it.
        middle = static_cast<std::size_t>(std::partition(items.begin(), items.end(), is_left) - items.begin());
    } else {
        const Vec3d       extent = centres.upper - centres.lower;
        const std::size_t axis = extent.x >= extent.y ? (extent.x >= extent.z ? 0 : 2) : (extent.y >= extent.z ? 1 : 2);
        std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(middle), items.end(),
                         [&](std::int32_t a, std::int32_t b) {
                             const double ca = centre(boxes[static_cast<std::size_t>(a)])[axis],
                                          cb = centre(boxes[static_cast<std::size_t>(b)])[axis];
                             return ca != cb ? ca < cb : a < b;
                         });
    }
    const std::size_t left = branches.size();
    branches[at].left      = left;
    branches.push_back({.begin = begin, .end = begin + middle});
    branches.push_back({.begin = begin + middle, .end = end});
    split(branches, left, boxes, depth + 1);
    split(branches, left + 1, boxes, depth + 1);
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
    std::array<const Branch*, 4> four{&branches[branch]};
    std::size_t                  count = 1;
    const auto                   size  = [](const Branch& b) { return b.end - b.begin; };
    while (count < 4) {  // the largest is opened
        std::size_t largest = 4;
        double      most    = -1;
        for (std::size_t i = 0; i < count; ++i)
            if (const double s = half_surface(four[i]->box); size(*four[i]) > 1 && (largest == 4 || s > most))
                largest = i, most = s;
        if (largest == 4) break;
        const Branch& open = *four[largest];
        four[largest]      = &branches[open.left];
        four[count++]      = &branches[open.left + 1];
    }
    const std::size_t at       = quads_.size();
    Quad&             q        = quads_.emplace_back();
    // Comparisons with not-a-number are false.
    constexpr float   kNothing = std::numeric_limits<float>::quiet_NaN();  // overlaps no box, not even one without end
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < 4; ++i) {
            // Rounded outwards: a box in single precision holds the box in double.
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
