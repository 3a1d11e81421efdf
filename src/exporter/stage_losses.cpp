// What a stage says of a robot and none of the formats that are written has a word for. Each is an entry of its own, so
// that a comparison can tell what was announced from what was not.
//
// Whether a loss changes the motion is said by its severity and by `motion`: a comparison of trajectories takes what
// is marked as announced.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "exporter/stage_reader.h"
#include "mechane/resolve/unknown_names.h"
#include "mechane/usd/key_times.h"

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
    // A rigid body with deformable attributes is rigid: its shape only may be soft.
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

// A name that nothing reads is a slip of the pen. It says nothing of the robot, so it is a diagnostic, the same one as
// where the stage is simulated, and no entry of the report.
void StageReader::report_names()
{
    // What the scene authors below "newton:" declares attributes of the user's own.
    const auto declared = [this](const std::string& name) {
        return name.starts_with("newton:") && std::ranges::any_of(model.scenes, [&](const physics::Scene& scene) {
                   return scene.prim && scene.prim.attribute(name).authored();
               });
    };
    // Proposals for soft things have names of several kinds.
    const auto left_out = [](const usd::Prim& prim) { return bends(prim) || (prim.parent() && bends(prim.parent())); };
    const resolve::NameQuestion question{stage, model.authored_names, declared, left_out};
    resolve::report_unknown_names(question, found);
    resolve::report_unapplied_schemas(question, found);
}

void StageReader::lose_states()
{
    // Velocities of links at the start. A simulation begins with them; formats of robots begin at rest.
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const physics::Body& body = model.bodies[b];
        if (link_of_body[b] < 0) continue;
        const std::string what = fmt::format("link '{}'", tree.links[at(link_of_body[b])].name);
        const auto        site = [&](const char* name) { return body.prim.attribute(name).site(); };
        if (const Vec3d& v = body.velocity; length(v) > 0)
            // UsdPhysics has linear velocity in stage units and angular in degrees a second.
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
            // state:ROTATION:physics:velocity of PhysicsJointStateAPI.
            if (name.text().starts_with("state:") && name.text().ends_with(":physics:velocity"))
                if (const double v = prim.attribute(name).get_or<double>(0); v != 0)
                    lose("joint-velocity", Severity::warning, sf::LossAction::dropped, "kinematics",
                         prim.attribute(name).site(), fmt::format("joint '{}'", tree.joints[at(j)].name),
                         fmt::format("{}", v), {}, "the formats of robots say no velocity at the start");
    }
}

void StageReader::lose_surfaces()
{
    for (const physics::Collider& c : model.colliders) {
        const auto shape = shapes.find(c.path);
        // Only where PhysX's words are read does a surface velocity move anything.
        if (shape == shapes.end() || !resolvers.has("physx")) continue;
        const std::string what = fmt::format("shape '{}'", tree.shapes[at(shape->second)].name);
        // The next prim above that has the schema counts, as PhysX reads it for parts of one body.
        for (usd::Prim p = c.prim; p && !p.path().is_root(); p = p.parent()) {
            if (!p.has_api("PhysxSurfaceVelocityAPI")) continue;
            const auto  read = [&](const char* name) { return p.attribute(name).get_or<Vec3d>({}); };
            const auto  name = [](const char* leaf) { return std::string("physxSurfaceVelocity:") + leaf; };
            const Vec3d v    = unit * read(name("surfaceVelocity").c_str()),
                        w    = kRadians * read(name("surfaceAngularVelocity").c_str());
            // A velocity that changes with time is lost even if it is zero at the start.
            const bool on     = p.attribute(name("surfaceVelocityEnabled")).get_or<bool>(true),
                       varies = p.attribute(name("surfaceVelocity")).varying() ||
                                p.attribute(name("surfaceAngularVelocity")).varying() ||
                                p.attribute(name("surfaceVelocityEnabled")).varying();
            if ((on && (length(v) > 0 || length(w) > 0)) || varies) {
                lose("surface-velocity", Severity::warning, sf::LossAction::dropped, "contact",
                     p.attribute(name("surfaceVelocity")).site(), what,
                     fmt::format("{} {} {} m/s, {} {} {} rad/s", v.x, v.y, v.z, w.x, w.y, w.z), {},
                     "the formats of robots have no surfaces that move");
                losses.entries.back().motion = true;
            }
            break;
        }
        if (c.own_material == physics::kNone && c.materials.empty()) continue;
        // The collider's own binding goes before that of its parts.
        const usd::Prim material =
            model.materials[at(c.own_material != physics::kNone ? c.own_material : c.materials.front())].prim;
        for (const auto& [key, of] : {std::pair{resolve::Key::material_friction_combine, "friction"},
                                      std::pair{resolve::Key::material_restitution_combine, "restitution"}})
            if (const auto rule = resolvers.get(material, key, context); rule.authored())
                lose("combine-rule", Severity::warning, sf::LossAction::dropped, "contact", rule.site, what,
                     fmt::format("{}: {}", of, rule.text().value_or("")), {},
                     "the formats of robots do not say how coefficients of two materials combine");
    }
}

