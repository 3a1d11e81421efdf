#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "block_solve.h"
#include "mechane/dynamics/articulated.h"
#include "mechane/dynamics/forest.h"
#include "mechane/dynamics/forward_dynamics.h"
#include "mechane/dynamics/four_trees.h"
#include "mechane/dynamics/paths.h"
#include "mechane/math/lanes.h"
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/solvers/materials.h"
#include "mechane/tasks/parallel.h"
#include "parameters.h"
#include "pile.h"

// How softstep sees a model. All computation is in double whatever Real is: mass ratios of a thousand, loops, and
// scenes far from the origin then need no special care. State is narrowed once a step.
//
//   tree    reduced coordinates, no joint error (dynamics/forest.h)
//   group   trees tied by loop joints or mimic relations. Those rows are eliminated, not iterated: every response to an
//   impulse is
//           computed with the inverse mass matrix of the closed mechanism, so a contact can never open a loop.
//   island  groups that touch; the unit of parallel work. An island runs through all substeps on its own.

namespace mechane::solvers::softstep {

using dynamics::Forest;
using dynamics::Link;
using dynamics::Motion;
using dynamics::Tree;

/// What the laws of dofs were read from: a copy of the model's arrays and the commands.
struct LawSources {
    bool                              known = false;
    std::array<std::vector<Real>, 16> numbers;
    std::vector<model::TargetMode>    modes;
    std::vector<model::DriveType>     types;
    /// The positions commanded, in the model's layout.
    [[nodiscard]] const std::vector<Real>& target_q() const { return numbers.front(); }
};

/// What acts on one dof of a tree, read from the model at the start of each step.
struct DofLaw {
    double armature = 0, friction = 0, damping = 0, stiffness = 0;
    double ke = 0, kd = 0;    ///< of the drive; zero when the mode uses none
    double target_rate  = 0;  ///< [rad/s, m/s]
    double effort_limit = 0, velocity_limit = 0;
    double lower = 0, upper = 0, limit_ke = 0, limit_kd = 0;
    double force     = 0;  ///< joint_f
    bool   has_lower = false, has_upper = false, stiff_limit = false, acceleration = false;
    int    saturated = 0;              ///< -1, 1: the drive pushes with its effort limit (kept from step to step)
    double target = 0, rest = 0;       ///< position targets of scalar dofs
    double error = 0, rest_error = 0;  ///< target - q and rest - q of this substep
};

/// One bilateral row of a group: a direction that a loop joint locks, or a mimic relation.
struct LoopRow {
    std::int32_t joint   = -1;
    bool         angular = false;
    double       error   = 0;  ///< [m] or [rad]
    double       target  = 0;  ///< velocity that prescribed bodies ask for, J v = target
    double       impulse = 0;  ///< of the whole step, where reactions are wanted
    Vec3d        axis;         ///< world: force or torque on the child per unit impulse; zero for mimic relations
    double       scale = 0;    ///< 1/sqrt of the row's diagonal response; 0 when no dof moves it
};

struct Group {
    std::int32_t               tree_begin = 0, tree_end = 0, dof_begin = 0, dof_end = 0;
    std::int32_t               loop_begin = 0, loop_end = 0;    ///< in System::group_loops
    std::int32_t               mimic_begin = 0, mimic_end = 0;  ///< in System::group_mimics
    std::int32_t               row_begin = 0, row_count = 0;    ///< in System::loop_rows
    std::size_t                jacobian       = 0;  ///< first of row_count * dof_count entries of loop_J and loop_Y
    double                     mass           = 0;  ///< of all links [kg]
    std::size_t                delassus       = 0;  ///< first of row_count^2 entries of loop_A
    std::int32_t               u_begin        = 0;  ///< in System::u: its dofs from here on, filled up to whole blocks
    bool                       whitened       = false;  ///< one tree without loops that is not deep
    std::int32_t               in_block       = 0;      ///< where its velocities begin in its island's direct solve
    std::int32_t               active_dof_end = 0;      ///< in System::active_dofs, from dof_begin on: of this substep
    [[nodiscard]] std::int32_t dof_count() const { return dof_end - dof_begin; }
    [[nodiscard]] std::int32_t block_count() const { return (dof_count() + kLanes - 1) / kLanes; }
};

/// The part of a row, or of three rows along different directions, that lies in up to two groups: Jacobian J and
/// response Y = M^-1 J^T over blocks of four dofs, row after row in each block. In a whitened group both are the same
/// numbers, and only blocks on the way to the root are there.
struct Segments {
    std::array<std::int32_t, 2>        group{-1, -1};
    std::array<const std::int32_t*, 2> blocks{};  ///< where they begin in System::u, ascending
    std::array<std::int32_t, 2>        count{};   ///< of blocks
    std::array<double*, 2>             J{}, Y{};
};

/// Bounds and softness of one scalar row: J v + bias + gamma lambda = 0 with lambda in [low, high].
struct RowLaw {
    double bias = 0, gamma = 0, mass_scale = 1, impulse_scale = 0;
    double low = 0, high = 0;
    double gap        = 0;  ///< way left to a limit [m or rad], negative when passed
    double lambda     = 0;
    double relax_bias = 0;      ///< of the relax sweeps
    bool   compliant  = false;  ///< a physical spring: softness stays on in the relax sweeps
    bool   active     = false;
};

/// Rows on a single dof: lower and upper limit, dry friction, velocity limit.
struct DofRows {
    bool                active        = false;
    std::int32_t        count         = 0;        ///< of blocks
    const std::int32_t* blocks        = nullptr;  ///< of System::u, those that the response reaches, ascending
    double*             Y             = nullptr;  ///< M^-1 e_k, or in a whitened group the row itself
    double              w             = 0;        ///< diagonal of the response
    double              velocity_sign = 0;
    RowLaw              lower, upper, friction, velocity;
};

/// A row with its own Jacobian: distance range and drive, cone limit, and the drive, limits and friction of loop
/// joints.
struct GeneralRow {
    enum class Kind : std::uint8_t {
        distance_lower,
        distance_upper,
        distance_drive,
        cone,
        loop_lower,
        loop_upper,
        loop_drive,
        loop_friction
    };
    Kind         kind  = Kind::distance_lower;
    std::int32_t joint = -1, axis = 0;
    Segments     at;
    RowLaw       law;
    double       w = 0, target = 0;  ///< target: velocity of prescribed bodies along the row
    /// What a unit impulse does to the child and the parent, world axes.
    struct Push {
        std::int32_t link = -1;
        Vec3d        point, force, torque;
    };
    std::array<Push, 2> push{};
    double              impulse_sum = 0;  ///< of the whole step
};

/// One contact point: a normal row and a friction disk. What the sweeps read comes first.
struct ContactRow {
    std::array<double, 3> lambda{}, base{};  ///< normal, tangents; velocity of prescribed bodies
    double                distance = 0;
    double                mu       = -1;  ///< the one that applies; negative until the contact first acts
    std::array<double, 2> drift{};        ///< tangential creep since the contact began to stick [m]
    /// Of this sub-step's sweeps: lambda -= mass (rate + bias) + leak lambda.
    struct Normal {
        double bias = 0, mass = 0, leak = 0;
    } normal;
    std::array<double, 6> K{};                               ///< nn, n1, n2, 11, 12, 22
    std::array<double, 3> Kt_inv{};                          ///< 11, 12, 22
    double                push         = kPushVelocity;      ///< largest speed of recovery [m/s]
    double                slip_step    = 0;                  ///< [kg]: step of projected descent for a slipping contact
    double                mu_torsional = 0, mu_rolling = 0;  ///< [m]; both zero: no rows against turning
    Segments              at;

