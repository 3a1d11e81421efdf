// A sparse signed distance field: blocks of 8 x 8 x 8 cells of which only those near the surface have samples (bricks
// of 9^3, borders included), and a coarse grid of block corners elsewhere. Distances in metres, negative inside, in the
// frame of the shape.
// Values are interpolated trilinearly. Outside of the box the distance to the box is added, which is a lower bound that
// still grows along the way out.

#include "mechane/geometry/sdf.h"

#include <algorithm>
#include <cmath>

#include "mechane/core/bytes.h"

namespace mechane::geometry {

namespace {

constexpr std::uint32_t kSdfMagic = 0x4d534446, kSdfVersion = 1;  // "MSDF" in the order of the machine

}  // namespace

Vec3d Sdf::upper() const
{
    return plan_.lower + plan_.voxel * kBlock *
                             Vec3d{static_cast<double>(plan_.blocks[0]), static_cast<double>(plan_.blocks[1]),
                                   static_cast<double>(plan_.blocks[2])};
}

std::size_t Sdf::memory() const
{ return 4 * (coarse_.size() + index_.size() + samples32_.size()) + 2 * samples16_.size() + samples8_.size(); }

double Sdf::value(std::uint32_t brick, int entry) const
{
    const std::size_t i = static_cast<std::size_t>(brick) * kBrick + static_cast<std::size_t>(entry);
    switch (storage_) {
        case SdfStorage::uint8:
            return lowest_ + range_ * (samples8_[i] / 255.0);
        case SdfStorage::uint16:
            return lowest_ + range_ * (samples16_[i] / 65535.0);
        case SdfStorage::float32:
            break;
    }
    return static_cast<double>(samples32_[i]);
}

/// @param p  within the box
Sdf::Cell Sdf::cell_at(const Vec3d& p) const
{
    std::array<int, 3> block{};
    Vec3d              at;  // within the block, in cells
    for (std::size_t i = 0; i < 3; ++i) {
        const double x = (p[i] - plan_.lower[i]) / plan_.voxel;
        block[i]       = std::clamp(static_cast<int>(x / kBlock), 0, plan_.blocks[i] - 1);
        at[i]          = std::clamp(x - kBlock * block[i], 0.0, static_cast<double>(kBlock));
    }
    const std::uint32_t brick = index_[block_index(block[0], block[1], block[2])];
    Cell                cell;
    // No brick: eight corners of the block, 8 cells apart.
    if (brick >= kDemoted) {
        const auto        nx    = static_cast<std::size_t>(plan_.blocks[0] + 1),
                          ny    = static_cast<std::size_t>(plan_.blocks[1] + 1);
        const std::size_t first = (static_cast<std::size_t>(block[2]) * ny + static_cast<std::size_t>(block[1])) * nx +
                                  static_cast<std::size_t>(block[0]);
        for (std::size_t i = 0; i < 8; ++i)
            cell.corners[i] = static_cast<double>(coarse_[first + (i & 1) + (i & 2 ? nx : 0) + (i & 4 ? nx * ny : 0)]);
        cell.at   = at / static_cast<double>(kBlock);
        cell.edge = kBlock * plan_.voxel;
        return cell;
    }
    int entry = 0, stride = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        const int whole = std::min(static_cast<int>(at[i]), kBlock - 1);
        cell.at[i]      = at[i] - whole;
        entry += stride * whole;
        stride *= kBlock + 1;
    }
    for (int i = 0; i < 8; ++i)
        cell.corners[static_cast<std::size_t>(i)] =
            value(brick, entry + (i & 1) + (i & 2 ? kBlock + 1 : 0) + (i & 4 ? (kBlock + 1) * (kBlock + 1) : 0));
    cell.edge = plan_.voxel;
    return cell;
}

