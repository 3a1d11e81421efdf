// A run: model and options in, a recording and a report out. The loop behind `mechane sim`, verify and the bindings;
// times [s], steps of dt.
// Order of a step: animation, command file, recorded inputs, contacts, solver, frame. It is the same in
// Simulation::step, so that recordings of one can be computed by the other.
// A run is deterministic: the hash of each step depends on model, options and inputs, not on threads or wall time.

#include "mechane/simulation/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include "mechane/simulation/codes.h"
#include "mechane/simulation/engine.h"
#include "mechane/simulation/frame.h"
#include "mechane/simulation/prepared_run.h"
#include "simulation/observe.h"
#include "simulation/replayed.h"

namespace mechane::run {
namespace {

/// Adds its lifetime to a sum [s].
/// Wall times are reported by phase and go into no hash.
class Stopwatch {
  public:
    explicit Stopwatch(double& sum) : sum_(sum), start_(std::chrono::steady_clock::now()) {}
    ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
    Stopwatch(const Stopwatch&)            = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

  private:
    double&                               sum_;
    std::chrono::steady_clock::time_point start_;
};

Result<void> check(const SimulateOptions& options)
{
    const auto bad = [](std::string message) {
        return Result<void>(make_diagnostic(kArgument, {}, std::move(message)));
    };
    if (options.frames < 0) return bad(fmt::format("{} frames", options.frames));
    if (options.every < 1) return bad(fmt::format("every {} frames", options.every));
    return {};
}

/// Memory is what a long run ends by; a user hears of it at once rather than after hours.
Result<void> check_memory(const model::Model& model, const SimulateOptions& options)
{
    if (!options.keep_frames) return {};
    const std::size_t one = sizeof(record::Frame) + model.body_count() * (sizeof(Pose) + sizeof(Spatial)) +
                            (model.joint_coord_count() + model.joint_dof_count()) * sizeof(Real) +
                            model.particle_count() * 2 * sizeof(Vec3);
    // The first frame and the last come on top of every k-th.
    const double frames = std::floor(static_cast<double>(options.frames) / static_cast<double>(options.every)) + 2;
    const double bytes  = frames * static_cast<double>(one);
    if (bytes <= static_cast<double>(options.most_frame_bytes)) return {};
    constexpr double kGiB = 1 << 30;
    return make_diagnostic(
        kArgument, {},
        fmt::format("{} steps would keep {:.0f} frames of {} bytes in memory, {:.4g} GiB of at most {:.4g}",
                    options.frames, frames, one, bytes / kGiB, static_cast<double>(options.most_frame_bytes) / kGiB),
        "Keep fewer frames (every k-th step), or simulate in parts, each from the end of the last.");
}

std::string label_or_nothing(const std::vector<std::string>& labels, std::int32_t index)
{ return index < 0 ? std::string() : labels[static_cast<std::size_t>(index)]; }

/// One run: prepared, stepped, finished.
/// It owns state and commands; the engine refers to them, so a Loop must not be moved.
class Loop {
  public:
    Loop(const model::Model& model, const SimulateOptions& options, Diagnostics& found)
        : model_(model),
          options_(options),
          found_(found),
          state_(model::make_state(model)),
          control_(model::make_control(model)),
          replay_(options.inputs)
    {
    }

    Result<void> prepare()
    {
        auto prepared = prepare_run(model_, options_, state_, control_, found_);
        if (!prepared) return prepared.error();
        run_ = *std::move(prepared);
        // A row at the very end is how a table says that it is over.
        const double end = state_.time + static_cast<double>(options_.frames) * options_.dt;
        if (const auto& times = run_.table.times; !times.empty() && times.back() > end + 1e-9 * (1 + end)) {
            const auto late = std::upper_bound(times.begin(), times.end(), end + 1e-9 * (1 + end));
            found_.add(kControlLate, {.layer = options_.control_name},
                       fmt::format("{} of {} rows are later than the end of the run at {:g} s; the first is at {:g} s",
                                   times.end() - late, times.size(), end, *late));
        }
        // run_ owns the engine; the pointer is only shorter to write.
        engine_                      = run_.engine.get();
        recording().solver           = engine_->solver_name();
        recording().dt               = options_.dt;
        recording().report.dt_source = options_.dt_source;
        result.projected_linear      = run_.projected.linear;
        result.projected_angular     = run_.projected.angular;
        start();
        return {};
    }

