#include "mechane/simulation/simulate.h"

#include "mechane/model/builder.h"
#include "mechane/run/scene.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

namespace {

model::Model finalized(const model::ModelBuilder& builder)
{
    Diagnostics found;
    auto        model = builder.finalize({}, found);
    REQUIRE(model);
    return *std::move(model);
}

}  // namespace

TEST_CASE("a dropped ball falls as g t^2 / 2, rests on the ground, and its hash does not depend on threads")
{
    model::ModelBuilder builder;
    const auto          body = builder.add_body({{0, 0, 2}, {}}, "/ball");
    builder.add_shape_sphere(body, {}, 0.5, {}, "/ball/s");
    builder.add_ground_plane(0);
    const auto  model = finalized(builder);
    Diagnostics found;
    const auto  run = run::simulate(model, {.dt = 0.01, .frames = 300, .threads = 1}, found);
    REQUIRE(run);
    const auto& frames = run->recording.frames;
    REQUIRE(frames.size() == 301);
    // Symplectic Euler with h = dt/8 falls g t h / 2 further than the parabola: 9.81 * 0.5 * 0.00125 / 2 = 3 mm at 0.5
    // s.
    CHECK(static_cast<double>(frames[50].body_q[0].p.z) == close_to(2 - 0.5 * 9.81 * 0.25, 4e-3));
    CHECK(static_cast<double>(frames[300].body_q[0].p.z) == close_to(0.5, 1e-3));
    CHECK(run->recording.report.final_penetration < 1e-3);
    for (const int threads : {2, 5}) {
        const auto again = run::simulate(model, {.dt = 0.01, .frames = 300, .threads = threads}, found);
        REQUIRE(again);
        CHECK(again->recording.hash == run->recording.hash);
    }
}

TEST_CASE("a run that keeps no frames tells all of them and holds the first and the last")
{
    model::ModelBuilder builder;
    builder.add_shape_sphere(builder.add_body({{0, 0, 2}, {}}, "/ball"), {}, 0.5, {}, "/ball/s");
    const auto  model = finalized(builder);
    Diagnostics found;
    const auto  all = run::simulate(model, {.dt = 0.01, .frames = 30, .every = 4, .threads = 1}, found);
    REQUIRE(all);
    std::vector<double>  told;
    run::SimulateOptions options{.dt = 0.01, .frames = 30, .every = 4, .threads = 1};
    options.keep_frames = false;
    options.on_frame    = [&](const record::Frame& frame) { told.push_back(frame.t); };
    // It takes no memory however long it is, so the bound does not count.
    options.most_frame_bytes = 0;
    const auto run           = run::simulate(model, options, found);
    REQUIRE(run);
    const auto& frames = run->recording.frames;
    REQUIRE(all->recording.frames.size() == 9);  // 0, 4, ... 28 and 30
    REQUIRE(told.size() == 9);
    for (std::size_t i = 0; i < told.size(); ++i) CHECK(told[i] == all->recording.frames[i].t);
    REQUIRE(frames.size() == 2);
    CHECK(frames.front().t == 0);
    CHECK(frames.back().t == all->recording.frames.back().t);
    CHECK(frames.back().body_q[0].p.z == all->recording.frames.back().body_q[0].p.z);
    CHECK(run->recording.hash == all->recording.hash);
}

TEST_CASE("a run whose frames would take more memory than it may use is refused before its first step")
{
    model::ModelBuilder builder;
    builder.add_shape_sphere(builder.add_body({{0, 0, 2}, {}}, "/ball"), {}, 0.5, {}, "/ball/s");
    const auto           model = finalized(builder);
    Diagnostics          found;
    bool                 began = false;
    run::SimulateOptions options{.dt = 0.01, .frames = 1'000'000'000'000, .threads = 1};
    options.on_frame = [&](const record::Frame&) { began = true; };
    const auto run   = run::simulate(model, options, found);
    REQUIRE(!run);
    CHECK(run.error().id == "RUN_ARGUMENT");
    CHECK(run.error().message.find("1000000000002 frames") != std::string::npos);
    CHECK_FALSE(began);
    // Fewer frames of the same run fit.
    options.frames = 1000;
    CHECK(run::simulate(model, options, found));
}

TEST_CASE("particles that start inside of a shape are told, and those that touch it are not")
{
    // Cells of 0.1 m, radius 0.02 m: at a height of 0.02 m the lowest particles touch the ground.
    const struct {
        double height;
        int    told;
    } table[] = {{0, 1}, {0.01, 1}, {0.019, 0}, {0.02, 0}, {0.3, 0}};
    for (const auto& row : table)
        for (const bool body : {false, true}) {
            CAPTURE(row.height);
            CAPTURE(body);
            model::ModelBuilder b;
            if (body)
                b.add_shape_box(b.add_body({{0, 0, -0.5}, {}}, "/table"), {}, {2, 2, 0.5}, {}, "/table/top");
            else
                b.add_ground_plane(0);
            b.add_soft_grid({{0, 0, row.height}, {}}, {}, {1, 1, 1}, {0.1, 0.1, 0.1}, {},
                            {.density = 1000, .particle_radius = 0.02});
            const auto  model = finalized(b);
            Diagnostics found;
            REQUIRE(run::simulate(model, {.dt = 0.001, .frames = 1, .threads = 1}, found));
            CHECK(found.count("RUN_PARTICLE_OVERLAP") == row.told);
            if (row.told == 0) continue;
            const auto said = std::ranges::find(found, "RUN_PARTICLE_OVERLAP", &Diagnostic::id);
            CHECK(said->message.starts_with("4 particles"));
        }
}

