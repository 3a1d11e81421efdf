#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/geometry/mesh.h"
#include "mechane/geometry/mesh_distance.h"

namespace mechane::tasks {
class Pool;
}

namespace mechane::geometry {

/// How a sample is stored. The integers spread over the range of all samples near the surface.
enum class SdfStorage : std::uint8_t { uint8, uint16, float32 };

/// Names and defaults are Newton's where it has them. A finer field costs memory with the square of its resolution,
/// since only the band about the surface is fine.
struct SdfOptions {
    /// Cells along the longest side of the padded box, a multiple of 8 below 65536; unset: 64.
    std::optional<int>    max_resolution{};
    std::optional<double> target_voxel_size{};                  ///< edge of a cell [m]; goes before the resolution
    double                band_inner = -0.1, band_outer = 0.1;  ///< where cells are fine [m], inner < 0 < outer
    double                padding = 0.05;                       ///< of the box on each side [m], at least 0
    SdfStorage            storage = SdfStorage::uint16;
    SignMethod            sign    = SignMethod::automatic;       ///< of meshes
    Vec3d                 scale{1, 1, 1};                        ///< of a mesh, dimensionless, baked into the field
    bool                  force         = false;                 ///< allows more than 2048 cells along a side
    std::size_t           memory_budget = std::size_t{2} << 30;  ///< refuse what is estimated to need more [bytes]
};

/// The cells of a field over a box.
struct SdfPlan {
    Vec3d              lower;                 ///< corner of the grid [m]
    double             voxel = 0;             ///< edge of a cell, all sides equal [m]
    std::array<int, 3> blocks{};              ///< of 8 cells each way
    std::size_t        estimated_memory = 0;  ///< [bytes]
};
/// Checks the options and lays out the grid; allocates nothing.
/// @param box   bounds of the shape, without padding [m]
/// @param area  of its surface, for the estimate of memory [m^2]
/// @error GEOMETRY_SDF_OPTIONS  names the number;  GEOMETRY_SDF_MEMORY  names the estimate
Result<SdfPlan> plan_sdf(const Aabbd& box, double area, const SdfOptions& options);

/// The gradient points out of the solid.
struct SdfSample {
    double distance = 0;  ///< [m], negative inside
    Vec3d  gradient;      ///< of the field, dimensionless; about 1 long away from ridges
};

/// A signed distance field on two levels: one value every 8 cells over the whole box, and bricks of 9^3 values (with
/// shared borders) for the blocks that the narrow band meets and that the coarse values do not already give. Immutable;
/// any number of threads may sample it.
class Sdf {
  public:
    /// Cells along a block, and values of a brick.
    static constexpr int           kBlock = 8, kBrick = 9 * 9 * 9;
    static constexpr std::uint32_t kEmpty   = 0xffffffff;  ///< outside of the band: the coarse values serve
    static constexpr std::uint32_t kDemoted = 0xfffffffe;  ///< in the band, but the coarse values are as good

    /// Trilinear; beyond the box the distance to the box is added.
    [[nodiscard]] double sample(const Vec3d& p) const;
    /// The same with the gradient of the trilinear cell.
    [[nodiscard]] SdfSample sample_gradient(const Vec3d& p) const;

    /// Corner of the grid, padding included [m].
    [[nodiscard]] const Vec3d& lower() const { return plan_.lower; }
    /// Opposite corner of the grid [m].
    [[nodiscard]] Vec3d upper() const;
    /// Edge of a cell, all sides equal [m].
    [[nodiscard]] double                    voxel() const { return plan_.voxel; }
    [[nodiscard]] const std::array<int, 3>& blocks() const { return plan_.blocks; }
    /// Entry of one block: a brick, kEmpty or kDemoted.
    [[nodiscard]] std::uint32_t block(int x, int y, int z) const { return index_[block_index(x, y, z)]; }
    [[nodiscard]] std::size_t   brick_count() const { return brick_count_; }
    [[nodiscard]] std::size_t   memory() const;  ///< [bytes]
    /// Difference between the lowest and the highest stored sample of the bricks [m].
    [[nodiscard]] double range() const { return range_; }

    /// Everything as bytes, with a version in front, and back.
    [[nodiscard]] std::vector<std::byte> to_bytes() const;
    /// Nothing when the bytes are not those of a field of this version.
    static std::optional<Sdf> from_bytes(std::span<const std::byte> bytes);

  private:
    friend class SdfBuilder;
    struct Cell {
        std::array<double, 8> corners;  ///< distances [m]
        Vec3d                 at;       ///< within the cell, 0..1
        double                edge;     ///< [m]
    };
    [[nodiscard]] std::size_t block_index(int x, int y, int z) const
    {
        return (static_cast<std::size_t>(z) * static_cast<std::size_t>(plan_.blocks[1]) + static_cast<std::size_t>(y)) *
                   static_cast<std::size_t>(plan_.blocks[0]) +
               static_cast<std::size_t>(x);
    }
    [[nodiscard]] double value(std::uint32_t brick, int entry) const;
    [[nodiscard]] Cell   cell_at(const Vec3d& p) const;

    SdfPlan                    plan_;
    std::vector<float>         coarse_;  ///< [(bx+1)(by+1)(bz+1)] of [m], x fastest
    std::vector<std::uint32_t> index_;   ///< by block
    SdfStorage                 storage_     = SdfStorage::uint16;
    std::size_t                brick_count_ = 0;
    double                     lowest_ = 0, range_ = 0;  ///< of the samples of bricks [m]
    std::vector<std::uint8_t>  samples8_;
    std::vector<std::uint16_t> samples16_;
    std::vector<float>         samples32_;  ///< [m], by brick
};

/// The field of a mesh. The same bytes for any number of threads.
/// @param pool  null: one thread
/// @error GEOMETRY_SDF_OPTIONS, GEOMETRY_SDF_MEMORY; GEOMETRY_SDF_MESH  no triangles, bad indices or not finite
Result<Sdf> build_sdf(const Mesh& mesh, const SdfOptions& options = {}, const tasks::Pool* pool = nullptr);

/// The field of anything whose signed distance is a function that many threads may call.
/// @error GEOMETRY_SDF_OPTIONS, GEOMETRY_SDF_MEMORY
Result<Sdf> build_sdf(const Aabbd& box, double area, const std::function<double(const Vec3d&)>& distance,
                      const SdfOptions& options = {}, const tasks::Pool* pool = nullptr);

/// Name of the field in a cache: changes with every point, index and option that the field depends on.
std::uint64_t sdf_key(const Mesh& mesh, const SdfOptions& options);

}  // namespace mechane::geometry
