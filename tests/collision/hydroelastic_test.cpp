#include "mechane/collision/hydroelastic.h"

#include <algorithm>
#include <map>

#include "field_scene.h"
#include "mechane/collision/reduction.h"

using namespace mechane;
using namespace mechane::test;
using collision::PairStiffness;
using collision::PipelineOptions;

namespace {

PipelineOptions series()
{
    PipelineOptions o;
    o.hydroelastic.pair_stiffness = PairStiffness::series;
    return o;
}

/// Two cubes of half size 0.5, the second above the first by `height`, both carried by X.
model::Model cubes(double height, const model::ShapeConfig& below, const model::ShapeConfig& above, const Posed& X = {},
                   bool swapped = false)
{
    model::ModelBuilder b;
    for (const bool upper : {swapped, !swapped})
        b.add_shape_box(b.add_body(X * Posed{{0, 0, upper ? height : 0}, {}}, upper ? "upper" : "lower"), {},
                        {0.5, 0.5, 0.5}, upper ? above : below);
    return frozen_scene(b);
}

/// A ball of radius 0.5 sunk by `depth` into a block whose upper side is z = 0.
model::Model ball_on_block(double depth, double voxel, double kh, const Posed& X = {}, bool ball_first = true)
{
    model::ModelBuilder b;
    const auto          c = with_pressure(voxel, std::max(6 * voxel, 2 * depth), kh);
    const auto ball = [&] { b.add_shape_sphere(b.add_body(X * Posed{{0, 0, 0.5 - depth}, {}}, "ball"), {}, 0.5, c); };
    if (ball_first) ball();
    b.add_shape_box(b.add_body(X * Posed{{0, 0, -0.25}, {}}, "block"), {}, {0.4, 0.4, 0.25}, c);
    if (!ball_first) ball();
    return frozen_scene(b);
}

}  // namespace

TEST_CASE("two cubes press with area, stiffness in series and overlap; the mean is twice that (COL-124)")
{
    // Y1: 1 m^2 x 5e5 N/m^3 x 0.01 m = 5000 N. The rim, where the nearest side is another one, takes up to 2 %.
    const auto c    = with_pressure(0.0025, 0.016, 1e6);
    const auto m    = cubes(0.99, c, c);
    const auto pair = press(m, series());
    CHECK(pair.force.z == close_to(5000, 0.03));
    CHECK(pair.force.z >= 0.98 * 5000 * 0.97);
    CHECK(dot(normalized(pair.force), Vec3d{0, 0, 1}) > std::cos(1 * kDegrees));
    // Y6: the harmonic mean of equal stiffnesses is the stiffness itself, so twice as much, which is not Y1.
    const auto coarse = with_pressure(0.02, 0.1, 1e6);
    const auto n      = cubes(0.96, coarse, coarse);
    CHECK(press(n).force.z == close_to(2 * press(n, series()).force.z, 1e-6));
    CHECK(!(2 * pair.force.z == close_to(5000, 0.03)));
    // Y2: 1e6 and 3e6 give 7.5e5 N/m^3, and the surface lies 7.5 mm inside of the softer body: z = 0.4925.
    const auto uneven = press(cubes(0.99, c, with_pressure(0.0025, 0.016, 3e6)), series());
    CHECK(uneven.force.z == close_to(7500, 0.03));
    for (std::size_t i = 0; i < static_cast<std::size_t>(uneven.contacts.rigid_contact_count); ++i) {
        const double p0 = static_cast<double>(uneven.contacts.rigid_contact_point0[i].z),
                     p1 = static_cast<double>(uneven.contacts.rigid_contact_point1[i].z) + 0.99;
        const Vec3d  at = static_cast<Vec3d>(uneven.contacts.rigid_contact_point0[i]);
        if (std::max(std::abs(at.x), std::abs(at.y)) < 0.48) CHECK(0.5 * (p0 + p1) == close_to(0.4925, 0.5 * 0.0025));
    }
    // Y4: open by 0.05 within a gap of 0.2: no force, the stiffness of a hundredth of a square metre.
    auto open     = with_pressure(0.02, 0.3, 1e6);
    open.gap      = 0.1;
    const auto y4 = press(cubes(1.05, open, open), series());
    CHECK(y4.closed == 0);
    REQUIRE(y4.open > 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(y4.contacts.rigid_contact_count); ++i)
        CHECK(static_cast<double>(y4.contacts.rigid_contact_stiffness[i]) == close_to(0.01 * 5e5, 1e-6));
    // Y3: a ball 0.01 m deep: k pi d^2 (2 R - d) / 4 = 77.754 N. Y5: wherever the pair stands.
    const auto ball = press(ball_on_block(0.01, 0.0025, 1e6), series());
    CHECK(-ball.force.z == close_to(77.754, 0.03));
    const auto turned =
        press(ball_on_block(0.01, 0.0025, 1e6, {{0.3, -2, 1}, normalized(Quatd{0.3, -0.2, 0.5, 0.7})}), series());
    CHECK(length(turned.force) == close_to(length(ball.force), 0.01));
}

