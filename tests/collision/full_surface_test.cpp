#include "field_scene.h"
#include "mechane/collision/pipeline.h"
#include "mechane/collision/queries.h"
#include "mechane/collision/soft_contacts.h"
#include "mechane/tasks/parallel.h"

/// Contacts of edges and triangles of particles with shapes (COL-138).
using namespace mechane;
using namespace mechane::test;
using collision::SoftContactFinder;
using model::SoftContacts;

namespace {

using AddShape = std::function<void(model::ModelBuilder&, std::int32_t)>;

/// A row of an edge or a triangle with one shape, and where it is.
struct Met {
    int    count = 0;
    Vec3d  weights, place, surface, normal;
    double distance = 0;  ///< of the place from the surface point, along the normal
};

/// One shape at the origin, and a feature of particles without radius: two or three corners.
Met meet(const AddShape& add, const std::vector<Vec3d>& corners, double gap = 1)
{
    model::ModelBuilder b;
    add(b, b.add_body({}, "body"));
    for (const Vec3d& p : corners) b.add_particle(p, {}, 1, 0);
    if (corners.size() == 2)
        b.add_edge(-1, -1, 0, 1);
    else
        b.add_triangle(0, 1, 2);
    const auto   m = frozen_scene(b);
    SoftContacts c;
    collision::create_soft_contacts(m, model::make_state(m), c, gap, true);
    Met out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.soft_contact_count); ++i) {
        if (c.soft_contact_particle[i] >= 0) continue;
        ++out.count;
        out.weights = static_cast<Vec3d>(c.soft_contact_barycentric[i]);
        CHECK(out.weights.x + out.weights.y + out.weights.z == close_to(1, 3e-7));  // stored as float
        out.place = {};
        for (std::size_t k = 0; k < corners.size(); ++k) {
            CHECK(c.soft_contact_indices[i][k] == static_cast<std::int32_t>(k));
            CHECK(out.weights[k] >= 0);
            out.place += out.weights[k] * static_cast<Vec3d>(static_cast<Vec3>(corners[k]));
        }
        if (corners.size() == 2) CHECK(c.soft_contact_indices[i][2] == -1);
        out.surface  = static_cast<Vec3d>(c.soft_contact_body_pos[i]);
        out.normal   = static_cast<Vec3d>(c.soft_contact_normal[i]);
        out.distance = dot(out.place - out.surface, out.normal);
        CHECK(length(out.place - out.surface - out.distance * out.normal) < 1e-5);  // the witnesses face each other
    }
    return out;
}

const AddShape kSphere  = [](auto& b, auto body) { b.add_shape_sphere(body, {}, 0.5, b.default_shape); };
const AddShape kBox     = [](auto& b, auto body) { b.add_shape_box(body, {}, {0.5, 0.4, 0.3}, b.default_shape); };
const AddShape kCapsule = [](auto& b, auto body) { b.add_shape_capsule(body, {}, 0.2, 0.3, b.default_shape); };
const AddShape kPlane   = [](auto& b, auto) { b.add_ground_plane(); };
/// The box once more, of triangles; and with a second one far off, so that it is hollow.
const AddShape kMesh = [](auto& b, auto body) {
    auto mesh       = std::make_shared<geometry::Mesh>(cube_mesh(1));
    mesh->is_convex = false;
    b.add_shape_mesh(body, {}, {0.5, 0.4, 0.3}, mesh, b.default_shape);
};
const AddShape kHollow = [](auto& b, auto body) {
    auto                 mesh = std::make_shared<geometry::Mesh>(cube_mesh(1));
    const geometry::Mesh far  = *mesh;
    for (const Vec3d& p : far.points) mesh->points.push_back(p + Vec3d{40, 0, 0});
    for (auto t : far.triangles) mesh->triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
    mesh->is_convex = false;
    b.add_shape_mesh(body, {}, {0.5, 0.4, 0.3}, mesh, b.default_shape);
};

}  // namespace

