// What a simulation computed of items of a point instancer returns to the instancer's arrays (usd-physics 4).
#include <fmt/format.h>

#include "mechane/record/write.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/simulate.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

namespace {

struct Run {
    test::TemporaryFolder folder;
    std::string           file, out;
    Diagnostics           found;
    run::Scene            scene;
    record::Recording     recording;

    Run(const std::string& text, int frames)
    {
        file        = folder.write("asset.usda", text);
        out         = (folder.path() / "result.usda").string();
        auto loaded = run::load_scene(file, {}, found);
        REQUIRE(loaded);
        scene      = *std::move(loaded);
        auto done  = run::simulate(scene.model, {.dt = 0.01, .frames = frames, .threads = 1, .follow = run::follower(scene)}, found);
        REQUIRE(done);
        recording        = done->recording;
        recording.source = file;
        record::UsdOptions options;
        options.up_axis         = scene.stage->metadata().up_axis;
        options.stage           = scene.stage.get();
        options.meters_per_unit = scene.imported.meters_per_unit;
        options.X_WS            = scene.imported.X_WS;
        REQUIRE(record::write(scene.model, recording, out, {.json = {}, .usd = options}, found));
    }
    [[nodiscard]] std::shared_ptr<const usd::Stage> written() const
    {
        auto stage = usd::Stage::open(out);
        REQUIRE(stage);
        return *std::move(stage);
    }
};

constexpr const char* kHead = "#usda 1.0\n(\n    metersPerUnit = {}\n    upAxis = \"Z\"\n)\ndef PhysicsScene \"scene\"\n{{\n}}\n";

std::string head(double metres) { return fmt::format(fmt::runtime(kHead), metres); }

const std::string kBox = R"(
        def Cube "box" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
        )
        {
            double size = 0.2
            double3 xformOp:translate = (0.01, 0.02, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
)";

}  // namespace

TEST_CASE("items that fall are written as positions and orientations of the instancer, in its space, and read back where they were (usd-physics 4)")
{
    for (const double metres : {1.0, 0.01}) {
        CAPTURE(metres);
        const Run run(head(metres) + R"(
def Xform "W"
{
    double3 xformOp:translate = (0, 5, 0)
    float xformOp:rotateX = 30
    double3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateX", "xformOp:scale"]
    def PointInstancer "pi"
    {
        rel prototypes = </W/pi/box>
        int[] protoIndices = [0, 0]
        point3f[] positions = [(0, 0, 10), (5, 0, 20)]
        quath[] orientations = [(0.5, 0.5, 0.5, 0.5), (1, 0, 0, 0)]
        float3[] scales = [(1, 2, 3), (2, 2, 2)]
        vector3f[] angularVelocities = [(0, 0, 90), (30, 0, 0)]
)" + kBox + "    }\n}\n",
                      30);
        CHECK(run.found.count("RECORD_BODY_NO_PRIM") == 0);
        CHECK(run.found.count("RECORD_ITEM_SHEARED") == 0);
        const auto      stage     = run.written();
        const usd::Prim instancer = stage->prim_at(usd::Path("/W/pi"));
        CHECK_FALSE(stage->prim_at(usd::Path("/W/pi/box_0")));
        const auto times = instancer.attribute("positions").time_samples();
        REQUIRE(times.size() == run.recording.frames.size());
        // Held at the last sample, the stage is imported again: the items are where the run left them.
        const auto last      = times.back();
        const auto positions = instancer.attribute("positions").authored_as<std::vector<Vec3d>>(last);
        const auto turns     = instancer.attribute("orientationsf").authored_as<std::vector<Quatd>>(last);
        REQUIRE(positions);
        REQUIRE(turns);
        const usd::Matrix4d above = stage->world_matrix(instancer);
        for (std::size_t i = 0; i < 2; ++i) {
            const Vec3d scale = i == 0 ? Vec3d{1, 2, 3} : Vec3d{2, 2, 2};
            const Vec3d origin =
                usd::transform_point(above, (*positions)[i] + rotate((*turns)[i], mechane::scale(scale, Vec3d{0.01, 0.02, 0})));
            const Posed is = static_cast<Posed>(run.recording.frames.back().body_q[i]);
            CHECK(length(metres * origin - is.p) < 1e-4 * (1 + length(is.p)));
            // The instancer stands turned by 30 degrees about x.
            const Quatd q = Quatd{std::sin(kPi / 12), 0, 0, std::cos(kPi / 12)} * (*turns)[i];
            CHECK(std::abs(dot(q, is.q)) > 1 - 1e-5);
        }
        // What is read without a time is the begin.
        const auto first = instancer.attribute("positions").authored_as<std::vector<Vec3d>>();
        REQUIRE(first);
        CHECK(length((*first)[1] - Vec3d{5, 0, 20}) < 1e-2);
        const auto spin = instancer.attribute("angularVelocities").authored_as<std::vector<Vec3d>>();
        REQUIRE(spin);
        CHECK(length((*spin)[0] - Vec3d{0, 0, 90}) < 1);
    }
}

TEST_CASE("what an instancer cannot say of its items is a warning for each body (usd-physics 4)")
{
    const std::string two = R"(
        def Xform "box"
        {
            def Cube "a" (
                prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
            )
            {
            }
            def Cube "b" (
                prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
            )
            {
            }
            def PhysicsFixedJoint "j"
            {
                rel physics:body0 = </pi/box/a>
                rel physics:body1 = </pi/box/b>
            }
        }
)";
    const std::string arrays = "    rel prototypes = </pi/box>\n    int[] protoIndices = [0]\n    point3f[] positions = [(0, 0, 10)]\n";
    const Run         jointed(head(1) + "def PointInstancer \"pi\"\n{\n" + arrays + two + "}\n", 2);
    CHECK(jointed.scene.model.body_count() == 2);
    CHECK(jointed.found.count("RECORD_BODY_NO_PRIM") == 2);
    const Run nested(head(1) + "def PointInstancer \"outer\"\n{\n    rel prototypes = </outer/pi>\n    int[] protoIndices = [0, 0]\n"
                               "    point3f[] positions = [(0, 0, 10), (3, 0, 10)]\n    def PointInstancer \"pi\"\n    {\n"
                               "    rel prototypes = </outer/pi/box>\n    int[] protoIndices = [0]\n    point3f[] positions = [(0, 0, 0)]\n" +
                         kBox + "    }\n}\n",
                     2);
    CHECK(nested.scene.model.body_count() == 2);
    CHECK(nested.found.count("RECORD_BODY_NO_PRIM") == 2);
}

TEST_CASE("items that samples move are followed where they are kinematic, and not written (usd-physics 4)")
{
    std::string box = kBox;
    box.insert(box.find("double size"), "bool physics:kinematicEnabled = 1\n            ");
    const Run run(head(1) + "def PointInstancer \"pi\"\n{\n    rel prototypes = </pi/box>\n    int[] protoIndices = [0]\n"
                            "    point3f[] positions.timeSamples = { 0: [(0, 0, 1)], 24: [(2, 0, 1)] }\n" +
                      box + "}\n",
                  50);
    const Posed half = static_cast<Posed>(run.recording.frames.back().body_q[0]);
    CHECK(length(half.p - Vec3d{1.01, 0.02, 1}) < 1e-4);
    const auto stage = run.written();
    CHECK(stage->prim_at(usd::Path("/pi")).attribute("positions").time_samples().size() == 2);
}
