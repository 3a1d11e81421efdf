#include "mechane/run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "mechane/collision/pipeline.h"
#include "mechane/core/hash.h"
#include "mechane/dynamics/energy.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/record/checkpoint.h"
#include "mechane/record/codes.h"
#include "mechane/run/codes.h"
#include "mechane/run/settings.h"
#include "mechane/solvers/solver.h"
#include "mechane/tasks/parallel.h"
#include "run/rest_overlaps.h"

namespace mechane::run {
namespace {

/// Above these a start pose that disagrees with its joints is reported (DYN 6.17).
constexpr double kReportedLinear = 1e-3, kReportedAngular = 0.5 * kDegrees;

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

Vec3 world_point(const model::State& state, std::int32_t body, const Vec3& p)
{ return body < 0 ? p : state.body_q[static_cast<std::size_t>(body)] * p; }

record::Frame make_frame(const model::Model& model, const model::State& state, const model::Contacts& contacts)
{
    record::Frame frame;
    frame.t          = state.time;
    frame.body_q     = state.body_q;
    frame.body_qd    = state.body_qd;
    frame.joint_q    = state.joint_q;
    frame.joint_qd   = state.joint_qd;
    const auto count = static_cast<std::size_t>(contacts.rigid_contact_count);
    frame.contacts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t s0 = contacts.rigid_contact_shape0[i], s1 = contacts.rigid_contact_shape1[i];
        const Vec3         a = world_point(state, model.shape_body[static_cast<std::size_t>(s0)],
                                           contacts.rigid_contact_point0[i] + contacts.rigid_contact_offset0[i]);
        const Vec3         b = world_point(state, model.shape_body[static_cast<std::size_t>(s1)],
                                           contacts.rigid_contact_point1[i] + contacts.rigid_contact_offset1[i]);
        frame.contacts.push_back({.point    = Real(0.5) * (a + b),
                                  .normal   = contacts.rigid_contact_normal[i],
                                  .force    = contacts.rigid_contact_force[i],
                                  .distance = dot(contacts.rigid_contact_normal[i], b - a),
                                  .shape0   = s0,
                                  .shape1   = s1});
    }
    const auto energy = dynamics::energy(model, state);
    frame.kinetic     = energy.kinetic;
    frame.potential   = energy.potential;
    return frame;
}

/// Deepest contact with a static shape, and between shapes of bodies [m].
struct Depths {
    double fixed = 0, moving = 0;
};

Depths deepest(const model::Model& model, const model::Contacts& contacts)
{
    Depths depths;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
        const auto is_static = [&](std::int32_t shape) {
            return model.shape_body[static_cast<std::size_t>(shape)] < 0;
        };
        double& depth = is_static(contacts.rigid_contact_shape0[i]) || is_static(contacts.rigid_contact_shape1[i])
                            ? depths.fixed
                            : depths.moving;
        depth         = std::max(depth, -static_cast<double>(contacts.rigid_contact_distance[i]));
    }
    return depths;
}

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

/// Reads a checkpoint and hands the solver what it remembers.
Result<record::Checkpoint> resume(const model::Model& model, const SimulateOptions& options, solvers::Solver& solver)
{
    auto       read = record::read_checkpoint(options.resume);
    const auto bad  = [&](std::string message) {
        return make_diagnostic(record::kCheckpoint, {.layer = options.resume}, std::move(message));
    };
    if (!read) return read;
    if (read->model_hash != record::model_hash(model)) return bad("the checkpoint is of another model");
    if (read->solver != solver.name() || read->dt != options.dt || read->substeps != options.substeps)
        return bad(fmt::format("the checkpoint is of solver {}, dt {:g} s, {} sub-steps", read->solver, read->dt,
                               read->substeps));
    if (!model::same_layout(read->state, model::make_state(model)) || !solver.restore(read->solver_memory))
        return bad("the checkpoint does not fit the model");
    return read;
}

std::vector<RestOverlaps::Pair> pairs_of(const record::Checkpoint& from)
{
    std::vector<RestOverlaps::Pair> pairs;
    for (const auto& pair : from.overlaps) pairs.push_back({pair.shape0, pair.shape1, pair.depth});
    return pairs;
}

}  // namespace

