#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mechane/run/publish.h"
#include "run/ros_messages.h"

namespace mechane::run {

/// Joints of a robot with one coordinate, as messages name them.
struct PublishedJoints {
    std::vector<std::string> names;
    std::vector<std::size_t> q, qd;  ///< where their coordinate and speed are
};

/// Poses of the frames of a stage, from the poses of bodies.
class FramePlaces {
  public:
    FramePlaces(const Scene& scene, const StageInWorld& stage, const std::vector<ros::Frame>& frames);
    /// Pose of a frame in its parent [m].
    [[nodiscard]] Posed relative(std::size_t frame, const record::Frame& at) const;

  private:
    /// A pose relative to a body, or to the world if no body carries the prim.
    struct Offset {
        std::int32_t body = -1;
        Posed        X;
    };
    const Scene&                   scene_;
    StageInWorld                   stage_;
    const std::vector<ros::Frame>& frames_;
    std::vector<Offset>            offsets_;

    [[nodiscard]] Posed  on_stage(const usd::Prim& prim) const;
    [[nodiscard]] Offset offset_of(const usd::Prim& prim) const;
    [[nodiscard]] Posed  world(std::size_t frame, const record::Frame& at) const;
};

/// What a simulator of a stage publishes, message by message. Where the stage declares nothing, not even switched off,
/// the robots of its first world get /tf, one frame for each body below the one that its joint hangs it on, and
/// /joint_states at 50 Hz; names are the bodies' and joints' last elements, with what stands before them where two are
/// called alike. Where they are asked for, what has particles has them on /particles, in the frame "world", at 50 Hz,
/// whatever the stage declares: no channel of a stage can ask for them.
class Publication {
  public:
    /// One channel. Of the defaults `channel.prim` is invalid.
    struct Line {
        ros::Channel    channel;
        PublishedJoints joints{};
        bool            states   = false;
        bool            points   = false;  ///< of particles
        double          next     = 0;      ///< [s]
        bool            said     = false;  ///< already published; a latched channel is published once
        std::size_t     messages = 0;
    };
    struct Message {
        std::size_t                                                          line = 0;
        std::variant<std::vector<TransformStamped>, JointStates, PointCloud> content;
    };

    Publication(const Scene& scene, const StageInWorld& stage, std::vector<Switch> switches, ros::Published what,
                bool particles = false);
    Publication(const Publication&)            = delete;
    Publication& operator=(const Publication&) = delete;

    /// The channels that are on at some time, in the order of the stage.
    [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
    /// Whether a channel has this name or lies on this prim.
    [[nodiscard]] bool knows(const Switch& one) const;
    /// The messages that are due at a frame; frames come in the order of time.
    std::vector<Message> at(const record::Frame& frame);
    /// Begins again, as at the start.
    void begin_again();

  private:
    const Scene&              scene_;
    std::vector<Switch>       switches_;
    ros::Published            what_;
    FramePlaces               places_;
    std::vector<Line>         lines_;
    std::vector<std::string>  names_;      ///< of the bodies, for the defaults
    std::vector<std::int32_t> parents_;    ///< body that a body hangs on, -1 the world
    std::vector<std::size_t>  particles_;  ///< of the first world

    [[nodiscard]] bool                          is_on(const ros::Channel& channel, double t) const;
    [[nodiscard]] bool                          ever_on(const ros::Channel& channel) const;
    void                                        add_defaults();
    void                                        add_particles();
    [[nodiscard]] std::vector<TransformStamped> transforms(const Line& line, const record::Frame& at) const;
};

}  // namespace mechane::run
