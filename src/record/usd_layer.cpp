// Writes a recording as a layer of OpenUSD that stands above the source's and moves its prims.
// Inputs: the model (labels are prim paths), frames in the world [m], and where that world lies in the stage: X_WS and
// metres per unit. Output: a layer with the source as its sublayer and time samples for each body: translate and orient
// ops, physics:velocity and physics:angularVelocity.
// Opinions of the layer win because it is stronger than its sublayer. The names of its ops end in ":mechane", so that
// they never collide with ops of the source, whose own order is replaced through xformOpOrder.
// Invariants: the samples at the first time equal the values without a time, so an importer that reads defaults starts
// where the recording starts; what the source itself animates is not written again.
// Bodies without a prim, and those inside of instances, are reported and left out. Matrices multiply row vectors, as in
// OpenUSD: a child's matrix stands on the left of its parent's.
// Called by record::write.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "mechane/record/codes.h"
#include "mechane/record/write.h"
#include "mechane/usd/instancer_copies.h"
#include "usd_points.h"

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

/// Scale and shear of a body's own transform; nothing if there is none.
/// world = rest * rigid: what remains of the prim's matrix without its rotation and translation. The body's pose is
/// rigid, so scale and shear must be kept apart and put below it.
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

/// Whether a body is kinematic all the time and the source, seen through the layer, says where it is in every frame:
/// its pose is read, and not written.
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
               // The dot product of unit quaternions is the cosine of half the angle, 1 - a^2 / 8: its deviation is
               // quadratic.
               std::abs(dot(is.q, says.rotation)) >= 1 - kSame * kSame;
    });
}

Quatd continuous(const Quatd& q, const Quatd& previous);

/// The values of an instancer's item that a recording moves.
struct MovedItem {
    std::size_t index = 0, body = 0;
    usd::Prim   prim, copy;
};

/// Bodies that are items of instancers: their motion is the instancer's, in its arrays.
class InstancerWriter {
  public:
    InstancerWriter(usd::LayerWriter& layer, const model::Model& model, const Recording& recording,
                    const UsdOptions& options)
        : layer_(layer), model_(model), recording_(recording), options_(options), X_SW_(inverse(options.X_WS))
    {
        if (options.stage == nullptr || !usd::has_instancer_copies(*options.stage)) return;
        for (std::size_t body = 0; body < model.body_count(); ++body) {
            const usd::Prim prim = options.stage->prim_at(usd::Path(model.body_label[body]));
            if (!prim) continue;
            // Copies of a world bring their labels with them: the layer holds the motion of the first.
            if (!bodies_.emplace(prim.path(), body).second) continue;
            if (const usd::Prim copy = usd::instancer_copy(prim)) ++bodies_in_[copy.path()];
        }
    }

    /// Adds a body that belongs to an item; returns the reason if its motion cannot be written.
    std::optional<std::string> take(std::size_t body, const usd::Prim& prim, const usd::Prim& copy)
    {
        const auto item = usd::instancer_item(copy);
        if (!item) return "it belongs to no instancer";
        if (!item->own)
            return "its point instancer is part of a prototype or of an instance: one place cannot hold several "
                   "motions";
        if (bodies_in_[copy.path()] > 1)
            return "its prototype holds several bodies, and a point instancer moves a prototype as a whole";
        items_[item->instancer].push_back({item->index, body, prim, copy});
        return {};
    }

    /// @param rate  time codes of the layer per second
    void write(double rate, const std::string& file, Diagnostics& found)
    {
        for (const auto& [path, items] : items_) write(path, items, rate, file, found);
    }

