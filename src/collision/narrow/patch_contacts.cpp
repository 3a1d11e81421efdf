// From the faces of a pressure patch (pressure_patch.cpp) to contacts with a stiffness: hydroelastic contact (Elandt et
// al. 2019; Masterjohn et al. 2022).
// Each contact carries k = F / depth, so that the solver's penalty law gives back the patch's force at the present
// depth, and its gradient as bodies move.
// Reduction sums faces by normal bin (20 faces of an icosahedron) and cell of a grid on the shape. Sums keep total
// force and torque; a choice of faces would keep neither.
// Units: pressure [Pa], area [m^2], stiffness [N/m], depth [m].

#include <algorithm>
#include <cmath>

#include "pressure_patch.h"

namespace mechane::collision {

namespace {

constexpr double        kLeastFriction = 1e-2;
/// Bits that keep the names of open contacts and anchors apart from those of cells.
constexpr std::uint64_t kOpen = std::uint64_t{1} << 40, kAnchor = std::uint64_t{1} << 62;

/// Two elastic layers in series: 1/k = 1/a + 1/b.
double series_stiffness(double a, double b) { return a + b > 0 ? a * b / (a + b) : 0; }

/// What all active faces of one normal bin do together.
struct Bin {
    Vec3d  force, centre;                        ///< sum A p n [N], centre of pressure
    double weight = 0, deepest = 0, moment = 0;  ///< sum A p [N], largest -d [m], sum A p |x - centre| [N m]
    // Of its contacts:
    double depth = 0, lever = 0;  ///< sum of depths [m], sum of force times distance from the centre [N m]
    double share = 1, friction = 0;
};

/// The cells of the shape that carries the frame: contacts of one cell and one normal bin become one.
struct Cells {
    geometry::Aabbd    box;
    std::array<int, 3> count;

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count[0] * count[1] * count[2]); }
    [[nodiscard]] std::size_t at(const Vec3d& p) const
    {
        const Vec3d side = box.upper - box.lower;
        std::size_t cell = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const double t = side[k] > 0 ? (p[k] - box.lower[k]) / side[k] : 0;
            const int    c = std::clamp(static_cast<int>(std::clamp(t, 0.0, 1.0) * count[k]), 0, count[k] - 1);
            cell           = cell * static_cast<std::size_t>(count[k]) + static_cast<std::size_t>(c);
        }
        return cell;
    }
    /// Half as many along the axis that has most.
    void coarsen()
    {
        int& most = *std::max_element(count.begin(), count.end());
        most      = (most + 1) / 2;
    }
};

/// The active faces of a cell and a normal bin, summed, and the nearest open one.
void sum_up(const std::vector<PatchFace>& faces, const Shape& frame, const Cells& cells, bool prune,
            PatchScratch& scratch)
{
    scratch.sums.clear();
    // One slot for each bin and cell, active ones first. With pruning all open faces of a cell share one slot whatever
    // their normal.
    scratch.sum_of.assign(2 * kNormalBins * cells.size(), -1);
    for (std::size_t i = 0; i < faces.size(); ++i) {
        const PatchFace&  f    = faces[i];
        const std::size_t bin  = normal_bin(transpose_times(frame.R, f.normal)),
                          cell = cells.at(transpose_times(frame.R, f.centroid - frame.p)),
                          key  = f.active() ? bin * cells.size() + cell
                                            : (kNormalBins + (prune ? 0 : bin)) * cells.size() + cell;
        std::int32_t&     at   = scratch.sum_of[key];
        if (at < 0) {
            at = static_cast<std::int32_t>(scratch.sums.size());
            scratch.sums.push_back({.key = key, .bin = bin, .active = f.active()});
        }
        PatchSum& sum = scratch.sums[static_cast<std::size_t>(at)];
        if (!f.active()) {
            if (sum.count == 0 || f.distance < faces[sum.strongest].distance) sum.strongest = i;
            ++sum.count;
            sum.area += f.whole;
            continue;
        }
        // The share of the total force, area times pressure.
        const double w = f.area * f.pressure;
        if (sum.count++ == 0 || w > faces[sum.strongest].area * faces[sum.strongest].pressure) sum.strongest = i;
        sum.force += w * f.normal;
        sum.moment += w * f.centroid;
        sum.weight += w;
        sum.area += f.area;
        sum.volume += f.area * -f.distance;
    }
    std::sort(scratch.sums.begin(), scratch.sums.end(),
              [](const PatchSum& x, const PatchSum& y) { return x.key < y.key; });
}

}  // namespace

