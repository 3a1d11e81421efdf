#include "mechane/run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "mechane/collision/pipeline.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/record/checkpoint.h"
#include "mechane/record/codes.h"
#include "mechane/run/codes.h"
#include "mechane/run/frame.h"
#include "mechane/run/settings.h"
#include "mechane/solvers/solver.h"
#include "mechane/tasks/parallel.h"
#include "run/observe.h"
#include "run/rest_overlaps.h"
#include "run/target_range.h"

namespace mechane::run {
namespace {

/// Above these a start pose that disagrees with its joints is reported (DYN 6.17).
constexpr double kReportedLinear = 1e-3, kReportedAngular = 0.5 * kDegrees;
/// And authored velocities that disagree with their joints (DYN 6.14) [m/s, rad/s].
constexpr double kReportedVelocity = 1e-3;

/// Adds the time it lives to a sum.
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
    if (!(options.dt > 0) || !std::isfinite(options.dt))
        return bad(fmt::format("dt is {}, expected a positive number of seconds", options.dt));
    if (options.frames < 0) return bad(fmt::format("{} frames", options.frames));
    if (options.every < 1) return bad(fmt::format("every {} frames", options.every));
    if (options.substeps < 1 || options.substeps > 64)
        return bad(fmt::format("{} substeps, expected 1 to 64", options.substeps));
    return {};
}

/// The overlaps of a checkpoint, which may hold anything: in order, of shapes of two bodies, finite.
std::optional<std::vector<RestOverlaps::Pair>> pairs_of(const record::Checkpoint& from, const model::Model& model)
{
    const auto of_body = [&](std::int32_t shape) {
        return shape >= 0 && static_cast<std::size_t>(shape) < model.shape_count() &&
               model.shape_body[static_cast<std::size_t>(shape)] >= 0;
    };
    std::vector<RestOverlaps::Pair> pairs;
    for (const auto& pair : from.overlaps) {
        const bool after = pairs.empty() || std::pair(pairs.back().shape0, pairs.back().shape1) <
                                                std::pair(pair.shape0, pair.shape1);
        if (!after || !of_body(pair.shape0) || !of_body(pair.shape1)) return std::nullopt;
        if (!std::isfinite(pair.depth) || pair.depth < 0) return std::nullopt;
        pairs.push_back({pair.shape0, pair.shape1, pair.depth});
    }
    return pairs;
}

bool same_layout(const model::Control& a, const model::Control& b)
{
    return a.joint_target_q.size() == b.joint_target_q.size() && a.joint_target_qd.size() == b.joint_target_qd.size() &&
           a.joint_f.size() == b.joint_f.size() && a.joint_act.size() == b.joint_act.size();
}

/// What a file of a checkpoint leaves out, because no run changes it, is the model's.
template <class T>
T with_custom(T from, const T& own)
{
    if (from.custom_arrays.arrays.empty()) from.custom_arrays = own.custom_arrays;
    return from;
}
model::State completed(const model::State& from, const model::State& own)
{
    model::State state = with_custom(from, own);
    if (state.particle_q.empty()) state.particle_q = own.particle_q, state.particle_qd = own.particle_qd;
    if (state.particle_f.empty()) state.particle_f = own.particle_f;
    return state;
}

std::string label_or_nothing(const std::vector<std::string>& labels, std::int32_t index)
{ return index < 0 ? std::string() : labels[static_cast<std::size_t>(index)]; }

/// One run: prepared, stepped, finished.
class Loop {
  public:
    Loop(const model::Model& model, const SimulateOptions& options, Diagnostics& found)
        : original_(model),
          followed_(options.follow ? std::optional<model::Model>(model) : std::nullopt),
          model_(followed_ ? *followed_ : model),
          options_(options),
          found_(found),
          pool_(options.threads),
          state_(model::make_state(model)),
          control_(model::make_control(model))
    {
        make_pipeline();
        contacts_ = pipeline_->make_contacts();
    }

