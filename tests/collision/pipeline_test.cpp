#include "mechane/collision/pipeline.h"

#include <cstring>

#include "mechane/collision/narrow_phase.h"
#include "mechane/geometry/heightfield.h"
#include "mechane/model/builder.h"
#include "mechane/tasks/parallel.h"
#include "models.h"
#include "support/allocations.h"
#include "unseen.h"

using namespace mechane;
using namespace mechane::test;
using collision::CollisionPipeline;

namespace {

/// A pile of mixed shapes over the ground, with seeded poses and velocities.
model::Model pile(int count)
{
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    Random r(7);
    for (int i = 0; i < count; ++i) {
        const std::int32_t body = b.add_body({{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(0, 1)}, r.rotation()},
                                             "body" + std::to_string(i));
        const Posed        at{r.vec(0.02), r.rotation()};
        switch (i % 6) {
            case 0:
                b.add_shape_sphere(body, at, r.uniform(0.05, 0.2), b.default_shape);
                break;
            case 1:
                b.add_shape_capsule(body, at, r.uniform(0.05, 0.1), r.uniform(0.05, 0.2), b.default_shape);
                break;
            case 2:
                b.add_shape_box(body, at, {0.1, r.uniform(0.05, 0.2), 0.15}, b.default_shape);
                break;
            case 3:
                b.add_shape_cylinder(body, at, 0.1, r.uniform(0.05, 0.2), b.default_shape);
                break;
            case 4:
                b.add_shape_cone(body, at, 0.1, r.uniform(0.1, 0.2), b.default_shape);
                break;
            default:
                b.add_shape_mesh(body, at, {0.3, 0.2, 0.25}, std::make_shared<geometry::Mesh>(cube_mesh(0.5)),
                                 b.default_shape);
                break;
        }
    }
    b.add_ground_plane();
    return frozen(b);
}

std::shared_ptr<const geometry::Mesh> unseen_stone(Random& r)
{
    auto hull = geometry::build_hull(unseen_cloud(r));
    REQUIRE(hull.has_value());
    return std::make_shared<geometry::Mesh>(r.below(2) ? cut_at_random(r, *hull) : *hull);
}

/// A scene that nobody has chosen: some worlds of bodies of all types with one or two shapes each, in groups, with
/// margins and gaps, over grounds of every kind, of any scale.
model::Model jumble(std::uint64_t seed)
{
    Random              r(seed);
    model::ModelBuilder b;
    const double        unit = power_of_ten(r, -1, 1);
    b.rigid_gap              = unit * r.uniform(0, 0.05);
    const auto config        = [&] {
        model::ShapeConfig c = b.default_shape;
        c.margin             = r.below(3) ? 0 : unit * r.uniform(0, 0.02);
        c.collision_group    = r.below(4) ? 1 : static_cast<std::int32_t>(r.below(5)) - 2;
        return c;
    };
    const auto ground = [&] {
        const Posed at{unit * Vec3d{0, 0, r.uniform(-0.2, 0.2)}, from_axis_angle(r.direction(), r.uniform(0, 0.3))};
        switch (r.below(4)) {
            case 0:
                b.add_ground_plane();
                break;
            case 1:
                b.add_shape_plane(-1, at, 3 * unit, 2 * unit, config());
                break;
            case 2:
                b.add_shape_mesh(-1, at, {1, 1, 1}, std::make_shared<geometry::Mesh>(sheet_at_random(r, 2 * unit)),
                                 config());
                break;
            default: {
                std::vector<double> heights(81);
                for (double& h : heights) h = unit * r.uniform(0, 0.2);
                auto field = geometry::heightfield_mesh(
                    {.rows = 9, .columns = 9, .half_x = 2 * unit, .half_y = 2 * unit, .elevations = heights});
                REQUIRE(field.has_value());
                b.add_shape_heightfield(at, {1, 1, 1}, std::make_shared<geometry::Mesh>(*std::move(field)), config());
                break;
            }
        }
    };
    const auto size = [&] { return unit * r.uniform(0.05, 0.25); };
    const auto add  = [&](std::int32_t body) {
        const Posed at{0.05 * unit * r.direction(), r.rotation()};
        switch (r.below(8)) {
            case 0:
                return b.add_shape_sphere(body, at, size(), config());
            case 1:
                return b.add_shape_capsule(body, at, size(), size(), config());
            case 2:
                return b.add_shape_box(body, at, {size(), size(), size()}, config());
            case 3:
                return b.add_shape_cylinder(body, at, size(), size(), config());
            case 4:
                return b.add_shape_cone(body, at, size(), size(), config());
            case 5:
                return b.add_shape_ellipsoid(body, at, {size(), size(), size()}, config());
            default:
                return b.add_shape({.type   = r.below(2) ? model::GeoType::mesh : model::GeoType::convex_mesh,
                                    .body   = body,
                                    .xform  = at,
                                    .scale  = {size(), size(), size()},
                                    .source = unseen_stone(r),
                                    .config = config()});
        }
    };
    if (r.below(2)) ground();
    const std::uint32_t worlds = r.below(4);
    for (std::uint32_t w = 0; w < std::max(1u, worlds); ++w) {
        if (worlds > 0) b.begin_world();
        if (r.below(2)) ground();
        for (std::uint32_t i = 0, bodies = 20 + r.below(60); i < bodies; ++i) {
            const auto body =
                b.add_body({unit * Vec3d{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(0, 0.8)}, r.rotation()}, "body");
            for (std::uint32_t k = 1 + r.below(4) / 3; k > 0; --k) add(body);
        }
        if (worlds > 0) b.end_world();
    }
    return frozen(b);
}

std::string bytes_of(const model::Contacts& c)
{
    std::string out;
    const auto  n   = static_cast<std::size_t>(c.rigid_contact_count);
    const auto  put = [&](const auto& v) { out.append(reinterpret_cast<const char*>(v.data()), n * sizeof(v[0])); };
    put(c.rigid_contact_shape0), put(c.rigid_contact_shape1), put(c.rigid_contact_point0), put(c.rigid_contact_point1);
    put(c.rigid_contact_offset0), put(c.rigid_contact_offset1), put(c.rigid_contact_normal),
        put(c.rigid_contact_margin0);
    put(c.rigid_contact_margin1), put(c.rigid_contact_distance), put(c.rigid_contact_feature);
    return out;
}

struct Result {
    model::Contacts          contacts;
    collision::CollideStatus status;
};
Result collide_once(const model::Model& m, double dt = 0, collision::PipelineOptions options = {})
{
    CollisionPipeline pipeline(m, options);
    Result            r{pipeline.make_contacts(), {}};
    r.status = pipeline.collide(model::make_state(m), dt, r.contacts);
    return r;
}

}  // namespace

