#include "mechane/dynamics/four_trees.h"

#include <cmath>
#include <numeric>

#include "mechane/dynamics/mass_matrix.h"
#include "random_tree.h"

using namespace mechane;
using namespace mechane::test;

TEST_CASE("four copies of a robot side by side have the bits that each has alone (DYN-132)")
{
    for_seeds(20, [](Random& r) {
        model::ModelBuilder all;
        REQUIRE(all.replicate(random_robot_builder(r, r.uniform() < 0.5), 4));
        const model::Model m = finalized(all);
        model::State       s = model::make_state(m);
        randomize(m, r, s);
        dynamics::JointSpace space(m);
        space.set_state(s);
        const dynamics::Forest&   f     = space.forest();
        const dynamics::Paths     paths = dynamics::list_paths(f, true);
        const dynamics::FourTrees trees{0, 1, 2, 3};
        REQUIRE(f.trees.size() == 4);
        for (const dynamics::Tree& tree : f.trees) CHECK(tree.kind == 0);

        dynamics::Motion alone = space.motion(), four = alone;
        // Kinematics has to make all of it again.
        four.X_WB.assign(four.X_WB.size(), {});
        four.R_WB.assign(four.R_WB.size(), {});
        four.com_W.assign(four.com_W.size(), {});
        four.twist.assign(four.twist.size(), {});
        four.link_velocity.assign(four.link_velocity.size(), {});
        four.column.assign(four.column.size(), {});
        four.reference.assign(four.reference.size(), {});
        dynamics::forward_kinematics(f, trees, four);
        CHECK(same_bits(four.X_WB, alone.X_WB));
        CHECK(same_bits(four.R_WB, alone.R_WB));
        CHECK(same_bits(four.com_W, alone.com_W));
        CHECK(same_bits(four.twist, alone.twist));
        CHECK(same_bits(four.link_velocity, alone.link_velocity));
        CHECK(same_bits(four.column, alone.column));
        CHECK(same_bits(four.reference, alone.reference));

        const Vec3d           gravity{0.3, -1, -9.81};
        std::vector<Spatiald> wrench(f.links.size());
        for (Spatiald& w : wrench) w = {r.vec(3), r.vec(3)};
        std::vector<double>    tau(static_cast<std::size_t>(f.dof_count)), tau_of_four(tau.size());
        dynamics::FourDynamics dynamics_of_four(f, paths, trees, four);
        const auto             compare = [&] {
            for (const dynamics::Tree& tree : f.trees)
                dynamics::inverse_dynamics(f, tree, gravity, wrench, nullptr, alone,
                                           std::span(tau).subspan(static_cast<std::size_t>(tree.dof_begin),
                                                                  static_cast<std::size_t>(tree.dof_count())));
            dynamics_of_four.inverse_dynamics({gravity, gravity, gravity, gravity}, wrench, tau_of_four);
            CHECK(same_bits(tau_of_four, tau));
        };
        compare();

        std::vector<double> factored(paths.size()), factored_of_four(paths.size()), diagonal(tau.size()),
            inverse_pivots(tau.size()), inverse_pivots_of_four(tau.size());
        for (double& d : diagonal) d = r.uniform(0, 0.1);
        for (const dynamics::Tree& tree : f.trees) {
            dynamics::mass_matrix(f, tree, paths, alone, factored);
            for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k) factored[paths.diagonal(k)] += diagonal[k];
            dynamics::factor(tree, paths, factored, inverse_pivots);
        }
        dynamics_of_four.factor(diagonal);
        dynamics_of_four.put_factors(factored_of_four, inverse_pivots_of_four);
        CHECK(same_bits(factored_of_four, factored));
        CHECK(same_bits(inverse_pivots_of_four, inverse_pivots));

        const auto          n     = static_cast<std::size_t>(f.trees[0].dof_count());
        const std::size_t   whole = (n + 3) / 4 * 4;  // numbers of each tree
        std::vector<double> x(4 * whole), y(4 * whole), u_of_four(4 * whole), roots(4 * whole);
        for (std::size_t t = 0; t < 4; ++t)
            for (std::size_t k = 0; k < n; ++k) x[t * whole + k] = r.uniform(-1, 1);
        const auto of_trees = [&](std::vector<double>& of) {
            return std::array{of.data(), of.data() + whole, of.data() + 2 * whole, of.data() + 3 * whole};
        };
        std::vector<double> x_of_four = x;
        for (const dynamics::Tree& tree : f.trees)
            dynamics::solve_factored(tree, paths, factored, inverse_pivots, x.data() + whole * (&tree - &f.trees[0]));
        dynamics_of_four.respond(of_trees(x_of_four));
        CHECK(same_bits(x_of_four, x));

        // Whitened: the rows give the inverse of M, and u its energy; roots are those of 1/D.
        std::vector<double> rows(paths.size());
        dynamics_of_four.whiten(alone.v);
        dynamics_of_four.put_rows(rows, of_trees(roots), of_trees(u_of_four));
        for (const dynamics::Tree& tree : f.trees) {
            const auto          t = static_cast<std::size_t>(&tree - &f.trees[0]);
            std::vector<double> v(whole), Lv(whole);
            std::copy_n(alone.v.begin() + tree.dof_begin, n, v.begin());
            dynamics::multiply_unit(tree, paths, factored, v.data(), Lv.data());
            for (std::size_t k = 0; k < n; ++k) {
                const double root = std::sqrt(inverse_pivots[static_cast<std::size_t>(tree.dof_begin) + k]);
                CHECK(roots[t * whole + k] == root);
                CHECK(u_of_four[t * whole + k] == Lv[k] * (1 / root));
                // M^-1 e_k from the rows of both dofs.
                std::vector<double> e(whole);
                e[k] = 1;
                dynamics::solve_factored(tree, paths, factored, inverse_pivots, e.data());
                const auto row = [&](std::size_t i) {
                    std::vector<double> out(n);
                    const auto          dof = tree.dof_begin + static_cast<std::int32_t>(i);
                    for (const std::int32_t on : paths.of(dof))
                        out[static_cast<std::size_t>(on - tree.dof_begin)] =
                            rows[paths.row(dof) + static_cast<std::size_t>(paths.place[on])];
                    return out;
                };
                for (std::size_t i = 0; i < n; ++i) {
                    const auto a = row(i), b = row(k);
                    CHECK(std::inner_product(a.begin(), a.end(), b.begin(), 0.0) ==
                          close_to(e[i], 1e-10 * (1 + std::abs(e[i]))));  // a condition number of 1e5 at most
                }
            }
        }

        for (double& rate : alone.v) rate = r.uniform(-2, 2);
        for (const dynamics::Tree& tree : f.trees) dynamics::update_velocities(f, tree, alone);
        dynamics_of_four.set_velocities(alone.v);
        compare();
    });
}

