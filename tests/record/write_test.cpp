#include "mechane/record/write.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "mechane/model/builder.h"
#include "mechane/record/codes.h"
#include "mechane/simulation/atomic_file.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A cart on a rail with a pole, a ball on a socket, and a loose box; prim paths as labels.
model::Model machine()
{
    model::ModelBuilder   builder;
    model::JointDofConfig axis;
    const auto cart = builder.add_link({{0, 0, 1}}, "/cart", 1), pole = builder.add_link({{0, 0, 1.5}}, "/pole", 1),
               ball   = builder.add_link({}, "/ball", 1);
    const auto slide  = builder.add_joint_prismatic(model::kWorldBody, cart, {{0, 0, 1}}, {}, axis, "/slide");
    const auto hinge  = builder.add_joint_revolute(cart, pole, {}, {{0, 0, -0.5}}, axis, "/hinge");
    const auto socket = builder.add_joint_ball(pole, ball, {{0, 0, 1}}, {}, "/socket");
    builder.add_articulation({slide, hinge, socket}, "/machine");
    builder.add_body({{3, 0, 0}}, "/box", 1);
    Diagnostics found;
    auto        model = builder.finalize({}, found);
    REQUIRE(model);
    return std::move(*model);
}

record::Recording two_frames(const model::Model& model)
{
    record::Recording out{.source = "machine.usda", .solver = "softstep", .dt = 1.0 / 60, .steps = 1};
    for (int i = 0; i < 2; ++i)
        out.frames.push_back({.t         = i / 60.0,
                              .body_q    = model.body_q,
                              .body_qd   = model.body_qd,
                              .joint_q   = model.joint_q,
                              .joint_qd  = model.joint_qd,
                              .kinetic   = 0.1,
                              .potential = -2});
    out.hash          = 0x0123456789abcdefULL;
    out.report.wall_s = {{"step", 0.25}};
    return out;
}