    std::int32_t                contact = -1;  ///< row of model::Contacts
    std::array<std::int32_t, 2> body{-1, -1}, link{-1, -1};
    std::array<Vec3d, 2>        point_B,
        start_W;  ///< core points in the body frames, and where they were at the start of the step
    std::array<std::int32_t, 2> roller{-1, -1};  ///< shapes that roll there: other points of them come to touch
    std::array<double, 2>       margin{};
    Vec3d                       n, t1, t2;
    double                      start_distance = 0;
    double                      mu_static = 0, mu_dynamic = 0, restitution = 0;
    double                stiffness = 0, damping = 0;  ///< of a contact that has its own, 0: as stiff as can be [SI]
    std::array<double, 3> impulse_sum{};
    double                bounce = 0;     ///< rebound speed asked for, 0: none
    Vec3d                 belt;           ///< tangential velocity of surface 1 itself less that of surface 0 [m/s]
    double                belt_turn = 0;  ///< the same of their turning about the normal [rad/s]
    [[nodiscard]] bool    on_belt() const { return belt_turn != 0 || !(belt == Vec3d{}); }
    bool                  active = false;
    bool                  free   = false;  ///< its sweeps read a FreeContact, whose law is that of a stiff contact
    // Friction against turning, of pairs that touch in fewer than three points: a patch of three resists turning by its
    // points' own friction. Rows of the relative angular velocity along n, t1, t2.
    std::array<double, 3> spin_lambda{}, spin_base{};
    std::array<double, 6> spin_K{};
    std::array<double, 3> spin_inverse{};                ///< of the rolling block: 11, 12, 22
    double                spin_mass = 0, spin_step = 0;  ///< of torsion: 1 / spin_K[0]
    Segments              spin_at;
    double*               frame = nullptr;  ///< room for six rows along n, t1, t2 of a tree's link that touches alone
    std::array<double, 9> spin_cross{};     ///< of such a contact: its rates n, t1, t2 under impulses against turning
    [[nodiscard]] bool    spins() const { return mu_torsional > 0 || mu_rolling > 0; }
};

/// What the sweeps read of a contact of one or two bodies that hang in no tree of several links: rows along n, t1, t2
/// over the whitened velocities of both, sqrt(m) v and C^-1 R^T w. Of two bodies the linear parts differ by the roots
/// of their masses only. Numbers that one sweep after the other hands on are double; the rows are the same for rates
/// and for impulses, so that Real is enough for them.
struct alignas(64) FreeContact {
    Real                        linear[3][kLanes], angular[2][3][kLanes];  ///< the last lane is zero
    std::array<double, 3>       lambda{};
    std::array<Real, 3>         base{};
    std::array<Real, 2>         drift{};
    Real                        distance = 0, bias = 0, mass = 0;  ///< mass: 1 / K[0]
    std::array<Real, 5>         K{};                               ///< nn, n1, n2, 11, 22
    std::array<Real, 3>         inverse{};                         ///< of the tangents' block: 11, 12, 22
    Real                        slip_step = 0, mu = 0;
    std::array<Real, 2>         root{};     ///< 1 / sqrt(m), negative for shape 0's body
    std::array<std::int32_t, 2> u{-1, -1};  ///< where their velocities begin; the second: -1 if there is one body only
};

/// A contact that makes rows in this sub-step; `free`: what its sweeps read, null where a tree takes part.
struct ActiveContact {
    ContactRow*  row   = nullptr;
    FreeContact* free  = nullptr;
    bool         spins = false;  ///< row->spins()
};

/// What the contacts of some runs need; then where theirs begins.
struct ContactPiece {
    std::size_t rows = 0, blocks = 0, numbers = 0;
    bool        free = false;  ///< some row may have a FreeContact
};

/// What a contact remembers between steps.
struct ContactMemory {
    std::int32_t  shape0 = -1, shape1 = -1;
    std::uint64_t feature = 0;
    Vec3          normal;
    Real          force = 0;        ///< normal force [N]
    Vec3          friction, drift;  ///< friction force and drift as world vectors
    Vec3          torque;           ///< of the friction against turning [N m]
    // What rounding took off these, where they are numbers of a row; a pile's have nothing more. Without it robots with
    // stiff drives tremble.
    Real force_rest = 0;
    Vec3 friction_rest, drift_rest, torque_rest;
};

/// Whether a contact with this normal is the one that was remembered: one that turned by more than 25 degrees is
/// another.
inline constexpr double kSameNormal = 0.906;
inline bool             continues(const ContactMemory& old, const Vec3d& n)
{ return dot(static_cast<Vec3d>(old.normal), n) >= kSameNormal; }

/// What loading a contact asks of a body, in one place.
struct BodyPlace {
    std::int32_t link = -1, group = -1;  ///< -1: prescribed
    std::int32_t blocks = 0;             ///< of a row on its link
    bool         free   = false;         ///< hangs in no tree of several links, nor in loops
    bool         framed = false;         ///< is whitened, of a tree of several links
    bool         loops  = false;         ///< its group has rows of loops
};

/// Which groups sleep, and what they were given when last seen: a change of that wakes them.
constexpr std::int32_t kCommands = 7;  ///< numbers of a dof that wake it when they change

struct Sleep {
    bool                      enabled = false;
    std::vector<double>       still;      ///< per group: how long all of its bodies have been slow [s]
    std::vector<std::uint8_t> asleep;     ///< per group
    std::vector<std::uint8_t> actuated;   ///< per group: has a drive with gains
    std::vector<std::uint8_t> disturbed;  ///< per group: lies on something prescribed that moves
    std::vector<double>       commands;   ///< per dof: force, target, target rate, and the drive's and spring's gains
    std::vector<Spatiald>     wrench;     ///< per link
    std::vector<Vec3d>        gravity;    ///< per world, last the global one
};

struct Island {
    bool               asleep      = false;
    bool               frozen      = false;                 ///< of a world whose state is not finite
    std::int64_t       sweeps      = 0;                     ///< in this step
    std::int32_t       group_begin = 0, group_end = 0;      ///< in System::island_groups
    std::int32_t       contact_begin = 0, contact_end = 0;  ///< in System::order
    std::int32_t       active_end = 0;   ///< in System::active, from contact_begin on: of this substep
    std::int32_t       pile       = -1;  ///< in System::piles, which solves it; -1: its rows are swept one by one
    std::int32_t       block      = -1;  ///< in System::blocks; -1: only sweeps
    [[nodiscard]] bool runs() const { return !asleep && !frozen; }
    std::int32_t       general_begin = 0, general_end = 0;  ///< in System::island_general
};

/// Groups that touch, as the contact buffer has it before there are islands.
struct GroupSet {
    std::int32_t rows = 0, groups = 0;
    std::int32_t runs     = 0;                    ///< then where they are in Pile::runs
    double       lightest = 1e300, heaviest = 0;  ///< [kg]
    bool         fit = true;                      ///< all of it may be in a pile
};

/// What one thread runs through a step, one after the other: an island, or four of one tree each that are alike, whose
/// dynamics are worked on side by side.
struct Work {
    std::array<std::int32_t, 4> island{-1, -1, -1, -1};
    dynamics::FourTrees         trees{};    ///< of four
    std::int32_t                count = 0;  ///< of islands: 1 or 4
};

/// What of a world is fit for piles, and the one that still takes more.
struct WorldPiles {
    std::int64_t rows = 0;
    std::int32_t pile = -1;
};

/// Everything the solver keeps; sized when the model is seen, grown for contacts only.
struct System {
    const model::Model* model = nullptr;
    const tasks::Pool*  pool  = nullptr;  ///< for what is large in itself; null: one thread
    Forest              forest;
    Motion              motion;
    std::vector<DofLaw> laws;
    LawSources          law_sources;

