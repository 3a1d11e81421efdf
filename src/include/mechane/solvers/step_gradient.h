#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "mechane/model/builder.h"
#include "mechane/model/state.h"
#include "mechane/solvers/solver.h"

namespace mechane::solvers {

/// Derivatives of one step x' = f(x, u), row-major. x is [position; rate], u the joint forces, all in dof layout.
/// A change of position is one of `joint_q`; of a quaternion it is a rotation vector in parent anchor axes.
struct StepGradient {
    std::size_t          dofs = 0;
    std::vector<double>  A;  ///< [2 dofs, 2 dofs]: dx'/dx
    std::vector<double>  B;  ///< [2 dofs, dofs]: dx'/du
    [[nodiscard]] double dx(std::size_t row, std::size_t column) const { return A[row * 2 * dofs + column]; }
    [[nodiscard]] double du(std::size_t row, std::size_t column) const { return B[row * dofs + column]; }
};

struct StepGradientOptions {
    std::string_view solver = "softstep";
    SolverOptions    step{};
    double           dt = 1.0 / 60;  ///< [s]
    /// Half of what is changed for a difference [m or rad, m/s or rad/s, N or N m]: large enough that what a float
    /// rounds off is a thousandth of it.
    double position = 1e-3, rate = 1e-3, force = 1e-2;
};

/// Central differences over copies of a world, two for each column, stepped together (on the threads of `step.pool`);
/// contacts are found for each copy and start without memory. Works for any solver; where contacts come or go between
/// the two copies it is the mean slope across.
///
/// @param scene    one world, without worlds of its own
/// @param state    of its model, as `make_state` lays it out; joint coordinates count, bodies follow
/// @param control  the same
/// @error SOLVER_UNKNOWN, SOLVER_MODEL  as make_solver; SOLVER_STATE  sizes do not fit the scene, or a copy diverged
Result<StepGradient> step_gradient(const model::ModelBuilder& scene, const model::State& state,
                                   const model::Control& control, const StepGradientOptions& options, Diagnostics& out);

}  // namespace mechane::solvers
