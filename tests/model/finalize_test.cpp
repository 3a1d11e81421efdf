#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "mechane/core/diagnostic.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::model;
using mechane::test::close_to;
using mechane::test::distance;

namespace {

const double kNan = std::nan("");

/// Two links: 0 hinged to the world by joint 0, 1 hinged to 0 by joint 1, one articulation, a ball on each link.
ModelBuilder arm()
{
    ModelBuilder b;
    const auto   upper       = b.add_link({}, "upper", 1, {}, Mat33d::identity()),
                 lower       = b.add_link({{1, 0, 0}, {}}, "lower", 1, {}, Mat33d::identity());
    b.bodies[0].lock_inertia = b.bodies[1].lock_inertia = true;
    const auto shoulder = b.add_joint_revolute(kWorldBody, upper, {}, {}, {}, "shoulder"),
               elbow    = b.add_joint_revolute(upper, lower, {}, {}, {}, "elbow");
    b.add_articulation({shoulder, elbow}, "arm");
    b.add_shape_sphere(upper, {}, 0.1, {}, "upper_ball");
    b.add_shape_sphere(lower, {}, 0.1, {}, "lower_ball");
    return b;
}

}  // namespace

TEST_CASE("what does not fit together is refused with the label of the culprit (DYN-024, DYN-143, COL-031, COL-041)")
{
    struct Row {
        std::string                        what;
        std::function<void(ModelBuilder&)> spoil;
        std::string                        label;
    };
    const Row table[] = {
        {"child out of range", [](ModelBuilder& b) { b.joints[1].child = 7; }, "elbow"},
        {"world as child", [](ModelBuilder& b) { b.joints[1].child = -1; }, "elbow"},
        {"parent out of range", [](ModelBuilder& b) { b.joints[1].parent = 7; }, "elbow"},
        {"parent below the world", [](ModelBuilder& b) { b.joints[1].parent = -2; }, "elbow"},
        {"both ends on one body", [](ModelBuilder& b) { b.joints[1].parent = 1; }, "elbow"},
        {"two parents in one tree",
         [](ModelBuilder& b) {
             b.joints[1].child  = 0;
             b.joints[1].parent = -1;
         },
         "elbow"},
        {"parent joint comes later",
         [](ModelBuilder& b) {
             std::swap(b.joints[0].parent, b.joints[1].parent);
             std::swap(b.joints[0].child, b.joints[1].child);
         },
         "shoulder"},
        {"articulation not ascending",
         [](ModelBuilder& b) { std::swap(b.articulations[0].joints[0], b.articulations[0].joints[1]); }, "elbow"},
        {"articulation with a gap", [](ModelBuilder& b) { b.articulations[0].joints = {0, 2}; }, "arm"},
        {"empty articulation", [](ModelBuilder& b) { b.add_articulation({}, "nothing"); }, "nothing"},
        {"joint in two articulations", [](ModelBuilder& b) { b.add_articulation({1}, "again"); }, "elbow"},
        {"joint names an articulation that does not list it",
         [](ModelBuilder& b) { b.articulations[0].joints.pop_back(); }, "elbow"},
        {"connection across articulations",
         [](ModelBuilder& b) {
             b.articulations[0].joints.pop_back();
             b.add_articulation({1}, "other");
         },
         "elbow"},
        {"missing axis", [](ModelBuilder& b) { b.joints[1].angular_axes.clear(); }, "elbow"},
        {"too many coordinates", [](ModelBuilder& b) { b.joints[1].q = {0, 0}; }, "elbow"},
        {"mimic of itself", [](ModelBuilder& b) { b.joints[1].mimic_joint = 1; }, "elbow"},
        {"mimic of nothing", [](ModelBuilder& b) { b.joints[1].mimic_joint = 9; }, "elbow"},
        {"mimic in a circle",
         [](ModelBuilder& b) {
             b.joints[1].mimic_joint = 0;
             b.joints[0].mimic_joint = 1;
         },
         "shoulder"},
        {"mimic across articulations",
         [](ModelBuilder& b) {
             const auto x = b.add_link({}, "x", 1, {}, Mat33d::identity());
             b.add_joint_revolute(-1, x, {}, {}, {}, "far");
             b.add_articulation({2}, "other");
             b.joints[2].mimic_joint = 0;
         },
         "far"},
        {"shape on no body", [](ModelBuilder& b) { b.shapes[0].body = 5; }, "upper_ball"},
        {"filter pair of no shape", [](ModelBuilder& b) { b.add_shape_collision_filter_pair(0, 44); }, ""},
        {"flags of neither kind", [](ModelBuilder& b) { b.bodies[1].flags = 3; }, "lower"},
        {"world that does not exist", [](ModelBuilder& b) { b.bodies[1].world = 2; }, "lower"},
        {"open world", [](ModelBuilder& b) { b.begin_world(); }, ""},
        {"up axis", [](ModelBuilder& b) { b.up_axis = 3; }, ""},
    };
    for (const Row& row : table) {
        CAPTURE(row.what);
        ModelBuilder b = arm();
        row.spoil(b);
        Diagnostics out;
        const auto  m = b.finalize({}, out);
        REQUIRE_FALSE(m.has_value());
        CHECK(m.error().id == "MODEL_STRUCTURE");
        CHECK(m.error().severity == Severity::error);
        CHECK(m.error().site.prim == row.label);
        CHECK_FALSE(m.error().hint.empty());
    }
    Diagnostics out;
    CHECK(arm().finalize({}, out).has_value());
    CHECK(out.empty());
}

