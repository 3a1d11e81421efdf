#include "usd/stages.h"

using namespace mechane;
using usd::Path;

namespace {

std::string clip(const std::string& samples, const std::string& name = "x")
{ return "#usda 1.0\ndef \"c\"\n{\n    double " + name + ".timeSamples = {\n        " + samples + "\n    }\n}\n"; }

/// A prim with the attribute x, and y that no clip knows, under a set of clips; the reference is weaker than the clips.
std::string model(const std::string& set, const std::string& own = {})
{
    return "#usda 1.0\nclass \"ref\"\n{\n    double x = 1\n    double x.timeSamples = {\n        0: -1\n    }\n    "
           "double y = 1\n}\n"
           "def \"a\" (\n    references = </ref>\n    clips = {\n        dictionary default = {\n            string "
           "primPath = "
           "\"/c\"\n            " +
           set + "\n        }\n    }\n)\n{\n" + own + "\n}\n";
}

struct Clips {
    test::TemporaryFolder             folder;
    std::shared_ptr<const usd::Stage> stage;

    explicit Clips(const std::string& root)
    {
        folder.write("c.1.usda", clip("0: 10,\n        5: 20,\n        10: 30"));
        folder.write("c.2.usda", clip("0: 100,\n        5: 200,\n        10: 300"));
        folder.write("empty.usda", "#usda 1.0\n");
        folder.write("manifest.usda", "#usda 1.0\ndef \"c\"\n{\n    double x = 42\n}\n");
        const auto opened = usd::Stage::open(folder.write("root.usda", root));
        REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().message));
        stage = *opened;
    }
    [[nodiscard]] usd::Attribute x() const { return stage->prim_at(Path("/a")).attribute("x"); }
};

}  // namespace

TEST_CASE("clips take turns, are stronger than references and weaker than their own layer")
{
    const std::string set =
        "asset[] assetPaths = [@./c.1.usda@, @./c.2.usda@]\n            double2[] active = [(0, 0), (5, 1)]";
    const Clips clips(model(set));
    CHECK(clips.x().get<double>(0) == 10);
    CHECK(clips.x().get<double>(2.5) == 105);  // half way from 10 at 0 to 200 at 5, where the second clip begins
    CHECK(clips.x().get<double>(5) == 200);
    CHECK(clips.x().get<double>(10) == 300);
    CHECK(clips.x().get<double>() == 1);  // clips have nothing to say about the default time
    CHECK(clips.x().time_samples() == std::vector<double>{0, 5, 10});
    CHECK(clips.x().varying());
    CHECK(clips.stage->prim_at(Path("/a")).attribute("y").get<double>(5) == 1);
    CHECK(Clips(model(set, "    double x = 7")).x().get<double>(5) == 7);
}

TEST_CASE("times of a set move, stretch and jump")
{
    const Clips clips(
        model("asset[] assetPaths = [@./c.1.usda@]\n            double2[] active = [(0, 0)]\n            "
              "double2[] times = [(100, 0), (120, 10), (120, 0), (130, 10)]"));
    CHECK(clips.x().get<double>(90) == 10);
    CHECK(clips.x().get<double>(110) == 20);
    CHECK(clips.x().get<double>(120) == 10);
    CHECK(*clips.x().get<double>(119.999999) == doctest::Approx(30).epsilon(1e-6));
    CHECK(clips.x().get<double>(125) == 20);
    CHECK(clips.x().get<double>(500) == 30);
}

TEST_CASE("a template names its clips by their times")
{
    const Clips clips(
        model("string templateAssetPath = \"./c.#.usda\"\n            double templateStartTime = 1\n            "
              "double templateEndTime = 3\n            double templateStride = 1"));
    // c.1 from 1 on, read at its own time: a fifth of the way from 10 to 20; c.2 from 2 on; there is no c.3
    CHECK(*clips.x().get<double>(1) == doctest::Approx(12));
    CHECK(*clips.x().get<double>(2) == doctest::Approx(140));
    CHECK(clips.stage->diagnostics().count("CLIPS_INVALID") == 0);
}

