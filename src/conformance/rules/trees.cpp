// Rules of REP-0158 1.3 about articulations: one root for each tree, loops cut by excludeFromArticulation, one parent
// for each link, joints beside their links.
// Loops are found by adding joints to a forest one by one: a joint that connects what is connected already closes a
// loop, and the way between its ends is that loop. Joints most worth cutting are added last, so that they are the ones
// that are told.

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "conformance/family.h"
#include "conformance/loop_cut.h"

/// REP-0158 1.3, articulations: roots, loops and who is whose parent.
namespace mechane::conformance {
namespace {

constexpr Rule kPlacement{
    .id       = "REP-1.3-a",
    .slug     = "joint-placement",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "A joint stands beside the link that it moves.",
    .why      = "A link that is taken elsewhere then takes its joint along.",
    .fix      = "None: moving a prim changes its path.",
    .bad      = R"(
<<body a>>
<<body b>>

def Scope "joints"
{
    <<joint j a b>>
}

<<anchor a>>
)",
    .good     = R"(
<<body a>>
<<body b>>

<<anchor a>>

<<joint j a b>>
)",
};
constexpr Rule kRootCount{
    .id      = "REP-1.3-f",
    .slug    = "articulation-root-count",
    .summary = "Each kinematic tree has one articulation root.",
    .why     = "Two roots in one tree make two articulations that share links; engines refuse it or pick one.",
    .fix     = "On demand: the root nearest the base stays, the others are deleted in the composing layer.",
    .bad     = R"(
<<anchor a>>

<<body a>>
<<body b>>

<<root j a b>>
)",
    .good    = R"(
<<body a>>
<<body b>>

<<root j a b>>
)",
};
constexpr Rule kRootPresent{
    .id       = "REP-1.3-g",
    .slug     = "articulation-root-present",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "A kinematic tree with a movable joint has an articulation root.",
    .why      = "Without one, engines simulate the links as loose bodies held by soft joints.",
    .fix      = "On demand: written on the base link.",
    .bad      = R"(
<<body a>>
<<body b>>
<<joint j a b>>
)",
    .good     = R"(
<<body a>>
<<body b>>

<<root j a b>>
)",
};
constexpr std::string_view kTriangle     = R"(
<<body a>>
<<body b>>
<<body c>>
<<body d>>

def PhysicsFixedJoint "j1" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
}

<<joint j2 b c>>
<<joint j3 a d>>

def PhysicsFixedJoint "loop"
{
    rel physics:body0 = </robot/c>
    rel physics:body1 = </robot/a>
}
)";
constexpr std::string_view kOpenTriangle = R"(
<<body a>>
<<body b>>
<<body c>>
<<body d>>

def PhysicsFixedJoint "j1" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
}

<<joint j2 b c>>
<<joint j3 a d>>

def PhysicsFixedJoint "loop"
{
    bool physics:excludeFromArticulation = true
    rel physics:body0 = </robot/c>
    rel physics:body1 = </robot/a>
}
)";
constexpr Rule             kSpanningTree{
    .id      = "REP-1.3-i",
    .slug    = "spanning-tree",
    .summary = "Joints that close a loop are excluded from the articulation.",
    .why  = "Reduced coordinates need a tree; an engine that meets a loop cuts it somewhere, and each somewhere else.",
    .fix  = "On demand: the proposed joint gets excludeFromArticulation.",
    .bad  = kTriangle,
    .good = kOpenTriangle,
};
constexpr Rule kTwoParents{
    .id      = "REP-1.3-j",
    .slug    = "two-parents",
    .summary = "A link is body1 of one tree joint only.",
    .why     = "A link with two parents is in no tree.",
    .fix     = "On demand: the joint that most likely closes the loop gets excludeFromArticulation.",
    .bad     = R"(
<<anchor a>>

<<body a>>
<<body b>>
<<body c>>
<<joint j1 a b>>
<<joint j2 a c>>
<<joint j3 c b>>
)",
    .good    = R"(
<<anchor a>>

<<body a>>
<<body b>>
<<body c>>
<<joint j1 a b>>
<<joint j2 a c>>
)",
};
constexpr Rule kNeedless{
    .id       = "REP-1.3-k",
    .slug     = "needless-exclusion",
    .keyword  = Keyword::may,
    .severity = Severity::info,
    .summary  = "Only joints that close a loop are excluded from the articulation.",
    .why      = "An excluded joint that closes no loop cuts the robot into two articulations.",
    .fix      = "None: it may be meant.",
    .bad      = R"(
<<body a>>
<<body b>>

def PhysicsRevoluteJoint "j"
{
    bool physics:excludeFromArticulation = true
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
)",
    .good     = kOpenTriangle,
};

