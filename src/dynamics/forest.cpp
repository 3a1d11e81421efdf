// From the joints of a model to trees in reduced coordinates: every body that moves gets one inbound joint, joints that
// would close a loop are listed apart.
// Order of links: roots by group, then depth first, children by body index. Hence a parent lies before its children,
// the links and dofs of a tree are consecutive, and the numbering depends on the model only.
// Used by JointSpace and by the solvers.

#include "mechane/dynamics/forest.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "mechane/core/disjoint_sets.h"

namespace mechane::dynamics {

namespace {

/// Over bodies; every set has exactly one body without an inbound joint, its root.
using Sets = DisjointSets<std::int32_t>;

bool is_free_like(model::JointType type)
{ return type == model::JointType::free || type == model::JointType::distance || type == model::JointType::rod; }

/// Chooses the inbound joint of every body: `inbound[b]`, or -1.
std::vector<std::int32_t> choose_inbound(const model::Model& model, std::span<const std::uint8_t> enabled,
                                         const std::vector<std::uint8_t>& prescribed, Forest& out)
{
    const auto                joints = static_cast<std::int32_t>(model.joint_count());
    std::vector<std::int32_t> inbound(model.body_count(), -1);
    std::vector<std::uint8_t> used(model.joint_count(), 0);
    Sets                      sets(model.body_count());
    // Joints of articulations choose first: an extra joint between links of a robot closes a loop, and not the one that
    // its author put into the tree.
    for (const bool articulated : {true, false}) {
        for (std::int32_t j = 0; j < joints; ++j) {
            if ((model.joint_articulation[j] >= 0) != articulated) continue;
            const std::int32_t p = model.joint_parent[j], c = model.joint_child[j];
            if (!enabled[j] || model.joint_exclude_from_articulation[j] || c < 0 || c == p || prescribed[c] ||
                inbound[c] >= 0)
                continue;
            const bool coupled = p >= 0 && !prescribed[p] && !is_free_like(model.joint_type[j]);
            if (coupled) {
                // Parent and child are connected already: this joint closes a loop.
                if (sets.find(p) == sets.find(c)) continue;
                sets.hang(c, p);
            }
            inbound[c] = j;
            used[j]    = 1;
        }
    }
    for (std::int32_t j = 0; j < joints; ++j) {
        if (!enabled[j]) continue;
        const std::int32_t p = model.joint_parent[j], c = model.joint_child[j];
        const bool         moves = (p >= 0 && !prescribed[p]) || (c >= 0 && !prescribed[c]);
        // Between bodies that do not move a joint does nothing.
        if (!moves || p == c) continue;
        if (model.joint_type[j] == model::JointType::distance) out.distances.push_back(j);
        if (!used[j] && !is_free_like(model.joint_type[j])) out.loops.push_back(j);
    }
    return inbound;
}

/// Joints that follow another one, both being inbound joints of moving bodies.
void find_mimics(const model::Model& model, const std::vector<std::int32_t>& inbound, Forest& out)
{
    const auto holds = [&](std::int32_t j) {
        return model.joint_child[j] >= 0 && inbound[model.joint_child[j]] == j && !is_free_like(model.joint_type[j]);
    };
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(model.joint_count()); ++j) {
        const std::int32_t leader = model.joint_mimic_joint[j];
        if (leader >= 0 && leader != j && holds(j) && holds(leader)) out.mimics.push_back(j);
    }
}

/// Sorts the roots so that trees tied together by loops and mimic relations are neighbours; returns the group of each
/// body.
std::vector<std::int32_t> group_roots(const model::Model& model, const std::vector<std::uint8_t>& prescribed,
                                      const std::vector<std::int32_t>& inbound, std::vector<std::int32_t>& roots,
                                      Forest& forest)
{
    Sets       sets(model.body_count());
    // Prescribed bodies tie nothing together: trees on both sides of one do not feel each other.
    const auto tie = [&](std::int32_t a, std::int32_t b) {
        if (a >= 0 && b >= 0 && !prescribed[a] && !prescribed[b]) sets.hang(a, b);
    };
    for (std::size_t b = 0; b < inbound.size(); ++b)
        if (inbound[b] >= 0 && !is_free_like(model.joint_type[inbound[b]]))
            tie(model.joint_parent[inbound[b]], static_cast<std::int32_t>(b));
    for (const std::int32_t j : forest.loops) tie(model.joint_parent[j], model.joint_child[j]);
    for (const std::int32_t j : forest.mimics) tie(model.joint_child[model.joint_mimic_joint[j]], model.joint_child[j]);
    std::vector<std::int32_t> number(model.body_count(), -1), group(model.body_count(), -1);
    for (const std::int32_t root : roots) {
        std::int32_t& n = number[sets.find(root)];
        if (n < 0) n = forest.group_count++;
        group[root] = n;
    }
    std::stable_sort(roots.begin(), roots.end(), [&](std::int32_t a, std::int32_t b) { return group[a] < group[b]; });
    return group;
}

Link make_link(const model::Model& model, std::int32_t body, std::int32_t joint)
{
    Link link;
    link.body    = body;
    link.joint   = joint;
    link.com     = static_cast<Vec3d>(model.body_com[body]);
    link.mass    = static_cast<double>(model.body_mass[body]);
    link.inertia = static_cast<Mat33d>(model.body_inertia[body]);
    if (joint >= 0) {
        link.axes   = joint_axes(model, joint);
        link.X_PJ   = static_cast<Posed>(model.joint_X_p[joint]);
        link.X_CJ   = static_cast<Posed>(model.joint_X_c[joint]);
        link.X_PJ.q = normalized(link.X_PJ.q);
        link.X_CJ.q = normalized(link.X_CJ.q);
    }
    // FREE, DISTANCE and ROD joints leave all six dofs; the limits of the latter two are the solvers' business.
    link.free      = joint < 0 || link.axes.free_like();
    link.from_body = link.free && (joint < 0 || model.joint_parent[joint] >= 0);
    link.dofs      = link.free ? 6 : link.axes.dofs();
    link.coords    = link.free ? 7 : link.axes.coords;
    return link;
}

}  // namespace

