#include <algorithm>
#include <cmath>
#include <string>

#include "hand_contacts.h"

using namespace mechane;
using namespace mechane::test;

// Islands of many free bodies are solved eight pairs at a time, in other arithmetic than small ones.

namespace {

constexpr double kDt     = 1.0 / 60;
constexpr int    kCopies = 100;  ///< more than 512 rows with the ties

/// What one body does on a plane.
struct Experiment {
    std::string name;
    Vec3d       normal{0, 0, 1};
    double      mu = 0.5, restitution = 0;
    bool        ball   = false;
    double      height = 0.1;  ///< of the centre above the plane
    Vec3d       velocity, spin;
    int         steps     = 60;
    Vec3d       belt      = {};  ///< surface velocity of the plane
    double      torsional = 0.005, rolling = 1e-4;
    double      sticking = 0;  ///< static friction, where it is more
};

const Vec3d      kHalf{0.2, 0.2, 0.1};
constexpr double kRadius = 0.1;

/// `copies` bodies, a metre apart across the slope. Each contact lies in the plane's point below; ties between
/// neighbours, much too far to push, make one island of them.
struct Row {
    Experiment   of;
    World        world;
    HandContacts hand;
    int          copies;

    static model::ModelBuilder build(const Experiment& e, int copies)
    {
        auto b                              = ground(e.mu, e.restitution);
        b.default_shape.mu_torsional        = e.torsional;
        b.default_shape.mu_rolling          = e.rolling;
        b.shapes[0].config.mu_torsional     = e.torsional;
        b.shapes[0].config.mu_rolling       = e.rolling;
        b.shapes[0].config.surface_velocity = {e.belt, {}};
        if (e.sticking > 0) b.default_shape.mu_static = b.shapes[0].config.mu_static = e.sticking;
        for (int i = 0; i < copies; ++i) {
            const Vec3d at = e.height * e.normal + Vec3d{0, static_cast<double>(i), 0};
            if (e.ball)
                add_ball(b, at, kRadius, 1);
            else
                add_box(b, {at, rotation_between(Vec3d{0, 0, 1}, e.normal)}, kHalf, 1);
        }
        return b;
    }
    Row(const Experiment& e, int count) : of(e), world(build(e, count)), copies(count)
    {
        for (int i = 0; i < copies; ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                world.state.joint_qd[static_cast<std::size_t>(6 * i) + k]     = static_cast<Real>(e.velocity[k]);
                world.state.joint_qd[static_cast<std::size_t>(6 * i) + 3 + k] = static_cast<Real>(e.spin[k]);
            }
    }
    void run()
    {
        for (int s = 0; s < of.steps; ++s) {
            hand.clear();
            for (int i = 1; i <= copies; ++i)
                if (of.ball)
                    hand.sphere_plane(world, 0, i, kRadius, of.normal);
                else
                    hand.box_plane(world, 0, i, kHalf, of.normal);
            for (int i = 1; i < copies; ++i) hand.add(i, i + 1, {}, {}, {0, 1, 0}, 0, 0, 0.8, 0);
            world.step(kDt, &hand.contacts);
            REQUIRE_FALSE(world.report.diverged);
        }
    }
};

}  // namespace

