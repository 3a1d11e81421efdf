#include "mechane/collision/broad_phase.h"

#include <algorithm>
#include <memory>

#include "mechane/collision/codes.h"
#include "mechane/collision/pipeline.h"
#include "mechane/model/builder.h"
#include "mechane/tasks/parallel.h"
#include "models.h"
#include "shapes.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::collision;

namespace {

constexpr BroadPhaseMode kModes[] = {BroadPhaseMode::automatic, BroadPhaseMode::all_pairs, BroadPhaseMode::sweep,
                                     BroadPhaseMode::explicit_pairs, BroadPhaseMode::tree};

/// Rows without a model: boxes, filters, planes.
struct Scene {
    std::vector<ShapeFilter>     filters;
    std::vector<geometry::Aabbd> boxes;
    std::vector<RaisedPlane>     planes;
    std::vector<ShapePair>       excluded;
};

geometry::Aabbd random_box(Random& r)
{
    const Vec3d c = r.vec(1.5), h{r.uniform(0, 0.3), r.uniform(0, 0.3), r.uniform(0, 0.3)};
    return {c - h, c + h};
}
Scene random_scene(Random& r)
{
    Scene               s;
    const std::uint32_t n = 20 + r.below(60);
    for (std::uint32_t i = 0; i < n; ++i) {
        const bool moves = r.below(3) > 0;
        s.filters.push_back({.body   = moves ? static_cast<std::int32_t>(r.below(n)) : -1,
                             .world  = static_cast<std::int32_t>(r.below(4)) - 1,
                             .group  = static_cast<std::int32_t>(r.below(5)) - 2,
                             .active = r.below(10) > 0,
                             .mobile = moves,
                             .plane  = r.below(20) == 0});
        s.boxes.push_back(r.below(15) == 0 ? geometry::Aabbd{} : random_box(r));
        s.planes.push_back({r.direction(), r.vec(0.5)});
        if (s.filters.back().plane) s.filters.back().mobile = false, s.filters.back().body = -1;
    }
    for (int i = 0; i < 30; ++i)
        s.excluded.emplace_back(static_cast<std::int32_t>(r.below(n)), static_cast<std::int32_t>(r.below(n)));
    return s;
}

/// The definition, written out: a loop over all pairs.
std::vector<ShapePair> by_definition(const Scene& s)
{
    std::vector<ShapePair> out;
    const auto             n = static_cast<std::int32_t>(s.filters.size());
    for (std::int32_t i = 0; i < n; ++i)
        for (std::int32_t k = i + 1; k < n; ++k) {
            const auto        i_ = static_cast<std::size_t>(i), k_ = static_cast<std::size_t>(k);
            const ShapeFilter a = s.filters[i_], b = s.filters[k_];
            if (!a.active || !b.active || (a.plane && b.plane) || a.body == b.body || !(a.mobile || b.mobile)) continue;
            if (a.world != -1 && b.world != -1 && a.world != b.world) continue;
            if (a.group == 0 || b.group == 0) continue;
            if (a.group > 0 ? !(b.group == a.group || b.group < 0) : a.group == b.group) continue;
            if (std::count(s.excluded.begin(), s.excluded.end(), ShapePair{i, k}) +
                std::count(s.excluded.begin(), s.excluded.end(), ShapePair{k, i}))
                continue;
            const geometry::Aabbd &x = s.boxes[i_], &y = s.boxes[k_];
            if (a.plane || b.plane) {
                const geometry::Aabbd& box   = a.plane ? y : x;
                const RaisedPlane&     plane = s.planes[a.plane ? i_ : k_];
                if (box.lower.x > box.upper.x) continue;
                double lowest = kInfinity;
                for (int corner = 0; corner < 8; ++corner)
                    lowest = std::min(lowest, dot(plane.n, Vec3d{corner & 1 ? box.lower.x : box.upper.x,
                                                                 corner & 2 ? box.lower.y : box.upper.y,
                                                                 corner & 4 ? box.lower.z : box.upper.z} -
                                                               plane.origin));
                if (lowest > 0) continue;
            } else {
                bool apart = false;
                for (std::size_t axis = 0; axis < 3; ++axis)
                    apart = apart || !(x.lower[axis] <= y.upper[axis] && y.lower[axis] <= x.upper[axis]);
                if (apart) continue;
            }
            out.emplace_back(i, k);
        }
    return out;
}

}  // namespace