    std::vector<Group>        groups;
    std::vector<std::int32_t> body_group;   ///< [body_count], -1: prescribed
    std::vector<BodyPlace>    body_places;  ///< [body_count]
    std::vector<std::int32_t> group_loops, group_mimics;

    dynamics::Paths     paths;           ///< of trees that are not deep
    std::vector<double> mass, factored;  ///< [paths.size()]
    std::vector<double> inverse_pivots, tau, scratch;
    std::vector<double> inverse_roots;  ///< layout of `u`: square roots of the inverse pivots, of whitened groups
    /// Velocities in the coordinates of rows, as they are or whitened, a whole number of blocks for each group; now,
    /// and before the substep.
    std::vector<double>       u, previous_u;
    std::vector<std::int32_t> all_blocks;                     ///< 0, 4, 8, ...: where the blocks of `u` begin
    std::vector<std::int32_t> path_blocks, path_block_begin;  ///< per dof of whitened groups: blocks of its path
    std::vector<double>       row_scratch;                    ///< 8 numbers for each dof
    /// [paths.size()]: of whitened trees of several links, the whitened rows of their dofs' rates.
    std::vector<double> dof_rates;
    /// Whitened rows of the six components of a link's velocity at its tree's reference point: blocks of six rows, from
    /// `link_rows_at` on, made when first asked for in a substep.
    std::vector<double>       link_rows;
    std::vector<std::size_t>  link_rows_at;
    std::vector<std::uint8_t> link_rows_made;
    std::vector<std::uint8_t> locked;  ///< per whitened tree: some dof moves no mass
    /// Per link: the contact that made the rows of its velocity along n, t1, t2 in this substep, for others to use.
    std::vector<const ContactRow*> link_frame;
    /// Per tree, of single bodies: I^-1 = C C^T in body axes, and C^-1.
    std::vector<Mat33d>         inertia_root, inverse_inertia_root;
    std::vector<Mat33d>         inverse_inertia;    ///< per tree: of single bodies, body axes
    std::vector<Mat33d>         spin_root;          ///< per tree: of whitened single bodies R C, of this sub-step
    std::vector<double>         inverse_root_mass;  ///< per tree: of whitened single bodies 1 / sqrt(m)
    std::vector<double>         diagonal;           ///< [dof_count]: what drives and armature add to the mass matrix
    dynamics::ArticulatedBodies articulated;        ///< of deep trees
    std::vector<Mat33d>         inverse_inertia_W;  ///< per tree: of single bodies
    std::vector<Spatiald>       wrench;             ///< per link
    std::vector<Spatiald>       held_twist, held_velocity;  ///< per link: before the middle of the sub-step was tried