std::string bytes_of(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("every number of the state reads back from JSON to the same bits, and what is not finite is a text")
{
    const auto model = machine();
    auto       run   = two_frames(model);
    Random     random(7);
    auto&      q = run.frames[1].body_q;
    for (Pose& pose : q) pose = {static_cast<Vec3>(random.vec(1e3)), static_cast<Quat>(random.rotation())};
    q[1].p = {Real(0.1), std::numeric_limits<Real>::denorm_min(), std::numeric_limits<Real>::max()};
    q[2].p = {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(),
              -std::numeric_limits<Real>::infinity()};

    const json document = json::parse(record::to_json(model, run));
    CHECK(document["schema"] == "mechane.trajectory/1");
    CHECK(document["hash"] == "0123456789abcdef");
    CHECK(document["bodies"] == json({"/cart", "/pole", "/ball", "/box"}));
    CHECK(document["joints"].size() == 4);
    CHECK(document["dt"].get<double>() == 1.0 / 60);
    const json& body_q = document["frames"][1]["body_q"];
    REQUIRE(body_q.size() == 4);
    CHECK(body_q[2][0] == "nan");
    CHECK(body_q[2][1] == "inf");
    CHECK(body_q[2][2] == "-inf");
    for (const std::size_t body : {0UL, 1UL, 3UL}) {
        const Pose& x         = q[body];
        const Real  values[7] = {x.p.x, x.p.y, x.p.z, x.q.x, x.q.y, x.q.z, x.q.w};
        for (std::size_t k = 0; k < 7; ++k) CHECK(body_q[body][k].get<Real>() == values[k]);
    }
    // One coordinate each for the slide and the hinge, four for the ball, seven for the loose body.
    CHECK(document["frames"][0]["joint_q"].size() == 13);
    CHECK(document["frames"][0]["joint_qd"].size() == 11);
    CHECK(document["frames"][0]["energy"]["potential"] == -2);
    // The shortest text of a float, not that of the double it widens to.
    if (sizeof(Real) == 4) CHECK(record::to_json(model, run).find("0.1,") != std::string::npos);
}

TEST_CASE("a reproducible document has sorted keys and no wall times")
{
    const auto model = machine();
    const auto run   = two_frames(model);
    const auto text  = record::to_json(model, run, {.reproducible = true, .contact_points = true});
    CHECK(text.find("wall_s") == std::string::npos);
    // nlohmann's own objects are sorted: printing again changes white space only.
    std::string packed = text;
    std::erase(packed, '\n');
    CHECK(json::parse(text).dump() == packed);
    CHECK(record::to_json(model, run).find("wall_s") != std::string::npos);
}

TEST_CASE("contacts are a number, and points beside it when asked for")
{
    const auto model = machine();
    auto       run   = two_frames(model);
    run.frames[0].contacts.push_back({.point    = {1, 2, 3},
                                      .normal   = {0, 0, 1},
                                      .force    = {0, 0, 5},
                                      .distance = Real(-0.5),
                                      .shape0   = -1,
                                      .shape1   = 99});
    CHECK(json::parse(record::to_json(model, run))["frames"][0]["contacts"] == 1);
    CHECK_FALSE(json::parse(record::to_json(model, run))["frames"][0].contains("contact_points"));
    const json point =
        json::parse(record::to_json(model, run, {.contact_points = true}))["frames"][0]["contact_points"][0];
    CHECK(point["point"] == json({1, 2, 3}));
    CHECK(point["shapes"][0].is_null());
}

TEST_CASE("the header of a CSV names every column with its unit, and rows have as many fields")
{
    const auto         model = machine();
    std::istringstream text(record::to_csv(model, two_frames(model)));
    std::string        header, row;
    std::getline(text, header);
    CHECK(header.starts_with(
        "t [s],/cart.px [m],/cart.py [m],/cart.pz [m],/cart.qx,/cart.qy,/cart.qz,/cart.qw,/cart.vx [m/s]"));
    for (const char* column : {",/slide.q [m],/slide.qd [m/s],", ",/hinge.q [rad],/hinge.qd [rad/s],",
                               ",/socket.qx,/socket.qy,/socket.qz,/socket.qw,/socket.qd0 [rad/s],"})
        CHECK(header.find(column) != std::string::npos);
    CHECK(header.ends_with(",kinetic [J],potential [J],contacts"));
    int rows = 0;
    while (std::getline(text, row)) {
        CHECK(std::count(row.begin(), row.end(), ',') == std::count(header.begin(), header.end(), ','));
        ++rows;
    }
    CHECK(rows == 2);
}

TEST_CASE("a table has six columns for each particle")
{
    model::ModelBuilder builder;
    builder.add_particle({1, 2, 3}, {4, 5, 6}, 0.1, 0.01);
    builder.add_particle({7, 8, 9}, {}, 0.1, 0.01);
    Diagnostics found;
    const auto  model = builder.finalize({}, found);
    REQUIRE(model);
    record::Recording of{.source = "dust.usda", .solver = "softstep", .dt = 1.0 / 60, .steps = 0};
    of.frames.push_back({.t = 0, .particle_q = model->particle_q, .particle_qd = model->particle_qd});
    CHECK(record::to_csv(*model, of) ==
          "t [s],particle 0.px [m],particle 0.py [m],particle 0.pz [m],particle 0.vx [m/s],particle 0.vy [m/s],"
          "particle 0.vz [m/s],particle 1.px [m],particle 1.py [m],particle 1.pz [m],particle 1.vx [m/s],"
          "particle 1.vy [m/s],particle 1.vz [m/s],kinetic [J],potential [J],contacts\n"
          "0,1,2,3,4,5,6,7,8,9,0,0,0,0,0,0\n");
}

TEST_CASE("a body of a stage in centimetres with y up plays where it was simulated, with its own scale")
{
    test::TemporaryFolder folder;
    folder.write("source.usda", R"(#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 0.01
    upAxis = "Y"
)
def Xform "robot" {
    double3 xformOp:translate = (100, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "part" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        float3 xformOp:scale = (2, 3, 4)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }
}
)");
    model::ModelBuilder builder;
    builder.add_body({}, "/robot/part", 1);
    builder.add_body({}, "loose", 1);
    Diagnostics ignored;
    const auto  model = builder.finalize({}, ignored);
    REQUIRE(model);
    record::Recording run{.source = (folder.path() / "source.usda").string(), .solver = "s", .dt = 0.5, .steps = 1};
    // The stage's y is the world's z: a quarter turn about x takes stage to world.
    const Quatd quarter = from_axis_angle<double>({1, 0, 0}, kPi / 2);
    const Posed X_WB[]  = {{{1, 0, 0.5}, quarter},
                           {{1, -2, 0.5}, from_axis_angle<double>({0, 0, 1}, kPi / 2) * quarter}};
    for (int i = 0; i < 2; ++i)
        run.frames.push_back(
            {.t = 0.5 * i, .body_q = {static_cast<Pose>(X_WB[i]), Pose{}}, .body_qd = std::vector<Spatial>(2)});

    const auto source = usd::Stage::open(run.source);
    REQUIRE(source);
    Diagnostics                found;
    const record::WriteOptions options{
        .usd = {.meters_per_unit = 0.01, .up_axis = 'Y', .X_WS = {{}, quarter}, .stage = source->get()}};
    for (const char* name : {"run.usda", "run.usdc"}) {
        CAPTURE(name);
        const std::string file = (folder.path() / name).string();
        REQUIRE(record::write(*model, run, file, options, found));
        const auto stage = usd::Stage::open(file);
        REQUIRE(stage);
        CHECK((*stage)->metadata().meters_per_unit == 0.01);
        CHECK((*stage)->metadata().up_axis == 'Y');
        CHECK((*stage)->metadata().default_prim == "robot");
        CHECK((*stage)->metadata().time_codes_per_second == 2);
        CHECK((*stage)->metadata().end_time_code == 1);
        const usd::Prim part = (*stage)->prim_at(usd::Path("/robot/part"));
        REQUIRE(part);
        for (int i = 0; i < 2; ++i) {
            const usd::Matrix4d m = (*stage)->world_matrix(part, static_cast<double>(i));
            // The corner (1, 1, 1) of the cube, scaled in its own frame, posed in the world, seen from the stage in
            // centimetres.
            const Vec3d world    = X_WB[i] * (0.01 * Vec3d{2, 3, 4});
            const Vec3d expected = 100.0 * rotate_inverse(quarter, world);
            // Poses are single precision: 1e-7 of 200 units.
            CHECK(test::distance(usd::transform_point(m, {1, 1, 1}), expected) < 1e-4);
        }
    }
    CHECK(found.count(record::kBodyWithoutPrim.id) >= 1);
    CHECK(found.find(record::kBodyWithoutPrim.id)->site.prim == "loose");
}

