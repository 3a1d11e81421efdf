// <option>: what the solver of MuJoCo is told, and which flags turn a part of the physics off.
// All options stand in the layer of MuJoCo under their own names. Only gravity and the flags change what is written
// besides.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mechane/core/letters.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

void MjcfReader::option(const XmlElement& e)
{
    if (!tree_.scene) tree_.scene.emplace();
    SceneSettings& scene = *tree_.scene;
    e.used               = true;
    scene.place          = e.place;
    if (const auto g = s_.vec3(e, "gravity")) scene.gravity = *g;
    const auto put = [&](std::string name, std::string type, std::string text) {
        scene.extras.push_back(mj("mjc:option:" + name, std::move(type), std::move(text), "MjcSceneAPI", e.place));
    };
    for (const char* name : {"timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance",
                             "density", "viscosity", "o_margin"})
        if (const auto v = s_.number(e, name)) put(name, "double", usda_number(*v));
    fluid(e);
    for (const char* name :
         {"iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints"})
        if (const auto v = s_.number(e, name))
            // Counts are ints in the schema; the bound keeps the conversion defined.
            put(name, "int", fmt::format("{}", static_cast<int>(std::clamp(*v, 0.0, 2e9))));
    for (const char* name : {"wind", "magnetic"})
        if (const auto v = s_.numbers(e, name, 3, 3)) put(name, "double3", usda_list(*v, '('));
    const auto word = [&](const char* name, std::initializer_list<std::string_view> known) {
        const std::string* text = e.find(name);
        if (text == nullptr) return;
        // The schema's tokens are lower-case; MJCF writes PGS, CG, RK4, Newton, implicitfast.
        const std::string lower = lower_case(*text);
        if (std::find(known.begin(), known.end(), lower) != known.end())
            put(name, "token", usda_string(lower));
        else
            s_.error(kWord, e.place, fmt::format("{} is '{}', expected {}", name, *text, fmt::join(known, ", ")));
    };
    word("integrator", {"euler", "rk4", "implicit", "implicitfast"});
    word("solver", {"pgs", "cg", "newton"});
    word("cone", {"pyramidal", "elliptic"});
    word("jacobian", {"auto", "dense", "sparse"});
    if (const XmlElement* flags = e.child("flag"))
        for (const XmlAttribute& a : flags->attributes) {
            static constexpr std::string_view kFlags[] = {
                "actuation", "autoreset",   "clampctrl", "constraint",   "contact",      "damper",
                "energy",    "equality",    "eulerdamp", "filterparent", "frictionloss", "fwdinv",
                "gravity",   "invdiscrete", "island",    "limit",        "midphase",     "multiccd",
                "nativeccd", "override",    "refsafe",   "sensor",       "spring",       "warmstart"};
            if (a.name == "passive") {  // before MuJoCo 3.3 the springs and dampers in one
                if (const auto v = s_.word(*flags, a.name, {"enable", "disable"})) {
                    flags_["spring"] = flags_["damper"] = *v == "enable";
                    flag_told(*flags, a.name, *v == "enable");
                }
                continue;
            }
            if (std::find(std::begin(kFlags), std::end(kFlags), a.name) == std::end(kFlags)) continue;
            if (const auto v = s_.word(*flags, a.name, {"enable", "disable"})) {
                scene.extras.push_back(
                    mj("mjc:flag:" + a.name, "bool", usda_bool(*v == "enable"), "MjcSceneAPI", flags->place));
                flags_[a.name] = *v == "enable";
                flag_told(*flags, a.name, *v == "enable");
            }
        }
}

void MjcfReader::fluid(const XmlElement& e)
{
    for (const char* name : {"density", "viscosity"}) {
        const std::string* text = e.peek(name);
        if (text == nullptr || parse_number(*text).value_or(0) == 0) continue;
        e.take(name);
        s_.losses.add({"fluid", Severity::warning, LossAction::converted, "metadata", site_of(e.place),
                       fmt::format("option/{}", name), *text, fmt::format("mjc:option:{}", name),
                       "forces of a fluid are not simulated; it is kept in MuJoCo's layer", true});
    }
}

// A flag that no model mentions is at its default, which is on for the ones asked here.
bool MjcfReader::off(std::string_view name) const
{
    // The flag "constraint" turns off everything that the solver of constraints does; "equality" and the others turn
    // off their part of it.
    static constexpr std::string_view kConstraints[] = {"contact", "equality", "limit", "frictionloss"};
    const auto                        disabled       = [&](std::string_view flag) {
        const auto found = flags_.find(flag);
        return found != flags_.end() && !found->second;
    };
    return disabled(name) || (disabled("constraint") && std::find(std::begin(kConstraints), std::end(kConstraints),
                                                                  name) != std::end(kConstraints));
}

void MjcfReader::flag_told(const XmlElement& flags, const std::string& name, bool on)
{
    // Flags that are off unless a model turns them on; all others are on. A value that equals the default changes
    // nothing and needs no word.
    static constexpr std::string_view kOffAtFirst[] = {"override", "energy", "fwdinv", "invdiscrete"};
    if (on != (std::find(std::begin(kOffAtFirst), std::end(kOffAtFirst), name) != std::end(kOffAtFirst))) return;
    static const std::map<std::string_view, std::string_view> kHonoured{
        {"contact", "no collider collides"},
        {"constraint", "there are no collisions, equalities, limits or friction of joints"},
        {"equality", "equalities are left out"},
        {"limit", "limits are left out"},
        {"frictionloss", "friction of joints is left out"},
        {"spring", "springs of joints are left out"},
        {"damper", "damping of joints is left out"},
        {"passive", "springs and damping of joints are left out"},
        {"actuation", "drives are left out"},
        {"filterparent", "links that a joint joins may touch"},
        {"clampctrl", "limits of commands are left out"},
        {"gravity", "there is no gravity"}};
    // These change the motion in MuJoCo and have no counterpart in a solver here.
    static constexpr std::string_view kMoves[] = {"override", "refsafe", "eulerdamp", "multiccd", "nativeccd"};
    flags.take(name);
    const auto known = kHonoured.find(name);
    const bool kept  = known != kHonoured.end(),
               moves = std::find(std::begin(kMoves), std::end(kMoves), name) != std::end(kMoves);
    s_.losses.add({"flag", kept || !moves ? Severity::info : Severity::warning, LossAction::converted, "metadata",
                   site_of(flags.place), fmt::format("option/flag/{}", name), on ? "enable" : "disable",
                   "mjc:flag:" + name,
                   kept    ? std::string(known->second)
                   : moves ? "no solver here has it; it is kept in MuJoCo's layer"
                           : "it does not change the motion here; it is kept in MuJoCo's layer",
                   !kept && moves});
}

// What a flag turns off is left out of the tree, so that every reader of the result sees the same robot.
void MjcfReader::flag_effects()
{
    if (off("contact")) tree_.contact = false;
    for (Joint& joint : tree_.joints) {
        // "filterparent" off lets a body touch its parent: joints say so one by one.
        if (off("filterparent") && !joint.loop && joint.parent >= 0 && joint.kind != Joint::Kind::fixed)
            joint.collide = true;
        for (Dof& dof : joint.dofs) {
            if (off("limit")) dof.lower = -std::numeric_limits<double>::infinity(), dof.upper = -dof.lower;
            if (off("frictionloss")) dof.friction.reset();
            if (off("damper")) dof.damping.reset();
            if (off("spring")) std::erase_if(dof.extras, [](const Extra& x) { return x.name == "mjc:stiffness"; });
            if (off("actuation")) dof.drive.reset();
        }
    }
}

}  // namespace mechane::sourceformats
