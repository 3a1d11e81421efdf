// <actuator> and <keyframe>: drives of joints where one says the same, prims of MuJoCo's layer otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/sourceformats/hints.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

namespace {

std::string list_text(const std::vector<double>& numbers)
{
    std::string out;
    for (const double v : numbers) out += (out.empty() ? "" : " ") + usda_number(v);
    return out;
}

void set_absent(XmlElement& e, const char* attribute, const std::string& value)
{
    if (e.peek(attribute) == nullptr) e.set(attribute, value);
}

}  // namespace

// All kinds of actuators share one record of defaults in MuJoCo: ranges and gears of one kind are those of all, and the
// law is that of the element that MjcfDefaults::gains_of finds. The classes here keep each kind apart, so both are
// brought together below.
XmlElement MjcfReader::actuator_with_defaults(const XmlElement& c)
{
    XmlElement m = defaults_.merged(c, c.name, "", s_);
    XmlElement bare{c.name, c.place, {}, {}, {}};
    if (const std::string* own = c.peek("class")) bare.set("class", *own);
    std::vector<XmlElement> said;
    for (const std::string_view kind : actuator_kinds()) {
        bare.name        = std::string(kind);
        XmlElement other = defaults_.merged(bare, bare.name, "", s_);
        if (other.attributes.size() > bare.attributes.size()) said.push_back(std::move(other));
    }
    for (const XmlElement& other : said)
        for (const char* shared : {"ctrlrange", "ctrllimited", "forcerange", "forcelimited", "actrange", "actlimited",
                                   "lengthrange", "gear", "group", "damping", "armature"})
            if (const std::string* v = other.name != c.name ? other.peek(shared) : nullptr) set_absent(m, shared, *v);
    const std::string* own  = c.peek("class");
    const std::string  here = own != nullptr ? *own : "main";
    const auto [from, kind] = defaults_.gains_of(here, c.name);
    if (kind == c.name && from == here) return m;
    // What the class says of the law is that of another element, or of none.
    static constexpr std::string_view kLaw[] = {
        "kp",       "kv",        "dampratio", "timeconst", "gainprm", "biasprm", "dynprm", "area",
        "diameter", "bias",      "gaintype",  "biastype",  "gain",    "force",   "range",  "scale",
        "dyntype",  "tausmooth", "lmin",      "lmax",      "vmax",    "fpmax",   "fvmax",  "inheritrange"};
    const auto is_law = [&](const std::string& name) {
        return std::find(std::begin(kLaw), std::end(kLaw), name) != std::end(kLaw);
    };
    std::erase_if(m.attributes, [&](const XmlAttribute& a) { return is_law(a.name) && c.peek(a.name) == nullptr; });
    if (kind.empty()) return m;
    bare.name = kind;
    bare.set("class", from);
    const XmlElement other = defaults_.merged(bare, kind, "", s_);
    if (kind == c.name) {
        for (const XmlAttribute& a : other.attributes)
            if (is_law(a.name)) set_absent(m, a.name.c_str(), a.value);
        return m;
    }
    const MjcfActuator a = mjcf_actuator(other, s_);
    if (c.name == "general") {
        set_absent(m, "gaintype", a.gain_type), set_absent(m, "biastype", a.bias_type);
        set_absent(m, "dyntype", a.dyn_type), set_absent(m, "gainprm", list_text(a.gain));
        set_absent(m, "biasprm", list_text(a.bias)), set_absent(m, "dynprm", list_text(a.dynamics));
    } else if (c.name == "velocity") {
        set_absent(m, "kv", usda_number(a.gain[0]));
    } else if (c.name == "position" || c.name == "intvelocity") {
        set_absent(m, "kp", usda_number(a.gain[0]));
        if (a.bias[2] != 0) set_absent(m, "kv", usda_number(-a.bias[2]));
    }
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
    const MjcfActuator a = mjcf_actuator(m, s_);
    VendorPrim         made;
    made.type      = "MjcActuator";
    made.place     = c.place;
    made.name      = m.get("name", fmt::format("{}_{}", c.name, tree_.prims.size()));
    const auto put = [&](std::string name, std::string type, std::string text) {
        made.extras.push_back(mj("mjc:" + name, std::move(type), std::move(text), "", c.place));
    };
    put("gainType", "token", usda_string(a.gain_type)), put("biasType", "token", usda_string(a.bias_type)),
        put("dynType", "token", usda_string(a.dyn_type));
    // MuJoCo keeps a ratio of damping as a positive number where the damping would be.
    auto         bias  = a.bias;
    const double ratio = c.name == "position" ? s_.number(m, "dampratio").value_or(0) : 0;
    if (ratio > 0 && bias[2] == 0) bias[2] = ratio;
    put("gainPrm", "double[]", usda_list(a.gain)), put("biasPrm", "double[]", usda_list(bias)),
        put("dynPrm", "double[]", usda_list(a.dynamics)), put("gear", "double[]", usda_list(a.gear));
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
    if (const auto v = s_.number(m, "inheritrange"); v && *v != 0) put("inheritRange", "double", usda_number(*v));
    const bool servo = a.bias_type == "affine" && a.gain_type == "fixed" && a.gain[0] == -a.bias[1] && bias[2] > 0;
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
    if (const auto v = s_.number(m, "dampratio"); (v && *v != 0) || servo)
        drop("dampratio", usda_number(v && *v != 0 ? *v : bias[2]),
             "the damping depends on masses at the start: MuJoCo's layer keeps the ratio, a drive has none; author kv");
    Relation           target{"mjc:target", {}};
    const std::string* joint = m.find("joint") != nullptr ? m.find("joint") : m.find("jointinparent");
    if (joint == nullptr) resistance(c, m, a.gear[0], nullptr, 0, made.name);
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
        resistance(c, m, a.gear[0], &tree_.joints[at(found->second.first)], found->second.second, made.name);
        target.targets.push_back({Ref::Kind::joint, found->second.first});
        if (tree_.joints[at(found->second.first)].dofs.size() > 1)
            made.extras.push_back(mj(hints::kDof, "string", usda_string(*joint), "", c.place));
        drive(c, a, force, tree_.joints[at(found->second.first)].dofs[found->second.second], made.name);
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
                   why + ", which no drive of USD does; it stands in the layer of MuJoCo",
                   true});
}

