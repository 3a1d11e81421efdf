// Geoms: primitive shapes, meshes by material, and what their surfaces do.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "exporter/mjcf/writer.h"
#include "mechane/geometry/hull.h"
#include "mechane/resolve/shape_values.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::exporter::mjcf {

std::string MjcfWriter::mesh_asset(XmlNode& asset, const std::string& file, const std::string& wanted, bool shell,
                                   std::optional<int> hull_vertices)
{
    // Hulls of two sizes are two assets of one file.
    const auto [slot, fresh] = meshes_.try_emplace(fmt::format("{} {}", hull_vertices.value_or(0), file));
    if (fresh) {
        slot->second  = take(taken_meshes_, wanted);
        XmlNode& node = asset.add("mesh").set("name", slot->second).set("file", file);
        if (shell) node.set("inertia", "shell");
        if (hull_vertices) node.set("maxhullvert", std::to_string(*hull_vertices));
    }
    return slot->second;
}

bool MjcfWriter::is_thin(const geometry::Mesh& mesh)
{
    double volume = 0, area = 0;
    for (const auto& t : mesh.triangles) {
        const Vec3d a = mesh.points[index(t[0])], b = mesh.points[index(t[1])], c = mesh.points[index(t[2])];
        // Signed volume by tetrahedra from the origin. The bound compares with area^1.5, which scales with the
        // mesh: a sheet is thin at any size.
        volume += dot(a, cross(b, c)) / 6;
        area += 0.5 * length(cross(b - a, c - a));
    }
    // Less volume than a thousandth part of what a body with this surface may have counts as flat.
    return !geometry::is_closed(mesh) || volume < 1e-9 || volume < 1e-4 * std::pow(area, 1.5);
}

bool MjcfWriter::is_concave(const geometry::Mesh& mesh)
{
    const auto volume = [](const geometry::Mesh& m) {
        double sum = 0;
        for (const auto& t : m.triangles)
            sum += dot(m.points[index(t[0])], cross(m.points[index(t[1])], m.points[index(t[2])])) / 6;
        return std::abs(sum);
    };
    geometry::HullOptions all;
    all.max_vertices = static_cast<int>(std::max<std::size_t>(mesh.points.size(), 4));
    const auto hull  = geometry::build_hull(mesh.points, all);
    // More than a thousandth of the volume missing in the mesh counts as concave.
    return !geometry::is_closed(mesh) || (hull && volume(mesh) < (1 - 1e-3) * volume(*hull));
}

void MjcfWriter::geom(XmlNode& node, XmlNode& asset, std::size_t s, int link)
{
    const sf::Shape& shape = tree_.shapes[s];
    if (shape.kind != sf::Shape::Kind::mesh) return element(node, asset, s, link, {}, shape.material, geom_names_[s]);
    const sf::MeshAsset& mesh = tree_.meshes[index(shape.mesh)];
    if (shape.collider || mesh.subsets.empty() || shape.material >= 0)
        return element(node, asset, s, link, {}, shape.material, geom_names_[s]);
    // A geom has one material. A mesh with subsets becomes one geom for each, and the faces of no subset one more.
    std::vector<bool> taken(mesh.counts.size(), false);
    for (std::size_t i = 0; i < mesh.subsets.size(); ++i) {
        for (const int f : mesh.subsets[i].faces) taken[index(f)] = true;
        const std::string name = i == 0 ? geom_names_[s] : take(taken_geoms_, fmt::format("{}_{}", geom_names_[s], i));
        element(node, asset, s, link,
                mesh.subsets[i].faces.size() == mesh.counts.size() ? std::vector<int>() : mesh.subsets[i].faces,
                mesh.subsets[i].material, name);
    }
    std::vector<int> rest;
    for (std::size_t f = 0; f < taken.size(); ++f)
        if (!taken[f]) rest.push_back(static_cast<int>(f));
    if (!rest.empty()) element(node, asset, s, link, rest, -1, take(taken_geoms_, geom_names_[s] + "_rest"));
}

