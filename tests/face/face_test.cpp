#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "mechane/mechane.h"
#include "mechane/model/model.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/recording_file.h"
#include "support/support.h"

using namespace mechane;

namespace {

std::string sample(const std::string& name) { return std::string(MECHANE_SOURCE_DIR) + "/samples/" + name; }

}  // namespace

TEST_CASE("every stage of the samples runs with the hash of run::simulate, its animation included")
{
    // The loop of docs/cpp.md. A stage is one that can be simulated by itself: payloads and layers of others are not.
    int stages = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sample(""))) {
        if (!entry.path().extension().string().starts_with(".usd")) continue;
        const std::string file = entry.path().string();
        CAPTURE(file);
        Diagnostics notes, found;
        const auto  model = load(file, {.ground = true}, notes);
        if (!model || (*model)->body_count() == 0) continue;
        auto sim = Simulation::make(*model, {.threads = 2});
        REQUIRE(sim);
        constexpr int kSteps = 12;
        bool          good   = true;
        for (int i = 0; good && i < kSteps; ++i) good = sim->step().has_value();

        run::SceneOptions how;
        how.ground                  = true;
        how.import.schema_resolvers = {"auto"};
        const auto           scene  = run::load_scene(file, how, found).expect();
        run::SimulateOptions options;
        run::set_step(options, run::step_size(scene));
        options.frames  = kSteps;
        options.follow  = run::follower(scene);
        const auto done = run::simulate(scene.model, options, found);
        CHECK(good == done.has_value());
        if (!good || !done) continue;
        CHECK(sim->hash() == done->recording.hash);
        ++stages;
    }
    CHECK(stages > 30);
}

TEST_CASE("no result replaces what a model or an asset was made of, by whatever name, nor what its layers refer to")
{
    namespace fs = std::filesystem;
    const test::TemporaryFolder folder;
    const auto                  write = [&](const fs::path& file, const std::string& text) {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    };
    const std::string part = R"(#usda 1.0
(
    defaultPrim = "box"
)
def Xform "box" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{
    float physics:mass = 1
}
)";
    write(folder.path() / "part.usda", part);
    write(folder.path() / "later.usda", part);
    write(folder.path() / "own.usda", R"(#usda 1.0
(
    defaultPrim = "w"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "w"
{
    def "box" (
        references = @./part.usda@
    )
    {
    }
    def "later" (
        active = false
        payload = @./later.usda@
    )
    {
    }
}
)");
    const std::string own = (folder.path() / "own.usda").string();
    fs::create_symlink(own, folder.path() / "link.mrec");
    fs::create_hard_link(own, folder.path() / "hard.mrec");
    const auto model = load(own).expect();
    Simulation sim(model);
    for (const char* name : {"own.usda", "part.usda", "later.usda", "link.mrec", "hard.mrec", "sub/../own.usda"}) {
        CAPTURE(name);
        fs::create_directories(folder.path() / "sub");
        const auto size    = fs::file_size(folder.path() / "own.usda");
        const auto refused = sim.record((folder.path() / name).string());
        REQUIRE(!refused);
        CHECK(refused.error().id == "FILES_INPUT");
        CHECK(fs::file_size(folder.path() / "own.usda") == size);
    }
    // Its own recording is no input, though a replay has read it.
    const std::string run = (folder.path() / "run.mrec").string();
    for (int i = 0; i < 2; ++i) {
        sim.record(run).expect();
        sim.step().expect();
        sim.finish_recording().expect();
        CHECK(replay(run, *model).expect().equal);
    }
    // An earlier result that nobody changed may be replaced, but not by the repair of what lies in it.
    const std::string fixed  = (folder.path() / "fixed").string();
    const auto        report = Asset::open(own).expect().fix(fixed).expect();
    CHECK(fs::exists(report.entry));
    const auto again = Asset::open(report.entry).expect().fix(fixed);
    REQUIRE(!again);
    CHECK(again.error().id == "FILES_INPUT");
    CHECK(Asset::open(own).expect().fix(fixed));
}

TEST_CASE("a repair says what is simulated otherwise from then on (DIFFERENCE_REPAIR)")
{
    // Friction of a material without PhysicsMaterialAPI is read by nobody: the repair of REP-1.3.4-b puts it into
    // force.
    const test::TemporaryFolder folder;
    const std::string           file = (folder.path() / "robot.usda").string();
    std::ofstream(file) << R"(#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def Xform "robot"
{
    def Material "rubber"
    {
        float physics:staticFriction = 0.7
        float physics:dynamicFriction = 0.6
    }
    def Cube "box" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"]
    )
    {
        float physics:mass = 1
        rel material:binding:physics = </robot/rubber>
    }
}
)";
    const auto count = [&](const std::string& to, const FixSettings& settings) {
        const auto report = Asset::open(file).expect().fix((folder.path() / to).string(), settings).expect();
        return std::ranges::count_if(report.notes, [](const Diagnostic& d) {
            return d.id == "DIFFERENCE_REPAIR" && d.message.find("static friction") != std::string::npos;
        });
    };
    CHECK(count("all", {}) == 1);
    CHECK(count("none", {.ignore = {"REP-1.3.4-b"}}) == 0);
}

