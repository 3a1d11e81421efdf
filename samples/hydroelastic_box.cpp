// Two cubes of 1 m that overlap by 1 cm press with area x stiffness x depth: under both rules for the stiffness of a
// pair, and with less room for the faces of their contact surface.
//
//     sample_hydroelastic_box
#include <cmath>

#include "mechane/collision/pipeline.h"
#include "sample.h"

using namespace mechane;

namespace {

struct Pressed {
    double                   force = 0;  ///< [N]
    collision::CollideStatus status;
};

Pressed press(const collision::HydroelasticOptions& options)
{
    model::ShapeConfig soft;
    soft.gap             = 0;
    soft.is_hydroelastic = true;
    soft.kh              = 1e6;  // [N/m^3]
    soft.sdf             = model::SdfConfig{.sdf_target_voxel_size = 0.01, .sdf_padding = 0.02};
    model::ModelBuilder builder;
    for (const double z : {0.0, 0.99})
        builder.add_shape_box(builder.add_body({{0, 0, z}, {}}, "box"), {}, {0.5, 0.5, 0.5}, soft);
    const auto                   model = sample::finalize(builder);
    collision::CollisionPipeline pipeline(model, {.hydroelastic = options});
    model::Contacts              contacts = pipeline.make_contacts();
    Pressed                      out;
    out.status = pipeline.collide(model::make_state(model), 0, contacts);
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i)
        out.force +=
            std::max(0.0, -double(contacts.rigid_contact_distance[i])) * double(contacts.rigid_contact_stiffness[i]);
    return out;
}

}  // namespace

int main()
{
    const Pressed mean   = press({.pair_stiffness = collision::PairStiffness::harmonic_mean});
    const Pressed series = press({.pair_stiffness = collision::PairStiffness::series});
    std::printf("harmonic mean %.0f N, series %.0f N\n", mean.force, series.force);

    sample::Claims claims;
    // 1 m^2 x 0.01 m x 1e6 N/m^3 = 10,000 N, in series half of it; the rim, where the nearest side is another, takes 2%.
    claims.that(std::abs(mean.force / 10000 - 1) < 0.05, "equal materials keep their stiffness: 10,000 N");
    claims.that(std::abs(series.force / 5000 - 1) < 0.05, "in series it is half: 5000 N");
    for (const double fraction : {0.2, 0.001}) {
        const Pressed less = press({.buffer_fraction = fraction});
        const auto&   faces = less.status.faces;
        std::printf("buffer fraction %g: %lld of %lld faces have room\n", fraction,
                    static_cast<long long>(faces.needed - faces.dropped), static_cast<long long>(faces.needed));
        Diagnostics found;
        collision::report_overflow(less.status, found);
        for (const Diagnostic& d : found) std::printf("%s\n", to_text(d).c_str());
        claims.that(less.status.ok() ? less.force == mean.force && found.empty() : !found.empty(),
                    "less room changes nothing, or it is said");
    }
    return claims.exit_code();
}
