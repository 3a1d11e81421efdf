// Why a property has no effect, by prefix of its name: tables of what is not modelled, and reasons from schemas and
// resolvers. The first row that fits counts, so special cases stand first.

#include "ledger_reasons.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mechane/resolve/joint_values.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/resolve/unknown_names.h"
#include "mechane/usd/declared_attribute.h"
#include "mechane/usd/schemas.h"

namespace mechane::importer {
namespace {

struct ReasonRow {
    std::string_view prefix;  ///< of the property's name; the first row that fits counts
    std::string_view reason;
    bool             moves = false;  ///< the motion is another without it: a warning says so (not_simulated.cpp)
};
constexpr bool kMoves = true;

/// What is not simulated, whatever resolvers are listed. Special cases stand before what they are special cases of.
constexpr ReasonRow kNotModelled[] = {
    {"omniphysics:", kNoDeformables},
    {"deformablePose:", kNoDeformables},
    {"physxDeformable", kNoDeformables},
    {"physxAutoDeformable", kNoDeformables},
    {"physxParticle", kNoDeformables},
    {"physxPBDMaterial:", kNoDeformables},
    {"physxDiffuseParticles:", kNoDeformables},
    {"newton:mpm:", kNoDeformables},
    {"physxVehicle", "vehicles are not simulated", kMoves},
    {"physxTendon:", "tendons are not simulated", kMoves},
    {"physxCamera:", "cameras that follow a body are not simulated"},
    {"physxDroneCamera:", "cameras that follow a body are not simulated"},
    {"physxFollow", "cameras that follow a body are not simulated"},
    {"physxCharacterController:", "character controllers are not simulated", kMoves},
    {"physxForce:", "forces of the stage's own are not simulated", kMoves},
    {"physxTrigger:", "triggers are not simulated"},
    {"physxContactReport:", "contacts are reported for every pair"},
    {"physxSurfaceVelocity:", "the prim is neither a collider nor a body with one"},
    {"physxSplinesSurfaceVelocity:", "surfaces that move along a curve are not simulated", kMoves},
    {"physxCookedData:", "it is the cache of another engine"},
    {"physxSphereFillCollision:", "meshes are not filled with spheres"},
    {"physxMeshMergeCollision:", "meshes are not merged"},
    {"physxScene", "it sets another engine's solver"},
    {"physxArticulation:articulationEnabled", "an articulation takes part unless its bodies are disabled"},
    {"physxArticulation:", "it sets another engine's solver"},
    {"physxRigidBody:linearDamping", "damping of free bodies is not simulated", kMoves},
    {"physxRigidBody:angularDamping", "damping of free bodies is not simulated", kMoves},
    {"physxRigidBody:disableGravity", "gravity acts on every body of a scene", kMoves},
    {"physxRigidBody:locked", "axes of bodies are locked by joints only", kMoves},
    {"physxRigidBody:maxLinearVelocity", "speeds of bodies are not bounded", kMoves},
    {"physxRigidBody:maxAngularVelocity", "speeds of bodies are not bounded", kMoves},
    {"physxRigidBody:maxContactImpulse", "impulses of contacts are not bounded", kMoves},
    {"physxRigidBody:solveContact", "contacts of every collider act", kMoves},
    {"physxRigidBody:", "it sets another engine's solver"},
    {"physxCollision:torsionalPatchRadius", "no solver models it", kMoves},
    {"physxCollision:minTorsionalPatchRadius", "no solver models it", kMoves},
    {"physxSDFMeshCollision:", "it is collected only; port it to NewtonSDFCollisionAPI with fix --port-physx-sdf"},
    {"physxConvexHullCollision:minThickness", "hulls are thickened by 1e-4 of their extent when they are flat"},
    {"physxConvexDecompositionCollision:", "meshes are decomposed by another algorithm"},
    {"physxTriangleMesh", "meshes are welded and simplified by other algorithms"},
    {"physxMaterial:compliantContactAccelerationSpring", "springs of contacts are forces, not accelerations", kMoves},
    {"physxMaterial:", "it sets another engine's contact model"},
    {"physxJointAxis:", "values for single axes are not read; author those of the joint", kMoves},
    {"physxJoint:jointFriction", "load-proportional friction has no equal here", kMoves},
    {"physxJoint:", "it sets another engine's solver"},
    {"physxMimicJoint:", "mimic joints are rigid and follow the joint's only axis", kMoves},
    {"physxPhysicsDistanceJoint:", "distance joints have no spring", kMoves},
    {"physxDrivePerformanceEnvelope:", "drives are bounded by their largest force only", kMoves},
    {"physics:gearRatio", "gears are not simulated"},
    {"physics:hinge", "gears are not simulated"},
    {"physics:prismatic", "gears are not simulated"},
    {"physics:ratio", "gears are not simulated"},
    {"physics:protoIndices", "instancers of other engines are not expanded"},
    {"physics:prototypes", "instancers of other engines are not expanded"},
    {"newton:kamino:", "it sets a solver that is not in this build"},
    {"newton:vbd:", "vbd does not take its settings from the stage; give --solver vbd --solver-option NAME=VALUE"},
    {"newton:xpbd:", "it is for another solver than softstep; sim --solver xpbd takes it"},
    {"newton:jointsAddMobility", "every joint of a tree adds its degrees of freedom"},
    {"newton:modelPath", "neural actuators are not supported"},
    {"newton:hullVertexLimit", "superseded by newton:maxHullVertices"},
    {"mjc:compiler:", "it tells MuJoCo how to compile MJCF"},
    {"mjc:flag:", "it sets MuJoCo's solver"},
    {"mjc:option:", "it sets MuJoCo's solver"},
    {"mjc:solref",
     "MuJoCo's softness of constraints has no equal here; on joints it is superseded by newton:limitStiffness"},
    {"mjc:solimp", "MuJoCo's softness of constraints has no equal here"},
    {"mjc:condim",
     "contacts have three dimensions, and rolling and torsional friction where their coefficients say so"},
    {"mjc:priority", "coefficients combine by the rule of the solver"},
    {"mjc:solmix", "coefficients combine by the rule of the solver"},
    {"mjc:group", "it groups what MuJoCo's viewer shows"},
    {"mjc:actuatorgravcomp", "gravity compensation is not simulated"},
    {"mjc:springdamper", "author mjc:stiffness and mjc:damping"},
    {"mjc:inertia", "the mass of a mesh is that of what collides"},
    {"mjc:coef", "higher terms of joint equalities are not simulated"},
};

/// Prim types that are not simulated: everything on them is ignored for one reason.
constexpr ReasonRow kTypes[] = {
    {"MjcTendon", "tendons are not simulated"},
    {"MjcKeyframe", "keyframes are not read"},
    {"MjcActuator", "only the servos of joints become drives"},
    {"PhysxPhysicsGearJoint", "gears are not simulated"},
    {"PhysxPhysicsRackAndPinionJoint", "gears are not simulated"},
    {"PhysxPhysicsInstancer", "instancers of other engines are not expanded"},
    {"PhysxPhysicsJointInstancer", "instancers of other engines are not expanded"},
    {"PhysxParticleSystem", kNoDeformables},
    {"OmniPhysics", kNoDeformables},
};

/// The resolver of this build that would read the property.
std::string vendor_of(std::string_view property)
{
    static const std::array kAll{resolve::SchemaResolverNewton(), resolve::SchemaResolverPhysx(),
                                 resolve::SchemaResolverMjc()};
    // UsdPhysics' own are no vendor's, whoever's table names them too.
    for (const char* own : {"physics:", "drive:", "limit:"})
        if (property.starts_with(own)) return "";
    for (const resolve::Resolver& r : kAll)
        if (r.owns(property)) return r.name;
    return property.starts_with("physx") ? "physx" : "";
}

bool has_any(const usd::Prim& prim, const std::vector<std::string>& schemas)
{
    const auto authored = prim.authored_apis();
    return std::any_of(schemas.begin(), schemas.end(), [&](const std::string& s) {
        return prim.has_api(s) || prim.is_a(s) ||
               std::any_of(authored.begin(), authored.end(), [&](const usd::Token& a) { return a.text() == s; });
    });
}

}  // namespace

std::string_view motion_without(std::string_view property)
{
    if (property.starts_with("physxLimit:"))
        return property.ends_with(":restitution") ? std::string_view("limits do not bounce") : std::string_view();
    // What says how a joint follows is simulated; its stiffness and damping are not.
    if (property.starts_with("physxMimicJoint:"))
        for (const char* word : {":gearing", ":offset", ":referenceJoint", ":referenceJointAxis"})
            if (property.ends_with(word)) return {};
    for (const ReasonRow& row : kNotModelled)
        if (property.starts_with(row.prefix)) return row.moves ? row.reason : std::string_view();
    return {};
}

std::string reason_not_read(const usd::Prim& prim, std::string_view property, const resolve::ResolverList& listed)
{
    for (const ReasonRow& row : kTypes)
        if (prim.type_name().text().starts_with(row.prefix)) return std::string(row.reason);
    const std::string vendor = vendor_of(property);
    // A whole resolver that is not listed is the plainer reason, and the one with a remedy, except where nothing would
    // read the property anyway.
    for (const ReasonRow& row : kNotModelled)
        if (row.reason == kNoDeformables && property.starts_with(row.prefix)) return std::string(row.reason);
    if (!vendor.empty() && !listed.has(vendor))
        return fmt::format("resolver {} is not listed{}", vendor,
                           property.starts_with("physxSDFMeshCollision:")
                               ? "; port it with fix --port-physx-sdf, or list it with --resolvers newton,physx"
                               : fmt::format(" (--resolvers newton,{})", vendor == "newton" ? "physx" : vendor));
    // From the schemas of this build: which ones bring the property.
    const std::vector<std::string> schemas = usd::schemas_with(property);
    for (const ReasonRow& row : kNotModelled)
        if (property.starts_with(row.prefix)) return std::string(row.reason);
    if (resolve::is_unknown_property(property))
        return property.starts_with("newton:") ? "no schema and no declaration knows it" : "no schema knows it";
    if (!schemas.empty() && !has_any(prim, schemas))
        return fmt::format("the prim has none of {}", fmt::join(schemas, ", "));
    if (property == "physics:approximation") return "only meshes are approximated";
    if (property.starts_with("drive:") || property.starts_with("limit:"))
        return "the joint has no such degree of freedom";
    if (property.starts_with("physxLimit:"))
        return property.ends_with(":stiffness") || property.ends_with(":damping")
                   ? "the joint has no such degree of freedom"
                   : "limits do not bounce";
    return fmt::format("it has no meaning on a {}",
                       prim.type_name().empty() ? "typeless prim" : prim.type_name().text());
}

}  // namespace mechane::importer
