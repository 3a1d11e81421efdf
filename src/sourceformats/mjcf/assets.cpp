// <asset>: meshes, height fields, textures, materials.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "mechane/files/read.h"
#include "mechane/sourceformats/codes.h"
#include "mechane/usd/picture.h"
#include "sourceformats/mjcf/builtin_meshes.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

std::string MjcfReader::asset_path(const std::string& dir, std::string file) const
{
    if (compiler_.strippath) file = std::filesystem::path(file).filename().string();
    if (dir.empty() || std::filesystem::path(file).is_absolute()) return file;
    return (std::filesystem::path(dir) / file).string();
}

void MjcfReader::assets(const XmlElement& e)
{
    for (const XmlElement& c : e.children)
        // Materials name textures, which may stand behind them: textures are read first.
        if (c.name == "texture") texture(c);
    for (const XmlElement& c : e.children) {
        if (c.name == "material") material(c);
        if (c.name == "mesh") mesh(c);
        if (c.name == "model") model(c);
        if (c.name == "hfield") height_field(c);
    }
}

void MjcfReader::model(const XmlElement& e)
{
    const std::string* file = e.find("file");
    if (file == nullptr) return s_.error(kMissing, e.place, "a model of <asset> names no file");
    e.used = true;
    e.find("content_type");
    models_[e.get("name", std::filesystem::path(*file).stem().string())] = {*file, e.place};
}

void MjcfReader::close_field(MeshAsset& asset, int rows, int columns, double bottom)
{
    // The rim goes once around the grid; each of its edges gets a wall of two triangles and one triangle of the floor,
    // whose centre is the point (0, 0, bottom).
    std::vector<int> rim;  // counter-clockwise, seen from above
    for (int c = 0; c + 1 < columns; ++c) rim.push_back(c);
    for (int r = 0; r + 1 < rows; ++r) rim.push_back(r * columns + columns - 1);
    for (int c = columns - 1; c > 0; --c) rim.push_back((rows - 1) * columns + c);
    for (int r = rows - 1; r > 0; --r) rim.push_back(r * columns);
    const int first = static_cast<int>(asset.points.size()), n = static_cast<int>(rim.size());
    for (const int p : rim) asset.points.push_back({asset.points[at(p)].x, asset.points[at(p)].y, bottom});
    asset.points.push_back({0, 0, bottom});
    const auto face = [&](int a, int b, int c) {
        asset.counts.push_back(3);
        asset.corners.insert(asset.corners.end(), {a, b, c});
    };
    for (int i = 0; i < n; ++i) {
        const int j = (i + 1) % n;
        face(rim[at(i)], first + i, first + j);
        face(rim[at(i)], first + j, rim[at(j)]);
        face(first + n, first + j, first + i);
    }
}

void MjcfReader::height_field(const XmlElement& e)
{
    const auto          size = s_.numbers(e, "size", 4, 4);
    std::string         name = e.get("name");
    double              rows = s_.number(e, "nrow").value_or(0), columns = s_.number(e, "ncol").value_or(0);
    std::vector<double> heights = s_.numbers(e, "elevation", 1, 4'000'000).value_or(std::vector<double>());
    if (const std::string* file = e.find("file")) {  // pictures and texts lie from the top down, too
        if (name.empty()) name = std::filesystem::path(*file).stem().string();
        const std::string path = s_.finder.find(asset_path(compiler_.meshdir, *file), folder_);
        const auto        bytes =
            path.empty() ? std::nullopt : usd::decode_picture(files::read_given(path).value_or(std::string()));
        if (!bytes)
            return s_.error(kMeshMissing, e.place,
                            fmt::format("the height field '{}' is not a readable PNG", *file));
        // A grey picture has its value in each of the three channels; the first stands for it.
        rows = bytes->height, columns = bytes->width;
        for (std::size_t i = 0; i < bytes->rgba.size(); i += 4) heights.push_back(bytes->rgba[i]);
    }
    if (!size || name.empty()) return s_.error(kMissing, e.place, "a height field has no name, or not four sizes");
    const bool whole = rows >= 2 && columns >= 2 && rows * columns <= 4e6 && rows == std::floor(rows) &&
                       columns == std::floor(columns);
    if (!whole || (!heights.empty() && static_cast<double>(heights.size()) != rows * columns) ||
        !((*size)[0] > 0 && (*size)[1] > 0 && (*size)[3] > 0))
        return s_.error(kShape, e.place,
                        fmt::format("the height field '{}' has not its {} x {} heights", name, rows, columns));
    const int nr = static_cast<int>(rows), nc = static_cast<int>(columns);
    heights.resize(at(nr) * at(nc), 0);
    const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
    // MuJoCo normalises heights to 0 .. 1 by their smallest and largest value; size is x and y half width, height at 1,
    // depth of the base [m].
    const double base = *low, range = *high > *low ? *high - *low : 1;
    MeshAsset    asset;
    asset.name = asset.address = name;
    asset.place                = e.place;
    for (int r = 0; r < nr; ++r)
        for (int c = 0; c < nc; ++c)
            // The first row of the file is the farthest one in y: rows of pictures run down, y runs up.
            asset.points.push_back({(*size)[0] * (2.0 * c / (nc - 1) - 1), (*size)[1] * (2.0 * r / (nr - 1) - 1),
                                    (*size)[2] * (heights[at(nr - 1 - r) * at(nc) + at(c)] - base) / range});
    for (int r = 0; r + 1 < nr; ++r)
        for (int c = 0; c + 1 < nc; ++c) {
            const int a = r * nc + c, b = a + 1, up = a + nc;
            // MuJoCo cuts a cell from its first corner to the opposite one.
            for (const std::array<int, 3>& t : {std::array<int, 3>{a, b, up + 1}, std::array<int, 3>{a, up + 1, up}}) {
                asset.counts.push_back(3);
                asset.corners.insert(asset.corners.end(), t.begin(), t.end());
            }
        }
    close_field(asset, nr, nc, -(*size)[3]);
    hfields_[name] = static_cast<int>(tree_.meshes.size());
    tree_.meshes.push_back(std::move(asset));
}

