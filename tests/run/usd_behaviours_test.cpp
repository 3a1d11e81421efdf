#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mechane/collision/pipeline.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/dynamics/mass_matrix.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/simulate.h"
#include "support/support.h"

// What UsdPhysics says that a simulator must do (spec "dynamics", section 6), from the text of a stage to its motion.

using namespace mechane;
using mechane::test::close_to;

namespace {

struct Loaded {
    run::Scene  scene;
    Diagnostics found;

    [[nodiscard]] const model::Model& model() const { return scene.model; }
    [[nodiscard]] std::size_t         body(const std::string& path) const { return index(model().body_label, path); }
    [[nodiscard]] std::size_t         joint(const std::string& path) const { return index(model().joint_label, path); }
    [[nodiscard]] std::size_t         dof(const std::string& path) const
    { return static_cast<std::size_t>(model().joint_qd_start[joint(path)]); }

  private:
    static std::size_t index(const std::vector<std::string>& labels, const std::string& path)
    {
        const auto at = std::find(labels.begin(), labels.end(), path);
        REQUIRE(at != labels.end());
        return static_cast<std::size_t>(at - labels.begin());
    }
};

/// A stage of the given prims; `layer` replaces the metadata of a Z-up stage in metres.
Loaded load(const std::string& prims, const run::SceneOptions& options = {},
            const std::string& layer = "metersPerUnit = 1\nupAxis = \"Z\"\n")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write(
        "stage.usda", "#usda 1.0\n(\n" + layer + "defaultPrim = \"w\"\n)\ndef Xform \"w\"\n{\n" + prims + "\n}\n");
    Loaded out;
    auto   scene = run::load_scene(file, options, out.found);
    REQUIRE_MESSAGE(scene.has_value(), (scene.has_value() ? "" : to_text(scene.error())));
    out.scene = *std::move(scene);
    return out;
}

run::SimulateResult simulated(const Loaded& loaded, double seconds)
{
    Diagnostics found;
    auto result = run::simulate(loaded.model(),
                                {.frames = static_cast<std::int64_t>(std::lround(60 * seconds)), .threads = 1}, found);
    REQUIRE(result);
    CHECK_FALSE(result->diverged);
    return *std::move(result);
}

std::string box(const std::string& name, const std::string& at, const std::string& more = "",
                const std::string& apis = "\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"")
{
    return fmt::format(
        "def Cube \"{}\" (prepend apiSchemas = [{}])\n{{\n    double size = 0.2\n    double3 xformOp:translate = {}\n"
        "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n    {}\n}}\n",
        name, apis, at, more);
}

}  // namespace

TEST_CASE("a disabled body is static, and others still land on it (DYN-106, T-70)")
{
    const auto loaded =
        load(box("shelf", "(0, 0, 1)", "bool physics:rigidBodyEnabled = 0") + box("box", "(0, 0, 1.5)"));
    CHECK(loaded.model().body_count() == 1);
    const auto  run = simulated(loaded, 2);
    const Pose& end = run.recording.frames.back().body_q[loaded.body("/w/box")];
    // 0.2 m boxes: on top of the shelf
    CHECK(static_cast<double>(end.p.z) == close_to(1.2, 1e-3));
}

