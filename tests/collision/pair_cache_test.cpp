#include <map>

#include "mechane/collision/pipeline.h"
#include "mechane/core/hash.h"
#include "mechane/geometry/heightfield.h"
#include "mechane/geometry/hull.h"
#include "mechane/model/builder.h"
#include "mechane/tasks/parallel.h"
#include "models.h"
#include "support/support.h"

/// Contacts of pairs that have hardly moved: what they may differ by, when they are looked at anew, and what a
/// simulation relies on.
using namespace mechane;
using namespace mechane::test;
using collision::CollisionPipeline;
using collision::PairCache;
using collision::PairCacheOptions;

namespace {

constexpr PairCacheOptions kStrict{1e-4, 1e-4, 1e-4};

constexpr double kGap = 0.02;  ///< of a pair [m]

std::shared_ptr<const geometry::Mesh> some_hull(Random& r)
{
    std::vector<Vec3d> points;
    for (int i = 0; i < 14; ++i) points.push_back(0.25 * r.direction());
    auto hull = geometry::build_hull(points);
    REQUIRE(hull);
    return std::make_shared<geometry::Mesh>(*std::move(hull));
}

/// Convex shapes of all kinds close together, in two worlds.
model::Model heap(Random& r)
{
    model::ModelBuilder b;
    b.rigid_gap = 0.5 * kGap;
    for (int world = 0; world < 2; ++world) {
        b.begin_world();
        for (int i = 0; i < 40; ++i) {
            const auto body = b.add_body({r.vec(0.6), r.rotation()}, std::to_string(100 * world + i));
            const auto size = [&] { return r.uniform(0.1, 0.25); };
            switch (i % 7) {
                case 0:
                case 1:
                    b.add_shape_box(body, {}, {size(), size(), size()}, {});
                    break;
                case 2:
                    b.add_shape_cylinder(body, {}, size(), size(), {});
                    break;
                case 3:
                    b.add_shape_cone(body, {}, size(), size(), {});
                    break;
                case 4:
                    b.add_shape_capsule(body, {}, size(), size(), {});
                    break;
                case 5:
                    b.add_shape_ellipsoid(body, {}, {size(), size(), size()}, {});
                    break;
                default:
                    b.add_shape_mesh(body, {r.vec(0.05), r.rotation()}, {1, 1, 1}, some_hull(r), {});
                    break;
            }
        }
        b.end_world();
    }
    return frozen(b);
}

/// A cube of a metre whose middle stands at a height over a floor.
model::Model box_on_floor(double height, double gap)
{
    model::ModelBuilder b;
    b.rigid_gap = gap;
    b.add_shape_box(-1, {{0, 0, -1}, {}}, {5, 5, 1}, {});
    b.add_shape_box(b.add_body({{0, 0, height}, {}}, "box"), {}, {0.5, 0.5, 0.5}, {});
    return frozen(b);
}

/// Moves each body by up to `way` [m] and `turn` [rad].
void shake(Random& r, model::State& state, double way, double turn)
{
    for (Pose& X : state.body_q) {
        const auto q = normalized(from_rotation_vector(turn * r.direction()) * static_cast<Quatd>(X.q));
        X            = static_cast<Pose>(Posed{static_cast<Vec3d>(X.p) + way * r.direction(), q});
    }
}

using PairKey = std::pair<std::int32_t, std::int32_t>;
std::map<PairKey, double> depths_of(const model::Contacts& c)
{
    std::map<PairKey, double> out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.rigid_contact_count); ++i) {
        const PairKey key{c.rigid_contact_shape0[i], c.rigid_contact_shape1[i]};
        const auto    d  = static_cast<double>(c.rigid_contact_distance[i]);
        const auto    at = out.emplace(key, d).first;
        at->second       = std::min(at->second, d);
    }
    return out;
}

/// Every pair is as deep as it should be; one that is missing must hardly have been within the gap.
void check_depths(const std::map<PairKey, double>& is, const std::map<PairKey, double>& should_be, double bound)
{
    for (const auto& [pair, d] : should_be) {
        CAPTURE(pair.first);
        CAPTURE(pair.second);
        const auto at = is.find(pair);
        if (at == is.end())
            CHECK(d > kGap - bound);
        else
            CHECK(std::abs(at->second - d) < bound);
    }
}

