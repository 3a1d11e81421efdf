#include "collide_scenes.h"
#include "mechane/collision/broad_phase.h"
#include "mechane/collision/narrow.h"
#include "mechane/geometry/hull.h"

/// Scene, microseconds of processor time, pairs that touch. One terrain against 441 convex shapes; a step of 10,000
/// moving boxes in the broad phases.
namespace {

using namespace bench;
using collision::Shape;
using collision::ShapeKind;

void on_terrain(const char* name, Shape shape)
{
    const collision::MeshShape mesh = collision::make_mesh_shape(terrain(), {1, 1, 1}, false);
    Shape                      ground;
    ground.kind      = ShapeKind::mesh;
    ground.mesh      = &mesh;
    const auto at    = places_on_terrain();
    int        count = 0;
    const auto time  = least_of(15, [&] {
        count = 0;
        for (const Posed& X : at) {
            shape.p = X.p, shape.R = to_matrix(X.q);
            collision::Manifold m;
            collision::collide(ground, shape, kTerrainReach, m);
            count += m.count > 0 ? 1 : 0;
        }
    });
    std::printf("terrain-%s,%.1f,%d\n", name, 1e6 * time, count);
}

void moving(const char* name, collision::BroadPhaseMode mode)
{
    MovingBoxes                         boxes(10000);
    std::vector<collision::ShapeFilter> filters;
    for (std::int32_t i = 0; i < 10000; ++i) filters.push_back({.body = i, .active = true, .mobile = true});
    const auto                        broad = collision::make_broad_phase(mode, filters, {});
    std::vector<geometry::Aabbd>      bounds(10000);
    std::vector<collision::ShapePair> pairs;
    double                            time = 0;
    std::size_t                       sum  = 0;
    for (int step = 0; step < kSteps; ++step) {
        boxes.advance();
        for (std::size_t i = 0; i < bounds.size(); ++i)
            bounds[i] = {boxes.centre[i] - boxes.half[i], boxes.centre[i] + boxes.half[i]};
        const double start = cpu_now();
        broad->find_pairs(bounds, {}, pairs);
        if (step > 0) time += cpu_now() - start, sum += pairs.size();
    }
    std::printf("boxes-%s,%.1f,%zu\n", name, 1e6 * time / (kSteps - 1), sum / (kSteps - 1));
}

}  // namespace

int main()
{
    Random             r(7);
    std::vector<Vec3d> points;
    for (int i = 0; i < 32; ++i) points.push_back(scale(r.direction(), Vec3d{0.12, 0.1, 0.08}));
    const auto mesh = geometry::build_hull(points);
    if (!mesh) return 1;
    const collision::HullShape hull = collision::make_hull_shape(*mesh, {1, 1, 1});
    on_terrain("sphere", {.kind = ShapeKind::sphere, .size = {0.1, 0, 0}});
    on_terrain("box", {.kind = ShapeKind::box, .size = {0.1, 0.1, 0.1}});
    on_terrain("capsule", {.kind = ShapeKind::capsule, .size = {0.08, 0.1, 0}});
    on_terrain("hull", {.kind = ShapeKind::hull, .size = {1, 1, 1}, .hull = &hull});
    moving("sap", collision::BroadPhaseMode::sweep);
    moving("tree", collision::BroadPhaseMode::tree);
}