TEST_CASE("robots are alike if all of their links and joints are, wherever they stand (DYN-132)")
{
    Random     r(7);
    const auto one      = random_robot_builder(r, false);
    const auto kinds_of = [](const model::ModelBuilder& b) {
        std::vector<std::int32_t> kinds;
        for (const dynamics::Tree& tree : dynamics::build_forest(finalized(b)).trees) kinds.push_back(tree.kind);
        return kinds;
    };
    model::ModelBuilder all;
    REQUIRE(all.replicate(one, 4));
    const auto links  = one.bodies.size();
    const auto change = [&](auto&& write) {
        model::ModelBuilder changed = all;
        write(changed, links + 3, links + 3);  // of the second robot
        return kinds_of(changed);
    };
    CHECK(kinds_of(all) == std::vector<std::int32_t>{0, 0, 0, 0});
    CHECK(change([](auto& b, auto, auto) { b.joints[b.joints.size() / 4].parent_xform.p.x += 1; }) ==
          std::vector<std::int32_t>{0, 0, 0, 0});
    CHECK(change([](auto& b, auto body, auto) { b.bodies[body].mass *= 1.5; }) ==
          std::vector<std::int32_t>{0, 1, 0, 0});
    CHECK(change([](auto& b, auto, auto joint) { b.joints[joint].child_xform.p.x += 1e-3; }) ==
          std::vector<std::int32_t>{0, 1, 0, 0});
    CHECK(change([](auto& b, auto, auto joint) { b.joints[joint].parent_xform.p.x += 1e-3; }) ==
          std::vector<std::int32_t>{0, 1, 0, 0});
}
