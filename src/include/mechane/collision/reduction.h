#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/geometry/mesh.h"

/// Fewer contacts that do the work of many.
namespace mechane::collision {

inline constexpr std::size_t kNormalBins = 20, kScanDirections = 6, kMostVoxels = 100;
inline constexpr std::size_t kMostReduced = kNormalBins * (kScanDirections + 1) + kMostVoxels;  ///< 240

/// The bin of a unit direction: the face of an icosahedron whose normal is nearest, the lowest of equal ones.
std::size_t normal_bin(const Vec3d& n);
/// Unit normal of a bin.
const Vec3d& bin_normal(std::size_t bin);

/// A grid of nearly cubic cells over a box, at most 100 of them; one along an axis without extent.
std::array<int, 3> voxel_resolution(const geometry::Aabbd& box);

/// What the choice looks at, in one frame that moves with a shape.
struct ReductionPoint {
    Vec3d         position;      ///< [m]
    Vec3d         normal;        ///< unit
    double        distance = 0;  ///< [m], negative in penetration
    std::uint64_t key      = 0;  ///< decides between equals; unique in a pair
};

/// Chooses at most 240 of the points: in each normal bin the deepest and, of those deeper than 0.1 mm above touching,
/// the extremes along six directions across the normal; and the deepest in each voxel, nearly equal ones by how close
/// they are to its middle. The globally deepest is always
/// among them. Independent of the order of the points.
class ContactReduction {
  public:
    /// @param box     bounds of the shape in whose frame the points are
    /// @param chosen  indices into `points`, ascending by key, each once
    void reduce(std::span<const ReductionPoint> points, const geometry::Aabbd& box, std::vector<std::uint32_t>& chosen);

  private:
    struct Slot {
        double        score = 0;
        std::uint64_t key   = 0;
        std::uint32_t point = 0;
        bool          taken = false;
    };
    static void offer(Slot& slot, double score, std::uint64_t key, std::uint32_t point);

    std::array<Slot, kMostReduced> slots_;
};

}  // namespace mechane::collision
