// The solver `featherstone`: reduced coordinates with penalty contacts, as Newton's SolverFeatherstone. It refuses
// joints that close loops.
// State, control and contacts come from Stepper (shared/stepper.cpp); kinematics, inverse dynamics and the mass matrix
// are those of dynamics/. Everything is double until `publish`.

#include "solvers/featherstone/featherstone.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mechane/core/bytes.h"
#include "mechane/dynamics/articulated.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/solvers/codes.h"
#include "mechane/tasks/parallel.h"
#include "solvers/featherstone/mimic.h"
#include "solvers/shared/joints.h"
#include "solvers/shared/penalty.h"
#include "solvers/shared/soft_particles.h"
#include "solvers/shared/stepper.h"

// One substep of a tree: kinematics; contact forces, body_f and joint_f as wrenches; the bias force C(q, v) + g of
// inverse dynamics; drives, limits and passive forces; M + armature, factored along the tree; then
//   v+ = v + h M^-1 (tau - bias),   q+ = q moved by h v+.
// Contacts are the springs of shared/penalty.h.

namespace mechane::solvers::featherstone {

namespace {

using namespace shared;
using dynamics::Forest;
using dynamics::Link;
using dynamics::Tree;
using model::JointType;

class Featherstone final : public Stepper {
  public:
    Featherstone(const model::Model& model, const SolverOptions& options, SolverChoice choice)
        : Stepper(model, options, std::move(choice))
    {
        configured();
        read_model();
    }
    [[nodiscard]] const Forest&    forest() const { return forest_; }
    [[nodiscard]] const Followers& followers() const { return followers_; }

    [[nodiscard]] std::vector<std::byte> save() const override
    {
        // With an interval of one the matrix is made in each step and nothing is handed on.
        if (interval_ == 1) return {};
        ByteWriter out;
        out.put(age_);
        out.put(rows_);
        out.put(pivots_);
        return out.bytes();
    }
    [[nodiscard]] bool restore(std::span<const std::byte> bytes) override
    {
        if (bytes.empty()) return interval_ == 1;
        ByteReader          in(bytes);
        std::int32_t        age = 0;
        std::vector<double> rows, pivots;
        in.get(age);
        in.get(rows);
        in.get(pivots);
        if (!in.done() || rows.size() != rows_.size() || pivots.size() != pivots_.size()) return false;
        age_ = age, rows_ = rows, pivots_ = pivots;
        return true;
    }
    void reset() override { age_ = 0; }
    void reset_worlds(std::span<const std::uint8_t>) override { age_ = 0; }

