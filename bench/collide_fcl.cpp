#include <fcl/fcl.h>

#include "collide_pairs.h"

/// FCL on the common pairs: all contacts that it makes, in touch only (it has no reach).
int main()
{
    using namespace bench;
    using Geometry      = std::shared_ptr<fcl::CollisionGeometryd>;
    const auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    const auto faces    = std::make_shared<std::vector<int>>();
    for (const Vec3d& p : hull_points()) vertices->emplace_back(p.x, p.y, p.z);
    // FCL climbs along the vertices only while it knows no faces: every vertex is compared.
    const Geometry hull   = std::make_shared<fcl::Convexd>(vertices, 0, faces);
    const auto     shaped = [&](Kind kind) -> Geometry {
        switch (kind) {
            case Kind::sphere:
                return std::make_shared<fcl::Sphered>(0.5);
            case Kind::box:
                return std::make_shared<fcl::Boxd>(1.0, 0.8, 0.6);
            case Kind::capsule:
                return std::make_shared<fcl::Capsuled>(0.3, 0.8);
            case Kind::cylinder:
                return std::make_shared<fcl::Cylinderd>(0.3, 0.8);
            case Kind::cone:
                return std::make_shared<fcl::Coned>(0.4, 1.0);
            case Kind::ellipsoid:
                return std::make_shared<fcl::Ellipsoidd>(0.5, 0.4, 0.3);
            case Kind::hull:
                break;
        }
        return hull;
    };
    const auto placed = [](const Quatd& q, const Vec3d& p) {
        fcl::Transform3d X = fcl::Transform3d::Identity();
        X.linear()         = Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix();
        X.translation()    = fcl::Vector3d(p.x, p.y, p.z);
        return X;
    };
    const auto at = placements();
    for (const Pair& pair : kPairs) {
        const Geometry a = shaped(pair.a), b = shaped(pair.b);
        a->computeLocalAABB(), b->computeLocalAABB();
        const fcl::CollisionRequestd request(4, true);
        measure(pair.name, [&](int i, double& distance) {
            const Placed&         x = at[static_cast<std::size_t>(i)];
            fcl::CollisionResultd result;
            fcl::collide(a.get(), placed(x.q, {}), b.get(), placed(x.b.q, x.b.p), request, result);
            if (!result.isCollision()) return false;
            distance = 0;
            for (std::size_t k = 0; k < result.numContacts(); ++k)
                distance = std::min(distance, -result.getContact(k).penetration_depth);
            return true;
        });
    }
}