TEST_CASE("gravity: sentinels, zero, and direction (DYN-113, T-68)")
{
    struct Row {
        const char* scene;
        Vec3d       expected;
    };
    for (const Row& row :
         {Row{"", {0, 0, -9.81}}, Row{"vector3f physics:gravityDirection = (0, 0, 0)", {0, 0, -9.81}},
          Row{"float physics:gravityMagnitude = 0", {0, 0, 0}},
          Row{"float physics:gravityMagnitude = -5", {0, 0, -9.81}},
          Row{"float physics:gravityMagnitude = -inf", {0, 0, -9.81}},
          Row{"float physics:gravityMagnitude = 1.62", {0, 0, -1.62}},
          Row{"vector3f physics:gravityDirection = (0, 0, -2)", {0, 0, -9.81}},
          Row{"vector3f physics:gravityDirection = (0, 3, 0)\nfloat physics:gravityMagnitude = 2", {0, 2, 0}}}) {
        CAPTURE(row.scene);
        const auto loaded =
            load(fmt::format("def PhysicsScene \"scene\"\n{{\n{}\n}}\n", row.scene) + box("b", "(0, 0, 1)"));
        CHECK(test::distance(loaded.model().gravity_of(0), static_cast<Vec3>(row.expected)) < 1e-5);
    }
    // Y up in centimetres: 9.81 m/s^2 along -Y, which are 981 units of the stage
    const std::string layer = "metersPerUnit = 0.01\nupAxis = \"Y\"\n";
    const std::string prims = "def PhysicsScene \"scene\" {}\n" + box("b", "(0, 1, 0)");
    const auto        si    = load(prims, {}, layer);
    run::SceneOptions stage_units;
    stage_units.import.units = importer::Units::stage;
    const auto stage         = load(prims, stage_units, layer);
    CHECK(static_cast<double>(length(si.model().gravity_of(0))) == close_to(9.81, 1e-5));
    CHECK(static_cast<double>(length(stage.model().gravity_of(0))) == close_to(981, 1e-5));
    const auto up = axis_vector<Real>(stage.model().up_axis);
    CHECK(static_cast<double>(dot(stage.model().gravity_of(0), up)) == close_to(-981, 1e-5));
}

TEST_CASE("bodies that a joint ties do not collide unless it says so (DYN-119, T-71)")
{
    const auto joint = [](const std::string& bodies, const std::string& more) {
        return "def PhysicsDistanceJoint \"joint\"\n{\n" + bodies + "\nfloat physics:maxDistance = 5\n" + more +
               "\n}\n";
    };
    // two boxes, one 0.05 m into the other
    const std::string boxes    = box("a", "(0, 0, 1)") + box("b", "(0.15, 0, 1)");
    const std::string both     = "rel physics:body0 = </w/a>\nrel physics:body1 = </w/b>";
    const auto        contacts = [&](const std::string& prims) {
        const auto                   loaded = load(prims);
        collision::CollisionPipeline pipeline(loaded.model(), {});
        model::Contacts              found = pipeline.make_contacts();
        const model::State           state = model::make_state(loaded.model());
        pipeline.collide(state, 0, found);
        return found.rigid_contact_count;
    };
    CHECK(contacts(boxes) > 0);
    CHECK(contacts(boxes + joint(both, "")) == 0);
    CHECK(contacts(boxes + joint(both, "bool physics:collisionEnabled = 1")) > 0);
    // an empty side is the world, which has no colliders of its own: nothing is filtered
    CHECK(contacts(boxes + joint("rel physics:body1 = </w/b>", "")) > 0);
    // neighbours only: the grandparent's collider meets the grandchild's
    const std::string row = box("a", "(0, 0, 1)") + box("b", "(0.15, 0, 1)") + box("c", "(0.1, 0, 1)");
    const std::string links =
        "def PhysicsDistanceJoint \"j0\"\n{\nrel physics:body0 = </w/a>\nrel physics:body1 = </w/b>\n}\n"
        "def PhysicsDistanceJoint \"j1\"\n{\nrel physics:body0 = </w/b>\nrel physics:body1 = </w/c>\n}\n";
    CHECK(contacts(row + links) > 0);
}

TEST_CASE("angular gains are authored per degree and used per radian (DYN-120)")
{
    const auto loaded =
        load(box("a", "(0, 0, 1)") +
             "def PhysicsRevoluteJoint \"j\" (prepend apiSchemas = [\"PhysicsDriveAPI:angular\"])\n{\nrel "
             "physics:body1 = </w/a>\n"
             "float drive:angular:physics:stiffness = 10\nfloat drive:angular:physics:damping = 0.5\n"
             "float drive:angular:physics:targetPosition = 90\nfloat drive:angular:physics:maxForce = 7\n}\n"
             "def PhysicsPrismaticJoint \"s\" (prepend apiSchemas = [\"PhysicsDriveAPI:linear\"])\n{\nrel "
             "physics:body1 = </w/b>\n"
             "float drive:linear:physics:stiffness = 10\n}\n" +
             box("b", "(2, 0, 1)"));
    const model::Model& m   = loaded.model();
    const auto          dof = loaded.dof("/w/j");
    // 180 / pi = 57.29578
    CHECK(static_cast<double>(m.joint_target_ke[dof]) == close_to(572.9578, 1e-5));
    CHECK(static_cast<double>(m.joint_target_kd[dof]) == close_to(28.64789, 1e-5));
    CHECK(static_cast<double>(m.joint_effort_limit[dof]) == close_to(7, 1e-6));  // a torque: not per degree
    const auto coord = static_cast<std::size_t>(m.joint_q_start[loaded.joint("/w/j")]);
    CHECK(static_cast<double>(m.joint_target_q[coord]) == close_to(kPi / 2, 1e-6));
    CHECK(static_cast<double>(m.joint_target_ke[loaded.dof("/w/s")]) == close_to(10, 1e-6));
}

