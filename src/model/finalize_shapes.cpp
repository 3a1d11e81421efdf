// finalize: shapes. Materials, bounds in the shape's frame, lists by body. A shape that cannot collide keeps its place
// and loses its flags; indices of builder and model are equal.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "finalize.h"
#include "mechane/geometry/weld.h"
#include "mechane/model/codes.h"
#include "mechane/model/shape_table.h"
#include "number_repair.h"

namespace mechane::model {

namespace {

struct Extent {
    bool            usable = false;
    geometry::Aabbd box;
    double          radius = 0;
};

// A unit shape stands in where the real one has no bounds.
Extent extent_of(const ShapeGeometry& shape)
{
    const bool usable = is_usable(shape);
    // Something finite for shapes that are kept but never collide; a strip of a plane is as large as a whole one.
    const bool          strip = shape.type == GeoType::plane && is_finite(shape.scale);
    const ShapeGeometry g     = usable || strip ? shape : ShapeGeometry{};
    return {usable, local_bounds(g), collision_radius(g)};
}

/// Replicated worlds share meshes, whose bounds need not be computed again. Only looked up, never iterated: the order
/// of addresses reaches no output.
using MeshExtents = std::map<std::tuple<const geometry::Mesh*, double, double, double, GeoType>, Extent>;

Extent cached_extent(const ShapeGeometry& g, MeshExtents& cache)
{
    if (g.source == nullptr || !is_finite(g.scale)) return extent_of(g);
    // A size that is not finite cannot be a key, since it does not equal itself.
    const auto [entry, is_new] = cache.try_emplace({g.source, g.scale.x, g.scale.y, g.scale.z, g.type});
    if (is_new) entry->second = extent_of(g);
    return entry->second;
}

bool is_finite(const ShapeConfig& c)
{
    const double mu_static = c.mu_static.value_or(c.mu);
    // All numbers of a contact law. Geometry is looked at apart.
    for (const double x : {c.ke, c.kd, c.kf, c.ka, c.mu, mu_static, c.restitution, c.mu_torsional, c.mu_rolling, c.kh})
        if (!std::isfinite(x)) return false;
    return is_finite(c.surface_velocity);
}

void push_material(const ShapeConfig& c, NumberRepair& repair, Model& m)
{
    // Values that are repaired become those of a new ShapeConfig.
    const ShapeConfig fallback;
    m.shape_material_ke.push_back(repair.not_negative(c.ke, "shape_material_ke", fallback.ke));
    m.shape_material_kd.push_back(repair.not_negative(c.kd, "shape_material_kd", fallback.kd));
    m.shape_material_kf.push_back(repair.not_negative(c.kf, "shape_material_kf", fallback.kf));
    m.shape_material_ka.push_back(repair.number(c.ka, "shape_material_ka", fallback.ka));
    m.shape_material_mu.push_back(repair.not_negative(c.mu, "shape_material_mu", fallback.mu));
    // Without a static coefficient it is the dynamic one.
    m.shape_material_mu_static.push_back(
        repair.not_negative(c.mu_static.value_or(c.mu), "shape_material_mu_static", fallback.mu));
    m.shape_material_restitution.push_back(repair.within(c.restitution, 0, 1, "shape_material_restitution"));
    m.shape_material_mu_torsional.push_back(
        repair.not_negative(c.mu_torsional, "shape_material_mu_torsional", fallback.mu_torsional));
    m.shape_material_mu_rolling.push_back(
        repair.not_negative(c.mu_rolling, "shape_material_mu_rolling", fallback.mu_rolling));
    m.shape_material_kh.push_back(repair.not_negative(c.kh, "shape_material_kh", fallback.kh));
    // -1 stands for "as the solver is told".
    const auto rule = [](std::optional<MaterialCombine> r) { return r ? static_cast<std::int32_t>(*r) : kNoCombine; };
    m.shape_friction_combine.push_back(rule(c.friction_combine));
    m.shape_restitution_combine.push_back(rule(c.restitution_combine));
}

/// Whether a mesh bounds no volume, once points at one place are joined; asked once for each mesh.
bool encloses_nothing(const geometry::Mesh& mesh, std::map<const geometry::Mesh*, bool>& known)
{
    const auto [entry, fresh] = known.try_emplace(&mesh, false);
    if (fresh) entry->second = !geometry::encloses_volume(mesh);
    return entry->second;
}

/// The first thing that is wrong with a mesh, as the end of a sentence.
std::string flaw_of(const geometry::Mesh* mesh)
{
    if (!mesh) return "";
    if (mesh->triangles.empty()) return " without triangles";
    for (std::size_t i = 0; i < mesh->points.size(); ++i)
        if (!is_finite(mesh->points[i])) return fmt::format(", whose point {} is not finite,", i);
    return "";
}

}  // namespace

// In the builder's order; the lists of shapes by body are filled on the way.
std::optional<Diagnostic> fill_shapes(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    MeshExtents                           extents;
    std::map<const geometry::Mesh*, bool> closed;  // only looked up
    const double                          usual_gap = ModelBuilder{}.rigid_gap;
    for (std::size_t i = 0; i < b.shapes.size(); ++i) {
        const BuilderShape& s = b.shapes[i];
        NumberRepair        repair(out, s.label);
        std::int32_t        flags    = s.flags;
        const bool          collides = (flags & shape_flag::collide_shapes) != 0;
        // Materials that are no numbers have no sensible repair: they would poison every contact.
        if (collides && !is_finite(s.config))
            return make_diagnostic(kShapeMaterial, repair.site("shape_material"),
                                   "the contact material of the colliding shape is not finite");

        const Extent extent = cached_extent({s.type, s.scale, s.source.get()}, extents);
        // The shape stays, so that indices do not change, and collides no more.
        if (!extent.usable && (flags & (shape_flag::collide_shapes | shape_flag::collide_particles)) != 0) {
            out.add(kShapeDegenerate, repair.site("shape_scale"),
                    fmt::format("a {} of size ({}, {}, {}){} cannot collide", to_string(s.type), s.scale.x, s.scale.y,
                                s.scale.z, flaw_of(s.source.get())));
            flags &= ~(shape_flag::collide_shapes | shape_flag::collide_particles | shape_flag::hydroelastic);
        }
        // Pressure needs an inside.
        if ((flags & shape_flag::hydroelastic) != 0) {
            const bool open = s.type == GeoType::mesh && s.source && encloses_nothing(*s.source, closed);
            if (open || s.type == GeoType::plane || s.type == GeoType::heightfield) {
                out.add(kHydroelasticUnsupported, repair.site("shape_flags"),
                        open ? "a mesh that is not closed makes point contacts only"
                             : fmt::format("a {} makes point contacts only", to_string(s.type)));
                flags &= ~shape_flag::hydroelastic;
            }
        }
        // A negative gap would let shapes sink in before they meet.
        const double gap = s.config.gap.value_or(b.rigid_gap);
        if (collides && gap < 0) out.add(kNegativeGap, repair.site("shape_gap"), fmt::format("shape_gap is {}", gap));

        m.shape_label.push_back(s.label);
        m.shape_type.push_back(s.type);
        m.shape_body.push_back(s.body);
        m.shape_transform.push_back(repair.pose(s.xform, "shape_transform"));
        m.shape_scale.push_back(repair.vector(s.scale, "shape_scale"));
        m.shape_source.push_back(s.source);
        m.shape_flags.push_back(flags);
        m.shape_is_solid.push_back(s.config.is_solid ? 1 : 0);
        m.shape_margin.push_back(repair.number(s.config.margin, "shape_margin"));
        m.shape_gap.push_back(repair.number(gap, "shape_gap", usual_gap));
        push_material(s.config, repair, m);
        m.shape_surface_velocity.push_back(
            is_finite(s.config.surface_velocity) ? static_cast<Spatial>(s.config.surface_velocity) : Spatial{});
        m.shape_collision_group.push_back(s.config.collision_group);
        m.shape_world.push_back(s.world);
        m.shape_sdf_config.push_back(s.config.sdf);
        if (auto& sdf = m.shape_sdf_config.back();
            // A field that is brought has a resolution of its own.
            sdf && sdf->field && (sdf->sdf_max_resolution || sdf->sdf_target_voxel_size || sdf->sdf_padding)) {
            // Sizes asked for would mean another field than the one brought.
            out.add(kSdfCarried, repair.site("shape_sdf_config"), "the field that the mesh brings is kept");
            sdf->sdf_max_resolution.reset();
            sdf->sdf_target_voxel_size.reset();
            sdf->sdf_padding.reset();
        }
        m.shape_collision_radius.push_back(repair.number(extent.radius, "shape_collision_radius"));
        m.shape_collision_aabb_lower.push_back(repair.vector(extent.box.lower, "shape_collision_aabb_lower"));
        m.shape_collision_aabb_upper.push_back(repair.vector(extent.box.upper, "shape_collision_aabb_upper"));
        m.shape_color.push_back(repair.vector(s.color, "shape_color"));
        m.shape_opacity.push_back(repair.within(s.opacity, 0, 1, "shape_opacity"));

        const auto index = static_cast<std::int32_t>(i);
        if (s.body == kWorldBody)
            m.static_shapes.push_back(index);
        else
            m.body_shapes[static_cast<std::size_t>(s.body)].push_back(index);
    }
    return {};
}

}  // namespace mechane::model