std::uint64_t hash_of(const model::Contacts& c)
{
    const auto    n    = static_cast<std::size_t>(c.rigid_contact_count);
    std::uint64_t hash = n;
    const auto    mix  = [&](const auto& v) { hash = hash_bytes(v.data(), n * sizeof(v[0]), hash); };
    mix(c.rigid_contact_shape0), mix(c.rigid_contact_shape1), mix(c.rigid_contact_point0), mix(c.rigid_contact_point1);
    mix(c.rigid_contact_offset0), mix(c.rigid_contact_offset1), mix(c.rigid_contact_normal);
    mix(c.rigid_contact_margin0), mix(c.rigid_contact_margin1), mix(c.rigid_contact_distance);
    mix(c.rigid_contact_feature);
    return hash;
}

}  // namespace

TEST_CASE("kept contacts are as deep as exact ones but for what the thresholds allow, however long it goes on")
{
    // No shape is wider than 0.5 m, no ball about one larger than 0.44 m: that is how far a pair moves while it is
    // kept. Distances and depths change no faster than the shapes move, and what is kept moves with them.
    for (const PairCacheOptions& options : {kStrict, PairCacheOptions{}}) {
        int          kept = 0, looked_at = 0;
        const double bound = 2 * (options.way * 0.5 + options.turn * 0.44) + 2e-6, size = options.way / kStrict.way;
        for_seeds(6, [&](Random& r) {
            const auto        m = heap(r);
            auto              s = model::make_state(m);
            CollisionPipeline pipeline(m), reference(m);
            PairCache         cache(options);
            auto              contacts = pipeline.make_contacts(), exact = reference.make_contacts();
            for (int step = 0; step < 60; ++step) {
                const double much = size * (step % 20 == 19 ? 1e-2 : step % 5 == 4 ? 1e-4 : 1e-6);
                shake(r, s, much, much);
                const auto status = pipeline.collide(s, 0, contacts, &cache);
                reference.collide(s, 0, exact);
                kept += status.kept_pairs;
                looked_at += status.candidate_pairs;
                const auto is = depths_of(contacts), should_be = depths_of(exact);
                check_depths(is, should_be, bound);
                for (const auto& [pair, d] : is)
                    if (should_be.count(pair) == 0) CHECK(d > kGap - bound);
            }
        });
        CHECK(kept > looked_at / 3);
    }
}

TEST_CASE("a face keeps its normal while the body on it tilts, and the depths of its corners follow to second order")
{
    const auto        m = box_on_floor(0.5, 0.5 * kGap);
    auto              s = model::make_state(m);
    CollisionPipeline pipeline(m), reference(m);
    PairCache         cache(kStrict);
    auto              contacts = pipeline.make_contacts(), exact = reference.make_contacts();
    pipeline.collide(s, 0, contacts, &cache);
    const double turn = 0.9e-4, way = 0.9e-4;
    s.body_q[0] = static_cast<Pose>(
        Posed{{way, 0, 0.5 - 1e-5}, normalized(from_rotation_vector(Vec3d{0.6 * turn, 0.8 * turn, 0}))});
    REQUIRE(pipeline.collide(s, 0, contacts, &cache).kept_pairs == 1);
    reference.collide(s, 0, exact);
    REQUIRE(contacts.rigid_contact_count == 4);
    REQUIRE(exact.rigid_contact_count == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(distance(contacts.rigid_contact_normal[i], Vec3{0, 0, 1}) == 0);
        // turn x (way + turn x 0.7 m) = 1.4e-8 m, and poses in single precision
        CHECK(static_cast<double>(contacts.rigid_contact_distance[i]) ==
              close_to(static_cast<double>(exact.rigid_contact_distance[i]), 2e-7));
    }
    CHECK(distance(contacts.rigid_contact_normal[0], exact.rigid_contact_normal[0]) < 1.01 * turn);
}

