#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "mechane/math/mat.h"
#include "mechane/math/pose.h"
#include "mechane/math/real.h"
#include "mechane/math/simd.h"
#include "mechane/math/vec.h"
#include "mechane/model/contacts.h"
#include "mechane/solvers/solver.h"
#include "solvers/softstep/parameters.h"

// Large islands of bodies that hang in no tree of several links. Eight pairs of bodies lie side by side in a packet,
// one in each lane, and are solved at once; no body that moves is in two of them. Packets of
// one colour share no such body either, so that their order is free. Their contacts go from the caller's buffer into
// the packets and back, without a ContactRow.

namespace mechane::tasks {
class Pool;
}
namespace mechane::dynamics {
struct Tree;
}

namespace mechane::solvers::softstep {

struct Island;
struct IslandReport;
struct Materials;
struct ContactMemory;
struct System;

inline constexpr int kWide       = 8;
inline constexpr int kPairPoints = 4;  ///< of a pair in one packet; a pair of more points is in several

/// One number of each of eight pairs.
using Wide     = simd::Pack<Real, kWide>;
using WideMask = simd::Mask<Wide>;
template <std::size_t count>
using Wides = simd::Packs<Wide, count>;
using Wide3 = Wides<3>;
/// Symmetric: xx, xy, xz, yy, yz, zz.
using Wide6 = Wides<6>;

/// What sweeps read of a point of each of eight pairs. Rates and impulses are along the normal and two tangents.
struct PacketPoint {
    std::array<Wide3, 2> arm;       ///< from the centres of mass to the surface points, world axes [m]
    Wide3                lambda;    ///< [N s]
    Wide3                base;      ///< of the surfaces themselves, and of what turns away from its rows [m/s]
    Wides<2>             drift;     ///< tangential creep since the contact began to stick [m]
    Wides<5>             K;         ///< nn, n1, n2, 11, 22 [1/kg]
    Wides<3>             inverse;   ///< of the tangents' block: 11, 12, 22
    Wide                 distance, push, mass, slip_step, mu;  ///< push: largest speed of recovery [m/s]
};

/// Normal and tangents.
using PacketAxes = std::array<Wide3, 3>;

/// Friction against turning of a point (ContactRow): along the normal, and a disk of the two tangents.
struct PacketSpin {
    Wide3 lambda, impulse_sum;  ///< [N m s]; of the substeps so far
    Wide  torsional, rolling;  ///< [m]
    Wide  belt;                ///< turn of the surfaces about the normal [rad/s]
    // Of the rows: about the normal, the tangents' block inverted, and the step of a row that turns on.
    Wide     mass, step;
    Wides<3> inverse, K;  ///< K: nn, 11, 22
};

/// Of a point where a shape rolls (rolling.h), on one side. Zero where none does.
struct PacketRolls {
    Wide6 M;
    Wide3 toward;
};
using PacketRolling = std::array<PacketRolls, 2>;

/// What a step knows of such points from its start on, and what substeps keep of them.
struct PacketStart {
    std::array<Wide3, 2> arm;   ///< to the core points, at the start [m]
    std::array<Wide3, 2> core;  ///< core points, of what rolls centres, about the centres of mass, body axes [m]
    Wides<2>             margin;
    Wides<2>             belt;  ///< tangential velocity of the surfaces themselves [m/s]
    Wide                 distance;
    Wide                 bounce;       ///< rebound speed asked for, 0: none
    Wide3                impulse_sum;  ///< of the substeps so far
};

/// Eight pairs.
struct Packet {
    std::array<std::array<std::int32_t, kWide>, 2> body{};  ///< ContactBatch::velocity
    Wides<2>                                       inverse_mass;
    std::array<Wide6, 2>                           inverse_inertia;  ///< world axes
    Wide                                           mu_static, mu_dynamic, restitution;