TEST_CASE("by default equal materials keep their stiffness: twice the forces of series, on the same surface (GAP-046)")
{
    // Y1: 1 m^2 x 1e6 N/m^3 x 0.01 m = 10,000 N. Y2: 1e6 and 3e6 make 1.5e6 N/m^3, 15,000 N. Y3: 2 x 77.754 N.
    const auto c = with_pressure(0.005, 0.03, 1e6);
    const struct {
        const char*  name;
        model::Model model;
        double       force;
    } table[] = {{"equal cubes", cubes(0.99, c, c), 10000},
                 {"uneven cubes", cubes(0.99, c, with_pressure(0.005, 0.03, 3e6)), 15000},
                 {"ball on block", ball_on_block(0.01, 0.0025, 1e6), 155.508}};
    for (const auto& row : table) {
        CAPTURE(std::string(row.name));
        const auto mean = press(row.model), in_series = press(row.model, series());
        CHECK(length(mean.force) == close_to(row.force, 0.04));  // voxels, and the rims of the cubes
        CHECK(length(mean.force) == close_to(2 * length(in_series.force), 1e-6));
        REQUIRE(mean.contacts.rigid_contact_count == in_series.contacts.rigid_contact_count);
        for (std::size_t i = 0; i < static_cast<std::size_t>(mean.contacts.rigid_contact_count); ++i)
            CHECK(distance(mean.contacts.rigid_contact_point0[i], in_series.contacts.rigid_contact_point0[i]) < 1e-6);
    }
}

TEST_CASE("pressure contact needs both flags and both fields, else the pair has point contacts (COL-123)")
{
    auto none = with_pressure(0.05, 0.2, 1e6);
    none.sdf->sdf_target_voxel_size.reset();
    none.sdf->sdf_max_resolution.reset();
    const auto soft = with_pressure(0.05, 0.2, 1e6), hard = with_field(0.05, 0.2);
    struct {
        const char*               name;
        const model::ShapeConfig& a;
        const model::ShapeConfig& b;
        bool                      pressure;
    } const table[] = {{"both", soft, soft, true},
                       {"one flag", soft, hard, false},
                       {"no flag", hard, hard, false},
                       {"one without a field", soft, none, false}};
    for (const auto& row : table) {
        CAPTURE(std::string(row.name));
        const auto r = press(cubes(0.98, row.a, row.b));
        CHECK((length(r.force) > 0) == row.pressure);
        if (!row.pressure) CHECK(r.contacts.rigid_contact_count == 4);  // box on box
    }
    const auto m = cubes(0.98, soft, none);
    CHECK(collision::CollisionPipeline(m).diagnostics().count("COL_SDF_MISSING") == 1);
    // A plane has no volume: its flag is cleared when the model is made.
    model::ModelBuilder b;
    b.add_shape_box(b.add_body({{0, 0, 0.49}, {}}, "box"), {}, {0.5, 0.5, 0.5}, soft);
    b.add_ground_plane();
    CHECK(press(frozen_scene(b)).contacts.rigid_contact_count == 4);
}

