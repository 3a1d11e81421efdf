#include "mechane/collision/rest_overlaps.h"

#include "field_scene.h"

/// Robots are drawn with links that reach into each other.
using namespace mechane;
using namespace mechane::test;

TEST_CASE("an overlap of one mechanism at rest counts as touching, what is deeper and what is not joined is pushed apart")
{
    for (const bool jointed : {true, false}) {
        CAPTURE(jointed);
        model::ModelBuilder b;
        b.rigid_gap = 0.01;
        // Two balls of 0.5 m, 0.9 m apart: 0.1 m deep; a link without a shape between them, so that they may collide.
        const auto add = [&](double x, const char* label) {
            return jointed ? b.add_link({{x, 0, 0}, {}}, label, 1, {}, Mat33d::identity())
                           : b.add_body({{x, 0, 0}, {}}, label, 1, {}, Mat33d::identity());
        };
        const std::int32_t first = add(0, "a"), middle = add(0.45, "m"), second = add(0.9, "b");
        b.add_shape_sphere(first, {}, 0.5, b.default_shape);
        b.add_shape_sphere(second, {}, 0.5, b.default_shape);
        if (jointed) {
            const auto root = b.add_joint_free(first, "root");
            const auto j    = b.add_joint_prismatic(first, middle, {{0.45, 0, 0}, {}}, {}, {}, "j");
            const auto k    = b.add_joint_prismatic(middle, second, {{0.45, 0, 0}, {}}, {}, {}, "k");
            b.add_articulation({root, j, k}, "r");
        }
        const model::Model           m = frozen_scene(b);
        collision::CollisionPipeline pipeline(m);
        auto                         contacts = pipeline.make_contacts();
        auto                         state    = model::make_state(m);
        pipeline.collide(state, 0, contacts);
        REQUIRE(contacts.rigid_contact_count == 1);
        CHECK(static_cast<double>(contacts.rigid_contact_distance[0]) == close_to(-0.1, 1e-6));
        const collision::RestOverlaps rest(m, contacts);
        CHECK(rest.pairs().size() == (jointed ? 1 : 0));
        for (const double deeper : {0.0, 0.02, -0.005}) {
            state.body_q[static_cast<std::size_t>(second)].p.x = static_cast<Real>(0.9 - deeper);
            pipeline.collide(state, 0, contacts);
            rest.apply(m, state, contacts);
            REQUIRE(contacts.rigid_contact_count == 1);
            const double expected = jointed ? -deeper : -0.1 - deeper;
            CHECK(static_cast<double>(contacts.rigid_contact_distance[0]) == close_to(expected, 1e-6));
            // The surface points say the same as the distance.
            std::vector<Vec3> p0(1), p1(1);
            std::vector<Real> apart(1);
            collision::contact_points_world(m, state, contacts, p0, p1, apart);
            CHECK(static_cast<double>(apart[0]) == close_to(expected, 1e-6));
        }
    }
}
