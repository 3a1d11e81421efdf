// The engine below simulations and runs: pipeline of contacts, solver, chain of hashes, checkpoints, edits. One step is
// follow (animation), find_contacts, advance; callers put commands in between.
// State and commands belong to the caller and are referred to; the model is copied only if something may change it
// (make_own).
// Two ways of stepping: worlds in blocks (WorldBlocks, many small worlds), or all through each phase together. The bits
// of a world are the same in both.

#include "mechane/simulation/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "mechane/core/codes.h"
#include "mechane/device/device_solver.h"
#include "mechane/model/belongs.h"
#include "mechane/model/custom_copy.h"
#include "mechane/model/joint_table.h"
#include "mechane/simulation/codes.h"
#include "mechane/simulation/recording.h"
#include "mechane/solvers/codes.h"
#include "mechane/solvers/support.h"
#include "simulation/model_sizes.h"
#include "simulation/observe.h"
#include "simulation/world_blocks.h"

namespace mechane::simulation {
namespace {

/// A start pose that differs from its joints by more than this is reported [m, rad].
constexpr double kReportedLinear = 1e-3, kReportedAngular = 0.5 * kDegrees;
/// A start beyond a limit by more than this is reported [m, rad].
constexpr double kReportedLimit = 1e-3;
/// Particles further inside of shapes than this share of their radius are told at the start [-].
constexpr double kReportedParticle = 0.2;
/// Authored velocities that differ from their joints by more than this are reported [m/s, rad/s].
constexpr double kReportedVelocity = 1e-3;

/// Checks the overlaps of an untrusted checkpoint: sorted, between shapes of two bodies, finite.
std::optional<std::vector<collision::RestOverlaps::Pair>> pairs_of(const record::Checkpoint& from,
                                                                   const model::Model&       model)
{
    // Indices of an untrusted file are checked before they index.
    const auto of_body = [&](std::int32_t shape) {
        return shape >= 0 && static_cast<std::size_t>(shape) < model.shape_count() &&
               model.shape_body[static_cast<std::size_t>(shape)] >= 0;
    };
    std::vector<collision::RestOverlaps::Pair> pairs;
    for (const auto& pair : from.overlaps) {
        const bool after =
            pairs.empty() || std::pair(pairs.back().shape0, pairs.back().shape1) < std::pair(pair.shape0, pair.shape1);
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

/// The arrays of `from`, its custom ones as the model declares them: files hold their values alone, and files of
/// earlier versions not even those.
/// @param fits  becomes false where one of them is not the model's
template <class T>
T with_custom(T from, const T& own, bool& fits)
{
    model::CustomArrays declared = own.custom_arrays;
    fits &= model::take_values(declared, from.custom_arrays);
    from.custom_arrays = std::move(declared);
    return from;
}

/// Looked at after solvers of the program's own only: those of this library publish finite numbers or report
/// divergence.
bool is_finite(const model::State& state)
{
    const auto numbers = [](const std::vector<Real>& values) {
        return std::all_of(values.begin(), values.end(), [](Real x) { return std::isfinite(x); });
    };
    const auto points = [](const std::vector<Vec3>& values) {
        return std::all_of(values.begin(), values.end(), [](const Vec3& x) { return mechane::is_finite(x); });
    };
    return numbers(state.joint_q) && numbers(state.joint_qd) && points(state.particle_q) && points(state.particle_qd) &&
           std::all_of(state.body_q.begin(), state.body_q.end(),
                       [](const Pose& X) { return mechane::is_finite(X.p) && mechane::is_finite(X.q); }) &&
           std::all_of(state.body_qd.begin(), state.body_qd.end(),
                       [](const Spatial& v) { return mechane::is_finite(v.linear) && mechane::is_finite(v.angular); });
}

std::string label_or_nothing(const std::vector<std::string>& labels, std::int32_t index)
{ return index < 0 ? std::string() : labels[static_cast<std::size_t>(index)]; }

Result<void> check(const model::Model& model, const model::State& state, const model::Control& control,
                   const EngineOptions& options)
{
    const auto bad = [](std::string message) {
        return Result<void>(make_diagnostic(run::kArgument, {}, std::move(message)));
    };
    if (!(options.dt > 0) || !std::isfinite(options.dt))
        return bad(fmt::format("dt is {}, expected a positive number of seconds", options.dt));
    if (options.substeps < 1 || options.substeps > 64)
        return bad(fmt::format("{} substeps, expected 1 to 64", options.substeps));
    if (options.threads < 0) return bad(fmt::format("{} threads, expected 0 (all cores) or more", options.threads));
    if (!model::fits(model, state)) return bad("state: its arrays do not have the sizes of the model");
    if (!model::fits(model, control)) return bad("control: its arrays do not have the sizes of the model");
    return {};
}

/// Says which joints the limits will push.
void look_at_limits(const model::Model& model, const model::State& state, Diagnostics& found)
{
    std::size_t count = 0, worst = 0;
    double      most = kReportedLimit;
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
        const model::JointTypeInfo& info = model::joint_type_info(model.joint_type[j]);
        if (info.quaternion || info.free_like || model.joint_enabled[j] == 0) continue;
        double beyond = 0;
        for (std::int32_t d = model.joint_qd_start[j]; d < model.joint_qd_start[j + 1]; ++d) {
            const auto   dof   = static_cast<std::size_t>(d);
            const double q     = static_cast<double>(state.joint_q[static_cast<std::size_t>(model.joint_q_start[j] + d -
                                                                                            model.joint_qd_start[j])]),
                         lower = static_cast<double>(model.joint_limit_lower[dof]),
                         upper = static_cast<double>(model.joint_limit_upper[dof]);
            if (lower <= upper) beyond = std::max({beyond, lower - q, q - upper});
        }
        if (beyond <= kReportedLimit) continue;
        ++count;
        if (beyond > most) most = beyond, worst = j;
    }
    if (count == 0) return;
    found.add(run::kStartLimit, {.prim = model.joint_label[worst]},
              fmt::format("{} {} of {} limits at the start, this one by {:.3g} m or rad", count,
                          count == 1 ? "joint is outside" : "joints are outside", count == 1 ? "its" : "their", most));
}

/// What is soft, of which a particle is one; empty for a particle by itself.
std::string soft_label(const model::Model& model, std::int32_t particle)
{
    for (const auto* objects : {&model.surfaces, &model.volumes})
        for (const model::SoftObject& one : *objects)
            if (particle >= one.particle[0] && particle < one.particle[1]) return one.label;
    return {};
}

/// Says which particles begin inside a shape: a mesh that is drawn on the ground begins there by the radius of its
/// particles, and a light one is thrown.
void look_at_particles(const model::Model& model, const model::State& state, const model::SoftContacts& contacts,
                       Diagnostics& found)
{
    std::size_t  inside = 0, worst = 0;
    std::int32_t last = -1;  // rows are sorted by particle
    double       most = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.soft_contact_count); ++i) {
        const std::int32_t p = contacts.soft_contact_particle[i];
        if (p < 0 || !(model.particle_inv_mass[static_cast<std::size_t>(p)] > 0)) continue;
        const auto         shape  = static_cast<std::size_t>(contacts.soft_contact_shape[i]);
        const std::int32_t body   = model.shape_body[shape];
        const Vec3&        local  = contacts.soft_contact_body_pos[i];
        const Vec3         place  = body < 0 ? local : state.body_q[static_cast<std::size_t>(body)] * local;
        const double       radius = static_cast<double>(model.particle_radius[static_cast<std::size_t>(p)]),
                           depth  = radius + static_cast<double>(model.shape_margin[shape]) -
                                    static_cast<double>(dot(contacts.soft_contact_normal[i],
                                                            state.particle_q[static_cast<std::size_t>(p)] - place));
        // What lies on a shape is pressed into it a little.
        if (!(depth > kReportedParticle * radius)) continue;
        if (p != last) ++inside, last = p;
        if (depth > most) most = depth, worst = i;
    }
    if (inside == 0) return;
    const std::string  soft  = soft_label(model, contacts.soft_contact_particle[worst]);
    const std::string& shape = model.shape_label[static_cast<std::size_t>(contacts.soft_contact_shape[worst])];
    found.add(run::kParticleOverlap, {.prim = soft.empty() ? shape : soft},
              fmt::format("{} start inside of shapes, one {}by {:.3g} mm inside of {}",
                          inside == 1 ? "1 particle" : fmt::format("{} particles", inside),
                          soft.empty() ? "" : "of " + soft + " ", 1e3 * most, shape));
}

}  // namespace

