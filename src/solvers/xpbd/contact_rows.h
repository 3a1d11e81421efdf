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
/// @param start  how far its two points are apart across the normal as the step begins, see `slide_at_start`
/// @param since  time since the step began [s]; a step has several substeps of `h`, and finds contacts once
ContactImpulse solve_contact(const shared::ContactPoint& c, const shared::Bodies& bodies, double relaxation, double h,
                             const Vec3d& start, double since, Spatiald& on_0, Spatiald& on_1);
/// Contacts that are kept over steps hold what their points have slid before. Friction takes that back, but not where
/// a surface moves by itself: there the way of each step counts alone. Zero for all other contacts.
Vec3d slide_at_start(const shared::ContactPoint& c, const shared::Bodies& bodies);

/// Velocities of what touched in the step, as in Newton 1.8. What came faster than it could have fallen within two
/// steps leaves with e times its approach; what went apart that fast goes on as fast; anything else comes to rest.
/// Positions that were pushed out of each other may have made bodies faster than that, and what they did is taken back.
class Restitution {
  public:
    /// Remembers velocities and places before positions are corrected.
    void begin(const std::vector<shared::ContactPoint>& contacts, const shared::Bodies& bodies, double h);
    void touched(std::size_t contact) { active_[contact] = 1; }
    /// Velocities after the impacts.
    /// @param rounds  passes that couple the pairs of bodies
    /// @param keeps   impacts of all pairs are solved together, which keeps momentum, and with e = 1 energy; else pair
    ///                by pair as in Newton 1.8, and each body takes the mean over its pairs
    void finish(const std::vector<shared::ContactPoint>& contacts, int rounds, bool keeps, shared::Bodies& bodies);

  private:
    struct Impact {
        std::size_t contact = 0;
        Vec3d       r[2];
        double      target = 0, slow = 0;  ///< along the normal [m/s]; below `slow` a target of 0 is reached
        double      mass  = 0;             ///< inverse effective mass [1/kg]
        double      given = 0, least = 0;  ///< impulse of this round, and its lower bound [N s]
    };
    /// The impacts of a pair of bodies, and how their solution changes its velocities.
    struct Pair {
        std::size_t begin = 0, end = 0;
        Spatiald    change[2];
        bool        fired = false;
    };
    void sweep_all(const std::vector<shared::ContactPoint>& contacts, int sweeps, shared::Bodies& bodies) const;
    /// Solves the impacts of a pair by sweeps from the velocities that there are.
    void solve(const std::vector<shared::ContactPoint>& contacts, bool first, const shared::Bodies& bodies, Pair& pair);

    std::vector<Impact>       impacts_;        ///< those of a pair of bodies side by side
    std::vector<Vec3d>        r_;              ///< two per contact
    std::vector<double>       target_, slow_;  ///< per contact [m/s]
    std::vector<std::uint8_t> active_;
    std::vector<Pair>         pairs_;
    std::vector<Spatiald>     change_;
    std::vector<std::int32_t> count_;  ///< per body: pairs that exchange something in this round
};

}  // namespace mechane::solvers::xpbd
