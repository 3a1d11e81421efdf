// Joints that follow another: REP-0158's ExtendedPhysicsMimicAPI, Newton's, PhysX's. q_follower = offset + factor
// q_leader in radians and lengths of the model.
//
// Leader and follower must be of one articulation and have as many axes. Solvers take leaders that follow nobody: a
// joint that follows a follower gets the leader at the head of their chain, by putting one line into the other,
//     q2 = o2 + f2 q1, q1 = o1 + f1 q0   =>   q2 = (o2 + f2 o1) + f2 f1 q0.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "import.h"
#include "physics/mimic_words.h"

namespace mechane::importer {
namespace {

struct Mimic {
    usd::Path           leader;
    double              offset = 0, factor = 1;  ///< the offset in the model's units, the factor as authored
    physics::MimicWords words;
    Site                site;
};

bool turns(const model::BuilderJoint& joint) { return joint.type == model::JointType::revolute; }

/// The first schema that says whom the joint follows (`physics::mimic_words`). The rows of MuJoCo's equalities say it
/// for a joint that has them, unless they are to stay rows.
std::optional<Mimic> read_mimic(const Import& run, const usd::Prim& prim, const model::BuilderJoint& follower)
{
    const bool equality = prim.has_api("MjcEqualityJointAPI");
    if (equality && !run.options.convert_mjc_equality_constraints) return std::nullopt;
    for (physics::MimicWords& words : physics::mimic_words(prim)) {
        const bool physx = words.sign < 0;
        if (words.by_degrees && run.conventions.neutral_mimics_unread) continue;
        if (physx && equality) return std::nullopt;  // its own rows say it
        std::vector<usd::Path> leaders = words.leaders(prim);
        // PhysX's schema is applied by axis; an instance without a leader says nothing.
        if (physx && leaders.empty()) continue;
        const bool raw = physx && run.conventions.physx_mimic_offset_unscaled;
        // An offset is an angle for a hinge and a length for a slider.
        const double unit = raw ? 1 : turns(follower) ? kDegrees : run.length();
        // PhysX has the opposite sign on both numbers.
        const auto using_as = physx ? std::pair(physics::Use::converted, "follower = -gearing * leader - offset")
                              : turns(follower) ? std::pair(physics::Use::converted, "degrees to radians")
                                                : std::pair(physics::Use::read, "");
        run.took(prim, words.joint);
        if (!words.enabled.empty()) run.took(prim, words.enabled);
        run.took(prim, words.offset, using_as.first, using_as.second);
        if (physx)
            run.took(prim, words.factor, using_as.first, using_as.second);
        else
            run.took(prim, words.factor);
        if (!words.is_enabled(prim)) return std::nullopt;
        Mimic mimic{.offset = words.offset_of(prim) * unit,
                    .factor = words.factor_of(prim),
                    .site   = prim.relationship(words.joint).site()};
        if (!leaders.empty()) mimic.leader = std::move(leaders.front());
        mimic.words = std::move(words);
        return mimic;
    }
    return std::nullopt;
}

/// Why a joint cannot follow another; empty where it can.
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
    return {};
}

/// Whether the bodies of the joint become one: it moves nothing and follows nothing then.
bool merges(const Import& run, const model::BuilderJoint& joint)
{
    const auto& kept = run.options.joints_to_keep;
    return joint.type == model::JointType::fixed && joint.enabled && merges_fixed_joints(run) &&
           std::find(kept.begin(), kept.end(), joint.label) == kept.end();
}

/// What a joint says, of which all but the leader's own following has been looked at.
struct Wanted {
    usd::Prim    prim;
    std::int32_t follower = -1, leader = -1;  ///< of the builder
    std::int32_t named = -1;                  ///< the leader that the joint names, where `leader` heads the chain
    Mimic        mimic;
};

/// Notes the words in the ledger as ignored.
/// What it says moves nothing.
void ignore(Import& run, const usd::Prim& prim, const Mimic& mimic, const std::string& why)
{
    if (!run.log) return;
    for (const std::string& name : {mimic.words.joint, mimic.words.enabled, mimic.words.offset, mimic.words.factor})
        if (!name.empty() && (prim.attribute(name).authored() || prim.relationship(name).authored()))
            run.log->correct(prim, usd::Token(name), physics::Use::ignored, why);
}

void refuse(Import& run, const usd::Prim& prim, const Mimic& mimic, const std::string& fault)
{
    ignore(run, prim, mimic, fault);
    run.refuse(codes::kMimicInvalid, mimic.site,
               fmt::format("{} cannot follow {}: {}", prim.path().text(), mimic.leader.text(), fault));
}

/// Gives each follower of a follower the head of its chain; each is looked at once, however long the chains are. Those
/// that follow one another in a circle, and those that follow them, are refused and go.
void follow_heads(Import& run, std::vector<Wanted>& all, std::set<std::int32_t>& followers)
{
    std::map<std::int32_t, std::size_t> row_of;
    for (std::size_t i = 0; i < all.size(); ++i) row_of[all[i].follower] = i;
    // A leader that is on the way twice is in a circle, and so is what leads there.
    enum class State : std::uint8_t { open, on_the_way, headed, circular };
    std::vector<State>       state(all.size(), State::open);
    std::vector<std::size_t> way;
    for (std::size_t first = 0; first < all.size(); ++first) {
        auto end = row_of.find(all[first].follower);
        for (; end != row_of.end() && state[end->second] == State::open; end = row_of.find(all[end->second].leader)) {
            state[end->second] = State::on_the_way;
            way.push_back(end->second);
        }
        const bool circle = end != row_of.end() && state[end->second] != State::headed;
        // From the head on, so that each leader has its own before it is asked for.
        for (; !way.empty(); way.pop_back()) {
            Wanted& one       = all[way.back()];
            state[way.back()] = circle ? State::circular : State::headed;
            const auto lead   = row_of.find(one.leader);
            if (circle || lead == row_of.end()) continue;
            const Wanted& leader = all[lead->second];
            one.mimic.offset += one.mimic.factor * leader.mimic.offset;
            one.mimic.factor *= leader.mimic.factor;
            one.leader = leader.leader;
        }
    }
    std::vector<Wanted> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        Wanted& one = all[i];
        if (state[i] == State::circular)
            refuse(run, one.prim, one.mimic, "joints follow one another in a circle");
        else if (!std::isfinite(one.mimic.offset) || !std::isfinite(one.mimic.factor))
            refuse(run, one.prim, one.mimic, "the coefficients of its chain are not finite");
        else
            out.push_back(std::move(one));
    }
    all = std::move(out);
    followers.clear();
    for (const Wanted& one : all) followers.insert(one.follower);
}

}  // namespace

