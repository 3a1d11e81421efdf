#include "sweep.h"

#include <algorithm>

namespace mechane::collision {

SweepAndPrune::SweepAndPrune(std::vector<Filter> filters, std::vector<ShapePair> excluded)
    : filters_(std::move(filters)), excluded_(std::move(excluded))
{
    for (ShapePair& p : excluded_)
        if (p.first > p.second) std::swap(p.first, p.second);
    std::sort(excluded_.begin(), excluded_.end());
    for (std::size_t i = 0; i < filters_.size(); ++i) {
        const Filter& f     = filters_[i];
        const auto    shape = static_cast<std::int32_t>(i);
        if (!f.active) continue;
        if (f.plane) {
            planes_.push_back(shape);
        } else if (f.world < 0) {
            global_.push_back(shape);
        } else {
            const auto w = static_cast<std::size_t>(f.world);
            if (worlds_.size() <= w) worlds_.resize(w + 1);
            worlds_[w].push_back(shape);
        }
    }
    entries_.reserve(filters_.size());
}

bool SweepAndPrune::allowed(std::int32_t i, std::int32_t k) const
{
    const Filter &a = filters_[static_cast<std::size_t>(i)], &b = filters_[static_cast<std::size_t>(k)];
    // Without a dynamic body on either side no contact could change anything.
    if (!(a.mobile || b.mobile) || a.body == b.body) return false;
    if (!worlds_collide(a.world, b.world) || !groups_collide(a.group, b.group)) return false;
    return !std::binary_search(excluded_.begin(), excluded_.end(), ShapePair{std::min(i, k), std::max(i, k)});
}

void SweepAndPrune::sweep(std::span<const std::int32_t> own, std::span<const std::int32_t> shared,
                          std::span<const geometry::Aabbd> boxes, std::vector<ShapePair>& out)
{
    // Twice the centre; the axis along which the centres of this world spread most separates best.
    Vec3d  sum, squares;
    double n = 0;
    for (const std::int32_t s : own) {
        const geometry::Aabbd& box = boxes[static_cast<std::size_t>(s)];
        if (!(box.lower.x <= box.upper.x)) continue;
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
            if (box.lower.x <= box.upper.x) entries_.push_back({box.lower[axis], s});
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
        }
    }
}

void SweepAndPrune::find_pairs(std::span<const geometry::Aabbd> boxes, std::span<const RaisedPlane> planes,
                               std::vector<ShapePair>& out)
{
    out.clear();
    for (const auto& world : worlds_) sweep(world, global_, boxes, out);
    sweep(global_, {}, boxes, out);
    for (const std::int32_t p : planes_) {
        const RaisedPlane& plane = planes[static_cast<std::size_t>(p)];
        const auto         below = [&](std::int32_t s) {
            const geometry::Aabbd& box = boxes[static_cast<std::size_t>(s)];
            if (!(box.lower.x <= box.upper.x) || !allowed(p, s)) return;
            const Vec3d c = 0.5 * (box.lower + box.upper), half = 0.5 * (box.upper - box.lower);
            if (dot(plane.n, c - plane.origin) - dot(abs(plane.n), half) <= 0)
                out.emplace_back(std::min(p, s), std::max(p, s));
        };
        for (const std::int32_t s : global_) below(s);
        const std::int32_t world = filters_[static_cast<std::size_t>(p)].world;
        for (std::size_t w = 0; w < worlds_.size(); ++w)
            if (worlds_collide(world, static_cast<std::int32_t>(w)))
                for (const std::int32_t s : worlds_[w]) below(s);
    }
    std::sort(out.begin(), out.end());
}

}  // namespace mechane::collision