    std::int32_t point = 0, points = 0;    ///< in ContactBatch::points
    std::int32_t axes = 0, turn_axes = 0;  ///< in ContactBatch::axes; 1: each point has its own
    std::int32_t spin    = -1;             ///< in ContactBatch::spins, a row for each point; -1: none
    std::int32_t rolling = -1;             ///< in ContactBatch::rollings, likewise
    bool         idle    = false;          ///< relax sweeps have nothing to do here
    bool         one     = false;          ///< no first body moves
    bool         bounces = false;          ///< some point rebounds in this substep
};

/// Up to four contacts of two bodies.
struct BatchPair {
    std::array<std::int32_t, 2> body{};                   ///< of the batch; the first may stand still, the second moves
    std::int32_t                contact = 0, points = 0;  ///< rows of the caller's buffer
    std::uint32_t               order   = 0;              ///< colour and kind
    Real                        turning = 0;              ///< ContactRun::turning
    bool                        turned = false;  ///< the first body is the second shape's, and the axes are turned
    bool                        distinct_normals    = false;  ///< normals differ
    bool                        driven = false;  ///< by the motion of a prescribed body or of a surface
    bool                        rolls  = false;  ///< a shape of the two can
};

/// What steps read of a free body, in one place.
struct BatchLink {
    std::int32_t tree = 0, world = 0;
    std::int32_t coord = 0, dof = 0;              ///< in Motion::q and Motion::v
    std::int32_t joint_coord = 0, joint_dof = 0;  ///< in the model's joint_q and joint_qd
    bool         is_pose      = false;            ///< its joint's coordinates are its pose in the world
    bool         gyrates      = false;            ///< its moments of inertia differ
    double       inverse_mass = 0;                ///< [1/kg]
    Vec3d        com;                             ///< body frame [m]
    Mat33d       inertia{}, inverse_inertia{};    ///< body axes
};

/// What contacts ask of a body.
struct BodySlot {
    Vec3 centre;              ///< of mass, in the body's frame
    bool teleported = false;  ///< since the last step
};

/// Colours that a body's pairs have, of 64 from `window` on; those before are not given any more.
struct TakenColours {
    std::uint32_t window  = 0;
    std::uint64_t colours = 0;
};

/// What the contacts of an island did in a substep.
struct BatchWork {
    double before = 0, after = 0, change = 0;  ///< twice the energies: at the velocities, and at their difference [J]
    Real   keep   = 1;                         ///< share of the impulses that is left
    bool   driven = false;                     ///< something prescribed moves it
};

struct ContactBatch {
    std::vector<std::int32_t> links;       ///< by body of the batch: those that move
    std::vector<std::int32_t> prescribed;  ///< and those that do not, after them; -1: the world
    std::vector<BodySlot>     body_slots;       ///< by body of the batch: all of them
    std::vector<std::int32_t> runs;        ///< System::runs, island by island
    std::int64_t              rows = 0;    ///< of those, and bodies
    std::vector<BatchPair>     pairs;       ///< in the order of the runs
    std::vector<Packet>       packets;     ///< colour by colour
    std::vector<std::int32_t> slots;       ///< eight for each packet: the pair in each lane, -1: none
    std::vector<std::int32_t> colours;     ///< where each begins, and the end of the last
    std::vector<PacketAxes>     axes;
    std::vector<PacketPoint>    points;
    std::vector<PacketStart>    starts;
    std::vector<PacketSpin>     spins;
    std::vector<PacketRolling>  rollings;
    /// Eight numbers for each body: its velocity, and the last sweep of the substep that changed it by much. Now,
    /// before the substep, and as it would be without contacts (at the start of a substep what those of the last
    /// did).
    std::vector<Real> velocity, before, unconstrained;
    std::vector<Real> push;  ///< likewise: acceleration by gravity and loads
    /// Likewise: way of the centre of mass, turn (a quaternion) since the start of the step, and the angle turned since
    /// rows were built.
    std::vector<Real> displacement;
    /// Sixteen for each: rotation, inverse inertia (world), inverse mass.
    std::vector<Real>   pose;
    std::vector<Mat33d> prescribed_turn;                 ///< of the prescribed
    bool                elastic = false, turns = false;  ///< some pair rebounds; something turned much
    bool                swings = false;                  ///< PacketPoint::base has more than belts
    Real                longest = 0;                     ///< arm [m]
    double              row_age = 0;                     ///< since rows were built [s]
    /// What chunks of a loop over packets found.
    struct Part {
        Real         change = 0;
        std::int32_t solved = 0;
    };
    std::vector<Part> parts;
    bool              busy  = true;  ///< the last sweep solved most packets
    Real              least = 0;     ///< distance at the end of the step [m]
    // Scratch of choosing.
    std::vector<TakenColours> taken;  ///< per body
    std::vector<std::int32_t> place;  ///< per colour and kind: of its next pair in `slots`
    // Scratch of taking back work.
    std::vector<std::int32_t> set;    ///< per body: another of those it touches, itself for one of each island
    std::vector<BatchWork>     works;  ///< per body that is the one of its island

