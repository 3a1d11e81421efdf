// Colliders: every prim with PhysicsCollisionAPI that has a shape, its body, pose, sizes, groups, materials and mass.
// `X_BS` is the pose of the shape in the scale-free frame of its body, or in the world without one. Lengths are in the
// stage's unit with all scales applied.
// What depends on the prim alone is read in parallel; what several colliders share is written in the order of
// traversal.
// `parse` calls it after the bodies.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "materials.h"
#include "mechane/physics/codes.h"
#include "mechane/usd/collection.h"
#include "reader.h"
#include "shapes.h"

namespace mechane::physics {

namespace {

const usd::Token kEnabled("physics:collisionEnabled"), kOwner("physics:simulationOwner"),
    kPairs("physics:filteredPairs"), kColliders("colliders"), kGroupRel("physics:collisionGroup"),
    kGroupsRel("physics:collisionGroups"), kSubset("GeomSubset"), kElementType("elementType"), kFace("face"),
    kBindingApi("MaterialBindingAPI");

// Pose in the owner's scale-free frame.
bool place(const Reader& reader, const Record& record, Collider& collider)
{
    for (const double x : record.world.m)
        if (!std::isfinite(x)) return false;
    const usd::Decomposition world = usd::decompose(record.world);
    collider.scale                 = world.scale;
    collider.sheared               = world.sheared;
    collider.mirrored              = usd::determinant3(record.world) < 0;
    if (collider.body == kNone) {
        collider.X_BS        = {world.translation, world.rotation};
        collider.local_scale = world.scale;
        return !world.singular;
    }
    const Body& body = reader.model.bodies[static_cast<std::size_t>(collider.body)];
    // The prim is the body itself: shape and body share a frame, and X_BS stays the identity.
    if (record.body == collider.body) return !world.singular;
    const auto inverse_body = usd::inverse(body.world);
    if (!inverse_body) return false;
    const usd::Decomposition local = usd::decompose(record.world * *inverse_body);
    // The local matrix lies in the body's scaled space: its translation takes the body's scale to be a length.
    collider.X_BS        = {scale(local.translation, body.scale), local.rotation};
    collider.local_scale = local.scale;
    return !world.singular && !local.singular && is_finite(collider.X_BS);
}

/// The collider's material and those of its subsets, as indices. The binding purpose is `physics`, as UsdPhysics says.
std::vector<Index> materials_of(Reader& reader, const Record& record, Collider& collider)
{
    std::vector<Index> materials;
    const auto         add = [&](const usd::Prim& prim, bool binding_applied) {
        const Index material = bound_physics_material(reader, prim);
        if (material == kNone) return kNone;
        if (!binding_applied) {
            if (reader.options.conventions.materials_need_binding_api) return material;
            reader.found.add(kBindingApiMissing, prim.site(),
                             fmt::format("<{}> inherits the material <{}>", prim.path().text(),
                                         reader.model.materials[static_cast<std::size_t>(material)].path.text()));
        }
        materials.push_back(material);
        return material;
    };
    if (collider.kind == ShapeKind::mesh)
        for (const usd::Prim& child : record.prim.children())
            if (child.type_name() == kSubset && reader.token(child, kElementType, kFace) == kFace) {
                // A subset without a binding of its own is drawn and simulated with the mesh's material.
                if (child.has_api(kBindingApi)) add(child, true);
            }
    collider.own_material = add(record.prim, record.has_binding);
    return materials;
}

/// One query for each group, built once.
std::vector<usd::CollectionQuery> member_queries(const Reader& reader)
{
    std::vector<usd::CollectionQuery> out;
    for (const Group& group : reader.model.groups)
        out.push_back(usd::collection(group.prim, kColliders, &reader.found));
    return out;
}

std::vector<Index> groups_of(const Reader& reader, const std::vector<usd::CollectionQuery>& members,
                             const Collider& collider)
{
    std::vector<Index> groups;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i].contains(collider.path)) groups.push_back(static_cast<Index>(i));
    if (reader.options.lenient_names)
        for (const usd::Token& name : {kGroupRel, kGroupsRel})
            for (const usd::Path& target : reader.targets(collider.prim, name)) {
                const Index group = reader.model.group_at(target);
                if (group != kNone && std::find(groups.begin(), groups.end(), group) == groups.end())
                    groups.push_back(group);
            }
    std::sort(groups.begin(), groups.end());
    return groups;
}

