#include <array>
#include <cmath>
#include <set>

#include "conformance/family.h"
#include "conformance/mesh_shape.h"
#include "mechane/geometry/mesh.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 1.3.1 and 1.3.3: what collides.
namespace mechane::conformance {
namespace {

constexpr Rule kGuide{
    .id       = "REP-1.3.1-a",
    .slug     = "guide-purpose",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Collision geometry has purpose guide.",
    .why      = "Otherwise it is drawn over the visuals.",
    .fix      = "The purpose is written on the collider, unless it is also the only visual of the link.",
    .fixable  = true,
    .bad      = R"(
def Cube "wall" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    rel material:binding:physics = </robot/Contact/rubber>
}
)",
    .good     = R"(
def Scope "collision"
{
    token purpose = "guide"

    def Cube "wall" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
    )
    {
        rel material:binding:physics = </robot/Contact/rubber>
    }
}
)",
};
constexpr Rule kApproximation{
    .id       = "REP-1.3.1-b",
    .slug     = "approximation",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "A mesh collider says how it is approximated.",
    .why      = "Unsaid, one engine takes the triangles, another the hull.",
    .fix      = "convexHull on dynamic bodies, none on static or convex meshes.",
    .fixable  = true,
    .bad      = R"(
def Mesh "ramp" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
    rel material:binding:physics = </robot/Contact/rubber>
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    token purpose = "guide"
}
)",
    .good     = R"(
def Mesh "ramp" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"]
)
{
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
    rel material:binding:physics = </robot/Contact/rubber>
    uniform token physics:approximation = "convexHull"
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    token purpose = "guide"
}
)",
};
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

def PhysicsRevoluteJoint "j" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
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
    .fix      = "None: which prim was meant is the author's to say.",
    .bad      = R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsFilteredPairsAPI"]
    kind = "subcomponent"
)
{
    rel physics:filteredPairs = </robot/nope>
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)",
    .good     = R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsFilteredPairsAPI"]
    kind = "subcomponent"
)
{
    rel physics:filteredPairs = </robot/b>
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}

<<body b>>
)",
};

/// True when the Gprim is the only thing of its link that is drawn.
bool only_visual(const Facts& facts, const PrimFacts& collider)
{
    const std::int32_t here = facts.index_of(collider.prim);
    const PrimFacts*   link = facts.nearest(here, kBody);
    if (link == nullptr) return false;
    const auto from = static_cast<std::int32_t>(link - facts.prims.data());
    for (std::int32_t i = from; i < link->end; ++i) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        if (prim.is(kGprim) && !prim.is(kCollider) && facts.stage.purpose(prim.prim).text() != "guide") return false;
    }
    return true;
}

void check_guide(const Facts& facts, const PrimFacts& collider, Sink& sink)
{
    sink.applies(kGuide);
    const std::string purpose = facts.stage.purpose(collider.prim).text();
    if (purpose == "guide") return;
    const bool shared = only_visual(facts, collider);
    sink.report(
        kGuide,
        {.site     = collider.prim.site(),
         .message  = shared ? "the collider is also the only visual of its link" : "the collider is drawn as geometry",
         .observed = "purpose " + purpose,
         .expected = "purpose guide",
         .hint     = shared ? "give the link a visual of its own, then write `token purpose = \"guide\"` here"
                            : "write `token purpose = \"guide\"` on it or above it",
         .variant  = shared ? "shared-visual" : ""});
}

/// True below a set of fidelities: its default is REP-1.3.1-d's.
bool in_fidelity_set(usd::Prim prim)
{
    for (; prim; prim = prim.parent())
        for (const usd::VariantSetUse& set : usd::variant_sets(prim))
            if (set.name == "collision_fidelity") return true;
    return false;
}

void check_approximation(const Facts& facts, const PrimFacts& prim, Sink& sink)
{
    if (!prim.is(kMesh)) return;
    sink.applies(kApproximation);
    static const std::set<std::string> kKnown{"none",         "convexDecomposition", "convexHull", "boundingSphere",
                                              "boundingCube", "meshSimplification",  "sdf",        "sphereFill"};
    const auto authored = prim.prim.attribute("physics:approximation").authored_as<std::string>();
    const auto say      = [&](const char* variant, std::string message, std::string hint, Severity severity) {
        sink.report(kApproximation, {.site = authored ? site_of(prim.prim, "physics:approximation") : prim.prim.site(),
                                     .message  = std::move(message),
                                     .observed = authored.value_or("not authored"),
                                     .expected = "convexHull, or none on a static or convex mesh",
                                     .hint     = std::move(hint),
                                     .variant  = variant,
                                     .severity = severity});
    };
    if (!authored)
        return say("absent", "the mesh collider does not say how it is approximated",
                   "apply PhysicsMeshCollisionAPI and write physics:approximation", Severity::warning);
    if (kKnown.count(*authored) == 0)
        return say("unknown", "the approximation \"" + *authored + "\" is not known", "use convexHull",
                   Severity::error);
    if (*authored == "convexHull") return;
    const physics::Index c       = facts.physics.collider_at(prim.prim.path());
    const bool           dynamic = c >= 0 && facts.physics.colliders[static_cast<std::size_t>(c)].body >= 0;
    if (*authored == "none" && (!dynamic || is_convex_mesh(prim.prim))) return;
    if (in_fidelity_set(prim.prim)) return;
    say("default-fidelity", "the default fidelity of the collider is " + *authored,
        "use convexHull here, and keep the finer form in a variant", Severity::warning);
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kCollider) || !prim.is(kGprim)) continue;
        check_guide(facts, prim, sink);
        check_approximation(facts, prim, sink);
    }
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
    for (const PrimFacts& prim : facts.prims) {
        const usd::Relationship pairs = prim.prim.relationship("physics:filteredPairs");
        if (!pairs.authored()) continue;
        sink.applies(kPairs);
        for (const usd::Path& target : pairs.targets()) {
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

constexpr std::array<const Rule*, 4> kRules{&kGuide, &kApproximation, &kAdjacent, &kPairs};

}  // namespace

constexpr Family kColliderRules{kRules, check};

}  // namespace mechane::conformance
