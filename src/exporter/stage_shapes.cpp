// Shapes of a stage for robot formats: colliders from the parsed physics, visuals from what is drawn.
// Sizes are in metres with all scales applied; axes are turned onto z. One prim that is seen and touched is one shape,
// where what is seen has the form that is touched.
// In: stage units; scales of the prims are multiplied into sizes and points, because no robot format scales what it
// places (but meshes). Out: metres, sizes as half extents or (radius, half height), axis along z, pose X_LS in the
// link.
// A visual with purpose guide or proxy, or that is invisible, is not exported. What no format has (curves, volumes)
// is a loss.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>

#include "exporter/forms.h"
#include "exporter/stage_reader.h"
#include "mechane/geometry/mesh.h"
#include "mechane/physics/solid_size.h"
#include "mechane/resolve/mesh_source.h"
#include "mechane/resolve/shape_values.h"
#include "mechane/sourceformats/hints.h"
#include "mechane/usd/shading.h"
#include "mechane/usd/start_value.h"

namespace mechane::exporter {
namespace {

namespace hints = sourceformats::hints;
using physics::Axis;
using physics::ShapeKind;

/// From the axis of a USD shape to z, which is that of the tree's.
/// X: a quarter turn about y takes z to x. Y: a quarter turn about -x takes z to y.
Quatd from_z(Axis axis)
{
    if (axis == Axis::x) return from_axis_angle(Vec3d{0, 1, 0}, std::numbers::pi / 2);
    if (axis == Axis::y) return from_axis_angle(Vec3d{1, 0, 0}, -std::numbers::pi / 2);
    return {};
}

/// USD multiplies row vectors, so the rows of the matrix are the images of the axes, i.e. the columns for column
/// vectors.
Mat33d linear_part(const usd::Matrix4d& m)
{
    const auto row = [&](int i) { return Vec3d{m(i, 0), m(i, 1), m(i, 2)}; };
    return Mat33d::from_columns(row(0), row(1), row(2));
}

class ShapeReader {
  public:
    explicit ShapeReader(StageReader& reader) : r_(reader) {}

    void read()
    {
        for (const physics::Collider& c : r_.model.colliders)
            if (c.valid && c.enabled && !r_.is_soft(c.prim)) collider(c);
        for (const usd::Prim& prim : r_.stage.traverse()) {
            if (!prim.is_a("Gprim")) continue;
            if (prim.has_api("MjcSiteAPI") || prim.has_api("NewtonSiteAPI") || r_.is_soft(prim)) continue;
            const std::string purpose = r_.stage.purpose(prim).text();
            if (purpose == "guide" || purpose == "proxy" || !r_.stage.visible(prim)) continue;
            // What collides is seen as well; points that collide are spheres already.
            if (const auto own = r_.shapes.find(prim.path());
                own != r_.shapes.end() && prim.type_name() == usd::Token("Points"))
                see_points(prim);
            else
                visual(prim);
        }
        for (const physics::Collider& c : r_.model.colliders)
            if (c.valid && !c.enabled) idle(c);
        names();
    }

  private:
    StageReader&               r_;
    std::map<std::string, int> materials_;
    std::vector<usd::Path>     paths_;

    void dropped(const usd::Prim& prim, std::string category, std::string from, std::string reason, Severity severity)
    {
        r_.lose("shape", severity, sf::LossAction::dropped, std::move(category), prim.site(), prim.path().text(),
                std::move(from), {}, std::move(reason));
    }

    /// The shape's frame in its link, given in the world of the stage.
    void place(sf::Shape& shape, const usd::Prim& prim, const Posed& X_WS)
    {
        shape.link    = r_.link_above(prim);
        const Posed X = r_.in_world(X_WS);
        shape.X_LS    = shape.link >= 0 ? inverse(r_.tree.links[at(shape.link)].X_WL) * X : X;
        shape.name    = prim.name().text();
        shape.place   = r_.place(prim.site());
    }

