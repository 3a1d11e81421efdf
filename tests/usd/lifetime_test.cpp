// What one opening leaves for the next: shared layers, no findings, no memory.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "mechane/usd/stage.h"
#include "usd/stages.h"

using namespace mechane;
using usd::Path;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // freed memory is kept for a while, on purpose
#else
constexpr bool kSanitized = false;
#endif

namespace {

/// Memory in use by the allocator [bytes]; what was freed is given back first.
std::size_t resident_bytes()
{
    malloc_trim(0);
    std::ifstream statm("/proc/self/statm");
    std::size_t   size = 0, resident = 0;
    statm >> size >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::string link(int number)
{
    return fmt::format(R"(#usda 1.0
(
    defaultPrim = "link"
)
def Xform "link" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
)
{{
    float physics:mass = {}
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
)",
                       number);
}

double mass(const usd::Stage& stage)
{ return stage.prim_at(Path("/link")).attribute("physics:mass").get<double>().value_or(-1); }

}  // namespace

TEST_CASE("two stages on one file share its layer and do not affect each other (STG-024)")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("link.usda", link(1));
    auto                        one  = usd::Stage::open(file);
    REQUIRE(one);
    folder.write("link.usda", link(2));
    {
        // The layer is the one that the first stage holds, so the file's new text is not read.
        usd::OpenOptions options;
        options.session_text = "#usda 1.0\nover \"link\"\n{\n    float physics:mass = 7\n}\n";
        const auto two       = usd::Stage::open(file, options);
        REQUIRE(two);
        CHECK(mass(**two) == 7);
        const auto plain = usd::Stage::open(file);
        REQUIRE(plain);
        CHECK(mass(**plain) == 1);
        const auto masked = (*plain)->with_mask({Path("/gone")});
        REQUIRE(masked);
        CHECK_FALSE((*masked)->prim_at(Path("/link")));
    }
    CHECK(mass(**one) == 1);
    CHECK((*one)->prim_at(Path("/link")));
    *one             = nullptr;  // the last one lets go of the layer
    const auto again = usd::Stage::open(file);
    REQUIRE(again);
    CHECK(mass(**again) == 2);
}

TEST_CASE("a thousand openings and closings do not grow memory by five percent (STG-025)")
{
    const test::TemporaryFolder folder;
    std::string                 root = "#usda 1.0\ndef Xform \"robot\"\n{\n";
    for (int i = 0; i < 20; ++i) {
        folder.write(fmt::format("link{}.usda", i % 4), link(i % 4));
        root +=
            fmt::format("    def \"l{}\" (\n        references = @./link{}.usda@\n    )\n    {{\n    }}\n", i, i % 4);
    }
    // A finding at each opening too: nothing of it may stay behind.
    root += "    def \"lost\" (\n        references = @./gone.usda@\n    )\n    {\n    }\n}\n";
    const std::string file = folder.write("robot.usda", root);
    const auto        open = [&] {
        const auto stage = usd::Stage::open(file);
        REQUIRE(stage);
        CHECK((*stage)->prim_count() == 23);  // the pseudo-root, the robot, its links, the lost one
        CHECK((*stage)->diagnostics().count("COMP_ASSET_MISSING") == 1);
        double total = 0;
        for (const usd::Prim& prim : (*stage)->traverse())
            total += prim.attribute("physics:mass").get_or(0.0) + (*stage)->world_matrix(prim)(3, 2);
        CHECK(total == 5 * (0 + 1 + 2 + 3) + 20);
    };
    for (int i = 0; i < 100; ++i) open();  // schemas, tokens and paths are made once a process
    // The allocator gives memory back when it sees fit; what stays behind grows with every round.
    bool kept = false;
    for (int round = 0; round < 3 && !kept; ++round) {
        const std::size_t before = resident_bytes();
        for (int i = 0; i < 1000; ++i) open();
        const std::size_t after = resident_bytes();
        MESSAGE("resident before and after 1,000 openings [KiB]: ", before / 1024, " ", after / 1024);
        kept = static_cast<double>(after) <= 1.05 * static_cast<double>(before);
    }
    if (!kSanitized) CHECK(kept);
}

