#include <doctest/doctest.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mechane/model/model.h"
#include "simulation/scenes.h"

using namespace face_tests;

TEST_CASE("objects of two models are told apart even where the models are equal")
{
    const Yard a = yard(), b = yard();
    Dynamics   dynamics(a.model);
    Queries    queries(a.model);
    CHECK(failure_of([&] { dynamics.at(State(b.model)); }) == "API_FOREIGN");
    CHECK(failure_of([&] { queries.update(State(b.model)); }) == "API_FOREIGN");
}

TEST_CASE("a result says its diagnostic, hands it on, and ends a program with the exit code of its kind")
{
    const auto good = [] { return Result<int>(3); };
    const auto bad  = [] { return Result<int>(make_diagnostic(kApiArgument, {}, "no")); };
    CHECK(good().expect() == 3);
    CHECK(bad().value_or(7) == 7);
    CHECK(good().transform([](int x) { return 2.5 * x; }).expect() == 7.5);
    CHECK(bad().transform([](int x) { return x; }).error().message == "no");
    CHECK(good().and_then([](int x) { return Result<int>(x + 1); }).expect() == 4);
    CHECK(bad().and_then([](int x) { return Result<int>(x + 1); }).error().message == "no");
    CHECK(failure_of([&] { bad().expect(); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)bad().value(); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)good().error(); }) == "API_RESULT");
    CHECK(exit_code_of({.id = "API_ARGUMENT"}) == 2);
    CHECK(exit_code_of({.id = "STAGE_OPEN_FAILED"}) == 3);
    CHECK(exit_code_of({.id = "RUN_DIVERGED"}) == 4);
    CHECK(exit_code_of({.id = "RECORD_WRITE_FAILED"}) == 5);
    CHECK(exit_code_of({.id = "FILES_INPUT"}) == 2);
    CHECK(exit_code_of({.id = "RUN_SET_RANGE"}) == 2);
    CHECK(exit_code_of({.id = "DEV_NAME"}) == 2);
    CHECK(exit_code_of({.id = "DEV_MEMORY"}) == 6);
    CHECK(exit_code_of({.id = "SOLVER_MODEL"}) == 6);
}

TEST_CASE("solvers of one's own are known by their name, once")
{
    const auto factory = [](const ModelArrays& m, const SolverOptions& o, Diagnostics& d) {
        return make_solver("softstep", m, o, d);
    };
    CHECK(!register_solver("softstep", factory));
    CHECK(!register_solver("", factory));
    CHECK(!register_solver("nothing", {}));
    REQUIRE(register_solver("mine", factory));
    CHECK(!register_solver("mine", factory));
    const Yard y = yard();
    Simulation mine(y.model, {.dt = 0.01, .solver = "mine"}), theirs(y.model, {.dt = 0.01});
    mine.run_for(0.1).expect();
    theirs.run_for(0.1).expect();
    CHECK(mine.hash() == theirs.hash());
}

TEST_CASE("an object that was moved away is told so, whatever is asked of it")
{
    const Yard y = yard();
    Queries    queries(y.model);
    Dynamics   dynamics(y.model);
    State      state(y.model);
    Control    control(y.model);
    {
        const Queries  q(std::move(queries));
        const Dynamics d(std::move(dynamics));
        const State    s(std::move(state));
        const Control  c(std::move(control));
    }
    const State whole(y.model);
    CHECK(failure_of([&] { (void)queries.ray(kShared, {0, 0, 5}, {0, 0, -1}); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { queries.update(whole); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)dynamics.at(whole); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)dynamics.jacobian(y.upper); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)state.pose(y.upper); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { state.settle(); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { state.set_velocity(y.box, {}); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { control.force(DofId(0)) = 1; }) == "API_ARGUMENT");
    CHECK(failure_of([&] { control.clear(); }) == "API_ARGUMENT");
}

TEST_CASE(
    "a state or commands of another model that are put into a simulation are refused; those from before an edit are "
    "not")
{
    const Yard a = yard(), b = yard();
    Simulation sim(a.model, {.dt = 1e-3});
    sim.edit_state() = State(b.model);
    CHECK(sim.step().error().id == "API_FOREIGN");
    sim.reset();
    CHECK(sim.step());
    sim.control() = Control(b.model);
    CHECK(sim.step().error().id == "API_FOREIGN");
    sim.control() = Control(a.model);
    CHECK(sim.step());

    const State kept = sim.state();
    REQUIRE(sim.edit([&](ModelEdit& e) { e.set_mass(a.box, 3); }));
    CHECK(sim.model() != a.model);
    sim.run_for(0.01).expect();
    sim.edit_state() = kept;
    CHECK(sim.step());
    CHECK(sim.state().model() == sim.model());
}

TEST_CASE("a target pose is for kinematic bodies, those of an edit too")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 1e-3});
    CHECK(failure_of([&] { sim.control().set_target_pose(y.box, {}); }) == "API_ARGUMENT");
    REQUIRE(sim.edit([&](ModelEdit& e) { e.set_kinematic(y.box, true); }));
    sim.control().set_target_pose(y.box, {.position = {3, 0, 2}});
    sim.step().expect();
    CHECK(double(sim.position(y.box).x) == doctest::Approx(3).epsilon(1e-5));
}

