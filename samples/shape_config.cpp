// Settings of shapes: what a builder's defaults say, and what one shape says instead.
//
//     sample_shape_config
#include "sample.h"

using namespace mechane;

int main()
{
    model::ModelBuilder builder;
    builder.rigid_gap                 = 0.02;
    builder.default_shape.mu          = 0.7;
    builder.default_shape.restitution = 0.1;
    builder.add_ground_plane();
    const std::int32_t body = builder.add_body({{0, 0, 1}, {}}, "box");
    model::ShapeConfig own  = builder.default_shape;
    own.mu                  = 0.2;
    own.gap                 = 0.005;
    builder.add_shape_box(body, {}, {0.1, 0.1, 0.1}, own, "box");
    const auto model = sample::finalize(builder);
    for (std::size_t i = 0; i < model.shape_count(); ++i)
        std::printf("%s: %s, mu %.3g, restitution %.3g, margin %.3g, gap %.3g\n", model.shape_label[i].c_str(),
                    model.shape_body[i] < 0 ? "static" : "moving", double(model.shape_material_mu[i]),
                    double(model.shape_material_restitution[i]), double(model.shape_margin[i]),
                    double(model.shape_gap[i]));
    return 0;
}
