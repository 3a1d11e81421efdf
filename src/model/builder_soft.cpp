// ModelBuilder: springs, triangles, edges and tetrahedra one by one, attachments, colours, and appending of all of
// them. Rest shapes are those of the particles' positions at the time.

#include <algorithm>
#include <set>
#include <utility>

#include "mechane/core/failure.h"
#include "mechane/model/builder.h"

/// Verbs for springs, triangles, edges and tetrahedra one by one, and colours.
namespace mechane::model {

namespace {

std::int32_t last_index(std::size_t size) { return static_cast<std::int32_t>(size) - 1; }

bool among(const ModelBuilder& b, std::initializer_list<std::int32_t> indices)
{
    return std::ranges::all_of(
        indices, [&](std::int32_t p) { return p >= 0 && static_cast<std::size_t>(p) < b.particles.size(); });
}

// -1 stands for the world or for nothing and stays.
std::int32_t copied(std::int32_t index, std::size_t offset)
{ return index < 0 ? index : index + static_cast<std::int32_t>(offset); }

}  // namespace

std::int32_t ModelBuilder::add_spring(std::int32_t i, std::int32_t j, double ke, double kd, double control)
{
    MCH_REQUIRE(among(*this, {i, j}), "ModelBuilder::add_spring", "i, j", "indices of particles");
    const Vec3d apart = particles[static_cast<std::size_t>(i)].q - particles[static_cast<std::size_t>(j)].q;
    springs.push_back({.i = i, .j = j, .rest_length = length(apart), .ke = ke, .kd = kd, .control = control});
    return last_index(springs.size());
}

double ModelBuilder::add_triangle(std::int32_t i, std::int32_t j, std::int32_t k, const TriangleMaterial& material)
{
    MCH_REQUIRE(among(*this, {i, j, k}), "ModelBuilder::add_triangle", "i, j, k", "indices of particles");
    const auto         at   = [&](std::int32_t p) -> const Vec3d& { return particles[static_cast<std::size_t>(p)].q; };
    const TriangleRest rest = triangle_rest(at(i), at(j), at(k));
    // A triangle without area has no rest shape, and no index is spent on it.
    if (rest.area <= 0) return 0;
    // Triangles without a material have no entry; the list is filled up to the new one's place.
    tri_elements.resize(tri_indices.size());
    tri_indices.push_back({i, j, k});
    tri_elements.push_back({.pose     = rest.pose,
                            .area     = rest.area,
                            .material = {material.ke, material.ka, material.kd, material.drag, material.lift}});
    return rest.area;
}

std::int32_t ModelBuilder::add_edge(std::int32_t i, std::int32_t j, std::int32_t k, std::int32_t l,
                                    const BendingMaterial& material)
{
    MCH_REQUIRE(among(*this, {k, l}) && (i == -1 || among(*this, {i})) && (j == -1 || among(*this, {j})),
                "ModelBuilder::add_edge", "i, j, k, l", "indices of particles, or -1 for i and j");
    const auto at = [&](std::int32_t p) -> const Vec3d& { return particles[static_cast<std::size_t>(p)].q; };
    // At a border there is no angle.
    const double angle = material.rest    ? *material.rest
                         : i < 0 || j < 0 ? 0
                                          : dihedral_angle(at(i), at(j), at(k), at(l));
    edge_elements.resize(edge_indices.size());
    edge_indices.push_back({i, j, k, l});
    edge_elements.push_back(
        {.rest_angle = angle, .rest_length = length(at(l) - at(k)), .bending = {material.ke, material.kd}});
    return last_index(edge_indices.size());
}

double ModelBuilder::add_tetrahedron(std::int32_t i, std::int32_t j, std::int32_t k, std::int32_t l,
                                     const TetMaterial& material)
{
    MCH_REQUIRE(among(*this, {i, j, k, l}), "ModelBuilder::add_tetrahedron", "i, j, k, l", "indices of particles");
    const auto    at   = [&](std::int32_t p) -> const Vec3d& { return particles[static_cast<std::size_t>(p)].q; };
    const TetRest rest = tet_rest(at(i), at(j), at(k), at(l));
    // Inverted and flat elements are refused by their volume.
    if (rest.volume > 0)
        tets.push_back({.indices  = {i, j, k, l},
                        .pose     = rest.pose,
                        .material = {material.k_mu, material.k_lambda, material.k_damp}});
    return rest.volume;
}

std::int32_t ModelBuilder::add_attachment_particle_body(BuilderAttachment attachment)
{
    MCH_REQUIRE(among(*this, {attachment.particle}), "ModelBuilder::add_attachment_particle_body", "particle",
                "the index of a particle");
    MCH_REQUIRE(attachment.body >= kWorldBody && attachment.body < std::ssize(bodies),
                "ModelBuilder::add_attachment_particle_body", "body", "the index of a body, or kWorldBody");
    const std::int32_t of_body =
        attachment.body < 0 ? kGlobalWorld : bodies[static_cast<std::size_t>(attachment.body)].world;
    // The world of whichever end has one.
    attachment.world = of_body >= 0 ? of_body : particles[static_cast<std::size_t>(attachment.particle)].world;
    attachments.push_back(attachment);
    return last_index(attachments.size());
}

/// Groups of particles that no element joins: vbd moves the particles of a group at the same time.
void ModelBuilder::color(const ColorOptions& options)
{
    std::vector<std::array<std::int32_t, 2>> edges;
    // All pairs of an element's corners.
    const auto pairs = [&](std::span<const std::int32_t> corners) {
        for (std::size_t a = 0; a < corners.size(); ++a)
            for (std::size_t b = a + 1; b < corners.size(); ++b) edges.push_back({corners[a], corners[b]});
    };
    // Two particles that an element with a law joins must not have one colour; elements without stiffness push nobody.
    for (std::size_t t = 0; t < std::min(tri_indices.size(), tri_elements.size()); ++t)
        if (tri_elements[t].material[0] != 0 || tri_elements[t].material[1] != 0) pairs(tri_indices[t]);
    for (const BuilderTet& tet : tets)
        if (tet.material[0] != 0 || tet.material[1] != 0) pairs(tet.indices);
    for (std::size_t e = 0; options.include_bending && e < std::min(edge_indices.size(), edge_elements.size()); ++e) {
        const auto& row = edge_indices[e];
        if (row[0] >= 0 && row[1] >= 0 && (edge_elements[e].bending[0] != 0 || edge_elements[e].bending[1] != 0))
            pairs(row);
    }
    for (const BuilderSpring& s : springs)
        if (options.include_springs && (s.ke != 0 || s.kd != 0)) edges.push_back({s.i, s.j});
    particle_color_groups = color_graph(particles.size(), edges, options);
}

void ModelBuilder::append_soft(const ModelBuilder& source, std::size_t body0, std::size_t joint0, std::size_t particle0,
                               std::size_t tri0, std::size_t edge0, const std::optional<Posed>& xform)
{
    const std::size_t tet0 = tets.size();
    // Elements without data before these are filled up, or data would belong to the wrong rows.
    if (!source.tri_elements.empty()) tri_elements.resize(tri0);
    if (!source.edge_elements.empty()) edge_elements.resize(edge0);
    tri_elements.insert(tri_elements.end(), source.tri_elements.begin(), source.tri_elements.end());
    edge_elements.insert(edge_elements.end(), source.edge_elements.begin(), source.edge_elements.end());
    for (BuilderSpring s : source.springs) {
        s.i = copied(s.i, particle0), s.j = copied(s.j, particle0);
        springs.push_back(s);
    }
    for (BuilderTet tet : source.tets) {
        for (std::int32_t& p : tet.indices) p = copied(p, particle0);
        tets.push_back(tet);
    }
    for (BuilderAttachment a : source.attachments) {
        // Points on the world move with what is appended.
        if (a.body < 0 && xform) a.body_point = *xform * a.body_point;
        a.body = copied(a.body, body0), a.particle = copied(a.particle, particle0);
        a.world = current_world_;
        attachments.push_back(a);
    }
    // Ranges of objects move with what they count.
    const auto shifted = [](SoftObject::Range& range, std::size_t by) {
        for (std::int32_t& end : range) end += static_cast<std::int32_t>(by);
    };
    const auto objects = [&](const std::vector<SoftObject>& from, std::vector<SoftObject>& to) {
        for (SoftObject object : from) {
            object.world = current_world_;
            shifted(object.particle, particle0);
            shifted(object.tri, tri0);
            shifted(object.edge, edge0);
            shifted(object.tet, tet0);
            to.push_back(std::move(object));
        }
    };
    objects(source.surfaces, surfaces);
    objects(source.volumes, volumes);
    for (CurveObject object : source.curves) {
        object.world = current_world_;
        shifted(object.body, body0);
        shifted(object.joint, joint0);
        curves.push_back(std::move(object));
    }
    // Particles of two builders share no element, so groups of both may be united.
    if (particle_color_groups.size() < source.particle_color_groups.size())
        particle_color_groups.resize(source.particle_color_groups.size());
    for (std::size_t g = 0; g < source.particle_color_groups.size(); ++g)
        for (const std::int32_t p : source.particle_color_groups[g])
            particle_color_groups[g].push_back(copied(p, particle0));
}

}  // namespace mechane::model
