#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "mechane/collision/pipeline.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "mechane/simulation/simulate.h"
#include "simulation/scenes.h"

using namespace face_tests;

namespace {

run::SimulateResult simulated(const Model& model, double dt, std::int64_t frames, int threads = 1)
{
    Diagnostics          found;
    run::SimulateOptions options;
    options.dt      = dt;
    options.frames  = frames;
    options.threads = threads;
    return run::simulate(model.arrays(), options, found).expect();
}

std::string scratch(const char* name) { return (std::filesystem::temp_directory_path() / name).string(); }

}  // namespace

TEST_CASE("a loop of one's own has the hash of run::simulate, for any number of threads")
{
    const Yard y = yard();
    for (const int threads : {1, 2, 5}) {
        Simulation sim(y.model, {.dt = 1.0 / 240, .threads = threads});
        for (int i = 0; i < 240; ++i) sim.step().expect();
        const auto other = simulated(*y.model, 1.0 / 240, 240, 3);
        CHECK(sim.hash() == other.recording.hash);
        CHECK(sim.steps() == 240);
        CHECK(sim.time() == doctest::Approx(1.0));
    }
}

TEST_CASE("run_for takes as many steps as fill the time")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 0.01});
    sim.run_for(0.1).expect();
    CHECK(sim.steps() == 10);
    CHECK(!sim.run_for(-1));
    CHECK(!sim.run_for(std::nan("")));
    CHECK(!sim.run_for(kInfinity));
}

TEST_CASE("poses that are written before the first step count, through setters and through arrays")
{
    // After one step of dt from rest a body that nothing touches has fallen by g dt^2 at most.
    const double dt = 1e-3;
    for (const bool raw : {false, true}) {
        CAPTURE(raw);
        const Yard y = yard();
        Simulation sim(y.model, {.dt = dt});
        if (raw)
            sim.edit_state().arrays().body_q[y.box.index()].p = {5, 6, 7};
        else
            sim.set_pose(y.box, {{5, 6, 7}});
        sim.step().expect();
        CHECK(std::abs(double(sim.position(y.box).x) - 5) < 1e-5);
        CHECK(std::abs(double(sim.position(y.box).y) - 6) < 1e-5);
        CHECK(std::abs(double(sim.position(y.box).z) - 7) < 9.81 * dt * dt + 1e-5);
    }
}

TEST_CASE("poses and velocities of free bodies written to a state of one's own count in the first step of a solver")
{
    const Yard     y       = yard();
    model::State   state   = model::make_state(y.model->arrays());
    model::Control control = model::make_control(y.model->arrays());
    Diagnostics    found;
    const auto     solver = solvers::make_solver("softstep", y.model->arrays(), {.substeps = 1}, found).expect();
    SUBCASE("as the model has it")
    {
        REQUIRE(!solver->step(state, state, control, nullptr, 1e-3).diverged);
        CHECK(std::abs(double(state.body_q[y.box.index()].p.x) - 2) < 1e-5);
    }
    SUBCASE("a pose")
    {
        state.body_q[y.box.index()].p = {5, 6, 7};
        REQUIRE(!solver->step(state, state, control, nullptr, 1e-3).diverged);
        CHECK(std::abs(double(state.body_q[y.box.index()].p.x) - 5) < 1e-5);
    }
    SUBCASE("a small turn")
    {
        state.body_q[y.box.index()].q = normalized(Quat{0, 0, Real(1e-3), 1});
        REQUIRE(!solver->step(state, state, control, nullptr, 1e-3).diverged);
        CHECK(double(state.body_q[y.box.index()].q.z) == doctest::Approx(1e-3).epsilon(1e-3));
    }
    SUBCASE("a velocity")
    {
        state.body_qd[y.box.index()].linear = {3, 0, 0};
        REQUIRE(!solver->step(state, state, control, nullptr, 1e-3).diverged);
        CHECK(std::abs(double(state.body_q[y.box.index()].p.x) - 2.003) < 1e-5);
    }
    SUBCASE("after project_to_joints the joints say the same, and win as before")
    {
        dynamics::project_to_joints(y.model->arrays(), state, true);
        state.joint_q[static_cast<std::size_t>(y.model->arrays().joint_q_start[2])] += 1;  // x of the box
        REQUIRE(!solver->step(state, state, control, nullptr, 1e-3).diverged);
        CHECK(std::abs(double(state.body_q[y.box.index()].p.x) - 3) < 1e-5);
    }
}

