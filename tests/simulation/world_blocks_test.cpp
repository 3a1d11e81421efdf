#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "mechane/core/hash.h"
#include "mechane/model/builder.h"
#include "mechane/model/world_range.h"
#include "mechane/simulation/engine.h"
#include "mechane/simulation/recording.h"
#include "support/allocations.h"
#include "support/support.h"

// Many small worlds go through a step a few at a time (simulation/world_blocks.h). The oracle is each world alone, and
// one pipeline and one solver over all of them: neither has anything in common with how blocks are cut.

using namespace mechane;
using simulation::Engine;
using simulation::EngineOptions;

namespace {

constexpr double kDt = 1.0 / 120;

/// What differs from walker to walker.
struct Walker {
    double height = 0.5, mass = 1, gain = 8, mu = 0.8;
    double gravity = -9.81;
    bool   slides  = false;  ///< no friction against turning: contacts of four walkers lie in lanes
    bool   crowded = false;  ///< legs in pairs that touch each other
};

/// A trunk on four legs with driven hips and a limit, above a ground of its own.
model::ModelBuilder walker(const Walker& w = {})
{
    model::ModelBuilder b;
    b.rigid_gap        = 0.01;
    b.gravity          = {0, 0, w.gravity};
    b.default_shape.mu = w.mu;
    if (w.slides) b.default_shape.mu_torsional = b.default_shape.mu_rolling = 0;
    b.add_ground_plane();
    model::ShapeConfig shape = b.default_shape;
    const auto trunk = b.add_link({{0, 0, w.height}, {}}, "trunk", w.mass, {}, 0.01 * w.mass * Mat33d::identity());
    shape.density    = 0;
    b.add_shape_sphere(trunk, {}, 0.12, shape, "trunk_shape");
    std::vector<std::int32_t> joints{b.add_joint_free(trunk, "root")};
    for (int k = 0; k < 4; ++k) {
        const double          angle = 0.5 * kPi * k + 0.3 - (w.crowded && k % 2 == 1 ? 1.2 : 0), c = std::cos(angle), s = std::sin(angle);
        const Vec3d           hip{0.12 * c, 0.12 * s, 0};
        const auto            leg = b.add_link({{0.3 * c, 0.3 * s, w.height}, {}}, fmt::format("leg{}", k), 0.2, {},
                                               0.002 * Mat33d::identity());
        model::JointDofConfig d;
        d.axis        = {-s, c, 0};
        d.target_ke   = w.gain;
        d.target_kd   = 0.2;
        d.limit_lower = -0.6;
        d.limit_upper = 0.9;
        d.armature    = 0.005;
        joints.push_back(
            b.add_joint_revolute(trunk, leg, {hip, {}}, {{-0.18 * c, -0.18 * s, 0}, {}}, d, fmt::format("hip{}", k)));
        b.add_shape_capsule(leg, {{0, 0, 0}, from_axis_angle(Vec3d{-s, c, 0}, 0.5 * kPi)}, 0.03, 0.15, shape,
                            fmt::format("leg_shape{}", k));
    }
    b.add_articulation(joints, "walker");
    return b;
}

model::Model finalized(const model::ModelBuilder& b)
{
    Diagnostics told;
    return b.finalize({}, told).expect();
}

/// Worlds with the walkers that `of` names.
template <class Of>
model::ModelBuilder worlds(int count, const Of& of)
{
    model::ModelBuilder all;
    for (int w = 0; w < count; ++w) {
        const model::ModelBuilder one = walker(of(w));
        all.begin_world(one.gravity);
        all.add_builder(one).expect();
        all.end_world();
    }
    return all;
}

/// An engine with its model and state; each world begins with a turn and commands of its own, which its number gives.
struct Run {
    model::Model            model;
    model::State            state;
    model::Control          control;
    Diagnostics             told;
    std::unique_ptr<Engine> engine;

