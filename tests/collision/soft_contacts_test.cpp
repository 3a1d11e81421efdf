#include "mechane/collision/soft_contacts.h"

#include "field_scene.h"

using namespace mechane;
using namespace mechane::test;
using collision::SoftContactFinder;
using model::SoftContacts;

namespace {

/// Contacts of one particle with the one shape that `add` puts on a body at (1, 0, 0), itself turned about x.
SoftContacts meet(const std::function<void(model::ModelBuilder&, std::int32_t)>& add, const Vec3d& particle,
                  double radius = 0.1, double gap = 0.01)
{
    model::ModelBuilder b;
    add(b, b.add_body({{1, 0, 0}, {}}, "body"));
    const auto        m    = frozen_scene(b);
    const Vec3        at[] = {static_cast<Vec3>(particle)};
    const Real        r[]  = {static_cast<Real>(radius)};
    SoftContactFinder finder(m);
    SoftContacts      out;
    finder.find(model::make_state(m), {.position = at, .radius = r}, gap, out);
    return out;
}

}  // namespace

TEST_CASE("a particle meets a shape below gap, margin and radius, at the raw surface (COL-135, COL-136)")
{
    const auto cube = std::make_shared<geometry::Mesh>(cube_mesh(0.5));
    auto       open = std::make_shared<geometry::Mesh>(*cube);
    open->is_convex = false;
    model::ShapeConfig thick;
    thick.margin      = 0.02;
    const auto sphere = [](auto& b, auto body) { b.add_shape_sphere(body, {}, 0.5, b.default_shape); };
    const auto raised = [&](auto& b, auto body) { b.add_shape_sphere(body, {}, 0.5, thick); };
    const auto box    = [](auto& b, auto body) { b.add_shape_box(body, {}, {0.5, 0.5, 0.5}, b.default_shape); };
    const auto mesh   = [&](auto& b, auto body) { b.add_shape_mesh(body, {}, {1, 1, 1}, open, b.default_shape); };
    const auto hull   = [&](auto& b, auto body) { b.add_shape_mesh(body, {}, {1, 1, 1}, cube, b.default_shape); };
    const auto small  = [&](auto& b, auto body) { b.add_shape_mesh(body, {}, {0.1, 0.1, 0.1}, open, b.default_shape); };
    const auto uneven = [&](auto& b, auto body) { b.add_shape_mesh(body, {}, {1, 1, 0.1}, open, b.default_shape); };
    const auto egg    = [](auto& b, auto body) { b.add_shape_ellipsoid(body, {}, {0.5, 0.4, 0.3}, b.default_shape); };
    const auto turned = [](auto& b, auto body) {
        b.add_shape_box(body, {{0, 0, 0.2}, turn('y', 90)}, {0.1, 0.5, 0.5}, b.default_shape);
    };
    struct Row {
        const char*                                             name;
        std::function<void(model::ModelBuilder&, std::int32_t)> shape;
        Vec3d                                                   particle;
        double                                                  radius;
        bool                                                    touches;
        Vec3d                                                   body_pos{}, normal{};
    };
    const Row table[] = {
        {"sphere", sphere, {1, 0, 0.605}, 0.1, true, {0, 0, 0.5}, {0, 0, 1}},
        {"sphere, beyond", sphere, {1, 0, 0.615}, 0.1, false},
        {"sphere with margin", raised, {1, 0, 0.615}, 0.1, true, {0, 0, 0.5}, {0, 0, 1}},
        {"box", box, {1.2, 0, 0.55}, 0.1, true, {0.2, 0, 0.5}, {0, 0, 1}},
        {"box from inside", box, {1.4, 0, 0}, 0.1, true, {0.5, 0, 0}, {1, 0, 0}},
        {"mesh", mesh, {1.2, 0, 0.55}, 0.1, true, {0.2, 0, 0.5}, {0, 0, 1}},
        {"mesh from inside", mesh, {1.4, 0, 0}, 0.1, true, {0.5, 0, 0}, {1, 0, 0}},
        {"hull", hull, {1.2, 0, 0.55}, 0.1, true, {0.2, 0, 0.5}, {0, 0, 1}},
        {"hull from inside", hull, {1.4, 0, 0}, 0.1, true, {0.5, 0, 0}, {1, 0, 0}},
        {"ellipsoid", egg, {1, 0, 0.35}, 0.1, true, {0, 0, 0.3}, {0, 0, 1}},
        // 5 mm from the surface of a cube of a tenth the size: the gap is a length of the world, not of the mesh.
        {"scaled mesh", small, {1, 0, 0.055}, 0, true, {0, 0, 0.05}, {0, 0, 1}},
        {"mesh flattened", uneven, {1.2, 0, 0.055}, 0, true, {0.2, 0, 0.05}, {0, 0, 1}},
        {"mesh flattened, beyond", uneven, {1.2, 0, 0.062}, 0, false},
        // Turned by 90 degrees about y the thin side is z: top at 0.3.
        {"box turned in its body", turned, {1.3, 0.2, 0.35}, 0.1, true, {0.3, 0.2, 0.3}, {0, 0, 1}},
    };
    for (const Row& row : table) {
        CAPTURE(std::string(row.name));
        const auto c = meet(row.shape, row.particle, row.radius);
        REQUIRE(c.soft_contact_count == (row.touches ? 1 : 0));
        if (!row.touches) continue;
        CHECK(distance(static_cast<Vec3d>(c.soft_contact_body_pos[0]), row.body_pos) < 1e-6);
        CHECK(distance(static_cast<Vec3d>(c.soft_contact_normal[0]), row.normal) < 1e-6);
        CHECK(c.soft_contact_particle[0] == 0);
        CHECK(c.soft_contact_indices[0] == std::array<std::int32_t, 3>{0, -1, -1});
        CHECK(c.soft_contact_barycentric[0] == Vec3{1, 0, 0});
    }
}