TEST_CASE("a clip without samples gives the manifest's default, else nothing, unless others fill the gap")
{
    const std::string set =
        "asset[] assetPaths = [@./c.1.usda@, @./empty.usda@]\n            double2[] active = [(0, 0), (20, 1)]";
    CHECK(Clips(model(set)).x().value(20).empty());
    CHECK(Clips(model(set + "\n            asset manifestAssetPath = @./manifest.usda@")).x().get<double>(20) == 42);
    CHECK(Clips(model(set + "\n            bool interpolateMissingClipValues = 1")).x().get<double>(20) == 30);
}

TEST_CASE("a set of clips that cannot be used is said once, and the layers decide (STG-084)")
{
    for (const char* set : {"asset[] assetPaths = [@./c.1.usda@]\n            double2[] active = [(0, 3)]",
                            "asset[] assetPaths = [@./c.1.usda@]",
                            "string templateAssetPath = \"./c.usda\"\n            double templateStartTime = 1\n       "
                            "     double templateEndTime = 3",
                            "string templateAssetPath = \"./c.#.usda\"\n            double templateStartTime = 1\n     "
                            "       double templateEndTime = 3\n"
                            "            double templateStride = 0",
                            "double2[] active = [(0, 0)]"}) {
        CAPTURE(set);
        const Clips clips(model(set));
        CHECK(clips.stage->diagnostics().count("CLIPS_INVALID") == 1);
        CHECK(clips.x().get<double>(0) == -1);
    }
}

TEST_CASE("time codes in a clip count from the clip's time")
{
    test::TemporaryFolder folder;
    folder.write("t.usda", "#usda 1.0\ndef \"c\"\n{\n    timecode x.timeSamples = {\n        0: 0,\n        10: 4\n    }\n}\n");
    const auto stage = usd::Stage::open(folder.write(
        "root.usda", "#usda 1.0\ndef \"a\" (\n    clips = {\n        dictionary default = {\n            string primPath = "
                     "\"/c\"\n            asset[] assetPaths = [@./t.usda@]\n            double2[] active = [(100, 0)]\n        "
                     "    double2[] times = [(100, 0), (110, 10)]\n        }\n    }\n)\n{\n    timecode x\n}\n"));
    REQUIRE(stage);
    const auto x = (*stage)->prim_at(Path("/a")).attribute("x");
    CHECK(x.get<double>(100) == 100);  // 0 at the clip's time 0, which is 100 on the stage
    CHECK(x.get<double>(110) == 104);
}

TEST_CASE("an attribute that no clip holds has one sample without a value, where the first clip begins")
{
    const Clips clips(model("asset[] assetPaths = [@./empty.usda@]\n            double2[] active = [(3, 0)]\n            asset "
                            "manifestAssetPath = @./bare.usda@\n            bool interpolateMissingClipValues = true"));
    CHECK(clips.x().time_samples() == std::vector<double>{0});  // the manifest cannot be opened: it declares nothing
    test::TemporaryFolder folder;
    folder.write("empty.usda", "#usda 1.0\n");
    folder.write("manifest.usda", "#usda 1.0\ndef \"c\"\n{\n    double x\n}\n");
    const auto stage = usd::Stage::open(folder.write(
        "root.usda", model("asset[] assetPaths = [@./empty.usda@]\n            double2[] active = [(3, 0)]\n            asset "
                           "manifestAssetPath = @./manifest.usda@\n            bool interpolateMissingClipValues = true")));
    REQUIRE(stage);
    const auto x = (*stage)->prim_at(Path("/a")).attribute("x");
    CHECK(x.time_samples() == std::vector<double>{3});
    CHECK_FALSE(x.get<double>(3));
}

TEST_CASE("a template reads beyond its own times by its offset, and may name arguments of the format")
{
    // Clips are there at 1 and 2 of 1 to 4; with an offset of 0.5 the mapping begins at 0.5 and ends at 4.5.
    const std::string set = "string templateAssetPath = \"./c.#.usda\"\n            double templateStartTime = 1\n            double "
                            "templateEndTime = 4\n            double templateStride = 1\n            double templateActiveOffset = 0.5";
    const auto times = Clips(model(set)).x().time_samples();
    REQUIRE(!times.empty());
    CHECK(times.front() == 0.5);
    CHECK(times.back() == 4.5);
    CHECK(Clips(model("string templateAssetPath = \"./c.#.usda:SDF_FORMAT_ARGS:a=b\"\n            double templateStartTime = 1\n     "
                      "       double templateEndTime = 2\n            double templateStride = 1"))
              .x()
              .get<double>(1) == 12);  // between 10 at 0 and 20 at 5
}

