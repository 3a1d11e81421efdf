// Controllers of a stage (REP-0158) as something that runs with a simulation: names of switches and columns, drives
// behind joints, and the events. Preparation reads and checks, Running commands before each step.
// Mistakes in tables and switches are errors; a controller that cannot move anything is reported and passed by.

#include "mechane/run/controllers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "mechane/ros/channels.h"
#include "mechane/ros/frames.h"
#include "mechane/ros/interfaces.h"
#include "mechane/run/codes.h"
#include "run/controller_motions.h"
#include "run/controller_schedule.h"
#include "simulation/command_cells.h"

namespace mechane::run {
namespace {

using model::TargetMode;

/// A column that a controller reads: "PATH.field" or "PATH.field[JOINT]".
struct Column {
    std::size_t controller, cell;
    std::string field, joint;
};

/// One controller as it runs; nothing for those without a runtime.
struct Motion {
    std::vector<JointTrajectory>     joints;
    std::vector<std::string>         names;  ///< of the joints, in messages
    std::optional<DifferentialDrive> wheels;
};

/// A message takes the place of what the table says from `now` on.
void take(const LiveInbox::Message& message, double now, Motion& motion)
{
    if (motion.wheels) {
        motion.wheels->times   = {now};
        motion.wheels->linear  = {message.linear};
        motion.wheels->angular = {message.angular};
    }
    for (const LiveInbox::JointPoints& points : message.points)
        for (std::size_t j = 0; j < motion.joints.size(); ++j) {
            if (motion.names[j] != points.joint) continue;
            const auto track = [&](const std::vector<double>& values) {
                Track out;
                if (values.size() != points.times.size()) return out;
                // Times of a message are counted from its arrival.
                for (const double t : points.times) out.times.push_back(now + t);
                out.values = values;
                return out;
            };
            motion.joints[j].position = track(points.position);
            motion.joints[j].velocity = track(points.velocity);
            motion.joints[j].effort   = track(points.effort);
        }
}

/// Prepares the controllers of one stage.
class Preparation {
  public:
    Preparation(const Scene& scene, const ControllerOptions& options, Diagnostics& found)
        : controllers(ros::controllers(*scene.stage)), scene_(scene), options_(options), found_(found)
    {
        for (const ros::Controller& controller : controllers) paths_.push_back(controller.prim.path().text());
    }

    /// Resolves the names of the switches.
    /// @error RUN_ARGUMENT
    Result<void> read_switches()
    {
        std::vector<std::string> published;
        for (const Switch& one : options_.switches) {
            std::vector<std::size_t> meant = find_label(paths_, one.name);
            if (!meant.empty()) {
                switches.push_back(one);
                of.push_back(std::move(meant));
                continue;
            }
            // Switches may name publishers, which publication.cpp honours.
            if (published.empty()) published = publishers();
            if (std::find(published.begin(), published.end(), one.name) == published.end())
                return make_diagnostic(kArgument, {}, fmt::format("there is no controller or publisher '{}'", one.name),
                                       "'mechane ros interfaces --controllers FILE' lists them.");
        }
        return {};
    }

    /// Assigns the columns of the table to controllers.
    /// @error RUN_CONTROL_FILE
    Result<void> read_columns()
    {
        if (options_.table.empty()) return {};
        auto cells = read_cells(options_.table, options_.table_name);
        if (!cells) return cells.error();
        cells_ = *std::move(cells);
        for (std::size_t i = 0; i < cells_.columns.size(); ++i) {
            std::string_view name = cells_.columns[i], joint;
            if (const std::size_t bracket = name.rfind('['); bracket != std::string_view::npos && name.ends_with(']')) {
                joint = name.substr(bracket + 1, name.size() - bracket - 2);
                name  = name.substr(0, bracket);
            }
            const std::size_t dot = name.rfind('.');
            // A column without a dot, or of another prim, belongs to settings.cpp.
            if (dot == std::string_view::npos) continue;
            const auto owner = find_label(paths_, trimmed(name.substr(0, dot)));
            if (owner.empty()) continue;
            Column column{owner.front(), i, std::string(trimmed(name.substr(dot + 1))), std::string(trimmed(joint))};
            for (const std::size_t c : owner)  // of several schemas on one prim, the one with a runtime
                if (ros::has_runtime(controllers[c].kind)) column.controller = c;
            if (const auto wrong = fault(column))
                return make_diagnostic(kControlFile, {.layer = options_.table_name, .line = cells_.header_line},
                                       *wrong);
            columns.push_back(cells_.columns[i]);
            columns_.push_back(std::move(column));
        }
        return {};
    }

