// Rigid-body dynamics for control in the public interface: Jacobians, mass matrix, inverse and forward dynamics,
// inverse kinematics, for the dofs of one world. Algorithms: dynamics/ (CRBA, RNEA, sparse LTL; Featherstone 2008).
// Rows and columns follow Model::dofs(world). The forest has free links' rates in world axes, the model in anchor axes:
// v_forest = R v_model, M_model = R^T M R, tau_model = R^T tau.
// Results are views into this object; they hold until the next call.
// Glossary:
//   R      rotation of a free joint's anchor in the world (its X_PJ.q)
//   M      mass matrix with armature on its diagonal
//   tau    generalized forces [N] or [N m], one a dof
//   bias   forces that keep the accelerations zero: gravity and what velocities cause

#include "mechane/dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/dynamics/articulated.h"
#include "mechane/dynamics/goal_ik.h"
#include "mechane/model/belongs.h"
#include "mechane/model/model.h"
#include "mechane/simulation/codes.h"
#include "simulation/require.h"

namespace mechane {

using simulation::index_of;
using simulation::own;

namespace {

/// A view is a plain value that a program may make itself.
void require_whole(const MatrixView& m, const char* function)
{
    MCH_REQUIRE(m.columns == 0 || m.values.size() / m.columns >= m.rows, function, "values",
                "rows times columns numbers");
}

}  // namespace

double MatrixView::operator()(std::size_t row, std::size_t column) const
{
    MCH_REQUIRE(row < rows, "MatrixView", "row", "a row of the matrix");
    MCH_REQUIRE(column < columns, "MatrixView", "column", "a column of the matrix");
    require_whole(*this, "MatrixView");
    return values[row * columns + column];
}

std::span<const double> MatrixView::row(std::size_t row) const
{
    MCH_REQUIRE(row < rows, "MatrixView::row", "row", "a row of the matrix");
    require_whole(*this, "MatrixView::row");
    return values.subspan(row * columns, columns);
}

struct Dynamics::Impl {
    explicit Impl(std::shared_ptr<const Model> m)
        // build_forest and list_paths depend on the model alone, so they are made once; `at` only moves.
        : model(std::move(m)),
          arrays(model->arrays()),
          forest(dynamics::build_forest(arrays)),
          // Paths of all dofs, also of deep trees: the full matrix is wanted here.
          paths(dynamics::list_paths(forest, true)),
          rows(paths.size()),
          pivots(static_cast<std::size_t>(forest.dof_count)),
          column(arrays.joint_dof_count()),
          forest_dof(static_cast<std::size_t>(forest.dof_count), -1),
          unreachable(static_cast<std::size_t>(model->world_count()) + 1, -1)
    {
        motion.resize(forest, arrays.body_count());
        // Memory for the largest world and the largest tree is taken once. No later call allocates for its results.
        std::size_t widest = 0, largest = 0;
        for (std::int32_t w = -1; w < model->world_count(); ++w) {
            const auto dofs = model->dofs(WorldId(w));
            widest          = std::max(widest, dofs.size());
            for (std::size_t i = 0; i < dofs.size(); ++i) column[dofs[i].index()] = i;
        }
        for (const dynamics::Tree& tree : forest.trees)
            largest = std::max(largest, static_cast<std::size_t>(kLanes * tree.block_count()));
        for (const dynamics::Link& link : forest.links) {
            // The dofs of a free joint between two bodies are relative; the forest has them in the world. They have no
            // columns.
            if (link.free && link.from_body && link.joint >= 0) refuse(link.body);
            for (std::int32_t k = 0; k < link.dofs; ++k)
                if (link.joint >= 0 && !(link.free && link.from_body))
                    // The dofs of a link are numbered in both in the same order.
                    forest_dof[static_cast<std::size_t>(link.dof + k)] =
                        arrays.joint_qd_start[static_cast<std::size_t>(link.joint)] + k;
        }
        // A root that moves without a joint has dofs that the model does not number, yet its joints' dofs move it.
        for (const dynamics::Tree& tree : forest.trees) {
            const dynamics::Link& root     = forest.links[static_cast<std::size_t>(tree.link_begin)];
            bool                  numbered = false;
            for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
                numbered = numbered || forest_dof[static_cast<std::size_t>(k)] >= 0;
            if (root.from_body && root.joint < 0 && numbered) refuse(root.body);
        }
        matrix.resize(std::max<std::size_t>(6 * widest, widest * widest));
        vector.resize(widest);
        local.resize(largest);
        bias.resize(largest);
        tree_matrix.resize(largest * largest);
    }

