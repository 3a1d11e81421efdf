#pragma once
#include "manifold.h"

namespace mechane::collision {

/// What lies across the three edges of a one-sided triangle: the fold to the neighbour's normal [rad], or a boundary.
struct Surroundings {
    std::array<double, 3> fold{};  ///< positive where the surface is convex
    std::array<bool, 3>   boundary{true, true, true};
    Vec3d                 below;  ///< where the solid behind the face goes; zero: against the normal, as far as needed
};
/// What the mesh has around one of its triangles.
Surroundings surroundings(const MeshShape& mesh, std::size_t triangle);

/// True when a contact with the normal n is the triangle's own: its face, or an edge or corner within whose bend n
/// lies.
bool owns(const Shape& triangle, const Vec3d& normal, const Surroundings& around, const Vec3d& n);

/// What a surface falls back on when none of its triangles owns a contact, as at corners of slivers too small for their
/// angles to be known: the nearest point of all, or of the triangles that are pierced the way that is shortest. Of a
/// shape outside the nearest point is always among those of the faces in front of it.
struct LastResort {
    ContactPoint nearest{.distance = kInfinity};
    ContactPoint shallowest{.distance = -kInfinity};
    bool         overlapping = false;  ///< the last triangle reaches into the convex shape

    void apart(const ContactPoint& p)
    {
        overlapping = p.distance < 0;
        if (p.distance < nearest.distance) nearest = p;
    }
    void pierced(const ContactPoint& p)
    {
        overlapping = true;
        if (p.distance > shallowest.distance) shallowest = p;
    }
    /// Null when no triangle was near.
    [[nodiscard]] const ContactPoint* point() const
    {
        if (shallowest.distance > -kInfinity) return &shallowest;
        return nearest.distance < kInfinity ? &nearest : nullptr;
    }
};

/// Contacts of one face of a surface (a triangle) with a convex shape in front of it. A normal that leans over an edge
/// farther than the surface bends there belongs to the neighbour, which reports it: this is what removes ghost bumps.
/// @param merge    distance at which two points are one [m]
/// @param own      points whose normal the triangle owns
/// @param assumed  points over the triangle for which the face normal had to stand in: right on a seam, too deep near a
/// real edge,
///                 whose own contact then takes their place (`settle`)
/// @param rest     what there is if nobody owns a contact
/// @return whether the core of the convex shape passes through the triangle
bool collide_face(const Shape& triangle, const Vec3d& normal, const Surroundings& around, const Shape& convex,
                  double reach, double merge, Candidates& own, Candidates& assumed, LastResort& rest);

/// Adds to `own` the assumed points that no shallower own contact close by explains better.
void settle(Candidates& own, Candidates& assumed, double merge);

}  // namespace mechane::collision
