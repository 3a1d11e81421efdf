// The pairs in closed form as free functions of plain arguments, for programs and Python. They call the functions of
// the narrow phase and have no method of their own.
// Axes are unit vectors in the world, lengths in metres. Unused rows have the distance kUnusedContact.

#include "mechane/collision/primitives.h"

#include <cmath>

#include "pairs.h"

namespace mechane::collision {
namespace {

/// A rotation that takes z to a unit vector.
/// Any x will do: the shapes are round about z.
Mat33d frame_about(const Vec3d& z)
{
    const Vec3d side = std::abs(z.z) < 0.5 ? Vec3d{0, 0, 1} : Vec3d{1, 0, 0};
    const Vec3d x    = normalized(cross(side, z));
    return Mat33d::from_columns(x, cross(z, x), z);
}

Shape shape_of(const PlaneArgs& plane)
{ return {.kind = ShapeKind::plane, .p = plane.point, .R = frame_about(plane.normal)}; }
Shape shape_of(const SphereArgs& sphere)
{ return {.kind = ShapeKind::sphere, .p = sphere.centre, .size = {sphere.radius, 0, 0}}; }
Shape shape_of(ShapeKind kind, const CapsuleArgs& round)
{
    return {
        .kind = kind, .p = round.centre, .R = frame_about(round.axis), .size = {round.radius, round.half_height, 0}};
}
Shape shape_of(ShapeKind kind, const BoxArgs& box)
{ return {.kind = kind, .p = box.centre, .R = box.R, .size = box.half_extents}; }

template <std::size_t N>
PrimitiveContacts<N> contacts_of(PairFunction function, const Shape& a, const Shape& b, double reach = kInfinity)
{
    // Far from the origin as accurate as near it.
    const Vec3d origin = b.p;
    Shape       x = a, y = b;
    x.p -= origin, y.p -= origin;
    Manifold manifold;
    function(x, y, reach, manifold);
    PrimitiveContacts<N> out;
    out.distance.fill(kUnusedContact);
    for (std::size_t i = 0; i < N && i < static_cast<std::size_t>(manifold.count); ++i) {
        const ContactPoint& c = manifold.points[i];
        out.distance[i]       = c.distance;
        out.position[i]       = origin + 0.5 * (c.p0 + c.p1);
        out.normal[i]         = c.normal;
    }
    return out;
}

}  // namespace

PrimitiveContacts<1> collide_plane_sphere(const PlaneArgs& plane, const SphereArgs& sphere)
{ return contacts_of<1>(collide_plane_sphere, shape_of(plane), shape_of(sphere)); }

PrimitiveContacts<2> collide_plane_capsule(const PlaneArgs& plane, const CapsuleArgs& capsule)
{ return contacts_of<2>(collide_plane_capsule, shape_of(plane), shape_of(ShapeKind::capsule, capsule)); }

PrimitiveContacts<1> collide_plane_ellipsoid(const PlaneArgs& plane, const EllipsoidArgs& ellipsoid)
{ return contacts_of<1>(collide_plane_ellipsoid, shape_of(plane), shape_of(ShapeKind::ellipsoid, ellipsoid)); }

PrimitiveContacts<4> collide_plane_box(const PlaneArgs& plane, const BoxArgs& box, double margin)
{ return contacts_of<4>(collide_plane_box, shape_of(plane), shape_of(ShapeKind::box, box), margin); }

PrimitiveContacts<4> collide_plane_cylinder(const PlaneArgs& plane, const CylinderArgs& cylinder)
{ return contacts_of<4>(collide_plane_cylinder, shape_of(plane), shape_of(ShapeKind::cylinder, cylinder)); }

PrimitiveContacts<1> collide_sphere_sphere(const SphereArgs& a, const SphereArgs& b)
{ return contacts_of<1>(collide_sphere_sphere, shape_of(a), shape_of(b)); }

PrimitiveContacts<1> collide_sphere_capsule(const SphereArgs& sphere, const CapsuleArgs& capsule)
{ return contacts_of<1>(collide_sphere_capsule, shape_of(sphere), shape_of(ShapeKind::capsule, capsule)); }

PrimitiveContacts<1> collide_sphere_cylinder(const SphereArgs& sphere, const CylinderArgs& cylinder)
{ return contacts_of<1>(collide_sphere_cylinder, shape_of(sphere), shape_of(ShapeKind::cylinder, cylinder)); }

PrimitiveContacts<1> collide_sphere_box(const SphereArgs& sphere, const BoxArgs& box)
{ return contacts_of<1>(collide_sphere_box, shape_of(sphere), shape_of(ShapeKind::box, box)); }

PrimitiveContacts<3> collide_capsule_capsule(const CapsuleArgs& a, const CapsuleArgs& b)
{ return contacts_of<3>(collide_capsule_capsule, shape_of(ShapeKind::capsule, a), shape_of(ShapeKind::capsule, b)); }

PrimitiveContacts<4> collide_capsule_box(const CapsuleArgs& capsule, const BoxArgs& box)
{ return contacts_of<4>(collide_capsule_box, shape_of(ShapeKind::capsule, capsule), shape_of(ShapeKind::box, box)); }

PrimitiveContacts<4> collide_box_box(const BoxArgs& a, const BoxArgs& b, double margin)
{ return contacts_of<4>(collide_box_box, shape_of(ShapeKind::box, a), shape_of(ShapeKind::box, b), margin); }

}  // namespace mechane::collision