TEST_CASE("small steps add up: contacts are looked at anew where the pair has left the place where they were found")
{
    const auto m = box_on_floor(0.5, 0.5 * kGap);
    for (const PairCacheOptions& options : {kStrict, PairCacheOptions{}}) {
        const auto run = [&](const auto& move) {
            auto              s = model::make_state(m);
            CollisionPipeline pipeline(m);
            PairCache         cache(options);
            auto              contacts = pipeline.make_contacts();
            std::string       kept;
            for (int step = 0; step < 9; ++step) {
                kept += pipeline.collide(s, 0, contacts, &cache).kept_pairs == 1 ? '=' : 'n';
                move(s.body_q[0], step);
            }
            return kept;
        };
        const double way = options.way, turn = options.turn;  // a metre wide
        CHECK(run([](Pose&, int) {}) == "n========");
        CHECK(run([&](Pose& X, int step) { X.p.x = static_cast<Real>(0.3 * way * (step + 1)); }) == "n===n===n");
        CHECK(run([&](Pose& X, int step) {
                  X.q = static_cast<Quat>(from_rotation_vector(Vec3d{0, 0, 0.4 * turn * (step + 1)}));
              }) == "n==n==n==");
        CHECK(run([&](Pose& X, int step) { X.p.x = static_cast<Real>(step % 2 == 0 ? 0.9 * way : 0); }) == "n========");
        CHECK(run([&](Pose& X, int step) { X.p.x = static_cast<Real>(step % 2 == 0 ? 1.1 * way : 0); }) == "nnnnnnnnn");
    }
}

TEST_CASE("pairs with a curved side are looked at anew ten times as soon as others")
{
    model::ModelBuilder b;
    b.rigid_gap = 0.5 * kGap;
    b.add_shape_box(-1, {{0, 0, -1}, {}}, {20, 20, 1}, {});
    const auto add = [&](double x) { return b.add_body({{x, 0, 0.5}, {}}, std::to_string(x)); };
    b.add_shape_cylinder(add(0), {}, 0.5, 0.5, {});
    b.add_shape_cone(add(3), {}, 0.5, 0.5, {});
    b.add_shape_ellipsoid(add(6), {}, {0.5, 0.6, 0.5}, {});
    b.add_shape_box(add(9), {}, {0.5, 0.5, 0.5}, {});
    b.add_shape_capsule(add(12), {}, 0.25, 0.25, {});
    const auto        m = frozen(b);
    const auto        s = model::make_state(m);
    CollisionPipeline pipeline(m);
    auto              contacts = pipeline.make_contacts();
    PairCache         cache;
    const auto        kept_after = [&](const Posed& move) {
        cache.clear();
        pipeline.collide(s, 0, contacts, &cache);
        auto moved = s;
        for (Pose& X : moved.body_q) {
            const auto pose = static_cast<Posed>(X);
            X               = static_cast<Pose>(Posed{pose.p + move.p, pose.q * move.q});
        }
        return pipeline.collide(moved, 0, contacts, &cache).kept_pairs;
    };
    // The capsule is half as wide as the others.
    CHECK(kept_after({{0.9e-4, 0, 0}, {}}) == 5);
    CHECK(kept_after({{1.1e-4, 0, 0}, {}}) == 2);
    CHECK(kept_after({{0, 0, 0}, from_rotation_vector(Vec3d{0, 0, 0.9e-4})}) == 5);
    CHECK(kept_after({{0, 0, 0}, from_rotation_vector(Vec3d{0, 0, 1.1e-4})}) == 2);
    CHECK(kept_after({{0, 0, 0}, from_rotation_vector(Vec3d{0, 0, 1.1e-3})}) == 0);
}