// MassAPIs on the way from the collider to its body.
void link_masses(const Reader& reader, const std::vector<Index>& xform_mass_of, Index index, Collider& collider)
{
    if (collider.body == kNone || reader.records[static_cast<std::size_t>(index)].body == collider.body) return;
    for (Index i = reader.records[static_cast<std::size_t>(index)].parent; i != kNone;
         i       = reader.records[static_cast<std::size_t>(i)].parent) {
        if (collider.body == kNone || reader.records[static_cast<std::size_t>(i)].body == collider.body) return;
        if (const Index mass = xform_mass_of[static_cast<std::size_t>(i)]; mass != kNone)
            collider.mass_chain.push_back(mass);
    }
}

// MassAPIs of prims that are neither body nor collider.
std::vector<Index> read_xform_masses(Reader& reader)
{
    std::vector<Index> of_record(reader.records.size(), kNone);
    for (std::size_t i = 0; i < reader.records.size(); ++i) {
        const Record& record = reader.records[i];
        // A body and a collider keep their own mass; a joint has none.
        if (!record.has_mass || record.joint || record.body != kNone || record.has_collision) continue;
        const MassValues values = reader.mass_values(record.prim);
        if (!values.has_mass() && !values.has_density()) continue;
        if (reader.options.mass_on_xforms == MassOnXforms::ignore)
            reader.found.add(kMassIgnored, record.prim.site(),
                             fmt::format("the mass on <{}> has no effect", record.prim.path().text()));
        of_record[i] = static_cast<Index>(reader.model.xform_masses.size());
        reader.model.xform_masses.push_back({record.prim.path(), record.prim, values});
    }
    return of_record;
}

// A mirror is taken for the turn that is left when all axes are mirrored, which no shape feels that looks alike from
// both ends. The others are mirrored across their axis instead.
void face_along_axis(Collider& collider)
{
    const bool ends_differ = collider.kind == ShapeKind::cone || collider.kind == ShapeKind::cylinder_1 ||
                             collider.kind == ShapeKind::capsule_1 || collider.kind == ShapeKind::plane;
    if (!collider.mirrored || !ends_differ) return;
    // A half turn about an axis across the shape's own reverses its ends. The scale keeps one sign, so that turn and
    // scale together are the same mirror.
    const auto across = (static_cast<std::size_t>(collider.axis) + 1) % 3;
    Vec3d      signs{-1, -1, -1};
    signs[across] = 1;
    const Quatd half_turn{across == 0 ? 1.0 : 0.0, across == 1 ? 1.0 : 0.0, across == 2 ? 1.0 : 0.0, 0};
    collider.X_BS.q      = collider.X_BS.q * half_turn;
    collider.scale       = scale(collider.scale, signs);
    collider.local_scale = scale(collider.local_scale, signs);
    if (collider.mass.has_axes()) collider.mass.axes = conjugate(half_turn) * collider.mass.axes;
}

