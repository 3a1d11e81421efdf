#include <algorithm>
#include <cmath>
#include <filesystem>

#include "mechane/usd/resolve_info.h"
#include "usd/stages.h"

using namespace mechane;
using mechane::test::usda_stage;
using usd::Path;

namespace {

/// A root layer over a sublayer, both files of a folder.
struct TwoLayers {
    test::TemporaryFolder             folder;
    std::shared_ptr<const usd::Stage> stage;

    TwoLayers(const std::string& strong, const std::string& weak, const std::string& head = {})
    {
        folder.write("weak.usda", "#usda 1.0\n" + weak);
        const std::string root =
            folder.write("root.usda", "#usda 1.0\n(\n    subLayers = [@./weak.usda@]\n" + head + "\n)\n" + strong);
        auto opened = usd::Stage::open(root);
        REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().message));
        stage = *opened;
    }
    [[nodiscard]] usd::Attribute x() const { return stage->prim_at(Path("/a")).attribute("x"); }
};

std::string prim(const std::string& body) { return "def \"a\"\n{\n    " + body + "\n}\n"; }

}  // namespace

TEST_CASE("the weakest opinion says whether an attribute is uniform, the strongest its type (STG-071)")
{
    const TwoLayers layers(prim("double x"), prim("uniform float x = 1"));
    CHECK(layers.x().type_name() == "double");
    CHECK(layers.x().uniform());
}

TEST_CASE("a strong default hides weaker samples at all times (STG-072)")
{
    const TwoLayers layers(prim("double x = 7"), prim("double x.timeSamples = {\n        0: 1,\n        10: 2\n    }"));
    for (const double t : {-5.0, 0.0, 5.0, 10.0, 50.0}) CHECK(layers.x().get<double>(t) == 7);
    CHECK(layers.x().get<double>() == 7);
    CHECK(layers.x().time_samples().empty());
    CHECK_FALSE(layers.x().varying());
}

TEST_CASE("strong samples leave the default time to a weaker default (STG-073)")
{
    const TwoLayers layers(prim("double x.timeSamples = {\n        0: 1,\n        10: 2\n    }"), prim("double x = 7"));
    CHECK(layers.x().get<double>() == 7);
    CHECK(layers.x().get<double>(5) == 1.5);
}

TEST_CASE("an animation block hides weaker samples, not the weaker default (STG-075)")
{
    const TwoLayers layers(prim("double x = AnimationBlock"),
                           prim("double x = 7\n    double x.timeSamples = {\n        0: 1,\n        10: 2\n    }"));
    CHECK(layers.x().get<double>() == 7);
    CHECK(layers.x().get<double>(5) == 7);
    CHECK(layers.x().time_samples().empty());
}

TEST_CASE("what cannot be blended is held (STG-078)")
{
    const struct {
        const char *type, *first, *second;
    } table[] = {{"int", "1", "4"}, {"bool", "0", "1"}, {"token", "\"a\"", "\"b\""}, {"string", "\"a\"", "\"b\""}};
    for (const auto& row : table) {
        CAPTURE(row.type);
        const auto stage = usda_stage(prim(std::string(row.type) + " x.timeSamples = {\n        0: " + row.first +
                                           ",\n        10: " + row.second + "\n    }"));
        const auto x     = stage->prim_at(Path("/a")).attribute("x");
        CHECK(x.value(9.99).to_json(0) == x.value(0).to_json(0));
        CHECK(x.value(10).to_json(0) != x.value(0).to_json(0));
    }
}

TEST_CASE("arrays blend element by element when they are as long as each other, else the first is held (STG-079)")
{
    const auto at = [](const char* second) {
        const auto stage = usda_stage(
            prim(std::string("double[] x.timeSamples = {\n        0: [0, 2],\n        10: ") + second + "\n    }"));
        return stage->prim_at(Path("/a")).attribute("x").get<std::vector<double>>(5);
    };
    CHECK(at("[10, 4]") == std::vector<double>{5, 3});
    CHECK(at("[10, 4, 6]") == std::vector<double>{0, 2});
}

