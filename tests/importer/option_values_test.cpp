#include "mechane/importer/option_value.h"

#include <doctest/doctest.h>

#include <limits>

#include "mechane/importer/options.h"

namespace mechane::importer::test {

TEST_CASE("an option takes its value in memory, and the same as text")
{
    ImportOptions options;
    CHECK(set_option_value(options, "exact_shapes", true));
    CHECK(options.exact_shapes);
    CHECK(set_option_value(options, "exact_shapes", std::string("false")));
    CHECK_FALSE(options.exact_shapes);
    CHECK(set_option_value(options, "mesh_maxhullvert", std::int64_t{20}));
    CHECK(options.mesh_maxhullvert == 20);
    CHECK(set_option_value(options, "default_friction", 0.25));
    CHECK(options.default_friction == 0.25);
    CHECK(set_option_value(options, "default_friction", std::monostate{}));
    CHECK_FALSE(options.default_friction);
    // A text with a comma is one entry of a list in memory, and two as text.
    CHECK(set_option_value(options, "ignore_paths", std::vector<std::string>{"/a,b", "/c"}));
    CHECK(options.ignore_paths == std::vector<std::string>{"/a,b", "/c"});
    CHECK(set_option_value(options, "xform", std::vector<double>{1, 2, 3, 0, 0, 0, 2}));
    REQUIRE(options.xform);
    CHECK(options.xform->p.y == 2);
    CHECK(options.xform->q.w == 1);
}

TEST_CASE("an option refuses a value of another type or out of range, and says which ones it can have")
{
    ImportOptions                                           options;
    const std::vector<std::pair<std::string, OptionValue>> wrong = {
        {"exact_shapes", std::int64_t{1}},
        {"exact_shapes", std::monostate{}},
        {"mesh_maxhullvert", 20.5},
        {"mesh_maxhullvert", std::int64_t{3}},
        {"mesh_maxhullvert", std::vector<double>{20}},
        {"joint_drive_gains_scaling", std::numeric_limits<double>::quiet_NaN()},
        {"joint_drive_gains_scaling", std::numeric_limits<double>::infinity()},
        {"default_friction", -1.0},
        {"units", std::string("stge")},
        {"units", true},
        {"xform", std::vector<double>{1, 2, 3}},
        {"xform", std::vector<double>{1, 2, 3, 0, 0, 0, 0}},
        {"xform", std::vector<std::string>{"1"}},
        {"ignore_paths", std::vector<double>{1}},
        {"legacy", std::vector<std::string>{"no-such-rule"}},
    };
    for (const auto& [name, value] : wrong) {
        CAPTURE(name);
        const auto done = set_option_value(options, name, value);
        REQUIRE_FALSE(done);
        CHECK(done.error().message.find(name) != std::string::npos);
        CHECK_FALSE(done.error().hint.empty());
    }
    const auto unknown = set_option_value(options, "exact_shape", true);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().hint.find("exact_shapes") != std::string::npos);
}

}  // namespace mechane::importer::test