    /// The spheres of points that collide are what is seen of them.
    void see_points(const usd::Prim& prim)
    {
        const int material = look(prim);
        for (std::size_t s = 0; s < paths_.size(); ++s)
            if (paths_[s] == prim.path()) r_.tree.shapes[s].visual = true, r_.tree.shapes[s].material = material;
    }

    /// A collider that is switched off is no shape; what names it means the shape that is seen in its place.
    void idle(const physics::Collider& c)
    {
        sf::Shape   off;
        const Posed X_WB = c.body == physics::kNone ? Posed{} : r_.model.bodies[at(c.body)].X_WB;
        place(off, c.prim, X_WB * c.X_BS);
        for (std::size_t v = 0; v < r_.tree.shapes.size(); ++v) {
            const sf::Shape& seen = r_.tree.shapes[v];
            if (!seen.collider && seen.link == off.link && seen.name == off.name &&
                length(seen.X_LS.p - off.X_LS.p) <= 1e-6)
                r_.idle_shapes.try_emplace(c.prim.path(), static_cast<int>(v));
        }
    }

    void collider(const physics::Collider& c)
    {
        sf::Shape   shape;
        const Posed X_WB = c.body == physics::kNone ? Posed{} : r_.model.bodies[at(c.body)].X_WB;
        place(shape, c.prim, X_WB * c.X_BS);
        shape.collider = true, shape.visual = false;
        const double L     = r_.unit;
        const bool   exact = hints::read<bool>(c.prim, hints::kExactShape).value_or(false);
        switch (c.kind) {
            case ShapeKind::cube:
                shape.kind = sf::Shape::Kind::box;
                shape.size = L * c.half_extents;
                break;
            case ShapeKind::sphere: {
                shape.kind    = sf::Shape::Kind::sphere;
                shape.size    = L * c.radius * Vec3d{1, 1, 1};
                const Vec3d s = abs(c.scale);
                // UsdPhysics takes one radius for a sphere under an unequal scale; the converter of an ellipsoid left a
                // hint that this one is meant.
                if (exact && max_component(s) > 0 && !(s.x == s.y && s.y == s.z)) {
                    shape.kind = sf::Shape::Kind::ellipsoid;
                    shape.size = L * c.radius / max_component(s) * s;
                }
                break;
            }
            case ShapeKind::capsule:
            case ShapeKind::cylinder:
            case ShapeKind::capsule_1:
            case ShapeKind::cylinder_1: {
                const bool caps = c.kind == ShapeKind::capsule || c.kind == ShapeKind::capsule_1;
                shape.kind      = caps ? sf::Shape::Kind::capsule : sf::Shape::Kind::cylinder;
                shape.size      = {L * c.radius, L * c.half_height, 0};
                shape.X_LS.q    = shape.X_LS.q * from_z(c.axis);
                if ((c.kind == ShapeKind::capsule_1 || c.kind == ShapeKind::cylinder_1) && c.radius_top != c.radius)
                    r_.lose("two-radii", Severity::warning, sf::LossAction::approximated, "collision", c.prim.site(),
                            c.path.text(), fmt::format("{} and {} m", L * c.radius, L * c.radius_top),
                            fmt::format("{} m", L * std::max(c.radius, c.radius_top)), "one radius for both ends"),
                        shape.size.x = L * std::max(c.radius, c.radius_top);
                break;
            }
            case ShapeKind::cone:
                shape.kind   = sf::Shape::Kind::mesh;
                shape.X_LS.q = shape.X_LS.q * from_z(c.axis);
                shape.mesh   = add_form(r_.tree, cone_form(L * c.radius, L * c.half_height), c.prim.name().text());
                break;
            case ShapeKind::plane:
                shape.kind   = sf::Shape::Kind::plane;
                shape.X_LS.q = shape.X_LS.q * from_z(c.axis);
                if (const auto drawn = physics::solid_size(c.prim); drawn && c.prim.attribute("width").authored())
                    shape.size = drawn_size({L * drawn->half_width, L * drawn->half_length, 0});
                break;
            case ShapeKind::mesh:
                if (!collider_mesh(c, shape)) return;
                break;
            // Each point of a Points prim is a sphere of its own.
            case ShapeKind::sphere_points:
                for (const physics::SpherePoint& p : c.points) {
                    sf::Shape one = shape;
                    one.kind      = sf::Shape::Kind::sphere;
                    one.X_LS.p    = shape.X_LS * (L * p.scaled_center);
                    one.size      = L * p.radius * Vec3d{1, 1, 1};
                    contact(c, one);
                    add(std::move(one), c.path);
                }
                return;
            case ShapeKind::custom:
                return dropped(c.prim, "collision", c.custom_token.text(), "the shape is that of another engine",
                               Severity::error);
        }
        contact(c, shape);
        r_.vendor_values(c.prim, shape.extras);
        add(std::move(shape), c.path);
    }

