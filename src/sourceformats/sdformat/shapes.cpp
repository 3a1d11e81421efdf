// <visual> and <collision>: shapes, their looks, what touching surfaces do.
//
// Sizes that are left out have the defaults of the specification: a unit box, radius 1, length 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "mechane/geometry/triangulation.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/sdformat/reader.h"

namespace mechane::sourceformats {

void SdformatReader::shape(const PendingShape& p)
{
    const XmlElement& e        = *p.e;
    const XmlElement* geometry = e.child("geometry");
    e.find("name");
    Shape made;
    made.place    = e.place;
    made.name     = e.get("name", e.name);
    made.visual   = !p.collider;
    made.collider = p.collider || s_.options.visuals_collide;
    // -2 marks a link of a static model: it is a part of the world.
    const int link = nodes_[at(p.link_node)].link;
    made.link      = link == -2 ? -1 : link;
    made.X_LS      = below(made.link, p.node);
    if (geometry == nullptr || geometry->children.empty())
        return s_.error(kMissing, e.place, fmt::format("the {} '{}' has no geometry", e.name, made.name));
    const XmlElement& g = geometry->children.front();
    g.used              = true;
    const auto positive = [&](std::initializer_list<double> sizes) {
        const bool good = std::all_of(sizes.begin(), sizes.end(), [](double v) { return v > 0; });
        if (!good) s_.error(kShape, g.place, fmt::format("the size of a <{}> is not positive", g.name));
        return good;
    };
    if (g.name == "box") {
        const Vec3d size = vec3(g, "size").value_or(Vec3d{1, 1, 1});
        if (!positive({size.x, size.y, size.z})) return;
        made.kind = Shape::Kind::box;
        made.size = 0.5 * size;
    } else if (g.name == "sphere") {
        const double r = number(g, "radius").value_or(1);
        if (!positive({r})) return;
        made.kind = Shape::Kind::sphere;
        made.size = {r, r, r};
    } else if (g.name == "cylinder" || g.name == "capsule" || g.name == "cone") {
        const double r = number(g, "radius").value_or(g.name == "capsule" ? 0.5 : 1),
                     l = number(g, "length").value_or(1);
        if (!positive({r, l})) return;
        made.kind = g.name == "cylinder"  ? Shape::Kind::cylinder
                    : g.name == "capsule" ? Shape::Kind::capsule
                                          : Shape::Kind::mesh;
        // Half lengths, as everywhere in the tree. SDFormat's cylinders stand along z, as ours do.
        made.size = {r, 0.5 * l, 0};
        if (g.name == "cone") made.mesh = cone(r, 0.5 * l, g.place);
    } else if (g.name == "ellipsoid") {
        const Vec3d r = vec3(g, "radii").value_or(Vec3d{1, 1, 1});
        if (!positive({r.x, r.y, r.z})) return;
        made.kind = Shape::Kind::ellipsoid;
        made.size = r;
    } else if (g.name == "plane") {
        const Vec3d n = vec3(g, "normal").value_or(Vec3d{0, 0, 1});
        if (!(length(n) > 1e-9)) return s_.error(kShape, g.place, "the normal of a plane has no direction");
        // Our planes have the normal z; the shape is turned so that the normal fits.
        made.kind              = Shape::Kind::plane;
        made.X_LS.q            = made.X_LS.q * rotation_between(Vec3d{0, 0, 1}, normalized(n));
        const XmlElement* size = g.child("size");
        const auto        v    = size != nullptr ? numbers_of(*size, 2, 2) : std::nullopt;
        // A plane that collides has no end, whatever size it is shown with.
        if (!p.collider) made.size = v ? Vec3d{0.5 * (*v)[0], 0.5 * (*v)[1], 0} : Vec3d{0.5, 0.5, 0};
    } else if (g.name == "mesh") {
        const auto uri = text(g, "uri");
        if (!uri || uri->empty()) return s_.error(kMissing, g.place, "a mesh has no <uri>");
        made.kind = Shape::Kind::mesh;
        if (const auto scale = vec3(g, "scale")) {
            made.scale = *scale;
            if (scale->x == 0 || scale->y == 0 || scale->z == 0)
                return s_.error(kShape, g.place, "the scale of a mesh is zero");
        }
        made.mesh = s_.mesh(*uri, scopes_[at(p.scope)].folder, g.place);
        if (made.mesh < 0) return;
        if (const XmlElement* sub = g.child("submesh")) submesh(*sub, made);
        if (const std::string how = g.get("optimization"); how == "convex_decomposition")
            made.approximation = "convexDecomposition";
    } else if (g.name == "polyline") {
        made.kind = Shape::Kind::mesh;
        made.mesh = prism(g);
        if (made.mesh < 0) return;
    } else if (g.name == "empty") {
        return;
    } else {
        // An element that we do not know stays unread, so that it is listed with its values.
        g.used = false;
        return s_.error(kUnsupported, g.place,
                        fmt::format("<{}> of the {} '{}' has no counterpart here", g.name, e.name, made.name));
    }
    if (!p.collider) look(e, made, scopes_[at(p.scope)].folder);
    // All bits by default. A mask of 16 bits is Gazebo's; colliders meet where masks have a common bit.
    unsigned mask = 0xffff;
    if (const XmlElement* surface = e.child("surface"); surface != nullptr && p.collider) mask = touch(*surface, made);
    // Water's density, as the specification says for <auto> inertials.
    double density = 1000;
    if (p.collider)
        if (const auto d = number(e, "density"); d && *d > 0) density = *d;
    masks_.push_back(mask);
    densities_.push_back(density);
    tree_.shapes.push_back(std::move(made));
}

void SdformatReader::submesh(const XmlElement& sub, Shape& shape)
{
    const auto name = text(sub, "name");
    if (!name) return;
    // Readers of mesh files tell parts by material; a part that a file has by name alone cannot be found.
    const MeshAsset& whole = tree_.meshes[at(shape.mesh)];
    for (const MeshSubset& s : whole.subsets)
        if (s.name == *name) {
            MeshAsset part;
            // Points that the part does not use are left behind.
            std::vector<int>         now(whole.points.size(), -1);
            std::vector<std::size_t> begin(whole.counts.size() + 1, 0);
            for (std::size_t f = 0; f < whole.counts.size(); ++f) begin[f + 1] = begin[f] + at(whole.counts[f]);
            part.name = *name, part.address = whole.address + "#" + *name, part.place = sub.place;
            for (const int f : s.faces) {
                part.counts.push_back(whole.counts[at(f)]);
                for (std::size_t c = begin[at(f)]; c < begin[at(f) + 1]; ++c) {
                    int& p = now[at(whole.corners[c])];
                    if (p < 0)
                        p = static_cast<int>(part.points.size()),
                        part.points.push_back(whole.points[at(whole.corners[c])]);
                    part.corners.push_back(p);
                    if (!whole.normals.empty()) part.normals.push_back(whole.normals[c]);
                    if (!whole.uvs.empty()) part.uvs.push_back(whole.uvs[c]);
                }
            }
            // Gazebo moves the middle of the part's box to the origin.
            if (flag(sub, "center", false)) {
                Vec3d low = part.points[0], high = part.points[0];
                for (const Vec3d& p : part.points)
                    for (std::size_t k = 0; k < 3; ++k)
                        low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
                for (Vec3d& p : part.points) p -= 0.5 * (low + high);
            }
            shape.mesh = static_cast<int>(tree_.meshes.size());
            tree_.meshes.push_back(std::move(part));
            return;
        }
    s_.losses.add({"submesh", Severity::warning, LossAction::approximated, "visual", site_of(sub.place), "submesh",
                   *name, "the whole mesh", "parts of a mesh file are told apart by their materials only"});
}

int SdformatReader::add_mesh(const geometry::Mesh& mesh, const std::string& name, const Place& place)
{
    MeshAsset made;
    made.name = made.address = name;
    made.points              = mesh.points;
    made.place               = place;
    for (const auto& t : mesh.triangles) {
        made.counts.push_back(3);
        made.corners.insert(made.corners.end(), t.begin(), t.end());
    }
    tree_.meshes.push_back(std::move(made));
    return static_cast<int>(tree_.meshes.size()) - 1;
}

int SdformatReader::cone(double radius, double half, const Place& place)
{
    // The sides of the mesh lie within 0.5 % of the radius: 1 - cos(pi / 32).
    constexpr int  kSides = 32;
    geometry::Mesh mesh;
    // Tip and middle of the base first, then the rim.
    mesh.points = {{0, 0, half}, {0, 0, -half}};
    for (int i = 0; i < kSides; ++i) {
        const double a = 2 * std::numbers::pi * i / kSides;
        mesh.points.push_back({radius * std::cos(a), radius * std::sin(a), -half});
    }
    for (int i = 0; i < kSides; ++i) {
        const int a = 2 + i, b = 2 + (i + 1) % kSides;
        // Side and base: both wound so that they look outwards.
        mesh.triangles.push_back({a, b, 0});
        mesh.triangles.push_back({b, a, 1});
    }
    const int index = add_mesh(mesh, "cone", place);
    cones_.emplace(index, std::pair{radius, half});
    return index;
}

int SdformatReader::prism(const XmlElement& g)
{
    const double       h = number(g, "height").value_or(1);
    std::vector<Vec3d> outline;
    for (const XmlElement& c : g.children)
        if (c.name == "point") {
            c.used       = true;
            const auto v = numbers_of(c, 2, 2);
            if (v) outline.push_back({(*v)[0], (*v)[1], 0});
        }
    // An outline may be closed by its first point.
    if (outline.size() > 1 && outline.front() == outline.back()) outline.pop_back();
    double area = 0;
    for (std::size_t i = 0; i < outline.size(); ++i) {
        const Vec3d &a = outline[i], &b = outline[(i + 1) % outline.size()];
        // Twice the signed area by the shoelace formula: below zero the outline runs clockwise.
        area += a.x * b.y - a.y * b.x;
    }
    if (outline.size() < 3 || area == 0 || !(h > 0)) {
        s_.error(kShape, g.place, "a polyline has no area or height");
        return -1;
    }
    if (area < 0) std::reverse(outline.begin(), outline.end());
    const auto         n      = static_cast<std::int32_t>(outline.size());
    std::vector<Vec3d> points = outline;
    // Floor points first, roof points behind them.
    for (Vec3d p : outline) p.z = h, points.push_back(p);
    std::vector<std::int32_t> counts, corners;
    counts.push_back(n);
    // The floor faces down, so its corners run backwards; walls and roof run as the outline does.
    for (std::int32_t i = n; i-- > 0;) corners.push_back(i);
    counts.push_back(n);
    for (std::int32_t i = 0; i < n; ++i) corners.push_back(n + i);
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t j = (i + 1) % n;
        counts.push_back(4);
        corners.insert(corners.end(), {i, j, n + j, n + i});
    }
    return add_mesh(geometry::triangulate({points, counts, corners, {}}).mesh, "polyline", g.place);
}