TEST_CASE("below zero distance faces push, up to the gap they wait, beyond there are none (COL-125)")
{
    auto c             = with_pressure(0.02, 0.3, 1e6);
    c.gap              = 0.05;
    c.sdf->sdf_padding = 0.1;  // the field must reach as far as contacts do
    CHECK(press(cubes(0.98, c, c)).closed > 0);
    const auto waiting = press(cubes(1.08, c, c));
    CHECK(waiting.closed == 0);
    CHECK(waiting.open > 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(waiting.contacts.rigid_contact_count); ++i)
        CHECK(static_cast<double>(waiting.contacts.rigid_contact_distance[i]) == close_to(0.08, 0.25 * 0.02));
    CHECK(press(cubes(1.13, c, c)).contacts.rigid_contact_count == 0);
}

TEST_CASE("without margin and gap the band is the geometric one, and a margin moves it (COL-126)")
{
    const auto bare = with_pressure(0.02, 0.3, 1e6);
    CHECK(press(cubes(0.97, bare, bare)).closed > 0);
    CHECK(press(cubes(1.03, bare, bare)).contacts.rigid_contact_count == 0);
    auto thick             = bare;
    thick.margin           = 0.02;
    thick.sdf->sdf_padding = 0.1;
    const auto r           = press(cubes(1.03, thick, thick), series());
    REQUIRE(r.closed > 0);
    // 1.03 - 1 - 0.04 = -0.01: as two cubes 4 cm larger that overlap by 1 cm, rounded at their edges.
    CHECK(r.force.z == close_to(5000, 0.08));
    for (std::size_t i = 0; i < static_cast<std::size_t>(r.contacts.rigid_contact_count); ++i) {
        CHECK(r.contacts.rigid_contact_margin0[i] == 0);  // the margins are in the distance already
        CHECK(r.contacts.rigid_contact_margin1[i] == 0);
    }
}

TEST_CASE("a law of one's own is asked outside too, and the linear one gives the same bytes (COL-127)")
{
    const auto c = with_pressure(0.02, 0.2, 1e6);
    const auto m = cubes(0.98, c, c);
    auto       o = series();
    struct Seen {
        double farthest = -kInfinity;
        bool   known    = true;
    } seen;
    o.hydroelastic.pressure = {[](double depth, std::int32_t shape, const void* data) {
                                   auto& it    = *static_cast<Seen*>(const_cast<void*>(data));
                                   it.farthest = std::max(it.farthest, depth);
                                   it.known    = it.known && (shape == 0 || shape == 1);
                                   return -1e6 * depth;
                               },
                               &seen};
    const auto plain = press(m, series()), own = press(m, o);
    CHECK(seen.farthest > 0);
    CHECK(seen.known);
    REQUIRE(own.contacts.rigid_contact_count == plain.contacts.rigid_contact_count);
    const auto n = static_cast<std::size_t>(plain.contacts.rigid_contact_count);
    for (std::size_t i = 0; i < n; ++i) {
        CHECK(own.contacts.rigid_contact_stiffness[i] == plain.contacts.rigid_contact_stiffness[i]);
        CHECK(own.contacts.rigid_contact_distance[i] == plain.contacts.rigid_contact_distance[i]);
        CHECK(own.contacts.rigid_contact_point0[i] == plain.contacts.rigid_contact_point0[i]);
        CHECK(own.contacts.rigid_contact_normal[i] == plain.contacts.rigid_contact_normal[i]);
    }
    // A law that stiffens: twice as strong beyond 5 mm of depth each, so more force than the linear one.
    o.hydroelastic.pressure = {[](double depth, std::int32_t, const void*) {
                                   return depth > -0.005 ? -1e6 * depth : 5000 + 2e6 * (-depth - 0.005);
                               },
                               nullptr};
    CHECK(press(m, o).force.z > 1.3 * plain.force.z);
}

