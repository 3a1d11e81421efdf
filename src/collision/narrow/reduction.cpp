// Reduction of many contacts of one pair to those that matter, as in Newton: for each of 20 normal bins the deepest
// point and the extreme points along six directions, and the deepest point of each voxel.
// Slots hold the best point by (score, key): the result does not depend on the order of the points. Positions are in
// the frame of the shape that carries the voxels [m].

#include "mechane/collision/reduction.h"

#include <algorithm>
#include <cmath>

namespace mechane::collision {

namespace {

constexpr double kTouching = 1e-4;  ///< contacts higher than this above touching carry nothing [m]

constexpr double kCentring = 0.5;  ///< how much depth a place in the middle of a voxel is worth, relative

/// Face normals of an icosahedron that stands on a corner, y up: a cap of five, two belts, a cap. With the golden ratio
/// the heights are 0.7946545 and 0.1875925.
std::array<Vec3d, kNormalBins> icosahedron_faces()
{
    std::array<Vec3d, kNormalBins> n;
    const double                   cap = 0.79465447229176612, belt = 0.18759247408507990;
    for (std::size_t i = 0; i < 5; ++i) {
        const double a = 2 * kPi * static_cast<double>(i) / 5, rc = std::sqrt(1 - cap * cap),
                     rb = std::sqrt(1 - belt * belt);
        const double b  = a + kPi / 5;
        n[i]            = {rc * std::cos(a), cap, rc * std::sin(a)};
        n[5 + i]        = {rb * std::cos(a), belt, rb * std::sin(a)};
        n[10 + i]       = {rb * std::cos(b), -belt, rb * std::sin(b)};
        n[15 + i]       = {rc * std::cos(b), -cap, rc * std::sin(b)};
    }
    return n;
}
const std::array<Vec3d, kNormalBins> kFaceNormals = icosahedron_faces();

/// Two unit vectors across the normal of a bin, from which the scan directions are counted.
struct Across {
    Vec3d u, v;
};
Across across(const Vec3d& n)
{
    const Vec3d along = std::abs(n.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
    const Vec3d u     = normalized(along - dot(along, n) * n);
    return {u, cross(n, u)};
}

}  // namespace

const Vec3d& bin_normal(std::size_t bin) { return kFaceNormals[bin]; }

std::size_t normal_bin(const Vec3d& n)
{
    // Within 0.65 of the poles no face of the other half can win, nor can its belt.
    const std::size_t first = n.y < -0.65 ? 10 : 0, last = n.y > 0.65 ? 10 : kNormalBins;
    // A bin's normal leans at most 37.4 degrees from any normal of the bin, the circumradius of a face seen from the
    // centre.
    std::size_t       best = first;
    double            most = -kInfinity;
    for (std::size_t i = first; i < last; ++i)
        if (const double d = dot(n, kFaceNormals[i]); d > most) most = d, best = i;
    return best;
}

std::array<int, 3> voxel_resolution(const geometry::Aabbd& box)
{
    std::array<int, 3> n{1, 1, 1};
    const Vec3d        side = max(Vec3d{}, box.upper - box.lower);
    for (;;) {  // one more cell along the axis whose cells are longest, while they fit
        std::size_t longest = 3;
        double      edge    = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const int more = n[0] * n[1] * n[2] / n[i] * (n[i] + 1);
            if (more <= static_cast<int>(kMostVoxels) && side[i] / n[i] > edge) edge = side[i] / n[i], longest = i;
        }
        if (longest == 3 || !std::isfinite(edge)) return n;
        ++n[longest];
    }
}

void ContactReduction::offer(Slot& slot, double score, std::uint64_t key, std::uint32_t point)
{
    if (slot.taken && (score < slot.score || (score == slot.score && key >= slot.key))) return;
    slot = {score, key, point, true};
}

/// Slots: for each bin kScanDirections extremes and the deepest, then the voxels.
void ContactReduction::reduce(std::span<const ReductionPoint> points, const geometry::Aabbd& box,
                              std::vector<std::uint32_t>& chosen)
{
    chosen.clear();
    slots_.fill({});
    const auto  voxels = voxel_resolution(box);
    const Vec3d side   = box.upper - box.lower;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const ReductionPoint& p    = points[i];
        const auto            name = static_cast<std::uint32_t>(i);
        const std::size_t     bin  = normal_bin(p.normal);
        Slot*                 own  = &slots_[bin * (kScanDirections + 1)];
        offer(own[kScanDirections], -p.distance, p.key, name);
        if (p.distance < kTouching) {
            const Across axes = across(kFaceNormals[bin]);
            const double x = dot(p.position, axes.u), y = dot(p.position, axes.v);
            for (std::size_t k = 0; k < kScanDirections; ++k) {
                // Six directions, 60 degrees apart.
                const double a = kPi / 3 * static_cast<double>(k);
                offer(own[k], x * std::cos(a) + y * std::sin(a), p.key, name);
            }
        }
        std::size_t voxel = 0;
        double      off   = 0;  // square of the way from the middle of the voxel, 1 at its corners
        for (std::size_t k = 0; k < 3; ++k) {
            const double t = side[k] > 0 ? (p.position[k] - box.lower[k]) / side[k] : 0;
            const int    c = std::clamp(static_cast<int>(std::clamp(t, 0.0, 1.0) * voxels[k]), 0, voxels[k] - 1);
            const double from_middle = 2 * (t * voxels[k] - c) - 1;
            off += from_middle * from_middle / 3;
            voxel = voxel * static_cast<std::size_t>(voxels[k]) + static_cast<std::size_t>(c);
        }
        // Of nearly equal ones the middle of the voxel: on a flat patch a fixed corner would shift the force.
        const double pull = kCentring * std::min(1.0, off);
        offer(slots_[kNormalBins * (kScanDirections + 1) + voxel], -p.distance * (p.distance < 0 ? 1 - pull : 1 + pull),
              p.key, name);
    }
    for (const Slot& slot : slots_)
        if (slot.taken) chosen.push_back(slot.point);
    // One point may hold several slots: sorted by key, the same are next to each other.
    std::sort(chosen.begin(), chosen.end(),
              [&](std::uint32_t a, std::uint32_t b) { return points[a].key < points[b].key; });
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
}

}  // namespace mechane::collision