TEST_CASE("initial velocities are in the space of the prim: both turn, the linear one is scaled (DYN-122, T-69)")
{
    const auto loaded = load(
        "def Xform \"scaled\"\n{\nfloat3 xformOp:scale = (2, 2, 2)\nuniform token[] xformOpOrder = "
        "[\"xformOp:scale\"]\n"
        "def Cube \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"])\n{\ndouble size = "
        "0.1\n"
        "float xformOp:rotateX = 90\nuniform token[] xformOpOrder = [\"xformOp:rotateX\"]\n"
        "vector3f physics:velocity = (0, 1, 0)\nvector3f physics:angularVelocity = (0, 0, 90)\n}\n}\n");
    const model::State state = model::make_state(loaded.model());
    const Spatial&     v     = state.body_qd[loaded.body("/w/scaled/a")];
    // Rx(90 deg) takes z to -y and y to z; 90 deg/s are pi/2 rad/s
    CHECK(test::distance(v.angular, static_cast<Vec3>(Vec3d{0, -kPi / 2, 0})) < 1e-6);
    CHECK(test::distance(v.linear, static_cast<Vec3>(Vec3d{0, 0, 2})) < 1e-6);
}

TEST_CASE("a stage in centimetres and grams becomes metres and kilograms (DYN-123)")
{
    // lengths in cm, masses in g: a torque is g cm^2/s^2 = 1e-7 N m, a force g cm/s^2 = 1e-5 N, a linear stiffness
    // g/s^2
    const auto loaded = load(
        "def PhysicsScene \"scene\"\n{\nvector3f physics:gravityDirection = (0, 0, -1)\nfloat physics:gravityMagnitude "
        "= 981\n}\n"
        "def Cube \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"])\n{\ndouble size = 20\n"
        "double3 xformOp:translate = (0, 0, 100)\nuniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
        "float physics:mass = 2000\nfloat3 physics:diagonalInertia = (3e4, 4e4, 5e4)\npoint3f physics:centerOfMass = "
        "(1, 2, 3)\n"
        "vector3f physics:velocity = (50, 0, 0)\n}\n"
        "def Cube \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"])\n{\nfloat physics:mass = "
        "500\n"
        "float physics:density = 3\n}\n"
        "def PhysicsPrismaticJoint \"s\" (prepend apiSchemas = [\"PhysicsDriveAPI:linear\"])\n{\nrel physics:body1 = "
        "</w/a>\n"
        "float physics:upperLimit = 30\nfloat drive:linear:physics:stiffness = 10\nfloat drive:linear:physics:maxForce "
        "= 4e5\n"
        "float physics:breakForce = 1e6\nfloat physics:breakTorque = 1e8\n}\n"
        "def PhysicsRevoluteJoint \"r\" (prepend apiSchemas = [\"PhysicsDriveAPI:angular\"])\n{\nrel physics:body1 = "
        "</w/b>\n"
        "float drive:angular:physics:stiffness = 1e7\nfloat drive:angular:physics:damping = 2e7\n}\n",
        {}, "metersPerUnit = 0.01\nkilogramsPerUnit = 0.001\nupAxis = \"Z\"\n");
    const model::Model& m  = loaded.model();
    const auto          a  = loaded.body("/w/a");
    const auto          at = [&](const auto& array, std::size_t i) { return static_cast<double>(array[i]); };
    CHECK(at(m.body_mass, a) == close_to(2, 1e-6));
    CHECK(test::distance(m.body_com[a], static_cast<Vec3>(Vec3d{0.01, 0.02, 0.03})) < 1e-7);
    // g cm^2 = 1e-7 kg m^2
    CHECK(static_cast<double>(m.body_inertia[a](0, 0)) == close_to(3e-3, 1e-9));
    CHECK(static_cast<double>(m.body_inertia[a](2, 2)) == close_to(5e-3, 1e-9));
    CHECK(static_cast<double>(m.body_q[a].p.z) == close_to(1, 1e-6));
    CHECK(static_cast<double>(m.body_qd[a].linear.x) == close_to(0.5, 1e-6));
    CHECK(static_cast<double>(length(m.gravity_of(0))) == close_to(9.81, 1e-5));
    const auto s = loaded.dof("/w/s"), r = loaded.dof("/w/r");
    CHECK(at(m.joint_limit_upper, s) == close_to(0.3, 1e-6));
    CHECK(at(m.joint_target_ke, s) == close_to(0.01, 1e-8));
    CHECK(at(m.joint_effort_limit, s) == close_to(4, 1e-6));
    CHECK(at(m.joint_break_force, loaded.joint("/w/s")) == close_to(10, 1e-5));
    CHECK(at(m.joint_break_torque, loaded.joint("/w/s")) == close_to(10, 1e-5));
    CHECK(at(m.joint_target_ke, r) == close_to(57.29578, 1e-5));
    CHECK(at(m.joint_target_kd, r) == close_to(114.59156, 1e-5));
}

