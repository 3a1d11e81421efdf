#pragma once
// The building blocks of collision under one name: link mechane::mechane.
#include "mechane/collision/broad_phase.h"
#include "mechane/collision/gjk.h"
#include "mechane/collision/hydroelastic.h"
#include "mechane/collision/narrow_phase.h"
#include "mechane/collision/primitives.h"
#include "mechane/collision/support_map.h"

namespace mechane::geometry {

using collision::BroadPhaseAllPairs;
using collision::BroadPhaseExplicit;
using collision::BroadPhaseSAP;
using collision::BroadPhaseTree;
using collision::NarrowPhase;

/// Contact as a pressure field over a patch: its settings.
struct HydroelasticSDF {
    using Config = collision::HydroelasticOptions;
};

// Convex shapes of one's own, known by a support map.
using collision::create_solve_closest_distance;
using collision::create_solve_convex_multi_contact;
using collision::create_solve_mpr;

using collision::collide_box_box;
using collision::collide_capsule_box;
using collision::collide_capsule_capsule;
using collision::collide_plane_box;
using collision::collide_plane_capsule;
using collision::collide_plane_cylinder;
using collision::collide_plane_ellipsoid;
using collision::collide_plane_sphere;
using collision::collide_sphere_box;
using collision::collide_sphere_capsule;
using collision::collide_sphere_cylinder;
using collision::collide_sphere_sphere;

}  // namespace mechane::geometry
