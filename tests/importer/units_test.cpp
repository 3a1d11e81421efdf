#include <fmt/format.h>

#include "import_support.h"
#include "mechane/math/random.h"

namespace mechane::importer::test {
using mechane::test::for_seeds;

namespace {

/// Writes SI values in the units of a stage (table of usd-physics section 1).
struct Units {
    double      length, mass;  ///< metersPerUnit, kilogramsPerUnit
    std::string meters(double x) const { return fmt::format("{:.9g}", x / length); }
    std::string meters(const Vec3d& v) const
    { return fmt::format("({:.9g}, {:.9g}, {:.9g})", v.x / length, v.y / length, v.z / length); }
    std::string kilograms(double m) const { return fmt::format("{:.9g}", m / mass); }
    std::string density(double d) const { return fmt::format("{:.9g}", d * length * length * length / mass); }
    std::string inertia(const Vec3d& v) const
    {
        const double s = mass * length * length;
        return fmt::format("({:.9g}, {:.9g}, {:.9g})", v.x / s, v.y / s, v.z / s);
    }
    std::string newtons(double f) const { return fmt::format("{:.9g}", f / (mass * length)); }
    std::string torque(double t) const { return fmt::format("{:.9g}", t / (mass * length * length)); }
    std::string newtons_per_meter(double k) const { return fmt::format("{:.9g}", k / mass); }
    std::string torque_per_degree(double k) const
    { return fmt::format("{:.9g}", k * kDegrees / (mass * length * length)); }
};

/// The numbers of a small scene, all SI.
struct Numbers {
    Vec3d  place, size, velocity, diagonal, anchor;
    double mass, density, radius, height, gravity, stiffness, damping, torque, lower, upper, spring, force, margin, gap;

    explicit Numbers(Random& r)
    {
        const auto draw = [&](double from, double to) { return from + (to - from) * r.uniform(); };
        const auto vec  = [&](double from, double to) {
            const double x = draw(from, to), y = draw(from, to), z = draw(from, to);
            return Vec3d{x, y, z};
        };
        place = vec(-2, 2), size = vec(0.1, 2), velocity = vec(-3, 3), diagonal = vec(1, 1.5), anchor = vec(-0.5, 0.5);
        mass = draw(0.1, 20), density = draw(100, 8000), radius = draw(0.05, 1), height = draw(0.1, 2);
        gravity = draw(1, 20), stiffness = draw(1, 1000), damping = draw(0.1, 10), torque = draw(1, 100);
        lower = draw(-1, 0), upper = draw(0.1, 1), spring = draw(10, 1000), force = draw(1, 100);
        margin = draw(0, 0.01), gap = draw(0.01, 0.1);
    }
};

std::string scene(const Numbers& n, const Units& u)
{
    return fmt::format(
        R"(#usda 1.0
(
    metersPerUnit = {}
    kilogramsPerUnit = {}
    upAxis = "Z"
)
def PhysicsScene "scene" {{ float physics:gravityMagnitude = {} }}
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {{
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
        double3 xformOp:translate = {}
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = {}
        float3 physics:diagonalInertia = {}
        point3f physics:centerOfMass = {}
        vector3f physics:velocity = {}
        def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI", "NewtonCollisionAPI"]) {{
            double size = {}
            float newton:contactMargin = {}
            float newton:contactGap = {}
        }}
    }}
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{
        def Capsule "pill" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {{
            double radius = {}
            double height = {}
            float physics:density = {}
        }}
        def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{
            double radius = {}
            double3 xformOp:translate = {}
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}
    }}
    def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {{
        rel physics:body0 = </robot/a>
        rel physics:body1 = </robot/b>
        point3f physics:localPos1 = {}
        float physics:lowerLimit = -30
        float physics:upperLimit = 60
        float physics:breakForce = {}
        float drive:angular:physics:stiffness = {}
        float drive:angular:physics:damping = {}
        float drive:angular:physics:maxForce = {}
    }}
}}
def Xform "slider" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {{
    def Cube "c" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {{ double size = {} }}
    def PhysicsPrismaticJoint "rail" (prepend apiSchemas = ["PhysicsDriveAPI:linear"]) {{
        rel physics:body1 = </slider/c>
        float physics:lowerLimit = {}
        float physics:upperLimit = {}
        float drive:linear:physics:stiffness = {}
        float drive:linear:physics:maxForce = {}
    }}
}}
)",
        u.length, u.mass, u.meters(n.gravity), u.meters(n.place), u.kilograms(n.mass), u.inertia(n.diagonal),
        u.meters(n.anchor), u.meters(n.velocity), u.meters(n.size.x), u.meters(n.margin), u.meters(n.gap),
        u.meters(n.radius), u.meters(n.height), u.density(n.density), u.meters(n.radius), u.meters(n.anchor),
        u.meters(n.anchor), u.newtons(n.force), u.torque_per_degree(n.stiffness), u.torque_per_degree(n.damping),
        u.torque(n.torque), u.meters(n.size.y), u.meters(n.lower), u.meters(n.upper), u.newtons_per_meter(n.spring),
        u.newtons(n.force));
}

