// Contacts of particles, and on request of edges and triangles of particles, with shapes. Rows go to
// model::SoftContacts: point in the frame of the shape's body, normal in the world, barycentric weights.
// Features are searched in fixed chunks in the order particles, edges, triangles; rows are stored chunk after chunk, so
// their order does not depend on threads.

#include "mechane/collision/soft_contacts.h"

#include <algorithm>
#include <cmath>

#include "../shape_set.h"
#include "least_distance.h"
#include "mechane/core/failure.h"
#include "mechane/tasks/parallel.h"

namespace mechane::collision {

namespace {

constexpr std::size_t kFeaturesPerChunk = 256;

/// A particle, an edge or a triangle: -1 behind the corners that it has.
struct Feature {
    std::array<std::int32_t, 3> corners{-1, -1, -1};
    std::int32_t                count = 0;
};

struct Row {
    Feature      feature;
    std::int32_t shape = 0;
    Vec3d        weights, point, normal;  ///< point and normal of the shape's surface, world
};

bool meets_shapes(std::int32_t flags)
{ return (flags & model::particle_flag::active) != 0 && (flags & model::particle_flag::passes_through) == 0; }

/// What one chunk of features found, and which shapes are near any of them.
struct SoftChunk {
    std::vector<Row>          rows;
    std::vector<std::int32_t> shapes;
};

}  // namespace

struct SoftContactFinder::Impl {
    Impl(const model::Model& m, const tasks::Pool* p) : set(m, nullptr, model::shape_flag::collide_particles), pool(p)
    { boxes.resize(set.size()); }

    void place(const model::State& state);
    void find_chunk(std::size_t begin, std::size_t end, std::size_t chunk);
    void meet(const Feature& feature, std::size_t shape, std::vector<Row>& out) const;
    void store(const Row& row, std::size_t at, model::SoftContacts& out) const;

    [[nodiscard]] std::size_t count() const
    { return particles.position.size() + particles.edges.size() + particles.triangles.size(); }
    /// Particles come first, then edges, then triangles.
    [[nodiscard]] Feature feature(std::size_t i) const
    {
        if (i < particles.position.size()) return {{static_cast<std::int32_t>(i), -1, -1}, 1};
        i -= particles.position.size();
        if (i < particles.edges.size()) return {{particles.edges[i][2], particles.edges[i][3], -1}, 2};
        return {particles.triangles[i - particles.edges.size()], 3};
    }
    [[nodiscard]] std::size_t corner(const Feature& f, std::int32_t i) const
    { return static_cast<std::size_t>(f.corners[static_cast<std::size_t>(i)]); }
    [[nodiscard]] Vec3d position(const Feature& f, std::int32_t i) const
    { return static_cast<Vec3d>(particles.position[corner(f, i)]); }
    [[nodiscard]] double radius(const Feature& f) const
    {
        double most = 0;
        for (std::int32_t i = 0; i < f.count; ++i)
            most = std::max(most, static_cast<double>(particles.radius[corner(f, i)]));
        return most;
    }
    /// Finite, and in play with one of its particles at least.
    [[nodiscard]] bool takes_part(const Feature& f) const
    {
        bool active = particles.flags.empty();
        for (std::int32_t i = 0; i < f.count; ++i) {
            if (!is_finite(position(f, i))) return false;
            active = active || meets_shapes(particles.flags[corner(f, i)]);
        }
        return active;
    }
    [[nodiscard]] geometry::Aabbd box(const Feature& f) const
    {
        geometry::Aabbd out;
        for (std::int32_t i = 0; i < f.count; ++i)
            out.lower = min(out.lower, position(f, i)), out.upper = max(out.upper, position(f, i));
        return out;
    }

    ShapeSet                     set;
    const tasks::Pool*           pool;
    ParticleSpans                particles;
    double                       gap = 0;
    std::vector<geometry::Aabbd> boxes;  ///< of the shapes, their margins added; empty for those that take no part
    std::vector<SoftChunk>       chunks;
};

void SoftContactFinder::Impl::place(const model::State& state)
{
    set.place(state, 0, 0);
    for (std::size_t s = 0; s < set.size(); ++s) {
        const Shape& shape = set.shapes[s];
        boxes[s]           = {};
        if (shape.kind == ShapeKind::triangle || !set.motion_of(static_cast<std::int32_t>(s)).sound) continue;
        boxes[s] = bounds(shape);
        if (shape.kind == ShapeKind::mesh) boxes[s].lower -= Vec3d{1, 1, 1} * shape.mesh->floor;
        const Vec3d margin = Vec3d{1, 1, 1} * set.margin[s];
        boxes[s].lower -= margin, boxes[s].upper += margin;
    }
}

void SoftContactFinder::Impl::find_chunk(std::size_t begin, std::size_t end, std::size_t chunk)
{
    SoftChunk& out = chunks[chunk];
    out.rows.clear(), out.shapes.clear();
    geometry::Aabbd around;
    double          most = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const Feature f = feature(i);
        if (!takes_part(f)) continue;
        const geometry::Aabbd b = box(f);
        around.lower            = min(around.lower, b.lower);
        around.upper            = max(around.upper, b.upper);
        most                    = std::max(most, radius(f));
    }
    const auto grown = [](geometry::Aabbd b, double by) {
        b.lower -= Vec3d{1, 1, 1} * by, b.upper += Vec3d{1, 1, 1} * by;
        return b;
    };
    // Shapes near the whole chunk are listed once.
    around = grown(around, gap + most);
    for (std::size_t s = 0; s < set.size(); ++s)
        if (geometry::overlaps(around, boxes[s])) out.shapes.push_back(static_cast<std::int32_t>(s));
    if (out.shapes.empty()) return;
    for (std::size_t i = begin; i < end; ++i) {
        const Feature f = feature(i);
        if (!takes_part(f)) continue;
        // A feature belongs to the world of its first particle.
        const std::int32_t world = particles.world.empty() ? -1 : particles.world[corner(f, 0)];
        const auto         near  = grown(box(f), gap + radius(f));
        for (const std::int32_t shape : out.shapes) {
            const auto s = static_cast<std::size_t>(shape);
            if (geometry::overlaps(near, boxes[s]) && worlds_collide(world, set.model().shape_world[s]))
                meet(f, s, out.rows);
        }
    }
}