TEST_CASE(
    "friction and restitution of two materials are averaged; a body without any has the model builder's (DYN-118)")
{
    const auto material = [](const char* name, const char* values) {
        return fmt::format("def Material \"{}\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"])\n{{\n{}\n}}\n", name,
                           values);
    };
    const std::string bound = "rel material:binding:physics = </w/{}>";
    const std::string apis  = "\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\", \"MaterialBindingAPI\"";
    const auto        slide = [&](const char* ground_values, const char* box_values) {
        const auto loaded =
            load(material("g", ground_values) + material("m", box_values) +
                 "def Cube \"ground\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", "
                 "\"MaterialBindingAPI\"])\n{\ndouble size = 20\n"
                 "double3 xformOp:translate = (0, 0, -10)\nuniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
                 "rel material:binding:physics = </w/g>\n}\n" +
                 box("b", "(0, 0, 0.1)", "rel material:binding:physics = </w/m>\nvector3f physics:velocity = (2, 0, 0)",
                     apis));
        const auto run = simulated(loaded, 0.25);
        return static_cast<double>(run.recording.frames.back().body_qd[loaded.body("/w/b")].linear.x);
    };
    // v = 2 - mu g t after a quarter of a second of sliding
    const auto after = [](double mu) { return 2 - mu * 9.81 * 0.25; };
    CHECK(slide("float physics:dynamicFriction = 0.2\nfloat physics:staticFriction = 0.2",
                "float physics:dynamicFriction = 0.4\nfloat physics:staticFriction = 0.4") ==
          close_to(after(0.3), 0.02));
    // an applied material that says nothing has the schema's fallback of zero
    CHECK(slide("", "float physics:dynamicFriction = 0.4\nfloat physics:staticFriction = 0.4") ==
          close_to(after(0.2), 0.02));
    CHECK(slide("", "") == close_to(2, 0.005));

    const auto unbound = load(box("b", "(0, 0, 1)"));
    CHECK(unbound.model().shape_material_mu[0] == 1);
    CHECK(unbound.model().shape_material_mu_static[0] == 1);
    CHECK(unbound.model().shape_material_restitution[0] == 0);
}

TEST_CASE("a kinematic body inside a chain is cut out of it and holds what hangs on it (DYN-109)")
{
    const auto loaded =
        load(box("top", "(0, 0, 2)") + box("middle", "(0, 0, 1.5)", "bool physics:kinematicEnabled = 1") +
             box("low", "(0.5, 0, 1.5)") +
             "def PhysicsRevoluteJoint \"a\"\n{\nrel physics:body0 = </w/top>\nrel physics:body1 = "
             "</w/middle>\nuniform token physics:axis = \"Y\"\n"
             "point3f physics:localPos0 = (0, 0, -0.5)\n}\n"
             "def PhysicsRevoluteJoint \"b\"\n{\nrel physics:body0 = </w/middle>\nrel physics:body1 = "
             "</w/low>\nuniform token physics:axis = \"Y\"\n"
             "point3f physics:localPos1 = (-0.5, 0, 0)\n}\n");
    const auto  run    = simulated(loaded, 2);
    const auto& start  = run.recording.frames.front().body_q;
    const auto& end    = run.recording.frames.back().body_q;
    const auto  middle = loaded.body("/w/middle"), low = loaded.body("/w/low"), top = loaded.body("/w/top");
    CHECK(test::distance(start[middle].p, end[middle].p) == 0);
    // both neighbours stay half a metre from the pivot in the middle body
    CHECK(test::distance(end[low].p, end[middle].p) == close_to(0.5, 1e-3));
    CHECK(test::distance(end[top].p, end[middle].p) == close_to(0.5, 1e-3));
}

