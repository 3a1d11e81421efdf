// Rigid bodies: every prim with PhysicsRigidBodyAPI, its pose, velocity and switches, and which body its descendants
// belong to.
// Poses are in the world of the stage and in its unit of length, without scale; scale, shear and mirror are kept beside
// them.
// On leaving, each record's `owner` is the body that owns what the prim holds, which colliders, joints and masses rely
// on.
// `parse` calls it after scenes, groups and materials.

#include <fmt/format.h>

#include "mechane/physics/codes.h"
#include "mechane/physics/parse.h"
#include "reader.h"

namespace mechane::physics {

namespace {

bool transform_is_usable(const usd::Matrix4d& m, const usd::Decomposition& d)
{
    for (const double x : m.m)
        if (!std::isfinite(x)) return false;
    return !d.singular;
}

/// Bodies below others: converters nest every link of a robot, so that one finding speaks of all.
struct Nested {
    std::size_t count = 0;
    usd::Prim   first;
    usd::Path   above;  ///< of the first
};

/// Says what the chosen policy makes of bodies below others, and what the other would.
void say_nested(const Reader& reader, const Nested& nested)
{
    if (nested.count == 0) return;
    const bool  joins   = reader.options.nested_bodies == NestedBodies::schema;
    const bool  several = nested.count > 1;
    std::string message =
        several ? fmt::format("{} bodies lie below others, first <{}> below <{}>", nested.count,
                              nested.first.path().text(), nested.above.text())
                : fmt::format("<{}> lies below the body <{}>", nested.first.path().text(), nested.above.text());
    if (joins)
        message += several ? "; they are part of those" : "; it is part of that body";
    else
        message += several ? "; they are bodies of their own, which the schema would make part of those"
                           : "; it is a body of its own, which the schema would make part of that";
    Diagnostic finding = make_diagnostic(
        kBodyNested, nested.first.site(), std::move(message),
        joins ? "Begin its xformOpOrder with !resetXformStack!, move it out, or set --option nested_bodies=independent."
              : "");
    if (reader.options.nested_bodies == NestedBodies::error) finding.severity = Severity::error;
    reader.found.add(std::move(finding));
}

/// Everything about a body that does not depend on other bodies.
Body read_body(const Reader& reader, const Record& record)
{
    static const usd::Token kEnabled("physics:rigidBodyEnabled"), kKinematic("physics:kinematicEnabled"),
        kAsleep("physics:startsAsleep"), kVelocity("physics:velocity"), kAngular("physics:angularVelocity"),
        kOwner("physics:simulationOwner"), kLooseVelocity("velocity"), kPairs("physics:filteredPairs");
    const usd::Prim prim = record.prim;
    Body            body;
    body.path             = prim.path();
    body.prim             = prim;
    body.world            = record.world;
    body.enabled          = reader.switched(prim, kEnabled, body.starts_disabled);
    body.kinematic        = reader.flag(prim, kKinematic, false);
    body.starts_asleep    = reader.flag(prim, kAsleep, false);
    body.velocity         = reader.vector(prim, kVelocity, {});
    body.angular_velocity = reader.vector(prim, kAngular, {});
    if (reader.options.lenient_names)
        if (const auto velocity = reader.value(prim, kLooseVelocity).get<Vec3d>(); velocity && is_finite(*velocity))
            body.velocity = *velocity;
    if (!is_finite(body.velocity)) body.velocity = {};
    if (!is_finite(body.angular_velocity)) body.angular_velocity = {};
    body.owners = reader.targets(prim, kOwner);
    body.scene  = scene_of(reader, prim, body.owners);
    if (record.has_pairs) body.filtered = reader.targets(prim, kPairs);
    if (record.has_mass) body.mass = reader.mass_values(prim);

    const usd::Decomposition d = usd::decompose(record.world);
    if (transform_is_usable(record.world, d)) {
        body.X_WB    = {d.translation, d.rotation};
        body.scale   = d.scale;
        body.sheared = d.sheared;
        // The factored rotation is a proper one, and the sign of the determinant is lost in it.
        body.mirrored = usd::determinant3(record.world) < 0;
    } else {
        reader.invalidate(body, kBodySingular, prim.site(),
                          fmt::format("the world transform of <{}> is singular or not finite", body.path.text()));
        if (is_finite(d.translation)) body.X_WB.p = d.translation;
    }
    if (!record.is_xformable) {
        reader.found.add(kBodyNotXformable, prim.site(),
                         fmt::format("<{}> is a {}, expected something with a transform", body.path.text(),
                                     prim.type_name().text()));
        if (!reader.options.conventions.bodies_need_no_transform) {
            body.valid = false;
            body.reasons.emplace_back(kBodyNotXformable.id);
        }
    }
    if (body.sheared)
        reader.found.add(kBodyShear, prim.site(),
                         fmt::format("the world transform of <{}> has shear", body.path.text()));
    if (body.mirrored)
        reader.found.add(kBodyMirrored, prim.site(),
                         fmt::format("<{}> has a mirrored (negative-determinant) world transform", body.path.text()));
    return body;
}

struct Candidate {
    Body        body;
    Diagnostics found;
};

/// All prims with the API, read at once. Which of them become bodies is decided afterwards, from the root down.
std::vector<Candidate> read_candidates(const Reader& reader, const std::vector<std::size_t>& records)
{
    std::vector<Candidate> out(records.size());
    reader.parallel(records.size(), [&](const Reader& part, std::size_t i) {
        out[i].body = read_body(part.with(out[i].found), part.records[records[i]]);
    });
    return out;
}

}  // namespace

void read_bodies(Reader& reader)
{
    const auto             wanted     = [](const Record& record) { return record.has_body && !record.joint; };
    std::vector<Candidate> candidates = read_candidates(reader, reader.select(wanted));
    std::size_t            next       = 0;
    Nested                 nested;
    reader.model.bodies.reserve(candidates.size());
    reader.model.lookup.bodies.reserve(candidates.size());
    // In one thread and from the root down: who owns a prim depends on what became of the prims above it.
    for (std::size_t i = 0; i < reader.records.size(); ++i) {
        Record& record = reader.records[i];
        if (record.parent != kNone) {
            record.owner = reader.records[static_cast<std::size_t>(record.parent)].owner;
            record.cut   = reader.records[static_cast<std::size_t>(record.parent)].cut;
        }
        // `cut` says that a `!resetXformStack!` lies between the prim and its owner. Such a body does not move with the
        // one above.
        record.cut = record.cut || record.resets;
        if (record.resets && reader.options.reset_stack == ResetStack::static_part) record.owner = kNone;
        if (!wanted(record)) continue;
        Candidate&  candidate = candidates[next++];
        const Index above     = record.owner;
        if (above != kNone && !record.cut) {
            if (nested.count++ == 0)
                nested.first = record.prim, nested.above = reader.model.bodies[static_cast<std::size_t>(above)].path;
            if (reader.options.nested_bodies == NestedBodies::schema) continue;
        }
        reader.found.append(candidate.found);
        candidate.body.parent_body = above;
        record.body                = static_cast<Index>(reader.model.bodies.size());
        reader.model.lookup.bodies.emplace(candidate.body.path, record.body);
        // A body that is off or unusable owns nothing: its colliders go to the body above, or to the world.
        if (candidate.body.enabled && candidate.body.valid) record.owner = record.body;
        reader.model.bodies.push_back(std::move(candidate.body));
        if (record.owner == record.body) record.cut = false;
    }
    say_nested(reader, nested);
}

/// The four readings of `physics:velocity`, which the schema leaves open. Angular velocity never takes a scale.
WorldVelocity world_velocity(const Body& body, VelocityFrame frame)
{
    switch (frame) {
        case VelocityFrame::world:
            return {body.velocity, body.angular_velocity};
        case VelocityFrame::rotation_only:
            return {rotate(body.X_WB.q, body.velocity), rotate(body.X_WB.q, body.angular_velocity)};
        case VelocityFrame::local:
            // A linear velocity in a scaled space is scaled as lengths are.
            return {usd::transform_vector(body.world, body.velocity), rotate(body.X_WB.q, body.angular_velocity)};
        case VelocityFrame::parent: {
            const usd::Prim parent = body.prim.parent();
            if (!parent) return {body.velocity, body.angular_velocity};
            const usd::Matrix4d      m = body.prim.stage().world_matrix(parent);
            const usd::Decomposition d = usd::decompose(m);
            if (!transform_is_usable(m, d)) return {body.velocity, body.angular_velocity};
            return {usd::transform_vector(m, body.velocity), rotate(d.rotation, body.angular_velocity)};
        }
    }
    return {};
}

}  // namespace mechane::physics