    Result<void> prepare()
    {
        auto solver = solvers::make_solver(
            options_.solver, model_, {.substeps = options_.substeps, .pool = &pool_, .sleeping = options_.sleeping},
            found_);
        if (!solver) return solver.error();
        solver_ = *std::move(solver);
        if (options_.from != nullptr)
            if (auto resumed = resume(*options_.from); !resumed) return resumed;
        for (const std::string& text : options_.set) {
            const auto setting = parse_setting(model_, text);
            if (!setting) return setting.error();
            report_beyond_limits(model_, *setting, found_);
            apply_setting(*setting, state_, control_);
        }
        if (!options_.control.empty()) {
            auto table = parse_control_table(model_, options_.control, options_.control_name, options_.other_columns);
            if (!table) return table.error();
            table_ = *std::move(table);
            report_beyond_limits(model_, table_, found_);
        }
        recording().solver = std::string(solver_->name());
        recording().dt     = options_.dt;
        recording().report.dt_source = options_.dt_source;
        if (options_.from == nullptr) project();
        start();
        return {};
    }

    /// @return whether there is a next step
    bool step()
    {
        if (done_ >= options_.frames) return false;
        record::RunReport& report = recording().report;
        if (options_.follow) follow();
        if (!table_.times.empty()) apply_controls(table_, state_.time, state_, control_);
        {
            const Stopwatch watch(report.wall_s["collide"]);
            // An animation may change shapes, and a run that goes on from a checkpoint does not know when it did.
            const bool keep   = options_.keep_pairs && !options_.follow;
            const auto status = pipeline_->collide(state_, options_.dt, contacts_, keep ? &cache_ : nullptr);
            rest_->apply(model_, state_, contacts_);
            overflows_ += status.overflow ? 1 : 0;
        }
        solvers::StepReport stepped;
        {
            const Stopwatch watch(report.wall_s["solve"]);
            stepped = solver_->step(state_, state_, control_, &contacts_, options_.dt);
        }
        if (stepped.diverged) {
            report_divergence(stepped);
            return false;
        }
        ++done_;
        state_.time       = options_.dt * static_cast<double>(first_ + done_);
        recording().hash  = record::chain_hash(recording().hash, state_);
        recording().steps = done_;
        add(stepped);
        if (options_.on_step) options_.on_step(first_ + done_, recording().hash);
        if (done_ % options_.every == 0 || done_ == options_.frames) keep_frame();
        if (options_.progress && !options_.progress(done_, options_.frames)) {
            result.interrupted = true;
            return false;
        }
        return true;
    }

    void finish()
    {
        if (recording().frames.back().t != state_.time) keep_frame();
        if (options_.keep_end) result.end = checkpoint();
        record::RunReport& report = recording().report;
        report.contacts_mean      = done_ > 0 ? contact_sum_ / static_cast<double>(done_) : 0;
        pipeline_->collide(state_, 0, contacts_);
        const Depths depths      = deepest(model_, contacts_);
        report.final_penetration = depths.fixed;
        report.final_overlap     = depths.moving;
        if (report.clamped_velocities > 0)
            found_.add(kVelocityClamped, {}, fmt::format("{} times a body was slowed down", report.clamped_velocities));
        if (overflows_ > 0) found_.add(kContactOverflow, {}, fmt::format("in {} steps", overflows_));
    }

    SimulateResult result;

  private:
    record::Recording& recording() { return result.recording; }

