#include "mechane/model/builder.h"

#include <array>

#include "mechane/model/collapse.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::model;
using mechane::test::angle_between;
using mechane::test::close_to;
using mechane::test::distance;
using mechane::test::for_seeds;

namespace {

Model finalized(const ModelBuilder& b)
{
    Diagnostics out;
    auto        m = b.finalize({}, out);
    for (const Diagnostic& d : out) MESSAGE(to_text(d));
    REQUIRE_MESSAGE(m.has_value(), (m ? std::string{} : to_text(m.error())));
    return std::move(*m);
}

const Mat33d kUnitInertia = Mat33d::identity();

}  // namespace

TEST_CASE("add_body makes a body, a FREE joint and an articulation; add_link only a body (DYN 1.5.4)")
{
    ModelBuilder b;
    CHECK(b.add_link({}, "link", 1, {}, kUnitInertia) == 0);
    CHECK(b.bodies.size() == 1);
    CHECK(b.joints.empty());
    CHECK(b.add_body({}, "", 1, {}, kUnitInertia) == 1);
    CHECK(b.bodies.size() == 2);
    REQUIRE(b.joints.size() == 1);
    CHECK(b.joints[0].type == JointType::free);
    CHECK(b.joints[0].parent == kWorldBody);
    CHECK(b.joints[0].child == 1);
    CHECK(b.joints[0].label == "joint_1");
    CHECK(b.bodies[1].label == "body_1");
    REQUIRE(b.articulations.size() == 1);
    CHECK(b.articulations[0].joints == std::vector<std::int32_t>{0});

    const Model m = finalized(b);
    CHECK(m.articulation_start == std::vector<std::int32_t>{0, 1});
    CHECK(m.articulation_end == std::vector<std::int32_t>{1});
    CHECK(m.max_dofs_per_articulation == 6);
    CHECK(m.joint_ancestor == std::vector<std::int32_t>{-1});
}

TEST_CASE("joints have the coordinates and velocities of their type (DYN-013, DYN-014)")
{
    struct Row {
        JointType   type;
        std::size_t coords, dofs;
    };
    const Row table[] = {{JointType::prismatic, 1, 1}, {JointType::revolute, 1, 1}, {JointType::ball, 4, 3},
                         {JointType::fixed, 0, 0},     {JointType::free, 7, 6},     {JointType::distance, 7, 6},
                         {JointType::rod, 7, 6}};
    for (const Row& row : table) {
        CAPTURE(to_string(row.type));
        ModelBuilder b;
        const auto   body = b.add_link({}, "b", 1, {}, kUnitInertia);
        b.add_joint({.type = row.type, .parent = kWorldBody, .child = body});
        const Model m = finalized(b);
        CHECK(m.joint_coord_count() == row.coords);
        CHECK(m.joint_dof_count() == row.dofs);
        for (const std::size_t n : {m.joint_target_q.size(), m.joint_rest_q.size()}) CHECK(n == row.coords);
        for (const std::size_t n : {m.joint_axis.size(), m.joint_armature.size(), m.joint_limit_lower.size(),
                                    m.joint_target_mode.size(), m.joint_f.size(), m.joint_drive_type.size()})
            CHECK(n == row.dofs);
        CHECK(m.joint_q_start.size() == 2);
        CHECK(m.joint_qd_start.back() == static_cast<std::int32_t>(row.dofs));
    }
    ModelBuilder b;
    const auto   body = b.add_link({}, "b", 1, {}, kUnitInertia);
    b.add_joint_d6(kWorldBody, body, {}, {}, {JointDofConfig{}},
                   {JointDofConfig{.axis = {0, 1, 0}}, JointDofConfig{.axis = {0, 0, 2}}});
    const Model m = finalized(b);
    CHECK(m.joint_coord_count() == 3);
    CHECK(m.joint_dof_dim[0] == std::array<std::int32_t, 2>{1, 2});
    CHECK(m.joint_axis[0] == Vec3{1, 0, 0});  // linear axes come first (DYN-010)
    CHECK(m.joint_axis[2] == Vec3{0, 0, 1});  // and are normalised
}

