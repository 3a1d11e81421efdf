// Rules of REP-0158 1.2.3 about arcs: references, payloads, inherits, and what each may bring.
// Input: facts with the arcs behind each prim and opinion. Output: findings, named at the layer that has the arc.
// Payloads may be left out by a reader, so nothing that the kinematics or an interface needs may come by one. The last
// rule opens the stage without payloads and compares.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "conformance/asset_layers.h"
#include "conformance/family.h"
#include "mechane/usd/layer_arcs.h"

/// REP-0158 1.2.3: which arcs bring what; payloads hold geometry and nothing that the kinematics need.
namespace mechane::conformance {
namespace {

constexpr Rule kClass{
    .id       = "REP-1.2.3-a",
    .slug     = "external-class",
    .keyword  = Keyword::should_not,
    .severity = Severity::warning,
    .summary  = "Kinematic and ROS prims inherit from classes of the asset itself only.",
    .why      = "A class elsewhere changes the robot behind its author's back.",
    .fix      = "None: the class has to be brought into the asset.",
    .bad      = R"(#files
=== robot/robot.usda
<<entry references @./physics.usda@>>
=== robot/physics.usda
<<sublayers @package://lib/classes.usda@>>
def Xform "robot" {
    def PhysicsFixedJoint "j" (inherits = </_joint>) { rel physics:body1 = </robot/a> }
<<link a>>
} }
=== lib/classes.usda
#usda 1.0
class "_joint" { }
)",
    .good     = "",
};
constexpr Rule kHeavy{
    .id      = "REP-1.2.3-b",
    .slug    = "heavy-needs-payload",
    .summary = "Large geometry comes by payload.",
    .why     = "A reference cannot be left out: whoever looks at the kinematics loads every point.",
    .fix     = "The reference becomes a payload, or the large arrays get a layer that comes by one.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./geometries.usdc@>>
=== geometries.usdc binary
<<layer>>
def Xform "robot" { def Points "p" { int[] primvars:table = [<<repeat 1001 0>>] } }
)",
    .good    = R"(#files
