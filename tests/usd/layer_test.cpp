#include "mechane/usd/layer.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <limits>

#include "mechane/usd/make_value.h"
#include "support/support.h"

using namespace mechane;
using usd::Layer;
using usd::Path;
using usd::Token;
using Tokens = std::vector<Token>;

namespace {

Layer layer_from(const std::string& text)
{
    auto layer = Layer::from_text("#usda 1.0\n" + text);
    REQUIRE_MESSAGE(layer, (layer ? "" : layer.error().message));
    return std::move(*layer);
}

std::shared_ptr<const usd::Stage> composed(const Layer& layer)
{
    auto stage = usd::Stage::open_text(layer.to_text());
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *stage;
}

std::string read(const std::string& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// A stage with something of everything that a layer can say, and a field that no schema knows.
const std::string kEverything = R"(#usda 1.0
(
    "a robot"
    customLayerData = {
        string who = "nobody"
    }
    defaultPrim = "robot"
    metersPerUnit = 1
    strangeField = "kept"
)

def Xform "robot" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
    prepend payload = @./missing.usda@</x> (offset = 2)
    strangeField = 7
    variants = {
        string size = "big"
    }
    prepend variantSets = "size"
)
{
    double3 xformOp:translate.timeSamples = {
        0: (0, 0, 0),
        12: (0, 0, 2),
    }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    rel tool = </robot/hand>

    def Cube "hand"
    {
        float size = None
        float size.connect = </robot.out>
    }
    variantSet "size" = {
        "big" {
            over "hand"
            {
                double extra = 1
            }
        }
        "small" {
        }
    }
}
)";

}  // namespace

TEST_CASE("values are made in the type that is asked for, or not at all")
{
    CHECK(usd::make_value("float", 0.5).type_name() == "float");
    CHECK(usd::make_value("half", 0.5).get<double>() == 0.5);
    CHECK(usd::make_value("timecode", 3.0).type_name() == "timecode");
    CHECK(usd::make_value("float3[]", std::vector<Vec3d>{{1, 2, 3}}).get<std::vector<Vec3d>>()->at(0).z == 3);
    CHECK(usd::make_value("quatf", Quatd{0, 0, 1, 0}).type_name() == "quatf");
    CHECK(usd::make_value("uint", -1).empty());
    CHECK(usd::make_value("float", std::string("1")).empty());
    CHECK(usd::make_value("no such type", 1.0).empty());
    CHECK(usd::make_value("double", 1).get<double>() == 1.0);
    CHECK(usd::make_value("asset", usd::AssetPath{"./a.png", {}, {}}).get<usd::AssetPath>()->authored == "./a.png");
}

TEST_CASE("the text of a value is read as usda reads it, and nothing but a value")
{
    CHECK(usd::parse_value("double3", "(1, 2, 3)")->get<Vec3d>()->y == 2);
    CHECK(usd::parse_value("token[]", "[\"a\", \"b\"]")->get<Tokens>()->size() == 2);
    for (const char* text : {"", "(1, 2)", "1\n double y = 2", "1 (doc = \"x\")", "1\n}\ndef \"b\"\n{"}) {
        CAPTURE(text);
        CHECK_FALSE(usd::parse_value("double", text));
    }
    CHECK_FALSE(usd::parse_value("no such type", "1"));
}

TEST_CASE("a layer is built from nothing and says on a stage what was asked")
{
    Layer layer;
    REQUIRE(layer.define(Path("/robot"), "Xform"));
    REQUIRE(layer.set_field(Path::root(), "defaultPrim", usd::make_value("token", Token("robot"))));
    REQUIRE(layer.set_field(Path::root(), "metersPerUnit", usd::make_value("double", 1.0)));
    REQUIRE(layer.apply_api(Path("/robot"), "PhysicsRigidBodyAPI"));
    REQUIRE(layer.set(Path("/robot.physics:velocity"), "vector3f", Vec3d{1, 2, 3}));
    REQUIRE(layer.define(Path("/robot/hand"), "Cube"));
    REQUIRE(layer.set(Path("/robot/hand.size"), "double", 0.25));
    REQUIRE(layer.set_sample(Path("/robot/hand.size"), 10, usd::make_value("float", 0.75)));
    REQUIRE(layer.set_targets(Path("/robot.tool"), {Path("/robot/hand")}));
    REQUIRE(layer.set_field(Path("/robot"), "kind", usd::make_value("string", std::string("component"))));
    REQUIRE(layer.set_field(Path("/robot"), "customData:a:b", usd::make_value("int", 3)));

    const auto stage = composed(layer);
    CHECK(stage->default_prim().path() == Path("/robot"));
    CHECK(stage->metadata().meters_per_unit == 1);
    const auto robot = stage->default_prim();
    CHECK(robot.has_api("PhysicsRigidBodyAPI"));
    CHECK(robot.attribute("physics:velocity").get<Vec3d>()->z == 3);
    CHECK(robot.relationship("tool").targets() == std::vector{Path("/robot/hand")});
    CHECK(robot.metadata("kind").get<Token>() == Token("component"));
    CHECK(robot.metadata("customData:a:b").get<int>() == 3);
    CHECK(stage->prim_at(Path("/robot/hand")).attribute("size").get<double>() == 0.25);
    CHECK(stage->prim_at(Path("/robot/hand")).attribute("size").get<double>(10.0) == 0.75);
}