    /// Takes over what a checkpoint holds, and hands the solver what it remembers.
    Result<void> resume(const record::Checkpoint& from)
    {
        const auto bad = [](std::string message) {
            return Result<void>(make_diagnostic(record::kCheckpoint, {}, std::move(message)));
        };
        if (from.model_hash != record::model_hash(original_)) return bad("the checkpoint is of another model");
        if (from.solver != solver_->name() || from.dt != options_.dt || from.substeps != options_.substeps)
            return bad(fmt::format("the checkpoint is of solver {}, dt {:g} s, {} sub-steps", from.solver, from.dt,
                                   from.substeps));
        model::State state    = completed(from.state, state_);
        auto         overlaps = pairs_of(from, model_);
        const bool   led      = from.control.body_target_q.empty() ||
                          from.control.body_target_q.size() == model_.body_count();
        if (!model::same_layout(state, state_) || !same_layout(from.control, control_) || !led || !overlaps ||
            from.step < 0 || !solver_->restore(from.solver_memory) || !cache_.restore(from.pair_memory, model_))
            return bad("the checkpoint does not fit the model");
        state_   = std::move(state);
        control_ = with_custom(from.control, control_);
        first_   = from.step;
        rest_.emplace(*std::move(overlaps));
        return {};
    }

    /// Lets the stage's animation have its say, and tells those who hold on to parts of the model.
    void follow()
    {
        using namespace solvers;
        const importer::AnimationChanges changes =
            options_.follow(state_.time, state_.time + options_.dt, state_, *followed_, control_);
        const std::uint32_t notice =
            (changes.numbers ? change::joint_dof_force_properties | change::model_properties : 0U) |
            (changes.structure ? change::joint_properties | change::body_properties : 0U) |
            (changes.inertia ? change::body_inertial_properties : 0U) |
            (changes.shapes || changes.pairs ? change::shape_properties : 0U);
        if (notice != 0) solver_->notify(notice);
        // Pairs of a body that became kinematic, or stopped being it, are others too.
        if (changes.pairs || changes.structure)
            make_pipeline();
        else if (changes.shapes)
            pipeline_->reread_transforms();
    }

    void make_pipeline()
    { pipeline_.emplace(model_, collision::PipelineOptions{.pool = &pool_, .sweep_fast_bodies = options_.sweep_fast}); }

    /// Moves bodies onto their joints.
    void project()
    {
        const auto projected     = dynamics::project_to_joints(model_, state_, true);
        result.projected_linear  = projected.linear;
        result.projected_angular = projected.angular;
        if (projected.velocity > kReportedVelocity)
            found_.add(kProjected, {},
                       fmt::format("a body's authored velocity breaks its joint by {:.3g} m/s or rad/s; what the joint "
                                   "allows of it is kept",
                                   projected.velocity));
        if (projected.linear > kReportedLinear || projected.angular > kReportedAngular)
            found_.add(
                kProjected, {.prim = label_or_nothing(model_.body_label, projected.body)},
                fmt::format("authored poses miss their joints by up to {:.3g} m and {:.3g} degrees; bodies were moved",
                            projected.linear, projected.angular / kDegrees));
    }

    /// The frame before the first step.
    void start()
    {
        pipeline_->collide(state_, 0, contacts_);
        recording().hash                 = options_.from ? options_.from->hash : record::chain_hash(0, state_);
        recording().report.start_overlap = deepest(model_, contacts_).moving;
        if (options_.on_step) options_.on_step(first_, recording().hash);
        keep_frame();
        if (rest_) return;
        rest_.emplace(model_, contacts_);
        if (rest_->pairs().empty()) return;
        const auto worst = std::max_element(rest_->pairs().begin(), rest_->pairs().end(),
                                            [](const auto& a, const auto& b) { return a.depth < b.depth; });
        found_.add(kOverlapKept, {.prim = model_.shape_label[static_cast<std::size_t>(worst->shape0)]},
                   fmt::format("{} pairs of parts overlap at the start, {} by {:.3g} mm; they are not pushed apart",
                               rest_->pairs().size(), model_.shape_label[static_cast<std::size_t>(worst->shape1)],
                               1e3 * static_cast<double>(worst->depth)));
    }

    void keep_frame()
    {
        const Stopwatch watch(recording().report.wall_s["record"]);
        recording().frames.push_back(make_frame(model_, state_, contacts_));
        if (options_.on_frame) options_.on_frame(recording().frames.back());
    }