    std::shared_ptr<const Model> model;
    const model::Model&          arrays;
    dynamics::Forest             forest;
    dynamics::Paths              paths;
    dynamics::Motion             motion;
    std::vector<double>          rows, pivots;
    std::vector<std::size_t>     column;       ///< by dof of the model: its place in its world
    std::vector<std::int32_t>    forest_dof;   ///< by dof of the forest: of the model, -1: none
    std::vector<std::int32_t>    unreachable;  ///< by world + 1: a body on a free joint to another body, -1: none
    std::vector<double>          matrix, vector, local, bias, tree_matrix;

    void refuse(std::int32_t body)
    { unreachable[static_cast<std::size_t>(arrays.body_world[static_cast<std::size_t>(body)] + 1)] = body; }

    std::int32_t world(std::optional<WorldId> world, const char* function) const
    {
        MCH_REQUIRE(world || model->world_count() == 0, function, "world",
                    "one of the worlds: the model has several, each with dynamics of its own");
        return simulation::world_of(world.value_or(kShared), model->world_count(), function);
    }

    /// Why a body has no dynamics in the dofs of the model.
    Diagnostic unnumbered(std::int32_t body, bool joint) const
    {
        return make_diagnostic(simulation::kDynamics, {.prim = arrays.body_label[static_cast<std::size_t>(body)]},
                               joint ? "the body hangs on a free joint to another body, whose dofs move both"
                                     : "the body moves without a joint, so its dofs have no number",
                               "Give it a joint to the world, as ModelBuilder::add_body does.");
    }

    Result<void> reachable(std::int32_t w) const
    {
        const std::int32_t body = unreachable[static_cast<std::size_t>(w + 1)];
        if (body < 0) return {};
        const std::int32_t link = forest.body_link[static_cast<std::size_t>(body)];
        return unnumbered(body, forest.links[static_cast<std::size_t>(link)].joint >= 0);
    }

    // Prescribed bodies first: trees hang on them.
    void load(const model::State& state)
    {
        for (const std::int32_t b : forest.prescribed) {
            // Their poses and velocities are taken as they are; the trees' follow from coordinates.
            const auto i         = static_cast<std::size_t>(b);
            motion.base_X[i]     = static_cast<Posed>(state.body_q[i]);
            motion.base_X[i].q   = normalized(motion.base_X[i].q);
            motion.base_twist[i] = static_cast<Spatiald>(state.body_qd[i]);
            motion.base_com[i]   = motion.base_X[i] * static_cast<Vec3d>(arrays.body_com[i]);
        }
        for (const dynamics::Tree& tree : forest.trees) {
            // Inertias are turned to world axes once for all columns.
            dynamics::load(arrays, forest, tree, state.joint_q, state.joint_qd, state.body_q, state.body_qd, {},
                           motion);
            dynamics::forward_kinematics(forest, tree, motion);
            dynamics::turn_inertias(forest, tree, motion);
        }
    }

