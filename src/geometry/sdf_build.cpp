// Fills a signed distance field: coarse corners, choice of blocks near the surface, bricks, packing. Work is shared by
// rows and blocks; each writes its own place, so the bytes do not depend on the threads.
//
// A field has blocks of 8 cells along each axis. Corners of blocks are coarse samples; a block near the surface may
// have a brick of 9 x 9 x 9 samples, its borders shared in value with its neighbours.

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechane/geometry/codes.h"
#include "mechane/geometry/sdf.h"
#include "mechane/tasks/parallel.h"

namespace mechane::geometry {

namespace {

constexpr int    kSide     = Sdf::kBlock + 1;
constexpr double kDemotion = 0.05;  ///< what coarse values may be off before a brick is worth it [cells]

template <class Body>
void for_all(const tasks::Pool* pool, std::size_t count, Body&& body)
{
    if (pool) {
        pool->for_each(count, 1, body);
    } else {
        for (std::size_t i = 0; i < count; ++i) body(i);
    }
}

}  // namespace

/// Fills a field. A row of samples along x is the unit of work: `row(start, step, count, out)` gives the signed
/// distances of `count` points `start + i step` along x.
class SdfBuilder {
  public:
    using Row = std::function<void(const Vec3d& start, double step, int count, double* out)>;

    SdfBuilder(const SdfPlan& plan, const SdfOptions& options, Row row, const tasks::Pool* pool)
        : options_(options), row_(std::move(row)), pool_(pool)
    {
        sdf_.plan_    = plan;
        sdf_.storage_ = options.storage;
    }
    Sdf build()
    {
        fill_coarse();
        choose_blocks();
        fill_bricks();
        store();
        return std::move(sdf_);
    }

  private:
    [[nodiscard]] int         n(std::size_t axis) const { return sdf_.plan_.blocks[axis]; }
    [[nodiscard]] double      edge() const { return Sdf::kBlock * sdf_.plan_.voxel; }
    [[nodiscard]] std::size_t coarse_index(int x, int y, int z) const
    {
        return (static_cast<std::size_t>(z) * static_cast<std::size_t>(n(1) + 1) + static_cast<std::size_t>(y)) *
                   static_cast<std::size_t>(n(0) + 1) +
               static_cast<std::size_t>(x);
    }

    // Distances at all corners of blocks, a row along x at a time.
    void fill_coarse()
    {
        sdf_.coarse_.resize(coarse_index(n(0), n(1), n(2)) + 1);
        const auto rows = static_cast<std::size_t>((n(1) + 1) * (n(2) + 1));
        for_all(pool_, rows, [&](std::size_t r) {
            const int           y = static_cast<int>(r) % (n(1) + 1), z = static_cast<int>(r) / (n(1) + 1);
            std::vector<double> line(static_cast<std::size_t>(n(0) + 1));
            row_(sdf_.plan_.lower + edge() * Vec3d{0, static_cast<double>(y), static_cast<double>(z)}, edge(), n(0) + 1,
                 line.data());
            for (int x = 0; x <= n(0); ++x)
                sdf_.coarse_[coarse_index(x, y, z)] = static_cast<float>(line[static_cast<std::size_t>(x)]);
        });
    }

    [[nodiscard]] std::array<double, 8> coarse_corners(int x, int y, int z) const
    {
        std::array<double, 8> c{};
        for (int i = 0; i < 8; ++i)
            c[static_cast<std::size_t>(i)] =
                static_cast<double>(sdf_.coarse_[coarse_index(x + (i & 1), y + ((i >> 1) & 1), z + (i >> 2))]);
        return c;
    }

