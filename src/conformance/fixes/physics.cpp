#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/fixes/inertia.h"
#include "conformance/fixes/repair.h"
#include "conformance/mesh_shape.h"

/// P4 and P5: limits, masses, flags and materials of physics.
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

usd::Value token(const char* value) { return usd::make_value("token", usd::Token(value)); }

void fix_limits(Repair& repair, const Finding& finding)
{
    const usd::Prim joint = prim_of(repair, finding);
    if (finding.variant != "none" || !joint.is_a("PhysicsRevoluteJoint"))
        return repair.refuse("missing-limit", "the missing limit is the author's to say");
    const EditPlace at = repair.place(joint, "physics:lowerLimit");
    repair.set(at, "physics:lowerLimit", "float", number_value("float", -kInfinity));
    repair.set(at, "physics:upperLimit", "float", number_value("float", kInfinity));
}

void fix_relations(Repair& repair, const Finding& finding)
{
    if (finding.variant == "not-finite")
        return repair.refuse("bad-frame", "where the joint is in its body is the author's to say");
    if (finding.variant != "non-unit-quaternion")
        return repair.refuse("dangling-relationship", "which bodies the joint holds is the author's to say");
    const usd::Prim joint = prim_of(repair, finding);
    const auto      q     = joint.attribute(finding.site.property).authored_as<Quatd>();
    if (!q || !(dot(*q, *q) > 0)) return repair.refuse("bad-frame", "a zero quaternion has no direction");
    repair.set(joint, finding.site.property, "quatf", usd::make_value("quatf", normalized(*q)));
}

void fix_kinematic(Repair& repair, const Finding& finding)
{
    const usd::Prim body  = prim_of(repair, finding);
    const auto      index = repair.facts.physics.body_at(body.path());
    for (const physics::Joint& joint : repair.facts.physics.joints)
        if (index >= 0 && (joint.body0 == index || joint.body1 == index) && repair.facts.is_tree_joint(joint))
            return repair.refuse("driven-by-joint", "a joint moves the body as well: which of the two is meant?");
    if (!repair.unsafe("the animated body becomes kinematic")) return;
    repair.set(body, "physics:kinematicEnabled", "bool", usd::make_value("bool", true));
}

void fix_frame_body(Repair& repair, const Finding& finding)
{
    const usd::Prim body = prim_of(repair, finding);
    if (!repair.facts.find(body.path())->is(kFrame))
        return repair.refuse("frame-by-name", "the prim may be meant as a link; apply RosFrameAPI if it is a frame");
    if (!repair.unsafe("the rigid body of a frame is removed")) return;
    const auto index = repair.facts.physics.body_at(body.path());
    for (const physics::Joint& joint : repair.facts.physics.joints) {
        if (index < 0 || (joint.body0 != index && joint.body1 != index)) continue;
        if (joint.kind != physics::JointKind::fixed)
            return repair.refuse("moving-frame", "the frame hangs on a movable joint");
        repair.set_field(repair.field_place(joint.prim, "active"), "active", usd::make_value("bool", false));
    }
    for (const char* api : {"PhysicsRigidBodyAPI", "PhysicsMassAPI"})
        if (body.has_api(api)) repair.remove_api(body, api);
}

void write_inertia(Repair& repair, const usd::Prim& body, const Principal& inertia)
{
    const EditPlace at = repair.place(body, "physics:diagonalInertia");
    repair.apply_api(at, "PhysicsMassAPI");
    repair.set(at, "physics:diagonalInertia", "float3", usd::make_value("float3", inertia.diagonal));
    repair.set(at, "physics:principalAxes", "quatf", usd::make_value("quatf", inertia.axes));
}

void fix_inertia(Repair& repair, const Finding& finding)
{
    const usd::Prim body     = prim_of(repair, finding);
    const auto      diagonal = body.attribute("physics:diagonalInertia").authored_as<Vec3d>();
    if (finding.variant == "not-finite" || (diagonal && !is_finite(*diagonal)))
        return repair.refuse("bad-inertia", "an inertia that is no number is the author's to say");
    if (finding.variant == "non-unit-quaternion") {
        const Quatd q = body.attribute("physics:principalAxes").authored_as<Quatd>().value_or(Quatd{});
        repair.set(body, "physics:principalAxes", "quatf", usd::make_value("quatf", normalized(q)));
        return;
    }
    // An inertia of zero is computed, as without the opinion. Axes beside it turn what is computed.
    const auto q     = body.attribute("physics:principalAxes").authored_as<Quatd>();
    const bool turns = q && dot(*q, *q) > 0;
    if (finding.variant == "zero") {
        repair.erase(body, "physics:diagonalInertia");
        if (q && !turns) repair.erase(body, "physics:principalAxes");
        return;
    }
    if (finding.variant == "half") {
        if (diagonal) {  // unauthored axes mean the body's own
            repair.set(body, "physics:principalAxes", "quatf", usd::make_value("quatf", Quatd{0, 0, 0, 1}));
            return;
        }
        if (turns && !repair.unsafe("the axes that turn the computed inertia are removed")) return;
        repair.erase(body, "physics:principalAxes");
        return;
    }
    if (!repair.unsafe("the inertia becomes the nearest one that a body can have")) return;
    const Quatd axes = body.attribute("physics:principalAxes").authored_as<Quatd>().value_or(Quatd{0, 0, 0, 1});
    write_inertia(repair, body, {nearest_valid_inertia(diagonal.value_or(Vec3d{})), axes});
}