    [[nodiscard]] const PacketAxes& axes_of(const Packet& b, std::int32_t i) const
    { return axes[static_cast<std::size_t>(b.axes + i * b.turn_axes)]; }
    /// For another step.
    void clear()
    {
        for (auto* numbers : {&links, &runs}) numbers->clear();
        prescribed.assign(1, -1);
        body_slots.clear();
        pairs.clear();
        rows    = 0;
        elastic = turns = swings = false;
    }
};

/// Contacts of the same two shapes, one after the other in the caller's buffer.
inline constexpr Real kNothingTurns = std::numeric_limits<Real>::lowest();
struct ContactRun {
    std::int32_t                first = 0, count = 0, batch = -1;
    std::array<std::int32_t, 2> group{-1, -1};  ///< of their bodies, -1: does not move
    Real turning = kNothingTurns;  ///< contacts no farther than this resist turning: three resist it by their friction [m]
};

/// Groups that touch, as the contact buffer has it before there are islands.
struct GroupSet {
    std::int32_t rows = 0, groups = 0;
    std::int32_t runs     = 0;                    ///< then where they are in ContactBatch::runs
    double       lightest = 1e300, heaviest = 0;  ///< [kg]
    bool         fit = true;                      ///< all of it may be in a batch
};

/// What of a world is fit for batches, and the one that still takes more.
struct WorldBatches {
    std::int64_t rows = 0;
    std::int32_t batch = -1;
};

/// The batches of a step.
struct BatchStore {
    std::vector<ContactBatch>          batches;  ///< the first `batch_count` are of this step
    std::size_t                batch_count = 0;
    bool                       batches_fill = false;  ///< batches side by side keep all threads busy
    std::vector<ContactRun>    runs;                ///< of this step's contacts
    std::vector<GroupSet>      sets;                ///< per group that is the smallest of its set
    std::vector<WorldBatches>    world_batches;         ///< [world_count + 1], first the global world
    std::vector<std::int32_t>  group_batch;          ///< per group: its batch, or -1
    std::vector<std::int32_t>  batch_body;           ///< per group: place of its body in its batch
    bool                       rollers = false;     ///< some shape can roll (rolling.h)
    std::vector<BatchLink>      batch_links;          ///< per link; of those that hang in no tree of several links
};

/// So that later steps need not allocate.
void reserve_batches(System& system);
/// Decides which contacts are worked on so (ContactRun::batch), and makes their packets, after the contacts were matched
/// with the memory (System::remembered).
void choose_batches(System& system, const model::Contacts& contacts, MaterialCombine rule, double h);
/// As drop_far_contacts for rows: who lies on something that moves.
void disturb_batches(System& system, const model::Contacts& contacts, double dt);
/// All of a substep.
void run_batch_substep(System& system, Island& island, double h, int substep, IslandReport& report);
/// Poses and velocities of the bodies into the motion; counts rows.
void finish_batch(System& system, ContactBatch& batch, IslandReport& report);
/// Mean loads of the links over the step.
void add_batch_loads(System& system, const ContactBatch& batch, double h, double dt);
// -- batch_buffer.cpp
/// What the materials of any two shapes make together, where all shapes have the same.
[[nodiscard]] std::optional<Materials> common_materials(const model::Model& model, MaterialCombine rule);
/// What the contacts of packets [begin, end) say; returns whether some rebound.
bool load_packets(const System& system, const model::Contacts& contacts, MaterialCombine rule,
                  const std::optional<Materials>& common, double h, ContactBatch& batch, std::size_t begin, std::size_t end);
/// Marks the contacts that the next step will remember (1).
void mark_memory(const System& system, const ContactBatch& batch, std::vector<std::int32_t>& marks);
/// Forces into the contact arrays, and what the next step remembers into `memory`, each contact at its `place`.
void store_batch(const System& system, const ContactBatch& batch, model::Contacts& contacts, double h, int substeps,
                const std::vector<std::int32_t>& place, std::vector<ContactMemory>& memory);

// -- batch_bodies.cpp
/// The bodies at the start of a step; those that turn by themselves have done so for the first substep in
/// ContactBatch::velocity.
void start_bodies(const System& system, ContactBatch& batch, double h);
/// What a body's rows ask of it, where no impulse moves it; `R`: its rotation.
void pose_prescribed(ContactBatch& batch, std::size_t body, const Mat33d& R);
/// Poses and velocities of the bodies into the motion.
void finish_bodies(System& system, const ContactBatch& batch);
// -- batch_build.cpp, batch_sweeps.cpp
/// Rows at the present poses; `first`: of the step.
void build_packets(ContactBatch& batch, bool first, const tasks::Pool* pool);
/// Which rows rebound.
void meet_batch(ContactBatch& batch, double h, const tasks::Pool* pool);
void warm_start_batch(ContactBatch& batch, const tasks::Pool* pool);
/// Where the impulses of the substep before are handed on body by body: friction against turning that the normal
/// forces do not bear any more is taken back. Of the rest the sweeps take care, which leave alone what is not pressed.
void hold_spins(ContactBatch& batch, const tasks::Pool* pool);
/// One of the substep's sweeps, which are numbered from 1 on; `first`: of its kind, it solves what no sweep has
/// changed by `still` lately, too.
struct BatchSweep {
    double   h = 0, anchor = 0, still = 0;
    Softness soft;
    bool   relax = false, backwards = false, first = false;
    int    number = 1;
};
/// The base rates of this substep's rows: what the bodies of a point turn away from rows that are older than it, and
/// the arc on which what carries goes on (arc_rate). `velocity`: before the substep.
void follow_turns(ContactBatch& batch, const std::vector<Real>& velocity, double h, const tasks::Pool* pool);
/// Returns the largest change of a rate [m/s, rad/s].
double sweep_batch(ContactBatch& batch, const BatchSweep& sweep, const tasks::Pool* pool);
/// After positions moved: new distances and drifts; whether something rebounds.
bool advance_batch(ContactBatch& batch, double h, const tasks::Pool* pool);
void bounce_batch(ContactBatch& batch, bool backwards, const tasks::Pool* pool);
/// Velocities after loads alone; `keep_push`: and what the contacts of the substep before did (ContactBatch::unconstrained).
void predict_bodies(ContactBatch& batch, double h, bool keep_push);
/// Positions at the velocities; returns how many bodies were slowed down.
int  move_bodies(ContactBatch& batch, double h);
void sum_batch(ContactBatch& batch, const tasks::Pool* pool);

}  // namespace mechane::solvers::softstep