    /// A distance changes by no more than the way, so the corners of a block bound what it can hold, and its middle
    /// bounds it twice as well.
    void choose_blocks()
    {
        sdf_.index_.assign(
            static_cast<std::size_t>(n(0)) * static_cast<std::size_t>(n(1)) * static_cast<std::size_t>(n(2)),
            Sdf::kEmpty);
        const double reach = std::sqrt(3.0) * edge();
        const auto   rows  = static_cast<std::size_t>(n(1)) * static_cast<std::size_t>(n(2));
        for_all(pool_, rows, [&](std::size_t r) {
            const int y = static_cast<int>(r) % n(1), z = static_cast<int>(r) / n(1);
            for (int x = 0; x < n(0); ++x) {
                double low = -kInfinity, high = kInfinity;
                for (const double d : coarse_corners(x, y, z))
                    low = std::max(low, d - reach), high = std::min(high, d + reach);
                // Whole block below or above the band.
                if (high < options_.band_inner || low > options_.band_outer) continue;
                double middle = 0;
                row_(sdf_.plan_.lower + edge() * Vec3d{x + 0.5, y + 0.5, z + 0.5}, 0, 1, &middle);
                if (middle + 0.5 * reach < options_.band_inner || middle - 0.5 * reach > options_.band_outer) continue;
                sdf_.index_[sdf_.block_index(x, y, z)] = Sdf::kDemoted;
            }
        });
        for (int z = 0; z < n(2); ++z)
            for (int y = 0; y < n(1); ++y)
                for (int x = 0; x < n(0); ++x)
                    if (sdf_.index_[sdf_.block_index(x, y, z)] == Sdf::kDemoted) active_.push_back({x, y, z});
    }

    void fill_bricks()
    {
        values_.resize(active_.size() * Sdf::kBrick);
        useful_.assign(active_.size(), 1);
        for_all(pool_, active_.size(), [&](std::size_t b) {
            const auto [bx, by, bz] = active_[b];
            const auto   corners    = coarse_corners(bx, by, bz);
            const double voxel      = sdf_.plan_.voxel;
            bool         linear     = true;
            for (int z = 0; z < kSide; ++z)
                for (int y = 0; y < kSide; ++y) {
                    double line[kSide];
                    // Cells are counted from the corner of the grid, so that a border has the same place on both sides.
                    // Rows of a brick overlap those of the next one by a sample.
                    const Vec3d start =
                        sdf_.plan_.lower + voxel * Vec3d{static_cast<double>(8 * bx), static_cast<double>(8 * by + y),
                                                         static_cast<double>(8 * bz + z)};
                    row_(start, voxel, kSide, line);
                    for (int x = 0; x < kSide; ++x) {
                        const double u = x / 8.0, v = y / 8.0, w = z / 8.0;
                        double       coarse = 0;
                        for (std::size_t i = 0; i < 8; ++i)
                            coarse += corners[i] * (i & 1 ? u : 1 - u) * (i & 2 ? v : 1 - v) * (i & 4 ? w : 1 - w);
                        // Where trilinear interpolation of the coarse corners is within a twentieth of a cell, no brick
                        // is kept.
                        linear = linear && std::abs(coarse - line[x]) <= kDemotion * voxel;
                        values_[b * Sdf::kBrick + static_cast<std::size_t>((z * kSide + y) * kSide + x)] =
                            static_cast<float>(line[x]);
                    }
                }
            if (linear) useful_[b] = 0;
        });
    }

    /// Numbers the bricks that stay, in order of their blocks, and packs their samples.
    /// The range of all samples is needed before the first can be packed.
    void store()
    {
        float low = std::numeric_limits<float>::infinity(), high = -low;
        for (std::size_t b = 0; b < active_.size(); ++b) {
            if (!useful_[b]) continue;
            for (std::size_t i = b * Sdf::kBrick; i < (b + 1) * Sdf::kBrick; ++i)
                low = std::min(low, values_[i]), high = std::max(high, values_[i]);
        }
        sdf_.lowest_ = low <= high ? static_cast<double>(low) : 0;
        sdf_.range_  = low <= high ? static_cast<double>(high) - static_cast<double>(low) : 0;
        for (std::size_t b = 0; b < active_.size(); ++b) {
            const auto [x, y, z] = active_[b];
            auto& entry          = sdf_.index_[sdf_.block_index(x, y, z)];
            if (!useful_[b]) {
                entry = Sdf::kDemoted;
                continue;
            }
            entry = static_cast<std::uint32_t>(sdf_.brick_count_++);
            for (std::size_t i = b * Sdf::kBrick; i < (b + 1) * Sdf::kBrick; ++i) store(values_[i]);
        }
    }
    void store(float v)
    {
        // Quantised over the range of all bricks.
        const double t = sdf_.range_ > 0 ? (static_cast<double>(v) - sdf_.lowest_) / sdf_.range_ : 0;
        switch (options_.storage) {
            case SdfStorage::uint8:
                sdf_.samples8_.push_back(static_cast<std::uint8_t>(std::lround(255 * t)));
                break;
            case SdfStorage::uint16:
                sdf_.samples16_.push_back(static_cast<std::uint16_t>(std::lround(65535 * t)));
                break;
            case SdfStorage::float32:
                sdf_.samples32_.push_back(v);
                break;
        }
    }

