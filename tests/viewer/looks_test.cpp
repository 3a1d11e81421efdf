// Lights and cameras of a stage, as pages get them.
#include <doctest/doctest.h>

#include <cmath>

#include "mechane/usd/stage.h"
#include "mechane/viewer/authored_looks.h"
#include "viewer/scenes.h"

using namespace mechane;

namespace {

/// A body at (0, 0, 2) m of the stage's world, and what the text adds to it and to the world.
viewer::AuthoredLooks looks_of(const std::string& in_body, const std::string& in_world, double metres = 1,
                               Posed X_WS = {})
{
    const std::string text =
        "#usda 1.0\n(\n  upAxis = \"Z\"\n  metersPerUnit = " + std::to_string(metres) +
        "\n)\ndef Xform \"R\"\n{\n  def Xform \"hand\"\n  {\n    double3 xformOp:translate = (0, 0, " +
        std::to_string(2 / metres) + ")\n    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n" + in_body +
        "  }\n" + in_world + "}\n";
    const auto stage = usd::Stage::open_text(text);
    REQUIRE(stage);
    model::ModelBuilder builder;
    const auto          body = builder.add_body({.p = X_WS * Vec3d{0, 0, 2}, .q = X_WS.q}, "/R/hand");
    builder.add_shape_sphere(body, {}, 0.1, {}, "");
    const auto model = test::finalized(builder);
    return viewer::authored_looks(**stage, model, X_WS, metres);
}

}  // namespace

TEST_CASE("strengths of lights follow UsdLux: radiance times what is seen, doubled by each exposure")
{
    const auto looks = looks_of("", R"(
  def SphereLight "ball" {
    float inputs:intensity = 10
    float inputs:exposure = 1
    float inputs:radius = 0.5
  }
  def DistantLight "sun" {
    float inputs:intensity = 1000
    float inputs:angle = 60
  }
  def DistantLight "even" {
    float inputs:intensity = 3
    bool inputs:normalize = true
  }
  def DomeLight "sky" {
    float inputs:intensity = 2
  }
  def RectLight "panel" {
    float inputs:intensity = 4
    float inputs:width = 2
    float inputs:height = 3
  }
  def PortalLight "door" {}
  def SphereLight "off" {
    float inputs:intensity = 0
  }
  def SphereLight "unseen" {
    token visibility = "invisible"
  }
)");
    REQUIRE(looks.lights.size() == 5);
    CHECK(looks.lights[0].strength == doctest::Approx(20 * kPi * 0.25));
    CHECK(looks.lights[1].strength == doctest::Approx(1000 * kPi * 0.25));  // sin^2 of 30 degrees
    CHECK(looks.lights[2].strength == doctest::Approx(3));
    CHECK(looks.lights[3].strength == doctest::Approx(2 * kPi));
    CHECK(looks.lights[4].strength == doctest::Approx(24));
    CHECK(looks.lights[4].kind == viewer::AuthoredLight::Kind::spot);
    CHECK(looks.left_out == std::vector<std::string>{"/R/door"});
}

TEST_CASE("lights and cameras below a body have places in its frame, in metres")
{
    const std::string in_body = R"(
    def SphereLight "lamp" (prepend apiSchemas = ["ShapingAPI"]) {
      float inputs:shaping:cone:angle = 30
      double3 xformOp:translate = (50, 0, 0)
      float3 xformOp:rotateXYZ = (0, 90, 0)
      uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
  }
    def Camera "eye" {
      float verticalAperture = 20
      float focalLength = 10
      double3 xformOp:translate = (0, 30, 0)
      uniform token[] xformOpOrder = ["xformOp:translate"]
  }
)";
    // The frame of the body is the same wherever the stage stands in the world of the model.
    for (const Posed& X : {Posed{}, Posed{{1, 2, 3}, from_axis_angle(Vec3d{1, 0, 0}, kPi / 2)}}) {
        const auto looks = looks_of(in_body, "", 0.01, X);
        REQUIRE(looks.lights.size() == 1);
        REQUIRE(looks.cameras.size() == 1);
        CHECK(looks.lights[0].body == 0);
        CHECK(length(looks.lights[0].position - Vec3d{0.5, 0, 0}) < 1e-6);
        CHECK(length(looks.lights[0].direction - Vec3d{-1, 0, 0}) < 1e-6);  // -z turned about y by 90 degrees
        CHECK(looks.lights[0].cone == doctest::Approx(kPi / 6));
        CHECK(looks.cameras[0].body == 0);
        CHECK(length(looks.cameras[0].X_BC.p - Vec3d{0, 0.3, 0}) < 1e-6);
        CHECK(looks.cameras[0].fov == doctest::Approx(kPi / 2));  // 2 atan(10 / 10)
    }
}

TEST_CASE("values that are none, and places that are nowhere, leave a light out")
{
    const auto looks = looks_of("", R"(
  def SphereLight "a" {
    float inputs:intensity = inf
  }
  def SphereLight "b" {
    float inputs:exposure = nan
    color3f inputs:color = (-1, 0, 0)
  }
  def SphereLight "c" {
    double3 xformOp:scale = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:scale"]
  }
  def Camera "flat" {
    float focalLength = 0
  }
)");
    CHECK(looks.lights.size() == 1);  // an intensity that is no number is that of the schema
    CHECK(looks.cameras.empty());
    CHECK(viewer::to_json({}).empty());
}

TEST_CASE("a black body of 6500 K is nearly white, a cooler one is red, a hotter one blue")
{
    const Vec3d white = viewer::black_body(6500), warm = viewer::black_body(2500), cold = viewer::black_body(15000);
    // Rec.709 is white at D65, whose chromaticity lies 0.003 from the locus.
    for (const double part : {white.x, white.y, white.z}) CHECK(part > 0.9);
    CHECK(warm.x == 1);
    CHECK(warm.z < 0.3);
    CHECK(cold.z == 1);
    CHECK(cold.x < 0.8);
}
