#pragma once
#include "solvers/softstep/contact/contact_rows.h"

namespace mechane::solvers::softstep {

/// Rows and responses (row.K) of a contact at the surface points `p`; `row.base` must be there.
void build_free(const Mechanism& system, ContactRow& row, const std::array<Vec3d, 2>& p, FreeContact& free);
/// Everything else, from the finished row; and what the sweeps found, back.
void load_free(const ContactRow& row, FreeContact& free);
void store_free(const FreeContact& free, ContactRow& row);
/// Relative velocity along n, t1, t2, from Mechanism::u or previous_u.
Along<double> free_rates(std::vector<double>& u, const FreeContact& free);
// As their namesakes of articulated_contacts.h.
void   warm_start_free(Mechanism& system, FreeContact& free);
double solve_free(Mechanism& system, FreeContact& free, const Softness& soft, double anchor, double inverse_h, bool relax);
void   advance_free(Mechanism& system, FreeContact& free, double h);
void   bounce_free(Mechanism& system, FreeContact& free, double bounce);

}  // namespace mechane::solvers::softstep