TEST_CASE("a body in a pile does what it does alone: rest, slip, bounce, roll, turn and ride a belt (DYN-087, DYN-088)")
{
    const Vec3d slope{-std::sin(28 * kDegrees), 0, std::cos(28 * kDegrees)},
        gentle{-std::sin(25 * kDegrees), 0, std::cos(25 * kDegrees)};
    std::vector<Experiment> table(10);
    table[0] = {.name = "rests"};
    table[1] = {.name = "falls", .height = 0.3};
    table[2] = {.name = "slips", .normal = slope};
    table[3] = {.name = "sticks", .normal = gentle};
    table[4] = {.name = "slides and stops", .velocity = {2, 0, 0}};
    table[5] = {.name = "bounces", .restitution = 0.5, .ball = true, .height = 1.1};
    table[6] = {.name = "rolls", .ball = true, .velocity = {1, 0, 0}, .spin = {0, 10, 0}, .rolling = 1e-3};
    table[7] = {.name = "turns", .ball = true, .spin = {0, 0, 5}};
    table[8] = {.name = "rides", .belt = {0.5, 0, 0}};
    table[9] = {.name = "slides on what would hold it", .velocity = {2, 0, 0}, .sticking = 0.9};
    for (const Experiment& e : table) {
        CAPTURE(e.name);
        Row one(e, 1), many(e, kCopies);
        one.run();
        many.run();
        CHECK(many.hand.contacts.rigid_contact_count > 171);
        for (std::size_t i = 0; i < kCopies; ++i) {
            const Vec3d offset{0, static_cast<double>(i), 0};
            // Real has 6e-8 of a coordinate of 100 m and of a speed of 5 m/s, a few hundred times over.
            CHECK(distance(many.world.position(i) - offset, one.world.position(0)) < 2e-4);
            CHECK(distance(many.world.velocity(i), one.world.velocity(0)) < 5e-4);
            CHECK(distance(many.world.spin(i), one.world.spin(0)) < 5e-3);
        }
    }
}

TEST_CASE("pieces of other shapes that are solved at once do not hold each other: what falls falls freely (DYN-079)")
{
    // Rods on their two ends and balls of one contact, in one pile. No island of them is large.
    auto b = ground(0.5);
    for (int i = 0; i < kCopies; ++i) {
        const Vec3d at{0, static_cast<double>(i), 0};
        if (i % 2 == 0)
            add_box(b, {at + Vec3d{0, 0, 0.1}, {}}, kHalf, 1);
        else
            add_ball(b, at + Vec3d{0, 0, 0.3}, kRadius, 1);
    }
    World         w(b);
    HandContacts  hand;
    constexpr int kSteps = 11, kSubsteps = 8;
    for (int s = 0; s < kSteps; ++s) {
        hand.clear();
        for (int i = 0; i < kCopies; ++i) {
            const Posed X = static_cast<Posed>(w.state.body_q[static_cast<std::size_t>(i)]);
            if (i % 2 != 0) {
                hand.sphere_plane(w, 0, i + 1, kRadius);
                continue;
            }
            for (const std::uint64_t end : {0, 1}) {
                const Vec3d p = X * Vec3d{end == 0 ? -kHalf.x : kHalf.x, 0, -kHalf.z};
                hand.add(0, i + 1, {p.x, p.y, 0}, {end == 0 ? -kHalf.x : kHalf.x, 0, -kHalf.z}, {0, 0, 1}, 0, 0, p.z,
                         end);
            }
        }
        w.step(kDt, &hand.contacts);
        REQUIRE_FALSE(w.report.diverged);
    }
    CHECK(hand.contacts.rigid_contact_count == kCopies / 2 * 3);
    const double h = kDt / kSubsteps, n = kSteps * kSubsteps;
    for (std::size_t i = 0; i < kCopies; ++i) {
        // Symplectic Euler falls by g h^2 n (n + 1) / 2; Real has 3e-8 of 0.3 m, a hundred times.
        const double height = i % 2 == 0 ? 0.1 : 0.3 - 9.81 * h * h * n * (n + 1) / 2;
        CHECK(w.position(i).z == close_to(height, i % 2 == 0 ? 1e-4 : 3e-6));
    }
}

namespace {

/// Blocks and balls in a lattice of `side` cubed, a centimetre apart, no two equal.
model::ModelBuilder crowd(const Vec3d& gravity, int side = 5)
{
    model::ModelBuilder b;
    b.gravity   = gravity;
    b.rigid_gap = 0.02;
    Random r(3);
    for (int i = 0; i < side * side * side; ++i) {
        const Vec3d at{0.41 * (i % side), 0.41 * (i / side % side), 0.3 + 0.41 * (i / (side * side))};
        const auto  body = b.add_body({at, {}}, fmt::format("piece{}", i));
        if (i % 3 == 0)
            b.add_shape_sphere(body, {}, 0.2, {});
        else
            b.add_shape_box(body, {}, {0.2, 0.2, r.uniform(0.15, 0.2)}, {});
    }
    return b;
}

struct Crowd : World {
    collision::CollisionPipeline pipeline;
    model::Contacts              contacts;
    explicit Crowd(const model::ModelBuilder& b, const tasks::Pool* pool = nullptr)
        : World(b, 8, pool), pipeline(model), contacts(pipeline.make_contacts())
    {
    }
    void advance(int steps)
    {
        for (int i = 0; i < steps; ++i) {
            pipeline.collide(state, kDt, contacts);
            step(kDt, &contacts);
            REQUIRE_FALSE(report.diverged);
        }
    }
};

}  // namespace

