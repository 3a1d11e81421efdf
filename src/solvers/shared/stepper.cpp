// Stepper: what all solvers over shared/bodies have in common. It checks arguments, loads bodies and contacts, runs
// substeps of the derived class, finds faults by world, publishes what is sound, and stores contact forces.
// Refusals and divergence leave the state as it was and name the reason in StepReport.

#include "solvers/shared/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/model/belongs.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/types.h"
#include "mechane/solvers/codes.h"
#include "mechane/solvers/support.h"
#include "mechane/tasks/parallel.h"
#include "solvers/shared/joints.h"
#include "solvers/soft/elements.h"

namespace mechane::solvers::shared {

Stepper::Stepper(const model::Model& model, const SolverOptions& options, SolverChoice choice)
    : model_(model),
      options_(options),
      choice_(std::move(choice)),
      bodies_(model),
      text_(to_text(choice_)),
      enabled_(model.joint_enabled),
      flags_(model.body_flags)
{
}

double Stepper::value(std::string_view parameter) const
{
    for (const Setting& s : choice_.settings)
        if (s.name == parameter) return s.value;
    for (const Parameter& p : parameters_of(choice_.name))
        if (p.name == parameter) return p.value;
    return 0;
}

bool Stepper::configure(const Setting& setting)
{
    if (!read_setting(choice_.name, fmt::format("{}={}", setting.name, setting.value))) return false;
    SolverChoice next = choice_;
    std::erase_if(next.settings, [&](const Setting& s) { return s.name == setting.name; });
    next.settings.push_back(setting);
    auto sorted = choose_solver(to_text(next));
    if (!sorted) return false;
    choice_ = *std::move(sorted);
    text_   = to_text(choice_);
    configured();
    return true;
}

StepReport Stepper::step(const model::State& in, model::State& out, const model::Control& control,
                         model::Contacts* contacts, double dt)
{
    const tasks::Phase phase(options_.pool);
    StepReport         report;
    // A refused step is no change: `out` is a copy of `in`.
    const auto refuse = [&](Diagnostic why) {
        report.diverged = true;
        report.culprit  = why.message;
        report.refused  = std::move(why);
        if (&out != &in) out = in;
        return report;
    };
    const auto of_state = [](std::string why) { return make_diagnostic(kSolverState, {}, std::move(why)); };
    if (!(dt >= 0) || !std::isfinite(dt))
        return refuse(of_state(fmt::format("dt is {}, expected a positive number of seconds", dt)));
    if (!model::fits(model_, in)) return refuse(of_state("the state's arrays do not have the sizes of the model"));
    if (!model::fits(model_, control))
        return refuse(of_state("the control's arrays do not have the sizes of the model"));
    if (contacts && !model::fits(model_, *contacts)) return refuse(of_state("the contacts are of another model"));
    if (contacts)
        if (auto readable = particle_contacts_only(choice_.name, *contacts); !readable) return refuse(readable.error());
    if (auto mistake = refuses(contacts)) return refuse(*std::move(mistake));
    if (dt == 0) {
        if (&out != &in) out = in;
        return report;
    }
    // What the last step gave was sound, and is not read again.
    const bool fresh = changed_ || control.body_target_q.size() > 0 || !goes_on(in);
    // Structure is read again after `notify`, or if joints were switched or bodies became kinematic.
    if (std::exchange(changed_, false) || enabled_ != model_.joint_enabled || flags_ != model_.body_flags) {
        enabled_ = model_.joint_enabled;
        flags_   = model_.body_flags;
        bodies_.read_model();
        read_model();
    }
    const double h = dt / options_.substeps;
    weight_        = 1.0 / options_.substeps;
    faulty_.assign(model_.gravity.size(), 0);
    if (fresh) bodies_.load(in, control, dt);
    use(contacts);
    load(in, control, dt);
    std::int32_t culprit = fresh ? bodies_.find_faults(faulty_) : -1;
    contacts_.clear();
    if (contacts) read_contacts(*contacts, bodies_, options_.combine, contacts_);
    if (force_on_1_.capacity() < contacts_.capacity()) force_on_1_.reserve(contacts_.capacity());
    force_on_1_.assign(contacts_.size(), {});
    torque_on_1_.clear();
    if (observed_ != nullptr) begin_balance();
    for (int k = 0; k < options_.substeps; ++k) advance(in, control, h, report);
    arrive(control, dt, report);
    if (const std::int32_t found = bodies_.find_faults(faulty_); culprit < 0) culprit = found;
    const std::int32_t lost = find_lost_particles(faulty_);

    // Entry 0 stands for bodies of no world.
    for (std::size_t w = 0; w < faulty_.size(); ++w)
        if (faulty_[w] && w > 0) report.diverged_worlds.push_back(static_cast<std::int32_t>(w) - 1);
    const bool sound = std::find(faulty_.begin(), faulty_.end(), 1) == faulty_.end();
    const bool tell  = !sound && report.culprit.empty();
    if (!sound) {
        report.culprit_body = culprit;
        const auto goes_on  = [&](std::int32_t w) { return !faulty_[static_cast<std::size_t>(w + 1)]; };
        const bool any      = std::any_of(model_.body_world.begin(), model_.body_world.end(), goes_on) ||
                              std::any_of(model_.particle_world.begin(), model_.particle_world.end(), goes_on);
        if (!any) {
            report.diverged = true;
            if (tell) report.culprit = words_of_faults(culprit, lost, in, control, contacts, dt);
            if (&out != &in) out = in;
            return report;
        }
    }
    // `out` may be `in`, whose beginning the words are about.
    const model::State before = tell ? in : model::State{};
    const double       start  = in.time;
    if (&out != &in) out = in;
    publish(in, out, dt);
    out.time = start + dt;
    if (observed_ != nullptr) balance(in, control, dt);
    if (contacts) store_forces(*contacts, report);
    if (tell) report.culprit = words_of_faults(culprit, lost, before, control, contacts, dt);
    return report;
}

/// Which body or particle left all bounds, and how long a step the model bears. Bodies and contacts are read again as
/// they were, since the step has changed them.
std::string Stepper::words_of_faults(std::int32_t body, std::int32_t particle, const model::State& in,
                                     const model::Control& control, const model::Contacts* contacts, double dt)
{
    std::string out;
    const auto  of = [&](std::int32_t p) {
        const std::string part = soft::part_of(model_, p);
        return part.empty() ? part : ": it is part of " + part;
    };
    // A number that is none spreads to neighbours within the step; the first of the state is where it came from.
    for (std::size_t p = 0; p < model_.particle_count(); ++p)
        if (!is_finite(in.particle_q[p]) || !is_finite(in.particle_qd[p]))
            return fmt::format("the place or velocity of particle {} was no number before the step{}", p,
                               of(static_cast<std::int32_t>(p)));
    if (body >= 0 || particle < 0) {
        out = fmt::format("body '{}' left all bounds", body < 0 ? "" : model_.body_label[body]);
    } else {
        out = fmt::format("particle {} left all bounds{}", particle, of(particle));
    }
    bodies_.load(in, control, dt);
    contacts_.clear();
    if (contacts) read_contacts(*contacts, bodies_, options_.combine, contacts_);
    StepBound bound(model_.particle_count() + model_.body_count());
    list_springs(control, bound);
    std::string  row;
    const double longest = bound.longest(row), h = dt / options_.substeps;
    if (std::isfinite(longest) && longest < h)
        return out + fmt::format(
                         "; {} with these masses bears explicit steps below {:.2g} s, and this one is {:.2g} s "
                         "(a smaller step, or more substeps)",
                         row, longest, h);
    return out + "; a smaller step (more substeps) may help, or softer contacts, limits, drives and elements";
}

namespace {

/// (m v, R I R^T w); bodies without inverse mass have none that could change.
Spatiald momentum_of(const Bodies& bodies, std::size_t b)
{
    if (bodies.inv_mass[b] == 0) return {};
    const Spatiald& v = bodies.twist[b];
    const Quatd&    q = bodies.X[b].q;
    return {(1 / bodies.inv_mass[b]) * v.linear, rotate(q, bodies.inertia[b] * rotate_inverse(q, v.angular))};
}

}  // namespace

/// Joints from the last to the first: children before parents, since parents come first in the model.
void Stepper::begin_balance()
{
    momentum_.resize(model_.body_count());
    twist_before_ = bodies_.twist;
    for (std::size_t b = 0; b < momentum_.size(); ++b) momentum_[b] = momentum_of(bodies_, b);
    inbound_.clear();
    for (std::size_t j = model_.joint_count(); j-- > 0;)
        if (model_.joint_articulation[j] >= 0 && model_.joint_enabled[j] &&
            !model::joint_type_info(model_.joint_type[j]).free_like)
            inbound_.push_back(static_cast<std::int32_t>(j));
}

/// Observables of solvers whose joints keep no forces: what is missing in the momentum balance of a body is what its
/// joint transmits, from the leaves inwards.
void Stepper::balance(const model::State& in, const model::Control& control, double dt)
{
    // What acts besides joints: given wrenches, gravity, contacts.
    bodies_.begin_forces(in);
    add_free_joint_forces(model_, control, bodies_);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const ContactPlace at     = place_contact(contacts_[i], bodies_);
        const Vec3d        couple = i < torque_on_1_.size() ? torque_on_1_[i] : Vec3d{};
        bodies_.add_force(contacts_[i].body[0], -force_on_1_[i], -cross(at.r[0], force_on_1_[i]) - couple);
        bodies_.add_force(contacts_[i].body[1], force_on_1_[i], cross(at.r[1], force_on_1_[i]) + couple);
    }
    observed_->body_qdd.assign(model_.body_count(), {});
    observed_->body_parent_f.assign(model_.body_count(), {});
    // Of each body what is missing for its change of momentum; its joint supplies it, and takes it from the parent.
    std::vector<Spatiald>& missing = bodies_.force;
    for (std::size_t b = 0; b < missing.size(); ++b) {
        const Spatiald after   = momentum_of(bodies_, b);
        observed_->body_qdd[b] = static_cast<Spatial>((1 / dt) * (bodies_.twist[b] - twist_before_[b]));
        const double mass      = bodies_.inv_mass[b] > 0 ? 1 / bodies_.inv_mass[b] : 0;
        missing[b]             = (1 / dt) * (after - momentum_[b]) - missing[b];
        missing[b].linear -= mass * static_cast<Vec3d>(model_.gravity_of(model_.body_world[b]));
    }
    for (const std::int32_t j : inbound_) {
        const std::int32_t child = model_.joint_child[j], parent = model_.joint_parent[j];
        if (bodies_.inv_mass[child] == 0) continue;
        const Spatiald& f               = missing[child];
        observed_->body_parent_f[child] = static_cast<Spatial>(f);
        if (parent < 0) continue;
        missing[parent].linear += f.linear;
        missing[parent].angular += f.angular + cross(bodies_.com_W(child) - bodies_.com_W(parent), f.linear);
    }
}

void Stepper::publish(const model::State& /*in*/, model::State& out, double /*dt*/) { bodies_.publish(faulty_, out); }

void Stepper::store_forces(model::Contacts& contacts, StepReport& report) const
{
    const auto count = static_cast<std::size_t>(contacts.rigid_contact_count);
    for (auto* of : {&contacts.rigid_contact_force, &contacts.rigid_contact_torque}) {
        if (of->size() < count) of->resize(count);
        std::fill_n(of->begin(), count, Vec3{});
    }
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        contacts.rigid_contact_force[contacts_[i].row] = static_cast<Vec3>(force_on_1_[i]);
        if (i < torque_on_1_.size())
            contacts.rigid_contact_torque[contacts_[i].row] = static_cast<Vec3>(torque_on_1_[i]);
        report.deepest_penetration =
            std::max(report.deepest_penetration, -place_contact(contacts_[i], bodies_).distance);
        if (!(force_on_1_[i] == Vec3d{})) ++report.contact_rows;
    }
}

}  // namespace mechane::solvers::shared
