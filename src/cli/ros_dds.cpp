// Topics of ROS 2 over DDS, by a child process in Python with the package cyclonedds.
// The program itself does not link DDS. It sends one line of JSON for each message and reads one for each that arrives.
// Names on the wire follow the mapping of ROS 2: topics have the prefix "rt", types are "pkg::msg::dds_::Name_".
// Called by `mechane ros bridge --dds` and `mechane view --ros --dds`.

#include "cli/ros_dds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "cli/child.h"
#include "mechane/viewer/codes.h"

namespace mechane::cli {
namespace {

using nlohmann::json;

/// A node of ROS 2 in Python: reads a line that lists topics, then one line of JSON for each message to publish; prints
/// one for each message that arrives, and "{}" when all topics stand. Types are those of ROS's interface packages.
constexpr const char* kRelay = R"py(
import json, sys, threading, types
from dataclasses import dataclass, fields
from typing import get_args
try:
    from cyclonedds.core import Listener
    from cyclonedds.domain import DomainParticipant
    from cyclonedds.idl import IdlStruct
    from cyclonedds.idl.types import float64, int32, sequence, uint32
    from cyclonedds.pub import DataWriter
    from cyclonedds.qos import Policy, Qos
    from cyclonedds.sub import DataReader
    from cyclonedds.topic import Topic
    from cyclonedds.util import duration
except ImportError as missing:
    sys.exit(f"{missing}")

TYPES = {}
def message(package, name, /, **members):
    """A dataclass of DDS, by the names that ROS 2 gives its types there."""
    made = types.new_class(name + "_", (IdlStruct,), {"typename": f"{package}.msg.dds_.{name}_"}, lambda space: space.update(__annotations__=members))
    TYPES[f"{package}/msg/{name}"] = made = dataclass(made)
    return made

Time = message("builtin_interfaces", "Time", sec=int32, nanosec=uint32)
Duration = message("builtin_interfaces", "Duration", sec=int32, nanosec=uint32)
message("rosgraph_msgs", "Clock", clock=Time)
message("std_msgs", "String", data=str)
Header = message("std_msgs", "Header", stamp=Time, frame_id=str)
Vector3 = message("geometry_msgs", "Vector3", x=float64, y=float64, z=float64)
Quaternion = message("geometry_msgs", "Quaternion", x=float64, y=float64, z=float64, w=float64)
Transform = message("geometry_msgs", "Transform", translation=Vector3, rotation=Quaternion)
TransformStamped = message("geometry_msgs", "TransformStamped", header=Header, child_frame_id=str, transform=Transform)
message("tf2_msgs", "TFMessage", transforms=sequence[TransformStamped])
message("sensor_msgs", "JointState", header=Header, name=sequence[str], position=sequence[float64], velocity=sequence[float64], effort=sequence[float64])
Twist = message("geometry_msgs", "Twist", linear=Vector3, angular=Vector3)
message("geometry_msgs", "TwistStamped", header=Header, twist=Twist)
Point = message("trajectory_msgs", "JointTrajectoryPoint", positions=sequence[float64], velocities=sequence[float64], accelerations=sequence[float64],
                effort=sequence[float64], time_from_start=Duration)
message("trajectory_msgs", "JointTrajectory", header=Header, joint_names=sequence[str], points=sequence[Point])

def built(kind, value):
    if isinstance(value, list):
        inner = get_args(kind.__origin__)[0]
        return [built(inner, one) for one in value]
    if isinstance(value, dict):
        return kind(**{f.name: built(f.type, value[f.name]) for f in fields(kind)})
    return value

def plain(value):
    if isinstance(value, IdlStruct):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return value
    return [plain(one) for one in value]

def quality(qos):
    depth = max(1, min(int(qos["depth"]), 1000))
    return Qos(Policy.Reliability.BestEffort if qos["reliability"] == "best_effort" else Policy.Reliability.Reliable(duration(seconds=1)),
               Policy.Durability.TransientLocal if qos["durability"] == "transient_local" else Policy.Durability.Volatile,
               Policy.History.KeepAll if qos["history"] == "keep_all" else Policy.History.KeepLast(depth))

said = threading.Lock()
def say(document):
    with said:
        sys.stdout.write(json.dumps(document) + "\n")
        sys.stdout.flush()

class Heard(Listener):
    def __init__(self, number):
        super().__init__()
        self.number = number

