#include "import.h"

namespace mechane::importer {
namespace {

constexpr const char *kEnabled = "physxSurfaceVelocity:surfaceVelocityEnabled",
                     *kLocal   = "physxSurfaceVelocity:surfaceVelocityLocalSpace",
                     *kLinear  = "physxSurfaceVelocity:surfaceVelocity",
                     *kAngular = "physxSurfaceVelocity:surfaceAngularVelocity";

/// Says what became of everything that the API can author on the prim.
void note_all(const Import& run, const usd::Prim& prim, physics::Use use, const char* why)
{
    for (const char* name : {kEnabled, kLocal, kLinear, kAngular})
        if (prim.attribute(name).authored()) run.took(prim, name, use, why);
}

/// What a prim says of the surfaces below it: about its own origin, in its own axes or the stage's [m/s, rad/s].
struct Belt {
    Spatiald velocity;
    bool     local = true;
};
std::optional<Belt> belt_of(const Import& run, const usd::Prim& prim)
{
    if (!prim.has_api("PhysxSurfaceVelocityAPI")) return std::nullopt;
    if (!prim.attribute(kEnabled).get_or<bool>(true)) {
        note_all(run, prim, physics::Use::used, "the surface stands still");
        return std::nullopt;
    }
    Belt belt;
    belt.local            = prim.attribute(kLocal).get_or<bool>(true);
    belt.velocity.linear  = run.length() * prim.attribute(kLinear).get_or<Vec3d>({});
    belt.velocity.angular = kDegrees * prim.attribute(kAngular).get_or<Vec3d>({});
    if (!is_finite(belt.velocity)) {
        note_all(run, prim, physics::Use::ignored, "a velocity that is not finite moves nothing");
        return std::nullopt;
    }
    note_all(run, prim, physics::Use::converted, "the velocity of the colliders' surfaces");
    return belt;
}

}  // namespace

void add_surface_velocities(Import& run)
{
    if (!run.resolvers.has("physx") || run.newton()) return;  // Newton 1.8 reads none of it
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
        if (!belt || belt->velocity == Spatiald{}) continue;
        std::vector<std::int32_t> shapes{run.shape_of[c]};
        if (const auto more = run.further_shapes.find(static_cast<physics::Index>(c)); more != run.further_shapes.end())
            shapes.insert(shapes.end(), more->second.begin(), more->second.end());
        for (const std::int32_t s : shapes) {
            model::BuilderShape& shape = run.builder.shapes[static_cast<std::size_t>(s)];
            // The prim that speaks, in the frame that the shape is placed in: its body, or the world.
            const Posed X_WB = collider.body == physics::kNone ? Posed{} : run.body(collider.body).X_WB;
            Posed       X_FP;
            if (shape.body >= 0)
                X_FP = on_body ? Posed{} : run.scaled(collider.X_BS);
            else
                X_FP = run.placed(on_body ? X_WB : X_WB * collider.X_BS);
            const Vec3d    arm = shape.xform.p - X_FP.p;
            const Spatiald v   = belt->velocity;
            if (belt->local) {
                const Spatiald in_F{rotate(X_FP.q, v.linear), rotate(X_FP.q, v.angular)};
                shape.config.surface_velocity = {rotate_inverse(shape.xform.q, in_F.linear + cross(in_F.angular, arm)),
                                                 rotate_inverse(shape.xform.q, in_F.angular)};
            } else {
                const Quatd    turn  = shape.body >= 0 ? run.X_WB[static_cast<std::size_t>(collider.body)].q : Quatd{};
                const Vec3d    arm_W = rotate(turn, arm);
                const Spatiald in_W{rotate(run.X_WS.q, v.linear), rotate(run.X_WS.q, v.angular)};
                shape.config.surface_velocity = {in_W.linear + cross(in_W.angular, arm_W), in_W.angular};
                shape.config.surface_in_world = true;
            }
        }
    }
}

}  // namespace mechane::importer