namespace {

/// A response through the factored mass matrix costs two multiplications for each dof above a dof, the recursion 24:
/// from this mean depth on the recursion is ahead, counting that it has no factorisation.
constexpr double kDeep = 24;

/// How many dofs lie above a dof, on average.
double mean_depth(const Forest& forest, const Tree& tree)
{
    if (tree.dof_count() == 0) return 0;
    std::vector<std::int32_t> depth(static_cast<std::size_t>(tree.dof_count()), 0);
    double                    sum = 0;
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) {
        const std::int32_t above = forest.dof_parent[k];
        if (above >= tree.dof_begin) depth[k - tree.dof_begin] = depth[above - tree.dof_begin] + 1;
        sum += depth[k - tree.dof_begin];
    }
    return sum / tree.dof_count();
}

/// Bits and not values: only then do four trees side by side have the bits that each has alone. Negative zero differs
/// from zero.
template <class T>
bool same_bits(const T& a, const T& b)
{
    static_assert(sizeof(T) % sizeof(double) == 0 && std::is_trivially_copyable_v<T>);
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

bool alike(const Forest& f, const Tree& a, const Tree& b)
{
    if (a.link_end - a.link_begin != b.link_end - b.link_begin || a.dof_count() != b.dof_count()) return false;
    for (std::int32_t i = 0; i < a.link_end - a.link_begin; ++i) {
        const Link &x = f.links[a.link_begin + i], &y = f.links[b.link_begin + i];
        const bool  root = i == 0;  // stands where it likes
        if ((!root && x.parent - a.link_begin != y.parent - b.link_begin) ||
            x.dof - a.dof_begin != y.dof - b.dof_begin || x.dofs != y.dofs || x.coords != y.coords ||
            x.coord - f.links[a.link_begin].coord != y.coord - f.links[b.link_begin].coord || x.free != y.free ||
            x.from_body != y.from_body || x.axes.type != y.axes.type || x.axes.linear != y.axes.linear ||
            x.axes.angular != y.axes.angular)
            return false;
        if (!same_bits(x.axes.axis, y.axes.axis) || !(root || same_bits(x.X_PJ, y.X_PJ)) ||
            !same_bits(x.X_CJ, y.X_CJ) || !same_bits(x.com, y.com) || !same_bits(x.mass, y.mass) ||
            !same_bits(x.inertia, y.inertia))
            return false;
    }
    return true;
}

/// Tree::kind.
void find_kinds(Forest& forest)
{
    constexpr std::size_t     kMostKinds = 64;  // so many are looked through for each tree
    std::vector<std::int32_t> kinds;
    for (Tree& tree : forest.trees) {
        if (tree.single || tree.deep || forest.links[tree.link_begin].base >= 0) continue;
        for (auto known = kinds.rbegin(); known != kinds.rend() && tree.kind < 0; ++known)
            if (alike(forest, forest.trees[*known], tree)) tree.kind = *known;
        if (tree.kind >= 0) continue;
        tree.kind = static_cast<std::int32_t>(&tree - forest.trees.data());
        if (kinds.size() < kMostKinds) kinds.push_back(tree.kind);
    }
}

}  // namespace