TEST_CASE("empty configurations have Newton's defaults (DYN-016, COL-025)")
{
    ModelBuilder b;
    const auto   body = b.add_link({}, "b", 1, {}, kUnitInertia);
    b.add_joint_revolute(kWorldBody, body, {}, {}, {});
    b.add_shape({.type = GeoType::sphere, .body = body, .scale = {1, 0, 0}});
    const Model m = finalized(b);
    CHECK(m.joint_axis[0] == Vec3{1, 0, 0});
    CHECK(m.joint_limit_lower[0] == Real(-1e10));
    CHECK(m.joint_limit_upper[0] == Real(1e10));
    CHECK(m.joint_limit_ke[0] == Real(1e4));
    CHECK(m.joint_limit_kd[0] == Real(10));
    CHECK(m.joint_effort_limit[0] == Real(1e6));
    CHECK(m.joint_velocity_limit[0] == Real(1e6));
    CHECK(m.joint_target_mode[0] == TargetMode::none);
    for (const Real zero : {m.joint_target_q[0], m.joint_target_qd[0], m.joint_target_ke[0], m.joint_target_kd[0],
                            m.joint_damping[0], m.joint_stiffness[0], m.joint_armature[0], m.joint_friction[0]})
        CHECK(zero == 0);
    CHECK(m.shape_material_mu[0] == 1);
    CHECK(m.shape_material_mu_static[0] == 1);
    CHECK(m.shape_material_ke[0] == 2500);
    CHECK(m.shape_material_kd[0] == 100);
    CHECK(m.shape_material_kf[0] == 1000);
    CHECK(m.shape_material_mu_torsional[0] == Real(0.005));
    CHECK(m.shape_material_mu_rolling[0] == Real(1e-4));
    CHECK(m.shape_material_kh[0] == Real(1e10));
    CHECK(m.shape_gap[0] == Real(0.1));
    CHECK(m.shape_margin[0] == 0);
    CHECK(m.shape_flags[0] == (shape_flag::visible | shape_flag::collide_shapes | shape_flag::collide_particles));
    CHECK(m.shape_collision_group[0] == 1);
}

TEST_CASE("a target outside the limits becomes the middle of the range (DYN-017, IMP-238)")
{
    ModelBuilder b;
    const auto   body = b.add_link({}, "b", 1, {}, kUnitInertia);
    b.add_joint_revolute(kWorldBody, body, {}, {}, {.limit_lower = 10 * kDegrees, .limit_upper = 50 * kDegrees});
    const Model m = finalized(b);
    CHECK(m.joint_target_q[0] == close_to(0.523599, 1e-6));  // 30 degrees
    CHECK(m.joint_q[0] == 0);
}

TEST_CASE("every target lies outside a range whose ends are exchanged, so the middle is taken there too (IMP-238)")
{
    ModelBuilder b;
    const auto   body = b.add_link({}, "b", 1, {}, kUnitInertia);
    b.add_joint_prismatic(kWorldBody, body, {}, {}, {.limit_lower = 0.8, .limit_upper = -1});
    CHECK(finalized(b).joint_target_q[0] == close_to(-0.1, 1e-6));
}

TEST_CASE("a plane that ends in one direction only is kept, has no bound and does not collide")
{
    ModelBuilder b;
    BuilderShape strip;
    strip.type  = GeoType::plane;
    strip.scale = {5, 0, 0};
    b.add_shape(strip);
    const Model m = finalized(b);
    CHECK(m.shape_collision_radius[0] == Real(1e6));
    CHECK((m.shape_flags[0] & shape_flag::collide_shapes) == 0);
}

TEST_CASE("drive modes are inferred from gains where none is chosen (DYN-018)")
{
    struct Row {
        double                    ke, kd;
        std::optional<TargetMode> chosen;
        TargetMode                mode;
    };
    const Row table[] = {{0, 0, {}, TargetMode::none},
                         {5, 0, {}, TargetMode::position},
                         {5, 1, {}, TargetMode::position},
                         {0, 1, {}, TargetMode::velocity},
                         {5, 1, TargetMode::position_velocity, TargetMode::position_velocity},
                         {0, 0, TargetMode::effort, TargetMode::effort}};
    for (const Row& row : table) {
        CAPTURE(row.ke);
        CAPTURE(row.kd);
        ModelBuilder b;
        const auto   body = b.add_link({}, "b", 1, {}, kUnitInertia);
        b.add_joint_revolute(kWorldBody, body, {}, {},
                             {.target_ke = row.ke, .target_kd = row.kd, .actuator_mode = row.chosen});
        CHECK(finalized(b).joint_target_mode[0] == row.mode);
    }
}