TEST_CASE(
    "a sphere and a capsule are stored as core points with their radius in the margin (COL-020, COL-021, COL-022)")
{
    model::ModelBuilder b;
    model::ShapeConfig  c;
    c.margin         = 0.02;
    const Quatd q    = turn('y', 90);
    const auto  ball = b.add_body({{0, 0, 0.45}, q}, "ball");
    b.add_shape_sphere(ball, {}, 0.5, c);
    b.add_ground_plane();
    const auto m = frozen(b);
    const auto r = collide_once(m);
    REQUIRE(r.contacts.rigid_contact_count == 1);
    // The plane is shape 0 whatever its index: its kind comes first.
    CHECK(r.contacts.rigid_contact_shape0[0] == 1);
    CHECK(r.contacts.rigid_contact_shape1[0] == 0);
    CHECK(distance(r.contacts.rigid_contact_normal[0], Vec3{0, 0, 1}) < 1e-6);
    CHECK(distance(r.contacts.rigid_contact_point1[0], Vec3{0, 0, 0}) < 1e-6);  // the centre, in the body's frame
    CHECK(static_cast<double>(r.contacts.rigid_contact_margin1[0]) == close_to(0.52, 1e-6));
    CHECK(static_cast<double>(r.contacts.rigid_contact_distance[0]) == close_to(-0.05 - 0.02, 1e-6));
    // The offset leads from the centre down to the inflated surface; -z of the world is the body's -z turned back by
    // -90 degrees.
    CHECK(distance(r.contacts.rigid_contact_offset1[0],
                   Vec3(rotate_inverse(static_cast<Quat>(q), Vec3{0, 0, static_cast<Real>(-0.52)}))) < 1e-6);
}