    /// Calls visit(first of three entries of a tree, rotation) for the velocities of free links: the forest has them in
    /// world axes, the model in those of the joint's anchor. v_forest = R v_model.
    template <class Visit>
    void for_free(const dynamics::Tree& tree, Visit&& visit) const
    {
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
            const dynamics::Link& link = forest.links[static_cast<std::size_t>(l)];
            if (!link.free || link.joint < 0 || link.X_PJ.q == Quatd{}) continue;
            const Mat33d R = to_matrix(link.X_PJ.q);
            // Three linear dofs come first, then three angular ones; both are turned by R.
            const auto first = static_cast<std::size_t>(link.dof - tree.dof_begin);
            visit(first, R);
            visit(first + 3, R);
        }
    }
    // In place. R is a rotation, so its transpose takes back what it did.
    void to_forest(const dynamics::Tree& tree, std::span<double> x) const
    {
        for_free(tree, [&](std::size_t i, const Mat33d& R) { set(x, i, R * Vec3d{x[i], x[i + 1], x[i + 2]}); });
    }
    void to_model(const dynamics::Tree& tree, std::span<double> x) const
    {
        for_free(tree, [&](std::size_t i, const Mat33d& R) {
            set(x, i, transpose_times(R, Vec3d{x[i], x[i + 1], x[i + 2]}));
        });
    }
    static void set(std::span<double> x, std::size_t i, const Vec3d& v)
    {
        x[i]     = v.x;
        x[i + 1] = v.y;
        x[i + 2] = v.z;
    }

    /// A vector of a world into the order of a tree; entries without a dof of the model are 0.
    void gather(const dynamics::Tree& tree, std::span<const double> from)
    {
        std::fill(local.begin(), local.end(), 0.0);
        for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
            if (const std::int32_t d = forest_dof[static_cast<std::size_t>(k)]; d >= 0)
                local[static_cast<std::size_t>(k - tree.dof_begin)] = from[column[static_cast<std::size_t>(d)]];
        to_forest(tree, local);
    }
    void scatter(const dynamics::Tree& tree, std::span<double> x)
    {
        to_model(tree, x);
        for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
            if (const std::int32_t d = forest_dof[static_cast<std::size_t>(k)]; d >= 0)
                vector[column[static_cast<std::size_t>(d)]] = x[static_cast<std::size_t>(k - tree.dof_begin)];
    }
    double armature(std::int32_t k) const
    {
        const std::int32_t d = forest.model_dof[static_cast<std::size_t>(k)];
        // A dof that the model has no number for has no rotor.
        return d < 0 ? 0.0 : static_cast<double>(arrays.joint_armature[static_cast<std::size_t>(d)]);
    }
    void find_rows(const dynamics::Tree& tree)
    {
        dynamics::mass_matrix(forest, tree, paths, motion, rows);
        // Armature is added to the diagonal: the rotor's inertia seen through the gear.
        for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) rows[paths.diagonal(k)] += armature(k);
    }
    template <class Visit>
    // The trees that all worlds share belong to the world -1 and have dynamics of their own.
    void for_trees(std::int32_t w, Visit&& visit)
    {
        for (const dynamics::Tree& tree : forest.trees)
            if (tree.world == w) visit(tree);
    }
};

namespace {

// A bound for loops that the program asks for.
constexpr int kMostTries = 1000000;

std::shared_ptr<const Model> not_null(std::shared_ptr<const Model> model)
{
    MCH_REQUIRE(model != nullptr, "Dynamics", "model", "a model, not null");
    return model;
}

template <class Numbers>
bool all_finite(const Numbers& values)
{
    return std::all_of(values.begin(), values.end(), [](auto x) { return std::isfinite(x); });
}

}  // namespace

Dynamics::Dynamics(std::shared_ptr<const Model> model) : impl_(std::make_unique<Impl>(not_null(std::move(model))))
{ impl_->load(model::make_state(impl_->arrays)); }
Dynamics::~Dynamics()                              = default;
Dynamics::Dynamics(Dynamics&&) noexcept            = default;
Dynamics& Dynamics::operator=(Dynamics&&) noexcept = default;

