// Inverse kinematics for goals on bodies: Levenberg-Marquardt over joint coordinates with limits (Nocedal, Wright 2006,
// 10.3), from the present state and then from starts spread by a low-discrepancy sequence.
//     (J^T J + damping (0.001 + diag J^T J)) dq = -J^T r        damping falls after a step that helps, else it grows
// r, J: residuals of all goals and their Jacobian; dq: change of the unknown coordinates.
// Residuals are weighted position errors [m] and rotation vectors [rad] in world axes. Only trees that a goal touches
// have unknowns; free roots stay.
// Results depend on the arguments only: starts follow options.seed, ties keep the first.

#include "mechane/dynamics/goal_ik.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechane/dynamics/codes.h"
#include "mechane/model/belongs.h"

namespace mechane::dynamics {

namespace {

/// Rotations of random targets are at most half a turn away; farther starts only cost iterations.
constexpr double kFreeRange  = kPi;
constexpr double kMinDamping = 1e-12, kMaxDamping = 1e8;
constexpr double kDampingFactor = 3;

struct Unknown {
    std::int32_t dof = 0, coord = -1;  ///< of the forest; coord -1: a rate of a ball
    double       low = 0, high = 0;
};

struct Problem {
    JointSpace           space;
    std::vector<Unknown> unknowns;
    std::vector<int>     column;  ///< per dof of the forest: unknown, -1 fixed
    std::vector<double>  residual, jacobian, normal, gradient, step, rates;