    bool collider_mesh(const physics::Collider& c, sf::Shape& shape)
    {
        shape.kind = sf::Shape::Kind::mesh;
        using physics::Approximation;
        // A bounding shape is computed from the points, as the importer would do, and told as a primitive.
        if (c.approximation == Approximation::bounding_cube || c.approximation == Approximation::bounding_sphere) {
            const geometry::Mesh mesh = resolve::collider_mesh(c, false, r_.found);
            const auto           box  = geometry::bounds(mesh);
            if (mesh.points.empty())
                return dropped(c.prim, "collision", "Mesh", "it has no faces", Severity::error), false;
            const Vec3d center = 0.5 * (box.lower + box.upper), half = 0.5 * (box.upper - box.lower);
            shape.X_LS.p = shape.X_LS * (r_.unit * center);
            shape.kind =
                c.approximation == Approximation::bounding_cube ? sf::Shape::Kind::box : sf::Shape::Kind::sphere;
            double radius = 0;
            for (const Vec3d& p : mesh.points) radius = std::max(radius, length(p - center));
            shape.size = shape.kind == sf::Shape::Kind::box ? r_.unit * half : r_.unit * radius * Vec3d{1, 1, 1};
            return true;
        }
        // A sheared collider keeps the full matrix; otherwise the scale along the mesh's axes.
        const Mat33d linear = c.sheared_points ? r_.unit * *c.sheared_points : Mat33d::diagonal(r_.unit * c.mesh_scale);
        shape.mesh          = mesh(c.prim, linear);
        if (shape.mesh < 0) return dropped(c.prim, "collision", "Mesh", "it has no faces", Severity::error), false;
        shape.approximation =
            c.approximation == Approximation::convex_hull ? "" : std::string(to_string(c.approximation));
        const auto most = r_.resolvers.get(c.prim, resolve::Key::shape_max_hull_vertices, r_.context);
        if (shape.approximation.empty() && most.authored() && most.number_or(0) >= 4 && most.number_or(0) < 1e6)
            shape.hull_vertices = static_cast<int>(most.number_or(0));
        return true;
    }

    /// What simulations take of a collider beside the coefficients of its material.
    void response(const physics::Collider& c, const usd::Prim& material, sf::Shape& shape)
    {
        Diagnostics            quiet;  // a simulation says what is wrong with them
        resolve::ContactValues none;
        none.ke = none.kd = none.kf = none.ka = -1;
        const auto    values = resolve::contact_values(r_.resolvers, c.prim, material, r_.context, none, quiet);
        sf::Response& out    = shape.response;
        if (values.ke >= 0) out.stiffness = values.ke;
        if (values.kd >= 0) out.damping = values.kd;
        if (values.kf >= 0) out.friction_gain = values.kf;
        if (values.ka >= 0) out.adhesion = values.ka;
        const auto said = [](const resolve::Resolved& source, double value) {
            return source.authored() && std::isfinite(source.number_or(kInfinity)) ? std::optional(value)
                                                                                   : std::nullopt;
        };
        out.margin     = said(values.margin_source, values.margin);
        out.gap        = said(values.gap_source, values.gap);
        const auto sdf = resolve::sdf_settings(r_.resolvers, c, r_.context, false, quiet);
        if (sdf.hydroelastic) out.hydroelastic = sdf.kh;
    }

