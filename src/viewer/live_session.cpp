// A simulation that runs while pages look on and act on it.
// Inputs: a model, how to run it, and commands of pages and other guests (play, step, reset, targets, pulls). Outputs:
// frames for the pages, and recordings that a replay repeats bit by bit, because every input is written before the step
// that uses it.
// Time: a debt of simulated time grows with the clock and is paid in whole steps of dt. Rendering and messages never
// change dt, so the motion does not depend on how fast the machine is; only its pace does.
// Called by `mechane view`.

#include "mechane/viewer/live_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "mechane/collision/pipeline.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/model/custom_copy.h"
#include "mechane/simulation/checkpoint.h"
#include "mechane/simulation/frame.h"
#include "mechane/simulation/prepared_run.h"
#include "mechane/simulation/recording_file.h"
#include "mechane/simulation/verify.h"

namespace mechane::viewer {
namespace {

using Clock = std::chrono::steady_clock;
using Kind  = LiveCommand::Kind;

/// 60 frames a second, as screens show them.
constexpr auto kFramePeriod = std::chrono::milliseconds(16);
/// A machine that is too slow falls behind instead of computing ever more steps for each look at the pages.
constexpr double kMostDebt = 0.1;   ///< of the clock's time that is made up for [s]
constexpr double kMostWork = 0.05;  ///< between two looks at what the pages say [s]

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

bool same(const model::Control& a, const model::Control& b)
{
    return a.joint_target_q == b.joint_target_q && a.joint_target_qd == b.joint_target_qd && a.joint_f == b.joint_f &&
           a.joint_act == b.joint_act && a.body_target_q == b.body_target_q && a.tri_activations == b.tri_activations &&
           a.tet_activations == b.tet_activations && model::same_values(a.custom_arrays, b.custom_arrays);
}

/// run.mrec, run-2.mrec, run-3.mrec, ...
std::string numbered(const std::string& file, int number)
{
    if (number < 2) return file;
    const std::size_t dot = file.rfind('.'), slash = file.rfind('/');
    const bool        has = dot != std::string::npos && (slash == std::string::npos || dot > slash);
    const std::size_t end = has ? dot : file.size();
    return fmt::format("{}-{}{}", file.substr(0, end), number, file.substr(end));
}

}  // namespace

struct LiveSession::Impl {
    const model::Model&            model;
    LiveSessionOptions             options;
    model::State                   state;
    model::Control                 control;
    run::PreparedRun               prepared{};
    simulation::Engine*            engine = nullptr;  ///< that of `prepared`
    std::unique_ptr<LivePage>      page{};
    record::Checkpoint             beginning{};
    std::map<std::int32_t, double> targets{};  ///< dof to what a slider commands
    LiveStatus                     status{};
    double                         speed = 1, debt = 0;
    std::int64_t                   computed = 0, to_do = 0;  ///< steps; single steps that were asked for
    bool                           changed = true;           ///< since the last frame was shown
    std::int32_t                   pulled  = -1;             ///< body with a wrench of ours

    std::optional<record::RecordingWriter> writer{};
    int                                    recordings   = 0;
    bool                                   at_beginning = true;   ///< no step, and no joint was moved, since then
    bool                                   driven       = false;  ///< by messages that a replay does not have
    std::map<std::int32_t, std::uint64_t>  drivers{};             ///< controller to the page that drives it
    std::optional<model::Control>          written_control{};
    std::optional<std::vector<Spatial>>    written_wrench{};
    bool                                   state_written = false;

    // What finds the surfaces of pressure contact for pages that show them: the engine's own keeps none.
    const model::Model*                           looked_at = nullptr;
    std::unique_ptr<collision::CollisionPipeline> looker{};
    model::Contacts                               looked{};

    Result<void> prepare(Diagnostics& found)
    {
        auto made = run::prepare_run(model, options.run, state, control, found);
        if (!made) return made.error();
        prepared = *std::move(made);
        engine   = prepared.engine.get();
        engine->begin(found);
        beginning = engine->checkpoint();
        if (!options.record.empty())
            if (auto begun = start_recording(); !begun) return begun;
        options.page.can_record = !options.record.empty();
        options.page.solver     = engine->solver_name();
        options.page.dt         = options.run.dt;
        auto opened             = LivePage::open(model, state, options.page);
        if (!opened) return opened.error();
        page           = *std::move(opened);
        status.playing = !options.paused;
        speed          = options.speed;
        return {};
    }

    // -- recording