/// An inertia that another program's attribute holds: as a matrix, where it can be read.
void fix_custom_inertia(Repair& repair, const Finding& finding)
{
    const usd::Prim             prim = prim_of(repair, finding);
    std::vector<usd::Token>     sources;
    const std::optional<Mat33d> tensor = custom_inertia(prim, finding.site.property, sources);
    if (!tensor) return repair.refuse("bad-inertia", "the values are no symmetric inertia");
    const Vec3d moments = principal_of(*tensor).diagonal;
    if (std::min({moments.x, moments.y, moments.z}) <
        -1e-6 * max_component(abs(moments)))  // rounding of the six numbers apart
        return repair.refuse("bad-inertia", "the values are no inertia that a body can have: one moment is negative");
    const auto diagonal = prim.attribute("physics:diagonalInertia").authored_as<Vec3d>();
    const auto axes     = prim.attribute("physics:principalAxes").authored_as<Quatd>();
    if (diagonal && length(*diagonal) > 0) {
        const Mat33d own =
            tensor_of({*diagonal, axes && dot(*axes, *axes) > 0 ? normalized(*axes) : Quatd{0, 0, 0, 1}});
        const double off = relative_difference(own, *tensor);
        if (off > 1e-4)
            return repair.refuse("bad-inertia", "it differs from physics:diagonalInertia; which one is right?");
        // The same with fewer digits: what was simulated is kept.
        if (off > 1e-7) write_inertia(repair, prim, principal_of(*tensor));
    } else {
        write_inertia(repair, prim, principal_of(*tensor));
    }
    for (const usd::Token& name : sources) repair.erase(prim, name);
    if (prim.has_api("NewtonMassAPI")) repair.remove_api(prim, "NewtonMassAPI");
}

void fix_purpose(Repair& repair, const Finding& finding)
{
    if (finding.variant == "shared-visual")
        return repair.refuse("shared-visual", "the collider is all that is seen there: it needs a visual first");
    const usd::Prim    prim  = prim_of(repair, finding);
    const Facts&       facts = repair.facts;
    const std::int32_t here  = facts.index_of(prim);
    for (std::int32_t i = here + 1; here >= 0 && i < facts.prims[static_cast<std::size_t>(here)].end; ++i)
        if (const PrimFacts& below = facts.prims[static_cast<std::size_t>(i)];
            below.is(kGprim) && !below.is(kCollider) && facts.stage.purpose(below.prim) == usd::Token("default"))
            return repair.refuse("shared-visual", below.prim.path().text() + " lies below and would be hidden too");
    repair.set(prim, "purpose", "token", token("guide"), true);
}

void fix_approximation(Repair& repair, const Finding& finding)
{
    const usd::Prim mesh = prim_of(repair, finding);
    if (finding.variant != "absent")
        return repair.refuse("fidelity", "another approximation changes what collides; choose it, or add a variant");
    const auto c       = repair.facts.physics.collider_at(mesh.path());
    const bool dynamic = c >= 0 && repair.facts.physics.colliders[static_cast<std::size_t>(c)].body >= 0;
    // Unauthored means the triangles themselves; saying so changes nothing.
    const char* value = "none";
    if (dynamic && !is_convex_mesh(mesh)) {
        if (!repair.unsafe("the mesh collides as its convex hull")) return;
        value = "convexHull";
    }
    const EditPlace at = repair.place(mesh, "physics:approximation");
    repair.apply_api(at, "PhysicsMeshCollisionAPI");
    repair.set(at, "physics:approximation", "token", token(value), true);
}

void fix_material_api(Repair& repair, const Finding& finding)
{
    const usd::Prim material = prim_of(repair, finding);
    if (!material.is_a("Material")) return repair.refuse("not-a-material", "what is bound is no Material");
    if (!repair.unsafe("with the schema the material's values come into force, zero where nothing is authored")) return;
    repair.apply_api(repair.place(material, "physics:staticFriction"), "PhysicsMaterialAPI");
}

/// Unauthored coefficients mean their fallback, zero.
void fix_material_values(Repair& repair, const Finding& finding)
{
    if (finding.variant != "missing") return repair.refuse("contact-values", "the values are the author's to say");
    const usd::Prim material = prim_of(repair, finding);
    for (const char* name : {"physics:staticFriction", "physics:dynamicFriction", "physics:restitution"})
        if (!material.attribute(name).authored())
            repair.set(material, name, "float", number_value("float", material.attribute(name).get_or<double>(0)));
}

