// State of the solver `mujoco` both ways, and its step.
//
// R_c is the rotation of the child's anchor in its body, R that of the body in the world.
//   free    qpos = (p, q) of the body frame; qvel = (v of the frame's origin, world axes; w, body axes), where ours is
//           (v of the centre of mass, w), both in world axes: v_origin = v - w x R com, w_B = R^T w.
//   ball    q_mj = R_c q R_c^-1, from the parent's anchor to the child's as a rotation of the body;
//           w_mj = R_c q^-1 w, in body axes, of w in the parent's anchor axes.
//   scalar  q + ref.
// MuJoCo computes in double. What it has stays there from step to step, as long as the caller's state is the one that
// the last step gave.

#include <algorithm>
#include <cmath>

#include "mechane/dynamics/kinematics.h"
#include "mechane/tasks/parallel.h"
#include "solvers/mujoco/over_mujoco.h"
#include "solvers/shared/joints.h"

namespace mechane::solvers::mujoco {

void OverMujoco::list_state(const Instance& instance, const model::State& state, std::vector<Real>& out) const
{
    out.clear();
    for (const LinkPlace& at : instance.part.links) {
        const Link& l = link(at.link);
        if (l.from_body) {
            const Pose&    X = state.body_q[static_cast<std::size_t>(l.body)];
            const Spatial& v = state.body_qd[static_cast<std::size_t>(l.body)];
            // Bodies without a joint of their own have their state in the body arrays.
            for (const Real x : {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w, v.linear.x, v.linear.y, v.linear.z,
                                 v.angular.x, v.angular.y, v.angular.z})
                out.push_back(x);
        }
        if (l.joint < 0) continue;
        const auto q = state.joint_q.begin(), v = state.joint_qd.begin();
        out.insert(out.end(), q + model_.joint_q_start[l.joint], q + model_.joint_q_start[l.joint + 1]);
        out.insert(out.end(), v + model_.joint_qd_start[l.joint], v + model_.joint_qd_start[l.joint + 1]);
    }
}

void OverMujoco::push(Instance& instance, const model::State& in)
{
    for (const std::int32_t t : instance.part.trees)
        dynamics::load(model_, forest_, forest_.trees[static_cast<std::size_t>(t)], in.joint_q, in.joint_qd, in.body_q,
                       in.body_qd, {}, motion_);
    const Numbers&   n  = instance.world->numbers();
    const Addresses& at = instance.compiled->addresses();
    for (const LinkPlace& s : instance.part.links) {
        if (s.joints == 0) continue;
        const Link&   l    = link(s.link);
        const double* q    = motion_.q.data() + l.coord;
        const double* v    = motion_.v.data() + l.dof;
        const auto    j    = static_cast<std::size_t>(s.joint);
        double*       qpos = n.qpos.data() + at.qpos[j];
        double*       qvel = n.qvel.data() + at.qvel[j];
        if (l.free) {
            const Quatd R{q[3], q[4], q[5], q[6]};
            // v_origin = v_com - w x R com; MuJoCo's angular velocity is in body axes.
            const Vec3d w{v[3], v[4], v[5]}, origin = Vec3d{v[0], v[1], v[2]} - cross(w, rotate(R, l.com)),
                                             w_B = rotate_inverse(R, w);
            std::copy_n(q, 3, qpos);
            qpos[3] = R.w, qpos[4] = R.x, qpos[5] = R.y, qpos[6] = R.z;
            qvel[0] = origin.x, qvel[1] = origin.y, qvel[2] = origin.z;
            qvel[3] = w_B.x, qvel[4] = w_B.y, qvel[5] = w_B.z;
        } else if (l.axes.type == model::JointType::ball) {
            const Quatd turn{q[0], q[1], q[2], q[3]}, own = l.X_CJ.q * turn * conjugate(l.X_CJ.q);
            // The joint's rate is along the parent anchor's axes; MuJoCo wants it in the child's body axes.
            const Vec3d w = rotate(l.X_CJ.q, rotate_inverse(turn, Vec3d{v[0], v[1], v[2]}));
            qpos[0] = own.w, qpos[1] = own.x, qpos[2] = own.y, qpos[3] = own.z;
            qvel[0] = w.x, qvel[1] = w.y, qvel[2] = w.z;
        } else {
            for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k) {
                n.qpos[static_cast<std::size_t>(at.qpos[j + k])] = q[k] + instance.part.what.joints[j + k].ref;
                n.qvel[static_cast<std::size_t>(at.qvel[j + k])] = v[k];
            }
        }
    }
}

