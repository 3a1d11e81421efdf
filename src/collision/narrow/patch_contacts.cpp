#include <algorithm>
#include <cmath>

#include "pressure_patch.h"

namespace mechane::collision {

namespace {

constexpr double        kNoVolume      = 1e-8;  ///< below it a bin has no direction of its own [m^3]
constexpr double        kLeastFriction = 1e-2;
constexpr std::uint64_t kAnchor        = std::uint64_t{1} << 62;

double series_stiffness(double a, double b) { return a + b > 0 ? a * b / (a + b) : 0; }

/// What all active faces of one normal bin do together.
struct Bin {
    Vec3d  force, depth_volume, centre;          ///< sum A p n [N], sum A (-d) n [m^3], centre of pressure
    double weight = 0, deepest = 0, moment = 0;  ///< sum A p [N], largest -d [m], sum A p |x - centre| [N m]
    // Of the chosen ones:
    Vec3d  chosen_sum;         ///< sum (-d) n [m]
    double chosen_depth  = 0;  ///< sum (-d) [m]
    double chosen_moment = 0;  ///< sum (-d) |x - centre| [m^2]
    double stiffness = 0, friction = 0;
    Mat33d turn = Mat33d::identity();
};

/// The rotation that takes the direction of `from` to that of `to` the short way (Rodrigues).
Mat33d rotation_onto(const Vec3d& from, const Vec3d& to)
{
    const Vec3d  a = normalized(from), b = normalized(to), v = cross(a, b);
    const double c = dot(a, b);
    if (!(c > -0.999)) return Mat33d::identity();  // the sum points against the force: nothing sensible to turn
    const Mat33d k = Mat33d::skew(v);
    return Mat33d::identity() + k + (1 / (1 + c)) * (k * k);
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
                            f.normal, f.distance, f.key << 1};
    };
    if (!o.reduce_contacts) {
        for (const PatchFace& f : scratch.faces)
            out.push_back({point(f), f.active() ? factor * f.area * f.pressure / -f.distance : open, 0});
        return;
    }

    const Shape& frame  = *b.shape;
    const auto   bin_of = [&](const PatchFace& f) { return normal_bin(transpose_times(frame.R, f.normal)); };
    std::array<Bin, kNormalBins> bins;
    for (const PatchFace& f : scratch.faces) {
        if (!f.active()) continue;
        Bin&         bin = bins[bin_of(f)];
        const double w   = f.area * f.pressure;
        bin.force += w * f.normal;
        bin.depth_volume += (f.area * -f.distance) * f.normal;
        bin.centre += w * f.centroid;
        bin.weight += w;
        bin.deepest = std::max(bin.deepest, -f.distance);
    }
    for (Bin& bin : bins)
        if (bin.weight > 0) bin.centre = bin.centre / bin.weight;
    for (const PatchFace& f : scratch.faces)
        if (f.active()) {
            Bin& bin = bins[bin_of(f)];
            bin.moment += f.area * f.pressure * length(f.centroid - bin.centre);
        }

    // Faces of one cell follow each other; of each cell the two strongest and the nearest open one compete.
    scratch.points.clear();
    scratch.face_of.clear();
    const auto compete = [&](std::size_t i) {
        const PatchFace& f = scratch.faces[i];
        scratch.points.push_back(
            {transpose_times(frame.R, f.centroid - frame.p), transpose_times(frame.R, f.normal), f.distance, f.key});
        scratch.face_of.push_back(static_cast<std::uint32_t>(i));
    };
    for (std::size_t i = 0, end = 0; i < scratch.faces.size(); i = end) {
        std::array<std::size_t, 3> kept{};
        std::array<double, 3>      score{-1, -1, -kInfinity};
        for (end = i; end < scratch.faces.size() && scratch.faces[end].key / 8 == scratch.faces[i].key / 8; ++end) {
            if (!o.pre_prune_contacts) {
                compete(end);
                continue;
            }
            const PatchFace& f = scratch.faces[end];
            const double     w = f.area * f.pressure;
            if (!f.active()) {
                if (-f.distance > score[2]) kept[2] = end, score[2] = -f.distance;
            } else if (w > score[0]) {
                kept[1] = kept[0], score[1] = score[0], kept[0] = end, score[0] = w;
            } else if (w > score[1]) {
                kept[1] = end, score[1] = w;
            }
        }
        if (!o.pre_prune_contacts) continue;
        for (std::size_t k = 0; k < 3; ++k)
            if (k < 2 ? score[k] >= 0 : std::isfinite(score[2])) compete(kept[k]);
    }
    scratch.reduction.reduce(scratch.points, frame.sdf->box, scratch.chosen);

    const bool with_anchor = o.anchor_contact || o.moment_matching;
    for (const std::uint32_t i : scratch.chosen) {
        const PatchFace& f = scratch.faces[scratch.face_of[i]];
        if (!f.active()) continue;
        Bin& bin = bins[bin_of(f)];
        bin.chosen_sum += -f.distance * f.normal;
        bin.chosen_depth += -f.distance;
        bin.chosen_moment += -f.distance * length(f.centroid - bin.centre);
    }
    for (Bin& bin : bins) {
        if (!(bin.weight > 0) || !(bin.chosen_depth > 0)) continue;
        const bool   match = o.normal_matching && length(bin.depth_volume) > kNoVolume;
        const double depth = (match ? length(bin.chosen_sum) : bin.chosen_depth) + (with_anchor ? bin.deepest : 0);
        if (match) bin.turn = rotation_onto(bin.chosen_sum, bin.force);
        bin.stiffness       = depth > 0 ? factor * length(bin.force) / depth : 0;
        const double moment = bin.stiffness * bin.chosen_moment;
        if (o.moment_matching) bin.friction = moment > 0 ? std::max(kLeastFriction, factor * bin.moment / moment) : 1;
    }
    for (const std::uint32_t i : scratch.chosen) {
        PatchFace f = scratch.faces[scratch.face_of[i]];
        if (!f.active()) {
            out.push_back({point(f), open, 0});
            continue;
        }
        const Bin& bin = bins[bin_of(f)];
        f.normal       = normalized(bin.turn * f.normal, f.normal);
        out.push_back({point(f), bin.stiffness, bin.friction});
    }
    if (!with_anchor) return;
    for (std::size_t k = 0; k < bins.size(); ++k) {
        const Bin& bin = bins[k];
        if (!(bin.stiffness > 0)) continue;
        PatchFace f;
        f.centroid = bin.centre;
        f.normal   = normalized(bin.force);
        f.distance = -bin.deepest;
        f.key      = (kAnchor >> 1) | k;
        out.push_back({point(f), bin.stiffness, bin.friction});
    }
}

}  // namespace mechane::collision
