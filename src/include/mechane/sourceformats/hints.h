#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mechane/usd/stage.h"

/// Entries of a prim's customData that a conversion writes, so that the robot can go back to the format that it came
/// from as it was. No simulation reads them, except `kExactShape`. A writer uses one only where it agrees with what the
/// schemas say now. `kDof` and `kElement` are attributes, because they stand beside MuJoCo's own.
namespace mechane::sourceformats::hints {

// clang-format off
inline constexpr const char* kExactShape = "mechane:exactShape";       ///< bool: a round shape with unequal scale is meant as it is
inline constexpr const char* kName       = "mechane:source:name";      ///< string: of a link, where the prim has another
inline constexpr const char* kJoint      = "mechane:source:joint";     ///< string: of a frame, the fixed joint that holds it
inline constexpr const char* kParent     = "mechane:source:parent";    ///< string: of a joint, the link without mass that it hangs on
inline constexpr const char* kFloating   = "mechane:source:floating";  ///< string: of a body that floats, "joint|link": the floating joint of the source and the link that it hangs on
inline constexpr const char* kFreeJoint  = "mechane:source:freejoint"; ///< string: of a body that floats, the name of its free joint in MJCF
inline constexpr const char* kKinematic  = "mechane:source:kinematic"; ///< bool: of a base that a joint fixes to the world, which something moved in the source
inline constexpr const char* kInertial   = "mechane:source:inertial";  ///< double[10]: mass, centre, Ixx Iyy Izz Ixy Ixz Iyz about it, of a link whose mass another body has, or nobody, or whose inertia is that of no body [kg, m, kg m^2]
inline constexpr const char* kWeightless = "mechane:source:weightless";  ///< bool: of a body, which had no mass of its own
inline constexpr const char* kDofs       = "mechane:source:dofs";      ///< string[]: of a joint with several axes, "rotX:name" or "-rotX:name" in the order of the source
inline constexpr const char* kDof        = "mechane:source:dof";       ///< string: of an actuator or tendon, the axis of a joint with several
inline constexpr const char* kPassive    = "mechane:source:passive";   ///< double[]: of these damping, armature, friction each; of a joint with one axis its speed limit too, -1 for none; of a body that floats -1 and the stiffness of its free joint [SI, radians]
inline constexpr const char* kExtras     = "mechane:source:extras";    ///< string[]: of a joint with several axes, "number of the axis|name|type|value" of what MuJoCo says of one axis alone
inline constexpr const char* kRange      = "mechane:source:range";     ///< double[3], within `kExtras`: of an axis that OpenUSD's joint has no place for ("out:name" in `kDofs`): 1 where it turns, lower and upper limit [-, rad or m]
inline constexpr const char* kPlace      = "mechane:source:place";     ///< double[7], within `kExtras`: axis and pivot of one axis in the frame of its body, and its reference position [-, m, m or rad]
inline constexpr const char* kElement    = "mechane:source:mjcf";      ///< string: the element of MJCF that a prim of MuJoCo's layer stands for, where no schema has a word for it. "mechane:source:mjcf:NAME" is an attribute of it: its text, or a relationship to what it names
inline constexpr const char* kPixels     = "mechane:source:pixels";    ///< double[2]: of a camera, pixels across and down
inline constexpr const char* kInParent   = "mechane:source:jointinparent";  ///< bool: of an actuator, its axes are those of the joint in the parent
inline constexpr const char* kGrid       = "mechane:source:mjcf:grid";  ///< double: of a plane, between the lines that MuJoCo draws on it [m]
inline constexpr const char* kTendonEquality = "tendon";  ///< the element of an equality of tendons
// clang-format on

/// What MuJoCo has of an axis of which nothing is said: attribute and text.
inline constexpr std::pair<const char*, const char*> kAxisDefaults[] = {
    {"mjc:stiffness", "0"},
    {"mjc:springref", "0"},
    {"mjc:margin", "0"},
    {"mjc:solreflimit", "[0.02, 1]"},
    {"mjc:solreffriction", "[0.02, 1]"},
    {"mjc:solimplimit", "[0.9, 0.95, 0.001, 0.5, 2]"},
    {"mjc:solimpfriction", "[0.9, 0.95, 0.001, 0.5, 2]"},
    {"mjc:actuatorfrcrange:min", "0"},
    {"mjc:actuatorfrcrange:max", "0"},
    {"mjc:actuatorfrclimited", "\"auto\""},
    {"mjc:actuatorgravcomp", "false"}};

/// Whether an element that stands in MuJoCo's layer as it was (`kElement`) is an equality, and no sensor.
inline bool is_equality(std::string_view element)
{ return element == kTendonEquality || element == "joint" || element == "connect" || element == "weld"; }

/// What a prim's customData says of it.
template <class T>
std::optional<T> read(const usd::Prim& prim, const char* hint)
{ return prim.metadata(usd::Token("customData:" + std::string(hint))).get<T>(); }

}  // namespace mechane::sourceformats::hints
