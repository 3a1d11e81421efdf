// An MCAP file of a recording: channels with their definitions and quality of service as rosbag2 writes them, messages
// as CDR. Times are nanoseconds of simulated time.
// What had no message is reported in one finding with the reason.

#include "mechane/run/publish.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "mechane/record/mcap.h"
#include "mechane/ros/controllers.h"
#include "mechane/run/codes.h"
#include "run/publication.h"
#include "simulation/command_cells.h"

namespace mechane::run {
namespace {

constexpr double kNanoseconds = 1e9;

std::uint64_t nanoseconds(double t) { return static_cast<std::uint64_t>(std::llround(t * kNanoseconds)); }

/// Quality of service as rosbag2 writes it.
std::string qos_profile(const ros::Qos& qos)
{
    return fmt::format("- history: {}\n  depth: {}\n  reliability: {}\n  durability: {}\n", qos.history, qos.depth,
                       qos.reliability, qos.durability);
}

void report_unknown(const Scene& scene, const Publication& publication, const std::vector<Switch>& switches,
                    Diagnostics& found)
{
    std::vector<std::string> controllers;
    for (const ros::Controller& one : ros::controllers(*scene.stage)) controllers.push_back(one.prim.path().text());
    for (const Switch& one : switches)
        if (!publication.knows(one) && find_label(controllers, one.name).empty())
            found.add(kArgument, {}, fmt::format("there is no publisher '{}'", one.name));
}

/// Reports which channels of the file have no message, and why, in one finding.
void report_silent(const Publication& publication, Diagnostics& found)
{
    std::map<std::string, std::vector<std::string>> topics_of;
    const Publication::Line*                        first = nullptr;
    for (const Publication::Line& line : publication.lines()) {
        if (line.messages > 0) continue;
        if (first == nullptr) first = &line;
        const bool made = line.states || line.points || !line.channel.frames.empty();
        topics_of[!made                         ? fmt::format("Mechane makes no {}", line.channel.type)
                  : line.channel.rate > 0       ? "switched off whenever they were due"
                  : line.channel.frames.empty() ? "no publish_rate"
                                                : "switched off"]
            .push_back(line.channel.topic);
    }
    if (publication.lines().empty())
        found.add(kChannelSilent, {}, "the file has no message: no publisher of the stage is ever on");
    if (first == nullptr) return;
    std::string parts;
    for (const auto& [why, topics] : topics_of)
        parts += fmt::format("{}{}{} ({})", parts.empty() ? "" : "; ", topics.front(),
                             topics.size() > 1 ? fmt::format(" and {} more", topics.size() - 1) : "", why);
    found.add(kChannelSilent, first->channel.prim ? first->channel.prim.site() : Site{},
              fmt::format("without a message: {}", parts));
}

/// The channels of a file, one for each line.
std::vector<std::uint16_t> open_channels(record::McapWriter& out, const Publication& publication)
{
    std::vector<std::uint16_t>           ids;
    std::map<std::string, std::uint16_t> schemas;
    for (const Publication::Line& line : publication.lines()) {
        const ros::Channel& channel = line.channel;
        // One schema a type.
        const auto [schema, fresh] = schemas.try_emplace(channel.type);
        if (fresh) {
            const std::string text = message_definition(channel.type);
            schema->second         = out.schema(channel.type, text.empty() ? "" : "ros2msg", text);
        }
        std::map<std::string, std::string> about{{"offered_qos_profiles", qos_profile(channel.qos)}};
        if (channel.prim) about["prim"] = channel.prim.path().text();
        if (channel.rate > 0) about["publish_rate"] = fmt::format("{}", channel.rate);
        if (channel.domain) about["domain_id"] = std::to_string(*channel.domain);
        ids.push_back(out.channel(schema->second, channel.topic, "cdr", about));
    }
    return ids;
}

std::vector<std::byte> as_cdr(std::uint64_t now, const Publication::Message& message)
{
    if (const auto* states = std::get_if<JointStates>(&message.content)) return joint_state(now, *states);
    if (const auto* cloud = std::get_if<PointCloud>(&message.content)) return point_cloud(now, *cloud);
    return tf_message(now, std::get<std::vector<TransformStamped>>(message.content));
}

}  // namespace

Result<Switch> parse_switch(const std::string& text, bool on)
{
    Switch out{.name = text, .time = 0, .on = on};
    // Names may have an @ themselves; the last one is before the time.
    const std::size_t at = text.rfind('@');
    if (at != std::string::npos) {
        out.name        = text.substr(0, at);
        const char* end = text.data() + text.size();
        const auto  got = std::from_chars(text.data() + at + 1, end, out.time);
        if (got.ec != std::errc() || got.ptr != end || !(out.time >= 0))
            return make_diagnostic(kArgument, {}, fmt::format("'{}' is not of the form NAME@SECONDS", text));
    }
    if (out.name.empty()) return make_diagnostic(kArgument, {}, fmt::format("'{}' names nothing", text));
    return out;
}

Result<void> write_mcap(const Scene& scene, const record::Recording& recording, const StageInWorld& stage,
                        const std::vector<Switch>& switches, const ros::TypeTable& types, const std::string& file,
                        Diagnostics& found)
{
    Publication        publication(scene, stage, switches, ros::channels(*scene.stage, types, found), true);
    record::McapWriter out("ros2", "mechane");
    const auto         ids = open_channels(out, publication);
    report_unknown(scene, publication, switches, found);
    for (const record::Frame& frame : recording.frames) {
        const std::uint64_t now = nanoseconds(frame.t);
        for (const Publication::Message& message : publication.at(frame)) {
            out.message(ids[message.line], now, as_cdr(now, message));
        }
    }
    auto done = out.finish(file);
    if (done) report_silent(publication, found);
    return done;
}

}  // namespace mechane::run
