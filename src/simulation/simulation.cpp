#include "mechane/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "mechane/dynamics/kinematics.h"
#include "mechane/model/belongs.h"
#include "mechane/model/model.h"
#include "mechane/simulation/codes.h"
#include "mechane/simulation/engine.h"
#include "mechane/simulation/frame.h"
#include "mechane/simulation/model_parts.h"
#include "mechane/simulation/recording_file.h"
#include "simulation/require.h"

namespace mechane {

using simulation::index_of;

namespace {

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b)
{ return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0); }

/// What a step starts from.
bool same_motion(const model::State& a, const model::State& b)
{
    return same_bytes(a.body_q, b.body_q) && same_bytes(a.body_qd, b.body_qd) && same_bytes(a.joint_q, b.joint_q) &&
           same_bytes(a.joint_qd, b.joint_qd) && same_bytes(a.particle_q, b.particle_q) &&
           same_bytes(a.particle_qd, b.particle_qd);
}

bool same_commands(const model::Control& a, const model::Control& b)
{
    return same_bytes(a.joint_target_q, b.joint_target_q) && same_bytes(a.joint_target_qd, b.joint_target_qd) &&
           same_bytes(a.joint_f, b.joint_f) && same_bytes(a.joint_act, b.joint_act) &&
           same_bytes(a.body_target_q, b.body_target_q);
}

/// A recording that is being made, with what a replay of it would have before the next step.
struct Recorder {
    record::RecordingWriter   writer;
    std::int64_t              every = 1, begin = 0, last_frame = 0;
    model::State              state;
    model::Control            control;
    std::vector<Spatial>      wrench;
    std::vector<std::uint8_t> reset;
};

Diagnostic mistake(const char* function, const char* argument, std::string message)
{
    return make_diagnostic(kApiArgument, {.property = fmt::format("{}({})", function, argument)},
                           fmt::format("{}: {}", argument, message));
}

}  // namespace

struct Simulation::Impl {
    explicit Impl(std::shared_ptr<const Model> m) : model(std::move(m)), state(model), control(model) {}

    std::shared_ptr<const Model>        model;
    State                               state;
    Control                             control;
    Diagnostics                         notes;
    std::unique_ptr<simulation::Engine> engine;
    Controller                          controller;
    std::optional<Queries>              queries;
    bool                                queries_fresh = false, edited = false;
    std::optional<model::State>         initial;
    std::set<std::int32_t>              stopped;  ///< worlds that diverged
    std::optional<Recorder>             recorder;

    model::State&   arrays() { return state.arrays_; }
    model::Control& commands() { return control.arrays_; }

    /// Where every run of the model starts.
    const model::State& start()
    {
        if (!initial) {
            initial = model::make_state(engine->model());
            dynamics::project_to_joints(engine->model(), *initial, true);
        }
        return *initial;
    }

    void forgot(std::span<const std::uint8_t> worlds, bool all)
    {
        queries_fresh = false;
        if (!recorder) return;
        auto& reset = recorder->reset;
        reset.resize(static_cast<std::size_t>(model->world_count()) + 1, 0);
        for (std::size_t i = 0; i < worlds.size(); ++i) reset[i] = static_cast<std::uint8_t>(reset[i] | worlds[i]);
        if (all) reset.back() = 1;
    }

    Result<void> check_arrays() const
    {
        if (!model::fits(model->arrays(), state.arrays()))
            return mistake("Simulation::step", "state", "its arrays do not have the sizes of the model");
        if (!model::fits(model->arrays(), control.arrays()) ||
            !(control.wrenches().empty() || control.wrenches().size() == model->arrays().body_count()))
            return mistake("Simulation::step", "control", "its arrays do not have the sizes of the model");
        return {};
    }

    void record_inputs()
    {
        Recorder&         r = *recorder;
        record::StepInput input{.step = engine->step_count(), .reset = std::exchange(r.reset, {})};
        if (!same_motion(arrays(), r.state)) input.state = arrays();
        if (!same_commands(commands(), r.control)) input.control = r.control = commands();
        if (!same_bytes(arrays().body_f, r.wrench)) input.wrench = r.wrench = arrays().body_f;
        if (input.state || input.control || input.wrench || !input.reset.empty()) r.writer.input(input);
    }

    void record_step(bool last)
    {
        Recorder&          r    = *recorder;
        const std::int64_t done = engine->step_count();
        if (!last) r.writer.step(done, engine->hash());
        if (last ? r.last_frame != done : (done - r.begin) % r.every == 0) {
            r.writer.frame(run::make_frame(engine->model(), arrays(), engine->contacts()));
            r.last_frame = done;
        }
        r.state = arrays();
    }