TEST_CASE("the normal of a round body's kept contact does not turn with its roll: faces, edges and corners")
{
    // Two slopes that meet in a ridge along y, and a box.
    auto roof            = std::make_shared<geometry::Mesh>();
    roof->points         = {{-2, -2, -1}, {0, -2, 0}, {0, 2, 0}, {-2, 2, -1}, {2, -2, -1}, {2, 2, -1}};
    roof->triangles      = {{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}};
    const Quatd  along_y = from_rotation_vector(Vec3d{0.5 * kPi, 0, 0}),
                 slope   = from_rotation_vector(Vec3d{0, std::atan(0.5), 0});
    const double r       = 0.2;
    for (const bool on_mesh : {true, false})
        for (const bool capsule : {true, false})
            for (const int place : {0, 1, 2}) {
                CAPTURE(on_mesh);
                CAPTURE(capsule);
                CAPTURE(place);
                if (!on_mesh && !capsule) continue;  // a closed form
                model::ModelBuilder b;
                b.rigid_gap = 0.5 * kGap;
                // On a face; over the ridge, or beside an edge of the box; there beyond a corner, or half of it.
                Vec3d p{0, place == 2 ? 2.05 : 0.3, 0}, n{0, 0, 1};
                if (on_mesh) {
                    b.add_shape_mesh(-1, {}, {1, 1, 1}, roof, {});
                    if (place == 0) p = {1, 0.3, -0.5}, n = rotate(slope, Vec3d{0, 0, 1});
                } else {
                    b.add_shape_box(-1, {{-1, 0, -1}, {}}, {1, 2, 1}, {});
                    if (place == 0) p.x = -0.5;
                    if (place > 0) n = normalized(Vec3d{0.3, 0, 1});
                }
                const auto body = b.add_body({p + r * n, {}}, "body");
                if (capsule)
                    b.add_shape_capsule(body, {{0, 0, 0}, along_y}, r, 0.25, {});
                else
                    b.add_shape_sphere(body, {}, r, {});
                const auto        m = frozen(b);
                auto              s = model::make_state(m);
                CollisionPipeline pipeline(m), reference(m);
                auto              contacts = pipeline.make_contacts(), exact = reference.make_contacts();
                PairCache         cache;
                pipeline.collide(s, 0, contacts, &cache);
                s.body_q[0].q = static_cast<Quat>(from_rotation_vector(Vec3d{0, 0.9e-3, 0}));
                REQUIRE(pipeline.collide(s, 0, contacts, &cache).kept_pairs == 1);
                reference.collide(s, 0, exact);
                REQUIRE(contacts.rigid_contact_count > 0);
                REQUIRE(contacts.rigid_contact_count == exact.rigid_contact_count);
                for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
                    CHECK(distance(contacts.rigid_contact_normal[i], exact.rigid_contact_normal[i]) < 2e-6);
                    CHECK(static_cast<double>(contacts.rigid_contact_distance[i]) ==
                          close_to(static_cast<double>(exact.rigid_contact_distance[i]), 1e-6));
                }
            }
}

TEST_CASE("bodies that move together keep their contacts; a body that is teleported has none of its old ones")
{
    model::ModelBuilder b;
    b.rigid_gap = 0.5 * kGap;
    for (const double z : {0.5, 1.5})
        b.add_shape_box(b.add_body({{0, 0, z}, {}}, std::to_string(z)), {}, {0.5, 0.5, 0.5}, {});
    const auto        m = frozen(b);
    auto              s = model::make_state(m);
    CollisionPipeline pipeline(m);
    PairCache         cache;
    auto              contacts = pipeline.make_contacts();
    pipeline.collide(s, 0, contacts, &cache);
    const Posed X{{0.3, -0.2, 1}, from_rotation_vector(Vec3d{1, 0.5, 0.2})};
    for (Pose& pose : s.body_q) pose = static_cast<Pose>(X * static_cast<Posed>(pose));
    CHECK(pipeline.collide(s, 0, contacts, &cache).kept_pairs == 1);
    REQUIRE(contacts.rigid_contact_count == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(distance(static_cast<Vec3d>(contacts.rigid_contact_normal[i]), rotate(X.q, Vec3d{0, 0, 1})) < 1e-6);
        CHECK(std::abs(contacts.rigid_contact_distance[i]) < Real(1e-6));
    }
    s.body_q[1].p.x += 2;
    CHECK(pipeline.collide(s, 0, contacts, &cache).contacts == 0);
    CHECK(cache.pair_count() == 0);
}