void OverMujoco::write_led(Instance& instance) const
{
    const Numbers&   n  = instance.world->numbers();
    const Addresses& at = instance.compiled->addresses();
    for (const LedPlace& led : instance.part.led) {
        const auto      b      = static_cast<std::size_t>(led.body);
        const Posed&    X      = bodies_.X[b];
        const Spatiald& v      = bodies_.twist[b];
        const Vec3d     origin = v.linear - cross(v.angular, rotate(X.q, bodies_.com[b])),
                        w      = rotate_inverse(X.q, v.angular);
        double*         qpos   = n.qpos.data() + at.qpos[static_cast<std::size_t>(led.joint)];
        double*         qvel   = n.qvel.data() + at.qvel[static_cast<std::size_t>(led.joint)];
        qpos[0] = X.p.x, qpos[1] = X.p.y, qpos[2] = X.p.z;
        qpos[3] = X.q.w, qpos[4] = X.q.x, qpos[5] = X.q.y, qpos[6] = X.q.z;
        qvel[0] = origin.x, qvel[1] = origin.y, qvel[2] = origin.z;
        qvel[3] = w.x, qvel[4] = w.y, qvel[5] = w.z;
    }
}

/// A led body changes its velocity as a step begins. MuJoCo is told the new one, but not of the change. What hangs on
/// the body has rates relative to it, and feels the change as a force against its own inertia, over one substep of `h`.
void OverMujoco::list_kicks(Instance& instance, double h)
{
    instance.kicks.clear();
    for (const std::int32_t t : instance.part.trees) {
        const Tree&        tree = forest_.trees[static_cast<std::size_t>(t)];
        const std::int32_t base = link(tree.link_begin).base;
        if (!bodies_.changes(base)) continue;
        const auto b = static_cast<std::size_t>(base);
        dynamics::forward_kinematics(forest_, tree, motion_);
        dynamics::turn_inertias(forest_, tree, motion_);
        const Vec3d O = motion_.reference[static_cast<std::size_t>(t)];
        dynamics::rigid_momentum(
            forest_, tree, shift_twist(bodies_.change[b], O - motion_.base_com[b]), motion_,
            {carried_.data() + tree.dof_begin, static_cast<std::size_t>(tree.dof_end - tree.dof_begin)});
        for (const LinkPlace& s : instance.part.links) {
            const Link& l = link(s.link);
            if (l.tree != t || s.joints == 0) continue;
            const double* p  = carried_.data() + l.dof;
            const auto*   at = instance.compiled->addresses().qvel.data() + s.joint;
            if (l.axes.type == model::JointType::ball) {
                const double* q = motion_.q.data() + l.coord;
                const Vec3d   of_ball =
                    rotate(l.X_CJ.q, rotate_inverse(Quatd{q[0], q[1], q[2], q[3]}, Vec3d{p[0], p[1], p[2]}));
                const double turned[] = {of_ball.x, of_ball.y, of_ball.z};
                for (std::size_t k = 0; k < 3; ++k)
                    instance.kicks.emplace_back(static_cast<std::size_t>(at[0]) + k, -turned[k] / h);
            } else {
                for (std::int32_t k = 0; k < s.joints; ++k)
                    instance.kicks.emplace_back(static_cast<std::size_t>(at[k]), -p[k] / h);
            }
        }
    }
}

/// An mjModel has one gravity. Bodies of another world, or of none, that are in it feel theirs as a force.
void OverMujoco::list_pulls(Instance& instance) const
{
    instance.pulls.clear();
    bool        any = false;
    const Vec3d own = instance.part.what.option.gravity;
    for (const LinkPlace& s : instance.part.links) {
        const Link&     l    = link(s.link);
        const BodyItem& item = instance.part.what.bodies[static_cast<std::size_t>(s.body)];
        const Vec3d     more = static_cast<Vec3d>(model_.gravity_of(model_.body_world[l.body])) - own;
        instance.pulls.push_back(item.mass * (1 - item.gravcomp) * more);
        any = any || !(more == Vec3d{});
    }
    if (!any) instance.pulls.clear();
}

