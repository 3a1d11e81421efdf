// The table of schemas for joints that follow another: names of their properties, signs and units. It is read by the
// importer, the exporters and the fixers, so that all of them take an asset alike. Which schema goes first is the order
// of the result.

#include "physics/mimic_words.h"

#include <algorithm>
#include <numbers>
#include <string_view>

namespace mechane::physics {
namespace {

constexpr std::string_view kNeutral = "ExtendedPhysicsMimicAPI", kNewton = "NewtonMimicAPI",
                           kPhysx = "PhysxMimicJointAPI:", kRetired = "MimicJointAPI";

// Schemas in the order in which they win.
bool applies(const std::vector<usd::Token>& apis, std::string_view name)
{
    return std::ranges::any_of(apis, [&](const usd::Token& api) { return api.text() == name; });
}

}  // namespace

std::vector<MimicWords> mimic_words(const usd::Prim& joint)
{
    // The neutral and the retired schema are registered nowhere but in a plug-in of their own: the names count. Others
    // count as USD composes them, and by name where nothing knows them.
    const std::vector<usd::Token> apis = joint.authored_apis();
    std::vector<MimicWords>       all;
    if (applies(apis, kNeutral))
        all.push_back({.api         = std::string(kNeutral),
                       .joint       = "ext_physics:mimic:joint",
                       .factor      = "ext_physics:mimic:multiplier",
                       .offset      = "ext_physics:mimic:offset",
                       .enabled     = "ext_physics:mimic:enabled",
                       .leader_axis = {},
                       .by_degrees  = true});
    if (joint.has_api(usd::Token(kNewton)) || applies(apis, kNewton))
        all.push_back({.api         = std::string(kNewton),
                       .joint       = "newton:mimicJoint",
                       .factor      = "newton:mimicCoef1",
                       .offset      = "newton:mimicCoef0",
                       .enabled     = "newton:mimicEnabled",
                       .leader_axis = {}});
    // PhysX has an instance for each axis, and its equation has the other sign.
    for (const usd::Token& api : apis) {
        if (!api.text().starts_with(kPhysx)) continue;
        const std::string stem = "physxMimicJoint:" + api.text().substr(kPhysx.size()) + ":";
        all.push_back({.api         = api.text(),
                       .joint       = stem + "referenceJoint",
                       .factor      = stem + "gearing",
                       .offset      = stem + "offset",
                       .enabled     = {},
                       .leader_axis = stem + "referenceJointAxis",
                       .sign        = -1});
    }
    if (applies(apis, kRetired))
        all.push_back({.api         = std::string(kRetired),
                       .joint       = "mimic:joint",
                       .factor      = "mimic:multiplier",
                       .offset      = "mimic:offset",
                       .enabled     = {},
                       .leader_axis = {},
                       .by_degrees  = true});
    return all;
}

// 0.0 - x and not -x: no minus zero is written.
double MimicWords::offset_of(const usd::Prim& at) const
{
    const double value = at.attribute(offset).get_or<double>(0);
    return sign < 0 ? 0.0 - value : value;
}
double MimicWords::factor_of(const usd::Prim& at) const
{
    const double value = at.attribute(factor).get_or<double>(1);
    return sign < 0 ? 0.0 - value : value;
}
bool MimicWords::is_enabled(const usd::Prim& at) const
{ return enabled.empty() || at.attribute(enabled).get_or<bool>(true); }
std::vector<usd::Path> MimicWords::leaders(const usd::Prim& at) const { return at.relationship(joint).targets(); }

std::string leader_beside(std::string_view name)
{
    if (name == "ext_physics:mimic:multiplier") return "ext_physics:mimic:joint";
    if (name == "newton:mimicCoef1") return "newton:mimicJoint";
    if (name == "mimic:multiplier") return "mimic:joint";
    constexpr std::string_view kGearing = "gearing";
    if (!name.starts_with("physxMimicJoint:") || !name.ends_with(":gearing")) return {};
    return std::string(name.substr(0, name.size() - kGearing.size())) + "referenceJoint";
}

double mimic_factor_to_si(const MimicWords& words, bool follower_turns, bool leader_turns, double metres)
{
    if (follower_turns == leader_turns) return 1;
    // [length / angle] where the leader turns, [angle / length] where the follower does.
    const double angle = words.by_degrees ? std::numbers::pi / 180 : 1;
    return leader_turns ? metres / angle : angle / metres;
}

}  // namespace mechane::physics