    std::vector<LoopRow> loop_rows;
    std::vector<double>  loop_J, loop_Y, loop_A, loop_x;

    std::vector<DofRows>      dof_rows;     ///< [dof_count]
    std::vector<std::int32_t> active_dofs;  ///< [dof_count]: those with rows in this substep, of each group
    std::vector<double>       dof_columns;  ///< storage of DofRows::Y, of groups that are not whitened
    std::vector<GeneralRow>   general;
    std::vector<double>       general_storage;
    std::vector<std::int32_t> general_blocks;

    std::size_t                contact_capacity = 0;  ///< for how many contacts there is room
    std::vector<ContactRow>    contact_rows;
    std::span<ContactRow>      contacts;  ///< those of `contact_rows` that are of this step
    std::vector<ContactPiece>  contact_pieces;
    std::vector<std::uint32_t> piece_order;  ///< in which pieces of contacts are handed out
    std::vector<double>        contact_storage;
    std::vector<std::int32_t>  contact_blocks;
    std::vector<ContactMemory> memory, next_memory;

    /// [world_count + 1], first the global world: whose state or result is not finite in this step.
    std::vector<std::uint8_t> faulty;
    std::vector<std::uint8_t> teleported;  ///< per group: its pose is not the one that the last step left

    Sleep                      sleep;
    std::vector<ContactRow*>   order;   ///< contacts, grouped by island
    std::vector<ActiveContact> active;  ///< those that make rows in this substep, in each island from its first on
    std::vector<FreeContact>   free_contacts;  ///< in the places of `active`
    std::vector<Island>        islands;
    std::vector<Work>          work;     ///< of islands that run on their own, and of the first of each pile
    std::vector<Work>          waiting;  ///< scratch of list_work, per tree: those of its kind that are not yet four
    std::vector<std::int32_t>  kinds;    ///< trees that are their kind's first (Tree::kind)
    std::vector<Block>         blocks;
    std::vector<Pile>          piles;  ///< the first `pile_count` are of this step
    std::size_t                pile_count = 0;
    bool                       piles_fill = false;  ///< piles side by side keep all threads busy
    std::vector<ContactRun>    runs;                ///< of this step's contacts
    std::vector<GroupSet>      sets;                ///< per group that is the smallest of its set
    std::vector<WorldPiles>    world_piles;         ///< [world_count + 1], first the global world
    std::vector<std::int32_t>  group_pile;          ///< per group: its pile, or -1
    std::vector<std::int32_t>  pile_body;           ///< per group: place of its body in its pile
    bool                       rollers = false;     ///< some shape can roll (rolling.h)
    std::vector<PileLink>      pile_links;          ///< per link; of those that hang in no tree of several links
    std::vector<std::int32_t>  remembered;          ///< per contact: in `memory`, or -1
    std::vector<std::int32_t>  memory_place;        ///< per contact: in `next_memory`
    std::vector<std::int32_t>  island_groups, island_general, island_of_group, set_parent;

