#pragma once
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "solvers/shared/bodies.h"
#include "solvers/soft/elements.h"
#include "solvers/soft/neighbours.h"

/// Forces of what is soft at given positions and velocities, for explicit solvers.
namespace mechane::solvers::soft {

/// Springs, triangles, bending edges and tetrahedra by the formulas of Newton 1.8's semi-implicit solver. Their
/// stiffness at small strain is not that of the laws of this program: of tetrahedra 3/4 mu, of bending edges times the
/// altitude of the flap, of triangles nothing against area where `ka` is 0.
void add_newton_forces(const model::Model& model, const model::Control& control, const std::vector<Vec3d>& x,
                       const std::vector<Vec3d>& v, std::vector<Vec3d>& f);
/// The angle between the triangles of an edge [rad], the edge's length [m] and Newton 1.8's gradients, which lack the
/// division by the triangles' altitudes; false where something has no extent or there is one triangle only.
bool newton_bending(const std::array<std::int32_t, 4>& points, const std::vector<Vec3d>& x, double& angle,
                    double& long_edge, std::array<Vec3d, 4>& gradient);
/// The same elements by the laws of the solver `vbd`, damping by the velocities.
/// @param h  step [s], over which damping is a difference
void add_law_forces(const Elements& elements, const std::vector<Vec3d>& x, const std::vector<Vec3d>& v, double h,
                    std::vector<Vec3d>& f);
/// Air at rest on triangles: with the area A, the mean velocity v of the corners and the unit normal n, drag is
/// drag A |n . v| v and lift is lift A (pi/2 - acos(n . v/|v|)) v^2 n, shared by the corners.
/// @param newton  each corner takes the whole force, as Newton 1.8 has it
void add_air_forces(const model::Model& model, const std::vector<Vec3d>& x, const std::vector<Vec3d>& v, bool newton,
                    std::vector<Vec3d>& f);
/// Balls against each other: normal, damping while they approach, friction below its bound.
void add_ball_forces(const model::Model& model, const Neighbours& neighbours, const std::vector<Vec3d>& x,
                     const std::vector<Vec3d>& v, std::vector<Vec3d>& f);
/// Particles against shapes, and the shapes' bodies the other way round. Coefficients are means of the model's and the
/// shape's.
void add_shape_forces(const model::Model& model, const model::SoftContacts& contacts, const std::vector<Vec3d>& x,
                      const std::vector<Vec3d>& v, shared::Bodies& bodies, std::vector<Vec3d>& f);

}  // namespace mechane::solvers::soft