const physics::Joint& joint_of(const Facts& facts, physics::Index j)
{ return facts.physics.joints[static_cast<std::size_t>(j)]; }
const physics::Body& body_of(const Facts& facts, physics::Index b)
{ return facts.physics.bodies[static_cast<std::size_t>(b)]; }

bool movable(const physics::Joint& joint) { return joint.kind != physics::JointKind::fixed; }

/// Bodies that are body1 of several joints, with these joints.
std::map<physics::Index, std::vector<physics::Index>> two_parent_bodies(const Facts& facts, const KinematicTree& tree,
                                                                        Sink& sink)
{
    std::map<physics::Index, std::vector<physics::Index>> parents;
    for (const physics::Index j : tree.joints) parents[joint_of(facts, j).body1].push_back(j);
    // Anchors count as tree joints too: a link that is anchored and held by a joint has two parents.
    for (const physics::Index j : tree.world_joints)
        if (joint_of(facts, j).body1 >= 0) parents[joint_of(facts, j).body1].push_back(j);
    std::map<physics::Index, std::vector<physics::Index>> found;
    // The order of the map is that of bodies in the stage, so reports have a fixed order.
    for (const auto& [body, joints] : parents) {
        sink.applies(kTwoParents);
        if (joints.size() < 2) continue;
        std::string names;
        for (const physics::Index j : joints) names += (names.empty() ? "" : ", ") + joint_of(facts, j).path.text();
        sink.report(kTwoParents,
                    {.site     = body_of(facts, body).prim.site(),
                     .message  = "the link is body1 of " + std::to_string(joints.size()) + " tree joints",
                     .observed = names,
                     .expected = "one",
                     .hint = "write `bool physics:excludeFromArticulation = true` on the joint that closes the loop"});
        found.emplace(body, joints);
    }
    return found;
}

/// A graph of bodies and the world to which joints are added one by one.
/// Union-find answers whether two bodies are connected, and the edges of the forest give the way between them.
class Forest {
  public:
    /// @return the joints of the loop that the joint closes, itself among them; empty when it joins two parts
    std::vector<physics::Index> add(const physics::Joint& joint, physics::Index index)
    {
        const physics::Index a = find(joint.body0), b = find(joint.body1);
        if (a == b) {
            std::vector<physics::Index> loop = way_between(joint.body0, joint.body1);
            loop.push_back(index);
            return loop;
        }
        // The smaller index becomes the representative. The world is kNone, which is smaller than all bodies.
        parent_[std::max(a, b)] = std::min(a, b);
        edges_[joint.body0].emplace_back(joint.body1, index);
        edges_[joint.body1].emplace_back(joint.body0, index);
        return {};
    }

  private:
    std::map<physics::Index, physics::Index>                                         parent_;  ///< union-find
    std::map<physics::Index, std::vector<std::pair<physics::Index, physics::Index>>> edges_;   ///< the world is kNone

    physics::Index find(physics::Index i)
    {
        for (auto at = parent_.find(i); at != parent_.end(); at = parent_.find(i)) {
            if (const auto above = parent_.find(at->second); above != parent_.end()) at->second = above->second;
            i = at->second;
        }
        return i;
    }

    // A depth-first search in the forest, in which there is one way at most.
    [[nodiscard]] std::vector<physics::Index> way_between(physics::Index from, physics::Index to) const
    {
        std::map<physics::Index, std::pair<physics::Index, physics::Index>> came{{from, {from, from}}};
        std::vector<physics::Index>                                         open{from};
        while (!open.empty() && came.count(to) == 0) {
            const physics::Index at = open.back();
            open.pop_back();
            for (const auto& [next, joint] : edges_.at(at))
                if (came.try_emplace(next, at, joint).second) open.push_back(next);
        }
        std::vector<physics::Index> way;
        // Walked back from the end.
        for (physics::Index at = to; at != from; at = came.at(at).first) way.push_back(came.at(at).second);
        return way;
    }
};

/// Which loops are said of a body with several parents (REP-1.3-j): of each such body one for each parent beyond the
/// first, those first that run through two of them.
/// Without this, one mistake would be told twice: as a link with two parents and as a loop.
class Explained {
  public:
    explicit Explained(const std::map<physics::Index, std::vector<physics::Index>>& parents) : parents_(parents)
    {
        for (const auto& [body, joints] : parents) left_[body] = joints.size() - 1;
    }

