// What bodies carry: geoms, sites, cameras, lights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/core/nearest.h"
#include "mechane/geometry/mass.h"
#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/hints.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

int MjcfReader::look(const XmlElement& m, const std::string* otherwise)
{
    const std::string* own      = m.find("material");
    const std::string* material = own != nullptr ? own : otherwise;
    int                index    = -1;
    if (material != nullptr) {
        const auto known = materials_.find(*material);
        if (known != materials_.end()) {
            index = known->second;
        } else {
            std::vector<std::string> names;
            for (const auto& [n, i] : materials_) names.push_back(n);
            s_.error(kUnknownName, m.place, fmt::format("there is no material '{}'", *material),
                     did_you_mean(*material, names));
        }
    }
    // rgba goes before the colour of a material unless it is MuJoCo's default (0.5 0.5 0.5 1), which counts as not
    // said.
    const auto rgba = s_.numbers(m, "rgba", 3, 4);
    if (!rgba || (index >= 0 && *rgba == std::vector<double>{0.5, 0.5, 0.5, 1})) return index;
    Material made;
    if (index >= 0) made = tree_.materials[at(index)];
    std::copy(rgba->begin(), rgba->end(), made.rgba.begin());
    for (double& c : made.rgba) c = std::clamp(c, 0.0, 1.0);
    made.name  = index >= 0 ? tree_.materials[at(index)].name
                            : fmt::format("color_{:02x}{:02x}{:02x}{:02x}", byte(made.rgba[0]), byte(made.rgba[1]),
                                          byte(made.rgba[2]), byte(made.rgba[3]));
    made.place = m.place;
    return s_.material(std::move(made));
}

bool MjcfReader::from_to(const XmlElement& m, const Posed& X, Shape& shape, std::vector<double>& size)
{
    const auto v = s_.numbers(m, "fromto", 6, 6);
    if (!v) return false;
    const Vec3d a{(*v)[0], (*v)[1], (*v)[2]}, b{(*v)[3], (*v)[4], (*v)[5]};
    // The z axis points from the second end to the first, as in MuJoCo's compiler.
    shape.X_LS          = X * Posed{0.5 * (a + b), z_to(a - b)};
    const double half   = 0.5 * length(a - b);
    const bool   wide   = shape.kind == Shape::Kind::box || shape.kind == Shape::Kind::ellipsoid;
    const double across = size.empty() ? 0 : size[0];  // MuJoCo's compiler takes the first size for both
    size                = wide ? std::vector<double>{across, across, half} : std::vector<double>{across, half};
    return true;
}

// A geom of a plain type that names a mesh is fitted to it (XML reference, geom/mesh): either to the box that bounds
// the mesh in the axes of its inertia (fitaabb), or to the box of equal inertia. A solid box with half sides a, b, c
// has the moments I_x = m (b^2 + c^2) / 3 and so on, hence a^2 = 3 (I_y + I_z - I_x) / (2 m), which is the formula with
// the sum below.
void MjcfReader::fit(Shape& shape, Shape::Kind kind, double scale, const std::string& inertia)
{
    const MjcfMass unit = mjcf_mass(shape, tree_, std::nullopt, 1, false, inertia);
    if (!(unit.mass > 0)) return;
    const MjcfAxes axes = mjcf_axes(unit.inertia);  // the largest moment, about the shortest side, comes first
    Vec3d          half;
    Posed          X{unit.com, axes.q};
    if (compiler_.fitaabb) {
        Vec3d low{1e300, 1e300, 1e300}, high = -low;
        for (const Vec3d& p : tree_.meshes[at(shape.mesh)].points) {
            const Vec3d own = inverse_times(X, Vec3d{p.x * shape.scale.x, p.y * shape.scale.y, p.z * shape.scale.z});
            for (std::size_t i = 0; i < 3; ++i) low[i] = std::min(low[i], own[i]), high[i] = std::max(high[i], own[i]);
        }
        half = 0.5 * (high - low);
        X    = X * Posed{0.5 * (low + high), {}};
    } else {
        const double sum = axes.values.x + axes.values.y + axes.values.z;
        for (std::size_t i = 0; i < 3; ++i)
            half[i] = 0.5 * std::sqrt(std::max(6 * (sum - 2 * axes.values[i]) / unit.mass, 0.0));
    }
    // Round shapes take the mean of the two sides across, or with fitaabb the larger one, so that the mesh lies inside.
    const double across = 0.5 * (half.x + half.y);
    switch (kind) {
        case Shape::Kind::sphere:
            half = compiler_.fitaabb ? Vec3d{1, 1, 1} * max_component(half)
                                     : Vec3d{1, 1, 1} * ((half.x + half.y + half.z) / 3);
            break;
        case Shape::Kind::capsule:
            half = compiler_.fitaabb
                       ? Vec3d{std::max(half.x, half.y), std::max(0.0, half.z - std::max(half.x, half.y)), 0}
                       : Vec3d{across, std::max(0.0, half.z - across / 2), 0};
            break;
        case Shape::Kind::cylinder:
            half = compiler_.fitaabb ? Vec3d{std::max(half.x, half.y), half.z, 0} : Vec3d{across, half.z, 0};
            break;
        case Shape::Kind::box:
        case Shape::Kind::ellipsoid:
            break;
        case Shape::Kind::plane:
        case Shape::Kind::mesh:
            return;
    }
    shape.kind  = kind;
    shape.size  = scale * half;
    shape.X_LS  = shape.X_LS * X;
    shape.mesh  = -1;
    shape.scale = {1, 1, 1};
}

