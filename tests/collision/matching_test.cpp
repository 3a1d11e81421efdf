#include <algorithm>

#include "mechane/collision/pipeline.h"
#include "mechane/model/builder.h"
#include "models.h"
#include "shapes.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::collision;

namespace {

/// A box of half size 0.5, one centimetre into the ground, and a ball beside it.
struct Stage {
    model::Model      model;
    model::State      state;
    CollisionPipeline pipeline;
    model::Contacts   contacts;

    explicit Stage(PipelineOptions options) : Stage(options, made()) {}
    Stage(PipelineOptions options, model::Model m)
        : model(std::move(m)),
          state(model::make_state(model)),
          pipeline(model, options),
          contacts(pipeline.make_contacts())
    {
    }
    static model::Model made()
    {
        model::ModelBuilder b;
        b.rigid_gap = 0.05;
        b.add_ground_plane();
        b.add_shape_box(b.add_body({{0, 0, 0.49}, {}}, "box"), {}, {0.5, 0.5, 0.5}, b.default_shape);
        b.add_shape_sphere(b.add_body({{3, 0, 0.49}, {}}, "ball"), {}, 0.5, b.default_shape);
        return frozen(b);
    }
    std::vector<std::int32_t> step()
    {
        pipeline.collide(state, 0, contacts);
        if (contacts.rigid_contact_match_index.empty()) return {};
        return {contacts.rigid_contact_match_index.begin(),
                contacts.rigid_contact_match_index.begin() + contacts.rigid_contact_count};
    }
};

const PipelineOptions kLatest{.contact_matching = ContactMatching::latest, .contact_report = true};

}  // namespace

TEST_CASE("what stands still goes on row by row; the first call knows nothing (COL-069, COL-071)")
{
    Stage s(kLatest);
    CHECK(s.step() == std::vector<std::int32_t>(5, -1));
    CHECK(s.contacts.rigid_contact_match_generation == -1);
    CHECK(s.contacts.rigid_contact_new_indices.size() == 5);
    CHECK(s.step() == std::vector<std::int32_t>{0, 1, 2, 3, 4});
    CHECK(s.contacts.rigid_contact_match_generation == 1);
    CHECK(s.contacts.rigid_contact_new_indices.empty());
    CHECK(s.contacts.rigid_contact_broken_indices.empty());
    model::Contacts other = s.pipeline.make_contacts();  // the rows are known, but they lie in another buffer
    s.pipeline.collide(s.state, 0, other);
    CHECK(other.rigid_contact_match_generation == -1);
    CHECK(other.rigid_contact_match_index[3] == 3);
}

TEST_CASE("a row goes on up to the thresholds of distance and direction (COL-070)")
{
    for (const double part : {0.9, 1.1}) {
        CAPTURE(part);
        Stage s(kLatest);
        s.step();
        s.state.body_q[1].p.x += static_cast<Real>(5e-4 * part);
        CHECK(s.step()[4] == (part < 1 ? 4 : -2));  // the ball rolled on: half the motion of the witness pair's middle
    }
    // A ball on a ball that turns about their common point: the middle stays, the normal does not.
    for (const double part : {0.9, 1.1}) {
        CAPTURE(part);
        model::ModelBuilder b;
        b.add_shape_sphere(b.add_body({{0, 0, -0.5}, {}}, "low"), {}, 0.5, b.default_shape);
        b.add_shape_sphere(b.add_body({{0, 0, 0.5}, {}}, "high"), {}, 0.5, b.default_shape);
        Stage s(kLatest, frozen(b));
        s.step();
        const double angle = part * std::acos(0.995);
        for (const int i : {0, 1})
            s.state.body_q[static_cast<std::size_t>(i)].p =
                static_cast<Vec3>((i == 0 ? -0.5 : 0.5) * Vec3d{std::sin(angle), 0, std::cos(angle)});
        CHECK(s.step()[0] == (part < 1 ? 0 : -2));
    }
}

TEST_CASE("each row of the last call goes on once, and what is new and what has ended is listed (COL-071, COL-073)")
{
    // Parallel capsules side by side touch at two ends; a short one touches at nearly one place.
    Stage s(kLatest);
    s.step();
    s.state.body_q[1].p.z = 5;  // the ball leaves
    CHECK(s.step() == std::vector<std::int32_t>{0, 1, 2, 3});
    CHECK(s.contacts.rigid_contact_broken_indices == std::vector<std::int32_t>{4});
    s.state.body_q[1].p.z = static_cast<Real>(0.49);  // and comes back
    CHECK(s.step() == std::vector<std::int32_t>{0, 1, 2, 3, -1});
    CHECK(s.contacts.rigid_contact_new_indices == std::vector<std::int32_t>{4});

    // A box smaller than the threshold: all four corners are near all four old ones.
    model::ModelBuilder b;
    b.add_ground_plane();
    b.add_shape_box(b.add_body({{0, 0, 1e-4}, {}}, "grain"), {}, {1e-4, 1e-4, 1e-4}, b.default_shape);
    Stage grain(kLatest, frozen(b));
    grain.step();
    grain.state.body_q[0].p.x += static_cast<Real>(1.9e-4);
    auto rows = grain.step();
    REQUIRE(rows.size() == 4);
    std::erase_if(rows, [](std::int32_t i) { return i < 0; });
    std::sort(rows.begin(), rows.end());
    CHECK(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
    CHECK(rows.size() >= 2);
}

TEST_CASE("sticky rows keep their points while they touch, and fresh ones are taken when they have slid off (COL-072)")
{
    for (const double shift : {3e-4, 9e-4}) {
        CAPTURE(shift);
        Stage s({.contact_matching = ContactMatching::sticky});
        s.step();
        const auto before = s.contacts;
        s.state.body_q[0].p.x += static_cast<Real>(shift);
        const bool kept = shift < 5e-4;
        const auto rows = s.step();
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(rows[i] == (kept ? static_cast<std::int32_t>(i) : -2));
            // The point on the ground stays where the corner first stood.
            const double moved = static_cast<double>(s.contacts.rigid_contact_point0[i].x) -
                                 static_cast<double>(before.rigid_contact_point0[i].x);
            CHECK(moved == close_to(kept ? 0 : shift, 1e-6));
            CHECK(static_cast<double>(s.contacts.rigid_contact_distance[i]) == close_to(-0.01, 1e-6));
        }
    }
    // Above the surface nothing sticks.
    Stage s({.contact_matching = ContactMatching::sticky});
    s.state.body_q[0].p.z = static_cast<Real>(0.52);
    s.step();
    const auto before = s.contacts;
    s.state.body_q[0].p.x += static_cast<Real>(3e-4);
    CHECK(s.step()[0] == 0);
    CHECK(s.contacts.rigid_contact_point0[0].x != before.rigid_contact_point0[0].x);
}

