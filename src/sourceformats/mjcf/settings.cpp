// What an MJCF file says once for many elements: included files, classes of defaults, orientations in any of their five
// ways, and actuators by their shortcuts. The rules are those of MuJoCo's XML reference. Bodies, joints and geoms are
// read elsewhere in this folder.

#include "sourceformats/mjcf/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "mechane/files/read.h"
#include "mechane/sourceformats/codes.h"

namespace mechane::sourceformats {
namespace {

constexpr double kRadians          = std::numbers::pi / 180;
constexpr int    kMostFiles        = 200;
constexpr int    kMostIncludeDepth = 32;

// Each file may be included once by MuJoCo's rules. Here it may be included several times, but never within itself:
// only the files that are open at this moment count. The two limits keep small files from growing without end.
struct Including {
    Source&                  source;
    std::vector<std::string> open;
    int                      files = 0;

    void expand(XmlElement& e, const std::string& file, const std::string& main)
    {
        for (std::size_t i = 0; i < e.children.size();) {
            if (e.children[i].name != "include") {
                expand(e.children[i], file, main);
                ++i;
                continue;
            }
            const XmlElement   include = e.children[i];
            const std::string* name    = include.find("file");
            e.children.erase(e.children.begin() + static_cast<std::ptrdiff_t>(i));
            if (name == nullptr) {
                source.error(kMissing, include.place, "an <include> has no file");
                continue;
            }
            // MuJoCo looks beside the main model first, also for what an included file includes; files of other
            // programs expect the folder of the file that says it.
            std::string path = source.finder.find(*name, folder_of(main));
            if (path.empty()) path = source.finder.find(*name, folder_of(file));
            if (path.empty()) {
                source.error(kInclude, include.place, source.finder.why_not(*name, folder_of(main)));
                continue;
            }
            std::error_code failed;
            const auto      same = [&](const std::string& other) {
                return std::filesystem::equivalent(other, path, failed);
            };
            if (std::any_of(open.begin(), open.end(), same) ||
                open.size() > static_cast<std::size_t>(kMostIncludeDepth) || ++files > kMostFiles) {
                source.error(kInclude, include.place,
                             fmt::format("{} includes itself, or there are too many includes", *name));
                continue;
            }
            const auto text = files::read(path, XmlLimits{}.bytes);
            auto       part = text ? parse_xml(*text, path, source.found) : Result<XmlElement>(text.error());
            if (!part) {
                source.error(kInclude, include.place, fmt::format("{}: {}", *name, part.error().message));
                continue;
            }
            // The root of the included file is left out: its children take the place of the <include>. Their places
            // still name their own file, so that messages point there.
            open.push_back(path);
            expand(*part, path, main);
            open.pop_back();
            e.children.insert(e.children.begin() + static_cast<std::ptrdiff_t>(i), part->children.begin(),
                              part->children.end());
            i += part->children.size();
        }
    }
};

/// What a shortcut takes of a <general> of its class: the values that it has words for, where the laws are alike.
MjcfActuator of_general(const MjcfActuator& general, std::string_view kind)
{
    MjcfActuator out;
    const bool   fixed = general.gain_type == "fixed";
    if (kind == "muscle" && general.gain_type == "muscle") return general;
    if (kind == "damper" && general.gain_type == "affine") out.gain[2] = general.gain[2];
    if (!fixed || kind == "muscle" || kind == "damper") return out;
    out.gain[0]      = general.gain[0];
    const bool servo = kind == "position" || kind == "intvelocity";
    if (servo) out.bias[2] = general.bias[2];
    if (kind == "cylinder") std::copy_n(general.bias.begin(), 3, out.bias.begin());
    if (kind == "cylinder" || (servo && general.dyn_type == "filterexact")) out.dynamics[0] = general.dynamics[0];
    if (kind == "position" && general.dyn_type == "filterexact") out.dyn_type = general.dyn_type;
    if (servo) out.inheritrange = general.inheritrange;
    return out;
}

}  // namespace

std::span<const std::string_view> actuator_kinds()
{
    static constexpr std::string_view kKinds[] = {"motor",    "position", "velocity", "intvelocity", "damper",
                                                  "cylinder", "muscle",   "adhesion", "general"};
    return kKinds;
}

bool is_actuator(std::string_view element)
{
    const auto kinds = actuator_kinds();
    return std::find(kinds.begin(), kinds.end(), element) != kinds.end();
}

bool is_actuator_law(std::string_view attribute)
{
    static constexpr std::string_view kLaw[] = {
        "kp",       "kv",        "dampratio", "timeconst", "gainprm", "biasprm", "dynprm", "area",
        "diameter", "bias",      "gaintype",  "biastype",  "gain",    "force",   "range",  "scale",
        "dyntype",  "tausmooth", "lmin",      "lmax",      "vmax",    "fpmax",   "fvmax",  "inheritrange"};
    return std::find(std::begin(kLaw), std::end(kLaw), attribute) != std::end(kLaw);
}

void resolve_includes(XmlElement& root, const std::string& file, Source& source)
{
    Including run{source, {file}};
    run.expand(root, file, file);
}

namespace {

/// An attribute over the one that it inherits. Of these lists MuJoCo reads as many numbers as there are, and the rest
/// stays as the class has it: friction="0.9" below friction="0.7 0.1 0.1" is 0.9 0.1 0.1.
std::string laid_over(std::string_view name, const std::string& own, const std::string& inherited)
{
    static constexpr std::string_view kLists[] = {
        "friction", "solref", "solimp",  "solreflimit", "solimplimit", "solreffriction", "solimpfriction",
        "size",     "gear",   "gainprm", "biasprm",     "dynprm",      "damping",        "stiffness"};
    if (std::find(std::begin(kLists), std::end(kLists), name) == std::end(kLists)) return own;
    const auto given = parse_numbers(own), above = parse_numbers(inherited);
    if (!given || !above || given->empty() || given->size() >= above->size()) return own;
    std::string text = own;
    for (std::size_t i = given->size(); i < above->size(); ++i) text += fmt::format(" {}", (*above)[i]);
    return text;
}

}  // namespace

// There may be several <default> sections: later ones add to the class "main" of the earlier ones.
void MjcfDefaults::read(const XmlElement& root, Source& source)
{
    for (const XmlElement& e : root.children)
        if (e.name == "default") {
            const std::string name = e.get("class", "main");
            const auto above       = classes_.contains("main") ? classes_["main"] : std::map<std::string, Attributes>();
            read_class(e, name, above, source);
        }
    classes_.try_emplace("main");
}

void MjcfDefaults::read_class(const XmlElement& e, const std::string& name,
                              const std::map<std::string, Attributes>& above, Source& source)
{
    e.use_all();
    // Inheritance is resolved here once: a class holds a copy of what stands above it, and what is read later needs one
    // look-up only.
    auto own = above;
    if (const auto up = above_.find(name); up != above_.end() && !actuators_.contains(name))
        actuators_[name] = {actuators_[up->second].law, {}, actuators_[up->second].shared};
    for (const XmlElement& c : e.children) {
        if (c.name == "default") continue;
        for (const XmlAttribute& a : c.attributes) {
            std::string& value = own[c.name][a.name];
            value              = laid_over(a.name, a.value, value);
        }
        if (is_actuator(c.name)) read_actuator(c, name, source);
    }
    // Classes below inherit what is complete, so they are read after all values of this one, wherever they stand in it.
    if (auto [at, fresh] = classes_.try_emplace(name, own); !fresh) at->second = own;
    for (const XmlElement& c : e.children) {
        if (c.name != "default") continue;
        const std::string* below = c.find("class");
        if (below == nullptr)
            source.error(kMissing, c.place, "a <default> below another has no class");
        else
            above_[*below] = name, read_class(c, *below, own, source);
    }
}

// MuJoCo keeps one record of an actuator in a class, and each element of <default> writes into it: of ranges and gears
// the last one counts, whatever its kind.
void MjcfDefaults::read_actuator(const XmlElement& c, const std::string& name, Source& source)
{
    const MjcfActuator law = mjcf_actuator(c, actuator_start(name, c.name), source);
    Actuators&         own = actuators_[name];
    own.law = law, own.last = c.name;
    for (const XmlAttribute& a : c.attributes)
        if (!is_actuator_law(a.name)) own.shared[a.name] = a.value;
    // MuJoCo's compiler bounds the command of these two, whatever the file says.
    if (c.name == "damper" || c.name == "adhesion") own.shared["ctrllimited"] = "true";
}

// A shortcut starts from a record of its own kind or of <general> alone, else from its own defaults; <general> takes
// whatever is there (MuJoCo 3.17).
MjcfActuator MjcfDefaults::actuator_start(const std::string& name, std::string_view kind) const
{
    if (kind == "general") {
        const auto here = actuators_.find(name);
        return here != actuators_.end() ? here->second.law : MjcfActuator{};
    }
    for (std::string at = name; !at.empty();) {
        const auto here = actuators_.find(at);
        if (here != actuators_.end() && here->second.last == kind) return here->second.law;
        if (here != actuators_.end() && here->second.last == "general") return of_general(here->second.law, kind);
        const auto next = above_.find(at);
        at              = next != above_.end() ? next->second : std::string();
    }
    return {};
}

const std::map<std::string, std::string>& MjcfDefaults::actuator_shared(const std::string& name) const
{
    static const std::map<std::string, std::string> kNone;
    const auto                                      here = actuators_.find(name);
    return here != actuators_.end() ? here->second.shared : kNone;
}

XmlElement MjcfDefaults::merged(const XmlElement& e, const std::string& kind, const std::string& childclass,
                                Source& source) const
{
    e.used           = true;
    std::string name = childclass.empty() ? "main" : childclass;
    if (const std::string* own = e.find("class")) {
        name = *own;
        if (!classes_.contains(name))
            source.error(kUnknownName, e.place, fmt::format("there is no class of defaults '{}'", name));
    }
    // The children are copied with their marks of use; settle() carries these back to the element of the document.
    XmlElement out{e.name, e.place, {}, e.children, e.text};
    out.used = true;
    if (const auto at = classes_.find(name); at != classes_.end())
        if (const auto values = at->second.find(kind); values != at->second.end())
            for (const auto& [attribute, value] : values->second) out.attributes.push_back({attribute, value});
    // One way to say an orientation, a size or a mass goes before another that the class says.
    static constexpr std::string_view kWays[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    const auto                        is_way  = [&](const XmlAttribute& a) {
        return std::find(std::begin(kWays), std::end(kWays), a.name) != std::end(kWays);
    };
    if (std::any_of(e.attributes.begin(), e.attributes.end(), is_way)) std::erase_if(out.attributes, is_way);
    for (const XmlAttribute& a : e.attributes) {
        const std::string* inherited = out.peek(a.name);
        out.set(a.name, inherited != nullptr ? laid_over(a.name, a.value, *inherited) : a.value);
    }
    return out;
}

void MjcfDefaults::settle(const XmlElement& e, const XmlElement& merged, const std::string& kind, Source& source)
{
    for (const XmlAttribute& m : merged.attributes) {
        // A value of a class is told as unread once for each kind and attribute, not for every element that inherits
        // it.
        bool own = false;
        for (const XmlAttribute& a : e.attributes)
            if (a.name == m.name) a.used = a.used || m.used, a.told = a.told || m.told, own = true;
        if (own || m.used || m.name == "class" || !told_.insert(kind + "\n" + m.name).second) continue;
        const std::string_view motion = changed_motion(kind, m.name);
        source.losses.add({"unread-default",
                           Severity::warning,
                           LossAction::dropped,
                           "metadata",
                           site_of(e.place),
                           fmt::format("default/{}/{}", kind, m.name),
                           m.value,
                           {},
                           motion.empty() ? "it is not read" : std::string(motion),
                           !motion.empty()});
    }
    for (std::size_t i = 0; i < e.children.size() && i < merged.children.size(); ++i)
        if (merged.children[i].used && !e.children[i].used) e.children[i].use_all();
}

Quatd z_to(const Vec3d& v)
{
    const Vec3d z{0, 0, 1}, to = normalized(v, z);
    // Straight down the shortest rotation is not unique; MuJoCo turns about x (mju_quatZ2Vec).
    if (to.z < -1 + 1e-12) return {1, 0, 0, 0};
    return rotation_between(z, to);
}

Quatd mjcf_euler(const Vec3d& angles, const MjcfCompiler& compiler)
{
    Quatd q;
    for (std::size_t i = 0; i < 3; ++i) {
        const char  c    = compiler.eulerseq[i];
        const Vec3d axis = axis_vector<double>(std::tolower(static_cast<unsigned char>(c)) - 'x');
        const Quatd turn = from_axis_angle(axis, angles[i] * (compiler.degrees ? kRadians : 1));
        // A lower-case letter turns about an axis that moves with the body (from the right), an upper-case one about a
        // fixed axis (from the left).
        q = std::islower(static_cast<unsigned char>(c)) != 0 ? q * turn : turn * q;
    }
    return normalized(q);
}

Quatd mjcf_orientation(const XmlElement& e, const MjcfCompiler& compiler, Source& source)
{
    const double angle = compiler.degrees ? kRadians : 1;
    // MJCF writes the real part of a quaternion first, Quatd holds it last.
    if (const auto q = source.numbers(e, "quat", 4, 4)) return normalized(Quatd{(*q)[1], (*q)[2], (*q)[3], (*q)[0]});
    if (const auto a = source.numbers(e, "axisangle", 4, 4)) {
        const Vec3d axis = normalized(Vec3d{(*a)[0], (*a)[1], (*a)[2]});
        return length(axis) > 0 ? from_axis_angle(axis, (*a)[3] * angle) : Quatd{};
    }
    if (const auto a = source.numbers(e, "xyaxes", 6, 6)) {
        const Vec3d x = normalized(Vec3d{(*a)[0], (*a)[1], (*a)[2]}), other{(*a)[3], (*a)[4], (*a)[5]};
        // y is made perpendicular to x by one step of Gram-Schmidt, z is their cross product.
        const Vec3d y = normalized(other - dot(x, other) * x);
        if (length(x) > 0 && length(y) > 0) return from_matrix(Mat33d::from_columns(x, y, cross(x, y)));
        source.error(kNumber, e.place, "xyaxes are no two directions");
        return {};
    }
    if (const auto z = source.vec3(e, "zaxis")) return z_to(*z);
    if (const auto v = source.vec3(e, "euler")) return mjcf_euler(*v, compiler);
    return {};
}

Posed mjcf_pose(const XmlElement& e, const MjcfCompiler& compiler, Source& source)
{ return {source.vec3(e, "pos").value_or(Vec3d{}), mjcf_orientation(e, compiler, source)}; }

// The force is gain(length, velocity) * activation + bias(length, velocity) with gain = g0 + g1 l + g2 v and bias = b0
// + b1 l + b2 v (MuJoCo, chapter Computation, section Actuation model). The shortcuts below are rewritten to these
// constants as the XML reference defines each of them; what an element does not say stays as its class has it.
MjcfActuator mjcf_actuator(const XmlElement& e, MjcfActuator out, Source& s)
{
    const auto fill = [&](const char* name, std::vector<double>& into) {
        if (const auto v = s.numbers(e, name, 1, 10)) std::copy(v->begin(), v->end(), into.begin());
    };
    const auto value = [&](const char* name, double otherwise) { return s.number(e, name).value_or(otherwise); };
    const auto types = [&](std::string gain, std::string bias, std::string dynamics) {
        out.gain_type = std::move(gain), out.bias_type = std::move(bias), out.dyn_type = std::move(dynamics);
    };
    if (const auto v = s.number(e, "inheritrange")) out.inheritrange = *v;
    if (e.name == "general") {
        out.gain_type = s.word(e, "gaintype", {"fixed", "affine", "muscle", "user"}).value_or(out.gain_type);
        out.bias_type = s.word(e, "biastype", {"none", "affine", "muscle", "user"}).value_or(out.bias_type);
        out.dyn_type  = s.word(e, "dyntype", {"none", "integrator", "filter", "filterexact", "muscle", "user"})
                            .value_or(out.dyn_type);
        fill("gainprm", out.gain), fill("biasprm", out.bias), fill("dynprm", out.dynamics);
    } else if (e.name == "motor") {
        out.gain[0] = 1;
        types("fixed", "none", "none");
        // Servo: kp (u - l) - kv v. The command of intvelocity is integrated first and then followed as a position.
    } else if (e.name == "position" || e.name == "intvelocity") {
        out.gain[0] = value("kp", out.gain[0]);
        out.bias[1] = -out.gain[0];
        // A positive number where the damping would be is a ratio of damping.
        if (const auto kv = s.number(e, "kv")) out.bias[2] = -*kv;
        if (const auto ratio = s.number(e, "dampratio"); ratio && *ratio > 0) out.bias[2] = *ratio;
        if (const auto time = s.number(e, "timeconst"))
            out.dynamics[0] = *time, out.dyn_type = *time > 0 ? "filterexact" : "none";
        types("fixed", "affine", e.name == "intvelocity" ? "integrator" : out.dyn_type);
        // Servo: kv (u - v).
    } else if (e.name == "velocity") {
        out.gain[0] = value("kv", out.gain[0]);
        std::fill(out.bias.begin(), out.bias.end(), 0.0);
        out.bias[2] = -out.gain[0];
        types("fixed", "affine", "none");
        // The command scales the damping: -kv v u.
    } else if (e.name == "damper") {
        const double kv = value("kv", -out.gain[2]);
        std::fill(out.gain.begin(), out.gain.end(), 0.0);
        out.gain[2] = -kv;
        types("affine", "none", "none");
    } else if (e.name == "cylinder") {
        out.dynamics[0] = value("timeconst", out.dynamics[0]);
        out.gain[0]     = value("area", out.gain[0]);
        // A diameter goes before an area: the force of a cylinder is pressure times pi d^2 / 4.
        if (const auto d = s.number(e, "diameter")) out.gain[0] = std::numbers::pi / 4 * *d * *d;
        fill("bias", out.bias);
        types("fixed", "affine", "filter");
    } else if (e.name == "muscle") {
        if (out.gain_type != "muscle") {
            out.gain     = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2, 0};
            out.dynamics = {0.01, 0.04, 0, 0, 0, 0, 0, 0, 0, 0};
        }
        fill("range", out.gain), fill("timeconst", out.dynamics);
        static constexpr const char* kWords[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
        for (std::size_t i = 0; i < std::size(kWords); ++i) out.gain[i + 2] = value(kWords[i], out.gain[i + 2]);
        out.bias        = out.gain;
        out.dynamics[2] = value("tausmooth", out.dynamics[2]);
        types("muscle", "muscle", "muscle");
    } else if (e.name == "adhesion") {
        out.gain[0] = value("gain", out.gain[0]);
        types("fixed", "none", out.dyn_type);
    }
    return out;
}

}  // namespace mechane::sourceformats
