// What holds bodies together or makes joints follow each other: equalities and tendons.

#include <fmt/format.h>

#include <algorithm>

#include "exporter/mjcf/writer.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter::mjcf {

void MjcfWriter::equalities(XmlNode& equality, XmlNode& tendon)
{
    for (std::size_t i = 0; i < tree_.joints.size(); ++i) {
        const sf::Joint& j = tree_.joints[i];
        if (j.loop) loop(equality, tendon, j);
        // A follower is an equality of type joint with the polynomial c0 + c1 q; locked joints do not exist in the
        // file.
        if (!j.mimic || j.dofs.empty() || locked(j.dofs[0]) || locked(tree_.joints[index(j.mimic->joint)].dofs[0]))
            continue;
        const auto& extras = j.dofs[0].extras;
        const auto  coef   = [&](const char* name) {
            // Coefficients above the linear one are kept in MuJoCo's layer.
            const sf::Extra* e = find(extras, name);
            return e != nullptr ? plain(e->text) : std::string("0");
        };
        XmlNode& node =
            equality.add("joint").set("joint1", dof_names_[i][0]).set("joint2", dof_names_[index(j.mimic->joint)][0]);
        node.set("polycoef",
                 fmt::format("{} {} {} {} {}", number_text(j.mimic->offset), number_text(j.mimic->multiplier),
                             coef("mjc:coef2"), coef("mjc:coef3"), coef("mjc:coef4")));
        copy(node, extras, {{"mjc:solref", "solref"}, {"mjc:solimp", "solimp"}});
    }
}

void MjcfWriter::loop(XmlNode& equality, XmlNode& tendon, const sf::Joint& j)
{
    // MuJoCo's connect holds one point of either body together.
    // A hinge is two points on its axis, a tenth of a metre apart; a ball is one.
    // In the frame of body1, the parent.
    const auto connect = [&](const std::string& name, double along, const Vec3d& axis) {
        XmlNode& node = equality.add("connect")
                            .set("name", name)
                            .set("body1", body_name(j.parent))
                            .set("body2", body_name(j.child))
                            .set("anchor", j.X_PJ * (along * axis));
        copy(node, j.extras, {{"mjc:solref", "solref"}, {"mjc:solimp", "solimp"}});
    };
    switch (j.kind) {
        case sf::Joint::Kind::ball:
            return connect(j.name, 0, {});
        case sf::Joint::Kind::revolute:
            connect(j.name, 0, {});
            out_.lose("loop-joint", Severity::info, sf::LossAction::converted, "kinematics", j.place,
                      fmt::format("joint '{}'", j.name), "a hinge",
                      fmt::format("two points, '{}' and '{}_axis'", j.name, j.name),
                      "a joint that closes a loop is held by points on its axis");
            // Two points on one axis leave one rotation: a hinge as two connects, 0.1 m apart.
            return connect(j.name + "_axis", 0.1, j.dofs[0].axis);
        case sf::Joint::Kind::fixed: {
            // relpose is the pose of body2 in body1 at which the weld rests.
            const Posed relative = j.X_PJ * inverse(j.X_CJ);
            XmlNode&    node     = equality.add("weld")
                                       .set("name", j.name)
                                       .set("body1", body_name(j.parent))
                                       .set("body2", body_name(j.child))
                                       .set("anchor", j.X_CJ.p);
            node.set("relpose", numbers_text(relative.p) + " " + quat_text(normalized(relative.q)));
            copy(node, j.extras,
                 {{"mjc:solref", "solref"}, {"mjc:solimp", "solimp"}, {"mjc:torqueScale", "torquescale"}});
            return;
        }
        case sf::Joint::Kind::distance:
        case sf::Joint::Kind::prismatic:
        case sf::Joint::Kind::generic:
            break;
    }
    static_cast<void>(tendon);
    out_.lose("loop-joint", Severity::error, sf::LossAction::dropped, "kinematics", j.place,
              fmt::format("joint '{}'", j.name), {}, {}, "equalities of MuJoCo are points and welds");
}

/// The name that an axis has in the file. A joint of several axes needs the hint which one is meant.
std::string MjcfWriter::joint_name(const sf::Ref& ref, const std::vector<sf::Extra>& extras) const
{
    if (ref.kind != sf::Ref::Kind::joint || ref.index < 0) return {};
    const sf::Joint& joint  = tree_.joints[index(ref.index)];
    const sf::Extra* wanted = find(extras, sf::hints::kDof);
    for (std::size_t d = 0; d < joint.dofs.size(); ++d)
        if ((joint.dofs.size() == 1 || (wanted != nullptr && plain(wanted->text) == joint.dofs[d].name)) &&
            (joint.kind == sf::Joint::Kind::ball || !locked(joint.dofs[d])))
            return dof_names_[index(ref.index)][d];
    return {};
}

