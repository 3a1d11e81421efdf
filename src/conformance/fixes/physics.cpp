// Repairs of masses, inertias, colliders and contact materials (phase P5).
// What follows from authored values is written; what has to be chosen needs --unsafe; a mass is never invented.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "conformance/fixes/inertia.h"
#include "conformance/fixes/repair.h"
#include "conformance/mesh_shape.h"

/// P5: masses, colliders and materials of physics.
/// Values that follow from the asset are written; those that must be chosen (a friction, a hull) need --unsafe; a mass
/// is never invented.
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

constexpr double kUnboundFriction = 1;  // of a collider without a material; it does not bounce

usd::Value token(const char* value) { return usd::make_value("token", usd::Token(value)); }

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
        return repair.refuse("bad-inertia", "the inertia is not a number; the author must choose it");
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
    if (!is_possible(principal_of(*tensor).diagonal))
        return repair.refuse("bad-inertia", "the values are no inertia that a body can have");
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
    const usd::Prim mesh    = prim_of(repair, finding);
    const bool      unknown = finding.variant == "unknown";
    if (finding.variant != "absent" && !unknown)
        return repair.refuse("fidelity", "another approximation changes what collides; choose it, or add a variant");
    const auto c       = repair.facts.physics.collider_at(mesh.path());
    const bool dynamic = c >= 0 && repair.facts.physics.colliders[static_cast<std::size_t>(c)].body >= 0;
    // Unauthored means the triangles themselves; saying so changes nothing.
    const char* value = "none";
    if (dynamic && !is_convex_mesh(mesh)) {
        // A word that nobody knows says nothing that could be kept.
        if (!unknown && !repair.unsafe("the mesh collides as its convex hull")) return;
        value = "convexHull";
    }
    const EditPlace at = repair.place(mesh, "physics:approximation");
    repair.apply_api(at, "PhysicsMeshCollisionAPI");
    repair.set(at, "physics:approximation", "token", token(value), true);
}

/// What a material without the schema does to a collider is nothing: where it authors no coefficients, those that are
/// in force without it are written, so that only what the author wrote comes into force.
void fix_material_api(Repair& repair, const Finding& finding)
{
    const usd::Prim material = prim_of(repair, finding);
    if (!material.is_a("Material")) return repair.refuse("not-a-material", "what is bound is no Material");
    const auto authored = [&](const char* name) { return material.attribute(name).authored_as<double>(); };
    const auto fixed = authored("physics:staticFriction"), moving = authored("physics:dynamicFriction");
    // Friction is what the finding is about; a density would make other masses of what the material is bound to.
    if (const double density = authored("physics:density").value_or(0); density > 0 && std::isfinite(density))
        if (!repair.unsafe("its density would count from then on, and change masses")) return;
    const EditPlace at   = repair.place(material, "physics:staticFriction");
    const auto      fill = [&](const char* name, double value) {
        if (!authored(name)) repair.set(at, name, "float", number_value("float", value));
    };
    if (!repair.apply_api(at, "PhysicsMaterialAPI")) return;
    fill("physics:staticFriction", moving.value_or(kUnboundFriction));
    fill("physics:dynamicFriction", fixed.value_or(kUnboundFriction));
    fill("physics:restitution", 0);
}

/// Unauthored coefficients mean their fallback, zero.
void fix_material_values(Repair& repair, const Finding& finding)
{
    if (finding.variant != "missing") return repair.refuse("contact-values", "the author must choose the values");
    const usd::Prim material = prim_of(repair, finding);
    for (const char* name : {"physics:staticFriction", "physics:dynamicFriction", "physics:restitution"})
        if (!material.attribute(name).authored())
            repair.set(material, name, "float", number_value("float", material.attribute(name).get_or<double>(0)));
}

/// A prim below that collides with a material of its own for all purposes: a binding for physics comes before it, also
/// one further up, and would replace it.
std::optional<usd::Path> replaced_below(const Repair& repair, const usd::Prim& collider, const usd::Path& material)
{
    const auto for_physics = [](const usd::Prim& prim) {
        return std::ranges::any_of(prim.authored_property_names(), [](const usd::Token& name) {
            return name.text().starts_with("material:binding:physics") ||
                   name.text().starts_with("material:binding:collection:physics");
        });
    };
    for (const usd::Prim& prim : collider.subtree()) {
        if (prim == collider || !prim.has_api("PhysicsCollisionAPI")) continue;
        const usd::Prim bound = repair.facts.stage.bound_material(prim, "physics");
        if (!bound || bound.path() == material) continue;
        usd::Prim at = prim;
        while (at && at != collider && !for_physics(at)) at = at.parent();
        if (at == collider) return prim.path();
    }
    return std::nullopt;
}

bool refused_below(Repair& repair, const usd::Prim& collider, const usd::Path& material)
{
    const auto below = replaced_below(repair, collider, material);
    if (below)
        repair.refuse("ambiguous", fmt::format("<{}> below it has another material for all purposes, which a binding "
                                               "for physics here would replace",
                                               below->text()));
    return below.has_value();
}

/// What a collider has for all purposes is its contact material too, where it is one: saying so changes nothing.
/// @return whether it is so
bool bind_what_counts(Repair& repair, const usd::Prim& collider)
{
    const usd::Prim material = repair.facts.stage.bound_material(collider, "");
    if (!material || !material.has_api("PhysicsMaterialAPI")) return false;
    const EditPlace on = repair.own_place(collider, "material:binding:physics");
    if (!on) return repair.refuse("instance", "the collider lies inside an instance"), true;
    if (refused_below(repair, collider, material.path())) return true;
    repair.apply_api(on, "MaterialBindingAPI");
    repair.set_stage_targets(collider, on, "material:binding:physics", {material.path()});
    return true;
}

/// A material of usual values for colliders that have none.
void fix_binding(Repair& repair, const Finding& finding)
{
    if (bind_what_counts(repair, prim_of(repair, finding))) return;
    if (!repair.unsafe("the collider gets a material of usual friction (0.5)")) return;
    const usd::Prim root = repair.facts.stage.default_prim();
    const usd::Prim prim = prim_of(repair, finding);
    if (!root && repair.edits() > 0) return repair.defer();  // this pass may have named one
    if (!root || !prim.path().has_prefix(root.path()))
        return repair.refuse("no-default-prim", "there is no default prim to keep the material");
    const usd::Path scope = root.path().child("PhysicsMaterials"), material = scope.child("default_contact");
    if (refused_below(repair, prim, material)) return;
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

void fix_needs_author(Repair& repair, const Finding&)
{ repair.refuse("missing-mass", "the author must choose the mass of the part"); }

constexpr std::array kRepairs{RepairOf{"REP-1.3-l", Phase::metadata, fix_needs_author},
                              RepairOf{"REP-1.3-m", Phase::metadata, fix_needs_author},
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