Engine::Engine(const model::Model& model, model::State& state, model::Control& control, EngineOptions options)
    : original_(&model),
      own_(options.follow ? std::make_unique<model::Model>(model) : nullptr),
      model_(own_ ? own_.get() : original_),
      options_(std::move(options)),
      pool_(options_.threads),
      state_(state),
      control_(control)
{
}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::make(const model::Model& model, model::State& state, model::Control& control,
                                             EngineOptions options, Diagnostics& found)
{
    if (auto good = check(model, state, control, options); !good) return good.error();
    std::unique_ptr<Engine> engine(new Engine(model, state, control, std::move(options)));
    // Null if the model or the options do not suit blocks.
    engine->blocks_ = WorldBlocks::make(model, engine->options_, engine->pool_, found);
    if (engine->blocks_) return engine;
    if (auto made = engine->prepare(found); !made) return made.error();
    return engine;
}

/// One pipeline and one solver for all worlds.
Result<void> Engine::prepare(Diagnostics& found)
{
    make_pipeline();
    contacts_ = pipeline_->make_contacts();
    return make_solver(found);
}

Result<void> Engine::make_solver(Diagnostics& found)
{
    const auto place = device::parse_solver(options_.solver);
    if (!place) return place.error();
    auto solver = device::make_solver(
        options_.solver, *model_,
        {.substeps = options_.substeps, .pool = &pool_, .strict = false, .sleeping = options_.sleeping}, options_.dt,
        found);
    if (!solver) return solver.error();
    solver_    = *std::move(solver);
    on_device_ = place->device.has_value();
    // The table of features has no row for it.
    own_solver_ = solvers::support_of(place->solver).empty();
    return {};
}

