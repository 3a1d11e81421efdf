#include "import_support.h"
#include "robot_text.h"

namespace mechane::importer::test {
using mechane::test::close_to;
using mechane::test::distance;

namespace {

/// A hinge and a slider with the same drive: stiffness 10, damping 1.
std::string driven_pair(const std::string& on_scene = {})
{
    const auto driven = [](const char* type, const char* name, const char* from, const char* to, const char* dof) {
        std::string text =
            joint(type, name, "/robot", from, to,
                  fmt::format("float drive:{0}:physics:stiffness = 10\n    float drive:{0}:physics:damping = 1", dof));
        text.insert(text.find(" {"), fmt::format(" (prepend apiSchemas = [\"PhysicsDriveAPI:{}\"])", dof));
        return text;
    };
    return "#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"Z\"\n)\ndef PhysicsScene "
           "\"scene\" {\n    " +
           on_scene + "\n}\n" +
           robot(body("a") + body("b", 1) + body("c", 2) +
                 driven("PhysicsRevoluteJoint", "hinge", "a", "b", "angular") +
                 driven("PhysicsPrismaticJoint", "slide", "b", "c", "linear"));
}

const model::JointDofConfig& hinge(const Imported& in) { return in.joint_at("/robot/hinge").angular_axes.at(0); }
const model::JointDofConfig& slide(const Imported& in) { return in.joint_at("/robot/slide").linear_axes.at(0); }

}  // namespace

TEST_CASE(
    "the scaling of gains reaches hinges and leaves sliders alone; the scene's beats the option's (IMP-089, IMP-090)")
{
    // 10 per degree is 572.957795 per radian.
    ImportOptions twice;
    twice.joint_drive_gains_scaling = 2;
    const Imported plain = import_text(driven_pair()), doubled = import_text(driven_pair(), twice),
                   authored = import_text(driven_pair("custom float newton:joint_drive_gains_scaling = 3"), twice);
    CHECK(hinge(plain).target_ke == close_to(572.957795, 1e-8));
    CHECK(hinge(doubled).target_ke == close_to(2 * 572.957795, 1e-8));
    CHECK(hinge(doubled).target_kd == close_to(2 * 57.2957795, 1e-8));
    CHECK(hinge(authored).target_ke == close_to(3 * 572.957795, 1e-8));
    for (const Imported* in : {&plain, &doubled, &authored}) {
        CHECK(slide(*in).target_ke == 10);
        CHECK(slide(*in).target_kd == 1);
    }
}

TEST_CASE("a drive whose target the limits do not allow is warned of where it holds something (IMP-238)")
{
    struct {
        const char*           about;
        double                target, stiffness;
        const char *          lower, *upper;
        std::optional<double> held;  ///< degrees; none: the joint has no axis
        int                   warned;
    } table[] = {
        {"inside", 20, 10, "-30", "50", 20, 0},           {"at the end", 50, 10, "-30", "50", 50, 0},
        {"beyond", 90, 10, "-30", "50", 10, 1},           {"no spring", 90, 0, "-30", "50", 10, 0},
        {"one end", 90, 10, "-inf", "50", 50, 1},         {"no end", 90, 10, "-inf", "inf", 90, 0},
        {"locked", 90, 10, "50", "-30", std::nullopt, 0},
    };
    for (const auto& row : table) {
        CAPTURE(row.about);
        std::string hinged = joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b",
                                   fmt::format("float physics:lowerLimit = {}\n    float physics:upperLimit = {}\n    "
                                               "float drive:angular:physics:targetPosition = {}\n    "
                                               "float drive:angular:physics:stiffness = {}",
                                               row.lower, row.upper, row.target, row.stiffness));
        hinged.insert(hinged.find(" {"), " (prepend apiSchemas = [\"PhysicsDriveAPI:angular\"])");
        const Imported in = import_text(stage_text(robot(body("a") + body("b", 1) + hinged)));
        REQUIRE(in.result);
        CHECK(in.found.count("IMPORT_DRIVE_TARGET_RANGE") == row.warned);
        if (row.held)
            CHECK(hinge(in).target_q == close_to(*row.held * kDegrees, 1e-6));
        else
            CHECK(in.joint_at("/robot/hinge").angular_axes.empty());
    }
}

