// Numbers that no simulation can use: import leaves them out one by one, and `check` names each under the rule of what
// it belongs to.
#include <fmt/format.h>

#include "conformance/checking.h"
#include "conformance/fixing.h"

namespace mechane::conformance {
namespace {

/// A conforming robot of two links, with lines of ours in its parts.
struct Lines {
    std::string body, shape = "Sphere", size, joint, material;
};
Report judged(const Lines& lines)
{
    return checked(fmt::format(R"(
def Material "sole" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{{
    float physics:restitution = 0
    float physics:staticFriction = 0.5
    {4}
}}
<<placed a PhysicsRigidBodyAPI PhysicsMassAPI>>
    {0}

    def {1} "col" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
    )
    {{
        rel material:binding:physics = </robot/sole>
        token purpose = "guide"
        {2}
    }}
}}
<<body b>>
def PhysicsRevoluteJoint "j" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI", "PhysicsDriveAPI:angular"]
)
{{
    uniform token physics:axis = "X"
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
    {3}
}}
)",
                               lines.body.empty() ? "float physics:mass = 1" : lines.body, lines.shape, lines.size,
                               lines.joint,
                               lines.material.empty() ? "float physics:dynamicFriction = 0.5" : lines.material));
}

}  // namespace

TEST_CASE("a number that is none, or infinite where that means nothing, is one finding at its property")
{
    const std::string gain = "float drive:angular:physics:";
    struct {
        Lines       lines;
        const char *rule, *property;
        Severity    severity = Severity::error;
    } table[] = {
        {{.body = "float physics:mass = nan"}, "REP-1.3-l", "physics:mass"},
        {{.body = "float physics:mass = inf"}, "REP-1.3-l", "physics:mass"},
        {{.body = "float physics:mass = 1\nfloat physics:density = nan"}, "REP-1.3-l", "physics:density"},
        {{.body = "float physics:mass = 1\nfloat physics:density = inf"}, "REP-1.3-l", "physics:density"},
        {{.body = "float physics:mass = 1\npoint3f physics:centerOfMass = (0, nan, 0)"},
         "REP-1.3-l",
         "physics:centerOfMass"},
        {{.body = "float physics:mass = 1\nfloat3 physics:diagonalInertia = (inf, inf, inf)\nquatf "
                  "physics:principalAxes = (1, 0, 0, 0)"},
         "REP-1.3-r",
         "physics:diagonalInertia"},
        {{.body = "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)\nquatf physics:principalAxes = "
                  "(nan, 0, 0, 0)"},
         "REP-1.3-r",
         "physics:principalAxes"},
        {{.size = "double radius = nan"}, "REP-3.4-g", "radius"},
        {{.size = "double radius = inf"}, "REP-3.4-g", "radius"},
        {{.size = "double radius = 0"}, "REP-3.4-g", "radius"},
        {{.size = "double radius = -1"}, "REP-3.4-g", "radius", Severity::warning},
        {{.shape = "Cube", .size = "double size = nan"}, "REP-3.4-g", "size"},
        {{.shape = "Capsule", .size = "double height = nan"}, "REP-3.4-g", "height"},
        {{.shape = "Cylinder", .size = "double height = 0"}, "REP-3.4-g", "height"},
        {{.joint = gain + "stiffness = inf"}, "REP-1.3-e", "drive:angular:physics:stiffness"},
        {{.joint = gain + "damping = nan"}, "REP-1.3-e", "drive:angular:physics:damping"},
        {{.joint = gain + "damping = -1"}, "REP-1.3-e", "drive:angular:physics:damping", Severity::warning},
        {{.joint = gain + "maxForce = nan"}, "REP-1.3-e", "drive:angular:physics:maxForce"},
        {{.joint = gain + "maxForce = -1"}, "REP-1.3-e", "drive:angular:physics:maxForce", Severity::warning},
        {{.joint = gain + "targetPosition = inf"}, "REP-1.3-e", "drive:angular:physics:targetPosition"},
        {{.joint = "float physics:breakForce = nan"}, "REP-1.3-e", "physics:breakForce"},
        {{.joint = "point3f physics:localPos0 = (0, 0, nan)"}, "REP-1.3-b", "physics:localPos0"},
        {{.joint = "quatf physics:localRot1 = (nan, 0, 0, 0)"}, "REP-1.3-b", "physics:localRot1"},
        {{.material = "float physics:dynamicFriction = nan"}, "REP-1.3.4-c", ""},
    };
    const Report sound = judged({});
    for (const auto& row : table) {
        const Report report = judged(row.lines);
        CAPTURE(row.lines.body + row.lines.size + row.lines.joint + row.lines.material);
        CAPTURE(listed(report));
        REQUIRE(count(report, row.rule) == count(sound, row.rule) + 1);
        bool there = false;
        for (const Finding& found : report.findings)
            there |=
                found.rule->id == row.rule && found.site.property == row.property && found.severity == row.severity;
        CHECK(there);
        CHECK(report.findings.size() == sound.findings.size() + 1);  // one fault, one finding
    }
}

TEST_CASE("infinities that mean something are none of these")
{
    const std::size_t sound = judged({}).findings.size();
    for (const Lines& lines :
         {Lines{.joint = "float drive:angular:physics:maxForce = inf"},
          Lines{.joint = "float physics:breakForce = inf"},
          // "computed", as the schema writes it
          Lines{.body = "float physics:mass = 1\npoint3f physics:centerOfMass = (-inf, -inf, -inf)"},
          Lines{.shape = "Capsule", .size = "double height = 0"}}) {
        CAPTURE(lines.joint + lines.body + lines.size);
        const Report report = judged(lines);
        CAPTURE(listed(report));
        CHECK(report.findings.size() == sound);
    }
}

TEST_CASE("a repair leaves what is no number to the author, also when it may choose values")
{
    for (const char* lines :
         {"float3 physics:diagonalInertia = (inf, 1, 1)\nquatf physics:principalAxes = (1, 0, 0, 0)",
          "float3 physics:diagonalInertia = (nan, 1, 1)\nquatf physics:principalAxes = (1, 0, 0, 0)",
          "float3 physics:diagonalInertia = (1, 1, 1)\nquatf physics:principalAxes = (0, nan, 0, 0)"}) {
        CAPTURE(lines);
        FixOptions options;
        options.unsafe = true;
        const Fixed fixed(
            std::string("<<placed a PhysicsRigidBodyAPI PhysicsMassAPI>>\nfloat physics:mass = 1\n") + lines + "\n}\n",
            options);
        CHECK(fixed.left("REP-1.3-r", "bad-inertia") != nullptr);
        CHECK(fixed.file("robot.usda").find(std::string(lines).substr(7, 20)) != std::string::npos);
    }
}

}  // namespace mechane::conformance