TEST_CASE("a target pose of one kinematic body leaves the others as they are: where they were put, or on their way")
{
    for (const char* solver : {"softstep", "xpbd", "featherstone"}) {
        CAPTURE(solver);
        ModelBuilder builder;
        BodyId       bodies[3];
        for (int i = 0; i < 3; ++i) {
            bodies[i] = builder.add_body({.position = {2.0 * i, 0, 0}, .kinematic = true});
            builder.add_box(bodies[i], {.half = {0.1, 0.1, 0.1}});
        }
        const auto [lift, table, belt] = bodies;
        Simulation sim(builder.finalize().expect(), {.dt = 1e-3, .solver = solver});
        sim.set_pose(table, {.position = {2, 0, 1}});
        sim.edit_state().set_velocity(belt, {1, 0, 0});
        sim.run_for(0.1).expect();
        sim.control().set_target_pose(lift, {.position = {0, 0, Real(0.1)}});
        sim.run_for(0.1).expect();
        CHECK(double(sim.position(lift).z) == doctest::Approx(0.1));
        CHECK(double(sim.position(table).z) == doctest::Approx(1));
        CHECK(double(length(sim.state().velocity(table))) < 1e-6);
        // The own solver moves a kinematic body by its velocity; the others, as Newton's, by targets alone.
        const double way = solver == std::string("softstep") ? 0.2 : 0;
        CHECK(double(sim.position(belt).x) == doctest::Approx(4 + way).epsilon(1e-4));
    }
}

TEST_CASE("a kinematic link is placed by its pose, and the coordinate of its joint, which moves nothing, cannot be set")
{
    ModelBuilder  builder;
    const BodyId  link  = builder.add_link({.mass = 1, .inertia = Mat33d::identity(), .kinematic = true});
    const JointId hinge = builder.add_revolute(kWorld, link);
    Simulation    sim(builder.finalize().expect(), {.dt = 1e-3});
    const DofId   dof = sim.model()->find_dof(hinge).expect();
    CHECK(failure_of([&] { sim.edit_state().set_position(dof, 1); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { sim.edit_state().set_velocity(dof, 1); }) == "API_ARGUMENT");
    sim.set_pose(link, {.position = {0, 0, 2}});
    sim.step().expect();
    CHECK(double(sim.position(link).z) == doctest::Approx(2));
}

TEST_CASE(
    "after an edit the state and the commands are of the new model at once, and what was made of the old one refuses "
    "them")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 1e-3});
    Dynamics   old(y.model);
    Control&   kept = sim.control();
    for (const double mass : {3.0, 4.0}) {
        sim.edit([&](ModelEdit& e) {
               e.set_mass(y.lower, mass);
               e.set_kinematic(y.box, true);
           })
            .expect();
        CHECK(sim.state().model() != y.model);
        const State copy = sim.state();
        CHECK(failure_of([&] { old.at(sim.state()); }) == "API_FOREIGN");
        CHECK(Dynamics(sim.model()).at(copy).mass_matrix().expect().rows == 8);
        CHECK(sim.model()->mass(y.lower) == doctest::Approx(mass));
    }
    kept.set_target_pose(y.box, {.position = {3, 0, 2}});
    sim.step().expect();
    CHECK(double(sim.position(y.box).x) == doctest::Approx(3));
}