    explicit Run(model::Model m, int first = 0, EngineOptions options = {.dt = kDt, .substeps = 2, .threads = 1})
        : model(std::move(m)), state(model::make_state(model)), control(model::make_control(model))
    {
        const auto worlds = static_cast<int>(model.world_count == 0 ? 1 : model.world_count);
        const auto dofs = model.joint_dof_count() / static_cast<std::size_t>(worlds), coords = dofs + 1;
        for (int w = 0; w < worlds; ++w) {
            const int  number             = first + w;
            const auto at                 = static_cast<std::size_t>(w);
            state.joint_qd[at * dofs + 3] = Real(0.1 * (number % 7));
            for (std::size_t k = 0; k < 4; ++k) {
                state.joint_q[at * coords + 7 + k] = Real(0.05 * ((number + static_cast<int>(k)) % 5));
                control.joint_target_q[at * coords + 7 + k] =
                    Real(0.1 * ((number * 3 + static_cast<int>(k)) % 6) - 0.2);
            }
        }
        engine = Engine::make(model, state, control, std::move(options), told).expect();
        engine->project(told);
        engine->begin(told);
    }
    void steps(int count)
    {
        for (int i = 0; i < count; ++i) {
            const solvers::StepReport report = engine->step();
            REQUIRE(!report.diverged);
        }
    }
    /// Hash of one world's state.
    [[nodiscard]] std::uint64_t world(std::int32_t w) const { return world_hash(state, model, w); }
    static std::uint64_t        world_hash(const model::State& state, const model::Model& model, std::int32_t w)
    {
        model::State one;
        if (model.world_count == 0) return record::chain_hash(0, state);
        model::copy_world_state(state, model::WorldPlaces(model, {w, 1}), one);
        return record::chain_hash(0, one);
    }
};

EngineOptions with_threads(int threads) { return {.dt = kDt, .substeps = 2, .threads = threads}; }

/// The same worlds through one pipeline and one solver.
struct Together {
    model::Model                     model;
    model::State                     state;
    model::Control                   control;
    collision::CollisionPipeline     pipeline;
    collision::PairCache             cache;
    model::Contacts                  contacts;
    std::unique_ptr<solvers::Solver> solver;

    explicit Together(const Run& run)
        : model(run.model),
          state(run.state),
          control(run.control),
          pipeline(model, {}),
          contacts(pipeline.make_contacts())
    {
        Diagnostics told;
        solver = solvers::make_solver("softstep", model, {.substeps = 2}, told).expect();
    }
    solvers::StepReport step()
    {
        pipeline.collide(state, kDt, contacts, &cache);
        return solver->step(state, state, control, &contacts, kDt);
    }
};

const auto alike = [](int) { return Walker{}; };

}  // namespace

TEST_CASE("a world has the same bits alone and among many, for any number of worlds and of threads")
{
    Run alone(finalized(walker()), 5);
    alone.steps(150);
    const std::uint64_t expected = alone.world(0);
    // 8 and 37 fill blocks and leave some over; 7 worlds go through each phase together.
    for (const int count : {7, 8, 37, 600})
        for (const int threads : {1, 2, 8}) {
            CAPTURE(count);
            CAPTURE(threads);
            Run many(finalized(worlds(count, alike)), 0, with_threads(threads));
            many.steps(150);
            CHECK(many.world(5) == expected);
        }
    // Far among 4,096.
    model::ModelBuilder all;
    all.replicate(walker(), 4096).expect();
    Run many(finalized(all), -4000, with_threads(2));
    many.steps(40);
    Run again(finalized(walker()), 5);
    again.steps(40);
    CHECK(many.world(4005) == again.world(0));
}

TEST_CASE("contacts that lie in lanes give each walker the bits that it has alone, whatever the others touch (DYN-132)")
{
    // Each world begins and is commanded in its own way, so that the walkers touch with other links and more or fewer of
    // them; those with an uneven number have friction of their own.
    for (const bool crowded : {false, true})
        for (const int substeps : {1, 3}) {
            CAPTURE(crowded);
            CAPTURE(substeps);
            const auto of = [&](int w) {
                return Walker{.height = 0.5, .mu = w % 2 == 0 ? 0.8 : 0.4, .slides = true, .crowded = crowded};
            };
            constexpr int              kCount = 37, kSteps = 120;
            std::vector<std::uint64_t> alone;
            for (int w = 0; w < kCount; ++w) {
                Run run(finalized(walker(of(w))), w, {.dt = kDt, .substeps = substeps, .threads = 1});
                run.steps(kSteps);
                alone.push_back(run.world(0));
            }
            for (const int threads : {1, 2, 8}) {
                CAPTURE(threads);
                Run many(finalized(worlds(kCount, of)), 0, {.dt = kDt, .substeps = substeps, .threads = threads});
                many.steps(kSteps);
                for (int w = 0; w < kCount; ++w) {
                    CAPTURE(w);
                    CHECK(many.world(w) == alone[static_cast<std::size_t>(w)]);
                }
                const model::Contacts& found = many.engine->contacts();
                std::int32_t           legs  = 0;  // contacts of two links
                for (std::size_t i = 0; i < static_cast<std::size_t>(found.rigid_contact_count); ++i)
                    legs += many.model.shape_body[static_cast<std::size_t>(found.rigid_contact_shape0[i])] >= 0 &&
                                    many.model.shape_body[static_cast<std::size_t>(found.rigid_contact_shape1[i])] >= 0
                                ? 1
                                : 0;
                CHECK((legs > kCount) == crowded);
                CHECK(found.rigid_contact_count > legs + kCount);
            }
        }
}