    bool takes(const std::vector<physics::Index>& loop, std::ptrdiff_t at_least)
    {
        for (auto& [body, left] : left_) {
            const auto& joints = parents_.at(body);
            const auto  shared = std::count_if(joints.begin(), joints.end(), [&](physics::Index j) {
                return std::find(loop.begin(), loop.end(), j) != loop.end();
            });
            if (left == 0 || shared < at_least) continue;
            --left;
            return true;
        }
        return false;
    }

  private:
    const std::map<physics::Index, std::vector<physics::Index>>& parents_;
    std::map<physics::Index, std::size_t>                        left_;
};

/// A joint that names a prim which is not there holds nothing to the world, though it seems to (REP-1.3-b).
/// Such a joint would count as an anchor and close loops that do not exist.
bool lacks_an_end(const Facts& facts, const physics::Joint& joint)
{
    for (const char* end : {"physics:body0", "physics:body1"})
        for (const usd::Path& target : joint.prim.relationship(end).forwarded())
            if (const usd::Prim prim = facts.stage.prim_at(target.prim()); !prim || !prim.active()) return true;
    return false;
}

/// Joints beyond a spanning tree. The joints most worth cutting are offered last, so that they are the ones left over.
/// A loop in which a body has two parents is said there (REP-1.3-j).
void check_loops(const Facts& facts, const KinematicTree& tree,
                 const std::map<physics::Index, std::vector<physics::Index>>& two_parents, Sink& sink)
{
    sink.applies(kSpanningTree);
    std::vector<physics::Index> edges = tree.joints, anchors = tree.world_joints;
    std::erase_if(anchors, [&](physics::Index j) { return lacks_an_end(facts, joint_of(facts, j)); });
    // A single anchor closes no loop.
    if (anchors.size() > 1) edges.insert(edges.end(), anchors.begin(), anchors.end());
    // A connected graph of n bodies with n - 1 edges has no loop. Several anchors make the world one more node.
    if (edges.size() < tree.bodies.size() + (anchors.size() > 1 ? 1 : 0)) return;  // a tree, as joints connect it
    std::vector<std::pair<int, physics::Index>> ranked;
    for (const physics::Index j : edges) ranked.emplace_back(cut_rank(joint_of(facts, j)), j);
    // Stable: joints of equal rank stay in the order of the stage.
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    Forest                                   forest;
    std::vector<std::vector<physics::Index>> loops;
    for (const auto& [rank, j] : ranked)
        if (auto loop = forest.add(joint_of(facts, j), j); !loop.empty()) loops.push_back(std::move(loop));
    Explained explained(two_parents);
    // First the loops through two of a body's parents, then those through one.
    for (const std::ptrdiff_t shared : {2, 1})
        std::erase_if(loops, [&](const std::vector<physics::Index>& loop) { return explained.takes(loop, shared); });
    for (const std::vector<physics::Index>& loop : loops) {
        const physics::Joint& joint = joint_of(facts, loop.back());
        std::string           names;
        for (const physics::Index of_loop : loop)
            names += (names.empty() ? "" : ", ") + joint_of(facts, of_loop).path.text();
        sink.report(
            kSpanningTree,
            {.site     = joint.prim.site(),
             .message  = "the joint closes a loop of the articulation",
             .observed = std::move(names),
             .expected = "a tree",
             .hint     = "write `bool physics:excludeFromArticulation = true` on it, or on another joint of the loop"});
    }
}

// A tree without a joint that moves needs no root: it is one rigid thing.
void check_roots(const Facts& facts, const KinematicTree& tree, Sink& sink)
{
    const bool moves = std::any_of(tree.joints.begin(), tree.joints.end(),
                                   [&](physics::Index j) { return movable(joint_of(facts, j)); });
    if (!tree.roots.empty() || tree.bodies.size() > 1) sink.applies(kRootCount);
    if (tree.roots.size() > 1) {
        // The second root is named as the mistake, the first as the one that stays.
        std::string names;
        for (const std::int32_t root : tree.roots)
            names += (names.empty() ? "" : ", ") + facts.prims[static_cast<std::size_t>(root)].prim.path().text();
        sink.report(kRootCount,
                    {.site     = facts.prims[static_cast<std::size_t>(tree.roots[1])].prim.site(),
                     .message  = "one kinematic tree has " + std::to_string(tree.roots.size()) + " articulation roots",
                     .observed = names,
                     .expected = "one",
                     .hint     = "write `delete apiSchemas = [\"PhysicsArticulationRootAPI\"]` over the inner ones"});
    }
    if (!moves) return;
    sink.applies(kRootPresent);
    if (tree.roots.empty())
        sink.report(
            kRootPresent,
            {.site    = body_of(facts, tree.bodies.front()).prim.site(),
             .message = "a kinematic tree of " + std::to_string(tree.bodies.size()) + " links has no articulation root",
             .observed = "none",
             .expected = "one",
             .hint     = "apply PhysicsArticulationRootAPI to the base link or to the joint that anchors it"});
}

