// How long a step of an explicit solver may be, for the report of a step that left all bounds: rows are gathered from
// elements, contacts and joints where they were before the step. Only asked for when a step has failed.
// Stable while h^2 f + 2 h d < 4 (step_bound.h derives it: Irons and Treharne 1971), so h = 4 / (d + sqrt(d^2 + 4 f)).
// f, d  sums of stiffness and of damping over mass at the masses of a row [1/s^2, 1/s]; h  step [s]

#include "solvers/shared/step_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mechane/model/types.h"

namespace mechane::solvers::shared {

namespace {

/// The largest eigenvalue of a symmetric block (Smith 1961, "Eigenvalues of a symmetric 3 x 3 matrix").
double norm(const Mat33d& m)
{
    const double mean = trace(m) / 3;
    const Mat33d off  = m - mean * Mat33d::identity();
    double       sum  = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum += off(i, j) * off(i, j);
    const double p = std::sqrt(sum / 6);
    if (!(p > 0)) return std::abs(mean);
    const double r = std::clamp(0.5 * determinant((1 / p) * off), -1.0, 1.0);
    return mean + 2 * p * std::cos(std::acos(r) / 3);
}

double inverse_mass(const model::Model& m, std::int32_t p)
{
    const auto i = static_cast<std::size_t>(p);
    return (m.particle_flags[i] & model::particle_flag::active) != 0 ? static_cast<double>(m.particle_inv_mass[i]) : 0;
}

template <class Law, std::size_t n, class BlockOf>
void add_elements_of(const model::Model& m, const std::vector<Law>& laws,
                     const std::vector<std::array<std::int32_t, n>>& points, const std::vector<Vec3d>& x,
                     const BlockOf& block_of, const char* name, StepBound& out)
{
    for (std::size_t e = 0; e < laws.size(); ++e) {
        const auto                    at = soft::gather(points[e], x);
        std::array<StepBound::End, 4> ends{};
        for (std::size_t c = 0; c < n; ++c) {
            const double w = inverse_mass(m, points[e][c]);
            if (!(w > 0)) continue;
            // A step of a second without motion leaves the damping's part as the difference.
            const Mat33d still = block_of(laws[e], c, at, at, 0.0).hessian;
            const Mat33d moved = block_of(laws[e], c, at, at, 1.0).hessian;
            ends[c]            = {points[e][c], w * norm(still), w * norm(moved - still)};
        }
        out.add(ends, fmt::format("{} {}", name, e));
    }
}

/// J M^-1 J^T of one side.
double mobility(const Bodies& bodies, std::int32_t b, const Spatiald& j)
{
    return bodies.inverse_mass(b) * length_squared(j.linear) +
           dot(j.angular, bodies.inverse_inertia_times(b, j.angular));
}

}  // namespace

void StepBound::add(const std::array<End, 4>& ends, std::string what)
{
    Row row{.mass = {-1, -1, -1, -1}, .what = std::move(what)};
    for (std::size_t c = 0; c < ends.size(); ++c) {
        if (ends[c].mass < 0 || !std::isfinite(ends[c].k) || !std::isfinite(ends[c].d)) continue;
        const auto i = static_cast<std::size_t>(ends[c].mass);
        row.mass[c]  = ends[c].mass;
        k_[i] += ends[c].k;
        d_[i] += ends[c].d;
    }
    rows_.push_back(std::move(row));
}

double StepBound::longest(std::string& what) const
{
    double out = std::numeric_limits<double>::infinity();
    for (const Row& row : rows_) {
        double f = 0, d = 0;
        for (const std::int32_t mass : row.mass)
            if (mass >= 0) f += k_[static_cast<std::size_t>(mass)], d += d_[static_cast<std::size_t>(mass)];
        if (!(f > 0) && !(d > 0)) continue;
        // The positive root of h^2 f + 2 h d = 4, in the form that also holds for f = 0.
        const double h = 4 / (d + std::sqrt(d * d + 4 * f));
        if (h < out) out = h, what = row.what;
    }
    return out;
}

void add_element_rows(const model::Model& m, const std::vector<Vec3d>& x, StepBound& out)
{
    const soft::Elements elements = soft::elements_of(m);
    add_elements_of(m, elements.springs, elements.spring_points, x, soft::spring_block, "spring", out);
    add_elements_of(m, elements.triangles, elements.triangle_points, x, soft::triangle_block, "triangle", out);
    add_elements_of(m, elements.edges, elements.edge_points, x, soft::bending_block, "bending edge", out);
    add_elements_of(m, elements.tets, elements.tet_points, x, soft::tet_block, "tetrahedron", out);
}

void add_contact_rows(const std::vector<ContactPoint>& contacts, const Bodies& bodies, std::size_t first,
                      StepBound& out)
{
    for (const ContactPoint& c : contacts) {
        const ContactPlace at = place_contact(c, bodies);
        // Also what is about to touch counts: it is what the step ran into.
        std::array<StepBound::End, 4> ends{};
        for (std::size_t side = 0; side < 2; ++side) {
            const std::int32_t b = c.body[side];
            if (b < 0 || !(bodies.inverse_mass(b) > 0)) continue;
            const double w = mobility(bodies, b, {c.n, cross(at.r[side], c.n)});
            ends[side]     = {static_cast<std::int32_t>(first) + b, c.material.ke * w, c.material.kd * w};
        }
        const auto& labels = bodies.model->shape_label;
        out.add(ends, fmt::format("contact of '{}' and '{}'", labels[static_cast<std::size_t>(c.shape[0])],
                                  labels[static_cast<std::size_t>(c.shape[1])]));
    }
}

void add_joint_rows(const model::Model& m, const model::Control& control, const std::vector<JointLayout>& joints,
                    double attach_ke, double attach_kd, const Bodies& bodies, std::size_t first, StepBound& out)
{
    const std::vector<double> near(m.joint_coord_count(), 0.0);
    for (const JointLayout& joint : joints) {
        if (m.joint_enabled[static_cast<std::size_t>(joint.joint)] == 0) continue;
        const JointPlace at  = place_joint(joint, bodies, near);
        const auto       add = [&](const JointCoordinate& c, bool linear) {
            double k = attach_ke, d = linear ? attach_kd : 0.01 * attach_kd;
            if (c.dof >= 0) {
                const DofForces law = read_dof(m, control, static_cast<std::size_t>(joint.qd + c.dof), -1);
                // Within its range the drive acts, outside the limit; the stiffer of the two bounds the step.
                const bool bounded = law.lower > -1e6 || law.upper < 1e6;
                k                  = law.stiffness + std::max(law.ke, bounded ? law.limit_ke : 0.0);
                d                  = law.damping + std::max(law.kd, bounded ? law.limit_kd : 0.0);
            }
            if (!(k > 0) && !(d > 0)) return;
            JointPush push;
            if (linear)
                push_linear(at, c, 1, push);
            else
                push_angular(c, 1, push);
            std::array<StepBound::End, 4> ends{};
            std::size_t                   side = 0;
            for (const auto& [b, j] : {std::pair{at.parent, push.parent}, std::pair{at.child, push.child}}) {
                if (b >= 0 && bodies.inverse_mass(b) > 0) {
                    const double w = mobility(bodies, b, j);
                    ends[side]     = {static_cast<std::int32_t>(first) + b, k * w, d * w};
                }
                ++side;
            }
            out.add(ends, fmt::format("joint '{}'", m.joint_label[static_cast<std::size_t>(joint.joint)]));
        };
        for (const JointCoordinate& c : at.linear) add(c, true);
        for (const JointCoordinate& c : at.angular) add(c, false);
    }
}

}  // namespace mechane::solvers::shared
