#include "mechane/viewer/render.h"

#include <png.h>
#include <zlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "mechane/viewer/codes.h"
#include "viewer/scenes.h"

using namespace mechane;
namespace fs = std::filesystem;

namespace {

/// One box of 1 m at the origin, hanging in the air.
model::Model one_box(const Vec3d& at = {})
{
    model::ModelBuilder builder;
    const auto          body = builder.add_body({at}, "/box");
    builder.add_shape_box(body, {}, {0.5, 0.5, 0.5}, {}, "/box/shape");
    builder.shapes.back().color = {0.8, 0.2, 0.2};
    return test::finalized(builder);
}

/// Pixels that differ from the top left one, and the mean of their columns.
struct Silhouette {
    double share = 0, mean_x = 0;
};
Silhouette silhouette(const viewer::Image& image)
{
    Silhouette out;
    double     count = 0;
    for (std::size_t i = 0; i < image.pixels.size(); i += 3)
        if (!std::equal(image.pixels.begin(), image.pixels.begin() + 3,
                        image.pixels.begin() + static_cast<std::ptrdiff_t>(i))) {
            ++count;
            out.mean_x += static_cast<double>(i / 3 % static_cast<std::size_t>(image.width));
        }
    out.mean_x /= count;
    out.share = count / static_cast<double>(image.pixels.size() / 3);
    return out;
}

/// The file as libpng reads it.
viewer::Image read_png(const std::string& file)
{
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_file(&png, file.c_str()));
    png.format = PNG_FORMAT_RGB;
    viewer::Image out{static_cast<int>(png.width), static_cast<int>(png.height), {}};
    out.pixels.resize(PNG_IMAGE_SIZE(png));
    REQUIRE(png_image_finish_read(&png, nullptr, out.pixels.data(), 0, nullptr));
    return out;
}