    Result<StepReport> step()
    {
        if (auto good = check_arrays(); !good) return good.error();
        if (!state.is_settled()) state.settle();
        engine->follow();
        if (controller) {
            controller(state, control);
            if (auto good = check_arrays(); !good) return good.error();
        }
        if (!control.wrenches().empty()) arrays().body_f = control.wrenches();
        if (recorder) record_inputs();
        queries_fresh = false;
        engine->find_contacts();
        StepReport report = engine->advance();
        if (report.refused) return *report.refused;
        if (report.diverged) {
            const auto label = [&](const std::vector<std::string>& labels, std::int32_t i) {
                return i >= 0 && static_cast<std::size_t>(i) < labels.size() ? labels[static_cast<std::size_t>(i)]
                                                                            : std::string();
            };
            const std::string body  = label(engine->model().body_label, report.culprit_body);
            const std::string joint = label(engine->model().joint_label, report.culprit_joint);
            return make_diagnostic(run::kDiverged, {.prim = joint.starts_with('/') || body.empty() ? joint : body},
                                   fmt::format("diverged at {:.6g} s (step {}){}{}", state.time(),
                                               engine->step_count() + 1, report.culprit.empty() ? "" : ": ",
                                               report.culprit),
                                   "Use a smaller dt or more substeps, or soften the joint that is named.");
        }
        for (const std::int32_t world : report.diverged_worlds)
            if (stopped.insert(world).second)
                notes.add(run::kWorldDiverged, {},
                          fmt::format("world {} stays as it was at {:.6g} s: {}", world,
                                      state.time() - engine->options().dt, report.culprit));
        if (recorder) record_step(false);
        return report;
    }
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : Simulation(make(std::move(model), options).expect())
{
}
Simulation::~Simulation()                                = default;
Simulation::Simulation(Simulation&&) noexcept            = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Result<Simulation> Simulation::make(std::shared_ptr<const Model> model, const SimulationOptions& options)
{
    if (model == nullptr) return mistake("Simulation", "model", "expected a model, not null");
    const double dt  = options.dt.value_or(model->default_dt());
    const auto   bad = [](std::string message) {
        return make_diagnostic(simulation::kOption, {}, std::move(message));
    };
    if (!(dt > 0) || !std::isfinite(dt))
        return bad(fmt::format("dt: {} is no positive finite number of seconds", dt));
    if (options.substeps < 1 || options.substeps > 64)
        return bad(fmt::format("substeps: {} is not in 1 to 64", options.substeps));
    if (options.threads < 0 || options.threads > 4096)
        return bad(fmt::format("threads: {} is not in 0 (all cores) to 4096", options.threads));
    auto impl   = std::make_unique<Impl>(std::move(model));
    auto engine = simulation::Engine::make(impl->model->arrays(), impl->arrays(), impl->commands(),
                                           {.solver   = options.solver,
                                            .dt       = dt,
                                            .substeps = options.substeps,
                                            .threads  = options.threads,
                                            .sleeping = options.sleeping,
                                            .follow   = impl->model->parts().animation},
                                           impl->notes);
    if (!engine) return engine.error();
    impl->engine = *std::move(engine);
    (void)impl->engine->project(impl->notes);
    impl->engine->begin(impl->notes);
    return Simulation(std::move(impl));
}

Result<StepReport> Simulation::step() { return impl_->step(); }

Result<void> Simulation::run_for(double seconds)
{
    const double dt = impl_->engine->options().dt;
    if (!(seconds >= 0) || !(seconds / dt < 9e15))
        return make_diagnostic(simulation::kOption, {},
                               fmt::format("seconds: {} is no time that {} s steps fill", seconds, dt));
    for (auto left = std::llround(seconds / dt); left > 0; --left)
        if (auto done = step(); !done) return done.error();
    return {};
}

void Simulation::on_step(Controller controller) { impl_->controller = std::move(controller); }

const std::shared_ptr<const Model>& Simulation::model() const noexcept { return impl_->model; }
const State&                        Simulation::state() const noexcept { return impl_->state; }
double                              Simulation::time() const noexcept { return impl_->state.time(); }
double                              Simulation::dt() const noexcept { return impl_->engine->options().dt; }
std::int64_t                        Simulation::steps() const noexcept { return impl_->engine->step_count(); }
std::uint64_t                       Simulation::hash() const noexcept { return impl_->engine->hash(); }
Placement                           Simulation::pose(BodyId body) const { return impl_->state.pose(body); }
Vec3                                Simulation::position(BodyId body) const { return impl_->state.position(body); }
Worlds                              Simulation::worlds() const { return Worlds(impl_->model->world_count()); }
const Diagnostics&                  Simulation::notes() const noexcept { return impl_->notes; }

Contacts Simulation::contacts() const { return {*impl_->model, impl_->state, impl_->engine->contacts()}; }
Contacts Simulation::touching() const { return {*impl_->model, impl_->state, impl_->engine->contacts(), true}; }

const Queries& Simulation::queries()
{
    if (!impl_->queries) impl_->queries.emplace(impl_->model);
    if (!impl_->state.is_settled()) impl_->state.settle();
    if (!impl_->queries_fresh) impl_->queries->update(impl_->state);
    impl_->queries_fresh = true;
    return *impl_->queries;
}

Control& Simulation::control() { return impl_->control; }

State& Simulation::edit_state()
{
    impl_->queries_fresh = false;
    return impl_->state;
}

void Simulation::reset()
{
    const double time = impl_->arrays().time;
    auto         custom_arrays = std::move(impl_->arrays().custom_arrays);
    impl_->arrays()            = impl_->start();
    impl_->arrays().time       = time;
    impl_->arrays().custom_arrays = std::move(custom_arrays);
    impl_->state.unsettled_       = false;
    impl_->engine->forget();
    impl_->stopped.clear();
    impl_->forgot({}, true);
}

void Simulation::reset(WorldId world)
{
    const std::size_t         w = index_of(world, worlds().size(), "Simulation::reset", "world");
    std::vector<std::uint8_t> mask(worlds().size(), 0);
    mask[w] = 1;
    MCH_REQUIRE(model::fits(impl_->model->arrays(), impl_->arrays()), "Simulation::reset", "state",
                "arrays of the model's sizes: they were resized through arrays()");
    model::copy_worlds(impl_->arrays(), impl_->start(), impl_->model->arrays(), mask);
    impl_->engine->forget_worlds(mask);
    impl_->stopped.erase(world.value);
    impl_->forgot(mask, false);
}

Result<void> Simulation::edit(const std::function<void(ModelEdit&)>& change)
{
    if (!change) return mistake("Simulation::edit", "change", "expected a function");
    if (impl_->recorder)
        return make_diagnostic(simulation::kRecordingState, {}, "the model cannot be edited while it is recorded");
    impl_->edited = true;
    return impl_->engine->edit([&](model::Model& arrays) {
        ModelEdit edit(arrays);
        change(edit);
        return edit.changes();
    });
}

Result<void> Simulation::record(const std::string& file, const RecordOptions& options)
{
    if (impl_->recorder) return make_diagnostic(simulation::kRecordingState, {.layer = file}, "a recording is under way");
    if (impl_->edited)
        return make_diagnostic(simulation::kRecordingState, {.layer = file},
                               "the model was edited, so that nothing could compute the recording once more");
    if (options.every < 1)
        return make_diagnostic(simulation::kOption, {}, fmt::format("every: {} is not positive", options.every));
    if (auto good = impl_->check_arrays(); !good) return good;
    if (!impl_->state.is_settled()) impl_->state.settle();
    simulation::Engine&     engine = *impl_->engine;
    record::RecordingHeader header{.program  = "mechane",
                                   .source   = options.source,
                                   .model    = record::model_hash(impl_->model->arrays()),
                                   .solver   = engine.options().solver,
                                   .dt       = engine.options().dt,
                                   .substeps = engine.options().substeps,
                                   .sleeping = engine.options().sleeping};
    const model::Control own = model::make_control(impl_->model->arrays());
    const bool pristine = engine.step_count() == 0 && same_motion(impl_->arrays(), impl_->start()) &&
                          same_commands(impl_->commands(), own);
    if (!pristine) header.start = record::to_bytes(engine.checkpoint());
    auto writer = record::RecordingWriter::create(file, header);
    if (!writer) return writer.error();
    writer->step(engine.step_count(), engine.hash());
    writer->frame(run::make_frame(engine.model(), impl_->arrays(), engine.contacts_now()));
    impl_->recorder = Recorder{.writer     = *std::move(writer),
                               .every      = options.every,
                               .begin      = engine.step_count(),
                               .last_frame = engine.step_count(),
                               .state      = impl_->arrays(),
                               .control    = impl_->commands(),
                               .wrench     = std::vector<Spatial>(impl_->model->arrays().body_count()),
                               .reset      = {}};
    return {};
}

Result<void> Simulation::finish_recording()
{
    if (!impl_->recorder) return make_diagnostic(simulation::kRecordingState, {}, "nothing is recorded");
    impl_->record_step(true);
    auto done = impl_->recorder->writer.finish();
    impl_->recorder.reset();
    return done;
}

}  // namespace mechane
