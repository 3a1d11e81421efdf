// Joints that follow another: REP-0158's ExtendedPhysicsMimicAPI, Newton's, PhysX's. q_follower = offset + factor
// q_leader in radians and lengths of the model.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "import.h"

namespace mechane::importer {
namespace {

struct Mimic {
    usd::Path leader;
    double    offset = 0, factor = 1;
    bool      scaled = false;  ///< the factor has the stage's units: degrees and lengths
    Site      site;
};

bool turns(const model::BuilderJoint& joint) { return joint.type == model::JointType::revolute; }

/// One mimic per joint in words of the prim: the relationship, multiplier, offset and switch of a schema.
std::optional<Mimic> read_plain_mimic(const Import& run, const usd::Prim& prim, const model::BuilderJoint& follower,
                                      const char* joint, const char* factor, const char* offset, const char* enabled)
{
    for (const char* name : {enabled, joint, factor}) run.took(prim, name);
    const bool degrees = turns(follower);
    run.took(prim, offset, degrees ? physics::Use::converted : physics::Use::read, degrees ? "degrees to radians" : "");
    if (!prim.attribute(enabled).get_or<bool>(true)) return std::nullopt;
    Mimic mimic;
    mimic.site                         = prim.relationship(joint).site();
    const std::vector<usd::Path> leads = prim.relationship(joint).targets();
    if (!leads.empty()) mimic.leader = leads.front();
    mimic.offset = prim.attribute(offset).get_or<double>(0) * (degrees ? kDegrees : run.length());
    mimic.factor = prim.attribute(factor).get_or<double>(1);
    return mimic;
}

/// REP-0158's ExtendedPhysicsMimicAPI is registered by its own plug-in only: the name in apiSchemas counts.
bool has_neutral_mimic(const usd::Prim& prim)
{
    const std::vector<usd::Token> apis = prim.authored_apis();
    return std::find(apis.begin(), apis.end(), usd::Token("ExtendedPhysicsMimicAPI")) != apis.end();
}

/// ExtendedPhysicsMimicAPI, else NewtonMimicAPI, else PhysxMimicJointAPI of any axis. Coordinates of the model: radians
/// or lengths.
std::optional<Mimic> read_mimic(const Import& run, const usd::Prim& prim, const model::BuilderJoint& follower)
{
    if (prim.has_api("MjcEqualityJointAPI") && !run.options.convert_mjc_equality_constraints) return std::nullopt;
    if (!run.conventions.neutral_mimics_unread && has_neutral_mimic(prim)) {
        auto mimic = read_plain_mimic(run, prim, follower, "ext_physics:mimic:joint", "ext_physics:mimic:multiplier",
                                      "ext_physics:mimic:offset", "ext_physics:mimic:enabled");
        if (mimic) mimic->scaled = true;
        return mimic;
    }
    if (prim.has_api("NewtonMimicAPI"))
        return read_plain_mimic(run, prim, follower, "newton:mimicJoint", "newton:mimicCoef1", "newton:mimicCoef0",
                                "newton:mimicEnabled");
    if (prim.has_api("MjcEqualityJointAPI")) return std::nullopt;
    for (const usd::Token& axis : prim.api_instances("PhysxMimicJointAPI")) {
        const std::string stem = "physxMimicJoint:" + axis.text() + ":";
        Mimic             mimic;
        mimic.site                         = prim.relationship(stem + "referenceJoint").site();
        const std::vector<usd::Path> leads = prim.relationship(stem + "referenceJoint").targets();
        if (leads.empty()) continue;
        mimic.leader = leads.front();
        run.took(prim, stem + "referenceJoint");
        for (const char* name : {"offset", "gearing"})
            run.took(prim, stem + name, physics::Use::converted, "follower = -gearing * leader - offset");
        // PhysX's gearing has no unit; its offset has that of the follower.
        const double unit = run.conventions.physx_mimic_offset_unscaled ? 1 : turns(follower) ? kDegrees : run.length();
        mimic.offset      = -prim.attribute(stem + "offset").get_or<double>(0) * unit;
        mimic.factor      = -prim.attribute(stem + "gearing").get_or<double>(1);
        return mimic;
    }
    return std::nullopt;
}

std::string fault_of(const model::BuilderJoint& follower, const model::BuilderJoint& leader, const Mimic& mimic)
{
    const auto usable = [](const model::BuilderJoint& j) {
        return j.type == model::JointType::prismatic || j.type == model::JointType::revolute ||
               j.type == model::JointType::d6;
    };
    if (&follower == &leader) return "it follows itself";
    if (!usable(follower) || !usable(leader)) return "only hinges, sliders and D6 joints can follow one another";
    if (follower.linear_axes.size() + follower.angular_axes.size() !=
        leader.linear_axes.size() + leader.angular_axes.size())
        return "the joints have different degrees of freedom, expected matching position and velocity dimensions";
    if (follower.articulation >= 0 && leader.articulation >= 0 && follower.articulation != leader.articulation)
        return "the joints belong to different articulations";
    if (!std::isfinite(mimic.offset) || !std::isfinite(mimic.factor)) return "a coefficient is not finite";
    if (leader.mimic_joint >= 0) return "its leader is a follower itself";
    return {};
}

}  // namespace

void add_mimics(Import& run)
{
    for (std::size_t i = 0; i < run.physics.joints.size(); ++i) {
        if (run.joint_of[i] < 0) continue;
        model::BuilderJoint& follower = run.builder.joints[static_cast<std::size_t>(run.joint_of[i])];
        const usd::Prim&     prim     = run.physics.joints[i].prim;
        auto                 mimic    = read_mimic(run, prim, follower);
        if (!mimic) continue;
        const physics::Index lead  = run.physics.joint_at(mimic->leader);
        const std::int32_t   index = lead == physics::kNone ? -1 : run.joint_of[static_cast<std::size_t>(lead)];
        if (index < 0) {
            run.found.add(
                codes::kMimicLeader, mimic->site,
                fmt::format("{} follows {}, which was not imported", prim.path().text(), mimic->leader.text()));
            if (run.log) run.log->dismiss(prim, "newton:mimic", "the leader was not imported");
            continue;
        }
        if (const bool turned = turns(run.builder.joints[static_cast<std::size_t>(index)]);
            mimic->scaled && turned != turns(follower))
            // A neutral multiplier is of degrees and stage lengths; between a hinge and a slider it is converted.
            mimic->factor *= turned ? run.length() / kDegrees : kDegrees / run.length();
        if (const std::string fault = fault_of(follower, run.builder.joints[static_cast<std::size_t>(index)], *mimic);
            !fault.empty()) {
            if (run.log) run.log->dismiss(prim, "newton:mimic", fault);
            run.refuse(codes::kMimicInvalid, mimic->site,
                       fmt::format("{} cannot follow {}: {}", prim.path().text(), mimic->leader.text(), fault));
            continue;
        }
        if (mimic->offset != 0 && !follower.angular_axes.empty() &&
            follower.linear_axes.size() + follower.angular_axes.size() > 1)
            run.found.add(codes::kMimicUnit, mimic->site,
                          fmt::format("the offset of {} has no defined unit: the joint has several degrees of freedom",
                                      prim.path().text()));
        follower.mimic_joint  = index;
        follower.mimic_coeffs = {mimic->offset, mimic->factor};
    }
}

}  // namespace mechane::importer
