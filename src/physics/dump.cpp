// `dump physics`: the parsed model as JSON, with the names and the order that OpenUSD's UsdPhysics parser gives its
// descriptions.
// Values are in the units of the stage, angles in degrees, quaternions with the real part first.
// Conformance tests compare it with what the reference wrote, so that keys and order are part of the contract (schema
// `mechane.dump.physics/1`).

#include "mechane/physics/dump.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "groups.h"

namespace mechane::physics {

namespace {

using Json = nlohmann::json;

/// JSON knows no infinities; they are written as words.
Json number(double x)
{
    if (std::isfinite(x)) return x;
    return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}
Vec3d signed_like(const Vec3d& v, const Vec3d& s)
{ return {std::copysign(v.x, s.x), std::copysign(v.y, s.y), std::copysign(v.z, s.z)}; }

Json vector(const Vec3d& v) { return {number(v.x), number(v.y), number(v.z)}; }
Json quaternion(const Quatd& q) { return {number(q.w), number(q.x), number(q.y), number(q.z)}; }
Json paths(const std::vector<usd::Path>& list)
{
    Json out = Json::array();
    for (const usd::Path& path : list) out.push_back(path.text());
    return out;
}

Json entry(const Entry& e, std::string_view type)
{ return {{"isValid", e.valid}, {"primPath", e.path.text()}, {"type", type}}; }

Json scene(const Scene& s)
{
    Json out                = entry(s, "Scene");
    out["gravityDirection"] = vector(s.gravity_direction);
    out["gravityMagnitude"] = number(s.gravity_magnitude);
    return out;
}

// Merged groups appear once, under their first path, with everything that any of them filters.
Json groups(const PhysicsModel& model)
{
    Json out = Json::array();
    for (const std::vector<Index>& members : merged_groups(model)) {
        const Group&           group = model.groups[static_cast<std::size_t>(members.front())];
        std::vector<usd::Path> filtered;
        bool                   inverted = false;
        for (const Index i : members) {
            const Group& member = model.groups[static_cast<std::size_t>(i)];
            filtered.insert(filtered.end(), member.filtered.begin(), member.filtered.end());
            inverted = inverted || member.inverted;
        }
        Json one                    = entry(group, "CollisionGroup");
        one["filteredGroups"]       = paths(filtered);
        one["invertFilteredGroups"] = inverted;
        one["mergeGroupName"]       = group.merge_name;
        one["mergedGroups"]         = paths(group.merged);
        out.push_back(std::move(one));
    }
    return out;
}

Json material(const Material& m)
{
    Json out               = entry(m, "RigidBodyMaterial");
    out["density"]         = number(m.density);
    out["dynamicFriction"] = number(m.dynamic_friction);
    out["restitution"]     = number(m.restitution);
    out["staticFriction"]  = number(m.static_friction);
    return out;
}

std::string_view shape_type(ShapeKind kind)
{
    switch (kind) {
        case ShapeKind::sphere:
            return "SphereShape";
        case ShapeKind::cube:
            return "CubeShape";
        case ShapeKind::capsule:
            return "CapsuleShape";
        case ShapeKind::capsule_1:
            return "Capsule1Shape";
        case ShapeKind::cylinder:
            return "CylinderShape";
        case ShapeKind::cylinder_1:
            return "Cylinder1Shape";
        case ShapeKind::cone:
            return "ConeShape";
        case ShapeKind::plane:
            return "PlaneShape";
        case ShapeKind::mesh:
            return "MeshShape";
        case ShapeKind::sphere_points:
            return "SpherePointsShape";
        case ShapeKind::custom:
            return "CustomShape";
    }
    return "";
}

void add_sizes(const PhysicsModel& model, const Collider& c, Json& out)
{
    switch (c.kind) {
        case ShapeKind::sphere:
            out["radius"] = number(c.radius);
            return;
        case ShapeKind::cube:
            // The reference leaves the signs of the scale in them.
            out["halfExtents"] = vector(
                model.options.conventions.half_extents_signed ? signed_like(c.half_extents, c.scale) : c.half_extents);
            return;
        case ShapeKind::capsule:
        case ShapeKind::cylinder:
        case ShapeKind::cone:
            out["axis"]       = to_string(c.axis);
            out["radius"]     = number(c.radius);
            out["halfHeight"] = number(c.half_height);
            return;
        case ShapeKind::capsule_1:
        case ShapeKind::cylinder_1:
            out["axis"]         = to_string(c.axis);
            out["bottomRadius"] = number(c.radius);
            out["topRadius"]    = number(c.radius_top);
            out["halfHeight"]   = number(c.half_height);
            return;
        case ShapeKind::plane:
            out["axis"] = to_string(c.axis);
            return;
        case ShapeKind::mesh:
            out["approximation"] = to_string(c.approximation);
            out["doubleSided"]   = c.double_sided;
            out["meshScale"]     = vector(c.mesh_scale);
            return;
        case ShapeKind::sphere_points: {
            Json points = Json::array();
            for (const SpherePoint& p : c.points)
                points.push_back({{"center", vector(p.center)}, {"radius", number(p.radius)}});
            out["spherePoints"] = std::move(points);
            return;
        }
        case ShapeKind::custom:
            out["customGeometryToken"] = c.custom_token.text();
            return;
    }
}

Json collider(const PhysicsModel& model, const Collider& c)
{
    Json out                  = entry(c, shape_type(c.kind));
    out["collisionEnabled"]   = c.enabled;
    out["filteredCollisions"] = paths(c.filtered);
    out["localPos"]           = vector(c.X_BS.p);
    out["localRot"]           = quaternion(c.X_BS.q);
    out["localScale"]         = vector(c.local_scale);
    out["rigidBody"]          = c.body == kNone ? "" : model.bodies[static_cast<std::size_t>(c.body)].path.text();
    out["simulationOwners"]   = paths(c.owners);
    std::vector<usd::Path> materials;
    for (const Index m : c.materials) materials.push_back(model.materials[static_cast<std::size_t>(m)].path);
    // A merged group is listed under the path of its first member, and only once.
    std::set<usd::Path> listed;
    for (const Index g : c.groups) {
        const Group& group = model.groups[static_cast<std::size_t>(g)];
        listed.insert(group.merged.empty() ? group.path : group.merged.front());
    }
    out["materials"]       = paths(materials);
    out["collisionGroups"] = paths({listed.begin(), listed.end()});
    add_sizes(model, c, out);
    return out;
}

Json articulation(const PhysicsModel& model, const Articulation& a)
{
    Json                   out = entry(a, "Articulation");
    std::vector<usd::Path> joints;
    for (const Index j : a.joints) joints.push_back(model.joints[static_cast<std::size_t>(j)].path);
    out["articulatedBodies"]  = paths(a.reference_bodies);
    out["articulatedJoints"]  = paths(joints);
    out["filteredCollisions"] = paths(a.filtered);
    out["rootPrims"]          = paths(a.roots);
    return out;
}

Json body(const PhysicsModel& model, const Body& b)
{
    Json                   out = entry(b, "RigidBody");
    std::vector<usd::Path> colliders;
    for (const Index c : b.colliders) colliders.push_back(model.colliders[static_cast<std::size_t>(c)].path);
    out["angularVelocity"]    = vector(b.angular_velocity);
    out["collisions"]         = paths(colliders);
    out["filteredCollisions"] = paths(b.filtered);
    out["kinematicBody"]      = b.kinematic;
    out["linearVelocity"]     = vector(b.velocity);
    out["position"]           = vector(b.X_WB.p);
    out["rigidBodyEnabled"]   = b.enabled;
    out["rotation"]           = quaternion(b.X_WB.q);
    out["scale"]              = vector(b.scale);
    out["simulationOwners"]   = paths(b.owners);
    out["startsAsleep"]       = b.starts_asleep;
    return out;
}

std::string_view joint_type(JointKind kind)
{
    switch (kind) {
        case JointKind::fixed:
            return "FixedJoint";
        case JointKind::revolute:
            return "RevoluteJoint";
        case JointKind::prismatic:
            return "PrismaticJoint";
        case JointKind::spherical:
            return "SphericalJoint";
        case JointKind::distance:
            return "DistanceJoint";
        case JointKind::d6:
            return "D6Joint";
        case JointKind::custom:
            return "CustomJoint";
    }
    return "";
}

Json limit(bool enabled, double lower, double upper)
{ return {{"enabled", enabled}, {"lower", number(lower)}, {"upper", number(upper)}}; }
Json drive(const Drive& d)
{
    return {{"acceleration", d.acceleration},
            {"damping", number(d.damping)},
            {"enabled", d.enabled},
            {"forceLimit", number(d.max_force)},
            {"stiffness", number(d.stiffness)},
            {"targetPosition", number(d.target_position)},
            {"targetVelocity", number(d.target_velocity)}};
}
std::string dof_name(Dof dof)
{
    std::string name(to_string(dof));
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    return name;
}

Json joint(const Joint& j)
{
    Json out                       = entry(j, joint_type(j.kind));
    out["body0"]                   = j.frame_body0.text();
    out["body1"]                   = j.frame_body1.text();
    out["rel0"]                    = j.rel0.text();
    out["rel1"]                    = j.rel1.text();
    out["breakForce"]              = number(j.break_force);
    out["breakTorque"]             = number(j.break_torque);
    out["collisionEnabled"]        = j.collision_enabled;
    out["excludeFromArticulation"] = j.excluded;
    out["jointEnabled"]            = j.enabled;
    out["localPose0Position"]      = vector(j.frame0.p);
    out["localPose0Orientation"]   = quaternion(j.frame0.q);
    out["localPose1Position"]      = vector(j.frame1.p);
    out["localPose1Orientation"]   = quaternion(j.frame1.q);
    switch (j.kind) {
        case JointKind::revolute:
        case JointKind::prismatic:
            out["axis"]  = to_string(j.axis);
            out["limit"] = limit(j.limit.enabled, j.limit.lower, j.limit.upper);
            out["drive"] = drive(j.drive);
            break;
        case JointKind::spherical:
            out["axis"]  = to_string(j.axis);
            out["limit"] = limit(j.cone_enabled, j.cone_angle0, j.cone_angle1);
            break;
        case JointKind::distance:
            out["limit"] = limit(false, j.limit.lower, j.limit.upper);  // the flags below say it, as in the reference
            out["minEnabled"] = j.min_enabled;
            out["maxEnabled"] = j.max_enabled;
            break;
        case JointKind::d6: {
            Json limits = Json::array(), drives = Json::array();
            for (const Limit& l : j.limits)
                limits.push_back({{"first", dof_name(l.dof)}, {"second", limit(l.enabled, l.lower, l.upper)}});
            for (const Drive& d : j.drives) drives.push_back({{"first", dof_name(d.dof)}, {"second", drive(d)}});
            out["jointLimits"] = std::move(limits);
            out["jointDrives"] = std::move(drives);
            break;
        }
        case JointKind::fixed:
        case JointKind::custom:
            break;
    }
    return out;
}

}  // namespace

std::string dump_physics(const PhysicsModel& model, const MassInfoCallback& info)
{
    Json       objects = Json::object();
    const auto add     = [&](Json one) { objects[one["type"].get<std::string>()].push_back(std::move(one)); };
    for (const Scene& s : model.scenes)
        // What was made up for a stage without a scene, or lies outside the roots, is not in the reference's answer.
        if (!s.synthesized) add(scene(s));
    for (Json& one : groups(model)) add(std::move(one));
    for (const Material& m : model.materials)
        if (!m.outside) add(material(m));
    for (const Index c : model.colliders_by_kind()) add(collider(model, model.colliders[static_cast<std::size_t>(c)]));
    for (const Articulation& a : model.articulations) add(articulation(model, a));
    for (const Body& b : model.bodies) add(body(model, b));
    for (const Index j : model.joints_by_kind()) add(joint(model.joints[static_cast<std::size_t>(j)]));

    Json        masses = Json::object();
    Diagnostics ignored;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        // Findings about masses were reported by whoever read the stage; here only the numbers count.
        const BodyMass m                    = compute_mass(model, static_cast<Index>(i), info, ignored);
        masses[model.bodies[i].path.text()] = {{"mass", number(m.mass)},
                                               {"centerOfMass", vector(m.com)},
                                               {"diagonalInertia", vector(m.diagonal)},
                                               {"principalAxes", quaternion(m.axes)}};
    }
    const Json all = {
        {"schema", "mechane.dump.physics/1"}, {"objects", std::move(objects)}, {"mass", std::move(masses)}};
    return all.dump(1, ' ', true) + "\n";
}

}  // namespace mechane::physics