model::Model model_of(const std::string& text)
{
    const Imported in = import_text(text);
    REQUIRE(in.result);
    Diagnostics out;
    auto        m = in.builder.finalize({}, out);
    REQUIRE(m);
    return *std::move(m);
}

/// Relative to the larger, with room for the single precision in which stages hold most of these numbers.
bool near(double a, double b) { return a == b || std::abs(a - b) <= 1e-5 * std::max({std::abs(a), std::abs(b), 1e-2}); }

bool all_near(const std::vector<Real>& a, const std::vector<Real>& b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](Real x, Real y) {
               return near(static_cast<double>(x), static_cast<double>(y));
           });
}
bool all_near(const std::vector<Vec3>& a, const std::vector<Vec3>& b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Vec3& x, const Vec3& y) {
               return near(static_cast<double>(x.x), static_cast<double>(y.x)) &&
                      near(static_cast<double>(x.y), static_cast<double>(y.y)) &&
                      near(static_cast<double>(x.z), static_cast<double>(y.z));
           });
}
std::vector<Vec3> places(const std::vector<Pose>& poses)
{
    std::vector<Vec3> out;
    for (const Pose& X : poses) out.push_back(X.p);
    return out;
}
std::vector<Vec3> diagonals(const std::vector<Mat33>& tensors)
{
    std::vector<Vec3> out;
    for (const Mat33& m : tensors) out.push_back({m.r0.x, m.r1.y, m.r2.z});
    return out;
}

}  // namespace

TEST_CASE("a stage in any units gives the same model (GAP-001)")
{
    const Units si{1, 1}, others[] = {{0.01, 0.001}, {0.001, 1}, {0.0254, 14.5939}, {100, 1000}};
    for_seeds(20, [&](Random& r) {
        const Numbers      numbers(r);
        const model::Model m = model_of(scene(numbers, si));
        for (const Units& other : others) {
            CAPTURE(other.length);
            CAPTURE(other.mass);
            const model::Model n = model_of(scene(numbers, other));
            CHECK(all_near(m.gravity, n.gravity));
            CHECK(all_near(places(m.body_q), places(n.body_q)));
            CHECK(all_near(m.body_com, n.body_com));
            CHECK(all_near(m.body_mass, n.body_mass));
            CHECK(all_near(diagonals(m.body_inertia), diagonals(n.body_inertia)));
            CHECK(all_near(m.shape_scale, n.shape_scale));
            CHECK(all_near(places(m.shape_transform), places(n.shape_transform)));
            CHECK(all_near(m.shape_margin, n.shape_margin));
            CHECK(all_near(m.shape_gap, n.shape_gap));
            CHECK(all_near(m.shape_material_ke, n.shape_material_ke));
            CHECK(m.joint_type == n.joint_type);
            CHECK(all_near(places(m.joint_X_p), places(n.joint_X_p)));
            CHECK(all_near(places(m.joint_X_c), places(n.joint_X_c)));
            CHECK(all_near(m.joint_limit_lower, n.joint_limit_lower));
            CHECK(all_near(m.joint_limit_upper, n.joint_limit_upper));
            CHECK(all_near(m.joint_limit_ke, n.joint_limit_ke));
            CHECK(all_near(m.joint_target_ke, n.joint_target_ke));
            CHECK(all_near(m.joint_target_kd, n.joint_target_kd));
            CHECK(all_near(m.joint_effort_limit, n.joint_effort_limit));
            CHECK(all_near(m.joint_break_force, n.joint_break_force));
            CHECK(all_near(m.joint_qd, n.joint_qd));
        }
    });
}

}  // namespace mechane::importer::test
