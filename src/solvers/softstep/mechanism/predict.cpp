// Velocities at the end of a substep without rows: kinematics, inverse dynamics, mass matrix, implicit drives and
// springs. Mechanism::motion is changed in place; `tau` holds the bias forces.
//
//     (M + h B + h^2 K) dv = h (tau - bias + K (e - h v) - B v)         set_diagonal, set_impulses
//
// M          mass matrix with armature (dynamics/articulated.h: Featherstone 2008, chapters 5 and 6)
// K, B       stiffness and damping of drives, springs and dampers, diagonal
// tau, bias  given forces of the dofs; forces that hold the present motion against gravity and velocity forces
// e          target less coordinate of a drive or spring; a target rate is subtracted from v in B v
// h, dv      substep [s]; change of the rates v
//
// This is implicit Euler, exact for one dof and stable for any gains. A drive beyond its effort limit becomes a
// constant force and the system is solved again (saturate_drives). Free bodies turn by `gyrate`.
// docs/softstep_method.md, "Prediction of a tree", says more.
// One tree (predict_tree) and four that are alike (prepare_four) run the same operations in the same order.

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/softstep/mechanism/loops.h"
#include "solvers/softstep/mechanism/predict.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/parameters.h"

namespace mechane::solvers::softstep {

/// Torque-free change of the angular velocity over h, body axes: explicit midpoint of w' = I^-1 (I w x w), then
/// rescaled so that |I w| stays. Above 0.25 rad a step one Newton step of the implicit equation instead, which is
/// robust and over-damped. Advancing the rotation first and taking w from the conserved momentum is only first order
/// and drifts on the separatrix.
Vec3d gyrate(const Mat33d& I, const Mat33d& I_inv, const Vec3d& w, double h)
{
    const Vec3d  L      = I * w;
    const double before = length(L);
    if (!(before > 0)) return w;
    Vec3d next;
    if (length(w) * h > 0.25) {
        const Vec3d  f = h * cross(w, L);
        // Newton's matrix of I w' + h w' x I w' = I w at w.
        const Mat33d J = I + h * (Mat33d::skew(w) * I - Mat33d::skew(L));
        next           = w - inverse(J) * f;
    } else {
        const Vec3d middle = w + (0.5 * h) * (I_inv * cross(L, w));
        next               = w + h * (I_inv * cross(I * middle, middle));
    }
    const double after = length(I * next);
    return after > 0 ? (before / after) * next : w;
}

bool has_acceleration_drives(const Mechanism& system, const Tree& tree)
{
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
        if (system.laws[k].acceleration) return true;
    return false;
}

namespace {

/// A velocity that rows may act on. What loads drive beyond all bounds becomes no number: a limit or a contact would
/// take it away with all the digits that say how much is left, and the body would stand still as if nothing pushed it.
double bounded(double v) { return std::abs(v) < kLostVelocity ? v : std::numeric_limits<double>::quiet_NaN(); }

void predict_single(Mechanism& system, const Tree& tree, const Vec3d& gravity, double h)
{
    const std::int32_t t        = static_cast<std::int32_t>(&tree - system.forest.trees.data());
    const std::int32_t l        = tree.link_begin;
    const Link&        link     = system.forest.links[l];
    const Mat33d&      R        = system.motion.R_WB[l];
    const Mat33d&      I_inv    = system.inverse_inertia[t];
    system.inverse_inertia_W[t] = R * I_inv * transpose(R);
    double*         v           = system.motion.v.data() + tree.dof_begin;
    const Spatiald& f           = system.wrench[l];
    const Vec3d     a           = link.mass > 0 ? gravity + f.linear / link.mass : Vec3d{};
    const Vec3d     w_B         = gyrate(link.inertia, I_inv, transpose_times(R, Vec3d{v[3], v[4], v[5]}), h);
    // World components of w do not change while the frame turns about w itself, so the new body components are stored
    // with the old R.
    const Vec3d w = R * w_B + h * (system.inverse_inertia_W[t] * f.angular);
    v[0]          = bounded(v[0] + h * a.x);
    v[1]          = bounded(v[1] + h * a.y);
    v[2]          = bounded(v[2] + h * a.z);
    v[3]          = bounded(w.x);
    v[4]          = bounded(w.y);
    v[5]          = bounded(w.z);
}

/// Position errors of drives and springs at the present configuration.
void read_errors(Mechanism& system, const Tree& tree)
{
    const model::Model& m = *system.model;
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = system.forest.links[l];
        if (link.free) continue;
        const double* q = system.motion.q.data() + link.coord;
        if (link.axes.type == model::JointType::ball) {
            DofLaw* const laws = &system.laws[link.dof];
            // Nobody asks where nothing drives: most balls of chains and ragdolls.
            if (std::all_of(laws, laws + 3, [](const DofLaw& law) { return law.ke == 0 && law.stiffness == 0; })) {
                for (int k = 0; k < 3; ++k) laws[k].error = laws[k].rest_error = 0;
                continue;
            }
            // A rotation vector in parent anchor axes, as the velocities of a ball are.
            const std::int32_t c      = m.joint_q_start[link.joint];
            const Quatd        now    = {q[0], q[1], q[2], q[3]};
            const auto         vector = [&](const std::vector<Real>& from) {
                const Quatd goal = {static_cast<double>(from[c]), static_cast<double>(from[c + 1]),
                                    static_cast<double>(from[c + 2]), static_cast<double>(from[c + 3])};
                return is_finite(goal) ? to_rotation_vector(normalized(normalized(goal) * conjugate(now))) : Vec3d{};
            };
            // From the coordinate to the goal, about the parent anchor's axes.
            const Vec3d e = vector(system.law_sources.target_q()), r = vector(m.joint_rest_q);
            for (std::size_t k = 0; k < 3; ++k) {
                system.laws[link.dof + k].error      = e[k];
                system.laws[link.dof + k].rest_error = r[k];
            }
            continue;
        }
        for (std::int32_t k = 0; k < link.dofs; ++k) {
            DofLaw& law    = system.laws[link.dof + k];
            law.error      = law.target - q[k];
            law.rest_error = law.rest - q[k];
        }
    }
}

/// Factors the mass matrix with `diagonal` added, in the way that suits the tree, so that `respond_tree` knows it.
void factor_tree(Mechanism& system, const Tree& tree)
{
    if (tree.deep) {
        dynamics::factor_articulated(system.forest, tree, system.diagonal, system.motion, system.articulated);
        return;
    }
    const dynamics::Paths& paths = system.paths;
    const std::size_t      first = paths.row(tree.dof_begin), end = paths.row(tree.dof_end);
    std::copy_n(system.mass.data() + first, end - first, system.factored.data() + first);
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
        system.factored[paths.diagonal(k)] += system.diagonal[k];
    dynamics::factor(tree, system.paths, system.factored, system.inverse_pivots);
}

/// Room for a vector of a tree's dofs in whole blocks of four, whose last numbers are zero.
double* whole_blocks(Mechanism& system, const Tree& tree)
{
    double* x = system.row_scratch.data() + 8 * static_cast<std::ptrdiff_t>(tree.dof_begin);
    std::fill_n(x + tree.dof_count(), kLanes * tree.block_count() - tree.dof_count(), 0.0);
    return x;
}

/// x := M^-1 x, of the tree's dofs, in whole blocks.
void respond_tree(Mechanism& system, const Tree& tree, double* x)
{
    if (tree.deep) {
        dynamics::respond_articulated(system.forest, tree, system.motion, system.articulated, x, 1);
        return;
    }
    dynamics::solve_factored(tree, system.paths, system.factored, system.inverse_pivots, x);
}

/// Acceleration drives act on the inertia that their dof feels with all others free: 1 / (M^-1)_kk. Their gains become
/// force gains.
void scale_acceleration_drives(Mechanism& system, const Tree& tree)
{
    if (!has_acceleration_drives(system, tree)) return;
    const auto n = static_cast<std::size_t>(tree.dof_count());
    for (std::size_t k = 0; k < n; ++k) system.diagonal[tree.dof_begin + k] = system.laws[tree.dof_begin + k].armature;
    factor_tree(system, tree);
    for (std::size_t k = 0; k < n; ++k) {
        DofLaw& law = system.laws[tree.dof_begin + k];
        if (!law.acceleration) continue;
        double* x = whole_blocks(system, tree);
        std::fill_n(x, n, 0.0);
        x[k] = 1;
        respond_tree(system, tree, x);
        // The inertia that the dof feels with all others free.
        const double inertia = x[k] > 0 ? 1 / x[k] : 0;
        law.ke *= inertia;
        law.kd *= inertia;
        law.acceleration = false;  // done for this step
    }
}

/// Whether velocity forces turn so far within a step that those of its beginning would feed the motion: an explicit
/// step grows by (w h)^2 / 2.
bool spins(const Mechanism& system, const Tree& tree, double h)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l)
        if (length(system.motion.twist[l].angular) * h > kSpin) return true;
    return false;
}