TEST_CASE("an unknown extension and a folder that is not there are refused; a device is written directly")
{
    test::TemporaryFolder folder;
    const auto            model = machine();
    const auto            run   = two_frames(model);
    Diagnostics           found;
    CHECK(record::write(model, run, "a.txt", {}, found).error().id == record::kFormatUnknown.id);
    CHECK(record::write(model, run, "/nowhere/a.json", {}, found).error().id == record::kWriteFailed.id);
    CHECK(record::write(model, run, folder.path().string() + "/", {}, found).error().id == record::kFormatUnknown.id);
    REQUIRE(record::write(model, run, "/dev/null", {}, found));
    CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a file is replaced as a whole, through a link, and nothing is left beside it")
{
    test::TemporaryFolder folder;
    const std::string     target = folder.write("real.json", "old");
    fs::create_symlink("real.json", folder.path() / "link.json");
    REQUIRE(record::write_file((folder.path() / "link.json").string(), std::string_view("new")));
    CHECK(bytes_of(target) == "new");
    CHECK(fs::is_symlink(folder.path() / "link.json"));
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
    CHECK(record::write_file(folder.path().string(), std::string_view("x")).error().id == record::kWriteFailed.id);
}

TEST_CASE("the chained hash depends on every array and on the order of states")
{
    model::State a{.body_q = {Pose{}}, .body_qd = {Spatial{}}, .joint_q = {1}, .joint_qd = {2}}, b = a;
    b.joint_qd[0] = Real(2.5);
    CHECK(record::chain_hash(0, a) == record::chain_hash(0, a));
    CHECK(record::chain_hash(0, a) != record::chain_hash(0, b));
    CHECK(record::chain_hash(record::chain_hash(0, a), b) != record::chain_hash(record::chain_hash(0, b), a));
    b               = a;
    b.body_q[0].p.x = 1;
    CHECK(record::chain_hash(0, a) != record::chain_hash(0, b));
}
