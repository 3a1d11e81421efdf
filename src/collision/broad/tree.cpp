// A dynamic tree of boxes per world (BroadPhaseTree), for large scenes in which most shapes stand still.
// Leaves have boxes enlarged by a tenth, so that a shape that trembles does not move in the tree. Insertion descends by
// the surface area heuristic (Goldsmith, Salmon 1987) and rotations keep the height logarithmic, as in Catto's dynamic
// tree (2019).
// The shape of the tree depends on the history of the calls. The pairs do not: each candidate is tested with the exact
// boxes, and find_pairs sorts what is found.

#include <algorithm>

#include "mechane/collision/broad_phase.h"
#include "mechane/geometry/bvh.h"
#include "mechane/tasks/parallel.h"

namespace mechane::collision {

namespace {

using geometry::Aabbd;

constexpr std::size_t kQueries = 128;  ///< of one task

Aabbd united(const Aabbd& a, const Aabbd& b) { return {min(a.lower, b.lower), max(a.upper, b.upper)}; }
/// Half of the surface [m^2].
double area(const Aabbd& box)
{
    const Vec3d e = box.upper - box.lower;
    return e.x * e.y + e.y * e.z + e.z * e.x;
}
/// A tenth of the longest side on each side. A larger margin moves fewer leaves and makes more candidates.
Aabbd fattened(const Aabbd& box)
{
    const double r = 0.1 * max_component(box.upper - box.lower);
    return {box.lower - Vec3d{r, r, r}, box.upper + Vec3d{r, r, r}};
}

}  // namespace

/// A dynamic tree: leaves are shapes, inner nodes have two children. Removed nodes go to a free list.
class BroadPhaseTree::Tree {
  public:
    static constexpr std::int32_t kNone = -1;
    struct Node {
        Aabbd        box;
        std::int32_t parent = kNone, left = kNone, right = kNone;
        std::int32_t shape  = kNone;  ///< of a leaf
        std::int32_t height = 0;
    };

    std::vector<std::int32_t> shapes;
    std::vector<Node>         nodes;
    std::vector<std::int32_t> leaf;  ///< by position in `shapes`
    std::int32_t              root = kNone;

    /// Follows the boxes: shapes that left their fat box, appeared or vanished move.
    void update(std::span<const Aabbd> boxes)
    {
        leaf.resize(shapes.size(), kNone);
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            const Aabbd& box   = boxes[static_cast<std::size_t>(shapes[i])];
            const bool   there = box.lower.x <= box.upper.x;
            if (leaf[i] != kNone) {
                const Aabbd& fat = at(leaf[i]).box;
                // A box much smaller than its fat one would be found by everybody: it is fitted anew.
                if (there && contains(fat, box) && area(fat) <= 4 * area(fattened(box))) continue;
                remove(leaf[i]);
                leaf[i] = kNone;
            }
            if (there) leaf[i] = insert(fattened(box), shapes[i]);
        }
    }

  private:
    Node& at(std::int32_t i) { return nodes[static_cast<std::size_t>(i)]; }

    std::int32_t take()
    {
        if (free_ == kNone) {
            nodes.emplace_back();
            return static_cast<std::int32_t>(nodes.size() - 1);
        }
        const std::int32_t i = free_;
        // Removed nodes are linked through `parent`.
        free_                = at(i).parent;
        at(i)                = {};
        return i;
    }
    void give(std::int32_t i)
    {
        at(i).parent = free_;
        free_        = i;
    }

    std::int32_t insert(const Aabbd& box, std::int32_t shape)
    {
        const std::int32_t n = take();
        at(n).box            = box;
        at(n).shape          = shape;
        if (root == kNone) return root = n;
        // Down the tree to the sibling with which the surface grows least.
        std::int32_t i = root;
        while (at(i).left != kNone) {
            // Cost of pushing the leaf below a child: the growth of every ancestor (`inherited`) plus the growth of the
            // child. A new parent here costs `whole`.
            const double whole = area(united(at(i).box, box)), inherited = whole - area(at(i).box);
            // A leaf would become the child of a new inner node, whose whole area counts; of an inner node only the
            // growth does.
            const auto   cost = [&](std::int32_t c) {
                const double grown = area(united(at(c).box, box));
                return inherited + (at(c).left == kNone ? grown : grown - area(at(c).box));
            };
            const double left = cost(at(i).left), right = cost(at(i).right);
            if (whole < left && whole < right) break;
            i = left <= right ? at(i).left : at(i).right;
        }
        const std::int32_t old = at(i).parent, parent = take();
        at(parent).parent = old;
        at(parent).left = i, at(parent).right = n;
        at(i).parent = at(n).parent = parent;
        replace_child(old, i, parent);
        refit(parent);
        return n;
    }

