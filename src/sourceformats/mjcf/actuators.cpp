// <actuator> and <keyframe>: drives of joints where one says the same, prims of MuJoCo's layer otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/sourceformats/hints.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

// All kinds of actuators share one record of defaults in MuJoCo: ranges and gears of one kind are those of all. The
// classes keep each kind apart, so what is shared is brought together here.
XmlElement MjcfReader::actuator_with_defaults(const XmlElement& c)
{
    XmlElement         m   = defaults_.merged(c, c.name, "", s_);
    const std::string* own = c.peek("class");
    std::erase_if(m.attributes, [&](const XmlAttribute& a) { return c.peek(a.name) == nullptr; });
    for (const auto& [name, value] : defaults_.actuator_shared(own != nullptr ? *own : "main"))
        if (c.peek(name.c_str()) == nullptr) m.set(name, value);
    if (c.name == "damper" || c.name == "adhesion") m.set("ctrllimited", "true");  // as MuJoCo's compiler has it
    return m;
}

void MjcfReader::actuators(const XmlElement& e)
{
    for (const XmlElement& c : e.children) {
        if (!is_actuator(c.name)) continue;
        const XmlElement m = actuator_with_defaults(c);
        actuator(c, m);
        defaults_.settle(c, m, c.name, s_);
    }
}

void MjcfReader::actuator(const XmlElement& c, const XmlElement& m)
{
    const std::string*  own = c.peek("class");
    const MjcfActuator  a   = mjcf_actuator(m, defaults_.actuator_start(own != nullptr ? *own : "main", c.name), s_);
    std::vector<double> gear{1, 0, 0, 0, 0, 0};
    if (const auto g = s_.numbers(m, "gear", 1, 6)) std::copy(g->begin(), g->end(), gear.begin());
    VendorPrim made;
    made.type      = "MjcActuator";
    made.place     = c.place;
    made.name      = m.get("name", fmt::format("{}_{}", c.name, tree_.prims.size()));
    const auto put = [&](std::string name, std::string type, std::string text) {
        made.extras.push_back(mj("mjc:" + name, std::move(type), std::move(text), "", c.place));
    };
    put("gainType", "token", usda_string(a.gain_type)), put("biasType", "token", usda_string(a.bias_type)),
        put("dynType", "token", usda_string(a.dyn_type));
    put("gainPrm", "double[]", usda_list(a.gain)), put("biasPrm", "double[]", usda_list(a.bias)),
        put("dynPrm", "double[]", usda_list(a.dynamics)), put("gear", "double[]", usda_list(gear));
    std::optional<std::vector<double>> force;
    for (const auto& [name, target] : {std::pair{"ctrl", "ctrlRange"}, std::pair{"force", "forceRange"},
                                       std::pair{"act", "actRange"}, std::pair{"length", "lengthRange"}}) {
        const auto range = s_.numbers(m, std::string(name) + "range", 2, 2);
        if (range)
            put(std::string(target) + ":min", "double", usda_number((*range)[0])),
                put(std::string(target) + ":max", "double", usda_number((*range)[1]));
        const std::string limited =
            s_.word(m, std::string(name) + "limited", {"true", "false", "auto"}).value_or("auto");
        if (limited != "auto") put(std::string(name) + "Limited", "token", usda_string(limited));
        const bool on = range && (limited == "true" || (limited == "auto" && compiler_.autolimits));
        if (on && std::string_view(name) == "force") force = range;
        if (on && std::string_view(name) == "ctrl" && !force && c.name == "motor" && !off("clampctrl"))
            force = std::vector<double>{a.gain[0] * (*range)[0], a.gain[0] * (*range)[1]};
    }
    if (a.inheritrange != 0) put("inheritRange", "double", usda_number(a.inheritrange));
    // A servo's positive third number is a ratio of damping.
    const bool servo = a.bias_type == "affine" && a.gain_type == "fixed" && a.gain[0] == -a.bias[1] && a.bias[2] > 0;
    const auto drop  = [&](const char* code, std::string value, std::string reason) {
        s_.losses.add({code,
                       Severity::warning,
                       LossAction::dropped,
                       "actuation",
                       site_of(c.place),
                       fmt::format("{} '{}'", c.name, made.name),
                       std::move(value),
                       {},
                       std::move(reason),
                       true});
    };
    if (servo)
        drop("dampratio", usda_number(a.bias[2]),
             "the damping depends on masses at the start: MuJoCo's layer keeps the ratio, a drive has none; author kv");
    Relation           target{"mjc:target", {}};
    const bool         in_parent = m.find("joint") == nullptr && m.find("jointinparent") != nullptr;
    const std::string* joint     = m.find(in_parent ? "jointinparent" : "joint");
    if (const auto v = s_.number(m, "group"); v && *v != 0)
        made.extras.push_back(mj(std::string(hints::kElement) + ":group", "string",
                                 usda_string(fmt::format("{}", static_cast<int>(*v))), "", c.place));
    if (joint == nullptr) resistance(c, m, gear[0], nullptr, 0, made.name);
    if (joint != nullptr) {
        const auto found = dofs_.find(*joint);
        if (found == dofs_.end()) {
            if (joint_names_.contains(*joint)) {
                drop("actuator-target", fmt::format("joint '{}'", *joint),
                     "a body that floats has no joint in USD that an actuator could move");
                m.use_all();
                return;
            }
            named(joints_, *joint, c, "joint");
            return;
        }
        resistance(c, m, gear[0], &tree_.joints[at(found->second.first)], found->second.second, made.name);
        target.targets.push_back({Ref::Kind::joint, found->second.first});
        if (in_parent) made.extras.push_back(mj(hints::kInParent, "bool", "true", "", c.place));
        if (tree_.joints[at(found->second.first)].dofs.size() > 1)
            made.extras.push_back(mj(hints::kDof, "string", usda_string(*joint), "", c.place));
        drive(c, a, gear[0], force, tree_.joints[at(found->second.first)].dofs[found->second.second], made.name);
    } else if (const std::string* tendon = m.find("tendon")) {
        const auto found = tendons_.find(*tendon);
        if (found == tendons_.end()) return void(named(tendons_, *tendon, c, "tendon"));
        target.targets.push_back({Ref::Kind::prim, found->second});
        only_mujoco(c, made.name, "it pulls a tendon");
    } else if (const std::string* site = m.find("site")) {
        const int found = named(sites_, *site, c, "site");
        if (found < 0) return;
        target.targets.push_back({Ref::Kind::site, found});
        if (const std::string* ref = m.find("refsite"); ref != nullptr && sites_.contains(*ref))
            made.relations.push_back({"mjc:refSite", {{Ref::Kind::site, sites_.at(*ref)}}});
        only_mujoco(c, made.name, "it pushes at a site");
    } else if (const std::string* body = m.find("body")) {
        const int found = named(bodies_, *body, c, "body");
        if (found < 0) return;
        target.targets.push_back({Ref::Kind::link, found});
        only_mujoco(c, made.name, "it acts on contacts");
    } else {
        s_.losses.add({"actuator-target",
                       Severity::warning,
                       LossAction::dropped,
                       "actuation",
                       site_of(c.place),
                       fmt::format("{} '{}'", c.name, made.name),
                       {},
                       {},
                       "what it acts on is not known here",
                       true});
        return;
    }
    made.relations.push_back(std::move(target));
    actuators_.try_emplace(made.name, static_cast<int>(tree_.prims.size()));
    tree_.prims.push_back(std::move(made));
}

