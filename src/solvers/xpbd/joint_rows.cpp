// Joints for xpbd: six rows a joint in the axes of the parent's anchor, distances, and joints that follow another.
// Errors [m, rad], impulses [N s, N m s].
// Called by xpbd.cpp for each joint in each pass; bodies are read only, corrections are collected.

#include "solvers/xpbd/joint_rows.h"

#include <algorithm>
#include <cmath>

#include "solvers/xpbd/small_factor.h"

// A row with error C, rate C', compliance a [m/N] and damping d [N s/m] of the spring, w = J M^-1 J^T:
//   dl = -(C + a l/h + a d C') / ((h + a d) w + a/h),
// with l the impulse that the row has given in this step. At dl = 0 the force l/h is -(C/a + d C'), the spring's, in
// however many passes it is reached. Newton 1.8 takes l = 0 in every pass: each one drives anew, and the drive becomes
// stiffer with the number of passes.

namespace mechane::solvers::xpbd {

namespace {

using namespace shared;

constexpr double kClose = 1e-9;  ///< [m]: nothing to correct

/// Error of a row with what makes it yield.
struct Spring {
    double error = 0, rate = 0, compliance = 0, damping = 0;
    bool   drive = false;
};

double correction(const Spring& s, double w, double given, double h)
{
    const double gamma = s.compliance * s.damping, down = (h + gamma) * w + s.compliance / h;
    if (!(down > 0)) return 0;
    return -(s.error + s.compliance * given / h + gamma * s.rate) / down;
}

/// A coordinate against its limits and its drive; the drive is off outside of the limits.
Spring spring_of(const JointCoordinate& c, const DofForces& law, double compliance)
{
    Spring out{0, c.rate - law.target_qd, compliance, 0, false};
    // A limit wins over the drive; beyond it the row is as stiff as a fixed axis.
    if (c.value < law.lower) {
        out.error = c.value - law.lower;
    } else if (c.value > law.upper) {
        out.error = c.value - law.upper;
    } else if (law.ke > 0) {
        out = {c.value - std::clamp(law.target_q, law.lower, law.upper), out.rate, 1 / law.ke, law.kd, true};
    } else if (law.kd > 0) {
        // A pure damper: error 0, compliance 1/kd and damping kd, so that a d = 1 and the force is -kd C'.
        out = {0, out.rate, 1 / law.kd, law.kd, true};
    } else {
        out.compliance = 0;
    }
    return out;
}

/// Where the parent's side of a linear row acts: the admissible place of the child's anchor, which leaves valid
/// extension in the lever and an error out of it.
Vec3d admissible(const JointLayout& joint, const JointPlace& at, const model::Model& m, const model::Control& control)
{
    Vec3d p = at.X_WP.p;
    for (const JointCoordinate& c : at.linear) {
        if (c.dof < 0) continue;
        const DofForces law = read_dof(m, control, static_cast<std::size_t>(joint.qd + c.dof), joint.q + c.dof);
        double          q   = std::min(std::max(c.value, law.lower), law.upper);
        if (law.ke > 0 && q == c.value) q = std::clamp(law.target_q, law.lower, law.upper);
        p += q * c.row;
    }
    return p;
}

}  // namespace

std::vector<JointCrowd> crowds_of(const std::vector<JointLayout>& joints, const Bodies& bodies)
{
    // What a body gives way to a force and to a torque at each of its joints, as a mean over the directions.
    struct Yield {
        double linear = 0, angular = 0;
    };
    const auto yield_of = [&](std::int32_t b, const Posed& anchor) -> Yield {
        if (b < 0 || bodies.inv_mass[static_cast<std::size_t>(b)] == 0) return {};
        const auto    i       = static_cast<std::size_t>(b);
        const Mat33d& I       = bodies.inv_inertia[i];
        const Vec3d   r       = anchor.p - bodies.com[i];
        double        turning = 0;
        for (const Vec3d& e : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
            const Vec3d lever = cross(r, e);
            turning += dot(lever, I * lever);
        }
        return {bodies.inv_mass[i] + turning / 3, (I.r0.x + I.r1.y + I.r2.z) / 3};
    };
    const model::Model&               m = *bodies.model;
    std::vector<std::array<Yield, 2>> part(joints.size());  // of the parent and of the child, together 1
    std::vector<Yield>                sum(bodies.inv_mass.size());
    const auto                        body_of = [&](std::size_t i, std::size_t side) {
        const auto j = static_cast<std::size_t>(joints[i].joint);
        return side == 0 ? m.joint_parent[j] : m.joint_child[j];
    };
    const auto each_side = [&](auto&& act) {
        for (std::size_t i = 0; i < joints.size(); ++i)
            for (std::size_t side = 0; side < 2; ++side)
                if (const std::int32_t b = body_of(i, side); b >= 0) act(i, side, static_cast<std::size_t>(b));
    };
    for (std::size_t i = 0; i < joints.size(); ++i) {
        const Yield p = yield_of(body_of(i, 0), joints[i].X_P), c = yield_of(body_of(i, 1), joints[i].X_C);
        const auto  of = [](double one, double other) { return one > 0 ? std::sqrt(one / (one + other)) : 0; };
        part[i][0]     = {of(p.linear, c.linear), of(p.angular, c.angular)};
        part[i][1]     = {of(c.linear, p.linear), of(c.angular, p.angular)};
    }
    each_side([&](std::size_t i, std::size_t side, std::size_t b) {
        sum[b].linear += part[i][side].linear, sum[b].angular += part[i][side].angular;
    });
    std::vector<JointCrowd> out(joints.size());
    each_side([&](std::size_t i, std::size_t side, std::size_t b) {
        const Yield& own = part[i][side];
        out[i].linear += own.linear * (sum[b].linear - own.linear);
        out[i].angular += own.angular * (sum[b].angular - own.angular);
    });
    return out;
}

JointSettings bounded(const JointSettings& settings, const JointCrowd& crowd)
{
    constexpr double kMost = 1.9;  // below 2, where a pass takes back as much as it should and once more
    const double     asked =
        std::max(settings.linear_relaxation * crowd.linear, settings.angular_relaxation * crowd.angular);
    if (!(asked > kMost)) return settings;
    JointSettings out = settings;
    out.linear_relaxation *= kMost / asked;
    out.angular_relaxation *= kMost / asked;
    return out;
}

JointPush solve_joint(const JointLayout& joint, const JointPlace& at, const Bodies& bodies,
                      const model::Control& control, const JointSettings& settings, double h, JointMemory& memory)
{
    const model::Model& m = *bodies.model;
    JointPush           out;
    const Vec3d         r_p = at.parent < 0 ? Vec3d{} : admissible(joint, at, m, control) - bodies.com_W(at.parent);
    for (std::size_t k = 0; k < 6; ++k) {
        const bool             linear = k < 3;
        const JointCoordinate& c      = linear ? at.linear[k] : at.angular[k - 3];
        // Rotations of balls are free: the three rows that follow are theirs.
        if (!linear && joint.turn == JointLayout::Turn::ball) break;
        const double compliance = linear ? settings.linear_compliance : settings.angular_compliance;
        const Row row = linear ? Row{at.parent, at.child, {-c.row, -cross(r_p, c.row)}, {c.row, cross(at.r_c, c.row)}}
                               : Row{at.parent, at.child, {{}, -c.row}, {{}, c.row}};
        Spring    spring{c.value, rate_of(row, bodies), compliance, 0, false};
        if (c.dof >= 0) {
            JointCoordinate moving = c;
            moving.rate            = spring.rate;
            spring                 = spring_of(
                moving, read_dof(m, control, static_cast<std::size_t>(joint.qd + c.dof), joint.q + c.dof), compliance);
            if (!spring.drive && spring.error == 0) continue;
        }
        if (std::abs(spring.error) <= kClose && std::abs(spring.rate) <= kClose) continue;
        const double w     = inverse_effective_mass(row, bodies);
        const double given = spring.drive && settings.accumulate ? memory[k] : 0;
        const double step =
            correction(spring, w, given, h) * (linear ? settings.linear_relaxation : settings.angular_relaxation);
        if (spring.drive) memory[k] += step;
        // As in Newton 1.8, the angular effect of a linear row is relaxed as angles are.
        const double turn = linear && settings.linear_relaxation > 0
                                ? step * (settings.angular_relaxation / settings.linear_relaxation)
                                : step;
        out.parent += Spatiald{step * row.on_a.linear, turn * row.on_a.angular};
        out.child += Spatiald{step * row.on_b.linear, turn * row.on_b.angular};
    }
    return out;
}

JointSystem system_of(const JointLayout& joint, const JointPlace& at, const Bodies& bodies,
                      const model::Control& control, const JointSettings& settings, double h, const JointMemory& memory)
{
    const model::Model& m = *bodies.model;
    JointSystem         out;
    const Vec3d         r_p = at.parent < 0 ? Vec3d{} : admissible(joint, at, m, control) - bodies.com_W(at.parent);
    for (std::size_t k = 0; k < 6; ++k) {
        const bool             linear = k < 3;
        const JointCoordinate& c      = linear ? at.linear[k] : at.angular[k - 3];
        if (!linear && joint.turn == JointLayout::Turn::ball) break;
        const Row row = linear ? Row{at.parent, at.child, {-c.row, -cross(r_p, c.row)}, {c.row, cross(at.r_c, c.row)}}
                               : Row{at.parent, at.child, {{}, -c.row}, {{}, c.row}};
        const double compliance = linear ? settings.linear_compliance : settings.angular_compliance;
        Spring       spring{c.value, rate_of(row, bodies), compliance, 0, false};
        const bool   free = c.dof >= 0;
        if (free) {
            JointCoordinate moving = c;
            moving.rate            = spring.rate;
            spring                 = spring_of(
                moving, read_dof(m, control, static_cast<std::size_t>(joint.qd + c.dof), joint.q + c.dof), compliance);
            if (!spring.drive && spring.error == 0) continue;
        }
        const double      gamma = spring.compliance * spring.damping, part = h / (h + gamma);
        const std::size_t n = out.count++;
        out.row[n]          = row;
        out.of[n]           = k;
        out.stop[n]         = free && !spring.drive;
        out.error[n]        = spring.error;
        out.softness[n]     = spring.compliance / (h + gamma);
        out.asked[n]        = -part * (spring.error + spring.compliance * memory[k] / h + gamma * spring.rate);
    }
    return out;
}

bool JointSystem::let_go(std::array<double, 6>& x)
{
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (!stop[i] || off[i] || !(x[i] * error[i] > 0)) continue;
        off[i] = any = true;
        x[i]         = 0;
    }
    return any;
}