TEST_CASE("what comes nearer than it was looked for is looked at anew, fast or slow")
{
    const auto        m = box_on_floor(0.51, 0);
    auto              s = model::make_state(m);
    CollisionPipeline pipeline(m), reference(m);
    PairCache         cache;
    auto              contacts = pipeline.make_contacts(), exact = reference.make_contacts();
    // Down by twelve millimetres in steps of a fortieth; the gap is none, so the speed alone admits anything.
    for (int step = 0; step < 480; ++step) {
        s.body_qd[0].linear = {0, 0, static_cast<Real>(step % 3 == 0 ? -0.1 : -1e-3)};
        pipeline.collide(s, 1.0 / 60, contacts, &cache);
        reference.collide(s, 1.0 / 60, exact);
        const double d = static_cast<double>(s.body_q[0].p.z) - 0.5;
        // Away from the threshold by more than the 2e-4 m that kept contacts may be looked for beyond it.
        const double reach = step % 3 == 0 ? 0.1 / 60 : 1e-3 / 60;
        if (std::abs(d - reach) > 1e-6) CHECK(contacts.rigid_contact_count == exact.rigid_contact_count);
        if (contacts.rigid_contact_count > 0)
            CHECK(static_cast<double>(contacts.rigid_contact_distance[0]) == close_to(d, 2e-7));
        s.body_q[0].p.z -= Real(2.5e-5);
    }
}

TEST_CASE("an exact call beside kept ones is exact, and leaves them as they are (COL-067)")
{
    for_seeds(3, [](Random& r) {
        const auto        m = heap(r);
        auto              s = model::make_state(m);
        CollisionPipeline pipeline(m), alone(m);
        PairCache         cache, other;
        auto              contacts = pipeline.make_contacts(), of_alone = alone.make_contacts();
        for (int step = 0; step < 20; ++step) {
            shake(r, s, 2e-6, 2e-6);
            pipeline.collide(s, 0, contacts);
            CollisionPipeline fresh(m);
            auto              exact = fresh.make_contacts();
            CHECK(fresh.collide(s, 0, exact).kept_pairs == 0);
            CHECK(hash_of(contacts) == hash_of(exact));
            if (step % 3 == 0) {  // a look at something else, with fewer pairs
                auto elsewhere = s;
                for (std::size_t i = 0; i < s.body_q.size(); i += 3) elsewhere.body_q[i].p.x += 10;
                pipeline.collide(elsewhere, 0, contacts);
            }
            pipeline.collide(s, 0, contacts, &cache);
            alone.collide(s, 0, of_alone, &other);
            CHECK(hash_of(contacts) == hash_of(of_alone));
        }
    });
}

TEST_CASE(
    "kept contacts have the same bits for any number of threads, and after they were saved and read (COL-066, DYN-132)")
{
    for_seeds(3, [](Random& r) {
        const auto                m = heap(r);
        std::vector<model::State> states{model::make_state(m)};
        for (int step = 0; step < 30; ++step) {
            states.push_back(states.back());
            shake(r, states.back(), step % 7 == 6 ? 1e-3 : 2e-5, 2e-5);
        }
        const auto run = [&](int threads, bool saved) {
            const tasks::Pool pool(threads);
            auto          pipeline = std::make_unique<CollisionPipeline>(m, collision::PipelineOptions{.pool = &pool});
            auto          contacts = pipeline->make_contacts();
            PairCache     cache;
            std::uint64_t hash = 0;
            int           kept = 0;
            for (const auto& s : states) {
                kept += pipeline->collide(s, 1e-3, contacts, &cache).kept_pairs;
                hash = hash_combine(hash, hash_of(contacts));
                if (!saved) continue;
                const auto bytes = cache.save();
                cache            = PairCache();
                REQUIRE(cache.restore(bytes, m));
                CHECK(cache.save() == bytes);
                pipeline = std::make_unique<CollisionPipeline>(m, collision::PipelineOptions{.pool = &pool});
            }
            CHECK(kept > 100);
            return hash;
        };
        const auto reference = run(1, false);
        for (const int threads : {2, 8}) CHECK(run(threads, false) == reference);
        CHECK(run(1, true) == reference);
        CHECK(run(8, true) == reference);
    });
}