TEST_CASE("the surface point is in the frame of the body however it lies, the normal in the world (COL-136)")
{
    for_seeds(50, [](Random& r) {
        model::ModelBuilder b;
        const Posed         X{r.vec(2), r.rotation()};
        b.add_shape_capsule(b.add_body(X, "body"), {}, 0.2, 0.3, b.default_shape);
        const auto        m        = frozen_scene(b);
        const Vec3d       side     = normalized(Vec3d{r.uniform(-1, 1), r.uniform(-1, 1), 0}, {1, 0, 0});
        const Vec3        at[]     = {static_cast<Vec3>(X * (0.25 * side + Vec3d{0, 0, 0.1}))};
        const Real        radius[] = {static_cast<Real>(0.1)};
        SoftContactFinder finder(m);
        SoftContacts      c;
        finder.find(model::make_state(m), {.position = at, .radius = radius}, 0, c);
        REQUIRE(c.soft_contact_count == 1);
        CHECK(distance(static_cast<Vec3d>(c.soft_contact_body_pos[0]), 0.2 * side + Vec3d{0, 0, 0.1}) < 2e-6);
        CHECK(distance(static_cast<Vec3d>(c.soft_contact_normal[0]), rotate(X.q, side)) < 2e-5);
        CHECK(c.soft_contact_body_vel[0] == Vec3{});
    });
}

TEST_CASE("particles out of play, shapes that leave particles alone, and foreign worlds make no contact (COL-137)")
{
    model::ModelBuilder part;
    part.add_shape_sphere(part.add_body({}, "ball"), {}, 0.5, part.default_shape);
    model::ShapeConfig deaf;
    deaf.has_particle_collision = false;
    part.add_shape_sphere(part.add_body({}, "deaf"), {}, 0.5, deaf);
    model::ShapeConfig only;
    only.has_shape_collision = false;
    part.add_shape_sphere(part.add_body({}, "only particles"), {}, 0.5, only);
    model::ModelBuilder b;
    b.add_ground_plane();
    REQUIRE(b.replicate(part, 2));
    const auto m    = frozen_scene(b);
    const Vec3 at[] = {
        {0, 0, static_cast<Real>(0.05)}, {0, 0, static_cast<Real>(0.05)}, {0, 0, static_cast<Real>(NAN)}, {0, 0, 0}};
    const Real         radius[] = {static_cast<Real>(0.1), static_cast<Real>(0.1), static_cast<Real>(0.1),
                                   static_cast<Real>(0.1)};
    const std::int32_t active[] = {1, 1, 1, 0};
    const std::int32_t world[]  = {0, 1, 0, 0};
    SoftContactFinder  finder(m);
    SoftContacts       c;
    finder.find(model::make_state(m), {at, radius, active, world}, 0.01, c);
    // The plane of all worlds, then the first and third ball of the particle's own world.
    const std::vector<std::pair<std::int32_t, std::int32_t>> expected{{0, 0}, {0, 1}, {0, 3}, {1, 0}, {1, 4}, {1, 6}};
    REQUIRE(c.soft_contact_count == static_cast<std::int32_t>(expected.size()));
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(c.soft_contact_particle[i] == expected[i].first);
        CHECK(c.soft_contact_shape[i] == expected[i].second);
    }
}

TEST_CASE("a particle under a height field is pushed up, one beside it is not touched")
{
    geometry::Mesh      flat = tiled_plane(4, 1);
    model::ModelBuilder b;
    b.add_shape_heightfield({}, {1, 1, 1}, std::make_shared<geometry::Mesh>(flat), b.default_shape);
    const auto        m        = frozen_scene(b);
    const Vec3        at[]     = {{static_cast<Real>(0.1), 0, static_cast<Real>(-0.3)},
                                  {static_cast<Real>(1.5), 0, static_cast<Real>(-0.3)}};
    const Real        radius[] = {static_cast<Real>(0.1), static_cast<Real>(0.1)};
    SoftContactFinder finder(m);
    SoftContacts      c;
    finder.find(model::make_state(m), {.position = at, .radius = radius}, 0.01, c);
    REQUIRE(c.soft_contact_count == 1);
    CHECK(c.soft_contact_particle[0] == 0);
    CHECK(c.soft_contact_normal[0].z == close_to(1, 1e-6));
}