    /// @return whether there is a next step
    bool step()
    {
        // `frames` counts steps of dt.
        if (engine_->steps_done() >= options_.frames) return false;
        record::RunReport& report = recording().report;
        run_.command(state_, control_);
        replay_.apply(*engine_, model_, state_, control_);
        {
            const Stopwatch watch(report.wall_s["collide"]);
            engine_->find_contacts();
        }
        // Blocks find contacts within the step; their share of the time is counted as collision.
        const solvers::StepReport stepped = [&] {
            const double before = report.wall_s["solve"];
            auto         out    = [&] {
                const Stopwatch watch(report.wall_s["solve"]);
                return engine_->advance();
            }();
            // A part of the solver's time, by what the blocks measured.
            const double contacts = engine_->contact_share() * (report.wall_s["solve"] - before);
            report.wall_s["solve"] -= contacts;
            report.wall_s["collide"] += contacts;
            return out;
        }();
        // A step that diverged is not counted and has no hash.
        if (stepped.diverged) {
            report_divergence(stepped);
            return false;
        }
        const std::int64_t done = engine_->steps_done();
        recording().hash        = engine_->hash();
        recording().steps       = done;
        add(stepped);
        if (options_.on_step) options_.on_step(engine_->step_count(), recording().hash);
        // The last frame is kept always.
        if (done % options_.every == 0 || done == options_.frames) keep_frame();
        // Progress may end the run; what was done until then is kept.
        if (options_.progress && !options_.progress(done, options_.frames)) {
            result.interrupted = true;
            return false;
        }
        return true;
    }

    // Figures of the whole run, once at its end.
    void finish()
    {
        // After an interruption or divergence the last state has a frame too.
        if (recording().frames.back().t != state_.time) keep_frame();
        if (options_.keep_end) result.end = engine_->checkpoint();
        record::RunReport& report = recording().report;
        const auto         done   = engine_->steps_done();
        // Contacts were summed up over the steps.
        report.contacts_mean = done > 0 ? contact_sum_ / static_cast<double>(done) : 0;
        // Contacts of the last state: those of the last step were found before it.
        engine_->look();
        const Depths depths      = deepest(engine_->model(), engine_->contacts());
        report.final_penetration = depths.fixed;
        // Penetration is that against what does not move; overlap is among bodies that move.
        report.final_overlap = depths.moving;
        if (report.clamped_velocities > 0)
            found_.add(kVelocityClamped, {}, fmt::format("a body was slowed down {} times", report.clamped_velocities));
        if (engine_->overflows() > 0)
            found_.add(kContactOverflow, {}, fmt::format("in {} steps", engine_->overflows()));
    }

    SimulateResult result;

  private:
    record::Recording& recording() { return result.recording; }

    /// The frame before the first step.
    /// The step count may begin above zero, after a checkpoint.
    void start()
    {
        engine_->begin(found_);
        recording().hash                 = engine_->hash();
        recording().report.start_overlap = deepest(engine_->model(), engine_->contacts()).moving;
        if (options_.on_step) options_.on_step(engine_->step_count(), recording().hash);
        keep_frame();
    }

    // Time for copying frames is counted as recording.
    void keep_frame()
    {
        const Stopwatch watch(recording().report.wall_s["record"]);
        // The first frame stays; of the others only the latest, unless all are wanted.
        if (!options_.keep_frames && recording().frames.size() > 1) recording().frames.pop_back();
        recording().frames.push_back(make_frame(engine_->model(), state_, engine_->contacts()));
        if (options_.on_frame) options_.on_frame(recording().frames.back());
    }

