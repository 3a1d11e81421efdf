// Animations of glTF 2.0 (3.11): channels and samplers, read into tracks by node, and the pose of a node at a time.
// Interpolations LINEAR, STEP and CUBICSPLINE are all turned into samples between which OpenUSD may go straight. What
// animates by extensions is left out here; what a channel names wrongly is kept for the reader to tell.

#include "sourceformats/gltf/motion.h"

#include <algorithm>
#include <cmath>

namespace mechane::sourceformats {
namespace {

// Eight straight pieces leave 1/64 of the bend of a curve.
constexpr int kBetween = 8;  ///< samples that stand for a piece of a spline
// UsdSkel and xforms interpolate between samples. A step is two samples this close to each other.
constexpr double kJump = 1e-4;  ///< how long a step takes at most [s]

/// Slerp (Shoemake 1985), written out since both ends may be opposite signs of nearly one rotation.
/// The rotation between two, at constant speed on the shorter way.
Quatd between(const Quatd& a, Quatd b, double u)
{
    double cosine = dot(a, b);
    if (cosine < 0) b = {-b.x, -b.y, -b.z, -b.w}, cosine = -cosine;
    double of_a = 1 - u, of_b = u;
    // Below this the sines are as good as linear, and their quotient would lose its digits.
    if (cosine < 1 - 1e-9) {
        const double angle = std::acos(cosine);
        of_a = std::sin((1 - u) * angle) / std::sin(angle), of_b = std::sin(u * angle) / std::sin(angle);
    }
    return normalized(
        Quatd{of_a * a.x + of_b * b.x, of_a * a.y + of_b * b.y, of_a * a.z + of_b * b.z, of_a * a.w + of_b * b.w});
}

}  // namespace

usd::Matrix4d to_matrix(const GltfPose& pose)
{
    usd::Matrix4d out = usd::from_pose({pose.t, pose.q});
    for (int row = 0; row < 3; ++row)
        // Row vectors, as USD has them: the scale acts first, so it multiplies rows.
        for (int column = 0; column < 3; ++column) out(row, column) *= pose.s[static_cast<std::size_t>(row)];
    return out;
}

// A channel moves one property of a node by a sampler: keys in seconds, values, and how to go between. Channels that
// are not sound are kept by node for one message each.
GltfMotion::GltfMotion(GltfDocument& document, const nlohmann::json* animation)
{
    if (animation == nullptr) return;
    const nlohmann::json& samplers = gltf_child(*animation, "samplers");
    for (const nlohmann::json& channel : gltf_child(*animation, "channels")) {
        const nlohmann::json& target = gltf_child(channel, "target");
        const double          node = gltf_number(target, "node", -1), s = gltf_number(channel, "sampler", -1);
        if (!target.is_object() || !target.contains("node")) continue;  // of an extension
        Track made;
        made.path = gltf_text(target, "path");
        if (made.path != "translation" && made.path != "rotation" && made.path != "scale" && made.path != "weights")
            continue;
        if (document.entry("nodes", node) == nullptr) {
            unsound_.push_back(-1);
            continue;
        }
        unsound_.push_back(static_cast<int>(node));  // until it is read whole
        if (!samplers.is_array() || !(s >= 0) || s >= static_cast<double>(samplers.size())) continue;
        const nlohmann::json& sampler = samplers[static_cast<std::size_t>(s)];
        made.how                      = gltf_text(sampler, "interpolation");
        // A cubic has three rows for each key: the tangent that comes in, the value, the tangent that leaves.
        const std::size_t rows   = made.how == "CUBICSPLINE" ? 3 : 1;
        auto              times  = document.accessor(gltf_number(sampler, "input", -1), 1);
        auto              values = document.accessor(gltf_number(sampler, "output", -1), made.path == "rotation"  ? 4
                                                                                         : made.path == "weights" ? 1
                                                                                                                  : 3);
        if (!times || !values || times->empty() || !std::is_sorted(times->begin(), times->end()) ||
            !std::all_of(times->begin(), times->end(), [](double t) { return std::isfinite(t); }))
            continue;
        // Weights have as many numbers a key as there are targets, which the lengths tell.
        made.width = made.path == "rotation" ? 4 : made.path == "weights" ? values->size() / (times->size() * rows) : 3;
        if (made.width == 0 || values->size() < made.width * times->size() * rows) continue;
        made.times = std::move(*times), made.values = std::move(*values);
        tracks_[static_cast<int>(node)].push_back(std::move(made));
        unsound_.pop_back();
    }
}

bool GltfMotion::moves(int node, const std::string& path) const
{
    const auto found = tracks_.find(node);
    return found != tracks_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                 [&](const Track& t) { return path.empty() || t.path == path; });
}