    void contact(const physics::Collider& c, sf::Shape& shape)
    {
        const bool bare = c.own_material == physics::kNone && c.materials.empty();
        response(
            c,
            bare ? usd::Prim()
                 : r_.model.materials[at(c.own_material != physics::kNone ? c.own_material : c.materials.front())].prim,
            shape);
        if (c.own_material == physics::kNone && c.materials.empty()) return;
        const physics::Material& m =
            r_.model.materials[at(c.own_material != physics::kNone ? c.own_material : c.materials.front())];
        sf::Contact out{m.static_friction, m.dynamic_friction, m.restitution, {}, {}, false};
        const auto  torsional = r_.resolvers.get(m.prim, resolve::Key::material_mu_torsional, r_.context);
        const auto  rolling   = r_.resolvers.get(m.prim, resolve::Key::material_mu_rolling, r_.context);
        if (torsional.authored()) out.torsional = torsional.number();
        if (rolling.authored()) out.rolling = rolling.number();
        const auto plain = [](const resolve::Resolved& one) { return !one.authored() || one.resolver == "mjc"; };
        out.spins        = !plain(torsional) || !plain(rolling);
        shape.contact    = out;
    }

    void visual(const usd::Prim& prim)
    {
        const std::string        type = prim.type_name().text();
        sf::Shape                shape;
        const usd::Matrix4d      world = r_.stage.world_matrix(prim);
        const usd::Decomposition d     = usd::decompose(world);
        if (d.singular || !is_finite(Posed{d.translation, d.rotation}))
            return dropped(prim, "visual", type, "its transform is singular", Severity::warning);
        const Posed X_WS{d.translation, normalized(d.rotation)};
        place(shape, prim, X_WS);
        shape.visual = true, shape.collider = false;
        const Vec3d  s      = r_.unit * abs(d.scale);
        const auto   size   = physics::solid_size(prim);
        const auto   axis   = static_cast<Axis>(size ? size->axis : 2);
        const auto   a      = static_cast<std::size_t>(axis);
        const double around = std::max(s[(a + 1) % 3], s[(a + 2) % 3]);
        const auto   uneven = [&](const char* what) {
            if (std::abs(s[(a + 1) % 3] - s[(a + 2) % 3]) > 1e-6 * around)
                r_.lose("uneven-scale", Severity::warning, sf::LossAction::approximated, "visual", prim.site(),
                        prim.path().text(), fmt::format("{} {} {}", s.x, s.y, s.z), fmt::format("{}", around),
                        std::string(what) + " has one radius");
        };
        if (type == "Mesh") {
            shape.kind     = sf::Shape::Kind::mesh;
            const Mat33d R = to_matrix(X_WS.q);
            // The rotation goes into the pose, the rest of the matrix into the points: R^T M.
            shape.mesh = mesh(prim, r_.unit * (transpose(R) * linear_part(world)));
            if (shape.mesh < 0) return dropped(prim, "visual", type, "it has no faces", Severity::warning);
        } else if (size) {
            solid(prim, *size, s, shape);
            if (!has_extent(shape)) return dropped(prim, "visual", type, "it has no size", Severity::warning);
            if (size->kind == physics::SolidSize::Kind::capsule) uneven("a capsule");
            if (size->kind == physics::SolidSize::Kind::cylinder) uneven("a cylinder");
            if (size->kind == physics::SolidSize::Kind::cone) uneven("a cone");
        } else {
            return dropped(prim, "visual", type, "no format of robots has such a shape", Severity::warning);
        }
        shape.material = look(prim);
        r_.vendor_values(prim, shape.extras);
        add(std::move(shape), prim.path());
    }