void Engine::make_pipeline()
{
    pipeline_ = std::make_unique<collision::CollisionPipeline>(
        *model_, collision::PipelineOptions{.pool = &pool_, .sweep_fast_bodies = options_.sweep_fast});
}

namespace {

/// Tells of a stage whose bodies are not where its joints have them, or move as they cannot.
void report_projection(const model::Model& model, const dynamics::Projection& projected, Diagnostics& found)
{
    if (projected.velocity > kReportedVelocity)
        found.add(
            run::kProjected, {},
            fmt::format(
                "a body's authored velocity violates its joint by {:.3g} m/s or rad/s; what the joint "
                "has a coordinate for is kept: of turning joints the relative angular velocity, of sliding ones the "
                "linear one",
                projected.velocity));
    if (projected.linear > kReportedLinear || projected.angular > kReportedAngular)
        found.add(run::kProjected, {.prim = label_or_nothing(model.body_label, projected.body)},
                  fmt::format(
                      "authored poses differ from their joints by up to {:.3g} m and {:.3g} degrees; bodies were moved",
                      projected.linear, projected.angular / kDegrees));
}

}  // namespace

/// Authored poses of bodies are moved to where their joints allow: solvers rely on joints that hold at the start.
dynamics::Projection Engine::project(Diagnostics& found)
{
    const auto projected = dynamics::project_to_joints(*model_, state_, true);
    report_projection(*model_, projected, found);
    return projected;
}

