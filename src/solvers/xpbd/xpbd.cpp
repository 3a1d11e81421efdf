// The solver `xpbd` (Newton's SolverXPBD; Mueller et al. 2020): positions are corrected pass by pass under compliances,
// velocities follow. Base class Stepper loads, checks and publishes the state; this file orders the passes.
// Rows are computed in parallel and summed in their order, so threads change no bit. Everything is double in between;
// published in `Real`.

#include "solvers/xpbd/xpbd.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mechane/model/types.h"
#include "mechane/tasks/parallel.h"
#include "solvers/shared/stepper.h"
#include "solvers/xpbd/contact_rows.h"
#include "solvers/xpbd/joint_rows.h"
#include "solvers/xpbd/joint_trees.h"
#include "solvers/xpbd/particles.h"
#include "solvers/xpbd/soft_rows.h"

// A substep: predict bodies and particles under all known forces; then `iterations` times particles, contacts and
// joints; then impacts on velocities. Particles and contacts are a Jacobi pass each, which moves what it collected;
// trees of joints are solved exactly, followers go one after the other. With accumulate=0 joints are a Jacobi pass too.

namespace mechane::solvers::xpbd {

namespace {

using namespace shared;

constexpr std::size_t kRowsAtOnce = 32;

class Xpbd final : public Stepper {
  public:
    Xpbd(const model::Model& model, const SolverOptions& options, SolverChoice choice)
        : Stepper(model, options, std::move(choice)), corrections_(model.body_count())
    {
        configured();
        read_model();
    }

  protected:
    void configured() override
    {
        joint_ = {value("joint_linear_relaxation"), value("joint_angular_relaxation"), value("joint_linear_compliance"),
                  value("joint_angular_compliance"), value("accumulate") != 0};
        iterations_ = static_cast<int>(value("iterations"));
        rounds_     = static_cast<int>(value("rigid_contact_restitution_iterations"));
        relaxation_ = value("rigid_contact_relaxation");
        share_      = value("rigid_contact_con_weighting") != 0;
        bounces_    = value("enable_restitution") != 0;
        keeps_      = value("keep_momentum") != 0;
        damping_    = value("angular_damping");
        soft_       = value("soft_contact_relaxation");
        elastic_    = value("soft_body_relaxation");
        // The only setting that changes what is read from the model.
        if (const bool laws = value("soft_laws") != 0; laws != laws_) {
            laws_ = laws;
            read_model();
        }
    }
    void read_model() override
    {
        joints_ = lay_out_joints(model_);
        places_.assign(joints_.size(), {});
        pushes_.assign(joints_.size(), {});
        memory_.assign(joints_.size(), {});
        crowds_ = crowds_of(joints_, bodies_);
        groups_ = group_joints(joints_, bodies_);
        trees_.resize(joints_.size(), bodies_.inv_mass.size());
        layout_of_.assign(model_.joint_count(), -1);
        for (std::size_t i = 0; i < joints_.size(); ++i) layout_of_[joints_[i].joint] = static_cast<std::int32_t>(i);
        // The angle of each joint near which it is looked for: single angles keep their turns.
        near_.assign(model_.joint_coord_count(), 0);
        distances_.clear();
        for (std::size_t j = 0; j < model_.joint_count(); ++j)
            if (model_.joint_type[j] == model::JointType::distance) distances_.push_back(static_cast<std::int32_t>(j));
        neighbours_ =
            soft::Neighbours(model_, laws_ ? soft::Neighbours::Leave::rings : soft::Neighbours::Leave::nobody);
        if (laws_) energy_rows_.read(model_);
        mimics_ = std::any_of(model_.joint_mimic_joint.begin(), model_.joint_mimic_joint.end(),
                              [](std::int32_t m) { return m >= 0; });
    }
    void use(const model::Contacts* contacts) override { soft_contacts_ = contacts; }
    void load(const model::State& in, const model::Control&, double) override
    {
        for (std::size_t i = 0; i < near_.size(); ++i) near_[i] = static_cast<double>(in.joint_q[i]);
        since_ = 0;
        particles_.load(model_, in);
    }
    void advance(const model::State& in, const model::Control& control, double h, StepReport&) override
    {
        if (since_ == 0) {
            slides_.resize(contacts_.size());
            for (std::size_t i = 0; i < contacts_.size(); ++i) slides_[i] = slide_at_start(contacts_[i], bodies_);
        }
        since_ += h;
        particles_.predict(model_, in, laws_, h);
        begin_soft(control, h);
        bodies_.begin_forces(in);
        add_free_joint_forces(model_, control, bodies_);
        add_joint_f(control);
        bodies_.integrate(h, damping_);
        if (bounces_) restitution_.begin(contacts_, bodies_, h);
        // Multipliers start from zero in each substep: there is no warm start.
        std::fill(memory_.begin(), memory_.end(), JointMemory{});
        impulses_.resize(contacts_.size());
        for (int i = 0; i < iterations_; ++i) {
            solve_particles(control, h);
            solve_contacts(h);
            if (joint_.accumulate) hold_joints(control, h);
            solve_joints(control, h);
        }
        if (bounces_) restitution_.finish(contacts_, rounds_, keeps_, bodies_);
        if (bounces_ && soft_contacts_ != nullptr) particles_.bounce(model_, *soft_contacts_, bodies_, h);
    }
    std::int32_t find_lost_particles(std::vector<std::uint8_t>& faulty) const override
    { return particles_.find_lost(model_, laws_, faulty); }
    void publish(const model::State& in, model::State& out, double dt) override
    {
        Stepper::publish(in, out, dt);
        particles_.publish(model_, faulty_, out);
    }

