#include <fmt/format.h>

#include <set>

#include "conformance/checking.h"

using namespace mechane;
using namespace mechane::conformance;

// Assets of several layers: the same faults in entries, sublayers, variants, payloads and packages.

namespace {

const std::string kBase = layer("def Xform \"robot\" { def Xform \"a\" (kind = \"subcomponent\") {} }\n");

std::string body(const std::string& name)
{
    return "over \"" + name +
           "\" (prepend apiSchemas = [\"PhysicsMassAPI\", \"PhysicsRigidBodyAPI\"]) { float physics:mass = 1 }\n";
}

const std::string kPhysics = layer("over \"robot\" { " + body("a") + "}\n");

const std::string kMesh =
    "def Mesh \"m\" { int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2]\n point3f[] points = [(0,0,0),"
    "(1,0,0),(0,1,0)]\n token purpose = \"guide\" }\n";

/// Rule, variant, prim and severity of every finding.
std::multiset<std::string> marks(const Report& report)
{
    std::multiset<std::string> found;
    for (const Finding& f : report.findings)
        found.insert(std::string(f.rule->id) + " " + f.site.prim + "." + f.site.property + " " +
                     std::string(to_string(f.severity)));
    return found;
}

Report checked_package(const Files& files)
{
    const test::TemporaryFolder folder;
    std::string                 first;
    for (const auto& [name, text] : files) {
        const std::string path = folder.write(name, fixture_stage(text));
        if (name.ends_with("robot.usda")) first = path;
    }
    const auto entry = usd::Layer::open(first);
    REQUIRE(entry);
    const std::string package = (folder.path() / "pack.usdz").string();
    Diagnostics       missing;
    const auto        saved = usd::write_package(*entry, package, {}, missing);
    REQUIRE_MESSAGE(saved, (saved ? "" : saved.error().message));
    REQUIRE(missing.empty());
    const auto stage = usd::Stage::open(package);
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *check(**stage, {});
}

}  // namespace

TEST_CASE("a layer mixes roles also by variants, by sensors, and as the entry (REP-1.2.1-a)")
{
    const auto with = [](const std::string& parts) {
        return checked_files({{"robot.usda", entry("prepend references = [@./parts.usda@, @./base.usda@]")},
                              {"base.usda", kBase},
                              {"parts.usda", parts}});
    };
    CHECK(count(with(layer("over \"robot\" { " + body("a") + kMesh + "}\n")), "REP-1.2.1-a") == 1);
    CHECK(count(with(layer("over \"robot\" { " + kMesh +
                           " over \"a\" (prepend apiSchemas = [\"SensorLidarAPI\"]) {} }\n")),
                "REP-1.2.1-a") == 1);
    CHECK(count(with(layer(
                    "over \"robot\" { " + kMesh +
                    "over \"a\" ( prepend variantSets = \"v\"\n variants = { string v = \"x\" } ) { variantSet \"v\" "
                    "= { \"x\" (prepend apiSchemas = [\"PhysicsMassAPI\"]) { float physics:mass = 1 } } } }\n")),
                "REP-1.2.1-a") == 1);
    // A binding for physics by collection is physics.
    CHECK(
        count(with(layer("over \"robot\" { over \"a\" { rel material:binding:collection:physics:all = </robot> } }\n")),
              "REP-1.2.1-a") == 0);
    const auto mixed = [](const std::string& lines) {
        std::string scene = entry("prepend references = [@./base.usda@]");
        scene.insert(scene.rfind('}'), lines);
        return checked_files({{"robot.usda", scene}, {"base.usda", kBase}});
    };
    CHECK(count(mixed(kMesh + body("a")), "REP-1.2.1-a") == 1);
    CHECK(count(mixed(body("a")), "REP-1.2.1-a") == 0);
    CHECK(count(mixed(body("a")), "REP-1.2.1-i") == 1);
}