TEST_CASE("a FREE joint's coordinates and velocities reproduce its body's (IMP 1.7, DYN-007)")
{
    for_seeds(50, [](Random& r) {
        ModelBuilder b;
        const Posed  X_WB{r.vec(2), r.rotation()};
        const auto   body = b.add_link(X_WB, "b", 2, r.vec(0.3), kUnitInertia);
        b.bodies[0].qd    = {r.vec(3), r.vec(3)};
        const Posed X_WP{r.vec(1), r.rotation()};
        b.add_joint({.type = JointType::free, .parent = kWorldBody, .child = body, .parent_xform = X_WP});
        const Model m = finalized(b);
        const Pose  X_PB{{m.joint_q[0], m.joint_q[1], m.joint_q[2]},
                         {m.joint_q[3], m.joint_q[4], m.joint_q[5], m.joint_q[6]}};
        const Posed again = X_WP * static_cast<Posed>(X_PB);
        CHECK(distance(again.p, X_WB.p) < 2e-6);  // sums of a few floats of size 3
        CHECK(angle_between(again.q, X_WB.q) < 1e-5);
        const Vec3d linear{m.joint_qd[0], m.joint_qd[1], m.joint_qd[2]},
            angular{m.joint_qd[3], m.joint_qd[4], m.joint_qd[5]};
        CHECK(distance(rotate(X_WP.q, linear), b.bodies[0].qd.linear) < 5e-6);
        CHECK(distance(rotate(X_WP.q, angular), b.bodies[0].qd.angular) < 5e-6);
        CHECK(m.joint_target_q[6] == 1);  // targets stay at the identity
        CHECK(m.joint_target_q[0] == 0);
    });
}

TEST_CASE(
    "under a moving parent a FREE joint's velocity is relative to the parent's field at the child's centre of mass "
    "(DYN-008)")
{
    ModelBuilder b;
    const auto   parent = b.add_body({}, "p", 1, {}, kUnitInertia);
    const auto   child  = b.add_link({{2, 0, 0}, {}}, "c", 1, {0, 1, 0}, kUnitInertia);
    b.bodies[0].qd      = {{1, 0, 0}, {0, 0, 2}};
    b.bodies[1].qd      = {{5, 6, 7}, {0, 0, 3}};
    const auto  j       = b.add_joint({.type = JointType::free, .parent = parent, .child = child});
    const Model m       = finalized(b);
    const auto  at      = static_cast<std::size_t>(m.joint_qd_start[static_cast<std::size_t>(j)]);
    // The parent's field at (2, 1, 0): (1, 0, 0) + (0, 0, 2) x (2, 1, 0) = (-1, 4, 0).
    const std::array<Real, 6> expected{6, 2, 7, 0, 0, 1};
    for (std::size_t i = 0; i < 6; ++i) CHECK(m.joint_qd[at + i] == close_to(expected[i], 1e-6));
}

TEST_CASE("shapes add their mass to the body unless it is locked, they are disabled, sites, or of density zero")
{
    ShapeConfig plain, site, off, light;
    site.is_site            = true;
    off.has_shape_collision = off.has_particle_collision = false;
    light.density                                        = 0;
    ModelBuilder b;
    const auto   body = b.add_link({}, "b");
    b.add_shape_box(body, {}, {0.5, 0.5, 0.5}, plain);
    CHECK(b.bodies[0].mass == close_to(1000, 1e-12));
    b.add_shape_box(body, {{2, 0, 0}, {}}, {0.5, 0.5, 0.5}, plain);  // M16 of import-usd.md 5.5
    CHECK(b.bodies[0].mass == close_to(2000, 1e-12));
    CHECK(distance(b.bodies[0].com, Vec3d{1, 0, 0}) < 1e-12);
    CHECK(b.bodies[0].inertia.r0.x == close_to(1000.0 / 3, 1e-12));
    CHECK(b.bodies[0].inertia.r1.y == close_to(7000.0 / 3, 1e-12));
    for (const ShapeConfig& weightless : {site, off, light}) b.add_shape_box(body, {}, {1, 1, 1}, weightless);
    b.bodies[0].lock_inertia = true;
    b.add_shape_box(body, {}, {1, 1, 1}, plain);
    CHECK(b.bodies[0].mass == close_to(2000, 1e-12));
}

