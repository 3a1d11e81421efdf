// Check of all index arrays of a model that algorithms follow.
// A model made by finalize has valid indices; Python has views of its arrays and may have written to them. C++ follows
// the indices unchecked in its loops, so that entry points of Python that work with a model call check_indices first:
// linear in the model's size, small beside any of these calls.
// Starts may equal their end (`+ 1`): an element without rows begins behind the last.

#include "python/indices.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "python/enums.h"

namespace mechane::python {

namespace nb = nanobind;

namespace {

void check(const char* name, const std::vector<std::int32_t>& values, std::int64_t least, std::size_t end,
           const char* of)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] < least || values[i] >= static_cast<std::int64_t>(end))
            throw nb::value_error(fmt::format("{}[{}] is {}: expected {} to {}, the {} of the model", name, i,
                                              values[i], least, static_cast<std::int64_t>(end) - 1, of)
                                      .c_str());
}

/// Types are looked up in tables.
template <class E>
void check_types(const char* name, const std::vector<E>& types)
{
    for (std::size_t i = 0; i < types.size(); ++i)
        if (!is_value_of<E>(static_cast<std::int64_t>(types[i])))
            throw nb::value_error(
                fmt::format("{}[{}]: {}", name, i, no_value_of<E>(static_cast<std::int64_t>(types[i]))).c_str());
}

}  // namespace

void check_indices(const model::Model& m)
{
    check_types("joint_type", m.joint_type);
    check_types("shape_type", m.shape_type);
    const std::size_t bodies = m.body_q.size(), joints = m.joint_type.size();
    const auto        worlds = static_cast<std::size_t>(m.world_count);
    for (std::size_t i = 0; i < m.shape_type.size(); ++i) {
        const auto type = static_cast<std::int32_t>(m.shape_type[i]);
        if (type < 0 || type > static_cast<std::int32_t>(model::GeoType::gaussian))
            throw nb::value_error(fmt::format("shape_type[{}] is {}: expected a GeoType, 0 to {}", i, type,
                                              static_cast<std::int32_t>(model::GeoType::gaussian))
                                      .c_str());
    }
    check("shape_body", m.shape_body, -1, bodies, "bodies");
    check("shape_world", m.shape_world, -1, worlds, "worlds");
    check("body_world", m.body_world, -1, worlds, "worlds");
    check("joint_world", m.joint_world, -1, worlds, "worlds");
    check("joint_parent", m.joint_parent, -1, bodies, "bodies");
    check("joint_child", m.joint_child, 0, bodies, "bodies");
    check("joint_ancestor", m.joint_ancestor, -1, joints, "joints");
    check("joint_mimic_joint", m.joint_mimic_joint, -1, joints, "joints");
    check("joint_articulation", m.joint_articulation, -1, m.articulation_end.size(), "articulations");
    check("joint_q_start", m.joint_q_start, 0, m.joint_q.size() + 1, "coordinates");
    check("joint_qd_start", m.joint_qd_start, 0, m.joint_qd.size() + 1, "degrees of freedom");
    check("articulation_start", m.articulation_start, 0, joints + 1, "joints");
    check("articulation_end", m.articulation_end, 0, joints + 1, "joints");
    check("particle_world", m.particle_world, -1, worlds, "worlds");
    const std::size_t particles = m.particle_q.size();
    check("spring_indices", m.spring_indices, 0, particles, "particles");
    check("attachment_particle_body_particle", m.attachment_particle_body_particle, 0, particles, "particles");
    check("attachment_particle_body_body", m.attachment_particle_body_body, -1, bodies, "bodies");
}

}  // namespace mechane::python
