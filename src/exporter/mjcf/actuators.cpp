// Actuators of the source, and drives as actuators.
// A MjcActuator is a <general> with the values that the schema names alike, or a <motor> where it is one; a drive of
// UsdPhysics is a <position>, <velocity> or <motor>, by its gains. nu_ and na_ count controls and activations for
// keyframes.

#include <fmt/format.h>

#include <cmath>

#include "exporter/mjcf/writer.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter::mjcf {

void MjcfWriter::actuators(XmlNode& actuator)
{
    for (std::size_t i = 0; i < tree_.prims.size(); ++i) {
        const sf::VendorPrim& p = tree_.prims[i];
        if (p.type != "MjcActuator") continue;
        const auto* target = targets(p, "mjc:target");
        const bool  motor =
            is_motor(p.extras) && (target == nullptr || target->empty() ||
                                   target->front().kind != sf::Ref::Kind::link);  // only `general` acts on bodies
        XmlNode node(motor ? "motor" : "general");
        prim_names_[i] = take(taken_actuators_, p.name);
        node.set("name", prim_names_[i]);
        if (target == nullptr || target->empty() || !aim(node, p, target->front(), targets(p, "mjc:refSite"))) {
            // Whoever names this actuator (a sensor) finds no name and is left out too.
            prim_names_[i].clear();
            out_.lose("actuator", Severity::error, sf::LossAction::dropped, "actuation", p.place,
                      fmt::format("actuator '{}'", p.name), {}, {}, "what it acts on is not there");
            continue;
        }
        // A joint with an actuator of its own gets none from its drive. A motor says nothing of a drive with gains.
        if (target->front().kind == sf::Ref::Kind::joint) drives_told(target->front(), p.extras, motor);
        if (!motor)
            copy(node, p.extras,
                 {{"mjc:gainType", "gaintype"},
                  {"mjc:biasType", "biastype"},
                  {"mjc:dynType", "dyntype"},
                  {"mjc:gainPrm", "gainprm"},
                  {"mjc:biasPrm", "biasprm"},
                  {"mjc:dynPrm", "dynprm"},
                  {"mjc:actDim", "actdim"}});
        if (const sf::Extra* early = find(p.extras, "mjc:actEarly"))
            node.set("actearly", is_true(*early) ? "true" : "false");
        copy(node, p.extras,
             {{"mjc:gear", "gear"},
              {"mjc:group", "group"},
              {"mjc:ctrlLimited", "ctrllimited"},
              {"mjc:forceLimited", "forcelimited"},
              {"mjc:actLimited", "actlimited"}});
        attributes(node, p.extras);
        for (const auto& [name, attribute] :
             {std::pair{"mjc:ctrlRange", "ctrlrange"}, std::pair{"mjc:forceRange", "forcerange"},
              std::pair{"mjc:actRange", "actrange"}, std::pair{"mjc:lengthRange", "lengthrange"}})
            copy_range(node, p.extras, name, attribute);
        if (target->front().kind == sf::Ref::Kind::joint) inherited_range(node, target->front(), p.extras);
        ++nu_;
        if (const sf::Extra* dynamics = find(p.extras, "mjc:dynType");
            dynamics != nullptr && plain(dynamics->text) != "none")
            ++na_;
        actuator.add("") = node;
    }
    for (std::size_t j = 0; j < tree_.joints.size(); ++j)
        for (std::size_t d = 0; d < tree_.joints[j].dofs.size(); ++d)
            if (tree_.joints[j].dofs[d].drive && !tree_.joints[j].loop && !driven_.contains({static_cast<int>(j), d}))
                drive(actuator, j, d);
}

// <general> has no inheritrange: the range of the joint, scaled about its middle, is written out.
void MjcfWriter::inherited_range(XmlNode& node, const sf::Ref& ref, const std::vector<sf::Extra>& extras)
{
    const auto factor = numbers(find(extras, "mjc:inheritRange"));
    if (factor.empty() || !(factor[0] > 0)) return;
    const sf::Extra*  dynamics = find(extras, "mjc:dynType");
    const std::string what     = dynamics != nullptr && plain(dynamics->text) == "integrator" ? "act" : "ctrl";
    if (find(extras, ("mjc:" + what + "Range:min").c_str()) != nullptr) return;
    const std::string name  = joint_name(ref, extras);
    const sf::Joint&  joint = tree_.joints[index(ref.index)];
    for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
        // The first axis of that name with both limits.
        const sf::Dof& dof = joint.dofs[d];
        if (dof_names_[index(ref.index)][d] != name || !std::isfinite(dof.lower) || !std::isfinite(dof.upper)) continue;
        const double middle = (dof.lower + dof.upper) / 2, half = (dof.upper - dof.lower) / 2 * factor[0];
        node.set(what + "range", number_text(middle - half) + " " + number_text(middle + half));
    }
}

