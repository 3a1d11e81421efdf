#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>

#include "mechane/model/model.h"
#include "simulation/scenes.h"

using namespace face_tests;

namespace {

/// Two links on a floating base.
struct Crawler {
    ModelBuilder builder;
    BodyId       base, thigh, shank;
    JointId      hip, knee;
    Crawler()
    {
        base  = builder.add_body({.position = {0, 0, 1}, .label = "base"});
        thigh = builder.add_link({.position = {0.3, 0, 1}, .label = "thigh"});
        shank = builder.add_link({.position = {0.6, 0, 1}, .label = "shank"});
        for (const BodyId b : {base, thigh, shank}) builder.add_box(b, {.half = {0.1, 0.05, 0.05}});
        hip  = builder.add_revolute(base, thigh, {.parent_anchor = {0.15, 0, 0}, .child_anchor = {-0.15, 0, 0}});
        knee = builder.add_revolute(thigh, shank, {.parent_anchor = {0.15, 0, 0}, .child_anchor = {-0.15, 0, 0}});
    }
};

}  // namespace

TEST_CASE("a robot with a free base has one name, whether its free joint is named with the others or not")
{
    for (const bool named : {true, false}) {
        Crawler c;
        CHECK(c.builder.free_joint(c.base) == JointId(0));
        if (named) {
            const JointId all[] = {c.builder.free_joint(c.base), c.hip, c.knee};
            c.builder.add_robot(all, "crawler");
        } else {
            const JointId all[] = {c.hip, c.knee};
            c.builder.add_robot(all, "crawler");
        }
        const auto model = c.builder.finalize().expect();
        REQUIRE(model->arrays().articulation_label.size() == 1);
        CHECK(model->arrays().articulation_label.front() == "crawler");
        CHECK(Dynamics(model).mass_matrix().expect().rows == 8);
    }
    Crawler c;
    (void)c.builder.free_joint(c.thigh);
    CHECK(c.builder.mistakes().begin()->id == "SIM_BUILD");
}

TEST_CASE("a mistake of a builder names the label and the call, and two of them are two")
{
    ModelBuilder builder;
    const BodyId link = builder.add_link({.label = "link", .mass = 1});
    builder.add_revolute(kWorld, link, {.axis = {std::nan(""), 0, 0}, .label = "j11"});
    builder.add_body({.mass = -1});
    builder.add_body({.mass = -1});
    CHECK(builder.mistakes().size() == 3);
    CHECK(builder.mistakes().begin()->message.find("'j11'") != std::string::npos);
    CHECK(builder.mistakes().begin()->message.find("call 2 ") != std::string::npos);
    Diagnostics notes;
    CHECK(!builder.finalize(notes));
    CHECK(notes.empty());
}

TEST_CASE("what a ball or fixed joint would leave without effect is a mistake, each option by its name")
{
    const JointOptions each[] = {{.lower = -1},         {.upper = 1},      {.stiffness = 1},   {.damping = 1},
                                 {.target = 1},         {.friction = 1},   {.armature = 1},    {.position = 1},
                                 {.velocity_limit = 1}, {.velocity = 1.5}, {.effort_limit = 1}};
    for (const JointOptions& options : each) {
        ModelBuilder builder;
        const BodyId a = builder.add_link({.mass = 1}), b = builder.add_link({.mass = 1});
        builder.add_ball(kWorld, a, options);
        builder.add_fixed(kWorld, b, options);
        CHECK(builder.mistakes().size() == 2);
    }
    const char* const names[] = {"set_gains", "set_limits", "set_velocity_limit", "set_effort_limit"};
    Yard              y       = yard();
    Simulation        sim(y.model);
    const DofId       of_box = y.model->find_dof(*y.model->parent_joint(y.box), 2).expect();
    for (int i = 0; i < 4; ++i) {
        CAPTURE(names[i]);
        CHECK(failure_of([&] {
                  (void)sim.edit([&](ModelEdit& e) {
                      if (i == 0) e.set_gains(of_box, 1, 1);
                      if (i == 1) e.set_limits(of_box, -1, 1);
                      if (i == 2) e.set_velocity_limit(of_box, 1);
                      if (i == 3) e.set_effort_limit(of_box, 1);
                  });
              }) == "API_ARGUMENT");
    }
}

TEST_CASE("every body has a label of its own that finds it, also where a given one looks like a number of the builder")
{
    ModelBuilder builder;
    builder.add_body({.label = "body_1", .mass = 1});
    const BodyId second = builder.add_body({.mass = 1});
    const auto   model  = builder.finalize().expect();
    CHECK(model->find_body("body_1").expect() == BodyId(0));
    CHECK(model->find_body(model->label(second)).expect() == second);
    for (const JointId j : model->joints()) CHECK(model->find_joint(model->label(j)).expect() == j);
    ModelBuilder other;
    other.add_body({.label = "world", .mass = 1});
    CHECK(other.mistakes().size() == 1);
}

TEST_CASE("velocity limits are given, seen, edited, and hold: a slider under gravity goes no faster")
{
    ModelBuilder  builder;
    const BodyId  weight = builder.add_link({.label = "weight", .mass = 1, .inertia = Mat33d::identity()});
    const JointId slider = builder.add_prismatic(kWorld, weight, {.velocity_limit = 0.5});
    const JointId arm[]  = {slider};
    builder.add_robot(arm);
    const auto  model = builder.finalize().expect();
    const DofId z     = model->find_dof(slider).expect();
    CHECK(model->limits(z).velocity == doctest::Approx(0.5));
    CHECK(model->limits(z).effort == kInfinity);
    Simulation sim(model, {.dt = 0.01});
    sim.run_for(1).expect();
    CHECK(double(sim.state().velocity(z)) == doctest::Approx(-0.5).epsilon(0.02));
    sim.edit([&](ModelEdit& e) { e.set_velocity_limit(z, kInfinity); }).expect();
    CHECK(sim.model()->limits(z).velocity == kInfinity);
    sim.run_for(1).expect();
    CHECK(double(sim.state().velocity(z)) == doctest::Approx(-0.5 - 9.81).epsilon(0.02));
}

TEST_CASE(
    "going from parent to parent ends, a joint that is not its child's parent joint closes a loop, and the root of a "
    "ring can be placed with all that hangs on it")
{
    ModelBuilder builder;
    const BodyId a = builder.add_link({.label = "a"}), b = builder.add_link({.position = {1, 0, 0}, .label = "b"});
    for (const BodyId body : {a, b}) builder.add_box(body, {.half = {0.1, 0.1, 0.1}});
    const JointId first  = builder.add_revolute(a, b, {.child_anchor = {-1, 0, 0}});
    const JointId second = builder.add_revolute(b, a, {.parent_anchor = {-1, 0, 0}});
    const auto    model  = builder.finalize().expect();
    CHECK(model->parent_joint(b) == std::optional(first));
    CHECK(!model->parent_joint(a));
    CHECK(model->child(second) == a);
    Simulation sim(model, {.dt = 1e-3});
    sim.set_pose(a, {.position = {0, 0, 3}});
    CHECK(double(sim.position(b).z) == doctest::Approx(3));
    CHECK(double(sim.position(b).x) == doctest::Approx(1));
}
