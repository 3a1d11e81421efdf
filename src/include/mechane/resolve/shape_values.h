#pragma once
#include "mechane/physics/types.h"
#include "mechane/resolve/resolver.h"

namespace mechane::resolve {

/// Contact response of a collider. Defaults and answers in SI.
struct ContactValues {
    double ke = 2500, kd = 100, kf = 1000, ka = 0;
    double mu_torsional = 0.005, mu_rolling = 0.0001;
    double margin   = 0;
    double gap      = 0.1;
    double priority = 0, weight = 1;
    /// How the coefficients combine with those of another material: "average", "min", "multiply", "max"; empty when
    /// nothing of that kind is authored.
    std::string friction_combine, restitution_combine;
    Resolved    margin_source, gap_source;
};
/// @param collider  the collider prim
/// @param material  the bound physics material, may be invalid
/// @param defaults  the importer's
ContactValues contact_values(const ResolverList& resolvers, const usd::Prim& collider, const usd::Prim& material,
                             const Context& context, const ContactValues& defaults, Diagnostics& found);

/// SDF and hydroelastic settings of a collider.
struct SdfSettings {
    bool                  has_sdf = false;  ///< NewtonSDFCollisionAPI is applied
    std::optional<int>    max_resolution{};
    std::optional<double> target_voxel_size{};                  ///< m
    double                band_inner = -0.1, band_outer = 0.1;  ///< m
    std::string           texture_format = "uint16";
    std::optional<double> padding{};  ///< m
    bool                  hydroelastic = false;
    double                kh           = 1e10;
};
SdfSettings sdf_settings(const ResolverList& resolvers, const physics::Collider& collider, const Context& context,
                         bool default_hydroelastic, Diagnostics& found);

/// Vertex budget of a hull: authored, else the importer's default.
int max_hull_vertices(const ResolverList& resolvers, const usd::Prim& collider, const Context& context,
                      int importer_default, Diagnostics& found);

}  // namespace mechane::resolve
