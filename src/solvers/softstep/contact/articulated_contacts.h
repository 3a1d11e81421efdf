#pragma once
#include "solvers/softstep/contact/contact_rows.h"

namespace mechane::solvers::softstep {

/// Whether the group's loops move the link to where they close before contacts are built.
bool in_loops(const Mechanism& system, std::int32_t link);
/// Contacts that are farther make no row: what bodies may gain in one substep on top of their speed is bounded by a
/// generous metre a second, so what is nearer than that needs no look at speeds. `p`: the surface points.
double reach(const Mechanism& system, const std::array<std::int32_t, 2>& body, const std::array<std::int32_t, 2>& link,
             const std::array<Vec3d, 2>& p, const Vec3d& n, double h);
/// Where a contact is in this substep, its distance and base velocities, as far as no rows are needed for that. False
/// where it is left out as too far. `core`: the points that ride with the bodies, `p`: the surface points. `first`: of
/// the step's substeps.
bool place_contact(Mechanism& system, ContactRow& row, double h, bool first, std::array<Vec3d, 2>& core,
                   std::array<Vec3d, 2>& p);
/// What makes no row in this substep.
void leave_out(ContactRow& row);
/// Which friction applies to a contact of trees, at its velocity before the substep (ContactRow::mu).
void choose_friction(const Mechanism& system, ContactRow& row, const std::array<Vec3d, 2>& p);
/// Whether a response is so small for the mass of the lighter link that `lacks_lever` has to be asked.
bool is_response_small(double K, double mass);
/// Whether the normal goes through what the links turn about. `K`: its response, `turning`: how impulses against turning
/// change the relative turn, the sum over n, t1, t2 [1 / (kg m^2)].
bool lacks_lever(const Mechanism& system, const ContactRow& row, const std::array<Vec3d, 2>& p, double K,
                 double turning);
/// `free`: where to put what its sweeps read, if `row.free`.
void build_contact(Mechanism& system, ContactRow& row, FreeContact* free, const Softness& soft, double h, bool first);
void warm_start_contact(Mechanism& system, ContactRow& row);
/// The rows against turning of a contact whose other rows are a FreeContact; `normal`: its normal impulse. Torsion is a
/// bounded row, rolling a block held to its disk; returns the largest change of a rate [rad/s].
void   warm_start_spin(Mechanism& system, ContactRow& row, double normal);
double solve_spin(Mechanism& system, ContactRow& row, double normal);
/// `anchor`: share of the drift that is taken back, a second.
double solve_contact(Mechanism& system, ContactRow& row, double anchor, bool relax);
/// After positions moved: new distance, drift.
void advance_contact(Mechanism& system, ContactRow& row, double h);
void bounce_contact(Mechanism& system, ContactRow& row);

}  // namespace mechane::solvers::softstep