TEST_CASE("clips without times run as the layer that names them, and time codes in them are carried through the mapping")
{
    test::TemporaryFolder folder;
    folder.write("t.usda", "#usda 1.0\ndef \"c\"\n{\n    timecode x.timeSamples = {\n        0: 4,\n        10: 4\n    }\n}\n");
    const auto set = [](const std::string& times) {
        return "#usda 1.0\ndef \"a\" (\n    clips = {\n        dictionary default = {\n            string primPath = \"/c\"\n       "
               "     asset[] assetPaths = [@./t.usda@]\n            double2[] active = [(0, 0)]\n            " +
               times + "\n        }\n    }\n)\n{\n    timecode x\n}\n";
    };
    folder.write("sub.usda", set(""));
    const auto through = usd::Stage::open(
        folder.write("offset.usda", "#usda 1.0\n(\n    subLayers = [@./sub.usda@ (offset = 5; scale = 2)]\n)\n"));
    REQUIRE(through);
    const auto x = (*through)->prim_at(Path("/a")).attribute("x");
    CHECK(x.time_samples() == std::vector<double>{5, 25});  // 5 + 2 * 0 and 5 + 2 * 10
    CHECK(x.get<double>(25) == 13);                         // 5 + 2 * 4
    // Backwards: 4 in the clip is 6 on the stage, at whatever time it is read.
    const auto back = usd::Stage::open(folder.write("back.usda", set("double2[] times = [(0, 10), (10, 0)]")));
    REQUIRE(back);
    CHECK((*back)->prim_at(Path("/a")).attribute("x").get<double>(0) == 6);
    CHECK((*back)->prim_at(Path("/a")).attribute("x").get<double>(5) == 6);
}

TEST_CASE("time codes in a clip take the line of the mapping on which the time of the sample lies, however far they lead")
{
    // Expected values are those of usd-core 26.11. A clip holds -3 at its time 0 and 1 at its time 6.
    test::TemporaryFolder folder;
    folder.write("t.usda", "#usda 1.0\ndef \"c\"\n{\n    timecode x.timeSamples = {\n        0: -3,\n        6: 1\n    }\n}\n");
    struct Row {
        std::string                            times;
        std::vector<std::pair<double, double>> values;
    };
    for (const Row& row : {
             Row{"(0, 0), (10, 5), (20, 25)", {{-5, -6}, {0, -6}, {10, 2 / 3.0}, {20, 8}}},  // a line holds its end
             Row{"(0, 0), (10, 5), (10, 8), (20, 28)", {{0, -6}, {10, 6.5}, {20, 6.5}}},      // a jump is passed over
             Row{"(0, 0), (10, 5), (10, 8)", {{10, 9.999999989637919}, {12, 9.999999989637919}}},  // unless it is the end
             Row{"(0, 0), (0, 5), (10, 10)", {{-5, -28 / 3.0}, {0, -28 / 3.0}, {2, -8}}},  // where it begins it has no left side
             Row{"(5, 1), (5, 3)", {{0, 5}, {5, 5}, {6, 5}}},
             Row{"(2, 3)", {{0, 2}, {2, 2}, {9, 2}}},
             Row{"(0, 0), (5, 1), (5, 3), (6, 3), (6, 1), (7, 1)", {{0, -15}, {5, 5}, {6, 6}, {7, 6}}},
         }) {
        CAPTURE(row.times);
        const auto stage = usd::Stage::open(folder.write(
            "root.usda", "#usda 1.0\ndef \"a\" (\n    clips = {\n        dictionary default = {\n            string primPath = \"/c\"\n"
                         "            asset[] assetPaths = [@./t.usda@]\n            double2[] active = [(0, 0)]\n"
                         "            double2[] times = [" + row.times + "]\n        }\n    }\n)\n{\n    timecode x\n}\n"));
        REQUIRE(stage);
        const auto x = (*stage)->prim_at(Path("/a")).attribute("x");
        for (const auto& [time, expected] : row.values) {
            CAPTURE(time);
            REQUIRE(x.get<double>(time));
            CHECK(*x.get<double>(time) == doctest::Approx(expected).epsilon(1e-12));
        }
    }
}

