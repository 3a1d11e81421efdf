#include "mechane/collision/soft_contacts.h"

#include <algorithm>
#include <cmath>

#include "../shape_set.h"
#include "mechane/collision/queries.h"
#include "mechane/core/assert.h"

namespace mechane::collision {

struct SoftContactFinder::Impl {
    explicit Impl(const model::Model& m) : set(m, nullptr, model::shape_flag::collide_particles) {}

    void meet(const ParticleSpans& particles, std::size_t particle, std::size_t shape, double gap, std::size_t most,
              model::SoftContacts& out) const;

    ShapeSet set;
};

namespace {

/// Below a height field the nearest point of the surface is reached from inside, as long as the field goes that deep.
std::optional<NearestPoint> nearest_of(const Shape& shape, const Vec3d& p, double reach)
{
    const bool field = shape.kind == ShapeKind::mesh && shape.mesh->floor > 0;
    auto       near  = nearest_point(shape, p, field ? std::max(reach, shape.mesh->floor) : reach);
    if (!near || !field) return near;
    const Vec3d local = transpose_times(shape.R, p - shape.p), at = transpose_times(shape.R, near->point - shape.p);
    const auto& box = shape.mesh->bvh.bounds();
    const bool  over =
        local.x >= box.lower.x && local.x <= box.upper.x && local.y >= box.lower.y && local.y <= box.upper.y;
    if (over && local.z < at.z) near->distance = -near->distance, near->normal = -near->normal;
    return near->distance <= reach ? near : std::nullopt;
}

}  // namespace

SoftContactFinder::SoftContactFinder(const model::Model& model) : impl_(std::make_unique<Impl>(model)) {}
SoftContactFinder::~SoftContactFinder() = default;

void SoftContactFinder::Impl::meet(const ParticleSpans& particles, std::size_t particle, std::size_t shape, double gap,
                                   std::size_t most, model::SoftContacts& out) const
{
    const Shape& s     = set.shapes[shape];
    const Vec3d  p     = static_cast<Vec3d>(particles.position[particle]);
    const double reach = gap + set.margin[shape] + static_cast<double>(particles.radius[particle]);
    if (s.kind != ShapeKind::plane) {  // boxes were grown by the shape's margin and gap; the particle brings its own
        geometry::Aabbd box = bounds(s);
        if (s.kind == ShapeKind::mesh) box.lower -= Vec3d{1, 1, 1} * s.mesh->floor;
        if (geometry::distance_squared(box, p) > reach * reach) return;
    }
    const auto near = nearest_of(s, p, reach);
    if (!near || !(near->distance < reach) || !is_finite(near->normal)) return;
    const auto row = static_cast<std::size_t>(out.soft_contact_needed++);
    if (row >= most) return;
    if (row >= out.soft_capacity()) out.resize_soft(std::min(most, row + row / 2 + 16));
    out.soft_contact_particle[row]    = static_cast<std::int32_t>(particle);
    out.soft_contact_indices[row]     = {static_cast<std::int32_t>(particle), -1, -1};
    out.soft_contact_barycentric[row] = {1, 0, 0};
    out.soft_contact_shape[row]       = static_cast<std::int32_t>(shape);
    out.soft_contact_body_pos[row] =
        static_cast<Vec3>(inverse_times(set.motion_of(static_cast<std::int32_t>(shape)).X_WB, near->point));
    out.soft_contact_body_vel[row] = {};
    out.soft_contact_normal[row]   = static_cast<Vec3>(near->normal);
}

void SoftContactFinder::find(const model::State& state, const ParticleSpans& particles, double gap,
                             model::SoftContacts& out, std::size_t most)
{
    const std::size_t n = particles.position.size();
    MCH_CHECK(particles.radius.size() == n && (particles.flags.empty() || particles.flags.size() == n) &&
              (particles.world.empty() || particles.world.size() == n));
    out.soft_contact_needed = 0;
    impl_->set.place(state, 0, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const bool active = particles.flags.empty() || (particles.flags[i] & model::particle_flag::active) != 0;
        if (!active || !is_finite(particles.position[i])) continue;
        const std::int32_t world = particles.world.empty() ? -1 : particles.world[i];
        for (std::size_t s = 0; s < impl_->set.size(); ++s)
            if (impl_->set.shapes[s].kind != ShapeKind::triangle &&
                impl_->set.motion_of(static_cast<std::int32_t>(s)).sound &&
                worlds_collide(world, impl_->set.model().shape_world[s]))
                impl_->meet(particles, i, s, gap, most, out);
    }
    out.soft_contact_count =
        static_cast<std::int32_t>(std::min(most, static_cast<std::size_t>(out.soft_contact_needed)));
}

void SoftContactFinder::reread_transforms() { impl_->set.reread_transforms(); }

ParticleSpans particles_of(const model::Model& model, const model::State& state)
{
    return {.position = state.particle_q,
            .radius   = model.particle_radius,
            .flags    = model.particle_flags,
            .world    = model.particle_world};
}

void create_soft_contacts(const model::Model& model, const model::State& state, model::SoftContacts& contacts,
                          double gap)
{ SoftContactFinder(model).find(state, particles_of(model, state), gap, contacts); }

}  // namespace mechane::collision
