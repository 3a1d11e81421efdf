#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "import_support.h"
#include "robot_text.h"

namespace mechane::importer::test {
using mechane::test::close_to;
using mechane::test::distance;

namespace {

/// Two bodies and one hinge with what the test authors on it.
std::string hinge_stage(const std::string& on_joint, const std::string& type = "PhysicsRevoluteJoint")
{
    const std::size_t api = on_joint.find("apiSchemas");
    std::string       j   = joint(type, "hinge", "/robot", "a", "b",
                                  api == std::string::npos ? on_joint : on_joint.substr(on_joint.find('\n')));
    if (api != std::string::npos) j.insert(j.find(" {"), " (" + on_joint.substr(0, on_joint.find('\n')) + ")");
    return stage_text(robot(body("a") + body("b", 1) + j));
}

const model::JointDofConfig& only_dof(const Imported& in)
{
    const model::BuilderJoint& j = in.joint_at("/robot/hinge");
    return j.angular_axes.empty() ? j.linear_axes.front() : j.angular_axes.front();
}

}  // namespace

TEST_CASE("a hinge arrives in radians with the gains of its drive (IMP-085 to IMP-096; IMP-087, IMP-088)")
{
    // Per degree becomes per radian by 180/pi = 57.29577951308232.
    const Imported in = import_text(hinge_stage(R"(prepend apiSchemas = ["PhysicsDriveAPI:angular"]
    uniform token physics:axis = "Z"
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
    float drive:angular:physics:stiffness = 10
    float drive:angular:physics:damping = 1
    float drive:angular:physics:targetPosition = 30
    float drive:angular:physics:targetVelocity = 60
    float drive:angular:physics:maxForce = 50
    float newton:armature = 0.1
    float newton:friction = 0.2
    float newton:damping = 0.3
    float newton:velocityLimit = 180
    float newton:limitStiffness = 5
    float newton:limitDamping = 2)"));
    REQUIRE(in.result);
    const model::BuilderJoint&   j   = in.joint_at("/robot/hinge");
    const model::JointDofConfig& dof = only_dof(in);
    CHECK(j.type == model::JointType::revolute);
    CHECK(distance(dof.axis, Vec3d{0, 0, 1}) == 0);
    struct {
        double found, expected;
    } table[] = {
        {dof.limit_lower, -1.570796},
        {dof.limit_upper, 1.570796},
        {dof.target_ke, 572.957795},
        {dof.target_kd, 57.295780},
        {dof.target_q, 0.523599},
        {dof.target_qd, 1.047198},
        {dof.effort_limit, 50},
        {dof.armature, 0.1},
        {dof.friction, 0.2},
        {dof.damping, 17.188734},
        {dof.velocity_limit, 3.141593},
        {dof.limit_ke, 286.478898},
        {dof.limit_kd, 114.591559},
    };
    for (const auto& row : table) CHECK(row.found == close_to(row.expected, 1e-6));
    CHECK(dof.actuator_mode == model::TargetMode::position);
    CHECK(dof.limit_authored);
}

TEST_CASE("a hinge without anything has no limits and the builder's gains (IMP-086, IMP-091, IMP-101)")
{
    const Imported in = import_text(hinge_stage(""));
    REQUIRE(in.result);
    const auto& dof = only_dof(in);
    CHECK(dof.limit_lower == -1e10);
    CHECK(dof.limit_upper == 1e10);
    CHECK(dof.limit_ke == 1e4);
    CHECK(dof.limit_kd == 10);
    CHECK_FALSE(dof.limit_authored);
    CHECK(dof.effort_limit == 1e6);
    CHECK(dof.actuator_mode == model::TargetMode::none);
    CHECK(in.joint_labels() == std::vector<std::string>{"joint_1", "/robot/hinge"});
    CHECK(in.builder.joints[0].type == model::JointType::free);
}

TEST_CASE("the mode of a drive follows from its gains (IMP-092, IMP-093, IMP-094)")
{
    struct {
        double            ke, kd;
        model::TargetMode plain, forced;
    } table[] = {
        {0, 0, model::TargetMode::effort, model::TargetMode::effort},
        {0, 1, model::TargetMode::velocity, model::TargetMode::velocity},
        {1, 0, model::TargetMode::position, model::TargetMode::position},
        {1, 1, model::TargetMode::position, model::TargetMode::position_velocity},
    };
    for (const auto& row : table) {
        const std::string text = hinge_stage(
            fmt::format("prepend apiSchemas = [\"PhysicsDriveAPI:angular\"]\n    float drive:angular:physics:stiffness "
                        "= {}\n    float drive:angular:physics:damping = {}",
                        row.ke, row.kd));
        CHECK(only_dof(import_text(text)).actuator_mode == row.plain);
        CHECK(std::isinf(only_dof(import_text(text)).effort_limit));
        ImportOptions options;
        options.force_position_velocity_actuation = true;
        CHECK(only_dof(import_text(text, options)).actuator_mode == row.forced);
    }
}

TEST_CASE("gains of an acceleration drive know no mass, and on turning axes they are per degree (GAP-008, GAP-091)")
{
    constexpr double kPerDegree = 180 / kPi;
    struct {
        const char *schema, *instance;
        bool        turns;
    } table[] = {{"PhysicsRevoluteJoint", "angular", true},
                 {"PhysicsPrismaticJoint", "linear", false},
                 {"PhysicsJoint", "rotX", true},
                 {"PhysicsJoint", "rotZ", true},
                 {"PhysicsJoint", "transY", false}};
    for (const auto& row : table)
        for (const double unit : {1.0, 0.01}) {
            CAPTURE(row.schema);
            CAPTURE(row.instance);
            CAPTURE(unit);
            const auto gains = [&](const char* type, const ImportOptions& options) {
                std::string text = hinge_stage(
                    fmt::format(
                        "prepend apiSchemas = [\"PhysicsDriveAPI:{0}\"]\n    uniform token drive:{0}:physics:type = "
                        "\"{1}\"\n    float drive:{0}:physics:stiffness = 100\n    float drive:{0}:physics:damping = "
                        "7\n"
                        "    float drive:{0}:physics:targetPosition = 0.25\n",
                        row.instance, type),
                    row.schema);
                if (const auto at = text.find("metersPerUnit = 1"); at != std::string::npos)
                    text.replace(at, 17, fmt::format("metersPerUnit = {}", unit));
                const Imported in  = import_text(text, options);
                const auto&    j   = in.joint_at("/robot/hinge");
                const auto&    all = row.turns ? j.angular_axes : j.linear_axes;
                const auto driven = std::find_if(all.begin(), all.end(), [](const auto& d) { return d.target_ke > 0; });
                REQUIRE(driven != all.end());
                return *driven;
            };
            const double per_angle = row.turns ? kPerDegree : 1;
            const auto   ours      = gains("acceleration", {});
            CHECK(ours.drive_type == model::DriveType::acceleration);
            CHECK(ours.target_ke == close_to(100 * per_angle, 1e-9 * per_angle * 100));
            CHECK(ours.target_kd == close_to(7 * per_angle, 1e-9 * per_angle * 7));
            const auto force = gains("force", {});
            CHECK(force.drive_type == model::DriveType::force);
            // M L^2 on turning axes, M on sliding ones.
            CHECK(force.target_ke == close_to(100 * per_angle * (row.turns ? unit * unit : 1), 1e-6));
            if (std::string_view(row.schema) == "PhysicsJoint") continue;  // newton-1.8 locks axes without a limit
            // Newton 1.8 knows force drives only.
            CHECK(gains("acceleration", newton_options()).drive_type == model::DriveType::force);
            CHECK(gains("acceleration", newton_options()).target_ke == close_to(100 * per_angle, 1e-6));
        }
}

TEST_CASE("a contradicting limit locks the axis (CON-04)")
{
    const std::string text = hinge_stage("float physics:lowerLimit = 10\n    float physics:upperLimit = -10");
    CHECK(import_text(text).joint_at("/robot/hinge").type == model::JointType::fixed);
    CHECK(import_text(text, newton_options()).joint_at("/robot/hinge").type == model::JointType::revolute);
}

TEST_CASE("joints are ordered by path, depth first, and bodies follow (IMP-008, IMP-009, IMP-010)")
{
    std::string inside;
    for (int i = 0; i < 5; ++i) inside += body(fmt::format("b{}", i), i);
    for (const char* pair : {"34", "02", "13", "01"})
        inside += joint("PhysicsRevoluteJoint", std::string("j") + pair, "/robot", std::string("b") + pair[0],
                        std::string("b") + pair[1]);
    for (const ImportOptions& base : {ImportOptions{}, newton_options()}) {
        ImportOptions  options = base;
        const Imported dfs     = import_text(stage_text(robot(inside)), options);
        REQUIRE(dfs.result);
        CHECK(dfs.body_labels() ==
              std::vector<std::string>{"/robot/b0", "/robot/b1", "/robot/b3", "/robot/b4", "/robot/b2"});
        CHECK(dfs.joint_labels() ==
              std::vector<std::string>{"joint_1", "/robot/j01", "/robot/j13", "/robot/j34", "/robot/j02"});
        options.joint_ordering = JointOrdering::bfs;
        const Imported bfs     = import_text(stage_text(robot(inside)), options);
        CHECK(bfs.body_labels() ==
              std::vector<std::string>{"/robot/b0", "/robot/b1", "/robot/b2", "/robot/b3", "/robot/b4"});
        CHECK(bfs.joint_labels() ==
              std::vector<std::string>{"joint_1", "/robot/j01", "/robot/j02", "/robot/j13", "/robot/j34"});
    }
}

TEST_CASE("a loop is cut where it closes and becomes a loop joint; Newton refuses it (GAP-065, IMP-024)")
{
    std::string inside;
    for (int i = 0; i < 3; ++i) inside += body(fmt::format("b{}", i), i);
    inside += joint("PhysicsRevoluteJoint", "j01", "/robot", "b0", "b1") +
              joint("PhysicsRevoluteJoint", "j12", "/robot", "b1", "b2") +
              joint("PhysicsRevoluteJoint", "j20", "/robot", "b2", "b0");
    const Imported in = import_text(stage_text(robot(inside)));
    REQUIRE(in.result);
    // Breadth first from b0 in path order: j01 and j20 reach b1 and b2, j12 closes the loop.
    CHECK(in.joint_at("/robot/j12").articulation == -1);
    CHECK(in.joint_at("/robot/j01").articulation == 0);
    CHECK(in.joint_at("/robot/j20").articulation == 0);
    CHECK(in.found.count("IMPORT_ART_LOOP_CUT") == 1);
    Diagnostics out;
    CHECK(in.builder.finalize({}, out));

    const Imported newton = import_text(stage_text(robot(inside)), newton_options());
    CHECK(newton.error == "IMPORT_ART_CYCLE");
    CHECK(newton.builder.bodies.empty());  // IMP-042
}

TEST_CASE("gears of PhysX take no joint's place in the tree and are told once")
{
    // By path they come before the joints that hold the bodies, and an edge of the tree would be theirs.
    for (const char* type : {"PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint"})
        for (const char* outside : {"", "uniform bool physics:excludeFromArticulation = 1"}) {
            CAPTURE(type);
            CAPTURE(outside);
            std::string inside;
            for (int i = 0; i < 3; ++i) inside += body(fmt::format("b{}", i), i);
            inside += joint("PhysicsRevoluteJoint", "j01", "/robot", "b0", "b1") +
                      joint("PhysicsRevoluteJoint", "j02", "/robot", "b0", "b2") +
                      joint(type, "a12", "/robot", "b1", "b2", outside);
            const Imported in = import_text(stage_text(robot(inside)));
            REQUIRE(in.result);
            CHECK(in.joint_labels() == std::vector<std::string>{"joint_1", "/robot/j01", "/robot/j02"});
            CHECK(in.joint_at("/robot/j01").articulation == 0);
            CHECK(in.joint_at("/robot/j02").articulation == 0);
            CHECK(in.found.count("IMPORT_ART_LOOP_CUT") == 0);
            CHECK(in.found.count("IMPORT_JOINT_SKIPPED") == 1);
        }
}

TEST_CASE("an excluded joint stays outside its articulation and comes last (IMP-025)")
{
    std::string inside;
    for (int i = 0; i < 3; ++i) inside += body(fmt::format("b{}", i), i);
    inside +=
        joint("PhysicsRevoluteJoint", "j01", "/robot", "b0", "b1") +
        joint("PhysicsRevoluteJoint", "j12", "/robot", "b1", "b2") +
        joint("PhysicsRevoluteJoint", "a20", "/robot", "b2", "b0", "uniform bool physics:excludeFromArticulation = 1");
    for (const ImportOptions& options : {ImportOptions{}, newton_options()}) {
        const Imported in = import_text(stage_text(robot(inside)), options);
        REQUIRE(in.result);
        CHECK(in.joint("/robot/a20") == in.builder.joints.size() - 1);
        CHECK(in.joint_at("/robot/a20").articulation == -1);
        CHECK(in.joint_at("/robot/a20").exclude_from_articulation);
    }
}

TEST_CASE("a joint that points towards the root is turned round; Newton refuses it (GAP-065, IMP-027)")
{
    const std::string inside = body("b0", 0) + body("b1", 1) + body("b2", 2) +
                               joint("PhysicsRevoluteJoint", "j01", "/robot", "b0", "b1") +
                               "def PhysicsRevoluteJoint \"j21\" {\n    rel physics:body0 = </robot/b2>\n    rel "
                               "physics:body1 = </robot/b1>\n    uniform token physics:axis = \"Z\"\n"
                               "    point3f physics:localPos0 = (-0.5, 0, 0)\n    point3f physics:localPos1 = (0.5, 0, "
                               "0)\n    float physics:lowerLimit = -10\n    float physics:upperLimit = 20\n}\n";
    // Two sources, b0 and b2: the middle of the chain is the root, so one of the joints runs against its direction.
    const Imported in = import_text(stage_text(robot(inside)));
    REQUIRE(in.result);
    CHECK(in.builder.articulations.size() == 1);
    const model::BuilderJoint& j = in.joint_at("/robot/j21");
    CHECK(j.parent == static_cast<std::int32_t>(in.body("/robot/b1")));
    CHECK(j.child == static_cast<std::int32_t>(in.body("/robot/b2")));
    CHECK(distance(j.angular_axes[0].axis, Vec3d{0, 0, -1}) == 0);  // the same turn seen from the other side
    CHECK(j.angular_axes[0].limit_upper == close_to(20 * kDegrees, 1e-6));
    CHECK(distance(j.parent_xform.p, Vec3d{0.5, 0, 0}) < 1e-6);
    CHECK(in.found.count("IMPORT_JOINT_REVERSED") >= 1);
    CHECK(import_text(stage_text(robot(inside)), newton_options()).error == "IMPORT_ART_REVERSED");
}

TEST_CASE("two trees under one root are two articulations; Newton refuses them (GAP-065, IMP-026)")
{
    std::string inside;
    for (int i = 0; i < 4; ++i) inside += body(fmt::format("b{}", i), i);
    inside += joint("PhysicsRevoluteJoint", "j01", "/robot", "b0", "b1") +
              joint("PhysicsRevoluteJoint", "j23", "/robot", "b2", "b3");
    const Imported in = import_text(stage_text(robot(inside)));
    REQUIRE(in.builder.articulations.size() == 2);
    CHECK(in.builder.articulations[0].label == "/robot");
    CHECK(in.builder.articulations[1].label == "/robot#1");
    CHECK(import_text(stage_text(robot(inside)), newton_options()).error == "IMPORT_ART_MULTI_ROOT");
}

TEST_CASE("jointed bodies without an articulation root form a tree all the same (appendix A10)")
{
    const std::string flat = "def Xform \"robot\" {\n" + body("a") + body("b", 1) +
                             joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b") + "}\n";
    const Imported    in   = import_text(stage_text(flat));
    REQUIRE(in.result);
    CHECK(in.builder.articulations.size() == 1);
    CHECK(in.joint_at("/robot/hinge").articulation == 0);
    CHECK(in.joint_labels() == std::vector<std::string>{"joint_1", "/robot/hinge"});
    const Imported newton = import_text(stage_text(flat), newton_options());
    REQUIRE(newton.result);
    CHECK(newton.joint_at("/robot/hinge").articulation == -1);
    CHECK(newton.builder.joints.size() == 1);
}

TEST_CASE("a joint to the world holds the root, and floating replaces it (IMP-016, IMP-017, IMP-018, IMP-028)")
{
    const std::string text =
        stage_text(robot(body("a", 3) + body("b", 4) + joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b") +
                         "def PhysicsFixedJoint \"anchor\" { rel physics:body0 = </robot/a> }\n"));
    const Imported held = import_text(text);
    REQUIRE(held.result);
    CHECK(held.joint_labels() == std::vector<std::string>{"/robot/anchor", "/robot/hinge"});
    CHECK(held.joint_at("/robot/anchor").parent == model::kWorldBody);
    CHECK(held.joint_at("/robot/anchor").child == static_cast<std::int32_t>(held.body("/robot/a")));
    CHECK(distance(held.body_at("/robot/a").q.p, Vec3d{3, 0, 0}) < 1e-9);

    ImportOptions options;
    options.floating    = true;
    const Imported free = import_text(text, options);
    CHECK(free.builder.joints[0].type == model::JointType::free);
    CHECK(free.result->path_joint_map.count("/robot/anchor") == 0);
    options.floating     = false;
    const Imported fixed = import_text(text, options);
    CHECK(fixed.builder.joints[0].type == model::JointType::fixed);
    CHECK(distance(fixed.builder.joints[0].parent_xform.p, Vec3d{3, 0, 0}) < 1e-9);
}

TEST_CASE("initial coordinates reproduce the authored poses (IMP-120)")
{
    // The outer body stands turned by 30 degrees about z around the hinge at x = 0.5.
    const std::string outer = R"(
def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    double3 xformOp:translate = (0.9330127018922193, 0.25, 0)
    float3 xformOp:rotateXYZ = (0, 0, 30)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
}
)";
    const Imported    in    = import_text(stage_text(
        robot(body("a") + outer +
              joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b", "uniform token physics:axis = \"Z\""))));
    REQUIRE(in.result);
    CHECK(in.joint_at("/robot/hinge").q.at(0) == close_to(30 * kDegrees, 1e-6));
    CHECK(in.found.count("IMPORT_JOINT_SNAPPED") == 0);
    CHECK(distance(in.body_at("/robot/b").q.p, Vec3d{0.9330127018922193, 0.25, 0}) < 1e-6);
}

