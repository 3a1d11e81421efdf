#include <algorithm>
#include <array>

#include "conformance/fixes/repair.h"
#include "mechane/ros/names.h"
#include "mechane/ros/schema.h"

/// P5: small edits of ROS schemas.
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

usd::Value text(const std::string& value) { return usd::make_value("string", value); }

std::string authored_text(const usd::Prim& prim, const std::string& property)
{ return prim.attribute(property).authored_as<std::string>().value_or(""); }

void fix_type_of_property(Repair& repair, const Finding& finding)
{
    const usd::Prim      prim  = prim_of(repair, finding);
    const ros::Property* known = ros::find_property(finding.site.property);
    if (known == nullptr) return;
    const usd::Attribute attribute = prim.attribute(finding.site.property);
    const usd::Value     old       = attribute.authored_value();
    const std::string    from      = attribute.metadata("typeName").get<std::string>().value_or(""), to(known->type);
    usd::Value           now;
    const bool           texts = (from == "token" || from == "string") && (to == "token" || to == "string");
    if (texts) {
        const std::string held = old.get<std::string>().value_or("");
        now                    = to == "token" ? usd::make_value("token", usd::Token(held)) : text(held);
    } else if (to == "double" &&
               (from == "float" || from == "half" || from.starts_with("int") || from.starts_with("uint"))) {
        if (const auto number = old.get<double>()) now = usd::make_value("double", *number);
    }
    if (now.empty()) return repair.refuse("lossy-cast", from + " cannot become " + to + " without a loss");
    repair.erase(prim, finding.site.property);
    repair.set(prim, finding.site.property, to, now);
}

void fix_namespace(Repair& repair, const Finding& finding)
{
    const usd::Prim prim    = prim_of(repair, finding);
    std::string     trimmed = authored_text(prim, "ros:context:namespace");
    while (trimmed.size() > 1 && trimmed.ends_with('/')) trimmed.pop_back();
    if (ros::NameFault fault = ros::check_namespace(trimmed);
        fault != ros::NameFault::none && !ros::is_tolerable(fault))
        return repair.refuse("namespace", "\"" + trimmed + "\" is no namespace; the author has to choose one");
    repair.set(prim, "ros:context:namespace", "string", text(trimmed));
}

void fix_interface_name(Repair& repair, const Finding& finding)
{
    const usd::Prim prim = prim_of(repair, finding);
    std::string     name = authored_text(prim, finding.site.property);
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    for (std::size_t at = name.find("//"); at != std::string::npos; at = name.find("//")) name.erase(at, 1);
    if (const ros::NameFault fault = ros::check_name(name);
        name.empty() || (fault != ros::NameFault::none && !ros::is_tolerable(fault)))
        return repair.refuse("name", "\"" + name + "\" is no name; the author has to choose one");
    if (name == authored_text(prim, finding.site.property))
        return repair.refuse("name", "the name is legal; whether it is meant is the author's to say");
    repair.set(prim, finding.site.property, "string", text(name));
}

void fix_interface_type(Repair& repair, const Finding& finding)
{
    const usd::Prim   prim   = prim_of(repair, finding);
    const std::string type   = authored_text(prim, finding.site.property);
    const std::string family = finding.site.property.find("service") != std::string::npos  ? "srv"
                               : finding.site.property.find("action") != std::string::npos ? "action"
                                                                                           : "msg";
    const std::size_t slash  = type.find('/');
    if (slash == std::string::npos || slash != type.rfind('/'))
        return repair.refuse("type", "\"" + type + "\" is no interface type; the author has to choose one");
    repair.set(prim, finding.site.property, "string", text(type.substr(0, slash) + "/" + family + type.substr(slash)));
}

void erase_property(Repair& repair, const Finding& finding)
{
    if (finding.variant == "ignored") return repair.refuse("ignored", "the values may be meant for later");
    repair.erase(prim_of(repair, finding), finding.site.property);
}

void erase_parent_frame(Repair& repair, const Finding& finding)
{ repair.erase(prim_of(repair, finding), "ros:context:parent_frame"); }

/// Every authored property of one ROS family.
std::vector<usd::Token> properties_of(const usd::Prim& prim, const std::string& prefix)
{
    std::vector<usd::Token> found;
    for (const usd::Token& name : prim.authored_property_names())
        if (name.text().starts_with(prefix)) found.push_back(name);
    return found;
}

void fix_forbidden(Repair& repair, const Finding& finding)
{
    const usd::Prim prim = prim_of(repair, finding);
    for (const auto& [api, prefix] : {std::pair<const char*, const char*>{"RosTopicAPI", "ros:topic:"},
                                      {"RosServiceAPI", "ros:service:"},
                                      {"RosActionAPI", "ros:action:"}}) {
        if (!finding.site.property.starts_with(prefix)) continue;
        for (const usd::Token& name : properties_of(prim, prefix)) repair.erase(prim, name);
        repair.remove_api(prim, api);
    }
}