void Engine::check_start(Diagnostics& found) const
{
    model::State copy = state_;
    report_projection(*model_, dynamics::project_to_joints(*model_, copy, true), found);
}

Result<void> Engine::resume(const record::Checkpoint& from)
{
    const auto bad = [](std::string message) {
        return Result<void>(make_diagnostic(record::kCheckpoint, {}, std::move(message)));
    };
    if (from.model_hash != record::model_hash(*original_)) return bad("the checkpoint is of another model");
    if (on_device_) return bad(fmt::format("the solver {} cannot be handed what it remembered", options_.solver));
    if (from.solver != options_.solver || from.dt != options_.dt || from.substeps != options_.substeps)
        return bad(
            fmt::format("the checkpoint is of solver {}, dt {:g} s, {} substeps", from.solver, from.dt, from.substeps));
    // Files of version 2 have no particles, and those of the start would not be where the run was.
    if (from.state.particle_q.empty() && model_->particle_count() > 0)
        return bad("the checkpoint says nothing about particles: it was written by an earlier version");
    bool           fit      = true;
    model::State   state    = with_custom(from.state, state_, fit);
    model::Control control  = with_custom(from.control, control_, fit);
    auto           overlaps = pairs_of(from, *model_);
    // Everything is checked before the first assignment, what the solver remembers last, as trying it changes the
    // solver.
    if (!fit || !model::same_layout(state, state_) || !model::fits(*model_, state) ||
        !same_layout(from.control, control_) || !model::fits(*model_, from.control) || !overlaps || from.step < 0)
        return bad("the checkpoint does not fit the model");
    if (auto taken = remember(from); !taken) return taken;
    state_   = std::move(state);
    control_ = std::move(control);
    first_   = from.step;
    done_    = 0;
    // The chain goes on, so that a resumed run ends with the hash of an uninterrupted one.
    hash_ = from.hash;
    rest_ = std::make_unique<collision::RestOverlaps>(*std::move(overlaps));
    if (blocks_) blocks_->set_overlaps(*rest_);
    return {};
}

Result<void> Engine::remember(const record::Checkpoint& from)
{
    const auto refused = [] {
        return Result<void>(make_diagnostic(record::kCheckpoint, {}, "the checkpoint does not fit the model"));
    };
    const auto restored = [&] {
        return solver_->restore(from.solver_memory) && cache_.restore(from.pair_memory, *model_);
    };
    if (blocks_ && WorldBlocks::is_of_blocks(from.solver_memory)) {
        const auto solver = blocks_->save_solver(), pairs = blocks_->save_pairs();
        if (blocks_->restore(from.solver_memory, from.pair_memory)) return {};
        (void)blocks_->restore(solver, pairs);
        return refused();
    }
    if (!blocks_) {
        const auto solver = solver_->save(), pairs = cache_.save();
        if (restored()) return {};
        (void)solver_->restore(solver);
        (void)cache_.restore(pairs, *model_);
        return refused();
    }
    // Of a run whose worlds went through each phase together: a memory of one kind cannot be read by the other.
    auto        blocks = std::move(blocks_);
    Diagnostics told;
    auto        made = prepare(told);
    if (made && restored()) return made;
    blocks_ = std::move(blocks);
    solver_.reset();
    pipeline_.reset();
    return made ? refused() : made;
}

void Engine::begin(Diagnostics& found)
{
    look();
    // A resumed run keeps the overlaps of the start of the first.
    if (rest_) return;
    look_at_limits(*model_, state_, found);
    look_at_particles(*model_, state_, contacts(), found);
    hash_ = record::chain_hash(0, state_);
    // Parts that were drawn overlapping would be pushed apart with great force in the first step.
    rest_ = std::make_unique<collision::RestOverlaps>(*model_, contacts());
    if (blocks_) blocks_->set_overlaps(*rest_);
    if (rest_->pairs().empty()) return;
    const auto worst = std::max_element(rest_->pairs().begin(), rest_->pairs().end(),
                                        [](const auto& a, const auto& b) { return a.depth < b.depth; });
    found.add(run::kOverlapKept, {.prim = model_->shape_label[static_cast<std::size_t>(worst->shape0)]},
              fmt::format("{} pairs of parts overlap at the start, {} by {:.3g} mm; they are {}pushed apart",
                          rest_->pairs().size(), model_->shape_label[static_cast<std::size_t>(worst->shape1)],
                          1e3 * static_cast<double>(worst->depth), on_device_ ? "" : "not "));
}

