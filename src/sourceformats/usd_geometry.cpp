// Shapes, materials and meshes as prims: UsdGeom's forms, UsdPreviewSurface, and UsdPhysics' colliders. A shape that
// serves as visual and as collider is written as two prims, since the collider has the purpose "guide". In a folder
// each form (a mesh at a scale, a sphere of a radius) is written once into the layer of geometries, and shapes refer
// to it by payload; in a single layer each shape holds its own.
#include "sourceformats/usd_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "mechane/files/suffix.h"
#include "mechane/geometry/mesh.h"
#include "mechane/geometry/triangulation.h"
#include "mechane/sourceformats/hints.h"
#include "sourceformats/indices.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;

/// The form without what a scale of the prim can say.
const char* type_of(const Shape& shape)
{
    switch (shape.kind) {
        case Shape::Kind::box:
            return "Cube";
        case Shape::Kind::sphere:
        case Shape::Kind::ellipsoid:
            return "Sphere";
        case Shape::Kind::cylinder:
            return "Cylinder";
        case Shape::Kind::capsule:
            return "Capsule";
        case Shape::Kind::plane:
            return "Plane";
        case Shape::Kind::mesh:
            break;
    }
    return "Mesh";
}

}  // namespace

std::string ShapeWriter::texture(const std::string& file)
{
    std::error_code failed;
    // One layer has no folder for pictures. They are named where they are.
    if (sheet_.single()) return fs::absolute(file, failed).lexically_normal().string();
    for (const auto& [known, name] : textures_)
        if (known == file) return "./" + name;
    const fs::path    from(file);
    const std::string name = "textures/" + pictures_.take(from.stem().string(), "picture") +
                             (files::has_suffix(from, {".jpg", ".jpeg"}) ? ".jpg" : ".png");
    textures_.emplace_back(file, name);
    return "./" + name;
}

// UsdPreviewSurface, with UsdUVTexture and a reader of the primvar "st" where there is a texture. Values that are the
// schema's fallback (opacity 1, no emission) are left out.
void ShapeWriter::write_materials()
{
    if (tree_.materials.empty()) return;
    const std::string scope = "/" + robot_ + "/Looks";
    sheet_.define(Role::base, scope, "Scope", tree_.place);
    for (const Material& m : tree_.materials) {
        const std::string path = scope + "/" + looks_.take(m.name, "material");
        materials_.push_back(path);
        sheet_.define(Role::materials, path, "Material", m.place);
        const std::string surface = path + "/surface";
        sheet_.connect(Role::materials, path, "outputs:surface", "token", surface + ".outputs:surface");
        sheet_.define(Role::materials, surface, "Shader", m.place);
        // The `true` marks the value as uniform: it cannot be animated.
        sheet_.set(Role::materials, surface, "info:id", "token", std::string("UsdPreviewSurface"), m.place, true);
        sheet_.attribute(Role::materials, surface, "outputs:surface", "token", false);
        sheet_.set(Role::materials, surface, "inputs:diffuseColor", "color3f", Vec3d{m.rgba[0], m.rgba[1], m.rgba[2]},
                   m.place);
        if (m.rgba[3] < 1) sheet_.set(Role::materials, surface, "inputs:opacity", "float", m.rgba[3], m.place);
        sheet_.set(Role::materials, surface, "inputs:metallic", "float", m.metallic, m.place);
        sheet_.set(Role::materials, surface, "inputs:roughness", "float", m.roughness, m.place);
        if (m.emission[0] > 0 || m.emission[1] > 0 || m.emission[2] > 0)
            sheet_.set(Role::materials, surface, "inputs:emissiveColor", "color3f",
                       Vec3d{m.emission[0], m.emission[1], m.emission[2]}, m.place);
        if (m.texture.empty()) continue;
        const std::string picture = path + "/texture", reader = path + "/st";
        sheet_.define(Role::materials, reader, "Shader", m.place);
        sheet_.set(Role::materials, reader, "info:id", "token", std::string("UsdPrimvarReader_float2"), m.place, true);
        sheet_.set(Role::materials, reader, "inputs:varname", "string", std::string("st"), m.place);
        sheet_.attribute(Role::materials, reader, "outputs:result", "float2", false);
        sheet_.define(Role::materials, picture, "Shader", m.place);
        sheet_.set(Role::materials, picture, "info:id", "token", std::string("UsdUVTexture"), m.place, true);
        sheet_.set(Role::materials, picture, "inputs:file", "asset", usd::AssetPath{texture(m.texture), {}, {}},
                   m.place);
        for (const char* wrap : {"inputs:wrapS", "inputs:wrapT"})
            sheet_.set(Role::materials, picture, wrap, "token", std::string("repeat"), m.place);
        sheet_.connect(Role::materials, picture, "inputs:st", "float2", reader + ".outputs:result");
        sheet_.attribute(Role::materials, picture, "outputs:rgb", "float3", false);
        // A texture takes the place of the colour; the connection wins over the authored value.
        sheet_.connect(Role::materials, surface, "inputs:diffuseColor", "color3f", picture + ".outputs:rgb");
    }
}

