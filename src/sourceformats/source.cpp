// What all readers share: numbers and words of attributes with findings, meshes and textures by address, and the list
// of what nobody read. A wrong value gives a finding and no value; the reader goes on with its default.
#include "sourceformats/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "mechane/files/read.h"
#include "mechane/files/suffix.h"
#include "mechane/geometry/mass.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/meshes/mesh_file.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;

// A mesh of a robot part has megabytes. A file of a GiB is refused before its memory is taken.
constexpr std::size_t kMostMeshBytes = std::size_t{1} << 30;

// By content, not by suffix: "PNG" and the start of a JPEG.
bool is_picture(const std::string& file)
{
    const auto head = files::read_head(file, 12);
    return head && (head->starts_with("\x89PNG") || head->starts_with("\xff\xd8\xff"));
}

std::string cut(std::string_view text)
{
    const std::string_view t = trimmed(text);
    return t.size() <= 120 ? std::string(t) : std::string(t.substr(0, 117)) + "...";
}

// The first row that fits counts: "inertia" before "joint", as in joint/inertial.
std::string_view category_of(std::string_view element)
{
    struct Row {
        std::string_view word, category;
    };
    static constexpr Row kRows[] = {
        {"inertia", "inertia"},        {"mass", "inertia"},       {"collision", "collision"},
        {"contact", "contact"},        {"geom", "collision"},     {"visual", "visual"},
        {"material", "material"},      {"texture", "material"},   {"light", "light"},
        {"transmission", "actuation"}, {"actuator", "actuation"}, {"safety", "actuation"},
        {"ros2_control", "ros"},       {"gazebo", "ros"},         {"sensor", "ros"},
        {"camera", "visual"},          {"joint", "kinematics"},   {"limit", "kinematics"},
        {"calibration", "kinematics"}, {"tendon", "kinematics"},  {"equality", "kinematics"},
        {"option", "metadata"},        {"statistic", "metadata"}, {"keyframe", "metadata"}};
    for (const Row& row : kRows)
        if (element.find(row.word) != std::string_view::npos) return row.category;
    return "metadata";
}

/// Elements of MJCF that are not read and without which the robot moves in another way.
bool changes_motion(std::string_view element)
{
    static constexpr std::string_view kNames[] = {"pair",     "composite", "flexcomp", "flex",
                                                  "flexvert", "attach",    "plugin"};
    return std::find(std::begin(kNames), std::end(kNames), element) != std::end(kNames);
}

}  // namespace

std::string_view changed_motion(std::string_view element, std::string_view attribute)
{
    struct Row {
        std::string_view element, attribute, reason;  ///< element: "" for any
    };
    static constexpr Row kRows[] = {
        {"geom", "surfacevel", "the surface of a shape stands still here"},
        {"geom", "adhesion", "contacts pull at nothing here"},
        {"", "nsample", "commands come without a delay here"},
        {"", "delay", "commands come without a delay here"},
        {"option", "actuatorgroupdisable", "actuators of all groups act here"},
    };
    for (const Row& row : kRows)
        if (attribute == row.attribute && (row.element.empty() || element == row.element)) return row.reason;
    return {};
}

std::optional<double> Source::number(const XmlElement& e, std::string_view attribute)
{
    const std::string* text = e.find(attribute);
    if (text == nullptr) return std::nullopt;
    const auto v = parse_number(*text);
    if (v && std::isfinite(*v)) return v;
    error(kNumber, e.place, fmt::format("{} of <{}> is '{}', expected a number", attribute, e.name, cut(*text)));
    return std::nullopt;
}