void MjcfReader::texture(const XmlElement& e)
{
    const std::string* file = e.find("file");
    std::string        name = e.get("name");
    e.find("type");
    if (file == nullptr) return;
    if (name.empty()) name = std::filesystem::path(*file).stem().string();
    const std::string found = s_.texture(asset_path(compiler_.texturedir, *file), folder_, e.place);
    if (!found.empty()) textures_[name] = found;
}

void MjcfReader::material(const XmlElement& e)
{
    const XmlElement   m = defaults_.merged(e, "material", "", s_);
    Material           made;
    const std::string* name = m.find("name");
    if (name == nullptr) return s_.error(kMissing, e.place, "a material has no name");
    made.name  = *name;
    made.place = e.place;
    made.rgba  = {1, 1, 1, 1};
    if (const auto v = s_.numbers(m, "rgba", 4, 4)) std::copy(v->begin(), v->end(), made.rgba.begin());
    if (const std::string* t = m.find("texture"); t != nullptr && textures_.contains(*t)) made.texture = textures_[*t];
    if (const auto v = s_.number(m, "metallic"); v && *v >= 0) made.metallic = *v;
    if (const auto v = s_.number(m, "roughness"); v && *v >= 0)
        made.roughness = *v;
    else if (const auto shine = s_.number(m, "shininess"))
        // shininess 0 .. 1 is the older word; a surface that shines fully has no roughness.
        made.roughness = std::clamp(1 - *shine, 0.0, 1.0);
    // emission is a factor of the colour, USD wants the colour that is sent out.
    if (const auto v = s_.number(m, "emission"); v && *v > 0)
        for (std::size_t i = 0; i < 3; ++i) made.emission[i] = *v * made.rgba[i];
    defaults_.settle(e, m, "material", s_);
    materials_[*name] = s_.material(std::move(made));
}

int MjcfReader::add_mesh(std::vector<Vec3d> points, std::vector<std::array<int, 3>> triangles, const std::string& name,
                         const Place& place)
{
    MeshAsset asset;
    asset.name = asset.address = name;
    asset.place                = place;
    asset.points               = std::move(points);
    if (triangles.empty())
        // Points without faces stand for their convex hull.
        if (const auto hull = mjcf_hull(asset.points)) {
            asset.points = hull->points;
            for (const auto& t : hull->triangles) triangles.push_back({t[0], t[1], t[2]});
        }
    if (triangles.empty()) {
        s_.error(kMeshInvalid, place, fmt::format("the mesh '{}' has no face", name));
        return -1;
    }
    for (const auto& t : triangles) {
        asset.counts.push_back(3);
        asset.corners.insert(asset.corners.end(), t.begin(), t.end());
    }
    tree_.meshes.push_back(std::move(asset));
    return static_cast<int>(tree_.meshes.size()) - 1;
}