TEST_CASE("errors raised on the library's threads are among the stage's findings (STG-030)")
{
    // Prims are indexed on all cores, so the broken layers are parsed there. Each is broken on a line of its own.
    const test::TemporaryFolder folder;
    constexpr int               kBroken = 40;
    std::string                 root    = "#usda 1.0\n";
    for (int i = 0; i < kBroken; ++i) {
        folder.write(fmt::format("broken{}.usda", i),
                     "#usda 1.0\n" + std::string(static_cast<std::size_t>(i), '\n') + "def def\n");
        root += fmt::format("def \"p{}\" (\n    references = @./broken{}.usda@\n)\n{{\n}}\n", i, i);
    }
    const auto stage = usd::Stage::open(folder.write("root.usda", root));
    REQUIRE(stage);
    CHECK((*stage)->diagnostics().count("COMP_ASSET_MISSING") == kBroken);
    // The parser's words are part of the composition's error.
    for (int i = 0; i < kBroken; ++i) {
        CAPTURE(i);
        const std::string place = fmt::format("broken{}.usda:{}:", i, i + 2);
        CHECK(std::count_if((*stage)->diagnostics().begin(), (*stage)->diagnostics().end(), [&](const Diagnostic& d) {
                  return d.message.find(place) != std::string::npos && d.site.prim == fmt::format("/p{}", i);
              }) == 1);
    }
}

TEST_CASE("an error of one operation is not told by the next (STG-031)")
{
    const test::TemporaryFolder folder;
    const std::string           good = folder.write("good.usda", link(1));
    for (const char* bad : {"", "#usda 1.0\ndef def\n", "no USD at all\n"}) {
        CAPTURE(bad);
        CHECK_FALSE(usd::Stage::open(folder.write("bad.usda", bad)));
        const auto stage = usd::Stage::open(good);
        REQUIRE(stage);
        CHECK((*stage)->diagnostics().empty());
    }
    const auto broken =
        usd::Stage::open(folder.write("root.usda", "#usda 1.0\ndef \"a\" (\n    references = @./bad.usda@\n)\n{\n}\n"));
    REQUIRE(broken);
    CHECK_FALSE((*broken)->diagnostics().empty());
    CHECK((*usd::Stage::open(good))->diagnostics().empty());
}

TEST_CASE("prims of equal type and equal applied schemas share one definition (STG-068)")
{
    const auto prim = [](const char* name, const char* type, const char* apis) {
        return fmt::format("def {} \"{}\" (\n    prepend apiSchemas = [{}]\n)\n{{\n}}\n", type, name, apis);
    };
    const char* both  = "\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"";
    const auto  stage = test::usda_stage(prim("a", "Xform", both) + prim("b", "Xform", both) +
                                         prim("mass", "Xform", "\"PhysicsMassAPI\"") + prim("cube", "Cube", both));
    const auto  key   = [&](const char* path) { return stage->prim_at(Path(path)).definition_key(); };
    REQUIRE(key("/a") != nullptr);
    CHECK(key("/a") == key("/b"));
    CHECK(key("/a") != key("/mass"));
    CHECK(key("/a") != key("/cube"));
    // Across stages too: the registry makes each kind once.
    CHECK(test::usda_stage(prim("c", "Xform", both))->prim_at(Path("/c")).definition_key() == key("/a"));
}

TEST_CASE("references that double thirty times stop at the limit of prims (STG-131)")
{
    // Each class has two children that are the next class: 2^30 prims below /d0.
    std::string text = "#usda 1.0\n";
    for (int i = 0; i < 30; ++i)
        text += fmt::format(
            "def \"d{0}\"\n{{\n    def \"a\" (\n        references = </d{1}>\n    )\n    {{\n    }}\n"
            "    def \"b\" (\n        references = </d{1}>\n    )\n    {{\n    }}\n}}\n",
            i, i + 1);
    text += "def \"d30\"\n{\n}\n";
    usd::OpenOptions options;
    options.limits.max_prims = 20'000;
    const auto stage         = usd::Stage::open_text(text, {}, options);
    REQUIRE_FALSE(stage);  // an error, never a shortened model (GAP-107)
    CHECK(stage.error().id == "STAGE_LIMIT");
    CHECK(stage.error().message.find("20000 prims") != std::string::npos);
    CHECK(stage.error().hint.find("--stage-limit prims=") != std::string::npos);
}