// What bodies take over from the prims above them: the nearest density, unless they have one, and the outermost mass
// where it is of one body only. An explicit mass of several bodies together is none of any of them.
void inherit_masses(Reader& reader, const std::vector<Index>& xform_mass_of)
{
    PhysicsModel& model = reader.model;
    if (reader.options.mass_on_xforms == MassOnXforms::ignore || model.xform_masses.empty()) return;
    const auto at = [&](Index record) -> const Record& { return reader.records[static_cast<std::size_t>(record)]; };
    const auto values_at = [&](Index i) -> const MassValues& {
        return model.xform_masses[static_cast<std::size_t>(i)].values;
    };
    std::vector<int>  bodies_below(model.xform_masses.size(), 0);
    std::vector<char> taken(model.xform_masses.size(), 0);
    // Visits the masses above a body, nearest first, up to the next body.
    const auto climb = [&](std::size_t record, const auto& visit) {
        for (Index i = reader.records[record].parent; i != kNone && at(i).body == kNone; i = at(i).parent)
            if (const Index mass = xform_mass_of[static_cast<std::size_t>(i)]; mass != kNone) visit(mass);
    };
    const auto is_body = [&](const Record& record) {
        return record.body != kNone && model.bodies[static_cast<std::size_t>(record.body)].enabled;
    };
    for (std::size_t r = 0; r < reader.records.size(); ++r)
        if (is_body(reader.records[r])) climb(r, [&](Index mass) { ++bodies_below[static_cast<std::size_t>(mass)]; });
    for (std::size_t r = 0; r < reader.records.size(); ++r) {
        if (!is_body(reader.records[r])) continue;
        Body&      body  = model.bodies[static_cast<std::size_t>(reader.records[r].body)];
        const bool own   = body.mass.has_density() || body.mass.has_mass();
        Index      dense = kNone, heavy = kNone;
        climb(r, [&](Index mass) {
            const MassValues& v = values_at(mass);
            // The nearest density wins, as it does on the way from a collider to its body; the last mass seen is the
            // outermost.
            if (v.has_density() && !own && dense == kNone) dense = mass;
            if (v.has_mass() && bodies_below[static_cast<std::size_t>(mass)] == 1) heavy = mass;
        });
        for (const Index mass : {dense, heavy})
            if (mass != kNone) body.mass.applied = true, taken[static_cast<std::size_t>(mass)] = 1;
        if (heavy != kNone)
            body.mass.mass = values_at(heavy).mass;
        else if (dense != kNone)
            body.mass.density = values_at(dense).density;
    }
    for (std::size_t r = 0; r < reader.records.size(); ++r) {
        const Record& record = reader.records[r];
        const Index   mass   = xform_mass_of[r];
        // Below a body such a mass is handled by the chains of its colliders.
        if (mass == kNone || record.owner != kNone || taken[static_cast<std::size_t>(mass)] != 0) continue;
        const int below = bodies_below[static_cast<std::size_t>(mass)];
        reader.found.add(
            kApiMisplaced, record.prim.site(),
            below > 1 && values_at(mass).has_mass()
                ? fmt::format("PhysicsMassAPI on <{}>, above {} rigid bodies: a mass of all of them has no effect",
                              record.prim.path().text(), below)
                : fmt::format("PhysicsMassAPI on <{}>, which belongs to no rigid body", record.prim.path().text()));
    }
}

/// Everything about a collider but its materials. False for a prim without a shape.
bool read_collider(const Reader& reader, const Record& record, const std::vector<usd::CollectionQuery>& members,
                   Collider& collider)
{
    const PhysicsModel& model = reader.model;
    collider.path             = record.prim.path();
    collider.prim             = record.prim;
    collider.world            = record.world;
    if (!shape_kind_of(record, collider)) {
        reader.found.add(kShapeUnknownType, record.prim.site(),
                         fmt::format("<{}> is of type \"{}\", which gives no shape", collider.path.text(),
                                     record.prim.type_name().text()));
        return false;
    }
    collider.body    = record.owner;
    collider.enabled = reader.switched(record.prim, kEnabled, collider.starts_disabled);
    collider.owners  = reader.targets(record.prim, kOwner);
    // The owner of a collider counts only without a body: a body and its shapes cannot lie in different scenes.
    if (reader.log != nullptr && collider.body != kNone && !collider.owners.empty() && record.body == kNone)
        reader.log->correct(record.prim, kOwner, Use::ignored, "it belongs to a body, whose owner counts");
    if (record.owner != kNone && record.cut)
        reader.found.add(
            kColliderReset, record.prim.site(),
            fmt::format("<{}> resets its transform stack below the body <{}>, and stays part of it",
                        collider.path.text(), model.bodies[static_cast<std::size_t>(record.owner)].path.text()));
    if (record.has_pairs) collider.filtered = reader.targets(record.prim, kPairs);
    if (record.has_mass) collider.mass = reader.mass_values(record.prim);
    collider.scene = collider.body == kNone ? scene_of(reader, record.prim, collider.owners)
                                            : model.bodies[static_cast<std::size_t>(collider.body)].scene;
    if (place(reader, record, collider)) {
        if (collider.sheared)
            reader.found.add(kShapeShear, record.prim.site(),
                             fmt::format("the world transform of <{}> has shear", collider.path.text()));
        read_shape(reader, record, collider);
        if (!reader.options.conventions.mirrored_shapes_turn) face_along_axis(collider);
    } else {
        reader.invalidate(collider, kShapeDegenerate, record.prim.site(),
                          fmt::format("the world transform of <{}> is singular or not finite", collider.path.text()));
        if (!is_finite(collider.X_BS)) collider.X_BS = {};
    }
    collider.groups = groups_of(reader, members, collider);
    return true;
}