TEST_CASE("a shell of a unit cube weighs its wall (M13, M14 of import-usd.md 5.5)")
{
    ShapeConfig  config;
    ModelBuilder b;
    config.is_solid        = false;
    config.shell_thickness = 0.1;
    b.add_shape_box(b.add_link({}, "thickness"), {}, {0.5, 0.5, 0.5}, config);
    CHECK(b.bodies[0].mass == close_to(488, 1e-12));  // 1000 (1 - 0.8^3)
    CHECK(b.bodies[0].inertia.r0.x == close_to(112.05333, 1e-7));
    config.shell_thickness.reset();
    config.margin = 0.05;
    b.add_shape_box(b.add_link({}, "margin"), {}, {0.5, 0.5, 0.5}, config);
    CHECK(b.bodies[1].mass == close_to(271, 1e-12));  // 1000 (1 - 0.9^3)
    CHECK(b.bodies[1].inertia.r0.x == close_to(68.25167, 1e-7));
}

TEST_CASE("sites are visible, in group 0 and never collide (IMP-147, COL-015)")
{
    ShapeConfig site;
    site.is_site = true;
    ModelBuilder b;
    b.add_shape_sphere(kWorldBody, {}, 1, site);
    const Model m = finalized(b);
    CHECK(m.shape_flags[0] == (shape_flag::visible | shape_flag::site));
    CHECK(m.shape_collision_group[0] == 0);
    CHECK(m.static_shapes == std::vector<std::int32_t>{0});
}

TEST_CASE("jointed neighbours are filtered, whichever comes first, joint or shape (IMP-155, COL-039)")
{
    ModelBuilder b;
    const auto   p = b.add_link({}, "p"), c = b.add_link({}, "c"), g = b.add_link({}, "g");
    b.add_shape_sphere(p, {}, 1, {});  // 0
    b.add_shape_sphere(c, {}, 1, {});  // 1
    b.add_joint_revolute(p, c, {}, {}, {});
    b.add_joint_revolute(c, g, {}, {}, {});
    b.add_shape_sphere(g, {}, 1, {});  // 2: grandchildren still collide with p
    ShapeConfig visual, apart;
    visual.has_shape_collision    = false;
    apart.collision_filter_parent = false;
    b.add_shape_sphere(g, {}, 1, visual);  // 3
    b.add_shape_sphere(g, {}, 1, apart);   // 4
    using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
    CHECK(finalized(b).shape_collision_filter_pairs == Pairs{{0, 1}, {1, 2}, {2, 4}});  // 2, 4: of one body
}

TEST_CASE("a joint to the world filters static shapes only when it is fixed (COL-038)")
{
    for (const bool fixed : {true, false}) {
        CAPTURE(fixed);
        ModelBuilder b;
        b.add_shape_box(kWorldBody, {}, {1, 1, 1}, {});  // 0
        const auto body = b.add_link({}, "b");
        b.add_shape_box(body, {}, {1, 1, 1}, {});  // 1
        if (fixed)
            b.add_joint_fixed(kWorldBody, body, {}, {});
        else
            b.add_joint_revolute(kWorldBody, body, {}, {}, {});
        b.add_ground_plane();                      // 2
        b.add_shape_box(body, {}, {1, 1, 1}, {});  // 3
        using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
        // 1 and 3 belong to one body in any case.
        CHECK(finalized(b).shape_collision_filter_pairs ==
              (fixed ? Pairs{{0, 1}, {0, 3}, {1, 2}, {1, 3}, {2, 3}} : Pairs{{1, 3}}));
    }
}

TEST_CASE("filter pairs are sorted, unique, the smaller shape first (IMP-235, COL-041)")
{
    ModelBuilder b;
    for (int i = 0; i < 4; ++i) b.add_shape_sphere(kWorldBody, {}, 1, {});
    for (const auto& [x, y] : {std::pair{3, 1}, {1, 3}, {2, 0}, {2, 2}, {0, 1}})
        b.add_shape_collision_filter_pair(x, y);
    using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
    CHECK(finalized(b).shape_collision_filter_pairs == Pairs{{0, 1}, {0, 2}, {1, 3}});
}