    /// Whether there is anything to be seen of it: no format takes sizes of zero.
    static bool has_extent(const sf::Shape& shape)
    {
        const Vec3d& z = shape.size;
        switch (shape.kind) {
            case sf::Shape::Kind::box:
            case sf::Shape::Kind::ellipsoid:
                return z.x > 0 && z.y > 0 && z.z > 0;
            case sf::Shape::Kind::cylinder:
                return z.x > 0 && z.y > 0;
            case sf::Shape::Kind::sphere:
            case sf::Shape::Kind::capsule:
                return z.x > 0;
            case sf::Shape::Kind::plane:
            case sf::Shape::Kind::mesh:
                return true;
        }
        return true;
    }

    /// What is seen of a prim that has sizes, under a scale that takes them to metres.
    void solid(const usd::Prim& prim, const physics::SolidSize& size, const Vec3d& s, sf::Shape& shape)
    {
        const auto   axis   = static_cast<Axis>(size.axis);
        const auto   a      = static_cast<std::size_t>(axis);
        const double around = std::max(s[(a + 1) % 3], s[(a + 2) % 3]), half = size.half_height * s[a];
        if (size.kind != physics::SolidSize::Kind::cube && size.kind != physics::SolidSize::Kind::sphere)
            shape.X_LS.q = shape.X_LS.q * from_z(axis);
        switch (size.kind) {
            case physics::SolidSize::Kind::cube:
                shape.kind = sf::Shape::Kind::box;
                shape.size = size.half_edge * s;
                return;
            case physics::SolidSize::Kind::sphere:
                shape.kind = max_component(s) - std::min({s.x, s.y, s.z}) > 1e-6 * max_component(s)
                                 ? sf::Shape::Kind::ellipsoid
                                 : sf::Shape::Kind::sphere;
                shape.size = size.bottom * (shape.kind == sf::Shape::Kind::sphere ? s.x * Vec3d{1, 1, 1} : s);
                return;
            case physics::SolidSize::Kind::capsule:
            case physics::SolidSize::Kind::cylinder: {
                const bool   caps   = size.kind == physics::SolidSize::Kind::capsule;
                const double radius = std::max(size.bottom, size.top);
                shape.kind          = caps ? sf::Shape::Kind::capsule : sf::Shape::Kind::cylinder;
                if (size.bottom != size.top)
                    r_.lose("two-radii", Severity::warning, sf::LossAction::approximated, "visual", prim.site(),
                            prim.path().text(), fmt::format("{} and {} m", size.bottom * around, size.top * around),
                            fmt::format("{} m", radius * around), "one radius for both ends");
                shape.size = {radius * around, half, 0};
                return;
            }
            case physics::SolidSize::Kind::cone:
                shape.kind = sf::Shape::Kind::mesh;
                shape.mesh = add_form(r_.tree, cone_form(size.bottom * around, half), prim.name().text());
                return;
            case physics::SolidSize::Kind::plane:
                shape.kind = sf::Shape::Kind::plane;
                shape.size = {size.half_width * s[axis == Axis::x ? 2 : 0],
                              size.half_length * s[axis == Axis::y ? 2 : 1], 0};
                return;
        }
    }

