#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "mechane/dynamics/articulated.h"
#include "mechane/dynamics/forest.h"
#include "mechane/dynamics/forward_dynamics.h"
#include "mechane/dynamics/paths.h"
#include "mechane/math/simd.h"
#include "mechane/model/model.h"
#include "solvers/softstep/mechanism/row_law.h"

// How softstep sees a model. All computation is in double whatever Real is: mass ratios of a thousand, loops, and
// scenes far from the origin then need no special care. State is narrowed once a step.
//
//   tree    reduced coordinates, no joint error (dynamics/forest.h)
//   group   trees tied by loop joints or mimic relations. Those rows are eliminated, not iterated: every response to an
//   impulse is
//           computed with the inverse mass matrix of the closed mechanism, so a contact can never open a loop.
//   island  groups that touch; the unit of parallel work. An island runs through all substeps on its own.

namespace mechane::tasks {
class Pool;
}

namespace mechane::solvers::softstep {

using dynamics::Forest;
using dynamics::Link;
using dynamics::Motion;
using dynamics::Tree;

struct ContactRow;

/// What the laws of dofs were read from: a copy of the model's arrays and the commands.
struct LawSources {
    bool                              known = false;
    std::array<std::vector<Real>, 16> numbers;
    std::vector<model::TargetMode>    modes;
    std::vector<model::DriveType>     types;
    std::vector<std::uint8_t>         chosen;  ///< gains of limits
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
    std::int32_t               loop_begin = 0, loop_end = 0;    ///< in Mechanism::group_loops
    std::int32_t               mimic_begin = 0, mimic_end = 0;  ///< in Mechanism::group_mimics
    std::int32_t               row_begin = 0, row_count = 0;    ///< in Mechanism::loop_rows
    std::size_t                jacobian       = 0;  ///< first of row_count * dof_count entries of loop_J and loop_Y
    double                     mass           = 0;  ///< of all links [kg]
    std::size_t                delassus       = 0;  ///< first of row_count^2 entries of loop_A
    std::int32_t               u_begin        = 0;  ///< in Mechanism::u: its dofs from here on, filled up to whole blocks
    bool                       whitened       = false;  ///< one tree without loops that is not deep
    std::int32_t               in_block       = 0;      ///< where its velocities begin in its island's direct solve
    std::int32_t               active_dof_end = 0;      ///< in Mechanism::active_dofs, from dof_begin on: of this substep
    [[nodiscard]] std::int32_t dof_count() const { return dof_end - dof_begin; }
    [[nodiscard]] std::int32_t block_count() const { return (dof_count() + kLanes - 1) / kLanes; }
};

/// The part of a row, or of three rows along different directions, that lies in up to two groups: Jacobian J and
/// response Y = M^-1 J^T over blocks of four dofs, row after row in each block. In a whitened group both are the same
/// numbers, and only blocks on the way to the root are there.
struct Segments {
    std::array<std::int32_t, 2>        group{-1, -1};
    std::array<const std::int32_t*, 2> blocks{};  ///< where they begin in Mechanism::u, ascending
    std::array<std::int32_t, 2>        count{};   ///< of blocks
    std::array<double*, 2>             J{}, Y{};
};

using RowLaw = RowLawOf<double>;

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

/// What loading a contact asks of a body, in one place.
struct BodyPlace {
    std::int32_t link = -1, group = -1;  ///< -1: prescribed
    std::int32_t blocks = 0;             ///< of a row on its link
    bool         free   = false;         ///< hangs in no tree of several links, nor in loops
    bool         framed = false;         ///< is whitened, of a tree of several links
    bool         loops  = false;         ///< its group has rows of loops
};

/// Bodies, joints and their rows: what does not depend on contacts.
struct Mechanism {
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
    std::vector<std::uint8_t> locked;  ///< per whitened tree: some dof has zero inertia
    /// Per link: the contact that made the rows of its velocity along n, t1, t2 in this substep, for others to use.
    std::vector<const ContactRow*> link_frame;
    /// Per tree, of single bodies: I^-1 = C C^T in body axes, and C^-1.
    std::vector<Mat33d>         inertia_root, inverse_inertia_root;
    std::vector<Mat33d>         inverse_inertia;    ///< per tree: of single bodies, body axes
    std::vector<Mat33d>         spin_root;          ///< per tree: of whitened single bodies R C, of this substep
    std::vector<double>         inverse_root_mass;  ///< per tree: of whitened single bodies 1 / sqrt(m)
    std::vector<double>         diagonal;           ///< [dof_count]: what drives and armature add to the mass matrix
    dynamics::ArticulatedBodies articulated;        ///< of deep trees
    std::vector<Mat33d>         inverse_inertia_W;  ///< per tree: of single bodies
    std::vector<Spatiald>       wrench;             ///< per link
    std::vector<Spatiald>       held_twist, held_velocity;  ///< per link: before the middle of the substep was tried
    std::vector<LoopRow> loop_rows;
    std::vector<double>  loop_J, loop_Y, loop_A, loop_x;
    std::vector<DofRows>      dof_rows;     ///< [dof_count]
    std::vector<std::int32_t> active_dofs;  ///< [dof_count]: those with rows in this substep, of each group
    std::vector<double>       dof_columns;  ///< storage of DofRows::Y, of groups that are not whitened
    std::vector<GeneralRow>   general;
    std::vector<double>       general_storage;
    std::vector<std::int32_t> general_blocks;
    std::vector<Real>         next_q, next_qd;  ///< [joint_coord_count, joint_dof_count]: of trees that are `placed`
    std::vector<std::uint8_t> placed;  ///< per tree: Motion is that of the published state, not to be made again
    std::vector<std::uint8_t> enabled, broken;  ///< [joint_count]
    std::vector<double> loop_target,
        loop_target_rate;  ///< commands of loop joints, coordinate and dof layout of the model
    std::vector<double>
        near_q;  ///< [joint_coord_count]: coordinates at the start of the step, for the winding of loop joints
    std::vector<Posed>        base_start;     ///< [body_count]: prescribed poses at the start of the step
    std::vector<Spatiald>     base_rate;      ///< [body_count]: velocities of prescribed bodies over the step
    bool                      carried = false;  ///< some tree hangs on a prescribed body
    std::vector<std::uint8_t> base_commanded;  ///< [body_count]: that velocity is what the caller wrote into the state
    /// [world_count + 1], first the global world: whose state or result is not finite in this step.
    std::vector<std::uint8_t> faulty;

    [[nodiscard]] const Group& group_of_dof(std::int32_t dof) const
    {
        return groups[static_cast<std::size_t>(
            forest
                .trees[static_cast<std::size_t>(
                    forest.links[static_cast<std::size_t>(forest.dof_link[static_cast<std::size_t>(dof)])].tree)]
                .group)];
    }
};

[[nodiscard]] inline bool faulty(const Mechanism& system, std::int32_t world)
{ return system.faulty[static_cast<std::size_t>(world + 1)] != 0; }

/// Pieces of loops that the threads of a step share.
constexpr std::size_t kLinksAtOnce = 64, kContactsAtOnce = 16, kNumbersAtOnce = 512;
/// Groups, or trees, that have about kLinksAtOnce links.
inline std::size_t groups_at_once(const Mechanism& system)
{
    return std::max<std::size_t>(
        1, kLinksAtOnce * system.groups.size() / std::max<std::size_t>(1, system.forest.links.size()));
}

}  // namespace mechane::solvers::softstep
