#pragma once
#include <vector>

#include "solvers/shared/contacts.h"
#include "solvers/xpbd/corrections.h"

namespace mechane::solvers::xpbd {

/// What one pass gives a contact: an impulse on body 1 [N s] and a torque impulse about no point [N m s].
struct ContactImpulse {
    Vec3d on_1, turn_1;
    bool  active = false;
};
/// One pass over a contact: normal, sliding friction, torsion, rolling. The impulse's parts are written about each
/// centre of mass into `out`, unless it is inactive.
ContactImpulse solve_contact(const shared::ContactPoint& c, const shared::Bodies& bodies, double relaxation, double h,
                             Spatiald& on_0, Spatiald& on_1);

/// Impacts: what touched in the step and came faster than it could have fallen within two steps leaves with
/// e times its approach.
class Restitution {
  public:
    /// Remembers velocities and places before positions are corrected.
    void begin(const std::vector<shared::ContactPoint>& contacts, const shared::Bodies& bodies, double h);
    void touched(std::size_t contact) { active_[contact] = 1; }
    /// Velocities after the impacts.
    /// @param rounds  passes that couple the pairs of bodies
    /// @param keeps   what a pair exchanges is divided for both by the larger number of pairs of the two, which keeps
    ///                their momentum; else for each body by its own number
    void finish(const std::vector<shared::ContactPoint>& contacts, int rounds, bool keeps, shared::Bodies& bodies);

  private:
    struct Impact {
        std::size_t contact = 0;
        Vec3d       r[2];
        double      target = 0, mass = 0, given = 0;
    };
    std::vector<Impact>       impacts_;  ///< those of a pair of bodies side by side
    std::vector<Vec3d>        r_;        ///< two per contact
    std::vector<double>       target_;   ///< per contact, negative: none
    std::vector<std::uint8_t> active_;
    std::vector<Spatiald>     change_, own_;
    std::vector<std::int32_t> pairs_;
};

}  // namespace mechane::solvers::xpbd
