#pragma once
#include "mechane/dynamics/four_trees.h"
#include "solvers/softstep/mechanism/mechanism.h"

namespace mechane::solvers::softstep {

// Rows of a tree are solved in whitened coordinates: with M = L^T D L, u = sqrt(D) L v and Z = sqrt(1/D) L^-T J^T a
// rate is Z . u, and an impulse changes u by Z times it. Jacobian and response are one array, which has entries on the
// way from the row's links to the root only. Groups with loops and deep trees keep J and Y = M^-1 J^T apart.

/// Velocities of a group into the coordinates of rows; `both`: also those before the substep.
void begin_rows(Mechanism& system, const Group& group, bool both);
/// The same, with `both`, of trees whose mass matrices are factored and whose velocities are whitened in `four`.
void put_rows(Mechanism& system, dynamics::FourDynamics& four, const dynamics::FourTrees& trees);
/// And back.
void end_rows(Mechanism& system, const Group& group);
/// Which blocks a row on one or two links (-1: none) of a group has. `storage` has room for `most_blocks`. Returns the
/// first free place of it.
std::int32_t* place_blocks(const Mechanism& system, std::int32_t group, std::int32_t link0, std::int32_t link1,
                           std::int32_t* storage, const std::int32_t*& blocks, std::int32_t& count);
std::size_t   most_blocks(const Mechanism& system, std::int32_t group, std::int32_t link0, std::int32_t link1);
/// Rows of a link's angular velocity along three directions, and after them those of the velocity at its tree's
/// reference point; of a whitened tree of several links.
void frame_rows(Mechanism& system, std::int32_t link, const std::array<Vec3d, 3>& directions, double* rows);
/// Clears the Jacobian of a segment.
void open_segment(const Segments& at, int seat, int rows);
/// Adds to an open segment what rows take of a link that moves: `force` of the velocity of a point (world) and `torque`
/// of the angular velocity, one of each a row.
void add_rows(Mechanism& system, Segments& at, std::int32_t link, const Vec3d& p_W, const std::array<Vec3d, 3>& force,
              const std::array<Vec3d, 3>& torque);
void add_row(Mechanism& system, Segments& at, std::int32_t link, const Vec3d& p_W, const Vec3d& force,
             const Vec3d& torque);
/// The finished Jacobian into what the sweeps use.
void close_segment(Mechanism& system, Segments& at, int seat, int rows);
/// A unit impulse on one dof, into what the sweeps use; returns the diagonal of the response.
double respond_dof(Mechanism& system, const Group& group, std::int32_t dof, DofRows& rows);
/// The response of an open tree, as if the group had no loops.
void respond_open(Mechanism& system, const Group& group, double* y);
/// The part of the velocity of a body's point that is prescribed, and of its angular velocity: all of it for a prescribed
/// body, that of the body that its tree hangs on for a link, whose rates are relative to it; zero for the world.
Vec3d prescribed_spin(const Mechanism& system, std::int32_t body);
Vec3d prescribed_velocity(const Mechanism& system, std::int32_t body, const Vec3d& p_W);
/// Pose of any body, moving, prescribed or the world.
Posed body_pose(const Mechanism& system, std::int32_t body);
/// A point of a body, or of its link where it has one, in the world.
Vec3d place(const Mechanism& system, std::int32_t body, std::int32_t link, const Vec3d& p_B);
/// Where a contact's core point on one side is now.
Vec3d place_core(const Mechanism& system, const ContactRow& row, std::size_t side);

}  // namespace mechane::solvers::softstep
