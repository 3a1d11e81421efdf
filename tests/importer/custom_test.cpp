#include "import_support.h"
#include "mechane/importer/mujoco_attributes.h"
#include "mechane/model/state.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;

namespace {

/// A stage whose scene makes these declarations, with three bodies of which two hang on hinges below a free root.
std::string declaring(const std::string& declarations, const std::string& body = {}, const std::string& joint = {},
                      const std::string& root = {}, const std::string& shape = {})
{
    return "#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"Z\"\n)\ndef PhysicsScene "
           "\"scene\"\n{\n" +
           declarations + "\n}\ndef Xform \"robot\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"])\n{\n" +
           root + R"(
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
)" + body + R"(
def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{
)" + shape +
           R"(
}
def Cube "drawn" { float newton:thing = 7 }
}
def Xform "d" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
def PhysicsRevoluteJoint "j0" { rel physics:body0 = </robot/a>
 rel physics:body1 = </robot/b> }
def PhysicsSphericalJoint "j1"
{
rel physics:body0 = </robot/b>
rel physics:body1 = </robot/d>
)" + joint +
           "\n}\n}\n";
}

std::string declaration(const std::string& type, const std::string& name, const std::string& value,
                        const std::string& assignment, const std::string& frequency)
{
    return "custom " + type + " newton:" + name + (value.empty() ? "" : " = " + value) +
           " (customData = { string assignment = \"" + assignment + "\"\n string frequency = \"" + frequency +
           "\"\n })\n";
}

struct Made {
    Imported     imported;
    model::Model model;
};
Made make(const std::string& usda)
{
    Made out{import_text(usda), {}};
    REQUIRE(out.imported.result);
    auto model = out.imported.builder.finalize({}, out.imported.found);
    REQUIRE(model);
    out.model = *std::move(model);
    return out;
}

template <class T>
std::vector<T> values(const Result<std::span<const T>>& answer)
{
    REQUIRE(answer);
    return {answer->begin(), answer->end()};
}

}  // namespace

TEST_CASE("a declared default fills every body and an authored value replaces it (IMP-207)")
{
    const Made m =
        make(declaring(declaration("float", "mass_scale", "1.0", "model", "body"), "float newton:mass_scale = 1.5"));
    CHECK(values(m.model.custom<Real>("mass_scale")) == std::vector<Real>{1, Real(1.5), 1});
}

TEST_CASE("each type arrives as its array type, with default and override (GAP-019)")
{
    struct Row {
        const char *       type, *otherwise, *authored;
        model::CustomType  expected;
        model::CustomValue def, value;
    };
    using enum model::CustomType;
    // A quaternion is authored real part first and stored x y z w with unit length (IMP-209).
    const Row table[] = {
        {"float", "0.5", "2.5", float32, {0.5}, {2.5}},
        {"double", "0.5", "2.5", float32, {0.5}, {2.5}},
        {"half", "0.5", "2.5", float32, {0.5}, {2.5}},
        {"bool", "false", "true", boolean, {0}, {1}},
        {"int", "3", "-4", int32, {3}, {-4}},
        {"uint", "3", "4", int32, {3}, {4}},
        {"float2", "(1, 2)", "(3, 4)", vec2, {1, 2}, {3, 4}},
        {"float3", "(1, 2, 3)", "(3, 4, 5)", vec3, {1, 2, 3}, {3, 4, 5}},
        {"vector3d", "(1, 2, 3)", "(3, 4, 5)", vec3, {1, 2, 3}, {3, 4, 5}},
        {"float4", "(1, 2, 3, 4)", "(3, 4, 5, 6)", vec4, {1, 2, 3, 4}, {3, 4, 5, 6}},
        {"quatf", "(1, 0, 0, 0)", "(0, 0, 2, 0)", quat, {0, 0, 0, 1}, {0, 1, 0, 0}},
        {"quatd", "(1, 0, 0, 0)", "(0, 3, 0, 0)", quat, {0, 0, 0, 1}, {1, 0, 0, 0}},
    };
    struct Place {
        const char* frequency;
        std::size_t count, first, last;  ///< entries; those that the override fills
    };
    // Joints: FREE base (6 dofs, 7 coordinates), hinge, ball (3 dofs, 4 coordinates); the ball's prim overrides.
    const Place places[] = {{"body", 3, 1, 1},       {"shape", 4, 2, 2},         {"joint", 3, 2, 2},
                            {"joint_dof", 10, 7, 9}, {"joint_coord", 12, 8, 11}, {"articulation", 1, 0, 0}};
    for (const Row& row : table)
        for (const Place& place : places) {
            CAPTURE(row.type);
            CAPTURE(place.frequency);
            const std::string authored  = std::string(row.type) + " newton:thing2 = " + row.authored;
            const std::string frequency = place.frequency;
            const Made        m =
                make(declaring(declaration(row.type, "thing2", row.otherwise, "model", frequency),
                               frequency == "body" ? authored : "", frequency.starts_with("joint") ? authored : "",
                               frequency == "articulation" ? authored : "", frequency == "shape" ? authored : ""));
            const model::CustomArray* array = m.model.custom_arrays.find("thing2");
            REQUIRE(array != nullptr);
            CHECK(array->type == row.expected);
            REQUIRE(array->size() == place.count);
            // Visual shapes come first among the shapes of a body; find the collider's by its label.
            std::size_t first = place.first, last = place.last;
            if (frequency == "shape") first = last = m.imported.shape("/robot/b/c");
            for (std::size_t i = 0; i < place.count; ++i)
                CHECK(array->at(i) == (i >= first && i <= last ? row.value : row.def));
        }
}