TEST_CASE("a simulation that nobody else keeps the model of may be edited again and again")
{
    // What the engine was made of lives as long as the simulation.
    ModelBuilder builder;
    Yard         y;
    fill(builder, y);
    Simulation sim(builder.finalize().expect(), {.dt = 1e-3});
    for (int i = 1; i < 5; ++i) {
        sim.edit([&](ModelEdit& e) { e.set_mass(y.box, i); }).expect();
        sim.step().expect();
        CHECK(sim.model()->mass(y.box) == doctest::Approx(i));
    }
}

TEST_CASE("a controller that assigns to its simulation, or ends it, lets the step end first")
{
    const Yard y   = yard();
    auto       sim = std::make_unique<Simulation>(y.model, SimulationOptions{.dt = 1e-3});
    sim->on_step([&](const State&, Control&) { *sim = Simulation(y.model, {.dt = 1e-3}); });
    CHECK(sim->step());
    CHECK(sim->steps() == 0);
    sim->on_step([&](const State&, Control&) { sim.reset(); });
    CHECK(sim->step());
    CHECK(sim == nullptr);
}

TEST_CASE("a force, torque or target too large for its square to be a number is refused, not simulated")
{
    const Yard y = yard();
    for (const double most : {1e19, 1e30, 1e36}) {
        Simulation sim(y.model, {.dt = 1e-3});
        sim.control().force(DofId(0)) = static_cast<Real>(most);
        const auto refused            = sim.step();
        REQUIRE(!refused);
        CHECK(refused.error().id == "API_ARGUMENT");
        sim.control().clear();
        sim.control().wrench(y.box).linear.z = -static_cast<Real>(most);
        CHECK(sim.step().error().id == "API_ARGUMENT");
        sim.control().clear();
        CHECK(sim.step());
    }
}

TEST_CASE("everything of a model without worlds is reset by kShared too")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 1e-3});
    sim.run_for(0.1).expect();
    sim.reset(kShared);
    CHECK(double(sim.position(y.box).z) == doctest::Approx(0.5));
}

TEST_CASE("an array of the model that an edit resizes is as it was made, and the call says which")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 1e-3});
    const auto done = sim.edit([](ModelEdit& e) {
        e.arrays({.inertia = true}).body_mass.clear();
        e.arrays({.numbers = true}).joint_limit_upper.resize(100);
    });
    REQUIRE(!done);
    CHECK(done.error().id == "API_ARGUMENT");
    CHECK(done.error().message.find("body_mass") != std::string::npos);
    CHECK(sim.step());
    CHECK(sim.model()->mass(y.box) == y.model->mass(y.box));
}

TEST_CASE("within an edit nothing steps, resets or edits, and what was edited before an exception counts")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 1e-3}), same(y.model, {.dt = 1e-3});
    CHECK(failure_of([&] { (void)sim.edit([&](ModelEdit&) { sim.reset(); }); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)sim.edit([&](ModelEdit&) { (void)sim.edit([](ModelEdit&) {}); }); }) ==
          "API_ARGUMENT");
    REQUIRE(sim.edit([&](ModelEdit&) { CHECK(sim.step().error().id == "API_ARGUMENT"); }));
    CHECK_THROWS_AS((void)sim.edit([&](ModelEdit& e) {
        e.set_mass(y.lower, 2);
        throw 1;
    }),
                    int);
    REQUIRE(same.edit([&](ModelEdit& e) { e.set_mass(y.lower, 2); }));
    sim.run_for(0.05).expect();
    same.run_for(0.05).expect();
    CHECK(sim.hash() == same.hash());
}

TEST_CASE("what a controller throws leaves the step, which has not happened, and the next one does")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 1e-3}), same(y.model, {.dt = 1e-3});
    int        calls = 0;
    sim.on_step([&](const State&, Control&) {
        if (++calls == 2) throw 7;
    });
    sim.step().expect();
    CHECK_THROWS_AS((void)sim.step(), int);
    CHECK(sim.steps() == 1);
    sim.step().expect();
    same.run_for(2e-3).expect();
    CHECK(sim.hash() == same.hash());
}

