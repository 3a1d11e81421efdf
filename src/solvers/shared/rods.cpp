// RODS for solvers that know no rod: the segments' joints are given to the inner solver as balls with springs, and
// state, control and observables are translated on the way in and out. Rods neither stretch nor shear then.
//     rod: 3 slides and a quaternion, bending and twist as gains of drives  ->  ball: the quaternion, the same gains as
//     passive stiffness and damping
// The slides of a rod are read off the bodies after the step.

#include "solvers/shared/rods.h"

#include <algorithm>
#include <utility>

#include "mechane/dynamics/kinematics.h"
#include "mechane/model/belongs.h"
#include "solvers/softstep/softstep.h"

namespace mechane::solvers {
namespace {

using model::JointType;

/// Coordinates of a rod before its quaternion, and dofs before its turns.
constexpr std::int32_t kSlides = 3;

class RodSolver final : public Solver {
  public:
    RodSolver(const model::Model& model) : model_(model), balls_(std::make_unique<model::Model>(model)) { renumber(); }

    Result<void> make(const MakeSolver& make)
    {
        auto made = make(*balls_);
        if (!made) return made.error();
        inner_ = *std::move(made);
        return {};
    }

    StepReport step(const model::State& in, model::State& out, const model::Control& control, model::Contacts* contacts,
                    double dt) override
    {
        // What does not fit is refused by the solver, which then sees what it was given.
        if (!model::fits(model_, in) || !model::fits(model_, control))
            return inner_->step(in, out, control, contacts, dt);
        copy_values();
        state_ = in;
        pick(in.joint_q, state_.joint_q, coord_), pick(in.joint_qd, state_.joint_qd, dof_);
        control_ = control;
        if (!control.joint_target_q.empty()) pick(control.joint_target_q, control_.joint_target_q, coord_);
        for (auto array : {&model::Control::joint_target_qd, &model::Control::joint_f, &model::Control::joint_act})
            if (!(control.*array).empty()) pick(control.*array, control_.*array, dof_);
        StepReport report = inner_->step(state_, after_, control_, contacts, dt);
        if (report.diverged || report.refused) {
            if (&out != &in) out = in;
            return report;
        }
        // Entries of other joints as the solver has them, those of rods from the bodies.
        // What the inner solver has as coordinates goes back to the rows of the outer model; the slides of rods are
        // read off the bodies.
        std::swap(q_, after_.joint_q), std::swap(qd_, after_.joint_qd);
        after_.joint_q = in.joint_q, after_.joint_qd = in.joint_qd;
        for (std::size_t i = 0; i < coord_.size(); ++i) after_.joint_q[coord_[i]] = q_[i];
        for (std::size_t i = 0; i < dof_.size(); ++i) after_.joint_qd[dof_[i]] = qd_[i];
        for (const std::int32_t j : rods_) {
            const auto motion = [&](std::int32_t b) {
                return b < 0 ? dynamics::BodyMotion{}
                             : dynamics::BodyMotion{static_cast<Posed>(after_.body_q[static_cast<std::size_t>(b)]),
                                                    static_cast<Spatiald>(after_.body_qd[static_cast<std::size_t>(b)])};
            };
            dynamics::joint_state(model_, j, motion(model_.joint_parent[static_cast<std::size_t>(j)]),
                                  motion(model_.joint_child[static_cast<std::size_t>(j)]), after_.joint_q,
                                  after_.joint_qd, false);
        }
        out = after_;
        if (observed_ != nullptr) hand_over();
        return report;
    }

    void reset() override { inner_->reset(); }
    void reset_worlds(std::span<const std::uint8_t> selected) override { inner_->reset_worlds(selected); }
    void notify(std::uint32_t changes) override
    {
        *balls_ = model_;
        renumber();
        inner_->notify(changes);
    }
    [[nodiscard]] std::string_view       name() const override { return inner_->name(); }
    [[nodiscard]] std::vector<std::byte> save() const override { return inner_->save(); }
    [[nodiscard]] bool restore(std::span<const std::byte> bytes) override { return inner_->restore(bytes); }
    void               observe(Observables* observables) override
    {
        observed_ = observables;
        inner_->observe(observables == nullptr ? nullptr : &inner_observed_);
    }
    [[nodiscard]] bool is_awake(std::int32_t body) const override { return inner_->is_awake(body); }
    void               wake(std::int32_t body) override { inner_->wake(body); }

  private:
    template <class T>
    static void pick(const std::vector<T>& from, std::vector<T>& to, const std::vector<std::size_t>& rows)
    {
        to.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
    }

