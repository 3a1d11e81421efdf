#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "mechane/collision/pipeline.h"
#include "mechane/geometry/heightfield.h"
#include "mechane/model/builder.h"

/// Time of one collide call on one thread: scene, shapes, candidate pairs, contacts, microseconds (least of five
/// batches).
namespace {

using namespace mechane;

void measure(const char* name, const model::ModelBuilder& builder, int calls)
{
    Diagnostics out;
    const auto  model = builder.finalize({}, out);
    if (!model) return;
    collision::CollisionPipeline pipeline(*model);
    const auto                   state    = model::make_state(*model);
    auto                         contacts = pipeline.make_contacts();
    auto                         status   = pipeline.collide(state, 1.0 / 60, contacts);
    double                       best     = 1e30;
    for (int batch = 0; batch < 5; ++batch) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) status = pipeline.collide(state, 1.0 / 60, contacts);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls);
    }
    std::printf("%s,%zu,%d,%d,%.2f\n", name, model->shape_count(), status.candidate_pairs, status.contacts, 1e6 * best);
}

/// A torso with four legs of three capsules just over the ground.
model::ModelBuilder walker()
{
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    b.add_shape_sphere(b.add_body({{0, 0, 0.5}, {}}, "torso"), {}, 0.25, b.default_shape);
    for (int leg = 0; leg < 4; ++leg)
        for (int part = 0; part < 3; ++part) {
            const double a = kPi / 2 * leg + kPi / 4, r = 0.4 + 0.45 * part;
            const Quatd  q = from_axis_angle(Vec3d{0, 0, 1}, a) * from_axis_angle(Vec3d{0, 1, 0}, kPi / 2);
            b.add_shape_capsule(b.add_body({{r * std::cos(a), r * std::sin(a), part < 2 ? 0.5 : 0.08}, q}, "part"), {},
                                0.08, 0.14, b.default_shape);
        }
    b.add_ground_plane();
    return b;
}

/// A 10 x 10 x 10 heap of touching boxes, each layer turned a little.
model::ModelBuilder heap(bool hulls)
{
    model::ModelBuilder b;
    b.rigid_gap = 0.005;
    geometry::Mesh cube;
    for (int i = 0; i < 8; ++i) cube.points.push_back({i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, i & 4 ? 0.1 : -0.1});
    cube.triangles    = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    cube.is_convex    = true;
    const auto shared = std::make_shared<geometry::Mesh>(cube);
    for (int z = 0; z < 10; ++z)
        for (int y = 0; y < 10; ++y)
            for (int x = 0; x < 10; ++x) {
                const Posed at{{0.205 * x, 0.205 * y, 0.0995 + 0.1995 * z}, from_axis_angle(Vec3d{0, 0, 1}, 0.02 * z)};
                const auto  body = b.add_body(at, "box");
                if (hulls)
                    b.add_shape({.type   = model::GeoType::convex_mesh,
                                 .body   = body,
                                 .source = shared,
                                 .config = b.default_shape});
                else
                    b.add_shape_box(body, {}, {0.1, 0.1, 0.1}, b.default_shape);
            }
    b.add_ground_plane();
    return b;
}

model::ModelBuilder on_terrain()
{
    const geometry::Mesh terrain = geometry::grid_mesh(100, 100, geometry::GridOrder::x_fastest, [](int x, int y) {
        return Vec3d{0.1 * x, 0.1 * y, 0.05 * std::sin(1.3 * x) * std::cos(0.9 * y)};
    });
    model::ModelBuilder  b;
    b.rigid_gap = 0.01;
    b.add_shape_mesh(-1, {}, {1, 1, 1}, std::make_shared<geometry::Mesh>(terrain), b.default_shape);
    for (int i = 0; i < 441; ++i) {
        const auto body = b.add_body({{0.5 + 0.4 * (i % 21), 0.5 + 0.4 * (i / 21), 0.12}, {}}, "body");
        if (i % 3 == 0) b.add_shape_sphere(body, {}, 0.1, b.default_shape);
        if (i % 3 == 1) b.add_shape_box(body, {}, {0.1, 0.1, 0.1}, b.default_shape);
        if (i % 3 == 2) b.add_shape_capsule(body, {}, 0.08, 0.1, b.default_shape);
    }
    return b;
}

}  // namespace

int main()
{
    std::printf("scene,shapes,pairs,contacts,us_per_collide\n");
    measure("walker", walker(), 20000);
    measure("heap_of_boxes", heap(false), 20);
    measure("heap_of_hulls", heap(true), 20);
    measure("terrain", on_terrain(), 20);
}