void patch_contacts(const PressureSide& a, const PressureSide& b, const HydroelasticOptions& o, PatchScratch& scratch,
                    std::vector<PressureContact>& out)
{
    out.clear();
    // Pressures of equal depth laws meet in series; the mean is a factor on top.
    const double factor = o.pair_stiffness == PairStiffness::harmonic_mean ? 2 : 1;
    const double open   = o.margin_contact_area * factor * series_stiffness(a.kh, b.kh);
    const auto   point  = [](const PatchFace& f) {
        return ContactPoint{f.centroid - 0.5 * f.distance * f.normal, f.centroid + 0.5 * f.distance * f.normal,
                            // A factor of two separates the names of faces from those of the sums.
                            f.normal, f.distance, f.key << 1};
    };
    if (!o.reduce_contacts) {
        // Without reduction every face is a contact. An open face has the stiffness that it would have at touch.
        for (const PatchFace& f : scratch.faces)
            out.push_back({point(f), f.active() ? factor * f.area * f.pressure / -f.distance : open, 0});
        return;
    }

    // Summing by cells keeps force and torque, and what they change by as the bodies move; chosen faces would keep
    // neither, and others would be chosen at every step.
    const Shape& frame = *b.shape;
    Cells        cells{frame.sdf->box, voxel_resolution(frame.sdf->box)};
    // The grid gets coarser until the sums fit; with one cell left open faces are pruned as well, so the loop ends.
    for (sum_up(scratch.faces, frame, cells, o.pre_prune_contacts, scratch); scratch.sums.size() > kMostReduced;) {
        cells.coarsen();
        sum_up(scratch.faces, frame, cells, o.pre_prune_contacts || cells.size() == 1, scratch);
    }

    std::array<Bin, kNormalBins> bins;
    for (const PatchSum& s : scratch.sums) {
        if (!s.active) continue;
        Bin& bin = bins[s.bin];
        bin.force += s.force;
        bin.centre += s.moment;
        bin.weight += s.weight;
        bin.depth += s.depth();
    }
    for (Bin& bin : bins)
        if (bin.weight > 0) bin.centre = bin.centre / bin.weight;
    const bool with_anchor = o.anchor_contact || o.moment_matching;
    if (with_anchor) {
        for (const PatchFace& f : scratch.faces) {
            if (!f.active()) continue;
            // The anchor is one more contact at the centre of pressure of its bin. `share` splits the force between it
            // and the others so that the total stays.
            Bin& bin    = bins[normal_bin(transpose_times(frame.R, f.normal))];
            bin.deepest = std::max(bin.deepest, -f.distance);
            bin.moment += f.area * f.pressure * length(f.centroid - bin.centre);
        }
        for (const PatchSum& s : scratch.sums)
            if (s.active) bins[s.bin].lever += s.weight * length(s.moment / s.weight - bins[s.bin].centre);
        for (Bin& bin : bins) {
            if (!(bin.weight > 0)) continue;
            bin.share = bin.depth / (bin.depth + bin.deepest);
            if (!o.moment_matching) continue;
            // Moment matching: friction is scaled so that the contacts resist turning as the whole patch does.
            const double moment = bin.share * bin.lever;
            bin.friction        = moment > 0 ? std::max(kLeastFriction, bin.moment / moment) : 1;
        }
    }

    for (const PatchSum& s : scratch.sums) {
        const PatchFace& strongest = scratch.faces[s.strongest];
        if (!s.active) {
            PatchFace f = strongest;
            f.key       = kOpen | s.key;
            // No more than the faces that wait there would have, or small shapes would land on a board.
            out.push_back({point(f), open * std::min(1.0, s.area / o.margin_contact_area), 0});
            continue;
        }
        const Bin& bin = bins[s.bin];
        PatchFace  f;
        f.centroid = s.moment / s.weight;
        f.normal   = o.normal_matching ? normalized(s.force, strongest.normal) : strongest.normal;
        f.distance = -s.depth();
        f.key      = s.key;
        const double force = o.normal_matching ? length(s.force) : s.weight;
        out.push_back({point(f), bin.share * factor * force / s.depth(), bin.friction});
    }
    if (!with_anchor) return;
    for (std::size_t k = 0; k < bins.size(); ++k) {
        const Bin& bin = bins[k];
        if (!(bin.weight > 0)) continue;
        PatchFace f;
        f.centroid = bin.centre;
        f.normal   = normalized(bin.force);
        f.distance = -bin.deepest;
        f.key      = (kAnchor >> 1) | k;
        out.push_back({point(f), (1 - bin.share) * factor * length(bin.force) / bin.deepest, bin.friction});
    }
}

}  // namespace mechane::collision