void MjcfReader::drive(const XmlElement& c, const MjcfActuator& a, const std::optional<std::vector<double>>& force,
                       Dof& dof, const std::string& name)
{
    // Force of a drive in USD: stiffness (target - q) + damping (target velocity - v), cut at max_force. An actuator is
    // such a drive if its gain is constant and its bias linear.
    const bool plain = a.gain_type == "fixed" && (a.bias_type == "none" || a.bias_type == "affine") &&
                       (a.dyn_type == "none" || a.dyn_type == "filterexact" || a.dyn_type == "filter");
    // A constant force beside a spring is the spring with another rest; without one it is no drive.
    // A servo's positive third number is a ratio of damping, which the compiler turns into a damping by the masses.
    const bool ratio = a.bias_type == "affine" && a.bias[2] > 0 && a.gain[0] == -a.bias[1];
    const bool rises = a.bias_type == "affine" && (a.bias[1] > 0 || (a.bias[2] > 0 && !ratio));
    if (!plain || rises || (a.bias_type == "affine" && a.bias[0] != 0 && (a.bias[1] == 0 || a.gear[0] == 0)))
        return only_mujoco(c, name, "its force is no linear law of position and velocity");
    const double gear = a.gear[0];
    Drive        made;
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
            return s_.losses.add(
                {"drives-merged",
                 Severity::info,
                 LossAction::converted,
                 "actuation",
                 site_of(c.place),
                 fmt::format("{} '{}'", c.name, name),
                 {},
                 {},
                 "an axis has one drive, which is the servo's; this one stands in the layer of MuJoCo"});
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