SdfSample Sdf::sample_gradient(const Vec3d& p) const
{
    // The point of the box nearest to p.
    const Vec3d  q    = max(plan_.lower, min(upper(), p));
    const Cell   cell = cell_at(q);
    const auto&  c    = cell.corners;
    const double u = cell.at.x, v = cell.at.y, w = cell.at.z;
    const double x00 = c[0] + u * (c[1] - c[0]), x10 = c[2] + u * (c[3] - c[2]);
    const double x01 = c[4] + u * (c[5] - c[4]), x11 = c[6] + u * (c[7] - c[6]);
    const double y0 = x00 + v * (x10 - x00), y1 = x01 + v * (x11 - x01);
    SdfSample    s;
    s.distance = y0 + w * (y1 - y0);
    s.gradient.x =
        (1 - w) * ((1 - v) * (c[1] - c[0]) + v * (c[3] - c[2])) + w * ((1 - v) * (c[5] - c[4]) + v * (c[7] - c[6]));
    s.gradient.y       = (1 - w) * (x10 - x00) + w * (x11 - x01);
    s.gradient.z       = y1 - y0;
    s.gradient         = s.gradient / cell.edge;
    const Vec3d beyond = p - q;
    if (const double far = length(beyond); far > 0) {
        s.distance += far;
        // Beyond the box the gradient turns from the field's towards the way from the box, by the shares that both have
        // in the distance.
        s.gradient = normalized(normalized(s.gradient) * std::max(0.0, s.distance - far) + beyond, beyond / far);
    }
    return s;
}

double Sdf::sample(const Vec3d& p) const
{
    const Vec3d  q    = max(plan_.lower, min(upper(), p));
    const Cell   cell = cell_at(q);
    const auto&  c    = cell.corners;
    const double u = cell.at.x, v = cell.at.y, w = cell.at.z;
    const double x00 = c[0] + u * (c[1] - c[0]), x10 = c[2] + u * (c[3] - c[2]);
    const double x01 = c[4] + u * (c[5] - c[4]), x11 = c[6] + u * (c[7] - c[6]);
    const double y0 = x00 + v * (x10 - x00), y1 = x01 + v * (x11 - x01);
    return y0 + w * (y1 - y0) + length(p - q);
}

std::vector<std::byte> Sdf::to_bytes() const
{
    ByteWriter out;
    out.put(kSdfMagic);
    out.put(kSdfVersion);
    out.put(plan_.lower);
    out.put(plan_.voxel);
    out.put(plan_.blocks);
    out.put(storage_);
    out.put(static_cast<std::uint64_t>(brick_count_));
    out.put(lowest_);
    out.put(range_);
    out.put(coarse_);
    out.put(index_);
    out.put(samples8_);
    out.put(samples16_);
    out.put(samples32_);
    return out.bytes();
}

std::optional<Sdf> Sdf::from_bytes(std::span<const std::byte> bytes)
{
    ByteReader in(bytes);
    Sdf        s;
    if (in.take<std::uint32_t>() != kSdfMagic || in.take<std::uint32_t>() != kSdfVersion) return std::nullopt;
    in.get(s.plan_.lower);
    in.get(s.plan_.voxel);
    in.get(s.plan_.blocks);
    in.get(s.storage_);
    s.brick_count_ = in.take<std::uint64_t>();
    in.get(s.lowest_);
    in.get(s.range_);
    in.get(s.coarse_);
    in.get(s.index_);
    in.get(s.samples8_);
    in.get(s.samples16_);
    in.get(s.samples32_);
    // Sizes must agree with the plan, and indices with the number of bricks.
    // Damaged numbers must not lead outside of the arrays.
    const auto& b = s.plan_.blocks;
    if (!in.done() || s.storage_ > SdfStorage::float32 || !(s.plan_.voxel > 0) || !mechane::is_finite(s.plan_.lower))
        return std::nullopt;
    std::size_t blocks = 1, corners = 1;
    for (const int n : b) {
        if (n < 1 || n > 8192) return std::nullopt;
        blocks *= static_cast<std::size_t>(n);
        corners *= static_cast<std::size_t>(n) + 1;
    }
    const std::size_t stored = s.storage_ == SdfStorage::uint8    ? s.samples8_.size()
                               : s.storage_ == SdfStorage::uint16 ? s.samples16_.size()
                                                                  : s.samples32_.size();
    if (s.index_.size() != blocks || s.coarse_.size() != corners || stored / kBrick != s.brick_count_ ||
        stored % kBrick != 0)
        return std::nullopt;
    for (const std::uint32_t i : s.index_)
        if (i < kDemoted && i >= s.brick_count_) return std::nullopt;
    return s;
}

}  // namespace mechane::geometry