TEST_CASE(
    "every broad phase gives the pairs of the definition over moving scenes of many worlds, without a model "
    "(COL-030, COL-031, COL-034, COL-041, COL-165)")
{
    for_seeds(200, [](Random& r) {
        Scene                                    s = random_scene(r);
        std::vector<std::unique_ptr<BroadPhase>> all;
        for (const BroadPhaseMode mode : kModes) all.push_back(make_broad_phase(mode, s.filters, s.excluded));
        for (int step = 0; step < 14; ++step) {
            const auto             expected = by_definition(s);
            std::vector<ShapePair> found;
            for (std::size_t m = 0; m < all.size(); ++m) {
                CAPTURE(m);
                CAPTURE(step);
                CHECK(all[m]->find_pairs(s.boxes, s.planes, found));
                CHECK(found == expected);
            }
            // Some move a little, some jump, some come and go: many of them at first and in between, else few.
            const bool lively = step < 3 || step % 5 == 0;
            for (std::size_t i = 0; i < s.boxes.size(); ++i) {
                if (r.below(lively ? 3 : 60) == 0) s.boxes[i] = random_box(r);
                if (r.below(lively ? 20 : 90) == 0) s.boxes[i] = {};
                const Vec3d d = r.vec(lively ? 0.02 : 0.004);
                s.boxes[i].lower += d, s.boxes[i].upper += d;
            }
        }
    });
}

TEST_CASE(
    "boxes that fly on, turn round and stop have the pairs of the definition in every call, at any number of threads "
    "(COL-034, COL-041)")
{
    for_seeds(40, [](Random& r) {
        Scene               s;
        std::vector<Vec3d>  velocity;
        const std::uint32_t n = 600;  // several parts of a loop
        for (std::uint32_t i = 0; i < n; ++i) {
            s.filters.push_back({.body = static_cast<std::int32_t>(i / 4), .active = true, .mobile = true});
            const Vec3d c = r.vec(3), h{r.uniform(0.05, 0.3), r.uniform(0.05, 0.3), r.uniform(0.05, 0.3)};
            s.boxes.push_back({c - h, c + h});
            velocity.push_back(r.vec(0.04));
        }
        s.filters.push_back({.active = true, .plane = true});
        s.boxes.emplace_back();
        s.planes.assign(n + 1, {{0, 0, 1}, {0, 0, -1}});
        const tasks::Pool      three(3);
        BroadPhaseSAP          alone(s.filters, {}), shared(s.filters, {});
        std::vector<ShapePair> found;
        for (int step = 0; step < 30; ++step) {
            CAPTURE(step);
            const auto expected = by_definition(s);
            CHECK(alone.find_pairs(s.boxes, s.planes, found));
            CHECK(found == expected);
            CHECK(shared.find_pairs(s.boxes, s.planes, found, std::size_t{1} << 26, &three));
            CHECK(found == expected);
            for (std::size_t i = 0; i < n; ++i) {
                if (r.below(50) == 0) velocity[i] = step == 20 ? Vec3d{} : -velocity[i];
                s.boxes[i].lower += velocity[i], s.boxes[i].upper += velocity[i];
            }
        }
    });
}

TEST_CASE("a span that is too small holds the first pairs and the count says the demand")
{
    Random r(5);
    Scene  s = random_scene(r);
    for (ShapeFilter& f : s.filters) f.group = 1, f.world = -1;
    const auto expected = by_definition(s);
    REQUIRE(expected.size() > 10);
    for (const BroadPhaseMode mode : kModes) {
        const auto             broad = make_broad_phase(mode, s.filters, s.excluded);
        std::vector<ShapePair> out(10);
        CHECK(broad->launch(s.boxes, {}, s.planes, out) == expected.size());
        CHECK(std::equal(out.begin(), out.end(), expected.begin()));
    }
    // Boxes 0.2 apart meet when each grows by 0.1: touching counts.
    const std::vector<ShapeFilter>     two{{.body = 0, .active = true, .mobile = true},
                                           {.body = 1, .active = true, .mobile = true}};
    const std::vector<geometry::Aabbd> boxes{{{0, 0, 0}, {1, 1, 1}}, {{1.25, 0, 0}, {2, 1, 1}}};
    const std::vector<double>          gaps[] = {{0.125, 0.125}, {0.125, 0.124}};
    for (const BroadPhaseMode mode : kModes) {
        std::vector<ShapePair> out(10);
        CHECK(make_broad_phase(mode, two, {})->launch(boxes, gaps[0], {}, out) == 1);
        CHECK(make_broad_phase(mode, two, {})->launch(boxes, gaps[1], {}, out) == 0);
    }
}

TEST_CASE("a list of the user's is trusted: groups and worlds are not asked again")
{
    BroadPhaseExplicit                 broad(4, {{2, 1}, {1, 2}, {0, 3}, {0, 9}, {3, 3}, {-1, 2}});
    const std::vector<geometry::Aabbd> boxes(4, {{0, 0, 0}, {1, 1, 1}});
    std::vector<ShapePair>             out;
    CHECK(broad.find_pairs(boxes, {}, out));
    CHECK(out == std::vector<ShapePair>{{0, 3}, {1, 2}});
}

