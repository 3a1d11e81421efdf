#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "mechane/geometry/mass.h"
#include "mechane/physics/mass.h"
#include "mechane/resolve/resolver.h"

namespace mechane::resolve {

/// Solid properties at unit density of a mesh collider's collision geometry, in its shape frame, stage units [L^3, L,
/// L^5]. The importer gives the hull or hull set that collides; without it, or where it answers nothing, the built-in
/// rule is used: the mesh itself, or its hull, box or sphere by approximation.
using MeshSolid = std::function<std::optional<geometry::MassProperties>(const physics::Collider&)>;

struct MassOptions {
    physics::UnitScale scale{};                 ///< of the answers; where stage units are kept it is 1, 1
    double             default_density = 1000;  ///< kg/m^3 in the units of the answers, for bodies without MassAPI
    /// What the stage's numbers mean where the mass computer needs it (default density, small sphere). Unset: `scale`,
    /// or with masses_in_openusd_units those of the model, which are OpenUSD's.
    std::optional<physics::UnitScale> stage_units{};
    Rules                             rules{};
    MeshSolid                         mesh_solid{};   ///< called from several threads
    physics::ReadLog*                 log = nullptr;  ///< receives what became of authored mass properties; may be null
    int                               threads = 0;    ///< 0: all cores; the answers do not depend on it
};

/// Mass properties of one body in its (scale-free) frame, SI.
struct BodyMassProperties {
    double mass = 0;   ///< kg
    Vec3d  com;        ///< m
    Mat33d inertia{};  ///< about com, body axes [kg m^2]
    std::string_view
         rule;  ///< which rung of the ladder gave the inertia: "newton:inertia", "diagonalInertia", "computed",
                ///< "scaled from shapes", "shapes", "small sphere", "sphere of default density", "defaulted", "none"
    bool computer_used = false;
};

struct MassTable {
    std::vector<BodyMassProperties> bodies;            ///< one for each PhysicsModel::bodies
    std::vector<double>             collider_density;  ///< accumulation density of each collider [kg/m^3]; 0 for none
    std::vector<bool>               collider_shell;    ///< collider is a shell of some thickness
    int                             mass_computer_calls = 0;
};

/// The per-body ladder of docs/importer.md.
MassTable compute_masses(const physics::PhysicsModel& model, const ResolverList& resolvers, const MassOptions& options,
                         Diagnostics& found);

/// Unit-density solid of a collider in its shape frame, stage units; nothing when it has no volume (plane, custom,
/// invalid). `authored_mesh`: take mesh colliders as they are authored, whatever their approximation, closed or not, as
/// OpenUSD's and Newton's callers do.
std::optional<geometry::MassProperties> collider_solid(const physics::Collider& collider, bool authored_mesh,
                                                       Diagnostics& found);

/// The callback for physics::compute_mass that answers from collider_solid. With `authored_mesh` a collider without a
/// volume has the volume zero, else an unknown one.
physics::MassInfo mass_info(const physics::Collider& collider, bool authored_mesh, Diagnostics& found);

}  // namespace mechane::resolve
