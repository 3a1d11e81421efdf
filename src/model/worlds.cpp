// ModelBuilder: worlds, and appending or copying whole builders. Indices of what is appended are shifted by what is
// there; a placement acts on what is tied to the world (bodies, world anchors, free coordinates, particles).

#include <fmt/format.h>

#include "mechane/core/failure.h"
#include "mechane/model/builder.h"
#include "mechane/model/codes.h"
#include "mechane/model/joint_table.h"

namespace mechane::model {

namespace {

/// Indices of bodies, joints and articulations where -1 means the world, or none.
std::int32_t copied_index(std::int32_t index, std::size_t offset)
{ return index < 0 ? index : index + static_cast<std::int32_t>(offset); }

Diagnostic nested(const ModelBuilder& source)
{
    return make_diagnostic(kWorldsNested, {},
                           fmt::format("what is to be copied has {} worlds of its own", source.world_gravity.size()));
}

}  // namespace

std::int32_t ModelBuilder::begin_world(std::optional<Vec3d> world_gravity_or_default)
{
    // Each world has its gravity from the start.
    MCH_REQUIRE(current_world_ == kGlobalWorld, "ModelBuilder::begin_world", "this",
                "a builder without an open world: call end_world first");
    current_world_ = static_cast<std::int32_t>(world_gravity.size());
    world_gravity.push_back(world_gravity_or_default.value_or(gravity));
    return current_world_;
}

void ModelBuilder::end_world()
{
    MCH_REQUIRE(current_world_ != kGlobalWorld, "ModelBuilder::end_world", "this",
                "a builder with an open world: call begin_world first");
    current_world_ = kGlobalWorld;
}

/// The order is bodies, shapes, joints, trees, particles, elements: each refers to those before it.
Result<void> ModelBuilder::append(const ModelBuilder& source, const AppendOptions& options)
{
    // The counts before anything is added are the offsets of what is added.
    const std::int32_t  world     = current_world_;
    const std::size_t   body0     = bodies.size();
    const std::size_t   joint0    = joints.size();
    const std::size_t   shape0    = shapes.size();
    const std::size_t   tree0     = articulations.size();
    const std::size_t   particle0 = particles.size();
    const std::size_t   tri0 = tri_indices.size(), edge0 = edge_indices.size();
    const CustomOffsets offsets = source.custom_attributes.empty() ? CustomOffsets{} : custom_offsets();
    // The placement acts on the source as a whole.
    const auto placed  = [&](const Posed& X) { return options.xform ? *options.xform * X : X; };
    const auto renamed = [&](std::string& label) {
        if (!options.label_prefix.empty()) label = options.label_prefix + "/" + label;
    };
    for (BuilderBody body : source.bodies) {
        body.world = world;
        body.q     = placed(body.q);
        if (options.xform)
            // Velocities turn with the placement; a point's motion does not depend on where it is.
            body.qd = {rotate(options.xform->q, body.qd.linear), rotate(options.xform->q, body.qd.angular)};
        renamed(body.label);
        for (std::int32_t& s : body.shapes) s = copied_index(s, shape0);
        bodies.push_back(std::move(body));
    }
    for (BuilderShape shape : source.shapes) {
        shape.world = world;
        if (shape.body == kWorldBody) shape.xform = placed(shape.xform);
        renamed(shape.label);
        shape.body = copied_index(shape.body, body0);
        // The source's default gap goes along with its shapes.
        if (!shape.config.gap) shape.config.gap = source.rigid_gap;
        shapes.push_back(std::move(shape));
    }
    // The list of joints by body has the world as its first entry.
    joints_of_.resize(bodies.size() + 1);
    for (BuilderJoint joint : source.joints) {
        joint.world = world;
        // A free root without an anchor of its own carries its pose in its coordinates. Every other joint to the world
        // has it in its anchor, from which coordinates and rates count, so that these stay.
        const bool in_world = joint.type == JointType::free && joint.parent_xform == Posed{};
        if (joint.parent == kWorldBody && !in_world) {
            joint.parent_xform = placed(joint.parent_xform);
        } else if (joint.parent == kWorldBody && joint.q.size() == 7) {
            const Posed X =
                placed({{joint.q[0], joint.q[1], joint.q[2]}, {joint.q[3], joint.q[4], joint.q[5], joint.q[6]}});
            joint.q = {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w};
        }
        if (options.xform && joint.parent == kWorldBody && in_world && joint.qd.size() == 6) {
            const Quatd& turn = options.xform->q;
            const Vec3d  v    = rotate(turn, Vec3d{joint.qd[0], joint.qd[1], joint.qd[2]});
            const Vec3d  w    = rotate(turn, Vec3d{joint.qd[3], joint.qd[4], joint.qd[5]});
            joint.qd          = {v.x, v.y, v.z, w.x, w.y, w.z};
        }
        renamed(joint.label);
        joint.parent       = copied_index(joint.parent, body0);
        joint.child        = copied_index(joint.child, body0);
        joint.articulation = copied_index(joint.articulation, tree0);
        joint.mimic_joint  = copied_index(joint.mimic_joint, joint0);
        // The index under which the joint will be found.
        const auto index = static_cast<std::int32_t>(joints.size());
        for (const std::int32_t body : {joint.parent, joint.child})
            if (body >= kWorldBody && body < std::ssize(bodies))
                joints_of_[static_cast<std::size_t>(body + 1)].push_back(index);
        joints.push_back(std::move(joint));
    }
    for (BuilderArticulation tree : source.articulations) {
        tree.world = world;
        renamed(tree.label);
        for (std::int32_t& j : tree.joints) j = copied_index(j, joint0);
        articulations.push_back(std::move(tree));
    }
    for (BuilderParticle particle : source.particles) {
        particle.world = world;
        if (options.xform) {
            particle.q  = *options.xform * particle.q;
            particle.qd = rotate(options.xform->q, particle.qd);
        }
        particles.push_back(particle);
    }
    for (auto triangle : source.tri_indices) {
        for (std::int32_t& p : triangle) p = copied_index(p, particle0);
        tri_indices.push_back(triangle);
    }
    for (auto edge : source.edge_indices) {
        for (std::int32_t& p : edge) p = copied_index(p, particle0);
        edge_indices.push_back(edge);
    }
    // Elements and objects of cloth and soft bodies, in builder_soft.cpp.
    append_soft(source, body0, joint0, particle0, tri0, edge0, options.xform);
    // append_soft put them at the end.
    for (std::size_t i = 0; i < source.surfaces.size(); ++i) renamed(surfaces[surfaces.size() - 1 - i].label);
    for (std::size_t i = 0; i < source.volumes.size(); ++i) renamed(volumes[volumes.size() - 1 - i].label);
    for (std::size_t i = 0; i < source.curves.size(); ++i) renamed(curves[curves.size() - 1 - i].label);
    for (const auto& [a, b] : source.shape_collision_filter_pairs)
        shape_collision_filter_pairs.emplace_back(copied_index(a, shape0), copied_index(b, shape0));
    return merge_custom(source, offsets, world);
}

Result<void> ModelBuilder::add_builder(const ModelBuilder& source, const AppendOptions& options)
{
    MCH_REQUIRE(source.current_world_ == kGlobalWorld, "ModelBuilder::add_builder", "source",
                "a builder without an open world");
    // Worlds in worlds are not possible.
    if (!source.world_gravity.empty()) return nested(source);
    if (&source != this) return append(source, options);
    // A builder that is appended to itself would grow while it is read.
    const ModelBuilder copy = source;
    return append(copy, options);
}

Result<void> ModelBuilder::replicate(const ModelBuilder& source, int count)
{
    MCH_REQUIRE(current_world_ == kGlobalWorld, "ModelBuilder::replicate", "this", "a builder without an open world");
    MCH_REQUIRE(source.current_world_ == kGlobalWorld, "ModelBuilder::replicate", "source",
                "a builder without an open world");
    // No copies: nothing happens, as for a loop of no turns.
    if (count <= 0) return {};
    if (!source.world_gravity.empty()) return nested(source);
    // Reserving below would move what is read.
    if (&source == this) {
        const ModelBuilder copy = source;
        return replicate(copy, count);
    }
    const auto copies = static_cast<std::size_t>(count);
    bodies.reserve(bodies.size() + copies * source.bodies.size());
    joints.reserve(joints.size() + copies * source.joints.size());
    shapes.reserve(shapes.size() + copies * source.shapes.size());
    articulations.reserve(articulations.size() + copies * source.articulations.size());
    particles.reserve(particles.size() + copies * source.particles.size());

    // Values of custom attributes are placed here: counting the entities anew for each copy would take quadratic time.
    CustomOffsets       offsets = custom_offsets();
    const CustomOffsets counts  = source.custom_offsets();
    ModelBuilder        bare;
    const bool          has_custom = !source.custom_attributes.empty();
    if (has_custom) {
        bare = source;
        bare.custom_attributes.clear();
    }
    for (int k = 0; k < count; ++k) {
        // Each copy is a world with the source's gravity.
        const std::int32_t world = begin_world(source.gravity);
        auto               done  = append(has_custom ? bare : source, {});
        end_world();
        if (done) done = merge_custom(source, offsets, world);
        if (!done) return done;
        for (std::size_t f = 0; f < offsets.size(); ++f) offsets[f] += counts[f];
    }
    return {};
}

}  // namespace mechane::model
