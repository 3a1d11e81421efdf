#include <doctest/doctest.h>

#include <memory>

#include "mechane/model/paint.h"
#include "mechane/viewer/html.h"
#include "mechane/viewer/portrait.h"
#include "mechane/viewer/render.h"
#include "mechane/viewer/scene.h"
#include "scenes.h"

namespace mechane {
namespace {

using Byte3 = std::array<std::uint8_t, 3>;

/// Red and green above, blue and white below.
std::shared_ptr<const model::Picture> four_colours(int edge = 2)
{
    return std::make_shared<const model::Picture>("four.png", [edge]() -> std::optional<model::Pixels> {
        model::Pixels out{edge, edge, {}};
        for (int y = 0; y < edge; ++y)
            for (int x = 0; x < edge; ++x) {
                const bool left = 2 * x < edge, top = 2 * y < edge;
                const Byte3 c = top ? (left ? Byte3{255, 0, 0} : Byte3{0, 255, 0})
                                    : (left ? Byte3{0, 0, 255} : Byte3{255, 255, 255});
                out.rgba.insert(out.rgba.end(), {c[0], c[1], c[2], 255});
            }
        return out;
    });
}

struct Look {
    std::shared_ptr<const model::Picture> picture = four_colours();
    model::Wrap                           wrap    = model::Wrap::repeat;
    float                                 low = 0, high = 1;  ///< of u and v
    Vec3d                                 color{1, 1, 1}, scale{1, 1, 1};
    double                                opacity = 1;
    std::vector<std::string>              undrawn;
};

/// A unit square in z = 0 that a picture covers from `low` to `high`.
model::Model square(const Look& look)
{
    auto mesh       = std::make_shared<geometry::Mesh>();
    mesh->points    = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    mesh->triangles = {{0, 1, 2}, {0, 2, 3}};
    const float l = look.low, h = look.high;
    const auto  paint = std::make_shared<const model::Paint>(
        model::Paint{look.picture, look.wrap, look.wrap, {{{{l, l}, {h, l}, {h, h}}}, {{{l, l}, {h, h}, {l, h}}}}, "/look",
                     look.undrawn});
    model::ModelBuilder builder;
    builder.add_shape_mesh(builder.add_body({}, "/square"), {}, look.scale, model::painted(mesh, paint),
                           {.density = 0, .has_shape_collision = false}, "/square/shape");
    builder.shapes.back().color   = look.color;
    builder.shapes.back().opacity = look.opacity;
    return test::finalized(builder);
}

/// Colours of the picture where points of the world are seen.
std::vector<Byte3> colours_at(const model::Model& model, const std::vector<Vec3d>& points)
{
    const viewer::RenderOptions options{.width = 200, .height = 200, .eye = Vec3d{0.4, 0.3, 4}, .target = Vec3d{0.5, 0.5, 0}};
    const viewer::Portrait      portrait(model, test::still(model).frames.front(), options);
    const viewer::Image         image = portrait.picture();
    std::vector<Byte3>          out;
    for (const Vec3d& p : points) {
        const auto at = portrait.place(p);
        REQUIRE(at);
        const auto x = static_cast<std::size_t>(at->x), y = static_cast<std::size_t>(at->y);
        const std::uint8_t* c = &image.pixels[3 * (y * 200 + x)];
        out.push_back({c[0], c[1], c[2]});
    }
    return out;
}
// A little of the light is reflected as it comes, whatever the surface's colour.
bool stands_out(const Byte3& c, std::size_t k)
{ return c[k] > 100 && c[k] > c[(k + 1) % 3] + 60 && c[k] > c[(k + 2) % 3] + 60; }
bool is_red(const Byte3& c) { return stands_out(c, 0); }
bool is_green(const Byte3& c) { return stands_out(c, 1); }
bool is_blue(const Byte3& c) { return stands_out(c, 2); }
bool is_white(const Byte3& c) { return c[0] > 180 && c[1] > 180 && c[2] > 180; }
bool is_black(const Byte3& c) { return c[0] < 140 && c[1] < 140 && c[2] < 140; }

const std::vector<Vec3d> kQuarters{{0.25, 0.75, 0}, {0.75, 0.75, 0}, {0.25, 0.25, 0}, {0.75, 0.25, 0}};

}  // namespace

TEST_CASE("a picture lies on a mesh as its coordinates say: u to the right, v up, the first row above")
{
    const auto c = colours_at(square({}), kQuarters);
    CHECK(is_red(c[0]));
    CHECK(is_green(c[1]));
    CHECK(is_blue(c[2]));
    CHECK(is_white(c[3]));
    // Mirrored shapes keep what is where; a colour beside the picture is multiplied with it.
    const auto mirrored = colours_at(square({.scale = {-1, 1, 1}}), {{-0.25, 0.75, 0}, {-0.75, 0.75, 0}});
    CHECK(is_red(mirrored[0]));
    CHECK(is_green(mirrored[1]));
    const auto tinted = colours_at(square({.color = {0, 0, 1}}), kQuarters);
    CHECK(is_black(tinted[0]));
    CHECK(is_blue(tinted[2]));
    CHECK(is_blue(tinted[3]));
}

TEST_CASE("beyond its edges a picture goes on as its wrap mode says")
{
    // Coordinates from -1 to 2: the picture itself in the middle third. What is seen above it, at u of 0.25:
    const auto above = [](model::Wrap wrap, double v) {
        return colours_at(square({.wrap = wrap, .low = -1, .high = 2}), {{(1 + 0.25) / 3, (1 + v) / 3, 0}})[0];
    };
    CHECK(is_blue(above(model::Wrap::repeat, 1.25)));
    CHECK(is_red(above(model::Wrap::repeat, 1.75)));
    CHECK(is_red(above(model::Wrap::mirror, 1.25)));
    CHECK(is_blue(above(model::Wrap::mirror, 1.75)));
    CHECK(is_red(above(model::Wrap::clamp, 1.75)));
    CHECK(is_black(above(model::Wrap::black, 1.75)));
    CHECK(is_blue(above(model::Wrap::clamp, -0.75)));
    CHECK(is_red(above(model::Wrap::repeat, -0.25)));
    CHECK(is_blue(above(model::Wrap::mirror, -0.25)));
}

TEST_CASE("a picture that is far smaller on the screen than in its file shows its mean, not single pixels")
{
    // 512 pictures along an edge: each pixel of 100 sees several whole ones. Their mean, linear: (1/2, 1/2, 1/2).
    const auto c = colours_at(square({.low = 0, .high = 512}), kQuarters);
    for (const Byte3& one : c) {
        CHECK(std::abs(int{one[0]} - int{one[1]}) < 12);
        CHECK(std::abs(int{one[0]} - int{one[2]}) < 12);
    }
    CHECK(std::abs(int{c[0][0]} - int{c[3][0]}) < 12);
}

TEST_CASE("who draws says once what is missing: parts of materials, unreadable files, opacities that hide most")
{
    Diagnostics quiet;
    viewer::report_looks(square({}), quiet);
    CHECK(quiet.empty());
    Diagnostics maps;
    viewer::report_looks(square({.undrawn = {"normal maps"}}), maps);
    REQUIRE(maps.size() == 1);
    CHECK(maps.items()[0].id == "RENDER_NOT_DRAWN");
    CHECK(maps.items()[0].message == "not drawn, with the number of materials: normal maps (1)");
    const auto  broken = std::make_shared<const model::Picture>("broken.exr", [] { return std::nullopt; });
    Diagnostics unreadable;
    viewer::report_looks(square({.picture = broken}), unreadable);
    CHECK(unreadable.count("RENDER_TEXTURE_UNREADABLE") == 1);
    CHECK(is_white(colours_at(square({.picture = broken}), kQuarters)[0]));
    Diagnostics hidden;
    viewer::report_looks(square({.opacity = 0}), hidden);
    CHECK(hidden.count("RENDER_OPACITY_HIDES") == 1);
    Diagnostics large;
    viewer::report_looks(square({.picture = four_colours(600)}), large);
    CHECK(large.count("RENDER_TEXTURE_SMALLER") == 1);
}

TEST_CASE("pages hold pictures no larger than they say, and nothing of them where there are none")
{
    const auto page = [](const Look& look) {
        const model::Model model = square(look);
        return viewer::to_html(model, test::still(model));
    };
    const std::string small = page({});
    CHECK(small.find("\"pictures\":[\"data:image/png;base64,") != std::string::npos);
    CHECK(small.find("\"wrap\":[\"repeat\",\"repeat\"]") != std::string::npos);
    CHECK(small.find("\"uvs\":") != std::string::npos);
    CHECK(page({.picture = nullptr}).find("\"pictures\":[") == std::string::npos);
    // Noise does not compress: 4096 x 4096 would be 50 MB.
    const auto noise = std::make_shared<const model::Picture>("noise.png", []() -> std::optional<model::Pixels> {
        model::Pixels out{4096, 4096, std::vector<std::uint8_t>(4UL * 4096 * 4096)};
        std::uint32_t x = 1;
        for (std::uint8_t& byte : out.rgba) byte = static_cast<std::uint8_t>((x = x * 1664525U + 1013904223U) >> 24U);
        return out;
    });
    CHECK(page({.picture = noise}).size() < small.size() + (std::size_t{1} << 20));
}

}  // namespace mechane
