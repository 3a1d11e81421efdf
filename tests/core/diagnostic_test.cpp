#include "mechane/core/diagnostic.h"

#include "mechane/core/arena.h"
#include "mechane/core/hash.h"
#include "mechane/core/result.h"
#include "support/support.h"

using namespace mechane;

namespace {
constexpr Code kMassZero{"TEST_MASS_ZERO", Severity::warning, "a body has no mass", "Author physics:mass."};
}

TEST_CASE("a diagnostic names layer, line, prim, property, id and remedy in one text")
{
    const auto d = make_diagnostic(
        kMassZero, {.layer = "arm.usda", .line = 12, .column = 3, .prim = "/arm", .property = "physics:mass"},
        "mass is 0");
    CHECK(to_text(d) ==
          "arm.usda:12:3 </arm.physics:mass> warning TEST_MASS_ZERO: mass is 0\n    Author physics:mass.");
    CHECK(to_text(make_diagnostic(kMassZero, {}, "mass is 0", "hint")) ==
          "warning TEST_MASS_ZERO: mass is 0\n    hint");
}

TEST_CASE("equal findings are merged and counted, others keep their order (STG-033)")
{
    Diagnostics all;
    for (int i = 0; i < 3; ++i) all.add(kMassZero, {.prim = "/a"}, "mass is 0");
    all.add(kMassZero, {.prim = "/b"}, "mass is 0");
    REQUIRE(all.size() == 2);
    CHECK(all.items()[0].count == 3);
    CHECK(all.items()[1].site.prim == "/b");
    CHECK(all.count("TEST_MASS_ZERO") == 2);
    CHECK(all.count(Severity::warning) == 2);
    CHECK_FALSE(all.has_errors());
    CHECK(all.find("TEST_OTHER") == nullptr);
}

TEST_CASE("findings that two collections share are one, whichever way they are brought together")
{
    // Both orders of bringing together, and a collection added to itself.
    Diagnostics one, other;
    for (int i = 0; i < 100; ++i) one.add(kMassZero, {.prim = "/a" + std::to_string(i)}, "mass is 0");
    for (int i = 50; i < 150; ++i) other.add(kMassZero, {.prim = "/a" + std::to_string(i)}, "mass is 0");
    Diagnostics both = one;
    both.append(other);
    REQUIRE(both.size() == 150);
    for (int i = 0; i < 150; ++i) {
        CAPTURE(i);
        const Diagnostic& found = both.items()[static_cast<std::size_t>(i)];
        CHECK(found.site.prim == "/a" + std::to_string(i));
        CHECK(found.count == (i >= 50 && i < 100 ? 2 : 1));
    }
    both.append(both);
    CHECK(both.size() == 150);
    CHECK(both.items()[0].count == 2);
    both.add(kMassZero, {.prim = "/a120"}, "mass is 0");
    CHECK(both.size() == 150);
}

TEST_CASE("a result holds a value or a diagnostic, never both")
{
    const Result<int> good = 3;
    const Result<int> bad  = make_diagnostic(kMassZero, {}, "no");
    REQUIRE(good);
    CHECK(*good == 3);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().id == "TEST_MASS_ZERO");
    CHECK(Result<void>{});
}

TEST_CASE("an arena that has warmed up keeps its capacity")
{
    Arena arena(64);
    for (int round = 0; round < 3; ++round) {
        arena.reset();
        const auto a = arena.zeros<double>(100);
        const auto b = arena.allocate<char>(3);
        const auto c = arena.zeros<double>(5);
        CHECK(reinterpret_cast<std::uintptr_t>(c.data()) % alignof(double) == 0);
        CHECK(a[99] == 0);
        CHECK(b.size() == 3);
    }
    const std::size_t warm = arena.capacity();
    arena.reset();
    arena.zeros<double>(100);
    CHECK(arena.capacity() == warm);
}

TEST_CASE("hashes equal the reference values of XXH3")
{
    // xxHash's own documentation of XXH3_64bits: the empty input with seed 0.
    CHECK(to_hex(hash_text("")) == "2d06800538d394c2");
    CHECK(hash_text("a") != hash_text("b"));
    CHECK(hash_text("a", 1) != hash_text("a", 2));
    CHECK(hash_combine(1, 2) != hash_combine(2, 1));
}
