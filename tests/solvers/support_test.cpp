#include "mechane/solvers/support.h"
#include "mechane/model/custom_rows.h"
#include "mechane/solvers/codes.h"
#include "world.h"

using namespace mechane;
using namespace mechane::test;
using solvers::Support;

namespace {

/// A sticky ball, a soft box, and two particles.
model::ModelBuilder strange()
{
    model::ModelBuilder b;
    model::ShapeConfig  sticky = b.default_shape, soft = b.default_shape;
    sticky.ka       = 0.01;
    soft.ke         = 10;
    const auto ball = b.add_body({{0, 0, 2}, {}}, "ball"), box = b.add_body({{1, 0, 2}, {}}, "box");
    b.add_shape_sphere(ball, {}, 0.1, sticky, "sticky");
    b.add_shape_box(box, {}, {0.1, 0.1, 0.1}, soft, "soft");
    for (const double x : {2.0, 3.0}) b.add_particle({x, 0, 1}, {0, 0, -1}, 0.1);
    return b;
}

}  // namespace

TEST_CASE("what a solver does not honour is said once a feature, with what has it and what happens instead (DYN-046)")
{
    const model::Model m = finalized(strange());
    Diagnostics        notices;
    REQUIRE(solvers::make_solver("softstep", m, {}, notices));
    CHECK(notices.count("SOLVER_FEATURE") == 1);
    CHECK(notices.count("SOLVER_APPROXIMATES") == 1);
    std::vector<std::string> sites;
    for (const Diagnostic& d : notices)
        if (d.id.starts_with("SOLVER_FEATURE") || d.id.starts_with("SOLVER_APPROX")) {
            sites.push_back(d.site.prim);
            CHECK(d.message.find(": ") != std::string::npos);
        }
    CHECK(sites == std::vector<std::string>{"sticky", "soft"});
}

TEST_CASE("a solver that understands particles alone refuses contacts of edges and triangles (COL-138)")
{
    const model::Model m = finalized(strange());
    Diagnostics        notices;
    const auto         solver = solvers::make_solver("xpbd", m, {}, notices);
    REQUIRE(solver);
    const model::State before  = model::make_state(m);
    model::State       after   = before;
    const auto         control = model::make_control(m);
    model::Contacts    contacts;
    CHECK_FALSE((*solver)->step(before, after, control, &contacts, 1e-3).refused);
    contacts.soft_contact_full_surface = true;
    const auto report                  = (*solver)->step(before, after, control, &contacts, 1e-3);
    REQUIRE(report.refused);
    CHECK(report.refused->id == "SOLVER_CONTACTS");
    CHECK(report.refused->message.find("xpbd") != std::string::npos);
    CHECK(report.diverged);
    CHECK(after.body_q == before.body_q);
    CHECK_FALSE(solvers::particle_contacts_only("any", contacts));
}

TEST_CASE("strict makes an error of what a solver does not honour (DYN-047)")
{
    const model::Model m = finalized(strange());
    Diagnostics        notices;
    const auto         refused = solvers::make_solver("softstep", m, {.strict = true}, notices);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().id == "SOLVER_MODEL");
    CHECK(refused.error().message.find("stick to each other") != std::string::npos);
    const model::Model plain = finalized(unit_hinge(dof({0, 0, 1})));
    CHECK(solvers::make_solver("softstep", plain, {.strict = true}, notices));
}

TEST_CASE("every row of the support matrix says what happens instead, unless all is honoured")
{
    const auto rows = solvers::support_of("softstep");
    CHECK(rows.size() > 20);
    for (const solvers::SupportRow& row : rows) {
        CAPTURE(row.feature->id);
        CHECK((row.support == Support::full) == row.consequence.empty());
        CHECK_FALSE(row.feature->what.empty());
    }
    CHECK(solvers::support_of("nobody").empty());
}

namespace {

/// An attribute of MuJoCo's own rows: numbers row by row.
template <class T>
model::CustomArray mujoco_rows(const char* name, model::RowKind kind, model::CustomType type, std::vector<T> values,
                               int columns = 1)
{
    return {.key       = std::string("mujoco:") + name,
            .type      = type,
            .frequency = model::rows_of(kind, columns),
            .data      = std::move(values)};
}

/// How many warnings a solver gives of an actuator with this bias and source of its control, and of a tendon with this
/// stiffness.
std::size_t told(const char* solver, Real bias, std::int32_t source, Real stiffness)
{
    using model::CustomType;
    using model::RowKind;
    model::Model      m = finalized(unit_hinge(dof({0, 0, 1})));
    std::vector<Real> gains(10);
    gains[1] = bias;
    for (model::CustomArray& one :
         std::vector{mujoco_rows<std::int32_t>("ctrl_source", RowKind::actuator, CustomType::int32, {source}),
                     mujoco_rows<std::int32_t>("actuator_biastype", RowKind::actuator, CustomType::int32, {1}),
                     mujoco_rows<Real>("actuator_biasprm", RowKind::actuator, CustomType::float32, gains, 10),
                     mujoco_rows<std::int32_t>("tendon_world", RowKind::tendon, CustomType::int32, {-1}),
                     mujoco_rows<Real>("tendon_stiffness", RowKind::tendon, CustomType::float32, {stiffness})})
        m.custom_arrays.arrays.push_back(std::move(one));
    Diagnostics notices;
    REQUIRE(solvers::make_solver(solver, m, {}, notices));
    return notices.count("SOLVER_FEATURE");
}

}  // namespace

TEST_CASE("actuators and tendons of MuJoCo that push by themselves are told where another solver runs (DYN-046)")
{
    for (const char* solver : {"softstep", "xpbd", "semi-implicit", "featherstone"}) {
        CAPTURE(std::string(solver));
        CHECK(told(solver, -100, 1, 0) == 1);
        CHECK(told(solver, 0, 1, 5) == 1);
        CHECK(told(solver, -100, 1, 5) == 2);
        CHECK(told(solver, -100, 0, 0) == 0);  // the drive of a joint stands for it
        CHECK(told(solver, 0, 1, 0) == 0);     // a motor pushes when it is told to
    }
}
