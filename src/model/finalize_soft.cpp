// finalize: soft elements, and their check. Rows without an element's data get defaults that resist nothing.
//
// NumberRepair replaces what is no usable number by a default, with a finding; indices are checked, not repaired.

#include <fmt/format.h>

#include <algorithm>

#include "finalize.h"
#include "mechane/model/codes.h"
#include "number_repair.h"

namespace mechane::model {

namespace {

template <std::size_t n>
std::array<Real, n> narrowed(NumberRepair& repair, const std::array<double, n>& values, std::string_view array)
{
    std::array<Real, n> out{};
    for (std::size_t i = 0; i < n; ++i) out[i] = repair.number(values[i], array);
    return out;
}

/// Stiffness and damping: finite and not negative.
template <std::size_t n>
std::array<Real, n> gains(NumberRepair& repair, const std::array<double, n>& values, std::string_view array)
{
    std::array<Real, n> out{};
    for (std::size_t i = 0; i < n; ++i) out[i] = repair.not_negative(values[i], array);
    return out;
}

// Elements may have fewer rows of data than of indices: the rest resists nothing.
void fill_triangles(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    std::vector<BuilderTriangle> rows = b.tri_elements;
    rows.resize(b.tri_indices.size());
    for (std::size_t t = 0; t < rows.size(); ++t) {
        const std::string label = fmt::format("triangle_{}", t);
        NumberRepair      repair(out, label);
        m.tri_poses.push_back(narrowed(repair, rows[t].pose, "tri_poses"));
        m.tri_areas.push_back(repair.not_negative(rows[t].area, "tri_areas"));
        m.tri_materials.push_back(gains(repair, rows[t].material, "tri_materials"));
        m.tri_activations.push_back(repair.number(rows[t].activation, "tri_activations"));
        m.tri_color.push_back(repair.vector(rows[t].color, "tri_color"));
        m.tri_opacity.push_back(repair.within(rows[t].opacity, 0, 1, "tri_opacity"));
    }
}

// Rest angle and length of an edge; both zero where nobody has said them.
void fill_edges(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    std::vector<BuilderEdge> rows = b.edge_elements;
    rows.resize(b.edge_indices.size());
    for (std::size_t e = 0; e < rows.size(); ++e) {
        const std::string label = fmt::format("edge_{}", e);
        NumberRepair      repair(out, label);
        m.edge_rest_angle.push_back(repair.number(rows[e].rest_angle, "edge_rest_angle"));
        m.edge_rest_length.push_back(repair.not_negative(rows[e].rest_length, "edge_rest_length"));
        m.edge_bending_properties.push_back(gains(repair, rows[e].bending, "edge_bending_properties"));
    }
}

void fill_springs(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    for (std::size_t i = 0; i < b.springs.size(); ++i) {
        const BuilderSpring& s     = b.springs[i];
        const std::string    label = fmt::format("spring_{}", i);
        NumberRepair         repair(out, label);
        m.spring_indices.push_back(s.i);
        m.spring_indices.push_back(s.j);
        m.spring_rest_length.push_back(repair.not_negative(s.rest_length, "spring_rest_length"));
        m.spring_stiffness.push_back(repair.not_negative(s.ke, "spring_stiffness"));
        m.spring_damping.push_back(repair.not_negative(s.kd, "spring_damping"));
        m.spring_control.push_back(repair.number(s.control, "spring_control"));
    }
}

// The inverse of the rest edges, row by row.
void fill_tets(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    for (std::size_t t = 0; t < b.tets.size(); ++t) {
        const BuilderTet& tet   = b.tets[t];
        const std::string label = fmt::format("tet_{}", t);
        NumberRepair      repair(out, label);
        m.tet_indices.push_back(tet.indices);
        m.tet_poses.push_back({repair.vector(tet.pose.r0, "tet_poses"), repair.vector(tet.pose.r1, "tet_poses"),
                               repair.vector(tet.pose.r2, "tet_poses")});
        m.tet_materials.push_back(gains(repair, tet.material, "tet_materials"));
        m.tet_activations.push_back(repair.number(tet.activation, "tet_activations"));
    }
}

void fill_attachments(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    for (std::size_t i = 0; i < b.attachments.size(); ++i) {
        const BuilderAttachment& a     = b.attachments[i];
        const std::string        label = fmt::format("attachment_{}", i);
        NumberRepair             repair(out, label);
        m.attachment_particle_body_body.push_back(a.body);
        m.attachment_particle_body_particle.push_back(a.particle);
        m.attachment_particle_body_world.push_back(a.world);
        m.attachment_particle_body_body_point.push_back(
            repair.vector(a.body_point, "attachment_particle_body_body_point"));
        // Infinite stiffness holds exactly, and is allowed here.
        m.attachment_particle_body_stiffness.push_back(
            repair.bound(a.stiffness, "attachment_particle_body_stiffness", 0));
        m.attachment_particle_body_damping.push_back(
            repair.not_negative(a.damping, "attachment_particle_body_damping"));
        m.attachment_particle_body_enabled.push_back(a.enabled ? 1 : 0);
    }
}

}  // namespace

void fill_soft(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    m.tri_indices  = b.tri_indices;
    m.edge_indices = b.edge_indices;
    fill_triangles(b, m, out);
    fill_edges(b, m, out);
    fill_springs(b, m, out);
    fill_tets(b, m, out);
    fill_attachments(b, m, out);
    m.surfaces = b.surfaces;
    m.volumes  = b.volumes;
    m.curves   = b.curves;
    // Groups and colour by particle say the same, for readers of either.
    m.particle_color_groups = b.particle_color_groups;
    if (!m.particle_color_groups.empty()) m.particle_colors.assign(b.particles.size(), 0);
    for (std::size_t g = 0; g < m.particle_color_groups.size(); ++g)
        for (const std::int32_t p : m.particle_color_groups[g])
            m.particle_colors[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(g);
}

/// Particles that exist, within one world; a colouring that holds every particle once.
std::optional<Diagnostic> check_soft(const ModelBuilder& b)
{
    const auto misfit = [](std::string_view array, std::string text) {
        return make_diagnostic(kStructure, Site{.property = std::string(array)}, std::move(text));
    };
    const auto known = [&](std::int32_t p) { return p >= 0 && static_cast<std::size_t>(p) < b.particles.size(); };
    const auto world = [&](std::int32_t p) { return b.particles[static_cast<std::size_t>(p)].world; };
    const auto check = [&](std::span<const std::int32_t> corners, std::string_view array,
                           std::size_t row) -> std::optional<Diagnostic> {
        // Elements across worlds would join what must not meet.
        for (const std::int32_t p : corners) {
            if (!known(p))
                return misfit(array, fmt::format("row {} names particle {}, which does not exist; there are {}", row, p,
                                                 b.particles.size()));
            if (world(p) != world(corners.front()))
                return misfit(array, fmt::format("the particles of row {} belong to different worlds", row));
        }
        return {};
    };
    for (std::size_t i = 0; i < b.springs.size(); ++i)
        if (auto m = check(std::array{b.springs[i].i, b.springs[i].j}, "spring_indices", i)) return m;
    for (std::size_t i = 0; i < b.tets.size(); ++i)
        if (auto m = check(b.tets[i].indices, "tet_indices", i)) return m;
    for (std::size_t i = 0; i < b.attachments.size(); ++i) {
        const BuilderAttachment& a = b.attachments[i];
        if (!known(a.particle) || a.body < kWorldBody ||
            (a.body >= 0 && static_cast<std::size_t>(a.body) >= b.bodies.size()))
            return misfit("attachment_particle_body_body",
                          fmt::format("attachment {} names particle {} and body {}; there are {} and {}", i, a.particle,
                                      a.body, b.particles.size(), b.bodies.size()));
        // A body of the global world may hold particles of any world.
        const std::int32_t w = a.body < 0 ? kGlobalWorld : b.bodies[static_cast<std::size_t>(a.body)].world;
        if (w >= 0 && world(a.particle) >= 0 && w != world(a.particle))
            return misfit("attachment_particle_body_world",
                          fmt::format("the ends of attachment {} belong to different worlds", i));
    }
    // Once per particle.
    std::vector<std::uint8_t> seen(b.particles.size(), 0);
    std::size_t               colored = 0;
    for (const auto& group : b.particle_color_groups)
        for (const std::int32_t p : group) {
            if (!known(p) || seen[static_cast<std::size_t>(p)]++ != 0)
                return misfit("particle_color_groups",
                              fmt::format("particle {} is in two groups, or does not exist; there are {}", p,
                                          b.particles.size()));
            ++colored;
        }
    // A colouring is a partition of all particles, or absent.
    if (!b.particle_color_groups.empty() && colored != b.particles.size())
        return misfit("particle_color_groups", fmt::format("{} of {} particles are in a group, expected all of them",
                                                           colored, b.particles.size()));
    return {};
}

}  // namespace mechane::model