void OverMujoco::write_forces(Instance& instance, const model::Control& control) const
{
    const Numbers&   n       = instance.world->numbers();
    const Addresses& at      = instance.compiled->addresses();
    const auto&      joint_f = control.joint_f.empty() ? model_.joint_f : control.joint_f;
    const auto       force   = [&](std::size_t dof) {
        const auto f = static_cast<double>(joint_f[dof]);
        // A force that is not finite is left out, as by the other solvers.
        return std::isfinite(f) ? f : 0.0;
    };
    for (const LinkPlace& s : instance.part.links) {
        const Link&     l = link(s.link);
        const Spatiald& f = bodies_.force[static_cast<std::size_t>(l.body)];
        double*         x = n.xfrc_applied.data() + 6 * at.body[static_cast<std::size_t>(s.body)];
        x[0] = f.linear.x, x[1] = f.linear.y, x[2] = f.linear.z;
        x[3] = f.angular.x, x[4] = f.angular.y, x[5] = f.angular.z;
        if (!instance.pulls.empty()) {
            const Vec3d& more = instance.pulls[static_cast<std::size_t>(&s - instance.part.links.data())];
            x[0] += more.x, x[1] += more.y, x[2] += more.z;
        }
        if (s.joints == 0 || l.free) continue;
        const auto dof = static_cast<std::size_t>(model_.joint_qd_start[l.joint]);
        const auto j   = static_cast<std::size_t>(s.joint);
        if (l.axes.type == model::JointType::ball) {
            const double* q  = motion_.q.data() + l.coord;
            const Vec3d   t  = rotate(l.X_CJ.q, rotate_inverse(Quatd{q[0], q[1], q[2], q[3]},
                                                               Vec3d{force(dof), force(dof + 1), force(dof + 2)}));
            double*       to = n.qfrc_applied.data() + at.qvel[j];
            to[0] = t.x, to[1] = t.y, to[2] = t.z;
        } else {
            for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k)
                n.qfrc_applied[static_cast<std::size_t>(at.qvel[j + k])] = force(dof + k);
        }
    }
}

void OverMujoco::write_controls(Instance& instance, const model::Control& control) const
{
    const Numbers&   n       = instance.world->numbers();
    const Addresses& at      = instance.compiled->addresses();
    const auto&      targets = control.joint_target_q.empty() ? model_.joint_target_q : control.joint_target_q;
    const auto&      rates   = control.joint_target_qd.empty() ? model_.joint_target_qd : control.joint_target_qd;
    const auto       sound   = [](double value, double otherwise) { return std::isfinite(value) ? value : otherwise; };
    // Controls of actuators that no drive stands for: the caller's, else those of the control or the model.
    const model::CustomArray* own    = control.custom_arrays.find("mujoco:ctrl");
    const auto                direct = [&](std::size_t row) {
        if (row < direct_.size()) return direct_[row];
        return direct_.empty() && own != nullptr && row < own->size() ? own->at(row)[0] : 0.0;
    };
    for (const ControlPlace& c : instance.part.controls) {
        double&    to  = n.ctrl[static_cast<std::size_t>(at.ctrl[static_cast<std::size_t>(c.actuator)])];
        const auto row = static_cast<std::size_t>(c.at);
        if (c.source == ControlPlace::Source::direct) {
            to = sound(direct(row), to);
        } else if (c.axis < 0) {
            // Targets that are not finite leave the control as it is.
            to = c.source == ControlPlace::Source::position ? sound(static_cast<double>(targets[row]) + c.ref, to)
                                                            : sound(static_cast<double>(rates[row]), to);
        } else {
            const Link& l = link(c.link);
            Vec3d       value;
            if (c.source == ControlPlace::Source::position) {
                const Quatd q =
                    normalized(Quatd{static_cast<double>(targets[row]), static_cast<double>(targets[row + 1]),
                                     static_cast<double>(targets[row + 2]), static_cast<double>(targets[row + 3])});
                value = rotate(l.X_CJ.q, to_rotation_vector(q));
            } else {
                const auto    first = static_cast<std::size_t>(model_.joint_qd_start[l.joint]);
                const double* q     = motion_.q.data() + l.coord;
                value               = rotate(l.X_CJ.q, rotate_inverse(Quatd{q[0], q[1], q[2], q[3]},
                                                                      Vec3d{static_cast<double>(rates[first]),
                                                                            static_cast<double>(rates[first + 1]),
                                                                            static_cast<double>(rates[first + 2])}));
            }
            to = sound(value[static_cast<std::size_t>(c.axis)], to);
        }
    }
}

