// The solver `vbd`: particles by vertex block descent (Chen et al. 2024), bodies by softstep. For each particle one
// Newton step on the energy m/(2 dt^2) |x - target|^2 + elements + contacts, colour after colour, `iterations` times:
//     (m/dt^2 1 + sum of Hessians) dx = m/dt^2 (target - x) + sum of forces,      target = x_start + dt v + dt^2 a
// The sums are over the blocks of the elements (soft/laws.h) and holds (soft/holds.cpp) at the particle.
// Order of a substep: particles first, against bodies that go on as they moved; then the forces that they put on
// bodies act in softstep's step. Particles of one colour share no element, so threads change no bit.
// State in `Real`, all within in double; positions [m], forces [N], blocks [N/m]. Under the name softstep it is made
// for models with particles (make_with_softstep).

#include "solvers/vbd/vbd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "mechane/model/belongs.h"
#include "mechane/solvers/codes.h"
#include "mechane/tasks/parallel.h"
#include "solvers/shared/rods.h"
#include "solvers/soft/elements.h"
#include "solvers/soft/explicit_forces.h"
#include "solvers/soft/holds.h"
#include "solvers/soft/neighbours.h"
#include "solvers/softstep/softstep.h"
#include "solvers/vbd/element_sizes.h"
#include "solvers/vbd/held_masses.h"
#include "solvers/vbd/self_contact.h"
#include "solvers/vbd/start_poses.h"
#include "solvers/xpbd/soft_side.h"

namespace mechane::solvers::vbd {

namespace {

/// Particles that are solved for at a time by one thread.
constexpr std::size_t kGrain = 64;

class Vbd final : public Solver, public Adjustable {
  public:
    Vbd(const model::Model& model, const SolverOptions& options, SolverChoice choice, int substeps, std::string name,
        std::unique_ptr<Solver> bodies, bool by_rows = false)
        : model_(model),
          options_(options),
          choice_(std::move(choice)),
          text_(std::move(name)),
          substeps_(substeps),
          how_(options_of(choice_)),
          bodies_(std::move(bodies)),
          self_contact_(std::in_place, model, how_)
    {
        if (by_rows) rows_.emplace(model);
        rebuild();
    }

    // Settings may be changed between steps; the solver keeps its memory.
    bool configure(const Setting& setting) override
    {
        SolverChoice next = choice_;
        next.settings.push_back(setting);
        auto sorted = choose_solver(to_text(next));
        if (!sorted) return false;
        choice_ = *std::move(sorted);
        if (substeps_ == 1) text_ = to_text(choice_);
        how_ = options_of(choice_);
        self_contact_.emplace(model_, how_);
        return true;
    }

    StepReport step(const model::State& in, model::State& out, const model::Control& control, model::Contacts* contacts,
                    double dt) override;
    void       reset() override
    {
        bodies_->reset();
        std::ranges::fill(broken_, std::uint8_t{0});
        std::ranges::fill(preloads_, Vec3d{});
    }
    void reset_worlds(std::span<const std::uint8_t> selected) override
    {
        bodies_->reset_worlds(selected);
        for (std::size_t j = 0; j < broken_.size(); ++j)
            if (const std::int32_t w = model_.joint_world[j];
                w >= 0 && static_cast<std::size_t>(w) < selected.size() && selected[static_cast<std::size_t>(w)] != 0)
                broken_[j] = 0;
        for (std::size_t i = 0; i < preloads_.size(); ++i) {
            const std::int32_t world = model_.attachment_particle_body_world[i];
            if (world >= 0 && static_cast<std::size_t>(world) < selected.size() &&
                selected[static_cast<std::size_t>(world)] != 0)
                preloads_[i] = {};
        }
    }
    void notify(std::uint32_t changes) override
    {
        bodies_->notify(changes);
        rebuild();
    }
    [[nodiscard]] std::string_view       name() const override { return text_; }
    [[nodiscard]] std::vector<std::byte> save() const override
    {
        const std::size_t      own = preloads_.size() * sizeof(Vec3d);
        std::vector<std::byte> out(own);
        // Bytes of a checkpoint: the preloads of attachments, then softstep's.
        if (own > 0) std::memcpy(out.data(), preloads_.data(), own);
        const std::vector<std::byte> rest = bodies_->save();
        out.insert(out.end(), rest.begin(), rest.end());
        return out;
    }
    [[nodiscard]] bool restore(std::span<const std::byte> bytes) override
    {
        const std::size_t own = preloads_.size() * sizeof(Vec3d);
        if (bytes.size() < own || !bodies_->restore(bytes.subspan(own))) return false;
        if (own > 0) std::memcpy(preloads_.data(), bytes.data(), own);
        return true;
    }
    void               observe(Observables* observables) override { bodies_->observe(observables); }
    [[nodiscard]] bool is_awake(std::int32_t body) const override { return bodies_->is_awake(body); }
    void               wake(std::int32_t body) override { bodies_->wake(body); }