TEST_CASE(
    "every row satisfies the identity of the separation and is sorted by shapes and feature (COL-020, COL-068, "
    "COL-159)")
{
    const auto  m = pile(120);
    const auto  s = model::make_state(m);
    const auto  r = collide_once(m, 1.0 / 60);
    const auto& c = r.contacts;
    REQUIRE(c.rigid_contact_count > 100);
    const auto world = [&](std::int32_t shape, const Vec3& p) {
        const std::int32_t body = m.shape_body[static_cast<std::size_t>(shape)];
        return body < 0 ? static_cast<Vec3d>(p)
                        : static_cast<Posed>(s.body_q[static_cast<std::size_t>(body)]) * static_cast<Vec3d>(p);
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.rigid_contact_count); ++i) {
        const Vec3d  n   = static_cast<Vec3d>(c.rigid_contact_normal[i]);
        const double sep = dot(n, world(c.rigid_contact_shape1[i], c.rigid_contact_point1[i]) -
                                      world(c.rigid_contact_shape0[i], c.rigid_contact_point0[i])) -
                           static_cast<double>(c.rigid_contact_margin0[i]) -
                           static_cast<double>(c.rigid_contact_margin1[i]);
        CHECK(sep == close_to(static_cast<double>(c.rigid_contact_distance[i]),
                              2e-6));  // storage in float of metre-sized numbers
        CHECK(length(n) == close_to(1, 1e-6));
        if (i == 0) continue;
        const auto key = [&](std::size_t k) {
            return std::tuple{c.rigid_contact_shape0[k], c.rigid_contact_shape1[k], c.rigid_contact_feature[k]};
        };
        CHECK(key(i - 1) <= key(i));
    }
}

TEST_CASE(
    "contacts are the same bytes for any number of threads and after any history of the buffer (COL-066, COL-067)")
{
    const auto m         = pile(300);
    const auto reference = bytes_of(collide_once(m, 1.0 / 60).contacts);
    REQUIRE(!reference.empty());
    for (const int threads : {1, 2, 5, 8}) {
        CAPTURE(threads);
        const tasks::Pool pool(threads);
        CollisionPipeline pipeline(m, {.pool = &pool});
        auto              contacts = pipeline.make_contacts();
        for (auto& n : contacts.rigid_contact_normal) n = {9, 9, 9};
        for (int run = 0; run < 3; ++run) {
            pipeline.collide(model::make_state(m), 1.0 / 60, contacts);
            CHECK(bytes_of(contacts) == reference);
            CHECK(contacts.contact_generation == run + 1);  // (COL-059)
        }
    }
}

TEST_CASE("rows of thousands of pairs are in order however kinds are mixed, in one world or in many (COL-066, COL-068)")
{
    for (const int worlds : {1, 500}) {
        CAPTURE(worlds);
        model::ModelBuilder b;
        Random              r(68);
        const int           all = 2000;
        const double        box = worlds == 1 ? 1.1 : 0.2;  // so that a shape meets a few others
        for (int w = 0; w < worlds; ++w) {
            b.begin_world();
            for (int i = 0; i < all / worlds; ++i) {
                const auto body = b.add_body({r.vec(box), r.rotation()}, std::to_string(w) + "/" + std::to_string(i));
                switch (r.below(3)) {
                    case 0:
                        b.add_shape_box(body, {}, {0.1, 0.08, 0.06}, {});
                        break;
                    case 1:
                        b.add_shape_capsule(body, {}, 0.06, 0.08, {});
                        break;
                    default:
                        b.add_shape_sphere(body, {}, 0.1, {});
                        break;
                }
            }
            b.add_ground_plane();
            b.end_world();
        }
        const auto  m = frozen(b);
        std::string reference;
        for (const int threads : {1, 2, 5}) {
            CAPTURE(threads);
            const tasks::Pool pool(threads);
            CollisionPipeline pipeline(m, {.pool = &pool});
            auto              contacts = pipeline.make_contacts();
            const auto        status   = pipeline.collide(model::make_state(m), 0, contacts);
            CHECK(status.candidate_pairs > 4000);
            if (threads == 1) reference = bytes_of(contacts);
            CHECK(bytes_of(contacts) == reference);
            const auto pair = [&](std::size_t i) {
                return std::pair{contacts.rigid_contact_shape0[i], contacts.rigid_contact_shape1[i]};
            };
            std::size_t turned = 0, falls = 0;
            for (std::size_t i = 1; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
                falls += pair(i) < pair(i - 1) ? 1 : 0;
                turned += pair(i).first > pair(i).second ? 1 : 0;
            }
            CHECK(falls == 0);
            CHECK(turned > 1000);
        }
    }
}