    void report_divergence(const solvers::StepReport& stepped)
    {
        const std::string body  = label_or_nothing(model_.body_label, stepped.culprit_body);
        const std::string joint = label_or_nothing(model_.joint_label, stepped.culprit_joint);
        // The joints that bodies without one are given are not the stage's.
        found_.add(kDiverged, {.prim = joint.starts_with('/') || body.empty() ? joint : body},
                   fmt::format("diverged at {:.6g} s (step {}){}{}", state_.time, first_ + done_ + 1,
                               stepped.culprit.empty() ? "" : ": ", stepped.culprit));
        result.diverged = true;
    }

    void add(const solvers::StepReport& stepped)
    {
        for (const std::int32_t world : stepped.diverged_worlds) {
            if (!stopped_worlds_.insert(world).second) continue;
            found_.add(kWorldDiverged, {},
                       fmt::format("world {} stays as it was at {:.6g} s: {}", world, state_.time - options_.dt,
                                   stepped.culprit));
            result.diverged = true;
        }
        for (const auto& broken : stepped.broken) {
            recording().report.broken.push_back({state_.time, broken.joint, broken.force, broken.torque});
            found_.add(kJointBroke, {.prim = model_.joint_label[static_cast<std::size_t>(broken.joint)]},
                       fmt::format("broke at {:.6g} s under {:.4g} N and {:.4g} N m", state_.time, broken.force,
                                   broken.torque));
        }
        record::RunReport& report = recording().report;
        report.contacts_max       = std::max(report.contacts_max, contacts_.rigid_contact_count);
        contact_sum_ += contacts_.rigid_contact_count;
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

    [[nodiscard]] record::Checkpoint checkpoint()
    {
        record::Checkpoint point{.model_hash    = record::model_hash(original_),
                                 .solver        = recording().solver,
                                 .dt            = options_.dt,
                                 .substeps      = options_.substeps,
                                 .step          = first_ + done_,
                                 .hash          = recording().hash,
                                 .state         = state_,
                                 .control       = control_,
                                 .solver_memory = solver_->save(),
                                 .pair_memory   = cache_.save(),
                                 .overlaps      = {}};
        for (const auto& pair : rest_->pairs()) point.overlaps.push_back({pair.shape0, pair.shape1, pair.depth});
        return point;
    }

    const model::Model&         original_;
    std::optional<model::Model> followed_;  ///< a copy, where an animation changes it
    const model::Model&         model_;     ///< that is stepped: one of the two
    const SimulateOptions&      options_;
    Diagnostics&                found_;
    const tasks::Pool           pool_;
    model::Contacts             contacts_;
    model::State                state_;
    model::Control              control_;
    ControlTable                table_;

    std::optional<collision::CollisionPipeline> pipeline_;
    collision::PairCache                        cache_;

    std::unique_ptr<solvers::Solver> solver_;
    std::optional<RestOverlaps>      rest_;
    std::int64_t                     first_ = 0, done_ = 0;
    double                           contact_sum_ = 0;
    std::int32_t                     overflows_   = 0;
    std::set<std::int32_t>           stopped_worlds_;
};

}  // namespace

Result<void> collide_every(SimulateOptions& options, int substeps)
{
    if (substeps < 1 || options.substeps % substeps != 0)
        return make_diagnostic(
            kArgument, {},
            fmt::format("contacts every {} sub-steps, expected a divisor of {}", substeps, options.substeps));
    const int parts = options.substeps / substeps;
    options.dt /= parts;
    options.substeps = substeps;
    options.frames *= parts;
    options.every *= parts;
    return {};
}

Result<SimulateResult> simulate(const model::Model& model, const SimulateOptions& options, Diagnostics& found)
{
    if (auto good = check(options); !good) return good.error();
    Loop loop(model, options, found);
    if (auto prepared = loop.prepare(); !prepared) return prepared.error();
    while (loop.step()) {}
    loop.finish();
    return std::move(loop.result);
}

}  // namespace mechane::run
