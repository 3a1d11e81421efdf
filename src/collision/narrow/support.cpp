#include <algorithm>
#include <cmath>

#include "mechane/collision/shape.h"

namespace mechane::collision {

namespace {

double sign(double x) { return x < 0 ? -1.0 : 1.0; }

/// The sign of a component, where rounding noise must not choose another corner than the exact zero would.
double steady_sign(double x, double largest) { return x >= -1e-10 * largest ? 1.0 : -1.0; }

Vec3d radial(const Vec3d& d, double radius)
{
    const double n = std::sqrt(d.x * d.x + d.y * d.y);
    return n > 1e-150 ? Vec3d{radius * d.x / n, radius * d.y / n, 0} : Vec3d{radius, 0, 0};
}

Vec3d local_support(const Shape& shape, const Vec3d& d)
{
    const Vec3d& s = shape.size;
    switch (shape.kind) {
        case ShapeKind::plane:
        case ShapeKind::sphere:
            return {};
        case ShapeKind::capsule:
            return {0, 0, sign(d.z) * s.y};
        case ShapeKind::rectangle: {
            const double m = max_component(abs(d));
            return {steady_sign(d.x, m) * s.x, steady_sign(d.y, m) * s.y, 0};
        }
        case ShapeKind::ellipsoid: {
            const Vec3d  e = scale(s, d);
            const double n = length(e);
            return n > 1e-150 ? scale(s, e) / n : Vec3d{s.x, 0, 0};
        }
        case ShapeKind::cylinder: {
            Vec3d r = radial(d, s.x);
            r.z     = d.z == 0 ? 0 : sign(d.z) * s.y;
            return r;
        }
        case ShapeKind::box: {
            const double m = max_component(abs(d));
            return {steady_sign(d.x, m) * s.x, steady_sign(d.y, m) * s.y, steady_sign(d.z, m) * s.z};
        }
        case ShapeKind::cone: {
            const double lateral = std::sqrt(d.x * d.x + d.y * d.y);
            if (2 * s.y * d.z >= s.x * lateral) return {0, 0, s.y};
            Vec3d r = radial(d, s.x);
            r.z     = -s.y;
            return r;
        }
        case ShapeKind::hull: {
            double       best = -kInfinity;
            const Vec3d* at   = nullptr;
            for (const Vec3d& v : shape.hull->vertices) {
                const double x = dot(v, d);
                if (x > best) {
                    best = x;
                    at   = &v;
                }
            }
            return at ? *at : Vec3d{};
        }
        case ShapeKind::mesh:
        case ShapeKind::triangle:
            break;
    }
    return {};
}

}  // namespace

Vec3d support(const Shape& shape, const Vec3d& direction)
{
    if (shape.kind == ShapeKind::triangle) {
        const auto&  c = shape.corners;
        const double x = dot(c[0], direction), y = dot(c[1], direction), z = dot(c[2], direction);
        const Vec3d& top = x >= y && x >= z ? c[0] : y >= z ? c[1] : c[2];
        return dot(shape.extrusion, direction) > 0 ? top + shape.extrusion : top;
    }
    if (shape.kind == ShapeKind::sphere) return shape.p;
    return shape.p + shape.R * local_support(shape, transpose_times(shape.R, direction));
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
            return std::hypot(s.x, s.y);
        case ShapeKind::sphere:
            return s.x;
        case ShapeKind::capsule:
            return s.x + s.y;
        case ShapeKind::ellipsoid:
            return max_component(s);
        case ShapeKind::cylinder:
        case ShapeKind::cone:
            return std::hypot(s.x, s.y);
        case ShapeKind::box:
            return length(s);
        case ShapeKind::hull: {
            double r = 0;
            for (const Vec3d& v : shape.hull->vertices) r = std::max(r, length_squared(v - shape.hull->centre));
            return std::sqrt(r);
        }
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

geometry::Aabbd bounds(const Shape& shape)
{
    const Vec3d& s       = shape.size;
    const auto   around  = [](const Vec3d& c, const Vec3d& half) { return geometry::Aabbd{c - half, c + half}; };
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
        case ShapeKind::hull:
            if (shape.hull->vertices.empty()) return {};
            break;
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