// Poses must be settled: they are read for prescribed bodies and free roots.
Dynamics& Dynamics::at(const State& state)
{
    Impl& d = own(impl_, "Dynamics::at");
    simulation::require_same_model(d.model, state.model(), "Dynamics::at", "state");
    const model::State& s = state.arrays();
    if (!model::fits(d.arrays, s)) simulation::refuse_sizes("Dynamics::at", "state");
    const auto finite = [](const auto& x) { return is_finite(x); };
    MCH_REQUIRE(all_finite(s.joint_q) && all_finite(s.joint_qd) && std::ranges::all_of(s.body_q, finite) &&
                    std::ranges::all_of(s.body_qd, finite),
                "Dynamics::at", "state", "finite numbers");
    d.load(s);
    return *this;
}

Result<MatrixView> Dynamics::jacobian(BodyId body, const Vec3d& point)
{
    Impl& d = own(impl_, "Dynamics::jacobian");
    MCH_REQUIRE(is_finite(point), "Dynamics::jacobian", "point", "a finite point");
    std::int32_t w = -1, l = -1;
    if (body != kWorld) {
        const std::size_t b = index_of(body, d.arrays.body_count(), "Dynamics::jacobian", "body");
        w                   = d.arrays.body_world[b];
        l                   = d.forest.body_link[b];
    }
    const std::size_t n   = d.model->dofs(WorldId(w)).size();
    const auto        out = std::span(d.matrix).first(6 * n);
    std::fill(out.begin(), out.end(), 0.0);
    // The world and fixed bodies do not move: all columns stay zero.
    if (l < 0) return MatrixView{6, n, out};
    // Only joints on the way to the root move the body.
    for (std::int32_t at = l; at >= 0; at = d.forest.links[static_cast<std::size_t>(at)].parent) {
        const dynamics::Link& link = d.forest.links[static_cast<std::size_t>(at)];
        // A link whose dofs the model has no number for cannot have a column.
        if (!link.from_body) continue;
        return d.unnumbered(link.body, link.joint >= 0);
    }
    // The point is in the body's frame.
    const Vec3d p_W = d.motion.X_WB[static_cast<std::size_t>(l)] * point;
    // Rows 0 to 2 are the velocity of the point, rows 3 to 5 the angular velocity, both in world axes.
    dynamics::visit_point_columns(
        d.forest, d.motion, l, p_W, [&](std::int32_t k, const Vec3d& v, const Vec3d& angular) {
            const std::size_t c = d.column[static_cast<std::size_t>(d.forest_dof[static_cast<std::size_t>(k)])];
            for (std::size_t i = 0; i < 3; ++i) {
                out[i * n + c]       = v[i];
                out[(3 + i) * n + c] = angular[i];
            }
        });
    // Columns of a free joint stand for rates in the axes of its anchor: J_model = J_forest R.
    for (std::int32_t at = l; at >= 0; at = d.forest.links[static_cast<std::size_t>(at)].parent) {
        const dynamics::Link& link = d.forest.links[static_cast<std::size_t>(at)];
        if (!link.free || link.X_PJ.q == Quatd{}) continue;
        const Mat33d R = to_matrix(link.X_PJ.q);
        for (std::size_t first : {std::size_t{0}, std::size_t{3}}) {
            const std::size_t c =
                d.column[static_cast<std::size_t>(d.forest_dof[static_cast<std::size_t>(link.dof) + first])];
            for (std::size_t row = 0; row < 6; ++row)
                Impl::set(out, row * n + c,
                          transpose_times(R, Vec3d{out[row * n + c], out[row * n + c + 1], out[row * n + c + 2]}));
        }
    }
    return MatrixView{6, n, out};
}

