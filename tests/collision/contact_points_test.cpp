#include "field_scene.h"
#include "mechane/collision/soft_contacts.h"

using namespace mechane;
using namespace mechane::test;

TEST_CASE(
    "the points of a contact in the world differ by its distance along the normal, however the body lies (GAP-047)")
{
    for_seeds(50, [](Random& r) {
        model::ModelBuilder b;
        model::ShapeConfig  c;
        c.margin = r.uniform(0, 0.02);
        b.add_ground_plane();
        b.add_shape_sphere(b.add_body({{3, -2, 0.95}, r.rotation()}, "ball"), {}, 1, c);
        const auto        m     = frozen_scene(b);
        const auto        state = model::make_state(m);
        const auto        found = press(m).contacts;
        std::vector<Vec3> p0(1), p1(1);
        std::vector<Real> separation(1);
        REQUIRE(found.rigid_contact_count == 1);
        collision::contact_points_world(m, state, found, p0, p1, separation);
        // The ball reaches 1 m plus its margin below its middle, which is 0.95 m above the plane.
        const double depth = 0.05 + c.margin;
        CHECK(static_cast<double>(separation[0]) == close_to(-depth, 1e-6));
        CHECK(distance(static_cast<Vec3d>(p1[0] - p0[0]), Vec3d{0, 0, -depth}) < 2e-6);
        CHECK(distance(static_cast<Vec3d>(p0[0]), Vec3d{3, -2, 0}) < 2e-6);
    });
}

TEST_CASE("a shape without both kinds of contact is as one of group 0, without one kind it keeps the other (GAP-037)")
{
    struct Found {
        std::int32_t contacts, pairs, soft;
        bool         operator==(const Found&) const = default;
    };
    const auto meet = [](const model::ShapeConfig& config) {
        model::ModelBuilder b;
        b.add_shape_box(b.add_body({}, "box"), {}, {0.5, 0.5, 0.5}, config);
        model::ShapeConfig other;
        other.has_particle_collision = false;
        b.add_shape_sphere(b.add_body({{0, 0, 0.9}, {}}, "ball"), {}, 0.5, other);
        const auto          m        = frozen_scene(b);
        const Vec3          at[]     = {{Real(0.55), 0, 0}};
        const Real          radius[] = {Real(0.1)};
        model::SoftContacts soft;
        collision::SoftContactFinder(m).find(model::make_state(m), {.position = at, .radius = radius}, 0, soft);
        const auto pressed = press(m);
        return Found{pressed.contacts.rigid_contact_count, pressed.status.candidate_pairs, soft.soft_contact_count};
    };
    model::ShapeConfig neither, no_shapes, no_particles, none;
    neither.has_shape_collision = neither.has_particle_collision = false;
    no_shapes.has_shape_collision                                = false;
    no_particles.has_particle_collision                          = false;
    none.collision_group                                         = 0;
    CHECK(meet({}) == Found{1, 1, 1});
    CHECK(meet(neither) == Found{0, 0, 0});
    CHECK(meet(none).contacts == 0);
    CHECK(meet(none).pairs == 0);
    CHECK(meet(no_shapes) == Found{0, 0, 1});
    CHECK(meet(no_particles) == Found{1, 1, 0});
}