TEST_CASE("an edge and a triangle meet shapes between their particles, where they are nearest (COL-138)")
{
    struct Row {
        const char*        name;
        const AddShape&    shape;
        std::vector<Vec3d> corners;
        double             distance;
        Vec3d              place;
    };
    const Row table[] = {
        // A horizontal edge 0.1 over the top of a ball, nearest over its middle; ends are 1 m off.
        {"edge, sphere", kSphere, {{-1, 0, 0.6}, {3, 0, 0.6}}, 0.1, {0, 0, 0.6}},
        {"edge through a sphere", kSphere, {{-1, 0, 0.3}, {1, 0, 0.3}}, -0.2, {0, 0, 0.3}},
        // Across the edge of a box x = 0.5, z = 0.3: along (1, 0, -1), 0.1 off it in the direction (1, 0, 1).
        {"edge, box edge",
         kBox,
         {{0.5 + 0.7, 0, 0.3 - 0.5}, {0.5 - 0.5, 0, 0.3 + 0.7}},
         0.1 * std::sqrt(2.0),
         {0.6, 0, 0.4}},
        // Rising by 1 in 80 below the top: in from x = -0.5 as deep as below z = 0.3.
        {"edge through a box",
         kBox,
         {{-2, 0, 0.2}, {2, 0, 0.25}},
         -0.08125 / 1.0125,
         {-0.5 + 0.08125 / 1.0125, 0, 0.21875 + 0.0125 * 0.08125 / 1.0125}},
        {"edge, capsule", kCapsule, {{0.3, -1, 0.1}, {0.3, 2, 0.1}}, 0.1, {0.3, 0, 0.1}},
        {"edge through a capsule's axis", kCapsule, {{-1, 0, 0}, {1, 0, 0}}, -0.2, {0, 0, 0}},
        {"edge, plane", kPlane, {{0, 0, 0.3}, {1, 0, 0.2}}, 0.2, {1, 0, 0.2}},
        {"edge, mesh edge",
         kMesh,
         {{0.5 + 0.7, 0, 0.3 - 0.5}, {0.5 - 0.5, 0, 0.3 + 0.7}},
         0.1 * std::sqrt(2.0),
         {0.6, 0, 0.4}},
        {"edge, edge of a hollow mesh",
         kHollow,
         {{0.5 + 0.7, 0, 0.3 - 0.5}, {0.5 - 0.5, 0, 0.3 + 0.7}},
         0.1 * std::sqrt(2.0),
         {0.6, 0, 0.4}},
        {"triangle, sphere", kSphere, {{-2, -2, 0.6}, {3, -2, 0.6}, {0, 3, 0.6}}, 0.1, {0, 0, 0.6}},
        {"triangle through a sphere", kSphere, {{-2, -2, 0.3}, {3, -2, 0.3}, {0, 3, 0.3}}, -0.2, {0, 0, 0.3}},
        // A corner of the box, (0.5, 0.4, 0.3), below a triangle that lies across (1, 1, 1), 0.1 off.
        {"triangle, box corner",
         kBox,
         {Vec3d{0.5, 0.4, 0.3} + 0.1 / std::sqrt(3.0) * Vec3d{1, 1, 1} + Vec3d{1, -1, 0},
          Vec3d{0.5, 0.4, 0.3} + 0.1 / std::sqrt(3.0) * Vec3d{1, 1, 1} + Vec3d{-1, 0, 1},
          Vec3d{0.5, 0.4, 0.3} + 0.1 / std::sqrt(3.0) * Vec3d{1, 1, 1} + Vec3d{0, 1, -1}},
         0.1,
         Vec3d{0.5, 0.4, 0.3} + 0.1 / std::sqrt(3.0) * Vec3d{1, 1, 1}},
        {"triangle, capsule", kCapsule, {{-2, -2, 0.6}, {3, -2, 0.6}, {0, 3, 0.6}}, 0.1, {0, 0, 0.6}},
        {"triangle, plane", kPlane, {{0, 0, 0.3}, {1, 0, 0.2}, {0, 1, 0.4}}, 0.2, {1, 0, 0.2}},
        {"triangle, mesh corner",
         kHollow,
         {Vec3d{0.5, 0.4, 0.3} + 0.1 / std::sqrt(3.0) * Vec3d{1, 1, 1} + Vec3d{1, -1, 0},
          Vec3d{0.5, 0.4, 0.3} + 0.1 / std::sqrt(3.0) * Vec3d{1, 1, 1} + Vec3d{-1, 0, 1},
          Vec3d{0.5, 0.4, 0.3} + 0.1 / std::sqrt(3.0) * Vec3d{1, 1, 1} + Vec3d{0, 1, -1}},
         0.1,
         Vec3d{0.5, 0.4, 0.3} + 0.1 / std::sqrt(3.0) * Vec3d{1, 1, 1}},
    };
    for (const Row& row : table) {
        CAPTURE(std::string(row.name));
        const Met met = meet(row.shape, row.corners);
        REQUIRE(met.count == 1);
        CHECK(met.distance == close_to(row.distance, 2e-6));
        CHECK(distance(met.place, row.place) < 2e-5);
    }
}

