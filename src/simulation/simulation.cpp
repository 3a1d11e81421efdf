// mechane::Simulation, the public interface of a running model: stepping, controllers, edits, resets, recording. It
// owns state and commands; the engine refers to them.
// Failures are Results, or `fail` where an argument breaks a precondition. Functions of the program that run inside a
// step may not step, reset or edit (Inside).
// The functions of the public interface stand at the end. They find the Impl and leave the work to it.

#include "mechane/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "mechane/device/device_solver.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/files/inputs.h"
#include "mechane/model/belongs.h"
#include "mechane/model/custom_copy.h"
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
// By bytes, not by value: -0 and 0 differ in a recording, and a NaN is equal to itself.
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b)
{ return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0); }

/// Beyond this the square of a command, which energies and norms have, is no number of single precision any more.
constexpr Real kMostCommand = Real(1e18);

/// By the bits, whose order as integers is that of the magnitudes, what is not finite being last: an integer reduction,
/// Checked before a solver sees them, since one infinite number spreads to all bodies of an island.
/// which compilers vectorize. Every command of a step is looked at.
bool all_fit(const Real* values, std::size_t count)
{
    using Bits           = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
    constexpr Bits sign  = Bits{1} << (8 * sizeof(Real) - 1);
    constexpr Bits most  = std::bit_cast<Bits>(kMostCommand);
    Bits           found = 0;
    for (std::size_t i = 0; i < count; ++i)
        found |= static_cast<Bits>((std::bit_cast<Bits>(values[i]) & static_cast<Bits>(~sign)) > most);
    return found == 0;
}

/// What a step starts from.
bool same_motion(const model::State& a, const model::State& b)
{
    return same_bytes(a.body_q, b.body_q) && same_bytes(a.body_qd, b.body_qd) && same_bytes(a.joint_q, b.joint_q) &&
           same_bytes(a.joint_qd, b.joint_qd) && same_bytes(a.particle_q, b.particle_q) &&
           same_bytes(a.particle_qd, b.particle_qd) && same_bytes(a.particle_f, b.particle_f) &&
           model::same_values(a.custom_arrays, b.custom_arrays);
}

bool same_commands(const model::Control& a, const model::Control& b)
{
    return same_bytes(a.joint_target_q, b.joint_target_q) && same_bytes(a.joint_target_qd, b.joint_target_qd) &&
           same_bytes(a.joint_f, b.joint_f) && same_bytes(a.joint_act, b.joint_act) &&
           same_bytes(a.body_target_q, b.body_target_q) && same_bytes(a.tri_activations, b.tri_activations) &&
           same_bytes(a.tet_activations, b.tet_activations) && model::same_values(a.custom_arrays, b.custom_arrays);
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

/// While it lives somebody's function is running, which may not call everything.
/// A pointer to text, not a flag: the text ends the sentence of the refusal.
class Inside {
  public:
    Inside(const char*& which, const char* what) : which_(which) { which_ = what; }
    ~Inside() { which_ = nullptr; }
    Inside(const Inside&)            = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    const char*& which_;
};

Diagnostic mistake(const char* function, const char* argument, std::string message)
{
    return make_diagnostic(kApiArgument, {.property = fmt::format("{}({})", function, argument)},
                           fmt::format("{}: {}", argument, message));
}

// Written so that a NaN is too large.
bool is_too_large(Real x) { return !(std::abs(x) <= kMostCommand); }

Diagnostic too_large(const std::string& what, Real value)
{
    return mistake("Simulation::step", "control",
                   fmt::format("{} is {}, expected a finite number of at most {}", what, value, kMostCommand));
}

}  // namespace

struct Simulation::Impl {
    explicit Impl(std::shared_ptr<const Model> m) : original(m), model(std::move(m)), state(model), control(model) {}

    std::shared_ptr<const Model>        original;  ///< what the engine was made of
    std::shared_ptr<const Model>        model;     ///< as it was edited
    State                               state;
    Control                             control;
    Diagnostics                         notes;
    std::unique_ptr<simulation::Engine> engine;
    Controller                          controller;
    std::optional<Queries>              queries;
    bool                                queries_fresh = false, edited = false;
    const char*                         inside = nullptr;  ///< whose function is running: what may not be called
    std::optional<model::State>         initial;
    std::set<std::int32_t>              stopped;  ///< worlds that diverged
    std::optional<Recorder>             recorder;

    model::State&   arrays() { return state.arrays_; }
    model::Control& commands() { return control.arrays_; }