=== robot.usda
<<entry payload @./geometries.usdc@>>
=== geometries.usdc binary
<<layer>>
def Xform "robot" { def Points "p" { int[] primvars:table = [<<repeat 1001 0>>] } }
)",
};
constexpr Rule kKinematics{
    .id      = "REP-1.2.3-c",
    .slug    = "payload-kinematics",
    .keyword = Keyword::must_not,
    .summary = "Links and joints do not come by payload.",
    .why     = "Without payloads the robot has no kinematics, and with them its structure changes.",
    .fix     = "The payload becomes a reference; what is large in it gets a payload of its own.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./base.usda@>>
=== base.usda
<<arm payload @./physics.usda@>>
=== physics.usda
<<layer>>
over "arm" {
<<link a>>
} }
)",
    .good    = "",
};
constexpr Rule kOnlyGeometry{
    .id       = "REP-1.2.3-e",
    .slug     = "payload-only-geometry",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Payloads bring geometry and materials only.",
    .why      = "Cameras, lights and scenes are looked for before anything heavy is loaded.",
    .fix      = "None: move the prim to the base layer.",
    .bad      = R"(#files
=== robot.usda
<<entry payload @./geometries.usda@>>
=== geometries.usda
<<layer>>
def Xform "robot" { def Camera "eye" {} }
)",
    .good     = "",
};
constexpr Rule kContextArc{
    .id      = "REP-2.1.1-g",
    .slug    = "context-outside-payload",
    .summary = "The context of ROS does not come by payload.",
    .why     = "Names and frames would change with what is loaded.",
    .fix     = "The payload becomes a reference.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./base.usda@>>
=== base.usda
<<arm payload @./ros.usda@>>
=== ros.usda
<<layer>>
over "arm" (prepend apiSchemas = ["RosContextAPI"]) { string ros:context:namespace = "arm" }
)",
    .good    = "",
};
constexpr Rule kInterfaceArc{
    .id      = "REP-2.2-d",
    .slug    = "interface-outside-payload",
    .summary = "Topics, services, actions and frames do not come by payload.",
    .why     = "The interface of a robot would depend on what is loaded.",
    .fix     = "The payload becomes a reference.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<layer>>
def Xform "robot" (
    <<identity>>
    prepend apiSchemas = ["RosContextAPI"]
    prepend references = @./base.usda@
) { string ros:context:namespace = "robot" }
=== base.usda
<<arm payload @./ros.usda@>>
=== ros.usda
<<layer>>
def Xform "arm" { <<topic scan>> }
)",
    .good    = "",
};
constexpr Rule kTopology{
    .id      = "REP-1.2.3-d",
    .slug    = "topology-without-payloads",
    .summary = "Bodies, joints and interfaces are the same with and without payloads.",
    .why     = "A tool that does not load payloads would see another robot.",
    .fix     = "The payload becomes a reference.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./physics.usda@>>
=== physics.usda
<<layer>>
def Xform "robot" {
    over "arm" (
        kind = "subcomponent"
        prepend payload = @./geometries.usda@</arm>
    ) {
        over "a" (
            kind = "subcomponent"
            prepend apiSchemas = ["PhysicsMassAPI", "PhysicsRigidBodyAPI"]
        ) {
            float physics:mass = 1
            quatf xformOp:orient = (1, 0, 0, 0)
            double3 xformOp:translate = (0, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"] } } }
=== geometries.usda
<<layer>>
def Xform "arm" { def Xform "a" {} }
)",
    .good    = "",
};

constexpr std::array<std::string_view, 4> kRosSchemas{"RosTopicAPI", "RosServiceAPI", "RosActionAPI", "RosFrameAPI"};

class Arcs {
  public:
    Arcs(const Facts& facts, Sink& sink) : facts_(facts), sink_(sink)
    {
        for (const AssetLayer& layer : facts.layers()) layers_.emplace(layer.layer.name, &layer);
    }

    void run()
    {
        payloads_          = usd::has_payloads(facts_.stage);
        const bool several = layers_.size() > 1;
        large_             = std::ranges::any_of(layers_, [&](const auto& known) {
            return !known.second->heavy.empty() && known.first != facts_.stage.used_layers().front();
        });
        for (const PrimFacts& prim : facts_.prims) {
            if (prim.is(kKinematic | kRos)) inherited(prim);
            if (payloads_ && prim.is(kCollider)) collider(prim);
            if (payloads_ && prim.is(kKinematic | kArticulationRoot | kRos)) applied(prim);
            if (several) heavy(prim);
            if (payloads_) other_types(prim);
        }
        if (payloads_) topology();
    }

  private:
    const Facts&                             facts_;
    Sink&                                    sink_;
    std::map<std::string, const AssetLayer*> layers_;
    bool                                     payloads_ = false;
    bool                                     large_    = false;  ///< a layer beside the entry holds large arrays
    std::set<std::string>                    colliding_;         ///< layers of colliders that come by payload
    std::set<std::string>                    said_;              ///< prims whose schema comes by payload

    [[nodiscard]] const usd::Layer& layer(const usd::ArcPlace& place) const
    { return *layers_.at(place.layer)->layer.layer; }
    [[nodiscard]] bool known(const usd::ArcPlace& place) const { return layers_.count(place.layer) != 0; }

    void say(const Rule& rule, const usd::Prim& prim, const std::string& layer, std::string message,
             std::string observed, std::string expected, std::string hint, std::optional<Severity> severity = {},
             const char* variant = "")
    {
        Site site  = prim.site();
        site.layer = layer;
        if (prim.site().layer != layer) site.line = 0;
        sink_.report(rule, {.site     = std::move(site),
                            .message  = std::move(message),
                            .observed = std::move(observed),
                            .expected = std::move(expected),
                            .hint     = std::move(hint),
                            .variant  = variant,
                            .severity = severity});
    }

    [[nodiscard]] bool inside(const std::string& name) const { return layers_.at(name)->inside; }

    /// Some layer has the class, or the stage does where it is brought in under another name.
    [[nodiscard]] bool is_there(const usd::Path& name, const usd::ArcPlace& place, const usd::Path& prim) const
    {
        if (std::ranges::any_of(layers_, [&](const auto& known) {
                return known.second->layer.layer->kind(name) != usd::SpecKind::none;
            }))
            return true;
        usd::Path layer = place.path, stage = prim;  // what both are below has one name there and another one here
        while (!layer.parent().is_root() && !stage.parent().is_root() && layer.name() == stage.name())
            layer = layer.parent(), stage = stage.parent();
        return facts_.stage.prim_at(name) ||
               (name.has_prefix(layer) && facts_.stage.prim_at(name.with_prefix_replaced(layer, stage)));
    }

    void inherited(const PrimFacts& prim)
    {
        sink_.applies(kClass);
        for (const usd::ArcPlace& place : usd::arc_places(prim.prim)) {
            if (!known(place) || place.path.text().find('{') != std::string::npos) continue;
            for (const usd::Path& name : usd::class_arcs(layer(place), place.path))
                if (!is_there(name, place, prim.prim.path()))
                    return say(kClass, prim.prim, place.layer,
                               fmt::format("the prim inherits {}, which no layer has", name.text()), name.text(),
                               "a class of the asset", "bring the class into base.usda, or remove the arc", {},
                               "nowhere");
        }
        for (const usd::ArcPlace& place : usd::arc_places(prim.prim))
            if (place.by_class && known(place) && !layers_.at(place.layer)->layer.file.empty() && !inside(place.layer))
                return say(
                    kClass, prim.prim, place.layer,
                    fmt::format("the prim inherits {} from {}, outside the asset", place.path.text(), place.layer),
                    place.layer, "a class of the asset", "bring the class into base.usda");
    }

    /// D1: a feature layer of the same asset that the entry brings in by payload on its default prim, as a figure
    /// shows.
    [[nodiscard]] bool is_entry_feature(const usd::ArcPlace& place) const
    {
        return facts_.root >= 0 && place.payload_layer == facts_.stage.used_layers().front() &&
               place.payload_at == facts_.prims[static_cast<std::size_t>(facts_.root)].prim.path() &&
               inside(place.layer);
    }

    void applied(const PrimFacts& prim)
    {
        if (prim.is(kKinematic | kArticulationRoot)) sink_.applies(kKinematics);
        if (prim.is(kContext)) sink_.applies(kContextArc);
        if (prim.is(kInterface | kFrame)) sink_.applies(kInterfaceArc);
        for (const usd::ArcPlace& place : usd::arc_places(prim.prim)) {
            if (!place.payload || !known(place)) continue;
            const auto apis = layer(place).apis(place.path);
            const auto has  = [&](std::string_view name) {
                return std::any_of(apis.begin(), apis.end(), [&](const usd::Token& api) { return api.text() == name; });
            };
            const bool joint = prim.is(kJoint) && !layer(place).field(place.path, "typeName").empty();
            const std::optional<Severity> relaxed =
                is_entry_feature(place) ? std::optional(Severity::warning) : std::nullopt;
            const auto report = [&](const Rule& rule, const char* what) {
                said_.insert(prim.prim.path().text());
                say(rule, prim.prim, place.layer, fmt::format("{} comes by payload", what), place.layer, "a reference",
                    "bring the layer in by reference; leave payloads to geometry", relaxed,
                    relaxed ? kRelaxed.data() : "");
            };
            if (joint || has("PhysicsRigidBodyAPI") || has("PhysicsArticulationRootAPI"))
                return report(kKinematics, joint ? "the joint" : "the link");
            if (has("RosContextAPI")) return report(kContextArc, "the context");
            for (const std::string_view api : kRosSchemas)
                if (has(api)) return report(kInterfaceArc, "the interface");
        }
    }

    /// A collider's form may come late; that it collides is physics. Said once a layer.
    void collider(const PrimFacts& prim)
    {
        sink_.applies(kKinematics);
        for (const usd::ArcPlace& place : usd::arc_places(prim.prim)) {
            if (!place.payload || !known(place)) continue;
            const auto apis = layer(place).apis(place.path);
            if (std::ranges::none_of(apis, [](const usd::Token& api) { return api.text() == "PhysicsCollisionAPI"; }))
                continue;
            if (colliding_.insert(place.layer).second)
                say(kKinematics, prim.prim, place.layer, "PhysicsCollisionAPI comes by payload", place.layer,
                    "physics.usda, by reference", "apply it in physics.usda; leave payloads to geometry",
                    Severity::warning, "collider");
            return;
        }
    }

    void heavy(const PrimFacts& prim)
    {
        // What is drawn, what places many, what moves a skin; the type may be lost where the arc stands on an Xform.
        if (!large_ || prim.properties.empty()) return;
        for (const usd::ArcPlace& place : usd::arc_places(prim.prim)) {
            if (!known(place) || layers_.at(place.layer)->heavy.empty()) continue;
            for (const usd::Token& name : layer(place).properties(place.path)) {
                if (usd::array_size(layer(place), place.path.property(name)) <= kHeavyElements) continue;
                sink_.applies(kHeavy);
                if (place.payload || place.layer == facts_.stage.used_layers().front()) return;
                return say(kHeavy, prim.prim, place.layer, "large geometry comes without a payload", "reference",
                           "payload", "write `payload` instead of `references` where the geometry is brought in");
            }
        }
    }

    void other_types(const PrimFacts& prim)
    {
        static const std::set<std::string> kAllowed{"Xform",         "Scope",          "Material",   "Shader",
                                                    "NodeGraph",     "PointInstancer", "SkelRoot",   "Skeleton",
                                                    "SkelAnimation", "BlendShape",     "GeomSubset", ""};
        const std::string                  type = prim.prim.type_name().text();
        if (prim.is(kGprim | kSubset | kJoint) || kAllowed.count(type) != 0 || type.starts_with("ParticleField"))
            return;
        sink_.applies(kOnlyGeometry);
        bool        only = true;
        std::string from;
        for (const usd::ArcPlace& place : usd::arc_places(prim.prim)) {
            if (!known(place) || layer(place).field(place.path, "typeName").empty()) continue;
            only &= place.payload;
            from = place.layer;
        }
        if (only && !from.empty())
            say(kOnlyGeometry, prim.prim, from, "a " + type + " comes by payload", type, "geometry and materials",
                "define it in base.usda");
    }

    /// Bodies, joints and interfaces of the stage without payloads. A prim that has a payload itself is not loaded
    /// there and no less defined: whether it is what it was is all that counts.
    void topology()
    {
        sink_.applies(kTopology);
        const auto light = facts_.stage.with_load_rules({{usd::Path::root(), usd::LoadRule::none}});
        if (!light) return sink_.not_checked(kTopology, light.error().message);
        for (const PrimFacts& prim : facts_.prims) {
            if (!prim.is(kKinematic | kRos) || said_.count(prim.prim.path().text()) != 0) continue;
            const std::string lost = lost_without(prim, (*light)->prim_at(prim.prim.path()));
            if (lost.empty()) continue;
            say(kTopology, prim.prim, prim.prim.site().layer, "without payloads " + lost, "payloads unloaded",
                "the same bodies, joints and interfaces", "define the prim outside the payload");
        }
    }

    /// What becomes of a prim without payloads, in words; empty when it stays what it is.
    static std::string lost_without(const PrimFacts& prim, const usd::Prim& there)
    {
        if (!there || !there.defined()) return "the prim is not there";
        if (!there.active()) return "the prim is not active";
        if (prim.is(kJoint) && !there.is_a("PhysicsJoint")) return "the prim is no joint";
        if (prim.is(kBody) && !there.has_api("PhysicsRigidBodyAPI")) return "the prim is no rigid body";
        const std::vector<usd::Token> apis = there.authored_apis();
        for (const usd::Token& api : prim.apis)
            if (api.text().starts_with("Ros") && std::find(apis.begin(), apis.end(), api) == apis.end())
                return "the prim lacks " + api.text();
        return {};
    }
};

void check(const Facts& facts, Sink& sink) { Arcs(facts, sink).run(); }

constexpr std::array<const Rule*, 7> kRules{&kClass,        &kHeavy,      &kKinematics,  &kTopology,
                                            &kOnlyGeometry, &kContextArc, &kInterfaceArc};

}  // namespace

constexpr Family kArcRules{kRules, check};

}  // namespace mechane::conformance
