#include "world.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::literals;

namespace {

/// Boxes that land and sleep, an arm driven against its limit with dry friction, and a hook that breaks in a while.
model::ModelBuilder scene()
{
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    b.add_ground_plane(0);
    for (int i = 0; i < 4; ++i)
        b.add_shape_box(b.add_body({{0.01 * i, 0, 0.1 + 0.22 * i}, {}}, fmt::format("box{}", i)), {}, {0.1, 0.1, 0.1},
                        {});
    const auto arm  = b.add_link({}, "arm", 1, {0.2, 0, 0}, 0.1 * Mat33d::identity());
    auto       d    = dof({0, 1, 0});
    d.target_ke     = 20;
    d.target_kd     = 0.5;
    d.target_q      = 0.8;
    d.limit_lower   = -0.5;
    d.limit_upper   = 0.5;
    d.friction      = 0.05;
    d.effort_limit  = 3;
    d.actuator_mode = model::TargetMode::position;
    b.add_articulation({b.add_joint_revolute(-1, arm, {{2, 0, 1}, {}}, {}, d)}, "arm");
    const auto          weight = b.add_link({}, "weight", 5, {}, Mat33d::identity());
    model::BuilderJoint hook;
    hook.child        = weight;
    hook.parent_xform = {{-2, 0, 20}, {}};
    hook.label        = "hook";
    hook.break_force  = 60;
    b.add_articulation({b.add_joint(hook)}, "hung");
    return b;
}

struct Run : World {
    collision::CollisionPipeline pipeline;
    model::Contacts              contacts;

    explicit Run(bool sleeping) : World(scene()), pipeline(model), contacts(pipeline.make_contacts())
    {
        auto made = solvers::make_solver("softstep", model, {.sleeping = sleeping}, notices);
        REQUIRE(made);
        solver = std::move(*made);
    }
    void advance(int from, int to)
    {
        for (int i = from; i < to; ++i) {
            if (i == 60) state.body_f[5].linear.z = -20;  // 69 N on the hook
            pipeline.collide(state, 1.0 / 60, contacts);
            step(1.0 / 60, &contacts);
            REQUIRE_FALSE(report.diverged);
        }
    }
};

}  // namespace

TEST_CASE("a solver that is given another's memory and state goes on with the same bits")
{
    for (const bool sleeping : {false, true})
        for (const int cut : {1, 20, 61, 100, 150}) {
            CAPTURE(sleeping);
            CAPTURE(cut);
            Run whole(sleeping), first(sleeping), second(sleeping);
            whole.advance(0, 200);
            CHECK(whole.position(5).z < 19);  // the hook broke
            first.advance(0, cut);
            second.state = first.state;
            REQUIRE(second.solver->restore(first.solver->save()));
            second.advance(cut, 200);
            CHECK(same_bits(whole.state.body_q, second.state.body_q));
            CHECK(same_bits(whole.state.body_qd, second.state.body_qd));
            CHECK(same_bits(whole.state.joint_q, second.state.joint_q));
            CHECK(same_bits(whole.state.joint_qd, second.state.joint_qd));
        }
}

TEST_CASE("memory that is cut off or of another model is refused and changes nothing")
{
    Run a(true);
    a.advance(0, 50);
    const auto memory = a.solver->save();
    for (std::size_t cut = 0; cut < memory.size(); cut += 1 + memory.size() / 60)
        CHECK_FALSE(a.solver->restore({memory.data(), cut}));
    CHECK(a.solver->save() == memory);
    World other(unit_hinge(dof({0, 0, 1})));
    CHECK_FALSE(other.solver->restore(memory));
}
