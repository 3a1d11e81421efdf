// Repairs of single words of ROS schemas (phases P1 and P5): roles, qualities of service, ids of frames, names of
// joints, schemas that are applied like multiple-apply ones. A word is corrected where only its spelling is wrong:
// case, dashes, blanks, slashes, an abbreviation that everybody uses. A word that means nothing known is the author's
// to say.

#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/fixes/ros_words.h"
#include "mechane/core/letters.h"
#include "mechane/ros/names.h"
#include "mechane/ros/schema.h"

/// P1 and P5: words of ROS schemas that are spelled another way.
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

std::string authored_text(const usd::Prim& prim, const std::string& property)
{ return prim.attribute(property).authored_as<std::string>().value_or(""); }

std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> words;
    for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string_view::npos;) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

/// Ways to say a role that leave no doubt.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kRoles{{{"pub", "publisher"},
                                                                               {"publish", "publisher"},
                                                                               {"publishes", "publisher"},
                                                                               {"sub", "subscription"},
                                                                               {"subscribe", "subscription"},
                                                                               {"subscribes", "subscription"},
                                                                               {"subscriber", "subscription"},
                                                                               {"subscriptions", "subscription"}}};

/// The allowed word that has the same letters, the only one that has this part, or that a usual abbreviation or the
/// middleware's long name (RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT) stands for; empty where there is none.
std::string meant_word(const std::string& word, const std::vector<std::string>& allowed)
{
    std::string letters = letters_of(word);
    for (const auto& [spelled, role] : kRoles)
        if (letters == spelled) letters = role;
    if (letters.starts_with("rmwqospolicy"))
        for (const char* quality : {"reliability", "durability", "history"})
            if (const std::string prefix = std::string("rmwqospolicy") + quality; letters.starts_with(prefix))
                letters.erase(0, prefix.size());
    std::vector<std::string> part_of;  // "BEST" of best_effort
    for (const std::string& known : allowed) {
        if (letters == letters_of(known)) return known;
        const std::string bounded = "_" + known + "_";
        if (!letters.empty() && bounded.find("_" + letters + "_") != std::string::npos) part_of.push_back(known);
    }
    return part_of.size() == 1 ? part_of.front() : std::string();
}

/// A role or a quality of service: one word of a list.
void fix_word(Repair& repair, const Finding& finding)
{
    if (finding.variant == "client") return repair.refuse("role", "the author must decide whether the asset asks");
    const usd::Prim      prim  = prim_of(repair, finding);
    const ros::Property* known = ros::find_property(finding.site.property);
    if (known == nullptr) return;
    const std::string word = authored_text(prim, finding.site.property);
    const std::string now  = meant_word(word, words_of(known->allowed));
    if (now.empty() || now == word)
        return repair.refuse("word", word.empty()
                                         ? "the author must choose the value: " + std::string(known->allowed)
                                         : "\"" + word + "\" could mean any of: " + std::string(known->allowed));
    repair.set(prim, finding.site.property, known->type, usd::make_value(known->type, usd::Token(now)));
}

std::string trimmed(std::string text, std::string_view what)
{
    while (!text.empty() && what.find(text.back()) != std::string_view::npos) text.pop_back();
    while (!text.empty() && what.find(text.front()) != std::string_view::npos) text.erase(0, 1);
    return text;
}

bool is_frame_id(std::string_view id)
{
    const ros::FrameFault fault = ros::check_frame_id(id);
    return fault == ros::FrameFault::none || fault == ros::FrameFault::unusual;
}

/// tf2 has no leading slash, and no frame ends in one. Without an id the frame has the prim's name.
void fix_frame_id(Repair& repair, const Finding& finding)
{
    const usd::Prim   prim = prim_of(repair, finding);
    const char*       kId  = "ros:frame:id";
    const std::string id   = authored_text(prim, kId);
    std::string       bare = trimmed(id, "/ \t\n\r");
    for (std::size_t at = bare.find("//"); at != std::string::npos; at = bare.find("//")) bare.erase(at, 1);
    if (finding.variant == "unusual")
        return repair.refuse("frame-id", "dashes and dots are legal; what reads them decides");
    if (bare.empty() && prim.attribute(kId).authored() && is_frame_id(prim.name().text())) {
        repair.erase(prim, kId);
        return;
    }
    if (!is_frame_id(bare)) return repair.refuse("frame-id", "the author must decide what the frame is called");
    repair.set(prim, kId, "string", usd::make_value("string", bare));
}

/// Only of links that their joints make frames of: those are frames without the schema too.
void fix_frame_on_body(Repair& repair, const Finding& finding)
{
    if (finding.variant == "renamed") return repair.refuse("renamed", "the id gives the link another name in ROS");
    const usd::Prim prim = prim_of(repair, finding);
    for (const usd::Token& name : prim.authored_property_names())
        if (name.text().starts_with("ros:frame:")) repair.erase(prim, name);
    repair.remove_api(prim, "RosFrameAPI");
}