TEST_CASE(
    "scenes that nobody has chosen give the same bytes for any number of threads, and no allocation once warm "
    "(COL-058, COL-066)")
{
    int contacts_seen = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        const auto  m = jumble(seed);
        const auto  s = model::make_state(m);
        std::string reference;
        for (const int threads : {1, 2, 8}) {
            CAPTURE(threads);
            const tasks::Pool pool(threads);
            CollisionPipeline pipeline(m, {.pool = &pool});
            auto              contacts = pipeline.make_contacts();
            pipeline.collide(s, 1.0 / 60, contacts);
            if (threads == 1) {
                reference = bytes_of(contacts);
                contacts_seen += contacts.rigid_contact_count;
                pipeline.collide(s, 1.0 / 60, contacts);
                const std::size_t before = allocations();
                pipeline.collide(s, 1.0 / 60, contacts);
                CHECK(allocations() - before == 0);
            }
            CHECK(bytes_of(contacts) == reference);
        }
    }
    CHECK(contacts_seen > 3000);
}

TEST_CASE("calls that keep contacts allocate nothing once warm, whether the pairs move or not (COL-058)")
{
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        CAPTURE(seed);
        const auto           m      = jumble(seed);
        auto                 states = std::vector(2, model::make_state(m));
        CollisionPipeline    pipeline(m);
        collision::PairCache cache;
        auto                 contacts = pipeline.make_contacts();
        for (Pose& X : states[1].body_q) X.p.x += Real(1e-3) * (X.p.y > 0 ? 1 : -1);
        const auto run = [&] {
            std::int32_t kept = 0;
            for (const int which : {0, 0, 1, 1, 0, 1})
                kept +=
                    pipeline.collide(states[static_cast<std::size_t>(which)], 1.0 / 60, contacts, &cache).kept_pairs;
            return kept;
        };
        for (int warm = 0; warm < 3; ++warm) run();
        const std::size_t before = allocations();
        CHECK(run() > 0);
        CHECK(allocations() - before == 0);
    }
}

TEST_CASE("contacts of a surface of particles allocate nothing either (COL-058, COL-138)")
{
    model::ModelBuilder b;
    b.add_ground_plane();
    for (int i = 0; i < 400; ++i) b.add_particle({0.1 * (i % 20), 0.1 * (i / 20), 0}, {}, 1, 0.01);
    std::vector<std::array<std::int32_t, 3>> triangles;
    for (std::int32_t i = 0; i < 380; ++i)
        if (i % 20 < 19) triangles.push_back({i, i + 1, i + 21}), triangles.push_back({i, i + 21, i + 20});
    b.add_particle_surface(triangles);
    const auto        m = frozen(b);
    const auto        s = model::make_state(m);
    CollisionPipeline pipeline(m, {.enable_rigid_soft_full_surface_contact = true});
    auto              contacts = pipeline.make_contacts();
    pipeline.collide(s, 0, contacts);
    CHECK(contacts.soft_contact_count == static_cast<std::int32_t>(400 + m.edge_count() + m.tri_count()));
    const std::size_t before = allocations();
    pipeline.collide(s, 0, contacts);
    CHECK(allocations() - before == 0);
}

TEST_CASE("a pipeline that has warmed up allocates nothing (COL-058)")
{
    const auto        m = pile(200);
    const auto        s = model::make_state(m);
    CollisionPipeline pipeline(m);
    auto              contacts = pipeline.make_contacts();
    pipeline.collide(s, 1.0 / 60, contacts);
    pipeline.collide(s, 1.0 / 60, contacts);
    const std::size_t before = allocations();
    pipeline.collide(s, 1.0 / 60, contacts);
    CHECK(allocations() - before == 0);
}