TEST_CASE("layers are named by their content, the entry by the asset (REP-1.2.1-k)")
{
    const auto named = [](const std::string& name, const std::string& text) {
        return count(checked_files({{"robot.usda", entry("prepend references = [@./" + name + "@, @./base.usda@]")},
                                    {"base.usda", kBase},
                                    {name, text}}),
                     "REP-1.2.1-k");
    };
    const std::string mesh  = layer("over \"robot\" { " + kMesh + "}\n"),
                      looks = layer("over \"robot\" { def Scope \"Looks\" { def Material \"m\" {} } }\n");
    CHECK(named("phys.usda", kPhysics) == 1);
    CHECK(named("geo.usda", mesh) == 1);
    CHECK(named("geometries.usda", mesh) == 0);
    CHECK(named("geometries/arm.usda", mesh) == 0);
    CHECK(named("looks.usda", looks) == 1);
    CHECK(named("Materials.usda", looks) == 0);
    CHECK(named("physx.usda", kPhysics) == 0);  // a vendor's own layer
    // A part that is an asset too has its own name.
    CHECK(named("wheel.usda", layer("def Xform \"robot\" (kind = \"component\") { " + kMesh + "}\n")) == 0);
    const auto entry_of = [](const std::string& prim, const std::string& info) {
        std::string scene = entry("prepend references = [@./base.usda@</robot>]");
        for (std::size_t at = 0; (at = scene.find("\"robot\"", at)) != std::string::npos; ++at)
            scene.replace(at, 7, "\"" + prim + "\"");
        scene.insert(scene.find("string identifier"), info);
        return count(checked_files({{"robot.usda", scene}, {"base.usda", kBase}}), "REP-1.2.1-k", "entry");
    };
    CHECK(entry_of("robot", "") == 0);
    CHECK(entry_of("Robot", "") == 0);
    CHECK(entry_of("arm", "") == 1);
    CHECK(entry_of("arm", "string name = \"robot\"\n        ") == 0);
}

TEST_CASE("what one side does not author differs from nothing (REP-1.1-d)")
{
    const auto with = [](const std::string& root, const std::string& part) {
        return count(
            checked_files(
                {{"robot.usda", "#usda 1.0\n(\n    defaultPrim = \"robot\"\n" + root +
                                    ")\ndef Xform \"robot\" ( prepend references = @./base.usda@ ) {}\n"},
                 {"base.usda", "#usda 1.0\n(\n    defaultPrim = \"robot\"\n" + part + ")\ndef Xform \"robot\" {}\n"}}),
            "REP-1.1-d");
    };
    CHECK(with("metersPerUnit = 1\n", "metersPerUnit = 0.01\n") == 1);
    CHECK(with("upAxis = \"Z\"\n", "upAxis = \"Y\"\n") == 1);
    CHECK(with("", "metersPerUnit = 0.01\n upAxis = \"Z\"\n") == 0);
    CHECK(with("metersPerUnit = 1\n", "") == 0);
}

TEST_CASE("a link beside its payload stays a link without it (REP-T-044, REP-1.2.3-d)")
{
    const std::string physics = layer(
        "def Xform \"robot\" { def Xform \"a\" (\n prepend apiSchemas = [\"PhysicsMassAPI\", "
        "\"PhysicsRigidBodyAPI\"]\n kind "
        "= \"subcomponent\"\n prepend payload = @./geometries.usda@\n) { float physics:mass = 1\n def Xform \"b\" "
        "(prepend "
        "apiSchemas = [\"RosFrameAPI\"]) {} } }\n");
    const Report report = checked_files(
        {{"robot.usda", entry("prepend references = @./physics.usda@")},
         {"physics.usda", physics},
         {"geometries.usda", "#usda 1.0\n(\n defaultPrim = \"g\"\n)\ndef Xform \"g\" { " + kMesh + "}\n"}});
    CHECK_MESSAGE(count(report, "REP-1.2.3-d") == 0, listed(report));
    CHECK_MESSAGE(count(report, "REP-1.2.3-c") == 0, listed(report));
}