/// A scope, and a prim without a type, hold what stands below them as an Xform does.
void fix_frame_on_scope(Repair& repair, const Finding& finding)
{
    if (!finding.variant.empty()) return repair.refuse("frame-place", "the author must decide where the frame belongs");
    const usd::Prim prim = prim_of(repair, finding);
    if (!prim.type_name().empty() && prim.type_name().text() != "Scope")
        return repair.refuse("frame-place", "a frame beside the " + prim.type_name().text() +
                                                " or below it: the author must decide which");
    repair.set_field(repair.field_place(prim, "typeName"), "typeName", usd::make_value("token", usd::Token("Xform")));
}

void fix_joint_name(Repair& repair, const Finding& finding)
{
    const usd::Prim  prim = prim_of(repair, finding);
    const usd::Token kName("ros:joint:name");
    if (!prim.is_a("PhysicsJoint")) return repair.refuse("joint-name", "the author must decide which joint is meant");
    const usd::Value  old  = prim.attribute(kName).authored_value();
    const std::string type = old.type_name(), name = trimmed(authored_text(prim, kName.text()), " \t\n\r");
    if (type != "string" && type != "token")
        return repair.refuse("lossy-cast", "the author must choose what a name of type " + type + " becomes");
    if (name.find_first_of(" \t\n\r") != std::string::npos)
        return repair.refuse("joint-name", "\"" + name + "\" is no name; the author has to choose one");
    repair.erase(prim, kName);  // without it the joint has its prim's name
    if (!name.empty())
        repair.set(repair.place(prim, kName), kName, "string", usd::make_value("string", name), false, true);
}

/// "RosTopicAPI:scan" says what "RosTopicAPI" says, where it is the only one of its kind.
void fix_single_apply(Repair& repair, const Finding& finding)
{
    if (finding.variant == "unknown")
        return repair.refuse("property", "the author must decide whether the name is misspelt or has to go");
    if (finding.variant == "unapplied")
        return repair.refuse("property",
                             "the author must decide whether the schema is missing or the property has to go");
    const usd::Prim   prim  = prim_of(repair, finding);
    const std::string given = finding.observed, schema = finding.expected;
    const auto        applied = prim.authored_apis();
    if (std::ranges::count_if(applied, [&](const usd::Token& api) {
            return api.text() == schema || api.text().starts_with(schema + ":");
        }) != 1)
        return repair.refuse("several", "the author must decide which of the instances is meant");
    // Properties of the instance lose its name: ros:topic:scan:name, ros:topic:name.
    std::string family      = letters_of(schema.substr(3, schema.size() - 6));
    family                  = "ros:" + family + ":";
    const std::string inner = family + given.substr(schema.size() + 1) + ":";
    const EditPlace   at    = repair.place(prim, family + "name");
    for (const usd::Token& name : prim.authored_property_names()) {
        if (!name.text().starts_with(inner)) continue;
        const usd::Attribute attribute = prim.attribute(name);
        const usd::Token     plain(family + name.text().substr(inner.size()));
        const ros::Property* known = ros::find_property(plain.text());
        if (known == nullptr || !attribute || prim.attribute(plain).authored()) continue;
        repair.set(at, plain, attribute.type_name(), attribute.authored_value(), attribute.uniform());
        repair.erase(prim, name);
    }
    repair.remove_api(prim, given);
    repair.apply_api(at, schema);
}

/// The rate of a subscription is read by nobody.
void fix_rate(Repair& repair, const Finding& finding)
{
    if (finding.variant != "subscription") return repair.refuse("rate", "the author must decide how often to publish");
    repair.erase(prim_of(repair, finding), finding.site.property);
}

constexpr std::array kRepairs{RepairOf{"REP-2-b", Phase::schemas, fix_single_apply},
                              RepairOf{"REP-2.4-a", Phase::metadata, fix_word},
                              RepairOf{"REP-2.4-d", Phase::metadata, fix_rate},
                              RepairOf{"REP-2.4-f", Phase::metadata, fix_word},
                              RepairOf{"REP-2.5-a", Phase::metadata, fix_word},
                              RepairOf{"REP-2.6-a", Phase::metadata, fix_word},
                              RepairOf{"REP-2.7-e", Phase::metadata, fix_frame_on_scope},
                              RepairOf{"REP-2.7-f", Phase::metadata, fix_frame_id},
                              RepairOf{"REP-2.7-i", Phase::metadata, fix_frame_on_body},
                              RepairOf{"REP-2.10-a", Phase::metadata, fix_joint_name}};

}  // namespace

std::span<const RepairOf> ros_word_repairs() { return kRepairs; }

}  // namespace mechane::conformance
