#include "dynamics/random_tree.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/solvers/solver.h"

using namespace mechane;
using namespace mechane::test;

TEST_CASE("a step goes on from the state that it published, as a new solver would that was given it (DYN-132)")
{
    for_seeds(20, [](Random& r) {
        const model::Model   m       = random_robot(r, r.below(2) == 0);
        const model::Control control = model::make_control(m);
        const auto           make    = [&] {
            Diagnostics out;
            auto        made = solvers::make_solver("softstep", m, {.substeps = 2}, out);
            REQUIRE(made);
            return std::move(*made);
        };
        const auto   solver = make();
        model::State state  = model::make_state(m);
        dynamics::project_to_joints(m, state);
        for (Real& rate : state.joint_qd) rate = static_cast<Real>(r.uniform(-1, 1));
        for (int i = 0; i < 20; ++i) {
            if (i % 7 == 3)  // what the caller writes in between counts
                for (std::size_t k = 0; k < state.joint_qd.size(); ++k) state.joint_qd[k] *= Real(0.5);
            // Loads last as long as they are there.
            for (Spatial& load : state.body_f) load = i % 5 == 1 ? Spatial{{1, -2, 3}, {}} : Spatial{};
            const auto   other = make();
            model::State next  = state;
            REQUIRE(other->restore(solver->save()));
            REQUIRE_FALSE(other->step(state, next, control, nullptr, 0.005).diverged);
            REQUIRE_FALSE(solver->step(state, state, control, nullptr, 0.005).diverged);
            CHECK(same_bits(state.body_q, next.body_q));
            CHECK(same_bits(state.body_qd, next.body_qd));
            CHECK(same_bits(state.joint_q, next.joint_q));
            CHECK(same_bits(state.joint_qd, next.joint_qd));
        }
        // And the bodies are where the joints say: forward kinematics of what was published, in float.
        model::State again = state;
        REQUIRE(dynamics::eval_fk(m, state.joint_q, state.joint_qd, again));
        for (std::size_t b = 0; b < m.body_count(); ++b)
            CHECK(length(again.body_q[b].p - state.body_q[b].p) < Real(1e-5) * (1 + length(state.body_q[b].p)));
    });
}