// USD's default friction differs between engines. Colliders without a material of their own get one with friction 1,
// that of MJCF's and SDFormat's defaults, and no restitution.
void ShapeWriter::write_contact(const Place& place)
{
    const bool collides =
        std::any_of(tree_.shapes.begin(), tree_.shapes.end(), [](const Shape& s) { return s.collider; });
    if (!collides) return;
    sheet_.define(Role::base, "/" + robot_ + "/PhysicsMaterials", "Scope", place);
    if (std::any_of(tree_.shapes.begin(), tree_.shapes.end(), [](const Shape& s) { return s.collider && !s.contact; }))
        default_contact_ = contact({1, 1, 0, {}, {}}, place);
}

std::string ShapeWriter::contact(const Contact& c, const Place& place)
{
    for (const auto& [known, path] : known_contacts_)
        if (known == c) return path;
    const std::string path = "/" + robot_ + "/PhysicsMaterials/" + contacts_.take("contact", "contact");
    known_contacts_.emplace_back(c, path);
    sheet_.define(Role::physics, path, "Material", place);
    sheet_.apply(Role::physics, path, "PhysicsMaterialAPI");
    sheet_.set(Role::physics, path, "physics:staticFriction", "float", c.static_friction, place);
    sheet_.set(Role::physics, path, "physics:dynamicFriction", "float", c.dynamic_friction, place);
    sheet_.set(Role::physics, path, "physics:restitution", "float", c.restitution, place);
    // Friction against turning and rolling is MuJoCo's; UsdPhysics has no word for it.
    const auto put = [&](const char* name, const std::optional<double>& v) {
        if (v)
            sheet_.extra(path, {Extra::Layer::mujoco, name, "double", fmt::format("{}", *v), "MjcMaterialAPI", place});
    };
    put("mjc:torsionalfriction", c.torsional);
    put("mjc:rollingfriction", c.rolling);
    return path;
}

