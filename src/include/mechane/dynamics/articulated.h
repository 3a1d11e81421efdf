#pragma once
#include <span>
#include <vector>

#include "mechane/dynamics/forest.h"
#include "mechane/dynamics/paths.h"
#include "mechane/math/spatial.h"

namespace mechane::dynamics {

// The algorithms of reduced coordinates, tree by tree, in double and without allocation. Spatial quantities are in
// world axes about a reference point of the tree that moves with it (the root's centre of mass), so that precision does
// not depend on how far from the world's origin a robot stands. Equations: Featherstone, "Rigid Body Dynamics
// Algorithms" (2008), chapters 5 (RNEA), 6 (CRBA, LTDL), with the products Sdot qd of joints whose axes are carried by
// one another.

/// Inertia of a rigid composite about the reference point of its tree, world axes.
template <class T>
struct CompositeT {
    T         m = 0;  ///< [kg]
    Vec3T<T>  h;      ///< first moment [kg m]
    Mat33T<T> I{};    ///< second moment [kg m^2]
};
using Composite = CompositeT<double>;

/// Configuration, velocity and everything derived from them, for all trees of a forest.
/// Internal coordinates: scalars; BALL a quaternion; free links the pose of the body frame (7 numbers) with velocity
/// (v of the centre of mass, w) in world axes.
struct Motion {
    std::vector<double>   q, v;    ///< [coord_count], [dof_count]
    std::vector<Posed>    X_WB;    ///< per link: body frame in the world
    std::vector<Mat33d>   R_WB;    ///< per link
    std::vector<Vec3d>    com_W;   ///< per link: centre of mass
    std::vector<Mat33d>   I_W;     ///< per link: inertia about the centre of mass, world axes
    std::vector<Spatiald> twist;   ///< per link: velocity of the centre of mass, angular velocity
    std::vector<Spatiald> column;  ///< per dof: velocity of the tree's reference point, angular velocity, per unit rate
    std::vector<Spatiald> link_velocity;  ///< per link: as `column`, of the whole link
    std::vector<Spatiald> link_force;     ///< scratch of inverse dynamics
    std::vector<Spatiald> link_acceleration;
    std::vector<Composite> composite;  ///< scratch of the mass matrix
    std::vector<Spatiald>  momentum;   ///< scratch of the mass matrix, per dof: what moves with it, at unit rate
    /// Of the mass matrix: `column` of trees that are not single, six rows for each block of four dofs.
    std::vector<double>   columns;
    std::vector<Vec3d>    reference;   ///< per tree
    std::vector<Posed>    base_X;      ///< [body_count]: poses of prescribed bodies
    std::vector<Spatiald> base_twist;  ///< [body_count]: their velocities (of the centre of mass)
    std::vector<Vec3d>    base_com;    ///< [body_count]: their centres of mass, world

