// A model of MJCF from its root: the order of sections, and what <compiler> says.
#include <fmt/format.h>

#include <algorithm>

#include "mechane/core/nearest.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

void MjcfReader::read(XmlElement& root)
{
    root.used   = true;
    tree_.place = root.place;
    if (const std::string* name = root.find("model"); name != nullptr && !name->empty()) tree_.name = *name;
    resolve_includes(root, file_, s_);
    for (const XmlElement& e : root.children)
        // Sections may stand in any order, and several times. Each is read when what it refers to is known: settings,
        // classes, assets, bodies, then what names bodies, joints and tendons.
        if (e.name == "compiler") compiler(e);
    defaults_.read(root, s_);
    for (const XmlElement& e : root.children)
        if (e.name == "option") option(e);
    each(root, "asset", [&](const XmlElement& e) { assets(e); });
    each(root, "worldbody", [&](const XmlElement& e) { body_children(e, -1, {}, ""); });
    align_floating();
    each(root, "worldbody", [&](const XmlElement& e) { note_copies(e); });
    replicate_sections(root);
    each(root, "contact", [&](const XmlElement& e) { contacts(e); });
    each(root, "equality", [&](const XmlElement& e) { equalities(e); });
    each(root, "tendon", [&](const XmlElement& e) { tendons(e); });
    each(root, "equality", [&](const XmlElement& e) { tendon_equalities(e); });
    each(root, "actuator", [&](const XmlElement& e) { actuators(e); });
    each(root, "sensor", [&](const XmlElement& e) { sensors(e); });
    each(root, "keyframe", [&](const XmlElement& e) { keyframes(e); });
    // From here on the tree is complete, and what follows computes with it: masses before springs, springs before flags
    // that turn them off.
    attached_sections();
    masses();
    compute_spring_dampers(tree_, spring_dampers_, floating_, s_.losses);
    flag_effects();
    static_bodies();
    welded_pairs();
    groups();
    if (s_.options.base == Base::fixed) anchor();
    leave_out(root, "");
    if (!tree_.links.empty() || !tree_.shapes.empty()) return;
    for (const char* unread : {"composite", "flexcomp", "flex"})
        if (has_below(root, unread))
            return s_.error(kUnsupported, root.place,
                            fmt::format("all bodies of the model are made of its <{}>, which is not read", unread),
                            "Convert what mj_saveLastXML writes: there the bodies are told one by one.");
    s_.error(kMissing, root.place, "the model has no body");
}

bool MjcfReader::has_below(const XmlElement& e, std::string_view name)
{
    return std::any_of(e.children.begin(), e.children.end(),
                       [&](const XmlElement& c) { return c.name == name || has_below(c, name); });
}

bool MjcfReader::flag(const XmlElement& e, std::string_view name, bool otherwise)
{
    const auto v = s_.word(e, name, {"true", "false"});
    return v ? *v == "true" : otherwise;
}

void MjcfReader::compiler(const XmlElement& e)
{
    if (const auto v = s_.word(e, "angle", {"degree", "radian"})) compiler_.degrees = *v == "degree";
    if (const std::string* seq = e.find("eulerseq")) {
        if (seq->size() == 3 && seq->find_first_not_of("xyzXYZ") == std::string::npos)
            compiler_.eulerseq = *seq;
        else
            s_.error(kWord, e.place, fmt::format("eulerseq is '{}', expected three of x y z X Y Z", *seq));
    }
    compiler_.autolimits = flag(e, "autolimits", compiler_.autolimits);
    if (const auto v = s_.word(e, "inertiafromgeom", {"true", "false", "auto"})) compiler_.inertiafromgeom = *v;
    compiler_.balanceinertia = flag(e, "balanceinertia", compiler_.balanceinertia);
    compiler_.boundmass      = s_.number(e, "boundmass").value_or(compiler_.boundmass);
    compiler_.boundinertia   = s_.number(e, "boundinertia").value_or(compiler_.boundinertia);
    compiler_.settotalmass   = s_.number(e, "settotalmass").value_or(compiler_.settotalmass);
    // meshdir and texturedir go before assetdir, in whatever order the attributes stand.
    if (const std::string* dir = e.find("assetdir")) compiler_.meshdir = compiler_.texturedir = *dir;
    if (const std::string* dir = e.find("meshdir")) compiler_.meshdir = *dir;
    if (const std::string* dir = e.find("texturedir")) compiler_.texturedir = *dir;
    compiler_.strippath = flag(e, "strippath", compiler_.strippath);
    if (const auto v = s_.numbers(e, "inertiagrouprange", 2, 2))
        compiler_.group_min = static_cast<int>((*v)[0]), compiler_.group_max = static_cast<int>((*v)[1]);
    if (const auto v = s_.word(e, "coordinate", {"local", "global"}); v && *v == "global")
        s_.error(kUnsupported, e.place, "global coordinates are no longer part of MJCF; they are read as local ones");
    compiler_.fitaabb = flag(e, "fitaabb", compiler_.fitaabb);
    // These change how MuJoCo compiles or stores a model, not what the model is.
    compiler_.alignfree = flag(e, "alignfree", compiler_.alignfree);
    for (const char* known : {"usethread", "fusestatic", "discardvisual", "saveinertial"}) e.find(known);
}

int MjcfReader::named(const std::map<std::string, int>& known, const std::string& name, const XmlElement& e,
                      std::string_view what)
{
    if (const auto found = known.find(name); found != known.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [n, i] : known) names.push_back(n);
    s_.error(kUnknownName, e.place, fmt::format("<{}> names the {} '{}', which does not exist", e.name, what, name),
             did_you_mean(name, names));
    return -1;
}

void read_mjcf(XmlElement& root, const std::string& file, Source& source)
{
    source.tree.format = "MJCF";
    MjcfReader(file, source).read(root);
    source.report_leftovers(root);
}

}  // namespace mechane::sourceformats