TEST_CASE("the position of a dof places the bodies below it")
{
    const Yard  y = yard();
    const DofId d = y.model->find_dof("shoulder").expect();
    State       state(y.model);
    state.set_position(d, Real(kPi / 2));
    CHECK(!state.is_settled());
    state.settle();
    // A turn by 90 degrees about +y takes the arm from +x to -z: the lower link hangs 0.75 m below the anchor at z = 1.
    CHECK(double(state.position(y.lower).x) == doctest::Approx(0).epsilon(1e-5));
    CHECK(double(state.position(y.lower).z) == doctest::Approx(0.25).epsilon(1e-5));
}

TEST_CASE("a reset world starts again, and the others go on with the same bits")
{
    Yard         y;
    ModelBuilder one, all;
    fill(one, y, false);
    all.add_ground();
    const Replicas copies = all.replicate(one, 3);
    const auto     model  = all.finalize().expect();
    Simulation     sim(model, {.dt = 0.01}), other(model, {.dt = 0.01});
    sim.run_for(0.3).expect();
    other.run_for(0.3).expect();
    const Vec3 before = Simulation(model).position(copies.body(WorldId{1}, y.box));
    sim.reset(WorldId{1});
    CHECK(sim.position(copies.body(WorldId{1}, y.box)) == before);
    for (const WorldId w : {WorldId{0}, WorldId{2}})
        CHECK(sim.position(copies.body(w, y.box)) == other.position(copies.body(w, y.box)));
    sim.step().expect();
    other.step().expect();
    CHECK(sim.position(copies.body(WorldId{2}, y.box)) == other.position(copies.body(WorldId{2}, y.box)));
    CHECK(sim.position(copies.body(WorldId{1}, y.box)) != other.position(copies.body(WorldId{1}, y.box)));
    CHECK(sim.worlds().size() == 3);
}

TEST_CASE("contacts name bodies and carry what they weigh")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 1.0 / 240});
    sim.run_for(2).expect();
    Vec3d  sum;
    double deepest = 0;
    for (const Contact& c : sim.touching()) {
        CHECK(c.touching());
        if (c.body0 != y.box && c.body1 != y.box) continue;
        const bool second = c.body1 == y.box;
        CHECK(y.model->label(second ? c.body0 : c.body1) == "world");
        sum += (second ? 1.0 : -1.0) * static_cast<Vec3d>(c.force);
        deepest = std::max(deepest, -double(c.distance));
        CHECK(std::abs(double(c.point.z)) < 0.01);
    }
    // A box of 0.2 x 0.4 x 0.6 m and 1000 kg/m^3 that rests weighs 48 kg.
    CHECK(sum.z == doctest::Approx(48 * 9.81).epsilon(0.01));
    CHECK(sim.contacts().size() >= sim.touching().size());
}

TEST_CASE("a limit damping alone leaves the hard stop that it is: a start beyond it gains no speed, and is told")
{
    // A spring of Newton's default stiffness, 0.5 rad compressed, would let go 1250 J. The solver damps as it likes.
    const double inertia = 1e-3;
    for (const double damping : {0.0, 1.0, 5.73, 10.0, 30.0}) {
        CAPTURE(damping);
        ModelBuilder  builder;
        const BodyId  link  = builder.add_link({.mass = 0.1, .inertia = inertia * Mat33d::identity()});
        const JointId hinge = builder.add_revolute(kWorld, link, {.label = "hip", .lower = 0.5, .upper = 1});
        builder.set_gravity({});
        builder.arrays().joints.front().angular_axes.front().limit_kd = damping;
        Simulation  sim(builder.finalize().expect(), {.dt = 2e-3});
        const DofId dof  = sim.model()->find_dof(hinge).expect();
        const auto& told = sim.notes();
        CHECK(std::count_if(told.begin(), told.end(), [](const Diagnostic& n) {
                  return n.id == "RUN_START_LIMIT" && n.site.prim == "hip";
              }) == 1);
        double fastest = 0;
        for (int i = 0; i < 500; ++i) {
            sim.step().expect();
            fastest = std::max(fastest, std::abs(double(sim.state().velocity(dof))));
        }
        CHECK(fastest < 3.5);  // a stop pulls back at 3 rad/s; the spring would reach 1580
        CHECK(double(sim.state().position(dof)) > 0.45);
    }
}