  private:
    template <class T>
    static std::vector<T> array_at(const usd::Prim& instancer, const char* name, double time)
    {
        const usd::Attribute attribute = instancer.attribute(usd::Token(name));
        usd::Value           value     = attribute.authored_value(usd::TimeCode(time));
        if (value.empty()) value = attribute.authored_value();
        return value.get<std::vector<T>>().value_or(std::vector<T>());
    }
    [[nodiscard]] usd::Matrix4d rigid(std::size_t body, const Frame& frame) const
    {
        const Posed X = X_SW_ * static_cast<Posed>(frame.body_q[body]);
        return usd::from_pose({(1 / options_.meters_per_unit) * X.p, X.q});
    }
    /// Pose of the instancer in the layer at a frame; below a moving body it moves with the body.
    /// The row product: instancer below the body, the body's scale and shear, then the body's pose at this frame.
    [[nodiscard]] usd::Matrix4d place(const usd::Prim& instancer, const Frame& frame, double time) const
    {
        for (usd::Prim p = instancer; p && !p.path().is_root(); p = p.parent())
            if (const auto body = bodies_.find(p.path()); body != bodies_.end()) {
                const auto back = usd::inverse(options_.stage->world_matrix(p));
                if (!back) break;
                const usd::Matrix4d below = options_.stage->world_matrix(instancer) * *back;
                return below * residual(*options_.stage, p).value_or(usd::Matrix4d{}) * rigid(body->second, frame);
            }
        return options_.stage->world_matrix(instancer, usd::TimeCode(time));
    }

    static usd::Matrix4d scaling(const Vec3d& s)
    {
        usd::Matrix4d m;
        for (int i = 0; i < 3; ++i) m(i, i) = s[static_cast<std::size_t>(i)];
        return m;
    }

    void write(const usd::Path& path, const std::vector<MovedItem>& items, double rate, const std::string& file,
               Diagnostics& found)
    {
        if (std::all_of(items.begin(), items.end(), [&](const MovedItem& i) {
                return is_told_by_source(model_, i.body, i.prim, recording_, options_);
            }))
            return;
        static const usd::Token kBody("PhysicsRigidBodyAPI");
        const usd::Prim         instancer  = options_.stage->prim_at(path);
        const double            stage_rate = options_.stage->metadata().time_codes_per_second;
        const double            unit       = 1 / options_.meters_per_unit;
        std::size_t             sheared    = 0;
        bool                    first      = true;
        std::vector<Quatd>      before;
        layer_.define_prim(path, {}, true);
        for (const Frame& frame : recording_.frames) {
            const double time      = frame.t * stage_rate;
            auto         positions = array_at<Vec3d>(instancer, "positions", time);
            // orientationsf (32 bit) wins over orientations (16 bit), as UsdGeomPointInstancer asks.
            auto turns = array_at<Quatd>(instancer, "orientationsf", time);
            if (turns.empty()) turns = array_at<Quatd>(instancer, "orientations", time);
            const auto scales  = array_at<Vec3d>(instancer, "scales", time);
            auto       linear  = array_at<Vec3d>(instancer, "velocities", time);
            auto       angular = array_at<Vec3d>(instancer, "angularVelocities", time);
            turns.resize(positions.size());
            linear.resize(positions.size());
            angular.resize(positions.size());
            const usd::Matrix4d X_SI = place(instancer, frame, time);
            const auto          X_IS = usd::inverse(X_SI);
            if (!X_IS) return;
            const Quatd q_SI  = usd::decompose(X_SI).rotation;
            bool        rates = false;
            for (const MovedItem& item : items) {
                if (item.index >= positions.size()) continue;
                const Vec3d scale = item.index < scales.size() ? scales[item.index] : Vec3d{1, 1, 1};
                const auto  made  = item_matrix(item, instancer, scale, rigid(item.body, frame), *X_IS);
                if (!made) continue;
                const usd::Decomposition turned = usd::decompose(*made);
                // A rotation under an unequal scale is a shear, which an instancer's arrays cannot say.
                sheared += first && length(turned.scale - Vec3d{1, 1, 1}) > 1e-4 ? 1 : 0;
                positions[item.index] = turned.translation;
                turns[item.index] = before.empty() ? turned.rotation : continuous(turned.rotation, before[item.index]);
                const auto twist  = static_cast<Spatiald>(frame.body_qd[item.body]);
                if (!(item.prim == item.copy) || !item.prim.has_api(kBody) || !is_finite(twist)) continue;
                const Quatd to_stage = conjugate(options_.X_WS.q);
                // Velocities of an instancer are in its own space, and angular ones in degrees a second.
                linear[item.index]  = usd::transform_vector(*X_IS, unit * rotate(to_stage, twist.linear));
                angular[item.index] = (1 / kDegrees) * rotate_inverse(q_SI, rotate(to_stage, twist.angular));
                rates               = true;
            }
            before            = turns;
            const auto author = [&](std::optional<double> at) {
                layer_.set_vec3_array(path.property("positions"), "point3f[]", at, positions);
                layer_.set_quat_array(path.property("orientations"), "quath[]", at, turns);
                layer_.set_quat_array(path.property("orientationsf"), "quatf[]", at, turns);
                if (!rates) return;
                layer_.set_vec3_array(path.property("velocities"), "vector3f[]", at, linear);
                layer_.set_vec3_array(path.property("angularVelocities"), "vector3f[]", at, angular);
            };
            if (first) author(std::nullopt);  // what is read without a time: the initial state
            author(code_of(frame.t, rate));
            first = false;
        }
        if (sheared > 0)
            found.add(kItemSheared, {.layer = file, .prim = path.text()},
                      fmt::format("{} items of <{}> turn below unequal scale", sheared, path.text()));
    }

