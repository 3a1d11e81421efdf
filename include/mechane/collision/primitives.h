#pragma once
#include <array>
#include <cstddef>

#include "mechane/math/mat.h"
#include "mechane/math/vec.h"

/// Contacts of two simple shapes given by numbers, without a model or a pipeline. Everything in one frame [m]; `axis`
/// is unit, `R` a rotation; `half_height` does not count the caps of a capsule; sizes of boxes and ellipsoids are
/// halves. The rows are those of the pipeline for the same pair.
namespace mechane::collision {

/// Distance of a slot that holds no contact [m].
inline constexpr double kUnusedContact = 1e10;

/// At most N slots, used ones first. Functions allocate nothing and may run on many threads.
template <std::size_t N>
struct PrimitiveContacts {
    std::array<double, N> distance;    ///< [m], negative in penetration; kUnusedContact from the first free slot on
    std::array<Vec3d, N>  position{};  ///< midway between the two surfaces [m]
    std::array<Vec3d, N>  normal{};    ///< unit, from the first shape to the second; dimensionless

    /// Slots in use.
    [[nodiscard]] std::size_t count() const
    {
        std::size_t n = 0;
        while (n < N && distance[n] < kUnusedContact) ++n;
        return n;
    }
};

/// Shapes by their numbers. Sizes have to be positive; what a negative one gives is not said.
struct PlaneArgs {
    Vec3d normal;  ///< unit, out of the solid; dimensionless
    Vec3d point;   ///< any point of the plane [m]
};
/// A ball.
struct SphereArgs {
    Vec3d  centre;      ///< [m]
    double radius = 0;  ///< [m]
};
/// All points within `radius` of a segment of half length `half_height`.
struct CapsuleArgs {
    Vec3d  centre, axis;                 ///< of the middle [m]; unit, dimensionless
    double radius = 0, half_height = 0;  ///< [m]
};
using CylinderArgs = CapsuleArgs;  ///< with flat ends instead of caps
/// A cuboid; the columns of R are its axes.
struct BoxArgs {
    Vec3d  centre;  ///< [m]
    Mat33d R = Mat33d::identity();
    Vec3d  half_extents;  ///< [m]
};
using EllipsoidArgs = BoxArgs;  ///< semi-axes instead of half extents

/// The normal is that of the plane.
PrimitiveContacts<1> collide_plane_sphere(const PlaneArgs& plane, const SphereArgs& sphere);
/// The end spheres, that along +axis first.
PrimitiveContacts<2> collide_plane_capsule(const PlaneArgs& plane, const CapsuleArgs& capsule);
/// The point of the ellipsoid that lies lowest over the plane, in closed form.
PrimitiveContacts<1> collide_plane_ellipsoid(const PlaneArgs& plane, const EllipsoidArgs& ellipsoid);
/// The lowest four corners, of those not higher than `margin`.
PrimitiveContacts<4> collide_plane_box(const PlaneArgs& plane, const BoxArgs& box, double margin = 0);
/// Of the rim of the lower cap, and the lowest point of the other cap.
PrimitiveContacts<4> collide_plane_cylinder(const PlaneArgs& plane, const CylinderArgs& cylinder);
/// Coincident centres: the normal is x.
PrimitiveContacts<1> collide_sphere_sphere(const SphereArgs& a, const SphereArgs& b);
/// Against the nearest point of the capsule's axis.
PrimitiveContacts<1> collide_sphere_capsule(const SphereArgs& sphere, const CapsuleArgs& capsule);
/// Inside: the way out through the nearest of side and caps.
PrimitiveContacts<1> collide_sphere_cylinder(const SphereArgs& sphere, const CylinderArgs& cylinder);
/// Inside: the way out through the nearest face.
PrimitiveContacts<1> collide_sphere_box(const SphereArgs& sphere, const BoxArgs& box);
/// One contact; two where they lie alongside, the ends of the common range, and a third where they are a little skew.
PrimitiveContacts<3> collide_capsule_capsule(const CapsuleArgs& a, const CapsuleArgs& b);
PrimitiveContacts<4> collide_capsule_box(const CapsuleArgs& capsule, const BoxArgs& box);
/// Those of the clipped faces that matter, not farther apart than `margin`.
PrimitiveContacts<4> collide_box_box(const BoxArgs& a, const BoxArgs& b, double margin = 0);

}  // namespace mechane::collision
