// Joints of a stage that follow others, for robot formats.

#include <fmt/format.h>

#include <algorithm>

#include "exporter/stage_reader.h"
#include "mechane/sourceformats/hints.h"
#include "physics/mimic_words.h"

namespace mechane::exporter {

/// MuJoCo's joints have one axis each, so that any of them may follow any other; nothing else here does so, and the
/// equality stands in the tree as one that OpenUSD has no joint for.
/// @return nothing where the axes cannot be told apart: joints of several axes that are one prim, and balls
std::optional<sf::VendorPrim> StageReader::axis_mimic(const physics::Joint& from, const physics::MimicWords& words)
{
    const auto axis_of = [&](const usd::Path& path) -> const sf::Dof* {
        const auto joint = joints.find(path);
        if (joint == joints.end()) return nullptr;
        const sf::Joint& in = tree.joints[at(joint->second)];
        if (in.kind == sf::Joint::Kind::ball || in.loop) return nullptr;
        if (in.dofs.size() == 1) return &in.dofs.front();
        const auto own = axes.find(path);
        if (own == axes.end()) return nullptr;
        const auto dof = std::ranges::find(in.dofs, own->second, &sf::Dof::name);
        return dof == in.dofs.end() ? nullptr : &*dof;
    };
    const auto     leads    = words.leaders(from.prim);
    const sf::Dof* follower = axis_of(from.path);
    const sf::Dof* leader   = leads.empty() ? nullptr : axis_of(leads.front());
    if (follower == nullptr || leader == nullptr || follower == leader) return std::nullopt;
    const auto name = [&](const sf::Dof& dof, const usd::Path& path) {
        return dof.name.empty() ? tree.joints[at(joints.at(path))].name : dof.name;
    };
    const double    factor = words.factor_of(from.prim) *
                             physics::mimic_factor_to_si(words, follower->angular, leader->angular, unit),
                    offset = words.offset_of(from.prim) * (follower->angular ? kRadians : unit);
    const sf::Place where  = place(from.prim.site());
    sf::VendorPrim  out;
    out.name       = name(*follower, from.path);
    out.type       = "Scope";
    out.place      = where;
    const auto put = [&](const std::string& attribute, const std::string& text) {
        out.extras.push_back({sf::Extra::Layer::mujoco, attribute, "string", fmt::format("\"{}\"", text), {}, where});
    };
    const std::string element = sf::hints::kElement;
    put(element, "joint");
    put(element + ":joint1", out.name);
    put(element + ":joint2", name(*leader, leads.front()));
    put(element + ":polycoef", fmt::format("{} {} 0 0 0", offset, factor));
    lose("mimic", Severity::info, sf::LossAction::converted, "kinematics", from.prim.site(),
         fmt::format("joint '{}'", out.name), leads.front().text(), "an equality",
         "MuJoCo lets an axis of several follow; no simulation here does");
    return out;
}

std::vector<sf::VendorPrim> StageReader::read_mimics(std::optional<Format> format)
{
    std::vector<sf::VendorPrim> of_axes;
    for (const physics::Joint& from : model.joints) {
        const auto here = joints.find(from.path);
        if (here == joints.end()) continue;
        sf::Joint& joint = tree.joints[at(here->second)];
        const auto known = physics::mimic_words(from.prim);
        const auto words = std::ranges::find_if(
            known, [&](const physics::MimicWords& w) { return w.sign > 0 || !w.leaders(from.prim).empty(); });
        if (words == known.end() || !words->is_enabled(from.prim)) continue;
        const auto leads  = words->leaders(from.prim);
        const auto leader = leads.empty() ? joints.end() : joints.find(leads.front());
        const auto one    = [&](const sf::Joint& j) { return j.dofs.size() == 1 && j.kind != sf::Joint::Kind::ball; };
        if (leader == joints.end() || leader->second == here->second || !one(joint) ||
            !one(tree.joints[at(leader->second)])) {
            if (format == Format::mjcf)
                if (auto made = axis_mimic(from, *words)) {
                    of_axes.push_back(*std::move(made));
                    continue;
                }
            const auto axis = axes.find(from.path);  // of a joint that has the name of its first one
            lose("mimic", Severity::error, sf::LossAction::dropped, "kinematics", from.prim.site(),
                 fmt::format("joint '{}'", axis != axes.end() ? axis->second : joint.name),
                 leads.empty() ? "" : leads.front().text(), {}, "only joints of one axis follow others");
            continue;
        }
        const bool turns = joint.dofs[0].angular, leader_turns = tree.joints[at(leader->second)].dofs[0].angular;
        joint.mimic =
            sf::Mimic{leader->second,
                      words->factor_of(from.prim) * physics::mimic_factor_to_si(*words, turns, leader_turns, unit),
                      words->offset_of(from.prim) * (turns ? kRadians : unit), joint.place};
    }
    return of_axes;
}

}  // namespace mechane::exporter