TEST_CASE("a schema is taken off and put back without touching its properties")
{
    Layer layer = layer_from(
        "def Cube \"box\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n)\n{\n"
        "    vector3f physics:velocity = (1, 0, 0)\n}\n");
    const std::string before = layer.to_text();
    REQUIRE(layer.remove_api(Path("/box"), "PhysicsMassAPI"));
    REQUIRE(layer.remove_api(Path("/box"), "PhysicsRigidBodyAPI"));
    CHECK(layer.apis(Path("/box")).empty());
    CHECK(composed(layer)->prim_at(Path("/box")).attribute("physics:velocity").authored());
    CHECK_FALSE(composed(layer)->prim_at(Path("/box")).has_api("PhysicsRigidBodyAPI"));
    REQUIRE(layer.apply_api(Path("/box"), "PhysicsRigidBodyAPI"));
    REQUIRE(layer.apply_api(Path("/box"), "PhysicsMassAPI"));
    REQUIRE(layer.apply_api(Path("/box"), "PhysicsMassAPI"));  // once more changes nothing
    CHECK(layer.to_text() == before);
}

TEST_CASE("a removed schema also hides what weaker layers add, unless asked otherwise")
{
    const test::TemporaryFolder folder;
    folder.write("base.usda", "#usda 1.0\ndef Cube \"a\" (\n    prepend apiSchemas = [\"PhysicsMassAPI\"]\n)\n{\n}\n");
    for (const bool everywhere : {true, false}) {
        CAPTURE(everywhere);
        Layer top;
        REQUIRE(top.set_sublayers({"./base.usda"}));
        REQUIRE(top.remove_api(Path("/a"), "PhysicsMassAPI", everywhere));
        const std::string file = (folder.path() / "top.usda").string();
        REQUIRE(top.save(file));
        const auto stage = usd::Stage::open(file);
        REQUIRE(stage);
        CHECK((*stage)->prim_at(Path("/a")).has_api("PhysicsMassAPI") == !everywhere);
    }
}

TEST_CASE("a moved prim takes along what points to it")
{
    Layer layer = layer_from(
        "(\n    defaultPrim = \"a\"\n)\n"
        "def \"a\"\n{\n    def \"b\"\n    {\n        double x = 1\n    }\n}\n"
        "def \"c\" (\n    inherits = </a/b>\n    references = </a>\n)\n{\n    rel r = [</a/b>, </c>]\n"
        "    double y\n    double y.connect = </a/b.x>\n}\n");
    REQUIRE(layer.rename(Path("/a"), "robot"));
    REQUIRE(layer.move(Path("/robot/b"), Path("/links/b")));
    REQUIRE(layer.rename(Path("/links/b.x"), "z"));
    CHECK(layer.field(Path::root(), "defaultPrim").get<Token>() == Token("robot"));
    CHECK(layer.targets(Path("/c.r")) == std::vector{Path("/links/b"), Path("/c")});
    CHECK(layer.targets(Path("/c.y")) == std::vector{Path("/links/b.z")});
    CHECK(layer.references(Path("/c")).at(0).prim == Path("/robot"));
    CHECK(layer.field(Path("/c"), "inheritPaths").to_text().find("/links/b") != std::string::npos);
    CHECK(layer.value(Path("/links/b.z")).get<double>() == 1);
    CHECK(layer.kind(Path("/a")) == usd::SpecKind::none);
}