TEST_CASE("default prims of the entry and of what arcs bring in (REP-1.2.5-b)")
{
    const auto with = [](const std::string& arc, const std::string& part) {
        return checked_files({{"robot.usda", entry("prepend " + arc)}, {"base.usda", part}});
    };
    const std::string nameless = "#usda 1.0\n(\n metersPerUnit = 1\n)\ndef Xform \"robot\" {}\n",
                      wrong    = "#usda 1.0\n(\n defaultPrim = \"nope\"\n)\ndef Xform \"robot\" {}\n";
    for (const char* arc : {"references = @./base.usda@", "payload = @./base.usda@"}) {
        CHECK(count(with(arc, nameless), "REP-1.2.5-b") == 1);
        CHECK(count(with(arc, wrong), "REP-1.2.5-b") == 1);
        for (const char* no_name : {"a b", "a-b", "1a", "..:", "R.", "..", "/", "/a b"})
            CHECK(count(with(arc, fmt::format("#usda 1.0\n(\n defaultPrim = \"{}\"\n)\ndef Xform \"robot\" {{}}\n",
                                              no_name)),
                        "REP-1.2.5-b") == 1);
        CHECK(count(with(arc, kBase), "REP-1.2.5-b") == 0);
    }
    CHECK(count(with("references = @./base.usda@</robot>", nameless), "REP-1.2.5-b") == 0);
    // A default prim whose payload is left out is there all the same.
    const test::TemporaryFolder folder;
    const std::string           path = folder.write("robot.usda", entry("prepend payload = @./base.usda@"));
    folder.write("base.usda", kBase);
    usd::OpenOptions options;
    options.load_payloads = false;
    const auto stage      = usd::Stage::open(path, options);
    REQUIRE(stage);
    CHECK(count(*check(**stage, {}), "REP-1.2.5-b") == 0);
    const Report nested =
        checked(std::string("#usda 1.0\n(\n defaultPrim = \"/world/robot\"\n)\ndef Xform \"world\" { def "
                            "Xform \"robot\" {} }\n"));
    REQUIRE_MESSAGE(count(nested, "REP-1.2.5-b", "nested") == 1, listed(nested));
    CHECK(find(nested, "REP-1.2.5-b")->severity == Severity::info);
}

TEST_CASE("a vendor's layer is known by its name too, and no opinion of it is neutral (REP-1.4-c)")
{
    const auto with = [](const std::string& name, const std::string& lines) {
        std::string scene = entry("");
        scene.insert(scene.find("upAxis"), "subLayers = [@./" + name + "@, @./physics.usda@, @./base.usda@]\n    ");
        return checked_files(
            {{"robot.usda", scene},
             {"base.usda", kBase},
             {"physics.usda", layer("over \"robot\" { " + body("a") +
                                    "def PhysicsFixedJoint \"j\" { rel physics:body1 = </robot/a> } }\n")},
             {name, layer("over \"robot\" { " + lines + "}\n")}});
    };
    const Report mass = with("physx.usda", "over \"a\" { float physics:mass = 99 }\n");
    REQUIRE_MESSAGE(count(mass, "REP-1.4-c") == 1, listed(mass));
    CHECK(find(mass, "REP-1.4-c")->severity == Severity::error);
    CHECK(count(with("isaac.usda", "over \"j\" { rel physics:body1 = </robot> }\n"), "REP-1.4-c") == 1);
    CHECK(count(with("newton.usda", "over \"j\" (active = false) {}\n"), "REP-1.4-c") == 1);
    CHECK(count(with("mujoco.usda", "over \"a\" { double3 xformOp:translate = (1, 0, 0) }\n"), "REP-1.4-c") == 1);
    // Words of a namespace that nobody knows are a vendor's on a body.
    const Report acme = with("acme.usda", "over \"a\" { float acme:gain = 1\n float physics:mass = 2 }\n");
    CHECK_MESSAGE(count(acme, "REP-1.2.1-j") == 1, listed(acme));
}