TEST_CASE("no two pairs that are solved at once share a body: what pieces give each other sums to nothing (DYN-100)")
{
    Crowd  w(crowd({}));
    Random r(8);
    Vec3d  before;
    double amount = 0;
    for (std::size_t i = 0; i < 125; ++i) {
        // Towards the middle, so that they meet.
        const Vec3d  v = Vec3d{0.82, 0.82, 1.12} - w.position(i) + 0.5 * r.direction();
        const double m = static_cast<double>(w.model.body_mass[i]);
        for (std::size_t k = 0; k < 3; ++k) w.state.joint_qd[6 * i + k] = static_cast<Real>(v[k]);
        before += m * v;
        amount += m * length(v);
    }
    REQUIRE(dynamics::eval_fk(w.model, w.state.joint_q, w.state.joint_qd, w.state));
    int most = 0;
    for (int i = 0; i < 30; ++i) {
        w.advance(1);
        most = std::max(most, static_cast<int>(w.contacts.rigid_contact_count));
    }
    CHECK(most > 171);
    Vec3d after;
    for (std::size_t i = 0; i < 125; ++i) after += static_cast<double>(w.model.body_mass[i]) * w.velocity(i);
    // Two lanes that wrote to one body would lose the impulse of one. Equal and opposite impulses are rounded to 6e-8
    // of a velocity each, some 2e4 of them.
    CHECK(length(after - before) < 1e-4 * amount);
}

TEST_CASE("pieces that rebound from each other have no more energy than before, in no step (DYN-087)")
{
    auto b = crowd({});
    for (auto& shape : b.shapes) shape.config.restitution = 0.6;
    Crowd        w(b);
    Random       r(8);
    const double speed = 4;
    for (std::size_t i = 0; i < 125; ++i) {
        const Vec3d v = speed * (normalized(Vec3d{0.82, 0.82, 1.12} - w.position(i)) + 0.5 * r.direction());
        for (std::size_t k = 0; k < 3; ++k) w.state.joint_qd[6 * i + k] = static_cast<Real>(v[k]);
    }
    REQUIRE(dynamics::eval_fk(w.model, w.state.joint_q, w.state.joint_qd, w.state));
    const double start = dynamics::energy(w.model, w.state).kinetic;
    double       last  = start;
    int          most  = 0;
    for (int i = 0; i < 60; ++i) {
        w.advance(1);
        most             = std::max(most, static_cast<int>(w.contacts.rigid_contact_count));
        const double now = dynamics::energy(w.model, w.state).kinetic;
        CHECK(now <= last + 0.01 * start);
        last = now;
    }
    CHECK(most > 171);
}

TEST_CASE("what a pile presses the ground with is its weight, and threads change no bit of it (DYN-104)")
{
    auto b = crowd({0, 0, -9.81});
    b.add_ground_plane();
    Crowd w(b);
    w.advance(240);
    double force = 0, weight = 0, fastest = 0;
    for (std::int32_t i = 0; i < w.contacts.rigid_contact_count; ++i) {
        const auto a = w.model.shape_body[w.contacts.rigid_contact_shape0[i]],
                   c = w.model.shape_body[w.contacts.rigid_contact_shape1[i]];
        const auto f = static_cast<double>(w.contacts.rigid_contact_force[i].z);
        if (a < 0 || c < 0) force += a < 0 ? f : -f;
    }
    for (std::size_t i = 0; i < 125; ++i) {
        weight += 9.81 * static_cast<double>(w.model.body_mass[i]);
        fastest = std::max(fastest, length(w.velocity(i)));
    }
    CHECK(w.contacts.rigid_contact_count > 171);
    CHECK(force == close_to(weight, 0.005 * weight));
    CHECK(w.report.deepest_penetration < 2e-3);
    const tasks::Pool pool(4);
    Crowd             again(b, &pool);
    again.advance(240);
    CHECK(again.state.body_q == w.state.body_q);
    CHECK(again.state.body_qd == w.state.body_qd);
}

