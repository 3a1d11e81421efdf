// Translates vendors' mimic joints into the neutral schema (phase P1, REP-0158 5.3): follower = offset + multiplier *
// leader.
// Several vendors on one joint must agree; what is authored in neutral words wins.

#include <algorithm>
#include <array>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "conformance/fixes/repair.h"
#include "physics/mimic_words.h"

/// P1: vendor words that have a neutral counterpart (rep-0158 5.3).
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

bool applies(const usd::Prim& prim, const char* api)
{
    const auto apis = prim.authored_apis();
    return std::find(apis.begin(), apis.end(), usd::Token(api)) != apis.end();
}

constexpr double kDegrees = 180 / std::numbers::pi;  // of a radian

/// What the neutral schema would say: follower = offset + multiplier * leader, in degrees or the stage's lengths.
struct Mimic {
    std::vector<usd::Path> leader;
    double                 multiplier = 1, offset = 0;
    bool                   enabled = true;

    bool operator==(const Mimic&) const = default;
};

/// The vendor's words: what is read, and what goes.
struct Source {
    physics::MimicWords words;
    Mimic               mimic;

    [[nodiscard]] bool is_physx() const { return words.sign < 0; }
};

/// A factor of joints of different kinds becomes one of degrees, so that the motion stays the same.
double neutral_factor(const Repair& repair, const usd::Prim& joint, const physics::MimicWords& words)
{
    const double factor  = words.factor_of(joint);
    const auto   leaders = words.leaders(joint);
    if (words.by_degrees || leaders.size() != 1) return factor;
    const usd::Prim leader = repair.facts.stage.prim_at(leaders.front());
    const bool      turns = joint.is_a("PhysicsRevoluteJoint"), slides = joint.is_a("PhysicsPrismaticJoint");
    if (leader.is_a("PhysicsRevoluteJoint") && slides) return factor / kDegrees;
    if (leader.is_a("PhysicsPrismaticJoint") && turns) return factor * kDegrees;
    return factor;
}

/// True when the instance of a PhysX mimic names the joint's one axis.
bool names_the_axis(const usd::Prim& joint, const std::string& api)
{
    const std::string axis = joint.attribute("physics:axis").get<std::string>().value_or("X");
    const std::string name = api.substr(api.find(':') + 1);
    return (joint.is_a("PhysicsRevoluteJoint") && name == "rot" + axis) ||
           (joint.is_a("PhysicsPrismaticJoint") && name == "trans" + axis);
}

void translate_mimic(Repair& repair, const Finding& finding)
{
    const usd::Prim     joint = prim_of(repair, finding);
    std::vector<Source> sources;  // in the order in which they win
    for (physics::MimicWords& words : physics::mimic_words(joint))
        if (applies(joint, words.api.c_str()) && words.api != "ExtendedPhysicsMimicAPI") {
            Mimic mimic{words.leaders(joint), neutral_factor(repair, joint, words), words.offset_of(joint),
                        words.is_enabled(joint)};
            sources.push_back({std::move(words), std::move(mimic)});
        }
    if (sources.empty()) return repair.refuse("no-translation", "the schema has no neutral word in this form");
    if (!joint.is_a("PhysicsRevoluteJoint") && !joint.is_a("PhysicsPrismaticJoint"))
        return repair.refuse("multi-dof-mimic", "only a joint of one axis has a neutral mimic");
    for (const Source& source : sources)
        if (source.is_physx() && !names_the_axis(joint, source.words.api))
            return repair.refuse("multi-dof-mimic", source.words.api + " names another axis than the joint has");
    for (std::size_t i = 1; i < sources.size(); ++i)
        if (!(sources[i].mimic == sources.front().mimic))
            return repair.refuse(
                "conflict", sources[i].words.api + " and " + sources.front().words.api + " disagree about the mimic");
    const Source& source = sources.front();
    if (source.mimic.leader.size() != 1)
        return repair.refuse("dangling-relationship", "the mimic names no leader, or several");
    if (!applies(joint, "ExtendedPhysicsMimicAPI")) {  // what is authored in neutral words wins
        const EditPlace at = repair.place(joint, "physics:axis");
        repair.apply_api(at, "ExtendedPhysicsMimicAPI");
        repair.set_stage_targets(joint, at, "ext_physics:mimic:joint", source.mimic.leader);
        repair.set(at, "ext_physics:mimic:multiplier", "float", number_value("float", source.mimic.multiplier));
        repair.set(at, "ext_physics:mimic:offset", "float", number_value("float", source.mimic.offset));
        if (!source.mimic.enabled) repair.set(at, "ext_physics:mimic:enabled", "bool", usd::make_value("bool", false));
    }
    for (const Source& old : sources) {
        const physics::MimicWords& words = old.words;
        for (const std::string& name : {words.joint, words.leader_axis, words.factor, words.offset, words.enabled})
            if (!name.empty() && (joint.attribute(name).authored() || joint.relationship(name).authored()))
                repair.erase(joint, name);
        repair.remove_api(joint, words.api);
    }
}

constexpr std::array kRepairs{RepairOf{"REP-1.3-t", Phase::schemas, translate_mimic}};

}  // namespace

std::span<const RepairOf> schema_repairs() { return kRepairs; }

}  // namespace mechane::conformance