void Engine::follow()
{
    if (options_.follow) notify(options_.follow(state_.time, state_.time + options_.dt, state_, *own_, control_));
}

void Engine::notify(const model::ModelChanges& changes)
{
    using namespace solvers;
    // What changed is told in the words of solvers; only what needs it is rebuilt.
    const std::uint32_t notice =
        (changes.numbers ? change::joint_dof_force_properties | change::model_properties : 0U) |
        (changes.structure ? change::joint_properties | change::body_properties : 0U) |
        (changes.inertia ? change::body_inertial_properties : 0U) |
        (changes.shapes || changes.pairs ? change::shape_properties : 0U);
    if (blocks_) return blocks_->notify(*model_, changes, notice);
    if (notice != 0) solver_->notify(notice);
    // A body that became kinematic, or stopped being kinematic, has different pairs.
    if (changes.pairs || changes.structure)
        make_pipeline();
    else if (changes.shapes)
        pipeline_->reread_transforms();
}

void Engine::find_contacts()
{
    if (blocks_) return blocks_->find_contacts(state_, options_.dt, true);
    // MuJoCo finds its own.
    if (solver_->finds_contacts()) return;  // those of the step are there after it
    // An animation may change shapes, and a run that continues from a checkpoint does not know when it did.
    const bool keep   = options_.keep_pairs && !options_.follow;
    const auto status = pipeline_->collide(state_, options_.dt, contacts_, keep ? &cache_ : nullptr);
    // Depths of such pairs are counted from that of the start.
    rest_->apply(*model_, state_, contacts_);
    overflows_ += status.overflow ? 1 : 0;
}

/// A step of a solver that the program brought: what it left is looked at before anything indexes it.
solvers::StepReport Engine::checked_step(model::Contacts* contacts)
{
    const model::State  before = state_;
    solvers::StepReport report = solver_->step(state_, state_, control_, contacts, options_.dt);
    const bool sizes = model::fits(*model_, state_) &&
                       (contacts == nullptr || (model::fits(*model_, *contacts) &&
                                                contacts->rigid_contact_force.size() == contacts->capacity() &&
                                                contacts->rigid_contact_torque.size() == contacts->capacity()));
    if (!sizes) {
        state_          = before;
        contacts_       = pipeline_->make_contacts();
        report.diverged = true;
        report.refused  = make_diagnostic(
            solvers::kSolverState, {},
            fmt::format("solver '{}' left arrays that do not have the sizes of the model", options_.solver));
    } else if (!report.diverged && !is_finite(state_)) {
        state_          = before;
        report.diverged = true;
        report.culprit  = fmt::format("solver '{}' gave a state with a number that is not finite", options_.solver);
    }
    return report;
}

solvers::StepReport Engine::advance()
{
    const bool          finds  = !blocks_ && solver_->finds_contacts();
    model::Contacts*    given  = finds ? nullptr : &contacts_;
    solvers::StepReport report = blocks_       ? blocks_->step(state_, control_, options_.dt)
                                 : own_solver_ ? checked_step(given)
                                               : solver_->step(state_, state_, control_, given, options_.dt);
    if (blocks_) overflows_ += blocks_->overflow() ? 1 : 0;
    if (report.diverged) return report;
    if (finds) solver_->found_contacts(state_, contacts_);
    ++done_;
    // A product, not a sum: time has no rounding that grows with the number of steps.
    state_.time = options_.dt * static_cast<double>(first_ + done_);
    hash_       = record::chain_hash(hash_, state_);
    return report;
}

