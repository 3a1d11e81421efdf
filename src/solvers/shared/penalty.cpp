// Contacts as springs and dampers, for `semi-implicit` and `featherstone`: the law of Newton 1.8 (`eval_body_contact`).
//
//     penetrating, d < 0      N = -ke d + kd max(-v_n, 0)                    along the normal, apart
//                             T = -min(kf, mu N / |v_t|) v_t                 viscous, then Coulomb
//     near, 0 <= d < ka       a pull of ke d, without damping and friction
//
// d         distance of the surfaces [m]; n  normal from body 0 to body 1
// v_n, v_t  normal and tangential velocity of body 1 against body 0 [m/s], motion of belts included
// ke, kd    stiffness [N/m] and damping [N s/m]; kf  friction gain [N s/m]; mu  coefficient; ka  adhesion distance [m]

#include "solvers/shared/penalty.h"

#include <algorithm>
#include <cmath>

namespace mechane::solvers::shared {

Vec3d penalty_force(const ContactPoint& c, const ContactPlace& at, const Bodies& bodies)
{
    const PairMaterial& m = c.material;
    // Between touch and ka the spring pulls, without damping and friction.
    if (at.distance >= m.ka && !(at.distance < 0)) return {};
    const Vec3d  v  = bodies.velocity_at(c.body[1], at.r[1]) - bodies.velocity_at(c.body[0], at.r[0]) + c.belt.linear;
    const double vn = dot(c.n, v);
    if (!(at.distance < 0)) return -m.ke * at.distance * c.n;
    const double normal = -m.ke * at.distance + m.kd * std::max(-vn, 0.0);
    Vec3d        out    = normal * c.n;
    const double most   = m.mu * normal;
    if (most <= 0 || m.kf <= 0) return out;
    const Vec3d  slip  = v - vn * c.n;
    const double speed = length(slip);
    // Viscous below the cone, Coulomb above: the switch is exact, so nothing divides by a speed of zero.
    return out - (m.kf * speed > most ? most / speed : m.kf) * slip;
}

void add_penalty_contacts(const std::vector<ContactPoint>& contacts, double weight, Bodies& bodies,
                          std::vector<Vec3d>& force_on_1)
{
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const ContactPoint& c  = contacts[i];
        const ContactPlace  at = place_contact(c, bodies);
        const Vec3d         f  = penalty_force(c, at, bodies);
        if (f == Vec3d{}) continue;
        bodies.add_force(c.body[1], f, cross(at.r[1], f));
        bodies.add_force(c.body[0], -f, -cross(at.r[0], f));
        force_on_1[i] += weight * f;
    }
}

}  // namespace mechane::solvers::shared
