#include "world.h"

/// Margins put the surface off the shape: what rests, rests there.
using namespace mechane;
using namespace mechane::test;

TEST_CASE("a body at rest stands off by the margins of both shapes (COL-023)")
{
    for (const double margin : {0.0, 0.01, 0.03}) {
        CAPTURE(margin);
        model::ModelBuilder b;
        model::ShapeConfig  config = b.default_shape;
        config.margin              = margin;
        b.add_ground_plane();
        b.shapes[0].config.margin = 0.005;
        const auto ball = b.add_body({{0, 0, 0.3}, {}}, "ball"), box = b.add_body({{1, 0, 0.3}, {}}, "box");
        b.add_shape_sphere(ball, {}, 0.2, config);
        b.add_shape_box(box, {}, {0.2, 0.2, 0.2}, config);
        World                        w(b);
        collision::CollisionPipeline pipeline(w.model);
        auto                         contacts = pipeline.make_contacts();
        for (int i = 0; i < 180; ++i) {
            pipeline.collide(w.state, 1.0 / 60, contacts);
            w.step(1.0 / 60, &contacts);
        }
        for (const auto body : {ball, box})
            // Softness at rest: the solver leaves a few tenths of a millimetre.
            CHECK(w.position(static_cast<std::size_t>(body)).z == close_to(0.2 + 0.005 + margin, 5e-4));
    }
}
