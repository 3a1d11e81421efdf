#include "simulation/calls.h"

#include <doctest/doctest.h>

#include "mechane/mechane.h"

using namespace face_tests;

namespace {

const char* const kRobot = R"(#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "robot"
{
    def Cube "trunk" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        double size = 0.2
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
)";

struct World {
    Draw                  d;
    test::TemporaryFolder folder;
    std::string           file = folder.write("robot.usda", kRobot), none = folder.write("none.usda", "#usda 1.0\n(");
    Asset                 asset = Asset::open(file).expect(), gone = Asset::open(file).expect();
    Diagnostics           notes;

    explicit World(Random& random) : d(random) { const Asset taken(std::move(gone)); }

    const Asset& some() { return d.once_in(5) ? gone : asset; }
    std::string  stage()
    {
        const std::string files[] = {file, file, none, folder.path().string(), "", "nowhere.usda", "nowhere.xyz"};
        return files[d.pick(7)];
    }
    std::string target()
    { return d.pick(3) ? (folder.path() / "fixed").string() : d.pick(2) ? std::string() : folder.path().string(); }
    std::string  profile() { return d.pick(2) ? "distributed" : d.text(); }
    AssetOptions asset_options()
    {
        AssetOptions o{.threads = d.pick(3) - 1};
        if (d.pick(2)) o.variants.emplace_back(d.text(), d.text());
        if (d.once_in(3)) o.packages[d.text()] = d.text();
        if (d.once_in(3)) o.search_paths = {d.text(), stage()};
        return o;
    }
    LoadOptions load_options()
    {
        LoadOptions o;
        o.threads = d.pick(3) - 1;
        if (d.once_in(3)) o.worlds = d.pick(2) ? 3 : std::min(d.integer(), 0);
        if (d.once_in(3)) o.ground_height = d.number();
        if (d.once_in(3)) o.hold = HoldGains{d.number(), d.number()};
        if (d.once_in(3)) o.floating = d.pick(2) != 0;
        if (d.once_in(3)) o.variants.emplace_back(d.text(), d.text());
        if (d.once_in(3)) o.resolvers = {d.text()};
        if (d.once_in(3)) o.options.emplace_back(d.text(), d.text());
        if (d.once_in(3)) o.tables.push_back(make_resolver("own", {}).expect());
        // A table that a program fills in itself, without a name, a conversion or attributes.
        if (d.once_in(4))
            o.tables.push_back(
                {.name       = d.text(),
                 .namespaces = {d.text()},
                 .rows       = {
                     {.key = Property::joint_armature, .attributes = {}, .unit = AttributeUnit::si, .convert = {}}}});
        if (d.once_in(4)) o.packages[d.text()] = stage();
        if (d.once_in(4)) o.search_paths = {stage(), ""};
        o.allow_missing = d.pick(2) != 0;
        return o;
    }
};

void add_all(Calls& c, World& w)
{
    c.add("Asset::open", [&] { (void)Asset::open(w.stage(), w.asset_options()); });
    c.add("Asset::Asset", [&] {
        Asset taken(std::move(w.asset));
        (void)w.asset.check();
        w.asset = std::move(taken);
    });
    c.add("Asset::operator=", [&] { w.asset = Asset::open(w.file).expect(); });
    c.add("Asset::file", [&] { (void)w.some().file(); });
    c.add("Asset::notes", [&] { (void)w.some().notes(); });
    c.add("Asset::check",
          [&] { (void)w.some().check({.profile = w.profile(), .select = {w.d.text()}, .threads = w.d.pick(3) - 1}); });
    c.add("Asset::fix", [&] {
        FixSettings how{.profile = w.profile(), .unsafe = w.d.pick(2) != 0};
        if (w.d.once_in(3)) how.select = {w.d.text()};
        if (w.d.once_in(3)) how.ignore = {w.d.text()};
        (void)w.some().fix(w.target(), how);
    });
    c.add("to_text", [&] { (void)to_text(Finding{.rule = w.d.text(), .message = w.d.text()}); });
    c.add("count", [&] { (void)count({Finding{}}, static_cast<Severity>(w.d.integer())); });
    c.add("load", [&] { (void)load(w.stage(), w.load_options()); });
    c.add("load", [&] { (void)load(w.stage(), w.load_options(), w.notes); });
    c.add("make_resolver", [&] {
        (void)make_resolver(w.d.text(), {{.property  = static_cast<Property>(w.d.pick(2) ? 3 : w.d.integer()),
                                          .attribute = w.d.text(),
                                          .unit      = static_cast<AttributeUnit>(w.d.pick(2)),
                                          .factor    = w.d.number()}});
    });
    c.add("attributes_of", [&] { (void)attributes_of(w.d.pick(2) ? "newton" : w.d.text()); });
}

}  // namespace

TEST_CASE("every public function of the headers with USD is among the calls that are drawn below")
{
    Random         random(1);
    const Throwing scope;
    World          w(random);
    Calls          calls;
    add_all(calls, w);
    const auto  folder = std::filesystem::path(MECHANE_SOURCE_DIR) / "include" / "mechane";
    std::string missing;
    for (const std::string& one : calls.missing({folder / "asset.h", folder / "load.h", folder / "schema.h"}))
        missing += one + '\n';
    CHECK(missing == "");
}

TEST_CASE("hundreds of calls with wrong files, names and numbers end in a result or the failure handler")
{
    int told = 0, done = 0;
    test::for_seeds(8, [&](Random& random) {
        const Throwing scope;
        World          w(random);
        Calls          calls;
        add_all(calls, w);
        for (int i = 0; i < 60; ++i)
            ++(calls.one(static_cast<std::size_t>(w.d.pick(static_cast<int>(calls.size())))) ? told : done);
    });
    CHECK(told > 20);
    CHECK(done > 200);
}