TEST_CASE("what lies at an end or on a side has no part of the other corners (COL-138)")
{
    // The plane tilts the least towards one corner, the box is beside the middle of one side.
    CHECK(meet(kPlane, {{0, 0, 0.3}, {1, 0, 0.2}}).weights == Vec3d{0, 1, 0});
    CHECK(meet(kPlane, {{0, 0, 0.3}, {1, 0, 0.2}, {0, 1, 0.4}}).weights == Vec3d{0, 1, 0});
    const Met met = meet(kSphere, {{-1, 0.1, 0.6}, {1, 0.1, 0.6}, {0, 2, 0.9}});
    CHECK(met.weights.z == 0);
    CHECK(met.weights.x == close_to(0.5, 1e-6));
    const Met capsule = meet(kCapsule, {{0.3, -1, 0.1}, {0.3, 1, 0.1}, {2, 0, 0.1}});
    CHECK(capsule.weights.z == 0);
    CHECK(capsule.weights.x == close_to(0.5, 1e-6));
}

TEST_CASE(
    "an edge and a triangle that dip below a height field are pushed up, what is below its solid is not (COL-138)")
{
    const AddShape field = [](auto& b, auto) {
        b.add_shape_heightfield({}, {1, 1, 1}, std::make_shared<geometry::Mesh>(tiled_plane(4, 1)), b.default_shape);
    };
    const Met edge = meet(field, {{-0.5, 0, 0.1}, {0.5, 0.1, -0.1}}, 0.01);
    REQUIRE(edge.count == 1);
    CHECK(edge.distance == close_to(-0.1, 1e-6));
    CHECK(edge.normal.z == close_to(1, 1e-6));
    const Met triangle = meet(field, {{-0.5, -0.5, 0.1}, {0.5, -0.4, 0.1}, {0.1, 0.5, -0.2}}, 0.01);
    REQUIRE(triangle.count == 1);
    CHECK(triangle.distance == close_to(-0.2, 1e-6));
    CHECK(meet(field, {{-0.5, 0, -3}, {0.5, 0.1, -3}}, 0.01).count == 0);
}

