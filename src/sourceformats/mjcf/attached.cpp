// <attach>: models of other files, read in the same pass with the settings, defaults and folder of their own file.
//
// Names of the attached part get the prefix at once, in the document: what is read afterwards needs to know nothing
// of it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "mechane/files/read.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

// While a part is read its settings take the place of the reader's own; the second call puts them back.
void MjcfReader::exchange(Settings& with)
{
    std::swap(file_, with.file), std::swap(folder_, with.folder);
    std::swap(compiler_, with.compiler), std::swap(defaults_, with.defaults);
}

void MjcfReader::prefix_names(XmlElement& e, const std::string& prefix)
{
    // Attributes that name an object. "texture" in <texture> is another thing: a texture's own type.
    static const std::set<std::string, std::less<>> kNames{
        "name",    "joint",  "joint1",   "joint2",  "body",          "body1",     "body2",   "site",       "site1",
        "site2",   "geom",   "geom1",    "geom2",   "tendon",        "tendon1",   "tendon2", "mesh",       "material",
        "texture", "hfield", "sidesite", "refsite", "jointinparent", "cranksite", "target",  "slidersite", "actuator"};
    if (e.name == "attach") {  // its body has the name that it has in its own file
        e.set("model", prefix + e.get("model"));
        return e.set("prefix", prefix + e.get("prefix"));
    }
    // An asset without a name is called like its file; that name gets the prefix too.
    const bool asset = e.name == "mesh" || e.name == "texture" || e.name == "material";
    if (const std::string* file = e.peek("file"); asset && file != nullptr && e.peek("name") == nullptr)
        e.set("name", std::filesystem::path(*file).stem().string());
    for (XmlAttribute& a : e.attributes)
        if (kNames.contains(a.name) && a.value != "world" && !(e.name == "texture" && a.name == "texture"))
            a.value = prefix + a.value;
    for (XmlElement& c : e.children) prefix_names(c, prefix);
}

const XmlElement* MjcfReader::body_called(const XmlElement& e, const std::string& name)
{
    for (const XmlElement& c : e.children) {
        if (c.name == "body" && c.get("name") == name) return &c;
        if (c.name == "body" || c.name == "frame")
            if (const XmlElement* found = body_called(c, name)) return found;
    }
    return nullptr;
}

void MjcfReader::attach(const XmlElement& e, int link, const Posed& X)
{
    e.used                 = true;
    const std::string name = e.get("model"), prefix = e.get("prefix"), wanted = e.get("body");
    const auto        known = models_.find(name);
    if (known == models_.end())
        return s_.error(kUnknownName, e.place,
                        fmt::format("<attach> names the model '{}', which does not exist", name));
    const std::string path = s_.finder.find(known->second.first, folder_);
    if (path.empty()) return s_.error(kInclude, e.place, s_.finder.why_not(known->second.first, folder_));
    // A file that attaches itself, by whatever way, would never end; 16 deep and 2000 times are far above any model's
    // need.
    if (attaching_.size() > 16 || path == file_ ||
        std::find(attaching_.begin(), attaching_.end(), path) != attaching_.end())
        return s_.error(kInclude, e.place, fmt::format("'{}' attaches itself", known->second.first));
    if (attached_.size() > 2000) return s_.error(kLimit, e.place, "too many models are attached");
    const auto text = files::read_given(path);
    if (!text) return s_.error(kInclude, e.place, text.error().message);
    auto root = parse_xml(*text, known->second.first, s_.found);
    if (!root) return void(s_.found.add(root.error()));
    attached_.push_back({*std::move(root), {path, folder_of(path), {}, {}}});
    Attached& part = attached_.back();
    part.root.used = true;
    part.root.find("model");
    // Includes first, since the prefix must reach what they bring.
    resolve_includes(part.root, path, s_);
    for (XmlElement& c : part.root.children)
        // Defaults and the compiler's settings have no names that others see.
        if (c.name != "default" && c.name != "compiler" && c.name != "option" && c.name != "size")
            prefix_names(c, prefix);
    attaching_.push_back(path);
    exchange(part.settings);
    for (const XmlElement& c : part.root.children)
        if (c.name == "compiler") compiler(c);
    defaults_.read(part.root, s_);
    for (const XmlElement& c : part.root.children)
        if (c.name == "keyframe")
            for (const XmlElement& key : c.children)
                s_.losses.add(
                    {"keyframe",
                     Severity::warning,
                     LossAction::dropped,
                     "metadata",
                     site_of(key.place),
                     fmt::format("keyframe '{}'", key.get("name")),
                     {},
                     {},
                     "it has coordinates of the attached model alone; those of the whole are not made of it"});
    for (const XmlElement& c : part.root.children)
        if (c.name == "option" || c.name == "size" || c.name == "visual" || c.name == "statistic" ||
            c.name == "keyframe")
            c.use_all();  // those of the model that attaches count
    each(part.root, "asset", [&](const XmlElement& c) { assets(c); });
    const XmlElement* found = nullptr;
    // Without `body` the contents of the worldbody are attached, else one body and what hangs on it.
    bool whole = wanted.empty();
    each(part.root, "worldbody", [&](const XmlElement& c) {
        if (whole)
            body_children(c, link, X, "");
        else if (found == nullptr && (found = body_called(c, prefix + wanted)) != nullptr)
            body(*found, link, X, "");
        c.why = "only a body of it is attached";
    });
    exchange(part.settings);
    attaching_.pop_back();
    if (!whole && found == nullptr)
        s_.error(kUnknownName, e.place, fmt::format("the model '{}' has no body '{}'", name, wanted));
}