TEST_CASE("no broad phase and no narrow phase allocates in a launch once it is warm, nor waits for anything (COL-166)")
{
    // The boxes drift, so that the sweep sorts and the tree moves leaves; as many pairs as in the warm-up fit.
    constexpr std::size_t                    kCount = 60;
    Random                                   r(3);
    std::vector<collision::NarrowPhaseShape> shapes;
    std::vector<collision::ShapeFilter>      filters;
    std::vector<geometry::Aabbd>             boxes;
    std::vector<double>                      gaps(kCount, 0.01), penetration(2000);
    std::vector<collision::ShapePair>        pairs(2000), of(2000);
    std::vector<Vec3d>                       position(2000), normal(2000);
    constexpr ShapeKind kKinds[] = {ShapeKind::sphere, ShapeKind::capsule,   ShapeKind::box,  ShapeKind::cylinder,
                                    ShapeKind::cone,   ShapeKind::ellipsoid, ShapeKind::hull, ShapeKind::mesh};
    for (std::size_t i = 0; i < kCount; ++i) {
        Shape s = shape(kKinds[i % std::size(kKinds)], {0.2, 0.15, 0.1}, r.vec(0.6), r.rotation());
        if (s.kind == ShapeKind::hull) s.hull = &cube_hull();
        if (s.kind == ShapeKind::mesh) s.mesh = &cube_surface();
        shapes.push_back({.shape = s, .gap = 0.01});
        filters.push_back({.body = static_cast<std::int32_t>(i), .active = true, .mobile = true});
        boxes.push_back(collision::bounds(s));
    }
    collision::NarrowPhase narrow;
    for (const char* mode : {"nxn", "sap", "explicit", "tree"}) {
        CAPTURE(mode);
        const auto broad  = collision::make_broad_phase(*collision::broad_phase_mode(mode), filters, {});
        const auto launch = [&] {
            const std::size_t n = broad->launch(boxes, gaps, {}, pairs);
            REQUIRE(n <= pairs.size());
            return narrow
                .launch(shapes, std::span(pairs).first(n),
                        {.contact_pair        = of,
                         .contact_position    = position,
                         .contact_normal      = normal,
                         .contact_penetration = penetration})
                .contact_count;
        };
        CHECK(launch() > 100);
        launch();
        for (geometry::Aabbd& box : boxes) box.lower.x += 0.001, box.upper.x += 0.001;
        launch();
        const std::size_t before = allocations();
        launch();
        CHECK(allocations() - before == 0);
    }
    const std::size_t before = allocations();
    std::size_t       seen   = 0;
    const auto        count  = [&seen](const collision::ContactData&) { ++seen; };
    narrow.launch_custom_write(shapes, std::span(pairs).first(20), count);
    for (std::size_t i = 1; i < kCount; ++i)
        if (shapes[i].shape.kind != ShapeKind::mesh && shapes[i - 1].shape.kind != ShapeKind::mesh)
            collision::core_distance(shapes[i - 1].shape, shapes[i].shape);
    CHECK(allocations() - before == 0);
    CHECK(seen > 0);
}

TEST_CASE("pairs with distance fields allocate nothing either, once warm (COL-058)")
{
    // Cubes with hollow sides as far as the pipeline knows: half of them press, half are searched edge by edge.
    model::ModelBuilder b;
    auto                mesh = std::make_shared<geometry::Mesh>(cube_mesh(0.5));
    mesh->is_convex          = false;
    model::ShapeConfig c;
    c.sdf                     = model::SdfConfig{};
    c.sdf->force_sdf          = true;
    c.sdf->sdf_max_resolution = 32;
    Random r(5);
    for (int i = 0; i < 16; ++i) {
        c.is_hydroelastic = i % 2 == 0;
        b.add_shape_mesh(b.add_body({r.vec(0.9), r.rotation()}, "cube"), {}, {1, 1, 1}, mesh, c);
    }
    const auto        m = frozen(b);
    const auto        s = model::make_state(m);
    CollisionPipeline pipeline(m);
    CHECK(pipeline.sdf_count() == 1);
    auto contacts = pipeline.make_contacts();
    pipeline.collide(s, 0, contacts);
    pipeline.collide(s, 0, contacts);
    const std::size_t before = allocations();
    pipeline.collide(s, 0, contacts);
    CHECK(allocations() - before == 0);
    CHECK(contacts.rigid_contact_count > 50);
}

