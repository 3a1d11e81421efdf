// What holds bodies together or makes joints follow each other: equalities and tendons.

#include <fmt/format.h>

#include <algorithm>

#include "exporter/mjcf/writer.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter::mjcf {
namespace {

/// Metres between the two points that hold a hinge.
constexpr double kHingeSpan = 0.1;

}  // namespace

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
        // MuJoCo counts both coordinates from the joints' references.
        const auto   reference = [](const sf::Joint& one) { return one.dofs.size() == 1 ? one.initial : 0.0; };
        const double offset =
            j.mimic->offset - reference(j) + j.mimic->multiplier * reference(tree_.joints[index(j.mimic->joint)]);
        node.set("polycoef", fmt::format("{} {} {} {} {}", number_text(offset), number_text(j.mimic->multiplier),
                                         coef("mjc:coef2"), coef("mjc:coef3"), coef("mjc:coef4")));
        copy(node, extras, {{"mjc:solref", "solref"}, {"mjc:solimp", "solimp"}});
    }
}

std::vector<MjcfWriter::HeldPoint> MjcfWriter::held_points(const sf::Joint& j)
{
    if (!j.loop) return {};
    if (j.kind == sf::Joint::Kind::ball) return {{j.name, {}}};
    // Two points on one axis leave one rotation: a hinge as two connects, 0.1 m apart.
    if (j.kind == sf::Joint::Kind::revolute) return {{j.name, {}}, {j.name + "_axis", kHingeSpan * j.dofs[0].axis}};
    return {};
}

void MjcfWriter::name_point_sites()
{
    const auto pose = [&](int link) { return link >= 0 ? tree_.links[index(link)].X_WL : Posed{}; };
    for (const sf::Joint& j : tree_.joints)
        for (const HeldPoint& point : held_points(j)) {
            const Vec3d one = pose(j.parent) * (j.X_PJ * point.at), other = pose(j.child) * (j.X_CJ * point.at);
            // Positions of a stage have single precision.
            if (length(one - other) <= 1e-6 * (1 + length(one))) continue;
            const std::string first  = take(taken_sites_, point.name + "_point1"),
                              second = take(taken_sites_, point.name + "_point2");
            point_sites_[point.name] = {first, second};
            added_sites_.push_back({j.parent, j.X_PJ * point.at, first});
            added_sites_.push_back({j.child, j.X_CJ * point.at, second});
            out_.lose("connect-sites", Severity::info, sf::LossAction::converted, "kinematics", j.place,
                      fmt::format("sites '{}' and '{}' of joint '{}'", first, second, j.name),
                      "points that do not meet where the robot starts", "two sites",
                      "the anchor of a connect is one point of both bodies at the start");
        }
}

void MjcfWriter::loop(XmlNode& equality, XmlNode& tendon, const sf::Joint& j)
{
    // A connect with an anchor takes the second body's point from where the robot starts. Points that do not meet there
    // are told as sites, which MuJoCo pulls together wherever they start.
    const auto connect = [&](const HeldPoint& point) {
        XmlNode& node = equality.add("connect").set("name", point.name);
        if (const auto sites = point_sites_.find(point.name); sites != point_sites_.end())
            node.set("site1", sites->second.first).set("site2", sites->second.second);
        else
            node.set("body1", body_name(j.parent)).set("body2", body_name(j.child)).set("anchor", j.X_PJ * point.at);
        copy(node, j.extras, {{"mjc:solref", "solref"}, {"mjc:solimp", "solimp"}});
    };
    const std::vector<HeldPoint> points = held_points(j);
    for (const HeldPoint& point : points) connect(point);
    switch (j.kind) {
        case sf::Joint::Kind::ball:
            return;
        case sf::Joint::Kind::revolute:
            return out_.lose("loop-joint", Severity::info, sf::LossAction::converted, "kinematics", j.place,
                             fmt::format("joint '{}'", j.name), "a hinge",
                             fmt::format("two points, '{}' and '{}'", points[0].name, points[1].name),
                             "a joint that closes a loop is held by points on its axis");
        case sf::Joint::Kind::fixed: {
            // The anchor is a point of body2. The rotation of relpose is that of body2 in body1; its position is the
            // point of body1 that meets the anchor, not the origin of body2 (eq_data 3 to 5 of mjEQ_WELD).
            XmlNode& node = equality.add("weld")
                                .set("name", j.name)
                                .set("body1", body_name(j.parent))
                                .set("body2", body_name(j.child))
                                .set("anchor", j.X_CJ.p);
            node.set("relpose", numbers_text(j.X_PJ.p) + " " + quat_text(normalized(j.X_PJ.q * conjugate(j.X_CJ.q))));
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
    const std::string axis  = wanted != nullptr ? plain(wanted->text) : ref.axis;
    for (std::size_t d = 0; d < joint.dofs.size(); ++d)
        if ((joint.dofs.size() == 1 || (!axis.empty() && axis == joint.dofs[d].name)) &&
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
             {{"mjc:group", "group"},
              {"mjc:actuatorfrclimited", "actuatorfrclimited"},
              {"mjc:stiffness", "stiffness"},
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
        copy_range(node, p.extras, "mjc:actuatorfrcrange", "actuatorfrcrange");
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