Result<MatrixView> Dynamics::mass_matrix(std::optional<WorldId> world)
{
    Impl&              d = own(impl_, "Dynamics::mass_matrix");
    const std::int32_t w = d.world(world, "Dynamics::mass_matrix");
    if (auto good = d.reachable(w); !good) return good.error();
    const std::size_t n   = d.model->dofs(WorldId(w)).size();
    const auto        out = std::span(d.matrix).first(n * n);
    std::fill(out.begin(), out.end(), 0.0);
    d.for_trees(w, [&](const dynamics::Tree& tree) {
        d.find_rows(tree);
        const auto m     = static_cast<std::size_t>(tree.dof_count());
        const auto dense = std::span(d.tree_matrix).first(m * m);
        std::fill(dense.begin(), dense.end(), 0.0);
        for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
            // M has entries only between a dof and those on its way to the root; the others are zero in exact
            // arithmetic.
            for (const std::int32_t i : d.paths.of(k)) {
                const auto a     = static_cast<std::size_t>(k - tree.dof_begin),
                           b     = static_cast<std::size_t>(i - tree.dof_begin);
                dense[a * m + b] = dense[b * m + a] =
                    d.rows[d.paths.row(k) + static_cast<std::size_t>(d.paths.place[static_cast<std::size_t>(i)])];
            }
        // M R first, row by row, as a row of M R is R^T times the row of M; then R^T of that, column by column.
        for (std::size_t row = 0; row < m; ++row) d.to_model(tree, dense.subspan(row * m, m));
        d.for_free(tree, [&](std::size_t i, const Mat33d& R) {
            for (std::size_t c = 0; c < m; ++c) {
                const Vec3d v =
                    transpose_times(R, Vec3d{dense[i * m + c], dense[(i + 1) * m + c], dense[(i + 2) * m + c]});
                dense[i * m + c]       = v.x;
                dense[(i + 1) * m + c] = v.y;
                dense[(i + 2) * m + c] = v.z;
            }
        });
        // Where a dof of the tree stands in the world's order.
        const auto place = [&](std::size_t k) -> std::int32_t {
            const std::int32_t dof = d.forest_dof[static_cast<std::size_t>(tree.dof_begin) + k];
            return dof < 0 ? -1 : static_cast<std::int32_t>(d.column[static_cast<std::size_t>(dof)]);
        };
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b < m; ++b)
                if (place(a) >= 0 && place(b) >= 0)
                    out[static_cast<std::size_t>(place(a)) * n + static_cast<std::size_t>(place(b))] = dense[a * m + b];
    });
    return MatrixView{n, n, out};
}

Result<std::span<const double>> Dynamics::inverse_dynamics(std::span<const double> accelerations,
                                                           std::optional<WorldId>  world)
{
    Impl&              d = own(impl_, "Dynamics::inverse_dynamics");
    const std::int32_t w = d.world(world, "Dynamics::inverse_dynamics");
    const std::size_t  n = d.model->dofs(WorldId(w)).size();
    MCH_REQUIRE(accelerations.empty() || accelerations.size() == n, "Dynamics::inverse_dynamics", "accelerations",
                "one for each dof of the world, or none");
    MCH_REQUIRE(all_finite(accelerations), "Dynamics::inverse_dynamics", "accelerations", "finite numbers");
    if (auto good = d.reachable(w); !good) return good.error();
    const auto out = std::span(d.vector).first(n);
    std::fill(out.begin(), out.end(), 0.0);
    d.for_trees(w, [&](const dynamics::Tree& tree) {
        const auto m = static_cast<std::size_t>(tree.dof_count());
        // Without accelerations the result is the bias, which holds the robot against gravity at its velocities.
        const auto tau = std::span(d.bias).first(m);
        if (!accelerations.empty()) d.gather(tree, accelerations);
        dynamics::inverse_dynamics(d.forest, tree, static_cast<Vec3d>(d.arrays.gravity_of(tree.world)), {},
                                   accelerations.empty() ? nullptr : d.local.data(), d.motion, tau);
        for (std::size_t k = 0; k < m && !accelerations.empty(); ++k)
            // RNEA knows nothing of armature.
            tau[k] += d.armature(tree.dof_begin + static_cast<std::int32_t>(k)) * d.local[k];
        d.scatter(tree, tau);
    });
    return std::span<const double>(out);
}

