// Physics attributes with values that nobody means.
#include <fmt/format.h>

#include "mechane/physics/dump.h"
#include "stages.h"

namespace mechane::physics {

namespace {

class Nonsense {
  public:
    explicit Nonsense(Random& random) : random_(random) {}

    std::string number()
    {
        static const char* const kValues[] = {"0",    "-0",    "1",     "-1",   "nan",  "inf",   "-inf", "1e-38",
                                              "1e38", "-1e38", "3e-30", "0.25", "1e10", "-1e10", "45",   "None"};
        return pick(kValues);
    }
    std::string plain()
    {
        std::string value = number();
        return value == "None" ? "2" : value;
    }
    std::string tuple(int n)
    {
        std::string out = "(" + plain();
        for (int i = 1; i < n; ++i) out += ", " + plain();
        return out + ")";
    }
    std::string axis()
    {
        static const char* const kValues[] = {"X", "Y", "Z", "W", "", "-X"};
        return pick(kValues);
    }
    std::string target()
    {
        static const char* const kValues[] = {"</b>", "</b/c>", "</w>", "</gone>", "</j>", "</b.physics:mass>", "[]"};
        return pick(kValues);
    }
    std::string shape()
    {
        static const char* const kValues[] = {"Cube", "Sphere", "Capsule",   "Cylinder",
                                              "Cone", "Plane",  "Capsule_1", "Xform"};
        return pick(kValues);
    }
    std::string joint()
    {
        static const char* const kValues[] = {"Fixed", "Revolute", "Prismatic", "Spherical", "Distance", ""};
        return pick(kValues);
    }

  private:
    template <std::size_t N>
    std::string pick(const char* const (&values)[N])
    { return values[static_cast<std::size_t>(random_.below(N))]; }
    Random& random_;
};

std::string stage_text(Random& random)
{
    Nonsense n(random);
    return fmt::format(
        R"(#usda 1.0
(
    metersPerUnit = {}
)
def PhysicsScene "s"
{{
    vector3f physics:gravityDirection = {}
    float physics:gravityMagnitude = {}
}}
def Xform "w"
{{
}}
def Xform "b" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsArticulationRootAPI"]
)
{{
    float physics:mass = {}
    float physics:density = {}
    point3f physics:centerOfMass = {}
    float3 physics:diagonalInertia = {}
    quatf physics:principalAxes = {}
    vector3f physics:velocity = {}
    vector3f physics:angularVelocity = {}
    double3 xformOp:translate = {}
    float3 xformOp:scale = {}
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    def {} "c" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]
    )
    {{
        double radius = {}
        double height = {}
        double size = {}
        float physics:mass = {}
        float3 xformOp:rotateXYZ = {}
        uniform token[] xformOpOrder = ["xformOp:rotateXYZ"]
        rel physics:simulationOwner = {}
    }}
}}
def Physics{}Joint "j" (
    prepend apiSchemas = ["PhysicsLimitAPI:rotX", "PhysicsDriveAPI:angular", "PhysicsDriveAPI:transY"]
)
{{
    rel physics:body0 = {}
    rel physics:body1 = {}
    point3f physics:localPos0 = {}
    quatf physics:localRot1 = {}
    uniform token physics:axis = "{}"
    float physics:lowerLimit = {}
    float physics:upperLimit = {}
    float physics:coneAngle0Limit = {}
    float physics:maxDistance = {}
    float physics:breakForce = {}
    float limit:rotX:physics:low = {}
    float drive:angular:physics:stiffness = {}
    float drive:angular:physics:maxForce = {}
    float drive:transY:physics:targetPosition = {}
}}
)",
        n.plain(), n.tuple(3), n.number(), n.number(), n.number(), n.tuple(3), n.tuple(3), n.tuple(4), n.tuple(3),
        n.tuple(3), n.tuple(3), n.tuple(3), n.shape(), n.number(), n.number(), n.number(), n.number(), n.tuple(3),
        n.target(), n.joint(), n.target(), n.target(), n.tuple(3), n.tuple(4), n.axis(), n.number(), n.number(),
        n.number(), n.number(), n.number(), n.number(), n.number(), n.number(), n.number());
}

}  // namespace

TEST_CASE("ten thousand stages of nonsense neither crash nor let a NaN out (PHY-125)")
{
    test::for_seeds(10000, [](Random& random) {
        const std::string text  = stage_text(random);
        const auto        stage = usd::Stage::open_text(text);
        REQUIRE_MESSAGE(stage, text);
        Diagnostics  found;
        ParseOptions options;
        options.threads          = 1;
        const PhysicsModel model = parse(**stage, options, found);
        const std::string  out   = dump_physics(model, primitive_mass_info);
        CHECK_MESSAGE(out.find("\"nan\"") == std::string::npos, text);
        CHECK(model.bodies.size() == 1);
    });
}

}  // namespace mechane::physics
