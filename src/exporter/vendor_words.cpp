#include "exporter/vendor_words.h"

#include <algorithm>
#include <utility>

namespace mechane::exporter {
namespace {

constexpr unsigned kUrdf = 1, kSdf = 2, kMjcf = 4, kAll = kUrdf | kSdf | kMjcf;

struct Word {
    Part             part;
    std::string_view attribute;  ///< ends with '*': all that begin so
    unsigned         formats;
};

constexpr Word kWords[] = {
    // What is said of the world. Steps and gravity are entries where the format has no world.
    {Part::scene, "mjc:option:timestep", kAll},
    {Part::scene, "mjc:option:*", kMjcf},
    {Part::scene, "mjc:flag:gravity", kAll},
    {Part::scene, "mjc:flag:*", kMjcf},
    {Part::scene, "newton:timeStepsPerSecond", kAll},
    {Part::scene, "newton:gravityEnabled", kAll},
    {Part::scene, "newton:maxSolverIterations", kMjcf},
    {Part::scene, "physxScene:timeStepsPerSecond", kAll},

    // Joints of a tree with axes. Springs are entries of URDF, rotors of URDF and SDFormat, speed limits of MJCF, limits
    // that give way of URDF.
    {Part::joint, "newton:armature", kAll},
    {Part::joint, "newton:damping", kAll},
    {Part::joint, "newton:friction", kAll},
    {Part::joint, "newton:velocityLimit", kAll},
    {Part::joint, "newton:limitStiffness", kAll},
    {Part::joint, "newton:limitDamping", kAll},
    {Part::joint, "newton:linear:limit*", kAll},
    {Part::joint, "newton:angular:limit*", kAll},
    {Part::joint, "physxJoint:armature", kAll},
    {Part::joint, "physxJoint:maxJointVelocity", kAll},
    {Part::joint, "physxLimit:*:stiffness", kAll},
    {Part::joint, "physxLimit:*:damping", kAll},
    {Part::joint, "state:*:physics:velocity", kAll},
    {Part::joint, "mjc:armature", kAll},
    {Part::joint, "mjc:damping", kAll},
    {Part::joint, "mjc:frictionloss", kAll},
    {Part::joint, "mjc:stiffness", kAll},
    {Part::joint, "mjc:springref", kSdf | kMjcf},
    {Part::joint, "mjc:margin", kMjcf},
    {Part::joint, "mjc:springdamper", kMjcf},
    {Part::joint, "mjc:solreflimit", kMjcf},
    {Part::joint, "mjc:solimplimit", kMjcf},
    {Part::joint, "mjc:solreffriction", kMjcf},
    {Part::joint, "mjc:solimpfriction", kMjcf},
    {Part::joint, "mjc:actuatorfrclimited", kMjcf},
    {Part::joint, "mjc:actuatorfrcrange:*", kMjcf},
    {Part::joint, "mjc:actuatorgravcomp", kMjcf},
    {Part::joint, "mjc:group", kMjcf},
    // A ball has no axis in SDFormat, and three in URDF.
    {Part::ball, "newton:armature", kAll},
    {Part::ball, "newton:damping", kAll},
    {Part::ball, "newton:friction", kAll},
    {Part::ball, "newton:velocityLimit", kAll},
    {Part::ball, "physxJoint:armature", kAll},
    {Part::ball, "physxJoint:maxJointVelocity", kAll},
    {Part::ball, "state:*:physics:velocity", kAll},
    {Part::ball, "mjc:armature", kAll},
    {Part::ball, "mjc:damping", kAll},
    {Part::ball, "mjc:frictionloss", kAll},
    {Part::ball, "mjc:stiffness", kUrdf | kMjcf},
    {Part::ball, "mjc:springref", kMjcf},
    {Part::ball, "mjc:margin", kMjcf},
    {Part::ball, "mjc:springdamper", kMjcf},
    {Part::ball, "mjc:solreflimit", kMjcf},
    {Part::ball, "mjc:solimplimit", kMjcf},
    {Part::ball, "mjc:solreffriction", kMjcf},
    {Part::ball, "mjc:solimpfriction", kMjcf},
    {Part::ball, "mjc:actuatorfrclimited", kMjcf},
    {Part::ball, "mjc:actuatorfrcrange:*", kMjcf},
    {Part::ball, "mjc:actuatorgravcomp", kMjcf},
    {Part::ball, "mjc:group", kMjcf},
    // A joint that closes a loop is one entry of URDF.
    {Part::loop, "*", kUrdf},
    {Part::loop, "mjc:solref", kMjcf},
    {Part::loop, "mjc:solimp", kMjcf},
    {Part::loop, "mjc:torqueScale", kMjcf},
    {Part::follower, "mjc:coef2", kMjcf},
    {Part::follower, "mjc:coef3", kMjcf},
    {Part::follower, "mjc:coef4", kMjcf},
    {Part::follower, "mjc:solref", kMjcf},
    {Part::follower, "mjc:solimp", kMjcf},

    {Part::body, "mjc:gravcomp", kAll},
    {Part::body, "physxRigidBody:disableGravity", kAll},
    {Part::articulation, "newton:selfCollisionEnabled", kAll},
    {Part::articulation, "physxArticulation:enabledSelfCollisions", kAll},

    {Part::collider, "mjc:condim", kMjcf},
    {Part::collider, "mjc:priority", kMjcf},
    {Part::collider, "mjc:margin", kAll},
    {Part::collider, "mjc:gap", kAll},
    {Part::collider, "mjc:solmix", kMjcf},
    {Part::collider, "mjc:solref", kAll},
    {Part::collider, "mjc:solimp", kMjcf},
    {Part::collider, "mjc:group", kMjcf},
    {Part::collider, "newton:contactMargin", kAll},
    {Part::collider, "newton:margin", kAll},
    {Part::collider, "newton:contactGap", kAll},
    {Part::collider, "newton:contact_ke", kAll},
    {Part::collider, "newton:contact_kd", kAll},
    {Part::collider, "newton:contact_kf", kAll},
    {Part::collider, "newton:contact_ka", kAll},
    {Part::collider, "physxCollision:contactOffset", kAll},
    {Part::collider, "physxCollision:restOffset", kAll},
    {Part::hull, "mjc:maxhullvert", kAll},
    {Part::hull, "newton:maxHullVertices", kAll},
    {Part::hull, "newton:hullVertexLimit", kAll},
    {Part::hull, "physxConvexHullCollision:hullVertexLimit", kAll},
    {Part::visual, "mjc:group", kMjcf},
    {Part::site, "mjc:group", kAll},
    {Part::frame, "mjc:group", kMjcf},

    {Part::material, "newton:torsionalFriction", kAll},
    {Part::material, "newton:rollingFriction", kAll},
    {Part::material, "newton:contactStiffness", kAll},
    {Part::material, "newton:contactDamping", kAll},
    {Part::material, "newton:contactFrictionGain", kAll},
    {Part::material, "newton:contactAdhesion", kAll},
    {Part::material, "mjc:torsionalfriction", kAll},
    {Part::material, "mjc:rollingfriction", kAll},
    {Part::material, "mjc:solref", kAll},
    {Part::material, "physxMaterial:compliantContactStiffness", kAll},
    {Part::material, "physxMaterial:compliantContactDamping", kAll},

    {Part::drive, "newton:kp", kAll},
    {Part::drive, "newton:kd", kAll},
    {Part::drive, "newton:maxEffort", kAll},
    // Prims of MuJoCo's own types are one entry each of URDF and SDFormat.
    {Part::actuator, "mjc:*", kUrdf | kSdf},
    {Part::actuator, "mjc:actDim", kMjcf},
    {Part::actuator, "mjc:actEarly", kMjcf},
    {Part::actuator, "mjc:actLimited", kMjcf},
    {Part::actuator, "mjc:actRange:*", kMjcf},
    {Part::actuator, "mjc:biasPrm", kMjcf},
    {Part::actuator, "mjc:biasType", kMjcf},
    {Part::actuator, "mjc:ctrlLimited", kMjcf},
    {Part::actuator, "mjc:ctrlRange:*", kMjcf},
    {Part::actuator, "mjc:dynPrm", kMjcf},
    {Part::actuator, "mjc:dynType", kMjcf},
    {Part::actuator, "mjc:forceLimited", kMjcf},
    {Part::actuator, "mjc:forceRange:*", kMjcf},
    {Part::actuator, "mjc:gainPrm", kMjcf},
    {Part::actuator, "mjc:gainType", kMjcf},
    {Part::actuator, "mjc:gear", kMjcf},
    {Part::actuator, "mjc:group", kMjcf},
    {Part::actuator, "mjc:inheritRange", kMjcf},
    {Part::actuator, "mjc:jointInParent", kMjcf},
    {Part::actuator, "mjc:lengthRange:*", kMjcf},
    {Part::tendon, "mjc:*", kUrdf | kSdf},
    {Part::fixed_tendon, "mjc:*", kUrdf | kSdf},
    {Part::keyframe, "mjc:*", kUrdf | kSdf},
    {Part::tendon, "mjc:actuatorfrclimited", kMjcf},
    {Part::tendon, "mjc:actuatorfrcrange:*", kMjcf},
    {Part::tendon, "mjc:armature", kMjcf},
    {Part::tendon, "mjc:damping", kMjcf},
    {Part::tendon, "mjc:frictionloss", kMjcf},
    {Part::tendon, "mjc:group", kMjcf},
    {Part::tendon, "mjc:limited", kMjcf},
    {Part::tendon, "mjc:margin", kMjcf},
    {Part::tendon, "mjc:path:divisors", kMjcf},
    {Part::tendon, "mjc:path:indices", kMjcf},
    {Part::tendon, "mjc:path:segments", kMjcf},
    {Part::tendon, "mjc:range:*", kMjcf},
    {Part::tendon, "mjc:rgba", kMjcf},
    {Part::tendon, "mjc:sideSites:indices", kMjcf},
    {Part::tendon, "mjc:solimpfriction", kMjcf},
    {Part::tendon, "mjc:solimplimit", kMjcf},
    {Part::tendon, "mjc:solreffriction", kMjcf},
    {Part::tendon, "mjc:solreflimit", kMjcf},
    {Part::tendon, "mjc:springlength", kMjcf},
    {Part::tendon, "mjc:stiffness", kMjcf},
    {Part::tendon, "mjc:type", kMjcf},
    {Part::tendon, "mjc:width", kMjcf},
    {Part::fixed_tendon, "mjc:actuatorfrclimited", kMjcf},
    {Part::fixed_tendon, "mjc:actuatorfrcrange:*", kMjcf},
    {Part::fixed_tendon, "mjc:armature", kMjcf},
    {Part::fixed_tendon, "mjc:damping", kMjcf},
    {Part::fixed_tendon, "mjc:frictionloss", kMjcf},
    {Part::fixed_tendon, "mjc:group", kMjcf},
    {Part::fixed_tendon, "mjc:limited", kMjcf},
    {Part::fixed_tendon, "mjc:margin", kMjcf},
    {Part::fixed_tendon, "mjc:path:coef", kMjcf},
    {Part::fixed_tendon, "mjc:path:indices", kMjcf},
    {Part::fixed_tendon, "mjc:range:*", kMjcf},
    {Part::fixed_tendon, "mjc:solimpfriction", kMjcf},
    {Part::fixed_tendon, "mjc:solimplimit", kMjcf},
    {Part::fixed_tendon, "mjc:solreffriction", kMjcf},
    {Part::fixed_tendon, "mjc:solreflimit", kMjcf},
    {Part::fixed_tendon, "mjc:springlength", kMjcf},
    {Part::fixed_tendon, "mjc:stiffness", kMjcf},
    {Part::fixed_tendon, "mjc:type", kMjcf},
    {Part::keyframe, "mjc:act", kMjcf},
    {Part::keyframe, "mjc:ctrl", kMjcf},
    {Part::keyframe, "mjc:mpos", kMjcf},
    {Part::keyframe, "mjc:mquat", kMjcf},
    {Part::keyframe, "mjc:qpos", kMjcf},
    {Part::keyframe, "mjc:qvel", kMjcf},
};

/// With one star, which stands for anything.
bool matches(std::string_view pattern, std::string_view name)
{
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == name;
    const std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
    return name.size() >= before.size() + after.size() && name.starts_with(before) && name.ends_with(after);
}

unsigned bit(Format format) { return format == Format::urdf ? kUrdf : format == Format::sdformat ? kSdf : kMjcf; }

}  // namespace

bool is_told(Part part, std::string_view attribute, Format format)
{
    return std::ranges::any_of(kWords, [&](const Word& word) {
        return word.part == part && (word.formats & bit(format)) != 0 && matches(word.attribute, attribute);
    });
}

std::string_view vendor_of(std::string_view attribute)
{
    constexpr std::pair<std::string_view, std::string_view> kVendors[] = {
        {"newton:", "Newton"},         {"mjc:", "MuJoCo"},  {"mujoco:", "MuJoCo"},
        {"omniphysics:", "Omniverse"}, {"state:", "PhysX"}, {"ext_physics:", "the extension of physics"}};
    for (const auto& [space, name] : kVendors)
        if (attribute.starts_with(space)) return name;
    const bool physx = attribute.starts_with("physx") && attribute.find(':') != std::string_view::npos;
    return physx ? "PhysX" : "";
}

}  // namespace mechane::exporter
