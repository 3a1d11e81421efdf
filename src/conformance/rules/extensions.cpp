// Rules of REP-0158 4.2.2 and 4.2.3: neutral extensions of physics (mimic, actuators, clamping) and controllers.
// Inputs: facts. Outputs: findings about targets, units, circles of mimics, and conflicts of two controllers on one
// joint.
// Schemas whose drafts nobody knows may name what they like, as long as it exists.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "conformance/family.h"
#include "conformance/radians.h"
#include "conformance/variant_specs.h"
#include "mechane/ros/controllers.h"
#include "mechane/ros/schema.h"

/// REP-0158 4.2.2 and 4.2.3: neutral extensions of physics, and controllers.
namespace mechane::conformance {
namespace {

// clang-format off
#define MECHANE_PAIR(apis, lines)                                                                                 \
    "<<body a>>\n<<body b>>\n<<body c>>\n"                                                                        \
    "def PhysicsRevoluteJoint \"lead\" (\n    prepend apiSchemas = [\"PhysicsArticulationRootAPI\", \"PhysicsDriveAPI:angular\"]\n)\n{\n" \
    "    uniform token physics:axis = \"X\"\n    rel physics:body0 = </robot/a>\n    rel physics:body1 = </robot/b>\n" \
    "    float physics:lowerLimit = -90\n    float physics:upperLimit = 90\n}\n"                                  \
    "def PhysicsRevoluteJoint \"follow\" (\n    prepend apiSchemas = [" apis "]\n)\n{\n"                          \
    "    uniform token physics:axis = \"X\"\n    rel physics:body0 = </robot/b>\n    rel physics:body1 = </robot/c>\n" \
    "    float physics:lowerLimit = -90\n    float physics:upperLimit = 90\n" lines "}\n"
// clang-format on
#define MECHANE_MIMIC(lines) MECHANE_PAIR("\"ExtendedPhysicsMimicAPI\"", lines)
#define MECHANE_URDF_MIMIC(offset)                                                                                 \
    MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "")                                                                \
    "<<body d>>\ndef PhysicsRevoluteJoint \"copied\" (\n    prepend apiSchemas = [\"ExtendedPhysicsMimicAPI\"]\n"  \
    "    customData = {\n        string urdf = \"copied\"\n    }\n)\n{\n    uniform token physics:axis = \"X\"\n"  \
    "    rel physics:body0 = </robot/c>\n    rel physics:body1 = </robot/d>\n    float physics:lowerLimit = -90\n" \
    "    float physics:upperLimit = 90\n    rel ext_physics:mimic:joint = </robot/lead>\n    double "              \
    "ext_physics:mimic:offset = " offset "\n}\n"
#define MECHANE_GOOD_MIMIC MECHANE_MIMIC("    rel ext_physics:mimic:joint = </robot/lead>\n")
#define MECHANE_CONTROLLER(name, more) \
    "def Xform \"" name "\" (\n    prepend apiSchemas = [\"RosControlJointTrajectoryAPI\"]\n)\n{\n" more "}\n"
#define MECHANE_ROLLER(radius)                                                                                  \
    MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "")                                                             \
    "def Xform \"roll\" (\n    prepend apiSchemas = [\"RosControlDiffDriveAPI\"]\n)\n{\n"                       \
    "    rel ros:diff_drive:left_wheels = </robot/lead>\n    rel ros:diff_drive:right_wheels = </robot/lead>\n" \
    "    double ros:diff_drive:wheel_radius = " radius "\n    double ros:diff_drive:wheel_separation = 0.4\n}\n"
#define MECHANE_COMMANDS "    rel ros:joint_trajectory:command_joints = </robot/lead>\n"

