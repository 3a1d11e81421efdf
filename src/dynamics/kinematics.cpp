// Forward and inverse kinematics over a model's joints: body poses and velocities from joint_q, joint_qd and back;
// mimic relations; the projection of an authored state onto its joints.
// Poses X_WB are in the world [m]; body_qd is the velocity of the centre of mass and the angular velocity in world
// axes. Newton's eval_fk, eval_ik and their selections have the same meaning.
//
//     X_WC = X_WP X_p X_PC(q) X_c^-1                pose of the child; X_PC is the joint's (joint_motion.cpp)
//     twist_C = twist_P + sum of qd_k column_k      both carried to the child's centre of mass
//
// X_p, X_c  anchors of the joint in parent and child; q, qd  its coordinates and rates

#include "mechane/dynamics/kinematics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mechane/core/failure.h"
#include "mechane/dynamics/articulated.h"
#include "mechane/dynamics/codes.h"
#include "mechane/dynamics/joint_motion.h"
#include "mechane/model/belongs.h"

namespace mechane::dynamics {

namespace {

Vec3d center_of_mass(const model::Model& model, std::int32_t body, const Posed& X)
{ return body >= 0 ? X * static_cast<Vec3d>(model.body_com[body]) : Vec3d{}; }

BodyMotion body_motion(const model::State& state, std::int32_t body)
{
    if (body < 0) return {};
    Posed X = static_cast<Posed>(state.body_q[body]);
    X.q     = normalized(X.q);
    return {X, static_cast<Spatiald>(state.body_qd[body])};
}

/// The child of a joint from its parent and the joint's coordinates.
BodyMotion child_motion(const model::Model& model, std::int32_t j, const BodyMotion& parent,
                        std::span<const Real> joint_q, std::span<const Real> joint_qd)
{
    const JointAxes       axes = joint_axes(model, j);
    std::array<double, 7> q{};
    std::array<double, 6> qd{};
    for (int k = 0; k < axes.coords; ++k) q[k] = static_cast<double>(joint_q[model.joint_q_start[j] + k]);
    for (int k = 0; k < axes.dofs(); ++k) qd[k] = static_cast<double>(joint_qd[model.joint_qd_start[j] + k]);
    const JointMotion jm   = joint_motion(axes, q);
    const Posed       X_WJ = parent.X * static_cast<Posed>(model.joint_X_p[j]);
    const Posed       X_CJ = static_cast<Posed>(model.joint_X_c[j]);
    // World from child anchor, then the child itself: X_WB = X_WA X_CJ^-1.
    const Posed       X_WA = X_WJ * jm.X_PC;  // child anchor
    BodyMotion        child;
    child.X.q = normalized(X_WA.q * conjugate(X_CJ.q));
    child.X.p = X_WA.p - rotate(child.X.q, X_CJ.p);
    Vec3d v, w;
    for (int k = 0; k < axes.dofs(); ++k) (k < axes.linear ? v : w) += qd[k] * jm.column[k];
    const Vec3d com   = center_of_mass(model, model.joint_child[j], child.X);
    const Vec3d pivot = axes.free_like() ? com : X_WA.p;  // the linear velocity of FREE is that of the centre of mass
    const Vec3d w_W   = rotate(X_WJ.q, w);
    const Vec3d com_P = center_of_mass(model, model.joint_parent[j], parent.X);
    child.twist       = shift_twist(parent.twist, com - com_P);
    // Velocity of the parent carried to the child's centre of mass, plus the joint's own.
    child.twist += shift_twist(Spatiald{rotate(X_WJ.q, v), w_W}, com - pivot);
    return child;
}

Result<void> check(const model::Model& model, const Selection& selection)
{
    const auto refuse = [](std::string message) { return make_diagnostic(kSelection, {}, std::move(message)); };
    if (!selection.articulation_mask.empty() && !selection.articulation_indices.empty())
        return refuse("articulation_mask and articulation_indices are both given, expected one of them");
    if (!selection.articulation_mask.empty() && selection.articulation_mask.size() != model.articulation_count())
        return refuse(fmt::format("articulation_mask has {} entries, the model has {} articulations",
                                  selection.articulation_mask.size(), model.articulation_count()));
    if (!selection.joint_mask.empty() && selection.joint_mask.size() != model.joint_count())
        return refuse(fmt::format("joint_mask has {} entries, the model has {} joints", selection.joint_mask.size(),
                                  model.joint_count()));
    for (const std::int32_t a : selection.articulation_indices)
        if (a < 0 || static_cast<std::size_t>(a) >= model.articulation_count())
            return refuse(fmt::format("articulation index {} is outside 0..{}", a,
                                      static_cast<std::int64_t>(model.articulation_count()) - 1));
    return {};
}

Result<void> check_sizes(const model::Model& model, std::size_t coords, std::size_t dofs, const model::State& state)
{
    if (coords != model.joint_coord_count() || dofs != model.joint_dof_count())
        return make_diagnostic(kSize, {.property = "joint_q, joint_qd"},
                               fmt::format("joint_q and joint_qd have {} and {} entries, the model {} and {}", coords,
                                           dofs, model.joint_coord_count(), model.joint_dof_count()));
    if (state.body_q.size() != model.body_count() || state.body_qd.size() != model.body_count())
        return make_diagnostic(kSize, {.property = "state"},
                               fmt::format("the state has {} poses and {} velocities, the model {} bodies",
                                           state.body_q.size(), state.body_qd.size(), model.body_count()));
    return {};
}

/// Whether all rates of a joint are zero.
bool still(const model::Model& model, std::int32_t j, std::span<const Real> joint_qd)
{
    return std::all_of(joint_qd.begin() + model.joint_qd_start[j], joint_qd.begin() + model.joint_qd_start[j + 1],
                       [](Real rate) { return rate == 0; });
}

/// Newton's rule: joints of no articulation are left out by a mask of articulations.
bool selects(const Selection& selection, const model::Model& model, std::int32_t j)
{
    if (!selection.joint_mask.empty() && !selection.joint_mask[j]) return false;
    const std::int32_t a = model.joint_articulation[j];
    if (!selection.articulation_mask.empty()) return a >= 0 && selection.articulation_mask[a] != 0;
    if (!selection.articulation_indices.empty())
        return std::find(selection.articulation_indices.begin(), selection.articulation_indices.end(), a) !=
               selection.articulation_indices.end();
    return true;
}

}  // namespace

void joint_state(const model::Model& model, std::int32_t j, const BodyMotion& parent, const BodyMotion& child,
                 std::span<Real> joint_q, std::span<Real> joint_qd, bool keep_winding)
{
    MCH_REQUIRE(joint_q.size() == model.joint_coord_count(), "joint_state", "joint_q", "an entry for each coordinate");
    MCH_REQUIRE(joint_qd.size() == model.joint_dof_count(), "joint_state", "joint_qd", "an entry for each dof");
    const JointAxes       axes = joint_axes(model, j);
    const Posed           X_WJ = parent.X * static_cast<Posed>(model.joint_X_p[j]);
    const Posed           X_WA = child.X * static_cast<Posed>(model.joint_X_c[j]);
    Posed                 X_JA = inverse(X_WJ) * X_WA;
    std::array<double, 7> q{};
    X_JA.q = normalized(X_JA.q);
    joint_coordinates(axes, X_JA, q);
    const auto  rows  = joint_rate_rows(axes, joint_motion(axes, q));
    const Vec3d com_P = center_of_mass(model, model.joint_parent[j], parent.X);
    const Vec3d com_C = center_of_mass(model, model.joint_child[j], child.X);
    const Vec3d at    = axes.free_like() ? com_C : X_WA.p;
    // The parent's velocity field is taken at the child's anchor: only so do several linear axes under a rotating
    // parent come out right.
    const Spatiald rel = shift_twist(child.twist, at - com_C) - shift_twist(parent.twist, at - com_P);
    const Vec3d    v = rotate_inverse(X_WJ.q, rel.linear), w = rotate_inverse(X_WJ.q, rel.angular);
    const bool     angles = !axes.free_like() && axes.type != model::JointType::ball;
    if (keep_winding && angles)
        for (int k = axes.linear; k < axes.dofs(); ++k)
            q[k] = unwind(q[k], static_cast<double>(joint_q[model.joint_q_start[j] + k]));
    for (int k = 0; k < axes.coords; ++k) joint_q[model.joint_q_start[j] + k] = static_cast<Real>(q[k]);
    for (int k = 0; k < axes.dofs(); ++k)
        joint_qd[model.joint_qd_start[j] + k] = static_cast<Real>(dot(rows[k], k < axes.linear ? v : w));
}

Result<void> eval_fk(const model::Model& model, std::span<const Real> joint_q, std::span<const Real> joint_qd,
                     model::State& state, const Selection& selection)
{
    if (auto ok = check(model, selection); !ok) return ok;
    if (auto ok = check_sizes(model, joint_q.size(), joint_qd.size(), state); !ok) return ok;
    // Joints come in an order in which parents precede children, so one pass places all bodies.
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(model.joint_count()); ++j) {
        const std::int32_t c = model.joint_child[j];
        if (model.joint_articulation[j] < 0 || c < 0 || !selects(selection, model, j) ||
            !(model.body_flags[c] & selection.body_flag_filter))
            continue;
        const BodyMotion child = child_motion(model, j, body_motion(state, model.joint_parent[j]), joint_q, joint_qd);
        state.body_q[c]        = static_cast<Pose>(child.X);
        state.body_qd[c]       = static_cast<Spatial>(child.twist);
    }
    return {};
}