    /// Which coordinates and dofs stay, and the layout without the others.
    void renumber()
    {
        // Rows of the outer arrays that the inner model keeps, in order.
        coord_.clear(), dof_.clear(), rods_.clear();
        model::Model& b = *balls_;
        for (std::size_t j = 0; j < model_.joint_count(); ++j) {
            const bool rod      = model_.joint_type[j] == JointType::rod;
            b.joint_q_start[j]  = static_cast<std::int32_t>(coord_.size());
            b.joint_qd_start[j] = static_cast<std::int32_t>(dof_.size());
            if (rod) {
                rods_.push_back(static_cast<std::int32_t>(j));
                b.joint_type[j]    = JointType::ball;
                b.joint_dof_dim[j] = {0, 3};
            }
            const std::int32_t skip = rod ? kSlides : 0;
            for (std::int32_t c = model_.joint_q_start[j] + skip; c < model_.joint_q_start[j + 1]; ++c)
                coord_.push_back(static_cast<std::size_t>(c));
            for (std::int32_t d = model_.joint_qd_start[j] + skip; d < model_.joint_qd_start[j + 1]; ++d)
                dof_.push_back(static_cast<std::size_t>(d));
        }
        b.joint_q_start.back()  = static_cast<std::int32_t>(coord_.size());
        b.joint_qd_start.back() = static_cast<std::int32_t>(dof_.size());
        const auto moved        = [&](const std::vector<std::int32_t>& starts, const std::vector<std::size_t>& rows) {
            std::vector<std::int32_t> to;
            for (const std::int32_t start : starts)
                to.push_back(static_cast<std::int32_t>(
                    std::lower_bound(rows.begin(), rows.end(), static_cast<std::size_t>(start)) - rows.begin()));
            return to;
        };
        b.joint_coord_world_start = moved(model_.joint_coord_world_start, coord_);
        b.joint_dof_world_start   = moved(model_.joint_dof_world_start, dof_);
        copy_values();
    }

    /// What a solver reads of joints, shapes and scenes at every step.
    void copy_values()
    {
        model::Model& b = *balls_;
        for (auto array : {&model::Model::joint_q, &model::Model::joint_target_q, &model::Model::joint_rest_q})
            pick(model_.*array, b.*array, coord_);
        for (auto array :
             {&model::Model::joint_qd, &model::Model::joint_target_qd, &model::Model::joint_f, &model::Model::joint_act,
              &model::Model::joint_armature, &model::Model::joint_friction, &model::Model::joint_damping,
              &model::Model::joint_stiffness, &model::Model::joint_target_ke, &model::Model::joint_target_kd,
              &model::Model::joint_limit_lower, &model::Model::joint_limit_upper, &model::Model::joint_limit_ke,
              &model::Model::joint_limit_kd, &model::Model::joint_effort_limit, &model::Model::joint_velocity_limit})
            pick(model_.*array, b.*array, dof_);
        pick(model_.joint_axis, b.joint_axis, dof_);
        pick(model_.joint_target_mode, b.joint_target_mode, dof_);
        pick(model_.joint_drive_type, b.joint_drive_type, dof_);
        pick(model_.joint_limit_authored, b.joint_limit_authored, dof_);
        for (const std::int32_t j : rods_)
            for (std::int32_t d = b.joint_qd_start[static_cast<std::size_t>(j)];
                 d < b.joint_qd_start[static_cast<std::size_t>(j) + 1]; ++d) {
                const auto k = static_cast<std::size_t>(d);
                // A rod's bending stiffness is a drive in the model; a ball has a passive spring instead.
                b.joint_stiffness[k] = b.joint_target_ke[k];
                b.joint_damping[k]   = b.joint_target_kd[k];
                b.joint_target_ke[k] = b.joint_target_kd[k] = 0;
                b.joint_target_mode[k]                      = model::TargetMode::none;
            }
        b.joint_enabled = model_.joint_enabled;
        b.gravity       = model_.gravity;
        for (auto array :
             {&model::Model::shape_material_ke, &model::Model::shape_material_kd, &model::Model::shape_material_kf,
              &model::Model::shape_material_ka, &model::Model::shape_material_mu,
              &model::Model::shape_material_mu_static, &model::Model::shape_material_restitution,
              &model::Model::shape_material_mu_torsional, &model::Model::shape_material_mu_rolling})
            b.*array = model_.*array;
        b.shape_surface_velocity = model_.shape_surface_velocity;
    }

    void hand_over()
    {
        *observed_ = inner_observed_;
        observed_->joint_drive_f.assign(model_.joint_dof_count(), 0);
        for (std::size_t i = 0; i < std::min(dof_.size(), inner_observed_.joint_drive_f.size()); ++i)
            observed_->joint_drive_f[dof_[i]] = inner_observed_.joint_drive_f[i];
    }

    const model::Model&           model_;
    std::unique_ptr<model::Model> balls_;  ///< the same with balls
    std::unique_ptr<Solver>       inner_;
    std::vector<std::size_t>      coord_, dof_;  ///< of the balls' model, as those of the model
    std::vector<std::int32_t>     rods_;
    model::State                  state_, after_;
    model::Control                control_;
    std::vector<Real>             q_, qd_;
    Observables*                  observed_ = nullptr;
    Observables                   inner_observed_;
};

}  // namespace

/// Only then is a second model kept.
bool has_rods(const model::Model& model)
{ return std::find(model.joint_type.begin(), model.joint_type.end(), JointType::rod) != model.joint_type.end(); }

std::unique_ptr<Solver> make_softstep(const model::Model& model, const SolverOptions& options,
                                      const SolverChoice& choice, Diagnostics& out)
{
    if (!has_rods(model)) return softstep::make(model, options, choice, out);
    auto made = with_rods(model, [&](const model::Model& balls) -> Result<std::unique_ptr<Solver>> {
        return softstep::make(balls, options, choice, out);
    });
    return *std::move(made);  // softstep refuses no model
}

Result<std::unique_ptr<Solver>> with_rods(const model::Model& model, const MakeSolver& make)
{
    auto solver = std::make_unique<RodSolver>(model);
    if (auto made = solver->make(make); !made) return made.error();
    return std::unique_ptr<Solver>(std::move(solver));
}

}  // namespace mechane::solvers