// All numbers of the list must be finite; infinity means "no
// limit" in no attribute that is read here.
std::optional<std::vector<double>> Source::numbers(const XmlElement& e, std::string_view attribute, std::size_t least,
                                                   std::size_t most)
{
    const std::string* text = e.find(attribute);
    if (text == nullptr) return std::nullopt;
    auto v = parse_numbers(*text);
    if (v && v->size() >= least && v->size() <= most &&
        std::all_of(v->begin(), v->end(), [](double x) { return std::isfinite(x); }))
        return v;
    error(kNumber, e.place,
          fmt::format("{} of <{}> is '{}', expected {} numbers", attribute, e.name, cut(*text),
                      least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
    return std::nullopt;
}

std::optional<Vec3d> Source::vec3(const XmlElement& e, std::string_view attribute)
{
    const auto v = numbers(e, attribute, 3, 3);
    if (!v) return std::nullopt;
    return Vec3d{(*v)[0], (*v)[1], (*v)[2]};
}

std::optional<std::string> Source::word(const XmlElement& e, std::string_view attribute,
                                        std::initializer_list<std::string_view> words)
{
    const std::string* text = e.find(attribute);
    if (text == nullptr) return std::nullopt;
    const std::string v(trimmed(*text));
    if (std::find(words.begin(), words.end(), v) != words.end()) return v;
    error(kWord, e.place,
          fmt::format("{} of <{}> is '{}', expected {}", attribute, e.name, cut(v), fmt::join(words, ", ")));
    return std::nullopt;
}

std::string Source::unique(std::set<std::string>& taken, const std::string& name, const XmlElement& e,
                           std::string_view what, bool told)
{
    std::string out = name;
    for (int i = 1; !taken.insert(out).second; ++i) out = fmt::format("{}_{}", name, i);
    // Names that the file did not say are made unique without a word.
    if (told && out != name)
        error(kDuplicate, e.place, fmt::format("there is another {} '{}'; this one is called '{}'", what, name, out));
    return out;
}

int Source::mesh(const std::string& address, const std::string& folder, const Place& at)
{
    const std::string file = finder.find(address, folder);
    if (file.empty()) {
        error(kMeshMissing, at, finder.why_not(address, folder));
        return -1;
    }
    std::error_code failed;
    // The canonical path: one mesh that is named in two ways is read once.
    const std::string key = fs::weakly_canonical(file, failed).string();
    if (const auto known = meshes_.find(key); known != meshes_.end()) {
        if (known->second < 0) error(kMeshInvalid, at, fmt::format("{} cannot be read", address));
        return known->second;
    }
    // A file that cannot be read is tried once; its other users get the same answer.
    int& slot = meshes_[key] = -1;
    auto bytes               = files::read(file, kMostMeshBytes);
    if (!bytes) {
        error(kMeshInvalid, at, fmt::format("{}: {}", address, bytes.error().message));
        return -1;
    }
    const std::string mesh_folder = folder_of(file);
    // OBJ and glTF name further files (materials, buffers). They are looked for beside the mesh.
    const Beside beside = [&](const std::string& other) {
        const std::string found_file = finder.find(other, mesh_folder);
        auto              content =
            found_file.empty() ? Result<std::string>(std::string()) : files::read(found_file, kMostMeshBytes);
        return content ? std::move(*content) : std::string();
    };
    MeshRead read = parse_mesh(*bytes, files::suffix_of(file), beside);
    if (!read.error.empty()) {
        error(kMeshInvalid, at, fmt::format("{}: {}", address, read.error));
        return -1;
    }
    if (!read.note.empty())
        losses.add(
            {"mesh-faces", Severity::warning, LossAction::dropped, "visual", site_of(at), address, {}, {}, read.note});
    MeshAsset asset;
    asset.name    = fs::path(file).stem().string();
    asset.address = address;
    asset.place   = at;
    asset.points  = std::move(read.data.points);
    asset.counts  = std::move(read.data.counts);
    asset.corners = std::move(read.data.corners);
    asset.normals = std::move(read.data.normals);
    asset.uvs     = std::move(read.data.uvs);
    // Faces by material. A mesh of one material has one subset, which the writer binds as a whole.
    std::vector<MeshSubset> subsets(read.data.materials.size());
    for (std::size_t f = 0; f < read.data.face_materials.size(); ++f)
        if (const int m = read.data.face_materials[f]; m >= 0 && static_cast<std::size_t>(m) < subsets.size())
            subsets[static_cast<std::size_t>(m)].faces.push_back(static_cast<int>(f));
    for (std::size_t m = 0; m < subsets.size(); ++m) {
        if (subsets[m].faces.empty()) continue;
        const MeshMaterial& from = read.data.materials[m];
        Material            made;
        made.name = from.name.empty() ? fmt::format("{}_{}", asset.name, m) : from.name;
        made.rgba = from.rgba;
        // A mesh file may hold anything; metallic and roughness are shares.
        made.metallic  = std::clamp(std::isfinite(from.metallic) ? from.metallic : 0.0, 0.0, 1.0);
        made.roughness = std::clamp(std::isfinite(from.roughness) ? from.roughness : 0.5, 0.0, 1.0);
        if (!from.texture.empty()) made.texture = texture(from.texture, mesh_folder, at);
        made.place          = at;
        subsets[m].name     = made.name;
        subsets[m].material = material(std::move(made));
        asset.subsets.push_back(std::move(subsets[m]));
    }
    slot = static_cast<int>(tree.meshes.size());
    tree.meshes.push_back(std::move(asset));
    return slot;
}

std::string Source::texture(const std::string& address, const std::string& folder, const Place& at)
{
    const std::string file = finder.find(address, folder);
    if (file.empty()) {
        error(kTextureMissing, at, finder.why_not(address, folder));
        return {};
    }
    if (is_picture(file)) return file;
    error(kTextureMissing, at, fmt::format("{} is neither PNG nor JPEG", address));
    return {};
}

// Equal looks are one material, whoever named them.
int Source::material(Material made)
{
    for (std::size_t i = 0; i < tree.materials.size(); ++i) {
        const Material& m = tree.materials[i];
        if (m.name == made.name && m.rgba == made.rgba && m.texture == made.texture && m.metallic == made.metallic &&
            m.roughness == made.roughness && m.emission == made.emission)
            return static_cast<int>(i);
    }
    tree.materials.push_back(std::move(made));
    return static_cast<int>(tree.materials.size()) - 1;
}

// Every element and attribute marks its use when it is read. What is left is listed once with the first element that
// nothing read, and with the number of values below it.
// This is what makes the loss report complete: a value that no reader asked for is listed without anybody having to
// think of it. `why` is the reason that a reader left at an element, and holds for all below it.
void Source::leftovers(const XmlElement& e, const std::string& path, const std::string& above)
{
    const std::string& why  = e.why.empty() ? above : e.why;
    const std::string* name = e.peek("name");
    const std::string  here =
        path + (path.empty() ? "" : "/") + e.name + (name != nullptr ? fmt::format(" '{}'", cut(*name)) : "");
    if (!e.used) {
        std::size_t values = 0, elements = 0;
        const auto  count = [&](const XmlElement& at, const auto& self) -> void {
            ++elements;
            values += at.attributes.size() + (trimmed(at.text).empty() ? 0 : 1);
            for (const XmlElement& c : at.children) self(c, self);
        };
        count(e, count);
        std::string value = cut(e.text);
        for (const XmlAttribute& a : e.attributes)
            value += fmt::format("{}{}=\"{}\"", value.empty() ? "" : " ", a.name, cut(a.value));
        losses.add({"unread-element",
                    Severity::warning,
                    LossAction::dropped,
                    std::string(category_of(here)),
                    site_of(e.place),
                    here,
                    cut(value),
                    {},
                    fmt::format("{} ({} elements, {} values)", why.empty() ? "USD cannot express it here" : why,
                                elements, values),
                    why.empty() && changes_motion(e.name)});
        return;
    }
    // `told`: its use has an entry of its own already. Namespaces of XML are no values.
    for (const XmlAttribute& a : e.attributes) {
        if (a.used) {
            losses.kept += a.told ? 0 : 1;
        } else if (!a.name.starts_with("xmlns")) {
            const std::string_view motion = why.empty() ? changed_motion(e.name, a.name) : std::string_view();
            losses.add({"unread-attribute",
                        Severity::warning,
                        LossAction::dropped,
                        std::string(category_of(here)),
                        site_of(e.place),
                        here + "/" + a.name,
                        cut(a.value),
                        {},
                        !motion.empty() ? std::string(motion)
                        : why.empty()   ? "it is not read"
                                        : why,
                        !motion.empty()});
        }
    }
    for (const XmlElement& c : e.children) leftovers(c, here, why);
}

void Source::report_leftovers(const XmlElement& root) { leftovers(root, "", ""); }

// -0 and 0 are written alike, so that files do not differ by a sign without meaning. fmt prints the shortest text
// that reads back to the same number.
std::string usda_number(double v)
{
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    return fmt::format("{}", v == 0 ? 0.0 : v);
}

std::string usda_list(std::span<const double> numbers, char open)
{
    std::string out(1, open);
    for (const double v : numbers) out += (out.size() > 1 ? ", " : "") + usda_number(v);
    return out + (open == '[' ? ']' : ')');
}

std::string usda_bool(bool v) { return v ? "true" : "false"; }

std::string usda_string(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        // Line breaks cannot stand in a string of one line; in names and descriptions a space says as much.
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out + "\"";
}

Quatd from_rpy(double roll, double pitch, double yaw)
{
    // Roll, pitch and yaw about fixed axes x, y, z, in this order: R = Rz(yaw) Ry(pitch) Rx(roll).
    return normalized(from_axis_angle(Vec3d{0, 0, 1}, yaw) * from_axis_angle(Vec3d{0, 1, 0}, pitch) *
                      from_axis_angle(Vec3d{1, 0, 0}, roll));
}

// Half of what the rule allows, so that what is written here still passes after rounding to float.
bool is_inertia(const Mat33d& inertia)
{
    if (!is_finite(inertia)) return false;
    const Vec3d  d   = geometry::principal_axes(inertia).values;
    const double sum = d.x + d.y + d.z;
    // A principal moment is at most the sum of the other two.
    if (!(d.x > 0 && d.y > 0 && d.z > 0)) return false;
    return max_component(d) <= (sum - max_component(d)) * (1 + 5e-4);  // half of what REP-1.3-r allows
}

}  // namespace mechane::sourceformats
