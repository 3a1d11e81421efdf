#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// True where two boxes share at least a point.
inline bool overlaps(const Aabbd& a, const Aabbd& b)
{
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

/// True where the inner box lies within the outer, which it may touch from inside.
inline bool contains(const Aabbd& outer, const Aabbd& inner)
{
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
}

/// Squared distance of a point from a box, 0 inside [m^2].
inline double distance_squared(const Aabbd& box, const Vec3d& p)
{ return length_squared(max(Vec3d{}, max(box.lower - p, p - box.upper))); }

/// Where the ray o + t d, t >= 0, enters the box; infinite when it misses. A slack of rounding is on the safe side.
inline double entry_of(const Aabbd& box, const Vec3d& o, const Vec3d& d)
{
    double enter = 0, leave = kInfinity;  // values of t, dimensionless
    for (std::size_t i = 0; i < 3; ++i) {
        if (d[i] == 0) {
            if (o[i] < box.lower[i] || o[i] > box.upper[i]) return kInfinity;
            continue;
        }
        const double a = (box.lower[i] - o[i]) / d[i], b = (box.upper[i] - o[i]) / d[i];
        enter = a < b ? (a > enter ? a : enter) : (b > enter ? b : enter);
        leave = a < b ? (b < leave ? b : leave) : (a < leave ? a : leave);
    }
    return enter <= leave * (1 + 4e-16) ? enter : kInfinity;
}

/// A binary tree of boxes over items (triangles), split where surface times items is least on both sides together.
/// Immutable once it is made, so any number of threads may ask it. Visitors are called in a fixed order. Equal input
/// gives equal bytes. The depth is at most 71, so a query runs on a fixed stack.
///
///     tree.for_each_overlap(box, [&](std::int32_t item) { near.push_back(item); });
class Bvh {
  public:
    /// Empty: no query visits anything.
    Bvh() = default;
    /// The boxes are copied; an item is the place of its box in the span.
    explicit Bvh(std::span<const Aabbd> boxes);

    [[nodiscard]] bool empty() const { return nodes_.empty(); }
    /// Of a tree that is not empty.
    [[nodiscard]] const Aabbd& bounds() const { return nodes_.front().box; }

    /// Calls visit(item) for every item whose box overlaps `box`, and for some that miss it by no more than single
    /// precision tells, in an order that depends on the tree only.
    template <class Visit>
    void for_each_overlap(const Aabbd& box, Visit&& visit) const
    {
        std::array<std::int32_t, kStack> stack;
        int                              top = 0;
        if (!quads_.empty()) stack[static_cast<std::size_t>(top++)] = 0;
        const auto all = [](float x) { return Four{x, x, x, x}; };
        const Four x0 = all(single_below(box.lower.x)), y0 = all(single_below(box.lower.y)),
                   z0 = all(single_below(box.lower.z)), x1 = all(-single_below(-box.upper.x)),
                   y1 = all(-single_below(-box.upper.y)), z1 = all(-single_below(-box.upper.z));
        while (top > 0) {
            const std::int32_t at = stack[static_cast<std::size_t>(--top)];
            if (at < 0) {
                visit(~at);
                continue;
            }
            const Quad& q   = quads_[static_cast<std::size_t>(at)];
            const auto  hit = (q.lower[0] <= x1) & (q.upper[0] >= x0) & (q.lower[1] <= y1) & (q.upper[1] >= y0) &
                              (q.lower[2] <= z1) & (q.upper[2] >= z0);
            for (std::size_t i = 4; i-- > 0;) {
                stack[static_cast<std::size_t>(top)] = q.child[i];
                top -= hit[i];
            }
        }
    }
    /// Calls visit(item) for items that may lie within sqrt(bound) of p, nearer subtrees first. The visitor returns the
    /// bound [m^2] from there on, at most the old one.
    template <class Visit>
    void for_each_near(const Vec3d& p, double bound, Visit&& visit) const
    {
        std::array<std::int32_t, kStack> stack;
        int                              top = 0;
        if (!nodes_.empty()) stack[static_cast<std::size_t>(top++)] = 0;
        while (top > 0) {
            const Node& node = nodes_[static_cast<std::size_t>(stack[static_cast<std::size_t>(--top)])];
            if (distance_squared(node.box, p) > bound) continue;
            if (node.count > 0) {
                for (std::int32_t i = 0; i < node.count; ++i)
                    bound = visit(items_[static_cast<std::size_t>(node.first + i)]);
            } else {
                const auto left  = static_cast<std::size_t>(node.first);
                const bool first = distance_squared(nodes_[left].box, p) <= distance_squared(nodes_[left + 1].box, p);
                stack[static_cast<std::size_t>(top++)] = node.first + (first ? 1 : 0);
                stack[static_cast<std::size_t>(top++)] = node.first + (first ? 0 : 1);
            }
        }
    }
    /// Calls visit(item) for items whose leaf box the ray o + t d may enter with 0 <= t <= bound, nearer subtrees
    /// first. The visitor returns the bound from there on, at most the old one.
    template <class Visit>
    void for_each_along(const Vec3d& o, const Vec3d& d, double bound, Visit&& visit) const
    {
        std::array<std::int32_t, kStack> stack;
        int                              top = 0;
        if (!nodes_.empty()) stack[static_cast<std::size_t>(top++)] = 0;
        while (top > 0) {
            const Node& node = nodes_[static_cast<std::size_t>(stack[static_cast<std::size_t>(--top)])];
            // A box that is missed is entered at infinity, which an infinite bound would let through.
            if (const double entry = entry_of(node.box, o, d); !(entry <= bound) || entry == kInfinity) continue;
            if (node.count > 0) {
                for (std::int32_t i = 0; i < node.count; ++i)
                    bound = visit(items_[static_cast<std::size_t>(node.first + i)]);
            } else {
                const auto left  = static_cast<std::size_t>(node.first);
                const bool first = entry_of(nodes_[left].box, o, d) <= entry_of(nodes_[left + 1].box, o, d);
                stack[static_cast<std::size_t>(top++)] = node.first + (first ? 1 : 0);
                stack[static_cast<std::size_t>(top++)] = node.first + (first ? 0 : 1);
            }
        }
    }

  private:
    static constexpr std::size_t kStack = 256;
    using Four [[gnu::vector_size(16)]] = float;
    struct Node {
        Aabbd        box;
        std::int32_t first = 0;  ///< leaf: into items_; inner: left child, the right one follows it
        std::int32_t count = 0;  ///< items of a leaf, 0 for an inner node
    };
    /// A node while the tree is built: it goes down to single items.
    struct Branch {
        Aabbd       box;
        std::size_t begin, end;  ///< its items
        std::size_t left = 0;    ///< the right one follows it
    };
    /// Up to four branches whose boxes are looked at side by side: what a branch falls into when the largest part is
    /// split until there are four. In two lines of the cache, for which the boxes are rounded outwards.
    struct alignas(64) Quad {
        Four                        lower[3], upper[3];  ///< of no branch: nothing overlaps it
        std::array<std::int32_t, 4> child;               ///< another quad, or ~ an item
    };
    /// The largest number of single precision that is not above x.
    static float single_below(double x)
    {
        const auto nearest = static_cast<float>(x);
        if (!(nearest > x)) return nearest;
        const auto bits = std::bit_cast<std::int32_t>(nearest);
        return std::bit_cast<float>(nearest > 0 ? bits - 1 : nearest < 0 ? bits + 1 : std::int32_t{-0x7fffffff});
    }
    void         split(std::vector<Branch>& branches, std::size_t at, std::span<const Aabbd> boxes, int depth);
    void         add_node(const std::vector<Branch>& branches, std::size_t branch, std::size_t node);
    std::int32_t add_quad(const std::vector<Branch>& branches, std::size_t branch);

    std::vector<Node>         nodes_;
    std::vector<Quad>         quads_;
    std::vector<std::int32_t> items_;
};

}  // namespace mechane::geometry
