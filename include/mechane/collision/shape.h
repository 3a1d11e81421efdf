#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mechane/geometry/bvh.h"
#include "mechane/geometry/mesh.h"
#include "mechane/math/pose.h"

namespace mechane::collision {

/// Shapes here are numbers and pointers: they know neither a model nor a body, and own nothing. Whoever makes one keeps
/// the hull, mesh or field that it points to. Everything is in double precision.
/// What the narrow phase tells apart. The order is the order of the shapes in a contact (the mesh comes first wherever
/// it is).
enum class ShapeKind : std::uint8_t {
    plane,
    rectangle,
    sphere,
    capsule,
    ellipsoid,
    cylinder,
    box,
    mesh,
    cone,
    hull,
    triangle
};
/// The side of the table of pair functions.
inline constexpr std::size_t kPairKinds = 10;  ///< kinds of whole shapes; a triangle is a part of a mesh

/// Vectors by component, filled up to whole lanes or blocks of them (src/collision/narrow/core_support.h) with the
/// first.
struct LaneVectors {
    std::vector<double> x, y, z;  ///< by component, in the unit of what is repeated: [m], or unit vectors
};

/// A convex polyhedron: vertices, and faces as polygons of vertex indices wound outwards. A flat or thin input may have
/// no faces.
struct HullShape {
    std::vector<Vec3d>        vertices;    ///< in the shape's frame [m]
    std::vector<std::int32_t> face_start;  ///< [faces + 1], into face_vertices
    /// Polygon after polygon, counter-clockwise from outside.
    std::vector<std::int32_t> face_vertices;
    std::vector<Vec3d>        face_normals;                 ///< [faces], unit, outward; dimensionless
    std::vector<std::int32_t> neighbour_start, neighbours;  ///< vertices joined by an edge, per vertex
    Vec3d                     centre;                       ///< mean of the vertices [m]
    double                    radius = 0;                   ///< of the ball about the centre that holds all [m]
    std::vector<Vec3d>        edge_ways;  ///< of a small hull: unit, of parallel edges one; dimensionless
    LaneVectors vertex_lanes, normal_lanes, edge_lanes;  ///< `vertices`, `face_normals` and `edge_ways` once more
};
/// Hull of a mesh whose points are multiplied by `scale` (negative components mirror). Coplanar triangles become one
/// face. A mesh that is not marked convex is replaced by its convex hull.
/// A mesh that is not marked convex costs a run of qhull.
HullShape make_hull_shape(const geometry::Mesh& mesh, const Vec3d& scale);

/// A triangle mesh for collision: scaled, welded, wound outwards when closed, with the neighbours across its edges and
/// a tree.
struct MeshShape {
    std::vector<Vec3d>                       points;  ///< in the shape's frame [m]
    std::vector<std::array<std::int32_t, 3>> triangles;
    std::vector<Vec3d>                       normals;  ///< unit; zero for a degenerate triangle; dimensionless
    /// Triangle across edge k -> k+1; -1 at a boundary or a non-manifold edge.
    std::vector<std::array<std::int32_t, 3>> neighbours;
    /// Angle from my normal to the neighbour's over edge k [rad], positive where convex.
    std::vector<std::array<double, 3>> fold;
    /// Every edge joins two triangles, so that there is an inside.
    bool          closed = false;
    bool          convex = false;  ///< closed and nowhere hollow
    double        floor  = 0;      ///< of a height field: how far the solid goes down below its surface, along -z [m]
    geometry::Bvh bvh;
    /// Of a convex mesh, where asked for: stands in for it with any partner, exact however deep and seldom slower.
    std::unique_ptr<HullShape> hull;
};
/// @param with_hull  a convex mesh gets its hull; one of up to `kSmallSolid` points has it always
inline constexpr std::size_t kSmallSolid = 64;
/// The mesh may be open, and may have edges of more than two triangles. `floor` is for height fields alone.
MeshShape make_mesh_shape(const geometry::Mesh& mesh, const Vec3d& scale, bool with_hull, double floor = 0);

struct SdfShape;

/// A shape with its pose, in whatever frame the pair is computed in. `size` by kind: sphere (r), capsule, cylinder and
/// cone (r, half height along z), ellipsoid semi-axes, box half extents, rectangle half extents (x, y); [m]. The plane
/// is z = 0 with the solid below; the rectangle is one-sided likewise.
struct Shape {
    ShapeKind kind = ShapeKind::sphere;
    Vec3d     p;  ///< origin [m]
    Mat33d    R = Mat33d::identity();
    Vec3d     size;  ///< [m], by kind as above
    /// Data of hulls and meshes, null for other kinds; whoever made the shape keeps them.
    const HullShape* hull = nullptr;
    const MeshShape* mesh = nullptr;
    const SdfShape*  sdf  = nullptr;  ///< its signed distance field, where it has one
    /// What follows is of a triangle alone, which only a mesh hands out.
    std::array<Vec3d, 3> corners{};  ///< of a triangle, in the pair's frame
    Vec3d extrusion;  ///< [m], of a triangle: makes it the prism between the corners and the corners moved by this
    /// Radius by which the core (a point, a segment) is inflated; 0 for all other kinds.
    [[nodiscard]] double core_radius() const
    { return kind == ShapeKind::sphere || kind == ShapeKind::capsule ? size.x : 0.0; }
};

/// The point of the core that is farthest along `direction` (any length). Zero directions give some point of the core.
/// In the frame of the pose. Meshes and planes have no core: what they answer is not said.
Vec3d support(const Shape& shape, const Vec3d& direction);
/// A point inside: the middle of the shape.
Vec3d centre(const Shape& shape);
/// Radius of a ball about `centre` that holds the shape [m]; infinite for a plane.
double bounding_radius(const Shape& shape);
/// Box in the frame of the pose, not expanded; everything for an infinite plane.
/// Radii and caps are in it.
geometry::Aabbd bounds(const Shape& shape);

}  // namespace mechane::collision
