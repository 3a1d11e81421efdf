#include "mechane/files/suffix.h"

#include "support/support.h"

using namespace mechane;

TEST_CASE("a suffix has its dot, and its case does not count")
{
    CHECK(files::suffix_of("a.b/robot.USDA") == ".usda");
    CHECK(files::suffix_of("a.b/robot").empty());
    CHECK(files::suffix_of(".usda").empty());
}
