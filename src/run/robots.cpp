// Robots of built-in scenes: a humanoid and a quadruped of capsules. Metres, kilograms, degrees in the calls and
// radians in the model; x forward, y left, z up.

#include "run/robots.h"

#include <utility>
#include <vector>

namespace mechane::run {
namespace {

using model::JointDofConfig;
using model::ModelBuilder;
using model::ShapeConfig;

/// A robot under construction: a link is placed by its joint's position on the parent.
class Robot {
  public:
    Robot(ModelBuilder& b, const Posed& at, std::string name, const ShapeConfig& flesh)
        : b_(b), at_(at), name_(std::move(name)), flesh_(flesh)
    {
    }

    /// The free root link, with its origin at `origin` in the robot's frame [m].
    std::int32_t root(const Vec3d& origin, const char* label)
    {
        const auto body = link(origin, label);
        joints_.push_back(b_.add_joint_free(body, name_ + "/" + label + "_joint"));
        return body;
    }
    /// A link with its origin at `origin` in the robot's frame [m], on hinges about the axes, one after the other.
    std::int32_t hang(std::int32_t parent, const Vec3d& origin, const std::vector<JointDofConfig>& axes,
                      const char* label)
    {
        const auto  body   = link(origin, label);
        // Links stand unturned in the start pose, so the anchor on the child is its origin.
        const Posed anchor = inverse(b_.bodies[static_cast<std::size_t>(parent)].q) * (at_ * Posed{origin, {}});
        const auto  path   = name_ + "/" + label + "_joint";
        if (axes.size() == 1)
            b_.bodies[static_cast<std::size_t>(body)].q =
                b_.bodies[static_cast<std::size_t>(body)].q *
                // The start angle turns the link too, or the first step would move it there.
                Posed{{}, from_axis_angle(axes.front().axis, axes.front().initial_q)};
        joints_.push_back(axes.size() == 1 ? b_.add_joint_revolute(parent, body, anchor, {}, axes.front(), path)
                                           : b_.add_joint_d6(parent, body, anchor, {}, {}, axes, path));
        return body;
    }
    /// A capsule between two points of the link's own frame.
    void limb(std::int32_t body, const Vec3d& from, const Vec3d& to, double radius)
    {
        const Vec3d along = to - from;
        b_.add_shape_capsule(body, {0.5 * (from + to), rotation_between(Vec3d{0, 0, 1}, normalized(along))}, radius,
                             0.5 * length(along), flesh_);
    }
    void ball(std::int32_t body, const Vec3d& at, double radius)
    { b_.add_shape_sphere(body, {at, {}}, radius, flesh_); }
    void finish() { b_.add_articulation(std::move(joints_), name_); }

  private:
    std::int32_t link(const Vec3d& origin, const char* label)
    { return b_.add_link(at_ * Posed{origin, {}}, name_ + "/" + label); }