void ShapeWriter::mesh_at(const Shape& shape, const std::string& path, Role role, bool collider)
{
    const MeshAsset&   mesh = tree_.meshes[at(shape.mesh)];
    std::vector<Vec3d> points;
    points.reserve(mesh.points.size());
    geometry::Aabbd box;
    for (const Vec3d& p : mesh.points) {
        // A mesh's own scale is applied to the points, so that its prim needs none.
        points.push_back(scale(p, shape.scale));
        box.lower = min(box.lower, points.back());
        box.upper = max(box.upper, points.back());
    }
    const bool         mirrored = shape.scale.x * shape.scale.y * shape.scale.z < 0;
    std::vector<int>   corners  = mesh.corners;
    std::vector<Vec3d> normals  = mesh.normals;
    std::vector<Vec2d> uvs      = mesh.uvs;
    for (Vec3d& n : normals)
        // Normals go with the inverse transpose of the scale. A zero normal becomes z.
        n = normalized(Vec3d{n.x / shape.scale.x, n.y / shape.scale.y, n.z / shape.scale.z}, {0, 0, 1});
    // A mirror turns faces inside out. Their corners are listed backwards, with what belongs to each corner.
    if (mirrored) {
        std::size_t begin = 0;
        for (const int count : mesh.counts) {
            const auto turn = [&](auto& list) {
                if (!list.empty())
                    std::reverse(list.begin() + static_cast<std::ptrdiff_t>(begin),
                                 list.begin() + static_cast<std::ptrdiff_t>(begin) + count);
            };
            turn(corners), turn(normals), turn(uvs);
            begin += at(count);
        }
    }
    std::vector<int> counts = mesh.counts;
    // Corners change their number when faces are cut, so normals and uvs per corner go; nobody sees a collider.
    if (collider &&
        std::any_of(counts.begin(), counts.end(), [](int n) { return n != 3; })) {  // colliders are triangles
        const geometry::Mesh cut = geometry::triangulate({points, counts, corners, {}, false}).mesh;
        if (!cut.triangles.empty()) {
            points = cut.points;
            counts.assign(cut.triangles.size(), 3);
            corners.clear(), normals.clear(), uvs.clear();
            for (const auto& t : cut.triangles) corners.insert(corners.end(), t.begin(), t.end());
        }
    }
    sheet_.set(role, path, "points", "point3f[]", points, mesh.place);
    sheet_.set(role, path, "faceVertexCounts", "int[]", counts, mesh.place);
    sheet_.set(role, path, "faceVertexIndices", "int[]", corners, mesh.place);
    sheet_.set(role, path, "extent", "float3[]", std::vector<Vec3d>{box.lower, box.upper}, mesh.place);
    sheet_.set(role, path, "subdivisionScheme", "token", std::string("none"), mesh.place, true);
    if (!normals.empty()) {
        sheet_.set(role, path, "primvars:normals", "normal3f[]", normals, mesh.place);
        sheet_.property_field(role, path, "primvars:normals", "interpolation", "faceVarying");
    }
    if (!uvs.empty()) {
        sheet_.set(role, path, "primvars:st", "texCoord2f[]", uvs, mesh.place);
        sheet_.property_field(role, path, "primvars:st", "interpolation", "faceVarying");
    }
    // A collider has one contact material, and needs no subsets.
    if (mesh.subsets.size() > 1 && !collider)
        for (const MeshSubset& s : mesh.subsets) {
            // The index makes the name unique; write() builds the same name again.
            const std::string subset =
                path + "/" + prim_name(s.name, "part") + fmt::format("_{}", &s - mesh.subsets.data());
            sheet_.define(role, subset, "GeomSubset", mesh.place);
            sheet_.set(role, subset, "elementType", "token", std::string("face"), mesh.place, true);
            sheet_.set(role, subset, "familyName", "token", std::string("materialBind"), mesh.place, true);
            sheet_.set(role, subset, "indices", "int[]", s.faces, mesh.place);
        }
}

void ShapeWriter::form_at(const Shape& shape, const std::string& path, Role role, bool collider)
{
    sheet_.define(role, path, type_of(shape), shape.place);
    switch (shape.kind) {
        // A cube of size 2 has half size 1: the scale of the prim is then the half size itself.
        case Shape::Kind::box:
            sheet_.set(role, path, "size", "double", 2.0, shape.place);
            break;
        case Shape::Kind::sphere:
        case Shape::Kind::ellipsoid:
            // An ellipsoid is a unit sphere under a scale.
            sheet_.set(role, path, "radius", "double", shape.kind == Shape::Kind::sphere ? shape.size.x : 1.0,
                       shape.place);
            break;
        case Shape::Kind::cylinder:
        case Shape::Kind::capsule:
            sheet_.set(role, path, "radius", "double", shape.size.x, shape.place);
            sheet_.set(role, path, "height", "double", 2 * shape.size.y, shape.place);
            sheet_.set(role, path, "axis", "token", std::string("Z"), shape.place, true);
            break;
        case Shape::Kind::plane:
            // Zero extent means endless in MJCF and SDFormat. USD's planes have a size, so a large one is written.
            sheet_.set(role, path, "width", "double", shape.size.x > 0 ? 2 * shape.size.x : kEndlessPlane, shape.place);
            sheet_.set(role, path, "length", "double", shape.size.y > 0 ? 2 * shape.size.y : kEndlessPlane,
                       shape.place);
            sheet_.set(role, path, "axis", "token", std::string("Z"), shape.place, true);
            break;
        case Shape::Kind::mesh:
            mesh_at(shape, path, role, collider);
            break;
    }
}

