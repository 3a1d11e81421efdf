// What Simulation::edit takes and what it puts back: numbers that the model has no room for, its topology, its start.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "mechane/model/model.h"
#include "simulation/scenes.h"

using namespace face_tests;

namespace {

/// The site of what the failure handler was told by a change: function and argument.
std::string told(Simulation& sim, const std::function<void(ModelEdit&)>& change)
{
    const Throwing scope;
    try {
        (void)sim.edit(change);
    } catch (const Failed& failed) {
        return failed.diagnostic.site.property;
    }
    return {};
}

}  // namespace

TEST_CASE("a reset after an edit goes to the start of the model as it is now, whether one came before the edit or not")
{
    for (const bool before : {false, true}) {
        CAPTURE(before);
        const Yard y = yard();
        Simulation sim(y.model, {.dt = 1e-3});
        if (before) sim.reset();
        sim.edit([&](ModelEdit& e) {
               auto&             m  = e.arrays({.numbers = true});
               const std::size_t at = static_cast<std::size_t>(
                   m.joint_q_start[sim.model()->parent_joint(y.box).value_or(JointId{}).index()]);
               m.joint_q[at + 2] = m.body_q[y.box.index()].p.z = 3;
           })
            .expect();
        sim.run_for(0.01).expect();
        sim.reset();
        CHECK(double(sim.position(y.box).z) == doctest::Approx(3));
    }
}

TEST_CASE(
    "numbers that a model has no room for are refused with the function and the argument; infinite limits are none")
{
    const Yard y = yard();
    Simulation sim(y.model, {.dt = 1e-3});
    const auto dof = y.model->find_dof(y.elbow).expect();
    CHECK(told(sim, [&](ModelEdit& e) { e.set_mass(y.box, 1e30); }) == "ModelEdit::set_mass(mass)");
    if (sizeof(Real) == 4)
        CHECK(told(sim, [&](ModelEdit& e) { e.set_mass(y.box, 1e-300); }) == "ModelEdit::set_mass(mass)");
    CHECK(told(sim, [&](ModelEdit& e) { e.set_gains(dof, 1e300, 0); }) == "ModelEdit::set_gains(stiffness)");
    CHECK(told(sim, [&](ModelEdit& e) { e.set_friction(ShapeId{99}, 1); }) == "ModelEdit::set_friction(shape)");
    CHECK(told(sim, [&](ModelEdit& e) { e.set_armature(DofId{99}, 1); }) == "ModelEdit::set_armature(dof)");
    CHECK(told(sim, [&](ModelEdit& e) { e.set_kinematic(kWorld, true); }) == "ModelEdit::set_kinematic(body)");
    CHECK(told(sim, [&](ModelEdit& e) { e.set_velocity_limit(dof, std::nan("")); }) ==
          "ModelEdit::set_velocity_limit(limit)");
    for (const double none : {1e300, kInfinity}) {
        sim.edit([&](ModelEdit& e) {
               e.set_velocity_limit(dof, none);
               e.set_effort_limit(dof, none);
           })
            .expect();
        CHECK(sim.model()->limits(dof).velocity == kInfinity);
        CHECK(sim.model()->limits(dof).effort == kInfinity);
    }
    CHECK(sim.step());
}

TEST_CASE("an edit cannot change which is what: bodies of shapes, ends of joints, worlds, pairs of no shapes")
{
    const Yard y = yard();
    for (const auto& [name, change] :
         {std::pair<const char*, void (*)(ModelArrays&)>{"shape_body", [](ModelArrays& m) { m.shape_body[0] = 99; }},
          {"joint_parent", [](ModelArrays& m) { m.joint_parent[0] = 99; }},
          {"joint_qd_start", [](ModelArrays& m) { m.joint_qd_start[1] = 1000; }},
          {"shape_type", [](ModelArrays& m) { m.shape_type.back() = GeoType::mesh; }},
          {"body_world", [](ModelArrays& m) { m.body_world[0] = 7; }},
          {"world_count", [](ModelArrays& m) { m.world_count = 3; }},
          {"shape_collision_filter_pairs",
           [](ModelArrays& m) { m.shape_collision_filter_pairs.emplace_back(0, 1000); }}}) {
        CAPTURE(name);
        Simulation sim(y.model, {.dt = 1e-3}), same(y.model, {.dt = 1e-3});
        const auto done = sim.edit([change = change](ModelEdit& e) {
            change(e.arrays({.numbers = true, .structure = true, .inertia = true, .shapes = true, .pairs = true}));
        });
        REQUIRE(!done);
        CHECK(done.error().id == "API_ARGUMENT");
        CHECK(done.error().message.find(name) != std::string::npos);
        sim.run_for(0.02).expect();
        same.run_for(0.02).expect();
        CHECK(sim.hash() == same.hash());
    }
}