    /// Where every run of the model starts.
    /// Made when somebody first asks: most runs never reset.
    const model::State& start()
    {
        if (!initial) {
            initial = model::make_state(engine->model());
            // As the engine did at the start: a reset must give the same bits as a new simulation.
            dynamics::project_to_joints(engine->model(), *initial, true);
        }
        return *initial;
    }

    void forgot(std::span<const std::uint8_t> worlds, bool all)
    {
        queries_fresh = false;
        if (!recorder) return;
        // One mark for each world, and one behind them for all.
        // Resets are inputs of a recording: they are written with the next step.
        auto& reset = recorder->reset;
        reset.resize(static_cast<std::size_t>(model->world_count()) + 1, 0);
        for (std::size_t i = 0; i < worlds.size(); ++i) reset[i] = static_cast<std::uint8_t>(reset[i] | worlds[i]);
        if (all) reset.back() = 1;
    }

    /// The first command that is no number.
    Result<void> check_commands() const
    {
        const model::Control& c = control.arrays();
        for (const auto& [name, values] : {std::pair{"joint_f", &c.joint_f},
                                           {"joint_target_q", &c.joint_target_q},
                                           {"joint_target_qd", &c.joint_target_qd},
                                           {"joint_act", &c.joint_act},
                                           {"tri_activations", &c.tri_activations},
                                           {"tet_activations", &c.tet_activations}}) {
            if (all_fit(values->data(), values->size())) continue;
            const auto at = std::find_if(values->begin(), values->end(), is_too_large);
            return too_large(fmt::format("{}[{}]", name, at - values->begin()), *at);
        }
        const auto& wrenches = control.wrenches();
        for (std::size_t b = 0; b < wrenches.size(); ++b)
            for (const Vec3& part : {wrenches[b].linear, wrenches[b].angular})
                for (const Real x : {part.x, part.y, part.z})
                    if (is_too_large(x))
                        return too_large(
                            fmt::format("the wrench on '{}'", model->label(BodyId(static_cast<std::int32_t>(b)))), x);
        return {};
    }

    /// After an edit: the model as it is simulated, and the objects that belong to it. At once, so that nothing of the
    /// model before is taken for the one now.
    void renew()
    {
        const simulation::ModelParts& parts    = model->parts();
        const bool                    of_state = is_own(state.model_), of_control = is_own(control.model_);
        // The same family marks states of the model before as its own.
        model = Model::make({.arrays    = engine->model(),
                             .animation = parts.animation,
                             .dt        = parts.dt,
                             .keeps     = parts.keeps,
                             .source    = parts.source,
                             .scene     = parts.scene,
                             .inputs    = parts.inputs,
                             .family    = parts.family});
        if (of_state) state.model_ = model;
        if (of_control) control.model_ = model;
        // They were built of the shapes before.
        queries.reset();
        queries_fresh = false;
        // The start is that of the model as it is now, whether somebody has asked for it before or not.
        initial.reset();
    }

    /// Whether a state or commands are of this simulation's model, or of what it was before an edit.
    [[nodiscard]] bool is_own(const std::shared_ptr<const Model>& other) const
    { return other == model || (other != nullptr && other->parts().family == model->parts().family); }

    /// A product, as the engine has it.
    /// Not a sum of steps, whose rounding would grow with their number.
    [[nodiscard]] double time() const { return engine->options().dt * static_cast<double>(engine->step_count()); }

    /// A state or commands that were assigned: those of the model before an edit become those of the model now. The
    /// time goes on, and with it the animation: a state that is put back brings poses and velocities.
    Result<void> adopt()
    {
        state.arrays_.time = time();
        if (state.model_ == model && control.model_ == model) return {};
        for (const auto& [object, of] : {std::pair{"state", &state.model_}, {"control", &control.model_}}) {
            if (!is_own(*of))
                return make_diagnostic(kApiForeign, {.property = fmt::format("Simulation::step({})", object)},
                                       fmt::format("{}: belongs to another model", object));
            *of = model;
        }
        return {};
    }

    State& settled()
    {
        // A state that was assigned from before an edit has the same arrays.
        if (state.model_ != model && is_own(state.model_)) state.model_ = model;
        state.arrays_.time = time();
        // Coordinates that a program set move the bodies before anything reads these.
        if (!state.is_settled()) state.settle();
        return state;
    }

    Result<void> check_arrays()
    {
        if (auto own = adopt(); !own) return own;
        if (!model::fits(model->arrays(), state.arrays()))
            return mistake("Simulation::step", "state", "its arrays do not have the sizes of the model");
        if (!model::fits(model->arrays(), control.arrays()) ||
            !(control.wrenches().empty() || control.wrenches().size() == model->arrays().body_count()))
            return mistake("Simulation::step", "control", "its arrays do not have the sizes of the model");
        return {};
    }

