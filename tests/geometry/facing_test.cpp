#include "mechane/geometry/facing.h"

#include "mechane/math/random.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::for_seeds;

TEST_CASE("faces that were turned by chance are found again, in every piece, up to turning the piece")
{
    for_seeds(40, [](Random& r) {
        const std::size_t         faces = 3 + r.below(60);
        std::vector<std::int32_t> drawn_piece(faces);
        std::vector<bool>         turned(faces);
        for (std::size_t f = 0; f < faces; ++f) {
            drawn_piece[f] = static_cast<std::int32_t>(r.below(4));
            turned[f]      = r.below(2) == 1;
        }
        // Each face hangs on an earlier one of its piece, and some have more neighbours; pairs agree where both or
        // neither were turned.
        std::vector<FacePair> pairs;
        for (std::size_t f = 0; f < faces; ++f) {
            std::vector<std::int32_t> earlier;
            for (std::size_t g = 0; g < f; ++g)
                if (drawn_piece[g] == drawn_piece[f]) earlier.push_back(static_cast<std::int32_t>(g));
            for (std::size_t k = 0; k < std::min<std::size_t>(earlier.size(), 1 + r.below(3)); ++k) {
                const std::int32_t g = earlier[r.below(static_cast<std::uint32_t>(earlier.size()))];
                pairs.push_back({static_cast<std::int32_t>(f), g, turned[f] == turned[static_cast<std::size_t>(g)]});
            }
        }
        const Facing found = facing_of(faces, pairs);
        CHECK_FALSE(found.one_sided);
        const std::vector<bool> lesser = found.lesser();
        for (std::int32_t p = 0; p < found.pieces; ++p) {
            std::size_t count = 0, turns = 0;
            for (std::size_t f = 0; f < faces; ++f) {
                if (found.piece[f] != p) continue;
                ++count, turns += lesser[f] ? 1 : 0;
                for (std::size_t g = 0; g < faces; ++g) {
                    if ((drawn_piece[f] == drawn_piece[g]) != (found.piece[g] == p)) FAIL("pieces differ");
                    if (found.piece[g] != p) continue;
                    CHECK((turned[f] == turned[g]) == (found.against[f] == found.against[g]));
                    CHECK((turned[f] != lesser[f]) == (turned[g] != lesser[g]));  // alike once the lesser have turned
                }
            }
            CHECK(2 * turns <= count);
        }
    });
}

TEST_CASE("a ring of faces with an odd number of disagreeing pairs has one side")
{
    for (int disagree = 0; disagree < 5; ++disagree) {
        std::vector<FacePair> ring;
        for (int i = 0; i < 5; ++i) ring.push_back({i, (i + 1) % 5, i >= disagree});
        CHECK(facing_of(5, ring).one_sided == (disagree % 2 == 1));
    }
}

TEST_CASE("of two faces that disagree the second turns")
{
    const std::vector<FacePair> pair{{0, 1, false}};
    CHECK(facing_of(2, pair).lesser() == std::vector<bool>{false, true});
    CHECK(facing_of(0, {}).pieces == 0);
}