void MjcfWriter::tendons(XmlNode& tendon)
{
    // Prims keep their place in the list; an empty name means that the prim was left out.
    prim_names_.resize(tree_.prims.size());
    for (std::size_t i = 0; i < tree_.prims.size(); ++i) {
        const sf::VendorPrim& p = tree_.prims[i];
        if (p.type != "MjcTendon") continue;
        const sf::Extra* type  = find(p.extras, "mjc:type");
        const bool       fixed = type != nullptr && plain(type->text) == "fixed";
        const auto*      path  = targets(p, "mjc:path");
        if (path == nullptr || path->empty()) continue;
        XmlNode node(fixed ? "fixed" : "spatial");
        prim_names_[i] = take(taken_tendons_, p.name);
        node.set("name", prim_names_[i]);
        copy(node, p.extras,
             {{"mjc:stiffness", "stiffness"},
              {"mjc:damping", "damping"},
              {"mjc:armature", "armature"},
              {"mjc:frictionloss", "frictionloss"},
              {"mjc:margin", "margin"},
              {"mjc:limited", "limited"},
              {"mjc:springlength", "springlength"},
              {"mjc:solreflimit", "solreflimit"},
              {"mjc:solimplimit", "solimplimit"},
              {"mjc:solreffriction", "solreffriction"},
              {"mjc:solimpfriction", "solimpfriction"}});
        if (!fixed) copy(node, p.extras, {{"mjc:width", "width"}, {"mjc:rgba", "rgba"}});
        copy_range(node, p.extras, "mjc:range", "range");
        // A tendon with a part that is not there would be another tendon: it is left out as a whole.
        if (fixed ? fixed_path(node, p, *path) : spatial_path(node, p, *path)) {
            tendon.add("") = node;
        } else {
            prim_names_[i].clear();
            out_.lose("tendon", Severity::error, sf::LossAction::dropped, "kinematics", p.place,
                      fmt::format("tendon '{}'", p.name), {}, {}, "its path names what is not there");
        }
    }
}

bool MjcfWriter::fixed_path(XmlNode& node, const sf::VendorPrim& p, const std::vector<sf::Ref>& path)
{
    // Each entry has a coefficient; a target may stand twice.
    const auto        coefficients = numbers(find(p.extras, "mjc:path:coef")),
                      order        = numbers(find(p.extras, "mjc:path:indices"));
    const std::string dofs =
        find(p.extras, sf::hints::kDof) != nullptr ? plain(find(p.extras, sf::hints::kDof)->text) : std::string();
    const std::size_t n = std::max(coefficients.size(), path.size());
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = k < order.size() && order[k] >= 0 ? static_cast<std::size_t>(order[k]) : k;
        if (i >= path.size()) return false;
        const std::string name = joint_name(path[i], tendon_dof(dofs, k));
        if (name.empty()) return false;
        node.add("joint").set("joint", name).set("coef", k < coefficients.size() ? coefficients[k] : 1.0);
    }
    return true;
}

/// The k-th word of a list of axes, as the extra that joint_name() reads.
std::vector<sf::Extra> MjcfWriter::tendon_dof(const std::string& dofs, std::size_t k)
{
    std::size_t begin = 0;
    for (std::size_t i = 0; i < k && begin != std::string::npos; ++i)
        begin = dofs.find(' ', begin) == std::string::npos ? std::string::npos : dofs.find(' ', begin) + 1;
    if (begin == std::string::npos || dofs.empty()) return {};
    sf::Extra one;
    one.name = sf::hints::kDof;
    one.text = dofs.substr(begin, dofs.find(' ', begin) - begin);
    return {one};
}

bool MjcfWriter::spatial_path(XmlNode& node, const sf::VendorPrim& p, const std::vector<sf::Ref>& path)
{
    const auto  order      = numbers(find(p.extras, "mjc:path:indices")),
                segments   = numbers(find(p.extras, "mjc:path:segments")),
                divisors   = numbers(find(p.extras, "mjc:path:divisors")),
                sides      = numbers(find(p.extras, "mjc:sideSites:indices"));
    const auto* side_sites = targets(p, "mjc:sideSites");
    double      segment    = 0;
    for (std::size_t k = 0; k < std::max(order.size(), path.size()); ++k) {
        const std::size_t i = k < order.size() && order[k] >= 0 ? static_cast<std::size_t>(order[k]) : k;
        if (i >= path.size() || path[i].index < 0) return false;
        // A new segment begins with a pulley, which has the divisor.
        if (k < segments.size() && segments[k] != segment) {
            segment = segments[k];
            node.add("pulley").set("divisor", segment >= 0 && static_cast<std::size_t>(segment) < divisors.size()
                                                  ? divisors[static_cast<std::size_t>(segment)]
                                                  : 1.0);
        }
        if (path[i].kind == sf::Ref::Kind::site) {
            node.add("site").set("site", site_names_[index(path[i].index)]);
        } else if (path[i].kind == sf::Ref::Kind::shape) {
            XmlNode& geom = node.add("geom").set("geom", geom_names_[index(path[i].index)]);
            if (side_sites != nullptr && k < sides.size() && sides[k] >= 0 &&
                static_cast<std::size_t>(sides[k]) < side_sites->size())
                geom.set("sidesite", site_names_[index((*side_sites)[static_cast<std::size_t>(sides[k])].index)]);
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace mechane::exporter::mjcf
