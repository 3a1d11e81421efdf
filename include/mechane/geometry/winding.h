#pragma once
#include <cstdint>
#include <vector>

#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

/// How often a triangle mesh goes round a point: 1 inside a closed mesh wound outwards, 0 outside of it, between where
/// the mesh has holes (Jacobson et al. 2013). Far groups of triangles count as one dipole (Barill et al. 2018, first
/// order), so a question costs the logarithm of the triangles. Equal input gives equal bytes.
class WindingTree {
  public:
    WindingTree() = default;
    /// Copies what it needs of the mesh.
    explicit WindingTree(const Mesh& mesh);
    /// @param p  in the mesh's frame [m]
    /// Inside is where it is above one half.
    [[nodiscard]] double at(const Vec3d& p) const;

  private:
    struct Node {
        Vec3d         centre, dipole;        ///< mean place of the area, sum of area times normal [m^2]
        double        radius = 0;            ///< ball about `centre` that holds the triangles [m]
        std::uint32_t first = 0, count = 0;  ///< leaf: triangles; inner node: left child and 0, the right one follows
    };
    struct Triangle {
        Vec3d a, b, c;  ///< corners [m]
    };
    void build(std::size_t node, std::size_t begin, std::size_t end);

    std::vector<Node>     nodes_;
    std::vector<Triangle> triangles_;
};

}  // namespace mechane::geometry