constexpr Rule kNames{
    .id      = "REP-4.2.2-a",
    .slug    = "ext-names",
    .summary = "Properties under ext_physics: belong to a concept and to its schema.",
    .why     = "A name outside the registry means something else to the next reader.",
    .fix     = "None: the author must choose the concept.",
    .bad     = "def Xform \"a\"\n{\n    custom float ext_physics:gain = 1\n}\n",
    .good    = "def Xform \"a\"\n{\n    custom float ext_physics:actuator:gain = 1\n}\n",
};
constexpr Rule kMimic{
    .id      = "REP-4.2.2-c",
    .slug    = "mimic",
    .summary = "A mimic names one other revolute or prismatic joint, and mimics form no circle.",
    .why     = "A circle of followers has no solution that all simulators agree on.",
    .fix     = "None: the author must decide who follows whom.",
    .bad     = MECHANE_MIMIC("    rel ext_physics:mimic:joint = </robot/follow>\n"),
    .good    = MECHANE_GOOD_MIMIC,
};
constexpr Rule kActuator{
    .id      = "REP-4.2.2-d",
    .slug    = "actuator",
    .summary = "An actuator drives revolute or prismatic joints.",
    .why     = "An actuator without a joint does nothing.",
    .fix     = "None: the author must decide what it drives.",
    .bad     = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "") "def Xform \"motor\" (\n    prepend apiSchemas = [\"ExtendedPhysicsActuatorAPI\"]\n)\n{\n}\n",
    .good    = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "") "def Xform \"motor\" (\n    prepend apiSchemas = [\"ExtendedPhysicsActuatorAPI\"]\n)\n{\n"
               "    rel ext_physics:actuator:targets = </robot/lead>\n}\n",
};
constexpr Rule kClamping{
    .id      = "REP-4.2.2-e",
    .slug    = "clamping",
    .summary = "Tables of position-dependent effort are two lists of equal length, positions ascending.",
    .why     = "There is no value to read from any other table.",
    .fix     = "None: the table has to be corrected.",
    .bad     = MECHANE_PAIR("\"ExtendedPhysicsPositionBasedClampingAPI\"",
                            "    float[] ext_physics:clamp_position:lookupPositions = [0, 0]\n    float[] "
                            "ext_physics:clamp_position:lookupEfforts = [1, 1]\n"),
    .good    = MECHANE_PAIR("\"ExtendedPhysicsPositionBasedClampingAPI\"",
                            "    float[] ext_physics:clamp_position:lookupPositions = [0, 1]\n    float[] "
                            "ext_physics:clamp_position:lookupEfforts = [1, 1]\n"),
};
constexpr Rule kTargets{
    .id      = "REP-4.2.3-a",
    .slug    = "explicit-targets",
    .summary = "A controller names the joints or bodies that it controls.",
    .why     = "What a controller moves cannot be guessed from where it stands.",
    .fix     = "None: the author must decide what it controls.",
    .bad     = MECHANE_CONTROLLER("steer", ""),
    .good    = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "") MECHANE_CONTROLLER("steer", MECHANE_COMMANDS),
};
constexpr Rule kDecoupled{
    .id       = "REP-4.2.3-b",
    .slug     = "decoupled",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Controllers stand on prims of their own, not on bodies or joints.",
    .why      = "They can then be exchanged without touching the mechanism.",
    .fix      = "None: moving the schema changes its path.",
    .bad      = MECHANE_PAIR("\"RosControlJointTrajectoryAPI\"", MECHANE_COMMANDS),
    .good     = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "") MECHANE_CONTROLLER("steer", MECHANE_COMMANDS),
};
constexpr Rule kDrives{
    .id       = "REP-4.2.3-c",
    .slug     = "through-drives",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "A controlled joint has a drive or an actuator.",
    .why      = "Otherwise the controller has to write positions past the physics.",
    .fix      = "None: the author must choose the gains.",
    .bad      = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "")
        MECHANE_CONTROLLER("steer", "    rel ros:joint_trajectory:command_joints = </robot/follow>\n"),
    .good = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "") MECHANE_CONTROLLER("steer", MECHANE_COMMANDS),
};
constexpr Rule kConflict{
    .id      = "REP-4.2.3-e",
    .slug    = "write-conflict",
    .summary = "No two controllers that start enabled write to one joint.",
    .why     = "The last one to run wins, and which that is differs.",
    .fix     = "None: the author must decide which one starts.",
    .bad     = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "") MECHANE_CONTROLLER("steer", MECHANE_COMMANDS)
        MECHANE_CONTROLLER("steer_too", MECHANE_COMMANDS),
    .good = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "") MECHANE_CONTROLLER("steer", MECHANE_COMMANDS)
        MECHANE_CONTROLLER("steer_too", MECHANE_COMMANDS "    custom bool control:starts_enabled = false\n"),
};

