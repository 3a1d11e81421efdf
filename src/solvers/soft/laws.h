#pragma once
#include <array>

#include "mechane/math/mat.h"

/// Elastic laws of particles. Each gives an energy U of the positions, and for one of its particles a `Block`: the
/// force -dU/dx and a positive semidefinite approximation of d2U/dx2. Damping is added to a block as the gradient of a
/// potential of the change since the start of the step, so that an implicit step dissipates. Positions are in world
/// axes [m]; blocks are in world axes [N], [N/m].
namespace mechane::solvers::soft {

struct Block {
    Vec3d  force;
    Mat33d hessian{};
};

/// U = ke/2 (l - rest)^2, damping on dl/dt.
struct SpringLaw {
    double rest = 0, ke = 0, kd = 0;  ///< [m], [N/m], [N s/m]
};
using SpringPoints = std::array<Vec3d, 2>;
double spring_energy(const SpringLaw& law, const SpringPoints& x);
/// @param before  positions at the start of the step, `inv_dt` the inverse of its time [1/s]
Block spring_block(const SpringLaw& law, std::size_t corner, const SpringPoints& x, const SpringPoints& before,
                   double inv_dt);

/// Stable neo-Hookean membrane (Smith, De Goes, Kim 2018, "Stable Neo-Hookean flesh simulation", with the area ratio in
/// place of the volume ratio). mu and lambda are the Lame parameters at small strain.
struct TriangleLaw {
    std::array<double, 4> pose{};                      ///< inverse rest edges, 2x2 row by row [1/m]
    double                area = 0;                    ///< at rest [m^2]
    double                mu = 0, lambda = 0, kd = 0;  ///< [N/m], [N/m], [N s/m]
    double                activation = 0;              ///< by how much the preferred area ratio is smaller
};
using TrianglePoints = std::array<Vec3d, 3>;
double triangle_energy(const TriangleLaw& law, const TrianglePoints& x);
/// The least energy that it can have: zero at rest, below zero where an activation moves the rest shape away.
double triangle_lowest(const TriangleLaw& law);
Block  triangle_block(const TriangleLaw& law, std::size_t corner, const TrianglePoints& x, const TrianglePoints& before,
                      double inv_dt);

/// Stable neo-Hookean solid, of the same source.
struct TetLaw {
    Mat33d pose{};                          ///< inverse rest edges [1/m]
    double mu = 0, lambda = 0, k_damp = 0;  ///< [Pa], [Pa], [Pa s]
    double activation = 0;                  ///< by how much the preferred volume ratio is smaller
};
using TetPoints = std::array<Vec3d, 4>;
double tet_energy(const TetLaw& law, const TetPoints& x);
double tet_lowest(const TetLaw& law);
Block  tet_block(const TetLaw& law, std::size_t corner, const TetPoints& x, const TetPoints& before, double inv_dt);

/// U = ke/2 * rest length * (angle - rest angle)^2 between the triangles (x0, x2, x3) and (x1, x3, x2).
struct BendingLaw {
    double rest_angle = 0, rest_length = 0;  ///< [rad], [m]
    double ke = 0, kd = 0;                   ///< [N], [N s]
};
using BendingPoints = std::array<Vec3d, 4>;
double bending_energy(const BendingLaw& law, const BendingPoints& x);
/// Zero where a triangle or the edge has no extent.
Block bending_block(const BendingLaw& law, std::size_t corner, const BendingPoints& x, const BendingPoints& before,
                    double inv_dt);
/// The angle [rad] and its gradient for each corner [rad/m]; false where a triangle or the edge has no extent.
bool bending_angle(const BendingPoints& x, double& angle, std::array<Vec3d, 4>* gradient);

}  // namespace mechane::solvers::soft
