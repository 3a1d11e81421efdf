// Warnings for targets and starts beyond a joint's limits, of settings and of command files. Angles are shown in
// radians and degrees, as one taken for the other is the usual cause.

#include "simulation/target_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mechane/math/pose.h"
#include "mechane/model/joint_table.h"
#include "mechane/simulation/codes.h"

namespace mechane::run {
namespace {

struct Axis {
    std::size_t joint = 0, dof = 0;
    bool        turns = false;
};

/// The degree of freedom of a coordinate; nothing for coordinates of quaternions and free joints.
std::optional<Axis> axis_of(const model::Model& model, std::size_t coordinate)
{
    const auto& starts = model.joint_q_start;
    // The joint whose range of coordinates holds this one.
    const auto  after  = std::upper_bound(starts.begin(), starts.end(), static_cast<std::int32_t>(coordinate));
    if (after == starts.begin() || after == starts.end()) return std::nullopt;
    const auto  joint = static_cast<std::size_t>(after - starts.begin()) - 1;
    const auto& info  = model::joint_type_info(model.joint_type[joint]);
    if (info.free_like || info.quaternion) return std::nullopt;
    const std::size_t entry = coordinate - static_cast<std::size_t>(starts[joint]);
    return Axis{joint, static_cast<std::size_t>(model.joint_qd_start[joint]) + entry,
                entry >= static_cast<std::size_t>(model.joint_dof_dim[joint][0])};
}

/// How far a value lies beyond the limits of its axis; 0 within.
double beyond(const model::Model& model, const Axis& axis, double value)
{
    const double lower = static_cast<double>(model.joint_limit_lower[axis.dof]),
                 upper = static_cast<double>(model.joint_limit_upper[axis.dof]);
    // Crossed limits lock the axis (PhysicsLimitAPI: low above high).
    if (lower > upper) return 0;
    // A limit authored in single precision equals the same number in double.
    const double slack = 1e-5 * std::max({1.0, std::abs(lower), std::abs(upper)});
    const double out   = std::max(lower - value, value - upper);
    return std::isfinite(value) && out > slack ? out : 0;
}

void report(const model::Model& model, const Axis& axis, double value, Field field, Diagnostics& found)
{
    const double lower = static_cast<double>(model.joint_limit_lower[axis.dof]),
                 upper = static_cast<double>(model.joint_limit_upper[axis.dof]);
    const double limit = value > upper ? upper : lower;
    const auto   shown = [&](double x) {
        return axis.turns ? fmt::format("{:g} rad = {:.5g} deg", x, x / kDegrees) : fmt::format("{:g} m", x);
    };
    found.add(
        kTargetRange, {.prim = model.joint_label[axis.joint]},
        fmt::format("the {} {} lies beyond the limit {}", field == Field::joint_q ? "start" : "target", shown(value),
                    axis.turns ? fmt::format("{:.5g} deg", limit / kDegrees) : fmt::format("{:g} m", limit)));
}

bool is_position(Field field) { return field == Field::target_q || field == Field::joint_q; }

}  // namespace

void report_beyond_limits(const model::Model& model, const Setting& setting, Diagnostics& found)
{
    if (!is_position(setting.field)) return;
    for (const std::size_t start : setting.starts)
        for (std::size_t i = 0; i < setting.count; ++i) {
            const auto   axis  = axis_of(model, start + i);
            const double value = setting.values.size() == 1 ? setting.values[0] : setting.values[i];
            if (axis && beyond(model, *axis, value) > 0) report(model, *axis, value, setting.field, found);
        }
}

void report_beyond_limits(const model::Model& model, const ControlTable& table, Diagnostics& found)
{
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Setting& column = table.columns[c];
        if (!is_position(column.field) || column.starts.empty()) continue;
        for (std::size_t i = 0; i < column.count; ++i) {
            const auto axis = axis_of(model, column.starts.front() + i);
            if (!axis) continue;
            // One warning a column, for its worst row.
            double worst = 0, value = 0;
            for (const std::vector<double>& row : table.rows)
                if (const double out = beyond(model, *axis, row[c]); out > worst) worst = out, value = row[c];
            if (worst > 0) report(model, *axis, value, column.field, found);
        }
    }
}

void report_idle_target(const model::Model& model, const Setting& setting, Diagnostics& found)
{
    const bool position = setting.field == Field::target_q;
    if (!position && setting.field != Field::target_qd) return;
    const auto& gains = position ? model.joint_target_ke : model.joint_target_kd;
    for (const std::size_t start : setting.starts)
        for (std::size_t i = 0; i < setting.count; ++i) {
            // Targets of positions count as coordinates, those of velocities as degrees of freedom.
            const auto axis = position ? axis_of(model, start + i) : std::optional(Axis{0, start + i, false});
            if (!axis || gains[axis->dof] > 0) return;  // a ball's target has no axis of its own
        }
    found.add(kTargetIdle, {}, fmt::format("{} moves nothing: the joint's drive has no {}", setting.path,
                                           position ? "stiffness" : "damping"));
}

}  // namespace mechane::run
