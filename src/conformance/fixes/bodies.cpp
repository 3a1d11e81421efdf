// Repairs of joints and the bodies that they hold (phases P4 and P5): frames, limits, anchors, roots, loops.
// Frames are localPos and localRot in the space of each side's body, including its scale for positions.
// Invariants: bodies stay where they are; a joint keeps the sense of its coordinate, so limits and drives keep their
// meaning. What would change the simulation needs --unsafe; what is the author's to say is refused.
// Called by Fixer.

#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/fixes/repair.h"
#include "conformance/loop_cut.h"

/// P4 and P5: joints and the bodies that they hold.
namespace mechane::conformance {
namespace {

using usd::make_value;

const usd::Token kRel0("physics:body0"), kRel1("physics:body1"), kPos0("physics:localPos0"), kPos1("physics:localPos1"),
    kRot0("physics:localRot0"), kRot1("physics:localRot1"), kKinematicEnabled("physics:kinematicEnabled");

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

const physics::Joint* joint_at(const Repair& repair, const usd::Prim& prim)
{
    for (const physics::Joint& joint : repair.facts.physics.joints)
        if (joint.path == prim.path()) return &joint;
    return nullptr;
}

Vec3d position(const usd::Prim& joint, const usd::Token& name)
{ return joint.attribute(name).get<Vec3d>().value_or(Vec3d{}); }

Quatd rotation(const usd::Prim& joint, const usd::Token& name)
{
    const Quatd q = joint.attribute(name).get<Quatd>().value_or(Quatd{0, 0, 0, 1});
    return dot(q, q) > 0 ? normalized(q) : Quatd{0, 0, 0, 1};
}

void write_frame(Repair& repair, const usd::Prim& joint, int side, const Vec3d& p, const Quatd& q)
{
    repair.set(joint, side == 0 ? kPos0 : kPos1, "point3f", make_value("point3f", p));
    repair.set(joint, side == 0 ? kRot0 : kRot1, "quatf", make_value("quatf", normalized(q)));
}

void write_targets(Repair& repair, const usd::Prim& prim, const usd::Token& name, const std::vector<usd::Path>& targets)
{
    const EditPlace at = repair.place(prim, name);
    if (!at) return repair.refuse("external-layer", "no layer of the asset has an opinion about the prim");
    repair.set_stage_targets(prim, at, name, targets);
}

// -- limits and relationships

void fix_limits(Repair& repair, const Finding& finding)
{
    const usd::Prim joint = prim_of(repair, finding);
    if (finding.variant != "none" || !joint.is_a("PhysicsRevoluteJoint"))
        return repair.refuse("missing-limit", "the author must choose the missing limit");
    const EditPlace at = repair.place(joint, "physics:lowerLimit");
    repair.set(at, "physics:lowerLimit", "float", number_value("float", -kInfinity));
    repair.set(at, "physics:upperLimit", "float", number_value("float", kInfinity));
}

void fix_relations(Repair& repair, const Finding& finding)
{
    if (finding.variant == "not-finite")
        return repair.refuse("bad-frame", "the author must decide where the joint is in its body");
    if (finding.variant != "non-unit-quaternion")
        return repair.refuse("dangling-relationship", "the author must decide which bodies the joint holds");
    const usd::Prim joint = prim_of(repair, finding);
    const auto      q     = joint.attribute(finding.site.property).authored_as<Quatd>();
    if (!q || !(dot(*q, *q) > 0)) return repair.refuse("bad-frame", "a zero quaternion has no direction");
    repair.set(joint, finding.site.property, "quatf", make_value("quatf", normalized(*q)));
}

// -- anchors

/// Colliders without a body, at or below a prim: a joint that names it keeps them from colliding with its other side.
std::vector<usd::Path> static_colliders(const Facts& facts, const usd::Path& target)
{
    std::vector<usd::Path> found;
    for (const physics::Collider& collider : facts.physics.colliders)
        if (collider.body < 0 && collider.path.has_prefix(target)) found.push_back(collider.path);
    return found;
}

/// The body keeps from touching what it was kept from by naming it in a joint.
bool keep_apart(Repair& repair, const usd::Prim& body, const std::vector<usd::Path>& others)
{
    const usd::Token       name("physics:filteredPairs");
    const EditPlace        at      = repair.own_place(body, name);
    std::vector<usd::Path> targets = body.relationship(name).targets();
    for (const usd::Path& other : others)
        if (std::find(targets.begin(), targets.end(), other) == targets.end()) targets.push_back(other);
    return repair.apply_api(at, "PhysicsFilteredPairsAPI") && repair.set_stage_targets(body, at, name, targets);
}

/// Where a side's frame is in the stage.
/// Positions go through the whole matrix of the body and rotations only through its rotation, as UsdPhysics has them.
std::pair<Vec3d, Quatd> frame_in_stage(const Repair& repair, const usd::Prim& joint, const usd::Token& rel,
                                       const usd::Token& pos, const usd::Token& rot)
{
    const auto      targets = joint.relationship(rel).targets();
    const usd::Prim body    = targets.empty() ? usd::Prim() : repair.facts.stage.prim_at(targets.front());
    if (!body) return {position(joint, pos), rotation(joint, rot)};
    const usd::Matrix4d world = repair.facts.stage.world_matrix(body);
    return {usd::transform_point(world, position(joint, pos)), usd::decompose(world).rotation * rotation(joint, rot)};
}

/// Whether the two frames are where the joint lets them be. Where they are not, a reader moves one of the bodies, and
/// which one depends on the joint's sides.
bool sides_meet(const Repair& repair, const usd::Prim& joint, const physics::Joint& known)
{
    constexpr double kAngle = 1e-3;                                                  // [rad]
    const double kDistance  = 1e-3 / repair.facts.stage.metadata().meters_per_unit;  // a millimetre, as importers allow
    const auto [p0, q0]     = frame_in_stage(repair, joint, kRel0, kPos0, kRot0);
    const auto [p1, q1]     = frame_in_stage(repair, joint, kRel1, kPos1, kRot1);
    const Vec3d own         = known.axis == physics::Axis::x   ? Vec3d{1, 0, 0}
                              : known.axis == physics::Axis::y ? Vec3d{0, 1, 0}
                                                               : Vec3d{0, 0, 1};
    const Vec3d axis        = rotate(q0, own);
    Vec3d       gap         = p1 - p0;
    if (known.kind == physics::JointKind::prismatic) gap = gap - axis * dot(gap, axis);
    if (known.kind != physics::JointKind::distance && dot(gap, gap) > kDistance * kDistance) return false;
    const bool one_axis = known.kind == physics::JointKind::revolute || known.kind == physics::JointKind::prismatic;
    // The cosine of a small angle differs from 1 by half its square.
    if (one_axis && dot(axis, rotate(q1, own)) < 1 - kAngle * kAngle) return false;
    const bool   free = known.kind == physics::JointKind::spherical || known.kind == physics::JointKind::distance ||
                        known.kind == physics::JointKind::revolute;
    const double same = dot(q0, q1);
    return free || std::abs(same) > 1 - kAngle * kAngle;
}

/// The frame was given in the target's space; without target it is the world's.
void drop_target(Repair& repair, const usd::Prim& joint)
{
    const auto      target = joint.relationship(kRel0).targets();
    const usd::Prim prim   = target.empty() ? usd::Prim() : repair.facts.stage.prim_at(target.front());
    if (!prim) return repair.refuse("dangling-relationship", "the target does not exist");
    const physics::Joint* known = joint_at(repair, joint);
    if (known != nullptr && !sides_meet(repair, joint, *known))
        return repair.refuse("reversed", "the joint's frames do not meet; which body moves depends on its sides");
    const auto apart = known != nullptr && known->enabled && !known->collision_enabled
                           ? static_colliders(repair.facts, prim.path())
                           : std::vector<usd::Path>();
    if (!apart.empty()) {
        if (known->body1 < 0) return repair.refuse("reversed", "the author must choose the joint's direction");
        const usd::Prim body = repair.facts.physics.bodies[static_cast<std::size_t>(known->body1)].prim;
        if (!keep_apart(repair, body, apart)) return;
    }
    const usd::Matrix4d world = repair.facts.stage.world_matrix(prim);
    write_frame(repair, joint, 0, usd::transform_point(world, position(joint, kPos0)),
                usd::decompose(world).rotation * rotation(joint, kRot0));
    write_targets(repair, joint, kRel0, {});
}

/// True when the two sides may change places once both frames have made half a turn about an axis across the joint's:
/// its coordinate keeps its sign, and with it limits, drives and followers their meaning.
bool can_turn_round(const physics::Joint& joint)
{
    const auto fixed_d6 = [&] {
        return std::ranges::count_if(joint.limits, [](const physics::Limit& limit) {
                   return limit.locked && limit.dof != physics::Dof::distance;
               }) == 6;
    };
    switch (joint.kind) {
        case physics::JointKind::fixed:
        case physics::JointKind::revolute:
        case physics::JointKind::prismatic:
        case physics::JointKind::distance:
            return true;
        case physics::JointKind::spherical:
            return !joint.cone_enabled;
        case physics::JointKind::d6:
            return fixed_d6();
        case physics::JointKind::custom:
            return false;
    }
    return false;
}

/// Half a turn about an axis across the joint's own.
/// With both frames turned by half a turn about a perpendicular axis, the exchange of the sides leaves the axis'
/// direction in the world reversed and with it the coordinate unchanged.
Quatd turned_round(const physics::Joint& joint)
{
    if (joint.kind != physics::JointKind::revolute && joint.kind != physics::JointKind::prismatic) return {0, 0, 0, 1};
    return joint.axis == physics::Axis::x ? Quatd{0, 0, 1, 0} : Quatd{1, 0, 0, 0};
}

void swap_sides(Repair& repair, const usd::Prim& joint)
{
    const physics::Joint* known = joint_at(repair, joint);
    if (known == nullptr || !can_turn_round(*known))
        return repair.refuse("reversed", "a joint of several axes cannot be turned round; write it the other way");
    for (const usd::Token* name : {&kPos0, &kPos1, &kRot0, &kRot1})
        if (joint.attribute(*name).varying())
            return repair.refuse("reversed", "the joint's frames change over time; write it the other way");
    if (!sides_meet(repair, joint, *known))
        return repair.refuse("reversed", "the joint's frames do not meet; which body moves depends on its sides");
    const Quatd turn = turned_round(*known);
    const Vec3d p0 = position(joint, kPos0), p1 = position(joint, kPos1);
    const Quatd q0 = rotation(joint, kRot0) * turn, q1 = rotation(joint, kRot1) * turn;
    const auto  rel0 = joint.relationship(kRel0).targets(), rel1 = joint.relationship(kRel1).targets();
    write_targets(repair, joint, kRel0, rel1);
    write_targets(repair, joint, kRel1, rel0);
    write_frame(repair, joint, 0, p1, q1);
    write_frame(repair, joint, 1, p0, q0);
    // Other repairs of this pass still see the old sides.
    repair.reversed.insert(joint.path().text());
}

/// Whether something moves the prim over time: itself, or what stands above it.
bool is_animated(usd::Prim prim)
{
    for (; prim && !prim.path().is_root(); prim = prim.parent())
        for (const usd::Token& name : prim.authored_property_names())
            if (name.text().starts_with("xformOp:") && prim.attribute(name).varying()) return true;
    return false;
}

/// A base that is kinematic to hold the robot is held by a joint to the world instead, where it stands.
void anchor_base(Repair& repair, const usd::Prim& body)
{
    if (is_animated(body)) return repair.refuse("driven-body", "the base is animated; which of the two is meant?");
    if (body.attribute(kKinematicEnabled).varying())
        return repair.refuse("driven-body", "whether the base is kinematic changes over time");
    // Held by a joint already, it need not be kinematic as well.
    const auto index = repair.facts.physics.body_at(body.path());
    const bool held  = std::ranges::any_of(repair.facts.physics.joints, [&](const physics::Joint& joint) {
        const bool here  = index >= 0 && (joint.body0 == index || joint.body1 == index);
        const bool world = joint.body0 < 0 || joint.body1 < 0;
        return here && world && joint.enabled && joint.kind == physics::JointKind::fixed;
    });
    // As a kinematic body it does not move by these, and held by a joint it has no use for them.
    const auto let_go = [&] {
        repair.set(body, kKinematicEnabled, "bool", make_value("bool", false));
        for (const char* name : {"physics:velocity", "physics:angularVelocity"})
            if (body.attribute(name).authored()) repair.erase(body, name);
    };
    if (held) return let_go();
    const bool      below = body == repair.facts.stage.default_prim() || body.path().parent().is_root();
    const EditPlace own   = repair.own_place(body);
    if (!own) return repair.refuse("instance", "the base lies inside an instance");
    const usd::Path parent = below ? body.path() : body.path().parent();
    std::string     name   = below ? "anchor" : body.name().text() + "_anchor";
    while (repair.facts.stage.prim_at(parent.child(name))) name += "_1";
    const EditPlace          at{own.layer, own.file, (below ? own.path : own.path.parent()).child(name)};
    const usd::Path          base = own.path.text() == body.path().text() ? body.path() : usd::Path();
    const usd::Decomposition here = usd::decompose(repair.facts.stage.world_matrix(body));
    if (here.singular) return repair.refuse("singular", "where the base stands is not to be told");
    // A layer that an arc brings in has names of its own, and may stand anywhere: the anchor is the entry's then.
    EditPlace joint = at;
    if (base.empty()) joint = {repair.root().layer, repair.root().file, parent.child(name)};
    repair.define(joint, "PhysicsFixedJoint");
    if (!repair.set_targets(joint, kRel1, {body.path()})) return;
    repair.set(joint, kPos0, "point3f", make_value("point3f", here.translation));
    repair.set(joint, kRot0, "quatf", make_value("quatf", here.rotation));
    let_go();
}

void fix_anchor(Repair& repair, const Finding& finding)
{
    const usd::Prim prim = prim_of(repair, finding);
    if (finding.variant == "target") return drop_target(repair, prim);
    if (finding.variant == "reversed") return swap_sides(repair, prim);
    if (finding.variant == "kinematic") return anchor_base(repair, prim);
    repair.refuse("anchor", "the author must decide how the base is held");
}

// -- bodies

void fix_kinematic(Repair& repair, const Finding& finding)
{
    const usd::Prim body  = prim_of(repair, finding);
    const auto      index = repair.facts.physics.body_at(body.path());
    for (const physics::Joint& joint : repair.facts.physics.joints)
        if (index >= 0 && (joint.body0 == index || joint.body1 == index) && repair.facts.is_tree_joint(joint))
            return repair.refuse("driven-by-joint", "a joint moves the body as well: which of the two is meant?");
    repair.set(body, kKinematicEnabled, "bool", make_value("bool", true));
}

bool named_like_a_frame(const std::string& name)
{ return name.ends_with("_frame") || name.ends_with("_optical") || name.ends_with("_footprint"); }

/// The body of a coordinate frame goes, and the joint that held it; the frame stays where it is.
void fix_frame_body(Repair& repair, const Finding& finding)
{
    const usd::Prim body  = prim_of(repair, finding);
    const Facts&    facts = repair.facts;
    const bool      frame = facts.find(body.path()) != nullptr && facts.find(body.path())->is(kFrame);
    if (!frame && !named_like_a_frame(body.name().text()) &&
        !repair.unsafe("the prim may be meant as a link; as a frame it is no rigid body"))
        return;
    const auto            index = facts.physics.body_at(body.path());
    const physics::Joint* held  = nullptr;
    for (const physics::Joint& joint : facts.physics.joints) {
        if (index < 0 || (joint.body0 != index && joint.body1 != index)) continue;
        if (joint.kind != physics::JointKind::fixed || held != nullptr)
            return repair.refuse("moving-frame", held != nullptr ? "several joints name the frame"
                                                                 : "the frame hangs on a movable joint");
        held = &joint;
    }
    // A frame moves with what is above it, and no longer with the link that held it.
    if (const auto other = held == nullptr ? -1 : held->body0 == index ? held->body1 : held->body0; other >= 0) {
        const usd::Path& link = facts.physics.bodies[static_cast<std::size_t>(other)].path;
        if (!body.path().has_prefix(link) &&
            !repair.unsafe("the frame would no longer follow " + link.text() + "; move it below that link first"))
            return;
    }
    if (held != nullptr) {
        // The root of the articulation goes with its joint; the link on the other side takes its place.
        const usd::Token root("PhysicsArticulationRootAPI");
        const auto       rest = held->body0 == index ? held->body1 : held->body0;
        if (held->prim.has_api(root)) {
            if (rest < 0) return repair.refuse("moving-frame", "the frame anchors the articulation to the world");
            repair.apply_api(repair.own_place(facts.physics.bodies[static_cast<std::size_t>(rest)].prim), root);
        }
        repair.set_field(repair.field_place(held->prim, "active"), "active", make_value("bool", false));
    }
    for (const char* api : {"PhysicsRigidBodyAPI", "PhysicsMassAPI"})
        if (body.has_api(api)) repair.remove_api(body, api);
    for (const usd::Token& name : body.authored_property_names())
        if (name.text().starts_with("physics:")) repair.erase(body, name);
    // Without a context nobody would publish the frame.
    const PrimFacts* known = facts.find(body.path());
    if (!frame && known != nullptr && (known->is(kContext) || facts.nearest(known->parent, kContext) != nullptr))
        repair.apply_api(repair.place(body, "ros:frame:id"), "RosFrameAPI");
    if (held == nullptr) return;
    const auto other = held->body0 == index ? held->body1 : held->body0;
    if (other < 0) return;
    const usd::Path& link = facts.physics.bodies[static_cast<std::size_t>(other)].path;
    if (!body.path().has_prefix(link))
        repair.remark("reparenting", "the frame no longer follows " + link.text() + "; move it below that link");
}

// -- trees

void fix_roots(Repair& repair, const Finding& finding)
{
    if (finding.variant == "shared")
        return repair.refuse("shared-root", "the author must decide which trees belong together");
    if (!repair.unsafe("all but one articulation root of a tree are removed")) return;
    for (const KinematicTree& tree : repair.facts.trees) {
        if (tree.roots.size() < 2) continue;
        // The one nearest the base stays: the shortest path, the first of equals.
        const auto depth = [&](std::int32_t i) {
            return std::ranges::count(repair.facts.prims[static_cast<std::size_t>(i)].prim.path().text(), '/');
        };
        std::int32_t keep = tree.roots.front();
        for (const std::int32_t root : tree.roots)
            if (depth(root) < depth(keep)) keep = root;
        for (const std::int32_t root : tree.roots)
            if (root != keep)
                repair.remove_api(repair.facts.prims[static_cast<std::size_t>(root)].prim,
                                  "PhysicsArticulationRootAPI");
    }
}

void exclude(Repair& repair, const usd::Prim& joint)
{ repair.set(joint, "physics:excludeFromArticulation", "bool", make_value("bool", true)); }

void cut_loop(Repair& repair, const Finding& finding)
{
    if (!repair.unsafe("the joint is excluded from the articulation")) return;
    exclude(repair, prim_of(repair, finding));
}

/// Of the joints that end on one link all but one are excluded: the one that is worth least to cut stays.
void cut_second_parent(Repair& repair, const Finding& finding)
{
    if (!repair.unsafe("the joint that most likely closes the loop is excluded from the articulation")) return;
    const auto                         body = repair.facts.physics.body_at(usd::Path(finding.site.prim));
    std::vector<const physics::Joint*> joints;
    for (const physics::Joint& joint : repair.facts.physics.joints)
        if (body >= 0 && joint.body1 == body && repair.facts.is_tree_joint(joint)) joints.push_back(&joint);
    if (joints.size() < 2) return repair.refuse("loop-choice", "the author must decide which joint closes the loop");
    std::ranges::stable_sort(joints, [](const auto* a, const auto* b) {
        return std::pair(-cut_rank(*a), a->path.text()) < std::pair(-cut_rank(*b), b->path.text());
    });
    for (std::size_t i = 1; i < joints.size(); ++i) exclude(repair, joints[i]->prim);
}

/// The base is the link that no tree joint ends on.
void add_root(Repair& repair, const Finding& finding)
{
    if (!repair.unsafe("the tree becomes an articulation")) return;
    const auto first = repair.facts.physics.body_at(usd::Path(finding.site.prim));
    for (const KinematicTree& tree : repair.facts.trees) {
        if (std::ranges::find(tree.bodies, first) == tree.bodies.end()) continue;
        const auto joint_of = [&](physics::Index j) -> const physics::Joint& {
            return repair.facts.physics.joints[static_cast<std::size_t>(j)];
        };
        for (const physics::Index j : tree.world_joints)
            return void(repair.apply_api(repair.own_place(joint_of(j).prim), "PhysicsArticulationRootAPI"));
        for (const physics::Index body : tree.bodies)
            if (std::ranges::none_of(tree.joints, [&](physics::Index j) { return joint_of(j).body1 == body; }))
                return void(
                    repair.apply_api(repair.own_place(repair.facts.physics.bodies[static_cast<std::size_t>(body)].prim),
                                     "PhysicsArticulationRootAPI"));
    }
    repair.refuse("no-base", "no link of the tree is its base");
}

/// A list that replaces the weaker ones deletes what it hides instead; what is composed stays.
void fix_pruned(Repair& repair, const Finding& finding)
{
    if (repair.work.has_overlay())
        return repair.refuse("overlay", "an overriding layer cannot change the list below it");
    if (repair.edits() > 0) return repair.defer();
    if (repair.attempt > 0) return repair.refuse("would-change", "other schemas would be applied");
    const usd::Prim         prim  = prim_of(repair, finding);
    usd::Layer*             layer = nullptr;
    usd::SpecPlace          place;
    std::vector<usd::Token> listed, weaker;
    for (const usd::SpecPlace& at : usd::spec_places(prim)) {
        usd::Layer* other = repair.work.layer(at.layer);
        if (other == nullptr) return repair.refuse("external-layer", "a schema is applied outside the asset");
        const auto names = other->apis(at.path);
        if (layer != nullptr)
            weaker.insert(weaker.end(), names.begin(), names.end());
        else if (other->replaces_apis(at.path))
            layer = other, place = at, listed = names;
    }
    if (layer == nullptr) return repair.refuse("external-layer", "the list is authored outside the asset");
    static_cast<void>(layer->clear_field(place.path, "apiSchemas"));
    std::string before, after;
    for (const usd::Token& name : listed) {
        before += (before.empty() ? "" : ", ") + name.text();
        static_cast<void>(layer->apply_api(place.path, name));
    }
    for (const usd::Token& name : weaker) {
        if (std::ranges::find(listed, name) != listed.end()) continue;
        after += (after.empty() ? "delete " : ", ") + name.text();
        static_cast<void>(layer->remove_api(place.path, name, true));
    }
    repair.note(place.layer, place.path, "apiSchemas", before, after);
    repair.rearrange();
}

constexpr std::array kRepairs{
    RepairOf{"REP-1.3-h", Phase::metadata, fix_pruned},      RepairOf{"REP-1.3-g", Phase::metadata, add_root},
    RepairOf{"REP-1.3-i", Phase::metadata, cut_loop},        RepairOf{"REP-1.3-j", Phase::metadata, cut_second_parent},
    RepairOf{"REP-1.3-b", Phase::transforms, fix_relations}, RepairOf{"REP-1.3-d", Phase::variants, fix_limits},
    RepairOf{"REP-1.3-f", Phase::metadata, fix_roots},       RepairOf{"REP-1.3-o", Phase::metadata, fix_anchor},
    RepairOf{"REP-1.3-p", Phase::metadata, fix_kinematic},   RepairOf{"REP-1.3-q", Phase::metadata, fix_frame_body}};

}  // namespace

std::span<const RepairOf> body_repairs() { return kRepairs; }

}  // namespace mechane::conformance
