#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include "mechane/core/result.h"
#include "mechane/device/device_batch.h"
#include "mechane/device/memory.h"
#include "mechane/model/model.h"
#include "mechane/solvers/solver.h"

namespace mechane::device {

/// The name of a solver and where it steps: "softstep@cuda:0" is softstep on the first CUDA device, "xpbd" xpbd on the
/// CPU. Recordings keep it, so that a replay steps where the run did.
struct SolverPlace {
    std::string             solver;
    std::optional<Executor> device;  ///< none: the CPU's own solvers
};
/// @error DEV_NAME
Result<SolverPlace> parse_solver(std::string_view text);
/// A solver's name with a device's: "softstep" and "cuda" give "softstep@cuda:0".
/// @error DEV_NAME; DEV_OPTION  the name has another device already
Result<std::string> with_device(std::string_view solver, std::string_view device);

/// What solvers::make_solver makes; with a device in the name (`SolverPlace`), softstep on it behind the same
/// interface: states and controls go there and come back at every step, so that whatever steps a solver can use it. Who
/// steps many worlds for long keeps them where they are stepped: DeviceBatch, Stepper.
///
/// On a device the solver finds contacts itself, its worlds must be alike, and it hands nothing on but the state
/// (`save`); sleeping, observables and other solvers are refused.
/// @param dt  of the steps to come; another one makes the plan anew [s]
/// @error DEV_NOT_SUPPORTED, DEV_NOT_ALIKE, DEV_OPTION, those of the driver, and those of solvers::make_solver
Result<std::unique_ptr<solvers::Solver>> make_solver(std::string_view name, const model::Model& model,
                                                     const solvers::SolverOptions& options, double dt,
                                                     Diagnostics& out);

/// State arrays that stay on an executor; sizes are those of model::State.
struct StateMemory {
    std::shared_ptr<Memory> joint_q, joint_qd, body_q, body_qd, body_f;
};
struct ControlMemory {
    std::shared_ptr<Memory> joint_target_q, joint_target_qd, joint_f;
};

/// Steps states that stay on an executor, any number of them in turn with one plan.
class Stepper {
  public:
    /// @error those of DeviceBatch::make
    static Result<std::unique_ptr<Stepper>> make(const model::Model& model, const BatchOptions& options);

    /// A step from `in` to `out`, which may be the same; enqueued only, where there is a queue.
    [[nodiscard]] Result<void> step(const StateMemory& in, const ControlMemory& control, const StateMemory& out);
    [[nodiscard]] DeviceBatch& batch() { return batch_; }
    [[nodiscard]] const std::shared_ptr<const Where>& where() const { return where_; }

  private:
    Stepper(DeviceBatch batch, std::shared_ptr<const Where> where) : batch_(std::move(batch)), where_(std::move(where))
    {
    }
    Result<void> move(const std::shared_ptr<Memory>& memory, Array array, bool in);

    DeviceBatch                  batch_;
    std::shared_ptr<const Where> where_;
};

}  // namespace mechane::device
