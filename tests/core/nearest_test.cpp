#include "mechane/core/nearest.h"

#include <doctest/doctest.h>

#include <algorithm>

#include <string>
#include <vector>

using namespace mechane;

TEST_CASE("the distance of two texts is the least number of edits, without regard to capitals, up to a bound")
{
    struct {
        const char *a, *b;
        std::size_t distance;
    } table[] = {{"", "", 0}, {"abc", "abc", 0}, {"abc", "ABC", 0}, {"kitten", "sitting", 3}, {"axs", "axis", 1}, {"", "four", 4}};
    for (const auto& row : table) {
        CAPTURE(row.a);
        CHECK(edit_distance(row.a, row.b, 9) == row.distance);
        CHECK(edit_distance(row.b, row.a, 9) == row.distance);
        CHECK(edit_distance(row.a, row.b, 2) == std::min<std::size_t>(row.distance, 2));
    }
}

TEST_CASE("the nearest words come first, each once, ties in their order, and what is far is left out")
{
    const std::vector<std::string> known{"mass", "mast", "master", "mass", "velocity"};
    CHECK(nearest("mas", known) == std::vector<std::string>{"mass", "mast", "master"});
    CHECK(nearest("mass", known, 1) == std::vector<std::string>{"mass"});
    CHECK(nearest("q", known).empty());
    CHECK(did_you_mean("mas", known) == "Did you mean mass, mast or master?");
    CHECK(did_you_mean("mass", std::vector<std::string>{"mass"}) == "Did you mean mass?");
    CHECK(did_you_mean("q", known).empty());
}