TEST_CASE("the least distance over edges and triangles is that of a fine net of places (COL-138)")
{
    // The net bounds the least from above at its own places, and from below by its spacing: no distance changes faster
    // than the place.
    const AddShape turned_hull = [](auto& b, auto body) {
        b.add_shape_mesh(body, {{0.1, 0, 0}, turn('x', 30)}, {0.5, 0.4, 0.3},
                         std::make_shared<geometry::Mesh>(cube_mesh(1)), b.default_shape);
    };
    const AddShape cylinder = [](auto& b, auto body) { b.add_shape_cylinder(body, {}, 0.3, 0.4, b.default_shape); };
    const AddShape cone     = [](auto& b, auto body) { b.add_shape_cone(body, {}, 0.3, 0.4, b.default_shape); };
    const AddShape egg  = [](auto& b, auto body) { b.add_shape_ellipsoid(body, {}, {0.5, 0.3, 0.2}, b.default_shape); };
    const AddShape flat = [](auto& b, auto body) { b.add_shape_plane(body, {}, 0.8, 0.6, b.default_shape); };
    const std::pair<const char*, AddShape> shapes[] = {
        {"sphere", kSphere},      {"box", kBox},         {"capsule", kCapsule},  {"mesh", kMesh},
        {"hollow mesh", kHollow}, {"hull", turned_hull}, {"cylinder", cylinder}, {"cone", cone},
        {"ellipsoid", egg},       {"rectangle", flat}};
    for (const auto& [name, add] : shapes) {
        CAPTURE(std::string(name));
        for_seeds(12, [&add = add](Random& r) {
            const std::vector<Vec3d> c{0.9 * r.vec(1), 0.9 * r.vec(1), 0.9 * r.vec(1)};
            model::ModelBuilder      b;
            add(b, b.add_body({}, "body"));
            const auto m = frozen_scene(b);
            // Every place of the net is a particle.
            constexpr int     kNet = 40;
            std::vector<Vec3> at;
            for (int i = 0; i <= kNet; ++i)
                for (int k = 0; i + k <= kNet; ++k)
                    at.push_back(static_cast<Vec3>(c[0] + static_cast<double>(i) / kNet * (c[1] - c[0]) +
                                                   static_cast<double>(k) / kNet * (c[2] - c[0])));
            const std::vector<Real> radius(at.size(), Real(0));
            SoftContactFinder       finder(m);
            SoftContacts            net;
            finder.find(model::make_state(m), {.position = at, .radius = radius}, 5, net);
            REQUIRE(net.soft_contact_count == static_cast<std::int32_t>(at.size()));
            double least = kInfinity;
            for (std::size_t i = 0; i < at.size(); ++i)
                least =
                    std::min(least, dot(static_cast<Vec3d>(at[i]) - static_cast<Vec3d>(net.soft_contact_body_pos[i]),
                                        static_cast<Vec3d>(net.soft_contact_normal[i])));
            const double spacing = std::max({length(c[1] - c[0]), length(c[2] - c[0]), length(c[2] - c[1])}) / kNet;
            const Met    met     = meet(add, c, 5);
            REQUIRE(met.count == 1);
            CHECK(met.distance <= least + 2e-6);
            CHECK(met.distance >= least - spacing);
        });
    }
}

TEST_CASE("rows of edges and triangles stand behind those of particles, for the shapes that particles meet (COL-137)")
{
    model::ModelBuilder part;
    part.add_shape_sphere(part.add_body({}, "ball"), {}, 0.5, part.default_shape);
    model::ShapeConfig deaf;
    deaf.has_particle_collision = false;
    part.add_shape_sphere(part.add_body({}, "deaf"), {}, 0.5, deaf);
    for (const Vec3d& p : {Vec3d{-1, -1, 0.55}, Vec3d{1, -1, 0.55}, Vec3d{0, 1, 0.55}, Vec3d{0, 1, 0.55}})
        part.add_particle(p, {}, 1, 0);
    const std::array<std::int32_t, 3> triangles[] = {{0, 1, 2}};
    part.add_particle_surface(triangles);
    model::ModelBuilder b;
    REQUIRE(b.replicate(part, 2));
    CHECK(b.tri_indices[1] == std::array<std::int32_t, 3>{4, 5, 6});
    auto       m     = frozen_scene(b);
    const auto state = model::make_state(m);

    collision::CollisionPipeline off(m, {.soft_contact_gap = 0.1}),
        on(m, {.soft_contact_gap = 0.1, .enable_rigid_soft_full_surface_contact = true});
    auto contacts = on.make_contacts();
    on.collide(state, 0, contacts);
    CHECK(contacts.soft_contact_full_surface);
    // The triangle passes 5 cm over its ball; its sides stay 0.21 m off, its corners more.
    REQUIRE(contacts.soft_contact_count == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto first = static_cast<std::int32_t>(4 * i);
        CHECK(contacts.soft_contact_particle[i] == -1);
        CHECK(contacts.soft_contact_shape[i] == static_cast<std::int32_t>(2 * i));  // its own world's
        CHECK(contacts.soft_contact_indices[i] == std::array<std::int32_t, 3>{first, first + 1, first + 2});
        CHECK(contacts.soft_contact_body_pos[i].z == close_to(0.5, 1e-6));
    }
    off.collide(state, 0, contacts);
    CHECK(contacts.soft_contact_count == 0);
    CHECK_FALSE(contacts.soft_contact_full_surface);
    on.collide(state, 0, contacts);
    contacts.clear();
    CHECK_FALSE(contacts.soft_contact_full_surface);

    // Out of play with all of its particles, or lost with one of them.
    for (std::size_t p = 0; p < 3; ++p) m.particle_flags[p] = 0;
    on.collide(state, 0, contacts);
    CHECK(contacts.soft_contact_count == 1);
    auto lost            = state;
    lost.particle_q[5].x = static_cast<Real>(NAN);
    on.collide(lost, 0, contacts);
    CHECK(contacts.soft_contact_count == 0);
}