void OverMujoco::load(const model::State& in, const model::Control& control, double dt)
{
    if (!goes_on(in)) given_q_.clear(), given_qd_.clear();  // `bodies_` holds another state by now
    for (const std::int32_t b : forest_.prescribed) mirror_base(b);
    bodies_.begin_forces(in);
    shared::add_free_joint_forces(model_, control, bodies_);
    const double h = dt / options_.substeps;
    carried_.resize(static_cast<std::size_t>(forest_.dof_count));
    for (Instance& instance : instances_) {
        instance.compiled->set_time_step(h);
        instance.broken = false;
    }
    moving_ = false;
    tasks::for_chunks(options_.pool, instances_.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t s = begin; s < end; ++s) {
            Instance& instance = instances_[s];
            list_state(instance, in, instance.now);
            if (instance.last.empty() || instance.now.size() != instance.last.size() ||
                // If the state is bit for bit what the last step published, MuJoCo's own numbers in double go on.
                std::memcmp(instance.now.data(), instance.last.data(), instance.now.size() * sizeof(Real)) != 0)
                push(instance, in);
            write_forces(instance, control);
            list_kicks(instance, h);
            write_controls(instance, control);
        }
    });
}

void OverMujoco::advance(const model::State&, const model::Control&, double h, StepReport&)
{
    const bool given = !convert_.mujoco_contacts;
    if (given && !moving_) list_contacts();
    tasks::for_chunks(options_.pool, instances_.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t s = begin; s < end; ++s) {
            Instance& instance = instances_[s];
            if (instance.broken) continue;
            write_led(instance);
            if (!moving_)
                for (const auto& [dof, force] : instance.kicks) instance.world->numbers().qfrc_applied[dof] += force;
            // Within a step contacts keep their points on the bodies and are placed anew in each substep.
            if (given) {
                if (moving_) pull(instance);
                place_contacts(instance);
                // What does not touch does not push.
                find_touching(instance);
                instance.outcome = instance.world->step(instance.touching);
            } else {
                instance.outcome = instance.world->step();
            }
            if (!moving_)
                for (const auto& [dof, force] : instance.kicks) instance.world->numbers().qfrc_applied[dof] -= force;
            instance.broken = instance.outcome.failed || instance.outcome.unstable;
        }
    });
    if (given) torque_on_1_.resize(contacts_.size());
    if (given)
        for (Instance& instance : instances_)
            for (std::size_t k = 0; !instance.broken && k < instance.touching.size(); ++k) {
                const std::size_t row = instance.given_row[instance.touching_of[k]];
                // Weighted by the share of the substep: the step's force is the mean.
                force_on_1_[row] += weight_ * instance.touching[k].force;
                torque_on_1_[row] += weight_ * instance.touching[k].torque;
            }
    for (const std::int32_t b : forest_.prescribed) {
        const Spatiald& v = bodies_.commanded[static_cast<std::size_t>(b)];
        if (v == Spatiald{}) continue;
        Posed&      X  = bodies_.X[static_cast<std::size_t>(b)];
        const Vec3d at = bodies_.com_W(b) + h * v.linear;
        X.q            = normalized(from_rotation_vector(h * v.angular) * X.q);
        X.p            = at - rotate(X.q, bodies_.com[static_cast<std::size_t>(b)]);
        mirror_base(b);
    }
    moving_ = true;
}

