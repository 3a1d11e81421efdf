// Shapes as geoms and sites of MuJoCo: kinds, sizes, assets, contact values. MuJoCo's half sizes are ours; planes have
// half widths; meshes and height fields are assets shared by source and scale.

#include "solvers/mujoco/geoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechane/geometry/mass.h"
#include "mechane/model/builder.h"
#include "mechane/model/shape_table.h"
#include "mechane/solvers/codes.h"

namespace mechane::solvers::mujoco {

namespace {

using model::GeoType;

constexpr int    kConeSides   = 32;
constexpr double kLeastHeight = 1e-4;  ///< of what stands for a finite plane [m]

std::vector<Vec3d> scaled(const geometry::Mesh& mesh, const Vec3d& scale)
{
    std::vector<Vec3d> out;
    out.reserve(mesh.points.size());
    for (const Vec3d& p : mesh.points) out.push_back({scale.x * p.x, scale.y * p.y, scale.z * p.z});
    return out;
}

void put(MeshItem::Surface& out, const std::vector<Vec3d>& points)
{
    for (const Vec3d& p : points)
        for (const double x : {p.x, p.y, p.z}) out.points.push_back(static_cast<float>(x));
}

/// Points in a plane, or on a line, have no volume, which MuJoCo wants: the direction of their least extent, and
/// whether it is none.
/// Least principal direction of the points; below a hundred-thousandth of the reach they count as flat.
std::pair<Vec3d, double> flat_along(const std::vector<Vec3d>& points)
{
    Vec3d mean{};
    for (const Vec3d& p : points) mean += (1.0 / static_cast<double>(points.size())) * p;
    Mat33d spread{};
    for (const Vec3d& p : points) {
        const Vec3d d = p - mean;
        spread.r0 += d.x * d, spread.r1 += d.y * d, spread.r2 += d.z * d;
    }
    const auto   axes = geometry::principal_axes(spread);
    const double v[]  = {axes.values.x, axes.values.y, axes.values.z};
    const auto   k    = static_cast<int>(std::min_element(v, v + 3) - v);
    const Vec3d  n    = rotate(axes.rotation, axis_vector<double>(k));
    double       low = kInfinity, high = -kInfinity, reach = 0;
    for (const Vec3d& p : points) {
        low = std::min(low, dot(n, p - mean)), high = std::max(high, dot(n, p - mean));
        reach = std::max(reach, length(p - mean));
    }
    return {n, high - low > 1e-5 * reach ? 0.0 : std::max(1e-3 * reach, 1e-4)};
}

/// @return null where there is nothing to make a surface of
std::shared_ptr<const MeshItem::Surface> surface_of(const geometry::Mesh& mesh, const Vec3d& scale, bool& thickened)
{
    auto               out    = std::make_shared<MeshItem::Surface>();
    std::vector<Vec3d> points = scaled(mesh, scale);
    if (points.empty()) return nullptr;
    const auto [n, thickness] = flat_along(points);
    thickened                 = thickness > 0;
    if (thickened) {
        // Its hull, with a thickness to both sides; a line or a point becomes a slab of three directions.
        const Vec3d              a = any_perpendicular(n), b = cross(n, a);
        const std::vector<Vec3d> flat = points;
        points.clear();
        for (const Vec3d& p : flat)
            for (const double s : {-0.5, 0.5}) points.push_back(p + s * thickness * n);
        points.push_back(flat.front() + thickness * a);
        points.push_back(flat.front() + thickness * b);
        points.push_back(flat.front() - thickness * a);
        put(*out, points);
        return out;
    }
    put(*out, points);
    // A mirrored scale turns the winding round.
    const bool mirrored = scale.x * scale.y * scale.z < 0;
    for (const auto& t : mesh.triangles) {
        out->triangles.push_back(t[0]);
        out->triangles.push_back(t[mirrored ? 2 : 1]);
        out->triangles.push_back(t[mirrored ? 1 : 2]);
    }
    return out;
}

std::shared_ptr<const MeshItem::Surface> cone_surface(double radius, double half)
{
    auto               out = std::make_shared<MeshItem::Surface>();
    std::vector<Vec3d> points{{0, 0, half}, {0, 0, -half}};
    for (int k = 0; k < kConeSides; ++k) {
        const double angle = 2 * kPi * k / kConeSides;
        points.push_back({radius * std::cos(angle), radius * std::sin(angle), -half});
    }
    put(*out, points);
    for (int k = 0; k < kConeSides; ++k) {
        const int a = 2 + k, b = 2 + (k + 1) % kConeSides;
        for (const int i : {0, a, b, 1, b, a}) out->triangles.push_back(i);
    }
    return out;
}

/// The index of a surface in the description, added where it is new there.
std::int32_t mesh_asset(Description& what, const std::shared_ptr<const MeshItem::Surface>& surface)
{
    for (std::size_t i = 0; i < what.meshes.size(); ++i)
        if (what.meshes[i].surface == surface) return static_cast<std::int32_t>(i);
    what.meshes.push_back({fmt::format("mesh_{}", what.meshes.size()), surface});
    return static_cast<std::int32_t>(what.meshes.size()) - 1;
}

/// Makes a geom the height field that was found in its shape.
void make_field(const FoundGrid& found, Description& what, GeomItem& g)
{
    g.kind = GeomKind::hfield;
    g.X    = g.X * found.X;
    for (std::size_t k = 0; k < what.heights.size() && g.asset < 0; ++k)
        if (what.heights[k].grid == found.grid) g.asset = static_cast<std::int32_t>(k);
    if (g.asset >= 0) return;
    g.asset = static_cast<std::int32_t>(what.heights.size());
    what.heights.push_back({fmt::format("field_{}", g.asset), found.grid});
}

std::int32_t condim_of(const model::Model& m, const Attributes& a, std::size_t i, bool newton)
{
    if (a.has("condim") || newton) {
        const std::int32_t dim = a.whole("condim", i, 3);
        return dim == 1 || dim == 4 || dim == 6 ? dim : 3;
    }
    // Without friction MuJoCo's pyramids are so thin that its solver does not get through.
    // condim 1 is a contact without friction.
    if (!(m.shape_material_mu[i] > 0)) return 1;
    // Whoever says how a shape resists spinning or rolling wants it.
    const model::ShapeConfig unsaid;
    const auto asked = [](Real value, double otherwise) { return value > 0 && value != static_cast<Real>(otherwise); };
    if (asked(m.shape_material_mu_rolling[i], unsaid.mu_rolling)) return 6;
    return asked(m.shape_material_mu_torsional[i], unsaid.mu_torsional) ? 4 : 3;
}

void set_contact_values(const model::Model& m, const Attributes& a, std::size_t i, const ConvertOptions& o, GeomItem& g)
{
    const auto number = [](Real value) { return static_cast<double>(value); };
    g.friction        = {number(m.shape_material_mu[i]), number(m.shape_material_mu_torsional[i]),
                         number(m.shape_material_mu_rolling[i])};
    g.condim          = condim_of(m, a, i, o.newton_compat);
    g.priority        = a.whole("geom_priority", i, 0);
    g.group           = std::clamp(a.whole("geom_group", i, 0), 0, 5);
    g.solmix          = a.number("geom_solmix", i, 1);
    g.solimp          = a.numbers<5>("geom_solimp", i, kSolimp);
    const Solref raw  = a.numbers<2>("solref", i, {0, 0});
    const bool   own  = raw != Solref{0, 0} && a.whole("solref_mode", i, 1) == 1;
    g.solref          = own ? raw : solref_of(number(m.shape_material_ke[i]), number(m.shape_material_kd[i]));
    g.margin          = number(m.shape_margin[i]);
    // Between margin and gap MuJoCo lists contacts that do nothing.
    g.gap = o.newton_compat ? number(m.shape_gap[i]) : 0;
    if (!(m.shape_surface_velocity[i] == Spatial{})) {
        const auto  v      = static_cast<Spatiald>(m.shape_surface_velocity[i]);
        const bool  turn   = (m.shape_flags[i] & model::shape_flag::surface_in_world) != 0;
        const Posed X      = (m.shape_body[i] < 0 ? Posed{} : static_cast<Posed>(m.body_q[m.shape_body[i]])) *
                             static_cast<Posed>(m.shape_transform[i]);
        const Vec3d l      = turn ? rotate_inverse(X.q, v.linear) : v.linear,
                    w      = turn ? rotate_inverse(X.q, v.angular) : v.angular;
        g.surface_velocity = {l.x, l.y, l.z, w.x, w.y, w.z};
    }
}

}  // namespace

/// timeconst = 2 / kd and dampratio = kd / (2 sqrt(ke)) for a unit mass: solref of MuJoCo's documentation, solved for
/// stiffness and damping.
Solref solref_of(double ke, double kd)
{
    if (!(ke > 0) || !(kd > 0)) return kSolref;
    return {2 / kd, kd / (2 * std::sqrt(ke))};
}

Result<std::optional<GeomItem>> make_geom(const model::Model& m, const Attributes& a, std::int32_t shape,
                                          std::int32_t body, const ConvertOptions& o, Description& what,
                                          Surfaces& surfaces, Shortfalls& shortfalls)
{
    const auto              i     = static_cast<std::size_t>(shape);
    const std::string&      label = m.shape_label[i];
    const Vec3d             s     = static_cast<Vec3d>(m.shape_scale[i]);
    const geometry::Mesh*   mesh  = m.shape_source[i].get();
    std::optional<GeomItem> none;
    if (!model::is_usable({m.shape_type[i], s, mesh})) {
        shortfalls.add(Support::ignored, "shapes without a usable size or surface collide with nothing", label);
        return none;
    }
    GeomItem g;
    g.shape = shape;
    g.body  = body;
    g.X     = static_cast<Posed>(m.shape_transform[i]);
    g.X.q   = normalized(g.X.q);
    set_contact_values(m, a, i, o, g);
    if ((m.shape_flags[i] & model::shape_flag::surface_in_world) != 0 && m.shape_body[i] >= 0 &&
        !(m.shape_surface_velocity[i] == Spatial{}))
        shortfalls.add(Support::approximated, "surfaces that move in world axes turn with their bodies", label);
    bool thickened = false;
    switch (m.shape_type[i]) {
        case GeoType::plane:
            g.kind = GeomKind::plane;
            g.size = {0.5 * s.x, 0.5 * s.y, 1};
            if (body >= 0) {
                // An infinite plane cannot move in MuJoCo.
                if (s.x <= 0 || s.y <= 0)
                    return make_diagnostic(kSolverModel, {.prim = label},
                                           fmt::format("mujoco: an infinite plane moves with a body: '{}'", label),
                                           "Attach it to the world, or give it a size.");
                // A finite one is the top of a thin box.
                g.kind = GeomKind::box;
                g.size = {0.5 * s.x, 0.5 * s.y, kLeastHeight};
                g.X    = g.X * Posed{{0, 0, -kLeastHeight}, {}};
                shortfalls.add(Support::approximated, "planes that move are thin boxes", label);
            } else if (s.x > 0 && s.y > 0 && o.mujoco_contacts) {
                shortfalls.add(Support::approximated, "planes have no end", label);
            }
            break;
        case GeoType::sphere:
            g.kind = GeomKind::sphere;
            g.size = {s.x, 0, 0};
            break;
        case GeoType::capsule:
            g.kind = GeomKind::capsule;
            // MuJoCo refuses capsules without length.
            g.size = {s.x, std::max(s.y, 1e-9), 0};
            break;
        case GeoType::cylinder:
            g.kind = GeomKind::cylinder;
            g.size = {s.x, s.y, 0};
            if (s.z != 0 && o.mujoco_contacts) shortfalls.add(Support::approximated, "barrels are cylinders", label);
            break;
        case GeoType::ellipsoid:
            g.kind = GeomKind::ellipsoid;
            g.size = s;
            break;
        case GeoType::box:
            g.kind = GeomKind::box;
            g.size = s;
            break;
        case GeoType::heightfield: {
            const auto [known, fresh] = surfaces.grids.try_emplace({mesh, 0, s.x, s.y, s.z});
            if (fresh) known->second = grid_of(*mesh, s);
            if (!known->second) {
                shortfalls.add(Support::ignored, "height fields whose surface is not a grid collide with nothing",
                               label);
                return none;
            }
            make_field(*known->second, what, g);
            break;
        }
        case GeoType::mesh:
        case GeoType::convex_mesh: {
            const bool hollow = !mesh->is_convex && m.shape_type[i] == GeoType::mesh && o.mujoco_contacts;
            if (hollow && body < 0 && !o.newton_compat) {
                const auto [field, fresh] = surfaces.grids.try_emplace({mesh, 1, s.x, s.y, s.z});
                if (fresh) field->second = terrain_of(*mesh, s);
                if (field->second) {
                    if (!field->second->closed)
                        shortfalls.add(Support::approximated, "sheets over a grid are solid below", label);
                    make_field(*field->second, what, g);
                    break;
                }
            }
            auto& known = surfaces.meshes[{mesh, 0, s.x, s.y, s.z}];
            if (known == nullptr) known = surface_of(*mesh, s, thickened);
            if (known == nullptr) return none;
            if (known->triangles.empty() && o.mujoco_contacts)
                shortfalls.add(Support::approximated, "flat meshes are slabs", label);
            else if (hollow)
                shortfalls.add(Support::approximated, "meshes are their convex hulls", label);
            g.kind  = GeomKind::mesh;
            g.asset = mesh_asset(what, known);
            break;
        }
        case GeoType::cone: {
            auto& known = surfaces.meshes[{nullptr, 1, s.x, s.y, 0}];
            if (known == nullptr) known = cone_surface(s.x, s.y);
            if (o.mujoco_contacts) shortfalls.add(Support::approximated, "cones are pyramids of 32 sides", label);
            g.kind  = GeomKind::mesh;
            g.asset = mesh_asset(what, known);
            break;
        }
        case GeoType::none:
        case GeoType::gaussian:
            return none;
    }
    if (o.newton_compat) {  // unused numbers repeat the first that is not zero
        const double first = g.size.x > 0 ? g.size.x : g.size.y > 0 ? g.size.y : g.size.z;
        for (double* x : {&g.size.x, &g.size.y, &g.size.z})
            if (*x == 0) *x = first;
    }
    return std::optional(std::move(g));
}

SiteItem make_site(const model::Model& m, std::int32_t shape, std::int32_t body)
{
    const auto i = static_cast<std::size_t>(shape);
    SiteItem   site;
    site.shape         = shape;
    site.body          = body;
    site.X             = static_cast<Posed>(m.shape_transform[i]);
    site.X.q           = normalized(site.X.q);
    const Vec3d  s     = static_cast<Vec3d>(m.shape_scale[i]);
    const double first = s.x > 0 ? s.x : s.y > 0 ? s.y : s.z;
    if (first > 0) site.size = {s.x > 0 ? s.x : first, s.y > 0 ? s.y : first, s.z > 0 ? s.z : first};
    site.kind = m.shape_type[i] == GeoType::capsule    ? GeomKind::capsule
                : m.shape_type[i] == GeoType::cylinder ? GeomKind::cylinder
                : m.shape_type[i] == GeoType::box      ? GeomKind::box
                                                       : GeomKind::sphere;
    return site;
}

}  // namespace mechane::solvers::mujoco
