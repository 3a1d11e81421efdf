// Surface velocities (conveyors, PhysxSurfaceVelocityAPI) of colliders: linear and angular velocity of the material at
// the surface, in the shape's frame or in the world. Degrees and stage lengths in, SI out.

#include "surface_velocities.h"

#include <algorithm>

#include "import.h"

namespace mechane::importer {
namespace {

constexpr const char* kLocal = "physxSurfaceVelocity:surfaceVelocityLocalSpace";

/// Says what became of everything that the API can author on the prim.
void note_all(const Import& run, const usd::Prim& prim, physics::Use use, const char* why)
{
    for (const usd::Token& name : surface_attributes())
        if (prim.attribute(name).authored()) run.took(prim, name.text(), use, why);
    if (prim.attribute(kLocal).authored()) run.took(prim, kLocal, use, why);
}

/// What a prim says of the surfaces below it: about its own origin, in its own axes or the stage's [m/s, rad/s].
struct Belt {
    usd::Prim prim;
    Spatiald  velocity;
    bool      local = true, varies = false;
};
std::optional<Belt> belt_of(const Import& run, const usd::Prim& prim)
{
    if (!prim.has_api("PhysxSurfaceVelocityAPI")) return std::nullopt;
    Belt        belt{prim, surface_velocity(prim, run.length()), prim.attribute(kLocal).get_or<bool>(true)};
    const auto& names = surface_attributes();
    belt.varies       = run.options.animation && std::any_of(names.begin(), names.end(), [&](const usd::Token& name) {
                      return prim.attribute(name).varying();
                        });
    if (!belt.varies && !prim.attribute(names[0]).get_or<bool>(true)) {
        note_all(run, prim, physics::Use::used, "the surface stands still");
        return std::nullopt;
    }
    if (!is_finite(belt.velocity)) {
        note_all(run, prim, physics::Use::ignored, "a velocity that is not finite moves nothing");
        return std::nullopt;
    }
    note_all(run, prim, physics::Use::converted, "the velocity of the colliders' surfaces");
    return belt;
}

}  // namespace

const std::array<usd::Token, 3>& surface_attributes()
{
    static const std::array<usd::Token, 3> names{usd::Token("physxSurfaceVelocity:surfaceVelocityEnabled"),
                                                 usd::Token("physxSurfaceVelocity:surfaceVelocity"),
                                                 usd::Token("physxSurfaceVelocity:surfaceAngularVelocity")};
    return names;
}

Spatiald surface_velocity(const usd::Prim& prim, double length, usd::TimeCode time)
{
    const auto& [enabled, linear, angular] = surface_attributes();
    if (!prim.attribute(enabled).get_or<bool>(true, time)) return {};
    return {length * prim.attribute(linear).get_or<Vec3d>({}, time),
            kDegrees * prim.attribute(angular).get_or<Vec3d>({}, time)};
}

void add_surface_velocities(Import& run)
{
    if (!run.resolvers.has("physx") || run.conventions.belts_unread) return;  // Newton 1.8 reads none of it
    std::map<physics::Index, std::optional<Belt>> of_body;
    for (std::size_t c = 0; c < run.physics.colliders.size(); ++c) {
        const physics::Collider& collider = run.physics.colliders[c];
        if (run.shape_of[c] < 0) continue;
        // A collider's own word goes before its body's.
        std::optional<Belt> belt    = belt_of(run, collider.prim);
        const bool          on_body = !belt && collider.body != physics::kNone;
        if (on_body) {
            const auto [known, is_new] = of_body.try_emplace(collider.body);
            if (is_new) known->second = belt_of(run, run.body(collider.body).prim);
            belt = known->second;
        }
        if (!belt || (belt->velocity == Spatiald{} && !belt->varies)) continue;
        for (const std::int32_t s : shapes_of_collider(run, static_cast<physics::Index>(c))) {
            model::BuilderShape& shape = run.builder.shapes[static_cast<std::size_t>(s)];
            // The prim that speaks, in the frame that the shape is placed in: its body, or the world.
            const Posed X_WB = collider.body == physics::kNone ? Posed{} : run.body(collider.body).X_WB;
            Posed       X_FP;
            if (shape.body >= 0)
                X_FP = on_body ? Posed{} : run.scaled(collider.X_BS);
            else
                X_FP = run.placed(on_body ? X_WB : X_WB * collider.X_BS);
            // A velocity about the prim's origin is v + w x arm at the shape's.
            const Vec3d  arm = shape.xform.p - X_FP.p;
            SurfaceFrame frame{X_FP.q, arm, conjugate(shape.xform.q)};
            if (!belt->local) {
                const Quatd turn = shape.body >= 0 ? run.X_WB[static_cast<std::size_t>(collider.body)].q : Quatd{};
                frame            = {run.X_WS.q, rotate(turn, arm), {}};
            }
            shape.config.surface_velocity = frame.of(belt->velocity);
            shape.config.surface_in_world = !belt->local;
            if (!belt->local) shape.flags |= model::shape_flag::surface_in_world;
            if (belt->varies) run.surfaces[s] = {belt->prim, frame};
        }
    }
}

}  // namespace mechane::importer