    // item = scale^-1 * below^-1 * rest * X_SB * X_SI^-1: the matrix that the item needs between its scale and the
    // instancer so that the body below comes to X_SB.
    /// Rotation and translation of an item that bring its body to a pose; the item's scale stays as it is.
    [[nodiscard]] std::optional<usd::Matrix4d> item_matrix(const MovedItem& item, const usd::Prim& instancer,
                                                           const Vec3d& scale, const usd::Matrix4d& X_SB,
                                                           const usd::Matrix4d& X_IS) const
    {
        const usd::Stage& stage = *options_.stage;
        const auto        X_IS0 = usd::inverse(stage.world_matrix(instancer));
        const auto        item0 = usd::inverse(first_item(instancer, item.index, scale));
        if (!X_IS0 || !item0) return {};
        const usd::Matrix4d below   = stage.world_matrix(item.prim) * *X_IS0 * *item0;  // of the body in the prototype
        const auto          back    = usd::inverse(below);
        const auto          unscale = usd::inverse(scaling(scale));
        if (!back || !unscale) return {};
        const usd::Matrix4d rest = residual(stage, item.prim).value_or(usd::Matrix4d{});
        return *unscale * *back * rest * X_SB * X_IS;
    }

    /// The item's matrix that the stage has at the default time.
    static usd::Matrix4d first_item(const usd::Prim& instancer, std::size_t index, const Vec3d& scale)
    {
        const auto first = [&]<class T>(const char* name, const T&) {
            const usd::Attribute attribute = instancer.attribute(usd::Token(name));
            usd::Value           value     = attribute.authored_value();
            if (value.empty())
                if (const auto times = attribute.time_samples(); !times.empty())
                    value = attribute.authored_value(usd::TimeCode(times.front()));
            return value.get<std::vector<T>>().value_or(std::vector<T>());
        };
        const auto positions = first("positions", Vec3d{});
        auto       turns     = first("orientationsf", Quatd{});
        if (turns.empty()) turns = first("orientations", Quatd{});
        const auto scales = first("scales", Vec3d{});
        Posed      X;
        if (index < positions.size()) X.p = positions[index];
        if (index < turns.size() && dot(turns[index], turns[index]) > 0) X.q = normalized(turns[index]);
        return scaling(index < scales.size() ? scales[index] : scale) * usd::from_pose(X);
    }

    usd::LayerWriter&                           layer_;
    const model::Model&                         model_;
    const Recording&                            recording_;
    const UsdOptions&                           options_;
    Posed                                       X_SW_;
    std::map<usd::Path, std::size_t>            bodies_, bodies_in_;
    std::map<usd::Path, std::vector<MovedItem>> items_;
};