TEST_CASE("variants are made, edited from inside, selected and removed")
{
    Layer layer;
    REQUIRE(layer.define(Path("/robot"), "Xform"));
    REQUIRE(layer.add_variant(Path("/robot"), "size", "big"));
    REQUIRE(layer.add_variant(Path("/robot"), "size", "small"));
    REQUIRE(layer.define(Path("/robot{size=big}wheel"), "Sphere"));
    REQUIRE(layer.set(Path("/robot{size=big}wheel.radius"), "double", 2.0));
    REQUIRE(layer.set(Path("/robot{size=small}.note"), "string", std::string("tiny")));
    CHECK(layer.variants(Path("/robot"), "size") == std::vector<std::string>{"big", "small"});
    REQUIRE(layer.select_variant(Path("/robot"), "size", "big"));
    CHECK(composed(layer)->prim_at(Path("/robot/wheel")).attribute("radius").get<double>() == 2);
    REQUIRE(layer.select_variant(Path("/robot"), "size", "small"));
    CHECK_FALSE(composed(layer)->prim_at(Path("/robot/wheel")));
    CHECK(composed(layer)->prim_at(Path("/robot")).attribute("note").get<std::string>() == "tiny");
    REQUIRE(layer.remove(Path("/robot{size=big}")));
    CHECK(layer.variants(Path("/robot"), "size") == std::vector<std::string>{"small"});
}

TEST_CASE("what an edit does not name stays as it was")
{
    Layer layer = layer_from(kEverything.substr(10));
    CHECK_FALSE(layer.edited());
    const std::string before = layer.to_text();
    REQUIRE(layer.set(Path("/robot/hand.note"), "int", 1));
    REQUIRE(layer.remove(Path("/robot/hand.note")));
    CHECK(layer.edited());
    CHECK(layer.to_text() == before);
    CHECK(before.find("strangeField = \"kept\"") != std::string::npos);
    CHECK(before.find("strangeField = 7") != std::string::npos);
}

TEST_CASE("an edit that cannot be done changes nothing and says why")
{
    Layer             layer   = layer_from(kEverything.substr(10));
    const std::string before  = layer.to_text();
    const auto        refused = [&](const Result<void>& done) {
        CHECK_FALSE(done);
        if (!done) CHECK(done.error().id == "STAGE_EDIT_REFUSED");
        CHECK(layer.to_text() == before);
    };
    refused(layer.define(Path("/robot.x"), "Xform"));
    refused(layer.define(Path("relative"), "Xform"));
    refused(layer.define(Path(), "Xform"));
    refused(layer.remove(Path("/nothing")));
    refused(layer.remove(Path::root()));
    refused(layer.rename(Path("/robot"), "not a name"));
    refused(layer.move(Path("/robot"), Path("/robot/below")));
    refused(layer.move(Path("/robot/hand"), Path("/robot")));
    refused(layer.move(Path("/nothing"), Path("/new/parent")));
    refused(layer.set(Path("/robot.tool"), "int", 1));  // a relationship
    refused(layer.set(Path("/robot/hand.size"), "float", std::string("wide")));
    refused(layer.set(Path("/robot.fresh"), "no such type", 1.0));
    refused(layer.set(Path("/robot.fresh"), usd::Value()));
    refused(layer.set_sample(Path("/robot/hand.size"), std::numeric_limits<double>::quiet_NaN(),
                             usd::make_value("float", 1.0)));
    refused(layer.set_targets(Path("/robot/hand.size"), {Path("/robot")}));
    refused(layer.set_targets(Path("/robot.tool"), {Path()}));
    refused(layer.add_reference(Path("/robot"), {.asset = "./a.usda", .prim = Path("/a.x")}));
    refused(layer.add_variant(Path("/robot"), "size", "no/name"));
    refused(layer.select_variant(Path("/robot"), "size", "no/name"));
    refused(layer.select_variant(Path("/robot"), "no set", "big"));
    refused(layer.set_field(Path("/robot"), "primChildren", usd::make_value("token", Token("x"))));
    refused(layer.set_field(Path("/robot"), "active", usd::make_value("token", Token("x"))));
    refused(layer.apply_api(Path("/robot"), ""));
    CHECK_FALSE(layer.edited());
}