void OverMujoco::pull(Instance& instance)
{
    const Numbers&   n  = instance.world->numbers();
    const Addresses& at = instance.compiled->addresses();
    for (const LinkPlace& s : instance.part.links) {
        if (s.joints == 0) continue;
        const Link&   l    = link(s.link);
        double*       q    = motion_.q.data() + l.coord;
        double*       v    = motion_.v.data() + l.dof;
        const auto    j    = static_cast<std::size_t>(s.joint);
        const double* qpos = n.qpos.data() + at.qpos[j];
        const double* qvel = n.qvel.data() + at.qvel[j];
        if (l.free) {
            const Quatd R{qpos[4], qpos[5], qpos[6], qpos[3]};
            const Vec3d w   = rotate(R, Vec3d{qvel[3], qvel[4], qvel[5]});
            const Vec3d com = Vec3d{qvel[0], qvel[1], qvel[2]} + cross(w, rotate(R, l.com));
            std::copy_n(qpos, 3, q);
            q[3] = R.x, q[4] = R.y, q[5] = R.z, q[6] = R.w;
            v[0] = com.x, v[1] = com.y, v[2] = com.z, v[3] = w.x, v[4] = w.y, v[5] = w.z;
        } else if (l.axes.type == model::JointType::ball) {
            const Quatd own{qpos[1], qpos[2], qpos[3], qpos[0]}, turn = conjugate(l.X_CJ.q) * own * l.X_CJ.q;
            const Vec3d w = rotate(turn, rotate_inverse(l.X_CJ.q, Vec3d{qvel[0], qvel[1], qvel[2]}));
            q[0] = turn.x, q[1] = turn.y, q[2] = turn.z, q[3] = turn.w;
            v[0] = w.x, v[1] = w.y, v[2] = w.z;
        } else {
            for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k) {
                q[k] = n.qpos[static_cast<std::size_t>(at.qpos[j + k])] - instance.part.what.joints[j + k].ref;
                v[k] = n.qvel[static_cast<std::size_t>(at.qvel[j + k])];
            }
        }
    }
    for (const std::int32_t t : instance.part.trees) {
        const Tree& tree = forest_.trees[static_cast<std::size_t>(t)];
        dynamics::forward_kinematics(forest_, tree, motion_);
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
            const auto b     = static_cast<std::size_t>(forest_.links[static_cast<std::size_t>(l)].body);
            bodies_.X[b]     = motion_.X_WB[static_cast<std::size_t>(l)];
            bodies_.twist[b] = motion_.twist[static_cast<std::size_t>(l)];
        }
    }
}

void OverMujoco::arrive(const model::Control&, double, StepReport& report)
{
    tasks::for_chunks(options_.pool, instances_.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t s = begin; s < end; ++s)
            if (!instances_[s].broken) pull(instances_[s]);
    });
    for (Instance& instance : instances_) {
        if (instance.broken) {
            set_faulty(instance);
            if (report.culprit.empty())
                report.culprit =
                    // The world is as before the step; its memory is dropped.
                    instance.outcome.failed
                        ? "mujoco: " + instance.outcome.text
                        : "mujoco: a number left all bounds; take smaller steps, or softer drives and contacts";
            forget(instance);
            continue;
        }
        const World::Rows rows = instance.world->rows();
        report.limit_rows += rows.limits;
        report.loop_rows += rows.equalities;
        if (convert_.mujoco_contacts) {
            report.contact_rows += rows.contacts;
            report.deepest_penetration = std::max(report.deepest_penetration, rows.deepest);
        }
        if (instance.outcome.full && report.culprit.empty())
            report.culprit = "mujoco: contacts found no room in its buffers and were left out";
    }
    if (observables_ != nullptr) {
        observables_->body_qdd.assign(model_.body_count(), {});
        observables_->body_parent_f.assign(model_.body_count(), {});
        observables_->joint_drive_f.assign(model_.joint_dof_count(), 0);
        observables_->body_awake.assign(model_.body_count(), 1);
        for (Instance& instance : instances_)
            if (!instance.broken) observe(instance);
    }
}

void OverMujoco::observe(Instance& instance)
{
    // mj_rnePostConstraint computes what joints transmit; only asked for if somebody observes.
    if (instance.world->prepare_inner_forces().failed) return;
    const Numbers&   n  = instance.world->numbers();
    const Addresses& at = instance.compiled->addresses();
    for (const LinkPlace& s : instance.part.links) {
        const Link& l = link(s.link);
        Spatiald    a, f;
        instance.world->inner_forces(s.body, a, f);
        observables_->body_qdd[static_cast<std::size_t>(l.body)] = static_cast<Spatial>(a);
        if (!l.free) observables_->body_parent_f[static_cast<std::size_t>(l.body)] = static_cast<Spatial>(f);
        if (l.free || l.axes.type == model::JointType::ball) continue;
        for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k)
            observables_->joint_drive_f[static_cast<std::size_t>(model_.joint_qd_start[l.joint]) + k] =
                static_cast<Real>(
                    n.qfrc_actuator[static_cast<std::size_t>(at.qvel[static_cast<std::size_t>(s.joint) + k])]);
    }
}