bool GltfMotion::interpolates(int node, const std::string& how) const
{
    const auto found = tracks_.find(node);
    return found != tracks_.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](const Track& t) { return t.how == how; });
}

std::vector<int> GltfMotion::nodes() const
{
    std::vector<int> out;
    for (const auto& [node, tracks] : tracks_) out.push_back(node);
    return out;
}

std::vector<double> GltfMotion::times(int node, const std::string& path) const
{
    std::vector<double> out;
    const auto          found = tracks_.find(node);
    if (found == tracks_.end()) return out;
    for (const Track& track : found->second)
        // The moments at which samples are written: the keys, and what makes steps and cubics visible to linear
        // interpolation.
        for (std::size_t k = 0; k < track.times.size() && (path.empty() || track.path == path); ++k) {
            const double t = track.times[k];
            out.push_back(t);
            if (k + 1 == track.times.size()) break;
            const double next = track.times[k + 1];
            if (track.how == "STEP") out.push_back(next - std::min(kJump, 0.5 * (next - t)));
            if (track.how == "CUBICSPLINE")
                for (int i = 1; i < kBetween; ++i) out.push_back(t + (next - t) * i / kBetween);
        }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::vector<double> GltfMotion::value(const Track& track, double time)
{
    const bool        cubic = track.how == "CUBICSPLINE";
    const std::size_t w     = track.width;
    const auto        row   = [&](std::size_t key, std::size_t part) {
        const auto begin = track.values.begin() + static_cast<std::ptrdiff_t>(((cubic ? 3 * key : key) + part) * w);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(w));
    };
    const std::size_t middle = cubic ? 1 : 0;
    const auto        after  = std::upper_bound(track.times.begin(), track.times.end(), time);
    // Before the first key and behind the last the value stays, as the specification asks.
    if (after == track.times.begin()) return row(0, middle);
    const auto k = static_cast<std::size_t>(after - track.times.begin()) - 1;
    if (after == track.times.end() || track.how == "STEP") return row(k, middle);
    const double step = track.times[k + 1] - track.times[k], u = (time - track.times[k]) / step;
    auto         a = row(k, middle), b = row(k + 1, middle);
    if (cubic) {  // Hermite's polynomials, as the specification has them; the tangents are per second
        const auto   leaves = row(k, 2), comes = row(k + 1, 0);
        const double u2 = u * u, u3 = u2 * u;
        for (std::size_t c = 0; c < w; ++c)
            a[c] = (2 * u3 - 3 * u2 + 1) * a[c] + step * (u3 - 2 * u2 + u) * leaves[c] + (-2 * u3 + 3 * u2) * b[c] +
                   step * (u3 - u2) * comes[c];
        return a;
    }
    // Linear interpolation of rotations is spherical in glTF. Quaternions are normalized, since files round them.
    if (track.path == "rotation") {
        const Quatd q =
            between(normalized(Quatd{a[0], a[1], a[2], a[3]}), normalized(Quatd{b[0], b[1], b[2], b[3]}), u);
        return {q.x, q.y, q.z, q.w};
    }
    for (std::size_t c = 0; c < w; ++c) a[c] += u * (b[c] - a[c]);
    return a;
}

// Values that are not finite leave the pose at rest.
GltfPose GltfMotion::pose(int node, const GltfPose& rest, double time) const
{
    GltfPose   out   = rest;
    const auto found = tracks_.find(node);
    if (found == tracks_.end()) return out;
    for (const Track& track : found->second) {
        if (track.path == "weights") continue;
        const auto v = value(track, time);
        if (!std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); })) continue;
        if (track.path == "translation") out.t = {v[0], v[1], v[2]};
        if (track.path == "scale") out.s = {v[0], v[1], v[2]};
        if (track.path == "rotation") out.q = normalized(Quatd{v[0], v[1], v[2], v[3]});
    }
    return out;
}

std::vector<double> GltfMotion::weights(int node, const std::vector<double>& rest, double time) const
{
    std::vector<double> out   = rest;
    const auto          found = tracks_.find(node);
    if (found == tracks_.end()) return out;
    for (const Track& track : found->second) {
        if (track.path != "weights") continue;
        const auto v = value(track, time);
        for (std::size_t i = 0; i < std::min(v.size(), out.size()); ++i)
            if (std::isfinite(v[i])) out[i] = v[i];
    }
    return out;
}

}  // namespace mechane::sourceformats
