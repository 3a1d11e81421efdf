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
        if (count_ < kMost) triangles_[static_cast<std::size_t>(count_)] = triangle;
        ++count_;
    });
}

}  // namespace mechane::collision