  protected:
    void configured() override
    {
        interval_ = static_cast<std::int32_t>(value("update_mass_matrix_interval"));
        damping_  = value("angular_damping");
        particles_.read(model_, value("soft_laws") != 0, value("enable_tri_contact") != 0);
    }
    void read_model() override
    {
        forest_ = dynamics::build_forest(model_);
        paths_  = dynamics::list_paths(forest_, true);
        motion_ = {};
        motion_.resize(forest_, model_.body_count());
        followers_ = find_followers(model_, forest_);
        rows_.assign(paths_.size(), 0);
        pivots_.assign(static_cast<std::size_t>(forest_.dof_count), 0);
        // Room per tree for a partial block of four: the solve reads and writes whole blocks.
        x_.assign(static_cast<std::size_t>(forest_.dof_count) + kLanes * forest_.trees.size() + kLanes, 0);
        carried_.assign(static_cast<std::size_t>(forest_.dof_count), 0);
        wrench_.assign(forest_.links.size(), {});
        age_ = 0;
        particles_.read(model_, value("soft_laws") != 0, value("enable_tri_contact") != 0);
    }
    void use(const model::Contacts* contacts) override { soft_contacts_ = contacts; }
    void load(const model::State& in, const model::Control&, double) override
    {
        particles_.load(model_, in);
        for (const std::int32_t b : forest_.prescribed) mirror_base(b);
        for (const Tree& tree : forest_.trees) {
            dynamics::load(model_, forest_, tree, in.joint_q, in.joint_qd, in.body_q, in.body_qd, {}, motion_);
        }
        place_followers(forest_, followers_, motion_);
        for (const Tree& tree : forest_.trees) move(tree);
        // update_mass_matrix_interval: the matrix is made anew in every n-th step only.
        starts_  = true;
        refresh_ = age_ == 0;
        age_     = (age_ + 1) % interval_;
    }
    void advance(const model::State& in, const model::Control& control, double h, StepReport&) override
    {
        bodies_.begin_forces(in);
        add_free_joint_forces(model_, control, bodies_);
        add_penalty_contacts(contacts_, weight_, bodies_, force_on_1_);
        particles_.find_forces(model_, in, control, soft_contacts_, h, bodies_);
        particles_.integrate(model_, h);
        // By link, since the recursions count links and not bodies.
        for (std::size_t l = 0; l < forest_.links.size(); ++l) wrench_[l] = bodies_.force[forest_.links[l].body];
        move_bases(h);
        tasks::for_chunks(options_.pool, forest_.trees.size(), 4, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t t = begin; t < end; ++t) find_acceleration(t, control, h);
        });
        solve_groups();
        tasks::for_chunks(options_.pool, forest_.trees.size(), 4, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t t = begin; t < end; ++t) integrate_tree(t, h);
        });
        place_followers(forest_, followers_, motion_);
        for (const Tree& tree : forest_.trees) move(tree);
        starts_ = false;
        // Between refreshes of the matrix all substeps use the one of the last.
        refresh_ = interval_ == 1;
    }
    std::int32_t find_lost_particles(std::vector<std::uint8_t>& faulty) const override
    { return particles_.find_lost(model_, faulty); }
    void list_springs(const model::Control& control, StepBound& out) override
    {
        const std::size_t bodies = model_.particle_count();
        add_contact_rows(contacts_, bodies_, bodies, out);
        add_joint_rows(model_, control, lay_out_joints(model_), 0, 0, bodies_, bodies, out);
        particles_.list_springs(model_, soft_contacts_, bodies_, out);
    }
    void publish(const model::State& /*in*/, model::State& out, double /*dt*/) override
    {
        bodies_.publish(faulty_, out);
        for (const Link& link : forest_.links) {
            if (link.free || link.joint < 0 || faulty_[static_cast<std::size_t>(model_.body_world[link.body] + 1)])
                continue;
            for (std::int32_t k = 0; k < link.coords; ++k)
                out.joint_q[model_.joint_q_start[link.joint] + k] = static_cast<Real>(motion_.q[link.coord + k]);
            for (std::int32_t k = 0; k < link.dofs; ++k)
                out.joint_qd[model_.joint_qd_start[link.joint] + k] = static_cast<Real>(motion_.v[link.dof + k]);
        }
        particles_.publish(model_, faulty_, out);
    }

  private:
    void mirror_base(std::int32_t b)
    {
        motion_.base_X[b]     = bodies_.X[b];
        motion_.base_twist[b] = bodies_.twist[b];
        motion_.base_com[b]   = bodies_.com_W(b);
    }
    /// Prescribed bodies go where they are commanded, the others stay.
    void move_bases(double h)
    {
        for (const std::int32_t b : forest_.prescribed) {
            const Spatiald& v = bodies_.commanded[b];
            if (!(v == Spatiald{})) {
                const Vec3d at = bodies_.com_W(b) + h * v.linear;
                bodies_.X[b].q = normalized(from_rotation_vector(h * v.angular) * bodies_.X[b].q);
                bodies_.X[b].p = at - rotate(bodies_.X[b].q, bodies_.com[b]);
            }
        }
    }
    /// Kinematics of a tree, and its bodies with them.
    void move(const Tree& tree)
    {
        if (const std::int32_t base = forest_.links[tree.link_begin].base; base >= 0) mirror_base(base);
        dynamics::forward_kinematics(forest_, tree, motion_);
        dynamics::turn_inertias(forest_, tree, motion_);
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
            bodies_.X[forest_.links[l].body]     = motion_.X_WB[l];
            bodies_.twist[forest_.links[l].body] = motion_.twist[l];
        }
    }
    /// Accelerations of a tree; whole blocks of four for the solve, and trees do not share one.
    double* acceleration(std::size_t t)
    { return x_.data() + forest_.trees[t].dof_begin + static_cast<std::ptrdiff_t>(kLanes * t); }
    /// Of a tree without followers; of the others the forces.
    void find_acceleration(std::size_t t, const model::Control& control, double h)
    {
        const Tree& tree = forest_.trees[t];
        const auto  n    = static_cast<std::size_t>(tree.dof_count());
        double*     x    = acceleration(t);
        dynamics::inverse_dynamics(forest_, tree, static_cast<Vec3d>(model_.gravity_of(tree.world)), wrench_, nullptr,
                                   motion_, {x, n});
        // Inverse dynamics gives what would hold the tree still; its negative is what accelerates it.
        for (std::size_t k = 0; k < n; ++k) x[k] = -x[k];
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l)
            add_joint_force(forest_.links[l], control, x - tree.dof_begin);
        if (starts_) add_carrying(tree, h, x);
        std::fill(x + n, x + n + kLanes, 0.0);
        const bool follow = followers_.tree_has[t] != 0;
        if (refresh_) {
            dynamics::mass_matrix(forest_, tree, paths_, motion_, rows_);
            for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
                if (forest_.model_dof[k] >= 0)
                    rows_[paths_.diagonal(k)] += static_cast<double>(model_.joint_armature[forest_.model_dof[k]]);
            if (!follow) dynamics::factor(tree, paths_, rows_, pivots_);
        }
        if (!follow) dynamics::solve_factored(tree, paths_, rows_, pivots_, x);
    }
    /// A prescribed body changes its velocity as a step begins. What hangs on it has rates relative to the body, and
    /// feels the change as the force against its own inertia that the joint has to transmit within the substep.
    void add_carrying(const Tree& tree, double h, double* x)
    {
        const std::int32_t base = forest_.links[tree.link_begin].base;
        if (!bodies_.changes(base)) return;
        const Vec3d             O = motion_.reference[static_cast<std::size_t>(&tree - forest_.trees.data())];
        const std::span<double> p(carried_.data() + tree.dof_begin, static_cast<std::size_t>(tree.dof_count()));
        dynamics::rigid_momentum(forest_, tree, shift_twist(bodies_.change[base], O - motion_.base_com[base]), motion_,
                                 p);
        for (std::size_t k = 0; k < p.size(); ++k) x[k] -= p[k] / h;
    }
    /// Trees of a group are neighbours.
    void solve_groups()
    {
        for (std::size_t begin = 0, end = 0; begin < forest_.trees.size(); begin = end) {
            for (end = begin; end < forest_.trees.size() && forest_.trees[end].group == forest_.trees[begin].group;)
                ++end;
            if (followers_.tree_has[begin])
                solve_with_followers(forest_, begin, end, paths_, followers_, rows_, scratch_,
                                     [&](std::size_t t) { return acceleration(t); });
        }
    }
    void integrate_tree(std::size_t t, double h)
    {
        const Tree&   tree = forest_.trees[t];
        const double* x    = acceleration(t);
        for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) motion_.v[k] += h * x[k - tree.dof_begin];
        dynamics::integrate(forest_, tree, motion_.v, h, motion_);
        // Angular damping acts on free roots only, as in Newton, whose joints have dampers of their own.
        for (std::int32_t l = tree.link_begin; damping_ > 0 && l < tree.link_end; ++l)
            for (int k = 3; forest_.links[l].free && k < 6; ++k)
                motion_.v[forest_.links[l].dof + k] *= 1 - damping_ * h;
    }
    /// Drives, limits, passive forces and joint_f of a link's joint; `tau` in forest numbering.
    void add_joint_force(const Link& link, const model::Control& control, double* tau) const
    {
        if (link.free || link.joint < 0) return;
        const bool ball = link.axes.type == JointType::ball;
        for (int k = 0; k < link.dofs; ++k) {
            const std::int32_t coord = model_.joint_q_start[link.joint] + k;
            const auto law = read_dof(model_, control, static_cast<std::size_t>(model_.joint_qd_start[link.joint] + k),
                                      ball ? -1 : coord);
            const double rate = motion_.v[link.dof + k];
            tau[link.dof + k] +=
                law.force + (ball ? -law.damping * rate : dof_force(law, motion_.q[link.coord + k], rate, false));
        }
    }

    Forest                 forest_;
    dynamics::Paths        paths_;
    dynamics::Motion       motion_;
    Followers              followers_;
    std::vector<double>    rows_, pivots_, x_;
    std::vector<double>    scratch_, carried_;
    std::vector<Spatiald>  wrench_;  ///< per link
    std::int32_t           interval_ = 1, age_ = 0;
    double                 damping_ = 0;
    SoftParticles          particles_;
    const model::Contacts* soft_contacts_ = nullptr;
    bool                   refresh_ = true, starts_ = false;  ///< starts_: in the first substep of a step
};

}  // namespace

Result<std::unique_ptr<Solver>> make(const model::Model& model, const SolverOptions& options, SolverChoice choice)
{
    auto made = std::make_unique<Featherstone>(model, options, std::move(choice));
    if (!made->forest().loops.empty()) {
        const std::int32_t j = made->forest().loops.front();
        return make_diagnostic(
            kSolverModel, {.prim = model.joint_label[j]},
            fmt::format("featherstone cannot close loops: {} joint{} of the model close{} one, the first is '{}'",
                        made->forest().loops.size(), made->forest().loops.size() == 1 ? "" : "s",
                        made->forest().loops.size() == 1 ? "s" : "", model.joint_label[j]),
            "Take softstep, xpbd or semi-implicit, or switch the joint off.");
    }
    if (const std::int32_t j = made->followers().misplaced; j >= 0)
        return make_diagnostic(kSolverModel, {.prim = model.joint_label[j]},
                               fmt::format("featherstone: joint '{}' follows one that is not in the same articulation",
                                           model.joint_label[j]),
                               "Put both into one articulation, or take softstep, xpbd or semi-implicit.");
    return std::unique_ptr<Solver>(std::move(made));
}

}  // namespace mechane::solvers::featherstone