Result<void> eval_ik(const model::Model& model, const model::State& state, std::span<Real> joint_q,
                     std::span<Real> joint_qd, const Selection& selection)
{
    if (auto ok = check(model, selection); !ok) return ok;
    if (auto ok = check_sizes(model, joint_q.size(), joint_qd.size(), state); !ok) return ok;
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(model.joint_count()); ++j)
        if (selects(selection, model, j) && (model.body_flags[model.joint_child[j]] & selection.body_flag_filter))
            joint_state(model, j, body_motion(state, model.joint_parent[j]), body_motion(state, model.joint_child[j]),
                        joint_q, joint_qd);
    return {};
}

void eval_mimic(const model::Model& model, std::span<Real> joint_q, std::span<Real> joint_qd)
{
    MCH_REQUIRE(joint_q.size() == model.joint_coord_count(), "eval_mimic", "joint_q", "an entry for each coordinate");
    MCH_REQUIRE(joint_qd.size() == model.joint_dof_count(), "eval_mimic", "joint_qd", "an entry for each dof");
    // Followers are written last, so that every one reads the values before the call.
    const auto follow = [&](auto&& write) {
        for (std::size_t j = 0; j < model.joint_count(); ++j) {
            const std::int32_t leader = model.joint_mimic_joint[j];
            if (leader < 0) continue;
            const std::int32_t n = std::min(model.joint_qd_start[j + 1] - model.joint_qd_start[j],
                                            model.joint_qd_start[leader + 1] - model.joint_qd_start[leader]);
            for (std::int32_t k = 0; k < n; ++k) write(j, leader, k, model.joint_mimic_coeffs[j]);
        }
    };
    std::vector<Real> q(joint_q.begin(), joint_q.end()), qd(joint_qd.begin(), joint_qd.end());
    follow([&](std::size_t j, std::int32_t leader, std::int32_t k, const std::array<Real, 2>& c) {
        joint_q[model.joint_q_start[j] + k]   = c[0] + c[1] * q[model.joint_q_start[leader] + k];
        joint_qd[model.joint_qd_start[j] + k] = c[1] * qd[model.joint_qd_start[leader] + k];
    });
}

