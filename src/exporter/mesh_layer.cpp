// Meshes as a layer over the stage that they stand in: `over` prims with points and faces, and blocks for what belonged
// to the old ones. Inputs: prims with their new meshes, in their own frames and units. Output: a layer whose sublayer
// is the stage. Called by `mechane mesh --layer`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <set>

#include "mechane/exporter/mesh_file.h"
#include "mechane/files/replace.h"
#include "mechane/usd/layer.h"

namespace mechane::exporter {
namespace {

namespace fs = std::filesystem;

/// A prim of the layer: what is said of it, and its children by name.
struct Over {
    std::string                 text;
    std::map<std::string, Over> children;
};

std::string point(const Vec3d& p)
{ return fmt::format("({}, {}, {})", static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)); }

/// Attributes that have an entry for each point, corner or face.
bool counts_elements(const usd::Attribute& attribute)
{
    static const std::set<std::string> kOf{"normals",       "velocities",    "accelerations",
                                           "holeIndices",   "cornerIndices", "cornerSharpnesses",
                                           "creaseIndices", "creaseLengths", "creaseSharpnesses"};
    const std::string                  name = attribute.name().text();
    if (kOf.contains(name)) return true;
    if (!name.starts_with("primvars:") || name.ends_with(":indices")) return false;
    const auto interpolation = attribute.metadata("interpolation").get<std::string>();
    return interpolation.has_value() && *interpolation != "constant";
}

void block(Over& over, const usd::Attribute& attribute, std::vector<std::string>& blocked)
{
    if (!attribute.authored()) return;
    over.text += fmt::format("{}{} {} = None\n", attribute.uniform() ? "uniform " : "", attribute.type_name(),
                             attribute.name().text());
    blocked.push_back(attribute.path().text());
}

void say(Over& over, const PlacedMesh& one, std::vector<std::string>& blocked)
{
    std::vector<std::string> points;
    for (const Vec3d& p : one.mesh.points) points.push_back(point(p));
    std::vector<std::int32_t> corners;
    for (const auto& t : one.mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
    over.text +=
        fmt::format("int[] faceVertexCounts = [{}]\n", fmt::join(std::vector<int>(one.mesh.triangles.size(), 3), ", "));
    over.text += fmt::format("int[] faceVertexIndices = [{}]\n", fmt::join(corners, ", "));
    over.text += fmt::format("point3f[] points = [{}]\n", fmt::join(points, ", "));
    over.text += "uniform token orientation = \"rightHanded\"\nuniform token subdivisionScheme = \"none\"\n";
    if (!one.mesh.points.empty()) {
        const geometry::Aabbd box = geometry::bounds(one.mesh);
        over.text += fmt::format("float3[] extent = [{}, {}]\n", point(box.lower), point(box.upper));
    }
    if (one.hull && one.prim.has_api("PhysicsMeshCollisionAPI"))
        over.text += "uniform token physics:approximation = \"convexHull\"\n";
    for (const usd::Token& name : one.prim.authored_property_names()) {
        const usd::Attribute attribute = one.prim.attribute(name);
        if (!counts_elements(attribute)) continue;
        block(over, attribute, blocked);
        if (name.text().starts_with("primvars:")) block(over, one.prim.attribute(name.text() + ":indices"), blocked);
    }
    for (const usd::Prim& child : one.prim.children())
        if (child.type_name().text() == "GeomSubset" && child.attribute("indices").authored()) {
            over.children[child.name().text()].text += "int[] indices = []\n";
            blocked.push_back(child.path().text());
        }
}

void write(std::string& out, const Over& over, const std::string& indent)
{
    std::size_t at = 0;
    while (at < over.text.size()) {
        const std::size_t end = over.text.find('\n', at);
        out += indent + over.text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    for (const auto& [name, child] : over.children) {
        out += fmt::format("{0}over \"{1}\"\n{0}{{\n", indent, name);
        write(out, child, indent + "    ");
        out += indent + "}\n";
    }
}

/// The stage as seen from the folder of the layer.
std::string sublayer(const std::string& source, const std::string& file)
{
    std::error_code failed;
    const fs::path  from = fs::absolute(file, failed).lexically_normal().parent_path(),
                    to = fs::absolute(source, failed).lexically_normal(), way = to.lexically_relative(from);
    if (way.empty()) return to.generic_string();
    const std::string text = way.generic_string();
    return text.starts_with("..") ? text : "./" + text;
}

}  // namespace

Result<void> write_mesh_layer(const std::vector<PlacedMesh>& meshes, const usd::Stage& stage, const std::string& file,
                              std::vector<std::string>& blocked)
{
    Over root;
    for (const PlacedMesh& one : meshes) {
        Over*             at   = &root;
        const std::string path = one.prim.path().text();
        for (std::size_t begin = 1; begin < path.size();) {
            const std::size_t end = std::min(path.find('/', begin), path.size());
            at                    = &at->children[path.substr(begin, end - begin)];
            begin                 = end + 1;
        }
        say(*at, one, blocked);
    }
    const usd::StageMetadata& meta = stage.metadata();
    // A path stands between three marks: it may hold one.
    const std::string below = sublayer(stage.source(), file);
    const char*       mark  = below.find('@') != std::string::npos ? "@@@" : "@";
    std::string       text  = "#usda 1.0\n(\n";
    if (!meta.default_prim.empty()) text += fmt::format("    defaultPrim = \"{}\"\n", meta.default_prim);
    if (meta.authored_kilograms_per_unit) text += fmt::format("    kilogramsPerUnit = {}\n", meta.kilograms_per_unit);
    if (meta.authored_meters_per_unit) text += fmt::format("    metersPerUnit = {}\n", meta.meters_per_unit);
    text += fmt::format("    subLayers = [{0}{1}{0}]\n    timeCodesPerSecond = {2}\n", mark, below,
                        meta.time_codes_per_second);
    if (meta.authored_up_axis) text += fmt::format("    upAxis = \"{}\"\n", meta.up_axis);
    text += ")\n\n";
    write(text, root, "");
    auto layer = usd::Layer::from_text(text, "meshes.usda");
    if (!layer) return layer.error();
    return layer->save(file);
}

}  // namespace mechane::exporter