TEST_CASE("bytes of another model, or cut off anywhere, are refused and leave an empty cache")
{
    Random            r(1);
    const auto        m = heap(r);
    CollisionPipeline pipeline(m);
    auto              contacts = pipeline.make_contacts();
    PairCache         cache;
    pipeline.collide(model::make_state(m), 0, contacts, &cache);
    const auto bytes = cache.save();
    CHECK(cache.restore(bytes, m));
    CHECK(cache.pair_count() > 50);
    for (std::size_t n = 1; n < bytes.size(); n += 1 + bytes.size() / 300) {
        CHECK(!cache.restore(std::span(bytes).first(n), m));
        CHECK(cache.pair_count() == 0);
    }
    CHECK(!cache.restore(bytes, frozen(model::ModelBuilder{})));
    for (std::size_t n = 0; n < bytes.size(); n += 1 + bytes.size() / 300) {  // damaged, it may be read, and used
        auto bad = bytes;
        bad[n] ^= std::byte{0x5a};
        if (cache.restore(bad, m)) pipeline.collide(model::make_state(m), 0, contacts, &cache);
    }
    CHECK(cache.restore({}, m));
    CHECK(cache.pair_count() == 0);
}

TEST_CASE("a world that is reset is looked at anew, the others are not (DYN-131)")
{
    Random            r(2);
    const auto        m = heap(r);
    const auto        s = model::make_state(m);
    CollisionPipeline pipeline(m);
    auto              contacts = pipeline.make_contacts();
    PairCache         cache;
    pipeline.collide(s, 0, contacts, &cache);
    const auto all = static_cast<std::int32_t>(cache.pair_count());
    CHECK(pipeline.collide(s, 0, contacts, &cache).kept_pairs == all);
    cache.reset(m, std::vector<std::uint8_t>{1, 0, 0});
    const auto others = static_cast<std::int32_t>(cache.pair_count());
    CHECK(others > 0);
    CHECK(others < all);
    CHECK(pipeline.collide(s, 0, contacts, &cache).kept_pairs == others);
    CHECK(pipeline.collide(s, 0, contacts, &cache).kept_pairs == all);
    cache.reset(m);
    CHECK(pipeline.collide(s, 0, contacts, &cache).kept_pairs == 0);
}

TEST_CASE("boxes on a terrain keep their contacts while they rest and match exact ones within the thresholds")
{
    constexpr int       n       = 12;
    const auto          height  = [](double x, double y) { return 0.4 * std::sin(0.5 * x) * std::cos(0.4 * y); };
    const auto          surface = std::make_shared<geometry::Mesh>(geometry::grid_mesh(
        n, n, geometry::GridOrder::y_fastest, [&](int i, int j) { return Vec3d{1.0 * i, 1.0 * j, height(i, j)}; },
        [](int, int) { return geometry::Diagonal::falling; }));
    model::ModelBuilder b;
    b.rigid_gap = 0.5 * kGap;
    b.add_shape_mesh(-1, {}, {1, 1, 1}, surface, {});
    for (int i = 1; i < n; ++i)
        for (int j = 1; j < n; ++j) {
            const Vec3d p{i + 0.3, j - 0.4, height(i + 0.3, j - 0.4) + 0.25};
            b.add_shape_box(b.add_body({p, {}}, std::to_string(n * i + j)), {}, {0.2, 0.15, 0.25}, {});
        }
    const auto m = frozen(b);
    for (const PairCacheOptions& options : {kStrict, PairCacheOptions{}}) {
        auto              s = model::make_state(m);
        CollisionPipeline pipeline(m), reference(m);
        PairCache         cache(options);
        auto              contacts = pipeline.make_contacts(), exact = reference.make_contacts();
        Random            r(3);
        int               kept = 0, pairs = 0;
        for (int step = 0; step < 40; ++step) {
            shake(r, s, 0.04 * options.way, 0.04 * options.turn);
            const auto status = pipeline.collide(s, 0, contacts, &cache);
            kept += status.kept_pairs;
            pairs += status.candidate_pairs;
            reference.collide(s, 0, exact);
            const auto is = depths_of(contacts), should_be = depths_of(exact);
            // as in the heap; triangles are good to 5e-6
            const double bound = 2 * (options.way * 0.3 + options.turn * 0.36) + 5e-6;
            check_depths(is, should_be, bound);
        }
        CHECK(kept > 9 * pairs / 10);
    }
}

