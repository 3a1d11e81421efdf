// Sensors and keyframes: what MuJoCo measures, and states that it starts from.
//
// A sensor is written as it was read: its attributes as texts, its references by the names that things have in this
// file.
#include <fmt/format.h>

#include "exporter/mjcf/writer.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter::mjcf {

void MjcfWriter::attributes(XmlNode& node, const std::vector<sf::Extra>& extras)
{
    const std::string before = std::string(sf::hints::kElement) + ":";
    for (const sf::Extra& e : extras)
        if (e.name.starts_with(before)) node.set(e.name.substr(before.size()), plain(e.text));
}

void MjcfWriter::elements(XmlNode& sensor, XmlNode& equality)
{
    const std::string before = std::string(sf::hints::kElement) + ":";
    for (const sf::VendorPrim& p : tree_.prims) {
        const sf::Extra* element = find(p.extras, sf::hints::kElement);
        if (p.type != "Scope" || element == nullptr) continue;
        XmlNode    node(plain(element->text));
        const bool holds = sf::hints::is_equality(node.name());
        // Equalities and sensors have names of their own kinds.
        node.set("name", holds ? p.name : take(taken_sensors_, p.name));
        bool whole = true;
        for (const sf::Extra& e : p.extras) {
            if (!e.name.starts_with(before)) continue;
            const std::string attribute = e.name.substr(before.size());
            // Equalities tell joints by the names that these have in the robot.
            const bool        joint = holds && (attribute == "joint1" || attribute == "joint2");
            const std::string value = joint ? axis_called(plain(e.text)) : plain(e.text);
            whole                   = whole && !(joint && value.empty());
            node.set(attribute, value);
        }
        for (const sf::Relation& r : p.relations) {
            if (!r.name.starts_with(before)) continue;
            const std::string name = r.targets.size() == 1 ? name_of(r.targets.front(), p.extras) : std::string();
            whole                  = whole && !name.empty();
            node.set(r.name.substr(before.size()), name);
        }
        if (whole)
            (holds ? equality : sensor).add("") = node;
        else if (holds)
            out_.lose("equality", Severity::error, sf::LossAction::dropped, "kinematics", p.place,
                      fmt::format("equality '{}'", p.name), plain(element->text), {}, "what it holds is not there");
        else
            out_.lose("sensor", Severity::warning, sf::LossAction::dropped, "ros", p.place,
                      fmt::format("sensor '{}'", p.name), plain(element->text), {}, "what it measures is not there");
    }
}

std::string MjcfWriter::axis_called(const std::string& name) const
{
    for (std::size_t j = 0; j < tree_.joints.size(); ++j)
        for (std::size_t d = 0; d < tree_.joints[j].dofs.size(); ++d) {
            const sf::Dof& dof = tree_.joints[j].dofs[d];
            if (plain(dof.name.empty() ? tree_.joints[j].name : dof.name) == name &&
                (tree_.joints[j].kind == sf::Joint::Kind::ball || !locked(dof)))
                return dof_names_[j][d];
        }
    return {};
}

std::string MjcfWriter::name_of(const sf::Ref& ref, const std::vector<sf::Extra>& extras) const
{
    if (ref.index < 0) return {};
    // In the order of Ref::Kind; joints need the axis as well.
    const std::vector<std::string>* lists[] = {&body_names_, nullptr,      &geom_names_,
                                               &site_names_, &prim_names_, &camera_names_};
    const auto*                     list    = lists[static_cast<int>(ref.kind)];
    return list != nullptr ? (*list)[index(ref.index)] : joint_name(ref, extras);
}

void MjcfWriter::keyframes(XmlNode& keys)
{
    for (const sf::VendorPrim& p : tree_.prims) {
        if (p.type != "MjcKeyframe") continue;
        XmlNode node("key");
        node.set("name", p.name);
        attributes(node, p.extras);
        for (const auto& [name, count] :
             {std::pair{"qpos", nq_}, std::pair{"qvel", nv_}, std::pair{"act", na_}, std::pair{"ctrl", nu_},
              std::pair{"mpos", 3 * nmocap_}, std::pair{"mquat", 4 * nmocap_}}) {
            const auto v = numbers(find(p.extras, std::string("mjc:") + name));
            if (v.empty()) continue;
            // A keyframe lists all coordinates in the order of the model: with another number it would mean
            // something else.
            if (static_cast<int>(v.size()) == count)
                node.set(name, plain(find(p.extras, std::string("mjc:") + name)->text));
            else
                out_.lose("keyframe", Severity::warning, sf::LossAction::dropped, "metadata", p.place,
                          fmt::format("key '{}'", p.name), fmt::format("{} {}", v.size(), name),
                          fmt::format("{}", count), "the model has another number of them");
        }
        keys.add("") = node;
    }
}

}  // namespace mechane::exporter::mjcf
