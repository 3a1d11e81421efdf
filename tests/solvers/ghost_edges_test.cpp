#include "mechane/geometry/heightfield.h"
#include "world.h"

/// Inner edges of a flat ground are no obstacles: what rolls or slides over triangles moves as on a plane.
using namespace mechane;
using namespace mechane::test;

namespace {

enum class Ground { plane, tiles, field };
enum class Mover { ball, box, capsule };

/// Squares of 0.13 m whose diagonals alternate, 8 m x 8 m.
std::shared_ptr<geometry::Mesh> tiles()
{
    auto          mesh = std::make_shared<geometry::Mesh>();
    constexpr int n    = 62;
    for (int y = 0; y <= n; ++y)
        for (int x = 0; x <= n; ++x) mesh->points.push_back({0.13 * x - 4, 0.13 * y - 4, 0});
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const int a = y * (n + 1) + x, b = a + 1, c = a + n + 1, d = c + 1;
            if ((x + y) % 2 == 0)
                mesh->triangles.push_back({a, b, d}), mesh->triangles.push_back({a, d, c});
            else
                mesh->triangles.push_back({a, b, c}), mesh->triangles.push_back({b, d, c});
        }
    return mesh;
}

struct Journey {
    double x, y, lowest, highest, speed;
};

/// Two seconds at 1.5 m/s, 20 degrees off the rows of the tiles. A ball and a capsule roll, a box slides without
/// friction.
Journey travel(Ground ground, Mover mover)
{
    model::ModelBuilder b;
    b.rigid_gap                     = 0.02;
    b.default_shape.mu              = mover == Mover::box ? 0 : 0.5;
    b.default_shape.mu_rolling      = 0;
    b.default_shape.mu_torsional    = 0;
    const double              angle = 20 * kPi / 180;
    const Vec3d               along{std::cos(angle), std::sin(angle), 0};
    const Quatd               q = from_axis_angle(Vec3d{0, 0, 1}, angle);
    const double              r = 0.1;
    const std::vector<double> flat(441, 0.0);
    if (ground == Ground::plane) b.add_ground_plane();
    if (ground == Ground::tiles) b.add_shape_mesh(-1, {}, {1, 1, 1}, tiles(), b.default_shape);
    if (ground == Ground::field) {
        auto mesh =
            geometry::heightfield_mesh({.rows = 21, .columns = 21, .half_x = 4, .half_y = 4, .elevations = flat});
        REQUIRE(mesh.has_value());
        b.add_shape_heightfield({}, {1, 1, 1}, std::make_shared<geometry::Mesh>(*std::move(mesh)), b.default_shape);
    }
    const auto body = b.add_body({Vec3d{-1.9, -0.7, r}, q}, "mover");
    if (mover == Mover::ball) b.add_shape_sphere(body, {}, r, b.default_shape);
    if (mover == Mover::box) b.add_shape_box(body, {}, {0.15, 0.12, r}, b.default_shape);
    if (mover == Mover::capsule)  // lies across the way
        b.add_shape_capsule(body, {{}, from_axis_angle(Vec3d{1, 0, 0}, kPi / 2)}, r, 0.2, b.default_shape);
    World       w(b);
    const Vec3d v = 1.5 * along, spin = mover == Mover::box ? Vec3d{} : (1.5 / r) * cross(Vec3d{0, 0, 1}, along);
    for (std::size_t i = 0; i < 3; ++i) {
        w.state.joint_qd[i]     = static_cast<Real>(v[i]);
        w.state.joint_qd[i + 3] = static_cast<Real>(spin[i]);
    }
    dynamics::project_to_joints(w.model, w.state);
    collision::CollisionPipeline pipeline(w.model);
    auto                         contacts = pipeline.make_contacts();
    Journey                      out{0, 0, 1e9, -1e9, 0};
    for (int i = 0; i < 120; ++i) {
        pipeline.collide(w.state, 1.0 / 60, contacts);
        w.step(1.0 / 60, &contacts);
        const double z = w.position(static_cast<std::size_t>(body)).z;
        out.lowest = std::min(out.lowest, z), out.highest = std::max(out.highest, z);
    }
    const Vec3d p = w.position(static_cast<std::size_t>(body));
    out.x = p.x, out.y = p.y, out.speed = length(w.velocity(static_cast<std::size_t>(body)));
    return out;
}

}  // namespace

TEST_CASE("what rolls or slides over flat tiles or a flat field keeps the speed and height that it has on a plane")
{
    for (const Mover mover : {Mover::ball, Mover::box, Mover::capsule}) {
        CAPTURE(static_cast<int>(mover));
        const Journey plane = travel(Ground::plane, mover);
        CHECK(plane.speed == close_to(1.5, 0.01));  // nothing brakes it
        for (const Ground ground : {Ground::tiles, Ground::field}) {
            CAPTURE(static_cast<int>(ground));
            const Journey other = travel(ground, mover);
            CHECK(other.speed == close_to(plane.speed, 2e-3));
            CHECK(other.highest == close_to(plane.highest, 2e-4));
            CHECK(other.lowest == close_to(plane.lowest, 2e-4));
            CHECK(std::hypot(other.x - plane.x, other.y - plane.y) < 0.01);  // of 3 m
        }
    }
}

TEST_CASE("a body at rest stands off by the margins of both shapes (COL-023)")
{
    for (const double margin : {0.0, 0.01, 0.03}) {
        CAPTURE(margin);
        model::ModelBuilder b;
        model::ShapeConfig  config = b.default_shape;
        config.margin              = margin;
        b.add_ground_plane();
        b.shapes[0].config.margin = 0.005;
        const auto ball = b.add_body({{0, 0, 0.3}, {}}, "ball"), box = b.add_body({{1, 0, 0.3}, {}}, "box");
        b.add_shape_sphere(ball, {}, 0.2, config);
        b.add_shape_box(box, {}, {0.2, 0.2, 0.2}, config);
        World                        w(b);
        collision::CollisionPipeline pipeline(w.model);
        auto                         contacts = pipeline.make_contacts();
        for (int i = 0; i < 180; ++i) {
            pipeline.collide(w.state, 1.0 / 60, contacts);
            w.step(1.0 / 60, &contacts);
        }
        for (const auto body : {ball, box})
            // Softness at rest: the solver leaves a few tenths of a millimetre.
            CHECK(w.position(static_cast<std::size_t>(body)).z == close_to(0.2 + 0.005 + margin, 5e-4));
    }
}
