#include "mechane/record/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "mechane/core/bytes.h"
#include "mechane/core/hash.h"
#include "mechane/record/atomic_file.h"
#include "mechane/record/codes.h"

namespace mechane::record {

namespace {

constexpr char          kMagic[8] = {'M', 'C', 'H', 'C', 'H', 'K', 'P', 'T'};
constexpr std::uint32_t kVersion  = 2;

template <class Bytes, class C>
void visit(Bytes&& bytes, C& c)
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
}

template <class T>
std::uint64_t mix(std::uint64_t hash, const std::vector<T>& values)
{ return hash_bytes(values.data(), values.size() * sizeof(T), hash_combine(hash, values.size())); }

std::uint64_t mix(std::uint64_t hash, const std::vector<std::string>& values)
{
    hash = hash_combine(hash, values.size());
    for (const std::string& value : values) hash = hash_text(value, hash);
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
    std::uint64_t h =
        mix_all(0, m.body_label, m.body_q, m.body_com, m.body_inertia, m.body_mass, m.body_flags, m.body_world);
    h = mix_all(h, m.joint_label, m.joint_type, m.joint_parent, m.joint_child, m.joint_X_p, m.joint_X_c,
                m.joint_q_start, m.joint_qd_start, m.joint_mimic_joint, m.joint_mimic_coeffs, m.joint_cone_limit,
                m.joint_break_force, m.joint_break_torque, m.joint_q, m.joint_rest_q, m.joint_axis, m.joint_armature,
                m.joint_friction, m.joint_damping, m.joint_stiffness, m.joint_target_ke, m.joint_target_kd,
                m.joint_target_mode, m.joint_drive_type, m.joint_limit_lower, m.joint_limit_upper, m.joint_limit_ke,
                m.joint_limit_kd, m.joint_effort_limit, m.joint_velocity_limit);
    h = mix_all(h, m.shape_label, m.shape_type, m.shape_body, m.shape_transform, m.shape_scale, m.shape_flags,
                m.shape_margin, m.shape_gap, m.shape_material_mu, m.shape_material_mu_static,
                m.shape_material_restitution, m.shape_material_mu_torsional, m.shape_material_mu_rolling,
                m.shape_collision_group, m.gravity);
    // Only where a surface moves: other models keep the hash that their recordings have.
    if (std::any_of(m.shape_surface_velocity.begin(), m.shape_surface_velocity.end(),
                    [](const Spatial& v) { return !(v == Spatial{}); }))
        h = mix_all(h, m.shape_surface_velocity);
    for (const auto& mesh : m.shape_source)
        if (mesh) h = mix_all(h, mesh->points, mesh->triangles);
    return h;
}

std::vector<std::byte> to_bytes(const Checkpoint& checkpoint)
{
    ByteWriter out;
    for (const char c : kMagic) out.put(c);
    out.put(kVersion);
    out.put(static_cast<std::uint32_t>(sizeof(Real)));
    visit([&](const auto& value) { out.put(value); }, checkpoint);
    out.put(hash_bytes(out.bytes().data(), out.bytes().size()));
    return out.bytes();
}

Result<Checkpoint> read_checkpoint(std::span<const std::byte> bytes, const std::string& name)
{
    ByteReader in(bytes);
    for (const char c : kMagic)
        if (in.take<char>() != c) return damaged(name, "the file is not a checkpoint");
    const auto version = in.take<std::uint32_t>(), real = in.take<std::uint32_t>();
    if (version != kVersion)
        return damaged(name, fmt::format("the checkpoint has version {}, expected {}", version, kVersion));
    if (real != sizeof(Real))
        return damaged(name, fmt::format("the checkpoint holds numbers of {} bytes, this build computes with {}", real,
                                         sizeof(Real)));
    Checkpoint out;
    visit([&](auto& value) { in.get(value); }, out);
    const auto sum = in.take<std::uint64_t>();
    if (!in.done()) return damaged(name, "the checkpoint is cut off");
    if (sum != hash_bytes(bytes.data(), bytes.size() - sizeof(sum))) return damaged(name, "the checkpoint is damaged");
    return out;
}

Result<void> write_checkpoint(const Checkpoint& checkpoint, const std::string& file)
{ return write_file(file, std::span<const std::byte>(to_bytes(checkpoint))); }

Result<Checkpoint> read_checkpoint(const std::string& file)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return damaged(file, "the file cannot be opened");
    const std::vector<char> text{std::istreambuf_iterator<char>(stream), {}};
    return read_checkpoint(std::as_bytes(std::span<const char>(text)), file);
}

}  // namespace mechane::record