TEST_CASE("in one layer samples beat a spline, a spline the default (STG-081)")
{
    const std::string spline = "    double x.spline = {\n        1: 8; post held,\n        5: 20; post held,\n    }\n";
    const auto        with_samples =
        usda_stage(prim("double x = 3\n    double x.timeSamples = {\n        0: 100\n    }\n" + spline));
    const auto without = usda_stage(prim("double x = 3\n" + spline));
    CHECK(with_samples->prim_at(Path("/a")).attribute("x").get<double>(3) == 100);
    CHECK(without->prim_at(Path("/a")).attribute("x").get<double>(3) == 8);
    CHECK(without->prim_at(Path("/a")).attribute("x").get<double>() == 3);
    CHECK(without->prim_at(Path("/a")).attribute("x").varying());
}

TEST_CASE("a spline holds between plain knots, and is a line where its segment is (STG-082)")
{
    const auto at = [](const char* first) {
        const auto stage =
            usda_stage(prim(std::string("double x.spline = {\n        1: 8") + first + ",\n        5: 20,\n    }"));
        return stage->prim_at(Path("/a")).attribute("x").get<double>(3);
    };
    CHECK(at("; post held") == 8);
    CHECK(at("; post linear") == 14);  // half way from 8 at 1 to 20 at 5
}

TEST_CASE("time codes are mapped like the samples they speak of (STG-083)")
{
    // offset 10, scale 2: 10 in the sublayer is 10 * 2 + 10 = 30 on the stage
    test::TemporaryFolder folder;
    folder.write("weak.usda", "#usda 1.0\n" + prim("timecode x = 10"));
    const std::string root =
        folder.write("root.usda", "#usda 1.0\n(\n    subLayers = [@./weak.usda@ (offset = 10; scale = 2)]\n)\n");
    const auto stage = usd::Stage::open(root);
    REQUIRE(stage);
    CHECK((*stage)->prim_at(Path("/a")).attribute("x").get<double>() == 30);
}

TEST_CASE("one sample is not varying, two are (STG-085)")
{
    const auto varying = [](const char* samples) {
        const auto stage = usda_stage(prim(std::string("double x.timeSamples = {\n        ") + samples + "\n    }"));
        return stage->prim_at(Path("/a")).attribute("x").varying();
    };
    CHECK_FALSE(varying("0: 1"));
    CHECK(varying("0: 1,\n        1: 1"));
}

TEST_CASE("dictionaries merge key by key down to their leaves, the stronger value wins (STG-092)")
{
    const TwoLayers layers(
        "def \"a\" (\n    customData = {\n        int same = 1\n        dictionary d = {\n            int mine = 1\n"
        "            int both = 1\n        }\n    }\n)\n{\n}\n",
        "def \"a\" (\n    customData = {\n        int same = 2\n        dictionary d = {\n            int theirs = 2\n"
        "            int both = 2\n        }\n    }\n)\n{\n}\n");
    const auto a = layers.stage->prim_at(Path("/a"));
    CHECK(a.metadata("customData").to_json(0) == R"({"d":{"both":1,"mine":1,"theirs":2},"same":1})");
    CHECK(a.metadata("customData:d:theirs").get<int>() == 2);
}

TEST_CASE("a stage that holds its samples blends nothing, clips included (STG-080)")
{
    const char* text   = R"(#usda 1.0
def "a"
{
    double x.timeSamples = {
        0: 1,
        10: 3,
    }
    quatf q.timeSamples = {
        0: (1, 0, 0, 0),
        10: (0, 0, 0, 1),
    }
    double[] list.timeSamples = {
        0: [1],
        10: [3],
    }
}
)";
    const auto  linear = usd::Stage::open_text(text),
                held   = usd::Stage::open_text(text, {}, {.held_interpolation = true});
    REQUIRE(linear);
    REQUIRE(held);
    const auto at = [](const auto& stage, double t) {
        return (*stage)->prim_at(usd::Path("/a")).attribute("x").template get<double>(t);
    };
    CHECK(at(linear, 5) == 2);
    for (const auto& [time, value] :
         {std::pair(-1.0, 1.0), {0.0, 1.0}, {5.0, 1.0}, {9.99, 1.0}, {10.0, 3.0}, {11.0, 3.0}})
        CHECK(at(held, time) == value);
    const auto prim = (*held)->prim_at(usd::Path("/a"));
    CHECK(prim.attribute("q").get<Quatd>(5.0) == prim.attribute("q").get<Quatd>(0.0));
    CHECK(prim.attribute("list").get<std::vector<double>>(5.0) == std::vector{1.0});
}

