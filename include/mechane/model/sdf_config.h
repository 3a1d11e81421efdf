#pragma once
#include <cstdint>
#include <memory>
#include <optional>

namespace mechane::geometry {
class Sdf;
}

namespace mechane::model {

/// How a cell of a signed distance field is stored.
enum class SdfFormat : std::uint8_t { uint8, uint16, float32 };

/// How the signed distance field of one shape is to be built. Names and defaults are Newton's.
/// Fields are built when a pipeline is made, once for shapes that agree in mesh, scale and these numbers.
struct SdfConfig {
    bool force_sdf = false;  ///< wanted for itself (NewtonSDFCollisionAPI); otherwise hydroelastic contact wants it
    std::optional<int>    sdf_max_resolution{};     ///< cells along the longest side, a multiple of 8 below 65536
    std::optional<double> sdf_target_voxel_size{};  ///< edge of a cell [m]; goes before the resolution
    double                sdf_narrow_band_inner = -0.1, sdf_narrow_band_outer = 0.1;  ///< [m], inner < 0 < outer
    SdfFormat             sdf_texture_format = SdfFormat::uint16;
    std::optional<double> sdf_padding{};  ///< around the bounds [m]; unset: the gap, and the margin if hydroelastic
    /// Of a mesh that brings its field, in the mesh's own frame: what else is said of size, resolution and padding is
    /// then refused. A shape that scales its mesh gets a field of its own, of as many cells.
    std::shared_ptr<const geometry::Sdf> field{};

    bool operator==(const SdfConfig&) const = default;
};

}  // namespace mechane::model