constexpr Rule kUnits{
    .id       = "REP-4.2.2-f",
    .slug     = "ext-units",
    .severity = Severity::warning,
    .summary  = "Angles of a mimic are degrees, as everywhere in UsdPhysics.",
    .why      = "URDF has radians: an offset that was copied is sixty times too small.",
    .fix      = "None: multiply it by 180/pi if it came from URDF unchanged.",
    .bad      = MECHANE_URDF_MIMIC("1.5707963"),
    .good     = MECHANE_URDF_MIMIC("90"),
};
constexpr Rule kDirect{
    .id       = "REP-4.2.3-d",
    .slug     = "kinematic-only-direct",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "A controller that sets a body's velocity controls a kinematic body.",
    .why      = "A dynamic body that is moved past its forces goes through what stands in its way.",
    .fix      = "None: the author must decide whether the body is dynamic.",
    .bad =
        "<<body a>>\ndef Xform \"push\" (\n    prepend apiSchemas = [\"RosControlRigidBodyTwistAPI\"]\n)\n{\n    "
        "rel ros:rigid_body_twist:body = </robot/a>\n}\n",
    .good = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "") MECHANE_CONTROLLER("steer", MECHANE_COMMANDS),
};
constexpr Rule kSimulation{
    .id       = "REP-4.2.3-f",
    .slug     = "no-sim-state",
    .keyword  = Keyword::should_not,
    .severity = Severity::warning,
    .summary  = "A controller says nothing of resetting or spawning.",
    .why      = "The state of the simulation belongs to the simulator; on the real robot nothing answers.",
    .fix      = "None: remove the property.",
    .bad      = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "")
        MECHANE_CONTROLLER("steer", MECHANE_COMMANDS "    custom string control:reset_service = \"reset_world\"\n"),
    .good = MECHANE_PAIR("\"PhysicsFilteredPairsAPI\"", "") MECHANE_CONTROLLER("steer", MECHANE_COMMANDS),
};

constexpr Rule kDrafts{
    .id       = "REP-4.2.3-h",
    .slug     = "control-drafts",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "What a known control schema names has the API and role for it, and its lengths are positive.",
    .why      = "A drive without a wheel's radius, or a command topic that nobody subscribes to, does nothing.",
    .fix      = "None: the author must decide what is meant.",
    .bad      = MECHANE_ROLLER("0"),
    .good     = MECHANE_ROLLER("0.1"),
};

#undef MECHANE_ROLLER
#undef MECHANE_COMMANDS
#undef MECHANE_CONTROLLER
#undef MECHANE_URDF_MIMIC
#undef MECHANE_GOOD_MIMIC
#undef MECHANE_MIMIC
#undef MECHANE_PAIR

bool applies(const usd::Prim& prim, std::string_view api)
{
    const auto apis = prim.authored_apis();
    return std::any_of(apis.begin(), apis.end(), [&](const usd::Token& name) { return name.text() == api; });
}

bool has_one_axis(const usd::Prim& joint)
{ return joint.is_a("PhysicsRevoluteJoint") || joint.is_a("PhysicsPrismaticJoint"); }

class Extensions {
  public:
    Extensions(const Facts& facts, Sink& sink) : facts_(facts), sink_(sink) {}

