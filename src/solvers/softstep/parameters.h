#pragma once

namespace mechane::solvers::softstep {

// Frequencies scale with the substep h, so that stiffness follows resolution.

inline constexpr double kContactHertzTimesStep = 0.25;  ///< contact_hertz = 0.25 / h: 120 Hz at 480 substeps a second
inline constexpr double kContactDampingRatio =
    10;  ///< over-damped push-out; below 2 a mass ratio of 1000 becomes unstable
inline constexpr double kPushVelocity =
    3;  ///< largest speed at which penetration and open joints are recovered [m/s, rad/s]
inline constexpr double kLimitHertzTimesStep  = 0.5;  ///< of limits without gains of their own
inline constexpr double kLimitDampingRatio    = 1;
inline constexpr double kRestitutionThreshold = 0.5;   ///< approach speed below which nothing bounces [m/s]
inline constexpr double kStickSpeed           = 1e-3;  ///< below it static friction applies [m/s]
inline constexpr double kAnchorRate           = 0.1;   ///< share of a sticking contact's drift taken back per substep
inline constexpr double kMaxVelocity          = 1e3;   ///< bodies faster than this are slowed and counted [m/s, rad/s]
inline constexpr double kDivergedVelocity     = 1e6;   ///< a body this fast is taken for an explosion
inline constexpr int    kRestitutionSweeps    = 4;
inline constexpr int    kSweeps       = 4;   ///< at most, with bias and again without; a stack of ten wobbles with one
inline constexpr int    kImpactSweeps = 10;  ///< at most while rows still change by kImpactChange: flat impacts
inline constexpr int    kExtraRelaxations = 10;    ///< of sweeps without bias more, while contacts have done work
inline constexpr double kSweepChange      = 5e-5;  ///< sweeps end when no row changes its velocity by more [m/s, rad/s]
inline constexpr double kImpactChange     = 1e-3;  ///< [m/s, rad/s]
inline constexpr int    kDirectIslandRows = 48;    ///< islands of so many rows at most, a contact counting as one, ...
inline constexpr double kDirectMassRatio  = 50;    ///< ... and with masses more different than this are solved directly
inline constexpr double kRigidMassRatio   = 100;   ///< from here on their contacts are rigid; at kDirectMassRatio soft,
inline constexpr int    kRigidIslandRows  = 32;    ///< with more rows softer, at kDirectIslandRows as soft as in sweeps
inline constexpr int    kDirectPivots     = 10;    ///< changes of the active sets before sweeps take over
inline constexpr double kDirectBias       = 0.2;  ///< share of a penetration that a direct solve takes back per substep
inline constexpr int    kClosingPasses    = 2;    ///< Newton steps that close loops at the end of a step
inline constexpr int    kMaxDriveRounds   = 3;    ///< rounds in which drives may saturate or let go within a substep

/// Rounding of a velocity beyond it hides what limits and contacts leave of it [m/s, rad/s].
inline constexpr double kLostVelocity = 1e12;

/// Turn of a link within a substep above which its tree's velocity forces are those of the middle of it [rad]. Two
/// swinging chains keep their energy 4 and 18 times as well; what hardly moves is spared the second evaluation.
inline constexpr double kSpin = 0.001;

/// Contacts that are no farther apart than this share of the smaller shape's radius touch, as to how many of a pair do.
inline constexpr double kTouching = 1e-3;

/// What the turn of a body must add to the rate of a contact in half a substep to count [m/s].
inline constexpr double kLeastArc = 1e-6;

inline constexpr double kSleepLinear  = 0.05;  ///< an island below these for kSleepTime sleeps [m/s]
inline constexpr double kSleepAngular = 0.15;  ///< [rad/s]
inline constexpr double kSleepTime    = 0.5;   ///< [s]
inline constexpr double kWakeReach    = 1e-3;  ///< a contact nearer than this joins what sleeps to what is awake [m]

/// Coefficients of a soft row (Catto, "Solver2D", 2024): a mass-spring-damper of angular frequency w and damping ratio
/// z, integrated implicitly over h.
struct Softness {
    double bias_rate = 0, mass_scale = 1, impulse_scale = 0;
};
constexpr Softness softness(double hertz, double damping_ratio, double h)
{
    const double w  = 2 * 3.14159265358979323846 * hertz;
    const double a1 = 2 * damping_ratio + h * w;
    const double a2 = h * w * a1;
    const double a3 = 1 / (1 + a2);
    return {w / a1, a2 * a3, a3};
}

/// The soft row with a part of a rigid one in its place, which gives back a share of a penetration per substep.
/// @param rigidity  0: as it is, 1: rigid
constexpr Softness stiffened(const Softness& soft, double rigidity, double h)
{
    const double leak = (1 - rigidity) * soft.impulse_scale / soft.mass_scale;
    return {rigidity * kDirectBias / h + (1 - rigidity) * soft.bias_rate, 1 / (1 + leak), leak / (1 + leak)};
}

/// Which islands have rigid contacts (`rigid_islands`).
enum class RigidIslands : unsigned char { automatic, never, always };

/// Alternating the direction keeps long stacks from leaning to the side that is always solved last.
constexpr bool is_backwards(int substep, int sweep) { return ((substep & 1) != 0) != ((sweep & 1) != 0); }

}  // namespace mechane::solvers::softstep
