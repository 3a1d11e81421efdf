#include <btBulletCollisionCommon.h>

#include <memory>

#include "collide_pairs.h"

namespace {

/// Keeps the deepest point that a pair reports.
struct Deepest final : btCollisionWorld::ContactResultCallback {
    double   distance = 1e30;
    btScalar addSingleResult(btManifoldPoint& p, const btCollisionObjectWrapper*, int, int,
                             const btCollisionObjectWrapper*, int, int) override
    {
        distance = std::min(distance, static_cast<double>(p.getDistance()));
        return 0;
    }
};

}  // namespace

/// Bullet on the common pairs, through its dispatcher as contactPairTest does; its shapes carry margins of their own,
/// and it has no ellipsoid (a scaled sphere is none), so that one is a hull of it here.
int main()
{
    using namespace bench;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher           dispatcher(&configuration);
    btDbvtBroadphase                broad;
    btCollisionWorld                world(&dispatcher, &broad, &configuration);
    btConvexHullShape               hull;
    for (const Vec3d& p : hull_points())
        hull.addPoint({static_cast<btScalar>(p.x), static_cast<btScalar>(p.y), static_cast<btScalar>(p.z)});
    btSphereShape    sphere(static_cast<btScalar>(0.5));
    btBoxShape       box({static_cast<btScalar>(0.5), static_cast<btScalar>(0.4), static_cast<btScalar>(0.3)});
    btCapsuleShapeZ  capsule(static_cast<btScalar>(0.3), static_cast<btScalar>(0.8));
    btCylinderShapeZ cylinder({static_cast<btScalar>(0.3), static_cast<btScalar>(0.3), static_cast<btScalar>(0.4)});
    btConeShapeZ     cone(static_cast<btScalar>(0.4), static_cast<btScalar>(1.0));
    const auto       shaped = [&](Kind kind) -> btCollisionShape* {
        switch (kind) {
            case Kind::sphere:
                return &sphere;
            case Kind::box:
                return &box;
            case Kind::capsule:
                return &capsule;
            case Kind::cylinder:
                return &cylinder;
            case Kind::cone:
                return &cone;
            case Kind::ellipsoid:
            case Kind::hull:
                break;
        }
        return &hull;
    };
    const auto placed = [](const Quatd& q, const Vec3d& p) {
        return btTransform({static_cast<btScalar>(q.x), static_cast<btScalar>(q.y), static_cast<btScalar>(q.z),
                            static_cast<btScalar>(q.w)},
                           {static_cast<btScalar>(p.x), static_cast<btScalar>(p.y), static_cast<btScalar>(p.z)});
    };
    const auto at = placements();
    for (const Pair& pair : kPairs) {
        btCollisionObject a, b;
        a.setCollisionShape(shaped(pair.a));
        b.setCollisionShape(shaped(pair.b));
        measure(pair.name, [&](int i, double& distance) {
            const Placed& x = at[static_cast<std::size_t>(i)];
            a.setWorldTransform(placed(x.q, {}));
            b.setWorldTransform(placed(x.b.q, x.b.p));
            Deepest found;
            found.m_closestDistanceThreshold = static_cast<btScalar>(kReach);
            world.contactPairTest(&a, &b, found);
            distance = found.distance;
            return found.distance <= kReach;
        });
    }
}