TEST_CASE("a start within the limits is not told")
{
    ModelBuilder builder;
    const BodyId link = builder.add_link({.mass = 0.1, .inertia = Mat33d::identity()});
    builder.add_revolute(kWorld, link, {.lower = 0, .upper = 1});
    Simulation sim(builder.finalize().expect());
    CHECK(sim.notes().empty());
}

TEST_CASE("a state that is put back moves as it did, and the time goes on")
{
    const test::TemporaryFolder folder;
    const std::string           file = (folder.path() / "run.mrec").string();
    const Yard                  y    = yard();
    Simulation                  sim(y.model, {.dt = 1e-3});
    sim.record(file).expect();
    sim.run_for(0.1).expect();
    const State kept = sim.state();
    sim.run_for(0.1).expect();
    const Vec3 there = sim.position(y.lower);
    sim.edit_state() = kept;
    CHECK(sim.time() == doctest::Approx(0.2));
    CHECK(sim.state().time() == doctest::Approx(0.2));
    sim.on_step([](const State& state, Control&) { CHECK(state.time() >= 0.2 - 1e-9); });
    sim.run_for(0.1).expect();
    CHECK(sim.time() == doctest::Approx(0.3));
    CHECK(double(length(sim.position(y.lower) - there)) < 1e-5);
    sim.finish_recording().expect();
    CHECK(replay(file, *y.model).expect().equal);
}

TEST_CASE("a replay counts the steps that were run")
{
    const test::TemporaryFolder folder;
    const std::string           file = (folder.path() / "run.mrec").string();
    const Yard                  y    = yard();
    Simulation                  sim(y.model, {.dt = 1e-3});
    sim.record(file).expect();
    for (int i = 0; i < 100; ++i) sim.step().expect();
    sim.finish_recording().expect();
    CHECK(replay(file, *y.model).expect().steps == 100);
}

TEST_CASE("recordings of a program that commands, writes and resets are replayed bit by bit")
{
    const std::string file = scratch("face_recording.mrec");
    const Yard        y    = yard();
    const DofId       d    = y.model->find_dof("elbow").expect();
    for (const double before : {0.0, 0.05}) {
        CAPTURE(before);
        Simulation sim(y.model, {.dt = 0.005});
        sim.run_for(before).expect();
        sim.on_step([&](const State& s, Control& u) { u.force(d) = -2 * s.velocity(d) - 5 * s.position(d); });
        sim.record(file, {.every = 4}).expect();
        CHECK(!sim.record(file));
        CHECK(!sim.edit([](ModelEdit&) {}));
        sim.run_for(0.1).expect();
        sim.set_pose(y.box, {{1, 1, 1}});
        sim.control().wrench(y.box) = {{3, 0, 0}, {0, 0, 0}};
        sim.run_for(0.103).expect();
        sim.reset();
        sim.run_for(0.05).expect();
        sim.finish_recording().expect();
        CHECK(!sim.finish_recording());
        const Replay again = replay(file, *y.model, {.threads = 2}).expect();
        CHECK(again.equal);
        CHECK(again.first_difference == -1);
        CHECK(again.steps == 20 + 21 + 10);
    }
    ModelBuilder other;
    other.add_sphere(other.add_body(), {.radius = 1});
    const auto foreign = replay(file, *other.finalize().expect());
    REQUIRE(!foreign);
    CHECK(foreign.error().id == "RECORD_OTHER_MODEL");
    std::filesystem::remove(file);
}

TEST_CASE("an edit of the model is felt, and other simulations of the model are not")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 0.005}), other(y.model, {.dt = 0.005});
    sim.edit([&](ModelEdit& edit) { edit.set_gravity({0, 0, 0}); }).expect();
    sim.run_for(0.1).expect();
    other.run_for(0.1).expect();
    CHECK(double(sim.position(y.box).z) == doctest::Approx(0.5).epsilon(1e-6));
    // 0.1 s of fall is 4.9 cm and the box starts 20 cm above the ground.
    CHECK(double(other.position(y.box).z) == doctest::Approx(0.5 - 0.5 * 9.81 * 0.01).epsilon(0.01));
    CHECK(!sim.record(scratch("face_edited.mrec")));
}