void fix_static(Repair& repair, const Finding& finding)
{ repair.set(prim_of(repair, finding), "ros:frame:static", "bool", usd::make_value("bool", false)); }

/// Moves the schemas with these prefixes, and what they say, to another prim of the same layer.
void move_schemas(Repair& repair, const usd::Prim& prim, const EditPlace& to,
                  std::initializer_list<std::pair<const char*, const char*>> families)
{
    for (const auto& [api, prefix] : families) {
        const auto apis = prim.authored_apis();
        if (std::find(apis.begin(), apis.end(), usd::Token(api)) == apis.end()) continue;
        repair.apply_api(to, api);
        for (const usd::Token& name : properties_of(prim, prefix)) {
            const usd::Attribute attribute = prim.attribute(name);
            repair.set(to, name, attribute.type_name(), attribute.authored_value(), attribute.uniform(),
                       attribute.custom());
            repair.erase(prim, name);
        }
        repair.remove_api(prim, api);
    }
}

/// Half a turn about x: from a camera, which looks along -z, to its optical frame, which looks along +z (REP 103).
usd::Value half_turn() { return usd::make_value("quatf", Quatd{1, 0, 0, 0}); }

void fix_optical_child(Repair& repair, const Finding& finding)
{
    const usd::Prim   camera = prim_of(repair, finding);
    const std::string name   = camera.name().text() + "_optical_frame";
    if (repair.facts.stage.prim_at(camera.path().child(name)))
        return repair.refuse("name-taken", "there is a prim " + name + " already");
    const EditPlace at = repair.place(camera, "ros:topic:name");
    if (!at) return repair.refuse("external-layer", "the camera is outside the asset");
    const EditPlace child{at.layer, at.file, at.path.child(name)};
    repair.define(child, "Xform");
    repair.set(child, "xformOp:orient", "quatf", half_turn());
    repair.set(child, "xformOpOrder", "token[]", usd::make_value("token[]", std::vector<usd::Token>{"xformOp:orient"}),
               true);
    move_schemas(repair, camera, child, {{"RosTopicAPI", "ros:topic:"}, {"RosFrameAPI", "ros:frame:"}});
}

void fix_optical_rotation(Repair& repair, const Finding& finding)
{
    if (finding.variant != "rotation")
        return repair.refuse("translated", "the frame may be meant to stand away from its camera");
    if (!repair.unsafe("the frame below the camera is turned")) return;
    const usd::Prim frame = prim_of(repair, finding);
    if (!frame.parent().is_a("Camera"))
        return repair.refuse("nested", "what lies between the camera and the frame turns it too");
    const EditPlace at = repair.place(frame, "xformOpOrder");
    for (const usd::Token& op : frame.authored_property_names())
        if (op.text().starts_with("xformOp:") && op.text() != "xformOp:translate") repair.erase(frame, op);
    std::vector<usd::Token> order;
    if (frame.attribute("xformOp:translate").authored()) order.emplace_back("xformOp:translate");
    order.emplace_back("xformOp:orient");
    repair.set(at, "xformOp:orient", "quatf", half_turn());
    repair.set(at, "xformOpOrder", "token[]", usd::make_value("token[]", order), true);
}

void fix_context_place(Repair& repair, const Finding& finding)
{
    const usd::Prim root = repair.facts.stage.default_prim(), prim = prim_of(repair, finding);
    if (!root) return;
    if (std::ranges::count_if(repair.facts.prims, [](const PrimFacts& p) { return p.is(kContext); }) != 1)
        return repair.refuse("several-contexts", "several contexts: which one is the robot's is the author's to say");
    if (!repair.unsafe("the context moves to the default prim, which renames what lies beside it")) return;
    move_schemas(repair, prim, repair.place(root, "ros:context:namespace"), {{"RosContextAPI", "ros:context:"}});
}

constexpr std::array kRepairs{RepairOf{"REP-2-c", Phase::schemas, fix_type_of_property},
                              RepairOf{"REP-2.3-a", Phase::schemas, fix_interface_type},
                              RepairOf{"REP-2.1-c", Phase::metadata, erase_parent_frame},
                              RepairOf{"REP-2.1.1-a", Phase::metadata, fix_namespace},
                              RepairOf{"REP-2.1.1-d", Phase::metadata, fix_context_place},
                              RepairOf{"REP-2.3-c", Phase::metadata, fix_interface_name},
                              RepairOf{"REP-2.4-h", Phase::metadata, erase_property},
                              RepairOf{"REP-2.7-g", Phase::metadata, fix_static},
                              RepairOf{"REP-2.8-a", Phase::metadata, fix_optical_child},
                              RepairOf{"REP-2.8-b", Phase::metadata, fix_optical_rotation},
                              RepairOf{"REP-2.9-a", Phase::metadata, fix_forbidden},
                              RepairOf{"REP-2.9-b", Phase::metadata, fix_forbidden}};

}  // namespace

std::span<const RepairOf> ros_repairs() { return kRepairs; }

}  // namespace mechane::conformance