    /// Solvers take a free body from `body_q` where that was written: a pose that is no number would count as not
    /// written.
    Result<void> check_bodies()
    {
        const model::State& now = arrays();
        for (std::size_t b = 0; b < now.body_q.size(); ++b)
            if (!is_finite(now.body_q[b].p) || !is_finite(now.body_q[b].q) || !is_finite(now.body_qd[b].linear) ||
                !is_finite(now.body_qd[b].angular))
                return mistake(
                    "Simulation::step", "state",
                    fmt::format("body_q or body_qd of '{}' is not a finite number", model->arrays().body_label[b]));
        return {};
    }

    // A replay computes the steps once more; what it cannot compute is what the program did between them.
    void record_inputs()
    {
        Recorder&         r = *recorder;
        record::StepInput input{.step = engine->step_count(), .reset = std::exchange(r.reset, {})};
        // Only differences to what a replay would have are written.
        if (!same_motion(arrays(), r.state)) input.state = arrays();
        if (!same_commands(commands(), r.control)) input.control = r.control = commands();
        if (!same_bytes(arrays().body_f, r.wrench)) input.wrench = r.wrench = arrays().body_f;
        if (input.state || input.control || input.wrench || !input.reset.empty()) r.writer.input(input);
    }

    void record_step(bool last)
    {
        Recorder&          r    = *recorder;
        const std::int64_t done = engine->step_count();
        // The hash of each step lets a replay say where it first differs.
        if (!last) r.writer.step(done, engine->hash());
        if (last ? r.last_frame != done : (done - r.begin) % r.every == 0) {
            r.writer.frame(run::make_frame(engine->model(), arrays(), engine->contacts()));
            r.last_frame = done;
        }
        // Where a replay stands before the next step.
        r.state = arrays();
    }

    Result<StepReport> step()
    {
        if (inside != nullptr)
            return mistake("Simulation::step", "this", fmt::format("expected a simulation {}", inside));
        if (auto good = check_arrays(); !good) return good.error();
        settled();
        // Animation first: a controller sees and may override it.
        engine->follow();
        if (controller) {
            const Inside guard(inside, "whose controller is not running");
            controller(state, control);
            // The controller may have assigned a state or resized its arrays.
            if (auto good = check_arrays(); !good) return good.error();
        }
        if (auto good = check_commands(); !good) return good.error();
        if (auto good = check_bodies(); !good) return good.error();
        // Wrenches hold until they are cleared; body_f is the solver's input of the step.
        if (!control.wrenches().empty()) arrays().body_f = control.wrenches();
        if (recorder) record_inputs();
        queries_fresh = false;
        // Contacts are those of the state before the step.
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
            return make_diagnostic(
                run::kDiverged, {.prim = joint.starts_with('/') || body.empty() ? joint : body},
                fmt::format("diverged at {:.6g} s (step {}){}{}", state.time(), engine->step_count() + 1,
                            report.culprit.empty() ? "" : ": ", report.culprit),
                "Use a smaller dt or more substeps, soften the joint that is named, or command less.");
        }
        for (const std::int32_t world : report.diverged_worlds)
            // A world is told of once, as it stays stopped until it is reset.
            if (stopped.insert(world).second)
                notes.add(run::kWorldDiverged, {},
                          fmt::format("world {} stays as it was at {:.6g} s: {}", world,
                                      state.time() - engine->options().dt, report.culprit));
        if (recorder) record_step(false);
        return report;
    }
};

Simulation::Simulation(Private, std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

// For functions that may be called at any time, also by a controller.
Simulation::Impl& Simulation::own(const char* function) const
{
    MCH_REQUIRE(impl_ != nullptr, function, "this", "a simulation that was not moved away");
    return *impl_;
}

// For those that would change what a running step reads.
Simulation::Impl& Simulation::outside(const char* function) const
{
    Impl& impl = own(function);
    if (impl.inside != nullptr) refuse_argument(function, "this", fmt::format("a simulation {}", impl.inside).c_str());
    return impl;
}

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
    const auto   bad = [](std::string message) { return make_diagnostic(simulation::kOption, {}, std::move(message)); };
    if (!(dt > 0) || !std::isfinite(dt))
        return bad(fmt::format("dt: {} is not a positive finite number of seconds", dt));
    if (options.substeps < 1 || options.substeps > 64)
        return bad(fmt::format("substeps: {} is not in 1 to 64", options.substeps));
    if (options.threads < 0 || options.threads > 4096)
        return bad(fmt::format("threads: {} is not in 0 (all cores) to 4096", options.threads));
    auto solver = device::with_device(options.solver, options.device);
    if (!solver) return solver.error();
    auto impl   = std::make_unique<Impl>(std::move(model));
    auto engine = simulation::Engine::make(impl->model->arrays(), impl->arrays(), impl->commands(),
                                           {.solver   = *std::move(solver),
                                            .dt       = dt,
                                            .substeps = options.substeps,
                                            .threads  = options.threads,
                                            .sleeping = options.sleeping,
                                            .follow   = impl->model->parts().animation},
                                           impl->notes);
    if (!engine) return engine.error();
    impl->engine = *std::move(engine);
    // Authored states may contradict their joints: the coordinates decide.
    (void)impl->engine->project(impl->notes);
    impl->engine->begin(impl->notes);
    return Simulation(Private{}, std::move(impl));
}