TEST_CASE("labels find what they name, and say what they do not")
{
    Yard         y;
    ModelBuilder one, all;
    fill(one, y, false);
    (void)all.replicate(one, 2);
    const auto m = all.finalize().expect();
    CHECK(m->find_body("box", WorldId{1}).expect() != m->find_body("box", WorldId{0}).expect());
    const auto several = m->find_body("box");
    REQUIRE(!several);
    CHECK(several.error().id == "SIM_LABEL");
    const auto none = m->find_joint("elbwo", WorldId{0});
    REQUIRE(!none);
    CHECK(none.error().hint.find("elbow") != std::string::npos);
    CHECK(!m->find_body("box", WorldId{2}));
    CHECK(m->find_body("world").expect() == kWorld);
    CHECK(m->label(kWorld) == "world");
    CHECK(m->dofs(WorldId{1}).size() == 8);
    const auto free = m->find_joint("box_free_joint", WorldId{0}).expect();
    const auto axis = m->find_dof(free);
    REQUIRE(!axis);
    CHECK(axis.error().id == "SIM_DOF");
    CHECK(m->find_dof(free, 5).has_value());
    CHECK(!m->find_dof(free, 6));
}

TEST_CASE("options out of range, a null model and an unknown solver are said by make")
{
    const Yard y = yard();
    CHECK(Simulation::make(nullptr).error().id == "API_ARGUMENT");
    CHECK(Simulation::make(y.model, {.dt = 0.0}).error().id == "SIM_OPTION");
    CHECK(Simulation::make(y.model, {.dt = std::nan("")}).error().id == "SIM_OPTION");
    CHECK(Simulation::make(y.model, {.substeps = 0}).error().id == "SIM_OPTION");
    CHECK(Simulation::make(y.model, {.threads = -1}).error().id == "SIM_OPTION");
    CHECK(Simulation::make(y.model, {.solver = "sofstep"}).error().id == "SOLVER_UNKNOWN");
}

TEST_CASE("mistakes of the builder are kept until the end, with the call and the argument")
{
    ModelBuilder b;
    const BodyId box = b.add_body({.label = "box"});
    (void)b.add_body({.label = "box"});
    (void)b.add_box(BodyId{7}, {.half = {1, 1, 1}});
    (void)b.add_box(box, {.half = {1, std::nan(""), 1}});
    (void)b.add_revolute(box, box);
    (void)b.replicate(b, 3);
    CHECK(b.mistakes().size() == 5);
    const auto model = b.finalize();
    REQUIRE(!model);
    CHECK(model.error().id == "SIM_BUILD");
    CHECK(model.error().site.property == "ModelBuilder::add_body(label)");
}

TEST_CASE(
    "a controller that steps or resets its own simulation, and one that was moved away, are mistakes that are told")
{
    const Throwing scope;
    const Yard     y = yard();
    Simulation     sim(y.model, {.dt = 1e-3});
    bool           refused = false;
    sim.on_step([&](const State&, Control&) { refused = !sim.step(); });
    CHECK(sim.step());
    CHECK(refused);
    sim.on_step([&](const State&, Control&) { sim.reset(); });
    CHECK_THROWS((void)sim.step());
    sim.on_step({});
    Simulation other = std::move(sim);
    CHECK(other.step());
    CHECK_THROWS((void)sim.step());  // NOLINT(bugprone-use-after-move): that is the test
    CHECK_THROWS((void)sim.time());
}

TEST_CASE(
    "what a program edits is read back: the model with its masses, poses after coordinates, and no command that is no "
    "number")
{
    const Throwing scope;
    const Yard     y = yard();
    Simulation     sim(y.model, {.dt = 1e-3});
    sim.edit([&](ModelEdit& edit) { edit.set_mass(y.box, 100); }).expect();
    CHECK(sim.model()->mass(y.box) == 100);
    CHECK(y.model->mass(y.box) != 100);
    Dynamics dynamics(sim.model());
    CHECK_NOTHROW((void)dynamics.at(sim.state()));
    const DofId elbow  = sim.model()->find_dof(y.elbow).expect();
    const auto  before = sim.position(y.lower);
    sim.edit_state().set_position(elbow, 1.0);
    CHECK(length(sim.position(y.lower) - before) > 0.01);
    sim.control().force(elbow) = std::nan("");
    const auto refused         = sim.step();
    CHECK(!refused);
    CHECK(sim.steps() == 0);
}