TEST_CASE("a generic joint has an axis for each limit that leaves room, in canonical order (IMP-106, IMP-107, CON-03)")
{
    const std::string d6 = hinge_stage(
        R"(prepend apiSchemas = ["PhysicsLimitAPI:rotZ", "PhysicsLimitAPI:transX", "PhysicsLimitAPI:transY", "PhysicsLimitAPI:transZ", "PhysicsLimitAPI:rotX", "PhysicsLimitAPI:rotY"]
    float limit:rotZ:physics:low = -10
    float limit:rotZ:physics:high = 10
    float limit:transX:physics:low = -1
    float limit:transX:physics:high = 2
    float limit:transY:physics:low = 1
    float limit:transY:physics:high = -1
    float limit:transZ:physics:low = 1
    float limit:transZ:physics:high = -1
    float limit:rotX:physics:low = 1
    float limit:rotX:physics:high = -1
    float limit:rotY:physics:low = 1
    float limit:rotY:physics:high = -1)",
        "PhysicsJoint");
    for (const ImportOptions& options : {ImportOptions{}, newton_options()}) {
        const Imported in = import_text(d6, options);
        REQUIRE(in.result);
        const model::BuilderJoint& j = in.joint_at("/robot/hinge");
        CHECK(j.type == model::JointType::d6);
        REQUIRE(j.linear_axes.size() == 1);
        REQUIRE(j.angular_axes.size() == 1);
        CHECK(distance(j.linear_axes[0].axis, Vec3d{1, 0, 0}) == 0);
        CHECK(j.angular_axes[0].limit_upper == close_to(10 * kDegrees, 1e-6));
        CHECK(std::isinf(j.angular_axes[0].effort_limit));  // IMP-110
    }
    // Without limits every axis is free, so the joint holds nothing; Newton locks them all (IMP-109).
    CHECK(import_text(hinge_stage("", "PhysicsJoint")).result->path_joint_map.count("/robot/hinge") == 0);
    const Imported newton = import_text(hinge_stage("", "PhysicsJoint"), newton_options());
    CHECK(newton.joint_at("/robot/hinge").linear_axes.empty());
    CHECK(newton.found.count("IMPORT_D6_UNLIMITED_AXIS") == 1);
}