TEST_CASE("the chosen contacts push as all faces do, in size and direction (COL-128)")
{
    struct {
        const char*  name;
        model::Model model;
    } const table[] = {
        {"cubes", cubes(0.97, with_pressure(0.02, 0.15, 1e6), with_pressure(0.02, 0.15, 1e6))},
        {"one cube tilted by two degrees",
         [] {
             const auto          c = with_pressure(0.02, 0.15, 1e6);
             model::ModelBuilder b;
             b.add_shape_box(b.add_body({}, "lower"), {}, {0.5, 0.5, 0.5}, c);
             b.add_shape_box(b.add_body({{0.1, 0, 0.98}, turn('y', 2)}, "upper"), {}, {0.5, 0.5, 0.5}, c);
             return frozen_scene(b);
         }()},
        {"ball", ball_on_block(0.04, 0.01, 1e6)},
    };
    for (const auto& row : table) {
        CAPTURE(std::string(row.name));
        PipelineOptions all;
        all.hydroelastic.reduce_contacts = false;
        const auto few = press(row.model), many = press(row.model, all);
        CHECK(few.contacts.rigid_contact_count <= 240);
        CHECK(many.contacts.rigid_contact_count > few.contacts.rigid_contact_count);
        CHECK(dot(normalized(few.force), normalized(many.force)) > std::cos(0.1 * kDegrees));
        CHECK(length(few.force - many.force) <= 0.1 * length(many.force));
        // Without matching the direction is only that of the chosen normals.
        PipelineOptions loose;
        loose.hydroelastic.normal_matching = false;
        CHECK(length(press(row.model, loose).force) == close_to(length(many.force), 0.1));
    }
}

TEST_CASE("an anchor is one more contact in a bin, at its centre of pressure (COL-129, COL-130)")
{
    const auto      m = ball_on_block(0.04, 0.01, 1e6);
    PipelineOptions anchored, moments;
    anchored.hydroelastic.anchor_contact = true;
    moments.hydroelastic.moment_matching = true;
    const auto plain = press(m), with = press(m, anchored), matched = press(m, moments);
    // The key of an anchor has bit 62 set, below it the bin.
    std::map<std::uint64_t, Vec3d> anchors;
    for (std::size_t i = 0; i < static_cast<std::size_t>(with.contacts.rigid_contact_count); ++i)
        if ((with.contacts.rigid_contact_feature[i] >> 62) != 0)
            CHECK(anchors
                      .emplace(with.contacts.rigid_contact_feature[i],
                               static_cast<Vec3d>(with.contacts.rigid_contact_point0[i]))
                      .second);
    CHECK(!anchors.empty());
    CHECK(anchors.size() <= collision::kNormalBins);
    CHECK(with.contacts.rigid_contact_count ==
          plain.contacts.rigid_contact_count + static_cast<std::int32_t>(anchors.size()));
    CHECK(length(with.force - plain.force) < 1e-3 * length(plain.force));
    // The patch is a disc about z, and its normals share a few bins: their anchors balance about the middle.
    Vec3d sum;
    for (const auto& [key, at] : anchors) sum += at;
    CHECK(std::hypot(sum.x, sum.y) / static_cast<double>(anchors.size()) < 0.05);
    // Matching moments brings the anchors too, and a factor for friction of at least 0.01.
    CHECK(matched.contacts.rigid_contact_count == with.contacts.rigid_contact_count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(matched.contacts.rigid_contact_count); ++i)
        if (matched.contacts.rigid_contact_distance[i] < 0)
            CHECK(matched.contacts.rigid_contact_friction[i] >= static_cast<Real>(0.01));
    for (const Real f : plain.contacts.rigid_contact_friction) CHECK(f == 0);
}

TEST_CASE("fractions and clamps out of their range are refused (COL-131)")
{
    struct {
        double fraction, clamp;
        bool   valid;
    } const table[] = {{1, 0.02, true},
                       {0.2, 0, true},
                       {1, 0.5, true},
                       {0, 0.02, false},
                       {-0.5, 0.02, false},
                       {1.01, 0.02, false},
                       {std::nan(""), 0.02, false},
                       {1, -0.01, false},
                       {1, 0.51, false},
                       {1, std::nan(""), false}};
    for (const auto& row : table) {
        CAPTURE(row.fraction);
        CAPTURE(row.clamp);
        PipelineOptions o;
        o.hydroelastic.buffer_fraction   = row.fraction;
        o.hydroelastic.mc_edge_clamp_min = row.clamp;
        CHECK(collision::validate(o).has_value() == row.valid);
    }
}

