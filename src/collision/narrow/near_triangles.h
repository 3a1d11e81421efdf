#pragma once
#include <array>
#include <cstdint>

#include "mechane/collision/shape.h"

namespace mechane::collision {

/// The triangles of a mesh in a region about what moves over it. As long as that stays in the region they stand in for
/// the tree. Everything in the frame of the mesh.
class NearTriangles {
  public:
    /// Calls visit(triangle) for every triangle whose box overlaps `box`, and for others near by, in the order of the
    /// tree.
    /// @param ahead  what the box will move by in the next calls: a new region is made to last for them
    template <class Visit>
    [[gnu::always_inline]] void visit(const MeshShape& mesh, const geometry::Aabbd& box, const Vec3d& ahead,
                                      Visit&& visit)
    {
        if (mesh_ != &mesh || !contains(region_, box)) look(mesh, box, ahead);
        if (count_ > kMost) return mesh.bvh.for_each_overlap(box, visit);
        for (std::int32_t i = 0; i < count_; ++i) visit(triangles_[static_cast<std::size_t>(i)]);
    }
    /// Whether it is known that there are none.
    [[nodiscard]] bool is_empty(const MeshShape& mesh, const geometry::Aabbd& box) const
    { return count_ == 0 && mesh_ == &mesh && contains(region_, box); }

  private:
    static constexpr std::int32_t kMost = 16;  ///< of more the tree is asked

    void look(const MeshShape& mesh, const geometry::Aabbd& box, const Vec3d& ahead);

    const MeshShape*                mesh_ = nullptr;  ///< whose triangles they are
    geometry::Aabbd                 region_;
    std::int32_t                    count_ = 0;  ///< in the region, those that there is no room for as well
    std::array<std::int32_t, kMost> triangles_;
};

/// Where that is remembered; nowhere: the tree is asked.
struct NearMesh {
    NearTriangles* triangles = nullptr;
    Vec3d          ahead;  ///< as above

    template <class Visit>
    [[gnu::always_inline]] void visit(const MeshShape& mesh, const geometry::Aabbd& box, Visit&& visit) const
    { triangles ? triangles->visit(mesh, box, ahead, visit) : mesh.bvh.for_each_overlap(box, visit); }
};

/// Whether the box of a triangle overlaps another: what is near by and does not changes nothing then.
inline bool overlaps(const std::array<Vec3d, 3>& corners, const geometry::Aabbd& box)
{
    return geometry::overlaps(
        {min(min(corners[0], corners[1]), corners[2]), max(max(corners[0], corners[1]), corners[2])}, box);
}

}  // namespace mechane::collision
