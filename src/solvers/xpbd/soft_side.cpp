// Particles by the rows of xpbd within the substeps of softstep (`soft_solver=xpbd`).

#include "solvers/xpbd/soft_side.h"

#include <algorithm>

namespace mechane::solvers::xpbd {

void SoftSide::read(const model::Model& model)
{
    bodies_.read_model();
    neighbours_ = soft::Neighbours(model, soft::Neighbours::Leave::rings);
    rows_.read(model);
}

void SoftSide::advance(const model::Model& model, const model::State& in, const model::Control& control,
                       const model::Contacts* contacts, const std::vector<Posed>& at,
                       const std::vector<std::uint8_t>& welded, double h)
{
    bodies_.read_model();
    bodies_.load(in, control, h);
    for (std::size_t b = 0; b < at.size(); ++b) {
        bodies_.X[b] = at[b];
        if (welded[b] != 0) bodies_.inv_mass[b] = 0;
        if (bodies_.led[b] != 0) bodies_.twist[b] = bodies_.commanded[b];
    }
    impulse_.assign(at.size(), {});
    particles_.load(model, in);
    particles_.predict(model, in, true, h);
    Moving moving{particles_.x, particles_.v, particles_.start, particles_.inv_mass, h};

    double fastest = 0;
    for (const Vec3d& v : particles_.v)
        if (is_finite(v)) fastest = std::max(fastest, length(v));
    // Near enough for what moves towards each other within the substep, up to a speed at which all would be near.
    neighbours_.find(
        model, particles_.start,
        std::max(0.0, static_cast<double>(model.particle_contact.cohesion)) + 2 * h * std::min(fastest, 1e3));
    rows_.begin(model, control);
    attachments_.begin(model);
    separate_balls(model, neighbours_, moving);
    for (int pass = 0; pass < kPasses; ++pass) {
        particles_.begin_pass();
        if (contacts != nullptr) {
            corrections_.clear();
            particles_.solve_contacts(model, *contacts, bodies_, kRelaxation, true, h, corrections_);
            corrections_.apply(bodies_, h, false);
            for (std::size_t b = 0; b < impulse_.size(); ++b) impulse_[b] += corrections_.impulse[b];
        }
        collect_balls(model, neighbours_, kRelaxation, true, moving, particles_.correction);
        particles_.finish_pass(model, h);
        if (rows_.any()) rows_.solve(moving);
        if (model.attachment_particle_body_count() > 0) attachments_.solve(model, moving, bodies_, &impulse_);
        particles_.take_velocities(model, h);
    }
}

}  // namespace mechane::solvers::xpbd