/// Whether all that an element names was attached. A part of which one body is taken leaves out what names the rest.
bool MjcfReader::is_attached(const XmlElement& e) const
{
    const auto has = [&](const char* attribute, const auto&... among) {
        const std::string* name = e.peek(attribute);
        return name == nullptr || *name == "world" || (among.contains(*name) || ...);
    };
    bool all = has("joint", dofs_, joints_) && has("joint1", dofs_) && has("joint2", dofs_) && has("body", bodies_) &&
               has("body1", bodies_) && has("body2", bodies_) && has("site", sites_) && has("site1", sites_) &&
               has("site2", sites_) && has("geom", geoms_) && has("tendon", tendons_) && has("refsite", sites_) &&
               has("slidersite", sites_) && has("cranksite", sites_) && has("jointinparent", dofs_) &&
               has("subtree1", bodies_) && has("subtree2", bodies_) && has("camera", cameras_) &&
               has("actuator", actuators_) && has("geom1", geoms_) && has("geom2", geoms_);
    for (const char* object : {"objname", "refname"}) all = all && has(object, bodies_, geoms_, sites_, cameras_);
    for (const XmlElement& c : e.children) all = all && is_attached(c);
    return all;
}

// After all bodies are known: equalities and actuators of one part may name what another brought.
void MjcfReader::attached_sections()
{
    for (Attached& part : attached_) {
        exchange(part.settings);
        for (XmlElement& section : part.root.children)
            if (section.name == "contact" || section.name == "equality" || section.name == "tendon" ||
                section.name == "actuator" || section.name == "sensor") {
                section.used = true;
                std::erase_if(section.children, [&](const XmlElement& c) {
                    return section.name != "actuator" && section.name != "sensor" && !is_attached(c);
                });
            }
        each(part.root, "contact", [&](const XmlElement& e) { contacts(e); });
        each(part.root, "equality", [&](const XmlElement& e) { equalities(e); });
        each(part.root, "tendon", [&](const XmlElement& e) { tendons(e); });
        // What names tendons and actuators comes when these are known.
        const auto attached = [&](const char* name, auto read) {
            for (XmlElement& section : part.root.children)
                if (section.name == name)
                    std::erase_if(section.children, [&](const XmlElement& c) { return !is_attached(c); });
            each(part.root, name, read);
        };
        attached("actuator", [&](const XmlElement& e) { actuators(e); });
        attached("sensor", [&](const XmlElement& e) { sensors(e); });
        exchange(part.settings);
        leave_out(part.root, "");
        s_.report_leftovers(part.root);
    }
}

}  // namespace mechane::sourceformats
