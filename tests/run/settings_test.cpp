#include "mechane/simulation/settings.h"

#include "mechane/model/builder.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

namespace {

/// Two bodies "/r/a" and "/r/b" on a hinge each; "/r/a" hangs on the world.
model::Model two_hinges()
{
    model::ModelBuilder builder;
    const Mat33d        e = Mat33d::identity();
    const auto          a = builder.add_link({}, "/r/a", 1, {}, e), b = builder.add_link({}, "/r/b", 1, {}, e);
    const auto          j = builder.add_joint_revolute(-1, a, {}, {}, {}, "/r/j1");
    const auto          k = builder.add_joint_revolute(a, b, {}, {}, {}, "/r/j2");
    builder.add_articulation({j, k}, "/r");
    Diagnostics found;
    auto        model = builder.finalize({}, found);
    REQUIRE(model);
    return *std::move(model);
}

}  // namespace

TEST_CASE("a setting writes the named joint in radians and metres")
{
    const model::Model model   = two_hinges();
    model::State       state   = model::make_state(model);
    model::Control     control = model::make_control(model);
    const auto         target  = run::parse_setting(model, "/r/j2.target=90deg");
    REQUIRE(target);
    run::apply_setting(*target, state, control);
    CHECK(static_cast<double>(control.joint_target_q[1]) == close_to(kPi / 2, 1e-6));  // float
    CHECK(control.joint_target_q[0] == 0);
    const auto speed = run::parse_setting(model, "j1.qd = 2");  // the last element of a path is enough
    REQUIRE(speed);
    run::apply_setting(*speed, state, control);
    CHECK(state.joint_qd[0] == 2);
    const auto body = run::parse_setting(model, "/r/b.qd=1,2,3,4,5,6");
    REQUIRE(body);
    run::apply_setting(*body, state, control);
    CHECK(state.body_qd[1].linear.z == 3);
    CHECK(state.body_qd[1].angular.x == 4);
}

TEST_CASE("settings that name nothing, or no number, are refused with their reason")
{
    const model::Model model = two_hinges();
    struct {
        const char* text;
        const char* id;
    } table[] = {
        {"/r/j9.target=1", "RUN_SET_UNKNOWN"},    {"/r/j1.colour=1", "RUN_SET_UNKNOWN"},
        {"/r/j1=1", "RUN_SET_UNKNOWN"},           {"/r/j1.target", "RUN_SET_UNKNOWN"},
        {"/r/j1.target=x", "RUN_ARGUMENT"},       {"/r/j1.target=nan", "RUN_ARGUMENT"},
        {"/r/j1.target=1,2", "RUN_ARGUMENT"},     {"/r/a.qd=1,2", "RUN_ARGUMENT"},
        {"/r/j1.target[3]=1", "RUN_SET_UNKNOWN"}, {"", "RUN_SET_UNKNOWN"},
    };
    for (const auto& row : table) {
        CAPTURE(row.text);
        const auto setting = run::parse_setting(model, row.text);
        REQUIRE_FALSE(setting);
        CHECK(setting.error().id == row.id);
        CHECK_FALSE(setting.error().hint.empty());
    }
}

TEST_CASE("a control file holds each row until the next, and says where it is wrong")
{
    const model::Model model   = two_hinges();
    model::State       state   = model::make_state(model);
    model::Control     control = model::make_control(model);
    const auto         table =
        run::parse_control_table(model, "# comment\nt,/r/j1.target_q,/r/j2.f\n0.5,1,2\n1.0,3,4\n", "good.csv");
    REQUIRE(table);
    run::apply_controls(*table, 0.4, state, control);
    CHECK(control.joint_target_q[0] == 0);
    run::apply_controls(*table, 0.7, state, control);
    CHECK(control.joint_target_q[0] == 1);
    CHECK(control.joint_f[1] == 2);
    run::apply_controls(*table, 1.0, state, control);
    CHECK(control.joint_f[1] == 4);

    for (const char* text :
         {"", "x,/r/j1.f\n", "t\n", "t,/r/j9.f\n", "t,/r/j1.f\n1\n", "t,/r/j1.f\n0,a\n", "t,/r/j1.f\n1,0\n0,0\n"}) {
        CAPTURE(text);
        const auto bad = run::parse_control_table(model, text, "bad.csv");
        REQUIRE_FALSE(bad);
        CHECK(bad.error().site.layer == "bad.csv");
    }
    CHECK_FALSE(run::read_control_file("/nowhere.csv"));
}

TEST_CASE("a setting reaches the joint in every copy of a world")
{
    model::ModelBuilder one;
    const auto          body = one.add_link({}, "/r/b", 1, {}, Mat33d::identity());
    one.add_articulation({one.add_joint_revolute(-1, body, {}, {}, {}, "/r/j")}, "/r");
    model::ModelBuilder copies;
    REQUIRE(copies.replicate(one, 3));
    Diagnostics found;
    const auto  model = copies.finalize({}, found);
    REQUIRE(model);
    model::State   state   = model::make_state(*model);
    model::Control control = model::make_control(*model);
    for (const char* text : {"/r/j.q=0.5", "j.q=0.5"}) {
        CAPTURE(text);
        state              = model::make_state(*model);
        const auto setting = run::parse_setting(*model, text);
        REQUIRE(setting);
        run::apply_setting(*setting, state, control);
        for (std::size_t world = 0; world < 3; ++world) CHECK(state.joint_q[world] == Real(0.5));
    }
}
