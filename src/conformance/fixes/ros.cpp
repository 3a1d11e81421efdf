// Small repairs of ROS schemas (phase P5): types of properties, names, frames of cameras, places of contexts.
// A camera looks along -z and its optical frame along +z (REP 103), which is half a turn about x.

#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/fixes/repair.h"
#include "mechane/ros/interfaces.h"
#include "mechane/ros/names.h"
#include "mechane/ros/schema.h"
#include "mechane/ros/type_table.h"

/// P5: small edits of ROS schemas.
/// Names are only trimmed and joined where nothing but slashes is wrong; new names are the author's to say.
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

/// Without slashes at the end, and with one where several follow each other.
std::string without_spare_slashes(std::string name)
{
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    for (std::size_t at = name.find("//"); at != std::string::npos; at = name.find("//")) name.erase(at, 1);
    return name;
}

void fix_namespace(Repair& repair, const Finding& finding)
{
    const usd::Prim prim    = prim_of(repair, finding);
    std::string     trimmed = authored_text(prim, "ros:context:namespace");
    trimmed                 = without_spare_slashes(trimmed);
    if (ros::NameFault fault = ros::check_namespace(trimmed);
        fault != ros::NameFault::none && !ros::is_tolerable(fault))
        return repair.refuse("namespace", "\"" + trimmed + "\" is no namespace; the author has to choose one");
    repair.set(prim, "ros:context:namespace", "string", text(trimmed));
}

void fix_interface_name(Repair& repair, const Finding& finding)
{
    const usd::Prim prim = prim_of(repair, finding);
    std::string     name = authored_text(prim, finding.site.property);
    name                 = without_spare_slashes(name);
    if (const ros::NameFault fault = ros::check_name(name);
        name.empty() || (fault != ros::NameFault::none && !ros::is_tolerable(fault)))
        return repair.refuse("name", "\"" + name + "\" is no name; the author has to choose one");
    if (name == authored_text(prim, finding.site.property))
        return repair.refuse("name", "the name is legal; the author must decide whether it is meant");
    repair.set(prim, finding.site.property, "string", text(name));
}

/// `package/msg/Name` of a type that is spelled as another language or ROS 1 has it: "package/Name",
/// "package::msg::Name", "package.msg.Name", with or without blanks around it, and what DDS makes of a type,
/// "package::msg::dds_::Name_"; of a common type also in another case, under another family, and without its package.
/// Empty for what names none. A family that is not the schema's is none either.
std::string spelled_for_ros(std::string type, const std::string& family)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!type.empty() && blank(type.back())) type.pop_back();
    while (!type.empty() && blank(type.front())) type.erase(0, 1);
    std::vector<std::string> parts{""};
    for (std::size_t i = 0; i < type.size(); ++i) {
        const bool colons = type.compare(i, 2, "::") == 0;
        if (colons || type[i] == '/' || type[i] == '.') {
            i += colons ? 1 : 0;
            if (!parts.back().empty()) parts.emplace_back();
        } else {
            parts.back() += type[i];
        }
    }
    if (parts.back().empty()) parts.pop_back();
    if (parts.size() == 4 && parts[2] == "dds_" && parts[3].ends_with('_')) {
        parts.erase(parts.begin() + 2);
        parts[2].pop_back();
    }
    if (parts.size() == 3 && (parts[1] == "msg" || parts[1] == "srv" || parts[1] == "action")) {
        // Under another schema's family only what is known there is meant.
        if (parts[1] != family && !ros::TypeTable::meant(parts[0], family, parts[2])) return {};
        parts.erase(parts.begin() + 1);
    }
    if (parts.size() > 2) return {};
    const std::string package = parts.size() == 2 ? parts.front() : std::string();
    std::string       now     = package + "/" + family + "/" + parts.back();
    const auto        legal   = ros::parse_type(now);
    if (legal && ros::TypeTable().is_known(*legal).value_or(true)) return now;
    const auto meant = ros::TypeTable::meant(package, family, parts.back());
    if (meant) return meant->package + "/" + meant->family + "/" + meant->name;
    return legal ? now : std::string();
}

