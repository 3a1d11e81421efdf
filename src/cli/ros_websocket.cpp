// The protocol of rosbridge (v2) over a WebSocket of this machine, so that roslibjs and others can connect.
// Operations: subscribe, publish, services of rosapi and of simulation_interfaces, action goals. Messages are JSON; no
// compression.
// Bounds: 1000 subscriptions a client; a client that reads too slowly is cut off by the server.
// Called by `mechane ros bridge` and `mechane view --ros`.

#include "cli/ros_websocket.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <map>

#include "mechane/viewer/server.h"

namespace mechane::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using Kind  = viewer::LiveCommand::Kind;

constexpr std::size_t kMostSubscriptions = 1000;                    ///< of one client
constexpr int         kSucceeded = 4, kCanceled = 5, kAborted = 6;  ///< action_msgs/msg/GoalStatus
constexpr int         kInvalidGoal = -1;                            ///< control_msgs/action/FollowJointTrajectory

std::string text(const json& message, const char* name)
{
    const auto found = message.find(name);
    return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

class Bridge final : public RosCarrier {
  public:
    Bridge(RosNode& node, std::unique_ptr<viewer::PageServer> server) : node_(node), server_(std::move(server)) {}

    void publish(std::size_t topic, const json& message, double time) override
    {
        end_goals(time);
        std::string all;  // the same words for all
        const auto  now = Clock::now();
        for (auto& [id, client] : clients_) {
            const auto wanted = client.topics.find(topic);
            if (wanted == client.topics.end()) continue;
            Subscription& one = wanted->second;
            if (one.said && now - one.last < one.period) continue;
            one.last = now, one.said = true;
            // Written once for all clients, and not at all if nobody wants it now: throttle_rate is the least time
            // between two messages to one client.
            if (all.empty()) all = published(topic, message);
            server_->send(all, id);
        }
    }

    void listen() override
    {
        for (const viewer::PageMessage& message : server_->take(std::chrono::milliseconds(0))) {
            if (message.kind == viewer::PageMessage::Kind::came) clients_[message.page];
            if (message.kind == viewer::PageMessage::Kind::went) leave(message.page);
            if (message.kind == viewer::PageMessage::Kind::said) read(message.page, message.text);
        }
    }

    [[nodiscard]] bool connected() const override { return !clients_.empty(); }

  private:
    struct Subscription {
        Clock::duration   period{};
        Clock::time_point last{};
        bool              said = false;
    };
    struct Client {
        std::map<std::size_t, Subscription> topics;
    };
    struct Running {
        std::uint64_t client = 0;
        std::string   id, action;
        RosNode::Goal goal;
    };
    RosNode&                            node_;
    std::unique_ptr<viewer::PageServer> server_;
    std::map<std::uint64_t, Client>     clients_;
    std::vector<Running>                goals_;

    void send(std::uint64_t client, const json& message)
    { server_->send(message.dump(-1, ' ', false, json::error_handler_t::replace), client); }
    void status(std::uint64_t client, const json& asked, const char* level, const std::string& what)
    {
        json out{{"op", "status"}, {"level", level}, {"msg", what}};
        if (asked.is_object() && asked.contains("id")) out["id"] = asked["id"];
        send(client, out);
    }
    [[nodiscard]] std::string published(std::size_t topic, const json& message) const
    {
        return json{{"op", "publish"}, {"topic", node_.topics()[topic].name}, {"msg", message}}.dump(
            -1, ' ', false, json::error_handler_t::replace);
    }

    // Goals of a client that left run on; only nobody is told of their end.
    void leave(std::uint64_t client)
    {
        clients_.erase(client);
        std::erase_if(goals_, [&](const Running& one) { return one.client == client; });
    }

    void read(std::uint64_t client, const std::string& words)
    {
        const json message = json::parse(words, nullptr, false);
        if (!message.is_object()) return status(client, {}, "error", "a message is a JSON object");
        const std::string op = text(message, "op");
        if (op == "subscribe") return subscribe(client, message);
        if (op == "unsubscribe") return unsubscribe(client, message);
        if (op == "advertise" || op == "publish") return hear(client, message, op == "publish");
        if (op == "unadvertise" || op == "set_level" || op == "auth" || op == "status") return;
        if (op == "call_service") return call(client, message);
        if (op == "send_action_goal") return begin(client, message);
        if (op == "cancel_action_goal") return cancel(client, message);
        status(client, message, "error",
               fmt::format("unknown op '{}': subscribe, unsubscribe, advertise, unadvertise, publish, call_service, "
                           "send_action_goal and cancel_action_goal are known",
                           op));
    }

    /// The topic that a message names; says so where there is none, or one of another type.
    std::optional<std::size_t> topic_of(std::uint64_t client, const json& message)
    {
        const std::string name = text(message, "topic"), type = text(message, "type");
        const auto        topic = node_.find(name);
        if (!topic) {
            std::vector<std::string> known;
            for (const RosTopic& one : node_.topics()) known.push_back(one.name);
            status(client, message, "error",
                   fmt::format("there is no topic '{}'; there are {}", name, fmt::join(known, ", ")));
            return std::nullopt;
        }
        // rosbridge clients may leave the type out.
        if (type.empty() || type == node_.topics()[*topic].type || type == shortened(node_.topics()[*topic].type))
            return topic;
        status(client, message, "error",
               fmt::format("{} is of the type {}, not {}", name, node_.topics()[*topic].type, type));
        return std::nullopt;
    }
    /// "geometry_msgs/Twist", as clients of ROS 1 write it.
    static std::string shortened(const std::string& type)
    {
        const std::size_t at = type.find("/msg/");
        return at == std::string::npos ? type : type.substr(0, at) + type.substr(at + 4);
    }

    void subscribe(std::uint64_t client, const json& message)
    {
        const auto topic = topic_of(client, message);
        if (!topic) return;
        if (!node_.topics()[*topic].published)
            return status(
                client, message, "warning",
                fmt::format("{} is listened to by the simulation; nobody publishes it", node_.topics()[*topic].name));
        if (const std::string how = text(message, "compression"); !how.empty() && how != "none")
            status(client, message, "warning",
                   fmt::format("compression '{}' is not known; messages come as JSON", how));
        auto& wanted = clients_[client].topics;
        if (wanted.size() >= kMostSubscriptions) return;
        const auto throttle = message.find("throttle_rate");
        const auto ms       = throttle != message.end() && throttle->is_number_integer()
                                  ? std::clamp<std::int64_t>(throttle->get<std::int64_t>(), 0, 3'600'000)
                                  : 0;
        wanted[*topic]      = {.period = std::chrono::milliseconds(ms)};
        // A latched topic is told to those who come later.
        if (!node_.last(*topic).is_null()) server_->send(published(*topic, node_.last(*topic)), client);
    }
    void unsubscribe(std::uint64_t client, const json& message)
    {
        if (const auto topic = node_.find(text(message, "topic"))) clients_[client].topics.erase(*topic);
    }
    void hear(std::uint64_t client, const json& message, bool says)
    {
        const auto topic = topic_of(client, message);
        if (!topic) return;
        const json        nothing;
        const std::string wrong =
            says ? node_.receive(*topic, message.contains("msg") ? message["msg"] : nothing) : std::string();
        if (!wrong.empty()) status(client, message, "error", fmt::format("{}: {}", node_.topics()[*topic].name, wrong));
    }

    // -- services

    void call(std::uint64_t client, const json& message)
    {
        // A failed call answers with result false, and the reason stands in place of the values.
        const std::string service = text(message, "service");
        const json  args = message.contains("args") && message["args"].is_object() ? message["args"] : json::object();
        std::string wrong;
        json        values = answer(service.starts_with('/') ? service : "/" + service, args, wrong);
        json        out{{"op", "service_response"}, {"service", service}, {"result", wrong.empty()}};
        out["values"] = wrong.empty() ? std::move(values) : json(wrong);
        if (message.contains("id")) out["id"] = message["id"];
        send(client, out);
    }
    [[nodiscard]] static const std::vector<std::string>& services()
    {
        static const std::vector<std::string> all{
            "/rosapi/topics",        "/rosapi/topic_type",     "/rosapi/topics_for_type", "/rosapi/services",
            "/rosapi/nodes",         "/rosapi/action_servers", "/rosapi/get_time",        "/rosapi/get_ros_version",
            "/get_simulation_state", "/set_simulation_state",  "/reset_simulation",       "/step_simulation"};
        return all;
    }
    json answer(const std::string& service, const json& args, std::string& wrong)
    {
        const auto& topics = node_.topics();
        if (service == "/rosapi/topics") {
            json out{{"topics", json::array()}, {"types", json::array()}, {"typedefs_full_text", json::array()}};
            for (const RosTopic& one : topics) {
                out["topics"].push_back(one.name), out["types"].push_back(one.type);
                out["typedefs_full_text"].push_back(run::message_definition(one.type));
            }
            return out;
        }
        if (service == "/rosapi/topic_type") {
            const auto topic = node_.find(text(args, "topic"));
            return {{"type", topic ? topics[*topic].type : ""}};
        }
        if (service == "/rosapi/topics_for_type") {
            json out = json::array();
            for (const RosTopic& one : topics)
                if (one.type == text(args, "type")) out.push_back(one.name);
            return {{"topics", out}};
        }
        if (service == "/rosapi/services") return {{"services", services()}};
        if (service == "/rosapi/nodes") return {{"nodes", {"/mechane"}}};
        if (service == "/rosapi/action_servers") return {{"action_servers", node_.actions()}};
        if (service == "/rosapi/get_ros_version") return {{"version", 2}, {"distro", "none"}};
        if (service == "/rosapi/get_time") {
            const auto ns = static_cast<std::int64_t>(std::max(0.0, node_.time()) * 1e9);
            return {{"time", {{"sec", ns / 1'000'000'000}, {"nanosec", ns % 1'000'000'000}}}};
        }
        return simulation(service, args, wrong);
    }
    /// Services of the package simulation_interfaces, with the codes of its Result and of SetSimulationState.
    json simulation(const std::string& service, const json& args, std::string& wrong)
    {
        using State             = RosNode::SimulationState;
        constexpr int kUnsupported = 0, kOk = 1, kIncorrectState = 3, kFailed = 4, kAlreadyThere = 101;
        const auto    result = [](int code, const std::string& text) {
            return json{{"result", {{"result", code}, {"error_message", text}}}};
        };
        // A number of an argument; nothing if it is none.
        const auto whole = [](const json& from, const char* name) -> std::optional<std::int64_t> {
            const auto found = from.find(name);
            if (found == from.end() || !found->is_number_integer()) return std::nullopt;
            return found->get<std::int64_t>();
        };
        if (service == "/get_simulation_state") {
            json out     = result(kOk, "");
            out["state"] = {{"state", static_cast<int>(node_.state())}};
            return out;
        }
        if (service == "/set_simulation_state") {
            const auto wanted = args.contains("state") && args["state"].is_object() ? whole(args["state"], "state")
                                                                                     : std::nullopt;
            if (!wanted) return result(kFailed, "state.state is a whole number: 0 (stopped), 1 (playing), 2 (paused)");
            if (*wanted < 0 || *wanted > 2)
                return result(kUnsupported,
                              fmt::format("state {}: only 0 (stopped), 1 (playing) and 2 (paused) are known", *wanted));
            if (static_cast<State>(*wanted) == node_.state())
                return result(kAlreadyThere, "the simulation is in this state already");
            node_.ask(static_cast<State>(*wanted));
            return result(kOk, "");
        }
        if (service == "/reset_simulation") {
            // ResetSimulation: the default and everything, or time and state alike; time alone does not go back.
            constexpr std::int64_t kState = 2, kAll = 255;
            const std::int64_t     scope = args.contains("scope") ? whole(args, "scope").value_or(-1) : 0;
            if (scope < 0 || scope > kAll) return result(kFailed, "scope is a whole number from 0 to 255");
            if (scope != 0 && (scope & kState) == 0)
                return result(kUnsupported, "a reset is of the whole state: scope 0, 2, 3 or 255");
            node_.ask({.kind = Kind::reset});
            return result(kOk, "");
        }
        if (service == "/step_simulation") {
            const auto steps = whole(args, "steps");
            if (!steps || *steps < 1 || *steps > 1000) return result(kFailed, "steps is a whole number from 1 to 1000");
            if (node_.state() != State::paused)
                return result(kIncorrectState, "the simulation is not paused; set_simulation_state 2 pauses it");
            node_.ask({.kind = Kind::step, .index = static_cast<std::int32_t>(*steps)});
            return result(kOk, "");
        }
        wrong = fmt::format("there is no service '{}'; there are {}", service, fmt::join(services(), ", "));
        return {};
    }

    // -- goals of trajectories

    void finish(const Running& one, int how, int code, const std::string& why)
    {
        send(one.client, {{"op", "action_result"},
                          {"id", one.id},
                          {"action", one.action},
                          {"values", {{"error_code", code}, {"error_string", why}}},
                          {"status", how},
                          {"result", how == kSucceeded}});
    }
    void begin(std::uint64_t client, const json& message)
    {
        Running     one{.client = client, .id = text(message, "id"), .action = text(message, "action"), .goal = {}};
        std::string why;
        const json  nothing;
        const auto  goal = node_.begin(one.action, message.contains("args") ? message["args"] : nothing, why);
        if (!goal) return finish(one, kAborted, kInvalidGoal, why);
        one.goal = *goal;
        // Of the goals of one controller the last one counts.
        std::erase_if(goals_, [&](const Running& earlier) {
            if (earlier.goal.controller != goal->controller) return false;
            finish(earlier, kAborted, 0, "another goal took its place");
            return true;
        });
        goals_.push_back(std::move(one));
    }
    void cancel(std::uint64_t client, const json& message)
    {
        std::erase_if(goals_, [&](const Running& one) {
            if (one.client != client || one.id != text(message, "id")) return false;
            node_.cancel(one.goal);
            finish(one, kCanceled, 0, "");
            return true;
        });
    }
    void end_goals(double time)
    {
        std::erase_if(goals_, [&](const Running& one) {
            // A goal has succeeded when the time of its last point has come: the controller follows the trajectory, and
            // how well is for its reader to judge.
            if (time < one.goal.end) return false;
            finish(one, kSucceeded, 0, "");
            return true;
        });
    }
};

}  // namespace

Result<RosWebSocket> RosWebSocket::open(RosNode& node, int port, std::vector<std::string> origins)
{
    viewer::ServerOptions options{.port = port};
    options.tokenless = true;
    options.origins   = std::move(origins);
    auto server       = viewer::PageServer::start({}, {}, options);
    if (!server) return server.error();
    RosWebSocket out;
    out.port    = (*server)->port();
    out.carrier = std::make_unique<Bridge>(node, *std::move(server));
    return out;
}

}  // namespace mechane::cli
