// <body>, <frame>, <inertial> and <joint>.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/hints.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {
namespace {

/// A ball's range bounds the angle of its whole rotation, whatever its axis. A cone of USD bounds how far one axis
/// leans, and leaves the turn about it; rotations of a generic joint are bounded one by one.
void bound_ball(Dof& dof, bool several, LossReport& losses)
{
    if (!std::isfinite(dof.upper)) return;
    if (several) dof.lower = -dof.upper;
    losses.add({"ball-range", Severity::warning, LossAction::approximated, "kinematics", site_of(dof.limit_place),
                fmt::format("joint '{}'", dof.name), fmt::format("{:.6g} degrees", dof.upper * 180 / std::numbers::pi),
                several ? "of each of three axes" : "a cone",
                several ? "MuJoCo bounds the angle of the whole rotation, a joint with several axes each of them"
                        : "MuJoCo bounds the angle of the whole rotation, a cone leaves the turn about its axis free",
                true});
}

}  // namespace

void MjcfReader::body_children(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
{
    if (++depth_ > 200) {
        --depth_;
        return s_.error(kLimit, e.place, "bodies are nested too deep");
    }
    for (const XmlElement& c : e.children) {
        if (c.name == "geom") geom(c, link, X, childclass);
        if (c.name == "site") site(c, link, X, childclass);
        if (c.name == "camera") camera(c, link, X, childclass);
        if (c.name == "light") light(c, link, X, childclass);
        if (c.name == "body") body(c, link, X, childclass);
        if (c.name == "attach") attach(c, link, X);
        if (c.name == "frame" || c.name == "replicate") {
            c.used                  = true;
            const std::string below = c.get("childclass", childclass);
            if (c.name == "frame")
                // A <frame> is no body: its pose goes into what stands in it, and its childclass counts down to the
                // next one.
                body_children(c, link, X * mjcf_pose(c, compiler_, s_), below);
            else
                replicate(c, link, X, below);
        }
    }
    --depth_;
}

// Joints of a body may stand within frames of it. The frame turns and shifts their axes and pivots.
void MjcfReader::collect_joints(const XmlElement& e, std::vector<std::pair<const XmlElement*, Posed>>& out,
                                const Posed& X, std::vector<std::string>& classes, const std::string& childclass)
{
    for (const XmlElement& c : e.children) {
        if (c.name == "joint" || c.name == "freejoint") out.emplace_back(&c, X), classes.push_back(childclass);
        if (c.name == "frame")
            collect_joints(c, out, X * mjcf_pose(c, compiler_, s_), classes, c.get("childclass", childclass));
    }
}

void MjcfReader::body(const XmlElement& e, int parent, const Posed& X, const std::string& above)
{
    e.used                       = true;
    const std::string childclass = e.get("childclass", above);
    Link              link;
    const int         index = static_cast<int>(tree_.links.size());
    std::string       name  = e.get("name");
    if (name.empty()) name = fmt::format("body_{}", ++unnamed_);
    link.name        = s_.unique(body_names_, name, e, "body", true);
    link.place       = e.place;
    const Posed X_PC = X * mjcf_pose(e, compiler_, s_);
    // Poses of bodies are those in the reference configuration, in which every joint stands at its ref.
    link.X_WL      = (parent >= 0 ? tree_.links[at(parent)].X_WL : Posed{}) * X_PC;
    link.kinematic = flag(e, "mocap", false);
    if (const auto g = s_.number(e, "gravcomp"); g && *g != 0) {
        e.take("gravcomp");
        link.extras.push_back(mj("mjc:gravcomp", "double", usda_number(*g), "", e.place));
        s_.losses.add({"gravcomp", Severity::warning, LossAction::converted, "kinematics", site_of(e.place),
                       fmt::format("body '{}'/gravcomp", link.name), usda_number(*g), "mjc:gravcomp",
                       "gravity compensation is not simulated; it is kept in MuJoCo's layer"});
    }
    bodies_.try_emplace(link.name, index);
    if (!attaching_.empty()) own_compilers_[index] = compiler_;
    tree_.links.push_back(std::move(link));
    if (const XmlElement* inertial = e.child("inertial"); inertial != nullptr) {
        // inertiafromgeom "true" computes masses from geoms although the file says them; "auto" does it only where it
        // does not.
        if (compiler_.inertiafromgeom == "true" || s_.options.ignore_inertial)
            inertial->use_all();
        else
            read_inertial(*inertial, index);
    }
    joint_of(e, parent, index, X_PC, childclass);
    body_children(e, index, {}, childclass);
}

void MjcfReader::read_inertial(const XmlElement& e, int index)
{
    Inertial made;
    made.place      = e.place;
    const auto mass = s_.number(e, "mass");
    Posed      X    = mjcf_pose(e, compiler_, s_);
    if (!mass)
        return s_.error(kMissing, e.place,
                        fmt::format("the inertial of body '{}' has no mass", tree_.links[at(index)].name));
    made.mass = *mass;
    made.com  = X.p;
    Mat33d I{};
    if (const auto v = s_.numbers(e, "fullinertia", 6, 6))
        // fullinertia is xx yy zz xy xz yz, about the centre of mass, in the axes of the <inertial>.
        I = {{(*v)[0], (*v)[3], (*v)[4]}, {(*v)[3], (*v)[1], (*v)[5]}, {(*v)[4], (*v)[5], (*v)[2]}};
    else if (const auto d = s_.vec3(e, "diaginertia"))
        I = Mat33d::diagonal(*d), inertial_turns_[index] = X.q;
    else
        made.has_inertia = false;
    const Mat33d R = to_matrix(X.q);
    // Our tensors are in the axes of the link.
    made.inertia                    = R * I * transpose(R);
    tree_.links[at(index)].inertial = made;
}

void MjcfReader::joint_of(const XmlElement& e, int parent, int child, const Posed& X_PC, const std::string& childclass)
{
    std::vector<std::pair<const XmlElement*, Posed>> elements;
    std::vector<std::string>                         classes;
    collect_joints(e, elements, {}, classes, childclass);
    Joint made;
    made.parent = parent;
    made.child  = child;
    made.place  = e.place;
    made.name   = tree_.links[at(child)].name + "_weld";
    Posed  X_C;
    bool   pivoted = false, free = false;
    double free_armature = 0;  ///< a <freejoint> has none, whatever its class says
    // M_i(r_i) of each joint: the motion that takes the body from the zero of the joint to its reference.
    std::vector<Posed>       motions;
    std::vector<bool>        turns;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const XmlElement& j = *elements[i].first;
        const Posed&      X = elements[i].second;
        const XmlElement  m = j.name == "freejoint" ? j : defaults_.merged(j, "joint", classes[i], s_);
        j.used              = true;
        const std::string type =
            j.name == "freejoint" ? "free" : s_.word(m, "type", {"free", "ball", "slide", "hinge"}).value_or("hinge");
        std::string name  = m.get("name");
        const bool  named = !name.empty();
        if (!named) name = tree_.links[at(child)].name + (elements.size() > 1 ? fmt::format("_joint_{}", i) : "_joint");
        if (type == "free") {
            if (parent >= 0)
                s_.error(kTree, j.place,
                         fmt::format("the free joint of body '{}' is not at the top; the body floats by itself",
                                     tree_.links[at(child)].name));
            free             = true;
            const auto align = s_.word(m, "align", {"true", "false", "auto"}).value_or("auto");
            if (align == "true" || (align == "auto" && compiler_.alignfree))
                aligned_[child] = compiler_.inertiafromgeom != "false";
            joint_names_.insert(name);
            if (named)
                tree_.links[at(child)].extras.push_back(
                    {Extra::Layer::mujoco, hints::kFreeJoint, "string", name, {}, j.place});
            if (const auto group = s_.number(m, "group"); group && *group != 0)
                s_.losses.add({"viewer-settings",
                               Severity::info,
                               LossAction::dropped,
                               "visual",
                               site_of(j.place),
                               fmt::format("group of joint '{}'", name),
                               m.get("group"),
                               {},
                               "a body that floats has no joint in USD, and it is how MuJoCo's own viewer draws"});
            if (j.name != "freejoint")
                free_armature =
                    free_values(j, m, fmt::format("joint '{}' of body '{}'", name, tree_.links[at(child)].name),
                                tree_.links[at(child)]);
            j.use_all();
            continue;
        }
        name = s_.unique(joint_names_, name, j, "joint", named);
        Dof dof;
        dof.name  = name;
        dof.place = dof.limit_place = j.place;
        dof.angular                 = type != "slide";
        const Vec3d pivot           = X * s_.vec3(m, "pos").value_or(Vec3d{});
        Vec3d       axis            = s_.vec3(m, "axis").value_or(Vec3d{0, 0, 1});
        if (length(axis) < 1e-12)
            s_.error(kNumber, j.place, fmt::format("the axis of joint '{}' has no direction", name), kDirectionHint),
                axis = {0, 0, 1};
        dof.axis          = rotate(X.q, normalized(axis));
        const double unit = dof.angular ? angle() : 1;
        range_of(m, name, dof, unit);
        dof.damping  = first_number(m, "damping");
        dof.armature = s_.number(m, "armature");
        dof.friction = s_.number(m, "frictionloss");
        // A ball has no reference: a class may say one for its other joints.
        const double ref = type == "ball" ? 0 : s_.number(m, "ref").value_or(0) * unit;
        refs_[name]      = ref;
        joint_extras(m, dof);
        spring_damper(m, made.dofs.size(), type == "ball" && elements.size() > 1 ? 3 : 1);
        if (dof.angular) {
            // All axes of one USD joint share its frames, so the first pivot becomes that of the joint. MuJoCo allows a
            // pivot for each joint of a body; slides have none that would matter.
            if (!pivoted)
                X_C.p = pivot, pivoted = true;
            else if (length(pivot - X_C.p) > 1e-9)
                s_.losses.add({"joint-pivots", Severity::error, LossAction::approximated, "kinematics",
                               site_of(j.place), fmt::format("joint '{}'", name),
                               fmt::format("{} {} {}", pivot.x, pivot.y, pivot.z),
                               fmt::format("{} {} {}", X_C.p.x, X_C.p.y, X_C.p.z),
                               fmt::format("the joints of one body share the pivot of the first ({:.3g} m away)",
                                           length(pivot - X_C.p))});
        }
        turns.push_back(dof.angular);
        motions.push_back(dof.angular ? Posed{{}, from_axis_angle(dof.axis, ref)} : Posed{ref * dof.axis, {}});
        names.push_back(name);
        if (type == "ball") {
            bound_ball(dof, elements.size() > 1, s_.losses);
            if (elements.size() == 1) made.kind = Joint::Kind::ball;
            if (elements.size() > 1)
                // A ball beside other joints becomes three rotations of a generic joint, in the axes x, y, z of the
                // body.
                for (int a = 0; a < 2; ++a) {
                    Dof more  = dof;
                    more.axis = axis_vector<double>(a);
                    made.dofs.push_back(std::move(more));
                }
            dof.axis = {0, 0, 1};
        }
        defaults_.settle(j, m, "joint", s_);
        if (elements.size() > 1 && type != "ball") {  // what a joint with one frame cannot say
            const Vec3d& a = dof.axis;
            dof.extras.push_back(
                {Extra::Layer::mujoco,
                 hints::kPlace,
                 "double[]",
                 fmt::format("[{}, {}, {}, {}, {}, {}, {}]", usda_number(a.x), usda_number(a.y), usda_number(a.z),
                             usda_number(pivot.x), usda_number(pivot.y), usda_number(pivot.z), usda_number(ref)),
                 {},
                 j.place});
        }
        made.dofs.push_back(std::move(dof));
    }
    if (free) {
        // A body that floats has no joint here: it is the root of a tree of its own.
        floating_[child] = free_armature;
        if (made.dofs.empty()) return;
    }
    // The body stands where its joints are at their reference; USD's zero is the joint's own. It moves by
    // M1(q1 - r1) ... Mn(qn - rn) = M1(-r1) M1(q1) ... Mn(qn) Mn(-rn), so that the frames take up the ends.
    const std::size_t several = motions.size();
    std::size_t       lead = 0, tail = several;  // slides at an end may change places with each other
    while (lead < several && !turns[lead]) ++lead;
    if (lead == 0 && several > 0) lead = 1;
    while (tail > lead && !turns[tail - 1]) --tail;
    if (tail == several && tail > lead) --tail;
    Posed before, after;
    for (std::size_t i = 0; i < lead; ++i) before = before * inverse(motions[i]);
    for (std::size_t i = tail; i < several; ++i) after = after * inverse(motions[i]);
    for (std::size_t i = lead; i < tail; ++i)
        if (!(motions[i] == Posed{}))
            s_.losses.add({"joint-reference", Severity::error, LossAction::approximated, "kinematics", site_of(e.place),
                           fmt::format("joint '{}'", names[i]), "ref", "0",
                           "between two other joints of one body it has no frame that could take it up"});
    stands_[child] = X_PC;
    made.X_PJ      = X_PC * X_C * before;
    made.X_CJ      = X_C * inverse(after);
    if (!made.dofs.empty()) {
        if (made.kind != Joint::Kind::ball)
            made.kind = made.dofs.size() > 1   ? Joint::Kind::generic
                        : made.dofs[0].angular ? Joint::Kind::revolute
                                               : Joint::Kind::prismatic;
        made.name = names.size() == 1 ? names[0] : tree_.links[at(child)].name + "_joints";
        if (names.size() > 1) {
            made.name = s_.unique(joint_names_, made.name, e, "joint", false);
            std::string all;
            for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
            s_.losses.add({"joints-merged",
                           Severity::info,
                           LossAction::merged,
                           "kinematics",
                           site_of(e.place),
                           fmt::format("joints {}", all),
                           {},
                           made.name,
                           "USD has one joint between two bodies"});
            bool turned = false;
            for (const Dof& d : made.dofs) {
                turned = turned || d.angular;
                if (turned && !d.angular)
                    s_.losses.add({"joint-order", Severity::error, LossAction::approximated, "kinematics",
                                   site_of(d.place), fmt::format("joint '{}'", d.name), "after a rotation", "before it",
                                   "a generic joint translates before it turns"});
            }
        }
    }
    const int index = static_cast<int>(tree_.joints.size());
    for (std::size_t d = 0; d < made.dofs.size(); ++d) dofs_.try_emplace(made.dofs[d].name, index, d);
    joints_.try_emplace(made.name, index);
    tree_.joints.push_back(std::move(made));
}

