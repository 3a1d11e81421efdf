#pragma once
#include <vector>

#include "solvers/shared/contacts.h"

namespace mechane::solvers::shared {

/// Force of a penalty contact on body 1 [N], world axes; the opposite acts on body 0.
///
/// With depth p = -distance, approach speed u and slip v (tangent velocity of body 1 against body 0):
///   normal     ke p + kd max(u, 0) while p > 0; -ke distance (a pull) while 0 <= distance < ka
///   tangent    -kf v, or -mu N v/|v| where that is less; N is the normal force
/// the law of Newton 1.8's `eval_body_contact`.
Vec3d penalty_force(const ContactPoint& c, const ContactPlace& at, const Bodies& bodies);

/// Adds the forces of all contacts to the bodies, and each one times `weight` to `force_on_1` [contacts].
void add_penalty_contacts(const std::vector<ContactPoint>& contacts, double weight, Bodies& bodies,
                          std::vector<Vec3d>& force_on_1);

}  // namespace mechane::solvers::shared
