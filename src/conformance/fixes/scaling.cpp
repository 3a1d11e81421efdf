// The dimension of every attribute: which power of length and of mass its number has, so that units can be changed.
// Input: the name of an attribute and whether its joint turns. Output: exponents of length and mass, or nothing for
// numbers without a unit. Names of vendors take theirs from the resolvers' tables, so there is one list of facts.
// Angles are degrees in any unit of length. Time is not changed here.
// Called by the repairs of units.

#include "conformance/fixes/scaling.h"

#include <array>
#include <map>
#include <string_view>
#include <unordered_map>

#include "mechane/physics/deformable_units.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/usd/make_value.h"

namespace mechane::conformance {
namespace {

constexpr Dimension kLength{1, 0}, kMass{0, 1}, kInertia{2, 1}, kForce{1, 1};

const std::map<std::string_view, Dimension>& plain_names()
{
    static const std::map<std::string_view, Dimension> kNames{
        // geometry
        {"points", kLength},
        {"extent", kLength},
        {"extentsHint", kLength},
        {"size", kLength},
        {"radius", kLength},
        {"radiusTop", kLength},
        {"radiusBottom", kLength},
        {"height", kLength},
        {"width", kLength},
        {"length", kLength},
        {"widths", kLength},
        {"velocities", kLength},
        {"accelerations", kLength},
        {"positions", kLength},
        {"primvars:widths", kLength},
        {"tangents", kLength},
        // skins: where joints stand, and how far blend shapes move points
        {"bindTransforms", kLength},
        {"restTransforms", kLength},
        {"translations", kLength},
        {"primvars:skel:geomBindTransform", kLength},
        {"offsets", kLength},
        // cameras and lights; aperture and focal length are tenths of the unit and keep their ratio
        {"clippingRange", kLength},
        {"clippingPlanes", kLength},
        {"focusDistance", kLength},
        {"focalLength", kLength},
        {"horizontalAperture", kLength},
        {"verticalAperture", kLength},
        {"horizontalApertureOffset", kLength},
        {"verticalApertureOffset", kLength},
        {"inputs:radius", kLength},
        {"inputs:width", kLength},
        {"inputs:height", kLength},
        {"inputs:length", kLength},
        {"inputs:shadow:distance", kLength},
        {"inputs:shadow:falloff", kLength},
        {"guideRadius", kLength},
        {"inputs:displacement", kLength},
        // physics
        {"physics:localPos0", kLength},
        {"physics:localPos1", kLength},
        {"physics:centerOfMass", kLength},
        {"physics:minDistance", kLength},
        {"physics:maxDistance", kLength},
        {"physics:velocity", kLength},
        {"physics:gravityMagnitude", kLength},
        {"physics:mass", kMass},
        {"physics:density", {-3, 1}},
        {"physics:diagonalInertia", kInertia},
        {"physics:breakForce", kForce},
        {"physics:breakTorque", kInertia},
        {"newton:inertia", kInertia},
        // read by PhysX alone (PhysxSchema's documentation of units); sleep is judged by energy per mass
        {"physxSurfaceVelocity:surfaceVelocity", kLength},
        {"physxRigidBody:maxLinearVelocity", kLength},
        {"physxRigidBody:maxDepenetrationVelocity", kLength},
        {"physxRigidBody:maxContactImpulse", kForce},
        {"physxRigidBody:sleepThreshold", {2, 0}},
        {"physxRigidBody:stabilizationThreshold", {2, 0}},
        {"physxArticulation:sleepThreshold", {2, 0}},
        {"physxArticulation:stabilizationThreshold", {2, 0}},
        {"physxScene:bounceThreshold", kLength},
        {"physxScene:frictionOffsetThreshold", kLength},
        {"physxScene:frictionCorrelationDistance", kLength},
        {"physxCollision:torsionalPatchRadius", kLength},
        {"physxCollision:minTorsionalPatchRadius", kLength},
        {"physxConvexHullCollision:minThickness", kLength},
        {"physxConvexDecompositionCollision:minThickness", kLength},
        {"physxContactReport:threshold", kForce}};
    return kNames;
}

/// Blend shapes have a vector for each point in what lies between, too: "inbetweens:half", without its normals.
bool is_inbetween(std::string_view name)
{ return name.starts_with("inbetweens:") && name.find(':', std::string_view("inbetweens:").size()) == name.npos; }

/// Units of what the resolvers' tables name: one fact, written there.
const std::unordered_map<std::string, resolve::Unit>& vendor_names()
{
    static const std::unordered_map<std::string, resolve::Unit> kNames = [] {
        std::unordered_map<std::string, resolve::Unit> names;
        for (const resolve::Resolver& resolver :
             {resolve::SchemaResolverNewton(), resolve::SchemaResolverPhysx(), resolve::SchemaResolverMjc()})
            for (const resolve::Row& row : resolver.rows)
                for (const std::string& attribute : row.attributes) names.emplace(attribute, row.unit);
        return names;
    }();
    return kNames;
}

std::optional<Dimension> dimension_of(resolve::Unit unit, bool angular)
{
    using resolve::Unit;
    switch (unit) {
        case Unit::si:
            return std::nullopt;
        case Unit::length:
            return kLength;
        case Unit::position_deg:
            return angular ? std::nullopt : std::optional(kLength);
        case Unit::mass_or_inertia:
        case Unit::stiffness_deg:
        case Unit::damping_deg:
        case Unit::stiffness_rad:
        case Unit::damping_rad:
            return angular ? kInertia : kMass;
        case Unit::force_or_torque:
            return angular ? kInertia : kForce;
        case Unit::contact_stiffness:
        case Unit::contact_damping:
            return kMass;
        case Unit::volume_stiffness:
            return Dimension{-2, 1};
    }
    return std::nullopt;
}

/// What a name itself says of the degree of freedom that it is about: "state:angular:physics:position",
/// "newton:rotX:limitStiffness".
std::optional<bool> named_motion(std::string_view name)
{
    for (std::size_t at = name.find(':'); at != std::string_view::npos; at = name.find(':', at + 1)) {
        const std::string_view rest = name.substr(at + 1), part = rest.substr(0, rest.find(':'));
        if (part == "angular" || part == "rotX" || part == "rotY" || part == "rotZ") return true;
        if (part == "linear" || part == "transX" || part == "transY" || part == "transZ") return false;
    }
    return std::nullopt;
}

bool is_linear_axis(std::string_view axis)
{ return axis == "linear" || axis.starts_with("trans") || axis == "distance"; }

double times(double x, double factor) { return factor * x; }
Vec2d  times(const Vec2d& v, double factor) { return {factor * v.x, factor * v.y}; }
Vec3d  times(const Vec3d& v, double factor) { return factor * v; }

/// Only the translation of a matrix has a length; its other rows are ratios.
void stretch(usd::Matrix4d& m, double factor)
{
    for (int c = 0; c < 3; ++c) m(3, c) *= factor;
}

template <class T>
usd::Value times_value(const usd::Value& value, double factor)
{
    const auto held = value.get<T>();
    if (!held) return {};
    if constexpr (std::is_same_v<T, std::vector<double>> || std::is_same_v<T, std::vector<Vec3d>> ||
                  std::is_same_v<T, std::vector<Vec2d>>) {
        T all = *held;
        for (auto& item : all) item = times(item, factor);
        return usd::make_value(value.type_name(), all);
    } else {
        return usd::make_value(value.type_name(), times(*held, factor));
    }
}

}  // namespace

std::optional<Dimension> dimension_of(const std::string& attribute, bool angular)
{
    const std::string_view name = attribute;
    if (const auto known = plain_names().find(name); known != plain_names().end()) return known->second;
    // Of one axis of a joint.
    if (const std::string shared = resolve::shared_attribute(name);
        !shared.empty() && vendor_names().find(attribute) == vendor_names().end())
        return dimension_of(shared, named_motion(name).value_or(angular));
    if (name == "physics:lowerLimit" || name == "physics:upperLimit")
        return angular ? std::nullopt : std::optional(kLength);
    // The resolver leaves their unit to who knows whether the joint turns.
    if (name == "mjc:springref" || name == "mjc:ref") return angular ? std::nullopt : std::optional(kLength);
    // Of an actuator, by the joint that it drives.
    if (name == "newton:kp" || name == "newton:kd" || name == "newton:ki") return angular ? kInertia : kMass;
    if (name == "newton:constEffort" || name == "newton:maxEffort" || name == "newton:maxMotorEffort" ||
        name == "newton:saturationEffort" || name == "newton:lookupEfforts")
        return angular ? kInertia : kForce;
    if (name == "newton:integralMax" || name == "newton:lookupPositions")
        return angular ? std::nullopt : std::optional(kLength);
    if (const auto known = vendor_names().find(attribute); known != vendor_names().end())
        return dimension_of(known->second, named_motion(name).value_or(angular));
    if (const auto soft = physics::deformable_property_unit(name))
        return *soft == physics::UnitPowers{} ? std::nullopt
                                              : std::optional(Dimension{.length = soft->length, .mass = soft->mass});
    // Of a coupling of two joints that slide; of turning ones it is an angle.
    if (name == "newton:mimicCoef0" || name == "ext_physics:mimic:offset" || name == "mimic:offset" ||
        (name.starts_with("physxMimicJoint:") && name.ends_with(":offset")))
        return angular ? std::nullopt : std::optional(kLength);
    // Read by PhysX alone: a spring between two anchors.
    if (name == "physxPhysicsDistanceJoint:springStiffness" || name == "physxPhysicsDistanceJoint:springDamping")
        return kMass;
    if (name.starts_with("xformOp:translate") || is_inbetween(name)) return kLength;
    if (name.starts_with("xformOp:transform")) return kLength;  // its last row
    for (const bool limit : {true, false}) {
        const std::string_view family = limit ? "limit:" : "drive:";
        if (!name.starts_with(family)) continue;
        const std::string_view rest  = name.substr(family.size());
        const std::string_view axis  = rest.substr(0, rest.find(':'));
        const std::string_view field = rest.substr(rest.rfind(':') + 1);
        const bool             line  = is_linear_axis(axis);
        if (limit) return line && (field == "low" || field == "high") ? std::optional(kLength) : std::nullopt;
        if (field == "targetPosition" || field == "targetVelocity") return line ? std::optional(kLength) : std::nullopt;
        if (field == "stiffness" || field == "damping") return line ? kMass : kInertia;
        if (field == "maxForce") return line ? kForce : kInertia;
    }
    return std::nullopt;
}

usd::Value scaled(const usd::Value& value, double factor)
{
    const std::string type = value.type_name();
    if (type == "matrix4d[]") {
        auto all = value.get<std::vector<usd::Matrix4d>>();
        if (!all) return {};
        for (usd::Matrix4d& m : *all) stretch(m, factor);
        return usd::make_value(type, *all);
    }
    if (type.starts_with("matrix4")) {
        auto m = value.get<usd::Matrix4d>();
        if (!m) return {};
        stretch(*m, factor);
        return usd::make_value(type, *m);
    }
    // Planes a x + b y + c z + d: the normal has no length.
    if (type.starts_with("float4") || type.starts_with("double4")) {
        auto planes = value.get<std::vector<std::array<double, 4>>>();
        if (!planes) return {};
        for (auto& plane : *planes) plane[3] *= factor;
        return usd::make_value(type, *planes);
    }
    if (type.ends_with("3[]")) return times_value<std::vector<Vec3d>>(value, factor);
    if (type.find("3") != std::string::npos && !type.ends_with("[]")) return times_value<Vec3d>(value, factor);
    if (type.ends_with("2[]")) return times_value<std::vector<Vec2d>>(value, factor);
    if (type.ends_with("2")) return times_value<Vec2d>(value, factor);
    if (type.ends_with("[]")) {
        if (const usd::Value triple = times_value<std::vector<Vec3d>>(value, factor); !triple.empty()) return triple;
        return times_value<std::vector<double>>(value, factor);
    }
    if (const usd::Value triple = times_value<Vec3d>(value, factor); !triple.empty()) return triple;
    return times_value<double>(value, factor);
}

}  // namespace mechane::conformance