// Drives, springs and dampers are implicit: (M + h B + h^2 K) dv = h (tau - bias + K (e - h v) - B v), exact implicit
// Euler for one dof. A drive beyond its effort limit becomes a constant force and the system is solved again without
// its gains.

/// What gains and armature add to the mass matrix (Mechanism::diagonal).
void set_diagonal(Mechanism& system, const Tree& tree, double h)
{
    for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) {
        const DofLaw& law = system.laws[k];
        double        ke = law.stiffness, kd = law.damping;
        if (law.saturated == 0) {
            ke += law.ke;
            kd += law.kd;
        }
        system.diagonal[k] = law.armature + h * kd + h * h * ke;
    }
}

/// The right-hand side, with the forces that hold the motion (Mechanism::tau); `x`: of the tree's dofs.
void set_impulses(const Mechanism& system, const Tree& tree, double h, double* x)
{
    const double *bias = system.tau.data() + tree.dof_begin, *v = system.motion.v.data() + tree.dof_begin;
    const DofLaw* laws = system.laws.data() + tree.dof_begin;
    for (std::int32_t k = 0; k < tree.dof_count(); ++k) {
        const DofLaw& law   = laws[k];
        // Spring and damper at the end of the substep: e - h v is what is left of the error at the present rate.
        double        force = law.force - bias[k] + law.stiffness * (law.rest_error - h * v[k]) - law.damping * v[k];
        if (law.saturated == 0)
            force += law.ke * (law.error - h * v[k]) + law.kd * (law.target_rate - v[k]);
        else
            force += law.saturated * law.effort_limit;
        x[k] = h * force;
    }
}