    std::vector<Real>         next_q, next_qd;  ///< [joint_coord_count, joint_dof_count]: of trees that are `placed`
    std::vector<std::uint8_t> placed;  ///< per tree: Motion is that of the published state, not to be made again

    // Reactions of joints, computed where a joint may break or somebody observes.
    bool                  wants_reactions = false;
    std::vector<Spatiald> start_twist;            ///< per link, at the start of the step
    std::vector<Vec3d>    start_com, start_spin;  ///< per link: centre of mass, angular momentum about it; world
    std::vector<Spatiald> load;     ///< per link: mean wrench of contacts and constraints about its centre of mass
    std::vector<Spatiald> inbound;  ///< per link: what its joint transmits to it, about its centre of mass
    std::vector<Spatiald> loop_reaction;  ///< [joint_count]: of loop and distance joints on the child, about its anchor
    std::vector<std::uint8_t> enabled, broken;  ///< [joint_count]

    std::vector<double> loop_target,
        loop_target_rate;  ///< commands of loop joints, coordinate and dof layout of the model
    std::vector<double>
        near_q;  ///< [joint_coord_count]: coordinates at the start of the step, for the winding of loop joints
    std::vector<Posed>        base_start;     ///< [body_count]: prescribed poses at the start of the step
    std::vector<Spatiald>     base_rate;      ///< [body_count]: velocities of prescribed bodies over the step
    bool                      carried = false;  ///< some tree hangs on a prescribed body
    std::vector<std::uint8_t> base_commanded;  ///< [body_count]: that velocity is what the caller wrote into the state
    std::vector<std::int32_t> island_cursor;  ///< scratch of build_islands

