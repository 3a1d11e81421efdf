#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "mechane/mechane.h"
#include "mechane/model/model.h"
#include "mechane/run/scene.h"
#include "support/support.h"

using namespace mechane;

namespace {

std::string sample(const std::string& name) { return std::string(MECHANE_SOURCE_DIR) + "/samples/" + name; }

}  // namespace

TEST_CASE("a loaded stage runs with the hash of run::simulate, its animation included")
{
    for (const char* file : {"quadruped/quadruped.usda", "gallery/gallery.usda", "usd/acme_arm.usda"}) {
        if (!std::filesystem::exists(sample(file))) continue;
        CAPTURE(file);
        Diagnostics notes, found;
        const auto  model = load(sample(file), {.ground = true}, notes).expect();
        Simulation  sim(model, {.threads = 2});
        for (int i = 0; i < 30; ++i) sim.step().expect();

        run::SceneOptions how;
        how.ground                  = true;
        how.import.schema_resolvers = {"auto"};
        const auto           scene  = run::load_scene(sample(file), how, found).expect();
        run::SimulateOptions options;
        run::set_step(options, run::step_size(scene));
        options.frames = 30;
        options.follow = run::follower(scene);
        CHECK(sim.hash() == run::simulate(scene.model, options, found).expect().recording.hash);
    }
}

TEST_CASE("an asset is opened, checked and repaired into a folder, twice the same")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("robot.usda", R"(#usda 1.0
(
    defaultPrim = "robot"
)
def Xform "robot"
{
}
)");
    const auto asset = Asset::open(file);
    REQUIRE(asset);
    const auto findings = asset->check({.profile = "distributed"}).expect();
    REQUIRE(!findings.empty());
    CHECK(findings.front().rule.starts_with("REP-"));
    CHECK(to_text(findings.front()).find(findings.front().message) != std::string::npos);
    CHECK(asset->check({.profile = "nothing"}).error().id == "CHECK_OPTION");
    const std::string target = (folder.path() / "fixed/").string();
    const FixReport   first  = asset->fix(target).expect();
    CHECK(std::filesystem::exists(first.entry));
    const FixReport second = asset->fix(target).expect();
    CHECK(second.edits == first.edits);
    CHECK(!asset->fix(""));
    CHECK(Asset::open((folder.path() / "none.usda").string()).error().id == "STAGE_OPEN_FAILED");
}

TEST_CASE("tables of attributes: those that ship, and one's own")
{
    CHECK(!attributes_of("newton").expect().empty());
    CHECK(attributes_of("nobody").error().id == "RESOLVER_UNKNOWN");
    CHECK(!make_resolver("two words", {}));
    CHECK(!make_resolver("acme", {{.attribute = ""}}));
    const Resolver acme  = make_resolver("acme", {{.property  = Property::joint_armature,
                                                   .attribute = "acme:rotorInertia",
                                                   .unit      = AttributeUnit::mass_or_inertia,
                                                   .factor    = 2}})
                              .expect();
    const auto     model = load(sample("usd/acme_arm.usda"), {.resolvers = {"acme"}, .tables = {acme}}).expect();
    const DofId    elbow = model->find_dof("/arm/elbow").expect();
    CHECK(double(model->arrays().joint_armature[elbow.index()]) == doctest::Approx(4e-5));
}

TEST_CASE("options of load out of range are refused")
{
    CHECK(!load(sample("usd/acme_arm.usda"), {.worlds = 0}));
    CHECK(!load(sample("usd/acme_arm.usda"), {.threads = -1}));
    CHECK(!load(sample("usd/acme_arm.usda"), {.hold = HoldGains{-1, 0}}));
    CHECK(!load(sample("usd/acme_arm.usda"), {.resolvers = {"nobody"}}));
    CHECK(!load("nowhere.usda"));
}