/// After the solution `x`: which drives would exceed their effort limit. Returns whether they are others than before.
bool saturate_drives(Mechanism& system, const Tree& tree, double h, const double* x, bool last_round)
{
    const double* v       = system.motion.v.data() + tree.dof_begin;
    bool          changed = false;
    for (std::int32_t k = 0; k < tree.dof_count(); ++k) {
        DofLaw& law = system.laws[tree.dof_begin + k];
        if (law.ke == 0 && law.kd == 0) continue;
        const double after = v[k] + x[k];
        const double drive = law.ke * (law.error - h * after) + law.kd * (law.target_rate - after);
        // A relative margin, so that a drive at its limit does not change sides by rounding.
        const int    now = drive > law.effort_limit * (1 + 1e-9) ? 1 : drive < -law.effort_limit * (1 + 1e-9) ? -1 : 0;
        changed          = changed || now != law.saturated;
        if (!last_round) law.saturated = now;
    }
    return changed;
}

/// The same step with the velocity forces of its middle, in two parts: between them Mechanism::tau becomes those of the
/// velocities that the first one sets. `x`: the solution so far, in the room of `whole_blocks`.
void go_to_middle(Mechanism& system, const Tree& tree, double* x)
{
    const auto    n = static_cast<std::size_t>(tree.dof_count()), dofs = static_cast<std::size_t>(tree.dof_begin);
    double*       v      = system.motion.v.data() + dofs;
    double* const middle = x + 4 * n;
    for (std::size_t k = 0; k < n; ++k) {
        middle[k] = v[k];
        v[k] += 0.5 * x[k];
        // The bias of the beginning is kept to be compared with that of the middle.
        x[k] = system.tau[dofs + k];
    }
}

void leave_middle(Mechanism& system, const Tree& tree, double h, double* x)
{
    const auto    n = static_cast<std::size_t>(tree.dof_count()), dofs = static_cast<std::size_t>(tree.dof_begin);
    double*       v      = system.motion.v.data() + dofs;
    double* const middle = x + 4 * n;
    for (std::size_t k = 0; k < n; ++k) {
        const double first_half = 2 * (v[k] - middle[k]);
        v[k]                    = middle[k];
        middle[k]               = first_half;
        // What the middle's bias differs by, as an impulse.
        x[k]                    = h * (x[k] - system.tau[dofs + k]);
    }
}

