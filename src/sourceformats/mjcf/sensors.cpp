// <sensor>: OpenUSD has no schema for what MuJoCo measures, so each sensor is a prim of MuJoCo's layer that keeps the
// element as it is: its attributes as texts, and what it names as relationships (hints::kElement). So does an equality
// of tendons.
#include <fmt/format.h>

#include "mechane/sourceformats/hints.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

// Sensors are read after bodies, tendons and actuators, which they name.
void MjcfReader::sensors(const XmlElement& e)
{
    for (const XmlElement& c : e.children)
        if (c.name != "plugin") sensor(c);
}

void MjcfReader::sensor(const XmlElement& c)
{
    VendorPrim made;
    made.type  = "Scope";
    made.place = c.place;
    made.name  = c.get("name", fmt::format("{}_{}", c.name, tree_.prims.size()));
    made.extras.push_back(mj(hints::kElement, "string", usda_string(c.name), "", c.place));
    for (const XmlAttribute& a : c.attributes) {
        if (a.name == "name") continue;
        const std::optional<Ref> ref  = measured(c, a.name, a.value);
        const std::string        name = std::string(hints::kElement) + ":" + a.name;
        if (!ref) {
            made.extras.push_back(mj(name, "string", usda_string(a.value), "", c.place));
            continue;
        }
        // A sensor that names what is not there would measure nothing.
        if (ref->index < 0) return;  // it is told, and the sensor is a loss as others that nobody reads
        // A joint of several axes is one joint in USD: the hint says which of them is measured.
        if (ref->kind == Ref::Kind::joint && tree_.joints[at(ref->index)].dofs.size() > 1)
            made.extras.push_back(mj(hints::kDof, "string", usda_string(a.value), "", c.place));
        made.relations.push_back({name, {*ref}});
    }
    c.use_all();
    s_.losses.add({"sensor", Severity::info, LossAction::converted, "ros", site_of(c.place),
                   fmt::format("sensor '{}'", made.name), c.name, "a prim of MuJoCo's layer",
                   "USD cannot express what a sensor measures; a simulation gives it as an observation"});
    tree_.prims.push_back(std::move(made));
}

/// A tendon that an equality holds at a length: no joint of OpenUSD does that, so the element stays as it is, too.
void MjcfReader::tendon_equalities(const XmlElement& e)
{
    for (const XmlElement& c : e.children) {
        if (c.name != hints::kTendonEquality) continue;
        const XmlElement  m      = defaults_.merged(c, "equality", "", s_);
        const bool        active = flag(m, "active", true) && !off("equality");
        const std::size_t index  = tree_.prims.size();
        if (!keep_equality(c, m)) continue;
        defaults_.settle(c, m, "equality", s_);
        s_.losses.add({active ? "equality" : "inactive-equality", active ? Severity::error : Severity::warning,
                       LossAction::converted, "kinematics", site_of(c.place),
                       fmt::format("equality '{}'", tree_.prims[index].name), c.name, "a prim of MuJoCo's layer",
                       active ? "no joint of OpenUSD holds it" : "it does nothing until a program turns it on",
                       active});
    }
}

// Joints are told by their names, because a joint of several axes is one joint in USD and an equality may name two of
// its axes.
bool MjcfReader::keep_equality(const XmlElement& c, const XmlElement& m)
{
    VendorPrim made;
    made.type  = "Scope";
    made.place = c.place;
    made.name  = m.get("name", fmt::format("equality_{}", tree_.prims.size()));
    made.extras.push_back(mj(hints::kElement, "string", usda_string(c.name), "", c.place));
    bool whole = true;
    for (const XmlAttribute& a : m.attributes) {
        a.used = true;
        if (a.name == "name" || a.name == "class") continue;
        const std::string name  = std::string(hints::kElement) + ":" + a.name;
        const bool        joint = a.name == "joint1" || a.name == "joint2";
        if (joint && !dofs_.contains(a.value)) whole = named(joints_, a.value, c, "joint") >= 0 && whole;
        const bool tendon = a.name == "tendon1" || a.name == "tendon2", body = a.name == "body1" || a.name == "body2",
                   site = a.name == "site1" || a.name == "site2";
        if ((!tendon && !body && !site) || a.value == "world") {
            made.extras.push_back(mj(name, "string", usda_string(a.value), "", c.place));
            continue;
        }
        const Ref ref = tendon ? Ref{Ref::Kind::prim, named(tendons_, a.value, c, "tendon")}
                        : body ? Ref{Ref::Kind::link, named(bodies_, a.value, c, "body")}
                               : Ref{Ref::Kind::site, named(sites_, a.value, c, "site")};
        whole         = whole && ref.index >= 0;
        made.relations.push_back({name, {ref}});
    }
    if (!whole) return false;  // it is told, and the equality is a loss as others that nobody reads
    c.use_all();
    tree_.prims.push_back(std::move(made));
    return true;
}

/// What an attribute refers to; nothing where its value is a word and no name.
std::optional<Ref> MjcfReader::measured(const XmlElement& c, std::string_view attribute, const std::string& name)
{
    if (name == "world") return std::nullopt;
    const auto in = [&](const std::map<std::string, int>& known, Ref::Kind kind, std::string_view what) {
        return Ref{kind, named(known, name, c, what)};
    };
    std::string kind(attribute);
    // Newer sensors name an object and its kind by two attributes.
    if (attribute == "objname") kind = c.get("objtype");
    if (attribute == "refname") kind = c.get("reftype");
    if (kind == "site") return in(sites_, Ref::Kind::site, "site");
    if (kind == "body" || kind == "xbody" || kind == "body1" || kind == "body2" || kind == "subtree1" ||
        kind == "subtree2")
        return in(bodies_, Ref::Kind::link, "body");
    if (kind == "geom" || kind == "geom1" || kind == "geom2") return in(geoms_, Ref::Kind::shape, "geom");
    if (kind == "camera") return in(cameras_, Ref::Kind::camera, "camera");
    if (kind == "tendon") return in(tendons_, Ref::Kind::prim, "tendon");
    if (kind == "actuator") return in(actuators_, Ref::Kind::prim, "actuator");
    if (kind != "joint") return std::nullopt;
    if (const auto found = dofs_.find(name); found != dofs_.end()) return Ref{Ref::Kind::joint, found->second.first};
    return in(joints_, Ref::Kind::joint, "joint");
}

}  // namespace mechane::sourceformats
