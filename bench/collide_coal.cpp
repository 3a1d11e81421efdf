#include <coal/collision.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <memory>

#include "collide_pairs.h"

/// Coal on the common pairs: one contact point each.
int main(int argc, char** argv)
{
    using namespace bench;
    auto points = std::make_shared<std::vector<coal::Vec3s>>();
    for (const Vec3d& p : hull_points()) points->emplace_back(p.x, p.y, p.z);
    const std::shared_ptr<coal::CollisionGeometry> hull(
        coal::ConvexBase::convexHull(points, static_cast<unsigned>(points->size()), true));
    const auto shaped = [&](Kind kind) -> std::shared_ptr<coal::CollisionGeometry> {
        switch (kind) {
            case Kind::sphere:
                return std::make_shared<coal::Sphere>(0.5);
            case Kind::box:
                return std::make_shared<coal::Box>(1.0, 0.8, 0.6);
            case Kind::capsule:
                return std::make_shared<coal::Capsule>(0.3, 0.8);
            case Kind::cylinder:
                return std::make_shared<coal::Cylinder>(0.3, 0.8);
            case Kind::cone:
                return std::make_shared<coal::Cone>(0.4, 1.0);
            case Kind::ellipsoid:
                return std::make_shared<coal::Ellipsoid>(0.5, 0.4, 0.3);
            case Kind::hull:
                break;
        }
        return hull;
    };
    const auto placed = [](const Quatd& q, const Vec3d& p) {
        coal::Transform3s X;
        X.setQuatRotation(coal::Quatf(q.w, q.x, q.y, q.z));
        X.setTranslation(coal::Vec3s(p.x, p.y, p.z));
        return X;
    };
    const auto at = placements();
    for (const Pair& pair : kPairs) {
        if (argc > 1 && pair.name != std::string_view(argv[1])) continue;
        const auto             a = shaped(pair.a), b = shaped(pair.b);
        coal::CollisionRequest request(coal::CONTACT, 1);
        request.security_margin = kReach;
        measure(pair.name, [&](int i, double& distance) {
            const Placed&         x = at[static_cast<std::size_t>(i)];
            coal::CollisionResult result;
            coal::collide(a.get(), placed(x.q, {}), b.get(), placed(x.b.q, x.b.p), request, result);
            if (!result.isCollision()) return false;
            distance = result.getContact(0).penetration_depth;
            return true;
        });
    }
}