TEST_CASE("worlds out of order are refused")
{
    ModelBuilder b;
    for (int i = 0; i < 2; ++i) {
        b.begin_world();
        b.add_link({}, "link", 1, {}, Mat33d::identity());
        b.end_world();
    }
    std::swap(b.bodies[0].world, b.bodies[1].world);
    Diagnostics out;
    CHECK(b.finalize({}, out).error().id == "MODEL_STRUCTURE");
    std::swap(b.bodies[0].world, b.bodies[1].world);
    b.add_link({}, "global", 1, {}, Mat33d::identity());
    CHECK(b.finalize({}, out).has_value());
    b.bodies.push_back(b.bodies[1]);
    CHECK(b.finalize({}, out).error().id == "MODEL_STRUCTURE");
}

TEST_CASE(
    "joints of bodies outside of articulations are loop joints, or errors where the caller says so (MODEL_ORPHAN_JOINT)")
{
    ModelBuilder b = arm();
    const auto   x = b.add_link({}, "x", 1, {}, Mat33d::identity()), y = b.add_link({}, "y", 1, {}, Mat33d::identity());
    b.add_joint_ball(x, y, {}, {}, "orphan");
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE(m.has_value());
    CHECK(m->joint_articulation == std::vector<std::int32_t>{0, 0, -1});
    CHECK(m->articulation_start == std::vector<std::int32_t>{0, 3});
    CHECK(m->articulation_end == std::vector<std::int32_t>{2});
    const auto strict = b.finalize({.allow_orphan_joints = false}, out);
    REQUIRE_FALSE(strict.has_value());
    CHECK(strict.error().id == "MODEL_ORPHAN_JOINT");
    CHECK(strict.error().site.prim == "orphan");
    // A loop joint whose child is reached by a tree, and a root at the world, are none.
    ModelBuilder c = arm();
    c.add_joint_ball(0, 1, {}, {}, "loop");
    c.add_joint_revolute(kWorldBody, c.add_link({}, "door", 1, {}, Mat33d::identity()), {}, {}, {}, "hinge");
    CHECK(c.finalize({.allow_orphan_joints = false}, out).has_value());
}