TEST_CASE("integer groups, worlds, bodies and filter pairs decide who may touch (COL-030, COL-031, COL-035, COL-037)")
{
    struct {
        std::int32_t a, b;
        bool         collide;
    } groups[] = {{0, 0, false}, {0, 1, false}, {0, -1, false},  {1, 1, true},  {1, 2, false},
                  {1, -1, true}, {2, -1, true}, {-1, -1, false}, {-1, -2, true}};
    for (const auto& row : groups) {
        CAPTURE(row.a);
        CAPTURE(row.b);
        for (const bool swapped : {false, true}) {
            model::ModelBuilder b;
            for (const int g : {swapped ? row.b : row.a, swapped ? row.a : row.b}) {
                model::ShapeConfig c;
                c.collision_group = g;
                b.add_shape_sphere(b.add_body({}, "ball"), {}, 0.5, c);
            }
            CHECK((collide_once(frozen(b)).contacts.rigid_contact_count > 0) == row.collide);
        }
    }
    model::ModelBuilder b;
    const auto          one = b.add_body({}, "one"), two = b.add_body({{0.5, 0, 0}, {}}, "two");
    b.add_shape_sphere(one, {}, 0.5, b.default_shape);
    b.add_shape_sphere(one, {{0.1, 0, 0}, {}}, 0.5, b.default_shape);  // same body
    const auto s2 = b.add_shape_sphere(two, {}, 0.5, b.default_shape);
    b.add_shape_sphere(-1, {}, 0.5, b.default_shape);
    b.add_shape_sphere(-1, {{0.1, 0, 0}, {}}, 0.5, b.default_shape);  // static and static
    CHECK(collide_once(frozen(b)).status.candidate_pairs ==
          2 + 3 * 2);  // one-two twice; three moving spheres on two static ones
    b.add_shape_collision_filter_pair(s2, 0);
    CHECK(collide_once(frozen(b)).status.candidate_pairs == 7);
}

TEST_CASE("a plane for all and three copies of a world give the nine pairs once (COL-032, COL-033)")
{
    model::ModelBuilder env;
    for (const double x : {0.0, 0.5})
        env.add_shape_sphere(env.add_body({{x, 0, 0.4}, {}}, "ball"), {}, 0.5, env.default_shape);
    model::ModelBuilder b;
    b.add_ground_plane();
    REQUIRE(b.replicate(env, 3));
    const auto r = collide_once(frozen(b));
    CHECK(r.status.candidate_pairs == 9);
    CHECK(r.contacts.rigid_contact_count == 9);
}

TEST_CASE("the sweep finds exactly the pairs of overlapping boxes that a loop over all pairs finds (COL-034)")
{
    for_seeds(40, [](Random& r) {
        model::ModelBuilder b;
        const int           n = 40;
        for (int i = 0; i < n; ++i)
            b.add_shape_sphere(b.add_body({r.vec(1.5), {}}, "ball"), {}, r.uniform(0.1, 0.4), b.default_shape);
        const auto m        = frozen(b);
        int        expected = 0;  // spheres: boxes overlap when no axis separates by more than radii and gaps
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
            for (std::size_t k = 0; k < i; ++k) {
                const Vec3d  d     = abs(static_cast<Vec3d>(m.body_q[i].p) - static_cast<Vec3d>(m.body_q[k].p));
                const double reach = static_cast<double>(m.shape_scale[i].x) + static_cast<double>(m.shape_scale[k].x) +
                                     static_cast<double>(m.shape_gap[i]) + static_cast<double>(m.shape_gap[k]);
                expected += max_component(d) <= reach ? 1 : 0;
            }
        CHECK(collide_once(m).status.candidate_pairs == expected);
    });
}

TEST_CASE(
    "closing within the step admits a contact beyond the gap, receding and moving along does not (COL-028, COL-029)")
{
    struct {
        double v0, v1, dt;
        bool   contact;
    } table[] = {{0, -8, 1.0 / 60, true}, {0, 8, 1.0 / 60, false}, {-8, -8, 1.0 / 60, false},
                 {4, -4, 1.0 / 60, true}, {0, -8, 0, false},       {0, -2, 1.0 / 60, false}};
    for (const auto& row : table) {
        CAPTURE(row.v0);
        CAPTURE(row.v1);
        model::ModelBuilder b;
        b.rigid_gap = 0.001;
        b.add_shape_sphere(b.add_body({}, "a"), {}, 0.5, b.default_shape);
        b.add_shape_sphere(b.add_body({{0, 0, 1.05}, {}}, "b"), {}, 0.5,
                           b.default_shape);  // 5 cm apart: 3 m/s close it in 1/60 s
        b.bodies[0].qd.linear.z = row.v0;
        b.bodies[1].qd.linear.z = row.v1;
        const auto m            = frozen(b);
        auto       s            = model::make_state(m);
        s.body_qd[0].linear.z   = static_cast<Real>(row.v0);
        s.body_qd[1].linear.z   = static_cast<Real>(row.v1);
        CollisionPipeline pipeline(m);
        auto              contacts = pipeline.make_contacts();
        pipeline.collide(s, row.dt, contacts);
        CHECK((contacts.rigid_contact_count == 1) == row.contact);
    }
}