// The six axes of a free joint share one damping, armature, friction loss and stiffness; the hint keeps them for the
// way back to MJCF.
double MjcfReader::free_values(const XmlElement& j, const XmlElement& m, std::string what, Link& link)
{
    const double damping = first_number(m, "damping").value_or(0), armature = s_.number(m, "armature").value_or(0),
                 friction  = s_.number(m, "frictionloss").value_or(0),
                 stiffness = first_number(m, "stiffness").value_or(0);
    if (damping == 0 && armature == 0 && friction == 0 && stiffness == 0) return 0;
    s_.losses.add(
        {"free-joint-values",
         Severity::warning,
         LossAction::dropped,
         "kinematics",
         site_of(j.place),
         std::move(what),
         fmt::format("damping {}, armature {}, friction {}, stiffness {}", damping, armature, friction, stiffness),
         {},
         "a body that floats has no joint in USD that could resist",
         true});
    const double kept[] = {damping, armature, friction, -1, stiffness};
    link.extras.push_back({Extra::Layer::mujoco, hints::kPassive, "double[]", usda_list(kept), {}, j.place});
    return armature;
}

std::optional<double> MjcfReader::first_number(const XmlElement& m, const char* name)
{
    const auto v = s_.numbers(m, name, 1, 10);
    if (!v) return std::nullopt;
    if (std::any_of(v->begin() + 1, v->end(), [](double x) { return x != 0; }))
        s_.losses.add({"polynomial", Severity::warning, LossAction::approximated, "kinematics", site_of(m.place),
                       fmt::format("{} of {} '{}'", name, m.name, m.get("name")), m.get(name), usda_number((*v)[0]),
                       fmt::format("{} that grows with {} is not simulated", name,
                                   std::string_view(name) == "damping" ? "the speed" : "the distance"),
                       true});
    return (*v)[0];
}