TEST_CASE("a value names the layer and the kind of opinion that decides it (STG-086)")
{
    const test::TemporaryFolder folder;
    folder.write("weak.usda", R"(#usda 1.0
def Sphere "a"
{
    double radius = 2
    double weak = 1
    double samples.timeSamples = {
        0: 1,
    }
    double curve.spline = {
        0: 1,
        10: 2,
    }
    double blocked = 1
}
)");
    const auto root  = folder.write("root.usda", R"(#usda 1.0
(
    subLayers = [@./weak.usda@]
)
over "a"
{
    double radius = 3
    double blocked = None
    double samples = 7
}
)");
    const auto stage = usd::Stage::open(root);
    REQUIRE(stage);
    using usd::ValueSource;
    const struct {
        const char*   name;
        usd::TimeCode time;
        ValueSource   source;
        const char*   layer;
        bool          blocked;
    } rows[] = {
        {"radius", {}, ValueSource::default_value, "root.usda", false},
        {"weak", {}, ValueSource::default_value, "weak.usda", false},
        {"weak", 3.0, ValueSource::default_value, "weak.usda", false},
        {"samples", 3.0, ValueSource::default_value, "root.usda", false},  // a stronger default hides weaker samples
        {"curve", 3.0, ValueSource::spline, "weak.usda", false},
        {"curve", {}, ValueSource::none, "", false},
        {"blocked", {}, ValueSource::default_value, "root.usda", true},
        {"purpose", {}, ValueSource::fallback, "", false},
        {"absent", {}, ValueSource::none, "", false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        const usd::ResolveInfo info =
            usd::resolve_info((*stage)->prim_at(usd::Path("/a")).attribute(row.name), row.time);
        CHECK(info.source == row.source);
        CHECK(info.blocked == row.blocked);
        CHECK((info.layer.empty() ? "" : std::filesystem::path(info.layer).filename().string()) == row.layer);
    }
    const auto sampled = usd::Stage::open((folder.path() / "weak.usda").string());
    REQUIRE(sampled);
    CHECK(usd::resolve_info((*sampled)->prim_at(usd::Path("/a")).attribute("samples"), 3.0).source ==
          ValueSource::time_samples);
}

TEST_CASE("arrays of whole numbers of every width are read as ints and as doubles, as single numbers are")
{
    for (const char* type : {"int", "uint", "int64", "uint64", "uchar"}) {
        CAPTURE(type);
        const auto stage = usda_stage(prim(std::string(type) + "[] x = [1, 2, 200]"));
        const auto x     = stage->prim_at(Path("/a")).attribute("x");
        CHECK(x.get<std::vector<int>>() == std::vector<int>{1, 2, 200});
        CHECK(x.get<std::vector<double>>() == std::vector<double>{1, 2, 200});
    }
    // What no int holds is not cut: the array is none of ints.
    for (const char* text : {"uint[] x = [1, 4294967295]", "int64[] x = [-9000000000]", "uint64[] x = [9000000000]"}) {
        CAPTURE(text);
        const auto stage = usda_stage(prim(text));
        const auto x     = stage->prim_at(Path("/a")).attribute("x");
        CHECK_FALSE(x.get<std::vector<int>>());
        REQUIRE(x.get<std::vector<double>>());
        CHECK(std::abs(x.get<std::vector<double>>()->back()) > 4e9);
    }
}

TEST_CASE("a list of texts beyond the limit has as many of them at its head as there are, eight at most")
{
    for (const std::string type : {"token", "string"})
        for (int n = 2; n < 12; ++n) {
            std::string list;
            for (int i = 0; i < n; ++i) list += (i > 0 ? ", \"t" : "\"t") + std::to_string(i) + "\"";
            const auto stage = usda_stage(prim(type + "[] x = [" + list + "]"));
            const auto text  = stage->prim_at(Path("/a")).attribute("x").value().to_json(1);
            CAPTURE(text);
            CHECK(text.find("\"t" + std::to_string(std::min(n, 8) - 1) + "\"") != std::string::npos);
            CHECK(text.find("\"t8\"") == std::string::npos);
        }
}
