#include "mechane/geometry/heightfield.h"
#include "world.h"

/// Inner edges of a flat ground are no obstacles: what rolls or slides over triangles moves as on a plane.
using namespace mechane;
using namespace mechane::test;

namespace {

enum class Ground { plane, tiles, field };
enum class Mover { ball, box, capsule };

/// Where to, how fast, how steep the ground is, and how it is cut.
struct Trip {
    double        speed   = 1.5;  ///< [m/s]
    double        heading = 20;   ///< off the rows of the tiles [degrees]
    double        slope   = 0;    ///< down along x [degrees]
    int           columns = 62, rows = 62;
    std::uint64_t seed = 0;  ///< of irregular tiles; 0 for squares whose diagonals alternate
};

/// 8 m x 8 m.
std::shared_ptr<geometry::Mesh> tiles(const Trip& trip)
{
    using geometry::Diagonal;
    Random     r(trip.seed);
    const int  nx = trip.columns, ny = trip.rows;
    const auto corner = [&](int x, int y) {
        const bool  inner = trip.seed > 0 && x > 0 && y > 0 && x < nx && y < ny;
        const Vec3d off   = r.vec(inner ? 0.24 : 0);  // cells stay convex
        return Vec3d{8 * (x + off.x) / nx - 4, 8 * (y + off.y) / ny - 4, 0};
    };
    return std::make_shared<geometry::Mesh>(
        geometry::grid_mesh(nx, ny, geometry::GridOrder::x_fastest, corner, [&](int x, int y) {
            return (trip.seed > 0 ? r.below(2) == 0 : (x + y) % 2 == 0) ? Diagonal::rising : Diagonal::falling;
        }));
}

struct Journey {
    double x, y, lowest, highest, speed;  ///< in the frame of the ground
};

/// About three metres, two seconds at most. A ball and a capsule roll, a box slides without friction.
Journey travel(Ground ground, Mover mover, const Trip& trip)
{
    model::ModelBuilder b;
    b.rigid_gap                     = 0.02;
    b.default_shape.mu              = mover == Mover::box ? 0 : 0.5;
    b.default_shape.mu_rolling      = 0;
    b.default_shape.mu_torsional    = 0;
    const double              angle = trip.heading * kDegrees;
    const Quatd               tilt  = from_axis_angle(Vec3d{0, 1, 0}, trip.slope * kDegrees);
    const Vec3d               along = rotate(tilt, {std::cos(angle), std::sin(angle), 0}), up = rotate(tilt, {0, 0, 1});
    const double              r = 0.1;
    const std::vector<double> flat(441, 0.0);
    if (ground == Ground::plane) b.add_shape_plane(-1, {{}, tilt}, 0, 0, b.default_shape);
    if (ground == Ground::tiles) b.add_shape_mesh(-1, {{}, tilt}, {1, 1, 1}, tiles(trip), b.default_shape);
    if (ground == Ground::field) {
        auto mesh =
            geometry::heightfield_mesh({.rows = 21, .columns = 21, .half_x = 4, .half_y = 4, .elevations = flat});
        REQUIRE(mesh.has_value());
        b.add_shape_heightfield({{}, tilt}, {1, 1, 1}, std::make_shared<geometry::Mesh>(*std::move(mesh)),
                                b.default_shape);
    }
    const auto body =
        b.add_body({rotate(tilt, {-1.9, -0.7, r}), tilt * from_axis_angle(Vec3d{0, 0, 1}, angle)}, "mover");
    if (mover == Mover::ball) b.add_shape_sphere(body, {}, r, b.default_shape);
    if (mover == Mover::box) b.add_shape_box(body, {}, {0.15, 0.12, r}, b.default_shape);
    if (mover == Mover::capsule)  // lies across the way
        b.add_shape_capsule(body, {{}, from_axis_angle(Vec3d{1, 0, 0}, kPi / 2)}, r, 0.2, b.default_shape);
    World       w(b);
    const Vec3d v = trip.speed * along, spin = mover == Mover::box ? Vec3d{} : (trip.speed / r) * cross(up, along);
    for (std::size_t i = 0; i < 3; ++i) {
        w.state.joint_qd[i]     = static_cast<Real>(v[i]);
        w.state.joint_qd[i + 3] = static_cast<Real>(spin[i]);
    }
    dynamics::project_to_joints(w.model, w.state);
    collision::CollisionPipeline pipeline(w.model);
    auto                         contacts = pipeline.make_contacts();
    Journey                      out{0, 0, 1e9, -1e9, 0};
    const auto                   place = [&] {
        return rotate_inverse(tilt, static_cast<Vec3d>(w.position(static_cast<std::size_t>(body))));
    };
    for (int i = 0, steps = static_cast<int>(std::min(120.0, 180 / trip.speed)); i < steps; ++i) {
        pipeline.collide(w.state, 1.0 / 60, contacts);
        w.step(1.0 / 60, &contacts);
        const double z = place().z;
        out.lowest = std::min(out.lowest, z), out.highest = std::max(out.highest, z);
    }
    out.x = place().x, out.y = place().y, out.speed = length(w.velocity(static_cast<std::size_t>(body)));
    return out;
}

}  // namespace

TEST_CASE("what rolls or slides over flat tiles or a flat field keeps the speed and height that it has on a plane")
{
    // Squares; irregular tiles; long ones; slow and fast; down and up a slope; along the rows and across the diagonals.
    const Trip trips[] = {{},
                          {.seed = 1},
                          {.speed = 0.4, .heading = 45, .seed = 2},
                          {.speed = 4, .heading = 0, .columns = 90, .rows = 11, .seed = 3},
                          {.speed = 1, .heading = 33, .slope = 4, .seed = 4},
                          {.speed = 3, .heading = -7, .slope = -6, .columns = 17, .rows = 60, .seed = 5}};
    for (const Trip& trip : trips)
        for (const Mover mover : {Mover::ball, Mover::box, Mover::capsule}) {
            CAPTURE(trip.seed);
            CAPTURE(static_cast<int>(mover));
            const Journey plane = travel(Ground::plane, mover, trip);
            if (trip.slope == 0) CHECK(plane.speed == close_to(trip.speed, 0.01));  // nothing brakes it
            for (const Ground ground : {Ground::tiles, Ground::field}) {
                CAPTURE(static_cast<int>(ground));
                const Journey other = travel(ground, mover, trip);
                CHECK(other.speed == close_to(plane.speed, 2e-3));
                CHECK(other.highest == close_to(plane.highest, 2e-4));
                CHECK(other.lowest == close_to(plane.lowest, 2e-4));
                CHECK(std::hypot(other.x - plane.x, other.y - plane.y) < 0.01);  // of about 3 m
            }
        }
}