    Result<void> start_recording()
    {
        record::RecordingHeader header = run::recording_header(model, options.run);
        header.program                 = options.program;
        header.source                  = options.source;
        header.scene                   = options.scene;
        // A replay looks for the contacts of what it resumes; so does this frame, which had those of the last step.
        if (!at_beginning) header.start = record::to_bytes(engine->checkpoint()), engine->look();
        auto made = record::RecordingWriter::create(numbered(options.record, ++recordings), header);
        if (!made) return made.error();
        writer = *std::move(made);
        written_control.reset();
        written_wrench.reset();
        state_written = false;
        writer->step(engine->step_count(), engine->hash());
        writer->frame(run::make_frame(engine->model(), state, engine->contacts()));
        return {};
    }
    Result<void> stop_recording()
    {
        if (!writer) return {};
        auto done = writer->finish();
        writer.reset();
        return done;
    }
    // Inputs that did not change are not written again: a replay keeps the last ones.
    void record_input()
    {
        if (!writer) return;
        record::StepInput input{.step = engine->step_count()};
        if (std::exchange(state_written, false)) {
            input.state = state;
            input.reset.assign(static_cast<std::size_t>(model.world_count) + 1, 1);
        }
        // After a message for a controller, the control may change in ways that no table shows, so it is written every
        // step.
        if (driven || (!written_control ? !targets.empty() : !same(*written_control, control)))
            input.control = written_control = control;
        if (!written_wrench ? pulled >= 0 : *written_wrench != state.body_f)
            input.wrench = written_wrench = state.body_f;
        if (input.state || input.control || input.wrench) writer->input(input);
    }
    void tell(const Result<void>& done)
    {
        if (!done) page->say(done.error().message);
    }

    // -- steps

    void command_targets()
    {
        for (const auto& [dof, value] : targets) {
            const auto d = static_cast<std::size_t>(dof);
            if (model.joint_target_mode[d] == model::TargetMode::velocity) {
                control.joint_target_qd[d] = static_cast<Real>(value);
                continue;
            }
            if (const std::int32_t at = coordinate_of(model, joint_of(dof), dof); at >= 0)
                control.joint_target_q[static_cast<std::size_t>(at)] = static_cast<Real>(value);
        }
    }
    [[nodiscard]] std::int32_t joint_of(std::int32_t dof) const
    {
        const auto after = std::upper_bound(model.joint_qd_start.begin(), model.joint_qd_start.end(), dof);
        return static_cast<std::int32_t>(after - model.joint_qd_start.begin()) - 1;
    }
    void pull()
    {
        if (pulled >= 0) state.body_f[static_cast<std::size_t>(pulled)] = {};
        pulled = -1;
        if (const auto& wanted = page->pull()) {
            pulled = wanted->body;
            state.body_f[static_cast<std::size_t>(pulled)] =
                pull_wrench(engine->model(), state, *wanted, options.run.dt);
            engine->wake(pulled);
        }
    }
    /// @return whether there may be a next one
    /// The order is fixed, since a replay follows it: animation, control table, sliders, pull, record, contacts,
    /// advance.
    bool step()
    {
        prepared.command(state, control);
        command_targets();
        pull();
        record_input();
        engine->find_contacts();
        const solvers::StepReport report = engine->advance();
        changed                          = true;
        at_beginning                     = false;
        if (report.diverged) {
            status.diverged = true;
            status.playing  = false;
            page->say(fmt::format("The simulation diverged at {:.6g} s{}{}. Reset begins again.", state.time,
                                  report.culprit.empty() ? "" : ": ", report.culprit));
            return false;
        }
        ++computed;
        if (writer) {
            writer->step(engine->step_count(), engine->hash());
            writer->frame(run::make_frame(engine->model(), state, engine->contacts()));
        }
        tell_guests();
        return true;
    }

    void tell_guests()
    {
        if (options.guests.empty()) return;
        const record::Frame frame = run::make_frame(engine->model(), state, engine->contacts());
        for (const auto& guest : options.guests) guest->stepped(frame, status);
    }
    [[nodiscard]] bool somebody_looks_on() const
    {
        return page->pages() > 0 || std::any_of(options.guests.begin(), options.guests.end(),
                                                [](const auto& guest) { return guest->present(); });
    }

    // -- what pages ask for