TEST_CASE("text and binary hold the same, fields of unknown schemas too (STG-093)")
{
    const test::TemporaryFolder folder;
    const auto                  name  = [&](const char* file) { return (folder.path() / file).string(); };
    const Layer                 layer = layer_from(kEverything.substr(10));
    REQUIRE(layer.save(name("a.usda")));
    const auto a = Layer::open(name("a.usda"));
    REQUIRE(a);
    REQUIRE(a->save(name("b.usdc")));
    const auto b = Layer::open(name("b.usdc"));
    REQUIRE(b);
    REQUIRE(b->save(name("c.usd"), {.format = usd::SaveOptions::Format::text}));
    const auto c = Layer::open(name("c.usd"));
    REQUIRE(c);
    REQUIRE(c->save(name("d.usd")));
    const auto d = Layer::open(name("d.usd"));
    REQUIRE(d);
    CHECK(read(name("b.usdc")).starts_with("PXR-USDC"));
    CHECK(read(name("c.usd")).starts_with("#usda"));
    CHECK(read(name("d.usd")).starts_with("PXR-USDC"));
    for (const Layer* each : {&*a, &*b, &*c, &*d}) CHECK(each->to_text() == layer.to_text());
}

TEST_CASE("an unedited layer is saved with its comments")
{
    const test::TemporaryFolder folder;
    const std::string           text = "#usda 1.0\n\n# a comment\ndef \"a\"   {}\n";
    const std::string           file = folder.write("a.usda", text);
    auto                        a    = Layer::open(file);
    REQUIRE(a);
    REQUIRE(a->save((folder.path() / "b.usda").string()));
    CHECK(read((folder.path() / "b.usda").string()) == text);
    REQUIRE(a->define(Path("/b"), "Xform"));
    REQUIRE(a->save(file));
    CHECK(read(file).find("def Xform \"b\"") != std::string::npos);
}

TEST_CASE("edits that are refused, or find nothing to change, leave a layer the bytes of its file")
{
    const test::TemporaryFolder folder;
    const std::string           text =
        "#usda 1.0\n\n# a comment\ndef \"a\" (\n    customData = {int n = 1}\n    references = @./x.usda@</x>\n)\n"
        "{\n    double   x   # without a value\n    double y = 1\n}\n";
    const std::string file = folder.write("a.usda", text);
    auto              a    = Layer::open(file);
    REQUIRE(a);
    CHECK_FALSE(a->set(Path("/a.y"), usd::make_value("token", Token("wide"))));
    CHECK_FALSE(a->set_targets(Path("/a.y"), {Path("/a")}));
    CHECK_FALSE(a->define_attribute(Path("/a.z"), "no type"));
    CHECK(a->clear_field(Path("/a"), "customData:other"));
    CHECK(a->clear_field(Path("/a"), "kind"));
    CHECK(a->clear_samples(Path("/a.y")));
    CHECK(a->clear_value(Path("/a.x")));
    CHECK(a->add_reference(Path("/a"), {.asset = "./x.usda", .prim = Path("/x")}));
    a->rewrite_assets([](const std::string& authored) { return authored; });
    CHECK_FALSE(a->edited());
    REQUIRE(a->save((folder.path() / "b.usda").string()));
    CHECK(read((folder.path() / "b.usda").string()) == text);
    CHECK(a->clear_field(Path("/a"), "customData:n"));
    CHECK(a->edited());
}

TEST_CASE("saving says what is wrong with the place")
{
    const test::TemporaryFolder folder;
    const Layer                 layer;
    for (const char* file : {"x/y.usda", "a.txt", "a"}) {
        CAPTURE(file);
        const auto done = layer.save((folder.path() / file).string());
        REQUIRE_FALSE(done);
        CHECK(done.error().id == "STAGE_WRITE_FAILED");
    }
    CHECK_FALSE(layer.save((folder.path() / "a.usda").string(), {.format = usd::SaveOptions::Format::binary}));
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a writer that is killed leaves the old file or the new one (STG-127)")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("a.usda", "#usda 1.0\ndef \"old\"\n{\n}\n");
    Layer                       big;
    for (int i = 0; i < 2000; ++i) REQUIRE(big.define(Path("/p" + std::to_string(i)), "Xform"));
    const std::string old_text = read(file), new_text = big.to_text();
    int               killed = 0;
    for (const int microseconds : {0, 500, 1000, 2000, 4000, 8000, 16000}) {
        folder.write("a.usda", old_text);
        const pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < 100; ++i) (void)big.save(file);
            _exit(0);
        }
        usleep(static_cast<useconds_t>(microseconds));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        killed += WIFSIGNALED(status) ? 1 : 0;
        const std::string now = read(file);
        CHECK((now == old_text || now == new_text));
    }
    CHECK(killed > 0);
}