TEST_CASE("parts of one mechanism keep the overlap they start with, and free bodies are pushed apart")
{
    for (const bool jointed : {true, false}) {
        CAPTURE(jointed);
        model::ModelBuilder builder;
        builder.gravity = {};
        std::vector<std::int32_t> bodies;
        for (int i = 0; i < 3;
             ++i) {  // three balls in a row, each 0.1 m into the next but one: the middle one has no shape
            const auto body = jointed ? builder.add_link({{0.45 * i, 0, 0}, {}}, "/b" + std::to_string(i))
                                      : builder.add_body({{0.45 * i, 0, 0}, {}}, "/b" + std::to_string(i));
            if (i != 1)
                builder.add_shape_sphere(body, {}, 0.5, {}, "/s" + std::to_string(i));
            else
                builder.bodies[static_cast<std::size_t>(body)].mass    = 1,
                builder.bodies[static_cast<std::size_t>(body)].inertia = Mat33d::identity();
            bodies.push_back(body);
        }
        if (jointed) {
            const auto root = builder.add_joint_free(bodies[0], "/root");
            const auto a    = builder.add_joint_prismatic(bodies[0], bodies[1], {{0.45, 0, 0}, {}}, {}, {}, "/j1");
            const auto b    = builder.add_joint_prismatic(bodies[1], bodies[2], {{0.45, 0, 0}, {}}, {}, {}, "/j2");
            builder.add_articulation({root, a, b}, "/r");
        }
        const auto  model = finalized(builder);
        Diagnostics found;
        const auto  run = run::simulate(model, {.frames = 60, .threads = 1}, found);
        REQUIRE(run);
        const auto& report = run->recording.report;
        CHECK(report.start_overlap == close_to(0.1, 1e-6));  // 1 m of diameters, 0.9 m apart
        CHECK(found.count("RUN_OVERLAP_KEPT") == (jointed ? 1 : 0));
        if (jointed)
            CHECK(report.final_overlap == close_to(0.1, 1e-5));
        else
            CHECK(report.final_overlap < 0.01);
    }
}

TEST_CASE("options that make no sense are refused")
{
    model::ModelBuilder builder;
    builder.add_body({}, "/b", 1, {}, Mat33d::identity());
    const auto  model = finalized(builder);
    Diagnostics found;
    CHECK(run::simulate(model, {.dt = 0}, found).error().id == "RUN_ARGUMENT");
    CHECK(run::simulate(model, {.frames = -1}, found).error().id == "RUN_ARGUMENT");
    CHECK(run::simulate(model, {.every = 0}, found).error().id == "RUN_ARGUMENT");
    CHECK(run::simulate(model, {.substeps = 0}, found).error().id == "RUN_ARGUMENT");
    CHECK(run::simulate(model, {.solver = "magic"}, found).error().id == "SOLVER_UNKNOWN");
    CHECK(run::simulate(model, {.set = {"/gone.target=1"}}, found).error().id == "RUN_SET_UNKNOWN");
    CHECK(run::simulate(model, {.control = "x", .control_name = "bad.csv"}, found).error().id == "RUN_CONTROL_FILE");
    const auto stopped = run::simulate(
        model, {.frames = 100, .progress = [](std::int64_t done, std::int64_t) { return done < 7; }}, found);
    REQUIRE(stopped);
    CHECK(stopped->interrupted);
    CHECK(stopped->recording.steps == 7);
}

TEST_CASE("the ground lies just below the lowest collider, where joints have put it")
{
    model::ModelBuilder builder;
    const auto          a = builder.add_body({{0, 0, 3}, {}}, "/a");
    builder.add_shape_capsule(a, {{}, from_axis_angle(Vec3d{1, 0, 0}, kPi / 2)}, 0.2, 1.0, {},
                              "/a/s");                        // lying: its lowest point is the radius below
    const auto b = builder.add_link({{0, 0, -9}, {}}, "/b");  // authored far below, held at z = 1 by its joint
    builder.add_shape_sphere(b, {}, 0.5, {}, "/b/s");
    const auto j = builder.add_joint_fixed(-1, b, {{0, 0, 1}, {}}, {}, "/j");
    builder.add_articulation({j}, "/r");
    const auto lowest = run::lowest_collider(finalized(builder));
    REQUIRE(lowest);
    CHECK(*lowest == close_to(0.5, 1e-6));
}

TEST_CASE("the lowest point of a barrel is that of its bulge, however it lies")
{
    for (const double angle : {0.0, 0.1, 0.3, 0.5, 1.0, kPi / 2}) {
        CAPTURE(angle);
        constexpr double    kRadius = 0.3, kHalf = 0.4, kArc = 0.8;
        model::ModelBuilder builder;
        const auto          a = builder.add_body({{0, 0, 2}, {}}, "/a");
        builder.add_shape_cylinder(a, {{}, from_axis_angle(Vec3d{1, 0, 0}, kPi / 2 + angle)}, kRadius, kHalf, {},
                                   "/a/s");
        builder.shapes.back().scale.z = kArc;
        // The outline (radius over height) turned, point by point.
        double low = 0;
        for (int i = -2000; i <= 2000; ++i) {
            const double z = kHalf * i / 2000.0;
            const double r = kRadius + std::sqrt(kArc * kArc - z * z) - std::sqrt(kArc * kArc - kHalf * kHalf);
            low            = std::min(low, -std::cos(angle) * r - std::sin(angle) * std::abs(z));
        }
        const auto lowest = run::lowest_collider(finalized(builder));
        REQUIRE(lowest);
        CHECK(*lowest == close_to(2 + low, 1e-5));
    }
}
