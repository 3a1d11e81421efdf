// Contacts written in a form of one's own: a list of springs, and a count for each shape.
//
//     sample_blocks_custom_writer
#include <array>
#include <vector>

#include "mechane/collision/narrow_phase.h"
#include "sample.h"

using namespace mechane;
using collision::ShapeKind;

namespace {

struct Spring {
    Vec3d  at;
    Vec3d  force;  ///< on shape 1 [N]
    double reach = 0;
};

}  // namespace

int main()
{
    // Three balls in a row; the outer ones overlap the middle one by 2 cm.
    std::vector<collision::NarrowPhaseShape> shapes;
    for (const double x : {-0.18, 0.0, 0.18})
        shapes.push_back({.shape = {.kind = ShapeKind::sphere, .p = {x, 0, 0}, .size = {0.1, 0, 0}}});
    std::vector<collision::ShapeFilter> filters(3, {.active = true, .mobile = true});
    std::vector<geometry::Aabbd>        boxes;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        filters[i].body = static_cast<std::int32_t>(i);
        boxes.push_back(collision::bounds(shapes[i].shape));
    }
    std::vector<collision::ShapePair> pairs(8);
    pairs.resize(collision::BroadPhaseSAP(filters, {}).launch(boxes, {}, {}, pairs));

    constexpr double      kStiffness = 1000;  // [N/m]
    std::vector<Spring>   springs;
    std::array<int, 3>    touched{};
    std::array<Vec3d, 3>  force{};
    collision::NarrowPhase narrow;
    const auto status = narrow.launch_custom_write(shapes, pairs, [&](const collision::ContactData& c) {
        springs.push_back({c.centre, -kStiffness * c.distance * c.normal, c.radius0 + c.radius1});
        for (const std::int32_t shape : {c.shape0, c.shape1}) ++touched[static_cast<std::size_t>(shape)];
        force[static_cast<std::size_t>(c.shape1)] += springs.back().force;
        force[static_cast<std::size_t>(c.shape0)] -= springs.back().force;
    });
    for (const Spring& s : springs) std::printf("spring at x %.2f m pushes with %.0f N\n", s.at.x, length(s.force));
    for (std::size_t i = 0; i < 3; ++i) std::printf("ball %zu: %d contacts, %.0f N\n", i, touched[i], force[i].x);

    sample::Claims claims;
    claims.that(status.contact_count == springs.size() && springs.size() == 2, "every contact is seen once");
    claims.that(touched == std::array{1, 2, 1}, "the middle ball touches both others");
    claims.that(length(force[1]) < 1e-9 && force[2].x > 19.9 && force[0].x < -19.9,
                "2 cm and 1000 N/m push the outer balls with 20 N, the middle one stays");
    return claims.exit_code();
}