TEST_CASE(
    "threads share a pile that is large enough, or the piles of a world, and change no bit of them (DYN-104, DYN-131)")
{
    // 2,100 pairs in some seven colours: each has more bundles than one thread takes at a time.
    auto one_pile = crowd({0, 0, -9.81}, 9);
    one_pile.add_ground_plane();
    // 144 stacks of three boxes, 39 rows and bodies each: two piles of one size, which two threads take one each of.
    auto two_piles = ground(0.5);
    for (int i = 0; i < 3 * 144; ++i)
        add_box(two_piles, {{1.0 * (i % 12), 1.0 * (i / 12 % 12), 0.1 + 0.2005 * (i / 144)}, {}}, {0.1, 0.1, 0.1}, 1);
    for (const auto& [b, contacts] : {std::pair{one_pile, 2000}, std::pair{two_piles, 4 * 3 * 144 - 1}}) {
        CAPTURE(contacts);
        Crowd one(b);
        one.advance(20);
        CHECK(one.contacts.rigid_contact_count > contacts);
        for (const int threads : {2, 4}) {
            CAPTURE(threads);
            const tasks::Pool pool(threads);
            Crowd             many(b, &pool);
            many.advance(20);
            CHECK(many.state.body_q == one.state.body_q);
            CHECK(many.state.body_qd == one.state.body_qd);
            for (std::int32_t i = 0; i < one.contacts.rigid_contact_count; ++i)
                REQUIRE(many.contacts.rigid_contact_force[i] == one.contacts.rigid_contact_force[i]);
        }
    }
}

TEST_CASE("a pile falls asleep on a floor and not on a belt (DYN-110)")
{
    for (const bool belt : {false, true}) {
        CAPTURE(belt);
        auto b      = ground(0.5);
        b.rigid_gap = 0.02;
        if (belt) b.shapes[0].config.surface_velocity = {{0.02, 0, 0}, {}};  // slower than what sleeps
        for (int i = 0; i < 64; ++i) {
            const auto body = b.add_body({{0.4 * (i % 8), 0.4 * (i / 8), 0.1}, {}}, fmt::format("tile{}", i));
            b.add_shape_box(body, {}, {0.195, 0.195, 0.1}, {});  // a centimetre apart: one island
        }
        Crowd w(b);
        auto  made = solvers::make_solver("softstep", w.model, {.sleeping = true}, w.notices);
        REQUIRE(made);
        w.solver = std::move(*made);
        w.advance(1);
        CHECK(w.contacts.rigid_contact_count > 171);
        w.advance(90);
        CHECK(w.report.sleeping_bodies == (belt ? 0 : 64));
    }
}

TEST_CASE("heaps that are solved together sleep and wake apart (DYN-126, DYN-127)")
{
    auto b      = ground(0.5);
    b.rigid_gap = 0.02;
    for (int i = 0; i < 128; ++i) {
        // Two fields of tiles that nearly touch, far from each other.
        const auto body =
            b.add_body({{0.4 * (i % 8) + (i < 64 ? 0 : 20), 0.4 * (i / 8 % 8), 0.1}, {}}, fmt::format("tile{}", i));
        b.add_shape_box(body, {}, {0.195, 0.195, 0.1}, {});
    }
    add_ball(b, {0, 10, 0.1}, 0.1, 1);
    Crowd w(b);
    auto  made = solvers::make_solver("softstep", w.model, {.sleeping = true}, w.notices);
    REQUIRE(made);
    w.solver                      = std::move(*made);
    w.state.joint_qd[6 * 128]     = 1;  // rolls on for longer than this
    w.state.joint_qd[6 * 128 + 4] = 10;
    w.advance(90);
    CHECK(w.report.sleeping_bodies == 128);
    for (std::size_t k = 0; k < 6 * 128; ++k) REQUIRE(w.state.joint_qd[k] == 0);
    const auto resting       = w.state.body_q;
    w.state.joint_qd[6 * 10] = 0.5;
    w.advance(1);
    CHECK(w.report.sleeping_bodies >= 64);
    CHECK(w.report.sleeping_bodies < 128);
    CHECK(std::equal(resting.begin() + 64, resting.begin() + 128, w.state.body_q.begin() + 64));
    CHECK_FALSE(std::equal(resting.begin(), resting.begin() + 64, w.state.body_q.begin()));
}