    /// The mesh of a prim, its points multiplied by a matrix; the same data are one mesh of the tree.
    int mesh(const usd::Prim& prim, const Mat33d& linear)
    {
        sf::MeshAsset out;
        out.name           = prim.name().text();
        out.address        = prim.path().text();
        out.place          = r_.place(prim.site());
        const auto points  = prim.attribute("points").get<std::vector<Vec3d>>().value_or(std::vector<Vec3d>());
        const auto counts  = prim.attribute("faceVertexCounts").get<std::vector<int>>().value_or(std::vector<int>());
        const auto corners = prim.attribute("faceVertexIndices").get<std::vector<int>>().value_or(std::vector<int>());
        const auto holes   = prim.attribute("holeIndices").get<std::vector<int>>().value_or(std::vector<int>());
        const std::set<int> hole(holes.begin(), holes.end());
        // A reflection turns triangles inside out, a left-handed mesh is turned already: both together cancel.
        const bool flip = (prim.attribute("orientation").get_or<std::string>("rightHanded") == "leftHanded") !=
                          (determinant(linear) < 0);
        for (const Vec3d& p : points) out.points.push_back(linear * p);
        CornerData<Vec3d> normals(prim, {"primvars:normals", "normals"}, points.size(), counts.size(), corners.size());
        CornerData<Vec2d> uvs(prim, {"primvars:st", "primvars:UVMap", "primvars:st_0"}, points.size(), counts.size(),
                              corners.size());
        // Normals go with the inverse transpose.
        const Mat33d     N = std::abs(determinant(linear)) > 0 ? transpose(inverse(linear)) : Mat33d::identity();
        std::vector<int> face_now(counts.size(), -1);
        std::size_t      begin = 0;
        for (std::size_t f = 0; f < counts.size(); ++f) {
            const int n = counts[f];
            if (n < 0 || begin + at(n) > corners.size()) break;
            bool good = n >= 3 && !hole.contains(static_cast<int>(f));
            for (std::size_t i = begin; i < begin + at(n); ++i)
                good =
                    good && corners[i] >= 0 && at(corners[i]) < points.size() && is_finite(out.points[at(corners[i])]);
            if (good) {
                face_now[f] = static_cast<int>(out.counts.size());
                out.counts.push_back(n);
                for (std::size_t k = 0; k < at(n); ++k) {
                    const std::size_t i = begin + (flip ? at(n) - 1 - k : k);
                    out.corners.push_back(corners[i]);
                    if (normals.good())
                        out.normals.push_back(normalized(N * normals.at(at(corners[i]), f, i), {0, 0, 1}));
                    if (uvs.good()) out.uvs.push_back(uvs.at(at(corners[i]), f, i));
                }
            }
            begin += at(n);
        }
        if (out.counts.empty()) return -1;
        for (Vec3d& p : out.points)
            if (!is_finite(p)) p = {};
        subsets(prim, face_now, out);
        for (std::size_t m = 0; m < r_.tree.meshes.size(); ++m) {
            const sf::MeshAsset& known = r_.tree.meshes[m];
            const auto           same  = [](const sf::MeshSubset& x, const sf::MeshSubset& y) {
                return x.material == y.material && x.faces == y.faces;
            };
            if (known.points == out.points && known.corners == out.corners && known.counts == out.counts &&
                known.normals == out.normals && known.uvs == out.uvs &&
                std::equal(known.subsets.begin(), known.subsets.end(), out.subsets.begin(), out.subsets.end(), same))
                return static_cast<int>(m);
        }
        r_.tree.meshes.push_back(std::move(out));
        return static_cast<int>(r_.tree.meshes.size()) - 1;
    }

    void subsets(const usd::Prim& prim, const std::vector<int>& face_now, sf::MeshAsset& out)
    {
        for (const usd::Prim& child : prim.children()) {
            if (child.type_name().text() != "GeomSubset" ||
                child.attribute("elementType").get_or<std::string>("face") != "face")
                continue;
            const auto indices = child.attribute("indices").get<std::vector<int>>().value_or(std::vector<int>());
            const int  m       = look(child);
            if (m < 0) continue;
            sf::MeshSubset subset{child.name().text(), {}, m};
            for (const int f : indices)
                if (f >= 0 && at(f) < face_now.size() && face_now[at(f)] >= 0) subset.faces.push_back(face_now[at(f)]);
            if (!subset.faces.empty()) out.subsets.push_back(std::move(subset));
        }
    }

