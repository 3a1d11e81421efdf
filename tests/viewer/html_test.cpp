#include "mechane/viewer/html.h"

#include <fstream>
#include <regex>

#include "viewer/scenes.h"

using namespace mechane;

TEST_CASE("a page loads nothing: no address is fetched by any element, style or script")
{
    const auto        model = test::walker();
    const std::string page  = viewer::to_html(model, test::sway(model, 0.1));
    const std::regex  load(
        R"re((src|href|action|data)\s*=\s*["']?\s*(https?:)?//|url\(\s*["']?(https?:)?//|@import|import\s*\(\s*["']https?:|fetch\(\s*["'`]https?:)re");
    std::smatch match;
    CHECK_FALSE(std::regex_search(page, match, load));
    // A module that vite left outside would be loaded by its path.
    CHECK(page.find("src=\"/") == std::string::npos);
    CHECK(page.find("--view--") == std::string::npos);
}

TEST_CASE("a label cannot end the element that holds the recording")
{
    model::ModelBuilder builder;
    const auto          body = builder.add_body({}, "/a");
    builder.add_shape_sphere(body, {}, 1, {}, "</script><script>alert(1)</script>");
    const auto model = test::finalized(builder);
    CHECK(viewer::to_html(model, test::still(model)).find("alert(1)</script>") == std::string::npos);
}

TEST_CASE("ten seconds of a small robot stay below 2 MB beside the bundle")
{
    const auto model = test::walker();
    const auto empty = viewer::to_html(model, {}), full = viewer::to_html(model, test::sway(model, 10));
    CHECK(full.size() - empty.size() < 2'000'000);
    if (const char* keep = std::getenv("MECHANE_KEEP")) std::ofstream(std::string(keep) + "/walker.html") << full;
}
