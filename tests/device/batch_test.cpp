#include "mechane/device/device_batch.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "mechane/collision/pipeline.h"
#include "mechane/device/codes.h"
#include "mechane/math/random.h"
#include "mechane/tasks/parallel.h"
#include "robots.h"
#include "solvers/world.h"

using namespace mechane;
using device::Array;
using device::BatchOptions;
using device::DeviceBatch;
using device::Precision;
using namespace test;

namespace {

/// A tree of links on joints of all kinds, with drives, limits, springs and friction drawn at random, over the ground.
model::ModelBuilder drawn_tree(Random& r)
{
    model::ModelBuilder       b = ground();
    std::vector<std::int32_t> links{b.add_link({{0, 0, 0.3}, {}}, "/tree/0")}, joints;
    const auto                flesh = [&] {
        model::ShapeConfig s;
        s.mu           = r.uniform(0.2, 1.0);
        s.mu_torsional = r.uniform(0, 1) < 0.5 ? 0.005 : 0;
        s.restitution  = r.uniform(0, 1) < 0.3 ? 0.4 : 0;
        return s;
    };
    const auto shape = [&](std::int32_t link) {
        const Posed at{{0, 0, 0}, normalized(Quatd{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1), 1})};
        switch (static_cast<int>(r.uniform(0, 3.999))) {
            case 0: b.add_shape_sphere(link, at, r.uniform(0.04, 0.08), flesh()); break;
            case 1: b.add_shape_capsule(link, at, r.uniform(0.03, 0.06), r.uniform(0.03, 0.1), flesh()); break;
            case 2: b.add_shape_box(link, at, {r.uniform(0.03, 0.08), r.uniform(0.03, 0.08), r.uniform(0.03, 0.08)}, flesh()); break;
            default: b.add_shape_sphere(link, at, 0.05, flesh()); break;
        }
    };
    const auto dof = [&] {
        model::JointDofConfig d;
        d.axis     = normalized(Vec3d{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1)}, Vec3d{1, 0, 0});
        d.armature = r.uniform(0.001, 0.02), d.damping = r.uniform(0, 0.5), d.friction = r.uniform(0, 1) < 0.4 ? 0.05 : 0;
        d.limit_lower = -r.uniform(0.2, 1), d.limit_upper = r.uniform(0.2, 1);
        if (r.uniform(0, 1) < 0.5) {
            d.actuator_mode = r.uniform(0, 1) < 0.5 ? model::TargetMode::position : model::TargetMode::velocity;
            d.target_ke = 20, d.target_kd = 1, d.target_q = r.uniform(-0.5, 0.5), d.target_qd = r.uniform(-1, 1);
            d.effort_limit = r.uniform(0.5, 10);
        }
        return d;
    };
    joints.push_back(b.add_joint_free(links[0], "/tree/root"));
    shape(links[0]);
    const int count = static_cast<int>(r.uniform(3, 9));
    for (int i = 1; i < count; ++i) {
        const auto  parent = links[static_cast<std::size_t>(r.uniform(0, static_cast<double>(links.size()) - 0.001))];
        const Vec3d out = 0.2 * normalized(Vec3d{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-0.5, 1)}, Vec3d{0, 0, 1});
        const Posed anchor{out, {}};
        const auto  link = b.add_link(b.bodies[static_cast<std::size_t>(parent)].q * anchor, fmt::format("/tree/{}", i));
        shape(link);
        const auto name = fmt::format("/tree/joint_{}", i);
        switch (static_cast<int>(r.uniform(0, 4.999))) {
            case 0: joints.push_back(b.add_joint_ball(parent, link, anchor, {}, name)); break;
            case 1: joints.push_back(b.add_joint_prismatic(parent, link, anchor, {}, dof(), name)); break;
            case 2: joints.push_back(b.add_joint_d6(parent, link, anchor, {}, {}, {dof(), dof()}, name)); break;
            case 3: joints.push_back(b.add_joint_fixed(parent, link, anchor, {}, name)); break;
            default: joints.push_back(b.add_joint_revolute(parent, link, anchor, {}, dof(), name)); break;
        }
        links.push_back(link);
    }
    b.add_articulation(joints, "/tree");
    return b;
}

model::Model copies(const model::ModelBuilder& one, int worlds)
{
    model::ModelBuilder all;
    REQUIRE(all.replicate(one, worlds));
    return finalized(all);
}