  private:
    struct Impulse {
        Spatiald       on_0, on_1;
        ContactImpulse whole;
    };
    void place_joints(bool moved)
    {
        tasks::for_chunks(
            options_.pool, joints_.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end, std::size_t) {
                for (std::size_t i = begin; i < end; ++i) {
                    const JointLayout& joint = joints_[i];
                    if (!model_.joint_enabled[joint.joint]) continue;
                    places_[i] = place_joint(joint, bodies_, near_);
                    // Only passes that moved bodies follow the angle; the first look must not lose a turn of the
                    // caller's.
                    if (moved && joint.turn == JointLayout::Turn::single)
                        near_[static_cast<std::size_t>(joint.q + joint.axes.linear)] = places_[i].angular[0].value;
                }
            });
    }
    void add_joint_f(const model::Control& control)
    {
        const auto& f = control.joint_f.empty() ? model_.joint_f : control.joint_f;
        // Without joint forces joints need not be placed here.
        if (std::all_of(f.begin(), f.end(), [](Real x) { return x == 0; })) return;
        place_joints(false);
        for (std::size_t i = 0; i < joints_.size(); ++i) {
            if (!model_.joint_enabled[joints_[i].joint]) continue;
            JointPush  push;
            const auto force = [&](const JointCoordinate& c) {
                const Real x = c.dof < 0 ? Real(0) : f[static_cast<std::size_t>(joints_[i].qd + c.dof)];
                // A command that is no number counts as none.
                return std::isfinite(x) ? static_cast<double>(x) : 0.0;
            };
            for (const JointCoordinate& c : places_[i].linear) push_linear(places_[i], c, force(c), push);
            for (const JointCoordinate& c : places_[i].angular) push_angular(c, force(c), push);
            bodies_.add_force(places_[i].parent, push.parent.linear, push.parent.angular);
            bodies_.add_force(places_[i].child, push.child.linear, push.child.angular);
        }
    }
    void begin_soft(const model::Control& control, double h)
    {
        if (particles_.x.empty()) return;
        // Near enough for what moves towards each other within the step.
        double fastest = 0;
        for (const Vec3d& v : particles_.v)
            if (is_finite(v)) fastest = std::max(fastest, length(v));
        neighbours_.find(model_, particles_.start,
                         std::max(0.0, static_cast<double>(model_.particle_contact.cohesion)) +
                             (laws_ ? 2 * h * std::min(fastest, 1e3) : 0));
        if (!laws_) {
            newton_rows_.begin(model_);
            return;
        }
        energy_rows_.begin(model_, control);
        attachments_.begin(model_);
        Moving moving = particles(h);
        separate_balls(model_, neighbours_, moving);
    }
    Moving particles(double h) { return {particles_.x, particles_.v, particles_.start, particles_.inv_mass, h}; }
    void   solve_particles(const model::Control& control, double h)
    {
        if (particles_.x.empty()) return;
        particles_.begin_pass();
        if (soft_contacts_) {
            corrections_.clear();
            particles_.solve_contacts(model_, *soft_contacts_, bodies_, soft_, laws_, h, corrections_);
            // Particles push bodies at once; contacts and joints come after them in the pass.
            corrections_.apply(bodies_, h, false);
        }
        Moving moving = particles(h);
        collect_balls(model_, neighbours_, soft_, laws_, moving, particles_.correction);
        if (!laws_) newton_rows_.collect(model_, control, elastic_, moving, particles_.correction);
        particles_.finish_pass(model_, h);
        const bool held = model_.attachment_particle_body_count() > 0;
        // Newton 1.8 leaves attachments to its other solvers.
        if (!laws_ || (!energy_rows_.any() && !held)) return;
        energy_rows_.solve(moving);
        if (held) attachments_.solve(model_, moving, bodies_);
        particles_.take_velocities(model_, h);
    }
    /// How much of its impulse a contact gives to a body that divides what it gets by its own number of contacts. Both
    /// bodies divide by the larger number of the two, or one would get more than the other gives, and their momentum
    /// would change. An immovable one takes whatever comes and does not count.
    [[nodiscard]] double part_of(std::size_t contact, std::int32_t b) const
    {
        if (!share_ || !keeps_ || b < 0 || bodies_.inv_mass[b] == 0) return 1;
        std::int32_t most = corrections_.count[b];
        for (const std::int32_t other : contacts_[contact].body)
            if (other >= 0 && bodies_.inv_mass[other] > 0) most = std::max(most, corrections_.count[other]);
        return static_cast<double>(corrections_.count[b]) / most;
    }
    void solve_contacts(double h)
    {
        if (contacts_.empty()) return;
        tasks::for_chunks(options_.pool, contacts_.size(), kRowsAtOnce,
                          [&](std::size_t begin, std::size_t end, std::size_t) {
                              for (std::size_t i = begin; i < end; ++i) {
                                  impulses_[i]       = {};
                                  impulses_[i].whole = solve_contact(contacts_[i], bodies_, relaxation_, h, slides_[i],
                                                                     since_, impulses_[i].on_0, impulses_[i].on_1);
                              }
                          });
        corrections_.clear();
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            if (!impulses_[i].whole.active) continue;
            if (bounces_) restitution_.touched(i);
            for (const std::int32_t b : contacts_[i].body)
                if (b >= 0) ++corrections_.count[b];
        }
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            if (!impulses_[i].whole.active) continue;
            const auto& body = contacts_[i].body;
            corrections_.add(body[0], part_of(i, body[0]) * impulses_[i].on_0.linear,
                             part_of(i, body[0]) * impulses_[i].on_0.angular);
            corrections_.add(body[1], part_of(i, body[1]) * impulses_[i].on_1.linear,
                             part_of(i, body[1]) * impulses_[i].on_1.angular);
        }
        // The force of a contact is the sum of its passes, shared as the correction was.
        torque_on_1_.resize(contacts_.size());
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            if (!impulses_[i].whole.active) continue;
            // What was applied to body 1, or to body 0 where that is immovable.
            const auto&        body  = contacts_[i].body;
            const std::int32_t whose = body[1] >= 0 && bodies_.inv_mass[body[1]] > 0 ? body[1] : body[0];
            const double       part  = share_ && whose >= 0 && corrections_.count[whose] > 0
                                           ? part_of(i, whose) / corrections_.count[whose]
                                           : 1.0;
            force_on_1_[i] += (weight_ * part / h) * impulses_[i].whole.on_1;
            torque_on_1_[i] += (weight_ * part / h) * impulses_[i].whole.turn_1;
        }
        corrections_.apply(bodies_, h, share_);
    }
    /// Joints that close loops one after the other, then the trees, each as a whole. Worlds share no bodies and go side
    /// by side.
    void hold_joints(const model::Control& control, double h)
    {
        tasks::for_chunks(options_.pool, groups_.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t g = begin; g < end; ++g) {
                for (const std::size_t i : groups_[g].rest) {
                    const JointLayout& joint = joints_[i];
                    if (!model_.joint_enabled[joint.joint]) continue;
                    places_[i] = place_joint(joint, bodies_, near_);
                    if (joint.turn == JointLayout::Turn::single)
                        near_[static_cast<std::size_t>(joint.q + joint.axes.linear)] = places_[i].angular[0].value;
                    hold_joint(joint, places_[i], control, joint_, h, memory_[i], bodies_);
                }
                trees_.hold(groups_[g], joints_, control, joint_, h, places_, near_, memory_, bodies_);
            }
        });
    }
    void solve_joints(const model::Control& control, double h)
    {
        if (joints_.empty() && distances_.empty()) return;
        corrections_.clear();
        if (!joint_.accumulate) collect_joints(control, h);
        // Distances are few: they are added after the parallel part, in order.
        for (const std::int32_t j : distances_)
            if (model_.joint_enabled[j]) solve_distance(model_, j, bodies_, joint_, h, corrections_);
        // Joints are not shared by count, unlike contacts: relaxation alone bounds them (JointCrowd).
        corrections_.apply(bodies_, h, false);
        for (std::size_t i = 0; mimics_ && i < joints_.size(); ++i) {
            const std::int32_t leader = model_.joint_mimic_joint[joints_[i].joint];
            if (leader < 0 || !model_.joint_enabled[leader] || !model_.joint_enabled[joints_[i].joint]) continue;
            const std::int32_t l = layout_of_[leader];
            if (l < 0) continue;
            // Where the joints are by now.
            solve_mimic(model_, joints_[i], place_joint(joints_[i], bodies_, near_),
                        place_joint(joints_[l], bodies_, near_), joint_, h, bodies_);
        }
    }
    /// A pass of all joints at once, row by row, as in Newton 1.8.
    void collect_joints(const model::Control& control, double h)
    {
        place_joints(true);
        tasks::for_chunks(options_.pool, joints_.size(), kRowsAtOnce,
                          [&](std::size_t begin, std::size_t end, std::size_t) {
                              for (std::size_t i = begin; i < end; ++i)
                                  if (model_.joint_enabled[joints_[i].joint])
                                      pushes_[i] = solve_joint(joints_[i], places_[i], bodies_, control,
                                                               bounded(joint_, crowds_[i]), h, memory_[i]);
                          });
        for (std::size_t i = 0; i < joints_.size(); ++i) {
            if (!model_.joint_enabled[joints_[i].joint]) continue;
            corrections_.add(places_[i].parent, pushes_[i].parent.linear, pushes_[i].parent.angular);
            corrections_.add(places_[i].child, pushes_[i].child.linear, pushes_[i].child.angular);
        }
    }

    JointSettings             joint_;
    int                       iterations_ = 2, rounds_ = 2;
    double                    relaxation_ = 0.8, damping_ = 0, soft_ = 0.9, elastic_ = 0.9;
    double                    since_ = 0;  ///< time of the step that is over with the substep in progress [s]
    bool                      share_ = true, bounces_ = false, mimics_ = false;
    bool                      keeps_ = true;  ///< contacts act on both bodies alike; else as in Newton 1.8
    std::vector<JointLayout>  joints_;
    std::vector<JointPlace>   places_;
    std::vector<JointPush>    pushes_;
    std::vector<JointMemory>  memory_;
    std::vector<JointCrowd>   crowds_;
    std::vector<JointGroup>   groups_;
    JointTrees                trees_;
    std::vector<std::int32_t> layout_of_, distances_;
    std::vector<double>       near_;
    std::vector<Impulse>      impulses_;
    std::vector<Vec3d>        slides_;  ///< of contacts, as the step began
    Corrections               corrections_;
    Restitution               restitution_;
    Particles                 particles_;
    bool                      laws_ = true;  ///< elements resist as under vbd; else as in Newton 1.8
    soft::Neighbours          neighbours_;
    EnergyRows                energy_rows_;
    NewtonRows                newton_rows_;
    AttachmentRows            attachments_;
    const model::Contacts*    soft_contacts_ = nullptr;
};

}  // namespace

std::unique_ptr<Solver> make(const model::Model& model, const SolverOptions& options, SolverChoice choice)
{ return std::make_unique<Xpbd>(model, options, std::move(choice)); }

}  // namespace mechane::solvers::xpbd