TEST_CASE("numbers that are not finite or out of range are replaced and named (DYN 10.1, 10.7, DYN-149)")
{
    struct Row {
        std::string                         array;
        std::function<void(ModelBuilder&)>  spoil;
        std::function<double(const Model&)> read;
        double                              expected;
        std::string                         id;
    };
    const auto dof     = [](ModelBuilder& b) -> JointDofConfig& { return b.joints[1].angular_axes[0]; };
    const Row  table[] = {
        {"body_q", [](ModelBuilder& b) { b.bodies[1].q.p.x = kNan; }, [](const Model& m) { return m.body_q[1].p.x; }, 0,
         "MODEL_NUMBER_FIXED"},
        {"body_q", [](ModelBuilder& b) { b.bodies[1].q.q = {0, 0, 0, 0}; },
         [](const Model& m) { return m.body_q[1].q.w; }, 1, "MODEL_ROTATION_FIXED"},
        {"body_q", [](ModelBuilder& b) { b.bodies[1].q.q = {0, 0, 0, 3}; },
         [](const Model& m) { return m.body_q[1].q.w; }, 1, "MODEL_ROTATION_FIXED"},
        {"body_qd", [](ModelBuilder& b) { b.bodies[1].qd.angular.z = kInfinity; },
         [](const Model& m) { return m.body_qd[1].angular.z; }, 0, "MODEL_NUMBER_FIXED"},
        {"joint_X_p", [](ModelBuilder& b) { b.joints[1].parent_xform.p.y = kNan; },
         [](const Model& m) { return m.joint_X_p[1].p.y; }, 0, "MODEL_NUMBER_FIXED"},
        {"joint_X_c", [](ModelBuilder& b) { b.joints[1].child_xform.q.x = kNan; },
         [](const Model& m) { return m.joint_X_c[1].q.w; }, 1, "MODEL_ROTATION_FIXED"},
        {"joint_axis", [&](ModelBuilder& b) { dof(b).axis = {0, 0, 0}; },
         [](const Model& m) { return m.joint_axis[1].x; }, 1, "MODEL_AXIS_FIXED"},
        {"joint_axis", [&](ModelBuilder& b) { dof(b).axis = {kNan, 0, 1}; },
         [](const Model& m) { return m.joint_axis[1].x; }, 1, "MODEL_AXIS_FIXED"},
        {"joint_limit_lower", [&](ModelBuilder& b) { dof(b).limit_lower = kNan; },
         [](const Model& m) { return m.joint_limit_lower[1]; }, -1e10, "MODEL_NUMBER_FIXED"},
        {"joint_target_ke", [&](ModelBuilder& b) { dof(b).target_ke = -5; },
         [](const Model& m) { return m.joint_target_ke[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"joint_target_kd", [&](ModelBuilder& b) { dof(b).target_kd = kNan; },
         [](const Model& m) { return m.joint_target_kd[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"joint_damping", [&](ModelBuilder& b) { dof(b).damping = -1; },
         [](const Model& m) { return m.joint_damping[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"joint_armature", [&](ModelBuilder& b) { dof(b).armature = -1; },
         [](const Model& m) { return m.joint_armature[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"joint_friction", [&](ModelBuilder& b) { dof(b).friction = -1; },
         [](const Model& m) { return m.joint_friction[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"joint_limit_ke", [&](ModelBuilder& b) { dof(b).limit_ke = kNan; },
         [](const Model& m) { return m.joint_limit_ke[1]; }, 1e4, "MODEL_NUMBER_FIXED"},
        {"joint_effort_limit", [&](ModelBuilder& b) { dof(b).effort_limit = -2; },
         [](const Model& m) { return m.joint_effort_limit[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"joint_velocity_limit", [&](ModelBuilder& b) { dof(b).velocity_limit = kNan; },
         [](const Model& m) { return m.joint_velocity_limit[1]; }, 1e6, "MODEL_NUMBER_FIXED"},
        {"joint_target_q", [&](ModelBuilder& b) { dof(b).target_q = kNan; },
         [](const Model& m) { return m.joint_target_q[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"joint_q", [](ModelBuilder& b) { b.joints[1].q[0] = -kInfinity; }, [](const Model& m) { return m.joint_q[1]; },
         0, "MODEL_NUMBER_FIXED"},
        {"joint_qd", [](ModelBuilder& b) { b.joints[1].qd[0] = 1e300; }, [](const Model& m) { return m.joint_qd[1]; },
         1e18, "MODEL_NUMBER_FIXED"},
        {"joint_mimic_coeffs", [](ModelBuilder& b) { b.joints[1].mimic_coeffs[1] = kNan; },
         [](const Model& m) { return m.joint_mimic_coeffs[1][1]; }, 1, "MODEL_NUMBER_FIXED"},
        {"joint_break_force", [](ModelBuilder& b) { b.joints[1].break_force = kNan; },
         [](const Model& m) { return m.joint_break_force[1]; }, kInfinity, "MODEL_NUMBER_FIXED"},
        {"shape_transform", [](ModelBuilder& b) { b.shapes[1].xform.p.z = kNan; },
         [](const Model& m) { return m.shape_transform[1].p.z; }, 0, "MODEL_NUMBER_FIXED"},
        {"shape_margin", [](ModelBuilder& b) { b.shapes[1].config.margin = kNan; },
         [](const Model& m) { return m.shape_margin[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"shape_gap", [](ModelBuilder& b) { b.shapes[1].config.gap = kInfinity; },
         [](const Model& m) { return m.shape_gap[1]; }, 0.1, "MODEL_NUMBER_FIXED"},
        {"shape_gap", [](ModelBuilder& b) { b.shapes[1].config.gap = -0.01; },
         [](const Model& m) { return m.shape_gap[1]; }, -0.01, "MODEL_NEG_GAP"},
        {"shape_material_mu",
         [](ModelBuilder& b) {
             b.shapes[1].config.mu        = -1;
             b.shapes[1].config.mu_static = 0;
         },
         [](const Model& m) { return m.shape_material_mu[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"shape_material_restitution", [](ModelBuilder& b) { b.shapes[1].config.restitution = 2; },
         [](const Model& m) { return m.shape_material_restitution[1]; }, 1, "MODEL_NUMBER_FIXED"},
        {"shape_opacity", [](ModelBuilder& b) { b.shapes[1].opacity = kNan; },
         [](const Model& m) { return m.shape_opacity[1]; }, 0, "MODEL_NUMBER_FIXED"},
        {"gravity", [](ModelBuilder& b) { b.gravity.z = kNan; }, [](const Model& m) { return m.gravity[0].z; }, 0,
         "MODEL_NUMBER_FIXED"},
    };
    for (const Row& row : table) {
        CAPTURE(row.array);
        CAPTURE(row.expected);
        ModelBuilder b = arm();
        row.spoil(b);
        Diagnostics out;
        const auto  m = b.finalize({}, out);
        REQUIRE(m.has_value());
        CHECK(row.read(*m) == close_to(row.expected, 1e-7));
        REQUIRE(out.find(row.id) != nullptr);
        CHECK(out.find(row.id)->site.property == row.array);
        CHECK_FALSE(out.find(row.id)->site.prim.empty());
        CHECK(out.size() == 1);
    }
}

TEST_CASE("limits beyond 1e10 are none, and inverted ones stay for the solver to lock (DYN-015, DYN-121)")
{
    ModelBuilder b                          = arm();
    b.joints[0].angular_axes[0].limit_lower = -kInfinity;
    b.joints[0].angular_axes[0].limit_upper = 1e20;
    b.joints[1].angular_axes[0].limit_lower = 1;
    b.joints[1].angular_axes[0].limit_upper = -1;
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE(m.has_value());
    CHECK(m->joint_limit_lower[0] == Real(-1e10));
    CHECK(m->joint_limit_upper[0] == Real(1e10));
    CHECK(m->joint_limit_lower[1] == 1);
    CHECK(m->joint_limit_upper[1] == -1);
    CHECK(m->joint_target_q[1] == 0);
    CHECK(out.empty());
}

TEST_CASE("a force that never gives way stays infinite, also as a drive's bound")
{
    ModelBuilder b                           = arm();
    b.joints[0].angular_axes[0].effort_limit = kInfinity;
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE(m.has_value());
    CHECK(m->joint_effort_limit[0] == std::numeric_limits<Real>::infinity());
    CHECK(m->joint_break_force[0] == std::numeric_limits<Real>::infinity());
    CHECK(m->joint_cone_limit[0] == std::array<Real, 2>{-1, -1});
    CHECK(out.empty());
}

TEST_CASE("a colliding shape of a material that is not finite is refused, a visual one is repaired (MODEL_SHAPE_MATERIAL)")
{
    ModelBuilder b        = arm();
    b.shapes[1].config.ke = kInfinity;
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE_FALSE(m.has_value());
    CHECK(m.error().id == "MODEL_SHAPE_MATERIAL");
    CHECK(m.error().site.prim == "lower_ball");
    b.shapes[1].flags = shape_flag::visible;
    const auto visual = b.finalize({}, out);
    REQUIRE(visual.has_value());
    CHECK(visual->shape_material_ke[1] == 2500);
}

TEST_CASE("shapes without size or triangles stay but do not collide (COL-005, COL-009)")
{
    const auto empty   = std::make_shared<const geometry::Mesh>();
    const auto line    = std::make_shared<const geometry::Mesh>(geometry::Mesh{.points = {{0, 0, 0}}, .triangles = {}});
    const auto nowhere = std::make_shared<const geometry::Mesh>(
        geometry::Mesh{.points = {{0, 0, 0}, {1, 0, 0}, {0, kNan, 0}}, .triangles = {{0, 1, 2}}});
    const BuilderShape table[] = {
        {.type = GeoType::sphere, .scale = {0, 0, 0}},
        {.type = GeoType::sphere, .scale = {kNan, 0, 0}},
        {.type = GeoType::box, .scale = {1, 0, 1}},
        {.type = GeoType::capsule, .scale = {0, 1, 0}},
        {.type = GeoType::cylinder, .scale = {1, 0, 0}},
        {.type = GeoType::cone, .scale = {1, -1, 0}},
        {.type = GeoType::plane, .scale = {1, 0, 0}},
        {.type = GeoType::mesh, .source = empty},
        {.type = GeoType::convex_mesh, .source = line},
        {.type = GeoType::mesh, .source = nowhere},
        {.type = GeoType::mesh},
        {.type = GeoType::heightfield},
        {.type = GeoType::ellipsoid, .scale = {1, 1, kInfinity}},
        {.type = GeoType::none},
        {.type = GeoType::cylinder, .scale = {1, 1, 0.5}},
    };
    for (const BuilderShape& shape : table) {
        CAPTURE(to_string(shape.type));
        ModelBuilder b           = arm();
        b.bodies[1].lock_inertia = false;
        BuilderShape s           = shape;
        s.body                   = 1;
        s.label                  = "odd";
        b.add_shape(s);
        CHECK(b.bodies[1].mass == 1);
        Diagnostics out;
        const auto  m = b.finalize({}, out);
        REQUIRE(m.has_value());
        CHECK(m->shape_flags[2] == shape_flag::visible);
        REQUIRE(out.find("MODEL_SHAPE_DEGENERATE") != nullptr);
        CHECK(out.find("MODEL_SHAPE_DEGENERATE")->site.prim == "odd");
        CHECK(is_finite(m->shape_collision_aabb_lower[2]));
    }
}

TEST_CASE("triangles that name missing points are refused")
{
    ModelBuilder b           = arm();
    b.bodies[0].lock_inertia = false;
    b.add_shape_mesh(0, {}, {1, 1, 1},
                     std::make_shared<const geometry::Mesh>(
                         geometry::Mesh{.points = {{0, 0, 0}, {1, 0, 0}}, .triangles = {{0, 1, 2}}}),
                     {}, "torn");
    CHECK(b.bodies[0].mass == 1);
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE_FALSE(m.has_value());
    CHECK(m.error().site.prim == "torn");
}

TEST_CASE("planes are never hydroelastic, and say so (COL-016)")
{
    ModelBuilder b;
    b.default_shape.is_hydroelastic = true;
    b.add_ground_plane();
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE(m.has_value());
    CHECK((m->shape_flags[0] & shape_flag::hydroelastic) == 0);
    CHECK(out.count("MODEL_HYDRO_UNSUPPORTED") == 1);
    CHECK(out.count(Severity::warning) == 1);
}

TEST_CASE("a mesh with a hole is not hydroelastic, a closed one is, also where its corners are split (COL-016)")
{
    using geometry::Mesh;
    const std::vector<Vec3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Mesh               closed{corners, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
    Mesh                     open = closed, split;
    open.triangles.pop_back();
    for (const auto& t : closed.triangles) {
        const auto n = static_cast<std::int32_t>(split.points.size());
        for (const std::int32_t v : t) split.points.push_back(corners[static_cast<std::size_t>(v)]);
        split.triangles.push_back({n, n + 1, n + 2});
    }
    ModelBuilder b;
    for (const Mesh& mesh : {closed, open, split}) {
        BuilderShape shape;
        shape.type                   = GeoType::mesh;
        shape.source                 = std::make_shared<const Mesh>(mesh);
        shape.config.is_hydroelastic = true;
        shape.config.sdf             = SdfConfig{};
        b.add_shape(shape);
    }
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE(m.has_value());
    CHECK((m->shape_flags[0] & shape_flag::hydroelastic) != 0);
    CHECK((m->shape_flags[1] & shape_flag::hydroelastic) == 0);
    CHECK((m->shape_flags[2] & shape_flag::hydroelastic) != 0);
    CHECK(out.count("MODEL_HYDRO_UNSUPPORTED") == 1);
}

TEST_CASE("a free body without mass is reported; kinematic and hinged ones are not (DYN 10.2)")
{
    ModelBuilder b;
    b.add_body({}, "ghost");
    b.bodies[static_cast<std::size_t>(b.add_body({}, "conveyor"))].flags = body_flag::kinematic;
    b.add_joint_revolute(kWorldBody, b.add_link({}, "frame"), {}, {}, {});
    Diagnostics out;
    REQUIRE(b.finalize({}, out).has_value());
    CHECK(out.size() == 1);
    REQUIRE(out.find("MODEL_BODY_IMMOVABLE") != nullptr);
    CHECK(out.find("MODEL_BODY_IMMOVABLE")->site.prim == "ghost");
}

TEST_CASE("axes of one joint that are not perpendicular are reported (DYN 10.6)")
{
    ModelBuilder b;
    b.add_joint_d6(kWorldBody, b.add_link({}, "b", 1, {}, Mat33d::identity()), {}, {}, {},
                   {JointDofConfig{.axis = {1, 0, 0}}, JointDofConfig{.axis = {1, 1, 0}}}, "wrist");
    Diagnostics out;
    REQUIRE(b.finalize({}, out).has_value());
    REQUIRE(out.find("MODEL_AXES_DEPENDENT") != nullptr);
    CHECK(out.find("MODEL_AXES_DEPENDENT")->site.prim == "wrist");
}

TEST_CASE("all lengths equal their group's count, and finalizing twice gives equal models (IMP-232, PYA-029)")
{
    ModelBuilder b;
    b.add_ground_plane();
    REQUIRE(b.replicate(arm(), 3));
    Diagnostics out;
    const auto  m = b.finalize({}, out), n = b.finalize({}, out);
    REQUIRE(m.has_value());
    REQUIRE(n.has_value());
    for (const std::size_t size :
         {m->body_label.size(), m->body_qd.size(), m->body_com.size(), m->body_inertia.size(),
          m->body_inv_inertia.size(), m->body_mass.size(), m->body_inv_mass.size(), m->body_flags.size(),
          m->body_world.size(), m->body_starts_asleep.size(), m->body_shapes.size()})
        CHECK(size == 6);
    for (const std::size_t size :
         {m->joint_label.size(), m->joint_parent.size(), m->joint_child.size(), m->joint_ancestor.size(),
          m->joint_X_p.size(), m->joint_X_c.size(), m->joint_enabled.size(), m->joint_dof_dim.size(),
          m->joint_articulation.size(), m->joint_mimic_joint.size(), m->joint_mimic_coeffs.size(),
          m->joint_world.size(), m->joint_break_force.size(), m->joint_break_torque.size(), m->joint_cone_limit.size(),
          m->joint_exclude_from_articulation.size(), m->joint_q_start.size() - 1, m->joint_qd_start.size() - 1})
        CHECK(size == 6);
    for (const std::size_t size :
         {m->shape_label.size(), m->shape_body.size(), m->shape_transform.size(), m->shape_scale.size(),
          m->shape_source.size(), m->shape_flags.size(), m->shape_is_solid.size(), m->shape_margin.size(),
          m->shape_gap.size(), m->shape_material_ke.size(), m->shape_material_kh.size(),
          m->shape_material_mu_static.size(), m->shape_collision_group.size(), m->shape_world.size(),
          m->shape_collision_radius.size(), m->shape_collision_aabb_lower.size(), m->shape_collision_aabb_upper.size(),
          m->shape_color.size(), m->shape_opacity.size()})
        CHECK(size == 7);
    CHECK(m->articulation_start.size() == 4);
    CHECK(m->articulation_end.size() == 3);
    CHECK(m->max_joints_per_articulation == 2);
    CHECK(m->max_dofs_per_articulation == 2);
    CHECK(m->body_inertia == n->body_inertia);
    CHECK(m->joint_q == n->joint_q);
    CHECK(m->shape_collision_filter_pairs == n->shape_collision_filter_pairs);
}
