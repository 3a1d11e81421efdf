#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mechane/run/controllers.h"
#include "mechane/run/scene.h"
#include "mechane/viewer/live_session.h"
#include "run/publication.h"

/// The ROS side of a live simulation: what it publishes, what it listens to, and what carries the messages.
namespace mechane::cli {

struct RosTopic {
    std::string                 name, type;
    bool                        published = true;  ///< false: the simulation listens to it
    ros::Qos                    qos{};
    std::optional<std::int64_t> domain{};
    [[nodiscard]] bool          latched() const { return published && qos.durability == "transient_local"; }
};

/// What carries messages between the simulation and others: rosbridge's protocol, DDS.
class RosCarrier {
  public:
    RosCarrier()                             = default;
    RosCarrier(const RosCarrier&)            = delete;
    RosCarrier& operator=(const RosCarrier&) = delete;
    virtual ~RosCarrier()                    = default;
    /// A message of a topic, by its index.
    virtual void publish(std::size_t topic, const nlohmann::json& message, double time) = 0;
    /// Takes in what has arrived.
    virtual void listen() = 0;
    /// Whether somebody may be listening.
    [[nodiscard]] virtual bool connected() const = 0;
};

/// The messages of one stage. It is a guest of the live simulation, and brings its carriers along.
class RosNode final : public viewer::LiveGuest {
  public:
    struct Options {
        std::vector<run::Switch>         switches{};
        std::vector<run::LiveController> controllers{};
        std::shared_ptr<run::LiveInbox>  inbox{};
        std::string                      robot_description{};  ///< URDF; empty: no such topic
        bool                             alone = false;        ///< runs although nobody is connected
        /// Told what is odd about messages that are obeyed all the same.
        std::function<void(const Diagnostic&)> tell{};
    };
    /// A goal of a trajectory that is under way.
    struct Goal {
        std::size_t controller = 0;
        double      end        = 0;  ///< [s]
    };

    RosNode(const run::Scene& scene, const run::StageInWorld& stage, const ros::TypeTable& types, Options options,
            Diagnostics& found);

    void add(std::unique_ptr<RosCarrier> carrier) { carriers_.push_back(std::move(carrier)); }

    [[nodiscard]] const std::vector<RosTopic>& topics() const { return topics_; }
    /// The topic with this name, published or listened to; nothing if there is none.
    [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;
    /// The last message of a latched topic; null before the first.
    [[nodiscard]] const nlohmann::json& last(std::size_t topic) const { return last_[topic]; }
    /// Names of the actions (control_msgs/action/FollowJointTrajectory).
    [[nodiscard]] std::vector<std::string> actions() const;
    [[nodiscard]] double                   time() const { return time_; }
    /// As simulation_interfaces names it, after all that was asked for.
    enum class SimulationState { stopped = 0, playing = 1, paused = 2 };
    [[nodiscard]] SimulationState state() const
    { return stopped_ ? SimulationState::stopped : playing_ ? SimulationState::playing : SimulationState::paused; }

    /// Does what a message asks for.
    /// @return what is wrong with it; empty if nothing is
    std::string receive(std::size_t topic, const nlohmann::json& message);
    /// Begins what a goal asks for; `why` says what is wrong with it.
    std::optional<Goal> begin(const std::string& action, const nlohmann::json& goal, std::string& why);
    /// Stops what is left of a goal: the joints stay where the last point was to be.
    void cancel(const Goal& goal);
    /// What simulations are asked for, as simulation_interfaces names it: to be in another state, ...
    void ask(SimulationState wanted);
    /// ... or to step and to begin again, which leaves the state.
    void ask(viewer::LiveCommand command) { asked_.push_back(command); }

    std::vector<viewer::LiveCommand> commands() override;
    void                             stepped(const record::Frame& frame, const viewer::LiveStatus& status) override;
    [[nodiscard]] bool               present() const override;

  private:
    /// What a topic that is listened to does.
    struct Listener {
        enum class Kind { twist, trajectory, joints } kind = Kind::joints;
        std::size_t controller                             = 0;
    };
    const run::Scene&                  scene_;
    Options                            options_;
    run::Publication                   publication_;
    std::vector<RosTopic>              topics_;
    std::vector<nlohmann::json>        last_;
    std::vector<std::size_t>           topic_of_line_;
    std::size_t                        clock_ = 0;
    std::optional<std::size_t>         description_{};
    std::map<std::size_t, Listener>    listeners_;
    std::map<std::string, std::size_t> actions_;  ///< to controllers
    std::map<std::string, std::vector<std::int32_t>>
                                             dofs_;  ///< that drives move, by name; several where it is ambiguous
    std::vector<std::unique_ptr<RosCarrier>> carriers_;
    std::vector<viewer::LiveCommand>         asked_;
    std::set<std::int32_t>                   warned_;  ///< dofs that were told to go beyond their limits
    double                                   time_    = -1;
    bool                                     playing_ = false, stopped_ = false, described_ = false;

    std::size_t add_topic(RosTopic topic);
    void        add_publishers();
    void        add_controllers();
    void        add_drives();
    void        say(std::size_t topic, nlohmann::json message);
    void        tell(run::LiveInbox::Message message);
    std::string twist(std::size_t controller, const nlohmann::json& message);
    std::string trajectory(std::size_t controller, const nlohmann::json& message, double& end);
    std::string joints(const nlohmann::json& message);
    void        warn_beyond_limits(std::int32_t dof, double target);
};

}  // namespace mechane::cli
