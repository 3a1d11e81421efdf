#include "mechane/dynamics/four_trees.h"

#include <cstring>

#include "mechane/dynamics/mass_matrix.h"
#include "random_tree.h"

using namespace mechane;
using namespace mechane::test;

namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{ return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0; }

}  // namespace

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
        std::vector<double>    matrix(paths.size()), matrix_of_four(paths.size());
        dynamics::FourDynamics dynamics_of_four(f, trees, four);
        const auto             compare = [&] {
            for (const dynamics::Tree& tree : f.trees)
                dynamics::inverse_dynamics(f, tree, gravity, wrench, nullptr, alone,
                                           std::span(tau).subspan(static_cast<std::size_t>(tree.dof_begin),
                                                                  static_cast<std::size_t>(tree.dof_count())));
            dynamics_of_four.inverse_dynamics({gravity, gravity, gravity, gravity}, wrench, tau_of_four);
            CHECK(same_bits(tau_of_four, tau));
        };
        compare();
        for (const dynamics::Tree& tree : f.trees) dynamics::mass_matrix(f, tree, paths, alone, matrix);
        dynamics_of_four.mass_matrix(paths, four, matrix_of_four);
        CHECK(same_bits(matrix_of_four, matrix));

        for (double& rate : alone.v) rate = r.uniform(-2, 2);
        for (const dynamics::Tree& tree : f.trees) dynamics::update_velocities(f, tree, alone);
        dynamics_of_four.set_velocities(alone.v);
        compare();
    });
}

TEST_CASE("robots are alike if all of their links and joints are, wherever they stand (DYN-132)")
{
    Random     r(7);
    const auto one = random_robot_builder(r, false);
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
