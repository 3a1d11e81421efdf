#pragma once
#include <cmath>
#include <cstdint>

#include "mechane/model/builder.h"
#include "mechane/simulation/recording.h"
#include "support/support.h"

namespace mechane::test {

inline model::Model finalized(const model::ModelBuilder& builder)
{
    Diagnostics found;
    auto        model = builder.finalize({}, found);
    REQUIRE(model);
    return std::move(*model);
}

/// The model's initial state as the only frame.
inline record::Recording still(const model::Model& model)
{
    record::Recording out{.source = "scene.usda", .solver = "none", .dt = 1.0 / 60};
    out.frames.push_back({.t        = 0,
                          .body_q   = model.body_q,
                          .body_qd  = model.body_qd,
                          .joint_q  = model.joint_q,
                          .joint_qd = model.joint_qd});
    return out;
}

/// A walker of every primitive on the ground: a round trunk and four legs of two links.
inline model::Model walker()
{
    model::ModelBuilder builder;
    builder.add_ground_plane();
    const model::ShapeConfig config;
    const auto               trunk = builder.add_body({{0, 0, 0.55}}, "/walker/trunk");
    builder.add_shape_sphere(trunk, {}, 0.25, config, "/walker/trunk/ball");
    builder.add_shape_box(trunk, {{0, 0, 0.2}}, {0.12, 0.08, 0.05}, config, "/walker/trunk/pack");
    builder.shapes.back().color = {0.93, 0.56, 0.12};
    builder.shapes[1].color     = {0.85, 0.86, 0.88};
    for (int leg = 0; leg < 4; ++leg) {
        const double a    = kPi / 4 + leg * kPi / 2;
        const Quatd  turn = from_axis_angle<double>({0, 0, 1}, a);
        const auto   add  = [&](const char* name, double reach, double z, double tilt, double radius, double half,
                                const Vec3d& color) {
            const Posed X{Vec3d{0, 0, z} + rotate(turn, Vec3d{reach, 0, 0}),
                          turn * from_axis_angle<double>({0, 1, 0}, tilt)};
            const auto  body = builder.add_body(X, "/walker/" + std::string(name) + std::to_string(leg));
            builder.add_shape_capsule(body, {}, radius, half, config,
                                      "/walker/" + std::string(name) + std::to_string(leg) + "/shape");
            builder.shapes.back().color = color;
        };
        add("upper", 0.42, 0.5, 1.5, 0.07, 0.14, {0.3, 0.33, 0.38});
        add("lower", 0.62, 0.28, 0.25, 0.055, 0.2, {0.18, 0.45, 0.75});
    }
    return finalized(builder);
}

/// The walker swaying for `seconds`, 60 frames a second, with contacts below its feet.
inline record::Recording sway(const model::Model& model, double seconds)
{
    record::Recording out = still(model);
    out.frames.clear();
    const int frames = static_cast<int>(std::lround(seconds * 60)) + 1;
    for (int i = 0; i < frames; ++i) {
        const double  t = i / 60.0;
        const Posed   move{{0.25 * std::sin(2 * t), 0.15 * std::sin(3 * t), 0},
                           from_axis_angle<double>({0, 0, 1}, 0.6 * std::sin(t))};
        record::Frame frame{.t        = t,
                            .body_q   = model.body_q,
                            .body_qd  = model.body_qd,
                            .joint_q  = model.joint_q,
                            .joint_qd = model.joint_qd};
        for (Pose& q : frame.body_q) q = static_cast<Pose>(move * static_cast<Posed>(q));
        for (int foot = 0; foot < 4; ++foot) {
            const double a = kPi / 4 + foot * kPi / 2;
            frame.contacts.push_back(
                {.point    = static_cast<Vec3>(move * Vec3d{0.67 * std::cos(a), 0.67 * std::sin(a), 0}),
                 .normal   = {0, 0, 1},
                 .force    = {0, 3, static_cast<Real>(30 + 20 * std::sin(5 * t + foot))},
                 .distance = 0,
                 .shape0   = 0,
                 .shape1   = 1});
        }
        out.frames.push_back(frame);
    }
    return out;
}

}  // namespace mechane::test
