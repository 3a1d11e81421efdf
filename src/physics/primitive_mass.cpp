// Volume, centre and inertia of the analytic shapes at unit density. They live here and not in
// geometry/ because they follow the descriptors: any axis, unequal radii, spheres of points.
#include <algorithm>
#include <cmath>

#include "mechane/physics/mass.h"
#include "mechane/physics/solid_size.h"

namespace mechane::physics {

namespace {

// A solid of revolution about z: volume, height of its centre, moments about its own centre.
struct Revolved {
    double volume = 0, center = 0, along = 0, across = 0;
};

Revolved sum(const Revolved& a, const Revolved& b)
{
    Revolved s;
    s.volume = a.volume + b.volume;
    if (!(s.volume > 0)) return s;
    s.center = (a.volume * a.center + b.volume * b.center) / s.volume;
    // Moments along the common axis add up; those across it also take the offsets of the two centres.
    s.along         = a.along + b.along;
    const double da = a.center - s.center, db = b.center - s.center;
    s.across = a.across + a.volume * da * da + b.across + b.volume * db * db;
    return s;
}

// Base (radius R) at z = -h/2, top (radius r) at z = h/2.
Revolved frustum(double R, double r, double h)
{
    // V = pi h (R^2 + R r + r^2) / 3, centre above the base h (R^2 + 2 R r + 3 r^2) / (4 q).
    const double q = R * R + R * r + r * r;
    Revolved     s;
    s.volume = kPi * h * q / 3;
    if (!(q > 0)) return s;
    const double zc = h * (R * R + 2 * R * r + 3 * r * r) / (4 * q);  // above the base
    // (R^5 - r^5)/(R^3 - r^3) divided out, so that equal radii need no case of their own
    const double fifth = R * R * R * R + R * R * R * r + R * R * r * r + R * r * r * r + r * r * r * r;
    // Discs of radius x weigh pi x^2 dz with x^2 / 2 about the axis: the sum over z is 3/10 m (R^5 - r^5) / (R^3 -
    // r^3).
    s.along = 0.3 * s.volume * fifth / q;
    // About a line across the base: half of the above plus the sum of z^2, moved to the centre in the next line.
    const double base = s.along / 2 + kPi * h * h * h / 30 * (R * R + 3 * R * r + 6 * r * r);
    s.across          = base - s.volume * zc * zc;
    s.center          = zc - h / 2;
    return s;
}

// The cap of a capsule at the end `up` of its axis: what a ball of radius R has beyond the height z of its rim.
Revolved cap_of(double own, double other, double half_height, double up)
{
    const CapsuleCap cap = capsule_cap(own, other, half_height);
    const double     R = cap.radius, z = R * cap.rise;
    Revolved         s;
    // Discs of radius x weigh pi x^2 dz with x^2 = R^2 - z^2 and have x^2 / 2 about the axis.
    const double d1 = R - z, d2 = R * R - z * z, d3 = R * R * R - z * z * z, d4 = R * R * R * R - z * z * z * z,
                 d5 = R * R * R * R * R - z * z * z * z * z;
    s.volume        = kPi * (R * R * d1 - d3 / 3);
    if (!(s.volume > 0)) return s;
    const double zc = kPi * (R * R * d2 / 2 - d4 / 4) / s.volume;
    s.along         = kPi / 2 * (R * R * R * R * d1 - 2 * R * R * d3 / 3 + d5 / 5);
    s.across        = s.along / 2 + kPi * (R * R * d3 / 3 - d5 / 5) - s.volume * zc * zc;
    s.center        = up * (cap.centre + zc);
    return s;
}

MassInfo about_axis(const Collider& collider, const Revolved& s)
{
    MassInfo    info;
    const Vec3d u = unit_vector(collider.axis);
    info.volume   = s.volume;
    info.com      = s.center * u;
    // `across` on all axes and the difference along u: the tensor of any body of revolution, for whichever axis.
    info.inertia = s.across * Mat33d::identity() + (s.along - s.across) * Mat33d::outer(u, u);
    info.X_BS    = collider.X_BS;
    return info;
}

MassInfo ball(const Collider& collider, double r)
{
    MassInfo info;
    info.volume  = 4.0 / 3.0 * kPi * r * r * r;
    info.inertia = 0.4 * info.volume * r * r * Mat33d::identity();
    info.X_BS    = collider.X_BS;
    return info;
}

MassInfo box(const Collider& collider)
{
    const Vec3d h = abs(collider.half_extents);
    MassInfo    info;
    info.volume = 8 * h.x * h.y * h.z;
    info.inertia =
        Mat33d::diagonal(info.volume / 3 * Vec3d{h.y * h.y + h.z * h.z, h.x * h.x + h.z * h.z, h.x * h.x + h.y * h.y});
    info.X_BS = collider.X_BS;
    return info;
}

// Overlaps count twice, as the schema's point clouds are meant.
MassInfo balls(const Collider& collider)
{
    MassInfo info;
    info.X_BS   = collider.X_BS;
    info.volume = 0;
    for (const SpherePoint& point : collider.points) {
        const double volume = 4.0 / 3.0 * kPi * point.radius * point.radius * point.radius;
        info.volume += volume;
        info.com += volume * point.scaled_center;
    }
    if (!(info.volume > 0)) return info;
    info.com = info.com / info.volume;
    for (const SpherePoint& point : collider.points) {
        const double volume = 4.0 / 3.0 * kPi * point.radius * point.radius * point.radius;
        const Vec3d  t      = point.scaled_center - info.com;
        info.inertia += (0.4 * volume * point.radius * point.radius + volume * dot(t, t)) * Mat33d::identity();
        info.inertia -= volume * Mat33d::outer(t, t);
    }
    return info;
}

}  // namespace

MassInfo primitive_mass_info(const Collider& collider)
{
    const double r = collider.radius, h = 2 * collider.half_height;
    switch (collider.kind) {
        case ShapeKind::sphere:
            return ball(collider, r);
        case ShapeKind::cube:
            return box(collider);
        case ShapeKind::cylinder:
            return about_axis(collider, frustum(r, r, h));
        case ShapeKind::cylinder_1:
            return about_axis(collider, frustum(r, collider.radius_top, h));
        case ShapeKind::cone:
            return about_axis(collider, frustum(r, 0, h));
        case ShapeKind::capsule:
        case ShapeKind::capsule_1: {
            // A cylinder (or frustum) with a cap at each end.
            const double   top  = collider.kind == ShapeKind::capsule ? r : collider.radius_top;
            const Revolved caps = sum(cap_of(r, top, h / 2, -1), cap_of(top, r, h / 2, 1));
            return about_axis(collider, sum(frustum(r, top, h), caps));
        }
        case ShapeKind::sphere_points:
            return balls(collider);
        case ShapeKind::plane:
        case ShapeKind::mesh:
        case ShapeKind::custom:
            break;
    }
    // The default volume is negative, which says "not known".
    MassInfo unknown;
    unknown.X_BS = collider.X_BS;
    return unknown;
}

}  // namespace mechane::physics