namespace {

/// Attributes of a prim with more than one value over time, by name; empty: none.
/// Samples that do not change are no animation.
std::vector<std::string> varying(const usd::Prim& prim, bool transforms)
{
    std::vector<std::string> out;
    for (const usd::Token& name : prim.authored_property_names())
        if (const usd::Attribute attribute = prim.attribute(name);
            attribute && attribute.varying() && name.text().starts_with("xformOp:") == transforms)
            out.push_back(name.text());
    return out;
}

}  // namespace

/// What is sampled over time: a simulation follows it, or a viewer shows it, and no format of robots has words for it.
void StageReader::lose_animations()
{
    if (!usd::has_animation(stage)) return;  // asking every attribute costs much more
    const auto told = [&](const usd::Prim& prim, const std::vector<std::string>& names, const char* code,
                          const char* category, std::string what, bool motion) {
        lose(code, motion ? Severity::warning : Severity::info, sf::LossAction::dropped, category,
             prim.attribute(names.front()).site(), std::move(what),
             fmt::format("samples of {}", fmt::join(names, ", ")), "the value at the start",
             "the formats of robots have no values that change with time");
        losses.entries.back().motion = motion;
    };
    std::unordered_set<usd::Path> carriers;  // of bodies that samples move
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const physics::Body& body = model.bodies[b];
        if (link_of_body[b] < 0) continue;
        const std::string what = fmt::format("link '{}'", tree.links[at(link_of_body[b])].name);
        // Samples of a kinematic body move it; those of others are what a viewer shows.
        const bool held = body.kinematic || body.prim.attribute("physics:kinematicEnabled").varying();
        // Any prim above moves the body along.
        for (usd::Prim p = body.prim; p && !p.path().is_root(); p = p.parent()) {
            const auto names = varying(p, true);
            if (names.empty()) continue;
            carriers.insert(p.path());
            told(p, names, "animation", held ? "kinematics" : "visual", what, held);
        }
    }
    for (const usd::Prim& prim : stage.traverse()) {
        const auto values = varying(prim, false), transforms = varying(prim, true);
        if (values.empty() && (transforms.empty() || carriers.contains(prim.path()))) continue;
        const auto link = links.find(prim.path()), joint = joints.find(prim.path()), shape = shapes.find(prim.path());
        const bool collides = shape != shapes.end() && tree.shapes[at(shape->second)].collider;
        const std::string what =
            link != links.end()     ? fmt::format("link '{}'", tree.links[at(link->second)].name)
            : joint != joints.end() ? fmt::format("joint '{}'", tree.joints[at(joint->second)].name)
            : shape != shapes.end() ? fmt::format("shape '{}'", tree.shapes[at(shape->second)].name)
                                    : prim.path().text();
        // What a simulation feels: links, joints and contact materials.
        const bool felt = link != links.end() || joint != joints.end() || prim.has_api("PhysicsMaterialAPI");
        if (!values.empty()) {
            if (prim.type_name() == usd::Token("PhysicsScene"))
                told(prim, values, "gravity-animation", "metadata", "gravity of the scene", true);
            else
                told(prim, values, "animation", felt || collides ? "kinematics" : "visual", what, felt || collides);
        }
        if (!transforms.empty() && !carriers.contains(prim.path()))
            told(prim, transforms, "animation", collides ? "kinematics" : "visual", what, collides);
    }
}

}  // namespace mechane::exporter