/// Consecutive samples of one rotation never flip sign: viewers interpolate between them.
/// q and -q are one rotation. Interpolation between the two would turn the long way round.
Quatd continuous(const Quatd& q, const Quatd& previous)
{ return dot(q, previous) < 0 ? Quatd{-q.x, -q.y, -q.z, -q.w} : q; }

}  // namespace

usd::LayerWriter to_layer(const model::Model& model, const Recording& recording, const std::string& file,
                          const UsdOptions& options, Diagnostics& found)
{
    usd::LayerWriter layer;
    if (!recording.source.empty()) layer.set_sublayers({sublayer_path(recording.source, file)});
    if (options.stage) layer.take_choices(*options.stage);
    layer.set_up_axis(options.up_axis);
    layer.set_meters_per_unit(options.meters_per_unit);
    if (options.stage && options.stage->metadata().authored_kilograms_per_unit)
        layer.set_kilograms_per_unit(options.stage->metadata().kilograms_per_unit);
    if (options.stage && options.stage->default_prim()) layer.set_default_prim(options.stage->default_prim().name());

    const double rate  = frame_rate(recording);
    const double start = recording.frames.empty() ? 0 : code_of(recording.frames.front().t, rate);
    if (!recording.frames.empty()) layer.set_time_range(start, code_of(recording.frames.back().t, rate), rate);

    const Posed            X_SW = inverse(options.X_WS);
    const double           unit = 1 / options.meters_per_unit;
    std::set<std::string>  written;
    InstancerWriter        instancers(layer, model, recording, options);
    std::set<std::int32_t> segments;  // of cables: no prims of their own
    for (const PointsPrim& points : options.points) {
        segments.insert(points.segment_body.begin(), points.segment_body.end());
        write_points(layer, model, recording, options, points, rate, file, found);
    }
    for (std::size_t body = 0; body < model.body_count(); ++body) {
        if (segments.contains(static_cast<std::int32_t>(body))) continue;
        const std::string& label = model.body_label[body];
        const usd::Path    path(label);
        const auto         skip = [&](std::string why) {
            found.add(kBodyWithoutPrim, {.layer = file, .prim = label}, std::move(why));
        };
        if (path.empty() || path.is_property() || path.is_root() || !label.starts_with('/')) {
            skip("the label is not a prim path");
            continue;
        }
        if (!written.insert(label).second) {
            skip("another body has the same label; its motion was written");
            continue;
        }
        const usd::Prim prim = options.stage ? options.stage->prim_at(path) : usd::Prim();
        if (const usd::Prim copy = usd::instancer_copy(prim)) {
            if (auto why = instancers.take(body, prim, copy)) skip(*std::move(why));
            continue;
        }
        if (prim && (prim.is_instance_proxy() || usd::in_opened_instance(prim))) {
            skip("the prim is part of an instance, which cannot be overridden");
            continue;
        }
        if (is_told_by_source(model, body, prim, recording, options)) continue;
        layer.define_prim(path, {}, true);
        const usd::Path translate = path.property("xformOp:translate:mechane"),
                        orient    = path.property("xformOp:orient:mechane");
        // The pose is absolute: without the reset it would be multiplied by the parents' transforms, which may move as
        // well.
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
            velocities.sample(code_of(frame.t, rate), X_SB.q, static_cast<Spatiald>(frame.body_qd[body]), first);
            if (first) {  // what is read without a time: the initial state
                layer.set_vec3(translate, "double3", unit * X_SB.p);
                layer.set_quat(orient, "quatd", previous);
            }
            layer.set_vec3_sample(translate, "double3", code_of(frame.t, rate), unit * X_SB.p);
            layer.set_quat_sample(orient, "quatd", code_of(frame.t, rate), previous);
        }
    }
    instancers.write(rate, file, found);
    return layer;
}

}  // namespace mechane::record
