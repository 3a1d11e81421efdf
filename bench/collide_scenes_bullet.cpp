#include <btBulletCollisionCommon.h>

#include <memory>

#include "collide_scenes.h"

/// Bullet on the same scenes: a triangle mesh in its quantised tree, and its dynamic tree with overlapping pairs kept
/// from step to step.
namespace {

using namespace bench;

btScalar  scalar(double x) { return static_cast<btScalar>(x); }
btVector3 vector(const Vec3d& v) { return {scalar(v.x), scalar(v.y), scalar(v.z)}; }

struct Count final : btCollisionWorld::ContactResultCallback {
    int      points = 0;
    btScalar addSingleResult(btManifoldPoint&, const btCollisionObjectWrapper*, int, int,
                             const btCollisionObjectWrapper*, int, int) override
    {
        ++points;
        return 0;
    }
};

void on_terrain(const char* name, btCollisionShape& shape)
{
    const geometry::Mesh mesh = terrain();
    btTriangleMesh       triangles;
    for (const auto& t : mesh.triangles)
        triangles.addTriangle(vector(mesh.points[static_cast<std::size_t>(t[0])]),
                              vector(mesh.points[static_cast<std::size_t>(t[1])]),
                              vector(mesh.points[static_cast<std::size_t>(t[2])]));
    btBvhTriangleMeshShape          ground(&triangles, true);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher           dispatcher(&configuration);
    btDbvtBroadphase                broad;
    btCollisionWorld                world(&dispatcher, &broad, &configuration);
    btCollisionObject               a, b;
    a.setCollisionShape(&ground);
    b.setCollisionShape(&shape);
    const auto at    = places_on_terrain();
    int        count = 0;
    const auto time  = least_of(15, [&] {
        count = 0;
        for (const Posed& X : at) {
            b.setWorldTransform(btTransform({scalar(X.q.x), scalar(X.q.y), scalar(X.q.z), scalar(X.q.w)}, vector(X.p)));
            Count found;
            found.m_closestDistanceThreshold = scalar(kTerrainReach);
            world.contactPairTest(&a, &b, found);
            count += found.points > 0 ? 1 : 0;
        }
    });
    std::printf("terrain-%s,%.1f,%d\n", name, 1e6 * time, count);
}

void moving()
{
    MovingBoxes                     boxes(10000);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher           dispatcher(&configuration);
    btDbvtBroadphase                broad;
    std::vector<btBroadphaseProxy*> proxies;
    std::vector<btCollisionObject>  objects(10000);
    for (std::size_t i = 0; i < 10000; ++i)
        proxies.push_back(broad.createProxy(vector(boxes.centre[i] - boxes.half[i]),
                                            vector(boxes.centre[i] + boxes.half[i]), BOX_SHAPE_PROXYTYPE, &objects[i],
                                            1, -1, &dispatcher));
    double      time = 0;
    std::size_t sum  = 0;
    for (int step = 0; step < kSteps; ++step) {
        boxes.advance();
        const double start = cpu_now();
        for (std::size_t i = 0; i < 10000; ++i)
            broad.setAabb(proxies[i], vector(boxes.centre[i] - boxes.half[i]), vector(boxes.centre[i] + boxes.half[i]),
                          &dispatcher);
        broad.calculateOverlappingPairs(&dispatcher);
        if (step > 0) {
            time += cpu_now() - start;
            sum += static_cast<std::size_t>(broad.getOverlappingPairCache()->getNumOverlappingPairs());
        }
    }
    std::printf("boxes-sap,%.1f,%zu\nboxes-tree,%.1f,%zu\n", 1e6 * time / (kSteps - 1), sum / (kSteps - 1),
                1e6 * time / (kSteps - 1), sum / (kSteps - 1));
}

}  // namespace

int main()
{
    Random            r(7);
    btConvexHullShape hull;
    for (int i = 0; i < 32; ++i) hull.addPoint(vector(scale(r.direction(), Vec3d{0.12, 0.1, 0.08})));
    btSphereShape   sphere(scalar(0.1));
    btBoxShape      box({scalar(0.1), scalar(0.1), scalar(0.1)});
    btCapsuleShapeZ capsule(scalar(0.08), scalar(0.2));
    on_terrain("sphere", sphere);
    on_terrain("box", box);
    on_terrain("capsule", capsule);
    on_terrain("hull", hull);
    moving();
}
