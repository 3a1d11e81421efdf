#include "mechane/simulation/settings.h"

#include "mechane/dynamics/kinematics.h"
#include "mechane/model/builder.h"
#include "mechane/model/custom_rows.h"
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
    run::apply_setting(model, *target, state, control);
    CHECK(static_cast<double>(control.joint_target_q[1]) == close_to(kPi / 2, 1e-6));  // float
    CHECK(control.joint_target_q[0] == 0);
    const auto speed = run::parse_setting(model, "j1.qd = 2");  // the last element of a path is enough
    REQUIRE(speed);
    run::apply_setting(model, *speed, state, control);
    CHECK(state.joint_qd[0] == 2);
    const auto body = run::parse_setting(model, "/r/b.qd=1,2,3,4,5,6");
    REQUIRE(body);
    run::apply_setting(model, *body, state, control);
    CHECK(state.body_qd[1].linear.z == 3);
    CHECK(state.body_qd[1].angular.x == 4);
}

TEST_CASE("a setting writes one entry of an attribute that the control holds, or all of them")
{
    model::ModelBuilder builder;
    const auto          body = builder.add_link({}, "/r/a", 1, {}, Mat33d::identity());
    builder.add_articulation({builder.add_joint_revolute(-1, body, {}, {}, {}, "/r/j1")}, "/r");
    for (const auto& [name, type] :
         {std::pair{"ctrl", model::CustomType::float32}, std::pair{"mode", model::CustomType::int32}})
        REQUIRE(builder.add_custom_attribute({.name       = name,
                                              .space      = "mujoco",
                                              .type       = type,
                                              .frequency  = model::rows_of(model::RowKind::actuator),
                                              .assignment = model::CustomAssignment::control}));
    for (std::int32_t i = 0; i < 3; ++i) builder.custom_attribute("mujoco:ctrl")->values[i] = {0};
    Diagnostics found;
    const auto  model = builder.finalize({}, found);
    REQUIRE(model);
    model::State   state   = model::make_state(*model);
    model::Control control = model::make_control(*model);
    const auto     now     = [&](std::size_t i) { return control.custom_arrays.find("mujoco:ctrl")->at(i)[0]; };
    const auto     set     = [&](const char* text) {
        const auto setting = run::parse_setting(*model, text);
        REQUIRE(setting);
        run::apply_setting(*model, *setting, state, control);
    };
    set("mujoco:ctrl[1]=-2.5");
    CHECK((now(0) == 0 && now(1) == -2.5 && now(2) == 0));
    set("mujoco:ctrl=1,2,3");
    CHECK((now(0) == 1 && now(1) == 2 && now(2) == 3));
    set("mujoco:ctrl=4");
    CHECK((now(0) == 4 && now(2) == 4));
    const auto table = run::parse_control_table(*model, "t,mujoco:ctrl[2],j1.f\n0,7,1\n1,8,2\n", "c.csv");
    REQUIRE(table);
    run::apply_controls(*model, *table, 1.5, state, control);
    CHECK((now(2) == 8 && now(0) == 4 && control.joint_f[0] == 2));
    for (const char* text :
         {"mujoco:ctrl[3]=1", "mujoco:ctrl[x]=1", "mujoco:ctrl[1x]=1", "mujoco:control[0]=1", "mujoco:mode=1"}) {
        CAPTURE(text);
        const auto bad = run::parse_setting(*model, text);
        REQUIRE_FALSE(bad);
        CHECK(bad.error().id == "RUN_SET_UNKNOWN");
        CHECK_FALSE(bad.error().hint.empty());
    }
    CHECK(run::parse_setting(*model, "mujoco:ctrl[0]=1cm").error().id ==
          "RUN_ARGUMENT");  // of what it pulls nobody knows
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
    run::apply_controls(model, *table, 0.4, state, control);
    CHECK(control.joint_target_q[0] == 0);
    run::apply_controls(model, *table, 0.7, state, control);
    CHECK(control.joint_target_q[0] == 1);
    CHECK(control.joint_f[1] == 2);
    run::apply_controls(model, *table, 1.0, state, control);
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
        run::apply_setting(*model, *setting, state, control);
        for (std::size_t world = 0; world < 3; ++world) CHECK(state.joint_q[world] == Real(0.5));
    }
}