    /// @error RUN_CONTROL_FILE
    Result<std::optional<Motion>> motion(std::size_t controller)
    {
        if (controllers[controller].kind == ros::ControllerKind::joint_trajectory) return trajectory(controller);
        if (controllers[controller].kind == ros::ControllerKind::diff_drive) return differential(controller);
        return std::optional<Motion>();
    }

    void report_without_runtime(std::size_t controller) const
    {
        const ros::Controller& one = controllers[controller];
        if (std::any_of(one.targets.begin(), one.targets.end(), [](const auto& target) { return target.commands; }))
            found_.add(kControllerNoRuntime, one.prim.site(),
                       fmt::format("{} is on, and nothing carries out what {} asks for", one.prim.path().text(),
                                   one.schema.empty() ? "it" : one.schema));
    }

    std::vector<ros::Controller>          controllers;
    std::vector<Switch>                   switches;  ///< of controllers
    std::vector<std::vector<std::size_t>> of;
    std::vector<std::string>              columns;

  private:
    const Scene&             scene_;
    const ControllerOptions& options_;
    Diagnostics&             found_;
    std::vector<std::string> paths_;
    CommandCells             cells_;
    std::vector<Column>      columns_;

    /// Further topics and prims that switches may name, for the writer of messages.
    [[nodiscard]] std::vector<std::string> publishers() const
    {
        std::vector<std::string> out;
        // Told when they are published.
        Diagnostics              unsaid;
        for (const ros::Interface& one : ros::interfaces(*scene_.stage)) {
            out.push_back(one.resolved);
            out.push_back(one.prim.path().text());
        }
        for (const ros::Frame& frame : ros::frames(*scene_.stage, unsaid)) {
            out.push_back(frame.topic);
            out.push_back(ros::outermost_context(frame.prim).path().text());
        }
        return out;
    }

    [[nodiscard]] std::optional<std::string> fault(const Column& column) const
    {
        const ros::Controller& owner = controllers[column.controller];
        const auto             is    = [&](std::initializer_list<std::string_view> names) {
            return std::find(names.begin(), names.end(), column.field) != names.end();
        };
        if (owner.kind == ros::ControllerKind::diff_drive)
            return is({"linear", "angular"}) && column.joint.empty()
                       ? std::nullopt
                       : std::optional(fmt::format("{} has columns linear and angular, not '{}'",
                                                   owner.prim.path().text(), column.field));
        if (owner.kind != ros::ControllerKind::joint_trajectory)
            return fmt::format("{}, which the column '{}' commands, has no runtime", owner.prim.path().text(),
                               cells_.columns[column.cell]);
        if (!is({"position", "velocity", "effort"}) || column.joint.empty())
            return fmt::format("{} has columns position[JOINT], velocity[JOINT] and effort[JOINT], not '{}'",
                               owner.prim.path().text(), cells_.columns[column.cell]);
        const auto joints = command_joints(owner);
        if (std::none_of(joints.begin(), joints.end(),
                         [&](const usd::Prim& joint) { return ros::joint_name(joint) == column.joint; }))
            return fmt::format("{} commands no joint that is called '{}'", owner.prim.path().text(), column.joint);
        return std::nullopt;
    }

    [[nodiscard]] std::vector<usd::Prim> command_joints(const ros::Controller& controller) const
    { return joints_of(controller, "ros:joint_trajectory:command_joints"); }
    [[nodiscard]] std::vector<usd::Prim> joints_of(const ros::Controller& controller, std::string_view relation) const
    {
        std::vector<usd::Prim> out;
        for (const ros::ControlledPrim& target : controller.targets)
            if (target.relation == relation)
                if (const usd::Prim joint = scene_.stage->prim_at(target.path); joint.is_a("PhysicsJoint"))
                    out.push_back(joint);
        return out;
    }

    void idle(const usd::Prim& prim, std::string message) const
    { found_.add(kControllerIdle, prim.site(), std::move(message)); }

