// Where a shape is in the world: the pose of its body times the shape's pose in the body.
//
//     sample_shape_pose
#include "mechane/model/state.h"
#include "sample.h"

using namespace mechane;

int main()
{
    model::ModelBuilder builder;
    // A quarter turn about z, 1 m up: what lies 0.5 m along the body's x is 0.5 m along the world's y.
    const Posed        X_WB{{0, 0, 1}, from_axis_angle<double>({0, 0, 1}, kPi / 2)};
    const std::int32_t body = builder.add_body(X_WB, "body");
    builder.add_shape_sphere(body, {{0.5, 0, 0}, {}}, 0.1, {}, "ball");
    const auto         model = sample::finalize(builder);
    const model::State state = model::make_state(model);

    const Pose X_WS = state.body_q[static_cast<std::size_t>(model.shape_body[0])] * model.shape_transform[0];
    std::printf("the ball is at (%.3f, %.3f, %.3f)\n", double(X_WS.p.x), double(X_WS.p.y), double(X_WS.p.z));
    return 0;
}
