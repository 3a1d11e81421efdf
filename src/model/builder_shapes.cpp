// ModelBuilder: shapes, their masses, and pairs that do not collide. A shape adds mass, centre and inertia to its body
// as it is added, unless the body's inertia is locked.
// Shapes across a joint do not collide (filter_joint, filter_shape); both orders of adding give the same pairs.

#include <algorithm>

#include "mechane/core/failure.h"
#include "mechane/model/builder.h"
#include "mechane/model/shape_table.h"

namespace mechane::model {

namespace {

std::int32_t flags_of(const ShapeConfig& config)
{
    std::int32_t flags = config.is_visible ? shape_flag::visible : 0;
    // Sites mark places: they neither collide nor weigh.
    if (config.is_site) return flags | shape_flag::site;
    if (config.has_shape_collision) flags |= shape_flag::collide_shapes;
    if (config.has_particle_collision) flags |= shape_flag::collide_particles;
    if (config.is_hydroelastic) flags |= shape_flag::hydroelastic;
    if (config.surface_in_world) flags |= shape_flag::surface_in_world;
    return flags;
}

geometry::MassProperties mass_of(const BuilderShape& shape)
{
    const ShapeGeometry g{shape.type, shape.scale, shape.source.get()};
    const double        density = shape.config.density;
    if (!shape.config.is_solid) {
        // A wall that fills the shape leaves a solid.
        // A shell takes the margin as its wall if none is given.
        if (const auto shell = shell_mass(g, shape.config.shell_thickness.value_or(shape.config.margin), density))
            return *shell;
    }
    return solid_mass(g, density);
}

bool collides(const BuilderShape& shape) { return (shape.flags & shape_flag::collide_shapes) != 0; }

/// A joint to the world filters only when it is fixed: a hinged door must still meet the static frame it hangs in.
bool filters(const BuilderJoint& joint)
{
    return joint.collision_filter_parent &&
           ((joint.parent != kWorldBody && joint.child != kWorldBody) || joint.type == JointType::fixed);
}

BuilderShape primitive(std::int32_t body, const Posed& xform, GeoType type, const Vec3d& scale,
                       const ShapeConfig& config, std::string label)
{
    BuilderShape shape;
    shape.label  = std::move(label);
    shape.type   = type;
    shape.body   = body;
    shape.xform  = xform;
    shape.scale  = scale;
    shape.config = config;
    return shape;
}

}  // namespace

std::int32_t ModelBuilder::add_shape(BuilderShape shape)
{
    MCH_REQUIRE(shape.body >= kWorldBody && shape.body < std::ssize(bodies), "ModelBuilder::add_shape", "shape.body",
                "the index of a body of this builder, or -1 for the world");
    const auto index = static_cast<std::int32_t>(shapes.size());
    if (shape.label.empty()) shape.label = "shape_" + std::to_string(index);
    shape.scale = absorb_signs(shape.type, shape.scale);
    shape.world = current_world_;
    if (shape.config.is_site) {
        shape.config.density         = 0;
        shape.config.collision_group = 0;
    }
    shape.flags = flags_of(shape.config);

    if (shape.body != kWorldBody) {
        BuilderBody& body = bodies[static_cast<std::size_t>(shape.body)];
        body.shapes.push_back(index);
        // Shapes that collide with nothing do not weigh.
        const bool enabled = shape.config.has_shape_collision || shape.config.has_particle_collision;
        if (!body.lock_inertia && enabled && shape.config.density > 0) {
            const geometry::MassProperties part  = geometry::transformed(mass_of(shape), shape.xform);
            const geometry::MassProperties whole = geometry::combined({body.mass, body.com, body.inertia}, part);
            body.mass                            = whole.mass;
            body.com                             = whole.com;
            body.inertia                         = whole.inertia;
        }
    }
    shapes.push_back(std::move(shape));
    filter_shape(index);
    return index;
}

void ModelBuilder::filter_joint(const BuilderJoint& joint)
{
    if (!filters(joint)) return;
    // The world keeps no list of its shapes: only a fixed base asks for it, once.
    const auto shapes_of = [&](std::int32_t body) {
        if (body != kWorldBody) return bodies[static_cast<std::size_t>(body)].shapes;
        std::vector<std::int32_t> fixed;
        for (std::size_t i = 0; i < shapes.size(); ++i)
            if (shapes[i].body == kWorldBody) fixed.push_back(static_cast<std::int32_t>(i));
        return fixed;
    };
    for (const std::int32_t a : shapes_of(joint.parent))
        for (const std::int32_t b : shapes_of(joint.child))
            if (collides(shapes[static_cast<std::size_t>(a)]) && collides(shapes[static_cast<std::size_t>(b)]))
                add_shape_collision_filter_pair(a, b);
}

void ModelBuilder::filter_shape(std::int32_t index)
{
    const BuilderShape& shape = shapes[static_cast<std::size_t>(index)];
    if (!collides(shape) || !shape.config.collision_filter_parent) return;
    const auto slot = static_cast<std::size_t>(shape.body + 1);
    if (slot >= joints_of_.size()) return;
    for (const std::int32_t j : joints_of_[slot]) {
        const BuilderJoint& joint = joints[static_cast<std::size_t>(j)];
        if (!filters(joint) || (joint.parent != shape.body && joint.child != shape.body)) continue;
        const std::int32_t other = joint.parent == shape.body ? joint.child : joint.parent;
        // Shapes of the world that come later meet this rule by themselves.
        if (other == kWorldBody) {
            for (std::int32_t k = 0; k < index; ++k)
                if (shapes[static_cast<std::size_t>(k)].body == kWorldBody &&
                    collides(shapes[static_cast<std::size_t>(k)]))
                    add_shape_collision_filter_pair(k, index);
        } else {
            for (const std::int32_t k : bodies[static_cast<std::size_t>(other)].shapes)
                if (collides(shapes[static_cast<std::size_t>(k)])) add_shape_collision_filter_pair(k, index);
        }
    }
}

std::int32_t ModelBuilder::add_shape_sphere(std::int32_t body, const Posed& xform, double radius,
                                            const ShapeConfig& config, std::string label)
{ return add_shape(primitive(body, xform, GeoType::sphere, {radius, 0, 0}, config, std::move(label))); }

std::int32_t ModelBuilder::add_shape_box(std::int32_t body, const Posed& xform, const Vec3d& half_extents,
                                         const ShapeConfig& config, std::string label)
{ return add_shape(primitive(body, xform, GeoType::box, half_extents, config, std::move(label))); }

std::int32_t ModelBuilder::add_shape_capsule(std::int32_t body, const Posed& xform, double radius, double half_height,
                                             const ShapeConfig& config, std::string label)
{ return add_shape(primitive(body, xform, GeoType::capsule, {radius, half_height, 0}, config, std::move(label))); }

std::int32_t ModelBuilder::add_shape_cylinder(std::int32_t body, const Posed& xform, double radius, double half_height,
                                              const ShapeConfig& config, std::string label)
{ return add_shape(primitive(body, xform, GeoType::cylinder, {radius, half_height, 0}, config, std::move(label))); }

std::int32_t ModelBuilder::add_shape_cone(std::int32_t body, const Posed& xform, double radius, double half_height,
                                          const ShapeConfig& config, std::string label)
{ return add_shape(primitive(body, xform, GeoType::cone, {radius, half_height, 0}, config, std::move(label))); }

std::int32_t ModelBuilder::add_shape_ellipsoid(std::int32_t body, const Posed& xform, const Vec3d& semi_axes,
                                               const ShapeConfig& config, std::string label)
{ return add_shape(primitive(body, xform, GeoType::ellipsoid, semi_axes, config, std::move(label))); }

std::int32_t ModelBuilder::add_shape_plane(std::int32_t body, const Posed& xform, double width, double length,
                                           const ShapeConfig& config, std::string label)
{ return add_shape(primitive(body, xform, GeoType::plane, {width, length, 0}, config, std::move(label))); }

std::int32_t ModelBuilder::add_shape_mesh(std::int32_t body, const Posed& xform, const Vec3d& scale,
                                          std::shared_ptr<const geometry::Mesh> mesh, const ShapeConfig& config,
                                          std::string label)
{
    BuilderShape shape = primitive(body, xform, mesh && mesh->is_convex ? GeoType::convex_mesh : GeoType::mesh, scale,
                                   config, std::move(label));
    shape.source       = std::move(mesh);
    return add_shape(std::move(shape));
}

std::int32_t ModelBuilder::add_shape_heightfield(const Posed& xform, const Vec3d& scale,
                                                 std::shared_ptr<const geometry::Mesh> surface,
                                                 const ShapeConfig& config, std::string label)
{
    BuilderShape shape = primitive(kWorldBody, xform, GeoType::heightfield, scale, config, std::move(label));
    shape.source       = std::move(surface);
    return add_shape(std::move(shape));
}

std::int32_t ModelBuilder::add_ground_plane(double height, std::string label)
{
    const Vec3d up = axis_vector<double>(up_axis);
    // Planes have their normal along z.
    return add_shape_plane(kWorldBody, {height * up, rotation_between(Vec3d{0, 0, 1}, up)}, 0, 0, default_shape,
                           std::move(label));
}

void ModelBuilder::add_shape_collision_filter_pair(std::int32_t a, std::int32_t b)
{
    if (a != b) shape_collision_filter_pairs.emplace_back(std::min(a, b), std::max(a, b));
}

}  // namespace mechane::model
