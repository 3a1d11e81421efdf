// The solver `semi-implicit`: maximal coordinates, joints and contacts as springs, one semi-implicit Euler step
// (Newton's SolverSemiImplicit). Stability bounds are in docs/solvers.md.
//
//   h      substep [s]
//   k, d   stiffness and damping of a spring
//   m      mass that a spring moves
//   near_  coordinates of the last substep, to which angles are unwound
//
// An explicit step of a spring is stable while h sqrt(k / m) < 2 and h d / m < 2, over all springs and dampers that
// act on a body.

#include "solvers/semi_implicit/semi_implicit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/model/types.h"
#include "mechane/tasks/parallel.h"
#include "solvers/shared/joints.h"
#include "solvers/shared/penalty.h"
#include "solvers/shared/soft_particles.h"
#include "solvers/shared/stepper.h"

// Every joint is a bundle of springs between its bodies. Along a locked axis the spring is (joint_attach_ke,
// joint_attach_kd); about a locked axis joint_attach_ke with a hundredth of the damping, since lever arms make angular
// damping the first thing that an explicit step cannot carry. Free directions get drive, limit and passive forces.
// Contacts are springs too (shared/penalty.h). Then one semi-implicit Euler step of every body.

namespace mechane::solvers::semi_implicit {

namespace {

using namespace shared;

constexpr double kAngularDamping = 0.01;  ///< of joint_attach_kd
// How many joints a thread takes at once; results do not depend on it.
constexpr std::size_t kJointsAtOnce = 32;

struct Gains {
    double attach_ke = 0, attach_kd = 0, mimic_ke = 0, mimic_kd = 0, angular_damping = 0;
};

/// A coordinate of a placed joint by its dof.
struct Found {
    const JointCoordinate* coordinate = nullptr;
    bool                   linear     = false;
};
Found find_dof(const JointPlace& at, std::int32_t dof)
{
    for (const JointCoordinate& c : at.linear)
        if (c.dof == dof) return {&c, true};
    for (const JointCoordinate& c : at.angular)
        if (c.dof == dof) return {&c, false};
    return {};
}

class SemiImplicit final : public Stepper {
  public:
    SemiImplicit(const model::Model& model, const SolverOptions& options, SolverChoice choice)
        : Stepper(model, options, std::move(choice))
    {
        configured();
        read_model();
    }

    // Parameters may change during a run, the model's numbers too: each has a function that reads them anew.
  protected:
    void configured() override
    {
        gains_ = {value("joint_attach_ke"), value("joint_attach_kd"), value("joint_mimic_ke"), value("joint_mimic_kd"),
                  value("angular_damping")};
        particles_.read(model_, value("soft_laws") != 0, value("enable_tri_contact") != 0);
    }
    void read_model() override
    {
        joints_ = lay_out_joints(model_);
        places_.assign(joints_.size(), {});
        pushes_.assign(joints_.size(), {});
        layout_of_.assign(model_.joint_count(), -1);
        for (std::size_t i = 0; i < joints_.size(); ++i) layout_of_[joints_[i].joint] = static_cast<std::int32_t>(i);
        near_.assign(model_.joint_coord_count(), 0);
        particles_.read(model_, value("soft_laws") != 0, value("enable_tri_contact") != 0);
    }
    void use(const model::Contacts* contacts) override { soft_contacts_ = contacts; }
    void load(const model::State& in, const model::Control&, double) override
    {
        // Angles are unwound to the turn nearest to the last one, so that limits beyond half a turn work.
        for (std::size_t i = 0; i < near_.size(); ++i) near_[i] = static_cast<double>(in.joint_q[i]);
        particles_.load(model_, in);
    }
    // All forces are those of the state at the start of the substep. Velocities take them first, then poses take the
    // new velocities.
    void advance(const model::State& in, const model::Control& control, double h, StepReport& /*report*/) override
    {
        bodies_.begin_forces(in);
        add_free_joint_forces(model_, control, bodies_);
        add_joint_forces(control);
        add_mimic_forces();
        add_penalty_contacts(contacts_, weight_, bodies_, force_on_1_);
        particles_.find_forces(model_, in, control, soft_contacts_, h, bodies_);
        bodies_.integrate(h, gains_.angular_damping);
        particles_.integrate(model_, h);
    }
    std::int32_t find_lost_particles(std::vector<std::uint8_t>& faulty) const override
    { return particles_.find_lost(model_, faulty); }
    void list_springs(const model::Control& control, StepBound& out) override
    {
        const std::size_t bodies = model_.particle_count();
        add_contact_rows(contacts_, bodies_, bodies, out);
        add_joint_rows(model_, control, joints_, gains_.attach_ke, gains_.attach_kd, bodies_, bodies, out);
        particles_.list_springs(model_, soft_contacts_, bodies_, out);
    }
    void publish(const model::State& in, model::State& out, double dt) override
    {
        Stepper::publish(in, out, dt);
        particles_.publish(model_, faulty_, out);
    }

