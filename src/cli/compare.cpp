// `mechane sim --solver a,b,...`: one scene by several solvers, in one table.
// Input: a model and names of solvers. Output for each: lowest body, fastest body, overrun of limits, error of drives,
// energy, contact forces, depth, time per step, and the first body that is elsewhere than in the first solver's run.
// The first solver that runs is the reference, not the truth.
// Called by sim.cpp.

#include "cli/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mechane/model/types.h"
#include "mechane/solvers/support.h"

namespace mechane::cli {

namespace {

/// Calls visit(coordinate, dof) for every dof with a coordinate of its own.
template <class Visit>
void each_scalar(const model::Model& m, Visit&& visit)
{
    for (std::size_t j = 0; j < m.joint_count(); ++j) {
        const std::int32_t q = m.joint_q_start[j], n = m.joint_q_start[j + 1] - q, d = m.joint_qd_start[j];
        // Joints with as many coordinates as rates; those of balls and free joints are no scalars.
        if (n != m.joint_qd_start[j + 1] - d) continue;
        // Coordinates begin at joint_q_start, dofs at joint_qd_start.
        for (std::int32_t k = 0; k < n; ++k) visit(static_cast<std::size_t>(q + k), static_cast<std::size_t>(d + k));
    }
}

// The largest overrun of a limit in a frame. Metres and radians are taken together: the number tells whether limits
// hold.
double outside(const model::Model& m, const record::Frame& frame)
{
    double most = 0;
    each_scalar(m, [&](std::size_t q, std::size_t d) {
        const double at = static_cast<double>(frame.joint_q[q]);
        most            = std::max(
            {most, static_cast<double>(m.joint_limit_lower[d]) - at, at - static_cast<double>(m.joint_limit_upper[d])});
    });
    return most;
}

// The largest error of a drive with a stiffness, at the authored targets. Weight and limits keep drives from them
// too.
double off_target(const model::Model& m, const record::Frame& frame)
{
    double most = 0;
    each_scalar(m, [&](std::size_t q, std::size_t d) {
        if (m.joint_target_ke[d] > 0)
            most = std::max(most,
                            std::abs(static_cast<double>(m.joint_target_q[q]) - static_cast<double>(frame.joint_q[q])));
    });
    return most;
}

// The angle between two rotations is the length of the rotation vector from one to the other.
bool is_elsewhere(const Pose& a, const Pose& b, const Elsewhere& far)
{
    if (length(static_cast<Vec3d>(a.p) - static_cast<Vec3d>(b.p)) > far.metres) return true;
    return length(to_rotation_vector(normalized(conjugate(static_cast<Quatd>(a.q)) * static_cast<Quatd>(b.q)))) >
           far.radians;
}

// The first frame counts, and in it the first body in the order of the model.
void find_difference(const record::Recording& first, const record::Recording& own, const Elsewhere& far,
                     Comparison& out)
{
    for (std::size_t f = 0; f < std::min(first.frames.size(), own.frames.size()); ++f)
        for (std::size_t b = 0; b < first.frames[f].body_q.size(); ++b)
            if (is_elsewhere(first.frames[f].body_q[b], own.frames[f].body_q[b], far)) {
                out.differs    = static_cast<std::int32_t>(b);
                out.differs_at = own.frames[f].t;
                return;
            }
}

void read_run(const model::Model& m, const run::SimulateResult& result, Comparison& out)
{
    const record::Recording& r    = result.recording;
    const record::Frame&     last = r.frames.back();
    out.diverged                  = result.diverged;
    out.end                       = last.t;
    // Heights are along gravity, whose direction the stage may have chosen; without gravity along z.
    const Vec3d up = normalized(-static_cast<Vec3d>(m.gravity.front()), Vec3d{0, 0, 1});
    for (std::size_t b = 0; b < last.body_q.size(); ++b) {
        const double height = dot(up, static_cast<Vec3d>(last.body_q[b].p));
        out.lowest          = b == 0 ? height : std::min(out.lowest, height);
        out.fastest         = std::max(out.fastest, length(static_cast<Vec3d>(last.body_qd[b].linear)));
    }
    // Limits are looked at in all frames, drives at the end, when they have had time to settle.
    for (const record::Frame& frame : r.frames) out.beyond_limits = std::max(out.beyond_limits, outside(m, frame));
    out.drive_error  = off_target(m, last);
    out.energy_start = r.frames.front().kinetic + r.frames.front().potential;
    out.energy_end   = last.kinetic + last.potential;
    for (const record::ContactSample& c : last.contacts) out.contact_force += length(static_cast<Vec3d>(c.force));
    out.penetration = r.report.deepest_penetration;
}

// Only features that the model uses: what a solver lacks otherwise makes no difference here.
std::vector<std::string> shortcomings(const model::Model& m, std::string_view solver)
{
    std::vector<std::string> out;
    const auto               rows = solvers::support_of(solver);
    for (const solvers::FeatureUse& use : solvers::features_of(m))
        for (const solvers::SupportRow& row : rows)
            if (row.feature == use.feature && row.support != solvers::Support::full)
                out.push_back(
                    fmt::format("{} {} ({})", use.feature->id, solvers::to_string(row.support), use.labels.size()));
    return out;
}

}  // namespace

std::vector<Comparison> compare_solvers(const model::Model& model, const run::SimulateOptions& options,
                                        const std::vector<std::string>& names, const Elsewhere& elsewhere)
{
    std::vector<Comparison>          out;
    std::optional<record::Recording> first;
    for (const std::string& name : names) {
        Comparison           row{.solver = name};
        run::SimulateOptions own = options;
        own.solver               = name;
        // Every frame is kept, so that the first difference is found where it begins.
        own.every = 1;
        Diagnostics said;  // what a solver does not honour is in the table
        row.not_honoured    = shortcomings(model, name);
        const auto   start  = std::chrono::steady_clock::now();
        const auto   result = run::simulate(model, own, said);
        const double spent  = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        // A solver that refuses the model has a row with its reason.
        if (!result) {
            row.refused = result.error().message;
            out.push_back(std::move(row));
            continue;
        }
        read_run(model, *result, row);
        // Time includes preparing the run: short runs look slow.
        row.step_us = 1e6 * spent / static_cast<double>(std::max<std::int64_t>(1, result->recording.steps));
        if (!first)
            first = result->recording;
        else
            find_difference(*first, result->recording, elsewhere, row);
        out.push_back(std::move(row));
    }
    return out;
}

std::string comparison_text(const model::Model& model, const std::vector<Comparison>& rows)
{
    std::string out = fmt::format("{:14} {:>9} {:>9} {:>9} {:>9} {:>12} {:>12} {:>10} {:>9} {:>9}  {}\n", "solver",
                                  "lowest m", "fastest", "limits", "drives", "energy J", "change J", "contacts N",
                                  "depth mm", "us/step", "first body elsewhere");
    for (const Comparison& r : rows) {
        if (!r.refused.empty()) {
            out += fmt::format("{:14} refused: {}\n", r.solver, r.refused);
            continue;
        }
        const std::string where =
            r.differs
                ? fmt::format("{} at {:.4g} s", model.body_label[static_cast<std::size_t>(*r.differs)], r.differs_at)
                : "-";
        out += fmt::format("{:14} {:9.4f} {:9.3g} {:9.3g} {:9.3g} {:12.5g} {:12.4g} {:10.4g} {:9.3g} {:9.3g}  {}{}\n",
                           r.solver, r.lowest, r.fastest, r.beyond_limits, r.drive_error, r.energy_end,
                           r.energy_end - r.energy_start, r.contact_force, 1e3 * r.penetration, r.step_us, where,
                           r.diverged ? fmt::format("   diverged at {:.4g} s", r.end) : "");
    }
    for (const Comparison& r : rows)
        if (!r.not_honoured.empty())
            out += fmt::format("{:14} does not honour fully: {}\n", r.solver, fmt::join(r.not_honoured, ", "));
    return out;
}

std::string comparison_json(const model::Model& model, const std::vector<Comparison>& rows)
{
    auto list = nlohmann::json::array();
    for (const Comparison& r : rows) {
        nlohmann::json row{{"solver", r.solver}, {"not_honoured", r.not_honoured}};
        if (!r.refused.empty()) {
            // The fields of a row that was refused are left out, not zero.
            row["refused"] = r.refused;
            list.push_back(row);
            continue;
        }
        row["diverged"]            = r.diverged;
        row["end"]                 = r.end;
        row["lowest"]              = r.lowest;
        row["fastest"]             = r.fastest;
        row["beyond_limits"]       = r.beyond_limits;
        row["drive_error"]         = r.drive_error;
        row["energy_start"]        = r.energy_start;
        row["energy_end"]          = r.energy_end;
        row["contact_force"]       = r.contact_force;
        row["deepest_penetration"] = r.penetration;
        row["step_us"]             = r.step_us;
        row["differs"]             = nullptr;
        if (r.differs)
            row["differs"] = {{"body", model.body_label[static_cast<std::size_t>(*r.differs)]}, {"t", r.differs_at}};
        list.push_back(row);
    }
    return nlohmann::json{{"schema", "mechane.compare/1"}, {"solvers", list}}.dump(1) + "\n";
}

}  // namespace mechane::cli