solvers::StepReport Engine::step()
{
    follow();
    find_contacts();
    return advance();
}

void Engine::look()
{
    if (blocks_) {
        blocks_->find_contacts(state_, 0, false);
        (void)blocks_->contact_count();
        return;
    }
    // Distances now, without prediction: dt is 0.
    pipeline_->collide(state_, 0, contacts_);
}

const model::Contacts& Engine::contacts() const { return blocks_ ? blocks_->contacts() : contacts_; }

std::int32_t Engine::contact_count() const
{ return blocks_ ? blocks_->contact_count() : contacts_.rigid_contact_count; }

double Engine::contact_share() const { return blocks_ ? blocks_->contact_share() : 0; }

void Engine::wake(std::int32_t body) { blocks_ ? blocks_->wake(body) : solver_->wake(body); }

void Engine::forget_worlds(std::span<const std::uint8_t> selected)
{
    if (blocks_) return blocks_->forget_worlds(selected);
    solver_->reset_worlds(selected);
    std::vector<std::uint8_t> with_rest(selected.begin(), selected.end());
    // The entry behind the worlds is that of the shared world, which is not reset.
    with_rest.resize(static_cast<std::size_t>(model_->world_count) + 1, 0);
    cache_.reset(*model_, with_rest);
}

void Engine::forget()
{
    if (blocks_) return blocks_->forget();
    solver_->reset();
    cache_.clear();
}

model::Contacts Engine::contacts_now()
{
    if (blocks_) {
        model::Contacts contacts;
        blocks_->fresh_contacts(state_, contacts);
        return contacts;
    }
    model::Contacts contacts = pipeline_->make_contacts();
    pipeline_->collide(state_, 0, contacts);
    return contacts;
}

Result<void> Engine::make_own()
{
    // The copy is made at the first edit; until then simulations share the model.
    if (own_) return {};
    auto own = std::make_unique<model::Model>(*original_);
    model_   = own.get();
    // Blocks have models of their own and are told by notify.
    if (blocks_) {
        own_ = std::move(own);
        return {};
    }
    Diagnostics told;  // the solver has said it of the same model before
    const auto  memory = solver_->save();
    if (auto made = make_solver(told); !made) {
        model_ = original_;
        return made;
    }
    own_ = std::move(own);
    if (!solver_->restore(memory)) solver_->reset();
    make_pipeline();
    return {};
}

Result<void> Engine::edit(const std::function<model::ModelChanges(model::Model&)>& change)
{
    if (auto made = make_own(); !made) return made;
    const model::ModelChanges changes = change(*own_);
    // An edit may not resize, nor change which is what: solvers hold indices. That is put back, the rest of the edit
    // holds.
    const char* const resized = restore_sizes(*own_, *original_);
    notify(changes);
    // Contacts of pairs that are kept over steps are of shapes as they were.
    if (changes.shapes || changes.pairs || changes.structure) cache_.clear();
    if (resized != nullptr)
        return make_diagnostic(kApiArgument, {.property = std::string("Simulation::edit(") + resized + ")"},
                               fmt::format("{}: was resized, or indices in it were changed; expected those that the "
                                           "model was made with, and it has them again",
                                           resized));
    return {};
}

record::Checkpoint Engine::checkpoint() const
{
    record::Checkpoint point{.model_hash    = record::model_hash(*original_),
                             .solver        = options_.solver,
                             .dt            = options_.dt,
                             .substeps      = options_.substeps,
                             .step          = first_ + done_,
                             .hash          = hash_,
                             .state         = state_,
                             .control       = control_,
                             .solver_memory = blocks_ ? blocks_->save_solver() : solver_->save(),
                             .pair_memory   = blocks_ ? blocks_->save_pairs() : cache_.save(),
                             .overlaps      = {}};
    for (const auto& pair : rest_->pairs()) point.overlaps.push_back({pair.shape0, pair.shape1, pair.depth});
    return point;
}

}  // namespace mechane::simulation