TEST_CASE("a file of another format is refused with the command that converts it")
{
    const test::TemporaryFolder folder;
    const std::string           file = (folder.path() / "robot.urdf").string();
    std::ofstream(file) << "<robot name='r'><link name='a'/></robot>";
    const auto refused = load(file);
    REQUIRE(!refused);
    CHECK(refused.error().id == "STAGE_FORMAT_UNKNOWN");
    CHECK(refused.error().hint.find("mechane convert") != std::string::npos);
}

TEST_CASE("a table of one's own may replace one that ships, and a row of no property is refused")
{
    CHECK(make_resolver("acme", {{.property = static_cast<Property>(9999), .attribute = "acme:x"}}).error().id ==
          "RESOLVER_TABLE");
    // The attribute of the sample's own namespace, under the name of a table that ships.
    const Resolver newton = make_resolver("newton", {{.property  = Property::joint_armature,
                                                      .attribute = "acme:rotorInertia",
                                                      .unit      = AttributeUnit::mass_or_inertia}})
                                .expect();
    const auto     model  = load(sample("usd/acme_arm.usda"), {.resolvers = {"newton"}, .tables = {newton}}).expect();
    const DofId    elbow  = model->find_dof("/arm/elbow").expect();
    CHECK(double(model->arrays().joint_armature[elbow.index()]) == doctest::Approx(2e-5));
}

TEST_CASE(
    "a row without a conversion takes its attribute as it is, in its unit, and one without attributes says nothing")
{
    Resolver table;
    table.name = "bare";
    table.rows.push_back(
        {.key = Property::joint_armature, .attributes = {"acme:rotorInertia"}, .unit = AttributeUnit::mass_or_inertia});
    table.rows.push_back({.key = Property::joint_friction});
    const auto  model = load(sample("usd/acme_arm.usda"), {.resolvers = {"bare"}, .tables = {table}}).expect();
    const DofId elbow = model->find_dof("/arm/elbow").expect();
    CHECK(double(model->arrays().joint_armature[elbow.index()]) == doctest::Approx(2e-5));
    CHECK(double(model->limits(elbow).effort) > 0);
}

TEST_CASE("a recording says what was loaded, and its source where the program says none")
{
    const test::TemporaryFolder folder;
    const std::string           run      = (folder.path() / "run.mrec").string();
    const auto                  recorded = [&](const LoadOptions& options) {
        Simulation sim(load(sample("quadruped/quadruped.usda"), options).expect(), {.dt = 0.01});
        sim.record(run).expect();
        sim.run_for(0.02).expect();
        sim.finish_recording().expect();
        return record::read_recording(run).expect().header;
    };
    const auto header = recorded({.ground = true});
    CHECK(header.source == sample("quadruped/quadruped.usda"));
    CHECK(header.scene.find("quadruped.usda") != std::string::npos);
    // A table is a function of the program, which no file can say.
    CHECK(recorded({.tables = {make_resolver("own", {}).expect()}}).scene.empty());
}

TEST_CASE("import options go by the names that the command line has")
{
    CHECK(load(sample("quadruped/quadruped.usda"), {.options = {{"collapse_fixed_joints", "true"}}}));
    CHECK(load(sample("quadruped/quadruped.usda"), {.options = {{"nothing", "true"}}}).error().id ==
          "IMPORT_ARG_OPTION");
}

TEST_CASE("an asset is opened, checked and repaired into a folder, twice the same")
{
    const test::TemporaryFolder folder;
    const std::string           file  = folder.write("robot.usda", R"(#usda 1.0
(
    defaultPrim = "robot"
)
def Xform "robot"
{
}
)");
    const auto                  asset = Asset::open(file);
    REQUIRE(asset);
    const auto findings = asset->check({.profile = "distributed"}).expect();
    REQUIRE(!findings.empty());
    CHECK(findings.front().rule.starts_with("REP-"));
    CHECK(to_text(findings.front()).find(findings.front().message) != std::string::npos);
    CHECK(asset->check({.profile = "nothing"}).error().id == "CHECK_OPTION");
    const std::string target = (folder.path() / "fixed/").string();
    const FixReport   first  = asset->fix(target).expect();
    CHECK(std::filesystem::exists(first.entry));
    CHECK(count(findings, Severity::info) == findings.size());
    CHECK(count(findings, Severity::error) > 0);
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
    CHECK(load(sample("usd/acme_arm.usda"), {.worlds = 0}).error().id == "SIM_OPTION");
    CHECK(load(sample("usd/acme_arm.usda"), {.worlds = 1 << 30}).error().id == "SIM_OPTION");
    CHECK(!load(sample("usd/acme_arm.usda"), {.threads = -1}));
    CHECK(!load(sample("usd/acme_arm.usda"), {.hold = HoldGains{-1, 0}}));
    CHECK(!load(sample("usd/acme_arm.usda"), {.resolvers = {"nobody"}}));
    CHECK(!load("nowhere.usda"));
}