void MjcfReader::geom(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
{
    const XmlElement  m = defaults_.merged(e, "geom", childclass, s_);
    const std::string type =
        s_.word(m, "type", {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"})
            .value_or("sphere");
    std::string name = m.get("name");
    Shape       made;
    made.link  = link;
    made.place = e.place;
    made.name  = name.empty() ? fmt::format("geom_{}", tree_.shapes.size()) : name;
    auto                                            size = s_.numbers(m, "size", 1, 3).value_or(std::vector<double>());
    const std::string*                              mesh_name = m.find("mesh");
    static const std::map<std::string, Shape::Kind> kKinds{
        {"plane", Shape::Kind::plane},       {"sphere", Shape::Kind::sphere},
        {"capsule", Shape::Kind::capsule},   {"ellipsoid", Shape::Kind::ellipsoid},
        {"cylinder", Shape::Kind::cylinder}, {"box", Shape::Kind::box},
        {"mesh", Shape::Kind::mesh}};
    const auto         settle  = [&] { defaults_.settle(e, m, "geom", s_); };
    const std::string* terrain = type == "hfield" ? m.find("hfield") : nullptr;
    const auto         ground  = terrain != nullptr ? hfields_.find(*terrain) : hfields_.end();
    const bool         field   = type == "sdf" && mesh_name != nullptr;  // of distances to the mesh
    if (!kKinds.contains(type) && !field && ground == hfields_.end()) {
        s_.losses.add({"geom-type",
                       Severity::error,
                       LossAction::dropped,
                       "collision",
                       site_of(e.place),
                       fmt::format("geom '{}'", made.name),
                       type,
                       {},
                       "USD has no such shape here"});
        e.use_all();
        return;
    }
    made.kind                = kKinds.contains(type) ? kKinds.at(type) : Shape::Kind::mesh;
    const Shape::Kind fitted = made.kind;
    if (mesh_name != nullptr) made.kind = Shape::Kind::mesh;
    if (field || ground != hfields_.end()) made.approximation = "none";
    made.X_LS           = X * mjcf_pose(m, compiler_, s_);
    std::string inertia = "legacy";
    if (ground != hfields_.end()) {
        made.mesh = ground->second;
        s_.losses.add({"height-field", Severity::warning, LossAction::approximated, "collision", site_of(e.place),
                       fmt::format("geom '{}'", made.name), "a height field", "its triangles",
                       "OpenUSD has no height fields"});
    } else if (made.kind == Shape::Kind::mesh) {
        const auto known = mesh_name != nullptr ? meshes_.find(*mesh_name) : meshes_.end();
        if (known == meshes_.end()) {
            std::vector<std::string> names;
            for (const auto& [n, i] : meshes_) names.push_back(n);
            s_.error(kUnknownName, e.place,
                     fmt::format("the geom '{}' names the mesh '{}', which does not exist", made.name,
                                 mesh_name != nullptr ? *mesh_name : ""),
                     mesh_name != nullptr ? did_you_mean(*mesh_name, names) : "");
            return settle();
        }
        // The mesh was told as unreadable where its asset stands; its geoms need no message of their own.
        if (known->second < 0) return settle();
        made.mesh  = known->second;
        made.scale = mesh_scales_[*mesh_name];
        inertia    = mesh_inertias_[*mesh_name];
        if (fitted != Shape::Kind::mesh) fit(made, fitted, s_.number(m, "fitscale").value_or(1), inertia);
    } else {
        from_to(m, X, made, size);
        // Radius; radius and half length; half sides. The sizes of a plane may be zero, which is infinite.
        const std::size_t needed = made.kind == Shape::Kind::sphere                                          ? 1
                                   : made.kind == Shape::Kind::capsule || made.kind == Shape::Kind::cylinder ? 2
                                   : made.kind == Shape::Kind::plane                                         ? 0
                                                                                                             : 3;
        bool              good   = size.size() >= needed;
        for (std::size_t i = 0; i < needed && good; ++i) good = size[i] > 0;
        size.resize(3, 0);
        if (!good) {
            s_.error(kShape, e.place,
                     fmt::format("the geom '{}' ({}) needs {} positive sizes", made.name, type, needed));
            return settle();
        }
        made.size = {size[0], size[1], size[2]};
        if (made.kind == Shape::Kind::sphere) made.size = {size[0], size[0], size[0]};
        if (made.kind == Shape::Kind::capsule || made.kind == Shape::Kind::cylinder) made.size.z = 0;
    }
    const auto whole = [&](const char* attribute, int otherwise) {
        return static_cast<int>(std::clamp(s_.number(m, attribute).value_or(otherwise), -2e9, 2e9));
    };
    const int contype = whole("contype", 1), conaffinity = whole("conaffinity", 1), group = whole("group", 0);
    // Two geoms meet if contype of one shares a bit with conaffinity of the other. Without any bit a geom is a picture
    // only; of those that collide, MuJoCo's viewer shows the groups 0 to 2 at the start.
    made.collider = contype != 0 || conaffinity != 0;
    made.visual   = !made.collider || group < 3;
    if (s_.options.visuals_collide && !made.collider) made.collider = true;
    const auto friction = s_.numbers(m, "friction", 1, 3).value_or(std::vector<double>{1, 0.005, 0.0001});
    Contact    contact{friction[0], friction[0], 0, friction.size() > 1 ? friction[1] : 0.005,
                       friction.size() > 2 ? friction[2] : 0.0001};
    if (made.collider) made.contact = contact;
    // A mesh may have a material for geoms that name none.
    const auto look_of_mesh = mesh_name != nullptr ? mesh_looks_.find(*mesh_name) : mesh_looks_.end();
    made.material           = look(m, look_of_mesh != mesh_looks_.end() ? &look_of_mesh->second : nullptr);
    const auto density = s_.number(m, "density"), mass = s_.number(m, "mass");
    const bool shell = flag(m, "shellinertia", false);
    const auto put   = [&](std::string attribute, std::string value_type, std::string text) {
        made.extras.push_back(
            mj("mjc:" + attribute, std::move(value_type), std::move(text), "MjcCollisionAPI", e.place));
    };
    if (made.kind == Shape::Kind::plane && size.size() > 2 && size[2] > 0) {
        made.extras.push_back(mj(hints::kGrid, "double", usda_number(size[2]), "", e.place));
        s_.losses.add({"grid", Severity::info, LossAction::converted, "visual", site_of(e.place),
                       fmt::format("shape '{}'", made.name), usda_number(size[2]) + " m", hints::kGrid,
                       "USD has no lines on planes; they are kept in MuJoCo's layer"});
    }
    if (const auto most = mesh_name != nullptr ? mesh_hulls_.find(*mesh_name) : mesh_hulls_.end();
        most != mesh_hulls_.end() && made.collider && made.kind == Shape::Kind::mesh && made.approximation != "none")
        made.extras.push_back(
            mj("mjc:maxhullvert", "int", fmt::format("{}", most->second), "MjcMeshCollisionAPI", e.place));
    if (const int condim = whole("condim", 3); condim != 3 && made.collider)
        put("condim", "int", fmt::format("{}", condim));
    if (const int priority = whole("priority", 0); priority != 0 && made.collider)
        put("priority", "int", fmt::format("{}", priority));
    for (const char* attribute : {"margin", "gap"})
        // A gap of zero is MuJoCo's own, and simulations here take another one where nothing is said.
        if (const auto v = s_.number(m, attribute); v && (*v != 0 || *attribute == 'g') && made.collider)
            put(attribute, "double", usda_number(*v));
    if (const auto v = s_.number(m, "solmix"); v && *v != 1 && made.collider) put("solmix", "double", usda_number(*v));
    for (const char* attribute : {"solref", "solimp"})
        if (const auto v = s_.numbers(m, attribute, 1, 5); v && made.collider)
            put(attribute, "double[]", usda_list(*v));
    if (group != 0)
        made.extras.push_back(mj("mjc:group", "int", fmt::format("{}", group),
                                 made.collider ? "MjcCollisionAPI" : "MjcImageableAPI", e.place));
    if (shell && made.collider) put("shellinertia", "bool", "true");
    // Only groups within inertiagrouprange have mass. The world needs none, and a height field has none in MuJoCo.
    if (link >= 0 && ground == hfields_.end() && group >= compiler_.group_min && group <= compiler_.group_max) {
        const MjcfMass one = mjcf_mass(made, tree_, mass, density.value_or(1000), shell, inertia);
        if (one.mass > 0) geom_masses_[link].push_back({one, made.X_LS, made.kind == Shape::Kind::mesh});
    }
    settle();
    if (!name.empty()) geoms_.try_emplace(name, static_cast<int>(tree_.shapes.size()));
    classes_.emplace_back(contype, conaffinity);
    tree_.shapes.push_back(std::move(made));
}

void MjcfReader::site(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
{
    const XmlElement m = defaults_.merged(e, "site", childclass, s_);
    Frame            made;
    made.link        = link;
    made.place       = e.place;
    made.published   = false;
    std::string name = m.get("name");
    if (name.empty()) name = fmt::format("site_{}", tree_.sites.size());
    made.name = s_.unique(site_names_, name, e, "site", true);
    Shape shape;
    shape.kind = Shape::Kind::capsule;
    std::vector<double> size;
    if (from_to(m, X, shape, size))
        made.X_LS = shape.X_LS;
    else
        made.X_LS = X * mjcf_pose(m, compiler_, s_);
    const int group = static_cast<int>(s_.number(m, "group").value_or(0));
    made.extras.push_back(mj(group != 0 ? "mjc:group" : "", "int", fmt::format("{}", group), "MjcSiteAPI", e.place));
    if (const std::string* look = m.find("material"))
        s_.losses.add({"site-look",
                       Severity::info,
                       LossAction::dropped,
                       "material",
                       site_of(e.place),
                       fmt::format("site '{}'/material", made.name),
                       *look,
                       {},
                       "a frame of OpenUSD is not drawn"});
    // Where a sensor of touch feels something, and how MuJoCo draws it: for the way back.
    for (const char* form : {"type", "size", "rgba"})
        if (const std::string* text = m.find(form))
            made.extras.push_back(
                mj(std::string(hints::kElement) + ":" + form, "string", usda_string(*text), "", e.place));
    defaults_.settle(e, m, "site", s_);
    sites_.try_emplace(made.name, static_cast<int>(tree_.sites.size()));
    tree_.sites.push_back(std::move(made));
}

void MjcfReader::camera(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
{
    const XmlElement m = defaults_.merged(e, "camera", childclass, s_);
    Camera           made;
    made.link  = link;
    made.place = e.place;
    made.name  = m.get("name", "camera");
    made.X_LC  = X * mjcf_pose(m, compiler_, s_);
    // fovy is in degrees whatever <compiler angle> says; of an orthographic camera it is the height of the picture [m].
    const double fovy = s_.number(m, "fovy").value_or(45);
    made.fovy         = std::clamp(fovy, 0.1, 179.0) / kDegrees;
    made.orthographic = s_.word(m, "orthographic", {"true", "false"}).value_or("false") == "true";
    made.height       = fovy;
    if (m.peek("name") != nullptr) cameras_.try_emplace(made.name, static_cast<int>(tree_.cameras.size()));
    defaults_.settle(e, m, "camera", s_);
    tree_.cameras.push_back(std::move(made));
}

void MjcfReader::light(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
{
    const XmlElement m = defaults_.merged(e, "light", childclass, s_);
    Light            made;
    made.link  = link;
    made.place = e.place;
    made.name  = m.get("name", "light");
    // "type" is the newer word for what "directional" says; it counts where both stand.
    const bool        directional = flag(m, "directional", false);
    const std::string type        = m.get("type", directional ? "directional" : "spot");
    made.kind = type == "directional" ? Light::Kind::distant : type == "spot" ? Light::Kind::spot : Light::Kind::point;
    made.cone = s_.number(m, "cutoff").value_or(45) / kDegrees;
    if (const auto v = s_.numbers(m, "diffuse", 3, 3)) std::copy(v->begin(), v->end(), made.color.begin());
    // Lights of USD shine along -z.
    const Vec3d to = normalized(s_.vec3(m, "dir").value_or(Vec3d{0, 0, -1}), {0, 0, -1});
    made.X_LL      = X * Posed{s_.vec3(m, "pos").value_or(Vec3d{}), rotation_between(Vec3d{0, 0, -1}, to)};
    defaults_.settle(e, m, "light", s_);
    tree_.lights.push_back(std::move(made));
}

}  // namespace mechane::sourceformats
