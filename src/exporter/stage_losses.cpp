// What a stage says of a robot and none of the formats that are written has a word for. Each is an entry of its own, so
// that a comparison can tell what was announced from what was not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "exporter/stage_reader.h"

namespace mechane::exporter {
namespace {

/// A mesh, tetrahedra or curves that bend: they are no shapes of a robot.
bool bends(const usd::Prim& prim)
{
    const auto simulated = [](const usd::Prim& one) {
        const auto apis = one.authored_apis();
        return std::any_of(apis.begin(), apis.end(), [](const usd::Token& api) {
            const std::string& name = api.text();
            return name.ends_with("DeformableSimAPI") || name == "PhysicsDeformableBodyAPI" ||
                   name == "OmniPhysicsDeformableBodyAPI" || name == "PhysxDeformableBodyAPI" ||
                   name == "PhysxDeformableSurfaceAPI" || name == "PhysxSurfaceDeformableBodyAPI" ||
                   name == "PhysxParticleClothAPI" || name == "PhysxParticleSetAPI";
        });
    };
    return prim.is_a("PointBased") && (simulated(prim) || (prim.parent() && simulated(prim.parent()))) &&
           !prim.has_api("PhysicsRigidBodyAPI");
}

}  // namespace

bool StageReader::is_soft(const usd::Prim& prim) const { return bends(prim); }

void StageReader::lose_soft()
{
    for (const usd::Prim& prim : stage.traverse())
        if (bends(prim))
            lose("soft", Severity::error, sf::LossAction::dropped, "kinematics", prim.site(),
                 fmt::format("soft '{}'", prim.name().text()), prim.type_name().text(), {},
                 "robots of these formats have rigid links only");
}

void StageReader::lose_states()
{
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const physics::Body& body = model.bodies[b];
        if (link_of_body[b] < 0) continue;
        const std::string what = fmt::format("link '{}'", tree.links[at(link_of_body[b])].name);
        const auto        site = [&](const char* name) { return body.prim.attribute(name).site(); };
        if (const Vec3d& v = body.velocity; length(v) > 0)
            lose("velocity", Severity::warning, sf::LossAction::dropped, "kinematics", site("physics:velocity"), what,
                 fmt::format("{} {} {} m/s", unit * v.x, unit * v.y, unit * v.z), {},
                 "the formats of robots say no velocity at the start");
        if (const Vec3d& w = body.angular_velocity; length(w) > 0)
            lose("velocity", Severity::warning, sf::LossAction::dropped, "kinematics", site("physics:angularVelocity"),
                 what, fmt::format("{} {} {} rad/s", kRadians * w.x, kRadians * w.y, kRadians * w.z), {},
                 "the formats of robots say no velocity at the start");
        if (body.starts_asleep)
            lose("asleep", Severity::warning, sf::LossAction::dropped, "kinematics", site("physics:startsAsleep"), what,
                 "asleep", "awake", "the formats of robots have no bodies that sleep");
    }
    for (const auto& [path, j] : joints) {
        const usd::Prim prim = stage.prim_at(path);
        for (const usd::Token& name : prim.authored_property_names())
            if (name.text().starts_with("state:") && name.text().ends_with(":physics:velocity"))
                if (const double v = prim.attribute(name).get_or<double>(0); v != 0)
                    lose("joint-velocity", Severity::warning, sf::LossAction::dropped, "kinematics",
                         prim.attribute(name).site(), fmt::format("joint '{}'", tree.joints[at(j)].name),
                         fmt::format("{}", v), {}, "the formats of robots say no velocity at the start");
    }
}

}  // namespace mechane::exporter
