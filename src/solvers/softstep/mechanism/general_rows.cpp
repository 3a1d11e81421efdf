// General rows: rows with a Jacobian of their own over one or two groups. Distance joints, cone limits of balls, and
// what a joint that closes a loop still has as a joint: drives, limits, friction.
// Directions are in world axes at the anchors of the step; the law of each row is row_law.h.
//
//     distance    u = d / |d| with d from the parent's to the child's anchor; rate of the row u . d';
//                 gap |d| - lower, or upper - |d| with the sign turned; its drive is a spring of |d| - target
//     cone        the swing of the child's axis has the parts y and z towards the second and third axis of the joint;
//                 level = sqrt((y / cy)^2 + (z / cz)^2) <= 1, gap (1 - level) / |grad level|, to first order
//     dof of a loop joint    its coordinate is read off the bodies; stop, spring or friction as of any dof
//
// cy, cz: half angles of the cone [rad]. Gains of acceleration drives are divided by the response of their row.

#include <algorithm>
#include <cmath>

#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/mechanism/row_law.h"
#include "solvers/softstep/mechanism/rows.h"

namespace mechane::solvers::softstep {

namespace {

using Kind = GeneralRow::Kind;

std::int32_t group_of(const Mechanism& system, std::int32_t body) { return body >= 0 ? system.body_group[body] : -1; }

/// Clears the Jacobian of a row over both groups.
void clear(GeneralRow& row)
{
    row.target = 0;
    row.push   = {};
    for (int s = 0; s < 2; ++s)
        if (row.at.group[s] >= 0) open_segment(row.at, s, 1);
}

/// Adds sign * (direction . v(p) + turn . w) of a body.
void add(Mechanism& system, GeneralRow& row, std::int32_t body, const Vec3d& p_W, const Vec3d& direction,
         const Vec3d& turn, double sign)
{
    if (body < 0) return;
    row.target +=
        sign * (dot(direction, prescribed_velocity(system, body, p_W)) + dot(turn, prescribed_spin(system, body)));
    const std::int32_t link = system.forest.body_link[body];
    if (link < 0) return;
    // Remembered for reactions: what the row pushes on each body.
    row.push[body == system.model->joint_child[row.joint] ? 0 : 1] = {link, p_W, sign * direction, sign * turn};
    add_row(system, row.at, link, p_W, sign * direction, sign * turn);
}

/// Responses and effective inverse mass of the finished Jacobian.
void finish(Mechanism& system, GeneralRow& row)
{
    Lanes w{};
    for (int s = 0; s < 2; ++s) {
        if (row.at.group[s] < 0) continue;
        close_segment(system, row.at, s, 1);
        for (std::int32_t k = 0; k < row.at.count[s]; ++k)
            w += lanes(row.at.J[s] + k * kLanes) * lanes(row.at.Y[s] + k * kLanes);
    }
    row.w = sum(w);
    if (!(row.w > 1e-12)) row.law.active = false;
}

/// Rate along the row at Mechanism::u, also while the row is still without its responses.
double rate(const Mechanism& system, const GeneralRow& row)
{
    Lanes v{};
    for (int s = 0; s < 2; ++s)
        for (std::int32_t k = 0; k < row.at.count[s]; ++k)
            v += lanes(row.at.J[s] + k * kLanes) * lanes(system.u.data() + row.at.blocks[s][k]);
    return row.target + sum(v);
}

void apply(Mechanism& system, const GeneralRow& row, double impulse)
{
    if (impulse == 0) return;
    for (int s = 0; s < 2; ++s)
        for (std::int32_t k = 0; k < row.at.count[s]; ++k)
            lanes(system.u.data() + row.at.blocks[s][k]) += impulse * lanes(row.at.Y[s] + k * kLanes);
}

struct Anchors {
    Posed X_WJ, X_WA;
};

/// What acts along a row: a drive, and a passive spring with damping beside it.
struct Drive {
    double ke = 0, kd = 0, error = 0, rate = 0;  ///< error: coordinate less target
    double stiffness = 0, damping = 0, rest_error = 0;
    double effort_limit = 0;
    bool   acceleration = false;  ///< ke and kd are per unit of the inertia that the row feels
};

/// The law of a finished Jacobian's drive. Two springs in parallel are one spring; the effort limit bounds both, which a
/// passive one rarely notices.
void make_drive(Mechanism& system, GeneralRow& row, Drive drive, double h)
{
    RowLaw& law = row.law;
    law.active  = drive.ke > 0 || drive.kd > 0 || drive.stiffness > 0 || drive.damping > 0;
    if (!law.active) return;
    finish(system, row);
    if (!law.active) return;
    if (drive.acceleration) {
        drive.ke /= row.w;
        drive.kd /= row.w;
    }
    const double ke = drive.ke + drive.stiffness, kd = drive.kd + drive.damping;
    // Two springs in parallel: stiffness adds, and the error is their mean weighted by stiffness.
    const double error = ke > 0 ? (drive.ke * drive.error + drive.stiffness * drive.rest_error) / ke : 0;
    make_spring(law, ke, kd, error, kd > 0 ? drive.kd * drive.rate / kd : 0, h);
    law.high = h * drive.effort_limit;
    law.low  = -law.high;
}

bool is_acceleration_drive(const Mechanism& system, std::size_t dof)
{ return system.model->joint_drive_type[dof] == model::DriveType::acceleration; }

Anchors anchors(const Mechanism& system, std::int32_t j)
{
    const model::Model& m = *system.model;
    return {body_pose(system, m.joint_parent[j]) * static_cast<Posed>(m.joint_X_p[j]),
            body_pose(system, m.joint_child[j]) * static_cast<Posed>(m.joint_X_c[j])};
}

void build_distance(Mechanism& system, GeneralRow& row, double h)
{
    const model::Model& m   = *system.model;
    const auto [X_WJ, X_WA] = anchors(system, row.joint);
    const Vec3d  between    = X_WA.p - X_WJ.p;
    const double d          = length(between);
    // Anchors at one place have no direction: a fixed one.
    const Vec3d  u          = d > 1e-9 ? between / d : Vec3d{0, 0, 1};
    const bool   lower      = row.kind == Kind::distance_lower;
    const auto   dof        = static_cast<std::size_t>(m.joint_qd_start[row.joint]);
    const double sign       = row.kind == Kind::distance_upper ? -1 : 1;
    clear(row);
    add(system, row, m.joint_child[row.joint], X_WA.p, u, {}, sign);
    add(system, row, m.joint_parent[row.joint], X_WJ.p, u, {}, -sign);
    if (row.kind == Kind::distance_drive) {
        const bool follows_rate = m.joint_target_mode[dof] != model::TargetMode::position;
        return make_drive(
            system, row,
            {.ke           = static_cast<double>(m.joint_target_ke[dof]),
             .kd           = static_cast<double>(m.joint_target_kd[dof]),
             .error        = d - system.loop_target[static_cast<std::size_t>(m.joint_q_start[row.joint])],
             .rate         = follows_rate ? system.loop_target_rate[dof] : 0,
             .effort_limit = static_cast<double>(m.joint_effort_limit[dof]),
             .acceleration = is_acceleration_drive(system, dof)},
            h);
    }
    const double limit = static_cast<double>(lower ? m.joint_limit_lower[dof] : m.joint_limit_upper[dof]);
    const double gap   = sign * (d - limit);
    row.law.low        = 0;
    row.law.high       = kUnbounded;
    row.law.active     = gap < kLimitReach + 2 * h * std::max(0.0, -rate(system, row));
    make_stop(row.law, gap, h);
}

/// The swing of the child's axis stays within an elliptic cone about the parent's: half angles towards the second and
/// third axis.
void build_cone(Mechanism& system, GeneralRow& row, double h)
{
    const model::Model& m   = *system.model;
    const auto [X_WJ, X_WA] = anchors(system, row.joint);
    const auto   dof        = static_cast<std::size_t>(m.joint_qd_start[row.joint]);
    const Vec3d  a          = normalized(static_cast<Vec3d>(m.joint_axis[dof]), Vec3d{1, 0, 0}),
                 b          = normalized(static_cast<Vec3d>(m.joint_axis[dof + 1]), Vec3d{0, 1, 0});
    const Vec3d  c          = cross(a, b);
    const Vec3d  child      = rotate_inverse(X_WJ.q, rotate(X_WA.q, a));
    const double swing      = std::atan2(length(cross(a, child)), dot(a, child));
    const Vec3d  away       = normalized(child - dot(a, child) * a, b);
    const double y = swing * dot(away, b), z = swing * dot(away, c);
    const double cy    = std::max(static_cast<double>(m.joint_cone_limit[row.joint][0]), 1e-3),
                 cz    = std::max(static_cast<double>(m.joint_cone_limit[row.joint][1]), 1e-3);
    const double level = std::sqrt(square(y / cy) + square(z / cz));
    // Outward normal of the ellipse; at the apex any direction will do, the row is inactive there.
    // Gradient of sqrt((y/cy)^2 + (z/cz)^2), the level of the ellipse.
    const Vec3d  normal = level > 0 ? normalized(y / (cy * cy) * b + z / (cz * cz) * c, b) : b;
    const double slope =
        level > 0 ? std::sqrt(square(y / (cy * cy)) + square(z / (cz * cz))) / level : 1 / std::min(cy, cz);
    const Vec3d turn = rotate(X_WJ.q, normalized(cross(a, normal)));
    clear(row);
    add(system, row, m.joint_child[row.joint], X_WA.p, {}, turn, -1);
    add(system, row, m.joint_parent[row.joint], X_WA.p, {}, turn, 1);
    // Distance to the cone to first order: (1 - level) / |gradient| [rad].
    const double gap = (1 - level) / slope;
    row.law.low      = 0;
    row.law.high     = kUnbounded;
    row.law.active   = gap < kLimitReach + 2 * h * std::max(0.0, -rate(system, row));
    make_stop(row.law, gap, h);
}

/// A dof of a loop joint: its direction in the world, and what its coordinate differs by from its target and its rest.
struct LoopDof {
    Vec3d  direction;
    bool   linear = false;
    double at     = 0, error = 0, rest_error = 0;
};

/// One of a ball's three turns, about the axes of the joint's frame on the parent.
LoopDof ball_turn(const Mechanism& system, std::int32_t j, std::size_t k, const Posed& X_WJ, const Posed& X_WA)
{
    const model::Model& m      = *system.model;
    const Quatd         now    = normalized(conjugate(X_WJ.q) * X_WA.q);
    const auto          q      = static_cast<std::size_t>(m.joint_q_start[j]);
    const auto          beyond = [&](const auto& goal) {
        const Quatd to = {static_cast<double>(goal[q]), static_cast<double>(goal[q + 1]),
                          static_cast<double>(goal[q + 2]), static_cast<double>(goal[q + 3])};
        return is_finite(to) ? -to_rotation_vector(normalized(normalized(to) * conjugate(now))) : Vec3d{};
    };
    return {.direction  = rotate(X_WJ.q, axis_vector<double>(static_cast<int>(k))),
            .error      = beyond(system.law_sources.target_q())[k],
            .rest_error = beyond(m.joint_rest_q)[k]};
}

LoopDof loop_dof(const Mechanism& system, std::int32_t j, std::size_t k, const Posed& X_WJ, const Posed& X_WA)
{
    const model::Model&       m    = *system.model;
    const dynamics::JointAxes axes = dynamics::joint_axes(m, j);
    if (axes.type == model::JointType::ball) return ball_turn(system, j, k, X_WJ, X_WA);
    std::array<double, 7> q{};
    dynamics::joint_coordinates(axes, {inverse_times(X_WJ, X_WA.p), normalized(conjugate(X_WJ.q) * X_WA.q)}, q);
    const bool   linear = static_cast<std::int32_t>(k) < axes.linear;
    const auto   coord  = static_cast<std::size_t>(m.joint_q_start[j]) + k;
    // Single angles keep their turns, so that limits beyond half a turn hold.
    const double at     = linear ? q[k] : dynamics::unwind(q[k], system.near_q[coord]);
    return {.direction  = rotate(X_WJ.q, dynamics::joint_rate_rows(axes, dynamics::joint_motion(axes, q))[k]),
            .linear     = linear,
            .at         = at,
            .error      = at - system.loop_target[coord],
            .rest_error = at - static_cast<double>(m.joint_rest_q[coord])};
}

/// What a dof of a loop joint keeps: its drive with damping and spring, its limits, its dry friction.
void build_loop_dof(Mechanism& system, GeneralRow& row, double h)
{
    const model::Model& m   = *system.model;
    const std::int32_t  j   = row.joint;
    const auto [X_WJ, X_WA] = anchors(system, j);
    const LoopDof here      = loop_dof(system, j, static_cast<std::size_t>(row.axis), X_WJ, X_WA);
    const auto    dof       = static_cast<std::size_t>(m.joint_qd_start[j] + row.axis);
    const Vec3d   slide     = here.linear ? here.direction : Vec3d{};
    const Vec3d   turn      = here.linear ? Vec3d{} : here.direction;
    const double  sign      = row.kind == Kind::loop_upper ? -1 : 1;
    clear(row);
    add(system, row, m.joint_child[j], X_WA.p, slide, turn, sign);
    add(system, row, m.joint_parent[j], X_WA.p, slide, turn, -sign);
    RowLaw& law = row.law;
    law.active  = true;
    switch (row.kind) {
        case Kind::loop_lower:
        case Kind::loop_upper: {
            // Stops as those of dofs: a row as soon as it may be reached in the substep.
            const double limit =
                static_cast<double>(row.kind == Kind::loop_lower ? m.joint_limit_lower[dof] : m.joint_limit_upper[dof]);
            const double gap = sign * (here.at - limit);
            law.low          = 0;
            law.high         = kUnbounded;
            law.active       = gap < kLimitReach + 2 * h * std::max(0.0, -rate(system, row));
            make_stop(law, gap, h);
            break;
        }
        case Kind::loop_drive: {
            const model::TargetMode mode = m.joint_target_mode[dof];
            const bool   driven          = mode == model::TargetMode::position || mode == model::TargetMode::velocity ||
                                           mode == model::TargetMode::position_velocity;
            const bool   follows_position = driven && mode != model::TargetMode::velocity;
            const bool   follows_rate     = driven && mode != model::TargetMode::position;
            return make_drive(system, row,
                              {.ke           = follows_position ? static_cast<double>(m.joint_target_ke[dof]) : 0,
                               .kd           = driven ? static_cast<double>(m.joint_target_kd[dof]) : 0,
                               .error        = here.error,
                               .rate         = follows_rate ? system.loop_target_rate[dof] : 0,
                               .stiffness    = static_cast<double>(m.joint_stiffness[dof]),
                               .damping      = static_cast<double>(m.joint_damping[dof]),
                               .rest_error   = here.rest_error,
                               .effort_limit = static_cast<double>(m.joint_effort_limit[dof]),
                               .acceleration = is_acceleration_drive(system, dof)},
                              h);
        }
        case Kind::loop_friction:
            law.high   = h * static_cast<double>(m.joint_friction[dof]);
            law.low    = -law.high;
            law.active = law.high > 0;
            break;
        case Kind::distance_lower:
        case Kind::distance_upper:
        case Kind::distance_drive:
        case Kind::cone:
            break;
    }
}

}  // namespace

void list_general_rows(Mechanism& system)
{
    const model::Model& m       = *system.model;
    std::size_t         storage = 0, blocks = 0;
    // Those of a row's bodies that are links of a group.
    const auto links = [&](const GeneralRow& row, std::int32_t g) {
        std::array<std::int32_t, 2> out{-1, -1};
        const std::int32_t          bodies[2] = {m.joint_child[row.joint], m.joint_parent[row.joint]};
        for (std::size_t i = 0; i < 2; ++i)
            if (g >= 0 && group_of(system, bodies[i]) == g) out[i] = system.forest.body_link[bodies[i]];
        return out;
    };
    const auto push = [&](Kind kind, std::int32_t joint, std::int32_t axis) {
        GeneralRow row;
        row.kind             = kind;
        row.joint            = joint;
        row.axis             = axis;
        const std::int32_t a = group_of(system, m.joint_child[joint]), b = group_of(system, m.joint_parent[joint]);
        row.at.group = {a >= 0 ? a : b, a >= 0 && b >= 0 && a != b ? b : -1};
        if (row.at.group[0] < 0) return;
        for (const std::int32_t g : row.at.group) {
            const auto most = most_blocks(system, g, links(row, g)[0], links(row, g)[1]);
            blocks += most;
            storage += 2 * kLanes * most;
        }
        system.general.push_back(row);
    };
    const auto bounded = [](Real limit) { return limit >= 0 && static_cast<double>(limit) < model::kMaxValue; };
    for (const std::int32_t j : system.forest.distances) {
        const auto dof = static_cast<std::size_t>(m.joint_qd_start[j]);
        if (bounded(m.joint_limit_lower[dof]) && m.joint_limit_lower[dof] > 0) push(Kind::distance_lower, j, 0);
        if (bounded(m.joint_limit_upper[dof])) push(Kind::distance_upper, j, 0);
        if (m.joint_target_ke[dof] > 0 || m.joint_target_kd[dof] > 0) push(Kind::distance_drive, j, 0);
    }
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(m.joint_count()); ++j)
        if (system.enabled[j] && m.joint_type[j] == model::JointType::ball && m.joint_cone_limit[j][0] >= 0 &&
            m.joint_cone_limit[j][1] >= 0)
            push(Kind::cone, j, 0);
    for (const std::int32_t j : system.forest.loops) {
        const dynamics::JointAxes axes = dynamics::joint_axes(m, j);
        const bool                ball = axes.type == model::JointType::ball;  // its limit is a cone
        for (std::int32_t k = 0; k < axes.dofs(); ++k) {
            const auto dof = static_cast<std::size_t>(m.joint_qd_start[j] + k);
            push(Kind::loop_drive, j, k);
            if (m.joint_friction[dof] > 0) push(Kind::loop_friction, j, k);
            if (ball) continue;
            if (static_cast<double>(m.joint_limit_lower[dof]) > -model::kMaxValue) push(Kind::loop_lower, j, k);
            if (static_cast<double>(m.joint_limit_upper[dof]) < model::kMaxValue) push(Kind::loop_upper, j, k);
        }
    }
    system.general_storage.assign(storage, 0);
    system.general_blocks.assign(blocks, 0);
    double*       at   = system.general_storage.data();
    std::int32_t* free = system.general_blocks.data();
    // Storage is laid out once, in the order of the list.
    for (GeneralRow& row : system.general)
        for (std::size_t s = 0; s < 2; ++s) {
            const auto [a, b] = links(row, row.at.group[s]);
            free              = place_blocks(system, row.at.group[s], a, b, free, row.at.blocks[s], row.at.count[s]);
            row.at.J[s]       = at;
            row.at.Y[s]       = at + row.at.count[s] * kLanes;
            at += 2 * row.at.count[s] * kLanes;
        }
}