  private:
    void                                    rebuild();
    [[nodiscard]] std::vector<std::uint8_t> joints_that_hold() const
    {
        std::vector<std::uint8_t> out = model_.joint_enabled;
        for (std::size_t j = 0; j < out.size(); ++j) out[j] = holds(j) ? 1 : 0;
        return out;
    }
    [[nodiscard]] bool holds(std::size_t joint) const
    { return model_.joint_enabled[joint] != 0 && broken_[joint] == 0; }
    /// Whether the joints that hold are those that `held_` was read with.
    [[nodiscard]] bool held_as_read() const
    {
        const std::vector<std::uint8_t>& read = held_.enabled();
        for (std::size_t j = 0; j < read.size(); ++j)
            if ((read[j] != 0) != holds(j)) return false;
        return true;
    }
    /// One substep of particles and bodies, which have been checked.
    StepReport substep(const model::State& in, model::State& out, const model::Control& control,
                       model::Contacts* contacts, double dt);
    /// The control of a substep: kinematic bodies are part of the way to where they are to be.
    const model::Control& control_at(const model::State& in, const model::Control& control, int substep);
    /// Bodies that something soft moves against do not sleep.
    void wake_touched(double dt);
    /// Start, inertial target and first guess of every particle.
    void predict(const model::State& in, double dt);
    /// Contacts and attachments of the step, listed by particle.
    void find_holds(const model::State& in, const model::Control& control, const model::Contacts* contacts, double dt);
    void solve(double dt);
    [[nodiscard]] Vec3d newton_step(std::size_t particle, double dt);
    /// A step of a particle that touches nothing, halved until it does not make its energy larger.
    [[nodiscard]] Vec3d shortened(std::size_t particle, const Vec3d& force, Vec3d step, double dt);
    void                add_balls(std::size_t particle, double dt, soft::Block& out) const;
    void                find_balls(double dt);
    /// Marks the worlds in which a particle left all bounds. They stop, and the others go on.
    /// @return the first such particle, or -1
    std::int32_t       find_lost();
    [[nodiscard]] bool is_stopped(std::int32_t world) const
    { return world >= 0 && stopped_[static_cast<std::size_t>(world)] != 0; }
    /// Whether the particles that something holds are of a world that stopped.
    [[nodiscard]] bool is_stopped(const soft::Hold& hold) const
    {
        return std::ranges::any_of(hold.particles, [&](std::int32_t p) {
            return p >= 0 && is_stopped(model_.particle_world[static_cast<std::size_t>(p)]);
        });
    }
    /// Whether anything is left that did not stop.
    [[nodiscard]] bool goes_on() const
    {
        const auto moves = [&](std::int32_t world) { return !is_stopped(world); };
        return std::ranges::any_of(model_.body_world, moves) || std::ranges::any_of(model_.particle_world, moves);
    }
    /// The worlds that stopped are as `before` has them.
    void put_back(model::State& after, const model::State& before) const;
    /// What particles put on bodies, and what attachments hold on to.
    void load_bodies(std::vector<Spatial>& body_f, double dt);
    /// The particles of a substep by the rows of xpbd.
    void move_by_rows(const model::State& in, const model::Control& control, const model::Contacts* contacts,
                      double dt);
    /// Whether something besides elements may act on a particle.
    [[nodiscard]] bool touches(std::size_t p) const
    {
        return hold_start_[p] != hold_start_[p + 1] || (!ball_start_.empty() && ball_start_[p] != ball_start_[p + 1]) ||
               self_contact_->touches(p);
    }
    [[nodiscard]] bool moves(std::size_t p) const
    { return (model_.particle_flags[p] & model::particle_flag::active) != 0 && model_.particle_inv_mass[p] > 0; }