    void run()
    {
        if (facts_.root >= 0) {
            const usd::Prim&  root    = facts_.prims[static_cast<std::size_t>(facts_.root)].prim;
            const std::string package = root.metadata("assetInfo:ros:package_uri").get<std::string>().value_or("");
            from_urdf_                = package.ends_with(".urdf") || package.ends_with(".xacro");
        }
        for (const PrimFacts& facts : facts_.prims) {
            const usd::Prim& prim = facts.prim;
            names(facts);
            for (const usd::Token& api : facts.apis) {
                if (api.text() == "ExtendedPhysicsMimicAPI") mimic(prim);
                if (api.text() == "ExtendedPhysicsActuatorAPI") actuator(prim);
                if (api.text() == "ExtendedPhysicsPositionBasedClampingAPI") clamping(prim);
            }
            const auto of_control = [](std::string_view prefix) {
                return [prefix](const usd::Token& name) { return name.text().starts_with(prefix); };
            };
            if (std::ranges::any_of(facts.apis, of_control("RosControl")) ||
                std::ranges::any_of(facts.properties, of_control("control:")))
                controllers_.push_back(&facts);
        }
        cycles();
        for (const PrimFacts* controller : controllers_) control(*controller);
    }

  private:
    const Facts&                   facts_;
    Sink&                          sink_;
    bool                           from_urdf_ = false;  ///< assetInfo says that a URDF is where the asset came from
    std::map<usd::Path, usd::Path> leader_;
    std::map<usd::Path, usd::Prim> follower_;
    std::map<usd::Path, usd::Path> written_by_, driven_by_;
    std::vector<const PrimFacts*>  controllers_;

    void say(const Rule& rule, const usd::Prim& prim, const char* property, std::string message, std::string observed,
             std::string expected, std::string hint, const char* variant = "", std::optional<Severity> severity = {})
    {
        sink_.report(rule, {.site     = property == nullptr ? prim.site() : site_of(prim, property),
                            .message  = std::move(message),
                            .observed = std::move(observed),
                            .expected = std::move(expected),
                            .hint     = std::move(hint),
                            .variant  = variant,
                            .severity = severity});
    }

    void names(const PrimFacts& facts)
    {
        const usd::Prim& prim = facts.prim;
        for (const usd::Token& name : facts.properties) {
            if (!name.text().starts_with("ext_physics:")) continue;
            sink_.applies(kNames);
            if (name.text().find(':', 12) == std::string::npos)
                say(kNames, prim, name.text().c_str(), name.text() + " names no concept", name.text(),
                    "ext_physics:<concept>:<name>", "put the concept before the name", name.text().c_str());
        }
    }

    void mimic(const usd::Prim& joint)
    {
        sink_.applies(kMimic);
        const char* rel     = "ext_physics:mimic:joint";
        const auto  targets = joint.relationship(rel).targets();
        const auto  fault   = [&](const char* variant, std::string message, std::string observed) {
            say(kMimic, joint, rel, std::move(message), std::move(observed), "one other revolute or prismatic joint",
                "name the joint that it follows", variant);
        };
        if (!has_one_axis(joint))
            return fault("follower", "a joint without one axis cannot follow another", joint.type_name().text());
        if (targets.size() != 1)
            return fault("count", "the mimic names no joint, or several", std::to_string(targets.size()));
        if (in_other_variant(facts_, targets.front())) return;  // REP-1.2.4-c's
        const PrimFacts* leader = facts_.find(targets.front());
        if (leader == nullptr || !has_one_axis(leader->prim))
            return fault("leader", "what the mimic follows is no revolute or prismatic joint", targets.front().text());
        if (leader->prim == joint) return fault("self", "the joint follows itself", targets.front().text());
        for (const char* name : {"ext_physics:mimic:multiplier", "ext_physics:mimic:offset"})
            if (const auto value = joint.attribute(name).get<double>(); value && !std::isfinite(*value))
                return fault("value", std::string(name) + " is not finite", "not finite");
        const bool   copied = !joint.metadata("customData:urdf").empty() ||
                              std::ranges::any_of(joint.authored_property_names(), [](const usd::Token& name) {
                                return name.text().starts_with("urdf:");
                              });
        const double offset = joint.attribute("ext_physics:mimic:offset").get<double>().value_or(0);
        if ((copied || from_urdf_) && joint.is_a("PhysicsRevoluteJoint")) {
            sink_.applies(kUnits);
            // A converter that keeps the joint's words may have kept its number; of an asset that only came from URDF
            // it has to be a number that nobody writes in degrees, be it cut to 1.57.
            constexpr double kPrinted = 1e-3;
            if (offset != 0 && std::abs(offset) <= 2 * kPi && (copied || is_round_in_radians(offset, kPrinted)))
                say(kUnits, joint, "ext_physics:mimic:offset", "the offset looks like radians; USD uses degrees",
                    number(offset), "degrees", "multiply it by 180/pi");
        }
        leader_[joint.path()]   = targets.front();
        follower_[joint.path()] = joint;
    }