TEST_CASE("worlds in blocks have the hash, the contacts and the report of one solver over all of them")
{
    for (const int threads : {1, 2, 8}) {
        CAPTURE(threads);
        Run      blocks(finalized(worlds(21, alike)), 0, with_threads(threads));
        Together together(blocks);
        for (int i = 0; i < 120; ++i) {
            const solvers::StepReport a = blocks.engine->step(), b = together.step();
            REQUIRE(record::chain_hash(0, blocks.state) == record::chain_hash(0, together.state));
            CHECK(a.contact_rows == b.contact_rows);
            CHECK(a.limit_rows == b.limit_rows);
            CHECK(a.sweeps == b.sweeps);
            CHECK(a.deepest_penetration == b.deepest_penetration);
        }
        const model::Contacts &mine = blocks.engine->contacts(), &theirs = together.contacts;
        REQUIRE(mine.rigid_contact_count == theirs.rigid_contact_count);
        CHECK(mine.rigid_contact_count > 21);
        CHECK(blocks.engine->contact_count() == mine.rigid_contact_count);
        for (std::size_t i = 0; i < static_cast<std::size_t>(mine.rigid_contact_count); ++i) {
            CHECK(mine.rigid_contact_shape0[i] == theirs.rigid_contact_shape0[i]);
            CHECK(mine.rigid_contact_shape1[i] == theirs.rigid_contact_shape1[i]);
            CHECK(mine.rigid_contact_feature[i] == theirs.rigid_contact_feature[i]);
            CHECK(mine.rigid_contact_force[i] == theirs.rigid_contact_force[i]);
            CHECK(mine.rigid_contact_distance[i] == theirs.rigid_contact_distance[i]);
        }
    }
}

TEST_CASE("a ground that all worlds share is theirs in blocks too")
{
    model::ModelBuilder all;
    all.rigid_gap = 0.01;
    all.add_ground_plane();
    model::ModelBuilder one = walker();
    for (int w = 0; w < 13; ++w) {
        all.begin_world();
        all.add_builder(one).expect();
        all.end_world();
    }
    // Two grounds in one place: contacts with both, in the same order, whoever is beside.
    Run      blocks(finalized(all));
    Together together(blocks);
    for (int i = 0; i < 100; ++i) {
        blocks.steps(1);
        (void)together.step();
        REQUIRE(record::chain_hash(0, blocks.state) == record::chain_hash(0, together.state));
    }
    CHECK(blocks.engine->contacts().rigid_contact_count == together.contacts.rigid_contact_count);
    CHECK(std::is_sorted(
        blocks.engine->contacts().rigid_contact_shape0.begin(),
        blocks.engine->contacts().rigid_contact_shape0.begin() + blocks.engine->contacts().rigid_contact_count));
}

TEST_CASE("worlds that differ in gains, friction, gravity and mass keep the bits that each has alone")
{
    const auto of = [](int w) {
        return Walker{.height  = 0.4 + 0.01 * (w % 5),
                      .mass    = w >= 20 ? 1 + 0.1 * (w % 3) : 1,  // the later worlds are not alike
                      .gain    = 6.0 + w % 4,
                      .mu      = 0.3 + 0.1 * (w % 6),
                      .gravity = w % 3 == 0 ? -9.81 : -3.7};
    };
    Run many(finalized(worlds(30, of)), 0, with_threads(2));
    many.steps(150);
    for (const int w : {0, 1, 7, 19, 20, 22, 29}) {
        CAPTURE(w);
        Run alone(finalized(walker(of(w))), w);
        alone.steps(150);
        CHECK(many.world(w) == alone.world(0));
    }
}

TEST_CASE("a world that is not finite stays behind alone, is named, and goes on when it is set right")
{
    Run good(finalized(worlds(16, alike))), bad(finalized(worlds(16, alike)));
    good.steps(30);
    bad.steps(30);
    const auto at         = static_cast<std::size_t>(bad.model.joint_coord_world_start[11]);
    bad.state.joint_q[at] = std::numeric_limits<Real>::quiet_NaN();
    for (int i = 0; i < 30; ++i) {
        good.steps(1);
        const auto report = bad.engine->step();
        CHECK(!report.diverged);
        CHECK(report.diverged_worlds == std::vector<std::int32_t>{11});
        CHECK(report.culprit.find("is not finite") != std::string::npos);
        CHECK(bad.model.body_world[static_cast<std::size_t>(report.culprit_body)] == 11);
    }
    for (std::int32_t w = 0; w < 16; ++w)
        if (w != 11) CHECK(good.world(w) == bad.world(w));
    std::vector<std::uint8_t> only(16, 0);
    only[11] = 1;
    model::reset_worlds(bad.state, bad.model, only);
    bad.engine->forget_worlds(only);
    CHECK(bad.engine->step().diverged_worlds.empty());
    // Where no world can go on, the step is undone as a whole.
    for (auto& q : bad.state.joint_q) q = std::numeric_limits<Real>::quiet_NaN();
    const auto before = bad.engine->step_count();
    CHECK(bad.engine->step().diverged);
    CHECK(bad.engine->step_count() == before);
}

