#pragma once
#include <cstdint>
#include <optional>

namespace mechane::model {

/// How a cell of a signed distance field is stored.
enum class SdfFormat : std::uint8_t { uint8, uint16, float32 };

/// How the signed distance field of one shape is to be built. Names and defaults are Newton's (import-usd 9.2).
struct SdfConfig {
    bool force_sdf = false;  ///< wanted for itself (NewtonSDFCollisionAPI); otherwise hydroelastic contact wants it
    std::optional<int>    sdf_max_resolution;     ///< cells along the longest side, a multiple of 8 below 65536
    std::optional<double> sdf_target_voxel_size;  ///< edge of a cell [m]; goes before the resolution
    double                sdf_narrow_band_inner = -0.1, sdf_narrow_band_outer = 0.1;  ///< [m], inner < 0 < outer
    SdfFormat             sdf_texture_format = SdfFormat::uint16;
    std::optional<double> sdf_padding;  ///< around the bounds [m]; unset: the gap, and the margin if hydroelastic

    bool operator==(const SdfConfig&) const = default;
};

}  // namespace mechane::model