/// After the response to the impulses that the second part left in `x`.
void add_middle(const Tree& tree, double* x)
{
    const auto n = static_cast<std::size_t>(tree.dof_count());
    for (std::size_t k = 0; k < n; ++k) x[k] += x[4 * n + k];
}

void change_velocities(Mechanism& system, const Tree& tree, const double* x)
{
    double* const v = system.motion.v.data() + tree.dof_begin;
    for (std::int32_t k = 0; k < tree.dof_count(); ++k) v[k] = bounded(v[k] + x[k]);
}

void predict_tree(Mechanism& system, const Tree& tree, const Vec3d& gravity, double h, bool first)
{
    const Forest& f = system.forest;
    if (tree.dof_count() == 0) return;
    const std::span<double> bias =
        std::span(system.tau)
            .subspan(static_cast<std::size_t>(tree.dof_begin), static_cast<std::size_t>(tree.dof_count()));
    dynamics::turn_inertias(f, tree, system.motion);
    dynamics::inverse_dynamics(f, tree, gravity, system.wrench, nullptr, system.motion, bias);
    if (!tree.deep) dynamics::mass_matrix(f, tree, system.paths, system.motion, system.mass);
    read_errors(system, tree);
    if (first) scale_acceleration_drives(system, tree);
    double* const x = whole_blocks(system, tree);
    // A drive that gives up its gains changes the load of the others, so which drives saturate is found in rounds. The
    // last round only answers: a set that still changes then would be found in the next substep.
    for (int round = 0; round < kMaxDriveRounds; ++round) {
        set_diagonal(system, tree, h);
        factor_tree(system, tree);
        set_impulses(system, tree, h, x);
        respond_tree(system, tree, x);
        if (!saturate_drives(system, tree, h, x, round + 1 == kMaxDriveRounds)) break;
    }
    if (spins(system, tree, h)) {
        const auto links = static_cast<std::size_t>(tree.link_end - tree.link_begin);
        const auto move  = [&](std::vector<Spatiald>& from, std::vector<Spatiald>& to) {
            std::copy_n(from.begin() + tree.link_begin, links, to.begin() + tree.link_begin);
        };
        go_to_middle(system, tree, x);
        move(system.motion.twist, system.held_twist);
        move(system.motion.link_velocity, system.held_velocity);
        dynamics::update_velocities(f, tree, system.motion);
        dynamics::inverse_dynamics(f, tree, gravity, system.wrench, nullptr, system.motion, bias);
        move(system.held_twist, system.motion.twist);
        move(system.held_velocity, system.motion.link_velocity);
        leave_middle(system, tree, h, x);
        respond_tree(system, tree, x);
        add_middle(tree, x);
    }
    change_velocities(system, tree, x);
}

/// Velocities before the substep, as those of rows are.
void keep_velocities(Mechanism& system, const Group& group)
{
    std::copy(system.motion.v.begin() + group.dof_begin, system.motion.v.begin() + group.dof_end,
              system.previous_u.begin() + group.u_begin);
}

}  // namespace

void prepare_group(Mechanism& system, const Group& group, double h, bool first)
{
    const Forest& f = system.forest;
    if (!first)  // at the start of a step they are up to date
        for (std::int32_t t = group.tree_begin; t < group.tree_end; ++t)
            dynamics::forward_kinematics(f, f.trees[t], system.motion);
    keep_velocities(system, group);
    for (std::int32_t t = group.tree_begin; t < group.tree_end; ++t) {
        const Tree& tree    = f.trees[t];
        const Vec3d gravity = static_cast<Vec3d>(system.model->gravity_of(tree.world));
        if (tree.single)
            predict_single(system, tree, gravity, h);
        else
            predict_tree(system, tree, gravity, h, first);
    }
    if (group.row_count == 0) return;
    // Loops at the predicted velocities.
    build_loops(system, group);
    project_velocity(system, group);
    close_loops(system, group, h);
}