TEST_CASE("a hinge and a slider between the same bodies become one joint (IMP-111, IMP-113)")
{
    const std::string inside =
        body("a") + body("b", 1) +
        joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b", "uniform token physics:axis = \"Z\"") +
        joint("PhysicsPrismaticJoint", "slider", "/robot", "a", "b",
              "quatf physics:localRot0 = (0.70710678, 0, 0, 0.70710678)\n    uniform token physics:axis = \"X\"");
    for (const ImportOptions& options : {ImportOptions{}, newton_options()}) {
        const Imported in = import_text(stage_text(robot(inside)), options);
        REQUIRE(in.result);
        CHECK(in.joint("/robot/hinge") == in.joint("/robot/slider"));
        const model::BuilderJoint& j = in.joint_at("/robot/hinge");
        CHECK(j.type == model::JointType::d6);
        CHECK(distance(j.linear_axes.at(0).axis, Vec3d{0, 1, 0}) < 1e-6);  // x turned by the slider's frame
        CHECK(distance(j.angular_axes.at(0).axis, Vec3d{0, 0, 1}) < 1e-6);
    }
}

TEST_CASE("a ball joint carries its cone about the x axis of its frames (GAP-008, IMP-104)")
{
    const Imported in =
        import_text(hinge_stage("uniform token physics:axis = \"Z\"\n    float physics:coneAngle0Limit = 30\n    float "
                                "physics:coneAngle1Limit = 45",
                                "PhysicsSphericalJoint"));
    REQUIRE(in.result);
    const model::BuilderJoint& j = in.joint_at("/robot/hinge");
    CHECK(j.type == model::JointType::ball);
    CHECK(j.q == std::vector<double>{0, 0, 0, 1});
    CHECK(j.cone_limit[0] == close_to(30 * kDegrees, 1e-6));
    CHECK(distance(rotate(j.parent_xform.q, Vec3d{1, 0, 0}), Vec3d{0, 0, 1}) < 1e-12);
}

