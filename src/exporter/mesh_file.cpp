// These are meshes as such, for `mechane mesh` and the like; meshes of robots are written by Output (output.cpp).
// Meshes as files of their own. Names that a prim cannot have get underscores; equal names get a number.

#include "mechane/exporter/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "exporter/mesh_text.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"
#include "mechane/usd/layer.h"

namespace mechane::exporter {
namespace {

std::vector<std::string> unique_names(const std::vector<NamedMesh>& meshes)
{
    std::set<std::string>    taken;
    std::vector<std::string> out;
    for (const NamedMesh& m : meshes) {
        std::string clean;
        for (const char c : m.name) clean += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
        if (clean.empty() || std::isdigit(static_cast<unsigned char>(clean.front())) != 0) clean.insert(0, "_");
        std::string name = clean;
        for (int i = 1; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", clean, i);
        out.push_back(std::move(name));
    }
    return out;
}

geometry::Mesh joined(const std::vector<NamedMesh>& meshes)
{
    geometry::Mesh out;
    for (const NamedMesh& m : meshes) {
        // Indices of a mesh begin behind the points of those before it.
        const auto first = static_cast<std::int32_t>(out.points.size());
        out.points.insert(out.points.end(), m.mesh.points.begin(), m.mesh.points.end());
        for (const auto& t : m.mesh.triangles) out.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    return out;
}

std::string obj_of(const std::vector<NamedMesh>& meshes)
{
    std::string out;
    auto        to    = std::back_inserter(out);
    const auto  names = unique_names(meshes);
    // OBJ counts points from one, over all objects of the file.
    std::size_t first = 1;
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        fmt::format_to(to, "o {}\n", names[m]);
        // Single precision prints short and is what readers keep.
        for (const Vec3d& p : meshes[m].mesh.points)
            fmt::format_to(to, "v {} {} {}\n", static_cast<float>(p.x), static_cast<float>(p.y),
                           static_cast<float>(p.z));
        for (const auto& t : meshes[m].mesh.triangles)
            fmt::format_to(to, "f {} {} {}\n", first + static_cast<std::size_t>(t[0]),
                           first + static_cast<std::size_t>(t[1]), first + static_cast<std::size_t>(t[2]));
        first += meshes[m].mesh.points.size();
    }
    return out;
}

std::string ply_of(const geometry::Mesh& mesh)
{
    std::string out = fmt::format(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n"
        "property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.points.size(), mesh.triangles.size());
    // Little-endian, as the header says; so is every machine that this program runs on.
    const auto put = [&](const auto& value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (const Vec3d& p : mesh.points)
        for (std::size_t i = 0; i < 3; ++i) put(static_cast<float>(p[i]));
    for (const auto& t : mesh.triangles) {
        out += '\3';
        for (const std::int32_t i : t) put(i);
    }
    return out;
}

std::string usda_of(const std::vector<NamedMesh>& meshes, char up_axis)
{
    std::string out = fmt::format(
        "#usda 1.0\n(\n    defaultPrim = \"Meshes\"\n    metersPerUnit = 1\n    upAxis = \"{}\"\n)\n\n"
        "def Xform \"Meshes\"\n{{\n",
        up_axis);
    auto       to    = std::back_inserter(out);
    const auto names = unique_names(meshes);
    // Text of USDA is parsed by the layer, which then writes either form.
    const auto point = [](const Vec3d& p) {
        return fmt::format("({}, {}, {})", static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z));
    };
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        const geometry::Mesh&    mesh = meshes[m].mesh;
        std::vector<std::string> points;
        for (const Vec3d& p : mesh.points) points.push_back(point(p));
        std::vector<std::int32_t> corners;
        for (const auto& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
        fmt::format_to(
            to, "    def Mesh \"{}\"{}\n    {{\n", names[m],
            meshes[m].collider
                ? " (\n        prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]\n    )"
                : "");
        fmt::format_to(to,
                       "        uniform token subdivisionScheme = \"none\"\n        int[] faceVertexCounts = [{}]\n",
                       fmt::join(std::vector<int>(mesh.triangles.size(), 3), ", "));
        fmt::format_to(to, "        int[] faceVertexIndices = [{}]\n        point3f[] points = [{}]\n",
                       fmt::join(corners, ", "), fmt::join(points, ", "));
        if (!mesh.points.empty()) {
            // An extent saves readers from computing bounds.
            const geometry::Aabbd box = geometry::bounds(mesh);
            fmt::format_to(to, "        float3[] extent = [{}, {}]\n", point(box.lower), point(box.upper));
        }
        if (meshes[m].collider)
            out +=
                "        uniform token physics:approximation = \"convexHull\"\n"
                "        uniform token purpose = \"guide\"\n";
        out += "    }\n";
    }
    return out + "}\n";
}

}  // namespace

bool is_mesh_file(const std::string& file)
{
    static constexpr std::string_view kKnown[] = {".obj", ".stl", ".ply", ".usda", ".usdc", ".usd"};
    return std::find(std::begin(kKnown), std::end(kKnown), files::suffix_of(file)) != std::end(kKnown);
}

Result<void> write_mesh_file(const std::vector<NamedMesh>& meshes, const std::string& file, char up_axis)
{
    const std::string suffix = files::suffix_of(file);
    if (suffix == ".obj") return files::replace(file, obj_of(meshes));
    if (suffix == ".stl") return files::replace(file, stl_text(joined(meshes)));
    if (suffix == ".ply") return files::replace(file, ply_of(joined(meshes)));
    // The name decides the format: .usda is text, .usdc and .usd are binary.
    auto layer = usd::Layer::from_text(usda_of(meshes, up_axis), "meshes.usda");
    if (!layer) return layer.error();
    return layer->save(file);
}

}  // namespace mechane::exporter