    /// What shares a loop within a pile.
    [[nodiscard]] const tasks::Pool* pile_pool() const { return piles_fill ? nullptr : pool; }
    [[nodiscard]] const Group&       group_of_dof(std::int32_t dof) const
    {
        return groups[static_cast<std::size_t>(
            forest
                .trees[static_cast<std::size_t>(
                    forest.links[static_cast<std::size_t>(forest.dof_link[static_cast<std::size_t>(dof)])].tree)]
                .group)];
    }
};

/// Pieces of loops that the threads of a step share.
constexpr std::size_t kLinksAtOnce = 64, kContactsAtOnce = 16, kNumbersAtOnce = 512;
/// Groups, or trees, that have about kLinksAtOnce links.
inline std::size_t groups_at_once(const System& system)
{
    return std::max<std::size_t>(
        1, kLinksAtOnce * system.groups.size() / std::max<std::size_t>(1, system.forest.links.size()));
}

// -- divergence.cpp
/// The first thing that went wrong in a step.
struct Culprit {
    std::int32_t body = -1, joint = -1;
    std::string  text;
};
/// Whether all of a tree is finite and not too fast.
[[nodiscard]] bool in_bounds(const System& system, const Tree& tree);
/// Marks the worlds of links that are not finite or too fast; `first` is filled in where it is empty. `known_sound`:
/// there are none.
void find_divergence(System& system, int substeps, bool after, bool known_sound, Culprit& first);
/// Whether everything that moves lies in faulty worlds.
[[nodiscard]] bool        all_faulty(const System& system);
[[nodiscard]] inline bool faulty(const System& system, std::int32_t world)
{ return system.faulty[static_cast<std::size_t>(world + 1)] != 0; }
/// Drops what steps hand on to each other, of the worlds that are chosen (layout of System::faulty).
void forget_worlds(System& system, const std::vector<std::uint8_t>& chosen);

// -- groups.cpp
void build_system(const model::Model& model, System& system);
/// Reads gains, limits and targets; non-finite commands count as zero. Returns how many there were.
void read_laws(const model::Control& control, System& system);

/// What steps hand on to each other, from a system of other joints of the same model.
void carry_over(const System& old, System& now);

// -- predict.cpp
/// Kinematics, mass matrix with implicit drives, and velocities after h without constraints; loops closed (velocity and
/// position).
void prepare_group(System& system, const Group& group, double h, bool first);
/// The same, and `begin_rows`, for the groups of four trees that are alike and in no loops.
void prepare_four(System& system, const dynamics::FourTrees& trees, double h, bool first);
/// Angular velocity (body axes) after turning freely for h.
Vec3d gyrate(const Mat33d& I, const Mat33d& I_inv, const Vec3d& w, double h);
/// The largest speeds are held at kMaxVelocity; returns whether that was necessary.
bool clamp_velocity(System& system, const Group& group);
/// The body that a tree hangs on changes its velocity by `change` (of its centre of mass) within no time: rates of the
/// tree change so that only the joint to that body bears an impulse.
void kick_tree(System& system, const Tree& tree, const Spatiald& change);

// -- response.cpp
// Rows of a tree are solved in whitened coordinates: with M = L^T D L, u = sqrt(D) L v and Z = sqrt(1/D) L^-T J^T a
// rate is Z . u, and an impulse changes u by Z times it. Jacobian and response are one array, which has entries on the
// way from the row's links to the root only. Groups with loops and deep trees keep J and Y = M^-1 J^T apart.

/// Velocities of a group into the coordinates of rows; `both`: also those before the substep.
void begin_rows(System& system, const Group& group, bool both);
/// The same for trees whose mass matrices are factored in `four`, with `both`.
void begin_rows(System& system, dynamics::FourDynamics& four, const dynamics::FourTrees& trees);
/// And back.
void end_rows(System& system, const Group& group);
/// Which blocks a row on one or two links (-1: none) of a group has. `storage` has room for `most_blocks`. Returns the
/// first free place of it.
std::int32_t* place_blocks(const System& system, std::int32_t group, std::int32_t link0, std::int32_t link1,
                           std::int32_t* storage, const std::int32_t*& blocks, std::int32_t& count);
std::size_t   most_blocks(const System& system, std::int32_t group, std::int32_t link0, std::int32_t link1);
/// Rows of a link's angular velocity along three directions, and after them those of the velocity at its tree's
/// reference point; of a whitened tree of several links.
void frame_rows(System& system, std::int32_t link, const std::array<Vec3d, 3>& directions, double* rows);
/// Clears the Jacobian of a segment.
void open_segment(const Segments& at, int seat, int rows);
/// Adds to an open segment what rows take of a link that moves: `force` of the velocity of a point (world) and `torque`
/// of the angular velocity, one of each a row.
void add_rows(System& system, Segments& at, std::int32_t link, const Vec3d& p_W, const std::array<Vec3d, 3>& force,
              const std::array<Vec3d, 3>& torque);
void add_row(System& system, Segments& at, std::int32_t link, const Vec3d& p_W, const Vec3d& force,
             const Vec3d& torque);
/// The finished Jacobian into what the sweeps use.
void close_segment(System& system, Segments& at, int seat, int rows);
/// A unit impulse on one dof, into what the sweeps use; returns the diagonal of the response.
double respond_dof(System& system, const Group& group, std::int32_t dof, DofRows& rows);
/// The response of an open tree, as if the group had no loops.
void respond_open(System& system, const Group& group, double* y);
/// The part of the velocity of a body's point that is prescribed, and of its angular velocity: all of it for a prescribed
/// body, that of the body that its tree hangs on for a link, whose rates are relative to it; zero for the world.
Vec3d prescribed_spin(const System& system, std::int32_t body);
Vec3d prescribed_velocity(const System& system, std::int32_t body, const Vec3d& p_W);
/// Pose of any body, moving, prescribed or the world.
Posed body_pose(const System& system, std::int32_t body);
/// A point of a body, or of its link where it has one, in the world.
Vec3d place(const System& system, std::int32_t body, std::int32_t link, const Vec3d& p_B);
/// Where a contact's core point on one side is now.
Vec3d place_core(const System& system, const ContactRow& row, std::size_t side);

// -- loops.cpp
/// Jacobian, response and errors of a group's bilateral rows at the present configuration.
void build_loops(System& system, const Group& group);
/// Moves the configuration so that the errors vanish to first order, at most at the push velocity; returns the largest
/// error before.
double close_loops(System& system, const Group& group, double h);
/// Takes the part of `x` (dof layout of the group, `lanes` interleaved) that would open the loops out of it.
void constrain(System& system, const Group& group, double* x, int lanes);
/// The same for velocities, with the motion of prescribed bodies.
void project_velocity(System& system, const Group& group);
/// Counts the impulses that keep the loops closed under the velocity change `x` of the open trees.
void add_loop_impulses(System& system, const Group& group, const double* x);
/// Largest anchor gap and angular error of a group's loop joints.
void loop_errors(const System& system, const Group& group, double& linear, double& angular);

// -- reactions.cpp
void begin_reactions(System& system);
/// After a substep: impulses that closed the loops of a group, from everything else that pushed.
void sum_loop_impulses(System& system, const Island& island);
/// After a step of `dt`: mean loads of the links, and what joints transmit.
void find_reactions(System& system, double h, double dt);
/// Force [N] and torque [N m] about the child's anchor that the constrained directions of a joint carry, limits
/// included.
struct JointLoad {
    double force = 0, torque = 0;
};
[[nodiscard]] JointLoad joint_load(const System& system, std::int32_t joint, double h);

// -- rows.cpp
void build_dof_rows(System& system, Group& group, double h);
void build_general_row(System& system, GeneralRow& row, double h);
void advance_general(System& system, GeneralRow& row, double h);
void warm_start_dof_rows(System& system, const Group& group);
void warm_start_general(System& system, GeneralRow& row);
/// The solve functions return the largest velocity that they changed a row by.
double solve_dof_rows(System& system, const Group& group, bool relax);
/// After positions moved: what is left of the way to each limit.
void   advance_dof_rows(System& system, const Group& group, double h);
double solve_general(System& system, GeneralRow& row, bool relax);
/// Which general rows a joint of the model needs; appends them to System::general.
void list_general_rows(System& system);

// -- contact_buffer.cpp
/// Makes room for as many contacts as the caller's buffer holds, so that steps allocate nothing later.
void reserve_contacts(System& system, std::size_t capacity);
/// Takes the contacts of this step over, in order, with what their predecessors remember, and gives each row its
/// storage.
void load_contacts(System& system, const model::Contacts& contacts, MaterialCombine rule, double h, int substeps);
/// What the materials of two shapes make together.
struct Materials {
    double mu_static = 0, mu_dynamic = 0, restitution = 0, torsional = 0, rolling = 0;
};
[[nodiscard]] Materials materials_of(const model::Model& model, MaterialCombine rule,
                                     const std::array<std::int32_t, 2>& shape);
/// Motion of the surface of shape 1 by itself, less that of shape 0, where the core points are at `p_W`.
Spatiald surface_motion(const System& system, const std::array<std::int32_t, 2>& shapes,
                        const std::array<std::int32_t, 2>& body, const std::array<Vec3d, 2>& p_W,
                        const std::array<double, 2>& margin, const Vec3d& n);
/// Forces into the contact arrays and the memory for the next step; what the rows of worlds that are undone found is
/// dropped. Returns how deep the others are at the end of the step [m], at least 0.
double store_contacts(System& system, model::Contacts& contacts, double h, int substeps);

// -- contact_rows.cpp
/// Whether the group's loops move the link to where they close before contacts are built.
bool in_loops(const System& system, std::int32_t link);
/// Contacts that are farther make no row: what bodies may gain in one substep on top of their speed is bounded by a
/// generous metre a second, so what is nearer than that needs no look at speeds. `p`: the surface points.
double reach(const System& system, const std::array<std::int32_t, 2>& body, const std::array<std::int32_t, 2>& link,
             const std::array<Vec3d, 2>& p, const Vec3d& n, double h);
/// `first`: of the step's substeps.
/// `free`: where to put what its sweeps read, if `row.free`.
void build_contact(System& system, ContactRow& row, FreeContact* free, const Softness& soft, double h, bool first);
void warm_start_contact(System& system, ContactRow& row);
/// The rows against turning of a contact whose other rows are a FreeContact; `normal`: its normal impulse. Torsion is a
/// bounded row, rolling a block held to its disk; returns the largest change of a rate [rad/s].
void   warm_start_spin(System& system, ContactRow& row, double normal);
double solve_spin(System& system, ContactRow& row, double normal);
/// `anchor`: share of the drift that is taken back, a second.
double solve_contact(System& system, ContactRow& row, double anchor, bool relax);
/// After positions moved: new distance, drift.
void advance_contact(System& system, ContactRow& row, double h);
void bounce_contact(System& system, ContactRow& row);

// -- free_contacts.cpp
/// Rows and responses (row.K) of a contact at the surface points `p`; `row.base` must be there.
void build_free(const System& system, ContactRow& row, const std::array<Vec3d, 2>& p, FreeContact& free);
/// Everything else, from the finished row; and what the sweeps found, back.
void load_free(const ContactRow& row, FreeContact& free);
void store_free(const FreeContact& free, ContactRow& row);
/// Relative velocity along n, t1, t2, from System::u or previous_u.
std::array<double, 3> free_rates(std::vector<double>& u, const FreeContact& free);
// As their namesakes of contact_rows.cpp.
void   warm_start_free(System& system, FreeContact& free);
double solve_free(System& system, FreeContact& free, const Softness& soft, double anchor, bool relax);
void   advance_free(System& system, FreeContact& free, double h);
void   bounce_free(System& system, FreeContact& free, double bounce);

// -- publish.cpp
/// Rounds the coordinates and rates of a tree to what will be published, in System::next_q and next_qd, and places it
/// there. Returns false, with nothing done, for trees to which that does not apply.
bool place_published(System& system, const Tree& tree);
/// The same for four trees that are alike.
bool place_published(System& system, const dynamics::FourTrees& trees);

// -- islands.cpp
/// Alternating the direction keeps long stacks from leaning to the side that is always solved last.
constexpr bool is_backwards(int substep, int sweep) { return ((substep & 1) != 0) != ((sweep & 1) != 0); }
void           build_islands(System& system);
/// What is to be run (System::work), after it is known what sleeps and what is frozen.
void list_work(System& system);
// -- sleep.cpp
/// Sizes the arrays; `bodies_asleep` [body_count] says who starts asleep.
void reset_sleep(System& system, const std::vector<std::uint8_t>& bodies_asleep);
/// Wakes groups whose commands, loads or gravity differ from what they slept with.
void wake_changed(System& system);
void wake_group(System& system, std::int32_t group);
/// Who sleeps in `old` sleeps on, as far as its trees are the same.
void carry_sleep(const System& old, System& now);
/// Drops contacts that cannot reach a sleeping group within `dt`, so that it sleeps on beside what passes.
void drop_far_contacts(System& system, double dt);
/// Whether a prescribed body moves fast enough to disturb what lies on it.
bool carries_motion(const System& system, std::int32_t body);
/// Contacts nearer than this may close within `dt`, with room to spare [m]; `p_W`: its points.
double wake_reach(const System& system, const std::array<std::int32_t, 2>& body, const std::array<Vec3d, 2>& p_W,
                  double dt);
/// What a joint ties to a prescribed body that moves, or that somebody put elsewhere (`moved` [body_count]), stays awake.
void disturb_carried(System& system, const std::vector<std::uint8_t>& moved);
/// An island is awake if one of its groups is.
void spread_wakefulness(System& system);
/// Counts the time that groups are still; islands that have been for long enough stop.
void               fall_asleep(System& system, double dt);
[[nodiscard]] bool asleep(const System& system, std::int32_t link);

// -- islands.cpp, continued
/// What running an island tells.
struct IslandReport {
    int    clamped = 0, contact_rows = 0, limit_rows = 0, loop_rows = 0;
    int    block_solves = 0, block_fallbacks = 0;
    double loop_error_linear = 0, loop_error_angular = 0;
    bool   sound = false;  ///< all of it is in_bounds; false where nobody has looked
};
/// One substep of some islands. Touches nothing outside of them; prescribed bodies are where `place_prescribed` has put
/// them. `reports`: of all islands.
void run_substep(System& system, const Work& work, double h, int substep, std::span<IslandReport> reports);
/// Kinematics at the end of the step, loops closed to rounding, rows counted.
void finish(System& system, const Work& work, double h, std::span<IslandReport> reports);

// -- prescribed.cpp
/// What one step tells about a prescribed body to the next: its published pose and velocity; null before the first.
struct PublishedBody {
    const Pose*    pose  = nullptr;
    const Spatial* twist = nullptr;
};
/// Where a prescribed body starts, and with which velocity it comes (Motion::base_twist) and goes (System::base_rate)
/// in a step of `dt`.
void load_prescribed(System& system, std::int32_t body, const model::State& in, const model::Control& control,
                     double dt, const PublishedBody& before);
/// Prescribed bodies go over to the velocity of the step at once. The joint that a tree hangs on such a body by gives
/// it the impulse that this takes, and no other; `untouched` [trees]: the tree is as the last step published it.
void start_prescribed(System& system, const std::vector<std::uint8_t>& untouched);
/// Poses of prescribed bodies `time` after the start of the step.
void place_prescribed(System& system, std::int32_t body, double time);

}  // namespace mechane::solvers::softstep