TEST_CASE("what a world's pile does depends on no other world: copies have the bits of one alone (DYN-130)")
{
    auto one = crowd({0, 0, -9.81}, 4);
    one.add_ground_plane();
    model::ModelBuilder three;
    three.rigid_gap = one.rigid_gap;
    REQUIRE(three.replicate(one, 3));
    Crowd alone(one), copies(three);
    alone.advance(60);
    copies.advance(60);
    CHECK(alone.contacts.rigid_contact_count > 171);
    for (std::size_t i = 0; i < copies.state.body_q.size(); ++i) {
        CHECK(copies.state.body_q[i] == alone.state.body_q[i % 64]);
        CHECK(copies.state.body_qd[i] == alone.state.body_qd[i % 64]);
    }
}

namespace {

/// Cubes of 1 kg and 0.2 m at one and the same point.
model::ModelBuilder heap_at_one_point(int count)
{
    model::ModelBuilder b;
    b.gravity = {};
    for (int i = 0; i < count; ++i) add_box(b, {{0, 0, 1}, {}}, {0.1, 0.1, 0.1}, 1);
    return b;
}

/// What a step of such a heap worked on: sweeps, and contacts that were rows of them.
struct Work {
    std::int64_t sweeps = 0;
    int          rows   = 0;
};
Work work_of_step(int count)
{
    World                        w(heap_at_one_point(count));
    collision::CollisionPipeline pipeline(w.model);
    model::Contacts              contacts = pipeline.make_contacts();
    pipeline.collide(w.state, kDt, contacts);
    w.step(kDt, &contacts);
    return {w.report.sweeps, w.report.contact_rows};
}

}  // namespace

TEST_CASE(
    "bodies at one point are pushed apart and gain no speed by it, with the same bits on two threads (DYN-078, "
    "DYN-131)")
{
    // Each of 40 is in contact with 39 others, and of 80 with 79: more than the 64 colours a body chooses from at a
    // time.
    const tasks::Pool pool(2);
    for (const int count : {40, 80}) {
        CAPTURE(count);
        World                        w(heap_at_one_point(count)), threaded(heap_at_one_point(count), 8, &pool);
        collision::CollisionPipeline pipeline(w.model);
        model::Contacts              contacts = pipeline.make_contacts(), same = pipeline.make_contacts();
        double                       first = 0;
        for (int i = 0; i < 30; ++i) {
            pipeline.collide(w.state, kDt, contacts);
            w.step(kDt, &contacts);
            pipeline.collide(threaded.state, kDt, same);
            threaded.step(kDt, &same);
            if (i == 0) first = w.report.deepest_penetration;
            // Nothing but contacts acts, which may do no work. A sweep ends when no row changes by 1e-3 m/s.
            CHECK(dynamics::energy(w.model, w.state).kinetic <= 0.5 * count * 1e-6);
            REQUIRE(threaded.state.body_q == w.state.body_q);
            REQUIRE(threaded.state.body_qd == w.state.body_qd);
        }
        CHECK(w.report.deepest_penetration < 0.5 * first);
    }
}

TEST_CASE("a step of bodies at one point sweeps over rows in proportion to its pairs (DYN-100)")
{
    const Work small = work_of_step(100), large = work_of_step(200);
    // 19,900 pairs against 4,950.
    CHECK(large.rows * 4950.0 == close_to(small.rows * 19900.0, 0.02 * small.rows * 19900));
    CHECK(large.sweeps <= 1.5 * static_cast<double>(small.sweeps));
}
