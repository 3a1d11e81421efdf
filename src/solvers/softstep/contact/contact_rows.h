#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/math/simd.h"
#include "solvers/softstep/contact/contact_law.h"
#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

/// Friction against turning, of pairs that touch in fewer than three points: a patch of three resists turning by its
/// points' own friction. Rows of the relative angular velocity along n, t1, t2.
struct SpinRow {
    double                torsional = 0, rolling = 0;  ///< [m]; both zero: no rows
    std::array<double, 3> lambda{}, base{};            ///< [N m s]; turn of what is prescribed [rad/s]
    std::array<double, 6> K{};
    std::array<double, 3> inverse{};           ///< of the rolling block: 11, 12, 22
    double                mass = 0, step = 0;  ///< of torsion: 1 / K[0]; 1 / the largest eigenvalue of the block
    std::array<double, 3> impulse_sum{};
};

/// One contact point: a normal row and a friction disk. What the sweeps read comes first.
struct ContactRow {
    std::array<double, 3> lambda{}, base{};  ///< normal, tangents; velocity of prescribed bodies
    double                distance = 0;
    double                mu       = -1;              ///< the one that applies; negative until a step's first substep
    std::array<double, 2> drift{};                    ///< tangential creep since the contact began to stick [m]
    NormalRow<double>     normal;                     ///< of this substep's sweeps
    std::array<double, 6> K{};                        ///< nn, n1, n2, 11, 12, 22
    std::array<double, 3> inverse{};                  ///< 11, 12, 22
    double                push      = kPushVelocity;  ///< largest speed of recovery [m/s]
    double                slip_step = 0;              ///< [kg]: step of projected descent for a slipping contact
    SpinRow               spin;
    Segments              at;

    std::int32_t                contact = -1;  ///< row of model::Contacts
    std::array<std::int32_t, 2> body{-1, -1}, link{-1, -1};
    std::array<Vec3d, 2>        point_B,
        start_W;  ///< core points in the body frames, and where they were at the start of the step
    std::array<std::int32_t, 2> roller{-1, -1};  ///< shapes that roll there: other points of them come to touch
    std::array<Vec3d, 2>        toward;          ///< of those (Rolling::toward)
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
    Segments              spin_at;
    double*               frame = nullptr;  ///< room for six rows along n, t1, t2 of a tree's link that touches alone
    std::array<double, 9> spin_cross{};     ///< of such a contact: its rates n, t1, t2 under impulses against turning
    [[nodiscard]] bool    spins() const { return spin.torsional > 0 || spin.rolling > 0; }
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
    Real                        distance = 0, push = 0, mass = 0;  ///< mass: 1 / K[0]
    std::array<Real, 5>         K{};                               ///< nn, n1, n2, 11, 22
    std::array<Real, 3>         inverse{};                         ///< of the tangents' block: 11, 12, 22
    Real                        slip_step = 0, mu = 0;
    std::array<Real, 2>         root{};     ///< 1 / sqrt(m), negative for shape 0's body
    std::array<std::int32_t, 2> u{-1, -1};  ///< where their velocities begin; the second: -1 if there is one body only
};

/// A contact that makes rows in this substep; `free`: what its sweeps read, null where a tree takes part.
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
    // What rounding took off these, where they are numbers of a row; a batch's have nothing more. Without it robots
    // with stiff drives tremble.
    Real force_rest = 0;
    Vec3 friction_rest, drift_rest, torque_rest;
};

/// Whether a contact with this normal is the one that was remembered: one that turned by more than 25 degrees is
/// another.
inline constexpr double kSameNormal = 0.906;
inline bool             continues(const ContactMemory& old, const Vec3d& n)
{ return dot(static_cast<Vec3d>(old.normal), n) >= kSameNormal; }

/// Where the contacts of one pair of shapes act.
struct PairPlace {
    std::array<std::int32_t, 2> shape{-1, -1}, body{-1, -1}, link{-1, -1}, group{-1, -1};
    bool                        loops = false, free = true, teleported = false;
    Real                        turning = 0;      ///< ContactRun::turning
    bool                        framed  = false;  ///< a link of a tree of several touches what no impulse moves
    std::int32_t                blocks  = 0;      ///< of a row, at most
    /// Its links in the group of a seat.
    [[nodiscard]] std::array<std::int32_t, 2> links(std::size_t seat) const
    { return seat == 0 && group[1] < 0 ? link : std::array{link[seat], -1}; }
};

/// Contacts that are swept one by one, and what all contacts remember.
struct ContactStore {
    std::size_t                contact_capacity = 0;  ///< for how many contacts there is room
    std::vector<ContactRow>    contact_rows;
    std::span<ContactRow>      contacts;  ///< those of `contact_rows` that are of this step
    std::vector<ContactPiece>  contact_pieces;
    std::vector<PairPlace>     pair_places;  ///< of the runs of contacts that are in no batch
    std::vector<std::uint8_t>  makes_row;    ///< per contact of those
    std::vector<std::uint32_t> piece_order;  ///< in which pieces of contacts are handed out
    std::vector<double>        contact_storage;
    std::vector<std::int32_t>  contact_blocks;
    std::vector<ContactMemory> memory, next_memory;
    std::vector<ContactRow*>   order;   ///< contacts, grouped by island
    std::vector<ActiveContact> active;  ///< those that make rows in this substep, in each island from its first on
    std::vector<FreeContact>   free_contacts;  ///< in the places of `active`
    std::vector<std::int32_t>  remembered;     ///< per contact: in `memory`, or -1
    std::vector<std::int32_t>  memory_place;   ///< per contact: in `next_memory`
};

}  // namespace mechane::solvers::softstep