namespace {

/// M^-1 J^T of one side of a row: what an impulse along it does to the body.
Spatiald yield(const Bodies& bodies, std::int32_t b, const Spatiald& j)
{ return {bodies.inverse_mass(b) * j.linear, bodies.inverse_inertia_times(b, j.angular)}; }

/// Impulses x of the rows with (h J M^-1 J^T + softness) x = asked; rows that are off take none.
Six impulses_of(const JointSystem& of, const Bodies& bodies, double h)
{
    Square system{};
    Six    asked{};
    for (std::size_t i = 0; i < of.count; ++i) {
        if (of.off[i]) continue;
        asked[i]         = of.asked[i];
        const Spatiald a = yield(bodies, of.row[i].a, of.row[i].on_a), b = yield(bodies, of.row[i].b, of.row[i].on_b);
        for (std::size_t j = 0; j <= i; ++j)
            if (!of.off[j]) system[i][j] = system[j][i] = h * (dot(a, of.row[j].on_a) + dot(b, of.row[j].on_b));
        system[i][i] += of.softness[i];
    }
    SmallFactor factor;
    factor.make(system, of.count);
    return factor.solve(asked);
}

}  // namespace

void hold_joint(const JointLayout& joint, const JointPlace& at, const model::Control& control,
                const JointSettings& settings, double h, JointMemory& memory, Bodies& bodies)
{
    JointSystem           system = system_of(joint, at, bodies, control, settings, h, memory);
    std::array<double, 6> x      = impulses_of(system, bodies, h);
    // The other rows may take a body out of a limit by themselves: then the limit would pull.
    while (system.let_go(x)) x = impulses_of(system, bodies, h);
    Spatiald parent, child;
    for (std::size_t i = 0; i < system.count; ++i) {
        memory[system.of[i]] += x[i];
        parent += x[i] * system.row[i].on_a;
        child += x[i] * system.row[i].on_b;
    }
    const auto give = [&](std::int32_t b, const Spatiald& impulse) {
        if (b >= 0 && bodies.inv_mass[static_cast<std::size_t>(b)] > 0)
            push(bodies, static_cast<std::size_t>(b), impulse, h);
    };
    give(at.parent, parent);
    give(at.child, child);
}

