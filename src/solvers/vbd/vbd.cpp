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
#include "solvers/soft/elements.h"
#include "solvers/soft/holds.h"
#include "solvers/softstep/softstep.h"
#include "solvers/vbd/self_contact.h"

namespace mechane::solvers::vbd {

namespace {

/// Particles that are solved for at a time by one thread.
constexpr std::size_t kGrain = 64;

class Vbd final : public Solver, public Adjustable {
  public:
    Vbd(const model::Model& model, const SolverOptions& options, SolverChoice choice, std::unique_ptr<Solver> bodies)
        : model_(model), options_(options), choice_(std::move(choice)), text_(to_text(choice_)), how_(options_of(choice_)),
          bodies_(std::move(bodies)), self_contact_(std::in_place, model, how_)
    { rebuild(); }

    bool configure(const Setting& setting) override
    {
        SolverChoice next = choice_;
        next.settings.push_back(setting);
        auto sorted = choose_solver(to_text(next));
        if (!sorted) return false;
        choice_ = *std::move(sorted);
        text_   = to_text(choice_);
        how_    = options_of(choice_);
        self_contact_.emplace(model_, how_);
        return true;
    }

    StepReport step(const model::State& in, model::State& out, const model::Control& control, model::Contacts* contacts,
                    double dt) override;
    void       reset() override
    {
        bodies_->reset();
        std::ranges::fill(preloads_, Vec3d{});
    }
    void reset_worlds(std::span<const std::uint8_t> selected) override
    {
        bodies_->reset_worlds(selected);
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
    void rebuild();
    /// Start, inertial target and first guess of every particle.
    void predict(const model::State& in, double dt);
    /// Contacts and attachments of the step, listed by particle.
    void find_holds(const model::State& in, const model::Control& control, const model::Contacts* contacts, double dt);
    void solve(double dt);
    [[nodiscard]] Vec3d newton_step(std::size_t particle, double dt) const;
    /// What particles put on bodies, and what attachments hold on to.
    void               load_bodies(std::vector<Spatial>& body_f);
    [[nodiscard]] bool moves(std::size_t p) const
    { return (model_.particle_flags[p] & model::particle_flag::active) != 0 && model_.particle_inv_mass[p] > 0; }

    const model::Model&                    model_;
    SolverOptions                          options_;
    SolverChoice                           choice_;
    std::string                            text_;  ///< of the choice
    Options                                how_;
    std::unique_ptr<Solver>                bodies_;
    std::optional<SelfContact>             self_contact_;
    soft::Elements                         elements_;
    std::vector<std::vector<std::int32_t>> groups_;
    std::vector<Vec3d>                     start_, target_, x_, next_;
    std::vector<soft::BodyMotion>          motions_;
    std::vector<soft::Hold>                holds_;
    std::vector<std::int32_t>              hold_start_;
    std::vector<soft::Corner>              hold_lists_;
    std::vector<Vec3d>                     preloads_;  ///< of attachments, from the last step [N]
    std::vector<std::int32_t>              attachment_of_;
};

void Vbd::rebuild()
{
    elements_ = soft::elements_of(model_);
    groups_   = soft::color_groups(model_, elements_);
    preloads_.resize(model_.attachment_particle_body_count());
}

void Vbd::predict(const model::State& in, double dt)
{
    const std::size_t n = model_.particle_count();
    start_.resize(n), target_.resize(n), x_.resize(n), next_.resize(n);
    for (std::size_t p = 0; p < n; ++p) {
        start_[p] = target_[p] = static_cast<Vec3d>(in.particle_q[p]);
        if (moves(p)) {
            Vec3d a = static_cast<Vec3d>(model_.gravity_of(model_.particle_world[p]));
            if (!in.particle_f.empty())
                a += static_cast<double>(model_.particle_inv_mass[p]) * static_cast<Vec3d>(in.particle_f[p]);
            target_[p] += dt * (static_cast<Vec3d>(in.particle_qd[p]) + dt * a);
        }
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
    soft::share_masses(motions_, x_, dt, holds_);

    hold_start_.assign(model_.particle_count() + 1, 0);
    const auto for_each_corner = [&](const auto& call) {
        for (std::size_t h = 0; h < holds_.size(); ++h)
            for (std::int32_t c = 0; c < 3; ++c)
                if (const std::int32_t p = holds_[h].particles[static_cast<std::size_t>(c)]; p >= 0)
                    call(static_cast<std::size_t>(p), soft::Corner{static_cast<std::int32_t>(h), c});
    };
    for_each_corner([&](std::size_t p, soft::Corner) { ++hold_start_[p + 1]; });
    for (std::size_t p = 0; p + 1 < hold_start_.size(); ++p) hold_start_[p + 1] += hold_start_[p];
    hold_lists_.resize(static_cast<std::size_t>(hold_start_.back()));
    std::vector<std::int32_t> next(hold_start_.begin(), hold_start_.end() - 1);
    for_each_corner([&](std::size_t p, soft::Corner c) { hold_lists_[static_cast<std::size_t>(next[p]++)] = c; });
}

Vec3d Vbd::newton_step(std::size_t p, double dt) const
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
    // The block is at least `inertia` in every direction, so that it has an inverse; by cofactors, scaled against
    // overflow.
    const double scale = trace(all.hessian);
    if (!(scale > 0) || !std::isfinite(scale)) return {};
    return inverse((1 / scale) * all.hessian) * (all.force / scale);
}

void Vbd::solve(double dt)
{
    const tasks::Phase phase(options_.pool);
    for (int pass = 0; pass < how_.iterations; ++pass)
        for (const auto& group : groups_) {
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
}

void Vbd::load_bodies(std::vector<Spatial>& body_f)
{
    std::vector<Spatiald> wrenches(model_.body_count());
    for (std::size_t h = 0; h < holds_.size(); ++h) {
        const soft::Hold& hold = holds_[h];
        const Vec3d       f    = soft::hold_block(hold, x_, start_).force;
        if (hold.attachment) {
            const auto i = static_cast<std::size_t>(attachment_of_[h]);
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
    predict(in, dt);
    find_holds(in, control, contacts, dt);
    self_contact_->find(start_, x_, dt);
    for (std::size_t p = 0; p < x_.size(); ++p) x_[p] = self_contact_->bounded(p, start_, x_[p]);
    solve(dt);

    model::State bodies = in;  // `out` may be `in`
    load_bodies(bodies.body_f);
    // Rows of edges and triangles are understood here; softstep looks at the rigid rows alone.
    const bool full_surface = contacts != nullptr && std::exchange(contacts->soft_contact_full_surface, false);
    const bool finite =
        std::ranges::all_of(x_, [](const Vec3d& x) { return is_finite(x) && length_squared(x) < 1e24; });
    model::State after;
    if (finite) report = bodies_->step(bodies, after, control, contacts, dt);
    if (contacts != nullptr) contacts->soft_contact_full_surface = full_surface;
    if (report.refused || report.diverged || !finite) {
        report.diverged = true;
        if (!finite)
            report.culprit = "a particle moved beyond all bounds: a smaller step, or softer elements, may help";
        if (&out != &in) out = in;
        return report;
    }
    after.body_f = in.body_f;
    after.particle_q.resize(x_.size()), after.particle_qd.resize(x_.size());
    for (std::size_t p = 0; p < x_.size(); ++p) {
        after.particle_q[p]  = moves(p) ? static_cast<Vec3>(x_[p]) : in.particle_q[p];
        after.particle_qd[p] = moves(p) ? static_cast<Vec3>((x_[p] - start_[p]) / dt) : Vec3{};
    }
    after.particle_f    = in.particle_f;
    after.custom_arrays = in.custom_arrays;
    after.time          = in.time + dt;
    // Copied, not moved: views of the arrays of `out` stay valid.
    out = after;
    return report;
}

}  // namespace

Options options_of(const SolverChoice& choice)
{
    Options out;
    for (const Setting& setting : choice.settings) {
        if (setting.name == "iterations") out.iterations = static_cast<int>(setting.value);
        if (setting.name == "friction_epsilon") out.friction_epsilon = setting.value;
        if (setting.name == "particle_enable_self_contact") out.self_contact = setting.value != 0;
        if (setting.name == "particle_self_contact_margin") out.self_contact_margin = setting.value;
        if (setting.name == "particle_self_contact_gap") out.self_contact_gap = setting.value;
    }
    return out;
}

Result<std::unique_ptr<Solver>> make(const model::Model& model, const SolverOptions& options, SolverChoice choice,
                                     Diagnostics& out)
{ return std::unique_ptr<Solver>(std::make_unique<Vbd>(model, options, std::move(choice), softstep::make(model, options, out))); }

}  // namespace mechane::solvers::vbd
