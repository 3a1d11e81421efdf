// A narrow phase by itself: shapes and pairs in, arrays of contacts out. Slots that are not needed stay as they were.
//
//     sample_blocks_narrow
#include <array>
#include <cmath>

#include "mechane/collision/narrow_phase.h"
#include "sample.h"

using namespace mechane;
using collision::ShapeKind;

int main()
{
    const std::array<collision::NarrowPhaseShape, 3> shapes{{
        {.shape = {.kind = ShapeKind::plane}, .margin = 0, .gap = 0.01},
        {.shape = {.kind = ShapeKind::box, .p = {0, 0, 0.49}, .size = {0.5, 0.5, 0.5}}, .margin = 0, .gap = 0.01},
        {.shape = {.kind = ShapeKind::sphere, .p = {0, 0, 1.2}, .size = {0.2, 0, 0}}, .margin = 0.005, .gap = 0.01},
    }};
    const std::array<collision::ShapePair, 2> pairs{{{0, 1}, {1, 2}}};

    constexpr std::size_t                        room = 8;
    std::array<collision::ShapePair, room>       contact_pair;
    std::array<Vec3d, room>                      position, normal;
    std::array<double, room>                     penetration;
    contact_pair.fill({-1, -1});
    collision::NarrowPhase narrow({.max_candidate_pairs = 10000});
    const auto             status = narrow.launch(shapes, pairs, {.contact_pair        = contact_pair,
                                                                  .contact_position    = position,
                                                                  .contact_normal      = normal,
                                                                  .contact_penetration = penetration});
    for (std::size_t i = 0; i < status.contact_count; ++i)
        std::printf("(%d, %d) at (%5.2f, %5.2f, %6.3f), normal (%.0f, %.0f, %.0f), %.3f m\n", contact_pair[i].first,
                    contact_pair[i].second, position[i].x, position[i].y, position[i].z, normal[i].x, normal[i].y,
                    normal[i].z, penetration[i]);
    std::printf("%zu contacts, %zu slots unused\n", status.contact_count, room - status.contact_count);

    sample::Claims claims;
    claims.that(status.contact_count == 5, "four corners of the box, one point of the ball");
    claims.that(contact_pair[5] == collision::ShapePair{-1, -1}, "slots that are not needed stay as they were");
    for (std::size_t i = 0; i < 4; ++i)
        claims.that(std::abs(penetration[i] + 0.01) < 1e-12, "the box is 1 cm deep in the plane");
    // The ball is 1 cm above the box, its surface is offset by 5 mm. Kinds have an order: the sphere is shape 0.
    claims.that(std::abs(penetration[4] - 0.005) < 1e-12, "the ball is 5 mm above the box");
    return claims.exit_code();
}