void SoftContactFinder::Impl::meet(const Feature& feature, std::size_t shape, std::vector<Row>& out) const
{
    const Shape&                 s     = set.shapes[shape];
    const double                 reach = gap + set.margin[shape] + radius(feature);
    std::optional<LeastDistance> found;
    if (feature.count == 1) {
        if (const auto near = signed_nearest(s, position(feature, 0), reach)) found = {*near, {1, 0, 0}};
    } else if (feature.count == 2) {
        found = least_on_segment(s, position(feature, 0), position(feature, 1), reach);
    } else {
        found = least_on_triangle(s, position(feature, 0), position(feature, 1), position(feature, 2), reach);
    }
    if (!found || !(found->near.distance < reach) || !is_finite(found->near.normal)) return;
    out.push_back({feature, static_cast<std::int32_t>(shape), found->weights, found->near.point, found->near.normal});
}

void SoftContactFinder::Impl::store(const Row& row, std::size_t at, model::SoftContacts& out) const
{
    out.soft_contact_particle[at]    = row.feature.count == 1 ? row.feature.corners[0] : -1;
    out.soft_contact_indices[at]     = row.feature.corners;
    out.soft_contact_barycentric[at] = static_cast<Vec3>(row.weights);
    out.soft_contact_shape[at]       = row.shape;
    out.soft_contact_body_pos[at]    = static_cast<Vec3>(inverse_times(set.motion_of(row.shape).X_WB, row.point));
    out.soft_contact_body_vel[at]    = {};
    out.soft_contact_normal[at]      = static_cast<Vec3>(row.normal);
}

SoftContactFinder::SoftContactFinder(const model::Model& model, const tasks::Pool* pool)
    : impl_(std::make_unique<Impl>(model, pool))
{
}
SoftContactFinder::~SoftContactFinder() = default;

void SoftContactFinder::find(const model::State& state, const ParticleSpans& particles, double gap,
                             model::SoftContacts& out, std::size_t most)
{
    const std::size_t n = particles.position.size();
    MCH_REQUIRE(particles.radius.size() == n && (particles.flags.empty() || particles.flags.size() == n) &&
                    (particles.world.empty() || particles.world.size() == n),
                "SoftContactFinder::find", "particles",
                "spans as long as `position`, or empty ones where that is said");
    const auto known = [&](std::int32_t p) { return p >= 0 && static_cast<std::size_t>(p) < n; };
    for (const auto& e : particles.edges)
        MCH_REQUIRE(known(e[2]) && known(e[3]), "SoftContactFinder::find", "particles.edges",
                    "ends that are particles");
    for (const auto& t : particles.triangles)
        MCH_REQUIRE(known(t[0]) && known(t[1]) && known(t[2]), "SoftContactFinder::find", "particles.triangles",
                    "corners that are particles");
    Impl& impl     = *impl_;
    impl.particles = particles, impl.gap = gap;
    impl.place(state);
    const std::size_t chunks = tasks::chunk_count(impl.count(), kFeaturesPerChunk);
    if (impl.chunks.size() < chunks) impl.chunks.resize(chunks);
    const auto find_chunk = [&impl](std::size_t begin, std::size_t end, std::size_t chunk) {
        impl.find_chunk(begin, end, chunk);
    };
    if (impl.pool && chunks > 1) {
        impl.pool->for_chunks(impl.count(), kFeaturesPerChunk, find_chunk);
    } else {
        for (std::size_t c = 0; c < chunks; ++c)
            find_chunk(c * kFeaturesPerChunk, std::min(impl.count(), (c + 1) * kFeaturesPerChunk), c);
    }
    std::size_t needed = 0;
    for (std::size_t c = 0; c < chunks; ++c) needed += impl.chunks[c].rows.size();
    // The count that would be needed is reported beside the one that fits.
    const std::size_t kept = std::min(most, needed);
    if (kept > out.soft_capacity()) out.resize_soft(std::min(most, kept + kept / 2 + 16));
    std::size_t at = 0;
    for (std::size_t c = 0; c < chunks && at < kept; ++c)
        for (const Row& row : impl.chunks[c].rows)
            if (at < kept) impl.store(row, at++, out);
    out.soft_contact_needed       = static_cast<std::int32_t>(needed);
    out.soft_contact_count        = static_cast<std::int32_t>(kept);
    out.soft_contact_full_surface = !particles.edges.empty() || !particles.triangles.empty();
}

void SoftContactFinder::reread_transforms() { impl_->set.reread_transforms(); }

ParticleSpans particles_of(const model::Model& model, const model::State& state, bool full_surface)
{
    ParticleSpans out{.position = state.particle_q,
                      .radius   = model.particle_radius,
                      .flags    = model.particle_flags,
                      .world    = model.particle_world};
    if (full_surface) out.edges = model.edge_indices, out.triangles = model.tri_indices;
    return out;
}

void create_soft_contacts(const model::Model& model, const model::State& state, model::SoftContacts& contacts,
                          double gap, bool full_surface)
{ SoftContactFinder(model).find(state, particles_of(model, state, full_surface), gap, contacts); }

}  // namespace mechane::collision