TEST_CASE("less room changes nothing until a stage says that it overflowed (COL-132)")
{
    const auto      m     = ball_on_block(0.04, 0.01, 1e6);
    const auto      whole = press(m);
    PipelineOptions half, tiny;
    half.hydroelastic.buffer_fraction     = 0.1;
    tiny.hydroelastic.buffer_fraction     = 0.5;
    tiny.hydroelastic.buffer_mult_contact = 0.001;
    const auto same                       = press(m, half);
    CHECK(same.status.ok());
    CHECK(same.contacts.rigid_contact_count == whole.contacts.rigid_contact_count);
    CHECK(same.force == whole.force);
    const auto short_of = press(m, tiny);
    CHECK(!short_of.status.ok());
    CHECK(short_of.status.faces.needed > short_of.status.faces.capacity);
    CHECK(short_of.status.faces.dropped == short_of.status.faces.needed - short_of.status.faces.capacity);
    Diagnostics said;
    collision::report_overflow(short_of.status, said);
    REQUIRE(said.find("COL_OVERFLOW") != nullptr);
    CHECK(said.find("COL_OVERFLOW")->message.find("buffer_fraction") != std::string::npos);
    said.clear();
    collision::report_overflow(whole.status, said);
    CHECK(said.size() == 0);
}

TEST_CASE("the contact surface is there when asked for, one triangle with depth and pair for each face (COL-133)")
{
    const auto m = ball_on_block(0.04, 0.01, 1e6);
    CHECK(press(m).surface.empty());
    PipelineOptions o;
    o.hydroelastic.output_contact_surface = true;
    o.hydroelastic.reduce_contacts        = false;
    const auto r                          = press(m, o);
    REQUIRE(r.surface.size() == static_cast<std::size_t>(r.contacts.rigid_contact_count));
    double area = 0;
    for (const auto& f : r.surface) {
        CHECK(f.shape0 == 0);
        CHECK(f.shape1 == 1);
        area += 0.5 * length(cross(f.points[1] - f.points[0], f.points[2] - f.points[0]));
        Vec3d middle;
        for (const Vec3d& p : f.points) {
            // Equal stiffness: half way between ball and block in depth.
            const double ball = length(p - Vec3d{0, 0, 0.46}) - 0.5, block = p.z;
            CHECK(std::abs(ball - block) < 0.5 * 0.01);
            middle += p / 3.0;
        }
        const double ball = length(middle - Vec3d{0, 0, 0.46}) - 0.5;
        CHECK(std::abs(f.distance - (ball + middle.z)) < 0.5 * 0.01);
    }
    // Sphere and plane of equal depth meet in a paraboloid with focus at the centre: rim at z = 0, where
    // rho^2 = 0.5^2 - 0.46^2; its area exceeds that disc's by little.
    const double disc = kPi * (0.25 - 0.46 * 0.46);
    CHECK(area >= 0.97 * disc);
    CHECK(area <= 1.08 * disc);
}

TEST_CASE("which shape comes first changes the force by less than two per cent (COL-134)")
{
    const auto soft = with_pressure(0.02, 0.15, 1e6), hard = with_pressure(0.025, 0.15, 3e6);
    const auto one = press(cubes(0.97, soft, hard)), two = press(cubes(0.97, soft, hard, {}, true));
    CHECK(length(one.force + two.force) < 0.02 * length(one.force));
    const auto a = press(ball_on_block(0.03, 0.01, 1e6)), b = press(ball_on_block(0.03, 0.01, 1e6, {}, false));
    CHECK(length(a.force - b.force) < 0.02 * length(a.force));  // by kinds, the ball is shape 0 both times
}

TEST_CASE("halving the voxels at least halves the error of a smooth patch")
{
    const double truth  = 1e6 * kPi * 0.04 * 0.04 * (1 - 0.04) / 4;  // as Y3
    double       before = kInfinity;
    for (const double voxel : {0.04, 0.02, 0.01}) {
        const double error = std::abs(-press(ball_on_block(0.04, voxel, 1e6), series()).force.z - truth);
        CHECK(error <= 0.5 * before + 1e-3 * truth);
        before = error;
    }
}