void MjcfWriter::element(XmlNode& node, XmlNode& asset, std::size_t s, int link, const std::vector<int>& faces,
                         int material, const std::string& name)
{
    const sf::Shape& shape = tree_.shapes[s];
    const Vec3d&     z     = shape.size;
    const auto       two   = [&] { return number_text(z.x) + " " + number_text(z.y); };
    std::string      type, size, mesh;
    Posed            X_shape = shape.X_LS;
    switch (shape.kind) {
        case sf::Shape::Kind::box:
            type = "box", size = numbers_text(z);
            break;
        case sf::Shape::Kind::sphere:
            type = "sphere", size = number_text(z.x);
            break;
        case sf::Shape::Kind::ellipsoid:
            type = "ellipsoid", size = numbers_text(z);
            break;
        case sf::Shape::Kind::capsule:
            type = z.y > 0 ? "capsule" : "sphere", size = z.y > 0 ? two() : number_text(z.x);
            break;
        case sf::Shape::Kind::cylinder:
            type = "cylinder", size = two();
            break;
        case sf::Shape::Kind::plane:
            if (moves(link)) {
                out_.lose("plane", Severity::warning, sf::LossAction::approximated, "collision", shape.place,
                          fmt::format("shape '{}'", shape.name), "plane", "a thin box",
                          "planes lie in what does not move");
                type = "box", size = fmt::format("{} {} 0.0005", z.x > 0 ? z.x : 50.0, z.y > 0 ? z.y : 50.0);
                X_shape = X_shape * Posed{{0, 0, -0.0005}, {}};  // its top is where the plane is
            } else {
                const sf::Extra* grid = find(shape.extras, sf::hints::kGrid);
                type = "plane", size = fmt::format("{} {} {}", number_text(z.x), number_text(z.y),
                                                   grid != nullptr ? plain(grid->text) : std::string("0.1"));
            }
            break;
        case sf::Shape::Kind::mesh:
            type = shape.collider && shape.approximation == "none" && out_.options.mjcf_sdf ? "sdf" : "mesh";
            mesh = mesh_of(asset, shape, faces);
            if (mesh.empty()) return;
            break;
    }
    XmlNode& inner = node.add("geom").set("name", name).set("type", type);
    if (mesh.empty())
        inner.set("size", size);
    else
        inner.set("mesh", mesh);
    pose(inner, X_shape);
    if (material >= 0) inner.set("material", out_.material_names[index(material)]);
    contact(inner, shape, s);
}

bool MjcfWriter::moves(int link) const
{
    // The bound ends the walk on a tree with a cycle, which the reader has reported.
    for (std::size_t steps = 0; link >= 0 && steps < tree_.links.size(); ++steps) {
        const int j = out_.chain.above[index(link)];
        if (j < 0) return !tree_.links[index(link)].frame;
        if (has_joint(j)) return true;
        link = tree_.joints[index(j)].parent;
    }
    return false;
}

std::string MjcfWriter::mesh_of(XmlNode& asset, const sf::Shape& shape, const std::vector<int>& faces)
{
    const sf::MeshAsset& mesh  = tree_.meshes[index(shape.mesh)];
    const geometry::Mesh parts = triangles_of(mesh, shape.scale);
    // In single precision, as MuJoCo reads meshes: points that differ in double only are one point there.
    std::set<std::array<float, 3>> distinct;
    for (const auto& t : parts.triangles)
        for (const int p : t)
            distinct.insert({static_cast<float>(parts.points[index(p)].x), static_cast<float>(parts.points[index(p)].y),
                             static_cast<float>(parts.points[index(p)].z)});
    if (distinct.size() < 4) {
        out_.lose("small-mesh", shape.collider ? Severity::error : Severity::info, sf::LossAction::dropped,
                  shape.collider ? "collision" : "visual", shape.place, fmt::format("shape '{}'", shape.name),
                  fmt::format("{} points", distinct.size()), {}, "MuJoCo wants four points of a mesh");
        return {};
    }
    if (shape.collider && shape.approximation == "none" && !out_.options.mjcf_sdf && is_concave(parts))
        out_.lose("concave", Severity::error, sf::LossAction::approximated, "collision", shape.place,
                  fmt::format("shape '{}'", shape.name), "triangles", "their convex hull",
                  "MuJoCo collides meshes by their hulls; --mjcf-sdf writes a field of distances");
    else if (shape.collider && shape.approximation != "none" && is_concave(parts))
        out_.lose_approximation(shape);
    return mesh_asset(asset, out_.obj(shape.mesh, shape.scale, faces, mesh.name, false, -1), mesh.name,
                      !faces.empty() || is_thin(parts), shape.collider ? shape.hull_vertices : std::nullopt);
}