TEST_CASE("a value for each degree of freedom lands on its joint only, and on every axis of a ball (IMP-212)")
{
    const Made m =
        make(declaring(declaration("float", "ns:gain", "2", "control", "joint_dof"), "", "float newton:ns:gain = 7"));
    auto       held = make_control(m.model);
    const auto gain = held.custom<Real>("ns:gain");
    REQUIRE(gain);
    CHECK(std::vector<Real>(gain->begin(), gain->end()) == std::vector<Real>{2, 2, 2, 2, 2, 2, 2, 7, 7, 7});
}

TEST_CASE("namespaces keep equal names apart, and each object has its own (IMP-208, GAP-020)")
{
    Made m = make(declaring(declaration("float", "mass_scale", "1.5", "model", "body") +
                            declaration("float", "namespace_a:mass_scale", "2.5", "state", "body") +
                            declaration("float2", "namespace_a:pid_gains", "(100, 10)", "control", "joint")));
    CHECK(values(m.model.custom<Real>("mass_scale")).front() == Real(1.5));
    auto state = make_state(m.model);
    CHECK((*state.custom<Real>("namespace_a:mass_scale"))[0] == Real(2.5));
    auto control = make_control(m.model);
    CHECK((*control.custom<std::array<Real, 2>>("namespace_a:pid_gains"))[0] == std::array<Real, 2>{100, 10});

    const auto wrong_object = m.model.custom<Real>("namespace_a:mass_scale");
    REQUIRE_FALSE(wrong_object);
    CHECK(wrong_object.error().hint == "The state holds it.");
    const auto wrong_state = state.custom<Real>("mass_scale");
    REQUIRE_FALSE(wrong_state);
    CHECK(wrong_state.error().hint == "The model holds it.");
    const auto wrong_type = m.model.custom<Vec3>("mass_scale");
    REQUIRE_FALSE(wrong_type);
    CHECK(wrong_type.error().hint == "It is of type float32.");
    const auto wrong_name = m.model.custom<Real>("mass_scales");
    REQUIRE_FALSE(wrong_name);
    CHECK(wrong_name.error().hint.find("mass_scale") != std::string::npos);
}

TEST_CASE("clearing a control restores its custom defaults and states of other layouts do not mix")
{
    Made m = make(
        declaring(declaration("float", "u", "3", "control", "body") + declaration("float", "s", "1", "state", "body")));
    auto control                    = make_control(m.model);
    (*control.custom<Real>("u"))[0] = 9;
    control.body_target_q.assign(m.model.body_count(), {});
    clear(control, m.model);
    CHECK((*control.custom<Real>("u"))[0] == 3);
    CHECK(control.body_target_q.empty());  // kinematic bodies have no target any more
    auto a = make_state(m.model), b = a;
    CHECK(same_layout(a, b));
    b.custom_arrays.arrays.clear();
    CHECK_FALSE(same_layout(a, b));
}

TEST_CASE("declarations without metadata, of other names, types or words are skipped with their own diagnostic")
{
    struct Row {
        std::string declaration;
        const char* code;  ///< empty: silent
    };
    const Row table[] = {
        {"custom float newton:x = 1 (customData = { string assignment = \"model\"\n })\n",
         "IMPORT_CUSTOM_META"},                                                        // (IMP-210)
        {declaration("float", "x", "1", "model", "bodies"), "IMPORT_CUSTOM_ENUM"},     // (IMP-210)
        {declaration("float", "a:b:c", "1", "model", "body"), ""},                     // (IMP-211)
        {declaration("string", "x", "\"s\"", "model", "body"), "IMPORT_CUSTOM_TYPE"},  // (IMP-215)
        {declaration("float[]", "x", "[1]", "model", "body"), "IMPORT_CUSTOM_TYPE"},
        {declaration("float", "body_q", "1", "model", "body"), "MODEL_CUSTOM_RESERVED"},  // (IMP-217)
        {declaration("float", "x", "1", "model", "contact"), "MODEL_CUSTOM_CONTACT_FREQ"},
        {"bool newton:gravityEnabled = true\n", ""},
    };
    for (const Row& row : table) {
        CAPTURE(row.declaration);
        const Imported out = import_text(declaring(row.declaration));
        REQUIRE(out.result);
        CHECK(out.builder.custom_attributes.empty());
        if (*row.code != 0) CHECK(out.found.count(std::string_view(row.code)) == 1);
        for (const char* code : {"IMPORT_CUSTOM_META", "IMPORT_CUSTOM_ENUM", "IMPORT_CUSTOM_TYPE",
                                 "MODEL_CUSTOM_RESERVED", "MODEL_CUSTOM_CONTACT_FREQ"})
            if (std::string_view(code) != row.code) CHECK(out.found.count(std::string_view(code)) == 0);
    }
}

