// Rules of REP-0158 1.3 about bodies that never move, and articulation roots that a stronger list of schemas took away.
// List operations compose: "prepend" and "delete" edit a weaker list, an explicit list replaces it. Such a replacement
// is rarely meant to remove a root.

#include <array>

#include "conformance/family.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 1.3: bodies that never move, and articulation roots that a list took away.
namespace mechane::conformance {
namespace {

#define MECHANE_GRIPPER(list)                                                                                    \
    "<<body a>>\n<<body b>>\nclass PhysicsRevoluteJoint \"_hinge\" (\n    prepend apiSchemas = "                 \
    "[\"PhysicsArticulationRootAPI\", \"PhysicsDriveAPI:angular\"]\n)\n{\n    float physics:lowerLimit = -90\n"  \
    "    float physics:upperLimit = 90\n}\n<<root base a b>>\n<<body c>>\ndef PhysicsRevoluteJoint \"grip\" (\n" \
    "    " list                                                                                                  \
    "\n    prepend inherits = </robot/_hinge>\n)\n{\n    rel physics:body0 = </robot/b>\n"                       \
    "    rel physics:body1 = </robot/c>\n}\n"

constexpr Rule kPruned{
    .id       = "REP-1.3-h",
    .slug     = "pruned-not-replaced",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "An articulation root of a part is taken away by `delete apiSchemas`, not by a new list.",
    .why      = "A new list also takes away every other schema of the part, today's and tomorrow's.",
    .fix      = "The list deletes what it hides instead of replacing all.",
    .fixable  = true,
    .bad      = MECHANE_GRIPPER("apiSchemas = [\"PhysicsDriveAPI:angular\"]"),
    .good     = MECHANE_GRIPPER("delete apiSchemas = [\"PhysicsArticulationRootAPI\"]"),
};
constexpr Rule kStatic{
    .id       = "REP-1.3-n",
    .slug     = "static-as-body",
    .severity = Severity::warning,
    .summary  = "A prop that never moves is a collider without PhysicsRigidBodyAPI.",
    .why      = "A body that is welded to the world, or switched off, costs every simulator a body and a joint.",
    .fix      = "None: it may be switched on, or broken loose, at run time.",
    .bad      = R"(<<layer>>

def Xform "robot" (
    <<identity>>
)
{
    <<link shelf>>

        <<collider board wood>>
    }

    def Material "wood" (
        prepend apiSchemas = ["PhysicsMaterialAPI"]
    )
    {
        float physics:dynamicFriction = 0.4
        float physics:restitution = 0
        float physics:staticFriction = 0.5
    }

    def PhysicsFixedJoint "bolt"
    {
        rel physics:body1 = </robot/shelf>
    }
}
)",
    .good     = R"(
<<collider shelf>>
)",
};

#undef MECHANE_GRIPPER

bool adds(const usd::Layer& layer, const usd::Path& prim, std::string_view api)
{
    for (const usd::Token& name : layer.apis(prim))
        if (name.text() == api) return true;
    return false;
}

/// A stronger opinion replaces the whole list of schemas of a prim that some weaker one makes a root.
void check_pruned(const Facts& facts, Sink& sink)
{
    const std::vector<usd::StageLayer> layers = usd::layers_of(facts.stage);
    const auto                         find   = [&](const std::string& name) -> const usd::Layer* {
        for (const usd::StageLayer& layer : layers)
            if (layer.name == name) return layer.layer.get();
        return nullptr;
    };
    static const usd::Token kApis("apiSchemas");
    for (const PrimFacts& prim : facts.prims) {
        // One whose list takes everything away is no body any more.
        if (!prim.is(kKinematic) && !prim.above_body && (prim.is(kGprim) || prim.prim.metadata(kApis).empty()))
            continue;
        const auto places = usd::arc_places(prim.prim);
        if (places.size() < 2) continue;
        bool replaced = false;
        for (const usd::ArcPlace& place : places) {
            const usd::Layer* layer = find(place.layer);
            if (layer == nullptr) continue;
            const bool root = adds(*layer, place.path, "PhysicsArticulationRootAPI");
            if (root) sink.applies(kPruned);
            if (root && replaced && !prim.is(kArticulationRoot)) {
                sink.report(kPruned, {.site     = prim.prim.site(),
                                      .message  = "a new list of schemas takes away the articulation root",
                                      .observed = "apiSchemas = [...]",
                                      .expected = "delete apiSchemas = [\"PhysicsArticulationRootAPI\"]",
                                      .hint     = "write `delete apiSchemas = [\"PhysicsArticulationRootAPI\"]`"});
                break;
            }
            replaced |= layer->replaces_apis(place.path);
        }
    }
}

