// Time samples and splines as channels of one animation, in seconds (export 4.11).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "exporter/gltf/writer.h"
#include "mechane/usd/key_times.h"

namespace mechane::exporter::gltf {
namespace {

/// The error of interpolation is measured at the probes only; half of the promised bound leaves room between them.
constexpr double kMostError =
    0.05 * std::numbers::pi / 180;  // of a rotation between two keys; half of what is promised
constexpr int    kHalvings = 12;
constexpr double kProbes[] = {0.25, 0.37, 0.5, 0.75};  // a whole turn between two keys is not seen at its middle

/// glTF's LINEAR for rotations is a great arc (slerp): a exp(f log(a^-1 b)), on the shorter side, which the sign of the
/// dot product tells.
Quatd blend(const Quatd& a, Quatd b, double f)
{
    if (dot(a, b) < 0) b = {-b.x, -b.y, -b.z, -b.w};
    return normalized(a * from_rotation_vector(f * to_rotation_vector(conjugate(a) * b)));
}

double angle_between(const Quatd& a, const Quatd& b) { return length(to_rotation_vector(conjugate(a) * b)); }

}  // namespace

bool   Writer::sampled(const usd::Attribute& a) const { return a && a.time_samples().size() > 1; }
double Writer::seconds(double code) const
{
    const double rate = stage.metadata().time_codes_per_second;
    return code / (rate > 0 ? rate : 24);
}

void Writer::channel(int node, const char* path, const std::vector<double>& codes, const std::vector<float>& values,
                     const char* type)
{
    std::vector<double> when;
    for (const double code : codes) when.push_back(seconds(code));
    // Inputs are filled in at the end: the first time of all channels has to be known, because glTF's times are not
    // negative.
    const int sampler = static_cast<int>(samplers_.size());
    samplers_.push_back({{"input", 0},
                         {"interpolation", options.open.held_interpolation ? "STEP" : "LINEAR"},
                         {"output", out.numbers(values, type, Target::none, false)}});
    times_.emplace_back(gltf::at(sampler), std::move(when));
    channels_.push_back({{"sampler", sampler}, {"target", {{"node", node}, {"path", path}}}});
}

void Writer::finish_animation()
{
    if (channels_.empty()) return;
    double first = 0;
    for (const auto& [sampler, when] : times_) first = std::min(first, when.front());
    if (first < 0)
        losses.add({"animation-start",
                    Severity::info,
                    sf::LossAction::converted,
                    "metadata",
                    {.layer = stage.source()},
                    "time samples before zero",
                    std::to_string(first),
                    "0",
                    "glTF's time begins at zero; everything starts later",
                    false});
    // Keys are relative to the first one of the whole stage, so that parts stay in step.
    for (const auto& [sampler, when] : times_) {
        std::vector<float> keys;
        for (const double t : when) keys.push_back(static_cast<float>(t - first));
        samplers_[sampler]["input"] = out.numbers(keys, "SCALAR", Target::none, true);
    }
    out.add("animations",
            {{"name", "animation"}, {"channels", std::move(channels_)}, {"samplers", std::move(samplers_)}});
}

void Writer::animate(const usd::Prim& prim, int node)
{
    if (!prim.is_a("Xformable")) return;
    std::vector<double> codes;
    for (const usd::Token& name : prim.authored_property_names()) {
        // Only the prim's own operations: parents are nodes of their own and carry their own channels.
        if (!name.text().starts_with("xformOp:")) continue;
        const auto samples = usd::key_times(prim.attribute(name));
        codes.insert(codes.end(), samples.begin(), samples.end());
    }
    std::erase_if(codes, [](double c) { return !std::isfinite(c); });
    std::sort(codes.begin(), codes.end());
    // Keys that coincide in single precision are one; glTF needs times that increase.
    codes.erase(std::unique(codes.begin(), codes.end(),
                            [&](double a, double b) {
                                return static_cast<float>(seconds(a)) == static_cast<float>(seconds(b));
                            }),
                codes.end());
    if (codes.size() < 2) return;
    bool       sheared = false;
    const auto pose    = [&](double code) {
        const Trs trs = trs_of(in_metres(stage.local_matrix(prim, code)));
        // Shear or a matrix that is not finite has no translation, rotation and scale.
        sheared = sheared || trs.sheared || !is_finite(trs.t) || !is_finite(trs.q);
        return trs;
    };
    std::vector<Trs> keys;
    for (const double code : codes) keys.push_back(pose(code));
    if (sheared) {
        lose("animation", Severity::warning, sf::LossAction::dropped, "visual", prim, "samples of a sheared transform",
             {}, "glTF animates translations, rotations and scales");
        return;
    }
    if (!options.open.held_interpolation) {
        // Keys in between, until straight lines and great arcs follow what the stage does.
        std::vector<double> fine_codes{codes[0]};
        std::vector<Trs>    fine{keys[0]};
        // Bisection. A key is added between two others while the straight line or the great arc misses the stage's pose
        // at one of the probes: translation by 1e-4 of the step, scale by 1e-3, rotation by kMostError. Operations in
        // between (Euler angles, pivots) bend the path, so that equal keys alone would not show the stage's motion.
        const auto add = [&](const auto& self, double a, const Trs& A, double b, const Trs& B, int depth) -> void {
            bool good = true;
            for (const double f : kProbes) {
                const Trs   there = pose(a + f * (b - a));
                const Vec3d t = A.t + f * (B.t - A.t), s = A.s + f * (B.s - A.s);
                good = good && angle_between(blend(A.q, B.q, f), there.q) < kMostError &&
                       length(there.t - t) < 1e-4 * (length(A.t - B.t) + 1e-3) && length(there.s - s) < 1e-3;
                if (!good) break;
            }
            const double middle = 0.5 * (a + b);
            // Twelve halvings at most, and never below what single precision can tell apart.
            if (!good && depth<kHalvings&& static_cast<float>(seconds(middle))> static_cast<float>(seconds(a)) &&
                static_cast<float>(seconds(middle)) < static_cast<float>(seconds(b))) {
                const Trs M = pose(middle);
                self(self, a, A, middle, M, depth + 1);
                self(self, middle, M, b, B, depth + 1);
                return;
            }
            fine_codes.push_back(b), fine.push_back(B);
        };
        for (std::size_t i = 0; i + 1 < codes.size(); ++i) add(add, codes[i], keys[i], codes[i + 1], keys[i + 1], 0);
        codes = std::move(fine_codes), keys = std::move(fine);
    }
    const Json&        still = out.at("nodes", node);
    std::vector<float> t, q, s;
    bool               moves[3] = {};
    Quatd              last;
    for (const Trs& k : keys) {
        Quatd now = k.q;
        // q and -q are one rotation; the sign that follows the last key keeps viewers on the shorter arc.
        if (!q.empty() && dot(now, last) < 0) now = {-now.x, -now.y, -now.z, -now.w};
        last = now;
        for (std::size_t c = 0; c < 3; ++c)
            t.push_back(static_cast<float>(k.t[c])), s.push_back(static_cast<float>(k.s[c]));
        for (const double v : {now.x, now.y, now.z, now.w}) q.push_back(static_cast<float>(v));
        // A property that never differs from the node's own needs no channel.
        moves[0] = moves[0] || !(json(k.t) == still.value("translation", json(Vec3d{})));
        moves[1] = moves[1] || !(json(k.q) == still.value("rotation", json(Quatd{})));
        moves[2] =
            moves[2] || length(k.s - keys[0].s) > 1e-9 || !(json(k.s) == still.value("scale", json(Vec3d{1, 1, 1})));
    }
    if (moves[0]) channel(node, "translation", codes, t, "VEC3");
    if (moves[1]) channel(node, "rotation", codes, q, "VEC4");
    if (moves[2]) channel(node, "scale", codes, s, "VEC3");
}

}  // namespace mechane::exporter::gltf
