#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mechane/model/belongs.h"
#include "mechane/model/model.h"
#include "simulation/scenes.h"

using namespace face_tests;

namespace {

/// Draws arguments, good and bad ones.
class Draw {
  public:
    explicit Draw(Random& random) : r_(random) {}

    int pick(int count) { return static_cast<int>(r_.uniform() * count) % count; }

    template <class Id>
    Id id(int count)
    {
        const int values[] = {-1, -2, 0, count - 1, count, count + 7, std::numeric_limits<int>::max(),
                              std::numeric_limits<int>::min(), pick(std::max(count, 1))};
        return Id(values[pick(9)]);
    }
    double number()
    {
        const double values[] = {0, 1, -1, 0.3, 1e-300, 1e300, -1e300, std::nan(""), kInfinity, -kInfinity, r_.uniform()};
        return values[pick(11)];
    }
    Real  real() { return static_cast<Real>(number()); }
    Vec3d vector() { return pick(2) ? Vec3d{0, 0, 1} : Vec3d{number(), number(), number()}; }
    Vec3  small() { return static_cast<Vec3>(vector()); }
    Quatd rotation() { return pick(2) ? Quatd{} : Quatd{number(), number(), number(), number()}; }
    std::vector<double> numbers(std::size_t size)
    {
        const std::size_t sizes[] = {0, 1, size, size, size + 1};
        std::vector<double> out(sizes[pick(5)]);
        for (double& x : out) x = pick(4) ? 0.5 : number();
        return out;
    }

  private:
    Random& r_;
};

}  // namespace

