#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "mechane/math/mat.h"
#include "mechane/math/real.h"
#include "mechane/math/vec.h"

// Large islands of bodies that hang in no tree of several links. Eight pairs of bodies lie side by side in a bundle,
// one in each lane, and are solved at once; no body that moves is in two of them (spec "dynamics", 5.5.1). Bundles of
// one colour share no such body either, so that their order is free.

namespace mechane::solvers::softstep {

struct ContactRow;
struct Island;
struct Softness;
struct System;

inline constexpr int kWide       = 8;
inline constexpr int kPairPoints = 4;  ///< of a pair in one bundle; a pair of more points is in several

/// One number of each of eight pairs.
using Wide [[gnu::vector_size(kWide * sizeof(Real)), gnu::aligned(32)]] = Real;
/// The same as truth: all bits of a lane or none.
using WideMask = decltype(Wide{} < Wide{});

template <std::size_t count>
struct Wides {
    Wide                               number[count];
    [[gnu::always_inline]] Wide&       operator[](std::size_t i) { return number[i]; }
    [[gnu::always_inline]] const Wide& operator[](std::size_t i) const { return number[i]; }
};
using Wide3 = Wides<3>;
/// Symmetric: xx, xy, xz, yy, yz, zz.
using Wide6 = Wides<6>;

/// What sweeps read of a point of each of eight pairs. Rates and impulses are along the normal and two tangents.
struct PilePoint {
    std::array<Wide3, 2> arm;       ///< from the centres of mass to the surface points, world axes [m]
    Wide3                lambda;    ///< [N s]
    Wides<2>             belt;      ///< tangential velocity of the surfaces themselves [m/s]
    Wides<2>             drift;     ///< tangential creep since the contact began to stick [m]
    Wides<5>             response;  ///< nn, n1, n2, 11, 22 [1/kg]
    Wides<3>             inverse;   ///< of the tangents' block: 11, 12, 22
    Wide                 distance, bias, mass, slip_step, mu;
};

/// Friction against turning of a point (ContactRow): along the normal, and a disk of the two tangents.
struct PileSpin {
    Wide3 lambda;
    Wide  torsional, rolling;  ///< [m]
    Wide  belt;                ///< turn of the surfaces about the normal [rad/s]
};

/// What a step knows of such points from its start on, and what sub-steps keep of them.
struct PileStart {
    std::array<Wide3, 2>           arm;   ///< to the core points, at the start [m]
    std::array<Wide3, 2>           core;  ///< core points about the centres of mass, body axes [m]
    Wides<2>                       margin;
    Wide                           distance, mu_static, mu_dynamic, restitution;
    Wide                           bounce;       ///< rebound speed asked for, 0: none
    Wide3                          impulse_sum;  ///< of the sub-steps so far
    std::array<ContactRow*, kWide> row{};
};

/// Eight pairs.
struct Bundle {
    std::array<std::array<std::int32_t, kWide>, 2> body{};  ///< Pile::velocity
    std::array<Wide3, 3>                           axes;    ///< normal and tangents
    Wides<2>                                       inverse_mass;
    std::array<Wide6, 2>                           inverse_inertia;  ///< world axes
    Wide                                           lighter;          ///< mass of the lighter body [kg]
    // Response of the rows against turning: about the normal, the tangents' block inverted, and the step of a row that
    // turns on.
    Wide         spin_mass, spin_step;
    Wides<3>     spin_inverse, spin_response;
    std::int32_t point = 0, points = 0;  ///< in Pile::points
    std::int32_t spin = -1;              ///< in Pile::spins, a row for each point; -1: none
    bool         idle = false;           ///< relax sweeps have nothing to do here
};

struct Pile {
    std::vector<std::int32_t> links;       ///< by body of the pile: those that move
    std::vector<std::int32_t> prescribed;  ///< and those that do not, after them; -1: the world
    std::vector<Bundle>       bundles;     ///< colour by colour
    std::vector<PilePoint>    points;
    std::vector<PileStart>    starts;
    std::vector<PileSpin>     spins;
    /// Eight numbers for each body, of which six are its velocity: now, before the sub-step, and predicted.
    std::vector<Real> velocity, before, predicted;
    /// Twenty-four for each, of which 18 are its way and turn (less one) since the start of the step, and its inverse
    /// inertia.
    std::vector<Real>   moved;
    std::vector<Vec3d>  start_centre;  ///< per body, world
    std::vector<Mat33d> start_turn;
    // Scratch of choosing.
    std::vector<std::uint64_t> taken;  ///< per body: colours that it has
    struct Pair {
        std::uint64_t               order = 0;  ///< colour and kind, then the contacts' own order
        std::array<std::int32_t, 2> body{};
        std::int32_t                row = 0, points = 0;  ///< in System::order
    };
    std::vector<Pair> pairs;
};

/// So that later steps need not allocate.
void reserve_piles(System& system);
/// Decides which islands are worked on so (Island::pile), and makes their bundles.
void choose_piles(System& system);
/// Rows at the velocities and poses of this sub-step, after the groups were predicted.
void build_pile(System& system, Pile& pile, const Softness& soft, double h);
/// Velocities of the bodies that move, from Motion::v.
void load_velocities(const System& system, Pile& pile);
void warm_start_pile(Pile& pile);
/// Returns the largest change of a rate [m/s, rad/s].
double sweep_pile(Pile& pile, const Softness& soft, double anchor, bool relax, bool backwards);
/// After positions moved: new distances and drifts; whether something rebounds.
bool advance_pile(Pile& pile, double h);
void bounce_pile(Pile& pile, bool backwards);
/// Velocities of the bodies into Motion::v.
void publish_pile(System& system, Pile& pile);
/// Impulses of the sub-step are summed.
void sum_pile(Pile& pile);
/// What the step found, into the rows.
void store_pile(Pile& pile);

}  // namespace mechane::solvers::softstep
