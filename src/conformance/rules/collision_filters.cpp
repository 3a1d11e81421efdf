// Rules of REP-0158 1.3.3 about what is kept from colliding: neighbours by joints, pairs, and groups.

#include <array>
#include <set>

#include "conformance/family.h"

/// REP-0158 1.3.3: what is kept from colliding.
namespace mechane::conformance {
namespace {

constexpr Rule kAdjacent{
    .id       = "REP-1.3.3-a",
    .slug     = "joint-collision-pairs",
    .keyword  = Keyword::may,
    .severity = Severity::info,
    .summary  = "Links that a joint connects do not collide with each other.",
    .why      = "Shapes that meet at a joint overlap there and push it apart.",
    .fix      = "None: it may be meant.",
    .bad      = R"(
<<body a>>
<<body b>>

def PhysicsRevoluteJoint "j" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    bool physics:collisionEnabled = true
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
)",
    .good     = R"(
<<body a>>
<<body b>>

<<root j a b>>
)",
};
constexpr Rule kGroups{
    .id       = "REP-1.3.3-b",
    .slug     = "groups",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "A robot's colliders belong to collision groups, and groups name groups.",
    .why      = "Whoever brings the robot into a scene filters by group.",
    .fix      = "None: the author must decide which parts belong together.",
    .bad      = R"(
def PhysicsCollisionGroup "empty"
{
}
)",
    .good     = R"(
def PhysicsCollisionGroup "wheels"
{
    rel collection:colliders:includes = </robot>
    rel physics:filteredGroups = </robot/parts>
}
)",
};
constexpr Rule kPairs{
    .id       = "REP-1.3.3-c",
    .slug     = "filtered-pairs",
    .keyword  = Keyword::may,
    .severity = Severity::warning,
    .summary  = "Filtered pairs name bodies, colliders or articulations that exist.",
    .why      = "A pair with a missing end filters nothing.",
    .fix      = "None: the author must decide which prim was meant.",
    .bad      = R"(
<<placed a PhysicsRigidBodyAPI PhysicsMassAPI PhysicsFilteredPairsAPI>>
    float physics:mass = 1
    rel physics:filteredPairs = </robot/nope>
}
)",
    .good     = R"(
<<placed a PhysicsRigidBodyAPI PhysicsMassAPI PhysicsFilteredPairsAPI>>
    float physics:mass = 1
    rel physics:filteredPairs = </robot/b>
}

<<body b>>
)",
};

// Only joints of the tree: a loop's two ends are no neighbours by construction.
void check_joints(const Facts& facts, Sink& sink)
{
    for (const physics::Joint& joint : facts.physics.joints) {
        if (joint.body0 < 0 || joint.body1 < 0 || !facts.is_tree_joint(joint)) continue;
        sink.applies(kAdjacent);
        if (joint.collision_enabled)
            sink.report(kAdjacent,
                        {.site     = site_of(joint.prim, "physics:collisionEnabled"),
                         .message  = "two links of one joint collide with each other",
                         .observed = facts.physics.bodies[static_cast<std::size_t>(joint.body0)].path.text() + ", " +
                                     facts.physics.bodies[static_cast<std::size_t>(joint.body1)].path.text(),
                         .expected = "collisionEnabled false",
                         .hint     = "remove physics:collisionEnabled unless their shapes are apart"});
    }
}

void check_pairs(const Facts& facts, Sink& sink)
{
    const usd::Token name("physics:filteredPairs");
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.authors(name)) continue;
        // A relationship may be authored as an empty list, which is a decision and no fault.
        const usd::Relationship pairs = prim.prim.relationship(name);
        if (!pairs.authored()) continue;
        sink.applies(kPairs);
        for (const usd::Path& target : pairs.targets()) {
            // What a pair can name: bodies, colliders, and articulations as a whole.
            const PrimFacts* other = facts.find(target);
            if (other != nullptr && other->is(kBody | kCollider | kArticulationRoot)) continue;
            sink.report(kPairs, {.site     = pairs.site(),
                                 .message  = other == nullptr ? "a filtered pair names a prim that does not exist"
                                                              : "a filtered pair names a prim that cannot collide",
                                 .observed = target.text(),
                                 .expected = "a body, collider or articulation",
                                 .hint     = "name what shall not collide, or remove the target"});
        }
    }
}

void check_groups(const Facts& facts, Sink& sink)
{
    // With one or two colliding links there is nothing to group.
    constexpr std::size_t kSeveral = 3;
    bool                  any      = false;
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kCollisionGroup)) continue;
        any = true;
        sink.applies(kGroups);
        const auto say = [&](std::string message, std::string observed, std::string expected, std::string hint,
                             const char* variant) {
            sink.report(kGroups, {.site     = prim.prim.site(),
                                  .message  = std::move(message),
                                  .observed = std::move(observed),
                                  .expected = std::move(expected),
                                  .hint     = std::move(hint),
                                  .variant  = variant,
                                  .severity = Severity::error});
        };
        // Members are counted by the collection's own rules, includes and excludes.
        if (facts.stage.collection_members(prim.prim, "colliders").empty())
            say("the collision group is empty", "no member", "colliders",
                "name them in collection:colliders:includes, or remove the group", "empty");
        for (const usd::Path& target : prim.prim.relationship("physics:filteredGroups").targets())
            if (const PrimFacts* other = facts.find(target); other == nullptr || !other->is(kCollisionGroup))
                say("a filtered group is no collision group", target.text(), "a PhysicsCollisionGroup",
                    "name a group, or remove the target", "target");
    }
    // Props without joints are filtered by whoever places them.
    if (any || !facts.articulated()) return;
    std::set<const PrimFacts*> links;
    for (std::size_t i = 0; i < facts.prims.size(); ++i)
        if (facts.prims[i].is(kCollider))
            if (const PrimFacts* link = facts.nearest(static_cast<std::int32_t>(i), kBody)) links.insert(link);
    if (links.size() < kSeveral) return;
    sink.applies(kGroups);
    // Without a default prim the finding would have no place.
    if (facts.root < 0) return;
    sink.report(kGroups, {.site     = facts.prims[static_cast<std::size_t>(facts.root)].prim.site(),
                          .message  = std::to_string(links.size()) + " links collide and no collision group names them",
                          .observed = "no PhysicsCollisionGroup",
                          .expected = "collision groups",
                          .hint     = "define a PhysicsCollisionGroup whose collection includes the robot"});
}

void check(const Facts& facts, Sink& sink)
{
    check_joints(facts, sink);
    check_groups(facts, sink);
    check_pairs(facts, sink);
}

constexpr std::array<const Rule*, 3> kRules{&kAdjacent, &kGroups, &kPairs};

}  // namespace

constexpr Family kCollisionFilterRules{kRules, check};

}  // namespace mechane::conformance
