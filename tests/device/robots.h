#pragma once
#include <fmt/format.h>

#include <vector>

#include "mechane/model/builder.h"
#include "run/robots.h"

/// Robots for tests and measurements of batches.
namespace mechane::test {

inline model::ModelBuilder ground()
{
    model::ModelBuilder b;
    b.rigid_gap                     = 0.01;
    b.default_shape.collision_group = -1;  // meets every group
    b.add_ground_plane(0);
    b.default_shape.collision_group = 1;
    return b;
}
inline model::ModelBuilder ant()
{
    model::ModelBuilder b = ground();
    run::add_ant(b, {}, "/ant");
    return b;
}
inline model::ModelBuilder humanoid()
{
    model::ModelBuilder b = ground();
    run::add_humanoid(b, {}, "/humanoid");
    return b;
}

/// A robot dog of about the size and mass of a Unitree Go2: a box for a trunk, twelve hinges with drives, dry friction
/// and effort limits, cylinders and boxes for legs, balls for feet.
inline model::ModelBuilder dog()
{
    model::ModelBuilder       b     = ground();
    const auto                trunk = b.add_link({{0, 0, 0.32}, {}}, "/dog/trunk");
    std::vector<std::int32_t> joints{b.add_joint_free(trunk, "/dog/root")};
    model::ShapeConfig        shell;
    shell.density = 900;
    b.add_shape_box(trunk, {}, {0.19, 0.047, 0.057}, shell);
    const auto hinge = [](const Vec3d& axis, double lower, double upper, double target) {
        model::JointDofConfig d;
        d.axis = axis, d.limit_lower = lower, d.limit_upper = upper;
        d.armature = 0.01, d.friction = 0.1, d.effort_limit = 24;
        d.actuator_mode = model::TargetMode::position, d.target_ke = 40, d.target_kd = 1;
        d.target_q = target;
        return d;
    };
    for (int leg = 0; leg < 4; ++leg) {
        model::ShapeConfig hips = shell;
        hips.collision_group    = 2 + leg;  // meets the ground alone
        const double x = leg < 2 ? 0.19 : -0.19, y = leg % 2 == 0 ? 1 : -1;
        const auto   name  = [&](const char* part) { return fmt::format("/dog/{}_{}", part, leg); };
        const auto   hip   = b.add_link({{x, 0.047 * y, 0.32}, {}}, name("hip")),
                     thigh = b.add_link({{x, 0.14 * y, 0.32}, {}}, name("thigh")),
                     calf  = b.add_link({{x, 0.14 * y, 0.107}, {}}, name("calf"));
        b.add_shape_cylinder(hip, {{0, 0.08 * y, 0}, from_axis_angle(Vec3d{1, 0, 0}, 0.5 * kPi)}, 0.046, 0.02, hips);
        b.add_shape_box(thigh, {{0, 0, -0.1065}, {}}, {0.012, 0.017, 0.1065}, shell);
        b.add_shape_capsule(calf, {{0, 0, -0.09}, {}}, 0.012, 0.08, shell);
        b.add_shape_sphere(calf, {{0, 0, -0.213}, {}}, 0.022, shell);
        joints.push_back(b.add_joint_revolute(trunk, hip, {{x, 0.047 * y, 0}, {}}, {}, hinge({1, 0, 0}, -1, 1, 0),
                                              name("hip_joint")));
        joints.push_back(b.add_joint_revolute(hip, thigh, {{0, 0.093 * y, 0}, {}}, {}, hinge({0, 1, 0}, -1.5, 3.4, 0.8),
                                              name("thigh_joint")));
        joints.push_back(b.add_joint_revolute(thigh, calf, {{0, 0, -0.213}, {}}, {}, hinge({0, 1, 0}, -2.7, 0.1, -1.5),
                                              name("calf_joint")));
    }
    b.add_articulation(joints, "/dog");
    return b;
}

}  // namespace mechane::test