void prepare_four(Mechanism& system, const dynamics::FourTrees& trees, double h, dynamics::FourDynamics& four)
{
    const Forest& f     = system.forest;
    const auto    every = [&](const auto& visit) {
        for (std::size_t i = 0; i < 4; ++i) visit(f.trees[trees[i]], i);
    };
    std::array<Vec3d, 4>   gravity;
    std::array<double*, 4> x{};
    every([&](const Tree& tree, std::size_t i) {
        keep_velocities(system, system.groups[tree.group]);
        gravity[i] = static_cast<Vec3d>(system.model->gravity_of(tree.world));
        x[i]       = whole_blocks(system, tree);
        read_errors(system, tree);
    });
    four.inverse_dynamics(gravity, system.wrench, system.tau);
    for (int round = 0; round < kMaxDriveRounds; ++round) {
        every([&](const Tree& tree, std::size_t) { set_diagonal(system, tree, h); });
        four.factor(system.diagonal);
        every([&](const Tree& tree, std::size_t i) { set_impulses(system, tree, h, x[i]); });
        four.respond(x);
        bool changed = false;  // one that has not finds the same again
        every([&](const Tree& tree, std::size_t i) {
            if (saturate_drives(system, tree, h, x[i], round + 1 == kMaxDriveRounds)) changed = true;
        });
        if (!changed) break;
    }
    std::array<bool, 4> turns{};
    every([&](const Tree& tree, std::size_t i) {
        turns[i] = spins(system, tree, h);
        if (turns[i]) go_to_middle(system, tree, x[i]);
    });
    if (std::find(turns.begin(), turns.end(), true) != turns.end()) {
        four.set_velocities(system.motion.v);
        four.inverse_dynamics(gravity, system.wrench, system.tau);
        std::array<double*, 4> impulses{};
        every([&](const Tree& tree, std::size_t i) {
            impulses[i] = turns[i] ? x[i] : x[i] + 5 * static_cast<std::ptrdiff_t>(tree.dof_count());
            if (turns[i]) leave_middle(system, tree, h, x[i]);
        });
        four.respond(impulses);
        every([&](const Tree& tree, std::size_t i) {
            if (turns[i]) add_middle(tree, x[i]);
        });
    }
    every([&](const Tree& tree, std::size_t i) { change_velocities(system, tree, x[i]); });
    four.whiten(system.motion.v);
}

/// The base of a tree changed its velocity: the tree gets the impulse through its joint, dv = -M^-1 S^T I change.
void kick_tree(Mechanism& system, const Tree& tree, const Spatiald& change)
{
    const Forest&      f    = system.forest;
    const std::int32_t base = f.links[tree.link_begin].base;
    const Vec3d        O    = system.motion.reference[static_cast<std::size_t>(&tree - f.trees.data())];
    const auto         n    = static_cast<std::size_t>(tree.dof_count());
    if (n > 0) {
        dynamics::turn_inertias(f, tree, system.motion);
        for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) system.diagonal[k] = system.laws[k].armature;
        if (!tree.deep) dynamics::mass_matrix(f, tree, system.paths, system.motion, system.mass);
        factor_tree(system, tree);
        double* const x = whole_blocks(system, tree);
        dynamics::rigid_momentum(f, tree, shift_twist(change, O - system.motion.base_com[base]), system.motion, {x, n});
        for (std::size_t k = 0; k < n; ++k) x[k] = -x[k];
        respond_tree(system, tree, x);
        change_velocities(system, tree, x);
    }
    dynamics::update_velocities(f, tree, system.motion);
}

bool clamp_velocity(Mechanism& system, const Group& group)
{
    const Forest& f       = system.forest;
    bool          clamped = false;
    for (std::int32_t t = group.tree_begin; t < group.tree_end; ++t) {
        const Tree& tree    = f.trees[t];
        double      largest = 0;
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
            const Link&   link = f.links[l];
            const double* v    = system.motion.v.data() + link.dof;
            if (link.free)
                largest = std::max({largest, std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]),
                                    std::sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])});
            else
                for (std::int32_t k = 0; k < link.dofs; ++k) largest = std::max(largest, std::abs(v[k]));
        }
        // An explosion is left as it is: the step will be undone. A tree is slowed as a whole, which keeps its motion's
        // shape.
        if (!(largest > kMaxVelocity) || !(largest < kDivergedVelocity)) continue;
        clamped = true;
        for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) system.motion.v[k] *= kMaxVelocity / largest;
    }
    return clamped;
}

}  // namespace mechane::solvers::softstep