Result<StepReport> Simulation::step()
{
    (void)own("Simulation::step");
    const std::shared_ptr<Impl> running = impl_;  // a controller may assign to this object, or end it
    return running->step();
}

Result<void> Simulation::run_for(double seconds)
{
    const double                dt      = own("Simulation::run_for").engine->options().dt;
    const std::shared_ptr<Impl> running = impl_;
    // Beyond 9e15 a double does not count steps one by one any more (2^53).
    if (!(seconds >= 0) || !(seconds / dt < 9e15))
        return make_diagnostic(simulation::kOption, {},
                               fmt::format("seconds: {} is not a whole number of steps of {} s", seconds, dt));
    // Whole steps, to the nearest: 0.1 s at 1/60 s are six.
    for (auto left = std::llround(seconds / dt); left > 0; --left)
        if (auto done = running->step(); !done) return done.error();
    return {};
}

void Simulation::on_step(Controller controller) { outside("Simulation::on_step").controller = std::move(controller); }

const std::shared_ptr<const Model>& Simulation::model() const { return own("Simulation::model").model; }
const State&                        Simulation::state() const { return own("Simulation::state").settled(); }
double                              Simulation::time() const { return own("Simulation::time").time(); }
double                              Simulation::dt() const { return own("Simulation::dt").engine->options().dt; }
std::int64_t                        Simulation::steps() const { return own("Simulation::steps").engine->step_count(); }
std::uint64_t                       Simulation::hash() const { return own("Simulation::hash").engine->hash(); }
Placement Simulation::pose(BodyId body) const { return own("Simulation::pose").settled().pose(body); }
Vec3      Simulation::position(BodyId body) const { return own("Simulation::position").settled().position(body); }
Worlds    Simulation::worlds() const { return Worlds(own("Simulation::worlds").model->world_count()); }
const Diagnostics& Simulation::notes() const { return own("Simulation::notes").notes; }

Contacts Simulation::contacts() const
{
    Impl& impl = own("Simulation::contacts");
    // Contacts refer to the settled state, so that positions of points agree with the poses.
    return {*impl.model, impl.settled(), impl.engine->contacts()};
}

Contacts Simulation::touching() const
{
    Impl& impl = own("Simulation::touching");
    return {*impl.model, impl.settled(), impl.engine->contacts(), true};
}

const Queries& Simulation::queries()
{
    Impl& impl = own("Simulation::queries");
    if (!impl.queries) impl.queries.emplace(impl.model), impl.queries_fresh = false;
    // Built once a model, moved once a step.
    if (!impl.queries_fresh) impl.queries->update(impl.settled());
    impl.queries_fresh = true;
    return *impl.queries;
}

Control& Simulation::control() { return own("Simulation::control").control; }

State& Simulation::edit_state()
{
    Impl& impl         = own("Simulation::edit_state");
    impl.queries_fresh = false;
    return impl.state;
}

void Simulation::reset()
{
    Impl& impl = outside("Simulation::reset");
    // Time and the program's own arrays go on over a reset.
    const double time           = impl.arrays().time;
    auto         custom_arrays  = std::move(impl.arrays().custom_arrays);
    impl.arrays()               = impl.start();
    impl.arrays().time          = time;
    impl.arrays().custom_arrays = std::move(custom_arrays);
    impl.state.model_           = impl.model;
    impl.state.unsettled_       = false;
    impl.engine->forget();
    impl.stopped.clear();
    // Queries are out of date, and a recording notes the reset.
    impl.forgot({}, true);
}