int MjcfReader::mesh_of_numbers(const XmlElement& m, const std::string& builtin, const std::string& name,
                                std::string& inertia)
{
    if (!builtin.empty()) {
        const auto  params = s_.numbers(m, "params", 1, 16).value_or(std::vector<double>());
        BuiltinMesh made   = builtin_mesh(builtin, params);
        if (!made.fault.empty()) {
            s_.error(kMeshInvalid, m.place,
                     fmt::format("the mesh '{}' (builtin=\"{}\"): {}", name, builtin, made.fault),
                     "The kinds and their parameters stand in MuJoCo's XML reference at asset/mesh/builtin.");
            return -1;
        }
        if (made.shell) inertia = "shell";
        return add_mesh(std::move(made.points), std::move(made.triangles), name, m.place);
    }
    // Four points at least span a volume.
    const auto vertices = s_.numbers(m, "vertex", 12, 30'000'000);
    if (!vertices) {
        s_.error(kMeshInvalid, m.place, fmt::format("the mesh '{}' has neither a file nor vertices", name));
        return -1;
    }
    std::vector<Vec3d>              points;
    std::vector<std::array<int, 3>> triangles;
    for (std::size_t i = 0; i + 2 < vertices->size(); i += 3)
        points.push_back({(*vertices)[i], (*vertices)[i + 1], (*vertices)[i + 2]});
    if (const auto faces = s_.numbers(m, "face", 3, 30'000'000)) {
        for (std::size_t i = 0; i + 2 < faces->size(); i += 3) {
            std::array<int, 3> t{};
            bool               good = true;
            for (std::size_t c = 0; c < 3; ++c) {
                const double v = (*faces)[i + c];
                good           = good && v >= 0 && v < static_cast<double>(points.size()) && v == std::floor(v);
                t[c]           = good ? static_cast<int>(v) : 0;
            }
            if (good) triangles.push_back(t);
        }
        if (triangles.empty()) {
            s_.error(kMeshInvalid, m.place, fmt::format("the mesh '{}' has no face", name));
            return -1;
        }
    }
    return add_mesh(std::move(points), std::move(triangles), name, m.place);
}

void MjcfReader::mesh(const XmlElement& e)
{
    const XmlElement   m    = defaults_.merged(e, "mesh", "", s_);
    const std::string* file = m.find("file");
    std::string        name = m.get("name");
    if (name.empty() && file != nullptr) name = std::filesystem::path(*file).stem().string();
    Vec3d scale = s_.vec3(m, "scale").value_or(Vec3d{1, 1, 1});
    if (scale.x == 0 || scale.y == 0 || scale.z == 0)
        return s_.error(kShape, e.place, fmt::format("the scale of mesh '{}' is zero", name));
    Posed ref{s_.vec3(m, "refpos").value_or(Vec3d{}), {}};
    if (const auto q = s_.numbers(m, "refquat", 4, 4)) ref.q = normalized(Quatd{(*q)[1], (*q)[2], (*q)[3], (*q)[0]});
    std::string        inertia = s_.word(m, "inertia", {"legacy", "convex", "exact", "shell"}).value_or("legacy");
    const std::string* builtin = m.find("builtin");
    const bool         made    = builtin != nullptr && *builtin != "none";
    int                index   = -1;
    if (file != nullptr)
        index = s_.mesh(asset_path(compiler_.meshdir, *file), folder_, e.place);
    else
        index = mesh_of_numbers(m, made ? *builtin : std::string(), name, inertia);
    const auto most = s_.number(m, "maxhullvert");
    if (const std::string* look = m.find("material")) mesh_looks_[name] = *look;
    defaults_.settle(e, m, "mesh", s_);
    if (name.empty()) return s_.error(kMissing, e.place, "a mesh has no name");
    if (index >= 0 && !(ref == Posed{})) {  // moved, then turned, then scaled: a mesh of its own
        MeshAsset placed = tree_.meshes[at(index)];
        // refpos and refquat say where the frame of the mesh lies in the file's coordinates.
        for (Vec3d& p : placed.points) p = inverse_times(ref, p);
        for (Vec3d& n : placed.normals) n = rotate_inverse(ref.q, n);
        placed.name = name;
        index       = static_cast<int>(tree_.meshes.size());
        tree_.meshes.push_back(std::move(placed));
    }
    meshes_[name]        = index;
    mesh_scales_[name]   = scale;
    mesh_inertias_[name] = inertia;
    if (most && *most >= 4 && *most <= 1e6) mesh_hulls_[name] = static_cast<int>(*most);  // -1: without a bound
}

}  // namespace mechane::sourceformats