Forest build_forest(const model::Model& model) { return build_forest(model, model.joint_enabled); }

Forest build_forest(const model::Model& model, std::span<const std::uint8_t> enabled)
{
    Forest                    forest;
    const auto                bodies = static_cast<std::int32_t>(model.body_count());
    std::vector<std::uint8_t> prescribed(model.body_count(), 0);
    std::vector<std::uint8_t> jointed(model.body_count(), 0);
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(model.joint_count()); ++j) {
        if (!enabled[j] || is_free_like(model.joint_type[j])) continue;
        if (model.joint_parent[j] >= 0) jointed[model.joint_parent[j]] = 1;
        if (model.joint_child[j] >= 0) jointed[model.joint_child[j]] = 1;
    }
    for (std::int32_t b = 0; b < bodies; ++b) {
        const bool kinematic = (model.body_flags[b] & model::body_flag::kinematic) != 0;
        // A body without mass that no joint holds cannot be moved by any force.
        prescribed[b]        = kinematic || (!(model.body_mass[b] > 0) && !jointed[b]);
        if (prescribed[b]) forest.prescribed.push_back(b);
    }
    const std::vector<std::int32_t> inbound = choose_inbound(model, enabled, prescribed, forest);
    find_mimics(model, inbound, forest);

    // Children of each body, ascending, then depth first from the roots in body order.
    std::vector<std::vector<std::int32_t>> children(model.body_count());
    std::vector<std::int32_t>              roots;
    for (std::int32_t b = 0; b < bodies; ++b) {
        if (prescribed[b]) continue;
        const std::int32_t j = inbound[b];
        const std::int32_t p = j >= 0 && !is_free_like(model.joint_type[j]) ? model.joint_parent[j] : -1;
        if (p >= 0 && !prescribed[p])
            children[p].push_back(b);
        else
            roots.push_back(b);
    }
    const std::vector<std::int32_t> group = group_roots(model, prescribed, inbound, roots, forest);
    forest.body_link.assign(model.body_count(), -1);
    forest.joint_link.assign(model.joint_count(), -1);
    std::vector<std::int32_t> stack;
    for (const std::int32_t root : roots) {
        Tree tree;
        tree.link_begin = static_cast<std::int32_t>(forest.links.size());
        tree.dof_begin  = forest.dof_count;
        tree.world      = model.body_world[root];
        tree.group      = group[root];
        stack.push_back(root);
        while (!stack.empty()) {
            const std::int32_t b = stack.back();
            stack.pop_back();
            Link       link  = make_link(model, b, inbound[b]);
            const auto index = static_cast<std::int32_t>(forest.links.size());
            if (b != root) link.parent = forest.body_link[model.joint_parent[link.joint]];
            if (b == root && link.joint >= 0 && !link.free) link.base = model.joint_parent[link.joint];
            link.tree  = static_cast<std::int32_t>(forest.trees.size());
            link.dof   = forest.dof_count;
            link.coord = forest.coord_count;
            forest.dof_count += link.dofs;
            forest.coord_count += link.coords;
            // The dof before the first one of this link: the last dof of the nearest ancestor that has any.
            std::int32_t before = -1;
            for (std::int32_t a = link.parent; a >= 0 && before < 0; a = forest.links[a].parent)
                if (forest.links[a].dofs > 0) before = forest.links[a].dof + forest.links[a].dofs - 1;
            const bool scalar = !link.free && link.axes.type != model::JointType::ball;
            for (std::int32_t k = 0; k < link.dofs; ++k) {
                forest.dof_parent.push_back(k == 0 ? before : link.dof + k - 1);
                forest.dof_link.push_back(index);
                forest.model_dof.push_back(link.free ? -1 : model.joint_qd_start[link.joint] + k);
                forest.model_coord.push_back(scalar ? model.joint_q_start[link.joint] + k : -1);
            }
            forest.body_link[b] = index;
            if (link.joint >= 0) forest.joint_link[link.joint] = index;
            forest.links.push_back(link);
            // Children are pushed in reverse, so that the lowest index comes off the stack first.
            for (auto child = children[b].rbegin(); child != children[b].rend(); ++child) stack.push_back(*child);
        }
        tree.link_end    = static_cast<std::int32_t>(forest.links.size());
        tree.dof_end     = forest.dof_count;
        tree.single      = tree.link_end - tree.link_begin == 1 && forest.links[tree.link_begin].free;
        tree.deep        = mean_depth(forest, tree) > kDeep;
        tree.block_begin = forest.block_count;
        if (!tree.single) forest.block_count += tree.block_count();
        forest.trees.push_back(tree);
    }
    find_kinds(forest);
    return forest;
}

}  // namespace mechane::dynamics