    void report_divergence(const solvers::StepReport& stepped)
    {
        const std::string body  = label_or_nothing(engine_->model().body_label, stepped.culprit_body);
        const std::string joint = label_or_nothing(engine_->model().joint_label, stepped.culprit_joint);
        // Free joints that the import added are not on the stage.
        found_.add(kDiverged, {.prim = joint.starts_with('/') || body.empty() ? joint : body},
                   fmt::format("diverged at {:.6g} s (step {}){}{}", state_.time, engine_->step_count() + 1,
                               stepped.culprit.empty() ? "" : ": ", stepped.culprit));
        result.diverged = true;
    }

    void add(const solvers::StepReport& stepped)
    {
        for (const std::int32_t world : stepped.diverged_worlds) {
            // Once a world.
            if (!stopped_worlds_.insert(world).second) continue;
            found_.add(kWorldDiverged, {},
                       fmt::format("world {} keeps its state of {:.6g} s: {}", world, state_.time - options_.dt,
                                   stepped.culprit));
            result.diverged = true;
        }
        for (const auto& broken : stepped.broken) {
            recording().report.broken.push_back({state_.time, broken.joint, broken.force, broken.torque});
            found_.add(kJointBroke, {.prim = label_or_nothing(model_.joint_label, broken.joint)},
                       fmt::format("broke at {:.6g} s under {:.4g} N and {:.4g} N m", state_.time, broken.force,
                                   broken.torque));
        }
        record::RunReport& report   = recording().report;
        const std::int32_t contacts = engine_->contact_count();
        report.contacts_max         = std::max(report.contacts_max, contacts);
        contact_sum_ += contacts;
        report.rows += stepped.contact_rows + stepped.limit_rows + stepped.loop_rows;
        report.sweeps += stepped.sweeps;
        report.block_solves += stepped.block_solves;
        report.block_fallbacks += stepped.block_fallbacks;
        report.sweeps_most         = std::max(report.sweeps_most, stepped.sweeps);
        report.deepest_penetration = std::max(report.deepest_penetration, stepped.deepest_penetration);
        report.joint_error_linear  = std::max(report.joint_error_linear, stepped.joint_error_linear);
        report.joint_error_angular = std::max(report.joint_error_angular, stepped.joint_error_angular);
        report.clamped_velocities += stepped.clamped_velocities;
    }

    const model::Model&    model_;
    const SimulateOptions& options_;
    Diagnostics&           found_;
    model::State           state_;
    model::Control         control_;
    PreparedRun            run_;
    simulation::Replayed   replay_;

    simulation::Engine*    engine_      = nullptr;  ///< that of run_
    double                 contact_sum_ = 0;
    std::set<std::int32_t> stopped_worlds_;
};

}  // namespace

/// Contacts every n substeps are shorter steps with n substeps each.
/// So a step has new contacts each time; frames and the interval of recording are scaled to keep the run's length.
Result<void> collide_every(SimulateOptions& options, int substeps)
{
    if (substeps < 1 || options.substeps % substeps != 0)
        return make_diagnostic(
            kArgument, {},
            fmt::format("contacts every {} substeps, expected a divisor of {}", substeps, options.substeps));
    const int parts = options.substeps / substeps;
    options.dt /= parts;
    options.substeps = substeps;
    options.frames *= parts;
    options.every *= parts;
    return {};
}

Result<SimulateResult> simulate(const model::Model& model, const SimulateOptions& options, Diagnostics& found)
{
    // Preparation may fail; from then on a run always ends with a result.
    if (auto good = check(options); !good) return good.error();
    if (auto fits = check_memory(model, options); !fits) return fits.error();
    Loop loop(model, options, found);
    if (auto prepared = loop.prepare(); !prepared) return prepared.error();
    while (loop.step()) {}
    loop.finish();
    return std::move(loop.result);
}

}  // namespace mechane::run