TEST_CASE("triangles that are remembered about a moving shape are those that the tree tells anew (DYN-132)")
{
    // Cells of 0.4 m: under some bodies lie more triangles than are remembered, under others none.
    constexpr int n      = 30;
    const auto    height = [](double x, double y) { return 0.4 * std::sin(1.5 * x) * std::cos(1.2 * y); };
    for (const bool solid : {false, true}) {
        model::ModelBuilder b;
        b.rigid_gap = 0.5 * kGap;
        auto ground = geometry::grid_mesh(
            n, n, geometry::GridOrder::y_fastest,
            [&](int i, int j) { return Vec3d{0.4 * i, 0.4 * j, height(0.4 * i, 0.4 * j)}; },
            [](int, int) { return geometry::Diagonal::falling; });
        if (solid) {  // a tub, closed and hollow
            auto tub        = geometry::Mesh{};
            tub.points      = {{0, 0, -1},  {12, 0, -1}, {12, 12, -1}, {0, 12, -1}, {0, 0, 1},   {12, 0, 1},
                               {12, 12, 1}, {0, 12, 1},  {1, 1, 1},    {11, 1, 1},  {11, 11, 1}, {1, 11, 1},
                               {1, 1, 0},   {11, 1, 0},  {11, 11, 0},  {1, 11, 0}};
            const auto quad = [&](int p, int q, int r, int s) {
                tub.triangles.push_back({p, q, r}), tub.triangles.push_back({p, r, s});
            };
            quad(3, 2, 1, 0), quad(12, 13, 14, 15);
            for (int i = 0; i < 4; ++i) {
                const int k = (i + 1) % 4;
                quad(i, k, 4 + k, 4 + i), quad(4 + i, 4 + k, 8 + k, 8 + i), quad(8 + i, 8 + k, 12 + k, 12 + i);
            }
            ground = tub;
        }
        const auto carrier = b.add_body({{0, 0, 0}, {}}, "carrier");  // the mesh moves as well
        b.add_shape_mesh(carrier, {}, {1, 1, 1}, std::make_shared<geometry::Mesh>(ground), {});
        Random r(7);
        for (int i = 0; i < 60; ++i) {
            const Vec3d  p{r.uniform(1, 11), r.uniform(1, 11), 0};
            const double h    = (solid ? 0 : height(p.x, p.y)) + r.uniform(0, 0.5);
            const auto   body = b.add_body({{p.x, p.y, h}, r.rotation()}, std::to_string(i));
            const double s    = r.uniform(0.05, 0.4);
            switch (i % 4) {
                case 0:
                    b.add_shape_box(body, {}, {s, 0.5 * s, 0.7 * s}, {});
                    break;
                case 1:
                    b.add_shape_sphere(body, {}, s, {});
                    break;
                case 2:
                    b.add_shape_capsule(body, {}, 0.5 * s, s, {});
                    break;
                default:
                    b.add_shape_mesh(body, {}, {1, 1, 1}, some_hull(r), {});
                    break;
            }
        }
        const auto         m = frozen(b);
        auto               s = model::make_state(m);
        std::vector<Vec3d> v;
        for (std::size_t i = 0; i < s.body_q.size(); ++i) v.push_back(i == 0 ? Vec3d{0.1, 0, 0} : r.vec(3));
        CollisionPipeline pipeline(m), other(m);
        PairCache         cache;
        auto              contacts = pipeline.make_contacts(), anew = other.make_contacts();
        int               found = 0;
        for (int step = 0; step < 40; ++step) {
            // What was saved knows no triangles: they are looked up anew.
            PairCache restored;
            REQUIRE(restored.restore(cache.save(), m));
            other.collide(s, 0.01, anew, &restored);
            pipeline.collide(s, 0.01, contacts, &cache);
            CHECK(hash_of(contacts) == hash_of(anew));
            found += contacts.rigid_contact_count;
            for (std::size_t i = 0; i < s.body_q.size(); ++i) {
                const auto X = static_cast<Posed>(s.body_q[i]);
                if (step % 8 == 7) v[i].z = -v[i].z;
                s.body_qd[i].linear = static_cast<Vec3>(v[i]);
                s.body_q[i]         = static_cast<Pose>(Posed{X.p + 0.01 * v[i], X.q});
            }
        }
        CHECK(found > 1000);
    }
}