void SdformatReader::look(const XmlElement& e, Shape& shape, const std::string& folder)
{
    const XmlElement* m    = e.child("material");
    const auto        thin = number(e, "transparency");
    if (m == nullptr && !thin) return;
    Material made;
    made.name  = shape.name + "_material";
    made.place = m != nullptr ? m->place : e.place;
    made.rgba  = {1, 1, 1, 1};
    if (m != nullptr) {
        made.rgba = color(*m, "diffuse", made.rgba);
        // Ambient light of its own is no part of this model of surfaces; where it is the colour it is not lost.
        if (const XmlElement* ambient = m->child("ambient")) {
            const auto a = color(*m, "ambient", {0, 0, 0, 1});
            if (m->child("diffuse") == nullptr)
                made.rgba = a;
            else if (a != made.rgba)
                s_.losses.add({"ambient",
                               Severity::info,
                               LossAction::dropped,
                               "material",
                               site_of(ambient->place),
                               "ambient",
                               words(*ambient),
                               {},
                               "the surface has one colour"});
        }
        const auto glow = color(*m, "emissive", {0, 0, 0, 1});
        made.emission   = {glow[0], glow[1], glow[2]};
        if (const XmlElement* pbr = m->child("pbr")) {
            if (const XmlElement* metal = pbr->child("metal")) {
                made.metallic  = std::clamp(number(*metal, "metalness").value_or(0.5), 0.0, 1.0);
                made.roughness = std::clamp(number(*metal, "roughness").value_or(0.5), 0.0, 1.0);
                if (const auto map = text(*metal, "albedo_map"); map && !map->empty())
                    made.texture = s_.texture(*map, folder, metal->place);
            } else if (const XmlElement* specular = pbr->child("specular")) {
                if (const auto map = text(*specular, "albedo_map"); map && !map->empty())
                    made.texture = s_.texture(*map, folder, specular->place);
                // Glossiness is the reverse of roughness.
                if (const auto gloss = number(*specular, "glossiness"))
                    made.roughness = std::clamp(1 - *gloss, 0.0, 1.0);
            }
        }
    }
    if (thin) made.rgba[3] *= std::clamp(1 - *thin, 0.0, 1.0);
    for (const Material& known : tree_.materials)  // the same look under another name is the same
        if (known.rgba == made.rgba && known.texture == made.texture && known.metallic == made.metallic &&
            known.roughness == made.roughness && known.emission == made.emission)
            made.name = known.name;
    shape.material = s_.material(std::move(made));
}

