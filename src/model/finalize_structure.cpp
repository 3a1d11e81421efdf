// What must hold before a builder can become a model: ranges of indices, order of worlds, trees of articulations,
// chains of mimics. The first misfit is returned with label and array; nothing has been made by then.
// Rules and texts follow Newton's validation, so that its programs get the same refusals.
//
// world      copies of a scene that never meet; -1 is the global one that all meet
// orphan     a joint of no articulation whose child no articulation holds
// base       a body of no articulation that carries one
//
// Each check relies on those before it: indices are looked at before what they name.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "finalize.h"
#include "mechane/model/codes.h"
#include "mechane/model/joint_table.h"

namespace mechane::model {

namespace {

using Misfit = std::optional<Diagnostic>;

Diagnostic misfit(const std::string& label, std::string_view array, std::string message)
{ return make_diagnostic(kStructure, {.prim = label, .property = std::string(array)}, std::move(message)); }

bool is_index(std::int32_t i, std::size_t count) { return i >= 0 && static_cast<std::size_t>(i) < count; }

/// What a message calls the entity; particles have no labels.
/// Messages name entities by label, as authors do, and not by number.
template <class Entity>
std::string label_of(const Entity& e)
{
    if constexpr (requires { e.label; })
        return e.label;
    else
        return {};
}

/// Entities come as leading globals, world 0, 1, ..., trailing globals.
template <class Entities>
Misfit check_worlds(const Entities& entities, std::size_t worlds, std::string_view array)
{
    // `closed`: globals came after a world, so no further world may follow.
    std::int32_t last   = kGlobalWorld;
    bool         closed = false;
    for (const auto& e : entities) {
        if (e.world < kGlobalWorld || (e.world >= 0 && !is_index(e.world, worlds)))
            return misfit(label_of(e), array,
                          fmt::format("Invalid world index: world {} does not exist, expected -1 to {}", e.world,
                                      static_cast<std::int64_t>(worlds) - 1));
        if (e.world == kGlobalWorld) {
            closed = last != kGlobalWorld;
        } else {
            if (closed || e.world < last)
                return misfit(label_of(e), array,
                              fmt::format("world {} comes after world {}; worlds must be contiguous and ascending",
                                          e.world, last));
            last = e.world;
        }
    }
    return {};
}

Misfit check_bodies(const ModelBuilder& b)
{
    for (const BuilderBody& body : b.bodies)
        if (body.flags != body_flag::dynamic && body.flags != body_flag::kinematic)
            return misfit(body.label, "body_flags",
                          fmt::format("flags are {}, expected {} (dynamic) or {} (kinematic)", body.flags,
                                      body_flag::dynamic, body_flag::kinematic));
    return {};
}

/// Two ends of a joint, a shape and its body: each in one world, or one of them global.
bool worlds_meet(std::int32_t a, std::int32_t b) { return a == b || a == kGlobalWorld || b == kGlobalWorld; }

Misfit check_joints(const ModelBuilder& b)
{
    // Parents and children first, then the types' numbers of axes and coordinates.
    // Read from bindings: an enumerator may hold any number.
    for (const BuilderJoint& j : b.joints) {
        const std::size_t n = b.bodies.size();
        if (static_cast<std::uint32_t>(j.type) > static_cast<std::uint32_t>(JointType::rod))
            return misfit(j.label, "joint_type", fmt::format("joint type {} is unknown", static_cast<int>(j.type)));
        if (j.child == kWorldBody)
            return misfit(j.label, "joint_child", "Invalid body reference: Child cannot be the world");
        if (!is_index(j.child, n))
            return misfit(
                j.label, "joint_child",
                fmt::format("Invalid body reference: child body {} does not exist; there are {} bodies", j.child, n));
        if (j.parent != kWorldBody && !is_index(j.parent, n))
            return misfit(
                j.label, "joint_parent",
                fmt::format("Invalid body reference: parent body {} does not exist; there are {} bodies", j.parent, n));
        if (j.parent == j.child)
            return misfit(j.label, "joint_child",
                          fmt::format("Self-referential joint: both ends are body '{}'",
                                      b.bodies[static_cast<std::size_t>(j.child)].label));
        const std::int32_t child_world = b.bodies[static_cast<std::size_t>(j.child)].world;
        if (j.parent != kWorldBody && !worlds_meet(b.bodies[static_cast<std::size_t>(j.parent)].world, child_world))
            return misfit(j.label, "joint_world", "its bodies belong to different worlds");

        const JointTypeInfo& info = joint_type_info(j.type);
        const auto           lin = std::ssize(j.linear_axes), ang = std::ssize(j.angular_axes);
        // Types with a fixed number of dofs have fixed axes; a D6 joint may have three of either.
        if (info.dofs >= 0 ? lin != info.linear_axes || ang != info.angular_axes : lin > 3 || ang > 3)
            return misfit(j.label, "joint_dof_dim",
                          fmt::format("a {} joint with {} linear and {} angular axes", to_string(j.type), lin, ang));
        const auto coords = info.coords >= 0 ? info.coords : lin + ang, dofs = lin + ang;
        // Free joints may leave coordinates out: they come from the bodies' poses.
        if ((!j.q.empty() || !info.free_like) && std::ssize(j.q) != coords)
            return misfit(j.label, "joint_q", fmt::format("{} coordinates, expected {}", j.q.size(), coords));
        if ((!j.qd.empty() || !info.free_like) && std::ssize(j.qd) != dofs)
            return misfit(j.label, "joint_qd", fmt::format("{} velocities, expected {}", j.qd.size(), dofs));
    }
    return {};
}

/// An articulation is a tree: joints contiguous, parents before children, one joint above each body, no bridge to
/// another tree.
Misfit check_articulations(const ModelBuilder& b)
{
    std::vector<std::int32_t> owner(b.joints.size(), -1);         // articulation of each joint
    std::vector<std::int32_t> parent_joint(b.bodies.size(), -1);  // tree joint whose child this body is
    // Known for all articulations before the first is checked, since they may refer to each other.
    std::vector<std::int32_t> held_by(b.bodies.size(), -1);  // the same, of all articulations from the start
    for (const BuilderJoint& joint : b.joints)
        if (is_index(joint.articulation, b.articulations.size()))
            held_by[static_cast<std::size_t>(joint.child)] = joint.articulation;
    for (std::size_t a = 0; a < b.articulations.size(); ++a) {
        const BuilderArticulation& tree = b.articulations[a];
        // An articulation is a range of joints in the model, so it must not be empty.
        if (tree.joints.empty()) return misfit(tree.label, "articulation_start", "the articulation has no joints");
        std::int32_t expected = tree.joints.front();
        for (const std::int32_t j : tree.joints) {
            if (!is_index(j, b.joints.size()))
                return misfit(tree.label, "articulation_start",
                              fmt::format("joint {} does not exist; there are {} joints", j, b.joints.size()));
            const auto          ji    = static_cast<std::size_t>(j);
            const BuilderJoint& joint = b.joints[ji];
            if (j != expected++)
                return misfit(tree.label, "articulation_start",
                              fmt::format("joint {} ('{}') breaks the contiguous, ascending order of the articulation",
                                          j, joint.label));
            if (owner[ji] != -1)
                return misfit(joint.label, "joint_articulation",
                              fmt::format("the joint is in articulations '{}' and '{}'",
                                          b.articulations[static_cast<std::size_t>(owner[ji])].label, tree.label));
            owner[ji] = static_cast<std::int32_t>(a);
            if (joint.articulation != owner[ji])
                return misfit(joint.label, "joint_articulation",
                              fmt::format("the joint names articulation {}, and articulation {} lists it",
                                          joint.articulation, a));
            if (!worlds_meet(tree.world, joint.world))
                return misfit(joint.label, "joint_world",
                              fmt::format("the joint is in world {}, its articulation in {}", joint.world, tree.world));

            // Two tree joints above one body would make a loop.
            const auto child = static_cast<std::size_t>(joint.child);
            if (parent_joint[child] != -1)
                return misfit(
                    joint.label, "joint_child",
                    fmt::format("body '{}' is already the child of joint '{}'; a second joint must stay outside of "
                                "articulations, as a loop joint",
                                b.bodies[child].label, b.joints[static_cast<std::size_t>(parent_joint[child])].label));
            if (joint.parent != kWorldBody) {
                // Filled as the articulation is walked: what is not there yet is not earlier.
                const std::int32_t above  = parent_joint[static_cast<std::size_t>(joint.parent)];
                const auto         parent = static_cast<std::size_t>(joint.parent);
                // A body that no articulation holds may carry one, as its base.
                const bool base = above == -1 && held_by[parent] == -1;
                if (!base && held_by[parent] != owner[ji])
                    return misfit(
                        joint.label, "joint_parent",
                        fmt::format("parent body '{}' belongs to articulation '{}', the joint to '{}'; "
                                    "articulations cannot be connected by tree joints",
                                    b.bodies[parent].label,
                                    b.articulations[static_cast<std::size_t>(held_by[parent])].label, tree.label));
                // Order is what Featherstone's recursions rely on: a parent is computed before its children.
                if (!base && above == -1)
                    return misfit(
                        joint.label, "joint_parent",
                        fmt::format("parent body '{}' is not the child of an earlier joint of articulation '{}'",
                                    b.bodies[parent].label, tree.label));
            }
            parent_joint[child] = j;
        }
    }
    // Joints that name an articulation must be in its list.
    for (std::size_t j = 0; j < b.joints.size(); ++j)
        if (b.joints[j].articulation != owner[j])
            return misfit(
                b.joints[j].label, "joint_articulation",
                fmt::format("the joint names articulation {}, which does not list it", b.joints[j].articulation));
    return {};
}

/// A joint outside of articulations closes a loop; if it is the only one that holds its body, it was forgotten.
/// Such a joint holds a body that nothing else holds: mostly an add_articulation was forgotten.
Misfit check_orphans(const ModelBuilder& b)
{
    std::vector<bool> reached(b.bodies.size(), false);
    for (const BuilderJoint& j : b.joints)
        if (j.articulation >= 0) reached[static_cast<std::size_t>(j.child)] = true;
    std::vector<const BuilderJoint*> orphans;
    for (const BuilderJoint& j : b.joints)
        if (j.articulation < 0 && j.parent != kWorldBody && !reached[static_cast<std::size_t>(j.child)])
            orphans.push_back(&j);
    if (!orphans.empty()) {
        std::vector<std::string> labels;
        // Five names are enough to find the mistake.
        for (std::size_t i = 0; i < std::min<std::size_t>(orphans.size(), 5); ++i) labels.push_back(orphans[i]->label);
        return make_diagnostic(
            kOrphanJoint, {.prim = orphans.front()->label, .property = "joint_articulation"},
            fmt::format("Found {} joint(s) not belonging to any articulation, nor do their children: {}{}",
                        orphans.size(), fmt::join(labels, ", "), orphans.size() > labels.size() ? ", ..." : ""));
    }
    return {};
}

std::ptrdiff_t dof_count(const BuilderJoint& j) { return std::ssize(j.linear_axes) + std::ssize(j.angular_axes); }

Misfit check_mimics(const ModelBuilder& b)
{
    for (const BuilderJoint& j : b.joints) {
        if (j.mimic_joint == -1) continue;
        if (!is_index(j.mimic_joint, b.joints.size()))
            return misfit(j.label, "joint_mimic_joint", fmt::format("leading joint {} does not exist", j.mimic_joint));
        const BuilderJoint& leader = b.joints[static_cast<std::size_t>(j.mimic_joint)];
        if (&leader == &j) return misfit(j.label, "joint_mimic_joint", "the joint mimics itself");
        // Positions that are quaternions cannot be scaled.
        if (joint_type_info(j.type).quaternion || joint_type_info(leader.type).quaternion || dof_count(j) == 0 ||
            dof_count(j) != dof_count(leader))
            return misfit(j.label, "joint_mimic_joint",
                          fmt::format("a {} joint of {} dofs cannot mimic '{}', a {} joint of {}", to_string(j.type),
                                      dof_count(j), leader.label, to_string(leader.type), dof_count(leader)));
        if (j.articulation >= 0 && leader.articulation >= 0 && j.articulation != leader.articulation)
            return misfit(j.label, "joint_mimic_joint",
                          fmt::format("Mimic joints must belong to the same articulation; '{}' belongs to another",
                                      leader.label));
        if (!worlds_meet(j.world, leader.world))
            return misfit(j.label, "joint_mimic_joint", fmt::format("'{}' belongs to another world", leader.label));
        // Following the leaders must end within as many steps as there are joints.
        // As many steps as joints without an end: a cycle.
        const BuilderJoint* at = &j;
        for (std::size_t steps = 0; at->mimic_joint != -1; ++steps) {
            if (steps > b.joints.size())
                return misfit(j.label, "joint_mimic_joint", "the joints mimic each other in a circle");
            if (!is_index(at->mimic_joint, b.joints.size())) break;
            at = &b.joints[static_cast<std::size_t>(at->mimic_joint)];
        }
    }
    return {};
}

Misfit check_shapes(const ModelBuilder& b)
{
    std::set<const geometry::Mesh*> checked;  // worlds share meshes
    for (const BuilderShape& s : b.shapes) {
        if (s.body != kWorldBody && !is_index(s.body, b.bodies.size()))
            return misfit(s.label, "shape_body",
                          fmt::format("Invalid body reference: body {} does not exist; there are {} bodies", s.body,
                                      b.bodies.size()));
        if (s.body != kWorldBody && !worlds_meet(s.world, b.bodies[static_cast<std::size_t>(s.body)].world))
            return misfit(s.label, "shape_world", "the shape and its body belong to different worlds");
        // Enumerators of Python may be any number.
        if (static_cast<std::uint32_t>(s.type) > static_cast<std::uint32_t>(GeoType::gaussian))
            return misfit(s.label, "shape_type", fmt::format("shape type {} is unknown", static_cast<int>(s.type)));
        if (!s.source || !checked.insert(s.source.get()).second) continue;
        if (!geometry::has_valid_indices(*s.source))
            return misfit(s.label, "shape_source",
                          fmt::format("a triangle names a point beyond the mesh's {}", s.source->points.size()));
    }
    // Filter pairs are read by every collision: they must be valid from the start.
    for (const auto& [x, y] : b.shape_collision_filter_pairs)
        if (!is_index(x, b.shapes.size()) || !is_index(y, b.shapes.size()))
            return misfit(
                "", "shape_collision_filter_pairs",
                fmt::format("pair ({}, {}) names a shape that does not exist; there are {}", x, y, b.shapes.size()));
    return {};
}

/// Particles that a triangle or an edge names must exist and share a world; -1 where `open` says that there may be
/// none.
template <std::size_t n>
Misfit check_surface(const ModelBuilder& b, const std::vector<std::array<std::int32_t, n>>& rows,
                     std::string_view array, std::size_t open)
{
    // Cloth and soft bodies of two worlds would pull at each other.
    for (std::size_t row = 0; row < rows.size(); ++row) {
        std::optional<std::int32_t> world;
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t p = rows[row][i];
            if (i < open && p == -1) continue;
            if (!is_index(p, b.particles.size()))
                return misfit("", array,
                              fmt::format("row {} names particle {}, which does not exist; there are {}", row, p,
                                          b.particles.size()));
            const std::int32_t here = b.particles[static_cast<std::size_t>(p)].world;
            if (world.value_or(here) != here)
                return misfit("", array, fmt::format("the particles of row {} belong to different worlds", row));
            world = here;
        }
    }
    return {};
}

}  // namespace