void fix_interface_type(Repair& repair, const Finding& finding)
{
    const usd::Prim   prim   = prim_of(repair, finding);
    const std::string type   = authored_text(prim, finding.site.property);
    const std::string family = finding.site.property.find("service") != std::string::npos  ? "srv"
                               : finding.site.property.find("action") != std::string::npos ? "action"
                                                                                           : "msg";
    const std::string now    = spelled_for_ros(type, family);
    if (now.empty() || now == type)
        return repair.refuse("type", "\"" + type + "\" is no interface type; the author has to choose one");
    repair.set(prim, finding.site.property, "string", text(now));
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

/// What moves from a camera to its optical frame.
constexpr std::initializer_list<std::pair<const char*, const char*>> kOfCamera{{"RosTopicAPI", "ros:topic:"},
                                                                               {"RosFrameAPI", "ros:frame:"}};

/// The one child of a camera that is a frame by its schema.
usd::Prim optical_child(const Facts& facts, const usd::Prim& camera)
{
    usd::Prim found;
    for (const usd::Prim& child : camera.children()) {
        const PrimFacts* known = facts.find(child.path());
        if (known == nullptr || !known->is(kXform) || !known->is(kFrame)) continue;
        if (found) return {};
        found = child;
    }
    return found;
}

void fix_optical_child(Repair& repair, const Finding& finding)
{
    const usd::Prim   camera = prim_of(repair, finding);
    const std::string name   = camera.name().text() + "_optical_frame";
    const EditPlace   at     = repair.place(camera, "ros:topic:name");
    if (!at) return repair.refuse("external-layer", "the camera is outside the asset");
    if (const usd::Prim known = optical_child(repair.facts, camera); known) {
        // The camera has its optical frame already: what it says goes there, unless something of the kind is said
        // there.
        for (const auto& [api, prefix] : kOfCamera)
            if (camera.has_api(api) && known.has_api(api) && !properties_of(camera, prefix).empty() &&
                !properties_of(known, prefix).empty())
                return repair.refuse("name-taken", known.path().text() + " says the same of something else");
        for (const auto& [api, prefix] :
             {std::pair<const char*, const char*>{"RosServiceAPI", "ros:service:"}, {"RosActionAPI", "ros:action:"}})
            if (camera.has_api("RosTopicAPI") && known.has_api(api))
                return repair.refuse("name-taken", known.path().text() + " carries another interface already");
        const EditPlace to = repair.own_place(known, "ros:topic:name");
        if (!to) return repair.refuse("instance", "the optical frame lies inside an instance");
        return move_schemas(repair, camera, to, kOfCamera);
    }
    if (repair.facts.stage.prim_at(camera.path().child(name)))
        return repair.refuse("name-taken", "there is a prim " + name + " already");
    const EditPlace child{at.layer, at.file, at.path.child(name)};
    repair.define(child, "Xform");
    repair.set(child, "xformOp:orient", "quatf", half_turn());
    repair.set(child, "xformOpOrder", "token[]", usd::make_value("token[]", std::vector<usd::Token>{"xformOp:orient"}),
               true);
    move_schemas(repair, camera, child, kOfCamera);
    repair.apply_api(child, "RosFrameAPI");  // else the pictures would carry the frame of the link (REP-2.8-c)
}

/// Numbers that a matrix of doubles leaves beside whole ones.
double tidy(double value)
{
    const double whole = std::round(value);
    return std::abs(value - whole) <= 1e-7 ? whole + 0.0 : value;
}

/// The frame is turned where it stands, whatever lies between it and its camera; one that is turned right is moved to
/// its camera, since pictures are taken there.
void fix_optical_rotation(Repair& repair, const Finding& finding)
{
    const usd::Stage& stage  = repair.facts.stage;
    const usd::Prim   frame  = prim_of(repair, finding);
    usd::Prim         camera = frame.parent();
    while (camera && !camera.is_a("Camera")) camera = camera.parent();
    for (usd::Prim p = frame; p && p != camera; p = p.parent())
        for (const usd::Token& op : p.authored_property_names())
            if (op.text().starts_with("xformOp:") && p.attribute(op).varying())
                return repair.refuse("animated", "the frame moves against its camera");
    if (!camera) return repair.refuse("nested", "there is no camera above the frame");
    const auto from_camera = usd::inverse(stage.world_matrix(camera));
    const auto to_parent   = usd::inverse(stage.world_matrix(frame.parent()));
    if (!from_camera || !to_parent || stage.resets_transform(frame))
        return repair.refuse("nested", "what lies between the camera and the frame turns it too");
    const usd::Decomposition away  = usd::decompose(stage.world_matrix(frame) * *from_camera);
    const Vec3d              place = finding.variant == "rotation" ? away.translation : Vec3d{};
    const usd::Decomposition now =
        usd::decompose(usd::from_pose({place, Quatd{1, 0, 0, 0}}) * stage.world_matrix(camera) * *to_parent);
    if (now.singular || now.sheared || length(now.scale - Vec3d{1, 1, 1}) > 1e-6)
        return repair.refuse("nested", "what lies between the camera and the frame scales it");
    const EditPlace at = repair.own_place(frame, "xformOpOrder");
    if (!at) return repair.refuse("instance", "the frame lies inside an instance");
    const bool moved = frame.attribute("xformOp:translate").authored() || length(now.translation) > 1e-9;
    for (const usd::Token& op : frame.authored_property_names())
        if (op.text().starts_with("xformOp:") && op.text() != "xformOp:translate" && op.text() != "xformOp:orient")
            repair.erase(frame, op);
    std::vector<usd::Token> order;
    if (moved) {
        const Vec3d t{tidy(now.translation.x), tidy(now.translation.y), tidy(now.translation.z)};
        const auto  type = frame.attribute("xformOp:translate").type_name();
        repair.set(at, "xformOp:translate", type.empty() ? "double3" : type,
                   usd::make_value(type.empty() ? "double3" : type, t));
        order.emplace_back("xformOp:translate");
    }
    Quatd q{tidy(now.rotation.x), tidy(now.rotation.y), tidy(now.rotation.z), tidy(now.rotation.w)};
    if (q.w < 0 || (q.w == 0 && q.x < 0)) q = {0.0 - q.x, 0.0 - q.y, 0.0 - q.z, 0.0 - q.w};
    const auto type = frame.attribute("xformOp:orient").type_name();
    repair.set(at, "xformOp:orient", type.empty() ? "quatf" : type, usd::make_value(type.empty() ? "quatf" : type, q));
    order.emplace_back("xformOp:orient");
    repair.set(at, "xformOpOrder", "token[]", usd::make_value("token[]", order), true);
}

/// Interfaces that do not lie below the prim: a context above them would give them another name.
bool names_others(const Facts& facts, const usd::Prim& context)
{
    const auto all = ros::interfaces(facts.stage);
    return std::ranges::any_of(all,
                               [&](const ros::Interface& one) { return !one.prim.path().has_prefix(context.path()); });
}

void fix_context_place(Repair& repair, const Finding& finding)
{
    const usd::Prim root = repair.facts.stage.default_prim(), prim = prim_of(repair, finding);
    if (!root) return;
    if (std::ranges::count_if(repair.facts.prims, [](const PrimFacts& p) { return p.is(kContext); }) != 1)
        return repair.refuse("several-contexts", "several contexts: the author must decide which one is the robot's");
    if (names_others(repair.facts, prim) &&
        !repair.unsafe("the context moves to the default prim, which renames what lies beside it"))
        return;
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