    /// The drive that receives the commands of one joint.
    [[nodiscard]] std::optional<DrivenAxis> axis_of(const ros::Controller& controller, const usd::Prim& joint,
                                                    bool with_position, bool with_velocity) const
    {
        const model::Model& model = scene_.model;
        const auto          says  = [&](const char* what) -> std::optional<DrivenAxis> {
            idle(controller.prim,
                 fmt::format("{} does not move {}: {}", controller.prim.path().text(), joint.path().text(), what));
            return std::nullopt;
        };
        // Joints may share one model joint (axes of a D6): the map says which axis.
        const auto known = scene_.imported.path_joint_map.find(joint.path().text());
        if (known == scene_.imported.path_joint_map.end() || known->second < 0)
            return says("the model has no such joint");
        const auto         first  = static_cast<std::size_t>(known->second);
        const auto         shared = scene_.imported.path_joint_axis.find(joint.path().text());
        const std::int32_t dofs   = model.joint_qd_start[first + 1] - model.joint_qd_start[first];
        const std::int32_t axis   = shared == scene_.imported.path_joint_axis.end() ? 0 : shared->second;
        const bool         straight =
            model.joint_q_start[first + 1] - model.joint_q_start[first] == dofs;  // a coordinate for each axis
        if (!straight || axis >= dofs || (dofs != 1 && shared == scene_.imported.path_joint_axis.end()))
            return says("it does not have one axis");
        const auto       dof  = static_cast<std::size_t>(model.joint_qd_start[first] + axis);
        // A target does nothing where the drive does not follow it.
        const TargetMode mode = model.joint_target_mode[dof];
        if (mode == TargetMode::none) return says("it has no drive");
        const bool follows_position = mode == TargetMode::position || mode == TargetMode::position_velocity;
        const bool follows_velocity = mode == TargetMode::velocity || mode == TargetMode::position_velocity;
        if (with_position && !follows_position && !follows_velocity)
            return says("its drive has neither stiffness nor damping");
        if (with_velocity && !follows_velocity)
            return says("its drive does not follow velocities; that takes damping and no stiffness");
        DrivenAxis out;
        out.effort_limit = static_cast<double>(model.joint_effort_limit[dof]);
        // Replicas of the joint in other worlds are commanded alike.
        for (std::size_t j = 0; j < model.joint_count(); ++j) {
            if (model.joint_label[j] != model.joint_label[first]) continue;
            out.q.push_back(static_cast<std::size_t>(model.joint_q_start[j] + axis));
            out.qd.push_back(static_cast<std::size_t>(model.joint_qd_start[j] + axis));
        }
        return out;
    }

    /// A cell of a column; nothing when it is empty.
    /// @param fits  what a unit behind the number may measure; nothing: either
    Result<std::optional<double>> number(const CommandCells::Row& row, std::size_t cell, std::optional<Unit> fits) const
    {
        if (row.cells[cell].empty()) return std::optional<double>();
        const auto value = parse_quantity(row.cells[cell]);
        if (!value)
            return make_diagnostic(kControlFile, {.layer = options_.table_name, .line = row.line},
                                   fmt::format("'{}' is not a finite number", row.cells[cell]));
        if (fits && value->unit != Unit::none && value->unit != *fits)
            return make_diagnostic(
                kControlFile, {.layer = options_.table_name, .line = row.line},
                fmt::format("'{}' is {}, and {} takes {}", row.cells[cell], unit_words(value->unit),
                            cells_.columns[cell], *fits == Unit::none ? "a plain number" : unit_words(*fits)));
        return std::optional(value->value);
    }

    Result<std::optional<Motion>> trajectory(std::size_t controller)
    {
        Motion out;
        for (const usd::Prim& joint : command_joints(controllers[controller])) {
            JointTrajectory           one;
            // Units are checked only where the type of joint says what it measures.
            const std::optional<Unit> moves = joint.is_a("PhysicsPrismaticJoint")  ? std::optional(Unit::length)
                                              : joint.is_a("PhysicsRevoluteJoint") ? std::optional(Unit::angle)
                                                                                   : std::nullopt;
            for (const Column& column : columns_) {
                if (column.controller != controller || column.joint != ros::joint_name(joint)) continue;
                Track& track = column.field == "position"   ? one.position
                               : column.field == "velocity" ? one.velocity
                                                            : one.effort;
                for (const CommandCells::Row& row : cells_.rows) {
                    const auto value = number(row, column.cell, column.field == "effort" ? Unit::none : moves);
                    if (!value) return value.error();
                    if (!*value) continue;
                    track.times.push_back(row.time);
                    track.values.push_back(**value);
                }
            }
            auto axis = axis_of(controllers[controller], joint, !one.position.empty(),
                                one.position.empty() && !one.velocity.empty());
            if (!axis) continue;
            one.axis = *std::move(axis);
            out.joints.push_back(std::move(one));
            out.names.push_back(ros::joint_name(joint));
        }
        return std::optional(std::move(out));
    }