TEST_CASE("the angles of a cone are towards the axes that follow its own (IMP-104)")
{
    // UsdPhysics: coneAngle0Limit is towards the next axis, coneAngle1Limit towards the one after that. The model's
    // first angle is towards y of the frames, its second towards z.
    const Vec3d axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t k = 0; k < 3; ++k) {
        CAPTURE(k);
        const Imported in = import_text(hinge_stage(
            fmt::format("uniform token physics:axis = \"{}\"\n    float physics:coneAngle0Limit = 30\n    float "
                        "physics:coneAngle1Limit = 50",
                        "XYZ"[k]),
            "PhysicsSphericalJoint"));
        REQUIRE(in.result);
        const model::BuilderJoint& j = in.joint_at("/robot/hinge");
        CHECK(j.cone_limit[0] == close_to(30 * kDegrees, 1e-6));
        CHECK(j.cone_limit[1] == close_to(50 * kDegrees, 1e-6));
        for (const Quatd& q : {j.parent_xform.q, j.child_xform.q})
            for (std::size_t i = 0; i < 3; ++i) CHECK(distance(rotate(q, axes[i]), axes[(k + i) % 3]) < 1e-12);
    }
}

namespace {

/// A body in the world on a generic joint whose body0 or body1 it is, with these axes free between -60 and 60.
std::string swivel(bool first, const std::vector<std::string>& free)
{
    std::string apis, values;
    for (const char* axis : {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"}) {
        const bool moves = std::ranges::find(free, axis) != free.end();
        apis += fmt::format("{}\"PhysicsLimitAPI:{}\"", apis.empty() ? "" : ", ", axis);
        values += fmt::format("    float limit:{0}:physics:low = {1}\n    float limit:{0}:physics:high = {2}\n", axis,
                              moves ? -60 : 1, moves ? 60 : -1);
    }
    return stage_text(body("b") + fmt::format("def PhysicsJoint \"j\" (prepend apiSchemas = [{}]) {{\n    rel "
                                              "physics:body{} = </b>\n{}}}\n",
                                              apis, first ? 0 : 1, values));
}

}  // namespace

TEST_CASE("the inverse of several turns is turned back in the opposite order (IMP-106)")
{
    const Imported as_is = import_text(swivel(false, {"rotX", "rotY", "rotZ"}));
    const Imported other = import_text(swivel(true, {"rotX", "rotY", "rotZ"}));
    // Three turns that are limited stay three axes.
    const auto &forward = as_is.joint_at("/j").angular_axes, &back = other.joint_at("/j").angular_axes;
    REQUIRE(forward.size() == 3);
    REQUIRE(back.size() == 3);
    Quatd q, p;
    for (std::size_t i = 0; i < 3; ++i) {
        const double angle = 0.3 + 0.2 * static_cast<double>(i);  // of X, Y, Z
        CHECK(distance(forward[i].axis, -1.0 * back[2 - i].axis) < 1e-12);
        q = q * from_axis_angle(forward[i].axis, angle);
    }
    for (std::size_t i = 0; i < 3; ++i) p = p * from_axis_angle(back[i].axis, 0.3 + 0.2 * static_cast<double>(2 - i));
    CHECK(length(to_rotation_vector(q * p)) < 1e-12);
    CHECK(other.found.count("IMPORT_JOINT_INVERSE") == 0);
    // A slide along the only axis that turns commutes with it; any other does not, and that is told.
    CHECK(import_text(swivel(true, {"transZ", "rotZ"})).found.count("IMPORT_JOINT_INVERSE") == 0);
    CHECK(import_text(swivel(true, {"transX", "rotZ"})).found.count("IMPORT_JOINT_INVERSE") == 1);
    CHECK(import_text(swivel(false, {"transX", "rotZ"})).found.count("IMPORT_JOINT_INVERSE") == 0);
}

TEST_CASE("joints that are merged turn their axes where the world is their second end (IMP-111)")
{
    for (const bool first : {false, true}) {
        std::string text = body("b");
        for (const char* axis : {"X", "Y"})
            text += fmt::format(
                "def PhysicsPrismaticJoint \"j{0}\" {{ rel physics:body{1} = </b>\n    uniform token "
                "physics:axis = \"{0}\" }}\n",
                axis, first ? 0 : 1);
        const Imported in = import_text(stage_text(text));
        REQUIRE(in.result);
        double found[2] = {};
        for (const auto& dof : in.joint_at("/jX").linear_axes) found[0] += dof.axis.x, found[1] += dof.axis.y;
        CHECK(found[0] == (first ? -1 : 1));
        CHECK(found[1] == (first ? -1 : 1));
    }
}

TEST_CASE("a joint whose frame in the world was not taken is told (GAP-094)")
{
    const auto on = [](const char* type, const char* frame) {
        return import_text(stage_text(body("b", 0.01) + fmt::format("def {} \"j\" {{ rel physics:body1 = </b>\n    "
                                                                    "uniform token physics:axis = \"Z\"\n    {} }}\n",
                                                                    type, frame)));
    };
    // A centimetre off the line of the slide: the whole frame is that of the body.
    const Imported slide = on("PhysicsPrismaticJoint", "point3f physics:localPos0 = (0, 0, -0.3)");
    CHECK(slide.found.count("IMPORT_JOINT_WORLD_FRAME") == 1);
    CHECK(distance(slide.joint_at("/j").parent_xform.p, Vec3d{0.01, 0, 0}) < 1e-9);
    for (const Diagnostic& one : slide.found)
        if (one.id == "IMPORT_JOINT_WORLD_FRAME") CHECK(one.severity == Severity::warning);
    // Who authors no frame there means no other.
    const Imported unsaid = on("PhysicsRevoluteJoint", "");
    REQUIRE(unsaid.found.count("IMPORT_JOINT_WORLD_FRAME") == 1);
    for (const Diagnostic& one : unsaid.found)
        if (one.id == "IMPORT_JOINT_WORLD_FRAME") CHECK(one.severity == Severity::info);
    const Imported meets = on("PhysicsPrismaticJoint", "point3f physics:localPos0 = (0.01, 0, -0.3)");
    CHECK(meets.found.count("IMPORT_JOINT_WORLD_FRAME") == 0);
    // What is fixed stays where it stands, which is hardly worth a word.
    const Imported fixed = on("PhysicsFixedJoint", "");
    REQUIRE(fixed.found.count("IMPORT_JOINT_WORLD_FRAME") == 1);
    for (const Diagnostic& one : fixed.found)
        if (one.id == "IMPORT_JOINT_WORLD_FRAME") CHECK(one.severity == Severity::info);
}

TEST_CASE("a mimic follows in radians (IMP-123, IMP-125)")
{
    const std::string inside =
        body("a") + body("b", 1) + body("c", 2) + joint("PhysicsRevoluteJoint", "lead", "/robot", "a", "b") +
        "def PhysicsRevoluteJoint \"follow\" (prepend apiSchemas = [\"NewtonMimicAPI\"]) {\n    rel physics:body0 = "
        "</robot/b>\n    rel physics:body1 = </robot/c>\n"
        "    point3f physics:localPos0 = (0.5, 0, 0)\n    point3f physics:localPos1 = (-0.5, 0, 0)\n    rel "
        "newton:mimicJoint = </robot/{}>\n    float newton:mimicCoef0 = 90\n    float newton:mimicCoef1 = 2\n}\n";
    const auto with = [&](const std::string& lead) {
        std::string text = inside;
        return text.replace(text.find("{}"), 2, lead);
    };
    const Imported in = import_text(stage_text(robot(with("lead"))));
    REQUIRE(in.result);
    CHECK(in.joint_at("/robot/follow").mimic_joint == static_cast<std::int32_t>(in.joint("/robot/lead")));
    CHECK(in.joint_at("/robot/follow").mimic_coeffs[0] == close_to(1.570796, 1e-6));
    CHECK(in.joint_at("/robot/follow").mimic_coeffs[1] == 2);
    CHECK(import_text(stage_text(robot(with("nobody")))).found.count("IMPORT_MIMIC_LEADER") == 1);
}

TEST_CASE("a slide that follows a hinge moves alike whatever the schema and the stage's unit are (IMP-123)")
{
    // 0.1 m + 0.25 m/rad of the leader; and the hinge that follows a slide with 0.25 rad/m.
    const auto coefficients = [](double metres, const char* api, const std::string& lines, bool slide_follows) {
        const std::string lead   = slide_follows ? "PhysicsRevoluteJoint" : "PhysicsPrismaticJoint",
                          follow = slide_follows ? "PhysicsPrismaticJoint" : "PhysicsRevoluteJoint";
        const std::string inside = body("a") + body("b", 1) + body("c", 2) + "def " + lead +
                                   " \"lead\" { rel physics:body0 = </robot/a>\n rel physics:body1 = </robot/b> }\n" +
                                   "def " + follow + " \"follow\" (prepend apiSchemas = [\"" + api +
                                   "\"]) { rel physics:body0 = </robot/b>\n rel physics:body1 = </robot/c>\n" + lines +
                                   "}\n";
        const Imported    in =
            import_text(fmt::format("#usda 1.0\n(\n    metersPerUnit = {}\n    kilogramsPerUnit = 1\n    "
                                    "upAxis = \"Z\"\n)\n{}",
                                    metres, robot(inside)));
        REQUIRE(in.result);
        CHECK(in.found.count("IMPORT_MIMIC_UNIT") == (std::string(api).starts_with("Ext") ? 0 : 1));
        return in.joint_at("/robot/follow").mimic_coeffs;
    };
    const auto lines = [](const char* joint, const char* offset, double c0, const char* factor, double c1) {
        return fmt::format("rel {} = </robot/lead>\n float {} = {}\n float {} = {}\n", joint, offset, c0, factor, c1);
    };
    for (const double metres : {1.0, 0.01, 0.001}) {
        CAPTURE(metres);
        const double l = 1 / metres, degree = std::numbers::pi / 180;
        const auto   newton = [&](double c0, double c1) {
            return lines("newton:mimicJoint", "newton:mimicCoef0", c0, "newton:mimicCoef1", c1);
        };
        const auto neutral = [&](double c0, double c1) {
            return lines("ext_physics:mimic:joint", "ext_physics:mimic:offset", c0, "ext_physics:mimic:multiplier", c1);
        };
        const auto physx = [&](const char* axis, double c0, double c1) {
            const std::string stem = std::string("physxMimicJoint:") + axis + ":";
            return lines((stem + "referenceJoint").c_str(), (stem + "offset").c_str(), c0, (stem + "gearing").c_str(),
                         c1);
        };
        for (const auto& [api, text] : {std::pair("NewtonMimicAPI", newton(0.1 * l, 0.25 * l)),
                                        std::pair("ExtendedPhysicsMimicAPI", neutral(0.1 * l, 0.25 * l * degree)),
                                        std::pair("PhysxMimicJointAPI:transX", physx("transX", -0.1 * l, -0.25 * l))}) {
            CAPTURE(api);
            const auto c = coefficients(metres, api, text, true);
            CHECK(c[0] == close_to(0.1, 1e-6));
            CHECK(c[1] == close_to(0.25, 1e-6));
        }
        for (const auto& [api, text] : {std::pair("NewtonMimicAPI", newton(30, 0.25 / l)),
                                        std::pair("ExtendedPhysicsMimicAPI", neutral(30, 0.25 / l / degree)),
                                        std::pair("PhysxMimicJointAPI:rotX", physx("rotX", -30, -0.25 / l))}) {
            CAPTURE(api);
            const auto c = coefficients(metres, api, text, false);
            CHECK(c[0] == close_to(30 * degree, 1e-6));
            CHECK(c[1] == close_to(0.25, 1e-6));
        }
    }
}

TEST_CASE("links scaled by two carry their anchors with them (IMP-117)")
{
    const Imported in = import_text(stage_text(
        robot("def Xform \"big\" { float3 xformOp:scale = (2, 2, 2)\n    uniform token[] xformOpOrder = "
              "[\"xformOp:scale\"]\n" +
              body("a") + body("b", 1) + "}\n" +
              "def PhysicsRevoluteJoint \"hinge\" {\n    rel physics:body0 = </robot/big/a>\n    rel physics:body1 = "
              "</robot/big/b>\n"
              "    point3f physics:localPos0 = (0.5, 0, 0)\n    point3f physics:localPos1 = (-0.5, 0, 0)\n}\n")));
    REQUIRE(in.result);
    CHECK(distance(in.joint_at("/robot/hinge").parent_xform.p, Vec3d{1, 0, 0}) < 1e-6);
    CHECK(distance(in.joint_at("/robot/hinge").child_xform.p, Vec3d{-1, 0, 0}) < 1e-6);
}

TEST_CASE("a joint between a body and itself costs that joint; Newton refuses the stage (IMP-029, CON-07)")
{
    const std::string text =
        stage_text(robot(body("a") + body("b", 1) + joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b") +
                         joint("PhysicsFixedJoint", "odd", "/robot", "b", "b")));
    const Imported in = import_text(text);
    REQUIRE(in.result);
    CHECK(in.result->path_joint_map.count("/robot/odd") == 0);
    CHECK(in.result->path_joint_map.count("/robot/hinge") == 1);
    CHECK(import_text(text, newton_options()).error == "IMPORT_JOINT_SELF");
}

TEST_CASE("joints that no root groups make a tree, or stay constraints between free bodies on request (DYN-116)")
{
    const std::string stage = stage_text(R"(
def Cube "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { }
def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { }
def PhysicsRevoluteJoint "hinge" { rel physics:body0 = </a>
    rel physics:body1 = </b>
}
)");
    for (const bool keep : {false, true}) {
        CAPTURE(keep);
        ImportOptions options;
        REQUIRE(set_option(options, "keep_orphan_joints", keep ? "true" : "false"));
        const Imported in = import_text(stage, options);
        REQUIRE(in.result);
        Diagnostics found;
        const auto  model = in.builder.finalize({}, found);
        REQUIRE(model);
        const std::size_t hinge = in.joint("/hinge");
        CHECK((model->joint_articulation[hinge] < 0) == keep);
        CHECK(model->articulation_count() == (keep ? 2 : 1));
        const auto free = std::count(model->joint_type.begin(), model->joint_type.end(), model::JointType::free);
        CHECK(free == (keep ? 2 : 1));
    }
}

namespace {

std::string following(const std::string& name, const std::string& from, const std::string& to, const std::string& lead,
                      double offset = 0, double factor = 1, const std::string& type = "PhysicsRevoluteJoint")
{
    return fmt::format(
        "def {} \"{}\" (prepend apiSchemas = [\"NewtonMimicAPI\"]) {{\n    rel physics:body0 = "
        "</robot/{}>\n    rel physics:body1 = </robot/{}>\n    point3f physics:localPos0 = (0.5, 0, 0)\n"
        "    point3f physics:localPos1 = (-0.5, 0, 0)\n    rel newton:mimicJoint = </robot/{}>\n    "
        "float newton:mimicCoef0 = {}\n    float newton:mimicCoef1 = {}\n}}\n",
        type, name, from, to, lead, offset, factor);
}

}  // namespace

TEST_CASE(
    "a follower of a follower follows the head of their chain, in whatever order the joints stand; Newton refuses it")
{
    const std::string bodies = body("a") + body("b", 1) + body("c", 2) + body("d", 3) + body("e", 4),
                      lead   = joint("PhysicsRevoluteJoint", "lead", "/robot", "a", "b"),
                      middle = following("middle", "b", "c", "lead", 10, 2),
                      last   = following("last", "c", "d", "middle", 5, -3),
                      slide  = following("slide", "d", "e", "last", 0.25, 0.5, "PhysicsPrismaticJoint");
    for (const std::string& joints :
         {lead + middle + last + slide, slide + lead + last + middle, last + middle + slide + lead}) {
        CAPTURE(joints);
        const Imported in = import_text(stage_text(robot(bodies + joints)));
        REQUIRE(in.result);
        CHECK(in.found.count("IMPORT_MIMIC_INVALID") == 0);
        const auto head = static_cast<std::int32_t>(in.joint("/robot/lead"));
        for (const char* name : {"/robot/middle", "/robot/last", "/robot/slide"})
            CHECK(in.joint_at(name).mimic_joint == head);
        // last = 5 - 3 (10 + 2 lead) = -25 - 6 lead, in degrees; slide = 0.25 + 0.5 last, in metres and radians.
        CHECK(in.joint_at("/robot/last").mimic_coeffs[0] == close_to(-25 * kDegrees, 1e-6));
        CHECK(in.joint_at("/robot/last").mimic_coeffs[1] == close_to(-6, 1e-6));
        CHECK(in.joint_at("/robot/slide").mimic_coeffs[0] == close_to(0.25 - 12.5 * kDegrees, 1e-6));
        CHECK(in.joint_at("/robot/slide").mimic_coeffs[1] == close_to(-3, 1e-6));
        CHECK(in.found.count("IMPORT_MIMIC_UNIT") == 1);  // of the slide, whose leader turns
        Diagnostics out;
        CHECK(in.builder.finalize({}, out));
        CHECK(import_text(stage_text(robot(bodies + joints)), newton_options()).error == "IMPORT_MIMIC_INVALID");
    }
}

TEST_CASE("a long chain of followers ends at its head, from whichever end it is read")
{
    constexpr int kLinks = 60;
    for (const bool backwards : {false, true}) {
        CAPTURE(backwards);
        std::string bodies = body("b0"), joints;
        for (int i = 1; i <= kLinks; ++i) {
            bodies += body(fmt::format("b{}", i), i);
            const std::string from = fmt::format("b{}", i - 1), to = fmt::format("b{}", i),
                              name = fmt::format("j{:02}", i);
            const std::string one  = i == 1 ? joint("PhysicsRevoluteJoint", name, "/robot", from, to)
                                            : following(name, from, to, fmt::format("j{:02}", i - 1), 1, -1);
            joints                 = backwards ? one + joints : joints + one;
        }
        const Imported in = import_text(stage_text(robot(bodies + joints)));
        REQUIRE(in.result);
        CHECK(in.found.count("IMPORT_MIMIC_INVALID") == 0);
        // q2 = 1 - q1, q3 = 1 - q2 = q1, and so on.
        for (int i = 2; i <= kLinks; ++i) {
            const auto& j = in.joint_at(fmt::format("/robot/j{:02}", i));
            CHECK(j.mimic_joint == static_cast<std::int32_t>(in.joint("/robot/j01")));
            CHECK(j.mimic_coeffs[0] == close_to(i % 2 == 0 ? kDegrees : 0, 1e-12));
            CHECK(j.mimic_coeffs[1] == (i % 2 == 0 ? -1 : 1));
        }
    }
}

TEST_CASE("joints that follow one another in a circle are left out with those that follow them, and others are not")
{
    const std::string bodies = body("a") + body("b", 1) + body("c", 2) + body("d", 3) + body("e", 4),
                      one = following("one", "a", "b", "two"), two = following("two", "b", "c", "one"),
                      three = following("three", "c", "d", "two"),
                      lead  = joint("PhysicsRevoluteJoint", "lead", "/robot", "d", "e");
    const Imported    in    = import_text(
        stage_text(robot(bodies + one + two + three + lead + body("f", 5) + following("own", "e", "f", "lead", 0, 2))));
    REQUIRE(in.result);
    CHECK(in.found.count("IMPORT_MIMIC_INVALID") == 3);
    for (const char* name : {"/robot/one", "/robot/two", "/robot/three"}) CHECK(in.joint_at(name).mimic_joint == -1);
    CHECK(in.joint_at("/robot/own").mimic_joint == static_cast<std::int32_t>(in.joint("/robot/lead")));
}

TEST_CASE(
    "a bound without end on the wrong side locks where it lies above the other one, and is told where it bounds "
    "nothing")
{
    const struct {
        const char *     limits, *told;
        model::JointType type;
    } table[] = {
        {"float physics:lowerLimit = inf\n    float physics:upperLimit = 40", "PHY_JOINT_LIMIT_INVERTED",
         model::JointType::fixed},
        {"float physics:lowerLimit = -40\n    float physics:upperLimit = -inf", "PHY_JOINT_LIMIT_INVERTED",
         model::JointType::fixed},
        {"float physics:lowerLimit = inf", "PHY_VALUE_NAN", model::JointType::revolute},
        {"float physics:upperLimit = -inf", "PHY_VALUE_NAN", model::JointType::revolute},
        {"float physics:lowerLimit = -inf\n    float physics:upperLimit = inf", "", model::JointType::revolute}};
    for (const auto& row : table) {
        CAPTURE(row.limits);
        const Imported in = import_text(hinge_stage(row.limits));
        REQUIRE(in.result);
        CHECK(in.joint_at("/robot/hinge").type == row.type);
        for (const char* id : {"PHY_JOINT_LIMIT_INVERTED", "PHY_VALUE_NAN"})
            CHECK(in.found.count(id) == (std::string_view(id) == row.told ? 1 : 0));
    }
}

TEST_CASE("a hinge whose sides lie half a turn about another axis apart is at zero")
{
    // Single precision makes of the angle whatever it likes: no one is nearer to the pose.
    for (const double slip : {0.0, 3e-8, -3e-8}) {
        CAPTURE(slip);
        const Imported in = import_text(stage_text(robot(
            body("a") +
            fmt::format(
                "def Cube \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) {{\n    "
                "quatf xformOp:orient = ({}, {}, 1, 0)\n    uniform token[] xformOpOrder = "
                "[\"xformOp:orient\"]\n}}\n",
                slip, -slip) +
            joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b", "uniform token physics:axis = \"X\""))));
        REQUIRE(in.result);
        CHECK(only_dof(in).initial_q == 0);
    }
}