TEST_CASE("words of the metadata are read in any case")
{
    const Imported out = import_text(declaring(declaration("float", "x", "1", "MODEL", "Joint_DOF")));
    REQUIRE(out.builder.custom_attributes.size() == 1);
    CHECK(out.builder.custom_attributes.front().frequency == model::CustomFrequency::joint_dof);
}

TEST_CASE("once has one value; world has one for each world, copied with its world (IMP-214, IMP-218)")
{
    const Imported out = import_text(declaring(declaration("int", "version", "4", "model", "once") +
                                                   declaration("float", "wind", "3", "model", "world") +
                                                   declaration("float", "mass_scale", "1", "model", "body"),
                                               "float newton:mass_scale = 4"));
    REQUIRE(out.result);
    model::ModelBuilder many;
    REQUIRE(many.replicate(out.builder, 2));
    Diagnostics found;
    const auto  model = many.finalize({}, found);
    REQUIRE(model);
    CHECK(values(model->custom<std::int32_t>("version")) == std::vector<std::int32_t>{4});
    CHECK(values(model->custom<Real>("wind")) == std::vector<Real>{3, 3});
    CHECK(values(model->custom<Real>("mass_scale")) == std::vector<Real>{1, 4, 1, 1, 4, 1});
}

TEST_CASE("copies shift indices that refer to entities, and leave negative ones")
{
    model::ModelBuilder one;
    one.add_body({}, "a", 1, {}, Mat33d::identity());
    one.add_body({}, "b", 1, {}, Mat33d::identity());
    model::CustomAttribute partner{.name       = "partner",
                                   .type       = model::CustomType::int32,
                                   .otherwise  = {-1},
                                   .references = model::CustomFrequency::body};
    partner.values[0] = {1};
    REQUIRE(one.add_custom_attribute(partner));
    model::ModelBuilder many;
    REQUIRE(many.replicate(one, 2));
    Diagnostics found;
    const auto  model = many.finalize({}, found);
    REQUIRE(model);
    // Body 0 names body 1; in the second copy body 2 names body 3.
    CHECK(values(model->custom<std::int32_t>("partner")) == std::vector<std::int32_t>{1, -1, 3, -1});
}

TEST_CASE("a second declaration is silent when it says the same and refused when it does not (IMP-216)")
{
    model::ModelBuilder          builder;
    const model::CustomAttribute first{.name = "x"};
    REQUIRE(builder.add_custom_attribute(first));
    REQUIRE(builder.add_custom_attribute(first));
    CHECK(builder.custom_attributes.size() == 1);
    model::CustomAttribute other = first;
    other.type                   = model::CustomType::vec3;
    const auto refused           = builder.add_custom_attribute(other);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().id == "MODEL_CUSTOM_CONFLICT");
}

TEST_CASE("an articulation's value is read from its root prim (IMP-213), a drawn shape keeps the default (IMP-219)")
{
    const Made m = make(declaring(declaration("float", "articulation_stiffness", "100", "model", "articulation") +
                                      declaration("float", "thing", "1", "model", "shape"),
                                  "", "", "float newton:articulation_stiffness = 150"));
    CHECK(values(m.model.custom<Real>("articulation_stiffness")) == std::vector<Real>{150});
    const auto things = values(m.model.custom<Real>("thing"));
    CHECK(things[m.imported.shape("/robot/b/drawn")] == 1);
}

TEST_CASE("a declared attribute on a prim of another kind changes nothing and is reported (GAP-021)")
{
    const Made m =
        make(declaring(declaration("float", "mass_scale", "1", "model", "body"), "", "float newton:mass_scale = 9"));
    CHECK(values(m.model.custom<Real>("mass_scale")) == std::vector<Real>{1, 1, 1});
    const Diagnostic* said = m.imported.found.find("IMPORT_CUSTOM_PLACEMENT");
    REQUIRE(said != nullptr);
    CHECK(said->message.find("body") != std::string::npos);
    CHECK(said->message.find("joint") != std::string::npos);
}