void MjcfReader::range_of(const XmlElement& m, const std::string& name, Dof& dof, double unit)
{
    if (const auto range = s_.numbers(m, "range", 2, 2)) {
        const auto limited = s_.word(m, "limited", {"true", "false", "auto"}).value_or("auto");
        // With autolimits a range alone limits the joint; without it "limited" must be said.
        if (limited == "true" || (limited == "auto" && compiler_.autolimits)) {
            dof.lower = (*range)[0] * unit;
            dof.upper = (*range)[1] * unit;
            if (dof.lower > dof.upper)
                s_.error(kLimits, m.place, fmt::format("the lower limit of joint '{}' is above the upper one", name));
        } else {
            s_.losses.add({"unlimited-range",
                           Severity::info,
                           LossAction::dropped,
                           "kinematics",
                           site_of(m.place),
                           fmt::format("joint '{}'/range", name),
                           usda_list(*range),
                           {},
                           "it bounds nothing: limited is not true"});
        }
    } else {
        s_.word(m, "limited", {"true", "false", "auto"});
    }
}

void MjcfReader::joint_extras(const XmlElement& m, Dof& dof)
{
    // angle() is radians of the file's unit; times kDegrees it is what the schema wants.
    const double degrees = dof.angular ? angle() * kDegrees : 1;  // the schema's angles are degrees
    const auto   put     = [&](std::string name, std::string type, std::string text) {
        dof.extras.push_back(mj("mjc:" + name, std::move(type), std::move(text), "MjcJointAPI", dof.place));
    };
    if (const auto v = first_number(m, "stiffness"); v && *v != 0) put("stiffness", "double", usda_number(*v));
    if (const auto v = s_.number(m, "springref"); v && *v != 0) put("springref", "double", usda_number(*v * degrees));
    if (const auto v = s_.number(m, "margin"); v && *v != 0) put("margin", "double", usda_number(*v));
    for (const char* name : {"solreflimit", "solimplimit", "solreffriction", "solimpfriction"})
        if (const auto v = s_.numbers(m, name, 1, 5)) put(name, "double[]", usda_list(*v));
    if (const auto v = s_.numbers(m, "actuatorfrcrange", 2, 2))
        put("actuatorfrcrange:min", "double", usda_number((*v)[0])),
            put("actuatorfrcrange:max", "double", usda_number((*v)[1]));
    if (const auto v = s_.word(m, "actuatorfrclimited", {"true", "false", "auto"}))
        put("actuatorfrclimited", "token", usda_string(*v));
    if (flag(m, "actuatorgravcomp", false)) put("actuatorgravcomp", "bool", "true");
    if (const auto v = s_.number(m, "group"); v && *v != 0)
        put("group", "int", fmt::format("{}", static_cast<int>(*v)));
}

void MjcfReader::spring_damper(const XmlElement& m, std::size_t first, std::size_t count)
{
    const auto v = s_.numbers(m, "springdamper", 2, 2);
    m.take("springdamper");
    if (!v || ((*v)[0] == 0 && (*v)[1] == 0)) return;
    // Stiffness and damping follow from the inertia that the axis moves, which is known when all masses are: see
    // springs.cpp.
    if ((*v)[0] > 0 && (*v)[1] > 0)
        spring_dampers_.push_back({static_cast<int>(tree_.joints.size()), first, count, (*v)[0], (*v)[1]});
    else
        s_.error(kNumber, m.place,
                 "the time constant and the damping ratio of springdamper are positive, or both zero");
}

}  // namespace mechane::sourceformats