Result<SimulateResult> simulate(const model::Model& model, const SimulateOptions& options, Diagnostics& found)
{
    if (auto good = check(options); !good) return good.error();

    const tasks::Pool pool(options.threads);
    auto              solver = solvers::make_solver(
        options.solver, model, {.substeps = options.substeps, .pool = &pool, .sleeping = options.sleeping}, found);
    if (!solver) return solver.error();
    collision::CollisionPipeline pipeline(model, {.pool = &pool});
    model::Contacts              contacts = pipeline.make_contacts();
    model::State                 state    = model::make_state(model);
    model::Control               control  = model::make_control(model);

    SimulateResult     result;
    record::Recording& recording = result.recording;
    recording.solver             = std::string((*solver)->name());
    recording.dt                 = options.dt;

    for (const std::string& text : options.set) {
        const auto setting = parse_setting(model, text);
        if (!setting) return setting.error();
        apply_setting(*setting, state, control);
    }
    ControlTable table;
    if (!options.control_file.empty()) {
        auto read = read_control_file(model, options.control_file);
        if (!read) return read.error();
        table = *std::move(read);
    }

    std::optional<record::Checkpoint> from;
    if (!options.resume.empty()) {
        auto read = resume(model, options, **solver);
        if (!read) return read.error();
        from    = *std::move(read);
        state   = from->state;
        control = from->control;
    }
    const auto projected     = from ? dynamics::Projection{} : dynamics::project_to_joints(model, state);
    result.projected_linear  = projected.linear;
    result.projected_angular = projected.angular;
    if (projected.linear > kReportedLinear || projected.angular > kReportedAngular)
        found.add(
            kProjected,
            {.prim = projected.body < 0 ? std::string() : model.body_label[static_cast<std::size_t>(projected.body)]},
            fmt::format("authored poses miss their joints by up to {:.3g} m and {:.3g} degrees; bodies were moved",
                        projected.linear, projected.angular / kDegrees));

    record::RunReport& report = recording.report;
    pipeline.collide(state, 0, contacts);
    recording.frames.push_back(make_frame(model, state, contacts));
    recording.hash          = from ? from->hash : record::chain_hash(0, state);
    report.start_overlap    = deepest(model, contacts).moving;
    const RestOverlaps rest = from ? RestOverlaps(pairs_of(*from)) : RestOverlaps(model, contacts);
    if (!from && !rest.pairs().empty()) {
        const auto worst = std::max_element(rest.pairs().begin(), rest.pairs().end(),
                                            [](const auto& a, const auto& b) { return a.depth < b.depth; });
        found.add(kOverlapKept, {.prim = model.shape_label[static_cast<std::size_t>(worst->shape0)]},
                  fmt::format("{} pairs of parts overlap at the start, {} by {:.3g} mm; they are not pushed apart",
                              rest.pairs().size(), model.shape_label[static_cast<std::size_t>(worst->shape1)],
                              1e3 * static_cast<double>(worst->depth)));
    }

    double             contact_sum = 0;
    std::int32_t       overflows   = 0;
    const std::int64_t first       = from ? from->step : 0;
    for (std::int64_t step = 0; step < options.frames; ++step) {
        if (!table.times.empty()) apply_controls(table, state.time, state, control);
        {
            const Stopwatch watch(report.wall_s["collide"]);
            const auto      status = pipeline.collide(state, options.dt, contacts);
            rest.apply(model, state, contacts);
            overflows += status.overflow ? 1 : 0;
        }
        solvers::StepReport stepped;
        {
            const Stopwatch watch(report.wall_s["solve"]);
            stepped = (*solver)->step(state, state, control, &contacts, options.dt);
        }
        if (stepped.diverged) {
            const std::string body  = stepped.culprit_body < 0
                                          ? std::string()
                                          : model.body_label[static_cast<std::size_t>(stepped.culprit_body)];
            const std::string joint = stepped.culprit_joint < 0
                                          ? std::string()
                                          : model.joint_label[static_cast<std::size_t>(stepped.culprit_joint)];
            found.add(kDiverged, {.prim = joint.empty() ? body : joint},
                      fmt::format("diverged at {:.6g} s (step {}){}{}", state.time, step + 1,
                                  stepped.culprit.empty() ? "" : ": ", stepped.culprit));
            result.diverged = true;
            break;
        }
        for (const auto& broken : stepped.broken)
            found.add(kJointBroke, {.prim = model.joint_label[static_cast<std::size_t>(broken.joint)]},
                      fmt::format("broke at {:.6g} s under {:.4g} N and {:.4g} N m", state.time, broken.force,
                                  broken.torque));
        state.time      = options.dt * static_cast<double>(first + step + 1);
        recording.hash  = record::chain_hash(recording.hash, state);
        recording.steps = step + 1;
        if (options.on_step) options.on_step(first + step + 1, state.time, recording.hash);
        report.contacts_max = std::max(report.contacts_max, contacts.rigid_contact_count);
        contact_sum += contacts.rigid_contact_count;
        report.deepest_penetration = std::max(report.deepest_penetration, stepped.deepest_penetration);
        report.joint_error_linear  = std::max(report.joint_error_linear, stepped.joint_error_linear);
        report.joint_error_angular = std::max(report.joint_error_angular, stepped.joint_error_angular);
        report.clamped_velocities += stepped.clamped_velocities;
        if ((step + 1) % options.every == 0 || step + 1 == options.frames) {
            const Stopwatch watch(report.wall_s["record"]);
            recording.frames.push_back(make_frame(model, state, contacts));
        }
        if (options.progress && !options.progress(step + 1, options.frames)) {
            result.interrupted = true;
            break;
        }
    }
    if (!options.checkpoint.empty()) {
        record::Checkpoint point{.model_hash    = record::model_hash(model),
                                 .solver        = recording.solver,
                                 .dt            = options.dt,
                                 .substeps      = options.substeps,
                                 .step          = first + recording.steps,
                                 .hash          = recording.hash,
                                 .state         = state,
                                 .control       = control,
                                 .solver_memory = (*solver)->save(),
                                 .overlaps      = {}};
        for (const auto& pair : rest.pairs()) point.overlaps.push_back({pair.shape0, pair.shape1, pair.depth});
        if (auto written = record::write_checkpoint(point, options.checkpoint); !written) return written.error();
    }
    if (recording.frames.back().t != state.time) recording.frames.push_back(make_frame(model, state, contacts));
    report.contacts_mean = recording.steps > 0 ? contact_sum / static_cast<double>(recording.steps) : 0;
    pipeline.collide(state, 0, contacts);
    const Depths depths      = deepest(model, contacts);
    report.final_penetration = depths.fixed;
    report.final_overlap     = depths.moving;
    if (report.clamped_velocities > 0)
        found.add(kVelocityClamped, {}, fmt::format("{} times a body was slowed down", report.clamped_velocities));
    if (overflows > 0) found.add(kContactOverflow, {}, fmt::format("in {} steps", overflows));
    return result;
}

}  // namespace mechane::run
