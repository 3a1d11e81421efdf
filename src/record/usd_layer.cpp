#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "mechane/record/codes.h"
#include "mechane/record/write.h"

namespace mechane::record {
namespace {

namespace fs = std::filesystem;

/// Frames per second, from the spacing of the frames; whole where it is nearly so, because viewers step by whole time
/// codes.
double frame_rate(const Recording& recording)
{
    const auto& frames = recording.frames;
    if (frames.size() < 2) return 24;
    const double span = frames.back().t - frames.front().t;
    if (!(span > 0)) return 24;
    const double rate  = static_cast<double>(frames.size() - 1) / span;
    const double whole = std::round(rate);
    return whole > 0 && std::abs(rate - whole) < 1e-3 * rate ? whole : rate;
}

/// The source as seen from the folder of the layer, with forward slashes and a leading "./" so that it is not searched
/// for.
std::string sublayer_path(const std::string& source, const std::string& file)
{
    std::error_code failed;
    const fs::path  folder   = fs::absolute(file, failed).lexically_normal().parent_path();
    const fs::path  absolute = fs::absolute(source, failed).lexically_normal();
    const fs::path  relative = absolute.lexically_relative(folder);
    if (relative.empty()) return absolute.generic_string();
    const std::string text = relative.generic_string();
    return text.starts_with("..") ? text : "./" + text;
}

/// What a body's own transform holds beside its pose: scale and shear. Nothing when there is none.
std::optional<usd::Matrix4d> residual(const usd::Stage& stage, const usd::Prim& prim)
{
    const usd::Matrix4d      world = stage.world_matrix(prim);
    const usd::Decomposition parts = usd::decompose(world);
    if (parts.singular) return {};
    const auto rigid = usd::inverse(usd::from_pose({parts.translation, parts.rotation}));
    if (!rigid) return {};
    usd::Matrix4d rest = world * *rigid;
    for (std::size_t i = 0; i < 16; ++i)
        if (std::abs(rest.m[i] - (i % 5 == 0 ? 1.0 : 0.0)) > 1e-6) return rest;
    return {};
}

bool is_diagonal(const usd::Matrix4d& m)
{
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column)
            if (row != column && std::abs(m(row, column)) > 1e-6) return false;
    return true;
}

/// Authors scale and shear below the pose; returns the op, or nothing when there are none.
std::optional<usd::Token> author_residual(usd::LayerWriter& layer, const usd::Path& path, const usd::Prim& prim,
                                          double time)
{
    const auto rest = prim ? residual(prim.stage(), prim) : std::nullopt;
    if (!rest) return {};
    if (is_diagonal(*rest)) {
        layer.set_vec3(path.property("xformOp:scale:mechane"), "double3",
                       {(*rest)(0, 0), (*rest)(1, 1), (*rest)(2, 2)});
        return usd::Token("xformOp:scale:mechane");
    }
    layer.set_matrix_sample(path.property("xformOp:transform:mechane"), time, *rest);
    return usd::Token("xformOp:transform:mechane");
}

/// Samples of physics:velocity and physics:angularVelocity as an import reads them: of the centre of mass, in the space
/// of the prim, scale included [stage units and degrees a second].
class VelocityWriter {
  public:
    VelocityWriter(usd::LayerWriter& layer, const usd::Path& path, const usd::Prim& prim, const UsdOptions& options)
        : layer_(layer),
          linear_(path.property("physics:velocity")),
          angular_(path.property("physics:angularVelocity")),
          world_to_stage_(conjugate(options.X_WS.q)),
          unit_(1 / options.meters_per_unit)
    {
        if (!prim || !prim.has_api(usd::Token("PhysicsRigidBodyAPI"))) return;
        written_ = true;
        if (const auto rest = residual(prim.stage(), prim)) from_rotated_ = usd::inverse(*rest);
    }

    void sample(double time, const Quatd& q_SB, const Spatiald& twist, bool first)
    {
        if (!written_ || !is_finite(twist)) return;
        Vec3d v = rotate_inverse(q_SB, unit_ * rotate(world_to_stage_, twist.linear));
        if (from_rotated_) v = usd::transform_vector(*from_rotated_, v);
        const Vec3d w = (1 / kDegrees) * rotate_inverse(q_SB, rotate(world_to_stage_, twist.angular));
        if (first) {
            layer_.set_vec3(linear_, "vector3f", v);
            layer_.set_vec3(angular_, "vector3f", w);
        }
        layer_.set_vec3_sample(linear_, "vector3f", time, v);
        layer_.set_vec3_sample(angular_, "vector3f", time, w);
    }

