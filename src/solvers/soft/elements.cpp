// The elements of a model's soft bodies as arrays for the solvers, lists of corners by particle, colour groups, and the
// sum of energies. Elements without stiffness and without area are left out.
//
// Entries are in double precision. A row says which element of the model an entry came from.

#include "solvers/soft/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "mechane/model/soft.h"
#include "mechane/solvers/soft_energy.h"

namespace mechane::solvers::soft {

namespace {

template <std::size_t n>
CornerLists lists_of(std::size_t particles, const std::vector<std::array<std::int32_t, n>>& elements)
{
    CornerLists out;
    out.start.assign(particles + 1, 0);
    for (const auto& points : elements)
        // Counting sort by particle: the elements of a particle keep their order, so sums have the same bits.
        for (const std::int32_t p : points) ++out.start[static_cast<std::size_t>(p) + 1];
    for (std::size_t i = 0; i < particles; ++i) out.start[i + 1] += out.start[i];
    // The last start is the number of all corners.
    out.corners.resize(static_cast<std::size_t>(out.start.back()));
    std::vector<std::int32_t> next(out.start.begin(), out.start.end() - 1);
    for (std::size_t e = 0; e < elements.size(); ++e)
        for (std::size_t c = 0; c < n; ++c)
            out.corners[static_cast<std::size_t>(next[static_cast<std::size_t>(elements[e][c])]++)] = {
                static_cast<std::int32_t>(e), static_cast<std::int32_t>(c)};
    return out;
}

std::span<const Corner> at(const CornerLists& lists, std::size_t particle)
{
    const auto from = static_cast<std::size_t>(lists.start[particle]);
    return {lists.corners.data() + from, static_cast<std::size_t>(lists.start[particle + 1]) - from};
}

void read_surfaces(const model::Model& m, Elements& out)
{
    for (std::size_t t = 0; t < m.tri_indices.size(); ++t) {
        const auto& k = m.tri_materials[t];
        // mu and lambda are both zero: the triangle resists nothing; its drag in the air is computed elsewhere.
        if ((k[0] == 0 && k[1] == 0) || !(m.tri_areas[t] > 0)) continue;
        TriangleLaw law{.area = m.tri_areas[t], .mu = k[0], .lambda = k[1], .kd = k[2], .activation = 0};
        for (std::size_t i = 0; i < 4; ++i) law.pose[i] = m.tri_poses[t][i];
        out.triangle_points.push_back(m.tri_indices[t]);
        out.triangles.push_back(law);
        out.triangle_rows.push_back(static_cast<std::int32_t>(t));
    }
    for (std::size_t e = 0; e < m.edge_indices.size(); ++e) {
        const auto& points = m.edge_indices[e];
        const auto& k      = m.edge_bending_properties[e];
        // An edge with one triangle beside it cannot bend.
        if (points[0] < 0 || points[1] < 0 || (k[0] == 0 && k[1] == 0)) continue;
        out.edge_points.push_back(points);
        out.edges.push_back({m.edge_rest_angle[e], m.edge_rest_length[e], k[0], k[1]});
    }
}

}  // namespace

Elements elements_of(const model::Model& m)
{
    Elements out;
    for (std::size_t s = 0; s < m.spring_count(); ++s) {
        const std::array<std::int32_t, 2> points{m.spring_indices[2 * s], m.spring_indices[2 * s + 1]};
        if (points[0] == points[1] || (m.spring_stiffness[s] == 0 && m.spring_damping[s] == 0)) continue;
        out.spring_points.push_back(points);
        out.springs.push_back({m.spring_rest_length[s], m.spring_stiffness[s], m.spring_damping[s]});
    }
    read_surfaces(m, out);
    for (std::size_t t = 0; t < m.tet_count(); ++t) {
        const auto& k = m.tet_materials[t];
        if (k[0] == 0 && k[1] == 0) continue;
        out.tet_points.push_back(m.tet_indices[t]);
        out.tets.push_back({static_cast<Mat33d>(m.tet_poses[t]), k[0], k[1], k[2], 0});
        out.tet_rows.push_back(static_cast<std::int32_t>(t));
    }
    const std::size_t particles = m.particle_count();
    out.of_springs              = lists_of(particles, out.spring_points);
    out.of_triangles            = lists_of(particles, out.triangle_points);
    out.of_edges                = lists_of(particles, out.edge_points);
    out.of_tets                 = lists_of(particles, out.tet_points);
    return out;
}

// Activations of the control go before those of the model.
void activate(Elements& elements, const model::Model& model, const model::Control& control)
{
    const auto& tris = control.tri_activations.empty() ? model.tri_activations : control.tri_activations;
    const auto& tets = control.tet_activations.empty() ? model.tet_activations : control.tet_activations;
    for (std::size_t i = 0; i < elements.triangles.size(); ++i)
        elements.triangles[i].activation = tris[static_cast<std::size_t>(elements.triangle_rows[i])];
    for (std::size_t i = 0; i < elements.tets.size(); ++i)
        elements.tets[i].activation = tets[static_cast<std::size_t>(elements.tet_rows[i])];
}

// The share of a particle: its force and the 3 x 3 block of its own second derivatives.
void add_elements(const Elements& elements, std::size_t particle, const std::vector<Vec3d>& x,
                  const std::vector<Vec3d>& before, double inv_dt, Block& out)
{
    const auto add = [&](const CornerLists& lists, const auto& points, const auto& laws, const auto& block_of) {
        for (const Corner& c : at(lists, particle)) {
            const auto  e = static_cast<std::size_t>(c.element);
            const Block b = block_of(laws[e], static_cast<std::size_t>(c.corner), gather(points[e], x),
                                     gather(points[e], before), inv_dt);
            out.force += b.force;
            out.hessian += b.hessian;
        }
    };
    add(elements.of_springs, elements.spring_points, elements.springs, spring_block);
    add(elements.of_triangles, elements.triangle_points, elements.triangles, triangle_block);
    add(elements.of_edges, elements.edge_points, elements.edges, bending_block);
    add(elements.of_tets, elements.tet_points, elements.tets, tet_block);
}

std::string part_of(const model::Model& m, std::int32_t particle)
{
    for (const auto* objects : {&m.surfaces, &m.volumes})
        for (const model::SoftObject& object : *objects)
            if (particle >= object.particle[0] && particle < object.particle[1])
                return fmt::format("'{}'", object.label);
    const auto first = [&](const auto& rows, const char* name) -> std::string {
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (std::ranges::find(rows[i], particle) != rows[i].end()) return fmt::format("{} {}", name, i);
        return {};
    };
    if (auto tet = first(m.tet_indices, "tetrahedron"); !tet.empty()) return tet;
    if (auto tri = first(m.tri_indices, "triangle"); !tri.empty()) return tri;
    for (std::size_t i = 0; i < m.spring_indices.size(); ++i)
        if (m.spring_indices[i] == particle) return fmt::format("spring {}", i / 2);
    return {};
}

/// Particles of one group share no element, so they may move at once.
/// The groups of the model are used if it has some; else the graph of all pairs within an element is coloured.
std::vector<std::vector<std::int32_t>> color_groups(const model::Model& model, const Elements& elements)
{
    if (!model.particle_color_groups.empty()) return model.particle_color_groups;
    std::vector<std::array<std::int32_t, 2>> graph;
    const auto                               pairs = [&](const auto& all) {
        for (const auto& points : all)
            for (std::size_t a = 0; a < points.size(); ++a)
                for (std::size_t b = a + 1; b < points.size(); ++b) graph.push_back({points[a], points[b]});
    };
    pairs(elements.spring_points);
    pairs(elements.triangle_points);
    pairs(elements.edge_points);
    pairs(elements.tet_points);
    return model::color_graph(model.particle_count(), graph);
}

}  // namespace mechane::solvers::soft

