#include "mechane/conversion/convert.h"

#include <filesystem>

#include "mechane/conversion/folder_entry.h"
#include "mechane/conversion/layout.h"
#include "mechane/exporter/codes.h"
#include "mechane/files/codes.h"
#include "mechane/files/read.h"
#include "mechane/sourceformats/codes.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::conversion;
namespace fs = std::filesystem;

namespace {

/// A hinge between two boxes; `more` stands in the joint.
std::string arm(const std::string& more = {})
{
    const std::string inertial =
        R"(<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" )"
        R"(iyz="0"/></inertial><collision><geometry><box size="1 1 1"/></geometry></collision>)";
    return R"(<robot name="arm"><link name="a">)" + inertial + R"(</link><link name="b">)" + inertial +
           R"(</link><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>)"
           R"(<limit lower="-1" upper="1" effort="1" velocity="1"/>)" +
           more + "</joint></robot>";
}

/// Results and sources of a test, in a folder that goes with it.
struct Bench : test::TemporaryFolder {
    [[nodiscard]] std::string at(const std::string& name) const { return (path() / name).string(); }
    Diagnostics               found;
    Options                   options;
    Result<Conversion>        convert(const std::string& input, const std::string& output)
    { return conversion::convert(at(input), at(output), options, found); }
};

}  // namespace

TEST_CASE("formats are told by names alone, before anything is opened")
{
    const auto way = [](const std::string& from, const std::string& to, bool verify = false) {
        Options options;
        options.verify   = verify;
        const auto known = check_formats(from, to, options);
        return known ? std::string("known") : known.error().id;
    };
    for (const char* from :
         {"r.urdf", "r.xacro", "r.xml", "r.mjcf", "r.sdf", "r.world", "r.glb", "r.stl", "r.usda", "r.usdz"})
        for (const std::string to :
             {"folder", "r.usda", "r.usdc", "r.usd", "r.usdz", "r.urdf", "r.sdf", "r.xml", "r.gltf"}) {
            CAPTURE(from);
            CAPTURE(to);
            CHECK(way(from, to) == "known");
        }
    CHECK(way("r.txt", "r.urdf") == sourceformats::kFormatUnknown.id);
    CHECK(way("r.urdf", "r.txt") == exporter::kFormatUnknown.id);
    CHECK(way("r.urdf", "r.glb", true) == exporter::kVerify.id);
    CHECK(way("r.urdf", "r.sdf", true) == "known");
    Options named;
    named.read.name = "arm";
    CHECK(check_formats("r.urdf", "r.usda", named));
    CHECK(check_formats("r.usda", "r.urdf", named));
    CHECK(!check_formats("r.usda", "r.usdz", named));
    CHECK(!check_formats("r.usda", "r.glb", named));
}

TEST_CASE("a folder stands for its entry, and for MJCF the one with MuJoCo's words")
{
    Bench bench;
    bench.write("arm/arm.usda", "#usda 1.0\n");
    CHECK(entry_of(bench.at("arm"), "x.urdf") == bench.at("arm/arm.usda"));
    bench.write("arm/arm_mujoco.usda", "#usda 1.0\n");
    CHECK(entry_of(bench.at("arm"), "x.urdf") == bench.at("arm/arm.usda"));
    CHECK(entry_of(bench.at("arm"), "x.xml") == bench.at("arm/arm_mujoco.usda"));
    CHECK(entry_of(bench.at("arm/arm.usda"), "x.xml") == bench.at("arm/arm.usda"));
    fs::create_directories(bench.at("empty"));
    CHECK(entry_of(bench.at("empty"), "x.xml") == bench.at("empty"));
    CHECK(!check_formats(entry_of(bench.at("empty"), "x.xml"), "x.xml"));
}

TEST_CASE("a robot goes through each format and comes back with the same links, joints and shapes")
{
    Bench bench;
    bench.write("arm.urdf", arm());
    bench.options.verify = true;
    const auto asset     = bench.convert("arm.urdf", "asset");
    REQUIRE(asset);
    CHECK(asset->entry == bench.at("asset/arm.usda"));
    CHECK(asset->contents.format == "URDF");
    for (const std::string name : {"r.urdf", "r.sdf", "r.xml", "r.usda", "r.usdz", "again"}) {
        CAPTURE(name);
        const auto there = bench.convert("asset", name);
        REQUIRE_MESSAGE(there, to_text(there.error()));
        REQUIRE(there->verified);
        CHECK(difference::as_announced(there->verified->comparison,
                                       there->verified->rollout ? &*there->verified->rollout : nullptr));
        for (const std::string& file : there->files)
            CHECK(fs::exists(fs::path(file).is_absolute() ? fs::path(file) : bench.path() / name / file));
        bench.options.verify = false;
        const auto back      = bench.convert(name, "back_" + name + ".urdf");
        bench.options.verify = true;
        REQUIRE(back);
        CHECK(back->contents.links == 2);
        CHECK(back->contents.joints == 1);
        CHECK(back->contents.shapes == 2);
    }
}

