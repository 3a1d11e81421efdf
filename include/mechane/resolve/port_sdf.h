#pragma once
#include <cstddef>

#include "mechane/core/diagnostic.h"
#include "mechane/core/result.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"

namespace mechane::resolve {

/// Nothing is removed by default, so that other programs still find what they read.
struct PortOptions {
    /// What stands for a PhysX attribute that is not authored: nothing, or PhysX's own fallback.
    enum class Defaults { newton, physx };
    Defaults defaults      = Defaults::newton;
    bool     remove_source = false;  ///< delete the PhysX attributes that were ported, and their schema
};

/// Writes what PhysxSDFMeshCollisionAPI says of a collider's distance field in Newton's words:
/// offsets become contactMargin and contactGap, the resolution is copied, fractions of the size become lengths by the
/// diagonal of the collider's bounds in the world, and NewtonSDFCollisionAPI is applied. Doing it twice changes
/// nothing.
///
/// @param stage  what is read; bounds are those at the default time, of geometry with the default purpose
/// @param into   receives the opinions, by the paths of the stage: a copy of its root layer, or a layer over it
/// @return how many prims were ported
/// @error STAGE_EDIT_REFUSED; RESOLVE_PORT_NO_BOUND, RESOLVE_PORT_INSTANCE and RESOLVE_SDF_RES8 are reported in `found`
Result<std::size_t> port_physx_sdf_to_newton(const usd::Stage& stage, usd::Layer& into, const PortOptions& options,
                                             Diagnostics& found);

}  // namespace mechane::resolve