TEST_CASE("links that fixed joints hold can be collapsed without changing the mass matrix (DYN-043, T-96)")
{
    const std::string arm = box("base", "(0, 0, 1)") + box("fore", "(0.5, 0, 1)") + box("hand", "(0.8, 0, 1)") +
                            box("tip", "(1.1, 0.1, 1.2)") +
                            "def PhysicsRevoluteJoint \"root\" (prepend apiSchemas = "
                            "[\"PhysicsArticulationRootAPI\"])\n{\nrel physics:body1 = </w/base>\n"
                            "point3f physics:localPos0 = (0, 0, 1)\nuniform token physics:axis = \"Z\"\n}\n"
                            "def PhysicsRevoluteJoint \"elbow\"\n{\nrel physics:body0 = </w/base>\nrel physics:body1 = "
                            "</w/fore>\nuniform token physics:axis = \"Y\"\n"
                            "point3f physics:localPos0 = (0.2, 0, 0)\npoint3f physics:localPos1 = (-0.3, 0, 0)\n}\n"
                            "def PhysicsFixedJoint \"grip\"\n{\nrel physics:body0 = </w/fore>\nrel physics:body1 = "
                            "</w/hand>\npoint3f physics:localPos0 = (0.3, 0, 0)\n}\n"
                            "def PhysicsRevoluteJoint \"finger\"\n{\nrel physics:body0 = </w/hand>\nrel physics:body1 "
                            "= </w/tip>\nuniform token physics:axis = \"X\"\n"
                            "point3f physics:localPos1 = (-0.3, -0.1, -0.2)\n}\n";
    run::SceneOptions collapse;
    collapse.import.collapse_fixed_joints = true;
    const auto whole = load(arm), collapsed = load(arm, collapse);
    REQUIRE(whole.model().body_count() == 4);
    REQUIRE(collapsed.model().body_count() == 3);
    REQUIRE(whole.model().joint_dof_count() == 3);
    REQUIRE(collapsed.model().joint_dof_count() == 3);
    std::array<dynamics::JointSpace, 2> spaces{dynamics::JointSpace(whole.model()),
                                               dynamics::JointSpace(collapsed.model())};
    std::array<model::State, 2>         states{model::make_state(whole.model()), model::make_state(collapsed.model())};
    const std::array<const Loaded*, 2>  loaded{&whole, &collapsed};
    std::array<std::vector<double>, 2>  matrices;
    std::array<Vec3d, 2>                tips;
    const std::pair<const char*, Real>  angles[] = {
        {"/w/root", Real(0.3)}, {"/w/elbow", Real(-0.7)}, {"/w/finger", Real(1.1)}};
    for (std::size_t i = 0; i < 2; ++i) {
        const model::Model& m = loaded[i]->model();
        for (const auto& [joint, angle] : angles)
            states[i].joint_q[static_cast<std::size_t>(m.joint_q_start[loaded[i]->joint(joint)])] = angle;
        dynamics::project_to_joints(m, states[i]);
        spaces[i].set_state(states[i]);
        const auto M = spaces[i].mass_matrix(0);
        for (const auto& row : angles)
            for (const auto& column : angles)
                matrices[i].push_back(M[loaded[i]->dof(row.first) * 3 + loaded[i]->dof(column.first)]);
        tips[i] = static_cast<Vec3d>(states[i].body_q[loaded[i]->body("/w/tip")].p);
    }
    for (std::size_t k = 0; k < 9; ++k) CHECK(matrices[1][k] == close_to(matrices[0][k], 1e-6));
    CHECK(test::distance(tips[0], tips[1]) < 1e-6);
}