/// A root above several trees makes an articulation of each, though it looks like one.
void check_shared_roots(const Facts& facts, Sink& sink)
{
    std::map<std::int32_t, std::size_t> trees;
    for (const KinematicTree& tree : facts.trees)
        // A tree of one body has no articulation and does not count.
        if (!tree.joints.empty())
            for (const std::int32_t root : tree.roots) ++trees[root];
    for (const auto& [root, count] : trees)
        if (count > 1)
            sink.report(kRootCount, {.site     = facts.prims[static_cast<std::size_t>(root)].prim.site(),
                                     .message  = "one articulation root stands for " + std::to_string(count) +
                                                 " trees that no joint connects",
                                     .observed = std::to_string(count) + " trees",
                                     .expected = "one",
                                     .hint     = "give each tree a root of its own, or connect them by a joint",
                                     .variant  = "shared",
                                     .severity = Severity::warning});
}

void check_placement(const Facts& facts, Sink& sink)
{
    std::map<usd::Path, int> scopes;
    for (const physics::Joint& joint : facts.physics.joints) {
        if (joint.body0 < 0 || joint.body1 < 0) continue;
        sink.applies(kPlacement);
        // A joint below the parent link travels with it, which is as good.
        if (joint.path.parent() != body_of(facts, joint.body1).path.parent() &&
            !joint.path.has_prefix(body_of(facts, joint.body0).path))
            ++scopes[joint.path.parent()];
    }
    // One report for a scope with all its joints, not one for each joint.
    for (const auto& [scope, count] : scopes)
        if (const usd::Prim prim = facts.stage.prim_at(scope))
            sink.report(kPlacement, {.site     = prim.site(),
                                     .message  = std::to_string(count) +
                                                 (count == 1 ? " joint stands away from the link it moves"
                                                             : " joints stand away from the links they move"),
                                     .observed = scope.text(),
                                     .expected = "beside the child link",
                                     .hint     = "author joints as siblings of their child links"});
}

void check_exclusions(const Facts& facts, Sink& sink)
{
    std::map<physics::Index, std::size_t> tree_of;
    for (std::size_t t = 0; t < facts.trees.size(); ++t)
        for (const physics::Index body : facts.trees[t].bodies) tree_of[body] = t;
    for (const physics::Joint& joint : facts.physics.joints) {
        if (!joint.enabled || !joint.excluded || joint.body0 < 0 || joint.body1 < 0) continue;
        sink.applies(kNeedless);
        const auto a = tree_of.find(joint.body0), b = tree_of.find(joint.body1);
        // Trees are made without the excluded joints: ends in two trees show that the joint closed no loop.
        if (a == tree_of.end() || b == tree_of.end() || a->second != b->second)
            sink.report(kNeedless,
                        {.site     = joint.prim.site(),
                         .message  = "the joint is excluded from the articulation but closes no loop",
                         .observed = "two trees",
                         .expected = "a loop",
                         .hint     = "remove physics:excludeFromArticulation unless the two parts shall be apart"});
    }
}

void check(const Facts& facts, Sink& sink)
{
    for (const KinematicTree& tree : facts.trees) {
        check_loops(facts, tree, two_parent_bodies(facts, tree, sink), sink);
        check_roots(facts, tree, sink);
    }
    check_shared_roots(facts, sink);
    check_placement(facts, sink);
    check_exclusions(facts, sink);
}

constexpr std::array<const Rule*, 6> kRules{&kPlacement,    &kRootCount,  &kRootPresent,
                                            &kSpanningTree, &kTwoParents, &kNeedless};

}  // namespace

constexpr Family kTreeRules{kRules, check};

}  // namespace mechane::conformance
