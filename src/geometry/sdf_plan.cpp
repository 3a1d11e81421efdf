// Plans a distance field: cell size, blocks, estimate of memory. All options are checked here, before anything is
// computed.
// Resolution is the number of cells along the longest side of the padded box and a multiple of the block's 8.

#include <fmt/format.h>

#include <cmath>

#include "mechane/core/hash.h"
#include "mechane/geometry/codes.h"
#include "mechane/geometry/sdf.h"

namespace mechane::geometry {

namespace {

constexpr int    kDefaultResolution = 64, kLargest = 65536, kLargestUnforced = 2048;
constexpr double kSampleBytes[] = {5, 6, 8};  ///< with the floats that are held while it is built

Diagnostic bad(const std::string& what) { return make_diagnostic(kSdfOptions, {}, what); }

}  // namespace

Result<SdfPlan> plan_sdf(const Aabbd& box, double area, const SdfOptions& o)
{
    if (!(o.band_inner < 0) || !(o.band_outer > 0) || !std::isfinite(o.band_inner) || !std::isfinite(o.band_outer))
        return bad(fmt::format("the narrow band is ({}, {}); expected inner < 0 < outer", o.band_inner, o.band_outer));
    if (!(o.padding >= 0) || !std::isfinite(o.padding))
        return bad(fmt::format("the padding is {}; expected a finite number of at least 0", o.padding));
    if (o.max_resolution && (*o.max_resolution <= 0 || *o.max_resolution >= kLargest || *o.max_resolution % 8 != 0))
        return bad(fmt::format("max_resolution is {}; expected a multiple of 8 between 8 and {}", *o.max_resolution,
                               kLargest - 8));
    if (o.target_voxel_size && (!(*o.target_voxel_size > 0) || !std::isfinite(*o.target_voxel_size)))
        return bad(fmt::format("target_voxel_size is {}; expected a finite number above 0", *o.target_voxel_size));

    const Vec3d  grown = box.upper - box.lower + 2 * o.padding * Vec3d{1, 1, 1};
    const double side  = max_component(grown);
    if (!(side > 0) || !std::isfinite(side)) return bad(fmt::format("the longest side of the padded box is {}", side));
    double cells = o.max_resolution.value_or(kDefaultResolution);
    // Rounded up to whole blocks.
    if (o.target_voxel_size) cells = 8 * std::ceil(std::ceil(side / *o.target_voxel_size) / 8);
    if (cells >= kLargest || (cells > kLargestUnforced && !o.force))
        return bad(fmt::format("{} cells along the longest side of {} m; more than {} must be forced", cells, side,
                               kLargestUnforced));

    SdfPlan plan;
    plan.voxel         = side / cells;
    const Vec3d middle = 0.5 * (box.lower + box.upper);
    double      blocks = 1, coarse = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        // The ratio of the longest side to itself may round to a little more than a whole number.
        const double n = std::max(1.0, std::ceil(grown[i] / (plan.voxel * Sdf::kBlock) - 1e-9));
        plan.blocks[i] = static_cast<int>(n);
        plan.lower[i]  = middle[i] - 0.5 * n * Sdf::kBlock * plan.voxel;  // spare cells on both sides alike
        blocks *= n;
        coarse *= n + 1;
    }
    // Blocks that the band meets: its thickness, and a block of diagonal on each side, along the whole surface.
    const double edge     = Sdf::kBlock * plan.voxel;
    const double layers   = (o.band_outer - o.band_inner) / edge + 3;
    const double fine     = std::min(blocks, layers * (std::max(0.0, area) / (edge * edge) + 8));
    const double bytes    = 4 * (blocks + coarse) + fine * Sdf::kBrick * kSampleBytes[static_cast<int>(o.storage)];
    plan.estimated_memory = bytes < 1e18 ? static_cast<std::size_t>(bytes) : static_cast<std::size_t>(1e18);
    if (plan.estimated_memory > o.memory_budget || fine >= static_cast<double>(Sdf::kDemoted))
        return make_diagnostic(kSdfMemory, {},
                               fmt::format("{} x {} x {} blocks are estimated to need {:.0f} MiB, the budget is {:.0f}",
                                           plan.blocks[0], plan.blocks[1], plan.blocks[2], bytes / (1 << 20),
                                           static_cast<double>(o.memory_budget) / (1 << 20)));
    return plan;
}

/// Key of the field in caches: everything that changes its bytes.
std::uint64_t sdf_key(const Mesh& mesh, const SdfOptions& o)
{
    std::uint64_t key      = hash_span<Vec3d>(mesh.points, 1);
    key                    = hash_combine(key, hash_span<std::array<std::int32_t, 3>>(mesh.triangles));
    const double numbers[] = {static_cast<double>(o.max_resolution.value_or(-1)),
                              o.target_voxel_size.value_or(-1),
                              o.band_inner,
                              o.band_outer,
                              o.padding,
                              o.scale.x,
                              o.scale.y,
                              o.scale.z,
                              static_cast<double>(o.storage),
                              static_cast<double>(o.sign)};
    return hash_combine(key, hash_span<double>(numbers));
}

}  // namespace mechane::geometry