void Simulation::reset(WorldId world)
{
    Impl& impl = outside("Simulation::reset");
    if (world == kShared && impl.model->world_count() == 0) return reset();
    const std::size_t         w = index_of(world, worlds().size(), "Simulation::reset", "world");
    std::vector<std::uint8_t> mask(worlds().size(), 0);
    mask[w] = 1;
    // Copies between arrays of other sizes would run beyond them.
    if (!model::fits(impl.model->arrays(), impl.arrays())) simulation::refuse_sizes("Simulation::reset", "state");
    model::copy_worlds(impl.arrays(), impl.start(), impl.model->arrays(), mask);
    impl.engine->forget_worlds(mask);
    impl.stopped.erase(world.value);
    impl.forgot(mask, false);
}

Result<void> Simulation::edit(const std::function<void(ModelEdit&)>& change)
{
    Impl& impl = outside("Simulation::edit");
    if (!change) return mistake("Simulation::edit", "change", "expected a function");
    if (impl.recorder)
        return make_diagnostic(simulation::kRecordingState, {}, "the model cannot be edited while it is recorded");
    // Also where `change` throws: what it wrote before stays.
    impl.edited = true;
    std::exception_ptr thrown;
    const Inside       guard(impl.inside, "that is not being edited");
    auto               done = impl.engine->edit([&](model::Model& arrays) {
        ModelEdit edit(arrays);
        try {
            change(edit);
        } catch (...) {  // of a failure handler or of the program: what was changed before it is told all the same
            thrown = std::current_exception();
        }
        return edit.changes();
    });
    // Only after the engine was told what changed before the exception.
    impl.renew();
    if (thrown) std::rethrow_exception(thrown);
    return done;
}

Result<void> Simulation::record(const std::string& file, const RecordOptions& options)
{
    Impl& impl = outside("Simulation::record");
    if (impl.recorder) return make_diagnostic(simulation::kRecordingState, {.layer = file}, "a recording is under way");
    if (impl.edited)
        return make_diagnostic(simulation::kRecordingState, {.layer = file},
                               "the model was edited, so that nothing could compute the recording once more");
    if (options.every < 1)
        return make_diagnostic(simulation::kOption, {}, fmt::format("every: {} is not positive", options.every));
    // A recording starts from a state that a replay can be given.
    if (auto good = impl.check_arrays(); !good) return good;
    // A recording never overwrites the files that the model came from.
    if (auto refused = files::refuse_input(file, impl.model->parts().inputs); !refused) return refused;
    impl.settled();
    simulation::Engine&           engine = *impl.engine;
    const simulation::ModelParts& parts  = impl.model->parts();
    record::RecordingHeader       header{.program  = "mechane",
                                         .source   = options.source.empty() ? parts.source : options.source,
                                         .scene    = parts.scene,
                                         .model    = record::model_hash(impl.model->arrays()),
                                         .solver   = engine.options().solver,
                                         .dt       = engine.options().dt,
                                         .substeps = engine.options().substeps,
                                         .sleeping = engine.options().sleeping};
    const model::Control          authored = model::make_control(impl.model->arrays());
    // A run from the start needs no checkpoint in its header.
    const bool pristine = engine.step_count() == 0 && same_motion(impl.arrays(), impl.start()) &&
                          same_commands(impl.commands(), authored);
    // The checkpoint holds the state, the commands and what the solver remembers.
    if (!pristine) header.start = record::to_bytes(engine.checkpoint());
    auto writer = record::RecordingWriter::create(file, header);
    if (!writer) return writer.error();
    writer->step(engine.step_count(), engine.hash());
    // Contacts of the state as it is, without touching what the next step remembers.
    writer->frame(run::make_frame(engine.model(), impl.arrays(), engine.contacts_now()));
    impl.recorder = Recorder{.writer     = *std::move(writer),
                             .every      = options.every,
                             .begin      = engine.step_count(),
                             .last_frame = engine.step_count(),
                             .state      = impl.arrays(),
                             .control    = impl.commands(),
                             .wrench     = std::vector<Spatial>(impl.model->arrays().body_count()),
                             .reset      = {}};
    // A replay begins with the wrenches of the checkpoint.
    if (!pristine) impl.recorder->wrench = impl.arrays().body_f;
    return {};
}

Result<void> Simulation::finish_recording()
{
    Impl& impl = outside("Simulation::finish_recording");
    if (!impl.recorder) return make_diagnostic(simulation::kRecordingState, {}, "nothing is recorded");
    // The last state gets a frame also where `every` would leave it out.
    impl.record_step(true);
    auto done = impl.recorder->writer.finish();
    impl.recorder.reset();
    return done;
}

}  // namespace mechane