Result<std::span<const double>> Dynamics::forward_dynamics(std::span<const double> forces, std::optional<WorldId> world)
{
    Impl&              d = own(impl_, "Dynamics::forward_dynamics");
    const std::int32_t w = d.world(world, "Dynamics::forward_dynamics");
    const std::size_t  n = d.model->dofs(WorldId(w)).size();
    MCH_REQUIRE(forces.size() == n, "Dynamics::forward_dynamics", "forces", "one for each dof of the world");
    MCH_REQUIRE(all_finite(forces), "Dynamics::forward_dynamics", "forces", "finite numbers");
    if (auto good = d.reachable(w); !good) return good.error();
    // `forces` may be what inverse_dynamics returned, which lies in `vector`: it is read before each tree is written.
    d.for_trees(w, [&](const dynamics::Tree& tree) {
        const auto m = static_cast<std::size_t>(tree.dof_count());
        d.gather(tree, forces);
        const auto bias = std::span(d.bias).first(m);
        dynamics::inverse_dynamics(d.forest, tree, static_cast<Vec3d>(d.arrays.gravity_of(tree.world)), {}, nullptr,
                                   d.motion, bias);
        // M a = tau - bias: bias is RNEA at zero acceleration.
        for (std::size_t k = 0; k < m; ++k) d.local[k] -= bias[k];
        d.find_rows(tree);
        // LTL of the sparse matrix: no entries are filled in when leaves come first (Featherstone 2008, chapter 6).
        dynamics::factor(tree, d.paths, d.rows, d.pivots);
        dynamics::solve_factored(tree, d.paths, d.rows, d.pivots, d.local.data());
        d.scatter(tree, std::span(d.local).first(m));
    });
    // Dofs of loop joints and disabled ones move nothing by themselves.
    // They keep what gather left there otherwise.
    for (const DofId dof : d.model->dofs(WorldId(w)))
        if (d.model->arrays().joint_enabled[d.model->joint_of(dof).index()] == 0 ||
            d.forest.joint_link[d.model->joint_of(dof).index()] < 0)
            d.vector[d.column[dof.index()]] = 0;
    return std::span<const double>(d.vector).first(n);
}

Result<IkSolution> Dynamics::inverse_kinematics(const State& start, std::span<const Goal> goals,
                                                const IkSettings& settings)
{
    Impl& d = own(impl_, "Dynamics::inverse_kinematics");
    simulation::require_same_model(d.model, start.model(), "Dynamics::inverse_kinematics", "start");
    MCH_REQUIRE(settings.iterations >= 0 && settings.iterations <= kMostTries, "Dynamics::inverse_kinematics",
                "settings.iterations", "a number from 0 to 1000000");
    MCH_REQUIRE(settings.starts >= 1 && settings.starts <= kMostTries, "Dynamics::inverse_kinematics",
                "settings.starts", "a number from 1 to 1000000");
    MCH_REQUIRE(settings.position_tolerance >= 0, "Dynamics::inverse_kinematics", "settings.position_tolerance",
                "a length that is not negative");
    MCH_REQUIRE(settings.rotation_tolerance >= 0, "Dynamics::inverse_kinematics", "settings.rotation_tolerance",
                "an angle that is not negative");
    std::vector<dynamics::IkGoal> wanted;
    // Weights and tolerances are passed on; that a goal is usable is checked by solve_ik.
    for (const Goal& goal : goals)
        wanted.push_back({.body            = goal.body.value,
                          .point           = goal.point,
                          .position        = goal.position,
                          .rotation        = goal.rotation,
                          .position_weight = goal.position_weight,
                          .rotation_weight = goal.rotation_weight});
    dynamics::IkOptions options;
    options.iterations         = settings.iterations;
    options.starts             = settings.starts;
    options.position_tolerance = settings.position_tolerance;
    options.rotation_tolerance = settings.rotation_tolerance;
    const auto found           = dynamics::solve_ik(d.arrays, start.arrays(), wanted, options);
    if (found.refused) return *found.refused;
    IkSolution solution{found.solved, found.position_error, found.rotation_error, start};
    solution.state.arrays().joint_q = found.joint_q;
    // Poses follow from the coordinates found.
    solution.state.settle();
    return solution;
}

}  // namespace mechane
