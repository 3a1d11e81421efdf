// Views and small values of the face: what they hold, how long, and what they refuse.
#include <doctest/doctest.h>

#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "mechane/model/model.h"
#include "simulation/scenes.h"
#include "support/allocations.h"

using namespace face_tests;

// A view of what is gone at the end of the line is refused when it is compiled.
static_assert(std::is_constructible_v<Contacts, const Model&, const State&, const ContactArrays&>);
static_assert(!std::is_constructible_v<Contacts, const Model&, State, const ContactArrays&>);
static_assert(!std::is_constructible_v<Contacts, const Model&, const State&, ContactArrays>);
// What is taken out of a result that ends with the line is a value.
static_assert(!std::is_reference_v<decltype(std::declval<Result<int>>().value())>);
static_assert(!std::is_reference_v<decltype(*std::declval<Result<int>>())>);

TEST_CASE("an iterator of contacts outlives its view, and arrays that were resized meanwhile are told")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 1e-3});
    sim.run_for(1).expect();
    const auto first = sim.touching().begin();
    CHECK((*first).touching());
    std::vector<Contact> kept;
    for (const Contact& c : sim.contacts()) kept.push_back(c);
    CHECK(kept.size() == sim.contacts().size());
    const Contacts view = sim.contacts();
    sim.edit_state().arrays().body_q.clear();
    CHECK(failure_of([&] {
              for (const Contact& c : view) (void)c;
          }) == "API_ARGUMENT");
}

TEST_CASE("a matrix that a program says is larger than its numbers is refused, and one without columns has empty rows")
{
    const std::vector<double> two{1, 2};
    const MatrixView          matrix{.rows = 3, .columns = 2, .values = two};
    CHECK(failure_of([&] { (void)matrix(0, 0); }) == "API_ARGUMENT");
    CHECK(failure_of([&] { (void)matrix.row(2); }) == "API_ARGUMENT");
    CHECK(failure_of([] { (void)MatrixView{.rows = std::size_t{1} << 63, .columns = 2}.row(1); }) == "API_ARGUMENT");
    CHECK(MatrixView{.rows = 1, .columns = 2, .values = two}(0, 1) == 2);
    CHECK(MatrixView{.rows = 3, .columns = 0}.row(2).empty());
}

TEST_CASE("ids of a count below zero are none")
{
    CHECK(Ids<BodyId>(-3).size() == 0);
    CHECK(Ids<BodyId>(-3).begin() == Ids<BodyId>(-3).end());
}

TEST_CASE("a builder that was moved away is empty, whichever way it was moved, and one moved to itself stays")
{
    ModelBuilder one, two;
    (void)one.add_body({.label = "old", .mass = 1});
    (void)two.add_body({.mass = 1});
    (void)two.add_body({.mass = 1});
    one = std::move(two);
    CHECK(one.finalize().expect()->body_count() == 2);
    CHECK(two.finalize().expect()->body_count() == 0);
    ModelBuilder& itself = one;
    one                  = std::move(itself);
    CHECK(one.finalize().expect()->body_count() == 2);
}

TEST_CASE("dynamics refuse velocities and tolerances that are no numbers")
{
    const Yard y = yard();
    Dynamics   dynamics(y.model);
    State      state(y.model);
    const Goal goals[] = {{.body = y.lower, .position = Vec3d{0, 0, 1}}};
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -1.0}) {
        CHECK(failure_of([&] { (void)dynamics.inverse_kinematics(state, goals, {.position_tolerance = bad}); }) ==
              "API_ARGUMENT");
        CHECK(failure_of([&] { (void)dynamics.inverse_kinematics(state, goals, {.rotation_tolerance = bad}); }) ==
              "API_ARGUMENT");
    }
    state.arrays().body_qd[0].angular.x = std::numeric_limits<Real>::infinity();
    CHECK(failure_of([&] { (void)dynamics.at(state); }) == "API_ARGUMENT");
}

TEST_CASE("a step that has warmed up allocates nothing, its controller, commands and contacts included")
{
    const Yard  y = yard();
    Simulation  sim(y.model, {.dt = 1e-3, .threads = 1});
    const DofId elbow = y.model->find_dof(y.elbow).expect();
    sim.on_step([&](const State& s, Control& u) { u.force(elbow) = -s.velocity(elbow); });
    double     carried = 0;
    const auto step    = [&] {
        (void)sim.step();
        for (const Contact& c : sim.touching()) carried += static_cast<double>(c.force.z);
    };
    for (int i = 0; i < 1000; ++i) step();
    const auto before = test::allocations();
    for (int i = 0; i < 100; ++i) step();
    CHECK(test::allocations() - before == 0);
    CHECK(carried > 0);
}