TEST_CASE("a package brings along what its layers need, and opens where nothing else is (STG-020, STG-124, STG-125)")
{
    const test::TemporaryFolder folder, elsewhere;
    std::filesystem::create_directories(folder.path() / "parts" / "tex");
    folder.write("parts/tex/wood.png", "not really a picture");
    folder.write("wood.png", "another of the same name");
    folder.write("parts/arm.usda",
                 "#usda 1.0\n(\n    defaultPrim = \"arm\"\n)\ndef Xform \"arm\"\n{\n    asset tex = @./tex/wood.png@\n"
                 "    asset lost = @./tex/lost.png@\n}\n");
    const std::string file = folder.write(
        "robot.usda",
        "#usda 1.0\n(\n    defaultPrim = \"robot\"\n)\ndef Xform \"robot\"\n{\n    asset tex = "
        "@wood.png@\n    def \"arm\" (\n        references = @./parts/arm.usda@\n    )\n    {\n    }\n}\n");
    const auto layer = Layer::open(file);
    REQUIRE(layer);
    const std::string package = (elsewhere.path() / "robot.usdz").string();
    Diagnostics       found;
    REQUIRE(usd::write_package(*layer, package, {}, found));
    CHECK(found.count("COMP_ASSET_MISSING") == 1);
    CHECK(found.begin()->message.find("lost.png") != std::string::npos);

    const auto stage = usd::Stage::open(package);
    REQUIRE(stage);
    const auto arm = (*stage)->prim_at(Path("/robot/arm"));
    REQUIRE(arm);
    CHECK(arm.attribute("tex").get<usd::AssetPath>()->resolved == package + "[parts/tex/wood.png]");
    CHECK((*stage)->prim_at(Path("/robot")).attribute("tex").get<usd::AssetPath>()->resolved == package + "[wood.png]");

    // A package inside a package: as a file, and with its texture still found.
    Layer outer;
    REQUIRE(outer.add_reference(Path("/scene/robot"), {.asset = package}));
    const std::string nest = (elsewhere.path() / "nest.usdz").string();
    REQUIRE(outer.save(nest));
    std::filesystem::remove(package);
    const auto nested = usd::Stage::open(nest);
    REQUIRE(nested);
    CHECK((*nested)->prim_at(Path("/scene/robot/arm")).attribute("tex").get<usd::AssetPath>()->resolved ==
          nest + "[assets/robot.usdz[parts/tex/wood.png]]");
}

TEST_CASE("places of opinions lead into variants and referenced layers")
{
    const test::TemporaryFolder folder;
    const std::string           part = folder.write(
        "part.usda",
        "#usda 1.0\ndef \"p\" (\n    variants = {\n        string v = \"on\"\n    }\n    variantSets = \"v\"\n)\n{\n"
        "    variantSet \"v\" = {\n        \"on\" {\n            double x = 1\n        }\n    }\n}\n");
    const std::string top =
        folder.write("top.usda", "#usda 1.0\ndef \"a\" (\n    references = @./part.usda@</p>\n)\n{\n}\n");
    const auto stage = usd::Stage::open(top);
    REQUIRE(stage);
    const auto places = usd::spec_places((*stage)->prim_at(Path("/a")), "x");
    REQUIRE(places.size() == 1);
    CHECK(places[0].path == Path("/p{v=on}.x"));
    auto layer = Layer::open(places[0].layer);
    REQUIRE(layer);
    CHECK(layer->value(places[0].path).get<double>() == 1);
    CHECK(usd::spec_places((*stage)->prim_at(Path("/a"))).size() >= 2);
}

TEST_CASE("an edit that is refused leaves the layer as it was, also what it would have made above")
{
    const std::string text = "def Xform \"a\"\n{\n    def Xform \"b\"\n    {\n        double x = 1\n    }\n}\n";
    const auto        same = [&](auto&& edit) {
        Layer             layer  = layer_from(text);
        const std::string before = layer.to_text();
        const bool        done   = static_cast<bool>(edit(layer));
        if (!done) CHECK(layer.to_text() == before);
        return done;
    };
    CHECK_FALSE(same([](Layer& l) { return l.copy_spec(l, Path("/a/b.x"), Path("/n/m")); }));
    CHECK_FALSE(same([](Layer& l) { return l.copy_spec(l, Path("/a"), Path("/n/m.x")); }));
    CHECK_FALSE(same([](Layer& l) { return l.move(Path("/a/b.x"), Path("/n/m")); }));
    CHECK_FALSE(same([](Layer& l) { return l.move(Path("/a"), Path("/a/n/m")); }));
    CHECK_FALSE(same([](Layer& l) { return l.define(Path("/n.x"), Token("Xform")); }));
    CHECK(same([](Layer& l) { return l.move(Path("/a/b"), Path("/n/m/b")); }));
}
