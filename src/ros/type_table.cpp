// Which interface types of ROS 2 exist, and which messages begin with a header.
// Input: a type (package/family/Name). Output: known, unknown, or nothing where its package is not known either: then
// nobody can say.
// The table holds the common packages, so that a check needs no installation of ROS; folders of packages add to it.
// Called by channels() and the checks of REP 158.

#include "mechane/ros/type_table.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "mechane/core/letters.h"
#include "mechane/files/read.h"
#include "mechane/files/trace.h"

namespace mechane::ros {
namespace {

namespace fs = std::filesystem;

/// Interfaces of one package and family, as the repositories common_interfaces, rcl_interfaces,
/// control_msgs, geometry2 and vision_msgs of ROS 2 list them. A `*` marks messages
/// that begin with a std_msgs/Header.
struct Package {
    std::string_view name, family;
    std::string_view types;  ///< blank-separated
};

constexpr std::array kPackages{
    Package{"action_msgs", "msg", "GoalInfo GoalStatus GoalStatusArray"},
    Package{"action_msgs", "srv", "CancelGoal"},
    Package{"builtin_interfaces", "msg", "Duration Time"},
    Package{"control_msgs", "action",
            "ExecuteMotionPrimitiveSequence FollowJointTrajectory FollowJointWrenchTrajectory "
            "GripperCommand JointTrajectory ParallelGripperCommand PointHead SingleJointPosition"},
    Package{"control_msgs", "msg",
            "AdmittanceControllerState BatteryStateArray CANopenState DynamicInterfaceGroupValues* "
            "DynamicInterfaceValues* DynamicJointState* EtherCATState Float64Values* "
            "GenericHardwareState GripperCommand HardwareDeviceDiagnostics* HardwareDeviceStatus* "
            "HardwareDiagnostics* HardwareStatus* InterfaceValue JointComponentTolerance "
            "JointControllerState* JointJog* JointTolerance JointTrajectoryControllerState* "
            "JointWrenchTrajectory* JointWrenchTrajectoryPoint Keys* MecanumDriveControllerState* "
            "MotionArgument MotionPrimitive MotionPrimitiveSequence MultiDOFCommand "
            "MultiDOFStateStamped* PidState* SingleDOFState SingleDOFStateStamped* SpeedScalingFactor "
            "SteeringControllerCommand* SteeringControllerStatus* VDA5050SafetyState VDA5050State "
            "WrenchFramed"},
    Package{"control_msgs", "srv", "QueryCalibrationState QueryTrajectoryState SetOdometry"},
    Package{"diagnostic_msgs", "msg", "DiagnosticArray* DiagnosticStatus KeyValue"},
    Package{"diagnostic_msgs", "srv", "AddDiagnostics SelfTest"},
    Package{"geometry_msgs", "msg",
            "Accel AccelStamped* AccelWithCovariance AccelWithCovarianceStamped* Inertia "
            "InertiaStamped* Point Point32 PointStamped* Polygon PolygonInstance "
            "PolygonInstanceStamped* PolygonStamped* Pose Pose2D PoseArray* PoseStamped* "
            "PoseWithCovariance PoseWithCovarianceStamped* Quaternion QuaternionStamped* Transform "
            "TransformStamped* Twist TwistStamped* TwistWithCovariance TwistWithCovarianceStamped* "
            "Vector3 Vector3Stamped* VelocityStamped* Wrench WrenchStamped*"},
    Package{"lifecycle_msgs", "msg", "State Transition TransitionDescription TransitionEvent"},
    Package{"lifecycle_msgs", "srv", "ChangeState GetAvailableStates GetAvailableTransitions GetState"},
    Package{"nav_msgs", "msg", "GridCells* MapMetaData OccupancyGrid* Odometry* Path*"},
    Package{"nav_msgs", "srv", "GetMap GetPlan LoadMap SetMap"},
    Package{"rosgraph_msgs", "msg", "Clock"},
    Package{"sensor_msgs", "msg",
            "BatteryState* CameraInfo* ChannelFloat32 CompressedImage* FluidPressure* Illuminance* "
            "Image* Imu* JointState* Joy* JoyFeedback JoyFeedbackArray LaserEcho LaserScan* "
            "MagneticField* MultiDOFJointState* MultiEchoLaserScan* NavSatFix* NavSatStatus PointCloud* "
            "PointCloud2* PointField Range* RegionOfInterest RelativeHumidity* Temperature* "
            "TimeReference*"},
    Package{"sensor_msgs", "srv", "SetCameraInfo"},
    Package{"shape_msgs", "msg", "Mesh MeshTriangle Plane SolidPrimitive"},
    Package{"std_msgs", "msg",
            "Bool Byte ByteMultiArray Char ColorRGBA Empty Float32 Float32MultiArray Float64 "
            "Float64MultiArray Header Int16 Int16MultiArray Int32 Int32MultiArray Int64 Int64MultiArray "
            "Int8 Int8MultiArray MultiArrayDimension MultiArrayLayout String UInt16 UInt16MultiArray "
            "UInt32 UInt32MultiArray UInt64 UInt64MultiArray UInt8 UInt8MultiArray"},
    Package{"std_srvs", "srv", "Empty SetBool Trigger"},
    Package{"stereo_msgs", "msg", "DisparityImage*"},
    Package{"tf2_msgs", "action", "LookupTransform"},
    Package{"tf2_msgs", "msg", "TF2Error TFMessage"},
    Package{"tf2_msgs", "srv", "FrameGraph"},
    Package{"trajectory_msgs", "msg",
            "JointTrajectory* JointTrajectoryPoint MultiDOFJointTrajectory* "
            "MultiDOFJointTrajectoryPoint"},
    Package{"vision_msgs", "msg",
            "BoundingBox2D BoundingBox2DArray* BoundingBox3D BoundingBox3DArray* Classification* "
            "Detection2D* Detection2DArray* Detection3D* Detection3DArray* LabelInfo* ObjectHypothesis "
            "ObjectHypothesisWithPose Point2D Pose2D VisionClass VisionInfo*"},
    Package{"visualization_msgs", "msg",
            "ImageMarker* InteractiveMarker* InteractiveMarkerControl InteractiveMarkerFeedback* "
            "InteractiveMarkerInit InteractiveMarkerPose* InteractiveMarkerUpdate Marker* MarkerArray "
            "MenuEntry MeshFile UVCoordinate"},
    Package{"visualization_msgs", "srv", "GetInteractiveMarkers"},
};

enum class Entry { missing, plain, stamped };

Entry entry_of(std::string_view types, std::string_view name)
{
    std::size_t at = 0;
    while (at < types.size()) {
        const std::size_t end  = std::min(types.find(' ', at), types.size());
        std::string_view  type = types.substr(at, end - at);
        const bool        star = type.ends_with('*');
        if (star) type.remove_suffix(1);
        if (type == name) return star ? Entry::stamped : Entry::plain;
        at = end + 1;
    }
    return Entry::missing;
}

}  // namespace

std::string TypeTable::file_of(const InterfaceType& type) const
{
    for (const std::string& folder : folders_)
        // Both layouts: a source tree (package/msg) and an installation (share/package/msg).
        for (const char* below : {"", "share"})
            for (const char* suffix : {type.family.c_str(), "idl"}) {
                const fs::path file =
                    fs::path(folder) / below / type.package / type.family / (type.name + "." + suffix);
                if (files::probe(file.string()) == files::Kind::file) return file.string();
            }
    return {};
}

bool TypeTable::has_package(const std::string& name) const
{
    return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
        // Probes are traced, so that a kept result is dropped when a package appears.
        return files::probe((fs::path(folder) / name).string()) == files::Kind::folder ||
               files::probe((fs::path(folder) / "share" / name).string()) == files::Kind::folder;
    });
}

