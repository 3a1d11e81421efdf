#include "mechane/viewer/portrait.h"

#include "viewer/scenes.h"

using namespace mechane;
using mechane::test::close_to;

namespace {

/// Two cubes of 2 m, 10 m apart along y.
model::Model cubes()
{
    model::ModelBuilder builder;
    for (const double y : {-5.0, 5.0}) {
        const std::string path = y < 0 ? "/right" : "/left";
        builder.add_shape_box(builder.add_body({{0, y, 0}}, path), {}, {1, 1, 1}, {}, path + "/shape");
    }
    return test::finalized(builder);
}

viewer::RenderOptions from_the_front()
{
    // 10 m before the near faces, looking back along x, so that y points to the right. Half the angle has the tangent
    // 1: at a depth of 10 m the 200 px above the middle are 10 m, 20 px a metre.
    viewer::RenderOptions options{.width = 800, .height = 400};
    options.eye    = Vec3d{11, 0, 0};
    options.target = Vec3d{0, 0, 0};
    options.fov    = 90;
    return options;
}

}  // namespace

TEST_CASE("a portrait says where points and shapes are, in pixels from the top left")
{
    const model::Model     model = cubes();
    const viewer::Portrait portrait(model, test::still(model).frames.front(), from_the_front());
    CHECK_FALSE(portrait.empty());
    REQUIRE(portrait.place({0, 0, 0}));
    CHECK(portrait.place({0, 0, 0})->x == close_to(400, 1e-9));
    CHECK(portrait.place({0, 0, 0})->y == close_to(200, 1e-9));
    CHECK(portrait.place({1, 1, 1})->x == close_to(420, 1e-9));
    CHECK(portrait.place({1, 1, 1})->y == close_to(180, 1e-9));
    CHECK_FALSE(portrait.place({12, 0, 0}));  // behind the camera
    CHECK_FALSE(portrait.place({NAN, 0, 0}));

    // The cube at y = 5: its near face spans y = 4..6 at 10 m, and its far face, 12 m away, lies nearer to the middle.
    const std::int32_t left    = 1;
    const auto         outline = portrait.outline({&left, 1});
    REQUIRE(outline.size() >= 4);
    double low = 1e9, high = -1e9, top = 1e9, area = 0;
    for (std::size_t i = 0; i < outline.size(); ++i) {
        const Vec2d &a = outline[i], &b = outline[(i + 1) % outline.size()];
        low = std::min(low, a.x), high = std::max(high, a.x), top = std::min(top, a.y);
        area += (a.x * b.y - b.x * a.y) / 2;
    }
    CHECK(high == close_to(400 + 20 * 6, 1e-4));
    CHECK(low == close_to(400 + 200.0 / 12 * 4, 1e-4));
    CHECK(top == close_to(200 - 20, 1e-4));
    // Counter-clockwise as seen, y down: negative. The near face (40 x 40) and the strip to the far face's inner edge,
    // a trapezium between the heights 40 and 200/12*2.
    CHECK(area == close_to(-(40 * 40 + (40 + 200.0 / 6) / 2 * (80 - 200.0 / 3)), 1e-2));

    const std::int32_t both[] = {0, 1};
    const auto         around = portrait.outline(both);
    CHECK(std::min_element(around.begin(), around.end(), [](auto& a, auto& b) { return a.x < b.x; })->x ==
          close_to(280, 1e-4));
    CHECK(portrait.outline({}).empty());
}

TEST_CASE("a portrait of nothing is empty, and has a picture all the same")
{
    const model::Model     model = test::finalized(model::ModelBuilder{});
    const viewer::Portrait portrait(model, test::still(model).frames.front(), {.width = 8, .height = 4});
    CHECK(portrait.empty());
    CHECK(portrait.picture().pixels.size() == 8 * 4 * 3);
    CHECK(viewer::png_uri(portrait.picture())
              .starts_with("data:image/png;base64,iVBORw0KGgo"));  // RFC 4648 of \x89PNG\r\n\x1a\n
}

TEST_CASE("a portrait's picture is the one that render draws")
{
    const model::Model      model     = test::walker();
    const record::Recording recording = test::still(model);
    viewer::RenderOptions   options{.width = 64, .height = 36};
    const viewer::Portrait  portrait(model, recording.frames.front(), options);
    CHECK(portrait.picture().pixels == viewer::render(model, recording, 0, options).pixels);
}
