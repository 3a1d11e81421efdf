#include "mechane/solvers/support.h"
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