std::string bytes_of(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::uint32_t number_at(const std::string& bytes, std::size_t at)
{
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    return out;
}

/// Plays an animated PNG to its end: each frame's data become a file of their own, which libpng reads into its
/// rectangle.
viewer::Image play(const std::string& bytes)
{
    const auto chunk = [](std::string& out, std::string body) {
        const auto word = [&](auto v) {
            for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(v >> shift & 255);
        };
        word(body.size() - 4);
        out += body;
        word(crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
    };
    viewer::Image canvas;
    std::string   header, control;
    std::uint32_t sequence = 0;
    for (std::size_t at = 8; at < bytes.size(); at += 12 + number_at(bytes, at)) {
        const std::string type = bytes.substr(at + 4, 4), data = bytes.substr(at + 8, number_at(bytes, at));
        if (type == "IHDR") {
            header        = data;
            canvas.width  = static_cast<int>(number_at(data, 0));
            canvas.height = static_cast<int>(number_at(data, 4));
            canvas.pixels.resize(3 * static_cast<std::size_t>(canvas.width) * static_cast<std::size_t>(canvas.height));
        }
        if (type == "fcTL" || type == "fdAT") CHECK(number_at(data, 0) == sequence++);
        if (type == "fcTL") control = data;
        if (type != "IDAT" && type != "fdAT") continue;
        std::string file("\x89PNG\r\n\x1a\n");
        chunk(file, "IHDR" + control.substr(4, 8) + header.substr(8));
        chunk(file, "IDAT" + data.substr(type == "fdAT" ? 4 : 0));
        chunk(file, "IEND");
        png_image png{};
        png.version = PNG_IMAGE_VERSION;
        REQUIRE(png_image_begin_read_from_memory(&png, file.data(), file.size()));
        png.format            = PNG_FORMAT_RGB;
        const std::size_t row = 3 * static_cast<std::size_t>(canvas.width);
        std::uint8_t*     to =
            canvas.pixels.data() + number_at(control, 16) * row + 3 * std::size_t{number_at(control, 12)};
        REQUIRE(png_image_finish_read(&png, nullptr, to, static_cast<png_int_32>(row), nullptr));
    }
    return canvas;
}

/// Pictures are kept where a person wants to look at them.
std::string kept(const std::string& name, const test::TemporaryFolder& otherwise)
{
    const char* folder = std::getenv("MECHANE_KEEP");
    return folder ? std::string(folder) + "/" + name : (otherwise.path() / name).string();
}

}  // namespace

TEST_CASE("a box covers the share of the picture that projection says")
{
    const auto                  model = one_box();
    const viewer::RenderOptions options{.eye = Vec3d{0, -10, 0}, .target = Vec3d{}, .fov = 36};
    const auto                  image = viewer::render(model, test::still(model), 0, options);
    // The front face, 9.5 m away, hides the rest: a square of side 360 / tan(18 deg) / 9.5 = 116.6 pixels.
    const double side = 360 / std::tan(18 * kDegrees) / 9.5;
    // A pixel at the rim counts when any of its samples is covered: up to one more row or column at each side.
    CHECK(silhouette(image).share >= side * side / (1280 * 720));
    CHECK(silhouette(image).share <= square(side + 2) / (1280 * 720));
}

TEST_CASE("a box that moves to the right is seen further right, by as much as projection says")
{
    const auto                  model = one_box();
    auto                        moved = test::still(model);
    const viewer::RenderOptions options{.eye = Vec3d{0, -10, 0}, .target = Vec3d{}, .fov = 36};
    const auto                  before = silhouette(viewer::render(model, moved, 0, options));
    moved.frames[0].body_q[0].p.x += Real(0.5);
    const auto after = silhouette(viewer::render(model, moved, 0, options));
    // Half a metre at 9.5 m; the left face that comes into view, 10.5 m away behind it, adds a little to the left.
    const double shift = 0.5 * 360 / std::tan(18 * kDegrees) / 9.5;
    CHECK(after.mean_x - before.mean_x == test::close_to(shift, 0.06));
}

TEST_CASE("what moves fills between a tenth and six tenths of an automatic picture's height and width")
{
    for (const auto view : {viewer::NamedView::three_quarter, viewer::NamedView::front, viewer::NamedView::side,
                            viewer::NamedView::top}) {
        const auto model = one_box({30, -20, 5});
        const auto share = silhouette(viewer::render(model, test::still(model), 0, {.view = view})).share;
        CHECK(share > 0.1);
        CHECK(share < 0.6);
    }
}

TEST_CASE("a picture has the same bytes with one thread, two and five")
{
    test::TemporaryFolder folder;
    const auto            model = test::walker();
    const auto            run   = test::sway(model, 0.5);
    std::string           first;
    for (const int threads : {1, 2, 5}) {
        const std::string file = (folder.path() / "a.png").string();
        REQUIRE(viewer::render_png(
            model, run, 7, {.width = 333, .height = 217, .colliders = true, .contacts = true, .threads = threads},
            file));
        const std::string bytes = bytes_of(file);
        if (first.empty()) first = bytes;
        CHECK(bytes == first);
    }
}

TEST_CASE("libpng reads back the pixels that were drawn")
{
    test::TemporaryFolder folder;
    const auto            model = test::walker();
    const auto            run   = test::sway(model, 1);
    for (const auto& [name, colliders, contacts] :
         {std::tuple{"walker.png", false, false}, {"walker_overlay.png", true, true}}) {
        const viewer::RenderOptions options{.colliders = colliders, .contacts = contacts};
        const auto                  begin = std::chrono::steady_clock::now();
        REQUIRE(viewer::render_png(model, run, 30, options, kept(name, folder)));
        MESSAGE(std::string(name)
                << " " << std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count()
                << " ms");
        CHECK(read_png(kept(name, folder)).pixels == viewer::render(model, run, 30, options).pixels);
    }
}

TEST_CASE("an animation is one file whose first picture any reader shows, or numbered files")
{
    test::TemporaryFolder          folder;
    const auto                     model = test::walker();
    const auto                     run   = test::sway(model, 0.5);
    const viewer::AnimationOptions options{.render = {.width = 320, .height = 180}, .frames_per_second = 10};
    const std::string              single = kept("walker_animated.png", folder);
    REQUIRE(viewer::write_animation(model, run, options, single));
    CHECK(read_png(single).width == 320);
    // Half a second at ten pictures a second, both ends: six; each has its control chunk, all but the first their data
    // chunk.
    const std::string bytes = bytes_of(single);
    const auto        count = [&](const std::string& type) {
        int n = 0;
        for (std::size_t at = bytes.find(type); at != std::string::npos; at = bytes.find(type, at + 4)) ++n;
        return n;
    };
    CHECK(count("fcTL") == 6);
    CHECK(count("fdAT") == 5);

    REQUIRE(viewer::write_animation(model, run, options, (folder.path() / "frames/%04d.png").string()));
    CHECK(fs::exists(folder.path() / "frames/0000.png"));
    CHECK(fs::exists(folder.path() / "frames/0005.png"));
    CHECK_FALSE(fs::exists(folder.path() / "frames/0006.png"));
    CHECK(play(bytes).pixels == read_png((folder.path() / "frames/0005.png").string()).pixels);
    CHECK(bytes_of((folder.path() / "frames/0000.png").string()) !=
          bytes_of((folder.path() / "frames/0005.png").string()));
}

TEST_CASE("a request that cannot be met is refused with its reason")
{
    const auto model = one_box();
    const auto run   = test::still(model);
    const auto id    = [](const Result<void>& r) { return r ? std::string() : r.error().id; };
    CHECK(id(viewer::render_png(model, run, 1, {}, "/dev/null")) == viewer::kFrameMissing.id);
    CHECK(id(viewer::render_png(model, run, 0, {.width = 0}, "/dev/null")) == viewer::kPictureSize.id);
    CHECK(id(viewer::render_png(model, run, 0, {.width = 16, .height = 16}, "/nowhere/a.png")) ==
          "RECORD_WRITE_FAILED");
    for (const char* name : {"a.gif", "%s.png", "%04d%04d.png", "%.png"})
        CHECK(id(viewer::write_animation(model, run, {}, name)) == viewer::kAnimationName.id);
}

TEST_CASE("a frame that is not there is the caller's mistake, which the failure handler is told")
{
    const auto model   = one_box();
    const auto run     = test::still(model);
    const auto told_of = [&](std::size_t frame, const viewer::RenderOptions& options) {
        const FailureHandler before = set_failure_handler([](const Diagnostic& d) { throw std::runtime_error(d.id); });
        std::string          id;
        try {
            (void)viewer::render(model, run, frame, options);
        } catch (const std::runtime_error& told) {
            id = told.what();
        }
        set_failure_handler(before);
        return id;
    };
    CHECK(told_of(1, {.width = 16, .height = 16}) == viewer::kFrameMissing.id);
    CHECK(told_of(0, {.width = 0, .height = 16}) == viewer::kPictureSize.id);
    CHECK(told_of(0, {.width = 16, .height = 16}).empty());
}

TEST_CASE("bodies without a finite pose are left out and the rest is drawn")
{
    const auto                  model = one_box();
    auto                        run   = test::still(model);
    const viewer::RenderOptions options{.width = 64, .height = 36, .eye = Vec3d{0, -10, 0}};
    run.frames[0].body_q[0].p.x = std::numeric_limits<Real>::quiet_NaN();
    CHECK(std::isnan(silhouette(viewer::render(model, run, 0, options)).mean_x));
    run.frames[0].body_q[0].p.x = Real(1e30);
    CHECK(viewer::render(model, run, 0, {.width = 64, .height = 36}).pixels.size() == 64 * 36 * 3);
}