TEST_CASE("a distance joint holds its range on the first axis, with the target in the middle (IMP-105)")
{
    const Imported in =
        import_text(stage_text(robot(body("a") + body("b", 1) +
                                     joint("PhysicsDistanceJoint", "rope", "/robot", "a", "b",
                                           "float physics:minDistance = 0.5\n    float physics:maxDistance = 2"))),
                    newton_options());
    REQUIRE(in.result);
    const model::BuilderJoint& rope = in.joint_at("/robot/rope");
    CHECK(rope.type == model::JointType::distance);
    CHECK(rope.linear_axes.at(0).limit_lower == 0.5);
    CHECK(rope.linear_axes.at(0).limit_upper == 2);
    CHECK(rope.linear_axes.at(0).target_q == 1.25);
    Diagnostics out;
    const auto  m = in.builder.finalize({}, out);
    REQUIRE(m);
    const auto start = static_cast<std::size_t>(m->joint_q_start[in.joint("/robot/rope")]);
    CHECK(m->joint_target_q[start] == 1.25);
    CHECK(m->joint_target_q[start + 1] == 0);
    CHECK(m->joint_target_q[start + 6] == 1);  // the identity turn
}

TEST_CASE("a limit without bounds is a free axis (IMP-108)")
{
    std::string text = joint("PhysicsJoint", "generic", "/robot", "a", "b");
    text.insert(text.find(" {"), " (prepend apiSchemas = [\"PhysicsLimitAPI:rotZ\"])");
    const Imported in = import_text(stage_text(robot(body("a") + body("b", 1) + text)), newton_options());
    REQUIRE(in.result);
    const model::BuilderJoint& j = in.joint_at("/robot/generic");
    REQUIRE(j.angular_axes.size() == 1);
    CHECK(distance(j.angular_axes[0].axis, Vec3d{0, 0, 1}) == 0);
    CHECK(j.angular_axes[0].limit_lower < -1e7);
    CHECK(j.angular_axes[0].limit_upper > 1e7);
}

TEST_CASE("a PhysX mimic stores the negated offset and gearing (IMP-124)")
{
    const std::string lead = joint("PhysicsRevoluteJoint", "lead", "/robot", "a", "b");
    std::string       follow =
        joint("PhysicsRevoluteJoint", "follow", "/robot", "b", "c",
              "rel physxMimicJoint:rotX:referenceJoint = </robot/lead>\n    float physxMimicJoint:rotX:gearing = 2\n"
              "    float physxMimicJoint:rotX:offset = 10");
    follow.insert(follow.find(" {"), " (prepend apiSchemas = [\"PhysxMimicJointAPI:rotX\"])");
    const std::string text = stage_text(robot(body("a") + body("b", 1) + body("c", 2) + lead + follow));
    const Imported    in   = import_text(text, newton_options());
    REQUIRE(in.result);
    CHECK(in.joint_at("/robot/follow").mimic_joint == static_cast<std::int32_t>(in.joint("/robot/lead")));
    CHECK(in.joint_at("/robot/follow").mimic_coeffs == std::array<double, 2>{-10, -2});
    // By our own rules the offset of a hinge is in degrees, as every angle of a stage.
    CHECK(import_text(text).joint_at("/robot/follow").mimic_coeffs[0] == close_to(-10 * kDegrees, 1e-9));
}

TEST_CASE("merged joints with other anchors are reported (IMP-112)")
{
    const std::string slider =
        "def PhysicsPrismaticJoint \"slider\" {\n    rel physics:body0 = </robot/a>\n    rel physics:body1 = "
        "</robot/b>\n    point3f physics:localPos0 = (0.6, 0, 0)\n    point3f physics:localPos1 = (-0.4, 0, 0)\n}\n";
    const std::string hinged = joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b");
    for (const ImportOptions& options : {ImportOptions{}, newton_options()}) {
        const Imported in = import_text(stage_text(robot(body("a") + body("b", 1) + hinged + slider)), options);
        REQUIRE(in.result);
        CHECK(in.found.count("IMPORT_MERGE_ANCHOR") == 1);
        CHECK(distance(in.joint_at("/robot/slider").parent_xform.p, Vec3d{0.5, 0, 0}) < 1e-9);
    }
}