void add_mimics(Import& run)
{
    std::vector<Wanted> all;
    // Two passes: whether a leader is a follower itself is known only after all have been read.
    std::set<std::int32_t> followers;
    for (std::size_t i = 0; i < run.physics.joints.size(); ++i) {
        if (run.joint_of[i] < 0) continue;
        model::BuilderJoint& follower = run.builder.joints[static_cast<std::size_t>(run.joint_of[i])];
        const usd::Prim&     prim     = run.physics.joints[i].prim;
        auto                 mimic    = read_mimic(run, prim, follower);
        if (!mimic) continue;
        const physics::Index lead = run.physics.joint_at(mimic->leader);
        // The leader may be authored and not imported.
        const std::int32_t index = lead == physics::kNone ? -1 : run.joint_of[static_cast<std::size_t>(lead)];
        if (index < 0) {
            run.found.add(
                codes::kMimicLeader, mimic->site,
                mimic->leader.empty()
                    ? fmt::format("{} is to follow another joint and names none", prim.path().text())
                    : fmt::format("{} follows {}, which was not imported", prim.path().text(), mimic->leader.text()));
            ignore(run, prim, *mimic, mimic->leader.empty() ? "it names no leader" : "the leader was not imported");
            continue;
        }
        const model::BuilderJoint& leader = run.builder.joints[static_cast<std::size_t>(index)];
        if (merges(run, follower) || merges(run, leader)) {
            const usd::Path& merged = merges(run, follower) ? prim.path() : mimic->leader;
            run.found.add(codes::kMimicLeader, mimic->site,
                          fmt::format("{} follows {}, but {} is merged into a body", prim.path().text(),
                                      mimic->leader.text(), merged.text()));
            ignore(run, prim, *mimic, merged.text() + " is merged into a body");
            continue;
        }
        const bool leader_turns = turns(leader);
        // The factor couples two units, which are known only now.
        mimic->factor *= physics::mimic_factor_to_si(mimic->words, turns(follower), leader_turns, run.length());
        if (const std::string fault = fault_of(follower, leader, *mimic); !fault.empty()) {
            refuse(run, prim, *mimic, fault);
            continue;
        }
        followers.insert(run.joint_of[i]);
        all.push_back({prim, run.joint_of[i], index, index, *std::move(mimic)});
    }
    if (!run.conventions.mimic_chains_refused) follow_heads(run, all, followers);
    for (const auto& [prim, joint, index, named, mimic] : all) {
        // All followers are known: in whatever order the joints stand, the same ones are refused.
        if (followers.contains(index)) {
            refuse(run, prim, mimic, "its leader is a follower itself");
            continue;
        }
        model::BuilderJoint& follower     = run.builder.joints[static_cast<std::size_t>(joint)];
        const bool           leader_turns = turns(run.builder.joints[static_cast<std::size_t>(named)]);
        if (leader_turns != turns(follower) && !mimic.words.by_degrees)
            run.found.add(codes::kMimicUnit, mimic.site,
                          fmt::format("{} turns and {} slides or the other way round, for which {} has no unit: the "
                                      "factor couples radians and the stage's lengths",
                                      prim.path().text(), mimic.leader.text(), mimic.words.api));
        if (mimic.offset != 0 && !follower.angular_axes.empty() &&
            follower.linear_axes.size() + follower.angular_axes.size() > 1)
            run.found.add(codes::kMimicUnit, mimic.site,
                          fmt::format("the offset of {} has no defined unit: the joint has several degrees of freedom",
                                      prim.path().text()));
        follower.mimic_joint  = index;
        follower.mimic_coeffs = {mimic.offset, mimic.factor};
    }
}

}  // namespace mechane::importer