    /// A circle is said once, at its first joint by path.
    void cycles()
    {
        std::set<usd::Path> said;
        for (const auto& [start, first] : leader_) {
            std::vector<usd::Path> way{start};
            for (auto at = leader_.find(first);
                 at != leader_.end() && at->first != start && way.size() <= leader_.size();
                 at = leader_.find(at->second))
                way.push_back(at->first);
            const auto last = leader_.find(way.back());
            if (last == leader_.end() || last->second != start || said.count(start) != 0) continue;
            std::string text;
            for (const usd::Path& joint : way) said.insert(joint), text += joint.text() + " -> ";
            say(kMimic, follower_[start], "ext_physics:mimic:joint", "joints follow each other in a circle",
                text + start.text(), "no circle", "let one of them lead", "cycle");
        }
    }

    void actuator(const usd::Prim& prim)
    {
        sink_.applies(kActuator);
        const char* rel     = "ext_physics:actuator:targets";
        const auto  targets = prim.relationship(rel).targets();
        if (targets.empty())
            say(kActuator, prim, rel, "the actuator drives nothing", "no target", "a revolute or prismatic joint",
                "name the joint in ext_physics:actuator:targets");
        for (const usd::Path& target : targets) {
            const PrimFacts* joint = facts_.find(target);
            if (in_other_variant(facts_, target)) continue;  // REP-1.2.4-c's
            if (joint == nullptr || !has_one_axis(joint->prim)) {
                say(kActuator, prim, rel, "what the actuator drives is no revolute or prismatic joint", target.text(),
                    "a revolute or prismatic joint", "name a movable joint", "target");
            } else if (const auto [at, fresh] = driven_by_.try_emplace(target, prim.path()); !fresh) {
                say(kActuator, prim, rel, "two actuators drive " + target.text(), at->second.text(), "one",
                    "remove one of them", "shared", Severity::warning);
            }
        }
    }

    void clamping(const usd::Prim& prim)
    {
        sink_.applies(kClamping);
        const auto list = [&](const char* name) {
            return prim.attribute(std::string("ext_physics:clamp_position:") + name)
                .get<std::vector<double>>()
                .value_or(std::vector<double>{});
        };
        const std::vector<double> positions = list("lookupPositions"), efforts = list("lookupEfforts");
        const auto fault = [&](const char* variant, std::string message, std::optional<Severity> severity = {}) {
            say(kClamping, prim, "ext_physics:clamp_position:lookupPositions", std::move(message),
                fmt::format("{} positions, {} efforts", positions.size(), efforts.size()),
                "ascending positions, as many efforts", "correct the table", variant, severity);
        };
        if (positions.size() != efforts.size()) return fault("length", "the table's lists differ in length");
        for (std::size_t i = 0; i < positions.size(); ++i) {
            if (!std::isfinite(positions[i]) || !std::isfinite(efforts[i]))
                return fault("value", "the table holds what is not finite");
            if (i > 0 && !(positions[i] > positions[i - 1])) return fault("order", "the positions do not ascend");
        }
        if (std::any_of(efforts.begin(), efforts.end(), [](double e) { return e < 0; }))
            fault("negative", "an effort is negative", Severity::warning);
    }

    /// Words of the simulation's own state among a controller's properties.
    void simulation(const usd::Prim& prim)
    {
        sink_.applies(kSimulation);
        for (const usd::Token& name : prim.authored_property_names()) {
            const std::string last  = name.text().substr(name.text().rfind(':') + 1);
            const auto        value = prim.attribute(name).get<std::string>();
            if (!last.starts_with("reset") && !last.starts_with("spawn") &&
                (!value || value->find("simulation_interfaces") == std::string::npos))
                continue;
            say(kSimulation, prim, name.text().c_str(), name.text() + " speaks of the simulation itself", name.text(),
                "what a controller does", "remove it", name.text().c_str());
        }
    }