TEST_CASE("a fixed capacity keeps the deepest and says so, an open one grows (COL-060, COL-062, COL-063)")
{
    model::ModelBuilder b;
    for (int i = 0; i < 20; ++i)
        b.add_shape_sphere(b.add_body({{3.0 * i, 0, 0.5 - 0.01 * i}, {}}, "ball"), {}, 0.5, b.default_shape);
    b.add_ground_plane();
    const auto m     = frozen(b);
    const auto fixed = collide_once(m, 0, {.rigid_contact_max = 5});
    CHECK(fixed.status.overflow);
    CHECK(fixed.contacts.rigid_contact_count == 5);
    CHECK(fixed.contacts.rigid_contact_needed == 20);
    for (std::size_t i = 0; i < 5; ++i)
        CHECK(fixed.contacts.rigid_contact_shape1[i] == static_cast<std::int32_t>(15 + i));  // the lowest five
    CollisionPipeline pipeline(m);
    model::Contacts   small;
    small.resize(3);
    const auto status = pipeline.collide(model::make_state(m), 0, small);
    CHECK(!status.overflow);
    CHECK(small.rigid_contact_count == 20);
    CollisionPipeline bounded(m, {.rigid_contact_limit = 10});
    model::Contacts   some;
    some.resize(3);
    const auto cut = bounded.collide(model::make_state(m), 0, some);
    CHECK(cut.overflow);
    CHECK(cut.rows.dropped == 10);
    CHECK(some.rigid_contact_count == 10);
    CHECK(some.rigid_contact_needed == 20);
    for (std::size_t i = 0; i < 10; ++i) CHECK(some.rigid_contact_shape1[i] == static_cast<std::int32_t>(10 + i));
}

TEST_CASE("of a hundred thousand contacts in one world none is dropped unless the capacity says so (DYN-144, T-106)")
{
    constexpr int       kBalls = 100'000;
    model::ModelBuilder b;
    for (int i = 0; i < kBalls; ++i)
        b.add_shape_sphere(b.add_body({{1.5 * (i % 400), 1.5 * (i / 400), 0.5 - 1e-6 * i}, {}}, "ball"), {}, 0.5,
                           b.default_shape);
    b.add_ground_plane();
    const auto m    = frozen(b);
    const auto open = collide_once(m, 0);
    CHECK(open.contacts.rigid_contact_count == kBalls);
    CHECK(!open.status.overflow);
    const auto fixed = collide_once(m, 0, {.rigid_contact_max = kBalls / 2});
    CHECK(fixed.status.overflow);
    CHECK(fixed.contacts.rigid_contact_count == kBalls / 2);
    CHECK(fixed.contacts.rigid_contact_needed == kBalls);
    CHECK(fixed.contacts.rigid_contact_shape1[0] == kBalls / 2);  // the lower half of the balls
}

TEST_CASE("a body that is not finite loses its contacts and changes nobody else's (COL-154, COL-155)")
{
    const auto m    = pile(60);
    auto       s    = model::make_state(m);
    const auto body = static_cast<std::size_t>(17);
    for (const int kind : {0, 1, 2}) {
        CAPTURE(kind);
        auto bad = s;
        if (kind == 0) bad.body_q[body].p.x = static_cast<Real>(NAN);
        if (kind == 1) bad.body_q[body].q = {0, 0, 0, 2};
        if (kind == 2) bad.body_q[body].q = {0, 0, 0, 0};
        auto far           = s;  // the same scene with the body out of the way
        far.body_q[body].p = {1000, 1000, 1000};
        CollisionPipeline pipeline(m);
        auto              x = pipeline.make_contacts(), y = pipeline.make_contacts();
        CHECK(pipeline.collide(bad, 0, x).unsound_bodies == 1);
        pipeline.collide(far, 0, y);
        CHECK(bytes_of(x) == bytes_of(y));
    }
}

