#include "mechane/core/letters.h"

#include "support/support.h"

using namespace mechane;

TEST_CASE("words that people write in several ways have the same letters")
{
    CHECK(letters_of("Best-Effort") == "besteffort");
    CHECK(letters_of("BEST_EFFORT 2") == "besteffort2");
    CHECK(letters_of("_-. ").empty());
    CHECK(same_word("convexHull", "ConvexHULL"));
    CHECK_FALSE(same_word("convexHull", "convexHul"));
}

TEST_CASE("letters outside ASCII stay as they are") { CHECK(lower_case("\xc3\x84rm\xc3\x89") == "\xc3\x84rm\xc3\x89"); }
