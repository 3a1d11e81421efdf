#pragma once
#include "mechane/model/contacts.h"

namespace mechane::solvers::softstep {

/// The one test of what a caller's row may be: numbers that are finite and a normal that names a direction. It need not
/// be unit to the last bit, but one shorter than a half is no normal. Other rows push nothing.
inline bool is_usable(const model::Contacts& c, std::size_t i)
{
    const Vec3 &n = c.rigid_contact_normal[i], &p = c.rigid_contact_point0[i], &q = c.rigid_contact_point1[i];
    // Zero times what is not finite is not zero.
    const Real none = (0 * n.x + 0 * n.y + 0 * n.z) + (0 * p.x + 0 * p.y + 0 * p.z) + (0 * q.x + 0 * q.y + 0 * q.z) +
                      0 * c.rigid_contact_distance[i];
    return (none == 0) & (length_squared(n) > Real(0.25));
}

}  // namespace mechane::solvers::softstep