std::optional<bool> TypeTable::is_known(const InterfaceType& type) const
{
    bool package = false;
    for (const Package& known : kPackages) {
        if (known.name != type.package) continue;
        package = true;
        if (known.family == type.family && entry_of(known.types, type.name) != Entry::missing) return true;
    }
    if (!file_of(type).empty()) return true;
    return package || has_package(type.package) ? std::optional(false) : std::nullopt;
}

std::optional<InterfaceType> TypeTable::meant(std::string_view package, std::string_view family, std::string_view name)
{
    const std::string            letters = letters_of(name), of_package = letters_of(package);
    std::optional<InterfaceType> found;
    for (const Package& known : kPackages) {
        if (known.family != family || (!of_package.empty() && letters_of(known.name) != of_package)) continue;
        std::istringstream types{std::string(known.types)};
        for (std::string type; types >> type;) {
            if (type.ends_with('*')) type.pop_back();
            if (letters_of(type) != letters) continue;
            if (found) return std::nullopt;
            found = InterfaceType{std::string(known.name), std::string(family), type};
        }
    }
    return found;
}

std::optional<bool> TypeTable::has_header(const InterfaceType& type) const
{
    for (const Package& known : kPackages)
        if (known.name == type.package && known.family == type.family)
            if (const Entry entry = entry_of(known.types, type.name); entry != Entry::missing)
                return entry == Entry::stamped;
    const std::string file = file_of(type);
    if (file.empty() || !file.ends_with(".msg")) return std::nullopt;
    // A definition is a few lines; a file of more than 1 MiB is none.
    constexpr std::uint64_t kMost = 1 << 20;
    const auto              text  = files::read(file, kMost);
    if (!text) return std::nullopt;
    std::istringstream in(*text);
    for (std::string line; std::getline(in, line);) {
        line = line.substr(0, line.find('#'));
        std::istringstream words(line);
        std::string        first;
        // The header counts only as the first field, as in the messages that tools stamp.
        if (words >> first) return first == "std_msgs/Header" || first == "std_msgs/msg/Header" || first == "Header";
    }
    return false;
}

}  // namespace mechane::ros
