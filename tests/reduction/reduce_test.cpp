#include "mechane/reduction/reduce.h"

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/reduction/codes.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::reduction;
using mechane::test::for_seeds;

namespace {

namespace fs = std::filesystem;

struct Folder {
    files::ScratchFolder scratch = files::ScratchFolder::temporary(".");
    std::string          write(const std::string& name, const std::string& text) const
    {
        const std::string file = (scratch.path() / name).string();
        REQUIRE(files::replace(file, text));
        return file;
    }
};

std::string text_of(const std::string& file) { return files::read(file, 1 << 26).value_or(std::string()); }

bool holds(const std::string& file, const std::string& what)
{
    const auto stage = usd::Stage::open(file);
    if (!stage) return false;
    for (const usd::Prim& prim : (*stage)->traverse())
        if (prim.attribute(what).authored()) return true;
    return false;
}

const char* const kRobot = R"(#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "robot" (kind = "component") {
    def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
        float physics:mass = 2
        float physics:density = -3
        string secret = "who made this"
        def Mesh "shell" {
            point3f[] points = [(0,0,0),(1,0,0),(1,1,0),(0,1,0),(0,0,2),(1,0,2),(1,1,2),(0,1,2),(0.5,0.5,2)]
            int[] faceVertexCounts = [4, 4, 3]
            int[] faceVertexIndices = [0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 8]
        }
    }
    def Xform "leg" {
        double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 1: (1, 0, 0), 2: (2, 0, 0) }
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
)";

}  // namespace

TEST_CASE("what a fault does not need goes, and the file is only read")
{
    const Folder      folder;
    const std::string file = folder.write("robot.usda", kRobot);
    ReduceOptions     options;
    options.shows     = [](const std::string& f, int) { return holds(f, "physics:density"); };
    const auto result = reduce(file, "small", options);
    REQUIRE(result);
    CHECK(text_of(file) == kRobot);
    REQUIRE(result->layers.size() == 1);
    const std::string text = result->layers[0].layer.to_text();
    CAPTURE(text);
    // A property needs its prim and the prims above it: three specs.
    CHECK(result->specs == 3);
    CHECK(result->prims == 2);
    CHECK(text.find("physics:density") != std::string::npos);
    for (const char* gone : {"physics:mass", "Mesh", "leg", "arm", "robot", "secret", "kind", "apiSchemas", "upAxis"})
        CHECK(text.find(gone) == std::string::npos);
}

TEST_CASE("names that the fault needs stay and are named, all others become hashes")
{
    const Folder      folder;
    const std::string file = folder.write("robot.usda", kRobot);
    ReduceOptions     options;
    options.shows     = [](const std::string& f, int) { return text_of(f).find("\"arm\"") != std::string::npos; };
    const auto result = reduce(file, "small", options);
    REQUIRE(result);
    CHECK(result->kept_names == std::vector<std::string>{"arm"});
    CHECK(result->layers[0].layer.to_text().find("robot") == std::string::npos);
}

TEST_CASE("a mesh becomes the box around it where the fault does not look at its points")
{
    const Folder      folder;
    const std::string file = folder.write("robot.usda", kRobot);
    ReduceOptions     options;
    options.shows = [](const std::string& f, int) {
        const auto stage = usd::Stage::open(f);
        if (!stage) return false;
        for (const usd::Prim& prim : (*stage)->traverse())
            if (prim.type_name() == usd::Token("Mesh") &&
                prim.attribute("points").get<std::vector<Vec3d>>().value_or(std::vector<Vec3d>()).size() >= 8)
                return true;
        return false;
    };
    const auto result = reduce(file, "small", options);
    REQUIRE(result);
    const auto paths = result->layers[0].layer.specs();
    const auto points =
        std::find_if(paths.begin(), paths.end(), [](const usd::Path& p) { return p.name() == usd::Token("points"); });
    REQUIRE(points != paths.end());
    CHECK(result->layers[0].layer.value(*points).get<std::vector<Vec3d>>()->size() == 8);
}

TEST_CASE("time samples go one by one")
{
    const Folder      folder;
    const std::string file = folder.write("robot.usda", kRobot);
    ReduceOptions     options;
    options.shows     = [](const std::string& f, int) { return text_of(f).find("(2, 0, 0)") != std::string::npos; };
    const auto result = reduce(file, "small", options);
    REQUIRE(result);
    const std::string text = result->layers[0].layer.to_text();
    CAPTURE(text);
    CHECK(text.find("(1, 0, 0)") == std::string::npos);
    CHECK(text.find("(2, 0, 0)") != std::string::npos);
}

