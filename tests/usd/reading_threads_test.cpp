// One stage read by many threads, many stages opened by many threads. The thread sanitizer runs these too.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <thread>
#include <vector>

#include "mechane/usd/dump.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using usd::Path;

namespace {

/// Everything that is worked out on demand: instances, bindings, collections, lines, samples, inverses of transforms.
std::string demanding_stage(int number)
{
    std::string text = fmt::format(R"(#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "World" (
    prepend apiSchemas = ["MaterialBindingAPI", "CollectionAPI:all"]
)
{{
    rel material:binding = </World/red>
    rel collection:all:includes = </World>
    def Material "red"
    {{
    }}
    def Xform "source"
    {{
        def Cube "hull" (
            prepend apiSchemas = ["PhysicsCollisionAPI"]
        )
        {{
            double size = {}
            double3 xformOp:translate.timeSamples = {{ 0: (0, 0, 0), 10: (1, 2, 3) }}
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}
    }}
)",
                                   number + 1);
    for (int i = 0; i < 20; ++i)
        text += fmt::format(
            "    def Xform \"i{}\" (\n        instanceable = true\n        references = </World/source>\n"
            "    )\n    {{\n        float3 xformOp:scale = (0, 1, 1)\n"
            "        uniform token[] xformOpOrder = [\"!invert!xformOp:scale\"]\n    }}\n",
            i);
    return text + "}\n";
}

/// The whole dump, and what it does not ask for.
std::string answers(const usd::Stage& stage)
{
    std::string out = usd::dump_stage(stage);
    for (const usd::Prim& prim : stage.traverse()) {
        const Site site = prim.site();
        out += fmt::format("{}:{} {} {} {} {} {}\n", site.line, site.column, prim.prototype_source().path().text(),
                           stage.bound_material(prim, "physics").path().text(), stage.purpose(prim).text(),
                           stage.world_matrix(prim, 5.0)(3, 1),
                           stage.collection_contains(stage.default_prim(), "all", prim.path()));
    }
    for (const Diagnostic& finding : stage.diagnostics()) out += to_text(finding) + "\n";
    return out;
}

}  // namespace

TEST_CASE("eight threads that read one stage get the answers that one gets (STG-128)")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("stage.usda", demanding_stage(0));
    std::string                 expected;
    {
        const auto alone = usd::Stage::open(file);
        REQUIRE(alone);
        expected = answers(**alone);
    }
    CHECK(expected.find("/World/red") != std::string::npos);
    const auto stage = usd::Stage::open(file);  // fresh: nothing is worked out yet
    REQUIRE(stage);
    std::vector<std::string> got(8);
    std::vector<std::thread> readers;
    for (std::string& own : got) readers.emplace_back([&] { own = answers(**stage); });
    for (std::thread& reader : readers) reader.join();
    for (const std::string& own : got) CHECK(own == expected);
}

TEST_CASE("fifty stages opened by eight threads are what each is alone (STG-129)")
{
    constexpr std::size_t       kStages = 50, kThreads = 8;
    const test::TemporaryFolder folder;
    std::vector<std::string>    files, expected, got(kStages);
    for (std::size_t i = 0; i < kStages; ++i) {
        // Ten different files: some are opened by several threads at once.
        const int kind = static_cast<int>(i % 10);
        files.push_back(folder.write(fmt::format("stage{}.usda", kind), demanding_stage(kind)));
    }
    for (std::size_t i = 0; i < 10; ++i) {
        const auto alone = usd::Stage::open(files[i]);
        REQUIRE(alone);
        expected.push_back(answers(**alone));
    }
    std::vector<std::thread> openers;
    for (std::size_t t = 0; t < kThreads; ++t)
        openers.emplace_back([&, t] {
            for (std::size_t i = t; i < kStages; i += kThreads)
                if (const auto stage = usd::Stage::open(files[i])) got[i] = answers(**stage);
        });
    for (std::thread& opener : openers) opener.join();
    for (std::size_t i = 0; i < kStages; ++i) {
        CAPTURE(i);
        CHECK(got[i] == expected[i % 10]);
    }
}