    void drive(const LiveCommand& command)
    {
        if (!options.drive) return;
        driven = true;
        options.drive(command.index, command.value, command.turn);
        drivers[command.index] = command.page;
    }
    /// Nobody holds the stick any longer.
    void let_go(std::uint64_t page_that_left)
    {
        for (auto driver = drivers.begin(); driver != drivers.end();)
            if (driver->second == page_that_left) {
                options.drive(driver->first, 0, 0);
                driver = drivers.erase(driver);
            } else {
                ++driver;
            }
    }
    /// A recording is of one beginning: after another one the next file begins, and whoever looks on is told.
    void record_anew()
    {
        const std::string before = numbered(options.record, recordings);
        if (auto begun = start_recording(); !begun) {
            tell(begun);
            return;
        }
        const std::string what = fmt::format("Reset: {} holds what was before, {} what follows.", before,
                                             numbered(options.record, recordings));
        page->say(what);
        if (options.say) options.say(what);
    }
    void reset()
    {
        const bool anew = writer.has_value() && !at_beginning;
        if (anew) tell(stop_recording());
        // A checkpoint of this very engine fits it.
        if (auto back = engine->resume(beginning); !back) page->say(back.error().message);
        targets.clear();
        engine->look();
        status.diverged = false;
        changed         = true;
        at_beginning    = true;
        if (anew) record_anew();
        tell_guests();
    }
    void move_joint(std::int32_t dof, double value)
    {
        const std::int32_t joint = joint_of(dof), at = coordinate_of(model, joint, dof);
        const std::int32_t tree = model.joint_articulation[static_cast<std::size_t>(joint)];
        if (at < 0 || tree < 0 || status.diverged) return;
        state.joint_q[static_cast<std::size_t>(at)]   = static_cast<Real>(value);
        state.joint_qd[static_cast<std::size_t>(dof)] = 0;
        const std::int32_t only[]                     = {tree};
        if (auto moved = dynamics::eval_fk(engine->model(), state.joint_q, state.joint_qd, state,
                                           {.articulation_indices = only});
            !moved)
            return page->say(moved.error().message);
        // Warm starts and kept pairs belong to the old pose.
        engine->forget();
        engine->look();
        state_written = true;
        at_beginning  = false;
        changed       = true;
    }
    void send_facts(const LiveCommand& command)
    {
        if (!options.facts) return;
        page->send(fmt::format("{{\"shape\":{},\"facts\":{}}}", command.index, options.facts(command.index)),
                   command.page);
    }
    void obey(const LiveCommand& command)
    {
        changed = true;
        switch (command.kind) {
            case Kind::came:
                return;
            case Kind::play:
                status.playing = !status.diverged;
                debt           = 0;
                return;
            case Kind::pause:
                status.playing = false;
                return;
            case Kind::step:
                status.playing = false;
                to_do          = std::min<std::int64_t>(to_do + command.index, 1000);
                return;
            case Kind::reset:
                return reset();
            case Kind::speed:
                speed = command.value;
                return;
            case Kind::target:
                targets[command.index] = command.value;
                return;
            case Kind::joint:
                return move_joint(command.index, command.value);
            case Kind::pick:
                return send_facts(command);
            case Kind::drive:
                return drive(command);
            case Kind::told:
                driven = true;
                return;
            case Kind::left:
                return let_go(command.page);
            case Kind::record:
                if ((command.value != 0) == writer.has_value()) return;
                return tell(writer ? stop_recording() : start_recording());
        }
    }

    std::span<const collision::ContactFace> patches()
    {
        if (!page->shows_patches() || status.diverged) return {};
        if (looked_at != &engine->model()) {
            looked_at = &engine->model();
            looker    = std::make_unique<collision::CollisionPipeline>(
                *looked_at,
                collision::PipelineOptions{.pool = &engine->pool(), .hydroelastic = {.output_contact_surface = true}});
            looked = looker->make_contacts();
        }
        looker->collide(state, 0, looked);
        return looker->contact_surface();
    }

    Result<void> run()
    {
        auto   last = Clock::now(), shown = last - kFramePeriod, measured = last;
        double simulated = 0;
        tell_guests();
        while (!options.stop || !options.stop()) {
            const bool runs = status.playing && somebody_looks_on();
            const auto wait = !runs && to_do == 0 ? std::chrono::milliseconds(changed ? 5 : 50)
                                                  : std::chrono::milliseconds(debt >= options.run.dt ? 0 : 2);
            for (const LiveCommand& command : page->commands(wait)) obey(command);
            for (const auto& guest : options.guests)
                for (const LiveCommand& command : guest->commands()) obey(command);
            const auto now = Clock::now();
            if (status.playing && somebody_looks_on())
                debt = std::min(debt + speed * seconds(now - last), std::max(kMostDebt * speed, 2 * options.run.dt));
            last = now;
            for (; to_do > 0 && !status.diverged; --to_do) step();
            to_do = 0;
            while (status.playing && debt >= options.run.dt && seconds(Clock::now() - now) < kMostWork) {
                debt -= options.run.dt;
                if (!step()) break;
                simulated += options.run.dt;
            }
            if (seconds(now - measured) > 0.5) {
                status.realtime = simulated / seconds(now - measured);
                simulated = 0, measured = now;
            }
            if (changed && now - shown >= kFramePeriod) {
                status.recording = writer.has_value();
                page->show(run::make_frame(engine->model(), state, engine->contacts()), control, status, patches());
                shown = now, changed = false;
            }
        }
        return stop_recording();
    }
};

LiveSession::LiveSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LiveSession::~LiveSession() = default;

Result<std::unique_ptr<LiveSession>> LiveSession::start(const model::Model& model, LiveSessionOptions options,
                                                        Diagnostics& found)
{
    auto impl = std::make_unique<Impl>(model, std::move(options), model::make_state(model), model::make_control(model));
    if (auto prepared = impl->prepare(found); !prepared) return prepared.error();
    return std::unique_ptr<LiveSession>(new LiveSession(std::move(impl)));
}

std::string  LiveSession::url() const { return impl_->page->url(); }
int          LiveSession::port() const { return impl_->page->port(); }
Result<void> LiveSession::run() { return impl_->run(); }
std::int64_t LiveSession::steps() const { return impl_->computed; }

}  // namespace mechane::viewer