TEST_CASE("words that nobody has registered are a vendor's on what is simulated (rep-0158 2.7)")
{
    const auto with = [](const std::string& lines) {
        return checked_files({{"robot.usda", entry("prepend references = [@./physics.usda@, @./base.usda@]")},
                              {"base.usda", kBase},
                              {"physics.usda", layer("over \"robot\" { " + lines + "}\n")}});
    };
    const std::string head = "over \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"";
    const Report      word = with(head + "]) { float physics:mass = 1\n float acme:gain = 2 }\n");
    REQUIRE_MESSAGE(count(word, "REP-1.2.1-j") == 1, listed(word));
    CHECK(find(word, "REP-1.2.1-j")->severity == Severity::error);
    CHECK(count(with(head + ", \"AcmeGripperAPI\"]) { float physics:mass = 1 }\n"), "REP-1.2.1-j") == 1);
    CHECK(count(with(head + "]) { float physics:mass = 1\n float userProperties:gain = 2 }\n"), "REP-1.2.1-j") == 0);
    const Report two = with(head + "]) { float physics:mass = 1\n float acme:gain = 2\n float isaac:gain = 3 }\n");
    CHECK_MESSAGE(count(two, "REP-1.2.1-j") == 2, listed(two));  // one line for each vendor
    const Report elsewhere = with(body("a") + "def Scope \"notes\" { string acme:note = \"n\" }\n");
    REQUIRE_MESSAGE(count(elsewhere, "REP-1.2.1-j") == 1, listed(elsewhere));
    CHECK(find(elsewhere, "REP-1.2.1-j")->severity == Severity::info);
}

TEST_CASE("geometry in the base layer is no tree of Xforms (REP-1.2.1-g, GAP-106)")
{
    const auto with = [](const std::string& lines) {
        return count(checked_files({{"robot.usda", entry("prepend references = @./base.usda@")},
                                    {"base.usda", layer("def Xform \"robot\" { " + lines + "}\n")},
                                    {"geometries.usda", layer("def Xform \"robot\" { " + kMesh + "}\n")}}),
                     "REP-1.2.1-g");
    };
    CHECK(with(kMesh) == 1);
    CHECK(with("def Cube \"c\" {}\n") == 1);
    CHECK(with("def Xform \"c\" ( prepend payload = @./geometries.usda@ ) {}\n") == 0);
    CHECK(with("over \"m\" { token purpose = \"guide\" }\n") == 0);
}

TEST_CASE("two references are two places, two instances are one prototype (rep-0158 2.2)")
{
    const std::string part = layer(
        "def Xform \"robot\" { def Xform \"a\" { matrix4d xformOp:transform = ((1,0,0,0),(0,1,0,0),"
        "(0,0,1,0),(0,0,1,1))\n uniform token[] xformOpOrder = [\"xformOp:transform\"] } }\n");
    const auto with = [&](const char* flag) {
        const std::string arc   = std::string("( prepend references = @./part.usda@\n ") + flag + ") {}\n";
        std::string       scene = entry("");
        scene.insert(scene.rfind('}'), "def Xform \"left\" " + arc + "def Xform \"right\" " + arc);
        return checked_files({{"robot.usda", scene}, {"part.usda", part}});
    };
    CHECK(count(with(""), "REP-1.1-h") == 2);
    const Report shared = with("instanceable = true\n");
    REQUIRE_MESSAGE(count(shared, "REP-1.1-h") == 1, listed(shared));
    CHECK(find(shared, "REP-1.1-h")->instances == 2);
    CHECK(find(shared, "REP-1.1-h")->site.prim == "/robot/left/a");
}

TEST_CASE("a package is judged like the folder that it was made of")
{
    Files files{{"robot.usda", entry("prepend references = [@./ros.usda@, @./phys.usda@, @./parts/base.usda@]")},
                {"parts/base.usda", kBase},
                {"phys.usda", layer("over \"robot\" { " + body("a") + "}\n")},
                {"ros.usda", layer("over \"robot\" (prepend apiSchemas = [\"RosContextAPI\"]) { string "
                                   "ros:context:namespace = \"robot\"\n def Xform \"look\" ( prepend payload = "
                                   "@./geometries.usda@ ) {} }\n")},
                {"geometries.usda",
                 layer("def Xform \"robot\" { def Points \"p\" { int[] primvars:table = [" + zeros(1001) + "] } }\n")}};
    const Report folder = checked_files(files), package = checked_package(files);
    CHECK_MESSAGE(marks(folder) == marks(package), listed(folder) << "--- but packed\n" << listed(package));
    CHECK(count(package, "REP-1.2.5-k") == 0);
    CHECK(count(package, "REP-1.2.1-k") == 1);
    CHECK(count(package, "REP-1.2.1-c") == 1);
}