/// Authored poses of bodies and coordinates of joints may disagree. Bodies are placed by the joints of the trees, from
/// the roots on; joints that close loops then follow the bodies. Returns the largest way and turn, for the report.
Projection project_to_joints(const model::Model& model, model::State& state, bool initial)
{
    MCH_REQUIRE(model::fits(model, state), "project_to_joints", "state", "a state of the model");
    const Forest forest = build_forest(model);
    Projection   moved;
    double       most = 0;
    for (const Link& link : forest.links) {
        if (link.from_body) continue;
        const std::int32_t p = link.free ? -1 : model.joint_parent[link.joint];
        BodyMotion     child = child_motion(model, link.joint, body_motion(state, p), state.joint_q, state.joint_qd);
        const Posed    old   = static_cast<Posed>(state.body_q[link.body]);
        const Spatiald twist = static_cast<Spatiald>(state.body_qd[link.body]);
        if (initial && !link.free && !(twist == Spatiald{}) && still(model, link.joint, state.joint_qd)) {
            // What the body was given is all that says how the joint moves.
            std::vector<Real> q = state.joint_q;
            joint_state(model, link.joint, body_motion(state, p), {child.X, twist}, q, state.joint_qd);
            child          = child_motion(model, link.joint, body_motion(state, p), state.joint_q, state.joint_qd);
            moved.velocity = std::max({moved.velocity, length(child.twist.linear - twist.linear),
                                       length(child.twist.angular - twist.angular)});
        }
        const double d     = length(child.X.p - old.p);
        const double angle = length(to_rotation_vector(normalized(conjugate(normalized(old.q)) * child.X.q)));
        moved.linear       = std::max(moved.linear, d);
        moved.angular      = std::max(moved.angular, angle);
        // Metres and radians are added only to find the body that moved most.
        if (d + angle > most) {
            most       = d + angle;
            moved.body = link.body;
        }
        state.body_q[link.body]  = static_cast<Pose>(child.X);
        state.body_qd[link.body] = static_cast<Spatial>(child.twist);
    }
    // Joints that are no link's own follow the bodies; a link's joint keeps its coordinates (and its winding).
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(model.joint_count()); ++j) {
        const std::int32_t l = forest.joint_link[j];
        if (l >= 0 && !forest.links[l].from_body) continue;
        joint_state(model, j, body_motion(state, model.joint_parent[j]), body_motion(state, model.joint_child[j]),
                    state.joint_q, state.joint_qd);
    }
    return moved;
}

}  // namespace mechane::dynamics