    def on_data_available(self, reader):
        for sample in reader.take(N=64):
            if isinstance(sample, IdlStruct):
                say({"topic": self.number, "msg": plain(sample)})

participants, writers, kept = {}, {}, []
for topic in json.loads(sys.stdin.readline())["topics"]:
    kind, quality_of = TYPES.get(topic["type"]), quality(topic["qos"])
    if kind is None:
        continue
    domain = topic["domain"]
    node = participants.setdefault(domain, None) or DomainParticipant(domain)
    participants[domain] = node
    on_wire = Topic(node, "rt" + topic["name"], kind, qos=quality_of)
    if topic["published"]:
        writers[topic["number"]] = (DataWriter(node, on_wire, qos=quality_of), kind)
    else:
        kept.append(DataReader(node, on_wire, qos=quality_of, listener=Heard(topic["number"])))
say({"known": sorted(TYPES)})
for line in sys.stdin:
    document = json.loads(line)
    writer, kind = writers[document["topic"]]
    writer.write(built(kind, document["msg"]))
)py";

json quality(const ros::Qos& qos)
{
    return {{"reliability", qos.reliability},
            {"durability", qos.durability},
            {"history", qos.history},
            {"depth", qos.depth}};
}

class Dds final : public RosCarrier {
  public:
    Dds(RosNode& node, Child child, std::vector<bool> carried)
        : node_(node), child_(std::move(child)), carried_(std::move(carried))
    {
    }

    void publish(std::size_t topic, const json& message, double) override
    {
        if (!carried_[topic] || !child_.speaks()) return;
        const std::string line =
            json{{"topic", topic}, {"msg", message}}.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
        child_.write(std::span(reinterpret_cast<const unsigned char*>(line.data()), line.size()));
    }

    void listen() override
    {
        rest_ += child_.heard();
        std::size_t begin = 0;
        for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
            const json document = json::parse(rest_.substr(begin, end - begin), nullptr, false);
            if (!document.is_object() || !document.contains("msg") || !document.contains("topic") ||
                !document["topic"].is_number_unsigned())
                continue;
            // What is wrong with a message nobody can be told over DDS.
            if (const auto topic = document["topic"].get<std::size_t>(); topic < node_.topics().size())
                node_.receive(topic, document["msg"]);
        }
        rest_.erase(0, begin);
    }

    [[nodiscard]] bool connected() const override { return child_.speaks(); }  // who listens over DDS is not known here

  private:
    RosNode&          node_;
    Child             child_;
    std::vector<bool> carried_;
    std::string       rest_;
};

}  // namespace

Result<std::unique_ptr<RosCarrier>> open_dds(RosNode& node, std::int64_t domain, Diagnostics& found)
{
    const auto python = python_program();
    if (!python) return make_diagnostic(viewer::kViewDds, {}, "no python3 is on the path, which cyclonedds needs");
    auto child = Child::start({*python, "-u", "-c", kRelay});
    if (!child) return make_diagnostic(viewer::kViewDds, {}, fmt::format("{} could not be started", *python));
    json list = json::array();
    for (std::size_t t = 0; t < node.topics().size(); ++t) {
        const RosTopic& one = node.topics()[t];
        list.push_back({{"number", t},
                        {"name", one.name},
                        {"type", one.type},
                        {"published", one.published},
                        {"qos", quality(one.qos)},
                        {"domain", one.domain.value_or(domain)}});
    }
    const std::string head = json{{"topics", list}}.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
    child->write(std::span(reinterpret_cast<const unsigned char*>(head.data()), head.size()));
    constexpr auto kPatience = std::chrono::seconds(60);
    std::string    heard;
    for (const auto end = std::chrono::steady_clock::now() + kPatience; heard.find('\n') == std::string::npos;
         // The child says which types it knows, once all its topics stand.
         heard += child->heard()) {
        if (!child->speaks() || std::chrono::steady_clock::now() > end) {
            child->wait(std::chrono::seconds(5));
            std::string said = child->errors();
            while (said.ends_with('\n')) said.pop_back();
            return make_diagnostic(viewer::kViewDds, {},
                                   fmt::format("{} could not begin: {}", *python, said.substr(said.rfind('\n') + 1)));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const json        known = json::parse(heard, nullptr, false);
    std::vector<bool> carried;
    for (const RosTopic& one : node.topics()) {
        const auto& types = known["known"];
        carried.push_back(std::find(types.begin(), types.end(), one.type) != types.end());
        if (!carried.back()) found.add(viewer::kViewDdsType, {}, fmt::format("{} ({})", one.name, one.type));
    }
    return std::unique_ptr<RosCarrier>(std::make_unique<Dds>(node, *std::move(child), std::move(carried)));
}

}  // namespace mechane::cli
