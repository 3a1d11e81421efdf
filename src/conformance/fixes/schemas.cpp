// Translates vendors' mimic joints into the neutral schema (phase P1, REP-0158 5.3): follower = offset + multiplier *
// leader.
// Several vendors on one joint must agree; what is authored in neutral words wins.

#include <algorithm>
#include <array>

#include "conformance/fixes/repair.h"

/// Mimic joints of three vendors become ExtendedPhysicsMimicAPI: follower = offset + multiplier * leader.
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

/// follower = offset + multiplier * leader; degrees or the stage's lengths.
struct Mimic {
    std::vector<usd::Path> leader;
    double                 multiplier = 1, offset = 0;
    bool                   enabled = true;

    bool operator==(const Mimic&) const = default;
};

/// The vendor's words: what is read, and what goes.
struct Source {
    const char*             vendor;
    std::string             api;
    Mimic                   mimic;
    std::vector<usd::Token> properties;
};

std::optional<Source> newton(const usd::Prim& joint)
{
    if (!applies(joint, "NewtonMimicAPI")) return std::nullopt;
    return Source{
        "newton",
        "NewtonMimicAPI",
        {joint.relationship("newton:mimicJoint").targets(), joint.attribute("newton:mimicCoef1").get_or<double>(1),
         joint.attribute("newton:mimicCoef0").get_or<double>(0),
         joint.attribute("newton:mimicEnabled").get_or<bool>(true)},
        {"newton:mimicJoint", "newton:mimicCoef0", "newton:mimicCoef1", "newton:mimicEnabled"}};
}

std::optional<Source> retired(const usd::Prim& joint)
{
    if (!applies(joint, "MimicJointAPI")) return std::nullopt;
    return Source{"retired",
                  "MimicJointAPI",
                  {joint.relationship("mimic:joint").targets(), joint.attribute("mimic:multiplier").get_or<double>(1),
                   joint.attribute("mimic:offset").get_or<double>(0), true},
                  {"mimic:joint", "mimic:multiplier", "mimic:offset"}};
}

/// Hence the multiplier is -gearing and the offset changes its sign.
/// PhysX: q + gearing * q_reference + offset = 0.
std::optional<Source> physx(const usd::Prim& joint)
{
    for (const usd::Token& api : joint.authored_apis()) {
        if (!api.text().starts_with("PhysxMimicJointAPI:")) continue;
        const std::string stem = "physxMimicJoint:" + api.text().substr(19) + ":";
        return Source{"physx",
                      api.text(),
                      {joint.relationship(stem + "referenceJoint").targets(),
                       0.0 - joint.attribute(stem + "gearing").get_or<double>(1),
                       0.0 - joint.attribute(stem + "offset").get_or<double>(0), true},
                      {stem + "referenceJoint", stem + "referenceJointAxis", stem + "gearing", stem + "offset"}};
    }
    return std::nullopt;
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
    for (const auto read : {newton, physx, retired})
        if (auto source = read(joint)) sources.push_back(std::move(*source));
    if (sources.empty()) return repair.refuse("no-translation", "the schema has no neutral word in this form");
    if (!joint.is_a("PhysicsRevoluteJoint") && !joint.is_a("PhysicsPrismaticJoint"))
        return repair.refuse("multi-dof-mimic", "only a joint of one axis has a neutral mimic");
    for (const Source& source : sources)
        if (source.vendor == std::string_view("physx") && !names_the_axis(joint, source.api))
            return repair.refuse("multi-dof-mimic", source.api + " names another axis than the joint has");
    for (std::size_t i = 1; i < sources.size(); ++i)
        if (!(sources[i].mimic == sources.front().mimic))
            return repair.refuse("conflict", std::string(sources[i].vendor) + " and " + sources.front().vendor +
                                                 " disagree about the mimic");
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
        for (const usd::Token& name : old.properties)
            if (joint.attribute(name).authored() || joint.relationship(name).authored()) repair.erase(joint, name);
        repair.remove_api(joint, old.api);
    }
}

constexpr std::array kRepairs{RepairOf{"REP-1.3-t", Phase::schemas, translate_mimic}};

}  // namespace

std::span<const RepairOf> schema_repairs() { return kRepairs; }

}  // namespace mechane::conformance