/// Force = control: a fixed gain of one, no bias and no dynamics. <motor> says that in one word.
bool MjcfWriter::is_motor(const std::vector<sf::Extra>& extras)
{
    const auto word = [&](const char* name) {
        return find(extras, name) != nullptr ? plain(find(extras, name)->text) : std::string();
    };
    const auto gain = numbers(find(extras, "mjc:gainPrm"));
    return word("mjc:gainType") == "fixed" && word("mjc:biasType") == "none" && word("mjc:dynType") == "none" &&
           !gain.empty() && gain[0] == 1 && find(extras, "mjc:actDim") == nullptr &&
           find(extras, "mjc:actEarly") == nullptr;
}

/// Axes whose drives are told by this actuator. A joint's drive would act a second time otherwise.
void MjcfWriter::drives_told(const sf::Ref& ref, const std::vector<sf::Extra>& extras, bool motor)
{
    const std::string name = joint_name(ref, extras);
    for (std::size_t d = 0; d < dof_names_[index(ref.index)].size(); ++d) {
        const auto& drive = tree_.joints[index(ref.index)].dofs[d].drive;
        if (motor && drive && (drive->stiffness != 0 || drive->damping != 0)) continue;
        if (dof_names_[index(ref.index)][d] == name) driven_.insert({ref.index, d});
    }
}

/// What the actuator acts on. False where that is not in the file.
bool MjcfWriter::aim(XmlNode& node, const sf::VendorPrim& p, const sf::Ref& ref, const std::vector<sf::Ref>* ref_site)
{
    if (ref.index < 0) return false;
    switch (ref.kind) {
        case sf::Ref::Kind::joint: {
            const std::string name = joint_name(ref, p.extras);
            if (name.empty()) return false;
            const sf::Extra* in_parent = find(p.extras, "mjc:jointInParent");
            node.set(find(p.extras, sf::hints::kInParent) != nullptr || (in_parent != nullptr && is_true(*in_parent))
                         ? "jointinparent"
                         : "joint",
                     name);
            return true;
        }
        case sf::Ref::Kind::site:
            node.set("site", site_names_[index(ref.index)]);
            if (ref_site != nullptr && !ref_site->empty() && ref_site->front().index >= 0)
                node.set("refsite", site_names_[index(ref_site->front().index)]);
            return true;
        case sf::Ref::Kind::link:
            node.set("body", body_names_[index(ref.index)]);
            return true;
        case sf::Ref::Kind::prim:
            if (prim_names_[index(ref.index)].empty()) return false;
            node.set("tendon", prim_names_[index(ref.index)]);
            return true;
        case sf::Ref::Kind::camera:
        case sf::Ref::Kind::shape:
            break;
    }
    return false;
}

void MjcfWriter::drive(XmlNode& actuator, std::size_t j, std::size_t d)
{
    const sf::Dof&   dof = tree_.joints[j].dofs[d];
    const sf::Drive& one = *dof.drive;
    // A locked axis is no joint of the file, and a ball has no scalar position.
    if (locked(dof) || tree_.joints[j].kind == sf::Joint::Kind::ball) return;
    if (one.max_force == 0) return;  // it can exert no force, and MuJoCo has no empty range
    // A drive with damping alone holds a velocity.
    const bool servo = one.stiffness != 0, brake = !servo && one.damping != 0;
    if (!servo && !brake && !std::isfinite(one.max_force)) return;
    XmlNode& node = actuator.add(servo   ? "position"
                                 : brake ? "velocity"
                                         : "motor")
                        .set("name", take(taken_actuators_, dof.name))
                        .set("joint", dof_names_[j][d]);
    // The order of actuators is that of controls in a keyframe.
    ++nu_;
    if (servo) node.set("kp", one.stiffness);
    if (servo || brake) node.set("kv", one.damping);
    damped_ = damped_ || ((servo || brake) && one.damping > 0);
    // A servo's force has the range; a motor's control is the force itself, so its range is that of the control.
    if (std::isfinite(one.max_force) && one.max_force > 0)
        node.set(servo || brake ? "forcerange" : "ctrlrange",
                 number_text(-one.max_force) + " " + number_text(one.max_force));
    if (one.target != 0 || one.target_velocity != 0)
        out_.lose("drive-target", Severity::warning, sf::LossAction::dropped, "actuation", one.place,
                  fmt::format("drive of '{}'", dof.name), fmt::format("{} {}", one.target, one.target_velocity), {},
                  "what an actuator is told stands in no model");
}

}  // namespace mechane::exporter::mjcf