  private:
    void add_joint_forces(const model::Control& control)
    {
        // Forces are computed in parallel and added up by one thread in the order of joints: sums have the same bits.
        tasks::for_chunks(options_.pool, joints_.size(), kJointsAtOnce,
                          [&](std::size_t begin, std::size_t end, std::size_t) {
                              for (std::size_t i = begin; i < end; ++i) push_joint(i, control);
                          });
        for (std::size_t i = 0; i < joints_.size(); ++i) {
            if (!model_.joint_enabled[joints_[i].joint]) continue;
            bodies_.add_force(places_[i].parent, pushes_[i].parent.linear, pushes_[i].parent.angular);
            bodies_.add_force(places_[i].child, pushes_[i].child.linear, pushes_[i].child.angular);
        }
    }
    // The same joint may be pushed by any thread: it writes to its own entries only.
    void push_joint(std::size_t i, const model::Control& control)
    {
        const JointLayout& joint = joints_[i];
        if (!model_.joint_enabled[joint.joint]) return;
        JointPlace& at   = places_[i];
        JointPush&  push = pushes_[i];
        at               = place_joint(joint, bodies_, near_);
        push             = {};
        for (const JointCoordinate& c : at.linear)
            push_linear(at, c,
                        c.dof < 0 ? -gains_.attach_ke * c.value - gains_.attach_kd * c.rate
                                  : force_of(joint, c, control, false),
                        push);
        for (const JointCoordinate& c : at.angular)
            push_angular(c,
                         c.dof < 0 ? -gains_.attach_ke * c.value - kAngularDamping * gains_.attach_kd * c.rate
                                   : force_of(joint, c, control, true),
                         push);
        if (joint.turn == JointLayout::Turn::single)
            // The angle of this substep is the start of the next one's unwinding.
            near_[static_cast<std::size_t>(joint.q + joint.axes.linear)] = at.angular[0].value;
    }
    double force_of(const JointLayout& joint, const JointCoordinate& c, const model::Control& control,
                    bool angular) const
    {
        const auto d    = static_cast<std::size_t>(joint.qd + c.dof);
        const bool ball = joint.turn == JointLayout::Turn::ball && angular;
        const auto law  = read_dof(model_, control, d, ball ? -1 : joint.q + c.dof);
        // The three coordinates of a ball are no angles, so only forces and damping act.
        if (ball) return law.force - law.damping * c.rate;
        return law.force + dof_force(law, c.value, c.rate, angular);
    }
    // Also the leader feels the spring, by c1 times the force, so that the pair does no net work along the relation.
    /// A spring from each coordinate of a follower to the one of its leader: q_f = c0 + c1 q_l.
    void add_mimic_forces()
    {
        for (std::size_t i = 0; i < joints_.size(); ++i) {
            const std::int32_t j = joints_[i].joint, leader = model_.joint_mimic_joint[j];
            if (leader < 0 || !model_.joint_enabled[j] || !model_.joint_enabled[leader]) continue;
            const std::int32_t l = layout_of_[leader];
            if (l < 0 || joints_[i].turn == JointLayout::Turn::ball || joints_[l].turn == JointLayout::Turn::ball)
                continue;
            const double offset = static_cast<double>(model_.joint_mimic_coeffs[j][0]),
                         factor = static_cast<double>(model_.joint_mimic_coeffs[j][1]);
            for (int k = 0; k < joints_[i].axes.dofs(); ++k) {
                const Found f = find_dof(places_[i], k), g = find_dof(places_[l], k);
                if (!f.coordinate || !g.coordinate) continue;
                const double force = -gains_.mimic_ke * (f.coordinate->value - offset - factor * g.coordinate->value) -
                                     gains_.mimic_kd * (f.coordinate->rate - factor * g.coordinate->rate);
                tie(places_[i], f, force);
                tie(places_[l], g, -factor * force);
            }
        }
    }
    // A force along a coordinate acts on both bodies of the joint, equal and opposite.
    void tie(const JointPlace& at, const Found& found, double force)
    {
        JointPush push;
        if (found.linear)
            push_linear(at, *found.coordinate, force, push);
        else
            push_angular(*found.coordinate, force, push);
        bodies_.add_force(at.parent, push.parent.linear, push.parent.angular);
        bodies_.add_force(at.child, push.child.linear, push.child.angular);
    }

    Gains                     gains_;
    std::vector<JointLayout>  joints_;
    std::vector<JointPlace>   places_;
    std::vector<JointPush>    pushes_;
    std::vector<std::int32_t> layout_of_;  ///< [joint_count]: entry of joints_, -1: none
    std::vector<double>       near_;       ///< [joint_coord_count]
    SoftParticles             particles_;
    const model::Contacts*    soft_contacts_ = nullptr;
};

}  // namespace

std::unique_ptr<Solver> make(const model::Model& model, const SolverOptions& options, SolverChoice choice)
{ return std::make_unique<SemiImplicit>(model, options, std::move(choice)); }

}  // namespace mechane::solvers::semi_implicit
