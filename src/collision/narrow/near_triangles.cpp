// Triangles of a mesh near one partner, kept for several calls. The tree is asked with a box that is larger by a tenth
// and reaches ahead along the relative motion.

#include "near_triangles.h"

#include "mechane/math/simd.h"

namespace mechane::collision {

MCH_CLONES_AVX2 void NearTriangles::look(const MeshShape& mesh, const geometry::Aabbd& box, const Vec3d& ahead)
{
    constexpr double kWider = 0.1;  ///< on each side
    const Vec3d      more   = kWider * (box.upper - box.lower);
    mesh_                   = &mesh;
    region_                 = {box.lower - more + min(ahead, Vec3d{}), box.upper + more + max(ahead, Vec3d{})};
    count_                  = 0;
    mesh.bvh.for_each_overlap(region_, [&](std::int32_t triangle) {
        // The count goes on beyond the room: a list that is too long is no list, and the tree is asked directly.
        if (count_ < kMost) triangles_[static_cast<std::size_t>(count_)] = triangle;
        ++count_;
    });
}

}  // namespace mechane::collision