    explicit Problem(const model::Model& model) : space(model) {}
};

/// Residuals and worst errors at the present configuration; with `jacobian` also their derivative.
double evaluate(Problem& p, std::span<const IkGoal> goals, bool jacobian, IkResult& worst)
{
    p.space.update();
    const Forest&     f = p.space.forest();
    const Motion&     m = p.space.motion();
    const std::size_t n = p.unknowns.size();
    p.residual.clear();
    if (jacobian) p.jacobian.clear();
    worst.position_error = worst.rotation_error = 0;
    for (const IkGoal& goal : goals) {
        const std::int32_t l  = f.body_link[static_cast<std::size_t>(goal.body)];
        const Posed&       X  = l >= 0 ? m.X_WB[l] : m.base_X[static_cast<std::size_t>(goal.body)];
        const Vec3d        at = X * goal.point;
        const Vec3d        dp = goal.position ? at - *goal.position : Vec3d{};
        // The rotation from the goal to the body as a vector: zero at the goal, at most pi long.
        const Vec3d        dr =
            goal.rotation ? to_rotation_vector(normalized(X.q * conjugate(normalized(*goal.rotation)))) : Vec3d{};
        const std::size_t first = p.residual.size();
        const int         parts = (goal.position ? 3 : 0) + (goal.rotation ? 3 : 0);
        if (goal.position)
            for (std::size_t i = 0; i < 3; ++i) p.residual.push_back(goal.position_weight * dp[i]);
        if (goal.rotation)
            for (std::size_t i = 0; i < 3; ++i) p.residual.push_back(goal.rotation_weight * dr[i]);
        worst.position_error = std::max(worst.position_error, length(dp));
        worst.rotation_error = std::max(worst.rotation_error, length(dr));
        if (!jacobian) continue;
        p.jacobian.resize((first + static_cast<std::size_t>(parts)) * n, 0.0);
        if (l < 0) continue;  // nothing moves it
        const std::size_t turn = first + (goal.position ? 3 : 0);
        visit_point_columns(f, m, l, at, [&](std::int32_t dof, const Vec3d& v, const Vec3d& w) {
            const int k = p.column[static_cast<std::size_t>(dof)];
            if (k < 0) return;
            for (std::size_t i = 0; i < 3; ++i) {
                if (goal.position)
                    p.jacobian[(first + i) * n + static_cast<std::size_t>(k)] = goal.position_weight * v[i];
                // The derivative of the logarithm is the identity at the goal; far from it w is still a descent
                // direction.
                if (goal.rotation)
                    p.jacobian[(turn + i) * n + static_cast<std::size_t>(k)] = goal.rotation_weight * w[i];
            }
        });
    }
    double cost = 0;
    for (const double r : p.residual) cost += 0.5 * r * r;
    return cost;
}

/// Solves (A + damping (0.001 E + diag A)) x = b for the unknowns that are not held; by Cholesky.
/// Damping is relative to the diagonal (Marquardt 1963), plus a thousandth of it that keeps the matrix regular where a
/// column is zero.
bool solve_damped(const std::vector<double>& A, const std::vector<double>& b, const std::vector<std::uint8_t>& held,
                  double damping, std::vector<double>& L, std::vector<double>& x)
{
    const std::size_t n = b.size();
    L                   = A;
    for (std::size_t i = 0; i < n; ++i) {
        L[i * n + i] += damping * (1e-3 + A[i * n + i]);
        if (!held[i]) continue;
        // A held unknown gets a unit row and column, so that the factorisation keeps its size.
        for (std::size_t k = 0; k < n; ++k) L[i * n + k] = L[k * n + i] = 0;
        L[i * n + i] = 1;
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k <= i; ++k) {
            double sum = L[i * n + k];
            for (std::size_t j = 0; j < k; ++j) sum -= L[i * n + j] * L[k * n + j];
            if (i == k) {
                if (!(sum > 0)) return false;
                L[i * n + i] = std::sqrt(sum);
            } else {
                L[i * n + k] = sum / L[k * n + k];
            }
        }
    x.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = held[i] ? 0 : b[i];
        for (std::size_t k = 0; k < i; ++k) x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
    return true;
}

/// Moves by `step`, and scalar coordinates back within their limits.
void move(Problem& p, const std::vector<double>& step)
{
    std::fill(p.rates.begin(), p.rates.end(), 0.0);
    for (std::size_t k = 0; k < p.unknowns.size(); ++k) p.rates[static_cast<std::size_t>(p.unknowns[k].dof)] = step[k];
    for (const Tree& tree : p.space.forest().trees)
        integrate(p.space.forest(), tree, std::span<const double>(p.rates), 1, p.space.motion());
    for (const Unknown& u : p.unknowns)
        if (u.coord >= 0) {
            double& q = p.space.motion().q[static_cast<std::size_t>(u.coord)];
            q         = std::clamp(q, u.low, u.high);
        }
}

bool met(const IkResult& r, const IkOptions& o)
{ return r.position_error <= o.position_tolerance && r.rotation_error <= o.rotation_tolerance; }

/// Levenberg-Marquardt from the present configuration; leaves the best one in place.
IkResult descend(Problem& p, std::span<const IkGoal> goals, const IkOptions& options)
{
    IkResult                  result;
    const std::size_t         n = p.unknowns.size();
    std::vector<std::uint8_t> held(n);
    std::vector<double>       L;
    double                    cost = evaluate(p, goals, true, result), damping = options.damping;
    for (int i = 0; i < options.iterations && !met(result, options); ++i) {
        result.iterations = i + 1;
        p.normal.assign(n * n, 0);
        p.gradient.assign(n, 0);
        for (std::size_t r = 0; r < p.residual.size(); ++r) {
            const double* row = p.jacobian.data() + r * n;
            for (std::size_t a = 0; a < n; ++a) {
                if (row[a] == 0) continue;
                p.gradient[a] -= row[a] * p.residual[r];
                // Normal equations: J^T J and -J^T r.
                for (std::size_t b = 0; b < n; ++b) p.normal[a * n + b] += row[a] * row[b];
            }
        }
        // A coordinate on its limit that wants to go beyond takes no part in this step.
        for (std::size_t k = 0; k < n; ++k) {
            const Unknown& u = p.unknowns[k];
            held[k]          = 0;
            if (u.coord < 0) continue;
            const double q = p.space.motion().q[static_cast<std::size_t>(u.coord)];
            held[k]        = (q <= u.low && p.gradient[k] < 0) || (q >= u.high && p.gradient[k] > 0) ? 1 : 0;
        }
        bool better = false;
        while (!better && damping < kMaxDamping) {
            if (!solve_damped(p.normal, p.gradient, held, damping, L, p.step)) {
                damping *= kDampingFactor;
                continue;
            }
            const std::vector<double> q = p.space.motion().q;
            move(p, p.step);
            // Each try moves the tree, evaluates, and goes back if the cost did not fall.
            IkResult     trial;
            const double now = evaluate(p, goals, false, trial);
            better           = now < cost;
            if (better) {
                cost    = now;
                damping = std::max(damping / kDampingFactor, kMinDamping);
            } else {
                p.space.motion().q = q;
                damping *= kDampingFactor;
            }
        }
        const int used    = result.iterations;
        cost              = evaluate(p, goals, true, result);
        result.iterations = used;
        if (!better) break;  // a local minimum
    }
    return result;
}

/// What is wrong with the arguments of solve_ik, or nothing.
std::optional<Diagnostic> misfit(const model::Model& model, const model::State& state, std::span<const IkGoal> goals,
                                 const IkOptions& options)
{
    if (!model::fits(model, state))
        return make_diagnostic(kSize, {.property = "state"}, "the state's arrays do not have the sizes of the model");
    if (!options.dof_mask.empty() && options.dof_mask.size() != model.joint_dof_count())
        return make_diagnostic(kSize, {.property = "dof_mask"},
                               "dof_mask has " + std::to_string(options.dof_mask.size()) + " entries, the model " +
                                   std::to_string(model.joint_dof_count()) + " dofs");
    const auto positive = [](double x) { return x >= 0 && std::isfinite(x); };
    if (!positive(options.damping) || !(options.position_tolerance >= 0) || !(options.rotation_tolerance >= 0))
        return make_diagnostic(kGoal, {.property = "options"}, "damping and tolerances are not positive numbers");
    for (std::size_t i = 0; i < goals.size(); ++i) {
        const IkGoal& goal = goals[i];
        const auto    bad  = [&](std::string why) {
            return make_diagnostic(kGoal, {.property = "goals[" + std::to_string(i) + "]"}, std::move(why));
        };
        if (goal.body == model::kWorldBody) return bad("its body is the world, which nothing moves");
        if (goal.body < 0 || static_cast<std::size_t>(goal.body) >= model.body_count())
            return bad("body " + std::to_string(goal.body) + " is none of the model's " +
                       std::to_string(model.body_count()));
        if (!is_finite(goal.point) || (goal.position && !is_finite(*goal.position)) ||
            (goal.rotation && !is_finite(*goal.rotation)))
            return bad("its point, position or rotation is not finite");
        if (goal.rotation && !(dot(*goal.rotation, *goal.rotation) > 0)) return bad("its rotation is zero");
        if (!positive(goal.position_weight) || !positive(goal.rotation_weight))
            return bad("its weights are not finite, or negative");
    }
    return std::nullopt;
}

}  // namespace

IkResult solve_ik(const model::Model& model, const model::State& state, std::span<const IkGoal> goals,
                  const IkOptions& options)
{
    if (auto wrong = misfit(model, state, goals, options)) {
        IkResult refused;
        refused.joint_q = state.joint_q;
        refused.refused = std::move(wrong);
        return refused;
    }
    Problem p(model);
    p.space.set_state(state);
    Motion&       m = p.space.motion();
    const Forest& f = p.space.forest();
    p.rates.assign(static_cast<std::size_t>(f.dof_count), 0);
    p.column.assign(static_cast<std::size_t>(f.dof_count), -1);
    std::vector<std::uint8_t> wanted(f.trees.size(), 0);
    for (const IkGoal& goal : goals)
        if (goal.body >= 0 && f.body_link[static_cast<std::size_t>(goal.body)] >= 0)
            wanted[static_cast<std::size_t>(
                f.links[static_cast<std::size_t>(f.body_link[static_cast<std::size_t>(goal.body)])].tree)] = 1;
    for (std::int32_t k = 0; k < f.dof_count; ++k) {
        const Link&        link = f.links[static_cast<std::size_t>(f.dof_link[static_cast<std::size_t>(k)])];
        const std::int32_t d    = f.model_dof[static_cast<std::size_t>(k)];
        if (link.free || d < 0 || !wanted[static_cast<std::size_t>(link.tree)]) continue;
        if (!options.dof_mask.empty() && !options.dof_mask[static_cast<std::size_t>(d)]) continue;
        Unknown u{.dof = k};
        if (link.axes.type != model::JointType::ball) {
            u.coord = link.coord + (k - link.dof);
            u.low   = static_cast<double>(model.joint_limit_lower[static_cast<std::size_t>(d)]);
            u.high  = static_cast<double>(model.joint_limit_upper[static_cast<std::size_t>(d)]);
            // Crossed limits hold the joint at their middle, as the solvers do.
            if (u.low > u.high) u.low = u.high = 0.5 * (u.low + u.high);
        }
        p.column[static_cast<std::size_t>(k)] = static_cast<int>(p.unknowns.size());
        p.unknowns.push_back(u);
    }

    // Roberts' sequence: multiples of 1, 1/g, 1/g^2, ... with g^(d+1) = g + 1, modulo 1 (Roberts 2018).
    double ratio = 2;
    // Fixed-point iteration for the generalised golden ratio.
    for (int i = 0; i < 60; ++i) ratio = std::pow(1 + ratio, 1 / static_cast<double>(p.unknowns.size() + 1));
    const std::vector<double> start = m.q;
    std::vector<double>       best  = start;
    IkResult                  result;
    double                    least = 1e300;
    for (int s = 0; s < std::max(options.starts, 1); ++s) {
        m.q = start;
        if (s > 0) {
            std::fill(p.rates.begin(), p.rates.end(), 0.0);
            double alpha = 1;
            for (const Unknown& u : p.unknowns) {
                alpha /= ratio;
                // Coordinate k of start s is the fractional part of 1/2 + s g^-(k + 1).
                double unit = 0.5 + alpha * static_cast<double>(static_cast<std::uint64_t>(s) + options.seed % 65536);
                unit -= std::floor(unit);
                if (u.coord < 0) {
                    p.rates[static_cast<std::size_t>(u.dof)] = kFreeRange * (2 * unit - 1);
                    continue;
                }
                const double at  = start[static_cast<std::size_t>(u.coord)];
                const double low = std::max(u.low, at - kFreeRange), high = std::min(u.high, at + kFreeRange);
                m.q[static_cast<std::size_t>(u.coord)] = low + unit * (high - low);
            }
            for (const Tree& tree : f.trees) integrate(f, tree, std::span<const double>(p.rates), 1, m);
        }
        const IkResult now = descend(p, goals, options);
        result.iterations += now.iterations;
        result.starts     = s + 1;
        const double cost = now.position_error + now.rotation_error;
        if (cost < least) {
            least                 = cost;
            best                  = m.q;
            result.position_error = now.position_error;
            result.rotation_error = now.rotation_error;
            result.solved         = met(now, options);
        }
        if (result.solved) break;
    }
    result.joint_q = state.joint_q;
    for (const Link& link : f.links) {
        if (link.free || link.joint < 0) continue;
        const auto q = static_cast<std::size_t>(model.joint_q_start[static_cast<std::size_t>(link.joint)]);
        for (std::int32_t k = 0; k < link.coords; ++k)
            result.joint_q[q + static_cast<std::size_t>(k)] =
                static_cast<Real>(best[static_cast<std::size_t>(link.coord + k)]);
    }
    return result;
}

}  // namespace mechane::dynamics
