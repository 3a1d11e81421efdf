#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "mechane/collision/shape.h"

/// Questions about shapes and scenes: rays, nearest points, overlaps, shapes on the move.
namespace mechane::collision {

/// Where a ray meets one shape: `t` in lengths of the direction, the unit outward normal there.
struct ShapeHit {
    double       t = 0;
    Vec3d        normal;
    std::int32_t triangle = -1;  ///< of a mesh
};
/// First point of the ray origin + t direction, 0 <= t <= t_max, on the surface of the shape. From the inside of a
/// closed shape that is where it leaves. Planes, rectangles and open meshes are met from both sides, with their own
/// normal; `cull_back` lets the ray through from behind.
std::optional<ShapeHit> cast_ray(const Shape& shape, const Vec3d& origin, const Vec3d& direction,
                                 double t_max = kInfinity, bool cull_back = false);

/// Nearest point of a surface.
struct NearestPoint {
    double distance = 0;  ///< [m], negative inside of a solid
    Vec3d  point;         ///< on the surface
    Vec3d  normal;        ///< unit, outwards
};
/// The point of the surface nearest to p, or nothing when it is farther than `reach` [m]. Closed form for spheres,
/// capsules, boxes, cylinders, cones and planes; Newton's method for ellipsoids (Eberly 2013); the tree for meshes,
/// signed by the angle-weighted pseudo-normal (Baerentzen, Aanaes 2005) when they are closed.
std::optional<NearestPoint> nearest_point(const Shape& shape, const Vec3d& p, double reach = kInfinity);

/// First touch of `moving`, carried along `travel` without turning, with `still`: the part of the travel in 0..1, the
/// normal from still to moving, the point of contact. Conservative advancement (Mirtich 1996) by certified distances.
/// Starts in contact: fraction 0. Convex shapes; of a mesh each triangle near the path is asked.
struct ShapeCastHit {
    double fraction = 0;
    Vec3d  point, normal;
};
std::optional<ShapeCastHit> cast_shape(const Shape& moving, const Vec3d& travel, const Shape& still);

/// How far two shapes are from each other, margins not considered.
struct ShapeDistance {
    double distance = 0;      ///< [m]; negative: how far b has to be moved along the normal to come free
    Vec3d  normal{1, 0, 0};   ///< unit, from a to b
    Vec3d  on_a, on_b;        ///< nearest points of the surfaces; of shapes that overlap the deepest
};
/// Signed distance of two convex shapes, or of a plane and a shape of bounded size. A mesh is a surface, and where it is
/// closed a solid: where a mesh overlaps something the distance is 0. Nothing for two planes, and for numbers that are
/// not finite.
/// @param a, b  of any kind, with the mesh or hull of that kind; a mistake that the failure handler is told otherwise
std::optional<ShapeDistance> shape_distance(const Shape& a, const Shape& b);

/// Whether two shapes share a point. Meshes count as surfaces; a closed mesh holds what lies inside of it.
bool overlap(const Shape& a, const Shape& b);

}  // namespace mechane::collision