namespace {

/// Breaks the contract of solvers: in the sizes of arrays, or by numbers that are none.
class Broken final : public Solver {
  public:
    explicit Broken(bool sizes) : sizes_(sizes) {}
    StepReport step(const StateArrays& in, StateArrays& out, const ControlArrays&, ContactArrays*, double) override
    {
        out = in;
        if (sizes_)
            out.body_q.clear();
        else
            out.joint_qd[0] = std::numeric_limits<Real>::quiet_NaN();
        return {};
    }
    void                           reset() override {}
    void                           reset_worlds(std::span<const std::uint8_t>) override {}
    void                           notify(std::uint32_t) override {}
    [[nodiscard]] std::string_view name() const override { return "broken"; }

  private:
    bool sizes_;
};

}  // namespace

TEST_CASE("a solver of one's own that breaks its contract is told, and the state is as before the step")
{
    for (const bool sizes : {true, false}) {
        CAPTURE(sizes);
        const std::string name = sizes ? "broken sizes" : "broken numbers";
        (void)register_solver(name, [sizes](const ModelArrays&, const SolverOptions&, Diagnostics&) {
            return Result<std::unique_ptr<Solver>>(std::make_unique<Broken>(sizes));
        });
        const Yard y = yard();
        Simulation sim(y.model, {.solver = name});
        for (int i = 0; i < 2; ++i) {
            const auto done = sim.step();
            REQUIRE(!done);
            CHECK(done.error().id == (sizes ? "SOLVER_STATE" : "RUN_DIVERGED"));
            CHECK(done.error().message.find(name) != std::string::npos);
        }
        CHECK(sim.steps() == 0);
        CHECK(sim.position(y.box) == State(y.model).position(y.box));
    }
}

TEST_CASE("a ball joint is turned by its rotation, and a message names that way")
{
    ModelBuilder  builder;
    const BodyId  arm  = builder.add_link({.label = "arm"});
    const JointId ball = builder.add_ball(kWorld, arm, {.parent_anchor = {0, 0, 2}, .child_anchor = {0, 0, 0.5}});
    builder.add_sphere(arm, {.radius = 0.1});
    const auto model = builder.finalize().expect();
    State      state(model);
    // A quarter turn about y takes the way from the anchor to the body, (0, 0, -0.5), to (-0.5, 0, 0).
    state.set_rotation(ball, {0, std::sqrt(Real(0.5)), 0, std::sqrt(Real(0.5))});
    state.settle();
    CHECK(test::distance(state.position(arm), Vec3{Real(-0.5), 0, 2}) < 1e-6);
    CHECK(test::angle_between(state.rotation(ball), Quat{0, std::sqrt(Real(0.5)), 0, std::sqrt(Real(0.5))}) < 1e-6);
    CHECK(failure_of([&] { state.set_rotation(ball, {0, 0, 0, 0}); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { state.set_rotation(JointId(4), {}); }) == "API_ARGUMENT");
    const Throwing scope;
    try {
        state.set_pose(arm, {});
        CHECK(false);
    } catch (const Failed& failed) {
        CHECK(failed.diagnostic.message.find("set_rotation") != std::string::npos);
    }
}

TEST_CASE("a mistake names the argument, what it was and what there is")
{
    const Yard     y = yard();
    const Throwing scope;
    try {
        (void)y.model->label(BodyId(99));
        CHECK(false);
    } catch (const Failed& failed) {
        CHECK(to_text(failed.diagnostic) ==
              "Model::label(body) error API_ARGUMENT: body: 99, expected an id that the model has: there are 0 to 2\n"
              "    Correct the argument that the message names.");
    }
    CHECK(y.model->find_joint("knee").error().message.find("no joint is called") != std::string::npos);
}

TEST_CASE("copies, lengths and settings beyond what numbers hold are mistakes, and none is a crash")
{
    ModelBuilder one, all;
    (void)one.add_body({.mass = 1});
    (void)all.replicate(one, 2000000000);
    CHECK(all.finalize().error().id == "SIM_BUILD");
    ModelBuilder tiny, huge;
    (void)tiny.add_sphere(kWorld, {.radius = 1e-300});
    (void)huge.add_sphere(kWorld, {.radius = 1e300});
    CHECK(!tiny.mistakes().empty());
    CHECK(huge.mistakes().empty() == (sizeof(Real) == 8));
    const Yard  y = yard();
    Dynamics    dynamics(y.model);
    const State start(y.model);
    const Goal  goals[] = {{.body = y.lower, .position = Vec3d{0, 0, 1}}};
    CHECK(failure_of([&] { (void)dynamics.inverse_kinematics(start, goals, {.iterations = -1}); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)dynamics.inverse_kinematics(start, goals, {.starts = 0}); }) == "API_ARGUMENT");
    const Goal no_turn[] = {{.body = y.lower, .rotation = Quatd{0, 0, 0, 0}}},
               world[]   = {{.body = kWorld, .position = Vec3d{}}};
    CHECK(dynamics.inverse_kinematics(start, no_turn).error().id == "DYN_GOAL");
    CHECK(dynamics.inverse_kinematics(start, world).error().message.find("the world") != std::string::npos);
    State broken(y.model);
    broken.arrays().joint_q[0] = std::numeric_limits<Real>::quiet_NaN();
    CHECK(failure_of([&] { (void)dynamics.at(broken); }) == "API_ARGUMENT");
}

