#include "import_support.h"
#include "robot_text.h"

namespace mechane::importer::test {
namespace {

/// A hinge and a slide with a tendon over both, in centimetres and grams: 1 g cm/s^2 is 1e-5 N, 1 g/s^2 is 1e-3 N/m.
Imported pulled(const std::string& more, const ImportOptions& base = {})
{
    ImportOptions options    = base;
    options.schema_resolvers = {"newton", "mjc"};
    options.register_mujoco  = true;
    return import_text(
        stage_text(robot(body("a") + body("b", 100) + body("c", 200) +
                         joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b") +
                         joint("PhysicsPrismaticJoint", "slide", "/robot", "b", "c") +
                         "def MjcTendon \"tendon\" {\n    uniform token mjc:type = \"fixed\"\n    rel mjc:path = "
                         "[</robot/hinge>, </robot/slide>]\n    double[] mjc:path:coef = [50, 2]\n    " +
                         more + "\n}\n"),
                   "metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001\n    upAxis = \"Z\""),
        options);
}

std::vector<double> row(const Imported& in, const std::string& name)
{
    std::vector<double> out;
    for (const model::CustomAttribute& attribute : in.builder.custom_attributes)
        if (attribute.key() == "mujoco:" + name)
            for (const auto& [index, value] : attribute.values) out.push_back(value[0]);
    return out;
}

void check_row(const Imported& in, const std::string& name, const std::vector<double>& expected)
{
    CAPTURE(name);
    const auto found = row(in, name);
    REQUIRE(found.size() >= expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-12));
}

}  // namespace

TEST_CASE("the length of a tendon is in the stage's unit, and with it what acts along it")
{
    const std::string said =
        "double mjc:stiffness = 2000\n    double mjc:damping = 500\n    double mjc:frictionloss = 300000\n    double "
        "mjc:armature = 100\n    double mjc:range:min = -20\n    double mjc:range:max = 30\n    double mjc:margin = 1\n"
        "    double[] mjc:springlength = [10, -1]\n    double[] mjc:solimplimit = [0.9, 0.95, 0.5]";
    const Imported in = pulled(said);
    REQUIRE(in.result);
    // 50 cm for each radian of the hinge; 2 cm for each of the slide, in whichever unit.
    check_row(in, "tendon_coef", {0.5, 2});
    check_row(in, "tendon_stiffness", {2});
    check_row(in, "tendon_damping", {0.5});
    check_row(in, "tendon_frictionloss", {3});
    check_row(in, "tendon_armature", {0.1});
    check_row(in, "tendon_range", {-0.2, 0.3});
    check_row(in, "tendon_margin", {0.01});
    // A negative length is that at the start.
    check_row(in, "tendon_springlength", {0.1, -1});
    // What is not authored of a softness is MuJoCo's own, in SI.
    check_row(in, "tendon_solimp_limit", {0.9, 0.95, 0.005, 0.5, 2});
    check_row(pulled("double[] mjc:solimplimit = [0.8, 0.95]"), "tendon_solimp_limit", {0.8, 0.95, 0.001, 0.5, 2});
    // Newton takes the numbers as they stand.
    const Imported as_newton = pulled(said, newton_options());
    REQUIRE(as_newton.result);
    check_row(as_newton, "tendon_coef", {50, 2});
    check_row(as_newton, "tendon_range", {-20, 30});
    check_row(as_newton, "tendon_solimp_limit", {0.9, 0.95, 0.5, 0.5, 2});
}

TEST_CASE("the width of a softness is a length of the stage, but an angle where a joint turns")
{
    ImportOptions options;
    options.schema_resolvers = {"newton", "mjc"};
    const std::string soft =
        "double[] mjc:solimplimit = [0.9, 0.95, 0.5, 0.5, 2]\n    float physics:lowerLimit = "
        "-1\n    float physics:upperLimit = 1";
    const Imported in =
        import_text(stage_text(robot(body("a", 0, "double[] mjc:solimp = [0.9, 0.95, 0.5, 0.5, 2]") + body("b", 100) +
                                     body("c", 200) + joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b", soft) +
                                     joint("PhysicsPrismaticJoint", "slide", "/robot", "b", "c", soft)),
                               "metersPerUnit = 0.01\n    upAxis = \"Z\""),
                    options);
    REQUIRE(in.result);
    check_row(in, "geom_solimp", {0.9, 0.95, 0.005});
    // Five numbers for each of the six directions of the base, then those of the hinge and the slide.
    const auto limits = row(in, "solimplimit");
    REQUIRE(limits.size() == 10);
    CHECK(limits[2] == doctest::Approx(0.5));
    CHECK(limits[7] == doctest::Approx(0.005));
}

TEST_CASE("a wrench that an actuator gives in space has levers in the stage's unit")
{
    const Imported in = pulled(
        "}\ndef Xform \"point\" (prepend apiSchemas = [\"MjcSiteAPI\"]) { }\ndef MjcActuator "
        "\"jet\" {\n    rel mjc:target = </robot/point>\n    double[] mjc:gear = [1, 0, 0, 0, "
        "0, 4]\n    double[] mjc:gainPrm = [200000]");
    REQUIRE(in.result);
    check_row(in, "actuator_gear", {1, 0, 0, 0, 0, 0.04});
    check_row(in, "actuator_gainprm", {2});
}

TEST_CASE("an actuator that acts on nothing is left out with a warning that names it")
{
    const auto actuator = [](const char* name, const char* target) {
        return fmt::format("}}\ndef MjcActuator \"{}\" {{\n    rel mjc:target = {}\n", name, target);
    };
    const Imported in = pulled(actuator("good", "</robot/hinge>") + actuator("gone", "</robot/nothing>") +
                               "}\ndef MjcActuator \"idle\" {\n");
    REQUIRE(in.result);
    CHECK(row(in, "actuator_target_dof").size() == 1);
    CHECK(in.found.count("IMPORT_MJC_ACT_TARGET") == 2);
    const Diagnostic* first = in.found.find("IMPORT_MJC_ACT_TARGET");
    REQUIRE(first != nullptr);
    CHECK(first->severity == Severity::warning);
    CHECK(first->message.find("/robot/nothing") != std::string::npos);
}

}  // namespace mechane::importer::test