    ModelBuilder&             b_;
    Posed                     at_;
    std::string               name_;
    ShapeConfig               flesh_;
    std::vector<std::int32_t> joints_;
};

JointDofConfig axis(const Vec3d& direction, double lower, double upper, double damping, double armature)
{
    JointDofConfig out;
    out.axis        = direction;
    out.limit_lower = lower * kDegrees;
    out.limit_upper = upper * kDegrees;
    out.damping     = damping;
    out.armature    = armature;
    return out;
}

constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

}  // namespace

void add_humanoid(ModelBuilder& b, const Posed& at, const std::string& name)
{
    ShapeConfig flesh;
    flesh.mu = 0.8;
    Robot      robot(b, at, name, flesh);
    const auto turn = [](const Vec3d& direction, double lower, double upper, double damping = 3) {
        return axis(direction, lower, upper, damping, 0.01);
    };

    const auto chest = robot.root({0, 0, 1.27}, "chest");
    robot.limb(chest, {0, -0.09, 0}, {0, 0.09, 0}, 0.10);
    robot.limb(chest, {0, 0, -0.02}, {0, 0, 0.16}, 0.05);
    robot.ball(chest, {0, 0, 0.31}, 0.11);
    const auto belly = robot.hang(chest, {0, 0, 1.13}, {turn(kZ, -45, 45, 5), turn(kY, -60, 30, 5)}, "belly");
    robot.limb(belly, {0, -0.06, -0.02}, {0, 0.06, -0.02}, 0.09);
    const auto pelvis = robot.hang(belly, {0, 0, 1.02}, {turn(kX, -30, 30, 5)}, "pelvis");
    robot.limb(pelvis, {0, -0.07, -0.04}, {0, 0.07, -0.04}, 0.10);

    for (const double side : {1.0, -1.0}) {
        const bool left = side > 0;
        const auto thigh =
            robot.hang(pelvis, {0, 0.1 * side, 0.92},
                       {turn(kX, left ? -10 : -40, left ? 40 : 10), turn(kZ, -40, 40), turn(kY, -110, 25)},
                       left ? "left_thigh" : "right_thigh");
        robot.limb(thigh, {0, 0, -0.06}, {0, 0, -0.36}, 0.065);
        const auto shin =
            robot.hang(thigh, {0, 0.1 * side, 0.50}, {turn(kY, 0, 150)}, left ? "left_shin" : "right_shin");
        robot.limb(shin, {0, 0, -0.06}, {0, 0, -0.34}, 0.05);
        const auto foot = robot.hang(shin, {0, 0.1 * side, 0.08}, {turn(kY, -45, 30), turn(kX, -25, 25)},
                                     left ? "left_foot" : "right_foot");
        robot.limb(foot, {-0.06, -0.02, -0.045}, {0.13, -0.035, -0.045}, 0.035);
        robot.limb(foot, {-0.06, 0.02, -0.045}, {0.13, 0.035, -0.045}, 0.035);
        const auto upper = robot.hang(chest, {0, 0.21 * side, 1.30},
                                      {turn(kX, left ? -20 : -120, left ? 120 : 20, 1.5), turn(kY, -150, 60, 1.5)},
                                      left ? "left_upper_arm" : "right_upper_arm");
        robot.limb(upper, {0, 0.03 * side, -0.03}, {0, 0.03 * side, -0.25}, 0.045);
        const auto fore = robot.hang(upper, {0, 0.24 * side, 1.00}, {turn(kY, -140, 0, 1.5)},
                                     left ? "left_forearm" : "right_forearm");
        robot.limb(fore, {0, 0, -0.03}, {0, 0, -0.23}, 0.035);
        robot.ball(fore, {0, 0, -0.31}, 0.045);
    }
    robot.finish();
}

void add_ant(ModelBuilder& b, const Posed& at, const std::string& name)
{
    ShapeConfig shell;
    shell.density = 5;  // [kg/m^3]: the armature carries the inertia
    Robot      robot(b, at, name, shell);
    const auto turn = [](const Vec3d& direction, double lower, double upper) {
        return axis(direction, lower, upper, 1, 1);
    };
    constexpr double kRadius = 0.08, kReach = 0.2, kHeight = 0.75;
    const auto       torso = robot.root({0, 0, kHeight}, "torso");
    robot.ball(torso, {}, 0.25);
    const std::pair<double, double> corners[] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const char* const               hips[] = {"front_left_leg", "back_left_leg", "back_right_leg", "front_right_leg"};
    const char* const feet[] = {"front_left_foot", "back_left_foot", "back_right_foot", "front_right_foot"};
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3d out{corners[i].first * kReach, corners[i].second * kReach, 0};
        robot.limb(torso, {}, out, kRadius);
        const auto leg = robot.hang(torso, out + Vec3d{0, 0, kHeight}, {turn(kZ, -30, 30)}, hips[i]);
        robot.limb(leg, {}, out, kRadius);
        // a positive angle about this axis lowers the foot
        const Vec3d    across = normalized(Vec3d{-out.y, out.x, 0});
        JointDofConfig ankle  = turn(across, 30, 70);
        ankle.initial_q       = 1;
        const auto foot       = robot.hang(leg, 2.0 * out + Vec3d{0, 0, kHeight}, {ankle}, feet[i]);
        robot.limb(foot, {}, 2.0 * out, kRadius);
    }
    robot.finish();
}

}  // namespace mechane::run
