// Which words belong to which vendor: beginnings of schemas and properties, neutral namespaces, and neutral
// counterparts (REP-0158 section 2.7).
// Case counts. An unknown namespace is reported by itself, since the list cannot name every vendor.
// Called by the reading of layers and by rules.

#include "conformance/vendors.h"

#include <algorithm>
#include <array>

namespace mechane::conformance {
namespace {

struct Pattern {
    std::string_view text;  ///< a beginning
    std::string_view vendor;
};

// rep-0158 2.7; a beginning each, case counts.
constexpr std::array kSchemas{Pattern{"Physx", "physx"},        Pattern{"PhysicsJointStateAPI", "physx"},
                              Pattern{"Isaac", "isaac"},        Pattern{"Omni", "isaac"},
                              Pattern{"SemanticsAPI", "isaac"}, Pattern{"Mjc", "mujoco"},
                              Pattern{"Newton", "newton"},      Pattern{"Gazebo", "gazebo"},
                              Pattern{"O3de", "o3de"}};
constexpr std::array kProperties{
    Pattern{"isaac:", "isaac"},     Pattern{"omni:", "isaac"},      Pattern{"omnigraph:", "isaac"},
    Pattern{"semantics:", "isaac"}, Pattern{"semantic:", "isaac"},  Pattern{"mjc:", "mujoco"},
    Pattern{"mujoco:", "mujoco"},   Pattern{"newton:", "newton"},   Pattern{"gazebo:", "gazebo"},
    Pattern{"gz:", "gazebo"},       Pattern{"ignition:", "gazebo"}, Pattern{"o3de:", "o3de"},
    Pattern{"genesis:", "genesis"}, Pattern{"drake:", "drake"},     Pattern{"urdf:", "source"},
    Pattern{"sdf:", "source"},      Pattern{"mjcf:", "source"}};

constexpr std::array<std::string_view, 33> kNeutral{
    "physics",  "ext_physics",    "ros",        "control",      "sensor",   "xformOp",    "primvars",
    "material", "inputs",         "outputs",    "info",         "ui",       "collection", "skel",
    "light",    "shaping",        "shadow",     "drive",        "limit",    "model",      "trace",
    "proxy",    "userProperties", "clips",      "subsetFamily", "coordSys", "rotMatrix",  "exposure",
    "shutter",  "stereoRole",     "colorSpace", "interface",    "node"};

constexpr std::array<std::string_view, 10> kVendors{"physx",  "isaac", "mujoco",  "newton", "gazebo",
                                                    "o3de",   "omni",  "genesis", "drake",  "unity"};

/// Beginnings of schemas that the checker judges by other rules, whether or not they are registered.
constexpr std::array<std::string_view, 5> kNeutralSchemas{"Physics", "ExtendedPhysics", "Ros", "Sensor", "MimicJoint"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kCounterparts{
    {{"NewtonMimicAPI", "ExtendedPhysicsMimicAPI"},
     {"PhysxMimicJointAPI", "ExtendedPhysicsMimicAPI"},
     {"MimicJointAPI", "ExtendedPhysicsMimicAPI"},
     {"NewtonActuator", "ExtendedPhysicsActuatorAPI"},
     {"NewtonPositionBasedClampingAPI", "ExtendedPhysicsPositionBasedClampingAPI"},
     {"newton:mimicJoint", "ext_physics:mimic:joint"},
     {"newton:mimicCoef0", "ext_physics:mimic:offset"},
     {"newton:mimicCoef1", "ext_physics:mimic:multiplier"},
     {"newton:mimicEnabled", "ext_physics:mimic:enabled"}}};

constexpr std::array<std::string_view, 6> kFeatures{"Deformable", "Particle", "Tendon", "Vehicle", "SoftBody", "Cloth"};

}  // namespace

std::string_view vendor_of_schema(std::string_view name)
{
    for (const Pattern& pattern : kSchemas)
        if (name.starts_with(pattern.text)) return pattern.vendor;
    return {};
}

std::string_view vendor_of_property(std::string_view name)
{
    if (name.starts_with("physx") && name.find(':') != std::string_view::npos) return "physx";
    if (name.starts_with("state:") && name.find(":physics:") != std::string_view::npos) return "physx";
    for (const Pattern& pattern : kProperties)
        if (name.starts_with(pattern.text)) return pattern.vendor;
    return {};
}

bool names_vendor(std::string_view word)
{ return std::find(kVendors.begin(), kVendors.end(), word) != kVendors.end(); }

std::string_view unknown_namespace(std::string_view property)
{
    const std::size_t colon = property.find(':');
    if (colon == std::string_view::npos || colon == 0 || !vendor_of_property(property).empty()) return {};
    const std::string_view prefix = property.substr(0, colon);
    return is_neutral_namespace(prefix) ? std::string_view{} : prefix;
}

std::string unknown_vendor_of_schema(std::string_view schema)
{
    if (!vendor_of_schema(schema).empty()) return {};
    if (std::any_of(kNeutralSchemas.begin(), kNeutralSchemas.end(),
                    [&](std::string_view beginning) { return schema.starts_with(beginning); }))
        return {};
    if (const std::size_t colon = schema.find(':'); colon != std::string_view::npos) schema = schema.substr(0, colon);
    // The first word: "acme" of "AcmeGripperAPI", "acme" of "acme".
    std::string word;
    for (const char c : schema) {
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper && word.size() > 1) break;
        word += static_cast<char>(upper ? c + 32 : c);
    }
    return word;
}

bool is_neutral_namespace(std::string_view prefix)
{ return std::find(kNeutral.begin(), kNeutral.end(), prefix) != kNeutral.end(); }

std::string_view neutral_counterpart(std::string_view name)
{
    const std::string_view plain = name.starts_with("Physx") ? name.substr(0, name.find(':')) : name;
    for (const auto& [vendor, neutral] : kCounterparts)
        if (plain == vendor) return neutral;
    if (name.starts_with("mimic:")) return "ext_physics:mimic:joint";
    return {};
}

bool is_engine_feature(std::string_view schema)
{
    return !vendor_of_schema(schema).empty() &&
           std::any_of(kFeatures.begin(), kFeatures.end(),
                       [&](std::string_view feature) { return schema.find(feature) != std::string_view::npos; });
}

}  // namespace mechane::conformance