TEST_CASE("a reset forgets the rows of the marked worlds and no others (COL-074)")
{
    model::ModelBuilder env;
    env.add_shape_sphere(env.add_body({{0, 0, 0.45}, {}}, "ball"), {}, 0.5, env.default_shape);
    env.add_shape_box(-1, {}, {2, 2, 0.01}, env.default_shape);
    model::ModelBuilder b;
    REQUIRE(b.replicate(env, 3));
    Stage s(kLatest, frozen(b));
    s.step();
    const std::uint8_t only_second[] = {0, 1, 0, 0};
    s.pipeline.reset_contact_matching(only_second);
    CHECK(s.step() == std::vector<std::int32_t>{0, -1, 2});
    s.pipeline.reset_contact_matching();
    CHECK(s.step() == std::vector<std::int32_t>{-1, -1, -1});
}

TEST_CASE("points in the world lie on both surfaces however the body is turned (COL-075)")
{
    // A unit sphere at height 0.95: the two surface points are 5 cm apart along the normal.
    for_seeds(20, [](Random& r) {
        model::ModelBuilder b;
        b.add_shape_sphere(b.add_body({{0, 0, 0.95}, r.rotation()}, "ball"), {}, 1, b.default_shape);
        b.add_ground_plane();
        Stage s({}, frozen(b));
        s.step();
        REQUIRE(s.contacts.rigid_contact_count == 1);
        Vec3 p0[1], p1[1];
        Real apart[1];
        contact_points_world(s.model, s.state, s.contacts, p0, p1, apart);
        CHECK(distance(p0[0], Vec3{0, 0, 0}) < 2e-6);
        CHECK(distance(static_cast<Vec3d>(p1[0]), Vec3d{0, 0, -0.05}) < 2e-6);
        CHECK(static_cast<double>(apart[0]) == close_to(-0.05, 2e-6));
    });
    // Two boxes that move as one: the rows of the first place keep their separation in the second, for any normal that
    // turns with them; here a translation, under which the normal stays.
    for_seeds(20, [](Random& r) {
        model::ModelBuilder b;
        b.add_shape_box(b.add_body({{}, r.rotation()}, "a"), {}, {0.5, 0.4, 0.3}, b.default_shape);
        b.add_shape_box(b.add_body({{0.5, 0.2, 0.3}, r.rotation()}, "b"), {}, {0.5, 0.4, 0.3}, b.default_shape);
        Stage s({}, frozen(b));
        s.step();
        if (s.contacts.rigid_contact_count == 0) return;
        std::vector<Real> apart(s.contacts.capacity());
        const Vec3        shift = static_cast<Vec3>(r.vec(2));
        for (auto& q : s.state.body_q) q.p += shift;
        contact_points_world(s.model, s.state, s.contacts, {}, {}, apart);
        for (std::size_t i = 0; i < static_cast<std::size_t>(s.contacts.rigid_contact_count); ++i)
            CHECK(static_cast<double>(apart[i]) ==
                  close_to(static_cast<double>(s.contacts.rigid_contact_distance[i]), 2e-6));
    });
}

TEST_CASE("each of a hundred thousand contacts is matched with itself (COL-163)")
{
    // Boxes on a plane that is added last: all rows come in the order of the wrong shape.
    model::ModelBuilder b;
    b.rigid_gap = 0.005;
    for (int i = 0; i < 25'000; ++i)
        b.add_shape_box(b.add_body({{0.5 * (i % 160), 0.5 * (i / 160), 0.1}, {}}, "box"), {}, {0.1, 0.1, 0.1},
                        b.default_shape);
    b.add_ground_plane();
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE(m.has_value());
    CollisionPipeline pipeline(*m, {.contact_matching = ContactMatching::latest});
    auto              contacts = pipeline.make_contacts();
    const auto        state    = model::make_state(*m);
    for (int i = 0; i < 2; ++i) CHECK(pipeline.collide(state, 0, contacts).contacts == 100'000);
    for (std::size_t i = 0; i < 100'000; ++i)
        CHECK_MESSAGE(contacts.rigid_contact_match_index[i] == static_cast<std::int32_t>(i), "row ", i);
}
