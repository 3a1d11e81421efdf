// Messages of ROS 2 as CDR bytes (little-endian, XCDR1): tf2_msgs/TFMessage, sensor_msgs/JointState and
// sensor_msgs/PointCloud2, and their definitions as text, parts separated as in .msg files of bags.

#include "ros_messages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace mechane::run {
namespace {

constexpr std::string_view kSeparator =
    "================================================================================\nMSG: ";

constexpr std::string_view kHeader = "builtin_interfaces/Time stamp\nstring frame_id\n";
constexpr std::string_view kTime   = "int32 sec\nuint32 nanosec\n";

std::string with_parts(std::string_view text, const std::vector<std::pair<std::string_view, std::string_view>>& parts)
{
    std::string out(text);
    for (const auto& [name, part] : parts) {
        out += kSeparator;
        out += name;
        out += '\n';
        out += part;
    }
    return out;
}

/// Values one after the other, each at a multiple of its own size from the end of the header.
class CdrWriter {
  public:
    CdrWriter() : bytes_{std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}} {}

    // Alignment counts from behind the four bytes of the encapsulation header.
    template <class T>
    void put(T value)
    {
        while ((bytes_.size() - kHead) % sizeof(T) != 0) bytes_.push_back(std::byte{0});
        const std::size_t at = bytes_.size();
        bytes_.resize(at + sizeof(T));
        std::memcpy(bytes_.data() + at, &value, sizeof(T));
    }
    void put(const std::string& text)
    {
        // Strings have their length with the final zero.
        put(static_cast<std::uint32_t>(text.size() + 1));
        for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
        bytes_.push_back(std::byte{0});
    }
    void put(const std::vector<double>& values)
    {
        put(static_cast<std::uint32_t>(values.size()));
        for (const double value : values) put(value);
    }
    void put_bytes(const void* data, std::size_t size)
    {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + size);
        if (size > 0) std::memcpy(bytes_.data() + at, data, size);
    }
    void put_stamp(std::uint64_t time, const std::string& frame)
    {
        put(static_cast<std::int32_t>(time / 1'000'000'000));
        put(static_cast<std::uint32_t>(time % 1'000'000'000));
        put(frame);
    }
    [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    static constexpr std::size_t kHead = 4;
    std::vector<std::byte>       bytes_;
};

}  // namespace

std::string message_definition(std::string_view type)
{
    if (type == kJointState)
        return with_parts(
            "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n",
            {{"std_msgs/Header", kHeader}, {"builtin_interfaces/Time", kTime}});
    if (type == kPointCloud)
        return with_parts(
            "std_msgs/Header header\nuint32 height\nuint32 width\nPointField[] fields\nbool is_bigendian\n"
            "uint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense\n",
            {{"std_msgs/Header", kHeader},
             {"builtin_interfaces/Time", kTime},
             {"sensor_msgs/PointField",
              "uint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\nuint8 INT32=5\nuint8 UINT32=6\n"
              "uint8 FLOAT32=7\nuint8 FLOAT64=8\nstring name\nuint32 offset\nuint8 datatype\nuint32 count\n"}});
    if (type == "tf2_msgs/msg/TFMessage")
        return with_parts(
            "geometry_msgs/TransformStamped[] transforms\n",
            {{"geometry_msgs/TransformStamped", "std_msgs/Header header\nstring child_frame_id\nTransform transform\n"},
             {"std_msgs/Header", kHeader},
             {"builtin_interfaces/Time", kTime},
             {"geometry_msgs/Transform", "Vector3 translation\nQuaternion rotation\n"},
             {"geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n"},
             {"geometry_msgs/Quaternion", "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n"}});
    return {};
}

std::vector<std::byte> tf_message(std::uint64_t time, const std::vector<TransformStamped>& transforms)
{
    CdrWriter out;
    out.put(static_cast<std::uint32_t>(transforms.size()));
    for (const TransformStamped& transform : transforms) {
        out.put_stamp(time, transform.parent);
        out.put(transform.child);
        for (const double x : {transform.X_PC.p.x, transform.X_PC.p.y, transform.X_PC.p.z, transform.X_PC.q.x,
                               transform.X_PC.q.y, transform.X_PC.q.z, transform.X_PC.q.w})
            out.put(x);
    }
    return out.take();
}

std::vector<std::byte> point_cloud(std::uint64_t time, const PointCloud& cloud)
{
    constexpr std::uint32_t                           kFields = 6, kSize = kFields * sizeof(float);
    constexpr std::uint8_t                            kFloat32 = 7;
    static constexpr std::array<const char*, kFields> kNames{"x", "y", "z", "vx", "vy", "vz"};
    const auto points = static_cast<std::uint32_t>(cloud.values.size() / kFields);
    CdrWriter  out;
    out.put_stamp(time, cloud.frame);
    // A cloud without order is one row.
    out.put(std::uint32_t{1});
    out.put(points);
    out.put(kFields);
    for (std::uint32_t f = 0; f < kFields; ++f) {
        out.put(std::string(kNames[f]));
        out.put(static_cast<std::uint32_t>(f * sizeof(float)));
        out.put(kFloat32);
        out.put(std::uint32_t{1});
    }
    out.put(std::uint8_t{0});
    out.put(kSize);
    out.put(points * kSize);
    out.put(points * kSize);
    out.put_bytes(cloud.values.data(), cloud.values.size() * sizeof(float));
    const bool dense = std::all_of(cloud.values.begin(), cloud.values.end(), [](float x) { return std::isfinite(x); });
    out.put(static_cast<std::uint8_t>(dense));
    return out.take();
}

std::vector<std::byte> joint_state(std::uint64_t time, const JointStates& states)
{
    CdrWriter out;
    out.put_stamp(time, "");
    out.put(static_cast<std::uint32_t>(states.names.size()));
    for (const std::string& name : states.names) out.put(name);
    out.put(states.position);
    out.put(states.velocity);
    // Efforts are not known in a recording: an empty array means that.
    out.put(std::vector<double>{});
    return out.take();
}

}  // namespace mechane::run