TEST_CASE("a thousand calls with wrong ids, sizes, objects and numbers end in a result, a report or the failure handler")
{
    const Yard                   y       = yard();
    const Yard                   foreign = yard();  // an equal model that is another one
    const std::shared_ptr<const Model> models[] = {y.model, foreign.model};
    int                          told = 0, done = 0;
    test::for_seeds(25, [&](Random& random) {
        Draw           d(random);
        const Throwing scope;
        Simulation     sim(y.model, {.dt = 1e-3, .threads = 1});
        State          state(models[d.pick(2)]);
        Control        control(models[d.pick(2)]);
        Dynamics       dynamics(y.model);
        Queries        queries(y.model);
        ModelBuilder   builder;
        Replicas       replicas;
        const Model&   m = *y.model;
        const int      bodies = m.body_count(), joints = m.joint_count(), dofs = m.dof_count(), shapes = m.shape_count();
        const auto     body  = [&] { return d.id<BodyId>(bodies); };
        const auto     joint = [&] { return d.id<JointId>(joints); };
        const auto     dof   = [&] { return d.id<DofId>(dofs); };
        const auto     shape = [&] { return d.id<ShapeId>(shapes); };
        const auto     world = [&] { return d.id<WorldId>(0); };
        const auto     pose  = [&] { return Placement{d.small(), static_cast<Quat>(d.rotation())}; };
        for (int i = 0; i < 80; ++i) {
            try {
                switch (d.pick(58)) {
                    case 0: (void)m.label(body()); break;
                    case 1: (void)m.label(joint()); break;
                    case 2: (void)m.label(shape()); break;
                    case 3: (void)m.find_dof(joint(), d.pick(9) - 2); break;
                    case 4: (void)m.find_body("nothing", world()); break;
                    case 5: (void)m.mass(body()); break;
                    case 6: (void)m.world_of(body()); break;
                    case 7: (void)m.body_of(shape()); break;
                    case 8: (void)m.joint_of(dof()); break;
                    case 9: (void)m.is_scalar(dof()); break;
                    case 10: (void)m.dofs(world()); break;
                    case 11: (void)m.parent_joint(body()); break;
                    case 12: (void)state.pose(body()); break;
                    case 13: (void)state.velocity(body()); break;
                    case 14: (void)state.position(dof()); break;
                    case 15: (void)state.velocity(dof()); break;
                    case 16: state.set_pose(body(), pose()); break;
                    case 17: state.set_velocity(body(), d.small(), d.small()); break;
                    case 18: state.set_position(dof(), d.real()); break;
                    case 19: state.set_velocity(dof(), d.real()); break;
                    case 20: state.settle(); break;
                    case 21: control.force(dof()) = d.real(); break;
                    case 22: control.target_position(dof()) = d.real(); break;
                    case 23: control.wrench(body()).linear = d.small(); break;
                    case 24: control.set_target_pose(body(), pose()); break;
                    case 25: (void)dynamics.at(state); break;
                    case 26: (void)dynamics.jacobian(body(), d.vector()); break;
                    case 27: (void)dynamics.mass_matrix(world()); break;
                    case 28: (void)dynamics.inverse_dynamics(d.numbers(static_cast<std::size_t>(dofs)), world()); break;
                    case 29: (void)dynamics.forward_dynamics(d.numbers(static_cast<std::size_t>(dofs)), world()); break;
                    case 30: {
                        const Goal goal{.body = body(), .point = d.vector(), .position = d.vector(),
                                        .position_weight = d.number()};
                        (void)dynamics.inverse_kinematics(state, std::span(&goal, 1), {.iterations = 3});
                        break;
                    }
                    case 31: queries.update(state); break;
                    case 32: (void)queries.ray(world(), d.vector(), d.vector(), d.number()); break;
                    case 33: (void)queries.nearest(world(), d.vector(), d.number()); break;
                    case 34: (void)queries.distance(shape(), shape()); break;
                    case 35: (void)queries.overlap(shape(), shape()); break;
                    case 36: (void)queries.overlaps(shape(), world()); break;
                    case 37: (void)queries.cast(shape(), d.vector(), world()); break;
                    case 38: (void)sim.step(); break;
                    case 39: (void)sim.run_for(d.pick(2) ? d.number() * 1e-3 : 2e-3); break;
                    case 40: sim.set_pose(body(), pose()); break;
                    case 41: sim.edit_state().set_position(dof(), d.real()); break;
                    case 42: sim.control().force(dof()) = d.real(); break;
                    case 43: sim.reset(world()); break;
                    case 44: sim.reset(); break;
                    case 45: sim.edit_state().arrays().body_q.resize(static_cast<std::size_t>(d.pick(5))); break;
                    case 46: sim.control().arrays().joint_f.resize(static_cast<std::size_t>(d.pick(12))); break;
                    case 47:
                        (void)sim.edit([&](ModelEdit& e) {
                            e.set_mass(body(), d.number());
                            e.set_friction(shape(), d.number());
                            e.set_gains(dof(), d.number(), d.number());
                            e.set_gravity(d.small(), world());
                        });
                        break;
                    case 48: (void)builder.add_body({.position = d.vector(), .mass = d.number()}); break;
                    case 49: (void)builder.add_box(body(), {.half = d.vector()}); break;
                    case 50:
                        (void)builder.add_revolute(body(), body(),
                                                   {.axis = d.vector(), .lower = d.number(), .upper = d.number()});
                        break;
                    case 51: {
                        const JointId some[] = {joint(), joint()};
                        builder.add_robot(some);
                        break;
                    }
                    case 52: builder.disable_contacts(shape(), shape()); break;
                    case 53: {
                        ModelBuilder scene;
                        (void)scene.add_body({.mass = 1});
                        replicas = builder.replicate(scene, d.pick(5) - 1);
                        break;
                    }
                    case 54: (void)replicas.body(d.id<WorldId>(3), body()); break;
                    case 55: (void)builder.finalize(); break;
                    case 56: (void)sim.queries(); break;
                    case 57: (void)Contacts(m, state, model::Contacts()); break;
                }
                ++done;
            } catch (const Failed& failed) {
                ++told;
                CHECK((failed.diagnostic.id == "API_ARGUMENT" || failed.diagnostic.id == "API_FOREIGN"));
                CHECK(!failed.diagnostic.message.empty());
            }
        }
    });
    CHECK(told + done == 25 * 80);
    CHECK(told > 200);
    CHECK(done > 200);
}

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
