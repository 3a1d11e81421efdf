// Derivatives of a step by central differences: A = d(q', v')/d(q, v), B = d(q', v')/d(f), for control and system
// identification. One model with 6 n copies of the scene is stepped once, so that all columns take one parallel step.
// Rows and columns are the dofs; rotations of balls and free joints are rotation vectors in the axes of the joint's
// parent anchor.
// Contacts are found for each copy, so that what touches or not is part of the derivative. With friction or stops the
// step is not differentiable everywhere; the differences then are secants of the widths in StepGradientOptions.

#include "mechane/solvers/step_gradient.h"

#include <fmt/format.h>

#include <cmath>

#include "mechane/collision/pipeline.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/solvers/codes.h"

namespace mechane::solvers {

namespace {

/// Where the position of a dof is in joint_q: a number of its own, or the quaternion that starts there.
struct Seat {
    std::size_t coord = 0;
    int         turn  = -1;  ///< which component of the rotation vector; -1: a number of its own
};

std::vector<Seat> seats_of(const model::Model& m)
{
    std::vector<Seat> seats;
    for (std::size_t j = 0; j < m.joint_count(); ++j) {
        const auto        q = static_cast<std::size_t>(m.joint_q_start[j]), nq = m.joint_q_start[j + 1] - q,
                          nv      = static_cast<std::size_t>(m.joint_qd_start[j + 1] - m.joint_qd_start[j]);
        // A joint with a quaternion has one coordinate more than dofs.
        const std::size_t scalars = nq == nv ? nv : nv - 3;  // the quaternion comes last
        for (std::size_t k = 0; k < nv; ++k)
            seats.push_back(k < scalars ? Seat{q + k} : Seat{q + scalars, static_cast<int>(k - scalars)});
    }
    return seats;
}

Quatd quaternion(const std::vector<Real>& q, std::size_t at)
{
    return {static_cast<double>(q[at]), static_cast<double>(q[at + 1]), static_cast<double>(q[at + 2]),
            static_cast<double>(q[at + 3])};
}

void move(std::vector<Real>& q, std::size_t offset, const Seat& seat, double by)
{
    const std::size_t at = offset + seat.coord;
    if (seat.turn < 0) {
        q[at] = static_cast<Real>(static_cast<double>(q[at]) + by);
        return;
    }
    // The small turn is on the left: in the axes of the parent anchor, as `difference` reads it.
    const Quatd turned = normalized(from_rotation_vector(by * axis_vector<double>(seat.turn)) * quaternion(q, at));
    q[at]              = static_cast<Real>(turned.x);
    q[at + 1]          = static_cast<Real>(turned.y);
    q[at + 2]          = static_cast<Real>(turned.z);
    q[at + 3]          = static_cast<Real>(turned.w);
}

double difference(const std::vector<Real>& q, std::size_t plus, std::size_t minus, const Seat& seat)
{
    if (seat.turn < 0) return static_cast<double>(q[plus + seat.coord]) - static_cast<double>(q[minus + seat.coord]);
    const Quatd turn = quaternion(q, plus + seat.coord) * conjugate(quaternion(q, minus + seat.coord));
    return to_rotation_vector(normalized(turn))[static_cast<std::size_t>(seat.turn)];
}

/// `source` once for each copy.
template <class T>
void repeat(const std::vector<T>& source, std::vector<T>& out)
{
    for (std::size_t i = 0; !source.empty() && i < out.size(); ++i) out[i] = source[i % source.size()];
}

Diagnostic unfit(std::string text) { return make_diagnostic(kSolverState, {}, std::move(text)); }

}  // namespace

Result<StepGradient> step_gradient(const model::ModelBuilder& scene, const model::State& state,
                                   const model::Control& control, const StepGradientOptions& options, Diagnostics& out)
{
    const auto single = scene.finalize({}, out);
    if (!single) return single.error();
    const std::size_t n = single->joint_dof_count(), coords = single->joint_coord_count();
    if (state.joint_q.size() != coords || state.joint_qd.size() != n || control.joint_f.size() != n)
        return unfit(fmt::format("the scene has {} coordinates and {} dofs, the state {} and {}, the control {} dofs",
                                 coords, n, state.joint_q.size(), state.joint_qd.size(), control.joint_f.size()));
    StepGradient gradient{n, std::vector<double>(4 * n * n), std::vector<double>(2 * n * n)};
    if (n == 0) return gradient;

    model::ModelBuilder copies;
    copies.up_axis = scene.up_axis;
    if (auto copied = copies.replicate(scene, static_cast<int>(6 * n)); !copied) return copied.error();
    Diagnostics repeated;  // what is to be said of the scene has been said once
    const auto  model = copies.finalize({}, repeated);
    if (!model) return model.error();
    model::State   at       = model::make_state(*model);
    model::Control commands = model::make_control(*model);
    repeat(state.joint_q, at.joint_q);
    repeat(state.joint_qd, at.joint_qd);
    repeat(state.body_q, at.body_q);
    repeat(state.body_qd, at.body_qd);
    repeat(state.body_f, at.body_f);
    repeat(control.joint_target_q, commands.joint_target_q);
    repeat(control.joint_target_qd, commands.joint_target_qd);
    repeat(control.joint_f, commands.joint_f);

    // Column c is that of worlds 2 c (more) and 2 c + 1 (less): positions, rates, forces.
    const std::vector<Seat> seats    = seats_of(*single);
    const double            change[] = {options.position, options.rate, options.force};
    // Copies are in the order of worlds, so world w starts at coordinate w n_q and dof w n.
    for (std::size_t world = 0; world < 6 * n; ++world) {
        const std::size_t column = world / 2, dof = column % n, kind = column / n;
        const double      by = world % 2 == 0 ? change[kind] : -change[kind];
        if (kind == 0) {
            move(at.joint_q, world * coords, seats[dof], by);
            continue;
        }
        Real& number = (kind == 1 ? at.joint_qd : commands.joint_f)[world * n + dof];
        number       = static_cast<Real>(static_cast<double>(number) + by);
    }
    // Coordinates were changed: poses and velocities of bodies follow.
    dynamics::project_to_joints(*model, at);

    const auto solver = make_solver(options.solver, *model, options.step, repeated);
    if (!solver) return solver.error();
    collision::CollisionPipeline pipeline(*model, {.pool = options.step.pool});
    model::Contacts              contacts = pipeline.make_contacts();
    pipeline.collide(at, options.dt, contacts);
    const StepReport report =
        (*solver)->step(at, at, commands, (*solver)->finds_contacts() ? nullptr : &contacts, options.dt);
    if (report.diverged || !report.diverged_worlds.empty())
        return unfit("a copy of the state diverged: " + report.culprit);

    for (std::size_t column = 0; column < 3 * n; ++column) {
        const std::size_t plus = 2 * column, minus = plus + 1;
        const double      over = 1 / (2 * change[column / n]);
        for (std::size_t row = 0; row < 2 * n; ++row) {
            const double d = row < n ? difference(at.joint_q, plus * coords, minus * coords, seats[row])
                                     : static_cast<double>(at.joint_qd[plus * n + row - n]) -
                                           static_cast<double>(at.joint_qd[minus * n + row - n]);
            (column < 2 * n ? gradient.A[row * 2 * n + column] : gradient.B[row * n + column - 2 * n]) = over * d;
        }
    }
    return gradient;
}

}  // namespace mechane::solvers