void OverMujoco::publish(const model::State& /*in*/, model::State& out, double /*dt*/)
{
    const auto left_out = [&](std::int32_t world) { return faulty_[static_cast<std::size_t>(world + 1)] != 0; };
    for (const Link& l : forest_.links) {
        if (left_out(model_.body_world[l.body])) continue;
        const auto b   = static_cast<std::size_t>(l.body);
        out.body_q[b]  = static_cast<Pose>(bodies_.X[b]);
        out.body_qd[b] = static_cast<Spatial>(bodies_.twist[b]);
        if (l.free) continue;
        for (std::int32_t k = 0; k < l.coords; ++k)
            out.joint_q[model_.joint_q_start[l.joint] + k] = static_cast<Real>(motion_.q[l.coord + k]);
        for (std::int32_t k = 0; k < l.dofs; ++k)
            out.joint_qd[model_.joint_qd_start[l.joint] + k] = static_cast<Real>(motion_.v[l.dof + k]);
    }
    for (const std::int32_t b : forest_.prescribed) {
        const auto i = static_cast<std::size_t>(b);
        if (!left_out(model_.body_world[b]) && bodies_.kinematic[i]) bodies_.publish_kinematic(i, out);
    }
    for (const std::int32_t j : other_joints_) {
        if (left_out(model_.joint_world[j])) continue;
        const auto motion = [&](std::int32_t b) {
            return b < 0 ? dynamics::BodyMotion{}
                         : dynamics::BodyMotion{bodies_.X[static_cast<std::size_t>(b)],
                                                bodies_.twist[static_cast<std::size_t>(b)]};
        };
        dynamics::joint_state(model_, j, motion(model_.joint_parent[j]), motion(model_.joint_child[j]), out.joint_q,
                              out.joint_qd, true);
    }
    const bool sound = std::find(faulty_.begin(), faulty_.end(), 1) == faulty_.end();
    given_q_.clear(), given_qd_.clear();
    if (sound && forest_.prescribed.empty()) given_q_ = out.body_q, given_qd_ = out.body_qd;
    for (Instance& instance : instances_)
        // What is published now is what the next step compares with.
        if (!instance.broken && instance.world != nullptr) list_state(instance, out, instance.last);
}

std::vector<double> OverMujoco::dof_forces(std::string_view kind) const
{
    std::vector<double> out(model_.joint_dof_count(), 0.0);
    for (const Instance& instance : instances_) {
        const Numbers&            n = instance.world->numbers();
        const std::vector<double> friction =
            kind == "frictionloss" ? instance.world->friction_forces() : std::vector<double>{};
        const double* const from = kind == "actuator"     ? n.qfrc_actuator.data()
                                   : kind == "bias"       ? n.qfrc_bias.data()
                                   : kind == "constraint" ? n.qfrc_constraint.data()
                                                          : friction.data();
        for (const LinkPlace& s : instance.part.links) {
            const Link& l = link(s.link);
            if (s.joints == 0 || l.joint < 0) continue;
            const double* f  = from + instance.compiled->addresses().qvel[static_cast<std::size_t>(s.joint)];
            double*       to = out.data() + model_.joint_qd_start[l.joint];
            const double* q  = motion_.q.data() + l.coord;
            if (l.free) {
                const Quatd R{q[3], q[4], q[5], q[6]};
                const Vec3d force{f[0], f[1], f[2]},
                    torque = rotate(R, Vec3d{f[3], f[4], f[5]}) - cross(rotate(R, l.com), force);
                to[0] = force.x, to[1] = force.y, to[2] = force.z;
                to[3] = torque.x, to[4] = torque.y, to[5] = torque.z;
            } else if (l.axes.type == model::JointType::ball) {
                const Vec3d t =
                    rotate(Quatd{q[0], q[1], q[2], q[3]}, rotate_inverse(l.X_CJ.q, Vec3d{f[0], f[1], f[2]}));
                to[0] = t.x, to[1] = t.y, to[2] = t.z;
            } else {
                const Addresses& at = instance.compiled->addresses();
                for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k)
                    to[k] = from[at.qvel[static_cast<std::size_t>(s.joint) + k]];
            }
        }
    }
    return out;
}

}  // namespace mechane::solvers::mujoco
