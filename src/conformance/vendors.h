#pragma once
#include <span>
#include <string>
#include <string_view>

namespace mechane::conformance {

/// Whose word a name is: "physx", "isaac", "mujoco", "newton", "gazebo", "o3de", "genesis", "drake", "source"
/// (leftovers of a source format), or empty for a neutral name.
std::string_view vendor_of_schema(std::string_view type_or_api);
std::string_view vendor_of_property(std::string_view property);

/// True for the name of a vendor, as its own layer has it: "physx", "isaac", "o3de".
bool names_vendor(std::string_view word);

/// Whose word a property or schema is that none of the above knows: "acme" of "acme:gain" and of "AcmeGripperAPI";
/// empty for names of the neutral families and for names without a namespace.
std::string_view unknown_namespace(std::string_view property);
std::string      unknown_vendor_of_schema(std::string_view schema);

/// True for a namespace that OpenUSD, UsdPhysics, ROS or the extension schemas own ("physics", "primvars", "ros", ...).
bool is_neutral_namespace(std::string_view prefix);

/// The neutral word for a vendor's schema or property that has one ("ExtendedPhysicsMimicAPI"); empty where there is
/// none.
std::string_view neutral_counterpart(std::string_view name);

/// True for schemas of engine features that have no neutral word: deformables, particles, tendons, vehicles.
bool is_engine_feature(std::string_view schema);

}  // namespace mechane::conformance