TEST_CASE("the velocity of a body that is set is what it starts with, in every world, and its joint says the same")
{
    model::ModelBuilder one;
    const auto          ball = one.add_body({{0, 0, 2}, {}}, "/r/ball", 1, {}, Mat33d::identity());
    const auto          link = one.add_link({}, "/r/link", 1, {}, Mat33d::identity());
    one.add_articulation({one.add_joint_revolute(-1, link, {}, {}, {.axis = {0, 0, 1}}, "/r/j")}, "/r/arm");
    static_cast<void>(ball);
    model::ModelBuilder copies;
    REQUIRE(copies.replicate(one, 3));
    Diagnostics found;
    const auto  model = copies.finalize({}, found);
    REQUIRE(model);
    model::State   state   = model::make_state(*model);
    model::Control control = model::make_control(*model);
    for (const char* text : {"/r/ball.qd=1,2,3,0,0,90deg", "/r/link.qd=7,0,0,5,0,3"}) {
        const auto setting = run::parse_setting(*model, text);
        REQUIRE(setting);
        run::apply_setting(*model, *setting, state, control);
    }
    // joint_qd has the last word: what the bodies do after it was consulted is what was asked, as far as a hinge can.
    REQUIRE(dynamics::eval_fk(*model, state.joint_q, state.joint_qd, state));
    for (std::size_t body = 0; body < model->body_count(); ++body) {
        CAPTURE(body);
        const auto& qd = state.body_qd[body];
        if (model->body_label[body] == "/r/link") {
            CHECK(static_cast<double>(qd.angular.z) == close_to(3, 1e-6));
            CHECK(static_cast<double>(qd.angular.x) == close_to(0, 1e-6));
        } else {
            CHECK(static_cast<double>(qd.linear.z) == close_to(3, 1e-6));
            CHECK(static_cast<double>(qd.angular.z) == close_to(kPi / 2, 1e-6));
        }
    }
}

TEST_CASE("a unit that does not fit the axis is refused, and the message has the units that do")
{
    const model::Model model = two_hinges();
    for (const char* text : {"/r/j1.q=1cm", "/r/j1.target=2m", "/r/j1.qd=1mm", "/r/j1.f=3deg", "/r/a.qd=1,2,3,4m,5,6",
                             "/r/a.qd=1deg,2,3,4,5,6"}) {
        CAPTURE(text);
        const auto setting = run::parse_setting(model, text);
        REQUIRE_FALSE(setting);
        CHECK(setting.error().id == "RUN_ARGUMENT");
        CHECK(setting.error().message.find("takes") != std::string::npos);
    }
    for (const char* text : {"/r/j1.q=1deg", "/r/j1.qd=90deg", "/r/j1.f=3", "/r/a.qd=1m,2cm,3mm,4deg,5rad,6"})
        CHECK(run::parse_setting(model, text));
    CHECK(run::parse_setting(model, "/r/j1.q=1cm").error().message.find("deg") != std::string::npos);
}

TEST_CASE("a control file may name the unit of a column, begin with a byte order mark, and name no column twice")
{
    const model::Model model = two_hinges();
    const auto         table =
        run::parse_control_table(model, "\xEF\xBB\xBFt,/r/j1.target [deg],/r/j2.qd\n0,90,1\n1,1rad,2\n", "x");
    REQUIRE(table);
    CHECK(table->rows[0][0] == close_to(kPi / 2, 1e-12));
    CHECK(table->rows[1][0] == 1);
    for (const char* text : {"t,/r/j1.q,/r/j1.q\n0,1,2\n", "t,/r/j1.q [cm]\n0,1\n", "t,/r/j1.q [furlong]\n0,1\n",
                             "t,/r/j1.q\n0,1mm\n", "t,/r/j1.q\n1deg,1\n"}) {
        CAPTURE(text);
        const auto bad = run::parse_control_table(model, text, "x");
        REQUIRE_FALSE(bad);
        CHECK(bad.error().id == "RUN_CONTROL_FILE");
    }
}