    void resize(const Forest& forest, std::size_t bodies);
};

/// Poses, motion columns and velocities of the links of a tree.
void forward_kinematics(const Forest& forest, const Tree& tree, Motion& motion);

/// Velocities of the links after `Motion::v` was written to and the configuration was not.
void update_velocities(const Forest& forest, const Tree& tree, Motion& motion);

/// Inertias of the links in world axes, which inverse dynamics and the mass matrix need; after forward kinematics.
void turn_inertias(const Forest& forest, const Tree& tree, Motion& motion);

/// Generalized forces that hold qdd = 0 [dof_count of the tree]: gravity, Coriolis and centrifugal forces, minus
/// external wrenches. `wrench` [links of the forest] acts about each centre of mass, world axes; may be empty.
/// Velocities and inertias must be up to date. With a null `qdd` accelerations are zero.
void inverse_dynamics(const Forest& forest, const Tree& tree, const Vec3d& gravity, std::span<const Spatiald> wrench,
                      const double* qdd, Motion& motion, std::span<double> tau);

/// Composite rigid body algorithm: the tree's rows of the mass matrix [paths.size()]. No armature.
/// Inertias must be up to date.
void mass_matrix(const Forest& forest, const Tree& tree, const Paths& paths, Motion& motion, std::span<double> matrix);

/// What each dof of a tree sees of the momentum that its links have when all of them move with the twist `v` about the
/// tree's reference point (Motion::reference), as one rigid body [dof_count of the tree]. Inertias must be up to date.
void rigid_momentum(const Forest& forest, const Tree& tree, const Spatiald& v, Motion& motion, std::span<double> p);

/// M = L^T D L in place without fill-in (Featherstone 2008, 6.5): L without its ones, and 1/D. A pivot that is not
/// clearly positive (a dof that has zero inertia) locks its dof: 1/D becomes 0 there. `matrix` [paths.size()],
/// `inverse_pivots` [dof_count of the forest]. Returns the number of locked dofs.
int factor(const Tree& tree, const Paths& paths, std::span<double> matrix, std::span<double> inverse_pivots);

/// x := M^-1 x for one tree, x[k] of its dofs; here and in the next two the vectors have whole blocks of four numbers,
/// finite ones after the last dof.
void solve_factored(const Tree& tree, const Paths& paths, std::span<const double> factored,
                    std::span<const double> inverse_pivots, double* x);
/// y := L v, and x := L^-1 x.
void multiply_unit(const Tree& tree, const Paths& paths, std::span<const double> factored, const double* v, double* y);
void solve_unit(const Tree& tree, const Paths& paths, std::span<const double> factored, double* x);

/// x := M^-1 x for `lanes` right-hand sides of one tree stored dof by dof, x[k * stride + lane].
template <int lanes, int stride = lanes>
void solve_factored(const Tree& tree, const Paths& paths, std::span<const double> factored,
                    std::span<const double> inverse_pivots, double* x)
{
    for (std::int32_t k = tree.dof_end; k-- > tree.dof_begin;) {
        const auto    path = paths.of(k);
        const double* row  = factored.data() + paths.row(k);
        const double* xk   = x + static_cast<std::ptrdiff_t>(k - tree.dof_begin) * stride;
        bool          any  = false;
        for (int l = 0; l < lanes; ++l) any = any || xk[l] != 0;
        if (!any) continue;  // only the dofs above a load have one
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            const double a  = row[paths.place[static_cast<std::size_t>(path[i])]];
            double*      xi = x + static_cast<std::ptrdiff_t>(path[i] - tree.dof_begin) * stride;
            for (int l = 0; l < lanes; ++l) xi[l] -= a * xk[l];
        }
    }
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) {
        const auto    path = paths.of(k);
        const double* row  = factored.data() + paths.row(k);
        double*       xk   = x + static_cast<std::ptrdiff_t>(k - tree.dof_begin) * stride;
        for (int l = 0; l < lanes; ++l) xk[l] *= inverse_pivots[static_cast<std::size_t>(k)];
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            const double  a  = row[paths.place[static_cast<std::size_t>(path[i])]];
            const double* xi = x + static_cast<std::ptrdiff_t>(path[i] - tree.dof_begin) * stride;
            for (int l = 0; l < lanes; ++l) xk[l] -= a * xi[l];
        }
    }
}

/// Velocity of a point (world) of a link per unit rate of each dof: visits the dofs on the way to the root.
/// `visit(dof, velocity, angular)`.
template <class Visit>
void visit_point_columns(const Forest& forest, const Motion& motion, std::int32_t link, const Vec3d& p_W, Visit&& visit)
{
    const Vec3d r = p_W - motion.reference[static_cast<std::size_t>(forest.links[static_cast<std::size_t>(link)].tree)];
    for (std::int32_t l = link; l >= 0; l = forest.links[static_cast<std::size_t>(l)].parent) {
        const Link& at = forest.links[static_cast<std::size_t>(l)];
        for (std::int32_t k = at.dof; k < at.dof + at.dofs; ++k) {
            const Spatiald& s = motion.column[static_cast<std::size_t>(k)];
            visit(k, s.linear + cross(s.angular, r), s.angular);
        }
    }
}

/// q := q moved by the velocity v for the time h on the joint manifold; v is laid out as Motion::v.
void integrate(const Forest& forest, const Tree& tree, std::span<const double> v, double h, Motion& motion);

/// Internal configuration and velocity of one tree from a joint state; links with `from_body` start from the body
/// arrays.
/// @param body_wins  per body, may be empty: this free link starts from the body arrays although its joint has
/// coordinates
void load(const model::Model& model, const Forest& forest, const Tree& tree, std::span<const Real> joint_q,
          std::span<const Real> joint_qd, std::span<const Pose> body_q, std::span<const Spatial> body_qd,
          std::span<const std::uint8_t> body_wins, Motion& motion);

}  // namespace mechane::dynamics