TEST_CASE("the world's side of a joint stands where the prim that it names stands (IMP-118)")
{
    // An Xform at z = 5 with localPos0 x = 0.5 gives (0.5, 0, 5).
    const std::string text = stage_text(
        robot("def Xform \"post\" {\n    double3 xformOp:translate = (0, 0, 5)\n    uniform token[] xformOpOrder = "
              "[\"xformOp:translate\"]\n}\n" +
              body("a") + body("b", 1) + joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b") +
              joint("PhysicsFixedJoint", "anchor", "/robot", "post", "a")));
    const Imported in = import_text(text, newton_options());
    REQUIRE(in.result);
    CHECK(in.joint_at("/robot/anchor").parent == model::kWorldBody);
    CHECK(distance(in.joint_at("/robot/anchor").parent_xform.p, Vec3d{0.5, 0, 5}) < 1e-6);
}

TEST_CASE("under Newton's rules a joint to the world outside articulations anchors at its child (IMP-119)")
{
    const std::string text = stage_text("def Xform \"robot\" {\n" + body("a", 3) +
                                        joint("PhysicsRevoluteJoint", "hinge", "/robot", "", "a") + "}\n");
    const Imported    in   = import_text(text, newton_options());
    REQUIRE(in.result);
    // localPos1 is (-0.5, 0, 0) on a body at x = 3; localPos0 (0.5, 0, 0) does not count.
    CHECK(distance(in.joint_at("/robot/hinge").parent_xform.p, Vec3d{2.5, 0, 0}) < 1e-6);
}

TEST_CASE("MuJoCo's connect is a ball joint outside every articulation (IMP-127)")
{
    std::string connect = joint("PhysicsJoint", "tie", "/robot", "a", "c");
    connect.insert(connect.find(" {"), " (prepend apiSchemas = [\"MjcEqualityConnectAPI\"])");
    const std::string text = stage_text(robot(body("a") + body("b", 1) + body("c", 2) +
                                              joint("PhysicsRevoluteJoint", "j1", "/robot", "a", "b") +
                                              joint("PhysicsRevoluteJoint", "j2", "/robot", "b", "c") + connect));
    for (ImportOptions options : {ImportOptions{}, newton_options()}) {
        options.schema_resolvers = {"newton", "mjc"};
        const Imported in        = import_text(text, options);
        REQUIRE(in.result);
        const model::BuilderJoint& tie = in.joint_at("/robot/tie");
        CHECK(tie.type == model::JointType::ball);
        CHECK(tie.articulation == -1);
        CHECK(tie.parent == static_cast<std::int32_t>(in.body("/robot/a")));
        CHECK(tie.child == static_cast<std::int32_t>(in.body("/robot/c")));
        CHECK(distance(tie.parent_xform.p, Vec3d{0.5, 0, 0}) < 1e-6);
        // Two points are pulled together: c's is authored. Newton takes a's alone, which is (-1.5, 0, 0) of c, 2 m
        // further.
        const double other = options.compat == Compat::newton_1_8 ? -1.5 : -0.5;
        CHECK(distance(tie.child_xform.p, Vec3d{other, 0, 0}) < 1e-6);
    }
    // A stage that says one point only holds it where the robot starts, as MuJoCo does.
    std::string single = connect;
    const auto  second = single.find("point3f physics:localPos1");
    single.erase(second, single.find('\n', second) - second);
    std::string one = text;
    one.replace(one.find(connect), connect.size(), single);
    ImportOptions own;
    own.schema_resolvers = {"newton", "mjc"};
    const Imported in    = import_text(one, own);
    REQUIRE(in.result);
    CHECK(distance(in.joint_at("/robot/tie").child_xform.p, Vec3d{-1.5, 0, 0}) < 1e-6);
}

}  // namespace mechane::importer::test