Misfit check_structure(const ModelBuilder& b, const FinalizeOptions& options)
{
    // A world that is still open was mostly forgotten.
    if (b.current_world() != kGlobalWorld)
        return misfit("", "world", fmt::format("world {} is still open", b.current_world()));
    if (b.up_axis < 0 || b.up_axis > 2)
        return misfit("", "up_axis", fmt::format("up_axis is {}, expected 0, 1 or 2", b.up_axis));
    const std::size_t worlds = b.world_gravity.size();
    if (auto m = check_worlds(b.bodies, worlds, "body_world")) return m;
    if (auto m = check_worlds(b.joints, worlds, "joint_world")) return m;
    if (auto m = check_worlds(b.shapes, worlds, "shape_world")) return m;
    if (auto m = check_worlds(b.articulations, worlds, "articulation_world")) return m;
    if (auto m = check_worlds(b.particles, worlds, "particle_world")) return m;
    if (auto m = check_surface(b, b.tri_indices, "tri_indices", 0)) return m;
    // The first two particles of an edge may be missing: at a border.
    if (auto m = check_surface(b, b.edge_indices, "edge_indices", 2)) return m;
    if (auto m = check_soft(b)) return m;
    if (auto m = check_bodies(b)) return m;
    if (auto m = check_joints(b)) return m;
    if (auto m = check_articulations(b)) return m;
    if (!options.allow_orphan_joints)
        if (auto m = check_orphans(b)) return m;
    if (auto m = check_mimics(b)) return m;
    return check_shapes(b);
}

}  // namespace mechane::model