    /// Relationships to joints and bodies that lead to something else, or nowhere. Those of schemas whose drafts are
    /// not known may name what they like, if it exists.
    bool targets_astray(const ros::Controller& controller)
    {
        std::map<std::string, Trait> wanted;
        for (const ros::ControlRelation& relation : ros::control_relations())
            if (relation.kind == controller.kind &&
                (relation.target == ros::ControlTarget::joint || relation.target == ros::ControlTarget::body))
                wanted[std::string(relation.name)] = relation.target == ros::ControlTarget::joint ? kJoint : kBody;
        bool any = false;
        for (const usd::Token& name : controller.prim.authored_property_names()) {
            const usd::Relationship relation = controller.prim.relationship(name);
            const auto              trait    = wanted.find(name.text());
            if (!relation || (trait == wanted.end() && !name.text().starts_with("control:"))) continue;
            for (const usd::Path& target : relation.forwarded())
                any |= is_astray(controller.prim, name.text(), target,
                                 trait == wanted.end() ? std::nullopt : std::optional(trait->second));
        }
        return any;
    }

    /// What a relationship of a controller whose draft is not known may lead to: what it moves, what it talks through,
    /// where it stands, or another controller.
    static bool may_be_named(const PrimFacts& target)
    {
        const auto of_control = [](const usd::Token& name) {
            return name.text().starts_with("RosControl") || name.text().starts_with("control:");
        };
        return target.is(kKinematic | kRos) || std::ranges::any_of(target.apis, of_control) ||
               std::ranges::any_of(target.properties, of_control);
    }

    bool is_astray(const usd::Prim& controller, const std::string& name, const usd::Path& target,
                   std::optional<Trait> wanted)
    {
        const PrimFacts* at = facts_.find(target);
        if (at != nullptr && (wanted ? at->is(*wanted) : may_be_named(*at))) return false;
        if (!in_other_variant(facts_, target))  // else REP-1.2.4-c's
            say(kTargets, controller, name.c_str(),
                fmt::format("{} leads to {}, which {}", name, target.text(),
                            at != nullptr                  ? (!wanted             ? "is neither joint nor body"
                                                              : *wanted == kJoint ? "is no joint"
                                                                                  : "is no body")
                            : facts_.stage.prim_at(target) ? "is not active"
                                                           : "does not exist"),
                target.text(), wanted == kBody ? "a body" : "a joint", "name what exists", target.text().c_str());
        return true;
    }

    /// The other relationships and the numbers of the schemas whose drafts are known.
    void drafts(const ros::Controller& controller)
    {
        using ros::ControllerKind;
        using ros::ControlTarget;
        if (controller.schema.empty()) return;
        const usd::Prim& prim = controller.prim;
        sink_.applies(kDrafts);
        if (controller.kind == ControllerKind::other)
            return say(kDrafts, prim, nullptr, controller.schema + " is not among the schemas whose drafts are known",
                       controller.schema, "a schema of REP-0158's drafts", "nothing was checked beyond its targets",
                       "unknown", Severity::info);
        for (const ros::ControlRelation& relation : ros::control_relations()) {
            if (relation.kind != controller.kind || relation.target == ControlTarget::joint ||
                relation.target == ControlTarget::body)
                continue;
            const bool             action = relation.target == ControlTarget::action_server;
            const std::string_view role   = action                                           ? "server"
                                            : relation.target == ControlTarget::subscription ? "subscription"
                                                                                             : "publisher";
            const std::string      name(relation.name);
            for (const usd::Path& target : prim.relationship(name).forwarded()) {
                if (in_other_variant(facts_, target)) continue;  // REP-1.2.4-c's
                const PrimFacts* at = facts_.find(target);
                if (at != nullptr && ros::applies(at->prim, action ? ros::Api::action : ros::Api::topic) &&
                    ros::text(at->prim, action ? "ros:action:role" : "ros:topic:role") == role)
                    continue;
                say(kDrafts, prim, name.c_str(),
                    fmt::format("{} leads to {}, which is no {}", name, target.text(), to_string(relation.target)),
                    target.text(), std::string(to_string(relation.target)), "name such an interface", name.c_str());
            }
        }
        if (controller.kind != ControllerKind::diff_drive) return;
        for (const char* name : {"ros:diff_drive:wheel_separation", "ros:diff_drive:wheel_radius"})
            if (const auto value = prim.attribute(name).authored_as<double>();
                !value || !(*value > 0) || !std::isfinite(*value))
                say(kDrafts, prim, name, fmt::format("{} is {}", name, value ? number(*value) : "not authored"),
                    value ? number(*value) : "not authored", "a positive length", "measure it", name);
    }