TEST_CASE(
    "declaring in code equals declaring in the stage, and values on prims need no declaration of their own (GAP-023)")
{
    const std::string body     = "float newton:mass_scale = 1.5";
    const Made        in_stage = make(declaring(declaration("float", "mass_scale", "1", "model", "body"), body));
    const auto        import   = [&](const std::string& usda) {
        auto stage = usd::Stage::open_text(with_line_ends(usda));
        REQUIRE(stage);
        model::ModelBuilder builder;
        REQUIRE(builder.add_custom_attribute({.name = "mass_scale", .otherwise = {1}}));
        Diagnostics found;
        REQUIRE(import_usd(**stage, {}, builder, found));
        CHECK(found.count("MODEL_CUSTOM_CONFLICT") == 0);
        const auto model = builder.finalize({}, found);
        REQUIRE(model);
        return values(model->custom<Real>("mass_scale"));
    };
    const auto expected = values(in_stage.model.custom<Real>("mass_scale"));
    CHECK(import(declaring("", body)) == expected);
    CHECK(import(declaring(declaration("float", "mass_scale", "1", "model", "body"), body)) == expected);
}

TEST_CASE("custom values are used in the ledger, as are their declarations")
{
    ImportOptions options;
    options.ledger      = true;
    const Imported out  = import_text(declaring(declaration("float", "mass_scale", "1", "model", "body"),
                                                "float newton:mass_scale = 2", "float newton:mass_scale = 9"),
                                      options);
    int            used = 0, ignored = 0;
    for (const LedgerEntry& entry : out.result->ledger)
        if (entry.property == "newton:mass_scale") ++(entry.verdict == Verdict::used ? used : ignored);
    CHECK(used == 2);
    CHECK(ignored == 1);
    CHECK(out.found.count("IMPORT_CUSTOM_UNDECLARED") == 1);  // newton:thing on the drawn cube
}

TEST_CASE("MuJoCo's resolver wants its attributes declared, by itself or by the caller, and then fills them (IMP-083)")
{
    // A hinge of 90 degrees reference, a collider of condim 4, options of the scene; all of the schema mjcPhysics.
    const std::string stage =
        declaring("token mjc:option:cone = \"elliptic\"\nint mjc:option:iterations = 7\nbool mjc:flag:contact = false",
                  "float mjc:gravcomp = 0.5", "", "",
                  "int mjc:condim = 4\nuniform double[] mjc:solref = [0.01, 2]\nint mjc:group = 3");
    ImportOptions options;
    options.schema_resolvers = {"newton", "mjc"};
    options.register_mujoco  = false;
    const Imported refused   = import_text(stage, options);
    CHECK_FALSE(refused.result);
    CHECK(refused.error == "IMPORT_MJC_NOT_REGISTERED");

    options.register_mujoco = true;
    options.ledger          = true;
    const Imported in       = import_text(stage, options);
    REQUIRE(in.result);
    Diagnostics found;
    const auto  model = in.builder.finalize({}, found);
    REQUIRE(model);
    const auto shape  = in.shape("/robot/b/c");
    const auto condim = model->custom<std::int32_t>("mujoco:condim");
    REQUIRE(condim);
    CHECK((*condim)[shape] == 4);
    CHECK((*condim)[in.shape("/robot/a/c")] == 3);  // MuJoCo's default
    const auto solref = model->custom<std::array<Real, 2>>("mujoco:solref");
    REQUIRE(solref);
    CHECK((*solref)[shape] == std::array<Real, 2>{Real(0.01), Real(2)});
    CHECK((*model->custom<Real>("mujoco:gravcomp"))[in.body("/robot/b")] == Real(0.5));
    CHECK((*model->custom<std::int32_t>("mujoco:cone"))[0] == 1);  // mjCONE_ELLIPTIC
    CHECK((*model->custom<std::int32_t>("mujoco:iterations"))[0] == 7);
    CHECK((*model->custom<std::uint8_t>("mujoco:flag_contact"))[0] == 0);
    // They have no effect on the simulation, and the ledger says so.
    for (const LedgerEntry& entry : in.result->ledger)
        if (entry.property == "mjc:condim" || entry.property == "mjc:gravcomp") {
            CAPTURE(entry.note);
            CHECK(entry.verdict == Verdict::ignored);
            CHECK(entry.note.starts_with("kept as custom attribute mujoco:"));
        }

    // Declared by the caller, the same stage is accepted.
    options.register_mujoco = false;
    model::ModelBuilder own;
    REQUIRE(register_mujoco_attributes(own));
    const auto opened = usd::Stage::open_text(with_line_ends(stage));
    REQUIRE(opened);
    Diagnostics more;
    CHECK(import_usd(**opened, options, own, more));
    CHECK(own.custom_attribute("mujoco:condim")->values.size() == 1);
}
