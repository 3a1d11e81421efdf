// Two faces of DeviceBatch. `DeviceSolver` is a solver like those of the CPU: states and controls are the host's, and
// travel at every step. `Stepper` steps states that lie on the device already, and copies there only.
#include "mechane/device/device_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "mechane/device/codes.h"
#include "mechane/solvers/codes.h"

namespace mechane::device {

namespace {

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b)
{ return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0); }

class DeviceSolver final : public solvers::Solver {
  public:
    DeviceSolver(const model::Model& model, BatchOptions options, DeviceBatch batch)
        : model_(&model), options_(std::move(options)), batch_(std::move(batch)), defaults_(model::make_control(model))
    {
    }

    solvers::StepReport step(const model::State& in, model::State& out, const model::Control& control,
                             model::Contacts* /*contacts*/, double dt) override
    {
        // No time passes: nothing travels.
        if (dt == 0) {
            if (&in != &out) out = in;
            return {};
        }
        solvers::StepReport report;
        const double        begin = in.time;
        // A failure of the device leaves the state as it was, and is told in the report. Solvers do not throw.
        if (Result<void> done = try_step(in, out, control, dt, report); !done) {
            if (&in != &out) out = in;
            report.diverged = true;
            report.refused  = done.error();
            return report;
        }
        // Not the batch's count of steps: the caller's state decides where its time begins.
        out.time = begin + dt;
        return report;
    }

    [[nodiscard]] bool finds_contacts() const override { return true; }
    void               found_contacts(const model::State& /*state*/, model::Contacts& out) const override
    {
        // Nothing found is better than contacts of an earlier step.
        if (!batch_.read(out)) out.clear();
    }
    void reset() override
    {
        const std::vector<std::uint8_t> all(static_cast<std::size_t>(batch_.world_count()), 1);
        reset_worlds(all);
    }
    void reset_worlds(std::span<const std::uint8_t> selected) override
    {
        // A failure is the device's: the next step tells it.
        if (batch_.reset(selected)) known_ = false;
    }
    void                           notify(std::uint32_t /*changes*/) override { changed_ = true; }
    [[nodiscard]] std::string_view name() const override { return "softstep"; }

  private:
    Result<void> try_step(const model::State& in, model::State& out, const model::Control& control, double dt,
                          solvers::StepReport& report)
    {
        if (in.joint_q.size() != model_->joint_coord_count() || in.joint_qd.size() != model_->joint_dof_count() ||
            in.body_q.size() != model_->body_count())
            return make_diagnostic(solvers::kSolverState, {}, "the state has other sizes than the model");
        if (!(dt > 0))
            return make_diagnostic(solvers::kSolverState, {}, fmt::format("dt is {}, expected a positive time", dt));
        if (std::any_of(control.joint_act.begin(), control.joint_act.end(), [](Real a) { return a != 0; }))
            return make_diagnostic(kNotSupported, {}, "Control::joint_act: the device takes no activations",
                                   "Use Control::joint_f, or step on the CPU.");
        if (dt != options_.dt) {  // the plan is made for one step
            options_.dt              = dt;
            Result<DeviceBatch> made = DeviceBatch::make(*model_, options_);
            if (!made) return made.error();
            batch_   = *std::move(made);
            known_   = false;
            changed_ = false;
        }
        // After notify() numbers of the model are taken over before the step that shall see them.
        if (std::exchange(changed_, false))
            if (Result<void> done = batch_.update(*model_); !done) return done;
        // Writing costs a copy and forgets the contacts of worlds that changed. A loop that passes the last result on
        // does neither.
        if (!known_ || !same_bytes(in.joint_q, joint_q_) || !same_bytes(in.joint_qd, joint_qd_) ||
            !same_bytes(in.body_q, body_q_) || !same_bytes(in.body_f, body_f_))
            if (Result<void> done = batch_.write(in); !done) return done;
        if (Result<void> done = command(control); !done) return done;
        if (Result<void> done = batch_.step(1); !done) return done;
        // Everything that the device does not compute (particles, extra arrays) is carried over.
        if (&in != &out) out = in;
        if (Result<void> done = batch_.read(out); !done) return done;
        joint_q_  = out.joint_q;
        joint_qd_ = out.joint_qd;
        body_q_   = out.body_q;
        body_f_   = out.body_f;
        known_    = true;
        return tell(report);
    }

    /// Empty arrays stand for what the model stores.
    Result<void> command(const model::Control& control)
    {
        if (control.joint_target_q.empty() && control.joint_f.empty() && control.joint_target_qd.empty())
            return batch_.write(defaults_);
        return batch_.write(control);
    }

    /// What happened to worlds since they were reset; a world that stopped is told once.
    Result<void> tell(solvers::StepReport& report)
    {
        const Result<std::vector<WorldFault>> faults = batch_.faults();
        if (!faults) return faults.error();
        for (const WorldFault& f : *faults) {
            if ((f.bits & fault::velocity_bound) != 0) ++report.clamped_velocities;
            if ((f.bits & fault::diverged) == 0) continue;
            // Faults stay set until a reset, so the list holds all worlds that stand still.
            report.diverged_worlds.push_back(f.world);
            if (report.culprit.empty())
                report.culprit =
                    fmt::format("world {} of the device has numbers that are not finite or beyond all bounds", f.world);
        }
        // The step as a whole counts as diverged only when every world has.
        report.diverged = !report.diverged_worlds.empty() &&
                          report.diverged_worlds.size() == static_cast<std::size_t>(std::max(batch_.world_count(), 1));
        return {};
    }