namespace {

/// The ground, which is global, and in each of two worlds a ball of 0.5 at the origin with a particle 5 mm above it and
/// one 5 mm above the ground.
model::ModelBuilder two_worlds()
{
    model::ModelBuilder part;
    part.add_shape_sphere(part.add_body({{0, 0, 1}, {}}, "ball"), {}, 0.5, part.default_shape);
    part.add_particle({0, 0, 1.505}, {}, 1, 0);
    part.add_particle({2, 0, 0.005}, {}, 1, 0);
    model::ModelBuilder b;
    b.add_ground_plane();
    REQUIRE(b.replicate(part, 2));
    return b;
}

std::vector<std::pair<std::int32_t, std::int32_t>> pairs_of(const SoftContacts& c)
{
    std::vector<std::pair<std::int32_t, std::int32_t>> out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.soft_contact_count); ++i)
        out.emplace_back(c.soft_contact_particle[i], c.soft_contact_shape[i]);
    return out;
}

}  // namespace

TEST_CASE("the contacts of a model's particles are found alone, and by the pipeline as the same rows (GAP-049)")
{
    const auto      m     = frozen_scene(two_worlds());
    model::State    state = model::make_state(m);
    model::Contacts alone;
    alone.rigid_contact_count = 5;  // not its business
    collision::create_soft_contacts(m, state, alone, 0.01);
    const std::vector<std::pair<std::int32_t, std::int32_t>> expected{{0, 1}, {1, 0}, {2, 2}, {3, 0}};
    CHECK(pairs_of(alone) == expected);
    CHECK(alone.rigid_contact_count == 5);
    CHECK(alone.capacity() == 0);

    collision::CollisionPipeline pipeline(m);
    model::Contacts              contacts = pipeline.make_contacts();
    const auto                   status   = pipeline.collide(state, 0, contacts);
    CHECK(pairs_of(contacts) == expected);
    CHECK(status.soft.needed == 4);
    CHECK(status.ok());
    CHECK(contacts.soft_contact_normal[0] == alone.soft_contact_normal[0]);

    state.particle_q[0].z += 1;  // out of reach
    pipeline.collide(state, 0, contacts);
    CHECK(contacts.soft_contact_count == 3);
    contacts.clear();
    CHECK(contacts.soft_contact_count == 0);
    state.particle_q[0].z -= 1;
    collision::CollisionPipeline narrow(m, {.soft_contact_gap = 0.001});
    narrow.collide(state, 0, contacts);
    CHECK(contacts.soft_contact_count == 0);  // all are 5 mm away
}

TEST_CASE("a model without particles has no rows of soft contacts, nor has a pipeline that looks for none (GAP-049)")
{
    model::ModelBuilder bare;
    bare.add_ground_plane();
    const auto without = frozen_scene(bare), with = frozen_scene(two_worlds());
    for (const auto& [m, most] : {std::pair{&without, std::optional<std::size_t>{}}, {&with, std::size_t{0}}}) {
        collision::CollisionPipeline pipeline(*m, {.soft_contact_max = most});
        model::Contacts              contacts = pipeline.make_contacts();
        pipeline.collide(model::make_state(*m), 0, contacts);
        CHECK(contacts.soft_contact_count == 0);
        CHECK(contacts.soft_capacity() == 0);
    }
}

TEST_CASE("soft contacts beyond the room for them are counted and reported, the first rows stay")
{
    const auto                   m     = frozen_scene(two_worlds());
    const model::State           state = model::make_state(m);
    collision::CollisionPipeline pipeline(m, {.soft_contact_max = 3});
    model::Contacts              contacts = pipeline.make_contacts();
    CHECK(contacts.soft_capacity() == 3);
    const auto status = pipeline.collide(state, 0, contacts);
    CHECK(contacts.soft_contact_count == 3);
    CHECK(contacts.soft_contact_needed == 4);
    CHECK(pairs_of(contacts).back() == std::pair{2, 2});
    CHECK(status.overflow);
    CHECK(status.soft.dropped == 1);
    Diagnostics found;
    collision::report_overflow(status, found);
    REQUIRE(found.size() == 1);
    CHECK(found.begin()->message.find("raise soft_contact_max") != std::string::npos);

    collision::CollisionPipeline strict(m, {.overflow = collision::OverflowPolicy::error, .soft_contact_max = 3});
    strict.collide(state, 0, contacts);
    CHECK(contacts.soft_contact_count == 0);
    CHECK_FALSE(collision::validate({.soft_contact_gap = -1}));
}