TEST_CASE("the names of the broad phases are known and others are refused")
{
    for (const char* name : {"auto", "nxn", "sap", "explicit", "tree"}) CHECK(broad_phase_mode(name).has_value());
    const auto bad = broad_phase_mode("octree");
    REQUIRE(!bad.has_value());
    CHECK(bad.error().id == kBroadPhaseUnknown.id);
}

TEST_CASE(
    "unless it is named the broad phase is the list of pairs, also of many worlds; a large world has another (COL-056)")
{
    const auto pipeline_of = [](int worlds, int shapes, std::string_view name) {
        model::ModelBuilder one, all;
        for (int i = 0; i < shapes; ++i)
            one.add_shape_sphere(one.add_body({{2.0 * i, 0, 0}, {}}, "ball"), {}, 0.5, one.default_shape);
        if (worlds > 0)
            (void)all.replicate(one, worlds);
        else
            all = one;
        PipelineOptions options;
        if (!name.empty()) options.broad_phase = *broad_phase_mode(name);
        const model::Model model = frozen(all);
        return CollisionPipeline(model, options).broad_phase();
    };
    CHECK(pipeline_of(0, 2, {}) == BroadPhaseMode::explicit_pairs);
    CHECK(pipeline_of(0, 30, {}) == BroadPhaseMode::explicit_pairs);
    CHECK(pipeline_of(50, 30, {}) == BroadPhaseMode::explicit_pairs);
    CHECK(pipeline_of(0, 500, {}) == BroadPhaseMode::sweep);  // a list would have 125,000 pairs
    CHECK(pipeline_of(0, 500, "explicit") == BroadPhaseMode::explicit_pairs);
    CHECK(pipeline_of(0, 30, "nxn") == BroadPhaseMode::all_pairs);
    for (const char* name : {"", "Explicit", "octree", "nxn "}) {
        CAPTURE(name);
        const auto bad = broad_phase_mode(name);
        REQUIRE(!bad.has_value());
        CHECK(bad.error().id == kBroadPhaseUnknown.id);
    }
}

TEST_CASE("phases of one's own come together: one alone is refused, both are what the pipeline runs (COL-057)")
{
    model::ModelBuilder b;
    for (int i = 0; i < 3; ++i) b.add_shape_sphere(b.add_body({{0.9 * i, 0, 0}, {}}, "ball"), {}, 0.5, b.default_shape);
    const model::Model                m      = frozen(b);
    const std::shared_ptr<BroadPhase> broad  = std::make_shared<BroadPhaseExplicit>(3, std::vector<ShapePair>{{1, 2}});
    int                               asked  = 0;
    const auto                        narrow = [&](const Shape& x, const Shape& y, double reach, Manifold& out) {
        ++asked;
        collide(x, y, reach, out);
    };
    for (const auto& [alone, name] : {std::pair{PipelineOptions{.user_broad_phase = broad}, "user_broad_phase"},
                                      std::pair{PipelineOptions{.user_narrow_phase = narrow}, "user_narrow_phase"}}) {
        const auto refused = validate(alone);
        REQUIRE(!refused.has_value());
        CHECK(refused.error().message.find(name) == 0);
    }
    const PipelineOptions both{.user_broad_phase = broad, .user_narrow_phase = narrow};
    REQUIRE(validate(both).has_value());
    CollisionPipeline pipeline(m, both);
    auto              contacts = pipeline.make_contacts();
    pipeline.collide(model::make_state(m), 0, contacts);
    CHECK(asked == 1);
    REQUIRE(contacts.rigid_contact_count == 1);  // of the two pairs that touch the list has one
    CHECK(contacts.rigid_contact_shape0[0] == 1);
    CHECK(contacts.rigid_contact_shape1[0] == 2);
    CHECK(static_cast<double>(contacts.rigid_contact_distance[0]) == close_to(-0.1, 1e-6));
}

TEST_CASE("options out of range are refused by name (COL-065)")
{
    CHECK(validate({}).has_value());
    struct {
        PipelineOptions options;
        const char*     name;
    } table[] = {
        {{.shape_pairs_max = 0}, "shape_pairs_max"},
        {{.shape_pairs_max = -3}, "shape_pairs_max"},
        {{.contact_matching_pos_threshold = -1}, "contact_matching_pos_threshold"},
        {{.contact_matching_normal_dot_threshold = 1.5}, "contact_matching_normal_dot_threshold"},
        {{.contact_report = true}, "contact_report"},
        {{.speculative_max = -1}, "speculative_max"},
    };
    for (const auto& row : table) {
        const auto r = validate(row.options);
        REQUIRE(!r.has_value());
        CHECK(r.error().message.find(row.name) == 0);
    }
}