/// The prim that has the form; in one layer the shape's own prim has it.
std::string ShapeWriter::form(const Shape& shape, const std::string& path, bool collider)
{
    if (sheet_.single()) {
        form_at(shape, path, Role::base, collider);
        return {};
    }
    // Shapes with the same key share a form. Box and ellipsoid differ by scale alone, so there is one of each.
    std::string key = type_of(shape), wanted = key;
    switch (shape.kind) {
        case Shape::Kind::mesh:
            key += fmt::format(" {} {} {} {}", shape.mesh, shape.scale.x, shape.scale.y, shape.scale.z);
            if (const auto& mesh = tree_.meshes[at(shape.mesh)];
                // Only where mesh_at() writes a collider otherwise than a visual do the two need forms of their own.
                collider && (mesh.subsets.size() > 1 ||
                             std::any_of(mesh.counts.begin(), mesh.counts.end(), [](int n) { return n != 3; })))
                key += " collider";
            wanted = tree_.meshes[at(shape.mesh)].name;
            break;
        case Shape::Kind::box:
        case Shape::Kind::ellipsoid:
            key += shape.kind == Shape::Kind::ellipsoid ? " unit" : "";
            break;
        case Shape::Kind::sphere:
        case Shape::Kind::cylinder:
        case Shape::Kind::capsule:
        case Shape::Kind::plane:
            key += fmt::format(" {} {}", shape.size.x, shape.size.y);
            break;
    }
    auto [known, fresh] = known_forms_.try_emplace(key);
    if (fresh) {
        sheet_.define(Role::geometries, "/Geometries", "Scope", tree_.place);
        known->second = "/Geometries/" + forms_.take(wanted, "form");
        form_at(shape, known->second, Role::geometries, collider);
    }
    return known->second;
}

void ShapeWriter::write(const Shape& shape, const std::string& path, bool collider)
{
    const std::string prim = form(shape, path, collider);
    if (!prim.empty()) {
        sheet_.define(Role::base, path, "", shape.place);
        sheet_.payload(path, prim);
    }
    // Translate, orient, scale: the order in which the writer places everything.
    std::vector<std::string> ops{"xformOp:translate", "xformOp:orient"};
    sheet_.pose(path, shape.X_LS);
    if (shape.kind == Shape::Kind::box || shape.kind == Shape::Kind::ellipsoid) {
        sheet_.set(Role::base, path, "xformOp:scale", "float3", shape.size, shape.place);
        ops.emplace_back("xformOp:scale");
        sheet_.order(path, ops);
        // UsdPhysics has no ellipsoid: a scaled sphere means its largest radius.
        if (shape.kind == Shape::Kind::ellipsoid) sheet_.hint(path, hints::kExactShape, "bool", true);
    }
    if (collider) {
        sheet_.set(Role::base, path, "purpose", "token", std::string("guide"), shape.place, true);
        sheet_.apply(Role::physics, path, "PhysicsCollisionAPI");
        // A file can switch contacts off as a whole (MJCF's option).
        if (!tree_.contact) sheet_.set(Role::physics, path, "physics:collisionEnabled", "bool", false, shape.place);
        if (shape.kind == Shape::Kind::mesh) {
            sheet_.apply(Role::physics, path, "PhysicsMeshCollisionAPI");
            // A hull by default, as MuJoCo, Gazebo and Newton take meshes that move.
            sheet_.set(Role::physics, path, "physics:approximation", "token",
                       shape.approximation.empty() ? std::string("convexHull") : shape.approximation, shape.place,
                       true);
        }
        sheet_.apply(Role::base, path, "MaterialBindingAPI");
        const std::string bound = shape.contact ? contact(*shape.contact, shape.place) : default_contact_;
        sheet_.target(Role::physics, path, "material:binding:physics", {bound}, shape.place);
        return;
    }
    const auto bind = [&](const std::string& to, int material) {
        sheet_.apply(Role::base, to, "MaterialBindingAPI");
        sheet_.target(Role::base, to, "material:binding", {materials_[at(material)]}, shape.place);
    };
    if (shape.material >= 0) return bind(path, shape.material);
    if (shape.kind != Shape::Kind::mesh) return;
    const MeshAsset& mesh = tree_.meshes[at(shape.mesh)];
    if (mesh.subsets.size() == 1) return bind(path, mesh.subsets[0].material);
    for (const MeshSubset& s : mesh.subsets)
        bind(path + "/" + prim_name(s.name, "part") + fmt::format("_{}", &s - mesh.subsets.data()), s.material);
}

}  // namespace mechane::sourceformats