void build_general_row(Mechanism& system, GeneralRow& row, double h)
{
    switch (row.kind) {
        case Kind::distance_lower:
        case Kind::distance_upper:
        case Kind::distance_drive:
            build_distance(system, row, h);
            break;
        case Kind::cone:
            build_cone(system, row, h);
            break;
        case Kind::loop_lower:
        case Kind::loop_upper:
        case Kind::loop_drive:
        case Kind::loop_friction:
            build_loop_dof(system, row, h);
            break;
    }
    const bool drive = row.kind == Kind::loop_drive || row.kind == Kind::distance_drive;  // finished with its law
    if (row.law.active && !drive) finish(system, row);
    if (!row.law.active) row.law.lambda = 0;
}

void warm_start_general(Mechanism& system, GeneralRow& row)
{
    if (!row.law.active) return;
    row.law.lambda = std::clamp(row.law.lambda, row.law.low, row.law.high);
    apply(system, row, row.law.lambda);
}

double solve_general(Mechanism& system, GeneralRow& row, bool relax)
{
    if (!row.law.active) return 0;
    const double impulse = solve_row(row.law, rate(system, row), row.w, relax);
    apply(system, row, impulse);
    return std::abs(impulse) * row.w;
}

void advance_general(Mechanism& system, GeneralRow& row, double h)
{
    if (row.law.active && row.law.low == 0) advance_stop(row.law, rate(system, row), h);
}

}  // namespace mechane::solvers::softstep