TEST_CASE("half a turn is positive on whichever side rounding puts the pose, unless only the other lies in the limits")
{
    for (const char* limits : {"", "float physics:lowerLimit = -200\n    float physics:upperLimit = 10"})
        for (const double slip : {0.0, 3e-8, -3e-8}) {
            CAPTURE(limits);
            CAPTURE(slip);
            const Imported in = import_text(stage_text(robot(
                body("a") +
                fmt::format(
                    "def Cube \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) {{\n    "
                    "quatf xformOp:orient = ({}, 1, 0, 0)\n    uniform token[] xformOpOrder = "
                    "[\"xformOp:orient\"]\n}}\n",
                    slip) +
                joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b",
                      "uniform token physics:axis = \"X\"\n    " + std::string(limits)))));
            REQUIRE(in.result);
            CHECK(only_dof(in).initial_q == doctest::Approx(*limits == 0 ? kPi : -kPi).epsilon(1e-6));
        }
}

TEST_CASE("where two of a joint's three turns are one, the first has the whole of it")
{
    // Half a right angle about x, then one about y: whatever single precision makes of the pose, the third
    // angle is nothing.
    for (const int sign : {1, -1}) {
        const Quatd turn = from_axis_angle(Vec3d{1, 0, 0}, kPi / 4) * from_axis_angle(Vec3d{0, 1, 0}, sign * kPi / 2);
        for (const double slip : {0.0, 3e-8, -3e-8}) {
            CAPTURE(sign);
            CAPTURE(slip);
            const std::string pose =
                fmt::format("quatf xformOp:orient = ({}, {}, {}, {})", turn.w, turn.x + slip, turn.y, turn.z - slip);
            const Imported in = import_text(stage_text(robot(
                body("a") +
                "def Cube \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) {\n    " +
                pose + "\n    uniform token[] xformOpOrder = [\"xformOp:orient\"]\n}\n" +
                "def PhysicsJoint \"hand\" (prepend apiSchemas = [\"PhysicsLimitAPI:transX\", "
                "\"PhysicsLimitAPI:transY\", \"PhysicsLimitAPI:transZ\", \"PhysicsLimitAPI:rotX\"]) {\n    rel "
                "physics:body0 = </robot/a>\n    rel physics:body1 = </robot/b>\n    float "
                "limit:transX:physics:low = 1\n    float limit:transX:physics:high = 0\n    float "
                "limit:transY:physics:low = 1\n    float limit:transY:physics:high = 0\n    float "
                "limit:transZ:physics:low = 1\n    float limit:transZ:physics:high = 0\n    float "
                "limit:rotX:physics:low = -170\n    float limit:rotX:physics:high = 170\n}\n")));
            REQUIRE(in.result);
            const auto& axes = in.joint_at("/robot/hand").angular_axes;
            REQUIRE(axes.size() == 3);
            CHECK(axes[0].initial_q == doctest::Approx(kPi / 4).epsilon(1e-6));
            CHECK(axes[1].initial_q == doctest::Approx(sign * kPi / 2).epsilon(1e-6));
            CHECK(axes[2].initial_q == 0);
        }
    }
}

}  // namespace mechane::importer::test