void solve_distance(const model::Model& m, std::int32_t j, const Bodies& bodies, const JointSettings& settings,
                    double h, Corrections& out)
{
    const std::int32_t p = m.joint_parent[j], c = m.joint_child[j];
    const auto         d     = static_cast<std::size_t>(m.joint_qd_start[j]);
    const double       lower = static_cast<double>(m.joint_limit_lower[d]),
                       upper = static_cast<double>(m.joint_limit_upper[d]);
    if (lower < 0 && upper < 0) return;
    const Posed  X_WP     = bodies.pose(p) * static_cast<Posed>(m.joint_X_p[j]),
                 X_WC     = bodies.pose(c) * static_cast<Posed>(m.joint_X_c[j]);
    const Vec3d  apart    = X_WC.p - X_WP.p;
    const double distance = length(apart);
    double       error    = 0;
    if (lower >= 0 && distance < lower)
        error = distance - lower;
    else if (upper >= 0 && distance > upper)
        error = distance - upper;
    if (std::abs(error) <= kClose) return;
    // Anchors that coincide have no direction of their own.
    Vec3d n          = distance > kClose ? apart / distance : bodies.com_W(c) - (p < 0 ? X_WP.p : bodies.com_W(p));
    n                = normalized(n, rotate(X_WP.q, Vec3d{1, 0, 0}));
    const Vec3d  r_p = p < 0 ? Vec3d{} : X_WP.p - bodies.com_W(p), r_c = X_WC.p - bodies.com_W(c);
    const Row    row{p, c, {-n, -cross(r_p, n)}, {n, cross(r_c, n)}};
    const double ke = static_cast<double>(m.joint_target_ke[d]), kd = static_cast<double>(m.joint_target_kd[d]);
    const Spring spring{error, rate_of(row, bodies), ke > 0 ? 1 / ke : settings.linear_compliance, kd, false};
    const double l    = correction(spring, inverse_effective_mass(row, bodies), 0, h);
    const double move = l * settings.linear_relaxation, turn = l * settings.angular_relaxation;
    out.add(p, move * row.on_a.linear, turn * row.on_a.angular);
    out.add(c, move * row.on_b.linear, turn * row.on_b.angular);
}