    /// The material bound to a prim, as constants and one picture.
    int look(const usd::Prim& prim)
    {
        const usd::Prim bound = r_.stage.bound_material(prim, "preview");
        if (!bound) return display_color(prim);
        const std::string key = bound.path().text();
        if (const auto known = materials_.find(key); known != materials_.end()) return known->second;
        const usd::Prim shader = usd::surface_shader(bound);
        sf::Material    out;
        out.name  = bound.name().text();
        out.place = r_.place(bound.site());
        if (!shader || shader.attribute("info:id").get_or<std::string>("") != "UsdPreviewSurface") {
            if (!shader) return materials_[key] = -1;
            r_.lose("material", Severity::warning, sf::LossAction::approximated, "material", bound.site(), key,
                    "another shader", "grey", "only UsdPreviewSurface is understood");
        } else {
            surface(shader, out);
        }
        r_.tree.materials.push_back(std::move(out));
        return materials_[key] = static_cast<int>(r_.tree.materials.size()) - 1;
    }

    void surface(const usd::Prim& shader, sf::Material& out)
    {
        const auto source = [&](const char* name) { return usd::shading_source(shader.attribute(name)); };
        const auto color  = [&](const char* name, std::array<double, 3>& to) {
            const auto s = source(name);
            if (s.computed) return;
            if (const auto v = s.attribute.get<Vec3d>()) to = {v->x, v->y, v->z};
        };
        const auto number = [&](const char* name, double& to) {
            const auto s = source(name);
            if (!s.computed)
                if (const auto v = s.attribute.get<double>()) to = *v;
        };
        std::array<double, 3> diffuse{0.18, 0.18, 0.18};
        if (const auto s = source("inputs:diffuseColor"); s.computed) {
            const usd::Prim texture = s.attribute.prim();
            if (texture.attribute("info:id").get_or<std::string>("") == "UsdUVTexture") {
                const auto file = usd::shading_source(texture.attribute("inputs:file")).attribute.get<usd::AssetPath>();
                if (file && !file->resolved.empty()) out.texture = file->resolved;
                diffuse = {1, 1, 1};
            }
        } else {
            color("inputs:diffuseColor", diffuse);
        }
        std::copy(diffuse.begin(), diffuse.end(), out.rgba.begin());
        number("inputs:opacity", out.rgba[3]);
        number("inputs:metallic", out.metallic);
        number("inputs:roughness", out.roughness);
        color("inputs:emissiveColor", out.emission);
        for (const char* lost :
             {"inputs:normal", "inputs:displacement", "inputs:occlusion", "inputs:clearcoat", "inputs:specularColor"})
            if (shader.attribute(lost).authored() || !shader.attribute(lost).connections().empty())
                r_.lose("shader-input", Severity::info, sf::LossAction::dropped, "material", shader.site(),
                        shader.path().text(), lost, {}, "formats of robots cannot express it");
    }

    int display_color(const usd::Prim& prim)
    {
        const auto colors = usd::start_as<std::vector<Vec3d>>(prim.attribute("primvars:displayColor"));
        if (!colors || colors->empty()) return -1;
        const Vec3d  c       = colors->front();
        const auto   opacity = usd::start_as<std::vector<double>>(prim.attribute("primvars:displayOpacity"));
        sf::Material out;
        out.rgba                 = {c.x, c.y, c.z, opacity && !opacity->empty() ? opacity->front() : 1};
        const std::string key    = fmt::format("color {} {} {} {}", out.rgba[0], out.rgba[1], out.rgba[2], out.rgba[3]);
        const auto [slot, fresh] = materials_.try_emplace(key, static_cast<int>(r_.tree.materials.size()));
        if (fresh) {
            out.name = fmt::format("color_{}", slot->second);
            r_.tree.materials.push_back(std::move(out));
        }
        return slot->second;
    }