bool has_collider(const Facts& facts, const physics::Body& body)
{
    const PrimFacts* top = facts.find(body.path);
    if (top == nullptr) return false;
    for (auto i = static_cast<std::int32_t>(top - facts.prims.data()); i < top->end; ++i)
        if (facts.prims[static_cast<std::size_t>(i)].is(kCollider)) return true;
    return false;
}

bool has_below(const Facts& facts, const PrimFacts& top, std::uint32_t kinds, const PrimFacts* but = nullptr)
{
    for (auto i = static_cast<std::int32_t>(&top - facts.prims.data()); i < top.end; ++i) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        if (&prim != but && prim.is(kinds)) return true;
    }
    return false;
}

bool carries_ros(const Facts& facts, const physics::Body& body)
{
    const PrimFacts* top = facts.find(body.path);
    return top != nullptr && has_below(facts, *top, kInterface | kFrame);
}

bool has_other_body(const Facts& facts, const PrimFacts& context, const physics::Body& body)
{ return has_below(facts, context, kBody, facts.find(body.path)); }

void check_static(const Facts& facts, Sink& sink)
{
    std::vector<char> tied(facts.physics.bodies.size(), 0), jointed(facts.physics.bodies.size(), 0);
    for (const physics::Joint& joint : facts.physics.joints) {
        if (!joint.enabled) continue;
        const bool world = joint.body0 < 0 || joint.body1 < 0;
        for (const physics::Index body : {joint.body0, joint.body1})
            if (body >= 0)
                (world && joint.kind == physics::JointKind::fixed ? tied : jointed)[static_cast<std::size_t>(body)] = 1;
    }
    for (std::size_t b = 0; b < facts.physics.bodies.size(); ++b) {
        const physics::Body& body = facts.physics.bodies[b];
        // A robot's only body is its base, and what carries frames or interfaces is a body to have a frame. One that is
        // switched off has none.
        const PrimFacts* context = facts.nearest(facts.index_of(body.prim), kContext);
        if (context != nullptr && body.enabled && (carries_ros(facts, body) || !has_other_body(facts, *context, body)))
            continue;
        sink.applies(kStatic);
        const auto say = [&](const char* variant, std::string message, std::string observed) {
            sink.report(kStatic, {.site     = body.prim.site(),
                                  .message  = std::move(message),
                                  .observed = std::move(observed),
                                  .expected = "colliders without a body",
                                  .hint     = "remove PhysicsRigidBodyAPI, and the joint that holds it",
                                  .variant  = variant});
        };
        if (!has_collider(facts, body)) continue;
        if (!body.enabled)
            say("disabled", "a body that is switched off stands in for static colliders", "rigidBodyEnabled = false");
        else if (!body.kinematic && tied[b] != 0 && jointed[b] == 0)
            say("welded", "a body is welded to the world and carries nothing", "a fixed joint to the world");
    }
}

void check(const Facts& facts, Sink& sink)
{
    check_pruned(facts, sink);
    check_static(facts, sink);
}

constexpr std::array<const Rule*, 2> kRules{&kPruned, &kStatic};

}  // namespace

constexpr Family kStaticBodyRules{kRules, check};

}  // namespace mechane::conformance