TEST_CASE("worlds that are reset begin as worlds of a new run do, and the others go on")
{
    Run                run(finalized(worlds(24, alike))), other(finalized(worlds(24, alike)));
    const model::State start = run.state;
    run.steps(50);
    other.steps(50);
    std::vector<std::uint8_t> some(24, 0);
    for (std::size_t w = 0; w < 24; w += 3) some[w] = 1;
    model::copy_worlds(run.state, start, run.model, some);
    run.engine->forget_worlds(some);
    run.steps(40);
    other.steps(40);
    Run fresh(finalized(worlds(24, alike)));
    fresh.steps(40);
    for (std::int32_t w = 0; w < 24; ++w)
        CHECK(run.world(w) == (some[static_cast<std::size_t>(w)] ? fresh : other).world(w));
}

TEST_CASE("a run that goes on from its checkpoint has the hash of one that was not interrupted")
{
    Run whole(finalized(worlds(19, alike))), first(finalized(worlds(19, alike)));
    whole.steps(80);
    first.steps(35);
    const record::Checkpoint point = first.engine->checkpoint();
    Run                      second(finalized(worlds(19, alike)), 0, with_threads(2));
    second.engine->resume(point).expect();
    second.steps(45);
    CHECK(second.engine->hash() == whole.engine->hash());
    record::Checkpoint damaged = point;
    damaged.solver_memory.resize(damaged.solver_memory.size() / 2);
    Run third(finalized(worlds(19, alike)));
    CHECK(!third.engine->resume(damaged));
}

TEST_CASE("a model that is edited while it runs gives the bits of one solver that is told the same")
{
    Run        blocks(finalized(worlds(12, alike)), 0, with_threads(2));
    Together   together(blocks);
    const auto both = [&](int steps) {
        for (int i = 0; i < steps; ++i) {
            blocks.steps(1);
            (void)together.step();
            REQUIRE(record::chain_hash(0, blocks.state) == record::chain_hash(0, together.state));
        }
    };
    both(40);
    const auto gains = [](model::Model& m) {
        m.joint_target_ke[static_cast<std::size_t>(m.joint_dof_world_start[4]) + 7] = 30;
        return model::ModelChanges{.numbers = true};
    };
    blocks.engine->edit(gains).expect();
    gains(together.model);
    together.solver->notify(solvers::change::joint_dof_force_properties | solvers::change::model_properties);
    both(40);
    const auto mass = [](model::Model& m) {
        const auto b = static_cast<std::size_t>(m.body_world_start[7]);
        m.body_mass[b] *= 2;
        m.body_inv_mass[b] /= 2;
        return model::ModelChanges{.inertia = true};
    };
    blocks.engine->edit(mass).expect();
    mass(together.model);
    together.solver->notify(solvers::change::body_inertial_properties);
    both(40);
}

TEST_CASE("a step of many worlds that has warmed up allocates nothing")
{
    Run run(finalized(worlds(32, alike)));
    run.steps(200);
    const std::size_t before = test::allocations();
    run.steps(20);
    CHECK(test::allocations() - before == 0);
}

TEST_CASE("some worlds of a model are a model of their own, and those that are alike are known to be")
{
    const model::Model all =
        finalized(worlds(6, [](int w) { return Walker{.mass = w == 4 ? 2.0 : 1.0, .mu = w == 3 ? 0.2 : 0.8}; }));
    REQUIRE(model::worlds_are_apart(all));
    const model::Model one = finalized(worlds(1, alike)), part = model::model_of_worlds(all, {2, 1});
    CHECK(record::model_hash(part) == record::model_hash(one));
    CHECK(part.body_world_start == one.body_world_start);
    CHECK(part.joint_ancestor == one.joint_ancestor);
    CHECK(part.body_shapes == one.body_shapes);
    CHECK(model::worlds_are_alike(all, {0, 1}, {3, 1}));
    CHECK(!model::world_numbers_are_equal(all, {0, 1}, {3, 1}));
    CHECK(!model::worlds_are_alike(all, {0, 1}, {4, 1}));
    CHECK(model::world_numbers_are_equal(all, {0, 2}, {1, 2}));
    model::ModelBuilder shared = worlds(3, alike);
    shared.add_body({{0, 0, 3}, {}}, "of no world", 1, {}, Mat33d::identity());
    CHECK(!model::worlds_are_apart(finalized(shared)));
}