    void remove(std::int32_t n)
    {
        const std::int32_t parent = at(n).parent;
        give(n);
        if (parent == kNone) {
            root = kNone;
            return;
        }
        const std::int32_t other = at(parent).left == n ? at(parent).right : at(parent).left, above = at(parent).parent;
        at(other).parent = above;
        replace_child(above, parent, other);
        give(parent);
        // Only the boxes and heights above the removed leaf can have changed.
        refit(above);
    }

    void replace_child(std::int32_t parent, std::int32_t from, std::int32_t to)
    {
        if (parent == kNone)
            root = to;
        else
            (at(parent).left == from ? at(parent).left : at(parent).right) = to;
    }

    /// Boxes and heights from here to the root, turning what leans.
    void refit(std::int32_t i)
    {
        while (i != kNone) {
            i = balanced(i);
            summarise(i);
            i = at(i).parent;
        }
    }
    void summarise(std::int32_t i)
    {
        Node &n = at(i), &l = at(n.left), &r = at(n.right);
        n.box    = united(l.box, r.box);
        n.height = 1 + std::max(l.height, r.height);
    }
    /// An AVL rotation where one side is two levels higher; returns the node that stands in the place of i.
    std::int32_t balanced(std::int32_t i)
    {
        const std::int32_t l = at(i).left, r = at(i).right;
        const std::int32_t lean = at(r).height - at(l).height;
        if (lean >= -1 && lean <= 1) return i;
        const std::int32_t up = lean > 0 ? r : l;
        const std::int32_t a = at(up).left, b = at(up).right;
        // The higher grandchild stays with the node that rises, which lowers that side by one level.
        const std::int32_t keep = at(a).height > at(b).height ? a : b, down = keep == a ? b : a;
        const std::int32_t above = at(i).parent;
        replace_child(above, i, up);
        at(up).parent = above;
        at(up).left = i, at(up).right = keep;
        at(i).parent = at(keep).parent        = up;
        (lean > 0 ? at(i).right : at(i).left) = down;
        at(down).parent                       = i;
        summarise(i);
        return up;
    }

    std::int32_t free_ = kNone;
};

BroadPhaseTree::BroadPhaseTree(std::vector<ShapeFilter> filters, std::vector<ShapePair> excluded)
    : BroadPhase(std::move(filters), std::move(excluded))
{
    trees_.resize(worlds_.size() + 1);
    for (std::size_t w = 0; w < worlds_.size(); ++w) trees_[w].shapes = worlds_[w];
    trees_.back().shapes = global_;
}
BroadPhaseTree::~BroadPhaseTree() = default;

void BroadPhaseTree::query(const Tree& tree, std::int32_t shape, Boxes boxes, std::vector<std::int32_t>& stack,
                           std::vector<ShapePair>& out, std::size_t limit) const
{
    if (tree.root == Tree::kNone) return;
    // Depth first with a stack of the task: no recursion, and no allocation once the stack has grown.
    const Aabbd& box = boxes[static_cast<std::size_t>(shape)];
    stack.assign(1, tree.root);
    while (!stack.empty()) {
        const Tree::Node& n = tree.nodes[static_cast<std::size_t>(stack.back())];
        stack.pop_back();
        if (!geometry::overlaps(n.box, box)) continue;
        if (n.left != Tree::kNone) {
            stack.push_back(n.left);
            stack.push_back(n.right);
            continue;
        }
        // Of two that both ask, the one with the smaller index reports.
        if (n.shape == shape || (filters_[static_cast<std::size_t>(n.shape)].mobile && n.shape < shape)) continue;
        if (!geometry::overlaps(boxes[static_cast<std::size_t>(n.shape)], box) || !allowed(shape, n.shape)) continue;
        out.emplace_back(std::min(shape, n.shape), std::max(shape, n.shape));
        if (out.size() > limit) return;
    }
}

void BroadPhaseTree::find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit)
{
    // Trees are updated by one thread, in the order of worlds. Queries only read them and run in parallel.
    for (Tree& tree : trees_) tree.update(boxes);
    stacks_.resize(std::max<std::size_t>(1, tasks::chunk_count(solid_.size(), kQueries)));
    const auto find = [&](std::size_t begin, std::size_t end, std::size_t part, std::vector<ShapePair>& found) {
        for (std::size_t i = begin; i < end && found.size() <= limit; ++i) {
            const std::int32_t s = solid_[i];
            if (!filters_[static_cast<std::size_t>(s)].mobile || !in_order(boxes[static_cast<std::size_t>(s)]))
                continue;
            const auto ask = [&](const Tree& tree) { query(tree, s, boxes, stacks_[part], found, limit); };
            // What belongs to a world meets that world and the shared shapes; a moving shape of no world meets all of
            // them.
            if (const std::size_t list = list_of(s); list < worlds_.size())
                ask(trees_[list]);
            else
                for (std::size_t w = 0; w < worlds_.size(); ++w) ask(trees_[w]);
            ask(trees_.back());
        }
    };
    in_parts(solid_.size(), kQueries, out, limit, std::cref(find));
}

}  // namespace mechane::collision