namespace mechane::solvers {

// For reports; no solver reads it.
SoftEnergy soft_energy(const model::Model& m, const model::State& state)
{
    const soft::Elements elements = soft::elements_of(m);
    std::vector<Vec3d>   x;
    SoftEnergy           out;
    for (std::size_t p = 0; p < m.particle_count(); ++p) {
        x.push_back(static_cast<Vec3d>(state.particle_q[p]));
        if ((m.particle_flags[p] & model::particle_flag::active) == 0) continue;
        const double mass = m.particle_mass[p];
        out.kinetic += 0.5 * mass * length_squared(static_cast<Vec3d>(state.particle_qd[p]));
        out.gravity -= mass * dot(static_cast<Vec3d>(m.gravity_of(m.particle_world[p])), x.back());
    }
    for (std::size_t i = 0; i < elements.springs.size(); ++i)
        out.springs += soft::spring_energy(elements.springs[i], soft::gather(elements.spring_points[i], x));
    for (std::size_t i = 0; i < elements.triangles.size(); ++i)
        out.triangles += soft::triangle_energy(elements.triangles[i], soft::gather(elements.triangle_points[i], x));
    for (std::size_t i = 0; i < elements.edges.size(); ++i)
        out.bending += soft::bending_energy(elements.edges[i], soft::gather(elements.edge_points[i], x));
    for (std::size_t i = 0; i < elements.tets.size(); ++i)
        out.tets += soft::tet_energy(elements.tets[i], soft::gather(elements.tet_points[i], x));
    return out;
}

}  // namespace mechane::solvers