TEST_CASE("fields of a set that several layers author take addresses and times from the one that says which clips there are")
{
    // Expected times are those of usd-core 26.11. The set's clip has samples at 0 and 10; layers are shifted by 5
    // (reference), 100 (sublayer of the root) and 1000 (sublayer of the reference).
    const std::string base   = "string primPath = \"/c\"\nasset manifestAssetPath = @./m.usda@\n",
                      paths  = "asset[] assetPaths = [@./t.usda@]\n",
                      times  = "double2[] times = [(0, 0), (10, 10)]\n",
                      active = "double2[] active = [(0, 0)]\n";
    struct Row {
        std::string         root, weak, reference, below;
        std::vector<double> times;
    };
    for (const Row& row : {
             Row{"", "", base + paths + times + active, "", {5, 15}},
             Row{"", "", "", base + paths + times + active, {1005, 1015}},
             Row{base + paths, "", times + active, "", {0, 10}},  // weaker than the clips: moves with them
             Row{base + times + active, "", paths, "", {5, 15}},  // stronger, of another stack: too
             Row{base + times + active, paths, "", "", {0, 10}},  // stronger in the same stack: by itself
             Row{base + paths, times + active, "", "", {0, 10}},
             Row{"", base + paths, times + active, "", {100, 110}},
             Row{"", base + times + active, paths, "", {5, 15}},
             Row{active, base + paths + times, "", "", {0, 100, 110}},
             Row{"", "", base + times + active, paths, {5, 15}},
             Row{base + "string templateAssetPath = \"./t.#.usda\"\n", "", paths + times + active, "", {0, 10}},
         }) {
        CAPTURE(row.root);
        CAPTURE(row.weak);
        CAPTURE(row.reference);
        CAPTURE(row.below);
        test::TemporaryFolder folder;
        folder.write("t.usda", clip("0: 0,\n        10: 10"));
        folder.write("m.usda", "#usda 1.0\nover \"c\"\n{\n    double x\n}\n");
        const auto prim = [](const std::string& set, const std::string& more = {}) {
            return "over \"a\" (\n" + more +
                   (set.empty() ? "" : "    clips = {\n        dictionary default = {\n" + set + "        }\n    }\n") + ")\n{\n}\n";
        };
        const auto layer = [](const std::string& sublayer, const std::string& prims) {
            return "#usda 1.0\n(\n    subLayers = [" + sublayer + "]\n)\n" + prims;
        };
        folder.write("below.usda", "#usda 1.0\n" + prim(row.below));
        folder.write("reference.usda", layer("@./below.usda@ (offset = 1000)", prim(row.reference)));
        folder.write("weak.usda", "#usda 1.0\n" + prim(row.weak));
        const auto stage = usd::Stage::open(folder.write(
            "root.usda", layer("@./weak.usda@ (offset = 100)", prim(row.root, "    references = @./reference.usda@</a> (offset = 5)\n"))));
        REQUIRE(stage);
        CHECK((*stage)->prim_at(Path("/a")).attribute("x").time_samples() == row.times);
    }
}

TEST_CASE("time codes that a manifest has for want of a clip's are those of the layer with the set")
{
    // Expected values are those of usd-core 26.11: 10 + 2 * 4, whatever the mapping makes of the clip's own times.
    for (const std::string times : {"", "            double2[] times = [(0, 0), (20, 10)]\n"}) {
        test::TemporaryFolder folder;
        folder.write("empty.usda", "#usda 1.0\n");
        folder.write("m.usda", "#usda 1.0\nover \"c\"\n{\n    timecode x = 4\n}\n");
        folder.write("set.usda",
                     "#usda 1.0\ndef \"a\" (\n    clips = {\n        dictionary default = {\n            string primPath = \"/c\"\n"
                     "            asset manifestAssetPath = @./m.usda@\n            asset[] assetPaths = [@./empty.usda@]\n"
                     "            double2[] active = [(0, 0)]\n" + times + "        }\n    }\n)\n{\n}\n");
        const auto stage = usd::Stage::open(
            folder.write("root.usda", "#usda 1.0\n(\n    subLayers = [@./set.usda@ (offset = 10; scale = 2)]\n)\n"));
        REQUIRE(stage);
        for (const double time : {-3.0, 10.0, 50.0})
            CHECK((*stage)->prim_at(Path("/a")).attribute("x").get<double>(time) == 18);
    }
}