TEST_CASE("the contacts of a scene are the same whichever broad phase found the pairs (COL-034)")
{
    for_seeds(40, [](Random& r) {
        model::ModelBuilder env;
        env.rigid_gap = 0.02;
        for (int i = 0; i < 12; ++i) {
            const auto body = i % 5 == 4 ? -1 : env.add_body({r.vec(0.6), r.rotation()}, "b");
            if (i % 2 == 0)
                env.add_shape_box(body, {r.vec(0.3), r.rotation()}, {0.2, 0.15, 0.1}, env.default_shape);
            else
                env.add_shape_capsule(body, {r.vec(0.3), r.rotation()}, 0.1, 0.2, env.default_shape);
        }
        model::ModelBuilder b;
        b.add_ground_plane(-0.3);
        b.add_shape_box(-1, {}, {0.3, 0.3, 0.3}, b.default_shape);
        REQUIRE(b.replicate(env, 3));
        const auto      m = frozen(b);
        model::Contacts first;
        for (const BroadPhaseMode mode : kModes) {
            CollisionPipeline pipeline(m, {.broad_phase = mode});
            auto              c = pipeline.make_contacts();
            pipeline.collide(model::make_state(m), 0, c);
            if (mode == kModes[0]) first = c;
            CHECK(c.rigid_contact_count > 0);
            CHECK(c.rigid_contact_count == first.rigid_contact_count);
            CHECK(c.rigid_contact_shape0 == first.rigid_contact_shape0);
            CHECK(c.rigid_contact_shape1 == first.rigid_contact_shape1);
            CHECK(c.rigid_contact_distance == first.rigid_contact_distance);
            CHECK(c.rigid_contact_feature == first.rigid_contact_feature);
        }
    });
}

TEST_CASE("pairs without a dynamic body are made on request, static with static never (COL-035, COL-036, COL-089)")
{
    model::ModelBuilder b;
    b.add_shape_sphere(-1, {}, 0.5, b.default_shape);
    b.add_shape_sphere(-1, {}, 0.5, b.default_shape);
    b.add_shape_plane(-1, {}, 0, 0, b.default_shape);
    b.add_shape_plane(-1, {{0, 0, -1}, {}}, 0, 0, b.default_shape);
    for (int i = 0; i < 3; ++i) {
        const auto body = b.add_body({{0.1 * i, 0, 0}, {}}, "b");
        b.add_shape_sphere(body, {}, 0.5, b.default_shape);
        if (i < 2) b.bodies[static_cast<std::size_t>(body)].flags = model::body_flag::kinematic;
    }
    const auto m     = frozen(b);
    const auto pairs = [&](bool with) {
        CollisionPipeline pipeline(m, {.include_static_kinematic_pairs = with});
        auto              c = pipeline.make_contacts();
        return pipeline.collide(model::make_state(m), 0, c).candidate_pairs;
    };
    // The dynamic ball meets two static balls, one plane (the lower one is out of reach) and two kinematic balls.
    CHECK(pairs(false) == 5);
    // Two kinematic balls with two static balls and a plane each, and with each other.
    CHECK(pairs(true) == 5 + 2 * 3 + 1);
}

TEST_CASE("more pairs than allowed are reported and cost no more than the limit (COL-061)")
{
    model::ModelBuilder b;
    for (int i = 0; i < 300; ++i) b.add_shape_sphere(b.add_body({}, "b"), {}, 0.5, b.default_shape);
    const auto m = frozen(b);
    for (const BroadPhaseMode mode : kModes) {
        CollisionPipeline pipeline(m, {.broad_phase = mode, .shape_pairs_max = 100});
        auto              c      = pipeline.make_contacts();
        const auto        status = pipeline.collide(model::make_state(m), 0, c);
        CHECK(!status.ok());
        CHECK(status.pairs.dropped > 0);
        CHECK(status.pairs.needed > status.pairs.capacity);
        CHECK(status.candidate_pairs == 100);
        CHECK(c.rigid_contact_count == 100);
    }
    CollisionPipeline strict(m, {.rigid_contact_max = 10, .overflow = OverflowPolicy::error});
    auto              c      = strict.make_contacts();
    const auto        status = strict.collide(model::make_state(m), 0, c);
    CHECK(!status.ok());
    CHECK(c.rigid_contact_count == 0);
    CHECK(c.rigid_contact_needed == 300 * 299 / 2);
    CHECK(status.rows.dropped == status.rows.needed);
}