// An actuator's damping and armature are those of what it moves, through the gear: the joint gets gear^2 times both,
// and no range of forces bounds them (mujoco.readthedocs.io, XML reference, actuator/general).
void MjcfReader::resistance(const XmlElement& c, const XmlElement& m, double gear, Joint* joint, std::size_t dof,
                            const std::string& name)
{
    const double damping = first_number(m, "damping").value_or(0), armature = s_.number(m, "armature").value_or(0);
    if (damping == 0 && armature == 0) return;
    const bool kept = joint != nullptr && joint->kind != Joint::Kind::ball;
    s_.losses.add({"actuator-resistance", kept ? Severity::info : Severity::warning,
                   kept ? LossAction::merged : LossAction::dropped, "actuation", site_of(c.place),
                   fmt::format("{} '{}'", c.name, name), fmt::format("damping {}, armature {}", damping, armature),
                   kept ? fmt::format("those of joint '{}'", joint->dofs[dof].name) : std::string(),
                   kept ? "they act on the joint, through the square of the gear"
                        : "only joints of one axis have a damping and an inertia of their own",
                   !kept});
    if (!kept) return;
    Dof& to = joint->dofs[dof];
    if (damping != 0) to.damping = to.damping.value_or(0) + damping * gear * gear;
    if (armature != 0) to.armature = to.armature.value_or(0) + armature * gear * gear;
}