    const SdfOptions&               options_;
    Row                             row_;
    const tasks::Pool*              pool_;
    Sdf                             sdf_;
    std::vector<std::array<int, 3>> active_;
    std::vector<float>              values_;
    std::vector<std::uint8_t>       useful_;
};

namespace {

/// Distances along a row, each search starting from the triangle of the point before. Where the sign changes at the
/// surface only, a point takes the sign of its neighbour unless the surface may lie between the two.
void mesh_row(const MeshDistance& mesh, const Vec3d& start, double step, int count, double* out)
{
    std::int32_t hint   = -1;
    bool         inside = false;
    double       before = 0;
    for (int i = 0; i < count; ++i) {
        const Vec3d p{start.x + i * step, start.y, start.z};
        const auto  nearest = mesh.nearest(p, hint);
        hint                = nearest.triangle;
        // Two neighbours that are both farther from the surface than their distance have it on one side. 1.0001 allows
        // for rounding of the step.
        const bool may_pass = i == 0 || !mesh.changes_sign_at_surface_only() ||
                              (nearest.distance <= 1.0001 * step && before <= 1.0001 * step);
        if (may_pass) inside = mesh.inside(p, nearest);
        before = nearest.distance;
        out[i] = inside ? -nearest.distance : nearest.distance;
    }
}

}  // namespace

Result<Sdf> build_sdf(const Mesh& mesh, const SdfOptions& options, const tasks::Pool* pool)
{
    if (mesh.triangles.empty() || !has_valid_indices(mesh) || !is_finite(mesh))
        return make_diagnostic(kSdfMesh, {},
                               "the mesh has no triangles, names points that are not there, or is not finite");
    if (!is_finite(options.scale) || options.scale.x * options.scale.y * options.scale.z == 0)
        return make_diagnostic(kSdfOptions, {}, "the scale is not finite or flattens the mesh");
    // The scale is applied to the mesh, as distances do not scale when an axis alone is stretched.
    Mesh scaled = mesh;
    for (Vec3d& p : scaled.points) p = scale(p, options.scale);
    double area = 0;
    for (const auto& t : scaled.triangles) {
        const Vec3d& a = scaled.points[static_cast<std::size_t>(t[0])];
        area += 0.5 * length(cross(scaled.points[static_cast<std::size_t>(t[1])] - a,
                                   scaled.points[static_cast<std::size_t>(t[2])] - a));
    }
    const auto plan = plan_sdf(bounds(scaled), area, options);
    if (!plan) return plan.error();
    const MeshDistance distance(scaled, options.sign);
    return SdfBuilder(
               *plan, options,
               [&](const Vec3d& start, double step, int count, double* out) {
                   mesh_row(distance, start, step, count, out);
               },
               pool)
        .build();
}

Result<Sdf> build_sdf(const Aabbd& box, double area, const std::function<double(const Vec3d&)>& distance,
                      const SdfOptions& options, const tasks::Pool* pool)
{
    const auto plan = plan_sdf(box, area, options);
    if (!plan) return plan.error();
    return SdfBuilder(
               *plan, options,
               [&](const Vec3d& start, double step, int count, double* out) {
                   for (int i = 0; i < count; ++i) out[i] = distance({start.x + i * step, start.y, start.z});
               },
               pool)
        .build();
}

}  // namespace mechane::geometry
