// Messages of ROS 2 as CDR bytes (little-endian, XCDR1): tf2_msgs/TFMessage and sensor_msgs/JointState, and their
// definitions as text, parts separated as in .msg files of bags.

#include "ros_messages.h"

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
