#pragma once
#include <array>
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
/// Squared distance of a point from a box, 0 inside [m^2].
inline double distance_squared(const Aabbd& box, const Vec3d& p)
{ return length_squared(max(Vec3d{}, max(box.lower - p, p - box.upper))); }

/// Where the ray o + t d, t >= 0, enters the box; infinite when it misses. A slack of rounding is on the safe side.
inline double entry_of(const Aabbd& box, const Vec3d& o, const Vec3d& d)
{
    double enter = 0, leave = kInfinity;
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

/// A binary tree of boxes over items (triangles), split at the median of the centres along the widest axis. Equal input
/// gives equal bytes. The depth is at most 2 log2 n, so a query runs on a fixed stack.
class Bvh {
  public:
    Bvh() = default;
    explicit Bvh(std::span<const Aabbd> boxes);

    [[nodiscard]] bool         empty() const { return nodes_.empty(); }
    [[nodiscard]] const Aabbd& bounds() const { return nodes_.front().box; }

    /// Calls visit(item) for every item whose leaf box overlaps `box`, in an order that depends on the tree only.
    template <class Visit>
    void for_each_overlap(const Aabbd& box, Visit&& visit) const
    {
        std::array<std::int32_t, kStack> stack;
        int                              top = 0;
        if (!nodes_.empty()) stack[top++] = 0;
        while (top > 0) {
            const Node& node = nodes_[static_cast<std::size_t>(stack[--top])];
            if (!overlaps(node.box, box)) continue;
            if (node.count > 0) {
                for (std::int32_t i = 0; i < node.count; ++i) visit(items_[static_cast<std::size_t>(node.first + i)]);
            } else {
                stack[top++] = node.first + 1;
                stack[top++] = node.first;
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
        if (!nodes_.empty()) stack[top++] = 0;
        while (top > 0) {
            const Node& node = nodes_[static_cast<std::size_t>(stack[--top])];
            if (distance_squared(node.box, p) > bound) continue;
            if (node.count > 0) {
                for (std::int32_t i = 0; i < node.count; ++i)
                    bound = visit(items_[static_cast<std::size_t>(node.first + i)]);
            } else {
                const auto left  = static_cast<std::size_t>(node.first);
                const bool first = distance_squared(nodes_[left].box, p) <= distance_squared(nodes_[left + 1].box, p);
                stack[top++]     = node.first + (first ? 1 : 0);
                stack[top++]     = node.first + (first ? 0 : 1);
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
        if (!nodes_.empty()) stack[top++] = 0;
        while (top > 0) {
            const Node& node = nodes_[static_cast<std::size_t>(stack[--top])];
            // A box that is missed is entered at infinity, which an infinite bound would let through.
            if (const double entry = entry_of(node.box, o, d); !(entry <= bound) || entry == kInfinity) continue;
            if (node.count > 0) {
                for (std::int32_t i = 0; i < node.count; ++i)
                    bound = visit(items_[static_cast<std::size_t>(node.first + i)]);
            } else {
                const auto left  = static_cast<std::size_t>(node.first);
                const bool first = entry_of(nodes_[left].box, o, d) <= entry_of(nodes_[left + 1].box, o, d);
                stack[top++]     = node.first + (first ? 1 : 0);
                stack[top++]     = node.first + (first ? 0 : 1);
            }
        }
    }

  private:
    static constexpr std::size_t kStack = 128;
    struct Node {
        Aabbd        box;
        std::int32_t first = 0;  ///< leaf: into items_; inner: left child, the right one follows it
        std::int32_t count = 0;  ///< items of a leaf, 0 for an inner node
    };
    void build(std::size_t node, std::size_t begin, std::size_t end, std::span<const Aabbd> boxes);

    std::vector<Node>         nodes_;
    std::vector<std::int32_t> items_;
};

}  // namespace mechane::geometry