    Result<std::optional<Motion>> differential(std::size_t controller)
    {
        const ros::Controller& one   = controllers[controller];
        const auto             value = [&](const char* name) {
            const auto authored =
                one.prim.attribute(usd::Token(std::string("ros:diff_drive:") + name)).authored_as<double>();
            // Infinity or nothing authored means no limit, which is 0 here.
            return authored && std::isfinite(*authored) ? *authored : 0.0;
        };
        DifferentialDrive drive;
        drive.separation           = options_.metre * value("wheel_separation");
        drive.radius               = options_.metre * value("wheel_radius");
        drive.timeout              = std::max(0.0, value("cmd_vel_timeout"));
        // Lengths on a stage are in its units; angles are radians by REP-0158.
        drive.linear_speed         = options_.metre * value("linear:x:max_velocity");
        drive.linear_acceleration  = options_.metre * value("linear:x:max_acceleration");
        drive.angular_speed        = value("angular:z:max_velocity");
        drive.angular_acceleration = value("angular:z:max_acceleration");
        if (!(drive.separation > 0) || !(drive.radius > 0)) {
            idle(one.prim,
                 one.prim.path().text() + " turns no wheels: wheel_separation and wheel_radius are not both positive");
            return std::optional<Motion>();
        }
        for (const char* side : {"left", "right"})
            for (const usd::Prim& wheel : joints_of(one, std::string("ros:diff_drive:") + side + "_wheels"))
                if (auto axis = axis_of(one, wheel, false, true))
                    (side[0] == 'l' ? drive.left : drive.right).push_back(*std::move(axis));
        if (drive.left.empty() || drive.right.empty()) {
            idle(one.prim, one.prim.path().text() + " turns no wheels: there are none on one of its sides");
            return std::optional<Motion>();
        }
        for (const CommandCells::Row& row : cells_.rows) {
            std::optional<double> said[2];
            for (const Column& column : columns_) {
                if (column.controller != controller) continue;
                const auto cell = number(row, column.cell, column.field == "linear" ? Unit::length : Unit::angle);
                if (!cell) return cell.error();
                if (*cell) said[column.field == "linear" ? 0 : 1] = *cell;
            }
            // A row with an empty cell says 0 of it; a row with none says nothing.
            if (!said[0] && !said[1]) continue;
            drive.times.push_back(row.time);
            drive.linear.push_back(said[0].value_or(0));
            drive.angular.push_back(said[1].value_or(0));
        }
        Motion out;
        out.wheels = std::move(drive);
        return std::optional(std::move(out));
    }
};

/// The controllers while the simulation runs.
class Running {
  public:
    Running(std::vector<std::optional<Motion>> motions, std::vector<ControllerSchedule::Event> events, double begin,
            std::vector<std::size_t> told, std::shared_ptr<LiveInbox> inbox)
        : motions_(std::move(motions)),
          original_(motions_),
          events_(std::move(events)),
          since_(motions_.size()),
          told_(std::move(told)),
          inbox_(std::move(inbox)),
          begin_(begin)
    {
    }

    void command(double begin, double end, const model::State& state, model::Control& control)
    {
        // Time that goes back means a reset run.
        if (begin < last_) begin_again();
        last_ = begin;
        // After a checkpoint the controls already contain the events before it. The step before it had the same length.
        // Events before a checkpoint must not take over the joints again.
        if (begin_ > 0 && next_ == 0) pass(begin - (end - begin));
        const std::size_t first = next_;
        pass(begin);
        if (inbox_)
            for (const LiveInbox::Message& message : std::exchange(inbox_->waiting, {}))
                // Messages of a live session name controllers by their place in that list.
                if (message.controller < told_.size()) take(message, begin, *motions_[told_[message.controller]]);
        const auto step_of = [&](std::size_t c, bool goes_on) {
            return ControlStep{begin, end - begin, since_[c].value_or(kLoaded), goes_on, state, control};
        };
        // First who lets go or takes over, then commands: a hand-over in one step leaves nobody's rest.
        for (std::size_t e = first; e < next_; ++e) {
            const auto& [time, c, on] = events_[e];
            if (!motions_[c] || time == kLoaded) continue;
            for (const JointTrajectory& joint : motions_[c]->joints)
                on ? joint.hold(step_of(c, false)) : joint.release(control);
            if (!on && motions_[c]->wheels) motions_[c]->wheels->release(control);
        }
        for (std::size_t c = 0; c < motions_.size(); ++c) {
            if (!motions_[c] || !since_[c]) continue;
            // In a controller's first step there is no target of its own to go on from.
            const bool goes_on = (begin > 0) && std::none_of(events_.begin() + static_cast<std::ptrdiff_t>(first),
                                                             events_.begin() + static_cast<std::ptrdiff_t>(next_),
                                                             [&](const auto& event) { return event.controller == c; });
            for (const JointTrajectory& joint : motions_[c]->joints) joint.command(step_of(c, goes_on));
            if (motions_[c]->wheels) motions_[c]->wheels->command(step_of(c, goes_on));
        }
    }