void MjcfReader::only_mujoco(const XmlElement& c, const std::string& name, std::string why)
{
    s_.losses.add({"actuator",
                   Severity::warning,
                   LossAction::converted,
                   "actuation",
                   site_of(c.place),
                   fmt::format("{} '{}'", c.name, name),
                   {},
                   "MjcActuator",
                   why + ", which no drive of USD does; it is kept in MuJoCo's layer",
                   true});
}

void MjcfReader::drive(const XmlElement& c, const MjcfActuator& a, double gear,
                       const std::optional<std::vector<double>>& force, Dof& dof, const std::string& name)
{
    // Force of a drive in USD: stiffness (target - q) + damping (target velocity - v), cut at max_force. An actuator is
    // such a drive if its gain is constant and its bias linear.
    const bool plain = a.gain_type == "fixed" && (a.bias_type == "none" || a.bias_type == "affine") &&
                       (a.dyn_type == "none" || a.dyn_type == "filterexact" || a.dyn_type == "filter");
    // A constant force beside a spring is the spring with another rest; without one it is no drive.
    // A servo's positive third number is a ratio of damping, which the compiler turns into a damping by the masses.
    const bool ratio = a.bias_type == "affine" && a.bias[2] > 0 && a.gain[0] == -a.bias[1];
    const bool rises = a.bias_type == "affine" && (a.bias[1] > 0 || (a.bias[2] > 0 && !ratio));
    if (!plain || rises || (a.bias_type == "affine" && a.bias[0] != 0 && (a.bias[1] == 0 || gear == 0)))
        return only_mujoco(c, name, "its force is no linear law of position and velocity");
    Drive made;
    made.place = c.place;
    // The length of the transmission is gear * q and its force acts on the joint with gear again: both gains are
    // multiplied by the square of it.
    made.stiffness = a.bias_type == "affine" ? std::max(0.0, -a.bias[1]) * gear * gear : 0;
    made.damping   = a.bias_type == "affine" ? std::max(0.0, -a.bias[2]) * gear * gear : 0;
    // Zero of b0 + b1 gear q, where the spring rests without a command.
    if (made.stiffness > 0) made.target = a.bias[0] / (-a.bias[1] * gear);
    if (force) made.max_force = std::max(std::abs((*force)[0]), std::abs((*force)[1])) * std::abs(gear);
    if (a.dyn_type != "none") only_mujoco(c, name, "its command is filtered");
    if (dof.drive &&
        (dof.drive->stiffness != 0 || dof.drive->damping != 0)) {  // a position and a velocity servo on one joint
        if (made.stiffness == 0 && made.damping == 0)              // a force that a program commands, beside a servo
            return s_.losses.add({"drives-merged",
                                  Severity::info,
                                  LossAction::converted,
                                  "actuation",
                                  site_of(c.place),
                                  fmt::format("{} '{}'", c.name, name),
                                  {},
                                  {},
                                  "an axis has one drive, which is the servo's; this one is kept in MuJoCo's layer"});
        const double both = made.stiffness + dof.drive->stiffness;
        // Two springs are one with the sum of their stiffness that rests at the weighted mean.
        if (both > 0) made.target = (made.stiffness * made.target + dof.drive->stiffness * dof.drive->target) / both;
        made.stiffness = both;
        made.damping += dof.drive->damping;
        made.max_force += dof.drive->max_force;  // each exerts its own
        s_.losses.add({"drives-merged",
                       Severity::warning,
                       LossAction::merged,
                       "actuation",
                       site_of(c.place),
                       fmt::format("{} '{}'", c.name, name),
                       {},
                       {},
                       "an axis has one drive; gains were added"});
    }
    dof.drive = made;
}

void MjcfReader::keyframes(const XmlElement& e)
{
    for (const XmlElement& c : e.children) {
        if (c.name != "key") continue;
        VendorPrim made;
        made.type  = "MjcKeyframe";
        made.place = c.place;
        made.name  = c.get("name", fmt::format("key_{}", tree_.prims.size()));
        if (const auto time = s_.number(c, "time"); time && *time != 0)  // which the schema has no word for
            made.extras.push_back(
                mj(std::string(hints::kElement) + ":time", "string", usda_string(usda_number(*time)), "", c.place));
        for (const char* name : {"qpos", "qvel", "act", "ctrl", "mpos", "mquat"})
            if (const auto v = s_.numbers(c, name, 0, 1'000'000); v && !v->empty())
                made.extras.push_back(mj(std::string("mjc:") + name, "double[]", usda_list(*v), "", c.place));
        tree_.prims.push_back(std::move(made));
    }
}

}  // namespace mechane::sourceformats
