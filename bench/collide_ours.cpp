#include "collide_pairs.h"
#include "mechane/collision/narrow.h"
#include "mechane/geometry/hull.h"

/// Mechane's narrow phase on the common pairs: pair, nanoseconds, touching, mean deepest distance. It makes whole
/// manifolds.
int main(int argc, char** argv)
{
    using namespace bench;
    using collision::Shape;
    using collision::ShapeKind;
    const auto mesh = geometry::build_hull(hull_points());
    if (!mesh) return 1;
    const collision::HullShape hull   = collision::make_hull_shape(*mesh, {1, 1, 1});
    const auto                 shaped = [&](Kind kind) {
        Shape s;
        switch (kind) {
            case Kind::sphere:
                s.kind = ShapeKind::sphere, s.size = {0.5, 0, 0};
                break;
            case Kind::box:
                s.kind = ShapeKind::box, s.size = {0.5, 0.4, 0.3};
                break;
            case Kind::capsule:
                s.kind = ShapeKind::capsule, s.size = {0.3, 0.4, 0};
                break;
            case Kind::cylinder:
                s.kind = ShapeKind::cylinder, s.size = {0.3, 0.4, 0};
                break;
            case Kind::cone:
                s.kind = ShapeKind::cone, s.size = {0.4, 0.5, 0};
                break;
            case Kind::ellipsoid:
                s.kind = ShapeKind::ellipsoid, s.size = {0.5, 0.4, 0.3};
                break;
            case Kind::hull:
                s.kind = ShapeKind::hull, s.size = {1, 1, 1}, s.hull = &hull;
                break;
        }
        return s;
    };
    const auto at = placements();
    for (const Pair& pair : kPairs) {
        if (argc > 1 && pair.name != std::string_view(argv[1])) continue;
        Shape a = shaped(pair.a), b = shaped(pair.b);
        measure(pair.name, [&](int i, double& distance) {
            const Placed& x = at[static_cast<std::size_t>(i)];
            a.R = to_matrix(x.q), a.p = {};
            b.R = to_matrix(x.b.q), b.p = x.b.p;
            collision::Manifold m;
            if (collision::in_table_order(a.kind, b.kind))
                collision::collide(a, b, kReach, m);
            else
                collision::collide(b, a, kReach, m);
            if (m.count == 0) return false;
            distance = m.points[0].distance;
            for (int k = 1; k < m.count; ++k)
                distance = std::min(distance, m.points[static_cast<std::size_t>(k)].distance);
            return true;
        });
    }
}