/// Sorts each body's colliders by path. In one thread for each chunk of bodies: no two write to one list.
void sort_colliders(const Reader& reader)
{
    PhysicsModel& model = reader.model;
    const auto    at    = [&](Index i) -> const Collider& { return model.colliders[static_cast<std::size_t>(i)]; };
    reader.parallel(model.bodies.size(), [&](const Reader&, std::size_t i) {
        std::vector<Index>& colliders = model.bodies[i].colliders;
        if (colliders.size() < 2) return;
        // Brothers are ordered by their names alone, which many of them do in a third of the time.
        const usd::Prim above = at(colliders.front()).prim.parent();
        const bool      brothers =
            std::all_of(colliders.begin(), colliders.end(), [&](Index c) { return at(c).prim.parent() == above; });
        if (!brothers) {
            std::sort(colliders.begin(), colliders.end(), [&](Index a, Index b) { return at(a).path < at(b).path; });
            return;
        }
        std::vector<std::pair<std::string_view, Index>> named;
        named.reserve(colliders.size());
        for (const Index c : colliders) named.emplace_back(at(c).path.name().text(), c);
        std::sort(named.begin(), named.end());
        for (std::size_t k = 0; k < named.size(); ++k) colliders[k] = named[k].second;
    });
}

}  // namespace

void read_colliders(Reader& reader)
{
    const std::vector<Index> xform_mass_of = read_xform_masses(reader);
    inherit_masses(reader, xform_mass_of);
    const auto                     members = member_queries(reader);
    PhysicsModel&                  model   = reader.model;
    const std::vector<std::size_t> records =
        reader.select([](const Record& record) { return record.has_collision && !record.joint; });
    // Read in place: what is no shape is taken out below.
    model.colliders.resize(records.size());
    std::vector<std::uint8_t> is_shape(records.size(), 0);
    reader.parallel(records.size(), [&](const Reader& part, std::size_t i) {
        Collider& collider = model.colliders[i];
        if (!read_collider(part, part.records[records[i]], members, collider)) return;
        is_shape[i] = 1;
        link_masses(part, xform_mass_of, static_cast<Index>(records[i]), collider);
    });
    model.lookup.colliders.reserve(records.size());
    std::size_t kept = 0;
    // Materials and the bodies' lists are shared: in one thread, in traversal order.
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (is_shape[i] == 0) continue;
        if (kept != i) model.colliders[kept] = std::move(model.colliders[i]);
        Collider& collider = model.colliders[kept];
        collider.materials = materials_of(reader, reader.records[records[i]], collider);
        // A cloud that does not say how large its spheres are belongs to nobody (measured on the reference, which then
        // reads no more of it).
        if (!collider.valid && collider.kind == ShapeKind::sphere_points) {
            collider.body = kNone;
            if (reader.options.conventions.unusable_points_forgotten) {
                collider.X_BS        = {};
                collider.local_scale = {1, 1, 1};
                collider.groups.clear();
            }
        }
        const Index index = static_cast<Index>(kept++);
        model.lookup.colliders.emplace(collider.path, index);
        if (collider.body != kNone && collider.valid)
            model.bodies[static_cast<std::size_t>(collider.body)].colliders.push_back(index);
    }
    model.colliders.resize(kept);
    sort_colliders(reader);
}

}  // namespace mechane::physics
