// Checkpoints: a simulation between two steps as bytes, and the hash of a model that says whether they belong together.
// Layout: magic, version, size of Real, fields in the order of `visit`, checksum; numbers as they lie in memory
// (little-endian).
// Files come from anywhere: lengths, checksum and version are checked here, sizes and indices by Engine::resume.

#include "mechane/simulation/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "mechane/core/bytes.h"
#include "mechane/core/hash.h"
#include "mechane/files/limit.h"
#include "mechane/files/read.h"
#include "mechane/simulation/atomic_file.h"
#include "mechane/simulation/codes.h"
#include "simulation/custom_bytes.h"

namespace mechane::record {

namespace {

constexpr char          kCheckpointMagic[8] = {'M', 'C', 'H', 'C', 'H', 'K', 'P', 'T'};
constexpr std::uint32_t kCheckpointVersion = 4, kWithoutCustom = 3, kWithoutParticles = 2;

/// One list of fields for writing and reading, so that both have one order.
/// @param version  version 2 had nothing of what belongs to particles, version 3 no custom attributes
template <class Bytes, class C>
void visit(Bytes&& bytes, C& c, std::uint32_t version = kCheckpointVersion)
{
    bytes(c.model_hash);
    bytes(c.solver);
    bytes(c.dt);
    bytes(c.substeps);
    bytes(c.step);
    bytes(c.hash);
    bytes(c.state.body_q);
    bytes(c.state.body_qd);
    bytes(c.state.body_f);
    bytes(c.state.joint_q);
    bytes(c.state.joint_qd);
    bytes(c.state.time);
    bytes(c.control.joint_target_q);
    bytes(c.control.joint_target_qd);
    bytes(c.control.joint_f);
    bytes(c.control.joint_act);
    bytes(c.control.body_target_q);
    bytes(c.solver_memory);
    bytes(c.pair_memory);
    bytes(c.overlaps);
    if (version <= kWithoutParticles) return;
    bytes(c.state.particle_q);
    bytes(c.state.particle_qd);
    bytes(c.state.particle_f);
    bytes(c.control.tri_activations);
    bytes(c.control.tet_activations);
    if (version <= kWithoutCustom) return;
    bytes(c.state.custom_arrays);
    bytes(c.control.custom_arrays);
}

template <class T>
std::uint64_t mix(std::uint64_t hash, const std::vector<T>& values)
/// The size is mixed in: {a, b}, {} and {a}, {b} differ.
{ return hash_bytes(values.data(), values.size() * sizeof(T), hash_combine(hash, values.size())); }

std::uint64_t mix(std::uint64_t hash, const std::vector<std::string>& values)
{
    hash = hash_combine(hash, values.size());
    for (const std::string& value : values) hash = hash_text(value, hash);
    return hash;
}

/// How a distance field is built; for a field that the mesh brings, only its presence.
std::uint64_t mix(std::uint64_t hash, const model::SdfConfig& field)
{
    const auto add = [&](double value) { hash = hash_bytes(&value, sizeof value, hash); };
    add(field.force_sdf);
    add(field.sdf_max_resolution.value_or(-1));
    add(field.sdf_target_voxel_size.value_or(-1));
    add(field.sdf_narrow_band_inner);
    add(field.sdf_narrow_band_outer);
    add(static_cast<double>(field.sdf_texture_format));
    add(field.sdf_padding.value_or(-1));
    add(field.field ? 1 : 0);
    return hash;
}

template <class... Arrays>
std::uint64_t mix_all(std::uint64_t hash, const Arrays&... arrays)
{
    ((hash = mix(hash, arrays)), ...);
    return hash;
}

Diagnostic damaged(const std::string& file, std::string message)
{ return make_diagnostic(kCheckpoint, {.layer = file}, std::move(message)); }

}  // namespace

std::uint64_t model_hash(const model::Model& m)
{
    // Arrays in a fixed order; a new array that a run depends on is to be added here, or recordings of another model
    // would be accepted.
    std::uint64_t h = hash_combine(static_cast<std::uint64_t>(m.up_axis), static_cast<std::uint64_t>(m.world_count));
    h = mix_all(h, m.body_label, m.body_q, m.body_qd, m.body_com, m.body_inertia, m.body_inv_inertia, m.body_mass,
                m.body_inv_mass, m.body_flags, m.body_world, m.body_starts_asleep);
    h = mix_all(h, m.joint_label, m.joint_type, m.joint_parent, m.joint_child, m.joint_X_p, m.joint_X_c,
                m.joint_enabled, m.joint_dof_dim, m.joint_articulation, m.joint_world, m.joint_q_start,
                m.joint_qd_start, m.joint_mimic_joint, m.joint_mimic_coeffs, m.joint_cone_limit, m.joint_break_force,
                m.joint_break_torque, m.joint_exclude_from_articulation);
    h = mix_all(h, m.joint_q, m.joint_qd, m.joint_target_q, m.joint_target_qd, m.joint_rest_q, m.joint_f, m.joint_act,
                m.joint_axis, m.joint_armature, m.joint_friction, m.joint_damping, m.joint_stiffness, m.joint_target_ke,
                m.joint_target_kd, m.joint_target_mode, m.joint_drive_type, m.joint_limit_lower, m.joint_limit_upper,
                m.joint_limit_ke, m.joint_limit_kd, m.joint_effort_limit, m.joint_velocity_limit);
    // Of models where nobody chose the gains of a limit the hash is what it was.
    if (std::ranges::find(m.joint_limit_authored, 1) != m.joint_limit_authored.end())
        h = mix_all(h, m.joint_limit_authored);
    h = mix_all(h, m.shape_label, m.shape_type, m.shape_body, m.shape_world, m.shape_transform, m.shape_scale,
                m.shape_flags, m.shape_is_solid, m.shape_margin, m.shape_gap, m.shape_collision_group,
                m.shape_collision_filter_pairs, m.shape_surface_velocity);
    h = mix_all(h, m.shape_material_ke, m.shape_material_kd, m.shape_material_kf, m.shape_material_ka,
                m.shape_material_kh, m.shape_material_mu, m.shape_material_mu_static, m.shape_material_restitution,
                m.shape_material_mu_torsional, m.shape_material_mu_rolling, m.shape_friction_combine,
                m.shape_restitution_combine);
    h = mix_all(h, m.articulation_start, m.articulation_end, m.particle_q, m.particle_qd, m.particle_mass,
                m.particle_radius, m.particle_flags, m.particle_world, m.tri_indices, m.edge_indices, m.gravity);
    // Models without anything soft keep the hash that their recordings have.
    if (m.particle_count() > 0) {
        const auto& ball = m.particle_contact;
        const auto& soft = m.soft_contact;
        h = mix_all(h, std::vector<Real>{ball.ke, ball.kd, ball.kf, ball.mu, ball.cohesion, ball.adhesion,
                                         ball.max_velocity, soft.ke, soft.kd, soft.kf, soft.mu, soft.restitution});
        // The order of groups is the order in which particles are solved for.
        for (const auto& group : m.particle_color_groups) h = mix(h, group);
        h = mix_all(h, m.particle_inv_mass, m.tri_activations, m.tet_activations, m.spring_control);
    }
    if (m.spring_count() + m.tri_count() + m.edge_count() + m.tet_count() + m.attachment_particle_body_count() > 0)
        h = mix_all(h, m.spring_indices, m.spring_rest_length, m.spring_stiffness, m.spring_damping, m.tri_poses,
                    m.tri_areas, m.tri_materials, m.edge_rest_angle, m.edge_rest_length, m.edge_bending_properties,
                    m.tet_indices, m.tet_poses, m.tet_materials, m.attachment_particle_body_body,
                    m.attachment_particle_body_particle, m.attachment_particle_body_body_point,
                    m.attachment_particle_body_stiffness, m.attachment_particle_body_damping,
                    m.attachment_particle_body_enabled);
    // Shared sources count once a shape, with the shape's index.
    for (std::size_t s = 0; s < m.shape_source.size(); ++s)
        if (const auto& mesh = m.shape_source[s]) h = mix_all(hash_combine(h, s), mesh->points, mesh->triangles);
    for (std::size_t s = 0; s < m.shape_sdf_config.size(); ++s)
        if (const auto& field = m.shape_sdf_config[s]) h = mix(hash_combine(h, s), *field);
    return h;
}

std::vector<std::byte> to_bytes(const Checkpoint& checkpoint)
{
    ByteWriter out;
    for (const char c : kCheckpointMagic) out.put(c);
    out.put(kCheckpointVersion);
    out.put(static_cast<std::uint32_t>(sizeof(Real)));
    visit([&](const auto& value) { put(out, value); }, checkpoint);
    // The checksum covers all bytes before it.
    out.put(hash_bytes(out.bytes().data(), out.bytes().size()));
    return out.bytes();
}

Result<Checkpoint> read_checkpoint(std::span<const std::byte> bytes, const std::string& name)
{
    ByteReader in(bytes);
    for (const char c : kCheckpointMagic)
        if (in.take<char>() != c) return damaged(name, "the file is not a checkpoint");
    const auto version = in.take<std::uint32_t>(), real = in.take<std::uint32_t>();
    if (version < kWithoutParticles || version > kCheckpointVersion)
        return damaged(name, fmt::format("the checkpoint has version {}, expected {}", version, kCheckpointVersion));
    if (real != sizeof(Real))
        return damaged(name, fmt::format("the checkpoint holds numbers of {} bytes, this build computes with {}", real,
                                         sizeof(Real)));
    Checkpoint out;
    visit([&](auto& value) { get(in, value); }, out, version);
    const auto sum = in.take<std::uint64_t>();
    // `done` also fails where a length ran past the end; nothing was read beyond it.
    if (!in.done()) return damaged(name, "the checkpoint is cut off");
    if (sum != hash_bytes(bytes.data(), bytes.size() - sizeof(sum))) return damaged(name, "the checkpoint is damaged");
    return out;
}

Result<void> write_checkpoint(const Checkpoint& checkpoint, const std::string& file)
{ return write_file(file, std::span<const std::byte>(to_bytes(checkpoint))); }

Result<Checkpoint> read_checkpoint(const std::string& file)
{
    // The head is read first: a large file of another kind is not loaded to be refused.
    constexpr std::string_view kStart(kCheckpointMagic, sizeof kCheckpointMagic);
    const auto                 head = files::read_head(file, kStart.size());
    if (!head) return damaged(file, head.error().message);
    if (*head != kStart) return damaged(file, "the file is not a checkpoint");
    const auto bytes = files::read(file, files::read_limit());
    if (!bytes) return damaged(file, bytes.error().message);
    return read_checkpoint(std::as_bytes(std::span<const char>(*bytes)), file);
}

}  // namespace mechane::record
