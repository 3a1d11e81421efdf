#pragma once
#include <cstdint>
#include <vector>

#include "mechane/geometry/bvh.h"
#include "mechane/geometry/mesh.h"
#include "mechane/geometry/winding.h"

namespace mechane::geometry {

/// How inside is told from outside.
enum class SignMethod : std::uint8_t {
    automatic,  ///< parity where every edge joins two triangles, normal for an open sheet, winding for all other meshes
    parity,     ///< crossings of a ray; a point on no matter which side of a self-intersection counts them all
    winding,    ///< winding number beyond one half, whichever way the triangles run
    normal      ///< angle-weighted pseudo-normal at the nearest point (Baerentzen, Aanaes 2005)
};

/// Distances from a triangle mesh, negative inside, exact to rounding: there is no grid. Points at the same place are
/// joined first. Immutable once it is made, so any number of threads may ask. A question costs about the logarithm of
/// the triangles.
class MeshDistance {
  public:
    /// Copies the mesh and builds its tree; what `automatic` comes to is decided here.
    explicit MeshDistance(const Mesh& mesh, SignMethod method = SignMethod::automatic);

    struct Nearest {
        double       distance = kInfinity;  ///< not signed [m]
        Vec3d        point;                 ///< of the surface, the mesh's frame [m]
        Vec3d        weights;               ///< barycentric in the triangle, sum 1; dimensionless
        std::int32_t triangle = -1;
    };
    /// The nearest point of the surface.
    /// @param hint  a triangle that is likely near, as of the last question; the answer does not depend on it
    [[nodiscard]] Nearest nearest(const Vec3d& p, std::int32_t hint = -1) const;
    /// Whether p lies inside. @param nearest  the answer for the same p
    [[nodiscard]] bool inside(const Vec3d& p, const Nearest& nearest) const;
    /// `nearest` and `inside` in one, negative inside [m].
    [[nodiscard]] double signed_distance(const Vec3d& p) const;

    /// Never `automatic`: what it came to.
    [[nodiscard]] SignMethod method() const { return method_; }
    /// The sign changes at the surface only, so a sample far from it has the sign of its neighbour.
    [[nodiscard]] bool changes_sign_at_surface_only() const { return watertight_; }
    /// After joining: indices differ from those of the mesh that was given.
    [[nodiscard]] const Mesh& mesh() const { return mesh_; }

  private:
    [[nodiscard]] bool crossed_oddly(const Vec3d& p) const;

    Mesh                                     mesh_;  ///< welded
    Bvh                                      bvh_;
    std::vector<Vec3d>                       face_normals_, point_normals_;  ///< unit; by triangle, by point [-]
    std::vector<std::array<std::int32_t, 3>> edge_of_;  ///< by triangle: entry of edge_normals_ for the edge k -> k+1
    std::vector<Vec3d>                       edge_normals_;  ///< unit [-]
    WindingTree                              winding_;
    SignMethod                               method_;
    bool                                     watertight_ = false, inverted_ = false;
};

}  // namespace mechane::geometry