    const model::Model&                    model_;
    SolverOptions                          options_;
    SolverChoice                           choice_;
    std::string                            text_;  ///< of the choice
    int                                    substeps_ = 1;
    Options                                how_;
    std::unique_ptr<Solver>                bodies_;
    std::optional<SelfContact>             self_contact_;
    std::vector<double>                    sizes_;           ///< to the nearest particle of an element [m]
    bool                                   proper_ = false;  ///< no element has two particles of one group
    std::optional<xpbd::SoftSide>          rows_;            ///< particles move by xpbd instead
    std::vector<std::uint8_t>              welded_;
    soft::Elements                         elements_;
    std::vector<std::vector<std::int32_t>> groups_;
    std::vector<Vec3d>                     start_, target_, x_, next_;
    std::vector<Vec3d>                     now_, last_;  ///< before this pass, and before the last one
    std::vector<soft::BodyMotion>          motions_;
    std::vector<soft::Hold>                holds_;
    std::vector<std::int32_t>              hold_start_;
    std::vector<soft::Corner>              hold_lists_;
    std::vector<std::uint8_t>              stopped_;           ///< worlds of the step that do not go on
    bool                                   all_lost_ = false;  ///< a particle of all worlds left all bounds
    std::vector<Vec3d>                     preloads_;          ///< of attachments, from the last step [N]
    std::vector<std::int32_t>              attachment_of_;
    HeldMasses                             held_;
    std::vector<std::uint8_t>              broken_;  ///< joints that hold no more [joint_count]
    soft::Neighbours                       balls_;
    std::vector<std::int32_t>              ball_start_, ball_lists_;  ///< those that a particle may meet, by particle
    std::vector<Vec3d>                     air_, speeds_;
    bool                                   has_air_ = false;
    model::Control                         control_;
    model::State                           between_;
    std::vector<Vec3>                      forces_, torques_;  ///< of rigid contacts, summed over substeps
};

void Vbd::rebuild()
{
    elements_ = soft::elements_of(model_);
    groups_   = soft::color_groups(model_, elements_);
    preloads_.resize(model_.attachment_particle_body_count());
    proper_ = are_proper(groups_, elements_, model_.particle_count());
    sizes_  = element_sizes(model_);
    balls_  = soft::Neighbours(model_, soft::Neighbours::Leave::components);
    broken_.resize(model_.joint_count());
    held_.read(model_, joints_that_hold());
    if (rows_) rows_->read(model_);
    has_air_ = std::ranges::any_of(model_.tri_materials, [](const auto& k) { return k[3] != 0 || k[4] != 0; });
}

void Vbd::predict(const model::State& in, double dt)
{
    const std::size_t n = model_.particle_count();
    start_.resize(n), target_.resize(n), x_.resize(n), next_.resize(n);
    // Forces of air are taken at the start of the step (explicit), bounded below so that drag cannot turn a velocity
    // round.
    if (has_air_) {
        // Drag takes at most the speed that there is, however coarse the step.
        air_.assign(n, {}), speeds_.resize(n), x_.resize(n);
        for (std::size_t p = 0; p < n; ++p) {
            x_[p]      = static_cast<Vec3d>(in.particle_q[p]);
            speeds_[p] = static_cast<Vec3d>(in.particle_qd[p]);
        }
        soft::add_air_forces(model_, x_, speeds_, false, air_);
        for (std::size_t p = 0; p < n; ++p) {
            const double mass = model_.particle_mass[p], speed = length(speeds_[p]);
            const double most  = speed * mass / dt;
            const double force = length(air_[p]);
            if (force > most) air_[p] *= most / force;
            if (!(mass > 0)) continue;
            // Lift turns a velocity; the straight step along it would make it longer, without bound over many.
            const Vec3d  after  = speeds_[p] + (dt / mass) * air_[p];
            const double beyond = length(after);
            if (beyond > speed) air_[p] = (mass / dt) * ((speed / beyond) * after - speeds_[p]);
        }
    }
    for (std::size_t p = 0; p < n; ++p) {
        start_[p] = target_[p] = static_cast<Vec3d>(in.particle_q[p]);
        if (moves(p)) {
            Vec3d a = static_cast<Vec3d>(model_.gravity_of(model_.particle_world[p]));
            // Forces that are not finite count as none, as under the other solvers.
            if (!in.particle_f.empty() && is_finite(in.particle_f[p]))
                a += static_cast<double>(model_.particle_inv_mass[p]) * static_cast<Vec3d>(in.particle_f[p]);
            if (has_air_) a += static_cast<double>(model_.particle_inv_mass[p]) * air_[p];
            target_[p] += dt * (static_cast<Vec3d>(in.particle_qd[p]) + dt * a);
        }
        // The inertial target is the first guess too.
        x_[p] = target_[p];
    }
}

void Vbd::find_holds(const model::State& in, const model::Control& control, const model::Contacts* contacts, double dt)
{
    const soft::HoldOptions how{.dt = dt, .friction_epsilon = how_.friction_epsilon};
    motions_ = soft::body_motions(model_, in, control.body_target_q, dt);
    holds_.clear();
    soft::add_attachments(model_, motions_, preloads_, how, holds_);
    attachment_of_.clear();
    for (std::size_t i = 0; i < model_.attachment_particle_body_count(); ++i)
        if (model_.attachment_particle_body_enabled[i] != 0) attachment_of_.push_back(static_cast<std::int32_t>(i));
    if (contacts != nullptr) soft::add_contacts(model_, *contacts, motions_, how, holds_);
    // A body that several particles press on has its mass once.
    held_.begin(model_, in, dt);
    const auto response = [this](std::int32_t body, const Vec3d& p_W) {
        return held_.is_held(body) ? held_.response(body, p_W)
                                   : soft::free_response(motions_[static_cast<std::size_t>(body)], p_W);
    };
    soft::share_masses(motions_, response, x_, dt, holds_);

    hold_start_.assign(model_.particle_count() + 1, 0);
    const auto for_each_corner = [&](const auto& call) {
        for (std::size_t h = 0; h < holds_.size(); ++h)
            for (std::int32_t c = 0; c < 3; ++c)
                if (const std::int32_t p = holds_[h].particles[static_cast<std::size_t>(c)]; p >= 0)
                    call(static_cast<std::size_t>(p), soft::Corner{static_cast<std::int32_t>(h), c});
    };
    for_each_corner([&](std::size_t p, soft::Corner) { ++hold_start_[p + 1]; });
    // Holds by particle as ranges of one list (counting sort), in the order of holds.
    for (std::size_t p = 0; p + 1 < hold_start_.size(); ++p) hold_start_[p + 1] += hold_start_[p];
    hold_lists_.resize(static_cast<std::size_t>(hold_start_.back()));
    std::vector<std::int32_t> next(hold_start_.begin(), hold_start_.end() - 1);
    for_each_corner([&](std::size_t p, soft::Corner c) { hold_lists_[static_cast<std::size_t>(next[p]++)] = c; });
}

/// Balls that this one overlaps: a penalty along the line of centres, damping while they approach, friction.
void Vbd::add_balls(std::size_t p, double dt, soft::Block& out) const
{
    const auto& k = model_.particle_contact;
    for (std::int32_t i = ball_start_[p]; i < ball_start_[p + 1]; ++i) {
        const auto   q     = static_cast<std::size_t>(ball_lists_[static_cast<std::size_t>(i)]);
        const Vec3d  apart = x_[p] - x_[q];
        const double d     = length(apart);
        const double deep =
            static_cast<double>(model_.particle_radius[p]) + static_cast<double>(model_.particle_radius[q]) - d;
        // At the same place two balls have no direction.
        if (!(deep > 0) || !(d > 0)) continue;
        const Vec3d  n     = (1 / d) * apart;
        const Vec3d  moved = (x_[p] - start_[p]) - (x_[q] - start_[q]);
        const double away  = dot(n, moved);
        const double ke = k.ke, kd = away < 0 ? static_cast<double>(k.kd) / dt : 0;
        // As of contacts with shapes, the way within the contact is damped.
        const double normal = ke * deep + kd * std::clamp(-away, 0.0, deep);
        out.force += normal * n;
        out.hessian += (ke + kd) * Mat33d::outer(n, n);
        const Vec3d  slip = moved - away * n;
        const double far = length(slip), ramp = how_.friction_epsilon * dt;
        // Regularized Coulomb: below the ramp friction grows linearly with slip, which bounds its stiffness.
        const double grip = static_cast<double>(k.mu) * normal / std::max(far, ramp);
        out.force -= grip * slip;
        out.hessian += grip * (Mat33d::identity() - Mat33d::outer(n, n));
    }
}

void Vbd::find_balls(double dt)
{
    if (!balls_.any()) return;
    double fastest = 0;
    for (std::size_t p = 0; p < x_.size(); ++p) fastest = std::max(fastest, length(x_[p] - start_[p]));
    // The speed is bounded, so that one particle that flies away does not make all pairs neighbours.
    balls_.find(model_, start_, 2 * std::min(fastest, 1e3 * dt));
    ball_start_.assign(model_.particle_count() + 1, 0);
    for (const auto& pair : balls_.pairs())
        for (const std::int32_t p : pair) ++ball_start_[static_cast<std::size_t>(p) + 1];
    for (std::size_t p = 0; p + 1 < ball_start_.size(); ++p) ball_start_[p + 1] += ball_start_[p];
    ball_lists_.resize(static_cast<std::size_t>(ball_start_.back()));
    std::vector<std::int32_t> next(ball_start_.begin(), ball_start_.end() - 1);
    for (const auto& [a, b] : balls_.pairs()) {
        ball_lists_[static_cast<std::size_t>(next[static_cast<std::size_t>(a)]++)] = b;
        ball_lists_[static_cast<std::size_t>(next[static_cast<std::size_t>(b)]++)] = a;
    }
}

Vec3d Vbd::newton_step(std::size_t p, double dt)
{
    const double inertia = static_cast<double>(model_.particle_mass[p]) / (dt * dt);
    soft::Block  all{.force = inertia * (target_[p] - x_[p]), .hessian = inertia * Mat33d::identity()};
    soft::add_elements(elements_, p, x_, start_, 1 / dt, all);
    for (std::int32_t i = hold_start_[p]; i < hold_start_[p + 1]; ++i) {
        const soft::Corner& c    = hold_lists_[static_cast<std::size_t>(i)];
        const soft::Hold&   hold = holds_[static_cast<std::size_t>(c.element)];
        const double        w    = hold.weights[static_cast<std::size_t>(c.corner)];
        const soft::Block   b    = soft::hold_block(hold, x_, start_);
        all.force += w * b.force;
        all.hessian += w * w * b.hessian;
    }
    self_contact_->add(p, x_, start_, dt, all);
    if (!ball_start_.empty()) add_balls(p, dt, all);
    // The block is at least `inertia` in every direction, so that it has an inverse; by cofactors, scaled against
    // overflow.
    const double scale = trace(all.hessian);
    if (!(scale > 0) || !std::isfinite(scale)) return {};
    const Vec3d step = inverse((1 / scale) * all.hessian) * (all.force / scale);
    return proper_ && !touches(p) ? shortened(p, all.force, step, dt) : step;
}

Vec3d Vbd::shortened(std::size_t p, const Vec3d& force, Vec3d step, double dt)
{
    // Angles are far from linear: where stiff edges want more than a vertex can give, the step is as long as the cloth.
    if (length_squared(step) <= 1e-6 * sizes_[p] * sizes_[p]) return step;
    const double inertia = static_cast<double>(model_.particle_mass[p]) / (dt * dt);
    const Vec3d  from    = x_[p];
    // Over more than a tenth of an element the block says nothing about the angles of its neighbours.
    if (const double far = length(step); far > 0.1 * sizes_[p]) step *= 0.1 * sizes_[p] / far;
    for (int halved = 0; halved < 12; ++halved) {
        // Nothing else of its group reads this particle, which touches nothing and shares no element with them.
        x_[p] = from + step;
        soft::Block there{.force = inertia * (target_[p] - x_[p])};
        soft::add_elements(elements_, p, x_, start_, 1 / dt, there);
        x_[p] = from;
        // A step that goes too far by more than itself makes the energy larger.
        if (dot(there.force, step) >= -dot(force, step)) break;
        step *= 0.5;
    }
    return step;
}

void Vbd::solve(double dt)
{
    const tasks::Phase phase(options_.pool);
    // Chebyshev's semi-iterative method over the passes (Wang 2015, "A Chebyshev semi-iterative approach for
    // accelerating projective and position-based dynamics", eq. 8; Chen et al. 2024, 3.8): each pass goes beyond where
    // it leads, seen from the pass before the last. Particles that touch something stay where their pass leads.
    const double rho  = how_.acceleration;
    double       over = 1;
    for (int pass = 0; pass < how_.iterations; ++pass) {
        if (rho > 0) std::swap(last_, now_), now_ = x_;
        for (const auto& group : groups_) {
            // Within a group all are solved from the same positions (next_) and moved afterwards: particles of a group
            // may meet in contacts, of which colours know nothing.
            tasks::for_chunks(options_.pool, group.size(), kGrain, [&](std::size_t from, std::size_t to, std::size_t) {
                for (std::size_t i = from; i < to; ++i) {
                    const auto p = static_cast<std::size_t>(group[i]);
                    next_[p]     = moves(p) ? x_[p] + newton_step(p, dt) : x_[p];
                }
            });
            for (const std::int32_t i : group) {
                const auto p = static_cast<std::size_t>(i);
                x_[p]        = self_contact_->bounded(p, start_, next_[p]);
            }
        }
        if (!(rho > 0) || pass == 0) continue;
        over = pass == 1 ? 2 / (2 - rho * rho) : 4 / (4 - rho * rho * over);
        for (std::size_t p = 0; p < x_.size(); ++p)
            if (moves(p) && !touches(p))
                x_[p] = self_contact_->bounded(p, start_, last_[p] + over * (x_[p] - last_[p]));
    }
}

std::int32_t Vbd::find_lost()
{
    // The same bound as of coordinates of bodies: 1e12.
    const auto is_lost = [](const Vec3d& x) { return !is_finite(x) || length_squared(x) >= 1e24; };
    stopped_.assign(static_cast<std::size_t>(model_.world_count), 0);
    all_lost_          = false;
    std::int32_t first = -1;
    for (std::size_t p = 0; p < x_.size(); ++p) {
        if (!is_lost(x_[p])) continue;
        if (first < 0) first = static_cast<std::int32_t>(p);
        // A particle of all worlds may have put anything on any of them.
        if (model_.particle_world[p] < 0)
            std::ranges::fill(stopped_, std::uint8_t{1}), all_lost_ = true;
        else
            stopped_[static_cast<std::size_t>(model_.particle_world[p])] = 1;
    }
    return first;
}

void Vbd::put_back(model::State& after, const model::State& before) const
{
    if (std::ranges::find(stopped_, 1) != stopped_.end()) model::copy_worlds(after, before, model_, stopped_);
}

void Vbd::move_by_rows(const model::State& in, const model::Control& control, const model::Contacts* contacts,
                       double dt)
{
    motions_ = soft::body_motions(model_, in, control.body_target_q, dt);
    std::vector<Posed> at(motions_.size());
    welded_.resize(motions_.size());
    for (std::size_t b = 0; b < at.size(); ++b) {
        at[b]      = motions_[b].after;
        welded_[b] = held_.is_welded(static_cast<std::int32_t>(b)) ? 1 : 0;
    }
    rows_->advance(model_, in, control, contacts, at, welded_, dt);
    x_     = rows_->places();
    start_ = rows_->starts();
}

void Vbd::load_bodies(std::vector<Spatial>& body_f, double dt)
{
    std::vector<Spatiald> wrenches(model_.body_count());
    for (std::size_t b = 0; rows_ && b < wrenches.size(); ++b)
        if (!is_stopped(model_.body_world[b])) wrenches[b] = (1 / dt) * rows_->impulses()[b];
    for (std::size_t h = 0; h < holds_.size(); ++h) {
        const soft::Hold& hold = holds_[h];
        if (is_stopped(hold)) continue;
        const Vec3d f = soft::hold_block(hold, x_, start_).force;
        if (hold.attachment) {
            const auto i = static_cast<std::size_t>(attachment_of_[h]);
            // Augmented Lagrangian of rigid attachments: their force is carried into the next step. The factor lets
            // what is no longer needed fade.
            preloads_[i] = std::isfinite(model_.attachment_particle_body_stiffness[i]) ? Vec3d{} : 0.999 * f;
        }
        if (hold.body < 0) continue;
        const auto b = static_cast<std::size_t>(hold.body);
        wrenches[b].linear -= f;
        wrenches[b].angular -= cross(hold.point - motions_[b].com, f);
    }
    body_f.resize(model_.body_count());
    for (std::size_t b = 0; b < wrenches.size(); ++b) {
        body_f[b].linear += static_cast<Vec3>(wrenches[b].linear);
        body_f[b].angular += static_cast<Vec3>(wrenches[b].angular);
    }
}

void Vbd::wake_touched(double dt)
{
    constexpr double kStill = 1e-3;  // [m/s]
    double           way    = 0;
    for (std::size_t p = 0; rows_ && p < x_.size(); ++p) way = std::max(way, length(x_[p] - start_[p]));
    for (std::size_t b = 0; way > kStill * dt && b < model_.body_count(); ++b)
        if (const auto body = static_cast<std::int32_t>(b);
            !(rows_->impulses()[b] == Spatiald{}) && !bodies_->is_awake(body) && !is_stopped(model_.body_world[b]))
            bodies_->wake(body);
    for (const soft::Hold& hold : holds_) {
        if (hold.body < 0 || bodies_->is_awake(hold.body) || is_stopped(hold)) continue;
        double fastest = 0;
        for (const std::int32_t p : hold.particles)
            if (p >= 0)
                fastest =
                    std::max(fastest, length(x_[static_cast<std::size_t>(p)] - start_[static_cast<std::size_t>(p)]));
        if (fastest > kStill * dt && !(soft::hold_block(hold, x_, start_).force == Vec3d{})) bodies_->wake(hold.body);
    }
}

const model::Control& Vbd::control_at(const model::State& in, const model::Control& control, int substep)
{
    if (substeps_ == 1 || control.body_target_q.empty() || substep + 1 == substeps_) return control;
    if (substep == 0) control_ = control;
    const double part = static_cast<double>(substep + 1) / substeps_;
    for (std::size_t b = 0; b < control.body_target_q.size(); ++b) {
        const auto from = static_cast<Posed>(in.body_q[b]), to = static_cast<Posed>(control.body_target_q[b]);
        // The pose on the way there, at constant velocity: linear in position, along the rotation vector in rotation.
        const Quatd turn = normalized(to.q * conjugate(from.q));
        control_.body_target_q[b] =
            static_cast<Pose>(Posed{from.p + part * (to.p - from.p),
                                    normalized(from_rotation_vector(part * to_rotation_vector(turn)) * from.q)});
    }
    return control_;
}

StepReport Vbd::substep(const model::State& in, model::State& out, const model::Control& control,
                        model::Contacts* contacts, double dt)
{
    StepReport report;
    if (rows_) {
        move_by_rows(in, control, contacts, dt);
    } else {
        predict(in, dt);
        find_holds(in, control, contacts, dt);
        self_contact_->find(start_, x_, dt);
        find_balls(dt);
        for (std::size_t p = 0; p < x_.size(); ++p) x_[p] = self_contact_->bounded(p, start_, x_[p]);
        solve(dt);
    }

    const std::int32_t lost = find_lost();
    // Forces of particles are added to body_f for this step only; what the caller gave is put back below.
    model::State bodies = in;  // `out` may be `in`
    load_bodies(bodies.body_f, dt);
    wake_touched(dt);
    // Rows of edges and triangles are understood here; softstep looks at the rigid rows alone.
    // Softstep would refuse rows of three particles.
    const bool   full_surface = contacts != nullptr && std::exchange(contacts->soft_contact_full_surface, false);
    const bool   any          = !all_lost_ && goes_on();
    model::State after;
    if (any) report = bodies_->step(bodies, after, control, contacts, dt);
    if (contacts != nullptr) contacts->soft_contact_full_surface = full_surface;
    for (const BrokenJoint& one : report.broken) broken_[static_cast<std::size_t>(one.joint)] = 1;
    for (const std::int32_t w : report.diverged_worlds) stopped_[static_cast<std::size_t>(w)] = 1;
    if (lost >= 0 && report.culprit.empty()) {
        const std::string part = soft::part_of(model_, lost);
        report.culprit =
            fmt::format("particle {} moved beyond all bounds: {}a smaller step, or softer elements, may help", lost,
                        part.empty() ? "" : fmt::format("it is part of {}; ", part));
    }
    if (report.refused || report.diverged || !any || !goes_on()) {
        report.diverged = true;
        report.diverged_worlds.clear();
        if (&out != &in) out = in;
        return report;
    }
    after.particle_q.resize(x_.size()), after.particle_qd.resize(x_.size());
    for (std::size_t p = 0; p < x_.size(); ++p) {
        after.particle_q[p] = moves(p) ? static_cast<Vec3>(x_[p]) : in.particle_q[p];
        // Velocities are the way over the step, as bodies' are under softstep: an implicit Euler step.
        after.particle_qd[p] = moves(p) ? static_cast<Vec3>((x_[p] - start_[p]) / dt) : Vec3{};
    }
    put_back(after, in);
    report.diverged_worlds.clear();
    for (std::size_t w = 0; w < stopped_.size(); ++w)
        if (stopped_[w] != 0) report.diverged_worlds.push_back(static_cast<std::int32_t>(w));
    after.body_f        = in.body_f;
    after.particle_f    = in.particle_f;
    after.custom_arrays = in.custom_arrays;
    after.time          = in.time + dt;
    // Copied, not moved: views of the arrays of `out` stay valid.
    out = after;
    return report;
}

StepReport Vbd::step(const model::State& in, model::State& out, const model::Control& control,
                     model::Contacts* contacts, double dt)
{
    StepReport report;
    const auto refuse = [&](std::string why) {
        report.refused  = make_diagnostic(kSolverState, {}, why);
        report.culprit  = std::move(why);
        report.diverged = true;
        if (&out != &in) out = in;
        return report;
    };
    if (!(dt >= 0) || !std::isfinite(dt))
        return refuse(fmt::format("dt is {}, expected a positive number of seconds", dt));
    if (!model::fits(model_, in)) return refuse("the state's arrays do not have the sizes of the model");
    if (!model::fits(model_, control)) return refuse("the control's arrays do not have the sizes of the model");
    if (contacts != nullptr && !model::fits(model_, *contacts)) return refuse("the contacts are of another model");
    if (dt == 0) {
        if (&out != &in) out = in;
        return report;
    }
    soft::activate(elements_, model_, control);
    if (!held_as_read()) held_.read(model_, joints_that_hold());
    if (substeps_ == 1) return substep(in, out, control, contacts, dt);

    // Both sides go through the same substeps, and what the one does to the other acts within them.
    const model::State before = in;
    const double       h      = dt / substeps_;
    forces_.clear();
    torques_.clear();
    for (int k = 0; k < substeps_; ++k) {
        StepReport one = substep(k == 0 ? before : between_, between_, control_at(before, control, k), contacts, h);
        if (one.diverged) {
            out = before;
            return one;
        }
        // The published force is the mean over the substeps.
        if (contacts != nullptr) {
            const auto add = [&](const std::vector<Vec3>& now, std::vector<Vec3>& sum) {
                sum.resize(std::max(sum.size(), now.size()));
                for (std::size_t i = 0; i < now.size(); ++i)
                    sum[i] += (Real(1) / static_cast<Real>(substeps_)) * now[i];
            };
            add(contacts->rigid_contact_force, forces_);
            add(contacts->rigid_contact_torque, torques_);
        }
        // The last substep's report with the sums and maxima of those before.
        one.sweeps += report.sweeps;
        one.clamped_velocities += report.clamped_velocities;
        one.block_solves += report.block_solves;
        one.block_fallbacks += report.block_fallbacks;
        one.joint_error_linear  = std::max(one.joint_error_linear, report.joint_error_linear);
        one.joint_error_angular = std::max(one.joint_error_angular, report.joint_error_angular);
        one.broken.insert(one.broken.begin(), report.broken.begin(), report.broken.end());
        // Who stopped first is told, also where the rest of the step is sound.
        if (!report.culprit.empty()) {
            one.culprit       = report.culprit;
            one.culprit_body  = report.culprit_body;
            one.culprit_joint = report.culprit_joint;
        }
        for (const std::int32_t w : report.diverged_worlds)
            if (std::ranges::find(one.diverged_worlds, w) == one.diverged_worlds.end())
                one.diverged_worlds.push_back(w);
        std::ranges::sort(one.diverged_worlds);
        report = std::move(one);
    }
    if (contacts != nullptr) {
        std::ranges::copy(forces_, contacts->rigid_contact_force.begin());
        std::ranges::copy(torques_, contacts->rigid_contact_torque.begin());
    }
    // A world that stopped on the way stands where it stood before the step.
    if (!report.diverged_worlds.empty()) {
        for (const std::int32_t w : report.diverged_worlds) stopped_[static_cast<std::size_t>(w)] = 1;
        if (!goes_on()) {
            report.diverged = true;
            report.diverged_worlds.clear();
            out = before;
            return report;
        }
        put_back(between_, before);
        between_.body_f     = before.body_f;
        between_.particle_f = before.particle_f;
    }
    between_.time = before.time + dt;
    out           = between_;
    return report;
}

}  // namespace

Options options_of(const SolverChoice& choice)
{
    Options out;
    for (const Setting& setting : choice.settings) {
        if (setting.name == "iterations") out.iterations = static_cast<int>(setting.value);
        if (setting.name == "acceleration") out.acceleration = setting.value;
        if (setting.name == "friction_epsilon") out.friction_epsilon = setting.value;
        if (setting.name == "particle_enable_self_contact") out.self_contact = setting.value != 0;
        if (setting.name == "particle_self_contact_margin") out.self_contact_margin = setting.value;
        if (setting.name == "particle_self_contact_gap") out.self_contact_gap = setting.value;
    }
    return out;
}

Result<std::unique_ptr<Solver>> make(const model::Model& model, const SolverOptions& options, SolverChoice choice,
                                     Diagnostics& out)
{
    if (std::string told = disagreeing_poses(model); !told.empty()) {
        told = "vbd: " + told;
        if (options.strict) return make_diagnostic(kSolverModel, {}, std::move(told));
        out.add(kSolverApproximates, {}, std::move(told),
                "Call eval_fk for the model, or set body_q as joint_q has it.");
    }
    std::string name   = to_text(choice);
    auto        bodies = make_softstep(model, options, SolverChoice{"softstep", {}}, out);
    return std::unique_ptr<Solver>(
        std::make_unique<Vbd>(model, options, std::move(choice), 1, std::move(name), std::move(bodies)));
}

Result<std::unique_ptr<Solver>> make_with_softstep(const model::Model& model, const SolverOptions& options,
                                                   const SolverChoice& of, Diagnostics& out)
{
    auto choice = choose_solver("vbd");
    if (!choice) return choice.error();
    SolverOptions of_bodies = options;
    // The substeps are vbd's; softstep makes one of each.
    of_bodies.substeps = 1;
    auto bodies        = make_softstep(model, of_bodies, of, out);
    return std::unique_ptr<Solver>(std::make_unique<Vbd>(model, options, *std::move(choice), options.substeps,
                                                         to_text(of), std::move(bodies),
                                                         softstep::options_of(of).soft_xpbd));
}

}  // namespace mechane::solvers::vbd