TEST_CASE(
    "a shape of a size or point that is none is named and touches nothing, the others touch as ever; an index that is "
    "none refuses the model (COL-156, where import-usd.md 9.2 takes a negative radius for its size)")
{
    using geometry::Mesh;
    Mesh no_point = cube_mesh(0.5), no_index = cube_mesh(0.5), half_index = cube_mesh(0.5);
    no_point.points[3].y       = NAN;
    no_index.triangles[5][2]   = 8;
    half_index.triangles[7][0] = -1;
    struct Row {
        const char*           says;
        model::GeoType        type;
        Vec3d                 scale;
        std::shared_ptr<Mesh> source;
    };
    const Row rows[] = {
        {"size (nan", model::GeoType::sphere, {NAN, 0, 0}, nullptr},
        {"size (0.1, inf", model::GeoType::capsule, {0.1, INFINITY, 0}, nullptr},
        {"size (0.1, -0.2", model::GeoType::cone, {0.1, -0.2, 0}, nullptr},
        {"point 3", model::GeoType::mesh, {1, 1, 1}, std::make_shared<Mesh>(no_point)},
        {"beyond the mesh's 8", model::GeoType::mesh, {1, 1, 1}, std::make_shared<Mesh>(no_index)},
        {"beyond the mesh's 8", model::GeoType::convex_mesh, {1, 1, 1}, std::make_shared<Mesh>(half_index)},
        {"size (nan", model::GeoType::mesh, {NAN, 1, 1}, std::make_shared<Mesh>(cube_mesh(0.5))}};
    for (const Row& row : rows) {
        CAPTURE(row.says);
        model::ModelBuilder b;
        b.add_shape_sphere(b.add_body({{0, 0, 0.45}, {}}, "ball"), {}, 0.5, b.default_shape);
        b.add_shape_sphere(b.add_body({{5, 0, 0.45}, {}}, "negative"), {}, -0.5, b.default_shape);
        b.add_ground_plane();
        model::ShapeConfig weightless = b.default_shape;
        weightless.density            = 0;
        b.add_shape({.label  = "the bad one",
                     .type   = row.type,
                     .body   = b.add_body({{0, 0, 0.3}, {}}, "bad"),
                     .scale  = row.scale,
                     .source = row.source,
                     .config = weightless});
        Diagnostics out;
        const auto  m = b.finalize({}, out);
        if (!m) {  // indices beyond the points: the model is refused
            CHECK(m.error().site.prim == "the bad one");
            CHECK(m.error().message.find(row.says) != std::string::npos);
            continue;
        }
        int named = 0;
        for (const Diagnostic& d : out)
            if (d.site.prim.find("the bad one") != std::string::npos && d.message.find(row.says) != std::string::npos)
                ++named;
        CHECK(named == 1);
        const auto r = collide_once(*m);
        REQUIRE(r.contacts.rigid_contact_count == 2);
        for (std::size_t i = 0; i < 2; ++i)
            CHECK(static_cast<double>(r.contacts.rigid_contact_distance[i]) == close_to(-0.05, 1e-6));
    }
}

TEST_CASE("a scene beyond a thousand kilometres still stands on its plane (COL-013, COL-014)")
{
    model::ModelBuilder b;
    b.add_shape_sphere(b.add_body({{2e6, 0, 0.45}, {}}, "ball"), {}, 0.5, b.default_shape);
    b.add_ground_plane();
    const auto r = collide_once(frozen(b));
    REQUIRE(r.contacts.rigid_contact_count == 1);
    CHECK(static_cast<double>(r.contacts.rigid_contact_distance[0]) == close_to(-0.05, 1e-6));
}

TEST_CASE("features keep their names while a box slides and while it crosses the seams of a mesh")
{
    for (const bool mesh : {false, true}) {
        CAPTURE(mesh);
        model::ModelBuilder b;
        b.rigid_gap = 0.01;
        b.add_shape_box(b.add_body({{0, 0, 0.099}, {}}, "box"), {}, {0.13, 0.12, 0.1}, b.default_shape);
        if (mesh)
            b.add_shape_mesh(-1, {}, {1, 1, 1}, std::make_shared<geometry::Mesh>(tiled_plane(8, 1)), b.default_shape);
        else
            b.add_ground_plane();
        const auto                 m = frozen(b);
        auto                       s = model::make_state(m);
        CollisionPipeline          pipeline(m);
        auto                       contacts = pipeline.make_contacts();
        std::vector<std::uint64_t> first;
        for (int step = 0; step < 60; ++step) {
            s.body_q[0].p.x = static_cast<Real>(0.011 * step - 0.3);
            s.body_q[0].p.y = static_cast<Real>(0.003 * step);
            pipeline.collide(s, 0, contacts);
            CAPTURE(step);
            REQUIRE(contacts.rigid_contact_count == 4);
            std::vector<std::uint64_t> now(contacts.rigid_contact_feature.begin(),
                                           contacts.rigid_contact_feature.begin() + 4);
            if (step == 0) first = now;
            CHECK(now == first);
        }
    }
}
