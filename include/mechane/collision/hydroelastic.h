#pragma once
#include <array>
#include <cstdint>

#include "mechane/math/vec.h"

/// Contact as a pressure field over a patch (Elandt et al. 2019; Masterjohn et al. 2022): both bodies push with a
/// pressure that grows with depth, and meet where the pressures are equal.
namespace mechane::collision {

/// How two stiffnesses ka and kb [N/m^3] make that of a pair. Series is what equal pressures give; the harmonic mean is
/// twice that, so that two bodies of one material keep its value.
enum class PairStiffness : std::uint8_t { harmonic_mean, series };

/// Pressure [Pa] at a signed depth [m] (negative inside) of a shape. Finite and never rising with the depth value;
/// above zero depth it must go on, negative, or the surface of equal pressure would end there. Called from many
/// threads.
struct PressureLaw {
    double (*law)(double signed_depth, std::int32_t shape, const void* data) = nullptr;  ///< null: none of one's own
    const void* data                                                         = nullptr;  ///< given back to the law
};

/// Names and defaults are Newton's. Both shapes of a pair need the flag `hydroelastic`.
struct HydroelasticOptions {
    /// Few contacts stand for the faces of a patch; off: each face is a contact.
    bool reduce_contacts    = true;
    bool pre_prune_contacts = true;  ///< of open faces only the nearest of a voxel counts, not that of each normal bin
    PairStiffness pair_stiffness = PairStiffness::harmonic_mean;
    PressureLaw   pressure{};                ///< none: -kh * depth
    double        mc_edge_clamp_min = 0.02;  ///< least part of an edge on either side of the surface, ratio 0..0.5
    bool   normal_matching = true;   ///< contacts push along the sum of their faces' forces, else along the strongest
    bool   anchor_contact  = false;  ///< one more contact for each bin, at its centre of pressure
    bool   moment_matching = false;  ///< scales friction to the moment of the whole patch; brings the anchor
    double margin_contact_area = 0.01;  ///< of a contact that is still open, for its stiffness [m^2]
    double buffer_fraction     = 1;     ///< share of the room for faces of one pair, above 0 up to 1
    double buffer_mult_contact = 1;     ///< factor of the same room, dimensionless, at least 0.001
    /// Keeps the faces for `CollisionPipeline::contact_surface`; costs memory, and changes no contact.
    bool output_contact_surface = false;
};

/// One triangle of a contact surface.
/// For drawing, and for sensors of pressure.
struct ContactFace {
    std::array<Vec3d, 3> points;        ///< in the world [m]
    double               distance = 0;  ///< sum of both signed depths there [m]
    std::int32_t         shape0 = -1, shape1 = -1;
};

}  // namespace mechane::collision