TEST_CASE("rows of a cloth over shapes are the same for any number of threads (COL-066, COL-138)")
{
    model::ModelBuilder b;
    b.add_ground_plane();
    const AddShape shapes[] = {kSphere, kBox, kCapsule, kMesh, kHollow};
    for (int i = 0; i < 5; ++i) shapes[i](b, b.add_body({{1.2 * i, 0, 0.3}, turn('y', 17 * i)}, "body"));
    constexpr int kAlong = 60, kAcross = 20;
    Random        r(3);
    for (int y = 0; y <= kAcross; ++y)
        for (int x = 0; x <= kAlong; ++x)
            b.add_particle({-0.5 + 0.1 * x, -1 + 0.1 * y, 0.75 + r.uniform(-0.1, 0.1)}, {}, 1, 0.01);
    std::vector<std::array<std::int32_t, 3>> triangles;
    for (int y = 0; y < kAcross; ++y)
        for (int x = 0; x < kAlong; ++x) {
            const int a = y * (kAlong + 1) + x;
            triangles.push_back({a, a + 1, a + kAlong + 2}), triangles.push_back({a, a + kAlong + 2, a + kAlong + 1});
        }
    b.add_particle_surface(triangles);
    const auto m     = frozen_scene(b);
    const auto state = model::make_state(m);
    CHECK(m.edge_count() ==
          static_cast<std::size_t>(kAlong * (kAcross + 1) + (kAlong + 1) * kAcross + kAlong * kAcross));

    SoftContacts first;
    collision::create_soft_contacts(m, state, first, 0.02, true);
    REQUIRE(first.soft_contact_count > 500);
    for (const int threads : {1, 2, 5}) {
        const tasks::Pool            pool(threads);
        collision::CollisionPipeline pipeline(
            m, {.pool = &pool, .soft_contact_gap = 0.02, .enable_rigid_soft_full_surface_contact = true});
        auto contacts = pipeline.make_contacts();
        pipeline.collide(state, 0, contacts);
        const auto n = static_cast<std::size_t>(first.soft_contact_count);
        REQUIRE(contacts.soft_contact_count == first.soft_contact_count);
        bool same = true;
        for (std::size_t i = 0; i < n; ++i)
            same = same && contacts.soft_contact_indices[i] == first.soft_contact_indices[i] &&
                   contacts.soft_contact_shape[i] == first.soft_contact_shape[i] &&
                   contacts.soft_contact_barycentric[i] == first.soft_contact_barycentric[i] &&
                   contacts.soft_contact_body_pos[i] == first.soft_contact_body_pos[i] &&
                   contacts.soft_contact_normal[i] == first.soft_contact_normal[i];
        CHECK(same);
    }
}