TEST_CASE("a fault of composition keeps the arc and the layer that it leads to")
{
    const Folder folder;
    folder.write("part.usda",
                 "#usda 1.0\n(\n    defaultPrim = \"part\"\n)\ndef Xform \"part\" {\n    double radius = 4\n    def "
                 "Scope \"more\" {}\n}\n");
    const std::string file =
        folder.write("robot.usda",
                     "#usda 1.0\n(\n    defaultPrim = \"robot\"\n)\ndef Xform \"robot\" {\n    def Xform \"wheel\" "
                     "(prepend references = @./part.usda@) {}\n    def Xform \"other\" {}\n}\n");
    ReduceOptions options;
    options.shows = [](const std::string& f, int) {
        const auto stage = usd::Stage::open(f);
        return stage && (*stage)->used_layers().size() > 1 && holds(f, "radius");
    };
    const auto result = reduce(file, "small", options);
    REQUIRE(result);
    CHECK(!result->flattened);
    REQUIRE(result->layers.size() == 2);
    CHECK(result->layers[0].layer.to_text().find(result->layers[1].name) != std::string::npos);
    CHECK(result->layers[0].layer.to_text().find("other") == std::string::npos);
    CHECK(result->layers[1].layer.to_text().find("more") == std::string::npos);
}

TEST_CASE("the result does not depend on how many runs there are at once, and never has more of them than allowed")
{
    for_seeds(6, [](Random& r) {
        // A fault that needs two prims at random places of a random tree.
        std::string              text = "#usda 1.0\ndef Xform \"top\" {\n";
        std::vector<std::string> names;
        const int                n = 10 + static_cast<int>(r.below(20));
        for (int i = 0; i < n; ++i) {
            names.push_back("part_" + std::to_string(i));
            text += "def Xform \"" + names.back() + "\" {\ndouble value = " + std::to_string(i) + "\n}\n";
        }
        text += "}\n";
        const std::string a = "value = " + std::to_string(r.below(static_cast<std::uint32_t>(n))) + "\n",
                          b = "value = " + std::to_string(r.below(static_cast<std::uint32_t>(n))) + "\n";
        const Folder      folder;
        const std::string file = folder.write("tree.usda", text);
        std::string       first;
        std::size_t       runs = 0;
        for (const int jobs : {1, 4}) {
            ReduceOptions    options;
            std::atomic<int> calls{0};
            options.jobs  = jobs;
            options.shows = [&](const std::string& f, int) {
                ++calls;
                const std::string t = text_of(f);
                return t.find(a) != std::string::npos && t.find(b) != std::string::npos;
            };
            const auto result = reduce(file, "small", options);
            REQUIRE(result);
            CHECK(result->specs == (a == b ? 3 : 5));
            if (jobs == 1) first = result->layers[0].layer.to_text(), runs = result->runs;
            CHECK(result->layers[0].layer.to_text() == first);
            CHECK(result->runs == runs);
            options.runs     = 7;
            const auto early = reduce(file, "small", options);
            REQUIRE(early);
            CHECK(early->runs <= 7);
            CHECK(early->exhausted);
            // What had no time to become smaller is anonymous all the same: names cost one run.
            options.runs        = 16;
            const auto nameless = reduce(file, "small", options);
            REQUIRE(nameless);
            CHECK(nameless->runs <= 16);
            CHECK(nameless->layers[0].layer.to_text().find("part_") == std::string::npos);
        }
    });
}

TEST_CASE("a command that is interrupted leaves the smallest stage so far, which still shows the fault")
{
    const Folder      folder;
    const std::string file = folder.write("robot.usda", kRobot);
    ReduceOptions     options;
    int               calls = 0;
    options.shows           = [&](const std::string& f, int) { return ++calls, holds(f, "physics:density"); };
    options.stop            = [&] { return calls > 4; };
    const auto result       = reduce(file, "small", options);
    REQUIRE(result);
    CHECK(result->interrupted);
    const std::string left = folder.write("left.usda", result->layers[0].layer.to_text());
    CHECK(holds(left, "physics:density"));
}

TEST_CASE("a fault that the whole file does not show is an error, not an empty result")
{
    const Folder      folder;
    const std::string file = folder.write("robot.usda", kRobot);
    ReduceOptions     options;
    options.shows     = [](const std::string&, int) { return false; };
    const auto result = reduce(file, "small", options);
    REQUIRE(!result);
    CHECK(result.error().id == kNoFault.id);
}