TEST_CASE("a model is walked through by its ids")
{
    const Yard   y = yard();
    const Model& m = *y.model;
    std::string  seen;
    for (const JointId j : m.joints())
        if (m.type(j) == JointType::revolute)
            seen += m.label(j) + ":" + m.label(m.parent(j)) + ">" + m.label(m.child(j)) + " ";
    CHECK(seen == "shoulder:world>upper elbow:upper>lower ");
    CHECK(m.bodies().size() == 3);
    CHECK(m.type(y.box_shape) == GeoType::box);
    CHECK(m.limits(m.find_dof(y.elbow).expect()).upper == kInfinity);
}

TEST_CASE("a pose or velocity that is no number is told by the step, and does not count as not written")
{
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (const int worlds : {0, 2})
        for (const int which : {0, 1, 2, 3})
            for (const bool within : {false, true}) {
                ModelBuilder one, all;
                const BodyId box = one.add_body({.position = {0, 0, 1}, .label = "box"});
                one.add_box(box, {.half = {0.1, 0.1, 0.1}});
                if (worlds > 0) all.replicate(one, worlds);
                Simulation sim((worlds > 0 ? all : one).finalize().expect());
                const auto write = [&](State& state) {
                    auto& a = state.arrays();
                    if (which == 0) a.body_q[0].p.x = nan;
                    if (which == 1) a.body_q[0].q.w = nan;
                    if (which == 2) a.body_qd[0].linear.y = nan;
                    if (which == 3) a.body_qd[0].angular.z = std::numeric_limits<Real>::infinity();
                };
                if (within)
                    sim.on_step([&](const State&, Control&) { write(sim.edit_state()); });
                else
                    write(sim.edit_state());
                const auto step = sim.step();
                REQUIRE(!step);
                CHECK(step.error().id == "API_ARGUMENT");
                CHECK(step.error().message.find("'box'") != std::string::npos);
                CHECK(sim.steps() == 0);
            }
}

TEST_CASE("a margin that leaves nothing of a shape is a mistake of the builder; a smaller one lets it sink by as much")
{
    for (const double margin : {-0.1, -0.3}) {
        ModelBuilder  b;
        const BodyId  x = b.add_body();
        const Surface surface{.margin = margin};
        b.add_box(x, {.half = {0.1, 1, 1}, .surface = surface});
        b.add_box(x, {.half = {1, 1, 0.1}, .surface = surface});
        b.add_sphere(x, {.radius = 0.1, .surface = surface});
        b.add_capsule(x, {.radius = 0.1, .half_height = 1, .surface = surface});
        b.add_cylinder(x, {.radius = 1, .half_height = 0.1, .surface = surface});
        b.add_cone(x, {.radius = 0.1, .half_height = 1, .surface = surface});
        CHECK(b.mistakes().size() == 6);
        for (const Diagnostic& one : b.mistakes()) CHECK(one.message.find("surface.margin") != std::string::npos);
    }
    // A box of half height 0.1 m whose surface lies 0.02 m inwards rests with its centre 0.08 m above the ground.
    for (const double margin : {0.0, -0.02, 0.02}) {
        ModelBuilder b;
        const BodyId x = b.add_body({.position = {0, 0, 0.15}});
        b.add_box(x, {.half = {0.1, 0.1, 0.1}, .surface = {.margin = margin}});
        b.add_ground();
        Simulation sim(b.finalize().expect(), {.dt = 0.005});
        sim.run_for(2).expect();
        CHECK(std::abs(static_cast<double>(sim.position(x).z) - (0.1 + margin)) < 2e-3);
    }
}
