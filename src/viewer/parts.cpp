// The parts of a model for the panels of the page: bodies with their mass and inertia box, joints, axes, articulations.
// Output: JSON with SI units, radians, frames as position and quaternion (x y z w). Limits that are none are left out.
// Called by html.cpp; coordinate_of also by the live frames.

#include "viewer/parts.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "mechane/viewer/live_page.h"

namespace mechane::viewer {
namespace {

using nlohmann::json;

/// Drawing needs no more digits.
json number(double value) { return std::isfinite(value) ? json(std::round(value * 1e6) / 1e6) : json(0); }

json numbers(const Pose& x)
{
    json out = json::array();
    for (const Real v : {x.p.x, x.p.y, x.p.z, x.q.x, x.q.y, x.q.z, x.q.w}) out.push_back(number(static_cast<double>(v)));
    return out;
}

json numbers(const Vec3& v)
{ return {number(static_cast<double>(v.x)), number(static_cast<double>(v.y)), number(static_cast<double>(v.z))}; }

/// Half extents and axes of the uniform box with this mass and inertia: I_x = m (b^2 + c^2) / 3, and so round.
void add_box(json& out, double mass, const Mat33& inertia)
{
    Eigen::Matrix3d tensor;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            tensor(r, c) = static_cast<double>(inertia(static_cast<std::size_t>(r), static_cast<std::size_t>(c)));
    if (!(mass > 0) || !tensor.allFinite()) return;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solved(0.5 * (tensor + tensor.transpose()));
    const Eigen::Vector3d                                principal = solved.eigenvalues();
    Eigen::Matrix3d                                      axes      = solved.eigenvectors();
    // Eigenvectors may form a left-handed frame, which no quaternion describes.
    if (axes.determinant() < 0) axes.col(0) = -axes.col(0);
    const Eigen::Quaterniond turn(axes);
    json                     half = json::array();
    for (int k = 0; k < 3; ++k)
        // From I_x = m (b^2 + c^2) / 3 and its like: a^2 = 3 (I_y + I_z - I_x) / (2 m). Inertias that no body can have
        // give a negative square, which is drawn as 0.
        half.push_back(number(std::sqrt(std::max(0.0, 1.5 * (principal.sum() - 2 * principal(k)) / mass))));
    out["box"]  = std::move(half);
    out["axes"] = {number(turn.x()), number(turn.y()), number(turn.z()), number(turn.w())};
}

json body_json(const model::Model& model, std::size_t i)
{
    json out{{"label", model.body_label[i]},
             {"mass", number(static_cast<double>(model.body_mass[i]))},
             {"com", numbers(model.body_com[i])}};
    add_box(out, static_cast<double>(model.body_mass[i]), model.body_inertia[i]);
    return out;
}

json joint_json(const model::Model& model, std::size_t i)
{
    return {{"label", model.joint_label[i]},
            {"type", model::to_string(model.joint_type[i])},
            {"parent", model.joint_parent[i]},
            {"child", model.joint_child[i]},
            {"frame", numbers(model.joint_X_p[i])},
            {"dof", model.joint_qd_start[i]},
            {"count", model.joint_qd_start[i + 1] - model.joint_qd_start[i]},
            {"articulation", model.joint_articulation[i]}};
}

json dof_json(const model::Model& model, std::size_t joint, std::int32_t dof)
{
    const auto   d       = static_cast<std::size_t>(dof);
    const bool   linear  = dof - model.joint_qd_start[joint] < model.joint_dof_dim[joint][0];
    const double lower   = static_cast<double>(model.joint_limit_lower[d]),
                 upper   = static_cast<double>(model.joint_limit_upper[d]);
    json out{{"joint", joint},
             {"linear", linear},
             {"axis", numbers(model.joint_axis[d])},
             {"mode", static_cast<int>(model.joint_target_mode[d])},
             {"slider", coordinate_of(model, static_cast<std::int32_t>(joint), dof) >= 0}};
    if (lower > -model::kMaxValue) out["lower"] = number(lower);
    if (upper < model::kMaxValue) out["upper"] = number(upper);
    return out;
}

}  // namespace

/// Joints with as many coordinates as rates (not balls and free joints) pair them in order; only those have sliders.
std::int32_t coordinate_of(const model::Model& model, std::int32_t joint, std::int32_t dof)
{
    const auto j     = static_cast<std::size_t>(joint);
    const auto rates = model.joint_qd_start[j + 1] - model.joint_qd_start[j];
    if (model.joint_q_start[j + 1] - model.joint_q_start[j] != rates) return -1;
    return model.joint_q_start[j] + dof - model.joint_qd_start[j];
}

json parts_json(const model::Model& model)
{
    json out{{"bodies", json::array()}, {"joints", json::array()}, {"dofs", json::array()}, {"articulations", json::array()}};
    for (std::size_t i = 0; i < model.body_count(); ++i) out["bodies"].push_back(body_json(model, i));
    for (std::size_t i = 0; i < model.joint_count(); ++i) {
        out["joints"].push_back(joint_json(model, i));
        for (std::int32_t dof = model.joint_qd_start[i]; dof < model.joint_qd_start[i + 1]; ++dof)
            out["dofs"].push_back(dof_json(model, i, dof));
    }
    for (const std::string& label : model.articulation_label) out["articulations"].push_back(label);
    return out;
}

}  // namespace mechane::viewer
