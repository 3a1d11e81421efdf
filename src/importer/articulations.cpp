// Step of import_usd that turns the plan of trees (articulation_plan.cpp) into joints and articulations of the builder.
// In: physics::PhysicsModel with its bodies and joints, the plan, the options and conventions of the run. Out: builder
// joints with frames X_P (of the parent body) and X_C (of the child body) in metres, articulations, and the maps from
// prim paths to indices.
// Order is part of the result, since indices and coordinate starts follow it: trees with an authored root, remaining
// bodies, joints of the other trees and loop joints, base joints of bodies that nothing holds, joints excluded from
// articulations, equalities. A body is added with its tree, so that a parent's index precedes its children's.
// `conventions` switches between Mechane's reading of the schemas and that of Newton 1.8: each use below is a
// difference between the two.

#include <fmt/format.h>

#include <algorithm>

#include "import.h"
#include "joint_state.h"
#include "joint_values.h"
#include "physics/beside_trees.h"

namespace mechane::importer {
namespace {

/// Ties the root of an imported tree to the world, or to the body that the caller named.
std::int32_t add_base_joint(Import& run, std::int32_t child)
{
    const ImportOptions& options = run.options;
    const std::int32_t   parent  = options.parent_body;
    // A joint to the world is anchored where the body stands, so that its coordinates start at zero. Below a parent
    // body the placement of the import is the anchor.
    const Posed X_P = parent < 0 ? run.builder.bodies[static_cast<std::size_t>(child)].q : run.X_WS;
    if (options.base_joint) {
        model::BuilderJoint joint = *options.base_joint;
        joint.parent              = parent;
        joint.child               = child;
        joint.parent_xform        = X_P;
        joint.child_xform         = {};
        return run.builder.add_joint(std::move(joint));
    }
    // The caller's wish goes first. Without one a root is free in the world and fixed to a parent body.
    if (options.floating.value_or(parent < 0)) return run.builder.add_joint_free(child);
    return run.builder.add_joint_fixed(parent, child, X_P, {});
}

/// Says that the frame of a joint in the world was not taken as it is authored.
void tell_world_frame(Import& run, const physics::Joint& joint, const Posed& off)
{
    const double away = length(off.p), turned = length(to_rotation_vector(off.q));
    if (away == 0 && turned == 0) return;
    Diagnostic told = make_diagnostic(
        codes::kWorldFrame, joint.prim.site(),
        fmt::format("the world's side of {} is {:.3g} m and {:.3g} degrees from where its body stands; the joint is "
                    "taken to stand there, with its coordinates at zero",
                    joint.path.text(), away, turned / kDegrees));
    // What is fixed has no coordinates, and stays where it stands; and who authors no frame means no other.
    const char* side     = joint.body0 == physics::kNone ? "0" : "1";
    const auto  authored = [&](const char* name) { return joint.prim.attribute(name + std::string(side)).authored(); };
    if (joint.kind == physics::JointKind::fixed || (!authored("physics:localPos") && !authored("physics:localRot")))
        told.severity = Severity::info;
    run.found.add(std::move(told));
}

/// Adds one joint of the plan; -1 when it turns out to hold nothing.
std::int32_t add_joint(Import& run, const PlannedJoint& planned, WorldAnchor anchor, const usd::Prim& articulation,
                       bool excluded = false)
{
    const physics::Joint& first = run.joint(planned.members.front());
    const auto            ends  = joint_ends(run, first, planned.flipped, anchor, articulation);
    // Both ends in the world, or a body that is not imported: there is no joint to add.
    if (!ends) return -1;
    tell_world_frame(run, first, ends->recovered);
    model::BuilderJoint joint;
    joint.label                     = first.path.text();
    joint.parent                    = ends->parent;
    joint.child                     = ends->child;
    joint.parent_xform              = ends->X_P;
    joint.child_xform               = ends->X_C;
    joint.enabled                   = first.enabled;
    joint.exclude_from_articulation = excluded;
    // Outside Newton's rules the pairs that a joint filters are listed one by one, by the rule of the schema.
    joint.collision_filter_parent = run.conventions.joints_filter_bodies && ends->parent >= 0 &&
                                    std::any_of(planned.members.begin(), planned.members.end(),
                                                [&](physics::Index i) { return !run.joint(i).collision_enabled; });
    const Filled filled           = fill_joint(run, planned.members, *ends, joint);
    if (!filled.holds) return -1;
    // The authored poses of the bodies say where the joint stands, since OpenUSD has no coordinates of joints; Newton's
    // rule is zero whatever the poses are.
    if (!run.conventions.coordinates_zero_unless_authored && !filled.coordinates_authored)
        take_coordinates_from_poses(run, *ends, joint);

    const std::int32_t index = run.builder.add_joint(std::move(joint));
    // Several prims may have become one joint with several axes; each of them finds the same joint and its own axis.
    for (const physics::Index i : planned.members) {
        run.joint_of[static_cast<std::size_t>(i)]           = index;
        run.result.path_joint_map[run.joint(i).path.text()] = index;
        if (const auto merged = run.merged_axis.find(i); merged != run.merged_axis.end()) {
            const auto [turns, axis] = merged->second;
            const auto linear        = run.builder.joints[static_cast<std::size_t>(index)].linear_axes.size();
            run.result.path_joint_axis[run.joint(i).path.text()] =
                static_cast<std::int32_t>(axis + (turns ? linear : 0));
        }
    }
    return index;
}

void add_articulation(Import& run, std::vector<std::int32_t> joints, const std::string& label, const usd::Prim& prim)
{
    if (joints.empty()) return;
    std::int32_t index = -1;
    if (run.options.parent_body >= 0) {
        // Composition: the imported joints extend the articulation of the body they hang on.
        // The last articulation is that of parent_body: import_usd has refused another one before, because an
        // articulation's joints must be consecutive.
        index                         = static_cast<std::int32_t>(run.builder.articulations.size()) - 1;
        model::BuilderArticulation& a = run.builder.articulations[static_cast<std::size_t>(index)];
        for (const std::int32_t j : joints) {
            run.builder.joints[static_cast<std::size_t>(j)].articulation = index;
            a.joints.push_back(j);
        }
    } else {
        index = run.builder.add_articulation(std::move(joints), label);
    }
    bool allowed = run.options.enable_self_collisions;
    if (prim) {
        allowed = run.resolvers
                      .get(prim, resolve::Key::articulation_self_collision_enabled, run.context,
                           resolve::Value(allowed), &run.found)
                      .flag_or(allowed);
    }
    run.self_collision[index] = allowed;
    if (prim) run.result.path_self_collision[prim.path().text()] = allowed;
    add_attached_cables(run);
}

/// Bodies first, in the plan's order from root to leaves. Then a joint for each, the root's among them.
void add_tree(Import& run, const PlannedTree& tree)
{
    for (const physics::Index b : tree.bodies) add_body(run, b);
    std::vector<std::int32_t> joints;
    // A tree whose root body no joint holds to the world gets a base joint of its own.
    if (tree.root_body != physics::kNone) joints.push_back(add_base_joint(run, run.body_index(tree.root_body)));
    const bool replace_root = run.options.floating.has_value() || run.options.base_joint.has_value();
    for (std::size_t i = 0; i < tree.joints.size(); ++i) {
        const physics::Joint& joint  = run.joint(tree.joints[i].members.front());
        const WorldAnchor     anchor = i == 0 ? WorldAnchor::articulation_root : WorldAnchor::articulation_branch;
        const auto            ends   = joint_ends(run, joint, tree.joints[i].flipped, anchor, tree.prim);
        if (!ends) continue;
        // A root joint to the world that was authored gives way where the caller says how the root is held.
        if (ends->parent < 0 && i == 0 && replace_root) {
            joints.push_back(add_base_joint(run, ends->child));
            continue;
        }
        // A kinematic body moves by its own transform; as a child of a joint it would be moved by the joint's
        // coordinates as well.
        if (run.conventions.kinematic_children_refused && ends->parent >= 0 &&
            run.builder.bodies[static_cast<std::size_t>(ends->child)].flags == model::body_flag::kinematic) {
            run.refuse(codes::kBodyKinematicChild, run.body(ends->child_body).prim.site(),
                       fmt::format("{} is kinematic and hangs on another body by {}",
                                   run.body(ends->child_body).path.text(), joint.path.text()));
            return;
        }
        const std::int32_t added = add_joint(run, tree.joints[i], anchor, tree.prim);
        if (added >= 0) {
            joints.push_back(added);
        } else {
            // What hangs on a joint that holds nothing is free.
            joints.push_back(run.builder.add_joint_free(ends->child));
        }
    }
    add_articulation(run, std::move(joints), tree.label, tree.prim);
}

/// The label of the articulation of a lone body: an authored root at or above it, else the body.
const physics::Articulation* root_prim_above(const Import& run, const usd::Path& path)
{
    const physics::Articulation* best = nullptr;
    for (const physics::Articulation& a : run.physics.articulations)
        if (path.has_prefix(a.path) && (best == nullptr || a.path.text().size() > best->path.text().size())) best = &a;
    return best;
}

}  // namespace

void add_articulations(Import& run)
{
    for (const physics::Articulation& root : run.physics.articulations) {
        if (!root.valid || run.ignored(root.path)) continue;
        run.collect(root.prim);
        if (const usd::Prim above = root.prim.parent()) run.collect(above);
        if (!run.conventions.body_attributes_by_articulation) continue;
        for (const usd::Path& listed : root.reference_bodies)
            if (const usd::Prim link = run.stage.prim_at(listed)) run.collect(link);
    }
    run.plan = run.conventions.trees_as_authored ? plan_as_authored(run) : plan_trees(run);
    for (const PlannedTree& tree : run.plan.trees) {
        if (run.fatal) return;
        if (tree.has_authored_root) add_tree(run, tree);
    }
}

void add_orphan_joints(Import& run)
{
    for (const PlannedTree& tree : run.plan.trees) {
        if (tree.has_authored_root) continue;
        if (!run.options.keep_orphan_joints || run.conventions.trees_as_authored)
            add_tree(run, tree);
        else
            for (const PlannedJoint& joint : tree.joints) add_joint(run, joint, WorldAnchor::orphan, {});
    }
    for (const PlannedJoint& joint : run.plan.loops) add_joint(run, joint, WorldAnchor::orphan, {});
}

void add_base_joints(Import& run)
{
    // Newton's rule counts every joint that has the body as its child; Mechane's only those within an articulation.
    std::vector<bool> held(run.builder.bodies.size(), false), jointed(run.builder.bodies.size(), false);
    for (const model::BuilderJoint& joint : run.builder.joints) {
        // A loop joint closes a loop between bodies that already hang somewhere; it holds none of its own outside
        // Newton's rules.
        if (joint.child >= 0 && (run.conventions.trees_as_authored || joint.articulation >= 0))
            held[static_cast<std::size_t>(joint.child)] = true;
        for (const std::int32_t b : {joint.parent, joint.child})
            if (b >= 0) jointed[static_cast<std::size_t>(b)] = true;
    }
    const bool any_articulation = std::any_of(run.physics.articulations.begin(), run.physics.articulations.end(),
                                              [](const auto& a) { return a.valid; });
    const bool spare_jointed    = run.conventions.trees_as_authored && !any_articulation && !run.plan.loops.empty();
    // In the order in which the bodies came into the builder.
    std::vector<std::int32_t> bodies;
    for (const std::int32_t b : run.body_of)
        if (b >= 0) bodies.push_back(b);
    std::sort(bodies.begin(), bodies.end());
    for (const std::int32_t b : bodies) {
        const auto slot = static_cast<std::size_t>(b);
        // A body without mass cannot be integrated: it stays where it is, without a joint.
        if (held[slot] || (spare_jointed && jointed[slot]) || run.builder.bodies[slot].mass <= 0) continue;
        if (run.builder.bodies[slot].world != run.world) continue;
        const std::string            path = run.builder.bodies[slot].label;
        const physics::Articulation* root =
            run.physics.articulations.empty() ? nullptr : root_prim_above(run, usd::Path(path));
        const std::int32_t j = add_base_joint(run, b);
        add_articulation(run, {j}, root != nullptr ? root->path.text() : path,
                         root != nullptr && !run.conventions.single_bodies_have_no_root ? root->prim : usd::Prim{});
    }
}

/// Joints with physics:excludeFromArticulation close loops: they are constraints between bodies that the trees already
/// hold, and belong to no articulation.
void add_excluded_joints(Import& run)
{
    for (std::size_t i = 0; i < run.plan.excluded.size(); ++i)
        add_joint(run, {{run.plan.excluded[i]}, false},
                  run.conventions.world_anchors_recovered ? WorldAnchor::excluded : WorldAnchor::orphan,
                  run.plan.excluded_roots[i], true);
    if (run.conventions.joint_distances_dropped) return;
    // The distance of a PhysicsJoint is a constraint beside that of its axes.
    for (std::size_t i = 0; i < run.physics.joints.size(); ++i) {
        const physics::Joint& source = run.physics.joints[i];
        const std::int32_t    axes   = run.joint_of[i];
        if (axes < 0 || !keeps_distance(source) || keeps_distance_only(source)) continue;
        if (run.builder.joints[static_cast<std::size_t>(axes)].world != run.world) continue;
        const auto ends = joint_ends(run, source, false, WorldAnchor::orphan);
        if (!ends) continue;
        model::BuilderJoint joint;
        joint.label                   = source.path.text() + "_distance";
        joint.parent                  = ends->parent;
        joint.child                   = ends->child;
        joint.parent_xform            = ends->X_P;
        joint.child_xform             = ends->X_C;
        joint.enabled                 = source.enabled;
        joint.collision_filter_parent = false;
        fill_distance(run, source, joint);
        run.builder.add_joint(std::move(joint));
    }
}

/// The frames that Newton gives a weld of MuJoCo: a point of body1, and where it and body1's axes are held in body0.
/// X_P = (p0, q0 q1^-1), X_C = (p1, identity): the relative rotation is kept on one side, and the anchor's axes are
/// those of body1.
void hold_as_mujoco(const Import& run, const physics::Joint& source, const JointEnds& ends, model::BuilderJoint& joint)
{
    const Posed X0 = run.scaled(source.frame0), X1 = run.scaled(source.frame1);
    const Posed held{X0.p, X0.q * conjugate(X1.q)}, point{X1.p, {}};
    const bool  first_is_parent = !ends.exchanged;
    joint.parent_xform          = first_is_parent ? held : point;
    joint.child_xform           = first_is_parent ? point : held;
    // Without a parent the frame is in the world, hence the placement of the stage applies.
    if (ends.parent < 0) joint.parent_xform = run.X_WS * joint.parent_xform;
}

void add_equalities(Import& run)
{
    for (const physics::Index i : run.physics.joints_by_kind()) {
        const physics::Joint& source = run.joint(i);
        if (!physics::is_equality(source) || !usable_joint(run, i)) continue;
        const auto ends = joint_ends(run, source, false, WorldAnchor::equality);
        if (!ends) continue;
        const bool          weld = source.prim.has_api("MjcEqualityWeldAPI");
        model::BuilderJoint joint;
        joint.label                     = source.path.text();
        joint.parent                    = ends->parent;
        joint.child                     = ends->child;
        joint.parent_xform              = ends->X_P;
        joint.child_xform               = ends->X_C;
        joint.enabled                   = source.enabled;
        joint.collision_filter_parent   = run.conventions.joints_filter_bodies && ends->parent >= 0;
        joint.exclude_from_articulation = true;
        // A weld that resists no torque holds a point, as a connect does. The point is given on body0's side.
        if (weld) run.took(source.prim, "mjc:torqueScale", physics::Use::used, "zero makes the weld hold a point");
        const bool holds_point = !weld || source.prim.attribute("mjc:torqueScale").get_or<double>(1) == 0;
        joint.type             = holds_point ? model::JointType::ball : model::JointType::fixed;
        if (weld && run.conventions.welds_as_mujoco) hold_as_mujoco(run, source, *ends, joint);
        // A connect holds one point. Where the stage gives it on one side only, the other side follows from the initial
        // poses, as in MuJoCo, so that the constraint starts without error; two points, or two frames (MuJoCo's sites),
        // are pulled together.
        const bool two_points = source.prim.attribute("physics:localPos1").authored() ||
                                (!source.rel1.empty() && source.rel1 != source.frame_body1);
        if (!weld && (!two_points || run.conventions.welds_as_mujoco)) {
            const auto pose = [&](std::int32_t b) {
                return b < 0 ? Posed{} : run.builder.bodies[static_cast<std::size_t>(b)].q;
            };
            joint.child_xform.p = inverse_times(pose(ends->child), pose(ends->parent) * joint.parent_xform.p);
        }
        run.collect(source.prim);
        const std::int32_t index                      = run.builder.add_joint(std::move(joint));
        run.joint_of[static_cast<std::size_t>(i)]     = index;
        run.result.path_joint_map[source.path.text()] = index;
    }
}

}  // namespace mechane::importer
