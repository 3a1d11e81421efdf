#pragma once
#include "mechane/collision/pipeline.h"
#include "mechane/model/builder.h"
#include "shapes.h"

/// Scenes of shapes with distance fields.
namespace mechane::test {

inline model::Model frozen_scene(const model::ModelBuilder& builder)
{
    Diagnostics out;
    auto        model = builder.finalize({}, out);
    REQUIRE(model.has_value());
    return std::move(*model);
}

/// A configuration with a field of the given voxel [m], fine within `band` of the surface.
inline model::ShapeConfig with_field(double voxel, double band)
{
    model::ShapeConfig c;
    c.gap                        = 0.0;
    c.sdf                        = model::SdfConfig{};
    c.sdf->force_sdf             = true;
    c.sdf->sdf_target_voxel_size = voxel;
    c.sdf->sdf_narrow_band_inner = -band;
    c.sdf->sdf_narrow_band_outer = band;
    c.sdf->sdf_padding           = 2 * voxel;
    c.sdf->sdf_texture_format    = model::SdfFormat::float32;
    return c;
}
inline model::ShapeConfig with_pressure(double voxel, double band, double kh)
{
    model::ShapeConfig c = with_field(voxel, band);
    c.is_hydroelastic    = true;
    c.kh                 = kh;
    return c;
}

/// One collide call on the initial state, and what its contacts push with.
struct Pressed {
    model::Contacts                     contacts;
    collision::CollideStatus            status;
    std::vector<collision::ContactFace> surface;
    Vec3d                               force;                 ///< on shape 1 [N]
    Vec3d                               torque;                ///< about the origin [N m]
    double                              closed = 0, open = 0;  ///< rows below and above zero distance
};
inline Pressed press(const model::Model& m, const collision::PipelineOptions& options = {})
{
    collision::CollisionPipeline pipeline(m, options);
    Pressed                      out{pipeline.make_contacts(), {}, {}, {}, {}};
    const auto                   state = model::make_state(m);
    out.status                         = pipeline.collide(state, 0, out.contacts);
    out.surface.assign(pipeline.contact_surface().begin(), pipeline.contact_surface().end());
    const model::Contacts& c = out.contacts;
    const auto             n = static_cast<std::size_t>(c.rigid_contact_count);
    std::vector<Vec3>      p0(n), p1(n);
    collision::contact_points_world(m, state, c, p0, p1);
    for (std::size_t i = 0; i < n; ++i) {
        const double d = static_cast<double>(c.rigid_contact_distance[i]);
        ++(d < 0 ? out.closed : out.open);
        if (d >= 0 || c.rigid_contact_stiffness.empty()) continue;
        const Vec3d f =
            static_cast<double>(c.rigid_contact_stiffness[i]) * -d * static_cast<Vec3d>(c.rigid_contact_normal[i]);
        out.force += f;
        out.torque += cross(0.5 * (static_cast<Vec3d>(p0[i]) + static_cast<Vec3d>(p1[i])), f);
    }
    return out;
}

}  // namespace mechane::test
