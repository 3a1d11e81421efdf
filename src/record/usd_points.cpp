// Writes the points of cloths, soft bodies and cables into a layer, frame by frame.
// Inputs: which particles (or segments of a cable) a prim shows, and its matrix when it was imported; frames in the
// world [m]. Output: samples of points, extent and velocities in the prim's own space at that time.
// A prim below a moving body is carried along, so the body's motion since the import is taken out of its points.
// Called by to_layer, before the bodies.

#include "usd_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mechane/record/codes.h"
#include "mechane/usd/instancer_copies.h"

namespace mechane::record {
namespace {

/// Points of a cable: where its segments end; the mean where two meet, the authored place where none is simulated.
std::vector<Vec3d> cable_points(const PointsPrim& cable, const Frame& frame, const std::vector<Vec3d>& authored)
{
    std::vector<Vec3d> out;
    std::size_t        segment0 = 0;
    for (const int n : cable.vertex_counts) {
        const auto        count    = static_cast<std::size_t>(std::max(n, 0));
        const std::size_t segments = cable.closed ? count : count > 0 ? count - 1 : 0;
        for (std::size_t p = 0; p < count; ++p) {
            Vec3d      sum;
            int        ends = 0;
            const auto add  = [&](std::size_t s, double side) {
                const std::int32_t body = cable.segment_body[segment0 + s];
                if (body < 0) return;
                const auto X = static_cast<Posed>(frame.body_q[static_cast<std::size_t>(body)]);
                // A segment lies along z of its body and ends half its length from the centre. Two segments that meet
                // disagree by the error of the joint; the mean is between both.
                sum += X * Vec3d{0, 0, side * 0.5 * cable.segment_length[segment0 + s]};
                ++ends;
            };
            if (segments > 0 && (cable.closed || p > 0)) add((p + segments - 1) % segments, 1);
            if (segments > 0 && (cable.closed || p < segments)) add(p % segments, -1);
            out.push_back(ends > 0                       ? (1.0 / ends) * sum
                          : out.size() < authored.size() ? authored[out.size()]
                                                         : Vec3d{});
        }
        segment0 += segments;
    }
    return out;
}

/// The body above a prim, which the layer moves, and where the stage has it in the world.
struct Carrier {
    std::int32_t  body = -1;
    usd::Matrix4d undo;  ///< from the world into the body's frame there
};

Carrier carrier_of(const model::Model& model, const usd::Prim& prim, const UsdOptions& options)
{
    for (usd::Prim p = prim.parent(); p && !p.path().is_root() && !options.stage->resets_transform(p); p = p.parent()) {
        const auto at = std::find(model.body_label.begin(), model.body_label.end(), p.path().text());
        if (at == model.body_label.end()) continue;
        // The scale of the body is part of the prim's matrix and does not move, so only the rigid part is undone.
        const usd::Decomposition parts = usd::decompose(options.stage->world_matrix(p));
        const Posed X_WB = options.X_WS * Posed{options.meters_per_unit * parts.translation, parts.rotation};
        return {static_cast<std::int32_t>(at - model.body_label.begin()), usd::from_pose(inverse(X_WB))};
    }
    return {};
}

}  // namespace

void write_points(usd::LayerWriter& layer, const model::Model& model, const Recording& recording,
                  const UsdOptions& options, const PointsPrim& points, double rate, const std::string& file,
                  Diagnostics& found)
{
    const usd::Path path(points.path);
    const auto      skip = [&](std::string why) {
        found.add(kBodyWithoutPrim, {.layer = file, .prim = points.path}, std::move(why));
    };
    const usd::Prim prim = options.stage ? options.stage->prim_at(path) : usd::Prim();
    const auto      back = usd::inverse(points.placed);
    if (!prim || !back) return skip("there is no prim with a transform that can be undone to write points to");
    if (prim.is_instance_proxy() || usd::in_opened_instance(prim) || usd::instancer_copy(prim))
        return skip("the prim is part of an instance, which cannot be overridden");
    const bool         cable    = !points.vertex_counts.empty();
    std::vector<Vec3d> authored = prim.attribute("points").get<std::vector<Vec3d>>().value_or(std::vector<Vec3d>{});
    for (Vec3d& p : authored) p = usd::transform_point(points.placed, p);
    layer.define_prim(path, {}, true);
    const Carrier carrier   = options.stage->resets_transform(prim) ? Carrier{} : carrier_of(model, prim, options);
    double        thickness = 0;  // of what is drawn around the points, in the prim's space
    // Extents hold the drawn tube about the points too: half its width.
    if (const auto widths = prim.attribute("widths").get<std::vector<double>>(); cable && widths)
        for (const double w : *widths) thickness = std::max(thickness, 0.5 * w);
    const auto first = static_cast<std::size_t>(points.particle[0]),
               last  = static_cast<std::size_t>(points.particle[1]);
    for (const Frame& frame : recording.frames) {
        std::vector<Vec3d>           world, velocities;
        std::optional<usd::Matrix4d> from_world = back;
        if (carrier.body >= 0)  // the prim goes where the body goes
            from_world =
                usd::inverse(points.placed * carrier.undo *
                             usd::from_pose(static_cast<Posed>(frame.body_q[static_cast<std::size_t>(carrier.body)])));
        if (!from_world) continue;
        if (cable)
            world = cable_points(points, frame, authored);
        else
            for (std::size_t p = first; p < last && p < frame.particle_q.size(); ++p) {
                world.push_back(static_cast<Vec3d>(frame.particle_q[p]));
                velocities.push_back(usd::transform_vector(*from_world, static_cast<Vec3d>(frame.particle_qd[p])));
            }
        Vec3d lower{kInfinity, kInfinity, kInfinity}, upper = -lower;
        bool  finite = !world.empty();
        for (Vec3d& p : world) {
            p      = usd::transform_point(*from_world, p);
            lower  = min(lower, p);
            upper  = max(upper, p);
            finite = finite && is_finite(p);
        }
        // A frame that is not finite is left out, so that viewers interpolate across the gap.
        if (!finite) continue;
        const Vec3d              around{thickness, thickness, thickness};
        const std::vector<Vec3d> extent{lower - around, upper + around};
        const auto               author = [&](std::optional<double> at) {
            layer.set_vec3_array(path.property("points"), "point3f[]", at, world);
            layer.set_vec3_array(path.property("extent"), "float3[]", at, extent);
            if (!velocities.empty()) layer.set_vec3_array(path.property("velocities"), "vector3f[]", at, velocities);
        };
        if (&frame == &recording.frames.front()) author(std::nullopt);  // what is read without a time
        author(code_of(frame.t, rate));
    }
}

double code_of(double t, double rate)
{
    const double code = t * rate, whole = std::round(code);
    return std::abs(code - whole) <= 1e-9 * std::max(1.0, std::abs(whole)) ? whole : code;
}

}  // namespace mechane::record
