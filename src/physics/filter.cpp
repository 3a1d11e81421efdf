// Which pairs of colliders meet: the rules of UsdPhysics put together, in the order in which the first that applies is
// named.
// Pairs are indices of colliders, the smaller first, sorted: a lookup is a binary search.
// The importer turns the answers into filters of the model; `explain` tells the verdict.

#include "mechane/physics/filter.h"

#include <algorithm>

#include "mechane/physics/physics_model.h"

namespace mechane::physics {

namespace {

using Pair = std::pair<Index, Index>;

void sort_unique(std::vector<Pair>& pairs)
{
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Every pair of a collider of one side and one of the other that do not share a body.
void cross_pairs(const PhysicsModel& model, const std::vector<Index>& side0, const std::vector<Index>& side1,
                 std::vector<Pair>& out)
{
    for (const Index a : side0)
        for (const Index b : side1) {
            if (a == b) continue;
            const Index body_a = model.colliders[static_cast<std::size_t>(a)].body,
                        body_b = model.colliders[static_cast<std::size_t>(b)].body;
            if (body_a != kNone && body_a == body_b) continue;
            out.emplace_back(std::min(a, b), std::max(a, b));
        }
}

// What a path stands for in physics:filteredPairs: a collider itself, all of a body, all bodies of an articulation.
// A body that is also the root of its articulation stands for itself: converters write "these two links" that way, and
// whoever means the whole robot can name a prim above it.
std::vector<Index> colliders_of(const PhysicsModel& model, const usd::Path& path)
{
    std::vector<Index> out;
    const auto         add_body = [&](Index body) {
        const auto& colliders = model.bodies[static_cast<std::size_t>(body)].colliders;
        out.insert(out.end(), colliders.begin(), colliders.end());
    };
    const Index body = model.body_at(path);
    if (body != kNone) add_body(body);
    if (const Index root = model.articulation_at(path); root != kNone && body == kNone)
        for (const Index link : model.articulations[static_cast<std::size_t>(root)].links) add_body(link);
    if (const Index collider = model.collider_at(path); collider != kNone) out.push_back(collider);
    return out;
}

// The colliders that a joint's side stands for: those of its body, or the static ones at or below the target.
std::vector<Index> side_of(const PhysicsModel& model, Index body, const usd::Path& target)
{
    if (body != kNone) return model.bodies[static_cast<std::size_t>(body)].colliders;
    std::vector<Index> out;
    for (std::size_t i = 0; i < model.colliders.size(); ++i)
        if (model.colliders[i].body == kNone && model.colliders[i].path.has_prefix(target))
            out.push_back(static_cast<Index>(i));
    return out;
}

bool fixed(const PhysicsModel& model, const Collider& collider)
{ return collider.body == kNone || model.bodies[static_cast<std::size_t>(collider.body)].kinematic; }

}  // namespace

std::string_view to_string(PairVerdict verdict)
{
    switch (verdict) {
        case PairVerdict::collide:
            return "collide";
        case PairVerdict::same_body:
            return "same body";
        case PairVerdict::both_fixed:
            return "both static or kinematic";
        case PairVerdict::disabled:
            return "collision disabled";
        case PairVerdict::other_scene:
            return "different scenes";
        case PairVerdict::filtered_pair:
            return "filtered pair";
        case PairVerdict::joint:
            return "joint without collision";
        case PairVerdict::group:
            return "collision groups";
    }
    return "";
}

/// A joint filters its two sides unless `physics:collisionEnabled` is on. With one side not authored there is nothing
/// to filter but the whole world, which is not meant.
std::vector<Pair> pairs_of_joint(const PhysicsModel& model, const Joint& joint)
{
    std::vector<Pair> pairs;
    if (joint.valid && joint.enabled && !joint.collision_enabled && !joint.rel0.empty() && !joint.rel1.empty())
        cross_pairs(model, side_of(model, joint.body0, joint.rel0), side_of(model, joint.body1, joint.rel1), pairs);
    return pairs;
}

PairFilter::PairFilter(const PhysicsModel& model) : model_(&model)
{
    for (const auto& [from, to] : model.filtered_pairs)
        cross_pairs(model, colliders_of(model, from), colliders_of(model, to), pairs_);
    sort_unique(pairs_);
    for (const Joint& joint : model.joints) {
        const std::vector<Pair> pairs = pairs_of_joint(model, joint);
        joint_pairs_.insert(joint_pairs_.end(), pairs.begin(), pairs.end());
    }
    sort_unique(joint_pairs_);
}

/// One pair of groups that do not meet is enough, whatever other groups the two are in.
bool PairFilter::groups_filter(std::int32_t a, std::int32_t b) const
{
    const auto& groups = model_->groups;
    const auto  row    = [&](Index group) {
        return static_cast<std::size_t>(groups[static_cast<std::size_t>(group)].table_index);
    };
    for (const Index ga : model_->colliders[static_cast<std::size_t>(a)].groups)
        for (const Index gb : model_->colliders[static_cast<std::size_t>(b)].groups)
            if (!model_->group_table.meets(row(ga), row(gb))) return true;
    return false;
}

PairVerdict PairFilter::verdict(std::int32_t a, std::int32_t b) const
{
    const Collider &p = model_->colliders[static_cast<std::size_t>(a)],
                   &q = model_->colliders[static_cast<std::size_t>(b)];
    const Pair pair{std::min(a, b), std::max(a, b)};
    if (a == b || (p.body != kNone && p.body == q.body)) return PairVerdict::same_body;
    if (fixed(*model_, p) && fixed(*model_, q)) return PairVerdict::both_fixed;
    if (!p.enabled || !q.enabled || !p.valid || !q.valid) return PairVerdict::disabled;
    if (p.scene != q.scene) return PairVerdict::other_scene;
    if (std::binary_search(pairs_.begin(), pairs_.end(), pair)) return PairVerdict::filtered_pair;
    if (std::binary_search(joint_pairs_.begin(), joint_pairs_.end(), pair)) return PairVerdict::joint;
    if (groups_filter(a, b)) return PairVerdict::group;
    return PairVerdict::collide;
}

}  // namespace mechane::physics