TEST_CASE("the ground plane faces up whatever axis is up")
{
    for (const int up : {0, 1, 2}) {
        ModelBuilder b;
        b.up_axis = up;
        b.add_ground_plane(0.5);
        const Model m = finalized(b);
        CHECK(m.shape_type[0] == GeoType::plane);
        CHECK(m.shape_body[0] == kWorldBody);
        CHECK(distance(rotate(m.shape_transform[0].q, Vec3{0, 0, 1}), axis_vector<Real>(up)) < 1e-6);
        CHECK(distance(m.shape_transform[0].p, Real(0.5) * axis_vector<Real>(up)) < 1e-7);
        CHECK(m.shape_collision_radius[0] == Real(1e6));
        CHECK(m.shape_label[0] == "ground_plane");
    }
}

TEST_CASE("two replicas give contiguous worlds, three gravity rows and shifted indices (IMP-234, import-usd.md 9.4)")
{
    ModelBuilder source;
    source.gravity = {0, 0, -1.62};
    const auto a   = source.add_body({}, "a", 1, {}, kUnitInertia),
               c   = source.add_link({{1, 0, 0}, {}}, "c", 1, {}, kUnitInertia);
    source.add_joint_revolute(a, c, {}, {}, {}, "hinge");
    source.articulations[0].joints.push_back(1);
    source.joints[1].articulation = 0;
    source.add_shape_sphere(a, {}, 0.1, {}, "ball");
    source.add_shape_sphere(c, {}, 0.1, {}, "ball");

    ModelBuilder b;
    b.add_ground_plane();
    REQUIRE(b.replicate(source, 2));
    b.add_shape_sphere(kWorldBody, {}, 1, {}, "lamp");
    const Model m = finalized(b);
    using Ints    = std::vector<std::int32_t>;
    CHECK(m.world_count == 2);
    CHECK(m.body_world == Ints{0, 0, 1, 1});
    CHECK(m.body_world_start == Ints{0, 2, 4, 4});
    CHECK(m.shape_world == Ints{-1, 0, 0, 1, 1, -1});
    CHECK(m.shape_world_start == Ints{1, 3, 5, 6});
    CHECK(m.joint_world_start == Ints{0, 2, 4, 4});
    CHECK(m.articulation_world_start == Ints{0, 1, 2, 2});
    CHECK(m.joint_dof_world_start == Ints{0, 7, 14, 14});
    CHECK(m.joint_coord_world_start == Ints{0, 8, 16, 16});
    REQUIRE(m.gravity.size() == 3);
    CHECK(m.gravity_of(0) == Vec3{0, 0, Real(-1.62)});
    CHECK(m.gravity_of(kGlobalWorld) == Vec3{0, 0, Real(-9.81)});
    CHECK(m.joint_parent == Ints{-1, 0, -1, 2});
    CHECK(m.joint_child == Ints{0, 1, 2, 3});
    CHECK(m.joint_ancestor == Ints{-1, 0, -1, 2});
    CHECK(m.joint_articulation == Ints{0, 0, 1, 1});
    CHECK(m.shape_body == Ints{-1, 0, 1, 2, 3, -1});
    CHECK(m.body_shapes[3] == Ints{4});
    CHECK(m.body_label == std::vector<std::string>{"a", "c", "a", "c"});
    using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
    CHECK(m.shape_collision_filter_pairs == Pairs{{1, 2}, {3, 4}});
}

TEST_CASE("the filter pairs of copies are those of one, for each copy (COL-042)")
{
    ModelBuilder one;
    const auto   a = one.add_body({}, "a"), b = one.add_body({}, "b");
    for (const std::int32_t body : {a, a, a, b}) one.add_shape_sphere(body, {}, 1, {});
    one.add_shape_collision_filter_pair(0, 3);
    const std::size_t single = finalized(one).shape_collision_filter_pairs.size();
    CHECK(single == 4);  // three of one body, one of the user's
    for (const int count : {1, 10, 100}) {
        ModelBuilder many;
        REQUIRE(many.replicate(one, count));
        CHECK(finalized(many).shape_collision_filter_pairs.size() == static_cast<std::size_t>(count) * single);
    }
}

TEST_CASE("a model without worlds counts everything as global")
{
    ModelBuilder b;
    b.add_body({}, "a", 1, {}, kUnitInertia);
    const Model m = finalized(b);
    CHECK(m.world_count == 0);
    CHECK(m.body_world_start == std::vector<std::int32_t>{1, 1});
    CHECK(m.gravity.size() == 1);
}