  private:
    std::vector<std::optional<Motion>>     motions_, original_;
    std::vector<ControllerSchedule::Event> events_;
    std::vector<std::optional<double>>     since_;  ///< of those that are on
    std::vector<std::size_t>               told_;   ///< which of them messages count
    std::shared_ptr<LiveInbox>             inbox_;
    double                                 begin_, last_ = kLoaded;
    std::size_t                            next_ = 0;

    /// The run was set back to its beginning.
    void begin_again()
    {
        next_    = 0;
        motions_ = original_;
        since_.assign(since_.size(), std::nullopt);
    }

    /// Applies the events up to a time.
    void pass(double time)
    {
        constexpr double kSameInstant = 1e-9;
        for (; next_ < events_.size() && events_[next_].time <= time + kSameInstant; ++next_)
            since_[events_[next_].controller] = events_[next_].on ? std::optional(events_[next_].time) : std::nullopt;
    }
};

LiveController described(const ros::Controller& controller, const Motion& motion)
{
    constexpr double kModerate = 10;  ///< of a wheel [rad/s]
    LiveController   out{.path = controller.prim.path().text(), .kind = controller.kind, .joints = motion.names};
    if (motion.wheels) {
        out.linear_speed  = motion.wheels->linear_speed;
        out.angular_speed = motion.wheels->angular_speed;
        out.wheel_speed   = kModerate * motion.wheels->radius;
        for (const auto* side : {&motion.wheels->left, &motion.wheels->right})
            for (const DrivenAxis& wheel : *side) out.dofs.insert(out.dofs.end(), wheel.qd.begin(), wheel.qd.end());
    }
    for (const JointTrajectory& joint : motion.joints)
        out.dofs.insert(out.dofs.end(), joint.axis.qd.begin(), joint.axis.qd.end());
    return out;
}

}  // namespace

Result<Controlled> control(const Scene& scene, const ControllerOptions& options, Follow animation, Diagnostics& found)
{
    Preparation preparation(scene, options, found);
    if (auto read = preparation.read_switches(); !read) return read.error();
    if (auto read = preparation.read_columns(); !read) return read.error();
    Controlled out{.follow = std::move(animation), .columns = preparation.columns, .events = {}, .controllers = {}};
    const auto schedule = run::schedule(preparation.controllers, preparation.switches, preparation.of, found);
    std::vector<std::optional<Motion>> motions(preparation.controllers.size());
    std::vector<bool>                  looked_at(motions.size());
    std::vector<std::size_t>           told;
    for (const ControllerSchedule::Event& event : schedule.events) {
        const ros::Controller& controller = preparation.controllers[event.controller];
        out.events.push_back({std::max(0.0, event.time), controller.prim.path().text(), event.on});
        if (looked_at[event.controller]) continue;
        looked_at[event.controller] = true;
        if (!ros::has_runtime(controller.kind)) {
            preparation.report_without_runtime(event.controller);
            continue;
        }
        auto motion = preparation.motion(event.controller);
        if (!motion) return motion.error();
        if (!motion->has_value()) continue;
        told.push_back(event.controller);
        out.controllers.push_back(described(controller, **motion));
        motions[event.controller] = *std::move(motion);
    }
    if (told.empty()) return out;
    out.follow = [animation = std::move(out.follow),
                  running   = std::make_shared<Running>(std::move(motions), schedule.events, options.begin,
                                                        std::move(told), options.inbox)](
                     double begin, double end, const model::State& state, model::Model& model,
                     model::Control& control) {
        // The stage's animation first; controllers go over it.
        importer::AnimationChanges changes;
        if (animation) changes = animation(begin, end, state, model, control);
        running->command(begin, end, state, control);
        return changes;
    };
    return out;
}

}  // namespace mechane::run