void MjcfWriter::contact(XmlNode& inner, const sf::Shape& shape, std::size_t s)
{
    const sf::Extra* group = find(shape.extras, "mjc:group");
    if (!shape.collider)
        inner.set("contype", "0").set("conaffinity", "0");
    else if (!bits_.all)
        inner.set("contype", fmt::format("{}", bits_.of_shape[s].first))
            .set("conaffinity", fmt::format("{}", bits_.of_shape[s].second));
    // Groups are layers of visibility: by MuJoCo's habit 2 holds visual geoms and 3 collision geoms.
    if (group != nullptr)
        inner.set("group", plain(group->text));
    else if (!shape.collider)
        inner.set("group", "2");
    else if (!shape.visual)
        inner.set("group", "3");
    if (!shape.collider) return;
    if (shape.contact) {
        // 0.005 and 0.0001 are MuJoCo's defaults for torsional and rolling friction.
        inner.set("friction", fmt::format("{} {} {}", number_text(shape.contact->dynamic_friction),
                                          number_text(shape.contact->torsional.value_or(0.005)),
                                          number_text(shape.contact->rolling.value_or(0.0001))));
        // Contacts of MuJoCo have three dimensions unless told: they turn and roll freely.
        if (shape.contact->spins && find(shape.extras, "mjc:condim") == nullptr)
            inner.set("condim", shape.contact->rolling.value_or(0) > 0 ? "6" : "4");
        if (shape.contact->static_friction != shape.contact->dynamic_friction)
            out_.lose("static-friction", Severity::info, sf::LossAction::dropped, "contact", shape.place,
                      fmt::format("shape '{}'", shape.name), number_text(shape.contact->static_friction),
                      number_text(shape.contact->dynamic_friction), "one coefficient of friction");
        if (shape.contact->restitution != 0)
            out_.lose("restitution", Severity::warning, sf::LossAction::dropped, "contact", shape.place,
                      fmt::format("shape '{}'", shape.name), number_text(shape.contact->restitution), {},
                      "MuJoCo has no coefficient of restitution");
    }
    copy(inner, shape.extras,
         {{"mjc:condim", "condim"},
          {"mjc:priority", "priority"},
          {"mjc:margin", "margin"},
          {"mjc:gap", "gap"},
          {"mjc:solmix", "solmix"},
          {"mjc:solref", "solref"},
          {"mjc:solimp", "solimp"}});
    response(inner, shape);
}

void MjcfWriter::response(XmlNode& inner, const sf::Shape& shape)
{
    const sf::Response& r = shape.response;
    // MuJoCo's margin reaches to where contacts begin, and the gap back from there to where they push.
    if (find(shape.extras, "mjc:margin") == nullptr && find(shape.extras, "mjc:gap") == nullptr) {
        const double reach = r.margin.value_or(0) + r.gap.value_or(0);
        if (reach != 0) inner.set("margin", reach);
        if (r.gap) inner.set("gap", *r.gap);
    }
    if (find(shape.extras, "mjc:solref") != nullptr || (!r.stiffness && !r.damping)) return out_.lose_gains(shape);
    // One that nobody said is what a simulation takes for it.
    const resolve::ContactValues plain_values;
    const double                 ke = r.stiffness.value_or(plain_values.ke), kd = r.damping.value_or(plain_values.kd);
    if (!(ke > 0) || !(kd > 0)) return out_.lose_response(shape);
    out_.lose_gains(shape);
    inner.set("solref", number_text(-ke) + " " + number_text(-kd));
    out_.lose("contact-stiffness", Severity::info, sf::LossAction::approximated, "contact", shape.place,
              fmt::format("shape '{}'", shape.name), fmt::format("{} N/m, {} N s/m", ke, kd),
              fmt::format("solref {} {}", -ke, -kd), "MuJoCo takes both per unit of the mass that meets");
}

}  // namespace mechane::exporter::mjcf