    const model::Model*  model_;
    BatchOptions         options_;
    mutable DeviceBatch  batch_;  // reading waits for the device
    model::Control       defaults_;
    std::vector<Real>    joint_q_, joint_qd_;
    std::vector<Pose>    body_q_;
    std::vector<Spatial> body_f_;
    bool                 known_ = false, changed_ = false;
};

Diagnostic refused(std::string what) { return make_diagnostic(kNotSupported, {}, std::move(what)); }

}  // namespace

Result<SolverPlace> parse_solver(std::string_view text)
{
    // "softstep@cuda:0". The last '@' counts.
    const std::size_t at = text.rfind('@');
    if (at == std::string_view::npos) return SolverPlace{std::string(text), {}};
    Result<std::optional<Executor>> device = parse_device(text.substr(at + 1));
    if (!device) return device.error();
    return SolverPlace{std::string(text.substr(0, at)), *std::move(device)};
}

Result<std::string> with_device(std::string_view solver, std::string_view device)
{
    const Result<SolverPlace> has = parse_solver(solver);
    if (!has) return has.error();
    const Result<std::optional<Executor>> wanted = parse_device(device);
    if (!wanted) return wanted.error();
    if (!*wanted) return std::string(solver);
    if (has->device && to_text(*has->device) != to_text(**wanted))
        return make_diagnostic(kOption, {},
                               fmt::format("the solver '{}' names another device than {}", solver, to_text(**wanted)));
    return fmt::format("{}@{}", has->solver, to_text(**wanted));
}
// `--solver softstep@host --device host` is no contradiction. Two devices that differ are.

Result<std::unique_ptr<solvers::Solver>> make_solver(std::string_view name, const model::Model& model,
                                                     const solvers::SolverOptions& options, double dt, Diagnostics& out)
{
    const Result<SolverPlace> parsed = parse_solver(name);
    if (!parsed) return parsed.error();
    if (!parsed->device) return solvers::make_solver(parsed->solver, model, options, out);
    const std::string where = to_text(*parsed->device);
    if (parsed->solver != "softstep")
        return refused(
            fmt::format("the solver {} does not step on {}: softstep does, without parameters", parsed->solver, where));
    // Sleeping pays where islands are skipped one by one. Here a world costs the same however many stand still.
    if (options.sleeping) return refused(fmt::format("sleeping: on {} every world is computed", where));
    BatchOptions        batch_options{.executor = *parsed->device,
                                      .dt       = dt,
                                      .substeps = options.substeps,
                                      .combine  = options.combine,
                                      .pool     = options.pool};
    Result<DeviceBatch> batch = DeviceBatch::make(model, batch_options);
    if (!batch) return batch.error();
    return std::unique_ptr<solvers::Solver>(
        std::make_unique<DeviceSolver>(model, std::move(batch_options), *std::move(batch)));
}

Result<std::unique_ptr<Stepper>> Stepper::make(const model::Model& model, const BatchOptions& options)
{
    Result<std::shared_ptr<const Where>> where = Where::of(options.executor);
    if (!where) return where.error();
    Result<DeviceBatch> batch = DeviceBatch::make(model, options);
    if (!batch) return batch.error();
    return std::unique_ptr<Stepper>(new Stepper(*std::move(batch), *std::move(where)));
}

/// Copies between the caller's memory and the batch's; both lie on one device. Memory that is not given keeps its
/// values.
Result<void> Stepper::move(const std::shared_ptr<Memory>& memory, Array array, bool in)
{
    if (memory == nullptr || memory->size() == 0) return {};
    const ArrayView   view  = batch_.view(array);
    const std::size_t bytes = view.count() * sizeof(float);
    if (memory->size() != bytes)
        return make_diagnostic(kOption, {},
                               fmt::format("an array has {} bytes, the batch's {}", memory->size(), bytes));
    return in ? where_->copy(view.data, memory->data(), bytes) : where_->copy(memory->data(), view.data, bytes);
}

Result<void> Stepper::step(const StateMemory& in, const ControlMemory& control, const StateMemory& out)
{
    // Inputs that the caller did not give keep what the batch had.
    for (const auto& [memory, array] :
         {std::pair{&in.joint_q, Array::joint_q}, std::pair{&in.joint_qd, Array::joint_qd},
          std::pair{&in.body_f, Array::body_f}, std::pair{&control.joint_target_q, Array::joint_target_q},
          std::pair{&control.joint_target_qd, Array::joint_target_qd}, std::pair{&control.joint_f, Array::joint_f}})
        if (Result<void> done = move(*memory, array, true); !done) return done;
    if (Result<void> done = batch_.step(1); !done) return done;
    for (const auto& [memory, array] :
         {std::pair{&out.joint_q, Array::joint_q}, std::pair{&out.joint_qd, Array::joint_qd},
          std::pair{&out.body_q, Array::body_q}, std::pair{&out.body_qd, Array::body_qd}})
        if (Result<void> done = move(*memory, array, false); !done) return done;
    // body_f is an input. The outgoing state has the same, so that the states can be swapped.
    if (out.body_f == nullptr || in.body_f == nullptr || out.body_f == in.body_f) return {};
    return where_->copy(out.body_f->data(), in.body_f->data(), in.body_f->size());
}

}  // namespace mechane::device
