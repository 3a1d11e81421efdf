// What all rules share: prims with their traits, physics, kinematic trees, layers. Computed once for each check.
// Input: a stage. Output: an array of prims in the order of traversal, each with its parent and the end of its subtree,
// so that a subtree is a range of indices.
// Traits are bits; those of types are looked up once for each type and not once for each prim.
// Invariant: nothing changes after construction, so rules read it from several threads.
// Called by check().

#include "facts.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "conformance/foreign_words.h"
#include "mechane/core/disjoint_sets.h"

namespace mechane::conformance {
namespace {

std::uint32_t traits_of_type(const usd::Prim& prim)
{
    std::uint32_t     traits = 0;
    const std::string type   = prim.type_name().text();
    const auto        mark   = [&](const char* schema, Trait trait) {
        if (prim.is_a(schema)) traits |= trait;
    };
    mark("Gprim", kGprim);
    mark("Mesh", kMesh);
    mark("Xformable", kXformable);
    mark("PhysicsJoint", kJoint);
    mark("Camera", kCamera);
    mark("Material", kMaterial);
    mark("Shader", kShader);
    mark("Scope", kScope);
    mark("PointInstancer", kPointInstancer);
    mark("GeomSubset", kSubset);
    mark("PhysicsScene", kScene);
    mark("PhysicsCollisionGroup", kCollisionGroup);
    mark("BoundableLightBase", kLight);
    mark("NonboundableLightBase", kLight);
    if (type == "Xform") traits |= kXform;
    return traits;
}

std::uint32_t traits_of_apis(const std::vector<usd::Token>& apis)
{
    static const std::map<std::string, Trait, std::less<>> kApis{{"PhysicsArticulationRootAPI", kArticulationRoot},
                                                                 {"RosContextAPI", kContext},
                                                                 {"RosTopicAPI", kTopic},
                                                                 {"RosServiceAPI", kService},
                                                                 {"RosActionAPI", kAction},
                                                                 {"RosFrameAPI", kFrame}};
    std::uint32_t                                          traits = 0;
    for (const usd::Token& api : apis)
        if (const auto known = kApis.find(api.text()); known != kApis.end()) traits |= known->second;
    return traits;
}

using Components = DisjointSets<>;  ///< over bodies

}  // namespace

Facts::Facts(const usd::Stage& s, const tasks::Pool* pool, const std::vector<std::string>& interfaces)
    : stage(s), types(interfaces)
{
    // Physics and layers do not depend on each other and are read at once.
    const auto read_physics = [&] { physics = physics::parse(stage, {}, physics_found); };
    const auto read_layers  = [&] { layers_ = read_asset_layers(stage); };
    if (pool != nullptr)
        pool->for_each(2, 1, [&](std::size_t i) { i == 0 ? read_physics() : read_layers(); });
    else
        read_physics(), read_layers();
    read_prims(pool);
    read_group_colliders();
    read_trees();
    note_foreign_words(*this, layers_);
}

void Facts::read_prims(const tasks::Pool* pool)
{
    for (const usd::Prim& prim : stage.traverse()) prims.push_back({.prim = prim});
    const auto read_names = [this](std::size_t i) {
        prims[i].properties = prims[i].prim.authored_property_names();
        prims[i].apis       = prims[i].prim.authored_apis();
    };
    if (pool != nullptr)
        pool->for_each(prims.size(), 256, read_names);
    else
        for (std::size_t i = 0; i < prims.size(); ++i) read_names(i);
    std::unordered_map<usd::Token, std::uint32_t> by_type;
    by_index_.assign(stage.prim_count() + 1, -1);
    for (std::size_t i = 0; i < prims.size(); ++i) {
        PrimFacts&       facts    = prims[i];
        const usd::Prim& prim     = facts.prim;
        const auto [known, fresh] = by_type.try_emplace(prim.type_name());
        if (fresh) known->second = traits_of_type(prim);
        facts.traits          = known->second | traits_of_apis(facts.apis);
        facts.parent          = index_of(prim.parent());
        const usd::Path& path = prim.path();
        if (const physics::Index body = physics.body_at(path);
            body >= 0 && physics.bodies[static_cast<std::size_t>(body)].enabled)
            facts.traits |= kBody;
        if (const physics::Index c = physics.collider_at(path);
            c >= 0 && physics.colliders[static_cast<std::size_t>(c)].enabled)
            facts.traits |= kCollider;
        if (prim.index() < by_index_.size()) by_index_[prim.index()] = static_cast<std::int32_t>(i);
        all_ |= facts.traits;
    }
    // From the last to the first: children are complete before their parents take over what lies below.
    for (auto i = std::ssize(prims) - 1; i >= 0; --i) {
        PrimFacts& facts = prims[static_cast<std::size_t>(i)];
        facts.end        = std::max(facts.end, static_cast<std::int32_t>(i + 1));
        if (facts.parent < 0) continue;
        PrimFacts& above = prims[static_cast<std::size_t>(facts.parent)];
        above.end        = std::max(above.end, facts.end);
        above.above_body |= facts.above_body || facts.is(kBody);
        above.above_gprim |= facts.above_gprim || facts.is(kGprim);
    }
    root = index_of(stage.default_prim());
}

/// PhysicsCollisionAPI on what is no Gprim makes colliders of the Gprims below, up to the next collider or body.
void Facts::read_group_colliders()
{
    const usd::Token               enabled("physics:collisionEnabled");
    const std::string              api = "PhysicsCollisionAPI";
    std::vector<char>              grouped(prims.size(), 0);
    for (std::size_t i = 0; i < prims.size(); ++i) {
        PrimFacts& prim = prims[i];
        const bool own  = std::any_of(prim.apis.begin(), prim.apis.end(),
                                      [&](const usd::Token& applied) { return applied.text() == api; });
        if (own || prim.is(kBody))
            grouped[i] = own && !prim.is(kGprim) && prim.prim.attribute(enabled).get_or<bool>(true);
        else if (prim.parent >= 0)
            grouped[i] = grouped[static_cast<std::size_t>(prim.parent)];
        if (grouped[i] == 0 || (!own && !prim.is(kGprim))) continue;
        prim.traits |= kCollider;
        all_ |= kCollider;
    }
}

/// Joints that are disabled, excluded or of a vendor's type are no edges of a tree.
bool Facts::is_tree_joint(const physics::Joint& joint) const
{ return joint.enabled && !joint.excluded && joint.body0 != joint.body1 && joint.kind != physics::JointKind::custom; }

void Facts::read_trees()
{
    // Bodies that joints connect are one tree, found by disjoint sets.
    Components components(physics.bodies.size());
    for (const physics::Joint& joint : physics.joints)
        if (is_tree_joint(joint) && joint.body0 >= 0 && joint.body1 >= 0)
            components.join(static_cast<std::size_t>(joint.body0), static_cast<std::size_t>(joint.body1));
    std::map<std::size_t, KinematicTree> by_body;
    for (std::size_t b = 0; b < physics.bodies.size(); ++b)
        if (physics.bodies[b].enabled) by_body[components.find(b)].bodies.push_back(static_cast<physics::Index>(b));
    for (std::size_t j = 0; j < physics.joints.size(); ++j) {
        const physics::Joint& joint = physics.joints[j];
        if (!is_tree_joint(joint)) continue;
        const bool           both = joint.body0 >= 0 && joint.body1 >= 0;
        const physics::Index some = joint.body0 >= 0 ? joint.body0 : joint.body1;
        if (some < 0) continue;
        KinematicTree& tree = by_body[components.find(static_cast<std::size_t>(some))];
        (both ? tree.joints : tree.world_joints).push_back(static_cast<physics::Index>(j));
    }
    // A root on a body or joint belongs to the tree of it, on another prim to each tree with a body below.
    for (std::size_t i = 0; i < prims.size(); ++i) {
        if (!prims[i].is(kArticulationRoot)) continue;
        std::vector<std::size_t> owners;
        const auto               add = [&](physics::Index body) {
            if (body >= 0) owners.push_back(components.find(static_cast<std::size_t>(body)));
        };
        const usd::Path& path = prims[i].prim.path();
        if (const physics::Index body = physics.body_at(path); body >= 0) {
            add(body);
        } else if (const physics::Index joint = physics.joint_at(path); joint >= 0) {
            const physics::Joint& j = physics.joints[static_cast<std::size_t>(joint)];
            add(j.body1 >= 0 ? j.body1 : j.body0);
        } else {
            for (std::int32_t below = static_cast<std::int32_t>(i) + 1; below < prims[i].end; ++below)
                if (prims[static_cast<std::size_t>(below)].is(kBody))
                    add(physics.body_at(prims[static_cast<std::size_t>(below)].prim.path()));
        }
        std::sort(owners.begin(), owners.end());
        owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
        for (const std::size_t owner : owners)
            if (const auto tree = by_body.find(owner); tree != by_body.end())
                tree->second.roots.push_back(static_cast<std::int32_t>(i));
    }
    for (auto& [first, tree] : by_body)
        if (tree.bodies.size() > 1 || !tree.world_joints.empty() || !tree.roots.empty())
            trees.push_back(std::move(tree));
}

std::int32_t Facts::index_of(const usd::Prim& prim) const
{ return prim && prim.index() < by_index_.size() ? by_index_[prim.index()] : -1; }

const PrimFacts* Facts::find(const usd::Path& path) const
{
    const std::int32_t at = index_of(stage.prim_at(path));
    return at < 0 ? nullptr : &prims[static_cast<std::size_t>(at)];
}

const PrimFacts* Facts::nearest(std::int32_t from, std::uint32_t traits) const
{
    for (std::int32_t at = from; at >= 0; at = prims[static_cast<std::size_t>(at)].parent)
        if (prims[static_cast<std::size_t>(at)].is(traits)) return &prims[static_cast<std::size_t>(at)];
    return nullptr;
}

bool Facts::articulated() const
{
    return std::any_of(trees.begin(), trees.end(), [](const KinematicTree& tree) { return !tree.joints.empty(); });
}

bool Facts::has(std::uint32_t traits) const { return (all_ & traits) != 0; }

const AssetLayer* Facts::layer(const std::string& name) const
{
    const auto at = std::find_if(layers_.begin(), layers_.end(),
                                 [&](const AssetLayer& layer) { return layer.layer.name == name; });
    return at == layers_.end() ? nullptr : &*at;
}

}  // namespace mechane::conformance