void solve_mimic(const model::Model& m, const JointLayout& follower, const JointPlace& at, const JointPlace& leader,
                 const JointSettings& settings, double h, Bodies& bodies)
{
    const auto   j      = static_cast<std::size_t>(follower.joint);
    const double offset = static_cast<double>(m.joint_mimic_coeffs[j][0]),
                 factor = static_cast<double>(m.joint_mimic_coeffs[j][1]);
    const auto   find   = [](const JointPlace& place, int dof, bool& linear) -> const JointCoordinate* {
        for (std::size_t k = 0; k < 6; ++k) {
            const JointCoordinate& c = k < 3 ? place.linear[k] : place.angular[k - 3];
            linear                   = k < 3;
            if (c.dof == dof) return &c;
        }
        return nullptr;
    };
    // Both joints have the same number of dofs by the model's check; dof k follows dof k.
    for (int k = 0; k < follower.axes.dofs(); ++k) {
        bool                   linear_f = false, linear_l = false;
        const JointCoordinate *f = find(at, k, linear_f), *l = find(leader, k, linear_l);
        if (!f || !l) continue;
        double error = f->value - offset - factor * l->value;
        // Angles are compared modulo a turn.
        if (!linear_f) error = dynamics::unwind(error, 0);
        // A serial pair shares a body: its gradients are added before masses are looked at.
        std::array<std::int32_t, 4> body{at.parent, at.child, leader.parent, leader.child};
        std::array<Spatiald, 4>     gradient{};
        const auto fill = [&](std::size_t first, const JointPlace& place, const JointCoordinate& c, bool linear,
                              double scale) {
            JointPush push;
            if (linear)
                push_linear(place, c, scale, push);
            else
                push_angular(c, scale, push);
            gradient[first]     = push.parent;
            gradient[first + 1] = push.child;
        };
        fill(0, at, *f, linear_f, 1);
        fill(2, leader, *l, linear_l, -factor);
        for (std::size_t b = 1; b < 4; ++b)
            for (std::size_t a = 0; a < b; ++a)
                if (body[a] >= 0 && body[a] == body[b]) {
                    gradient[a] += gradient[b];
                    body[b] = -1;
                }
        double w = 0;
        for (std::size_t b = 0; b < 4; ++b)
            if (body[b] >= 0) w += inverse_effective_mass({body[b], -1, gradient[b], {}}, bodies);
        if (!(w > 0)) continue;
        const double step = -error / (h * w) * (linear_f ? settings.linear_relaxation : settings.angular_relaxation);
        for (std::size_t b = 0; b < 4; ++b)
            if (body[b] >= 0 && bodies.inv_mass[static_cast<std::size_t>(body[b])] > 0)
                push(bodies, static_cast<std::size_t>(body[b]), step * gradient[b], h);
    }
}

}  // namespace mechane::solvers::xpbd
