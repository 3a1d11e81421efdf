#include "conformance/checking.h"

using namespace mechane;
using namespace mechane::conformance;

// What ros-openusd-compliance-checker 0.1.2 finds where nothing is wrong, and does not find where something is. The
// rest of that list stands with the statements that say it: REP-T-003, 012, 013, 014, 025, 029, 030, 038, 040, 043 to
// 045, 048, 049, 055, 057, 062 to 064, 067, 068, 070, 071, 076, 077, 085 to 087, 091, 093, 096, 098, 099, 103, 105,
// 107, 108, 112, 113, 118 to 130, 135, 139.
TEST_CASE("where the peer errs: what it passes over is found")
{
    struct Row {
        const char *what, *fragment, *id;
        int         findings;
    };
    const std::string look = R"(
def Material "look" {
    token outputs:surface.connect = </robot/look/s.outputs:surface>
    def Shader "s" { uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </robot/look/t.outputs:rgb>
        token outputs:surface }
    def Shader "t" { uniform token info:id = "UsdUVTexture"
        asset inputs:file = @./a.%@
        float3 outputs:rgb } }
def Cube "v" ( prepend apiSchemas = ["MaterialBindingAPI"] ) { rel material:binding = </robot/look> }
)";
    const auto        with = [&](const char* extension) {
        std::string text = look;
        return text.replace(text.find('%'), 1, extension);
    };
    const std::string dds = with("dds"), webp = with("webp"), tga = with("tga"), ktx2 = with("ktx2");
    const Row         rows[] = {
        {"a rail without an end",
         "<<body a>>\ndef PhysicsPrismaticJoint \"j\" { rel physics:body1 = </robot/a>\n float physics:lowerLimit = "
         "-inf\n "
         "float physics:upperLimit = inf }\n",
         "REP-1.3-e", 1},
        {"Newton's mimic", "def PhysicsFixedJoint \"k\" ( prepend apiSchemas = [\"NewtonMimicAPI\"] ) {}\n",
         "REP-1.3-t", 1},
        {"PhysX's mimic", "def PhysicsFixedJoint \"k\" ( prepend apiSchemas = [\"PhysxMimicJointAPI:rotX\"] ) {}\n",
         "REP-1.3-t", 1},
        {"the retired mimic", "def PhysicsFixedJoint \"k\" ( prepend apiSchemas = [\"MimicJointAPI\"] ) {}\n",
         "REP-1.3-t", 1},
        {"a texture as DDS", dds.c_str(), "REP-3.2-a", 1},
        {"a texture as WebP", webp.c_str(), "REP-3.2-a", 1},
        {"a texture as TGA", tga.c_str(), "REP-3.2-a", 1},
        {"a texture as KTX2", ktx2.c_str(), "REP-3.2-a", 1},
        {"two vendors' tendons", "def Xform \"rope\" ( prepend apiSchemas = [\"PhysxTendonAxisRootAPI\"] ) {}\n",
         "REP-1.3-u", 1},
        {"a vendor's light", "def IsaacLight \"l\" {}\n", "REP-3.6-a", 1},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.what));
        const Report report = checked(fixture_stage(row.fragment));
        CHECK_MESSAGE(count(report, row.id) == static_cast<std::size_t>(row.findings), listed(report));
    }
}

TEST_CASE("where the peer errs: what it objects to and nothing is wrong with is no finding")
{
    struct Row {
        const char *what, *fragment;
    };
    const Row rows[] = {
        {"a material that a collection binds", R"(
def Xform "g" ( prepend apiSchemas = ["CollectionAPI:grip", "MaterialBindingAPI"] )
{
    rel collection:grip:includes = </robot/g>
    rel material:binding:collection:physics:grip = [</robot/g.collection:grip>, </robot/Contact/rubber>]
    def Cube "c" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) { token purpose = "guide" }
}
)"},
        {"a nested context that says nothing of a parent frame: the schema's default is no opinion",
         "def Xform \"arm\" ( prepend apiSchemas = [\"RosContextAPI\"] ) { string ros:context:namespace = \"arm\" }\n"},
        {"a kinematic body without a mass",
         "<<placed a PhysicsRigidBodyAPI>>\n    bool physics:kinematicEnabled = true\n}\n"},
        {"a box that collides and says nothing of an approximation", "<<collider wall>>\n"},
        {"a texture called like a normal map, of a material that nothing draws",
         "def Material \"normalroad_color\" {}\n"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.what));
        const Report report = checked(fixture_stage(row.fragment));
        CHECK_MESSAGE(report.findings.empty(), listed(report));
    }
    // More than fifty numbers are not large yet: a thousand are (rep-0158 2.5).
    const auto table = [](int n) {
        return count(
            checked_files({{"robot.usda", entry("prepend references = @./geometries.usda@")},
                           {"geometries.usda", layer("def Xform \"robot\" { def Points \"p\" { int[] primvars:n = [" +
                                                     zeros(n) + "] } }\n")}}),
            "REP-1.2.1-c");
    };
    CHECK(table(60) == 0);
    CHECK(table(1000) == 0);
    CHECK(table(1001) == 1);
}