TEST_CASE("strict: a loss ends the conversion, by whichever way, and nothing is written")
{
    Bench bench;
    bench.options.strict = true;
    bench.write("lossy.urdf", arm("<safety_controller k_velocity=\"1\"/>"));
    bench.write("arm.urdf", arm());
    for (const std::string name : {"asset", "r.usda", "r.usdz", "r.glb"}) {
        CAPTURE(name);
        const auto done = bench.convert("lossy.urdf", name);
        REQUIRE(!done);
        CHECK(done.error().id == exporter::kLoss.id);
        CHECK(!fs::exists(bench.at(name)));
    }
    CHECK(bench.convert("lossy.urdf", "r.glb").error().message.find("safety_controller") != std::string::npos);
    CHECK(!bench.convert("arm.urdf", "r.xml"));  // MuJoCo has no limit of speed
    for (const std::string name : {"asset", "r.usda", "r.usdz", "r.urdf", "r.sdf"}) {
        CAPTURE(name);
        const auto done = bench.convert("arm.urdf", name);
        CHECK_MESSAGE(done, to_text(done.error()));
    }
}

TEST_CASE("what may not be written is asked for when all is computed, and before the first byte")
{
    Bench bench;
    bench.write("arm.urdf", arm());
    int asked                    = 0;
    bench.options.before_writing = [&](const std::vector<std::string>&) -> Result<void> {
        ++asked;
        return make_diagnostic(files::kInput, {}, "no");
    };
    for (const std::string name : {"asset", "r.usda", "r.usdz", "r.urdf", "r.sdf", "r.xml", "r.glb"}) {
        CAPTURE(name);
        asked = 0;
        CHECK(!bench.convert("arm.urdf", name));
        CHECK(asked == 1);
        CHECK(!fs::exists(bench.at(name)));
    }
}

TEST_CASE("EXP-074: an error of the result that the source has not is a fault, and one of both is told apart")
{
    Bench bench;
    bench.options.verify = true;
    bench.write("arm.urdf", arm());
    const auto done = bench.convert("arm.urdf", "arm.usda");
    REQUIRE(done);
    REQUIRE(done->verified);
    CHECK(holds(*done->verified));
    CHECK(done->verified->faults.empty());
    // The mesh of the result is gone: reading it back is an error that the source has not.
    const std::string mesh =
        R"(<visual><geometry><mesh filename="gone.stl"/></geometry></visual></link><link name="b">)";
    std::string damaged = arm();
    damaged.replace(damaged.find("</link><link name=\"b\">"), std::string("</link><link name=\"b\">").size(), mesh);
    bench.write("damaged.urdf", damaged);
    const auto stage = usd::Stage::open(bench.at("arm.usda"));
    REQUIRE(stage);
    sourceformats::ReadRobot robot;
    REQUIRE(sourceformats::read_as_usd(bench.at("arm.urdf"), sourceformats::Layout::single, {}, robot));
    Diagnostics known;
    const auto  verify = [&] {
        return verify_conversion({"arm.urdf", robot.tree, *stage}, bench.at("damaged.urdf"), robot.losses, {}, {}, 1,
                                 known);
    };
    const auto alone = verify();
    REQUIRE(alone);
    REQUIRE(alone->faults.size() == 1);
    CHECK(alone->faults.begin()->id == sourceformats::kMeshMissing.id);
    CHECK(alone->shared.empty());
    CHECK_FALSE(holds(*alone));
    CHECK(to_text(*alone, 1).starts_with("error        SOURCE_MESH_MISSING"));
    CHECK(to_json(*alone, "a", "b").find("\"source_too\": false") != std::string::npos);
    known.add(sourceformats::kMeshMissing, {.layer = "arm.urdf"}, "gone.stl was not found");
    const auto both = verify();
    REQUIRE(both);
    CHECK(both->faults.empty());
    CHECK(both->shared.size() == 1);
    CHECK(holds(*both));
    CHECK(to_text(*both, 1).starts_with("not compared SOURCE_MESH_MISSING"));
}

TEST_CASE("no result replaces what it is made of")
{
    Bench bench;
    bench.write("arm.urdf", arm());
    REQUIRE(bench.convert("arm.urdf", "asset"));
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"arm.urdf", "arm.urdf"},
                                   {"asset", "asset"},
                                   {"asset/arm.usda", "asset/base.usda"}}) {
        CAPTURE(from);
        CAPTURE(to);
        const auto done = bench.convert(from, to);
        REQUIRE(!done);
        CHECK(done.error().id == files::kInput.id);
    }
    CHECK(files::read(bench.at("arm.urdf")).value_or("") == arm());
}

TEST_CASE("words and names of layouts")
{
    CHECK(layout_of_word("rep0158") == UsdLayout::rep0158);
    CHECK(layout_of_word("single") == UsdLayout::flat);
    CHECK(!layout_of_word("folder"));
    CHECK(layout_of_file("a/b") == UsdLayout::rep0158);
    CHECK(layout_of_file("b.v2/") == UsdLayout::rep0158);
    CHECK(layout_of_file("b.USDC") == UsdLayout::flat);
    CHECK(layout_of_file("b.usdz") == UsdLayout::usdz);
    CHECK(!layout_of_file("b.urdf"));
}