DeviceBatch         made(const model::Model& m, const BatchOptions& options)
{
    auto batch = DeviceBatch::make(m, options);
    REQUIRE_MESSAGE(batch.has_value(), (batch.has_value() ? "" : to_text(batch.error())));
    return *std::move(batch);
}

/// How far two runs of one world are apart.
struct Apart {
    double coordinates = 0;  ///< largest difference of a coordinate, over all steps
    int    counts      = 0;  ///< steps in which not as many contacts were found
};
/// Steps a model by softstep and the pipeline on one side, by the kernels on the other.
Apart compare(const model::Model& m, const BatchOptions& options, int steps, const std::function<void(model::State&)>& disturb = {})
{
    model::State state = model::make_state(m);
    if (disturb) disturb(state);
    dynamics::project_to_joints(m, state);
    const model::Control control = model::make_control(m);
    Diagnostics          notices;
    auto                 solver = solvers::make_solver("softstep", m, {.substeps = options.substeps}, notices);
    REQUIRE(solver);
    collision::CollisionPipeline pipeline(m, {});
    model::Contacts              contacts = pipeline.make_contacts();
    DeviceBatch                  batch    = made(m, options);
    REQUIRE(batch.write(state));
    model::State other = state;
    Apart        out;
    for (int i = 0; i < steps; ++i) {
        pipeline.collide(state, options.dt, contacts);
        const auto report = (*solver)->step(state, state, control, &contacts, options.dt);
        REQUIRE(!report.diverged);
        REQUIRE(batch.step(1));
        REQUIRE(batch.read(other));
        std::vector<std::int32_t> count(static_cast<std::size_t>(batch.world_count()));
        REQUIRE(batch.read(Array::contact_count, std::span(count)));
        std::int32_t sum = 0;
        for (const std::int32_t n : count) sum += n;
        out.counts += sum != contacts.rigid_contact_count ? 1 : 0;
        for (std::size_t k = 0; k < state.joint_q.size(); ++k)
            out.coordinates = std::max(out.coordinates, std::abs(static_cast<double>(state.joint_q[k] - other.joint_q[k])));
        if (std::getenv("MECHANE_TELL")) fmt::print("{} {} {} {}\n", i, sum, contacts.rigid_contact_count, out.coordinates);
    }
    return out;
}

}  // namespace

TEST_CASE("a robot in the air moves as softstep moves it")
{
    for (const auto& robot : {ant(), humanoid(), dog()}) {
        const model::Model m = copies(robot, 2);
        const auto lift = [&](model::State& s) {
            for (std::size_t j = 0; j < m.joint_count(); ++j)
                if (m.joint_type[j] == model::JointType::free) s.joint_q[static_cast<std::size_t>(m.joint_q_start[j]) + 2] += 5;
            for (std::size_t k = 0; k < s.joint_qd.size(); ++k) s.joint_qd[k] = Real(0.1) * static_cast<Real>(static_cast<int>(k % 7) - 3);
        };
        const Apart apart = compare(m, {.precision = Precision::double_precision, .dt = 0.005, .substeps = 2}, 100, lift);
        CHECK(apart.counts == 0);
        CHECK(apart.coordinates < 1e-5);
    }
}

TEST_CASE("robots on the ground stay with softstep for 200 steps")
{
    for (const auto& robot : {ant(), humanoid(), dog()}) {
        const model::Model m = copies(robot, 2);
        for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
            const Apart apart = compare(m, {.precision = precision, .dt = 0.005, .substeps = 2}, 200);
            MESSAGE("counts " << apart.counts << " coordinates " << apart.coordinates);
            CHECK(apart.counts <= 4);
            CHECK(apart.coordinates < (precision == Precision::double_precision ? 1e-4 : 5e-3));
        }
    }
}

TEST_CASE("trees drawn at random stay with softstep")
{
    Random r(7);
    for (int i = 0; i < 12; ++i) {
        const model::Model m = finalized(drawn_tree(r));
        if (const char* only = std::getenv("MECHANE_ONLY"); only && std::atoi(only) != i) continue;
        const Apart apart = compare(m, {.precision = Precision::double_precision, .dt = 0.004, .substeps = 4}, 150);
        CAPTURE(i);
        MESSAGE("counts " << apart.counts << " coordinates " << apart.coordinates);
        CHECK(apart.coordinates < 1e-3);
    }
}