    void control(const PrimFacts& controller)
    {
        const usd::Prim& prim = controller.prim;
        sink_.applies(kTargets);
        sink_.applies(kDecoupled);
        sink_.applies(kConflict);
        if (controller.is(kKinematic))
            say(kDecoupled, prim, nullptr, "the controller stands on a part of the mechanism", prim.path().text(),
                "a prim of its own", "move it to a prim such as /robot/Controllers/" + prim.name().text());
        std::vector<usd::Path> targets;
        bool                   astray = false;
        for (const ros::Controller& one : ros::controllers(prim)) {
            for (const ros::ControlledPrim& target : one.targets)
                if (const PrimFacts* at = facts_.find(target.path); at != nullptr && at->is(kKinematic))
                    targets.push_back(target.path);
            astray |= targets_astray(one);
            drafts(one);
        }
        for (const usd::Token& collection : prim.api_instances("CollectionAPI"))
            for (const usd::Path& member : facts_.stage.collection_members(prim, collection))
                if (const PrimFacts* at = facts_.find(member);
                    at != nullptr && at->is(kKinematic) && std::ranges::find(targets, member) == targets.end())
                    targets.push_back(member);
        if (targets.empty() && astray) return;
        if (targets.empty())
            return say(kTargets, prim, nullptr, "the controller names no joint and no body", "no target",
                       "joints or bodies", "name what it controls by a relationship");
        simulation(prim);
        const bool direct  = applies(prim, "RosControlRigidBodyTwistAPI");
        const bool enabled = prim.attribute("control:starts_enabled").get_or<bool>(true);
        for (const usd::Path& target : targets) {
            const PrimFacts* joint = facts_.find(target);
            if (direct && joint->is(kBody)) {
                sink_.applies(kDirect);
                const physics::Index body = facts_.physics.body_at(target);
                if (body >= 0 && !facts_.physics.bodies[static_cast<std::size_t>(body)].kinematic)
                    say(kDirect, prim, nullptr, "the controller sets the velocity of a dynamic body", target.text(),
                        "a kinematic body", "make the body kinematic, or drive it by forces", target.text().c_str());
            }
            if (joint->is(kJoint)) {
                sink_.applies(kDrives);
                const bool drive = !joint->prim.api_instances("PhysicsDriveAPI").empty();
                if (!drive && driven_by_.count(target) == 0 && !applies(prim, "RosControlJointStateBroadcasterAPI"))
                    say(kDrives, prim, nullptr,
                        "the controlled joint " + target.text() + " has neither drive nor actuator", target.text(),
                        "PhysicsDriveAPI", "apply PhysicsDriveAPI to the joint", target.text().c_str());
            }
            if (!enabled || applies(prim, "RosControlJointStateBroadcasterAPI")) continue;
            if (const auto [at, fresh] = written_by_.try_emplace(target, prim.path());
                !fresh && at->second != prim.path())
                say(kConflict, prim, nullptr, "two controllers write to " + target.text() + " from the start",
                    at->second.text(), "one", "write control:starts_enabled = false on one of them");
        }
    }
};

void check(const Facts& facts, Sink& sink) { Extensions(facts, sink).run(); }

constexpr std::array<const Rule*, 12> kRules{&kNames,     &kMimic,  &kActuator, &kClamping, &kUnits,      &kTargets,
                                             &kDecoupled, &kDrives, &kDirect,   &kConflict, &kSimulation, &kDrafts};

}  // namespace

constexpr Family kExtensionRules{kRules, check};

}  // namespace mechane::conformance