TEST_CASE("state and control start as the model says, and clearing keeps quaternions (IMP-236, IMP-237, DYN-012)")
{
    ModelBuilder b;
    b.add_body({{1, 2, 3}, {}}, "a", 1, {}, kUnitInertia);
    b.bodies[0].qd = {{1, 0, 0}, {}};
    const Model m  = finalized(b);
    State       s  = make_state(m);
    CHECK(s.body_q == m.body_q);
    CHECK(s.joint_qd[0] == 1);
    CHECK(s.body_f.size() == 1);
    s.body_f[0] = {{1, 1, 1}, {1, 1, 1}};
    clear_forces(s);
    CHECK(s.body_f[0] == Spatial{});
    Control c        = make_control(m);
    c.joint_target_q = std::vector<Real>(7, 5);
    c.joint_f[3]     = 7;
    clear(c, m);
    CHECK(c.joint_target_q == m.joint_target_q);
    CHECK(c.joint_target_q[6] == 1);
    CHECK(c.joint_f[3] == 0);
    CHECK(same_layout(s, make_state(m)));
    CHECK_FALSE(same_layout(s, State{}));  // what an assignment must ask first (IMP-237)
}

TEST_CASE("a builder that has worlds of its own is not copied into worlds, and says so")
{
    model::ModelBuilder source;
    source.begin_world();
    source.add_body(Posed{}, "body");
    source.end_world();
    model::ModelBuilder b;
    const auto          copied = b.replicate(source, 2);
    REQUIRE_FALSE(copied);
    CHECK(copied.error().id == "MODEL_WORLDS_NESTED");
    CHECK(b.bodies.empty());
    REQUIRE_FALSE(b.add_builder(source));
}

TEST_CASE("a placement moves every joint to the world as a whole: with its anchor, or free in the world with its pose")
{
    for_seeds(60, [](Random& r) {
        const auto pose = [&] { return Posed{r.vec(1), normalized(Quatd{r.vec(1).x, r.vec(1).y, r.vec(1).z, 1.5})}; };
        for (const JointType type : {JointType::free, JointType::distance, JointType::rod})
            for (const bool anchored : {false, true}) {
                CAPTURE(static_cast<int>(type));
                CAPTURE(anchored);
                ModelBuilder one;
                one.add_link(pose(), "body", 1, {}, Mat33d::identity());
                BuilderJoint joint{.label = "joint", .type = type, .child = 0};
                if (anchored) joint.parent_xform = pose();
                const Posed q = pose();
                const Vec3d v = r.vec(1), w = r.vec(1);
                joint.q  = {q.p.x, q.p.y, q.p.z, q.q.x, q.q.y, q.q.z, q.q.w};
                joint.qd = {v.x, v.y, v.z, w.x, w.y, w.z};
                one.joints.push_back(joint);
                const Posed  T = pose();
                ModelBuilder all;
                REQUIRE(all.add_builder(one, {.xform = T}));
                const BuilderJoint& placed = all.joints.front();
                const Posed         now{{placed.q[0], placed.q[1], placed.q[2]},
                                        {placed.q[3], placed.q[4], placed.q[5], placed.q[6]}};
                // World from child anchor, and the velocity in the world, go along with the placement.
                const Posed was = T * (joint.parent_xform * q), is = placed.parent_xform * now;
                CHECK(length(was.p - is.p) < 1e-9);
                CHECK(std::abs(dot(was.q, is.q)) == close_to(1, 1e-9));
                const Vec3d moved = rotate(T.q, rotate(joint.parent_xform.q, v));
                CHECK(length(moved - rotate(placed.parent_xform.q, {placed.qd[0], placed.qd[1], placed.qd[2]})) < 1e-9);
                // What a distance is measured from goes along too.
                if (type != JointType::free) CHECK(length(placed.parent_xform.p - T * joint.parent_xform.p) < 1e-12);
            }
    });
}

TEST_CASE("a kept joint whose child is the world is turned around where fixed joints are collapsed")
{
    ModelBuilder b;
    b.add_link({}, "body", 1, {}, Mat33d::identity());
    b.joints.push_back({.label = "joint", .parent = 0, .child = kWorldBody});
    Diagnostics found;
    CHECK_FALSE(b.finalize({}, found));
    const auto done = collapse_fixed_joints(b, {.joints = {"joint"}}, found);
    CHECK(done.joint_remap == std::vector<std::int32_t>{0});
    REQUIRE(b.joints.size() == 1);
    CHECK(b.joints.front().parent == kWorldBody);
    CHECK(b.joints.front().child == 0);
    CHECK(b.finalize({}, found));
}