    void add(sf::Shape shape, const usd::Path& path)
    {
        r_.shapes.try_emplace(path, static_cast<int>(r_.tree.shapes.size()));
        paths_.push_back(path);
        r_.tree.shapes.push_back(std::move(shape));
    }

    /// Whether the points are the same but for the rounding of the transforms above them.
    [[nodiscard]] bool is_same_mesh(int a, int b) const
    {
        if (a == b) return true;
        if (a < 0 || b < 0) return false;
        const auto &one = r_.tree.meshes[at(a)], &other = r_.tree.meshes[at(b)];
        return std::ranges::equal(one.points, other.points, [](const Vec3d& p, const Vec3d& q) {
            return length(p - q) <= 1e-9 * (length(p) + length(q));
        });
    }

    /// What has no end is drawn with one.
    static Vec3d drawn_size(const Vec3d& half)
    {
        const auto side = [](double h) { return 2 * h == sf::kEndlessPlane ? 0 : h; };
        return {side(half.x), side(half.y), 0};
    }

    /// Whether what is seen has the form and place of what collides. A plane collides without an end, whatever is drawn
    /// of it. A mesh with a look for each of its parts stays apart: colliders have one look.
    [[nodiscard]] bool is_same_form(const sf::Shape& seen, const sf::Shape& collider) const
    {
        if (seen.kind != collider.kind || !is_same_mesh(seen.mesh, collider.mesh)) return false;
        if (seen.mesh >= 0 && seen.material < 0 && !r_.tree.meshes[at(seen.mesh)].subsets.empty()) return false;
        if (seen.kind != sf::Shape::Kind::plane && length(seen.size - collider.size) > 1e-6 * length(collider.size))
            return false;
        return length(seen.X_LS.p - collider.X_LS.p) <= 1e-6 && std::abs(dot(seen.X_LS.q, collider.X_LS.q)) >= 1 - 1e-9;
    }

    /// One shape that is seen and touched stands twice on the stage, under one name, or is one prim.
    void names()
    {
        for (std::size_t m = 0; m < r_.tree.materials.size(); ++m)
            for (std::size_t n = 0, i = 1; n < m; ++n)
                if (r_.tree.materials[n].name == r_.tree.materials[m].name)
                    r_.tree.materials[m].name += fmt::format("_{}", i++), n = 0;
        std::vector<bool> gone(r_.tree.shapes.size(), false);
        for (std::size_t c = 0; c < r_.tree.shapes.size(); ++c) {
            sf::Shape& collider = r_.tree.shapes[c];
            if (!collider.collider) continue;
            for (std::size_t v = 0; v < r_.tree.shapes.size(); ++v) {
                const sf::Shape& seen = r_.tree.shapes[v];
                if (seen.collider || gone[v] || seen.link != collider.link || seen.name != collider.name ||
                    !is_same_form(seen, collider))
                    continue;
                if (!collider.visual || collider.material < 0) collider.material = seen.material;
                collider.visual = true;
                collider.mesh   = seen.mesh;
                if (seen.kind == sf::Shape::Kind::plane) collider.size = drawn_size(seen.size);
                gone[v]              = true;
                r_.shapes[paths_[v]] = static_cast<int>(c);
            }
        }
        std::vector<int>       now(gone.size(), -1);
        std::vector<sf::Shape> kept;
        for (std::size_t s = 0; s < gone.size(); ++s)
            if (!gone[s]) now[s] = static_cast<int>(kept.size()), kept.push_back(std::move(r_.tree.shapes[s]));
        r_.tree.shapes = std::move(kept);
        for (auto* const shapes : {&r_.shapes, &r_.idle_shapes})
            for (auto& [path, index] : *shapes) index = now[at(index)];
    }
};

}  // namespace

void read_shapes(StageReader& reader) { ShapeReader(reader).read(); }

}  // namespace mechane::exporter