unsigned SdformatReader::touch(const XmlElement& surface, Shape& shape)
{
    // Contact values of the whole shape; nothing told leaves the default material.
    Contact contact;
    bool    any             = false;
    contact.static_friction = contact.dynamic_friction = 1;
    if (const XmlElement* friction = surface.child("friction")) {
        std::optional<double> mu, mu2;
        if (const XmlElement* ode = friction->child("ode"))
            mu = number(*ode, "mu", true), mu2 = number(*ode, "mu2", true);
        if (const XmlElement* bullet = friction->child("bullet")) {
            const auto f = number(*bullet, "friction", true), f2 = number(*bullet, "friction2", true),
                       roll = number(*bullet, "rolling_friction");
            if (!mu) mu = f, mu2 = f2;
            if (roll) contact.rolling = *roll;
        }
        if (const XmlElement* torsional = friction->child("torsional")) {
            const auto c = number(*torsional, "coefficient"), patch = number(*torsional, "patch_radius");
            // Torque is 3 pi / 16 of patch radius, coefficient and normal force (Gazebo, "Torsional friction").
            if (c && patch) contact.torsional = 3 * std::numbers::pi / 16 * *c * *patch;
        }
        if (mu) {
            any = true;
            // ODE reads an infinite mu as "never slides"; a thousand is that for any normal force of a robot.
            const double coefficient = std::isfinite(*mu) ? std::max(*mu, 0.0) : 1e3;
            contact.static_friction = contact.dynamic_friction = coefficient;
            if (mu2 && *mu2 != *mu)
                s_.losses.add({"two-frictions", Severity::warning, LossAction::approximated, "contact",
                               site_of(friction->place), fmt::format("collision '{}'", shape.name),
                               fmt::format("{} and {}", *mu, *mu2), fmt::format("{}", coefficient),
                               "one coefficient of friction for all directions"});
        }
        any = any || contact.torsional || contact.rolling;
    }
    if (const XmlElement* bounce = surface.child("bounce")) {
        if (const auto r = number(*bounce, "restitution_coefficient"))
            contact.restitution = std::clamp(*r, 0.0, 1.0), any = true;
        if (const auto t = number(*bounce, "threshold", true); t && *t > 0)
            s_.losses.add({"bounce-threshold",
                           Severity::info,
                           LossAction::dropped,
                           "contact",
                           site_of(bounce->place),
                           fmt::format("collision '{}'", shape.name),
                           fmt::format("{}", *t),
                           {},
                           "restitution holds at any speed"});
    }
    // Without a word about contact the collider keeps the writer's default.
    if (any) shape.contact = contact;
    unsigned mask = 0xffff;
    if (const XmlElement* c = surface.child("contact")) {
        if (const auto bits = text(*c, "collide_bitmask")) {
            const std::string&  t   = *bits;
            char*               end = nullptr;
            const unsigned long v   = std::strtoul(t.c_str(), &end, 0);  // "0x01" and "1"
            if (!t.empty() && *end == '\0')
                mask = static_cast<unsigned>(v & 0xffffffffUL);
            else
                s_.error(kNumber, c->place, fmt::format("<collide_bitmask> is '{}', expected a whole number", t));
        }
        if (flag(*c, "collide_without_contact", false)) {
            mask = 0;
            s_.losses.add({"sensing-collider", Severity::warning, LossAction::approximated, "collision",
                           site_of(c->place), fmt::format("collision '{}'", shape.name), "collide_without_contact",
                           "it touches nothing", "colliders that only sense are no part of UsdPhysics"});
        }
    }
    return mask;
}

}  // namespace mechane::sourceformats