/// A material of usual values for colliders that have none.
void fix_binding(Repair& repair, const Finding& finding)
{
    if (!repair.unsafe("the collider gets a material of usual friction (0.5)")) return;
    const usd::Prim root = repair.facts.stage.default_prim();
    const usd::Prim prim = prim_of(repair, finding);
    if (!root && repair.edits() > 0) return repair.defer();  // this pass may have named one
    if (!root || !prim.path().has_prefix(root.path()))
        return repair.refuse("no-default-prim", "there is no default prim to keep the material");
    const usd::Path scope = root.path().child("PhysicsMaterials"), material = scope.child("default_contact");
    EditPlace       at = repair.own_place(root);
    const EditPlace made{at.layer, at.file, at.path.child("PhysicsMaterials").child("default_contact")};
    if (!repair.facts.stage.prim_at(material) && made.layer->kind(made.path) == usd::SpecKind::none) {
        repair.define({at.layer, at.file, made.path.parent()}, "Scope");
        repair.define(made, "Material");
        repair.apply_api(made, "PhysicsMaterialAPI");
        repair.set(made, "physics:staticFriction", "float", number_value("float", 0.5));
        repair.set(made, "physics:dynamicFriction", "float", number_value("float", 0.5));
        repair.set(made, "physics:restitution", "float", number_value("float", 0));
    }
    const EditPlace on = repair.own_place(prim, "material:binding:physics");
    if (!on) return repair.refuse("instance", "the collider lies inside an instance");
    repair.apply_api(on, "MaterialBindingAPI");
    repair.set_stage_targets(prim, on, "material:binding:physics", {material});
}

/// True when colliders without a body lie at, above or below a prim: a joint that names it keeps them from colliding
/// with its other side.
bool holds_static_collider(const Facts& facts, const usd::Prim& prim)
{
    const std::int32_t here = facts.index_of(prim);
    if (here < 0) return false;
    if (facts.nearest(here, kCollider) != nullptr) return true;
    for (std::int32_t i = here; i < facts.prims[static_cast<std::size_t>(here)].end; ++i)
        if (facts.prims[static_cast<std::size_t>(i)].is(kCollider) && facts.nearest(i, kBody) == nullptr) return true;
    return false;
}

void fix_anchor(Repair& repair, const Finding& finding)
{
    const usd::Prim joint = prim_of(repair, finding);
    if (finding.variant != "target") return repair.refuse("reversed", "the joint's direction is the author's to say");
    // The frame was given in the target's; without target it is the world's.
    const auto      target = joint.relationship("physics:body0").targets();
    const usd::Prim prim   = target.empty() ? usd::Prim() : repair.facts.stage.prim_at(target.front());
    if (!prim) return repair.refuse("dangling-relationship", "the target does not exist");
    if (holds_static_collider(repair.facts, prim) &&
        !repair.unsafe("without its target the joint no longer keeps the colliders there from touching the link"))
        return;
    const usd::Matrix4d world = repair.facts.stage.world_matrix(prim);
    const Vec3d p = usd::transform_point(world, joint.attribute("physics:localPos0").get<Vec3d>().value_or(Vec3d{}));
    const Quatd q =
        usd::decompose(world).rotation * joint.attribute("physics:localRot0").get<Quatd>().value_or(Quatd{0, 0, 0, 1});
    repair.set(joint, "physics:localPos0", "point3f", usd::make_value("point3f", p));
    repair.set(joint, "physics:localRot0", "quatf", usd::make_value("quatf", normalized(q)));
    repair.set_targets(repair.place(joint, "physics:body0"), "physics:body0", {});
}

void fix_roots(Repair& repair, const Finding&)
{
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

void fix_needs_author(Repair& repair, const Finding&)
{ repair.refuse("missing-mass", "the mass of a part is the author's to say"); }

constexpr std::array kRepairs{RepairOf{"REP-1.3-b", Phase::transforms, fix_relations},
                              RepairOf{"REP-1.3-d", Phase::variants, fix_limits},
                              RepairOf{"REP-1.3-f", Phase::metadata, fix_roots},
                              RepairOf{"REP-1.3-l", Phase::metadata, fix_needs_author},
                              RepairOf{"REP-1.3-m", Phase::metadata, fix_needs_author},
                              RepairOf{"REP-1.3-o", Phase::metadata, fix_anchor},
                              RepairOf{"REP-1.3-p", Phase::metadata, fix_kinematic},
                              RepairOf{"REP-1.3-q", Phase::metadata, fix_frame_body},
                              RepairOf{"REP-1.3-r", Phase::metadata, fix_inertia},
                              RepairOf{"REP-1.3-s", Phase::schemas, fix_custom_inertia},
                              RepairOf{"REP-1.3.1-a", Phase::metadata, fix_purpose},
                              RepairOf{"REP-1.3.1-b", Phase::metadata, fix_approximation},
                              RepairOf{"REP-1.3.4-a", Phase::metadata, fix_binding},
                              RepairOf{"REP-1.3.4-b", Phase::metadata, fix_material_api},
                              RepairOf{"REP-1.3.4-c", Phase::metadata, fix_material_values}};

}  // namespace

std::span<const RepairOf> physics_repairs() { return kRepairs; }

}  // namespace mechane::conformance