  private:
    usd::LayerWriter&            layer_;
    usd::Path                    linear_, angular_;
    Quatd                        world_to_stage_;
    double                       unit_;
    bool                         written_ = false;
    std::optional<usd::Matrix4d> from_rotated_;  ///< out of the prim's scale and shear
};

/// Whether a body is kinematic all the time and the source, seen through the layer, says where it is in every frame: its
/// pose is read, and not written.
bool is_told_by_source(const model::Model& model, std::size_t body, const usd::Prim& prim, const Recording& recording,
                       const UsdOptions& options)
{
    static const usd::Token kKinematic("physics:kinematicEnabled"), kEnabled("physics:rigidBodyEnabled");
    if (!(model.body_flags[body] & model::body_flag::kinematic) || !prim || recording.source.empty()) return false;
    if (prim.attribute(kKinematic).varying() || prim.attribute(kEnabled).varying()) return false;
    const double     rate  = prim.stage().metadata().time_codes_per_second;  // a sublayer of another rate is scaled
    const Posed      X_SW  = inverse(options.X_WS);
    const double     unit  = 1 / options.meters_per_unit;
    constexpr double kSame = 1e-5;  // what Real leaves of a pose, and of the way to it
    return std::all_of(recording.frames.begin(), recording.frames.end(), [&](const Frame& frame) {
        const auto  says = usd::decompose(prim.stage().world_matrix(prim, usd::TimeCode(frame.t * rate)));
        const Posed is   = X_SW * static_cast<Posed>(frame.body_q[body]);
        return length(unit * is.p - says.translation) <= kSame * (unit + length(says.translation)) &&
               std::abs(dot(is.q, says.rotation)) >= 1 - kSame * kSame;
    });
}

/// Consecutive samples of one rotation never flip sign: viewers interpolate between them.
Quatd continuous(const Quatd& q, const Quatd& previous)
{ return dot(q, previous) < 0 ? Quatd{-q.x, -q.y, -q.z, -q.w} : q; }

}  // namespace

usd::LayerWriter to_layer(const model::Model& model, const Recording& recording, const std::string& file,
                          const UsdOptions& options, Diagnostics& found)
{
    usd::LayerWriter layer;
    if (!recording.source.empty()) layer.set_sublayers({sublayer_path(recording.source, file)});
    layer.set_up_axis(options.up_axis);
    layer.set_meters_per_unit(options.meters_per_unit);
    if (options.stage && options.stage->metadata().authored_kilograms_per_unit)
        layer.set_kilograms_per_unit(options.stage->metadata().kilograms_per_unit);
    if (options.stage && options.stage->default_prim()) layer.set_default_prim(options.stage->default_prim().name());

    const double rate  = frame_rate(recording);
    const double start = recording.frames.empty() ? 0 : recording.frames.front().t * rate;
    if (!recording.frames.empty()) layer.set_time_range(start, recording.frames.back().t * rate, rate);

    const Posed           X_SW = inverse(options.X_WS);
    const double          unit = 1 / options.meters_per_unit;
    std::set<std::string> written;
    for (std::size_t body = 0; body < model.body_count(); ++body) {
        const std::string& label = model.body_label[body];
        const usd::Path    path(label);
        const auto         skip = [&](std::string why) {
            found.add(kBodyWithoutPrim, {.layer = file, .prim = label}, std::move(why));
        };
        if (path.empty() || path.is_property() || path.is_root() || !label.starts_with('/')) {
            skip("the label is no prim path");
            continue;
        }
        if (!written.insert(label).second) {
            skip("another body has the same label; its motion was written");
            continue;
        }
        const usd::Prim prim = options.stage ? options.stage->prim_at(path) : usd::Prim();
        if (prim && prim.is_instance_proxy()) {
            skip("the prim is part of an instance, which cannot be overridden");
            continue;
        }
        if (is_told_by_source(model, body, prim, recording, options)) continue;
        layer.define_prim(path, {}, true);
        const usd::Path         translate = path.property("xformOp:translate:mechane"),
                                orient    = path.property("xformOp:orient:mechane");
        std::vector<usd::Token> order{"!resetXformStack!", translate.name(), orient.name()};
        if (const auto op = author_residual(layer, path, prim, start)) order.push_back(*op);
        layer.set_tokens(path.property("xformOpOrder"), order, true);
        VelocityWriter velocities(layer, path, prim, options);
        Quatd          previous;
        for (const Frame& frame : recording.frames) {
            const Posed X_SB = X_SW * static_cast<Posed>(frame.body_q[body]);
            if (!is_finite(X_SB)) continue;
            previous         = continuous(X_SB.q, previous);
            const bool first = &frame == &recording.frames.front();
            velocities.sample(frame.t * rate, X_SB.q, static_cast<Spatiald>(frame.body_qd[body]), first);
            if (first) {  // what is read without a time: the initial state
                layer.set_vec3(translate, "double3", unit * X_SB.p);
                layer.set_quat(orient, "quatd", previous);
            }
            layer.set_vec3_sample(translate, "double3", frame.t * rate, unit * X_SB.p);
            layer.set_quat_sample(orient, "quatd", frame.t * rate, previous);
        }
    }
    return layer;
}

}  // namespace mechane::record
