// Support points, centres, bounding radii and boxes of shapes in any frame. Radii of spheres and capsules are left out
// of support points ("core") and included in boxes.

#include <algorithm>
#include <cmath>

#include "core_support.h"
#include "mechane/math/simd.h"

namespace mechane::collision {

MCH_CLONES_AVX2 Vec3d support(const Shape& shape, const Vec3d& direction)
{
    // The corners of a triangle are absolute; p and R do not apply to it.
    if (shape.kind == ShapeKind::triangle) return core_support(shape, direction);
    if (shape.kind == ShapeKind::sphere) return shape.p;
    return shape.p + shape.R * core_support<Corners::on_the_spot>(shape, transpose_times(shape.R, direction));
}

Vec3d centre(const Shape& shape)
{
    switch (shape.kind) {
        case ShapeKind::triangle:
            return (1.0 / 3.0) * (shape.corners[0] + shape.corners[1] + shape.corners[2]);
        case ShapeKind::hull:
            return shape.p + shape.R * shape.hull->centre;
        case ShapeKind::mesh:
            if (shape.mesh->bvh.empty()) return shape.p;
            return shape.p + shape.R * (0.5 * (shape.mesh->bvh.bounds().lower + shape.mesh->bvh.bounds().upper));
        case ShapeKind::plane:
        case ShapeKind::rectangle:
        case ShapeKind::sphere:
        case ShapeKind::capsule:
        case ShapeKind::ellipsoid:
        case ShapeKind::cylinder:
        case ShapeKind::box:
        case ShapeKind::cone:
            break;
    }
    return shape.p;
}

double bounding_radius(const Shape& shape)
{
    const Vec3d& s = shape.size;
    switch (shape.kind) {
        case ShapeKind::plane:
            return kInfinity;
        case ShapeKind::rectangle:
            return std::sqrt(s.x * s.x + s.y * s.y);
        case ShapeKind::sphere:
            return s.x;
        case ShapeKind::capsule:
            return s.x + s.y;
        case ShapeKind::ellipsoid:
            return max_component(s);
        case ShapeKind::cylinder:
        case ShapeKind::cone:
            // From the centre at half height to the rim; the apex of a cone is no farther.
            return std::sqrt(s.x * s.x + s.y * s.y);
        case ShapeKind::box:
            return length(s);
        case ShapeKind::hull:
            return shape.hull->radius;
        case ShapeKind::mesh:
            return shape.mesh->bvh.empty()
                       ? 0
                       : 0.5 * length(shape.mesh->bvh.bounds().upper - shape.mesh->bvh.bounds().lower);
        case ShapeKind::triangle: {
            const Vec3d c = centre(shape);
            return std::sqrt(std::max({length_squared(shape.corners[0] - c), length_squared(shape.corners[1] - c),
                                       length_squared(shape.corners[2] - c)}));
        }
    }
    return 0;
}

MCH_CLONES_AVX2 geometry::Aabbd bounds(const Shape& shape)
{
    const Vec3d& s       = shape.size;
    const auto   around  = [](const Vec3d& c, const Vec3d& half) { return geometry::Aabbd{c - half, c + half}; };
    // The box of a rotated box: |R| half (Arvo 1990).
    const auto   rotated = [&](const Vec3d& half) {
        return Vec3d{dot(abs(shape.R.r0), half), dot(abs(shape.R.r1), half), dot(abs(shape.R.r2), half)};
    };
    switch (shape.kind) {
        case ShapeKind::plane:
            return {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
        case ShapeKind::sphere:
            return around(shape.p, {s.x, s.x, s.x});
        case ShapeKind::capsule:
            return around(shape.p, s.y * abs(shape.R.column(2)) + Vec3d{s.x, s.x, s.x});
        case ShapeKind::rectangle:
            return around(shape.p, rotated({s.x, s.y, 0}));
        case ShapeKind::box:
            return around(shape.p, rotated(s));
        case ShapeKind::mesh: {
            if (shape.mesh->bvh.empty()) return {};
            geometry::Aabbd b = shape.mesh->bvh.bounds();
            b.lower.z -= shape.mesh->floor;
            return around(shape.p + shape.R * (0.5 * (b.lower + b.upper)), rotated(0.5 * (b.upper - b.lower)));
        }
        case ShapeKind::hull: {
            constexpr std::size_t kFew = 12;  // of more the six outermost are found faster
            if (shape.hull->vertices.size() > kFew) break;
            geometry::Aabbd box;
            for (const Vec3d& v : shape.hull->vertices) {
                const Vec3d p = shape.p + shape.R * v;
                box           = {min(box.lower, p), max(box.upper, p)};
            }
            return box;
        }
        case ShapeKind::ellipsoid:
        case ShapeKind::cylinder:
        case ShapeKind::cone:
        case ShapeKind::triangle:
            break;
    }
    // Six support queries are exact, whatever the shape.
    geometry::Aabbd box;
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3d e = axis_vector<double>(static_cast<int>(i));
        box.lower[i]  = support(shape, -e)[i];
        box.upper[i]  = support(shape, e)[i];
    }
    return box;
}

}  // namespace mechane::collision
