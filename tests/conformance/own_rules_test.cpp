#include <new>
#include <nlohmann/json.hpp>

#include "conformance/checking.h"
#include "mechane/conformance/formats.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

constexpr Rule kNoCubes{.id      = "SHOP-1-a",
                        .slug    = "no-cubes",
                        .summary = "Nothing is a cube.",
                        .why     = "Corners hurt.",
                        .fix     = "None: draw a sphere."};

std::vector<Finding> find_cubes(const usd::Stage& stage)
{
    std::vector<Finding> found;
    for (const usd::Prim& prim : stage.traverse())
        if (prim.type_name().text() == "Cube")
            found.push_back({.severity = Severity::warning, .message = "a cube", .site = prim.site()});
    return found;
}

/// A body without a mass and a cube, judged with a rule of our own.
Report judged(std::function<std::vector<Finding>(const usd::Stage&)> check_own, const std::string& profile)
{
    const auto stage = usd::Stage::open_text(
        fixture_stage("def Xform \"light\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
                      "\"PhysicsMassAPI\"]\n)\n{\n    float "
                      "physics:mass = 0\n}\ndef Cube \"c\"\n{\n    token purpose = \"guide\"\n}\n"));
    REQUIRE(stage);
    CheckOptions options;
    options.profile   = profile;
    options.own_rules = {{&kNoCubes, std::move(check_own)}};
    return *check(**stage, options);
}

}  // namespace

TEST_CASE("a caller's own rule is judged beside ours, whatever the profile")
{
    for (const char* profile : {"distributed", "ros-only"}) {
        const Report report = judged(find_cubes, profile);
        REQUIRE(count(report, "SHOP-1-a") == 1);
        const Finding& finding = *find(report, "SHOP-1-a");
        CHECK(finding.rule == &kNoCubes);
        CHECK(finding.severity == Severity::warning);
        CHECK(finding.site.prim == "/robot/c");
        CHECK(finding.fingerprint.size() == 16);
        CHECK(report.failures() == 0);
        CHECK(report.outcomes.back().outcome == Outcome::finding);
    }
}

TEST_CASE("a rule that goes wrong itself is not checked and counts as failed, the others' findings stand (REP-T-144)")
{
    struct Row {
        const char*                                            what;
        std::function<std::vector<Finding>(const usd::Stage&)> check;
    };
    const Row rows[] = {
        {"memory", [](const usd::Stage&) -> std::vector<Finding> { throw std::bad_alloc(); }},
        {"anything", [](const usd::Stage&) -> std::vector<Finding> { throw 1; }},
    };
    const Report whole = judged(find_cubes, "distributed");
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Report report = judged(row.check, "distributed");
        CHECK(report.findings.size() == whole.findings.size() - 1);
        CHECK(count(report, "REP-1.3-l") == 1);
        CHECK(report.failures() == 1);
        CHECK(report.outcomes.back().outcome == Outcome::not_checked);
        CHECK(report.outcomes.back().reason.starts_with("internal error"));
        CHECK(report.count(Outcome::not_checked) == 1);
        const std::vector<Report> one{report};
        CHECK(to_junit(one, Severity::error).find("<error type=\"MECH-001\"") != std::string::npos);
        const auto sarif = nlohmann::json::parse(to_sarif(one, {}));
        CHECK(sarif["runs"][0]["invocations"][0]["executionSuccessful"] == false);
    }
}
